//! Bounding boxes: every point of the shape is inside.

use crate::support::meshes::{build, torus};
use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Basis, Ellipsoid, Instance, Object, OrientedBox, Query, Ray, RayCast, SceneBuilder, Shape, Space, Transform,
};
use hitscan::{Real, Vector};

/// Largest distance of a point outside the box. The point of a hit is rounded after arithmetic on numbers of the ray's
/// size, so one unit in the last place of the largest of them; zero for a point that `contains` accepts.
fn slack<V: Vector>(ray: &Ray<V>, t: V::Scalar) -> f64 {
    let largest = |v: V| v.to_xyz().iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    V::Scalar::EPSILON.to_f64() * (largest(ray.origin) + t.to_f64().abs() * largest(ray.direction))
}

fn outside<V: Vector>(aabb: &hitscan::Aabb<V>, point: V) -> f64 {
    let (p, min, max) = (point.to_xyz(), aabb.min.to_xyz(), aabb.max.to_xyz());
    (0..V::DIM).map(|i| (min[i].to_f64() - p[i].to_f64()).max(p[i].to_f64() - max[i].to_f64())).fold(0.0, f64::max)
}

/// Turned, sheared, mirrored and stretched; a scale of 1/32 to 32.
fn transform<V: Space>(rng: &mut Rng) -> Option<Transform<V>> {
    let scale = 2f64.powi(rng.below(11) as i32 - 5);
    let axes = [0; 3].map(|_| rng.vector::<V>(Draw::Ordinary) * V::Scalar::from_f64(scale));
    Transform::new(&axes[..V::DIM], rng.vector(Draw::Ordinary)).ok()
}

fn check<V: World>(shapes: usize, rays: usize) {
    let mut rng = Rng::new(21);
    let (mut hits, mut contained, mut wrong) = (0, 0, vec![]);
    for i in 0..shapes {
        let draw = [Draw::Ordinary, Draw::Lattice, Draw::Scales][i % 3];
        let Some(shape) = V::shape((i / 3) % V::KINDS, &mut rng, draw) else { continue };
        let mut shape = Instance::<V>::new(shape);
        if i / 3 / V::KINDS % 2 == 1 && draw != Draw::Scales {
            let Some(transform) = transform(&mut rng) else { continue };
            shape = shape.with_transform(transform);
        }
        let aabb = shape.aabb();
        assert!(!aabb.is_empty(), "{shape:?}: {aabb:?}");
        for _ in 0..rays {
            let ray = rng.ray(draw, &aabb);
            for hit in shape.cast_ray_all(&ray, Query::line()) {
                hits += 1;
                if outside(&aabb, hit.point) > slack(&ray, hit.t) {
                    wrong.push(format!("{shape:?} {aabb:?} {ray:?} {:?}", hit.point));
                }
            }
            // Points around the box, some on its faces, some just outside.
            let step = rng.vector::<V>(draw) * V::Scalar::EPSILON;
            for point in [rng.point_in(&aabb), rng.point_in(&aabb) + step, ray.origin] {
                if shape.contains(point) {
                    contained += 1;
                    if !aabb.contains(point) {
                        wrong.push(format!("{shape:?} {aabb:?} contains {point:?}"));
                    }
                }
            }
        }
    }
    println!("{hits} hits, {contained} contained points, {} outside", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[0]);
    assert!(hits > shapes && contained > shapes);
}

#[test]
fn nothing_lies_outside_in_f32() {
    check::<Vec2>(6000, 10);
    check::<Vec3>(6000, 10);
}

#[test]
fn nothing_lies_outside_in_f64() {
    check::<DVec2>(600, 6);
    check::<DVec3>(600, 6);
}

/// A box and an ellipsoid on axes, with a wide and a thin radius; `None` for axes that are no basis.
type MakePlates<V> = fn([V; 3], f64, f64) -> Option<[Instance<V>; 2]>;

/// Plates on axes that are at right angles only up to rounding: their edges lean out of the box that exact axes would give them.
fn leaning_plates<V: World>(plates: MakePlates<V>) {
    let mut rng = Rng::new(23);
    let (mut hits, unit) = (0, V::Scalar::EPSILON.to_f64());
    for _ in 0..400 {
        let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [row, column] = [rng.below(3), rng.below(3)];
        axes[row][column] += (rng.below(9) as f64 - 4.0) * unit;
        let wide = 1.0 / unit * 2f64.powi(rng.below(20) as i32);
        let Some(plates) = plates(axes.map(|axis| V::from_xyz(axis.map(V::Scalar::from_f64))), wide, 0.25) else {
            continue;
        };
        for plate in plates {
            let mut scene = SceneBuilder::new();
            for _ in 0..2 {
                scene.insert(Object::new(plate.shape().clone())).unwrap();
            }
            let scene = scene.build();
            for _ in 0..10 {
                let [to, from] = [wide, 4.0].map(|size| rng.cube(3).map(|x| V::Scalar::from_f64(x * size)));
                let ray = Ray::new(V::from_xyz(from), V::from_xyz(to));
                let hit = plate.cast_ray(&ray, ..);
                assert_eq!(scene.cast_ray(&ray, ..).map(|hit| hit.t), hit.map(|hit| hit.t), "{plate:?} {ray:?}");
                if let Some(hit) = hit {
                    hits += 1;
                    assert!(
                        outside(&plate.aabb(), hit.point) <= slack(&ray, hit.t),
                        "{plate:?} {ray:?} {:?}",
                        hit.point
                    );
                }
            }
        }
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn plates_whose_axes_are_not_quite_at_right_angles() {
    macro_rules! plates {
        ($V:ty) => {
            |axes, wide, thin| {
                let (wide, thin) = (wide as <$V as Vector>::Scalar, thin as <$V as Vector>::Scalar);
                let (center, basis) = (<$V>::ZERO, Basis::new(axes).ok()?);
                let half = <$V>::new(wide, wide, thin);
                let cuboid = OrientedBox::new(center, half, basis).ok()?;
                Some([Instance::new(cuboid), Instance::new(Ellipsoid::with_basis(center, half, basis).ok()?)])
            }
        };
    }
    leaning_plates::<Vec3>(plates!(Vec3));
    leaning_plates::<DVec3>(plates!(DVec3));
}

/// The box is tight: the shape touches each side, up to a few units in the last place.
fn tight<V: World>() {
    let mut rng = Rng::new(22);
    for i in 0..20 * V::KINDS {
        let Some(shape) = V::shape(i % V::KINDS, &mut rng, Draw::Ordinary) else { continue };
        let mut shape = Instance::<V>::new(shape);
        // No ray of these few finds the corner of a sheared box.
        let is_round = ["circle", "sphere", "capsule", "ellipse", "ellipsoid"].contains(&shape.name());
        if i / V::KINDS % 2 == 1 && is_round {
            shape = shape.with_transform(transform(&mut rng).unwrap());
        }
        let aabb = shape.aabb();
        if !aabb.is_bounded() {
            continue;
        }
        // Rays along a face, moved inward, would need a target; instead the shape must leave a box that is 2^-6
        // smaller.
        let (min, max) = (aabb.min.to_xyz(), aabb.max.to_xyz());
        for axis in 0..V::DIM {
            let width = max[axis] - min[axis];
            let near = V::Scalar::from_f64(0.984_375);
            for (face, sign) in [(min[axis], V::Scalar::ONE), (max[axis], -V::Scalar::ONE)] {
                let beyond =
                    |hit: &hitscan::Hit<V>| (hit.point.to_xyz()[axis] - face) * sign <= width * (V::Scalar::ONE - near);
                let mut found = false;
                for _ in 0..4000 {
                    let ray = towards_face::<V>(&aabb, axis, face, &mut rng);
                    found = found || shape.cast_ray_all(&ray, Query::line()).iter().any(beyond);
                    if found {
                        break;
                    }
                }
                assert!(found, "{shape:?} does not touch {face:?} along axis {axis} of {aabb:?}");
            }
        }
    }
}

/// Ray in the slice of the box next to a face.
fn towards_face<V: Vector>(aabb: &hitscan::Aabb<V>, axis: usize, face: V::Scalar, rng: &mut Rng) -> Ray<V> {
    let a = rng.point_in(aabb);
    let b = rng.point_in(aabb);
    let share = V::Scalar::from_f64(0.015_625 * rng.unit());
    let put = |p: V| {
        let mut xyz = p.to_xyz();
        xyz[axis] = face + (xyz[axis] - face) * share;
        V::from_xyz(xyz)
    };
    Ray::new(put(a), put(b) - put(a))
}

#[test]
fn boxes_are_small() {
    tight::<Vec2>();
    tight::<Vec3>();
}

/// The box of a placed mesh contains each vertex, and is smaller than the image of the box of the mesh.
#[test]
fn placed_meshes_have_small_boxes() {
    let mut rng = Rng::new(23);
    let mesh = std::sync::Arc::new(build::<DVec3>(torus(64, 24)));
    let mut sum = 0.0;
    for _ in 0..200 {
        let transform = transform::<DVec3>(&mut rng).unwrap();
        let aabb = Instance::<DVec3>::new(mesh.clone()).with_transform(transform).aabb();
        let image = |p: DVec3| {
            let [x, y, z] = [0, 1, 2].map(|i| transform.axes()[i]);
            x * p.x + y * p.y + z * p.z + transform.translation()
        };
        let of_vertices = hitscan::Aabb::from_points(mesh.vertices().iter().map(|p| image(*p)));
        let room = DVec3::splat(1e-14 * (of_vertices.min.abs().max(of_vertices.max.abs())).max_element());
        let is_inside = aabb.min.cmple(of_vertices.min + room).all() & aabb.max.cmpge(of_vertices.max - room).all();
        assert!(is_inside, "{transform:?}: {aabb:?} {of_vertices:?}");
        let hitscan::Aabb { min, max } = mesh.aabb();
        let of_corners = hitscan::Aabb::from_points((0..8).map(|i| {
            let side = |axis: usize| if i >> axis & 1 == 0 { min[axis] } else { max[axis] };
            image(DVec3::new(side(0), side(1), side(2)))
        }));
        let volume = |b: &hitscan::Aabb<DVec3>| (b.max - b.min).element_product();
        let ratio = volume(&aabb) / volume(&of_corners);
        assert!(ratio < 1.001, "{transform:?}: {aabb:?} {of_corners:?}");
        sum += ratio;
    }
    assert!(sum < 200.0 * 0.85, "{}", sum / 200.0);
}
