//! Errors of scene files: one line with the file, the shape and the line.

use crate::support::Folder;
use hitscan::glam::{DVec3, Vec2, Vec3};
use hitscan_io::{Place, SceneFile, shape_from_table};

fn message(text: &str) -> String {
    SceneFile::parse_toml("scene.toml", text).unwrap_err().to_string()
}

/// Of one shape: its keys stand on the lines from 2 on.
fn shape(text: &str) -> String {
    message(&format!("[[shape]]\n{text}"))
}

/// Of a valid sphere with one more line, the fifth.
fn sphere_with(line: &str) -> String {
    shape(&format!("type = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n{line}"))
}

#[test]
fn of_the_document() {
    assert_eq!(message(""), "scene.toml: no shapes");
    assert_eq!(message("dimension = 2\nshape = []"), "scene.toml: no shapes");
    assert_eq!(message("dimension = 4"), "scene.toml: line 1: dimension must be 2 or 3");
    assert_eq!(message("dimension = 3.0"), "scene.toml: line 1: dimension must be 2 or 3");
    assert_eq!(message("\n[[shapes]]"), "scene.toml: line 2: unknown key 'shapes' (did you mean 'shape'?)");
    assert_eq!(
        message("units = 'm'"),
        "scene.toml: line 1: unknown key 'units' (known: dimension, layers, shape, geometry, object)"
    );
    assert_eq!(message("\n\n[shape]"), "scene.toml: line 3: 'shape' must be a list of tables: write [[shape]]");
    assert_eq!(message("shape = [1]"), "scene.toml: line 1: shape 0 must be a table, got a number");
}

#[test]
fn of_the_syntax() {
    assert_eq!(
        message("dimension = 3\n\nshape = [1, 2"),
        "scene.toml: line 3, column 14: unclosed array, expected `]`"
    );
    assert_eq!(message("[[shape]]\nradius = 1\nradius = 2"), "scene.toml: line 3, column 1: duplicate key");
    let error = SceneFile::parse_toml("scene.toml", "é = =").unwrap_err();
    assert_eq!(error.place(), &Place::Character { line: 1, column: 5 });
}

#[test]
fn of_types_and_keys() {
    assert_eq!(
        shape("type = 'spere'"),
        "scene.toml: shape 0 (line 2): unknown type 'spere' (known: box, capsule, cone, convex_hull, cylinder, disk, \
         ellipsoid, frustum, group, half_space, mesh, plane, prism, quad, solid, sphere, tapered_capsule, triangle)"
    );
    assert_eq!(
        message("dimension = 2\n[[shape]]\ntype = 'sphere'"),
        "scene.toml: shape 0 (line 3): type 'sphere' needs a scene with dimension = 3 (known here: capsule, circle, \
         ellipse, group, half_plane, line, polygon, rectangle, segment, solid, tapered_capsule, triangle)"
    );
    assert_eq!(shape("radius = 1"), "scene.toml: shape 0 (line 1): missing 'type'");
    assert_eq!(shape("type = 3"), "scene.toml: shape 0 (line 2): 'type' needs a string, got a number");
    assert_eq!(shape("type = 'sphere'\ncenter = [0, 0, 0]"), "scene.toml: shape 0 (line 1): missing 'radius'");
    assert_eq!(
        shape("type = 'sphere'\ncenter = [0, 0, 0]\nradious = 1"),
        "scene.toml: shape 0 (line 4): unknown key 'radious' (did you mean 'radius'?)"
    );
    assert_eq!(
        sphere_with("colour = 'red'"),
        "scene.toml: shape 0 (line 5): unknown key 'colour' (known: center, radius, type, name, layer, layers, trigger, \
         faces, inside, transform)"
    );
}

#[test]
fn of_numbers() {
    let center = |text: &str| shape(&format!("type = 'sphere'\ncenter = {text}\nradius = 1"));
    assert_eq!(center("[0, 0]"), "scene.toml: shape 0 (line 3): 'center' needs 3 numbers, got 2");
    assert_eq!(center("0"), "scene.toml: shape 0 (line 3): 'center' needs 3 numbers, got a number");
    assert_eq!(center("[0, 'a', 0]"), "scene.toml: shape 0 (line 3): 'center' needs a number, got a string");
    assert_eq!(center("[0,\n\n true, 0]"), "scene.toml: shape 0 (line 5): 'center' needs a number, got a boolean");
    assert_eq!(center("[0, 0, nan]"), "scene.toml: shape 0 (line 3): center must be finite");
    assert_eq!(center("[0, -inf, 0]"), "scene.toml: shape 0 (line 3): center must be finite");
    assert_eq!(
        center("[0, 1e999, 0]"),
        "scene.toml: shape 0 (line 3): 'center' needs a number, got a number too large"
    );
    assert_eq!(
        center("[0, 9007199254740993, 0]"),
        "scene.toml: shape 0 (line 3): 'center' has 9007199254740993: whole numbers beyond 2^53 may not be exact (write \
         9007199254740993.0 for the nearest)"
    );
    let radius = |text: &str| shape(&format!("type = 'sphere'\nname = 'ball'\ncenter = [0, 0, 0]\nradius = {text}"));
    assert_eq!(radius("0"), "scene.toml: shape 0 'ball' (line 5): radius must be greater than 0");
    assert_eq!(radius("[1]"), "scene.toml: shape 0 'ball' (line 5): 'radius' needs a number, got a list");
    assert_eq!(radius("1979-05-27"), "scene.toml: shape 0 'ball' (line 5): 'radius' needs a number, got a date");
}

#[test]
fn of_geometry() {
    assert_eq!(
        shape("type = 'triangle'\na = [0, 0, 0]\nb = [1, 0, 0]\nc = [2, 0, 0]"),
        "scene.toml: shape 0 (line 1): a, b, c must not all lie on one line"
    );
    assert_eq!(
        shape("type = 'cylinder'\na = [0, 0, 0]\nb = [0, 0, 0]\nradius = 1"),
        "scene.toml: shape 0 (line 4): b must differ from a"
    );
    assert_eq!(
        shape("type = 'box'\ncenter = [0, 0, 0]\nhalf_extents = [1, 1, 1]\naxes = [[1, 0, 0], [0, 1, 0]]"),
        "scene.toml: shape 0 (line 5): axes: 2 axes given, 3 needed"
    );
    assert_eq!(
        shape("type = 'box'\ncenter = [0, 0, 0]\nhalf_extents = [1, 1, 1]\naxes = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]"),
        "scene.toml: shape 0 (line 5): axes: axis 0 is not of length 1"
    );
    assert_eq!(
        message("dimension = 2\n[[shape]]\ntype = 'polygon'\nvertices = [[0, 0], [4, 0], [1, 1], [0, 4]]"),
        "scene.toml: shape 0 (line 4): vertices must go once around a convex polygon"
    );
    assert_eq!(
        message("dimension = 2\n[[shape]]\ntype = 'polygon'\nvertices = 3"),
        "scene.toml: shape 0 (line 4): 'vertices' needs a list of points, got a number"
    );
}

#[test]
fn of_names_and_layers() {
    let ball = "[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\nname = 'x'\n";
    assert_eq!(message(&ball.repeat(2)), "scene.toml: shape 1 'x' (line 10): two shapes are named 'x'");
    assert_eq!(sphere_with("name = ''"), "scene.toml: shape 0 (line 5): 'name' must not be empty");
    assert_eq!(sphere_with("name = 7"), "scene.toml: shape 0 (line 5): 'name' needs a string, got a number");
    assert_eq!(
        sphere_with("name = \"a\\nb\""),
        "scene.toml: shape 0 (line 5): 'name' must be one line of text, got 'a b'"
    );
    assert_eq!(sphere_with("layer = 32"), "scene.toml: shape 0 (line 5): 'layer' has 32: layers are 0 to 31");
    assert_eq!(
        sphere_with("layer = 1.0"),
        "scene.toml: shape 0 (line 5): 'layer' needs whole numbers from 0 to 31, got a fraction"
    );
    assert_eq!(sphere_with("layers = []"), "scene.toml: shape 0 (line 5): 'layers' needs at least one layer");
    assert_eq!(sphere_with("layers = [0, -1]"), "scene.toml: shape 0 (line 5): 'layers' has -1: layers are 0 to 31");
    assert_eq!(sphere_with("layers = 1"), "scene.toml: shape 0 (line 5): 'layers' needs a list, got a number");
    assert_eq!(
        sphere_with("layer = 0\nlayers = [1]"),
        "scene.toml: shape 0 (line 6): 'layer' and 'layers' cannot both be given"
    );
}

#[test]
fn of_layer_names() {
    let with = |layers: &str, line: &str| {
        message(&format!("[layers]\n{layers}\n[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n{line}"))
    };
    let names = "trees = 3\nrocks = 4";
    let at = "scene.toml: shape 0 (line 8): ";
    assert_eq!(with(names, "layer = 'tree'"), format!("{at}unknown layer 'tree' (did you mean 'trees'?)"));
    assert_eq!(with(names, "layers = [0, 'walls']"), format!("{at}unknown layer 'walls' (known: trees, rocks)"));
    assert_eq!(with(names, "layers = ['trees', 32]"), format!("{at}'layers' has 32: layers are 0 to 31"));
    assert_eq!(
        sphere_with("layer = 'trees'"),
        "scene.toml: shape 0 (line 5): unknown layer 'trees' (the scene names no layers: use 0 to 31)"
    );
    let ball = "[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n";
    assert_eq!(
        message(&format!("{ball}[[object]]\ngeometry = 'ball'\nlayer = 'x'\n[layers]\ny = 1")),
        "scene.toml: object 0 (line 8): unknown layer 'x' (known: y)"
    );
    for (table, problem) in [
        ("[layers]\ntrees = 32", "line 2: 'trees' has 32: layers are 0 to 31"),
        ("[layers]\n\ntrees = 'x'", "line 3: 'trees' needs whole numbers from 0 to 31, got a string"),
        ("[layers]\na = 3\nb = 3", "line 3: 'a' and 'b' are both layer 3: drop one"),
        ("[layers]\na = 3\na = 4", "line 3, column 1: duplicate key"),
        ("layers = [0, 3]", "line 1: 'layers' needs a table of names and numbers, got a list"),
    ] {
        assert_eq!(message(table), format!("scene.toml: {problem}"));
    }
    for name in ["", " ", " a", "a,b", "a\\nb", "4", "-1", "1e3"] {
        let message = message(&format!("[layers]\n\"{name}\" = 3"));
        let rule = "the name of a layer needs one line of text, which is no number and has no comma, got ";
        assert!(message.starts_with(&format!("scene.toml: line 2: {rule}'")), "{message}");
    }
}

#[test]
fn of_rules() {
    let at = "scene.toml: shape 0 (line 5): ";
    assert_eq!(sphere_with("trigger = 1"), format!("{at}'trigger' needs true or false, got a number"));
    assert_eq!(sphere_with("trigger = 'yes'"), format!("{at}'trigger' needs true or false, got a string"));
    assert_eq!(sphere_with("faces = true"), format!("{at}'faces' needs a string, got a boolean"));
    assert_eq!(sphere_with("faces = 'fron'"), format!("{at}'faces': unknown word 'fron' (did you mean 'front'?)"));
    assert_eq!(sphere_with("faces = 'all'"), format!("{at}'faces': unknown word 'all' (known: both, front, back)"));
    assert_eq!(
        sphere_with("inside = 'Hollow'"),
        format!("{at}'inside': unknown word 'Hollow' (did you mean 'hollow'?)")
    );
    assert_eq!(sphere_with("inside = 'empty'"), format!("{at}'inside': unknown word 'empty' (known: solid, hollow)"));
}

#[test]
fn of_transforms() {
    let transform = |text: &str| sphere_with(&format!("transform = {{ {text} }}"));
    let at = "scene.toml: shape 0 (line 5): ";
    assert_eq!(transform("scale = 0"), format!("{at}scale must not be 0"));
    assert_eq!(transform("scale = [1, 0, 1]"), format!("{at}scale must not be 0"));
    assert_eq!(transform("scale = [1, 1]"), format!("{at}'scale' needs 3 numbers, got 2"));
    assert_eq!(transform("scale = '2'"), format!("{at}'scale' needs a number, got a string"));
    assert_eq!(transform("translation = [1, 2]"), format!("{at}'translation' needs 3 numbers, got 2"));
    assert_eq!(transform("rotation = 30"), format!("{at}'rotation' needs a table, got a number"));
    assert_eq!(transform("rotation = { degrees = 30 }"), format!("{at}'rotation': missing 'axis'"));
    assert_eq!(transform("rotation = { axis = [0, 0, 1] }"), format!("{at}'rotation': missing 'degrees'"));
    assert_eq!(
        transform("rotation = { axis = [0, 0, 0], degrees = 3 }"),
        format!("{at}rotation: axis must not be the zero vector")
    );
    assert_eq!(
        transform("rotation = { axis = [0, 0, 1], degree = 3 }"),
        format!("{at}'rotation': unknown key 'degree' (did you mean 'degrees'?)")
    );
    assert_eq!(
        transform("rotate = {}"),
        format!("{at}'transform': unknown key 'rotate' (known: matrix, translation, rotation, scale)")
    );
}

#[test]
fn of_matrices() {
    let matrix = |text: &str| sphere_with(&format!("transform = {{ matrix = {text} }}"));
    let at = "scene.toml: shape 0 (line 5): ";
    assert_eq!(matrix("1"), format!("{at}'matrix' needs 3 rows of 4 numbers, got a number"));
    assert_eq!(matrix("[[1, 0, 0, 0]]"), format!("{at}'matrix' needs 3 rows of 4 numbers, got 1"));
    let rows = |row: &str| matrix(&format!("[[1, 0, 0, 0], {row}, [0, 0, 1, 0]]"));
    assert_eq!(rows("[0, 1, 0]"), format!("{at}'matrix' needs 3 rows of 4 numbers, got a row of 3"));
    assert_eq!(rows("2"), format!("{at}'matrix' needs 3 rows of 4 numbers, got a number"));
    assert_eq!(rows("[0, inf, 0, 0]"), format!("{at}matrix must be finite"));
    assert_eq!(rows("[0, 'a', 0, 0]"), format!("{at}'matrix' needs a number, got a string"));
    assert_eq!(
        rows("[0, 1, 0, 0]], scale = 2, more = [[0]"),
        format!("{at}'transform': unknown key 'more' (known: matrix, translation, rotation, scale)")
    );
    let both = sphere_with("transform.scale = 2\ntransform.matrix = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]");
    assert_eq!(both, format!("{at}'transform': 'matrix' and 'scale' cannot both be given"));
    let flat =
        "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [0, 0]\nradius = 1\ntransform.matrix = [[1, 0], [0, 1]]";
    assert_eq!(message(flat), "scene.toml: shape 0 (line 6): 'matrix' needs 2 rows of 3 numbers, got a row of 2");
    let large = "[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n\
                 transform.matrix = [[1e300, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]";
    let large = SceneFile::parse_toml("scene.toml", large).unwrap();
    assert!(large.build::<DVec3>().is_ok());
    let message = large.build::<Vec3>().unwrap_err().to_string();
    assert_eq!(message, format!("{at}transform is too large for f32"));
}

#[test]
fn of_geometries_and_objects() {
    let ball = "[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n";
    let with = |text: &str| message(&format!("{ball}{text}"));
    assert_eq!(message(ball), "scene.toml: no shapes: a [[geometry]] needs an [[object]] that places it");
    assert_eq!(with("[[object]]"), "scene.toml: object 0 (line 6): missing 'geometry'");
    assert_eq!(
        with("[[object]]\nname = 'x'\ngeometry = 'bal'"),
        "scene.toml: object 0 'x' (line 8): unknown geometry 'bal' (did you mean 'ball'?)"
    );
    assert_eq!(
        with("[[object]]\ngeometry = 'cube'"),
        "scene.toml: object 0 (line 7): unknown geometry 'cube' (known: ball)"
    );
    assert_eq!(
        message("[[object]]\ngeometry = 'cube'"),
        "scene.toml: object 0 (line 2): unknown geometry 'cube' (there is none)"
    );
    assert_eq!(
        with("[[object]]\ngeometry = 1"),
        "scene.toml: object 0 (line 7): 'geometry' needs a string, got a number"
    );
    assert_eq!(
        with("[[object]]\ngeometry = 'ball'\nradius = 2"),
        "scene.toml: object 0 (line 8): unknown key 'radius' (known: geometry, name, layer, layers, \
         trigger, faces, inside, transform)"
    );
    let placed = "[[object]]\ngeometry = 'ball'\nname = 'x'\n";
    let twice = with(&format!("{ball}{placed}"));
    assert_eq!(twice, "scene.toml: geometry 1 'ball' (line 7): two geometries are named 'ball'");
    assert_eq!(message("[[geometry]]\ntype = 'sphere'\n[[object]]"), "scene.toml: geometry 0 (line 1): missing 'name'");
    assert_eq!(
        message("[[geometry]]\nname = ' '\n[[object]]"),
        "scene.toml: geometry 0 (line 2): 'name' must not be empty"
    );
    let twice = with(&placed.repeat(2));
    assert_eq!(twice, "scene.toml: object 1 'x' (line 11): two shapes are named 'x'");
    let shape = "[[shape]]\nname = 'x'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1";
    assert_eq!(with(&format!("{placed}{shape}")), "scene.toml: shape 0 'x' (line 10): two shapes are named 'x'");
    assert_eq!(
        with(&format!("{placed}layer = 32")),
        "scene.toml: object 0 'x' (line 9): 'layer' has 32: layers are 0 to 31"
    );
    assert_eq!(with(&format!("{placed}transform.scale = 0")), "scene.toml: object 0 'x' (line 9): scale must not be 0");
    let geometry = |line: &str| message(&format!("{ball}{line}\n{placed}"));
    assert_eq!(geometry("layers = [1]"), "scene.toml: geometry 0 'ball' (line 6): 'layers' belongs to [[object]]");
    assert_eq!(geometry("trigger = true"), "scene.toml: geometry 0 'ball' (line 6): 'trigger' belongs to [[object]]");
    assert_eq!(
        geometry("transform.scale = [1, 2, 3]"),
        "scene.toml: geometry 0 'ball' (line 6): 'transform': the image is of no type (give it to [[object]])"
    );
    assert_eq!(
        geometry("height = 3"),
        "scene.toml: geometry 0 'ball' (line 6): unknown key 'height' (known: center, radius, type, name, transform)"
    );
    assert_eq!(message("[object]"), "scene.toml: line 1: 'object' must be a list of tables: write [[object]]");
    assert_eq!(message("geometry = [2]"), "scene.toml: line 1: geometry 0 must be a table, got a number");
    // A geometry without an object is checked, too.
    let unused = format!("{}{placed}", [ball, &ball.replace("'ball'", "'other'").replace("= 1", "= -1")].concat());
    assert_eq!(message(&unused), "scene.toml: geometry 1 'other' (line 10): radius must be greater than 0");
}

#[test]
fn of_meshes_and_files() {
    let folder = Folder::new();
    let scene = |text: &str| SceneFile::open(&folder.file("scene.toml", text)).unwrap_err();
    let mesh = "[[shape]]\ntype = 'mesh'\nname = 'rock'\n";
    let missing = scene(&format!("{mesh}file = 'rock.obj'"));
    assert_eq!(folder.message(&missing), "scene.toml: shape 0 'rock' (line 4): rock.obj: No such file or directory");
    folder.file("bad.obj", "v 0 0 0\nf 1 2 3");
    assert_eq!(
        folder.message(&scene(&format!("{mesh}file = 'bad.obj'"))),
        "scene.toml: shape 0 'rock' (line 4): bad.obj: face 0 (line 2): vertex index 3 out of range (1 vertices)"
    );
    assert_eq!(
        folder.message(&scene(&format!("{mesh}file = 'rock.fbx'"))),
        "scene.toml: shape 0 'rock' (line 4): rock.fbx: unknown mesh format (known are .obj, .stl, .ply, .off, .gltf, .glb and .hitmesh)"
    );
    assert_eq!(folder.message(&scene(mesh)), "scene.toml: shape 0 'rock' (line 1): missing 'file'");
    folder.file("good.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3");
    assert_eq!(
        folder.message(&scene(&format!("{mesh}file = 'good.obj'\ntransform.scale = [1, 0, 1]"))),
        "scene.toml: shape 0 'rock' (line 5): scale must not be 0"
    );
    let binary = SceneFile::open(&folder.file("binary.toml", b"# fine\n\xff")).unwrap_err();
    assert_eq!(folder.message(&binary), "binary.toml: line 2: not UTF-8 text");
    let other = SceneFile::open(&folder.path("scene.json")).unwrap_err();
    assert_eq!(
        folder.message(&other),
        "scene.json: unknown scene format (known are .toml, .hitscene, .obj, .stl, .ply, .off, .gltf, .glb and .hitmesh)"
    );
    let absent = SceneFile::open(&folder.path("absent.toml")).unwrap_err();
    assert_eq!(folder.message(&absent), "absent.toml: No such file or directory");
}

#[test]
fn of_building() {
    let scene = |center: &str, radius: &str| {
        let text = format!("[[shape]]\ntype = 'sphere'\ncenter = {center}\nradius = {radius}");
        SceneFile::parse_toml("scene.toml", &text).unwrap()
    };
    let wrong = scene("[0, 0, 0]", "1").build::<Vec2>().unwrap_err();
    assert_eq!(wrong.to_string(), "scene.toml: the scene has 3 dimensions, not 2");
    let large = scene("[0, 1e300, 0]", "1");
    assert!(large.build::<DVec3>().is_ok());
    let message = large.build::<Vec3>().unwrap_err().to_string();
    assert_eq!(message, "scene.toml: shape 0 (line 3): center is too large for f32");
    let message = scene("[0, 0, 0]", "1e-60").build::<Vec3>().unwrap_err().to_string();
    assert_eq!(message, "scene.toml: shape 0 (line 4): radius is too small: it rounds to 0");
    let of_table = |text: &str| {
        let table = text.parse().unwrap();
        shape_from_table::<Vec3>("cases.toml".as_ref(), &table).unwrap_err().to_string()
    };
    let ball = "type = 'sphere'\nname = 'ball'\ncenter = [0, 0, 0]\nradius =";
    assert_eq!(of_table(&format!("{ball} -1")), "cases.toml: shape 0 'ball': radius must be greater than 0");
    assert_eq!(
        of_table(&format!("{ball} 1\ntransform.scale = -1")),
        "cases.toml: shape 0 'ball': 'transform': the image is of no type (only a scene can hold it)"
    );
}

/// The error of the library, of the TOML parser or of a mesh file is the source of the error of the scene.
#[test]
fn errors_have_their_sources() {
    use hitscan::{SceneError, ShapeError};
    use std::error::Error;
    let sphere = "[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nname = 'x'\nradius = ";
    let error = |text: &str| SceneFile::parse_toml("scene.toml", text).unwrap_err();
    assert!(error(&format!("{sphere}-1")).source().unwrap().is::<ShapeError>());
    assert!(error(&format!("{sphere}1\n{sphere}1")).source().unwrap().is::<SceneError>());
    assert!(error("shape = [").source().is_some());
    assert!(error("[[shape]]\ntype = 'spere'").source().is_none(), "nothing else has caused it");
    let mesh = error("[[shape]]\ntype = 'mesh'\nfile = 'absent.obj'");
    let mesh = mesh.source().unwrap();
    assert!(mesh.is::<hitscan_io::Error>() && mesh.source().unwrap().is::<std::io::Error>());
}

#[test]
fn hostile_documents_end_in_an_error() {
    for text in [
        "shape = ".to_owned() + &"[".repeat(100_000),
        "a.".repeat(100_000) + "b = 1",
        "[[shape]]\ntype = '".to_owned() + &"x".repeat(1_000_000) + "'",
        "[[shape]]\n".to_owned() + &"y".repeat(1_000_000) + " = 1",
        "[[shape]]\n".repeat(10_000),
        "\u{feff}[[shape]]".to_owned(),
        "\0".to_owned(),
    ] {
        let message = message(&text);
        assert!(message.len() < 400 && message.starts_with("scene.toml: "), "{message}");
    }
}
