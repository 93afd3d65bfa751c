#![no_std]
#![deny(unsafe_code)]
//! Which rays hit what, where, and at which angle? Ray casting whose answers are right: in 2D and 3D, in `f32` and
//! `f64`, for one shape, a mesh, or a scene of many.
//!
//! ```
//! use hitscan::{Ray, Shape, Side, Sphere, glam::Vec3};
//!
//! let ball = Sphere::new(Vec3::new(0.0, 0.0, 10.0), 2.0)?;
//! let ray = Ray::new(Vec3::ZERO, Vec3::Z);
//!
//! let hit = ball.cast_ray(&ray, ..).ok_or("a miss")?;
//! assert_eq!((hit.t, hit.point, hit.normal), (8.0, Vec3::new(0.0, 0.0, 8.0), -Vec3::Z));
//! assert_eq!(hit.side, Side::Front);
//!
//! assert!(!ball.intersects_ray(&ray, ..=7.5));     // a range of t: too far
//! assert_eq!(ball.spans(&ray, ..)[0].exit.map(|hit| hit.t), Some(12.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! - [`Ray`] and [`Segment`] are what is cast; [`Shape`] is the trait with every question; a range of `t` (`..`,
//!   `..=10.0`) or a [`Query`] says what counts; [`Hit`] and [`Span`] come back; [`Hit::leave`] is
//!   the ray that goes on from there.
//! - In space: [`Sphere`], [`Plane`], [`HalfSpace`], [`Disk`], [`Cuboid`], [`OrientedBox`], [`Capsule`], [`Cylinder`],
//!   [`Cone`], [`Frustum`], [`Ellipsoid`], [`Triangle`], [`TriangleMesh`].
//! - In the plane: [`Circle`], [`Line`], [`HalfPlane`], [`SegmentShape`] (a segment as an obstacle), [`Rectangle`],
//!   [`OrientedBox`], [`Capsule`], [`Triangle2`], [`ConvexPolygon`], [`Ellipse`].
//! - [`SceneBuilder`] makes a [`Scene`] of many, with names and layers; [`Basis`] is an orientation.
//!
//! # What the answers are worth
//!
//! Numbers that are given are taken as exact. Whether a ray hits, and what it hits first, is decided in `f64` (for triangles of a mesh, in `f32` first); where
//! rounding could change a decision, or cost a digit of `t`, the kernel runs again in wider arithmetic, in the end in
//! exact numbers of any length. `t` is within 1 ulp, a normal within 2 ulp of 1. Every kernel's page says by which method
//! and from which source; `ACCURACY.md` has the bounds, what is proved and what only tested.
//!
//! # Rules
//!
//! Shapes are closed: touching is hitting. `t` counts in lengths of the ray's direction. A ray that starts inside a
//! solid hits it at once, or on the way out, as [`Inside`] says. What is not a ray (a NaN, an infinity, a zero
//! direction) hits nothing, and nothing panics.
//!
//! # Features
//!
//! `std` (default) takes square roots from the standard library. Without it, `libm` does; the bits are the same, and the
//! crate needs only `alloc`.

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod aabb;
mod adaptive;
mod basis;
mod batch;
mod bvh;
mod columns;
mod explain;
mod hit;
mod into_vector;
mod kernel;
mod math;
mod mesh;
mod parallel;
pub mod prelude;
mod queries;
mod query;
mod ray;
mod scene;
mod sealed;
mod shapes;
mod simd;
mod spawn;
mod target;

pub use aabb::Aabb;
pub use basis::{Basis, BasisError};
pub use bvh::options::{Accelerator, Quality, Statistics};
pub use columns::{ColumnsError, HitColumns, RayColumns};
pub use explain::{Explanation, Step};
pub use glam;
pub use hit::{Hit, Hits, ShapeId, Side, Span, Spans};
pub use into_vector::IntoVector;
pub use math::real::{Precision, Real};
pub use math::vector::{Vector, Vector2, Vector3};
pub use mesh::error::{LoadError, MeshError};
pub use mesh::topology::Topology;
pub use mesh::triangle_mesh::TriangleMesh;
pub use queries::shape::Shape;
pub use query::{Faces, Inside, IntoQuery, Query};
pub use ray::{Ray, RayLike, Segment};
pub use scene::any::{AnyShape2, AnyShape3, Space};
pub use scene::builder::{Scene2, Scene3, SceneBuilder, SceneBuilder2, SceneBuilder3};
pub use scene::error::SceneError;
pub use scene::object::Object;
pub use scene::scene::Scene;
pub use shapes::capsule::Capsule;
pub use shapes::cone::Cone;
pub use shapes::cuboid::{Cuboid, Rectangle};
pub use shapes::cylinder::Cylinder;
pub use shapes::disk::Disk;
pub use shapes::ellipsoid::{Ellipse, Ellipsoid};
pub use shapes::error::{ShapeError, ShapeErrorKind};
pub use shapes::frustum::Frustum;
pub use shapes::half_space::{HalfPlane, HalfSpace};
pub use shapes::oriented_box::OrientedBox;
pub use shapes::plane::{Line, Plane};
pub use shapes::polygon::{ConvexPolygon, Triangle2};
pub use shapes::segment::SegmentShape;
pub use shapes::sphere::{Circle, Sphere};
pub use shapes::triangle::Triangle;
