//! The tokens of a Rust file, as `proc-macro2` reads them: no comments, literals as one token, groups with their ends.

use proc_macro2::{Delimiter, LexError, TokenStream, TokenTree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    Literal,
    /// A character of an operator, a bracket or a lifetime; `::` is one token.
    Mark,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The line in the file, from 1.
    pub(crate) line: usize,
    /// The index of the other bracket; its own index for all other tokens.
    pub(crate) partner: usize,
    /// Whether the token belongs to an item behind `#[test]` or `#[cfg(test)]`.
    pub(crate) test: bool,
}

/// An item of a module.
pub(crate) struct Item {
    /// The index of its keyword, or of the first token of a macro call, attributes and visibility skipped.
    pub(crate) keyword: usize,
    /// Whether it starts with `pub`.
    pub(crate) exported: bool,
    /// The index behind it.
    pub(crate) end: usize,
}

/// The tokens of one file.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
}

impl Tokens {
    pub(crate) fn parse(text: &str) -> Result<Self, LexError> {
        let mut tokens = Self::default();
        tokens.flatten(text.parse()?);
        tokens.mark_tests();
        Ok(tokens)
    }

    fn push(&mut self, kind: Kind, text: impl Into<String>, line: usize) -> usize {
        let index = self.all.len();
        self.all.push(Token { kind, text: text.into(), line, partner: index, test: false });
        index
    }

    fn flatten(&mut self, stream: TokenStream) {
        for tree in stream {
            let line = tree.span().start().line;
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    let first = self.push(Kind::Mark, open, line);
                    self.flatten(group.stream());
                    let last = self.push(Kind::Mark, close, group.span_close().start().line);
                    (self.all[first].partner, self.all[last].partner) = (last, first);
                }
                TokenTree::Ident(word) => {
                    let last = self.all.last_mut().filter(|token| token.text == "'");
                    match last {
                        Some(quote) => quote.text = format!("'{word}"),
                        None => drop(self.push(Kind::Word, word.to_string().trim_start_matches("r#"), line)),
                    }
                }
                TokenTree::Literal(literal) => drop(self.push(Kind::Literal, literal.to_string(), line)),
                TokenTree::Punct(mark) => {
                    let last = self.all.last_mut().filter(|token| token.text == ":" && mark.as_char() == ':');
                    match last {
                        Some(colon) => colon.text = "::".to_owned(),
                        None => drop(self.push(Kind::Mark, mark.as_char(), line)),
                    }
                }
            }
        }
    }

    /// The text of a token; empty behind the end.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.all.get(index).map_or("", |token| &token.text)
    }

    /// The text of the token before this one; empty at the start.
    pub(crate) fn before(&self, index: usize) -> &str {
        self.text(index.wrapping_sub(1))
    }

    pub(crate) fn is_word(&self, index: usize) -> bool {
        self.all.get(index).is_some_and(|token| token.kind == Kind::Word)
    }

    /// The index behind a token: behind the closing bracket if it opens one.
    pub(crate) fn after(&self, index: usize) -> usize {
        self.all[index].partner.max(index) + 1
    }

    /// The first token from `start` on, groups skipped, whose text is one of these; the end if there is none.
    pub(crate) fn find(&self, start: usize, end: usize, texts: &[&str]) -> usize {
        let mut at = start;
        while at < end && !texts.contains(&self.text(at)) {
            at = self.after(at);
        }
        at.min(end)
    }

    /// The bracket group of an attribute that starts at `index`: `#[…]` or `#![…]`.
    fn attribute(&self, index: usize) -> Option<usize> {
        let open = index + 1 + usize::from(self.text(index + 1) == "!");
        (self.text(index) == "#" && self.text(open) == "[").then_some(open)
    }

    /// The items between two tokens of a module.
    pub(crate) fn items(&self, start: usize, end: usize) -> impl Iterator<Item = Item> {
        let mut at = start;
        std::iter::from_fn(move || self.item(at, end).inspect(|item| at = item.end))
    }

    /// The first item from this token on.
    fn item(&self, start: usize, end: usize) -> Option<Item> {
        let (mut at, mut exported) = (start, false);
        while at < end {
            let next = self.text(at + 1);
            match self.text(at) {
                "#" => at = self.attribute(at).map_or(at + 1, |open| self.after(open)),
                "pub" => (at, exported) = (if next == "(" { self.after(at + 1) } else { at + 1 }, true),
                "unsafe" | "async" | ";" => at += 1,
                "const" if matches!(next, "fn" | "unsafe" | "async" | "extern") => at += 1,
                "extern" if next != "crate" => at += 2, // `extern "C"`
                word => {
                    let ends_with_semicolon = matches!(word, "use" | "const" | "static" | "type");
                    let stop = self.find(at, end, if ends_with_semicolon { &[";"] } else { &["{", ";"] });
                    return Some(Item { keyword: at, exported, end: if stop < end { self.after(stop) } else { end } });
                }
            }
        }
        None
    }

    fn mark_tests(&mut self) {
        for index in 0..self.all.len() {
            let Some(open) = self.attribute(index) else { continue };
            let close = self.all[open].partner;
            let has = |word: &str| (open..close).any(|at| self.text(at) == word);
            let is_test = match self.text(open + 1) {
                "test" => close == open + 2,
                "cfg" => has("test") && !has("not") && !has("any"),
                _ => false,
            };
            if is_test {
                let whole_file = open == index + 2; // `#![cfg(test)]`
                let end = self.item(close + 1, self.all.len()).map_or(close, |item| item.end);
                let range = if whole_file { 0..self.all.len() } else { index..end };
                self.all[range].iter_mut().for_each(|token| token.test = true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Tokens::parse(text).expect("it is Rust").all.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_no_tokens_and_literals_are_one() {
        assert_eq!(words("a // b\n/* c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(words("a 1e-6 0.000_1 \"b c\""), ["a", "1e-6", "0.000_1", "\"b c\""]);
        assert_eq!(words("f::<'a>(r#type: u8)"), ["f", "::", "<", "'a", ">", "(", "type", ":", "u8", ")"]);
        assert!(Tokens::parse("fn f( {").is_err());
    }

    #[test]
    fn groups_know_their_ends() {
        let tokens = Tokens::parse("fn f() {\n  [1];\n}").expect("it is Rust");
        assert_eq!((tokens.all[4].text.as_str(), tokens.all[4].partner), ("{", 9));
        assert_eq!((tokens.all[9].line, tokens.after(4), tokens.find(0, 10, &["{"])), (3, 10, 4));
    }

    #[test]
    fn items_have_keywords_and_ends() {
        let text = "#![allow(x)] pub(crate) const unsafe fn a() {} use b::{c, d}; #[e] pub struct F(u8); const G: H = H {}; i! { j }";
        let tokens = Tokens::parse(text).expect("it is Rust");
        let items: Vec<_> = tokens.items(0, tokens.all.len()).collect();
        let keywords: Vec<_> = items.iter().map(|item| (tokens.text(item.keyword), item.exported)).collect();
        assert_eq!(keywords, [("fn", true), ("use", false), ("struct", true), ("const", false), ("i", false)]);
        assert_eq!(items.last().map(|item| item.end), Some(tokens.all.len()));
    }

    #[test]
    fn tests_are_known() {
        let tests = |text: &str| -> Vec<String> {
            let tokens = Tokens::parse(text).expect("it is Rust").all;
            tokens.into_iter().filter(|token| token.test && token.kind == Kind::Word).map(|token| token.text).collect()
        };
        assert_eq!(
            tests("fn a() {}\n#[cfg(test)]\nmod b { const C: [u8; 2] = [0; 2]; }\nfn d() {}")[3..],
            ["b", "const", "C", "u8"]
        );
        assert_eq!(tests("#[cfg(not(test))] fn f() {}"), [""; 0]);
        assert_eq!(tests("#[cfg(any(test, feature = \"x\"))] fn f() {}"), [""; 0]);
        assert_eq!(tests("#![cfg(test)]\nfn f() {}").last().map(String::as_str), Some("f"));
        assert_eq!(tests("#[test] fn f() { x }"), ["test", "fn", "f", "x"]);
    }
}
