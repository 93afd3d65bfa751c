//! The names of our engines in tables and reports.

/// Ours with the `High` tree, ray by ray.
pub(crate) const HIGH_SINGLE: &str = "hitscan High";
/// Ours with the `High` tree, all rays in one call.
pub(crate) const HIGH_BATCH: &str = "hitscan High batch";
/// Ours with the default tree, ray by ray.
pub(crate) const DEFAULT_SINGLE: &str = "hitscan Default";
/// Ours with the default tree, all rays in one call.
pub(crate) const DEFAULT_BATCH: &str = "hitscan Default batch";
