//! Boxes whose faces are in one plane: a ray crosses both there at one `t`.

use crate::math::eft::two_sum;
use crate::math::rounding::power;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::shapes::cuboid::Cuboid;

impl<V: Vector> Cuboid<V> {
    /// Whether a ray certainly crosses two boxes at one `t`, because it does so in one plane: that of a face of both. `t` is near both
    /// crossings, and neither is the start of the range.
    ///
    /// # Method
    /// A box is crossed in the plane of a face. If only one such plane of each box is near `t`, these are crossed; they are the same
    /// if they have one axis and equal sums of center and half extent, compared without rounding.
    pub(crate) fn meet_in_one_face(&self, other: &Self, ray: &InputRay, t: f64) -> bool {
        let planes = [self, other].map(|cuboid| cuboid.only_plane_near(ray, t));
        matches!(planes, [Some(a), Some(b)] if a == b)
    }

    /// Axis and position of the only plane of a face that the ray crosses near `t`, the position in two parts.
    fn only_plane_near(&self, ray: &InputRay, t: f64) -> Option<(usize, (f64, f64))> {
        let (center, half) = (self.center().to_f64(), self.half_extents().to_f64());
        let mut found = None;
        for axis in 0..V::DIM {
            let (c, h, o) = (center[axis], half[axis], ray.origin[axis]);
            let (d, d_error) = if ray.is_segment {
                let target = ray.target[axis];
                (target - o, (target.abs() + o.abs()) * NEAR)
            } else {
                (ray.target[axis], 0.0)
            };
            if d == 0.0 && d_error == 0.0 {
                continue;
            }
            // A flat box has one plane along an axis.
            for side in &[-h, h][usize::from(h == 0.0)..] {
                let plane = two_sum(c, *side);
                // Far more than rounding moves `t` and this product; written so that a NaN is near.
                let gap = (plane.0 - o) - t * d;
                let room = (c.abs() + h + o.abs() + (t * d).abs()) * NEAR + t.abs() * d_error;
                if !(gap.abs() > room) && found.replace((axis, plane)).is_some() {
                    return None;
                }
            }
        }
        found
    }
}

/// 2^-16: share of the numbers of a plane within which a crossing is near it. A certain `t` has 20 bits at least.
const NEAR: f64 = power(-16);
