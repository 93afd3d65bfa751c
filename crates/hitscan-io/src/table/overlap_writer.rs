//! Writing tables of overlaps.

use super::overlap_results::OverlapResults;
use super::table_writer::TableWriter;

/// A table of what volumes overlap, written batch by batch: [`OverlapLayout`](crate::OverlapLayout) tells the columns.
pub type OverlapWriter = TableWriter<OverlapResults>;
