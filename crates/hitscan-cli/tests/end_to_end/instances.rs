//! Answers and pictures of objects that a transform places.

use crate::support::{Folder, csv_column};
use serde_json::Value;

/// The tetrahedron x, y, z >= 0, x + y + z <= 1 under (x, y, z) -> (2 x + 50, -2 y, 2 z).
const SCENE: &str = "\
[[geometry]]\nname = 'tetra'\ntype = 'mesh'\nfile = 'tetra.obj'\n\n\
[[object]]\nname = 'near'\ngeometry = 'tetra'\n\n\
[[object]]\nname = 'far'\ngeometry = 'tetra'\ntransform = { matrix = [[2, 0, 0, 50], [0, -2, 0, 0], [0, 0, 2, 0]] }\n";

/// At x = y = 0.25 of the tetrahedron.
const RAY: &str = "--ray 50.5,-0.5,-1,0,0,1";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    folder.file("scene.toml", SCENE);
    folder
}

#[test]
fn a_placed_object_is_cast_described_and_explained() {
    let folder = folder("instances-cast");
    let all = folder.done(&format!("cast scene.toml {RAY} --query all --format csv"));
    assert_eq!(csv_column(&all, "t"), ["1", "2"]);
    for (column, value) in [("shape", "far"), ("object", "1"), ("instance", "1")] {
        assert_eq!(csv_column(&all, column), [value, value], "{column}");
    }
    assert_eq!(csv_column(&all, "front"), ["true", "false"]);
    let spans = folder.done(&format!("cast scene.toml {RAY} --query spans --format csv"));
    assert_eq!(csv_column(&spans, "end"), ["enter", "exit"]);
    let missed = folder.done(&format!("cast scene.toml {RAY} --query any --ignore far --format csv"));
    assert_eq!(missed, "ray,hit\n0,false\n");
    let info: Value = serde_json::from_str(&folder.done("info scene.toml --format json")).unwrap();
    let corner = |corner: &str| -> Vec<f64> {
        let numbers = info["shapes"][1]["bounds"][corner].as_array().unwrap();
        numbers.iter().map(|x| x.as_f64().unwrap().round()).collect()
    };
    assert_eq!((corner("min"), corner("max")), (vec![50.0, -2.0, 0.0], vec![52.0, 0.0, 2.0]));
    let explained = folder.done(&format!("explain scene.toml {RAY}"));
    assert!(explained.starts_with("hit: far (mesh, object 1) at t = 1, "), "{explained}");
    assert!(explained.contains("\nnear (mesh, shape 0): missed, by the whole line\n"), "{explained}");
}

#[test]
fn conversion_keeps_the_answers() {
    let folder = folder("instances-convert");
    folder.done("convert scene.toml -o out.toml");
    let cast = |scene: &str| folder.done(&format!("cast {scene} {RAY} --query all --format csv"));
    assert_eq!(cast("scene.toml"), cast("out.toml"));
}

fn pixels(folder: &Folder, name: &str) -> Vec<u8> {
    let bytes = folder.read(name);
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes[..])).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// A stretched sphere looks like an ellipsoid, a stretched circle like an ellipse: all but a few pixels, for the boxes of
/// both may differ by a rounding.
#[test]
fn instances_are_drawn() {
    let folder = Folder::new("instances-render");
    let stretched = "center = [1, 0, 0]\nradius = 1\ntransform.scale = [2, 0.5, 1]\n";
    // Not in the middle of the picture: there a row of rays along the axis would hit or miss by the last digit of a box.
    let flat = "center = [1.25, 0.25]\nradius = 1\ntransform.scale = [2, 0.5]\n";
    folder.file("a3.toml", format!("[[shape]]\ntype = 'sphere'\n{stretched}"));
    folder.file("b3.toml", "[[shape]]\ntype = 'ellipsoid'\ncenter = [2, 0, 0]\nradii = [2, 0.5, 1]\n");
    folder.file("a2.toml", format!("dimension = 2\n[[shape]]\ntype = 'circle'\n{flat}"));
    folder.file("b2.toml", "dimension = 2\n[[shape]]\ntype = 'ellipse'\ncenter = [2.5, 0.125]\nradii = [2, 0.5]\n");
    for dimension in [2, 3] {
        let picture = |name: &str| {
            folder.done(&format!("render {name}{dimension}.toml --width 90 --height 60 --samples 1 -o {name}.png"));
            pixels(&folder, &format!("{name}.png"))
        };
        let (a, b) = (picture("a"), picture("b"));
        let differ = a.iter().zip(&b).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(differ <= 30, "{dimension}D: {differ} of {} differ", a.len());
    }
    // As a drawing, too: the ellipse is a polygon under the transform.
    folder.done("render a2.toml -o a.svg");
    let svg = String::from_utf8(folder.read("a.svg")).unwrap();
    assert!(svg.contains("<polygon ") && !svg.contains("<ellipse "), "{svg}");
}
