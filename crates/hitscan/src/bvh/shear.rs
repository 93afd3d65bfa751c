//! Shear of the watertight ray/triangle test: maps the ray to the last axis.

use crate::bvh::ray::{AXES, RayF32};
use crate::math::rounding::SINGLE_ROUNDING as U;
use crate::simd::lanes::SimdF32;
use glam::{Vec4, Vec4Swizzles};

/// Woop shear. A point `x`, `y`, `z`, in the order of `axes`, has the offset `x - slope z + shift` from the ray, and
/// likewise for `y`.
///
/// # Source
/// Woop, Benthin, Wald, *Watertight Ray/Triangle Intersection*, JCGT 2(1), 2013: the shear. The error bound is our own.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct WoopShear {
    /// Axis order; the last one is the dominant axis of the direction.
    pub(crate) axes: [u8; 3],
    pub(crate) slope: [f32; 2],
    pub(crate) shift: [f32; 2],
    /// Error bound of an offset.
    pub(crate) error_bound: f32,
    /// Coordinate of the origin along the last axis, and the inverse of the direction's.
    pub(crate) origin: f32,
    pub(crate) inv_dz: f32,
    pub(crate) t_min: f32,
}

/// The orders of [`AXES`] as lanes of a vector.
static AXIS_LANES: [[u32; 4]; 4] = {
    let (mut lanes, mut order) = ([[3; 4]; 4], 0);
    while order < 4 {
        let [x, y, z] = AXES[order];
        lanes[order] = [x as u32, y as u32, z as u32, 3];
        order += 1;
    }
    lanes
};

/// Relative error bound of an offset, as a multiple of M + |o|, with M the largest coordinate of a point and of the
/// corners of boxes, and |o| of the origin: the slope, of a direction that was rounded (2 of 2^-24), an inverse and a
/// product (2), in two places; the shift, of two roundings each for `slope o` and their difference (3); a sum (2), a
/// product and a difference (3); points and origins that were rounded themselves (2). Two more for products of these.
/// See docs/proofs.md, Lemma 23.
pub(crate) const OFFSET_ERROR: f32 = 16.0 * U;

impl WoopShear {
    /// Computes the shear of a ray. `inverse` holds the inverse of each nonzero direction component; no point has a
    /// coordinate beyond `largest` in absolute value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new<L: SimdF32>(aim: &RayF32, inverse: Vec4, largest: f32) -> Self {
        // Branch-free, since no dominant axis is likelier than another. Lanes stay in registers: storing the vector and
        // indexing it would stall on store-to-load forwarding.
        let size = aim.direction.abs();
        let x_is_fastest = size.xxxx().cmpge(size.yyyy().max(size.zzzz()));
        let y_is_faster = size.yyyy().cmpge(size.zzzz());
        let order = (x_is_fastest.bitmask() & 1 | y_is_faster.bitmask() & 2) as usize % 4;
        let turned = |v: Vec4| {
            if L::CAN_PERMUTE {
                return L::permute(v, &AXIS_LANES[order]);
            }
            Vec4::select(x_is_fastest, v.yzxw(), Vec4::select(y_is_faster, v.zxyw(), v))
        };
        // The coordinates in the order of the axes. Slope and shift map the ray to the last axis: an offset from it
        // costs two operations.
        let (origin, inv_dz) = (turned(aim.origin), turned(inverse).zzzz());
        let slope = turned(aim.direction) * inv_dz;
        let shift = slope * origin.zzzz() - origin;
        // `f32::MIN_POSITIVE` covers intermediate results that underflow.
        let error_bound = OFFSET_ERROR * (largest + aim.origin.abs().max_element()) + f32::MIN_POSITIVE;
        let [slope, shift] = [[slope.x, slope.y], [shift.x, shift.y]];
        Self { axes: AXES[order], slope, shift, error_bound, origin: origin.z, inv_dz: inv_dz.x, t_min: aim.t_min }
    }
}
