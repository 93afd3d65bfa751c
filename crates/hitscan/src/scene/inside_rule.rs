//! Containment and signed distances of scenes by a rule, for meshes with holes.

use crate::closest_point::{NotMeasured, PointGoal};
use crate::hit::ObjectId;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::mesh::inside_rule::{Containment, InsideRule, SignedDistance};
use crate::queries::point_query::{PointQuery, zero_on_surface};
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::compiled::compiled_scene;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use core::ops::ControlFlow;

/// Callback for a shape of a scene, with the instance stack above it.
type OnShape<'f, V> = dyn FnMut(&<V as Space>::Shape, Option<&InstanceLevel<'_>>) -> ControlFlow<()> + 'f;

/// The answer of a scene without shapes.
const OUTSIDE: Containment = Containment { is_inside: false, rule: InsideRule::Parity };

/// The answer that decides for both: inside before outside, of two insides the exact one, of two outsides that of a winding number.
fn first_to_decide(a: Containment, b: Containment) -> Containment {
    let rank = |it: Containment| match (it.is_inside, it.rule) {
        (true, InsideRule::WindingNumber) => 2,
        (true, _) => 3,
        (false, InsideRule::WindingNumber) => 1,
        (false, _) => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}

impl<V: Space> SceneView<'_, V> {
    /// Whether a point is inside of any solid, by a rule: see [`Scene::contains_by`].
    pub(crate) fn contains_by(self, point: V, rule: InsideRule) -> Containment {
        if rule == InsideRule::Parity || !point.all_finite() {
            return Containment { is_inside: self.contains(point), ..OUTSIDE };
        }
        let mut found = OUTSIDE;
        let _ = self.visit_shapes(point, None, &mut |shape, level| {
            found = first_to_decide(found, V::contains_by(shape, point, level, rule));
            let is_exact = found.is_inside && found.rule == InsideRule::Parity;
            if is_exact { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }

    /// The distance to the surface, negative inside by a rule: see [`Scene::signed_distance_by`].
    pub(crate) fn signed_distance_by(self, point: V, rule: InsideRule) -> Option<SignedDistance<V::Scalar>> {
        if rule == InsideRule::Parity {
            return Some(SignedDistance { distance: self.signed_distance(point)?, rule });
        }
        if !point.all_finite() {
            return None;
        }
        // The deepest of the solids around the point gives the depth; the rule that decides for the scene is named with
        // it.
        let (mut found, mut depth, mut result) = (OUTSIDE, V::Scalar::ZERO, Ok(()));
        let _ = self.visit_shapes(point, None, &mut |shape, level| {
            // Each shape answers by the rule. An exact inside counts before one by winding number.
            let one = V::contains_by(shape, point, level, rule);
            found = first_to_decide(found, one);
            // Inside a solid, the distance to its surface is a depth.
            if one.is_inside {
                match shape.project_point(point, level, PointGoal::Within(f64::INFINITY)) {
                    Ok(Some(found)) if found.distance > depth => depth = found.distance,
                    Ok(_) => {}
                    // A depth that cannot be measured may be the greatest: then there is no answer.
                    Err(NotMeasured) => {
                        result = Err(NotMeasured);
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        });
        result.ok()?;
        let distance = zero_on_surface(&self, point, if found.is_inside { depth } else { self.distance(point)? });
        // Not the negative: of zero that would be minus zero.
        let distance = if found.is_inside { V::Scalar::ZERO - distance } else { distance };
        Some(SignedDistance { distance, rule: found.rule })
    }

    /// Visits the shapes of all objects, and of their groups instead of these, with the instance stack above each, for a point.
    fn visit_shapes(self, point: V, level: Option<&InstanceLevel<'_>>, visit: &mut OnShape<'_, V>) -> ControlFlow<()> {
        let query = &Query::new().of_all_hits();
        // The boxes of the tree do not bound the inside of an open mesh, so all objects are visited.
        for tree in &self.scene.levels {
            let view = tree.view(self.accept);
            let seen = (0..).zip(view.placed).filter(|(slot, it)| it.id != ObjectId::NONE && view.sees(*slot, query));
            for (_, placed) in seen {
                let instance = &placed.object.instance.0;
                // A point goes down through the transform of each object; a group hands it to its own objects.
                instance.place_point(point, level, |level| match V::as_group(&instance.shape) {
                    Some(group) => group.scene::<Scene<V>>().map_or(ControlFlow::Continue(()), |scene| {
                        scene.view().seen_by(self.accept).visit_shapes(point, level, visit)
                    }),
                    None => visit(&instance.shape, level),
                })?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl<V: Space, F: ObjectFilter<V>> FilteredScene<'_, V, F> {
    /// Whether a point is inside of any solid, by a rule: see [`Scene::contains_by`].
    #[must_use]
    pub fn contains_by(&self, point: V, rule: InsideRule) -> Containment {
        compiled_scene(&self.view()).contains_by(point, rule)
    }

    /// The distance to the surface, negative inside by a rule: see [`Scene::signed_distance_by`].
    #[must_use]
    pub fn signed_distance_by(&self, point: V, rule: InsideRule) -> Option<SignedDistance<V::Scalar>> {
        compiled_scene(&self.view()).signed_distance_by(point, rule)
    }
}

impl<V: Space> Scene<V> {
    /// Whether a point is inside of any solid of the scene, by a rule for its meshes, and the rule that decided: parity if the
    /// inside of a shape or a closed mesh decided exactly. Other shapes than meshes have their exact inside under every rule. A
    /// point outside of everything names the winding number if that decided for any mesh.
    ///
    /// Under a transform, the winding number is that of the mesh in its own coordinates: so no rotation, mirror, scale or shear
    /// changes which points are inside. Filters and layers count as for [`contains`](Shape::contains), which has the answer of
    /// [`InsideRule::Parity`].
    ///
    /// By parity as fast as `contains`; otherwise O(objects), and for each mesh the time of
    /// [`TriangleMesh::contains_by`](crate::TriangleMesh::contains_by): a mesh with holes may have points inside that are beyond
    /// its bounding box.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, InsideRule, Object, Scene, Transform, TriangleMesh};
    /// // A tetrahedron without one of its faces.
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let open = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// let mut scene = Scene::new();
    /// scene.insert(Object::new(open).with_transform(Transform::from_translation(Vec3::X * 5.0)?))?;
    /// let point = Vec3::new(5.125, 0.125, 0.125);
    /// assert!(!scene.contains_by(point, InsideRule::Parity).is_inside);
    /// let found = scene.contains_by(point, InsideRule::ParityIfClosed);
    /// assert_eq!((found.is_inside, found.rule), (true, InsideRule::WindingNumber));
    /// let signed = scene.signed_distance_by(point, InsideRule::ParityIfClosed).ok_or("no distance")?;
    /// assert_eq!(signed.distance, -0.125);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains_by(&self, point: V, rule: InsideRule) -> Containment {
        compiled_scene(&self.view()).contains_by(point, rule)
    }

    /// The distance to the surface, negative inside by a rule, which the answer names as [`contains_by`](Self::contains_by)
    /// does. `None` for a point that is not finite, or where a shape that cannot be measured may be the one that counts.
    ///
    /// As for [`signed_distance`](PointQuery::signed_distance), it is the least of all objects: where solids overlap, a point
    /// may be deeper in their union.
    #[doc(alias = "sdf")]
    #[must_use]
    pub fn signed_distance_by(&self, point: V, rule: InsideRule) -> Option<SignedDistance<V::Scalar>> {
        compiled_scene(&self.view()).signed_distance_by(point, rule)
    }
}
