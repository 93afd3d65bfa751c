//! Many shapes as one.

mod any;
mod batch;
mod builder;
mod error;
mod query;

pub use any::{AnyShape2, AnyShape3, Space};
pub use builder::{Object, SceneBuilder};
pub use error::SceneError;
pub use query::Scene;
