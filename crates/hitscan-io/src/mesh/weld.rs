//! Welding: vertices within a tolerance become one.

use super::MeshData;
use crate::dimension::Precision;
use hitscan::glam::DVec3;
use hitscan::{Accelerator, Welded, weld_points};
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// The counts of [`MeshData::weld`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WeldReport {
    /// Vertices that became one with an earlier vertex.
    pub merged_vertices: usize,
    /// Triangles that lost a corner and were removed.
    pub dropped_triangles: usize,
}

/// The reason why a mesh was not welded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WeldError {
    /// The tolerance is negative, infinite or NaN.
    Tolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// Every triangle would lose a corner.
    NoTriangles {
        /// The tolerance.
        tolerance: f64,
    },
}

/// A tolerance at which an open mesh becomes closed: see [`MeshData::closing_weld`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosingWeld {
    /// The tolerance, of one significant digit.
    pub tolerance: f64,
    /// The counts of welding with it.
    pub report: WeldReport,
}

impl Display for WeldError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tolerance { tolerance } => {
                write!(f, "the tolerance of welding is {tolerance:?} (it must be a finite number, 0 or more)")
            }
            Self::NoTriangles { tolerance } => {
                write!(f, "welding with tolerance {tolerance:?} leaves no triangle (use a smaller one)")
            }
        }
    }
}

impl Error for WeldError {}

impl MeshData {
    /// Merges vertices that are at most `tolerance` apart, and removes the triangles that lose a corner by it.
    ///
    /// Vertices are taken in their order. Each one becomes the nearest vertex kept so far, if that is within the
    /// tolerance (of equally near ones the first), or is kept itself, where it is. So no vertex moves by more than the
    /// tolerance, kept vertices are more than the tolerance apart, and a chain of close vertices does not collapse into
    /// one point. The result depends on the order of the vertices and on nothing else. A tolerance of 0 merges equal
    /// vertices, with -0 = +0. Linear time.
    ///
    /// Nothing welds a mesh by itself: STL files of CAD programs whose shared corners differ in the last digits stay open
    /// meshes until they are welded.
    ///
    /// ```
    /// use hitscan_io::{MeshData, Precision};
    /// let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1e-7, 0.0], [0.0, 0.0, 1.0]];
    /// let mut mesh = MeshData { vertices, triangles: vec![[0, 1, 2], [3, 0, 4]], precision: Precision::F64 };
    /// let report = mesh.weld(1e-6)?;
    /// assert_eq!(report.merged_vertices, 1);
    /// assert_eq!(mesh.triangles, [[0, 1, 2], [1, 0, 3]]);
    /// # Ok::<(), hitscan_io::WeldError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A tolerance that is negative, infinite or NaN; no triangle would be left. The mesh is then as it was.
    pub fn weld(&mut self, tolerance: f64) -> Result<WeldReport, WeldError> {
        if !(0.0..f64::INFINITY).contains(&tolerance) {
            return Err(WeldError::Tolerance { tolerance });
        }
        let Welded { kept, ids } = weld_points(self.vertices.iter().copied(), tolerance);
        let merged = self.triangles.iter().map(|triangle| triangle.map(|vertex| ids[vertex as usize]));
        let triangles: Vec<[u32; 3]> = merged.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        if triangles.is_empty() {
            return Err(WeldError::NoTriangles { tolerance });
        }
        let report = WeldReport {
            merged_vertices: self.vertices.len() - kept.len(),
            dropped_triangles: self.triangles.len() - triangles.len(),
        };
        let precision = Precision::of(kept.iter().flatten().copied());
        *self = Self { vertices: kept, triangles, precision };
        Ok(report)
    }

    /// The smallest of three tolerances at which welding closes the mesh: 4 units in the last place of its largest
    /// coordinate, a millionth and a hundred-thousandth of the diagonal of its box, each rounded to one digit. `None` when
    /// the mesh is closed already, or none of them closes it.
    #[must_use]
    pub fn closing_weld(&self) -> Option<ClosingWeld> {
        if self.is_closed() {
            return None;
        }
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for vertex in &self.vertices {
            low = [0, 1, 2].map(|axis| low[axis].min(vertex[axis]));
            high = [0, 1, 2].map(|axis| high[axis].max(vertex[axis]));
        }
        let diagonal = (DVec3::from(high) - DVec3::from(low)).length();
        let largest = low.iter().chain(&high).fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let unit = match self.precision {
            Precision::F32 => f64::from(f32::EPSILON),
            Precision::F64 => f64::EPSILON,
        };
        let mut tolerances = [4.0 * unit * largest, 1e-6 * diagonal, 1e-5 * diagonal].map(one_digit);
        tolerances.sort_by(f64::total_cmp);
        tolerances.into_iter().find_map(|tolerance| {
            let mut welded = self.clone();
            let report = welded.weld(tolerance).ok()?;
            welded.is_closed().then_some(ClosingWeld { tolerance, report })
        })
    }

    /// Whether every edge is shared by triangles of both directions.
    fn is_closed(&self) -> bool {
        // Without a BVH: only edges count here.
        self.to_mesh_with::<DVec3>(Accelerator::LinearScan).is_ok_and(|mesh| mesh.topology().is_closed())
    }
}

/// The nearest number of one significant digit.
fn one_digit(x: f64) -> f64 {
    format!("{x:.0e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron whose triangles have corners of their own, each shifted by up to `shift`.
    fn tetrahedron(shift: f64) -> MeshData {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let mut vertices = Vec::new();
        for (face, triangle) in faces.iter().enumerate() {
            let moved = [0.0, 1.0, -1.0, 0.5][face] * shift;
            vertices.extend(triangle.iter().map(|&corner: &usize| corners[corner].map(|x| x + moved)));
        }
        let triangles = (0..4).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
        MeshData { vertices, triangles, precision: Precision::F64 }
    }

    #[test]
    fn close_corners_become_one_and_the_mesh_closes() {
        let mut mesh = tetrahedron(1e-7);
        assert!(!mesh.is_closed());
        let report = mesh.weld(1e-6).unwrap();
        assert_eq!(report, WeldReport { merged_vertices: 8, dropped_triangles: 0 });
        assert_eq!((mesh.vertices.len(), mesh.is_closed()), (4, true));
        assert_eq!(mesh.vertices[0], [0.0; 3], "the first of several stays where it is");
    }

    #[test]
    fn a_smaller_tolerance_leaves_the_mesh_open() {
        let mut mesh = tetrahedron(1e-7);
        assert_eq!(mesh.weld(1e-9).unwrap(), WeldReport::default());
        assert_eq!((mesh.vertices.len(), mesh.is_closed()), (12, false));
    }

    #[test]
    fn the_hint_names_a_tolerance_that_closes_the_mesh() {
        let mesh = tetrahedron(1e-7);
        let hint = mesh.closing_weld().unwrap();
        assert_eq!((hint.tolerance, hint.report.merged_vertices), (2e-6, 8));
        let mut welded = mesh.clone();
        assert_eq!(welded.weld(hint.tolerance).unwrap(), hint.report);
        assert!(welded.is_closed());
        assert_eq!(welded.closing_weld(), None, "a closed mesh needs no hint");
        assert_eq!(tetrahedron(1e-3).closing_weld(), None, "no small tolerance closes it");
        let mut open = mesh;
        open.triangles.pop();
        assert_eq!(open.closing_weld(), None, "a hole is no matter of tolerance");
    }

    /// a--b   c: a and b are within the tolerance, b and c too, a and c are not.
    #[test]
    fn chains_do_not_collapse() {
        let vertices = vec![[0.0; 3], [0.8, 0.0, 0.0], [1.6, 0.0, 0.0], [0.0, 9.0, 0.0], [9.0, 0.0, 0.0]];
        let mut mesh =
            MeshData { vertices, triangles: vec![[0, 3, 4], [1, 3, 4], [2, 3, 4]], precision: Precision::F64 };
        mesh.weld(1.0).unwrap();
        assert_eq!(mesh.vertices, [[0.0; 3], [1.6, 0.0, 0.0], [0.0, 9.0, 0.0], [9.0, 0.0, 0.0]]);
        assert_eq!(mesh.triangles, [[0, 2, 3], [0, 2, 3], [1, 2, 3]]);
    }

    #[test]
    fn triangles_that_lose_a_corner_are_dropped() {
        let vertices = vec![[0.0; 3], [1e-9, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
        let mut mesh = MeshData { vertices, triangles: vec![[0, 1, 2], [0, 3, 2]], precision: Precision::F64 };
        assert_eq!(mesh.weld(1e-6).unwrap(), WeldReport { merged_vertices: 1, dropped_triangles: 1 });
        assert_eq!((mesh.triangles, mesh.precision), (vec![[0, 2, 1]], Precision::F32));
    }

    #[test]
    fn bad_tolerances_are_refused_and_leave_the_mesh() {
        let mut mesh = tetrahedron(0.0);
        for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(mesh.weld(tolerance), Err(WeldError::Tolerance { .. })));
        }
        let error = mesh.weld(1e300).unwrap_err();
        assert_eq!(error.to_string(), "welding with tolerance 1e300 leaves no triangle (use a smaller one)");
        assert_eq!(mesh, tetrahedron(0.0));
        assert_eq!(mesh.weld(0.0).unwrap().merged_vertices, 8, "0 merges what is equal");
    }
}
