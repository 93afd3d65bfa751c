//! Shapes of the plane as plain numbers, for drawing.

use hitscan::AnyShape2;
use hitscan::{Real, Vector, Vector2};

pub(crate) type Point = [f64; 2];

/// An outline to draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outline {
    /// Center, radii, and the direction of the first radius.
    Ellipse(Point, Point, Point),
    /// All points behind the line: a point of it, and the normal.
    HalfPlane(Point, Point),
    /// A point, and the normal.
    Line(Point, Point),
    Segment(Point, Point),
    Capsule(Point, Point, f64),
    Polygon(Vec<Point>),
}

fn xy<V: Vector>(v: V) -> Point {
    let [x, y, _] = v.to_xyz().map(Real::to_f64);
    [x, y]
}

impl Outline {
    /// The outline of a shape; `None` for a kind that has no picture yet.
    pub(crate) fn of<V: Vector2>(shape: &AnyShape2<V>) -> Option<Self> {
        let corners = |center: V, half: V, x: V, y: V| {
            let corner = |sign_x: f64, sign_y: f64| {
                let scaled = |axis: V, by: f64| axis * V::Scalar::from_f64(by);
                let [half_x, half_y] = xy(half);
                xy(center + scaled(x, sign_x * half_x) + scaled(y, sign_y * half_y))
            };
            Self::Polygon(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
        };
        let unit = |x: f64, y: f64| V::from_xyz([x, y, 0.0].map(V::Scalar::from_f64));
        Some(match shape {
            AnyShape2::Circle(s) => Self::Ellipse(xy(s.center()), [s.radius().to_f64(); 2], [1.0, 0.0]),
            AnyShape2::Ellipse(s) => Self::Ellipse(xy(s.center()), xy(s.radii()), xy(s.basis().axes()[0])),
            AnyShape2::HalfPlane(s) => Self::HalfPlane(xy(s.point()), xy(s.normal())),
            AnyShape2::Line(s) => Self::Line(xy(s.point()), xy(s.normal())),
            AnyShape2::Segment(s) => Self::Segment(xy(s.a()), xy(s.b())),
            AnyShape2::Capsule(s) => Self::Capsule(xy(s.a()), xy(s.b()), s.radius().to_f64()),
            AnyShape2::Rectangle(s) => corners(s.center(), s.half_extents(), unit(1.0, 0.0), unit(0.0, 1.0)),
            AnyShape2::OrientedRectangle(s) => {
                corners(s.center(), s.half_extents(), s.basis().axes()[0], s.basis().axes()[1])
            }
            AnyShape2::Triangle(s) => Self::Polygon(s.vertices().map(xy).to_vec()),
            AnyShape2::Polygon(s) => Self::Polygon(s.vertices().iter().map(|v| xy(*v)).collect()),
            _ => return None,
        })
    }
}
