//! Where a line meets a shape, exactly: the ends of the interval inside a solid, or the crossing of a surface.
//!
//! # Method
//! Along the line each gauge is at most zero on one or two intervals. A part is their intersection, a solid the hull of
//! its parts, which is their union because the solid is convex. Which gauges are zero at an end is kept: their
//! gradients are the normals there.

use crate::gauge::{Gauge, Model};
use crate::line::Line;
use crate::number::sign;
use crate::poly::{End, Poly};
use crate::surd::Surd;
use std::cmp::Ordering;

/// An end of the interval inside a solid, or the crossing of a surface.
#[derive(Clone, Debug)]
pub struct Bound<'a> {
    /// Where, in the line's `s`.
    pub at: Surd,
    /// The gauges that are zero there and may give the normal.
    pub gauges: Vec<&'a Gauge>,
}

/// What a line and a shape have in common.
#[derive(Clone, Debug)]
pub enum Intersection<'a> {
    /// Nothing.
    None,
    /// A interval inside a solid; an end that is missing goes on for ever.
    Interval(Option<Bound<'a>>, Option<Bound<'a>>),
    /// The crossing of a surface, and whether the line comes from where the normal points.
    Crossing(Bound<'a>, bool),
}

/// A gauge along the line.
struct Track<'a> {
    gauge: &'a Gauge,
    poly: Poly,
    roots: Vec<Surd>,
    is_skin: bool,
}

impl<'a> Track<'a> {
    fn new(gauge: &'a Gauge, line: &Line, is_skin: bool) -> Self {
        let poly = Poly::along(gauge, line);
        let roots = poly.roots();
        Self { gauge, poly, roots, is_skin }
    }
    fn is_zero_at(&self, s: &Surd) -> bool {
        self.poly.vanishes() || self.roots.iter().any(|root| root.order(s) == Ordering::Equal)
    }
}

/// The larger of two lower ends.
fn later(a: End, b: &End) -> End {
    match (&a, b) {
        (End::Endless, _) => b.clone(),
        (End::At(x), End::At(y)) if x.order(y) == Ordering::Less => b.clone(),
        _ => a,
    }
}
/// The smaller of two upper ends.
fn earlier(a: End, b: &End) -> End {
    match (&a, b) {
        (End::Endless, _) => b.clone(),
        (End::At(x), End::At(y)) if x.order(y) == Ordering::Greater => b.clone(),
        _ => a,
    }
}

/// Where all of the tracks are at most zero.
fn common(tracks: &[Track<'_>]) -> Option<(End, End)> {
    let mut pieces = vec![(End::Endless, End::Endless)];
    for track in tracks {
        let intervals = track.poly.intervals(&track.roots);
        let mut next = Vec::with_capacity(pieces.len());
        for (low, high) in pieces {
            for (from, to) in &intervals {
                let (low, high) = (later(low.clone(), from), earlier(high.clone(), to));
                let empty = matches!((&low, &high), (End::At(a), End::At(b)) if a.order(b) == Ordering::Greater);
                if !empty {
                    next.push((low, high));
                }
            }
        }
        pieces = next;
    }
    assert!(pieces.len() <= 1, "a part of a solid is not convex along a line");
    pieces.pop()
}

impl<'a> Intersection<'a> {
    /// Of a whole line with a shape on the line's grid.
    pub fn new(model: &'a Model, line: &Line) -> Self {
        match model {
            Model::Surface { plane, within } => Self::crossing(plane, within, line),
            Model::Solid(parts) => {
                let mut all: Vec<Track<'a>> = Vec::new();
                let mut hull: Option<(End, End)> = None;
                for part in parts {
                    let skin = part.skin.iter().map(|gauge| Track::new(gauge, line, true));
                    let tracks: Vec<_> =
                        skin.chain(part.seams.iter().map(|gauge| Track::new(gauge, line, false))).collect();
                    let Some((low, high)) = common(&tracks) else { continue };
                    hull = Some(match hull {
                        None => (low, high),
                        Some((from, to)) => {
                            (outermost(low, from, Ordering::Less), outermost(high, to, Ordering::Greater))
                        }
                    });
                    all.extend(tracks.into_iter().filter(|track| track.is_skin));
                }
                let bound = |end: End| match end {
                    End::Endless => None,
                    End::At(at) => {
                        let zero = all.iter().filter(|track| track.is_zero_at(&at));
                        let gauges = zero.map(|track| track.gauge).collect();
                        Some(Bound { at, gauges })
                    }
                };
                hull.map_or(Self::None, |(low, high)| Self::Interval(bound(low), bound(high)))
            }
        }
    }

    /// A line in the plane of a surface misses it.
    fn crossing(plane: &'a Gauge, within: &[Gauge], line: &Line) -> Self {
        let height = Poly::along(plane, line);
        let Some(at) = height.roots().pop() else { return Self::None };
        let inside = within.iter().all(|gauge| at.sign_in(Poly::along(gauge, line).parts()) <= 0);
        if !inside {
            return Self::None;
        }
        Self::Crossing(Bound { at, gauges: vec![plane] }, sign(&height.b) < 0)
    }
}

/// The end that lies further `way`, or goes on for ever.
fn outermost(a: End, b: End, way: Ordering) -> End {
    match (&a, &b) {
        (End::Endless, _) => a,
        (End::At(x), End::At(y)) if x.order(y) == way => a,
        _ => b,
    }
}
