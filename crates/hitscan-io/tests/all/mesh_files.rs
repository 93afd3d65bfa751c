//! What becomes of constructed mesh files, most of them with faults: `docs/mesh-files.md` has the table.
//!
//! `HITSCAN_UPDATE=1 cargo test -p hitscan-io --test all mesh_files` writes the table.

use crate::support::Folder;
use hitscan::glam::DVec3;
use hitscan::{Ray, RayCast};
use hitscan_io::{MeshFile, Precision, SceneFile};
use std::fmt::Write;
use std::path::Path;
use test_support::random::Lcg;

/// A file, and what is in it.
struct Case(&'static str, &'static str, Vec<u8>);

/// `(0, 8) … (10, 0)`: the plan of a roof around a courtyard that is open to one side.
const U: [[f64; 2]; 8] =
    [[0.0, 0.0], [10.0, 0.0], [10.0, 8.0], [7.0, 8.0], [7.0, 3.0], [3.0, 3.0], [3.0, 8.0], [0.0, 8.0]];
const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const FACET: &str = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

fn obj(points: &[[f64; 3]], faces: &[&str]) -> Vec<u8> {
    let mut text: String = points.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    faces.iter().for_each(|face| writeln!(text, "f {face}").unwrap());
    text.into_bytes()
}

/// One face around all points.
fn polygon(points: &[[f64; 3]]) -> Vec<u8> {
    let corners: Vec<String> = (1..=points.len()).map(|corner| corner.to_string()).collect();
    obj(points, &[&corners.join(" ")])
}

fn flat(points: &[[f64; 2]]) -> Vec<[f64; 3]> {
    points.iter().map(|[x, y]| [*x, *y, 3.0]).collect()
}

/// The walls, the floor and the roof over a plan.
fn prism(plan: &[[f64; 2]]) -> Vec<u8> {
    let count = plan.len();
    let at = |z: f64| plan.iter().map(move |[x, y]| [*x, *y, z]);
    let points: Vec<_> = at(0.0).chain(at(3.0)).collect();
    let list = |corners: &mut dyn Iterator<Item = usize>| corners.map(|c| c.to_string()).collect::<Vec<_>>().join(" ");
    let mut faces = vec![list(&mut (1..=count).rev()), list(&mut (count + 1..=2 * count))];
    for i in 0..count {
        let next = (i + 1) % count;
        faces.push(list(&mut [i + 1, next + 1, next + 1 + count, i + 1 + count].into_iter()));
    }
    obj(&points, &faces.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A text PLY of `float` coordinates.
fn ply(vertices: &[&str], faces: &[&str]) -> String {
    let (head, rows) =
        ("property float x\nproperty float y\nproperty float z\n", [vertices, faces].concat().join("\n"));
    let (vertices, faces) = (vertices.len(), faces.len());
    format!(
        "ply\nformat ascii 1.0\nelement vertex {vertices}\n{head}element face {faces}\n\
         property list uchar int vertex_indices\nend_header\n{rows}\n"
    )
}

fn binary_ply(vertices: &[[f32; 3]], face: &[i32]) -> Vec<u8> {
    let mut bytes = ply(&vec![""; vertices.len()], &[""]).replace("ascii", "binary_little_endian").into_bytes();
    bytes.truncate(bytes.windows(11).position(|word| word == b"end_header\n").unwrap() + 11);
    bytes.extend(vertices.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    bytes.push(face.len() as u8);
    bytes.extend(face.iter().flat_map(|index| index.to_le_bytes()));
    bytes
}

fn binary_stl(header: &str, announced: u32, triangles: usize) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(80, b' ');
    bytes.extend(announced.to_le_bytes());
    for i in 0..triangles {
        let corners = [[i as f32, 0.0, 0.0], [i as f32, 1.0, 0.0], [0.0, 0.0, 1.0]];
        bytes.extend([0; 12]);
        bytes.extend(corners.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn utf16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A glTF of one triangle, with pieces of its text replaced; each has to be there.
fn gltf(changes: &[(&str, &str)]) -> Vec<u8> {
    // (0, 0, 0), (1, 0, 0), (0, 1, 0); then 0 1 2 in 16 bits.
    let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA";
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}},
{{"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 6}}],
"buffers": [{{"byteLength": 42, "uri": "data:;base64,{data}"}}]}}"#
    );
    let changed = changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    });
    changed.into_bytes()
}

fn polygons() -> Vec<Case> {
    let turned: Vec<[f64; 3]> = flat(&U)
        .into_iter()
        .map(|[x, y, z]| {
            [0.6 * x - 0.48 * y, 0.8 * x + 0.36 * y, 0.8 * y + z].map(|x: f64| (x * 0.703 * 1e6).round() / 1e6)
        })
        .collect();
    let star = [0, 2, 4, 1, 3].map(|i| [[0.0, 3.0], [-3.0, 1.0], [-2.0, -2.0], [2.0, -2.0], [3.0, 1.0]][i]);
    let hole = [[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0], [2.0, 2.0], [2.0, 4.0], [4.0, 4.0], [4.0, 2.0]];
    let rows: Vec<String> = U.iter().map(|[x, y]| format!("{x} {y} 3")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let comb: Vec<[f64; 2]> = (0..40)
        .map(|i| [f64::from(i), if i % 2 == 0 { 0.0 } else { 9.0 }])
        .chain([[39.0, 10.0], [0.0, 10.0]])
        .collect();
    vec![
        Case("roof.obj", "A U-shaped face of eight corners", polygon(&flat(&U))),
        Case("roof.ply", "The same as text PLY", ply(&rows, &["8 0 1 2 3 4 5 6 7"]).into()),
        Case("roof.off", "The same as OFF", format!("OFF\n8 1 0\n{}\n8 0 1 2 3 4 5 6 7\n", rows.join("\n")).into()),
        Case("house.obj", "The house under this roof: ten faces", prism(&U)),
        Case("comb.obj", "A comb with 42 corners", polygon(&flat(&comb))),
        Case(
            "dart.obj",
            "Four corners, the second one turned inward",
            obj(&[[0.0; 3], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [1.0, 3.0, 0.0]], &["1 2 3 4"]),
        ),
        Case(
            "hole.obj",
            "A square with a square hole, joined by a bridge",
            obj(&flat(&hole), &["1 2 3 4 1 5 6 7 8 5"]),
        ),
        Case(
            "flat-corners.obj",
            "A triangle with three more corners on its edges",
            polygon(&flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 3.0], [0.0, 1.0]])),
        ),
        Case("turned.obj", "The U in a slanted plane, rounded to six decimals", polygon(&turned)),
        Case(
            "large.obj",
            "The U with coordinates up to 1e300",
            polygon(&flat(&U.map(|point| point.map(|x| x * 1e299)))),
        ),
        Case(
            "bent.obj",
            "A square with one corner raised by a tenth",
            obj(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.1], [0.0, 1.0, 0.0]], &["1 2 3 4"]),
        ),
        Case(
            "bow-tie.obj",
            "A square whose boundary crosses itself",
            obj(&flat(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), &["1 2 3 4", "1 2 3"]),
        ),
        Case("star.obj", "A five-pointed star drawn in one line", polygon(&flat(&star))),
        Case("repeated.obj", "`f 1 2 2 3 4`", format!("{SQUARE}f 1 2 2 3 4\n").into()),
        Case("two-corners.obj", "Faces of 2 and of 3 corners", format!("{SQUARE}f 1 2\nf 1 2 3\n").into()),
        Case("only-short.obj", "One face of 2 corners", format!("{SQUARE}f 1 2\n").into()),
        Case(
            "lines.obj",
            "Points, lines and a free-form surface beside a face",
            format!("{SQUARE}f 1 2 3\np 1\nl 1 2 3\nsurf 0 1 0 1 1 2 3 4\n").into(),
        ),
        Case(
            "no-corners.ply",
            "Lists of 0, 2 and 3 corners",
            ply(&["0 0 0", "1 0 0", "0 1 0"], &["0", "2 0 1", "3 0 1 2"]).into(),
        ),
        Case("one-corner.off", "Faces of 1 and of 3 corners", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n1 2\n3 0 1 2\n".into()),
    ]
}

fn vertices_and_text() -> Vec<Case> {
    let triangle = format!("{SQUARE}f 1 2 3\n");
    let stl = format!("solid\n{FACET}endsolid\n");
    let small = ["0 0 0", "1 0 0", "0 1 0"];
    vec![
        Case("nan-unused.obj", "A vertex `nan nan nan` that no face has", format!("{triangle}v nan nan nan\n").into()),
        Case("nan-used.obj", "A vertex `0 nan 0` of a face", format!("{triangle}v 0 nan 0\nf 1 2 5\n").into()),
        Case(
            "microsoft.obj",
            "Vertices that no face has, with the words of Microsoft's runtimes for what is no finite number",
            format!("{triangle}v -nan(ind) nan(snan) 0\nv 1.#QNAN0 -1.#IND00 1.#SNAN\nv 1.#INF -1.#INF000 0\n").into(),
        ),
        Case(
            "microsoft.ply",
            "The same as text PLY, `float`, with x = 0.1",
            ply(&["0.1 0 0", "1 0 0", "0 1 0", "-nan(ind) 1.#QNAN0 -1.#IND00", "1.#INF 0 0"], &["3 0 1 2"]).into(),
        ),
        Case(
            "microsoft-used.stl",
            "Such a word in a corner",
            stl.replace("vertex 1 0 0", "vertex 1 -1.#IND00 0").into(),
        ),
        Case(
            "inf-unused.ply",
            "An infinite vertex that no face has, binary",
            binary_ply(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f32::INFINITY; 3]], &[0, 1, 2]),
        ),
        Case(
            "digits.ply",
            "Text PLY, `float`, with x = 5400000.654321",
            ply(&["5400000.654321 0 0", "1 0 0", "0 1 0"], &["3 0 1 2"]).into(),
        ),
        Case("tenths.ply", "Text PLY, `float`, with x = 0.1", ply(&["0.1 0 0", "1 0 0", "0 1 0"], &["3 0 1 2"]).into()),
        Case("mark.obj", "A byte order mark", format!("\u{feff}{triangle}").into()),
        Case("mark.stl", "A byte order mark", format!("\u{feff}{stl}").into()),
        Case("mark.ply", "A byte order mark", format!("\u{feff}{}", ply(&small, &["3 0 1 2"])).into()),
        Case("utf16.obj", "UTF-16", utf16(&triangle)),
        Case("utf16.stl", "UTF-16", utf16(&stl)),
        Case("cr.obj", "Lines that end in CR", triangle.replace('\n', "\r").into()),
        Case("cr.ply", "Lines that end in CR", ply(&small, &["3 0 1 2"]).replace('\n', "\r").into()),
        Case("cr.stl", "Lines that end in CR", stl.replace('\n', "\r").into()),
        Case(
            "comment.stl",
            "Comments before and behind a facet",
            format!("# by hand\nsolid\n{FACET}// end\nendsolid\n").into(),
        ),
        Case(
            "long-name.stl",
            "A name of 5,000 letters",
            format!("solid {}\n{FACET}endsolid\n", "n".repeat(5000)).into(),
        ),
        Case("colour.stl", "`color` lines", format!("solid\ncolor 1 0 0\n{FACET}endsolid\n").into()),
        Case(
            "end-facet.stl",
            "`end facet`, `end loop` and `end solid`",
            format!("solid\n{}end solid\n", FACET.replace("end", "end ")).into(),
        ),
        Case("no-endsolid.stl", "No `endsolid`", format!("solid\n{FACET}").into()),
        Case(
            "cut.stl",
            "The end of the file within a facet",
            format!("solid\n{FACET}facet normal 0 0 1\nouter").into(),
        ),
        Case("no-solid.stl", "Facets without `solid`", FACET.into()),
    ]
}

fn other_files() -> Vec<Case> {
    let page = "<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found. Go back to the start page, please.</body></html>\n";
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let gzip = [&b"\x1F\x8B\x08\0\0\0\0\0\0\x03"[..], &[0xA5; 120]].concat();
    let strips = ply(&["0 0 0", "1 0 0", "0 1 0", "1 1 0"], &["8 0 1 2 3 -1 0 2 3"])
        .replace("element face", "element tristrips")
        .replace("uchar", "int");
    let broken = ply(&["0 0", "0", "1 0 0", "0 1 0"], &["3 0 1", "2"])
        .replace("vertex 4", "vertex 3")
        .replace("face 2", "face 1");
    vec![
        Case(
            "solid.stl",
            "Binary, with `solid` and `facet` in its header and a byte behind its end",
            [binary_stl("solid facet", 2, 2), vec![10]].concat(),
        ),
        Case("uncounted.stl", "Binary, which announces 0 triangles before 12", binary_stl("x", 0, 12)),
        Case("truncated.stl", "Binary, which announces 99 triangles before 12", binary_stl("x", 99, 12)),
        Case("zeros.stl", "Nothing but zeros", vec![0; 684]),
        Case("web-page.stl", "A web page", page.into()),
        Case("pointer.stl", "A pointer of Git LFS", pointer.into()),
        Case("gzip.stl", "A file compressed by gzip", gzip.clone()),
        Case(
            "letter.stl",
            "Other text",
            "Dear colleagues, the mesh that you asked for is attached to this letter. Kind regards.\n".repeat(2).into(),
        ),
        Case("wrong-name.stl", "An OBJ", format!("{SQUARE}f 1 2 3\nf 1 3 4\n# some more words about it\n").into()),
        Case("web-page.obj", "A web page", page.into()),
        Case("archive.obj", "A 3MF file, which is a zip archive", b"PK\x03\x04\x14\0\0\0\x08\0".to_vec()),
        Case(
            "collada.obj",
            "A COLLADA file",
            "<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\"></COLLADA>\n".into(),
        ),
        Case("pointer.ply", "A pointer of Git LFS", pointer.into()),
        Case("strips.ply", "`tristrips`: two strips", strips.into()),
        Case("surplus.ply", "A row with a value too many", ply(&["0 0 0", "1 0 0 7", "0 1 0"], &["3 0 1 2"]).into()),
        Case("broken-rows.ply", "Rows broken over lines", broken.into()),
        Case("short-row.ply", "A row with a value too few", ply(&["0 0 0", "1 0", "0 1 0"], &["3 0 1 2"]).into()),
        Case("small.off", "`off` in small letters", "off\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n".into()),
        Case("broken-rows.off", "Rows broken over lines", "OFF\n3 1 0\n0 0\n0\n1 0 0\n0 1 0\n3 0 1\n2\n".into()),
        Case("one-line.off", "All values on one line", "OFF 3 1 0 0 0 0 1 0 0 0 1 0 3 0 1 2\n".into()),
    ]
}

fn scenes() -> Vec<Case> {
    let node = r#"[{"mesh": 0}]"#;
    let primitive = r#""indices": 1"#;
    let draco = (primitive, r#""indices": 1, "extensions": {"KHR_draco_mesh_compression": {"bufferView": 0}}"#);
    let compressed = [
        ("\"bufferView\": 0, \"componentType\": 5126", "\"componentType\": 5126"),
        ("\"bufferView\": 1, \"c", "\"c"),
        draco,
    ];
    let instancing = r#"[{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}]"#;
    let meshopt = [
        (
            r#"{"buffer": 0, "byteLength": 36}"#,
            r#"{"buffer": 1, "byteLength": 36, "extensions": {"EXT_meshopt_compression": {"buffer": 0}}}"#,
        ),
        (
            r#""buffers": ["#,
            r#""buffers": [{"byteLength": 36, "uri": "data:;base64,AAAA"}, {"byteLength": 36, "extensions": {"EXT_meshopt_compression": {"fallback": true}}}, "#,
        ),
        (r#"{"buffer": 0, "byteOffset": 36"#, r#"{"buffer": 2, "byteOffset": 36"#),
    ];
    let elsewhere = r#"[{"mesh": 0}, {"mesh": 0, "skin": 0, "weights": [0.5],
"extensions": {"KHR_node_visibility": {}, "EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}]"#;
    let two = r#"[{"attributes": {"POSITION": 0}, "indices": 1}, "#;
    vec![
        Case("instances.gltf", "`EXT_mesh_gpu_instancing`, not required", gltf(&[(node, instancing)])),
        Case(
            "morph.gltf",
            "Weights of morph targets",
            gltf(&[
                (primitive, r#""indices": 1, "targets": [{"POSITION": 0}]"#),
                (r#""primitives""#, r#""weights": [0.5], "primitives""#),
            ]),
        ),
        Case("skin.gltf", "A node with a skin", gltf(&[(node, r#"[{"mesh": 0, "skin": 0}]"#)])),
        Case(
            "animation.gltf",
            "An animation",
            gltf(&[(r#""nodes": [{"mesh""#, r#""animations": [{}], "nodes": [{"mesh""#)]),
        ),
        Case(
            "lines.gltf",
            "A primitive of lines beside a triangle",
            gltf(&[(
                "[{\"attributes\": {\"POSITION\": 0}",
                &format!("{two}{{\"mode\": 1, \"attributes\": {{\"POSITION\": 0}}"),
            )]),
        ),
        Case("mark.gltf", "A byte order mark", [&b"\xEF\xBB\xBF"[..], &gltf(&[])].concat()),
        Case("draco.gltf", "Draco, only in `extensionsUsed`, and no other data", gltf(&compressed)),
        Case("draco-both.gltf", "Draco, and the same data uncompressed", gltf(&[draco])),
        Case(
            "draco-required.gltf",
            "Draco in `extensionsRequired`",
            gltf(&[(r#""scenes""#, r#""extensionsRequired": ["KHR_draco_mesh_compression"], "scenes""#)]),
        ),
        Case("meshopt.gltf", "meshopt, not required, and no other data", gltf(&meshopt)),
        Case(
            "other-scene.gltf",
            "A second node that is not in the scene",
            gltf(&[(node, r#"[{"mesh": 0}, {"mesh": 0}]"#)]),
        ),
        Case(
            "two-scenes.gltf",
            "A node with a skin, instances and weights in a scene that is not read",
            gltf(&[
                (r#"[{"nodes": [0]}]"#, r#"[{"nodes": [0]}, {"nodes": [1]}]"#),
                (node, elsewhere),
                (primitive, r#""indices": 1, "targets": [{"POSITION": 0}]"#),
            ]),
        ),
        Case(
            "hidden.gltf",
            "A node hidden by `KHR_node_visibility`",
            gltf(&[(node, r#"[{"mesh": 0, "extensions": {"KHR_node_visibility": {"visible": false}}}]"#)]),
        ),
    ]
}

fn cases() -> Vec<Case> {
    [polygons(), vertices_and_text(), other_files(), scenes()].into_iter().flatten().collect()
}

/// The row of the table.
fn row(Case(name, what, bytes): &Case) -> String {
    let result = match MeshFile::parse(Path::new(name), bytes) {
        Ok(mesh) => {
            let triangles = mesh.data().triangles.len();
            let precision = if mesh.precision() == Precision::F32 { "f32" } else { "f64" };
            let plural = if triangles == 1 { "" } else { "s" };
            let notes = mesh.notes().iter().map(|note| format!("<br>{note}"));
            format!("{triangles} triangle{plural}, `{precision}`{}", notes.collect::<String>())
        }
        Err(error) => format!("**error:** {}", error.to_string().strip_prefix(&format!("{name}: ")).unwrap()),
    };
    format!("| `{name}` | {what} | {} |\n", result.replace('|', "\\|"))
}

#[test]
fn the_page_has_what_becomes_of_each_file() {
    const BEGIN: &str = "| file | what is in it | what becomes of it |\n|---|---|---|\n";
    let cases = cases();
    assert!(cases.len() >= 60, "{}", cases.len());
    let table: String = cases.iter().map(row).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mesh-files.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, after) = page.split_once(BEGIN).unwrap();
    let end: usize = after.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    if std::env::var_os("HITSCAN_UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{}", &after[end..])).unwrap();
        return;
    }
    assert_eq!(table, after[..end], "docs/mesh-files.md is old: run this test with HITSCAN_UPDATE=1");
}

/// Rays down on the U: the courtyard is open, the roof is hit once, and the house has both of its floors there.
#[test]
fn rays_pass_the_courtyard() {
    for Case(name, _, bytes) in polygons().into_iter().take(4) {
        let mesh = MeshFile::parse(Path::new(name), &bytes).unwrap();
        assert_eq!(mesh.notes(), [""; 0], "{name}");
        let mesh = mesh.into_data().to_mesh::<DVec3>().unwrap();
        let floors = if name == "house.obj" { 2 } else { 1 };
        assert_eq!(mesh.topology().is_closed(), floors == 2);
        for x in 0..40 {
            for y in 0..32 {
                let (x, y) = (0.125 + 0.25 * f64::from(x), 0.125 + 0.25 * f64::from(y));
                let is_open = (3.0..7.0).contains(&x) && y > 3.0;
                let hits = mesh.count_hits(&Ray::new(DVec3::new(x, y, 9.0), -DVec3::Z), ..);
                assert_eq!(hits, if is_open { 0 } else { floors }, "{name} {x} {y}");
            }
        }
    }
}

/// The notes of each file are those of a scene of it, which the program and Python show.
#[test]
fn scenes_have_the_notes_of_their_files() {
    let folder = Folder::new();
    let mut noted = 0;
    for Case(name, _, bytes) in cases() {
        let Ok(mesh) = MeshFile::parse(Path::new(name), &bytes) else { continue };
        let path = folder.file(name, &bytes);
        let scene = SceneFile::open(&path).unwrap();
        let expected: Vec<_> = mesh.notes().iter().map(|note| format!("{}: {note}", path.display())).collect();
        assert_eq!(scene.notes(), expected, "{name}");
        noted += expected.len();
    }
    assert!(noted > 20, "{noted}");
}

/// Damaged files give a mesh or an error of one line.
#[test]
fn damaged_files_give_a_mesh_or_an_error() {
    let mut random = Lcg::new(2);
    for Case(name, _, bytes) in cases() {
        for _ in 0..60 {
            let mut damaged = bytes.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(damaged.len());
                match random.below(5) {
                    0 => damaged.truncate(at.max(1)),
                    1 => damaged.insert(at, random.below(256) as u8),
                    2 => drop(damaged.drain(at..damaged.len().min(at + 1 + random.below(16)))),
                    3 => damaged[at] = b"0123456789-. \n\r"[random.below(15)],
                    _ => damaged[at] ^= 1 << random.below(8),
                }
                if damaged.is_empty() {
                    damaged.push(0);
                }
            }
            match MeshFile::parse(Path::new(name), &damaged) {
                Ok(mesh) => {
                    let data = mesh.data();
                    assert!(data.triangles.iter().flatten().all(|index| (*index as usize) < data.vertices.len()));
                    assert!(data.vertices.iter().flatten().all(|x| x.is_finite()), "{name}");
                    assert!(mesh.notes().iter().all(|note| !note.contains('\n')), "{name}: {:?}", mesh.notes());
                }
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
    }
}
