//! BVH builders.

pub(crate) mod binned_sah;
pub(crate) mod build;
pub(crate) mod collapse;
pub(crate) mod morton;
pub(crate) mod prim_ref;
pub(crate) mod sah;
pub(crate) mod settings;
pub(crate) mod spatial_split;
