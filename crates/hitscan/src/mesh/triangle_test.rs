//! One triangle and one line; two triangles, and which of them comes first.

use crate::adaptive::stages::{Evaluate, evaluate_adaptive, evaluate_decided, with_filter};
use crate::explain::Trace;
use crate::hit::{Hit, Side};
use crate::kernel::hit_builder::build_hit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::filter_f64::FilterF64;
use crate::math::observer::{FilterFlag, Observer};
use crate::math::real::{Precision, Real};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::query::{Faces, Query};
use crate::shapes::triangle::{EdgeRule, TriangleHit, cross_triangle, known_crossing};
use core::cmp::Ordering;

/// One triangle and one line.
pub(crate) struct Crossing {
    pub(crate) corners: [Vec3<f64>; 3],
    pub(crate) query: Query<f64>,
    pub(crate) rule: EdgeRule,
}

impl Crossing {
    #[inline(always)]
    pub(crate) fn answer<S: Real>(&self, raw: &InputRay) -> Option<TriangleHit<Dd>> {
        with_filter::<S, _, _>(
            self,
            || *raw,
            |raw| self.evaluate_decided(&raw),
            |raw| self.weighed(&raw, S::PRECISION, &mut Trace::default()),
        )
    }
    /// The hit of a line in `f32` that is known to cross the triangle: no sign is in doubt, and only the digits of `t` are
    /// weighed.
    #[inline(always)]
    pub(crate) fn known_hit<V: Vector>(&self, raw: &InputRay, triangle: u32) -> Hit<V> {
        let (at, doubtful) = known(&raw.line(), self.corners);
        if doubtful && let Some(at) = self.weighed_as(raw, V::Scalar::PRECISION) {
            return hit(&raw.line::<f64>(), triangle, &at.convert());
        }
        hit(&raw.line(), triangle, &at)
    }

    /// `t` of such a line.
    #[inline(always)]
    pub(crate) fn known_t(&self, raw: &InputRay) -> f64 {
        let (at, doubtful) = known(&raw.line(), self.corners);
        if doubtful && let Some(at) = self.weighed_as(raw, Precision::Single) {
            return at.t.to_f64();
        }
        at.t.to_f64()
    }

    #[cold]
    #[inline(never)]
    fn weighed_as(&self, raw: &InputRay, precision: Precision) -> Option<TriangleHit<Dd>> {
        self.weighed(raw, precision, &mut Trace::default())
    }

    #[inline(never)]
    pub(crate) fn weighed(&self, raw: &InputRay, precision: Precision, trace: &mut Trace) -> Option<TriangleHit<Dd>> {
        evaluate_adaptive(self, raw, precision, trace)
    }
    #[inline(never)]
    fn evaluate_decided(&self, raw: &InputRay) -> Option<TriangleHit<Dd>> {
        evaluate_decided(self, raw)
    }
}

/// Where a line in `f32` crosses a triangle that it is known to cross, and whether digits are in doubt.
#[inline(always)]
pub(crate) fn known(line: &WorkingRay<FilterF64>, [a, b, c]: [Vec3<f64>; 3]) -> (TriangleHit<FilterF64>, bool) {
    let mut watch = FilterFlag::default();
    let at = known_crossing(line, [a.convert(), b.convert(), c.convert()], &mut watch);
    (at, watch.is_uncertain)
}

impl Evaluate for Crossing {
    type Output = Option<TriangleHit<Dd>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let corners = self.corners.map(Vec3::convert);
        let at = cross_triangle::<f64, _, _>(line, corners, self.rule, observer)?;
        let found = seen(self.query.faces_mode(), &at) && TRange::new(line, &self.query).hold(at.t, observer);
        found.then(|| at.tellable().convert())
    }
}

fn seen<T: Arithmetic>(faces: Faces, at: &TriangleHit<T>) -> bool {
    match faces {
        Faces::Both => true,
        Faces::Front => at.facing < T::ZERO,
        Faces::Back => at.facing > T::ZERO,
    }
}

/// The hit of a crossing.
#[inline(always)]
pub(crate) fn hit<V: Vector, T: Arithmetic>(line: &WorkingRay<T>, triangle: u32, at: &TriangleHit<T>) -> Hit<V> {
    let side = if at.facing < T::ZERO { Side::Front } else { Side::Back };
    let hit = build_hit(line, at.t, Some(at.normal), side, Some(at.uv));
    Hit { primitive: Some(triangle), ..hit }
}

/// Which of two planes a line meets first.
pub(crate) struct Planes(pub(crate) [[Vec3<f64>; 3]; 2]);

impl Planes {
    /// Whether they plainly are one, as those of doubled walls: the same corners in any order, or all of them at the same
    /// height along an axis.
    pub(crate) fn are_the_same(&self) -> bool {
        let [a, b] = &self.0;
        let level = |axis: usize| a.iter().chain(b).all(|corner| corner.get(axis) == a[0].get(axis));
        a.iter().all(|corner| b.contains(corner)) || level(0) || level(1) || level(2)
    }
}

impl Evaluate for Planes {
    type Output = Ordering;
    /// `t = n . (a - o) / n . d` of each: the two products across are compared, for which nothing is rounded in exact
    /// numbers.
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Ordering {
        let d = line.direction;
        let fraction = |corners: [Vec3<f64>; 3]| {
            let [a, b, c] = corners.map(Vec3::convert::<T>);
            let (o, ab, ac) = (a - line.origin, b - a, c - a);
            let (n, magnitude) = (ab.cross(ac), ab.cross_magnitude(ac));
            let size = o.extent().max(ab.extent()).max(ac.extent());
            ([n.dot(o), magnitude.dot_magnitude(o)], [n.dot(d), magnitude.dot_magnitude(d)], size)
        };
        let [(above, slope, size), (above_2, slope_2, size_2)] = self.0.map(fraction);
        let difference = above[0] * slope_2[0] - above_2[0] * slope[0];
        let magnitude = above[1] * slope_2[1] + above_2[1] * slope[1];
        observer.sign(difference, magnitude);
        // What underflows on the way, times numbers of this size, stays far below that reach.
        let largest = d.extent().max(size).max(size_2);
        if T::sign_threshold() > 0.0 && !(largest < LARGEST && magnitude.to_f64() > SMALLEST) {
            observer.doubt();
        }
        let order = difference.partial_cmp(&T::ZERO).unwrap_or(Ordering::Equal);
        // Divided by both slopes.
        if (slope[0] < T::ZERO) == (slope_2[0] < T::ZERO) { order } else { order.reverse() }
    }
}

/// 2^100 and 2^-480: what underflows on the way, below 2^-1074 times at most five numbers of the first size, is 2^-94 of
/// the second.
const LARGEST: f64 = f64::from_bits((1023 + 100) << 52);

const SMALLEST: f64 = f64::from_bits((1023 - 480) << 52);
