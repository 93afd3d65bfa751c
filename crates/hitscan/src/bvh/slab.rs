//! Slab test of a ray against sixteen boxes. Conservative: never misses a box that the ray hits.

use crate::bvh::node::NodeBounds;
use crate::bvh::ray::RayF32;
use crate::math::rounding::SINGLE_ROUNDING;
use crate::simd::lanes::{F32Lanes, SimdF32};
use glam::Vec4;

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
    near: PlaneOffsets,
    /// The ray meets a plane at `x` at `x inverse + shift`: `shifts[0]` gives a lower bound for near planes,
    /// `shifts[1]` an upper bound for far planes. Lanes x, y, z.
    inverse: [f32; 4],
    shifts: [[f32; 4]; 2],
}

/// Bytes of a row of planes.
const ROW: usize = size_of::<F32Lanes>();

/// Offsets in bytes of the near planes x, y, z in a [`NodeBounds`], which every node needs: of the least coordinates, or of the
/// greatest ones where the direction is negative. Then the octant: the axes of negative direction, as bits. The only values are
/// those of [`PLANE_OFFSETS`].
#[derive(Clone, Copy, Debug)]
struct PlaneOffsets([u16; 4]);

/// The offsets for each octant.
const PLANE_OFFSETS: [PlaneOffsets; 8] = {
    let (mut offsets, mut octant) = ([PlaneOffsets([0; 4]); 8], 0);
    while octant < 8 {
        let (x, y, z) = (octant & 1, octant >> 1 & 1, octant >> 2);
        let near = [3 * ROW * x, ROW + 3 * ROW * y, 2 * ROW + 3 * ROW * z];
        offsets[octant] = PlaneOffsets([near[0] as u16, near[1] as u16, near[2] as u16, octant as u16]);
        octant += 1;
    }
    offsets
};

/// Relative error bound of `t`, as a multiple of (M + |o|) / |d|, with M the largest coordinate of a box: the rounded
/// origin (1 of 2^-24), the inverse of a rounded direction (2), two products, the shift and the sum. Seven, and as many
/// again for the roundings of the bound itself. See docs/proofs.md, Lemma 22.
pub(crate) const SLACK_IN_F32: f32 = 16.0 * SINGLE_ROUNDING;

/// Substitute for the inverse of zero, 2^90: a ray parallel to a plane meets it far beyond all boxes, or far behind,
/// unless the origin is so close to the plane that the test is uncertain.
pub(crate) const ZERO_INVERSE: f32 = f32::from_bits((127 + 90) << 23);

/// Error bound of `t` along an axis of zero direction, as a multiple of the largest coordinate: 2^70.
pub(crate) const PARALLEL_ERROR: f32 = f32::from_bits((127 + 70) << 23);

impl SlabConstants {
    /// Prepares a ray as [`PreparedRay::of_ordinary`](crate::bvh::prepared_ray::PreparedRay::of_ordinary) does, without the shear.
    #[inline(always)]
    pub(crate) fn of_ordinary(aim: &RayF32, largest: f32) -> Self {
        Self::within::<false>(aim, largest, 0.0)
    }

    /// Prepares an ordinary ray. If `INFLATED`, every point of it is uncertain by `margin` along each axis: each plane is met earlier or
    /// later by the margin over the speed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn within<const INFLATED: bool>(aim: &RayF32, largest: f32, margin: f32) -> Self {
        let (o, d) = (aim.origin, aim.direction);
        let (size, speed) = (o.abs(), d.abs());
        // The inverse of each component, with a large number in place of that of zero.
        let is_zero = speed.cmple(Vec4::ZERO);
        let steep = speed.recip().min(Vec4::splat(ZERO_INVERSE));
        let inverse = steep.copysign(d);
        // The bound of the errors of `t` at any plane of the boxes; an inflated ray adds its margin.
        let mut slack = (size + Vec4::splat(largest)) * steep * SLACK_IN_F32 + Vec4::splat(f32::MIN_POSITIVE);
        if INFLATED {
            slack += steep * margin;
        }
        // A ray parallel to an axis: its parameters are so uncertain that the planes cut nothing off, unless the origin
        // is outside of them.
        if is_zero.bitmask() & 0b111 != 0 {
            let farthest = largest + (size.x + size.y + size.z);
            slack += Vec4::select(is_zero, Vec4::splat(farthest * PARALLEL_ERROR), Vec4::ZERO);
        }
        // One product and one sum per plane: the sums have the bounds of the errors in them, early for near planes and
        // late for far ones.
        let behind = o * inverse;
        let shifts = [(-behind - slack).to_array(), (slack - behind).to_array()];
        Self::new(aim.t_min, d.is_negative_bitmask(), inverse.to_array(), shifts)
    }

    /// `octant` holds the axes of negative direction as bits; higher bits are ignored.
    #[inline(always)]
    pub(crate) fn new(t_min: f32, octant: u32, inverse: [f32; 4], shifts: [[f32; 4]; 2]) -> Self {
        Self { t_min, near: PLANE_OFFSETS[octant as usize % 8], inverse, shifts }
    }

    /// Placeholder for a ray that is prepared later.
    pub(crate) const NONE: Self = Self { t_min: 0.0, near: PLANE_OFFSETS[0], inverse: [0.0; 4], shifts: [[0.0; 4]; 2] };

    /// Inverse of the direction.
    #[inline(always)]
    pub(crate) fn inverse(&self) -> Vec4 {
        Vec4::from_array(self.inverse)
    }

    /// Axes of negative direction, as bits.
    #[inline(always)]
    pub(crate) fn octant(&self) -> usize {
        usize::from(self.near.0[3])
    }

    /// The test with planes from [`near_far_planes`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn intersect<L: SimdF32>(&self, [x, y, z, a, b, c]: &[L; 6], limit: f32) -> (L, u32) {
        let Self { t_min, inverse, shifts: [early, late], .. } = self;
        let [i, j, k] = [L::splat(inverse[0]), L::splat(inverse[1]), L::splat(inverse[2])];
        // Not closures over registers: they would compile to calls.
        let (near_x, near_y) = (x.mul_add(i, L::splat(early[0])), y.mul_add(j, L::splat(early[1])));
        let (far_x, far_y) = (a.mul_add(i, L::splat(late[0])), b.mul_add(j, L::splat(late[1])));
        let (near_z, far_z) = (z.mul_add(k, L::splat(early[2])), c.mul_add(k, L::splat(late[2])));
        // The last near plane before the first far one, within the range of the ray.
        let near = near_x.max(near_y).max(near_z.max(L::splat(*t_min)));
        let far = far_x.min(far_y).min(far_z.min(L::splat(limit)));
        (near, near.le(far))
    }
}

/// Near planes x, y, z of a node, then its far planes, for rays of an octant.
#[inline(always)]
pub(crate) fn near_far_planes<L: SimdF32>(planes: &NodeBounds, octant: usize) -> [L; 6] {
    planes_from(planes, &PLANE_OFFSETS[octant % 8])
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn planes_from<L: SimdF32>(planes: &NodeBounds, &PlaneOffsets([x, y, z, _]): &PlaneOffsets) -> [L; 6] {
    let [x, y, z] = [usize::from(x), usize::from(y), usize::from(z)];
    let at = |byte: usize| {
        #[allow(unsafe_code)]
        // SAFETY: `PlaneOffsets` has the offset of one of the six rows for each axis; the two of an axis are three rows apart,
        // and their sum less one of them is the other.
        unsafe {
            L::load(&*planes.as_ptr().byte_add(byte))
        }
    };
    [at(x), at(y), at(z), at(3 * ROW - x), at(5 * ROW - y), at(7 * ROW - z)]
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
        self.intersect(&planes_from(planes, &self.near), limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_planes_come_first_in_each_octant() {
        let planes: NodeBounds = core::array::from_fn(|row| [row as f32; 16]);
        for octant in 0..8 {
            let rows = near_far_planes::<F32Lanes>(&planes, octant).map(|row| row[15] as usize);
            let near: [usize; 3] = core::array::from_fn(|axis| axis + 3 * (octant >> axis & 1));
            assert_eq!(rows, [near[0], near[1], near[2], 3 - near[0], 5 - near[1], 7 - near[2]]);
            assert_eq!(SlabConstants::new(0.0, 8 | octant as u32, [0.0; 4], [[0.0; 4]; 2]).octant(), octant);
        }
    }
}
