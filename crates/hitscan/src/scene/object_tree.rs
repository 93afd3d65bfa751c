//! Objects under one accelerator, side by side in its order.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::build::prim_ref::numbered;
use crate::bvh::moving::UpwardPaths;
use crate::bvh::node::WIDTH;
use crate::bvh::options::{Accelerator, Quality, Statistics};
use crate::bvh::primitive_index::Accel;
use crate::hit::ObjectId;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object::Object;
use crate::simd::huge_pages::with_huge_pages;
use alloc::vec::Vec;
use core::ops::Range;

/// Maximum objects in a leaf; low, because testing an object takes longer than testing a node.
const MAX_LEAF_SIZE: usize = 2;

/// Object in its slot, aligned to a cache line: a small shape without a transform costs one cache miss.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Placed<V: Space> {
    pub(crate) object: Object<V>,
    pub(crate) id: ObjectId,
    /// Number of objects that the scene got before this one: of two equal hits, that of the lower order wins.
    pub(crate) order: u64,
    pub(crate) aabb: Aabb<V>,
}

impl<V: Space> Placed<V> {
    /// The query with the object's own rules.
    pub(crate) fn own_query(&self, query: &Query<V::Scalar>) -> Query<V::Scalar> {
        let query = self.object.faces.map_or(*query, |faces| query.faces(faces));
        self.object.inside.map_or(query, |inside| query.inside(inside))
    }

    /// Layers on which the object needs no look at its own layers and rules: none if it has rules.
    fn plain_layers(&self) -> u32 {
        if self.object.faces.is_none() && self.object.inside.is_none() { self.object.layers } else { 0 }
    }
}

/// Objects under one accelerator.
#[derive(Clone, Debug)]
pub(crate) struct ObjectTree<V: Space> {
    pub(crate) index: Accel,
    paths: UpwardPaths,
    /// Objects by slot.
    pub(crate) placed: Vec<Placed<V>>,
    /// Slots of the unbounded shapes, planes and half-spaces: every ray tests them.
    pub(crate) unbounded: Vec<u32>,
    /// Layers common to all objects; none if an object has rules of its own.
    pub(crate) layers: u32,
}

impl<V: Space> ObjectTree<V> {
    pub(crate) fn new(objects: Vec<Placed<V>>, accelerator: Accelerator) -> Self {
        let numbers = 0..u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let (bounded, unbounded): (Vec<u32>, Vec<u32>) = numbers.partition(|&i| objects[i as usize].aabb.is_bounded());
        let boxes: Vec<Aabb<V>> = bounded.iter().map(|&i| objects[i as usize].aabb).collect();
        let mut index = Accel::build::<V>(accelerator, numbered(&boxes), Quality::Default, [MAX_LEAF_SIZE, 1], None);
        let order = index.prim_ids().iter().map(|&i| bounded[i as usize]).chain(unbounded.iter().copied());
        let layers = objects.iter().fold(u32::MAX, |layers, placed| layers & placed.plain_layers());
        let mut placed = with_huge_pages(objects.len());
        let mut objects: Vec<_> = objects.into_iter().map(Some).collect();
        placed.extend(order.filter_map(|i| objects[i as usize].take()));
        let mut paths = UpwardPaths::default();
        if let Accel::Bvh(tree) = &mut index {
            // The objects lie in the order of the ids.
            tree.prim_ids = Vec::new();
            paths = UpwardPaths::new::<V>(tree, placed.len());
        }
        let unbounded = (bounded.len() as u32..placed.len() as u32).collect();
        Self { index, paths, placed, unbounded, layers }
    }

    /// Adds an object, if the tree is so small that this takes constant time. Gives back the object if not.
    pub(crate) fn push(&mut self, new: Placed<V>) -> Result<u32, Placed<V>> {
        let (slot, bounds) = (self.placed.len(), Bounds::around(&new.aabb));
        if !self.has_room() {
            return Err(new);
        }
        match &mut self.index {
            _ if !new.aabb.is_bounded() => {
                self.unbounded.push(slot as u32);
                self.paths.push_outside();
            }
            Accel::Bvh(tree) => {
                if !self.paths.push(tree, &bounds) {
                    return Err(new);
                }
            }
            Accel::LinearScan(all) => all.push(slot as u32),
        }
        self.layers &= new.plain_layers();
        self.placed.push(new);
        Ok(slot as u32)
    }

    /// Whether there are fewer objects than lanes in a node.
    pub(crate) fn has_room(&self) -> bool {
        self.placed.len() < WIDTH
    }

    /// Whether all objects fit into one node.
    pub(crate) fn is_small(&self) -> bool {
        self.placed.len() <= WIDTH
    }

    /// Gives the object in a slot a new box. Returns whether the tree bounds it now: only if the box stays near, or the
    /// distance does not matter.
    pub(crate) fn update_box(&mut self, slot: u32, aabb: Aabb<V>, distance: Distance) -> bool {
        let (placed, bounds) = (&mut self.placed[slot as usize], Bounds::around(&aabb));
        if aabb.is_bounded() != placed.aabb.is_bounded() {
            return false;
        }
        if let Accel::Bvh(tree) = &mut self.index
            && aabb.is_bounded()
            && aabb != placed.aabb
        {
            if distance == Distance::Near && !self.paths.is_local(tree, slot, &bounds) {
                return false;
            }
            self.paths.enlarge(tree, slot, &bounds);
        }
        placed.aabb = aabb;
        self.layers &= placed.plain_layers();
        true
    }

    /// Puts an object back in its slot, however far it has gone. Gives back the object if the slot is on the wrong side of
    /// bounded and unbounded ones.
    pub(crate) fn bring_back(&mut self, slot: u32, placed: Placed<V>) -> Result<(), Placed<V>> {
        let old = &mut self.placed[slot as usize];
        if placed.aabb.is_bounded() != old.aabb.is_bounded() {
            return Err(placed);
        }
        if let Accel::Bvh(tree) = &mut self.index
            && placed.aabb.is_bounded()
        {
            self.paths.enlarge(tree, slot, &Bounds::around(&placed.aabb));
        }
        self.layers &= placed.plain_layers();
        *old = placed;
        Ok(())
    }

    /// Whether a refit has something to do.
    pub(crate) fn needs_refit(&self) -> bool {
        self.paths.has_loose()
    }

    /// Shrinks the boxes of the BVH to the objects. Slots that `is_hidden` accepts have no box.
    pub(crate) fn refit(&mut self, is_hidden: impl Fn(u32) -> bool) {
        let placed = &self.placed;
        let around = |slots: Range<u32>| {
            let boxes = slots.filter(|slot| !is_hidden(*slot)).map(|slot| Bounds::around(&placed[slot as usize].aabb));
            boxes.fold(Bounds::EMPTY, |all, bounds| all.union(&bounds))
        };
        if let Accel::Bvh(tree) = &mut self.index {
            self.paths.refit(tree, around);
        }
    }

    /// SAH cost relative to that after the build.
    pub(crate) fn growth(&self) -> f64 {
        self.paths.growth()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let index = self.index.statistics();
        Statistics { bytes: index.bytes + self.paths.bytes() + size_of_val(&self.placed[..]), ..index }
    }
}

/// How far an object may move within its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    Near,
    Any,
}
