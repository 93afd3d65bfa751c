//! A ray rounded to `f32`, as boxes and triangles see it.

use crate::math::rounding::below;
use crate::math::working_ray::InputRay;
use glam::Vec4;

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
    pub(crate) const NONE: Self = Self { origin: Vec4::ZERO, direction: Vec4::ZERO, t_min: 0.0 };

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

/// Numbers are tame within 2^±30: neither their inverses nor products of a few leave the range of `f32`.
pub(crate) const TAME: f32 = (1u32 << 30) as f32;

/// Whether a coordinate is small enough.
pub(crate) fn is_tame(x: f64) -> bool {
    x.abs() < f64::from(TAME)
}

/// The axis along which a line goes fastest comes last.
#[inline(always)]
pub(crate) fn axes(direction: Vec4) -> [u8; 3] {
    let [x, y, z, _] = direction.abs().to_array();
    AXES[usize::from(x >= y.max(z)) | usize::from(y >= z) << 1]
}

/// The two others and the axis along which a line goes fastest, in a circle: z, x, y, and x again, which is faster than y or z,
/// whichever of those is faster.
pub(crate) const AXES: [[u8; 3]; 4] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 2, 0]];
