//! Rules on kernels: the functions of `shapes/` that intersect a line with a shape.

use super::tokens::Tokens;
use super::tree::{File, Finding, Tree};
use std::collections::BTreeSet;

const SHAPES: &str = "crates/hitscan/src/shapes/";
/// The most lines of code in the body of a function of a shape, comments aside.
const MOST_LINES: usize = 40;
const HEADINGS: [&str; 4] = ["# Method", "# Source", "# Accuracy", "# Edges"];

/// The files of shapes, tests aside.
fn shapes(tree: &Tree) -> impl Iterator<Item = (&File, &Tokens)> {
    tree.rust().filter(|(file, _)| file.path.starts_with(SHAPES) && !file.is_test())
}

/// The functions with a body, tests aside: the index of the name, and the range of the tokens between the braces.
fn functions(tokens: &Tokens) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    let is_name = |at: &usize| tokens.before(*at) == "fn" && tokens.is_word(*at) && !tokens.all[*at].test;
    (0..tokens.all.len()).filter(is_name).filter_map(|name| {
        let body = tokens.find(name, tokens.all.len(), &["{", ";"]);
        (tokens.text(body) == "{").then(|| (name, body + 1..tokens.all[body].partner))
    })
}

/// A file of a shape that implements the kernel method has the four headings in its doc comments, each with text.
pub(super) fn headings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in shapes(tree) {
        let Some((kernel, _)) = functions(tokens).find(|(name, _)| tokens.text(*name) == "intersect") else { continue };
        let comments = file.lines().filter_map(|(_, text)| text.trim().strip_prefix("//"));
        let docs: Vec<&str> = comments.filter_map(|text| text.strip_prefix(['/', '!'])).map(str::trim).collect();
        for heading in HEADINGS {
            let section = docs.iter().skip_while(|text| **text != heading).skip(1);
            if !section.take_while(|text| !text.starts_with("# ")).any(|text| !text.is_empty()) {
                let what = format!("the kernel has no `{heading}` with text in a doc comment");
                findings.push(file.finding(tokens.all[kernel].line, what));
            }
        }
    }
    findings
}

/// No function of a shape has more lines than a screen.
pub(super) fn length(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in shapes(tree) {
        for (name, body) in functions(tokens) {
            let lines = tokens.all[body].iter().map(|token| token.line).collect::<BTreeSet<_>>().len();
            if lines > MOST_LINES {
                let what =
                    format!("`{}` has {lines} lines of code, where {MOST_LINES} is the limit", tokens.text(name));
                findings.push(file.finding(tokens.all[name].line, what));
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
    const KERNEL: &str =
        "impl<V: Vector> Shape<V> for Sphere<V> {\n    fn intersect(&self, ray: [V; 2]) -> Meet { todo }\n}";

    #[test]
    fn a_kernel_has_its_four_headings() {
        let full = "//! # Method\n//! m\n//! # Source\n//! s\n    /// # Accuracy\n    /// a\n//! # Edges\n//! e\n";
        assert_eq!(found(headings, &[(SPHERE, &format!("{full}{KERNEL}"))]), [""; 0]);
        assert_eq!(found(headings, &[(SPHERE, KERNEL)]), [2; 4].map(|line| format!("{SPHERE}:{line}")));
        for bad in [full.replace("    /// a\n", ""), full.replace("//! # Edges", "// # Edges")] {
            assert_eq!(found(headings, &[(SPHERE, &format!("{bad}{KERNEL}"))]).len(), 1, "{bad}");
        }
    }

    #[test]
    fn a_file_without_a_kernel_needs_no_headings() {
        let declared = "trait Shape { fn intersect(&self, ray: [u8; 2]) -> bool; }";
        let test = format!("#[cfg(test)]\nmod tests {{ {KERNEL} }}");
        let files =
            [(SPHERE, declared), ("crates/hitscan/src/shapes/a.rs", &test), ("crates/hitscan/src/ray.rs", KERNEL)];
        assert_eq!(found(headings, &files), [""; 0]);
    }

    #[test]
    fn functions_of_shapes_are_short() {
        let function = |lines: usize| format!("fn f(\n    a: u8,\n) {{\n{}}}", "    // b\n\n    a;\n".repeat(lines));
        assert_eq!(found(length, &[(SPHERE, &function(40)), ("xtask/src/a.rs", &function(41))]), [""; 0]);
        assert_eq!(found(length, &[(SPHERE, &function(41))]), [format!("{SPHERE}:1")]);
    }
}
