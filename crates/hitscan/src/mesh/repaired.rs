//! Repair of a mesh: welding, one triangle of each kind, closed parts that face outward.

use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3};
use crate::mesh::crossing_lists::CrossingSearch;
use crate::mesh::error::MeshError;
use crate::mesh::parity_forest::ParityForest;
use crate::mesh::repeated_triangles::Reading;
use crate::mesh::topology::is_degenerate;
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::mesh::weld::{Welded, weld_points};
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::ray::{Ray, RayLike};
use crate::stable_sort::{sorted_rows, stable_sort_by, stable_sort_by_key};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The counts of [`TriangleMesh::repaired`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairReport {
    /// Vertices that became one with an earlier vertex.
    pub merged_vertices: usize,
    /// Triangles that were dropped, for two of their corners are one vertex.
    pub degenerate_triangles: usize,
    /// Triangles that were dropped, for others have the same corners.
    pub repeated_triangles: usize,
    /// Triangles that were turned, so that they face the other way.
    pub turned_triangles: usize,
    /// Closed parts, whose triangles face outward.
    pub closed_parts: usize,
    /// Parts with a hole, whose triangles were not turned.
    pub open_parts: usize,
    /// Closed parts of which no outer side was found, such as a Klein bottle and a part of no volume. Their triangles were
    /// not turned.
    pub undecided_parts: usize,
}

impl<V: Vector3> TriangleMesh<V> {
    /// A tidy copy of the mesh, and the counts of what was done: vertices at most `tolerance` apart become one, degenerate and
    /// repeated triangles are dropped, and each closed part faces outward.
    ///
    /// Insides by parity need no orientation, but the [winding number](Self::winding_number), sides and normals of hits, and
    /// [`Faces`](crate::Faces) do.
    ///
    /// - **Welding** takes the vertices in their order: each one becomes the nearest vertex kept so far, if that is within the
    ///   tolerance, or is kept. So no vertex moves by more than the tolerance. A tolerance of 0 merges equal vertices.
    /// - **Degenerate** triangles have two corners in one vertex. A triangle with three corners on a line stays: it may close a
    ///   seam.
    /// - **Repeated** triangles have the same three corners. One of them stays, or, of a wall that two solids share, none: see
    ///   [`Topology::odd_edges`](crate::Topology::odd_edges).
    /// - **Outward**: parts hang together by edges. The triangles of a closed part face away from its inside; those of a part
    ///   that lies as a cavity within another one face into the cavity. Open parts stay as they are.
    ///
    /// Holes are not filled. O(n log n) for a mesh whose parts do not lie within each other's boxes.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let untidy = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3], [2, 0, 3]])?;
    /// let (mesh, report) = untidy.repaired(0.0)?;
    /// assert_eq!(mesh.triangles(), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    /// assert_eq!((report.repeated_triangles, report.turned_triangles, report.closed_parts), (1, 1, 1));
    /// # Ok::<(), hitscan::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// A tolerance that is negative, infinite or NaN; no triangle would be left.
    #[doc(alias("fix_normals", "weld", "merge_vertices"))]
    pub fn repaired(&self, tolerance: V::Scalar) -> Result<(Self, RepairReport), MeshError> {
        let tolerance = tolerance.to_f64();
        if !(0.0..f64::INFINITY).contains(&tolerance) {
            return Err(MeshError::Tolerance);
        }
        // Kept vertices stay where they are, so they are numbers of this precision.
        let Welded { kept, ids } = weld_points(self.vertices.iter().map(|vertex| vertex.to_f64()), tolerance);
        let vertices: Vec<V> = kept.into_iter().map(|xyz| V::from_xyz(xyz.map(V::Scalar::from_f64))).collect();
        let welded = self.triangles.iter().map(|triangle| triangle.map(|vertex| ids[vertex as usize]));
        let whole: Vec<[u32; 3]> = welded.filter(|corners| !is_degenerate(*corners)).collect();
        if whole.is_empty() {
            return Err(MeshError::NothingLeft);
        }
        let surface = Reading::of(whole.iter().copied().zip(0..)).surface();
        let mut report = RepairReport {
            merged_vertices: self.vertices.len() - vertices.len(),
            degenerate_triangles: self.triangles.len() - whole.len(),
            repeated_triangles: whole.len() - surface.len(),
            ..RepairReport::default()
        };
        // The mesh has its tree before its orientation, which rays decide.
        let mut mesh = Self::new(vertices, surface.into_iter().map(|triangle| whole[triangle as usize]).collect())?;
        let turns = Parts::of(&mesh).turns(&mut report);
        report.turned_triangles = turns.len();
        mesh.turn(&turns);
        Ok((mesh, report))
    }
}

/// The parts of a mesh, which hang together by edges, and their sheets, which hang together by edges of two triangles: in a sheet
/// one triangle decides how all others face.
struct Parts<'a, V: Vector> {
    mesh: &'a TriangleMesh<V>,
    /// The part of each triangle: the number of one of its triangles.
    part: Vec<u32>,
    /// The sheet of each triangle, and whether it faces to the other side than the triangle of that number.
    sheet: Vec<(u32, bool)>,
    /// For each part what is known of its edges.
    edges: Vec<PartEdges>,
}

/// What is known of the edges of a part.
#[derive(Clone, Copy, Default)]
struct PartEdges {
    /// Whether an edge has an odd number of triangles.
    is_open: bool,
    /// Whether the triangles of a sheet cannot all face to one side.
    is_one_sided: bool,
}

/// The most triangles of a sheet that are tried, the largest first. Nearly always the first one decides.
const MAX_TRIED: usize = 64;

impl<'a, V: Vector3> Parts<'a, V> {
    /// The parts of a mesh without repeated and degenerate triangles.
    fn of(mesh: &'a TriangleMesh<V>) -> Self {
        let count = mesh.triangles.len();
        // An edge is smaller vertex, larger vertex, triangle and direction.
        let of_triangle = |([a, b, c], triangle): ([u32; 3], u32)| {
            [(a, b), (b, c), (c, a)].map(|(p, q)| [p.min(q), p.max(q), triangle, u32::from(p < q)])
        };
        let edges = sorted_rows(mesh.triangles.iter().copied().zip(0..).flat_map(of_triangle));
        // Neighbours face to the same side if they traverse their edge in different directions.
        let (mut parts, mut sheets) = (ParityForest::new(count), ParityForest::new(count));
        for same in edges.chunk_by(|a, b| a[..2] == b[..2]) {
            for &[_, _, triangle, _] in same {
                parts.join(same[0][2], triangle, false);
            }
            if let &[[_, _, one, forward], [_, _, other, other_forward]] = same {
                sheets.join(one, other, forward == other_forward);
            }
        }
        let part: Vec<u32> = (0..count as u32).map(|triangle| parts.root(triangle).0).collect();
        let sheet: Vec<(u32, bool)> = (0..count as u32).map(|triangle| sheets.root(triangle)).collect();
        // An odd edge opens its part; two neighbours that do not fit leave their sheet without a side.
        let mut known = vec![PartEdges::default(); count];
        for same in edges.chunk_by(|a, b| a[..2] == b[..2]) {
            let known = &mut known[part[same[0][2] as usize] as usize];
            known.is_open |= same.len() % 2 == 1;
            if let &[[_, _, one, forward], [_, _, other, other_forward]] = same {
                let differ = sheet[one as usize].1 != sheet[other as usize].1;
                known.is_one_sided |= differ != (forward == other_forward);
            }
        }
        Self { mesh, part, sheet, edges: known }
    }

    /// The triangles to turn, so that each closed part faces outward; the report gets the counts of parts.
    fn turns(&self, report: &mut RepairReport) -> Vec<u32> {
        let mut turns = Vec::new();
        let mut order: Vec<u32> = (0..self.part.len() as u32).collect();
        let key = |&triangle: &u32| (self.part[triangle as usize], self.sheet[triangle as usize].0);
        stable_sort_by_key(&mut order, key);
        for part in order.chunk_by(|a, b| key(a).0 == key(b).0) {
            let edges = self.edges[key(&part[0]).0 as usize];
            if edges.is_open {
                report.open_parts += 1;
                continue;
            }
            // Each sheet faces outward by one of its triangles; all together inward, if the part is a cavity.
            let sheets = || part.chunk_by(|a, b| key(a).1 == key(b).1);
            let outward: Option<Vec<bool>> = sheets().map(|sheet| self.faces_outward(sheet)).collect();
            let Some(outward) = outward.filter(|_| !edges.is_one_sided) else {
                report.undecided_parts += 1;
                continue;
            };
            report.closed_parts += 1;
            let is_cavity = part.len() < self.part.len() && self.is_cavity(part);
            for (sheet, outward) in sheets().zip(outward) {
                let is_turned = |triangle: &&u32| self.sheet[**triangle as usize].1 != (outward == is_cavity);
                turns.extend(sheet.iter().filter(is_turned).copied());
            }
        }
        turns
    }

    /// Whether the triangle that stands for a sheet faces out of the part of the sheet; `None` if no triangle shows it.
    ///
    /// A line through a triangle crosses the part as often before the triangle as there are changes of the side: after an even
    /// number it comes from outside.
    fn faces_outward(&self, sheet: &[u32]) -> Option<bool> {
        let part = self.part[sheet[0] as usize];
        let mut by_area: Vec<(f64, u32)> = sheet.iter().map(|&triangle| (self.area(triangle), triangle)).collect();
        stable_sort_by(&mut by_area, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        by_area.iter().take(MAX_TRIED).find_map(|&(_, triangle)| {
            // The line goes through the centroid, nearly along the normal.
            let [a, b, c] = self.corners(triangle);
            let mean = |a: f64, b: f64, c: f64| V::Scalar::from_f64(a / 3.0 + b / 3.0 + c / 3.0);
            let centroid = [mean(a.x, b.x, c.x), mean(a.y, b.y, c.y), mean(a.z, b.z, c.z)];
            let mut direction = [V::Scalar::ZERO; 3];
            direction[steepest_axis(self.extent_and_normal(triangle).1)] = V::Scalar::ONE;
            let line = Ray::new(V::from_xyz(centroid), V::from_xyz(direction)).line().unlimited();
            let line = InstanceRay::new(&line);
            let everywhere = Query::new().range(-V::Scalar::INFINITY, V::Scalar::INFINITY);
            let mut crossings = self.mesh.crossings(&line, &everywhere);
            crossings.retain(|at| self.part[at.triangle as usize] == part);
            // At the same `t`, sheets are crossed one after the other: so both sides of a wall face apart. A sheet that lies on
            // itself decides nothing.
            let place = crossings.iter().position(|at| at.triangle == triangle)?;
            let (at, own) = (crossings[place], self.sheet[triangle as usize].0);
            let mut before = 0;
            for other in crossings.iter().filter(|other| other.triangle != triangle) {
                let order = self.mesh.triangle_set().order(&line, other, &at);
                match order.then(self.sheet[other.triangle as usize].0.cmp(&own)) {
                    Ordering::Less => before += 1,
                    Ordering::Equal => return None,
                    Ordering::Greater => {}
                }
            }
            let search = CrossingSearch::new(&line, &everywhere);
            let outward = (before % 2 == 0) != self.mesh.triangle_set().comes_out(&search, triangle);
            Some(outward != self.sheet[triangle as usize].1)
        })
    }

    /// Whether a closed part is a cavity: its vertices are inside of an odd number of other closed parts, or on their surface.
    fn is_cavity(&self, part: &[u32]) -> bool {
        let mut vertices: Vec<u32> = part.iter().flat_map(|&triangle| self.mesh.triangles[triangle as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let own = self.part[part[0] as usize];
        let crossings_of_others = |point: V, axis: usize, query: &Query<V::Scalar>| {
            let mut direction = [V::Scalar::ZERO; 3];
            direction[axis] = V::Scalar::ONE;
            let line = Ray::new(point, V::from_xyz(direction)).line();
            let others = |part: u32| part != own && !self.edges[part as usize].is_open;
            let found = self.mesh.crossings(&InstanceRay::new(&line), query);
            found.iter().filter(|at| others(self.part[at.triangle as usize])).count()
        };
        let here = Query::new().range(V::Scalar::ZERO, V::Scalar::ZERO).with_shared_edges();
        let mut is_inside_once = false;
        for vertex in vertices {
            let point = self.mesh.vertices[vertex as usize];
            if (0..3).any(|axis| crossings_of_others(point, axis, &here) > 0) {
                continue;
            }
            if crossings_of_others(point, 0, &Query::new()) % 2 == 0 {
                return false;
            }
            is_inside_once = true;
        }
        is_inside_once
    }

    fn corners(&self, triangle: u32) -> [Vec3<f64>; 3] {
        self.mesh.triangle_set().corners_of(triangle)
    }

    /// The longest of half the edges of a triangle along an axis, and a normal of the triangle in that unit. It chooses only where
    /// to look.
    fn extent_and_normal(&self, triangle: u32) -> (f64, Vec3<f64>) {
        // Halves do not overflow, and a scale near 1 keeps products in the range of numbers.
        let [a, b, c] = self.corners(triangle).map(|corner| corner * 0.5);
        let (e, f) = (b - a, c - a);
        let extent = e.max_abs_f64().max(f.max_abs_f64());
        let [e, f] = [e, f].map(|edge| edge.map(|x| x / extent));
        (extent, e.cross(f))
    }

    /// The size of a triangle, for comparison: the longest of its edges along an axis, times the share of its normal.
    fn area(&self, triangle: u32) -> f64 {
        let (extent, normal) = self.extent_and_normal(triangle);
        extent * normal.max_abs_f64()
    }
}

/// The axis along which a vector is longest.
fn steepest_axis(vector: Vec3<f64>) -> usize {
    let lengths = [vector.x, vector.y, vector.z].map(f64::abs);
    (1..3).fold(0, |best, axis| if lengths[axis] > lengths[best] { axis } else { best })
}
