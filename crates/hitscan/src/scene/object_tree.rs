//! Objects under one accelerator, side by side in its order.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::build::prim_ref::numbered;
use crate::bvh::bvh::Bvh16;
use crate::bvh::moving::UpwardPaths;
use crate::bvh::node::Leaf;
use crate::bvh::options::{Accelerator, Quality, Statistics};
use crate::bvh::primitive_index::Accel;
use crate::hit::{Hit, ObjectId};
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object::Object;
use crate::simd::huge_pages::with_huge_pages;
use alloc::vec::Vec;
use core::ops::Range;

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
    pub(crate) aabb: Aabb<V>,
}

impl<V: Space> PlacedObject<V> {
    /// The query with the object's own rules.
    pub(crate) fn own_query(&self, query: &Query<V::Scalar>) -> Query<V::Scalar> {
        let query = self.object.faces.map_or(*query, |faces| query.faces(faces));
        self.object.inside.map_or(query, |inside| query.inside(inside))
    }

    /// The hit of the object's shape as a hit of the object.
    #[inline(always)]
    pub(crate) fn own_hit(&self, hit: Hit<V>) -> Hit<V> {
        Hit { object: Some(self.id), is_trigger: hit.is_trigger || self.object.is_trigger, ..hit }
    }

    /// Layers on which the object needs no look at its own layers and rules: none if it has rules.
    fn plain_layers(&self) -> u32 {
        let Object { faces, inside, is_trigger, layers, .. } = &self.object;
        if faces.is_none() && inside.is_none() && !is_trigger { *layers } else { 0 }
    }
}

/// Objects under one accelerator.
#[derive(Clone, Debug)]
pub(crate) struct ObjectTree<V: Space> {
    pub(crate) index: Accel,
    paths: UpwardPaths,
    /// Objects by slot.
    pub(crate) placed: Vec<PlacedObject<V>>,
    /// Slots without an object. They hold the object that was removed.
    free: Vec<u32>,
    /// Slots of the unbounded shapes, planes and half-spaces: every ray tests them.
    pub(crate) unbounded: Vec<u32>,
    /// Layers common to all objects; none if an object has rules of its own.
    pub(crate) layers: u32,
}

impl<V: Space> ObjectTree<V> {
    pub(crate) fn new(objects: Vec<PlacedObject<V>>, accelerator: Accelerator) -> Self {
        let numbers = 0..u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let bounded: Vec<u32> = numbers.filter(|&i| objects[i as usize].aabb.is_bounded()).collect();
        let boxes: Vec<Aabb<V>> = bounded.iter().map(|&i| objects[i as usize].aabb).collect();
        let index = Accel::build::<V>(accelerator, numbered(&boxes), Quality::Default, [MAX_LEAF_SIZE, 1], None);
        let bounded: Vec<u32> = index.prim_ids().iter().map(|&i| bounded[i as usize]).collect();
        Self::of_index(objects, &bounded, index)
    }

    /// Objects under an index whose ids, in its order, are the numbers of the bounded objects.
    pub(crate) fn of_index(objects: Vec<PlacedObject<V>>, bounded: &[u32], mut index: Accel) -> Self {
        let numbers = 0..u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let unbounded = numbers.filter(|&i| !objects[i as usize].aabb.is_bounded());
        let order: Vec<u32> = bounded.iter().copied().chain(unbounded).collect();
        let layers = objects.iter().fold(u32::MAX, |layers, placed| layers & placed.plain_layers());
        let mut placed = with_huge_pages(objects.len());
        let mut objects: Vec<_> = objects.into_iter().map(Some).collect();
        placed.extend(order.into_iter().filter_map(|i| objects[i as usize].take()));
        let paths = match &mut index {
            Accel::Bvh(tree) => {
                // The objects lie in the order of the ids.
                tree.prim_ids = Vec::new();
                UpwardPaths::new::<V>(tree, placed.len())
            }
            Accel::LinearScan(_) => UpwardPaths::new::<V>(&Bvh16::EMPTY, placed.len()),
        };
        let unbounded = (bounded.len() as u32..placed.len() as u32).collect();
        Self { index, paths, placed, free: Vec::new(), unbounded, layers }
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> usize {
        self.placed.len() - self.free.len()
    }

    /// Adds an object, and returns its slot.
    pub(crate) fn insert(&mut self, new: PlacedObject<V>) -> u32 {
        let (layers, aabb) = (new.plain_layers(), new.aabb);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.placed[slot as usize] = new;
                slot
            }
            None => {
                self.placed.push(new);
                self.paths.push_slot();
                self.placed.len() as u32 - 1
            }
        };
        self.layers &= layers;
        match &mut self.index {
            _ if !aabb.is_bounded() => self.unbounded.push(slot),
            Accel::Bvh(tree) => self.paths.insert(tree, slot, &Bounds::around(&aabb)),
            Accel::LinearScan(all) => all.push(slot),
        }
        self.limit_depth();
        slot
    }

    /// Replaces the object in a slot by what has become of it.
    pub(crate) fn replace(&mut self, slot: u32, new: PlacedObject<V>) {
        let (old, aabb) = (&mut self.placed[slot as usize], new.aabb);
        *old = PlacedObject { aabb: old.aabb, ..new };
        self.update(slot, aabb);
    }

    /// Removes the object in a slot.
    pub(crate) fn remove(&mut self, slot: u32) {
        let placed = &mut self.placed[slot as usize];
        placed.id = ObjectId::NONE;
        let is_bounded = placed.aabb.is_bounded();
        self.free.push(slot);
        match &mut self.index {
            _ if !is_bounded => self.unbounded.retain(|other| *other != slot),
            Accel::Bvh(tree) => self.paths.remove(tree, slot),
            Accel::LinearScan(all) => all.remove(slot),
        }
    }

    /// Updates the tree for the object in a slot, which has changed and has this box now.
    pub(crate) fn update(&mut self, slot: u32, aabb: Aabb<V>) {
        let placed = &mut self.placed[slot as usize];
        let old = core::mem::replace(&mut placed.aabb, aabb);
        self.layers &= placed.plain_layers();
        if aabb == old {
            return;
        }
        match (&mut self.index, old.is_bounded(), aabb.is_bounded()) {
            (Accel::Bvh(tree), true, true) => self.paths.update(tree, slot, &Bounds::around(&aabb)),
            (Accel::Bvh(tree), true, false) => {
                self.paths.remove(tree, slot);
                self.unbounded.push(slot);
            }
            (Accel::LinearScan(all), true, false) => {
                all.remove(slot);
                self.unbounded.push(slot);
            }
            (index, false, true) => {
                self.unbounded.retain(|other| *other != slot);
                match index {
                    Accel::Bvh(tree) => self.paths.insert(tree, slot, &Bounds::around(&aabb)),
                    Accel::LinearScan(all) => all.push(slot),
                }
            }
            _ => {}
        }
        self.limit_depth();
    }

    /// Builds a new BVH for the objects in their slots, if insertions have made it too deep.
    fn limit_depth(&mut self) {
        let Accel::Bvh(tree) = &mut self.index else { return };
        if !self.paths.is_too_deep() {
            return;
        }
        let is_there = |placed: &PlacedObject<V>| placed.id != ObjectId::NONE && placed.aabb.is_bounded();
        let (slots, boxes): (Vec<u32>, Vec<Aabb<V>>) =
            (0..).zip(&self.placed).filter(|(_, it)| is_there(it)).map(|(slot, it)| (slot, it.aabb)).unzip();
        *tree = Bvh16::build::<V>(numbered(&boxes), Quality::Default, [1, 1], None);
        let prim_ids = core::mem::take(&mut tree.prim_ids);
        for child in tree.nodes.iter_mut().flat_map(|node| &mut node.child) {
            if let Some(leaf) = Leaf::of(*child) {
                *child = Leaf::new(slots[prim_ids[leaf.first()] as usize] as usize, 1).child();
            }
        }
        self.paths = UpwardPaths::new::<V>(tree, self.placed.len());
    }

    /// Whether edits have made the tree so much worse that a new one pays.
    pub(crate) fn is_outgrown(&self) -> bool {
        matches!(self.index, Accel::Bvh(_)) && self.paths.is_outgrown()
    }

    /// Whether a refit has something to do.
    pub(crate) fn needs_refit(&self) -> bool {
        self.paths.has_loose()
    }

    /// Shrinks the boxes of the BVH to the objects.
    pub(crate) fn refit(&mut self) {
        let placed = &self.placed;
        let around = |slots: Range<u32>| {
            let boxes = slots.map(|slot| Bounds::around(&placed[slot as usize].aabb));
            boxes.fold(Bounds::EMPTY, |all, bounds| all.union(&bounds))
        };
        if let Accel::Bvh(tree) = &mut self.index {
            self.paths.refit(tree, &around);
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let index = self.index.statistics();
        let depth = self.index.tree().map_or(0, |tree| UpwardPaths::depth(tree, tree.root()));
        Statistics { depth, bytes: index.bytes + self.paths.bytes() + size_of_val(&self.placed[..]), ..index }
    }
}
