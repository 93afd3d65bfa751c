//! From a crossing that `f64` has found to all its digits: one step of Newton's on a function that vanishes on the face.

use super::kernel::{Crossing, Normal};
use super::resolve::hit_at;
use crate::math::{InputRay, Pair, Vector, Wide, Wide3, WorkingRay};
use crate::{Hit, Side};

/// A crossing as `f64` has found it, and its point on the line, which has all digits.
pub struct Start<const FUSED: bool> {
    pub(super) line: WorkingRay<Pair<FUSED>>,
    pub(super) at: Crossing<f64>,
    point: Wide3<Pair<FUSED>>,
    /// The direction, rounded.
    d: Wide3<f64>,
    /// The magnitude of the terms of `point`.
    size: f64,
}

/// A crossing to all digits.
pub struct Refined<const FUSED: bool> {
    pub(super) t: Pair<FUSED>,
    point: Wide3<Pair<FUSED>>,
    /// Outward, of any length.
    normal: Wide3<Pair<FUSED>>,
}

/// A function that vanishes on a face, at the point of a [`Start`]. Along the line it is a polynomial of degree 2 at most.
struct Residual<const FUSED: bool> {
    value: Pair<FUSED>,
    /// The magnitude of the terms of `value`; where it curves, at least that of `normal` times `size`.
    reach: f64,
    /// Half the gradient.
    normal: Wide3<Pair<FUSED>>,
    /// How `normal` changes with `t`, and how many times longer than the direction that can be: 0 where it does not.
    turn: Wide3<f64>,
    stretch: f64,
}

/// 2^exponent.
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl<const FUSED: bool> Start<FUSED> {
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn new(raw: &InputRay, at: Crossing<f64>) -> Self {
        let line = raw.line::<Pair<FUSED>>();
        let d = line.direction.map_to(Wide::to_f64);
        let (o, v) = (line.origin, line.direction);
        let point = Wide3 { x: o.x + v.x.times(at.t), y: o.y + v.y.times(at.t), z: o.z + v.z.times(at.t) };
        Self { line, at, point, d, size: o.extent() + at.t.abs() * d.extent() }
    }

    /// The point as seen from another one, and the magnitude of the terms of that.
    #[inline(always)]
    fn seen_from(&self, reference: Wide3<f64>) -> (Wide3<Pair<FUSED>>, f64) {
        (self.point - exactly(reference), self.size + reference.extent())
    }

    /// On the sphere `|p - center| = radius`.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn on_ball(&self, center: Wide3<f64>, radius: f64) -> Option<Refined<FUSED>> {
        let ((p, size), r) = (self.seen_from(center), Pair::from_f64(radius));
        let size = size + radius;
        self.step(&Residual {
            value: p.length_sq() - r.sq(),
            reach: size * size,
            normal: p,
            turn: self.d,
            stretch: 1.0,
        })
    }

    /// On the plane through a point, with the normal `n`.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn on_plane(&self, n: Wide3<Pair<FUSED>>, through: Wide3<f64>) -> Option<Refined<FUSED>> {
        let (p, size) = self.seen_from(through);
        self.at_height(n.dot(p), size * n.extent(), n)
    }

    /// On the face of a box, whose outward normal is an axis.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn on_face(&self, center: Wide3<f64>, half: Wide3<f64>) -> Option<Refined<FUSED>> {
        let axis = self.at.face as usize;
        let mut outward = [0.0; 3];
        outward[axis] = self.at.sign.towards(self.d.get(axis));
        let normal = Wide3::new(outward[0], outward[1], outward[2]);
        let (c, h) = (Pair::from_f64(center.get(axis)), Pair::from_f64(half.get(axis)));
        let above = (self.point.get(axis) - c).times(normal.get(axis));
        self.at_height(above - h, self.size + center.extent() + half.extent(), exactly(normal))
    }

    /// On a plane with the normal `n`, at the height `n . p` above it, which is to vanish.
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn at_height(&self, height: Pair<FUSED>, reach: f64, n: Wide3<Pair<FUSED>>) -> Option<Refined<FUSED>> {
        let value = height + height;
        self.step(&Residual { value, reach, normal: n, turn: Wide3::default(), stretch: 0.0 })
    }

    /// On the side of a solid of revolution: `|p|^2 - (p . u)^2 / |u|^2 = (radius_a + growth p . u / |u|^2)^2`, seen from
    /// `a`, with `u` from `a` to `b`.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn on_side(&self, [a, b]: [Wide3<f64>; 2], [ra, rb]: [f64; 2]) -> Option<Refined<FUSED>> {
        let (p, size) = self.seen_from(a);
        let u = exactly::<FUSED>(b) - exactly(a);
        let (axis_sq, along) = (u.length_sq(), p.dot(u));
        // Of an axis as short as that, rounding errors would vanish.
        if !(axis_sq.to_f64() > power(-800)) {
            return None;
        }
        let height = along / axis_sq;
        let round = p.length_sq() - along * height;
        let (plain_u, plain_sq) = (u.map_to(Wide::to_f64), axis_sq.to_f64());
        let up = self.d.plain_dot(plain_u) / plain_sq;
        let turn = |stretch: f64| self.d - plain_u * (up * stretch);
        if ra == rb {
            let size = size + ra;
            let value = round - Pair::from_f64(ra).sq();
            let (reach, normal) = (size * size, p - u * height);
            return self.step(&Residual { value, reach, normal, turn: turn(1.0), stretch: 1.0 });
        }
        let growth = Pair::from_f64(rb) - Pair::from_f64(ra);
        let radius = Pair::from_f64(ra) + growth * height;
        let g = growth.to_f64();
        let (size, stretch) = (size + ra + g.abs(), 1.0 + g * g / plain_sq);
        self.step(&Residual {
            value: round - radius.sq(),
            reach: 2.0 * size * size * stretch,
            normal: p - u * (height + growth * radius / axis_sq),
            turn: turn(stretch),
            stretch,
        })
    }

    /// # Method
    /// Along the line the function is `F + 2 n . d s + (turn . d) s^2`, `s` from the start: Newton's step is
    /// `s = -F / (2 n . d)`.
    ///
    /// # Accuracy
    /// Lemma 8 in ACCURACY.md: within 2^-58 of `t`, where it answers. Where a test fails, or is asked about a NaN, it does not.
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn step(&self, residual: &Residual<FUSED>) -> Option<Refined<FUSED>> {
        let Residual { value, reach, normal, turn, stretch } = *residual;
        let (t, d, n) = (self.at.t, self.d, normal.map_to(Wide::to_f64));
        let slope = 2.0 * n.plain_dot(d);
        let s = -value.to_f64() / slope;
        let size = slope.abs();
        // The root that was found: of two, one is met with a falling function, the other one with a rising one.
        let same = stretch == 0.0 || slope * self.at.sign > 0.0;
        let sound = s.abs() <= power(-40) * t.abs()
            && s.abs() * stretch * d.length_sq() <= power(-20) * size
            && n.dot_reach(d) <= power(28) * size
            && reach <= power(30) * size * t.abs()
            && reach > power(-800);
        if !(same && sound) {
            return None;
        }
        Some(Refined {
            t: Pair::from_f64(t).nudged(s),
            point: nudged(self.point, d, s),
            normal: nudged(normal, turn, s),
        })
    }
}

impl<const FUSED: bool> Refined<FUSED> {
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn hit<V: Vector>(self, line: &WorkingRay<Pair<FUSED>>, side: Side) -> Hit<V> {
        let distance = self.t * line.direction.length_sq().sqrt();
        hit_at(line, (self.t, self.point, distance), Some(Normal::Along(self.normal)), side, None)
    }
}

/// `v + by s`.
#[inline(always)]
fn nudged<const FUSED: bool>(v: Wide3<Pair<FUSED>>, by: Wide3<f64>, s: f64) -> Wide3<Pair<FUSED>> {
    Wide3 { x: v.x.nudged(by.x * s), y: v.y.nudged(by.y * s), z: v.z.nudged(by.z * s) }
}

#[inline(always)]
pub(super) fn exactly<const FUSED: bool>(v: Wide3<f64>) -> Wide3<Pair<FUSED>> {
    v.map_to(Pair::from_f64)
}
