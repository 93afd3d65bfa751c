//! Traversal stack of nodes and leaves.

use alloc::vec::Vec;
use arrayvec::ArrayVec;

/// Inline capacity: enough for a BVH of millions of primitives.
const NEAR: usize = 64;

/// Upper bound of the children that one node pushes.
const MAX_PUSHED: usize = crate::bvh::node::WIDTH;

/// Traversal stack of keys, the nearest last: entry distance above, child below. Only deep trees allocate.
pub(crate) struct Stack {
    near: ArrayVec<u64, NEAR>,
    /// Entries spilled to the heap, below those of `near`.
    spilled: Vec<u64>,
}

impl Stack {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { near: ArrayVec::new(), spilled: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.near.clear();
        self.spilled.clear();
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u64> {
        self.near.pop().or_else(|| if self.spilled.is_empty() { None } else { self.spilled.pop() })
    }

    /// Starts the group of one node's children, with room for all of them.
    #[inline(always)]
    pub(crate) fn push_group(&mut self) -> ChildGroup<'_> {
        if self.near.len() > NEAR - MAX_PUSHED {
            self.spill();
        }
        ChildGroup { first: self.near.len(), near: &mut self.near }
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        self.spilled.extend(self.near.drain(..));
    }
}

/// Children of one node on the stack, in descending order of their keys.
pub(crate) struct ChildGroup<'a> {
    near: &'a mut ArrayVec<u64, NEAR>,
    first: usize,
}

impl ChildGroup<'_> {
    /// Pushes a key that is smaller than all others of the group.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: u64) {
        // `push_group` made room.
        let _ = self.near.try_push(key);
    }

    /// Inserts a key in order.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: u64) {
        self.push(key);
        sift_into_order(&mut self.near[self.first..]);
    }
}

/// Insertion step: moves the last key to its position in descending order.
#[inline(always)]
pub(crate) fn sift_into_order(keys: &mut [u64]) {
    let Some(mut at) = keys.len().checked_sub(1) else { return };
    let key = keys[at];
    while at > 0 && keys[at - 1] < key {
        keys[at] = keys[at - 1];
        at -= 1;
    }
    keys[at] = key;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first_however_deep() {
        let mut stack = Stack::new();
        for node in 0..50 {
            let mut group = stack.push_group();
            group.push(1000 - 20 * node);
            (1..=(node % 15)).for_each(|i| group.insert(1000 - 20 * node - (i * 7) % 15));
        }
        let mut last = 0;
        let mut count = 0;
        while let Some(key) = stack.pop() {
            assert!(key >= last, "{key} {last}");
            (last, count) = (key, count + 1);
        }
        assert_eq!(count, (0..50).map(|node| node % 15 + 1).sum::<u64>());
    }
}
