//! Union-find with parities: equations modulo two between two unknowns.

use alloc::vec;
use alloc::vec::Vec;

/// Disjoint sets of numbers modulo two: of each number the difference to the root of its set (union-find: Tarjan, JACM
/// 22(2), 1975).
pub(crate) struct ParityForest {
    /// The number above, and whether it differs.
    above: Vec<(u32, bool)>,
    size: Vec<u32>,
}

impl ParityForest {
    pub(crate) fn new(count: usize) -> Self {
        Self { above: (0..count as u32).map(|number| (number, false)).collect(), size: vec![1; count] }
    }

    /// The root of a number, and whether both differ.
    pub(crate) fn root(&mut self, number: u32) -> (u32, bool) {
        let (mut at, mut differs) = (number, false);
        loop {
            let (above, odd) = self.above[at as usize];
            if above == at {
                return (at, differs);
            }
            // Each step also shortens the way: the number above becomes the one above that.
            let (next, odd_next) = self.above[above as usize];
            self.above[at as usize] = (next, odd ^ odd_next);
            differs ^= odd ^ odd_next;
            at = next;
        }
    }

    /// States that two numbers are different, or equal; whether that was new.
    pub(crate) fn join(&mut self, a: u32, b: u32, differ: bool) -> bool {
        let ((a, a_odd), (b, b_odd)) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        let (small, large) = if self.size[a as usize] < self.size[b as usize] { (a, b) } else { (b, a) };
        self.above[small as usize] = (large, a_odd ^ b_odd ^ differ);
        self.size[large as usize] += self.size[small as usize];
        true
    }
}
