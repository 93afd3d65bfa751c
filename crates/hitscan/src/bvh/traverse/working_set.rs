//! How much of a tree the lines of a stream come to: whether they wait for memory.
//!
//! # Source
//! Counting a sample of what is asked for, chosen by a hash: Waldspurger, Park, Garthwaite, Ahmad, *Efficient MRC Construction
//! with SHARDS*, USENIX FAST 2015.

use crate::bvh::node::{Leaf, NOTHING};

/// Slots for the leaves that were seen last: a kilobyte.
const SLOTS: usize = 256;

/// One of sixteen is counted.
const SAMPLE: u32 = 4;

/// What a thread may hope to find in the caches of its machine, in bytes.
const CACHES: f32 = (16 << 20) as f32;

/// The different leaves that a stream has come to, about. Nodes are fewer, and upper ones never far.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    last: [u32; SLOTS],
    leaves: u32,
    /// Those of the stream before, for each of its lines, that no cache will have had.
    waits: f32,
}

impl Footprint {
    pub(crate) fn new() -> Self {
        Self { last: [NOTHING; SLOTS], leaves: 0, waits: 0.0 }
    }

    pub(crate) fn begin(&mut self) {
        self.last.fill(NOTHING);
        self.leaves = 0;
    }

    /// Counts a leaf, if it was not seen just before.
    #[inline(always)]
    pub(crate) fn see(&mut self, leaf: Leaf) {
        let leaf = leaf.child();
        // Multiplied by the golden ratio, numbers next to each other are far apart.
        let hash = leaf.wrapping_mul(0x9E37_79B9);
        if hash >> (32 - SAMPLE) != 0 {
            return;
        }
        let last = &mut self.last[(hash >> 16) as usize % SLOTS];
        if *last != leaf {
            *last = leaf;
            self.leaves += 1;
        }
    }

    /// What is known of so many lines through a tree of so many bytes.
    pub(crate) fn end(&mut self, lines: usize, bytes: usize) {
        let leaves = (self.leaves << SAMPLE) as f32 / lines as f32;
        self.waits = leaves * (1.0 - CACHES / bytes as f32).max(0.0);
    }

    /// Whether lines like those of the stream before wait so long that they had better go by turns.
    ///
    /// Measured on seven meshes of 3 to 425 MB. Of lines that go alone those with up to 0.06 waits were 0.8 to 0.9 times as fast by
    /// turns, those with 0.3 or more 1.4 to 1.9; of lines on lists, which share what they come to, those with up to 1.05 waits were
    /// 0.5 to 1.1 times as fast, those with 2.5 or more 1.05 to 1.6.
    pub(crate) fn is_large(&self, together: bool) -> bool {
        self.waits > if together { 1.7 } else { 0.15 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that come to so many leaves each, of so many, at random.
    fn footprint(lines: usize, each: usize, of: usize, bytes: usize) -> Footprint {
        let (mut footprint, mut state) = (Footprint::new(), 1u64);
        footprint.begin();
        for _ in 0..lines * each {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            footprint.see(Leaf::new((state >> 33) as usize % of, 1));
        }
        footprint.end(lines, bytes);
        footprint
    }

    #[test]
    fn different_leaves_of_large_trees_are_counted() {
        let many = footprint(1024, 3, 1_000_000, 1 << 30);
        assert!((2.5..3.5).contains(&many.waits), "{}", many.waits);
        assert!(many.is_large(false) && many.is_large(true));
        // All in the caches; all of the same few; something in between.
        assert!(!footprint(1024, 3, 1_000_000, 16 << 20).is_large(false));
        assert!(!footprint(1024, 3, 100, 1 << 30).is_large(false));
        let some = footprint(1024, 1, 1_000_000, 1 << 30);
        assert!(some.is_large(false) && !some.is_large(true), "{}", some.waits);
    }
}
