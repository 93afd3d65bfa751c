//! Newton refinement of a crossing from `f64` to all its digits: one step on a function that is zero on the face.

use crate::hit::{Hit, Side};
use crate::kernel::crossing::Crossing;
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::double_word::DoubleWord;
use crate::math::eft::sqrt;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::simd::xyz::{DoubleXyz, Xyz};

/// Start of a Newton step: a crossing in `f64`, and its point on the line to all digits.
pub struct Start<const FMA: bool> {
    pub(crate) at: Crossing<f64>,
    point: DoubleXyz<FMA>,
    /// Direction, rounded.
    d: Xyz<FMA>,
    /// Square of its length.
    d_sq: f64,
    /// Magnitudes of the terms of `point`.
    size: Xyz<FMA>,
}

/// Crossing to all digits.
pub struct Refined<const FMA: bool> {
    pub(crate) t: DoubleWord<FMA>,
    point: Xyz<FMA>,
    /// Of length 1.
    normal: Xyz<FMA>,
    uv: Option<[f64; 2]>,
    /// Length of the direction.
    speed: f64,
}

/// Residual at the point of a [`Start`]: the value of a function that is zero on the face. Along the line it is a
/// polynomial of degree 2 at most.
struct Residual<const FMA: bool> {
    value: f64,
    /// Magnitude of the terms of `value`; for a curved face, at least that of `normal` times the size of the point.
    magnitude: f64,
    /// Half the gradient.
    normal: Xyz<FMA>,
    /// Upper bound of the length of the derivative of `normal`, in lengths of the direction; 0 for a constant `normal`.
    dn_dt_bound: f64,
}

impl<const FMA: bool> Start<FMA> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(raw: &InputRay, at: Crossing<f64>) -> Self {
        shared!(DoubleWord<FMA>, {
            let (o, end, t) = (Xyz::new(raw.origin), Xyz::new(raw.target), Xyz::splat(at.t));
            let (d, point) = if raw.is_segment {
                // The direction of a segment is a difference, of two parts.
                let d = DoubleXyz::difference(end, o);
                (d.high, d.times(t).plus(o))
            } else {
                (end, DoubleXyz::product(end, t).plus(o))
            };
            Self { at, point, d, d_sq: (d * d).sum(), size: o.abs() + (d * t).abs() }
        })
    }

    /// Start at a triangle that the line is known to cross, in the plane of the triangle as computed in `f64`. If the
    /// Newton step converges, the sign of this crossing is certain, too: condition (d) of Lemma 8 (docs/proofs.md)
    /// keeps `n . d` above 2^-30 of its largest magnitude, and it is off by some 2^-50 of that.
    #[inline(always)]
    pub(crate) fn at_triangle(raw: &InputRay, [a, b, c]: [Vec3<f64>; 3]) -> Self {
        let (a, b, c) = (Xyz::from_vec(a), Xyz::from_vec(b), Xyz::from_vec(c));
        Self::in_plane(raw, a, [b - a, c - a])
    }

    /// [`at_triangle`](Self::at_triangle) for a corner, and two edges from there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn in_plane(raw: &InputRay, corner: Xyz<FMA>, [e, f]: [Xyz<FMA>; 2]) -> Self {
        let (o, end) = (Xyz::new(raw.origin), Xyz::new(raw.target));
        let d = if raw.is_segment { end - o } else { end };
        let n = e.cross(f);
        let slope = (n * d).sum();
        Self::new(raw, Crossing::new((n * (corner - o)).sum() / slope, 0, slope))
    }

    /// Point relative to `reference`, and the magnitude of its terms.
    #[inline(always)]
    fn relative_to(&self, reference: Xyz<FMA>) -> (DoubleXyz<FMA>, f64) {
        (self.point.plus(-reference), (self.size + reference.abs()).max_lane())
    }

    /// Crossing with the sphere `|p - center| = radius`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_sphere(&self, center: Vec3<f64>, radius: f64) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let (p, size) = self.relative_to(Xyz::from_vec(center));
            let size = size + radius;
            let value = (length_sq(p) - DoubleWord::product(radius, radius)).to_f64();
            let step = self.step(&Residual { value, magnitude: size * size, normal: p.rounded(), dn_dt_bound: 1.0 })?;
            // The normal has the length of the radius: three roundings at most.
            Some(self.moved(step, self.along(p, self.d, step) * Xyz::splat(1.0 / radius)))
        })
    }

    /// Crossing with the plane through a point, with the normal `n` and its unit vector.
    #[inline(always)]
    pub(crate) fn on_plane(&self, n: Vec3<f64>, unit: Vec3<f64>, through: Vec3<f64>) -> Option<Refined<FMA>> {
        let (n, (p, size)) = (Xyz::from_vec(n), self.relative_to(Xyz::from_vec(through)));
        let step = self.at_height(sum(p.times(n)), size * n.abs().max_lane(), n)?;
        Some(self.moved(step, Xyz::from_vec(unit)))
    }

    /// Crossing with the plane through `to` across the axis from `from` to `to`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_cap(&self, from: Vec3<f64>, to: Vec3<f64>) -> Option<Refined<FMA>> {
        let (from, to) = (Xyz::from_vec(from), Xyz::from_vec(to));
        let (u, (p, size)) = (DoubleXyz::difference(to, from), self.relative_to(to));
        let n = u.rounded();
        let step = self.at_height(sum(u * p), size * n.abs().max_lane(), n)?;
        Some(self.moved(step, unit(n)?))
    }

    /// Crossing with the face of a box, whose outward normal is an axis.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_face(&self, center: Vec3<f64>, half: Vec3<f64>) -> Option<Refined<FMA>> {
        let axis = self.at.face as usize;
        let way = self.d.to_array()[axis];
        let mut outward = [0.0; 3];
        outward[axis] = self.at.sign.mul_sign(way);
        let normal = Xyz::new(outward);
        let (p, size) = self.relative_to(Xyz::from_vec(center));
        let p = p.plus(-(Xyz::from_vec(half) * normal));
        let height = p.rounded() * normal;
        let step = self.at_height(DoubleWord::from_f64(height.sum()), size + half.max_abs_f64(), normal)?;
        Some(self.moved(step, normal))
    }

    /// Crossing with a triangle.
    ///
    /// # Method
    /// The plane through `a` has the normal `n = e x f` of the edges from there. At a point `p` of it, `p x f` and `e x p` are
    /// `n` times the weights of `b` and `c`, so the quotients of their products with `n` lose no digits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_triangle(&self, corners: [Vec3<f64>; 3]) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let [a, b, c] = corners;
            let (a, b, c) = (Xyz::from_vec(a), Xyz::from_vec(b), Xyz::from_vec(c));
            let (e, f) = (DoubleXyz::difference(b, a), DoubleXyz::difference(c, a));
            let edges = e.high.abs().max_lane() * f.high.abs().max_lane();
            self.on_edges([e, f], edges, self.relative_to(a))
        })
    }

    /// Crossing with a parallelogram.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_quad(&self, corner: Vec3<f64>, [e, f]: [Vec3<f64>; 2]) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let (e, f) = (Xyz::from_vec(e), Xyz::from_vec(f));
            let edges = e.abs().max_lane() * f.abs().max_lane();
            let corner = self.relative_to(Xyz::from_vec(corner));
            self.on_edges([DoubleXyz::exact(e), DoubleXyz::exact(f)], edges, corner)
        })
    }

    /// Crossing with the triangle of two edges from a corner, by the product of the magnitudes of their terms; with the point
    /// relative to that corner, and the magnitude of its terms.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn on_edges(
        &self,
        [e, f]: [DoubleXyz<FMA>; 2],
        edges: f64,
        (p, size): (DoubleXyz<FMA>, f64),
    ) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let n = e.cross(f);
            let normal = n.rounded();
            let step = self.at_height(sum(n * p), 2.0 * size * edges, normal)?;
            let p = p.add_small(self.d * Xyz::splat(step));
            let n_sq = (normal * normal).sum();
            let (u, v) = (p.cross(f).rounded() * normal, e.cross(p).rounded() * normal);
            let (u, v) = (u.sum() / n_sq, v.sum() / n_sq);
            // Rounding may have moved the point out of the triangle. A zero is positive.
            let uv = [u.clamp(0.0, 1.0) + 0.0, v.clamp(0.0, 1.0) + 0.0];
            Some(Refined { uv: Some(uv), ..self.moved(step, unit(normal)?) })
        })
    }

    /// Crossing with the image of a triangle under an affine map, which the line is known to cross, and its side: negative at
    /// the front of the triangle.
    ///
    /// # Method
    /// The images of a corner and of two edges from it are computed in double-words. Those of the edges do not depend
    /// on the translation. The cross product of their images is reversed under a mirror: then it points away from the
    /// front. See docs/proofs.md, Lemma 13.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hit_image(
        raw: &InputRay,
        (columns, translation): ([[f64; 3]; 3], [f64; 3]),
        [a, b, c]: [Vec3<f64>; 3],
    ) -> Option<(Refined<FMA>, f64)> {
        let [x, y, z] = columns;
        let columns = [Xyz::<FMA>::new(x), Xyz::new(y), Xyz::new(z)];
        let determinant = (columns[0] * columns[1].cross(columns[2])).sum();
        let size = columns[0].abs().max_lane() * columns[1].abs().max_lane() * columns[2].abs().max_lane();
        // Six products of three numbers, in sums: off by less than 2^-46 of the largest possible ones.
        if !(determinant.abs() > size * power(-37)) {
            return None;
        }
        let sign = 1.0f64.mul_sign(determinant);
        let (a, b, c) = (Xyz::from_vec(a), Xyz::from_vec(b), Xyz::from_vec(c));
        let (e, of_e) = image(columns, DoubleXyz::difference(b, a));
        let (f, of_f) = image(columns, DoubleXyz::difference(c, a));
        let (corner, of_corner) = image(columns, DoubleXyz::exact(a));
        let translation = Xyz::new(translation);
        let (corner, of_corner) = (corner.plus(translation), of_corner + translation.abs());
        let start = Self::in_plane(raw, corner.high, [e.high, f.high]);
        let point = (start.point - corner, (start.size + of_corner).max_lane());
        let refined = start.on_edges([e, f], of_e.max_lane() * of_f.max_lane(), point)?;
        Some((Refined { normal: refined.normal * Xyz::splat(sign), ..refined }, start.at.sign * sign))
    }

    /// Step to a plane of normal `n`, from the height `n . p` of the point above it.
    #[inline(always)]
    fn at_height(&self, height: DoubleWord<FMA>, magnitude: f64, n: Xyz<FMA>) -> Option<f64> {
        self.step(&Residual { value: 2.0 * height.to_f64(), magnitude, normal: n, dn_dt_bound: 0.0 })
    }

    /// Crossing with the side of a solid of revolution:
    /// `|p|^2 - (p . u)^2 / |u|^2 = (radius_a + growth p . u / |u|^2)^2`, with `p` relative to `a` and `u` from `a` to
    /// `b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_side(&self, [a, b]: [Vec3<f64>; 2], [ra, rb]: [f64; 2]) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let (a, b) = (Xyz::from_vec(a), Xyz::from_vec(b));
            let (u, (p, size)) = (DoubleXyz::difference(b, a), self.relative_to(a));
            let (axis_sq, along) = (length_sq(u), sum(p * u));
            // Rounding errors of a shorter axis would underflow.
            if !(axis_sq.to_f64() > power(-800)) {
                return None;
            }
            let height = along / axis_sq;
            let radial_sq = length_sq(p) - along * height;
            let (plain_u, plain_sq) = (u.rounded(), axis_sq.to_f64());
            let height_rate = (self.d * plain_u).sum() / plain_sq;
            if ra == rb {
                let size = size + ra;
                let (value, n) = ((radial_sq - DoubleWord::product(ra, ra)).to_f64(), across(p, u, height));
                let residual = Residual { value, magnitude: size * size, normal: n.rounded(), dn_dt_bound: 1.0 };
                let step = self.step(&residual)?;
                // The normal has the length of the radius: three roundings at most.
                let dn_dt = self.d - plain_u * Xyz::splat(height_rate);
                return Some(self.moved(step, self.along(n, dn_dt, step) * Xyz::splat(1.0 / ra)));
            }
            let growth = DoubleWord::from_f64(rb) - DoubleWord::from_f64(ra);
            let radius = DoubleWord::from_f64(ra) + growth * height;
            let g = growth.to_f64();
            let (size, dn_dt_bound) = (size + ra + g.abs(), 1.0 + g * g / plain_sq);
            let n = across(p, u, height + growth * radius / axis_sq);
            let step = self.step(&Residual {
                value: (radial_sq - radius.sq()).to_f64(),
                magnitude: 2.0 * size * size * dn_dt_bound,
                normal: n.rounded(),
                dn_dt_bound,
            })?;
            let dn_dt = self.d - plain_u * Xyz::splat(height_rate * dn_dt_bound);
            Some(self.moved(step, unit(self.along(n, dn_dt, step))?))
        })
    }

    /// Crossing with the side of a tapered capsule: `K (|p|^2 - radius_a^2) = (p . u + radius_a growth)^2` with
    /// `K = |u|^2 - growth^2`, with `p` relative to `a` and `u` from `a` to `b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_tapered_side(&self, [a, b]: [Vec3<f64>; 2], [ra, rb]: [f64; 2]) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let (a, b) = (Xyz::from_vec(a), Xyz::from_vec(b));
            let (u, (p, size)) = (DoubleXyz::difference(b, a), self.relative_to(a));
            let (axis_sq, growth) = (length_sq(u), DoubleWord::from_f64(rb) - DoubleWord::from_f64(ra));
            // Rounding errors of a shorter axis would underflow.
            if !(axis_sq.to_f64() > power(-800)) {
                return None;
            }
            let gap = axis_sq - growth.sq();
            let height = sum(p * u) + growth * DoubleWord::from_f64(ra);
            let power_of_point = length_sq(p) - DoubleWord::product(ra, ra);
            let n = p * splat(gap) - u * splat(height);
            let (plain_u, plain_sq, size) = (u.rounded(), axis_sq.to_f64(), size + ra);
            // Coordinates of the point and the radius are at most `size`, gap and the square of the growth at most `|u|^2`.
            let step = self.step(&Residual {
                value: (gap * power_of_point - height.sq()).to_f64(),
                magnitude: 6.0 * plain_sq * size * size,
                normal: n.rounded(),
                dn_dt_bound: plain_sq + plain_sq,
            })?;
            let dn_dt = self.d * Xyz::splat(gap.to_f64()) - plain_u * Xyz::splat((self.d * plain_u).sum());
            Some(self.moved(step, unit(self.along(n, dn_dt, step))?))
        })
    }

    /// Newton step.
    ///
    /// # Method
    /// Along the line the function is `F + 2 n . d s + (dn_dt . d) s^2`, with `s` from the start. The Newton step is
    /// `s = -F / (2 n . d)`.
    ///
    /// # Accuracy
    /// docs/proofs.md, Lemma 8: a result is within 2^-58 of `t`. If a test fails, or compares a NaN, the step returns
    /// `None`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn step(&self, residual: &Residual<FMA>) -> Option<f64> {
        shared!(DoubleWord<FMA>, {
            let Residual { value, magnitude, normal, dn_dt_bound } = *residual;
            let (t, terms) = (self.at.t.abs(), normal * self.d);
            let slope = 2.0 * terms.sum();
            // The slope is known before the value: a product with its inverse takes less time than a quotient.
            let (s, size) = (-value * (1.0 / slope), slope.abs());
            // The function decreases at one root and increases at the other: the slope tells which root this is.
            let is_same_root = dn_dt_bound == 0.0 || slope * self.at.sign > 0.0;
            let converges = (s.abs() <= power(-40) * t)
                & (s.abs() * dn_dt_bound * self.d_sq <= power(-20) * size)
                & (terms.abs().sum() <= power(28) * size)
                & (magnitude <= power(30) * size * t)
                & (magnitude > power(-800));
            (is_same_root & converges).then_some(s)
        })
    }

    /// `v + by s`, rounded.
    #[inline(always)]
    fn along(&self, v: DoubleXyz<FMA>, by: Xyz<FMA>, s: f64) -> Xyz<FMA> {
        v.add_small(by * Xyz::splat(s)).rounded()
    }

    /// The crossing, a step further along the line.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn moved(&self, step: f64, normal: Xyz<FMA>) -> Refined<FMA> {
        Refined {
            t: DoubleWord::from_f64(self.at.t).add_small(step),
            point: self.along(self.point, self.d, step),
            normal,
            uv: None,
            speed: sqrt(self.d_sq),
        }
    }

    /// Hit at this point, inside a solid; `None` if its coordinates may exceed the range of `f64`.
    #[inline(always)]
    pub(crate) fn inside(&self) -> Option<Refined<FMA>> {
        let against = -self.d / Xyz::splat(sqrt(self.d_sq));
        (self.size.max_lane() < power(900)).then(|| self.moved(0.0, against))
    }
}

impl<const FMA: bool> Refined<FMA> {
    /// The hit. Its distance is `t` times the length of the direction, within 4 ulp.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hit<V: Vector>(self, side: Side) -> Hit<V> {
        let (t, distance) = (self.t.to_f64(), self.t.to_f64() * self.speed);
        let place = (V::Scalar::from_f64(t), V::Scalar::from_f64(distance));
        let uv = self.uv.map(|uv| uv.map(V::Scalar::from_f64));
        Hit::of_numbers(place, vector(self.point), vector(self.normal), side, uv)
    }
}

/// Image of a vector under a matrix by its columns, and the magnitudes of its terms.
#[cfg_attr(not(debug_assertions), inline(always))]
fn image<const FMA: bool>(columns: [Xyz<FMA>; 3], v: DoubleXyz<FMA>) -> (DoubleXyz<FMA>, Xyz<FMA>) {
    let ([x, y, z], [dx, dy, dz]) = (v.high.to_array(), v.low.to_array());
    let sum = scaled(columns[0], x, dx) + scaled(columns[1], y, dy) + scaled(columns[2], z, dz);
    let [a, b, c] = columns;
    (sum, a.abs() * Xyz::splat(x.abs()) + b.abs() * Xyz::splat(y.abs()) + c.abs() * Xyz::splat(z.abs()))
}

/// Product of a vector with a number of two parts.
#[inline(always)]
fn scaled<const FMA: bool>(v: Xyz<FMA>, high: f64, low: f64) -> DoubleXyz<FMA> {
    DoubleXyz::product(v, Xyz::splat(high)).add_small(v * Xyz::splat(low))
}

/// Vector of the interface.
#[inline(always)]
fn vector<V: Vector, const FMA: bool>(v: Xyz<FMA>) -> V {
    let [x, y, z] = v.to_array();
    V::from_xyz([V::Scalar::from_f64(x), V::Scalar::from_f64(y), V::Scalar::from_f64(z)])
}

/// Sum of the three components.
#[inline(always)]
fn sum<const FMA: bool>(v: DoubleXyz<FMA>) -> DoubleWord<FMA> {
    let [x, y, z] = v.high.to_array();
    DoubleWord::exact_sum(x, y).plus(z).add_small(v.low.sum())
}

/// `p - u height`.
#[inline(always)]
fn across<const FMA: bool>(p: DoubleXyz<FMA>, u: DoubleXyz<FMA>, height: DoubleWord<FMA>) -> DoubleXyz<FMA> {
    p - u * splat(height)
}

/// The number in each component.
#[inline(always)]
fn splat<const FMA: bool>(x: DoubleWord<FMA>) -> DoubleXyz<FMA> {
    let (high, low) = x.as_is();
    DoubleXyz { high: Xyz::splat(high), low: Xyz::splat(low) }
}

/// `v . v`.
#[inline(always)]
fn length_sq<const FMA: bool>(v: DoubleXyz<FMA>) -> DoubleWord<FMA> {
    let (high, error) = v.high.two_prod(v.high);
    sum(DoubleXyz { high, low: error + (v.high + v.high) * v.low })
}

/// Unit vector; `None` for a vector whose squares may have lost digits. Within 3.6 u, as
/// [`direction`](Vec3::direction).
#[inline(always)]
fn unit<const FMA: bool>(v: Xyz<FMA>) -> Option<Xyz<FMA>> {
    let length_sq = (v * v).sum();
    (length_sq > power(-800) && length_sq < power(800)).then(|| v / Xyz::splat(sqrt(length_sq)))
}
