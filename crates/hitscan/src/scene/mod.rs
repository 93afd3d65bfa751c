//! Scenes: many shapes as one.

pub(crate) mod any;
pub(crate) mod batch;
pub(crate) mod builder;
pub(crate) mod error;
pub(crate) mod object;
pub(crate) mod scene;
