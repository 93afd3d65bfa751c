//! Building the tree: binned surface area heuristic.

use super::bvh::Node;
use crate::Aabb;
use crate::math::{Real, Vector};
use alloc::vec;
use alloc::vec::Vec;

pub(super) struct Plan<V> {
    pub(super) nodes: Vec<Node<V>>,
    pub(super) parts: Vec<u32>,
    pub(super) depth: usize,
}

/// Bins per axis: more gain little (Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, 2007).
const BINS: usize = 16;
/// Parts below which a leaf is not split further.
const LEAF: usize = 4;
/// Below this depth parts are halved by number, which bounds the depth of any tree.
const BALANCED_BELOW: usize = 64;

/// # Source
/// Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, IEEE Symposium on Interactive Ray Tracing,
/// 2007.
pub(super) fn plan<V: Vector>(boxes: &[Aabb<V>]) -> Plan<V> {
    let mut parts: Vec<u32> = (0..u32::try_from(boxes.len()).unwrap_or(u32::MAX)).collect();
    let centers: Vec<[f64; 3]> = boxes.iter().map(|b| b.center().to_xyz().map(Real::to_f64)).collect();
    let mut builder = Builder { boxes, centers: &centers, nodes: vec![], depth: 0 };
    if !parts.is_empty() {
        builder.node(&mut parts, 0, 1);
    }
    let Builder { nodes, depth, .. } = builder;
    Plan { nodes, parts, depth }
}

struct Builder<'a, V> {
    boxes: &'a [Aabb<V>],
    centers: &'a [[f64; 3]],
    nodes: Vec<Node<V>>,
    depth: usize,
}

impl<V: Vector> Builder<'_, V> {
    fn node(&mut self, parts: &mut [u32], first: u32, depth: usize) {
        self.depth = self.depth.max(depth);
        let bounds = parts.iter().fold(Aabb::empty(), |b, &i| b.union(self.boxes[i as usize]));
        let at = self.nodes.len();
        self.nodes.push(Node { bounds, first, count: parts.len() as u32 });
        if parts.len() <= 1 {
            return;
        }
        let middle = match self.split(parts, &bounds, depth) {
            Some(middle) => middle,
            None if parts.len() <= LEAF => return,
            None => parts.len() / 2,
        };
        let (left, right) = parts.split_at_mut(middle);
        self.node(left, first, depth + 1);
        let second = self.nodes.len() as u32;
        self.node(right, first + middle as u32, depth + 1);
        self.nodes[at] = Node { bounds, first: second, count: 0 };
    }

    /// Reorders the parts around the cheapest split; `None` when a leaf is cheaper or nothing separates them.
    fn split(&self, parts: &mut [u32], bounds: &Aabb<V>, depth: usize) -> Option<usize> {
        if depth >= BALANCED_BELOW {
            return None;
        }
        let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for &i in parts.iter() {
            for (axis, r) in range.iter_mut().enumerate() {
                let c = self.centers[i as usize][axis];
                *r = [r[0].min(c), r[1].max(c)];
            }
        }
        // In intersections: visiting a node costs about as much as one.
        let as_leaf = if parts.len() > LEAF { f64::INFINITY } else { parts.len() as f64 * area(bounds) };
        let mut best = (as_leaf, None);
        for (axis, r) in range.iter().enumerate().take(V::DIM) {
            if !(r[1] > r[0]) {
                continue;
            }
            let mut bins = [(Aabb::<V>::empty(), 0usize); BINS];
            for &i in parts.iter() {
                let bin = &mut bins[bin_of(self.centers[i as usize][axis], *r)];
                *bin = (bin.0.union(self.boxes[i as usize]), bin.1 + 1);
            }
            let mut right = [(0.0, 0usize); BINS];
            let (mut b, mut n) = (Aabb::empty(), 0);
            for k in (1..BINS).rev() {
                (b, n) = (b.union(bins[k].0), n + bins[k].1);
                right[k] = (area(&b), n);
            }
            let (mut b, mut n) = (Aabb::empty(), 0);
            for k in 1..BINS {
                (b, n) = (b.union(bins[k - 1].0), n + bins[k - 1].1);
                let cost = area(bounds) + area(&b) * n as f64 + right[k].0 * right[k].1 as f64;
                if n > 0 && right[k].1 > 0 && cost < best.0 {
                    best = (cost, Some((axis, k, *r)));
                }
            }
        }
        let (axis, k, r) = best.1?;
        Some(partition(parts, |i| bin_of(self.centers[i as usize][axis], r) < k))
    }
}

/// The bin of a centre; the range is not empty. Halves keep a range near the end of the exponents from overflowing.
fn bin_of(c: f64, [low, high]: [f64; 2]) -> usize {
    let x = (0.5 * c - 0.5 * low) / (0.5 * high - 0.5 * low) * BINS as f64;
    (x as usize).min(BINS - 1)
}

/// Half the surface of a box (of a rectangle, half its circumference); zero for an empty one.
fn area<V: Vector>(b: &Aabb<V>) -> f64 {
    if b.is_empty() {
        return 0.0;
    }
    let [x, y, z] = b.half_extents().to_xyz().map(Real::to_f64);
    if V::DIM == 2 { x + y } else { x * y + y * z + z * x }
}

/// Those that satisfy `left` first, in their order, then the others, in theirs: stable, hence the same tree always.
fn partition(parts: &mut [u32], left: impl Fn(u32) -> bool) -> usize {
    let (a, b): (Vec<u32>, Vec<u32>) = parts.iter().partition(|&&i| left(i));
    parts[..a.len()].copy_from_slice(&a);
    parts[a.len()..].copy_from_slice(&b);
    a.len()
}
