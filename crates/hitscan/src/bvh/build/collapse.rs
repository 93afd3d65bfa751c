//! Collapse of a binary BVH to a 16-wide one of least SAH cost.

use crate::bvh::build::sah::{BinaryBvh, BinaryNode};
use crate::bvh::build::settings::BuildSettings;
use crate::bvh::node::{Leaf, Node16, WIDTH};
use crate::parallel::join_if;
use alloc::vec;
use alloc::vec::Vec;
use smallvec::SmallVec;

/// Wide BVH: nodes, primitive ids and depth.
#[derive(Default)]
pub(crate) struct WideNodes {
    pub(crate) nodes: Vec<Node16>,
    /// In leaf order.
    pub(crate) prim_ids: Vec<u32>,
    pub(crate) depth: usize,
}

/// Number of branches above which a second thread pays.
const COLLAPSE_PER_THREAD: usize = 4096;

/// Cost of a full leaf, in node visits.
const LEAF_COST: f64 = 1.2;

/// Collapses a binary BVH.
///
/// # Method
/// Dynamic programming over the binary nodes. For every node and every number of roots up to sixteen it finds the
/// cheapest forest of wide nodes and leaves that holds the subtree. A root is a leaf, or a node whose children are a
/// forest of sixteen.
///
/// # Source
/// Ylitie, Karras, Laine, *Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs*, High Performance
/// Graphics, 2017, section 3.1.
pub(crate) fn collapse(plan: &BinaryBvh, settings: &BuildSettings) -> WideNodes {
    let mut choices = vec![[0; WIDTH + 1]; plan.branches.len()];
    if plan.branches.is_empty() {
        return WideNodes::default();
    }
    cost(&plan.branches, settings, &mut choices);
    let mut fold = Collapser { plan, choices, wide: WideNodes::default() };
    fold.node(0, 1);
    fold.wide
}

struct Collapser<'a> {
    plan: &'a BinaryBvh,
    /// For each number of roots the number that the first child gets; 0 if one root less costs no more. For one root:
    /// `IS_LEAF` or 0.
    choices: Vec<[u8; WIDTH + 1]>,
    wide: WideNodes,
}

const IS_LEAF: u8 = 1;

/// Cost table of a subtree.
struct SubtreeCosts {
    /// Least cost for each number of roots.
    costs: [f64; WIDTH + 1],
    prim_refs: usize,
    leaves: usize,
}

/// Fills the choices of the subtree at `branches[0]`, and returns its cost table.
fn cost(branches: &[BinaryNode], settings: &BuildSettings, choices: &mut [[u8; WIDTH + 1]]) -> SubtreeCosts {
    let BinaryNode { bounds, first, count } = &branches[0];
    let area = settings.area(bounds);
    let as_leaf = |n: usize| area * LEAF_COST * f64::from(settings.cost(n));
    // The choices of this node, and those of the nodes below.
    let (own, round_down_f32) = choices.split_at_mut(1);
    let own = &mut own[0];
    // A leaf of the binary tree is a leaf whatever the number of roots.
    if *count > 0 {
        own[1] = IS_LEAF;
        let prim_refs = *count as usize;
        return SubtreeCosts { costs: [as_leaf(prim_refs); WIDTH + 1], prim_refs, leaves: 1 };
    }
    // The costs of both subtrees. Their nodes are disjoint, so two threads may fill them.
    let second = *first as usize;
    let worth_it = round_down_f32.len() > COLLAPSE_PER_THREAD;
    let (one, two) = round_down_f32.split_at_mut(second - 1);
    let (a, b) = join_if(worth_it, || cost(&branches[1..], settings, one), || cost(&branches[second..], settings, two));
    let (prim_refs, leaves) = (a.prim_refs + b.prim_refs, a.leaves + b.leaves);
    // Forests of two and more roots: the cheapest way to give some to each child.
    let mut costs = [f64::INFINITY; WIDTH + 1];
    // A forest has at most as many roots as leaves.
    for roots in 2..=leaves.min(WIDTH) {
        for to_first in roots.saturating_sub(b.leaves).max(1)..=a.leaves.min(roots - 1) {
            let cost = a.costs[to_first] + b.costs[roots - to_first];
            if cost < costs[roots] {
                (costs[roots], own[roots]) = (cost, to_first as u8);
            }
        }
        // NaN costs choose nothing: fall back to one root for the first child.
        own[roots] = own[roots].max(1);
    }
    // One root: a node over the cheapest forest of at most sixteen, or a leaf of all primitives if that is cheaper.
    costs[1] = area + costs[2..].iter().copied().fold(f64::INFINITY, f64::min);
    if prim_refs <= settings.max_leaf_size && as_leaf(prim_refs) <= costs[1] {
        (costs[1], own[1]) = (as_leaf(prim_refs), IS_LEAF);
    }
    // A forest may have fewer roots than it is allowed, if that costs no more.
    for roots in 2..=WIDTH {
        if costs[roots - 1] <= costs[roots] {
            (costs[roots], own[roots]) = (costs[roots - 1], 0);
        }
    }
    SubtreeCosts { costs, prim_refs, leaves }
}

impl Collapser<'_> {
    /// Appends the roots of the cheapest forest of at most `max_roots` roots.
    fn roots(&self, at: usize, max_roots: usize, out: &mut SmallVec<[usize; WIDTH]>) {
        let branch = &self.plan.branches[at];
        match self.choices[at][max_roots] {
            _ if max_roots == 1 || branch.count > 0 => out.push(at),
            0 => self.roots(at, max_roots - 1, out),
            first => {
                self.roots(at + 1, usize::from(first), out);
                self.roots(at + branch.first as usize, max_roots - usize::from(first), out);
            }
        }
    }

    /// Emits the wide node of a subtree: its children are the cheapest forest of up to sixteen roots. Returns its
    /// index.
    fn node(&mut self, at: usize, depth: usize) -> u32 {
        // The children of the wide node: the roots of its cheapest forest.
        self.wide.depth = self.wide.depth.max(depth);
        let branch = &self.plan.branches[at];
        let mut children = SmallVec::new();
        if self.choices[at][1] == IS_LEAF {
            children.push(at);
        } else {
            // The cheapest forest of at least two roots: one root would be the node itself.
            let first = (2..=WIDTH).rev().map(|roots| (roots, self.choices[at][roots])).find(|(_, first)| *first > 0);
            let (roots, first) = first.unwrap_or((2, 1));
            self.roots(at + 1, usize::from(first), &mut children);
            self.roots(at + branch.first as usize, roots - usize::from(first), &mut children);
        }
        // The node gets its number before its descendants, so nodes come in depth-first order.
        let number = self.wide.nodes.len();
        self.wide.nodes.push(Node16::EMPTY);
        // The leaves of a node are adjacent, and precede those of its descendants.
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
        let first = self.wide.prim_ids.len();
        self.prim_ids(at, first);
        Leaf::new(first, self.wide.prim_ids.len() - first).child()
    }

    /// Appends the primitives of a subtree to the leaf that begins at `first`, each once.
    fn prim_ids(&mut self, at: usize, first: usize) {
        let BinaryNode { first: next, count, .. } = self.plan.branches[at];
        if count == 0 {
            self.prim_ids(at + 1, first);
            self.prim_ids(at + next as usize, first);
            return;
        }
        for prim_ref in &self.plan.prim_refs[next as usize..][..count as usize] {
            let part = prim_ref.part();
            if !self.wide.prim_ids[first..].contains(&part) {
                self.wide.prim_ids.push(part);
            }
        }
    }
}
