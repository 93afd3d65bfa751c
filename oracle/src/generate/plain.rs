//! Cases of every family but `flip`, and the ranges of their queries.

use super::family::Family;
use super::{bodies, extreme, families, lattice, place};
use crate::body::{Body, Kind};
use crate::case::Case;
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::PlainQuery;
use hitscan::{Faces, Inside};
use test_support::random::Rng;

/// Case of a family other than `flip`.
pub(super) fn plain(kind: Kind, family: Family, precision: Precision, rng: &mut Rng) -> Option<Case> {
    let (body, given) = match family {
        Family::Lattice => lattice::lattice(kind, |x, n| precision.nudge(x, n), rng),
        Family::Extreme => extreme::extreme(kind, precision, rng),
        _ => return aimed(shape(kind, family, precision, rng), family, precision, rng),
    };
    with_queries(precision, body, given)
}

/// Shape of one of the families before `lattice`.
pub fn shape(kind: Kind, family: Family, precision: Precision, rng: &mut Rng) -> Body {
    let style = families::style(family, kind.dim(), rng);
    bodies::body(kind, &style, rng).rounded(precision)
}

/// Ray of one of the families before `lattice`, aimed at this shape.
pub fn aimed(body: Body, family: Family, precision: Precision, rng: &mut Rng) -> Option<Case> {
    let (origin, direction) = families::line(family, &body, precision, rng);
    let is_segment = rng.once_in(10);
    let target = if is_segment { place::add(origin, direction) } else { direction };
    with_queries(precision, body, RayOrSegment { origin, target, is_segment })
}

/// Two shapes, and a ray through a common point.
pub fn touching_pair(kinds: [Kind; 2], precision: Precision, rng: &mut Rng) -> ([Body; 2], RayOrSegment) {
    lattice::pair(kinds, |x, n| precision.nudge(x, n), rng)
}

/// Case with its two default queries; None if its numbers are not a valid case.
pub fn with_queries(precision: Precision, body: Body, given: RayOrSegment) -> Option<Case> {
    let round = |v: [f64; 3]| v.map(|x| precision.round(x));
    let given = RayOrSegment { origin: round(given.origin), target: round(given.target), ..given };
    let body = body.rounded(precision);
    let is_finite = body.numbers.iter().all(|x| x.is_finite());
    (is_finite && !body.numbers.is_empty() && given.is_valid()).then(|| Case {
        precision,
        body,
        transform: None,
        given,
        queries: vec![PlainQuery::default(), PlainQuery { inside: Inside::Hollow, ..PlainQuery::default() }],
        is_thorough: false,
        is_explained: false,
    })
}

/// Range that ends at a hit, or one number beside it, with any mode.
pub fn range(hits: &[f64], precision: Precision, rng: &mut Rng) -> PlainQuery {
    let near = |rng: &mut Rng| match hits {
        [] => precision.round(rng.between(-3.0, 3.0)),
        hits => {
            let x = precision.step(rng.pick(hits), rng.int(-1, 1));
            if x.is_finite() { x } else { 0.0 }
        }
    };
    let free = |rng: &mut Rng| match rng.below(4) {
        0 => 0.0,
        1 => precision.round(rng.between(-4.0, 4.0)),
        2 => f64::INFINITY,
        _ => precision.round(rng.decades(-3.0, 3.0)),
    };
    let (mut t_min, mut t_max) = match rng.below(4) {
        0 => (near(rng), f64::INFINITY),
        1 => (0.0, near(rng)),
        2 => (near(rng), near(rng)),
        _ => (-free(rng), near(rng)),
    };
    if t_min > t_max && !rng.once_in(16) {
        (t_min, t_max) = (t_max, t_min);
    }
    PlainQuery {
        t_min,
        t_max,
        inside: rng.pick(&[Inside::Solid, Inside::Hollow]),
        faces: rng.pick(&[Faces::Both, Faces::Both, Faces::Front, Faces::Back]),
    }
}
