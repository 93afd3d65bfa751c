//! Membership: every shape as inequalities `g(p) <= 0` between whole numbers, straight from its definition.
//!
//! Nothing here knows of lines. A solid is a union of parts, a part the points where all of its gauges are at most zero;
//! a surface is where one gauge is zero and others are at most zero. Gauges are polynomials of degree 2 at most.

use crate::body::{Body, Kind};
use crate::line::{Whole, cross, dot, minus, on};
use crate::number::{grid_of, on_grid, sign};
use dashu_int::IBig;

/// A function of the point that is at most zero where the shape is.
#[derive(Clone, Debug)]
pub enum Gauge {
    /// `n . (p - at) <= slack`.
    Flat {
        /// Pointing out.
        n: Whole,
        /// A place.
        at: Whole,
        /// What is still inside.
        slack: IBig,
    },
    /// `|p - center|^2 <= radius^2`.
    Ball {
        /// The centre.
        center: Whole,
        /// The radius squared.
        limit: IBig,
    },
    /// With `w = p - a` and `h = w . u`: `(|w|^2 |u|^2 - h^2) |u|^2 <= (r |u|^2 + growth h)^2`, the distance from the
    /// axis against the radius, which grows along it. Without growth a power of `|u|^2` is left out.
    Round {
        /// A point of the axis.
        a: Whole,
        /// Along the axis, as far as the radius takes to grow.
        u: Whole,
        /// The radius at `a`.
        radius: IBig,
        /// How much larger it is at `a + u`.
        growth: IBig,
    },
    /// `sum((axis_i . (p - center))^2 weight_i) <= limit`.
    Oval {
        /// The centre.
        center: Whole,
        /// The axes, in some unit.
        axes: Vec<Whole>,
        /// The squared products of the other radii.
        weights: Vec<IBig>,
        /// The squared product of all, in the unit of the axes.
        limit: IBig,
    },
}

impl Gauge {
    /// The value at a point.
    pub fn at(&self, p: &Whole) -> IBig {
        match self {
            Self::Flat { n, at, slack } => dot(n, &minus(p, at)) - slack,
            Self::Ball { center, limit } => {
                let w = minus(p, center);
                dot(&w, &w) - limit
            }
            Self::Round { a, u, radius, growth } => {
                let w = minus(p, a);
                let (h, uu) = (dot(&w, u), dot(u, u));
                let off_axis = dot(&w, &w) * &uu - &h * &h;
                if growth.is_zero() {
                    return off_axis - radius * radius * uu;
                }
                let allowed = radius * &uu + growth * &h;
                off_axis * uu - &allowed * &allowed
            }
            Self::Oval { center, axes, weights, limit } => {
                let w = minus(p, center);
                let term = |(axis, weight): (&Whole, &IBig)| {
                    let x = dot(axis, &w);
                    &x * &x * weight
                };
                axes.iter().zip(weights).map(term).sum::<IBig>() - limit
            }
        }
    }
    /// Linear in the point.
    pub fn is_flat(&self) -> bool {
        matches!(self, Self::Flat { .. })
    }
    fn flat(n: Whole, at: Whole) -> Self {
        Self::Flat { n, at, slack: IBig::ZERO }
    }
}

/// One convex part of a solid.
#[derive(Clone, Debug, Default)]
pub struct Convex {
    /// The boundary.
    pub skin: Vec<Gauge>,
    /// Gauges that cut the part off where another one goes on.
    pub seams: Vec<Gauge>,
}

impl Convex {
    fn new(skin: impl IntoIterator<Item = Gauge>) -> Self {
        Self { skin: skin.into_iter().collect(), seams: Vec::new() }
    }
    fn holds(&self, p: &Whole) -> bool {
        self.skin.iter().chain(&self.seams).all(|g| sign(&g.at(p)) <= 0)
    }
}

/// What a shape is.
#[derive(Clone, Debug)]
pub enum Model {
    /// A union of convex parts that is convex itself.
    Solid(Vec<Convex>),
    /// The zeros of a flat gauge, whose normal is the surface's, as far as the others allow.
    Surface {
        /// The plane.
        plane: Gauge,
        /// The outline.
        within: Vec<Gauge>,
    },
}

impl Model {
    /// The body on a grid that holds its lengths.
    pub fn new(body: &Body, grid: i32) -> Self {
        let point = |i| on(&body.vector(i), grid);
        let length = |i| on_grid(body.number(i), grid);
        let direction = |i: usize| {
            let v = body.vector(i);
            on(&v, grid_of(v))
        };
        let squared = |x: IBig| &x * &x;
        match body.kind {
            Kind::Sphere | Kind::Circle => {
                Self::Solid(vec![Convex::new([Gauge::Ball { center: point(0), limit: squared(length(1)) }])])
            }
            Kind::Cuboid | Kind::Rectangle | Kind::OrientedBox | Kind::OrientedRectangle => {
                Self::Solid(vec![slabs(body, grid)])
            }
            Kind::Capsule | Kind::Capsule2 => Self::Solid(capsule(&point(0), &point(1), &length(2))),
            Kind::Cylinder => Self::Solid(vec![round(&point(0), &point(1), length(2), IBig::ZERO)]),
            Kind::Cone => Self::Solid(vec![round(&point(0), &point(1), length(2), -length(2))]),
            Kind::Frustum => Self::Solid(vec![round(&point(0), &point(1), length(2), length(3) - length(2))]),
            Kind::Ellipsoid | Kind::Ellipse => Self::Solid(vec![Convex::new([oval(body, grid)])]),
            Kind::HalfSpace | Kind::HalfPlane => Self::Solid(vec![Convex::new([Gauge::flat(direction(1), point(0))])]),
            Kind::Triangle2 | Kind::Polygon => Self::Solid(vec![polygon(body, grid)]),
            Kind::Plane | Kind::Line => {
                Self::Surface { plane: Gauge::flat(direction(1), point(0)), within: Vec::new() }
            }
            Kind::Disk => {
                let rim = Gauge::Ball { center: point(0), limit: squared(length(2)) };
                Self::Surface { plane: Gauge::flat(direction(1), point(0)), within: vec![rim] }
            }
            Kind::Triangle => triangle(&[0, 1, 2].map(point)),
            Kind::Segment => {
                let (a, b) = (point(0), point(1));
                let along = minus(&b, &a);
                let plane = Gauge::flat([along[1].clone(), -&along[0], IBig::ZERO], a.clone());
                Self::Surface { plane, within: vec![Gauge::flat(negative(&along), a), Gauge::flat(along, b)] }
            }
        }
    }
    /// Whether the closed solid holds the point. A surface holds none.
    pub fn holds(&self, p: &Whole) -> bool {
        matches!(self, Self::Solid(parts) if parts.iter().any(|part| part.holds(p)))
    }
}

fn negative(v: &Whole) -> Whole {
    std::array::from_fn(|i| -&v[i])
}

fn axes(body: &Body) -> (Vec<Whole>, i32) {
    let given = if body.kind.fields().len() > 2 {
        body.vectors(2)
    } else {
        (0..body.kind.dim()).map(|i| std::array::from_fn(|j| f64::from(u8::from(i == j)))).collect()
    };
    // Not above 0, so that a unit vector's length is a whole number of units.
    let unit = grid_of(given.iter().flatten().copied()).min(0);
    (given.iter().map(|v| on(v, unit)).collect(), unit)
}

/// `|axis_i . (p - center)| <= half_extents_i`.
fn slabs(body: &Body, grid: i32) -> Convex {
    let (axes, unit) = axes(body);
    let center = on(&body.vector(0), grid);
    let mut skin = Vec::new();
    for (axis, half) in axes.iter().zip(body.field(1)) {
        let slack = on_grid(*half, grid) << unit.unsigned_abs() as usize;
        skin.push(Gauge::Flat { n: negative(axis), at: center.clone(), slack: slack.clone() });
        skin.push(Gauge::Flat { n: axis.clone(), at: center.clone(), slack });
    }
    Convex::new(skin)
}

/// `sum((axis_i . (p - center) / radii_i)^2) <= 1`, times all radii squared.
fn oval(body: &Body, grid: i32) -> Gauge {
    let (axes, unit) = axes(body);
    let radii: Vec<IBig> = body.field(1).iter().map(|r| on_grid(*r, grid)).collect();
    let others = |i: usize| -> IBig { radii.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| r).product() };
    let weights = (0..radii.len()).map(|i| others(i) * others(i)).collect();
    let all: IBig = radii.iter().product();
    let limit = (&all * &all) << (2 * unit.unsigned_abs() as usize);
    Gauge::Oval { center: on(&body.vector(0), grid), axes, weights, limit }
}

/// Between the planes through `a` and `b`, within a radius that grows from one to the other.
fn round(a: &Whole, b: &Whole, radius: IBig, growth: IBig) -> Convex {
    let u = minus(b, a);
    let caps = [Gauge::flat(negative(&u), a.clone()), Gauge::flat(u.clone(), b.clone())];
    Convex::new([Gauge::Round { a: a.clone(), u, radius, growth }].into_iter().chain(caps))
}

/// Two balls and the cylinder between them.
fn capsule(a: &Whole, b: &Whole, radius: &IBig) -> Vec<Convex> {
    let ball = |center: &Whole| Convex::new([Gauge::Ball { center: center.clone(), limit: radius * radius }]);
    if a == b {
        return vec![ball(a)];
    }
    let Convex { mut skin, .. } = round(a, b, radius.clone(), IBig::ZERO);
    let seams = skin.split_off(1);
    vec![Convex { skin, seams }, ball(a), ball(b)]
}

/// Left of every edge, or right of every edge.
fn polygon(body: &Body, grid: i32) -> Convex {
    let corners: Vec<Whole> = body.corners().iter().map(|v| on(v, grid)).collect();
    let n = corners.len();
    let edge = |i: usize| minus(&corners[(i + 1) % n], &corners[i]);
    let area: IBig = (1..n)
        .map(|i| cross(&minus(&corners[i], &corners[0]), &minus(&corners[(i + 1) % n], &corners[0]))[2].clone())
        .sum();
    let way = IBig::from(sign(&area));
    let side = |i: usize| {
        let e = edge(i);
        Gauge::flat([&e[1] * &way, -&e[0] * &way, IBig::ZERO], corners[i].clone())
    };
    Convex::new((0..n).map(side))
}

/// On the plane through the corners, and on the inner side of each edge, seen along the normal.
fn triangle([a, b, c]: &[Whole; 3]) -> Model {
    let n = cross(&minus(b, a), &minus(c, a));
    let side = |p: &Whole, q: &Whole| Gauge::flat(cross(&minus(q, p), &n), p.clone());
    Model::Surface { plane: Gauge::flat(n.clone(), a.clone()), within: vec![side(a, b), side(b, c), side(c, a)] }
}
