//! Scenes: the same answers with BVH and linear scan; layers, names, ties, unbounded shapes.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::Real;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Circle, Cuboid, Faces, HalfSpace, Inside, Object, ObjectId, Plane, Query, Ray, RayCast, Rectangle, Scene,
    SceneBuilder, SceneError, Segment, Shape, Sphere, Triangle,
};

/// Shapes of every kind: `dense` ones overlap and touch, the others are small and far apart.
fn mixed<V: World>(count: usize, draw: Draw, seed: u64) -> Scene<V> {
    let mut rng = Rng::new(seed);
    let mut builder = SceneBuilder::new();
    let mut placed = 0;
    while placed < count {
        let kind = rng.below(V::KINDS);
        if let Some(shape) = V::shape(kind, &mut rng, draw) {
            let layers = 1 << rng.below(3);
            builder.insert(Object::new(shape).on_layers(layers)).unwrap();
            placed += 1;
        }
    }
    builder.build()
}

/// Rays of all kinds: along axes, in the planes of faces, with zeros of both signs, and to corners of boxes.
fn some_ray<V: World>(scene: &Scene<V>, rng: &mut Rng) -> Ray<V> {
    let (_, object) = scene.at(rng.below(scene.len())).unwrap();
    let aabb = object.shape().aabb();
    let zero = [V::Scalar::ZERO, -V::Scalar::ZERO][rng.below(2)];
    let axis = rng.below(V::DIM);
    let mut along = [zero; 3];
    along[axis] = V::Scalar::from_f64([1.0, -1.0, 0.5][rng.below(3)]);
    let lattice: V = rng.vector(Draw::Lattice);
    let draw = [Draw::Ordinary, Draw::Lattice, Draw::Scales][rng.below(3)];
    match rng.below(6) {
        0 => Ray::new(lattice, V::from_xyz(along)),
        1 => Ray::new(lattice, rng.vector(Draw::Lattice)),
        2 => Ray::new(rng.point_in(&aabb) - V::from_xyz(along) * V::Scalar::from_f64(9.0), V::from_xyz(along)),
        _ => rng.ray(draw, &aabb),
    }
}

fn compare<V: World>(name: &str, scene: &Scene<V>, rays: usize) {
    let linear = scene.linear_scan();
    let mut rng = Rng::new(9);
    let (mut hits, mut differ) = (0, vec![]);
    for i in 0..rounds(rays) {
        let ray = some_ray(scene, &mut rng);
        let query = rng.query::<V::Scalar>(Draw::Lattice);
        let query = match i % 4 {
            0 => query,
            1 => query.inside(Inside::Hollow).faces(Faces::Front),
            2 => query.layers(1 + rng.below(6) as u32),
            _ => query.faces(Faces::Back),
        };
        let first = scene.cast_ray(&ray, query);
        let all = scene.cast_ray_all(&ray, query);
        hits += usize::from(first.is_some());
        let segment = Segment::new(ray.origin, ray.origin + ray.direction);
        let same = first == linear.cast_ray(&ray, query)
            && all == linear.cast_ray_all(&ray, query)
            && scene.spans(&ray, query) == linear.spans(&ray, query)
            && scene.intersects_ray(&ray, query) == first.is_some()
            && linear.intersects_ray(&ray, query) == first.is_some()
            && scene.count_hits(&ray, query) == all.len()
            && scene.contains(ray.origin) == linear.contains(ray.origin)
            && scene.cast_ray(&segment, query) == linear.cast_ray(&segment, query);
        let sorted = all.is_sorted_by(|a, b| a.t <= b.t);
        let on_layer = all
            .iter()
            .all(|hit| hit.object.and_then(|id| scene.get(id)).is_some_and(|o| o.layers() & query.layer_mask() != 0));
        if !same || !sorted || !on_layer {
            differ.push((ray, query, same, sorted, on_layer));
        }
    }
    println!(
        "{name}: {} shapes, {rays} rays, {hits} hit, {} differ; {:?}",
        scene.len(),
        differ.len(),
        scene.statistics()
    );
    assert!(differ.is_empty(), "{name}: {:?}", differ[0]);
    assert!(hits > rays / 5);
}

#[test]
fn tree_and_brute_force_agree() {
    compare("flat, lattice", &mixed::<Vec2>(120, Draw::Lattice, 1), 600);
    compare("flat", &mixed::<Vec2>(120, Draw::Ordinary, 2), 400);
    compare("space, lattice", &mixed::<Vec3>(120, Draw::Lattice, 3), 600);
    compare("space, scales", &mixed::<Vec3>(200, Draw::Scales, 4), 400);
}

#[test]
fn tree_and_brute_force_agree_in_f64() {
    compare("flat f64, lattice", &mixed::<DVec2>(40, Draw::Lattice, 1), 150);
    compare("space f64, lattice", &mixed::<DVec3>(40, Draw::Lattice, 3), 150);
    compare("space f64, scales", &mixed::<DVec3>(40, Draw::Scales, 4), 150);
}

/// Boxes that share faces, and rays within those faces.
///
/// ```text
///   +---+---+---+
///   |   |   |   |
///   +---+---+---+ - - -> along the common faces
/// ```
#[test]
fn rays_in_common_faces() {
    let mut builder = SceneBuilder::<Vec3>::new();
    for i in 0..64 {
        let at = |shift: u32| ((i >> shift) & 3) as f32;
        builder.add(Cuboid::new(Vec3::new(at(0), at(2), at(4)), Vec3::splat(0.5)).unwrap()).unwrap();
    }
    let scene = builder.build();
    let linear = scene.linear_scan();
    for i in 0..64 {
        let at = |shift: u32| ((i >> shift) & 3) as f32 - 0.5;
        for direction in [Vec3::X, -Vec3::X, Vec3::Y, Vec3::new(-0.0, -0.0, 1.0), Vec3::ONE, Vec3::new(1.0, 1.0, -0.0)]
        {
            let ray = Ray::new(Vec3::new(at(0), at(2), at(4)) - direction * 20.0, direction);
            let hit = scene.cast_ray(&ray, ..);
            assert!(hit.is_some(), "{ray:?}");
            assert_eq!(hit, linear.cast_ray(&ray, ..), "{ray:?}");
            assert_eq!(scene.cast_ray_all(&ray, ..), linear.cast_ray_all(&ray, ..), "{ray:?}");
        }
    }
}

#[test]
fn a_hundred_thousand_spheres() {
    let mut rng = Rng::new(12);
    let mut builder = SceneBuilder::<Vec3>::new();
    for _ in 0..100_000 {
        let radius = 0.002 + 0.004 * rng.unit() as f32;
        builder.add(Sphere::new(rng.in_cube(), radius).unwrap()).unwrap();
    }
    let scene = builder.build();
    let statistics = scene.statistics();
    println!("{statistics:?}");
    assert!(statistics.depth <= 64 && statistics.leaves <= 100_000);
    let linear = scene.linear_scan();
    let mut hits = 0;
    for i in 0..30_000 {
        let origin = rng.in_cube::<Vec3>() * 2.0;
        let ray = Ray::new(origin, rng.in_cube::<Vec3>() - origin);
        let hit = scene.cast_ray(&ray, ..);
        hits += usize::from(hit.is_some());
        // The linear scan takes a thousand times as long.
        if i % 300 == 0 {
            assert_eq!(hit, linear.cast_ray(&ray, ..));
        }
    }
    assert!(hits > 15_000, "{hits}");
}

/// A thousand shapes at one point, and a thousand at powers of two: the depth of every BVH is bounded.
#[test]
fn awkward_trees_stay_shallow() {
    let one_place = (0..1000).map(|_| Vec3::ONE);
    let powers = (0..1000).map(|i| Vec3::X * ((i % 250) as f32 - 125.0).exp2());
    for centers in [one_place.collect::<Vec<_>>(), powers.collect()] {
        let mut builder = SceneBuilder::<Vec3>::new();
        for &center in &centers {
            builder.add(Sphere::new(center, 0.25 * center.x).unwrap()).unwrap();
        }
        let scene = builder.build();
        assert!(scene.statistics().depth <= 100, "{:?}", scene.statistics());
        let ray = Ray::new(Vec3::new(centers[0].x, 9.0, centers[0].z), -Vec3::Y);
        assert_eq!(scene.cast_ray(&ray, ..), scene.linear_scan().cast_ray(&ray, ..));
        assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object).map(ObjectId::index), Some(0));
    }
}

#[test]
fn the_first_of_two_equal_shapes_wins() {
    let ball = Sphere::new(Vec3::new(0.0, 0.0, 5.0), 1.0).unwrap();
    let blocker =
        Triangle::new(Vec3::new(-9.0, -9.0, 4.0), Vec3::new(9.0, -9.0, 4.0), Vec3::new(0.0, 9.0, 4.0)).unwrap();
    let plane = Plane::new(Vec3::Z * 4.0, Vec3::Z).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    let scene = |order: [usize; 4]| {
        let mut builder = SceneBuilder::<Vec3>::new();
        for i in order {
            let object = [Object::new(ball), Object::new(ball), Object::new(blocker), Object::new(plane)][i].clone();
            builder.insert(object).unwrap();
        }
        builder.build()
    };
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let all = scene(order).cast_ray_all(&ray, ..=4.0);
        let ids: Vec<usize> = all.iter().filter_map(|hit| hit.object).map(ObjectId::index).collect();
        assert_eq!(ids, [0, 1, 2, 3], "ties by number");
        assert_eq!(scene(order).cast_ray(&ray, ..).and_then(|hit| hit.object).map(ObjectId::index), Some(0));
    }
}

#[test]
fn names_and_layers() {
    let ball = |x: f32| Circle::new(Vec2::new(x, 0.0), 1.0).unwrap();
    let mut builder = SceneBuilder::<Vec2>::new();
    let a = builder.insert(Object::new(ball(5.0)).named("near").on_layers(0b01)).unwrap();
    let b = builder.insert(Object::new(ball(10.0)).named("far").on_layers(0b10)).unwrap();
    let again = builder.insert(Object::new(ball(0.0)).named("near"));
    assert_eq!(again, Err(SceneError::DuplicateName("near".into())));
    assert_eq!(builder.insert(Object::new(ball(0.0)).on_layers(0)), Err(SceneError::NoLayer));
    let scene = builder.build();
    assert_eq!((a.index(), b.index(), scene.len()), (0, 1, 2));
    assert_eq!((scene.find("near"), scene.find("far"), scene.find("none")), (Some(a), Some(b), None));
    assert_eq!(scene.get(b).and_then(|o| o.name()), Some("far"));
    assert!(scene.at(2).is_none());
    let ray = Ray::new(Vec2::ZERO, Vec2::X);
    let first = |mask| scene.cast_ray(&ray, Query::new().layers(mask)).and_then(|hit| hit.object);
    assert_eq!([first(0b01), first(0b10), first(0b11), first(u32::MAX)], [Some(a), Some(b), Some(a), Some(a)]);
    assert_eq!([first(0), first(0b100)], [None, None]);
}

#[test]
fn empty_and_unbounded() {
    let empty = SceneBuilder::<Vec3>::new().build();
    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    assert!(empty.cast_ray(&ray, ..).is_none() && empty.cast_ray_all(&ray, ..).is_empty());
    assert!(!empty.intersects_ray(&ray, ..) && empty.count_hits(&ray, ..) == 0 && !empty.contains(Vec3::ZERO));
    assert!(empty.aabb().is_empty() && empty.finite_bounds().is_empty());
    assert_eq!(empty.statistics().nodes, 0);
    assert!(!empty.explain(&ray, ..).to_string().is_empty());

    let mut builder = SceneBuilder::<Vec3>::new();
    let ground = builder.add(HalfSpace::new(Vec3::ZERO, Vec3::Y).unwrap()).unwrap();
    let ball = builder.add(Sphere::new(Vec3::Y * 5.0, 1.0).unwrap()).unwrap();
    let scene = builder.build();
    let down = Ray::new(Vec3::Y * 10.0, -Vec3::Y);
    let ids: Vec<_> = scene.cast_ray_all(&down, ..).iter().map(|hit| (hit.t, hit.object)).collect();
    assert_eq!(ids, [(4.0, Some(ball)), (6.0, Some(ball)), (10.0, Some(ground))]);
    assert!(!scene.aabb().is_bounded() && scene.finite_bounds().is_bounded());
    assert!(scene.contains(Vec3::new(1e30, -1.0, 1e30)) && !scene.contains(Vec3::Y));
}

/// Every hit of a scene has the number of its shape, and the point of its own ray.
#[test]
fn flat_scene_of_rectangles() {
    let mut builder = SceneBuilder::<Vec2>::new();
    for i in 0..100 {
        builder.add(Rectangle::new(Vec2::new(2.0 * i as f32, 0.0), Vec2::splat(0.5)).unwrap()).unwrap();
    }
    let scene = builder.build();
    let spans = scene.spans(&Ray::new(Vec2::new(-10.0, 0.25), Vec2::X), ..);
    assert_eq!(spans.len(), 100);
    for (i, span) in spans.iter().enumerate() {
        let start = 2.0 * i as f32 + 9.5;
        let enter = span.enter.unwrap();
        assert_eq!((enter.t, span.exit.map(|exit| exit.t)), (start, Some(start + 1.0)));
        assert_eq!(enter.object.map(ObjectId::index), Some(i));
        assert_eq!(enter.point, Vec2::new(start - 10.0, 0.25));
    }
}
