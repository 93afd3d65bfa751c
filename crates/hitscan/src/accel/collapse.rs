//! From the binary tree to one of eight children a node, at the least cost.

use super::bounds::Bounds;
use super::build::{Plan, Recipe};
use super::tree::{LEAF, NOTHING, Node, WIDTH};
use alloc::vec;
use alloc::vec::Vec;
use smallvec::SmallVec;

/// What the tree is made of.
#[derive(Default)]
pub(super) struct Wide {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<[u32; WIDTH]>,
    pub(super) depth: usize,
}

/// A leaf of eight triangles takes about as long as a node.
const LEAF_COST: f64 = 1.2;

/// # Method
/// For every binary node and every number of roots up to eight, the least cost of a forest of wide nodes and leaves that
/// holds what is below it; a root is a leaf, or a node whose children are a forest of eight.
///
/// # Source
/// Ylitie, Karras, Laine, *Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs*, High Performance
/// Graphics, 2017, section 3.1.
pub(super) fn collapse(plan: &Plan, recipe: &Recipe) -> Wide {
    let mut fold = Fold { plan, recipe, choices: vec![[0; WIDTH + 1]; plan.branches.len()], wide: Wide::default() };
    if !plan.branches.is_empty() {
        fold.cost(0);
        fold.node(0, 1);
    }
    fold.wide
}

struct Fold<'a> {
    plan: &'a Plan,
    recipe: &'a Recipe<'a>,
    /// For each number of roots how many of them the first child gets; 0: one root less is as good. For one root:
    /// `IS_LEAF` or 0.
    choices: Vec<[u8; WIDTH + 1]>,
    wide: Wide,
}

const IS_LEAF: u8 = 1;

impl Fold<'_> {
    /// The cost for each number of roots, and how many references there are.
    fn cost(&mut self, at: usize) -> ([f64; WIDTH + 1], usize) {
        let branch = &self.plan.branches[at];
        let area = self.recipe.area(&branch.bounds);
        let as_leaf = |n: usize| area * LEAF_COST * n.div_ceil(self.recipe.together) as f64;
        if branch.count > 0 {
            self.choices[at][1] = IS_LEAF;
            return ([as_leaf(branch.count as usize); WIDTH + 1], branch.count as usize);
        }
        let (a, in_a) = self.cost(at + 1);
        let (b, in_b) = self.cost(at + branch.first as usize);
        let choices = &mut self.choices[at];
        let mut costs = [f64::INFINITY; WIDTH + 1];
        for roots in 2..=WIDTH {
            for to_first in 1..roots {
                let cost = a[to_first] + b[roots - to_first];
                if cost < costs[roots] {
                    (costs[roots], choices[roots]) = (cost, to_first as u8);
                }
            }
            // Costs that are not numbers decide nothing.
            choices[roots] = choices[roots].max(1);
        }
        costs[1] = area + costs[WIDTH];
        if in_a + in_b <= self.recipe.most && as_leaf(in_a + in_b) <= costs[1] {
            (costs[1], choices[1]) = (as_leaf(in_a + in_b), IS_LEAF);
        }
        for roots in 2..=WIDTH {
            if costs[roots - 1] <= costs[roots] {
                (costs[roots], choices[roots]) = (costs[roots - 1], 0);
            }
        }
        (costs, in_a + in_b)
    }

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
            // The cheapest of eight roots, which is not the branch itself.
            let first = (2..=WIDTH).rev().map(|roots| (roots, self.choices[at][roots])).find(|(_, first)| *first > 0);
            let (roots, first) = first.unwrap_or((2, 1));
            self.roots(at + 1, usize::from(first), &mut children);
            self.roots(at + branch.first as usize, roots - usize::from(first), &mut children);
        }
        let number = self.wide.nodes.len();
        self.wide.nodes.push(Node::EMPTY);
        for (lane, &at) in children.iter().enumerate() {
            let child = if self.choices[at][1] == IS_LEAF {
                self.wide.depth = self.wide.depth.max(depth + 1);
                self.leaf(at)
            } else {
                self.node(at, depth + 1)
            };
            self.wide.nodes[number].set(lane, &self.plan.branches[at].bounds, child);
        }
        number as u32
    }

    fn leaf(&mut self, at: usize) -> u32 {
        let (mut leaf, mut count) = ([NOTHING; WIDTH], 0);
        self.parts(at, &mut leaf, &mut count);
        self.wide.leaves.push(leaf);
        (self.wide.leaves.len() as u32 - 1) | LEAF
    }

    /// What is below a branch, each part once.
    fn parts(&self, at: usize, leaf: &mut [u32; WIDTH], count: &mut usize) {
        let branch = &self.plan.branches[at];
        if branch.count == 0 {
            self.parts(at + 1, leaf, count);
            self.parts(at + branch.first as usize, leaf, count);
            return;
        }
        for reference in &self.plan.references[branch.first as usize..][..branch.count as usize] {
            if !leaf[..*count].contains(&reference.part()) {
                leaf[*count] = reference.part();
                *count += 1;
            }
        }
    }
}

impl Node {
    /// Without children.
    pub(super) const EMPTY: Self = {
        let (low, high) = ([f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]);
        Self { planes: [low, low, low, high, high, high], child: [NOTHING; WIDTH] }
    };

    pub(super) fn set(&mut self, lane: usize, bounds: &Bounds, child: u32) {
        self.child[lane] = child;
        for axis in 0..3 {
            self.planes[axis][lane] = bounds.low[axis];
            self.planes[axis + 3][lane] = bounds.high[axis];
        }
    }
}
