//! Saved scenes that are damaged: accidents are errors, and forgeries do no harm.

use crate::saved_scenes::{fill, insert, same, scene, shape, sign, solid};
use crate::support::{Draw, Rng, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Circle, Group, Object, ObjectId, SaveError, Scene, SceneError, SceneLoadError, ShapeError, ShapeErrorKind, Sphere,
    Transform, TransformError, TriangleMesh,
};
use std::error::Error;

/// A random change of a file.
fn mutate(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len());
        match rng.below(3) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = rng.bits() as u8,
            _ => {
                let word = [0, 1, 2, u32::MAX, 1 << 31, rng.below(40) as u32][rng.below(6)].to_le_bytes();
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
        }
    }
}

#[test]
fn ten_thousand_mutations_are_errors() {
    fn check<V: World>(count: usize, seed: u64) {
        let mut rng = Rng::new(seed);
        let bytes = scene::<V>(&mut rng, Draw::Ordinary).to_bytes().unwrap();
        for _ in 0..rounds(count) {
            let mut changed = bytes.clone();
            mutate(&mut changed, &mut rng);
            assert!(changed == bytes || Scene::<V>::from_bytes(&changed).is_err());
        }
    }
    check::<Vec2>(5000, 1);
    check::<DVec3>(5000, 2);
}

/// Every truncation, every flipped bit, and additional bytes of a small file.
#[test]
fn accidents_are_found() {
    let mut scene = Scene::<Vec3>::new();
    let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    scene.insert(Object::new(mesh).named("a")).unwrap();
    scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap())).unwrap();
    let bytes = scene.to_bytes().unwrap();
    let read = |bytes: &[u8]| Scene::<Vec3>::from_bytes(bytes).map(drop);
    assert_eq!(read(&bytes), Ok(()));
    for end in 0..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!(matches!(error, SceneLoadError::Length { found, .. } if found == end), "{end}: {error}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            assert!(read(&bytes).is_err(), "bit {bit} of byte {at}");
        }
    }
    let longer = read(&[&bytes[..], &[0]].concat()).unwrap_err();
    assert_eq!(longer, SceneLoadError::Length { expected: bytes.len() as u64, found: bytes.len() + 1 });
}

/// Corrects the length and all checksums, those of meshes too.
pub(crate) fn forge(bytes: &mut [u8]) {
    let length = bytes.len() as u64;
    bytes[21..29].copy_from_slice(&length.to_le_bytes());
    let starts: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"hitmesh\n")).collect();
    for start in starts {
        let length = u64::from_le_bytes(*bytes[start - 8..].first_chunk().unwrap());
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        if let Some(mesh) = end.and_then(|end| bytes.get_mut(start..end)).filter(|mesh| mesh.len() > 4) {
            sign(mesh);
        }
    }
    sign(bytes);
}

/// Mutations with correct checksums: an error, or a scene that answers like its linear scan and can be edited.
#[test]
fn thousands_of_forgeries_do_no_harm() {
    fn check<V: World>(count: usize, seed: u64) -> [usize; 2] {
        let mut rng = Rng::new(seed);
        let mut inner = Scene::<V>::new();
        for kind in 0..V::KINDS {
            insert(&mut inner, shape::<V>(kind, &mut rng, Draw::Ordinary), &mut rng);
        }
        let mut scene = Scene::<V>::new();
        let solid = solid::<V>(&mut rng, Draw::Ordinary);
        fill(&mut scene, &[V::Shape::from(Group::new(inner).unwrap()), solid], &mut rng, Draw::Ordinary);
        let bytes = scene.to_bytes().unwrap();
        let mut fate = [0, 0];
        for _ in 0..rounds(count) {
            let mut changed = bytes.clone();
            mutate(&mut changed, &mut rng);
            forge(&mut changed);
            let Ok(mut read) = Scene::<V>::from_bytes(&changed) else {
                fate[1] += 1;
                continue;
            };
            fate[0] += 1;
            let again = read.to_bytes().unwrap();
            assert!(Scene::<V>::from_bytes(&again).unwrap().to_bytes().unwrap() == again);
            if read.is_empty() {
                continue;
            }
            same(&read, &read.linear_scan(), 2, &mut rng);
            let ids: Vec<ObjectId> = read.objects().map(|(id, _)| id).collect();
            let new = read.insert(Object::new(shape::<V>(0, &mut rng, Draw::Ordinary))).unwrap();
            assert!(!ids.contains(&new));
            ids.iter().step_by(2).for_each(|id| drop(read.remove(*id).unwrap()));
            read.commit();
            same(&read, &read.linear_scan(), 1, &mut rng);
        }
        fate
    }
    for [read, refused] in
        [check::<Vec2>(1000, 1), check::<DVec2>(700, 2), check::<Vec3>(1000, 3), check::<DVec3>(700, 4)]
    {
        assert!(read > rounds(100) && refused > rounds(100), "{read} read, {refused} refused");
    }
}

/// A slot whose generations are used up is retired, also after loading.
#[test]
fn a_used_up_slot_is_retired() {
    let ball = || Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let mut scene = Scene::<Vec3>::new();
    scene.insert(ball()).unwrap();
    let mut bytes = scene.to_bytes().unwrap();
    let generation = 33 + 5 * 4 + 8;
    bytes[generation..generation + 4].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
    forge(&mut bytes);
    let mut old = Scene::<Vec3>::from_bytes(&bytes).unwrap();
    let last = old.objects().next().unwrap().0;
    assert_eq!(last.to_string(), "0:4294967294");
    old.remove(last).unwrap();
    let mut loaded = Scene::<Vec3>::from_bytes(&old.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.insert(ball()).unwrap().index(), 1);
    assert!(loaded.get(last).is_none());
    bytes[generation..generation + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    forge(&mut bytes);
    assert!(Scene::<Vec3>::from_bytes(&bytes).unwrap_err().to_string().ends_with("a slot with too high a generation"));
}

#[test]
fn errors_say_what_and_where() {
    let mut scene = Scene::<Vec3>::new();
    for x in [0.0, 5.0, 9.0] {
        let place = Transform::from_translation(Vec3::Y).unwrap();
        let object = Object::new(Sphere::new(Vec3::X * x, 1.0).unwrap()).with_transform(place);
        scene.insert(object.named(format!("{x}"))).unwrap();
    }
    scene.rebuild();
    let bytes = scene.to_bytes().unwrap();
    let read = |bytes: &[u8]| Scene::<Vec3>::from_bytes(bytes).map(drop).map_err(|error| error.to_string());
    let with = |at: usize, word: u32| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let keeps_length = !(21..29).contains(&at);
        if keeps_length {
            forge(&mut bytes);
        } else {
            sign(&mut bytes);
        }
        read(&bytes).unwrap_err()
    };
    assert_eq!(
        read(b"[[shape]] and so on, until there are enough bytes").unwrap_err(),
        "not a saved scene: it does not begin as one"
    );
    assert_eq!(read(b"").unwrap_err(), "0 bytes in place of 37");
    assert_eq!(with(9, 2), "saved scene has unsupported version 2: save it again");
    assert_eq!(with(21, 9), format!("{} bytes in place of 9", bytes.len()));
    assert_eq!(with(29, 1), "byte 33: not a saved mesh: it does not begin as one");
    // The scene begins at byte 33, its generations at 61, its objects at 73.
    let (scene_at, objects) = (33, 73);
    assert_eq!(with(scene_at, 2), "byte 33: a scene with an unknown accelerator");
    assert_eq!(with(scene_at, 1), "byte 33: a scene with nodes for its linear scan");
    assert_eq!(with(objects, 9), format!("byte {objects}: an object in no slot"));
    assert_eq!(with(scene_at + 24, u32::MAX), "byte 33: a scene with too many insertions");
    let object = 4 + 8 + 8 + 4 + 4 + 4 + 1 + 48 + 4 + 16;
    assert_eq!(
        with(objects, 1),
        format!("byte {}: two objects in one slot, or an object in a vacant one", objects + object)
    );
    assert_eq!(with(objects + 4, 7), format!("byte {objects}: an object out of the order of insertion"));
    assert_eq!(with(objects + 20, 0), format!("byte {objects}: layers must have at least one bit set"));
    assert_eq!(with(objects + 24, 48 + 128), format!("byte {objects}: an object with unknown flags"));
    assert_eq!(with(objects + 33, 0), format!("byte {objects}: the transform is singular: its determinant is zero"));
    assert_eq!(with(objects + 81, 13), format!("byte {objects}: its shape has a kind that this space has not"));
    assert_eq!(with(objects + 81, 0), format!("byte {objects}: a shape that is a geometry which does not come before"));
    assert_eq!(with(objects + 97, 0), format!("byte {objects}: radius must be greater than 0"));
    let names = {
        let mut bytes = bytes.clone();
        bytes[objects + object + 32] = b'0';
        forge(&mut bytes);
        bytes
    };
    assert_eq!(read(&names).unwrap_err(), format!("byte {}: two shapes are named '0'", objects + object));
    let names = {
        let mut bytes = bytes.clone();
        bytes[objects + 32] = 0xff;
        forge(&mut bytes);
        bytes
    };
    assert_eq!(read(&names).unwrap_err(), format!("byte {objects}: a name that is not UTF-8"));
    let nodes = objects + 3 * object;
    assert_eq!(bytes.len(), nodes + 64 + 12 + 4);
    assert_eq!(with(nodes, 0), "node 0 of the tree has a child that has another parent, or is the root");
    assert_eq!(with(nodes, 1 << 31 | 3 << 27), "leaf 0 of the tree does not begin where the one before it ends");
    assert_eq!(with(nodes + 64, 3), "leaf 0 of the tree names a primitive that does not exist");
    let second = u32::from_le_bytes(*bytes[nodes + 68..].first_chunk().unwrap());
    assert_eq!(with(nodes + 64, second), format!("object {second} of the tree is in two leaves, or has no box"));
    let types = |error: SceneLoadError| error.to_string();
    assert_eq!(
        types(Scene::<DVec3>::from_bytes(&bytes).unwrap_err()),
        "a saved scene whose numbers have 4 bytes, not 8: load it as a scene of Vec2 or Vec3"
    );
    assert_eq!(
        types(Scene::<DVec2>::from_bytes(&bytes).unwrap_err()),
        "a saved scene of 3 dimensions, not 2: load it as a scene of Vec3 or DVec3"
    );
    assert_eq!(Scene::<Vec2>::from_bytes(&bytes).err(), Some(SceneLoadError::Dimension { found: 3, wanted: 2 }));
    assert_eq!(Scene::<DVec3>::from_bytes(&bytes).err(), Some(SceneLoadError::Precision { found: 4, wanted: 8 }));
}

#[test]
fn errors_have_a_source_and_name_objects() {
    let shape = ShapeError { field: "radius", problem: ShapeErrorKind::NotPositive };
    let with = [
        SceneLoadError::Shape { at: 1, error: shape },
        SceneLoadError::Transform { at: 1, error: TransformError::Singular },
        SceneLoadError::Mesh { at: 1, error: hitscan::LoadError::NotSaved },
        SceneLoadError::Scene { at: 1, error: SceneError::TooDeep },
    ];
    for error in with {
        let source = error.source().expect("a source").to_string();
        assert_eq!(error.to_string(), format!("byte 1: {source}"));
    }
    assert!(SceneLoadError::NotSaved.source().is_none());
    let mut scene = Scene::<Vec2>::new();
    let id = scene.insert(Object::new(Circle::new(Vec2::ZERO, 1.0).unwrap())).unwrap();
    let error = SaveError::Shape { path: vec![id, id] };
    assert!(
        error.to_string().starts_with("object 0:0 of the group, object 0:0: its shape is a user geometry"),
        "{error}"
    );
}
