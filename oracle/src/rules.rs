//! From where a line meets a shape to the hits of a query: DESIGN.md's rules, once more.

use crate::meeting::{Bound, Meeting};
use crate::surd::Surd;
pub use hitscan::{Faces, Inside};
use std::cmp::Ordering;

/// A query, with its range in the line's own `t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainQuery {
    /// The smallest `t` that counts.
    pub t_min: f64,
    /// The largest `t` that counts.
    pub t_max: f64,
    /// What starting inside means.
    pub inside: Inside,
    /// Which sides of a surface count.
    pub faces: Faces,
}

impl Default for PlainQuery {
    fn default() -> Self {
        Self { t_min: 0.0, t_max: f64::INFINITY, inside: Inside::Solid, faces: Faces::Both }
    }
}

/// A closed range of `t`, exactly: the range of the query, of the line, and of the numbers of the precision.
#[derive(Clone, Debug)]
pub struct Range {
    min: Option<Surd>,
    max: Option<Surd>,
    least: Surd,
    largest: Surd,
    is_empty: bool,
}

impl Range {
    /// On a line whose `t` is `s 2^scale`. `largest` is the largest finite number of the precision.
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
    /// Whether a hit may be there.
    pub fn holds(&self, s: &Surd) -> bool {
        let above = |low: &Surd| s.order(low) != Ordering::Less;
        let below = |high: &Surd| s.order(high) != Ordering::Greater;
        !self.is_empty
            && self.min.as_ref().is_none_or(above)
            && self.max.as_ref().is_none_or(below)
            && above(&self.least)
            && below(&self.largest)
    }
    /// Where the range begins, if it does.
    pub fn start(&self) -> Option<&Surd> {
        self.min.as_ref().filter(|_| !self.is_empty)
    }
}

/// One exact hit.
#[derive(Clone, Copy, Debug)]
pub enum Exact<'a, 'b> {
    /// The range starts inside the solid.
    Inside(&'b Surd),
    /// The solid is entered, or a surface met from its front.
    Front(&'b Bound<'a>),
    /// The solid is left, or a surface met from behind.
    Back(&'b Bound<'a>),
}

impl Exact<'_, '_> {
    /// Where, in the line's `s`.
    pub fn at(&self) -> &Surd {
        match self {
            Self::Inside(s) => s,
            Self::Front(bound) | Self::Back(bound) => &bound.at,
        }
    }
}

/// The hits of a query, at most two, by rising `t`.
pub fn hits<'a, 'b>(meeting: &'b Meeting<'a>, query: &PlainQuery, range: &'b Range) -> Vec<Exact<'a, 'b>> {
    match meeting {
        Meeting::None => vec![],
        Meeting::Crossing(at, front) => {
            let seen = match query.faces {
                Faces::Both => true,
                Faces::Front => *front,
                Faces::Back => !front,
            };
            let hit = if *front { Exact::Front(at) } else { Exact::Back(at) };
            if seen && range.holds(&at.at) { vec![hit] } else { vec![] }
        }
        Meeting::Stretch(enter, exit) => {
            let start = range.start().filter(|_| query.inside == Inside::Solid && begins_inside(enter, exit, range));
            let mut hits = Vec::with_capacity(2);
            if let Some(start) = start {
                hits.push(Exact::Inside(start));
            } else if let Some(enter) = enter.as_ref().filter(|enter| range.holds(&enter.at)) {
                hits.push(Exact::Front(enter));
            }
            if let Some(exit) = exit.as_ref().filter(|exit| range.holds(&exit.at)) {
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

/// The stretch within the range: its entry (`Inside` where the range begins in the solid) and its exit, each missing
/// where there is none. None when solid and range share no point.
#[allow(clippy::type_complexity, reason = "two optional ends of an optional stretch")]
pub fn span<'a, 'b>(
    meeting: &'b Meeting<'a>,
    range: &'b Range,
) -> Option<(Option<Exact<'a, 'b>>, Option<Exact<'a, 'b>>)> {
    let Meeting::Stretch(enter, exit) = meeting else { return None };
    if range.is_empty {
        return None;
    }
    let inside = range.start().filter(|_| begins_inside(enter, exit, range));
    let first = match (inside, enter) {
        (Some(start), _) => Some(Exact::Inside(start)),
        (None, Some(enter)) if range.holds(&enter.at) => Some(Exact::Front(enter)),
        // A line without beginning may have been inside for ever, or since before the first number that `t` can be.
        (None, None) if range.min.is_none() => None,
        (None, Some(enter)) if range.min.is_none() && enter.at.order(&range.least) == Ordering::Less => None,
        _ => return None,
    };
    let last = exit.as_ref().filter(|exit| range.holds(&exit.at)).map(Exact::Back);
    if first.is_none() {
        // ... unless the solid ends before the range does.
        let over = exit.as_ref().is_some_and(|exit| exit.at.order(&range.least) == Ordering::Less);
        return (!over).then_some((None, last));
    }
    Some((first, last))
}
