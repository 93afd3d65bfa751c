//! Numbers of the whole scene for the objects and triangles of a shard.

use crate::hit::{Hit, ObjectId};
use crate::math::vector::Vector;
use crate::mesh::topology::ParitySurface;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A primitive of a scene: a triangle of an object that is a mesh, or another object as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrimitiveId {
    /// [`ObjectId::to_bits`] of the object.
    object: u64,
    triangle: Option<u32>,
}

impl PrimitiveId {
    /// The primitive of an object: a triangle of it, if the object is a mesh.
    #[must_use]
    pub fn new(object: ObjectId, triangle: Option<u32>) -> Self {
        Self { object: object.to_bits(), triangle }
    }
    /// The primitive of a hit; `None` if the hit has no object. For a group it is the whole group.
    #[must_use]
    pub fn of_hit<V: Vector>(hit: &Hit<V>) -> Option<Self> {
        let triangle = if hit.member.is_some() { None } else { hit.primitive };
        hit.object.map(|object| Self::new(object, triangle))
    }
    /// The object.
    #[must_use]
    pub fn object(&self) -> Option<ObjectId> {
        ObjectId::from_bits(self.object)
    }
    /// The number of the triangle, if the object is a mesh.
    #[must_use]
    pub fn triangle(&self) -> Option<u32> {
        self.triangle
    }
}

/// Some triangles of a mesh.
#[derive(Debug)]
pub(crate) struct TriangleNumbers {
    /// For each triangle its number in the whole mesh, ascending: so the first of two equal triangles stays the first.
    pub(crate) numbers: Vec<u32>,
    /// Topology of the whole mesh, where it is known, and of these triangles those that parity leaves out.
    pub(crate) surface: Option<ParitySurface>,
}

/// Number of an object in the whole scene, and those of its triangles.
#[derive(Clone, Debug)]
pub(crate) struct ObjectNumber {
    pub(crate) id: ObjectId,
    /// Order of insertion in the whole scene.
    pub(crate) order: u64,
    /// For a mesh of which the shard has some triangles only; shared by the objects of one mesh.
    pub(crate) triangles: Option<Arc<TriangleNumbers>>,
}

impl ObjectNumber {
    /// The number in the whole mesh of a triangle of the shard.
    pub(crate) fn triangle(&self, triangle: u32) -> u32 {
        let numbers = self.triangles.as_ref().and_then(|all| all.numbers.get(triangle as usize));
        numbers.copied().unwrap_or(triangle)
    }

    /// The number in the shard of a triangle of the whole mesh, which has `count` triangles here.
    pub(crate) fn local_triangle(&self, number: u32, count: usize) -> Option<u32> {
        match &self.triangles {
            Some(triangles) => triangles.numbers.binary_search(&number).ok().map(|local| local as u32),
            None => ((number as usize) < count).then_some(number),
        }
    }
}
