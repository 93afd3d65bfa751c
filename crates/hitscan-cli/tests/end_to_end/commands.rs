//! `info`, `explain`, `convert`, `completions`, `man` and help.

use crate::support::{BALL, Folder};
use serde_json::{Value, json};

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn info_counts_shapes_and_looks_at_meshes() {
    let folder = Folder::new("info");
    folder.file("tetra.obj", TETRAHEDRON);
    folder.file("open.obj", TETRAHEDRON.replace("f 3 1 4\n", ""));
    folder.file("scene.toml", format!("{BALL}layers = [0, 3]\n[[shape]]\ntype = 'mesh'\nfile = 'tetra.obj'\n\n[[shape]]\ntype = 'plane'\npoint = [0, 0, 0]\nnormal = [0, 0, 1]"));
    let text = folder.done("info scene.toml");
    for line in [
        "dimension  3D",
        "precision  f32 holds every number",
        "shapes     3 (1 mesh, 1 plane, 1 sphere)",
        "watertight yes",
        "size       4 triangles, 4 vertices (4 points), 6 edges",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{line} in {text}");
    }
    assert!(text.contains("ball") && text.contains("0,3") && text.contains("and 1 shape without bounds"), "{text}");
    let json: Value = serde_json::from_str(&folder.done("info scene.toml --format json")).unwrap();
    assert_eq!(json["counts"], json!({ "mesh": 1, "plane": 1, "sphere": 1 }));
    assert_eq!(json["shapes"][0]["layers"], json!([0, 3]));
    assert_eq!(json["shapes"][1]["mesh"]["watertight"], json!(true));
    assert_eq!(json["shapes"][2]["bounds"], Value::Null);
    assert_eq!(json["unbounded_shapes"], json!(1));
    let open = folder.done("info open.obj");
    assert!(open.contains("watertight no (3 boundary edges, 3 unbalanced edges, 3 odd edges)\n"), "{open}");
}

/// Triangles with corners of their own, which differ in the last digits, as CAD programs write them.
const CRACKED: &str = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n\
    facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0.0000001\nvertex 0 0 1\nendloop\nendfacet\n\
    facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n\
    facet normal 0 0 0\nouter loop\nvertex 0 1.0000001 0\nvertex 0 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n";

#[test]
fn a_repair_turns_and_drops_triangles() {
    let folder = Folder::new("repair");
    let untidy = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 4 1 3\n";
    folder.file("untidy.obj", untidy);
    let result = folder.run("convert untidy.obj -o tidy.obj --repair");
    let note = "hitscan: untidy.obj: --repair merged 0 vertices, dropped 1 repeated triangle and 0 degenerate triangles and \
        turned 1 triangle; 1 closed part (outward)\n";
    assert_eq!((result.code, &result.err[..]), (0, note));
    assert!(folder.done("info tidy.obj").contains("watertight yes\n"));
    let result = folder.run("convert untidy.obj -o tidy.hitmesh --repair --weld 0.001");
    assert!(result.code == 0 && folder.done("info tidy.hitmesh").contains("watertight yes\n"), "{result:?}");
    let result = folder.run("convert untidy.obj -o scene.toml --repair");
    assert!(result.code == 2 && result.err.contains("--repair is for .ply, .obj and .hitmesh"), "{result:?}");
}

#[test]
fn welding_closes_a_mesh_whose_corners_differ_in_the_last_digits() {
    let folder = Folder::new("weld");
    folder.file("part.stl", CRACKED);
    folder.file("scene.toml", "[[shape]]\ntype = 'mesh'\nfile = 'part.stl'\ntransform = { scale = 100 }\n");
    for scene in ["part.stl", "scene.toml"] {
        let open = folder.done(&format!("info {scene}"));
        assert!(open.contains("watertight no"), "{open}");
        let hint =
            open.lines().find_map(|line| line.strip_prefix("welding    --weld ")).unwrap_or_else(|| panic!("{open}"));
        assert!(hint.ends_with(" merges 2 vertices, drops 0 triangles and closes the mesh"), "{hint}");
        let tolerance = hint.split(' ').next().unwrap();
        let result = folder.run(&format!("info {scene} --weld {tolerance}"));
        assert!(result.text().contains("watertight yes") && !result.text().contains("welding "), "{result:?}");
        let note = format!("hitscan: {scene}: --weld {tolerance} merged 2 vertices and dropped 0 triangles\n");
        assert_eq!((result.code, result.err), (0, note));
        let scale = if scene == "part.stl" { 1 } else { 100 };
        let spans = |weld: &str| {
            let ray = if scale == 1 { "--ray 0.1,0.1,-1,0,0,1" } else { "--ray 10,10,-1,0,0,1" };
            folder.run(&format!("cast {scene} {ray} --query spans --format csv --quiet {weld}")).text().lines().count()
        };
        assert_eq!((spans(""), spans(&format!("--weld {tolerance}"))), (1, 3), "{scene}");
    }
    let json: Value = serde_json::from_str(&folder.done("info part.stl --format json")).unwrap();
    assert!(json["shapes"][0]["closing_weld"].as_f64().unwrap() > 1e-7, "{json}");
    folder.run("convert part.stl -o part.hitmesh --weld 0.000001");
    assert!(folder.done("info part.hitmesh").contains("watertight yes"));
    for (bad, why) in
        [("-1", "must not be negative"), ("nan", "must be a finite number"), ("inf", "must be"), ("x", "must be")]
    {
        let result = folder.run(&format!("info part.stl --weld {bad}"));
        assert!(result.code == 2 && result.err.contains(&format!(": the tolerance {why}")), "{bad}: {}", result.err);
    }
}

#[test]
fn readers_say_what_they_ignore() {
    let folder = Folder::new("notes");
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                  element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    folder.file("surplus.ply", format!("{header}0 0 0 9\n1 0 0 9\n0 1 0 9\n3 0 1 2\n"));
    let result = folder.run("info surplus.ply");
    assert!(
        result.code == 0 && result.err.starts_with("hitscan: surplus.ply: ") && result.err.lines().count() == 1,
        "{result:?}"
    );
    assert_eq!(folder.run("info surplus.ply --quiet").err, "");
    folder.file("bow-tie.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\nf 1 2 3\n");
    let note = "hitscan: bow-tie.obj: 1 face crosses itself and is cut as well as it can be: face 0 (line 5)\n";
    assert_eq!(folder.run("info bow-tie.obj").err, note);
    folder.done("--quiet convert surplus.ply -o plain.obj");
    assert_eq!(folder.done("info plain.obj").lines().next(), Some("scene      plain.obj"));
}

#[test]
fn explain_says_why() {
    let folder = Folder::new("explain");
    let ball = |name: &str, x: f64, layer: u32| {
        format!("[[shape]]\ntype = 'sphere'\nname = '{name}'\ncenter = [{x}, 0, 0]\nradius = 1\nlayer = {layer}\n")
    };
    let balls = [("near", 5.0, 0), ("far", 9.0, 0), ("back", -5.0, 0), ("late", 50.0, 0), ("ghost", 3.0, 4)];
    let mut scene: String = balls.iter().map(|(name, x, layer)| ball(name, *x, *layer)).collect();
    scene.push_str("[[shape]]\ntype = 'sphere'\nname = 'aside'\ncenter = [5, 1.5, 0]\nradius = 1\n");
    folder.file("scene.toml", scene);
    let text = folder.done("explain scene.toml --ray 0,0,0,1,0,0 --t-max 20 --layers 0");
    let first = "hit: near (sphere, shape 0) at t = 4, distance 4, point (4, 0, 0), normal (-1, 0, 0), front";
    assert_eq!(text.lines().next().unwrap(), first);
    for line in [
        "near (sphere, shape 0): the hit, the nearest one in the range of t",
        "far (sphere, shape 1): farther than near: t = 8 > 4",
        "back (sphere, shape 2): behind: t = -6, -4 < 0",
        "late (sphere, shape 3): beyond t_max: t = 49, 51 > 20",
        "ghost (sphere, shape 4): not on these layers (it is on 4)",
        "aside (sphere, shape 5): missed, by the whole line",
        "  -> miss: f^2 < 0, the line passes the centre at more than the radius",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\nin\n{text}");
    }
    assert!(text.contains("half chord"), "{text}");
    let text = folder.done("explain scene.toml --segment 0,0,0,6,0,0 --layers 0 --origin hollow");
    assert!(text.contains("far (sphere, shape 1): beyond t_max: t = 1.333333, 1.666667 > 1\n"), "{text}");
    assert!(folder.done("explain scene.toml --ray 0,9,0,1,0,0").starts_with("miss: no shape is hit\n"));
}

/// A shape on other layers is not tested, so there are no numbers of a test; it comes after the shapes that are hit.
#[test]
fn explain_prints_no_test_of_a_masked_shape() {
    let folder = Folder::new("explain-masked");
    folder.file("scene.toml", format!("{BALL}layer = 4\n{}", BALL.replace("ball", "front").replace("[5", "[7")));
    let text = folder.done("explain scene.toml --ray 0,5,5,1,0,0 --layers 0");
    let masked = "\nball (sphere, shape 0): not on these layers (it is on 4)\n";
    assert!(text.ends_with(masked), "{text}");
    let result = folder.run("explain scene.toml --ray 0,5,5,1,0,0 --layers 9");
    let lines: Vec<&str> = result.text().lines().collect();
    assert!(result.code == 0 && lines.len() == 5 && lines[0] == "miss: no shape is hit", "{result:?}");
    let warning = "--layers 9: no shape is on these layers (the scene uses 0,4), so nothing is found";
    assert_eq!(result.err, format!("hitscan: warning: {warning}\n"));
}

#[test]
fn explain_warns_about_rays_that_cannot_hit() {
    let folder = Folder::new("explain-warnings");
    folder.file("scene.toml", BALL);
    for (rays, warning) in [
        (
            "--ray 0,0,0,1,1,1 --t-min 5 --t-max 4",
            "1 ray has a range that holds nothing (t_min > t_max, or a distance below 0) and so hit nothing (the first: row 0)",
        ),
        ("--ray 0,0,0,1,1,1 --ray 1,1,1,0,0,0", "1 ray has a direction of zero and so hit nothing (the first: row 1)"),
    ] {
        let result = folder.run(&format!("explain scene.toml {rays}"));
        assert_eq!((result.code, result.err), (0, format!("hitscan: warning: {warning}\n")));
    }
}

/// A mesh with its tree is a scene like any other, and part of one; a damaged one is refused.
#[test]
fn meshes_are_saved_with_their_trees() {
    let folder = Folder::new("saved");
    folder.file("tetra.obj", TETRAHEDRON);
    let ray = "--ray 0.1,0.1,-1,0,0,1 --format csv";
    let hits = folder.done(&format!("cast tetra.obj {ray}"));
    assert!(hits.lines().count() > 1, "{hits}");
    for quality in ["", "--quality fast", "--quality default", "--quality high"] {
        folder.done(&format!("convert tetra.obj -o tetra.hitmesh {quality}"));
        assert_eq!(folder.done(&format!("cast tetra.hitmesh {ray}")), hits);
        assert_eq!(folder.done(&format!("cast tetra.hitmesh {ray} --accel brute")), hits);
    }
    let wide = folder.done(&format!("cast tetra.obj {ray} --precision f64"));
    assert_eq!(folder.done(&format!("cast tetra.hitmesh {ray} --precision f64")), wide);
    let info = folder.done("info tetra.hitmesh");
    assert!(info.contains("watertight yes\n") && info.contains("structure  2 nodes, 1 leaf, depth 2"), "{info}");
    folder.done("convert tetra.hitmesh -o back.obj");
    folder.done("convert tetra.obj -o once.obj");
    assert_eq!(folder.read("back.obj"), folder.read("once.obj"));
    let scene = |file: &str, more: &str| format!("[[shape]]\ntype = 'mesh'\nname = 'tetra'\nfile = '{file}'\n{more}");
    for more in ["", "transform = { translation = [0.05, 0, 3] }", "transform = { scale = [1, 1, -1] }"] {
        folder.file("a.toml", scene("tetra.obj", more));
        folder.file("b.toml", scene("tetra.hitmesh", more));
        assert_eq!(folder.done(&format!("cast b.toml {ray}")), folder.done(&format!("cast a.toml {ray}")), "{more}");
    }
    // In f64.
    folder.file("wide.obj", TETRAHEDRON.replace("v 1 0 0", "v 1.1 0 0"));
    folder.done("convert wide.obj -o wide.hitmesh");
    assert!(folder.done("info wide.hitmesh").contains("precision  f64 holds every number\n"));
    assert_eq!(
        folder.done(&format!("cast wide.hitmesh {ray}")).replace("wide.hitmesh", ""),
        folder.done(&format!("cast wide.obj {ray}"))
    );
    let mut bytes = folder.read("tetra.hitmesh");
    bytes[50] ^= 1;
    folder.file("bad.hitmesh", &bytes);
    folder.file("short.hitmesh", &bytes[..60]);
    for (file, start) in [("bad", "damaged: the checksum is "), ("short", "60 bytes in place of ")] {
        let result = folder.run(&format!("info {file}.hitmesh"));
        assert!(result.code == 1 && result.err.starts_with(&format!("hitscan: {file}.hitmesh: {start}")), "{result:?}");
    }
}

/// A text that declares `float` is of `f32`, though no `f32` number is its 0.1: saved and cast alike.
#[test]
fn a_text_of_floats_is_saved_in_f32() {
    let folder = Folder::new("floats");
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                element face 4\nproperty list uchar int vertex_indices\nend_header\n\
                0.1 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    folder.file("a.ply", text);
    let (is_f32, is_f64) = ("precision  f32 holds every number\n", "precision  f64 holds every number\n");
    assert!(folder.done("info a.ply").contains(is_f32));
    for repair in ["", "--repair"] {
        let convert = |precision: &str| {
            let result = folder.run(&format!("--quiet convert a.ply -o a.hitmesh {repair} {precision}"));
            assert_eq!((result.code, &result.err[..]), (0, ""));
            (folder.read("a.hitmesh"), folder.done("info a.hitmesh"))
        };
        let (bytes, info) = convert("");
        assert!(info.contains(is_f32), "{repair}: {info}");
        assert_eq!(bytes, convert("--precision f32").0, "{repair}");
        // The f64 numbers have the digits of the text.
        assert!(convert("--precision f64").1.contains(is_f64), "{repair}");
    }
}

/// A saved scene answers like the file that it was made of, in its own precision; a damaged one is refused.
#[test]
fn scenes_are_saved_with_their_trees() {
    let folder = Folder::new("saved_scene");
    folder.file("tetra.obj", TETRAHEDRON);
    let ball = "[[shape]]\ntype = 'sphere'\nname = 'ball'\ncenter = [0, 0, 5]\nradius = 1\n";
    let tetra = "[[shape]]\ntype = 'mesh'\nfile = 'tetra.obj'\ntransform = { translation = [0.5, 0, 3] }\n";
    folder.file("a.toml", format!("{ball}{tetra}"));
    folder.done("convert a.toml -o a.hitscene");
    let ray = "--ray 0.125,0.125,-1,0,0,1 --ray 0.625,0.125,-1,0,0,1 --format csv";
    for more in ["", "--query all", "--accel brute", "--ignore ball"] {
        let hits = folder.done(&format!("cast a.toml {ray} {more} --precision f32"));
        assert_eq!(folder.done(&format!("cast a.hitscene {ray} {more}")), hits, "{more}");
    }
    assert!(folder.done("info a.hitscene").contains("precision  f32 holds every number\n"));
    let refused = |line: &str, start: &str| {
        let result = folder.run(line);
        assert!(result.code == 1 && result.err.starts_with(&format!("hitscan: {start}")), "{result:?}");
    };
    refused(
        &format!("cast a.hitscene {ray} --precision f64"),
        "a.hitscene: a scene saved in f32 has no other precision",
    );
    refused("info a.hitscene --weld 0.1", "a.hitscene: a saved scene keeps its meshes as they are");
    refused("convert a.hitscene -o a.ply", "a.hitscene: a scene of shapes cannot become a mesh");
    refused("convert a.hitscene -o a.hitscene", "a.hitscene: the output is the input");
    // Back, and again.
    folder.done("convert a.hitscene -o b.toml");
    folder.done("convert b.toml -o b.hitscene");
    assert_eq!(folder.read("a.hitscene"), folder.read("b.hitscene"));
    // In f64, in the plane.
    folder.file("flat.toml", "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [0.1, 5]\nradius = 1");
    folder.done("convert flat.toml -o flat.hitscene");
    let ray = "--ray 0,0,0,1 --format csv";
    assert_eq!(folder.done(&format!("cast flat.hitscene {ray}")), folder.done(&format!("cast flat.toml {ray}")));
    let mut bytes = folder.read("a.hitscene");
    bytes[60] ^= 1;
    folder.file("bad.hitscene", &bytes);
    folder.file("short.hitscene", &bytes[..60]);
    refused("info bad.hitscene", "bad.hitscene: damaged: the checksum is ");
    refused("info short.hitscene", "short.hitscene: 60 bytes in place of ");
    folder.file("other.hitscene", "[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 5]\nradius = 1");
    refused("info other.hitscene", "other.hitscene: not a saved scene: it does not begin as one");
}

/// What the help says is so.
#[test]
fn the_help_tells_the_formats_of_tables() {
    let folder = Folder::new("help-formats");
    let kinds = ".csv, .tsv, .jsonl (also .gz, .zst), .parquet, .arrow or .arrows; - is standard input";
    for command in ["distance", "contains", "overlap"] {
        let help = folder.run(&format!("{command} --help"));
        let words: String = help.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(kinds) && words.contains("arrows: the stream of Arrow IPC"), "{words}");
        assert!(!words.contains("ply:") && !words.contains("las:"), "{words}");
        let refused = folder.run(&format!("{command} scene.toml --points p.csv --format las"));
        assert!(
            refused.code == 2 && refused.err.contains("invalid value 'las' for '--format <FORMAT>'"),
            "{}",
            refused.err
        );
    }
    assert!(folder.run("cast --help").text().contains("hit points as a LAS 1.4 point cloud"));
}

#[test]
fn meshes_are_converted_and_scenes_made_plain() {
    let folder = Folder::new("convert");
    folder.file("tetra.obj", TETRAHEDRON);
    folder.done("convert tetra.obj -o tetra.ply");
    folder.done("convert tetra.ply -o again.obj");
    assert_eq!(folder.read("again.obj"), TETRAHEDRON.as_bytes());
    folder.file(
        "scene.toml",
        format!("{BALL}transform = {{ translation = [1, 0, 0] }}\n[[shape]]\ntype = 'mesh'\nfile = 'tetra.obj'\n"),
    );
    folder.done("convert scene.toml -o plain.toml");
    let plain = String::from_utf8(folder.read("plain.toml")).unwrap();
    assert!(plain.contains("center = [6, 5, 5]") && plain.contains("plain-1.ply"), "{plain}");
    let cast = |scene: &str| {
        folder.done(&format!("cast {scene} --ray 0,0,0,1,1,1 --ray 0.1,0.2,-1,0,0,1 --query all --format csv"))
    };
    assert_eq!(cast("scene.toml"), cast("plain.toml"));
}

#[test]
fn completions_manuals_and_help_know_every_command() {
    let folder = Folder::new("pages");
    let commands = [
        "cast",
        "distance",
        "contains",
        "info",
        "render",
        "explain",
        "convert",
        "demo",
        "lab",
        "completions",
        "man",
        "help",
    ];
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.done(&format!("completions {shell}"));
        assert!(commands.iter().all(|command| script.contains(command)) && script.contains("t-max"), "{shell}");
    }
    let page = folder.done("man");
    assert!(page.contains(".TH hitscan 1") && commands.iter().all(|command| page.contains(command)));
    folder.done("man --out-dir pages");
    let names =
        ["hitscan.1"].into_iter().map(str::to_owned).chain(commands.map(|command| format!("hitscan-{command}.1")));
    for name in names {
        assert!(folder.path("pages").join(&name).is_file(), "{name}");
    }
    let help = folder.done("--help");
    assert!(commands.iter().all(|command| help.contains(command)));
    for command in commands {
        let help = folder.done(&format!("{command} --help"));
        assert!(help.contains("Example"), "{command}: {help}");
    }
    for word in ["OBJ, STL, PLY, OFF or glTF", "130 and 143"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    assert!(folder.done("--version").starts_with("hitscan "));
    assert_eq!(folder.done("help"), help);
    assert_eq!(folder.done("help cast"), folder.done("cast --help"));
    let reference = folder.done("help scene");
    assert!(reference.starts_with('#') && !reference.contains("<!--"), "{reference}");
    for word in ["sphere", "half_space", "ellipse", "mesh", "half_extents", "layers", "transform", "degrees"] {
        assert!(reference.contains(word), "{word}");
    }
    let result = folder.run("help nothing");
    assert_eq!((result.code, result.text()), (2, ""));
    assert!(
        result
            .err
            .starts_with("hitscan: no help on 'nothing' (known are scene, cast, distance, contains, overlap, info, "),
        "{}",
        result.err
    );
}
