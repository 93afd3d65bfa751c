//! Groups of scene files, from TOML to tables, descriptions and pictures.

use crate::support::{Folder, csv_column};
use serde_json::{Value, json};

/// ```text
///   cart: two wheels of radius 1 at x = 0 and x = 4, and a mesh at x = 2, z from 0 to 1
///   one: the cart at y = 0; two: the cart at y = 10, twice as large
/// ```
const SCENE: &str = "\
[[geometry]]\nname = 'cart'\ntype = 'group'\n\
object = [\n{ geometry = 'wheel' },\n{ geometry = 'wheel', transform = { translation = [4, 0, 0] } },\n]\n\
[[geometry.shape]]\ntype = 'mesh'\nfile = 'tetra.obj'\ntransform.translation = [2, 0, 0]\n\
[[geometry.shape]]\ntype = 'mesh'\nfile = 'tetra.obj'\ntransform.translation = [2, 0, -5]\n\
[[geometry]]\nname = 'wheel'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n\
[[object]]\nname = 'one'\ngeometry = 'cart'\n\
[[object]]\nname = 'two'\ngeometry = 'cart'\ntransform = { scale = 2, translation = [0, 10, 0] }\n";

const RAYS: &str = "ox,oy,oz,dx,dy,dz\n0,0,9,0,0,-1\n4,0,9,0,0,-1\n2.125,0.125,9,0,0,-1\n8,10,9,0,0,-1\n4.25,10.25,9,0,0,-1\n2,9,9,0,0,-1\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    folder.file("scene.toml", SCENE);
    folder.file("rays.csv", RAYS);
    folder
}

#[test]
fn groups_are_cast_described_and_explained() {
    let folder = folder("groups-cast");
    let hits = folder.done("cast scene.toml --rays rays.csv");
    assert_eq!(csv_column(&hits, "shape"), ["one", "one", "one", "two", "two", ""]);
    assert_eq!(csv_column(&hits, "t")[..5], ["8", "8", "8.25", "7", "7.5"]);
    assert_eq!(
        [csv_column(&hits, "object"), csv_column(&hits, "instance")].map(|c| c[..5].concat()),
        ["00011", "00011"]
    );
    assert_eq!(csv_column(&hits, "primitive")[2], "2", "the triangle of the mesh");
    let all = folder.done("cast scene.toml --ray 2.125,0.125,9,0,0,-1 --query all --format csv");
    assert_eq!(csv_column(&all, "shape"), ["one"; 4]);
    let text = folder.done("info scene.toml");
    assert!(text.contains("shapes     2 (2 groups)\n") && text.contains("\ncart      group        2  -"), "{text}");
    let json: Value = serde_json::from_str(&folder.done("info scene.toml --format json")).unwrap();
    assert_eq!(json["geometries"][0]["name"], json!("cart"));
    assert!(json["geometries"][0]["bytes"].as_u64().unwrap() > 2 * (4 * 12 + 4 * 12), "with its meshes: {json}");
    let explained = folder.done("explain scene.toml --ray 8,10,9,0,0,-1");
    assert!(explained.starts_with("hit: two (group, object 1) at t = 7, "), "{explained}");
    folder.file("page.html", "<head></head><body></body>");
    let lab = folder.run("lab scene.toml --page page.html");
    assert_eq!(
        (lab.code, &lab.err[..]),
        (1, "hitscan: scene.toml: the lab has no groups: place their shapes directly\n")
    );
    folder.file("rules.toml", "[[shape]]\ntype = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\ntrigger = true\n");
    let lab = folder.run("lab rules.toml --page page.html");
    let problem = "the lab has no `trigger`, and no `faces` and `inside` of a shape: leave them out";
    assert_eq!((lab.code, lab.err), (1, format!("hitscan: rules.toml: {problem}\n")));
}

#[test]
fn conversion_keeps_groups() {
    let folder = folder("groups-convert");
    let saved = folder.run("convert scene.toml -o a.hitscene");
    let warning = "hitscan: warning: a.hitscene has no names of geometries (cart, wheel)\n";
    assert_eq!((saved.code, &saved.err[..]), (0, warning));
    folder.done("convert a.hitscene -o b.toml");
    folder.done("convert scene.toml -o c.toml");
    let [b, c] = ["b.toml", "c.toml"].map(|name| String::from_utf8(folder.read(name)).unwrap());
    // A saved scene has no names of geometries; the wheel without a transform is a shape of its own then.
    let unnamed = c.replace("cart", "geometry-1").replace("\"wheel\"", "\"geometry-0\"");
    let [placed, shape] = [
        "[[geometry.object]]\ngeometry = \"geometry-0\"\n\n",
        "[[geometry.shape]]\ntype = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n\n",
    ];
    assert_eq!(b.replace("b-0", "c-0"), unnamed.replacen(placed, shape, 1));
    // Two meshes of one group have the number of one object.
    assert!(folder.names().ends_with(&["scene.toml", "tetra.obj"].map(str::to_owned)));
    for mesh in ["c-0.ply", "c-0-1.ply"] {
        assert!(folder.names().contains(&mesh.to_owned()) && c.contains(&format!("file = \"{mesh}\"")), "{c}");
    }
    let tables = [("[[geometry]]", 2), ("[[geometry.object]]", 2), ("[[geometry.shape]]", 2), ("[[object]]", 2)];
    for (table, expected) in tables {
        assert_eq!(c.matches(&format!("{table}\n")).count(), expected, "{table}\n{c}");
    }
    let t = |scene: &str| csv_column(&folder.done(&format!("cast {scene} --rays rays.csv --precision f32")), "t");
    for scene in ["a.hitscene", "b.toml", "c.toml"] {
        assert_eq!(t(scene), t("scene.toml"), "{scene}");
    }
}

#[test]
fn groups_are_drawn() {
    let folder = Folder::new("groups-render");
    let flat = "\
dimension = 2\n\
[[geometry]]\nname = 'pair'\ntype = 'group'\n\
[[geometry.shape]]\ntype = 'circle'\ncenter = [0, 0]\nradius = 1\n\
[[geometry.shape]]\ntype = 'rectangle'\ncenter = [5, 0]\nhalf_extents = [1, 1]\n\
[[object]]\ngeometry = 'pair'\n\
[[object]]\ngeometry = 'pair'\ntransform = { rotation = { degrees = 90 }, translation = [0, 20] }\n";
    folder.file("flat.toml", flat);
    folder.done("render flat.toml -o flat.svg");
    let svg = String::from_utf8(folder.read("flat.svg")).unwrap();
    assert_eq!(svg.matches("<ellipse ").count() + svg.matches("<circle ").count(), 1, "{svg}");
    assert_eq!(svg.matches("<polygon ").count(), 3, "two squares, and a circle under a transform: {svg}");
}
