//! The text of a file: byte order marks, UTF-16, and lines that end in each usual way.

use std::borrow::Cow;

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The note about a byte order mark.
pub(super) const MARK_NOTE: &str = "begins with a byte order mark, which is skipped";

/// The text behind a byte order mark of UTF-8, if there is one.
pub(super) fn behind_mark(bytes: &[u8]) -> Option<&[u8]> {
    bytes.strip_prefix(UTF8_MARK)
}

/// A text as UTF-8, without a byte order mark; and a note if it was another one.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<String>) {
    if let Some(text) = behind_mark(bytes) {
        return (text.into(), Some(MARK_NOTE.into()));
    }
    let Some(order) = Utf16::of(bytes) else { return (bytes.into(), None) };
    let units = bytes.as_chunks().0.iter().map(|unit| match order {
        Utf16::LittleEndian => u16::from_le_bytes(*unit),
        Utf16::BigEndian => u16::from_be_bytes(*unit),
    });
    let characters = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    let text: String = characters.skip_while(|c| *c == '\u{FEFF}').collect();
    (
        text.into_bytes().into(),
        Some("is UTF-16 text, which is read, though files of its format have one byte for a letter".into()),
    )
}

/// Whether a file is a text of 16 bits.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    Utf16::of(bytes).is_some()
}

/// The byte order of a text of 16 bits.
#[derive(Clone, Copy)]
enum Utf16 {
    LittleEndian,
    BigEndian,
}

impl Utf16 {
    /// That of a text with a byte order mark, or one that begins with ASCII characters.
    fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\xFF\xFE") {
            return Some(Self::LittleEndian);
        }
        if bytes.starts_with(b"\xFE\xFF") {
            return Some(Self::BigEndian);
        }
        let beginning = bytes[..bytes.len().min(32)].as_chunks::<2>().0;
        let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
        let is_all = |low: usize| beginning.iter().all(|unit| is_text(unit[low]) && unit[1 - low] == 0);
        match beginning.len() {
            0..4 => None,
            _ if is_all(0) => Some(Self::LittleEndian),
            _ if is_all(1) => Some(Self::BigEndian),
            _ => None,
        }
    }
}

/// Takes the next line from the rest of a text, without its end: `\n`, `\r\n` or `\r`. `None` behind the last one.
pub(super) fn next_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    if rest.is_empty() {
        return None;
    }
    let end = line_end(rest);
    let (line, after) = rest.split_at(end);
    let ending = if after.starts_with(b"\r\n") { 2 } else { after.len().min(1) };
    *rest = &after[ending..];
    Some(line)
}

/// The words of a line, between white space.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The length of the first line.
pub(super) fn line_end(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len())
}

/// The number of line ends in white space.
pub(super) fn line_ends(space: &[u8]) -> u64 {
    let ends = |at: usize| space[at] == b'\n' || (space[at] == b'\r' && space.get(at + 1) != Some(&b'\n'));
    (0..space.len()).filter(|at| ends(*at)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_each_encoding() {
        let text = "v 0 ü\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], text: &[u8]| decode(&[mark, text].concat()).0.into_owned();
        assert_eq!(decode(text.as_bytes()), (text.as_bytes().into(), None));
        assert_eq!(marked(UTF8_MARK, text.as_bytes()), text.as_bytes());
        assert_eq!(marked(b"\xFF\xFE", &little), text.as_bytes());
        assert_eq!(marked(b"\xFE\xFF", &big), text.as_bytes());
        assert_eq!(decode(&[b'v', 0, b' ', 0, b'0', 0, b' ', 0]).0, &b"v 0 "[..]);
        assert_eq!(decode(&[0, b'v', 0, b' ', 0, b'0', 0, b' ']).0, &b"v 0 "[..]);
    }

    #[test]
    fn lines_of_each_system() {
        let mut rest: &[u8] = b"a\nb\r\nc\r\rd";
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut rest) {
            lines.push(line);
        }
        assert_eq!(lines, [&b"a"[..], b"b", b"c", b"", b"d"]);
        assert_eq!(line_ends(b" \n\r\n\r \r"), 4);
    }
}
