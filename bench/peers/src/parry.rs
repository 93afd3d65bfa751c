//! Conversion of the oracle's shapes to parry's four crates: 2D and 3D, `f32` and `f64`.
//!
//! Placement is exact: capsules, triangles and segments are given by their vertices; balls and boxes are axis-aligned
//! with a translation; cylinders and cones are parallel to y. Half-spaces get the rounded unit normal.

use hitscan_oracle::body::{Body, Kind};
use hitscan_oracle::line::RayOrSegment;
use hitscan_oracle::number::Precision;

/// Answer of a peer: `t` and the normal.
pub(crate) type PeerHit = Option<(f64, [f64; 3])>;

macro_rules! peer {
    ($name:ident, $krate:ident, $s:ty, 3) => {
        fn $name(body: &Body, given: &RayOrSegment, solid: bool) -> PeerHit {
            use $krate::math::{Pose, Vector};
            use $krate::query::{Ray, RayCast};
            use $krate::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, Triangle};
            let vector = |[x, y, z]: [f64; 3]| Vector::new(x as $s, y as $s, z as $s);
            let (v, n) = (|i| vector(body.vector(i)), |i| body.number(i) as $s);
            let here = Pose::IDENTITY;
            let (shape, pose): (Box<dyn RayCast>, Pose) = match body.kind {
                Kind::Sphere => (Box::new(Ball::new(n(1))), Pose::from_translation(v(0))),
                Kind::Cuboid => (Box::new(Cuboid::new(v(1))), Pose::from_translation(v(0))),
                Kind::Capsule => (Box::new(Capsule::new(v(0), v(1), n(2))), here),
                Kind::Triangle => (Box::new(Triangle::new(v(0), v(1), v(2))), here),
                Kind::HalfSpace => (Box::new(HalfSpace::new(v(1))), Pose::from_translation(v(0))),
                // Between (x, -h, z) and (x, h, z).
                Kind::Cylinder | Kind::Cone => {
                    let ([x, _, z], [_, h, _]) = (body.vector(0), body.vector(1));
                    let pose = Pose::from_translation(vector([x, 0.0, z]));
                    if body.kind == Kind::Cone {
                        (Box::new(Cone::new(h as $s, n(2))), pose)
                    } else {
                        (Box::new(Cylinder::new(h as $s, n(2))), pose)
                    }
                }
                _ => return None,
            };
            let ray = Ray::new(vector(given.origin), vector(given.target));
            let hit = shape.cast_ray_and_get_normal(&pose, &ray, <$s>::MAX, solid)?;
            let n = hit.normal;
            Some((f64::from(hit.time_of_impact), [n.x, n.y, n.z].map(f64::from)))
        }
    };
    ($name:ident, $krate:ident, $s:ty, 2) => {
        fn $name(body: &Body, given: &RayOrSegment, solid: bool) -> PeerHit {
            use $krate::math::{Pose, Vector};
            use $krate::query::{Ray, RayCast};
            use $krate::shape::{Ball, Capsule, Cuboid, HalfSpace, Segment, Triangle};
            let vector = |[x, y, _]: [f64; 3]| Vector::new(x as $s, y as $s);
            let (v, n) = (|i| vector(body.vector(i)), |i| body.number(i) as $s);
            let here = Pose::IDENTITY;
            let (shape, pose): (Box<dyn RayCast>, Pose) = match body.kind {
                Kind::Circle => (Box::new(Ball::new(n(1))), Pose::from_translation(v(0))),
                Kind::Rectangle => (Box::new(Cuboid::new(v(1))), Pose::from_translation(v(0))),
                Kind::Capsule2 => (Box::new(Capsule::new(v(0), v(1), n(2))), here),
                Kind::Triangle2 => (Box::new(Triangle::new(v(0), v(1), v(2))), here),
                Kind::Segment => (Box::new(Segment::new(v(0), v(1))), here),
                Kind::HalfPlane => (Box::new(HalfSpace::new(v(1))), Pose::from_translation(v(0))),
                _ => return None,
            };
            let ray = Ray::new(vector(given.origin), vector(given.target));
            let hit = shape.cast_ray_and_get_normal(&pose, &ray, <$s>::MAX, solid)?;
            let n = hit.normal;
            Some((f64::from(hit.time_of_impact), [f64::from(n.x), f64::from(n.y), 0.0]))
        }
    };
}
peer!(space_f32, parry3d, f32, 3);
peer!(space_f64, parry3d_f64, f64, 3);
peer!(plane_f32, parry2d, f32, 2);
peer!(plane_f64, parry2d_f64, f64, 2);

/// Kinds of shapes that parry has.
pub(crate) const KINDS: [Kind; 13] = [
    Kind::Sphere,
    Kind::Cuboid,
    Kind::Capsule,
    Kind::Cylinder,
    Kind::Cone,
    Kind::HalfSpace,
    Kind::Triangle,
    Kind::Circle,
    Kind::Rectangle,
    Kind::Capsule2,
    Kind::HalfPlane,
    Kind::Triangle2,
    Kind::Segment,
];

/// Casts the ray. A panic counts as no answer.
pub(crate) fn cast(body: &Body, given: &RayOrSegment, precision: Precision, solid: bool) -> PeerHit {
    let peer = match (body.kind.dim(), precision) {
        (2, Precision::F32) => plane_f32,
        (2, Precision::F64) => plane_f64,
        (_, Precision::F32) => space_f32,
        (_, Precision::F64) => space_f64,
    };
    std::panic::catch_unwind(|| peer(body, given, solid)).ok().flatten()
}
