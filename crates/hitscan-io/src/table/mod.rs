//! Tables: rays in, hits out, batch by batch.

mod arrow;
mod columns;
mod csv;
mod format;
mod hits;
mod hits_arrow;
mod hits_text;
mod ipc;
mod parquet;
mod parquet_guard;
mod rays;
mod writer;

pub use format::Format;
pub use hits::{End, HitBatch, HitLayout, HitRow, HitSchema, Hits};
pub use rays::{DEFAULT_BATCH_ROWS, RayBatch, RayReader, ReadOptions, Second};
pub use writer::HitWriter;
