//! The rule for contacts that a moving volume does not approach.

use crate::support::meshes::{build, icosphere};
use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Approach, Capsule, Cuboid, HalfSpace, Inside, Object, Plane, Query, Ray, Real, Scene, Sphere, SweepHit, SweepQuery,
    Triangle, TriangleMesh, Vector,
};

/// The sign of a product of two vectors of `f32` numbers: twice 24 digits fit into `f64`, and a sum of three is exact in `i128` units.
fn approaches<V: Vector>(direction: V, hit: &SweepHit<V>) -> bool {
    let (d, n) = (direction.to_xyz().map(Real::to_f64), hit.normal.to_xyz().map(Real::to_f64));
    let products = [d[0] * n[0], d[1] * n[1], d[2] * n[2]];
    // Exact sums by splitting off the errors.
    let two_sum = |a: f64, b: f64| {
        let s = a + b;
        let t = s - a;
        (s, (a - (s - t)) + (b - t))
    };
    let (s, e) = two_sum(products[0], products[1]);
    let (s, f) = two_sum(s, products[2]);
    s + (e + f) < 0.0
}

fn only<S: Real>() -> Query<S> {
    Query::new().approach(Approach::Only)
}

/// A sphere in contact with a floor, a wall beyond.
#[test]
fn a_sphere_leaves_and_slides() {
    let mut scene = Scene::<DVec3>::new();
    let floor = scene.insert(Object::new(Plane::new(DVec3::ZERO, DVec3::Z).unwrap())).unwrap();
    let wall = scene.insert(Object::new(Cuboid::new(DVec3::X * 5.0, DVec3::ONE).unwrap())).unwrap();
    let cast = |height: f64, direction: DVec3, query: Query<f64>| {
        scene.cast_sphere(&Ray::new(DVec3::Z * height, direction), 1.0, query)
    };
    for height in [1.0f64, 0.5, -0.5, -1.0] {
        // With the rule of the query itself the floor stops it.
        let out = DVec3::Z * height.signum();
        assert_eq!(cast(height, DVec3::X, Query::new()).unwrap().object, Some(floor));
        // Along the floor and away from it, the wall is first; against it, the floor.
        let along = cast(height, DVec3::X, only()).unwrap();
        assert_eq!((along.object, along.depth), (Some(wall), None));
        assert!(cast(height, out, only()).is_none());
        let into = cast(height, DVec3::X - out * 1e-300, only()).unwrap();
        assert_eq!((into.object, into.t), (Some(floor), 0.0));
        let away = cast(height, DVec3::X + out * 1e-300, only()).unwrap();
        assert_eq!(away.object, Some(wall));
    }
    // Segments have a direction, too.
    let ends = hitscan::Segment::new(DVec3::Z, DVec3::new(5.0, 0.0, 1.0));
    assert_eq!(scene.cast_sphere(&ends, 1.0, only()).unwrap().object, Some(wall));
    let down = hitscan::Segment::new(DVec3::Z, DVec3::new(5.0, 0.0, 1.0 - f64::EPSILON));
    assert_eq!(scene.cast_sphere(&down, 1.0, only()).unwrap().object, Some(floor));
}

/// Volumes that overlap a solid from the start get out of it, but not deeper into it.
#[test]
fn a_volume_leaves_an_overlap() {
    let solid = Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap();
    let boxed = Cuboid::new(DVec3::Z * 1.5, DVec3::splat(0.75)).unwrap();
    let capsule = Capsule::new(DVec3::Z * 1.5, DVec3::Z * 3.0, 0.75).unwrap();
    for (direction, stops) in
        [(DVec3::Z, false), (DVec3::X, false), (-DVec3::Z, true), (DVec3::new(1.0, 0.0, -0.1), true)]
    {
        assert!(solid.cast_volume(boxed, direction, ..).is_some());
        assert_eq!(solid.cast_volume(boxed, direction, only()).is_some(), stops, "{direction}");
        assert_eq!(
            solid.cast_volume(Capsule::new(capsule.a(), capsule.b(), 0.75).unwrap(), direction, only()).is_some(),
            stops,
            "{direction}"
        );
    }
    // Hollow shapes have no contact at the start at all.
    assert!(solid.cast_volume(boxed, -DVec3::Z, only().inside(Inside::Hollow)).is_none());
}

/// A box that slides over tiles, to a step: the tiles do not stop it.
#[test]
fn a_box_slides_over_tiles_to_a_step() {
    let mut scene = Scene::<DVec3>::new();
    for x in 0..4 {
        let height = if x == 3 { -0.25 } else { -0.5 };
        let tile = Cuboid::new(DVec3::new(f64::from(x), 0.0, height), DVec3::splat(0.5)).unwrap();
        scene.insert(Object::new(tile)).unwrap();
    }
    let cube = Cuboid::new(DVec3::Z * 0.25, DVec3::splat(0.25)).unwrap();
    assert_eq!(scene.cast_volume(cube, DVec3::X, ..).unwrap().t, 0.0);
    let hit = scene.cast_volume(cube, DVec3::X, only()).unwrap();
    assert_eq!((hit.t, hit.normal), (2.25, -DVec3::X));
}

/// In a mesh each triangle is judged by itself: a sphere in a corner that leaves the floor is stopped by the wall.
#[test]
fn other_triangles_of_a_mesh_count() {
    // A floor, and a wall at x = 1.
    let vertices = [[-9, -9, 0], [1, -9, 0], [1, 9, 0], [-9, 9, 0], [1, -9, 9], [1, 9, 9]];
    let vertices = vertices.map(|p: [i32; 3]| DVec3::from_array(p.map(f64::from))).to_vec();
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]).unwrap();
    for radius in [0.5, 0.75] {
        let from = Ray::new(DVec3::Z * 0.5, DVec3::new(1.0, 0.0, 0.25));
        let all = mesh.cast_sphere(&from, radius, ..).unwrap();
        assert_eq!((all.t, all.normal), (0.0, DVec3::Z));
        let hit = mesh.cast_sphere(&from, radius, only()).unwrap();
        assert_eq!((hit.t, hit.normal, hit.depth), (1.0 - radius, -DVec3::X, None));
        let cube = Cuboid::new(from.origin, DVec3::splat(radius)).unwrap();
        let hit = mesh.cast_volume(cube, from.direction, only()).unwrap();
        assert_eq!((hit.t, hit.normal, hit.depth), (1.0 - radius, -DVec3::X, None));
    }
    // One-sided floors: the rule for faces and this one both hold.
    let up = mesh.cast_sphere(&Ray::new(DVec3::Z * 0.5, -DVec3::Z), 0.5, only().faces(hitscan::Faces::Back));
    assert_eq!(up, None);
}

/// Of any start, the rule keeps exactly the contacts against whose normal the direction points, in the numbers of the result.
fn is_exact<V: World>(seed: u64) {
    let mut counts = [0; 3];
    for round in 0..3000 {
        let mut rng = Rng::for_stream(seed, round);
        let Some(shape) = V::shape(round as usize % V::KINDS, &mut rng, Draw::Lattice) else { continue };
        let (from, direction) = (rng.vector::<V>(Draw::Lattice), rng.vector::<V>(Draw::Lattice));
        let ray = Ray::new(from, direction);
        let radius = V::Scalar::from_f64(rng.between(0.25, 1.0));
        let object = hitscan::Instance::<V>::new(shape);
        let boxed = Cuboid::new(from, V::splat(radius)).unwrap();
        let pairs = [
            (object.cast_sphere(&ray, radius, ..), object.cast_sphere(&ray, radius, only())),
            (object.cast_volume(boxed, direction, ..), object.cast_volume(boxed, direction, only())),
        ];
        for (all, only) in pairs {
            let Some(all) = all else {
                assert_eq!(only, None);
                continue;
            };
            // A mesh may have another triangle.
            if all.primitive.is_some() {
                continue;
            }
            counts[usize::from(all.depth.is_some()) + usize::from(only.is_none())] += 1;
            // A convex shape is met once. Products of `f64` numbers have roundings that this test does not know of.
            let is_close = V::Scalar::EPSILON.to_f64() < 1e-10 && {
                let (d, n) = (direction.to_xyz().map(Real::to_f64), all.normal.to_xyz().map(Real::to_f64));
                let products = [d[0] * n[0], d[1] * n[1], d[2] * n[2]];
                products != [0.0; 3] && products.iter().sum::<f64>().abs() < 1e-12
            };
            if !is_close {
                assert_eq!(only.is_some(), approaches(direction, &all), "{object:?} {ray:?} {all:?}");
            }
            assert!(only.is_none() || only == Some(all), "{object:?} {ray:?}");
        }
    }
    assert!(counts.iter().all(|count| *count > 30), "{counts:?}");
}

#[test]
fn starts_are_judged_by_the_numbers_of_the_contact() {
    is_exact::<Vec3>(1);
    is_exact::<Vec2>(2);
    is_exact::<DVec3>(3);
    is_exact::<DVec2>(4);
}

/// In meshes and scenes the first contact that counts is the best of those of the triangles and objects that count.
#[test]
fn the_first_contact_is_that_of_the_parts() {
    let (vertices, triangles) = icosphere(1);
    let mesh: TriangleMesh<DVec3> = build((vertices, triangles.clone()));
    let mut scene = Scene::<DVec3>::new();
    for corners in &triangles {
        let [a, b, c] = corners.map(|i| mesh.vertices()[i as usize]);
        scene.insert(Object::new(Triangle::new(a, b, c).unwrap())).unwrap();
    }
    let mut rng = Rng::new(8);
    let (mut starts, mut later) = (0, 0);
    for _ in 0..400 {
        let (from, direction) = (DVec3::from(rng.cube(3)) * 1.25, DVec3::from(rng.cube(3)));
        let (ray, radius) = (Ray::new(from, direction), rng.between(0.1, 0.5));
        let found = mesh.cast_sphere(&ray, radius, only());
        let of_scene = scene.cast_sphere(&ray, radius, only());
        let parts = scene.objects().filter_map(|(_, object)| object.instance().cast_sphere(&ray, radius, only()));
        let first = parts.fold(None, |best: Option<SweepHit<DVec3>>, hit| match best {
            Some(best) if (best.t, -best.depth.unwrap_or(0.0)) <= (hit.t, -hit.depth.unwrap_or(0.0)) => Some(best),
            _ => Some(hit),
        });
        let numbers = |hit: Option<SweepHit<DVec3>>| hit.map(|hit| (hit.t, hit.depth, hit.normal));
        assert_eq!(numbers(found), numbers(first), "{ray:?} {radius}");
        assert_eq!(numbers(of_scene), numbers(first), "{ray:?} {radius}");
        match found.and_then(|hit| hit.depth) {
            Some(_) => starts += 1,
            None => later += usize::from(found.is_some()),
        }
    }
    assert!(starts > 50 && later > 50, "{starts} {later}");
    // A half-space and a ball, both left.
    let ground = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap();
    let ball = Sphere::new(DVec3::X, 1.0).unwrap();
    for shape in [&ground as &dyn hitscan::Shape<DVec3>, &ball] {
        assert!(shape.cast_sphere(&Ray::new(DVec3::ZERO, DVec3::new(-1.0, 0.0, 1.0)), 0.5, only()).is_none());
        assert!(shape.cast_sphere(&Ray::new(DVec3::ZERO, DVec3::new(1.0, 0.0, -1.0)), 0.5, only()).is_some());
    }
}
