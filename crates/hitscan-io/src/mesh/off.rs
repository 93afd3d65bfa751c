//! OFF, the Object File Format of Geomview: counts, vertices and faces as lines of text.
//!
//! <http://www.geomview.org/docs/html/OFF.html>

use super::parsed::{ParsedMesh, decimal, finite, out_of_range, too_few_coordinates, too_few_corners};
use crate::error::{Fault, Place, Result, quoted};

pub(super) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut lines = OffLines { rest: bytes, line: 0 };
    let [vertices, faces] = header(&mut lines)?;
    let mut mesh = ParsedMesh::default();
    // Three digits, two spaces and a line break at least.
    mesh.vertices.reserve(usize::try_from(vertices).unwrap_or(usize::MAX).min(lines.rest.len() / 6));
    for vertex in 0..vertices {
        let Some((line, text)) = lines.next() else { return Err(Fault::truncated(vertices, "vertices", vertex)) };
        let place = || Place::Vertex { vertex, line: Some(line) };
        let mut words = words(text);
        let mut point = [0.0; 3];
        for (axis, value) in point.iter_mut().enumerate() {
            *value = decimal(words.next().ok_or_else(|| too_few_coordinates(place(), axis))?, place)?;
        }
        // Normals, colours and texture coordinates may follow.
        mesh.vertices.push(finite(point, place)?);
    }
    let mut corners = Vec::new();
    for face in 0..faces {
        let Some((line, text)) = lines.next() else { return Err(Fault::truncated(faces, "faces", face)) };
        let place = || Place::Face { face, line: Some(line) };
        let mut words = words(text);
        let count: usize = whole(words.next().unwrap_or_default(), "a number of corners", place)?;
        corners.clear();
        // A colour may follow.
        for word in words.take(count) {
            let index: i64 = whole(word, "a vertex index", place)?;
            let corner = u32::try_from(index).ok().filter(|corner| u64::from(*corner) < vertices);
            corners.push(corner.ok_or_else(|| out_of_range(place(), index, vertices))?);
        }
        if corners.len() < count {
            let text = format!("{count} corners announced, {} read", corners.len());
            return Err(Fault::new(place(), text));
        }
        if count < 3 {
            return Err(too_few_corners(place(), count));
        }
        mesh.push_fan(&corners);
    }
    Ok(mesh)
}

/// Whether a file begins with the keyword of an OFF file.
pub(super) fn has_keyword(bytes: &[u8]) -> bool {
    let mut lines = OffLines { rest: &bytes[..bytes.len().min(4096)], line: 0 };
    lines.next().and_then(|(_, text)| keyword(text)).is_some()
}

/// The keyword of a first line, `[ST][C][N][4][n]OFF`: the letters before `OFF`, and the rest of the line.
fn keyword(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.windows(3).take(7).position(|word| word == b"OFF")?;
    let (letters, rest) = (&text[..at], &text[at + 3..]);
    let mut left = letters.strip_prefix(b"ST").unwrap_or(letters);
    for letter in [b"C", b"N", b"4", b"n"] {
        left = left.strip_prefix(letter).unwrap_or(left);
    }
    // Some programs write the counts without a space: `OFF8 6 12`.
    let is_end = rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit());
    (left.is_empty() && is_end).then_some((letters, rest))
}

/// Reads the keyword and the numbers of vertices and faces.
fn header(lines: &mut OffLines) -> Result<[u64; 2], Fault> {
    let truncated = || Fault::file("truncated: the numbers of vertices, faces and edges are missing");
    let (mut line, mut text) = lines.next().ok_or_else(truncated)?;
    // The keyword is optional.
    if let Some((letters, rest)) = keyword(text) {
        if letters.iter().any(|letter| matches!(letter, b'4' | b'n')) {
            let name = String::from_utf8_lossy(letters);
            return Err(Fault::file(format!("{name}OFF files, of other dimensions than three, cannot be read")));
        }
        let rest = rest.trim_ascii();
        if rest.starts_with(b"BINARY") {
            return Err(Fault::file("binary OFF files cannot be read (save it as text, or as PLY)"));
        }
        if rest.is_empty() {
            (line, text) = lines.next().ok_or_else(truncated)?;
        } else {
            text = rest;
        }
    } else if !text[0].is_ascii_digit() {
        return Err(Fault::file("not an OFF file (its first line is not 'OFF')"));
    }
    let place = || Place::Line(line);
    let mut words = words(text);
    let mut count = || match words.next() {
        Some(word) => whole(word, "a number of vertices, faces or edges", place),
        None => Err(Fault::new(place(), "the numbers of vertices, faces and edges have to be on one line")),
    };
    let counts = [count()?, count()?];
    if counts[0] > u64::from(u32::MAX) {
        return Err(Fault::new(place(), format!("{} vertices (at most {} are possible)", counts[0], u32::MAX)));
    }
    Ok(counts)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn whole<T: std::str::FromStr>(word: &[u8], what: &str, place: impl FnOnce() -> Place) -> Result<T, Fault> {
    let number = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Fault::new(place(), format!("{} is not {what}", quoted(word))))
}

/// Lines with their numbers, from 1, without comments and blank lines.
struct OffLines<'a> {
    rest: &'a [u8],
    line: u64,
}

impl<'a> Iterator for OffLines<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
            let text = &self.rest[..end];
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
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
    fn keywords() {
        assert!(["OFF", "OFF 1", "# x\nCOFF\n", "nOFF", "STCN4nOFF"].iter().all(|text| has_keyword(text.as_bytes())));
        assert!(!["OFFSET 1", "off", "XOFF", "1 2 3", "", "v 1 2 3"].iter().any(|text| has_keyword(text.as_bytes())));
    }
}
