//! Saved shards and hits: the same answers after loading, and errors for damaged bytes.

use crate::shards::{quarter_turn, same};
use crate::support::{Draw, Rng, Sample, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Circle, Columns, Cuboid, Group, HitColumns, HitLists, Object, Query, RayCast, RayColumns, SaveError, Scene, Shard,
    ShardError, ShardLoadError, Sphere, Transform, Triggers, UserShape,
};
use std::collections::HashSet;
use std::sync::Arc;

fn mesh_scene() -> Scene<Vec3> {
    let mut scene = Scene::<Vec3>::new();
    let mesh = Arc::new(meshes::build::<Vec3>(meshes::icosphere(1)));
    let gone = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap())).unwrap();
    scene.insert(Object::new(mesh.clone()).with_transform(quarter_turn())).unwrap();
    scene.insert(Object::new(mesh).with_transform(Transform::from_translation(Vec3::X).unwrap()).named("b")).unwrap();
    scene.remove(gone).unwrap();
    // The same triangles are in other shards than those of the mesh placed twice, which is cut in its own coordinates.
    scene.insert(Object::new(meshes::build::<Vec3>(meshes::icosphere(1)))).unwrap();
    scene.insert(Object::new(Cuboid::new(Vec3::Y, Vec3::ONE).unwrap()).with_user_data(7)).unwrap();
    scene
}

/// Rays from outside at the shapes.
fn rays_at(count: usize, rng: &mut Rng) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut ray = || {
        let origin: Vec3 = rng.vector(Draw::Ordinary);
        (origin, rng.in_cube::<Vec3>() - origin)
    };
    (0..count).map(|_| ray()).unzip()
}

#[test]
fn saved_shards() {
    let scene = mesh_scene();
    let mut rng = Rng::new(10);
    let (origins, directions) = rays_at(300, &mut rng);
    let rays = RayColumns::from_points(&origins, &directions).unwrap();
    let bytes: Vec<Vec<u8>> = scene.split(3).unwrap().iter().map(|shard| shard.to_bytes().unwrap()).collect();
    let loaded: Vec<Shard<Vec3>> = bytes.iter().map(|bytes| Shard::from_bytes(bytes).unwrap()).collect();
    assert!(loaded.iter().zip(&bytes).all(|(shard, bytes)| shard.to_bytes().unwrap() == *bytes));
    let [closest, all] = same(&scene, &loaded, &rays, Query::new());
    assert!(closest > 20 && all > 20, "{closest} {all}");
    // Parts travel between machines, with the topologies of whole meshes.
    let travel = |part: Shard<Vec3>| Shard::from_bytes(&part.to_bytes().unwrap()).unwrap();
    let parts: Vec<_> = loaded.iter().map(|shard| travel(shard.part(&shard.primitives_along(&rays, ..)))).collect();
    assert_eq!(hitscan::merge_spans(&rays, .., &parts).unwrap(), scene.spans_columns(&rays, ..));

    let exact = scene.to_double().unwrap();
    let doubles: Vec<_> = loaded.iter().map(|shard| shard.to_double().unwrap()).collect();
    let double = |points: &[Vec3]| points.iter().map(|point| point.as_dvec3()).collect::<Vec<_>>();
    let (origins, directions) = (double(&origins), double(&directions));
    same(&exact, &doubles, &RayColumns::from_points(&origins, &directions).unwrap(), Query::new());

    let mut user = Scene::<Vec3>::new();
    let shape = crate::support::Ball { is_measured: false };
    let id = user.insert(Object::new(UserShape::new(shape))).unwrap();
    let error = user.split(1).unwrap()[0].to_bytes().err();
    assert_eq!(error, Some(SaveError::Shape { path: vec![id] }));
    assert!(Shard::<Vec2>::from_bytes(&bytes[0]).is_err() && Shard::<DVec3>::from_bytes(&bytes[0]).is_err());
}

/// CRC-32, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

/// Corrects the length and the checksum.
fn sign(bytes: &mut [u8]) {
    let (end, length) = (bytes.len() - 4, bytes.len() as u64);
    bytes[13..21].copy_from_slice(&length.to_le_bytes());
    let sum = crc(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn damaged_shards_are_errors() {
    let shard = &mesh_scene().split(2).unwrap()[0];
    let bytes = shard.to_bytes().unwrap();
    let read = |bytes: &[u8]| Shard::<Vec3>::from_bytes(bytes);
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
    assert!(read(&[&bytes[..], &[0]].concat()).is_err());
    let mut rng = Rng::new(11);
    for _ in 0..500 {
        let mut changed = bytes.clone();
        changed[rng.below(bytes.len())] ^= 1 << rng.below(8);
        assert!(read(&changed).is_err());
    }
    // Changed on purpose, up to the scene within: an error with a reason, or a shard whose queries end.
    let scene = bytes.windows(9).position(|bytes| bytes == b"hitscene\n").unwrap();
    let (mut reasons, mut shards) = (HashSet::new(), 0);
    let rays = RayColumns::from_points(&[[0.1, 0.2, 5.0]; 2], &[[0.0, 0.0, -1.0], [0.0, 0.1, -1.0]]).unwrap();
    for at in 13..scene {
        for value in [0, 1, 2, 0x7f, 0xff, rng.bits() as u8] {
            let mut changed = bytes.clone();
            changed[at] = value;
            sign(&mut changed);
            match read(&changed) {
                Err(error) => drop(reasons.insert(error.to_string().split(": ").last().unwrap_or("").to_owned())),
                Ok(shard) => {
                    shards += 1;
                    let own = shard.part(&shard.primitives_along(&rays, ..));
                    let _ = (shard.cast_columns(&rays, ..), hitscan::merge_spans(&rays, .., &[own]));
                }
            }
        }
    }
    assert!(reasons.len() > 5 && shards > 20, "{reasons:?} {shards}");
    for (name, wanted) in [("plane", "neither a saved shard"), ("hitscene\n", "neither a saved shard")] {
        assert!(read(&[name.as_bytes(), &[0; 60]].concat()).unwrap_err().to_string().contains(wanted));
    }
}

/// Hits travel between machines, too.
#[test]
fn saved_hits() {
    let scene = mesh_scene();
    let mut rng = Rng::new(12);
    let (origins, directions) = rays_at(5000, &mut rng);
    let rays = RayColumns::from_points(&origins, &directions).unwrap();
    let (hits, lists) = (scene.cast_columns(&rays, Query::line()), scene.cast_columns_all(&rays, Query::line()));
    assert!(hits.count_hits() > 500 && lists.hits().len() > 5000);
    let (bytes, list_bytes) = (hits.to_bytes().unwrap(), lists.to_bytes());
    assert_eq!(format!("{:?}", HitColumns::<Vec3>::from_bytes(&bytes)), format!("{:?}", Ok::<_, ShardLoadError>(hits)));
    assert_eq!(
        format!("{:?}", HitLists::<Vec3>::from_bytes(&list_bytes)),
        format!("{:?}", Ok::<_, ShardLoadError>(lists))
    );
    assert_eq!(HitColumns::<Vec3>::new(Columns::T).to_bytes(), Err(ShardError::Columns));
    assert!(HitColumns::<Vec2>::from_bytes(&bytes).is_err() && HitLists::<DVec3>::from_bytes(&list_bytes).is_err());

    // In the plane, with groups; then a few rows, to cut at every byte.
    let mut inner = Scene::<DVec2>::new();
    inner.insert(Object::new(Circle::new(DVec2::ZERO, 1.0).unwrap())).unwrap();
    let mut scene = Scene::<DVec2>::new();
    scene.insert(Object::new(Group::new(inner).unwrap()).as_trigger()).unwrap();
    let rays = RayColumns::from_points(&[[0.0, 3.0], [5.0, 0.0]], &[[0.0, -1.0]; 2]).unwrap();
    let (hits, lists) =
        (scene.cast_columns(&rays, Query::new().triggers(Triggers::Hit)), scene.cast_columns_all(&rays, ..));
    let (bytes, list_bytes) = (hits.to_bytes().unwrap(), lists.to_bytes());
    assert_eq!(HitColumns::from_bytes(&bytes), Ok(hits));
    assert_eq!(HitLists::from_bytes(&list_bytes), Ok(lists));
    for end in 0..bytes.len() {
        assert!(HitColumns::<DVec2>::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    for end in 0..list_bytes.len() {
        assert!(HitLists::<DVec2>::from_bytes(&list_bytes[..end]).is_err(), "{end}");
    }
    for at in 0..list_bytes.len() {
        let mut changed = list_bytes.clone();
        changed[at] ^= 1 << rng.below(8);
        assert!(HitLists::<DVec2>::from_bytes(&changed).is_err(), "{at}");
    }
    let mut longer = bytes[..bytes.len() - 4].to_vec();
    longer.push(0);
    longer.extend(crc(&longer).to_le_bytes());
    let error = HitColumns::<DVec2>::from_bytes(&longer).unwrap_err();
    assert!(error.to_string().ends_with("there are bytes after the hits"), "{error}");
}
