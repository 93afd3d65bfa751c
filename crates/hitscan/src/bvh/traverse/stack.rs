//! What is still to be visited on the way through a tree.

use alloc::vec::Vec;
use arrayvec::ArrayVec;

/// Enough for a tree of millions of parts.
const NEAR: usize = 64;

/// What one node may add.
const MORE: usize = crate::bvh::node::WIDTH;

/// Keys, the nearest last: where it is entered, and below it which. Memory is only asked for by deep trees.
pub(crate) struct Stack {
    near: ArrayVec<u64, NEAR>,
    /// What lies below.
    rest: Vec<u64>,
}

impl Stack {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { near: ArrayVec::new(), rest: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.near.clear();
        self.rest.clear();
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u64> {
        self.near.pop().or_else(|| if self.rest.is_empty() { None } else { self.rest.pop() })
    }

    /// Room for the children of one node, on top of all.
    #[inline(always)]
    pub(crate) fn pile(&mut self) -> Pile<'_> {
        if self.near.len() > NEAR - MORE {
            self.put_away();
        }
        Pile { first: self.near.len(), near: &mut self.near }
    }

    #[cold]
    #[inline(never)]
    fn put_away(&mut self) {
        self.rest.extend(self.near.drain(..));
    }
}

/// The children of one node on a stack.
pub(crate) struct Pile<'a> {
    near: &'a mut ArrayVec<u64, NEAR>,
    first: usize,
}

impl Pile<'_> {
    /// The nearest one so far.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: u64) {
        // There is room.
        let _ = self.near.try_push(key);
    }

    /// Where it belongs among those that were pushed.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: u64) {
        self.push(key);
        put_in_order(&mut self.near[self.first..]);
    }
}

/// Brings the last key to its place among those before it, the largest of which comes first.
#[inline(always)]
pub(crate) fn put_in_order(keys: &mut [u64]) {
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
            let mut pile = stack.pile();
            pile.push(1000 - 20 * node);
            (1..=(node % 15)).for_each(|i| pile.insert(1000 - 20 * node - (i * 7) % 15));
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
