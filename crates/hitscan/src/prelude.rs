//! The traits and the usual types in one import.
//!
//! No name here is a name of glam, so both can be imported whole:
//!
//! ```
//! use hitscan::glam::*;
//! use hitscan::prelude::*;
//!
//! let mut builder = SceneBuilder3::new();
//! let ball = builder.add(Sphere::new(vec3(0.0, 0.0, 10.0), 2.0)?)?;
//! let hit = builder.build().cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..=100.0).ok_or("a miss")?;
//! assert_eq!((hit.t, hit.object), (8.0, Some(ball)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(no_inline)]
pub use crate::{
    Aabb, Approach, Basis, Camera, Capsule, CastOutline, Circle, ClosestPoint, Columns, CompressedRows, Cone,
    ConvexPolygon, Coplanar, Cuboid, Cylinder, Disk, Ellipse, Ellipsoid, Faces, Feature, FilteredScene, Frustum, Group,
    HalfPlane, HalfSpace, Hit, HitColumns, HitLists, Inside, InsideRule, Instance, IntoQuery, IntoVector, IntoVolumes,
    Line, Object, ObjectFilter, ObjectId, OrientedBox, Outline, OutlineColor, OutlineOptions, OutlineSegment, Overlap,
    OverlapQuery, Plane, PointQuery, Points, Quad, Quality, Query, RangedRay, RangedSegment, Ray, RayCast, RayColumns,
    RayLike, Rectangle, Scene, Scene2, Scene3, SceneBuilder, SceneBuilder2, SceneBuilder3, Segment, SegmentShape,
    Shape, Shard, ShardedScene, Side, Solid, Span, SpanLists, Sphere, SweepHit, SweepQuery, TaperedCapsule, Thickness,
    Transform, Triangle, Triangle2, TriangleMesh, Triggers, UserGeometry, UserHit, UserShape, ViewFrustum, Volume,
};
