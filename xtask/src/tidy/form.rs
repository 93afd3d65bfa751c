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

/// The most lines a file may have, by where it lies; the first match counts. A module of the Python package has the
/// documentation of its methods in it, with examples.
const LIMITS: &[(&str, usize)] = &[(SHAPES, 300), (PYTHON_PACKAGE, 1_200), ("", 600)];

/// The modules of the Python package.
const PYTHON_PACKAGE: &str = "crates/hitscan-py/python/";

/// Rust and Python files are no longer than their limit.
pub(super) fn length(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.tokens.is_some() || file.is_python()) {
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

/// The most characters of a line in the Python package and its tests.
const PYTHON_WIDTH: usize = 130;
const PYTHON_CRATE: &str = "crates/hitscan-py/";

/// Lines of Python have no tabs and no spaces at their ends, and are not too long.
pub(super) fn python_layout(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.is_python()) {
        for (line, text) in (1..).zip(file.text.lines()) {
            if text.contains('\t') {
                findings.push(file.finding(line, "a tab: indent with four spaces"));
            }
            if text.ends_with(' ') {
                findings.push(file.finding(line, "spaces at the end of the line"));
            }
            let width = text.chars().count();
            if width > PYTHON_WIDTH && file.path.starts_with(PYTHON_CRATE) {
                findings.push(file.finding(line, format!("{width} characters, where {PYTHON_WIDTH} is the limit")));
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            findings.push(file.finding(file.text.lines().count(), "the last line has no end"));
        }
    }
    findings
}

/// Whether a line of Python begins or ends a string with three quotes.
fn triple_quotes(line: &str) -> usize {
    line.matches("\"\"\"").count()
}

/// Public modules, classes and functions of the Python package have a docstring.
pub(super) fn docstrings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let modules = tree.files.iter().filter(|file| file.path.starts_with(PYTHON_PACKAGE) && file.path.ends_with(".py"));
    for file in modules {
        let lines: Vec<&str> = file.text.lines().collect();
        let mut within_string = false;
        // The indentation of a private class or of a function, whose contents are private too.
        let mut private: Option<usize> = None;
        for (index, line) in lines.iter().enumerate() {
            let was_within = within_string;
            within_string ^= triple_quotes(line) % 2 == 1;
            let code = line.trim_start();
            let indent = line.len() - code.len();
            if was_within || code.is_empty() || code.starts_with(['#', ')', ']', '}']) {
                continue;
            }
            private = private.filter(|outer| indent > *outer);
            let words = code.strip_prefix("async ").unwrap_or(code);
            let is_class = words.starts_with("class ");
            let Some(rest) = words.strip_prefix("class ").or_else(|| words.strip_prefix("def ")) else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let is_overload = index > 0 && lines[index - 1].trim_start().contains("overload");
            let is_setter = index > 0 && lines[index - 1].trim_end().ends_with(".setter");
            let is_public = private.is_none() && !name.starts_with('_') && !is_overload && !is_setter;
            if is_public && !has_docstring(&lines[index..]) {
                findings.push(file.finding(index + 1, format!("`{name}` has no docstring")));
            }
            if private.is_none() && (!is_class || name.starts_with('_')) {
                private = Some(indent);
            }
        }
    }
    findings
}

/// Whether the first line after the head of a definition begins a docstring. The head ends with the first `:` at the end
/// of a line.
fn has_docstring(lines: &[&str]) -> bool {
    let code = |line: &str| line.split(" #").next().unwrap_or("").trim_end().to_owned();
    let Some(head) = lines.iter().position(|line| code(line).ends_with(':')) else { return false };
    let body = lines[head + 1..].iter().map(|line| line.trim_start()).find(|line| !line.is_empty());
    body.is_some_and(|line| line.trim_start_matches(['r', 'f']).starts_with("\"\"\""))
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
    fn python_files_are_laid_out() {
        let path = "crates/hitscan-py/tests/test_a.py";
        let wide = format!("a = \"{}\"\n", "ä".repeat(124));
        assert_eq!(found(python_layout, &[(path, &wide), ("a.py", ""), ("a.txt", "\t ")]), [""; 0]);
        for bad in ["\ta = 1\n", "a = 1 \n", "a = 1", &wide.replace('a', "ab")] {
            assert_eq!(found(python_layout, &[(path, bad)]), [format!("{path}:1")], "{bad}");
        }
        let long = "\n".repeat(601);
        assert_eq!(found(length, &[(path, &long), ("crates/hitscan-py/python/a.py", &long)]), [format!("{path}:601")]);
    }

    #[test]
    fn public_python_has_docstrings() {
        let path = "crates/hitscan-py/python/hitscan/a.py";
        let clean = "class A:\n    \"\"\"A.\n\n    def no: a\n    \"\"\"\n\n    def f(\n        self, a: int,\n    ) -> int:\n        r\"\"\"F.\"\"\"\n        \
                     def inner(): pass\n\n    def _g(self): pass\n\n    @overload\n    def h(self) -> int: ...\n\n\
                     class _B:\n    def f(self): pass\n\ndef _h():\n    pass\n";
        assert_eq!(found(docstrings, &[(path, clean), ("testdata/a.py", "def f():\n    pass\n")]), [""; 0]);
        let bad = "class A:\n    a = 1\n\n    def f(self):\n        return 1\n\ndef g(a,\n      b):\n    return 2\n";
        assert_eq!(found(docstrings, &[(path, bad)]), [1, 4, 7].map(|line| format!("{path}:{line}")));
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
