//! Point queries among the objects of a scene.

use crate::aabb::Aabb;
use crate::bvh::primitive_index::AccelRef;
use crate::closest_point::{ClosestPoint, ClosestResult, NotMeasured, PointGoal};
use crate::hit::ObjectId;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object_tree::PlacedObject;
use crate::scene::tree_level::View;
use core::ops::ControlFlow;

impl<'a, V: Space> FilteredScene<'a, V> {
    /// Visits the objects whose boxes contain the point, and perhaps others.
    pub(crate) fn visit_around(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        mut part: impl FnMut(&'a PlacedObject<V>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let query = &Query::new().of_all_hits();
        let mut visit = |view: View<'a, V>| match view.index {
            AccelRef::Bvh(tree) if level.is_none() => {
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
        self.scene.levels.iter().try_for_each(|tree| {
            visit(tree.view(self.accept))?;
            let moved = tree.moved_view(self.accept).filter(|_| level.is_none());
            moved.map_or(ControlFlow::Continue(()), &mut visit)
        })
    }

    /// The closest point of all objects up to a distance; at equal distance, that of the object inserted first.
    pub(crate) fn closest_surface(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        mut limit: f64,
    ) -> ClosestResult<V> {
        let query = &Query::new().of_all_hits();
        let (mut best, mut unmeasured) = (None, None::<f64>);
        let mut visit = |view: View<'a, V>| {
            view.visit_by_distance(point, level, &mut limit, |slot, limit| {
                let _ = view.look(slot, query, |placed, _| {
                    match placed.object.instance.project_point(point, level, PointGoal::Within(*limit)) {
                        Ok(Some(found)) => {
                            *limit = found.distance.to_f64();
                            replace(&mut best, placed, found, |new, old| new < old);
                        }
                        Ok(None) => {}
                        Err(NotMeasured) => {
                            let least = least_distance(placed, point, level);
                            unmeasured = Some(unmeasured.map_or(least, |other| other.min(least)));
                        }
                    }
                    ControlFlow::Continue(())
                });
            });
        };
        for tree in &self.scene.levels {
            visit(tree.view(self.accept));
            tree.moved_view(self.accept).into_iter().for_each(&mut visit);
        }
        // Whether an object without a measure may be the closest does not depend on the order of the visits.
        if unmeasured.is_some_and(|least| least <= limit) {
            return Err(NotMeasured);
        }
        Ok(best.map(|(placed, found)| own_point(placed, found)))
    }

    /// The closest point of the solid in which the point is deepest; at equal depth, that of the object inserted first.
    pub(crate) fn deepest_surface(self, point: V, level: Option<&InstanceLevel<'_>>) -> ClosestResult<V> {
        let (mut best, mut is_measured) = (None, true);
        let _ = self.visit_around(point, level, |placed| {
            match placed.object.instance.project_point(point, level, PointGoal::Depth) {
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
    if level.is_some() {
        return 0.0;
    }
    let Aabb { min, max } = placed.object.instance.aabb();
    let (at, low, high) = (point.widen::<f64>(), min.widen::<f64>(), max.widen::<f64>());
    let (below, above) = (low - at, at - high);
    let outside = |axis: usize| below.get(axis).max(above.get(axis)).max(0.0);
    Vec3::new(outside(0), outside(1), outside(2)).length()
}
