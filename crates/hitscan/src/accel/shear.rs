//! Space as a line sees it: sheared so that the line becomes an axis.

use super::slab::Aim;
use crate::math::SINGLE_ROUNDING as U;
use glam::Vec4;

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
pub(super) const OFF: f32 = 16.0 * U;

impl Shear {
    /// `inverse` has one over each coordinate of the direction that is not zero; no point has a coordinate beyond
    /// `largest`, without its sign.
    #[inline(always)]
    pub(super) fn new(aim: &Aim, inverse: Vec4, largest: f32) -> Self {
        let (origin, towards) = (aim.origin.to_array(), aim.direction.to_array());
        let axes = AXES[fastest(aim.direction.abs()) % 4];
        let [i, j, k] = axes.map(|axis| usize::from(axis % 4));
        let (pace, o) = (inverse.to_array()[k], origin[k]);
        let slope = [towards[i] * pace, towards[j] * pace];
        let shift = [slope[0] * o - origin[i], slope[1] * o - origin[j]];
        // What underflows on the way is less than the smallest normal number.
        let off = OFF * (largest + aim.origin.abs().max_element()) + f32::MIN_POSITIVE;
        Self { axes, slope, shift, off, origin: o, pace, t_min: aim.t_min }
    }
}

/// The axis of the largest coordinate. Without branches: no direction is likelier than another.
#[inline(always)]
pub(super) fn fastest(size: Vec4) -> usize {
    usize::from((size.x < size.y) | (size.x < size.z)) * (1 + usize::from(size.y < size.z))
}

/// By the axis along which a line goes fastest: the two others and it, in a circle.
pub(super) const AXES: [[u8; 3]; 4] = [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 1, 2]];
