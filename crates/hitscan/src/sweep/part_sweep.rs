//! `PartSweep`: the sweep of a sphere along a ray, in working arithmetic; the balls and segments that it meets.

use crate::kernel::crossing::{Crossing, ShapeClass};
use crate::kernel::range_rules::{BoundaryHit, TRange, first};
use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::working_ray::WorkingRay;
use crate::query::Query;
use crate::shapes::capsule_line::cross_capsule;
use crate::shapes::sphere::ball;

/// Sweep of a sphere: the first contact with the convex sets that a part consists of.
pub(crate) struct PartSweep<'a, T, P> {
    pub(crate) line: &'a WorkingRay<T>,
    pub(crate) query: &'a Query<f64>,
    pub(crate) range: TRange<T>,
    pub(crate) observer: &'a mut P,
    /// First contact so far: its `t`, and whether it is the start of the range.
    pub(crate) earliest: Option<(T, bool)>,
}

impl<'a, T: Arithmetic, P: Observer> PartSweep<'a, T, P> {
    pub(crate) fn new(line: &'a WorkingRay<T>, query: &'a Query<f64>, observer: &'a mut P) -> Self {
        Self { line, query, range: TRange::new(line, query), observer, earliest: None }
    }

    /// First contact with a convex set that the line enters and leaves, within the range.
    pub(crate) fn first(&mut self, enter: &Crossing<T>, exit: impl FnOnce(&mut P) -> Crossing<T>) -> Option<(T, bool)> {
        let ordered = |observer: &mut P| {
            let exit = exit(observer);
            if exit.t.lt(enter.t) { *enter } else { exit }
        };
        match first(enter, ordered, ShapeClass::Solid, &self.range, self.query, self.observer)? {
            BoundaryHit::Inside(t) => Some((t, true)),
            BoundaryHit::Enter(at) => Some((at.t, false)),
            // The set contains the line from the beginning: there is no first contact.
            BoundaryHit::Exit(_) => None,
        }
    }

    /// Takes a contact if it is the first.
    pub(crate) fn record(&mut self, (t, at_start): (T, bool)) {
        if self.earliest.is_none_or(|(earliest, _)| t.lt(earliest)) || at_start {
            self.earliest = Some((t, at_start));
        }
    }

    /// Sweeps against a convex set.
    pub(crate) fn add(&mut self, enter: &Crossing<T>, exit: impl FnOnce(&mut P) -> Crossing<T>) {
        if let Some(found) = self.first(enter, exit) {
            self.record(found);
        }
    }

    /// Sweeps against the points within `r` of a point.
    pub(crate) fn ball(&mut self, center: Vec3<T>, r: T) {
        if let Some([enter, exit]) = self.chord(center, r) {
            self.add(&enter, |_| exit);
        }
    }

    fn chord(&mut self, center: Vec3<T>, r: T) -> Option<[Crossing<T>; 2]> {
        let frame = self.line.local(center, r.to_f64());
        let r = frame.length(r);
        frame.check_scale([], [r], self.observer);
        let chord = ball(frame, r, 0, self.observer)?;
        Some([chord.enter(), chord.exit()])
    }

    /// Sweeps against the points within `r` of a segment.
    pub(crate) fn segment(&mut self, [a, b]: [Vec3<T>; 2], r: T) {
        let u = b - a;
        if u.is_zero() {
            self.ball(a, r);
        } else if is_along_one_axis(self.line.direction, u) {
            // The ray is exactly parallel, which a filter could not tell: it touches the segment if it touches the ends.
            let d = self.line.direction;
            let is_forward =
                u.x.mul_sign(d.x).ge(T::ZERO) && u.y.mul_sign(d.y).ge(T::ZERO) && u.z.mul_sign(d.z).ge(T::ZERO);
            let [near, far] = if is_forward { [a, b] } else { [b, a] };
            if let (Some([enter, _]), Some([_, exit])) = (self.chord(near, r), self.chord(far, r)) {
                self.add(&enter, |_| exit);
            }
        } else if let Some(meet) = cross_capsule(self.line, [a, b], r, self.observer) {
            self.add(&meet.enter, |observer| meet.state.exit(&meet.enter, observer));
        }
    }
}

/// Whether two vectors are along the same coordinate axis. Both are not zero.
fn is_along_one_axis<T: Arithmetic>(d: Vec3<T>, u: Vec3<T>) -> bool {
    let is_zero = |axis: usize| d.get(axis).equals(T::ZERO) && u.get(axis).equals(T::ZERO);
    let [x, y, z] = [is_zero(0), is_zero(1), is_zero(2)];
    [x, y, z].iter().filter(|is_zero| **is_zero).count() >= 2
}
