//! Scenes: collections of shapes with one BVH over them.

pub(crate) mod any;
pub(crate) mod batch;
pub(crate) mod builder;
pub(crate) mod error;
pub(crate) mod instance;
pub(crate) mod object;
pub(crate) mod scene;
