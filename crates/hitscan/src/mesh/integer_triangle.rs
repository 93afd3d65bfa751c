//! Exact tests of one ray and triangles in integers of fixed size: the crossing, and the order of two crossings.
//!
//! # Method
//! Floating-point numbers are integers times a power of two. Where the exponents of all coordinates are near each other, as in
//! nearly every mesh, coordinates are integers of one or two limbs, and the polynomials of the test (see
//! [`cross_triangle`](crate::shapes::triangle::cross_triangle)) are integers of three or six: no heap, no loop over lengths. A ray
//! has other units than its mesh: those of its direction.
//!
//! # Bits
//! With coordinates below `2^p`, differences are below `2^(p + 1)`, components of a normal or moment below `2^(2 p + 3)`, their scalar
//! products with a difference below `2^(3 p + 6)`, and sums of three of these below `2^(3 p + 8)`. For `p = 64 n - 3`, all fit into
//! `n`, `2 n` and `3 n` limbs with their signs. See docs/proofs.md, Lemma 21.

use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::exact::integer::Integer;
use crate::math::frame::TINIEST;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::working_ray::InputRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use core::cmp::Ordering;

/// Bits of a coordinate of one and of two limbs.
const BITS: [i32; 2] = [61, 125];

/// A triangle as it is tested: its corners, the query, and the rule for edges.
pub(crate) struct TestedTriangle<'a> {
    pub(crate) corners: [Vec3<f64>; 3],
    pub(crate) query: &'a Query<f64>,
    pub(crate) rule: EdgeRule,
}

/// Crossing of a ray with a triangle, with 100 bits in each number, and its decisions exact. `None` where the exponents of the numbers
/// differ too much, and for a line that runs in a triangle, if the query counts that.
#[inline(never)]
pub(crate) fn crossing(of: &TestedTriangle<'_>, ray: &InputRay) -> Option<Option<TriangleHit<Dd>>> {
    let units = Units::of(ray, &[of.corners])?;
    match units.limbs() {
        1 => decided::<1, 2, 3, 4>(of, ray, &units)?.map_or(Some(None), |at| Some(Some(at.hit()?))),
        _ => decided::<2, 4, 6, 7>(of, ray, &units)?.map_or(Some(None), |at| Some(Some(at.hit()?))),
    }
}

/// `t` of the [`crossing`].
#[inline(never)]
pub(crate) fn crossing_t(of: &TestedTriangle<'_>, ray: &InputRay) -> Option<Option<f64>> {
    let units = Units::of(ray, &[of.corners])?;
    let t = match units.limbs() {
        1 => decided::<1, 2, 3, 4>(of, ray, &units)?.map(|at| at.t),
        _ => decided::<2, 4, 6, 7>(of, ray, &units)?.map(|at| at.t),
    };
    Some(t.map(Dd::to_f64))
}

/// Order along a ray of its crossings with the planes of two triangles; `None` where the exponents of the numbers differ too much.
#[inline(never)]
pub(crate) fn plane_order(planes: &[[Vec3<f64>; 3]; 2], ray: &InputRay) -> Option<Ordering> {
    let units = Units::of(ray, planes)?;
    Some(match units.limbs() {
        1 => plane_order_in::<1, 2, 3, 6>(planes, ray, &units),
        _ => plane_order_in::<2, 4, 6, 12>(planes, ray, &units),
    })
}

/// Powers of two of which the coordinates of points, and those of the direction, are multiples.
struct Units {
    points: i32,
    direction: i32,
    /// Bits of the largest coordinate in these units.
    bits: i32,
}

impl Units {
    /// The units of a ray and triangles; `None` if a coordinate has too many bits in them, or is not finite.
    fn of(ray: &InputRay, triangles: &[[Vec3<f64>; 3]]) -> Option<Self> {
        // The end of a segment is a point, the direction of a ray is not.
        let (mut points, mut direction) = (Extent::NONE, Extent::NONE);
        ray.origin.iter().for_each(|&x| points.include(x));
        let target = if ray.is_segment { &mut points } else { &mut direction };
        ray.target.iter().for_each(|&x| target.include(x));
        for corner in triangles.iter().flatten() {
            [corner.x, corner.y, corner.z].iter().for_each(|&x| points.include(x));
        }
        let bits = points.bits().max(direction.bits());
        let direction = if ray.is_segment { points.lowest() } else { direction.lowest() };
        (bits <= BITS[1]).then_some(Self { points: points.lowest(), direction, bits })
    }

    fn limbs(&self) -> usize {
        if self.bits <= BITS[0] { 1 } else { 2 }
    }
}

/// Exponents of the lowest and above the highest bit of some numbers.
struct Extent {
    low: i32,
    high: i32,
}

impl Extent {
    const NONE: Self = Self { low: i32::MAX, high: i32::MIN };

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn include(&mut self, x: f64) {
        let (mantissa, exponent) = parts(x);
        if !x.is_finite() {
            self.high = BEYOND;
        } else if mantissa != 0 {
            let size = mantissa.unsigned_abs();
            self.low = self.low.min(exponent + size.trailing_zeros() as i32);
            self.high = self.high.max(exponent + 64 - size.leading_zeros() as i32);
        }
    }

    fn lowest(&self) -> i32 {
        if self.low == i32::MAX { 0 } else { self.low }
    }

    fn bits(&self) -> i32 {
        if self.high == i32::MIN { 0 } else { self.high.saturating_sub(self.low) }
    }
}

/// An exponent that leaves too many bits above every other one.
const BEYOND: i32 = 1 << 20;

/// Mantissa and exponent of a finite number: `x = mantissa * 2^exponent`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn parts(x: f64) -> (i64, i32) {
    let (field, fraction) = ((x.to_bits() >> 52 & 0x7ff) as i32, (x.to_bits() & ((1 << 52) - 1)) as i64);
    // Subnormal numbers have the exponent of field 1, and no hidden bit.
    let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
    (if x < 0.0 { -mantissa } else { mantissa }, field.max(1) - 1075)
}

/// A coordinate in a unit.
#[cfg_attr(not(debug_assertions), inline(always))]
fn in_units<const A: usize>(x: f64, unit: i32) -> Integer<A> {
    let (mantissa, exponent) = parts(x);
    if mantissa == 0 {
        return Integer::ZERO;
    }
    // A unit may be above the last bit of the mantissa, but not above its last bit that is set.
    match u32::try_from(exponent - unit) {
        Ok(shift) => Integer::shifted(mantissa, shift),
        Err(_) => Integer::shifted(mantissa >> (unit - exponent), 0),
    }
}

type Vector<const N: usize> = [Integer<N>; 3];

#[cfg_attr(not(debug_assertions), inline(always))]
fn difference<const N: usize>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg_attr(all(not(debug_assertions), not(target_arch = "wasm32")), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
fn cross<const A: usize, const B: usize>(a: &Vector<A>, b: &Vector<A>) -> Vector<B> {
    let component = |i: usize, j: usize| a[i].times::<A, B>(&b[j]) - a[j].times::<A, B>(&b[i]);
    [component(1, 2), component(2, 0), component(0, 1)]
}

#[cfg_attr(all(not(debug_assertions), not(target_arch = "wasm32")), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
fn dot<const A: usize, const B: usize, const C: usize>(a: &Vector<B>, b: &Vector<A>) -> Integer<C> {
    a[0].times::<A, C>(&b[0]) + a[1].times::<A, C>(&b[1]) + a[2].times::<A, C>(&b[2])
}

/// A line and a triangle relative to the corner `a`.
struct Local<const A: usize> {
    origin: Vector<A>,
    direction: Vector<A>,
    edges: [Vector<A>; 2],
}

impl<const A: usize> Local<A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(ray: &InputRay, [a, b, c]: [Vec3<f64>; 3], units: &Units) -> Self {
        let place = |x: f64| in_units::<A>(x, units.points);
        let corner = |v: Vec3<f64>| [place(v.x), place(v.y), place(v.z)];
        let (a, b, c) = (corner(a), corner(b), corner(c));
        let origin = ray.origin.map(place);
        let direction = if ray.is_segment {
            difference(&ray.target.map(place), &origin)
        } else {
            ray.target.map(|x| in_units(x, units.direction))
        };
        Self { origin: difference(&origin, &a), direction, edges: [difference(&b, &a), difference(&c, &a)] }
    }
}

/// A crossing whose decisions are made: its numbers as numerators over the slope.
struct DecidedCrossing<const B: usize, const C: usize> {
    t: Dd,
    is_front: bool,
    normal: Vector<B>,
    slope: Integer<C>,
    /// Of the corners `b` and `c`.
    weights: [Integer<C>; 2],
}

impl<const B: usize, const C: usize> DecidedCrossing<B, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn hit(&self) -> Option<TriangleHit<Dd>> {
        let Self { t, is_front, normal: [x, y, z], slope, weights } = self;
        // Rounding may move a weight beyond its range.
        let weight = |numerator| Some(Quotient { numerator, denominator: *slope, exponent: 0 }.rounded()?.min(Dd::ONE));
        let component = |x: &Integer<B>| {
            let (x, exponent) = x.rounded();
            x.times_power_of_two(power(exponent.into()))
        };
        Some(TriangleHit {
            t: *t,
            facing: Dd::from_f64(if *is_front { -1.0 } else { 1.0 }),
            normal: Vec3::new(component(x), component(y), component(z)).normalize_exponent(),
            uv: [weight(weights[0])?, weight(weights[1])?],
        })
    }
}

/// Decides whether a ray crosses a triangle within the range of the query.
#[cfg_attr(all(not(debug_assertions), not(target_arch = "wasm32")), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
fn decided<const A: usize, const B: usize, const C: usize, const D: usize>(
    of: &TestedTriangle<'_>,
    ray: &InputRay,
    units: &Units,
) -> Option<Option<DecidedCrossing<B, C>>> {
    let Local { origin, direction, edges: [e, f] } = Local::<A>::new(ray, of.corners, units);
    let normal: Vector<B> = cross(&e, &f);
    let slope: Integer<C> = dot(&normal, &direction);
    let facing = slope.sign();
    if facing.is_eq() {
        // A line in the plane of the triangle misses it, but for queries that count it.
        return if of.query.counts_coplanar() { None } else { Some(None) };
    }
    if !of.query.faces_mode().sees(facing) {
        return Some(None);
    }
    // The weights of the corners, as numerators over the positive slope: none may be negative.
    let is_front = facing.is_lt();
    let moment: Vector<B> = cross(&origin, &direction);
    let (u, v): (Integer<C>, Integer<C>) = (-dot(&moment, &f), dot(&moment, &e));
    let weights = [slope - u - v, u, v].map(|weight| weight.negated_if(is_front));
    if weights.iter().any(Integer::is_negative) {
        return Some(None);
    }
    // A line through an edge belongs to one of the triangles that share it.
    if of.rule == EdgeRule::Once {
        let edges = || [difference(&f, &e), f.map(|x| -x), e];
        let owns = |i: usize| owns::<A, B>(&edges()[i].map(|x| x.negated_if(is_front)), &direction);
        if (0..3).any(|i| weights[i].is_zero() && !owns(i)) {
            return Some(None);
        }
    }
    // The height above the plane and the slope give `t`, in units of the direction.
    let (height, slope) = ((-dot::<A, B, C>(&normal, &origin)).negated_if(is_front), slope.negated_if(is_front));
    let t = Quotient::<C> { numerator: height, denominator: slope, exponent: units.points - units.direction };
    let rounded = t.rounded()?;
    // The range of `t` as `f64` numbers, which are exact.
    let range = TRange::new(&ray.line::<f64>(), of.query);
    let [_, max, lowest] = range.ends();
    let is_within = t.order::<D>(rounded, lowest)?.is_ge() && t.order::<D>(rounded, max)?.is_le();
    if !is_within {
        return Some(None);
    }
    let [_, u, v] = weights;
    Some(Some(DecidedCrossing { t: rounded, is_front, normal, slope, weights: [u, v] }))
}

/// Whether a directed edge that a line meets exactly belongs to the triangle on its left: see
/// [`EdgeRule::Once`](crate::shapes::triangle::EdgeRule::Once).
fn owns<const A: usize, const B: usize>(edge: &Vector<A>, direction: &Vector<A>) -> bool {
    let side: Vector<B> = cross(edge, direction);
    side.iter().map(Integer::sign).find(|sign| sign.is_ne()).is_some_and(Ordering::is_gt)
}

/// A fraction times a power of two, with a positive denominator.
struct Quotient<const C: usize> {
    numerator: Integer<C>,
    denominator: Integer<C>,
    exponent: i32,
}

impl<const C: usize> Quotient<C> {
    /// The quotient to 100 bits; `None` near the ends of the exponents, where `Dd` loses digits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rounded(&self) -> Option<Dd> {
        if self.numerator.is_zero() {
            return Some(Dd::ZERO);
        }
        let ((above, above_exponent), (below, below_exponent)) = (self.numerator.rounded(), self.denominator.rounded());
        let exponent = self.exponent + above_exponent - below_exponent;
        if exponent.abs() > 700 {
            return None;
        }
        let quotient = (above / below).times_power_of_two(power(exponent.into()));
        (quotient.to_f64().abs() > TINIEST && quotient.to_f64().abs() < 1.0 / TINIEST).then_some(quotient)
    }

    /// The order of the quotient, which is `rounded` to 100 bits, and a limit. `D` is `C + 1`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn order<const D: usize>(&self, rounded: Dd, limit: f64) -> Option<Ordering> {
        // Limits that are not near are decided by the rounded quotient, a limit of zero by its sign.
        let gap = rounded - Dd::from_f64(limit);
        let error = power(-90) * limit.abs();
        if !(gap.to_f64().abs() <= error) || limit == 0.0 || limit.is_infinite() {
            return rounded.to_f64().partial_cmp(&limit).map(|order| order.then(sign(gap)));
        }
        // The others by cross-multiplication with the limit, which is `mantissa * 2^exponent`. Both products have about as many bits.
        let (mantissa, exponent) = parts(limit);
        let zeros = mantissa.trailing_zeros();
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        let right: Integer<D> = self.denominator.times(&Integer::<1>::shifted(mantissa, 0));
        let left: Integer<D> = self.numerator.widened();
        let shift = self.exponent - exponent;
        let (left, right) = if shift >= 0 { (left << shift as u32, right) } else { (left, right << -shift as u32) };
        Some((left - right).sign())
    }
}

fn sign(x: Dd) -> Ordering {
    x.compare(Dd::ZERO).unwrap_or(Ordering::Equal)
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn plane_order_in<const A: usize, const B: usize, const C: usize, const P: usize>(
    planes: &[[Vec3<f64>; 3]; 2],
    ray: &InputRay,
    units: &Units,
) -> Ordering {
    // `t` of each plane as a fraction.
    let fraction = |corners: [Vec3<f64>; 3]| -> (Integer<C>, Integer<C>) {
        let Local { origin, direction, edges: [e, f] } = Local::<A>::new(ray, corners, units);
        let normal: Vector<B> = cross(&e, &f);
        (-dot(&normal, &origin), dot(&normal, &direction))
    };
    let ((above, slope), (above_2, slope_2)) = (fraction(planes[0]), fraction(planes[1]));
    let (left, right): (Integer<P>, Integer<P>) = (above.times(&slope_2), above_2.times(&slope));
    let order = (left - right).sign();
    // Cross-multiplication by slopes of different signs reverses the order.
    if slope.is_negative() == slope_2.is_negative() { order } else { order.reverse() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adaptive::stages::evaluate_lazily;
    use crate::explain::Trace;
    use crate::mesh::triangle_test::{TrianglePlanes, TriangleQuery};
    use crate::query::{Faces, Query};
    use test_support::random::Lcg;

    fn tested(of: &TriangleQuery) -> TestedTriangle<'_> {
        TestedTriangle { corners: of.corners, query: &of.query, rule: of.rule }
    }

    /// Corners and rays on a grid of a few numbers, so that rays meet corners and edges, run in planes, and reach a triangle where the
    /// range ends. The grid is coarse, fine, far from the origin, wide, or has no common units.
    fn case(lcg: &mut Lcg, kind: u32) -> (InputRay, [[Vec3<f64>; 3]; 2], Query<f64>) {
        let mut number = |most: u64| ((lcg.state() >> 33) % most) as f64;
        let scale = [1.0, 0.1, power(-40), 1e5, 1.0, power(300)][kind as usize % 6];
        let far = [0.0, 1.0, 3.0, 12345.678, power(-90), 0.0][kind as usize % 6];
        let mut point = |most: u64| {
            let [x, y, z] = [0; 3].map(|_| far + scale * (number(most) - 2.0));
            Vec3::new(x, y, z)
        };
        let [a, b, c, d, e, f] = [0; 6].map(|_| point(5));
        let origin = point(9);
        let shared = number(2) == 0.0;
        let planes = [[a, b, c], if shared { [a, d, b] } else { [d, e, c] }];
        // Towards a corner, the middle of an edge, or a point of the grid.
        let aim = [a, (a + b).map(|x| 0.5 * x), f][number(3) as usize];
        let (is_segment, pace) = (number(2) == 0.0, [1.0, 0.5, 3.0, power(-7)][number(4) as usize]);
        let target = if is_segment { aim } else { (aim - origin).map(|x| x * pace) };
        let array = |v: Vec3<f64>| [v.x, v.y, v.z];
        let ray = InputRay {
            origin: array(origin),
            target: array(target),
            is_segment,
            largest: f64::MAX,
            ..InputRay::point([0.0; 3])
        };
        let ends = [f64::NEG_INFINITY, 0.0, 1.0, 1.0 / 3.0, 2.0, 128.0, f64::INFINITY];
        let (from, to) = (ends[number(4) as usize], ends[2 + number(5) as usize]);
        let faces = [Faces::Both, Faces::Front, Faces::Back][number(3) as usize];
        (ray, planes, Query::new().range(from, to).faces(faces))
    }

    /// Integers decide as lazy exact arithmetic does, and have the same numbers but for a last bit of the second part.
    #[test]
    fn integers_answer_as_exact_numbers_do() {
        let mut lcg = Lcg::new(7);
        let (mut crossings, mut wide, mut ties) = (0, 0, 0);
        for round in 0..40_000_u32 {
            let (ray, planes, query) = case(&mut lcg, round);
            let rule = if round % 2 == 0 { EdgeRule::Closed } else { EdgeRule::Once };
            let of = TriangleQuery { corners: planes[0], query, rule };
            wide += usize::from(Units::of(&ray, &planes).is_some_and(|units| units.limbs() == 2));
            if !ray.is_valid() {
                continue;
            }
            let exactly = evaluate_lazily(&of, &ray, &mut Trace::default());
            let Some(found) = crossing(&tested(&of), &ray) else { continue };
            assert_eq!(crossing_t(&tested(&of), &ray), Some(found.map(|at| at.t.to_f64())));
            assert_eq!(found.is_some(), exactly.is_some(), "{ray:?} {planes:?} {query:?} {rule:?}");
            let Some((found, exactly)) = found.zip(exactly) else { continue };
            crossings += 1;
            let close = |a: Dd, b: Dd| (a - b).to_f64().abs() <= power(-98) * b.to_f64().abs();
            assert!(close(found.t, exactly.t), "{ray:?} {planes:?} {found:?} {exactly:?}");
            // Stages before exact numbers leave weights near zero fewer digits.
            let near = |a: Dd, b: Dd| (a - b).to_f64().abs() <= power(-94);
            assert!(found.uv.iter().zip(exactly.uv).all(|(a, b)| near(*a, b)), "{found:?} {exactly:?}");
            assert_eq!(found.facing.to_f64(), exactly.facing.to_f64());
            let [normal, exact_normal] = [found, exactly].map(|hit| hit.normal.direction().unwrap_or_default());
            assert!((normal - exact_normal).max_abs_f64() < power(-52), "{found:?} {exactly:?}");
            // The order of the planes, where the line crosses both.
            if planes.iter().all(|corners| crosses(&ray, *corners)) {
                let planes = TrianglePlanes(planes);
                let exactly = evaluate_lazily(&planes, &ray, &mut Trace::default());
                assert_eq!(plane_order(&planes.0, &ray), Some(exactly), "{ray:?} {:?}", planes.0);
                // This knows triangles with a common corner on the line first.
                assert_eq!(planes.order(&ray), exactly, "{ray:?} {:?}", planes.0);
                ties += usize::from(exactly.is_eq() && !planes.are_the_same());
            }
        }
        assert!(crossings > 5_000 && wide > 5_000 && ties > 500, "{crossings} {wide} {ties}");
    }

    /// Whether the line crosses a triangle.
    fn crosses(ray: &InputRay, corners: [Vec3<f64>; 3]) -> bool {
        let of = TriangleQuery { corners, query: Query::line(), rule: EdgeRule::Closed };
        evaluate_lazily(&of, ray, &mut Trace::default()).is_some()
    }

    /// Numbers that are not finite, and exponents too far apart, are left to lazy exact arithmetic.
    #[test]
    fn numbers_without_common_units_have_no_answer() {
        let corners = [Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
        let of = |corners| TriangleQuery { corners, query: Query::line(), rule: EdgeRule::Closed };
        let ray = |x: f64| InputRay { target: [0.0, 0.0, 1.0], ..InputRay::point([x, 0.25, 0.0]) };
        assert!(crossing(&tested(&of(corners)), &ray(0.25)).is_some_and(|found| found.is_some()));
        assert!(crossing(&tested(&of(corners)), &ray(power(-120))).is_some_and(|found| found.is_some()));
        for x in [f64::NAN, f64::INFINITY, power(-126), f64::MAX, f64::from_bits(1)] {
            assert!(crossing(&tested(&of(corners)), &ray(x)).is_none(), "{x}");
            let [_, b, c] = corners;
            assert!(crossing(&tested(&of([Vec3::new(x, 0.0, 1.0), b, c])), &ray(0.25)).is_none(), "{x}");
        }
    }
}
