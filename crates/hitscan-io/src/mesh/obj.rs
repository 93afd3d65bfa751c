//! Wavefront OBJ: `v` and `f` lines. Other elements are counted, everything else is skipped.

use super::faces::Faces;
use super::parsed::{ParsedMesh, decimal, out_of_range, too_few_coordinates};
use super::polygon::Rounding;
use super::tally::Tally;
use super::text_encoding::{self, words};
use crate::error::{Fault, Place, Result, quoted};
use std::borrow::Cow;

pub(super) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let mut file = Obj::default();
    let (text, note) = text_encoding::decode(bytes);
    file.mesh.notes.extend(note);
    for (line, text) in LogicalLines::new(&text) {
        let mut words = words(&text);
        match words.next() {
            Some(b"v") => file.vertex(words, line)?,
            Some(b"f") => file.face(words, line)?,
            // A ray hits neither points nor lines.
            Some(b"p" | b"l") => file.lines.add(Place::Line(line)),
            Some(b"curv" | b"curv2" | b"surf") => file.free_form.add(Place::Line(line)),
            _ => {}
        }
    }
    file.finish()
}

#[derive(Default)]
struct Obj {
    mesh: ParsedMesh,
    faces: Faces,
    count: u64,
    corners: Vec<u32>,
    /// The highest index that is not the index of a vertex yet, and the first face that has it.
    highest: Option<(u32, Place)>,
    /// Elements that are points or lines, and curves and surfaces by formulas.
    lines: Tally,
    free_form: Tally,
}

impl Obj {
    /// `v x y z`, with optional weights and colours after it.
    fn vertex<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), Fault> {
        let vertex = self.mesh.vertices.len();
        let place = || Place::Vertex { vertex: vertex as u64, line: Some(line) };
        let mut point = [0.0; 3];
        for (axis, value) in point.iter_mut().enumerate() {
            let word = words.next().ok_or_else(|| too_few_coordinates(place(), axis))?;
            *value = decimal(word, place)?;
            if Rounding::looks_at(vertex) {
                self.faces.rounding.see_decimal(word, *value);
            }
        }
        self.mesh.push_vertex(point, place)
    }

    /// `f v v v …`, each `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative indices count back from the last vertex.
    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), Fault> {
        let place = || Place::Face { face: self.count, line: Some(line) };
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
        self.faces.push(&mut self.mesh, &self.corners, place());
        self.count += 1;
        Ok(())
    }

    /// Checks the range of indices: vertices may follow the faces that use them.
    fn finish(mut self) -> Result<ParsedMesh, Fault> {
        let count = self.mesh.vertices.len() as u64;
        match self.highest {
            Some((corner, place)) if u64::from(corner) >= count => {
                Err(out_of_range(place, i64::from(corner) + 1, count))
            }
            _ => {
                self.faces.finish(&mut self.mesh);
                let lines = self
                    .lines
                    .note("element of points or lines is left out", "elements of points or lines are left out");
                let free_form = self
                    .free_form
                    .note("free-form curve or surface is left out", "free-form curves and surfaces are left out");
                self.mesh.notes.extend(lines.into_iter().chain(free_form));
                Ok(self.mesh)
            }
        }
    }
}

/// Lines with their numbers; a line that ends in `\` goes on in the next.
struct LogicalLines<'a> {
    rest: &'a [u8],
    line: u64,
}

impl<'a> LogicalLines<'a> {
    fn new(rest: &'a [u8]) -> Self {
        Self { rest, line: 0 }
    }

    fn physical(&mut self) -> Option<&'a [u8]> {
        self.line += 1;
        text_encoding::next_line(&mut self.rest).map(<[u8]>::trim_ascii_end)
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
    fn texts_of_every_editor() {
        let text = format!("{SQUARE}f 1 2 4");
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        for bytes in [
            format!("\u{feff}{text}").into_bytes(),
            utf16(&format!("\u{feff}{text}")),
            utf16(&text),
            text.replace('\n', "\r").into_bytes(),
            text.replace('\n', "\r\n").into_bytes(),
        ] {
            let mesh = parse(&bytes).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles), (4, vec![[0, 1, 3]]));
        }
    }

    #[test]
    fn a_polygon_is_cut_wherever_its_vertices_stand() {
        let dart = "v 0 0 0\nv 1 1 0\nv 2 0 0\nv 1 3 0\n";
        assert_eq!(triangles(&format!("{dart}f 1 2 3 4")), [[1, 2, 3], [1, 3, 0]]);
        assert_eq!(triangles(&format!("f 1 2 3 4\n{dart}f 1 2 3")), [[1, 2, 3], [1, 3, 0], [0, 1, 2]]);
    }

    #[test]
    fn repeated_corners_are_left_out() {
        assert_eq!(triangles(&format!("{SQUARE}f 1 2 2 3\nf 1 1 2 3 1")), [[0, 1, 2], [0, 1, 2]]);
    }

    #[test]
    fn short_faces_are_left_out_and_counted() {
        let mesh = parse(format!("{SQUARE}f 1\nf 1 2 3\nf 1 2\nf\nf 1 2 2 1").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.notes, ["4 faces have fewer than 3 corners and are left out; the first is face 0 (line 5)"]);
    }
}
