//! Generalized winding numbers of meshes, and what they decide: containment and signed distances of meshes with holes.

use crate::batch::batches;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, WIDTH};
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::scale::power_of_two_below;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector3, Working};
use crate::mesh::inside_rule::{Containment, InsideRule, SignedDistance};
use crate::mesh::solid_angle::AngleSum;
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::winding_moments::{NodeMoments, WindingMoments};
use crate::queries::point_query::{PointQuery, zero_on_surface};
use crate::queries::shape::Shape;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::{F32Lanes, SimdF32};
use crate::simd::task::SimdKernel;
use alloc::vec;
use alloc::vec::Vec;
use smallvec::{SmallVec, smallvec};

/// Bound of the error of [`TriangleMesh::winding_number`].
const DEFAULT_ERROR: f64 = 1.0 / 32.0;

/// Least error for which moments are used. The roundings of `f32` have a bound that is not much smaller.
const LEAST_ERROR: f64 = 1.0 / 8192.0;

/// First error of a node, as a share of the error of the sum.
const NODE_SHARE: f64 = 1.0 / 32.0;

/// Estimates before the sum over all triangles. Each one after the first allows a node half the share of the error that would
/// have been enough, if as many nodes were used.
const ESTIMATES: usize = 3;

/// Errors of a node for the decision whether a point is inside: the second if the first one leaves it open.
const DECISION_ERRORS: [f64; 2] = [1.0 / 128.0, 1.0 / 4096.0];

impl<V: Vector3> TriangleMesh<V> {
    /// The generalized winding number of the surface around a point: the sum of the signed solid angles of all triangles,
    /// over 4 pi.
    ///
    /// For a closed mesh whose triangles face outward (counter-clockwise as seen from there) it is 1 inside and 0 outside; -1
    /// inside if they face inward; 2 where two solids overlap. Near a hole it changes gradually. `None` if the point is not
    /// finite.
    ///
    /// # Accuracy
    /// The error is at most 1/32, by a bound of the terms left out, and an allowance for roundings. Measured, it is far less: at
    /// most 0.0006 for points around the Stanford bunny, half of them below 0.0001.
    /// [`winding_number_within`](Self::winding_number_within) takes a bound of yours. On the surface, triangles whose plane
    /// contains the point count as 0, so the result is the mean of both sides; rounding may move the point to one of them. The
    /// error depends on the BVH, but no bit on threads or the machine.
    ///
    /// # Method
    /// The traversal starts at the root of the BVH. Where the series of a node about its centroid is certain enough, three
    /// terms of it replace its triangles. The first call computes the series of all nodes, in O(n log n), and keeps them in
    /// about 15 bytes for each triangle. Then a point takes about O(log n).
    ///
    /// # Source
    /// Jacobson, Kavan, Sorkine-Hornung, *Robust Inside-Outside Segmentation using Generalized Winding Numbers*, ACM Trans.
    /// Graph. 32(4), 2013, section 4; Barill and others, *Fast Winding Numbers for Soups and Clouds*, ACM Trans. Graph. 37(4),
    /// 2018, section 4.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let open = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// // The fourth face is missing: near the corner opposite of it, that is an eighth of all directions.
    /// assert!((open.winding_number(Vec3::splat(0.01)).ok_or("a point")? - 7.0 / 8.0).abs() < 0.05);
    /// assert!(open.winding_number(Vec3::splat(-100.0)).ok_or("a point")?.abs() < 0.001);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("fast_winding_number", "solid_angle"))]
    #[must_use]
    pub fn winding_number(&self, point: V) -> Option<V::Scalar> {
        self.winding_number_within(point, V::Scalar::from_f64(DEFAULT_ERROR))
    }

    /// The [`winding_number`](Self::winding_number) with an error of at most `max_error`. Below 2^-13, and without a BVH, it is
    /// the sum over all triangles in O(n): its error is a few units of 2^-53 for each of them, more where the point is very near
    /// an edge, and its bits do not depend on the BVH.
    ///
    /// ```
    /// use hitscan::{glam::DVec3, TriangleMesh};
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let closed = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let number = closed.winding_number_within(DVec3::splat(0.2), 0.0).ok_or("a point")?;
    /// assert!((number - 1.0).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn winding_number_within(&self, point: V, max_error: V::Scalar) -> Option<V::Scalar> {
        // A point that is not finite has no winding number.
        if !point.all_finite() {
            return None;
        }
        let (point, max_error) = (point.widen(), max_error.to_f64());
        if let Some(tree) = self.index.tree()
            && max_error >= LEAST_ERROR
        {
            // Estimates by the series of nodes. If the bound of the sum is too large, the share of a node becomes
            // smaller.
            let mut node_error = max_error * NODE_SHARE;
            for _ in 0..ESTIMATES {
                let estimate = self.estimate(tree, point, node_error);
                if estimate.error <= max_error {
                    return Some(V::Scalar::from_f64(estimate.number));
                }
                node_error *= 0.5 * max_error / estimate.error;
            }
        }
        // Where the point is too near the surface, or more digits are wanted, all triangles are added.
        Some(V::Scalar::from_f64(self.angle_sum(point)))
    }

    /// The [`winding_number`](Self::winding_number) of each point, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    #[must_use]
    pub fn winding_numbers(&self, points: &[V]) -> Vec<Option<V::Scalar>> {
        each(points, |point| self.winding_number(point))
    }

    /// Whether a point is inside of the mesh by a rule, which the answer names. A point that is not finite is outside.
    ///
    /// Parity is exact. The winding number is compared with 1/2 by its series where that is certain, otherwise by the sum
    /// over all triangles, whose roundings remain. So the answer does not depend on the BVH. It takes about O(log n), and O(n)
    /// where the number is very near 1/2: in the opening of a hole, and exactly on the surface.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, InsideRule, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let open = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// let point = Vec3::splat(0.1);
    /// assert!(!open.contains_by(point, InsideRule::Parity).is_inside);
    /// let found = open.contains_by(point, InsideRule::ParityIfClosed);
    /// assert_eq!((found.is_inside, found.rule), (true, InsideRule::WindingNumber));
    /// # Ok::<(), hitscan::MeshError>(())
    /// ```
    #[doc(alias = "occupancy")]
    #[must_use]
    pub fn contains_by(&self, point: V, rule: InsideRule) -> Containment {
        match point.all_finite() {
            true => self.contains_point_by(point, None, rule),
            false => Containment { is_inside: false, rule: self.deciding_rule(rule) },
        }
    }

    /// [`contains_by`](Self::contains_by) of a finite point. `level` is the instance stack above the mesh: the winding number is
    /// that of the mesh without its transforms, around the rounded preimage of the point.
    pub(crate) fn contains_point_by(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        rule: InsideRule,
    ) -> Containment {
        let rule = self.deciding_rule(rule);
        let is_inside = match (rule, level) {
            (InsideRule::Parity | InsideRule::ParityIfClosed, _) => self.contains_point(point, level),
            (InsideRule::WindingNumber, None) => self.winds_around(point.widen()),
            (InsideRule::WindingNumber, Some(level)) => {
                let preimage = level.affine_map::<Working<V>>().preimage(point.widen());
                self.winds_around(preimage.map_to(Working::<V>::to_f64))
            }
        };
        Containment { is_inside, rule }
    }

    /// The answer of [`contains_by`](Self::contains_by) for each point, in order.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    #[must_use]
    pub fn contains_each_by(&self, points: &[V], rule: InsideRule) -> Vec<Containment> {
        let rule = self.deciding_rule(rule);
        let mut found = vec![Containment { is_inside: false, rule }; points.len()];
        batches(points, &mut found, |points, found| {
            for (&point, found) in points.iter().zip(found) {
                *found = self.contains_by(point, rule);
            }
        });
        found
    }

    /// The distance to the surface, negative inside by a rule, which the answer names. `None` if the point is not finite.
    ///
    /// The distance is that of [`PointQuery::distance`], the sign that of [`contains_by`](Self::contains_by); with
    /// [`InsideRule::Parity`] the result is [`PointQuery::signed_distance`].
    ///
    /// ```
    /// use hitscan::{glam::Vec3, InsideRule, TriangleMesh};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let open = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// let found = open.signed_distance_by(Vec3::splat(0.125), InsideRule::WindingNumber).ok_or("a point")?;
    /// assert_eq!(found.distance, -0.125);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sdf")]
    #[must_use]
    pub fn signed_distance_by(&self, point: V, rule: InsideRule) -> Option<SignedDistance<V::Scalar>> {
        let distance = zero_on_surface(self, point, self.distance(point)?);
        let rule = self.deciding_rule(rule);
        // On the surface there is nothing to decide.
        let is_inside = distance > V::Scalar::ZERO && self.contains_by(point, rule).is_inside;
        // Not the negative: of zero that would be minus zero.
        Some(SignedDistance { distance: if is_inside { V::Scalar::ZERO - distance } else { distance }, rule })
    }

    /// The [`signed_distance_by`](Self::signed_distance_by) of each point, in order, bit for bit.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    #[must_use]
    pub fn signed_distances_by(&self, points: &[V], rule: InsideRule) -> Vec<Option<SignedDistance<V::Scalar>>> {
        let rule = self.deciding_rule(rule);
        each(points, |point| self.signed_distance_by(point, rule))
    }

    /// Parity or winding number.
    fn deciding_rule(&self, rule: InsideRule) -> InsideRule {
        match rule {
            InsideRule::ParityIfClosed if self.topology().is_closed() => InsideRule::Parity,
            InsideRule::ParityIfClosed | InsideRule::WindingNumber => InsideRule::WindingNumber,
            InsideRule::Parity => InsideRule::Parity,
        }
    }

    /// Whether the winding number is at least 1/2.
    fn winds_around(&self, point: Vec3<f64>) -> bool {
        // A preimage may exceed the range of numbers.
        if ![point.x, point.y, point.z].iter().all(|x| x.is_finite()) {
            return false;
        }
        // Two estimates, the second finer. Where 1/2 is within the bound of both, the sum over all triangles decides.
        if let Some(tree) = self.index.tree() {
            for node_error in DECISION_ERRORS {
                let estimate = self.estimate(tree, point, node_error);
                if (estimate.number - 0.5).abs() > estimate.error {
                    return estimate.number > 0.5;
                }
            }
        }
        self.angle_sum(point) >= 0.5
    }

    /// The winding number with an error of at most `node_error` for each node whose series is used.
    fn estimate(&self, tree: &Bvh16, point: Vec3<f64>, node_error: f64) -> WindingEstimate {
        let mesh = self.triangle_set();
        let moments = self.winding.get(mesh, tree);
        let relative = RelativeCorners::new(mesh, point);
        let node_error = node_error as f32;
        dispatch(WindingTraversal {
            mesh,
            tree,
            moments,
            relative,
            point: moments.local([point.x, point.y, point.z]),
            node_error,
        })
    }

    /// The winding number as the sum over all triangles, in order.
    fn angle_sum(&self, point: Vec3<f64>) -> f64 {
        let mesh = self.triangle_set();
        dispatch(AngleSumOfAll { mesh, relative: RelativeCorners::new(mesh, point) })
    }
}

/// A result for each point.
fn each<V: Vector3, T: Clone + Send>(points: &[V], one: impl Fn(V) -> Option<T> + Sync) -> Vec<Option<T>> {
    let mut found = vec![None; points.len()];
    batches(points, &mut found, |points, found| {
        for (&point, found) in points.iter().zip(found) {
            *found = one(point);
        }
    });
    found
}

/// Winding number with a bound of its error.
struct WindingEstimate {
    number: f64,
    error: f64,
}

/// Coordinates relative to the query point, in units in which the largest number is about 1.
#[derive(Clone, Copy)]
struct RelativeCorners {
    point: Vec3<f64>,
    scale: f64,
}

impl RelativeCorners {
    fn new<V: Vector3>(mesh: TriangleSet<'_, V>, point: Vec3<f64>) -> Self {
        let [low, high] = [mesh.bounds.min, mesh.bounds.max].map(|corner| corner.widen::<f64>().max_abs_f64());
        let scale = power_of_two_below(low.max(high).max(point.max_abs_f64())).unwrap_or(1.0);
        Self { point: point.map(|x| x * scale), scale }
    }

    #[inline(always)]
    fn of(&self, corner: Vec3<f64>) -> Vec3<f64> {
        let Self { point, scale } = self;
        Vec3::new(corner.x * scale - point.x, corner.y * scale - point.y, corner.z * scale - point.z)
    }

    #[inline(always)]
    fn add_to(&self, sum: &mut AngleSum, [a, b, c]: [Vec3<f64>; 3]) {
        sum.add([self.of(a), self.of(b), self.of(c)]);
    }
}

/// The sum over all triangles.
struct AngleSumOfAll<'a, V: Vector3> {
    mesh: TriangleSet<'a, V>,
    relative: RelativeCorners,
}

impl<V: Vector3> SimdKernel for AngleSumOfAll<'_, V> {
    type Output = f64;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> f64 {
        let mut sum = AngleSum::new();
        for triangle in 0..self.mesh.triangles.len() {
            self.relative.add_to(&mut sum, self.mesh.corners_of(triangle as u32));
        }
        sum.finish()
    }
}

/// The sum over the nodes of a BVH.
struct WindingTraversal<'a, V: Vector3> {
    mesh: TriangleSet<'a, V>,
    tree: &'a Bvh16,
    moments: &'a WindingMoments,
    relative: RelativeCorners,
    /// The point in the coordinates of the moments.
    point: [f64; 3],
    /// Error that the series of a node may have.
    node_error: f32,
}

impl<V: Vector3> SimdKernel for WindingTraversal<'_, V> {
    type Output = WindingEstimate;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) -> WindingEstimate {
        let Self { mesh, tree, moments, relative, point, node_error } = self;
        // Node by node from the root, with the children that are too near still to be visited.
        let series = Series::new(point, node_error);
        let (mut sum, mut number, mut error) = (AngleSum::new(), 0.0, 0.0);
        let mut waiting: SmallVec<[u32; 64]> = smallvec![tree.root()];
        while let Some(next) = waiting.pop().filter(|next| *next != INVALID) {
            let (node, moments) = (&tree.nodes[next as usize], &moments.nodes[next as usize]);
            // The series of all sixteen children at once. Where it is certain enough, it replaces the triangles below.
            let (mut far, [more, error_of_more]) = series.evaluate::<L>(moments);
            number += more;
            error += error_of_more;
            // From here on the children that are too near.
            far = !far & ((1 << WIDTH) - 1);
            while far != 0 {
                let lane = far.trailing_zeros() as usize;
                far &= far - 1;
                // A node is visited later; the triangles of a leaf are added one by one.
                let child = node.child[lane];
                let Some(leaf) = Leaf::of(child) else {
                    if child != INVALID {
                        waiting.push(child);
                    }
                    continue;
                };
                let prim_ids = leaf.of_all(&tree.prim_ids);
                // Of a triangle in several leaves, the first counts.
                let mut counted = u32::from(moments.counted[lane]);
                while counted != 0 {
                    let slot = counted.trailing_zeros();
                    counted &= counted - 1;
                    let corners = match mesh.blocks {
                        Some(blocks) if blocks.are_exact => blocks.of((leaf, slot)),
                        _ => mesh.corners_of(prim_ids[slot as usize]),
                    };
                    relative.add_to(&mut sum, corners);
                }
            }
        }
        // The triangles that are added one by one have an error, too.
        WindingEstimate { number: number + sum.finish(), error: error + SUM_ROUNDING }
    }
}

/// Bound of the roundings of an estimate outside of its series: 2^-24 of a turn.
const SUM_ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// The series of sixteen nodes at a point.
struct Series {
    point: F32Lanes,
    /// Bound of the error of a difference between the point and a centre, times 16.
    shift: f32,
    node_error: f32,
}

impl Series {
    fn new(point: [f64; 3], node_error: f32) -> Self {
        let [x, y, z] = point.map(|x| x as f32);
        let mut lanes = [0.0; WIDTH];
        (lanes[0], lanes[1], lanes[2]) = (x, y, z);
        let largest = x.abs().max(y.abs()).max(z.abs()).max(2.0);
        // Three units of 2^-24 for roundings of the point and the difference, in three coordinates.
        Self { point: lanes, shift: largest * (16.0 * 6.0 / (1 << 24) as f32), node_error }
    }

    /// Bit mask of the children whose series is certain enough, and the sums `[winding number, bound of its error]` over
    /// them.
    ///
    /// # Accuracy
    /// Term k of the series of `1 / abs(y)` is a harmonic polynomial in `s` of degree k, with a gradient of at most
    /// `k s^(k-1) / d^(k+1)` (Szego's inequality for Legendre polynomials). The terms left out begin with k = 4. With
    /// `M` the integral of `s^3` and `q` the ratio of radius and distance, their sum is at most
    /// `M / d^5 (4 - 3 q) / (1 - q)^2`, and the last factor at most `4 + 12 q` for q up to 1/2. An error `e` of the
    /// difference changes the number by at most `16 A e / d^3`, where A is the area. Fewer than 128 roundings of `f32`
    /// change it by at most `2^-17 A / d^2`. All of that over 4 pi. `estimates_keep_their_bound` in
    /// `tests/all/winding.rs` compares with the sum over all triangles. See docs/proofs.md, Lemma 31.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn evaluate<L: SimdF32>(&self, node: &NodeMoments) -> (u32, [f64; 2]) {
        // The offsets of the sixteen centres from the point.
        let [px, py, pz, ..] = self.point;
        let x = L::load(&node.center[0]).minus(L::splat(px));
        let y = L::load(&node.center[1]).minus(L::splat(py));
        let z = L::load(&node.center[2]).minus(L::splat(pz));
        let distance_sq = x.times(x).plus(y.times(y)).plus(z.times(z));
        let inverse = L::splat(1.0).div(distance_sq.sqrt());
        let inverse_sq = inverse.times(inverse);
        // The bound of the series: of the terms left out, and of the roundings (see Accuracy).
        let ratio = L::load(&node.radius).times(inverse);
        let tail = L::splat(4.0).plus(L::splat(12.0).times(ratio));
        let tail = L::load(&node.cubed).times(inverse_sq.times(inverse)).times(tail);
        let noise = L::splat(1.0 / (1 << 17) as f32).plus(L::splat(self.shift).times(inverse));
        let error = inverse_sq.times(tail.plus(L::load(&node.area).times(noise)));
        // Near children, whose series is uncertain or does not converge, are left to the traversal.
        let far = error.le(L::splat(self.node_error)) & ratio.le(L::splat(0.5));
        if far == 0 {
            return (0, [0.0; 2]);
        }
        // The direction to the centre, in which the polynomials are given.
        let (x, y, z) = (x.times(inverse), y.times(inverse), z.times(inverse));
        let number = inverse_sq.times(polynomials(node, [x, y, z], inverse));
        (far, [sum_of(number, far), sum_of(error, far)])
    }
}

/// The three terms, times the squared distance.
#[cfg_attr(not(debug_assertions), inline(always))]
fn polynomials<L: SimdF32>(node: &NodeMoments, [x, y, z]: [L; 3], inverse: L) -> L {
    let (a, b, c) = (&node.linear, &node.quadratic, &node.cubic);
    let (xx, yy, zz) = (x.times(x), y.times(y), z.times(z));
    let linear = linear_of(a, [x, y, z]);
    let squares = linear_of(&[b[0], b[1], b[2]], [xx, yy, zz]);
    let mixed = x.times(y).times(L::load(&b[3])).plus(x.times(z).times(L::load(&b[4])));
    let quadratic = squares.plus(mixed).plus(y.times(z).times(L::load(&b[5])));
    let along_x = xx.times(linear_of(&[c[0], c[3], c[4]], [x, y, z]));
    let along_y = yy.times(linear_of(&[c[5], c[1], c[6]], [x, y, z]));
    let along_z = zz.times(linear_of(&[c[7], c[8], c[2]], [x, y, z]));
    let cubic = along_x.plus(along_y).plus(along_z).plus(x.times(y).times(z).times(L::load(&c[9])));
    linear.plus(inverse.times(quadratic.plus(inverse.times(cubic))))
}

/// A linear function with a coefficient per lane.
#[inline(always)]
fn linear_of<L: SimdF32>(row: &[F32Lanes; 3], [x, y, z]: [L; 3]) -> L {
    L::load(&row[0]).times(x).plus(L::load(&row[1]).times(y)).plus(L::load(&row[2]).times(z))
}

/// The sum of the lanes of a mask, in a fixed order.
#[cfg_attr(not(debug_assertions), inline(always))]
fn sum_of<L: SimdF32>(numbers: L, mask: u32) -> f64 {
    let mut lanes = [0.0; WIDTH];
    numbers.store(&mut lanes);
    for (lane, number) in lanes.iter_mut().enumerate() {
        *number = if mask >> lane & 1 == 1 { *number } else { 0.0 };
    }
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
    }
    f64::from(lanes[0])
}
