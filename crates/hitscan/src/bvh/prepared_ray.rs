//! Prepared rays: constants computed once per ray before traversal, in `f32` and in `f64`.

use crate::bvh::node::{NodeBounds, WIDTH};
use crate::bvh::ray::RayF32;
use crate::bvh::shear::WoopShear;
use crate::bvh::slab::{SlabConstants, SlabTest};
use crate::math::rounding::{ROUNDING, SINGLE_ROUNDING, round_down_f32};
use crate::math::working_ray::InputRay;
use crate::simd::dispatch::Baseline;
use crate::simd::lanes::SimdF32;

/// Prepared ray: the `f32` constants of the slab test and of the shear. Only for [ordinary](RayF32::is_ordinary) rays.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct PreparedRay {
    pub(crate) slab: SlabConstants,
    pub(crate) shear: WoopShear,
}

impl PreparedRay {
    /// Prepares a ray in `f64`; `None` unless rounding keeps it, and it is [ordinary](RayF32::is_ordinary).
    #[cfg(test)]
    pub(crate) fn of(raw: &InputRay, t_min: f64, largest: f32) -> Option<Self> {
        RayF32::of(raw, t_min, largest).map(|aim| Self::of_ordinary::<Baseline>(&aim, largest))
    }

    /// Prepares a ray that is known to be ordinary. Its coordinates are rounded at most once, and zero only where the input is zero.
    #[inline(always)]
    pub(crate) fn of_ordinary<L: SimdF32>(aim: &RayF32, largest: f32) -> Self {
        Self::within::<L, false>(aim, largest, 0.0)
    }

    /// Prepares an ordinary ray every point of which is uncertain by `margin` along each axis.
    ///
    /// # Accuracy
    /// A plane is met earlier or later by the margin over the speed. An offset from the sheared ray moves by the margin
    /// across the ray, and by as much along it, times a slope of at most 1. Four more roundings are of these bounds and
    /// of the sums with them.
    #[inline(always)]
    pub(crate) fn inflated(aim: &RayF32, largest: f32, margin: f32) -> Self {
        Self::within::<Baseline, true>(aim, largest, margin * (1.0 + 8.0 * SINGLE_ROUNDING))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn within<L: SimdF32, const INFLATED: bool>(aim: &RayF32, largest: f32, margin: f32) -> Self {
        let slab = SlabConstants::within::<INFLATED>(aim, largest, margin);
        let mut shear = WoopShear::new::<L>(aim, slab.inverse(), largest);
        if INFLATED {
            shear.error_bound = (shear.error_bound + 2.0 * margin) * (1.0 + 4.0 * SINGLE_ROUNDING);
        }
        Self { slab, shear }
    }

    /// Axes of negative direction, as bits.
    #[inline(always)]
    pub(crate) fn octant(&self) -> usize {
        self.slab.octant()
    }

    /// See [`SlabTest::enter`].
    #[inline(always)]
    pub(crate) fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32) {
        self.slab.enter(planes, limit)
    }

    /// Slab test of planes from [`near_far_planes`](crate::bvh::slab::near_far_planes).
    #[inline(always)]
    pub(crate) fn intersect<L: SimdF32>(&self, planes: &[L; 6], limit: f32) -> (L, u32) {
        self.slab.intersect(planes, limit)
    }

    /// Placeholder for a ray that is prepared later.
    pub(crate) const NONE: Self = Self {
        slab: SlabConstants::NONE,
        shear: WoopShear {
            axes: [0; 3],
            slope: [0.0; 2],
            shift: [0.0; 2],
            error_bound: 0.0,
            origin: 0.0,
            inv_dz: 0.0,
            t_min: 0.0,
        },
    };
}

/// Prepared ray in `f64`, for rays that are not ordinary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedRayF64 {
    origin: [f64; 3],
    direction: [f64; 3],
    inverse: [f64; 3],
    t_min: f64,
    /// Uncertainty of every point of the ray along each axis: of a ray in the coordinates of an instance.
    margin: f64,
}

/// Relative error bound of `t`. Four roundings (the direction of a segment, its inverse, a difference, a product) of
/// 2^-53 each, but 2^-51 for an inverse that is subnormal: seven, and one for the products of their errors. See
/// docs/proofs.md, Lemma 22.
const SLACK: f64 = 8.0 * ROUNDING;

impl PreparedRayF64 {
    pub(crate) fn of(raw: &InputRay, t_min: f64) -> Self {
        let line = raw.line::<f64>();
        let direction = [line.direction.x, line.direction.y, line.direction.z];
        Self { origin: raw.origin, direction, inverse: direction.map(|d| 1.0 / d), t_min, margin: 0.0 }
    }
    pub(crate) fn with_margin(self, margin: f64) -> Self {
        Self { margin, ..self }
    }
}

impl SlabTest for PreparedRayF64 {
    const SIGNED: bool = true;
    /// Slab test in `f64`, box by box.
    ///
    /// # Edges
    /// A parameter that is not finite (an overflow, or a direction whose inverse overflows) culls nothing. Neither does
    /// an infinite direction, whose inverse carries no information.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32) {
        // Box by box, for any ray: the interval of `t` within the range is cut by each pair of planes.
        let (mut entries, mut mask) = ([0.0; WIDTH], 0);
        for i in 0..WIDTH {
            let (mut near, mut far) = (self.t_min, f64::from(limit));
            let mut beside = planes[0][i] > planes[3][i];
            for axis in 0..3 {
                let (o, d, inv) = (self.origin[axis], self.direction[axis], self.inverse[axis]);
                let sides = if inv < 0.0 { [axis + 3, axis] } else { [axis, axis + 3] };
                let [a, b] = sides.map(|side| f64::from(planes[side][i]));
                // A ray parallel to the planes is between them, or misses the box.
                if d == 0.0 {
                    let margin = self.margin;
                    beside |= o + margin < f64::from(planes[axis][i]) || o - margin > f64::from(planes[axis + 3][i]);
                    continue;
                }
                // An infinite direction says nothing about `t`.
                if d.is_infinite() {
                    continue;
                }
                // The parameters of the near and the far plane, moved outward by their errors.
                let (t0, t1) = ((a - o) * inv, (b - o) * inv);
                // `f64::MIN_POSITIVE` covers a product that underflows.
                let margin = self.margin * inv.abs();
                let t0 = t0 - margin - (t0.abs() * SLACK + f64::MIN_POSITIVE);
                let t1 = t1 + margin + (t1.abs() * SLACK + f64::MIN_POSITIVE);
                // A parameter that is not finite comes from an overflow, and cuts nothing off.
                if t0 > near && t0 < f64::INFINITY {
                    near = t0;
                }
                if t1 < far && t1 > f64::NEG_INFINITY {
                    far = t1;
                }
            }
            // The entry is rounded down: it decides the order of children and what the end of the ray culls.
            entries[i] = round_down_f32(near);
            mask |= u32::from(near <= far && !beside) << i;
        }
        (L::load(&entries), mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rounding::round_up_f32;
    use crate::simd::lanes::F32Lanes;
    use crate::{Ray, RayLike};
    use glam::DVec3;
    use test_support::random::Lcg;

    /// Whether the origin is closer to a face than `f32` resolves.
    fn is_close(o: [f64; 3]) -> bool {
        o.iter().any(|x| x.abs() != 1.0 && (x.abs() - 1.0).abs() < 1e-6)
    }

    fn intersects(o: [f64; 3], d: [f64; 3]) -> bool {
        let line = RayLike::<DVec3>::raw(&Ray::new(DVec3::from(o), DVec3::from(d)));
        let mut planes = [[-1.0; WIDTH], [-1.0; WIDTH], [-1.0; WIDTH], [1.0; WIDTH], [1.0; WIDTH], [1.0; WIDTH]];
        // The last box is empty.
        for axis in 0..3 {
            planes[axis][WIDTH - 1] = f32::INFINITY;
            planes[axis + 3][WIDTH - 1] = f32::NEG_INFINITY;
        }
        let (_, mask) = PreparedRayF64::of(&line, 0.0).enter::<F32Lanes>(&planes, f32::INFINITY);
        if let Some(single) = PreparedRay::of(&line, 0.0, 1.0) {
            let (_, bits) = single.slab.enter::<F32Lanes>(&planes, f32::INFINITY);
            assert_eq!(bits & mask, mask, "f32 excludes nothing that f64 does not");
            assert!(bits == mask || is_close(o), "{o:?}: {bits:b}, in f64 {mask:b}");
        }
        assert!(mask == 0 || mask == (1 << (WIDTH - 1)) - 1, "{mask:b}");
        mask != 0
    }

    #[test]
    fn faces_edges_and_corners_are_met() {
        assert!(intersects([-3.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
        assert!(intersects([-3.0, 1.0, 1.0], [1.0, -0.0, 0.0]));
        assert!(intersects([-3.0, -1.0, 0.0], [1.0, 1.0, 0.0]));
        assert!(intersects([-2.0, -2.0, -2.0], [1e-300, 1e-300, 1e-300]));
        assert!(intersects([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]));
        assert!(!intersects([-3.0, 1.0 + f64::EPSILON, 0.0], [1.0, 0.0, 0.0]));
        assert!(!intersects([-3.0, 1.0 + f64::from(f32::EPSILON), 0.0], [1.0, 0.0, 0.0]));
        assert!(!intersects([-3.0, 1.5, 0.0], [1.0, 0.0, -0.0]));
        assert!(!intersects([-3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]));
    }

    /// Rays through random points of random boxes, at near and far origins, some along an axis or a face, at every
    /// scale.
    #[test]
    fn a_box_around_a_point_of_the_line_is_met() {
        let mut rng = Lcg::new(1);
        let mut next = || rng.signed_unit() as f32;
        let mut met = 0;
        for round in 0..100_000 {
            let scale = [1.0, 1e-6, 1e6, 1e-30][round % 4];
            // An origin far away along some axes, a direction along an axis or nearly so.
            let mut o = [next(), next(), next()].map(|x| x * scale);
            let mut d = [next(), next(), next()];
            for axis in 0..3 {
                match (next() * 4.0) as i32 {
                    3 => d[axis] = 0.0,
                    -3 => d[axis] *= 1e-6,
                    2 => o[axis] *= 1000.0,
                    _ => {}
                }
            }
            let t = f64::from(next().abs() * scale * 4.0);
            // Every other group of four origins is not representable in `f32`.
            let beside = f64::from(next()) * SINGLE_ROUNDING as f64 * (round / 4 % 2) as f64;
            let o = o.map(|x| f64::from(x) * (1.0 + beside));
            // Sixteen boxes around one point of the ray.
            let mut planes = [[0.0f32; WIDTH]; 6];
            for axis in 0..3 {
                let at = o[axis] + t * f64::from(d[axis]);
                // The last two boxes are as flat as rounding allows.
                let [low, high] = [0, 1].map(|_| [0; WIDTH].map(|_| f64::from(next().abs() * scale)));
                let flat = |lane: usize, depth: [f64; WIDTH]| if lane < WIDTH - 2 { depth[lane] } else { 0.0 };
                planes[axis] = core::array::from_fn(|lane| round_down_f32(at - flat(lane, low)));
                planes[axis + 3] = core::array::from_fn(|lane| -round_down_f32(-at - flat(lane, high)));
            }
            let largest = planes.as_flattened().iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
            // The test must find all of them, each entered no later than at that point.
            let raw = RayLike::<DVec3>::raw(&Ray::new(DVec3::from(o), DVec3::from(d.map(f64::from))));
            let Some(line) = PreparedRay::of(&raw, 0.0, largest) else { continue };
            let end = round_up_f32(t);
            let (entries, bits) = line.slab.enter::<F32Lanes>(&planes, end);
            assert_eq!(bits, 0xFFFF, "{line:?} {planes:?} {t}");
            assert!(entries.iter().all(|&entry| f64::from(entry) <= t), "{entries:?} {t}");
            met += 1;
        }
        assert!(met > 90_000, "{met}");
    }

    #[test]
    fn tiny_directions_and_huge_origins_exclude_nothing_wrongly() {
        assert!(intersects([0.0, 0.0, 0.0], [5e-324, 0.0, 0.0]));
        assert!(intersects([0.5, 0.0, 0.0], [5e-324, 5e-324, 0.0]));
        assert!(intersects([-1e308, 0.0, 0.0], [1e308, 0.0, 0.0]));
        assert!(intersects([f64::MIN, 0.0, 0.0], [1.0, 0.0, 0.0]));
    }
}
