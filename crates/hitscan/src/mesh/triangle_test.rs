//! Exact tests of one ray: crossing with a triangle, and order of the crossings with two triangles.

use crate::adaptive::evaluate::Wanted;
use crate::adaptive::fallback::ExactKernel;
use crate::adaptive::instance::{EvaluateInstance, evaluate_instance};
use crate::adaptive::stages::{Evaluate, evaluate_decided, evaluate_filter, evaluate_lazily, with_filter};
use crate::explain::Trace;
use crate::hit::{Hit, Side};
use crate::kernel::crossing::ShapeClass;
use crate::kernel::flat_shape::FlatShape;
use crate::kernel::hit_builder::build_hit;
use crate::kernel::newton::Start;
use crate::kernel::range_rules::{TRange, first};
use crate::math::arithmetic::{Arithmetic, shared};
use crate::math::dd::Dd;
use crate::math::exact::exact::Exact;
use crate::math::filter_f64::FilterF64;
use crate::math::instance_stack::{InstanceLevel, PlacedRay};
use crate::math::lazy_exact::{LazyExact, lazily};
use crate::math::observer::{FilterFlag, Observer};
use crate::math::real::{Precision, Real};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::mesh::instance_triangle::crossing_in_f64;
use crate::mesh::integer_triangle;
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, Triangle, TriangleHit, cross_triangle, known_crossing};
use crate::simd::task::FmaKernel;
use core::cmp::Ordering;
use glam::DVec3;

/// Ray-triangle test: the corners, the query and the rule for edges.
pub(crate) struct TriangleQuery {
    pub(crate) corners: [Vec3<f64>; 3],
    pub(crate) query: Query<f64>,
    pub(crate) rule: EdgeRule,
}

impl TriangleQuery {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn answer<S: Real>(&self, raw: &InputRay) -> Option<TriangleHit<Dd>> {
        with_filter::<S, _, _>(
            self,
            || *raw,
            |raw| self.evaluate_decided(&raw),
            |raw| self.classified(&raw, &mut Trace::default()),
        )
    }
    /// Crossing of a ray and an instance stack. Its normal is that in the world.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn answer_of<V: Vector>(&self, ray: &InstanceRay<'_, V>) -> Option<TriangleHit<Dd>> {
        match ray.level {
            None => self.answer::<V::Scalar>(&ray.raw),
            Some(level) => self.answer_of_instance(level, V::Scalar::PRECISION),
        }
    }
    #[inline(never)]
    pub(crate) fn answer_of_instance(
        &self,
        level: &InstanceLevel<'_>,
        precision: Precision,
    ) -> Option<TriangleHit<Dd>> {
        if precision == Precision::Single
            && let Some(answer) = crossing_in_f64(level, self.corners, &self.query)
        {
            return answer;
        }
        evaluate_instance(self, level, precision, &mut Trace::default())
    }
    /// `t` of the crossing of a ray in the world.
    pub(crate) fn t<S: Real>(&self, raw: &InputRay) -> Option<f64> {
        let exactly = || self.classified(raw, &mut Trace::default());
        let found = match evaluate_filter(self, || *raw) {
            None => match integer_triangle::crossing_t(&self.tested(), raw) {
                Some(t) => return t,
                None => exactly(),
            },
            // In `f64` the filter's `t` has too few digits.
            Some(Some(_)) if S::PRECISION == Precision::Double => self.evaluate_decided(raw).or_else(exactly),
            Some(found) => found,
        };
        found.map(|at| at.t.to_f64())
    }
    /// Hit of an `f32` ray that certainly crosses the triangle. All signs are known; the filter checks only the
    /// accuracy of the values and escalates where it does not suffice.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn known_hit<V: Vector>(&self, raw: &InputRay, triangle: u32) -> Hit<V> {
        shared!(f64, {
            let (at, uncertain) = known(&raw.line(), self.corners);
            if uncertain && let Some(at) = self.evaluate_exactly(raw) {
                return hit(&raw.line::<f64>(), triangle, &at.convert());
            }
            hit(&raw.line(), triangle, &at)
        })
    }

    /// `t` of an `f32` ray that certainly crosses the triangle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn known_t(&self, raw: &InputRay) -> f64 {
        let (at, uncertain) = known(&raw.line(), self.corners);
        if uncertain && let Some(at) = self.evaluate_exactly(raw) {
            return at.t.to_f64();
        }
        at.t.to_f64()
    }

    #[cold]
    #[inline(never)]
    fn evaluate_exactly(&self, raw: &InputRay) -> Option<TriangleHit<Dd>> {
        self.classified(raw, &mut Trace::default())
    }

    #[inline(never)]
    pub(crate) fn classified(&self, raw: &InputRay, trace: &mut Trace) -> Option<TriangleHit<Dd>> {
        // Integers answer at once. An explanation shows the numbers of the kernel, and exponents far apart need it.
        if !trace.is_recording()
            && let Some(found) = integer_triangle::crossing(&self.tested(), raw)
        {
            return found;
        }
        evaluate_lazily(self, raw, trace)
    }
    /// A line that runs in the triangle, if the query counts it: a crossing without normal and side, at the first `t` in the range.
    fn within_plane<T: Arithmetic, P: Observer>(
        &self,
        line: &WorkingRay<T>,
        observer: &mut P,
    ) -> Option<TriangleHit<Dd>> {
        if !self.query.counts_coplanar() {
            return None;
        }
        let [enter, exit] = self.surface().chord(line)?;
        let (range, query) = (TRange::new(line, &self.query), self.query.within_surfaces());
        let t = first(&enter, |_| exit, ShapeClass::Solid, &range, &query, observer)?.t();
        let zero = Vec3::new(T::ZERO, T::ZERO, T::ZERO);
        Some(TriangleHit { t, facing: T::ZERO, normal: zero, uv: [T::ZERO; 2] }.convert())
    }

    fn tested(&self) -> integer_triangle::TestedTriangle<'_> {
        integer_triangle::TestedTriangle { corners: self.corners, query: &self.query, rule: self.rule }
    }

    fn surface(&self) -> FlatShape {
        FlatShape::of_corners(self.corners)
    }

    #[inline(never)]
    fn evaluate_decided(&self, raw: &InputRay) -> Option<TriangleHit<Dd>> {
        evaluate_decided(self, raw)
    }
}

/// Crossing of an `f32` ray with a triangle that it certainly crosses, and whether the filter finds a value uncertain.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn known(line: &WorkingRay<FilterF64>, [a, b, c]: [Vec3<f64>; 3]) -> (TriangleHit<FilterF64>, bool) {
    shared!(f64, {
        let mut flag = FilterFlag::default();
        let at = known_crossing(line, [a.convert(), b.convert(), c.convert()], &mut flag);
        (at, flag.is_uncertain)
    })
}

/// Hit of an `f64` ray and a triangle that it certainly crosses, whatever the query. `None` where intermediate numbers leave
/// the range of `f64`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn hit_in_double<const FMA: bool>(
    raw: &InputRay,
    corners: [Vec3<f64>; 3],
    triangle: u32,
) -> Option<Hit<DVec3>> {
    // The Newton step from plain `f64`, which nearly always proves its digits; otherwise exact stages.
    let start = Start::<FMA>::at_triangle(raw, corners);
    let side = if start.at.sign < 0.0 { Side::Front } else { Side::Back };
    match start.on_triangle(corners) {
        Some(refined) => Some(Hit { primitive: Some(triangle), ..refined.hit(side) }),
        None => hit_in_steps(raw, corners, triangle),
    }
}

/// That hit, if one Newton step is not certain to find it.
#[cold]
#[inline(never)]
fn hit_in_steps(raw: &InputRay, [a, b, c]: [Vec3<f64>; 3], triangle: u32) -> Option<Hit<DVec3>> {
    let vector = |v: Vec3<f64>| DVec3::new(v.x, v.y, v.z);
    let (triangle_shape, query) = (Triangle { a: vector(a), b: vector(b), c: vector(c) }, Query::line());
    let wanted = (&query, Wanted::Closest);
    let results = ExactKernel::results(&triangle_shape, raw, wanted, &mut Trace::default());
    Some(Hit { primitive: Some(triangle), ..results.hits.first()?.1 })
}

/// [`hit_in_double`] outside of code that is compiled for FMA.
pub(crate) struct HitInDouble<'a>(pub(crate) &'a InputRay, pub(crate) [Vec3<f64>; 3], pub(crate) u32);

impl FmaKernel for HitInDouble<'_> {
    type Output = Option<Hit<DVec3>>;
    #[inline(always)]
    fn run<const FMA: bool>(self) -> Self::Output {
        hit_in_double::<FMA>(self.0, self.1, self.2)
    }
}

/// Hit of an `f64` ray and a triangle of an instance that it certainly crosses. `None` if one Newton step is not certain to find it.
pub(crate) struct ImageHitInDouble<'a> {
    pub(crate) raw: &'a InputRay,
    /// Columns of the matrix, and the translation.
    pub(crate) map: ([[f64; 3]; 3], [f64; 3]),
    pub(crate) corners: [Vec3<f64>; 3],
    pub(crate) triangle: u32,
}

impl FmaKernel for ImageHitInDouble<'_> {
    type Output = Option<Hit<DVec3>>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) -> Self::Output {
        let Self { raw, map, corners, triangle } = self;
        let (refined, sign) = Start::<FMA>::hit_image(raw, map, corners)?;
        let side = if sign < 0.0 { Side::Front } else { Side::Back };
        Some(Hit { primitive: Some(triangle), ..refined.hit(side) })
    }
}

impl Evaluate for TriangleQuery {
    type Output = Option<TriangleHit<Dd>>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let corners = self.corners.map(Vec3::convert);
        let Some(at) = cross_triangle::<f64, _, _>(line, corners, self.rule, observer) else {
            return self.within_plane(line, observer);
        };
        let found =
            self.query.faces_mode().include(at.facing) && TRange::new(line, &self.query).contains(at.t, observer);
        found.then(|| at.tellable().convert())
    }
}

impl EvaluateInstance for TriangleQuery {
    type Output = Option<TriangleHit<Dd>>;
    fn evaluate<T: Arithmetic, P: Observer>(&self, ray: &PlacedRay<T>, observer: &mut P) -> Self::Output {
        let corners = self.corners.map(Vec3::convert);
        let Some(mut at) = cross_triangle::<f64, _, _>(&ray.line, corners, self.rule, observer) else {
            return self.within_plane(&ray.line, observer);
        };
        if !(self.query.faces_mode().include(at.facing) && TRange::new(&ray.line, &self.query).contains(at.t, observer))
        {
            return None;
        }
        at.normal = ray.normal(at.normal);
        T::check_digits(&[at.t]);
        T::check_digits(&[at.normal.x, at.normal.y, at.normal.z]);
        T::check_digits(&[T::ONE, at.uv[0], at.uv[1]]);
        Some(at.tellable().convert())
    }
    fn has_no_numbers(output: &Self::Output) -> bool {
        output.is_none()
    }
}

impl EvaluateInstance for TrianglePlanes {
    type Output = Ordering;
    fn evaluate<T: Arithmetic, P: Observer>(&self, ray: &PlacedRay<T>, observer: &mut P) -> Ordering {
        Evaluate::evaluate(self, &ray.line, observer)
    }
    fn has_no_numbers(_: &Ordering) -> bool {
        true
    }
}

/// Exact `t` of the crossing with a triangle.
pub(crate) fn exact_crossing(line: &WorkingRay<Exact>, corners: [Vec3<f64>; 3]) -> Option<Exact> {
    lazily(|| {
        let (line, corners) = (line.map(LazyExact::from_exact), corners.map(Vec3::convert));
        let at = cross_triangle::<f64, _, _>(&line, corners, EdgeRule::Closed, &mut Trace::default())?;
        Some(at.t.to_exact())
    })
}

/// Exact `t` of the crossing with a triangle of an instance.
pub(crate) fn exact_instance_crossing(level: &InstanceLevel<'_>, corners: [Vec3<f64>; 3]) -> Option<Exact> {
    lazily(|| {
        let (ray, corners) = (level.homogeneous(), corners.map(Vec3::convert));
        let at = cross_triangle::<f64, _, _>(&ray.line, corners, EdgeRule::Closed, &mut Trace::default())?;
        Some(at.t.to_exact())
    })
}

/// Builds the hit of a crossing.
#[inline(always)]
pub(crate) fn hit<V: Vector, T: Arithmetic>(line: &WorkingRay<T>, triangle: u32, at: &TriangleHit<T>) -> Hit<V> {
    let side = if at.facing.lt(T::ZERO) { Side::Front } else { Side::Back };
    let hit = build_hit(line, at.t, Some(at.normal), side, Some(at.uv));
    Hit { primitive: Some(triangle), ..hit }
}

/// Order along a line of its crossings with the planes of two triangles. See docs/proofs.md, Lemma 21.
pub(crate) struct TrianglePlanes(pub(crate) [[Vec3<f64>; 3]; 2]);

impl TrianglePlanes {
    /// Whether the planes obviously coincide, as for duplicate triangles: the same corners in any order, or one
    /// coordinate that all six corners share.
    pub(crate) fn are_the_same(&self) -> bool {
        let [a, b] = &self.0;
        let level = |axis: usize| a.iter().chain(b).all(|corner| corner.get(axis) == a[0].get(axis));
        a.iter().all(|corner| b.contains(corner)) || level(0) || level(1) || level(2)
    }

    /// The order along a ray in the world.
    pub(crate) fn order(&self, raw: &InputRay) -> Ordering {
        if self.meet_at_a_corner(raw) {
            return Ordering::Equal;
        }
        integer_triangle::plane_order(&self.0, raw).unwrap_or_else(|| evaluate_lazily(self, raw, &mut Trace::default()))
    }
    /// Whether a corner that both triangles have is certainly on the line. So it is known of the triangles around a vertex that they
    /// are met at one `t`.
    fn meet_at_a_corner(&self, raw: &InputRay) -> bool {
        let [a, b] = &self.0;
        a.iter().any(|corner| b.contains(corner) && raw.certainly_meets([corner.x, corner.y, corner.z]))
    }
}

impl Evaluate for TrianglePlanes {
    type Output = Ordering;
    /// Compares `t = n . (a - o) / n . d` of the two planes by cross-multiplication, which exact arithmetic does
    /// without rounding.
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, _observer: &mut P) -> Ordering {
        // `t` of each plane as a fraction.
        let [(above, slope), (above_2, slope_2)] = self.0.map(|corners| {
            let [a, b, c] = corners.map(Vec3::convert::<T>);
            let (o, n) = (a.weighted() - line.origin, (b - a).cross(c - a));
            (n.dot(o), n.dot(line.direction))
        });
        let order = (above * slope_2).compare(above_2 * slope).unwrap_or(Ordering::Equal);
        // Cross-multiplication by slopes of different signs reverses the order.
        if slope.lt(T::ZERO) == slope_2.lt(T::ZERO) { order } else { order.reverse() }
    }
}
