//! Which of sixteen boxes does a line meet? Never "no" when it does.

use super::shear::{Shear, axes};
use super::tree::{Planes, WIDTH, below};
use crate::math::{InputRay, ROUNDING, SINGLE_ROUNDING};
use crate::simd::SimdF32;
use glam::Vec4;

/// A line prepared for many boxes.
pub(crate) trait SlabTest {
    /// Whether lines start at a negative `t`.
    const SIGNED: bool;
    /// Where the line enters each box, rounded down, and those that it may meet up to `limit`, as bits.
    ///
    /// # Method
    /// Slabs: the last near plane is met before the first far one, or the box is not.
    ///
    /// # Source
    /// Kay, Kajiya, 1986; the margins after Ize, *Robust BVH Ray Traversal*, JCGT 2(2), 2013.
    fn enter<L: SimdF32>(&self, planes: &Planes, limit: f32) -> (L, u32);
}

/// A line rounded to `f32`, from its origin onward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// Each coordinate rounded once, if at all, and so the direction's. The fourth ones are zero.
    pub(crate) origin: Vec4,
    pub(crate) direction: Vec4,
    pub(crate) t_min: f32,
}

impl Aim {
    #[inline(always)]
    pub(crate) fn new(origin: Vec4, direction: Vec4, t_min: f32) -> Self {
        // Adding zero takes the sign of another zero.
        Self { origin, direction, t_min: t_min + 0.0 }
    }

    /// Not a line.
    pub(super) const NONE: Self = Self { origin: Vec4::ZERO, direction: Vec4::ZERO, t_min: 0.0 };

    /// Where it goes backwards, where it stands, and where it goes fastest: the same for lines that can go together.
    #[inline(always)]
    pub(crate) fn way(&self) -> u32 {
        let stands = self.direction.cmpeq(Vec4::ZERO).bitmask();
        self.direction.is_negative_bitmask() | stands << 4 | u32::from(axes(self.direction)[2]) << 8
    }

    /// A line in `f64`, rounded; none where that changes too much, or it is not [ordinary](Self::is_ordinary).
    #[inline(always)]
    pub(crate) fn of(raw: &InputRay, t_min: f64, largest: f32) -> Option<Self> {
        let (mut fine, mut origin, mut direction) = (true, [0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let (o, to) = (raw.origin[axis], raw.target[axis]);
            let d = if raw.is_segment { to - o } else { to };
            (origin[axis], direction[axis]) = (o as f32, d as f32);
            // What is zero only after rounding has an inverse that excludes too much; subnormal numbers are off by more than
            // their share.
            let exact = f64::from(origin[axis]) == o;
            fine &= ((d == 0.0) == (direction[axis] == 0.0)) & (exact | origin[axis].is_normal());
        }
        let vector = |[x, y, z]: [f32; 3]| Vec4::new(x, y, z, 0.0);
        let aim = Self::new(vector(origin), vector(direction), below(t_min));
        (fine & aim.is_ordinary(largest)).then_some(aim)
    }

    /// Whether it is of ordinary size, valid, and not from before its origin, among boxes of ordinary size: `largest` is the
    /// largest of their coordinates, without its sign.
    #[inline(always)]
    pub(crate) fn is_ordinary(&self, largest: f32) -> bool {
        let (size, speed, tame) = (self.origin.abs(), self.direction.abs(), Vec4::splat(TAME));
        let stands = speed.cmple(Vec4::ZERO);
        let ordinary = size.cmplt(tame) & speed.cmplt(tame) & (speed.cmpgt(Vec4::splat(1.0 / TAME)) | stands);
        ordinary.all() & !stands.all() & (self.t_min >= 0.0) & (largest < TAME)
    }
}

/// Such a line of ordinary size, among boxes of ordinary size.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Single {
    pub(super) slab: Slab,
    pub(crate) shear: Shear,
}

/// What it is to boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    t_min: f32,
    /// Axes along which the line goes backwards, as bits.
    octant: u32,
    /// A plane at `x` is met at `x inverse + shift`: of a near plane not after that of `shifts[0]`, of a far plane not before
    /// that of `shifts[1]`. Three numbers each.
    inverse: [f32; 4],
    shifts: [[f32; 4]; 2],
}

/// How far a parameter may be off, as a part of (M + |o|) / |d|, with M the largest coordinate of a box: the rounded origin (1
/// of 2^-24), the inverse of a rounded direction (2), two products, the shift and the sum. Seven, and as many again for the
/// roundings of the bound itself.
pub(super) const SLACK_IN_F32: f32 = 16.0 * SINGLE_ROUNDING;

/// Numbers are tame within 2^±30: neither their inverses nor products of a few leave the range of `f32`.
pub(super) const TAME: f32 = (1u32 << 30) as f32;

/// Stands for the inverse of zero, 2^90: a plane that the line does not come nearer to is met far beyond everything, or far
/// behind, unless it is so near to the origin that nothing can be said.
pub(super) const STEEP: f32 = f32::from_bits((127 + 90) << 23);

/// 2^70, of the largest coordinate of all: what a parameter may be off by along an axis on which the line stands.
pub(super) const STEEPNESS: f32 = f32::from_bits((127 + 70) << 23);

/// Whether a coordinate is small enough.
pub(crate) fn is_tame(x: f64) -> bool {
    x.abs() < f64::from(TAME)
}

impl Single {
    /// Of a line in `f64`: see [`new`](Self::new).
    #[inline(always)]
    pub(crate) fn of(raw: &InputRay, t_min: f64, largest: f32) -> Option<Self> {
        Aim::of(raw, t_min, largest).map(|aim| Self::of_ordinary(&aim, largest))
    }

    /// None for a line that is not [ordinary](Aim::is_ordinary). Coordinates are rounded once, and zero just where they were.
    #[inline(always)]
    pub(crate) fn new(aim: &Aim, largest: f32) -> Option<Self> {
        // By a closure it would be a call.
        if aim.is_ordinary(largest) { Some(Self::of_ordinary(aim, largest)) } else { None }
    }

    /// Of a line that is ordinary.
    #[inline(always)]
    pub(crate) fn of_ordinary(aim: &Aim, largest: f32) -> Self {
        let (o, d) = (aim.origin, aim.direction);
        let (size, speed) = (o.abs(), d.abs());
        let stands = speed.cmple(Vec4::ZERO);
        let steep = speed.recip().min(Vec4::splat(STEEP));
        let inverse = steep.copysign(d);
        let mut slack = (size + Vec4::splat(largest)) * steep * SLACK_IN_F32 + Vec4::splat(f32::MIN_POSITIVE);
        if stands.bitmask() & 0b111 != 0 {
            let farthest = largest + (size.x + size.y + size.z);
            slack += Vec4::select(stands, Vec4::splat(farthest * STEEPNESS), Vec4::ZERO);
        }
        let behind = o * inverse;
        let shifts = [(-behind - slack).to_array(), (slack - behind).to_array()];
        let octant = d.is_negative_bitmask();
        let shear = Shear::new(aim, inverse, largest);
        let slab = Slab { t_min: aim.t_min, octant, inverse: inverse.to_array(), shifts };
        Self { shear, slab }
    }

    /// Axes along which the line goes backwards, as bits.
    #[inline(always)]
    pub(super) fn octant(&self) -> usize {
        self.slab.octant as usize % 8
    }

    /// See [`SlabTest::enter`].
    #[inline(always)]
    pub(super) fn enter<L: SimdF32>(&self, planes: &Planes, limit: f32) -> (L, u32) {
        self.slab.enter(planes, limit)
    }

    /// The same of a node with its planes [`faced`].
    #[inline(always)]
    pub(super) fn meet<L: SimdF32>(&self, planes: &[L; 6], limit: f32) -> (L, u32) {
        self.slab.meet(planes, limit)
    }

    /// Not made ready yet.
    pub(super) const NONE: Self = Self {
        slab: Slab { t_min: 0.0, octant: 0, inverse: [0.0; 4], shifts: [[0.0; 4]; 2] },
        shear: Shear { axes: [0; 3], slope: [0.0; 2], shift: [0.0; 2], off: 0.0, origin: 0.0, pace: 0.0, t_min: 0.0 },
    };
}

impl Slab {
    #[inline(always)]
    fn meet<L: SimdF32>(&self, [x, y, z, a, b, c]: &[L; 6], limit: f32) -> (L, u32) {
        let Self { t_min, inverse, shifts: [early, late], .. } = self;
        let [i, j, k] = [L::splat(inverse[0]), L::splat(inverse[1]), L::splat(inverse[2])];
        // Closures over registers would be calls.
        let (near_x, near_y) = (x.times_plus(i, L::splat(early[0])), y.times_plus(j, L::splat(early[1])));
        let (far_x, far_y) = (a.times_plus(i, L::splat(late[0])), b.times_plus(j, L::splat(late[1])));
        let (near_z, far_z) = (z.times_plus(k, L::splat(early[2])), c.times_plus(k, L::splat(late[2])));
        let near = near_x.max(near_y).max(near_z.max(L::splat(*t_min)));
        let far = far_x.min(far_y).min(far_z.min(L::splat(limit)));
        (near, near.at_most(far))
    }
}

/// The near planes of a node x, y, z, and the far ones, for lines that go backwards along the axes of an octant.
#[inline(always)]
pub(super) fn faced<L: SimdF32>(planes: &Planes, octant: usize) -> [L; 6] {
    let (x, y, z) = (3 * (octant & 1), 1 + 3 * (octant >> 1 & 1), 2 + 3 * (octant >> 2 & 1));
    // Written out: `array::map` is a call.
    let [near, far] = [[x, y, z], [3 - x, 5 - y, 7 - z]];
    let at = |plane: usize| L::load(&planes[plane % 6]);
    [at(near[0]), at(near[1]), at(near[2]), at(far[0]), at(far[1]), at(far[2])]
}

impl SlabTest for Slab {
    const SIGNED: bool = false;
    /// One product and one sum a plane, fused or not, as Embree's fast traversal has them; there without a bound.
    ///
    /// # Accuracy
    /// With u = 2^-24, `x inverse + shift` is within 7 u (|x| + |o|) |inverse| of `(x - o) / d`, and `shift` moved by 16 u of
    /// the largest such number, and by more than what underflows. Where the direction is zero, slack is 2^70 of the largest
    /// coordinate of all: more than any `t` at which the line leaves the boxes, for along some axis it moves by 2^-30.
    #[inline(always)]
    fn enter<L: SimdF32>(&self, planes: &Planes, limit: f32) -> (L, u32) {
        self.meet(&faced(planes, self.octant as usize), limit)
    }
}

/// Any other line, in `f64`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double {
    origin: [f64; 3],
    direction: [f64; 3],
    inverse: [f64; 3],
    t_min: f64,
}

/// Four roundings (the direction of a segment, its inverse, a difference, a product) of 2^-53 each, but 2^-51 for an inverse
/// that is subnormal: seven, and one for the products of their errors.
const SLACK: f64 = 8.0 * ROUNDING;

impl Double {
    pub(super) fn of(raw: &InputRay, t_min: f64) -> Self {
        let line = raw.line::<f64>();
        let direction = [line.direction.x, line.direction.y, line.direction.z];
        Self { origin: raw.origin, direction, inverse: direction.map(|d| 1.0 / d), t_min }
    }
}

impl SlabTest for Double {
    const SIGNED: bool = true;
    /// A parameter that is not finite (an overflow, a direction whose inverse overflows) excludes nothing, nor does a direction
    /// that overflowed: nothing is known of its inverse.
    #[inline(always)]
    fn enter<L: SimdF32>(&self, planes: &Planes, limit: f32) -> (L, u32) {
        let (mut entries, mut mask) = ([0.0; WIDTH], 0);
        for i in 0..WIDTH {
            let (mut near, mut far) = (self.t_min, f64::from(limit));
            let mut beside = planes[0][i] > planes[3][i];
            for axis in 0..3 {
                let (o, d, inv) = (self.origin[axis], self.direction[axis], self.inverse[axis]);
                let sides = if inv < 0.0 { [axis + 3, axis] } else { [axis, axis + 3] };
                let [a, b] = sides.map(|side| f64::from(planes[side][i]));
                if d == 0.0 {
                    beside |= o < f64::from(planes[axis][i]) || o > f64::from(planes[axis + 3][i]);
                    continue;
                }
                if d.is_infinite() {
                    continue;
                }
                let (t0, t1) = ((a - o) * inv, (b - o) * inv);
                // The smallest normal number covers a product that underflowed.
                let t0 = t0 - (t0.abs() * SLACK + f64::MIN_POSITIVE);
                let t1 = t1 + (t1.abs() * SLACK + f64::MIN_POSITIVE);
                if t0 > near && t0 < f64::INFINITY {
                    near = t0;
                }
                if t1 < far && t1 > f64::NEG_INFINITY {
                    far = t1;
                }
            }
            entries[i] = below(near);
            mask |= u32::from(near <= far && !beside) << i;
        }
        (L::load(&entries), mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accel::above;
    use crate::simd::Row;
    use crate::{Ray, RayLike};
    use glam::DVec3;

    /// Nearer to a face than numbers in `f32` tell.
    fn is_close(o: [f64; 3]) -> bool {
        o.iter().any(|x| x.abs() != 1.0 && (x.abs() - 1.0).abs() < 1e-6)
    }

    fn meets(o: [f64; 3], d: [f64; 3]) -> bool {
        let line = RayLike::<DVec3>::raw(&Ray::new(DVec3::from(o), DVec3::from(d)));
        let mut planes = [[-1.0; WIDTH], [-1.0; WIDTH], [-1.0; WIDTH], [1.0; WIDTH], [1.0; WIDTH], [1.0; WIDTH]];
        // The last box is empty.
        for axis in 0..3 {
            planes[axis][WIDTH - 1] = f32::INFINITY;
            planes[axis + 3][WIDTH - 1] = f32::NEG_INFINITY;
        }
        let (_, mask) = Double::of(&line, 0.0).enter::<Row>(&planes, f32::INFINITY);
        if let Some(single) = Single::of(&line, 0.0, 1.0) {
            let (_, bits) = single.slab.enter::<Row>(&planes, f32::INFINITY);
            assert_eq!(bits & mask, mask, "f32 excludes nothing that f64 does not");
            assert!(bits == mask || is_close(o), "{o:?}: {bits:b}, in f64 {mask:b}");
        }
        assert!(mask == 0 || mask == (1 << (WIDTH - 1)) - 1, "{mask:b}");
        mask != 0
    }

    #[test]
    fn faces_edges_and_corners_are_met() {
        assert!(meets([-3.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
        assert!(meets([-3.0, 1.0, 1.0], [1.0, -0.0, 0.0]));
        assert!(meets([-3.0, -1.0, 0.0], [1.0, 1.0, 0.0]));
        assert!(meets([-2.0, -2.0, -2.0], [1e-300, 1e-300, 1e-300]));
        assert!(meets([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]));
        assert!(!meets([-3.0, 1.0 + f64::EPSILON, 0.0], [1.0, 0.0, 0.0]));
        assert!(!meets([-3.0, 1.0 + f64::from(f32::EPSILON), 0.0], [1.0, 0.0, 0.0]));
        assert!(!meets([-3.0, 1.5, 0.0], [1.0, 0.0, -0.0]));
        assert!(!meets([-3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]));
    }

    /// Lines through random points of random boxes, from near and far, some along an axis or a face, at every scale.
    #[test]
    fn a_box_around_a_point_of_the_line_is_met() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let mut met = 0;
        for round in 0..100_000 {
            let scale = [1.0, 1e-6, 1e6, 1e-30][round % 4];
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
            // Every other origin is not a number in `f32`.
            let beside = f64::from(next()) * SINGLE_ROUNDING as f64 * (round / 4 % 2) as f64;
            let o = o.map(|x| f64::from(x) * (1.0 + beside));
            let mut planes = [[0.0f32; WIDTH]; 6];
            for axis in 0..3 {
                let at = o[axis] + t * f64::from(d[axis]);
                // The last two are as flat as they can be.
                let [low, high] = [0, 1].map(|_| [0; WIDTH].map(|_| f64::from(next().abs() * scale)));
                let flat = |lane: usize, depth: [f64; WIDTH]| if lane < WIDTH - 2 { depth[lane] } else { 0.0 };
                planes[axis] = core::array::from_fn(|lane| below(at - flat(lane, low)));
                planes[axis + 3] = core::array::from_fn(|lane| -below(-at - flat(lane, high)));
            }
            let largest = planes.as_flattened().iter().fold(0.0, |most: f32, x| most.max(x.abs()));
            let raw = RayLike::<DVec3>::raw(&Ray::new(DVec3::from(o), DVec3::from(d.map(f64::from))));
            let Some(line) = Single::of(&raw, 0.0, largest) else { continue };
            let end = above(t);
            let (entries, bits) = line.slab.enter::<Row>(&planes, end);
            assert_eq!(bits, 0xFFFF, "{line:?} {planes:?} {t}");
            assert!(entries.iter().all(|&entry| f64::from(entry) <= t), "{entries:?} {t}");
            met += 1;
        }
        assert!(met > 90_000, "{met}");
    }

    #[test]
    fn tiny_directions_and_huge_origins_exclude_nothing_wrongly() {
        assert!(meets([0.0, 0.0, 0.0], [5e-324, 0.0, 0.0]));
        assert!(meets([0.5, 0.0, 0.0], [5e-324, 5e-324, 0.0]));
        assert!(meets([-1e308, 0.0, 0.0], [1e308, 0.0, 0.0]));
        assert!(meets([f64::MIN, 0.0, 0.0], [1.0, 0.0, 0.0]));
    }
}
