//! Which of eight boxes does a line meet? Never "no" when it does.

use super::tree::{WIDTH, below};
use crate::math::{ROUNDING, Raw, SINGLE_ROUNDING};
use crate::simd::Lanes;

type Planes = [[f32; WIDTH]; 6];

/// A line prepared for many boxes.
pub(crate) trait SlabTest {
    /// Whether lines start at a negative `t`.
    const SIGNED: bool;
    /// Where the line enters each box, rounded down, and those that it may meet up to `limit`, as bits.
    ///
    /// # Method
    /// Slabs. Along an axis on which the direction is zero a plane is met at an infinite `t`, of the sign that excludes
    /// the box just when the origin is beside it; in the plane itself at `0/0`, which excludes nothing.
    ///
    /// # Source
    /// Kay, Kajiya, 1986; the margins after Ize, *Robust BVH Ray Traversal*, JCGT 2(2), 2013.
    fn enter<L: Lanes>(&self, planes: &Planes, limit: f32) -> (L, u32);
    /// The line in `f32`, if that is what it is.
    fn single(&self) -> Option<&Single>;
}

/// Where the near and the far planes of an axis are: the smallest coordinates at 0..3, the largest ones at 3..6.
fn sides(axis: usize, negative: bool) -> [usize; 2] {
    if negative { [axis + 3, axis] } else { [axis, axis + 3] }
}

/// A line of ordinary size whose origin is given in `f32`, from there onward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    /// Exactly.
    pub(crate) origin: [f32; 3],
    /// Rounded, where the line is a segment.
    pub(crate) direction: [f32; 3],
    inverse: [f32; 3],
    pub(crate) t_min: f32,
}

/// Three roundings of 2^-24 (the inverse of a rounded direction, a difference, a product) may make an entry too large, and
/// four an exit too small: eight for both together.
const SINGLE_SLACK: f32 = 1.0 + 8.0 * SINGLE_ROUNDING;

/// Numbers are tame within 2^±30: neither their inverses nor products of a few leave the range of `f32`.
const TAME: f32 = (1u32 << 30) as f32;

/// Whether a coordinate is small enough.
pub(crate) fn is_tame(x: f64) -> bool {
    x.abs() < f64::from(TAME)
}

impl Single {
    /// None for a line that is not of this kind, or not valid.
    #[inline(always)]
    pub(crate) fn of(raw: &Raw, t_min: f64) -> Option<Self> {
        let (mut fine, mut moves) = (t_min >= 0.0, false);
        // Adding zero takes the sign of another zero.
        let mut line = Self { origin: [0.0; 3], direction: [0.0; 3], inverse: [0.0; 3], t_min: below(t_min + 0.0) };
        for axis in 0..3 {
            let (o, to) = (raw.origin[axis], raw.target[axis]);
            let d = if raw.is_segment { to - o } else { to };
            let (o_32, d_32) = (o as f32, d as f32);
            fine &= (f64::from(o_32) == o) & (o_32.abs() < TAME);
            // What is zero only after rounding has an inverse that excludes too much.
            fine &= (d == 0.0) | ((d_32.abs() < TAME) & (d_32.abs() > 1.0 / TAME));
            moves |= d != 0.0;
            (line.origin[axis], line.direction[axis], line.inverse[axis]) = (o_32, d_32, 1.0 / d_32);
        }
        (fine & moves).then_some(line)
    }
}

impl SlabTest for Single {
    const SIGNED: bool = false;
    #[inline(always)]
    fn enter<L: Lanes>(&self, planes: &Planes, limit: f32) -> (L, u32) {
        let (mut near, mut far) = (L::splat(self.t_min), L::splat(limit));
        for axis in 0..3 {
            let (o, inverse) = (L::splat(self.origin[axis]), L::splat(self.inverse[axis]));
            let [near_side, far_side] = sides(axis, self.inverse[axis] < 0.0);
            let (a, b) = (L::load(&planes[near_side]), L::load(&planes[far_side]));
            // A NaN loses.
            near = a.minus(o).times(inverse).max(near);
            far = b.minus(o).times(inverse).min(far);
        }
        (near.times(L::splat(2.0 - SINGLE_SLACK)), near.at_most(far.times(L::splat(SINGLE_SLACK))))
    }
    #[inline(always)]
    fn single(&self) -> Option<&Single> {
        Some(self)
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

/// Four roundings (the direction of a segment, its inverse, a difference, a product) of 2^-53 each, doubled for the
/// products of their errors.
const SLACK: f64 = 8.0 * ROUNDING;

impl Double {
    pub(super) fn of(raw: &Raw, t_min: f64) -> Self {
        let line = raw.line::<f64>();
        let direction = [line.direction.x, line.direction.y, line.direction.z];
        Self { origin: raw.origin, direction, inverse: direction.map(|d| 1.0 / d), t_min }
    }
}

impl SlabTest for Double {
    const SIGNED: bool = true;
    /// A parameter that is not finite (an overflow, a direction whose inverse overflows) excludes nothing.
    #[inline(always)]
    fn enter<L: Lanes>(&self, planes: &Planes, limit: f32) -> (L, u32) {
        let (mut entries, mut mask) = ([0.0; WIDTH], 0);
        for i in 0..WIDTH {
            let (mut near, mut far) = (self.t_min, f64::from(limit));
            let mut beside = planes[0][i] > planes[3][i];
            for axis in 0..3 {
                let (o, d, inv) = (self.origin[axis], self.direction[axis], self.inverse[axis]);
                let [a, b] = sides(axis, inv < 0.0).map(|side| f64::from(planes[side][i]));
                if d == 0.0 {
                    beside |= o < f64::from(planes[axis][i]) || o > f64::from(planes[axis + 3][i]);
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
    #[inline(always)]
    fn single(&self) -> Option<&Single> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cast, Ray};
    use glam::DVec3;

    fn meets(o: [f64; 3], d: [f64; 3]) -> bool {
        let line = Cast::<DVec3>::raw(&Ray::new(DVec3::from(o), DVec3::from(d)));
        let mut planes = [[-1.0; WIDTH], [-1.0; WIDTH], [-1.0; WIDTH], [1.0; WIDTH], [1.0; WIDTH], [1.0; WIDTH]];
        // The last box is empty.
        for axis in 0..3 {
            planes[axis][WIDTH - 1] = f32::INFINITY;
            planes[axis + 3][WIDTH - 1] = f32::NEG_INFINITY;
        }
        let (_, mask) = Double::of(&line, 0.0).enter::<[f32; WIDTH]>(&planes, f32::INFINITY);
        if let Some(single) = Single::of(&line, 0.0) {
            let (_, bits) = single.enter::<[f32; WIDTH]>(&planes, f32::INFINITY);
            assert_eq!(bits, mask, "in f32 and f64 alike");
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

    #[test]
    fn tiny_directions_and_huge_origins_exclude_nothing_wrongly() {
        assert!(meets([0.0, 0.0, 0.0], [5e-324, 0.0, 0.0]));
        assert!(meets([0.5, 0.0, 0.0], [5e-324, 5e-324, 0.0]));
        assert!(meets([-1e308, 0.0, 0.0], [1e308, 0.0, 0.0]));
        assert!(meets([f64::MIN, 0.0, 0.0], [1.0, 0.0, 0.0]));
    }
}
