//! The tokens of a Rust file, as `proc-macro2` reads them: no comments, literals as one token, groups with their ends.

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    Literal,
    /// An operator, or a lifetime; `::`, `->` and `=>` are one token each.
    Mark,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
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

/// The tokens of one file.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
    /// The lines of `///` and `//!` comments: line number and text.
    pub(crate) docs: Vec<(usize, String)>,
}

impl Tokens {
    pub(crate) fn parse(text: &str) -> Result<Self, LexError> {
        let stream: TokenStream = text.parse()?;
        let mut tokens = Self::default();
        tokens.flatten(stream);
        tokens.docs = docs(&tokens);
        tokens.mark_tests();
        Ok(tokens)
    }

    fn push(&mut self, kind: Kind, text: impl Into<String>, line: usize) -> usize {
        let index = self.all.len();
        self.all.push(Token { kind, text: text.into(), line, partner: index, test: false });
        index
    }

    fn flatten(&mut self, stream: TokenStream) {
        let mut joint: Option<String> = None;
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
                    let first = self.push(Kind::Open, open, line);
                    self.flatten(group.stream());
                    let last = self.push(Kind::Close, close, group.span_close().start().line);
                    (self.all[first].partner, self.all[last].partner) = (last, first);
                }
                TokenTree::Ident(word) if joint.as_deref() == Some("'") => {
                    self.push(Kind::Mark, format!("'{word}"), line);
                }
                TokenTree::Ident(word) => drop(self.push(Kind::Word, word.to_string(), line)),
                TokenTree::Literal(literal) => drop(self.push(Kind::Literal, literal.to_string(), line)),
                TokenTree::Punct(punct) => {
                    let before = joint.take().unwrap_or_default();
                    let text = format!("{before}{}", punct.as_char());
                    if matches!(text.as_str(), "::" | "->" | "=>") {
                        let last = self.all.len() - 1;
                        self.all[last].text = text;
                    } else if punct.as_char() == '\'' {
                        joint = Some("'".to_owned());
                        continue;
                    } else {
                        self.push(Kind::Mark, punct.as_char(), line);
                        joint = (punct.spacing() == Spacing::Joint).then(|| punct.as_char().to_string());
                        continue;
                    }
                }
            }
            joint = None;
        }
    }

    /// Whether the tokens from `start` on read like this.
    pub(crate) fn reads(&self, start: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| self.text(start + offset) == *word)
    }

    /// The text of a token; empty behind the end.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.all.get(index).map_or("", |token| &token.text)
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

    /// The index behind an item that ends with a body in braces or with a semicolon.
    pub(crate) fn item_end(&self, start: usize, end: usize) -> usize {
        let stop = self.find(start, end, &["{", ";"]);
        if stop < end { self.after(stop) } else { end }
    }

    /// The bracket group of an attribute that starts at `index`: `#[…]` or `#![…]`.
    pub(crate) fn attribute(&self, index: usize) -> Option<usize> {
        let open = index + 1 + usize::from(self.text(index + 1) == "!");
        (self.text(index) == "#" && self.text(open) == "[").then_some(open)
    }

    fn mark_tests(&mut self) {
        let mut tests = Vec::new();
        for index in 0..self.all.len() {
            let Some(open) = self.attribute(index) else { continue };
            let close = self.all[open].partner;
            let has = |word: &str| (open..close).any(|at| self.text(at) == word);
            let is_test = match self.text(open + 1) {
                "test" => close == open + 2,
                "cfg" => has("test") && !has("not") && !has("any"),
                _ => false,
            };
            if is_test && open == index + 2 {
                tests.push(0..self.all.len()); // `#![cfg(test)]`
            } else if is_test {
                tests.push(index..self.item_end(close + 1, self.all.len()));
            }
        }
        for range in tests {
            self.all[range].iter_mut().for_each(|token| token.test = true);
        }
    }
}

/// Comments with `///` and `//!` are attributes `#[doc = "…"]` to the tokenizer.
fn docs(tokens: &Tokens) -> Vec<(usize, String)> {
    let attributes = (0..tokens.all.len()).filter_map(|index| tokens.attribute(index));
    let texts = attributes.filter(|open| tokens.reads(open + 1, &["doc", "="])).map(|open| {
        let literal = &tokens.all[open + 3];
        (literal.line, literal.text.trim_matches('"').trim().to_owned())
    });
    texts.collect()
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
        assert_eq!(
            words("f::<'a>(|x| -> y => 1)"),
            ["f", "::", "<", "'a", ">", "(", "|", "x", "|", "->", "y", "=>", "1", ")"]
        );
        assert!(Tokens::parse("fn f( {").is_err());
    }

    #[test]
    fn groups_know_their_ends() {
        let tokens = Tokens::parse("fn f() {\n  [1];\n}").expect("it is Rust");
        assert_eq!((tokens.all[4].text.as_str(), tokens.all[4].partner), ("{", 9));
        assert_eq!((tokens.all[9].line, tokens.after(4), tokens.find(0, 10, &["{"])), (3, 10, 4));
    }

    #[test]
    fn docs_have_lines() {
        let tokens = Tokens::parse("//! one\n\n/// # Two\n//// no\nfn f() {} // no\n").expect("it is Rust");
        assert_eq!(tokens.docs, [(1, "one".to_owned()), (3, "# Two".to_owned())]);
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
