//! The searches of a mesh for the closest hit and for any hit, as its queries choose among them.

use super::single_ray;
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::math::instance_stack::InstanceMap;
use crate::math::rounding::round_up_f32;
use crate::math::vector::{Vector3, Working};
use crate::mesh::hit_output::same;
use crate::mesh::hit_search::{QueryContext, SearchedMesh};
use crate::mesh::search_ray::{SearchRay, SearchRayF32, SearchRayF64};
use crate::mesh::triangle_mesh::TriangleMesh;
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::target::COMPACT;
use core::any::TypeId;
use core::ops::ControlFlow;

impl<V: Vector3> TriangleMesh<V> {
    /// [`searched`](Self::searched) of a mesh in `f32`.
    #[inline(always)]
    pub(crate) fn searched_in_single(&self) -> Option<SearchedMesh<'_>> {
        if TypeId::of::<V>() == TypeId::of::<glam::Vec3>() { self.searched() } else { None }
    }

    /// [`searched`](Self::searched) of a mesh in `f64`.
    #[inline(always)]
    pub(crate) fn searched_in_double(&self) -> Option<SearchedMesh<'_>> {
        if TypeId::of::<V>() == TypeId::of::<glam::DVec3>() { self.searched() } else { None }
    }

    /// What a stream of rays of the world searches of an instance; `None` in `f64`, and in builds for size.
    pub(crate) fn streamed<'a>(&'a self, map: &'a dyn InstanceMap) -> Option<SearchedMesh<'a>> {
        let mesh = self.searched_in_single().filter(|_| !COMPACT)?;
        Some(SearchedMesh { map: Some(map), ..mesh })
    }

    /// Number of the closest triangle of a mesh in `f64`, up to the limit.
    pub(crate) fn closest_triangle_in_double(
        &self,
        mesh: &SearchedMesh<'_>,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<u32> {
        let ray = SearchRayF64::new(&line.raw, query).up_to(round_up_f32(limit));
        let otherwise = || self.closest_visited(line, query, limit).map(|(i, _)| i);
        single_ray::closest_triangle_in_double(&QueryContext::new(mesh, &ray).within(line.level), mesh.tree, &otherwise)
    }

    /// Closest hit of a mesh in `f64`, up to the limit.
    pub(crate) fn first_in_double(
        &self,
        mesh: &SearchedMesh<'_>,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<Hit<V>> {
        let ray = SearchRayF64::new(&line.raw, query).up_to(round_up_f32(limit));
        let otherwise = || {
            let (triangle, at) = self.closest_visited(line, query, limit)?;
            same(Some(self.triangle_set().hit(line, triangle, &at)))
        };
        same(single_ray::first_in_double(&QueryContext::new(mesh, &ray), mesh.tree, &otherwise))
    }

    /// The candidate of a crossing with its hit, which takes less work than the crossing does.
    pub(crate) fn with_hit(
        &self,
        (primitive, at): (u32, TriangleHit<Working<V>>),
        line: &InstanceRay<'_, V>,
        hit: &mut Option<Hit<V>>,
    ) -> HitCandidate<Working<V>> {
        *hit = Some(self.triangle_set().hit(line, primitive, &at));
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
        let _ = self.triangle_set().visit(line, query, limit, EdgeRule::Closed, &mut |i, at, limit| {
            let better = best
                .is_none_or(|(j, old)| self.triangle_set().order(line, (i, at.t), (j, old.t)).then(i.cmp(&j)).is_lt());
            if better {
                best = Some((i, at));
                *limit = limit.min(HitCandidate { t: at.t, primitive: i, at_start: false }.limit());
            }
            ControlFlow::Continue(())
        });
        best
    }

    /// Whether the ray crosses any triangle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn crosses(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let otherwise = || {
            self.triangle_set()
                .visit(line, query, f64::INFINITY, EdgeRule::Closed, &mut |_, _, _| ControlFlow::Break(()))
                .is_break()
        };
        if let Some(mesh) = self.searched_in_single() {
            let ray = SearchRayF32::new(&line.raw, query);
            return single_ray::any(&QueryContext::new(&mesh, &ray).within(line.level), mesh.tree, &otherwise);
        }
        if let Some(mesh) = self.searched_in_double() {
            let ray = SearchRayF64::new(&line.raw, query);
            return single_ray::any_in_double(
                &QueryContext::new(&mesh, &ray).within(line.level),
                mesh.tree,
                &otherwise,
            );
        }
        otherwise()
    }
}
