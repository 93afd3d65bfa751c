//! Laws of saved meshes and scenes: any bytes give an error, or a mesh or scene that answers queries, never a panic.

use crate::law::law;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Ray, RayCast, Scene, Shape, Space, TriangleMesh};
use hitscan::{Real, Vector3};

/// Saved mesh without its checksum, which the target appends: otherwise no mutation would pass it.
pub fn saved(bytes: &[u8]) {
    for file in [bytes.to_vec(), [bytes, &checksum(bytes).to_le_bytes()].concat()] {
        read::<Vec3>(&file);
        read::<DVec3>(&file);
    }
}

/// Saved scene without its checksum, which the target appends. Its length is corrected, too.
pub fn saved_scene(bytes: &[u8]) {
    let mut forged = bytes.to_vec();
    let length = bytes.len() as u64 + 4;
    if let Some(written) = forged.get_mut(21..29) {
        written.copy_from_slice(&length.to_le_bytes());
    }
    forged.extend(checksum(&forged).to_le_bytes());
    for file in [bytes, &forged] {
        read_scene::<Vec2>(file);
        read_scene::<DVec2>(file);
        read_scene::<Vec3>(file);
        read_scene::<DVec3>(file);
    }
}

fn read_scene<V: Space>(file: &[u8]) {
    let Ok(mut scene) = Scene::<V>::from_bytes(file) else { return };
    let case = || format!("{} bytes", file.len());
    let again = scene.to_bytes().unwrap_or_default();
    let twice = Scene::<V>::from_bytes(&again).ok().and_then(|scene| scene.to_bytes().ok());
    law(twice == Some(again), "saved_scene: other bytes are written than were read", case);
    let same = |scene: &Scene<V>| {
        let linear = scene.linear_scan();
        let boxes: Vec<_> = scene.objects().map(|(_, object)| object.instance().aabb()).take(6).collect();
        for aabb in boxes {
            let from = if aabb.min.all_finite() { aabb.min } else { V::splat(V::Scalar::ONE) };
            let ray = Ray::new(from + from, aabb.center() - from);
            let truth = linear.cast_ray(&ray, ..);
            law(scene.cast_ray(&ray, ..) == truth, "saved_scene: the tree changes the first hit", case);
            law(scene.contains(from) == linear.contains(from), "saved_scene: the tree changes what is inside", case);
        }
    };
    same(&scene);
    let first = scene.objects().next().map(|(id, object)| (id, object.clone()));
    if let Some((id, object)) = first {
        law(scene.remove(id).is_ok(), "saved_scene: an object cannot be removed", case);
        let new = scene.insert(object);
        law(new.is_ok() && new != Ok(id), "saved_scene: an object cannot be inserted", case);
        scene.commit();
        same(&scene);
    }
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

fn read<V: Vector3>(file: &[u8]) {
    let Ok(mesh) = TriangleMesh::<V>::from_bytes(file) else { return };
    let case = || format!("{mesh:?}");
    law(mesh.to_bytes() == file, "saved: other bytes are written than were read", case);
    let linear = mesh.linear_scan();
    // Validation covers triangles in one leaf; it trusts the boxes of triangles that a spatial split has cut.
    let is_cut = mesh.statistics().nodes > 0 && parts(file) > mesh.triangles().len();
    let mut moved = mesh.clone();
    let again = moved.refit(mesh.vertices());
    law(again.is_ok(), "saved: its own vertices are refused", case);
    let size = mesh.triangles().len().min(8);
    for (i, triangle) in mesh.triangles()[..size].iter().enumerate() {
        let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize]);
        let third = V::Scalar::from_f64(1.0 / 3.0);
        let inside = a * third + b * third + c * third;
        let from = if i % 2 == 0 { mesh.aabb().min } else { mesh.aabb().max };
        let ray = Ray::new(from, inside - from);
        let truth = linear.cast_ray(&ray, ..);
        law(moved.cast_ray(&ray, ..) == truth, "saved: after refitting another first hit", case);
        law(is_cut || mesh.cast_ray(&ray, ..) == truth, "saved: the tree changes the first hit", case);
        law(is_cut || mesh.contains(from) == linear.contains(from), "saved: the tree changes what is inside", case);
    }
}

/// Count of triangles in the leaves, from the layout.
fn parts(file: &[u8]) -> usize {
    file[28..32].first_chunk().map_or(0, |word| u32::from_le_bytes(*word)) as usize
}
