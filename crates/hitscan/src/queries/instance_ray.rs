//! `InstanceRay`: the ray of a query, with the instance stack above the shape.

use crate::hit::{Hit, Side};
use crate::kernel::hit_builder::build_hit;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use core::ops::Deref;

/// Ray of the world, with the instance stack between the world and a shape. A reference to it is one to the ray of the
/// world, too.
// By reference: each level of a stack has an `InstanceRay` of its own, and a copy of the numbers would wait for their stores.
pub struct InstanceRay<'a, V: Vector> {
    pub(crate) world: &'a WorkingRay<Working<V>>,
    /// Innermost level of the stack; `None` for a shape in the world itself.
    pub(crate) level: Option<&'a InstanceLevel<'a>>,
}

impl<V: Vector> Clone for InstanceRay<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for InstanceRay<'_, V> {}

impl<'a, V: Vector> InstanceRay<'a, V> {
    /// The ray without a stack.
    #[inline(always)]
    pub(crate) fn new(world: &'a WorkingRay<Working<V>>) -> Self {
        Self { world, level: None }
    }

    /// Hit at the start of a range of `t` that begins inside a solid. Numbers beyond the range of `f64` come from exact arithmetic.
    pub(crate) fn start_hit(&self, t: Working<V>) -> Hit<V> {
        let hit: Hit<V> = build_hit(self.world, t, None, Side::Back, None);
        if hit.point.all_finite() && hit.distance.is_finite() && !hit.normal.is_zero() {
            return hit;
        }
        with_precision(3, || build_hit(&self.again(), Exact::from_parts(t.parts()), None, Side::Back, None))
    }
}

impl<V: Vector> Deref for InstanceRay<'_, V> {
    type Target = WorkingRay<Working<V>>;
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        self.world
    }
}
