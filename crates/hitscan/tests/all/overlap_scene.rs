//! Overlaps of scenes, instances, groups and shapes of users.

use crate::overlap::volume3;
use crate::support::{Ball, Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape3, Basis, Cuboid, Group, Instance, Object, Overlap, OverlapQuery, Real, Scene, Shape, Sphere, Transform,
    Triangle, TriangleMesh, UserShape, Vector3, Volume,
};

fn transform<V: World>(rng: &mut Rng) -> Transform<V> {
    let basis = rng.basis::<V>(Draw::Ordinary).unwrap_or(Basis::identity());
    let scale = V::splat(V::Scalar::from_f64(rng.pick(&[0.5, 1.0, -2.0, 3.0])));
    Transform::from_basis(&basis, rng.vector(Draw::Ordinary)).unwrap().with_scale(scale).unwrap()
}

fn scene<V: World>(rng: &mut Rng, count: usize) -> Scene<V> {
    let (mut scene, mut ids) = (Scene::new(), Vec::new());
    while scene.len() < count {
        let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) else { continue };
        let mut object = Object::new(shape.clone());
        match rng.below(6) {
            0 => object = object.as_trigger(),
            1 | 2 => object = object.with_transform(transform(rng)),
            3 => object = object.on_layers(2),
            4 => {
                let mut inner = Scene::new();
                inner.insert(Object::new(shape.clone())).unwrap();
                inner.insert(Object::new(shape).with_transform(transform(rng))).unwrap();
                object = Object::new(Group::new(inner).unwrap()).with_transform(transform(rng));
            }
            _ => {}
        }
        ids.push(scene.insert(object).unwrap());
        if rng.once_in(10) {
            scene.commit();
        }
        if rng.once_in(4) {
            let _ = scene.set_transform(rng.pick(&ids), transform(rng));
        }
        if rng.once_in(10) {
            let _ = scene.remove(rng.pick(&ids));
        }
    }
    scene
}

/// A scene overlaps as its objects do, one by one: those that a volume touches, and those that are inside of a large one.
fn scenes<V: World>(seed: u64, volume: impl Fn(&mut Rng, f64) -> Option<Volume<V>>) {
    let mut counts = [0; 3];
    for round in 0..30 {
        let mut rng = Rng::for_stream(seed, round);
        let scene = scene::<V>(&mut rng, [1, 8, 60][round as usize % 3]);
        let (linear, snapshot) = (scene.linear_scan(), scene.snapshot());
        let some: Vec<_> = scene.objects().map(|(id, _)| id).filter(|id| id.index() % 3 == 0).collect();
        let mut volumes = Vec::new();
        for _ in 0..60 {
            let size = rng.pick(&[0.02, 0.2, 6.0]);
            let Some(volume) = volume(&mut rng, size) else { continue };
            let expected: Vec<_> = scene
                .objects()
                .filter(|(_, object)| object.instance().overlaps(&volume))
                .map(|(id, _)| Some(id))
                .collect();
            let ids = |found: Vec<Overlap>| found.iter().map(|found| found.object).collect::<Vec<_>>();
            assert_eq!(ids(scene.overlapping(&volume)), expected, "{volume:?}");
            assert_eq!(ids(linear.overlapping(&volume)), expected, "{volume:?}");
            assert_eq!(ids(snapshot.overlapping(&volume)), expected, "{volume:?}");
            assert_eq!(scene.count_overlapping(&volume), expected.len());
            assert_eq!(linear.count_overlapping(&volume), expected.len());
            assert_eq!(scene.overlaps(&volume), !expected.is_empty());
            let others: Vec<_> = expected.iter().filter(|id| !some.contains(&id.unwrap())).copied().collect();
            assert_eq!(ids(scene.excluding(&some).overlapping(&volume)), others);
            assert_eq!(ids(scene.filtered(|id, _| !some.contains(&id)).overlapping(&volume)), others);
            counts[if expected.len() > 9 { 2 } else { usize::from(expected.is_empty()) }] += 1;
            volumes.push(volume);
        }
        let single: Vec<_> = volumes.iter().map(|volume| scene.overlaps(volume)).collect();
        assert_eq!(scene.overlaps_each(&volumes), single);
        let many: Vec<_> = volumes.iter().cycle().take(10_000.min(volumes.len() * 200)).cloned().collect();
        assert!(scene.overlaps_each(&many).iter().zip(single.iter().cycle()).all(|(a, b)| a == b));
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn scenes_overlap_as_their_objects() {
    scenes::<Vec3>(1, |rng, size| volume3(rng, Draw::Ordinary, size));
    scenes::<DVec3>(2, |rng, size| volume3(rng, Draw::Ordinary, size));
    fn volume2<V: World>(rng: &mut Rng, size: f64) -> Option<Volume<V>>
    where
        Volume<V>: From<Sphere<V>> + From<Cuboid<V>>,
    {
        let (at, half) = (rng.vector::<V>(Draw::Ordinary), size * rng.between(0.5, 1.0));
        if rng.once_in(2) {
            return Some(Sphere::new(at, V::Scalar::from_f64(half)).ok()?.into());
        }
        Some(Cuboid::new(at, V::splat(V::Scalar::from_f64(half))).ok()?.into())
    }
    scenes::<Vec2>(5, volume2);
    scenes::<DVec2>(6, volume2);
}

/// Instances of meshes and triangles overlap as the meshes with transformed vertices, where those are not rounded.
fn baked<V: World + Vector3>(seed: u64)
where
    AnyShape3<V>: Into<V::Shape>,
{
    let (mut rng, mut counts) = (Rng::new(seed), [0; 2]);
    for _ in 0..300 {
        let mut whole = || {
            let mut number = || V::Scalar::from_f64(f64::from(rng.int(-3, 3)));
            V::from_xyz([number(), number(), number()])
        };
        let columns = [whole(), whole(), whole()];
        let (shift, vertices) = (whole(), (0..12).map(|_| whole()).collect::<Vec<_>>());
        let triangles: Vec<[u32; 3]> = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let Ok(transform) = Transform::new(columns, shift) else { continue };
        let image = |p: V| {
            let [x, y, z] = p.to_xyz();
            columns[0] * x + columns[1] * y + columns[2] * z + shift
        };
        let mesh = TriangleMesh::new(vertices.clone(), triangles.clone()).unwrap();
        let moved = TriangleMesh::new(vertices.iter().map(|p| image(*p)).collect::<Vec<_>>(), triangles).unwrap();
        let placed = Instance::<V>::new(AnyShape3::from(mesh).into()).with_transform(transform);
        for _ in 0..20 {
            let Some(volume) = volume3::<V>(&mut rng, Draw::Lattice, 1.0) else { continue };
            let found = placed.overlapping(&volume);
            assert_eq!(found, moved.overlapping(&volume), "{columns:?} {shift:?} {vertices:?} {volume:?}");
            counts[usize::from(found.is_empty())] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

#[test]
fn instances_overlap_as_baked_meshes() {
    baked::<Vec3>(3);
    baked::<DVec3>(4);
}

/// Two balls in a group, and the group twice within another.
#[test]
fn groups_name_their_members() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let at = |x: f32| Transform::from_translation(Vec3::X * x).unwrap();
    let mut pair = Scene::new();
    pair.insert(Object::new(ball)).unwrap();
    pair.insert(Object::new(ball).with_transform(at(4.0))).unwrap();
    let mut outer = Scene::new();
    let pair = Group::new(pair).unwrap();
    outer.insert(Object::new(pair.clone())).unwrap();
    outer.insert(Object::new(pair).with_transform(at(10.0))).unwrap();
    let group = Group::new(outer.clone()).unwrap();
    let members = |volume: Volume<Vec3>| group.overlapping(volume).iter().map(|found| found.member).collect::<Vec<_>>();
    let bar = |x: f32, half: f32| Volume::from(Cuboid::new(Vec3::X * x, Vec3::new(half, 0.5, 0.5)).unwrap());
    assert_eq!(members(bar(7.0, 2.0)), [Some(1), Some(2)]);
    assert_eq!(members(bar(7.0, 20.0)), [0, 1, 2, 3].map(Some));
    assert_eq!(outer.count_overlapping(bar(7.0, 20.0)), 2);
    assert!(outer.overlapping(bar(7.0, 1.5)).is_empty());
}

#[test]
fn shapes_of_users_overlap_by_distance_or_by_bounds() {
    let near = Sphere::new(Vec3::splat(0.9), 0.25).unwrap();
    let [measured, bounded] = [true, false].map(|is_measured| UserShape::new(Ball { is_measured }));
    assert!(!measured.overlaps(near) && bounded.overlaps(near));
    assert!(measured.overlaps(Sphere::new(Vec3::X * 1.5, 0.5).unwrap()));
    assert!(measured.overlaps(Cuboid::new(Vec3::ONE, Vec3::splat(0.125)).unwrap()));
    assert!(!bounded.overlaps(Sphere::new(Vec3::X * 1.5, 0.25).unwrap()));
    let mut scene = Scene::new();
    scene.insert(Object::new(measured).with_transform(Transform::from_translation(Vec3::Y * 3.0).unwrap())).unwrap();
    assert!(scene.overlaps(Sphere::new(Vec3::Y * 3.5, 0.25).unwrap()));
    assert!(!scene.overlaps(Sphere::new(Vec3::ZERO, 1.5).unwrap()));
}

/// The trait works without the type.
#[test]
fn dynamic_shapes_have_the_queries() {
    let shapes: Vec<Box<dyn Shape<Vec3>>> = vec![
        Box::new(Sphere::new(Vec3::ZERO, 1.0).unwrap()),
        Box::new(Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap()),
    ];
    assert!(shapes.iter().all(|shape| shape.overlaps(Sphere::new(Vec3::X, 0.5).unwrap())));
}

/// A volume around objects that have left overlaps nothing, though boxes of the tree still have their size.
#[test]
fn removed_objects_overlap_nothing() {
    let ball = |x: usize, y: usize| Sphere::new(Vec3::new(x as f32, y as f32, 0.0), 0.25).unwrap();
    let mut scene = Scene::new();
    let all: Vec<_> = (0..40).flat_map(|x| (0..40).map(move |y| (x, y))).collect();
    let ids: Vec<_> = all.iter().map(|&(x, y)| scene.insert(Object::new(ball(x, y))).unwrap()).collect();
    scene.commit();
    let part = Cuboid::new(Vec3::new(5.0, 5.0, 0.0), Vec3::splat(12.5)).unwrap();
    let is_in_part = |&(x, y): &(usize, usize)| x < 18 && y < 18;
    assert_eq!(scene.count_overlapping(part), 18 * 18);
    for (id, _) in ids.iter().zip(&all).filter(|(_, at)| is_in_part(at)) {
        assert!(scene.overlaps(part));
        let _ = scene.remove(*id);
    }
    for _ in 0..2 {
        assert_eq!((scene.overlaps(part), scene.count_overlapping(part)), (false, 0));
        scene.commit();
    }
    assert_eq!(scene.count_overlapping(Cuboid::new(Vec3::ZERO, Vec3::splat(100.0)).unwrap()), 1600 - 18 * 18);
}
