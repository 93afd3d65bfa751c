//! The elements of a PLY: vertices, faces and others.

use super::header::{self, Element, Encoding, Header, PropertyKind};
use super::values::{AsciiValues, BigEndian, Layout, LittleEndian, Surplus, ValueError, Values};
use crate::error::{Fault, Place, Result};
use crate::mesh::parsed::{ParsedMesh, finite, out_of_range, too_few_corners};

pub(in crate::mesh) fn parse(bytes: &[u8]) -> Result<ParsedMesh, Fault> {
    let (header, body) = header::parse(bytes)?;
    match header.encoding {
        Encoding::Ascii { line } => parse_ascii(&header, body, line),
        Encoding::LittleEndian => elements(&header, &mut LittleEndian::new(body)),
        Encoding::BigEndian => elements(&header, &mut BigEndian::new(body)),
    }
}

/// Reads text with a row on each line, where surplus values at the ends of rows are ignored; else as a stream of values
/// in which lines have no meaning, as some programs write it.
fn parse_ascii(header: &Header, body: &[u8], line: u64) -> Result<ParsedMesh, Fault> {
    let mut values = AsciiValues::new(body, line, Layout::Rows);
    let fault = match elements(header, &mut values) {
        Ok(mut mesh) => {
            mesh.notes.extend(values.surplus().map(|Surplus { rows, first_line }| {
                let rows = if rows == 1 { "1 row has".to_owned() } else { format!("{rows} rows have") };
                format!("{rows} surplus values, which are ignored (line {first_line} is the first)")
            }));
            return Ok(mesh);
        }
        Err(fault) => fault,
    };
    // Of two failures the one of the layout that the number of lines shows.
    let rows: u64 =
        header.elements.iter().filter(|e| !e.properties.is_empty()).map(|e| e.count).fold(0, u64::saturating_add);
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count() as u64;
    let as_stream = elements(header, &mut AsciiValues::new(body, line, Layout::Stream));
    if as_stream.is_err() && lines >= rows { Err(fault) } else { as_stream }
}

fn elements(header: &Header, values: &mut impl Values) -> Result<ParsedMesh, Fault> {
    let mut mesh = ParsedMesh::default();
    let vertices = header.elements.iter().find(|element| element.name == "vertex").map_or(0, |element| element.count);
    if vertices > u64::from(u32::MAX) {
        return Err(Fault::file(format!("{vertices} vertices (at most {} are possible)", u32::MAX)));
    }
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, values, &mut mesh)?,
            "face" => read_faces(element, vertices, values, &mut mesh)?,
            _ => skip(element, values)?,
        }
    }
    Ok(mesh)
}

fn read_vertices(element: &Element, values: &mut impl Values, mesh: &mut ParsedMesh) -> Result<(), Fault> {
    let mut axes = [0; 3];
    for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
        let found = element.properties.iter().position(|property| property.name == name && !property.kind.is_list());
        *axis = found.ok_or_else(|| Fault::file(format!("element 'vertex' has no property '{name}'")))?;
    }
    mesh.vertices.reserve(values.at_most(element));
    for vertex in 0..element.count {
        let mut point = [0.0; 3];
        for (index, property) in element.properties.iter().enumerate() {
            let place = |line| Place::Vertex { vertex, line };
            match property.kind {
                PropertyKind::Scalar(of) => {
                    let value = values.next(of).map_err(|e| e.into_fault(element, vertex, place(values.line())))?;
                    if let Some(axis) = axes.iter().position(|&axis| axis == index) {
                        point[axis] = value;
                    }
                }
                PropertyKind::List { count, item } => {
                    values.skip_list(count, item).map_err(|e| e.into_fault(element, vertex, place(values.line())))?;
                }
            }
        }
        mesh.vertices.push(finite(point, || Place::Vertex { vertex, line: values.line() })?);
        values.end_row();
    }
    Ok(())
}

fn read_faces(element: &Element, vertices: u64, values: &mut impl Values, mesh: &mut ParsedMesh) -> Result<(), Fault> {
    let wanted = element
        .properties
        .iter()
        .position(|property| matches!(property.name.as_str(), "vertex_indices" | "vertex_index"));
    if element.count > 0 && !wanted.is_some_and(|index| element.properties[index].kind.is_list()) {
        return Err(Fault::file("element 'face' has no list 'vertex_indices' or 'vertex_index'"));
    }
    mesh.triangles.reserve(values.at_most(element));
    let mut corners = Vec::new();
    for face in 0..element.count {
        for (index, property) in element.properties.iter().enumerate() {
            let place = |line| Place::Face { face, line };
            let done = match property.kind {
                PropertyKind::Scalar(of) => values.next(of).map(drop),
                PropertyKind::List { count, item } if Some(index) == wanted => values.list(count, item, &mut corners),
                PropertyKind::List { count, item } => values.skip_list(count, item),
            };
            done.map_err(|e| e.into_fault(element, face, place(values.line())))?;
        }
        let place = || Place::Face { face, line: values.line() };
        if corners.len() < 3 {
            return Err(too_few_corners(place(), corners.len()));
        }
        if let Some(&bad) = corners.iter().find(|&&corner| !(0.0..vertices as f64).contains(&corner)) {
            return Err(out_of_range(place(), bad as i64, vertices));
        }
        // A fan around the first corner.
        mesh.triangles.extend(corners[1..].windows(2).map(|edge| [corners[0] as u32, edge[0] as u32, edge[1] as u32]));
        values.end_row();
    }
    Ok(())
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
        values.end_row();
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
        assert_eq!(mesh.vertices[3], [f64::from(0.1f32), 1.0, 0.0], "a float is a float in text, too");
    }

    /// Surplus values on the line of a row are ignored, and the note names the first such line.
    #[test]
    fn surplus_values_are_ignored_and_noted() {
        let mesh = |body: &str| parse(format!("{HEADER}{body}").as_bytes());
        let surplus = "0 9 0 0 0\n1 9 0 2 8 8 0 77 88\n1 9 1 0 0\n0 9 1 0 0\n7\n4 0 1 2 3 255 1\n3 0 1 2 0\n";
        let read = mesh(surplus).unwrap();
        assert_eq!(read.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(read.notes, ["2 rows have surplus values, which are ignored (line 18 is the first)"]);
        let bad = mesh(&surplus.replace("3 0 1 2 0", "3 0 1 9 0")).unwrap_err().in_file("a".as_ref()).to_string();
        assert_eq!(bad, "a: face 1 (line 23): vertex index 9 out of range (4 vertices)");
    }

    #[test]
    fn all_values_may_be_on_one_line() {
        let body = "0 9 0 0 0 1 9 0 2 8 8 0 1 9 1 0 0 0 9 1 0 0 7 4 0 1 2 3 255 3 0 1 2 0";
        let mesh = parse(format!("{HEADER}{body}").as_bytes()).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.notes), (3, Vec::new()));
        let one_each = parse(format!("{HEADER}{}", body.replace(' ', "\n")).as_bytes()).unwrap();
        assert_eq!((mesh.triangles, one_each.notes), (one_each.triangles, Vec::new()));
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
