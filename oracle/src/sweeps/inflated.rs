//! The points within a radius of a shape, along a line: intervals between quadratic surds.
//!
//! # Method
//! The inflated shape is the union of pieces, one for each part of the shape that may be the closest: around a vertex a
//! ball; beside an edge the part of a cylinder between the planes through its ends; above a face a prism. A box has one
//! for each of the 27 regions between and beyond its faces. In each piece the squared distance is a polynomial of degree
//! 2 along the line, and the other inequalities are linear. So each piece is an interval, whose ends are surds.

use crate::body::{Body, Kind};
use crate::line::{Line, Whole, cross, dot, minus, on};
use crate::number::{on_grid, sign};
use crate::poly::{End, Interval, Poly};
use crate::surd::Surd;
use dashu_int::IBig;
use hitscan::Faces;
use std::cmp::Ordering;

/// A line and the radius of the sphere whose center moves along it.
pub struct Sweep<'a> {
    /// The line.
    pub line: &'a Line,
    /// Radius, in units of the grid of the line.
    pub radius: IBig,
    /// Faces that count, of surfaces with two sides.
    pub faces: Faces,
}

/// Intervals of the line, one for each piece that it crosses.
pub type Intervals = Vec<Interval>;

fn square(x: &IBig) -> IBig {
    x * x
}

/// Linear function along the line: the value at 0 and the slope.
struct Linear(IBig, IBig);

impl Linear {
    /// Polynomial that is at most zero where the function is.
    fn at_most_zero(&self) -> Poly {
        Poly { a: IBig::ZERO, b: self.1.clone(), c: IBig::from(2) * &self.0 }
    }
    /// Polynomial that is at most zero where the function is at least zero.
    fn at_least_zero(&self) -> Poly {
        Self(-&self.0, -&self.1).at_most_zero()
    }
    fn minus(&self, x: &IBig) -> Self {
        Self(&self.0 - x, self.1.clone())
    }
}

/// Sum of squares of linear functions, less a number.
fn squares<'a>(of: impl IntoIterator<Item = &'a Linear>, limit: &IBig) -> Poly {
    let zero = Poly { a: IBig::ZERO, b: IBig::ZERO, c: -limit };
    of.into_iter().fold(zero, |sum, Linear(at, slope)| Poly {
        a: sum.a + slope * slope,
        b: sum.b + at * slope,
        c: sum.c + at * at,
    })
}

/// A vector of the plane, turned clockwise by a right angle.
fn right_of([x, y, _]: &Whole) -> Whole {
    [y.clone(), -x, IBig::ZERO]
}

impl Sweep<'_> {
    /// `n . (x - p)` for the points `x` of the line.
    fn height(&self, n: &Whole, p: &Whole) -> Linear {
        Linear(dot(n, &minus(&self.line.o, p)), dot(n, &self.line.d))
    }
    /// The points within `radius` of a point.
    fn ball(&self, p: &Whole, radius: &IBig) -> Vec<Poly> {
        let w = minus(&self.line.o, p);
        let parts: [Linear; 3] = std::array::from_fn(|i| Linear(w[i].clone(), self.line.d[i].clone()));
        vec![squares(&parts, &square(radius))]
    }
    /// The points within `radius` of a segment, beside it.
    fn tube(&self, a: &Whole, b: &Whole, radius: &IBig) -> Vec<Poly> {
        let u = minus(b, a);
        let (at, slope) = (cross(&minus(&self.line.o, a), &u), cross(&self.line.d, &u));
        let parts: [Linear; 3] = std::array::from_fn(|i| Linear(at[i].clone(), slope[i].clone()));
        let along = self.height(&u, a);
        let length_sq = dot(&u, &u);
        vec![
            squares(&parts, &(square(radius) * &length_sq)),
            along.at_least_zero(),
            along.minus(&length_sq).at_most_zero(),
        ]
    }
    /// The points within the radius of a plane.
    fn slab(&self, n: &Whole, p: &Whole) -> Poly {
        squares([&self.height(n, p)], &(square(&self.radius) * dot(n, n)))
    }
    fn includes(&self, n: &Whole) -> bool {
        match (self.faces, sign(&dot(n, &self.line.d))) {
            (Faces::Front, slope) => slope < 0,
            (Faces::Back, slope) => slope > 0,
            _ => true,
        }
    }
    /// The pieces of a triangle. One without an area is its edges.
    pub fn triangle(&self, corners: &[Whole; 3]) -> Vec<Vec<Poly>> {
        let [a, b, c] = corners;
        let n = cross(&minus(b, a), &minus(c, a));
        let mut pieces = vec![];
        if dot(&n, &n) != IBig::ZERO {
            if !self.includes(&n) {
                return pieces;
            }
            let mut prism = vec![self.slab(&n, a)];
            for (p, q) in [(a, b), (b, c), (c, a)] {
                prism.push(self.height(&cross(&n, &minus(q, p)), p).at_least_zero());
            }
            pieces.push(prism);
        }
        pieces.extend(self.closed_outline(corners));
        pieces
    }
    /// The pieces of the edges and vertices of a polygon.
    fn closed_outline(&self, corners: &[Whole]) -> Vec<Vec<Poly>> {
        let next = |i: usize| &corners[(i + 1) % corners.len()];
        let tubes = (0..corners.len()).filter(|i| corners[*i] != *next(*i));
        let tubes = tubes.map(|i| self.tube(&corners[i], next(i), &self.radius));
        tubes.chain(corners.iter().map(|p| self.ball(p, &self.radius))).collect()
    }
    /// The pieces of a convex polygon of the plane.
    fn polygon(&self, corners: &[Whole]) -> Vec<Vec<Poly>> {
        let n = corners.len();
        let area: IBig = (1..n - 1)
            .map(|i| cross(&minus(&corners[i], &corners[0]), &minus(&corners[i + 1], &corners[0]))[2].clone())
            .sum();
        let up = [IBig::ZERO, IBig::ZERO, IBig::from(sign(&area))];
        let inside = (0..n).map(|i| {
            let (p, q) = (&corners[i], &corners[(i + 1) % n]);
            self.height(&cross(&up, &minus(q, p)), p).at_least_zero()
        });
        let mut pieces = vec![inside.collect()];
        pieces.extend(self.closed_outline(corners));
        pieces
    }
    /// The pieces of an axis-aligned box: between its faces along some axes, beyond one of them along the others.
    fn cuboid(&self, center: &Whole, half: &Whole, dim: usize) -> Vec<Vec<Poly>> {
        let offsets: Vec<Linear> =
            (0..dim).map(|i| Linear(&self.line.o[i] - &center[i], self.line.d[i].clone())).collect();
        let regions = 3usize.pow(dim as u32);
        let region = |region: usize| {
            let (mut piece, mut outside) = (vec![], vec![]);
            for (i, offset) in offsets.iter().enumerate() {
                let (below, above) = (offset.minus(&-&half[i]), offset.minus(&half[i]));
                match region / 3usize.pow(i as u32) % 3 {
                    0 => piece.extend([below.at_least_zero(), above.at_most_zero()]),
                    1 => {
                        piece.push(above.at_least_zero());
                        outside.push(above);
                    }
                    _ => {
                        piece.push(below.at_most_zero());
                        outside.push(below);
                    }
                }
            }
            piece.push(squares(&outside, &square(&self.radius)));
            piece
        };
        (0..regions).map(region).collect()
    }
    /// The pieces of a shape; none if its inflated shape is not made of planes, spheres and cylinders.
    pub fn shape(&self, body: &Body) -> Option<Vec<Vec<Poly>>> {
        let grid = self.line.grid;
        let at = |i: usize| on(&body.vector(i), grid);
        let with = |i: usize| &self.radius + on_grid(body.number(i), grid);
        // Normals have any unit.
        let normal = || on(&body.vector(1), crate::number::grid_of(body.vector(1)));
        let corners = || body.corners().iter().map(|p| on(p, grid)).collect::<Vec<_>>();
        let thick = |a: Whole, b: Whole, radius: IBig| {
            let mut pieces = vec![self.ball(&a, &radius), self.ball(&b, &radius)];
            if a != b {
                pieces.push(self.tube(&a, &b, &radius));
            }
            pieces
        };
        Some(match body.kind {
            Kind::Sphere | Kind::Circle => vec![self.ball(&at(0), &with(1))],
            Kind::Capsule | Kind::Capsule2 => thick(at(0), at(1), with(2)),
            // The front of a segment is on the right of its direction.
            Kind::Segment if !self.includes(&right_of(&minus(&at(1), &at(0)))) => vec![],
            Kind::Segment => thick(at(0), at(1), self.radius.clone()),
            Kind::Cuboid | Kind::Rectangle => self.cuboid(&at(0), &at(1), body.kind.dim()),
            Kind::Plane | Kind::Line if !self.includes(&normal()) => vec![],
            Kind::Plane | Kind::Line => vec![vec![self.slab(&normal(), &at(0))]],
            Kind::HalfSpace | Kind::HalfPlane => {
                let (n, p) = (normal(), at(0));
                vec![vec![self.height(&n, &p).at_most_zero()], vec![self.slab(&n, &p)]]
            }
            Kind::Triangle => self.triangle(&corners().try_into().ok()?),
            Kind::Triangle2 | Kind::Polygon => self.polygon(&corners()),
            _ => return None,
        })
    }
}

fn latest(a: End, b: End) -> End {
    match (&a, &b) {
        (End::At(x), End::At(y)) if y.order(x) == Ordering::Greater => b,
        (End::Unbounded, _) => b,
        _ => a,
    }
}

fn earliest(a: End, b: End) -> End {
    match (&a, &b) {
        (End::At(x), End::At(y)) if y.order(x) == Ordering::Less => b,
        (End::Unbounded, _) => b,
        _ => a,
    }
}

/// The interval where all polynomials are at most zero. Each must be convex.
pub fn common_interval(piece: &[Poly]) -> Option<Interval> {
    let mut common = (End::Unbounded, End::Unbounded);
    for poly in piece {
        let (low, high) = poly.intervals(&poly.roots()).into_iter().next()?;
        common = (latest(common.0, low), earliest(common.1, high));
    }
    match &common {
        (End::At(low), End::At(high)) if low.order(high) == Ordering::Greater => None,
        _ => Some(common),
    }
}

/// Exact first contact.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Parameter of the line.
    pub at: Surd,
    /// Whether the sphere touches where the range begins.
    pub is_at_start: bool,
}

/// The first contact within a range: where one of the intervals begins, or the start of the range inside of one.
pub fn first_contact(intervals: &[Interval], range: &crate::rules::Range) -> Option<Contact> {
    if let Some(start) = range.start().filter(|start| range.contains(start)) {
        let is_touching = intervals.iter().any(|(low, high)| {
            let after = !matches!(low, End::At(low) if low.order(start) == Ordering::Greater);
            let before = !matches!(high, End::At(high) if high.order(start) == Ordering::Less);
            after && before
        });
        if is_touching {
            return Some(Contact { at: start.clone(), is_at_start: true });
        }
    } else if intervals.iter().any(|(low, _)| matches!(low, End::Unbounded)) {
        // In contact from the beginning of the whole line.
        return None;
    }
    let begins = intervals.iter().filter_map(|(low, _)| match low {
        End::At(low) if range.contains(low) => Some(low),
        _ => None,
    });
    let at = begins.min_by(|a, b| a.order(b))?.clone();
    Some(Contact { at, is_at_start: false })
}
