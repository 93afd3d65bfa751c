//! The triangle mesh and its queries.

use super::single_ray;
use crate::aabb::Aabb;
use crate::adaptive::fallback::exact_hit;
use crate::adaptive::instance::evaluate_instance;
use crate::adaptive::stages::evaluate_adaptive;
use crate::bvh::bvh::Bvh16;
use crate::bvh::options::Statistics;
use crate::bvh::primitive_index::Accel;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::{Explanation, Trace};
use crate::hit::{Hit, Side, Span};
use crate::kernel::candidate::{HitCandidate, certain_order};
use crate::kernel::hit_builder::build_hit;
use crate::kernel::nearest_limit::NearestLimit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::{Precision, Real};
use crate::math::rounding::round_up_f32;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::crossing_visitor::CrossingVisitor;
use crate::mesh::hit_search::{AnyMode, ClosestMode, QueryContext, RayQueryF32};
use crate::mesh::swept_triangle::TriangleSweep;
use crate::mesh::topology::{LazyTopology, Topology};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{TrianglePlanes, TriangleQuery, exact_crossing, exact_instance_crossing, hit};
use crate::mesh::winding_moments::LazyMoments;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OverlapGoal, Shape, any_one_by_one, one_by_one};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{Ray, RayLike, RaySlice};
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::sweep_hit::SweepResult;
use crate::target::COMPACT;
use alloc::vec::Vec;
use core::any::TypeId;
use core::cmp::Ordering;
use core::ops::ControlFlow;

/// Triangle mesh: a surface of triangles that share vertices.
///
/// Queries are watertight: no ray slips between triangles at a shared edge or vertex. `cast_ray` and `intersects_ray`
/// count touching as a hit; `cast_ray_all`, `count_hits`, `spans` and `contains` count a shared edge or vertex once. A
/// closed mesh ([`Topology::is_closed`]) has an inside for `contains` and `spans`; an open mesh has none. Rays hit the
/// surface from both sides, so [`Inside`](crate::Inside) has no effect.
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

    #[inline(always)]
    fn corners_of(&self, triangle: u32) -> [Vec3<f64>; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize].widen())
    }

    /// Crossing with one triangle, within the range of `t` and on a face of the query.
    #[inline]
    fn cross(
        &self,
        triangle: u32,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        rule: EdgeRule,
    ) -> Option<TriangleHit<Working<V>>> {
        let crossing = TriangleQuery { corners: self.corners_of(triangle), query: query.double(), rule };
        crossing.answer_of(line).map(|at| at.convert())
    }

    /// Calls `found` for every crossing within the range of `t` up to the limit, which `found` may lower. The order is
    /// approximately front to back.
    #[inline(always)]
    fn visit(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        rule: EdgeRule,
        mut found: impl FnMut(u32, TriangleHit<Working<V>>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if COMPACT {
            let found: &mut OnCrossing<'_, V> = &mut found;
            return self.show_out_of_line(line, query, limit, rule, found);
        }
        self.show(line, query, limit, rule, &mut found)
    }

    /// [`show`](Self::show), compiled once for all callers.
    #[inline(never)]
    fn show_out_of_line(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        rule: EdgeRule,
        found: &mut OnCrossing<'_, V>,
    ) -> ControlFlow<()> {
        self.show(line, query, limit, rule, found)
    }

    #[inline(always)]
    fn show(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        rule: EdgeRule,
        found: impl FnMut(u32, TriangleHit<Working<V>>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        let limits = TRange::new(line, query);
        let limit = limits.max.to_f64().min(limit);
        let mut found = CrossingVisitor { mesh: self.triangle_set(), line, query: query.double(), rule, limit, found };
        match (&self.index, line.level) {
            (Accel::Bvh(tree), None) => tree.visit(&line.raw, limits.min.to_f64(), limit, &mut found),
            (Accel::Bvh(tree), Some(level)) => {
                tree.visit_instance(level.local(), limits.min.to_f64(), limit, &mut found)
            }
            (Accel::LinearScan(scan), _) => scan.visit(&mut { limit }, |i, _| found.part(i, self.corners_of(i))),
        }
    }

    /// Triangle blocks and BVH for the `f32` search of a mesh of `glam::Vec3`; `None` for other vectors, a linear scan,
    /// or coordinates outside the safe range.
    #[inline(always)]
    pub(crate) fn side_by_side(&self) -> Option<(&TriangleBlocks, &Bvh16)> {
        match (&self.corners, &self.index) {
            (Some(corners), Accel::Bvh(tree)) if TypeId::of::<V>() == TypeId::of::<glam::Vec3>() => {
                Some((corners, tree))
            }
            _ => None,
        }
    }

    /// Closest crossing; at equal `t` the triangle with the lowest id wins.
    #[inline(always)]
    fn closest(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<(u32, TriangleHit<Working<V>>)> {
        let mut best: Option<(u32, TriangleHit<Working<V>>)> = None;
        let _ = self.visit(line, query, limit, EdgeRule::Closed, |i, at, limit| {
            let better = best.is_none_or(|(j, old)| self.order(line, (i, at.t), (j, old.t)).then(i.cmp(&j)).is_lt());
            if better {
                best = Some((i, at));
                *limit = limit.min(HitCandidate { t: at.t, primitive: i, at_start: false }.limit());
            }
            ControlFlow::Continue(())
        });
        best
    }

    /// Whether the ray crosses any triangle.
    #[inline(always)]
    fn crosses(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let otherwise =
            || self.visit(line, query, f64::INFINITY, EdgeRule::Closed, |_, _, _| ControlFlow::Break(())).is_break();
        match self.side_by_side() {
            Some((corners, tree)) => {
                let query_f32 = RayQueryF32::new(&line.raw, query);
                single_ray::any(&QueryContext::new(corners, tree, &query_f32).within(line.level), tree, &otherwise)
            }
            None => otherwise(),
        }
    }

    /// All crossings in the range of the query in ascending order of `t`; a shared edge or vertex counts once, unless the
    /// query says otherwise.
    fn crossings(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Vec<(u32, TriangleHit<Working<V>>)> {
        self.first_crossings(line, query, usize::MAX)
    }

    /// The first `most` crossings.
    fn first_crossings(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
    ) -> Vec<(u32, TriangleHit<Working<V>>)> {
        let (mut found, mut nearest) = (Vec::<(u32, TriangleHit<Working<V>>)>::new(), NearestLimit::new(most));
        let rule = if query.has_shared_edges() { EdgeRule::Closed } else { EdgeRule::Once };
        let _ = self.visit(line, query, f64::INFINITY, rule, |i, at, limit| {
            // Spatial splits put a triangle into several leaves. A limit may count it once only.
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
        found.sort_by(|(i, a), (j, b)| self.order(line, (*i, a.t), (*j, b.t)).then(i.cmp(j)));
    }

    /// Order of two crossings along the ray; escalates to exact arithmetic where rounding might decide.
    #[inline(always)]
    fn order(&self, line: &InstanceRay<'_, V>, (i, s): (u32, Working<V>), (j, t): (u32, Working<V>)) -> Ordering {
        certain_order(s, t).unwrap_or_else(|| self.order_exactly(line, i, j))
    }

    #[cold]
    #[inline(never)]
    fn order_exactly(&self, line: &InstanceRay<'_, V>, i: u32, j: u32) -> Ordering {
        let planes = TrianglePlanes([self.corners_of(i), self.corners_of(j)]);
        if planes.are_the_same() {
            return Ordering::Equal;
        }
        match line.level {
            None => evaluate_adaptive(&planes, &line.raw, V::Scalar::PRECISION, &mut Trace::default()),
            Some(level) => evaluate_instance(&planes, level, Precision::Single, &mut Trace::default()),
        }
    }

    /// Whether a crossing of the infinite line lies in a range of `t`; escalates where rounding might decide.
    fn lies(&self, line: &InstanceRay<'_, V>, (i, at): (u32, Working<V>), [from, to]: [Working<V>; 2]) -> bool {
        let order = |a: Working<V>, b: Working<V>| {
            let endless = [a, b].iter().any(|x| x.to_f64().is_infinite());
            if endless { a.compare(b) } else { certain_order(a, b) }
        };
        match (order(from, at), order(at, to)) {
            (Some(after), Some(before)) => after.is_le() && before.is_le(),
            _ => {
                let [from, to] = [from, to].map(|t| V::Scalar::from_f64(t.to_f64()));
                self.cross(i, line, &Query::new().range(from, to), EdgeRule::Once).is_some()
            }
        }
    }

    /// Spans of a ray, from all crossings of the `whole` line.
    fn spans_along(
        &self,
        line: &InstanceRay<'_, V>,
        whole: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        out: &mut dyn FnMut(Working<V>, Span<V>),
    ) {
        let limits = TRange::new(line, query);
        if !limits.min.le(limits.max) {
            return;
        }
        let (start, last) = (limits.min.max(-limits.largest), limits.max.min(limits.largest));
        // The range includes numbers beyond the largest one of the precision.
        let ever = Working::<V>::from_f64(f64::INFINITY);
        let without_end = Query::new().range(-V::Scalar::INFINITY, V::Scalar::INFINITY);
        let mut all = self.crossings(whole, &without_end);
        // At equal t, entries precede exits: a line that only touches an edge is inside for one point.
        let comes_out = |at: &TriangleHit<Working<V>>| at.facing.gt(Working::<V>::ZERO);
        all.sort_by(|(i, a), (j, b)| self.order(line, (*i, a.t), (*j, b.t)).then(comes_out(a).cmp(&comes_out(b))));
        // An entry through a front face increases the depth, an exit through a back face decreases it.
        let (mut depth, mut open) = (0i64, None);
        for (i, at) in all {
            let before = depth;
            depth += if at.facing.lt(Working::<V>::ZERO) { 1 } else { -1 };
            if before == 0 {
                open = Some((i, at));
            } else if depth == 0
                && let Some((first, enter)) = open.take()
                && self.lies(whole, (first, enter.t), [-ever, last])
                && self.lies(whole, (i, at.t), [start, ever])
            {
                let exit = self.lies(whole, (i, at.t), [start, last]).then(|| self.hit(line, i, &at));
                let is_bounded = limits.min.to_f64() > f64::NEG_INFINITY;
                let (t, enter) = if is_bounded && self.lies(whole, (first, enter.t), [-ever, limits.min]) {
                    (limits.min, Some(Self::start_hit(line, limits.min)))
                } else {
                    let is_representable = self.lies(whole, (first, enter.t), [start, last]);
                    (enter.t, is_representable.then(|| self.hit(line, first, &enter)))
                };
                out(t, Span { enter, exit });
            }
        }
    }

    /// Builds the hit of a crossing. Where intermediate numbers exceed the range of `f64`, as for a very long segment,
    /// exact arithmetic computes the hit.
    fn hit(&self, line: &InstanceRay<'_, V>, triangle: u32, at: &TriangleHit<Working<V>>) -> Hit<V> {
        if line.level.is_some() {
            return hit(&line.world, triangle, at);
        }
        if V::Scalar::PRECISION == Precision::Single {
            let crossing =
                TriangleQuery { corners: self.corners_of(triangle), query: Query::line(), rule: EdgeRule::Closed };
            return crossing.known_hit(&line.raw, triangle);
        }
        let hit: Hit<V> = hit(&line.world, triangle, at);
        if is_representable(&hit) {
            return hit;
        }
        let classified = exact_hit(self.corners_of(triangle), &line.raw, V::Scalar::PRECISION).map(Hit::convert);
        classified.map_or(hit, |classified| Hit { primitive: hit.primitive, ..classified })
    }

    /// Hit at the start of a range of `t` that begins inside the mesh. Like [`hit`](Self::hit), it leaves numbers
    /// beyond the range of `f64` to exact arithmetic.
    fn start_hit(line: &InstanceRay<'_, V>, t: Working<V>) -> Hit<V> {
        let hit = build_hit(&line.world, t, None, Side::Back, None);
        if is_representable(&hit) {
            return hit;
        }
        with_precision(3, || build_hit(&line.again(), Exact::from_parts(t.parts()), None, Side::Back, None))
    }

    /// Exact `t` of the crossing with the plane of a triangle.
    fn exact_t(&self, line: &InstanceRay<'_, V>, triangle: u32) -> Option<Exact> {
        let corners = self.corners_of(triangle);
        match line.level {
            None => exact_crossing(&line.again(), corners),
            Some(level) => exact_instance_crossing(level, corners),
        }
    }
}

/// Whether no coordinate of the hit overflowed, and the normal is not zero.
fn is_representable<V: Vector>(hit: &Hit<V>) -> bool {
    hit.point.all_finite() && hit.distance.is_finite() && !hit.normal.is_zero()
}

/// Callback for a crossing: triangle, crossing, and the limit of `t`, which it may lower.
type OnCrossing<'a, V> = dyn FnMut(u32, TriangleHit<Working<V>>, &mut f64) -> ControlFlow<()> + 'a;

impl<V: Vector3> Shape<V> for TriangleMesh<V> {
    fn name(&self) -> &'static str {
        "mesh"
    }
    fn aabb(&self) -> Aabb<V> {
        self.bounds
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        if !self.topology().is_closed() || (level.is_none() && !self.bounds.contains(point)) {
            return false;
        }
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let along = |axis| Ray::new(point, V::from_xyz(axis));
        let axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]].map(along);
        let query = |ray: &Ray<V>, query: &dyn Fn(&InstanceRay<'_, V>) -> bool| match level {
            None => query(&ray.line().into()),
            Some(level) => {
                level.with_ray(&ray.raw(), &mut |level| query(&InstanceRay { world: ray.line(), level: Some(level) }))
            }
        };
        // On the surface: a line parallel to a triangle misses it, but no triangle is parallel to all three axes.
        let here = Query::new().range(zero, zero);
        // Otherwise a ray from an inner point crosses the surface an odd number of times.
        axes.iter().any(|ray| query(ray, &|line| self.any_hit(line, &here)))
            || query(&axes[0], &|line| self.crossings(line, &Query::new()).len() % 2 == 1)
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
        if let (Some((corners, tree)), Some(out)) = (self.side_by_side(), single_ray::same_mut(hit)) {
            let query_f32 = RayQueryF32::new(&line.raw, query).up_to(round_up_f32(limit));
            let context = QueryContext::new(corners, tree, &query_f32).within(line.level);
            if let Some(t) = single_ray::first_into(&context, tree, out) {
                let (t, primitive) = (Working::<V>::from_f64(t?), out.as_ref()?.primitive?);
                return Some(HitCandidate { t, primitive, at_start: false });
            }
        }
        self.closest(line, query, limit).map(|(i, at)| HitCandidate { t: at.t, primitive: i, at_start: false })
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        let at = self.cross(found.primitive, line, query, EdgeRule::Closed)?;
        Some(self.hit(line, found.primitive, &at))
    }
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.closest(line, query, f64::INFINITY).map(|(i, at)| self.hit(line, i, &at))
    }
    #[inline]
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        match self.side_by_side() {
            Some((corners, tree)) => {
                let otherwise = || single_ray::same(self.closest_hit(&ray.line().into(), query));
                single_ray::same(single_ray::first(
                    &QueryContext::new(corners, tree, &RayQueryF32::new(&ray.raw(), query)),
                    tree,
                    &otherwise,
                ))
            }
            None => self.closest_hit(&ray.line().into(), query),
        }
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        let Some((corners, tree)) = self.side_by_side() else {
            return one_by_one(self, rays, query, out);
        };
        let single = |ray: &dyn RayLike<V>| self.cast_closest(ray, query);
        corners.each::<V, ClosestMode, _>(tree, (rays, query), out, single);
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        let single = |ray: &dyn RayLike<V>| self.cast_any(ray, query);
        match self.side_by_side() {
            Some((corners, tree)) => corners.each::<V, AnyMode, _>(tree, (rays, query), out, single),
            None => any_one_by_one(self, rays, query, out),
        }
    }
    #[inline]
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        // Rarely called. It captures references only: captured values would be forced into memory.
        let otherwise = || self.any_hit(&ray.line().into(), query);
        match self.side_by_side() {
            Some((corners, tree)) => single_ray::any(
                &QueryContext::new(corners, tree, &RayQueryF32::new(&ray.raw(), query)),
                tree,
                &otherwise,
            ),
            None => otherwise(),
        }
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
        for (i, at) in self.first_crossings(line, query, most) {
            out(at.t, self.hit(line, i, &at));
        }
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        _query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        self.exact_t(line, found.primitive)
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        self.crossings(line, query).into_iter().filter_map(|(i, _)| self.exact_t(line, i)).for_each(out);
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        self.crossings(line, query).len()
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Working<V>, Span<V>)) {
        if !self.topology().is_closed() || !line.is_valid() {
            return;
        }
        let whole = line.unlimited();
        match line.level {
            None => self.spans_along(line, &whole, query, out),
            // The levels hold the ray with its limits, too.
            Some(level) => level.with_ray(&whole.raw, &mut |level| {
                self.spans_along(line, &InstanceRay { world: whole.world, level: Some(level) }, query, out);
            }),
        }
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        explanation.number("triangles", self.triangles.len() as f64);
        match self.candidate(line, query, f64::INFINITY, &mut None) {
            Some(found) => {
                explanation.number("nearest triangle", f64::from(found.primitive));
                let mut trace = Trace::writing();
                let corners = self.corners_of(found.primitive);
                let crossing = TriangleQuery { corners, query: query.double(), rule: EdgeRule::Closed };
                crossing.classified(&line.raw, V::Scalar::PRECISION, &mut trace);
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
