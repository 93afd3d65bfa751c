//! Solids of scene files, from TOML to tables, descriptions and pictures.

use crate::support::{BALL, Folder, csv_column, refused};
use serde_json::{Value, json};

/// ```text
///   bracket: a plate of x from -2 to 4 and z from -0.25 to 0.25, with bores at x = 0 and x = 2, cut off at x = 3.5
/// ```
const SCENE: &str = "\
[[geometry]]\nname = 'bore'\ntype = 'cylinder'\na = [0, 0, -1]\nb = [0, 0, 1]\nradius = 0.5\n\
[[shape]]\nname = 'bracket'\ntype = 'solid'\nexpression = \"plate - (bore | 'second bore') & ~cut\"\n\
object = [\n{ geometry = 'bore' },\n{ geometry = 'bore', name = 'second bore', transform = { translation = [2, 0, 0] } },\n]\n\
[[shape.shape]]\nname = 'plate'\ntype = 'box'\ncenter = [1, 0, 0]\nhalf_extents = [3, 1, 0.25]\n\
[[shape.shape]]\nname = 'cut'\ntype = 'half_space'\npoint = [3.5, 0, 0]\nnormal = [-1, 0, 0]\n";

const EXPRESSION: &str = "plate - bore - 'second bore' - cut";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("scene.toml", SCENE);
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz\n1,0,9,0,0,-1\n2.25,0,9,0,0,-1\n2,0,0,1,0,0\n-9,0,0,1,0,0\n");
    folder
}

#[test]
fn solids_are_cast() {
    let folder = folder("solids-cast");
    let hits = folder.done("cast scene.toml --rays rays.csv");
    assert_eq!(csv_column(&hits, "shape"), ["bracket", "", "bracket", "bracket"]);
    assert_eq!(csv_column(&hits, "t"), ["8.75", "", "0.5", "7"]);
    assert_eq!(csv_column(&hits, "member"), ["0", "", "2", "0"]);
    let chosen = folder.done("cast scene.toml --rays rays.csv --columns member,t --format jsonl");
    assert!(chosen.starts_with("{\"member\":0,\"t\":8.75}\n{\"member\":null,\"t\":null}\n"), "{chosen}");
    assert_eq!(csv_column(&hits, "nx"), ["0", "", "-1", "-1"], "normals point out of the solid");
    assert_eq!(
        csv_column(&folder.done("cast scene.toml --rays rays.csv --query count"), "count"),
        ["2", "0", "2", "6"]
    );
    let spans = folder.done("cast scene.toml --ray -9,0,0,1,0,0 --query spans --format csv");
    assert_eq!(csv_column(&spans, "t"), ["7", "8.5", "9.5", "10.5", "11.5", "12.5"]);
    let all = folder.done("cast scene.toml --rays rays.csv --query all");
    assert_eq!(csv_column(&all, "ray").concat(), "0022333333");
    let points =
        folder.done("contains scene.toml --point 1,0,0 --point 2,0,0 --point 3.5,0,0 --point 1,0,0.25 --format csv");
    assert_eq!(
        csv_column(&points, "inside"),
        ["true", "false", "false", "true"],
        "the surface of what is cut away is outside"
    );
}

#[test]
fn solids_are_described_and_explained() {
    let folder = folder("solids-info");
    let text = folder.done("info scene.toml");
    assert!(text.contains("shapes     1 (1 solid)\n"), "{text}");
    assert!(text.ends_with(&format!("\nsolid      bracket\nexpression {EXPRESSION}\nleaves     4\n")), "{text}");
    let json: Value = serde_json::from_str(&folder.done("info scene.toml --format json")).unwrap();
    let solid = json!({ "leaves": 4, "expression": EXPRESSION, "names": ["plate", "bore", "second bore", "cut"] });
    assert_eq!((&json["shapes"][0]["solid"], &json["shapes"][0]["type"]), (&solid, &json!("solid")));
    // Surfaces that nearly coincide: the cut at 3.5 and a plate that ends beside it.
    assert!(folder.done("info scene.toml --near 1e-3").ends_with("\nnear       no surfaces that nearly coincide\n"));
    folder.file("near.toml", SCENE.replace("point = [3.5, 0, 0]", "point = [3.9999, 0, 0]"));
    let near = folder.done("info near.toml --near 1e-3");
    assert!(near.contains("\nnear       plate and cut: surfaces are 1.0e-4 apart at ("), "{near}");
    let near: Value = serde_json::from_str(&folder.done("info near.toml --near 1e-3 --format json")).unwrap();
    assert_eq!(near["shapes"][0]["solid"]["near"][0]["leaves"], json!(["plate", "cut"]));
    let negative = folder.run("info near.toml --near=-1");
    assert!(negative.code == 2 && negative.err.contains("not a finite number of at least 0"), "{}", negative.err);
    // Of disjoint shapes, and a complement: without points, and without bounds.
    let nothing = SCENE.replace("plate - (bore | 'second bore') & ~cut", "bore & 'second bore' - plate - cut");
    folder.file("nothing.toml", nothing);
    let text = folder.done("info nothing.toml");
    assert!(text.contains("\nbounds     empty\n") && text.contains("bracket       0  empty\n"), "{text}");
    folder.file("outside.toml", SCENE.replace("plate - (", "~plate - ("));
    let text = folder.done("info outside.toml");
    assert!(text.contains("\nbounds     unbounded\n") && text.contains("bracket       0  unbounded\n"), "{text}");
    let hit = folder.done("explain scene.toml --ray 2,0,0,1,0,0");
    assert!(hit.starts_with("hit: bracket (solid, shape 0) at t = 0.5, "), "{hit}");
    assert!(hit.contains("leaf that decides") && hit.contains("hit: the line enters"), "{hit}");
    let miss = folder.done("explain scene.toml --ray 2.25,0,9,0,0,-1");
    assert!(miss.starts_with("miss: no shape is hit") && miss.contains("missed, by the whole line"), "{miss}");
}

#[test]
fn queries_that_are_not_measured_say_so() {
    let folder = folder("solids-unmeasured");
    let far = folder.run("distance scene.toml --point 1,0,9 --format csv");
    assert_eq!((far.code, csv_column(far.text(), "found")), (0, vec!["false".to_owned()]));
    let warning = "hitscan: warning: 1 point has no answer, for the closest shape may be one that cannot be measured, \
                   a solid of several shapes: bracket\n";
    assert_eq!(far.warnings(), warning);
    // A moving sphere takes the parts for whole, and so meets the plate also above a bore.
    for x in ["1", "2"] {
        let thick = folder.done(&format!("cast scene.toml --ray {x},0,9,0,0,-1 --thick 0.125 --format csv"));
        assert_eq!(csv_column(&thick, "t"), ["8.625"]);
    }
    let point = folder.done("explain scene.toml --point 1,0,9");
    assert!(
        point.starts_with("no answer: ") && point.contains("not measured (a solid of several shapes): its"),
        "{point}"
    );
    let swept = folder.done("explain scene.toml --ray 1,0,9,0,0,-1 --thick 0.125");
    assert!(swept.contains("8.625") && swept.contains(", or what is cut away there"), "{swept}");
    let volume = folder.done("explain scene.toml --sphere 2,0,0,0.25");
    assert!(volume.contains("the overlap may be with what is cut away"), "{volume}");
    // A solid of one shape is measured as that shape.
    let text = format!(
        "[[shape]]\ntype = 'solid'\nname = 'one'\nexpression = 'ball'\n{}",
        BALL.replace("[[shape]]", "[[shape.shape]]")
    );
    folder.file("one.toml", text);
    assert_eq!(csv_column(&folder.done("distance one.toml --point 5,5,9 --format csv"), "distance"), ["3"]);
}

#[test]
fn solids_are_converted() {
    let folder = folder("solids-convert");
    folder.done("convert scene.toml -o a.toml");
    let text = String::from_utf8(folder.read("a.toml")).unwrap();
    assert!(text.contains(&format!("expression = \"{EXPRESSION}\"\n")), "{text}");
    folder.done("convert a.toml -o b.toml");
    assert_eq!(String::from_utf8(folder.read("b.toml")).unwrap(), text);
    let cast = |scene: &str| csv_column(&folder.done(&format!("cast {scene} --rays rays.csv --query all")), "t");
    assert_eq!(cast("a.toml"), cast("scene.toml"));
    let info = folder.done("info a.toml");
    assert!(info.contains(&format!("expression {EXPRESSION}\n")), "{info}");
    folder.file("page.html", "<head></head><body></body>");
    let problem =
        "scene.toml: the lab has no solids of several shapes: `hitscan explain` and `hitscan render` have them";
    refused(&folder.run("lab scene.toml --page page.html"), problem);
    let quad = "[[shape]]\ntype = 'quad'\ncorner = [0, 0, 0]\nedge_u = [1, 0, 0]\nedge_v = [0, 1, 0]\n";
    folder.file("quad.toml", quad);
    refused(
        &folder.run("lab quad.toml --page page.html"),
        "quad.toml: the lab has no quads, hulls and prisms: `hitscan explain` and `hitscan render` have them",
    );
}

#[test]
fn solids_are_drawn() {
    let folder = folder("solids-render");
    folder.done("render scene.toml -o a.png --width 60 --height 40");
    assert!(folder.read("a.png").starts_with(b"\x89PNG"));
    let flat = "dimension = 2\n[[shape]]\nname = 'ring'\ntype = 'solid'\nexpression = 'outer - inner'\nshape = [\n\
        { name = 'outer', type = 'circle', center = [0, 0], radius = 2 },\n\
        { name = 'inner', type = 'circle', center = [0, 0], radius = 1 },\n]\n";
    folder.file("flat.toml", flat);
    folder.done("render flat.toml -o flat.png --width 60 --height 40");
    folder.done("render flat.toml -o flat.svg --width 60 --height 40");
    let svg = String::from_utf8(folder.read("flat.svg")).unwrap();
    assert_eq!(svg.matches("<title>ring</title>").count(), 2, "{svg}");
    // Rows of pixels: the one through the middle has two parts, with the gap of half of the width of the ring.
    let path = svg.lines().find(|line| line.contains("fill-opacity=\"0.28\"")).unwrap();
    let middle: Vec<&str> = path.split('M').filter(|part| part.contains(" 20H")).collect();
    assert_eq!(middle.len(), 2, "{path}");
}

#[test]
fn errors_name_the_solid_and_the_column() {
    let folder = folder("solids-errors");
    folder.file("bad.toml", SCENE.replace("~cut", "~cud"));
    let problem =
        "bad.toml: shape 0 'bracket' (line 10): 'expression', column 35: unknown member 'cud' (did you mean 'cut'?)";
    refused(&folder.run("info bad.toml"), problem);
}
