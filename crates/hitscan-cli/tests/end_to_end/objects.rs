//! Scenes of objects: from TOML and glTF to tables, descriptions and pictures.

use crate::support::{Folder, csv_column};
use hitscan::glam::Vec3;
use hitscan::{Object, Scene, Sphere};
use serde_json::{Value, json};

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A ball, and two objects of one mesh.
///
/// ```text
///        rays from below, along z, at x = 0.1, y = 0.1
///   a, b  the tetrahedron at the origin: hit at z = 0 and z = 0.8
///   ball  a shape around (0.1, 0.1, 5) of radius 1: hit at z = 4 and z = 6
/// ```
const SCENE: &str = "\
[[geometry]]\nname = 'tetra'\ntype = 'mesh'\nfile = 'tetra.obj'\n\n\
[[object]]\nname = 'a'\ngeometry = 'tetra'\n\n\
[[shape]]\ntype = 'sphere'\ncenter = [0.1, 0.1, 5]\nradius = 1\n\n\
[[object]]\nname = 'b'\ngeometry = 'tetra'\nlayer = 3\n\n";

/// A third object, with a transform.
const FAR: &str = "\
[[object]]\nname = 'far'\ngeometry = 'tetra'\ntransform = { matrix = [[2, 0, 0, 50], [0, -2, 0, 0], [0, 0, 2, 0]] }\n";

const RAY: &str = "--ray 0.1,0.1,-1,0,0,1 --format csv";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("tetra.obj", TETRAHEDRON);
    folder.file("scene.toml", SCENE);
    folder.file("far.toml", format!("{SCENE}{FAR}"));
    folder
}

/// Two columns of a cast, side by side.
fn cells(csv: &str, columns: [&str; 2]) -> String {
    let [first, second] = columns.map(|name| csv_column(csv, name));
    first.iter().zip(second).map(|(a, b)| format!("{a}:{b}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn hits_name_object_and_instance() {
    let folder = folder("objects-columns");
    let all = folder.done(&format!("cast scene.toml {RAY} --query all"));
    let header = "ray,hit,hit_index,t,distance,px,py,pz,nx,ny,nz,front,shape,primitive,u,v,object,instance";
    assert_eq!(all.lines().next(), Some(header));
    assert_eq!(cells(&all, ["shape", "t"]), "a:1 b:1 a:1.8 b:1.8 sphere-1:5 sphere-1:7");
    assert_eq!(cells(&all, ["object", "instance"]), "0:0 2:1 0:0 2:1 1: 1:");
    let table = folder.done("cast scene.toml --ray 0.1,0.1,-1,0,0,1");
    assert!(table.lines().next().unwrap().ends_with("primitive  u    v    object  instance"), "{table}");
    let ball = folder.done("cast scene.toml --ray 0.1,0.1,9,0,0,-1");
    assert!(ball.lines().nth(1).unwrap().ends_with(" 1"), "no instance:\n{ball}");
    // A scene without objects has neither column.
    folder.file("plain.toml", "[[shape]]\ntype = 'mesh'\nfile = 'tetra.obj'\n");
    assert!(folder.done(&format!("cast plain.toml {RAY}")).starts_with(&header.replace(",object,instance", "\n")));
}

#[test]
fn objects_are_ignored_by_name() {
    let folder = folder("objects-ignore");
    let first = |more: &str| {
        let csv = folder.done(&format!("cast scene.toml {RAY} {more}"));
        cells(&csv, ["shape", "object"])
    };
    assert_eq!(first(""), "a:0");
    assert_eq!(first("--ignore a"), "b:2");
    // Numbers and names stay those of the whole scene.
    assert_eq!(first("--ignore b --ignore a"), "sphere-1:1");
    assert_eq!(first("--ignore sphere-1 --ignore a --ignore b"), ":");
    assert_eq!(folder.done(&format!("cast scene.toml {RAY} --query any --ignore a --ignore b")), "ray,hit\n0,true\n");
    assert_eq!(folder.done(&format!("cast scene.toml {RAY} --query count --ignore a")), "ray,count\n0,4\n");
    let unknown = folder.run(&format!("cast scene.toml {RAY} --ignore c"));
    let message = "hitscan: --ignore c: no object has this name (hitscan info lists the names)\n";
    assert_eq!((unknown.code, &unknown.err[..]), (1, message));
    let spans = folder.run(&format!("cast scene.toml {RAY} --query spans --ignore a --ignore sphere-1"));
    assert_eq!((spans.warnings(), cells(spans.text(), ["shape", "end"])), ("", "b:enter b:exit".to_owned()));
}

#[test]
fn the_first_k_hits_of_each_ray() {
    let folder = folder("objects-first");
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz\n0.1,0.1,-1,0,0,1\n9,9,9,0,0,1\n0.1,0.1,3,0,0,1\n");
    let all = |more: &str| {
        let csv = folder.done(&format!("cast scene.toml --rays rays.csv --query all {more}"));
        cells(&csv, ["ray", "t"])
    };
    assert_eq!(all(""), "0:1 0:1 0:1.8 0:1.8 0:5 0:7 2:1 2:3");
    assert_eq!(all("--first 3"), "0:1 0:1 0:1.8 2:1 2:3");
    assert_eq!(all("--first 1"), "0:1 2:1");
    assert_eq!(all("--first 99"), all(""));
    assert_eq!(
        folder.done(&format!("cast scene.toml {RAY} --first 1")),
        folder.done(&format!("cast scene.toml {RAY}"))
    );
    for (how, message) in [
        ("--first 2", "--first 2: --query first finds one hit (--query all finds more)"),
        ("--query any --first 1", "--first is for --query all"),
        ("--query spans --first 2", "--first is for --query all"),
    ] {
        let refused = folder.run(&format!("cast scene.toml {RAY} {how}"));
        assert_eq!((refused.code, refused.err), (2, format!("hitscan: {message}\n")));
    }
    assert_eq!(folder.run(&format!("cast scene.toml {RAY} --query all --first 0")).code, 2);
}

/// Ranges and layers of a table count ray by ray, beside those of the flags.
#[test]
fn ranges_and_layers_of_each_ray() {
    let folder = folder("objects-rays");
    let ray = "0.1,0.1,-1,0,0,1";
    let rows =
        [",-inf,inf,1", ",0,inf,8", ",1.5,inf,4294967295", ",0,0.5,1", ",0,9,0"].map(|more| format!("{ray}{more}\n"));
    folder.file("rays.csv", format!("ox,oy,oz,dx,dy,dz,t_min,t_max,layers\n{}", rows.concat()));
    let cast = |more: &str| folder.run(&format!("cast scene.toml --rays rays.csv {more}"));
    let first = |more: &str| cells(cast(more).text(), ["shape", "t"]);
    assert_eq!(first(""), "a:1 b:1 a:1.8 : :");
    assert_eq!(first("--layers 3"), ": b:1 b:1.8 : :");
    assert_eq!(first("--t-min 2"), "sphere-1:5 : sphere-1:5 : :");
    let counts = |more: &str| csv_column(cast(&format!("--query count {more}")).text(), "count").join(" ");
    assert_eq!(counts(""), "4 2 4 0 0");
    assert_eq!(counts("--ignore a"), "2 2 3 0 0");
    assert_eq!(csv_column(cast("--query any").text(), "hit").join(" "), "true true true false false");
    // The same from a file of hits in each format of rays is in the tests of hitscan-io.
    folder.file("bad.csv", format!("ox,oy,oz,dx,dy,dz,layers\n{ray},-1\n"));
    let bad = folder.run("cast scene.toml --rays bad.csv");
    let message = "hitscan: bad.csv: row 0 (line 2), column 'layers': -1 is no mask of layers (a whole number from 0 to 4294967295)\n";
    assert_eq!((bad.code, &bad.err[..]), (1, message));
}

#[test]
fn info_shows_geometries_with_their_memory() {
    let folder = folder("objects-info");
    let text = folder.done("info far.toml");
    assert!(text.contains("shapes     4 (3 meshes, 1 sphere)"), "{text}");
    let table = text.split("\n\n").find(|part| part.starts_with("geometry")).unwrap();
    let words: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(words[..5], ["tetra", "mesh", "3", "4", "4"], "{table}");
    assert!(words[5].parse::<usize>().unwrap() >= 4 * 12 + 4 * 12, "{table}");
    assert_eq!(text.matches("\nmesh       tetra\n").count(), 1, "one mesh, one description: {text}");
    let json: Value = serde_json::from_str(&folder.done("info far.toml --format json")).unwrap();
    let geometry = &json["geometries"][0];
    assert_eq!(json["geometries"].as_array().unwrap().len(), 1);
    assert_eq!([&geometry["name"], &geometry["objects"]], [&json!("tetra"), &json!(3)]);
    assert_eq!(geometry["mesh"]["watertight"], json!(true));
    assert_eq!(json["shapes"][0]["geometry"], json!("tetra"));
    assert_eq!([&json["shapes"][0]["transform"], &json["shapes"][1]["geometry"]], [&Value::Null, &Value::Null]);
    let matrix = json!([[2.0, 0.0, 0.0, 50.0], [0.0, -2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]]);
    assert_eq!(json["shapes"][3]["transform"], matrix);
    // A geometry without objects is a note.
    folder.file(
        "more.toml",
        format!("{SCENE}{FAR}\n[[geometry]]\nname = 'x'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n"),
    );
    let noted = folder.run("info more.toml");
    let note = "hitscan: more.toml: geometry 1 'x' (line 25): no [[object]] places it (remove it, or add one)\n";
    assert_eq!((noted.code, &noted.err[..]), (0, note));
}

#[test]
fn a_scene_of_objects_is_converted_without_loss() {
    let folder = folder("objects-convert");
    assert_eq!(folder.done("convert far.toml -o out.toml"), "");
    assert_eq!(
        folder.names(),
        ["far.toml", "out-0.ply", "out.toml", "scene.toml", "tetra.obj"],
        "the mesh is written once"
    );
    let text = String::from_utf8(folder.read("out.toml")).unwrap();
    assert_eq!(text.matches("[[geometry]]").count(), 1);
    assert_eq!(text.matches("[[object]]").count(), 3);
    assert_eq!(text.matches("geometry = \"tetra\"\n").count(), 3, "{text}");
    assert!(text.contains("transform = { matrix = [[2, 0, 0, 50], [0, -2, 0, 0], [0, 0, 2, 0]] }\n"), "{text}");
    assert_eq!(
        folder.done(&format!("cast far.toml {RAY} --query all")),
        folder.done(&format!("cast out.toml {RAY} --query all"))
    );
    assert_eq!(folder.done("convert out.toml -o again.toml"), "");
    let again = String::from_utf8(folder.read("again.toml")).unwrap();
    assert_eq!(again.replace("again-0.ply", "out-0.ply"), text);
}

/// Two nodes with one mesh, a triangle, of which the second is 10 higher.
const GLTF: &str = r#"{
 "asset": {"version": "2.0"},
 "nodes": [{"name": "low", "mesh": 0}, {"name": "high", "mesh": 0, "translation": [0, 0, 10]}],
 "meshes": [{"name": "triangle", "primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "triangle.bin"}]
}"#;

fn with_gltf(test: &str) -> Folder {
    let folder = Folder::new(test);
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    folder.file("triangle.bin", corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    folder.file("a.gltf", GLTF);
    folder
}

#[test]
fn nodes_of_a_gltf_are_objects() {
    let folder = with_gltf("objects-gltf");
    let info: Value = serde_json::from_str(&folder.done("info a.gltf --format json")).unwrap();
    assert_eq!([&info["shapes"][0]["name"], &info["shapes"][1]["name"]], [&json!("low"), &json!("high")]);
    assert_eq!(info["geometries"][0]["objects"], json!(2));
    let hit = folder.done("cast a.gltf --ray 0.1,0.1,-1,0,0,1 --format csv");
    assert_eq!((cells(&hit, ["shape", "t"]), cells(&hit, ["object", "instance"])), ("low:1".into(), "0:0".into()));
    // Joined, as in earlier versions.
    let all = folder.done("cast a.gltf --bake --ray 0.1,0.1,-1,0,0,1 --query all --format csv");
    assert_eq!((cells(&all, ["shape", "t"]), all.contains("object")), ("a:1 a:11".into(), false));
    assert_eq!(folder.done("convert a.gltf -o mesh.obj"), "");
    assert_eq!(String::from_utf8(folder.read("mesh.obj")).unwrap().matches("\nf ").count(), 2);
    assert_eq!(folder.done("convert a.gltf -o scene.toml"), "");
    let text = String::from_utf8(folder.read("scene.toml")).unwrap();
    assert_eq!((text.matches("[[geometry]]").count(), text.matches("[[object]]").count()), (1, 2), "{text}");
    assert_eq!(folder.done("convert a.gltf --bake -o baked.toml"), "");
    assert!(String::from_utf8(folder.read("baked.toml")).unwrap().starts_with("[[shape]]"));
}

/// A saved scene from which an object was removed: its other objects have the numbers and names that they had.
#[test]
fn a_saved_scene_has_its_numbers() {
    let ball = |z: f32| Object::<Vec3>::new(Sphere::new(Vec3::Z * z, 1.0).unwrap());
    let mut scene = Scene::new();
    let gone = scene.insert(ball(4.0)).unwrap();
    scene.insert(ball(8.0)).unwrap();
    scene.remove(gone).unwrap();
    // In the row of the removed one.
    scene.insert(ball(12.0)).unwrap();
    let folder = Folder::new("saved-numbers");
    folder.file("gaps.hitscene", scene.to_bytes().unwrap());
    let shapes = |line: &str| csv_column(&folder.done(&format!("{line} --format csv")), "shape");
    let ray = "cast gaps.hitscene --ray 0,0,0,0,0,1";
    assert_eq!(shapes(ray), ["sphere-1"]);
    assert_eq!(shapes(&format!("{ray} --query all")), ["sphere-1", "sphere-1", "sphere-0", "sphere-0"]);
    assert_eq!(shapes(&format!("{ray} --ignore sphere-1")), ["sphere-0"]);
    assert_eq!(shapes(&format!("{ray} --accel brute --ignore sphere-0")), ["sphere-1"]);
    assert_eq!(shapes("distance gaps.hitscene --point 0,0,9 --point 0,0,14"), ["sphere-1", "sphere-0"]);
    assert_eq!(shapes("overlap gaps.hitscene --sphere 0,0,10,9 --query all"), ["sphere-1", "sphere-0"]);
    let info: Value = serde_json::from_str(&folder.done("info gaps.hitscene --format json")).unwrap();
    let of = |key: &str| info["shapes"].as_array().unwrap().iter().map(|shape| shape[key].clone()).collect::<Vec<_>>();
    assert_eq!((of("shape"), of("id")), (vec![1.into(), 0.into()], vec![1.into(), (1_u64 << 32).into()]));
    assert_eq!(of("name"), ["sphere-1", "sphere-0"]);
    assert!(folder.done("explain gaps.hitscene --ray 0,0,0,0,0,1").contains("sphere-1"));
    assert!(folder.run("render gaps.hitscene --labels --width 64 --height 48 -o a.png").code == 0);
    folder.done("convert gaps.hitscene -o a.toml");
}
