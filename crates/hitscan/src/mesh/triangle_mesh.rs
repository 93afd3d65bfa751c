//! The triangle mesh and its queries.

use super::single_ray;
use crate::aabb::Aabb;
use crate::bvh::options::Statistics;
use crate::bvh::primitive_index::Accel;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::{Explanation, Trace};
use crate::hit::Hit;
use crate::kernel::candidate::HitCandidate;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::{InstanceLevel, InstanceMap};
use crate::math::real::Real;
use crate::math::rounding::round_up_f32;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::crossing_lists::{CrossingList, CrossingSearch};
use crate::mesh::hit_output::{same, same_fn, same_mut};
use crate::mesh::hit_search::{AnyMode, ClosestMode, QueryContext, SearchedMesh};
use crate::mesh::image_bounds::image_of_mesh;
use crate::mesh::mesh_spans::{OnMeshSpan, SpanSearch};
use crate::mesh::search_ray::{SearchRay, SearchRayF32, SearchRayF64};
use crate::mesh::swept_triangle::TriangleSweep;
use crate::mesh::topology::{LazyTopology, ParitySurface, Topology};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::TriangleQuery;
use crate::mesh::winding_moments::LazyMoments;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OverlapGoal, Shape, SingleCast, any_one_by_one, one_by_one};
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Coplanar, Query};
use crate::ray::{Ray, RayLike, RaySlice};
use crate::shapes::triangle::EdgeRule;
use crate::sweep_hit::SweepResult;
use crate::target::COMPACT;
use crate::transform::Transform;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::ops::ControlFlow;

/// Triangle mesh: a surface of triangles that share vertices.
///
/// Queries are watertight: no ray slips between triangles at a shared edge or vertex. `cast_ray` and `intersects_ray`
/// count touching as a hit; `cast_ray_all`, `count_hits`, `spans` and `contains` count a shared edge or vertex once. A
/// closed mesh ([`Topology::is_closed`]) has an inside for `contains` and `spans`; an open mesh has none. Rays hit the
/// surface from both sides, so [`Inside`](crate::Inside) has no effect.
///
/// Inside is a matter of parity: a ray from an inner point crosses the mesh an odd number of times. The orientation of triangles
/// plays no part in it; it decides the side and the normal of a hit. Triangles with the same three corners count modulo two where
/// that leaves a closed surface, as a wall that two boxes share, and else once. Where closed parts of a mesh overlap, the overlap
/// counts as outside: make them objects of a scene or a [`Group`](crate::Group) to have their union, or ask the
/// [winding number](Self::winding_number). [`repaired`](Self::repaired) returns a tidy copy.
///
/// | query that starts inside a closed mesh | the mesh is |
/// |---|---|
/// | `contains`, `overlaps`, `signed_distance`, `spans` | a solid |
/// | `cast_ray`, `cast_sphere`, `cast_volume` | a surface: the first contact is on its inner side |
///
/// A clone copies the mesh. Objects of a scene share one mesh as clones of one `Arc`:
///
/// ```
/// use hitscan::{glam::Vec3, Object, Scene3, Transform, TriangleMesh};
/// use std::sync::Arc;
/// let mesh = Arc::new(TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?);
/// let mut scene = Scene3::new();
/// for x in 0..1000 {
///     let place = Transform::from_translation(Vec3::X * x as f32)?;
///     scene.insert(Object::new(mesh.clone()).with_transform(place))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleMesh<V: Vector> {
    pub(crate) vertices: Vec<V>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) bounds: Aabb<V>,
    pub(crate) topology: LazyTopology,
    pub(crate) winding: LazyMoments,
    pub(crate) index: Accel,
    /// Triangle blocks for the `f32` filter; `None` if coordinates are outside its safe range.
    pub(crate) corners: Option<TriangleBlocks>,
}

impl<V: Vector3> TriangleMesh<V> {
    /// The same mesh with a linear scan in place of the BVH: the reference for tests.
    #[must_use]
    pub fn linear_scan(&self) -> Self {
        let index = Accel::LinearScan(crate::bvh::linear_scan::LinearScan::new(self.triangles.len()));
        Self { index, corners: None, ..self.clone() }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[V] {
        &self.vertices
    }
    /// The triangles as vertex indices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
    /// Topology of the mesh: counts of its edges, and whether it is closed. The first call of this method, `contains`
    /// or `spans` computes it in O(n log n).
    pub fn topology(&self) -> &Topology {
        &self.parity_surface().topology
    }
    /// The topology, with the triangles that parity leaves out.
    pub(crate) fn parity_surface(&self) -> &ParitySurface {
        self.topology.get(&self.vertices, &self.triangles)
    }
    /// Size of the BVH.
    pub fn statistics(&self) -> Statistics {
        let index = self.index.statistics();
        Statistics { bytes: index.bytes + self.corners.as_ref().map_or(0, TriangleBlocks::bytes), ..index }
    }

    /// The triangles, for a search by distance.
    pub(crate) fn triangle_set(&self) -> TriangleSet<'_, V> {
        let Self { vertices, triangles, bounds, index, corners, .. } = self;
        TriangleSet { vertices, triangles, bounds, index, blocks: corners.as_ref() }
    }

    /// What a search with the `f32` filter reads; `None` for a linear scan, or coordinates outside the safe range.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn searched(&self) -> Option<SearchedMesh<'_>> {
        let (Some(corners), Accel::Bvh(tree)) = (&self.corners, &self.index) else { return None };
        let exact = if corners.are_exact {
            None
        } else {
            (self as &dyn Any).downcast_ref().map(TriangleMesh::<glam::DVec3>::triangle_set)
        };
        Some(SearchedMesh { corners, tree, exact, map: None })
    }

    /// [`searched`](Self::searched) of a mesh in `f32`.
    #[inline(always)]
    fn searched_in_single(&self) -> Option<SearchedMesh<'_>> {
        if TypeId::of::<V>() == TypeId::of::<glam::Vec3>() { self.searched() } else { None }
    }

    /// [`searched`](Self::searched) of a mesh in `f64`.
    #[inline(always)]
    fn searched_in_double(&self) -> Option<SearchedMesh<'_>> {
        if TypeId::of::<V>() == TypeId::of::<glam::DVec3>() { self.searched() } else { None }
    }

    /// What a stream of rays of the world searches of an instance; `None` in `f64`, and in builds for size.
    fn streamed<'a>(&'a self, map: &'a dyn InstanceMap) -> Option<SearchedMesh<'a>> {
        let mesh = self.searched_in_single().filter(|_| !COMPACT)?;
        Some(SearchedMesh { map: Some(map), ..mesh })
    }

    /// Number of the closest triangle of a mesh in `f64`, up to the limit.
    fn closest_triangle_in_double(
        &self,
        mesh: &SearchedMesh<'_>,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<u32> {
        let ray = SearchRayF64::new(&line.raw, query).up_to(round_up_f32(limit));
        let otherwise = || self.triangle_set().closest_visited(line, query, limit).map(|(i, _)| i);
        single_ray::closest_triangle_in_double(&QueryContext::new(mesh, &ray).within(line.level), mesh.tree, &otherwise)
    }

    /// Closest hit of a mesh in `f64`, up to the limit.
    fn first_in_double(
        &self,
        mesh: &SearchedMesh<'_>,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<Hit<V>> {
        let ray = SearchRayF64::new(&line.raw, query).up_to(round_up_f32(limit));
        let otherwise = || {
            let (triangle, at) = self.triangle_set().closest_visited(line, query, limit)?;
            same(Some(self.triangle_set().hit(line, triangle, &at)))
        };
        same(single_ray::first_in_double(&QueryContext::new(mesh, &ray), mesh.tree, &otherwise))
    }

    /// Whether the ray crosses any triangle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn crosses(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let otherwise = || {
            self.triangle_set()
                .visit(line, query, f64::INFINITY, EdgeRule::Closed, &mut |_, _| ControlFlow::Break(()))
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

    /// All crossings in the range of the query: see [`TriangleSet::crossings`].
    pub(crate) fn crossings(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> CrossingList {
        self.triangle_set().crossings(line, query)
    }

    /// The crossings that parity counts, in ascending order of `t`: without those of repeated triangles that it leaves out.
    fn parity_crossings(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> CrossingList {
        let mut found = self.crossings(line, query);
        let repetitions = &self.parity_surface().repetitions;
        if !repetitions.is_empty() {
            found.retain(|at| repetitions.binary_search(&at.triangle).is_err());
        }
        found
    }

    /// Calls `out` with the spans of a ray in their order. The mesh must be closed.
    fn each_span(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnMeshSpan<'_, V>) {
        let limits = TRange::new(line, query);
        if !self.topology().is_closed() || !line.is_valid() || !limits.min.le(limits.max) {
            return;
        }
        // Crossings before the range need no search: parity tells whether the range begins inside.
        let everything = V::Scalar::INFINITY;
        let start = V::Scalar::from_f64(limits.min.to_f64());
        let start = if start.to_f64() <= limits.min.to_f64() { start } else { -everything };
        let mut spans = |whole: &InstanceRay<'_, V>| {
            let all = self.parity_crossings(whole, &Query::new().range(start, everything));
            let (mesh, whole) =
                (self.triangle_set(), CrossingSearch::new(whole, &Query::new().range(-everything, everything)));
            SpanSearch { mesh, line, whole, query }.each(&all, out);
        };
        let whole = line.unlimited();
        match line.level {
            None => spans(&InstanceRay::new(&whole)),
            // The levels hold the ray with its limits, too.
            Some(level) => level.with_ray(&whole.raw, &mut |level| {
                spans(&InstanceRay { world: &whole, level: Some(level) });
            }),
        }
    }
}

impl<V: Vector3> Shape<V> for TriangleMesh<V> {
    fn name(&self) -> &'static str {
        "mesh"
    }
    fn aabb(&self) -> Aabb<V> {
        self.bounds
    }
    fn encloses_points(&self) -> bool {
        self.topology().is_closed()
    }
    fn image_bounds(&self, transform: &Transform<V>) -> Aabb<V> {
        let mesh = (&self.vertices[..], &self.triangles[..]);
        let image = self.index.tree().and_then(|tree| image_of_mesh(mesh, tree, transform));
        let of_bounds = transform.image_of(&self.bounds);
        image.map_or(of_bounds, |image| of_bounds.intersection(image))
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        if !self.topology().is_closed() || (level.is_none() && !self.bounds.contains(point)) {
            return false;
        }
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let along = |axis| Ray::new(point, V::from_xyz(axis));
        let axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]].map(along);
        let query = |ray: &Ray<V>, query: &dyn Fn(&InstanceRay<'_, V>) -> bool| match level {
            None => query(&InstanceRay::new(&ray.line())),
            Some(level) => {
                level.with_ray(&ray.raw(), &mut |level| query(&InstanceRay { world: &ray.line(), level: Some(level) }))
            }
        };
        // On the surface: a line parallel to a triangle misses it, but no triangle is parallel to all three axes.
        let here = Query::new().range(zero, zero);
        // Otherwise a ray from an inner point crosses the surface an odd number of times.
        axes.iter().any(|ray| query(ray, &|line| self.any_hit(line, &here)))
            || query(&axes[0], &|line| {
                let repetitions = &self.parity_surface().repetitions;
                self.triangle_set().count_crossings(line, &Query::new(), repetitions) % 2 == 1
            })
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        if goal == PointGoal::Depth && !self.contains_point(point, level) {
            return Ok(None);
        }
        self.triangle_set().closest_point(point, level, goal)
    }
    fn project_primitives(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        self.triangle_set().nearest_points(point, level, limit, out);
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        Ok(TriangleSweep::search(self.triangle_set(), ray, swept, query, limit))
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.triangle_set().visit_overlaps(volume, level, goal, &|| self.contains_point(volume.point, level), found)
    }
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        if query.counts_coplanar() {
            let found = self.triangle_set().coplanar_candidate(line, query, limit, hit);
            return found.unwrap_or_else(|| self.candidate(line, &query.coplanar(Coplanar::Miss), limit, hit));
        }
        // A mesh in `f32`: the search writes hit and candidate in one pass, with or without a transform.
        if let (Some(mesh), Some(out)) = (self.searched_in_single(), same_mut(hit)) {
            let ray = SearchRayF32::new(&line.raw, query).up_to(round_up_f32(limit));
            let context = QueryContext::new(&mesh, &ray).within(line.level);
            if let Some(t) = single_ray::first_into(&context, mesh.tree, out) {
                let (t, primitive) = (Working::<V>::from_f64(t?), out.as_ref()?.primitive?);
                return Some(HitCandidate { t, primitive, at_start: false });
            }
        }
        // A mesh in `f64` without a transform, where the hit has the `t` of the candidate.
        if line.level.is_none()
            && let Some(mesh) = self.searched_in_double()
        {
            *hit = self.first_in_double(&mesh, line, query, limit);
            let (t, primitive) = (hit.as_ref()?.t.to_f64(), hit.as_ref()?.primitive?);
            return Some(HitCandidate { t: Arithmetic::from_f64(t), primitive, at_start: false });
        }
        // An instance in `f64`: the triangle first, then its hit by one Newton step, or in lazy exact arithmetic.
        if let Some(mesh) = self.searched_in_double() {
            let primitive = self.closest_triangle_in_double(&mesh, line, query, limit)?;
            *hit = self.triangle_set().image_hit(line, primitive);
            if let Some(hit) = hit {
                return Some(HitCandidate { t: Arithmetic::from_f64(hit.t.to_f64()), primitive, at_start: false });
            }
            let at = self.triangle_set().cross(primitive, line, query, EdgeRule::Closed)?;
            return Some(self.triangle_set().with_hit((primitive, at), line, hit));
        }
        // Rays and meshes outside the range of the `f32` filter: every crossing in lazy exact arithmetic.
        Some(self.triangle_set().with_hit(self.triangle_set().closest_visited(line, query, limit)?, line, hit))
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        if query.counts_coplanar() {
            return self.closest_hit(line, query);
        }
        let at = self.triangle_set().cross(found.primitive, line, query, EdgeRule::Closed)?;
        Some(self.triangle_set().hit(line, found.primitive, &at))
    }
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let mut hit = None;
        self.candidate(line, query, f64::INFINITY, &mut hit)?;
        hit
    }
    // Always inlined, like `cast_any`: elsewhere the numbers of a `dyn RayLike` take a virtual call and a way through memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        // Rarely called. It captures references only: captured values would be forced into memory.
        let otherwise = || self.closest_hit(&InstanceRay::new(&ray.line()), query);
        if query.counts_coplanar() {
            return otherwise();
        }
        if let (Some(mesh), Some(first)) = (self.searched_in_single(), same_fn(single_ray::first)) {
            let (ray, tree) = (SearchRayF32::new(&ray.raw(), query), mesh.tree);
            return first(&QueryContext::new(&mesh, &ray), tree, &otherwise);
        }
        if let (Some(mesh), Some(first)) = (self.searched_in_double(), same_fn(single_ray::first_in_double)) {
            let (ray, tree) = (SearchRayF64::new(&ray.raw(), query), mesh.tree);
            return first(&QueryContext::new(&mesh, &ray), tree, &otherwise);
        }
        otherwise()
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        // A stream knows crossings only.
        if query.counts_coplanar() {
            return one_by_one(self, rays, query, out);
        }
        let single = |ray: &dyn RayLike<V>| self.cast_closest(ray, query);
        if let Some(mesh) = self.searched_in_single() {
            mesh.each::<V, ClosestMode, SearchRayF32, _>((rays, query), out, single);
        } else if let Some(mesh) = self.searched_in_double() {
            mesh.each::<V, ClosestMode, SearchRayF64, _>((rays, query), out, single);
        } else {
            one_by_one(self, rays, query, out);
        }
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        let single = |ray: &dyn RayLike<V>| self.cast_any(ray, query);
        if let Some(mesh) = self.searched_in_single() {
            mesh.each::<V, AnyMode, SearchRayF32, _>((rays, query), out, single);
        } else if let Some(mesh) = self.searched_in_double() {
            mesh.each::<V, AnyMode, SearchRayF64, _>((rays, query), out, single);
        } else {
            any_one_by_one(self, rays, query, out);
        }
    }
    fn cast_closest_each_placed(
        &self,
        map: &dyn InstanceMap,
        rays: (RaySlice<'_, V>, &Query<V::Scalar>),
        single: SingleCast<'_, V, Option<Hit<V>>>,
        out: &mut [Option<Hit<V>>],
    ) {
        match self.streamed(map).filter(|_| !rays.1.counts_coplanar()) {
            Some(mesh) => mesh.each::<V, ClosestMode, SearchRayF32, _>(rays, out, single),
            None => rays.0.iter().zip(out).for_each(|(ray, out)| *out = single(ray)),
        }
    }
    fn cast_any_each_placed(
        &self,
        map: &dyn InstanceMap,
        rays: (RaySlice<'_, V>, &Query<V::Scalar>),
        single: SingleCast<'_, V, bool>,
        out: &mut [bool],
    ) {
        match self.streamed(map) {
            Some(mesh) => mesh.each::<V, AnyMode, SearchRayF32, _>(rays, out, single),
            None => rays.0.iter().zip(out).for_each(|(ray, out)| *out = single(ray)),
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        let otherwise = || self.any_hit(&InstanceRay::new(&ray.line()), query);
        if let Some(mesh) = self.searched_in_single() {
            let (ray, tree) = (SearchRayF32::new(&ray.raw(), query), mesh.tree);
            return single_ray::any(&QueryContext::new(&mesh, &ray), tree, &otherwise);
        }
        if let Some(mesh) = self.searched_in_double() {
            let (ray, tree) = (SearchRayF64::new(&ray.raw(), query), mesh.tree);
            return single_ray::any_in_double(&QueryContext::new(&mesh, &ray), tree, &otherwise);
        }
        otherwise()
    }
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        self.crosses(line, query)
    }
    fn all_hits(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        if self.triangle_set().all_hits_with_coplanar(line, query, most, out) {
            return;
        }
        self.triangle_set().hits_along(line, query, most, out);
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        match self.triangle_set().exact_t_with_coplanar(line, &query.with_shared_edges()) {
            Some(exact) => exact.first().copied(),
            None => self.triangle_set().exact_t(line, found.primitive),
        }
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        match self.triangle_set().exact_t_with_coplanar(line, query) {
            Some(exact) => exact.into_iter().for_each(out),
            None => self
                .crossings(line, query)
                .into_iter()
                .filter_map(|at| self.triangle_set().exact_t(line, at.triangle))
                .for_each(out),
        }
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        self.triangle_set().count_crossings(line, query, &[]) + self.triangle_set().count_coplanar(line, query)
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        self.each_span(line, query, &mut |ends, span| out(ends.map(|(t, _)| t), span));
    }
    fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        self.each_span(line, query, &mut |ends, _| {
            // Without a triangle the range begins or ends inside, at a number that is exact.
            out(ends.map(|(t, triangle)| {
                let crossing = triangle.and_then(|triangle| self.triangle_set().exact_t(line, triangle));
                crossing.unwrap_or_else(|| Exact::from_parts(t.parts()))
            }));
        });
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        explanation.number("triangles", self.triangles.len() as f64);
        match self.candidate(line, query, f64::INFINITY, &mut None) {
            Some(found) => {
                explanation.number("nearest triangle", f64::from(found.primitive));
                let mut trace = Trace::writing();
                let corners = self.triangle_set().corners_of(found.primitive);
                let crossing = TriangleQuery { corners, query: query.double(), rule: EdgeRule::Closed };
                crossing.classified(&line.raw, &mut trace);
                explanation.append(trace);
                explanation.number("t", found.t.to_f64());
                explanation.verdict("hit: the nearest crossing within the range of t");
            }
            None if !line.is_valid() => {
                explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
            }
            None => explanation.verdict("miss: the ray crosses no triangle within the range of t"),
        }
    }
}
