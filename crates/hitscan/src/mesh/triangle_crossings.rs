//! Crossings of one ray with the triangles of a mesh: with one triangle, with all, their order, and the hit of one.

use crate::adaptive::instance::evaluate_instance;
use crate::bvh::primitive_index::Accel;
use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::candidate::certain_order;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::{Precision, Real};
use crate::math::vector::{Vector3, Working};
use crate::mesh::crossing_visitor::{CrossingVisitor, OnCrossing};
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{HitInDouble, ImageHitInDouble, TrianglePlanes, TriangleQuery, hit};
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::simd::dispatch::dispatch_fma;
use core::cmp::Ordering;
use core::ops::ControlFlow;

impl<V: Vector3> TriangleSet<'_, V> {
    /// Crossing with one triangle, within the range of `t` and on a face of the query.
    #[inline]
    pub(crate) fn cross(
        &self,
        triangle: u32,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        rule: EdgeRule,
    ) -> Option<TriangleHit<Working<V>>> {
        let crossing = TriangleQuery { corners: self.corners_of(triangle), query: query.double(), rule };
        crossing.answer_of(line).map(|at| at.convert())
    }

    /// Calls `found` for every crossing within the range of `t` up to the limit, which `found` may lower. The order is
    /// approximately front to back.
    #[inline(never)]
    pub(crate) fn visit(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        rule: EdgeRule,
        found: &mut OnCrossing<'_, V>,
    ) -> ControlFlow<()> {
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        let limits = TRange::new(line, query);
        let limit = limits.max.to_f64().min(limit);
        let mut found = CrossingVisitor { mesh: *self, line, query: query.double(), rule, limit, found };
        match (self.index, line.level) {
            (Accel::Bvh(tree), None) => tree.visit(&line.raw, limits.min.to_f64(), limit, &mut found),
            (Accel::Bvh(tree), Some(level)) => tree.visit_instance(level, limits.min.to_f64(), limit, &mut found),
            (Accel::LinearScan(scan), _) => scan.visit(&mut { limit }, |i, _| found.part(i, self.corners_of(i))),
        }
    }

    /// Order of two crossings along the ray; escalates to exact arithmetic where rounding might decide.
    #[inline(always)]
    pub(crate) fn order(
        &self,
        line: &InstanceRay<'_, V>,
        (i, s): (u32, Working<V>),
        (j, t): (u32, Working<V>),
    ) -> Ordering {
        certain_order(s, t).unwrap_or_else(|| self.order_exactly(line, i, j))
    }

    #[cold]
    #[inline(never)]
    fn order_exactly(&self, line: &InstanceRay<'_, V>, i: u32, j: u32) -> Ordering {
        let planes = TrianglePlanes([self.corners_of(i), self.corners_of(j)]);
        if planes.are_the_same() {
            return Ordering::Equal;
        }
        match line.level {
            None => planes.order(&line.raw, V::Scalar::PRECISION),
            Some(level) => evaluate_instance(&planes, level, Precision::Single, &mut Trace::default()),
        }
    }

    /// Builds the hit of a crossing. Where intermediate numbers exceed the range of `f64`, as for a very long segment,
    /// exact arithmetic computes the hit.
    pub(crate) fn hit(&self, line: &InstanceRay<'_, V>, triangle: u32, at: &TriangleHit<Working<V>>) -> Hit<V> {
        if line.level.is_some() {
            return self.image_hit(line, triangle).unwrap_or_else(|| hit(line.world, triangle, at));
        }
        if V::Scalar::PRECISION == Precision::Single {
            let crossing =
                TriangleQuery { corners: self.corners_of(triangle), query: Query::line(), rule: EdgeRule::Closed };
            return crossing.known_hit(&line.raw, triangle);
        }
        let refined = dispatch_fma(HitInDouble(&line.unlimited().raw, self.corners_of(triangle), triangle));
        refined.map_or_else(|| hit(line.world, triangle, at), Hit::convert)
    }

    /// Hit in `f64` of a triangle of an instance that the ray certainly crosses, by one Newton step. `None` if that is not certain to
    /// find it.
    pub(crate) fn image_hit(&self, line: &InstanceRay<'_, V>, triangle: u32) -> Option<Hit<V>> {
        if V::Scalar::PRECISION == Precision::Single {
            return None;
        }
        let (map, corners) = (line.level?.only_map()?, self.corners_of(triangle));
        dispatch_fma(ImageHitInDouble { raw: &line.world.raw, map, corners, triangle }).map(Hit::convert)
    }
}
