//! Newton refinement of a crossing from `f64` to all its digits: one step on a function that is zero on the face.

use crate::hit::{Hit, Side};
use crate::kernel::crossing::{Crossing, Normal};
use crate::kernel::hit_builder::hit_at;
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::double_word::DoubleWord;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};

/// Start of a Newton step: a crossing in `f64`, and its point on the line to all digits.
pub struct Start<const FMA: bool> {
    pub(crate) line: WorkingRay<DoubleWord<FMA>>,
    pub(crate) at: Crossing<f64>,
    point: Vec3<DoubleWord<FMA>>,
    /// Direction, rounded.
    d: Vec3<f64>,
    /// Magnitude of the terms of `point`.
    size: f64,
}

/// Crossing to all digits.
pub struct Refined<const FMA: bool> {
    pub(crate) t: DoubleWord<FMA>,
    point: Vec3<DoubleWord<FMA>>,
    /// Outward normal of any length.
    normal: Vec3<DoubleWord<FMA>>,
}

/// Residual at the point of a [`Start`]: the value of a function that is zero on the face. Along the line it is a
/// polynomial of degree 2 at most.
struct Residual<const FMA: bool> {
    value: DoubleWord<FMA>,
    /// Magnitude of the terms of `value`; for a curved face, at least that of `normal` times `size`.
    magnitude: f64,
    /// Half the gradient.
    normal: Vec3<DoubleWord<FMA>>,
    /// Derivative of `normal` with respect to `t`.
    dn_dt: Vec3<f64>,
    /// Upper bound of the length of `dn_dt`, in lengths of the direction; 0 for a constant `normal`.
    dn_dt_bound: f64,
}

impl<const FMA: bool> Start<FMA> {
    #[inline(always)]
    pub(crate) fn new(raw: &InputRay, at: Crossing<f64>) -> Self {
        shared!(DoubleWord<FMA>, {
            let line = raw.line::<DoubleWord<FMA>>();
            let d = line.direction.map_to(Arithmetic::to_f64);
            let (o, v) = (line.origin, line.direction);
            let point = Vec3 { x: o.x + v.x.times(at.t), y: o.y + v.y.times(at.t), z: o.z + v.z.times(at.t) };
            Self { line, at, point, d, size: o.max_abs_f64() + at.t.abs() * d.max_abs_f64() }
        })
    }

    /// Point relative to `reference`, and the magnitude of its terms.
    #[inline(always)]
    fn relative_to(&self, reference: Vec3<f64>) -> (Vec3<DoubleWord<FMA>>, f64) {
        (self.point - to_double_words(reference), self.size + reference.max_abs_f64())
    }

    /// Crossing with the sphere `|p - center| = radius`.
    #[inline(always)]
    pub(crate) fn on_sphere(&self, center: Vec3<f64>, radius: f64) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let ((p, size), r) = (self.relative_to(center), DoubleWord::from_f64(radius));
            let size = size + radius;
            self.step(&Residual {
                value: p.length_sq() - r.sq(),
                magnitude: size * size,
                normal: p,
                dn_dt: self.d,
                dn_dt_bound: 1.0,
            })
        })
    }

    /// Crossing with the plane through a point, with the normal `n`.
    #[inline(always)]
    pub(crate) fn on_plane(&self, n: Vec3<DoubleWord<FMA>>, through: Vec3<f64>) -> Option<Refined<FMA>> {
        let (p, size) = self.relative_to(through);
        self.at_height(n.dot(p), size * n.max_abs_f64(), n)
    }

    /// Crossing with the face of a box, whose outward normal is an axis.
    #[inline(always)]
    pub(crate) fn on_face(&self, center: Vec3<f64>, half: Vec3<f64>) -> Option<Refined<FMA>> {
        let axis = self.at.face as usize;
        let mut outward = [0.0; 3];
        outward[axis] = self.at.sign.mul_sign(self.d.get(axis));
        let normal = Vec3::new(outward[0], outward[1], outward[2]);
        let (c, h) = (DoubleWord::from_f64(center.get(axis)), DoubleWord::from_f64(half.get(axis)));
        let height = (self.point.get(axis) - c).times(normal.get(axis));
        self.at_height(height - h, self.size + center.max_abs_f64() + half.max_abs_f64(), to_double_words(normal))
    }

    /// Crossing with a plane of normal `n`, from the height `n . p` of the point above it.
    #[inline(always)]
    fn at_height(&self, height: DoubleWord<FMA>, magnitude: f64, n: Vec3<DoubleWord<FMA>>) -> Option<Refined<FMA>> {
        let value = height + height;
        self.step(&Residual { value, magnitude, normal: n, dn_dt: Vec3::default(), dn_dt_bound: 0.0 })
    }

    /// Crossing with the side of a solid of revolution:
    /// `|p|^2 - (p . u)^2 / |u|^2 = (radius_a + growth p . u / |u|^2)^2`, with `p` relative to `a` and `u` from `a` to
    /// `b`.
    #[inline(always)]
    pub(crate) fn on_side(&self, [a, b]: [Vec3<f64>; 2], [ra, rb]: [f64; 2]) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let (p, size) = self.relative_to(a);
            let u = to_double_words::<FMA>(b) - to_double_words(a);
            let (axis_sq, along) = (u.length_sq(), p.dot(u));
            // Rounding errors of a shorter axis would underflow.
            if !(axis_sq.to_f64() > power(-800)) {
                return None;
            }
            let height = along / axis_sq;
            let radial_sq = p.length_sq() - along * height;
            let (plain_u, plain_sq) = (u.map_to(Arithmetic::to_f64), axis_sq.to_f64());
            let height_rate = self.d.plain_dot(plain_u) / plain_sq;
            let dn_dt = |scale: f64| self.d - plain_u * (height_rate * scale);
            if ra == rb {
                let size = size + ra;
                let value = radial_sq - DoubleWord::from_f64(ra).sq();
                let (magnitude, normal) = (size * size, p - u * height);
                return self.step(&Residual { value, magnitude, normal, dn_dt: dn_dt(1.0), dn_dt_bound: 1.0 });
            }
            let growth = DoubleWord::from_f64(rb) - DoubleWord::from_f64(ra);
            let radius = DoubleWord::from_f64(ra) + growth * height;
            let g = growth.to_f64();
            let (size, dn_dt_bound) = (size + ra + g.abs(), 1.0 + g * g / plain_sq);
            self.step(&Residual {
                value: radial_sq - radius.sq(),
                magnitude: 2.0 * size * size * dn_dt_bound,
                normal: p - u * (height + growth * radius / axis_sq),
                dn_dt: dn_dt(dn_dt_bound),
                dn_dt_bound,
            })
        })
    }

    /// Newton step.
    ///
    /// # Method
    /// Along the line the function is `F + 2 n . d s + (dn_dt . d) s^2`, with `s` from the start. The Newton step is
    /// `s = -F / (2 n . d)`.
    ///
    /// # Accuracy
    /// Lemma 8 in ACCURACY.md: a result is within 2^-58 of `t`. If a test fails, or compares a NaN, the step returns
    /// `None`.
    #[inline(always)]
    fn step(&self, residual: &Residual<FMA>) -> Option<Refined<FMA>> {
        shared!(DoubleWord<FMA>, {
            let Residual { value, magnitude, normal, dn_dt, dn_dt_bound } = *residual;
            let (t, d, n) = (self.at.t, self.d, normal.map_to(Arithmetic::to_f64));
            let slope = 2.0 * n.plain_dot(d);
            let s = -value.to_f64() / slope;
            let size = slope.abs();
            // The function decreases at one root and increases at the other: the slope tells which root this is.
            let is_same_root = dn_dt_bound == 0.0 || slope * self.at.sign > 0.0;
            let converges = s.abs() <= power(-40) * t.abs()
                && s.abs() * dn_dt_bound * d.length_sq() <= power(-20) * size
                && n.dot_magnitude(d) <= power(28) * size
                && magnitude <= power(30) * size * t.abs()
                && magnitude > power(-800);
            if !(is_same_root && converges) {
                return None;
            }
            Some(Refined {
                t: DoubleWord::from_f64(t).add_small(s),
                point: add_small(self.point, d, s),
                normal: add_small(normal, dn_dt, s),
            })
        })
    }
}

impl<const FMA: bool> Refined<FMA> {
    #[inline(always)]
    pub(crate) fn hit<V: Vector>(self, line: &WorkingRay<DoubleWord<FMA>>, side: Side) -> Hit<V> {
        shared!(DoubleWord<FMA>, {
            let distance = self.t * line.direction.length_sq().sqrt();
            hit_at(line, (self.t, self.point, distance), Some(Normal::Direction(self.normal)), side, None)
        })
    }
}

/// `v + by s`.
#[inline(always)]
fn add_small<const FMA: bool>(v: Vec3<DoubleWord<FMA>>, by: Vec3<f64>, s: f64) -> Vec3<DoubleWord<FMA>> {
    Vec3 { x: v.x.add_small(by.x * s), y: v.y.add_small(by.y * s), z: v.z.add_small(by.z * s) }
}

#[inline(always)]
pub(crate) fn to_double_words<const FMA: bool>(v: Vec3<f64>) -> Vec3<DoubleWord<FMA>> {
    v.map_to(DoubleWord::from_f64)
}
