//! Shapes of the plane as plain numbers, for drawing.

use hitscan::glam::{DMat2, DVec2};
use hitscan::{AnyShape2, ConvexPolygon, Transform};
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
            AnyShape2::TaperedCapsule(s) => {
                tapered_capsule([s.a(), s.b()].map(xy), [s.radius_a(), s.radius_b()].map(Real::to_f64))
            }
            AnyShape2::Rectangle(s) => corners(s.center(), s.half_extents(), unit(1.0, 0.0), unit(0.0, 1.0)),
            AnyShape2::OrientedRectangle(s) => {
                corners(s.center(), s.half_extents(), s.basis().axes()[0], s.basis().axes()[1])
            }
            AnyShape2::Triangle(s) => Self::Polygon(s.vertices().map(xy).to_vec()),
            AnyShape2::Polygon(s) => Self::Polygon(s.vertices().iter().map(|v| xy(*v)).collect()),
            _ => return None,
        })
    }

    /// The outline of the image; curves become polygons.
    pub(crate) fn under<V: Vector2>(self, transform: &Transform<V>) -> Self {
        let [x, y] = [0, 1].map(|axis| DVec2::from_array(xy(transform.axes()[axis])));
        let (matrix, translation) = (DMat2::from_cols(x, y), DVec2::from_array(xy(transform.translation())));
        let image = |p: Point| (matrix * DVec2::from_array(p) + translation).to_array();
        // Normals have the transposed inverse; its length does not matter, and its sign is that of the determinant.
        let cofactors = DMat2::from_cols(DVec2::new(y.y, -y.x), DVec2::new(-x.y, x.x)) * matrix.determinant().signum();
        let normal = |n: Point| (cofactors * DVec2::from_array(n)).to_array();
        match self {
            Self::HalfPlane(point, n) => Self::HalfPlane(image(point), normal(n)),
            Self::Line(point, n) => Self::Line(image(point), normal(n)),
            Self::Segment(a, b) => Self::Segment(image(a), image(b)),
            Self::Polygon(corners) => Self::Polygon(corners.into_iter().map(image).collect()),
            Self::Ellipse(center, radii, axis) => {
                let (center, first) = (DVec2::from_array(center), DVec2::from_array(axis));
                let point = |unit: DVec2| center + first * (unit.x * radii[0]) + first.perp() * (unit.y * radii[1]);
                Self::Polygon(arc(0.0, 1.0).map(|unit| image(point(unit).to_array())).collect())
            }
            Self::Capsule(a, b, radius) => {
                let along = DVec2::from_array(b) - DVec2::from_array(a);
                let side = DVec2::from_angle(along.to_angle()).perp() * radius;
                let end = |p: Point, from: f64| {
                    arc(from, from + 0.5).map(move |unit| (DVec2::from_array(p) + side.rotate(unit)).to_array())
                };
                Self::Polygon(end(a, 0.0).chain(end(b, 0.5)).map(image).collect())
            }
        }
    }
}

/// The hull of two disks, by points of both circles.
fn tapered_capsule(ends: [Point; 2], radii: [f64; 2]) -> Outline {
    let circle = |i: usize| arc(0.0, 1.0).map(move |unit| DVec2::from_array(ends[i]) + unit * radii[i]);
    let hull = ConvexPolygon::hull(circle(0).chain(circle(1)).collect::<Vec<_>>());
    // A disk that is too small beside its coordinates has no hull.
    Outline::Polygon(hull.map_or_else(|_| ends.to_vec(), |hull| hull.vertices().iter().map(DVec2::to_array).collect()))
}

/// Unit vectors from one share of the turn to another.
fn arc(from: f64, to: f64) -> impl Iterator<Item = DVec2> {
    const STEPS: u32 = 64;
    let at = move |step: u32| from + (to - from) * f64::from(step) / f64::from(STEPS);
    (0..=STEPS).map(move |step| DVec2::from_angle(std::f64::consts::TAU * at(step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_goes_where_the_transform_puts_its_shape() {
        // Sheared along x, mirrored in y: (x, y) -> (x + y + 10, -y).
        let transform = Transform::new([DVec2::X, DVec2::new(1.0, -1.0)], DVec2::new(10.0, 0.0)).unwrap();
        let under = |outline: Outline| outline.under(&transform);
        assert_eq!(under(Outline::Segment([0.0, 0.0], [1.0, 2.0])), Outline::Segment([10.0, 0.0], [13.0, -2.0]));
        let Outline::Line(point, normal) = under(Outline::Line([0.0, 1.0], [0.0, 1.0])) else { panic!() };
        assert_eq!((point, normal[0], normal[1] < 0.0), ([11.0, -1.0], 0.0, true));
        let inverse = |[x, y]: Point| DVec2::new(x - 10.0 + y, -y);
        let Outline::Polygon(round) = under(Outline::Ellipse([1.0, 2.0], [3.0, 3.0], [0.6, 0.8])) else { panic!() };
        assert!(round.iter().all(|p| ((inverse(*p) - DVec2::new(1.0, 2.0)).length() - 3.0).abs() < 1e-12));
        let Outline::Polygon(capsule) = under(Outline::Capsule([0.0, 0.0], [4.0, 0.0], 1.0)) else { panic!() };
        let Outline::Polygon(tapered) = tapered_capsule([[0.0, 0.0], [5.0, 0.0]], [2.0, 5.0]) else { panic!() };
        let height = |p: &Point| (p[0] * -0.6 + p[1].abs() * 0.8 - 2.0).max(0.0);
        assert!(tapered.iter().all(|p| height(p) < 1e-12) && tapered.contains(&[10.0, 0.0]), "{tapered:?}");
        let Outline::Polygon(inner) = tapered_capsule([[0.0, 0.0], [1.0, 0.0]], [3.0, 1.0]) else { panic!() };
        assert!(inner.iter().all(|p| (DVec2::from_array(*p).length() - 3.0).abs() < 1e-12), "{inner:?}");
        let away = |p: DVec2| (p - DVec2::new(p.x.clamp(0.0, 4.0), 0.0)).length();
        assert!(capsule.iter().all(|p| (away(inverse(*p)) - 1.0).abs() < 1e-12), "{capsule:?}");
    }
}
