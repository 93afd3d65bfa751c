//! The text files of the repository, and findings in them.

use super::tokens::Tokens;
use std::collections::BTreeSet;
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
}

impl File {
    fn new(path: &str, text: String) -> Result<Self, String> {
        let parsed = path.ends_with(".rs").then(|| Tokens::parse(&text)).transpose();
        let tokens =
            parsed.map_err(|error| format!("{path}:{}: it is not Rust: {error}", error.span().start().line))?;
        Ok(Self { path: path.to_owned(), text, tokens })
    }

    pub(crate) fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }

    /// The lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The file name without `.rs`; for a `mod.rs` the name of its folder.
    pub(crate) fn module(&self) -> &str {
        let path = self.path.trim_end_matches("/mod.rs").trim_end_matches(".rs");
        path.rsplit('/').next().unwrap_or("")
    }

    pub(crate) fn is_python(&self) -> bool {
        self.path.ends_with(".py") || self.path.ends_with(".pyi")
    }

    /// Whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }
}

/// The files of the repository: those that git tracks or would offer to track.
pub(crate) struct Tree {
    /// The paths of all files.
    pub(crate) paths: BTreeSet<String>,
    /// The text files.
    pub(crate) files: Vec<File>,
}

impl Tree {
    pub(crate) fn load(root: &Path) -> Result<Self, String> {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        let output = git.output().map_err(|error| format!("cannot list the files: git: {error}"))?;
        if !output.status.success() {
            return Err(format!("cannot list the files: git: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let names = String::from_utf8_lossy(&output.stdout);
        let exists = |name: &&str| !name.is_empty() && root.join(name).exists();
        let paths: BTreeSet<String> = names.split('\0').filter(exists).map(str::to_owned).collect();
        // A file that is not UTF-8 is data.
        let read = |path: &String| fs::read_to_string(root.join(path)).ok().map(|text| File::new(path, text));
        let files = paths.iter().filter_map(read).collect::<Result<_, _>>()?;
        Ok(Self { paths, files })
    }

    /// The Rust files, with their tokens.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&File, &Tokens)> {
        self.files.iter().filter_map(|file| file.tokens.as_ref().map(|tokens| (file, tokens)))
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let file = |(path, text): &(&str, &str)| File::new(path, (*text).to_owned()).expect("it is Rust");
        Self { paths, files: files.iter().map(file).collect() }
    }
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
    fn a_file_that_is_not_rust_is_an_error() {
        let error = File::new("a.rs", "fn f() {}\nfn g( {".to_owned()).err();
        assert!(error.is_some_and(|error| error.starts_with("a.rs:2: ")));
        assert!(File::new("b.txt", "fn g( {".to_owned()).is_ok());
    }

    #[test]
    fn a_mod_file_is_called_like_its_folder() {
        let module = |path| File::new(path, String::new()).expect("it is Rust").module().to_owned();
        assert_eq!([module("a/b.rs"), module("a/mod.rs"), module("a/b.md")], ["b", "a", "b.md"]);
    }
}
