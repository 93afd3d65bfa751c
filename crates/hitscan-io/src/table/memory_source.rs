//! Rays in memory as a table: those of a command line.

use super::columns::{Columns, TableKind};
use super::ray_batch::{Endpoint, RayBatch};
use super::table_source::{Block, BlockData, TableSource};
use crate::dimension::Precision;
use crate::error::{Fault, Result};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt32Array};
use std::sync::Arc;

/// A table of one block.
pub(super) struct MemorySource {
    columns: Columns,
    block: Option<Block>,
    rows: u64,
}

impl MemorySource {
    pub(super) fn new(rays: &RayBatch, kind: &TableKind) -> Result<Self, Fault> {
        let axes = rays.dimension.count();
        let reals = |column: &Vec<f64>| -> ArrayRef { Arc::new(Float64Array::from(column.clone())) };
        let (first, second, target) = match &rays.endpoint {
            Endpoint::Direction(direction) => (["ox", "oy", "oz"], ["dx", "dy", "dz"], direction),
            Endpoint::End(end) => (["ax", "ay", "az"], ["bx", "by", "bz"], end),
        };
        let points = [(first, &rays.origin), (second, target)];
        let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
        for (names, axes_of) in points {
            columns.extend(names.into_iter().zip(axes_of).take(axes).map(|(name, column)| (name, reals(column))));
        }
        columns.extend(rays.t_min.iter().map(|column| ("t_min", reals(column))));
        columns.extend(rays.t_max.iter().map(|column| ("t_max", reals(column))));
        let layers = rays.layers.iter().map(|masks| -> ArrayRef { Arc::new(UInt32Array::from(masks.clone())) });
        columns.extend(layers.map(|masks| ("layers", masks)));
        columns.extend(rays.max_distance.iter().map(|column| ("max_distance", reals(column))));
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let found = Columns::find(kind, &names, rays.dimension)?;
        let batch = RecordBatch::try_from_iter(columns)?;
        let rows = batch.num_rows();
        let data = BlockData::Records(vec![batch]);
        let block = (rows > 0).then_some(Block { first_row: rays.first_row, rows, data });
        Ok(Self { columns: found, block, rows: rows as u64 })
    }
}

impl TableSource for MemorySource {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(&mut self, _most: usize) -> Result<Option<Block>, Fault> {
        Ok(self.block.take())
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn progress(&self) -> Option<f64> {
        Some(if self.block.is_some() { 0.0 } else { 1.0 })
    }

    fn has_more(&mut self) -> Result<bool, Fault> {
        Ok(self.block.is_some())
    }
}
