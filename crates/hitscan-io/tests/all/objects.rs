//! Objects that place geometries: from TOML, from glTF, and back.

use crate::support::Folder;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape3, Faces, Inside, Object, ObjectId, Scene, SceneBuilder, Sphere, Transform, TriangleMesh, Vector3,
};
use hitscan_io::{Precision, SceneFile, SceneVector, write_ply, write_scene, write_scene_with_names};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn parse(text: &str) -> SceneFile {
    SceneFile::parse_toml("scene.toml", text).unwrap()
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scenes").join(name)
}

/// A sphere as a geometry, and an object with a transform.
fn placed(transform: &str) -> SceneFile {
    parse(&format!(
        "[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [1, 2, 3]\nradius = 1\n\
         [[object]]\ngeometry = 'ball'\ntransform = {{ {transform} }}"
    ))
}

fn mesh<V: Vector3 + SceneVector<Shape = AnyShape3<V>>>(object: &Object<V>) -> &Arc<TriangleMesh<V>> {
    let AnyShape3::Mesh(mesh) = object.shape() else { panic!("{object:?}") };
    mesh
}

#[test]
fn three_objects_share_one_mesh() {
    let file = SceneFile::open(&data("forest.toml")).unwrap();
    let scene = file.build::<Vec3>().unwrap();
    let trees = ["oak", "elm", "ash"].map(|name| scene.get(scene.find(name).unwrap()).unwrap());
    assert!(trees.iter().all(|tree| Arc::ptr_eq(mesh(tree), mesh(trees[0]))));
    let geometries: Vec<_> = (0..file.len()).map(|object| file.geometry(object)).collect();
    assert_eq!(geometries, [None, Some(0), Some(0), Some(0), Some(1)]);
    assert_eq!(file.geometry_names().collect::<Vec<_>>(), ["tree", "pebble"]);
    assert_eq!((file.mesh_file(0), file.mesh_file(1), file.mesh_file(4)), (None, Some("tetrahedron.obj"), None));
    assert!(trees[0].transform().is_none(), "the identity is no transform");
    let matrix = trees[2].transform().unwrap();
    assert_eq!(matrix.axes(), [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.5, 2.0, 0.0), Vec3::new(0.0, 0.0, -1.0)]);
    assert_eq!(matrix.translation(), Vec3::new(-3.0, 0.0, 0.0));
    assert_eq!(trees[2].layers(), 1 << 3);
    assert_eq!(file.notes(), [""; 0]);
}

#[test]
fn transforms_are_composed_in_f64_and_rounded_once() {
    let file = placed("scale = [2, 0.1, -3], rotation = { axis = [0, 0, 1], degrees = 90 }, translation = [0.3, 0, 5]");
    assert_eq!(file.precision(), Precision::F64);
    let scene = file.build::<DVec3>().unwrap();
    let transform = *scene.at(0).unwrap().1.transform().unwrap();
    assert_eq!(transform.axes(), [DVec3::Y * 2.0, DVec3::X * -0.1, DVec3::Z * -3.0]);
    assert_eq!(transform.translation(), DVec3::new(0.3, 0.0, 5.0));
    let narrow = file.build::<Vec3>().unwrap();
    assert_eq!(narrow.at(0).unwrap().1.transform().unwrap().axes()[1], Vec3::X * -0.1);
    // The sphere itself is not touched.
    let AnyShape3::Sphere(ball) = scene.at(0).unwrap().1.shape() else { panic!() };
    assert_eq!((ball.center(), ball.radius()), (DVec3::new(1.0, 2.0, 3.0), 1.0));
    // 0.1 * 0.3 in f64, rounded to f32: not the product of the rounded numbers.
    let turned = placed("scale = 0.1, rotation = { axis = [0, 0, 1], degrees = 30 }").build::<Vec3>().unwrap();
    let [x, ..] = *turned.at(0).unwrap().1.transform().unwrap().axes() else { panic!() };
    assert_eq!(x.y, (0.1_f64 * 0.5) as f32);
}

#[test]
fn a_shape_becomes_an_object_where_no_shape_of_its_type_is_the_image() {
    let ball = |transform: &str| {
        let text = format!("[[shape]]\ntype = 'sphere'\ncenter = [1, 0, 0]\nradius = 1\ntransform = {{ {transform} }}");
        let scene = parse(&text).build::<DVec3>().unwrap();
        let AnyShape3::Sphere(ball) = scene.at(0).unwrap().1.shape() else { panic!() };
        (ball.center(), scene.at(0).unwrap().1.transform().map(|transform| transform.axes().to_vec()))
    };
    let axes = |x: f64, y: f64, z: f64| Some(vec![DVec3::X * x, DVec3::Y * y, DVec3::Z * z]);
    assert_eq!(ball("scale = 2"), (DVec3::X * 2.0, None));
    assert_eq!(ball("scale = [2, 2, 2]"), (DVec3::X * 2.0, None));
    assert_eq!(ball("scale = [1, 2, 3]"), (DVec3::X, axes(1.0, 2.0, 3.0)));
    assert_eq!(ball("scale = -1"), (DVec3::X, axes(-1.0, -1.0, -1.0)));
    assert_eq!(ball("matrix = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]]"), (DVec3::X, axes(2.0, 2.0, 2.0)));
    let flat =
        "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [0, 0]\nradius = 1\ntransform = { scale = [2, -1] }";
    let flat = parse(flat).build::<DVec2>().unwrap();
    assert_eq!(flat.at(0).unwrap().1.transform().unwrap().axes(), [DVec2::X * 2.0, -DVec2::Y]);
    let rows = "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [0, 0]\nradius = 1\ntransform.matrix = [[1, 2, 3], [4, 5, 6]]";
    let rows = parse(rows).build::<Vec2>().unwrap();
    let transform = rows.at(0).unwrap().1.transform().unwrap();
    assert_eq!(transform.axes(), [Vec2::new(1.0, 4.0), Vec2::new(2.0, 5.0)]);
    assert_eq!(transform.translation(), Vec2::new(3.0, 6.0));
}

#[test]
fn shapes_and_objects_are_numbered_in_the_order_of_the_file() {
    let shape = |name: &str| format!("[[shape]]\nname = '{name}'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n");
    let object = |name: &str| format!("[[object]]\nname = '{name}'\ngeometry = 'late'\n");
    let late = shape("late").replace("shape", "geometry");
    let text = [shape("a"), object("b"), shape("c"), late, object("d")].concat();
    let scene = parse(&text).build::<Vec3>().unwrap();
    let names: Vec<_> = scene.objects().map(|(_, object)| object).filter_map(Object::name).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn a_geometry_takes_up_a_transform_within_its_type() {
    let text = "[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [1, 0, 0]\nradius = 1\ntransform.scale = 2\n\
                [[object]]\ngeometry = 'ball'";
    let scene = parse(text).build::<Vec3>().unwrap();
    let AnyShape3::Sphere(ball) = scene.at(0).unwrap().1.shape() else { panic!() };
    assert_eq!((ball.center(), ball.radius()), (Vec3::X * 2.0, 2.0));
}

#[test]
fn a_geometry_without_objects_is_noted() {
    let text = "[[geometry]]\nname = 'a'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n\
                [[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1";
    let file = parse(text);
    assert_eq!(file.len(), 1);
    let note = "scene.toml: geometry 0 'a' (line 1): no [[object]] places it (remove it, or add one)";
    assert_eq!(file.notes(), [note]);
}

/// Writes, reads, writes: the same text, the same scene, the same precision.
fn round_trip<V: SceneVector>(scene: &Scene<V>, precision: Precision) -> String {
    let folder = Folder::new();
    let mut written = 0;
    let text = write_scene(scene, |id, mesh| {
        written += 1;
        let name = format!("mesh{}.ply", id.index());
        write_ply(&folder.path(&name), mesh).map(|()| name)
    });
    let text = text.unwrap();
    let file = SceneFile::open(&folder.file("scene.toml", &text)).unwrap();
    assert_eq!((file.dimension(), file.precision()), (V::DIMENSION, precision), "{text}");
    let again = file.build::<V>().unwrap();
    assert_eq!(format!("{scene:?}"), format!("{again:?}"));
    assert_eq!(write_scene(&again, |id, _| Ok(format!("mesh{}.ply", id.index()))).unwrap(), text);
    assert_eq!(text.matches(".ply").count(), written, "a shared mesh is written once:\n{text}");
    text
}

#[test]
fn objects_are_written_and_read_back_without_loss() {
    let file = SceneFile::open(&data("forest.toml")).unwrap();
    let text = round_trip(&file.build::<Vec3>().unwrap(), Precision::F32);
    assert_eq!(text.matches("[[geometry]]").count(), 2);
    assert_eq!(text.matches("[[object]]").count(), 4, "the oak, too: it shares its mesh\n{text}");
    round_trip(&file.build::<DVec3>().unwrap(), Precision::F32);

    let mut builder = SceneBuilder::<DVec3>::new();
    let ball = Sphere::new(DVec3::ZERO, 1.0).unwrap();
    for (i, x) in [f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0, -1e16].into_iter().enumerate() {
        let transform = Transform::new([DVec3::X * x, DVec3::new(-0.0, 1.0, x), DVec3::Z], DVec3::splat(-0.0)).unwrap();
        builder.insert(Object::new(ball).named(format!("é {i}")).on_layers(2 << i).with_transform(transform)).unwrap();
        builder.add(ball).unwrap();
    }
    let text = round_trip(&builder.build(), Precision::F64);
    assert_eq!((text.matches("[[geometry]]").count(), text.matches("[[shape]]").count()), (1, 4), "{text}");

    let mut builder = SceneBuilder::<Vec2>::new();
    let transform = Transform::new([Vec2::new(1.0, 0.5), Vec2::Y], Vec2::new(3.0, 4.0)).unwrap();
    builder.insert(Object::new(Sphere::new(Vec2::ZERO, 1.0).unwrap()).with_transform(transform)).unwrap();
    let text = round_trip(&builder.build(), Precision::F32);
    assert!(
        text.ends_with("[[object]]\ngeometry = \"geometry-0\"\ntransform = { matrix = [[1, 0, 3], [0.5, 1, 4]] }\n"),
        "{text}"
    );
}

#[test]
fn rules_are_read_and_written() {
    let ball = "type = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n";
    let text = format!(
        "[[shape]]\n{ball}trigger = true\nfaces = 'back'\n[[shape]]\n{ball}trigger = false\ninside = 'solid'\n\
         [[geometry]]\nname = 'ball'\n{ball}\
         [[object]]\ngeometry = 'ball'\ntransform.scale = 2\ntrigger = true\nfaces = 'both'\ninside = 'hollow'\n"
    );
    let scene = parse(&text).build::<Vec3>().unwrap();
    let rules: Vec<_> = scene.objects().map(|(_, o)| (o.is_trigger(), o.faces(), o.inside())).collect();
    let expected = [
        (true, Some(Faces::Back), None),
        (false, None, Some(Inside::Solid)),
        (true, Some(Faces::Both), Some(Inside::Hollow)),
    ];
    assert_eq!(rules, expected);
    let text = round_trip(&scene, Precision::F32);
    assert_eq!((text.matches("trigger = true\n").count(), text.matches("trigger").count()), (2, 2), "{text}");
    assert!(text.ends_with("trigger = true\nfaces = \"both\"\ninside = \"hollow\"\n"), "{text}");
    // A saved scene keeps them.
    let folder = Folder::new();
    let saved = SceneFile::open(&folder.file("a.hitscene", scene.to_bytes().unwrap())).unwrap();
    assert_eq!(round_trip(&saved.build::<Vec3>().unwrap(), Precision::F32), text);
}

#[test]
fn names_of_layers_are_read_and_written() {
    let ball = "[[shape]]\ntype = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
    let text = format!(
        "dimension = 3\n{ball}layer = \"trees\"\n\n{ball}layers = [\"trees\", 4, \"the \\\"ground\\\"\"]\n\n{ball}layers = [0]\n\n\
         [layers]\ntrees = 3\n\"the \\\"ground\\\"\" = 5\nunused = 31\n"
    );
    let file = parse(&text);
    let layers = |file: &SceneFile| -> Vec<u32> {
        file.build::<Vec3>().unwrap().objects().map(|(_, object)| object.layers()).collect()
    };
    assert_eq!(layers(&file), [1 << 3, 1 << 3 | 1 << 4 | 1 << 5, 1]);
    let names: Vec<_> = file.layer_names().iter().collect();
    assert_eq!(names, [("trees", 3), ("the \"ground\"", 5), ("unused", 31)]);
    assert_eq!((file.layer_names().find("unused"), file.layer_names().name(3)), (Ok(31), Some("trees")));
    let write = |file: &SceneFile| {
        write_scene_with_names(&file.build::<Vec3>().unwrap(), &file.names(), |_, _| unreachable!()).unwrap()
    };
    let written = write(&file);
    assert!(written.starts_with("[layers]\ntrees = 3\n'the \"ground\"' = 5\nunused = 31\n\n[[shape]]\n"), "{written}");
    assert!(written.contains("layers = [\"trees\", 4, 'the \"ground\"']\n"), "{written}");
    let again = parse(&written);
    assert_eq!((layers(&again), write(&again)), (layers(&file), written));
}

/// The name of one geometry is that which a shape with a matrix would get, and another one is equal to it.
#[test]
fn names_of_geometries_are_kept() {
    let ball = "type = \"sphere\"\ncenter = [0, 0, 5]\nradius = 1\n";
    let text = format!(
        "[[shape]]\n{ball}transform = {{ scale = [1, 2, 3] }}\n\n[[geometry]]\nname = \"geometry-0\"\n{}\n\
         [[geometry]]\nname = \"tree\"\n{}\n[[geometry]]\nname = \"same\"\n{}\n\
         [[object]]\ngeometry = \"geometry-0\"\n\n[[object]]\ngeometry = \"tree\"\n\n[[object]]\ngeometry = \"same\"\n",
        ball.replace('5', "6"),
        ball.replace('5', "7"),
        ball.replace('5', "7"),
    );
    let file = parse(&text);
    let write = |file: &SceneFile| {
        write_scene_with_names(&file.build::<Vec3>().unwrap(), &file.names(), |_, _| unreachable!()).unwrap()
    };
    let written = write(&file);
    let again = parse(&written);
    assert_eq!(again.geometry_names().collect::<Vec<_>>(), ["geometry-1", "geometry-0", "tree"], "{written}");
    let geometries: Vec<_> = (0..again.len()).map(|object| again.geometry(object)).collect();
    assert_eq!(geometries, [0, 1, 2, 2].map(Some), "{written}");
    assert_eq!(write(&again), written);
}

/// A group in a group; the objects of both place geometries with names, and one shape that is none.
#[test]
fn names_of_geometries_in_groups_are_kept() {
    let geometry = |name: &str, z: i32| {
        format!("[[geometry]]\nname = \"{name}\"\ntype = \"sphere\"\ncenter = [0, 0, {z}]\nradius = 1\n\n")
    };
    let group = |name: &str, members: &[&str]| {
        let member = |name: &&str| format!("[[geometry.object]]\ngeometry = \"{name}\"\n");
        let members: String = members.iter().map(member).collect();
        format!("[[geometry]]\nname = \"{name}\"\ntype = \"group\"\n{members}\n")
    };
    let text = [
        geometry("leaf", 1),
        geometry("bark", 2),
        group("tree", &["leaf", "bark", "leaf"]),
        group("forest", &["bark", "tree"]),
        "[[object]]\ngeometry = \"forest\"\n\n[[shape]]\ntype = \"sphere\"\ncenter = [0, 0, 9]\nradius = 1\n"
            .to_owned(),
    ]
    .concat();
    let file = parse(&text);
    let write = |file: &SceneFile| {
        write_scene_with_names(&file.build::<Vec3>().unwrap(), &file.names(), |_, _| unreachable!()).unwrap()
    };
    let written = write(&file);
    let again = parse(&written);
    assert_eq!(again.geometry_names().collect::<Vec<_>>(), ["bark", "leaf", "tree", "forest"], "{written}");
    assert_eq!(again.names().members, file.names().members, "{written}");
    assert_eq!(write(&again), written);
}

#[test]
fn a_mesh_that_one_object_has_stays_a_shape() {
    let data = hitscan_io::parse_mesh("a.obj".as_ref(), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").unwrap();
    let mut builder = SceneBuilder::<Vec3>::new();
    let ids =
        [builder.add(data.to_mesh::<Vec3>().unwrap()).unwrap(), builder.add(data.to_mesh::<Vec3>().unwrap()).unwrap()];
    assert_eq!(ids.map(ObjectId::index), [0, 1]);
    let text = round_trip(&builder.build(), Precision::F32);
    assert_eq!((text.matches("[[shape]]").count(), text.matches("[[geometry]]").count()), (2, 0));
}

/// A square with two primitives, `{NODES}` places it; the data is that of `mesh/gltf/tests.rs`.
///
/// ```text
/// 3---2
/// | / |
/// 0---1
/// ```
const SQUARE: &str = r#"{
 "asset": {"version": "2.0"},
 "nodes": [{NODES}],
 "meshes": [{"name": "square", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}, {"attributes": {"POSITION": 0}, "indices": 2}]},
            {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]},
            {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 0}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
               {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
               {"bufferView": 1, "byteOffset": 6, "componentType": 5123, "count": 3, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
 "buffers": [{"byteLength": 60, "uri": "square.bin"}]
}"#;

/// The scene of a glTF with these nodes, and its folder.
fn gltf(nodes: &str) -> (Folder, PathBuf) {
    let folder = Folder::new();
    let points = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let points = points.as_flattened().iter().flat_map(|x| x.to_le_bytes());
    let bytes: Vec<u8> = points.chain([0_u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes())).collect();
    folder.file("square.bin", bytes);
    let path = folder.file("a.gltf", SQUARE.replace("{NODES}", nodes));
    (folder, path)
}

#[test]
fn nodes_of_a_gltf_are_objects_that_share_meshes() {
    let (_folder, path) = gltf(
        r#"{"name": "root", "children": [1, 2], "translation": [10, 0, 0], "scale": [2, 2, 2]},
           {"name": "left", "mesh": 0, "translation": [1, 0, 0]},
           {"name": "right", "mesh": 0, "scale": [-1, 1, 1]},
           {"name": "right", "mesh": 0}, {"mesh": 1}, {"name": "points", "mesh": 2}"#,
    );
    let file = SceneFile::open(&path).unwrap();
    assert_eq!((file.precision(), file.len()), (Precision::F32, 4));
    let scene = file.build::<Vec3>().unwrap();
    let names: Vec<_> = scene.objects().map(|(_, object)| object).map(Object::name).collect();
    assert_eq!(names, [Some("left"), Some("right"), Some("right-2"), None]);
    assert_eq!(file.geometry_names().collect::<Vec<_>>(), ["square", "mesh-1"]);
    let meshes: Vec<_> = scene.objects().map(|(_, object)| object).map(mesh).collect();
    assert!(Arc::ptr_eq(meshes[0], meshes[1]) && Arc::ptr_eq(meshes[0], meshes[2]));
    assert_eq!((meshes[0].triangles().len(), meshes[3].triangles().len()), (2, 1), "both primitives are one geometry");
    let transform = scene.at(0).unwrap().1.transform().unwrap();
    assert_eq!((transform.axes()[0], transform.translation()), (Vec3::X * 2.0, Vec3::new(12.0, 0.0, 0.0)));
    // A mirror leaves the order of the vertices: the front side follows the mesh.
    assert_eq!(scene.at(1).unwrap().1.transform().unwrap().axes()[0], Vec3::X * -2.0);
    assert_eq!(meshes[1].triangles()[0], [0, 1, 2]);
    assert!(scene.at(2).unwrap().1.transform().is_none());
    assert_eq!(file.mesh_file(3), Some(path.to_str().unwrap()));
}

#[test]
fn a_gltf_may_be_read_as_one_mesh() {
    let (_folder, path) = gltf(r#"{"mesh": 0, "translation": [1, 0, 0]}, {"mesh": 0, "scale": [-1, 1, 1]}"#);
    let baked = SceneFile::open_baked(&path).unwrap().build::<Vec3>().unwrap();
    assert_eq!((baked.len(), baked.at(0).unwrap().1.name()), (1, Some("a")));
    let joined = mesh(baked.at(0).unwrap().1);
    assert_eq!(joined.vertices()[2], Vec3::new(2.0, 1.0, 0.0));
    assert_eq!(joined.triangles()[2], [8, 10, 9], "turned, so that normals stay outward");
    assert_eq!(hitscan_io::read_mesh(&path).unwrap().triangles.len(), 4);
    let (_folder, path) = gltf(r#"{"mesh": 0}"#);
    let alone = SceneFile::open(&path).unwrap().build::<Vec3>().unwrap();
    assert_eq!(alone.at(0).unwrap().1.name(), Some("a"), "a single node without a name has that of the file");
}

#[test]
fn a_gltf_becomes_toml_without_loss() {
    let (_folder, path) = gltf(
        r#"{"name": "a", "mesh": 0, "rotation": [0, 0.6, 0, 0.8]}, {"name": "b", "mesh": 0, "scale": [1, 0.1, 1]}, {"mesh": 1}"#,
    );
    let text = round_trip(&SceneFile::open(&path).unwrap().build::<DVec3>().unwrap(), Precision::F64);
    assert_eq!((text.matches("[[geometry]]").count(), text.matches("[[object]]").count()), (1, 2), "{text}");
}

#[test]
fn errors_of_a_gltf_name_its_nodes() {
    let error = |nodes: &str| {
        let (folder, path) = gltf(nodes);
        folder.message(&SceneFile::open(&path).unwrap_err())
    };
    assert_eq!(
        error(r#"{"name": "points", "mesh": 2}"#),
        "a.gltf: mesh has no triangles (2 meshes are placed by no node, and left out; 1 primitive is of points or lines, \
         and left out)"
    );
    assert_eq!(error(r#"{"mesh": 7}"#), "a.gltf: mesh 7 is missing");
    assert_eq!(
        error(r#"{"mesh": 0, "children": [1]}, {"children": [1]}"#),
        "a.gltf: node 1 is its own descendant, or a child of two nodes"
    );
    assert_eq!(
        error(r#"{"mesh": 0}, {"name": "far", "mesh": 0, "translation": [1e309, 0, 0]}"#),
        "a.gltf: node 1 'far': a number of the transform is not finite"
    );
}

#[test]
fn many_nodes_of_one_mesh_need_little_memory() {
    let (_folder, path) = gltf(&vec![r#"{"mesh": 0}"#; 100_000].join(","));
    let scene = SceneFile::open(&path).unwrap().build::<Vec3>().unwrap();
    assert_eq!(scene.len(), 100_000);
    assert!(
        scene.objects().map(|(_, object)| object).all(|object| Arc::ptr_eq(mesh(object), mesh(scene.at(0).unwrap().1)))
    );
}

#[test]
fn welding_reaches_every_object_of_a_geometry() {
    let (_folder, path) = gltf(r#"{"mesh": 0}, {"mesh": 0, "scale": [3, 3, 3]}"#);
    let mut file = SceneFile::open(&path).unwrap();
    // The two primitives repeat the four points.
    assert_eq!(file.weld(0.0).unwrap().merged_vertices, 4);
    let scene = file.build::<Vec3>().unwrap();
    assert_eq!(mesh(scene.at(1).unwrap().1).vertices().len(), 4);
    assert!(Arc::ptr_eq(mesh(scene.at(0).unwrap().1), mesh(scene.at(1).unwrap().1)));
}

/// A saved scene with vacant slots: the ids of its objects are as saved, and so are its names and answers.
#[test]
fn saved_scenes_keep_their_ids() {
    use hitscan::{Circle, RayCast};
    let folder = Folder::new();
    let mut scene = Scene::<DVec2>::new();
    let circle = |y: f64| Object::new(Circle::new(DVec2::Y * y, 0.5).unwrap()).named(format!("{y}"));
    let gone = scene.insert(circle(2.0)).unwrap();
    scene.insert(circle(4.0)).unwrap();
    scene.insert(circle(6.0)).unwrap();
    scene.remove(gone).unwrap();
    // It gets the row of the removed object, and another id.
    scene.insert(circle(9.0)).unwrap();
    let ids = |scene: &Scene<DVec2>| scene.objects().map(|(id, _)| id.to_bits()).collect::<Vec<_>>();
    assert_eq!(ids(&scene), [1, 2, 1 << 32]);
    assert_eq!(hitscan_io::object_positions(&scene), Some(vec![2, 0, 1]));
    let file = SceneFile::open(&folder.file("a.hitscene", scene.to_bytes().unwrap())).unwrap();
    assert_eq!((file.len(), file.saved_precision()), (3, Some(Precision::F64)));
    let (loaded, anew) = (file.build::<DVec2>().unwrap(), file.builder().unwrap().build());
    assert_eq!((ids(&loaded), ids(&anew)), (ids(&scene), vec![0, 1, 2]));
    assert_eq!(hitscan_io::object_positions(&anew), None);
    for loaded in [loaded, anew] {
        let ray = hitscan::Ray::new(DVec2::ZERO, DVec2::Y);
        let hit = loaded.cast_ray(&ray, ..).unwrap();
        assert_eq!((hit.t, hit.object), (3.5, loaded.find("4")));
    }
    let other = file.build::<Vec2>().map(drop).unwrap_err().to_string();
    assert!(other.ends_with("a.hitscene: a scene saved in f64 has no other precision: use --precision f64"), "{other}");
    let other = file.build::<DVec3>().map(drop).unwrap_err().to_string();
    assert!(other.ends_with("a.hitscene: the scene has 2 dimensions, not 3"), "{other}");
    let empty = SceneFile::open(&folder.file("b.hitscene", Scene::<Vec2>::new().to_bytes().unwrap())).unwrap_err();
    assert!(empty.to_string().ends_with("b.hitscene: the saved scene has no objects"), "{empty}");
}
