//! Rules on the form of files: the headings of a kernel, the length of a file, `mod.rs` as a list.

use super::modules::first_item;
use super::tokens::Tokens;
use super::tree::{Finding, Tree};

const SHAPES: &str = "crates/hitscan/src/shapes/";
/// The method of a kernel that intersects the whole line with the shape.
const KERNEL_METHOD: &str = "intersect";
const HEADINGS: [&str; 4] = ["# Method", "# Source", "# Accuracy", "# Edges"];

/// A file of a shape that implements the kernel method has the four headings, each with text.
pub(super) fn headings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in tree.rust().filter(|(f, _)| f.path.starts_with(SHAPES) && !f.is_test()) {
        let Some(line) = kernel_line(tokens) else { continue };
        for heading in HEADINGS {
            let place = tokens.docs.iter().position(|(_, text)| text == heading);
            let body = place.map_or(&[][..], |place| &tokens.docs[place + 1..]);
            let has_text = body.iter().take_while(|(_, t)| !t.starts_with("# ")).any(|(_, t)| !t.is_empty());
            if place.is_none() {
                findings.push(file.finding(line, format!("the kernel has no `{heading}` in a doc comment")));
            } else if !has_text {
                findings.push(file.finding(line, format!("`{heading}` of the kernel has no text")));
            }
        }
    }
    findings
}

/// The line of the first kernel method with a body, tests aside.
fn kernel_line(tokens: &Tokens) -> Option<usize> {
    (0..tokens.all.len()).find_map(|index| {
        if !tokens.reads(index, &["fn", KERNEL_METHOD]) || tokens.all[index].test {
            return None;
        }
        let body = tokens.find(index, tokens.all.len(), &["{", ";"]);
        (tokens.text(body) == "{").then_some(tokens.all[index].line)
    })
}

/// The most lines a file may have, by where it lies; the first match counts.
const LIMITS: &[(&str, usize)] = &[(SHAPES, 300), ("", 600)];

/// Rust files are no longer than their limit.
pub(super) fn length(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, _) in tree.rust() {
        let limit =
            LIMITS.iter().find(|(prefix, _)| file.path.starts_with(prefix)).map_or(usize::MAX, |(_, limit)| *limit);
        let lines = file.text.lines().count();
        if lines > limit {
            findings
                .push(file.finding(limit + 1, format!("{lines} lines, where {limit} is the limit: split it by topic")));
        }
    }
    findings
}

/// In the library, a `mod.rs` lists modules and re-exports names, so that each name has a file that says it.
pub(super) fn lists(tree: &Tree) -> Vec<Finding> {
    let is_list = |path: &str| path.starts_with("crates/hitscan/src/") && path.ends_with("/mod.rs");
    let files = tree.files.iter().filter(|file| is_list(&file.path));
    let found = files.filter_map(|file| first_item(file).map(|(line, word)| (file, line, word)));
    found
        .map(|(file, line, word)| {
            let what = format!("`{word}`: a mod.rs holds modules, uses and re-exports only; move the rest to a file");
            file.finding(line, what)
        })
        .collect()
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
        let full = "//! # Method\n//! m\n//! # Source\n//! s\n//! # Accuracy\n//! a\n//! # Edges\n//! e\n";
        assert_eq!(found(headings, &[(SPHERE, &format!("{full}{KERNEL}"))]), [""; 0]);
        assert_eq!(found(headings, &[(SPHERE, KERNEL)]), [2; 4].map(|line| format!("{SPHERE}:{line}")));
        let empty = full.replace("//! a\n", "");
        assert_eq!(found(headings, &[(SPHERE, &format!("{empty}{KERNEL}"))]).len(), 1);
        let in_plain_comment = full.replace("//! # Edges", "// # Edges");
        assert_eq!(found(headings, &[(SPHERE, &format!("{in_plain_comment}{KERNEL}"))]).len(), 1);
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
    fn files_are_short() {
        let (most, too_long, long) = ("\n".repeat(300), "\n".repeat(301), "\n".repeat(600));
        assert_eq!(found(length, &[(SPHERE, &most), ("xtask/src/a.rs", &long)]), [""; 0]);
        assert_eq!(found(length, &[(SPHERE, &too_long)]), [format!("{SPHERE}:301")]);
        assert_eq!(found(length, &[("xtask/src/a.rs", &format!("{long}\n"))]), ["xtask/src/a.rs:601"]);
    }

    #[test]
    fn mod_files_are_lists() {
        let path = "crates/hitscan/src/bvh/mod.rs";
        let list = "//! Docs.\n#![allow(dead_code)]\n#[cfg(unix)]\npub(crate) mod a;\nmod b;\npub use a::{B, C};\n#[cfg(test)]\nmod tests { fn f() {} }";
        let files = [(path, list), ("crates/hitscan/src/ray.rs", "fn f() {}"), ("xtask/src/tidy/mod.rs", "fn f() {}")];
        assert_eq!(found(lists, &files), [""; 0]);
        for bad in ["fn f() {}", "pub(crate) const A: u8 = 1;", "impl A {}", "mod a { fn f() {} }", "make!(A);"] {
            assert_eq!(found(lists, &[(path, &format!("mod a;\n{bad}"))]), [format!("{path}:2")], "{bad}");
        }
    }
}
