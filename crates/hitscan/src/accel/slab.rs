//! Does a line meet a box? In `f64`, and never "no" when it does.

use crate::math::{Line, ROUNDING, Wide};

/// A line prepared for many boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlabTest {
    origin: [f64; 3],
    direction: [f64; 3],
    inverse: [f64; 3],
    t_min: f64,
}

/// Four roundings (the direction of a segment, its inverse, a difference, a product) of 2^-53 each, doubled for the
/// products of their errors.
const SLACK: f64 = 8.0 * ROUNDING;

impl SlabTest {
    pub(crate) fn new<T: Wide>(line: &Line<T>, t_min: f64) -> Self {
        let of = |v: crate::math::Wide3<T>| [v.x.to_f64(), v.y.to_f64(), v.z.to_f64()];
        let direction = of(line.direction);
        Self { origin: of(line.origin), direction, inverse: direction.map(|d| 1.0 / d), t_min }
    }

    /// Where the line enters the box, rounded down; `None` when it certainly misses it in `t_min..=limit`.
    ///
    /// # Method
    /// Slabs. An axis along which the direction is zero only asks whether the origin is between the faces, exactly. A
    /// parameter that is not finite (an infinite face, an overflow, a direction whose inverse overflows) excludes
    /// nothing.
    ///
    /// # Source
    /// Kay, Kajiya, 1986; the margin after Ize, *Robust BVH Ray Traversal*, JCGT 2(2), 2013.
    #[inline(always)]
    pub(crate) fn enter(&self, min: [f64; 3], max: [f64; 3], limit: f64) -> Option<f64> {
        let (mut near, mut far) = (self.t_min, limit);
        for i in 0..3 {
            let (o, d, inv) = (self.origin[i], self.direction[i], self.inverse[i]);
            if d == 0.0 {
                if o < min[i] || o > max[i] {
                    return None;
                }
                continue;
            }
            let (a, b) = if d > 0.0 { (min[i], max[i]) } else { (max[i], min[i]) };
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
        (near <= far).then_some(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cast, Ray};
    use glam::DVec3;

    fn meets(o: [f64; 3], d: [f64; 3]) -> bool {
        let ray = Ray::new(DVec3::from(o), DVec3::from(d));
        SlabTest::new(&Cast::<DVec3>::line(&ray), 0.0).enter([-1.0; 3], [1.0; 3], f64::MAX).is_some()
    }

    #[test]
    fn faces_edges_and_corners_are_met() {
        assert!(meets([-3.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
        assert!(meets([-3.0, 1.0, 1.0], [1.0, -0.0, 0.0]));
        assert!(meets([-3.0, -1.0, 0.0], [1.0, 1.0, 0.0]));
        assert!(meets([-2.0, -2.0, -2.0], [1e-300, 1e-300, 1e-300]));
        assert!(meets([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]));
        assert!(!meets([-3.0, 1.0 + f64::EPSILON, 0.0], [1.0, 0.0, 0.0]));
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
