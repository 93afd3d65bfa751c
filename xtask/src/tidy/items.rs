//! The definitions in a Rust file: types, functions, constants, modules, fields, variants, parameters and locals.

use super::tokens::{Kind, Tokens};
use std::fmt;

/// The role of a name where it is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A struct, an enum, a union, a trait or a type alias.
    Type,
    /// A type of a trait.
    Associated,
    /// A function or a method.
    Function,
    Field,
    /// A constant or a static.
    Constant,
    /// A module, or a file.
    Module,
    Variant,
    /// A parameter, or a local variable.
    Local,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "type",
            Self::Associated => "associated type",
            Self::Function => "function",
            Self::Field => "field",
            Self::Constant => "constant",
            Self::Module => "module",
            Self::Variant => "variant",
            Self::Local => "parameter or local",
        })
    }
}

/// Surroundings of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Module,
    /// An `impl` or a `trait`.
    Member,
    /// A function or a macro.
    Body,
}

#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) scope: Scope,
    pub(crate) line: usize,
    /// Whether the definition is compiled only under a condition of its own.
    pub(crate) conditional: bool,
    pub(crate) test: bool,
    /// The tokens of a type alias, from its name on.
    pub(crate) alias: Option<String>,
}

/// Every definition of a file, in the order of the text.
pub(crate) fn definitions(tokens: &Tokens) -> Vec<Definition> {
    let mut reader = Reader { tokens, conditional: false, found: Vec::new() };
    reader.items(0, tokens.all.len(), Scope::Module);
    reader.found
}

struct Reader<'a> {
    tokens: &'a Tokens,
    /// Whether a module or a macro around is compiled only under a condition.
    conditional: bool,
    found: Vec<Definition>,
}

impl Reader<'_> {
    fn text(&self, index: usize) -> &str {
        self.tokens.text(index)
    }

    fn add(&mut self, index: usize, role: Role, scope: Scope, conditional: bool) {
        let token = &self.tokens.all[index];
        if token.text != "_" && token.text != "self" {
            let name = token.text.trim_start_matches("r#");
            let name = if role == Role::Local { name.trim_start_matches('_') } else { name }.to_owned();
            let (line, test) = (token.line, token.test);
            let conditional = conditional || self.conditional;
            self.found.push(Definition { name, role, scope, line, conditional, test, alias: None });
        }
    }

    /// Reads items, statements and expressions alike: definitions may stand in any of them.
    fn items(&mut self, start: usize, end: usize, scope: Scope) {
        let mut at = start;
        while at < end {
            at = self.item(at, end, scope);
        }
    }

    /// Reads the items in a group.
    fn inside(&mut self, open: usize, scope: Scope, conditional: bool) {
        let around = self.conditional;
        self.conditional |= conditional;
        self.items(open + 1, self.tokens.all[open].partner, scope);
        self.conditional = around;
    }

    /// Reads the item that starts at this token; returns the index behind it.
    fn item(&mut self, at: usize, end: usize, scope: Scope) -> usize {
        let token = &self.tokens.all[at];
        if let Some(open) = self.tokens.attribute(at) {
            return self.tokens.after(open);
        }
        if token.kind == Kind::Open {
            // A macro called at the level of a module defines items of the module.
            let macro_called = at > 1 && self.text(at - 1) == "!" && conditional(self.tokens, at - 2);
            self.inside(at, scope, macro_called);
            return token.partner + 1;
        }
        if token.text == "|" && scope == Scope::Body && self.starts_closure(at) {
            let close = self.tokens.find(at + 1, end, &["|"]);
            self.parameters(at + 1, close);
            return close + 1;
        }
        if token.text == "=>" && scope == Scope::Body {
            self.pattern_before(start_of_arm(self.tokens, at), at);
            return at + 1;
        }
        if token.kind != Kind::Word || matches!(self.text(at.wrapping_sub(1)), "." | "::") {
            return at + 1;
        }
        let name = at + 1;
        let named = self.tokens.is_word(name);
        match token.text.as_str() {
            "struct" | "enum" | "trait" if named => self.type_item(at, end, scope),
            "union" if named && matches!(self.text(at + 2), "{" | "<") => self.type_item(at, end, scope),
            "type" if named => {
                let role = if scope == Scope::Member { Role::Associated } else { Role::Type };
                self.add(name, role, scope, conditional(self.tokens, at));
                let stop = self.tokens.find(name, end, &[";"]);
                if let Some(added) = self.found.last_mut().filter(|_| role == Role::Type) {
                    let tokens: Vec<&str> = (name..stop).map(|at| self.tokens.text(at)).collect();
                    added.alias = Some(tokens.join(" "));
                }
                stop
            }
            "fn" if named => self.function(at, end, scope),
            "const" if named && self.text(at + 2) == ":" && !matches!(self.text(at.wrapping_sub(1)), "<" | ",") => {
                self.add(name, Role::Constant, scope, conditional(self.tokens, at));
                at + 3
            }
            "static" => {
                let name = name + usize::from(self.text(name) == "mut");
                if self.tokens.is_word(name) && self.text(name + 1) == ":" {
                    self.add(name, Role::Constant, scope, conditional(self.tokens, at));
                }
                at + 1
            }
            "mod" if named => {
                let condition = conditional(self.tokens, at);
                self.add(name, Role::Module, scope, condition);
                if self.text(name + 1) == "{" {
                    self.inside(name + 1, scope, condition);
                    return self.tokens.after(name + 1);
                }
                name + 1
            }
            "impl"
                if scope != Scope::Body || !matches!(self.text(at.wrapping_sub(1)), ":" | "->" | "&" | "(" | "=") =>
            {
                self.members(at, end)
            }
            "macro_rules" if self.text(name) == "!" => {
                let body = self.tokens.find(name, end, &["{", "("]);
                if body < end {
                    self.items(body + 1, self.tokens.all[body].partner, Scope::Body);
                    return self.tokens.after(body);
                }
                end
            }
            "let" => {
                let stop = self.tokens.find(at, end, &["=", ":", ";"]);
                self.pattern_before(at + 1, stop);
                stop
            }
            "for" if scope == Scope::Body && self.text(name) != "<" => {
                let stop = self.tokens.find(at, end, &["in", "{", ";"]);
                if self.text(stop) == "in" {
                    self.pattern_before(at + 1, stop);
                }
                stop.max(at + 1)
            }
            _ => at + 1,
        }
    }

    fn type_item(&mut self, at: usize, end: usize, scope: Scope) -> usize {
        self.add(at + 1, Role::Type, scope, conditional(self.tokens, at));
        let body = self.tokens.find(at + 2, end, &["{", ";"]);
        if self.text(body) != "{" {
            return body;
        }
        let close = self.tokens.all[body].partner;
        match self.text(at) {
            "trait" => self.items(body + 1, close, Scope::Member),
            "enum" => self.variants(body + 1, close),
            _ => self.fields(body + 1, close),
        }
        close + 1
    }

    fn fields(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            if let Some(open) = self.tokens.attribute(at) {
                at = self.tokens.after(open);
            } else if self.tokens.is_word(at) && self.text(at + 1) == ":" {
                self.add(at, Role::Field, Scope::Member, false);
                at = self.behind_comma(at, end);
            } else {
                at = self.tokens.after(at);
            }
        }
    }

    fn variants(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            if let Some(open) = self.tokens.attribute(at) {
                at = self.tokens.after(open);
            } else if self.tokens.is_word(at) {
                self.add(at, Role::Variant, Scope::Member, false);
                if self.text(at + 1) == "{" {
                    self.fields(at + 2, self.tokens.all[at + 1].partner);
                }
                at = self.behind_comma(at, end);
            } else {
                at = self.tokens.after(at);
            }
        }
    }

    /// The index behind the next comma that separates, brackets of generics respected.
    fn behind_comma(&self, start: usize, end: usize) -> usize {
        let (mut at, mut angles) = (start, 0_i32);
        while at < end {
            match self.text(at) {
                "<" => angles += 1,
                ">" => angles -= 1,
                "," if angles <= 0 => return at + 1,
                _ => {}
            }
            at = self.tokens.after(at);
        }
        end
    }

    fn function(&mut self, at: usize, end: usize, scope: Scope) -> usize {
        self.add(at + 1, Role::Function, scope, conditional(self.tokens, at));
        let (mut open, mut angles) = (at + 2, 0_i32);
        while open < end && !(self.text(open) == "(" && angles == 0) {
            angles += i32::from(self.text(open) == "<") - i32::from(self.text(open) == ">");
            open = self.tokens.after(open);
        }
        if open >= end {
            return end;
        }
        let close = self.tokens.all[open].partner;
        self.parameters(open + 1, close);
        let body = self.tokens.find(close, end, &["{", ";"]);
        if self.text(body) != "{" {
            return body;
        }
        self.items(body + 1, self.tokens.all[body].partner, Scope::Body);
        self.tokens.after(body)
    }

    /// The patterns of a parameter list, with or without types.
    fn parameters(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let next = self.behind_comma(at, end);
            let colon = self.tokens.find(at, next, &[":"]);
            self.pattern_before(at, colon);
            at = next;
        }
    }

    /// The names that a pattern binds: words in small letters that are no path, no call and no field. The underscore
    /// before an unused one is no part of its name.
    fn pattern_before(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let (before, next) = (self.text(at.wrapping_sub(1)), self.text(at + 1));
            let keyword = matches!(self.text(at), "mut" | "ref" | "box" | "if" | "const");
            if self.text(at) == "if" {
                return; // the guard of an arm
            }
            let small = self.text(at).trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase());
            let binds = self.tokens.is_word(at) && small && !keyword && before != "::" && before != ".";
            if binds && !matches!(next, "::" | "(" | "{" | "!" | ".") && !(next == ":" && at + 1 < end) {
                self.add(at, Role::Local, Scope::Body, false);
            }
            at = self.tokens.attribute(at).map_or(at + 1, |open| self.tokens.after(open));
        }
    }

    fn members(&mut self, at: usize, end: usize) -> usize {
        let body = self.tokens.find(at, end, &["{", ";"]);
        if self.text(body) != "{" {
            return body.max(at + 1);
        }
        self.items(body + 1, self.tokens.all[body].partner, Scope::Member);
        self.tokens.after(body)
    }

    fn starts_closure(&self, at: usize) -> bool {
        let before = self.text(at.wrapping_sub(1));
        matches!(before, "(" | "," | "=" | "move" | "{" | ";" | "=>" | "return" | "&" | "[" | "else")
    }
}

/// The first token of the match arm whose `=>` is at `arrow`.
fn start_of_arm(tokens: &Tokens, arrow: usize) -> usize {
    let mut at = arrow;
    while at > 0 {
        let before = at - 1;
        match tokens.all[before].kind {
            Kind::Open => return at,
            _ if matches!(tokens.text(before), "," | ";") => return at,
            Kind::Close if tokens.text(before) == "}" && !ends_pattern(tokens, before) => return at,
            Kind::Close => at = tokens.all[before].partner,
            _ => at = before,
        }
    }
    at
}

/// Whether braces belong to a pattern such as `Point { x, y }`, not to the body of the arm before.
fn ends_pattern(tokens: &Tokens, close: usize) -> bool {
    let open = tokens.all[close].partner;
    open > 0 && tokens.is_word(open - 1) && tokens.text(open - 1).starts_with(char::is_uppercase)
}

/// Whether one of the attributes before the item whose keyword stands at `at` is a `cfg`.
fn conditional(tokens: &Tokens, at: usize) -> bool {
    let mut before = at;
    while before > 0 {
        before -= 1;
        match tokens.text(before) {
            "pub" | "unsafe" | "const" | "async" | "extern" | "default" => {}
            ")" => before = tokens.all[before].partner,
            "]" => {
                before = tokens.all[before].partner;
                if before == 0 || tokens.text(before - 1) != "#" {
                    return false;
                }
                if tokens.text(before + 1) == "cfg" {
                    return true;
                }
                before -= 1;
            }
            _ if tokens.all[before].kind == Kind::Literal => {} // `extern "C"`
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, role: Role) -> Vec<String> {
        let tokens = Tokens::parse(text).expect("it is Rust");
        definitions(&tokens).into_iter().filter(|found| found.role == role).map(|found| found.name).collect()
    }

    #[test]
    fn items_are_found_wherever_they_stand() {
        let text = "pub struct A<T> { b: T, pub(crate) c: Vec<(u8, u8)> }\nenum D { E, F(u8), G { h: u8 } }\n\
                    mod i { trait J { const K: u8; type L; fn m(&self); } }\nimpl A<u8> { fn n() { struct O; const P: u8 = 1; } }\n\
                    static mut Q: u8 = 0; type R = u8; union S { t: u8 } make! { struct U; }";
        assert_eq!(names(text, Role::Type), ["A", "D", "J", "O", "R", "S", "U"]);
        assert_eq!(names(text, Role::Associated), ["L"]);
        assert_eq!(names(text, Role::Field), ["b", "c", "h", "t"]);
        assert_eq!(names(text, Role::Variant), ["E", "F", "G"]);
        assert_eq!(names(text, Role::Function), ["m", "n"]);
        assert_eq!(names(text, Role::Constant), ["K", "P", "Q"]);
        assert_eq!(names(text, Role::Module), ["i"]);
    }

    #[test]
    fn parameters_and_locals_are_bindings() {
        let text = "fn f<F: Fn(u8) -> u8, const N: usize>(&self, _a: F, (b, mut c): (u8, u8), Point { x, .. }: Point) {\n\
                    let Some(d) = e.f(g::h) else { return };\nlet i: u8 = 1;\nfor (j, _) in k {}\n\
                    l.map(|m| m + 1).map(|&(n, o): &(u8, u8)| n | o);\nmatch p { Q { r } if s => {} t | A::U(t) => u(), _ => v }\n}";
        assert_eq!(names(text, Role::Local), ["a", "b", "c", "x", "d", "i", "j", "m", "n", "o", "r", "t", "t"]);
        assert_eq!(names(text, Role::Constant), [""; 0]);
    }

    #[test]
    fn words_that_only_look_like_definitions_are_none() {
        let text = "impl<T> A for B<T> where T: for<'a> C<'a> { fn d(&self) -> impl Fn(u8) { self.union; r#type } }";
        assert_eq!(names(text, Role::Type), [""; 0]);
        assert_eq!(names(text, Role::Function), ["d"]);
    }

    #[test]
    fn conditions_and_scopes_are_known() {
        let text = "#[cfg(unix)] mod m { struct D; } #[cfg(unix)] make! { struct E; } trait T { type F; }\n#[cfg(unix)]\n#[inline]\npub(crate) const unsafe extern \"C\" fn a() {}\n#[inline] fn b() { const C: u8 = 0; }";
        let tokens = Tokens::parse(text).expect("it is Rust");
        let found = definitions(&tokens);
        let seen: Vec<_> = found.iter().map(|d| (d.name.as_str(), d.conditional, d.scope)).collect();
        let around = [("m", true, Scope::Module), ("D", true, Scope::Module), ("E", true, Scope::Module)];
        let items = [("T", false, Scope::Module), ("F", false, Scope::Member), ("a", true, Scope::Module)];
        assert_eq!(seen[..6], [around, items].concat());
        assert_eq!(seen[6..], [("b", false, Scope::Module), ("C", false, Scope::Body)]);
        assert_eq!(found[4].role, Role::Associated);
    }
}
