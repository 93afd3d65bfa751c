//! The convex hull of points in space as a triangle mesh.

use crate::math::real::Real;
use crate::math::vector::Vector3;
use crate::mesh::error::MeshError;
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::shapes::convex_hull::add_chain;
use crate::shapes::error::are_collinear;
use crate::shapes::orientation::{side_of_plane, turn};
use crate::stable_sort::stable_sort_by;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The mark of no face and of no vertex.
const NONE: u32 = u32::MAX;

impl<V: Vector3> TriangleMesh<V> {
    /// The convex hull of points in any order: the smallest convex body that contains all of them, as a closed mesh whose triangles
    /// face outward. Its vertices are the corners of the hull, by x, at equal x by y, then by z. Points inside, on an edge or on a
    /// face, or given twice are no vertices. The mesh does not depend on the order of the points.
    ///
    /// On which side of a plane a point lies is decided exactly. O(n log n) for points of which few are corners, and O(n^2) at most.
    ///
    /// ```
    /// use hitscan::{glam::DVec3, RayCast, Ray, TriangleMesh};
    /// let points = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 1, 1), (2, 2, 0)];
    /// let hull = TriangleMesh::convex_hull(points.map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into())))?;
    /// assert_eq!((hull.vertices().len(), hull.triangles().len()), (4, 4));
    /// assert!(hull.topology().is_closed());
    /// assert_eq!(hull.cast_ray(&Ray::new(DVec3::new(1.0, 1.0, 9.0), -DVec3::Z), ..).map(|hit| hit.t), Some(7.0));
    /// # Ok::<(), hitscan::MeshError>(())
    /// ```
    ///
    /// # Source
    /// The sweep of Preparata, Shamos, *Computational Geometry*, 1985, section 3.4.2: each point sees a face at the point before it.
    ///
    /// # Errors
    /// Fewer than four points; one that is not finite; all of them on one line or in one plane.
    #[doc(alias("hull", "quickhull"))]
    pub fn convex_hull(points: impl IntoIterator<Item = V>) -> Result<Self, MeshError> {
        let mut points: Vec<V> = points.into_iter().collect();
        if let Some(vertex) = points.iter().position(|point| !point.all_finite()) {
            return Err(MeshError::NotFinite { vertex });
        }
        if points.len() < 4 {
            return Err(MeshError::TooFewPoints { needed: 4, given: points.len() });
        }
        if u32::try_from(points.len()).is_err() {
            return Err(MeshError::TooMany);
        }
        // In lexicographic order, each point once. A negative zero becomes a positive one.
        for point in &mut points {
            *point = point.map(|x| x + V::Scalar::ZERO);
        }
        let order = |a: V::Scalar, b| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        stable_sort_by(&mut points, |a: &V, b| {
            let by = |i: usize| order(a.component(i), b.component(i));
            by(0).then(by(1)).then(by(2))
        });
        points.dedup();
        let (kept, triangles) = hull_of(&points.iter().map(|point| point.to_f64()).collect::<Vec<_>>())?;
        Self::new(kept.into_iter().map(|i| points[i as usize]).collect(), triangles)
    }
}

/// The corners of the hull of different points in lexicographic order, and its triangles as their numbers.
#[inline(never)]
fn hull_of(points: &[[f64; 3]]) -> Result<(Vec<u32>, Vec<[u32; 3]>), MeshError> {
    let mut hull = GrowingHull::first(points)?;
    for point in hull.count..points.len() as u32 {
        hull.add(point);
    }
    let mut triangles = hull.triangles();
    // The corners keep their order.
    let mut numbers = vec![NONE; points.len()];
    triangles.iter().flatten().for_each(|&corner| numbers[corner as usize] = 0);
    let kept: Vec<u32> = (0..points.len() as u32).filter(|&i| numbers[i as usize] == 0).collect();
    kept.iter().enumerate().for_each(|(number, &i)| numbers[i as usize] = number as u32);
    triangles.iter_mut().flatten().for_each(|corner| *corner = numbers[*corner as usize]);
    stable_sort_by(&mut triangles, Ord::cmp);
    Ok((kept, triangles))
}

/// A triangle of the hull, and the faces across its edges: the first edge is from the first corner to the second.
#[derive(Clone, Copy)]
struct HullFace {
    corners: [u32; 3],
    across: [u32; 3],
    /// The point that has last looked at the face, and whether it sees its outer side.
    seen_from: u32,
    is_visible: bool,
    is_alive: bool,
}

impl HullFace {
    fn new(corners: [u32; 3]) -> Self {
        Self { corners, across: [NONE; 3], seen_from: NONE, is_visible: false, is_alive: true }
    }
}

/// The hull of the points up to one of them.
struct GrowingHull<'a> {
    points: &'a [[f64; 3]],
    /// How many points it has.
    count: u32,
    faces: Vec<HullFace>,
    /// The faces at the last point.
    latest: Vec<u32>,
    /// By the corner where an edge of the horizon begins: the new face at it.
    at_corner: Vec<u32>,
}

impl<'a> GrowingHull<'a> {
    /// The hull up to the first point that is not in a plane with those before it: a pyramid.
    fn first(points: &'a [[f64; 3]]) -> Result<Self, MeshError> {
        let off_line = (2..points.len()).find(|&i| !are_collinear([points[0], points[1], points[i]]));
        let third = off_line.ok_or(MeshError::Collinear)?;
        let side = |i: usize| side_of_plane([points[0], points[1], points[third], points[i]]);
        let apex = (third..points.len()).find(|&i| side(i).is_ne()).ok_or(MeshError::Coplanar)?;
        let mut base = corners_in_plane(points, apex);
        let [a, b, c] = [base[0], base[1], base[2]].map(|i| points[i as usize]);
        if side_of_plane([a, b, c, points[apex]]).is_gt() {
            base.reverse();
        }
        // The base faces away from the apex, so its edges run backward along the sides.
        let (n, apex) = (base.len(), apex as u32);
        let mut faces: Vec<HullFace> = (1..n - 1).map(|i| HullFace::new([base[0], base[i], base[i + 1]])).collect();
        let first_side = faces.len() as u32;
        faces.extend((0..n).map(|i| HullFace::new([base[(i + 1) % n], base[i], apex])));
        let latest = (first_side..faces.len() as u32).collect();
        connect(&mut faces);
        Ok(Self { points, count: apex + 1, faces, latest, at_corner: vec![NONE; points.len()] })
    }

    /// Whether a point sees the outer side of a face.
    fn sees(&mut self, point: u32, face: u32) -> bool {
        let HullFace { corners: [a, b, c], seen_from, is_visible, .. } = self.faces[face as usize];
        if seen_from == point {
            return is_visible;
        }
        let is_visible = side_of_plane([a, b, c, point].map(|i| self.points[i as usize])).is_gt();
        let face = &mut self.faces[face as usize];
        (face.seen_from, face.is_visible) = (point, is_visible);
        is_visible
    }

    /// Adds the next point, which is outside: it is beyond all others in lexicographic order.
    ///
    /// # Method
    /// The segment from the point before it is outside of the hull, so the point sees a face there. The faces that it sees hang together;
    /// in place of them, triangles lead from their border to the point. A face in one plane with the point stays.
    fn add(&mut self, point: u32) {
        // All faces that the point sees, from one at the point before it.
        let mut stack: Vec<u32> = Vec::new();
        for face in core::mem::take(&mut self.latest) {
            if stack.is_empty() && self.faces[face as usize].is_alive && self.sees(point, face) {
                stack.push(face);
            }
        }
        let mut horizon: Vec<[u32; 3]> = Vec::new();
        stack.iter().for_each(|&face| self.faces[face as usize].is_alive = false);
        while let Some(face) = stack.pop() {
            let HullFace { corners, across, .. } = self.faces[face as usize];
            for edge in 0..3 {
                let next = across[edge];
                if !self.sees(point, next) {
                    horizon.push([corners[edge], corners[(edge + 1) % 3], next]);
                } else if self.faces[next as usize].is_alive {
                    self.faces[next as usize].is_alive = false;
                    stack.push(next);
                }
            }
        }
        // The new faces, each beside the one that stays across the horizon.
        for [from, to, beyond] in &horizon {
            let number = self.faces.len() as u32;
            let mut face = HullFace::new([*from, *to, point]);
            face.across[0] = *beyond;
            let beyond = &mut self.faces[*beyond as usize];
            let edge = beyond.corners.iter().position(|corner| corner == to).unwrap_or(0);
            beyond.across[edge] = number;
            self.faces.push(face);
            self.at_corner[*from as usize] = number;
            self.latest.push(number);
        }
        // And beside each other around the point.
        for number in self.latest.clone() {
            let next = self.at_corner[self.faces[number as usize].corners[1] as usize];
            self.faces[number as usize].across[1] = next;
            self.faces[next as usize].across[2] = number;
        }
        self.count = point + 1;
    }

    /// The triangles of the hull without corners that are no corners of it: each flat face is cut anew.
    fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        let mut is_done = vec![false; self.faces.len()];
        for first in 0..self.faces.len() {
            if !self.faces[first].is_alive || is_done[first] {
                continue;
            }
            // The faces in one plane, and the edges around them by the corners where they begin.
            let (mut stack, mut border) = (vec![first], Vec::new());
            is_done[first] = true;
            while let Some(face) = stack.pop() {
                let HullFace { corners, across, .. } = self.faces[face];
                for edge in 0..3 {
                    let next = across[edge] as usize;
                    if !self.are_coplanar(corners, self.faces[next].corners) {
                        border.push([corners[edge], corners[(edge + 1) % 3]]);
                    } else if !is_done[next] {
                        is_done[next] = true;
                        stack.push(next);
                    }
                }
            }
            let corners = self.corners_around(border);
            triangles.extend((1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
        }
        triangles
    }

    fn are_coplanar(&self, [a, b, c]: [u32; 3], other: [u32; 3]) -> bool {
        let at = |i: u32| self.points[i as usize];
        other
            .into_iter()
            .all(|corner| [a, b, c].contains(&corner) || side_of_plane([at(a), at(b), at(c), at(corner)]).is_eq())
    }

    /// The corners of a flat face in order, from the first one, by the edges around it.
    fn corners_around(&self, mut border: Vec<[u32; 2]>) -> Vec<u32> {
        stable_sort_by(&mut border, |a, b| a[0].cmp(&b[0]));
        let next = |from: u32| border.binary_search_by_key(&from, |edge| edge[0]).map_or(from, |at| border[at][1]);
        let mut around = vec![border[0][0]];
        for _ in 1..border.len() {
            around.push(next(around[around.len() - 1]));
        }
        let n = around.len();
        let at = |i: usize| self.points[around[i % n] as usize];
        let is_corner = |i: usize| !are_collinear([at(i + n - 1), at(i), at(i + 1)]);
        // The first point in lexicographic order is always a corner.
        (0..n).filter(|&i| is_corner(i)).map(|i| around[i]).collect()
    }
}

/// The corners of the hull of the points before `end`, which are in one plane and not on one line, in order around it.
fn corners_in_plane(points: &[[f64; 3]], end: usize) -> Vec<u32> {
    // The first axis along which the plane can be seen at all.
    let flat = |axis: usize, i: usize| [points[i][(axis + 1) % 3], points[i][(axis + 2) % 3]];
    let turns = |axis: usize, [a, b, c]: [u32; 3]| turn([a, b, c].map(|i| flat(axis, i as usize)));
    let is_seen = |axis: &usize| (2..end as u32).any(|i| turns(*axis, [0, 1, i]).is_ne());
    let axis = (0..3).find(is_seen).unwrap_or(0);
    // Both chains of Andrew's method: see `ConvexPolygon::hull`.
    let mut order: Vec<u32> = (0..end as u32).collect();
    let compare = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    stable_sort_by(&mut order, |a, b| {
        let (p, q) = (flat(axis, *a as usize), flat(axis, *b as usize));
        compare(p[0], q[0]).then(compare(p[1], q[1]))
    });
    let mut corners: Vec<u32> = Vec::new();
    let turns_left = |points| turns(axis, points).is_gt();
    add_chain(&mut corners, order.iter().copied(), turns_left);
    add_chain(&mut corners, order.iter().rev().copied(), turns_left);
    corners
}

/// Finds the faces across all edges of a closed surface.
fn connect(faces: &mut [HullFace]) {
    let mut edges: Vec<[u32; 4]> = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        for edge in 0..3 {
            let [a, b] = [face.corners[edge], face.corners[(edge + 1) % 3]];
            edges.push([a.min(b), a.max(b), number as u32, edge as u32]);
        }
    }
    stable_sort_by(&mut edges, Ord::cmp);
    for pair in edges.chunks_exact(2) {
        let [[.., f, at_f], [.., g, at_g]] = [pair[0], pair[1]];
        faces[f as usize].across[at_f as usize] = g;
        faces[g as usize].across[at_g as usize] = f;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::shape::Shape;
    use alloc::string::ToString;
    use glam::{DVec3, Vec3};
    use test_support::random::Rng;

    /// The hull contains all points, its triangles face outward and turn nowhere inward, and each of its vertices is needed.
    fn check(points: &[DVec3]) -> usize {
        let hull = TriangleMesh::convex_hull(points.iter().copied()).unwrap();
        assert!(hull.topology().is_closed(), "{points:?}");
        let at = |i: u32| hull.vertices()[i as usize].to_array();
        for &[a, b, c] in hull.triangles() {
            assert!(!are_collinear([at(a), at(b), at(c)]));
            let sides = points.iter().map(|p| side_of_plane([at(a), at(b), at(c), p.to_array()]));
            assert!(sides.max() == Some(Ordering::Equal), "{points:?}");
        }
        // Euler's formula for a closed surface without holes.
        assert_eq!(hull.vertices().len() + hull.triangles().len(), hull.triangles().len() * 3 / 2 + 2);
        for skipped in 0..hull.vertices().len() {
            let rest = hull.vertices().iter().enumerate().filter(|(i, _)| *i != skipped).map(|(_, v)| *v);
            let smaller = TriangleMesh::convex_hull(rest);
            assert!(smaller.is_err() || !smaller.unwrap().contains(hull.vertices()[skipped]), "{points:?}");
        }
        // In another order of the points the mesh is the same.
        let backward = TriangleMesh::convex_hull(points.iter().rev().copied()).unwrap();
        assert_eq!((hull.vertices(), hull.triangles()), (backward.vertices(), backward.triangles()));
        hull.vertices().len()
    }

    #[test]
    fn random_points_are_in_their_hull() {
        let mut rng = Rng::new(54);
        for round in 0..60 {
            let count = 4 + rng.below(60);
            let on_sphere = round % 3 == 0;
            let points: Vec<DVec3> = (0..count)
                .map(|_| {
                    let p = DVec3::from(rng.cube(3));
                    if on_sphere { p.normalize() } else { p }
                })
                .collect();
            let corners = check(&points);
            assert!(!on_sphere || corners == count, "all points of a sphere are corners");
        }
    }

    /// Whole numbers from 0 to 1, 2 or 3: most points are in a plane with many others, on a line with them, or given twice.
    #[test]
    fn points_of_a_lattice_are_in_their_hull() {
        let (mut rng, mut flat) = (Rng::new(55), 0);
        for round in 0..600 {
            let size = 1 + round % 3;
            let point = |rng: &mut Rng| DVec3::from([0; 3].map(|_| f64::from(rng.int(0, size))));
            let points: Vec<DVec3> = (0..4 + rng.below(24)).map(|_| point(&mut rng)).collect();
            match TriangleMesh::convex_hull(points.iter().copied()) {
                Ok(_) => _ = check(&points),
                Err(error) => {
                    assert!(matches!(error, MeshError::Coplanar | MeshError::Collinear), "{error}");
                    flat += 1;
                }
            }
        }
        assert!((10..300).contains(&flat), "{flat}");
        // All points of a grid: the corners of the cube.
        let grid: Vec<DVec3> =
            (0..125).map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25))).collect();
        assert_eq!(check(&grid), 8);
        let hull = TriangleMesh::convex_hull(grid).unwrap();
        assert_eq!(hull.triangles().len(), 12);
    }

    /// Points that roundings move off a plane by their last digit, at all sizes.
    #[test]
    fn points_near_a_plane_are_in_their_hull() {
        let mut rng = Rng::new(56);
        for round in 0..60 {
            let [u, v, w] = [0; 3].map(|_| DVec3::from(rng.cube(3)));
            let size = 2f64.powi([0, -500, 400][round % 3]);
            let points: Vec<DVec3> =
                (0..12).map(|_| (w + u * rng.between(-1.0, 1.0) + v * rng.between(-1.0, 1.0)) * size).collect();
            check(&points);
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |points: &[[f32; 3]]| {
            let hull = TriangleMesh::convex_hull(points.iter().map(|p| Vec3::from_array(*p)));
            hull.map(drop).unwrap_err().to_string()
        };
        let [o, x, y, xy] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(error(&[o, x, y]), "a hull needs at least 4 points, and 3 were given");
        assert_eq!(error(&[o, x, y, xy, [f32::NAN; 3]]), "vertex 4: a coordinate is not finite");
        assert_eq!(error(&[o, x, y, xy]), "all points lie in one plane");
        assert_eq!(error(&[o, x, [2.0, 0.0, 0.0], x, [-3.0, 0.0, 0.0]]), "all points lie on one line");
        assert_eq!(error(&[o; 7]), "all points lie on one line");
    }
}
