//! JSON as a tree: RFC 8259, for the headers of glTF.

use crate::error::{Fault, Place};

/// Lists and objects within each other.
const DEEPEST: usize = 64;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// In the order of the file.
    Object(Vec<(String, Json)>),
    True,
    /// `null` and `false`: the same as a missing key.
    Nothing,
}

impl Json {
    /// The value of a key; `None` unless this is an object.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
    /// The items of a list; none unless this is a list.
    pub(super) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }
    /// The items of the list under a key.
    pub(super) fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Self::items)
    }
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
    pub(super) fn number(&self) -> Option<f64> {
        if let Self::Number(x) = self { Some(*x) } else { None }
    }
    /// An extension of an object of a glTF.
    pub(super) fn extension(&self, name: &str) -> Option<&Self> {
        self.get("extensions")?.get(name)
    }
    /// The keys of an object; none unless this is an object.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let pairs = if let Self::Object(pairs) = self { &pairs[..] } else { &[] };
        pairs.iter().map(|(name, _)| name.as_str())
    }
    /// A count or an index.
    pub(super) fn count(&self) -> Option<usize> {
        let x = self.number()?;
        // Beyond 2^53 not every whole number is an f64.
        (x >= 0.0 && x.fract() == 0.0 && x <= 9_007_199_254_740_992.0).then_some(x as u64)?.try_into().ok()
    }
}

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Json, Fault> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    let value = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() { Err(reader.wrong("something follows the JSON")) } else { Ok(value) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &'static str) -> Fault {
        let before = &self.text.as_bytes()[..self.at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() as u64 + 1;
        Fault::new(Place::Character { line, column }, what)
    }
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }
    /// Whether this byte is next; if so it is read, with the space after it.
    fn takes(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        if next {
            self.at += 1;
            self.skip_space();
        }
        next
    }

    fn value(&mut self, depth: usize) -> Result<Json, Fault> {
        if depth > DEEPEST {
            return Err(self.wrong("too many lists within each other"));
        }
        match self.peek() {
            Some(b'{') => self.pairs(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let rest = &self.text[self.at..];
                let words = [("null", Json::Nothing), ("true", Json::True), ("false", Json::Nothing)];
                let word = words.into_iter().find(|(word, _)| rest.starts_with(word));
                let (word, value) = word.ok_or_else(|| self.wrong("not JSON"))?;
                self.at += word.len();
                Ok(value)
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, Fault> {
        let mut items = Vec::new();
        self.takes(b'[');
        while !self.takes(b']') {
            if !items.is_empty() && !self.takes(b',') {
                return Err(self.wrong("',' or ']' is missing"));
            }
            items.push(self.value(depth + 1)?);
            self.skip_space();
        }
        Ok(Json::List(items))
    }

    fn pairs(&mut self, depth: usize) -> Result<Json, Fault> {
        let mut pairs = Vec::new();
        self.takes(b'{');
        while !self.takes(b'}') {
            if !pairs.is_empty() && !self.takes(b',') {
                return Err(self.wrong("',' or '}' is missing"));
            }
            let key = if self.peek() == Some(b'"') { self.string()? } else { return Err(self.wrong("no key")) };
            self.skip_space();
            if !self.takes(b':') {
                return Err(self.wrong("':' is missing"));
            }
            pairs.push((key, self.value(depth + 1)?));
            self.skip_space();
        }
        Ok(Json::Object(pairs))
    }

    fn number(&mut self) -> Result<Json, Fault> {
        let rest = &self.text[self.at..];
        let of_number = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let digits = &rest[..rest.bytes().position(|byte| !of_number(byte)).unwrap_or(rest.len())];
        // What Rust reads beyond JSON (`1.`, `01`) does no harm.
        let number = digits.parse().map_err(|_| self.wrong("not a number"))?;
        self.at += digits.len();
        Ok(Json::Number(number))
    }

    fn string(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(['"', '\\']).ok_or_else(|| self.wrong("a string without an end"))?;
            text.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes()[end] == b'"' {
                return Ok(text);
            }
            let escape = self.peek().ok_or_else(|| self.wrong("a string without an end"))?;
            text.push(match escape {
                b'"' | b'\\' | b'/' => char::from(escape),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    text.push(self.unit()?);
                    continue;
                }
                _ => return Err(self.wrong("not an escape")),
            });
            self.at += 1;
        }
    }

    /// The character of an escape, behind `\`: `uXXXX`, or two of them beyond the first plane.
    fn unit(&mut self) -> Result<char, Fault> {
        let mut units = Vec::with_capacity(2);
        loop {
            let digits = self.text.get(self.at + 1..self.at + 5).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
            let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            units.push(unit.ok_or_else(|| self.wrong("not an escape"))?);
            self.at += 5;
            match char::decode_utf16(units.iter().copied()).next() {
                Some(Ok(c)) => return Ok(c),
                _ if units.len() == 1 && self.text[self.at..].starts_with("\\u") => self.at += 1,
                _ => return Err(self.wrong("half a character")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_value() {
        let text =
            " {\"a\" : [1, -2.5e-1, 1e3], \"b\\n\\u00fc\\ud83d\\ude00\\/\" : {\"c\":\"x\", \"d\":[]}, \"e\":null} \n";
        let json = parse(text).unwrap();
        let numbers: Vec<_> = json.list("a").iter().filter_map(Json::number).collect();
        assert_eq!(numbers, [1.0, -0.25, 1000.0]);
        let inner = json.get("b\nü😀/").unwrap();
        assert_eq!(inner.get("c").and_then(Json::text), Some("x"));
        assert_eq!((inner.list("d").len(), json.get("e")), (0, Some(&Json::Nothing)));
        let counts = [3.0, 0.0, -1.0, 0.5, 1e300].map(|x| Json::Number(x).count());
        assert_eq!(counts, [Some(3), Some(0), None, None, None]);
    }

    #[test]
    fn errors_have_a_place() {
        for (text, message) in [
            ("", "line 1, column 1: not JSON"),
            ("{\"ü\":\n tru}", "line 2, column 2: not JSON"),
            ("[1 2]", "line 1, column 4: ',' or ']' is missing"),
            ("[1,]", "line 1, column 4: not JSON"),
            ("{\"a\":1 \"b\"}", "line 1, column 8: ',' or '}' is missing"),
            ("{a:1}", "line 1, column 2: no key"),
            ("{\"a\" 1}", "line 1, column 6: ':' is missing"),
            ("[1] 2", "line 1, column 5: something follows the JSON"),
            ("[1-2]", "line 1, column 2: not a number"),
            ("\"abc", "line 1, column 2: a string without an end"),
            ("\"\\q\"", "line 1, column 3: not an escape"),
            ("\"\\ud83d\"", "line 1, column 8: half a character"),
            ("\"\\ud83d\\", "line 1, column 8: half a character"),
            ("\"\\u00f", "line 1, column 3: not an escape"),
        ] {
            let error = parse(text).unwrap_err().in_file(std::path::Path::new("a")).to_string();
            assert_eq!(error, format!("a: {message}"), "{text}");
        }
        let deep = parse(&"[".repeat(1_000_000)).unwrap_err().in_file(std::path::Path::new("a")).to_string();
        assert_eq!(deep, "a: line 1, column 66: too many lists within each other");
    }
}
