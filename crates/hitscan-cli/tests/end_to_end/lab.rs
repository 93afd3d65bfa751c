//! `hitscan lab`: a real process, and requests like those of a browser.

use crate::support::Folder;
use serde_json::Value as Json;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PAGE: &str = "<!doctype html><html><head><title>lab</title></head><body>the page</body></html>";

/// A running server, ended when it is dropped.
struct Server {
    process: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command.arg("lab").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut process = program(&[&["--port", "0", "--no-open"], arguments].concat()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split("http://127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
        Self { port: port.unwrap_or_else(|| panic!("no address in '{line}'")), process }
    }

    /// The head and the body of the response to a request.
    fn send(&self, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.replace('\n', "\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    fn get(&self, path: &str) -> (String, String) {
        self.send(&format!("GET {path} HTTP/1.1\nHost: 127.0.0.1:{}\n\n", self.port))
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn one_page_for_this_machine() {
    let folder = Folder::new("lab-page");
    let page = folder.path("page.html");
    fs::write(&page, PAGE).unwrap();
    let server = Server::start(&["--page", text(&page)]);

    let (head, body) = server.get("/");
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("Content-Type: text/html; charset=utf-8"),
        "{head}"
    );
    assert!(head.contains(&format!("Content-Length: {}\r\n", PAGE.len())) && head.contains("Cache-Control: no-store"));
    assert_eq!(body, PAGE);
    assert_eq!(server.get("/?shared#link").1, PAGE);

    let port = server.port;
    let (head, body) = server.send(&format!("HEAD / HTTP/1.1\nHost: localhost:{port}\n\n"));
    assert!(head.contains(&format!("Content-Length: {}\r\n", PAGE.len())) && body.is_empty(), "{head}");
    assert!(server.get("/favicon.ico").0.starts_with("HTTP/1.1 404 "));
    assert!(server.get("/../Cargo.toml").0.starts_with("HTTP/1.1 404 "));
    let (head, _) = server.send(&format!("POST / HTTP/1.1\nHost: localhost:{port}\n\n"));
    assert!(head.starts_with("HTTP/1.1 405 ") && head.contains("\r\nAllow: GET, HEAD"), "{head}");

    // A page of another host must not read the scene, even if its name resolves to this machine.
    for host in [format!("evil.example:{port}"), "127.0.0.1".to_owned(), format!("127.0.0.1.evil.example:{port}")] {
        assert!(server.send(&format!("GET / HTTP/1.1\nHost: {host}\n\n")).0.starts_with("HTTP/1.1 403 "), "{host}");
    }
    for damaged in ["GET / HTTP/1.1\n\n", "\n\n", "nonsense\n\n"] {
        assert!(server.send(damaged).0.starts_with("HTTP/1.1 400 "), "{damaged:?}");
    }
    // A silent connection delays no other.
    let _silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
    assert_eq!(server.get("/").1, PAGE);
}

#[test]
fn a_scene_travels_in_the_page_and_is_read_anew() {
    let folder = Folder::new("lab-scene");
    let (page, scene, mesh) = (folder.path("page.html"), folder.path("cave.toml"), folder.path("rock.obj"));
    fs::write(&page, PAGE).unwrap();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    fs::write(&mesh, triangle).unwrap();
    let toml = "[[shape]]\ntype = \"mesh\"\nname = \"</script><b>\"\nfile = \"rock.obj\"\n";
    fs::write(&scene, toml).unwrap();
    let server = Server::start(&[text(&scene), "--page", text(&page)]);
    let embedded = || -> Json {
        let (_, body) = server.get("/");
        let start = "<script type=\"application/json\" id=\"hitscan-scene\">";
        let rest = body.split(start).nth(1).unwrap_or_else(|| panic!("no scene in {body}"));
        assert!(rest.contains("</script></head><body>"), "{rest}");
        serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
    };
    let json = embedded();
    assert_eq!((json["name"].as_str(), json["toml"].as_str()), (Some("cave.toml"), Some(toml)));
    assert_eq!(json["files"]["rock.obj"], "diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKZiAxIDIgMwo=");

    let changed = "[[shape]]\ntype = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
    fs::write(&scene, changed).unwrap();
    assert_eq!(embedded()["toml"], changed);
    fs::write(&scene, "[[shape]]\ntype = \"sphere\"\n").unwrap();
    let (head, body) = server.get("/");
    assert!(
        head.starts_with("HTTP/1.1 500 ") && body.contains("cave.toml: shape 0 (line 1): missing 'center'"),
        "{body}"
    );

    let server = Server::start(&[text(&mesh), "--page", text(&page)]);
    let (_, body) = server.get("/");
    assert!(body.contains(r#"file = \"rock.obj\""#), "{body}");
}

#[test]
fn a_saved_scene_travels_as_a_scene_file() {
    let folder = Folder::new("lab-saved");
    let page = folder.path("page.html");
    fs::write(&page, PAGE).unwrap();
    folder.file("rock.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let scene = "[[geometry]]\nname = 'rock'\ntype = 'mesh'\nfile = 'rock.obj'\n\n\
        [[object]]\ngeometry = 'rock'\ntransform = { translation = [0.1, 0, 0] }\n\n\
        [[object]]\nname = 'second'\ngeometry = 'rock'\nlayer = 3\n\n\
        [[shape]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0.3, 0, 9]\nradius = 1\n";
    folder.file("scene.toml", scene);
    let saved = folder.run("convert scene.toml -o saved.hitscene");
    let warning = "hitscan: warning: saved.hitscene has no names of geometries (rock)\n";
    assert_eq!((saved.code, &saved.err[..]), (0, warning));
    let server = Server::start(&[text(&folder.path("saved.hitscene")), "--page", text(&page)]);
    let json: Json = serde_json::from_str(
        server.get("/").1.split("id=\"hitscan-scene\">").nth(1).unwrap().split("</script>").next().unwrap(),
    )
    .unwrap();
    assert_eq!(json["name"], "saved.hitscene");
    // The text that `convert` writes, but for the name of the mesh file.
    folder.done("convert saved.hitscene -o again.toml");
    let (toml, again) = (json["toml"].as_str().unwrap(), fs::read_to_string(folder.path("again.toml")).unwrap());
    assert_eq!(toml.replace("mesh-0.ply", "again-0.ply"), again);
    let begins = "cGx5CmZvcm1hdCBiaW5hcnlfbGl0dGxlX2VuZGlhbiAxLjAK"; // "ply\nformat binary_little_endian 1.0\n"
    assert!(json["files"]["mesh-0.ply"].as_str().unwrap().starts_with(begins), "{json}");
    assert_eq!(json["files"].as_object().unwrap().len(), 1);

    folder.file("rules.toml", scene.replace("layer = 3", "trigger = true"));
    assert_eq!(folder.run("convert rules.toml -o rules.hitscene").code, 0);
    let rules = folder.path("rules.hitscene");
    let output = program(&["--no-open", "--page", text(&page), text(&rules)]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("rules.hitscene: the lab has no `trigger`"));
}

#[test]
fn errors_stop_the_server_before_it_starts() {
    let folder = Folder::new("lab-wrong");
    let (page, scene) = (folder.path("page.html"), folder.path("bad.toml"));
    fs::write(&page, PAGE).unwrap();
    fs::write(&scene, "[[shape]]\ntype = \"spehre\"\n").unwrap();
    let message = |arguments: &[&str]| {
        let output = program(&[&["--no-open", "--page", text(&page)], arguments].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(message(&[text(&scene)]).contains("unknown type 'spehre'"));
    assert!(message(&["nowhere.toml"]).starts_with("hitscan: nowhere.toml: No such file"));
    let server = Server::start(&["--page", text(&page)]);
    let taken = message(&["--port", &server.port.to_string()]);
    assert!(taken.contains(&format!("port {} is taken: choose another one with --port", server.port)), "{taken}");
    let missing = program(&["--no-open", "--page", "nowhere.html"]).output().unwrap();
    assert!(String::from_utf8_lossy(&missing.stderr).starts_with("hitscan: nowhere.html: No such file"));
}

/// A program without the page says in one line how to get it.
#[test]
fn a_program_without_the_page_says_how_to_get_it() {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/dist/index.html.gz");
    if built.is_file() || std::env::var_os("HITSCAN_LAB_PAGE").is_some() {
        // This program has a page: it is served.
        let server = Server::start(&[]);
        assert!(server.get("/").0.starts_with("HTTP/1.1 200 OK\r\n"));
        return;
    }
    let output = program(&["--no-open"]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), err.lines().count()), (Some(1), 1), "{err}");
    assert!(err.contains("run `cargo xtask lab` in the repository"), "{err}");
}
