//! The table of all rules, and the part `tidy` that runs them.

use super::tree::{Finding, Tree};
use super::{circles, code, form, names, order, text};
use std::path::Path;

/// A rule: its name, the reason for it, and the check.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

/// Every rule, in the order in which findings are printed.
pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "module-order",
        why: "the library is read from the bottom up, so a module uses only modules below it",
        check: order::modules,
    },
    Rule { name: "circles", why: "files that use each other can only be understood together", check: circles::circles },
    Rule {
        name: "mod-lists",
        why: "a reader finds code in the file that is named after it, not in a list of modules",
        check: form::lists,
    },
    Rule { name: "names", why: "a reader of the field knows the standard names", check: names::standard },
    Rule { name: "one-meaning", why: "a name with two meanings misleads search and readers", check: names::homonyms },
    Rule {
        name: "cfg",
        why: "one build serves 2D and 3D, f32 and f64: ask the vector type, never the build",
        check: code::dimension_cfg,
    },
    Rule {
        name: "kernel-docs",
        why: "a kernel states its method, its source, its error and its edge cases",
        check: form::headings,
    },
    Rule {
        name: "front-end",
        why: "front ends translate; geometry of their own would differ from the library",
        check: code::front_end,
    },
    Rule {
        name: "python-layout",
        why: "Python is read beside Rust, which rustfmt lays out",
        check: form::python_layout,
    },
    Rule {
        name: "docstrings",
        why: "the documentation of the Python package is made from docstrings",
        check: form::docstrings,
    },
    Rule { name: "length", why: "a file is read in one sitting", check: form::length },
    Rule { name: "unfinished", why: "unfinished work belongs in the issue tracker", check: text::unfinished },
    Rule { name: "machine", why: "the repository must mean the same on every machine", check: text::machine },
    Rule {
        name: "tolerance",
        why: "tolerances are derived from the error of the formula, not guessed",
        check: code::tolerance,
    },
];

/// Prints each finding as `path:line: rule: what (why)`; fails if there is one.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::load(root)?;
    let mut total = 0;
    for file in &tree.files {
        if let Some((line, error)) = &file.error {
            println!("{}:{line}: the file cannot be read as Rust: {error}", file.path);
            total += 1;
        }
    }
    for rule in RULES {
        for Finding { path, line, what } in (rule.check)(&tree) {
            println!("{path}:{line}: {}: {what} ({})", rule.name, rule.why);
            total += 1;
        }
    }
    println!("tidy: {} files, {} rules, {total} findings", tree.files.len(), RULES.len());
    if total == 0 { Ok(()) } else { Err(format!("{total} findings")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_distinct_names_and_reasons() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(!rule.why.is_empty());
            assert!(RULES[..index].iter().all(|other| other.name != rule.name && other.why != rule.why));
        }
    }
}
