//! The scene and its queries.

use crate::aabb::Aabb;
use crate::adaptive::evaluate::Contender;
use crate::bvh::options::{Accelerator, Statistics};
use crate::bvh::primitive_index::Accel;
use crate::explain::Explanation;
use crate::hit::{Hit, ObjectId, Span};
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate, certain_order};
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::instance_stack::InstanceLevel;
use crate::math::vector::Working;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::{Shape, any_one_by_one, one_by_one};
use crate::query::Query;
use crate::ray::RaySlice;
use crate::scene::any::Space;
use crate::scene::chunked_vec::ChunkedVec;
use crate::scene::error::SceneError;
use crate::scene::group::Group;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::object_tree::PlacedObject;
use crate::scene::tree_level::TreeLevel;
use crate::target::COMPACT;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::ControlFlow;

/// A scene: a collection of objects under a BVH. It has the queries of a shape; each hit names its object in
/// [`Hit::object`].
///
/// Of two hits at the same `t`, the hit of the object inserted first wins.
///
/// Objects can be inserted, removed and changed at any time, and every query sees every edit. [`commit`](Self::commit)
/// after the edits of a frame makes the queries fast again. A clone is a [`snapshot`](Self::snapshot).
///
/// ```
/// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere, Transform};
/// let mut scene = Scene::new();
/// let ball = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
/// let other = scene.insert(Object::new(Sphere::new(Vec3::X * 9.0, 1.0)?))?;
/// scene.set_transform(ball, Transform::identity())?;
/// let ray = Ray::new(Vec3::X * -5.0, Vec3::X);
/// assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(ball));
/// scene.remove(ball)?;
/// scene.commit();
/// assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(other));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene<V: Space> {
    /// The main tree of objects, and while a snapshot shares it one of the objects edited since.
    pub(crate) levels: Vec<TreeLevel<V>>,
    /// For each slot of an id where its object is.
    pub(crate) table: ChunkedVec<Entry>,
    /// First vacant entry of the table; the others follow in a list.
    pub(crate) vacant: u32,
    pub(crate) names: Names,
    pub(crate) len: usize,
    /// Order of the next object.
    pub(crate) next_order: u64,
    /// Bounds of the bounded objects, unless an edit may have made them smaller.
    pub(crate) bounds: Option<Aabb<V>>,
    pub(crate) accelerator: Accelerator,
}

/// Place of an object, or a vacant entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) generation: u32,
    /// `NONE` for a vacant entry.
    pub(crate) level: u32,
    /// Slot in the level; for a vacant entry the next one.
    pub(crate) slot: u32,
}

/// No level, no slot.
pub(crate) const NONE: u32 = u32::MAX;

impl<V: Space> Default for Scene<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Space> Scene<V> {
    /// A scene without objects.
    #[must_use]
    pub fn new() -> Self {
        Self {
            levels: Vec::new(),
            table: ChunkedVec::new(),
            vacant: NONE,
            names: Names::default(),
            len: 0,
            next_order: 0,
            bounds: Some(Aabb::empty()),
            accelerator: Accelerator::Bvh,
        }
    }

    /// A snapshot: the scene as it is now, in constant time. It shares memory with this scene. Edits of one do not show
    /// in the other, and copy only what they change.
    ///
    /// Other threads can query a snapshot while this scene is edited. No query waits for a lock.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let ball = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?))?;
    /// let frame = scene.snapshot();
    /// let other = std::thread::spawn(move || frame.intersects_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..));
    /// scene.remove(ball)?;
    /// assert!(other.join().is_ok_and(|hit| hit));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Self {
        self.clone()
    }

    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The objects with their ids, in the order of insertion.
    pub fn objects(&self) -> impl DoubleEndedIterator<Item = (ObjectId, &Object<V>)> + ExactSizeIterator {
        let mut placed: Vec<_> = self.table.iter().filter_map(|entry| self.placed(entry)).collect();
        placed.sort_by_key(|placed| placed.order);
        placed.into_iter().map(|placed| (placed.id, &placed.object))
    }
    /// The object with this id.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<&Object<V>> {
        let (found, object) = self.at(id.index())?;
        (found == id).then_some(object)
    }
    /// The object in a row of a table, with its id: see [`ObjectId::index`].
    #[must_use]
    pub fn at(&self, index: usize) -> Option<(ObjectId, &Object<V>)> {
        let placed = self.placed(self.table.get(index)?)?;
        Some((placed.id, &placed.object))
    }
    /// The id of the object with this name, in O(log n).
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ObjectId> {
        self.names.get(name)
    }
    /// Bounds of the bounded shapes; empty if there are none.
    #[must_use]
    pub fn finite_bounds(&self) -> Aabb<V> {
        self.bounds.unwrap_or_else(|| self.sum_of_bounds())
    }
    /// Size of the BVH.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.levels.iter().map(|level| level.tree.statistics()).fold(Statistics::default(), |a, b| Statistics {
            nodes: a.nodes + b.nodes,
            leaves: a.leaves + b.leaves,
            depth: a.depth.max(b.depth),
            bytes: a.bytes + b.bytes,
        })
    }

    pub(crate) fn sum_of_bounds(&self) -> Aabb<V> {
        let boxes = self.levels.iter().flat_map(TreeLevel::objects).map(|placed| placed.aabb);
        boxes.filter(Aabb::is_bounded).fold(Aabb::empty(), Aabb::union)
    }

    fn placed(&self, entry: &Entry) -> Option<&PlacedObject<V>> {
        self.levels.get(entry.level as usize)?.tree.placed.get(entry.slot as usize)
    }

    /// The object with this slot of an id: what [`HitCandidate::primitive`] holds.
    fn numbered(&self, slot: u32) -> Option<&PlacedObject<V>> {
        self.placed(self.table.get(slot as usize)?)
    }

    /// The object of a scene with exactly one object, and its query, for a query without a BVH.
    fn only(&self, query: &Query<V::Scalar>) -> Option<(&PlacedObject<V>, Query<V::Scalar>)> {
        match &self.levels[..] {
            [level] if self.len == 1 && level.tree.placed.len() == 1 => {
                let view = level.view();
                Some((&view.placed[0], view.own_query(0, query)?))
            }
            _ => None,
        }
    }

    /// Visits the objects that the ray may hit, on the layers of the query.
    fn visit<'a>(
        &'a self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        mut part: impl FnMut(&'a PlacedObject<V>, &Query<V::Scalar>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if COMPACT {
            let mut part: &mut OnObject<'_, 'a, V> = &mut part;
            return self.show(line, query, &mut part);
        }
        self.show(line, query, &mut part)
    }

    fn show<'a>(
        &'a self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        part: &mut impl FnMut(&'a PlacedObject<V>, &Query<V::Scalar>, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let limits = TRange::new(line, query);
        if !line.is_valid() {
            return ControlFlow::Continue(());
        }
        let mut limit = limits.max.to_f64();
        for level in &self.levels {
            let view = level.view();
            let object =
                |slot: u32, limit: &mut f64| view.look(slot, query, |placed, query| part(placed, query, limit));
            view.visit(line, limits.min.to_f64(), &mut limit, object)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether the new candidate is closer than the old one, or equally close and of an object inserted before. So the
    /// winner does not depend on the order of traversal.
    fn beats(
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        new: &ObjectCandidate<'_, V>,
        old: &ObjectCandidate<'_, V>,
    ) -> bool {
        let is_earlier = new.0.order < old.0.order;
        if new.1.at_start && old.1.at_start {
            return is_earlier;
        }
        let order = certain_order(new.1.t, old.1.t).unwrap_or_else(|| {
            with_precision(COMPARISON_PRECISION, || {
                let t = |(placed, found): &ObjectCandidate<'_, V>| {
                    placed.object.instance.exact_first(line, &placed.own_query(query), found)
                };
                t(new).zip(t(old)).map_or(Ordering::Equal, |(new, old)| new.cmp_rounded(old))
            })
        });
        if order.is_eq() { is_earlier } else { order.is_lt() }
    }

    /// Sorts hits by `t`, at equal `t` by the order of insertion; hits of one object keep their order. Where rounding
    /// might decide, compares all hits in exact arithmetic.
    fn sort(line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, found: &mut Vec<ObjectHit<'_, V>>) {
        let by_t = |a: &ObjectHit<'_, V>, b: &ObjectHit<'_, V>| a.0.compare(b.0).unwrap_or(Ordering::Equal);
        let as_given = found.clone();
        found.sort_by(|a, b| by_t(a, b).then(a.1.order.cmp(&b.1.order)));
        let is_same = |a: &ObjectHit<'_, V>, b: &ObjectHit<'_, V>| a.1.order == b.1.order;
        if found.windows(2).all(|pair| is_same(&pair[0], &pair[1]) || certain_order(pair[0].0, pair[1].0).is_some()) {
            return;
        }
        with_precision(COMPARISON_PRECISION, || {
            let mut keyed = Vec::with_capacity(as_given.len());
            for object in as_given.chunk_by(is_same) {
                let (mut hits, placed) = (object.iter(), object[0].1);
                let mut key = |t| keyed.extend(hits.next().map(|hit| (t, *hit)));
                placed.object.instance.exact_all_t(line, &placed.own_query(query), &mut key);
            }
            if keyed.len() == found.len() {
                keyed.sort_by(|(s, a), (t, b)| s.cmp_rounded(*t).then(a.1.order.cmp(&b.1.order)));
                *found = keyed.into_iter().map(|(_, hit)| hit).collect();
            }
        });
    }

    /// Closest candidate and its object; at equal `t` the object inserted first wins.
    fn closest(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, limit: f64) -> Option<ClosestSoFar<'_, V>> {
        let mut best = None;
        let _ = self.visit(line, query, |placed, own, near| {
            *near = near.min(limit);
            ClosestSoFar::update(&mut best, (line, query), (placed, own), near);
            ControlFlow::Continue(())
        });
        best
    }
}

/// Callback for an object that the ray may hit: the object, its query, and the limit of `t`, which it may lower.
type OnObject<'f, 'a, V> = dyn FnMut(&'a PlacedObject<V>, &Query<<V as crate::math::vector::Vector>::Scalar>, &mut f64) -> ControlFlow<()>
    + 'f;

/// Object and its candidate.
type ObjectCandidate<'a, V> = (&'a PlacedObject<V>, HitCandidate<Working<V>>);

/// Unrounded `t`, the object, and its hit.
type ObjectHit<'a, V> = (Working<V>, &'a PlacedObject<V>, Hit<V>);

/// Closest candidate found so far.
#[derive(Clone)]
pub(crate) struct ClosestSoFar<'a, V: Space> {
    found: ObjectCandidate<'a, V>,
    /// The full hit, if the shape has already computed it.
    hit: Option<Hit<V>>,
}

impl<'a, V: Space> ClosestSoFar<'a, V> {
    /// Replaces `best` by the candidate of an object, if that is closer, and lowers `limit`. Hits beyond `limit` need not
    /// be found. `own` is the query of the object.
    #[inline(always)]
    pub(crate) fn update(
        best: &mut Option<Self>,
        (line, query): (&InstanceRay<'_, V>, &Query<V::Scalar>),
        (placed, own): (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
    ) {
        let Some((new, hit)) = placed.object.instance.closest_candidate(line, own, *limit) else { return };
        let found = (placed, new);
        if best.as_ref().is_none_or(|old| Scene::beats(line, query, &found, &old.found)) {
            *limit = limit.min(new.limit());
            *best = Some(Self { found, hit });
        }
    }

    /// The object that must compute the hit; `None` if the hit is known.
    pub(crate) fn needs(&self) -> Option<&'a PlacedObject<V>> {
        self.hit.is_none().then_some(self.found.0)
    }

    /// Builds the hit of the candidate.
    #[inline(always)]
    pub(crate) fn finish(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        let (placed, found) = &self.found;
        let hit = self.hit.or_else(|| placed.object.instance.finish(line, &placed.own_query(query), found))?;
        Some(Hit { object: Some(placed.id), ..hit })
    }
}

impl<V: Space> Group<V> {
    /// The group of the objects of a scene.
    ///
    /// # Errors
    /// Groups within each other to more than 8 levels.
    pub fn new(scene: Scene<V>) -> Result<Self, SceneError> {
        let scene = Arc::new(scene);
        let objects = scene.objects().map(|(id, object)| (id, V::as_group(object.shape())));
        Self::from_parts(scene.clone(), objects)
    }
}

impl<V: Space> Shape<V> for Scene<V> {
    fn name(&self) -> &'static str {
        "scene"
    }
    fn aabb(&self) -> Aabb<V> {
        let is_unbounded = |level: &TreeLevel<V>| {
            !level.tree.unbounded.is_empty() && level.objects().any(|placed| !placed.aabb.is_bounded())
        };
        if self.levels.iter().any(is_unbounded) { Aabb::everything() } else { self.finite_bounds() }
    }
    fn contains_point(&self, point: V, level: Option<&InstanceLevel<'_>>) -> bool {
        let found = self.levels.iter().try_for_each(|tree| {
            let view = tree.view();
            let part = |slot| {
                view.look(slot, &Query::new(), |placed, _| {
                    let is_inside = (level.is_some() || placed.aabb.contains(point))
                        && placed.object.instance.contains_point(point, level);
                    if is_inside { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
            };
            view.unbounded.iter().try_for_each(|&slot| part(slot))?;
            match view.index {
                Accel::Bvh(tree) if level.is_none() => tree.visit_point(point.to_f64(), part),
                // The boxes are in the coordinates of the scene, the point is in those of the world.
                _ => (0..)
                    .zip(view.placed)
                    .filter(|(_, placed)| placed.id != ObjectId::NONE)
                    .try_for_each(|(i, _)| part(i)),
            }
        });
        found.is_break()
    }
    fn cast_closest_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        match self.only(query) {
            Some((placed, query)) => {
                placed.object.instance.cast_closest_each(rays, &query, out);
                out.iter_mut().flatten().for_each(|hit| hit.object = Some(placed.id));
            }
            None if COMPACT => one_by_one(self, rays, query, out),
            None => self.each(rays, query, out, |ray| self.cast_closest(ray, query)),
        }
    }
    fn cast_any_each(&self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>, out: &mut [bool]) {
        match self.only(query) {
            Some((placed, query)) => placed.object.instance.cast_any_each(rays, &query, out),
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
        let (placed, found) = self.closest(line, query, limit)?.found;
        Some(HitCandidate { primitive: placed.id.slot(), ..found })
    }
    fn closest_candidate(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<Contender<V>> {
        let best = self.closest(line, query, limit)?;
        let (placed, found) = best.found;
        Some((HitCandidate { primitive: placed.id.slot(), ..found }, best.finish(line, query)))
    }
    fn finish(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Hit<V>> {
        let placed = self.numbered(found.primitive)?;
        let hit = placed.object.instance.closest_hit(line, &placed.own_query(query))?;
        Some(Hit { object: Some(placed.id), ..hit })
    }
    fn closest_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        self.closest(line, query, f64::INFINITY)?.finish(line, query)
    }
    fn any_hit(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> bool {
        let stop = |yes| if yes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        self.visit(line, query, |placed, query, _| stop(placed.object.instance.any_hit(line, query))).is_break()
    }
    fn all_hits(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Working<V>, Hit<V>)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |placed, query, _| {
            // The hits of one shape arrive in exact order, but rounding may have reversed nearly equal `t`.
            let mut least = Working::<V>::from_f64(f64::NEG_INFINITY);
            placed.object.instance.all_hits(line, query, &mut |t, hit| {
                least = least.max(t);
                found.push((least, placed, Hit { object: Some(placed.id), ..hit }));
            });
            ControlFlow::Continue(())
        });
        Self::sort(line, query, &mut found);
        found.into_iter().for_each(|(t, _, hit)| out(t, hit));
    }
    fn exact_first(
        &self,
        line: &InstanceRay<'_, V>,
        query: &Query<V::Scalar>,
        found: &HitCandidate<Working<V>>,
    ) -> Option<Exact> {
        // The candidate gives the object only: recompute the candidate of that object.
        let placed = self.numbered(found.primitive)?;
        let query = placed.own_query(query);
        let own = placed.object.instance.candidate(line, &query, f64::INFINITY)?;
        placed.object.instance.exact_first(line, &query, &own)
    }
    fn exact_all_t(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |placed, query, _| {
            placed.object.instance.exact_all_t(line, query, &mut |t| found.push(t));
            ControlFlow::Continue(())
        });
        found.sort_by(|a, b| a.cmp_rounded(*b));
        found.into_iter().for_each(out);
    }
    fn count(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> usize {
        let mut count = 0;
        let _ = self.visit(line, query, |placed, query, _| {
            count += placed.object.instance.count(line, query);
            ControlFlow::Continue(())
        });
        count
    }
    fn all_spans(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Working<V>, Span<V>)) {
        let mut found = Vec::new();
        let _ = self.visit(line, query, |placed, query, _| {
            let own = |hit| Hit { object: Some(placed.id), ..hit };
            placed.object.instance.all_spans(line, query, &mut |t, span| {
                found.push((t, placed.order, Span { enter: span.enter.map(own), exit: span.exit.map(own) }));
            });
            ControlFlow::Continue(())
        });
        found.sort_by(|a, b| a.0.compare(b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
        found.into_iter().for_each(|(t, _, span)| out(t, span));
    }
    fn explain_ray(&self, line: &InstanceRay<'_, V>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        let Some(ClosestSoFar { found: (placed, found), .. }) = self.closest(line, query, f64::INFINITY) else {
            explanation.verdict("miss: no shape is hit within the range of t");
            return;
        };
        explanation.number("number of the shape hit", f64::from(placed.id.slot()));
        explanation.number("t", found.t.to_f64());
        placed.object.instance.explain_ray(line, &placed.own_query(query), explanation);
    }
}
