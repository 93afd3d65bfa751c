//! Rules on any text: files are short, nothing is left unfinished, nothing is true on one machine only.

use super::tree::{Finding, Tree};

/// The most lines of a file, by where it lies; the first match counts. A module of the Python package has the
/// documentation of its methods in it, with examples.
const LIMITS: &[(&str, usize)] =
    &[("crates/hitscan/src/shapes/", 300), ("crates/hitscan-py/python/", 1_200), ("", 600)];

/// Rust and Python files are no longer than their limit.
pub(super) fn length(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.tokens.is_some() || file.is_python()) {
        let (_, limit) =
            LIMITS.iter().find(|(prefix, _)| file.path.starts_with(prefix)).expect("the last has no prefix");
        let lines = file.text.lines().count();
        if lines > *limit {
            findings
                .push(file.finding(limit + 1, format!("{lines} lines, where {limit} is the limit: split it by topic")));
        }
    }
    findings
}

/// No marks of unfinished work in the crates. Clippy finds `todo!`, `unimplemented!` and `#[ignore]` without a reason.
pub(super) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.starts_with("crates/")) {
        for (line, text) in file.lines() {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            if let Some(mark) = words.find(|word| matches!(*word, "TODO" | "FIXME")) {
                findings.push(file.finding(line, format!("`{mark}` is left in the text")));
            }
        }
    }
    findings
}

/// Beginnings of paths that exist on somebody's machine only.
const MACHINE_PATHS: &[&str] = &["/work/", "/home/", "/root/", "/tmp/", "/Users/", ":\\Users\\"];

/// Hosts from which a machine fetches packages: its own set-up, not the repository's.
const REGISTRY_HOSTS: &str = "index.crates.io static.crates.io pypi.org/simple files.pythonhosted.org registry.npmjs.org \
                              registry.yarnpkg.com proxy.golang.org artifactory /nexus/";

/// The source of crates in Cargo.lock, whatever mirror a machine uses.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Lock files name the hosts by their format.
const LOCK_FILES: &[&str] = &["package-lock.json", "uv.lock", "yarn.lock"];

/// No paths of one machine, no hosts of registries. The files of this tool name what it looks for.
pub(super) fn machine(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| !file.path.starts_with("xtask/src/tidy/")) {
        let is_lock_file = LOCK_FILES.iter().any(|name| file.path.ends_with(name));
        for (line, text) in file.lines() {
            if let Some(path) = MACHINE_PATHS.iter().find(|path| has_absolute(text, path)) {
                findings.push(file.finding(line, format!("`{path}…` is a path of one machine")));
            }
            if let Some(host) = REGISTRY_HOSTS.split(' ').find(|host| text.contains(host) && !is_lock_file) {
                findings.push(file.finding(line, format!("`{host}` is the host of a registry")));
            }
            let is_source = file.path.ends_with("Cargo.lock") && text.starts_with("source = \"");
            if is_source && (text.contains("registry+") || text.contains("sparse+")) && !text.contains(CRATES_IO) {
                findings.push(file.finding(line, "a package comes from another registry than crates.io"));
            }
        }
    }
    findings
}

/// Whether an absolute path starts like this: `a/tmp/` and `$DIR/tmp/` are relative ones.
fn has_absolute(text: &str, start: &str) -> bool {
    text.match_indices(start).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        start.starts_with(':') || !before.is_some_and(|c| c.is_alphanumeric() || "._-*})".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const README: &str = "README.md";
    const SPHERE: &str = "crates/hitscan/src/shapes/sphere.rs";

    #[test]
    fn files_are_short() {
        let (most, too_long, long) = ("\n".repeat(300), "\n".repeat(301), "\n".repeat(600));
        assert_eq!(found(length, &[(SPHERE, &most), ("xtask/src/a.rs", &long), ("a.md", &too_long)]), [""; 0]);
        assert_eq!(found(length, &[(SPHERE, &too_long)]), [format!("{SPHERE}:301")]);
        let longer = format!("{long}\n");
        let files =
            [("xtask/src/a.rs", longer.as_str()), ("a.py", &longer), ("crates/hitscan-py/python/a.py", &longer)];
        assert_eq!(found(length, &files), ["xtask/src/a.rs:601", "a.py:601"]);
    }

    #[test]
    fn nothing_is_left_unfinished() {
        for bad in ["// TODO: edges", "/* FIXME */"] {
            assert_eq!(found(unfinished, &[(SPHERE, bad)]), [format!("{SPHERE}:1")], "{bad}");
        }
        let clean = "// a todo!() in a comment, TODOs, MASTODON\nlet todo = 1;";
        assert_eq!(found(unfinished, &[(SPHERE, clean), ("xtask/src/a.rs", "// TODO")]), [""; 0]);
        assert_eq!(found(unfinished, &[("crates/hitscan/README.md", "a\nTODO")]), ["crates/hitscan/README.md:2"]);
    }

    #[test]
    fn nothing_holds_on_one_machine_only() {
        for bad in ["see /work/main", "`/home/me/x`", "file:///tmp/a.png", "\"C:\\Users\\me\"", "(/root/.cargo)"] {
            assert_eq!(found(machine, &[(README, bad)]), ["README.md:1"], "{bad}");
        }
        for clean in
            ["https://example.org/home/x", "target/tmp/a", "$OUT/tmp/a", "**/tmp/", "#!/usr/bin/env bash", "/homework"]
        {
            assert_eq!(found(machine, &[(README, clean)]), [""; 0], "{clean}");
        }
    }

    #[test]
    fn registries_are_not_named() {
        assert_eq!(found(machine, &[(README, "a\nhttps://files.pythonhosted.org/x")]), ["README.md:2"]);
        assert_eq!(
            found(machine, &[("Cargo.lock", "source = \"registry+https://mirror.example/index\"")]),
            ["Cargo.lock:1"]
        );
        let lock = format!("source = \"{CRATES_IO}\"");
        let npm = "\"resolved\": \"https://registry.npmjs.org/x\"";
        assert_eq!(found(machine, &[("Cargo.lock", &lock), ("lab/package-lock.json", npm)]), [""; 0]);
    }
}
