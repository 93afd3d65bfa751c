//! Objects with rules of their own: triggers, faces, the rule for rays that start inside, and layers with names.

use crate::support::{Folder, csv_column};
use serde_json::{Value, json};

/// ```text
///        a ray from the origin along z
///   shell  a hollow sphere around the origin of radius 1: left at z = 1
///   alarm  a trigger from z = 4 to z = 6
///   pane   a disk at z = 8, of which only the front counts, which is on the far side
///   wall   a plane at z = 9
/// ```
const SCENE: &str = "\
[[shape]]\nname = 'shell'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\ninside = 'hollow'\nlayer = 1\n\
[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 5]\nradius = 1\n\
[[object]]\nname = 'alarm'\ngeometry = 'ball'\ntrigger = true\n\
[[shape]]\nname = 'pane'\ntype = 'disk'\ncenter = [0, 0, 8]\nnormal = [0, 0, 1]\nradius = 1\nfaces = 'front'\n\
[[shape]]\nname = 'wall'\ntype = 'plane'\npoint = [0, 0, 9]\nnormal = [0, 0, -1]\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("scene.toml", SCENE);
    folder
}

fn cast(folder: &Folder, scene: &str, more: &str) -> String {
    let csv = folder.done(&format!("cast {scene} --ray 0,0,0,0,0,1 --format csv {more}"));
    let [shapes, ts] = ["shape", "t"].map(|name| csv_column(&csv, name));
    shapes.iter().zip(ts).map(|(shape, t)| format!("{shape}:{t}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_ray_passes_through_a_trigger() {
    let folder = folder("rules-triggers");
    let outside = "--layers 0 --faces both";
    assert_eq!(cast(&folder, "scene.toml", outside), "wall:9", "the pane has its own faces, too");
    assert_eq!(cast(&folder, "scene.toml", &format!("{outside} --triggers hit")), "alarm:4");
    let all = |rule: &str| cast(&folder, "scene.toml", &format!("{outside} --query all {rule}"));
    assert_eq!(all(""), "alarm:4 alarm:6 wall:9");
    assert_eq!(all("--triggers hit"), all("--triggers pass"));
    assert_eq!(all("--triggers ignore"), "wall:9");
    let any = |rule: &str| {
        folder.done(&format!("cast scene.toml --ray 0,0,0,0,0,1 --t-max 7 --layers 0 --query any --format csv {rule}"))
    };
    assert_eq!((&any("")[..], &any("--triggers hit")[..]), ("ray,hit\n0,false\n", "ray,hit\n0,true\n"));
    assert_eq!(folder.run("cast scene.toml --ray 0,0,0,0,0,1 --triggers no").code, 2);
}

/// A wall without thickness from x = 2 to 5, which the ray runs in.
#[test]
fn a_ray_hits_what_it_runs_in_if_the_query_says_so() {
    let folder = Folder::new("rules-coplanar");
    folder.file("scene.toml", "dimension = 2\n[[shape]]\nname = 'wall'\ntype = 'segment'\na = [2, 0]\nb = [5, 0]\n");
    let cast = |more: &str| folder.done(&format!("cast scene.toml --ray 0,0,1,0 --format csv {more}"));
    assert_eq!(csv_column(&cast(""), "t"), [""]);
    assert_eq!(csv_column(&cast("--coplanar miss"), "t"), [""]);
    assert_eq!(csv_column(&cast("--coplanar hit"), "t"), ["2"]);
    assert_eq!(csv_column(&cast("--coplanar hit --query all"), "t"), ["2", "5"]);
    assert_eq!(csv_column(&cast("--coplanar hit --query count"), "count"), ["2"]);
    assert_eq!(csv_column(&cast("--coplanar hit --faces front"), "t"), [""]);
    let explained = folder.done("explain scene.toml --ray 0,0,1,0 --coplanar hit");
    assert!(explained.contains("the line runs in the surface"), "{explained}");
    assert_eq!(folder.run("cast scene.toml --ray 0,0,1,0 --coplanar no").code, 2);
}

#[test]
fn the_rules_of_an_object_come_before_those_of_the_query() {
    let folder = folder("rules-own");
    assert_eq!(cast(&folder, "scene.toml", ""), "shell:1");
    assert_eq!(cast(&folder, "scene.toml", "--origin solid"), "shell:1");
    assert_eq!(
        cast(&folder, "scene.toml", "--layers 0 --faces back"),
        ":",
        "the pane by its own rule, the wall by that of the query"
    );
    let back = folder.done("cast scene.toml --ray 0,0,9,0,0,-1 --layers 0 --format csv --t-min 0.5 --faces back");
    assert_eq!(csv_column(&back, "shape"), ["pane"]);
}

#[test]
fn conversion_keeps_rules() {
    let folder = folder("rules-convert");
    let saved = folder.run("convert scene.toml -o a.hitscene");
    let warning = "hitscan: warning: a.hitscene has no names of geometries (ball)\n";
    assert_eq!((saved.code, &saved.err[..]), (0, warning));
    folder.done("convert a.hitscene -o b.toml");
    folder.done("convert scene.toml -o c.toml");
    let c = String::from_utf8(folder.read("c.toml")).unwrap();
    assert!(c.contains("[[object]]\ngeometry = \"ball\"\nname = \"alarm\"\ntrigger = true\n"), "{c}");
    for scene in ["a.hitscene", "b.toml", "c.toml"] {
        for more in ["", "--layers 0", "--layers 0 --query all", "--layers 0 --triggers hit"] {
            assert_eq!(cast(&folder, scene, more), cast(&folder, "scene.toml", more), "{scene} {more}");
        }
    }
}

#[test]
fn info_and_explain_show_rules() {
    let folder = folder("rules-info");
    let text = folder.done("info scene.toml");
    let row = |name: &str| {
        let line = text.lines().find(|line| line.contains(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert!(text.contains("shape  type    name   layers  rules          bounds\n"), "{text}");
    assert!(row("shell").starts_with("0 sphere shell 1 inside hollow (-1, -1, -1)"), "{text}");
    assert!(row("alarm").starts_with("1 sphere alarm 0 trigger (-1, -1, 4)"), "{text}");
    assert!(row("pane").starts_with("2 disk pane 0 faces front "), "{text}");
    let json: Value = serde_json::from_str(&folder.done("info scene.toml --format json")).unwrap();
    let rules = |shape: usize| ["trigger", "faces", "inside"].map(|key| json["shapes"][shape][key].clone());
    assert_eq!(rules(0), [json!(false), Value::Null, json!("hollow")]);
    assert_eq!(rules(1), [json!(true), Value::Null, Value::Null]);
    assert_eq!(rules(2), [json!(false), json!("front"), Value::Null]);
    let explained = folder.done("explain scene.toml --ray 0,0,0,0,0,1 --layers 0");
    for line in [
        "alarm (sphere, shape 1): a trigger: rays pass through it (--triggers hit makes them hit it)",
        "pane (disk, shape 2): only its back is hit, at t = 8, and its rule excludes that side",
    ] {
        assert!(explained.contains(&format!("\n{line}\n")), "{explained}");
    }
    let explained = folder.done("explain scene.toml --ray 0,0,0,0,0,1 --triggers hit");
    assert!(explained.starts_with("hit: shell (sphere, shape 0) at t = 1, "), "{explained}");
    assert!(explained.contains("\nalarm (sphere, shape 1): farther than shell: t = 4 > 1\n"), "{explained}");
}

/// The scene with names for the layers 0 and 1.
fn with_names(test: &str) -> Folder {
    let folder = folder(test);
    folder.file("named.toml", format!("layers = {{ outside = 0, shells = 1 }}\n{SCENE}"));
    folder
}

#[test]
fn layers_are_chosen_by_name() {
    let folder = with_names("rules-layers");
    assert_eq!(cast(&folder, "named.toml", "--layers outside"), cast(&folder, "scene.toml", "--layers 0"));
    assert_eq!(cast(&folder, "named.toml", "--layers 4,shells,outside"), "shell:1");
    let run =
        |command: &str, layers: &str| folder.run(&format!("{command} named.toml --ray 0,0,0,0,0,1 --layers {layers}"));
    for command in ["cast", "explain"] {
        let unknown = run(command, "0,walls");
        let message = "hitscan: --layers: named.toml: unknown layer 'walls' (known: outside, shells)\n";
        assert_eq!((unknown.code, &unknown.err[..]), (1, message));
    }
    let none = folder.run("cast scene.toml --ray 0,0,0,0,0,1 --layers shells");
    let message = "hitscan: --layers: scene.toml: unknown layer 'shells' (the scene names no layers: use 0 to 31)\n";
    assert_eq!((none.code, &none.err[..]), (1, message));
    for wrong in ["32", "0,", "1.5"] {
        let refused = run("cast", wrong);
        assert!(
            refused.code == 2 && refused.err.contains("layers are 0 to 31, or names of the scene"),
            "{}",
            refused.err
        );
    }
    let text = folder.done("info named.toml");
    assert!(text.contains("  shell  shells   ") && text.contains("  wall   outside  "), "{text}");
    let json: Value = serde_json::from_str(&folder.done("info named.toml --format json")).unwrap();
    assert_eq!((&json["layers"], &json["shapes"][0]["layers"]), (&json!({ "outside": 0, "shells": 1 }), &json!([1])));
}

#[test]
fn conversion_keeps_names_of_layers_in_toml() {
    let folder = with_names("rules-names");
    folder.done("convert named.toml -o a.toml");
    let text = String::from_utf8(folder.read("a.toml")).unwrap();
    assert!(
        text.starts_with("[layers]\noutside = 0\nshells = 1\n") && text.contains("\nlayer = \"shells\"\n"),
        "{text}"
    );
    folder.done("convert a.toml -o b.toml");
    assert_eq!(folder.read("b.toml"), folder.read("a.toml"));
    let saved = folder.run("convert named.toml -o a.hitscene");
    let warnings = "hitscan: warning: a.hitscene has the numbers of layers, not their names (outside = 0, shells = 1)\n\
                    hitscan: warning: a.hitscene has no names of geometries (ball)\n";
    assert_eq!((saved.code, &saved.err[..]), (0, warnings));
    assert_eq!(cast(&folder, "a.hitscene", "--layers 1"), "shell:1");
}

#[test]
fn conversion_says_that_names_of_geometries_are_lost() {
    let folder = folder("geometry-names");
    let names: Vec<String> = ('a'..='i').map(String::from).collect();
    let geometry = |name: &String| {
        format!(
            "[[geometry]]\nname = \"{name}\"\ntype = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n[[object]]\ngeometry = \"{name}\"\n"
        )
    };
    for (count, listed) in [(8, "a, b, c, d, e, f, g, h"), (9, "a, b, c, d, e, f, g, h, …")] {
        folder.file("named.toml", names[..count].iter().map(geometry).collect::<String>());
        let saved = folder.run("convert named.toml -o a.hitscene");
        let warning = format!("hitscan: warning: a.hitscene has no names of geometries ({listed})\n");
        assert_eq!((saved.code, saved.err), (0, warning));
    }
}

/// A scene file has no user data, which Rust gives to objects.
#[test]
fn conversion_says_that_user_data_is_lost() {
    use hitscan::{Object, Scene, Sphere, glam::Vec3};
    let folder = folder("user-data");
    let mut scene = Scene::<Vec3>::new();
    for data in [0, 7, 8] {
        let ball = Sphere::new(Vec3::X * data as f32, 0.25).unwrap();
        scene.insert(Object::new(ball).with_user_data(data)).unwrap();
    }
    folder.file("a.hitscene", scene.to_bytes().unwrap());
    let converted = folder.run("convert a.hitscene -o b.toml");
    let warning = "hitscan: warning: b.toml: the user data of 2 objects is not kept\n";
    assert_eq!((converted.code, &converted.err[..]), (0, warning));
    assert_eq!(folder.done("convert a.hitscene -o c.hitscene"), "");
}
