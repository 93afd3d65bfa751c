//! Tables: rays and points in, hits and distances out, batch by batch.

mod arrow;
mod columns;
mod csv;
mod format;
mod hits;
mod hits_arrow;
mod ipc;
mod parquet;
mod parquet_guard;
mod point_batch;
mod point_reader;
mod point_results;
mod point_results_arrow;
mod point_writer;
mod ray_batch;
mod ray_columns;
mod ray_reader;
mod record_arrays;
mod record_text;
mod record_writer;
mod table_reader;
mod table_source;
mod writer;

pub use format::Format;
pub use hits::{HitBatch, HitLayout, HitRow, HitSchema, Hits, SpanEnd};
pub use point_batch::PointBatch;
pub use point_reader::PointReader;
pub use point_results::{ClosestRow, DistanceRow, PointLayout, PointResults, PointSchema};
pub use point_writer::PointWriter;
pub use ray_batch::{DEFAULT_BATCH_ROWS, Endpoint, RayBatch};
pub use ray_reader::RayReader;
pub use table_reader::{ReadOptions, TableBatch, TableReader};
pub use writer::HitWriter;
