//! BVH over the primitives that moved since the last refit.
//!
//! # Method
//! An edit writes the new box here, and leaves the main BVH as it is: a query visits both, and in the main one skips the
//! slots of this one. The boxes come in the order of the edits, sixteen to a node: an edit touches two nodes that are in
//! cache, where the main BVH has those of an object anywhere in memory. So the cost of an edit is a constant, and that of a
//! query grows with the primitives that moved, until a refit takes them over in one pass.

use crate::bvh::bounds::{Bounds, larger, smaller};
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, Node16, WIDTH};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

/// BVH of moved primitives, in the order of their moves.
#[derive(Clone, Debug)]
pub(crate) struct MovedBvh {
    /// The BVH. Its root is node 0; all nodes but the last of each height are full.
    pub(crate) tree: Bvh16,
    /// The slots in it.
    pub(crate) bits: SlotBits,
    /// Slots in the order of their moves; also those that have left since.
    slots: Vec<u32>,
    /// For each slot in the BVH sixteen times its node, plus its lane.
    lane: Vec<u32>,
    /// For each node its lane in its parent; `INVALID` for the root.
    parent: Vec<u32>,
    /// The last node of each height, from the nodes of leaves to the root.
    last: Vec<u32>,
    /// Whether a query has visited it since it was empty.
    queried: Flag,
}

impl MovedBvh {
    /// BVH of no slots.
    pub(crate) fn new() -> Self {
        Self {
            tree: Bvh16::EMPTY,
            bits: SlotBits::default(),
            slots: Vec::new(),
            lane: Vec::new(),
            parent: Vec::new(),
            last: Vec::new(),
            queried: Flag(AtomicBool::new(false)),
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The slots in the BVH; one may come twice.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().copied().filter(|slot| self.bits.contains(*slot))
    }

    /// The BVH, for a query.
    pub(crate) fn query(&self) -> &Bvh16 {
        // A write of the same value by every query would take the cache line from other threads.
        if !self.queried.0.load(Ordering::Relaxed) {
            self.queried.0.store(true, Ordering::Relaxed);
        }
        &self.tree
    }

    /// Whether a query has visited the BVH since it was empty.
    pub(crate) fn was_queried(&mut self) -> bool {
        *self.queried.0.get_mut()
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.slots.len() + self.lane.len() + self.parent.len();
        self.tree.bytes() + size_of_val(&self.bits.0[..]) + numbers * size_of::<u32>()
    }

    /// Sets the box of a slot.
    #[inline]
    pub(crate) fn put(&mut self, slot: u32, bounds: &Bounds) {
        // A slot that moved before keeps its lane.
        let lane = if self.bits.contains(slot) { self.lane[slot as usize] } else { self.append(slot) };
        let tree = &mut self.tree;
        // The box in its lane, with the slot as a leaf of one.
        tree.largest = tree.largest.max(bounds.largest());
        tree.nodes[lane as usize / WIDTH].set(lane as usize % WIDTH, bounds, Leaf::new(slot as usize, 1).child());
        // The boxes above grow where they must. An edit that stays within them ends here at once.
        let mut up = self.parent[lane as usize / WIDTH];
        while up != INVALID && enlarge(&mut tree.nodes[up as usize / WIDTH], up as usize % WIDTH, bounds) {
            up = self.parent[up as usize / WIDTH];
        }
    }

    /// Removes a slot, if it is in the BVH.
    pub(crate) fn remove(&mut self, slot: u32) {
        if self.bits.contains(slot) {
            self.bits.remove(slot);
            let lane = self.lane[slot as usize] as usize;
            self.tree.nodes[lane / WIDTH].set(lane % WIDTH, &Bounds::EMPTY, INVALID);
        }
    }

    /// Removes all slots, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        for &slot in &self.slots {
            self.bits.remove(slot);
        }
        self.tree.nodes.clear();
        self.tree.largest = 0.0;
        self.slots.clear();
        self.parent.clear();
        self.last.clear();
        *self.queried.0.get_mut() = false;
    }

    /// Makes a lane for a new slot.
    fn append(&mut self, slot: u32) -> u32 {
        let used = self.slots.len() % WIDTH;
        let lane = if used == 0 { self.vacant_lane(0) } else { self.last[0] * WIDTH as u32 + used as u32 };
        self.slots.push(slot);
        self.bits.insert(slot);
        if self.lane.len() <= slot as usize {
            self.lane.resize(slot as usize + 1, INVALID);
        }
        self.lane[slot as usize] = lane;
        lane
    }

    /// A vacant lane at a height, in a new node unless the last one has some.
    fn vacant_lane(&mut self, height: usize) -> u32 {
        let Some(&last) = self.last.get(height) else {
            // The first node is a root of leaves.
            let root = self.push_node(Node16::EMPTY, INVALID);
            self.last.push(root);
            return root * WIDTH as u32;
        };
        let nodes = &mut self.tree.nodes;
        // Above the leaves, the last node may have vacant lanes.
        if height > 0
            && let Some(lane) = nodes[last as usize].child.iter().position(|child| *child == INVALID)
        {
            return last * WIDTH as u32 + lane as u32;
        }
        // A full root moves down, so that node 0 stays the root.
        if last == 0 {
            self.lower_root(height);
        }
        // A new node at this height, below a vacant lane of the height above.
        let up = self.vacant_lane(height + 1);
        let new = self.push_node(Node16::EMPTY, up);
        self.tree.nodes[up as usize / WIDTH].child[up as usize % WIDTH] = new;
        self.last[height] = new;
        new * WIDTH as u32
    }

    /// Moves a full root down into a new node, the first child of the root.
    fn lower_root(&mut self, height: usize) {
        let full = core::mem::replace(&mut self.tree.nodes[0], Node16::EMPTY);
        let (around, children) = (full.around(), full.child);
        let new = self.push_node(full, 0);
        for (lane, child) in (new * WIDTH as u32..).zip(children) {
            match Leaf::of(child) {
                Some(leaf) => self.lane[leaf.first()] = lane,
                None if child != INVALID => self.parent[child as usize] = lane,
                None => {}
            }
        }
        self.tree.nodes[0].set(0, &around, new);
        self.last[height] = new;
        self.last.push(0);
    }

    fn push_node(&mut self, node: Node16, parent: u32) -> u32 {
        self.parent.push(parent);
        self.tree.nodes.push(node);
        self.parent.len() as u32 - 1
    }
}

/// Enlarges a lane so that it contains `bounds`. Returns whether it did not before.
#[cfg_attr(not(debug_assertions), inline(always))]
fn enlarge(node: &mut Node16, lane: usize, bounds: &Bounds) -> bool {
    let mut grows = false;
    for axis in 0..3 {
        let (low, high) = (node.planes[axis][lane], node.planes[axis + 3][lane]);
        grows |= bounds.low[axis] < low || bounds.high[axis] > high;
        node.planes[axis][lane] = smaller(low, bounds.low[axis]);
        node.planes[axis + 3][lane] = larger(high, bounds.high[axis]);
    }
    grows
}

/// Flag that queries set.
#[derive(Debug)]
struct Flag(AtomicBool);

impl Clone for Flag {
    fn clone(&self) -> Self {
        Self(AtomicBool::new(self.0.load(Ordering::Relaxed)))
    }
}

/// Set of slots, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotBits(Vec<u64>);

impl SlotBits {
    #[inline(always)]
    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }

    pub(crate) fn insert(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }
}
