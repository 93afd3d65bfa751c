//! The queries of scenes and instances, compiled once for each vector type, in this crate. Rust compiles a generic function again in
//! each crate that calls it, and these queries are most of the code of a program that casts rays at scenes.

use crate::closest_point::{ClosestPoint, NotMeasured};
use crate::hit::ObjectId;
use crate::mesh::inside_rule::{Containment, InsideRule, SignedDistance};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::RayLike;
use crate::scene::any::{EachSpace, Space, SpaceFamily};
use crate::scene::object::LAYERS;
use crate::scene::scene_view::SceneView;
use crate::scene::track::Track;
use crate::scene::transformed_shape::TransformedShape;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::{DVec2, DVec3, Vec2, Vec3};

/// The queries of a scene: those of a shape, and those that only scenes have.
pub(crate) trait SceneQueries<V: Space>: Shape<V> {
    fn closest_objects(
        &self,
        point: V,
        max_distance: V::Scalar,
        count: usize,
    ) -> Result<Vec<ClosestPoint<V>>, NotMeasured>;
    fn contains_by(&self, point: V, rule: InsideRule) -> Containment;
    fn signed_distance_by(&self, point: V, rule: InsideRule) -> Option<SignedDistance<V::Scalar>>;
    fn object_lengths(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Vec<(ObjectId, V::Scalar)>;
    fn layer_lengths(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> [V::Scalar; LAYERS];
    fn track(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Track<V>;
    /// Visits the objects that the ray may hit: the id, and the shape under its transform.
    fn visit_shapes_along(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &mut dyn FnMut(ObjectId, &dyn Shape<V>),
    );
}

impl<V: Space> SceneQueries<V> for SceneView<'_, V> {
    fn closest_objects(
        &self,
        point: V,
        max_distance: V::Scalar,
        count: usize,
    ) -> Result<Vec<ClosestPoint<V>>, NotMeasured> {
        SceneView::closest_objects(*self, point, max_distance, count)
    }
    fn contains_by(&self, point: V, rule: InsideRule) -> Containment {
        SceneView::contains_by(*self, point, rule)
    }
    fn signed_distance_by(&self, point: V, rule: InsideRule) -> Option<SignedDistance<V::Scalar>> {
        SceneView::signed_distance_by(*self, point, rule)
    }
    fn object_lengths(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Vec<(ObjectId, V::Scalar)> {
        SceneView::object_lengths(*self, ray, query)
    }
    fn layer_lengths(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> [V::Scalar; LAYERS] {
        SceneView::layer_lengths(*self, ray, query)
    }
    fn track(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Track<V> {
        SceneView::track(*self, ray, query)
    }
    fn visit_shapes_along(
        &self,
        ray: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &mut dyn FnMut(ObjectId, &dyn Shape<V>),
    ) {
        let _ = self.visit(ray, query, &mut |placed, _, _| {
            found(placed.id, &placed.object.instance.0);
            ControlFlow::Continue(())
        });
    }
}

/// The queries of a scene as this crate compiled them.
#[inline(always)]
pub(crate) fn compiled_scene<'s, V: Space>(scene: &'s SceneView<'_, V>) -> &'s dyn SceneQueries<V> {
    use scenes::{dvec2, dvec3, vec2, vec3};
    V::choose::<OfScene>(EachSpace { vec2, dvec2, vec3, dvec3 })(scene)
}

/// The queries of an instance as this crate compiled them.
#[inline(always)]
pub(crate) fn compiled_instance<V: Space>(instance: &TransformedShape<V>) -> &dyn Shape<V> {
    use instances::{dvec2, dvec3, vec2, vec3};
    V::choose::<OfInstance>(EachSpace { vec2, dvec2, vec3, dvec3 })(instance)
}

struct OfScene;

impl SpaceFamily for OfScene {
    type Of<V: Space> = for<'s, 'a> fn(&'s SceneView<'a, V>) -> &'s dyn SceneQueries<V>;
}

struct OfInstance;

impl SpaceFamily for OfInstance {
    type Of<V: Space> = for<'i> fn(&'i TransformedShape<V>) -> &'i dyn Shape<V>;
}

/// Defines the functions that make trait objects. They have no type parameters: so this crate compiles the queries of the trait
/// objects. For WebAssembly the calling crate compiles them, and optimises them for size.
macro_rules! functions {
    ($($name:ident: $vector:ty),+) => {
        mod scenes {
            use super::*;
            $(
                #[cfg_attr(not(target_arch = "wasm32"), inline(never))]
                #[cfg_attr(target_arch = "wasm32", inline(always))]
                pub(super) fn $name<'s>(view: &'s SceneView<'_, $vector>) -> &'s dyn SceneQueries<$vector> {
                    view
                }
            )+
        }
        mod instances {
            use super::*;
            $(
                #[cfg_attr(not(target_arch = "wasm32"), inline(never))]
                #[cfg_attr(target_arch = "wasm32", inline(always))]
                pub(super) fn $name(instance: &TransformedShape<$vector>) -> &dyn Shape<$vector> {
                    instance
                }
            )+
        }
    };
}
functions!(vec2: Vec2, dvec2: DVec2, vec3: Vec3, dvec3: DVec3);
