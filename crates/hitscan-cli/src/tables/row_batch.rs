//! Batches of rows of any kind, and their readers.

use crate::error::{Error, Result};
use hitscan_io::{Endpoint, PointBatch, PointReader, Precision, RayBatch, RayReader};

/// Consecutive rows of a table.
pub(crate) trait RowBatch: Send + 'static {
    /// `rays`
    const ROWS: &'static str;
    fn count(&self) -> usize;
    fn first_row(&self) -> u64;
    /// The columns of coordinates, with their names.
    fn columns(&self) -> Vec<(&'static str, &Vec<f64>)>;
}

impl RowBatch for RayBatch {
    const ROWS: &'static str = "rays";
    fn count(&self) -> usize {
        self.len()
    }
    fn first_row(&self) -> u64 {
        self.first_row
    }
    fn columns(&self) -> Vec<(&'static str, &Vec<f64>)> {
        let (first, (names, columns)) = match &self.endpoint {
            Endpoint::Direction(direction) => (["ox", "oy", "oz"], (["dx", "dy", "dz"], direction)),
            Endpoint::End(end) => (["ax", "ay", "az"], (["bx", "by", "bz"], end)),
        };
        first.into_iter().zip(&self.origin).chain(names.into_iter().zip(columns)).collect()
    }
}

impl RowBatch for PointBatch {
    const ROWS: &'static str = "points";
    fn count(&self) -> usize {
        self.len()
    }
    fn first_row(&self) -> u64 {
        self.first_row
    }
    fn columns(&self) -> Vec<(&'static str, &Vec<f64>)> {
        ["px", "py", "pz"].into_iter().zip(&self.point).collect()
    }
}

/// A reader of a table.
pub(crate) trait BatchReader: Iterator<Item = hitscan_io::Result<Self::Batch>> + Send + 'static {
    type Batch: RowBatch;
    /// The precision of all batches.
    fn batch_precision(&self) -> Precision;
    /// The part of the table read so far, where its size is known.
    fn share(&self) -> Option<f64>;
}

impl BatchReader for RayReader {
    type Batch = RayBatch;
    fn batch_precision(&self) -> Precision {
        self.precision()
    }
    fn share(&self) -> Option<f64> {
        self.progress()
    }
}

impl BatchReader for PointReader {
    type Batch = PointBatch;
    fn batch_precision(&self) -> Precision {
        self.precision()
    }
    fn share(&self) -> Option<f64> {
        self.progress()
    }
}

/// Refuses numbers beyond the range of `f32`, which would round to infinity.
pub(super) fn check_f32(batch: &impl RowBatch) -> Result<()> {
    for (name, column) in batch.columns() {
        if let Some(row) = column.iter().position(|x| !(*x as f32).is_finite()) {
            let (value, row) = (column[row], batch.first_row() + row as u64);
            return Err(Error::input(format!(
                "row {row}, column '{name}': {value:e} is beyond the range of f32 (--precision f64 takes it)"
            )));
        }
    }
    Ok(())
}
