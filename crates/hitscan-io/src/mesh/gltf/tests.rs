//! Meshes read from glTF, and the text of every error.

use crate::{MeshData, parse_mesh, read_mesh};
use std::path::Path;

/// A square in the plane z = 0, with its edge of length 1 along x and y.
///
/// ```text
/// 3---2
/// | / |
/// 0---1
/// ```
const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
const INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];

fn data() -> Vec<u8> {
    let points = POINTS.as_flattened().iter().flat_map(|x| x.to_le_bytes());
    points.chain(INDICES.iter().flat_map(|i| i.to_le_bytes())).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |three: &[u8], i: u32| {
        let bits = (0..3).fold(0_u32, |bits, k| bits << 8 | u32::from(three.get(k).copied().unwrap_or(0)));
        char::from(DIGITS[(bits >> (18 - 6 * i)) as usize & 63])
    };
    bytes.chunks(3).flat_map(|three| (0..three.len() as u32 + 1).map(move |i| digit(three, i))).collect()
}

/// The square, with its data inside; `{DATA}` is where it is.
const SQUARE: &str = r#"{
 "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
               {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
 "buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64,{DATA}"}]
}"#;

/// The square with pieces of its text replaced: each has to be there.
fn with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(SQUARE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

fn parse(text: &str) -> crate::Result<MeshData> {
    parse_mesh(Path::new("a.gltf"), text.replace("{DATA}", &base64(&data())).as_bytes())
}

fn read(changes: &[(&str, &str)]) -> MeshData {
    parse(&with(changes)).unwrap()
}

#[track_caller]
fn refused(changes: &[(&str, &str)], message: &str) {
    assert_eq!(parse(&with(changes)).unwrap_err().to_string(), format!("a.gltf: {message}"));
}

fn container(chunks: &[(u32, &[u8])]) -> Vec<u8> {
    let body: Vec<u8> = chunks
        .iter()
        .flat_map(|(kind, chunk)| [&(chunk.len() as u32).to_le_bytes()[..], &kind.to_le_bytes(), chunk].concat())
        .collect();
    [b"glTF", &2_u32.to_le_bytes()[..], &(12 + body.len() as u32).to_le_bytes(), &body].concat()
}

#[test]
fn the_same_square_from_each_container() {
    let square = read(&[]);
    assert_eq!(square.vertices, POINTS.map(|p| p.map(f64::from)));
    assert_eq!(square.triangles, [[0, 1, 2], [0, 2, 3]]);
    let header = with(&[(r#", "uri": "data:application/octet-stream;base64,{DATA}""#, "")]);
    let glb = container(&[(0x4e4f_534a, header.as_bytes()), (0x004e_4942, &data()), (7, b"others")]);
    assert_eq!(parse_mesh(Path::new("a.glb"), &glb).unwrap(), square);
    let cut = parse_mesh(Path::new("a.glb"), &glb[..glb.len() - 20]).unwrap_err().to_string();
    assert_eq!(cut, "a.glb: truncated: 60 bytes announced, 54 read");
    let empty = parse_mesh(Path::new("a.glb"), &container(&[(0x004e_4942, &data())])).unwrap_err().to_string();
    assert_eq!(empty, "a.glb: a container without JSON");
    let alone = parse_mesh(Path::new("a.glb"), header.as_bytes()).unwrap_err().to_string();
    assert_eq!(alone, "a.glb: accessor 0: its buffer is missing or cut off");

    let folder = std::env::temp_dir().join(format!("hitscan-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a b.bin"), data()).unwrap();
    let apart = with(&[("data:application/octet-stream;base64,{DATA}", "a%20b.bin")]);
    std::fs::write(folder.join("a.gltf"), &apart).unwrap();
    assert_eq!(read_mesh(&folder.join("a.gltf")).unwrap(), square);
    std::fs::remove_file(folder.join("a b.bin")).unwrap();
    let missing = read_mesh(&folder.join("a.gltf")).unwrap_err().to_string();
    assert!(missing.ends_with("a b.bin: No such file or directory"), "{missing}");
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(parse(&apart).unwrap_err().to_string(), "a.gltf: buffer 0: its data is in 'a b.bin', another file");
}

#[test]
fn strips_fans_and_no_indices() {
    let indices = r#", "indices": 1"#;
    let mode = |mode: &str| read(&[(indices, mode)]).triangles;
    assert_eq!(mode(r#", "mode": 5"#), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(mode(r#", "mode": 6"#), [[0, 1, 2], [0, 2, 3]]);
    let joined = read(&[(indices, r#", "indices": 1, "mode": 5"#)]).triangles;
    // 0 1 2, 1 0 2, 2 0 2, 0 3 2: every other one turned, and what has no area left out.
    assert_eq!(joined, [[0, 1, 2], [1, 0, 2], [0, 3, 2]]);
}

#[test]
fn nodes_put_the_mesh_in_place() {
    let placed = |node: &str| read(&[(r#"[{"mesh": 0}]"#, node)]);
    let moved = placed(r#"[{"children": [1], "translation": [10, 0, 0]}, {"mesh": 0, "scale": [2, 3, 1]}]"#);
    assert_eq!(moved.vertices[2], [12.0, 3.0, 0.0]);
    // A quarter turn about z: x becomes y.
    let turned = placed(r#"[{"mesh": 0, "rotation": [0, 0, 0.5, 0.5], "scale": [1, 1, 1]}]"#);
    assert_eq!(turned.vertices[1], [0.5, 0.5, 0.0], "no unit quaternion: taken as it is");
    let matrix = placed(r#"[{"mesh": 0, "matrix": [0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]}]"#);
    assert_eq!(matrix.vertices[1], [5.0, 7.0, 7.0]);
    let mirrored = placed(r#"[{"mesh": 0, "scale": [-1, 1, 1]}]"#);
    assert_eq!(mirrored.triangles, [[0, 2, 1], [0, 3, 2]]);
    // Without scenes every node that is below no other.
    let twice =
        [(r#""scene": 0, "scenes": [{"nodes": [0]}],"#, ""), (r#"[{"mesh": 0}]"#, r#"[{"mesh": 0}, {"mesh": 0}]"#)];
    assert_eq!(read(&twice).triangles, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
}

#[test]
fn sparse_and_quantized_accessors() {
    let sparse = r#""count": 4, "type": "VEC3", "sparse": {"count": 1,
        "indices": {"bufferView": 1, "byteOffset": 4, "componentType": 5123}, "values": {"bufferView": 0, "byteOffset": 12}}"#;
    let changed = read(&[(r#""count": 4, "type": "VEC3""#, sparse)]);
    assert_eq!(changed.vertices[2], [1.0, 0.0, 0.0], "the third is the second now");
    let zeros = read(&[(
        r#""bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3""#,
        &format!("\"componentType\": 5126, {sparse}"),
    )]);
    assert_eq!(zeros.vertices, [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]]);
    // 0 and 1.0 as bytes: 00 00 00 00, 00 00 80 3f.
    let bytes = r#""componentType": 5120, "normalized": true"#;
    let small = read(&[
        (r#""componentType": 5126"#, bytes),
        (r#""byteLength": 48}"#, r#""byteLength": 48, "byteStride": 12}"#),
    ]);
    assert_eq!(small.vertices[1], [0.0, 0.0, -1.0], "-128 is -1 as well");
}

#[test]
fn errors_name_their_node_mesh_or_accessor() {
    refused(&[(r#""2.0""#, r#""1.0""#)], "not glTF 2.0");
    refused(&[(r#""scene": 0"#, r#""scene": 7"#)], "its scene is missing");
    refused(
        &[(r#""scene": 0"#, r#""extensionsRequired": ["KHR_draco_mesh_compression"], "scene": 0"#)],
        "it needs the extension 'KHR_draco_mesh_compression', which is not read",
    );
    refused(&[(r#"{"nodes": [0]}"#, r#"{"nodes": [3]}"#)], "node 3 is missing");
    refused(
        &[(r#"{"mesh": 0}"#, r#"{"mesh": 0, "children": [0]}"#)],
        "node 0 is its own descendant, or a child of two nodes",
    );
    refused(&[(r#"{"mesh": 0}"#, r#"{"mesh": 9}"#)], "mesh 9 is missing");
    refused(&[(r#"{"mesh": 0}"#, r#"{"mesh": 0, "scale": [1, 2]}"#)], "node 0 has a transform that is not numbers");
    refused(
        &[(r#"{"mesh": 0}"#, r#"{"mesh": 0, "scale": [1e300, 1, 1], "translation": [1e309, 0, 0]}"#)],
        "vertex 0: x is inf, not a finite number",
    );
    let alone = "1 mesh is placed by no node, and left out";
    refused(&[(r#"{"mesh": 0}"#, "{}")], &format!("mesh has no triangles ({alone})"));
    refused(
        &[(r#""indices": 1"#, r#""indices": 1, "mode": 9"#)],
        "mesh 0: its mode is unknown, or its last triangle is not complete",
    );
    refused(&[(r#", "indices": 1"#, "")], "mesh 0: its mode is unknown, or its last triangle is not complete");
    refused(&[(r#""indices": 1"#, r#""indices": 5"#)], "accessor 5: it is missing");
    refused(&[(r#""indices": 1"#, r#""indices": 0"#)], "accessor 0: indices have to be of type SCALAR");
    refused(&[(r#""VEC3""#, r#""VEC2""#)], "accessor 0: positions have to be of type VEC3");
    refused(&[("5123", "5126")], "accessor 1: indices have to be unsigned integers");
    refused(&[("5126", "5130")], "accessor 0: numbers of an unknown type");
    refused(&[(r#""count": 4"#, r#""count": 5"#)], "accessor 0: it ends beyond its view");
    refused(&[(r#""count": 4"#, r#""count": 9007199254740992"#)], "accessor 0: it ends beyond its view");
    refused(&[(r#""count": 4"#, r#""count": -4"#)], "accessor 0: it has no count");
    refused(&[(r#""count": 4"#, r#""count": 3"#)], "face 1: vertex index 3 out of range (3 vertices)");
    refused(
        &[(
            r#""bufferView": 0, "componentType": 5126, "count": 4"#,
            r#""componentType": 5126, "count": 4000000000, "sparse": {}"#,
        )],
        "accessor 0: it has more elements than the file has bytes",
    );
    refused(&[(r#""byteLength": 48}"#, r#""byteLength": 48, "byteStride": 0}"#)], "accessor 0: its elements overlap");
    refused(&[(r#""byteLength": 48}"#, r#""byteLength": 61}"#)], "accessor 0: its view ends beyond its buffer");
    refused(&[(r#""byteLength": 60"#, r#""byteLength": 61"#)], "accessor 0: its buffer is missing or cut off");
    refused(&[("{DATA}", "{DATA}*")], "buffer 0: '*' is not base 64");
    refused(&[(";base64,{DATA}", "")], "buffer 0: its address has no data in base 64");
}

#[test]
fn one_mesh_in_many_places_does_not_fill_the_memory() {
    // 40 bytes of text for each of many nodes are enough for a square.
    let node = r#"{"mesh": 0, "translation": [1, 0, 0]}"#;
    let nodes = |count: usize| vec![node; count].join(",");
    let few = read(&[(r#""scene": 0, "scenes": [{"nodes": [0]}],"#, ""), (r#"{"mesh": 0}"#, &nodes(1000))]);
    assert_eq!(few.triangles.len(), 2000);
    let large = r#"{"attributes": {"POSITION": 0}, "indices": 1}"#;
    let many = vec![large; 300].join(",");
    refused(
        &[(r#""scene": 0, "scenes": [{"nodes": [0]}],"#, ""), (r#"{"mesh": 0}"#, &nodes(400)), (large, &many)],
        "its nodes place more triangles than a file of its size should have",
    );
}

/// The data of a container is that of the first buffer. One behind it without an address, which meshopt has, has none.
#[test]
fn the_data_of_a_container_is_that_of_the_first_buffer() {
    let second = [
        (r#", "uri": "data:application/octet-stream;base64,{DATA}""#, r#"}, {"byteLength": 60"#),
        (r#"{"buffer": 0, "byteLength": 48}"#, r#"{"buffer": 1, "byteLength": 48}"#),
    ];
    let glb = container(&[(0x4e4f_534a, with(&second).as_bytes()), (0x004e_4942, &data())]);
    let error = parse_mesh(Path::new("a.glb"), &glb).unwrap_err().to_string();
    assert_eq!(error, "a.glb: accessor 0: its buffer is missing or cut off");
}
