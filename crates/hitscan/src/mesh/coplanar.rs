//! Hits of a mesh with the triangles that the line runs in, for queries that count these.

use crate::hit::Hit;
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate};
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::vector::{Vector3, Working};
use crate::mesh::crossing_lists::CrossingSearch;
use crate::mesh::crossing_visitor::TriangleCrossing;
use crate::mesh::triangle_set::TriangleSet;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, Triangle};
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Hit with its unrounded `t` and its triangle.
type MeshHit<V> = (Working<V>, u32, Hit<V>);

impl<V: Vector3> TriangleSet<'_, V> {
    /// The triangles that the line runs in within the range of the query and up to `limit`, in ascending order; none if the query
    /// does not count them. Perhaps some behind the limit, too.
    fn coplanar_triangles(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, limit: f64) -> Vec<u32> {
        let mut found = Vec::new();
        if query.counts_coplanar() {
            let _ = self.visit(line, query, limit, EdgeRule::Closed, &mut |at, _| {
                if at.is_coplanar {
                    found.push(at.triangle);
                }
                ControlFlow::Continue(())
            });
        }
        // Spatial splits put a triangle into several leaves.
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A triangle as a shape of its own.
    fn triangle_shape(&self, triangle: u32) -> Triangle<V> {
        let [a, b, c] = self.triangles[triangle as usize].map(|vertex| self.vertices[vertex as usize]);
        Triangle { a, b, c }
    }

    /// All hits in the order of their exact `t`, at equal `t` of the triangles; `None` if the line runs in no triangle up to
    /// `limit`. Behind it, hits may be missing.
    fn hits_with_coplanar(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<Vec<MeshHit<V>>> {
        let coplanar = self.coplanar_triangles(line, query, limit);
        if coplanar.is_empty() {
            return None;
        }
        // The crossings, and the entries and exits of the triangles that the line runs in.
        let crossings = self.crossings(line, query);
        let (mut found, search) = (Vec::<MeshHit<V>>::new(), CrossingSearch::new(line, query));
        for at in &crossings {
            let (t, hit) = self.hit_of_crossing(line, &search, at)?;
            found.push((t, at.triangle, hit));
        }
        for &triangle in &coplanar {
            self.triangle_shape(triangle).all_hits(line, query, usize::MAX, &mut |t, hit| {
                found.push((t, triangle, Hit { primitive: Some(triangle), ..hit }));
            });
        }
        // Both kinds together, by exact numbers.
        Some(with_precision(COMPARISON_PRECISION, || {
            let keys = self.exact_t_of_both((&crossings, &coplanar), line, query);
            let mut keyed: Vec<(Exact, MeshHit<V>)> = keys.into_iter().zip(found.iter().copied()).collect();
            stable_sort_by(&mut keyed, |(s, a), (t, b)| s.order_or_equal(*t).then(a.1.cmp(&b.1)));
            keyed.into_iter().map(|(_, hit)| hit).collect()
        }))
    }

    /// The exact `t` of crossings, and then of the entries and exits of triangles that the line runs in.
    fn exact_t_of_both(
        &self,
        (crossings, coplanar): (&[TriangleCrossing], &[u32]),
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
    ) -> Vec<Exact> {
        let mut keys: Vec<Exact> = crossings.iter().filter_map(|at| self.exact_t(line, at.triangle)).collect();
        for &triangle in coplanar {
            self.triangle_shape(triangle).exact_all_t(line, query, &mut |t| keys.push(t));
        }
        keys
    }

    /// [`Shape::candidate`] of a query that counts the triangles that the line runs in; `None` if there are none up to `limit`.
    pub(crate) fn coplanar_candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        out: &mut Option<Hit<V>>,
    ) -> Option<Option<HitCandidate<Working<V>>>> {
        let hits = self.hits_with_coplanar(line, &query.with_shared_edges(), limit)?;
        let first = hits.into_iter().next();
        *out = first.map(|(.., hit)| hit);
        Some(first.map(|(t, primitive, _)| HitCandidate { t, primitive, at_start: false }))
    }

    /// [`Shape::all_hits`] of such a query; false if the line runs in no triangle.
    pub(crate) fn all_hits_with_coplanar(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) -> bool {
        let Some(hits) = self.hits_with_coplanar(line, query, f64::INFINITY) else { return false };
        hits.into_iter().take(most).for_each(|(t, _, hit)| out(t, hit));
        true
    }

    /// [`Shape::exact_all_t`] of such a query; `None` if the line runs in no triangle.
    pub(crate) fn exact_t_with_coplanar(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
    ) -> Option<Vec<Exact>> {
        let coplanar = self.coplanar_triangles(line, query, f64::INFINITY);
        if coplanar.is_empty() {
            return None;
        }
        let mut keys = self.exact_t_of_both((&self.crossings(line, query), &coplanar), line, query);
        stable_sort_by(&mut keys, |s, t| s.order_or_equal(*t));
        Some(keys)
    }

    /// The number of entries and exits of triangles that the line runs in.
    pub(crate) fn count_coplanar(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        let triangles = self.coplanar_triangles(line, query, f64::INFINITY);
        triangles.into_iter().map(|triangle| self.triangle_shape(triangle).count(line, query)).sum()
    }
}
