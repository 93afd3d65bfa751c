#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
//! Ray casting with exact decisions: closest hits, any hits, all hits and spans of rays against shapes, triangle meshes and
//! scenes, in 2D and 3D, in `f32` and `f64`.
//!
//! # One shape
//!
//! ```
//! use hitscan::{glam::Vec3, Ray, RayCast, Side, Sphere};
//! let ball = Sphere::new(Vec3::new(0.0, 0.0, 10.0), 2.0)?;
//! let ray = Ray::new(Vec3::ZERO, Vec3::Z);
//!
//! let hit = ball.cast_ray(&ray, ..).ok_or("a miss")?;
//! assert_eq!((hit.t, hit.point, hit.normal), (8.0, Vec3::new(0.0, 0.0, 8.0), -Vec3::Z));
//! assert_eq!(hit.side, Side::Front);
//! assert!(!ball.intersects_ray(&ray, ..=7.5)); // the range of t ends before the ball
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Segment`] is the other thing to cast: its `t` runs from 0 to 1. A [`Query`] adds to the range the rule for rays that start
//! inside ([`Inside`]), face culling ([`Faces`]) and a layer mask.
//!
//! # A mesh
//!
//! ```
//! use hitscan::{glam::Vec3, Ray, RayCast, TriangleMesh};
//! let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y]; // a unit square
//! let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]])?;
//! let hit = mesh.cast_ray(&Ray::new(Vec3::new(0.25, 0.75, 5.0), -Vec3::Z), ..).ok_or("a miss")?;
//! assert_eq!((hit.primitive, hit.t), (Some(1), 5.0));
//! assert!(hit.barycentric().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A scene
//!
//! ```
//! use hitscan::{glam::Vec3, Cuboid, Object, Query, Ray, RayCast, SceneBuilder3, Sphere};
//! let mut builder = SceneBuilder3::new();
//! let ball = builder.add(Sphere::new(Vec3::X * 4.0, 1.0)?)?;
//! let wall = builder.insert(Object::new(Cuboid::new(Vec3::X * 9.0, Vec3::ONE)?).named("wall").on_layers(2))?;
//! let scene = builder.build();
//!
//! let ray = Ray::new(Vec3::ZERO, Vec3::X);
//! assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(ball));
//! let hit = scene.cast_ray(&ray, Query::from(..).layers(2)).ok_or("a miss")?;
//! assert_eq!((hit.object, scene.get(wall).and_then(Object::name)), (Some(wall), Some("wall")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A batch of rays
//!
//! ```
//! use hitscan::{glam::Vec3, Ray, RayCast, Sphere};
//! let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
//! let rays: Vec<Ray<Vec3>> = (0..100).map(|i| Ray::new(Vec3::X * (i as f32 * 0.1), Vec3::Z)).collect();
//! let hits = ball.cast_rays(&rays, ..); // one Option<Hit> per ray, on all threads with the feature `rayon`
//! assert_eq!(hits.iter().flatten().count(), 11);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Columns
//!
//! ```
//! use hitscan::{glam::Vec3, RayCast, RayColumns, Sphere};
//! let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
//! let rays = RayColumns::<Vec3>::from_points(&[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0.0, 0.0, 1.0]; 2])?;
//! let hits = ball.cast_columns(&rays, ..);
//! assert_eq!((hits.is_hit(), hits.t()[0]), (&[true, false][..], 4.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Spans
//!
//! ```
//! use hitscan::{glam::DVec3, Ray, RayCast, Sphere};
//! let ball = Sphere::new(DVec3::Z * 5.0, 1.0)?;
//! let spans = ball.spans(&Ray::new(DVec3::ZERO, DVec3::Z), ..);
//! let [enter, exit] = [spans[0].enter, spans[0].exit].map(|hit| hit.map(|hit| hit.t));
//! assert_eq!((spans.len(), enter, exit), (1, Some(4.0), Some(6.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Explanations
//!
//! ```
//! use hitscan::{glam::DVec2, Circle, Ray, RayCast};
//! let circle = Circle::new(DVec2::X * 5.0, 1.0)?;
//! let explanation = circle.explain(&Ray::new(DVec2::ZERO, DVec2::X), ..);
//! assert_eq!(explanation.shape, "circle");
//! assert!(!explanation.steps.is_empty());
//! println!("{explanation}"); // every quantity of the test, and the decisions
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Saving a mesh with its BVH
//!
//! ```
//! use hitscan::{TriangleMesh, glam::Vec3};
//! let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
//! let bytes = mesh.to_bytes(); // for a file
//! assert_eq!(TriangleMesh::<Vec3>::from_bytes(&bytes)?.triangles(), [[0, 1, 2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Scene::to_bytes`] saves a scene with its meshes, groups and solids.
//!
//! # The types
//!
//! - Rays: [`Ray`], [`Segment`], with ranges of their own [`RangedRay`], [`RangedSegment`]; [`RayColumns`]. Queries: [`Query`], and the trait [`RayCast`] of every [`Shape`]. Results: [`Hit`],
//!   [`Span`]; [`Hit::spawn_ray`] starts the next ray.
//! - Shapes in space: [`Sphere`], [`Plane`], [`HalfSpace`], [`Disk`], [`Cuboid`], [`OrientedBox`], [`Capsule`],
//!   [`TaperedCapsule`], [`Cylinder`], [`Cone`], [`Frustum`], [`Ellipsoid`], [`Triangle`], [`Quad`], [`TriangleMesh`].
//! - Shapes in the plane: [`Circle`], [`Line`], [`HalfPlane`], [`SegmentShape`], [`Rectangle`], [`OrientedBox`], [`Capsule`],
//!   [`TaperedCapsule`], [`Triangle2`], [`ConvexPolygon`], [`Ellipse`].
//! - Distances: the trait [`PointQuery`] of every [`Shape`], with the result [`ClosestPoint`] and its [`Feature`].
//! - Moving spheres: the trait [`SweepQuery`] of every [`Shape`], with the result [`SweepHit`].
//! - Sight: [`RayCast::line_of_sight`], [`RayCast::thickness`], [`Scene::object_lengths`].
//! - Overlap: the trait [`OverlapQuery`] of every [`Shape`], which takes a [`Volume`], such as a [`ViewFrustum`], or several
//!   ([`IntoVolumes`]); the result [`Overlap`].
//! - Debug drawing: the trait [`Outline`] of every shape, scene and result; [`CastOutline`] of rays, sweeps and explanations.
//! - Scenes: [`SceneBuilder`] builds a [`Scene`] of [`Object`]s, which can change at any time and which [`ObjectId`]s name;
//!   [`Scene2`] and [`Scene3`] are those in `f32`. A [`Transform`] places an object. [`FilteredScene`] leaves objects out.
//! - Scenes larger than a machine: [`Scene::split`] makes [`Shard`]s, and a [`ShardedScene`] has the answers of the whole.
//! - Shapes of your own: [`UserGeometry`], [`UserShape`].
//!
//! `use hitscan::prelude::*;` imports all of these, beside `use glam::*;` too.
//!
//! # Accuracy
//!
//! The library takes input numbers as exact. A floating-point filter in `f64` (for the triangles of a mesh in `f32`)
//! decides whether a ray hits and which hit is closest. Where rounding could change a decision or cost a digit of `t`,
//! wider arithmetic decides, in the end exact arithmetic. `t` is within 1 ulp, a normal within 2 ulp of 1. The
//! documentation of every shape states its method and source; `ACCURACY.md` has the bounds, and `docs/proofs.md` their
//! proofs.
//!
//! # Rules
//!
//! Shapes are closed: a ray that touches a shape hits it. `t` counts in lengths of the ray's direction. Invalid rays (a NaN, an
//! infinity, a zero direction) hit nothing. No input makes a cast panic.
//!
//! # Features
//!
//! - `std` (default): square roots of the standard library, and SIMD kernels that are selected at run time.
//! - `libm`: square roots of the crate `libm`, for targets without the standard library. The results are the same bits. One
//!   of `std` and `libm` is needed; the crate `alloc` always is.
//! - `rayon`: BVHs are built and batches are cast on all threads of the current rayon pool. The results are the same bits.
//! - `serde`: serialization of rays, queries, hits, spans, boxes, bases, transforms, shapes and meshes. Deserialization calls the
//!   constructors, so it fails for an invalid shape. JSON has no infinity: an unbounded [`Aabb`] or range of a ray needs another
//!   format.
//! - `mint`, `nalgebra` (0.35): rays and segments from the points and vectors of these crates: see [`IntoVector`]. `mint` and arrays
//!   connect other versions of nalgebra, and of glam, which is the version that [`glam`] is.
//! - `bytemuck`: [`Ray`] and [`Segment`] are `AnyBitPattern`, so that a slice of numbers or bytes casts to a slice of rays.

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!(
    "hitscan needs square roots: enable its feature `std` (a default), or `libm` where there is no standard library"
);

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod aabb;
mod adaptive;
mod arrays;
mod basis;
mod batch;
mod block_hits;
mod bvh;
mod closest_point;
mod columns;
mod compressed_rows;
mod convex;
mod distance;
mod explain;
mod hit;
mod hit_lists;
mod hit_rows;
mod into_vector;
mod kernel;
mod little_endian;
mod math;
mod mesh;
mod outline;
mod overlap;
mod parallel;
pub mod prelude;
mod queries;
mod query;
mod ray;
mod ray_block;
mod ray_columns;
mod scene;
mod sealed;
#[cfg(feature = "serde")]
mod serialize;
mod shapes;
mod simd;
mod solid;
mod spawn;
mod stable_sort;
mod sweep;
mod sweep_hit;
mod target;
mod transform;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// The examples of the page on scenes.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/scenes.md")]
mod scenes_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/distances.md")]
mod distances_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/sight.md")]
mod sight_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/sweeps.md")]
mod sweeps_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/overlap.md")]
mod overlap_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/instances.md")]
mod instances_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/games.md")]
mod games_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/scale.md")]
mod scale_page {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/solids.md")]
mod solids_page {}

pub use aabb::Aabb;
pub use arrays::{Arrays, IntoArrays};
pub use basis::{Basis, BasisError};
pub use bvh::options::{Accelerator, Quality, Statistics};
pub use closest_point::{ClosestPoint, Feature, NotMeasured};
pub use columns::{Columns, HitColumns};
pub use compressed_rows::CompressedRows;
pub use explain::{Explanation, Lane, Lanes, SpanPlaces, Step};
pub use glam;
pub use hit::{Hit, Hits, ObjectId, Side, Span, Spans, ThroughHits};
pub use hit_lists::{HitLists, SpanLists};
pub use into_vector::IntoVector;
#[doc(hidden)]
pub use math::limited_ray::LimitedRay;
pub use math::real::{Precision, Real};
pub use math::vector::{Vector, Vector2, Vector3};
pub use mesh::error::{LoadError, MeshError, RingProblem};
pub use mesh::inside_rule::{Containment, InsideRule, SignedDistance};
pub use mesh::repaired::RepairReport;
pub use mesh::topology::Topology;
pub use mesh::triangle_mesh::TriangleMesh;
#[doc(hidden)]
pub use mesh::weld::{Welded, weld_points};
pub use outline::cast_outline::CastOutline;
pub use outline::outline::Outline;
pub use outline::outline_options::OutlineOptions;
pub use outline::outline_segment::{OutlineColor, OutlineSegment};
pub use overlap::camera::{Camera, CameraError};
pub use overlap::into_volumes::IntoVolumes;
#[doc(hidden)]
pub use overlap::into_volumes::VolumeList;
pub use overlap::view_frustum::{ViewFrustum, ViewFrustumError};
pub use overlap::volume::{Overlap, Volume};
pub use queries::overlap_query::OverlapQuery;
pub use queries::point_query::PointQuery;
pub use queries::ray_cast::RayCast;
pub use queries::shape::Shape;
pub use queries::sweep_query::SweepQuery;
pub use queries::thickness::Thickness;
pub use query::{Approach, Coplanar, Faces, Inside, IntoQuery, Query, Triggers};
#[doc(hidden)]
pub use ray::RaySlice;
pub use ray::{Ranged, RangedRay, RangedSegment, Ray, RayLike, Segment};
pub use ray_columns::{ColumnsError, Points, RayColumns};
pub use scene::any::{AnyShape2, AnyShape3, Space};
pub use scene::builder::{Scene2, Scene3, SceneBuilder, SceneBuilder2, SceneBuilder3};
pub use scene::double::DoubleSpace;
pub use scene::error::SceneError;
pub use scene::filtered_scene::FilteredScene;
pub use scene::group::Group;
pub use scene::instance::Instance;
pub use scene::object::Object;
pub use scene::object_filter::{AllObjects, Both, ObjectFilter};
pub use scene::saved_error::{SaveError, SceneLoadError};
pub use scene::scene::Scene;
pub use scene::shard::all_merge::{AllMerge, merge_spans};
pub use scene::shard::closest_merge::ClosestMerge;
pub use scene::shard::error::{ShardError, ShardLoadError};
pub use scene::shard::numbers::PrimitiveId;
pub use scene::shard::shard::Shard;
pub use scene::shard::sharded_scene::ShardedScene;
pub use scene::solid_operands::SolidError;
pub use scene::track::{Track, TrackPart};
pub use scene::user_shape::{UserGeometry, UserHit, UserShape};
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
pub use shapes::quad::Quad;
pub use shapes::segment::SegmentShape;
pub use shapes::sphere::{Circle, Sphere};
pub use shapes::tapered_capsule::TaperedCapsule;
pub use shapes::triangle::Triangle;
pub use solid::near_surfaces::NearSurfaces;
pub use solid::solid::Solid;
pub use sweep_hit::SweepHit;
pub use transform::{Transform, TransformError};
