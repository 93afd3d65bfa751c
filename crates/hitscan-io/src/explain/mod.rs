//! Explanations of the answers of a scene, shape by shape. The program prints them, the ray lab draws them.

mod listing;
mod points;
mod ray_or_segment;
mod rays;
mod report;
mod sphere_or_box;
mod sweeps;
mod volumes;

pub use ray_or_segment::RayOrSegment;
pub use report::{Detail, ExplainReport, ShapeReport};
pub use sphere_or_box::SphereOrBox;
