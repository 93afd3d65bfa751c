//! Batches of rows of any kind.

use crate::error::{Error, Result};
use hitscan_io::{Endpoint, PointBatch, RayBatch};

/// Consecutive rows of a table.
pub(crate) trait RowBatch: Send + 'static {
    /// `rays`
    const ROWS: &'static str;
    fn count(&self) -> usize;
    fn first_row(&self) -> u64;
    /// The columns of coordinates and sizes, with their names.
    fn columns(&self) -> Vec<(&'static str, &Vec<f64>)>;
    /// Whether a number of a column stays what it is when it is rounded: it becomes neither infinite nor, if it must be
    /// greater than 0, zero.
    fn fits_f32(_column: &str, value: f64) -> bool {
        (value as f32).is_finite()
    }
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

/// Refuses numbers beyond the range of `f32`, which would round to infinity, or a radius to zero.
pub(crate) fn check_f32<B: RowBatch>(batch: &B) -> Result<()> {
    for (name, column) in batch.columns() {
        if let Some(row) = column.iter().position(|x| !B::fits_f32(name, *x)) {
            let (value, row) = (column[row], batch.first_row() + row as u64);
            return Err(Error::input(format!(
                "row {row}, column '{name}': {value:e} is beyond the range of f32 (--precision f64 takes it)"
            )));
        }
    }
    Ok(())
}
