//! Rules on words in code: conditional compilation, `unsafe`, geometry in front ends, guessed tolerances.

use super::source::{Token, closing, reads};
use super::{Finding, Tree};

/// An exception to a rule: paths that start like this, and why they may.
type Exception = (&'static str, &'static str);

fn excepted(list: &[Exception], path: &str) -> bool {
    list.iter().any(|(prefix, _)| path.starts_with(prefix))
}

/// Words that choose a dimension or a precision.
const DIMENSION_OR_PRECISION: &[&str] =
    &["dim", "dim2", "dim3", "2d", "3d", "f32", "f64", "single", "double", "precision", "dimension"];

/// No conditional compilation asks for a dimension or a precision.
pub(super) fn dimension_cfg(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.rust() {
        let tokens = source.tokens();
        for (index, token) in tokens.iter().enumerate().filter(|(_, t)| matches!(t.text, "cfg" | "cfg_attr")) {
            let open = index + 1 + usize::from(reads(&tokens, index + 1, &["!"]));
            let is_name = index > 0 && matches!(tokens[index - 1].text, "." | "fn");
            if is_name || !reads(&tokens, open, &["("]) {
                continue;
            }
            let mut end = closing(&tokens, open);
            if token.text == "cfg_attr" {
                end = first_comma(&tokens, open, end); // what follows is an attribute, not a condition
            }
            let condition = source.code_and_strings[token.at..tokens[end].at].to_ascii_lowercase();
            let words = condition.split(|c: char| !c.is_ascii_alphanumeric());
            if let Some(word) = words.into_iter().find(|word| DIMENSION_OR_PRECISION.contains(word)) {
                findings.push(file.finding(token.line, format!("conditional compilation on `{word}`")));
            }
        }
    }
    findings
}

fn first_comma(tokens: &[Token<'_>], open: usize, close: usize) -> usize {
    let mut index = open + 1;
    while index < close && tokens[index].text != "," {
        index = if tokens[index].text == "(" { closing(tokens, index) + 1 } else { index + 1 };
    }
    index.min(close)
}

const UNSAFE_HOMES: &[Exception] = &[
    ("crates/hitscan/src/simd/", "run-time dispatch to instruction sets"),
    ("crates/hitscan-py/", "glue to Python"),
    ("crates/hitscan-wasm/", "glue to JavaScript"),
    ("crates/same-bits/src/glue.rs", "glue to JavaScript"),
    ("bench/", "foreign interfaces of the peers; a workspace of its own"),
    ("fuzz/", "a workspace of its own"),
];

/// `unsafe` stands only in its homes and in tests.
pub(super) fn unsafe_home(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.rust().filter(|(f, _)| !excepted(UNSAFE_HOMES, &f.path) && !f.is_test()) {
        for token in source.tokens().iter().filter(|t| t.text == "unsafe") {
            findings.push(file.finding(token.line, format!("`unsafe` outside {}", UNSAFE_HOMES[0].0)));
        }
    }
    findings
}

const FRONT_ENDS: &[&str] =
    &["crates/hitscan-io/src/", "crates/hitscan-cli/src/", "crates/hitscan-py/src/", "crates/hitscan-wasm/src/"];

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
    ("crates/hitscan-io/src/scene/fields.rs", "axes that are orthonormal in f32 are made so in f64"),
];

/// Front ends call no geometry of their own.
pub(super) fn front_end(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_front_end = |path: &str| FRONT_ENDS.iter().any(|prefix| path.starts_with(prefix));
    let checked = |path: &str| is_front_end(path) && !excepted(FRONT_ENDS_THAT_COMPUTE, path);
    for (file, source) in tree.rust().filter(|(f, _)| checked(&f.path) && !f.is_test()) {
        let tokens = source.tokens();
        for (index, token) in tokens.iter().enumerate().skip(1) {
            let is_call = matches!(tokens[index - 1].text, "." | ":") && reads(&tokens, index + 1, &["("]);
            if is_call && GEOMETRY.contains(&token.text) && !source.is_test(token.at) {
                let what = format!(
                    "`{}` computes geometry: call the library, or add an exception with its reason",
                    token.text
                );
                findings.push(file.finding(token.line, what));
            }
        }
    }
    findings
}

/// Where the unit roundoff may be named, and for what. No small number in decimals is ever excused.
const ROUNDOFF_HOMES: &[Exception] = &[
    ("crates/hitscan/src/math/", "defines the unit roundoff and builds error bounds from it"),
    (
        "crates/hitscan/src/basis.rs",
        "the axes a caller gives are of unit length and at right angles up to rounding only",
    ),
    ("crates/hitscan/src/leave.rs", "the error of a point is a part of the distance travelled, derived there"),
];

/// No small numbers and no `EPSILON` in the library, tests aside.
pub(super) fn tolerance(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.rust().filter(|(f, _)| f.path.starts_with("crates/hitscan/src/") && !f.is_test()) {
        let excused = |token: &Token<'_>| token.text == "EPSILON" && excepted(ROUNDOFF_HOMES, &file.path);
        for token in source.tokens().iter().filter(|t| is_tolerance(t.text) && !excused(t) && !source.is_test(t.at)) {
            let what = format!(
                "`{}` looks like a tolerance: take an error bound from `math`, or add an exception with its reason",
                token.text
            );
            findings.push(file.finding(token.line, what));
        }
    }
    findings
}

fn is_tolerance(token: &str) -> bool {
    let is_number = token.starts_with(|c: char| c.is_ascii_digit()) && !token.starts_with("0x");
    let small = token.contains("e-") || token.contains("E-") || token.replace('_', "").starts_with("0.00");
    token == "EPSILON" || (is_number && small)
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    const SPHERE: &str = "crates/hitscan/src/shape/sphere.rs";

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
    fn unsafe_has_one_home() {
        let text = "fn f() {\n    unsafe { g() }\n}";
        assert_eq!(found(unsafe_home, &[(SPHERE, text)]), [format!("{SPHERE}:2")]);
        let clean = "#![forbid(unsafe_code)] // unsafe\nconst WORD: &str = \"unsafe\"; /* unsafe */";
        let homes = ["crates/hitscan/src/simd/avx2.rs", "crates/hitscan/tests/heap.rs", "crates/hitscan-py/src/lib.rs"];
        assert_eq!(found(unsafe_home, &[(SPHERE, clean)]), [""; 0]);
        assert_eq!(found(unsafe_home, &homes.map(|home| (home, text))), [""; 0]);
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
    fn tolerances_are_derived() {
        let bad = "const A: f64 = 1e-6;\nlet b = 1.5E-9_f64;\nlet c = f32::EPSILON;\nlet d = 0.000_1;";
        let expected = [1, 2, 3, 4].map(|line| format!("{SPHERE}:{line}"));
        assert_eq!(found(tolerance, &[(SPHERE, bad)]), expected);
        let real = "crates/hitscan/src/math/real.rs";
        assert_eq!(found(tolerance, &[(real, bad)]), [1, 2, 4].map(|line| format!("{real}:{line}")));
        let clean = "/// within 1e-6\nconst A: f64 = 0.5 + 1e6 - 0x1e as f64; // 1e-9\n\
                     #[cfg(test)]\nmod tests { const T: f64 = 1e-9; }";
        let files = [(SPHERE, clean), ("crates/hitscan/tests/a.rs", bad), ("crates/hitscan/src/shape/tests.rs", bad)];
        assert_eq!(found(tolerance, &files), [""; 0]);
    }
}
