//! STL, text and binary. The file has no topology of its own: equal corners are welded.

use super::parsed::{ParsedMesh, decimal, finite};
use super::tally::Tally;
use super::text_encoding;
use crate::error::{Fault, Place, Result, quoted};
use std::collections::HashMap;

/// 80 bytes of anything, then the number of triangles.
const HEADER: usize = 84;
/// A normal, three corners, two bytes of anything.
const RECORD: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    if fits(bytes) {
        return parse_binary(bytes);
    }
    let (text, note) = text_encoding::decode(bytes);
    if !begins_as_text(&text) {
        return parse_binary(bytes);
    }
    let mut mesh = TextReader::new(&text).parse()?;
    mesh.notes.splice(0..0, note);
    Ok(mesh)
}

/// Whether a file is as long as the number of triangles in its header says.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    announced(bytes).is_some_and(|count| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * count)
}

/// Whether a file is at least as long as the number of triangles in its header says. In a text four letters are there, which make
/// a number of more than 150 million triangles; in UTF-16 only two, which may be spaces and make one of 600,000.
fn fits(bytes: &[u8]) -> bool {
    let is_long = |count| bytes.len() as u64 >= HEADER as u64 + RECORD as u64 * count;
    announced(bytes).is_some_and(is_long) && (is_binary(bytes) || !text_encoding::is_utf16(bytes))
}

/// Whether a file is an STL of text. A binary file may begin with `solid` too, so its length decides first.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let text = &text_encoding::decode(&bytes[..bytes.len().min(TextReader::BEGINNING)]).0;
    !fits(bytes) && begins_as_text(text) && TextReader::new(text).has_facets(bytes.len())
}

/// Whether the first word, behind comments, is one that begins an STL of text. In the header of a binary file, which may begin so as
/// well, the number of triangles has a zero byte.
fn begins_as_text(text: &[u8]) -> bool {
    let is_first = |word: &[u8]| is_keyword(word, "solid") || is_keyword(word, "facet");
    TextReader::new(text).next().is_some_and(is_first) && !text[..text.len().min(HEADER)].contains(&0)
}

fn is_keyword(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

fn announced(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u64::from(u32::from_le_bytes(count.try_into().ok()?)))
}

fn parse_binary(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let is_text = |byte: &u8| byte.is_ascii_whitespace() || !byte.is_ascii_control();
    if bytes.iter().take(HEADER).all(is_text) && !fits(bytes) {
        let beginning = bytes[..bytes.len().min(20)].trim_ascii();
        return Err(Fault::file(format!(
            "not an STL file: its text begins with {}, not with 'solid'",
            quoted(beginning)
        )));
    }
    let Some(count) = announced(bytes) else {
        return Err(Fault::file(format!("truncated: {} bytes (a binary STL has 84 or more)", bytes.len())));
    };
    let records = bytes[HEADER..].chunks_exact(RECORD);
    let held = records.len() as u64;
    if held < count {
        return Err(Fault::truncated(count, "triangles", held));
    }
    let mut welder = CornerWelder::default();
    // Programs that write while they compute leave 0 where the number belongs.
    let read = if count == 0 { held } else { count };
    if read > count {
        welder.mesh.notes.push(format!("announces 0 triangles, and {held} follow, which are read"));
    }
    let behind = bytes.len() as u64 - HEADER as u64 - RECORD as u64 * read;
    if behind > 0 {
        let follow = if behind == 1 { "1 byte follows".to_owned() } else { format!("{behind} bytes follow") };
        welder.mesh.notes.push(format!(
            "{follow} the last of {read} triangles, and {} ignored",
            if behind == 1 { "is" } else { "are" }
        ));
    }
    for (face, record) in (0..read).zip(records) {
        let (numbers, _) = record[12..48].as_chunks::<4>();
        let mut corners = [[0.0; 3]; 3];
        for (value, bytes) in corners.as_flattened_mut().iter_mut().zip(numbers) {
            *value = f64::from(f32::from_le_bytes(*bytes));
        }
        welder.push(corners, &Place::Face { face, line: None })?;
    }
    Ok(welder.mesh)
}

/// Gives equal corners of triangles one vertex.
#[derive(Default)]
struct CornerWelder {
    mesh: ParsedMesh,
    seen: HashMap<[u64; 3], u32>,
}

impl CornerWelder {
    fn push(&mut self, corners: [[f64; 3]; 3], place: &Place) -> Result<(), Fault> {
        let mut triangle = [0; 3];
        for (index, corner) in triangle.iter_mut().zip(corners) {
            // + 0.0 turns -0 into +0, which are the same point.
            let corner = finite(corner, || place.clone())?.map(|value| value + 0.0);
            let next = u32::try_from(self.mesh.vertices.len()).map_err(|_| Fault::file("too many vertices"))?;
            *index = *self.seen.entry(corner.map(f64::to_bits)).or_insert(next);
            if *index == next {
                self.mesh.vertices.push(corner);
            }
        }
        self.mesh.triangles.push(triangle);
        Ok(())
    }
}

/// The words of a text file, with their lines. Comments, which the format does not have, are skipped.
struct TextReader<'a> {
    rest: &'a [u8],
    line: u64,
    comments: Tally,
    colours: Tally,
    /// Keywords such as `end facet`.
    apart: Tally,
}

impl<'a> TextReader<'a> {
    /// Bytes that are enough to see the format.
    const BEGINNING: usize = 1 << 16;

    fn new(bytes: &'a [u8]) -> Self {
        let (comments, colours, apart) = Default::default();
        Self { rest: bytes, line: 1, comments, colours, apart }
    }

    /// Whether the beginning of a text has the keywords of an STL; a short one needs none.
    fn has_facets(mut self, length: usize) -> bool {
        length < HEADER || self.any(|word| is_keyword(word, "facet") || is_keyword(word, "endsolid"))
    }

    fn parse(mut self) -> Result<ParsedMesh, Fault> {
        let mut welder = CornerWelder::default();
        let mut face = 0;
        let mut in_solid = false;
        while let Some(word) = self.next_keyword() {
            match word.to_ascii_lowercase().as_slice() {
                // The rest of the line is a name.
                b"solid" => (in_solid, _) = (true, self.skip_line()),
                b"endsolid" => (in_solid, _) = (false, self.skip_line()),
                b"end" if in_solid => {
                    self.apart.add(Place::Line(self.line));
                    (in_solid, _) = (false, self.skip_line());
                }
                b"facet" => {
                    let corners = self.facet(face)?;
                    welder.push(corners, &Place::Face { face, line: Some(self.line) })?;
                    face += 1;
                }
                _ => return Err(Fault::new(Place::Line(self.line), format!("{} instead of 'facet'", quoted(word)))),
            }
        }
        let mut mesh = welder.mesh;
        let notes = [
            in_solid.then(|| "ends without 'endsolid': the end of the file may be missing".to_owned()),
            self.comments
                .note("comment is skipped, which STL does not have", "comments are skipped, which STL does not have"),
            self.colours.note("line of a colour is skipped", "lines of colours are skipped"),
            self.apart.note(
                "keyword is written as two words, as in 'end facet'",
                "keywords are written as two words, as in 'end facet'",
            ),
        ];
        mesh.notes.extend(notes.into_iter().flatten());
        Ok(mesh)
    }

    /// Reads the rest of a facet, after its keyword.
    fn facet(&mut self, face: u64) -> Result<[[f64; 3]; 3], Fault> {
        self.keyword("normal", face)?;
        for _ in 0..3 {
            // Normals are not needed, and often wrong or NaN.
            self.word(face)?;
        }
        self.keyword("outer", face)?;
        self.keyword("loop", face)?;
        let mut corners = [[0.0; 3]; 3];
        for corner in &mut corners {
            self.keyword("vertex", face)?;
            for value in corner {
                let word = self.word(face)?;
                *value = decimal(word, || Place::Face { face, line: Some(self.line) })?;
            }
        }
        self.end("loop", "endloop", face)?;
        self.end("facet", "endfacet", face)?;
        Ok(corners)
    }

    fn word(&mut self, face: u64) -> Result<&'a [u8], Fault> {
        self.next().ok_or_else(|| Self::truncated(face))
    }

    fn truncated(face: u64) -> Fault {
        Fault::file(format!("truncated: the file ends within face {face}"))
    }

    /// The next word that is not a line of a colour.
    fn next_keyword(&mut self) -> Option<&'a [u8]> {
        loop {
            let word = self.next()?;
            if !is_keyword(word, "color") {
                return Some(word);
            }
            self.colours.add(Place::Line(self.line));
            self.skip_line();
        }
    }

    fn keyword(&mut self, keyword: &str, face: u64) -> Result<(), Fault> {
        let word = self.next_keyword().ok_or_else(|| Self::truncated(face))?;
        if is_keyword(word, keyword) { Ok(()) } else { Err(self.unexpected(word, keyword, face)) }
    }

    fn unexpected(&self, word: &[u8], keyword: &str, face: u64) -> Fault {
        let place = Place::Face { face, line: Some(self.line) };
        Fault::new(place, format!("{} instead of '{keyword}'", quoted(word)))
    }

    /// `endfacet`, or `end facet`.
    fn end(&mut self, what: &str, keyword: &str, face: u64) -> Result<(), Fault> {
        let word = self.next_keyword().ok_or_else(|| Self::truncated(face))?;
        if is_keyword(word, "end") {
            self.apart.add(Place::Face { face, line: Some(self.line) });
            return self.keyword(what, face);
        }
        if is_keyword(word, keyword) { Ok(()) } else { Err(self.unexpected(word, keyword, face)) }
    }

    fn skip_line(&mut self) {
        self.rest = &self.rest[text_encoding::line_end(self.rest)..];
    }
}

impl<'a> Iterator for TextReader<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let word_start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            self.line += text_encoding::line_ends(&self.rest[..word_start]);
            let rest = &self.rest[word_start..];
            let (word, rest) = rest.split_at(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()));
            self.rest = rest;
            if !(word.starts_with(b"#") || word.starts_with(b"//") || word.starts_with(b";")) {
                return Some(word);
            }
            self.comments.add(Place::Line(self.line));
            self.skip_line();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(header: &[u8], triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    /// c---d
    /// | \ |    two triangles, one shared edge
    /// a---b
    #[test]
    fn equal_corners_are_welded_and_minus_zero_is_zero() {
        let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let mesh = parse(&binary(b"x", &[[a, b, c], [b, d, [-0.0, 1.0, -0.0]]])).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(mesh.vertices.len(), 4);
    }

    #[test]
    fn a_binary_file_may_begin_with_solid_and_facet() {
        let bytes = binary(b"solid facet normal", &[[[0.0; 3], [1.0; 3], [2.0; 3]]]);
        assert_eq!(parse(&bytes).unwrap().triangles, [[0, 1, 2]]);
    }

    #[test]
    fn text_in_any_case_and_layout() {
        let text = "Solid facet of a thing\nFACET normal nan 0 1 outer loop\r\n vertex 0 0 0 vertex 1e0 0 0\n\
                    vertex 0 1 0 endloop endfacet\nendsolid facet";
        assert_eq!(parse(text.as_bytes()).unwrap().triangles, [[0, 1, 2]]);
    }

    const FACET: &str = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

    /// What other programs read as well: each with its note.
    #[test]
    fn text_that_departs_from_the_format() {
        let name = "n".repeat(5000);
        for (text, notes) in [
            (format!("\u{feff}solid\n{FACET}endsolid"), vec!["begins with a byte order mark, which is skipped"]),
            (
                format!("# made by\n; hand\nsolid // a name\n{FACET}// end\nendsolid"),
                vec!["3 comments are skipped, which STL does not have; the first is line 1"],
            ),
            (format!("solid {name}\n{FACET}endsolid"), vec![]),
            (
                format!("solid\ncolor 1 0 0\n{}endsolid", FACET.replace("outer", "color 0 1 0\nouter")),
                vec!["2 lines of colours are skipped; the first is line 2"],
            ),
            (
                format!("solid\n{}end solid", FACET.replace("endf", "end f").replace("endl", "end l")),
                vec!["3 keywords are written as two words, as in 'end facet'; the first is face 0 (line 7)"],
            ),
            (format!("solid\n{FACET}"), vec!["ends without 'endsolid': the end of the file may be missing"]),
            (format!("solid x\n{FACET}endsolid x").replace('\n', "\r"), vec![]),
        ] {
            let mesh = parse(text.as_bytes()).unwrap();
            assert_eq!(mesh.triangles, [[0, 1, 2]], "{text}");
            assert_eq!(mesh.notes, notes, "{text}");
            assert!(is_text(text.as_bytes()), "{text}");
        }
    }

    /// The units 40 and 41 of a text of 16 bits are where a binary file has its number: 589,833 triangles here, which fit.
    #[test]
    fn a_long_text_of_16_bits_is_no_binary_file() {
        let mut text = format!("solid {}\n{FACET}endsolid\n", "\t".repeat(64));
        let units = (HEADER + RECORD * 0x0009_0009) / 2;
        text.push_str(&" ".repeat(units - text.len() + 8));
        let bytes: Vec<u8> = text.bytes().flat_map(|byte| [byte, 0]).collect();
        assert_eq!(announced(&bytes), Some(0x0009_0009));
        assert!(is_text(&bytes) && !is_binary(&bytes));
        assert_eq!(parse(&bytes).unwrap().triangles, [[0, 1, 2]]);
    }

    #[test]
    fn binary_files_of_another_length_than_announced() {
        let triangles = [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 12];
        let whole = binary(b"solid facet", &triangles);
        let longer = parse(&[&whole[..], b"\n"].concat()).unwrap();
        assert_eq!(
            (longer.triangles.len(), &longer.notes[0][..]),
            (12, "1 byte follows the last of 12 triangles, and is ignored")
        );
        let mut uncounted = whole.clone();
        uncounted[80..84].fill(0);
        let read = parse(&uncounted).unwrap();
        assert_eq!(
            (read.triangles.len(), &read.notes[0][..]),
            (12, "announces 0 triangles, and 12 follow, which are read")
        );
    }
}
