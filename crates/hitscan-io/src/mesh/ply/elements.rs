//! The elements of a PLY: vertices, faces and others.

use super::header::{self, Element, Encoding, Header, PropertyKind, Type};
use super::values::{AsciiValues, BigEndian, CoordinatePrecision, Layout, LittleEndian, ValueError, Values};
use crate::error::{Fault, Place, Result};
use crate::mesh::faces::Faces;
use crate::mesh::parsed::{ParsedMesh, out_of_range};
use crate::mesh::polygon::Rounding;
use crate::mesh::text_encoding;

pub(in crate::mesh) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let (text, note) = text_encoding::decode(bytes);
    let (header, body) = header::parse(&text)?;
    let mut mesh = match header.encoding {
        Encoding::Ascii { line } => parse_ascii(&header, body, line),
        Encoding::LittleEndian => elements(&header, &mut LittleEndian::new(body)),
        Encoding::BigEndian => elements(&header, &mut BigEndian::new(body)),
    }?;
    mesh.notes.splice(0..0, note);
    Ok(mesh)
}

/// Reads text with a row on each line, where surplus values at the ends of rows are ignored; else as a stream of values
/// in which lines have no meaning, as some programs write it.
fn parse_ascii(header: &Header, body: &[u8], line: u64) -> Result<ParsedMesh, Fault> {
    let mut values = AsciiValues::new(body, line, Layout::Rows);
    let fault = match elements(header, &mut values) {
        Ok(mut mesh) => {
            mesh.notes.extend(values.notes());
            return Ok(mesh);
        }
        Err(fault) => fault,
    };
    // A stream has to be right to the end of the file. Of two failures the one of the layout that the number of lines shows.
    let rows: u64 =
        header.elements.iter().filter(|e| !e.properties.is_empty()).map(|e| e.count).fold(0, u64::saturating_add);
    let lines =
        body.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.trim_ascii().is_empty()).count() as u64;
    let mut values = AsciiValues::new(body, line, Layout::Stream);
    match elements(header, &mut values) {
        Ok(mut mesh) if values.is_at_end() => {
            mesh.notes.extend(values.notes());
            Ok(mesh)
        }
        Err(of_stream) if lines < rows => Err(of_stream),
        _ => Err(fault),
    }
}

fn elements(header: &Header, values: &mut impl Values) -> Result<ParsedMesh, Fault> {
    let (mut mesh, mut faces) = (ParsedMesh::default(), Faces::default());
    let vertices = header.elements.iter().find(|element| element.name == "vertex").map_or(0, |element| element.count);
    if vertices > u64::from(u32::MAX) {
        return Err(Fault::file(format!("{vertices} vertices (at most {} are possible)", u32::MAX)));
    }
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, values, &mut mesh, &mut faces)?,
            "face" | "tristrips" => read_faces(element, vertices, values, &mut mesh, &mut faces)?,
            _ => skip(element, values)?,
        }
    }
    faces.finish(&mut mesh);
    Ok(mesh)
}

fn read_vertices(
    element: &Element,
    values: &mut impl Values,
    mesh: &mut ParsedMesh,
    faces: &mut Faces,
) -> Result<(), Fault> {
    let mut axes = [0; 3];
    for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
        let found = element.properties.iter().position(|property| property.name == name && !property.kind.is_list());
        *axis = found.ok_or_else(|| Fault::file(format!("element 'vertex' has no property '{name}'")))?;
    }
    mesh.vertices.reserve(values.at_most(element));
    let mut precision = CoordinatePrecision::default();
    for vertex in 0..element.count {
        let mut point = [0.0; 3];
        precision.looks = Rounding::looks_at(vertex as usize);
        for (index, property) in element.properties.iter().enumerate() {
            let place = |line| Place::Vertex { vertex, line };
            let done = match property.kind {
                PropertyKind::Scalar(of) => match axes.iter().position(|&axis| axis == index) {
                    Some(axis) => values.next_coordinate(of, &mut precision).map(|value| point[axis] = value),
                    None => values.next(of).map(drop),
                },
                PropertyKind::List { count, item } => values.skip_list(count, item),
            };
            done.map_err(|e| e.into_fault(element, vertex, place(values.line())))?;
        }
        let line = values.line();
        mesh.push_vertex(point, || Place::Vertex { vertex, line })?;
        values.end_row(|line| Place::Vertex { vertex, line });
    }
    let is_float = |axis: &usize| matches!(element.properties[*axis].kind, PropertyKind::Scalar(Type::F32));
    mesh.is_single = axes.iter().all(is_float) && !precision.too_fine;
    faces.rounding = precision.rounding;
    Ok(())
}

/// Reads faces, or strips of triangles.
fn read_faces(
    element: &Element,
    vertices: u64,
    values: &mut impl Values,
    mesh: &mut ParsedMesh,
    faces: &mut Faces,
) -> Result<(), Fault> {
    let wanted = element
        .properties
        .iter()
        .position(|property| matches!(property.name.as_str(), "vertex_indices" | "vertex_index"));
    if element.count > 0 && !wanted.is_some_and(|index| element.properties[index].kind.is_list()) {
        let text = format!("element '{}' has no list 'vertex_indices' or 'vertex_index'", element.name);
        return Err(Fault::file(text));
    }
    mesh.triangles.reserve(values.at_most(element));
    let is_strip = element.name == "tristrips";
    let (mut list, mut corners) = (Vec::new(), Vec::new());
    for face in 0..element.count {
        for (index, property) in element.properties.iter().enumerate() {
            let place = |line| Place::Face { face, line };
            let done = match property.kind {
                PropertyKind::Scalar(of) => values.next(of).map(drop),
                PropertyKind::List { count, item } if Some(index) == wanted => values.list(count, item, &mut list),
                PropertyKind::List { count, item } => values.skip_list(count, item),
            };
            done.map_err(|e| e.into_fault(element, face, place(values.line())))?;
        }
        let line = values.line();
        let place = || Place::Face { face, line };
        // -1 ends a strip; the next one begins behind it.
        let is_corner = |&index: &f64| (0.0..vertices as f64).contains(&index) || (is_strip && index == -1.0);
        if let Some(&bad) = list.iter().find(|index| !is_corner(index)) {
            return Err(out_of_range(place(), bad as i64, vertices));
        }
        for part in list.split(|index| *index < 0.0) {
            corners.clear();
            corners.extend(part.iter().map(|index| *index as u32));
            if is_strip {
                push_strip(&corners, mesh);
            } else {
                faces.push(mesh, &corners, place());
            }
        }
        values.end_row(|line| Place::Face { face, line });
    }
    Ok(())
}

/// Adds the triangles of a strip. Every second one has the other orientation; those with a corner twice only join its pieces.
fn push_strip(corners: &[u32], mesh: &mut ParsedMesh) {
    for (number, corners) in corners.windows(3).enumerate() {
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        if a != b && b != c && c != a {
            mesh.triangles.push(if number % 2 == 0 { [a, b, c] } else { [a, c, b] });
        }
    }
}

/// Skips an element that is neither vertices nor faces.
fn skip(element: &Element, values: &mut impl Values) -> Result<(), Fault> {
    // Without properties there is nothing in the file, however many are announced.
    let rows = if element.properties.is_empty() { 0 } else { element.count };
    for row in 0..rows {
        for property in &element.properties {
            let done = match property.kind {
                PropertyKind::Scalar(of) => values.next(of).map(drop),
                PropertyKind::List { count, item } => values.skip_list(count, item),
            };
            done.map_err(|e| e.into_fault(element, row, values.line().map_or(Place::File, Place::Line)))?;
        }
        values.end_row(|line| line.map_or(Place::File, Place::Line));
    }
    Ok(())
}

impl ValueError {
    /// The error with its place, for row `row` of `element`.
    fn into_fault(self, element: &Element, row: u64, place: Place) -> Fault {
        match self {
            Self::Truncated => {
                let things = match element.name.as_str() {
                    "vertex" => "vertices".into(),
                    "face" => "faces".into(),
                    "tristrips" => "strips of triangles".into(),
                    name => format!("'{name}' elements"),
                };
                Fault::truncated(element.count, &things, row)
            }
            Self::Bad(text) => Fault::new(place, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\n\
        property uchar red\nproperty float y\nproperty list uchar int extra\nproperty float z\n\
        element edge 1\nproperty int vertex1\nelement empty 4000000000\n\
        element face 2\nproperty list uchar int vertex_index\nproperty uchar flags\nend_header\n";

    #[test]
    fn other_elements_and_properties_are_skipped_and_quads_cut() {
        let body = "0 9 0 0 0\n1 9 0 2 8 8 0\n1 9 1 0 0\n0.1 9 1 0 0\n7\n4 0 1 2 3 255\n3 0 1 2 0\n";
        let mesh = parse(format!("{HEADER}{body}").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(mesh.vertices[3], [0.1, 1.0, 0.0], "a text has all of its digits, whatever its type");
    }

    /// A `float` of a text keeps its digits. The mesh is one of `f32` only if these are the digits of `f32` numbers.
    #[test]
    fn digits_of_a_float() {
        let read = |x: &str| {
            let body = format!("{x} 9 0 0 0\n1 9 0 0 0\n1 9 1 0 0\n0 9 1 0 0\n7\n4 0 1 2 3 255\n3 0 1 2 0\n");
            let mesh = parse(format!("{HEADER}{body}").as_bytes()).unwrap().finish().unwrap();
            (mesh.data.vertices[0][0], mesh.data.precision, mesh.precision)
        };
        use crate::dimension::Precision::{F32, F64};
        assert_eq!(read("5400000.654321"), (5400000.654321, F64, F64));
        assert_eq!(read("5400000.5"), (5400000.5, F32, F32));
        assert_eq!(read("0.1"), (0.1, F64, F32));
        assert_eq!(read("1e39"), (1e39, F64, F64), "too large for an f32");
    }

    #[test]
    fn strips_of_triangles() {
        let header = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                      element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n";
        let mesh = parse(format!("{header}8 0 1 2 3 -1 0 2 3\n").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2], [0, 2, 3]]);
        let cr = parse(format!("{header}3 0 1 2\n").replace('\n', "\r").as_bytes()).unwrap();
        assert_eq!(cr.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn rows_broken_over_lines_are_noted() {
        let body = "0 9 0\n0 0\n1 9 0 0 0\n1 9 1 0 0\n0 9 1 0 0\n7\n4 0 1\n2 3 255\n3 0 1 2 0\n";
        let mesh = parse(format!("{HEADER}{body}").as_bytes()).unwrap();
        assert_eq!(mesh.notes, ["2 rows are broken over lines; the first is vertex 0 (line 17)"]);
        let surplus = parse(format!("{HEADER}{body}8").as_bytes()).unwrap_err().in_file("a".as_ref()).to_string();
        assert_eq!(surplus, "a: vertex 0 (line 17): the row is too short: its line ends after value 3");
    }

    /// Surplus values on the line of a row are ignored, and the note names the first such line.
    #[test]
    fn surplus_values_are_ignored_and_noted() {
        let mesh = |body: &str| parse(format!("{HEADER}{body}").as_bytes());
        let surplus = "0 9 0 0 0\n1 9 0 2 8 8 0 77 88\n1 9 1 0 0\n0 9 1 0 0\n7\n4 0 1 2 3 255 1\n3 0 1 2 0\n";
        let read = mesh(surplus).unwrap();
        assert_eq!(read.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        let note = "2 rows have values behind their last ones, which are ignored; the first is vertex 1 (line 18)";
        assert_eq!(read.notes, [note]);
        let bad = mesh(&surplus.replace("3 0 1 2 0", "3 0 1 9 0")).unwrap_err().in_file("a".as_ref()).to_string();
        assert_eq!(bad, "a: face 1 (line 23): vertex index 9 out of range (4 vertices)");
    }

    #[test]
    fn all_values_may_be_on_one_line() {
        let body = "0 9 0 0 0 1 9 0 2 8 8 0 1 9 1 0 0 0 9 1 0 0 7 4 0 1 2 3 255 3 0 1 2 0";
        let mesh = parse(format!("{HEADER}{body}").as_bytes()).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.notes), (3, Vec::new()));
        let one_each = parse(format!("{HEADER}{}", body.replace(' ', "\n")).as_bytes()).unwrap();
        let note = "6 rows are broken over lines; the first is vertex 0 (line 17)";
        assert_eq!((mesh.triangles, one_each.notes), (one_each.triangles, vec![note.to_owned()]));
    }

    #[test]
    fn binary_of_either_byte_order_with_every_type() {
        let header = |order| {
            format!(
                "ply\r\nformat binary_{order}_endian 1.0\r\nelement vertex 3\r\nproperty double x\r\n\
                 property short y\r\nproperty ushort z\r\nproperty char a\r\nproperty uint b\r\n\
                 element face 1\r\nproperty list int int16 vertex_indices\r\nend_header\r\n"
            )
        };
        let (mut little, mut big) = (header("little").into_bytes(), header("big").into_bytes());
        let mut put = |le: &[u8]| {
            little.extend(le);
            big.extend(le.iter().rev());
        };
        for i in 0..3_u16 {
            put(&(f64::from(i) / 3.0).to_le_bytes());
            put(&(-(i as i16)).to_le_bytes());
            put(&(65_535 - i).to_le_bytes());
            put(&[0xFF]);
            put(&[0xFF; 4]);
        }
        put(&3_i32.to_le_bytes());
        (0..3_i16).for_each(|i| put(&i.to_le_bytes()));
        for bytes in [little, big] {
            let mesh = parse(&bytes).unwrap();
            assert_eq!(mesh.vertices[2], [2.0 / 3.0, -2.0, 65_533.0]);
            assert_eq!(mesh.triangles, [[0, 1, 2]]);
        }
    }
}
