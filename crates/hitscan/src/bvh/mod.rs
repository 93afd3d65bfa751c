//! Bounding volume hierarchies: layout, building, refitting and traversal.

pub(crate) mod bounds;
pub(crate) mod box_distance;
pub(crate) mod box_overlap;
pub(crate) mod build;
pub(crate) mod bvh;
pub(crate) mod linear_scan;
pub(crate) mod moved;
pub(crate) mod moving;
pub(crate) mod node;
pub(crate) mod options;
pub(crate) mod prepared_ray;
pub(crate) mod primitive_index;
pub(crate) mod ray;
pub(crate) mod refit;
pub(crate) mod shear;
pub(crate) mod slab;
pub(crate) mod traverse;
pub(crate) mod validate;
