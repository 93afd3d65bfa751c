//! Certified `f32` filter for ray-triangle tests, sixteen lanes wide: one ray against the triangles of a leaf, or the
//! rays of a packet against one triangle. Each lane is a certain miss, a certain crossing or uncertain.

use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::shear::WoopShear;
use crate::bvh::traverse::packet::Packet;
use crate::math::arithmetic::shared;
use crate::math::rounding::SINGLE_ROUNDING as U;
use crate::mesh::triangle_blocks::{AxisView, LeafRows, TriangleBlocks};
use crate::query::Faces;
use crate::simd::lanes::{F32Lanes, SimdF32};

/// 2^-124: an upper bound of the underflow in a determinant.
const SMALLEST_EDGE: f32 = f32::from_bits((127 - 124) << 23);

/// 2^-70: this fraction of h bounds the underflow of a corner's depth times its weight.
const DEPTH_UNDERFLOW: f32 = f32::from_bits((127 - 70) << 23);

impl TriangleBlocks {
    /// Classifies the triangles of a leaf against one ray, up to `end`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn classify<L: SimdF32>(
        &self,
        leaf: Leaf,
        line: &PreparedRay,
        end: f32,
        faces: Faces,
    ) -> Classification {
        shared!(f64, {
            if leaf.count() <= L::Half::COUNT {
                self.classify_lanes::<L::Half>(leaf, line, end, faces)
            } else {
                self.classify_lanes::<L>(leaf, line, end, faces)
            }
        })
    }

    /// [`classify`](Self::classify) in registers that hold all triangles of the leaf.
    #[inline(always)]
    fn classify_lanes<L: SimdF32>(&self, leaf: Leaf, line: &PreparedRay, end: f32, faces: Faces) -> Classification {
        let there = (2 << (leaf.count() - 1)) - 1;
        let corners = TriangleSoa::<L>::side_by_side(self.rows(leaf), leaf, line.shear.axes);
        corners.classify(&ShearedRays::one(&line.shear, end), there, faces)
    }

    /// Classifies one triangle against each ray of a packet.
    #[inline(always)]
    pub(crate) fn classify_rays<L: SimdF32>(&self, slot: (Leaf, u32), lines: &Packet, faces: Faces) -> Classification {
        let corners = TriangleSoa::<L>::of_one(&self.numbers(slot), lines.axes);
        corners.classify(&ShearedRays::many(lines), (1 << WIDTH) - 1, faces)
    }

    /// Culls the triangles of a leaf that all rays of a packet miss; returns the mask of the others.
    ///
    /// # Method
    /// Relative to the common origin, the offset of a corner from a ray is `x - slope z`: it lies between the offsets
    /// from the rays of least and of largest slope.
    ///
    /// # Accuracy
    /// In units of 2^-24 (M + |o|) (see [`WoopShear`]): the slope (4), a rounded origin (2), two differences (2), a
    /// product and a difference (4); `error_bound` is sixteen. See docs/proofs.md, Lemma 24.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cull_packet<L: SimdF32>(&self, leaf: Leaf, lines: &Packet) -> u32 {
        let there = (2 << (leaf.count() - 1)) - 1;
        // The corners of all triangles relative to the common origin of the packet.
        let TriangleSoa([a, b, c]) = TriangleSoa::<L>::side_by_side(self.rows(leaf), leaf, lines.axes);
        let deep = L::splat(lines.from(2));
        let deep = [a[2].minus(deep), b[2].minus(deep), c[2].minus(deep)];
        let (error_bound, mut beside) = (L::splat(lines.error_bound), 0);
        // Across the rays, along both axes: the offsets from the ray of least and of largest slope bound those from all
        // rays between.
        for axis in 0..2 {
            let (from, [least, most]) = (L::splat(lines.from(axis)), lines.slopes[axis]);
            let (least, most) = (L::splat(least), L::splat(most));
            let [a, b, c] = [a[axis].minus(from), b[axis].minus(from), c[axis].minus(from)];
            let [a, a2] = [a.minus_product(least, deep[0]), a.minus_product(most, deep[0])];
            let [b, b2] = [b.minus_product(least, deep[1]), b.minus_product(most, deep[1])];
            let [c, c2] = [c.minus_product(least, deep[2]), c.minus_product(most, deep[2])];
            // All corners on one side of all rays, by more than the error bound.
            beside |= error_bound.less(a.min(a2).min(b.min(b2)).min(c.min(c2)));
            beside |= a.max(a2).max(b.max(b2)).max(c.max(c2)).less(L::splat(0.0).minus(error_bound));
        }
        !beside & there
    }
}

/// Triangles as a structure of arrays: for each corner the two coordinates across the ray and the depth along it.
struct TriangleSoa<L>([[L; 3]; 3]);

/// Shear constants of rays, one ray per lane or the same ray in all lanes: see [`WoopShear`].
struct ShearedRays<L> {
    slope: [L; 2],
    shift: [L; 2],
    error_bound: L,
    /// With h = `error_bound`: 4.5 h here, then 4.5 h^2 + [`SMALLEST_EDGE`], and [`DEPTH_UNDERFLOW`] h.
    wide: L,
    square: L,
    depth_underflow: L,
    origin: L,
    inv_dz: L,
    t_min: L,
    end: L,
    /// Whether the directions are positive along the last axis.
    forward: bool,
}

impl<L: SimdF32> ShearedRays<L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn one(shear: &WoopShear, end: f32) -> Self {
        let WoopShear { slope, shift, error_bound, origin, inv_dz, t_min, .. } = *shear;
        Self {
            slope: [L::splat(slope[0]), L::splat(slope[1])],
            shift: [L::splat(shift[0]), L::splat(shift[1])],
            error_bound: L::splat(error_bound),
            wide: L::splat(4.5 * error_bound),
            square: L::splat(4.5 * error_bound * error_bound + SMALLEST_EDGE),
            depth_underflow: L::splat(DEPTH_UNDERFLOW * error_bound),
            origin: L::splat(origin),
            inv_dz: L::splat(inv_dz),
            t_min: L::splat(t_min),
            end: L::splat(end),
            forward: inv_dz > 0.0,
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn many(lines: &Packet) -> Self {
        Self {
            slope: [L::load(&lines.slope[0]), L::load(&lines.slope[1])],
            shift: [L::load(&lines.shift[0]), L::load(&lines.shift[1])],
            error_bound: L::splat(lines.error_bound),
            wide: L::splat(4.5 * lines.error_bound),
            square: L::splat(4.5 * lines.error_bound * lines.error_bound + SMALLEST_EDGE),
            depth_underflow: L::splat(DEPTH_UNDERFLOW * lines.error_bound),
            origin: L::splat(lines.from(2)),
            inv_dz: L::load(&lines.inv_dz),
            t_min: L::load(&lines.t_min),
            end: L::load(&lines.end),
            forward: lines.inv_dz[0] > 0.0,
        }
    }
}

impl<L: SimdF32> TriangleSoa<L> {
    /// The triangles of a leaf, one per lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn side_by_side(rows: &LeafRows, leaf: Leaf, axes: [u8; 3]) -> Self {
        // Closures over registers would compile to calls.
        let [x, y, z] =
            [AxisView::of(rows, axes[0], leaf), AxisView::of(rows, axes[1], leaf), AxisView::of(rows, axes[2], leaf)];
        Self([[x.at(0), y.at(0), z.at(0)], [x.at(1), y.at(1), z.at(1)], [x.at(2), y.at(2), z.at(2)]])
    }
    /// One triangle in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_one(numbers: &[f32; 9], axes: [u8; 3]) -> Self {
        let [x, y, z] = axes.map(|axis| usize::from(axis % 3));
        Self([
            [L::splat(numbers[x]), L::splat(numbers[y]), L::splat(numbers[z])],
            [L::splat(numbers[3 + x]), L::splat(numbers[3 + y]), L::splat(numbers[3 + z])],
            [L::splat(numbers[6 + x]), L::splat(numbers[6 + y]), L::splat(numbers[6 + z])],
        ])
    }

    /// Classifies the triangle of each lane against its ray, up to the end of the ray. `there` masks the lanes in use.
    ///
    /// # Method
    /// In the sheared plane (see [`WoopShear`]) the ray is a point. It crosses a triangle if it lies on the same side
    /// of the three edges: the determinants U, V, W of the corners have one sign. Where the signs may agree, U, V, W
    /// are the weights of the corners' depths, and their weighted mean gives `t`.
    ///
    /// # Source
    /// Woop, Benthin, Wald, *Watertight Ray/Triangle Intersection*, JCGT 2(1), 2013; the bounds are our own.
    ///
    /// # Accuracy
    /// docs/proofs.md, Lemma 23. Let u = 2^-24, h the error bound of a sheared coordinate, and R the largest of these
    /// coordinates. The error of a determinant is h times four coordinates, 2 h^2, and two roundings of two products of
    /// R^2: less than 4 (u R^2 + h R + h^2). An eighth more covers second-order errors and the roundings of the bound
    /// itself; the sum is B. For rays and corners in `f64`, h includes their rounding. The total error of the weights U
    /// / (U + V + W) is 7 B over that sum. With D the extent of the triangle in depth, the error of `t` is (7 B (D + h)
    /// / |U + V + W| + h) / |d_z|: the h beside D covers the rounding of terms that cancel. `t` itself has four more
    /// roundings: the direction, its inverse, their product, the sum with the bound.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn classify(&self, line: &ShearedRays<L>, there: u32, faces: Faces) -> Classification {
        // Corners in the sheared plane, where the ray is the origin, and the determinants of the edges (Woop, Benthin,
        // Wald).
        let [a, b, c] = [self.corner(0, line), self.corner(1, line), self.corner(2, line)];
        let u = c[0].times_minus(b[1], c[1].times(b[0]));
        let v = a[0].times_minus(c[1], a[1].times(c[0]));
        let w = b[0].times_minus(a[1], b[1].times(a[0]));
        // The bound of the errors of the determinants, from the largest coordinate.
        let largest = a[0].larger(a[1]).max(b[0].larger(b[1])).max(c[0].larger(c[1]));
        let h = line.error_bound;
        let error_bound = largest.mul_add(L::splat(4.5 * U), line.wide).mul_add(largest, line.square);
        // A certain miss has determinants of both signs, each beyond the bound.
        let (least, most, zero) = (u.min(v).min(w), u.max(v).max(w), L::splat(0.0));
        // `error_bound` is on the critical path: the comparison uses it without further operations.
        let maybe = !(error_bound.less(zero.minus(least)) & error_bound.less(most)) & there;
        // Most leaves end here: the bounds of `t` are computed only if some triangle is left.
        let mut classified = Classification { near_line: maybe, maybe, inside: 0, range: [[0.0; WIDTH]; 2] };
        if maybe == 0 {
            return classified;
        }
        // `t` is the mean of the depths with the determinants as weights; its bound follows from those of weights and
        // depths.
        let Self([[.., p], [.., q], [.., r]]) = *self;
        let sum = u.plus(v).plus(w);
        let part = L::splat(1.0).div(sum);
        let at = u.mul_add(p, v.mul_add(q, w.times(r))).times_minus(part, line.origin);
        let deep = p.max(q).max(r).minus(p.min(q).min(r));
        let slack = error_bound.mul_add(deep.plus(h), line.depth_underflow).times(L::splat(7.5));
        let slack = slack.mul_add(part.abs(), h).times(line.inv_dz.abs());
        let (t, wider) = (at.times(line.inv_dz), L::splat(6.0 * U));
        let slack = t.abs().mul_add(wider, slack);
        let (early, late) = (t.minus(slack), t.plus(slack));
        // Where the sum may be zero, the bounds of `t` are infinite or NaN.
        classified.maybe &= !(late.less(line.t_min) | line.end.less(early));
        if classified.maybe == 0 {
            return classified;
        }
        // The bounds are stored for the search, which compares them with other hits.
        early.store(&mut classified.range[0]);
        late.store(&mut classified.range[1]);
        // Twice the bound makes the `f64` filter certain, too: such a triangle needs no exact test.
        let twice = error_bound.plus(error_bound);
        let clear = twice.less(least) | most.less(zero.minus(twice));
        // Skipped for both faces, because the branch on the direction is unpredictable.
        if faces != Faces::Both {
            // A front face is counter-clockwise seen from the origin of the ray.
            let front = if line.forward { zero.less(least) } else { most.less(zero) };
            let hidden = if faces == Faces::Front { !front } else { front };
            classified.maybe &= !(hidden & clear);
        }
        classified.inside = clear & classified.maybe;
        classified
    }

    /// A corner in the sheared plane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn corner(&self, corner: usize, line: &ShearedRays<L>) -> [L; 2] {
        let [x, y, depth] = self.0[corner];
        [
            x.plus(line.shift[0]).minus_product(line.slope[0], depth),
            y.plus(line.shift[1]).minus_product(line.slope[1], depth),
        ]
    }
}

/// Result of the filter: masks of the lanes that may cross and that certainly cross, with bounds of `t`.
pub(crate) struct Classification {
    /// Mask of the lanes whose triangles the infinite line may cross: known before the bounds of `t`.
    pub(crate) near_line: u32,
    /// Mask of the lanes that are not certain misses.
    pub(crate) maybe: u32,
    /// Mask of the lanes whose infinite line certainly crosses the triangle on a face of the query. The margin is wide
    /// enough that the `f64` filter is certain, too: docs/proofs.md, Lemma 23.
    pub(crate) inside: u32,
    /// Lower and upper bounds of `t`, valid for the lanes in `inside`.
    pub(crate) range: [F32Lanes; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::ray::RayF32;
    use crate::math::arithmetic::Arithmetic;
    use crate::math::vector::Vector;
    use crate::mesh::triangle_test::TriangleQuery;
    use crate::shapes::triangle::EdgeRule;
    use crate::simd::dispatch::dispatch;
    use crate::simd::task::SimdKernel;
    use crate::{Query, Ray, RayLike};
    use alloc::vec::Vec;
    use glam::{DVec3, Vec3};
    use test_support::random::Lcg;

    /// Deterministic pseudo-random numbers from -1 to 1.
    struct Numbers(Lcg);
    impl Numbers {
        fn next(&mut self) -> f32 {
            self.0.signed_unit() as f32
        }
        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
        fn pick(&mut self, of: &[f32]) -> f32 {
            of[(self.next().abs() * of.len() as f32) as usize % of.len()]
        }
        /// A triangle of random size, and a ray at a corner, an edge or the interior, from near or far.
        fn case(&mut self) -> ([Vec3; 3], Ray<Vec3>) {
            let size = self.pick(&[1e-6, 1e-3, 1.0, 1e3]);
            let a = self.vector() * self.pick(&[0.0, 1.0, 1e3]);
            let corners = [a, a + self.vector() * size, a + self.vector() * size];
            let [u, v] = [0.0, 1.0, self.next().abs()].map(|x| [x, self.pick(&[0.0, 1.0 - x, (1.0 - x) * 0.3])])
                [(self.next().abs() * 3.0) as usize % 3];
            // In some cases target and origin lie close to the first corner.
            let near = self.pick(&[1.0, 1.0, 1.0, 1e-6, 1e-14]);
            let target = a + ((corners[1] - a) * u + (corners[2] - a) * v) * near;
            let direction = self.vector() * self.pick(&[1e-3, 1.0, 1e3]);
            let away = self.pick(&[0.0, 1e-9, 1e-3, 1.0, 1e3]) * size * near;
            (corners, Ray::new(target - direction * away, direction))
        }
    }

    struct Classify<'a>(&'a TriangleBlocks, Leaf, &'a PreparedRay, Faces);
    impl SimdKernel for Classify<'_> {
        type Output = Classification;
        #[inline(always)]
        fn run<L: SimdF32>(self) -> Classification {
            self.0.classify::<L>(self.1, self.2, f32::MAX, self.3)
        }
    }

    /// Blocks of two leaves of `count` triangles each; returns the second leaf.
    fn leaf<V: Vector>(vertices: &[V], count: usize) -> (TriangleBlocks, Leaf) {
        let triangles: Vec<[u32; 3]> = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let prim_ids: Vec<u32> = (0..count as u32).chain(0..count as u32).collect();
        let leaves = [0, count].map(|first| Leaf::new(first, count));
        let mut corners = TriangleBlocks::default();
        corners.fill(vertices, &triangles, &leaves, &prim_ids);
        (corners, leaves[1])
    }

    /// Compares the filter with adaptive arithmetic, in SIMD registers and in arrays: certified misses miss, certified
    /// crossings cross between the bounds, and the shortcut for `t` of a known crossing gives the same bits.
    #[test]
    fn what_is_certain_is_true() {
        let mut numbers = Numbers(Lcg::new(7));
        let (mut misses, mut crossings, mut left) = (0, 0, 0);
        for round in 0..20_000 {
            // The case, and other triangles beside it in the leaf.
            let faces = [Faces::Both, Faces::Front, Faces::Back][round % 3];
            let (corners, ray) = numbers.case();
            let raw = RayLike::<Vec3>::raw(&ray);
            let Some(line) = PreparedRay::of(&raw, 0.0, 2e3) else { continue };
            let count = 1 + round % WIDTH;
            let others = (1..count).flat_map(|_| numbers.case().0);
            let vertices: Vec<Vec3> = corners.into_iter().chain(others).collect();
            let (block, leaf) = leaf(&vertices, count);
            assert!(block.are_exact);
            // In registers and in arrays, all lanes beyond the leaf must be out.
            let classify = || Classify(&block, leaf, &line, faces);
            let both = [dispatch(classify()), classify().run::<F32Lanes>()];
            assert!(both.iter().all(|classified| classified.maybe >> count == 0));
            for (classified, lane) in both.iter().flat_map(|classified| (0..count).map(move |lane| (classified, lane)))
            {
                let ask = |query: Query<f64>| TriangleQuery {
                    corners: block.of((leaf, lane as u32)),
                    query,
                    rule: EdgeRule::Closed,
                };
                // A certain miss must miss, and a certain crossing must cross between its bounds.
                let ahead = Query::new().range(0.0, f64::from(f32::MAX)).faces(faces);
                if classified.maybe >> lane & 1 == 0 {
                    misses += 1;
                    assert!(ask(ahead).answer::<f32>(&raw).is_none(), "{ray:?} {corners:?}");
                } else if classified.inside >> lane & 1 == 1 {
                    crossings += 1;
                    let whole = ask(Query::line().faces(faces));
                    let exact = whole.answer::<f32>(&raw).expect("a crossing");
                    let (t, [low, high]) = (exact.t.to_f64(), classified.range.map(|bound| f64::from(bound[lane])));
                    assert!(t <= high && (low <= t || low <= 0.0), "{low} {t} {high} {ray:?} {corners:?}");
                    if low > 0.0 {
                        let (short, long) = (ask(ahead).known_t(&raw), ask(ahead).answer::<f32>(&raw));
                        assert_eq!(Some(short), long.map(|at| at.t.to_f64()), "{ray:?} {corners:?}");
                    }
                } else {
                    left += 1;
                }
            }
        }
        assert!(misses > 100_000 && crossings > 3000 && left > 10_000, "{misses} {crossings} {left}");
    }

    struct MeshStream<'a>(&'a TriangleBlocks, Leaf, &'a [(RayF32, f32); WIDTH]);
    impl SimdKernel for MeshStream<'_> {
        type Output = (u32, Vec<Classification>);
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run<L: SimdF32>(self) -> Self::Output {
            let Self(corners, leaf, lines) = self;
            let mut packet = Packet::new();
            packet.prepare::<L>(0, lines, 2e3);
            let classify = |lane| corners.classify_rays::<L>((leaf, lane), &packet, Faces::Both);
            (corners.cull_packet::<L>(leaf, &packet), (0..leaf.count() as u32).map(classify).collect())
        }
    }

    /// Compares the packet filter with adaptive arithmetic for sixteen rays of one origin: every ray misses a culled
    /// triangle, certified misses miss, and certified crossings cross between the bounds.
    #[test]
    fn what_is_certain_of_packets_is_true() {
        let mut numbers = Numbers(Lcg::new(13));
        let (mut beside, mut misses, mut crossings, mut packets) = (0, 0, 0, 0);
        for round in 0..6000 {
            let (corners, ray) = numbers.case();
            // Rays into the triangle, or close to the direction of the first ray.
            let spread = numbers.pick(&[1.0, 1e-1, 1e-3, 1e-6]);
            let target = corners[0] + (corners[1] - corners[0]) * 0.3 + (corners[2] - corners[0]) * 0.3;
            let rays: [Ray<Vec3>; WIDTH] = core::array::from_fn(|lane| {
                let inside = target + (corners[lane % 3] - target) * numbers.next().abs() * 1.1;
                let beside = ray.direction * (numbers.vector() * spread + 1.0);
                Ray::new(ray.origin, if round % 2 == 0 { inside - ray.origin } else { beside })
            });
            let aims = rays.map(|ray| RayF32::of(&RayLike::<Vec3>::raw(&ray), 0.0, 2e3));
            let Some(leader) = aims[0] else { continue };
            if aims.iter().any(|aim| aim.is_none_or(|aim| aim.direction_class() != leader.direction_class())) {
                continue;
            }
            packets += 1;
            let lines = aims.map(|aim| (aim.unwrap_or(leader), f32::MAX));
            let count = 1 + round % WIDTH;
            let others = (1..count).flat_map(|_| numbers.case().0);
            let vertices: Vec<Vec3> = corners.into_iter().chain(others).collect();
            let (block, leaf) = leaf(&vertices, count);
            let stream = || MeshStream(&block, leaf, &lines);
            // In registers and in arrays: a culled triangle and a certain miss must be missed by that ray, and a
            // certain crossing crossed between its bounds.
            for (near, classified) in [dispatch(stream()), stream().run::<F32Lanes>()] {
                for (slot, ray) in (0..count).flat_map(|slot| rays.iter().map(move |ray| (slot, ray))) {
                    let lane = rays.iter().position(|other| core::ptr::eq(other, ray)).expect("one of them");
                    let (raw, at) = (RayLike::<Vec3>::raw(ray), &classified[slot]);
                    let corners = block.of((leaf, slot as u32));
                    let ask = |query: Query<f64>| TriangleQuery { corners, query, rule: EdgeRule::Closed };
                    let ahead = ask(Query::new().range(0.0, f64::from(f32::MAX)));
                    if near >> slot & 1 == 0 || at.maybe >> lane & 1 == 0 {
                        assert!(ahead.answer::<f32>(&raw).is_none(), "{ray:?} {corners:?}");
                        beside += 1 - (near >> slot & 1);
                        misses += near >> slot & 1;
                    } else if at.inside >> lane & 1 == 1 {
                        crossings += 1;
                        let exact = ask(Query::line()).answer::<f32>(&raw).expect("a crossing");
                        let (t, [low, high]) = (exact.t.to_f64(), at.range.map(|bound| f64::from(bound[lane])));
                        assert!(t <= high && (low <= t || low <= 0.0), "{low} {t} {high} {ray:?} {corners:?}");
                    }
                }
            }
        }
        assert!(beside > 100_000 && misses > 10_000 && crossings > 10_000, "{beside} {misses} {crossings} {packets}");
    }

    /// Compares the filter with adaptive arithmetic for `f64` triangles and rays: certified misses miss, certified crossings
    /// cross between the bounds, and most of both are certified.
    #[test]
    fn what_is_certain_of_rounded_triangles_is_true() {
        let mut numbers = Numbers(Lcg::new(11));
        let (mut misses, mut hits, mut certain) = (0, 0, 0);
        for round in 0..20_000 {
            let faces = [Faces::Both, Faces::Front, Faces::Back][round % 3];
            // Far from the origin the corners of a triangle may round to the same `f32` point.
            let (shift, scale) = (numbers.vector().as_dvec3() * 100.0, [1.0, 1e-6][round % 2]);
            let beside = |v: Vec3| v.as_dvec3() * (1.0 / 3.0) * scale + shift;
            // The case and other triangles, at a place where their corners lose digits in `f32`.
            let (corners, ray) = numbers.case();
            let direction = ray.direction.as_dvec3() * scale * 0.7;
            let raw = RayLike::<DVec3>::raw(&Ray::new(beside(ray.origin), direction));
            let Some(line) = PreparedRay::of(&raw, 0.0, 2e3) else { continue };
            let count = 1 + round % WIDTH;
            let others = (1..count).flat_map(|_| numbers.case().0);
            let vertices: Vec<DVec3> = corners.into_iter().chain(others).map(beside).collect();
            let (block, leaf) = leaf(&vertices, count);
            let classify = || Classify(&block, leaf, &line, faces);
            for classified in [dispatch(classify()), classify().run::<F32Lanes>()] {
                for lane in 0..count {
                    // Adaptive arithmetic for the corners as given is the truth.
                    let corners = [0, 1, 2].map(|i| vertices[3 * lane + i].widen());
                    let query = Query::new().range(0.0, f64::from(f32::MAX)).faces(faces);
                    let crossing = TriangleQuery { corners, query, rule: EdgeRule::Closed };
                    let is_hit = crossing.answer::<f64>(&raw).is_some();
                    let is_left = classified.maybe >> lane & 1 == 1;
                    if classified.inside >> lane & 1 == 1 {
                        let whole =
                            TriangleQuery { corners, query: Query::line().faces(faces), rule: EdgeRule::Closed };
                        let t = whole.answer::<f64>(&raw).expect("a crossing").t.to_f64();
                        let [low, high] = classified.range.map(|bound| f64::from(bound[lane]));
                        assert!(t <= high && (low <= t || low <= 0.0), "{low} {t} {high} {raw:?} {corners:?}");
                        certain += 1;
                    }
                    assert!(is_left || !is_hit, "{raw:?} {corners:?}");
                    hits += usize::from(is_hit);
                    misses += usize::from(!is_left);
                }
            }
        }
        assert!(hits > 4000 && misses > 50_000 && certain > 1000, "{hits} {misses} {certain}");
    }
}
