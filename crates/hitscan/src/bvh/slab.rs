//! Which of sixteen boxes does a line meet? Never "no" when it does.

use crate::bvh::node::Planes;
use crate::math::rounding::SINGLE_ROUNDING;
use crate::simd::lanes::SimdF32;

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

/// What it is to boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab {
    pub(crate) t_min: f32,
    /// Axes along which the line goes backwards, as bits.
    pub(crate) octant: u32,
    /// A plane at `x` is met at `x inverse + shift`: of a near plane not after that of `shifts[0]`, of a far plane not before
    /// that of `shifts[1]`. Three numbers each.
    pub(crate) inverse: [f32; 4],
    pub(crate) shifts: [[f32; 4]; 2],
}

/// How far a parameter may be off, as a part of (M + |o|) / |d|, with M the largest coordinate of a box: the rounded origin (1
/// of 2^-24), the inverse of a rounded direction (2), two products, the shift and the sum. Seven, and as many again for the
/// roundings of the bound itself.
pub(crate) const SLACK_IN_F32: f32 = 16.0 * SINGLE_ROUNDING;

/// Stands for the inverse of zero, 2^90: a plane that the line does not come nearer to is met far beyond everything, or far
/// behind, unless it is so near to the origin that nothing can be said.
pub(crate) const STEEP: f32 = f32::from_bits((127 + 90) << 23);

/// 2^70, of the largest coordinate of all: what a parameter may be off by along an axis on which the line stands.
pub(crate) const STEEPNESS: f32 = f32::from_bits((127 + 70) << 23);

impl Slab {
    #[inline(always)]
    pub(crate) fn meet<L: SimdF32>(&self, [x, y, z, a, b, c]: &[L; 6], limit: f32) -> (L, u32) {
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
pub(crate) fn faced<L: SimdF32>(planes: &Planes, octant: usize) -> [L; 6] {
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
