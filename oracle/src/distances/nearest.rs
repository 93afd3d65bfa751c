//! The closest point of a surface, in hundreds of bits: straight from the definitions of the shapes.
//!
//! # Method
//! A polyhedron is its triangles; a solid of revolution is a polyline in the half-plane of axis and point; an ellipsoid
//! `x' M x = 1` has its closest point at `(I + l M)^-1 p`, with `l` found by bisection. Of several parts the nearest one
//! wins, so that which part a point belongs to needs no decision.

use crate::body::{Body, Kind};
use crate::wide::{Vector, Wide, cross, dot, minus, plus, size, times, vector};

/// Closest point of a surface.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The distance, at least 0.
    pub distance: Wide,
    /// A closest point; there may be others.
    pub point: Vector,
}

impl Nearest {
    fn new(p: &Vector, point: Vector) -> Self {
        Self { distance: size(&minus(p, &point)), point }
    }
}

/// The nearest one of several.
fn least(all: impl IntoIterator<Item = Nearest>) -> Option<Nearest> {
    all.into_iter().reduce(|a, b| if b.distance < a.distance { b } else { a })
}

/// On a segment.
pub fn on_segment(p: &Vector, a: &Vector, b: &Vector) -> Nearest {
    let u = minus(b, a);
    let t = (&dot(&minus(p, a), &u) / &dot(&u, &u)).max(Wide::ZERO).min(Wide::new(1.0));
    Nearest::new(p, plus(a, &times(&u, &t)))
}

/// On a triangle.
pub fn on_triangle(p: &Vector, corners: &[Vector; 3]) -> Nearest {
    let [a, b, c] = corners;
    let n = cross(&minus(b, a), &minus(c, a));
    let sides = [(a, b), (b, c), (c, a)];
    let is_above = sides.iter().all(|(q, r)| dot(&minus(p, q), &cross(&n, &minus(r, q))).sign() >= 0);
    if is_above && dot(&n, &n).sign() > 0 {
        return on_plane(p, a, &n);
    }
    let edges = sides.map(|(q, r)| on_segment(p, q, r));
    let [first, ..] = edges.clone();
    least(edges).unwrap_or(first)
}

fn on_plane(p: &Vector, at: &Vector, n: &Vector) -> Nearest {
    let height = &dot(&minus(p, at), n) / &dot(n, n);
    Nearest::new(p, minus(p, &times(n, &height)))
}

/// A unit vector at right angles to `u`.
fn aside(u: &Vector) -> Vector {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(vector);
    let v = axes.map(|axis| cross(u, &axis)).into_iter().max_by(|a, b| {
        let order = dot(a, a).partial_cmp(&dot(b, b));
        order.unwrap_or(std::cmp::Ordering::Equal)
    });
    let v = v.unwrap_or_else(|| vector([0.0, 0.0, 1.0]));
    let length = size(&v);
    v.map(|x| &x / &length)
}

/// On the points at a distance from a segment.
fn on_capsule(p: &Vector, a: &Vector, b: &Vector, radius: &Wide) -> Nearest {
    let core = on_segment(p, a, b);
    let w = minus(p, &core.point);
    let u = minus(b, a);
    let way = if core.distance.sign() > 0 {
        w.map(|x| &x / &core.distance)
    } else if dot(&u, &u).sign() > 0 {
        // In the plane the normal of a segment has no z, like the cross product of the segment and z.
        let in_plane = cross(&u, &vector([0.0, 0.0, 1.0]));
        let length = size(&in_plane);
        if length.sign() > 0 { in_plane.map(|x| &x / &length) } else { aside(&u) }
    } else {
        vector([1.0, 0.0, 0.0])
    };
    Nearest::new(p, plus(&core.point, &times(&way, radius)))
}

/// On a tapered capsule: on the ball between the two whose surface is nearest, or from inside farthest.
fn on_tapered_capsule(p: &Vector, a: &Vector, b: &Vector, from: &Wide, to: &Wide) -> Nearest {
    let (u, growth) = (minus(b, a), to - from);
    let length = size(&u);
    let at = |share: &Wide| plus(a, &times(&u, share));
    // The distance less the radius is a convex function of the share of the way from `a` to `b`: where it grows.
    let grows = |share: &Wide| {
        let w = minus(p, &at(share));
        let distance = size(&w);
        if distance.sign() == 0 { growth < length } else { (&dot(&w, &u) + &(&growth * &distance)).sign() < 0 }
    };
    let (mut low, mut high) = (Wide::ZERO, Wide::new(1.0));
    let half = Wide::new(0.5);
    for _ in 0..BISECTIONS {
        let middle = &(&low + &high) * &half;
        if grows(&middle) { high = middle } else { low = middle }
    }
    let share = if grows(&Wide::ZERO) {
        Wide::ZERO
    } else if grows(&high) {
        high
    } else {
        Wide::new(1.0)
    };
    let (center, radius) = (at(&share), from + &(&growth * &share));
    let w = minus(p, &center);
    let distance = size(&w);
    // A point of the axis has no direction of its own: the normal of the side.
    let way = if distance.to_f64() > length.to_f64() * 2f64.powi(-120) {
        w.map(|x| &x / &distance)
    } else if length.sign() > 0 && growth.abs() < length {
        let sine = &growth / &length;
        let cosine = (&Wide::new(1.0) - &(&sine * &sine)).sqrt();
        // In the plane, across the axis without leaving it.
        let in_plane = cross(&u, &vector([0.0, 0.0, 1.0]));
        let across = if size(&in_plane).sign() > 0 { in_plane } else { aside(&u) };
        minus(&times(&across, &(&cosine / &size(&across))), &times(&u, &(&sine / &length)))
    } else {
        vector([1.0, 0.0, 0.0])
    };
    Nearest::new(p, plus(&center, &times(&way, &radius)))
}

/// On a solid of revolution, or a disk: corners of its profile, each the height along the axis and the radius there.
fn on_revolved(p: &Vector, a: &Vector, u: &Vector, profile: &[[Wide; 2]]) -> Nearest {
    let length = size(u);
    let unit = u.clone().map(|x| &x / &length);
    let w = minus(p, a);
    let height = dot(&w, &unit);
    let across = minus(&w, &times(&unit, &height));
    let off_axis = size(&across);
    let way = if off_axis.sign() > 0 { across.map(|x| &x / &off_axis) } else { aside(&unit) };
    let flat = |[height, radius]: &[Wide; 2]| [height.clone(), radius.clone(), Wide::ZERO];
    let here = [height, off_axis, Wide::ZERO];
    let found = least(profile.windows(2).map(|side| on_segment(&here, &flat(&side[0]), &flat(&side[1]))));
    let [height, radius, _] = found.map_or_else(|| here.clone(), |found| found.point);
    Nearest::new(p, plus(a, &plus(&times(&unit, &height), &times(&way, &radius))))
}

/// Determinant of columns.
fn determinant([a, b, c]: &[Vector; 3]) -> Wide {
    dot(a, &cross(b, c))
}

/// Solves a linear system of columns by Cramer's rule.
fn solve(columns: &[Vector; 3], right: &Vector) -> Vector {
    let all = determinant(columns);
    std::array::from_fn(|i| {
        let mut replaced = columns.clone();
        replaced[i] = right.clone();
        &determinant(&replaced) / &all
    })
}

/// Steps of bisection: enough for `f64`, and 60 bits beyond it.
const BISECTIONS: usize = 140;

/// On an ellipsoid or ellipse; `None` near points that are equally far from several places.
fn on_ellipsoid(p: &Vector, body: &Body) -> Option<Nearest> {
    let dim = body.kind.dim();
    let (center, radii) = (vector(body.vector(0)), vector(body.vector(1)));
    let axes: Vec<Vector> = body.vectors(2).into_iter().map(vector).collect();
    let zero: Vector = std::array::from_fn(|_| Wide::ZERO);
    // M: the sum of the squares of the axes over the radii; in the plane z does not count.
    let mut matrix: [Vector; 3] = std::array::from_fn(|_| zero.clone());
    for (axis, radius) in axes.iter().zip(&radii) {
        if radius.sign() == 0 {
            return None;
        }
        let scaled = axis.clone().map(|x| &x / radius);
        matrix = std::array::from_fn(|j| plus(&matrix[j], &times(&scaled, &scaled[j])));
    }
    let w = minus(p, &center);
    let one = Wide::new(1.0);
    let shifted = |l: &Wide| -> [Vector; 3] {
        std::array::from_fn(|j| std::array::from_fn(|i| &(&matrix[j][i] * l) + &Wide::new(f64::from(u8::from(i == j)))))
    };
    let is_definite = |columns: &[Vector; 3]| {
        let [a, b, _] = columns;
        let minor = &(&a[0] * &b[1]) - &(&a[1] * &b[0]);
        a[0].sign() > 0 && minor.sign() > 0 && (dim == 2 || determinant(columns).sign() > 0)
    };
    let value = |x: &Vector| {
        let image: Vector =
            std::array::from_fn(|i| &(&(&matrix[0][i] * &x[0]) + &(&matrix[1][i] * &x[1])) + &(&matrix[2][i] * &x[2]));
        &dot(x, &image) - &one
    };
    let is_outside = value(&w).sign() > 0;
    let largest = radii[..dim].iter().cloned().reduce(Wide::max)?;
    // Outside, |x - w| = l |M x| is at most |w|, and |M x| at least 1 over the largest radius on the surface.
    let (mut low, mut high) = if is_outside {
        (Wide::ZERO, &(&size(&w) * &largest) * &Wide::new(4.0))
    } else {
        (-&(&(&largest * &largest) * &Wide::new(4.0)), Wide::ZERO)
    };
    let half = Wide::new(0.5);
    for _ in 0..BISECTIONS {
        let middle = &(&low + &high) * &half;
        let columns = shifted(&middle);
        if !is_definite(&columns) || value(&solve(&columns, &w)).sign() > 0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let columns = shifted(&high);
    let x = solve(&columns, &w);
    // Where the bisection has found no root but the end of the definite range, other points are as close.
    let is_root = is_definite(&columns) && value(&x).abs().to_f64() < 2f64.powi(-70);
    is_root.then(|| Nearest::new(p, plus(&center, &x)))
}

/// The 8 corners of an oriented box, or the 4 of a rectangle twice, in the order of the signs along the axes.
fn box_corners(body: &Body) -> Vec<Vector> {
    let dim = body.kind.dim();
    let (center, half) = (vector(body.vector(0)), vector(body.vector(1)));
    let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut rows = units.map(vector);
    if matches!(body.kind, Kind::OrientedBox | Kind::OrientedRectangle) {
        body.vectors(2).into_iter().take(dim).enumerate().for_each(|(i, axis)| rows[i] = vector(axis));
    }
    // A corner x has axis_i . x = h_i or its negative.
    let columns: [Vector; 3] = std::array::from_fn(|j| std::array::from_fn(|i| rows[i][j].clone()));
    let corner = |signs: usize| {
        let right: Vector = std::array::from_fn(|i| {
            if i >= dim {
                Wide::ZERO
            } else if signs >> i & 1 == 0 {
                -&half[i]
            } else {
                half[i].clone()
            }
        });
        plus(&center, &solve(&columns, &right))
    };
    (0..8).map(corner).collect()
}

fn on_outline(p: &Vector, corners: &[Vector]) -> Option<Nearest> {
    least((0..corners.len()).map(|i| on_segment(p, &corners[i], &corners[(i + 1) % corners.len()])))
}

/// The closest point of the surface of a shape.
pub fn on_surface(p: &Vector, body: &Body) -> Option<Nearest> {
    let at = |i: usize| vector(body.vector(i));
    let number = |i: usize| Wide::new(body.number(i));
    let zero = || Wide::ZERO;
    let turned = |profile: &dyn Fn(Wide) -> Vec<[Wide; 2]>| {
        let (a, b) = (at(0), at(1));
        let u = minus(&b, &a);
        on_revolved(p, &a, &u, &profile(size(&u)))
    };
    Some(match body.kind {
        Kind::Sphere | Kind::Circle => on_capsule(p, &at(0), &at(0), &number(1)),
        Kind::Capsule | Kind::Capsule2 => on_capsule(p, &at(0), &at(1), &number(2)),
        Kind::TaperedCapsule | Kind::TaperedCapsule2 => on_tapered_capsule(p, &at(0), &at(1), &number(2), &number(3)),
        Kind::Segment => on_segment(p, &at(0), &at(1)),
        Kind::Plane | Kind::HalfSpace | Kind::Line | Kind::HalfPlane => on_plane(p, &at(0), &at(1)),
        Kind::Triangle => on_triangle(p, &[at(0), at(1), at(2)]),
        Kind::Quad => {
            let (corner, e, f) = (at(0), at(1), at(2));
            let v = [corner.clone(), plus(&corner, &e), plus(&plus(&corner, &e), &f), plus(&corner, &f)];
            least([[0, 1, 2], [0, 2, 3]].map(|i| on_triangle(p, &i.map(|i| v[i].clone()))))?
        }
        Kind::Triangle2 | Kind::Polygon => {
            let corners: Vec<Vector> = body.corners().into_iter().map(vector).collect();
            on_outline(p, &corners)?
        }
        Kind::Cuboid | Kind::OrientedBox => {
            let v = box_corners(body);
            let face = |[a, b, c, d]: [usize; 4]| {
                [[a, b, c], [b, d, c]].map(|triangle| on_triangle(p, &triangle.map(|i| v[i].clone())))
            };
            let faces = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 3, 6, 7], [0, 2, 4, 6], [1, 3, 5, 7]];
            least(faces.into_iter().flat_map(face))?
        }
        Kind::Rectangle | Kind::OrientedRectangle => {
            let v = box_corners(body);
            on_outline(p, &[0, 1, 3, 2].map(|i| v[i].clone()))?
        }
        Kind::Cylinder => turned(&|h| vec![[zero(), zero()], [zero(), number(2)], [h.clone(), number(2)], [h, zero()]]),
        Kind::Cone => turned(&|h| vec![[zero(), zero()], [zero(), number(2)], [h, zero()]]),
        Kind::Frustum => turned(&|h| vec![[zero(), zero()], [zero(), number(2)], [h.clone(), number(3)], [h, zero()]]),
        Kind::Disk => on_revolved(p, &at(0), &at(1), &[[zero(), zero()], [zero(), number(2)]]),
        Kind::Ellipsoid | Kind::Ellipse => on_ellipsoid(p, body)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(kind: Kind, numbers: &[f64], p: [f64; 3]) -> f64 {
        let body = Body { kind, numbers: numbers.to_vec() };
        on_surface(&vector(p), &body).unwrap().distance.to_f64()
    }

    #[test]
    fn distances_of_known_places() {
        assert_eq!(distance(Kind::Sphere, &[1.0, 0.0, 0.0, 2.0], [4.0, 4.0, 0.0]), 3.0);
        assert_eq!(distance(Kind::Capsule, &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0]), 1.0);
        assert_eq!(distance(Kind::Cuboid, &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0], [4.0, 6.0, 0.0]), 5.0);
        assert_eq!(distance(Kind::Cuboid, &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 2.75]), 0.25);
        assert_eq!(distance(Kind::Cylinder, &[0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 1.0], [4.0, 0.0, 8.0]), 5.0);
        let tapered = [0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 2.0, 5.0];
        assert!((distance(Kind::TaperedCapsule, &tapered, [9.2, 0.0, -4.4]) - 8.0).abs() < 1e-14);
        assert_eq!(distance(Kind::TaperedCapsule, &tapered, [0.0, 0.0, -6.0]), 4.0);
        assert_eq!(distance(Kind::Disk, &[0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 1.0], [0.0, 4.0, 4.0]), 5.0);
        assert_eq!(distance(Kind::Polygon, &[0.0, 0.0, 2.0, 0.0, 0.0, 2.0], [1.0, 0.25, 0.0]), 0.25);
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let ellipsoid = [&[0.0, 0.0, 0.0, 4.0, 2.0, 1.0][..], &unit].concat();
        assert_eq!(distance(Kind::Ellipsoid, &ellipsoid, [6.0, 0.0, 0.0]), 2.0);
        assert_eq!(distance(Kind::Ellipsoid, &ellipsoid, [0.0, 0.0, 0.75]), 0.25);
    }
}
