//! Meshes: the exact words of every error, round trips, and the real ones.

use crate::support::Folder;
use hitscan::TriangleMesh;
use hitscan::glam::DVec3;
use hitscan_io::{MeshData, MeshFile, Place, Precision, SceneFile, WeldError, read_mesh, write_obj, write_ply};
use std::error::Error;
use std::path::Path;

#[track_caller]
fn error(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.message(&read_mesh(&folder.file(name, content)).unwrap_err())
}

const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[test]
fn errors_of_any_mesh() {
    assert_eq!(read_mesh(Path::new("x.ply")).unwrap_err().to_string(), "x.ply: No such file or directory");
    assert_eq!(error("a.PLY", ""), "a.PLY: empty file");
    assert_eq!(
        error("a.step", "x"),
        "a.step: unknown mesh format (known are .obj, .stl, .ply, .off, .gltf, .glb and .hitmesh)"
    );
}

#[test]
fn errors_of_obj() {
    let case = |text: &str| error("model.obj", format!("{CORNER}{text}"));
    assert_eq!(case(""), "model.obj: mesh has no triangles");
    let six = "f 1 2 3\n".repeat(12);
    assert_eq!(
        case(&format!("{six}f 1 2 99")),
        "model.obj: face 12 (line 16): vertex index 99 out of range (3 vertices)"
    );
    assert_eq!(case("f 1 2 0"), "model.obj: face 0 (line 4): vertex index 0 out of range (3 vertices)");
    assert_eq!(case("f 1 2 -4"), "model.obj: face 0 (line 4): vertex index -4 out of range (3 vertices)");
    let short = "1 face has fewer than 3 corners and is left out: face 0 (line 4)";
    assert_eq!(case("f 1 2"), format!("model.obj: mesh has no triangles ({short})"));
    assert_eq!(case("f 1 2 x/3"), "model.obj: face 0 (line 4): 'x' is not a vertex index");
    assert_eq!(case("\nv 1 2 nan\nf 1 2 4"), "model.obj: vertex 3 (line 5): z is NaN, not a finite number");
    assert_eq!(case("v 1e999 2 3\nf 1 2 4"), "model.obj: vertex 3 (line 4): x is inf, not a finite number");
    assert_eq!(case("v 1 abc 3"), "model.obj: vertex 3 (line 4): 'abc' is not a number");
    assert_eq!(case("v 1 2"), "model.obj: vertex 3 (line 4): 2 coordinates (a vertex needs 3)");
}

#[test]
fn errors_of_stl_text() {
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let case = |text: &str| error("model.stl", format!("solid x\n{facet}{text}"));
    assert_eq!(error("model.stl", "solid x\nendsolid x\n"), "model.stl: mesh has no triangles");
    let end = "ends without 'endsolid': the end of the file may be missing";
    assert_eq!(error("model.stl", "solid x"), format!("model.stl: mesh has no triangles ({end})"));
    assert_eq!(case("facet normal 0 0 1\nouter"), "model.stl: truncated: the file ends within face 1");
    assert_eq!(case("facet x"), "model.stl: face 1 (line 9): 'x' instead of 'normal'");
    assert_eq!(case("\nvertex"), "model.stl: line 10: 'vertex' instead of 'facet'");
    let broken = |number: &str| case(&facet.replace("1 0 0", &format!("1 {number} 0")));
    assert_eq!(broken("abc"), "model.stl: face 1 (line 12): 'abc' is not a number");
    assert_eq!(broken("inf"), "model.stl: face 1 (line 15): y is inf, not a finite number");
}

fn binary_stl(announced: u32, triangles: &[[f32; 9]]) -> Vec<u8> {
    let mut bytes = b"solid, but binary".to_vec();
    bytes.resize(80, 0);
    bytes.extend(announced.to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn errors_of_stl_binary() {
    let case = |announced, triangles: &[[f32; 9]]| error("model.stl", binary_stl(announced, triangles));
    assert_eq!(case(0, &[]), "model.stl: mesh has no triangles");
    assert_eq!(error("model.stl", [1; 83]), "model.stl: truncated: 83 bytes (a binary STL has 84 or more)");
    assert_eq!(case(u32::MAX, &[[0.0; 9]; 3]), "model.stl: truncated: 4294967295 triangles announced, 3 read");
    assert_eq!(case(1, &[[f32::NAN; 9]]), "model.stl: face 0: x is NaN, not a finite number");
}

const PLY: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 1\nproperty list uchar int vertex_indices\nend_header\n";

#[test]
fn errors_of_ply() {
    let text = |header: &str, body: &str| error("model.ply", format!("ply\nformat ascii 1.0\n{header}{body}"));
    assert_eq!(error("model.ply", "plz\n"), "model.ply: not a PLY file (its first line is not 'ply')");
    assert_eq!(error("model.ply", "ply\nformat ascii 1.0\n"), "model.ply: truncated: no 'end_header'");
    assert_eq!(error("model.ply", "ply\nend_header\n"), "model.ply: header without a 'format' line");
    assert_eq!(error("model.ply", "ply\nformat x 1.0\n"), "model.ply: line 2: unknown format 'x'");
    assert_eq!(text("end_header\n", ""), "model.ply: mesh has no triangles");
    assert_eq!(text("property int x\n", ""), "model.ply: line 3: property before any element");
    assert_eq!(text("nonsense\n", ""), "model.ply: line 3: 'nonsense' in the header");
    assert_eq!(text("element a -1\n", ""), "model.ply: line 3: the number of elements is not a whole number");
    assert_eq!(text("element a 1\nelement a 1\n", ""), "model.ply: line 4: element 'a' appears twice");
    assert_eq!(text("element a 1\nproperty half x\n", ""), "model.ply: line 4: unknown type 'half'");
    assert_eq!(text("element a 1\nproperty x\n", ""), "model.ply: line 4: a property needs a type and a name");
    assert_eq!(
        text("element a 1\nproperty list float int x\n", ""),
        "model.ply: line 4: the length of a list cannot be a 'float'"
    );
    assert_eq!(
        text("element vertex 5000000000\nend_header\n", ""),
        "model.ply: 5000000000 vertices (at most 4294967295 are possible)"
    );
    assert_eq!(text(&PLY.replace(" z", " w"), ""), "model.ply: element 'vertex' has no property 'z'");
    assert_eq!(
        text(&PLY.replace("vertex_indices", "corners"), "0 0 0 1 0 0 0 1 0 3 0 1 2"),
        "model.ply: element 'face' has no list 'vertex_indices' or 'vertex_index'"
    );
    assert_eq!(text(PLY, "0 0 0\n1 0 0\n0 1\n"), "model.ply: truncated: 3 vertices announced, 2 read");
    let face = |face: &str| text(PLY, &format!("0 0 0\n1 0 0\n0 1 0\n{face}"));
    assert_eq!(face("3 0 1"), "model.ply: truncated: 1 faces announced, 0 read");
    assert_eq!(face("3 0 1 3"), "model.ply: face 0 (line 13): vertex index 3 out of range (3 vertices)");
    assert_eq!(face("3 0 1 -1"), "model.ply: face 0 (line 13): vertex index -1 out of range (3 vertices)");
    let few = "1 face has fewer than 3 corners and is left out: face 0 (line 13)";
    assert_eq!(face("2 0 1"), format!("model.ply: mesh has no triangles ({few})"));
    assert_eq!(face("3 0 1 2.5"), "model.ply: face 0 (line 13): '2.5' is not a number of its type");
    let short = "the row is too short: its line ends after value";
    let vertices = text(PLY, "0 0 0\n1 0\n0 1 0\n3 0 1 2\n");
    assert_eq!(vertices, format!("model.ply: vertex 1 (line 11): {short} 2"));
    let two_faces = PLY.replace("face 1", "face 2");
    let faces = text(&two_faces, "0 0 0\n1 0 0\n0 1 0\n3 0 1\n3 0 1 2\n");
    assert_eq!(faces, format!("model.ply: face 0 (line 13): {short} 3"));
    let nan = text(PLY, "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n");
    assert_eq!(nan, "model.ply: vertex 1 (line 11): y is NaN, not a finite number");
    assert_eq!(text(PLY, "0 0 0\n1 x 0\n"), "model.ply: vertex 1 (line 11): 'x' is not a number of its type");
}

#[test]
fn errors_of_ply_binary() {
    let case = |header: &str, body: &[u8]| {
        error("model.ply", [b"ply\nformat binary_little_endian 1.0\n", header.as_bytes(), body].concat())
    };
    let many = PLY.replace("vertex 3", "vertex 71");
    assert_eq!(case(&many, &[0; 150]), "model.ply: truncated: 71 vertices announced, 12 read");
    let huge = PLY.replace("vertex 3", "vertex 4000000000");
    assert_eq!(case(&huge, &[0; 12]), "model.ply: truncated: 4000000000 vertices announced, 1 read");
    let unknown = format!("element edge 18446744073709551615\nproperty uchar a\n{PLY}");
    assert_eq!(case(&unknown, &[0; 9]), "model.ply: truncated: 18446744073709551615 'edge' elements announced, 9 read");
    let signed = PLY.replace("uchar", "char");
    assert_eq!(case(&signed, &[&[0; 36][..], &[0xFF]].concat()), "model.ply: face 0: a list of length -1");
    let float = PLY.replace("uchar int", "uchar float");
    let body = [&[0; 36][..], &[1], &0.5_f32.to_le_bytes()].concat();
    assert_eq!(case(&float, &body), "model.ply: face 0: vertex index 0.5 is not a whole number");
}

#[test]
fn errors_of_off() {
    let case = |text: &str| error("model.off", text);
    let square = "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
    let face = |face: &str| case(&format!("{square}{face}\n"));
    assert_eq!(case("hello\n"), "model.off: not an OFF file (its first line is not 'OFF')");
    assert_eq!(case("OFF\n"), "model.off: truncated: the numbers of vertices, faces and edges are missing");
    assert_eq!(case("# only\n"), "model.off: truncated: the numbers of vertices, faces and edges are missing");
    assert_eq!(case("OFF BINARY\n\0\0"), "model.off: binary OFF files cannot be read (save it as text, or as PLY)");
    assert_eq!(case("4OFF\n1 1 1"), "model.off: 4OFF files, of other dimensions than three, cannot be read");
    assert_eq!(
        case("OFF\n# counts\n8"),
        "model.off: line 3: the numbers of vertices, faces and edges have to be on one line"
    );
    assert_eq!(case("OFF\n8 x 0"), "model.off: line 2: 'x' is not a number of vertices, faces or edges");
    assert_eq!(case("OFF\n-1 1 0"), "model.off: line 2: '-1' is not a number of vertices, faces or edges");
    assert_eq!(case("OFF\n5000000000 1 0"), "model.off: line 2: 5000000000 vertices (at most 4294967295 are possible)");
    assert_eq!(case("OFF\n4294967295 1 0\n1 2 3"), "model.off: truncated: 4294967295 vertices announced, 1 read");
    assert_eq!(case("OFF\n3 1 0\n0 0 0\n0 1\n"), "model.off: vertex 1 (line 4): 2 coordinates (a vertex needs 3)");
    assert_eq!(case("OFF\n3 1 0\n0 0 0\n0 x 0\n"), "model.off: vertex 1 (line 4): 'x' is not a number");
    let nan = case("OFF\n3 1 0\n0 nan 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_eq!(nan, "model.off: vertex 0 (line 3): y is NaN, not a finite number");
    assert_eq!(case("OFF\n1 0 0\n0 0 0\n"), "model.off: mesh has no triangles");
    assert_eq!(face(""), "model.off: truncated: 1 faces announced, 0 read");
    assert_eq!(face("3 0 1 4"), "model.off: face 0 (line 7): vertex index 4 out of range (4 vertices)");
    assert_eq!(face("3 0 1 -1"), "model.off: face 0 (line 7): vertex index -1 out of range (4 vertices)");
    assert_eq!(face("3 0 1 x"), "model.off: face 0 (line 7): 'x' is not a vertex index");
    assert_eq!(face("4 0 1 2"), "model.off: face 0 (line 7): 4 corners announced, 3 read");
    let few = "1 face has fewer than 3 corners and is left out: face 0 (line 7)";
    assert_eq!(face("2 0 1"), format!("model.off: mesh has no triangles ({few})"));
    assert_eq!(face("3.5 0 1 2"), "model.off: face 0 (line 7): '3.5' is not a number of corners");
}

/// The first bytes of a file say what it is when its extension does not.
#[test]
fn files_with_the_extension_of_another_format() {
    let ply = format!("ply\nformat ascii 1.0\n{PLY}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    let obj = format!("# a comment\n{CORNER}f 1 2 3\n");
    let text_stl = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
                    endsolid x\n";
    let off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let gltf = include_bytes!("../../../../fuzz/seeds/mesh_gltf/text.gltf");
    let glb = include_bytes!("../../../../fuzz/seeds/mesh_gltf/container.glb");
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0]].map(DVec3::from);
    let saved = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap().to_bytes();
    let stl = binary_stl(1, &[[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]]);
    let files: [(&str, &str, &[u8]); 8] = [
        ("ply", "a PLY file: rename it to .ply", ply.as_bytes()),
        ("obj", "an OBJ file: rename it to .obj", obj.as_bytes()),
        ("stl", "an STL file: rename it to .stl", text_stl.as_bytes()),
        ("stl", "an STL file: rename it to .stl", &stl),
        ("off", "an OFF file: rename it to .off", off.as_bytes()),
        ("gltf", "a glTF file: rename it to .gltf", gltf),
        ("glb", "a binary glTF file: rename it to .glb", glb),
        ("hitmesh", "a saved mesh file: rename it to .hitmesh", &saved),
    ];
    let folder = Folder::new();
    for (own, message, bytes) in files {
        assert!(read_mesh(&folder.file(&format!("good.{own}"), bytes)).is_ok(), "{own}");
        for extension in ["ply", "obj", "stl", "off", "glb", "hitmesh"] {
            let name = format!("m.{extension}");
            if extension == own || (own == "gltf" && extension == "glb") {
                continue;
            }
            assert_eq!(error(&name, bytes), format!("{name}: by its content this is {message}"), "{own}");
        }
    }
    // Nothing that a file begins with hides an error of its own format.
    assert_eq!(
        error("a.ply", ply.replace("0 1 2", "0 1 9")),
        "a.ply: face 0 (line 13): vertex index 9 out of range (3 vertices)"
    );
}

#[test]
fn notes_name_what_was_ignored() {
    let folder = Folder::new();
    let ply = format!("ply\nformat ascii 1.0\n{PLY}0 0 0\n1 0 0 7\n0 1 0\n3 0 1 2\n");
    let path = folder.file("m.ply", &ply);
    let note = "1 row has values behind its last one, which are ignored: vertex 1 (line 11)";
    assert_eq!(MeshFile::open(&path).unwrap().notes(), [note]);
    let scene = SceneFile::open(&folder.file("s.toml", "[[shape]]\ntype = 'mesh'\nfile = 'm.ply'")).unwrap();
    assert_eq!(scene.notes(), [format!("m.ply: {note}")]);
    let clean = MeshFile::open(&folder.file("n.ply", ply.replace(" 7", ""))).unwrap();
    assert!(clean.notes().is_empty());
}

/// Both triangles of a square have their own corners, which differ in the last digits: one mesh file, in two shapes.
#[test]
fn a_scene_welds_its_meshes() {
    let folder = Folder::new();
    folder.file("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1e-7 0\nv 1 1 0\nv -1e-7 1 0\nf 1 2 3\nf 4 5 6\n");
    let shape = "[[shape]]\ntype = 'mesh'\nfile = 'm.obj'\ntransform.translation = [";
    let mut scene = SceneFile::open(&folder.file("s.toml", format!("{shape}0, 0, 0]\n{shape}0, 0, 1]"))).unwrap();
    let report = scene.weld(1e-6).unwrap();
    assert_eq!((report.merged_vertices, report.dropped_triangles), (2, 0), "the file counts once");
    for shape in 0..2 {
        assert_eq!(scene.mesh(shape).unwrap().data().triangles, [[0, 1, 2], [1, 3, 2]]);
    }
    assert_eq!((scene.precision(), scene.build::<DVec3>().is_ok()), (Precision::F32, true));
    let error = scene.weld(10.0).unwrap_err();
    assert_eq!(
        folder.message(&error),
        "s.toml: shape 0 (line 3): welding with tolerance 10.0 leaves no triangle (use a smaller one)"
    );
    assert!(error.source().is_some_and(<dyn Error>::is::<WeldError>));
    assert_eq!(scene.mesh(0).unwrap().data().vertices.len(), 4, "as it was");
}

#[test]
fn an_error_has_its_parts() {
    let folder = Folder::new();
    let error = read_mesh(&folder.file("a.obj", format!("{CORNER}f 1 2 9"))).unwrap_err();
    assert!(error.file().ends_with("a.obj"));
    assert_eq!(error.place(), &Place::Face { face: 0, line: Some(4) });
    assert_eq!(error.io_kind(), None);
}

#[test]
fn written_meshes_read_back_as_the_same_bits() {
    let folder = Folder::new();
    let fine = MeshData {
        vertices: vec![[0.1, -1e300, 5e-324], [1.0 / 3.0, 2.0, -0.0], [0.0, 1e16, 4.0]],
        triangles: vec![[0, 1, 2], [2, 1, 0]],
        precision: Precision::F64,
    };
    let mut coarse = fine.clone();
    coarse.vertices[0] = [f64::from(0.1_f32), f64::from(f32::MAX), f64::from(f32::from_bits(1))];
    coarse.vertices[1][0] = 0.25;
    coarse.vertices[2][1] = 3.0;
    coarse.precision = Precision::F32;
    for mesh in [fine, coarse] {
        let (ply, obj) = (folder.path("m.ply"), folder.path("m.obj"));
        write_ply(&ply, &mesh).unwrap();
        write_obj(&obj, &mesh).unwrap();
        for path in [ply, obj] {
            let back = read_mesh(&path).unwrap();
            assert_eq!(back, mesh);
            assert!(back.vertices[1][2].is_sign_negative() == mesh.vertices[1][2].is_sign_negative());
        }
    }
    assert_eq!(folder.names(), ["m.obj", "m.ply"]);
}

/// The mesh without its tree, in the precision of its numbers; the errors of the library.
#[test]
fn saved_meshes() {
    let folder = Folder::new();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0]];
    let triangles = vec![[0, 1, 2]];
    let single = TriangleMesh::new(corners.map(|p| DVec3::from(p).as_vec3()).to_vec(), triangles.clone()).unwrap();
    let double = TriangleMesh::new(corners.map(DVec3::from).to_vec(), triangles.clone()).unwrap();
    let mesh = MeshData { vertices: corners.to_vec(), triangles: triangles.clone(), precision: Precision::F32 };
    assert_eq!(read_mesh(&folder.file("a.hitmesh", single.to_bytes())).unwrap(), mesh);
    assert_eq!(read_mesh(&folder.file("a.hitmesh", double.to_bytes())).unwrap(), mesh);
    let wide = TriangleMesh::new(corners.map(|p| DVec3::from(p) * 0.1).to_vec(), triangles).unwrap();
    assert_eq!(read_mesh(&folder.file("a.hitmesh", wide.to_bytes())).unwrap().precision, Precision::F64);
    assert_eq!(error("a.hitmesh", ""), "a.hitmesh: empty file");
    assert_eq!(error("a.hitmesh", "mesh\n"), "a.hitmesh: not a saved mesh: it does not begin as one");
    assert_eq!(error("a.hitmesh", &single.to_bytes()[..9]), "a.hitmesh: 9 bytes in place of 40");
}

#[test]
fn precision_is_that_of_the_numbers() {
    let folder = Folder::new();
    let precision =
        |x: &str| read_mesh(&folder.file("a.obj", format!("{CORNER}f 1 2 3\nv {x} 0 0"))).unwrap().precision;
    assert_eq!(precision("0.5"), Precision::F32);
    assert_eq!(precision("0.1"), Precision::F64);
    assert_eq!(precision("1e300"), Precision::F64);
}

/// On these machines only: see `shared/data/README.md`.
#[test]
fn real_meshes() {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/meshes");
    if !meshes.is_dir() {
        println!("skipped: ../shared/data absent");
        return;
    }
    let folder = Folder::new();
    for (name, triangles) in [("bunny", 69_451), ("sponza", 279_162), ("dragon", 871_306), ("kitchen", 1_443_298)] {
        let start = std::time::Instant::now();
        let mesh = read_mesh(&meshes.join(name).with_extension("ply")).unwrap();
        println!("{name}: {:?}", start.elapsed());
        assert_eq!((mesh.triangles.len(), mesh.precision), (triangles, Precision::F32), "{name}");
        if name == "bunny" {
            let (ply, obj) = (folder.path("bunny.ply"), folder.path("bunny.obj"));
            write_ply(&ply, &mesh).unwrap();
            write_obj(&obj, &mesh).unwrap();
            assert_eq!(read_mesh(&ply).unwrap(), mesh);
            assert_eq!(read_mesh(&obj).unwrap(), mesh);
        }
    }
}
