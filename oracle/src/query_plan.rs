//! `QueryPlan`: which cases of a query to run.

use crate::number::Precision;

/// What to run.
#[derive(Clone, Debug)]
pub struct QueryPlan {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Cases of all rows together.
    pub cases: u64,
    /// Name of the only shape to run, or `mesh`; all if absent.
    pub shape: Option<String>,
    /// Precisions.
    pub precisions: Vec<Precision>,
    /// Count of threads.
    pub threads: usize,
}
