//! Reading tables of points.

use super::point_batch::PointBatch;
use super::table_reader::TableReader;

/// A table of points, read batch by batch.
///
/// The columns are `px py [pz]`, in any order; others are ignored. Numbers must be finite, and none may be missing.
///
/// ```no_run
/// use hitscan_io::{Dimension, PointReader};
/// for batch in PointReader::open("points.parquet".as_ref(), Dimension::Three)? {
///     println!("{} points", batch?.len());
/// }
/// # Ok::<(), hitscan_io::Error>(())
/// ```
pub type PointReader = TableReader<PointBatch>;
