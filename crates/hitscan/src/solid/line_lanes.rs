//! The lanes of a line through a solid, for an explanation.

use crate::explain::{Lane, Lanes, SpanPlaces};
use crate::math::arithmetic::Arithmetic;
use crate::math::vector::Vector;
use crate::solid::line_crossings::LineCrossings;
use crate::solid::merged_spans::{MergedSpan, MergedSpans, SpanEnd};
use crate::stable_sort::stable_sort_by_key;
use alloc::vec::Vec;

/// A span of a leaf, by both numbers, and the places of its ends.
type EndsOfSpan = ((u32, u32), SpanPlaces);

/// The spans of a line in each leaf and in the solid. `kind` is the kind of a leaf.
pub(crate) fn line_lanes<V: Vector>(
    all: &LineCrossings<'_, V>,
    spans: MergedSpans<'_, V>,
    kind: impl Fn(u32) -> &'static str,
) -> Lanes {
    // Each group of crossings with one exact `t` is a place.
    let groups: Vec<_> = (0..).map_while(|number| all.group(number)).collect();
    let places = groups.iter().map(|group| all.crossings[group.start].t.to_f64()).collect();
    let place = |crossing: usize| groups.partition_point(|group| group.end <= crossing);
    // The ends of each span of each leaf; a line that begins inside has no first end.
    let mut ends: Vec<EndsOfSpan> = all.inside.iter().map(|&leaf| ((leaf, 0), [None; 2])).collect();
    for (number, crossing) in all.crossings.iter().enumerate() {
        let key = (crossing.leaf, crossing.place.span);
        let at = ends.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            ends.push((key, [None; 2]));
            ends.len() - 1
        });
        ends[at].1[usize::from(crossing.is_exit())] = Some(place(number));
    }
    stable_sort_by_key(&mut ends, |(key, _)| *key);
    let of_leaf = |ends: &[EndsOfSpan]| {
        let leaf = ends[0].0.0;
        Lane { leaf, kind: kind(leaf), spans: ends.iter().map(|(_, span)| *span).collect() }
    };
    let leaves = ends.chunk_by(|(a, _), (b, _)| a.0 == b.0).map(of_leaf).collect();
    let end = |end: Option<SpanEnd>| end.map(|end| place(end.crossing));
    let solid = spans.map(|MergedSpan { enter, exit }| [end(enter), end(exit)]).collect();
    Lanes { places, leaves, solid }
}
