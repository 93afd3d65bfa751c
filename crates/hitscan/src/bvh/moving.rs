//! Edits of a BVH over moving primitives.
//!
//! # Method
//! A primitive that moves goes to a [BVH of its own](crate::bvh::moved), and a refit takes it over. If it has moved a
//! little, it keeps its lane, and the boxes above change. Others are removed and inserted anew: down the child that grows
//! least to a node with a free lane. In a full node of leaves, the new leaf and the leaf that it suits best become a node
//! of their own. Deep in the BVH the full node is split in two instead, as in an R-tree.
//!
//! # Source
//! Guttman, *R-Trees: A Dynamic Index Structure for Spatial Searching*, SIGMOD 1984.

use crate::bvh::bounds::{Bounds, larger, smaller};
use crate::bvh::bvh::Bvh16;
use crate::bvh::moved::{MovedBvh, SlotBits};
use crate::bvh::node::{INVALID, Leaf, Node16, NodeBounds, WIDTH, bounds_in};
use crate::math::vector::Vector;
use crate::simd::lanes::F32Lanes;
use alloc::vec;
use alloc::vec::Vec;

/// Child reference and its bounds.
type BoundedChild = (Bounds, u32);

/// Lane of a node: sixteen times the index of the node, plus the lane.
type Lane = u32;

const fn node_of(lane: Lane) -> usize {
    lane as usize / WIDTH
}

/// Growth of the SAH cost or of the number of nodes by edits from which a BVH should be built anew.
const MAX_GROWTH: f64 = 1.5;

/// A box that moves keeps its lane if the box around the old lane and it is below this multiple of it, or this share of the
/// root: a thousand such lanes cost a ray two visits.
const NEAR_GROWTH: f64 = 4.0;
const NEAR_SHARE: f64 = 1.0 / 512.0;

/// Depth from which a full node is split.
const MAX_PAIR_DEPTH: usize = 32;

/// Depth of insertions from which the BVH is built anew at once.
pub(crate) const MAX_DEPTH: usize = 128;

/// Ways from the primitives of a BVH up to its root, the nodes that wait for a refit, and the cost of the BVH.
#[derive(Clone, Debug)]
pub(crate) struct UpwardPaths {
    /// For each slot the lane of its leaf; `INVALID` outside the BVH.
    leaf: Vec<Lane>,
    /// For each node its lane in the parent; `INVALID` for the root.
    parent: Vec<Lane>,
    /// For each node whether a lane of it, or of a node below it, waits for a refit.
    is_loose: Vec<bool>,
    /// 2D: boxes have zero depth, and area means perimeter.
    flat: bool,
    /// Nodes above the node of an insertion, at most.
    deepest: usize,
    primitives: usize,
    /// Area of the root after the last insertion or refit.
    root_area: f64,
    /// Sum of the areas of all lanes: the SAH cost but for a factor.
    area: f64,
    /// Primitives, area and nodes after the build.
    built: (usize, f64, usize),
}

impl UpwardPaths {
    /// Paths of a BVH with this number of slots, each in one leaf or in none.
    pub(crate) fn new<V: Vector>(tree: &Bvh16, slots: usize) -> Self {
        // The ways up from each node and slot, the sum of the areas, and the number of primitives: from one pass over
        // all nodes.
        let nodes = tree.nodes.len();
        let mut paths = Self {
            leaf: vec![INVALID; slots],
            parent: vec![INVALID; nodes],
            is_loose: vec![false; nodes],
            flat: V::DIM == 2,
            deepest: 0,
            primitives: 0,
            root_area: 0.0,
            area: 0.0,
            built: (0, 0.0, nodes),
        };
        for (number, node) in tree.nodes.iter().enumerate() {
            for (lane, &child) in node.child.iter().enumerate().filter(|(_, child)| **child != INVALID) {
                paths.link(child, number * WIDTH + lane);
                paths.area += paths.area_of(&node.bounds(lane));
                paths.primitives += Leaf::of(child).map_or(0, Leaf::count);
            }
        }
        // What edits are compared with later.
        (paths.built.0, paths.built.1) = (paths.primitives, paths.area);
        paths.measure_root(tree);
        paths
    }

    /// Whether edits have made the BVH so much worse that a new one pays.
    pub(crate) fn is_outgrown(&self) -> bool {
        if self.primitives == 0 {
            return !self.parent.is_empty();
        }
        let (primitives, area, nodes) = self.built;
        let share = self.primitives as f64 / primitives as f64;
        !(share <= MAX_GROWTH)
            || self.area > MAX_GROWTH * share * area
            || self.parent.len() as f64 > MAX_GROWTH * nodes as f64 + 1.0
    }

    /// Whether insertions have come so deep that traversal and recursion might suffer: many boxes at one place.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.deepest > MAX_DEPTH
    }

    /// Adds a slot outside the BVH.
    pub(crate) fn push_slot(&mut self) {
        self.leaf.push(INVALID);
    }

    /// Inserts a slot as a leaf of its own.
    pub(crate) fn insert(&mut self, tree: &mut Bvh16, slot: u32, bounds: &Bounds) {
        self.insert_leaf(tree, slot, bounds);
        self.measure_root(tree);
    }

    fn insert_leaf(&mut self, tree: &mut Bvh16, slot: u32, bounds: &Bounds) {
        // The first slot makes the root.
        if tree.nodes.is_empty() {
            self.push_node(tree, false);
        }
        self.primitives += 1;
        tree.largest = tree.largest.max(bounds.largest());
        let leaf = Leaf::new(slot as usize, 1).child();
        // Down the cheapest children (Guttman), to a node with a free lane.
        let mut node = 0;
        for depth in 0.. {
            self.deepest = self.deepest.max(depth);
            if tree.nodes[node].child.contains(&INVALID) {
                break;
            }
            let lane = self.cheapest_lane(&tree.nodes[node], bounds);
            let child = tree.nodes[node].child[lane];
            // A full node of leaves: the new leaf and the leaf that it suits best become a node of two. Below a certain
            // depth, the full node is split instead, so that boxes at one place do not make the tree deep.
            if Leaf::of(child).is_none() {
                node = child as usize;
            } else if depth < MAX_PAIR_DEPTH {
                return self.pair(tree, (node * WIDTH + lane) as Lane, bounds, leaf);
            } else {
                break;
            }
        }
        self.insert_child(tree, node, *bounds, leaf);
    }

    /// Removes a slot. `boxes` has the box of each slot.
    pub(crate) fn remove(&mut self, tree: &mut Bvh16, slot: u32, boxes: &[Bounds]) {
        // The slot loses its lane. One without a lane was not in the tree.
        let up = core::mem::replace(&mut self.leaf[slot as usize], INVALID);
        let (node, lane) = (node_of(up), up as usize % WIDTH);
        let Some(leaf) = tree.nodes.get(node).and_then(|node| Leaf::of(node.child[lane])) else { return };
        self.primitives -= 1;
        // The boxes above may shrink at the next refit.
        self.loosen(node);
        debug_assert!(leaf.count() <= 2, "a leaf of a scene");
        // The other slot of the leaf stays, with its own box; an empty leaf leaves a vacant lane.
        match leaf.slots().find(|other| *other != slot) {
            Some(other) => self.set(tree, up, &boxes[other as usize], Leaf::new(other as usize, 1).child()),
            None => self.set(tree, up, &Bounds::EMPTY, INVALID),
        }
    }

    /// Makes all boxes tight again: takes over the slots that moved, and shrinks the boxes above all edits since the last
    /// refit. Visits each node above an edit once.
    pub(crate) fn refit(&mut self, tree: &mut Bvh16, boxes: &[Bounds], moved: &MovedBvh) {
        // Nodes above moved slots need a refit, too.
        moved.slots().for_each(|slot| self.loosen(node_of(self.leaf[slot as usize])));
        if !self.has_loose() {
            return;
        }
        let mut far = Vec::new();
        // One pass from the root over the marked nodes. Slots that moved far leave their lanes.
        let mut refit = Refit { paths: self, tree, boxes, moved: &moved.bits, far: &mut far };
        tree.largest = refit.node(0).largest();
        self.measure_root(tree);
        // They are inserted anew, when all boxes are tight: so each finds the place that suits it.
        for slot in far {
            self.insert(tree, slot, &boxes[slot as usize]);
        }
    }

    /// Whether a refit has something to do.
    pub(crate) fn has_loose(&self) -> bool {
        self.is_loose.first() == Some(&true)
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.leaf[..]) + size_of_val(&self.parent[..]) + size_of_val(&self.is_loose[..])
    }

    /// Whether a box moves so little from its lane that it may keep it.
    fn is_near(&self, lane: &Bounds, bounds: &Bounds) -> bool {
        let area = self.area_of(&lane.union(bounds));
        area <= NEAR_SHARE * self.root_area || area <= NEAR_GROWTH * self.area_of(bounds)
    }

    /// Lanes, as bits, whose boxes may have moved too far to keep them.
    fn far_lanes(&self, old: &NodeBounds, new: &NodeBounds) -> u32 {
        let around = areas(&unions(old, new), self.flat);
        let (new, share) = (areas(new, self.flat), (NEAR_SHARE * self.root_area) as f32);
        let is_far = |lane: usize| around[lane] > share && around[lane] > NEAR_GROWTH as f32 * new[lane];
        (0..WIDTH).fold(0, |far, lane| far | u32::from(is_far(lane)) << lane)
    }

    /// Marks a node and those above it for a refit.
    fn loosen(&mut self, mut node: usize) {
        while let Some(is_loose) = self.is_loose.get_mut(node).filter(|is_loose| !**is_loose) {
            *is_loose = true;
            node = node_of(self.parent[node]);
        }
    }

    /// Enlarges a lane and those above it, so that they contain `bounds`.
    fn enlarge(&mut self, tree: &mut Bvh16, mut up: Lane, bounds: &Bounds) {
        while up != INVALID {
            let (node, lane) = (&tree.nodes[node_of(up)], up as usize % WIDTH);
            let old = node.bounds(lane);
            let new = old.union(bounds);
            if new == old {
                break;
            }
            let child = node.child[lane];
            self.set(tree, up, &new, child);
            up = self.parent[node_of(up)];
        }
        tree.largest = tree.largest.max(bounds.largest());
    }

    /// Lane of a full node that a new box makes cheapest: a child node by its growth, a leaf as a node of two leaves. Of
    /// equal ones the smallest.
    fn cheapest_lane(&self, node: &Node16, bounds: &Bounds) -> usize {
        // The areas of all lanes with the new box, and without it, sixteen at a time.
        let ([a, b, c, _], [d, e, f, _]) = (bounds.low, bounds.high);
        let unions = areas(&unions(&node.planes, &[a, b, c, d, e, f].map(|x| [x; WIDTH])), self.flat);
        let areas = areas(&node.planes, self.flat);
        let cost = |lane: usize| {
            let is_leaf = Leaf::of(node.child[lane]).is_some();
            (if is_leaf { unions[lane] } else { unions[lane] - areas[lane] }, areas[lane])
        };
        (1..WIDTH).fold(0, |best, lane| if cost(lane) < cost(best) { lane } else { best })
    }

    /// Makes a node of the leaf in a lane and of a new leaf.
    fn pair(&mut self, tree: &mut Bvh16, lane: Lane, bounds: &Bounds, leaf: u32) {
        let (node, at) = (node_of(lane), lane as usize % WIDTH);
        let old = (tree.nodes[node].bounds(at), tree.nodes[node].child[at]);
        let new = self.push_node(tree, self.is_loose[node]);
        let around = self.fill(tree, new, &[old, (*bounds, leaf)]);
        self.set(tree, lane, &around, new as u32);
        self.enlarge(tree, self.parent[node], bounds);
    }

    /// Adds a child to a node, or splits the node and adds a child to its parent.
    fn insert_child(&mut self, tree: &mut Bvh16, mut node: usize, mut bounds: Bounds, mut child: u32) {
        // Up the tree, until a node has a vacant lane.
        loop {
            if let Some(lane) = tree.nodes[node].child.iter().position(|child| *child == INVALID) {
                self.set(tree, (node * WIDTH + lane) as Lane, &bounds, child);
                return self.enlarge(tree, self.parent[node], &bounds);
            }
            // A full node and the new child: seventeen children, in two halves (Guttman's split, here at the median).
            let mut children: [BoundedChild; WIDTH + 1] = [(bounds, child); WIDTH + 1];
            for (lane, slot) in children[..WIDTH].iter_mut().enumerate() {
                *slot = (tree.nodes[node].bounds(lane), tree.nodes[node].child[lane]);
            }
            let (first, second) = split_median(&mut children);
            self.clear(tree, node);
            let is_loose = self.is_loose[node];
            let other = self.push_node(tree, is_loose);
            bounds = self.fill(tree, other, second);
            child = other as u32;
            // A full root gets two children, and the tree is one level deeper.
            if node == 0 {
                // The root stays the first node.
                let one = self.push_node(tree, is_loose);
                let around = self.fill(tree, one, first);
                self.set(tree, 0, &around, one as u32);
                return self.set(tree, 1, &bounds, child);
            }
            // The node keeps one half; the other half is a new child for the parent.
            let around = self.fill(tree, node, first);
            let up = self.parent[node];
            // The child that was added may reach beyond the node.
            self.set(tree, up, &around, node as u32);
            node = node_of(up);
            self.enlarge(tree, self.parent[node], &around);
        }
    }

    /// Makes a node of these children, and returns its bounds.
    fn fill(&mut self, tree: &mut Bvh16, node: usize, children: &[BoundedChild]) -> Bounds {
        for (lane, (bounds, child)) in children.iter().enumerate() {
            self.set(tree, (node * WIDTH + lane) as Lane, bounds, *child);
        }
        children.iter().fold(Bounds::EMPTY, |around, (bounds, _)| around.union(bounds))
    }

    fn clear(&mut self, tree: &mut Bvh16, node: usize) {
        (0..WIDTH).for_each(|lane| self.set(tree, (node * WIDTH + lane) as Lane, &Bounds::EMPTY, INVALID));
    }

    fn push_node(&mut self, tree: &mut Bvh16, is_loose: bool) -> usize {
        tree.nodes.push(Node16::EMPTY);
        self.parent.push(INVALID);
        self.is_loose.push(is_loose);
        tree.nodes.len() - 1
    }

    /// Nodes and leaf on the longest path from a node.
    pub(crate) fn depth(tree: &Bvh16, node: u32) -> usize {
        let Some(node) = tree.nodes.get(node as usize) else { return usize::from(node != INVALID) };
        1 + node.child.iter().map(|&child| Self::depth(tree, child)).max().unwrap_or(0)
    }

    fn measure_root(&mut self, tree: &Bvh16) {
        self.root_area = tree.nodes.first().map_or(0.0, |root| self.area_of(&root.around()));
    }

    fn set(&mut self, tree: &mut Bvh16, lane: Lane, bounds: &Bounds, child: u32) {
        let (node, at) = (&mut tree.nodes[node_of(lane)], lane as usize % WIDTH);
        self.area += self.area_of(bounds) - self.area_of(&node.bounds(at));
        node.set(at, bounds, child);
        self.link(child, lane as usize);
    }

    /// Notes the lane of a child.
    fn link(&mut self, child: u32, lane: usize) {
        match (child, Leaf::of(child)) {
            (INVALID, _) => {}
            (_, Some(leaf)) => leaf.slots().for_each(|slot| self.leaf[slot as usize] = lane as Lane),
            (node, None) => self.parent[node as usize] = lane as Lane,
        }
    }

    /// Half the surface area of a box: see [`areas`].
    fn area_of(&self, bounds: &Bounds) -> f64 {
        let mut node = Node16::EMPTY;
        node.set(0, bounds, INVALID);
        f64::from(areas(&node.planes, self.flat)[0])
    }
}

/// Refit of the nodes above edits.
struct Refit<'a> {
    paths: &'a mut UpwardPaths,
    tree: &'a mut Bvh16,
    boxes: &'a [Bounds],
    moved: &'a SlotBits,
    /// Slots that moved too far to keep their lanes, and have left the BVH.
    far: &'a mut Vec<u32>,
}

impl Refit<'_> {
    /// Refits a node, and returns its bounds.
    fn node(&mut self, number: usize) -> Bounds {
        // The mark is cleared first; the old boxes tell how far lanes have moved.
        self.paths.is_loose[number] = false;
        let (old, mut moved) = (self.tree.nodes[number].planes, 0u32);
        // Lanes whose boxes may have changed: leaves with moved slots, and marked nodes below.
        for lane in 0..WIDTH {
            let child = self.tree.nodes[number].child[lane];
            let bounds = match (child, Leaf::of(child)) {
                (INVALID, _) => continue,
                (_, Some(leaf)) if leaf.slots().any(|slot| self.moved.contains(slot)) => {
                    moved |= 1 << lane;
                    leaf.of_all(self.boxes).iter().fold(Bounds::EMPTY, |all, bounds| all.union(bounds))
                }
                (_, None) if self.paths.is_loose[child as usize] => self.node(child as usize),
                _ => continue,
            };
            self.tree.nodes[number].set(lane, &bounds, child);
        }
        // Lanes that moved far lose the slots that did: with them the lane would be large and mostly empty.
        let node = &mut self.tree.nodes[number];
        let mut far = moved & self.paths.far_lanes(&old, &node.planes);
        while far != 0 {
            let lane = far.trailing_zeros() as usize;
            far &= far - 1;
            let (bounds, child) = self.leaf(self.tree.nodes[number].child[lane], &bounds_in(&old, lane));
            self.tree.nodes[number].set(lane, &bounds, child);
        }
        // The sum of the areas follows the change, for the decision whether the tree is outgrown.
        let (node, flat) = (&self.tree.nodes[number], self.paths.flat);
        self.paths.area += sum(&areas(&node.planes, flat)) - sum(&areas(&old, flat));
        node.around()
    }

    /// The leaf without the slots that moved too far, and its bounds.
    fn leaf(&mut self, leaf: u32, old: &Bounds) -> (Bounds, u32) {
        let (mut around, mut child) = (Bounds::EMPTY, INVALID);
        for slot in Leaf::of(leaf).into_iter().flat_map(Leaf::slots) {
            let bounds = &self.boxes[slot as usize];
            if self.moved.contains(slot) && !self.paths.is_near(old, bounds) {
                self.paths.leaf[slot as usize] = INVALID;
                self.paths.primitives -= 1;
                self.far.push(slot);
                continue;
            }
            around = around.union(bounds);
            child = if child == INVALID { Leaf::new(slot as usize, 1).child() } else { leaf };
        }
        (around, child)
    }
}

/// Half the surface areas of sixteen boxes; zero for an empty box. Limited, so that sums stay finite. In `f32`, lane by
/// lane, so that it compiles to SIMD.
#[cfg_attr(not(debug_assertions), inline(always))]
fn areas([a, b, c, d, e, f]: &NodeBounds, flat: bool) -> F32Lanes {
    let [sum, product] = if flat { [1.0, 0.0] } else { [0.0, 1.0] };
    let mut areas = [0.0; WIDTH];
    for lane in 0..WIDTH {
        let x = larger(d[lane] - a[lane], 0.0);
        let y = larger(e[lane] - b[lane], 0.0);
        let z = larger(f[lane] - c[lane], 0.0);
        areas[lane] = smaller(sum * (x + y) + product * (x * y + y * z + z * x), f32::MAX);
    }
    areas
}

/// Boxes around two each, lane by lane.
#[cfg_attr(not(debug_assertions), inline(always))]
fn unions(a: &NodeBounds, b: &NodeBounds) -> NodeBounds {
    let mut around = *a;
    for plane in 0..3 {
        for lane in 0..WIDTH {
            around[plane][lane] = smaller(a[plane][lane], b[plane][lane]);
            around[plane + 3][lane] = larger(a[plane + 3][lane], b[plane + 3][lane]);
        }
    }
    around
}

/// Sum of all lanes.
fn sum(lanes: &F32Lanes) -> f64 {
    lanes.iter().map(|lane| f64::from(*lane)).sum()
}

/// Splits boxes in two halves along the axis in which their centers differ most.
fn split_median(children: &mut [BoundedChild; WIDTH + 1]) -> (&[BoundedChild], &[BoundedChild]) {
    let center = |axis: usize| move |(bounds, _): &BoundedChild| bounds.center_along(axis);
    let extent = |axis: usize| {
        let ends = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = children.iter().map(center(axis)).fold(ends, |(a, b), x| (a.min(x), b.max(x)));
        high - low
    };
    let axis = (1..3).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best });
    children.sort_unstable_by(|a, b| center(axis)(a).total_cmp(&center(axis)(b)));
    children.split_at(children.len() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ops::ControlFlow;
    use glam::DVec3;

    fn cube(center: [f32; 3], size: f32) -> Bounds {
        let [x, y, z] = center;
        Bounds { low: [x - size, y - size, z - size, 0.0], high: [x + size, y + size, z + size, 0.0] }
    }

    /// The slots of all leaves whose boxes contain the center of a box.
    fn at(tree: &Bvh16, bounds: &Bounds) -> Vec<u32> {
        let [x, y, z, _] = bounds.center().map(f64::from);
        let mut found = Vec::new();
        let _ = tree.visit_point([x, y, z], |slot| {
            found.push(slot);
            ControlFlow::Continue(())
        });
        found
    }

    /// Every slot stays reachable in one leaf, of the main BVH or of that of moved slots; and a refit leaves no larger boxes
    /// than a new BVH would have.
    #[test]
    fn edits_lose_no_slot() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u32 << 24) as f32
        };
        let mut tree = Bvh16::EMPTY;
        let (mut paths, mut moved) = (UpwardPaths::new::<DVec3>(&tree, 0), MovedBvh::new());
        let (mut boxes, mut is_there) = (Vec::<Bounds>::new(), Vec::<bool>::new());
        // Each step removes, moves or inserts a slot at random; moves are near or far.
        for step in 0..9000 {
            let bounds = cube([next(), next(), next()], 0.01);
            let slot = (next() * boxes.len() as f32) as usize;
            match (step % 4, is_there.get(slot)) {
                (0, Some(true)) if step < 6000 => {
                    moved.remove(slot as u32);
                    paths.remove(&mut tree, slot as u32, &boxes);
                    is_there[slot] = false;
                }
                (1 | 2, Some(true)) => {
                    let near = boxes[slot].center();
                    boxes[slot] = if step % 8 == 1 { bounds } else { cube([near[0] + 0.01, near[1], near[2]], 0.01) };
                    moved.put(slot as u32, &boxes[slot]);
                }
                _ => {
                    paths.push_slot();
                    boxes.push(bounds);
                    is_there.push(true);
                    paths.insert(&mut tree, boxes.len() as u32 - 1, &bounds);
                }
            }
            // After a refit the boxes must be as tight as in a new tree, and the paths those of that tree.
            if step % 500 == 499 && step % 3000 != 499 {
                paths.refit(&mut tree, &boxes, &moved);
                moved.clear();
                assert!(!paths.has_loose() && paths.parent.len() == tree.nodes.len());
                let there = boxes.iter().zip(&is_there).filter(|(_, is_there)| **is_there);
                let exact = there.fold(Bounds::EMPTY, |all, (bounds, _)| all.union(bounds));
                assert_eq!(tree.nodes[0].around(), exact);
                let anew = UpwardPaths { leaf: paths.leaf.clone(), ..UpwardPaths::new::<DVec3>(&tree, boxes.len()) };
                assert!((paths.area / anew.area - 1.0).abs() < 1e-6, "{} {}", paths.area, anew.area);
                assert_eq!((&paths.parent, paths.primitives), (&anew.parent, anew.primitives));
            }
            // Between refits, each slot must be found exactly once: in the main tree or in that of moved slots.
            if step % 50 == 0 {
                for (slot, bounds) in (0..).zip(&boxes) {
                    let main = at(&tree, bounds).into_iter().filter(|slot| !moved.bits.contains(*slot));
                    let found = main.chain(at(&moved.tree, bounds)).filter(|other| *other == slot).count();
                    assert_eq!(found, usize::from(is_there[slot as usize]), "slot {slot} at step {step}");
                }
            }
        }
        // At the end the leaves hold each slot that is there.
        assert_eq!(
            tree.leaves().map(Leaf::count).sum::<usize>(),
            is_there.iter().filter(|is_there| **is_there).count()
        );
    }

    /// Boxes at one place, and boxes in a row that doubles: the depth stays bounded.
    #[test]
    fn awkward_insertions_stay_shallow() {
        let doubling = |i: i32| (i % 60 - 30) as f32;
        for place in [|_: i32| 0.0, |i: i32| i as f32, doubling] {
            let mut tree = Bvh16::EMPTY;
            let mut paths = UpwardPaths::new::<DVec3>(&tree, 0);
            for i in 0..20_000 {
                paths.push_slot();
                paths.insert(&mut tree, i as u32, &cube([place(i).exp2().min(1e9), 0.0, 0.0], 0.25));
            }
            assert!(UpwardPaths::depth(&tree, 0) < MAX_DEPTH, "{}", UpwardPaths::depth(&tree, 0));
            assert_eq!(tree.leaves().map(Leaf::count).sum::<usize>(), 20_000);
        }
    }
}
