//! Space as a line sees it: sheared so that the line becomes an axis.

use crate::bvh::ray::{AXES, Aim};
use crate::math::rounding::SINGLE_ROUNDING as U;
use glam::{Vec4, Vec4Swizzles};

/// A point at `x`, `y`, `z`, in the order of `axes`, is beside the line by `x - slope z + shift`, and likewise `y`.
///
/// # Source
/// Woop, Benthin, Wald, *Watertight Ray/Triangle Intersection*, JCGT 2(1), 2013: the shear. Its error is ours.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct Shear {
    /// The last axis is the one along which the line goes fastest.
    pub(crate) axes: [u8; 3],
    pub(crate) slope: [f32; 2],
    pub(crate) shift: [f32; 2],
    /// What is computed so is off by less.
    pub(crate) off: f32,
    /// The origin's coordinate along the last axis, and one over the direction's.
    pub(crate) origin: f32,
    pub(crate) pace: f32,
    pub(crate) t_min: f32,
}

/// As a part of M + |o|, with M the largest coordinate of a point and of the corners of boxes, and |o| of the origin: the
/// slope, of a direction that was rounded (2 of 2^-24), an inverse and a product (2), in two places; the shift, of two
/// roundings each for `slope o` and their difference (3); a sum (2), a product and a difference (3); points and origins that
/// were rounded themselves (2). Two more for products of these.
pub(crate) const OFF: f32 = 16.0 * U;

impl Shear {
    /// `inverse` has one over each coordinate of the direction that is not zero; no point has a coordinate beyond
    /// `largest`, without its sign.
    #[inline(always)]
    pub(crate) fn new(aim: &Aim, inverse: Vec4, largest: f32) -> Self {
        // Without branches, for no direction is likelier than another; and what was just written by number is not read by
        // another number, for that would be to wait for it.
        let size = aim.direction.abs();
        let x_is_fastest = size.xxxx().cmpge(size.yyyy().max(size.zzzz()));
        let y_is_faster = size.yyyy().cmpge(size.zzzz());
        let turned = |v: Vec4| Vec4::select(x_is_fastest, v.yzxw(), Vec4::select(y_is_faster, v.zxyw(), v));
        let (origin, pace) = (turned(aim.origin), turned(inverse).zzzz());
        let slope = turned(aim.direction) * pace;
        let shift = slope * origin.zzzz() - origin;
        let axes = AXES[(x_is_fastest.bitmask() & 1 | y_is_faster.bitmask() & 2) as usize % 4];
        // What underflows on the way is less than the smallest normal number.
        let off = OFF * (largest + aim.origin.abs().max_element()) + f32::MIN_POSITIVE;
        let [slope, shift] = [[slope.x, slope.y], [shift.x, shift.y]];
        Self { axes, slope, shift, off, origin: origin.z, pace: pace.x, t_min: aim.t_min }
    }
}
