//! Hits as the vertices of a binary PLY file.

use super::point_batch::POINT_COLUMNS;
use super::point_cloud::{PointBlock, PointTotals, point_places, rows_with_points};
use crate::error::{Fault, Place};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use std::fmt::Write;

/// The digits of the largest number of points: shorter numbers are filled up, so that the header keeps its length.
const COUNT_DIGITS: usize = 20;

/// The columns after the coordinates, where they are there.
const NORMAL: [&str; 3] = ["nx", "ny", "nz"];

/// Encodes hits as vertices: `x y z`, the normal, then the other columns in their order.
///
/// Integers of 64 bits, which PLY does not have, are `double`, exactly. A value that is missing is NaN, in other integers and
/// in booleans the largest number of their type.
pub(super) struct PlyPoints {
    points: [usize; 3],
    properties: Vec<VertexProperty>,
    /// The bytes of a vertex.
    stride: usize,
}

/// A property of the vertices.
struct VertexProperty {
    /// The place of its column.
    column: usize,
    name: String,
    kind: &'static str,
    /// Its place in the bytes of a vertex.
    at: usize,
}

impl PlyPoints {
    pub(super) fn new(schema: &Schema) -> Result<Self, Fault> {
        let points = point_places(schema)?;
        let normal = NORMAL.iter().filter_map(|name| Some(schema.column_with_name(name)?.0));
        let mut columns: Vec<usize> = points.into_iter().chain(normal).collect();
        let others: Vec<usize> = (0..schema.fields().len()).filter(|place| !columns.contains(place)).collect();
        columns.extend(others);
        let (mut properties, mut stride) = (Vec::with_capacity(columns.len()), 0);
        for column in columns {
            let field = schema.field(column);
            let (kind, size) = kind(field)?;
            let name = property_name(field, points.contains(&column))?;
            properties.push(VertexProperty { column, name, kind, at: stride });
            stride += size;
        }
        Ok(Self { points, properties, stride })
    }

    /// The header of this many points.
    pub(super) fn header(&self, count: u64) -> Vec<u8> {
        let count = count.to_string();
        let filled = " ".repeat(COUNT_DIGITS - count.len());
        let mut text = "ply\nformat binary_little_endian 1.0\n".to_owned();
        let _ = writeln!(text, "comment hitscan {}{filled}", env!("CARGO_PKG_VERSION"));
        let _ = writeln!(text, "element vertex {count}");
        for VertexProperty { name, kind, .. } in &self.properties {
            let _ = writeln!(text, "property {kind} {name}");
        }
        text += "end_header\n";
        text.into_bytes()
    }

    pub(super) fn encode(&self, batch: &RecordBatch) -> Result<PointBlock, Fault> {
        let rows = rows_with_points(batch, self.points);
        let mut bytes = vec![0; rows.len() * self.stride];
        for property in &self.properties {
            let cells =
                Cells { array: batch.column(property.column), rows: &rows, at: property.at, stride: self.stride };
            cells.write(&mut bytes).map_err(|text| Fault::new(Place::Column(property.name.clone()), text))?;
        }
        Ok(PointBlock { bytes, totals: PointTotals { count: rows.len() as u64, ..PointTotals::default() } })
    }
}

/// The type of a column in PLY and its bytes.
fn kind(field: &Field) -> Result<(&'static str, usize), Fault> {
    Ok(match field.data_type() {
        DataType::Int8 => ("char", 1),
        DataType::UInt8 | DataType::Boolean => ("uchar", 1),
        DataType::Int16 => ("short", 2),
        DataType::UInt16 => ("ushort", 2),
        DataType::Int32 => ("int", 4),
        DataType::UInt32 => ("uint", 4),
        DataType::Float32 => ("float", 4),
        DataType::Float64 | DataType::Int64 | DataType::UInt64 => ("double", 8),
        _ => {
            let text = "a PLY file has numbers only: choose columns without this one";
            return Err(Fault::new(Place::Column(field.name().clone()), text));
        }
    })
}

/// The name of a property: one word of ASCII.
fn property_name(field: &Field, is_coordinate: bool) -> Result<String, Fault> {
    let name = field.name();
    if is_coordinate {
        return Ok(name.trim_start_matches('p').to_owned());
    }
    let refused = |text| Err(Fault::new(Place::Column(name.clone()), text));
    if POINT_COLUMNS.iter().any(|coordinate| coordinate.trim_start_matches('p') == name) {
        return refused("the points of a PLY file have x, y and z of their own: do not keep this column");
    }
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refused("the name of a property of a PLY file is one word of ASCII: do not keep this column");
    }
    Ok(name.clone())
}

/// The cells of a property: some rows of a column, and their places in the bytes of the vertices.
struct Cells<'a> {
    array: &'a ArrayRef,
    rows: &'a [usize],
    at: usize,
    stride: usize,
}

impl Cells<'_> {
    fn write(&self, bytes: &mut [u8]) -> Result<(), String> {
        match self.array.data_type() {
            DataType::Int8 => self.numbers::<Int8Type, 1>(bytes, i8::MAX, i8::to_le_bytes),
            DataType::UInt8 => self.numbers::<UInt8Type, 1>(bytes, u8::MAX, u8::to_le_bytes),
            DataType::Int16 => self.numbers::<Int16Type, 2>(bytes, i16::MAX, i16::to_le_bytes),
            DataType::UInt16 => self.numbers::<UInt16Type, 2>(bytes, u16::MAX, u16::to_le_bytes),
            DataType::Int32 => self.numbers::<Int32Type, 4>(bytes, i32::MAX, i32::to_le_bytes),
            DataType::UInt32 => self.numbers::<UInt32Type, 4>(bytes, u32::MAX, u32::to_le_bytes),
            DataType::Float32 => self.numbers::<Float32Type, 4>(bytes, f32::NAN, f32::to_le_bytes),
            DataType::Float64 => self.numbers::<Float64Type, 8>(bytes, f64::NAN, f64::to_le_bytes),
            DataType::Int64 => self.wide::<Int64Type>(bytes, |value| value as f64)?,
            DataType::UInt64 => self.wide::<UInt64Type>(bytes, |value| value as f64)?,
            _ => {
                let flags = self.array.as_boolean();
                self.put(bytes, |row| [if flags.is_null(row) { u8::MAX } else { flags.value(row).into() }]);
            }
        }
        Ok(())
    }

    /// Writes a cell of each row.
    fn put<const N: usize>(&self, bytes: &mut [u8], cell: impl Fn(usize) -> [u8; N]) {
        for (vertex, row) in bytes.chunks_exact_mut(self.stride).zip(self.rows) {
            vertex[self.at..self.at + N].copy_from_slice(&cell(*row));
        }
    }

    fn numbers<T: ArrowPrimitiveType, const N: usize>(
        &self,
        bytes: &mut [u8],
        missing: T::Native,
        encode: fn(T::Native) -> [u8; N],
    ) {
        let column = self.array.as_primitive::<T>();
        self.put(bytes, |row| encode(if column.is_null(row) { missing } else { column.value(row) }));
    }

    /// Integers of 64 bits as `double`; those that it does not have exactly are an error.
    fn wide<T: ArrowPrimitiveType<Native: Copy + Into<i128>>>(
        &self,
        bytes: &mut [u8],
        double: fn(T::Native) -> f64,
    ) -> Result<(), String> {
        let column = self.array.as_primitive::<T>();
        let values = self.rows.iter().filter(|row| column.is_valid(**row)).map(|row| column.value(*row));
        if let Some(value) = values.into_iter().find(|value| double(*value) as i128 != (*value).into()) {
            let value: i128 = value.into();
            return Err(format!("{value} has too many digits for a PLY file, whose largest type is double"));
        }
        self.put(bytes, |row| if column.is_null(row) { f64::NAN } else { double(column.value(row)) }.to_le_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse_mesh;
    use arrow_array::{BooleanArray, Float32Array, Float64Array, StringArray, UInt32Array, UInt64Array};
    use std::sync::Arc;

    /// Three rays: a hit, a miss, and a hit of a shape without primitives.
    fn batch() -> RecordBatch {
        let reals = |values: [f32; 3]| {
            let [a, _, b] = values;
            Arc::new(Float32Array::from(vec![Some(a), None, Some(b)])) as ArrayRef
        };
        let columns: [(&str, ArrayRef); 9] = [
            ("id", Arc::new(UInt64Array::from(vec![Some(1 << 53), Some((1 << 53) + 1), None]))),
            ("time", Arc::new(Float64Array::from(vec![0.1, 0.2, 0.3]))),
            ("front", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
            ("px", reals([1.0, 0.0, 4.0])),
            ("py", reals([2.0, 0.0, 5.0])),
            ("pz", reals([3.0, 0.0, 6.5])),
            ("nz", reals([-1.0, 0.0, 1.0])),
            ("t", reals([0.5, 0.0, 0.25])),
            ("primitive", Arc::new(UInt32Array::from(vec![Some(7), None, None]))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
    }

    #[test]
    fn vertices_have_the_properties_of_the_columns() {
        let batch = batch();
        let points = PlyPoints::new(&batch.schema()).unwrap();
        let block = points.encode(&batch).unwrap();
        let header = String::from_utf8(points.header(block.totals.count)).unwrap();
        let lines: Vec<&str> = header.lines().collect();
        assert_eq!(lines[..2], ["ply", "format binary_little_endian 1.0"]);
        assert_eq!(lines[2].trim_end(), concat!("comment hitscan ", env!("CARGO_PKG_VERSION")));
        let properties = [
            "element vertex 2",
            "property float x",
            "property float y",
            "property float z",
            "property float nz",
            "property double id",
            "property double time",
            "property uchar front",
            "property float t",
            "property uint primitive",
            "end_header",
        ];
        assert_eq!(lines[3..], properties);
        let mut expected = Vec::new();
        for (reals, id, time, front, t, primitive) in [
            ([1.0_f32, 2.0, 3.0, -1.0], 2.0_f64.powi(53), 0.1_f64, 1_u8, 0.5_f32, 7_u32),
            ([4.0, 5.0, 6.5, 1.0], f64::NAN, 0.3, 0, 0.25, u32::MAX),
        ] {
            reals.iter().for_each(|real| expected.extend(real.to_le_bytes()));
            expected.extend(id.to_le_bytes());
            expected.extend(time.to_le_bytes());
            expected.push(front);
            expected.extend(t.to_le_bytes());
            expected.extend(primitive.to_le_bytes());
        }
        assert_eq!(block.bytes, expected);
    }

    #[test]
    fn the_header_keeps_its_length() {
        let points = PlyPoints::new(&batch().schema()).unwrap();
        assert_eq!(points.header(0).len(), points.header(u64::MAX).len());
    }

    #[test]
    fn our_own_reader_reads_the_points() {
        let batch = batch();
        let points = PlyPoints::new(&batch.schema()).unwrap();
        let block = points.encode(&batch).unwrap();
        // It reads meshes: the points get a triangle.
        let header = String::from_utf8(points.header(2)).unwrap();
        let header = header.replace("end_header", "element face 1\nproperty list uchar int vertex_indices\nend_header");
        let corners: [u32; 3] = [0, 1, 1];
        let face = [vec![3], corners.map(u32::to_le_bytes).concat()].concat();
        let mesh = parse_mesh("hits.ply".as_ref(), &[header.into_bytes(), block.bytes, face].concat()).unwrap();
        assert_eq!(mesh.vertices, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]);
        assert_eq!(mesh.triangles, [corners]);
    }

    #[test]
    fn what_ply_does_not_have_is_refused() {
        let error = |name: &str, array: ArrayRef| {
            let batch = batch();
            let kept = batch.columns()[3..6].iter().cloned();
            let names = ["px", "py", "pz"].into_iter().zip(kept).chain([(name, array)]);
            let batch =
                RecordBatch::try_from_iter_with_nullable(names.map(|(name, array)| (name, array, true))).unwrap();
            let encoded = PlyPoints::new(&batch.schema()).and_then(|points| points.encode(&batch));
            encoded.err().unwrap().in_file("f".as_ref()).to_string()
        };
        let text = || Arc::new(StringArray::from(vec!["a", "b", "c"])) as ArrayRef;
        let whole = |last: u64| Arc::new(UInt64Array::from(vec![0, 0, last])) as ArrayRef;
        let numbers_only = "f: column 'shape': a PLY file has numbers only: choose columns without this one";
        assert_eq!(error("shape", text()), numbers_only);
        assert!(error("y", whole(0)).contains("x, y and z of their own"));
        assert!(error("my id", whole(0)).contains("one word of ASCII"));
        let digits =
            "f: column 'id': 9007199254740993 has too many digits for a PLY file, whose largest type is double";
        assert_eq!(error("id", whole((1 << 53) + 1)), digits);
    }
}
