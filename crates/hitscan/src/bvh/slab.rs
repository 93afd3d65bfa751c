//! Slab test of a ray against sixteen boxes. Conservative: never misses a box that the ray hits.

use crate::bvh::node::NodeBounds;
use crate::math::rounding::SINGLE_ROUNDING;
use crate::simd::lanes::SimdF32;

/// Slab test: a ray prepared for many boxes.
pub(crate) trait SlabTest {
    /// Whether entry distances may be negative.
    const SIGNED: bool;
    /// Entry distance of each box, rounded down, and a mask of the boxes that the ray may hit up to `limit`.
    ///
    /// # Method
    /// Slabs: the ray hits a box if it meets the last near plane before the first far one.
    ///
    /// # Source
    /// Kay, Kajiya, 1986; the margins after Ize, *Robust BVH Ray Traversal*, JCGT 2(2), 2013.
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32);
}

/// Slab constants of a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlabConstants {
    pub(crate) t_min: f32,
    /// Axes of negative direction, as bits.
    pub(crate) octant: u32,
    /// The ray meets a plane at `x` at `x inverse + shift`: `shifts[0]` gives a lower bound for near planes,
    /// `shifts[1]` an upper bound for far planes. Lanes x, y, z.
    pub(crate) inverse: [f32; 4],
    pub(crate) shifts: [[f32; 4]; 2],
}

/// Relative error bound of `t`, as a multiple of (M + |o|) / |d|, with M the largest coordinate of a box: the rounded
/// origin (1 of 2^-24), the inverse of a rounded direction (2), two products, the shift and the sum. Seven, and as many
/// again for the roundings of the bound itself.
pub(crate) const SLACK_IN_F32: f32 = 16.0 * SINGLE_ROUNDING;

/// Substitute for the inverse of zero, 2^90: a ray parallel to a plane meets it far beyond all boxes, or far behind,
/// unless the origin is so close to the plane that the test is uncertain.
pub(crate) const ZERO_INVERSE: f32 = f32::from_bits((127 + 90) << 23);

/// Error bound of `t` along an axis of zero direction, as a multiple of the largest coordinate: 2^70.
pub(crate) const PARALLEL_ERROR: f32 = f32::from_bits((127 + 70) << 23);

impl SlabConstants {
    #[inline(always)]
    pub(crate) fn intersect<L: SimdF32>(&self, [x, y, z, a, b, c]: &[L; 6], limit: f32) -> (L, u32) {
        let Self { t_min, inverse, shifts: [early, late], .. } = self;
        let [i, j, k] = [L::splat(inverse[0]), L::splat(inverse[1]), L::splat(inverse[2])];
        // Not closures over registers: they would compile to calls.
        let (near_x, near_y) = (x.mul_add(i, L::splat(early[0])), y.mul_add(j, L::splat(early[1])));
        let (far_x, far_y) = (a.mul_add(i, L::splat(late[0])), b.mul_add(j, L::splat(late[1])));
        let (near_z, far_z) = (z.mul_add(k, L::splat(early[2])), c.mul_add(k, L::splat(late[2])));
        let near = near_x.max(near_y).max(near_z.max(L::splat(*t_min)));
        let far = far_x.min(far_y).min(far_z.min(L::splat(limit)));
        (near, near.le(far))
    }
}

/// Near planes x, y, z of a node, then its far planes, for rays of an octant.
#[inline(always)]
pub(crate) fn near_far_planes<L: SimdF32>(planes: &NodeBounds, octant: usize) -> [L; 6] {
    let (x, y, z) = (3 * (octant & 1), 1 + 3 * (octant >> 1 & 1), 2 + 3 * (octant >> 2 & 1));
    // Written out, because `array::map` compiles to a call.
    let [near, far] = [[x, y, z], [3 - x, 5 - y, 7 - z]];
    let at = |plane: usize| L::load(&planes[plane % 6]);
    [at(near[0]), at(near[1]), at(near[2]), at(far[0]), at(far[1]), at(far[2])]
}

impl SlabTest for SlabConstants {
    const SIGNED: bool = false;
    /// Slab test with one product and one sum per plane, fused or not, like Embree's fast traversal, but with an error
    /// bound.
    ///
    /// # Accuracy
    /// With u = 2^-24, `x inverse + shift` is within 7 u (|x| + |o|) |inverse| of `(x - o) / d`, and `shift` is moved
    /// by 16 u of the largest such number, and by more than what underflows. Where the direction is zero, the slack is
    /// 2^70 of the largest coordinate of all: more than any `t` at which the ray leaves the boxes, for along some axis
    /// it moves by 2^-30.
    #[inline(always)]
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32) {
        self.intersect(&near_far_planes(planes, self.octant as usize), limit)
    }
}
