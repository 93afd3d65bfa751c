//! Distances and containment of points.

use crate::support::{BALL, Folder, csv_column, csv_numbers, in_every_format, page_sessions, refused, write_table};
use test_support::random::Lcg;

const POINTS: usize = 5_000;
const DISTANCE_COLUMNS: &str = "point,found,distance,signed_distance,cx,cy,cz,feature,shape,primitive,u,v";
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const SHAPES: &str = "\
[[shape]]\nname = 'box'\ntype = 'box'\ncenter = [0, 0, 0]\nhalf_extents = [1, 2, 3]\n\n\
[[shape]]\nname = 'ball'\ntype = 'sphere'\ncenter = [5, 5, 5]\nradius = 2\n\n\
[[geometry]]\nname = 'tetra'\ntype = 'mesh'\nfile = 'tetra.obj'\n\n\
[[object]]\nname = 'placed'\ngeometry = 'tetra'\ntransform = { translation = [-5, -4, 0], scale = [4, 3, 2] }\n";
const COMMANDS: [&str; 2] = ["distance", "contains"];

/// Random points, the same in every run.
fn coordinates() -> [Vec<f64>; 3] {
    let mut random = Lcg::new(5);
    [(); 3].map(|()| (0..POINTS).map(|_| random.signed_unit() * 9.0).collect())
}

/// Shapes and a mesh, and points around them.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("scene.toml", SHAPES);
    folder.file("tetra.obj", TETRAHEDRON);
    let [x, y, z] = coordinates();
    let rows = (0..POINTS).map(|row| row as f64).collect();
    write_table(&folder, "points", &[("id", rows), ("px", x), ("py", y), ("pz", z)]);
    folder
}

#[test]
fn one_point_outside_on_and_inside() {
    //        ---
    //      /     \
    //     |  5 * --*------*        z = 5.5, 6 and 9
    //      \     /
    //        ---
    let folder = Folder::new("one-point");
    folder.file("ball.toml", BALL);
    let points = "--point 5,5,9 --point 5,5,5.5 --point 5,5,6";
    let distances = folder.done(&format!("distance ball.toml {points} --format csv"));
    let rows =
        "0,true,3,3,5,5,6,face 0,ball,,,\n1,true,0.5,-0.5,5,5,6,face 0,ball,,,\n2,true,0,0,5,5,6,face 0,ball,,,\n";
    assert_eq!(distances, format!("{DISTANCE_COLUMNS}\n{rows}"));
    let inside = folder.done(&format!("contains ball.toml {points} --format csv"));
    assert_eq!(inside, "point,inside\n0,false\n1,true\n2,true\n");
    // For people.
    let table = folder.done("distance ball.toml --point 5,5,9");
    let header = "point  found  distance  signed_distance  cx  cy  cz  feature  shape  primitive  u  v";
    let row = "    0  true          3                3   5   5   6  face 0   ball";
    assert_eq!(table, format!("{header}\n{row}\n"));
    assert_eq!(folder.done("contains ball.toml --point 5,5,9"), "point  inside\n    0  false\n");
}

#[test]
fn points_of_the_plane() {
    let folder = Folder::new("flat-points");
    folder.file("flat.toml", "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [10, 4]\nradius = 3");
    folder.file("points.csv", "py,px\n9,10\n5,10\n");
    let distances = "point,found,distance,signed_distance,cx,cy,feature,shape,primitive,u,v\n\
                     0,true,2,2,10,7,face 0,circle-0,,,\n1,true,2,-2,10,7,face 0,circle-0,,,\n";
    let inside = "point,inside\n0,false\n1,true\n";
    for points in ["--points points.csv", "--point 10,9 --point 10,5"] {
        assert_eq!(folder.done(&format!("distance flat.toml {points} --format csv")), distances);
        assert_eq!(folder.done(&format!("contains flat.toml {points} --format csv")), inside);
    }
}

#[test]
fn features_and_objects_are_named() {
    let folder = folder("features");
    let line = "distance scene.toml --point 3,0,0 --point 3,3,0 --point 1.5,2.5,3.5 --point -4.5,-3.5,9 --format csv";
    let found = folder.done(line);
    assert_eq!(csv_column(&found, "feature"), ["face 1", "edge 11", "vertex 7", "vertex 2"]);
    assert_eq!(csv_column(&found, "shape"), ["box", "box", "box", "placed"]);
    assert_eq!(csv_column(&found, "object"), ["0", "0", "0", "2"]);
    assert_eq!(csv_column(&found, "instance"), ["", "", "", "0"]);
    assert!(csv_column(&found, "primitive")[3].parse::<u32>().is_ok(), "{found}");
    // Left out, an object keeps its number.
    let rest = folder.done(&format!("{line} --ignore box"));
    assert!(csv_column(&rest, "shape").iter().all(|shape| shape == "ball" || shape == "placed"), "{rest}");
    assert_eq!(csv_column(&rest, "object")[3], "2");
    let inside = folder.done("contains scene.toml --point 0,0,0 --point 5,5,5 --ignore box --format csv");
    assert_eq!(csv_column(&inside, "inside"), ["false", "true"]);
}

#[test]
fn a_limit_leaves_rows_without_an_answer() {
    let folder = Folder::new("max-distance");
    folder.file("ball.toml", BALL);
    let at =
        |limit: &str| folder.done(&format!("distance ball.toml --point 5,5,9 --format csv --max-distance {limit}"));
    assert_eq!(csv_column(&at("3"), "found"), ["true"]);
    assert_eq!(csv_column(&at("inf"), "found"), ["true"]);
    assert_eq!(at("2.999"), format!("{DISTANCE_COLUMNS}\n0,false,,,,,,,,,,\n"));
    for limit in ["-1", "nan", "far"] {
        let result = folder.run(&format!("distance ball.toml --point 5,5,9 --max-distance {limit}"));
        assert_eq!((result.code, result.text()), (2, ""), "{limit}");
    }
}

#[test]
fn every_format_holds_the_same_numbers() {
    let folder = folder("point-formats");
    for command in COMMANDS {
        let limit = if command == "distance" { "--max-distance 4" } else { "" };
        let csv = in_every_format(&folder, &format!("{command} scene.toml {limit} --points"), "points");
        assert_eq!(csv.lines().count(), POINTS + 1);
        let answers = csv_column(&csv, if command == "distance" { "found" } else { "inside" });
        assert!(answers.contains(&"true".into()) && answers.contains(&"false".into()));
        // Shapes found in any way.
        let linear_scan = format!("{command} scene.toml --points points.csv --precision f64 {limit} --accel brute");
        assert!(folder.done(&linear_scan) == csv, "{command}");
    }
}

/// A table and single points give the same bits; the sign of a distance is that of `contains`.
#[test]
fn a_table_and_single_points_agree() {
    let folder = folder("single-points");
    let table = COMMANDS.map(|command| folder.done(&format!("{command} scene.toml --points points.csv")));
    let [x, y, z] = coordinates();
    for row in 0..40 {
        for (command, table) in COMMANDS.iter().zip(&table) {
            let point = format!("--point {},{},{}", x[row], y[row], z[row]);
            let single = folder.done(&format!("{command} scene.toml {point} --format csv"));
            let of_table = table.lines().nth(row + 1).unwrap().split_once(',').unwrap().1;
            assert_eq!(single.lines().nth(1).unwrap(), format!("0,{of_table}"), "{command} {point}");
        }
    }
    let inside: Vec<bool> = csv_column(&table[1], "inside").iter().map(|inside| inside == "true").collect();
    assert!(csv_numbers(&table[0], "signed_distance").iter().map(|distance| *distance < 0.0).eq(inside));
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let folder = folder("bad-points");
    for command in COMMANDS {
        let table = |text: &str, message: &str| {
            folder.file("bad.csv", text);
            let before = folder.names();
            for output in ["", "-o out.csv", "-o out.parquet"] {
                let result = folder.run(&format!("{command} scene.toml --points bad.csv {output}"));
                refused(&result, &format!("bad.csv: {message}"));
            }
            assert_eq!(folder.names(), before);
        };
        table("px,py\n0,0\n", "no column 'pz' (needs px py pz; the table has px, py)");
        table("px,py,pz\n0,0,0\n0,one,0\n", "row 1 (line 3), column 'py': 'one' is not a number");
        table("px,py,pz\n0,0,0\n0,0,nan\n", "row 1 (line 3), column 'pz': NaN is not allowed in a point");
        table("px,py,pz\n0,,0\n", "row 0 (line 2), column 'py': the cell is empty");
        table("", "empty file");
        let run = |arguments: &str| folder.run(&format!("{command} scene.toml {arguments}"));
        refused(&run("--point 0,0"), "--point 1: 2 numbers, but in 3D it takes 3 (px,py,pz)");
        refused(&run("--point 1,2,3 --point 0,inf,0"), "--point 2: py: inf is not allowed in a point");
        let unknown = "--ignore nobody: no object has this name (hitscan info lists the names)";
        refused(&run("--point 0,0,0 --ignore nobody"), unknown);
        let beyond = "row 0, column 'px': 1e300 is beyond the range of f32 (--precision f64 takes it)";
        refused(&run("--point 1e300,0,0 --precision f32"), beyond);
        folder.file("points.jsonl", "{}");
        let jsonl = "points.jsonl: no column 'px' (needs px py pz; the table has none)";
        refused(&run("--points points.jsonl"), jsonl);
        for input in ["points.csv", "tetra.obj", "scene.toml"] {
            let message = format!("{input}: the output is the input {input}: choose another name for it");
            refused(&run(&format!("--points points.csv --format csv -o {input}")), &message);
        }
        let stdin = folder.run_with(&format!("{command} scene.toml --points -"), b"px,py,pz\n0,0,inf\n");
        refused(&stdin, "<stdin>: row 0 (line 2), column 'pz': inf is not allowed in a point");
        for usage in ["", "--point 0,0,0 --points points.csv", "--point x", "--point 0,0,0 --format table -o out.csv"] {
            assert_eq!(run(usage).code, 2, "{usage}");
        }
    }
    folder.file("none.csv", "px,py,pz\n");
    assert_eq!(folder.done("contains scene.toml --points none.csv"), "point,inside\n");
}

#[test]
fn shapes_that_cannot_be_measured_are_named_once() {
    let folder = Folder::new("unmeasured");
    let shape = |name: &str, more: &str| format!("[[shape]]\nname = '{name}'\ntype = {more}\n");
    // Its image ends at z = 1e400.
    let cylinder = "'cylinder'\na = [0, 0, 0]\nb = [0, 0, 1e200]\nradius = 1\ntransform = { scale = [1, 2, 1e200] }";
    let cube = "'box'\ncenter = [100, 0, 0]\nhalf_extents = [1, 1, 1]";
    folder.file("scene.toml", shape("tin", cylinder) + &shape("cube", cube));
    let points = "--point 0,0,5 --point 97,0,0 --point 0,0,0.5";
    let result = folder.run(&format!("distance scene.toml {points} --format csv"));
    let warning = |points: &str| {
        format!(
            "hitscan: warning: {points} no answer, for the closest shape may be one that cannot be measured, with numbers near \
             the end of the range: tin\n"
        )
    };
    assert_eq!(csv_column(result.text(), "found"), ["false", "true", "false"]);
    assert_eq!((result.code, result.warnings()), (0, &warning("2 points have")[..]));
    // A point whose closest shapes are beyond the limit is no such point, whatever the shapes.
    let points_near = "--point 97,0,0 --point 0,9,0 --point 0,0,1.5";
    let result = folder.run(&format!("distance scene.toml {points_near} --max-distance 1 --format csv"));
    assert_eq!(csv_column(result.text(), "found"), ["false", "false", "false"]);
    assert_eq!((result.code, result.warnings()), (0, &warning("1 point has")[..]));
    // Without the shape there is nothing to warn of, and containment is exact.
    folder.done(&format!("distance scene.toml {points} --ignore tin"));
    assert_eq!(
        folder.done("distance scene.toml --point 1,2,3 --ignore tin --ignore cube --format csv").lines().count(),
        2
    );
    let inside = folder.done(&format!("contains scene.toml {points} --format csv"));
    assert_eq!(csv_column(&inside, "inside"), ["true", "false", "true"]);
}

#[test]
fn open_meshes_contain_nothing_and_say_so() {
    let folder = Folder::new("open-mesh");
    folder.file("open.obj", TETRAHEDRON.replace("f 3 1 4\n", ""));
    let result = folder.run("contains open.obj --point 0.1,0.1,0.1 --format csv");
    assert_eq!(result.text(), "point,inside\n0,false\n");
    let reason = " has no inside, for it is not closed: 3 edges have an odd number of triangles (hitscan info tells \
        whether --weld closes it, and --inside-rule winding-number decides without)\n";
    assert!(result.warnings().contains(reason), "{result:?}");
    let result = folder.run("distance open.obj --point 0.1,0.1,0.1 --format csv");
    assert!(result.warnings().contains(reason), "{result:?}");
    let result = folder.run("distance open.obj --point 0.1,0.1,0.1 --inside-rule winding-number --format csv");
    assert_eq!(result.warnings(), "");
}

/// Triangles that face anywhere, or are there twice, keep the inside and cause no warning.
#[test]
fn untidy_meshes_have_an_inside() {
    let folder = Folder::new("untidy-mesh");
    folder.file("turned.obj", TETRAHEDRON.replace("f 3 1 4\n", "f 1 3 4\n"));
    folder.file("twice.obj", TETRAHEDRON.replace("f 3 1 4\n", "f 3 1 4\nf 4 3 1\n"));
    for file in ["turned.obj", "twice.obj"] {
        let result = folder.run(&format!("contains {file} --point 0.1,0.1,0.1 --format csv"));
        assert_eq!((result.text(), result.warnings()), ("point,inside\n0,true\n", ""), "{result:?}");
        let result = folder.run(&format!("distance {file} --point 0.125,0.25,0.25 --format csv"));
        assert_eq!(csv_column(result.text(), "signed_distance"), ["-0.125"], "{result:?}");
        assert_eq!(result.warnings(), "");
    }
}

#[test]
fn an_inside_rule_takes_meshes_with_holes() {
    let folder = folder("inside-rule");
    folder.file("open.obj", TETRAHEDRON.replace("f 3 1 4\n", ""));
    let contains = |scene: &str, point: &str, rule: &str| {
        let text = folder.done(&format!("contains {scene} --point {point} --inside-rule {rule} --format csv"));
        let row = text.strip_prefix("point,inside,rule\n0,").unwrap_or_else(|| panic!("{text}"));
        row.trim_end().to_owned()
    };
    for (scene, parity_if_closed) in [("open.obj", "winding-number"), ("tetra.obj", "parity")] {
        assert_eq!(contains(scene, "0.125,0.125,0.125", "winding-number"), "true,winding-number");
        assert_eq!(contains(scene, "0.125,0.125,0.125", "parity-if-closed"), format!("true,{parity_if_closed}"));
        assert_eq!(contains(scene, "9,9,9", "parity-if-closed"), format!("false,{parity_if_closed}"));
    }
    assert_eq!(contains("tetra.obj", "0.125,0.125,0.125", "parity"), "true,parity");
    let line = "distance open.obj --point 0.125,0.125,0.125 --point 0,0,-1";
    let found = folder.done(&format!("{line} --inside-rule winding-number --format csv"));
    assert_eq!(csv_column(&found, "signed_distance"), ["-0.125", "1"]);
    assert_eq!(csv_column(&found, "rule"), ["winding-number"; 2]);
    let by_parity = folder.run(&format!("{line} --format csv"));
    assert_eq!(csv_numbers(by_parity.text(), "signed_distance"), [0.125, 1.0]);
    assert!(by_parity.err.contains("the mesh open has no inside, for it is not closed: 3 edges"), "{}", by_parity.err);
    // An explanation says it, too, if it is of a point.
    let explained = folder.run("explain open.obj --point 0.125,0.125,0.125");
    assert!(explained.err.contains("the mesh open has no inside, for it is not closed: 3 edges"), "{}", explained.err);
    let of_ray = folder.run("explain open.obj --ray 0.125,0.125,-1,0,0,1");
    assert!(!of_ray.err.contains("not closed"), "{}", of_ray.err);
    // In a scene: the mesh is placed, and a ball has its exact inside.
    folder.file("scene.toml", SHAPES.replace("tetra.obj", "open.obj"));
    let points = "--point -4.5,-3.625,0.25 --point 5,5,5 --point 0,9,0";
    for rule in ["parity-if-closed", "winding-number"] {
        let inside = folder.done(&format!("contains scene.toml {points} --inside-rule {rule} --format csv"));
        assert_eq!(inside, "point,inside,rule\n0,true,winding-number\n1,true,parity\n2,false,winding-number\n");
        let found = folder.done(&format!("distance scene.toml {points} --inside-rule {rule} --format csv"));
        let signed = csv_numbers(&found, "signed_distance");
        assert!(signed[0] < 0.0 && signed[1] == -2.0 && signed[2] > 0.0, "{found}");
        for command in COMMANDS {
            in_every_format(&folder, &format!("{command} scene.toml --inside-rule {rule} --points"), "points");
        }
    }
    // For people, with an object left out.
    let table = folder.done("contains scene.toml --point 5,5,5 --inside-rule winding-number --ignore ball");
    assert_eq!(table, "point  inside  rule\n    0  false   winding-number\n");
    let near = folder.run("distance scene.toml --point 0,9,0 --max-distance 1 --inside-rule parity --format csv");
    assert!(near.err.contains("the mesh placed has no inside"), "{}", near.err);
    let near = near.text();
    assert_eq!((csv_column(near, "found"), csv_column(near, "rule")), (vec!["false".into()], vec![String::new()]));
    let result = folder.run("contains open.obj --point 0,0,0 --inside-rule holes");
    assert!(result.code == 2 && result.err.contains("[possible values: parity, parity-if-closed, winding-number]"));
}

/// The commands of the page about distances print what it shows.
#[test]
fn the_page_shows_what_the_program_prints() {
    let folder = Folder::new("distances-page");
    folder.file("roof.obj", TETRAHEDRON.replace("f 2 3 4\n", ""));
    assert_eq!(page_sessions(&folder, include_str!("../../../../docs/distances.md")), 4);
}
