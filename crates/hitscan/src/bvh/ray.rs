//! Ray rounded to `f32`, for box and triangle tests.

use crate::math::rounding::round_down_f32;
use crate::math::working_ray::InputRay;
use glam::Vec4;

/// Ray rounded to `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayF32 {
    /// Each coordinate of origin and direction is rounded at most once. The w lanes are zero.
    pub(crate) origin: Vec4,
    pub(crate) direction: Vec4,
    pub(crate) t_min: f32,
}

impl RayF32 {
    #[inline(always)]
    pub(crate) fn new(origin: Vec4, direction: Vec4, t_min: f32) -> Self {
        // Adding zero turns -0.0 into 0.0.
        Self { origin, direction, t_min: t_min + 0.0 }
    }

    /// Placeholder; not a valid ray.
    pub(crate) const NONE: Self = Self { origin: Vec4::ZERO, direction: Vec4::ZERO, t_min: 0.0 };

    /// Direction class: signs, zeros and dominant axis of the direction. The rays of a packet share it.
    #[inline(always)]
    pub(crate) fn direction_class(&self) -> u32 {
        let is_zero = self.direction.cmpeq(Vec4::ZERO).bitmask();
        self.direction.is_negative_bitmask() | is_zero << 4 | u32::from(axes(self.direction)[2]) << 8
    }

    /// Rounds a ray in `f64`; `None` if that changes it too much, or if it is not [ordinary](Self::is_ordinary).
    #[inline(always)]
    pub(crate) fn of(raw: &InputRay, t_min: f64, largest: f32) -> Option<Self> {
        let (aim, is_faithful) = Self::rounded(raw, t_min);
        (is_faithful & aim.is_ordinary(largest)).then_some(aim)
    }

    /// Rounds a ray in `f64`, its `t_min` down, and says whether that changes it little enough.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn rounded(raw: &InputRay, t_min: f64) -> (Self, bool) {
        let mut direction = raw.target;
        if raw.is_segment {
            direction.iter_mut().zip(raw.origin).for_each(|(to, o)| *to -= o);
        }
        Self::rounded_from(raw.origin, direction, t_min)
    }

    /// [`rounded`](Self::rounded) for an origin and a direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn rounded_from(from: [f64; 3], along: [f64; 3], t_min: f64) -> (Self, bool) {
        let (mut fine, mut origin, mut direction) = (true, [0.0; 3], [0.0; 3]);
        // Each component is rounded, and checked for what rounding may have lost.
        for axis in 0..3 {
            let (o, d) = (from[axis], along[axis]);
            (origin[axis], direction[axis]) = (o as f32, d as f32);
            // A component that only rounding makes zero has an inverse that culls too much. The relative error of a
            // subnormal number exceeds one rounding.
            let exact = f64::from(origin[axis]) == o;
            fine &= ((d == 0.0) == (direction[axis] == 0.0)) & (exact | origin[axis].is_normal());
        }
        let vector = |[x, y, z]: [f32; 3]| Vec4::new(x, y, z, 0.0);
        (Self::new(vector(origin), vector(direction), round_down_f32(t_min)), fine)
    }

    /// Whether the ray is ordinary: valid, `t_min` not negative, and all coordinates in the safe range of `f32`.
    /// `largest` is the largest absolute coordinate of the boxes, and must be in the safe range too.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_ordinary(&self, largest: f32) -> bool {
        let (size, speed, safe_range) = (self.origin.abs(), self.direction.abs(), Vec4::splat(SAFE_RANGE));
        let is_zero = speed.cmple(Vec4::ZERO);
        let ordinary =
            size.cmplt(safe_range) & speed.cmplt(safe_range) & (speed.cmpgt(Vec4::splat(1.0 / SAFE_RANGE)) | is_zero);
        ordinary.all() & !is_zero.all() & (self.t_min >= 0.0) & (largest < SAFE_RANGE)
    }
}

/// Limit of the safe range: within 2^±30 neither inverses nor products of a few numbers leave the range of `f32`.
pub(crate) const SAFE_RANGE: f32 = (1u32 << 30) as f32;

/// Whether a coordinate is in the safe range.
pub(crate) fn in_safe_range(x: f64) -> bool {
    x.abs() < f64::from(SAFE_RANGE)
}

/// Axis order of the shear: the dominant axis of the direction comes last.
#[inline(always)]
pub(crate) fn axes(direction: Vec4) -> [u8; 3] {
    let [x, y, z, _] = direction.abs().to_array();
    AXES[usize::from(x >= y.max(z)) | usize::from(y >= z) << 1]
}

/// Axis orders for each pair of comparisons (x dominates, y exceeds z): the dominant axis last, the others in cyclic
/// order. If x dominates, the second comparison does not matter.
pub(crate) const AXES: [[u8; 3]; 4] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 2, 0]];
