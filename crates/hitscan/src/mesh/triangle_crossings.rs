//! Crossings of one ray with the triangles of a mesh: with one triangle, with all, their order, and the hit of one.

use crate::adaptive::instance::evaluate_instance;
use crate::bvh::bvh::Bvh16;
use crate::bvh::primitive_index::Accel;
use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::candidate::certain_order;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::{Precision, Real};
use crate::math::vector::{Vector3, Working};
use crate::math::working_ray::InputRay;
use crate::mesh::crossing_visitor::{CrossingVisitor, OnCrossing, TriangleCrossing};
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{HitInDouble, ImageHitInDouble, TrianglePlanes, TriangleQuery, hit};
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::simd::dispatch::dispatch_fma;
use core::cmp::Ordering;
use core::ops::ControlFlow;
use smallvec::SmallVec;

/// The ray backward from the same origin, without limits of `t`.
fn reversed(raw: &InputRay) -> InputRay {
    let (t_min, t_max) = (f64::NEG_INFINITY, f64::INFINITY);
    InputRay { target: raw.target.map(|x| -x), t_min, t_max, ..*raw }
}

impl<V: Vector3> CrossingVisitor<'_, '_, V> {
    /// Visits the leaves of the tree that a ray of the world may hit in a range of `t`.
    fn visit_tree(&mut self, tree: &Bvh16, ray: &InputRay, [t_min, limit]: [f64; 2]) -> ControlFlow<()> {
        match self.line.level {
            None => tree.visit(ray, t_min, limit, self),
            Some(level) if self.is_backward => {
                level.with_ray(ray, &mut |level| tree.visit_instance(level, t_min, limit, self))
            }
            Some(level) => tree.visit_instance(level, t_min, limit, self),
        }
    }
}

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
    /// approximately front to back. A triangle may come more than once.
    #[inline(never)]
    pub(crate) fn visit(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        rule: EdgeRule,
        found: &mut OnCrossing<'_>,
    ) -> ControlFlow<()> {
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        let limits = TRange::new(line, query);
        let range = [limits.min.to_f64(), limits.max.to_f64()];
        let (mesh, query, limit) = (*self, query.double(), range[1].min(limit));
        let (is_backward, tested) = (false, SmallVec::new());
        let mut visitor = CrossingVisitor { mesh, line, query, rule, range, limit, is_backward, tested, found };
        let tree = match self.index {
            Accel::Bvh(tree) => tree,
            Accel::LinearScan(scan) => return scan.visit(&mut { limit }, |i, _| visitor.part(i, None)),
        };
        // The `f32` traversal knows no negative `t`: the part of the line behind the origin is that of the reversed ray. The
        // difference of the ends of a segment has no exact reversal.
        let mut start = range[0];
        if start < 0.0 && !line.raw.is_segment {
            visitor.is_backward = true;
            visitor.visit_tree(tree, &reversed(&line.raw), [(-limit).max(0.0), -start])?;
            visitor.is_backward = false;
            start = 0.0;
        }
        let limit = visitor.limit;
        visitor.visit_tree(tree, &line.raw, [start, limit])
    }

    /// Order of two crossings along the ray; escalates to exact arithmetic where rounding might decide.
    #[inline(always)]
    pub(crate) fn order(&self, line: &InstanceRay<'_, V>, a: &TriangleCrossing, b: &TriangleCrossing) -> Ordering {
        if a.high < b.low {
            Ordering::Less
        } else if b.high < a.low {
            Ordering::Greater
        } else {
            self.order_closely(line, a, b)
        }
    }

    /// Order of two crossings whose bounds overlap.
    #[cold]
    #[inline(never)]
    fn order_closely(&self, line: &InstanceRay<'_, V>, a: &TriangleCrossing, b: &TriangleCrossing) -> Ordering {
        if a.triangle == b.triangle {
            return Ordering::Equal;
        }
        // The bounds of the filter are wider than those of a `t` in working arithmetic.
        if !(a.is_computed && b.is_computed) {
            let whole = Query::new().range(-V::Scalar::INFINITY, V::Scalar::INFINITY);
            let t = |at: &TriangleCrossing| Some(self.cross(at.triangle, line, &whole, EdgeRule::Closed)?.t);
            if let Some(order) = t(a).zip(t(b)).and_then(|(s, t)| certain_order(s, t)) {
                return order;
            }
        }
        self.order_exactly(line, a.triangle, b.triangle)
    }

    #[cold]
    #[inline(never)]
    fn order_exactly(&self, line: &InstanceRay<'_, V>, i: u32, j: u32) -> Ordering {
        let planes = TrianglePlanes([self.corners_of(i), self.corners_of(j)]);
        if planes.are_the_same() {
            return Ordering::Equal;
        }
        match line.level {
            None => planes.order(&line.raw),
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
