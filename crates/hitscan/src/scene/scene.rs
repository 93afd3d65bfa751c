//! The scene and its queries.

use crate::aabb::Aabb;
use crate::bvh::build::prim_ref::numbered;
use crate::bvh::options::{Accelerator, Quality, Statistics};
use crate::bvh::primitive_index::Accel;
use crate::explain::Explanation;
use crate::hit::{Hit, ShapeId, Span};
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate, certain_order};
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{Shape, any_one_by_one, one_by_one};
use crate::query::Query;
use crate::ray::RaySlice;
use crate::scene::any::Space;
use crate::scene::instance::Instance;
use crate::scene::object::Object;
use crate::simd::huge_pages::{in_huge_pages, with_huge_pages};
use crate::target::COMPACT;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::{ControlFlow, Range};

/// Maximum objects in a leaf; low, because testing an object takes longer than testing a node.
const LINEAR_SCAN_MAX: usize = 2;

/// Shape of a slot, aligned to a cache line: a small shape costs one cache miss.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct ShapeSlot<S>(S);

/// Scene: a collection of shapes under one BVH. It has the queries of a shape; each hit names its shape in
/// [`Hit::shape`].
///
/// Of two hits at the same `t`, the hit of the shape added first wins.
#[derive(Clone, Debug)]
pub struct Scene<V: Space> {
    pub(crate) objects: Vec<Object<V>>,
    /// Accelerator over the bounded shapes.
    pub(crate) index: Accel,
    /// Ids of the unbounded shapes, planes and half-spaces: every ray tests them.
    unbounded: Vec<u32>,
    /// Copies of the shapes by slot: bounded shapes in the order of the index, then unbounded shapes.
    pub(crate) placed: Vec<ShapeSlot<Instance<V>>>,
    /// Layers common to all objects.
    layers: u32,
    bounds: Aabb<V>,
}

impl<V: Space> Scene<V> {
    pub(crate) fn new(objects: Vec<Object<V>>, accelerator: Accelerator) -> Self {
        let all: Vec<Aabb<V>> = objects.iter().map(|o| o.instance.aabb()).collect();
        let numbers = 0..u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let (bounded, unbounded): (Vec<u32>, Vec<u32>) = numbers.partition(|&i| all[i as usize].is_bounded());
        let boxes: Vec<Aabb<V>> = bounded.iter().map(|&i| all[i as usize]).collect();
        let bounds = boxes.iter().fold(Aabb::empty(), |sum, b| sum.union(*b));
        let mut index = Accel::build::<V>(accelerator, numbered(&boxes), Quality::Default, [LINEAR_SCAN_MAX, 1], None);
        index.renumber(&bounded);
        let order = index.prim_ids().iter().chain(&unbounded);
        let mut placed = with_huge_pages(objects.len());
        placed.extend(order.map(|&id| ShapeSlot(objects[id as usize].instance.clone())));
        let layers = objects.iter().fold(u32::MAX, |all, object| all & object.layers);
        Self { objects: in_huge_pages(objects), index, unbounded, placed, layers, bounds }
    }

    /// The same scene with a linear scan in place of its BVH: the reference for tests. Meshes keep their own BVHs.
    #[must_use]
    pub fn linear_scan(&self) -> Self {
        Self::new(self.objects.clone(), Accelerator::LinearScan)
    }

    /// The objects, in the order of their ids.
    pub fn objects(&self) -> &[Object<V>] {
        &self.objects
    }
    /// The object with this id.
    pub fn get(&self, id: ShapeId) -> Option<&Object<V>> {
        self.objects.get(id.index())
    }
    /// The id of the object with this name.
    pub fn find(&self, name: &str) -> Option<ShapeId> {
        let i = self.objects.iter().position(|o| o.name() == Some(name))?;
        u32::try_from(i).ok().map(ShapeId)
    }
    /// Bounds of the bounded shapes; empty if there are none.
    pub fn finite_bounds(&self) -> Aabb<V> {
        self.bounds
    }
    /// Size of the BVH.
    pub fn statistics(&self) -> Statistics {
        let index = self.index.statistics();
        Statistics { bytes: index.bytes + size_of_val(&self.placed[..]), ..index }
    }

    /// The shape of a scene with exactly one object, for a query without a BVH.
    fn only(&self, query: &Query<V::Scalar>) -> Option<&Instance<V>> {
        match &self.objects[..] {
            [_] => self.shape_in_layers(0, query),
            _ => None,
        }
    }

    /// The shape of a slot, if it is on a layer of the query.
    #[inline(always)]
    pub(crate) fn shape_in_layers(&self, slot: u32, query: &Query<V::Scalar>) -> Option<&Instance<V>> {
        let ShapeSlot(shape) = &self.placed[slot as usize];
        let mask = query.layer_mask();
        // A layer common to all objects saves the lookup.
        let is_in_layers = self.layers & mask != 0 || self.objects[self.id(slot) as usize].layers & mask != 0;
        is_in_layers.then_some(shape)
    }

    /// Object id of a slot.
    #[inline(always)]
    pub(crate) fn id(&self, slot: u32) -> u32 {
        let (bounded, slot) = (self.index.prim_ids(), slot as usize);
        if slot < bounded.len() { bounded[slot] } else { self.unbounded[slot - bounded.len()] }
    }

    /// Slots of the unbounded shapes.
    pub(crate) fn unbounded_places(&self) -> Range<u32> {
        // There are fewer than 2^32 objects.
        self.index.prim_ids().len() as u32..self.placed.len() as u32
    }

    /// Visits the slots of the shapes that the ray may hit, on the layers of the query.
    fn visit(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        mut part: impl FnMut(u32, &Instance<V>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if COMPACT {
            let mut part: &mut OnShape<'_, V> = &mut part;
            return self.show(line, query, &mut part);
        }
        self.show(line, query, &mut part)
    }

    fn show(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        part: &mut impl FnMut(u32, &Instance<V>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let limits = TRange::new(line, query);
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        let mut limit = limits.max.to_f64();
        let mut object = |slot: u32, limit: &mut f64| match self.shape_in_layers(slot, query) {
            Some(shape) => part(slot, shape, limit),
            None => ControlFlow::Continue(()),
        };
        for slot in self.unbounded_places() {
            object(slot, &mut limit)?;
        }
        self.index.visit(&line.world, line.level, limits.min.to_f64(), &mut limit, object)
    }

    /// Whether the new candidate is closer than the old one, or equally close with a lower id. So the winner does not
    /// depend on the order of traversal.
    fn beats(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        new: &ObjectCandidate<V>,
        old: &ObjectCandidate<V>,
    ) -> bool {
        if new.1.at_start && old.1.at_start {
            return new.0 < old.0;
        }
        let order = certain_order(new.1.t, old.1.t).unwrap_or_else(|| {
            with_precision(COMPARISON_PRECISION, || {
                let t = |(i, found): &ObjectCandidate<V>| {
                    self.objects[*i as usize].instance.exact_first(line, query, found)
                };
                t(new).zip(t(old)).map_or(Ordering::Equal, |(new, old)| new.cmp_rounded(old))
            })
        });
        order.then(new.0.cmp(&old.0)).is_lt()
    }

    /// Sorts hits by `t`, at equal `t` by object id; hits of one object keep their order. Where rounding might decide,
    /// compares all hits in exact arithmetic.
    fn sort(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, found: &mut Vec<(Working<V>, u32, Hit<V>)>) {
        let by_t = |a: &(Working<V>, u32, _), b: &(Working<V>, u32, _)| a.0.compare(b.0).unwrap_or(Ordering::Equal);
        let as_given: Vec<_> = found.clone();
        found.sort_by(|a, b| by_t(a, b).then(a.1.cmp(&b.1)));
        if found.windows(2).all(|pair| pair[0].1 == pair[1].1 || certain_order(pair[0].0, pair[1].0).is_some()) {
            return;
        }
        with_precision(COMPARISON_PRECISION, || {
            let mut keyed = Vec::with_capacity(as_given.len());
            for object in as_given.chunk_by(|a, b| a.1 == b.1) {
                let mut hits = object.iter();
                let mut key = |t| keyed.extend(hits.next().map(|hit| (t, *hit)));
                self.objects[object[0].1 as usize].instance.exact_all_t(line, query, &mut key);
            }
            if keyed.len() == found.len() {
                keyed.sort_by(|(s, a), (t, b)| s.cmp_rounded(*t).then(a.1.cmp(&b.1)));
                *found = keyed.into_iter().map(|(_, hit)| hit).collect();
            }
        });
    }

    /// Closest candidate and its object; at equal `t` the object with the lowest id wins.
    fn closest(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, limit: f64) -> Option<ClosestSoFar<V>> {
        let mut best = None;
        let _ = self.visit(line, query, |slot, shape, near| {
            *near = near.min(limit);
            self.nearer(line, query, (slot, shape), near, &mut best);
            ControlFlow::Continue(())
        });
        best
    }

    /// Replaces `best` by the candidate of a shape, if that is closer, and lowers `limit`. Hits beyond `limit` need not
    /// be found.
    #[inline(always)]
    pub(crate) fn nearer(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        (slot, shape): (u32, &Instance<V>),
        limit: &mut f64,
        best: &mut Option<ClosestSoFar<V>>,
    ) {
        let Some((new, hit)) = shape.closest_candidate(line, query, *limit) else { return };
        let found = (self.id(slot), new);
        if best.as_ref().is_none_or(|old| self.beats(line, query, &found, &old.found)) {
            *limit = limit.min(new.limit());
            *best = Some(ClosestSoFar { found, hit });
        }
    }

    /// Builds the hit of the closest candidate.
    #[inline(always)]
    pub(crate) fn finish_hit(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        best: &ClosestSoFar<V>,
    ) -> Option<Hit<V>> {
        let (i, found) = &best.found;
        let hit = best.hit.or_else(|| self.objects[*i as usize].instance.finish(line, query, found))?;
        Some(Hit { shape: Some(ShapeId(*i)), ..hit })
    }
}

/// Callback for a shape that the ray may hit: slot, shape, and the limit of `t`, which it may lower.
type OnShape<'a, V> = dyn FnMut(u32, &Instance<V>, &mut f64) -> ControlFlow<()> + 'a;

/// Object id and its candidate.
type ObjectCandidate<V> = (u32, HitCandidate<Working<V>>);

/// Closest candidate found so far.
#[derive(Clone)]
pub(crate) struct ClosestSoFar<V: Vector> {
    found: ObjectCandidate<V>,
    /// The full hit, if the shape has already computed it.
    hit: Option<Hit<V>>,
}

impl<V: Vector> ClosestSoFar<V> {
    /// Id of the object that must compute the hit; `None` if the hit is known.
    pub(crate) fn needs(&self) -> Option<u32> {
        self.hit.is_none().then_some(self.found.0)
    }
}

impl<V: Space> Shape<V> for Scene<V> {
    fn name(&self) -> &'static str {
        "scene"
    }
    fn aabb(&self) -> Aabb<V> {
        if self.unbounded.is_empty() { self.bounds } else { Aabb::everything() }
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        let is_near = |o: &Object<V>| level.is_some() || o.instance.aabb().contains(point);
        self.objects.iter().any(|o| is_near(o) && o.instance.contains_point(point, level))
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        match self.only(query) {
            Some(shape) => {
                shape.cast_closest_each(rays, query, out);
                out.iter_mut().flatten().for_each(|hit| hit.shape = Some(ShapeId(0)));
            }
            None if COMPACT => one_by_one(self, rays, query, out),
            None => self.each(rays, query, out, |ray| self.cast_closest(ray, query)),
        }
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        match self.only(query) {
            Some(shape) => shape.cast_any_each(rays, query, out),
            None if COMPACT => any_one_by_one(self, rays, query, out),
            None => self.each(rays, query, out, |ray| self.cast_any(ray, query)),
        }
    }
    fn candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<HitCandidate<Working<V>>> {
        let (shape, found) = self.closest(line, query, limit)?.found;
        Some(HitCandidate { primitive: shape, ..found })
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        let hit = self.objects.get(found.primitive as usize)?.instance.closest_hit(line, query)?;
        Some(Hit { shape: Some(ShapeId(found.primitive)), ..hit })
    }
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.finish_hit(line, query, &self.closest(line, query, f64::INFINITY)?)
    }
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let stop = |yes| if yes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        self.visit(line, query, |_, shape, _| stop(shape.any_hit(line, query))).is_break()
    }
    fn all_hits(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Working<V>, Hit<V>)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |slot, shape, _| {
            let i = self.id(slot);
            // The hits of one shape arrive in exact order, but rounding may have reversed nearly equal `t`.
            let mut least = Working::<V>::from_f64(f64::NEG_INFINITY);
            shape.all_hits(line, query, &mut |t, hit| {
                least = least.max(t);
                found.push((least, i, Hit { shape: Some(ShapeId(i)), ..hit }));
            });
            ControlFlow::Continue(())
        });
        self.sort(line, query, &mut found);
        found.into_iter().for_each(|(t, _, hit)| out(t, hit));
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        // The candidate gives the object only: recompute the candidate of that object.
        let object = &self.objects.get(found.primitive as usize)?.instance;
        let own = object.candidate(line, query, f64::INFINITY)?;
        object.exact_first(line, query, &own)
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |_, shape, _| {
            shape.exact_all_t(line, query, &mut |t| found.push(t));
            ControlFlow::Continue(())
        });
        found.sort_by(|a, b| a.cmp_rounded(*b));
        found.into_iter().for_each(out);
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        let mut count = 0;
        let _ = self.visit(line, query, |_, shape, _| {
            count += shape.count(line, query);
            ControlFlow::Continue(())
        });
        count
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Working<V>, Span<V>)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |slot, shape, _| {
            let i = self.id(slot);
            let own = |hit| Hit { shape: Some(ShapeId(i)), ..hit };
            shape.all_spans(line, query, &mut |t, span| {
                found.push((t, i, Span { enter: span.enter.map(own), exit: span.exit.map(own) }));
            });
            ControlFlow::Continue(())
        });
        found.sort_by(|a, b| a.0.compare(b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
        found.into_iter().for_each(|(t, _, span)| out(t, span));
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        let Some(ClosestSoFar { found: (i, found), .. }) = self.closest(line, query, f64::INFINITY) else {
            explanation.verdict("miss: the ray hits no shape within the range of t");
            return;
        };
        explanation.number("number of the shape hit", f64::from(i));
        explanation.number("t", found.t.to_f64());
        self.objects[i as usize].instance.explain_ray(line, query, explanation);
    }
}
