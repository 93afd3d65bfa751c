//! Moving spheres: when they meet shapes.

pub(crate) mod advance;
pub(crate) mod approach;
pub(crate) mod contact;
pub(crate) mod contact_time;
pub(crate) mod face_normal;
pub(crate) mod part_sweep;
pub(crate) mod parts;
pub(crate) mod thick_box;
pub(crate) mod thick_plane;
pub(crate) mod thick_triangle;
