//! Writing tables of hits.

use super::hits::HitBatch;
use super::table_writer::TableWriter;

/// A table of hits, written batch by batch: [`HitLayout`](crate::HitLayout) tells the columns.
pub type HitWriter = TableWriter<HitBatch>;
