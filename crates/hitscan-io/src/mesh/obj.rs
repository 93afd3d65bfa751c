//! Wavefront OBJ: `v` and `f` lines, everything else is skipped.

use super::parsed::{ParsedMesh, decimal, finite, out_of_range, too_few_coordinates, too_few_corners};
use crate::error::{Fault, Place, Result, quoted};
use std::borrow::Cow;

pub(super) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let mut file = Obj::default();
    // Some editors begin a text with this mark, which would hide the first vertex.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for (line, text) in LogicalLines::new(bytes) {
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => file.vertex(words, line)?,
            Some(b"f") => file.face(words, line)?,
            _ => {}
        }
    }
    file.finish()
}

#[derive(Default)]
struct Obj {
    mesh: ParsedMesh,
    faces: u64,
    corners: Vec<u32>,
    /// The highest index that is not the index of a vertex yet, and the first face that has it.
    highest: Option<(u32, Place)>,
}

impl Obj {
    /// `v x y z`, with optional weights and colours after it.
    fn vertex<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), Fault> {
        let place = || Place::Vertex { vertex: self.mesh.vertices.len() as u64, line: Some(line) };
        let mut point = [0.0; 3];
        for (axis, value) in point.iter_mut().enumerate() {
            *value = decimal(words.next().ok_or_else(|| too_few_coordinates(place(), axis))?, place)?;
        }
        let point = finite(point, place)?;
        self.mesh.vertices.push(point);
        Ok(())
    }

    /// `f v v v …`, each `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative indices count back from the last vertex.
    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), Fault> {
        let place = || Place::Face { face: self.faces, line: Some(line) };
        let known = self.mesh.vertices.len() as u64;
        self.corners.clear();
        for word in words.take_while(|word| !word.starts_with(b"#")) {
            let digits = word.split(|&byte| byte == b'/').next().unwrap_or(word);
            let index: Option<i64> = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
            let index =
                index.ok_or_else(|| Fault::new(place(), format!("{} is not a vertex index", quoted(digits))))?;
            let from_zero = if index < 0 { index.saturating_add_unsigned(known) } else { index - 1 };
            let corner = u32::try_from(from_zero).map_err(|_| out_of_range(place(), index, known))?;
            if u64::from(corner) >= known && self.highest.as_ref().is_none_or(|&(highest, _)| corner > highest) {
                self.highest = Some((corner, place()));
            }
            self.corners.push(corner);
        }
        if self.corners.len() < 3 {
            return Err(too_few_corners(place(), self.corners.len()));
        }
        self.mesh.push_fan(&self.corners);
        self.faces += 1;
        Ok(())
    }

    /// Checks the range of indices: vertices may follow the faces that use them.
    fn finish(self) -> Result<ParsedMesh, Fault> {
        let count = self.mesh.vertices.len() as u64;
        match self.highest {
            Some((corner, place)) if u64::from(corner) >= count => {
                Err(out_of_range(place, i64::from(corner) + 1, count))
            }
            _ => Ok(self.mesh),
        }
    }
}

/// Lines with their numbers; a line that ends in `\` goes on in the next.
struct LogicalLines<'a> {
    rest: Option<&'a [u8]>,
    line: u64,
}

impl<'a> LogicalLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: Some(bytes), line: 0 }
    }

    fn physical(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        self.line += 1;
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(rest[..end.unwrap_or(rest.len())].trim_ascii_end())
    }
}

impl<'a> Iterator for LogicalLines<'a> {
    type Item = (u64, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut text = Cow::Borrowed(self.physical()?);
        let line = self.line;
        while text.last() == Some(&b'\\') {
            let joined = text.to_mut();
            joined.pop();
            joined.push(b' ');
            match self.physical() {
                Some(more) => joined.extend_from_slice(more),
                None => break,
            }
        }
        Some((line, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles(text: &str) -> Vec<[u32; 3]> {
        parse(text.as_bytes()).unwrap().triangles
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn each_way_to_write_a_corner() {
        for face in ["f 1 2 3", "f 1/1 2/2 3/3", "f 1//7 2//7 3//7", "f 1/1/1 2/2/2 3/3/3", "f -4 -3 -2"] {
            assert_eq!(triangles(&format!("{SQUARE}{face}")), [[0, 1, 2]], "{face}");
        }
    }

    /// 3---2
    /// | / |    fan around the first corner
    /// 0---1
    #[test]
    fn a_quad_is_cut_into_a_fan() {
        assert_eq!(triangles(&format!("{SQUARE}f 1 2 3 4 # square")), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn groups_share_their_vertices_and_other_lines_are_skipped() {
        let text = format!("mtllib a.mtl\r\no a\r\n{SQUARE}vn 0 0 1\r\ng one\r\nf 1 2 3\r\ng two\r\nl 1 2\r\nf 1 3 4");
        assert_eq!(triangles(&text), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn long_lines_may_be_folded() {
        assert_eq!(triangles(&format!("{SQUARE}f 1 2 \\\n 3 \\\r\n 4\n")), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(triangles(&format!("{SQUARE}f 1 2 3\\")), [[0, 1, 2]]);
    }

    #[test]
    fn vertices_may_follow_their_faces() {
        assert_eq!(triangles(&format!("f 1 2 3\n{SQUARE}")), [[0, 1, 2]]);
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_line() {
        assert_eq!(parse(format!("\u{feff}{SQUARE}f 1 2 4").as_bytes()).unwrap().vertices.len(), 4);
    }
}
