//! Saved scenes: the same answers, ids and sharing after loading, and the layout of the bytes.

use crate::damaged_scenes::forge;
use crate::support::meshes::icosphere;
use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape3, Circle, Faces, Group, Inside, Instance, Object, ObjectId, Query, Ray, RayCast, Scene, SceneError,
    SceneLoadError, Shape, Solid, Sphere, Transform, TriangleMesh,
};
use std::sync::Arc;

fn transform<V: World>(rng: &mut Rng) -> Transform<V> {
    loop {
        let draw = [Draw::Lattice, Draw::Ordinary][rng.below(2)];
        let axes = [rng.vector(draw), rng.vector(draw), rng.vector(draw)];
        if let Ok(transform) = Transform::new(&axes[..V::DIM], rng.vector(draw)) {
            return transform;
        }
    }
}

pub(crate) fn shape<V: World>(kind: usize, rng: &mut Rng, draw: Draw) -> V::Shape {
    loop {
        if let Some(shape) = V::shape(kind, rng, draw) {
            return shape;
        }
    }
}

/// Adds an object with any of the things that an object may have.
pub(crate) fn insert<V: World>(scene: &mut Scene<V>, shape: V::Shape, rng: &mut Rng) -> ObjectId {
    let mut object = Object::new(shape).on_layers(1 + rng.below(7) as u32).with_user_data(rng.bits());
    match rng.below(8) {
        0 => object = object.with_transform(transform(rng)),
        1..=3 => object = object.with_transform(Transform::from_translation(rng.vector(Draw::Lattice)).unwrap()),
        _ => {}
    }
    if rng.below(3) == 0 {
        object = object.named(format!("näme {}", rng.bits()));
    }
    if rng.below(3) == 0 {
        object = object.with_faces([Faces::Both, Faces::Front, Faces::Back][rng.below(3)]);
    }
    if rng.below(3) == 0 {
        object = object.with_inside([Inside::Solid, Inside::Hollow][rng.below(2)]);
    }
    scene.insert(object).unwrap()
}

/// Adds every kind of shape, and each of these shapes once more; then removes some objects.
pub(crate) fn fill<V: World>(scene: &mut Scene<V>, more: &[V::Shape], rng: &mut Rng, draw: Draw) {
    let kinds: Vec<V::Shape> = (0..V::KINDS).map(|kind| shape::<V>(kind, rng, draw)).collect();
    let mut ids = Vec::new();
    for shape in kinds.iter().chain(more).chain(kinds.last()).chain(more) {
        ids.push(insert(scene, shape.clone(), rng));
    }
    for _ in 0..3 {
        scene.remove(ids.swap_remove(rng.below(ids.len()))).unwrap();
    }
}

/// A solid of random shapes, one of them under a transform, and one of them a solid under a transform.
pub(crate) fn solid<V: World>(rng: &mut Rng, draw: Draw) -> V::Shape {
    let mut leaf = || loop {
        let placed = Instance::new(shape::<V>(rng.below(V::KINDS), rng, draw)).with_transform(transform(rng));
        if let Ok(leaf) = Solid::from_instance(placed) {
            return leaf;
        }
    };
    let inner = leaf() - leaf();
    let rest = !(leaf() & leaf()) | leaf();
    V::Shape::from(Solid::from_instance(Instance::new(inner).with_transform(transform(rng))).unwrap() & rest)
}

/// A scene with all variants, groups in groups, and solids; edited, with vacant slots.
pub(crate) fn scene<V: World>(rng: &mut Rng, draw: Draw) -> Scene<V> {
    let mut pair = Scene::new();
    fill(&mut pair, &[], rng, draw);
    let pair = V::Shape::from(Group::new(pair).unwrap());
    let mut nest = Scene::new();
    fill(&mut nest, std::slice::from_ref(&pair), rng, draw);
    let nest = V::Shape::from(Group::new(nest).unwrap());
    let mut scene = Scene::new();
    let solid = solid::<V>(rng, draw);
    fill(&mut scene, &[pair, nest, solid], rng, draw);
    scene
}

/// All answers for a ray, with all digits and the signs of zeros.
fn answers<V: World>(scene: &Scene<V>, ray: &Ray<V>, query: &Query<V::Scalar>) -> String {
    format!(
        "{:?} {} {:?} {} {:?} {}",
        scene.cast_ray(ray, query),
        scene.intersects_ray(ray, query),
        scene.cast_ray_all(ray, query),
        scene.count_hits(ray, query),
        scene.spans(ray, query),
        scene.contains(ray.origin)
    )
}

fn query<V: World>(rng: &mut Rng) -> Query<V::Scalar> {
    let query = rng.query::<V::Scalar>(Draw::Lattice);
    match rng.below(4) {
        0 => query.inside(Inside::Hollow).faces(Faces::Front),
        1 => query.layers(1 + rng.below(6) as u32),
        _ => query,
    }
}

fn rays<V: World>(scene: &Scene<V>, count: usize, rng: &mut Rng) -> Vec<Ray<V>> {
    let boxes: Vec<_> = scene.objects().map(|(_, object)| object.instance().aabb()).collect();
    let mut ray = || {
        let (draw, aabb) = ([Draw::Ordinary, Draw::Lattice][rng.below(2)], &boxes[rng.below(boxes.len())]);
        rng.ray(draw, aabb)
    };
    (0..count).map(|_| ray()).collect()
}

pub(crate) fn same<V: World>(one: &Scene<V>, other: &Scene<V>, count: usize, rng: &mut Rng) {
    let rays = rays(one, count, rng);
    for ray in &rays {
        let query = query::<V>(rng);
        assert_eq!(answers(one, ray, &query), answers(other, ray, &query), "{ray:?} {query:?}");
    }
    let query = query::<V>(rng);
    assert_eq!(format!("{:?}", one.cast_rays(&rays, query)), format!("{:?}", other.cast_rays(&rays, query)));
    assert_eq!(one.intersects_rays(&rays, query), other.intersects_rays(&rays, query));
    assert_eq!((one.aabb(), one.finite_bounds(), one.len()), (other.aabb(), other.finite_bounds(), other.len()));
}

/// The same objects under the same ids and names, in the same order.
fn same_objects<V: World>(one: &Scene<V>, other: &Scene<V>) {
    assert!(one.objects().map(|(id, _)| id).eq(other.objects().map(|(id, _)| id)));
    for ((id, a), (_, b)) in one.objects().zip(other.objects()) {
        assert_eq!((a.name(), a.layers(), a.user_data()), (b.name(), b.layers(), b.user_data()));
        assert_eq!((a.faces(), a.inside(), a.transform()), (b.faces(), b.inside(), b.transform()));
        // All numbers, those that a constructor derives too. Meshes compute some of theirs later.
        if a.shape().name() != "mesh" {
            assert_eq!(format!("{:?}", a.instance()), format!("{:?}", b.instance()));
        }
        assert_eq!(a.name().map(|name| other.find(name)), a.name().map(|_| Some(id)));
    }
}

fn round_trips<V: World>(seed: u64) {
    let mut rng = Rng::new(seed);
    for case in 0..10 {
        let draw = [Draw::Lattice, Draw::Ordinary][case % 2];
        let mut saved = scene::<V>(&mut rng, draw);
        // With one tree, with a second one beside it, with a refit to do, with a linear scan.
        let snapshot = (case % 3 == 0).then(|| saved.snapshot());
        for _ in 0..case % 5 {
            let id = saved.objects().nth(rng.below(saved.len())).map(|(id, _)| id).unwrap();
            saved.set_transform(id, transform(&mut rng)).unwrap();
        }
        saved = if case % 10 == 9 { saved.linear_scan() } else { saved };
        let bytes = saved.to_bytes().unwrap();
        let mut loaded = Scene::<V>::from_bytes(&bytes).unwrap();
        // Equal bytes: what was shared is shared again, and is written once.
        assert!(loaded.to_bytes().unwrap() == bytes, "case {case}");
        same_objects(&saved, &loaded);
        same(&saved, &loaded, rounds(6), &mut rng);
        drop(snapshot);
        for step in 0..12 {
            let ids: Vec<ObjectId> = saved.objects().map(|(id, _)| id).collect();
            let id = ids[rng.below(ids.len())];
            match rng.below(4) {
                0 => {
                    let transform = transform(&mut rng);
                    assert_eq!(
                        (saved.set_transform(id, transform), loaded.set_transform(id, transform)),
                        (Ok(()), Ok(()))
                    );
                }
                1 => {
                    let gone = [&mut saved, &mut loaded].map(|scene| scene.remove(id).unwrap().user_data());
                    assert_eq!(gone[0], gone[1]);
                }
                _ => {
                    let object = Object::new(shape::<V>(rng.below(V::KINDS), &mut rng, draw));
                    assert_eq!(saved.insert(object.clone()), loaded.insert(object));
                }
            }
            if step % 4 == 3 {
                loaded.commit();
                same(&saved, &loaded, rounds(2), &mut rng);
            }
        }
    }
    // Many rays, at shapes without groups.
    let mut saved = Scene::<V>::new();
    (0..4).for_each(|_| fill(&mut saved, &[], &mut rng, Draw::Ordinary));
    let loaded = Scene::<V>::from_bytes(&saved.to_bytes().unwrap()).unwrap();
    same(&saved, &loaded, 1000, &mut rng);
}

#[test]
fn saved_and_read_in_the_plane() {
    round_trips::<Vec2>(1);
    round_trips::<DVec2>(2);
}

#[test]
fn saved_and_read_in_space() {
    round_trips::<Vec3>(3);
    round_trips::<DVec3>(4);
}

/// A tree of many nodes, built and edited.
#[test]
fn a_large_tree_is_read_and_not_built() {
    let mut rng = Rng::new(5);
    let mut scene = Scene::new();
    let ball = |rng: &mut Rng| Object::new(Sphere::new(rng.in_cube::<Vec3>() * 100.0, 0.5).unwrap());
    let ids: Vec<_> = (0..3000).map(|_| scene.insert(ball(&mut rng)).unwrap()).collect();
    let of = |scene: &Scene<Vec3>| (scene.statistics().nodes, scene.statistics().leaves, scene.statistics().depth);
    for step in 0..4 {
        let bytes = scene.to_bytes().unwrap();
        let loaded = Scene::<Vec3>::from_bytes(&bytes).unwrap();
        assert_eq!(of(&loaded), of(&scene), "step {step}");
        assert!(loaded.to_bytes().unwrap() == bytes);
        same(&scene, &loaded, 300, &mut rng);
        match step {
            0 => scene.rebuild(),
            1 => ids.iter().step_by(3).for_each(|id| drop(scene.remove(*id).unwrap())),
            _ => (0..500).for_each(|_| assert!(scene.insert(ball(&mut rng)).is_ok())),
        }
    }
}

#[test]
fn a_shared_mesh_is_written_once_and_shared_again() {
    let (vertices, triangles) = icosphere(2);
    let vertices: Vec<Vec3> = vertices.iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = Arc::new(TriangleMesh::new(vertices, triangles).unwrap());
    let once = {
        let mut scene = Scene::<Vec3>::new();
        scene.insert(Object::new(mesh.clone())).unwrap();
        scene.to_bytes().unwrap().len()
    };
    let mut inner = Scene::<Vec3>::new();
    inner.insert(Object::new(mesh.clone())).unwrap();
    let group = Group::new(inner).unwrap();
    let mut scene = Scene::<Vec3>::new();
    for i in 0..20 {
        let place = Transform::from_translation(Vec3::X * i as f32).unwrap();
        scene.insert(Object::new(mesh.clone()).with_transform(place)).unwrap();
        scene.insert(Object::new(group.clone()).with_transform(place)).unwrap();
    }
    let bytes = scene.to_bytes().unwrap();
    assert!(bytes.len() < once + 40 * 200, "{} {once}", bytes.len());
    let loaded = Scene::<Vec3>::from_bytes(&bytes).unwrap();
    let meshes: Vec<_> = loaded.objects().filter_map(|(_, object)| mesh_of(object)).collect();
    assert_eq!(meshes.len(), 20);
    assert!(meshes.iter().all(|other| Arc::ptr_eq(other, meshes[0])));
    // Twenty objects and the geometry have it; so has the one object of the group, whose clones share their memory.
    assert_eq!(Arc::strong_count(meshes[0]), 21);
    assert_eq!(meshes[0].statistics(), mesh.statistics());
    same(&scene, &loaded, 500, &mut Rng::new(6));
}

fn mesh_of(object: &Object<Vec3>) -> Option<&Arc<TriangleMesh<Vec3>>> {
    match object.shape() {
        AnyShape3::Mesh(mesh) => Some(mesh),
        _ => None,
    }
}

/// Vacant slots, generations, and the order of insertion live on: ties, new ids, and ids of removed objects.
#[test]
fn ids_and_order_live_on() {
    let ball = |x: f64| Object::new(Sphere::new(DVec3::X * x, 1.0).unwrap());
    let mut scene = Scene::new();
    let ids: Vec<_> = (0..5).map(|_| scene.insert(ball(5.0)).unwrap()).collect();
    [ids[0], ids[3], ids[1]].iter().for_each(|id| drop(scene.remove(*id).unwrap()));
    let again = scene.insert(ball(5.0)).unwrap(); // in the slot of ids[1], last in the order
    assert_eq!(again.index(), 1);
    let mut loaded = Scene::<DVec3>::from_bytes(&scene.to_bytes().unwrap()).unwrap();
    let ray = Ray::new(DVec3::ZERO, DVec3::X);
    for scene in [&mut scene, &mut loaded] {
        for gone in [ids[0], ids[1], ids[3]] {
            assert!(scene.get(gone).is_none());
            assert_eq!(scene.set_layers(gone, 1), Err(SceneError::NoObject(gone)));
        }
        assert_eq!(scene.cast_ray(&ray, ..).unwrap().object, Some(ids[2]));
        let all: Vec<_> = scene.cast_ray_all(&ray, ..).iter().filter_map(|hit| hit.object).collect();
        assert_eq!(all[..3], [ids[2], ids[4], again]);
        let new: Vec<_> = (0..4).map(|_| scene.insert(ball(9.0)).unwrap()).collect();
        assert_eq!(new.iter().map(|id| id.index()).collect::<Vec<_>>(), [3, 0, 5, 6]);
        assert!(new.iter().all(|id| !ids.contains(id)));
    }
}

/// An empty scene, one that has lost its last object, one with unbounded shapes only.
#[test]
fn scenes_without_a_tree() {
    let mut scene = Scene::<Vec2>::new();
    let round = |scene: &Scene<Vec2>| Scene::<Vec2>::from_bytes(&scene.to_bytes().unwrap()).unwrap();
    assert!(round(&scene).is_empty());
    let id = scene.insert(Object::new(Circle::new(Vec2::ZERO, 1.0).unwrap())).unwrap();
    scene.remove(id).unwrap();
    let mut loaded = round(&scene);
    assert!(loaded.is_empty() && loaded.statistics().nodes == 0);
    let line = Object::new(hitscan::Line::new(Vec2::X, Vec2::X).unwrap());
    let [a, b] = [&mut scene, &mut loaded].map(|scene| scene.insert(line.clone()).unwrap());
    assert!(a == b && a != id);
    let hit = round(&scene).cast_ray(&Ray::new(Vec2::ZERO, Vec2::X), ..).unwrap();
    assert_eq!((hit.t, hit.object), (1.0, Some(a)));
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

/// Replaces the checksum by the correct one.
pub(crate) fn sign(bytes: &mut [u8]) {
    let body = bytes.len() - 4;
    let sum = checksum(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
}

/// Layout of the documentation, byte by byte.
#[test]
fn the_layout_is_the_documented_one() {
    let mut inner = Scene::<Vec2>::new();
    inner.insert(Object::new(Circle::new(Vec2::new(1.0, 2.0), 0.5).unwrap())).unwrap();
    let mut scene = Scene::<Vec2>::new();
    let gone = scene.insert(Object::new(Circle::new(Vec2::ZERO, 1.0).unwrap())).unwrap();
    scene.insert(Object::new(hitscan::Line::new(Vec2::Y, Vec2::X).unwrap()).named("Öl").on_layers(6)).unwrap();
    let place = Transform::new([Vec2::X * 2.0, Vec2::Y], Vec2::new(-1.0, 0.0)).unwrap();
    let group = Object::new(Group::new(inner).unwrap()).with_transform(place).with_user_data(1 << 40);
    scene.insert(group.with_faces(Faces::Front).with_inside(Inside::Hollow)).unwrap();
    scene.remove(gone).unwrap();
    scene.rebuild();

    let mut bytes = b"hitscene\n".to_vec();
    fn words(bytes: &mut Vec<u8>, words: &[u32]) {
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    }
    fn numbers(bytes: &mut Vec<u8>, numbers: &[f32]) {
        numbers.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    let long = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
    words(&mut bytes, &[1, 2, 4]);
    long(&mut bytes, 0); // the length: see below
    words(&mut bytes, &[1]);
    // The group: a circle in slot 0, in the first leaf.
    words(&mut bytes, &[1, 0, 1, 0, 1, 1]);
    long(&mut bytes, 1);
    words(&mut bytes, &[0, 0]);
    long(&mut bytes, 0);
    long(&mut bytes, 0);
    words(&mut bytes, &[1, 0, 1]);
    numbers(&mut bytes, &[1.0, 2.0, 0.5]);
    words(&mut bytes, &[1 << 31]);
    words(&mut bytes, &[u32::MAX; 15]);
    words(&mut bytes, &[0]);
    // The scene: slot 0 is vacant, the line and the group are in slots 1 and 2.
    words(&mut bytes, &[0, 3, 1, 2, 1]);
    long(&mut bytes, 3);
    words(&mut bytes, &[1, 0, 0, 0]);
    words(&mut bytes, &[1]);
    long(&mut bytes, 1);
    long(&mut bytes, 0);
    words(&mut bytes, &[6, 32, 3]);
    bytes.extend("Öl".as_bytes());
    words(&mut bytes, &[3]);
    numbers(&mut bytes, &[0.0, 1.0, 1.0, 0.0]);
    words(&mut bytes, &[2]);
    long(&mut bytes, 2);
    long(&mut bytes, 1 << 40);
    words(&mut bytes, &[1, 2 + 4 * 2 + 16]);
    numbers(&mut bytes, &[2.0, 0.0, 0.0, 1.0, -1.0, 0.0]);
    words(&mut bytes, &[0, 0]);
    words(&mut bytes, &[1 << 31]);
    words(&mut bytes, &[u32::MAX; 15]);
    words(&mut bytes, &[1]);
    bytes.extend([0; 4]);
    let length = bytes.len() as u64;
    bytes[21..29].copy_from_slice(&length.to_le_bytes());
    sign(&mut bytes);
    assert_eq!(scene.to_bytes().unwrap(), bytes);
    assert_eq!(Scene::<Vec2>::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes);
}

/// The same bytes on every machine.
#[test]
fn the_bytes_are_the_same_everywhere() {
    let mut rng = Rng::new(7);
    let digest = |bytes: Vec<u8>| (bytes.len(), checksum(&bytes[..bytes.len() - 4]));
    let bytes = [
        scene::<Vec2>(&mut rng, Draw::Lattice).to_bytes(),
        scene::<DVec2>(&mut rng, Draw::Lattice).to_bytes(),
        scene::<Vec3>(&mut rng, Draw::Lattice).to_bytes(),
        scene::<DVec3>(&mut rng, Draw::Lattice).to_bytes(),
    ];
    assert_eq!(
        bytes.map(|bytes| digest(bytes.unwrap())),
        [(3233, 1483293964), (4432, 244927889), (5626, 3342683645), (8642, 3061997145)]
    );
}

/// Nine groups within each other are one too many, in a file too.
#[test]
fn groups_nest_to_eight_levels() {
    let mut scene = Scene::<Vec2>::new();
    scene.insert(Object::new(Circle::new(Vec2::ZERO, 1.0).unwrap())).unwrap();
    for _ in 0..8 {
        let group = Group::new(scene).unwrap();
        scene = Scene::new();
        scene.insert(Object::new(group)).unwrap();
    }
    let bytes = scene.to_bytes().unwrap();
    let loaded = Scene::<Vec2>::from_bytes(&bytes).unwrap();
    same(&scene, &loaded, 20, &mut Rng::new(8));
    // The scene itself as one more group, and an object of it: its bytes are those of the last group.
    let last = bytes.len() - 4;
    let size = (last - 33) / 9;
    let tail = &bytes[last - (size - 4)..last];
    let mut deeper = [&bytes[..last - tail.len()], &1u32.to_le_bytes(), tail, tail, &[0; 4]].concat();
    deeper[29..33].copy_from_slice(&9u32.to_le_bytes());
    forge(&mut deeper);
    let error = Scene::<Vec2>::from_bytes(&deeper).unwrap_err();
    assert!(matches!(error, SceneLoadError::Scene { error: SceneError::TooDeep, .. }), "{error}");
}

/// All shapes with numbers of any bits, as their constructors accept them.
#[test]
fn any_bits_are_kept() {
    fn check<V: World>(seed: u64) {
        let mut rng = Rng::new(seed);
        for _ in 0..50 {
            let mut scene = Scene::<V>::new();
            for kind in 0..V::KINDS {
                insert(&mut scene, shape::<V>(kind, &mut rng, Draw::Bits), &mut rng);
            }
            let bytes = scene.to_bytes().unwrap();
            let loaded = Scene::<V>::from_bytes(&bytes).unwrap();
            assert!(loaded.to_bytes().unwrap() == bytes);
            same_objects(&scene, &loaded);
            assert_eq!(scene.aabb(), loaded.aabb());
        }
    }
    check::<Vec2>(1);
    check::<DVec2>(2);
    check::<Vec3>(3);
    check::<DVec3>(4);
}
