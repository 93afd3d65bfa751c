//! The sum of the signed solid angles of triangles.

use crate::math::arctangent::arctangent;
use crate::math::eft::sqrt;
use crate::math::vec3::Vec3;
use crate::simd::lanes::LANES;
use core::f64::consts::TAU;

/// The sum of solid angles of triangles, seen from the origin, in turns of the whole sphere.
///
/// # Method
/// The tangent of half a solid angle is a ratio `im / re`, so half the sum of angles is the argument of a product of complex
/// numbers. The sum needs one arctangent, and counts how often the argument exceeds half a turn. Triangles whose plane
/// contains the origin count as 0: from a point of the surface, that is the mean of both sides.
///
/// # Source
/// Van Oosterom, Strackee, *The Solid Angle of a Plane Triangle*, IEEE Trans. Biomed. Eng. 30(2), 1983, equation 8.
///
/// # Accuracy
/// A few units of 2^-53 of a turn for each triangle, times its length over the distance to its nearest edge.
pub(crate) struct AngleSum {
    /// Corners of triangles that wait until there are as many as lanes: nine coordinates in SoA layout.
    corners: [[f64; LANES]; 9],
    waiting: usize,
    /// The product, as `[re, im]`.
    product: [f64; 2],
    /// Whole turns of the argument.
    turns: f64,
}

impl AngleSum {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { corners: [[0.0; LANES]; 9], waiting: 0, product: [1.0, 0.0], turns: 0.0 }
    }

    /// Adds a triangle. Its coordinates must be at most 2^100.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn add(&mut self, [a, b, c]: [Vec3<f64>; 3]) {
        let lane = self.waiting;
        for (row, x) in self.corners.iter_mut().zip([a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]) {
            row[lane] = x;
        }
        self.waiting += 1;
        if self.waiting == LANES {
            self.multiply();
        }
    }

    /// Multiplies the waiting triangles.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn multiply(&mut self) {
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = &self.corners;
        let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
        // Van Oosterom and Strackee: the tangent of half the solid angle is the triple product over this sum. All lanes
        // at once.
        for i in 0..LANES {
            let (a, b, c) = ([ax[i], ay[i], az[i]], [bx[i], by[i], bz[i]], [cx[i], cy[i], cz[i]]);
            let [la, lb, lc] = [sqrt(dot(a, a)), sqrt(dot(b, b)), sqrt(dot(c, c))];
            let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
            let volume = dot(a, cross);
            let along = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
            // The length does not matter. About 1, so that the product cannot leave the range.
            let (rise, run) = (volume.abs(), along.abs());
            let more = if rise > run { rise } else { run };
            let is_flat = !(rise > 0.0);
            re[i] = if is_flat { 1.0 } else { along / more };
            im[i] = if is_flat { 0.0 } else { volume / more };
        }
        // The product of the complex numbers, one after the other: its argument is the sum of half the angles, whole
        // turns are counted apart.
        let ([mut x, mut y], mut turns) = (self.product, 0.0);
        for i in 0..self.waiting {
            let (re, im) = (re[i], im[i]);
            (x, y, turns) = {
                let (next_x, next_y) = (x * re - y * im, x * im + y * re);
                // Two angles above 0 have a sum above 0; below pi or beyond it.
                let beyond = y >= 0.0 && im > 0.0 && next_y < 0.0;
                let before = y < 0.0 && im < 0.0 && next_y >= 0.0;
                (next_x, next_y, turns + if beyond { 1.0 } else { 0.0 } - if before { 1.0 } else { 0.0 })
            };
        }
        // The length of the product is set to about 1, so that it never leaves the range.
        let more = if x.abs() > y.abs() { x.abs() } else { y.abs() };
        self.product = [x / more, y / more];
        self.turns += turns;
        self.waiting = 0;
    }

    /// The sum.
    #[inline(always)]
    pub(crate) fn finish(mut self) -> f64 {
        self.multiply();
        let [x, y] = self.product;
        self.turns + arctangent(y, x) / TAU
    }
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
