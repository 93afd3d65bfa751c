//! Writer of `seeds/`: a few small inputs for each target. The files are the same on every run.

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int16Array, RecordBatch};
use hitscan::glam::{DVec3, Vec2, Vec3};
use hitscan::{
    ConvexPolygon, Faces, Group, Inside, Object, Plane, Quality, Scene, Space, Sphere, Transform, TriangleMesh,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn main() {
    queries();
    meshes();
    saved();
    saved_scenes();
    scenes();
    instances();
    edits();
    mesh_files();
    tables();
}

fn seed(target: &str, name: &str, bytes: impl AsRef<[u8]>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds").join(target);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

/// Nonzero lattice numbers in turn: 1/2 to 7/2 and their negatives, so that no shape is empty.
fn lattice(count: usize, start: usize) -> Vec<u8> {
    (start..start + count).map(|i| [2, 13, 4, 7, 9, 1, 6, 11, 3, 14][i * 7 % 10]).collect()
}

/// Ray to the center of the box: flags, an origin, three shares (two in 2D), the query, its options.
fn aimed(dim: usize, segment: bool) -> Vec<u8> {
    [&[if segment { 6 } else { 2 }], &lattice(dim, 3)[..], &vec![0; dim], &[15, 0, 4]].concat()
}

/// Count of numbers of each kind, in the order of the kinds; those with a basis have a byte for it.
const SPACE: [usize; 13] = [4, 6, 6, 7, 6, 6, 7, 7, 7, 8, 6, 9, 12];
const PLANE: [usize; 10] = [3, 4, 4, 4, 4, 4, 5, 6, 10, 4];

fn shape(dim: usize, kind: usize) -> Vec<u8> {
    let (count, turned) = if dim == 3 { (SPACE[kind], [5, 10]) } else { (PLANE[kind], [5, 9]) };
    let mut bytes = vec![kind as u8];
    // The first byte of a polygon is its count of vertices, less 3.
    bytes.extend((dim == 2 && kind == 8).then_some(2));
    bytes.extend(lattice(count, kind));
    if turned.contains(&kind) {
        bytes.push(1);
        bytes.extend(lattice(dim, kind + 5));
    }
    bytes
}

fn queries() {
    for kind in 0..SPACE.len() {
        let bytes = [&[0], &shape(3, kind)[..], &aimed(3, kind % 2 == 1)].concat();
        seed("query3_f32", &format!("kind{kind:02}"), &bytes);
        seed("query3_f64", &format!("kind{kind:02}"), &bytes);
    }
    for kind in 0..PLANE.len() {
        let precision = if kind % 2 == 0 { 0 } else { 4 };
        seed("query2", &format!("kind{kind:02}"), [&[precision], &shape(2, kind)[..], &aimed(2, false)].concat());
    }
    // A sphere of any bits.
    let numbers = |one: [f32; 10]| one.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
    let ball = numbers([1e-30, 2e20, -0.0, 3e20, 1e30, 1.0, 1e-40, -1.0, 1e-20, 0.0]);
    seed("query3_f32", "bits", [&[1, 0], &ball[..16], &[0], &ball[16..], &[15, 0]].concat());
    let wide: Vec<u8> = [1e-300, 2e200, -0.0, 3e200, 1e300, 1.0, 5e-324, -1.0, 1e-200, 0.0f64]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    seed("query3_f64", "bits", [&[1, 0], &wide[..32], &[0], &wide[32..], &[15, 0]].concat());
}

fn meshes() {
    for pool in 1..7u8 {
        // No vertex moved, a closed mesh, one ray to the midpoint of two vertices.
        let bytes = [&[pool << 3, 0, 0, 0][..], &aimed(3, false), &[1, 0, 1]].concat();
        seed("mesh", &format!("pool{pool}"), bytes);
    }
    let soup = [&[4, 3][..], &lattice(18, 1), &[3, 0, 1, 2, 0, 2, 3, 1, 4, 5, 2, 5, 3, 0], &aimed(3, false)].concat();
    seed("mesh", "soup", soup);
}

/// Without the checksums, which the target adds.
fn saved() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.25, 1.0], [0.5, 3.0, 1.0]];
    let triangles =
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [2, 4, 3], [1, 4, 2], [0, 4, 1], [3, 4, 0], [1, 4, 3]];
    let without = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 4);
        bytes
    };
    let single = TriangleMesh::<Vec3>::new(corners.map(|p| DVec3::from(p).as_vec3()).to_vec(), triangles.clone());
    let double = TriangleMesh::<DVec3>::new(corners.map(DVec3::from).to_vec(), triangles);
    seed("saved", "single", without(single.unwrap().to_bytes()));
    seed("saved", "double", without(double.unwrap().to_bytes()));
    // Long walls, which spatial splits cut.
    let wall = |i: u32| [[0.0, 0.0, i as f32], [9.0, 1.0, i as f32 + 0.5], [9.0, 0.1 * i as f32, 1.0]].map(Vec3::from);
    let vertices: Vec<Vec3> = (0..30).flat_map(wall).collect();
    let walls = (0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let cut = TriangleMesh::with_quality(vertices, walls, Quality::High);
    seed("saved", "cut", without(cut.unwrap().to_bytes()));
}

/// A scene of the plane, one of space with a mesh and a group; each with a vacant slot.
fn saved_scenes() {
    fn finish<V: Space>(mut scene: Scene<V>) -> Vec<u8> {
        let first = scene.objects().next().unwrap().0;
        scene.remove(first).unwrap();
        let mut bytes = scene.to_bytes().unwrap();
        bytes.truncate(bytes.len() - 4);
        bytes
    }
    let mut plane = Scene::<Vec2>::new();
    for i in 0..4 {
        let circle = Sphere::new(Vec2::X * i as f32, 0.75).unwrap();
        plane.insert(Object::new(circle).named(format!("{i}")).with_user_data(i)).unwrap();
    }
    plane.insert(Object::new(ConvexPolygon::new([Vec2::ZERO, Vec2::X, Vec2::Y]).unwrap())).unwrap();
    seed("saved_scene", "plane", finish(plane));
    let mut inner = Scene::<DVec3>::new();
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = Arc::new(TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap());
    inner.insert(Object::new(mesh.clone())).unwrap();
    inner.insert(Object::new(Sphere::new(DVec3::X * 3.0, 1.0).unwrap()).with_faces(Faces::Front)).unwrap();
    let group = Group::new(inner).unwrap();
    let mut space = Scene::<DVec3>::new();
    for i in 0..3 {
        let place = Transform::new([DVec3::X * 2.0, DVec3::Y, DVec3::new(1.0, 0.0, -1.0)], DVec3::Y * f64::from(i));
        space.insert(Object::new(group.clone()).with_transform(place.unwrap())).unwrap();
        space.insert(Object::new(mesh.clone()).with_inside(Inside::Hollow)).unwrap();
    }
    space.insert(Object::new(Plane::new(DVec3::ZERO, DVec3::Y).unwrap()).on_layers(6)).unwrap();
    seed("saved_scene", "space", finish(space));
}

fn scenes() {
    for (name, mode, dim, kinds) in
        [("space", 16, 3, &[0, 4, 11, 1, 7][..]), ("space64", 4, 3, &[6, 9, 12, 2]), ("plane", 24, 2, &[0, 3, 8, 6])]
    {
        let mut bytes = vec![mode, kinds.len() as u8];
        kinds.iter().for_each(|&kind| bytes.extend([&[0], &shape(dim, kind)[..]].concat()));
        // The first shape again, on layer 2.
        bytes.extend([5, 0]);
        bytes.extend(aimed(dim, false));
        seed("scene", name, bytes);
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/hitscan-io/tests/data/scenes");
    for name in ["everything2.toml", "everything3.toml"] {
        let text = fs::read_to_string(data.join(name)).unwrap();
        // Without its meshes, which are other files.
        let kept: Vec<&str> = text.split("[[shape]]").filter(|part| !part.contains("file")).collect();
        seed("scene_toml", name, kept.join("[[shape]]"));
    }
    let transforms = "[[shape]]\ntype = 'capsule'\na = [1, 0, 0]\nb = [0, 1, 1]\nradius = 0.5\n\
        transform = { scale = 2, rotation = { axis = [0, 0, 1], degrees = 30.1 }, translation = [1, 0, 1e300] }\n";
    seed("scene_toml", "transform.toml", transforms);
}

/// Shapes under a mirror with a shear, under another scale along each axis, and moved; then the first one again.
fn instances() {
    let spaces = [("space", 0, 3, &[0, 4, 11, 12, 7][..]), ("space64", 4, 3, &[6, 9, 10, 1])];
    for (name, mode, dim, kinds) in
        spaces.into_iter().chain([("plane", 8, 2, &[0, 3, 8][..]), ("plane64", 12, 2, &[9, 6, 1])])
    {
        let mut bytes = vec![mode, kinds.len() as u8];
        let maps: [&[u8]; 3] = match dim {
            3 => [&[2, 2, 1, 0, 14, 4, 0, 0, 0, 14], &[1, 4, 1, 14], &[0]],
            _ => [&[2, 2, 1, 4, 14], &[1, 4, 14], &[0]],
        };
        for (i, &kind) in kinds.iter().enumerate() {
            bytes.extend([&[0], &shape(dim, kind)[..], &[1], maps[i % 3], &lattice(dim, i)].concat());
        }
        bytes.extend([1, 0]);
        bytes.extend(aimed(dim, false));
        seed("instances", name, bytes);
    }
}

/// Bytes of a generator: an edit takes any bytes.
fn edits() {
    for (mode, name) in [(0, "space"), (4, "space64"), (8, "plane"), (12, "plane64")] {
        for number in 0..8u64 {
            let mut state = number * 4 + u64::from(mode);
            let random = std::iter::repeat_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Small numbers are small lattice numbers, and the kinds of edits and shapes.
                (state >> 59) as u8
            });
            let bytes: Vec<u8> = [mode, 24].into_iter().chain(random.take(600)).collect();
            seed("edits", &format!("{name}-{number}"), bytes);
        }
    }
}

fn mesh_files() {
    seed("mesh_obj", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 \\\n-0.1\nf 1/1/1 2//2 -1\nf 1 2 3 4\n");
    let stl = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 .1 0\nendloop\nendfacet\n\
        endsolid x\n";
    seed("mesh_stl", "text.stl", stl);
    let mut binary = vec![b's'; 80];
    binary.extend(2u32.to_le_bytes());
    binary.extend((0..100).map(|i| i as u8));
    seed("mesh_stl", "binary.stl", binary);
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n1 1.1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n";
    seed("mesh_ply", "text.ply", text);
    for (order, numbers) in [("little", f32::to_le_bytes as fn(f32) -> [u8; 4]), ("big", f32::to_be_bytes)] {
        let header = format!(
            "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
             property float z\nelement edge 9000000000\nelement face 1\nproperty list uchar uchar vertex_index\n\
             property short flags\nend_header\n"
        );
        let mut binary = header.into_bytes();
        binary.extend((0..9).flat_map(|i| numbers((i * i) as f32)));
        binary.extend([3, 0, 1, 2, 0, 7]);
        seed("mesh_ply", &format!("{order}.ply"), binary);
    }
    let off = "COFF # a square\n4 2 5\n0 0 0 255 0 0\n1 0 0 1 1 1\n\n1 1.1 0 0 0 0\n0 1 0 0 0 0\n4 0 1 2 3 0.5 0.5 0.5\n\
        3 0 1 2\n";
    seed("mesh_off", "square.off", off);
    let header = |uri: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"children":[1,2],"scale":[-1,1,2]}},{{"mesh":0}},{{"mesh":0,"translation":[1,0,0],"rotation":[0,0,1,0]}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"mode":5}}]}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","sparse":{{"count":1,"indices":{{"bufferView":1,"componentType":5121}},"values":{{"bufferView":0}}}}}},{{"bufferView":1,"componentType":5121,"count":4,"type":"SCALAR"}}],"bufferViews":[{{"buffer":0,"byteLength":36,"byteStride":12}},{{"buffer":0,"byteOffset":36,"byteLength":4}}],"buffers":[{{"byteLength":40{uri}}}]}}"#
        )
    };
    let points = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5];
    let data: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).chain([2, 0, 1, 2]).collect();
    let inside = r#","uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAA/AgABAg==""#;
    seed("mesh_gltf", "text.gltf", header(inside));
    let chunk =
        |kind: u32, bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], &kind.to_le_bytes(), bytes].concat();
    let body = [chunk(0x4e4f_534a, header("").as_bytes()), chunk(0x004e_4942, &data)].concat();
    let head = [b"glTF", &2_u32.to_le_bytes()[..], &(12 + body.len() as u32).to_le_bytes()].concat();
    seed("mesh_gltf", "container.glb", [head, body].concat());
}

fn tables() {
    seed("rays_csv", "space.csv", "ox,oy,oz,dx,dy,dz,t_max\n0,0,0,1,0,0,inf\n\"1\",2,3,4,5,6,7\n1e3,-0,.5,1,0,0,9\n");
    seed("rays_csv", "plane.csv", "name,bx,by,ax,ay,t_min\r\n\"a \"\"b\"\"\",0.1,0,1,0,-inf\r\n,1,2, 3 ,4,5\r\n");
    let space = [
        "{\"ox\":0,\"oy\":0,\"oz\":0,\"dx\":1,\"dy\":0,\"dz\":0,\"t_max\":null}\n",
        "\n",
        "{\"dz\":-6.5e-3,\"dy\":5,\"dx\":4,\"oz\":3,\"oy\":2,\"ox\":1,\"t_max\":7}\n",
    ];
    seed("rays_jsonl", "space.jsonl", space.concat());
    let plane = [
        "{\"name\":\"a \\\"b\\\"\",\"bx\":0.1,\"by\":0,\"ax\":1,\"ay\":0,\"t_min\":null,\"more\":[1,{\"ax\":2}]}\r\n",
        "{\"ay\":1,\"ax\":2,\"by\":3,\"bx\":4}\r\n",
    ];
    seed("rays_jsonl", "plane.jsonl", plane.concat());
    let columns: [(&str, ArrayRef); 5] = [
        ("ox", Arc::new(Float32Array::from_iter_values([0.0, 1.0, 1.0, 2.5]))),
        ("oy", Arc::new(Float64Array::from_iter_values([0.1, 1.0, 1.0, -2.5]))),
        ("dx", Arc::new(Int16Array::from_iter_values([1, 1, 1, -1]))),
        ("dy", Arc::new(Float32Array::from_iter_values([0.0, 0.0, 0.0, 1.0]))),
        ("t_max", Arc::new(Float32Array::from_iter_values([1.0, f32::INFINITY, 1.0, 2.0]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let codecs = [("none", Compression::UNCOMPRESSED), ("snappy", Compression::SNAPPY), ("lz4", Compression::LZ4_RAW)];
    for (name, codec) in codecs.into_iter().chain([("zstd", Compression::ZSTD(ZstdLevel::default()))]) {
        let properties = WriterProperties::builder()
            .set_compression(codec)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_dictionary_enabled(name == "none")
            .set_created_by("x".to_owned())
            .build();
        let mut bytes = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new_with_options(
            &mut bytes,
            batch.schema(),
            parquet::arrow::arrow_writer::ArrowWriterOptions::new()
                .with_properties(properties)
                .with_skip_arrow_metadata(true),
        )
        .unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        seed("rays_parquet_arrow", &format!("{name}.parquet"), bytes);
    }
    use arrow_ipc::CompressionType as Codec;
    for (name, codec) in [("none", None), ("lz4", Some(Codec::LZ4_FRAME)), ("zstd", Some(Codec::ZSTD))] {
        let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(codec).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            arrow_ipc::writer::FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        seed("rays_parquet_arrow", &format!("{name}.arrow"), bytes);
    }
}
