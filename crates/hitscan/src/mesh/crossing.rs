//! One triangle and one line; two triangles, and which of them comes first.

use crate::explain::Recorder;
use crate::math::{Dd, Line, Precision, Probe, Quick, Raw, Real, Vector, W, Watch, Wide, Wide3};
use crate::shape::{EdgeRule, Limits, Question, TriangleHit, answer, build_hit, climb, cross_triangle, surely};
use crate::{Faces, Hit, Query, Side};
use core::cmp::Ordering;

/// One triangle and one line.
pub(super) struct Crossing {
    pub(super) corners: [Wide3<f64>; 3],
    pub(super) query: Query<f64>,
    pub(super) rule: EdgeRule,
}

impl Crossing {
    #[inline(always)]
    pub(super) fn answer<S: Real>(&self, raw: &Raw) -> Option<TriangleHit<Dd>> {
        answer::<S, _, _>(
            self,
            || *raw,
            |raw| self.surely(&raw),
            |raw| self.weighed(&raw, S::PRECISION, &mut Recorder::default()),
        )
    }
    /// The same where the line is known to cross the triangle, well inside: then no sign is in doubt, and only the digits
    /// of `t` are weighed.
    ///
    /// # Accuracy
    /// What is certain in `f32` (`Block::weigh`, with its u, S, D, E) is at least 16 u S D E away from the edges' planes, 16
    /// u D E^2 from being parallel, and S is above 2^-18 E. The signs of the kernel are of twice those numbers; plain
    /// `f64` doubts them below 2^-42 times 12 D E (S + E), and 6 D E^2, which is less: 2^-38.4 D E (S + E) against 2^-19 D E
    /// S, and 2^-39.4 against 2^-20 D E^2.
    #[inline(always)]
    pub(super) fn inside<S: Real>(&self, raw: &Raw) -> Option<TriangleHit<Dd>> {
        let mut digits = Digits::default();
        let answer = self.ask(&raw.line::<Quick>(), &mut digits);
        if digits.0.doubtful { self.weighed(raw, S::PRECISION, &mut Recorder::default()) } else { answer }
    }

    #[inline(never)]
    pub(super) fn weighed(&self, raw: &Raw, precision: Precision, recorder: &mut Recorder) -> Option<TriangleHit<Dd>> {
        climb(self, raw, precision, recorder)
    }
    #[inline(never)]
    fn surely(&self, raw: &Raw) -> Option<TriangleHit<Dd>> {
        surely(self, raw)
    }
}

/// Doubts digits, and no signs.
#[derive(Default)]
struct Digits(Watch);

impl Probe for Digits {
    #[inline(always)]
    fn doubt(&mut self) {
        self.0.doubt();
    }
    #[inline(always)]
    fn sign<T: Wide>(&mut self, _value: T, _reach: T) {}
}

impl Question for Crossing {
    type Answer = Option<TriangleHit<Dd>>;
    #[inline(always)]
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Self::Answer {
        let corners = self.corners.map(Wide3::convert);
        let at = cross_triangle(line, corners, self.rule, probe)?;
        let found = seen(self.query.faces_mode(), &at) && Limits::new(line, &self.query).hold(at.t, probe);
        found.then(|| at.tellable().convert())
    }
}

fn seen<T: Wide>(faces: Faces, at: &TriangleHit<T>) -> bool {
    match faces {
        Faces::Both => true,
        Faces::Front => at.facing < T::ZERO,
        Faces::Back => at.facing > T::ZERO,
    }
}

/// The hit of a crossing.
#[inline(always)]
pub(super) fn hit<V: Vector>(line: &Line<W<V>>, triangle: u32, at: &TriangleHit<W<V>>) -> Hit<V> {
    let side = if at.facing < W::<V>::ZERO { Side::Front } else { Side::Back };
    let hit = build_hit(line, at.t, Some(at.normal), side, Some(at.uv));
    Hit { primitive: Some(triangle), ..hit }
}

/// Which of two planes a line meets first.
pub(super) struct Planes(pub(super) [[Wide3<f64>; 3]; 2]);

impl Planes {
    /// Whether they plainly are one, as those of doubled walls: the same corners in any order, or all of them at the same
    /// height along an axis.
    pub(super) fn are_the_same(&self) -> bool {
        let [a, b] = &self.0;
        let level = |axis: usize| a.iter().chain(b).all(|corner| corner.get(axis) == a[0].get(axis));
        a.iter().all(|corner| b.contains(corner)) || level(0) || level(1) || level(2)
    }
}

impl Question for Planes {
    type Answer = Ordering;
    /// `t = n . (a - o) / n . d` of each: the two products across are compared, for which nothing is rounded in exact
    /// numbers.
    fn ask<T: Wide, P: Probe>(&self, line: &Line<T>, probe: &mut P) -> Ordering {
        let d = line.direction;
        let fraction = |corners: [Wide3<f64>; 3]| {
            let [a, b, c] = corners.map(Wide3::convert::<T>);
            let (o, ab, ac) = (a - line.origin, b - a, c - a);
            let (n, reach) = (ab.cross(ac), ab.cross_reach(ac));
            let size = o.extent().max(ab.extent()).max(ac.extent());
            ([n.dot(o), reach.dot_reach(o)], [n.dot(d), reach.dot_reach(d)], size)
        };
        let [(above, slope, size), (above_2, slope_2, size_2)] = self.0.map(fraction);
        let difference = above[0] * slope_2[0] - above_2[0] * slope[0];
        let reach = above[1] * slope_2[1] + above_2[1] * slope[1];
        probe.sign(difference, reach);
        // What underflows on the way, times numbers of this size, stays far below that reach.
        let largest = d.extent().max(size).max(size_2);
        if T::sign_doubt() > 0.0 && !(largest < LARGEST && reach.to_f64() > SMALLEST) {
            probe.doubt();
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
