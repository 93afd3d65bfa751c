//! Lists of the crossings of one ray with the triangles of a mesh, in exact order; the first of them.

use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::nearest_limit::NearestLimit;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::exact::Exact;
use crate::math::vector::{Vector3, Working};
use crate::mesh::crossing_visitor::TriangleCrossing;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{exact_crossing, exact_instance_crossing};
use crate::queries::instance_ray::InstanceRay;
use crate::query::{Coplanar, Query};
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::stable_sort::stable_sort_by;
use core::ops::ControlFlow;
use smallvec::SmallVec;

/// Length of a list up to which a search looks at all its items.
const SHORT: usize = 16;

/// Crossings of one ray.
pub(crate) type CrossingList = SmallVec<[TriangleCrossing; SHORT]>;

/// Search for all crossings of a ray.
pub(crate) struct CrossingSearch<'a, V: Vector3> {
    pub(crate) line: &'a InstanceRay<'a, V>,
    pub(crate) query: Query<V::Scalar>,
    pub(crate) rule: EdgeRule,
}

impl<'a, V: Vector3> CrossingSearch<'a, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(line: &'a InstanceRay<'a, V>, query: &Query<V::Scalar>) -> Self {
        // A triangle that the line runs in is not crossed: `coplanar.rs` adds it.
        let rule = if query.has_shared_edges() { EdgeRule::Closed } else { EdgeRule::Once };
        Self { line, query: query.coplanar(Coplanar::Miss), rule }
    }
}

impl<V: Vector3> TriangleSet<'_, V> {
    /// The candidate of a crossing with its hit, which takes less work than the crossing does.
    pub(crate) fn with_hit(
        &self,
        (primitive, at): (u32, TriangleHit<Working<V>>),
        line: &InstanceRay<'_, V>,
        hit: &mut Option<Hit<V>>,
    ) -> HitCandidate<Working<V>> {
        *hit = Some(self.hit(line, primitive, &at));
        HitCandidate { t: at.t, primitive, at_start: false }
    }

    /// Closest crossing, without the certain crossings of the `f32` filter; at equal `t` the triangle with the lowest id wins.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn closest_visited(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<(u32, TriangleHit<Working<V>>)> {
        let mut best: Option<TriangleCrossing> = None;
        let _ = self.visit(line, query, limit, EdgeRule::Closed, &mut |at, limit| {
            let is_better =
                best.is_none_or(|old| self.order(line, &at, &old).then(at.triangle.cmp(&old.triangle)).is_lt());
            if is_better {
                best = Some(at);
                *limit = limit.min(at.high);
            }
            ControlFlow::Continue(())
        });
        let triangle = best?.triangle;
        Some((triangle, self.cross(triangle, line, query, EdgeRule::Closed)?))
    }

    /// All crossings in the range of the query in ascending order of `t`; a shared edge or vertex counts once, unless the
    /// query says otherwise.
    pub(crate) fn crossings(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> CrossingList {
        self.first_crossings(line, query, usize::MAX)
    }

    /// The first `most` crossings.
    pub(crate) fn first_crossings(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
    ) -> CrossingList {
        // Points have several triangles each, so their number limits no search.
        let (has_points, wanted) = (query.has_common_points(), most);
        let most = if has_points { usize::MAX } else { most };
        let (mut found, mut nearest) = (CrossingList::new(), NearestLimit::new(most));
        let CrossingSearch { query, rule, .. } = CrossingSearch::new(line, query);
        let _ = self.visit(line, &query, f64::INFINITY, rule, &mut |at, limit| {
            // Spatial splits put a triangle into several leaves, and a limit may count it once only. In a long list without
            // a limit the repetitions go after the sort.
            let is_short = found.len() < SHORT || most < usize::MAX;
            if !(is_short && found.iter().any(|other| other.triangle == at.triangle)) {
                nearest.add_bound(at.high, limit);
                found.push(at);
            }
            ControlFlow::Continue(())
        });
        // By `t`, at equal `t` by triangle id.
        stable_sort_by(&mut found, |a, b| self.order(line, a, b).then(a.triangle.cmp(&b.triangle)));
        if found.len() > SHORT {
            found.dedup_by_key(|at| at.triangle);
        }
        // Crossings at the same exact `t` are one point of the line. The first triangle stays.
        if has_points {
            found.dedup_by(|a, b| self.order(line, a, b).is_eq());
        }
        found.truncate(wanted);
        found
    }

    /// The number of crossings in the range of the query. Those of the triangles `without`, in ascending order, do not count.
    pub(crate) fn count_crossings(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        without: &[u32],
    ) -> usize {
        // Whether crossings are at one point depends on their order.
        if query.has_common_points() {
            return self.crossings(line, query).len();
        }
        let CrossingSearch { query, rule, .. } = CrossingSearch::new(line, query);
        let mut triangles = SmallVec::<[u32; SHORT]>::new();
        let _ = self.visit(line, &query, f64::INFINITY, rule, &mut |at, _| {
            let is_known = triangles.len() < SHORT && triangles.contains(&at.triangle);
            if !is_known && without.binary_search(&at.triangle).is_err() {
                triangles.push(at.triangle);
            }
            ControlFlow::Continue(())
        });
        if triangles.len() > SHORT {
            triangles.sort_unstable();
            triangles.dedup();
        }
        triangles.len()
    }

    /// Whether the line comes out at the back of a triangle that a search has found.
    pub(crate) fn comes_out(&self, search: &CrossingSearch<'_, V>, triangle: u32) -> bool {
        let at = self.cross(triangle, search.line, &search.query, search.rule);
        at.is_some_and(|at| at.facing.gt(Working::<V>::ZERO))
    }

    /// Exact `t` of the crossing with the plane of a triangle.
    pub(crate) fn exact_t(&self, line: &InstanceRay<'_, V>, triangle: u32) -> Option<Exact> {
        let corners = self.corners_of(triangle);
        match line.level {
            None => exact_crossing(&line.again(), corners),
            Some(level) => exact_instance_crossing(level, corners),
        }
    }
}
