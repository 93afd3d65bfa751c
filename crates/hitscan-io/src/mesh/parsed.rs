//! The result of the parsers, and what several of them check.

use super::MeshData;
use crate::dimension::Precision;
use crate::error::{Fault, Place, Result, quoted};

/// The bytes of a file that a mesh is spread over, by the name that the mesh has for it.
pub(super) type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, Fault> + 'a;

/// The vertices and triangles read so far: finite vertices, indices in range.
#[derive(Debug, Default)]
pub(super) struct ParsedMesh {
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Notes about values that were ignored, each in one line.
    pub(super) notes: Vec<String>,
}

impl ParsedMesh {
    /// Adds a polygon as a fan around its first corner.
    pub(super) fn push_fan(&mut self, corners: &[u32]) {
        if let [first, rest @ ..] = corners {
            self.triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
        }
    }

    /// The mesh and its notes, if there are triangles.
    pub(super) fn finish(self) -> Result<(MeshData, Vec<String>), Fault> {
        let Self { vertices, triangles, notes } = self;
        if triangles.is_empty() {
            return Err(Fault::file("mesh has no triangles"));
        }
        debug_assert!(triangles.iter().flatten().all(|&index| (index as usize) < vertices.len()));
        let precision = Precision::of(vertices.iter().flatten().copied());
        Ok((MeshData { vertices, triangles, precision }, notes))
    }
}

/// The coordinates, if finite.
pub(super) fn finite(point: [f64; 3], place: impl FnOnce() -> Place) -> Result<[f64; 3], Fault> {
    match point.iter().position(|value| !value.is_finite()) {
        None => Ok(point),
        Some(axis) => {
            let (name, value) = (["x", "y", "z"][axis], point[axis]);
            Err(Fault::new(place(), format!("{name} is {value}, not a finite number")))
        }
    }
}

pub(super) fn out_of_range(place: Place, index: i64, vertices: u64) -> Fault {
    Fault::new(place, format!("vertex index {index} out of range ({vertices} vertices)"))
}

pub(super) fn too_few_corners(place: Place, corners: usize) -> Fault {
    Fault::new(place, format!("{corners} corners (a face needs 3 or more)"))
}

/// The error of a vertex with fewer than three coordinates.
pub(super) fn too_few_coordinates(place: Place, coordinates: usize) -> Fault {
    Fault::new(place, format!("{coordinates} coordinates (a vertex needs 3)"))
}

/// A decimal number of a text file.
pub(super) fn decimal(token: &[u8], place: impl FnOnce() -> Place) -> Result<f64, Fault> {
    let number = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Fault::new(place(), format!("{} is not a number", quoted(token))))
}
