//! Reading tables of spheres and boxes.

use super::table_reader::TableReader;
use super::volume_batch::{BoxBatch, SphereBatch};

/// A table of spheres (in two dimensions circles), read batch by batch.
///
/// The columns are `px py [pz]`, the centre, and `radius`, in any order; others are ignored. Numbers must be finite, radii
/// greater than 0, and none may be missing.
///
/// ```no_run
/// use hitscan_io::{Dimension, SphereReader};
/// for batch in SphereReader::open("blasts.parquet".as_ref(), Dimension::Three)? {
///     println!("{} spheres", batch?.len());
/// }
/// # Ok::<(), hitscan_io::Error>(())
/// ```
pub type SphereReader = TableReader<SphereBatch>;

/// A table of axis-aligned boxes (in two dimensions rectangles), read batch by batch.
///
/// The columns are `px py [pz]`, the centre, and `hx hy [hz]`, half the size along each axis, in any order; others are
/// ignored. Numbers must be finite, half extents at least 0, and none may be missing.
pub type BoxReader = TableReader<BoxBatch>;
