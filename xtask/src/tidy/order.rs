//! Arrows point down: between the modules of the library, and between the crates.

use super::source::{Source, Token, reads};
use super::{Finding, Tree};

/// The top-level modules of the library. A file may use modules of its own rank or of a lower one.
const MODULES: &[(&str, u8)] = &[
    ("math", 0),
    ("threads", 0),
    ("simd", 1),
    ("basis", 1),
    ("ray", 1),
    ("hit", 1),
    ("leave", 1),
    ("columns", 1),
    ("query", 1),
    ("explain", 1),
    ("aabb", 1),
    ("shape", 2),
    ("accel", 3), // trees over anything with a box: meshes and scenes are built on them
    ("mesh", 4),
    ("scene", 5),
    ("lib", 9), // the front page: re-exports everything
];

/// The crates. A crate may depend on crates of a lower rank only.
const CRATES: &[(&str, u8)] = &[
    ("oracle", 0),
    ("hitscan", 1),
    ("hitscan-io", 2),
    ("no-std-check", 2),
    ("same-bits", 3),
    ("hitscan-cli", 3),
    ("hitscan-oracle", 3), // the referee: it asks what it judges
    ("hitscan-py", 3),
    ("hitscan-wasm", 3),
];

/// Crates that serve tests and appear in `[dev-dependencies]` only.
const FOR_TESTS_ONLY: &[&str] = &["oracle"];

const LIBRARY: &str = "crates/hitscan/src/";

fn rank(table: &[(&str, u8)], name: &str) -> Option<u8> {
    table.iter().find(|(known, _)| *known == name).map(|(_, rank)| *rank)
}

/// Each file of the library names only modules of its own rank or below. Tests may look at everything.
pub(super) fn modules(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lib = tree.rust().find(|(file, _)| file.path.strip_prefix(LIBRARY) == Some("lib.rs"));
    let front_page = lib.map_or_else(Vec::new, |(_, source)| exports(source));
    for (file, source) in tree.rust() {
        let Some(inside) = file.path.strip_prefix(LIBRARY).filter(|_| !file.is_test()) else { continue };
        let here: Vec<&str> =
            inside.trim_end_matches(".rs").split('/').filter(|name| !matches!(*name, "mod" | "lib")).collect();
        let top = here.first().copied().unwrap_or("lib");
        let Some(own_rank) = rank(MODULES, top) else {
            findings.push(file.finding(1, format!("module `{top}` has no rank: add it to MODULES in {}", file!())));
            continue;
        };
        for token in references(source, here.len()).into_iter().filter(|t| top != "lib" && !source.is_test(t.at)) {
            let name = token.text;
            let exported = front_page.iter().find(|(export, _)| export == name).map(|(_, module)| module.as_str());
            let what = match (rank(MODULES, name), exported.map(|module| (module, rank(MODULES, module)))) {
                (Some(rank), _) if rank <= own_rank => continue,
                (Some(rank), _) => format!("`{top}` (rank {own_rank}) may not use `{name}` (rank {rank})"),
                (None, Some((_, None))) => continue, // of another crate
                (None, Some((_, Some(rank)))) if rank <= own_rank => continue,
                (None, Some((module, Some(rank)))) => {
                    format!("`{top}` (rank {own_rank}) may not use `{name}` of `{module}` (rank {rank})")
                }
                (None, None) => {
                    format!("`{name}` is no module with a rank (MODULES in {}) and not on the front page", file!())
                }
            };
            findings.push(file.finding(token.line, what));
        }
    }
    findings
}

/// What `lib.rs` exports, with the module or crate it comes from: `pub use hit::{Hit, Side};`.
fn exports(lib: &Source) -> Vec<(String, String)> {
    let tokens = lib.tokens();
    let mut exports = Vec::new();
    for start in (0..tokens.len()).filter(|index| reads(&tokens, *index, &["use"])) {
        let end = (start..tokens.len()).find(|index| tokens[*index].text == ";").unwrap_or(tokens.len());
        let words: Vec<&str> = tokens[start + 1..end].iter().map(|token| token.text).collect();
        let Some(module) = words.iter().find(|word| !matches!(**word, "crate" | "self" | ":" | "{")) else { continue };
        for (index, word) in words.iter().enumerate().filter(|(_, word)| word.starts_with(char::is_alphabetic)) {
            if matches!(words.get(index + 1), None | Some(&"," | &"}")) {
                exports.push(((*word).to_owned(), (*module).to_owned()));
            }
        }
    }
    exports
}

/// The first name of each path from the crate root: after `crate::`, or after as many `super::` as lead there.
fn references(source: &Source, depth_of_file: usize) -> Vec<Token<'_>> {
    let tokens = source.tokens();
    let (mut heads, mut blocks) = (Vec::new(), Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => blocks.push(index >= 2 && tokens[index - 2].text == "mod"),
            "}" => drop(blocks.pop()),
            "crate" => heads_after(&tokens, index + 1, &mut heads),
            "super" if index < 3 || !reads(&tokens, index - 3, &["super", ":", ":"]) => {
                let (mut supers, mut end) = (1, index + 1);
                while reads(&tokens, end, &[":", ":", "super"]) {
                    (supers, end) = (supers + 1, end + 3);
                }
                if supers == depth_of_file + blocks.iter().filter(|is_module| **is_module).count() {
                    heads_after(&tokens, end, &mut heads);
                }
            }
            _ => {}
        }
    }
    heads
}

/// What follows `::` at `at`: one name, or the first name of each branch in braces.
fn heads_after<'a>(tokens: &[Token<'a>], at: usize, heads: &mut Vec<Token<'a>>) {
    if !reads(tokens, at, &[":", ":"]) {
        return; // `pub(crate)`, `pub(super)`
    }
    let first = at + 2;
    if !reads(tokens, first, &["{"]) {
        // A macro is found by its name alone, wherever it was written.
        heads.extend(tokens.get(first).filter(|_| !reads(tokens, first + 1, &["!"])));
        return;
    }
    let mut depth = 0_usize;
    for index in first..tokens.len() {
        match tokens[index].text {
            "{" => depth += 1,
            "}" if depth == 1 => return,
            "}" => depth -= 1,
            "," | "self" => {}
            _ if depth == 1 && matches!(tokens[index - 1].text, "{" | ",") => heads.push(tokens[index]),
            _ => {}
        }
    }
}

/// The manifests of the crates name only crates of a lower rank.
pub(super) fn crates(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_ours = |path: &str| path.starts_with("crates/") || path.starts_with("oracle/");
    for file in tree.files.iter().filter(|f| is_ours(&f.path) && f.path.ends_with("/Cargo.toml")) {
        let (own, dependencies) = manifest(&file.text);
        let Some(own_rank) = rank(CRATES, &own) else {
            findings.push(file.finding(1, format!("crate `{own}` has no rank: add it to CRATES in {}", file!())));
            continue;
        };
        for Dependency { line, name, for_tests } in dependencies {
            let Some(rank) = rank(CRATES, &name) else { continue }; // not one of ours
            if rank >= own_rank {
                let what = format!("`{own}` (rank {own_rank}) may not depend on `{name}` (rank {rank})");
                findings.push(file.finding(line, what));
            } else if FOR_TESTS_ONLY.contains(&name.as_str()) && !for_tests {
                findings.push(file.finding(line, format!("`{name}` is for [dev-dependencies] only")));
            }
        }
    }
    findings
}

struct Dependency {
    line: usize,
    name: String,
    for_tests: bool,
}

/// The name and the dependencies in a manifest, as far as Cargo's own way of writing them goes.
fn manifest(text: &str) -> (String, Vec<Dependency>) {
    let (mut own, mut dependencies, mut section) = (String::new(), Vec::new(), "");
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        let mut name = None;
        if let Some(header) = content.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = header;
            name = section.rsplit_once("dependencies.").map(|(_, name)| name);
        } else if let Some((key, value)) = content.split_once('=').filter(|_| !content.starts_with('#')) {
            let key = key.trim();
            let renamed = content.split_once("package = \"").and_then(|(_, rest)| rest.split('"').next());
            if section == "package" && key == "name" {
                own = value.trim().trim_matches('"').to_owned();
            } else if section.ends_with("dependencies") {
                name = renamed.or_else(|| key.split('.').next());
            } else if section.contains("dependencies.") && key == "package" {
                name = renamed;
            }
        }
        let for_tests = section.contains("dev-dependencies");
        dependencies.extend(name.map(|n| Dependency { line, name: n.trim_matches('"').to_owned(), for_tests }));
    }
    (own, dependencies)
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    const RAY: &str = "crates/hitscan/src/ray.rs";
    const SPHERE: &str = "crates/hitscan/src/shape/sphere.rs";

    #[test]
    fn a_module_uses_what_lies_below() {
        let sphere = "use crate::{math::{Real, Vector}, ray::Ray};\nuse super::cuboid::Cuboid;\npub(crate) fn f() {}\n\
                      use super::super::hit::Hit; // crate::scene\n#[cfg(test)]\nmod tests { use crate::scene::Scene; }";
        let lib = "pub mod ray;\npub use crate::scene::Scene;";
        let files =
            [(SPHERE, sphere), ("crates/hitscan/src/lib.rs", lib), (RAY, "crate::helper!(); mod a { use super::B; }")];
        assert_eq!(found(modules, &files), [""; 0]);
    }

    #[test]
    fn a_module_may_not_look_up() {
        assert_eq!(found(modules, &[(RAY, "use crate::math::X;\nuse crate::shape::Sphere;")]), [format!("{RAY}:2")]);
        assert_eq!(found(modules, &[(RAY, "use crate::{\n math::X,\n scene::{A, B},\n};")]), [format!("{RAY}:3")]);
        assert_eq!(found(modules, &[(RAY, "use super::shape::Sphere;")]), [format!("{RAY}:1")]);
        assert_eq!(found(modules, &[(RAY, "mod a { use super::super::shape::Sphere; }")]), [format!("{RAY}:1")]);
        assert_eq!(found(modules, &[(SPHERE, "fn f() { super::super::scene::f() }")]), [format!("{SPHERE}:1")]);
        assert_eq!(
            found(modules, &[(SPHERE, "macro_rules! m { () => { $crate::mesh::f() } }")]),
            [format!("{SPHERE}:1")]
        );
    }

    #[test]
    fn a_module_is_known_by_name() {
        let lib =
            ("crates/hitscan/src/lib.rs", "pub use glam;\npub use hit::{Hit, Side as Facing};\npub use shape::Sphere;");
        assert_eq!(found(modules, &[lib, (RAY, "use crate::{Facing, Hit};\nuse crate::glam;")]), [""; 0]);
        assert_eq!(found(modules, &[lib, (RAY, "use crate::Hit;\nuse crate::Sphere;")]), [format!("{RAY}:2")]);
        assert_eq!(found(modules, &[lib, (RAY, "use crate::Side;\nuse crate::*;\nuse crate::odd::Thing;")]).len(), 3);
        assert_eq!(found(modules, &[("crates/hitscan/src/odd/mod.rs", "")]), ["crates/hitscan/src/odd/mod.rs:1"]);
        assert_eq!(found(modules, &[("crates/hitscan-io/src/odd.rs", "use crate::Odd;")]), [""; 0]);
    }

    #[test]
    fn a_crate_depends_on_what_lies_below() {
        let io = "[package]\nname = \"hitscan-io\"\n[dependencies]\nhitscan.workspace = true\nserde = \"1\"\n";
        let lib = "[package]\nname = \"hitscan\"\n[dev-dependencies]\noracle = { path = \"../../oracle\" }\n";
        let files = [("crates/hitscan-io/Cargo.toml", io), ("crates/hitscan/Cargo.toml", lib)];
        assert_eq!(found(crates, &files), [""; 0]);
    }

    #[test]
    fn a_crate_may_not_look_up() {
        let path = "crates/hitscan/Cargo.toml";
        let lines = |rest: &str| found(crates, &[(path, &format!("[package]\nname = \"hitscan\"\n{rest}"))]);
        assert_eq!(lines("[dependencies]\nhitscan-io = \"1\""), [format!("{path}:4")]);
        assert_eq!(lines("[target.'cfg(unix)'.dependencies]\nhitscan-io.workspace = true"), [format!("{path}:4")]);
        assert_eq!(lines("[dev-dependencies.hitscan-cli]\npath = \"x\""), [format!("{path}:3")]);
        assert_eq!(lines("[dependencies]\nfiles = { package = \"hitscan-io\" }"), [format!("{path}:4")]);
        assert_eq!(lines("[dependencies]\noracle = \"1\""), [format!("{path}:4")]);
        assert_eq!(found(crates, &[("crates/new/Cargo.toml", "[package]\nname = \"new\"")]).len(), 1);
    }
}
