//! Spheres and boxes of a table, in memory and as columns.

use super::columns::{ColumnBinding, ColumnNumbers, Columns, TableKind, next_point};
use super::point_batch::POINT_COLUMNS;
use super::table_reader::{TableBatch, TableRows};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Result};

const RADIUS_COLUMN: &str = "radius";
const HALF_EXTENT_COLUMNS: [&str; 3] = ["hx", "hy", "hz"];

/// Consecutive spheres of a table, column by column; in two dimensions circles.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereBatch {
    /// The number of the first row, from 0: the `volume` of the table of results.
    pub first_row: u64,
    /// The number of coordinates.
    pub dimension: Dimension,
    /// `px py pz`, the centre: finite. The third column is empty in two dimensions.
    pub center: [Vec<f64>; 3],
    /// `radius`: finite, and greater than 0.
    pub radius: Vec<f64>,
    /// `F32` when the columns hold nothing but `f32` values: see [`SphereReader::precision`](crate::SphereReader::precision).
    pub precision: Precision,
}

/// Consecutive axis-aligned boxes of a table, column by column; in two dimensions rectangles.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxBatch {
    /// The number of the first row, from 0: the `volume` of the table of results.
    pub first_row: u64,
    /// The number of coordinates.
    pub dimension: Dimension,
    /// `px py pz`, the centre: finite. The third column is empty in two dimensions.
    pub center: [Vec<f64>; 3],
    /// `hx hy hz`, half the size along each axis: finite, and at least 0. The third column is empty in two dimensions.
    pub half_extents: [Vec<f64>; 3],
    /// `F32` when the columns hold nothing but `f32` values: see [`BoxReader::precision`](crate::BoxReader::precision).
    pub precision: Precision,
}

impl SphereBatch {
    /// The number of spheres.
    #[must_use]
    pub fn len(&self) -> usize {
        self.radius.len()
    }

    /// Whether there are no spheres.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl BoxBatch {
    /// The number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.center[0].len()
    }

    /// Whether there are no boxes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The centre, and columns of sizes.
fn find(
    header: &[&str],
    dimension: Dimension,
    sizes: &[&'static str],
    numbers: ColumnNumbers,
) -> Result<Vec<ColumnBinding>, Fault> {
    let center = &POINT_COLUMNS[..dimension.count()];
    let needs = format!("needs {} {}", center.join(" "), sizes.join(" "));
    let mut bindings = ColumnBinding::of_coordinates(header, center, &needs)?;
    for size in sizes {
        bindings.push(ColumnBinding::needed(header, size, numbers, &needs)?);
    }
    Ok(bindings)
}

fn find_spheres(header: &[&str], dimension: Dimension) -> Result<Vec<ColumnBinding>, Fault> {
    find(header, dimension, &[RADIUS_COLUMN], ColumnNumbers::Radius)
}

fn find_boxes(header: &[&str], dimension: Dimension) -> Result<Vec<ColumnBinding>, Fault> {
    find(header, dimension, &HALF_EXTENT_COLUMNS[..dimension.count()], ColumnNumbers::HalfExtent)
}

impl TableBatch for SphereBatch {
    const KIND: TableKind = TableKind { row: "sphere", find: find_spheres, optional: &[] };

    fn of_rows(columns: &Columns, rows: TableRows, dimension: Dimension, precision: Precision) -> Self {
        debug_assert_eq!(rows.columns.len(), columns.bindings().len());
        let mut numbers = rows.columns.into_iter();
        let center = next_point(&mut numbers, dimension);
        let radius = numbers.next().unwrap_or_default();
        Self { first_row: rows.first_row, dimension, center, radius, precision }
    }
}

impl TableBatch for BoxBatch {
    const KIND: TableKind = TableKind { row: "box", find: find_boxes, optional: &[] };

    fn of_rows(columns: &Columns, rows: TableRows, dimension: Dimension, precision: Precision) -> Self {
        debug_assert_eq!(rows.columns.len(), columns.bindings().len());
        let mut numbers = rows.columns.into_iter();
        let center = next_point(&mut numbers, dimension);
        let half_extents = next_point(&mut numbers, dimension);
        Self { first_row: rows.first_row, dimension, center, half_extents, precision }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::found;
    use super::*;

    #[test]
    fn columns_are_found_in_any_order_among_others() {
        assert_eq!(found(&SphereBatch::KIND, "radius id pz py px hx", Dimension::Three), "px4 py3 pz2 radius0 ");
        assert_eq!(found(&BoxBatch::KIND, "hx hy px py radius hz", Dimension::Two), "px2 py3 hx0 hy1 ");
    }

    #[test]
    fn errors_name_the_column() {
        let spheres = found(&SphereBatch::KIND, "px py pz", Dimension::Three);
        assert_eq!(spheres, "f: no column 'radius' (needs px py pz radius; the table has px, py, pz)");
        let boxes = found(&BoxBatch::KIND, "px py hx", Dimension::Two);
        assert_eq!(boxes, "f: no column 'hy' (needs px py hx hy; the table has px, py, hx)");
    }

    #[test]
    fn sizes_have_a_sign() {
        let admits = |numbers, value| ColumnBinding { name: RADIUS_COLUMN, index: 0, numbers }.admits(value);
        let values = [-1.0, -0.0, 0.0, 1e-300, f64::INFINITY, f64::NAN];
        let of = |numbers| values.map(|value| admits(numbers, value));
        assert_eq!(of(ColumnNumbers::Radius), [false, false, false, true, false, false]);
        assert_eq!(of(ColumnNumbers::HalfExtent), [false, true, true, true, false, false]);
    }
}
