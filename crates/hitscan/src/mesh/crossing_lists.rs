//! Lists of the crossings of one ray with the triangles of a mesh, in exact order; the first of them.

use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::nearest_limit::NearestLimit;
use crate::math::exact::exact::Exact;
use crate::math::vector::{Vector3, Working};
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{exact_crossing, exact_instance_crossing};
use crate::queries::instance_ray::InstanceRay;
use crate::query::{Coplanar, Query};
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::ops::ControlFlow;

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
        let mut best: Option<(u32, TriangleHit<Working<V>>)> = None;
        let _ = self.visit(line, query, limit, EdgeRule::Closed, &mut |i, at, limit| {
            let better = best.is_none_or(|(j, old)| self.order(line, (i, at.t), (j, old.t)).then(i.cmp(&j)).is_lt());
            if better {
                best = Some((i, at));
                *limit = limit.min(HitCandidate { t: at.t, primitive: i, at_start: false }.limit());
            }
            ControlFlow::Continue(())
        });
        best
    }

    /// All crossings in the range of the query in ascending order of `t`; a shared edge or vertex counts once, unless the
    /// query says otherwise.
    pub(crate) fn crossings(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
    ) -> Vec<(u32, TriangleHit<Working<V>>)> {
        self.first_crossings(line, query, usize::MAX)
    }

    /// The first `most` crossings.
    pub(crate) fn first_crossings(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
    ) -> Vec<(u32, TriangleHit<Working<V>>)> {
        let (mut found, mut nearest) = (Vec::<(u32, TriangleHit<Working<V>>)>::new(), NearestLimit::new(most));
        // A triangle that the line runs in is not crossed: `coplanar.rs` adds it.
        let query = &query.coplanar(Coplanar::Miss);
        let rule = if query.has_shared_edges() { EdgeRule::Closed } else { EdgeRule::Once };
        let _ = self.visit(line, query, f64::INFINITY, rule, &mut |i, at, limit| {
            // Spatial splits put a triangle into several leaves, and a limit may count it once only. Without a limit
            // the repetitions go after the sort.
            if most == usize::MAX || found.iter().all(|(j, _)| *j != i) {
                nearest.add(at.t, limit);
                found.push((i, at));
            }
            ControlFlow::Continue(())
        });
        self.sort(line, &mut found);
        found.dedup_by_key(|(i, _)| *i);
        found.truncate(most);
        found
    }

    /// Sorts crossings by `t`, at equal `t` by triangle id.
    fn sort(&self, line: &InstanceRay<'_, V>, found: &mut [(u32, TriangleHit<Working<V>>)]) {
        stable_sort_by(found, |(i, a), (j, b)| self.order(line, (*i, a.t), (*j, b.t)).then(i.cmp(j)));
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
