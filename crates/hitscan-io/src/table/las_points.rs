//! Hits as the points of a LAS file: version 1.4, point data record format 6.
//!
//! The tables are those of the LAS Specification 1.4 R15 of the ASPRS.

use super::point_cloud::{PointBlock, PointTotals, point_places, real, rows_with_points};
use crate::error::{Fault, Place};
use crate::fmt::number;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};

/// The bytes of the public header block (table 3).
const HEADER_BYTES: u16 = 375;

/// The point data record format (table 15) and the bytes of its records.
const RECORD_FORMAT: u8 = 6;
const RECORD_BYTES: u16 = 30;

/// The global encoding (table 4): coordinate systems are well-known text, as format 6 demands. The file names none.
const IS_WKT: u16 = 1 << 4;

/// Return 1 of 1, in the halves of a byte (table 15).
const ONLY_RETURN: u8 = 0x11;

/// The names of a kept column that is the GPS time.
const TIME_COLUMNS: [&str; 2] = ["time", "gps_time"];

/// The exponents of the scales that bounds may ask for.
const EXPONENTS: std::ops::RangeInclusive<i32> = -12..=300;

/// The grid of the coordinates of a LAS file: whole multiples of the scale, from the offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LasGrid {
    pub(crate) scale: f64,
    pub(crate) offset: [f64; 3],
}

impl LasGrid {
    /// The grid in the middle of these corners, if there are any: of this scale, or of the smallest power of ten that holds
    /// them.
    pub(crate) fn new(corners: Option<[[f64; 3]; 2]>, scale: Option<f64>) -> Result<Self, Fault> {
        let [min, max] = corners.unwrap_or_default();
        // Halves, for the sum of large numbers may be infinite.
        let around = |scale| Self { scale, offset: [0, 1, 2].map(|i| rounded(min[i] / 2.0 + max[i] / 2.0, scale)) };
        match scale {
            Some(scale) if scale.is_finite() && scale > 0.0 => return Ok(around(scale)),
            Some(_) => return Err(Fault::file("the scale of LAS is a finite number greater than 0")),
            None => {}
        }
        // A hit may be outside of the bounds by its rounding to f32.
        let outside = min.iter().chain(&max).fold(0.0, |most: f64, x| most.max(x.abs())) * 1e-6;
        let holds = |grid: &Self| {
            let reach = (0..3).map(|i| (max[i] - grid.offset[i]).max(grid.offset[i] - min[i]) + outside);
            reach.fold(0.0, f64::max) <= f64::from(i32::MAX) * grid.scale
        };
        let scales = EXPONENTS.filter_map(|exponent| format!("1e{exponent}").parse().ok());
        let grid = scales.map(around).find(holds);
        grid.ok_or_else(|| Fault::file("the bounds of the scene are too large for LAS"))
    }

    /// The coordinate as an integer; `None` where it is out of range.
    fn integer(&self, axis: usize, value: f64) -> Option<i32> {
        let units = ((value - self.offset[axis]) / self.scale).round();
        let is_in_range = units >= f64::from(i32::MIN) && units <= f64::from(i32::MAX);
        is_in_range.then_some(units as i32)
    }

    /// The coordinate that readers see.
    fn coordinate(&self, axis: usize, units: i32) -> f64 {
        f64::from(units) * self.scale + self.offset[axis]
    }
}

/// The nearest multiple of a scale. Where the scale has a whole inverse, as 0.001 has, the result has the digits of the scale.
fn rounded(value: f64, scale: f64) -> f64 {
    let inverse = (1.0 / scale).round();
    let nearest =
        if 1.0 / inverse == scale { (value * inverse).round() / inverse } else { (value / scale).round() * scale };
    // Without the sign of zero.
    nearest + 0.0
}

/// Encodes hits as point data records.
pub(super) struct LasPoints {
    grid: LasGrid,
    ray: usize,
    points: [usize; 3],
    time: Option<usize>,
}

impl LasPoints {
    pub(super) fn new(schema: &Schema, grid: LasGrid) -> Result<Self, Fault> {
        let points = point_places(schema)?;
        let Some((ray, _)) = schema.column_with_name("ray") else {
            return Err(Fault::file("points of LAS need the column 'ray' of hits"));
        };
        let mut time = None;
        for (place, field) in schema.fields().iter().enumerate() {
            if place == ray || points.contains(&place) {
                continue;
            }
            let text = match field.data_type() {
                _ if !TIME_COLUMNS.contains(&field.name().as_str()) => {
                    "LAS points have no place for it: they keep time or gps_time (float64), and nothing else"
                }
                DataType::Float64 if time.is_none() => {
                    time = Some(place);
                    continue;
                }
                DataType::Float64 => "the GPS time of LAS points is one column: keep time or gps_time",
                _ => "the GPS time of LAS points is a column of type float64 (of text: keep time:float64)",
            };
            return Err(Fault::new(Place::Column(field.name().clone()), text));
        }
        Ok(Self { grid, ray, points, time })
    }

    pub(super) fn grid(&self) -> &LasGrid {
        &self.grid
    }

    pub(super) fn encode(&self, batch: &RecordBatch) -> Result<PointBlock, Fault> {
        let rows = rows_with_points(batch, self.points);
        let columns = self.points.map(|place| batch.column(place));
        let rays = batch.column(self.ray).as_primitive::<UInt64Type>();
        let times = self.time.map(|place| batch.column(place).as_primitive::<Float64Type>());
        let at = |row, text| Fault::new(Place::Row { row: rays.value(row), line: None, column: None }, text);
        let mut bytes = Vec::with_capacity(rows.len() * usize::from(RECORD_BYTES));
        let mut totals = PointTotals::default();
        for row in rows {
            let (mut units, mut rounding) = ([0; 3], 0.0_f64);
            for (axis, column) in columns.into_iter().enumerate() {
                let value = real(column, row);
                let Some(integer) = self.grid.integer(axis, value) else {
                    let (name, value, scale) = (["x", "y", "z"][axis], number(value), number(self.grid.scale));
                    let text = format!("a hit at {name} = {value} is out of range for LAS with a scale of {scale}");
                    return Err(at(row, text));
                };
                units[axis] = integer;
                rounding = rounding.max((self.grid.coordinate(axis, integer) - value).abs());
            }
            let time = match times {
                Some(times) if times.is_null(row) => return Err(at(row, "a LAS point needs its time".to_owned())),
                Some(times) => times.value(row),
                None => 0.0,
            };
            totals.append(&PointTotals { count: 1, corners: Some([units; 2]), rounding });
            record(units, time, &mut bytes);
        }
        Ok(PointBlock { bytes, totals })
    }

    /// The public header block (table 3). There are no variable length records.
    pub(super) fn header(&self, totals: &PointTotals) -> Vec<u8> {
        let LasGrid { scale, offset } = self.grid;
        let mut header = Vec::with_capacity(HEADER_BYTES.into());
        header.extend(b"LASF");
        header.extend(0_u16.to_le_bytes()); // file source ID
        header.extend(IS_WKT.to_le_bytes());
        header.extend([0; 16]); // project ID
        header.extend([1, 4]); // version
        header.extend([0; 32]); // system identifier
        header.extend(name::<32>(concat!("hitscan ", env!("CARGO_PKG_VERSION"))));
        header.extend([0; 4]); // creation day and year: none, so that the same hits are the same bytes
        header.extend(HEADER_BYTES.to_le_bytes());
        header.extend(u32::from(HEADER_BYTES).to_le_bytes()); // offset to point data
        header.extend(0_u32.to_le_bytes()); // number of variable length records
        header.push(RECORD_FORMAT);
        header.extend(RECORD_BYTES.to_le_bytes());
        header.extend([0; 24]); // legacy numbers of points: zero for format 6
        [scale; 3].into_iter().chain(offset).for_each(|number| header.extend(number.to_le_bytes()));
        for axis in 0..3 {
            let [min, max] =
                totals.corners.map_or([0.0; 2], |corners| corners.map(|c| self.grid.coordinate(axis, c[axis])));
            header.extend(max.to_le_bytes());
            header.extend(min.to_le_bytes());
        }
        header.extend([0; 20]); // waveforms and extended variable length records: none
        header.extend(totals.count.to_le_bytes());
        header.extend(totals.count.to_le_bytes()); // points by return: all are the first
        header.extend([0; 14 * 8]);
        header
    }
}

/// Appends a point data record (table 15).
fn record(units: [i32; 3], time: f64, bytes: &mut Vec<u8>) {
    units.iter().for_each(|coordinate| bytes.extend(coordinate.to_le_bytes()));
    bytes.extend([0; 2]); // intensity
    bytes.push(ONLY_RETURN);
    bytes.extend([0; 7]); // flags, classification, user data, scan angle, point source ID
    bytes.extend(time.to_le_bytes());
}

/// A text of ASCII, filled up with zeros; what is too long is cut.
fn name<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.iter_mut().zip(text.bytes()).for_each(|(byte, of)| *byte = of);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Float64Array, Int64Array, UInt64Array};
    use std::sync::Arc;

    fn grid() -> LasGrid {
        LasGrid { scale: 0.25, offset: [10.0, 0.0, -1.0] }
    }

    /// Hits of rays 3 and 5, and a miss of ray 4.
    fn batch(x: f64, name: &str, time: ArrayRef) -> RecordBatch {
        let reals = |a: f64, b: f64| Arc::new(Float64Array::from(vec![Some(a), None, Some(b)])) as ArrayRef;
        let columns: [(&str, ArrayRef); 5] = [
            (name, time),
            ("ray", Arc::new(UInt64Array::from(vec![3, 4, 5]))),
            ("px", reals(10.5, x)),
            ("py", reals(-0.3, 7.0)),
            ("pz", reals(-1.0, 2.1)),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
    }

    fn times() -> ArrayRef {
        Arc::new(Float64Array::from(vec![Some(0.5), None, Some(1e9)]))
    }

    fn encoded(batch: &RecordBatch) -> Result<(LasPoints, PointBlock), String> {
        let points = LasPoints::new(&batch.schema(), grid());
        let both = points.and_then(|points| points.encode(batch).map(|block| (points, block)));
        both.map_err(|fault| fault.in_file("f".as_ref()).to_string())
    }

    #[test]
    fn records_have_the_fields_of_the_specification() {
        let (_, PointBlock { bytes, totals }) = encoded(&batch(9.0, "time", times())).unwrap();
        assert_eq!((bytes.len(), totals.count), (60, 2));
        let coordinates =
            |record: &[u8]| [0, 4, 8].map(|at| i32::from_le_bytes(record[at..at + 4].try_into().unwrap()));
        assert_eq!([coordinates(&bytes), coordinates(&bytes[30..])], [[2, -1, 0], [-4, 28, 12]]);
        for (record, time) in bytes.chunks(30).zip([0.5_f64, 1e9]) {
            assert_eq!(record[12..14], [0; 2], "intensity");
            assert_eq!((record[14] & 15, record[14] >> 4), (1, 1), "return number and number of returns");
            assert_eq!(record[15..22], [0; 7], "flags, classification, user data, scan angle, point source");
            assert_eq!(record[22..], time.to_le_bytes(), "GPS time");
        }
        assert_eq!(totals.corners, Some([[-4, -1, 0], [2, 28, 12]]));
        assert!((totals.rounding - 0.1).abs() < 1e-9, "{}", totals.rounding);
    }

    #[test]
    fn the_header_has_the_fields_of_the_specification() {
        let (points, block) = encoded(&batch(9.0, "gps_time", times())).unwrap();
        let header = points.header(&block.totals);
        assert_eq!(header.len(), 375);
        let u16_at = |at: usize| u16::from_le_bytes(header[at..at + 2].try_into().unwrap());
        let u32_at = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
        let u64_at = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap());
        let f64_at = |at: usize| f64::from_bits(u64_at(at));
        assert_eq!(&header[..4], b"LASF");
        assert_eq!((u16_at(4), u16_at(6)), (0, 16), "file source and global encoding");
        assert_eq!(header[8..24], [0; 16], "project");
        assert_eq!(header[24..26], [1, 4], "version");
        assert_eq!(header[26..58], [0; 32], "system identifier");
        let software = std::str::from_utf8(&header[58..90]).unwrap();
        assert_eq!(software.trim_end_matches('\0'), concat!("hitscan ", env!("CARGO_PKG_VERSION")));
        assert_eq!((u16_at(90), u16_at(92)), (0, 0), "creation day and year");
        assert_eq!((u16_at(94), u32_at(96), u32_at(100)), (375, 375, 0), "header, points, variable length records");
        assert_eq!((header[104], u16_at(105)), (6, 30), "record format and length");
        assert_eq!(header[107..131], [0; 24], "legacy numbers of points");
        assert_eq!([131, 139, 147].map(f64_at), [0.25; 3], "scale");
        assert_eq!([155, 163, 171].map(f64_at), [10.0, 0.0, -1.0], "offset");
        assert_eq!([179, 187, 195, 203, 211, 219].map(f64_at), [10.5, 9.0, 7.0, -0.25, 2.0, -1.0], "max and min");
        assert_eq!((u64_at(227), u64_at(235), u32_at(243)), (0, 0, 0), "waveforms, extended records");
        assert_eq!((u64_at(247), u64_at(255)), (2, 2), "points, and those of the first return");
        assert_eq!(header[263..], [0; 112], "points of later returns");
        let empty = points.header(&PointTotals::default());
        assert_eq!(empty[179..255], [0; 76]);
    }

    #[test]
    fn the_scale_is_a_power_of_ten_and_holds_the_bounds() {
        let of = |min: [f64; 3], max: [f64; 3]| LasGrid::new(Some([min, max]), None).unwrap();
        let small = of([0.0, -2.0, 1.0], [1.0, 2.0, 1.0]);
        assert_eq!(small, LasGrid { scale: 1e-9, offset: [0.5, 0.0, 1.0] });
        // Two and a half more would not fit.
        assert_eq!(of([-2.2, 0.0, 0.0], [2.2, 0.0, 0.0]).scale, 1e-8);
        let town = of([4_000_000.0, 5_000_000.0, 0.0], [4_000_100.0, 5_000_100.0, 30.0]);
        assert_eq!(town, LasGrid { scale: 1e-7, offset: [4_000_050.0, 5_000_050.0, 15.0] });
        assert_eq!(of([-1e12; 3], [1e12; 3]).scale, 1000.0);
        assert_eq!(LasGrid::new(None, None).unwrap().offset, [0.0; 3]);
        let given = LasGrid::new(Some([[0.0; 3], [0.123_456, 1.0, 5.0]]), Some(0.001)).unwrap();
        assert_eq!(given, LasGrid { scale: 0.001, offset: [0.062, 0.5, 2.5] });
        assert!(LasGrid::new(None, Some(0.0)).is_err() && LasGrid::new(None, Some(f64::INFINITY)).is_err());
    }

    #[test]
    fn what_las_does_not_have_is_refused() {
        let error = |x, name, array: ArrayRef| encoded(&batch(x, name, array)).err().unwrap();
        let out = "f: row 5: a hit at x = 1e9 is out of range for LAS with a scale of 0.25";
        assert_eq!(error(1e9, "time", times()), out);
        assert!(error(f64::NAN, "time", times()).contains("x = NaN is out of range"));
        assert!(error(9.0, "id", times()).starts_with("f: column 'id': LAS points have no place for it"));
        let whole = || Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef;
        assert!(error(9.0, "time", whole()).contains("keep time:float64"));
        let missing = Arc::new(Float64Array::from(vec![Some(0.5), None, None]));
        assert_eq!(error(9.0, "time", missing), "f: row 5: a LAS point needs its time");
    }
}
