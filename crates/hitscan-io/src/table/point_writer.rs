//! Writing tables of results for points.

use super::point_results::PointResults;
use super::table_writer::TableWriter;

/// A table of results for points, written batch by batch: [`PointLayout`](crate::PointLayout) tells the columns.
pub type PointWriter = TableWriter<PointResults>;
