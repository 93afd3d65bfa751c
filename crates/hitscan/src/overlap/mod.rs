//! Whether two convex shapes have a point in common: exact tests, volumes, and the choice between them.

pub(crate) mod axis_filter;
pub(crate) mod camera;
pub(crate) mod certainty;
pub(crate) mod certified;
pub(crate) mod convex_kernels;
pub(crate) mod convex_sweep;
pub(crate) mod filter_core;
pub(crate) mod into_volumes;
pub(crate) mod near_features;
pub(crate) mod pair;
pub(crate) mod pair_filter;
pub(crate) mod plane_side;
pub(crate) mod polytope_sweep;
pub(crate) mod projection_frustum;
pub(crate) mod revolved_core;
pub(crate) mod separating_axis;
pub(crate) mod swept_hull;
pub(crate) mod view_frustum;
pub(crate) mod volume;
