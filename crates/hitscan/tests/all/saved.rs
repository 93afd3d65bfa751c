//! Saved meshes: the same answers after loading; damaged bytes are errors, and forged ones do no harm.

use crate::support::meshes::{MeshArrays, hall, icosphere, slivers, torus};
use crate::support::{Rng, Sample};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Accelerator, LoadError, MeshError, Quality, Query, Ray, RayCast, Shape, TriangleMesh};
use hitscan::{Real, Vector3};

fn mesh<V: Vector3>((vertices, triangles): &MeshArrays, quality: Quality) -> TriangleMesh<V> {
    let vertices = vertices.iter().map(|p| V::from_xyz(p.map(V::Scalar::from_f64))).collect();
    TriangleMesh::with_quality(vertices, triangles.clone(), quality).unwrap()
}

fn rays<V: Vector3>(mesh: &TriangleMesh<V>, count: usize) -> Vec<Ray<V>> {
    let (aabb, mut rng) = (mesh.aabb(), Rng::new(3));
    let aim = |_| {
        let (from, to) = (rng.point_in(&aabb), rng.point_in(&aabb));
        Ray::new(from + from - to, to - from)
    };
    (0..count).map(aim).collect()
}

fn same<V: Vector3>(one: &TriangleMesh<V>, other: &TriangleMesh<V>, count: usize) {
    for ray in rays(one, count) {
        assert_eq!(one.cast_ray(&ray, ..), other.cast_ray(&ray, ..), "{ray:?}");
        assert_eq!(one.intersects_ray(&ray, ..), other.intersects_ray(&ray, ..), "{ray:?}");
        assert_eq!(one.cast_ray_all(&ray, Query::line()), other.cast_ray_all(&ray, Query::line()), "{ray:?}");
    }
}

fn round_trips<V: Vector3>() {
    for arrays in [icosphere(3), torus(40, 24), slivers(), hall()] {
        for quality in [Quality::Fast, Quality::Default, Quality::High] {
            let built = mesh::<V>(&arrays, quality);
            let bytes = built.to_bytes();
            let read = TriangleMesh::<V>::from_bytes(&bytes).unwrap();
            assert!(read.to_bytes() == bytes);
            assert_eq!((read.vertices(), read.triangles()), (built.vertices(), built.triangles()));
            assert_eq!((read.statistics(), read.topology()), (built.statistics(), built.topology()));
            same(&read, &built, 200);
            same(&read, &built.linear_scan(), 100);
        }
    }
    let (vertices, triangles) = icosphere(1);
    let vertices: Vec<V> = vertices.iter().map(|p| V::from_xyz(p.map(V::Scalar::from_f64))).collect();
    let linear = TriangleMesh::with_accelerator(vertices, triangles, Accelerator::LinearScan).unwrap();
    let read = TriangleMesh::<V>::from_bytes(&linear.to_bytes()).unwrap();
    assert_eq!(read.statistics().nodes, 0);
    same(&read, &linear, 50);
}

#[test]
fn saved_and_read_in_f32() {
    round_trips::<Vec3>();
}

#[test]
fn saved_and_read_in_f64() {
    round_trips::<DVec3>();
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

/// Replaces the checksum by the correct one.
fn signed(body: &[u8]) -> Vec<u8> {
    [body, &checksum(body).to_le_bytes()].concat()
}

/// Layout of the documentation, byte by byte.
#[test]
fn the_layout_is_the_documented_one() {
    let corners = [Vec3::new(1.0, 2.0, -3.0), Vec3::new(2.0, 2.5, -3.5), Vec3::new(1.5, 4.0, -2.0)];
    let mut body = b"hitmesh\n".to_vec();
    let words = |body: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| body.extend(word.to_le_bytes()));
    words(&mut body, &[2, 4, 3, 1, 1, 1, 1]);
    let numbers = |body: &mut Vec<u8>, numbers: &[f32]| numbers.iter().for_each(|x| body.extend(x.to_le_bytes()));
    corners.iter().for_each(|corner| numbers(&mut body, &corner.to_array()));
    words(&mut body, &[0, 1, 2]);
    words(&mut body, &[1 << 31]);
    words(&mut body, &[u32::MAX; 15]);
    words(&mut body, &[0]);
    numbers(&mut body, &[1.0, 2.0, -3.5, 2.0, 4.0, -2.0]);
    let mesh = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    assert_eq!(mesh.to_bytes(), signed(&body));
    let wide = TriangleMesh::new(corners.map(Vec3::as_dvec3).to_vec(), vec![[0, 1, 2]]).unwrap().to_bytes();
    assert_eq!((wide.len(), &wide[36..44]), (signed(&body).len() + 36, &1f64.to_le_bytes()[..]));
}

/// Every flipped bit, every truncation and additional bytes: each is an error.
#[test]
fn accidents_are_found() {
    let bytes = mesh::<Vec3>(&icosphere(0), Quality::Default).to_bytes();
    let read = |bytes: &[u8]| TriangleMesh::<Vec3>::from_bytes(bytes).map(drop);
    assert_eq!(read(&bytes), Ok(()));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            assert!(read(&bytes).is_err(), "bit {bit} of byte {at}");
        }
    }
    for end in 0..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!(matches!(error, LoadError::Length { found, .. } if found == end), "{end}: {error}");
    }
    let longer = read(&[&bytes[..], &[0]].concat()).unwrap_err();
    assert_eq!(longer, LoadError::Length { expected: bytes.len() as u64, found: bytes.len() + 1 });
}

/// Every byte changed, with a correct checksum: a mesh that still loads answers like a linear scan. No triangle was
/// cut, so validation ensures that the box of its leaf encloses it.
#[test]
fn forgeries_do_no_harm() {
    fn check<V: Vector3>(arrays: &MeshArrays, step: usize) -> [usize; 2] {
        let bytes = mesh::<V>(arrays, Quality::Default).to_bytes();
        let body = &bytes[..bytes.len() - 4];
        let mut fate = [0, 0];
        for at in (0..body.len()).step_by(step) {
            for change in [0x01, 0x80, 0xff, 0x7f] {
                let mut body = body.to_vec();
                body[at] ^= change;
                let Ok(read) = TriangleMesh::<V>::from_bytes(&signed(&body)) else {
                    fate[1] += 1;
                    continue;
                };
                fate[0] += 1;
                same(&read, &read.linear_scan(), 3);
                let mut moved = read.clone();
                moved.refit(read.vertices()).unwrap();
                same(&moved, &read, 2);
                assert!(read.to_bytes() == signed(&body), "byte {at}");
            }
        }
        fate
    }
    for [read, refused] in
        [check::<Vec3>(&icosphere(1), 1), check::<DVec3>(&icosphere(0), 1), check::<Vec3>(&hall(), 7)]
    {
        assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
    }
}

#[test]
fn errors_say_what_and_where() {
    let bytes = mesh::<Vec3>(&icosphere(1), Quality::Default).to_bytes();
    let read = |bytes: &[u8]| TriangleMesh::<Vec3>::from_bytes(bytes).map(drop).map_err(|error| error.to_string());
    let with = |at: usize, word: u32| {
        let mut body = bytes[..bytes.len() - 4].to_vec();
        body[at..at + 4].copy_from_slice(&word.to_le_bytes());
        read(&signed(&body)).unwrap_err()
    };
    // 18 points and 32 triangles, then the nodes.
    let (triangles, nodes) = (36 + 18 * 12, 36 + 18 * 12 + 32 * 12);
    let [vertex_count, node_count] = [16, 24].map(|at| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap()));
    assert_eq!((vertex_count, bytes[20]), (18, 32));
    let prim_ids = nodes + 64 * node_count as usize;
    let boxes = prim_ids + 4 * u32::from_le_bytes(*bytes[28..].first_chunk().unwrap()) as usize;
    assert_eq!(
        read(b"ply\nformat ascii 1.0\n and so on until there are enough").unwrap_err(),
        "not a saved mesh: it does not begin as one"
    );
    assert_eq!(read(b"").unwrap_err(), "0 bytes in place of 40");
    assert_eq!(with(8, 7), "saved mesh has unsupported version 7");
    assert_eq!(with(12, 8), "a saved mesh whose coordinates have 8 bytes, not 4");
    assert_eq!(with(12, u32::MAX), "a saved mesh whose coordinates have 4294967295 bytes, not 4");
    for count in [16, 20, 24, 28, 32] {
        assert!(with(count, u32::MAX).starts_with(&format!("{} bytes in place of", bytes.len())));
    }
    assert_eq!(with(36 + 5 * 12, f32::NAN.to_bits()), "vertex 5: a coordinate is not finite");
    assert_eq!(with(triangles + 12, 18), "triangle 1: vertex index 18 out of range (18 vertices)");
    assert_eq!(with(nodes, 0), "node 0 of the tree has a child that has another parent, or is the root");
    assert_eq!(with(nodes, 99), "node 0 of the tree has a child that does not exist");
    assert_eq!(with(prim_ids, 32), "leaf 0 of the tree names a primitive that does not exist");
    assert_eq!(with(nodes, 1 << 31 | 1), "leaf 0 of the tree does not begin where the one before it ends");
    assert_eq!(with(nodes, u32::MAX), "leaf 0 of the tree does not begin where the one before it ends");
    assert_eq!(with(boxes, f32::NAN.to_bits()), "leaf 0 of the tree has a box without a point");
    let beside = with(boxes + 12, (-0.999f32).to_bits());
    assert!(
        beside.ends_with("of the tree has a corner outside of the boxes of its leaves")
            || beside.contains("without a point"),
        "{beside}"
    );
    let mut damaged = bytes.clone();
    damaged[44] ^= 4;
    assert!(read(&damaged).unwrap_err().starts_with("damaged: the checksum is "));
}

#[test]
fn an_error_of_the_mesh_is_the_source() {
    let error = LoadError::from(MeshError::NoTriangles);
    let source = std::error::Error::source(&error).expect("a source");
    assert_eq!(source.downcast_ref::<MeshError>(), Some(&MeshError::NoTriangles));
    assert!(std::error::Error::source(&LoadError::NotSaved).is_none());
}
