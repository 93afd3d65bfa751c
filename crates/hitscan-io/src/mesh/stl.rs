//! STL, text and binary. The file has no topology of its own: equal corners are welded.

use super::parsed::{ParsedMesh, decimal, finite};
use crate::error::{Fault, Place, Result, quoted};
use std::collections::HashMap;

/// 80 bytes of anything, then the number of triangles.
const HEADER: usize = 84;
/// A normal, three corners, two bytes of anything.
const RECORD: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let welder = if is_text(bytes) { TextReader::new(bytes).parse()? } else { parse_binary(bytes)? };
    Ok(welder.mesh)
}

/// Whether a file is as long as the number of triangles in its header says.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    announced(bytes).is_some_and(|count| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * count)
}

/// Whether a file is an STL of text. A binary file may begin with `solid` too, so its length decides first.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let looks_like_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    // The name after `solid` may be long.
    let beginning = &bytes[..bytes.len().min(4096)];
    let is_keyword = |word: &[u8]| word.eq_ignore_ascii_case(b"facet") || word.eq_ignore_ascii_case(b"endsolid");
    let has_facets = beginning.split(u8::is_ascii_whitespace).any(is_keyword);
    !is_binary(bytes) && looks_like_text && (has_facets || bytes.len() < HEADER)
}

fn announced(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u64::from(u32::from_le_bytes(count.try_into().ok()?)))
}

fn parse_binary(bytes: &[u8]) -> Result<CornerWelder, Fault> {
    let Some(count) = announced(bytes) else {
        return Err(Fault::file(format!("truncated: {} bytes (a binary STL has 84 or more)", bytes.len())));
    };
    let records = bytes[HEADER..].chunks_exact(RECORD);
    if (records.len() as u64) < count {
        return Err(Fault::truncated(count, "triangles", records.len() as u64));
    }
    let mut welder = CornerWelder::default();
    for (face, record) in (0..count).zip(records) {
        let (numbers, _) = record[12..48].as_chunks::<4>();
        let mut corners = [[0.0; 3]; 3];
        for (value, bytes) in corners.as_flattened_mut().iter_mut().zip(numbers) {
            *value = f64::from(f32::from_le_bytes(*bytes));
        }
        welder.push(corners, &Place::Face { face, line: None })?;
    }
    Ok(welder)
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

/// The words of a text file, with their lines.
struct TextReader<'a> {
    rest: &'a [u8],
    line: u64,
}

impl<'a> TextReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 1 }
    }

    fn parse(mut self) -> Result<CornerWelder, Fault> {
        let mut welder = CornerWelder::default();
        let mut face = 0;
        let mut in_solid = false;
        while let Some(word) = self.next() {
            match word.to_ascii_lowercase().as_slice() {
                // The rest of the line is a name.
                b"solid" => (in_solid, _) = (true, self.skip_line()),
                b"endsolid" => (in_solid, _) = (false, self.skip_line()),
                b"facet" => {
                    let corners = self.facet(face)?;
                    welder.push(corners, &Place::Face { face, line: Some(self.line) })?;
                    face += 1;
                }
                _ => return Err(Fault::new(Place::Line(self.line), format!("{} instead of 'facet'", quoted(word)))),
            }
        }
        if in_solid {
            return Err(Fault::file(format!("truncated: no 'endsolid' after {face} triangles")));
        }
        Ok(welder)
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
        self.keyword("endloop", face)?;
        self.keyword("endfacet", face)?;
        Ok(corners)
    }

    fn word(&mut self, face: u64) -> Result<&'a [u8], Fault> {
        self.next().ok_or_else(|| Fault::file(format!("truncated: the file ends within face {face}")))
    }

    fn keyword(&mut self, keyword: &str, face: u64) -> Result<(), Fault> {
        let word = self.word(face)?;
        if word.eq_ignore_ascii_case(keyword.as_bytes()) {
            return Ok(());
        }
        let place = Place::Face { face, line: Some(self.line) };
        Err(Fault::new(place, format!("{} instead of '{keyword}'", quoted(word))))
    }

    fn skip_line(&mut self) {
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }
}

impl<'a> Iterator for TextReader<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let word_start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.line += self.rest[..word_start].iter().filter(|&&byte| byte == b'\n').count() as u64;
        let rest = &self.rest[word_start..];
        let (word, rest) = rest.split_at(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()));
        self.rest = rest;
        Some(word)
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
}
