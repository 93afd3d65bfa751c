//! Rules on names: standard terms, and one meaning per name. The data stands in `names_table.rs`.

use super::items::{Definition, Role, definitions};
use super::modules::{crates, named};
use super::names_table::{ALLOWED, ROWS, WORDS};
use super::tree::{File, Finding, Tree};
use std::collections::BTreeMap;

/// The names that stay, with their reasons, one per line.
pub(crate) fn allow_list() -> String {
    let lines = ALLOWED.iter().map(|a| format!("  {} `{}` in {}: {}\n", a.role, a.name, a.at, a.reason));
    std::iter::once("names that stay, with their reasons:\n".to_owned()).chain(lines).collect()
}

/// No item, field, variant, parameter or file has a name that a standard name replaced.
pub(super) fn standard(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, tokens) in tree.rust() {
        let stem = file.path.rsplit('/').next().unwrap_or("").trim_end_matches(".rs");
        let folder = file.path.strip_suffix("/mod.rs").and_then(|folder| folder.rsplit('/').next());
        let this_file = Some(folder.unwrap_or(stem)).into_iter().map(|name| (name.to_owned(), Role::Module, 1, false));
        let inside =
            definitions(tokens).into_iter().filter(|found| found.role != Role::Module || is_inline(found, file));
        for (name, role, line, test) in this_file.chain(inside.map(|d| (d.name, d.role, d.line, d.test))) {
            if is_allowed(&name, role, &file.path) {
                continue;
            }
            let here = |at: &str| file.path.starts_with(at);
            let row = ROWS
                .iter()
                .find(|row| row.old == name && row.roles.contains(&role) && row.at.iter().any(|at| here(at)));
            if let Some(row) = row {
                findings.push(file.finding(line, format!("{role} `{name}`: the standard name is `{}`", row.standard)));
            } else if !test && !file.is_test() {
                let word = WORDS.iter().find(|word| here(word.at) && words_of(&name).any(|part| part == word.old));
                findings.extend(word.map(|word| {
                    let what =
                        format!("{role} `{name}` contains `{}`: the standard term is `{}`", word.old, word.standard);
                    file.finding(line, what)
                }));
            }
        }
    }
    findings
}

/// Whether a module stands in the file itself: `mod a;` names a file, which is checked there.
fn is_inline(module: &Definition, file: &File) -> bool {
    let line = file.text.lines().nth(module.line - 1).unwrap_or("");
    !line.trim_end().ends_with(';')
}

fn is_allowed(name: &str, role: Role, path: &str) -> bool {
    ALLOWED.iter().any(|allowed| allowed.name == name && allowed.role == role && path.starts_with(allowed.at))
}

/// The words of a name in small letters: `cross_reach`, `CrossReach` and `CROSS_REACH` have the same.
fn words_of(name: &str) -> impl Iterator<Item = String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && !before.is_uppercase()) || words.is_empty() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.into_iter()
}

/// In one crate, no two types have one name, and no two constants at the level of modules. Tests are free, and so are
/// alternatives in one folder of which each is compiled under its own condition, and equal aliases of one type.
pub(super) fn homonyms(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for found in crates(tree) {
        let mut seen: BTreeMap<(String, &str), Vec<(usize, Definition)>> = BTreeMap::new();
        for (file, item) in named(tree, &found) {
            let role = if item.role == Role::Type { "type" } else { "constant" };
            if !is_allowed(&item.name, item.role, &tree.files[file].path) {
                seen.entry((item.name.clone(), role)).or_default().push((file, item));
            }
        }
        for ((name, role), mut places) in seen {
            places.sort_by_key(|(file, item)| (item.conditional, tree.files[*file].path.clone(), item.line));
            let (first, first_item) = &places[0];
            let folder = |file: usize| tree.files[file].path.rsplit_once('/').map(|(folder, _)| folder);
            let alternative = |file: usize| first_item.conditional && folder(file) == folder(*first);
            let same = |item: &Definition| item.alias.is_some() && item.alias == first_item.alias;
            for (file, item) in places[1..].iter().filter(|(file, item)| !alternative(*file) && !same(item)) {
                let other = format!("{}:{}", tree.files[*first].path, first_item.line);
                let what =
                    format!("{role} `{name}` has another meaning at {other}: give one of them a name of its own");
                findings.push(tree.files[*file].finding(item.line, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const MATH: &str = "crates/hitscan/src/math/frame.rs";
    const LIB: (&str, &str) = ("crates/x/src/lib.rs", "mod a; mod b;");
    const A: &str = "crates/x/src/a.rs";
    const B: &str = "crates/x/src/b.rs";

    #[test]
    fn replaced_names_are_found_in_their_role() {
        let text =
            "pub struct Raw;\nfn rules_out() {}\nconst FEW: u8 = 1;\nfn f(reach: u8) {}\nstruct A {\n  pace: u8,\n}";
        let lines = [1, 2, 3, 4, 6].map(|line| format!("{MATH}:{line}"));
        assert_eq!(found(standard, &[(MATH, text)]), lines);
        let file = "crates/hitscan/src/mesh/weigh.rs";
        assert_eq!(found(standard, &[(file, "")]), [format!("{file}:1")]);
        let folder = "crates/hitscan/src/accel/mod.rs";
        assert_eq!(found(standard, &[(folder, "")]), [format!("{folder}:1")]);
    }

    #[test]
    fn words_are_free_elsewhere() {
        let clean =
            "fn raw(few: u8) { let over = x.over(); let pace = 1; } // Raw, reach\nmod frame;\nfn reachable() {}";
        assert_eq!(found(standard, &[(MATH, clean), ("crates/hitscan-io/src/raw.rs", "struct Raw;")]), [""; 0]);
        let test = "#[cfg(test)] mod tests { #[test] fn asked_twice() {} }";
        assert_eq!(found(standard, &[(MATH, test)]), [""; 0]);
    }

    #[test]
    fn names_have_words() {
        assert_eq!(words_of("cross_reachSquared_F64").collect::<Vec<_>>(), ["cross", "reach", "squared", "", "f64"]);
        assert_eq!(words_of("COARSE_REACH").filter(|word| !word.is_empty()).collect::<Vec<_>>(), ["coarse", "reach"]);
    }

    #[test]
    fn the_data_is_sound() {
        for row in ROWS {
            assert!(!row.roles.is_empty() && !row.at.is_empty() && !row.standard.is_empty(), "{}", row.old);
            assert_ne!(row.old, row.standard);
        }
        for (index, row) in ROWS.iter().enumerate() {
            let again = |other: &&super::super::names_table::Row| {
                other.old == row.old && other.roles == row.roles && other.at == row.at
            };
            assert!(!ROWS[..index].iter().any(|other| again(&other)), "{} stands twice", row.old);
        }
        for allowed in ALLOWED {
            assert!(!allowed.reason.is_empty() && allow_list().contains(allowed.name), "{}", allowed.name);
        }
    }

    #[test]
    fn one_name_has_one_meaning() {
        let check = |a: &str, b: &str| found(homonyms, &[LIB, (A, a), (B, b)]);
        assert_eq!(
            check("struct C;\nconst D: u8 = 1;", "enum C {}\nconst D: u8 = 1;"),
            [format!("{B}:1"), format!("{B}:2")]
        );
        assert_eq!(check("fn f() { struct C; }", "struct C;"), [format!("{B}:1")]);
        assert_eq!(check("#[cfg(unix)] type C = u8;\n#[cfg(not(unix))] type C = u16;", ""), [""; 0]);
        assert_eq!(check("type C = [u8; 3];", "type C = [u8; 3];"), [""; 0]);
        assert_eq!(check("type C = [u8; 3];", "type C = [u8; 2];"), [format!("{B}:1")]);
        assert_eq!(check("impl E { const D: u8 = 1; }", "trait F { const D: u8; type C; }"), [""; 0]);
        assert_eq!(check("struct C;", "#[cfg(test)] mod tests { struct C; }"), [""; 0]);
        assert_eq!(found(homonyms, &[LIB, (A, "struct C;"), ("crates/y/src/lib.rs", "struct C;")]), [""; 0]);
    }
}
