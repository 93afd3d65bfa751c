//! Constructors refuse every unusable number, and name the field.

use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Basis, BasisError, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace,
    OrientedBox, Plane, Quad, Rectangle, SegmentShape, ShapeError, ShapeErrorKind, Sphere, TaperedCapsule, Triangle,
    Triangle2,
};
use hitscan::{Real, Vector, Vector2, Vector3};
use std::error::Error as _;

/// Requirement on a field.
#[derive(Clone, Copy)]
enum Rule {
    /// Finite point.
    Point,
    /// Positive length, or vector of positive lengths.
    Positive,
    /// Length that may be zero.
    NotNegative,
    /// Nonzero vector.
    Direction,
    /// Point different from that of another field.
    Unlike(&'static str),
}
use Rule::{Direction, NotNegative, Point, Positive, Unlike};

/// Shape: its fields, each with its count of components, accepted numbers, and the constructor.
struct Constructor<S> {
    shape: &'static str,
    fields: Vec<(&'static str, usize, Rule)>,
    good: Vec<f64>,
    build: fn(&[S]) -> Result<(), ShapeError>,
}

macro_rules! constructor {
    ($shape:literal, [$($field:literal $n:literal $rule:expr),+], $good:expr, |$x:ident| $build:expr) => {
        Constructor { shape: $shape, fields: vec![$(($field, $n, $rule)),+], good: $good.to_vec(), build: |$x| $build.map(drop) }
    };
}

fn v<V: Vector>(x: &[V::Scalar]) -> V {
    V::from_xyz([x[0], x[1], if V::DIM == 3 { x[2] } else { V::Scalar::ZERO }])
}

fn space<V: Vector3>() -> Vec<Constructor<V::Scalar>> {
    let (p7, p8) = ([1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 0.5], [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 0.5, 0.25]);
    vec![
        constructor!("sphere", ["center" 3 Point, "radius" 1 Positive], [1.0, 2.0, 3.0, 4.0], |x| Sphere::<V>::new(v(x), x[3])),
        constructor!("half_space", ["point" 3 Point, "normal" 3 Direction], p7, |x| HalfSpace::<V>::new(v(x), v(&x[3..]))),
        constructor!("plane", ["point" 3 Point, "normal" 3 Direction], p7, |x| Plane::<V>::new(v(x), v(&x[3..]))),
        constructor!("disk", ["center" 3 Point, "normal" 3 Direction, "radius" 1 Positive], p7, |x| Disk::<V>::new(v(x), v(&x[3..]), x[6])),
        constructor!("box", ["center" 3 Point, "half_extents" 3 NotNegative], p7, |x| Cuboid::<V>::new(v(x), v(&x[3..]))),
        constructor!("oriented box", ["center" 3 Point, "half_extents" 3 NotNegative], p7, |x| {
            OrientedBox::<V>::new(v(x), v(&x[3..]), Basis::identity())
        }),
        constructor!("capsule", ["a" 3 Point, "b" 3 Point, "radius" 1 Positive], p7, |x| Capsule::<V>::new(v(x), v(&x[3..]), x[6])),
        constructor!("tapered capsule", ["a" 3 Point, "b" 3 Point, "radius_a" 1 NotNegative, "radius_b" 1 NotNegative], p8, |x| {
            TaperedCapsule::<V>::new(v(x), v(&x[3..]), x[6], x[7])
        }),
        constructor!("cylinder", ["a" 3 Point, "b" 3 Unlike("a"), "radius" 1 Positive], p7, |x| {
            Cylinder::<V>::new(v(x), v(&x[3..]), x[6])
        }),
        constructor!("cone", ["base" 3 Point, "apex" 3 Unlike("base"), "radius" 1 Positive], p7, |x| {
            Cone::<V>::new(v(x), v(&x[3..]), x[6])
        }),
        constructor!("frustum", ["a" 3 Point, "b" 3 Unlike("a"), "radius_a" 1 NotNegative, "radius_b" 1 NotNegative], p8, |x| {
            Frustum::<V>::new(v(x), v(&x[3..]), x[6], x[7])
        }),
        constructor!("ellipsoid", ["center" 3 Point, "radii" 3 Positive], p7, |x| Ellipsoid::<V>::new(v(x), v(&x[3..]))),
        constructor!("triangle", ["a" 3 Point, "b" 3 Point, "c" 3 Point], [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 0.0, 1.0, 0.0], |x| {
            Triangle::<V>::new(v(x), v(&x[3..]), v(&x[6..]))
        }),
        constructor!("quad", ["corner" 3 Point, "edge_u" 3 Point, "edge_v" 3 Point], [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 0.0, 1.0, 0.0], |x| {
            Quad::<V>::new(v(x), v(&x[3..]), v(&x[6..]))
        }),
    ]
}

fn plane<V: Vector2>() -> Vec<Constructor<V::Scalar>> {
    let (p3, p4, p5) = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0, 5.0], [1.0, 2.0, 4.0, 5.0, 0.5]);
    let p6 = [1.0, 2.0, 4.0, 5.0, 0.5, 0.25];
    vec![
        constructor!("circle", ["center" 2 Point, "radius" 1 Positive], p3, |x| Circle::<V>::new(v(x), x[2])),
        constructor!("half_plane", ["point" 2 Point, "normal" 2 Direction], p4, |x| HalfSpace::<V>::new(v(x), v(&x[2..]))),
        constructor!("line", ["point" 2 Point, "normal" 2 Direction], p4, |x| Plane::<V>::new(v(x), v(&x[2..]))),
        constructor!("segment", ["a" 2 Point, "b" 2 Unlike("a")], p4, |x| SegmentShape::<V>::new(v(x), v(&x[2..]))),
        constructor!("rectangle", ["center" 2 Point, "half_extents" 2 NotNegative], p4, |x| Rectangle::<V>::new(v(x), v(&x[2..]))),
        constructor!("oriented rectangle", ["center" 2 Point, "half_extents" 2 NotNegative], p4, |x| {
            OrientedBox::<V>::new(v(x), v(&x[2..]), Basis::identity())
        }),
        constructor!("capsule", ["a" 2 Point, "b" 2 Point, "radius" 1 Positive], p5, |x| Capsule::<V>::new(v(x), v(&x[2..]), x[4])),
        constructor!("tapered capsule", ["a" 2 Point, "b" 2 Point, "radius_a" 1 NotNegative, "radius_b" 1 NotNegative], p6, |x| {
            TaperedCapsule::<V>::new(v(x), v(&x[2..]), x[4], x[5])
        }),
        constructor!("ellipse", ["center" 2 Point, "radii" 2 Positive], p4, |x| Ellipsoid::<V>::new(v(x), v(&x[2..]))),
        constructor!("triangle", ["vertices" 6 Point], [0.0, 0.0, 1.0, 0.0, 0.0, 1.0], |x| {
            Triangle2::<V>::new(v(x), v(&x[2..]), v(&x[4..]))
        }),
        constructor!("polygon", ["vertices" 8 Point], [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], |x| {
            ConvexPolygon::<V>::new(x.chunks(2).map(v).collect::<Vec<V>>())
        }),
    ]
}

fn check<S: Real>(constructors: Vec<Constructor<S>>) {
    for Constructor { shape, fields, good, build } in constructors {
        let outcome = |numbers: &[f64]| build(&numbers.iter().map(|&x| S::from_f64(x)).collect::<Vec<S>>());
        let refused = |numbers: &[f64], field: &'static str, problem: ShapeErrorKind| {
            assert_eq!(outcome(numbers), Err(ShapeError { field, problem }), "{shape} of {numbers:?}");
        };
        assert_eq!(outcome(&good), Ok(()), "{shape}");
        let mut first = 0;
        for (field, components, rule) in fields {
            let place = first..first + components;
            for i in place.clone() {
                let with = |x: f64| {
                    let mut numbers = good.clone();
                    numbers[i] = x;
                    numbers
                };
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    refused(&with(bad), field, ShapeErrorKind::NotFinite);
                }
                let smallest = S::ZERO.next_up().to_f64();
                match rule {
                    Positive => [0.0, -0.0, -1.0, -smallest]
                        .iter()
                        .for_each(|&x| refused(&with(x), field, ShapeErrorKind::NotPositive)),
                    NotNegative => {
                        [-1.0, -smallest].iter().for_each(|&x| refused(&with(x), field, ShapeErrorKind::Negative));
                        assert_eq!([0.0, -0.0].map(|x| outcome(&with(x))), [Ok(()); 2], "{shape}: {field} may be 0");
                    }
                    _ => {}
                }
                if matches!(rule, Positive | NotNegative) {
                    assert_eq!([smallest, S::MAX.to_f64()].map(|x| outcome(&with(x))), [Ok(()); 2], "{shape}: {field}");
                }
            }
            let mut numbers = good.clone();
            match rule {
                Direction => {
                    numbers[place].fill(-0.0);
                    refused(&numbers, field, ShapeErrorKind::ZeroVector);
                }
                Unlike(other) => {
                    numbers.copy_within(0..components, first);
                    refused(&numbers, field, ShapeErrorKind::SameAs(other));
                }
                _ => {}
            }
            first += components;
        }
    }
}

#[test]
fn every_field_of_every_shape() {
    check(space::<Vec3>());
    check(space::<DVec3>());
    check(plane::<Vec2>());
    check(plane::<DVec2>());
}

#[test]
fn corners_and_axes() {
    let problem = |field, problem| Err(ShapeError { field, problem });
    let polygon =
        |points: &[[f32; 2]]| ConvexPolygon::new(points.iter().map(|&p| Vec2::from(p)).collect::<Vec<_>>()).map(drop);
    let (o, x, y, xy) = ([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]);
    assert_eq!(polygon(&[]), problem("vertices", ShapeErrorKind::TooFewVertices));
    assert_eq!(polygon(&[o, x]), problem("vertices", ShapeErrorKind::TooFewVertices));
    assert_eq!(polygon(&[o, x, [2.0, 0.0]]), problem("vertices", ShapeErrorKind::Collinear));
    assert_eq!(polygon(&[o, xy, x, y]), problem("vertices", ShapeErrorKind::NotConvex), "a bow tie");
    assert_eq!(polygon(&[o, x, x, y]), problem("vertices", ShapeErrorKind::NotConvex), "a corner twice");
    assert_eq!(polygon(&[o, x, xy, y, o, x, xy, y]), problem("vertices", ShapeErrorKind::NotConvex), "twice around");
    assert_eq!(
        polygon(&[o, [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]]),
        problem("vertices", ShapeErrorKind::NotConvex),
        "a dent"
    );
    assert_eq!([polygon(&[o, x, xy, y]), polygon(&[y, xy, x, o]), polygon(&[o, [0.5, 0.0], x, y])], [Ok(()); 3]);

    let flat = Triangle::new(Vec3::ZERO, Vec3::ONE, Vec3::splat(2.0)).map(drop);
    assert_eq!(flat, problem("a, b, c", ShapeErrorKind::Collinear));
    assert_eq!(
        Triangle2::new(Vec2::ZERO, Vec2::ONE, Vec2::splat(2.0)).map(drop),
        problem("vertices", ShapeErrorKind::Collinear)
    );
    let quad = |corner: f32, edge_v: Vec3| Quad::new(Vec3::splat(corner), Vec3::ONE, edge_v).map(drop);
    assert_eq!(quad(0.0, Vec3::splat(-2.0)), problem("edge_u, edge_v", ShapeErrorKind::Collinear));
    assert_eq!(quad(0.0, Vec3::ZERO), problem("edge_u, edge_v", ShapeErrorKind::Collinear));
    assert_eq!(quad(f32::MAX, Vec3::X * f32::MAX), problem("corner + edge_u + edge_v", ShapeErrorKind::NotFinite));
    assert_eq!(Frustum::new(Vec3::ZERO, Vec3::X, 0.0, 0.0).map(drop), problem("radius_a", ShapeErrorKind::NotPositive));
    let points = TaperedCapsule::new(Vec3::ZERO, Vec3::X, 0.0, 0.0).map(drop);
    assert_eq!(points, problem("radius_a", ShapeErrorKind::NotPositive));

    let axes = |given: &[Vec3]| OrientedBox::with_axes(Vec3::ZERO, Vec3::ONE, given).map(drop);
    let refused = |error| problem("axes", ShapeErrorKind::Axes(error));
    assert_eq!(axes(&[Vec3::X, Vec3::Y]), refused(BasisError::Count { given: 2, needed: 3 }));
    assert_eq!(axes(&[Vec3::X, Vec3::Y * 2.0, Vec3::Z]), refused(BasisError::NotUnit { axis: 1 }));
    assert_eq!(axes(&[Vec3::X, Vec3::NAN, Vec3::Z]), refused(BasisError::NotUnit { axis: 1 }));
    assert_eq!(axes(&[Vec3::X, Vec3::Y, Vec3::X]), refused(BasisError::NotOrthogonal { first: 0, second: 2 }));
    for bad in [Vec3::ZERO, Vec3::NAN, Vec3::X * f32::INFINITY] {
        assert_eq!(Basis::from_direction(bad), Err(BasisError::NoDirection));
    }
    let error = Sphere::new(Vec3::ZERO, -1.0).unwrap_err();
    assert_eq!(error.to_string(), "radius must be greater than 0");
    assert!(error.source().is_none());
    let error = OrientedBox::with_axes(Vec3::ZERO, Vec3::ONE, &[Vec3::X, Vec3::Y]).unwrap_err();
    let cause = error.source().and_then(|cause| cause.downcast_ref::<BasisError>());
    assert_eq!(cause, Some(&BasisError::Count { given: 2, needed: 3 }));
}
