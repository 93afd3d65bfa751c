//! Random shapes of every kind.

use super::{Draw, Rng, Sample};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape2, AnyShape3, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace,
    OrientedBox, Plane, Quad, Rectangle, SegmentShape, Space, Sphere, TaperedCapsule, Triangle, Triangle2,
    TriangleMesh,
};
use hitscan::{Real, Vector2, Vector3};

/// Space with random shapes.
pub(crate) trait World: Space {
    /// Count of kinds.
    const KINDS: usize;
    /// Shape of this kind; `None` if its constructor refuses the numbers.
    fn shape(kind: usize, rng: &mut Rng, draw: Draw) -> Option<Self::Shape>;
    /// Whether the kind encloses points.
    fn is_solid(shape: &Self::Shape) -> bool;
}

fn draw2<V: Vector2>(kind: usize, rng: &mut Rng, draw: Draw) -> Option<AnyShape2<V>> {
    let mut v = || rng.vector::<V>(draw);
    let (a, b, c, d) = (v(), v(), v(), v());
    let (r, size) = (draw.size(rng), [draw.size(rng), draw.size(rng), V::Scalar::ZERO]);
    let size = V::from_xyz(size);
    Some(match kind {
        0 => Circle::new(a, r).ok()?.into(),
        1 => HalfSpace::new(a, b).ok()?.into(),
        2 => Plane::new(a, b).ok()?.into(),
        3 => SegmentShape::new(a, b).ok()?.into(),
        4 => Rectangle::new(a, size).ok()?.into(),
        5 => OrientedBox::new(a, size, rng.basis(draw)?).ok()?.into(),
        // Two kinds of one number each: further kinds would change the random numbers of all tests.
        6 if r > size.component(0) => Capsule::new(a, b, r).ok()?.into(),
        6 => TaperedCapsule::new(a, b, r, size.component(0)).ok()?.into(),
        7 => Triangle2::new(a, b, c).ok()?.into(),
        8 => ConvexPolygon::new([a, b, c, d]).or_else(|_| ConvexPolygon::new([a, b, c])).ok()?.into(),
        _ => Ellipsoid::with_basis(a, size, rng.basis(draw)?).ok()?.into(),
    })
}

fn draw3<V: Vector3>(kind: usize, rng: &mut Rng, draw: Draw) -> Option<AnyShape3<V>> {
    let mut v = || rng.vector::<V>(draw);
    let (a, b, c, d) = (v(), v(), v(), v());
    let (r, s, size) = (draw.size(rng), draw.size(rng), [draw.size(rng), draw.size(rng), draw.size(rng)]);
    let size = V::from_xyz(size);
    Some(match kind {
        0 => Sphere::new(a, r).ok()?.into(),
        1 => HalfSpace::new(a, b).ok()?.into(),
        2 => Plane::new(a, b).ok()?.into(),
        3 => Disk::new(a, b, r).ok()?.into(),
        4 => Cuboid::new(a, size).ok()?.into(),
        5 => OrientedBox::new(a, size, rng.basis(draw)?).ok()?.into(),
        6 => Capsule::new(a, b, r).ok()?.into(),
        7 => Cylinder::new(a, b, r).ok()?.into(),
        8 => Cone::new(a, b, r).ok()?.into(),
        9 if r > s => Frustum::new(a, b, r, s).ok()?.into(),
        9 => TaperedCapsule::new(a, b, r, s).ok()?.into(),
        10 => Ellipsoid::with_basis(a, size, rng.basis(draw)?).ok()?.into(),
        11 if r > s => Triangle::new(a, b, c).ok()?.into(),
        11 => Quad::new(a, b, c).ok()?.into(),
        _ => TriangleMesh::new(vec![a, b, c, d], tetrahedron(a, b, c, d)).ok()?.into(),
    })
}

/// Its four faces, oriented outward.
fn tetrahedron<V: Vector3>(a: V, b: V, c: V, d: V) -> Vec<[u32; 3]> {
    let [[ax, ay, az], p, q, r] = [a, b, c, d].map(|v| v.to_xyz().map(Real::to_f64));
    let [p, q, r] = [p, q, r].map(|[x, y, z]| [x - ax, y - ay, z - az]);
    let volume =
        p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    if volume < 0.0 { faces.map(|[i, j, k]| [i, k, j]).to_vec() } else { faces.to_vec() }
}

macro_rules! world {
    ($vector:ty, $any:ident, $kinds:literal, $draw:ident, $surface:pat) => {
        impl World for $vector {
            const KINDS: usize = $kinds;
            fn shape(kind: usize, rng: &mut Rng, draw: Draw) -> Option<Self::Shape> {
                $draw(kind, rng, draw)
            }
            fn is_solid(shape: &Self::Shape) -> bool {
                !matches!(shape, $surface)
            }
        }
    };
}
world!(Vec2, AnyShape2, 10, draw2, AnyShape2::Line(_) | AnyShape2::Segment(_));
world!(DVec2, AnyShape2, 10, draw2, AnyShape2::Line(_) | AnyShape2::Segment(_));
world!(
    Vec3,
    AnyShape3,
    13,
    draw3,
    AnyShape3::Plane(_) | AnyShape3::Disk(_) | AnyShape3::Triangle(_) | AnyShape3::Quad(_)
);
world!(
    DVec3,
    AnyShape3,
    13,
    draw3,
    AnyShape3::Plane(_) | AnyShape3::Disk(_) | AnyShape3::Triangle(_) | AnyShape3::Quad(_)
);
