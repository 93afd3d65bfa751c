//! The list of all kernels: compiles the `f64` code of each shape once, in this crate.

use crate::adaptive::fallback::ExactKernel;
use crate::hit::Hit;
use crate::kernel::kernel::Kernel;
use crate::math::working_ray::InputRay;
use crate::query::Query;
use crate::shapes::capsule::Capsule;
use crate::shapes::cone::Cone;
use crate::shapes::cuboid::Cuboid;
use crate::shapes::cylinder::Cylinder;
use crate::shapes::disk::Disk;
use crate::shapes::ellipsoid::Ellipsoid;
use crate::shapes::frustum::Frustum;
use crate::shapes::half_space::HalfSpace;
use crate::shapes::oriented_box::OrientedBox;
use crate::shapes::plane::Plane;
use crate::shapes::polygon::{ConvexPolygon, Triangle2};
use crate::shapes::quad::Quad;
use crate::shapes::segment::SegmentShape;
use crate::shapes::sphere::Sphere;
use crate::shapes::tapered_capsule::TaperedCapsule;
use crate::shapes::triangle::Triangle;
use crate::simd::dispatch::dispatch_fma_ray;
use crate::simd::task::RayNumbers;
use core::any::{Any, TypeId};
use glam::{DVec2, DVec3};

/// Compiles the closest hit of every `f64` shape once, in this crate, and finds it by the type of the shape, which the compiler knows
/// at the call.
macro_rules! compiled_kernels {
    ($($name:ident: $kernel:ty),+ $(,)?) => {
        mod closest {
            use super::*;
            $(
                /// The numbers of a ray one by one, so that they travel in registers.
                #[inline(never)]
                #[allow(clippy::too_many_arguments, reason = "a struct would travel through memory")]
                pub(super) fn $name(
                    shape: &$kernel,
                    out: &mut Option<Hit<<$kernel as Kernel>::Vector>>,
                    flags: u32,
                    ox: f64,
                    oy: f64,
                    oz: f64,
                    dx: f64,
                    dy: f64,
                    dz: f64,
                    t_min: f64,
                    t_max: f64,
                ) {
                    let numbers = RayNumbers { origin: [ox, oy, oz], target: [dx, dy, dz], range: [t_min, t_max], flags };
                    dispatch_fma_ray(shape, numbers, out);
                }
            )+
        }

        /// Closest hit of an `f64` shape. `out` must be `None` before the call: a result by value would be copied.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn closest_hit_f64<K: Kernel>(
            shape: &K,
            raw: &InputRay,
            query: &Query<f64>,
            out: &mut Option<Hit<K::Vector>>,
        ) {
            let (any, any_out): (&dyn Any, &mut dyn Any) = (shape, out);
            $(if TypeId::of::<K>() == TypeId::of::<$kernel>()
                && let (Some(shape), Some(out)) = (any.downcast_ref::<$kernel>(), any_out.downcast_mut())
            {
                let RayNumbers { origin: [ox, oy, oz], target: [dx, dy, dz], range: [t_min, t_max], flags } =
                    RayNumbers::new(raw, query);
                return closest::$name(shape, out, flags, ox, oy, oz, dx, dy, dz, t_min, t_max);
            })+
            unreachable!("every kernel is named below")
        }
    };
}

/// Compiles the slow path of every shape once, in this crate: that of [`Kernel::Slow`].
macro_rules! slow_paths {
    ($($name:ident: $kernel:ty),+ $(,)?) => {
        mod erased {
            use super::*;
            $(#[inline(never)]
            pub(super) fn $name(shape: &$kernel) -> &dyn ExactKernel {
                shape
            })+
        }

        /// Slow path of an `f64` shape.
        #[inline(always)]
        fn exact_kernel<K: Kernel>(shape: &K) -> &dyn ExactKernel {
            let any: &dyn Any = shape;
            $(if TypeId::of::<K>() == TypeId::of::<$kernel>() && let Some(shape) = any.downcast_ref::<$kernel>() {
                return erased::$name(shape);
            })+
            unreachable!("every kernel is named below")
        }
    };
}

/// Names every kernel once: those with a slow path of their own, then those that use that of another.
macro_rules! every_kernel {
    ($($name:ident: $kernel:ty),+; $($other:ident: $like:ty),+ $(,)?) => {
        slow_paths!($($name: $kernel),+);
        compiled_kernels!($($name: $kernel,)+ $($other: $like),+);
    };
}

every_kernel!(
    triangle: Triangle<DVec3>,
    quad: Quad<DVec3>,
    sphere: Sphere<DVec3>,
    cuboid: Cuboid<DVec3>,
    capsule: Capsule<DVec3>,
    tapered_capsule: TaperedCapsule<DVec3>,
    cylinder: Cylinder<DVec3>,
    frustum: Frustum<DVec3>,
    oriented_box: OrientedBox<DVec3>,
    ellipsoid: Ellipsoid<DVec3>,
    disk: Disk<DVec3>,
    plane: Plane<DVec3>,
    half_space: HalfSpace<DVec3>,
    segment: SegmentShape<DVec2>,
    rectangle: Cuboid<DVec2>,
    triangle_2d: Triangle2<DVec2>,
    polygon: ConvexPolygon<DVec2>,
    oriented_rectangle: OrientedBox<DVec2>;
    circle: Sphere<DVec2>,
    stadium: Capsule<DVec2>,
    tapered_stadium: TaperedCapsule<DVec2>,
    line: Plane<DVec2>,
    half_plane: HalfSpace<DVec2>,
    ellipse: Ellipsoid<DVec2>,
    cone: Cone<DVec3>,
);

/// Runs a query on the slow path of a shape, converted to [`Kernel::Slow`] if it is of another type.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn with_fallback<K: Kernel, R>(shape: &K, query: impl FnOnce(&dyn ExactKernel) -> R) -> R {
    if TypeId::of::<K>() == TypeId::of::<K::Slow>() {
        query(exact_kernel(shape))
    } else {
        query(exact_kernel(&shape.slow()))
    }
}
