//! OFF, the Object File Format of Geomview: counts, vertices and faces as lines of text.
//!
//! <http://www.geomview.org/docs/html/OFF.html>

use super::faces::Faces;
use super::parsed::{ParsedMesh, decimal, out_of_range, too_few_coordinates};
use super::polygon::Rounding;
use super::tally::Tally;
use super::text_encoding::{self, words};
use crate::error::{Fault, Place, Result, quoted};

/// How the values of a file are laid out.
#[derive(Clone, Copy, PartialEq)]
enum OffLayout {
    /// Each vertex and each face is a line.
    Rows,
    /// Each begins on a new line, and may go on in the next.
    BrokenRows,
    /// Lines have no meaning: no vertex and no face has values that this reader does not know.
    Stream,
}

pub(super) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let (text, note) = text_encoding::decode(bytes);
    let mut read = parse_as(&text, OffLayout::Rows);
    if let Err(fault) = read {
        // Geomview takes lines for spaces. A layout other than lines has to be right to the end of the file.
        let broken = parse_as(&text, OffLayout::BrokenRows).or_else(|_| parse_as(&text, OffLayout::Stream));
        read = broken.map_err(|_| fault);
    }
    let mut mesh = read?;
    mesh.notes.splice(0..0, note);
    Ok(mesh)
}

fn parse_as(text: &[u8], layout: OffLayout) -> Result<ParsedMesh, Fault> {
    let mut values =
        OffValues { lines: OffLines { rest: text, line: 0 }, text: b"", line: 0, layout, broken: Tally::default() };
    let (mut mesh, mut list) = (ParsedMesh::default(), Faces::default());
    let OffHeader { counts: [vertices, faces], extras } = values.header(&mut mesh)?;
    // Three digits, two spaces and a line break at least.
    mesh.vertices.reserve(usize::try_from(vertices).unwrap_or(usize::MAX).min(values.lines.rest.len() / 6));
    for vertex in 0..vertices {
        let place = |line| Place::Vertex { vertex, line: Some(line) };
        let mut point = [0.0; 3];
        for (axis, value) in point.iter_mut().enumerate() {
            let word = if axis == 0 { values.start() } else { values.next(&place) };
            let word = word.ok_or_else(|| match axis {
                0 => Fault::truncated(vertices, "vertices", vertex),
                _ => too_few_coordinates(place(values.line), axis),
            })?;
            *value = decimal(word, || place(values.line))?;
            if Rounding::looks_at(vertex as usize) {
                list.rounding.see_decimal(word, *value);
            }
        }
        mesh.push_vertex(point, || place(values.line))?;
        // Normals, colours and texture coordinates may follow.
        values.end(extras);
    }
    let mut corners = Vec::new();
    for face in 0..faces {
        let place = |line| Place::Face { face, line: Some(line) };
        let word = values.start().ok_or_else(|| Fault::truncated(faces, "faces", face))?;
        let count: usize = whole(word, "a number of corners", || place(values.line))?;
        corners.clear();
        for read in 0..count {
            let missing = || format!("{count} corners announced, {read} read");
            let word = values.next(&place).ok_or_else(|| Fault::new(place(values.line), missing()))?;
            let index: i64 = whole(word, "a vertex index", || place(values.line))?;
            let corner = u32::try_from(index).ok().filter(|corner| u64::from(*corner) < vertices);
            corners.push(corner.ok_or_else(|| out_of_range(place(values.line), index, vertices))?);
        }
        list.push(&mut mesh, &corners, place(values.line));
        // A colour may follow.
        values.end(0);
    }
    if layout != OffLayout::Rows && values.start().is_some() {
        return Err(Fault::new(Place::Line(values.line), "something follows the last face"));
    }
    let one = "row of values is broken over lines";
    mesh.notes.extend(values.broken.note(one, "rows of values are broken over lines"));
    list.finish(&mut mesh);
    Ok(mesh)
}

/// Whether a file begins with the keyword of an OFF file.
pub(super) fn has_keyword(bytes: &[u8]) -> bool {
    let mut lines = OffLines { rest: &bytes[..bytes.len().min(4096)], line: 0 };
    lines.next().and_then(|(_, text)| keyword(text)).is_some()
}

/// The keyword of a first line, `[ST][C][N][4][n]OFF`: the letters before `OFF`, `OFF` as it is written, and the rest of the line.
fn keyword(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let at = text.windows(3).take(7).position(|word| word.eq_ignore_ascii_case(b"OFF"))?;
    let (letters, (word, rest)) = (&text[..at], text[at..].split_at(3));
    let mut left = letters.strip_prefix(b"ST").unwrap_or(letters);
    for letter in [b"C", b"N", b"4", b"n"] {
        left = left.strip_prefix(letter).unwrap_or(left);
    }
    // Some programs write the counts without a space: `OFF8 6 12`.
    let is_end = rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit());
    (left.is_empty() && is_end).then_some((letters, word, rest))
}

/// What the first lines say.
struct OffHeader {
    /// The numbers of vertices and faces.
    counts: [u64; 2],
    /// The values of a vertex behind its coordinates.
    extras: usize,
}

/// The values of a file, between white space.
struct OffValues<'a> {
    lines: OffLines<'a>,
    /// The rest of a line, and its number.
    text: &'a [u8],
    line: u64,
    layout: OffLayout,
    broken: Tally,
}

impl<'a> OffValues<'a> {
    /// Reads the keyword and the numbers of vertices and faces.
    fn header(&mut self, mesh: &mut ParsedMesh) -> Result<OffHeader, Fault> {
        let truncated = || Fault::file("truncated: the numbers of vertices, faces and edges are missing");
        (self.line, self.text) = self.lines.next().ok_or_else(truncated)?;
        let mut extras = 0;
        // The keyword is optional.
        if let Some((letters, word, rest)) = keyword(self.text) {
            if letters.iter().any(|letter| matches!(letter, b'4' | b'n')) {
                let name = String::from_utf8_lossy(letters);
                return Err(Fault::file(format!("{name}OFF files, of other dimensions than three, cannot be read")));
            }
            let rest = rest.trim_ascii();
            if rest.starts_with(b"BINARY") {
                return Err(Fault::file("binary OFF files cannot be read (save it as text, or as PLY)"));
            }
            if word != b"OFF" {
                mesh.notes.push(format!("begins with {} in place of 'OFF'", quoted(word)));
            }
            let has = |letter: &[u8]| letters.windows(letter.len()).any(|window| window == letter);
            extras = 2 * usize::from(has(b"ST")) + 4 * usize::from(has(b"C")) + 3 * usize::from(has(b"N"));
            self.text = rest;
            if rest.is_empty() {
                (self.line, self.text) = self.lines.next().ok_or_else(truncated)?;
            }
        } else if !self.text[0].is_ascii_digit() {
            return Err(Fault::file("not an OFF file (its first line is not 'OFF')"));
        }
        // The number of edges is often missing, and of no use.
        let mut count = |number: usize| {
            let word = if number == 0 { self.word() } else { self.next(&Place::Line) };
            let place = || Place::Line(self.line);
            match word {
                Some(word) => whole(word, "a number of vertices, faces or edges", place),
                None => Err(Fault::new(place(), "the numbers of vertices, faces and edges have to be on one line")),
            }
        };
        let counts: [u64; 2] = [count(0)?, count(1)?];
        if counts[0] > u64::from(u32::MAX) {
            let text = format!("{} vertices (at most {} are possible)", counts[0], u32::MAX);
            return Err(Fault::new(Place::Line(self.line), text));
        }
        let layout = self.layout;
        match layout {
            OffLayout::Stream => drop(self.next(&Place::Line)),
            OffLayout::BrokenRows if self.word().is_none() => {
                // A number that is alone on its line is the number of edges, for a vertex has three.
                let ahead = self.lines.clone().next();
                if ahead.is_some_and(|(_, text)| words(text).count() == 1) {
                    self.lines.next();
                }
            }
            _ => {}
        }
        if self.layout != OffLayout::Stream {
            self.text = b"";
        }
        Ok(OffHeader { counts, extras })
    }

    /// The next word of the line.
    fn word(&mut self) -> Option<&'a [u8]> {
        let text = self.text.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.text = rest;
        (!word.is_empty()).then_some(word)
    }

    /// The first word of a row; `None` at the end of the file.
    fn start(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.word() {
                return Some(word);
            }
            (self.line, self.text) = self.lines.next()?;
        }
    }

    /// The next word of a row; `None` where the row ends, which is at a place.
    fn next(&mut self, place: &impl Fn(u64) -> Place) -> Option<&'a [u8]> {
        let word = self.word();
        if word.is_some() || self.layout == OffLayout::Rows {
            return word;
        }
        self.broken.add(place(self.line));
        self.start()
    }

    /// Ends a row, with so many values behind those that were read.
    fn end(&mut self, extras: usize) {
        match self.layout {
            OffLayout::Stream => (0..extras).for_each(|_| {
                self.start();
            }),
            _ => self.text = b"",
        }
    }
}

fn whole<T: std::str::FromStr>(word: &[u8], what: &str, place: impl FnOnce() -> Place) -> Result<T, Fault> {
    let number = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Fault::new(place(), format!("{} is not {what}", quoted(word))))
}

/// Lines with their numbers, from 1, without comments and blank lines.
#[derive(Clone)]
struct OffLines<'a> {
    rest: &'a [u8],
    line: u64,
}

impl<'a> Iterator for OffLines<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(text) = text_encoding::next_line(&mut self.rest) {
            self.line += 1;
            let text = text.split(|byte| *byte == b'#').next().unwrap_or(text).trim_ascii();
            if !text.is_empty() {
                return Some((self.line, text));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

    fn read(text: &str) -> ParsedMesh {
        parse(text.as_bytes()).unwrap()
    }

    /// 3---2
    /// | / |    a fan around the first corner
    /// 0---1
    #[test]
    fn polygons_become_fans() {
        let mesh = read(&format!("OFF\n4 2 0\n{SQUARE}4 0 1 2 3\n3 0 1 2\n"));
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(mesh.vertices[2], [1.0, 1.0, 0.0]);
    }

    #[test]
    fn headers_of_every_layout() {
        for header in
            ["OFF\n4 1 0", "OFF 4 1 0", "OFF4 1 0", "4 1 0", "# a\n\nOFF # b\r\n 4 1 # c", "\u{feff}OFF\n4 1 0"]
        {
            let mesh = read(&format!("{header}\n{SQUARE}# one face\n3 0 1 2"));
            assert_eq!((mesh.vertices.len(), mesh.triangles), (4, vec![[0, 1, 2]]), "{header}");
        }
    }

    #[test]
    fn colours_and_normals_are_skipped() {
        let vertices = "0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0.5 0.5 0.5 1\n";
        for name in ["COFF", "NOFF", "CNOFF", "STOFF", "STCNOFF"] {
            let mesh = read(&format!("{name}\n3 1 3\n{vertices}3 0 1 2 0.1 0.2 0.3\n"));
            assert_eq!((mesh.vertices[2], mesh.triangles), ([0.0, 1.0, 0.0], vec![[0, 1, 2]]), "{name}");
        }
    }

    #[test]
    fn rows_broken_over_lines() {
        for (text, notes) in [
            (
                "OFF\n4\n1\n0\n0 0\n0\n1 0 0\n1 1 0\n0 1 0\n4 0 1\n2 3\n",
                "3 rows of values are broken over lines; the first is line 2",
            ),
            (
                "OFF\n4 1 0\n0 0 0\n1 0\n0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
                "1 row of values is broken over lines: vertex 1 (line 4)",
            ),
        ] {
            let mesh = read(text);
            assert_eq!((mesh.vertices.len(), mesh.triangles), (4, vec![[0, 1, 2], [0, 2, 3]]), "{text}");
            assert_eq!(mesh.notes, [notes]);
        }
        let line = read("OFF 4 1 0 0 0 0 1 0 0 1 1 0 0 1 0 4 0 1 2 3");
        assert_eq!((line.triangles, line.notes), (vec![[0, 1, 2], [0, 2, 3]], vec![]));
        let colours = read("COFF 3 1 0 0 0 0 1 1 1 1 1 0 0 1 1 1 1 1 1 0 1 1 1 1 3 0 1 2");
        assert_eq!(colours.vertices[2], [1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_keyword_in_small_letters_is_noted() {
        assert_eq!(read(&format!("off\n4 1 0\n{SQUARE}3 0 1 2")).notes, ["begins with 'off' in place of 'OFF'"]);
    }

    #[test]
    fn keywords() {
        assert!(["OFF", "OFF 1", "# x\nCOFF\n", "nOFF", "STCN4nOFF"].iter().all(|text| has_keyword(text.as_bytes())));
        assert!(!["OFFSET 1", "of", "XOFF", "1 2 3", "", "v 1 2 3"].iter().any(|text| has_keyword(text.as_bytes())));
    }
}
