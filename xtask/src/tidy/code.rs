//! Rules on words in code: features, geometry in front ends, guessed tolerances, code in lists of modules.

use super::tokens::{Kind, Token};
use super::tree::{File, Finding, Tree};

const LIBRARY: &str = "crates/hitscan/src/";

/// An exception to a rule: paths that start like this, and why they may.
type Exception = (&'static str, &'static str);

fn excepted(list: &[Exception], path: &str) -> bool {
    list.iter().any(|(prefix, _)| path.starts_with(prefix))
}

/// Words that choose a dimension or a precision.
const DIMENSION_OR_PRECISION: &[&str] =
    &["dim", "dim2", "dim3", "2d", "3d", "f32", "f64", "single", "double", "precision", "dimension"];

/// No feature and no `cfg` of our own chooses dimension or precision. The lint `unexpected_cfgs` of rustc refuses every
/// condition that neither the table `[features]` nor a line with `check-cfg` declares.
pub(super) fn features(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with("Cargo.toml") || file.path.ends_with("build.rs")) {
        let mut table = "";
        for (line, text) in file.lines() {
            table = if text.starts_with('[') { text } else { table };
            let is_feature = table == "[features]" && !text.starts_with(['[', '#']);
            let declared = match (is_feature, text.split_once("check-cfg")) {
                (true, _) => text.split('=').next().unwrap_or(""),
                (false, Some((_, conditions))) => conditions,
                (false, None) => "",
            };
            let mut words = declared.split(|c: char| !c.is_ascii_alphanumeric());
            if let Some(word) = words.find(|word| DIMENSION_OR_PRECISION.contains(word)) {
                findings.push(file.finding(line, format!("conditional compilation on `{word}`")));
            }
        }
    }
    findings
}

const FRONT_ENDS: &[&str] = &[
    "crates/hitscan-io/src/",
    "crates/hitscan-cli/src/",
    "crates/hitscan-py/python/",
    "crates/hitscan-py/src/",
    "crates/hitscan-npm/src/",
    "crates/hitscan-wasm/src/",
];

/// Functions that are geometry: of Rust, then of NumPy and of Python's `math`. `distance` and `length` are not among them:
/// a hit has one to read, and so has a list.
const GEOMETRY: &str = "sqrt hypot cross dot perp_dot length_squared distance_squared normalize normalize_or_zero \
                        try_normalize sin cos tan sin_cos asin acos atan atan2 \
                        norm einsum arcsin arccos arctan arctan2 dist vdot inner";

const FRONT_ENDS_THAT_COMPUTE: &[Exception] = &[
    ("crates/hitscan-cli/src/render/", "a camera makes rays, and shading takes the cosine of normal and ray"),
    ("crates/hitscan-cli/src/demo/trefoil.rs", "the corners of the mesh that the demo shows"),
    ("crates/hitscan-io/src/scene/transform.rs", "a rotation in a scene file becomes axes, by cosine and sine"),
    ("crates/hitscan-py/python/hitscan/_plot.py", "a picture: directions of view and lengths of arrows"),
    ("crates/hitscan-py/python/hitscan/open3d.py", "normals and rays of a pinhole camera, as Open3D computes them"),
    ("crates/hitscan-py/python/hitscan/trimesh.py", "faces at one point are chosen by their normals, as trimesh does"),
    ("crates/hitscan-wasm/src/textbook.rs", "the formulas that everybody copies, beside the library's answers"),
];

/// Front ends call no geometry of their own.
pub(super) fn front_end(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_front_end = |file: &File| FRONT_ENDS.iter().any(|prefix| file.path.starts_with(prefix)) && !file.is_test();
    for file in tree.files.iter().filter(|file| is_front_end(file) && !excepted(FRONT_ENDS_THAT_COMPUTE, &file.path)) {
        let is_geometry = |name: &str| GEOMETRY.split_whitespace().any(|function| function == name);
        for (line, name) in calls(file).into_iter().filter(|(_, name)| is_geometry(name)) {
            let what = format!("`{name}` computes geometry: call the library, or add an exception with its reason");
            findings.push(file.finding(line, what));
        }
    }
    findings
}

/// The functions that a file calls behind `.` or `::`, with their lines: of Rust without tests, of Python by lines.
fn calls(file: &File) -> Vec<(usize, &str)> {
    if let Some(tokens) = &file.tokens {
        let is_call = |at: &usize| matches!(tokens.before(*at), "." | "::") && tokens.text(at + 1) == "(";
        let calls = (0..tokens.all.len()).filter(is_call).filter(|at| !tokens.all[*at].test);
        return calls.map(|at| (tokens.all[at].line, tokens.text(at))).collect();
    }
    let mut calls = Vec::new();
    for (line, text) in file.lines().filter(|_| file.is_python()) {
        let code = text.split(" # ").next().unwrap_or("");
        for (open, _) in code.match_indices('(') {
            let mut words = code[..open].rsplit(|c: char| !c.is_alphanumeric() && c != '_');
            let name = words.next().unwrap_or("");
            if code[..open - name.len()].ends_with('.') {
                calls.push((line, name));
            }
        }
    }
    calls
}

/// Files that may name the unit roundoff, with the reasons. Small decimal numbers have no exceptions.
const ROUNDOFF_HOMES: &[Exception] = &[
    ("crates/hitscan/src/math/", "defines the unit roundoff and builds error bounds from it"),
    ("crates/hitscan/src/basis.rs", "the axes of a caller are of unit length and at right angles up to rounding only"),
    ("crates/hitscan/src/spawn.rs", "the error of a point is a part of the distance travelled, derived there"),
];

/// No small numbers and no `EPSILON` in the library, tests aside.
pub(super) fn tolerance(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in tree.rust().filter(|(f, _)| f.path.starts_with(LIBRARY) && !f.is_test()) {
        let excused = |token: &Token| token.text == "EPSILON" && excepted(ROUNDOFF_HOMES, &file.path);
        for token in tokens.all.iter().filter(|token| !token.test && is_tolerance(token) && !excused(token)) {
            let what = format!("`{}` looks like a tolerance: take an error bound from `math`", token.text);
            findings.push(file.finding(token.line, what));
        }
    }
    findings
}

fn is_tolerance(token: &Token) -> bool {
    let text = token.text.to_ascii_lowercase().replace('_', "");
    let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && !text.starts_with("0x");
    match token.kind {
        Kind::Literal => is_number && (text.contains("e-") || text.starts_with("0.00")),
        _ => token.text == "EPSILON",
    }
}

/// In the library, a `mod.rs` lists modules and re-exports names, so that each name has a file that says it.
pub(super) fn mod_lists(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in tree.rust().filter(|(f, _)| f.path.starts_with(LIBRARY) && f.path.ends_with("/mod.rs")) {
        for item in tokens.items(0, tokens.all.len()).filter(|item| !tokens.all[item.keyword].test) {
            let word = tokens.text(item.keyword);
            if !matches!(word, "mod" | "use") || (word == "mod" && tokens.text(item.end - 1) == "}") {
                let what = format!("`{word}`: a mod.rs holds modules and re-exports only; move the rest to a file");
                findings.push(file.finding(tokens.all[item.keyword].line, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const SPHERE: &str = "crates/hitscan/src/shapes/sphere.rs";

    #[test]
    fn features_choose_neither_dimension_nor_precision() {
        let path = "crates/hitscan/Cargo.toml";
        let clean = "[features]\n# f32\nstd = [\"glam/f64\"]\nlibm = []\n[dependencies]\nparry3d = 1\nf64 = 1\n";
        assert_eq!(found(features, &[(path, clean), (SPHERE, "[features]\ndim2")]), [""; 0]);
        for bad in ["[features]\ndim2 = []", "[features]\nstd = []\n\"double-precision\" = []"] {
            let line = bad.lines().count();
            assert_eq!(found(features, &[(path, bad)]), [format!("{path}:{line}")], "{bad}");
        }
        let build = "println!(\"cargo::rustc-check-cfg=cfg(single)\");";
        assert_eq!(found(features, &[("crates/a/build.rs", build)]), ["crates/a/build.rs:1"]);
    }

    #[test]
    fn front_ends_do_not_compute() {
        let path = "crates/hitscan-io/src/stl.rs";
        let text = "fn f(a: Vec3, b: Vec3) -> f32 {\n    a.cross(b);\n    f32::sqrt(2.0)\n}";
        assert_eq!(found(front_end, &[(path, text)]), [format!("{path}:2"), format!("{path}:3")]);
        let clean =
            "fn cross() { hit.distance(); cross(); \"a.cross(b)\" } #[cfg(test)] mod tests { fn f() { a.dot(b); } }";
        let files = [(path, clean), (SPHERE, text), ("crates/hitscan-cli/src/render/camera.rs", text)];
        assert_eq!(found(front_end, &files), [""; 0]);
    }

    #[test]
    fn the_python_package_does_not_compute() {
        let path = "crates/hitscan-py/python/hitscan/_results.py";
        let text = "a = np.cross(b, c)\nd = np.linalg.norm(a, axis=1)\ncross(a)\nhits.distance()\n# a.dot(b)\n";
        assert_eq!(found(front_end, &[(path, text)]), [1, 2, 5].map(|line| format!("{path}:{line}")));
        let test = "crates/hitscan-py/tests/test_a.py";
        assert_eq!(found(front_end, &[(test, text), (path, "a = b  # c.dot(d)\n")]), [""; 0]);
    }

    #[test]
    fn tolerances_are_derived() {
        let bad = "const A: f64 = 1e-6;\nlet b = 1.5E-9_f64;\nlet c = f32::EPSILON;\nlet d = 0.000_1;";
        let expected = [1, 2, 3, 4].map(|line| format!("{SPHERE}:{line}"));
        assert_eq!(found(tolerance, &[(SPHERE, bad)]), expected);
        let real = "crates/hitscan/src/math/real.rs";
        assert_eq!(found(tolerance, &[(real, bad)]), [1, 2, 4].map(|line| format!("{real}:{line}")));
        let clean = "/// within 1e-6\nconst A: f64 = 0.5 + 1e6 - 0x1e as f64; // 1e-9\n\
                     #[cfg(test)]\nmod tests { const T: f64 = 1e-9; }";
        let files = [(SPHERE, clean), ("crates/hitscan/tests/a.rs", bad), ("crates/hitscan/src/shapes/tests.rs", bad)];
        assert_eq!(found(tolerance, &files), [""; 0]);
    }

    #[test]
    fn mod_files_are_lists() {
        let path = "crates/hitscan/src/bvh/mod.rs";
        let list = "//! Docs.\n#![allow(dead_code)]\n#[cfg(unix)]\npub(crate) mod a;\nmod b;\npub use a::{B, C};\n#[cfg(test)]\nmod tests { fn f() {} }";
        let files = [(path, list), ("crates/hitscan/src/ray.rs", "fn f() {}"), ("xtask/src/tidy/mod.rs", "fn f() {}")];
        assert_eq!(found(mod_lists, &files), [""; 0]);
        for bad in ["fn f() {}", "pub(crate) const A: u8 = 1;", "impl A {}", "mod a { fn f() {} }", "make!(A);"] {
            assert_eq!(found(mod_lists, &[(path, &format!("mod a;\n{bad}"))]), [format!("{path}:2")], "{bad}");
        }
    }

    #[test]
    fn exceptions_are_needed() {
        let tree =
            Tree::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("git lists the files");
        for (path, _) in FRONT_ENDS_THAT_COMPUTE {
            let is_geometry = |name: &str| GEOMETRY.split_whitespace().any(|function| function == name);
            let mut files = tree.files.iter().filter(|file| file.path.starts_with(path));
            assert!(files.any(|file| calls(file).iter().any(|(_, name)| is_geometry(name))), "{path}");
        }
        for (path, _) in ROUNDOFF_HOMES {
            let mut files = tree.rust().filter(|(file, _)| file.path.starts_with(path));
            assert!(files.any(|(_, tokens)| tokens.all.iter().any(|token| token.text == "EPSILON")), "{path}");
        }
    }
}
