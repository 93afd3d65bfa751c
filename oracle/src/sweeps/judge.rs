//! Judge of moving spheres: compares the contacts of the library with the exact ones.

use super::case::{Contacts, PlainContact, SweepCase, Target};
use super::inflated::{Contact, Sweep, common_interval, first_contact};
use crate::body::Body;
use crate::distances::nearest::{Nearest, on_surface, on_triangle};
use crate::implicit::ImplicitShape;
use crate::intersection::Intersection;
use crate::line::{Line, Whole, on};
use crate::number::{Precision, grid_of, on_grid};
use crate::poly::Interval;
use crate::rules::{Inside, PlainQuery, Range};
use crate::values::Values;
use crate::wide::{self, Vector, Wide, minus, size, vector};
use std::cmp::Ordering;

/// Verdict on one case: wrong decisions, and the largest errors.
#[derive(Clone, Debug, Default)]
pub(super) struct SweepVerdict {
    /// Decisions that differ from those of real arithmetic.
    pub wrong: Vec<String>,
    /// Count of contacts compared.
    pub contacts: u64,
    /// Contacts where the range begins.
    pub starts: u64,
    /// Contacts with several triangles at the same `t`, of which the first is not the one reported.
    pub ties: u64,
    /// Error of `t` in ulp.
    pub t: f64,
    /// Error of a component of the normal in units of the last place of 1, where the radius is not tiny.
    pub normal: f64,
    /// Error of centers, contact points and depths in units of the last place of the largest number.
    pub place: f64,
    /// Errors beyond the contract, in words.
    pub off: Vec<String>,
}

/// Largest errors that the contract allows: of `t` in ulp, of normals in units of the last place of 1, of places in units
/// of the last place of the largest number.
const LIMITS: [f64; 3] = [1.0, 2.0, 4.0];

impl SweepVerdict {
    /// Adds the verdict on one query.
    fn join(&mut self, other: Self, query: impl Fn() -> String) {
        let Self { wrong, contacts, starts, ties, t, normal, place, .. } = other;
        self.wrong.extend(wrong.into_iter().map(|wrong| format!("{wrong} {}", query())));
        if [t, normal, place].iter().zip(LIMITS).any(|(error, limit)| !(*error <= limit)) {
            self.off.push(format!("off: t {t:.3}, normal {normal:.3}, place {place:.3} {}", query()));
        }
        self.contacts += contacts;
        self.starts += starts;
        self.ties += ties;
        self.t = self.t.max(t);
        self.normal = self.normal.max(normal);
        self.place = self.place.max(place);
    }
}

/// A radius below this share of the largest number is tiny: the normal has no digits of the input behind it.
const TINY_RADIUS: f64 = 1.0 / 1024.0;

/// Exponent of `t` below which a double-double has fewer than its digits: the low part leaves the range.
const LEAST_T: i64 = -900;

/// The exact parts of a target: one for a shape, one for each triangle of a mesh.
struct SweptPart {
    primitive: Option<u32>,
    corners: Option<[[f64; 3]; 3]>,
    contact: Option<Contact>,
}

/// Compares the contacts of a case.
pub(super) fn judge(case: &SweepCase, found: &Contacts) -> Option<SweepVerdict> {
    let mut verdict = SweepVerdict { wrong: found.unlike.clone(), ..SweepVerdict::default() };
    let placed = placed_corners(case)?;
    let lengths: Vec<f64> = match &case.target {
        Target::Shape(body) => body.lengths().collect(),
        Target::Mesh { .. } => placed.iter().flatten().flatten().copied().collect(),
    };
    let line = Line::with_grid(&case.given, grid_of(lengths.iter().copied().chain([case.radius])));
    let largest = lengths.iter().chain(&case.given.origin).fold(case.radius, |largest: f64, x| largest.max(x.abs()));
    for (query, got) in case.queries.iter().zip(&found.found) {
        let parts = parts(case, &line, query, &placed)?;
        let mut one = SweepVerdict::default();
        compare(case, &line, &parts, got.as_ref(), largest, &mut one);
        verdict.join(one, || format!("{query:?} got {got:?}"));
    }
    Some(verdict)
}

/// Corners of the triangles of a mesh in the world; `None` if a rounding moves one.
fn placed_corners(case: &SweepCase) -> Option<Vec<[[f64; 3]; 3]>> {
    let Target::Mesh { vertices, triangles, place } = &case.target else { return Some(vec![]) };
    let image = |i: u32| {
        let p = vertices[i as usize];
        place.map_or(Some(p), |place| place.image(p))
    };
    triangles
        .iter()
        .map(|&[a, b, c]| {
            let [a, b, c] = [image(a)?, image(b)?, image(c)?];
            // The order of the vertices decides which face is the front.
            Some(if place.is_some_and(|place| place.is_mirror()) { [a, c, b] } else { [a, b, c] })
        })
        .collect()
}

/// The first contacts of all parts that count.
fn parts(case: &SweepCase, line: &Line, query: &PlainQuery, placed: &[[[f64; 3]; 3]]) -> Option<Vec<SweptPart>> {
    let sweep = Sweep { line, radius: on_grid(case.radius, line.grid), faces: query.faces };
    let range = Range::new(query, case.given.is_segment, case.precision.max(), line.scale);
    let contact = |pieces: Vec<Vec<crate::poly::Poly>>| {
        let intervals: Vec<Interval> = pieces.iter().filter_map(|piece| common_interval(piece)).collect();
        first_contact(&intervals, &range).filter(|found| query.inside == Inside::Solid || !found.is_at_start)
    };
    Some(match &case.target {
        Target::Shape(body) => {
            vec![SweptPart { primitive: None, corners: None, contact: contact(sweep.shape(body)?) }]
        }
        Target::Mesh { .. } => placed
            .iter()
            .enumerate()
            .map(|(i, corners)| {
                let whole: [Whole; 3] = corners.map(|p| on(&p, line.grid));
                SweptPart {
                    primitive: Some(i as u32),
                    corners: Some(*corners),
                    contact: contact(sweep.triangle(&whole)),
                }
            })
            .collect(),
    })
}

fn nearest(case: &SweepCase, part: &SweptPart, p: &Vector) -> Option<Nearest> {
    match (&case.target, part.corners) {
        (Target::Shape(body), _) => on_surface(p, body),
        (_, Some(corners)) => Some(on_triangle(p, &corners.map(vector))),
        _ => None,
    }
}

fn compare(
    case: &SweepCase,
    line: &Line,
    parts: &[SweptPart],
    got: Option<&PlainContact>,
    largest: f64,
    verdict: &mut SweepVerdict,
) {
    let touching = parts.iter().filter_map(|part| part.contact.as_ref().map(|contact| (part, contact)));
    let first = touching.reduce(|a, b| {
        let order = b.1.is_at_start.cmp(&a.1.is_at_start).then(a.1.at.order(&b.1.at));
        if order == Ordering::Greater { b } else { a }
    });
    let (got, (part, contact)) = match (got, first) {
        (None, None) => return,
        (Some(got), None) => return verdict.wrong.push(format!("contact at t = {:e}, exact: none.", got.t)),
        (None, Some((_, contact))) => {
            let t = Values::at_start(&contact.at, line).t.to_f64();
            return verdict.wrong.push(format!("none, exact: t = {t:e}, at start {}.", contact.is_at_start));
        }
        (Some(got), Some(first)) => (got, first),
    };
    if got.depth.is_some() != contact.is_at_start {
        return verdict.wrong.push(format!("exact: at start {}.", contact.is_at_start));
    }
    let values = Values::at_start(&contact.at, line);
    let t = case.precision.error(got.t, &values.t);
    if contact.is_at_start && t != Some(0.0) {
        return verdict.wrong.push(format!("t = {:e}, but the range begins in contact.", got.t));
    }
    let all = got.center.iter().chain(&got.point).chain(&got.normal).chain([&got.distance]).chain(&got.depth);
    if all.clone().any(|x| x.is_nan()) || got.t.is_nan() {
        return verdict.wrong.push("NaN.".into());
    }
    verdict.contacts += 1;
    verdict.starts += u64::from(contact.is_at_start);
    verdict.t = verdict.t.max(t.unwrap_or(0.0));
    if !all.clone().all(|x| x.is_finite()) {
        return;
    }
    let is_tiny = values.t.magnitude().is_some_and(|top| top < LEAST_T);
    if is_tiny && case.precision == Precision::F64 {
        return;
    }
    let center = values.point.map(Wide);
    let largest = center.iter().fold(largest, |largest, x| largest.max(x.abs().to_f64()));
    if !(largest < case.precision.max()) {
        return;
    }
    let unit = largest * case.precision.epsilon();
    let off = |a: &Vector, b: &Vector| size(&minus(a, b)).to_f64() / unit;
    verdict.place = verdict.place.max(off(&vector(got.center), &center));
    // Of several triangles at the same place, the one reported.
    let own = parts.iter().find(|part| part.primitive == got.primitive);
    let Some(own) = own else { return verdict.wrong.push("no such triangle.".into()) };
    if own.primitive != part.primitive && !contact.is_at_start {
        let order = own.contact.as_ref().map(|own| own.at.order(&contact.at));
        if order != Some(Ordering::Equal) {
            return verdict.wrong.push(format!("exact: triangle {:?}.", part.primitive));
        }
        verdict.ties += 1;
    }
    if contact.is_at_start {
        at_start(case, line, parts, got, &center, unit, verdict);
    } else if let Some(exact) = nearest(case, own, &center) {
        let radius = Wide::new(case.radius);
        let excess = (&exact.distance - &radius).abs().to_f64();
        if !(excess <= largest * 2f64.powi(-160)) {
            verdict.wrong.push(format!("oracle: the distance differs from the radius by {excess:e}."));
        }
        verdict.place = verdict.place.max(off(&vector(got.point), &exact.point));
        if case.radius >= largest * TINY_RADIUS {
            let normal = minus(&center, &exact.point).map(|x| &x / &exact.distance);
            let error = (0..3).map(|i| (&Wide::new(got.normal[i]) - &normal[i]).abs().to_f64()).fold(0.0, f64::max);
            verdict.normal = verdict.normal.max(error / case.precision.epsilon());
        }
    }
}

/// Depth and place of a contact where the range begins: the nearest part is the deepest.
fn at_start(
    case: &SweepCase,
    line: &Line,
    parts: &[SweptPart],
    got: &PlainContact,
    center: &Vector,
    unit: f64,
    verdict: &mut SweepVerdict,
) {
    let touching = parts.iter().filter(|part| part.contact.as_ref().is_some_and(|contact| contact.is_at_start));
    let all = touching.filter_map(|part| Some((part, nearest(case, part, center)?)));
    let Some((deepest, exact)) = all.reduce(|a, b| if b.1.distance < a.1.distance { b } else { a }) else { return };
    let Some(contact) = deepest.contact.as_ref() else { return };
    let is_inside = match &case.target {
        Target::Shape(body) => contains(body, line, contact),
        Target::Mesh { .. } => false,
    };
    let radius = Wide::new(case.radius);
    let depth = if is_inside { &radius + &exact.distance } else { (&radius - &exact.distance).max(Wide::ZERO) };
    let point = vector(got.point);
    let own = parts.iter().find(|part| part.primitive == got.primitive).and_then(|own| nearest(case, own, &point));
    let offsets = [
        &Wide::new(got.depth.unwrap_or(0.0)) - &depth,
        &size(&minus(&point, center)) - &exact.distance,
        own.map_or(Wide::ZERO, |own| own.distance),
        // The normal leads from one point to the other.
        {
            let way = wide::times(&vector(got.normal), &exact.distance);
            let way = if is_inside { way.map(|x| -&x) } else { way };
            size(&minus(&minus(center, &way), &point))
        },
    ];
    for off in offsets {
        verdict.place = verdict.place.max(off.abs().to_f64() / unit);
    }
}

/// Whether a solid contains the center: the line is inside of it there.
fn contains(body: &Body, line: &Line, contact: &Contact) -> bool {
    let model = ImplicitShape::new(body, line.grid);
    let Intersection::Interval(enter, exit) = Intersection::new(&model, line) else { return false };
    let at = &contact.at;
    enter.is_none_or(|enter| enter.at.order(at) != Ordering::Greater)
        && exit.is_none_or(|exit| exit.at.order(at) != Ordering::Less)
}
