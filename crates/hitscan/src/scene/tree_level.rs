//! TreeLevel of a scene: a tree, which snapshots share, and the slots whose objects have left it.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::moved::SlotBits;
use crate::bvh::options::Accelerator;
use crate::bvh::primitive_index::AccelRef;
use crate::hit::ObjectId;
use crate::math::affine_map::ROOM;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::queries::instance_ray::InstanceRay;
use crate::query::{Query, Triggers};
use crate::scene::any::Space;
use crate::scene::object::Object;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::object_tree::{ObjectTree, PlacedObject};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Tree of a scene without the objects that were removed or went to another tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeLevel<V: Space> {
    pub(crate) tree: Arc<ObjectTree<V>>,
    hidden: Arc<SlotBits>,
    hidden_count: usize,
}

impl<V: Space> TreeLevel<V> {
    pub(crate) fn new(objects: Vec<PlacedObject<V>>, accelerator: Accelerator) -> Self {
        Self::of_tree(ObjectTree::new(objects, accelerator))
    }

    pub(crate) fn of_tree(tree: ObjectTree<V>) -> Self {
        Self { tree: Arc::new(tree), hidden: Arc::default(), hidden_count: 0 }
    }

    /// Whether no object of the tree is hidden.
    pub(crate) fn is_whole(&self) -> bool {
        self.hidden_count == 0
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> usize {
        self.tree.len() - self.hidden_count
    }

    pub(crate) fn hide(&mut self, slot: u32) {
        Arc::make_mut(&mut self.hidden).insert(slot);
        self.hidden_count += 1;
    }

    /// The tree without the hidden objects, for edits. Copies it if a snapshot shares it.
    pub(crate) fn make_mut(&mut self) -> &mut ObjectTree<V> {
        // Hidden objects would come back in the copy: the copy removes them, and the hidden slots begin again with
        // none.
        let hidden = if self.hidden_count > 0 { self.take_hidden() } else { Vec::new() };
        let tree = Arc::make_mut(&mut self.tree);
        hidden.into_iter().for_each(|(_, slot)| tree.remove(slot));
        tree
    }

    /// Shows the hidden slots again, and returns them with their objects.
    pub(crate) fn take_hidden(&mut self) -> Vec<(ObjectId, u32)> {
        let hidden = core::mem::take(&mut self.hidden);
        self.hidden_count = 0;
        let slots = (0..).zip(&self.tree.placed).filter(|(slot, _)| hidden.contains(*slot));
        slots.map(|(slot, placed)| (placed.id, slot)).collect()
    }

    /// Objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &PlacedObject<V>> {
        let is_there =
            |(slot, placed): &(u32, &PlacedObject<V>)| placed.id != ObjectId::NONE && !self.hidden.contains(*slot);
        (0..).zip(&self.tree.placed).filter(is_there).map(|(_, placed)| placed)
    }

    /// Objects, without a copy if no snapshot shares the tree.
    pub(crate) fn into_objects(self) -> Vec<PlacedObject<V>> {
        let Self { tree, hidden, .. } = self;
        let is_there = |slot: u32, placed: &PlacedObject<V>| placed.id != ObjectId::NONE && !hidden.contains(slot);
        match Arc::try_unwrap(tree) {
            Ok(tree) => (0..).zip(tree.placed).filter(|(i, it)| is_there(*i, it)).map(|(_, it)| it).collect(),
            Err(tree) => (0..).zip(&tree.placed).filter(|(i, it)| is_there(*i, it)).map(|(_, it)| it.clone()).collect(),
        }
    }

    /// Shrinks the boxes of the BVH to the objects.
    pub(crate) fn refit(&mut self) {
        if self.tree.needs_refit() {
            Arc::make_mut(&mut self.tree).refit();
        }
    }

    /// What a query reads: the tree, without the objects that moved.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn view<'a>(&'a self, accept: Accept<'a, V>) -> View<'a, V> {
        // If all objects of the tree count, one comparison of layers can replace the look at each object. A hidden,
        // filtered or moved object forbids that: `layers` 0 makes each query look.
        let ObjectTree { index, placed, unbounded, layers, moved, .. } = &*self.tree;
        let is_plain = self.hidden_count == 0 && accept.accepts_all() && moved.is_empty();
        let layers = if is_plain { *layers & accept.layers } else { 0 };
        View {
            index: index.as_ref(),
            placed,
            unbounded,
            hidden: &self.hidden,
            moved: Some(&moved.bits),
            layers,
            accept,
        }
    }

    /// What a query reads besides: the objects that moved since the last refit, if there are any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn moved_view<'a>(&'a self, accept: Accept<'a, V>) -> Option<View<'a, V>> {
        let moved = &self.tree.moved;
        (!moved.is_empty()).then(|| {
            let index = AccelRef::Bvh(moved.query());
            View { index, unbounded: &[], moved: None, ..self.view(accept) }
        })
    }
}

/// The objects that a query sees: those on a layer of the mask that are not excluded and that the filter accepts. The layers and the
/// rule for triggers hold for members of groups, too.
pub(crate) struct Accept<'a, V: Space> {
    pub(crate) layers: u32,
    /// [`Triggers::Ignore`] leaves triggers out; otherwise the query says.
    pub(crate) triggers: Triggers,
    pub(crate) excluded: &'a [ObjectId],
    pub(crate) filter: Option<&'a (dyn ObjectFilter<V> + 'a)>,
}

impl<V: Space> Clone for Accept<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Space> Copy for Accept<'_, V> {}

impl<'a, V: Space> Accept<'a, V> {
    /// All but some objects, on every layer.
    #[inline(always)]
    pub(crate) fn excluding(excluded: &'a [ObjectId]) -> Self {
        Self { layers: u32::MAX, triggers: Triggers::Pass, excluded, filter: None }
    }

    /// Whether every member of a group counts.
    #[inline(always)]
    pub(crate) fn accepts_members(&self) -> bool {
        self.layers == u32::MAX && self.triggers != Triggers::Ignore
    }

    /// The query for the objects that it sees, and for the members of groups.
    #[inline(always)]
    pub(crate) fn query<S: Real>(&self, query: &Query<S>) -> Query<S> {
        let triggers = if self.triggers == Triggers::Ignore { Triggers::Ignore } else { query.trigger_mode() };
        query.layers(query.layer_mask() & self.layers).triggers(triggers)
    }

    /// Whether only layers and triggers decide.
    #[inline(always)]
    pub(crate) fn accepts_all(&self) -> bool {
        self.excluded.is_empty() && self.filter.is_none()
    }

    /// Whether neither the ids nor the filter refuse an object.
    pub(crate) fn accepts(self, id: ObjectId, object: &Object<V>) -> bool {
        !self.excluded.contains(&id) && self.filter.is_none_or(|filter| filter.accepts(id, object))
    }
}

/// TreeLevel as a query reads it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, V: Space> {
    pub(crate) index: AccelRef<'a>,
    pub(crate) placed: &'a [PlacedObject<V>],
    pub(crate) unbounded: &'a [u32],
    hidden: &'a SlotBits,
    /// Slots for which the index does not count, if there may be any.
    moved: Option<&'a SlotBits>,
    /// Layers common to all objects; none if some are hidden, filtered, moved or triggers, or have rules of their own.
    layers: u32,
    accept: Accept<'a, V>,
}

impl<'a, V: Space> View<'a, V> {
    /// Calls `part` with every slot that the ray may hit for `t` in `t_min..=limit`, and perhaps others. Not inlined: it
    /// is in a loop over levels, nearly always of one.
    #[inline(never)]
    pub(crate) fn visit(
        &self,
        line: &InstanceRay<'_, V>,
        t_min: f64,
        limit: &mut f64,
        part: &mut impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Unbounded objects are in no leaf: every ray tests them. They come first, since a hit lowers the limit for the
        // tree.
        self.unbounded.iter().try_for_each(|&slot| part(slot, limit))?;
        let fetch = |slot: u32| self.placed[slot as usize].object.instance.0.prefetch();
        self.index.visit(line.world, line.level, t_min, limit, fetch, part)
    }

    /// [`visit`](Self::visit) with every slot that a sphere of `radius` around the ray may touch.
    pub(crate) fn visit_swept(
        &self,
        line: &InstanceRay<'_, V>,
        (radius, t_min): (f64, f64),
        limit: &mut f64,
        part: &mut impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.unbounded.iter().try_for_each(|&slot| part(slot, limit))?;
        self.index.visit_swept::<V>(&line.world.raw, line.level, (radius, t_min), limit, part)
    }

    /// Calls `part` with every slot whose box is at most `limit` away from the point, and perhaps others. `part` may lower the
    /// limit.
    pub(crate) fn visit_by_distance(
        &self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: &mut f64,
        mut part: impl FnMut(u32, &mut f64),
    ) {
        // Unbounded objects come first: their distance may lower the limit for the tree.
        self.unbounded.iter().for_each(|&slot| part(slot, limit));
        // Boxes give squared distances in their own scale; the room covers the rounding of both, so that no object at
        // the limit is lost.
        let (test, scale) = BoxDistance::of_point(point, level, self.index.largest());
        let scaled_sq = |limit: f64| {
            let scaled = limit * scale * ROOM;
            scaled * scaled
        };
        let mut limit_sq = scaled_sq(*limit);
        // The callback lowers the limit as a distance, which becomes a squared one again for the nodes that follow.
        let _ = self.index.visit_by_distance(test, &mut limit_sq, |slot, limit_sq| {
            part(slot, limit);
            *limit_sq = scaled_sq(*limit);
            ControlFlow::Continue(())
        });
    }

    /// Whether the query sees all objects, on a layer common to all of them: that saves lookups.
    #[inline(always)]
    pub(crate) fn sees_all(&self, query: &Query<V::Scalar>) -> bool {
        self.layers & query.layer_mask() != 0
    }

    /// Calls `part` with the object in a slot and its query, if it is there and on a layer of the query.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn look(
        &self,
        slot: u32,
        query: &Query<V::Scalar>,
        part: impl FnOnce(&'a PlacedObject<V>, &Query<V::Scalar>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Most scenes have no hidden, moved or filtered objects: then neither rules nor layers of the object are read.
        let placed = &self.placed[slot as usize];
        if self.sees_all(query) {
            return part(placed, query);
        }
        // The index may still have an object at its old place, or one that this query must not see.
        if !self.finds(slot, query) {
            return ControlFlow::Continue(());
        }
        part(placed, placed.query_in(query, &mut None))
    }

    /// Whether the index counts for the object in a slot that it has found, and the query sees it.
    #[inline(never)]
    fn finds(&self, slot: u32, query: &Query<V::Scalar>) -> bool {
        !self.moved.is_some_and(|moved| moved.contains(slot)) && self.sees(slot, query)
    }

    /// Whether the query sees the object in a slot: it is neither hidden nor refused, and on a layer of the query and of the
    /// scene.
    pub(crate) fn sees(&self, slot: u32, query: &Query<V::Scalar>) -> bool {
        let placed = &self.placed[slot as usize];
        let query = &self.accept.query(query);
        placed.object.is_seen_by(query) && !self.hidden.contains(slot) && self.accept.accepts(placed.id, &placed.object)
    }
}
