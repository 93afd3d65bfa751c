#![no_std]
#![doc = "Ray casting"]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod aabb;
mod accel;
mod basis;
mod hit;
pub mod math;
mod mesh;
mod probe;
mod query;
mod ray;
mod scene;
mod shape;

pub use aabb::Aabb;
pub use accel::{Method, Statistics};
pub use basis::{Basis, BasisError};
pub use glam;
pub use hit::{Hit, Hits, ShapeId, Side, Span, Spans};
pub use mesh::{MeshError, Topology, TriangleMesh};
pub use probe::{Explanation, Probe, Step};
pub use query::{Faces, Origin, Query};
pub use ray::{Cast, Ray, Segment};
pub use scene::{AnyShape2, AnyShape3, Object, Scene, SceneBuilder, SceneError, Space};
pub use shape::{
    Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipse, Ellipsoid, Frustum, HalfPlane, HalfSpace,
    OrientedBox, Plane, Problem, Rectangle, Shape, ShapeError, Sphere, StraightLine, Triangle, Triangle2, Wall,
};
