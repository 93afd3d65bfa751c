//! Files that are written: never an input, never half of one.

use crate::support::{BALL, CommandResult, Folder};
use std::fs;
use std::process::{Command, Stdio};

const RAYS: &str = "ox,oy,oz,dx,dy,dz\n0,0,0,1,1,1\n";

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::new("same-file");
    folder.file("ball.toml", BALL);
    folder.file("rays.csv", RAYS);
    fs::create_dir(folder.path("sub")).unwrap();
    fs::hard_link(folder.path("rays.csv"), folder.path("hard.csv")).unwrap();
    fs::hard_link(folder.path("ball.toml"), folder.path("scene.csv")).unwrap();
    let mut outputs = vec![
        ("rays.csv", "rays.csv"),
        ("./rays.csv", "rays.csv"),
        ("sub/../rays.csv", "rays.csv"),
        ("hard.csv", "rays.csv"),
        ("scene.csv", "ball.toml"),
    ];
    if cfg!(unix) {
        link("rays.csv", &folder, "soft.csv");
        link("ball.toml", &folder, "soft-scene.csv");
        outputs.extend([("soft.csv", "rays.csv"), ("soft-scene.csv", "ball.toml")]);
    }
    let names = folder.names();
    for (output, input) in outputs {
        let result = folder.run(&format!("cast ball.toml --rays rays.csv -o {output}"));
        let message = format!("{output}: the output is the input {input}: choose another name for it");
        assert_eq!((result.code, result.err), (1, format!("hitscan: {message}\n")));
    }
    assert_eq!((folder.read("rays.csv"), folder.read("ball.toml")), (RAYS.into(), BALL.into()));
    assert_eq!(folder.names(), names);
    // Standard input may be a file, too.
    let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command.args(["cast", "ball.toml", "--rays", "-", "-o", "rays.csv"]).current_dir(folder.path("."));
    let output = command.stdin(fs::File::open(folder.path("rays.csv")).unwrap()).output().unwrap();
    let message = "hitscan: rays.csv: the output is standard input: choose another name for it\n";
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(1), message));
    assert_eq!(folder.read("rays.csv"), RAYS.as_bytes());
    // A link to another file is no input.
    folder.done("cast ball.toml --rays rays.csv -o hits.csv");
    folder.done("cast ball.toml --rays rays.csv -o hits.csv");
}

#[test]
fn conversions_in_place_are_refused() {
    let folder = Folder::new("convert-in-place");
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    folder.file("mesh.obj", mesh);
    folder.file(
        "plain-0.ply",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    );
    folder.file("scene.toml", "[[shape]]\ntype = 'mesh'\nfile = 'plain-0.ply'\n");
    let before = folder.read("plain-0.ply");
    for (line, output, input) in [
        ("convert mesh.obj -o mesh.obj", "mesh.obj", "mesh.obj"),
        ("convert scene.toml -o scene.toml", "scene.toml", "scene.toml"),
        // The mesh of the new scene would replace that of the old one.
        ("convert scene.toml -o plain.toml", "plain-0.ply", "plain-0.ply"),
    ] {
        let result = folder.run(line);
        let message = format!("hitscan: {output}: the output is the input {input}: choose another name for it\n");
        assert_eq!((result.code, result.err), (1, message), "{line}");
    }
    assert_eq!((folder.read("mesh.obj"), folder.read("plain-0.ply")), (mesh.into(), before));
}

/// The meshes of a scene have names that the user did not give.
#[test]
fn a_conversion_replaces_no_file_that_its_scene_does_not_name() {
    let folder = Folder::new("convert-meshes");
    let triangle = |x: i32| format!("v 0 0 0\nv {x} 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.file("a.obj", triangle(1));
    folder.file("b.obj", triangle(2));
    let scene = "[[shape]]\ntype = 'mesh'\nfile = 'a.obj'\n[[shape]]\ntype = 'mesh'\nfile = 'b.obj'\n";
    folder.file("m.toml", scene);
    folder.file("scan-1.ply", "of the user");
    let advice = "would replace this file: move it, or choose another name for the scene";
    let refused = |line: &str, file: &str, output: &str| {
        let before = folder.names();
        let result = folder.run(line);
        let message = format!("hitscan: {file}: a mesh of {output} {advice}\n");
        assert_eq!((result.code, result.err, folder.names()), (1, message, before));
        assert_eq!(folder.read("scan-1.ply"), b"of the user");
    };
    refused("convert m.toml -o scan.toml", "scan-1.ply", "scan.toml");
    // A scene of another kind, and one that names another file.
    for other in ["not TOML", "[[shape]]\ntype = 'mesh'\nfile = 'scan-0.ply'\n"] {
        folder.file("scan.toml", other);
        refused("convert m.toml -o scan.toml", "scan-1.ply", "scan.toml");
        assert_eq!(folder.read("scan.toml"), other.as_bytes());
    }
    folder.done("convert m.toml -o out.toml");
    let first = folder.read("out-0.ply");
    folder.file("a.obj", triangle(3));
    folder.done("convert m.toml -o out.toml");
    assert_ne!(folder.read("out-0.ply"), first, "a repeated conversion replaces its files");
}

#[cfg(unix)]
fn link(goal: &str, folder: &Folder, name: &str) {
    std::os::unix::fs::symlink(folder.path(goal), folder.path(name)).unwrap();
}

#[cfg(not(unix))]
fn link(_: &str, _: &Folder, _: &str) {}

/// A cast of rays that never end, interrupted when its unfinished file exists.
#[cfg(unix)]
#[test]
fn signals_leave_no_unfinished_file() {
    use std::io::Write;
    use std::time::{Duration, Instant};
    let folder = Folder::new("signals");
    folder.file("ball.toml", BALL);
    folder.file("hits.csv", "old");
    let names = folder.names();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.args(["cast", "ball.toml", "--rays", "-", "-o", "hits.csv"]).current_dir(folder.path("."));
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let rows = "0,0,0,1,1,1\n".repeat(1000);
            let mut open = stdin.write_all(b"ox,oy,oz,dx,dy,dz\n").is_ok();
            while open {
                open = stdin.write_all(rows.as_bytes()).is_ok();
            }
        });
        let start = Instant::now();
        while folder.names() == names {
            assert!(start.elapsed() < Duration::from_secs(120), "no unfinished file appears");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(folder.names().iter().any(|name| name.ends_with(".part")));
        let killed = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        writer.join().unwrap();
        assert_eq!((folder.names(), folder.read("hits.csv")), (names.clone(), b"old".to_vec()), "{signal}");
    }
}

/// `-` is standard output in every command, and standard input for tables.
#[test]
fn a_hyphen_is_standard_output() {
    let refuses = |result: &CommandResult, message: &str| {
        assert!(result.code != 0 && result.out.is_empty() && result.err.contains(message), "{result:?}");
    };
    let folder = Folder::new("hyphen");
    folder.file("ball.toml", BALL);
    folder.file("flat.toml", "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [0, 0]\nradius = 1\n");
    folder.file("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.file("rays.csv", RAYS);
    folder.file("points.csv", "px,py,pz\n0,0,9\n");
    folder.file("wrong.csv", "ox,oy,oz,dx,dy,dz\n0,0,x,1,1,1\n");
    let names = folder.names();
    // Tables: the same as without -o.
    for line in [
        "cast ball.toml --rays rays.csv",
        "cast ball.toml --ray 0,0,0,1,1,1",
        "cast ball.toml --rays rays.csv --format jsonl",
        "distance ball.toml --points points.csv",
        "contains ball.toml --points points.csv",
        "overlap ball.toml --points points.csv --radius 1",
    ] {
        assert_eq!(folder.done(&format!("{line} -o -")), folder.done(line), "{line}");
    }
    let piped = folder.run_with("cast --rays - ball.toml -o - -q", RAYS.as_bytes());
    assert_eq!((piped.code, piped.text()), (0, &folder.done("cast ball.toml --rays rays.csv")[..]));
    refuses(&folder.run("cast ball.toml --rays rays.csv --format las -o -"), "-o needs a file");
    // Rows that cannot be read.
    let line = "cast ball.toml --rays wrong.csv --on-error skip --bad-rows -";
    refuses(&folder.run(&format!("{line} -o -")), "--bad-rows -: standard output has the results");
    assert!(folder.run(&format!("{line} -o hits.csv")).text().starts_with("file,row,line,column,value,reason\n"));
    fs::remove_file(folder.path("hits.csv")).unwrap();
    // Pictures.
    assert!(folder.run("render ball.toml --width 8 --height 8 -o -").out.starts_with(b"\x89PNG"));
    assert!(folder.done("render flat.toml -o -").starts_with("<svg"));
    refuses(&folder.run("explain flat.toml --ray 3,0,-1,0 --picture -"), "standard output has the explanation");
    refuses(&folder.run("demo -o -"), "standard output has the tables of hits");
    // Meshes and scenes.
    assert!(folder.done("convert mesh.obj -o - --format obj").starts_with("v 0 0 0\n"));
    assert!(folder.run("convert mesh.obj -o - --format ply").out.starts_with(b"ply\nformat binary"));
    assert!(folder.run("convert mesh.obj -o - --format hitmesh").out.starts_with(b"hitmesh\n"));
    assert!(folder.run("convert ball.toml -o - --format hitscene").out.starts_with(b"hitscene\n"));
    assert!(folder.done("convert ball.toml -o - --format toml").contains("[[shape]]"));
    refuses(&folder.run("convert mesh.obj -o - --format toml"), "a mesh has a file of its own beside the scene");
    refuses(&folder.run("convert mesh.obj -o -"), "--format says what to write");
    assert_eq!(folder.names(), names);
}
