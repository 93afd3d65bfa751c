//! Hits of the crossings that a search has found: the digits of a known crossing, without a decision.

use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::{Precision, Real};
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use crate::math::working_ray::InputRay;
use crate::mesh::crossing_lists::CrossingSearch;
use crate::mesh::crossing_visitor::TriangleCrossing;
use crate::mesh::instance_triangle::known_crossing_of_instance;
use crate::mesh::known_crossing::KnownCrossing;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{HitInDouble, TriangleQuery, hit};
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::EdgeRule;
use crate::simd::dispatch::dispatch_fma;
use crate::simd::task::FmaKernel;
use crate::simd::xyz::Xyz;
use crate::target::COMPACT;

impl<V: Vector3> TriangleSet<'_, V> {
    /// All hits in the range of the query, in the order of their crossings.
    pub(crate) fn hits_along(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        let search = CrossingSearch::new(line, query);
        for at in self.first_crossings(line, query, most) {
            if let Some((t, hit)) = self.hit_of_crossing(line, &search, &at) {
                out(t, hit);
            }
        }
    }

    /// Hit of a crossing that `search` has found, with its unrounded `t`. `line` is the same ray, perhaps with other limits. Has the
    /// bits of [`hit`](Self::hit) of the crossing in adaptive arithmetic.
    pub(crate) fn hit_of_crossing(
        &self,
        line: &InstanceRay<'_, V>,
        search: &CrossingSearch<'_, V>,
        found: &TriangleCrossing,
    ) -> Option<(Working<V>, Hit<V>)> {
        let triangle = found.triangle;
        let corners = self.corners_at(triangle, found.slot);
        // In `f32`, plain `f64` has all digits of nearly every hit.
        if V::Scalar::PRECISION == Precision::Single {
            let (limits, mut out) = (TRange::new(search.line, &search.query), None);
            let range = [limits.min.to_f64(), limits.max.to_f64()];
            let (raw, level) = (&line.raw, search.line.level);
            if !COMPACT && let Some(t) = dispatch_fma(KnownHit { raw, level, corners, triangle, range, out: &mut out })
            {
                return Some((Working::<V>::from_f64(t), out?));
            }
            if line.level.is_none() {
                let crossing = TriangleQuery { corners, query: Query::line(), rule: EdgeRule::Closed };
                if COMPACT {
                    return Some((Working::<V>::from_f64(crossing.known_t(raw)), crossing.known_hit(raw, triangle)));
                }
                // The exact evaluation of `known_hit`, which has found the same numbers uncertain.
                let at = crossing.classified(raw, &mut Trace::default())?.convert();
                return Some((Working::<V>::from_f64(at.t), hit(&raw.line::<f64>(), triangle, &at)));
            }
        } else {
            // In `f64`, one Newton step finds the digits.
            let refined = match line.level {
                Some(_) => self.image_hit(line, triangle),
                None => dispatch_fma(HitInDouble(&line.raw.unlimited(), corners, triangle)).map(Hit::convert),
            };
            if let Some(hit) = refined {
                return Some((Working::<V>::from_f64(hit.t.to_f64()), hit));
            }
        }
        // Otherwise adaptive arithmetic computes the crossing.
        let at = self.cross(triangle, search.line, &search.query, search.rule)?;
        Some((at.t, hit(line.world, triangle, &at)))
    }
}

/// Writes the hit of an `f32` ray and a triangle that it is known to cross, and returns its `t`; `None` where plain `f64` has too few
/// digits.
struct KnownHit<'a, V: Vector> {
    raw: &'a InputRay,
    level: Option<&'a InstanceLevel<'a>>,
    corners: [Vec3<f64>; 3],
    triangle: u32,
    range: [f64; 2],
    out: &'a mut Option<Hit<V>>,
}

impl<V: Vector> FmaKernel for KnownHit<'_, V> {
    type Output = Option<f64>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) -> Option<f64> {
        let Self { raw, level, corners: [a, b, c], triangle, range, out } = self;
        let (origin, target) = (Xyz::<FMA>::new(raw.origin), Xyz::new(raw.target));
        let direction = if raw.is_segment { target - origin } else { target };
        let corners = [Xyz::from_vec(a), Xyz::from_vec(b), Xyz::from_vec(c)];
        let at = match level {
            None => KnownCrossing::new(origin, direction, corners),
            Some(level) => known_crossing_of_instance(level, [origin, direction], corners, range)?,
        };
        if at.is_uncertain {
            return None;
        }
        *out = Some(at.hit(triangle));
        Some(at.t)
    }
}
