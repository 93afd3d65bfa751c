//! Names of our engines in tables and reports.

/// `High` BVH, one ray at a time.
pub(crate) const HIGH_SINGLE: &str = "hitscan High";
/// `High` BVH, all rays in one call.
pub(crate) const HIGH_BATCH: &str = "hitscan High batch";
/// Default BVH, one ray at a time.
pub(crate) const DEFAULT_SINGLE: &str = "hitscan Default";
/// Default BVH, all rays in one call.
pub(crate) const DEFAULT_BATCH: &str = "hitscan Default batch";
