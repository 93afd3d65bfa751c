//! Scenes, filtered scenes and instances as shapes: their queries are compiled in this crate.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::{Hit, ObjectId};
use crate::hit_rows::HitRows;
use crate::kernel::axis_plane::AxisPlane;
use crate::kernel::candidate::HitCandidate;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::Working;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OverlapGoal, Shape, SpanEnds};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::ray_columns::RayColumns;
use crate::scene::any::Space;
use crate::scene::compiled::{compiled_instance, compiled_scene};
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::instance::Instance;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::scene::Scene;
use crate::sweep_hit::{SweepResult, SweepResults};
use core::ops::ControlFlow;

/// Forwards queries to those that this crate compiled.
macro_rules! forward_compiled {
    ($self:ident, $accept:tt, $compiled:expr; $(fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)+) => {$(
        #[inline]
        fn $name(&$self, $($arg: $type),*) $(-> $out)? {
            $compiled.$name($(forwarded!($accept, $arg $arg)),*)
        }
    )+};
}

/// An argument as it is forwarded: a query as the objects and the members of groups get it, or as it is for `every` object.
macro_rules! forwarded {
    (every, $name:ident $arg:ident) => {
        $arg
    };
    ($accept:tt, query $query:ident) => {
        &$accept.query($query)
    };
    ($accept:tt, $name:ident $arg:ident) => {
        $arg
    };
}

/// Implements [`Shape`] by an expression for the compiled queries. Rays see what is accepted, at each level of groups.
macro_rules! compiled_shape {
    ($type:ty $(, $filter:ident)?; $self:ident, accept: $accept:tt, queries: $compiled:expr) => {
        impl<V: Space $(, $filter: ObjectFilter<V>)?> Shape<V> for $type {
            forward_compiled! { $self, $accept, $compiled;
                fn name() -> &'static str;
                fn aabb() -> Aabb<V>;
                fn nesting() -> u32;
                fn encloses_points() -> bool;
                fn contains_point(point: V, level: Option<&InstanceLevel<'_>>) -> bool;
                fn project_point(point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V>;
                fn sweep(ray: &InstanceRay<'_, V>, swept: SweptVolume<'_, V>, query: &Query<V::Scalar>, limit: f64) -> SweepResult<V>;
                fn sweep_each(ray: &InstanceRay<'_, V>, swept: SweptVolume<'_, V>, query: &Query<V::Scalar>) -> SweepResults<V>;
                fn project_primitives(point: V, level: Option<&InstanceLevel<'_>>, limit: f64, out: &mut OnPrimitive<'_, V>);
                fn insertion_order(object: ObjectId) -> u64;
                fn visit_overlaps(
                    volume: &Volume<V>, level: Option<&InstanceLevel<'_>>, goal: OverlapGoal,
                    found: &mut dyn FnMut(Overlap) -> ControlFlow<()>
                ) -> ControlFlow<()>;
                fn cast_closest(ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>>;
                fn cast_any(ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool;
                fn cast_closest_each(rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]);
                fn cast_rows(rays: (&RayColumns<'_, V>, usize), query: &Query<V::Scalar>, out: &mut HitRows<'_, V>) -> bool;
                fn cast_any_each(rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]);
                fn candidate(
                    line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, limit: f64, hit: &mut Option<Hit<V>>
                ) -> Option<HitCandidate<Working<V>>>;
                fn finish(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, at: &HitCandidate<Working<V>>) -> Option<Hit<V>>;
                fn closest_hit(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>>;
                fn any_hit(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool;
                fn all_hits(
                    line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, most: usize, out: &mut dyn FnMut(Working<V>, Hit<V>)
                );
                fn exact_first(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, at: &HitCandidate<Working<V>>) -> Option<Exact>;
                fn exact_all_t(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact));
                fn count(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize;
                fn all_spans(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>);
                fn plane_of_face(face: u32, is_exit: bool, direction: [f64; 3]) -> Option<AxisPlane>;
                fn span_ends(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> SpanEnds;
                fn exact_spans(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2]));
                fn explain_ray(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation);
            }
        }
    };
}
compiled_shape!(Scene<V>; self, accept: every, queries: compiled_scene(&self.view()));
compiled_shape!(FilteredScene<'_, V, F>, F; self, accept: (self.view().accept), queries: compiled_scene(&self.view()));
compiled_shape!(Instance<V>; self, accept: every, queries: compiled_instance(&self.0));
