//! Records of text: CSV and JSON lines, and the cells of each.

use crate::error::{Fault, Result};
use memchr::{memchr, memchr_iter};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::{self, Formatter};
use std::ops::Range;
use std::str::Utf8Error;

/// The syntax of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Syntax {
    Csv { delimiter: u8 },
    JsonLines,
}

/// Whole records of a text. Empty lines are no records.
pub(super) struct TextRecords {
    pub(super) text: Vec<u8>,
    /// The line of the first byte, from 1.
    pub(super) first_line: u64,
}

/// The cell of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// Empty, `null`, not there, or the text of a missing value.
    Null(&'a [u8]),
    /// A missing value between spaces: a null as a number, itself as text.
    Blank(&'a [u8]),
    /// As it is in the file.
    Raw(&'a [u8]),
    /// A string of JSON.
    String(Cow<'a, str>),
}

impl Cell<'_> {
    /// Whether a number is missing.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Null(_) | Self::Blank(_))
    }

    /// The text, or why it is none.
    pub(super) fn text(&self) -> Result<&str, Utf8Error> {
        match self {
            Self::Null(bytes) | Self::Blank(bytes) | Self::Raw(bytes) => str::from_utf8(bytes),
            Self::String(text) => Ok(text),
        }
    }

    /// The text for messages.
    pub(super) fn lossy_text(&self) -> Cow<'_, str> {
        match self {
            Self::Null(bytes) | Self::Blank(bytes) | Self::Raw(bytes) => String::from_utf8_lossy(bytes),
            Self::String(text) => (&**text).into(),
        }
    }
}

/// A column that is read: its name, and its number in the header.
#[derive(Clone, Debug)]
pub(super) struct ReadColumn {
    pub(super) name: String,
    pub(super) index: usize,
}

/// How the records of a table are read.
#[derive(Clone, Debug)]
pub(super) struct RecordFormat {
    pub(super) syntax: Syntax,
    /// The number of columns, for CSV.
    pub(super) width: usize,
    /// The columns that are read.
    pub(super) slots: Vec<ReadColumn>,
    /// The text of a null, besides the empty cell.
    pub(super) null: Option<String>,
    /// Columns that would be read if the first record had them.
    pub(super) absent: Vec<&'static str>,
}

/// The reason why a record has no cells.
pub(super) struct BadRecord {
    /// The column that makes it bad, where it is known.
    pub(super) column: Option<String>,
    pub(super) text: String,
    pub(super) reason: String,
}

impl TextRecords {
    /// Calls `each` with the line and the cells of every record, in order.
    pub(super) fn for_each(
        &self,
        format: &RecordFormat,
        mut each: impl FnMut(u64, Result<&[Cell<'_>], BadRecord>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match format.syntax {
            Syntax::Csv { delimiter } if is_plain(&self.text) => {
                let mut cells = Vec::with_capacity(format.slots.len());
                let mut fields = Vec::with_capacity(format.width);
                lines(&self.text, self.first_line, |number, line| {
                    split(line, delimiter, &mut fields);
                    let record = csv_cells(format, line, &fields, &mut cells);
                    each(number, record.map(|()| &cells[..]))
                })
            }
            Syntax::Csv { delimiter } => self.for_each_quoted(format, delimiter, each),
            Syntax::JsonLines => lines(&self.text, self.first_line, |number, line| match json_cells(format, line) {
                Ok(cells) => each(number, Ok(&cells)),
                Err(reason) => each(number, Err(foreign_word(line).unwrap_or_else(|| bad(line, reason)))),
            }),
        }
    }

    /// Records with quotes, by the rules of RFC 4180.
    fn for_each_quoted(
        &self,
        format: &RecordFormat,
        delimiter: u8,
        mut each: impl FnMut(u64, Result<&[Cell<'_>], BadRecord>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut reader = quoted_reader(&self.text, delimiter);
        let (mut record, mut fields) = (csv::ByteRecord::new(), Vec::new());
        while reader.read_byte_record(&mut record).map_err(Fault::caused)? {
            let (line, start) = record.position().map_or((0, 0), |position| (position.line(), position.byte()));
            // The position is that of empty lines in front of the record.
            let ends = self.text.get(start as usize..).unwrap_or_default();
            let ends = ends.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
            let line = line + ends.filter(|byte| **byte == b'\n').count() as u64 + self.first_line - 1;
            fields.clear();
            fields.extend((0..record.len()).filter_map(|field| record.range(field)));
            let mut cells = Vec::with_capacity(format.slots.len());
            let found = csv_cells(format, record.as_slice(), &fields, &mut cells).map_err(|bad| {
                // The record itself has lost its delimiters.
                let text: Vec<_> = record.iter().map(String::from_utf8_lossy).collect();
                BadRecord { text: text.join(&char::from(delimiter).to_string()), ..bad }
            });
            each(line, found.map(|()| &cells[..]))?;
        }
        Ok(())
    }
}

/// A reader of text with quotes, without a header.
fn quoted_reader(text: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text)
}

/// The bytes and the lines of the first records of a text with quotes; `None` where there are fewer.
pub(super) fn quoted_records(text: &[u8], delimiter: u8, count: usize) -> Option<(usize, u64)> {
    let mut reader = quoted_reader(text, delimiter);
    let mut record = csv::ByteRecord::new();
    for _ in 0..count {
        if !reader.read_byte_record(&mut record).ok()? {
            return None;
        }
    }
    let position = reader.position();
    Some((usize::try_from(position.byte()).ok()?, position.line() - 1))
}

/// A quoted field that begins in a text and does not end there.
#[derive(Debug, PartialEq)]
pub(super) struct OpenQuote {
    /// The lines in front of the quote.
    pub(super) lines: u64,
    /// The number of the field in its record.
    pub(super) field: usize,
}

/// The quote without an end in whole records of a text, `count` of them: it is in the last one.
///
/// A reader of CSV takes the end of a file for the end of the field, so a quote too much would hide all rows behind it.
pub(super) fn open_quote(text: &[u8], delimiter: u8, count: usize) -> Option<OpenQuote> {
    let at = place_of_open_quote(text, delimiter)?;
    let mut reader = quoted_reader(text, delimiter);
    let mut record = csv::ByteRecord::new();
    let reads = (0..count).all(|_| reader.read_byte_record(&mut record).is_ok());
    let field = if reads { record.len().saturating_sub(1) } else { 0 };
    Some(OpenQuote { lines: memchr_iter(b'\n', &text[..at]).count() as u64, field })
}

/// The byte of the quote without an end.
fn place_of_open_quote(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut next = 0;
    while let Some(found) = memchr(b'"', &text[next..]) {
        let quote = next + found;
        next = quote + 1;
        // Elsewhere in a field a quote is a character like others.
        let begins_field = match &text[..quote] {
            [] | BYTE_ORDER_MARK => true,
            [.., before] => *before == delimiter || matches!(before, b'\r' | b'\n'),
        };
        if begins_field {
            let Some(end) = end_of_quoted(text, next) else { return Some(quote) };
            next = end;
        }
    }
    None
}

/// The end of the quoted text that begins at a byte.
fn end_of_quoted(text: &[u8], mut next: usize) -> Option<usize> {
    loop {
        next += memchr(b'"', &text[next..])? + 1;
        if text.get(next) != Some(&b'"') {
            return Some(next);
        }
        // Two quotes are one in the field.
        next += 1;
    }
}

/// The mark of UTF-8 with which some programs begin a file.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The fields of a header.
pub(super) fn csv_header(text: &[u8], delimiter: u8) -> Vec<String> {
    let mut record = csv::ByteRecord::new();
    let _ = quoted_reader(text, delimiter).read_byte_record(&mut record);
    record.iter().map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned()).collect()
}

/// The names of an object of JSON, also of one with words for numbers that JSON does not have: that is a bad row, not a table
/// without columns.
pub(super) fn json_header(line: &[u8]) -> Result<Vec<String>, String> {
    json_names(line).or_else(|reason| {
        let mut line = line.to_vec();
        while let Some((_, word)) = place_of_foreign_word(&line) {
            line.splice(word, *b"null");
        }
        json_names(&line).map_err(|_| reason)
    })
}

fn json_names(line: &[u8]) -> Result<Vec<String>, String> {
    struct JsonNames;
    impl<'de> Visitor<'de> for JsonNames {
        type Value = Vec<String>;
        fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
                names.push(name);
            }
            Ok(names)
        }
    }
    let mut json = serde_json::Deserializer::from_slice(line);
    let names = serde::Deserializer::deserialize_map(&mut json, JsonNames).and_then(|names| json.end().map(|()| names));
    names.map_err(|error| format!("not a JSON object: {}", plain(&error)))
}

/// Whether each newline ends a record: there are no quotes, and no carriage return on its own.
pub(super) fn is_plain(text: &[u8]) -> bool {
    memchr(b'"', text).is_none()
        && memchr_iter(b'\r', text).all(|at| text.get(at + 1).is_none_or(|next| *next == b'\n'))
}

/// Whether a line is a record.
pub(super) fn is_record(line: &[u8]) -> bool {
    !matches!(line, [] | b"\r" | b"\n" | b"\r\n")
}

/// Calls `each` with the number and the text of each line that is a record.
fn lines<'t>(
    text: &'t [u8],
    first_line: u64,
    mut each: impl FnMut(u64, &'t [u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (mut start, mut number) = (0, first_line);
    let ends = memchr_iter(b'\n', text).chain(std::iter::once(text.len()));
    for end in ends {
        let line = text.get(start..end).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            each(number, line)?;
        }
        (start, number) = (end + 1, number + 1);
    }
    Ok(())
}

/// The places of the fields of a line without quotes.
fn split(line: &[u8], delimiter: u8, fields: &mut Vec<Range<usize>>) {
    fields.clear();
    let mut start = 0;
    for end in memchr_iter(delimiter, line) {
        fields.push(start..end);
        start = end + 1;
    }
    fields.push(start..line.len());
}

fn csv_cells<'t>(
    format: &RecordFormat,
    record: &'t [u8],
    fields: &[Range<usize>],
    cells: &mut Vec<Cell<'t>>,
) -> Result<(), BadRecord> {
    cells.clear();
    if fields.len() != format.width {
        return Err(bad(record, format!("{} fields (the header has {})", fields.len(), format.width)));
    }
    let null = format.null.as_ref().map(String::as_bytes);
    for slot in &format.slots {
        let field = &record[fields[slot.index].clone()];
        // Numbers may have spaces around them; text keeps its spaces.
        let text = field.trim_ascii();
        cells.push(match text.is_empty() || null == Some(text) || null == Some(field) {
            false => Cell::Raw(field),
            true if text.len() == field.len() || null == Some(field) => Cell::Null(field),
            true => Cell::Blank(field),
        });
    }
    Ok(())
}

fn json_cells<'t>(format: &RecordFormat, line: &'t [u8]) -> Result<Vec<Cell<'t>>, String> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let cells = serde::Deserializer::deserialize_map(&mut json, JsonCells(format));
    let raw = cells.and_then(|cells| json.end().map(|()| cells));
    let raw = raw.map_err(|error| format!("not a JSON object: {}", plain(&error)))?;
    let cell = |raw: Option<&'t RawValue>| match raw.map(RawValue::get) {
        None | Some("null") => Ok(Cell::Null(b"")),
        Some(text) if text.starts_with('"') => match serde_json::from_str::<Cow<'t, str>>(text) {
            Ok(string) if format.null.as_deref() == Some(&string) => Ok(Cell::Null(text.trim_matches('"').as_bytes())),
            Ok(text) => Ok(Cell::String(text)),
            Err(error) => Err(format!("not a JSON object: {}", plain(&error))),
        },
        Some(text) => Ok(Cell::Raw(text.as_bytes())),
    };
    raw.into_iter().map(cell).collect()
}

/// The values of an object of JSON: one for each slot.
struct JsonCells<'f>(&'f RecordFormat);

impl<'de> Visitor<'de> for JsonCells<'_> {
    type Value = Vec<Option<&'de RawValue>>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let slots = &self.0.slots;
        let mut values = vec![None; slots.len()];
        // Objects of one table have their names in one order.
        let mut expected = 0;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let at = |slot: &ReadColumn| *slot.name == *name;
            let found = slots.get(expected).filter(|slot| at(slot)).map(|_| expected);
            match found.or_else(|| slots.iter().position(at)) {
                Some(slot) => {
                    values[slot] = Some(map.next_value()?);
                    expected = slot + 1;
                }
                None if self.0.absent.contains(&&*name) => {
                    let text = format!("column '{name}' is not in the first record: give it there (null is a value)");
                    return Err(serde::de::Error::custom(text));
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        // A column may be read and carried, too.
        for slot in 1..slots.len() {
            if let Some(first) = slots[..slot].iter().position(|first| first.name == slots[slot].name) {
                values[slot] = values[first];
            }
        }
        Ok(values)
    }
}

/// The message without the line, which is that of a piece.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line").next().unwrap_or_default().to_owned()
}

fn bad(record: &[u8], reason: String) -> BadRecord {
    BadRecord { column: None, text: String::from_utf8_lossy(record).into_owned(), reason }
}

/// A record with `NaN` or `Infinity`, which other writers take for JSON.
fn foreign_word(line: &[u8]) -> Option<BadRecord> {
    let (name, word) = place_of_foreign_word(line)?;
    let [name, text] = [name, word].map(|place| String::from_utf8_lossy(&line[place]).into_owned());
    let reason = format!("JSON has no {text} (null is a missing number)");
    Some(BadRecord { column: Some(name), text, reason })
}

/// The places of the first word for a number that JSON does not have, and of the name in front of it.
fn place_of_foreign_word(line: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let (mut at, mut name) = (0, 0..0);
    while at < line.len() {
        let start = at;
        at += 1;
        if line[start] == b'"' {
            while *line.get(at)? != b'"' {
                at += if line[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
            if line[at..].trim_ascii_start().starts_with(b":") {
                name = start + 1..at - 1;
            }
        } else if line[start].is_ascii_alphabetic() || line[start] == b'-' {
            while line.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-')) {
                at += 1;
            }
            let word = str::from_utf8(&line[start..at]).unwrap_or_default();
            // `-1e999` is JSON.
            let has_digits = word.bytes().any(|byte| byte.is_ascii_digit());
            if !has_digits && word.parse::<f64>().is_ok() {
                return Some((name, start..at));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Rng;

    #[test]
    fn a_quote_without_an_end_is_found_by_the_rules_of_the_reader() {
        let of = |text: &str, count| open_quote(text.as_bytes(), b',', count);
        assert_eq!(of("a,\"b\"\n1,2\n", 2), None);
        assert_eq!(of("a,b\n1,\"2\n3,4\n", 2), Some(OpenQuote { lines: 1, field: 1 }));
        assert_eq!(of("a,b\n\"1\n\",\"2\"\"\n", 2), Some(OpenQuote { lines: 2, field: 1 }));
        assert_eq!(of("\u{feff}\"a", 1), Some(OpenQuote { lines: 0, field: 0 }));
        let mut random = Rng::new(3);
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..8).map(|_| random.pick(b"\"\"\",\r\na;")).collect();
            // In an open field, what follows is a part of it.
            let mut records = quoted_reader(&[&text[..], b"\n#"].concat(), b',')
                .into_byte_records()
                .map(Result::unwrap)
                .collect::<Vec<_>>();
            let is_open = records.pop().unwrap() != ["#"][..];
            assert_eq!(place_of_open_quote(&text, b',').is_some(), is_open, "{:?}", String::from_utf8_lossy(&text));
        }
    }
}
