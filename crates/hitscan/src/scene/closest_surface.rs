//! Point queries among the objects of a scene: the closest, the deepest, and the nearest ones.

use crate::aabb::Aabb;
use crate::bvh::primitive_index::AccelRef;
use crate::closest_point::{ClosestPoint, ClosestResult, NotMeasured, OnPrimitive, PointGoal};
use crate::hit::ObjectId;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::queries::nearest_points::NearestPoints;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::compiled::compiled_scene;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::View;
use alloc::vec::Vec;
use core::ops::ControlFlow;

impl<'a, V: Space> SceneView<'a, V> {
    /// Visits the objects whose boxes contain the point, and perhaps others.
    pub(crate) fn visit_around(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        mut part: impl FnMut(&'a PlacedObject<V>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Containment concerns all solids: neither rules for faces leave objects out, nor triggers, unless the view is without them.
        let query = &Query::new().of_all_hits();
        let mut visit = |view: View<'a, V>| match view.index {
            AccelRef::Bvh(tree) if level.is_none() => {
                // The tree finds the leaves around the point; unbounded objects are in no leaf.
                let mut part = |slot| view.look(slot, query, |placed, _| part(placed));
                view.unbounded.iter().try_for_each(|&slot| part(slot))?;
                tree.visit_point(point.to_f64(), part)
            }
            // The boxes are in the coordinates of the scene, the point is in those of the world.
            _ => (0..)
                .zip(view.placed)
                .filter(|(slot, placed)| placed.id != ObjectId::NONE && view.sees(*slot, query))
                .try_for_each(|(_, placed)| part(placed)),
        };
        // Below a transform, the first arm has visited the moved objects with all others; they need no visit of their
        // own.
        self.scene.levels.iter().try_for_each(|tree| {
            visit(tree.view(self.accept))?;
            let moved = tree.moved_view(self.accept).filter(|_| level.is_none());
            moved.map_or(ControlFlow::Continue(()), &mut visit)
        })
    }

    /// Visits the objects whose boxes are at most `limit` away, and perhaps others, about the nearest first. `part` may lower
    /// the limit.
    fn visit_nearest(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: &mut f64,
        mut part: impl FnMut(&'a PlacedObject<V>, &mut f64),
    ) {
        // Distances concern all objects: neither rules for faces leave objects out, nor triggers, unless the view is without them.
        let query = &Query::new().of_all_hits();
        let mut visit = |view: View<'a, V>| {
            view.visit_by_distance(point, level, limit, |slot, limit| {
                let _ = view.look(slot, query, |placed, _| {
                    part(placed, limit);
                    ControlFlow::Continue(())
                });
            });
        };
        // The limit passes from tree to tree: a near object in the main tree saves nodes of the others.
        for tree in &self.scene.levels {
            visit(tree.view(self.accept));
            tree.moved_view(self.accept).into_iter().for_each(&mut visit);
        }
    }

    /// The closest point of all objects up to a distance; at equal distance, that of the object inserted first.
    pub(crate) fn closest_surface(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        mut limit: f64,
    ) -> ClosestResult<V> {
        // An object that cannot be measured does not end the search: it counts only if it may be nearer than the best
        // one.
        let (mut best, mut unmeasured) = (None, None::<f64>);
        self.visit_nearest(point, level, &mut limit, |placed, limit| {
            match self.seen(placed).project_point(point, level, PointGoal::Within(*limit)) {
                Ok(Some(found)) => {
                    // Objects at the same distance must still be found: one of them may have been inserted earlier.
                    *limit = found.distance.to_f64();
                    replace(&mut best, placed, found, |new, old| new < old);
                }
                Ok(None) => {}
                Err(NotMeasured) => {
                    // The least distance that the object may have, of all objects without a measure.
                    let least = least_distance(placed, point, level);
                    unmeasured = Some(unmeasured.map_or(least, |other| other.min(least)));
                }
            }
        });
        // Whether an object without a measure may be the closest does not depend on the order of the visits.
        if unmeasured.is_some_and(|least| least <= limit) {
            return Err(NotMeasured);
        }
        Ok(best.map(|(placed, found)| own_point(placed, found)))
    }

    /// Passes the closest points of the primitives of all objects to `out`.
    pub(crate) fn nearest_primitives(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        mut limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        self.visit_nearest(point, level, &mut limit, |placed, limit| {
            self.seen(placed).project_primitives(point, level, *limit, &mut |found| {
                let least = |least: f64| least.max(least_distance(placed, point, level));
                *limit = out(found.map(|found| own_point(placed, found)).map_err(least));
                *limit
            });
        });
    }

    /// See [`Scene::closest_objects`].
    pub(crate) fn closest_objects(
        self,
        point: V,
        max_distance: V::Scalar,
        count: usize,
    ) -> Result<Vec<ClosestPoint<V>>, NotMeasured> {
        let mut found = Vec::new();
        let count = if point.all_finite() { count } else { 0 };
        NearestPoints::collect(&self, (max_distance, count), &mut found, |mut limit, out| {
            self.visit_nearest(point, None, &mut limit, |placed, limit| {
                let found = self.seen(placed).project_point(point, None, PointGoal::Within(*limit));
                if let Some(found) = found.map_err(|_| least_distance(placed, point, None)).transpose() {
                    *limit = out(found.map(|found| own_point(placed, found)));
                }
            });
        })?;
        Ok(found)
    }

    /// The closest point of the solid in which the point is deepest; at equal depth, that of the object inserted first.
    pub(crate) fn deepest_surface(self, point: V, level: Option<&InstanceLevel<'_>>) -> ClosestResult<V> {
        let (mut best, mut is_measured) = (None, true);
        let _ = self.visit_around(point, level, |placed| {
            // The depth of a union is unknown as soon as one of the solids around the point cannot be measured.
            match self.seen(placed).project_point(point, level, PointGoal::Depth) {
                Ok(found) => {
                    if let Some(found) = found {
                        replace(&mut best, placed, found, |new, old| new > old);
                    }
                    ControlFlow::Continue(())
                }
                Err(NotMeasured) => {
                    is_measured = false;
                    ControlFlow::Break(())
                }
            }
        });
        if is_measured { Ok(best.map(|(placed, found)| own_point(placed, found))) } else { Err(NotMeasured) }
    }
}

impl<V: Space, F: ObjectFilter<V>> FilteredScene<'_, V, F> {
    /// The closest points of the `count` nearest objects up to `max_distance`, each object once: the nearest first, at the same
    /// distance the object inserted first.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if an object that cannot be measured may be among them.
    pub fn closest_objects(
        &self,
        point: V,
        max_distance: V::Scalar,
        count: usize,
    ) -> Result<Vec<ClosestPoint<V>>, NotMeasured> {
        compiled_scene(&self.view()).closest_objects(point, max_distance, count)
    }
}

impl<V: Space> Scene<V> {
    /// The closest points of the `count` nearest objects up to `max_distance`, each object once: the nearest first, at the same
    /// distance the object inserted first. [`PointQuery::closest_primitives`](crate::PointQuery::closest_primitives) takes each
    /// triangle of a mesh instead.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if an object that cannot be measured may be among them.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let near = scene.insert(Object::new(Sphere::new(Vec3::X * 3.0, 1.0)?))?;
    /// let nearest = scene.insert(Object::new(Sphere::new(Vec3::Y * -2.0, 1.0)?))?;
    /// scene.insert(Object::new(Sphere::new(Vec3::X * 9.0, 1.0)?))?;
    /// let found = scene.closest_objects(Vec3::ZERO, 5.0, 4)?;
    /// let found: Vec<_> = found.iter().map(|found| (found.object, found.distance)).collect();
    /// assert_eq!(found, [(Some(nearest), 1.0), (Some(near), 2.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_objects(
        &self,
        point: V,
        max_distance: V::Scalar,
        count: usize,
    ) -> Result<Vec<ClosestPoint<V>>, NotMeasured> {
        compiled_scene(&self.view()).closest_objects(point, max_distance, count)
    }
}

/// The best object so far, with its closest point.
type BestObject<'a, V> = Option<(&'a PlacedObject<V>, ClosestPoint<V>)>;

/// Replaces the best object by a better one, or by an equal one that was inserted before.
fn replace<'a, V: Space>(
    best: &mut BestObject<'a, V>,
    placed: &'a PlacedObject<V>,
    found: ClosestPoint<V>,
    is_better: impl Fn(V::Scalar, V::Scalar) -> bool,
) {
    let wins = best.as_ref().is_none_or(|(other, old)| {
        let is_equal = found.distance == old.distance;
        is_better(found.distance, old.distance) || (is_equal && placed.order < other.order)
    });
    if wins {
        *best = Some((placed, found));
    }
}

/// The closest point of an object's shape as that of the object.
fn own_point<V: Space>(placed: &PlacedObject<V>, found: ClosestPoint<V>) -> ClosestPoint<V> {
    ClosestPoint { object: Some(placed.id), ..found }
}

/// Lower bound of the distance to an object: that of its box, or zero under a transform.
fn least_distance<V: Space>(placed: &PlacedObject<V>, point: V, level: Option<&InstanceLevel<'_>>) -> f64 {
    // Under a transform, the box is in other coordinates than the point: zero is a bound for every object.
    if level.is_some() {
        return 0.0;
    }
    // The box is widened to `f64`, where the differences below lose less than the box is too large by.
    let Aabb { min, max } = placed.object.instance.0.aabb();
    let (at, low, high) = (point.widen::<f64>(), min.widen::<f64>(), max.widen::<f64>());
    let (below, above) = (low - at, at - high);
    let outside = |axis: usize| below.get(axis).max(above.get(axis)).max(0.0);
    Vec3::new(outside(0), outside(1), outside(2)).length()
}
