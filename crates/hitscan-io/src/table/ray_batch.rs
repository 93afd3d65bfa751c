//! Rays of a table in memory.

use crate::dimension::{Dimension, Precision};

/// The number of rows in a batch, unless [`ReadOptions::batch_rows`](crate::ReadOptions::batch_rows) says otherwise.
pub const DEFAULT_BATCH_ROWS: usize = 65_536;

/// Consecutive rays of a table, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct RayBatch {
    /// The number of the first row, from 0: the `ray` of the table of hits.
    pub first_row: u64,
    /// The number of coordinates.
    pub dimension: Dimension,
    /// `ox oy oz` or `ax ay az`, finite. The third column is empty in two dimensions.
    pub origin: [Vec<f64>; 3],
    /// Directions or end points.
    pub endpoint: Endpoint,
    /// The column `t_min`, if there is one; it may hold infinities.
    pub t_min: Option<Vec<f64>>,
    /// The column `t_max`, if there is one; it may hold infinities.
    pub t_max: Option<Vec<f64>>,
    /// The column `layers`, if there is one: a mask of the layers that the ray hits, with the bit `1 << n` for layer n.
    pub layers: Option<Vec<u32>>,
    /// The column `max_distance`, if there is one: the largest distance of a hit from the origin; it may hold infinities.
    pub max_distance: Option<Vec<f64>>,
    /// `F32` when the columns of coordinates and limits hold nothing but `f32` values: see [`RayReader::precision`](crate::RayReader::precision).
    pub precision: Precision,
}

/// The second half of each ray or segment, finite. The third column is empty in two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub enum Endpoint {
    /// `dx dy dz`: directions of rays. A direction may be zero; such a ray hits nothing.
    Direction([Vec<f64>; 3]),
    /// `bx by bz`: end points of segments. `t` is 0 at the origin and 1 at the end; without `t_min` and `t_max` the range is
    /// `0..=1`. The reader of the batch forms the direction `b - a`, exactly where it can.
    End([Vec<f64>; 3]),
}

impl RayBatch {
    /// The number of rays.
    #[must_use]
    pub fn len(&self) -> usize {
        self.origin[0].len()
    }

    /// Whether there are no rays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
