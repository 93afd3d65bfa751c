//! Filters: scenes without some objects, triggers, filters of hits, and searches that end early.

use crate::support::{Draw, Rng, Sample, World, meshes, rounds};
use core::ops::ControlFlow;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Faces, FilteredScene, Group, Hit, Inside, Object, ObjectFilter, ObjectId, Plane, Quality, Query, Ray,
    RayCast, Scene, Shape, Side, Sphere, Transform, TriangleMesh, Triggers, Vector,
};

/// Scene of shapes of every kind; some are triggers, in a group, or have a transform.
fn scene<V: World>(rng: &mut Rng, count: usize, draw: Draw) -> Scene<V> {
    let mut scene = Scene::new();
    while scene.len() < count {
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) else { continue };
        let mut object = Object::new(shape.clone());
        match rng.below(8) {
            0 | 1 => object = object.as_trigger(),
            2 => object = object.with_transform(Transform::from_translation(rng.vector(Draw::Lattice)).unwrap()),
            3 => object = object.on_layers(2),
            4 => {
                let mut inner = Scene::new();
                inner.insert(Object::new(shape.clone()).as_trigger()).unwrap();
                inner.insert(Object::new(V::shape(0, rng, Draw::Ordinary).unwrap_or(shape))).unwrap();
                object = Object::new(Group::new(inner).unwrap());
            }
            _ => {}
        }
        scene.insert(object).unwrap();
    }
    if rng.once_in(2) {
        scene.commit();
    }
    scene
}

fn ray<V: World>(scene: &Scene<V>, rng: &mut Rng) -> Ray<V> {
    let object = scene.objects().nth(rng.below(scene.len()));
    let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
    rng.ray(draw, &object.map_or(Aabb::everything(), |(_, object)| object.shape().aabb()))
}

fn query<V: World>(rng: &mut Rng) -> Query<V::Scalar> {
    let query = rng.query::<V::Scalar>(Draw::Lattice);
    match rng.below(5) {
        0 => query.inside(Inside::Hollow).faces(Faces::Front),
        1 => query.layers(1),
        2 => query.triggers(Triggers::Hit),
        3 => query.triggers(Triggers::Ignore),
        _ => query,
    }
}

/// The filtered scene answers like the scene without the objects.
fn same<V: World>(
    view: &FilteredScene<'_, V, impl ObjectFilter<V>>,
    less: &Scene<V>,
    rays: &[Ray<V>],
    query: &Query<V::Scalar>,
) {
    for ray in rays {
        assert_eq!(view.cast_ray(ray, query), less.cast_ray(ray, query), "{ray:?} {query:?}");
        assert_eq!(view.intersects_ray(ray, query), less.intersects_ray(ray, query));
        assert_eq!(view.cast_ray_all(ray, query), less.cast_ray_all(ray, query));
        assert_eq!(view.count_hits(ray, query), less.count_hits(ray, query));
        assert_eq!(view.spans(ray, query), less.spans(ray, query));
        assert_eq!(view.contains(ray.origin), less.contains(ray.origin));
    }
    assert_eq!(view.cast_rays(rays, query), less.cast_rays(rays, query));
    assert_eq!(view.intersects_rays(rays, query), less.intersects_rays(rays, query));
}

fn filtered_scenes<V: World>(count: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    for _ in 0..rounds(count) {
        let size = rng.pick(&[1, 3, 12, 40]);
        let draw = rng.pick(&[Draw::Lattice, Draw::Ordinary]);
        let scene = scene::<V>(&mut rng, size, draw);
        let mut gone: Vec<ObjectId> = scene.objects().map(|(id, _)| id).collect();
        gone.retain(|_| rng.once_in(3));
        let mut less = scene.snapshot();
        gone.iter().for_each(|id| drop(less.remove(*id).unwrap()));
        let rays: Vec<_> = (0..70).map(|_| ray(&scene, &mut rng)).collect();
        let query = query::<V>(&mut rng);
        same(&scene.excluding(&gone), &less, &rays, &query);
        same(&scene.filtered(|id, _| !gone.contains(&id)), &less, &rays, &query);

        let is_kept = |hit: &Hit<V>| !gone.contains(&hit.object.unwrap());
        let kept: Vec<_> = rays.iter().map(|ray| less.cast_ray(ray, query)).collect();
        for (ray, kept) in rays.iter().zip(&kept) {
            assert_eq!(scene.cast_ray_where(ray, query, is_kept), *kept, "{ray:?} {query:?}");
        }
        assert_eq!(scene.cast_rays_where(&rays, query, |_, hit| is_kept(hit)), kept);
    }
}

#[test]
fn filtered_scenes_answer_like_scenes_without_the_objects() {
    filtered_scenes::<Vec3>(40, 1);
    filtered_scenes::<Vec2>(60, 2);
    filtered_scenes::<DVec3>(8, 3);
    filtered_scenes::<DVec2>(12, 4);
}

fn solid_again<V: World>(scene: &Scene<V>) -> Scene<V> {
    let mut solid = scene.snapshot();
    let triggers: Vec<_> = scene.objects().filter(|(_, object)| object.is_trigger()).map(|(id, _)| id).collect();
    triggers.into_iter().for_each(|id| solid.set_trigger(id, false).unwrap());
    solid
}

fn triggers<V: World>(count: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut passed = 0;
    for _ in 0..rounds(count) {
        let size = rng.pick(&[1, 3, 12, 40]);
        let draw = rng.pick(&[Draw::Lattice, Draw::Ordinary]);
        let scene = scene::<V>(&mut rng, size, draw);
        let solid = solid_again(&scene);
        for _ in 0..40 {
            let (ray, base) = (ray(&scene, &mut rng), rng.query::<V::Scalar>(Draw::Lattice));
            let [pass, hit, ignore] = [Triggers::Pass, Triggers::Hit, Triggers::Ignore].map(|rule| base.triggers(rule));
            let unmarked = |hit: Hit<V>| {
                let mut hit = hit;
                hit.is_trigger = false;
                hit
            };
            let all = scene.cast_ray_all(&ray, base);
            let stopping: Vec<_> = all.iter().filter(|hit| !hit.is_trigger).copied().collect();
            // A trigger is like any other object where queries include it.
            let solid_all: Vec<_> = solid.cast_ray_all(&ray, base).into_iter().map(unmarked).collect();
            assert_eq!(all.iter().copied().map(unmarked).collect::<Vec<_>>(), solid_all, "{ray:?} {base:?}");
            assert_eq!(scene.cast_ray(&ray, hit).map(unmarked), solid.cast_ray(&ray, hit).map(unmarked));
            assert_eq!(scene.count_hits(&ray, base), all.len());
            assert_eq!(scene.count_hits(&ray, ignore), stopping.len());
            assert_eq!(scene.spans(&ray, base).len(), solid.spans(&ray, base).len());
            // The closest hit passes through triggers; t may be raised to that of a hit before it.
            let closest = scene.cast_ray(&ray, pass);
            assert_eq!(closest, scene.cast_ray(&ray, ignore));
            assert_eq!(closest.map(|hit| hit.object), stopping.first().map(|hit| hit.object), "{ray:?} {base:?}");
            assert_eq!(scene.intersects_ray(&ray, pass), closest.is_some());
            let through = scene.cast_ray_through(&ray, base);
            let before = all.iter().take_while(|hit| hit.is_trigger);
            assert!(through.triggers.iter().eq(before), "{ray:?} {base:?}");
            assert_eq!(through.hit, closest);
            assert!(scene.cast_ray_through(&ray, ignore).triggers.is_empty());
            passed += usize::from(!through.triggers.is_empty() && closest.is_some());
        }
    }
    assert!(passed > rounds(count), "{passed} rays went through triggers to a hit");
}

#[test]
fn rays_pass_through_triggers() {
    triggers::<Vec3>(30, 5);
    triggers::<Vec2>(40, 6);
    triggers::<DVec3>(6, 7);
    triggers::<DVec2>(8, 8);
}

fn prefixes<V: Vector>(shape: &impl Shape<V>, ray: &Ray<V>, query: &Query<V::Scalar>, into: &mut Vec<Hit<V>>) {
    let all = shape.cast_ray_all(ray, query);
    shape.cast_ray_all_into(ray, query, into);
    assert_eq!(*into, all[..]);
    for count in [0, 1, 2, 3, 5, 17, usize::MAX] {
        let first = shape.cast_ray_first(ray, query, count);
        assert_eq!(first[..], all[..count.min(all.len())], "{count} {ray:?} {query:?}");
    }
    for last in [0, 3, 4, 5, 20, usize::MAX] {
        let mut seen = Vec::new();
        let end = shape.for_each_hit(ray, query, |hit| {
            seen.push(hit);
            if seen.len() > last { ControlFlow::Break(hit.t) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, all[..last.saturating_add(1).min(all.len())]);
        assert_eq!(end.break_value(), all.get(last).map(|hit| hit.t));
    }
}

fn searches<V: World>(count: usize, seed: u64) {
    let (mut rng, mut into) = (Rng::new(seed), Vec::new());
    for _ in 0..rounds(count) {
        let size = rng.pick(&[1, 12, 60]);
        let draw = rng.pick(&[Draw::Lattice, Draw::Ordinary]);
        let scene = scene::<V>(&mut rng, size, draw);
        for _ in 0..20 {
            let (ray, query) = (ray(&scene, &mut rng), query::<V>(&mut rng));
            prefixes(&scene, &ray, &query, &mut into);
            let group = Group::new(scene.snapshot()).unwrap();
            prefixes(&group, &ray, &query, &mut into);
        }
    }
}

#[test]
fn searches_that_end_early_find_the_first_hits() {
    searches::<Vec3>(8, 9);
    searches::<Vec2>(12, 10);
    searches::<DVec3>(2, 11);
    searches::<DVec2>(3, 12);
}

/// Mesh of the triangles that a filter accepts, with the number of each in the full mesh.
fn accepted<V: hitscan::Vector3>(mesh: &TriangleMesh<V>, accept: impl Fn(u32) -> bool) -> (TriangleMesh<V>, Vec<u32>) {
    let numbers: Vec<u32> = (0..mesh.triangles().len() as u32).filter(|number| accept(*number)).collect();
    let triangles = numbers.iter().map(|number| mesh.triangles()[*number as usize]).collect();
    (TriangleMesh::new(mesh.vertices().to_vec(), triangles).unwrap(), numbers)
}

/// A filter by triangle finds what the mesh of the accepted triangles shows, also where rays cross edges and vertices
/// exactly, and after spatial splits.
fn meshes_with_holes<V: World<Shape = hitscan::AnyShape3<V>> + hitscan::Vector3>(seed: u64) {
    let (mut rng, mut refused, mut into) = (Rng::new(seed), 0, Vec::new());
    for (vertices, triangles) in [meshes::torus(24, 12), meshes::slivers(), meshes::hall()] {
        let full: TriangleMesh<V> = meshes::build((vertices, triangles));
        for quality in [Quality::Default, Quality::High] {
            let mesh =
                TriangleMesh::with_quality(full.vertices().to_vec(), full.triangles().to_vec(), quality).unwrap();
            let step = 2 + rng.below(5) as u32;
            let accept = |number: u32| number.wrapping_mul(0x9e37_79b9) >> 16 & 0xff > 255 / step;
            let (less, numbers) = accepted(&mesh, accept);
            for i in 0..400 {
                // Half of the rays go from vertex to vertex.
                let vertex = |rng: &mut Rng| mesh.vertices()[rng.below(mesh.vertices().len())];
                let (from, to) = (vertex(&mut rng), vertex(&mut rng));
                let ray = if i % 2 == 0 {
                    Ray::new(from - (to - from), to - from)
                } else {
                    rng.ray(Draw::Ordinary, &mesh.aabb())
                };
                let query = if i % 3 == 0 { Query::line() } else { Query::new() };
                let expected = less.cast_ray(&ray, query).map(|mut hit| {
                    hit.primitive = hit.primitive.map(|number| numbers[number as usize]);
                    hit
                });
                let found = mesh.cast_ray_where(&ray, query, |hit| accept(hit.primitive.unwrap()));
                assert_eq!(found, expected, "{ray:?}");
                refused += usize::from(found != mesh.cast_ray(&ray, query));
                prefixes(&mesh, &ray, &query, &mut into);
            }
        }
    }
    assert!(refused > 200, "the filter refused {refused} closest hits");
}

#[test]
fn a_filter_by_triangle_makes_holes_in_meshes() {
    meshes_with_holes::<Vec3>(13);
    meshes_with_holes::<DVec3>(14);
}

/// A filter sees entry and exit of a solid, and the start of a ray inside.
#[test]
fn a_filter_by_side_finds_exits() {
    let ball = Sphere::new(Vec3::Z * 5.0, 1.0).unwrap();
    let through = Ray::new(Vec3::ZERO, Vec3::Z);
    let exit = |ray: &Ray<Vec3>, t: f32| ball.cast_ray_where(ray, .., |hit| hit.side == Side::Back && hit.t > t);
    assert_eq!(exit(&through, 0.0).map(|hit| hit.t), Some(6.0));
    assert_eq!(exit(&Ray::new(Vec3::Z * 5.0, Vec3::Z), 0.0).map(|hit| hit.t), Some(1.0));
    assert_eq!(exit(&Ray::new(Vec3::Z * 5.0, Vec3::Z), -1.0).map(|hit| hit.t), Some(0.0));
    assert_eq!(exit(&through, 6.0), None);
}

/// An edit makes an object a trigger, or an object that stops rays. Hits say which it is.
#[test]
fn triggers_are_marked() {
    let mut scene = Scene::new();
    let sheet = |z: f32| Object::new(Plane::new(Vec3::Z * z, Vec3::Z).unwrap());
    let (near, far) = (scene.insert(sheet(1.0).as_trigger()).unwrap(), scene.insert(sheet(2.0)).unwrap());
    let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    let marks = |scene: &Scene<Vec3>| {
        scene.cast_ray_all(&ray, ..).iter().map(|hit| (hit.object.unwrap(), hit.is_trigger)).collect::<Vec<_>>()
    };
    assert_eq!(marks(&scene), [(near, true), (far, false)]);
    assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(far));
    scene.set_trigger(far, true).unwrap();
    scene.set_trigger(near, false).unwrap();
    assert_eq!(marks(&scene), [(near, false), (far, true)]);
    assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(near));
    scene.remove(near).unwrap();
    assert_eq!(scene.cast_ray(&ray, ..), None);
    assert_eq!(scene.set_trigger(near, true), Err(hitscan::SceneError::NoObject(near)));
    let hits = scene.cast_rays(&[ray], Query::new().triggers(Triggers::Hit));
    assert_eq!(hits[0].map(|hit| (hit.t, hit.is_trigger)), Some((2.0, true)));
}
