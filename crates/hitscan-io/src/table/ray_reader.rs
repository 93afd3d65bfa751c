//! Reading tables of rays.

use super::ray_batch::RayBatch;
use super::table_reader::TableReader;

/// A table of rays, read batch by batch.
///
/// The columns are `ox oy [oz] dx dy [dz]` for rays or `ax ay [az] bx by [bz]` for segments, and optional `t_min`,
/// `t_max`, `layers` and `max_distance`; in any order, others are ignored. Numbers must be finite (except in `t_min`, `t_max` and
/// `max_distance`, which may be infinite but not NaN) and none may be missing; those of `layers` are masks, whole numbers of 32 bits.
///
/// ```no_run
/// use hitscan_io::{Dimension, RayReader};
/// for batch in RayReader::open("rays.parquet".as_ref(), Dimension::Three)? {
///     println!("{} rays", batch?.len());
/// }
/// # Ok::<(), hitscan_io::Error>(())
/// ```
pub type RayReader = TableReader<RayBatch>;
