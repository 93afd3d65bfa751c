//! Building the tree: binned surface area heuristic.

use crate::Aabb;
use crate::math::{Real, Vector};
use alloc::vec;
use alloc::vec::Vec;

/// A binary tree, in depth-first order, and the numbers of the parts in the order of the leaves.
pub(super) struct Plan<V> {
    pub(super) branches: Vec<Branch<V>>,
    pub(super) parts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Branch<V> {
    pub(super) bounds: Aabb<V>,
    pub(super) area: f64,
    /// Of a leaf its first place in `parts`; else the second child (the first one is the next branch).
    pub(super) first: u32,
    /// Parts of a leaf; else 0.
    pub(super) count: u32,
}

/// Bins per axis: more gain little (Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, 2007).
const BINS: usize = 16;
/// A split costs less than a third of a leaf: eight children are looked at together.
const VISIT: f64 = 0.3;
/// Below this depth parts are halved by number, which bounds the depth of any tree.
const BALANCED_BELOW: usize = 64;

/// # Source
/// Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, IEEE Symposium on Interactive Ray Tracing,
/// 2007.
pub(super) fn plan<V: Vector>(boxes: &[Aabb<V>], most: usize, together: usize) -> Plan<V> {
    let mut parts: Vec<u32> = (0..u32::try_from(boxes.len()).unwrap_or(u32::MAX)).collect();
    let centers: Vec<[f64; 3]> = boxes.iter().map(|b| b.center().to_xyz().map(Real::to_f64)).collect();
    let mut builder = Builder { boxes, centers: &centers, most, together, branches: vec![] };
    if !parts.is_empty() {
        builder.node(&mut parts, 0, 1);
    }
    Plan { branches: builder.branches, parts }
}

struct Builder<'a, V> {
    boxes: &'a [Aabb<V>],
    centers: &'a [[f64; 3]],
    /// Parts of a leaf.
    most: usize,
    /// Parts that are tested at a time.
    together: usize,
    branches: Vec<Branch<V>>,
}

impl<V: Vector> Builder<'_, V> {
    fn node(&mut self, parts: &mut [u32], first: u32, depth: usize) {
        let bounds = parts.iter().fold(Aabb::empty(), |b, &i| b.union(self.boxes[i as usize]));
        let at = self.branches.len();
        let area = area(&bounds);
        self.branches.push(Branch { bounds, area, first, count: parts.len() as u32 });
        if parts.len() <= 1 {
            return;
        }
        let middle = match self.split(parts, &bounds, depth) {
            Some(middle) => middle,
            None if parts.len() <= self.most => return,
            None => parts.len() / 2,
        };
        let (left, right) = parts.split_at_mut(middle);
        self.node(left, first, depth + 1);
        let second = self.branches.len() as u32;
        self.node(right, first + middle as u32, depth + 1);
        self.branches[at] = Branch { bounds, area, first: second, count: 0 };
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
        // In leaves of as many parts as are tested at a time.
        let blocks = |n: usize| n.div_ceil(self.together) as f64;
        let as_leaf = if parts.len() > self.most { f64::INFINITY } else { blocks(parts.len()) * area(bounds) };
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
                let cost = VISIT * area(bounds) + area(&b) * blocks(n) + right[k].0 * blocks(right[k].1);
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
