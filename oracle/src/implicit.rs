//! Implicit functions: each shape as inequalities `g(p) <= 0` between integers, straight from its definition.
//!
//! This module has no rays. A solid is a union of convex parts; in a part all implicit functions are at most zero. A
//! surface is the zero set of one function where others are at most zero. The functions are polynomials of degree at
//! most 2. The image of a shape under an affine map has the functions of the shape, evaluated at the preimage.

use crate::affine::{Preimage, Units};
use crate::body::{Body, Kind};
use crate::line::{Whole, cross, dot, minus, on};
use crate::number::{grid_of, on_grid, sign};
use dashu_int::IBig;
use std::sync::Arc;

/// Implicit function of a shape: at most zero inside.
#[derive(Clone, Debug)]
pub enum Implicit {
    /// `n . (p - at) <= limit`.
    Linear {
        /// Outward normal of any length.
        n: Whole,
        /// A point of the plane, if `limit` is 0.
        at: Whole,
        /// Largest value of the scalar product inside.
        limit: IBig,
    },
    /// `|p - center|^2 <= radius^2`.
    Sphere {
        /// Center, in units of the grid.
        center: Whole,
        /// Squared radius, in units of the grid.
        limit: IBig,
    },
    /// With `w = p - a` and `h = w . u`: `(|w|^2 |u|^2 - h^2) |u|^2 <= (r |u|^2 + growth h)^2`: the distance from
    /// the axis against the radius, which changes linearly along it. A constant radius omits a power of `|u|^2`.
    Cone {
        /// A point of the axis.
        a: Whole,
        /// Axis vector: along it the radius changes by `growth`.
        u: Whole,
        /// Radius at `a`.
        radius: IBig,
        /// Radius at `a + u` minus that at `a`.
        growth: IBig,
    },
    /// With `w = p - a` and `h = w . u`: `(|u|^2 - growth^2) (|w|^2 - radius^2) <= (h + radius growth)^2`: the cone that touches the
    /// balls of radius `radius + s growth` around `a + s u`.
    TangentCone {
        /// Center of a ball.
        a: Whole,
        /// From there to the center of the other ball.
        u: Whole,
        /// Radius of the first ball.
        radius: IBig,
        /// Radius of the other ball minus that.
        growth: IBig,
    },
    /// `sum((axis_i . (p - center))^2 weight_i) <= limit`.
    Ellipsoid {
        /// Center, in units of the grid.
        center: Whole,
        /// Axes, in one unit of length.
        axes: Vec<Whole>,
        /// For each axis, the squared product of the other radii.
        weights: Vec<IBig>,
        /// Squared product of all radii, in the unit of the axes.
        limit: IBig,
    },
    /// Function of the shape at the preimage of the point.
    Image {
        /// Function of the shape.
        local: Box<Implicit>,
        /// Map from the image to the shape.
        preimage: Arc<Preimage>,
    },
}

impl Implicit {
    /// Value at a point.
    pub fn at(&self, p: &Whole) -> IBig {
        match self {
            Self::Linear { n, at, limit } => dot(n, &minus(p, at)) - limit,
            Self::Sphere { center, limit } => {
                let w = minus(p, center);
                dot(&w, &w) - limit
            }
            Self::Cone { a, u, radius, growth } => {
                let w = minus(p, a);
                let (h, uu) = (dot(&w, u), dot(u, u));
                let off_axis = dot(&w, &w) * &uu - &h * &h;
                if growth.is_zero() {
                    return off_axis - radius * radius * uu;
                }
                let allowed = radius * &uu + growth * &h;
                off_axis * uu - &allowed * &allowed
            }
            Self::TangentCone { a, u, radius, growth } => {
                let w = minus(p, a);
                let height = dot(&w, u) + radius * growth;
                (dot(u, u) - growth * growth) * (dot(&w, &w) - radius * radius) - &height * &height
            }
            Self::Ellipsoid { center, axes, weights, limit } => {
                let w = minus(p, center);
                let term = |(axis, weight): (&Whole, &IBig)| {
                    let x = dot(axis, &w);
                    &x * &x * weight
                };
                axes.iter().zip(weights).map(term).sum::<IBig>() - limit
            }
            Self::Image { local, preimage } => local.at(&preimage.of(p)),
        }
    }
    /// Whether the function is linear in the point.
    pub fn is_flat(&self) -> bool {
        match self {
            Self::Image { local, .. } => local.is_flat(),
            _ => matches!(self, Self::Linear { .. }),
        }
    }
    fn image(self, preimage: &Arc<Preimage>) -> Self {
        Self::Image { local: Box::new(self), preimage: preimage.clone() }
    }
    fn flat(n: Whole, at: Whole) -> Self {
        Self::Linear { n, at, limit: IBig::ZERO }
    }
}

/// Convex part of a solid.
#[derive(Clone, Debug, Default)]
pub struct ConvexPart {
    /// Functions that form the boundary of the solid.
    pub boundary: Vec<Implicit>,
    /// Functions that separate the part from another one inside the solid.
    pub internal: Vec<Implicit>,
}

impl ConvexPart {
    fn new(boundary: impl IntoIterator<Item = Implicit>) -> Self {
        Self { boundary: boundary.into_iter().collect(), internal: Vec::new() }
    }
    fn contains(&self, p: &Whole) -> bool {
        self.boundary.iter().chain(&self.internal).all(|g| sign(&g.at(p)) <= 0)
    }
}

/// Set of the points of a shape, as implicit functions.
#[derive(Clone, Debug)]
pub enum ImplicitShape {
    /// Convex union of convex parts.
    Solid(Vec<ConvexPart>),
    /// Part of a plane: a linear function is zero, and the others are at most zero. The gradient of the linear one is
    /// the normal.
    Surface {
        /// Function that is zero on the plane; its gradient is the normal.
        plane: Implicit,
        /// Functions that are at most zero within the outline.
        within: Vec<Implicit>,
    },
}

impl ImplicitShape {
    /// Converts a shape to integers on a grid that represents its lengths.
    pub fn new(body: &Body, grid: i32) -> Self {
        Self::in_units(body, &Units { grid, factor: IBig::ONE })
    }
    /// Exact image of a shape, as functions of the points of the image.
    pub fn image(body: &Body, preimage: &Preimage) -> Self {
        let preimage = Arc::new(preimage.clone());
        let all = |implicits: Vec<Implicit>| implicits.into_iter().map(|g| g.image(&preimage)).collect();
        match Self::in_units(body, &preimage.units) {
            Self::Solid(parts) => {
                let part = |part: ConvexPart| ConvexPart { boundary: all(part.boundary), internal: all(part.internal) };
                Self::Solid(parts.into_iter().map(part).collect())
            }
            Self::Surface { plane, within } => Self::Surface { plane: plane.image(&preimage), within: all(within) },
        }
    }
    fn in_units(body: &Body, units: &Units) -> Self {
        let point = |i| units.point(&body.vector(i));
        let length = |i| units.length(body.number(i));
        let direction = |i: usize| {
            let v = body.vector(i);
            on(&v, grid_of(v))
        };
        let squared = |x: IBig| &x * &x;
        match body.kind {
            Kind::Sphere | Kind::Circle => {
                Self::Solid(vec![ConvexPart::new([Implicit::Sphere { center: point(0), limit: squared(length(1)) }])])
            }
            Kind::Cuboid | Kind::Rectangle | Kind::OrientedBox | Kind::OrientedRectangle => {
                Self::Solid(vec![slabs(body, units)])
            }
            Kind::Capsule | Kind::Capsule2 => Self::Solid(capsule(&point(0), &point(1), &length(2))),
            Kind::TaperedCapsule | Kind::TaperedCapsule2 => {
                Self::Solid(tapered_capsule(&point(0), &point(1), &length(2), &length(3)))
            }
            Kind::Cylinder => Self::Solid(vec![frustum(&point(0), &point(1), length(2), IBig::ZERO)]),
            Kind::Cone => Self::Solid(vec![frustum(&point(0), &point(1), length(2), -length(2))]),
            Kind::Frustum => Self::Solid(vec![frustum(&point(0), &point(1), length(2), length(3) - length(2))]),
            Kind::Ellipsoid | Kind::Ellipse => Self::Solid(vec![ConvexPart::new([ellipsoid(body, units)])]),
            Kind::HalfSpace | Kind::HalfPlane => {
                Self::Solid(vec![ConvexPart::new([Implicit::flat(direction(1), point(0))])])
            }
            Kind::Triangle2 | Kind::Polygon => Self::Solid(vec![polygon(body, units)]),
            Kind::Plane | Kind::Line => {
                Self::Surface { plane: Implicit::flat(direction(1), point(0)), within: Vec::new() }
            }
            Kind::Disk => {
                let rim = Implicit::Sphere { center: point(0), limit: squared(length(2)) };
                Self::Surface { plane: Implicit::flat(direction(1), point(0)), within: vec![rim] }
            }
            Kind::Triangle => triangle(&[0, 1, 2].map(point)),
            Kind::Quad => quad(&point(0), &point(1), &point(2)),
            Kind::Segment => {
                let (a, b) = (point(0), point(1));
                let along = minus(&b, &a);
                let plane = Implicit::flat([along[1].clone(), -&along[0], IBig::ZERO], a.clone());
                Self::Surface { plane, within: vec![Implicit::flat(negative(&along), a), Implicit::flat(along, b)] }
            }
        }
    }
    /// Tests whether the closed solid contains a point. A surface contains none.
    pub fn contains(&self, p: &Whole) -> bool {
        matches!(self, Self::Solid(parts) if parts.iter().any(|part| part.contains(p)))
    }
}

impl Units {
    fn length(&self, x: f64) -> IBig {
        on_grid(x, self.grid) * &self.factor
    }
    fn point(&self, p: &[f64; 3]) -> Whole {
        p.map(|x| self.length(x))
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
    // At most 0, so that the length of a unit vector is an integer number of units.
    let unit = grid_of(given.iter().flatten().copied()).min(0);
    (given.iter().map(|v| on(v, unit)).collect(), unit)
}

/// `|axis_i . (p - center)| <= half_extents_i`.
fn slabs(body: &Body, units: &Units) -> ConvexPart {
    let (axes, unit) = axes(body);
    let center = units.point(&body.vector(0));
    let mut boundary = Vec::new();
    for (axis, half) in axes.iter().zip(body.field(1)) {
        let limit = units.length(*half) << unit.unsigned_abs() as usize;
        boundary.push(Implicit::Linear { n: negative(axis), at: center.clone(), limit: limit.clone() });
        boundary.push(Implicit::Linear { n: axis.clone(), at: center.clone(), limit });
    }
    ConvexPart::new(boundary)
}

/// `sum((axis_i . (p - center) / radii_i)^2) <= 1`, times all radii squared.
fn ellipsoid(body: &Body, units: &Units) -> Implicit {
    let (axes, unit) = axes(body);
    let radii: Vec<IBig> = body.field(1).iter().map(|r| units.length(*r)).collect();
    let others = |i: usize| -> IBig { radii.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| r).product() };
    let weights = (0..radii.len()).map(|i| others(i) * others(i)).collect();
    let all: IBig = radii.iter().product();
    let limit = (&all * &all) << (2 * unit.unsigned_abs() as usize);
    Implicit::Ellipsoid { center: units.point(&body.vector(0)), axes, weights, limit }
}

/// Cylinder, cone or frustum: between the planes through `a` and `b`, within a radius that changes linearly.
fn frustum(a: &Whole, b: &Whole, radius: IBig, growth: IBig) -> ConvexPart {
    let u = minus(b, a);
    let caps = [Implicit::flat(negative(&u), a.clone()), Implicit::flat(u.clone(), b.clone())];
    ConvexPart::new([Implicit::Cone { a: a.clone(), u, radius, growth }].into_iter().chain(caps))
}

/// Two spheres and the cylinder between them.
fn capsule(a: &Whole, b: &Whole, radius: &IBig) -> Vec<ConvexPart> {
    let ball = |center: &Whole| ConvexPart::new([Implicit::Sphere { center: center.clone(), limit: radius * radius }]);
    if a == b {
        return vec![ball(a)];
    }
    let ConvexPart { mut boundary, .. } = frustum(a, b, radius.clone(), IBig::ZERO);
    let internal = boundary.split_off(1);
    vec![ConvexPart { boundary, internal }, ball(a), ball(b)]
}

/// Two balls, and the cone that touches both between the planes of contact; none if one ball contains the other.
fn tapered_capsule(a: &Whole, b: &Whole, from: &IBig, to: &IBig) -> Vec<ConvexPart> {
    let ball = |center: &Whole, r: &IBig| ConvexPart::new([Implicit::Sphere { center: center.clone(), limit: r * r }]);
    let (u, growth) = (minus(b, a), to - from);
    let mut parts = vec![ball(a, from), ball(b, to)];
    if dot(&u, &u) <= &growth * &growth {
        parts.remove(usize::from(growth <= IBig::ZERO));
        return parts;
    }
    let planes = [
        Implicit::Linear { n: negative(&u), at: a.clone(), limit: from * &growth },
        Implicit::Linear { n: u.clone(), at: b.clone(), limit: -(to * &growth) },
    ];
    let side = Implicit::TangentCone { a: a.clone(), u, radius: from.clone(), growth };
    parts.push(ConvexPart { boundary: vec![side], internal: planes.into() });
    parts
}

/// Convex polygon: left of every edge, or right of every edge.
fn polygon(body: &Body, units: &Units) -> ConvexPart {
    let corners: Vec<Whole> = body.corners().iter().map(|v| units.point(v)).collect();
    let n = corners.len();
    let edge = |i: usize| minus(&corners[(i + 1) % n], &corners[i]);
    let area: IBig = (1..n)
        .map(|i| cross(&minus(&corners[i], &corners[0]), &minus(&corners[(i + 1) % n], &corners[0]))[2].clone())
        .sum();
    let orientation = IBig::from(sign(&area));
    let side = |i: usize| {
        let e = edge(i);
        Implicit::flat([&e[1] * &orientation, -&e[0] * &orientation, IBig::ZERO], corners[i].clone())
    };
    ConvexPart::new((0..n).map(side))
}

/// Triangle: on the plane through the vertices, and on the inner side of each edge.
fn triangle([a, b, c]: &[Whole; 3]) -> ImplicitShape {
    let n = cross(&minus(b, a), &minus(c, a));
    let side = |p: &Whole, q: &Whole| Implicit::flat(cross(&minus(q, p), &n), p.clone());
    ImplicitShape::Surface {
        plane: Implicit::flat(n.clone(), a.clone()),
        within: vec![side(a, b), side(b, c), side(c, a)],
    }
}

/// Quad: on the plane through the corner, and on the inner side of each edge.
fn quad(corner: &Whole, e: &Whole, f: &Whole) -> ImplicitShape {
    let n = cross(e, f);
    let far: Whole = std::array::from_fn(|i| &corner[i] + &e[i] + &f[i]);
    // Outward normals in the plane, each with a corner on its edge.
    let [across_e, across_f] = [cross(e, &n), cross(&n, f)];
    ImplicitShape::Surface {
        plane: Implicit::flat(n, corner.clone()),
        within: vec![
            Implicit::flat(across_e.clone(), corner.clone()),
            Implicit::flat(negative(&across_e), far.clone()),
            Implicit::flat(across_f.clone(), corner.clone()),
            Implicit::flat(negative(&across_f), far),
        ],
    }
}
