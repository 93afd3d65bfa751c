//! Answers at objects of scene files that a transform places.

use crate::support::Folder;
use hitscan::Shape;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Query, Ray, RayCast, Scene, Side};
use hitscan_io::SceneFile;
use std::path::{Path, PathBuf};

fn forest() -> Scene<DVec3> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scenes/forest.toml");
    SceneFile::open(&path).unwrap().build().unwrap()
}

/// The hits of a ray from 9 above the ground straight down: `t` and the name of the object.
fn from_above(scene: &Scene<DVec3>, x: f64, z: f64, layers: u32) -> Vec<(f64, &str)> {
    let ray = Ray::new(DVec3::new(x, 9.0, z), DVec3::NEG_Y);
    let hits = scene.cast_ray_all(&ray, Query::new().layers(layers));
    let name = |hit: &hitscan::Hit<DVec3>| scene.get(hit.object.unwrap()).unwrap().name().unwrap();
    hits.iter().map(|hit| (hit.t, name(hit))).collect()
}

/// ```text
/// oak: x, y, z >= 0, x + y + z <= 1
/// elm: (x, y, z) -> (2 z + 4, 2 y, -2 x) of it
/// ash: (x, y, z) -> (x + y / 2 - 3, 2 y, -z) of it
/// ```
#[test]
fn objects_are_hit_where_their_transforms_put_them() {
    let scene = forest();
    assert_eq!(from_above(&scene, 0.25, 0.25, 1), [(8.5, "oak"), (9.0, "ground"), (9.0, "oak")]);
    // In the coordinates of the tree x = z = 0.25: its side is at y = 0.5.
    assert_eq!(from_above(&scene, 4.5, -0.5, 1), [(8.0, "elm"), (9.0, "ground"), (9.0, "elm")]);
    // Along this line x = 0.5 - y / 2: x + y + 0.25 = 1 at y = 0.5.
    assert_eq!(from_above(&scene, -2.5, -0.25, 1 << 3), [(8.0, "ash"), (9.0, "ash")]);
    assert_eq!(from_above(&scene, -2.5, -0.25, 1), [(9.0, "ground")]);
    assert_eq!(from_above(&scene, 0.0, 4.0, 1), [(8.0, "stone"), (9.0, "ground"), (9.0, "stone")]);
}

#[test]
fn normals_are_those_of_the_image_and_sides_those_of_the_mesh() {
    let scene = forest();
    let first = |x: f64, z: f64, layers: u32| {
        let ray = Ray::new(DVec3::new(x, 9.0, z), DVec3::NEG_Y);
        scene.cast_ray(&ray, Query::new().layers(layers)).unwrap()
    };
    let near = |a: DVec3, b: DVec3| assert!((a - b).length() < 1e-15, "{a} {b}");
    let elm = first(4.5, -0.5, 1);
    near(elm.normal, DVec3::new(1.0, 1.0, -1.0) / 3f64.sqrt());
    assert_eq!((elm.point, elm.side, elm.primitive), (DVec3::new(4.5, 1.0, -0.5), Side::Front, Some(2)));
    // Mirrored: still its front. The normal m has M^T m = (1, 1, 1).
    let ash = first(-2.5, -0.25, 1 << 3);
    near(ash.normal, DVec3::new(1.0, 0.25, -1.0) / 2.0625f64.sqrt());
    assert_eq!(ash.side, Side::Front);
}

#[test]
fn boxes_and_containment_are_those_of_the_image() {
    let scene = forest();
    let bounds = scene.finite_bounds();
    let (min, max) = (DVec3::new(-3.0, 0.0, -2.0), DVec3::new(6.0, 2.0, 5.0));
    assert!(bounds.min.cmple(min).all() && bounds.max.cmpge(max).all(), "{bounds:?}");
    // The box of a shape may be wider than the shape by 2^-40 of its size.
    let slack = 5.0 * 2f64.powi(-40);
    assert!((bounds.min - min).abs().max_element().max((bounds.max - max).abs().max_element()) < slack, "{bounds:?}");
    let stone = scene.get(scene.find("stone").unwrap()).unwrap().instance();
    // In the coordinates of the sphere x = 0.95.
    assert!(stone.contains(DVec3::new(1.9, 0.5, 4.0)) && !stone.contains(DVec3::new(1.9, 0.5, 4.5)));
}

#[test]
fn singular_transforms_are_refused() {
    let ball = "[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n";
    let object = |transform: &str| {
        SceneFile::parse_toml("scene.toml", &format!("{ball}[[object]]\ngeometry = 'ball'\n{transform}"))
    };
    let flat = object("transform.matrix = [[1, 0, 1, 5], [0, 1, 1, 5], [1, 1, 2, 5]]").unwrap_err().to_string();
    let reason = "the transform is singular: its determinant is zero (every axis needs an image of its own)";
    assert_eq!(flat, format!("scene.toml: object 0 (line 8): {reason}"));
    let shape = "[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\ntransform.matrix = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]";
    let error = SceneFile::parse_toml("scene.toml", shape).unwrap_err();
    assert_eq!(error.to_string(), format!("scene.toml: shape 0 (line 5): {reason}"));
    assert!(std::error::Error::source(&error).unwrap().is::<hitscan::TransformError>());
    // It is singular in f32 only.
    let small = object("transform.scale = 1e-60").unwrap();
    assert!(small.build::<DVec3>().is_ok());
    assert_eq!(small.build::<Vec3>().unwrap_err().to_string(), format!("scene.toml: object 0 (line 8): {reason}"));
}

/// Exports hide nodes by a scale of 0.
#[test]
fn singular_nodes_of_a_gltf_are_left_out_and_noted() {
    let folder = Folder::new();
    let points = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    folder.file("a.bin", points.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let gltf = |nodes: &str| {
        let text = format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{nodes}],
             "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
             "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}}],
             "bufferViews": [{{"buffer": 0, "byteLength": 36}}], "buffers": [{{"uri": "a.bin"}}]}}"#
        );
        folder.file("a.gltf", text)
    };
    let hidden = r#"{"name": "hidden", "mesh": 0, "scale": [0, 0, 0]}"#;
    let path = gltf(&format!("{hidden}, {{\"name\": \"seen\", \"mesh\": 0}}"));
    let file = SceneFile::open(&path).unwrap();
    let scene = file.build::<Vec3>().unwrap();
    assert_eq!((scene.len(), scene.at(0).unwrap().1.name()), (1, Some("seen")));
    let note = "node 0 'hidden' is left out: its transform is singular (a scale of 0?)";
    assert_eq!(file.notes(), [format!("{}: {note}", path.display())]);
    let error = SceneFile::open(&gltf(hidden)).unwrap_err();
    assert_eq!(folder.message(&error), "a.gltf: the transforms of all its nodes are singular");
    // Joined to one mesh, it is there, without an area.
    assert_eq!(SceneFile::open_baked(&path).unwrap_or_else(|error| panic!("{error}")).len(), 1);
}
