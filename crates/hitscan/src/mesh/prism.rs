//! Prisms: polygons with holes, extruded along z, as triangle meshes.

use crate::math::real::Real;
use crate::math::vector::Vector3;
use crate::mesh::ear_clipping::triangulate;
use crate::mesh::error::MeshError;
use crate::mesh::polygon_rings::PolygonRings;
use crate::mesh::triangle_mesh::TriangleMesh;
use alloc::vec::Vec;

impl<V: Vector3> TriangleMesh<V> {
    /// The prism over a simple polygon with holes, from the height `z[0]` to the height `z[1]`, as a closed mesh whose triangles face
    /// outward. Each ring lists its corners once around, in either direction; corners between two edges along one line are allowed.
    /// The vertices are those of the outline and of the holes in their order, at the lower height, then the same at the upper one.
    ///
    /// Whether rings cross or touch, and which triangles fill the polygon, is decided exactly. O(n^2) for most polygons of n
    /// corners, and O(n^3) at most.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, RayCast, Ray, TriangleMesh};
    /// let square = |from: f32, to: f32| vec![[from, from], [to, from], [to, to], [from, to]];
    /// let frame = TriangleMesh::<Vec3>::prism(&square(0.0, 4.0), &[square(1.0, 3.0)], [0.0, 2.0])?;
    /// assert!(frame.topology().is_closed());
    /// let spans = frame.spans(&Ray::new(Vec3::new(-1.0, 2.0, 1.0), Vec3::X), ..);
    /// assert_eq!(spans.iter().map(|span| span.enter.unwrap().t).collect::<Vec<_>>(), [1.0, 4.0]);
    /// # Ok::<(), hitscan::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// A ring with fewer than three corners, with a number that is not finite, that crosses or touches itself or another ring; a hole
    /// outside of the outline or within another hole. The error names the ring and the corner. Heights that are not finite, or of
    /// which the first is not less.
    #[doc(alias("extrude", "extrusion", "polygon with holes"))]
    pub fn prism(
        outline: &[[V::Scalar; 2]],
        holes: &[Vec<[V::Scalar; 2]>],
        z: [V::Scalar; 2],
    ) -> Result<Self, MeshError> {
        let [low, high] = z;
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(MeshError::Heights);
        }
        let rings = core::iter::once(outline).chain(holes.iter().map(Vec::as_slice));
        let corners: Vec<[V::Scalar; 2]> = rings.clone().flatten().copied().collect();
        let points = corners.iter().map(|corner| corner.map(Real::to_f64)).collect();
        let triangles = triangles_of(&PolygonRings::new(points, rings.map(<[_]>::len))?);
        let at = |z: V::Scalar| corners.iter().map(move |&[x, y]| V::from_xyz([x, y, z]));
        Self::new(at(low).chain(at(high)).collect(), triangles)
    }
}

/// The triangles of both caps and of the walls; corners at the upper height follow those at the lower one.
#[inline(never)]
fn triangles_of(polygon: &PolygonRings) -> Vec<[u32; 3]> {
    let upper = polygon.points.len() as u32;
    let cap = triangulate(polygon);
    // The lower cap faces down.
    let mut triangles: Vec<[u32; 3]> = cap.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(cap.iter().map(|corners| corners.map(|corner| corner + upper)));
    // The polygon is to the left of all edges.
    for ring in &polygon.rings {
        for (i, &a) in ring.iter().enumerate() {
            let b = ring[(i + 1) % ring.len()];
            triangles.extend([[a, b, b + upper], [a, b + upper, a + upper]]);
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::error::RingProblem;
    use crate::queries::shape::Shape;
    use crate::shapes::orientation::turn;
    use alloc::string::ToString;
    use alloc::vec;
    use glam::{DVec2, DVec3};
    use test_support::random::Rng;

    type Ring = Vec<[f64; 2]>;

    fn area(ring: &[[f64; 2]]) -> f64 {
        let next = |i: usize| ring[(i + 1) % ring.len()];
        (0..ring.len()).map(|i| ring[i][0] * next(i)[1] - ring[i][1] * next(i)[0]).sum::<f64>() / 2.0
    }

    /// Whether an odd number of edges is to the right of a point.
    fn is_within(point: DVec2, rings: &[Ring]) -> bool {
        let crosses = |[a, b]: [[f64; 2]; 2]| {
            let [low, high] = if a[1] > b[1] { [b, a] } else { [a, b] };
            (a[1] > point.y) != (b[1] > point.y) && turn([low, high, point.to_array()]).is_gt()
        };
        let edges = rings.iter().flat_map(|ring| (0..ring.len()).map(|i| [ring[i], ring[(i + 1) % ring.len()]]));
        edges.filter(|edge| crosses(*edge)).count() % 2 == 1
    }

    /// The mesh is closed and faces outward, its volume is that of the polygon, and it contains what the polygon contains.
    fn check(rng: &mut Rng, outline: &Ring, holes: &[Ring]) {
        let mesh = TriangleMesh::<DVec3>::prism(outline, holes, [-1.0, 2.0]).unwrap();
        assert!(mesh.topology().is_closed(), "{outline:?} {holes:?}");
        let rings: Vec<Ring> = core::iter::once(outline).chain(holes).cloned().collect();
        let corners: usize = rings.iter().map(Vec::len).sum();
        assert_eq!(mesh.triangles().len(), 2 * (corners + 2 * holes.len() - 2) + 2 * corners);
        let at = |i: u32| mesh.vertices()[i as usize];
        let volume: f64 = mesh.triangles().iter().map(|&[a, b, c]| at(a).cross(at(b)).dot(at(c))).sum::<f64>() / 6.0;
        let expected = 3.0 * (area(outline).abs() - holes.iter().map(|hole| area(hole).abs()).sum::<f64>());
        assert!(
            (volume - expected).abs() < 1e-12 * expected.abs().max(1.0),
            "{volume} {expected} {outline:?} {holes:?}"
        );
        // No triangle of a cap is without an area, or faces the other way.
        for &[a, b, c] in mesh.triangles() {
            let [p, q, r] = [a, b, c].map(at);
            if p.z == q.z && q.z == r.z {
                let side = turn([p, q, r].map(|v| [v.x, v.y]));
                assert_eq!(side.is_gt(), p.z > 0.0, "{outline:?} {holes:?}");
                assert!(side.is_ne());
            }
        }
        let bounds = mesh.bounds;
        for _ in 0..40 {
            let share = |low: f64, high: f64, rng: &mut Rng| low + (high - low) * rng.between(-0.1, 1.1);
            let p = DVec2::new(share(bounds.min.x, bounds.max.x, rng), share(bounds.min.y, bounds.max.y, rng));
            assert_eq!(mesh.contains(p.extend(0.5)), is_within(p, &rings), "{p} {outline:?} {holes:?}");
        }
    }

    /// A star around a point, with corners at random distances.
    fn star(rng: &mut Rng, center: [f64; 2], radius: f64) -> Ring {
        let (count, turn) = (3 + rng.below(12), rng.unit());
        let mut ring: Ring = (0..count)
            .map(|i| {
                let (sine, cosine) = ((i as f64 + turn) / count as f64 * core::f64::consts::TAU).sin_cos();
                let r = radius * rng.between(0.3, 1.0);
                [center[0] + r * cosine, center[1] + r * sine]
            })
            .collect();
        if rng.below(2) == 0 {
            ring.reverse();
        }
        ring
    }

    #[test]
    fn random_polygons_with_holes() {
        let mut rng = Rng::new(57);
        for _ in 0..200 {
            let outline: Ring = star(&mut rng, [0.0; 2], 3.0).iter().map(|p| p.map(|x| x * 10.0)).collect();
            // The stars of a grid that lie within the outline.
            let mut holes: Vec<Ring> = Vec::new();
            for i in 0..81 {
                let hole = star(&mut rng, [f64::from(i % 9) * 3.0 - 12.0, f64::from(i / 9) * 3.0 - 12.0], 1.2);
                if TriangleMesh::<DVec3>::prism(&outline, core::slice::from_ref(&hole), [0.0, 1.0]).is_ok() {
                    holes.push(hole);
                }
            }
            check(&mut rng, &outline, &holes);
        }
    }

    /// Polyominoes in whole numbers: many corners on one line, holes below each other, edges between three cells.
    #[test]
    fn polygons_of_a_lattice() {
        let mut rng = Rng::new(58);
        let (mut made, mut refused) = (0, 0);
        for _ in 0..400 {
            // A comb with teeth of whole lengths; each corner of the lattice on its edges is a corner of it.
            let teeth = 2 + rng.below(5) as i32;
            let mut outline: Ring = (0..=2 * teeth).rev().map(|x| [f64::from(x), 0.0]).collect();
            for x in 0..2 * teeth {
                let height = f64::from(if x % 2 == 0 { rng.int(2, 5) } else { 1 });
                outline.extend([[f64::from(x), height], [f64::from(x) + 1.0, height]]);
            }
            outline.dedup();
            let cell = |rng: &mut Rng| {
                let (x, y) = (f64::from(rng.int(0, 2 * teeth)), f64::from(rng.int(0, 4)));
                [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]].map(|[u, v]| [x + u, y + v]).to_vec()
            };
            let mut holes = Vec::new();
            for _ in 0..4 {
                holes.push(cell(&mut rng));
                if TriangleMesh::<DVec3>::prism(&outline, &holes, [0.0, 1.0]).is_err() {
                    holes.pop();
                    refused += 1;
                }
            }
            check(&mut rng, &outline, &holes);
            made += 1;
        }
        assert!(made == 400 && refused > 100, "{made} {refused}");
    }

    #[test]
    fn errors_name_ring_and_corner() {
        let square = |from: f64, to: f64| vec![[from, from], [to, from], [to, to], [from, to]];
        let prism = |outline: &Ring, holes: &[Ring]| {
            TriangleMesh::<DVec3>::prism(outline, holes, [0.0, 1.0]).map(drop).unwrap_err()
        };
        let at = |ring, vertex, problem| MeshError::Ring { ring, vertex, problem };
        let outer = square(0.0, 10.0);
        assert_eq!(prism(&vec![[0.0, 0.0], [1.0, 0.0]], &[]), at(0, 0, RingProblem::TooFewCorners));
        assert_eq!(prism(&outer, &[vec![]]), at(1, 0, RingProblem::TooFewCorners));
        assert_eq!(prism(&vec![[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]], &[]), at(0, 1, RingProblem::NotFinite));
        let twice = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(prism(&twice, &[]), at(0, 1, RingProblem::Repeated));
        let bow = vec![[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]];
        assert_eq!(prism(&bow, &[]), at(0, 0, RingProblem::Meets { ring: 0, vertex: 2 }));
        // A corner that touches an edge, and a spike that goes back along its edge.
        let touching = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]];
        assert!(matches!(prism(&touching, &[]), MeshError::Ring { ring: 0, vertex: 0, .. }));
        let spike = vec![[0.0, 0.0], [4.0, 0.0], [2.0, 0.0], [0.0, 4.0]];
        assert!(matches!(prism(&spike, &[]), MeshError::Ring { ring: 0, .. }));
        let line = vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        assert!(matches!(prism(&line, &[]), MeshError::Ring { ring: 0, .. }));
        let crossing = prism(&outer, &[square(1.0, 2.0), square(9.0, 11.0)]);
        assert!(matches!(crossing, MeshError::Ring { problem: RingProblem::Meets { .. }, .. }), "{crossing}");
        assert_eq!(prism(&outer, &[square(11.0, 12.0)]), at(1, 0, RingProblem::OutsideOutline));
        assert_eq!(prism(&outer, &[square(1.0, 5.0), square(2.0, 3.0)]), at(2, 0, RingProblem::InsideHole { ring: 1 }));
        assert_eq!(prism(&outer, &[square(2.0, 3.0), square(1.0, 5.0)]), at(1, 0, RingProblem::InsideHole { ring: 2 }));
        let flat = |z| TriangleMesh::<DVec3>::prism(&outer, &[], z).map(drop).unwrap_err();
        assert_eq!([flat([1.0, 1.0]), flat([0.0, f64::INFINITY]), flat([2.0, 1.0])], [MeshError::Heights; 3]);
        assert_eq!(
            prism(&bow, &[]).to_string(),
            "the outline, corner 0: the edge from there meets the edge from corner 2 of the outline"
        );
        assert_eq!(
            prism(&outer, &[square(1.0, 5.0), square(2.0, 3.0)]).to_string(),
            "hole 1, corner 0: it lies within hole 0"
        );
    }
}
