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
mod ray_batch;
mod ray_reader;
mod source;
mod writer;

pub use format::Format;
pub use hits::{HitBatch, HitLayout, HitRow, HitSchema, Hits, SpanEnd};
pub use ray_batch::{DEFAULT_BATCH_ROWS, Endpoint, RayBatch};
pub use ray_reader::{RayReader, ReadOptions};
pub use writer::HitWriter;
