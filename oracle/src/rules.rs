//! Rules of queries: from the intersection of a line and a shape to exact hits. A second implementation of the rules in
//! ARCHITECTURE.md.

use crate::intersection::{Bound, Intersection};
use crate::surd::Surd;
pub use hitscan::{Faces, Inside};
use std::cmp::Ordering;

/// Query without type parameters, its range in `t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainQuery {
    /// Smallest `t`.
    pub t_min: f64,
    /// Largest `t`.
    pub t_max: f64,
    /// Rule for a start inside a solid.
    pub inside: Inside,
    /// Sides of a surface that count.
    pub faces: Faces,
}

impl Default for PlainQuery {
    fn default() -> Self {
        Self { t_min: 0.0, t_max: f64::INFINITY, inside: Inside::Solid, faces: Faces::Both }
    }
}

/// Exact closed range of `t`: the intersection of the ranges of the query, the line and the precision.
#[derive(Clone, Debug)]
pub struct Range {
    min: Option<Surd>,
    max: Option<Surd>,
    least: Surd,
    largest: Surd,
    is_empty: bool,
}

impl Range {
    /// Range on a line whose `t` is `s 2^scale`. `largest` is the largest finite number of the precision.
    pub fn new(query: &PlainQuery, is_segment: bool, largest: f64, scale: i32) -> Self {
        let mut is_empty =
            !(query.t_min <= query.t_max) || query.t_min == f64::INFINITY || query.t_max == -f64::INFINITY;
        let (mut min, mut max) = (query.t_min, query.t_max);
        if is_segment {
            (min, max) = (min.max(0.0), max.min(1.0));
            is_empty |= !(min <= max);
        }
        let number = |t: f64| t.is_finite().then(|| Surd::from_f64(t, scale));
        Self {
            min: number(min),
            max: number(max),
            least: Surd::from_f64(-largest, scale),
            largest: Surd::from_f64(largest, scale),
            is_empty,
        }
    }
    /// Whether the range contains `s`.
    pub fn contains(&self, s: &Surd) -> bool {
        let above = |low: &Surd| s.order(low) != Ordering::Less;
        let below = |high: &Surd| s.order(high) != Ordering::Greater;
        !self.is_empty
            && self.min.as_ref().is_none_or(above)
            && self.max.as_ref().is_none_or(below)
            && above(&self.least)
            && below(&self.largest)
    }
    /// Start of the range; None for an empty or unbounded one.
    pub fn start(&self) -> Option<&Surd> {
        self.min.as_ref().filter(|_| !self.is_empty)
    }
}

/// Hit of the exact answer: its kind and its parameter.
#[derive(Clone, Copy, Debug)]
pub enum Exact<'a, 'b> {
    /// Start of the range, inside the solid.
    Inside(&'b Surd),
    /// Entry into a solid, or crossing of a surface from the front.
    Front(&'b Bound<'a>),
    /// Exit from a solid, or crossing of a surface from the back.
    Back(&'b Bound<'a>),
}

impl Exact<'_, '_> {
    /// Parameter `s` of the line.
    pub fn at(&self) -> &Surd {
        match self {
            Self::Inside(s) => s,
            Self::Front(bound) | Self::Back(bound) => &bound.at,
        }
    }
}

/// Hits of a query, at most two, by increasing `t`.
pub fn hits<'a, 'b>(intersection: &'b Intersection<'a>, query: &PlainQuery, range: &'b Range) -> Vec<Exact<'a, 'b>> {
    match intersection {
        Intersection::None => vec![],
        Intersection::Crossing(at, front) => {
            let seen = match query.faces {
                Faces::Both => true,
                Faces::Front => *front,
                Faces::Back => !front,
            };
            let hit = if *front { Exact::Front(at) } else { Exact::Back(at) };
            if seen && range.contains(&at.at) { vec![hit] } else { vec![] }
        }
        Intersection::Interval(enter, exit) => {
            let start = range.start().filter(|_| query.inside == Inside::Solid && begins_inside(enter, exit, range));
            let mut hits = Vec::with_capacity(2);
            if let Some(start) = start {
                hits.push(Exact::Inside(start));
            } else if let Some(enter) = enter.as_ref().filter(|enter| range.contains(&enter.at)) {
                hits.push(Exact::Front(enter));
            }
            if let Some(exit) = exit.as_ref().filter(|exit| range.contains(&exit.at)) {
                // A single point of contact is one hit.
                if hits.first().is_none_or(|hit| hit.at().order(&exit.at) == Ordering::Less) {
                    hits.push(Exact::Back(exit));
                }
            }
            hits
        }
    }
}

fn begins_inside(enter: &Option<Bound<'_>>, exit: &Option<Bound<'_>>, range: &Range) -> bool {
    range.start().is_some_and(|start| {
        enter.as_ref().is_none_or(|enter| enter.at.order(start) != Ordering::Greater)
            && exit.as_ref().is_none_or(|exit| exit.at.order(start) != Ordering::Less)
    })
}

/// Interval inside the solid and the range: its entry (`Inside` if the range begins in the solid) and its exit, each
/// None if unbounded. None if solid and range share no point.
#[allow(clippy::type_complexity, reason = "two optional ends of an optional interval")]
pub fn span<'a, 'b>(
    intersection: &'b Intersection<'a>,
    range: &'b Range,
) -> Option<(Option<Exact<'a, 'b>>, Option<Exact<'a, 'b>>)> {
    let Intersection::Interval(enter, exit) = intersection else { return None };
    if range.is_empty {
        return None;
    }
    let inside = range.start().filter(|_| begins_inside(enter, exit, range));
    let first = match (inside, enter) {
        (Some(start), _) => Some(Exact::Inside(start)),
        (None, Some(enter)) if range.contains(&enter.at) => Some(Exact::Front(enter)),
        // An unbounded range has no entry if the solid begins at -infinity, or below the smallest finite `t`,
        (None, None) if range.min.is_none() => None,
        (None, Some(enter)) if range.min.is_none() && enter.at.order(&range.least) == Ordering::Less => None,
        _ => return None,
    };
    let last = exit.as_ref().filter(|exit| range.contains(&exit.at)).map(Exact::Back);
    if first.is_none() {
        // unless the solid ends below the smallest finite `t`, too.
        let over = exit.as_ref().is_some_and(|exit| exit.at.order(&range.least) == Ordering::Less);
        return (!over).then_some((None, last));
    }
    Some((first, last))
}
