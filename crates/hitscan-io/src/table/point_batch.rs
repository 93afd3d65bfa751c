//! Points of a table, in memory and as columns.

use super::columns::{ColumnBinding, Columns, TableKind, next_point};
use super::table_reader::{TableBatch, TableRows};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Result};

/// The coordinates of a point, of points and of hits.
pub(super) const POINT_COLUMNS: [&str; 3] = ["px", "py", "pz"];

/// Consecutive points of a table, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct PointBatch {
    /// The number of the first row, from 0: the `point` of the table of results.
    pub first_row: u64,
    /// The number of coordinates.
    pub dimension: Dimension,
    /// `px py pz`, finite. The third column is empty in two dimensions.
    pub point: [Vec<f64>; 3],
    /// `F32` when the columns hold nothing but `f32` values: see [`PointReader::precision`](crate::PointReader::precision).
    pub precision: Precision,
}

impl PointBatch {
    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.point[0].len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn find(header: &[&str], dimension: Dimension) -> Result<Vec<ColumnBinding>, Fault> {
    let names = &POINT_COLUMNS[..dimension.count()];
    ColumnBinding::of_coordinates(header, names, &format!("needs {}", names.join(" ")))
}

impl TableBatch for PointBatch {
    const KIND: TableKind = TableKind { row: "point", find, optional: &[] };

    fn of_rows(columns: &Columns, rows: TableRows, dimension: Dimension, precision: Precision) -> Self {
        debug_assert_eq!(rows.columns.len(), columns.bindings().len());
        let point = next_point(&mut rows.columns.into_iter(), dimension);
        Self { first_row: rows.first_row, dimension, point, precision }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::found;
    use super::*;

    #[test]
    fn columns_are_found_in_any_order_among_others() {
        assert_eq!(found(&PointBatch::KIND, "pz id py px nx", Dimension::Three), "px3 py2 pz0 ");
        assert_eq!(found(&PointBatch::KIND, "px py pz pz", Dimension::Two), "px0 py1 ");
    }

    #[test]
    fn errors_name_the_column() {
        assert_eq!(
            found(&PointBatch::KIND, "px py", Dimension::Three),
            "f: no column 'pz' (needs px py pz; the table has px, py)"
        );
        assert_eq!(
            found(&PointBatch::KIND, "x y", Dimension::Two),
            "f: no column 'px' (needs px py; the table has x, y)"
        );
        assert_eq!(found(&PointBatch::KIND, "px py px", Dimension::Two), "f: column 'px' appears twice");
    }
}
