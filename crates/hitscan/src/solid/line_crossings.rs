//! `LineCrossings`: where a line enters and leaves the leaves of a solid, in exact order.

use crate::hit::{Hit, Span};
use crate::kernel::candidate::{COMPARISON_PRECISION, certain_order};
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::vector::{Vector, Working};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{Shape, SpanEnds, SurfaceCrossing};
use crate::query::Query;
use crate::solid::solid::SolidLeaf;
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;
use smallvec::SmallVec;

/// Which end of which span of a leaf a crossing is. Equal leaves have the spans of the first of them, and so equal places at equal `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The first leaf that is equal to the one crossed.
    pub(crate) leaf: u32,
    pub(crate) span: u32,
    pub(crate) is_exit: bool,
}

/// A crossing of a line and a leaf.
#[derive(Clone, Copy)]
pub(crate) struct LeafCrossing<V: Vector> {
    pub(crate) leaf: u32,
    pub(crate) t: Working<V>,
    /// The number of the hit at the crossing; `NO_HIT` if that is not computed.
    hit: u32,
    /// The face that is crossed, where no hit is computed.
    face: u32,
    pub(crate) place: Place,
    /// The leaf that is crossed, if this one is a solid and its leaf is known.
    surface: Option<SurfaceCrossing>,
}

const NO_HIT: u32 = u32::MAX;

/// How much of a crossing is computed before the crossings are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Computed {
    /// `t` by the filter, where that is certain.
    Ends,
    /// `t` with all its digits, and the hit.
    Hits,
}

impl<V: Vector> LeafCrossing<V> {
    pub(crate) fn is_exit(&self) -> bool {
        self.place.is_exit
    }
    /// The crossing of the leaf itself, or of the leaf of it that is crossed.
    fn surface(&self) -> (Option<u32>, u32, bool) {
        let Place { span, is_exit, .. } = self.place;
        self.surface.map_or((None, span, is_exit), |at| (Some(at.leaf), at.span, at.is_exit))
    }
}

/// The spans of a leaf that other leaves are equal to, as a part of all crossings.
struct Crossed {
    leaf: u32,
    crossings: Range<usize>,
    begins_inside: bool,
}

/// Shapes that enclose points, by number: the leaves of a solid, or the objects of a scene.
pub(crate) trait Leaves<V: Vector> {
    fn shape(&self, leaf: u32) -> &dyn Shape<V>;
    /// The first leaf that is certainly the same set of points: perhaps this one.
    fn first_equal(&self, leaf: u32) -> u32;
    /// Whether two leaves, or the leaves of solids by their numbers, are certainly the same set of points.
    fn are_equal(&self, _of: [(u32, Option<u32>); 2]) -> bool {
        false
    }
}

impl<V: Vector> Leaves<V> for Vec<SolidLeaf<V>> {
    fn shape(&self, leaf: u32) -> &dyn Shape<V> {
        &*self[leaf as usize].shape
    }
    fn first_equal(&self, leaf: u32) -> u32 {
        self[leaf as usize].first_equal
    }
}

/// The crossings of a whole line and the leaves of a solid, or the objects of a scene.
pub(crate) struct LineCrossings<'a, V: Vector> {
    leaves: &'a dyn Leaves<V>,
    line: &'a InstanceRay<'a, V>,
    query: &'a Query<V::Scalar>,
    hits: Vec<Hit<V>>,
    /// In the order of their exact `t`.
    pub(crate) crossings: SmallVec<[LeafCrossing<V>; 8]>,
    /// The places at which a group of crossings with one exact `t` begins.
    starts: SmallVec<[usize; 8]>,
    /// Leaves in which the line begins.
    pub(crate) inside: SmallVec<[u32; 4]>,
}

impl<'a, V: Vector> LineCrossings<'a, V> {
    /// The crossings of a line without limits of `t`. `crossed` are the leaves that it may cross, in ascending order; an equal leaf is
    /// not without its first one.
    pub(crate) fn new(
        leaves: &'a dyn Leaves<V>,
        crossed: &[u32],
        line: &'a InstanceRay<'a, V>,
        query: &'a Query<V::Scalar>,
    ) -> Self {
        // The filter gives the order of most lines. A hit takes three times as long, and few of them are wanted.
        let mut all = Self::unsorted(leaves, crossed, line, query, Computed::Ends);
        if !all.sort_ends() {
            all = Self::unsorted(leaves, crossed, line, query, Computed::Hits);
            all.sort();
            all.sort_runs();
        }
        all
    }

    fn unsorted(
        leaves: &'a dyn Leaves<V>,
        crossed: &[u32],
        line: &'a InstanceRay<'a, V>,
        query: &'a Query<V::Scalar>,
        computed: Computed,
    ) -> Self {
        let (crossings, starts, inside) = (SmallVec::new(), SmallVec::new(), SmallVec::new());
        let mut all = Self { leaves, line, query, hits: Vec::new(), crossings, starts, inside };
        let mut done: SmallVec<[Crossed; 8]> = SmallVec::new();
        for &leaf in crossed {
            let first = leaves.first_equal(leaf);
            if first == leaf {
                let start = all.crossings.len();
                let begins_inside = all.cross(leaf, computed);
                done.push(Crossed { leaf, crossings: start..all.crossings.len(), begins_inside });
            } else if let Ok(found) = done.binary_search_by_key(&first, |crossed| crossed.leaf) {
                let Crossed { crossings, begins_inside, .. } = &done[found];
                for at in crossings.clone() {
                    let copy = LeafCrossing { leaf, ..all.crossings[at] };
                    all.crossings.push(copy);
                }
                all.inside.extend(begins_inside.then_some(leaf));
            }
        }
        all
    }

    /// Adds the crossings of a leaf. Whether the line begins in it.
    fn cross(&mut self, leaf: u32, computed: Computed) -> bool {
        let Self { leaves, line, query, hits, crossings, inside, .. } = self;
        let shape = leaves.shape(leaf);
        let mut add = |t: Working<V>, (hit, face): (u32, u32), (span, is_exit): (u32, bool), surface| {
            crossings.push(LeafCrossing { leaf, t, hit, face, place: Place { leaf, span, is_exit }, surface });
        };
        let mut begins_inside = false;
        let ends = if computed == Computed::Ends { shape.span_ends(line, query) } else { SpanEnds::Open };
        match ends {
            SpanEnds::Empty => {}
            SpanEnds::Known([enter, exit], faces) => {
                begins_inside = enter == f64::NEG_INFINITY;
                if !begins_inside {
                    add(Working::<V>::from_f64(enter), (NO_HIT, faces[0]), (0, false), None);
                }
                if exit < f64::INFINITY {
                    add(Working::<V>::from_f64(exit), (NO_HIT, faces[1]), (0, true), None);
                }
            }
            SpanEnds::Open => {
                let mut number = 0;
                shape.spans_with_surfaces(line, query, &mut |ends, Span { enter, exit }, surfaces| {
                    begins_inside |= enter.is_none();
                    for (end, hit) in [enter, exit].into_iter().enumerate() {
                        if let Some(hit) = hit {
                            add(ends[end], (hits.len() as u32, 0), (number, end == 1), surfaces[end]);
                            hits.push(hit);
                        }
                    }
                    number += 1;
                });
            }
        }
        if begins_inside {
            inside.push(leaf);
        }
        begins_inside
    }

    /// Hit and unrounded `t` of a crossing.
    pub(crate) fn hit(&self, crossing: usize) -> Option<(Working<V>, Hit<V>)> {
        let LeafCrossing { leaf, t, hit, place, .. } = self.crossings[crossing];
        if hit != NO_HIT {
            return Some((t, self.hits[hit as usize]));
        }
        // The first hit of the whole line is the entry, in a fraction of the time of the span.
        let (shape, mut found) = (self.leaves.shape(leaf), None);
        if !place.is_exit {
            let mut hit = None;
            let candidate = shape.candidate(self.line, self.query, f64::INFINITY, &mut hit)?;
            return Some((candidate.t, hit.or_else(|| shape.finish(self.line, self.query, &candidate))?));
        }
        shape.all_spans(self.line, self.query, &mut |ends, span| found = span.exit.map(|exit| (ends[1], exit)));
        found
    }

    /// Sorts the crossings by `t`, and finds those with one `t`. Whether the order is certain.
    fn sort_ends(&mut self) -> bool {
        self.sort();
        let starts = (0..self.crossings.len()).map(|at| {
            let order = if at == 0 { Some(Ordering::Less) } else { self.order_of_ends([at - 1, at]) };
            order.map(|order| (at, order))
        });
        let mut found = SmallVec::new();
        for start in starts {
            match start {
                Some((at, Ordering::Less)) => found.push(at),
                Some((_, Ordering::Equal)) => {}
                // Rounding has reversed the two, or their order is not known.
                Some((_, Ordering::Greater)) | None => return false,
            }
        }
        self.starts = found;
        true
    }

    fn sort(&mut self) {
        let by_t = |a: &LeafCrossing<V>, b: &LeafCrossing<V>| a.t.compare(b.t).unwrap_or(Ordering::Equal);
        stable_sort_by(&mut self.crossings, by_t);
    }

    /// The order of two crossings from the filter, if that is certain.
    fn order_of_ends(&self, pair: [usize; 2]) -> Option<Ordering> {
        let [a, b] = pair.map(|number| &self.crossings[number]);
        // Equal leaves tie without arithmetic.
        if a.place == b.place {
            return Some(Ordering::Equal);
        }
        let certain = certain_order(a.t.to_f64(), b.t.to_f64());
        certain.or_else(|| self.are_one(a, b).then_some(Ordering::Equal)).or_else(|| self.order_of_planes([a, b]))
    }

    /// Whether two crossings are certainly one: of equal leaves, or of solids that have equal leaves.
    fn are_one(&self, a: &LeafCrossing<V>, b: &LeafCrossing<V>) -> bool {
        let [(of_a, span, is_exit), (of_b, other, is_other_exit)] = [a.surface(), b.surface()];
        let is_same_end = (span, is_exit) == (other, is_other_exit);
        a.place == b.place || is_same_end && self.leaves.are_equal([(a.leaf, of_a), (b.leaf, of_b)])
    }

    /// The exact order of two crossings with planes across one coordinate axis: faces of different boxes are often in one plane.
    #[cold]
    fn order_of_planes(&self, pair: [&LeafCrossing<V>; 2]) -> Option<Ordering> {
        // The faces of an instance lie across its own axes.
        if self.line.level.is_some() {
            return None;
        }
        let direction = self.line.direction;
        let direction = [direction.x, direction.y, direction.z].map(Arithmetic::to_f64);
        let plane = |at: &LeafCrossing<V>| {
            let is_of_filter = at.hit == NO_HIT;
            let shape = self.leaves.shape(at.leaf);
            is_of_filter.then(|| shape.plane_of_face(at.face, at.is_exit(), direction)).flatten()
        };
        plane(pair[0])?.order(&plane(pair[1])?, direction)
    }

    /// Sorts runs of crossings whose order is not certain by exact numbers.
    fn sort_runs(&mut self) {
        // A gap that is certain separates the crossings before it from those behind.
        let mut start = 0;
        while start < self.crossings.len() {
            self.starts.push(start);
            let is_close = |pair: &&[LeafCrossing<V>]| certain_order(pair[0].t, pair[1].t).is_none();
            let end = start + 1 + self.crossings[start..].windows(2).take_while(is_close).count();
            // Equal leaves tie without arithmetic.
            let first = &self.crossings[start];
            if self.crossings[start..end].iter().any(|crossing| !self.are_one(crossing, first)) {
                self.sort_exactly(start..end);
            }
            start = end;
        }
    }

    /// Sorts a run of crossings by exact numbers, and adds the beginnings of groups behind its first one.
    #[cold]
    fn sort_exactly(&mut self, run: Range<usize>) {
        // Runs again with more digits if those do not suffice.
        let order = with_precision(COMPARISON_PRECISION, || {
            let exact = self.exact_t(self.crossings[run.clone()].iter());
            let mut keyed: Vec<(Exact, usize)> = exact.into_iter().zip(run.clone()).collect();
            stable_sort_by(&mut keyed, |(s, _), (t, _): &(Exact, usize)| s.order_or_equal(*t));
            let mut previous = None;
            let groups = keyed.into_iter().map(|(t, from)| {
                let is_new = previous.is_some_and(|previous: Exact| previous.order_or_equal(t) != Ordering::Equal);
                previous = Some(t);
                (from, is_new)
            });
            groups.collect::<Vec<_>>()
        });
        let sorted: Vec<LeafCrossing<V>> = order.iter().map(|(from, _)| self.crossings[*from]).collect();
        self.starts.extend(order.iter().zip(run.clone()).filter(|((_, is_new), _)| *is_new).map(|(_, place)| place));
        self.crossings[run].copy_from_slice(&sorted);
    }

    /// Exact `t` of crossings.
    pub(crate) fn exact_t<'c>(&self, crossings: impl Iterator<Item = &'c LeafCrossing<V>>) -> Vec<Exact>
    where
        V: 'c,
    {
        // Each leaf computes its spans once.
        let mut known: Vec<(u32, Vec<[Exact; 2]>)> = Vec::new();
        let each = crossings.map(|LeafCrossing { place: Place { leaf, span, is_exit }, t, .. }| {
            let at = known.iter().position(|(known, _)| known == leaf).unwrap_or_else(|| {
                let mut ends = Vec::new();
                self.leaves.shape(*leaf).exact_spans(self.line, self.query, &mut |span| ends.push(span));
                known.push((*leaf, ends));
                known.len() - 1
            });
            // A shape of a user may answer otherwise the second time: then the rounded number stays.
            let ends = known[at].1.get(*span as usize);
            ends.map_or_else(|| Exact::from_parts(t.parts()), |ends| ends[usize::from(*is_exit)])
        });
        each.collect()
    }

    /// A group of crossings with one exact `t`, as a range of places.
    pub(crate) fn group(&self, number: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(number)?;
        Some(start..self.starts.get(number + 1).copied().unwrap_or(self.crossings.len()))
    }
}
