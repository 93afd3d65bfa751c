//! `cargo xtask check tidy`: the rules of STYLE.md that a machine can check.
//!
//! A rule is a name, a reason and a function from the files of the repository to findings. It reads as code what is
//! code: comments, strings and (where the rule says so) tests do not count. To add one, write the function with its
//! test next to its kin and name it in [`RULES`].

mod code;
mod kernel;
mod order;
mod source;
mod text;

use source::Source;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every rule, in the order in which findings are printed.
pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "module-order",
        why: "the library is read from the bottom up, so a module knows only what lies below it",
        check: order::modules,
    },
    Rule {
        name: "crate-order",
        why: "front ends lean on the library, never the other way round",
        check: order::crates,
    },
    Rule {
        name: "cfg",
        why: "one build serves 2D and 3D, f32 and f64: ask the vector type, never the build",
        check: code::dimension_cfg,
    },
    Rule { name: "unsafe", why: "what must be audited by hand lives in one place", check: code::unsafe_home },
    Rule {
        name: "kernel-docs",
        why: "a kernel says how it works, where that comes from, how exact it is and what happens at the edges",
        check: kernel::headings,
    },
    Rule {
        name: "front-end",
        why: "front ends translate; what they compute themselves would differ from the library",
        check: code::front_end,
    },
    Rule { name: "length", why: "a file is read in one sitting", check: kernel::length },
    Rule { name: "unfinished", why: "work left over belongs in the issue tracker", check: text::unfinished },
    Rule { name: "machine", why: "the repository must mean the same on every machine", check: text::machine },
    Rule {
        name: "tolerance",
        why: "tolerances are derived from the error of the formula, not guessed",
        check: code::tolerance,
    },
];

/// What a rule is: its name, the reason for it, and the check.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

/// One breach of a rule.
struct Finding {
    path: String,
    line: usize,
    what: String,
}

/// One text file of the repository.
struct File {
    /// Relative to the root, with forward slashes.
    path: String,
    text: String,
    /// Present for `.rs` files.
    source: Option<Source>,
}

impl File {
    fn new(path: &str, text: String) -> Self {
        let source = path.ends_with(".rs").then(|| Source::parse(&text));
        Self { path: path.to_owned(), text, source }
    }

    fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }

    /// Whether the whole file is test code.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }
}

/// The text files of the repository: those that git tracks or would offer to track.
struct Tree {
    files: Vec<File>,
}

impl Tree {
    fn load(root: &Path) -> Result<Self, String> {
        let list = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output();
        let mut paths = Vec::new();
        match list {
            Ok(output) if output.status.success() && !output.stdout.is_empty() => {
                let names = String::from_utf8_lossy(&output.stdout);
                paths.extend(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned));
            }
            _ => walk(root, "", &mut paths).map_err(|error| format!("cannot list the files: {error}"))?,
        }
        paths.sort();
        paths.dedup();
        // What cannot be read as text is data, or was deleted and is not yet committed.
        let read = |path: &String| fs::read_to_string(root.join(path)).ok().map(|text| File::new(path, text));
        Ok(Self { files: paths.iter().filter_map(read).collect() })
    }

    /// The Rust files, with their sources.
    fn rust(&self) -> impl Iterator<Item = (&File, &Source)> {
        self.files.iter().filter_map(|file| file.source.as_ref().map(|source| (file, source)))
    }

    #[cfg(test)]
    fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| File::new(path, (*text).to_owned())).collect() }
    }
}

/// The files of a checkout without git, such as an unpacked archive.
fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if entry.file_type()?.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "out" | "__pycache__" | "node_modules") {
                walk(root, &path, paths)?;
            }
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

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

/// What a rule finds in these files, as `path:line`; for the tests of the rules.
#[cfg(test)]
fn found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files)).iter().map(|f| format!("{}:{}", f.path, f.line)).collect()
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

    #[test]
    fn a_checkout_without_git_is_walked() {
        let mut paths = Vec::new();
        walk(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut paths).expect("the crate is readable");
        assert!(paths.iter().any(|path| path == "src/tidy/mod.rs"), "{paths:?}");
    }
}
