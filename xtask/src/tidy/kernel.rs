//! Rules on the form of files: the headings of a kernel, the length of a file.

use super::source::{Source, closing, reads};
use super::{Finding, Tree};

const SHAPES: &str = "crates/hitscan/src/shape/";
const HEADINGS: [&str; 4] = ["# Method", "# Source", "# Accuracy", "# Edges"];

/// A shape file that implements `fn meet` (the line against the shape) has the four headings, each with text.
pub(super) fn headings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.rust().filter(|(f, _)| f.path.starts_with(SHAPES) && !f.is_test()) {
        let Some(line) = kernel_line(source) else { continue };
        for heading in HEADINGS {
            let place = source.docs.iter().position(|(_, text)| text == heading);
            let body = place.map_or(&[][..], |place| &source.docs[place + 1..]);
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

/// The line of the first `fn meet` with a body, tests aside.
fn kernel_line(source: &Source) -> Option<usize> {
    let tokens = source.tokens();
    (0..tokens.len()).find_map(|index| {
        if !reads(&tokens, index, &["fn", "meet"]) || source.is_test(tokens[index].at) {
            return None;
        }
        let mut at = index + 2;
        while at < tokens.len() && !matches!(tokens[at].text, "{" | ";") {
            at = if matches!(tokens[at].text, "(" | "[") { closing(&tokens, at) + 1 } else { at + 1 };
        }
        reads(&tokens, at, &["{"]).then_some(tokens[index].line)
    })
}

/// The most lines a file may have, by where it lies; the first match counts.
const LIMITS: &[(&str, usize)] = &[(SHAPES, 300), ("", 450)];

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

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    const SPHERE: &str = "crates/hitscan/src/shape/sphere.rs";
    const KERNEL: &str =
        "impl<V: Vector> Shape<V> for Sphere<V> {\n    fn meet(&self, ray: [V; 2]) -> Meet { todo }\n}";

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
        let declared = "trait Shape { fn meet(&self, ray: [u8; 2]) -> bool; }";
        let test = format!("#[cfg(test)]\nmod tests {{ {KERNEL} }}");
        let files =
            [(SPHERE, declared), ("crates/hitscan/src/shape/a.rs", &test), ("crates/hitscan/src/ray.rs", KERNEL)];
        assert_eq!(found(headings, &files), [""; 0]);
    }

    #[test]
    fn files_are_short() {
        let (most, too_long, long) = ("\n".repeat(300), "\n".repeat(301), "\n".repeat(450));
        assert_eq!(found(length, &[(SPHERE, &most), ("xtask/src/a.rs", &long)]), [""; 0]);
        assert_eq!(found(length, &[(SPHERE, &too_long)]), [format!("{SPHERE}:301")]);
        assert_eq!(found(length, &[("xtask/src/a.rs", &format!("{long}\n"))]), ["xtask/src/a.rs:451"]);
    }
}
