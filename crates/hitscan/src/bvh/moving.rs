//! Edits of a BVH over moving primitives: boxes grow at once, and a refit shrinks them later.

use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{INVALID, Leaf, Node16, WIDTH};
use crate::math::vector::Vector;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Lane of a node: sixteen times the index of the node, plus the lane.
type Lane = u32;

const fn node_of(lane: Lane) -> usize {
    lane as usize / WIDTH
}

/// Ways from the primitives of a BVH up to its root, and the nodes that wait for a refit.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpwardPaths {
    /// For each slot the lane of its leaf; `INVALID` outside the BVH.
    leaf: Vec<Lane>,
    /// For each node its lane in the parent; `INVALID` for the root.
    parent: Vec<Lane>,
    /// For each node whether a lane may be larger than what it bounds.
    loose: Vec<bool>,
    has_loose: bool,
    /// 2D: boxes have zero depth, and area means perimeter.
    flat: bool,
    /// Sum of the areas of all lanes: the SAH cost but for a factor.
    area: f64,
    /// The same after the build.
    built_area: f64,
}

impl UpwardPaths {
    /// Paths of a BVH with this number of slots.
    pub(crate) fn new<V: Vector>(tree: &Bvh16, slots: usize) -> Self {
        let nodes = tree.nodes.len();
        let mut paths = Self {
            leaf: vec![INVALID; slots],
            parent: vec![INVALID; nodes],
            loose: vec![false; nodes],
            flat: V::DIM == 2,
            ..Self::default()
        };
        for (number, node) in tree.nodes.iter().enumerate() {
            for (lane, &child) in node.child.iter().enumerate().filter(|(_, child)| **child != INVALID) {
                let up = (number * WIDTH + lane) as Lane;
                match Leaf::of(child) {
                    Some(leaf) => leaf.slots().for_each(|slot| paths.leaf[slot as usize] = up),
                    None => paths.parent[child as usize] = up,
                }
                paths.area += paths.area_of(&node.bounds(lane));
            }
        }
        paths.built_area = paths.area;
        paths
    }

    /// Whether the box of a slot stays among those of its node: then enlarged boxes cost few node visits.
    pub(crate) fn is_local(&self, tree: &Bvh16, slot: u32, bounds: &Bounds) -> bool {
        let lane = self.leaf[slot as usize];
        let node = node_of(lane);
        let around = match self.parent[node] {
            INVALID => tree.nodes[node].around(),
            up => tree.nodes[node_of(up)].bounds(up as usize % WIDTH),
        };
        self.area_of(&tree.nodes[node].bounds(lane as usize % WIDTH).union(bounds)) <= self.area_of(&around)
    }

    /// Enlarges the boxes above a slot, so that they contain `bounds`.
    pub(crate) fn enlarge(&mut self, tree: &mut Bvh16, slot: u32, bounds: &Bounds) {
        let mut up = self.leaf[slot as usize];
        self.loose[node_of(up)] = true;
        self.has_loose = true;
        while up != INVALID {
            let (node, lane) = (node_of(up), up as usize % WIDTH);
            let old = tree.nodes[node].bounds(lane);
            let new = old.union(bounds);
            if new == old {
                break;
            }
            self.set(&mut tree.nodes[node], lane, &new);
            up = self.parent[node];
        }
        tree.largest = tree.largest.max(bounds.largest());
    }

    /// Shrinks the boxes above all slots given to [`enlarge`](Self::enlarge) since the last refit. `around` gives the
    /// bounds of a range of slots. Visits each node once: children come after their parents.
    pub(crate) fn refit(&mut self, tree: &mut Bvh16, around: impl Fn(Range<u32>) -> Bounds) {
        if !core::mem::take(&mut self.has_loose) {
            return;
        }
        for number in (0..tree.nodes.len()).rev() {
            if !core::mem::take(&mut self.loose[number]) {
                continue;
            }
            for lane in 0..WIDTH {
                let child = tree.nodes[number].child[lane];
                let bounds = match (child, Leaf::of(child)) {
                    (INVALID, _) => continue,
                    (_, Some(leaf)) => around(leaf.slots()),
                    (child, None) => tree.nodes[child as usize].around(),
                };
                self.set(&mut tree.nodes[number], lane, &bounds);
            }
            if let Some(above) = self.loose.get_mut(node_of(self.parent[number])) {
                *above = true;
            }
        }
        tree.measure();
    }

    /// Whether a refit has something to do.
    pub(crate) fn has_loose(&self) -> bool {
        self.has_loose
    }

    /// SAH cost relative to that after the build.
    pub(crate) fn growth(&self) -> f64 {
        self.area / self.built_area
    }

    /// Adds a leaf of one slot, the next one, to a BVH of at most one node. Returns whether there was room.
    pub(crate) fn push(&mut self, tree: &mut Bvh16, bounds: &Bounds) -> bool {
        if tree.nodes.is_empty() {
            tree.nodes.push(Node16::EMPTY);
            tree.depth = 2;
            (self.parent, self.loose) = (vec![INVALID], vec![false]);
        }
        let free = tree.nodes[0].child.iter().position(|child| *child == INVALID);
        let Some(lane) = free.filter(|_| tree.nodes.len() == 1) else { return false };
        tree.nodes[0].child[lane] = Leaf::new(self.leaf.len(), 1).child();
        self.set(&mut tree.nodes[0], lane, bounds);
        self.built_area += self.area_of(bounds);
        self.leaf.push(lane as Lane);
        tree.measure();
        true
    }

    /// Adds a slot outside the BVH.
    pub(crate) fn push_outside(&mut self) {
        self.leaf.push(INVALID);
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.leaf[..]) + size_of_val(&self.parent[..]) + size_of_val(&self.loose[..])
    }

    fn set(&mut self, node: &mut Node16, lane: usize, bounds: &Bounds) {
        self.area += self.area_of(bounds) - self.area_of(&node.bounds(lane));
        let child = node.child[lane];
        node.set(lane, bounds, child);
    }

    /// Half the surface area of a box; zero for an empty box. Limited, so that sums stay finite.
    fn area_of(&self, b: &Bounds) -> f64 {
        let side = |axis: usize| f64::from(b.high[axis]) - f64::from(b.low[axis]);
        let (x, y, z) = (side(0), side(1), side(2));
        if !(x >= 0.0 && y >= 0.0) {
            return 0.0;
        }
        let area = if self.flat { x + y } else { x * y + y * z + z * x };
        area.min(f64::from(f32::MAX))
    }
}
