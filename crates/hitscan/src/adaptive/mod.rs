//! Adaptive precision: the filter, and lazy exact arithmetic where it is uncertain.

pub(crate) mod compiled;
pub(crate) mod evaluate;
pub(crate) mod fallback;
pub(crate) mod flat_shapes;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) mod hit_packet;
pub(crate) mod instance;
pub(crate) mod one_pass;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) mod packets;
pub(crate) mod placed_box;
pub(crate) mod placed_filter;
pub(crate) mod refine;
pub(crate) mod stages;
