//! Rules on names: words of the field, and one meaning for one name.

use super::references::{Definition, crates};
use super::tokens::Kind;
use super::tree::{Finding, Tree};

const LIBRARY: &str = "crates/hitscan/src/";

/// Words that no text of the project has: the field has others (the glossary in ARCHITECTURE.md).
const NOT_IN_TEXT: &str =
    "abreast astray foremost settle settled stray strays told traveller travellers vouch vouches weigh weighed weighs";

/// Words that text may have, but no name of the library, tests aside.
const NOT_IN_NAMES: &str = "alone apart ask asked climb crowd doubt doubtful nappe reach tell tells together";

/// No text and no name of the library has a word that is not the field's.
pub(super) fn standard(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| !file.path.starts_with("xtask/src/tidy/")) {
        let is_prose =
            file.tokens.is_some() || file.is_python() || file.path.ends_with(".md") || file.path.ends_with(".ts");
        for (line, text) in file.lines().filter(|_| is_prose) {
            findings.extend(unusual(text, NOT_IN_TEXT).map(|what| file.finding(line, what)));
        }
        let library = file.tokens.iter().filter(|_| file.path.starts_with(LIBRARY) && !file.is_test());
        for token in library.flat_map(|tokens| &tokens.all).filter(|token| !token.test && token.kind == Kind::Word) {
            findings.extend(unusual(&token.text, NOT_IN_NAMES).map(|what| file.finding(token.line, what)));
        }
        if file.path.starts_with(LIBRARY) {
            findings.extend(unusual(file.module(), NOT_IN_NAMES).map(|what| file.finding(1, what)));
        }
    }
    findings
}

/// The first word of a text that is in the list. `cross_reach`, `CrossReach` and `CROSS_REACH` have the same words.
fn unusual(text: &str, list: &str) -> Option<String> {
    let mut spaced = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if letter.is_uppercase() && spaced.ends_with(char::is_lowercase) {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    let mut words = spaced.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let word = words.find(|word| list.split(' ').any(|unusual| unusual == word))?;
    Some(format!("`{word}` is not a word of the field: use a term of the glossary"))
}

/// Names with several definitions: the beginning of their paths, and why.
const SEVERAL: &[(&str, &str)] =
    &[("crates/hitscan/src/simd/", "each instruction set defines the same names, and one of them is compiled")];

/// In one crate, no two types have one name. Constants and aliases count where other files can take them. Tests are free,
/// and so are alternatives in one file.
pub(super) fn homonyms(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for found in crates(tree) {
        for (name, definitions) in &found.definitions {
            let counts = |found: &&Definition<'_>| match found.keyword {
                "struct" | "enum" | "union" | "trait" => true,
                "type" | "const" | "static" => found.exported,
                _ => false,
            };
            let is_free = |path: &str| SEVERAL.iter().any(|(free, _)| path.starts_with(free));
            let mut places = definitions.iter().filter(counts).filter(|found| !is_free(&tree.files[found.file].path));
            let Some(first) = places.next() else { continue };
            for place in places.filter(|place| place.file != first.file) {
                let other = format!("{}:{}", tree.files[first.file].path, first.line);
                let what = format!("`{name}` has another meaning at {other}: give one of them a name of its own");
                findings.push(tree.files[place.file].finding(place.line, what));
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
    const A: &str = "crates/x/src/a.rs";
    const B: &str = "crates/x/src/b.rs";

    #[test]
    fn words_of_our_own_are_found() {
        let text = "fn told() {}\n// Settled by this.\nconst FEW_TRAVELLERS: u8 = 1;\nstruct WeighedRay;";
        assert_eq!(found(standard, &[(MATH, text)]), [1, 2, 3, 4].map(|line| format!("{MATH}:{line}")));
        assert_eq!(found(standard, &[("docs/a.md", "a\nstray rays"), ("a.py", "# told")]), ["docs/a.md:2", "a.py:1"]);
        let names = "fn f(reach: u8) { ask_twice() }\nstruct CrossReach;\nconst FAR_APART: u8 = 1;";
        assert_eq!(found(standard, &[(MATH, names)]), [1, 1, 2, 3].map(|line| format!("{MATH}:{line}")));
        let folder = "crates/hitscan/src/nappe/mod.rs";
        assert_eq!(found(standard, &[(folder, "")]), [format!("{folder}:1")]);
    }

    #[test]
    fn other_words_are_free() {
        let clean = "fn reachable() {} // we ask; out of reach\n#[cfg(test)] mod tests { #[test] fn asked_twice() {} }";
        let files =
            [(MATH, clean), ("crates/hitscan-io/src/raw.rs", "fn ask() {}"), ("a.toml", "told"), ("a.md", "ask")];
        assert_eq!(found(standard, &files), [""; 0]);
    }

    #[test]
    fn one_name_has_one_meaning() {
        let check = |a: &str, b: &str| found(homonyms, &[(A, a), (B, b)]);
        let two = check("struct C;\npub const D: u8 = 1;", "enum C {}\npub const D: u8 = 1;");
        assert_eq!(two, [format!("{B}:1"), format!("{B}:2")]);
        assert_eq!(check("type C = u8; const D: u8 = 1;", "type C = u8; const D: u8 = 1; fn f() {}"), [""; 0]);
        assert_eq!(check("#[cfg(unix)] type C = u8;\n#[cfg(not(unix))] type C = u16;", "fn f() {}"), [""; 0]);
        assert_eq!(check("impl E { const D: u8 = 1; }", "trait F { const D: u8; type C; }"), [""; 0]);
        assert_eq!(check("struct C;", "#[cfg(test)] mod tests { struct C; }"), [""; 0]);
        assert_eq!(found(homonyms, &[(A, "struct C;"), ("crates/y/src/lib.rs", "struct C;")]), [""; 0]);
        let simd =
            [("crates/hitscan/src/simd/a.rs", "pub struct C;"), ("crates/hitscan/src/simd/b.rs", "pub struct C;")];
        assert_eq!(found(homonyms, &simd), [""; 0]);
    }
}
