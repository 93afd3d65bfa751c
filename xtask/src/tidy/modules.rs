//! The modules of each crate, the names in them, and who takes which name from which file.
//!
//! Paths are resolved as the compiler does it, without types: `crate`, `super` and `self`, child modules,
//! `use` with all its forms, and re-exports down to the file that defines the name. A method that an `impl` adds in
//! another file than its type's is found by its name where the name is unique. Methods of traits are not followed.

use super::items::{Definition, Role, Scope, definitions};
use super::tokens::{Kind, Tokens};
use super::tree::{File, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// One file takes a name from another of its crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Indices of [`Tree::files`].
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) line: usize,
    pub(crate) name: String,
}

/// A crate: the files under one root file such as `lib.rs`.
pub(crate) struct Crate {
    /// With a slash at the end.
    pub(crate) folder: String,
    pub(crate) modules: Vec<Module>,
    pub(crate) references: Vec<Reference>,
}

pub(crate) struct Module {
    /// Index of [`Tree::files`].
    pub(crate) file: usize,
    parent: Option<usize>,
    names: BTreeMap<String, Vec<Named>>,
    /// Paths of `use path::*`.
    globs: Vec<Vec<String>>,
    /// Whether the module is compiled for tests only.
    pub(crate) test: bool,
    /// Whether the module is compiled only under a condition.
    pub(crate) conditional: bool,
}

enum Named {
    /// Defined in the module itself.
    Here,
    /// A child module.
    Child(usize),
    /// Taken from elsewhere by `use`.
    Taken(Vec<String>),
}

/// Target of a path: a module, or the file that defines the item.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Module(usize),
    Item { file: usize, segments: usize },
}

/// One path of a `use`, its braces resolved.
struct Use {
    path: Vec<String>,
    /// `None` for a glob.
    alias: Option<String>,
    /// Whether the path names a module for certain: `use a::{self}`.
    module: bool,
    line: usize,
}

/// All crates of the repository.
pub(crate) fn crates(tree: &Tree) -> Vec<Crate> {
    let index: BTreeMap<&str, usize> = tree.files.iter().enumerate().map(|(i, file)| (file.path.as_str(), i)).collect();
    let mut crates = Vec::new();
    for (root, file) in tree.files.iter().enumerate().filter(|(_, file)| is_root(&file.path)) {
        let folder = file.path[..=file.path.rfind('/').unwrap_or(0)].to_owned();
        let mut found = Crate { folder, modules: Vec::new(), references: Vec::new() };
        let mut builder = Builder { tree, index: &index, found: &mut found };
        let length = builder.tokens(root).map_or(0, |tokens| tokens.all.len());
        let start = Place { file: root, start: 0, end: length, folder: builder.found.folder.clone() };
        builder.module(&start, None, false, false);
        found.references = References::of(tree, &found);
        crates.push(found);
    }
    crates
}

/// Whether cargo takes this file for the root of a crate. Each test and example in one file is one, without modules.
fn is_root(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    match name {
        "lib.rs" | "main.rs" => folder == "src" || matches!(parts.next(), Some("benches" | "examples" | "bin")),
        _ => folder == "bin" && name.ends_with(".rs"),
    }
}

struct Builder<'a> {
    tree: &'a Tree,
    index: &'a BTreeMap<&'a str, usize>,
    found: &'a mut Crate,
}

/// The tokens of a module, and the folder of its children.
struct Place {
    file: usize,
    start: usize,
    end: usize,
    folder: String,
}

impl<'a> Builder<'a> {
    fn tokens(&self, file: usize) -> Option<&'a Tokens> {
        self.tree.files[file].tokens.as_ref()
    }

    fn module(&mut self, place: &Place, parent: Option<usize>, test: bool, conditional: bool) -> usize {
        let this = self.found.modules.len();
        let (names, globs) = (BTreeMap::new(), Vec::new());
        let test = test || self.tree.files[place.file].is_test();
        self.found.modules.push(Module { file: place.file, parent, names, globs, test, conditional });
        let Some(tokens) = self.tokens(place.file) else { return this };
        let mut at = place.start;
        while at < place.end {
            at = self.item(tokens, at, this, place);
        }
        this
    }

    fn name(&mut self, module: usize, name: &str, named: Named) {
        self.found.modules[module].names.entry(name.to_owned()).or_default().push(named);
    }

    /// Reads the item at this token; returns the index behind it.
    fn item(&mut self, tokens: &'a Tokens, at: usize, module: usize, place: &Place) -> usize {
        let end = place.end;
        let (named, name) = (tokens.is_word(at + 1), tokens.text(at + 1).to_owned());
        match tokens.text(at) {
            "use" => {
                let stop = tokens.find(at, end, &[";"]);
                for Use { path, alias, .. } in uses(tokens, at + 1, stop) {
                    match alias {
                        Some(alias) => self.name(module, &alias, Named::Taken(path)),
                        None => self.found.modules[module].globs.push(path),
                    }
                }
                stop + 1
            }
            "mod" if named => {
                self.child(tokens, at, module, place);
                tokens.item_end(at, end)
            }
            "macro_rules" if tokens.text(at + 1) == "!" => {
                self.name(module, tokens.text(at + 2), Named::Here);
                tokens.item_end(at, end)
            }
            "struct" | "enum" | "union" | "trait" | "type" | "fn" if named => {
                self.name(module, &name, Named::Here);
                tokens.item_end(at, end)
            }
            "const" | "static" => {
                let at_name = at + 1 + usize::from(name == "mut");
                if tokens.text(at_name + 1) != ":" {
                    return at + 1; // `const fn`
                }
                self.name(module, tokens.text(at_name), Named::Here);
                tokens.find(at, end, &[";"]) + 1
            }
            "impl" => tokens.item_end(at, end),
            // The braces of a macro that is called: items in them are items of the module.
            "{" => at + 1,
            _ if tokens.attribute(at).is_some() => tokens.attribute(at).map_or(end, |open| tokens.after(open)),
            "(" | "[" => tokens.after(at),
            _ => at + 1,
        }
    }

    fn child(&mut self, tokens: &'a Tokens, at: usize, module: usize, place: &Place) {
        let name = tokens.text(at + 1).trim_start_matches("r#").to_owned();
        let test = self.found.modules[module].test || tokens.all[at].test;
        let conditional = self.found.modules[module].conditional || is_conditional(tokens, at);
        let child = if tokens.text(at + 2) == "{" {
            let (start, end) = (at + 3, tokens.all[at + 2].partner);
            let folder = format!("{}{name}/", place.folder);
            Some(self.module(&Place { file: place.file, start, end, folder }, Some(module), test, conditional))
        } else {
            let folder = format!("{}{name}/", place.folder);
            let paths = [format!("{}{name}.rs", place.folder), format!("{folder}mod.rs")];
            let file = paths.iter().find_map(|path| self.index.get(path.as_str()).copied());
            file.map(|file| {
                let end = self.tokens(file).map_or(0, |tokens| tokens.all.len());
                self.module(&Place { file, start: 0, end, folder }, Some(module), test, conditional)
            })
        };
        if let Some(child) = child {
            self.name(module, &name, Named::Child(child));
        }
    }
}

/// Whether an attribute `cfg` stands right before the `mod` at this token.
fn is_conditional(tokens: &Tokens, at: usize) -> bool {
    let line = tokens.all[at].line;
    definitions(tokens).iter().any(|found| found.role == Role::Module && found.line == line && found.conditional)
}

/// Whether a `use` statement starts here, not the captures of `impl Trait + use<'a>`.
fn is_use(tokens: &Tokens, at: usize) -> bool {
    tokens.text(at) == "use" && tokens.text(at + 1) != "<"
}

/// The paths of a `use` between its keyword and its semicolon.
fn uses(tokens: &Tokens, start: usize, end: usize) -> Vec<Use> {
    let mut found = Vec::new();
    branch(tokens, start, end, &[], &mut found);
    found
}

fn branch(tokens: &Tokens, start: usize, end: usize, prefix: &[String], found: &mut Vec<Use>) {
    let mut path = prefix.to_vec();
    let (mut at, mut module) = (start, false);
    let line = tokens.all.get(start).map_or(0, |token| token.line);
    while at < end {
        match tokens.text(at) {
            "{" => {
                let close = tokens.all[at].partner;
                let mut from = at + 1;
                while from < close {
                    let comma = tokens.find(from, close, &[","]);
                    branch(tokens, from, comma, &path, found);
                    from = comma + 1;
                }
                return;
            }
            "*" => return found.push(Use { path, alias: None, module: true, line }),
            "as" => {
                let alias = tokens.text(at + 1).to_owned();
                return found.push(Use { path, alias: Some(alias), module, line });
            }
            "self" if !path.is_empty() => module = true, // `a::{self, b}`
            "::" => {}
            word => path.push(word.trim_start_matches("r#").to_owned()),
        }
        at += 1;
    }
    if let Some(last) = path.last().cloned() {
        found.push(Use { path, alias: Some(last), module, line });
    }
}

impl Crate {
    /// Target of a path in a module; `None` for other crates, and for names that macros make. Where the path goes
    /// on behind its end, the end is a module or a type.
    fn resolve(&self, module: usize, path: &[String], goes_on: bool, depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(module),
            "super" => Target::Module(self.modules[module].parent?),
            name => self.look_up(module, name, goes_on || !rest.is_empty(), depth)?,
        };
        let mut segments = 1;
        if let Target::Item { file, .. } = target {
            target = Target::Item { file, segments };
        }
        while let (Target::Module(at), Some((name, after))) = (target, rest.split_first()) {
            target = match name.as_str() {
                "super" => Target::Module(self.modules[at].parent?),
                name => self.look_up(at, name, goes_on || !after.is_empty(), depth)?,
            };
            (rest, segments) = (after, segments + 1);
            if let Target::Item { file, .. } = target {
                target = Target::Item { file, segments };
            }
        }
        Some(target)
    }

    /// A name of a module. Where a path goes on, a module of this name comes before an item.
    fn look_up(&self, module: usize, name: &str, goes_on: bool, depth: usize) -> Option<Target> {
        if depth > 16 {
            return None;
        }
        let known = self.modules[module].names.get(name).map_or(&[][..], Vec::as_slice);
        let child = known.iter().find_map(|named| match named {
            Named::Child(child) => Some(Target::Module(*child)),
            _ => None,
        });
        let here = known.iter().any(|named| matches!(named, Named::Here));
        let item = here.then_some(Target::Item { file: self.modules[module].file, segments: 1 });
        let taken = || {
            known.iter().find_map(|named| match named {
                // `use name::…` inside the module `name` itself would lead back here.
                Named::Taken(path) if path.as_slice() != [name] => self.resolve(module, path, goes_on, depth + 1),
                _ => None,
            })
        };
        let own = if goes_on { child.or(item).or_else(taken) } else { item.or_else(taken).or(child) };
        own.or_else(|| {
            self.modules[module].globs.iter().find_map(|path| match self.resolve(module, path, true, depth + 1)? {
                Target::Module(at) if at != module => self.look_up(at, name, goes_on, depth + 1),
                _ => None,
            })
        })
    }
}

/// A method that an `impl` outside its type's file adds.
struct Added {
    file: usize,
    type_name: String,
}

struct References<'a> {
    tree: &'a Tree,
    found: &'a Crate,
    /// Methods by name; those in several places are left out.
    added: BTreeMap<String, Option<Added>>,
    /// The files that define each macro, by name.
    macros: BTreeMap<String, Vec<usize>>,
    references: Vec<Reference>,
}

impl<'a> References<'a> {
    fn of(tree: &'a Tree, found: &'a Crate) -> Vec<Reference> {
        let (added, macros, references) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut this = Self { tree, found, added, macros, references };
        let mut files = BTreeMap::new(); // of files with several modules the outermost comes first
        for (index, module) in found.modules.iter().enumerate().rev() {
            files.insert(module.file, index);
        }
        files.retain(|_, module| !found.modules[*module].test);
        for (&file, &module) in &files {
            this.definitions(file, module);
        }
        for (&file, &module) in &files {
            this.file(file, module);
        }
        this.references
    }

    fn tokens(&self, file: usize) -> &'a Tokens {
        self.tree.files[file].tokens.as_ref().expect("modules are Rust files")
    }

    /// Notes the macros of a file, and the methods its `impl`s add to types of other files.
    fn definitions(&mut self, file: usize, module: usize) {
        let tokens = self.tokens(file);
        for at in (0..tokens.all.len()).filter(|at| !tokens.all[*at].test) {
            if tokens.reads(at, &["macro_rules", "!"]) {
                self.macros.entry(tokens.text(at + 2).to_owned()).or_default().push(file);
            }
            let starts_item = at == 0 || matches!(tokens.text(at - 1), "}" | ";" | "]" | "{" | "unsafe");
            if tokens.text(at) == "impl" && starts_item {
                self.added_by(tokens, at, file, module);
            }
        }
    }

    fn added_by(&mut self, tokens: &Tokens, at: usize, file: usize, module: usize) {
        let body = tokens.find(at, tokens.all.len(), &["{", ";"]);
        if tokens.text(body) != "{" {
            return;
        }
        let header: Vec<&str> = (at..body).map(|at| tokens.text(at)).collect();
        if header.iter().enumerate().any(|(i, word)| *word == "for" && header.get(i + 1) != Some(&"<")) {
            return; // of a trait
        }
        let mut angles = 0_i32;
        let mut name = None;
        for word in &header[1..] {
            angles += i32::from(*word == "<") - i32::from(*word == ">");
            let is_word = word.starts_with(char::is_alphabetic);
            if angles == 0 && is_word {
                name = Some((*word).to_owned());
            }
            if *word == "where" {
                break;
            }
            if name.is_some() && *word == "<" {
                break;
            }
        }
        let Some(type_name) = name else { return };
        let home = self.found.resolve(module, std::slice::from_ref(&type_name), false, 0);
        let elsewhere = matches!(home, Some(Target::Item { file: home, .. }) if home != file);
        let mut inside = body + 1;
        while inside < tokens.all[body].partner {
            if tokens.text(inside) == "fn" && tokens.is_word(inside + 1) {
                let name = tokens.text(inside + 1).to_owned();
                let several = self.added.contains_key(&name);
                let added = (elsewhere && !several).then(|| Added { file, type_name: type_name.clone() });
                self.added.insert(name, added);
            }
            inside = tokens.after(inside);
        }
    }

    fn add(&mut self, from: usize, to: usize, line: usize, name: &str) {
        let known = |seen: &Reference| seen.from == from && seen.to == to && seen.name == name;
        if from != to && !self.references.iter().any(known) {
            self.references.push(Reference { from, to, line, name: name.to_owned() });
        }
    }

    /// Notes the names that the code of a file takes from others. Tests are free.
    fn file(&mut self, file: usize, module: usize) {
        let tokens = self.tokens(file);
        let starts: Vec<usize> = (0..tokens.all.len()).filter(|at| is_use(tokens, *at)).collect();
        let mut in_use = vec![false; tokens.all.len()];
        for start in starts {
            let stop = tokens.find(start, tokens.all.len(), &[";"]);
            in_use[start..stop].fill(true);
        }
        let code = tokens.all.iter().zip(&in_use).filter(|(token, in_use)| !**in_use && !token.test);
        let code = code.filter(|(token, _)| token.kind == Kind::Word);
        let words: BTreeSet<&str> = code.map(|(token, _)| token.text.as_str()).collect();
        let mut inline: Vec<(usize, usize)> = Vec::new(); // ends and indices of the modules around
        for (at, in_use) in in_use.into_iter().enumerate() {
            while inline.last().is_some_and(|(end, _)| *end <= at) {
                inline.pop();
            }
            let here = inline.last().map_or(module, |(_, module)| *module);
            if tokens.all[at].test || tokens.all[at].kind != Kind::Word {
                continue;
            }
            match tokens.text(at) {
                "mod" if tokens.text(at + 2) == "{" => {
                    let names = self.found.modules[here].names.get(tokens.text(at + 1));
                    let child = names.into_iter().flatten().find_map(|named| match named {
                        Named::Child(child) => Some(*child),
                        _ => None,
                    });
                    inline.extend(child.map(|child| (tokens.all[at + 2].partner, child)));
                }
                "use" if is_use(tokens, at) => self.take(tokens, at, file, here, &words),
                _ if in_use => {}
                _ => self.path(tokens, at, file, here, &words),
            }
        }
    }

    /// Notes the names that a `use` takes. A re-export takes nothing unless the file also uses the name itself.
    fn take(&mut self, tokens: &Tokens, at: usize, file: usize, module: usize, words: &BTreeSet<&str>) {
        let exported = at > 0 && matches!(tokens.text(at - 1), "pub" | ")");
        let stop = tokens.find(at, tokens.all.len(), &[";"]);
        for Use { path, alias, module: is_module, line } in uses(tokens, at + 1, stop) {
            let target = self.found.resolve(module, &path, is_module, 0);
            match (alias, target) {
                (Some(alias), Some(Target::Item { file: to, segments }))
                    if !exported || words.contains(alias.as_str()) =>
                {
                    self.add(file, to, line, &path[segments - 1]);
                    self.member(file, line, &path[segments - 1..]);
                }
                (None, Some(Target::Item { file: to, segments })) => self.add(file, to, line, &path[segments - 1]),
                (None, Some(Target::Module(from))) if !exported => {
                    for word in words {
                        if let Some(Target::Item { file: to, .. }) = self.found.look_up(from, word, false, 0) {
                            self.add(file, to, line, word);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes the name that a path, a macro or a method takes.
    fn path(&mut self, tokens: &Tokens, at: usize, file: usize, module: usize, words: &BTreeSet<&str>) {
        let (before, line) = (if at > 0 { tokens.text(at - 1) } else { "" }, tokens.all[at].line);
        if before == "." && tokens.text(at + 1) == "(" {
            let added = self.added.get(tokens.text(at)).and_then(Option::as_ref);
            if let Some(to) = added.filter(|added| words.contains(added.type_name.as_str())).map(|added| added.file) {
                self.add(file, to, line, tokens.text(at));
            }
        }
        if matches!(before, "::" | "." | "fn" | "mod") {
            return;
        }
        if tokens.text(at + 1) == "!"
            && let Some(files) = self.macros.get(tokens.text(at))
        {
            if let [to] = files[..] {
                self.add(file, to, line, &format!("{}!", tokens.text(at)));
            }
            return; // several macros of one name: each is used where it stands
        }
        let mut path = vec![tokens.text(at).trim_start_matches("r#").to_owned()];
        let mut end = at + 1;
        while tokens.text(end) == "::" && tokens.is_word(end + 1) {
            path.push(tokens.text(end + 1).trim_start_matches("r#").to_owned());
            end += 2;
        }
        if path.len() == 1 {
            return; // a name that a `use` took
        }
        if let Some(Target::Item { file: to, segments }) = self.found.resolve(module, &path, false, 0) {
            self.add(file, to, line, &path[segments - 1]);
            self.member(file, line, &path[segments - 1..]);
        }
    }

    /// `Type::method`, where the method is added in a file of its own.
    fn member(&mut self, file: usize, line: usize, path: &[String]) {
        let [type_name, method, ..] = path else { return };
        let added = self.added.get(method).and_then(Option::as_ref);
        if let Some(to) = added.filter(|added| added.type_name == *type_name).map(|added| added.file) {
            self.add(file, to, line, &format!("{type_name}::{method}"));
        }
    }
}

/// The line and the first word of the first item that is no `mod`, no `use` and no `extern crate`, tests aside.
pub(crate) fn first_item(file: &File) -> Option<(usize, String)> {
    let tokens = file.tokens.as_ref()?;
    let (mut at, end) = (0, tokens.all.len());
    while at < end {
        if let Some(open) = tokens.attribute(at) {
            at = tokens.after(open);
            continue;
        }
        match tokens.text(at) {
            "pub" => at = if tokens.text(at + 1) == "(" { tokens.after(at + 1) } else { at + 1 },
            "mod" if tokens.text(at + 2) == "{" && !tokens.all[at].test => break,
            "mod" => at = tokens.item_end(at, end),
            "use" | "extern" => at = tokens.find(at, end, &[";"]) + 1,
            _ if tokens.all[at].test => at = tokens.after(at),
            _ => break,
        }
    }
    (at < end).then(|| (tokens.all[at].line, tokens.text(at).to_owned()))
}

/// The types of a crate and its constants at the level of modules, with their files, tests aside.
pub(crate) fn named(tree: &Tree, found: &Crate) -> Vec<(usize, Definition)> {
    let mut files: BTreeMap<usize, (bool, bool)> = BTreeMap::new();
    for module in &found.modules {
        files.entry(module.file).or_insert((module.test, module.conditional));
    }
    let mut names = Vec::new();
    for (file, (test, conditional)) in files {
        let tokens = tree.files[file].tokens.as_ref().filter(|_| !test);
        for mut item in tokens.map_or_else(Vec::new, definitions) {
            item.conditional |= conditional;
            let counts = match item.role {
                Role::Type => true,
                Role::Constant => item.scope == Scope::Module,
                _ => false,
            };
            if counts && !item.test {
                names.push((file, item));
            }
        }
    }
    names
}
