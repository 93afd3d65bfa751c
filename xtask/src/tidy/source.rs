//! A Rust file as the rules see it: code apart from comments, literals and test blocks.
//!
//! This is a scanner, not a parser. It knows just enough of the language (nested comments, raw strings, lifetimes
//! against character literals) that a rule never fires on a word in a comment or in a string.

use std::ops::Range;

/// One Rust source file, taken apart once and read by every rule.
pub(crate) struct Source {
    /// The text with comments and the contents of literals blanked; offsets and lines are those of the file.
    pub(crate) code: String,
    /// The text with comments blanked only: for what stands in strings, such as feature names.
    pub(crate) code_and_strings: String,
    /// The lines of `///` and `//!` comments: line number (from 1) and text without the marker.
    pub(crate) docs: Vec<(usize, String)>,
    /// Items behind `#[cfg(test)]` or `#[test]`.
    tests: Vec<Range<usize>>,
}

/// A word, a number or a single punctuation byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    pub(crate) line: usize,
}

impl Source {
    pub(crate) fn parse(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut code, mut code_and_strings, mut docs) = (bytes.to_vec(), bytes.to_vec(), Vec::new());
        let (mut at, mut line) = (0, 1);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let comment = comment_len(rest);
            let len = if let Some(len) = comment {
                docs.extend(doc_text(&text[at..at + len]).map(|doc| (line, doc)));
                blank(&mut code[at..at + len]);
                blank(&mut code_and_strings[at..at + len]);
                len
            } else if let Some(len) = literal_len(rest) {
                blank(&mut code[at..at + len]);
                (code[at], code[at + len - 1]) = (b'"', b'"');
                len
            } else {
                rest.iter().take_while(|b| is_word(**b)).count().max(1)
            };
            line += rest[..len].iter().filter(|b| **b == b'\n').count();
            at += len;
        }
        let text = |bytes| String::from_utf8(bytes).expect("whole characters are blanked");
        let mut source = Self { code: text(code), code_and_strings: text(code_and_strings), docs, tests: Vec::new() };
        source.tests = test_items(&source.tokens(), source.code.len());
        source
    }

    /// Whether the byte at this offset belongs to a test.
    pub(crate) fn is_test(&self, at: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&at))
    }

    pub(crate) fn tokens(&self) -> Vec<Token<'_>> {
        let bytes = self.code.as_bytes();
        let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
        while at < bytes.len() {
            let len = match bytes[at] {
                b'0'..=b'9' => number_len(&bytes[at..]),
                b if is_word(b) => bytes[at..].iter().take_while(|b| is_word(**b)).count(),
                _ => 1,
            };
            if bytes[at] == b'\n' {
                line += 1;
            } else if !bytes[at].is_ascii_whitespace() {
                tokens.push(Token { text: &self.code[at..at + len], at, line });
            }
            at += len;
        }
        tokens
    }
}

/// The index of the bracket that closes the one at `open`, or the last index if the file ends first.
pub(crate) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    tokens.len() - 1
}

/// Whether the tokens from `start` on read like this.
pub(crate) fn reads(tokens: &[Token<'_>], start: usize, words: &[&str]) -> bool {
    words.iter().enumerate().all(|(offset, word)| tokens.get(start + offset).is_some_and(|t| t.text == *word))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// The text of a documentation comment; `////` and `/* */` are plain comments here.
fn doc_text(comment: &str) -> Option<String> {
    let text = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"))?;
    if text.starts_with('/') { None } else { Some(text.trim().to_owned()) }
}

fn comment_len(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"//") {
        return Some(rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with(b"/*") {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            break;
        }
    }
    Some(at)
}

/// The length of the string or character literal that starts here, prefix and quotes included.
fn literal_len(rest: &[u8]) -> Option<usize> {
    let letters = rest.iter().take_while(|b| matches!(b, b'b' | b'c' | b'r')).count();
    if letters > 2 {
        return None;
    }
    if rest[..letters].contains(&b'r') {
        let hashes = rest[letters..].iter().take_while(|b| **b == b'#').count();
        let body = letters + hashes;
        if rest.get(body) != Some(&b'"') {
            return None; // a raw identifier, or a plain word
        }
        let close: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
        let end = rest[body + 1..].windows(close.len()).position(|w| w == close);
        return Some(end.map_or(rest.len(), |end| body + 1 + end + close.len()));
    }
    let (quote, body) = (*rest.get(letters)?, letters + 1);
    let is_char = quote == b'\''
        && rest.get(body).is_some_and(|first| {
            let width = match first {
                b'\\' => return true,
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            rest.get(body + width) == Some(&b'\'') // otherwise a lifetime
        });
    if quote != b'"' && !is_char {
        return None;
    }
    let mut at = body;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    Some(rest.len())
}

fn number_len(bytes: &[u8]) -> usize {
    let hex = bytes.starts_with(b"0x");
    let mut at = 0;
    while at < bytes.len() {
        let next_is_digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let exponent = !hex && at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        match bytes[at] {
            b if is_word(b) => at += 1,
            b'.' if next_is_digit && !bytes[..at].contains(&b'.') => at += 1,
            b'+' | b'-' if exponent && next_is_digit => at += 1,
            _ => break,
        }
    }
    at
}

fn test_items(tokens: &[Token<'_>], end_of_file: usize) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let inner = reads(tokens, index, &["#", "!", "["]);
        if !inner && !reads(tokens, index, &["#", "["]) {
            continue;
        }
        let open = index + 1 + usize::from(inner);
        let close = closing(tokens, open);
        let words = &tokens[open + 1..close.max(open + 1)];
        let has = |word: &str| words.iter().any(|t| t.text == word);
        let is_test = match words.first().map(|t| t.text) {
            Some("test") => words.len() == 1,
            Some("cfg") => has("test") && !has("not") && !has("any"),
            _ => false,
        };
        if is_test && inner {
            items.push(0..end_of_file);
        } else if is_test {
            let mut at = close + 1;
            while at < tokens.len() && !matches!(tokens[at].text, "{" | ";") {
                at = if matches!(tokens[at].text, "(" | "[") { closing(tokens, at) + 1 } else { at + 1 };
            }
            let last = if at < tokens.len() { closing(tokens, at) } else { tokens.len() - 1 };
            items.push(token.at..tokens[last].at + 1);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Source::parse(text).tokens().iter().map(|t| t.text.to_owned()).filter(|t| t != "\"").collect()
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        assert_eq!(words("a // b\n/* c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(words(r##"a "b \" c" r#"d " e"# b"f" 'g' '\'' b'h' i"##), ["a", "i"]);
        assert_eq!(words("fn f<'a>(x: &'a str) { 'ü' }")[2..5], ["<", "'", "a"]);
        assert_eq!(words("r#type bar\"s\" br"), ["r", "#", "type", "bar", "br"]);
    }

    #[test]
    fn numbers_keep_their_exponent() {
        assert_eq!(words("1e-6 2.5E+3_f64 0x1e-6 1..2 t.0.1 1.max(2)")[..3], ["1e-6", "2.5E+3_f64", "0x1e"]);
        assert_eq!(words("1..2"), ["1", ".", ".", "2"]);
        assert_eq!(words("1.max"), ["1", ".", "max"]);
    }

    #[test]
    fn docs_have_lines() {
        let source = Source::parse("//! one\n\n/// # Two\n//// no\nfn f() {} // no\n");
        assert_eq!(source.docs, [(1, "one".to_owned()), (3, "# Two".to_owned())]);
    }

    #[test]
    fn tests_are_known() {
        let text = "fn code() {}\n#[cfg(test)]\nmod tests { const A: [u8; 2] = [0; 2]; fn inner() {} }\nfn after() {}";
        let source = Source::parse(text);
        let inside = |word: &str| source.is_test(text.find(word).expect("in the text"));
        assert!(!inside("code") && inside("inner") && !inside("after"));
        assert!(!Source::parse("#[cfg(not(test))] fn f() {}").is_test(20));
        assert!(!Source::parse("#[cfg(any(test, feature = \"x\"))] fn f() {}").is_test(35));
        assert!(Source::parse("#![cfg(test)]\nfn f() {}").is_test(20));
        assert!(Source::parse("#[test] fn f() { x }").is_test(18));
    }
}
