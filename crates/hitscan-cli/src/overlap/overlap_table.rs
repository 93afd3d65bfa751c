//! The table of overlaps: for people, with the columns of every other format, or as a file.

use crate::tables::ResultTable;
use crate::text::Grid;
use hitscan_io::{OverlapLayout, OverlapResults, OverlapRow, OverlapSchema};

/// A table of overlaps, as aligned text or as a file.
pub(super) struct OverlapTable {
    grid: Grid,
    schema: OverlapSchema,
}

impl OverlapTable {
    pub(super) fn new(schema: OverlapSchema) -> Self {
        let mut names = vec!["volume"];
        match schema.layout {
            OverlapLayout::Any => names.push("overlap"),
            OverlapLayout::Count => names.push("count"),
            OverlapLayout::All => {
                names.extend(["overlap", "shape", "primitive"]);
                names.extend(schema.instances.iter().flat_map(|_| ["object", "instance"]));
            }
        }
        Self { grid: Grid::new(&names), schema }
    }

    fn push(&mut self, row: &OverlapRow) {
        let mut cells = vec![row.volume.to_string(), row.shape.is_some().to_string()];
        if let Some(shape) = row.shape {
            let text = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
            cells.push(self.schema.shapes.get(shape as usize).cloned().unwrap_or_default());
            cells.push(text(row.primitive));
            if let Some(instances) = &self.schema.instances {
                cells.extend([shape.to_string(), text(instances.get(shape as usize).copied().flatten())]);
            }
        }
        self.grid.push(cells);
    }
}

impl ResultTable for OverlapTable {
    type Results = OverlapResults;

    fn text(&mut self, results: &OverlapResults) -> String {
        let mut pair = |volume: &u64, cell: String| self.grid.push(vec![volume.to_string(), cell]);
        match results {
            OverlapResults::Any { volume, overlap } => {
                volume.iter().zip(overlap).for_each(|(volume, overlap)| pair(volume, overlap.to_string()));
            }
            OverlapResults::Count { volume, count } => {
                volume.iter().zip(count).for_each(|(volume, count)| pair(volume, count.to_string()));
            }
            OverlapResults::All(rows) => rows.iter().for_each(|row| self.push(row)),
        }
        self.grid.take()
    }

    fn schema(&self) -> &OverlapSchema {
        &self.schema
    }
}
