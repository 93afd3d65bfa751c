//! Spans of a line inside a mesh, by parity.

use crate::hit::{Hit, Side, Span};
use crate::kernel::candidate::certain_order;
use crate::kernel::hit_builder::build_hit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::real::Real;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::triangle_set::TriangleSet;
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;

/// A triangle, and a line's crossing with it.
pub(crate) type TriangleCrossing<V> = (u32, TriangleHit<Working<V>>);

/// Callback for a span: its beginning, with the triangle where the line enters, if it does, and the span.
pub(crate) type OnSpan<'f, V> = dyn FnMut((Working<V>, Option<u32>), Span<V>) + 'f;

impl<V: Vector3> TriangleSet<'_, V> {
    /// Whether a crossing of the infinite line lies in a range of `t`; escalates where rounding might decide.
    fn lies(&self, line: &InstanceRay<'_, V>, (i, at): (u32, Working<V>), [from, to]: [Working<V>; 2]) -> bool {
        let order = |a: Working<V>, b: Working<V>| {
            let endless = [a, b].iter().any(|x| x.to_f64().is_infinite());
            if endless { a.compare(b) } else { certain_order(a, b) }
        };
        match (order(from, at), order(at, to)) {
            (Some(after), Some(before)) => after.is_le() && before.is_le(),
            _ => {
                let [from, to] = [from, to].map(|t| V::Scalar::from_f64(t.to_f64()));
                self.cross(i, line, &Query::new().range(from, to), EdgeRule::Once).is_some()
            }
        }
    }

    /// Spans of a ray, from the crossings of the `whole` line that parity counts.
    pub(crate) fn spans_along(
        &self,
        mut all: Vec<TriangleCrossing<V>>,
        (line, whole): (&InstanceRay<'_, V>, &InstanceRay<'_, V>),
        query: &Query<V::Scalar>,
        out: &mut OnSpan<'_, V>,
    ) {
        // At equal t, fronts precede backs, and then the first triangle.
        let comes_out = |at: &TriangleHit<Working<V>>| at.facing.gt(Working::<V>::ZERO);
        let same_t =
            |(i, a): &TriangleCrossing<V>, (j, b): &TriangleCrossing<V>| self.order(line, (*i, a.t), (*j, b.t));
        stable_sort_by(&mut all, |a, b| same_t(a, b).then(comes_out(&a.1).cmp(&comes_out(&b.1))));
        // Parity decides, whatever the orientation: an odd number of crossings at one `t` changes the side. An even number
        // is a touch, which from outside is a span of one point and from inside nothing.
        let mut open = None;
        for same in all.chunk_by(|a, b| same_t(a, b).is_eq()) {
            let (first, last) = (same[0], same[same.len() - 1]);
            match open {
                None if same.len() % 2 == 1 => open = Some(first),
                None => self.span((line, whole), query, [first, last], out),
                Some(enter) if same.len() % 2 == 1 => {
                    self.span((line, whole), query, [enter, last], out);
                    open = None;
                }
                Some(_) => {}
            }
        }
    }

    /// The part of a span in the range of the query, if there is one.
    fn span(
        &self,
        (line, whole): (&InstanceRay<'_, V>, &InstanceRay<'_, V>),
        query: &Query<V::Scalar>,
        [(first, enter), (last, leave)]: [TriangleCrossing<V>; 2],
        out: &mut OnSpan<'_, V>,
    ) {
        // The range includes numbers beyond the largest one of the precision.
        let (limits, ever) = (TRange::new(line, query), Working::<V>::from_f64(f64::INFINITY));
        let [start, end] = [limits.min.max(-limits.largest), limits.max.min(limits.largest)];
        if !self.lies(whole, (first, enter.t), [-ever, end]) || !self.lies(whole, (last, leave.t), [start, ever]) {
            return;
        }
        let exit = self.lies(whole, (last, leave.t), [start, end]).then(|| self.hit(line, last, &leave));
        let is_bounded = limits.min.to_f64() > f64::NEG_INFINITY;
        let (begin, enter) = if is_bounded && self.lies(whole, (first, enter.t), [-ever, limits.min]) {
            ((limits.min, None), Some(Self::start_hit(line, limits.min)))
        } else {
            let is_representable = self.lies(whole, (first, enter.t), [start, end]);
            ((enter.t, Some(first)), is_representable.then(|| self.hit(line, first, &enter)))
        };
        out(begin, Span { enter, exit });
    }

    /// Hit at the start of a range of `t` that begins inside the mesh. Like [`hit`](TriangleSet::hit), it leaves numbers
    /// beyond the range of `f64` to exact arithmetic.
    fn start_hit(line: &InstanceRay<'_, V>, t: Working<V>) -> Hit<V> {
        let hit = build_hit(line.world, t, None, Side::Back, None);
        if is_representable(&hit) {
            return hit;
        }
        with_precision(3, || build_hit(&line.again(), Exact::from_parts(t.parts()), None, Side::Back, None))
    }
}

/// Whether no coordinate of the hit overflowed, and the normal is not zero.
fn is_representable<V: Vector>(hit: &Hit<V>) -> bool {
    hit.point.all_finite() && hit.distance.is_finite() && !hit.normal.is_zero()
}
