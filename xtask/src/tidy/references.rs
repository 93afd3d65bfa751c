//! The definitions of each crate, and which file takes which name from which other file.
//!
//! Names are resolved without types: the rule `one-meaning` gives a type or a constant one definition in a crate, so a
//! path leads to the file that defines its first type or constant, whatever modules re-export it. A function counts
//! behind a path of modules, and where a `use` takes it. A method counts if an `impl` adds it in another file than its
//! type's and no other `impl` has its name. Methods of traits are not followed.

use super::tokens::{Kind, Tokens};
use super::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// One file takes a name from another of its crate.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    /// Indices of [`Tree::files`].
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// An item with a name, in a module.
pub(crate) struct Definition<'a> {
    pub(crate) keyword: &'a str,
    /// Index of [`Tree::files`].
    pub(crate) file: usize,
    pub(crate) line: usize,
    /// Whether other files can take it.
    pub(crate) exported: bool,
}

/// The files of a folder `src`, tests aside, with what they define.
#[derive(Default)]
pub(crate) struct Crate<'a> {
    files: Vec<usize>,
    pub(crate) definitions: BTreeMap<&'a str, Vec<Definition<'a>>>,
    modules: BTreeSet<&'a str>,
    /// The file and the type of each method of an `impl` without a trait, by its name.
    methods: BTreeMap<&'a str, Vec<(usize, &'a str)>>,
}

/// All crates of the repository.
pub(crate) fn crates(tree: &Tree) -> Vec<Crate<'_>> {
    let mut crates: BTreeMap<&str, Crate<'_>> = BTreeMap::new();
    for (index, file) in tree.files.iter().enumerate().filter(|(_, file)| !file.is_test()) {
        if let (Some(tokens), Some((name, path))) = (&file.tokens, file.path.split_once("/src/")) {
            let found = crates.entry(name).or_default();
            found.files.push(index);
            found.modules.extend(path.trim_end_matches(".rs").split('/'));
            found.define(tokens, index, 0, tokens.all.len());
        }
    }
    crates.into_values().collect()
}

/// What the files of each crate take from each other, tests aside: each name once.
pub(crate) fn references(tree: &Tree) -> BTreeSet<Reference> {
    let mut all = BTreeSet::new();
    for found in &crates(tree) {
        for &file in &found.files {
            let tokens = tree.files[file].tokens.as_ref().expect("the files of a crate are Rust");
            let mut reader = Reader { tree, found, tokens, file, foreign: BTreeSet::new(), seen: BTreeMap::new() };
            reader.read();
            let lines = reader.seen.into_iter();
            all.extend(lines.map(|((to, name), line)| Reference { from: file, to, name, line }));
        }
    }
    all
}

impl<'a> Crate<'a> {
    /// Notes the definitions between two tokens of a module.
    fn define(&mut self, tokens: &'a Tokens, file: usize, start: usize, end: usize) {
        for item in tokens.items(start, end).filter(|item| !tokens.all[item.keyword].test) {
            let keyword = tokens.text(item.keyword);
            let next = tokens.text(item.keyword + 1);
            let name = item.keyword + if matches!(next, "mut" | "!") { 2 } else { 1 };
            let close = item.end - 1;
            let body = tokens.all[close].partner + 1;
            match keyword {
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" | "macro_rules" => {
                    let exported = item.exported || keyword == "macro_rules";
                    let definition = Definition { keyword, file, line: tokens.all[item.keyword].line, exported };
                    self.definitions.entry(tokens.text(name)).or_default().push(definition);
                }
                "mod" => {
                    self.modules.insert(tokens.text(name));
                    self.define(tokens, file, body, close);
                }
                "impl" => {
                    let Some(type_name) = inherent(tokens, item.keyword, body) else { continue };
                    for method in tokens.items(body, close).filter(|method| tokens.text(method.keyword) == "fn") {
                        self.methods.entry(tokens.text(method.keyword + 1)).or_default().push((file, type_name));
                    }
                }
                // The items in a macro call are items of the module.
                _ if next == "!" && tokens.text(close) == "}" => self.define(tokens, file, body, close),
                _ => {}
            }
        }
    }

    /// The file that adds a method to a type of another file.
    fn added(&self, method: &str, is_type: impl Fn(&str) -> bool) -> Option<usize> {
        let [(file, type_name)] = self.methods.get(method)?[..] else { return None };
        let home = self.definitions.get(type_name)?.iter().any(|found| found.file == file);
        (is_type(type_name) && !home).then_some(file)
    }
}

/// The type of an `impl` without a trait: the first word outside the angle brackets.
fn inherent(tokens: &Tokens, start: usize, end: usize) -> Option<&str> {
    if (start..end).any(|at| tokens.text(at) == "for" && tokens.text(at + 1) != "<") {
        return None;
    }
    let mut depth = 0;
    (start + 1..end).map(|at| (at, tokens.text(at))).find_map(|(at, text)| {
        depth += i32::from(text == "<") - i32::from(text == ">" && tokens.before(at) != "-");
        (depth == 0 && tokens.is_word(at)).then_some(text)
    })
}

/// Whether a name is that of a type or a constant. One letter is a type parameter.
fn is_type_or_constant(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.len() > 1
}

/// The reader of one file.
struct Reader<'a> {
    tree: &'a Tree,
    found: &'a Crate<'a>,
    tokens: &'a Tokens,
    file: usize,
    /// Names that the file takes from other crates.
    foreign: BTreeSet<&'a str>,
    /// The line where a name of another file is taken first.
    seen: BTreeMap<(usize, String), usize>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let tokens = self.tokens;
        let is_use = |at: &usize| tokens.text(*at) == "use" && tokens.text(at + 1) != "<" && !tokens.all[*at].test;
        let uses: Vec<usize> = (0..tokens.all.len()).filter(is_use).collect();
        let mut code: Vec<bool> = tokens.all.iter().map(|token| token.kind == Kind::Word && !token.test).collect();
        let mut taken = Vec::new();
        for start in uses {
            let stop = tokens.find(start, tokens.all.len(), &[";"]);
            code[start..stop].fill(false);
            let exported = matches!(tokens.before(start), "pub" | ")");
            let first = taken.len();
            self.leaves(start + 1, stop, &[], &mut taken);
            taken[first..].iter_mut().for_each(|leaf| leaf.exported = exported);
        }
        (0..code.len()).filter(|at| tokens.text(*at) == "enum").for_each(|at| self.skip_variants(at, &mut code));
        let words: BTreeSet<&str> = (0..code.len()).filter(|at| code[*at]).map(|at| tokens.text(at)).collect();
        for Leaf { path, name, line, exported } in taken {
            let is_ours = matches!(path[0], "crate" | "self" | "super") || self.found.modules.contains(path[0]);
            if !is_ours {
                self.foreign.insert(name);
            } else if !exported || words.contains(name) {
                self.path(&path, line); // a re-export takes nothing, unless the file uses the name itself
            }
        }
        for at in (0..code.len()).filter(|at| code[*at]) {
            self.word(at, &words);
        }
    }

    /// Marks the names of the variants of an enum: they are no uses of types with the same names.
    fn skip_variants(&self, keyword: usize, code: &mut [bool]) {
        let tokens = self.tokens;
        let body = tokens.find(keyword, tokens.all.len(), &["{", ";"]);
        let (mut at, end) = (body + 1, tokens.all.get(body).map_or(0, |open| open.partner));
        while at < end {
            match tokens.text(at) {
                "#" => at += 1,
                "[" => at = tokens.after(at),
                _ => {
                    code[at] = false;
                    at = tokens.find(at, end, &[","]) + 1;
                }
            }
        }
    }

    /// The paths of a `use` between two tokens, behind the path in front of them.
    fn leaves(&self, start: usize, end: usize, front: &[&'a str], leaves: &mut Vec<Leaf<'a>>) {
        let tokens = self.tokens;
        let mut from = start;
        while from < end {
            let comma = tokens.find(from, end, &[","]);
            let group = tokens.find(from, comma, &["{"]);
            let words = (from..group).filter(|at| tokens.is_word(*at)).map(|at| tokens.text(at));
            let mut path: Vec<&str> = front.iter().copied().chain(words.filter(|word| *word != "as")).collect();
            let line = tokens.all[from].line;
            if group < comma {
                self.leaves(group + 1, tokens.all[group].partner, &path, leaves);
            } else if let Some(&name) = path.last().filter(|_| tokens.text(comma - 1) != "*") {
                if tokens.before(comma - 1) == "as" {
                    path.pop();
                }
                leaves.push(Leaf { path, name, line, exported: false });
            }
            from = comma + 1;
        }
    }

    /// Notes what a word takes: a path that starts here, a macro, or a method.
    fn word(&mut self, at: usize, words: &BTreeSet<&str>) {
        let tokens = self.tokens;
        let (name, next, line) = (tokens.text(at), tokens.text(at + 1), tokens.all[at].line);
        match (tokens.before(at), next) {
            (".", "(") => {
                if let Some(to) = self.found.added(name, |type_name| words.contains(type_name)) {
                    self.add(to, name.to_owned(), line);
                }
            }
            ("::" | "." | "fn" | "mod" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static", _) => {}
            (_, "!") => {
                let is_macro = |found: &&Definition<'_>| found.keyword == "macro_rules";
                let mut macros = self.found.definitions.get(name).into_iter().flatten().filter(is_macro);
                if let (Some(one), None) = (macros.next(), macros.next()) {
                    self.add(one.file, format!("{name}!"), line);
                }
            }
            (_, "=") if tokens.text(at + 2) != "=" => {} // `Iterator<Item = u8>`
            _ => {
                let mut path = vec![name];
                let mut end = at + 1;
                while tokens.text(end) == "::" && tokens.is_word(end + 1) {
                    path.push(tokens.text(end + 1));
                    end += 2;
                }
                self.path(&path, line);
            }
        }
    }

    /// Notes what a path takes: its first type or constant, or the function at its end.
    fn path(&mut self, path: &[&str], line: usize) {
        let starts_here = match path[0] {
            "crate" | "self" | "super" => true,
            first => {
                !self.foreign.contains(first) && (is_type_or_constant(first) || self.found.modules.contains(first))
            }
        };
        let ends = |at: &usize| is_type_or_constant(path[*at]) || (*at > 0 && at + 1 == path.len());
        let Some(at) = (0..path.len()).find(ends).filter(|_| starts_here) else { return };
        if let Some(to) = self.home(path[at], at.checked_sub(1).map(|before| path[before])) {
            self.add(to, path[at].to_owned(), line);
        }
        if let Some(method) = path.get(at + 1)
            && let Some(to) = self.found.added(method, |type_name| type_name == path[at])
        {
            self.add(to, format!("{}::{method}", path[at]), line);
        }
    }

    /// The file that defines a name. Of several the path names one by its module or folder; if it does not, none counts.
    fn home(&self, name: &str, module: Option<&str>) -> Option<usize> {
        let all = self.found.definitions.get(name)?;
        if module.is_none() && all.iter().any(|found| found.file == self.file) {
            return None;
        }
        let files: BTreeSet<usize> = all.iter().filter(|found| found.exported).map(|found| found.file).collect();
        let within = |file: &&usize| {
            let path = self.tree.files[**file].path.trim_end_matches(".rs");
            module.is_some_and(|module| path.split('/').any(|part| part == module))
        };
        let named: Vec<&usize> = files.iter().filter(within).collect();
        match (files.len(), &named[..]) {
            (1, _) => files.first().copied(),
            (_, [file]) => Some(**file),
            _ => None,
        }
    }

    fn add(&mut self, to: usize, name: String, line: usize) {
        if to != self.file {
            let first = self.seen.entry((to, name)).or_insert(line);
            *first = line.min(*first);
        }
    }
}

/// One path of a `use`, with the name that the file gives to its end.
struct Leaf<'a> {
    path: Vec<&'a str>,
    name: &'a str,
    line: usize,
    exported: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `b.rs` takes from `a.rs`, with the lines.
    fn taken(a: &str, b: &str) -> Vec<String> {
        let tree =
            Tree::of(&[("x/src/a.rs", a), ("x/src/b.rs", b), ("x/src/c/d.rs", "pub fn f() {}"), ("y/src/a.rs", a)]);
        let found = references(&tree).into_iter().filter(|reference| (reference.from, reference.to) == (1, 0));
        found.map(|reference| format!("{}:{}", reference.line, reference.name)).collect()
    }

    #[test]
    fn names_lead_to_the_file_that_defines_them() {
        let a = "pub struct Aa; pub const BB: u8 = 1; pub fn f() {} pub fn g() {} make! { pub trait Tt {} } macro_rules! m { () => {} }";
        assert_eq!(taken(a, "use crate::{\n  c::d::f,\n  Aa,\n};\nm!();"), ["3:Aa", "5:m!"]);
        assert_eq!(taken(a, "use super::a::{self, f as h};\nfn k() { a::g(); Aa::new() }"), ["2:Aa", "1:f", "2:g"]);
        assert_eq!(taken(a, "use super::*; impl Tt for u8 { const C: u8 = BB + crate::a::BB; }"), ["1:BB", "1:Tt"]);
    }

    #[test]
    fn names_of_others_take_nothing() {
        let a = "pub struct Aa; pub struct Item; pub fn f() {} struct Pp;";
        assert_eq!(taken(a, "use std::z::Aa; fn f(a: Aa) -> y::Aa { f(); a.f(); Tt::Item; \"Aa\" } // Aa"), [""; 0]);
        assert_eq!(taken(a, "struct Aa; fn g() -> impl Iterator<Item = Aa> { Pp; crate::c::d::f() }"), [""; 0]);
        assert_eq!(taken(a, "enum Bb { #[c] Aa, Item(u8) }\nfn f(Bb::Aa: Item)"), ["2:Item"]);
        assert_eq!(taken(a, "pub use crate::a::Aa; #[cfg(test)] mod tests { use crate::Item; }"), [""; 0]);
        assert_eq!(taken(a, "pub use crate::a::Aa; fn g(a: Aa) {}"), ["1:Aa"]);
    }

    #[test]
    fn methods_count_where_they_are_added() {
        let a = "use crate::b::Bb; impl<F: Fn() -> u8> Bb<F> { pub fn grow(&self) {} } impl C for Bb { fn see() {} }";
        assert_eq!(taken(a, "pub struct Bb; fn f(b: Bb) { b.grow(); b.see(); }"), ["1:grow"]);
        assert_eq!(taken(a, "pub struct Bb; fn f(b: Bb) { Bb::grow(&b) }"), ["1:Bb::grow"]);
        assert_eq!(taken(a, "pub struct Bb; impl D { fn grow(&self) { self.grow() } }"), [""; 0]);
    }
}
