//! Objects under one accelerator, side by side in its order.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::bvh::Bvh16;
use crate::bvh::moved::MovedBvh;
use crate::bvh::moving::UpwardPaths;
use crate::bvh::node::Leaf;
use crate::bvh::options::{Accelerator, Quality, Statistics};
use crate::bvh::primitive_index::Accel;
use crate::hit::{Hit, ObjectId};
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object::Object;
use crate::simd::huge_pages::with_huge_pages;
use alloc::vec::Vec;

/// Maximum objects in a leaf; low, because testing an object takes longer than testing a node.
pub(crate) const MAX_LEAF_SIZE: usize = 2;

/// Object in its slot, aligned to a cache line: a small shape without a transform costs one cache miss.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct PlacedObject<V: Space> {
    pub(crate) object: Object<V>,
    pub(crate) id: ObjectId,
    /// Number of objects that the scene got before this one: of two equal hits, that of the lower order wins.
    pub(crate) order: u64,
}

/// Maximum moved objects in a BVH of their own, unless many objects move ([`ObjectTree::max_moved`]): a ray tests the boxes
/// of all, sixteen at a time.
const MAX_MOVED: usize = 256;

/// Many objects move in a frame if the moves are more than this share of the objects.
const MANY_SHARE: usize = 8;

impl<V: Space> PlacedObject<V> {
    /// Bounds in `f32`; `None` for an unbounded object.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        bounds_of(&self.object.instance.0.aabb())
    }

    /// Whether a ray certainly has the same results at two objects: they are one set of points with the same rules.
    pub(crate) fn has_results_of(&self, other: &Self) -> bool {
        let (a, b) = (&self.object, &other.object);
        (a.faces, a.inside) == (b.faces, b.inside) && a.instance.0.is_same(&b.instance.0)
    }

    /// The query with the object's own rules.
    pub(crate) fn own_query(&self, query: &Query<V::Scalar>) -> Query<V::Scalar> {
        self.object.own_query(query)
    }

    /// The query with the object's own rules: `own`, if the object has any, or else the query itself, which need not be copied.
    #[inline(always)]
    pub(crate) fn query_in<'q>(
        &self,
        query: &'q Query<V::Scalar>,
        own: &'q mut Option<Query<V::Scalar>>,
    ) -> &'q Query<V::Scalar> {
        if self.object.has_rules() { own.insert(self.own_query(query)) } else { query }
    }

    /// The hit of the object's shape as a hit of the object.
    #[inline(always)]
    pub(crate) fn own_hit(&self, mut hit: Hit<V>) -> Hit<V> {
        self.mark(&mut hit);
        hit
    }

    /// Makes the hit of the object's shape a hit of the object.
    #[inline(always)]
    pub(crate) fn mark(&self, hit: &mut Hit<V>) {
        hit.object = Some(self.id);
        hit.is_trigger |= self.object.is_trigger;
    }

    /// Layers on which the object needs no look at its own layers and rules: none if it has rules.
    fn plain_layers(&self) -> u32 {
        if self.object.has_rules() || self.object.is_trigger { 0 } else { self.object.layers }
    }
}

/// Objects under one accelerator.
#[derive(Clone, Debug)]
pub(crate) struct ObjectTree<V: Space> {
    pub(crate) index: Accel,
    paths: UpwardPaths,
    /// Objects that moved since the last refit: the index has them at their old places.
    pub(crate) moved: MovedBvh,
    /// Moves since the last refit by [`refit`](Self::refit), and before it.
    moves: [usize; 2],
    /// Objects by slot.
    pub(crate) placed: Vec<PlacedObject<V>>,
    /// Their bounds; those of an unbounded object mean nothing.
    pub(crate) boxes: Vec<Bounds>,
    /// Slots without an object. They hold the object that was removed.
    free: Vec<u32>,
    /// Slots of the unbounded shapes, planes and half-spaces: every ray tests them.
    pub(crate) unbounded: Vec<u32>,
    /// Layers common to all objects; none if an object has rules of its own.
    pub(crate) layers: u32,
}

impl<V: Space> ObjectTree<V> {
    pub(crate) fn new(objects: Vec<PlacedObject<V>>, accelerator: Accelerator) -> Self {
        // Unbounded objects (planes, half-spaces) have no box and stay outside the tree. The others get numbers without
        // gaps.
        let boxes: Vec<Option<Bounds>> = objects.iter().map(PlacedObject::bounds).collect();
        let mut bounded = Vec::with_capacity(objects.len());
        let mut prim_refs = Vec::with_capacity(objects.len());
        for (number, bounds) in (0..).zip(&boxes) {
            if let Some(bounds) = bounds {
                prim_refs.push(PrimRef::new(*bounds, bounded.len() as u32));
                bounded.push(number);
            }
        }
        // The leaves are small, since testing an object costs more than testing a box of a node.
        let index = Accel::build::<V>(accelerator, prim_refs, Quality::Default, [MAX_LEAF_SIZE, 1], None);
        // The order of the leaves, as numbers of the objects given.
        let bounded: Vec<u32> = index.prim_ids().iter().map(|&i| bounded[i as usize]).collect();
        Self::of_index((objects, &boxes), &bounded, index)
    }

    /// Objects with their bounds under an index whose ids, in its order, are the numbers of the bounded objects.
    pub(crate) fn of_index(
        (objects, bounds): (Vec<PlacedObject<V>>, &[Option<Bounds>]),
        bounded: &[u32],
        mut index: Accel,
    ) -> Self {
        // Slots follow the leaves, so that a leaf reads neighbours in memory; unbounded objects come last.
        let unbounded = (0..).zip(bounds).filter(|(_, bounds)| bounds.is_none()).map(|(number, _)| number);
        let order: Vec<u32> = bounded.iter().copied().chain(unbounded).collect();
        let mut boxes = with_huge_pages(objects.len());
        boxes.extend(order.iter().map(|&i| bounds[i as usize].unwrap_or(Bounds::EMPTY)));
        // The layers that all objects share let a query skip the look at each object.
        let layers = objects.iter().fold(u32::MAX, |layers, placed| layers & placed.plain_layers());
        // The objects move to their slots one by one, without a copy.
        let mut placed = with_huge_pages(objects.len());
        let mut objects: Vec<_> = objects.into_iter().map(Some).collect();
        placed.extend(order.into_iter().filter_map(|i| objects[i as usize].take()));
        // Edits need the way from a slot up to the root. A linear scan has no nodes, and keeps only the slots.
        let paths = match &mut index {
            Accel::Bvh(tree) => {
                // The objects lie in the order of the ids.
                tree.prim_ids = Vec::new();
                UpwardPaths::new::<V>(tree, placed.len())
            }
            Accel::LinearScan(_) => UpwardPaths::new::<V>(&Bvh16::EMPTY, placed.len()),
        };
        // The slots behind those of the bounded objects.
        let unbounded = (bounded.len() as u32..placed.len() as u32).collect();
        let (moved, free) = (MovedBvh::new(), Vec::new());
        Self { index, paths, moved, moves: [0; 2], placed, boxes, free, unbounded, layers }
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> usize {
        self.placed.len() - self.free.len()
    }

    /// Adds an object with these bounds, and returns its slot.
    pub(crate) fn insert(&mut self, new: PlacedObject<V>, bounds: Option<Bounds>) -> u32 {
        // The common layers only shrink: a rebuild computes them anew.
        self.layers &= new.plain_layers();
        let own = bounds.unwrap_or(Bounds::EMPTY);
        // A slot that a removed object has left is used again, so that the arrays stay as short as the scene is large.
        let slot = match self.free.pop() {
            Some(slot) => {
                self.placed[slot as usize] = new;
                self.boxes[slot as usize] = own;
                slot
            }
            None => {
                self.placed.push(new);
                self.boxes.push(own);
                self.paths.push_slot();
                self.placed.len() as u32 - 1
            }
        };
        // The tree gets the slot where its box costs least, or the list of unbounded objects gets it.
        self.attach(slot, bounds);
        slot
    }

    /// Replaces the object in a slot by what has become of it.
    pub(crate) fn replace(&mut self, slot: u32, new: PlacedObject<V>, bounds: Option<Bounds>) {
        self.layers &= new.plain_layers();
        self.placed[slot as usize] = new;
        self.update(slot, bounds);
    }

    /// Removes the object in a slot.
    pub(crate) fn remove(&mut self, slot: u32) {
        self.placed[slot as usize].id = ObjectId::NONE;
        self.free.push(slot);
        self.detach(slot);
    }

    /// Bounds of the object in a slot; `None` for an unbounded object.
    pub(crate) fn bounds(&self, slot: u32) -> Option<Bounds> {
        let bounds = self.boxes[slot as usize];
        // Bounds of a bounded object may be infinite, too, but few are.
        let is_bounded = bounds.low[0].is_finite() || !self.unbounded.contains(&slot);
        is_bounded.then_some(bounds)
    }

    /// Updates the tree for the object in a slot, which has moved and has these bounds now.
    #[inline]
    pub(crate) fn update(&mut self, slot: u32, bounds: Option<Bounds>) {
        // Edits of rotation-symmetric shapes and repeated edits often leave the box as it is: then the tree has nothing
        // to do.
        let old = self.bounds(slot);
        if bounds == old {
            return;
        }
        // A bounded object that stays bounded keeps its place in the tree until a refit; its new box goes to the BVH of
        // moved objects.
        if let (Some(_), Some(bounds), Accel::Bvh(_)) = (old, bounds, &self.index) {
            self.boxes[slot as usize] = bounds;
            self.moved.put(slot, &bounds);
            self.moves[0] += 1;
            // Each ray tests the boxes of all moved objects: with too many of them, a refit is cheaper.
            if self.moved.len() > self.max_moved() {
                self.take_over_moved();
            }
            return;
        }
        // An object that becomes bounded or unbounded changes between the tree and the list.
        self.detach(slot);
        self.boxes[slot as usize] = bounds.unwrap_or(Bounds::EMPTY);
        self.attach(slot, bounds);
    }

    /// Maximum moved objects in a BVH of their own. There is none in a frame like the last one, if that moved an eighth of
    /// all objects: one refit for all costs each of them least. But a ray before the refit costs more then, and if there
    /// has been one, there may be many.
    fn max_moved(&mut self) -> usize {
        let is_frame_of_moves = self.moves[1] * MANY_SHARE > self.placed.len() && !self.moved.was_queried();
        if is_frame_of_moves { usize::MAX } else { MAX_MOVED }
    }

    /// Layers and rules of the object in a slot have changed.
    pub(crate) fn update_rules(&mut self, slot: u32) {
        self.layers &= self.placed[slot as usize].plain_layers();
    }

    /// Adds a slot to the index, or to the unbounded ones.
    fn attach(&mut self, slot: u32, bounds: Option<Bounds>) {
        match (&mut self.index, bounds) {
            (_, None) => self.unbounded.push(slot),
            (Accel::Bvh(tree), Some(bounds)) => self.paths.insert(tree, slot, &bounds),
            (Accel::LinearScan(all), Some(_)) => all.push(slot),
        }
        self.limit_depth();
    }

    /// Removes a slot from the index, or from the unbounded ones.
    fn detach(&mut self, slot: u32) {
        let is_unbounded = self.bounds(slot).is_none();
        match &mut self.index {
            _ if is_unbounded => self.unbounded.retain(|other| *other != slot),
            Accel::Bvh(tree) => {
                self.moved.remove(slot);
                self.paths.remove(tree, slot, &self.boxes);
            }
            Accel::LinearScan(all) => all.remove(slot),
        }
    }

    /// Builds a new BVH for the objects in their slots, if insertions have made it too deep.
    fn limit_depth(&mut self) {
        let Accel::Bvh(tree) = &mut self.index else { return };
        if !self.paths.is_too_deep() {
            return;
        }
        // The objects of the tree: neither removed ones, whose slots are free, nor unbounded ones.
        let is_there = |slot: &u32| self.placed[*slot as usize].id != ObjectId::NONE && !self.unbounded.contains(slot);
        let slots: Vec<u32> = (0..self.placed.len() as u32).filter(is_there).collect();
        // The build numbers its primitives without gaps, so each number stands for a slot.
        let prim_refs = (0..).zip(&slots).map(|(part, &slot)| PrimRef::new(self.boxes[slot as usize], part)).collect();
        *tree = Bvh16::build::<V>(prim_refs, Quality::Default, [1, 1], None);
        // Objects stay in their slots, so leaves name slots, not positions in the order of the build: one object a
        // leaf.
        let prim_ids = core::mem::take(&mut tree.prim_ids);
        for child in tree.nodes.iter_mut().flat_map(|node| &mut node.child) {
            if let Some(leaf) = Leaf::of(*child) {
                *child = Leaf::new(slots[prim_ids[leaf.first()] as usize] as usize, 1).child();
            }
        }
        // The tree is new, and has the boxes of all objects as they are: none counts as moved.
        self.paths = UpwardPaths::new::<V>(tree, self.placed.len());
        self.moved.clear();
    }

    /// Refits the BVH to the objects that moved.
    fn take_over_moved(&mut self) {
        if let Accel::Bvh(tree) = &mut self.index {
            self.paths.refit(tree, &self.boxes, &self.moved);
            self.moved.clear();
            self.limit_depth();
        }
    }

    /// Whether edits have made the tree so much worse that a new one pays.
    pub(crate) fn is_outgrown(&self) -> bool {
        matches!(self.index, Accel::Bvh(_)) && self.paths.is_outgrown()
    }

    /// Whether a refit has something to do.
    pub(crate) fn needs_refit(&self) -> bool {
        self.paths.has_loose() || !self.moved.is_empty()
    }

    /// Refits the BVH to the objects.
    pub(crate) fn refit(&mut self) {
        self.take_over_moved();
        self.moves = [0, self.moves[0]];
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let index = self.index.statistics();
        let depth = self.index.tree().map_or(0, |tree| UpwardPaths::depth(tree, tree.root()));
        let transforms: usize = self.placed.iter().map(|placed| placed.object.instance.0.placement_bytes()).sum();
        let objects = size_of_val(&self.placed[..]) + transforms + size_of_val(&self.boxes[..]);
        Statistics { depth, bytes: index.bytes + self.paths.bytes() + self.moved.bytes() + objects, ..index }
    }
}

/// Bounds of a box in `f32`; `None` for an unbounded box.
pub(crate) fn bounds_of<V: Vector>(aabb: &Aabb<V>) -> Option<Bounds> {
    aabb.is_bounded().then(|| Bounds::around(aabb))
}
