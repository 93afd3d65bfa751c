//! From the binary tree to one of sixteen children a node, at the least cost.

use crate::bvh::build::sah::{Branch, Plan};
use crate::bvh::build::settings::Recipe;
use crate::bvh::node::{Leaf, Node, WIDTH};
use crate::parallel::both;
use alloc::vec;
use alloc::vec::Vec;
use smallvec::SmallVec;

/// What the tree is made of.
#[derive(Default)]
pub(crate) struct WideNodes {
    pub(crate) nodes: Vec<Node>,
    /// Leaf by leaf.
    pub(crate) parts: Vec<u32>,
    pub(crate) depth: usize,
}

/// More branches than this are worth a second thread.
const WORTH_A_THREAD: usize = 4096;

/// A full leaf takes about as long as a node.
const LEAF_COST: f64 = 1.2;

/// # Method
/// For every binary node and every number of roots up to sixteen, the least cost of a forest of wide nodes and leaves that
/// holds what is below it; a root is a leaf, or a node whose children are a forest of sixteen.
///
/// # Source
/// Ylitie, Karras, Laine, *Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs*, High Performance
/// Graphics, 2017, section 3.1.
pub(crate) fn collapse(plan: &Plan, recipe: &Recipe) -> WideNodes {
    let mut choices = vec![[0; WIDTH + 1]; plan.branches.len()];
    if plan.branches.is_empty() {
        return WideNodes::default();
    }
    cost(&plan.branches, recipe, &mut choices);
    let mut fold = Fold { plan, choices, wide: WideNodes::default() };
    fold.node(0, 1);
    fold.wide
}

struct Fold<'a> {
    plan: &'a Plan,
    /// For each number of roots how many of them the first child gets; 0: one root less is as good. For one root:
    /// `IS_LEAF` or 0.
    choices: Vec<[u8; WIDTH + 1]>,
    wide: WideNodes,
}

const IS_LEAF: u8 = 1;

/// What is below a branch.
struct Below {
    /// The least one for each number of roots.
    costs: [f64; WIDTH + 1],
    references: usize,
    leaves: usize,
}

/// What the least costs are below a branch, of all that begin with it, and the choices that lead to them.
fn cost(branches: &[Branch], recipe: &Recipe, choices: &mut [[u8; WIDTH + 1]]) -> Below {
    let Branch { bounds, first, count } = &branches[0];
    let area = recipe.area(bounds);
    let as_leaf = |n: usize| area * LEAF_COST * f64::from(recipe.cost(n));
    let (own, below) = choices.split_at_mut(1);
    let own = &mut own[0];
    if *count > 0 {
        own[1] = IS_LEAF;
        let references = *count as usize;
        return Below { costs: [as_leaf(references); WIDTH + 1], references, leaves: 1 };
    }
    let second = *first as usize;
    let worth_it = below.len() > WORTH_A_THREAD;
    let (one, two) = below.split_at_mut(second - 1);
    let (a, b) = both(worth_it, || cost(&branches[1..], recipe, one), || cost(&branches[second..], recipe, two));
    let (references, leaves) = (a.references + b.references, a.leaves + b.leaves);
    let mut costs = [f64::INFINITY; WIDTH + 1];
    // More roots than leaves are of no use.
    for roots in 2..=leaves.min(WIDTH) {
        for to_first in roots.saturating_sub(b.leaves).max(1)..=a.leaves.min(roots - 1) {
            let cost = a.costs[to_first] + b.costs[roots - to_first];
            if cost < costs[roots] {
                (costs[roots], own[roots]) = (cost, to_first as u8);
            }
        }
        // Costs that are not numbers decide nothing.
        own[roots] = own[roots].max(1);
    }
    costs[1] = area + costs[2..].iter().copied().fold(f64::INFINITY, f64::min);
    if references <= recipe.most && as_leaf(references) <= costs[1] {
        (costs[1], own[1]) = (as_leaf(references), IS_LEAF);
    }
    for roots in 2..=WIDTH {
        if costs[roots - 1] <= costs[roots] {
            (costs[roots], own[roots]) = (costs[roots - 1], 0);
        }
    }
    Below { costs, references, leaves }
}

impl Fold<'_> {
    /// The roots of the best forest of at most so many.
    fn roots(&self, at: usize, most: usize, out: &mut SmallVec<[usize; WIDTH]>) {
        let branch = &self.plan.branches[at];
        match self.choices[at][most] {
            _ if most == 1 || branch.count > 0 => out.push(at),
            0 => self.roots(at, most - 1, out),
            first => {
                self.roots(at + 1, usize::from(first), out);
                self.roots(at + branch.first as usize, most - usize::from(first), out);
            }
        }
    }

    /// The node whose children are the best forest of eight below a branch.
    fn node(&mut self, at: usize, depth: usize) -> u32 {
        self.wide.depth = self.wide.depth.max(depth);
        let branch = &self.plan.branches[at];
        let mut children = SmallVec::new();
        if self.choices[at][1] == IS_LEAF {
            children.push(at);
        } else {
            // The cheapest of sixteen roots, which is not the branch itself.
            let first = (2..=WIDTH).rev().map(|roots| (roots, self.choices[at][roots])).find(|(_, first)| *first > 0);
            let (roots, first) = first.unwrap_or((2, 1));
            self.roots(at + 1, usize::from(first), &mut children);
            self.roots(at + branch.first as usize, roots - usize::from(first), &mut children);
        }
        let number = self.wide.nodes.len();
        self.wide.nodes.push(Node::EMPTY);
        // The leaves of a node lie side by side, and before those of the nodes below.
        for is_leaf in [IS_LEAF, 0] {
            for (lane, &at) in children.iter().enumerate() {
                if self.choices[at][1] != is_leaf {
                    continue;
                }
                let child = if is_leaf == IS_LEAF {
                    self.wide.depth = self.wide.depth.max(depth + 1);
                    self.leaf(at)
                } else {
                    self.node(at, depth + 1)
                };
                self.wide.nodes[number].set(lane, &self.plan.branches[at].bounds, child);
            }
        }
        number as u32
    }

    fn leaf(&mut self, at: usize) -> u32 {
        let first = self.wide.parts.len();
        self.parts(at, first);
        Leaf::new(first, self.wide.parts.len() - first).child()
    }

    /// Adds what is below a branch to the leaf that begins at `first`, each part once.
    fn parts(&mut self, at: usize, first: usize) {
        let Branch { first: next, count, .. } = self.plan.branches[at];
        if count == 0 {
            self.parts(at + 1, first);
            self.parts(at + next as usize, first);
            return;
        }
        for reference in &self.plan.references[next as usize..][..count as usize] {
            let part = reference.part();
            if !self.wide.parts[first..].contains(&part) {
                self.wide.parts.push(part);
            }
        }
    }
}
