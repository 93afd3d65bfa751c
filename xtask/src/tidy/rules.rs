//! The table of all rules, and the part `tidy` that runs them.

use super::tree::{Finding, Tree};
use super::{circles, code, kernels, links, names, order, text};
use std::path::Path;

/// A rule: its name, the reason for it, and the check.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

const fn rule(name: &'static str, why: &'static str, check: fn(&Tree) -> Vec<Finding>) -> Rule {
    Rule { name, why, check }
}

/// Every rule, in the order in which findings are printed.
pub(crate) const RULES: &[Rule] = &[
    rule("module-order", "the library is read from the bottom up: a module uses only modules below it", order::modules),
    rule("circles", "files that use each other can only be understood together", circles::circles),
    rule("mod-lists", "a reader finds code in the file that is named after it, not in a list", code::mod_lists),
    rule("names", "a reader of the field knows the standard names", names::standard),
    rule("one-meaning", "a name with two meanings misleads search and readers", names::homonyms),
    rule("cfg", "one build serves 2D and 3D, f32 and f64: ask the vector type, never the build", code::features),
    rule("kernel-docs", "a kernel states its method, source, error and edge cases", kernels::headings),
    rule("front-end", "geometry of front ends would differ from the library's", code::front_end),
    rule("length", "a file is read in one sitting", text::length),
    rule("kernel-length", "a kernel fits on a screen beside its source", kernels::length),
    rule("links", "a reader follows links", links::links),
    rule("unfinished", "unfinished work belongs in the issue tracker", text::unfinished),
    rule("machine", "the repository must mean the same on every machine", text::machine),
    rule("tolerance", "tolerances are derived from the error of the formula, not guessed", code::tolerance),
];

/// Prints each finding as `path:line: rule: what (why)`; fails if there is one.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::load(root)?;
    let mut total = 0;
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
