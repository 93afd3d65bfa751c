//! Queries of a scene, and of a scene without some of its objects.

use crate::aabb::Aabb;
use crate::closest_point::{ClosestResult, OnPrimitive, PointGoal};
use crate::explain::Explanation;
use crate::hit::{Hit, ObjectId, Span};
use crate::hit_rows::HitRows;
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate, certain_order};
use crate::kernel::nearest_limit::NearestLimit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::Working;
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{OnSpan, OverlapGoal, Shape, any_one_by_one, one_by_one};
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::ray_columns::RayColumns;
use crate::scene::any::Space;
use crate::scene::closest_object::{ClosestSearch, ObjectCandidate};
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::{TreeLevel, View};
use crate::stable_sort::stable_sort_by;
use crate::sweep_hit::{SweepResult, SweepResults};
use crate::target::COMPACT;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::{ControlFlow, Range};
use smallvec::SmallVec;

impl<'a, V: Space> SceneView<'a, V> {
    /// The object of a scene with exactly one object, for a query without a BVH; `None` if the object is not on a layer of
    /// every ray.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn only(self, are_on: impl FnOnce(u32) -> bool, query: &Query<V::Scalar>) -> Option<&'a PlacedObject<V>> {
        match &self.scene.levels[..] {
            [level] if self.scene.len == 1 && level.tree.placed.len() == 1 => {
                let placed = &level.tree.placed[0];
                let is_seen = are_on(placed.object.layers & query.layer_mask() & self.accept.layers)
                    && level.view(self.accept).sees(0, query);
                is_seen.then_some(placed)
            }
            _ => None,
        }
    }

    /// Visits the objects that the ray may hit, on the layers of the query. All callbacks share the compiled traversals.
    pub(crate) fn visit(
        self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        mut part: &mut OnObject<'_, 'a, V>,
    ) -> ControlFlow<()> {
        self.show(line, query, &mut part)
    }

    /// [`visit`](Self::visit), compiled for each callback: for closest and any hits. `COMPACT` builds share the traversals here, too.
    fn visit_monomorphized(
        self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        mut part: impl FnMut(&'a PlacedObject<V>, &Query<V::Scalar>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if COMPACT { self.visit(line, query, &mut part) } else { self.show(line, query, &mut part) }
    }

    fn show(
        self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        part: &mut impl FnMut(&'a PlacedObject<V>, &Query<V::Scalar>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // A ray has a layer mask of its own, and so has a filtered scene: an object must be on a layer of all masks, and so
        // must the members of groups, which get this query.
        let query = &self.masked(query, line.raw.layers);
        let limits = TRange::new(line, query);
        // A ray with a NaN, or without a direction, hits nothing.
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        // The limit of `t` passes from tree to tree: what one tree has found saves nodes in the next one.
        let mut limit = limits.max.to_f64();
        for level in &self.scene.levels {
            let mut visit = |view: &View<'a, V>| {
                let mut object =
                    |slot: u32, limit: &mut f64| view.look(slot, query, |placed, query| part(placed, query, limit));
                view.visit(line, limits.min.to_f64(), &mut limit, &mut object)
            };
            // The main tree first: it has most objects. Objects that moved since the last refit are in a BVH of their
            // own.
            visit(&level.view(self.accept))?;
            if let Some(moved) = &level.moved_view(self.accept) {
                visit(moved)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Closest candidate and its object, with the hit where the shape has computed it; at equal `t` the object inserted first
    /// wins.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn closest(
        self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<ObjectCandidate<'a, V>> {
        // A callback that lowers the limit to that of the caller, and then to each closer hit, makes the traversal skip
        // all nodes behind.
        let (search, mut best) = (ClosestSearch { line, query }, None);
        let _ = self.visit_monomorphized(line, query, |placed, own, near| {
            *near = near.min(limit);
            search.update((placed, own), near, &mut best, hit);
            ControlFlow::Continue(())
        });
        best
    }

    /// Writes the closest hit to `out`. Not inlined: so the hit is written where the caller wants it, and not copied.
    #[inline(never)]
    fn closest_into(self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut Option<Hit<V>>) {
        if let Some(best) = self.closest(line, query, f64::INFINITY, out) {
            ClosestSearch { line, query }.finish(&best, out);
        }
    }
}

/// Callback for an object that the ray may hit: the object, its query, and the limit of `t`, which it may lower.
type OnObject<'f, 'a, V> = dyn FnMut(&'a PlacedObject<V>, &Query<<V as crate::math::vector::Vector>::Scalar>, &mut f64) -> ControlFlow<()>
    + 'f;

/// Unrounded `t`, the object, and its hit or span.
type Found<'a, V, R> = (Working<V>, &'a PlacedObject<V>, R);

/// Hits of several objects.
type ObjectHits<'a, V> = SmallVec<[Found<'a, V, Hit<V>>; 4]>;

/// Callback for the exact `t` of a result.
type OnExactT<'f> = dyn FnMut(Exact) + 'f;

/// Whether two results are of one object.
fn is_same<V: Space, R>(a: &Found<'_, V, R>, b: &Found<'_, V, R>) -> bool {
    a.1.order == b.1.order
}

/// Sorts hits or spans by `t`, at equal `t` by the order of insertion; those of one object keep their order. Where rounding might
/// decide, compares them in exact arithmetic: `exact_t` gives the exact `t` of an object's results in their order.
pub(crate) fn sort_found<V: Space, R: Copy>(
    found: &mut [Found<'_, V, R>],
    exact_t: &dyn Fn(&PlacedObject<V>, &mut OnExactT<'_>),
) {
    // The rounded `t` gives the order of nearly all results; of two equal ones, the object inserted first counts.
    let by_t = |a: &Found<'_, V, R>, b: &Found<'_, V, R>| a.0.compare(b.0).unwrap_or(Ordering::Equal);
    stable_sort_by(found, |a, b| by_t(a, b).then(a.1.order.cmp(&b.1.order)));
    // A gap that is certain separates the results before it from those behind. Within a run between two such gaps, rounding may have
    // exchanged results of different objects.
    let mut start = 0;
    while start < found.len() {
        let is_close = |pair: &&[Found<'_, V, R>]| certain_order(pair[0].0, pair[1].0).is_none();
        let end = start + 1 + found[start..].windows(2).take_while(is_close).count();
        if found[start..end].windows(2).any(|pair| !is_same(&pair[0], &pair[1])) {
            sort_exactly(found, start..end, exact_t);
        }
        start = end;
    }
}

/// Sorts a run of the results by exact numbers. The results of each object are in their order, in the run and in the whole list.
#[cold]
fn sort_exactly<V: Space, R: Copy>(
    found: &mut [Found<'_, V, R>],
    run: Range<usize>,
    exact_t: &dyn Fn(&PlacedObject<V>, &mut OnExactT<'_>),
) {
    let mut by_object = found[run.clone()].to_vec();
    stable_sort_by(&mut by_object, |a, b| a.1.order.cmp(&b.1.order));
    // Runs again with more digits if those do not suffice.
    with_precision(COMPARISON_PRECISION, || {
        // Each object computes the exact `t` of its results again, in their order. Those before the run are passed over, and the others
        // are paired by position.
        let mut keyed = Vec::with_capacity(run.len());
        for object in by_object.chunk_by(is_same) {
            let mut before = found[..run.start].iter().filter(|result| is_same(result, &object[0])).count();
            let mut results = object.iter();
            exact_t(object[0].1, &mut |t| match before.checked_sub(1) {
                Some(left) => before = left,
                None => keyed.extend(results.next().map(|result| (t, *result))),
            });
        }
        // Each result has its exact `t`, unless the digits do not suffice, or the shape of a user answers otherwise the second time:
        // then the rounded order stays.
        if keyed.len() == run.len() {
            stable_sort_by(&mut keyed, |(s, a), (t, b): &(Exact, _)| {
                s.order_or_equal(*t).then(a.1.order.cmp(&b.1.order))
            });
            found[run.clone()].iter_mut().zip(keyed).for_each(|(found, (_, result))| *found = result);
        }
    });
}

impl<V: Space> Shape<V> for SceneView<'_, V> {
    fn name(&self) -> &'static str {
        "scene"
    }
    fn aabb(&self) -> Aabb<V> {
        let is_unbounded = |level: &TreeLevel<V>| {
            !level.tree.unbounded.is_empty() && level.objects().any(|placed| placed.bounds().is_none())
        };
        if self.scene.levels.iter().any(is_unbounded) { Aabb::everything() } else { self.scene.finite_bounds() }
    }
    fn encloses_points(&self) -> bool {
        let mut objects = self.scene.levels.iter().flat_map(TreeLevel::objects);
        objects.all(|placed| placed.object.instance.0.encloses_points())
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        let stop = |yes| if yes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        self.visit_around(point, level, |placed| stop(self.seen(placed).contains_point(point, level))).is_break()
    }
    fn project_point(&self, point: V, level: Option<&InstanceLevel<'_>>, goal: PointGoal) -> ClosestResult<V> {
        match goal {
            PointGoal::Within(limit) => self.closest_surface(point, level, limit),
            PointGoal::Depth => self.deepest_surface(point, level),
        }
    }
    fn sweep(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> SweepResult<V> {
        self.closest_sweep(ray, swept, query, limit)
    }
    fn sweep_each(
        &self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
    ) -> SweepResults<V> {
        self.sweep_objects(ray, swept, query)
    }
    fn project_primitives(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        self.nearest_primitives(point, level, limit, out);
    }
    fn insertion_order(&self, object: ObjectId) -> u64 {
        self.scene.numbered(object.slot()).map_or(u64::MAX, |placed| placed.order)
    }
    fn visit_overlaps(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_overlapping(volume, level, goal, found)
    }
    fn cast_closest(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        // A scene of one object needs no tree: the shape takes the ray as it is given, which is the fastest way for a
        // mesh.
        let Some(placed) = self.only(|layers| ray.layer_mask() & layers != 0, query) else {
            return self.closest_hit(&InstanceRay::new(&ray.line()), query);
        };
        let mut hit = placed.object.instance.0.cast_closest(ray, placed.query_in(query, &mut None));
        if let Some(hit) = &mut hit {
            placed.mark(hit);
        }
        hit
    }
    fn cast_any(&self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> bool {
        match self.only(|layers| ray.layer_mask() & layers != 0, query) {
            Some(placed) => placed.object.instance.0.cast_any(ray, placed.query_in(query, &mut None)),
            None => self.any_hit(&InstanceRay::new(&ray.line()), query),
        }
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        // One object: its own batch query is faster than a stream over one leaf. Large meshes among few objects: each
        // gets the whole batch. All other scenes: a ray stream through the trees.
        match self.only(|layers| rays.are_on(layers), query) {
            Some(placed) => {
                placed.object.instance.0.cast_closest_each(rays, placed.query_in(query, &mut None), out);
                out.iter_mut().flatten().for_each(|hit| placed.mark(hit));
            }
            None if COMPACT => one_by_one(self, rays, query, out),
            None => match &self.in_batches(rays, query)[..] {
                [] => self.each(rays, query, out, |ray| self.cast_closest(ray, query)),
                batched => self.closest_in_batches(batched, (rays, query), out),
            },
        }
    }
    fn cast_rows(&self, rays: (&RayColumns<'_, V>, usize), query: &Query<V::Scalar>, out: &mut HitRows<'_, V>) -> bool {
        // One object: its own way for columns. Layers of rays would have to be the same for all.
        let only = if rays.0.has_layers() { None } else { self.only(|layers| layers != 0, query) };
        let Some(placed) = only else { return false };
        let is_done = placed.object.instance.0.cast_rows(rays, placed.query_in(query, &mut None), out);
        if is_done {
            out.mark(placed.id, placed.object.is_trigger);
        }
        is_done
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        match self.only(|layers| rays.are_on(layers), query) {
            Some(placed) => placed.object.instance.0.cast_any_each(rays, placed.query_in(query, &mut None), out),
            None if COMPACT => any_one_by_one(self, rays, query, out),
            None => match &self.in_batches(rays, query)[..] {
                [] => self.each(rays, query, out, |ray| self.cast_any(ray, query)),
                batched => self.any_in_batches(batched, (rays, query), out),
            },
        }
    }
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
        hit: &mut Option<Hit<V>>,
    ) -> Option<HitCandidate<Working<V>>> {
        let best = self.closest(line, query, limit, hit)?;
        ClosestSearch { line, query }.finish(&best, hit);
        let (placed, found) = best;
        Some(HitCandidate { primitive: placed.id.slot(), ..found })
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        let placed = self.scene.numbered(found.primitive)?;
        let hit = placed.object.instance.0.closest_hit(line, &placed.own_query(query))?;
        Some(placed.own_hit(hit))
    }
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let mut hit = None;
        self.closest_into(line, query, &mut hit);
        hit
    }
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let stop = |yes| if yes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        self.visit_monomorphized(line, query, |placed, query, _| stop(placed.object.instance.0.any_hit(line, query)))
            .is_break()
    }
    fn all_hits(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        most: usize,
        out: &mut dyn FnMut(Working<V>, Hit<V>),
    ) {
        // `nearest` keeps the `most` smallest `t`, and lowers the limit to the greatest of them: so the traversal ends
        // early.
        let (mut found, mut nearest) = (ObjectHits::new(), NearestLimit::new(most));
        let _ = self.visit(line, query, &mut |placed, query, limit| {
            // The hits of one shape arrive in exact order, but rounding may have reversed nearly equal `t`.
            let mut least = Working::<V>::from_f64(f64::NEG_INFINITY);
            placed.object.instance.0.all_hits(line, query, most, &mut |t, hit| {
                least = least.max(t);
                nearest.add(least, limit);
                found.push((least, placed, placed.own_hit(hit)));
            });
            ControlFlow::Continue(())
        });
        // The traversal finds the objects in the order of the tree; the caller gets the hits along the ray.
        sort_found(&mut found, &|placed, key| {
            placed.object.instance.0.exact_all_t(line, &placed.own_query(query), key);
        });
        found.into_iter().take(most).for_each(|(t, _, hit)| out(t, hit));
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        // The candidate gives the object only: recompute the candidate of that object.
        let placed = self.scene.numbered(found.primitive)?;
        let query = placed.own_query(query);
        let own = placed.object.instance.0.candidate(line, &query, f64::INFINITY, &mut None)?;
        placed.object.instance.0.exact_first(line, &query, &own)
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, &mut |placed, query, _| {
            placed.object.instance.0.exact_all_t(line, query, &mut |t| found.push(t));
            ControlFlow::Continue(())
        });
        stable_sort_by(&mut found, |a: &Exact, b| a.order_or_equal(*b));
        found.into_iter().for_each(out);
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        let mut count = 0;
        let _ = self.visit(line, query, &mut |placed, query, _| {
            count += placed.object.instance.0.count(line, query);
            ControlFlow::Continue(())
        });
        count
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut OnSpan<'_, V>) {
        // The spans of all objects: the traversal finds the objects in the order of the tree.
        let mut found = Vec::new();
        let _ = self.visit(line, query, &mut |placed, query, _| {
            let own = |hit| placed.own_hit(hit);
            // The spans of one shape arrive in exact order, but rounding may have reversed nearly equal `t`.
            let mut least = Working::<V>::from_f64(f64::NEG_INFINITY);
            placed.object.instance.0.all_spans(line, query, &mut |[begin, end], span| {
                least = least.max(begin);
                found.push((least, placed, (end, Span { enter: span.enter.map(own), exit: span.exit.map(own) })));
            });
            ControlFlow::Continue(())
        });
        // The caller gets them along the ray.
        sort_found(&mut found, &|placed, key| {
            placed.object.instance.0.exact_spans(line, &placed.own_query(query), &mut |[begin, _]| key(begin));
        });
        found.into_iter().for_each(|(begin, _, (end, span))| out([begin, end], span));
    }
    fn exact_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut([Exact; 2])) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, &mut |placed, query, _| {
            placed.object.instance.0.exact_spans(line, query, &mut |ends| found.push((placed.order, ends)));
            ControlFlow::Continue(())
        });
        // The order of `all_spans`: by the beginning, then by insertion.
        stable_sort_by(&mut found, |(i, [a, _]), (j, [b, _]): &(u64, [Exact; 2])| a.order_or_equal(*b).then(i.cmp(j)));
        found.into_iter().for_each(|(_, ends)| out(ends));
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        let Some((placed, found)) = self.closest(line, query, f64::INFINITY, &mut None) else {
            explanation.verdict("miss: no shape is hit within the range of t");
            return;
        };
        explanation.number("number of the shape hit", f64::from(placed.id.slot()));
        explanation.number("t", found.t.to_f64());
        placed.object.instance.0.explain_ray(line, &placed.own_query(query), explanation);
    }
}
