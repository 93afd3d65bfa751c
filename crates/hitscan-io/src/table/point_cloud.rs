//! Hit points, encoded: what PLY and LAS have in common.

use super::format::Format;
use super::hits::HitLayout;
use super::point_batch::POINT_COLUMNS;
use crate::dimension::Dimension;
use crate::error::{Fault, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use std::path::Path;

/// The columns of a PLY file where none are chosen: those of numbers that say what was hit, and at which angle.
const PLY_COLUMNS: [&str; 8] = ["px", "py", "pz", "nx", "ny", "nz", "t", "primitive"];

/// The columns that a LAS file needs; the row of the ray is for messages.
const LAS_COLUMNS: [&str; 4] = ["ray", "px", "py", "pz"];

/// The columns that a cast computes for a file of this format: those that are chosen, and in PLY and LAS the coordinates.
///
/// # Errors
///
/// When the format is PLY or LAS and the results have no points in space, or LAS has no place for a column. The message begins
/// with `name`.
pub fn point_columns(
    format: Format,
    (layout, dimension): (HitLayout, Dimension),
    chosen: Option<&[String]>,
    name: &Path,
) -> Result<Option<Vec<String>>> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let refused = |text: String| Err(Fault::file(text).in_file(name));
    if !format.is_points() {
        return Ok(chosen.map(<[String]>::to_vec));
    }
    if let HitLayout::Any | HitLayout::Count = layout {
        let query = if layout == HitLayout::Any { "any" } else { "count" };
        return refused(format!("PLY and LAS hold the points of hits, which query {query} does not find"));
    }
    if dimension == Dimension::Two {
        return refused("PLY and LAS hold points in space, and the scene is flat".to_owned());
    }
    let others = chosen.unwrap_or_default().iter().filter(|name| !POINT_COLUMNS.contains(&name.as_str()));
    if format == Format::Ply {
        let all = [owned(&POINT_COLUMNS), others.cloned().collect()].concat();
        return Ok(Some(if chosen.is_some() { all } else { owned(&PLY_COLUMNS) }));
    }
    match others.into_iter().next() {
        Some(other) => refused(format!("column '{other}': the points of a LAS file have px, py and pz alone")),
        None => Ok(Some(owned(&LAS_COLUMNS))),
    }
}

/// Points, encoded.
pub(crate) struct PointBlock {
    pub(super) bytes: Vec<u8>,
    pub(super) totals: PointTotals,
}

/// What the header of a file says about its points.
#[derive(Clone, Debug, Default)]
pub(super) struct PointTotals {
    pub(super) count: u64,
    /// The least and the greatest coordinates, as integers of LAS.
    pub(super) corners: Option<[[i32; 3]; 2]>,
    /// The largest rounding of a coordinate.
    pub(super) rounding: f64,
}

impl PointTotals {
    pub(super) fn append(&mut self, more: &Self) {
        self.count += more.count;
        self.rounding = self.rounding.max(more.rounding);
        self.corners = match (self.corners, more.corners) {
            (Some([min, max]), Some([other_min, other_max])) => {
                let axes = |pick: fn(i32, i32) -> i32, a: [i32; 3], b: [i32; 3]| [0, 1, 2].map(|i| pick(a[i], b[i]));
                Some([axes(i32::min, min, other_min), axes(i32::max, max, other_max)])
            }
            (corners, None) | (None, corners) => corners,
        };
    }
}

/// The places of `px`, `py` and `pz` in the results.
pub(super) fn point_places(schema: &Schema) -> Result<[usize; 3], Fault> {
    let place = |name: &str| {
        let field = schema
            .column_with_name(name)
            .filter(|(_, field)| matches!(field.data_type(), DataType::Float32 | DataType::Float64));
        field.map(|(place, _)| place).ok_or_else(|| Fault::file(format!("points need the column '{name}' of hits")))
    };
    let [x, y, z] = POINT_COLUMNS.map(place);
    Ok([x?, y?, z?])
}

/// The rows that are hits: those with coordinates.
pub(super) fn rows_with_points(batch: &RecordBatch, places: [usize; 3]) -> Vec<usize> {
    let columns = places.map(|place| batch.column(place));
    (0..batch.num_rows()).filter(|row| columns.iter().all(|column| column.is_valid(*row))).collect()
}

/// A cell of a column of `f32` or `f64`.
pub(super) fn real(column: &ArrayRef, row: usize) -> f64 {
    match column.as_primitive_opt::<Float32Type>() {
        Some(column) => column.value(row).into(),
        None => column.as_primitive::<Float64Type>().value(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_format() {
        let of = |format, layout, chosen: Option<&str>| {
            let chosen: Option<Vec<String>> = chosen.map(|names| names.split(',').map(str::to_owned).collect());
            let columns = point_columns(format, (layout, Dimension::Three), chosen.as_deref(), Path::new("f"));
            columns.map(|columns| columns.map(|columns| columns.join(","))).map_err(|error| error.to_string())
        };
        let some = |names: &str| Ok(Some(names.to_owned()));
        assert_eq!(of(Format::Csv, HitLayout::Any, None), Ok(None));
        assert_eq!(of(Format::Ply, HitLayout::First, None), some("px,py,pz,nx,ny,nz,t,primitive"));
        assert_eq!(of(Format::Ply, HitLayout::All, Some("t,pz")), some("px,py,pz,t"));
        assert_eq!(of(Format::Las, HitLayout::Spans, Some("px,py")), some("ray,px,py,pz"));
        let error = of(Format::Las, HitLayout::First, Some("px,t")).unwrap_err();
        assert_eq!(error, "f: column 't': the points of a LAS file have px, py and pz alone");
        let error = of(Format::Ply, HitLayout::Count, None).unwrap_err();
        assert_eq!(error, "f: PLY and LAS hold the points of hits, which query count does not find");
        let flat = point_columns(Format::Ply, (HitLayout::First, Dimension::Two), None, Path::new("f"));
        assert_eq!(flat.unwrap_err().to_string(), "f: PLY and LAS hold points in space, and the scene is flat");
    }

    #[test]
    fn totals_are_those_of_all_blocks() {
        let mut totals = PointTotals::default();
        totals.append(&PointTotals { count: 2, corners: Some([[1, 2, 3], [4, 5, 6]]), rounding: 0.25 });
        totals.append(&PointTotals::default());
        totals.append(&PointTotals { count: 1, corners: Some([[-7, 3, 3], [-7, 9, 3]]), rounding: 0.125 });
        assert_eq!((totals.count, totals.rounding), (3, 0.25));
        assert_eq!(totals.corners, Some([[-7, 2, 3], [4, 9, 6]]));
    }
}
