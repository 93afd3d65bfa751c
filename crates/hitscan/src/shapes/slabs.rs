//! Slabs of a box: the crossings of a line with the pairs of parallel faces.

use crate::kernel::crossing::Crossing;
use crate::math::arithmetic::Arithmetic;
use crate::math::frame::{Frame, TINIEST};
use crate::math::observer::Observer;
use crate::math::real::{Precision, Real};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;

/// Whether products of numbers along one axis, which may be far below the largest one, may underflow: those of `f64` in
/// an arithmetic that does not scale.
#[inline(always)]
fn may_vanish<V: Vector, T: Arithmetic>() -> bool {
    T::NORMWISE_BOUNDS && V::Scalar::PRECISION == Precision::Double
}

/// Whether products with inverses may replace quotients, and a division by zero be infinite: in plain `f64`, whose
/// results are rounded once more.
#[inline(always)]
fn is_plain<T: Arithmetic>() -> bool {
    T::NORMWISE_BOUNDS && !T::VALUES_ONLY
}

/// Line and box `|x| <= h.x, |y| <= h.y, |z| <= h.z`, as the oriented box uses it, too. Face `i` is crossed along axis
/// `i`. In 2D there are two axes.
#[derive(Clone, Copy)]
pub struct Slabs<T> {
    pub(crate) frame: Frame<T>,
    pub(crate) o: Vec3<T>,
    pub(crate) d: Vec3<T>,
    pub(crate) h: Vec3<T>,
    /// Magnitude of the terms of `o - h`: the order of two slabs is certain only above the share of it that a value
    /// needs.
    pub(crate) size: Vec3<T>,
}

const IN: [&str; 3] = ["x: slab in", "y: slab in", "z: slab in"];

const OUT: [&str; 3] = ["x: slab out", "y: slab out", "z: slab out"];

impl<T: Arithmetic> Slabs<T> {
    /// Whether the line intersects the box, by its moment `m`; `magnitude` is that of the terms of
    /// `h_j |d_k| + h_k |d_j| - |m_i|`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn intersects<V: Vector, P: Observer>(&self, m: Vec3<T>, magnitude: Vec3<T>, observer: &mut P) -> bool {
        let (h, e) = (self.h, self.d.map(Arithmetic::abs));
        let gap = Vec3::new(
            h.y * e.z + h.z * e.y - m.x.abs(),
            h.z * e.x + h.x * e.z - m.y.abs(),
            h.x * e.y + h.y * e.x - m.z.abs(),
        );
        observer.number("projected half extents - |moment| about x", || gap.x.to_f64());
        observer.number("projected half extents - |moment| about y", || gap.y.to_f64());
        observer.number("projected half extents - |moment| about z", || gap.z.to_f64());
        let least = |v: Vec3<T>| if V::DIM == 2 { v.z } else { v.x.min(v.y).min(v.z) };
        // One certainly negative gap is a miss; for a hit all must be certainly positive, or zero, or a point of the line inside.
        let mut slack = magnitude * T::from_f64(T::sign_threshold());
        if may_vanish::<V, T>() {
            slack = slack.map(|slack| slack + T::from_f64(TINIEST));
        }
        // Lanes whose sign is uncertain leave the packet before one of them becomes a miss.
        if T::PACKET && !T::is_decided(least(gap - slack), least(gap + slack)) {
            observer.set_uncertain();
        }
        if least(gap).is_miss() {
            // A gap may be negative by its rounding alone: in the filter, and in double-words, which decide as it does.
            let is_open = !is_plain::<T>() || !(-least(gap + slack)).is_not_negative();
            if is_open && self.is_middle_inside::<V>(m, slack) {
                return true;
            }
            if !P::UNFILTERED {
                observer.is_not_negative(-least(gap + slack));
            }
            observer.verdict("miss: the line passes the box (an axis between them separates the two)");
            return false;
        }
        if !P::UNFILTERED && !least(gap - slack).is_not_negative() && !self.is_middle_inside::<V>(m, slack) {
            observer.set_uncertain();
        }
        true
    }
    /// Whether the point of the line in the middle of the longest way through the box is inside; in the filter, for certain. Of a line along
    /// an axis, no gap about that axis is certain: it is a sum of small numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_middle_inside<V: Vector>(&self, m: Vec3<T>, slack: Vec3<T>) -> bool {
        // Where the coordinate along axis i is zero, those along j and k are `m_k / d_i` and `-m_j / d_i`.
        let (h, e) = (self.h, self.d.map(Arithmetic::abs));
        let last = if V::DIM == 2 || e.y.ge(e.z) { 1 } else { 2 };
        let axis = if e.x.ge(e.y) && (V::DIM == 2 || e.x.ge(e.z)) { 0 } else { last };
        let [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
        // Only the filter has errors to allow for. In the plane, the moment about z alone is not zero.
        let room = if is_plain::<T>() { slack } else { Vec3::new(T::ZERO, T::ZERO, T::ZERO) };
        let (size, limit) = (m.map(Arithmetic::abs) + room, h * e.get(axis));
        let in_plane = V::DIM == 2;
        let is_within_j = in_plane && j == 2 || size.get(k).le(limit.get(j) - room.get(k));
        let is_within_k = in_plane && k == 2 || size.get(j).le(limit.get(k) - room.get(j));
        is_within_j && is_within_k
    }
    #[inline(always)]
    pub(crate) fn enter<V: Vector, P: Observer>(&self, observer: &mut P) -> Crossing<T> {
        let (local, face) = self.last_slab::<V, P>(self.d, IN, observer);
        Crossing { t: self.frame.plain_t(local), local, face, sign: -T::ONE }
    }
    /// Entry of the reversed line; zero stays zero without a sign.
    #[inline(always)]
    pub(crate) fn exit<V: Vector, P: Observer>(&self, observer: &mut P) -> Crossing<T> {
        let (local, face) = self.last_slab::<V, P>(-self.d, OUT, observer);
        Crossing { t: T::ZERO - self.frame.plain_t(local), local: -local, face, sign: T::ONE }
    }
    /// Slab that the line enters last: its parameter and its axis.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn last_slab<V: Vector, P: Observer>(&self, d: Vec3<T>, names: [&'static str; 3], observer: &mut P) -> (T, u32) {
        let never = T::from_f64(f64::NEG_INFINITY);
        let (mut near, mut lower, mut upper) = ([never; 3], [never; 3], [never; 3]);
        for axis in 0..V::DIM {
            let (o, d, h, size) = (self.o.get(axis), d.get(axis), self.h.get(axis), self.size.get(axis));
            // In plain `f64` the quotient by zero is the infinity that the slab needs.
            if !is_plain::<T>() && d.equals(T::ZERO) {
                continue;
            }
            let way = -h - o.mul_sign(d);
            // Elsewhere digits count: a quotient has one rounding less.
            let inverse = if is_plain::<T>() { T::ONE / d.abs() } else { T::ONE };
            let over = |way: T| if is_plain::<T>() { way * inverse } else { way / d.abs() };
            near[axis] = over(way);
            if !P::UNFILTERED {
                let mut slack = size * T::from_f64(T::value_threshold());
                if may_vanish::<V, T>() {
                    slack = slack + T::from_f64(TINIEST);
                }
                (lower[axis], upper[axis]) = (over(way - slack), over(way + slack));
            }
            observer.number(names[axis], || self.frame.t(near[axis]).to_f64() * if names == IN { 1.0 } else { -1.0 });
        }
        let last = near[0].max(near[1]).max(near[2]);
        if may_vanish::<V, T>() {
            observer.check_filter(last, T::from_f64(TINIEST), 1.0);
        }
        if !P::UNFILTERED && !is_last_certain(lower, upper) {
            observer.set_uncertain();
        }
        if T::PACKET {
            // The rays of a packet enter by different faces, and only their `t` is wanted.
            return (last, 0);
        }
        let [x, y, z] = near;
        let face = if x.ge(y) && x.ge(z) {
            0
        } else if y.ge(z) {
            1
        } else {
            2
        };
        (last, face)
    }
    /// Outward normal of a face, along its axis.
    #[inline(always)]
    pub(crate) fn outward(&self, at: &Crossing<T>) -> Vec3<T> {
        let one = |axis: u32, d: T| if axis == at.face { at.sign.mul_sign(d) } else { T::ZERO };
        Vec3::new(one(0, self.d.x), one(1, self.d.y), one(2, self.d.z))
    }
}

/// [`is_last_certain`] for a packet: without a branch that depends on the slab.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_last_certain_in_lanes<T: Arithmetic>([a, b, c]: [T; 3], [x, y, z]: [T; 3]) -> bool {
    let (least, most) = (a.max(b).max(c), x.max(y).max(z));
    // No end is a NaN, which the extremes of several numbers would hide.
    let are_numbers = x.is_at_least(1.0, x.abs()) && y.is_at_least(1.0, y.abs()) && z.is_at_least(1.0, z.abs());
    // The interval of one slab lies above the ends of the others: above the second largest one.
    let second = x.min(y).max(x.max(y).min(z));
    let is_single = T::is_decided(-T::ONE, second - least);
    // It does not contain zero.
    let is_signed = T::is_decided(least, most) && T::is_decided(-most, -least);
    are_numbers && is_single && is_signed
}

/// Whether the slab that is entered last is certain, and its parameter has its digits: the interval of one slab lies above all others
/// (docs/proofs.md, Lemma 5), and does not contain zero.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_last_certain<T: Arithmetic>(lower: [T; 3], upper: [T; 3]) -> bool {
    if T::PACKET {
        return is_last_certain_in_lanes(lower, upper);
    }
    let least = lower[0].max(lower[1]).max(lower[2]);
    let most = upper[0].max(upper[1]).max(upper[2]);
    let [x, y, z] = [!((upper[0]).lt(least)), !((upper[1]).lt(least)), !((upper[2]).lt(least))];
    let single = u32::from(x) + u32::from(y) + u32::from(z) == 1;
    single & ((least.gt(T::ZERO)) | (most.lt(T::ZERO)))
}
