//! Exact intersection of a line with a shape: the interval inside a solid, or the crossing of a surface.
//!
//! # Method
//! Along the line each implicit function is at most zero on one or two intervals. They intersect in the interval of a
//! part. The hull of the parts' intervals is that of the solid, because the solid is convex. Each end keeps the
//! functions that are zero there: their gradients are the normals.

use crate::implicit::{Implicit, ImplicitShape};
use crate::line::Line;
use crate::number::sign;
use crate::poly::{End, Poly};
use crate::surd::Surd;
use std::cmp::Ordering;

/// End of the interval inside a solid, or crossing of a surface.
#[derive(Clone, Debug)]
pub struct Bound<'a> {
    /// Parameter `s` of the line.
    pub at: Surd,
    /// Implicit functions that are zero there and may give the normal.
    pub implicits: Vec<&'a Implicit>,
}

/// Intersection of a line with a shape.
#[derive(Clone, Debug)]
pub enum Intersection<'a> {
    /// No common point.
    None,
    /// Interval inside a solid; a missing end is unbounded.
    Interval(Option<Bound<'a>>, Option<Bound<'a>>),
    /// Crossing of a surface, and whether the line comes from the front.
    Crossing(Bound<'a>, bool),
}

/// Implicit function restricted to the line.
struct ImplicitOnLine<'a> {
    implicit: &'a Implicit,
    poly: Poly,
    roots: Vec<Surd>,
    is_boundary: bool,
}

impl<'a> ImplicitOnLine<'a> {
    fn new(implicit: &'a Implicit, line: &Line, is_boundary: bool) -> Self {
        let poly = Poly::along(implicit, line);
        let roots = poly.roots();
        Self { implicit, poly, roots, is_boundary }
    }
    fn is_zero_at(&self, s: &Surd) -> bool {
        self.poly.is_zero() || self.roots.iter().any(|root| root.order(s) == Ordering::Equal)
    }
}

/// The larger of two lower ends.
fn later(a: End, b: &End) -> End {
    match (&a, b) {
        (End::Unbounded, _) => b.clone(),
        (End::At(x), End::At(y)) if x.order(y) == Ordering::Less => b.clone(),
        _ => a,
    }
}
/// The smaller of two upper ends.
fn earlier(a: End, b: &End) -> End {
    match (&a, b) {
        (End::Unbounded, _) => b.clone(),
        (End::At(x), End::At(y)) if x.order(y) == Ordering::Greater => b.clone(),
        _ => a,
    }
}

/// Interval where all functions are at most zero.
fn common(implicits: &[ImplicitOnLine<'_>]) -> Option<(End, End)> {
    let mut pieces = vec![(End::Unbounded, End::Unbounded)];
    for implicit in implicits {
        let intervals = implicit.poly.intervals(&implicit.roots);
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
    /// Intersects a whole line with a shape on the grid of the line.
    pub fn new(model: &'a ImplicitShape, line: &Line) -> Self {
        match model {
            ImplicitShape::Surface { plane, within } => Self::crossing(plane, within, line),
            ImplicitShape::Solid(parts) => {
                let mut all: Vec<ImplicitOnLine<'a>> = Vec::new();
                let mut hull: Option<(End, End)> = None;
                for part in parts {
                    let boundary = part.boundary.iter().map(|implicit| ImplicitOnLine::new(implicit, line, true));
                    let implicits: Vec<_> = boundary
                        .chain(part.internal.iter().map(|implicit| ImplicitOnLine::new(implicit, line, false)))
                        .collect();
                    let Some((low, high)) = common(&implicits) else { continue };
                    hull = Some(match hull {
                        None => (low, high),
                        Some((from, to)) => {
                            (outermost(low, from, Ordering::Less), outermost(high, to, Ordering::Greater))
                        }
                    });
                    all.extend(implicits.into_iter().filter(|implicit| implicit.is_boundary));
                }
                let bound = |end: End| match end {
                    End::Unbounded => None,
                    End::At(at) => {
                        let zero = all.iter().filter(|implicit| implicit.is_zero_at(&at));
                        let implicits = zero.map(|implicit| implicit.implicit).collect();
                        Some(Bound { at, implicits })
                    }
                };
                hull.map_or(Self::None, |(low, high)| Self::Interval(bound(low), bound(high)))
            }
        }
    }

    /// Intersects a line with a surface. A line in the plane of the surface misses it.
    fn crossing(plane: &'a Implicit, within: &[Implicit], line: &Line) -> Self {
        let height = Poly::along(plane, line);
        let Some(at) = height.roots().pop() else { return Self::None };
        let inside = within.iter().all(|implicit| at.sign_in(Poly::along(implicit, line).coefficients()) <= 0);
        if !inside {
            return Self::None;
        }
        Self::Crossing(Bound { at, implicits: vec![plane] }, sign(&height.b) < 0)
    }
}

/// The end further in the given order, or the unbounded one.
fn outermost(a: End, b: End, order: Ordering) -> End {
    match (&a, &b) {
        (End::Unbounded, _) => a,
        (End::At(x), End::At(y)) if x.order(y) == order => a,
        _ => b,
    }
}
