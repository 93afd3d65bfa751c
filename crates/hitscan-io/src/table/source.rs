//! The interface of the readers of each format.

use super::ray_batch::RayBatch;
use crate::dimension::Precision;
use crate::error::{Fault, Result};

/// The reader of a format.
pub(super) trait RaySource {
    fn next_batch(&mut self) -> Result<Option<RayBatch>, Fault>;
    fn precision(&self) -> Precision;
    fn total_rows(&self) -> Option<u64>;
    fn progress(&self) -> Option<f64>;
}
