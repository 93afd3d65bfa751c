//! Files of hit points, PLY or LAS, whose header is written again when the points have been counted.

use super::format::Format;
use super::las_points::{LasGrid, LasPoints};
use super::ply_points::PlyPoints;
use super::point_cloud::{PointBlock, PointTotals};
use crate::error::{Fault, Result};
use crate::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use std::io::Write;
use std::sync::Arc;

/// Encodes hits as points, and begins their files.
pub(super) enum PointEncoder {
    Ply(PlyPoints),
    Las(LasPoints),
}

impl PointEncoder {
    /// The encoder of a format of points; LAS needs a grid.
    pub(super) fn new(format: Format, schema: &Schema, grid: Option<LasGrid>) -> Result<Self, Fault> {
        match grid {
            _ if format == Format::Ply => Ok(Self::Ply(PlyPoints::new(schema)?)),
            Some(grid) => Ok(Self::Las(LasPoints::new(schema, grid)?)),
            None => Err(Fault::file("a LAS file needs a grid for its coordinates")),
        }
    }

    pub(super) fn encode(&self, batch: &RecordBatch) -> Result<PointBlock, Fault> {
        match self {
            Self::Ply(points) => points.encode(batch),
            Self::Las(points) => points.encode(batch),
        }
    }

    /// The header, whose length does not depend on the points.
    fn header(&self, totals: &PointTotals) -> Vec<u8> {
        match self {
            Self::Ply(points) => points.header(totals.count),
            Self::Las(points) => points.header(totals),
        }
    }
}

/// A file of points, whose header is written again at the end, when the points have been counted.
pub(super) struct PointFile {
    output: Output,
    encoder: Arc<PointEncoder>,
    totals: PointTotals,
}

impl PointFile {
    pub(super) fn new(mut output: Output, encoder: Arc<PointEncoder>) -> Result<Self, Fault> {
        if !output.is_regular() {
            let text =
                "PLY and LAS begin with the number of points, which is known at the end: they need a regular file";
            return Err(Fault::file(text));
        }
        let totals = PointTotals::default();
        output.write_all(&encoder.header(&totals))?;
        Ok(Self { output, encoder, totals })
    }

    pub(super) fn write(&mut self, block: &PointBlock) -> Result<(), Fault> {
        self.output.write_all(&block.bytes)?;
        self.totals.append(&block.totals);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Output, Fault> {
        self.output.write_beginning(&self.encoder.header(&self.totals))?;
        Ok(self.output)
    }

    /// The rounding of the points so far; `None` where coordinates are written as they are.
    pub(super) fn rounding(&self) -> Option<LasRounding> {
        match &*self.encoder {
            PointEncoder::Ply(_) => None,
            PointEncoder::Las(points) => {
                Some(LasRounding { scale: points.grid().scale, largest: self.totals.rounding })
            }
        }
    }
}

/// How the coordinates of a LAS file are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LasRounding {
    /// The unit of the coordinates, of which they are whole multiples.
    pub scale: f64,
    /// The largest distance of a coordinate from the one in the file.
    pub largest: f64,
}
