//! Adaptive precision: the filter, and lazy exact arithmetic where it is uncertain.

pub(crate) mod compiled;
pub(crate) mod evaluate;
pub(crate) mod fallback;
pub(crate) mod flat_shapes;
pub(crate) mod instance;
pub(crate) mod one_pass;
pub(crate) mod placed_box;
pub(crate) mod placed_filter;
pub(crate) mod refine;
pub(crate) mod stages;
