//! Spans of a line inside a mesh, by parity.

use crate::hit::Span;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vector::{Vector3, Working};
use crate::mesh::crossing_lists::CrossingSearch;
use crate::mesh::crossing_visitor::TriangleCrossing;
use crate::mesh::triangle_set::TriangleSet;
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::EdgeRule;

/// The receiver of spans: the ends of a span, and the span.
pub(crate) type OnMeshSpan<'f, V> = dyn FnMut([MeshSpanEnd<V>; 2], Span<V>) + 'f;

/// An end of a span: its `t`, and the triangle that the line crosses there, if it does.
pub(crate) type MeshSpanEnd<V> = (Working<V>, Option<u32>);

/// Where a span begins: before the first crossing of the search, or at a crossing.
#[derive(Clone, Copy)]
enum SpanStart {
    Before,
    At(TriangleCrossing),
}

/// Spans of a ray inside a mesh, cut to the range of a query.
pub(crate) struct SpanSearch<'a, V: Vector3> {
    pub(crate) mesh: TriangleSet<'a, V>,
    pub(crate) line: &'a InstanceRay<'a, V>,
    /// The same ray without limits of `t`, and a query without them.
    pub(crate) whole: CrossingSearch<'a, V>,
    pub(crate) query: &'a Query<V::Scalar>,
}

impl<V: Vector3> SpanSearch<'_, V> {
    /// Calls `out` with the spans in their order, from the crossings that parity counts, in ascending order: those of the whole
    /// line, or without all that lie before a `t` that is not behind the start of the range.
    pub(crate) fn each(&self, all: &[TriangleCrossing], out: &mut OnMeshSpan<'_, V>) {
        let same_t = |a: &TriangleCrossing, b: &TriangleCrossing| self.mesh.order(self.whole.line, a, b);
        // A line crosses a closed mesh an even number of times: if an odd number is left, it is inside where they begin.
        let mut open = (all.len() % 2 == 1).then_some(SpanStart::Before);
        // Parity decides, whatever the orientation: an odd number of crossings at one `t` changes the side. An even number
        // is a touch, which from outside is a span of one point and from inside nothing.
        for same in all.chunk_by(|a, b| same_t(a, b).is_eq()) {
            let [first, last] = self.ends_of_touch(same);
            match open {
                None if same.len() % 2 == 1 => open = Some(SpanStart::At(first)),
                None => self.span(SpanStart::At(first), last, out),
                Some(start) if same.len() % 2 == 1 => {
                    self.span(start, last, out);
                    open = None;
                }
                Some(_) => {}
            }
        }
    }

    /// The first and the last of crossings at one `t`: fronts precede backs, and then the first triangle.
    fn ends_of_touch(&self, same: &[TriangleCrossing]) -> [TriangleCrossing; 2] {
        let (first, last) = (same[0], same[same.len() - 1]);
        if same.len() == 1 {
            return [first, last];
        }
        let comes_out = |at: &&TriangleCrossing| self.mesh.comes_out(&self.whole, at.triangle);
        [*same.iter().find(|at| !comes_out(at)).unwrap_or(&first), *same.iter().rfind(comes_out).unwrap_or(&last)]
    }

    /// Whether a crossing of the infinite line lies in a range of `t`; escalates where rounding might decide.
    fn lies(&self, at: &TriangleCrossing, [from, to]: [Working<V>; 2]) -> bool {
        let [least, most] = [from, to].map(Working::<V>::to_f64);
        if least < at.low && at.high < most {
            return true;
        }
        if at.high < least || most < at.low {
            return false;
        }
        let [from, to] = [least, most].map(V::Scalar::from_f64);
        self.mesh.cross(at.triangle, self.whole.line, &Query::new().range(from, to), EdgeRule::Once).is_some()
    }

    /// The part of a span in the range of the query, if there is one.
    fn span(&self, enter: SpanStart, leave: TriangleCrossing, out: &mut OnMeshSpan<'_, V>) {
        // The range includes numbers beyond the largest one of the precision.
        let (limits, ever) = (TRange::new(self.line, self.query), Working::<V>::from_f64(f64::INFINITY));
        let [start, end] = [limits.min.max(-limits.largest), limits.max.min(limits.largest)];
        let begins_late = |at: &TriangleCrossing| !self.lies(at, [-ever, end]);
        if matches!(&enter, SpanStart::At(first) if begins_late(first)) || !self.lies(&leave, [start, ever]) {
            return;
        }
        let hit = |at: &TriangleCrossing| self.mesh.hit_of_crossing(self.line, &self.whole, at);
        let exit = self.lies(&leave, [start, end]).then(|| hit(&leave)).flatten();
        // A span that begins before the range is cut by it.
        let is_bounded = limits.min.to_f64() > f64::NEG_INFINITY;
        let (begin, enter) = match enter {
            SpanStart::At(first) if !(is_bounded && self.lies(&first, [-ever, limits.min])) => {
                let Some((t, hit)) = hit(&first) else { return };
                let is_representable = self.lies(&first, [start, end]);
                ((t, Some(first.triangle)), is_representable.then_some(hit))
            }
            _ => ((limits.min, None), Some(self.line.start_hit(limits.min))),
        };
        let end = exit.as_ref().map_or((ever, None), |(t, _)| (*t, Some(leave.triangle)));
        out([begin, end], Span { enter, exit: exit.map(|(_, hit)| hit) });
    }
}
