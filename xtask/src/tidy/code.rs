//! Rules on words in code: conditional compilation, geometry in front ends, guessed tolerances.

use super::tokens::{Kind, Token};
use super::tree::{Finding, Tree};

/// An exception to a rule: paths that start like this, and why they may.
type Exception = (&'static str, &'static str);

fn excepted(list: &[Exception], path: &str) -> bool {
    list.iter().any(|(prefix, _)| path.starts_with(prefix))
}

/// Words that choose a dimension or a precision.
const DIMENSION_OR_PRECISION: &[&str] =
    &["dim", "dim2", "dim3", "2d", "3d", "f32", "f64", "single", "double", "precision", "dimension"];

/// No conditional compilation depends on a dimension or a precision.
pub(super) fn dimension_cfg(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in tree.rust() {
        for (index, token) in tokens.all.iter().enumerate().filter(|(_, t)| matches!(&*t.text, "cfg" | "cfg_attr")) {
            let open = index + 1 + usize::from(tokens.text(index + 1) == "!");
            let is_name = index > 0 && matches!(tokens.text(index - 1), "." | "fn");
            if is_name || tokens.text(open) != "(" {
                continue;
            }
            let mut end = tokens.all[open].partner;
            if token.text == "cfg_attr" {
                end = tokens.find(open + 1, end, &[","]); // an attribute follows, not a condition
            }
            let condition: Vec<String> = (open..end).map(|at| tokens.text(at).to_ascii_lowercase()).collect();
            let mut words = condition.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric()));
            if let Some(word) = words.find(|word| DIMENSION_OR_PRECISION.contains(word)) {
                findings.push(file.finding(token.line, format!("conditional compilation on `{word}`")));
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
    "crates/hitscan-wasm/src/",
];

/// Calls that are geometry. `distance` and `length` are not among them: a hit has one to read, and so has a list.
const GEOMETRY: &[&str] = &[
    "sqrt",
    "hypot",
    "cross",
    "dot",
    "perp_dot",
    "length_squared",
    "distance_squared",
    "normalize",
    "normalize_or_zero",
    "try_normalize",
    "sin",
    "cos",
    "tan",
    "sin_cos",
    "asin",
    "acos",
    "atan",
    "atan2",
];

const FRONT_ENDS_THAT_COMPUTE: &[Exception] = &[
    // `render.rs` or the files of `render/`
    (
        "crates/hitscan-cli/src/render",
        "a camera turns pixels into rays, and shading takes the cosine of normal and ray",
    ),
    (
        "crates/hitscan-io/src/scene/transform.rs",
        "a rotation in a scene file becomes axes: the cosine and sine of its angle",
    ),
    (
        "crates/hitscan-wasm/src/textbook.rs",
        "the formulas that everybody copies, shown beside the answers of the library",
    ),
    ("crates/hitscan-cli/src/demo/trefoil.rs", "the corners of the mesh that the demo shows"),
    (
        "crates/hitscan-py/python/hitscan/open3d.py",
        "the drop-in answers with Open3D's normals, and makes the rays of a pinhole camera as Open3D does",
    ),
    (
        "crates/hitscan-py/python/hitscan/trimesh.py",
        "the drop-in chooses among faces at one point by their normals, as trimesh does",
    ),
    ("crates/hitscan-py/python/hitscan/_plot.py", "a picture: directions of view and lengths of arrows"),
    ("crates/hitscan-io/src/scene/fields.rs", "axes that are orthonormal in f32 are made so in f64"),
];

/// Functions of NumPy and of Python's `math` that are geometry and have other names than those of Rust.
const PYTHON_GEOMETRY: &[&str] = &["norm", "einsum", "arcsin", "arccos", "arctan", "arctan2", "dist", "vdot", "inner"];

/// The names of functions that a line of Python calls by a dot: `np.cross(`. The rule reads comments and docstrings, too.
fn python_calls(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split(" # ").next().unwrap_or("");
    code.match_indices('(').filter_map(move |(at, _)| {
        let before = &code[..at];
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        before[..before.len() - name.len()].ends_with('.').then_some(name)
    })
}

/// Front ends call no geometry of their own.
pub(super) fn front_end(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_front_end = |path: &str| FRONT_ENDS.iter().any(|prefix| path.starts_with(prefix));
    let checked = |path: &str| is_front_end(path) && !excepted(FRONT_ENDS_THAT_COMPUTE, path);
    for (file, tokens) in tree.rust().filter(|(f, _)| checked(&f.path) && !f.is_test()) {
        for (index, token) in tokens.all.iter().enumerate().skip(1).filter(|(_, token)| !token.test) {
            let is_call = matches!(tokens.text(index - 1), "." | "::") && tokens.text(index + 1) == "(";
            if is_call && GEOMETRY.contains(&token.text.as_str()) {
                let what = format!(
                    "`{}` computes geometry: call the library, or add an exception with its reason",
                    token.text
                );
                findings.push(file.finding(token.line, what));
            }
        }
    }
    for file in tree.files.iter().filter(|file| file.is_python() && checked(&file.path)) {
        for (line, text) in (1..).zip(file.text.lines()) {
            let is_geometry = |name: &&str| GEOMETRY.contains(name) || PYTHON_GEOMETRY.contains(name);
            if let Some(name) = python_calls(text).find(is_geometry) {
                let what = format!("`{name}` computes geometry: call the library, or add an exception with its reason");
                findings.push(file.finding(line, what));
            }
        }
    }
    findings
}

/// Files that may name the unit roundoff, with the reasons. Small decimal numbers have no exceptions.
const ROUNDOFF_HOMES: &[Exception] = &[
    ("crates/hitscan/src/math/", "defines the unit roundoff and builds error bounds from it"),
    (
        "crates/hitscan/src/basis.rs",
        "the axes a caller gives are of unit length and at right angles up to rounding only",
    ),
    ("crates/hitscan/src/spawn.rs", "the error of a point is a part of the distance travelled, derived there"),
];

/// No small numbers and no `EPSILON` in the library, tests aside.
pub(super) fn tolerance(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in tree.rust().filter(|(f, _)| f.path.starts_with("crates/hitscan/src/") && !f.is_test()) {
        let excused = |token: &Token| token.text == "EPSILON" && excepted(ROUNDOFF_HOMES, &file.path);
        for token in tokens.all.iter().filter(|token| !token.test && is_tolerance(token) && !excused(token)) {
            let what = format!(
                "`{}` looks like a tolerance: take an error bound from `math`, or add an exception with its reason",
                token.text
            );
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

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const SPHERE: &str = "crates/hitscan/src/shapes/sphere.rs";

    #[test]
    fn cfg_asks_neither_dimension_nor_precision() {
        let clean = "#[cfg(feature = \"std\")] mod a;\n#[cfg(target_feature = \"avx512f\")] mod b;\n// #[cfg(feature = \"dim2\")]\n\
                     #[cfg_attr(feature = \"serde\", doc = \"for f32\")] mod c;\nfn cfg(f32: u8) {}\nlet s = \"cfg(dim2)\";";
        assert_eq!(found(dimension_cfg, &[(SPHERE, clean)]), [""; 0]);
        for bad in [
            "#[cfg(feature = \"dim2\")] mod a;",
            "#[cfg(all(test, not(feature = \"f64\")))] mod a;",
            "#![cfg_attr(feature = \"double-precision\", allow(unused))]",
            "fn f() { if cfg!(single) {} }",
        ] {
            assert_eq!(found(dimension_cfg, &[(SPHERE, bad)]), [format!("{SPHERE}:1")], "{bad}");
        }
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
}
