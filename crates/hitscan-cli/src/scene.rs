//! Scenes of either precision and dimension.

use crate::error::Result;
use crate::outline::Outline;
use crate::text::count;
use clap::ValueEnum;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Accelerator, AnyShape3, Capsule, Cuboid, Object, Scene, ShapeError, Statistics, Topology};
use hitscan::{Real, Vector};
pub(crate) use hitscan_io::fmt::{coordinates, kind, names};
use hitscan_io::{Dimension, Precision, SceneFile, SceneVector, TableVector};

/// Vector type of the program: rods, mesh facts and outlines beyond the library's queries.
pub(crate) trait SceneSpace: SceneVector + TableVector {
    /// A rod with round ends, which shows a ray in a picture.
    fn rod(a: Self, b: Self, radius: Self::Scalar) -> Result<Self::Shape, ShapeError>;
    /// A box, which shows a volume in a picture.
    fn block(center: Self, half_extents: Self) -> Result<Self::Shape, ShapeError>;
    /// The facts of a mesh; `None` for other shapes.
    fn mesh_facts(shape: &Self::Shape) -> Option<MeshFacts>;
    /// The address and the bytes of a mesh: of its vertices, triangles and tree. `None` for other shapes.
    fn mesh_memory(shape: &Self::Shape) -> Option<(usize, usize)>;
    /// The outlines of an object of the plane: one, or those of a group.
    fn outlines(_object: &Object<Self>) -> Vec<Outline> {
        Vec::new()
    }
}

/// The size of a mesh, and whether it is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshFacts {
    pub(crate) vertices: usize,
    pub(crate) triangles: usize,
    pub(crate) topology: Topology,
    pub(crate) tree: Statistics,
    /// The bytes of vertices, triangles and tree.
    pub(crate) bytes: usize,
}

impl MeshFacts {
    /// The faults of the topology, with their numbers.
    pub(crate) fn faults(&self) -> Vec<String> {
        let Topology { boundary_edges, non_manifold_edges, unbalanced_edges, odd_edges, .. } = self.topology;
        let Topology { degenerate_triangles, repeated_triangles, .. } = self.topology;
        let faults = [
            (boundary_edges, "boundary edge"),
            (non_manifold_edges, "non-manifold edge"),
            (unbalanced_edges, "unbalanced edge"),
            (odd_edges, "odd edge"),
            (repeated_triangles, "repeated triangle"),
            (degenerate_triangles, "degenerate triangle"),
        ];
        faults.into_iter().filter(|(n, _)| *n > 0).map(|(n, fault)| count(n, fault)).collect()
    }
}

macro_rules! space {
    ($vector:ty) => {
        impl SceneSpace for $vector {
            fn rod(a: Self, b: Self, radius: Self::Scalar) -> Result<Self::Shape, ShapeError> {
                Ok(Capsule::new(a, b, radius)?.into())
            }
            fn block(center: Self, half_extents: Self) -> Result<Self::Shape, ShapeError> {
                Ok(Cuboid::new(center, half_extents)?.into())
            }
            fn mesh_facts(shape: &Self::Shape) -> Option<MeshFacts> {
                let AnyShape3::Mesh(mesh) = shape else { return None };
                Some(MeshFacts {
                    vertices: mesh.vertices().len(),
                    triangles: mesh.triangles().len(),
                    topology: *mesh.topology(),
                    tree: mesh.statistics(),
                    bytes: Self::mesh_memory(shape)?.1,
                })
            }
            fn mesh_memory(shape: &Self::Shape) -> Option<(usize, usize)> {
                let AnyShape3::Mesh(mesh) = shape else { return None };
                let bytes = size_of_val(mesh.vertices()) + size_of_val(mesh.triangles()) + mesh.statistics().bytes;
                Some((std::ptr::from_ref(&**mesh).addr(), bytes))
            }
        }
    };
}
space!(Vec3);
space!(DVec3);

macro_rules! plane {
    ($vector:ty) => {
        impl SceneSpace for $vector {
            fn rod(a: Self, b: Self, radius: Self::Scalar) -> Result<Self::Shape, ShapeError> {
                Ok(Capsule::new(a, b, radius)?.into())
            }
            fn block(center: Self, half_extents: Self) -> Result<Self::Shape, ShapeError> {
                Ok(Cuboid::new(center, half_extents)?.into())
            }
            fn mesh_facts(_shape: &Self::Shape) -> Option<MeshFacts> {
                None
            }
            fn mesh_memory(_shape: &Self::Shape) -> Option<(usize, usize)> {
                None
            }
            fn outlines(object: &Object<Self>) -> Vec<Outline> {
                let outlines = match object.shape().as_group() {
                    Some(group) => group.objects().flat_map(|(_, member)| Self::outlines(member)).collect(),
                    None => Vec::from_iter(Outline::of(object.shape())),
                };
                match object.transform() {
                    Some(transform) => outlines.into_iter().map(|outline| outline.under(transform)).collect(),
                    None => outlines,
                }
            }
        }
    };
}
plane!(Vec2);
plane!(DVec2);

/// A computation on a scene of any vector type: a closure that is generic over it.
pub(crate) trait WithScene {
    type Output;
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<Self::Output>;
}

/// Builds the scene and calls the visitor with it.
pub(crate) fn with_scene<W: WithScene>(
    file: &SceneFile,
    precision: Precision,
    accelerator: Accelerator,
    visitor: W,
) -> Result<W::Output> {
    match (file.dimension(), precision) {
        (Dimension::Two, Precision::F32) => visitor.with(&file.build_with::<Vec2>(accelerator)?),
        (Dimension::Two, Precision::F64) => visitor.with(&file.build_with::<DVec2>(accelerator)?),
        (Dimension::Three, Precision::F32) => visitor.with(&file.build_with::<Vec3>(accelerator)?),
        (Dimension::Three, Precision::F64) => visitor.with(&file.build_with::<DVec3>(accelerator)?),
    }
}

/// `--accel`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum AcceleratorArgument {
    /// a tree of boxes
    #[default]
    Bvh,
    /// every shape and triangle is tested: slow, the same answers
    Brute,
}

impl From<AcceleratorArgument> for Accelerator {
    fn from(argument: AcceleratorArgument) -> Self {
        match argument {
            AcceleratorArgument::Bvh => Self::Bvh,
            AcceleratorArgument::Brute => Self::LinearScan,
        }
    }
}

/// A vector of the nearest coordinates.
pub(crate) fn vector<V: Vector>(xyz: [f64; 3]) -> V {
    V::from_xyz(xyz.map(V::Scalar::from_f64))
}

/// A row of columns of coordinates as a vector.
pub(crate) fn vector_at<V: Vector>(columns: &[Vec<f64>; 3], row: usize) -> V {
    vector(columns.each_ref().map(|column| column.get(row).copied().unwrap_or(0.0)))
}
