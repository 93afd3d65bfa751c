//! The text files of the repository, and findings in them.

use super::tokens::Tokens;
use std::fs;
use std::path::Path;
use std::process::Command;

/// One breach of a rule.
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// One text file of the repository.
pub(crate) struct File {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Present for `.rs` files.
    pub(crate) tokens: Option<Tokens>,
    /// The line and the reason, for a `.rs` file that is not Rust.
    pub(crate) error: Option<(usize, String)>,
}

impl File {
    fn new(path: &str, text: String) -> Self {
        let parsed = path.ends_with(".rs").then(|| Tokens::parse(&text)).transpose();
        let (tokens, error) = match parsed {
            Ok(tokens) => (tokens, None),
            Err(error) => (Some(Tokens::default()), Some((error.span().start().line, error.to_string()))),
        };
        Self { path: path.to_owned(), text, tokens, error }
    }

    pub(crate) fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }

    pub(crate) fn is_python(&self) -> bool {
        self.path.ends_with(".py") || self.path.ends_with(".pyi")
    }

    /// Whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }
}

/// The text files of the repository: those that git tracks or would offer to track.
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl Tree {
    pub(crate) fn load(root: &Path) -> Result<Self, String> {
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
        // A path that cannot be read as text is data, or was deleted and is not yet committed.
        let read = |path: &String| fs::read_to_string(root.join(path)).ok().map(|text| File::new(path, text));
        Ok(Self { files: paths.iter().filter_map(read).collect() })
    }

    /// The Rust files, with their tokens.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&File, &Tokens)> {
        self.files.iter().filter_map(|file| file.tokens.as_ref().map(|tokens| (file, tokens)))
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
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

/// Findings of a rule in these files, as `path:line`; for the tests of the rules.
#[cfg(test)]
pub(crate) fn found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files)).iter().map(|f| format!("{}:{}", f.path, f.line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_without_git_is_walked() {
        let mut paths = Vec::new();
        walk(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut paths).expect("the crate is readable");
        assert!(paths.iter().any(|path| path == "src/tidy/mod.rs"), "{paths:?}");
    }

    #[test]
    fn a_file_that_is_not_rust_is_an_error() {
        let tree = Tree::of(&[("a.rs", "fn f() {}\nfn g( {"), ("b.txt", "fn g( {")]);
        assert_eq!(tree.files.iter().map(|file| file.error.is_some()).collect::<Vec<_>>(), [true, false]);
    }
}
