//! The rays of the demo: one at each shape, and some that show a rule.

use hitscan::Real;
use hitscan::{Faces, Inside, Query};

/// A ray, and the rule that it shows.
pub(super) struct Example {
    pub(super) what: &'static str,
    /// Origin and direction; z = 0 in the plane.
    pub(super) ray: [[f64; 3]; 2],
    pub(super) rule: Rule,
}

/// The query of an example, and whether the picture shows its ray.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// The first hit; drawn in the picture.
    First,
    /// The first hit; not drawn.
    Hidden,
    /// A hollow solid.
    Hollow,
    /// The range of `t` ends at 1.
    Near,
    /// Only the front of surfaces.
    Front,
    /// Only layer 1.
    Layer1,
}

impl Rule {
    pub(super) fn query<S: Real>(self) -> Query<S> {
        let query = Query::new();
        match self {
            Self::First | Self::Hidden => query,
            Self::Hollow => query.inside(Inside::Hollow),
            Self::Near => query.range(S::ZERO, S::ONE),
            Self::Front => query.faces(Faces::Front),
            Self::Layer1 => query.layers(2),
        }
    }
}

const fn at(what: &'static str, origin: [f64; 3], direction: [f64; 3]) -> Example {
    Example { what, ray: [origin, direction], rule: Rule::First }
}

const fn ruled(what: &'static str, rule: Rule, origin: [f64; 3], direction: [f64; 3]) -> Example {
    Example { what, ray: [origin, direction], rule }
}

/// The rays in space. Directions are not of length 1, so `t` and distance differ.
pub(super) const SPACE: &[Example] = &[
    at("at the floor", [-1.5, 2.0, 6.0], [0.5, -2.0, -1.0]),
    at("at the ball", [-4.0, 3.0, 3.5], [0.75, -1.25, -2.0]),
    at("at the crate", [1.5, 2.5, 5.0], [-0.25, -1.0, -1.5]),
    at("at the brick", [6.0, 2.5, 4.5], [-1.0, -1.25, -1.25]),
    at("at the pill", [-5.5, 2.5, 5.5], [0.5, -1.25, -1.5]),
    at("at the column", [-3.0, 3.5, 0.5], [-0.5, -1.0, -2.0]),
    at("at the cone", [4.5, 3.0, 2.0], [-0.75, -1.25, -1.75]),
    at("at the pedestal", [1.0, 1.75, 1.0], [-0.25, -0.75, -1.5]),
    at("at the egg", [-1.0, 2.5, 5.0], [0.0, -1.0, -1.5]),
    at("at the mirror", [-5.0, 3.0, 2.5], [-0.5, -0.75, -1.5]),
    at("at the sail", [6.75, 3.5, 1.0], [-0.25, -1.0, -1.5]),
    at("at the knot", [1.5, 4.5, 0.5], [-0.5, -1.0, -1.5]),
    ruled("down the column's axis", Rule::Hidden, [-4.0, 5.0, -3.0], [0.0, -1.0, 0.0]),
    ruled("starts inside the ball", Rule::Hidden, [-3.0, 1.0, 0.5], [1.0, 0.0, 0.0]),
    ruled("the same, hollow", Rule::Hollow, [-3.0, 1.0, 0.5], [1.0, 0.0, 0.0]),
    ruled("touches the ball", Rule::Hidden, [-6.0, 2.0, 0.5], [1.0, 0.0, 0.0]),
    ruled("beyond t_max = 1", Rule::Near, [-3.0, 4.0, 0.5], [0.0, -1.0, 0.0]),
    ruled("from behind the sail", Rule::Hidden, [6.25, 1.0, -4.0], [0.0, 0.0, 1.0]),
    ruled("the same, fronts only", Rule::Front, [6.25, 1.0, -4.0], [0.0, 0.0, 1.0]),
    ruled("layer 1 only", Rule::Layer1, [0.0, 5.0, 5.0], [0.0, -1.0, 0.0]),
    at("into the sky", [-1.0, 3.0, 0.5], [0.5, 1.25, -1.0]),
];

/// The rays in the plane. The first one is the worked example of textbooks.
pub(super) const PLANE: &[Example] = &[
    at("at the circle", [3.0, 2.0, 0.0], [7.0, 4.0, 0.0]),
    at("at the ground", [6.0, 2.0, 0.0], [1.0, -2.0, 0.0]),
    at("at the skyline", [7.0, 9.0, 0.0], [-0.25, 1.0, 0.0]),
    at("at the wall", [14.0, 4.5, 0.0], [3.0, 1.5, 0.0]),
    at("at the house", [19.0, 4.0, 0.0], [1.0, -1.0, 0.0]),
    at("at the card", [-1.0, 7.0, 0.0], [2.0, 1.0, 0.0]),
    at("at the capsule", [18.0, 4.0, 0.0], [-1.0, -1.5, 0.0]),
    at("at the triangle", [21.0, 5.5, 0.0], [0.25, 1.0, 0.0]),
    at("at the hexagon", [14.5, 8.0, 0.0], [-2.0, 1.5, 0.0]),
    at("at the ellipse", [-1.5, 3.0, 0.0], [1.0, -1.0, 0.0]),
    ruled("starts inside the circle", Rule::Hidden, [10.0, 4.0, 0.0], [1.0, 0.0, 0.0]),
    ruled("the same, hollow", Rule::Hollow, [10.0, 4.0, 0.0], [1.0, 0.0, 0.0]),
    ruled("touches the circle", Rule::Hidden, [5.0, 7.0, 0.0], [1.0, 0.0, 0.0]),
    ruled("beyond t_max = 1", Rule::Near, [10.0, 8.5, 0.0], [0.0, -1.0, 0.0]),
    at("between all", [19.5, 5.0, 0.0], [4.0, 0.125, 0.0]),
];
