//! HLBVH builder: clusters of primitives along a Morton curve, and a SAH BVH above them.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::collapse::{WideNodes, collapse};
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::build::sah::build_binary;
use crate::bvh::build::settings::{Axes, BuildSettings, TRAVERSAL_COST};
use crate::bvh::node::Leaf;
use alloc::vec::Vec;

/// Builds a wide BVH over Morton clusters.
///
/// # Method
/// Primitives are sorted by Morton code, which interleaves the bits of their centres' coordinates. Each range of the
/// curve is halved at the highest bit that changes. Bottom up, two small halves merge into one cluster where that costs
/// less than a test of both. The clusters are the leaves of a binned-SAH BVH over a fifth as many items.
///
/// # Source
/// Lauterbach et al., *Fast BVH Construction on GPUs*, Computer Graphics Forum 28(2), 2009, for the curve; Pantaleoni,
/// Luebke, *HLBVH: Hierarchical LBVH Construction for Real-Time Ray Tracing of Dynamic Geometry*, High Performance
/// Graphics, 2010, for the SAH over clusters along it.
pub(crate) fn build_over_clusters(prim_refs: &[PrimRef], settings: &BuildSettings) -> WideNodes {
    // The clusters along the curve, then a tree over them in which each counts as one primitive.
    let mut grouping = Grouping { prim_refs, settings, groups: Vec::new() };
    let slots = morton_sort(prim_refs);
    if !slots.is_empty() {
        grouping.cluster(&slots, 0);
    }
    let Grouping { groups, .. } = grouping;
    let prim_ref = |(number, group): (usize, &MortonCluster)| PrimRef::new(group.bounds, number as u32);
    // One axis per split is enough: the clusters are in order already.
    let whole = BuildSettings { max_leaf_size: 1, block_size: 1, axes: Axes::Longest, corners: None, ..*settings };
    let mut wide = collapse(&build_binary(groups.iter().enumerate().map(prim_ref).collect(), &whole), &whole);
    // Each leaf holds one cluster: replace it by the primitives of the cluster.
    let numbers = core::mem::take(&mut wide.prim_ids);
    for child in wide.nodes.iter_mut().flat_map(|node| &mut node.child) {
        let Some(leaf) = Leaf::of(*child) else { continue };
        let MortonCluster { first, count, .. } = groups[numbers[leaf.first()] as usize];
        *child = Leaf::new(wide.prim_ids.len(), count).child();
        wide.prim_ids.extend(slots[first..][..count].iter().map(|slot| prim_refs[slot.prim_ref as usize].part()));
    }
    wide
}

/// Primitive reference with the Morton code of its centre.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MortonPrim {
    code: u64,
    prim_ref: u32,
}

/// Cluster: a range of the Morton order with its bounds.
struct MortonCluster {
    bounds: Bounds,
    first: usize,
    count: usize,
}

struct Grouping<'a> {
    prim_refs: &'a [PrimRef],
    settings: &'a BuildSettings<'a>,
    groups: Vec<MortonCluster>,
}

impl Grouping<'_> {
    /// Appends the clusters of a range. Returns the bounds of the range and the SAH cost of its clusters.
    fn cluster(&mut self, slots: &[MortonPrim], first: usize) -> (Bounds, f64) {
        let (count, known) = (slots.len(), self.groups.len());
        let (bounds, in_groups) = if let [slot] = slots {
            (self.prim_refs[slot.prim_ref as usize].bounds, f64::INFINITY)
        } else {
            let (a, b) = slots.split_at(halfway(slots));
            let (left, cost_of_left) = self.cluster(a, first);
            let (right, cost_of_right) = self.cluster(b, first + a.len());
            let bounds = left.union(&right);
            (bounds, f64::from(TRAVERSAL_COST) * self.settings.area(&bounds) + cost_of_left + cost_of_right)
        };
        let as_one = self.settings.area(&bounds) * f64::from(self.settings.cost(count));
        // A single reference is a cluster whatever its cost, even NaN.
        if count > 1 && !(count <= self.settings.max_leaf_size && as_one <= in_groups) {
            return (bounds, in_groups);
        }
        self.groups.truncate(known);
        self.groups.push(MortonCluster { bounds, first, count });
        (bounds, as_one)
    }
}

/// Split position of a range: where the highest bit changes, or the middle if all codes are equal.
fn halfway(slots: &[MortonPrim]) -> usize {
    let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return 0 };
    match (first.code ^ last.code).checked_ilog2() {
        Some(bit) => slots.partition_point(|slot| slot.code >> bit == first.code >> bit),
        None => slots.len() / 2,
    }
}

/// Bits of the Morton code per axis.
const STEPS: u32 = 21;

/// Sorts references by Morton code, and by index among equal codes.
fn morton_sort(prim_refs: &[PrimRef]) -> Vec<MortonPrim> {
    // The range of the centres gives the cells of the curve.
    let centers = prim_refs.iter().fold(Bounds::EMPTY, |all, prim_ref| {
        let center = prim_ref.bounds.center();
        all.union(&Bounds { low: center, high: center })
    });
    // One scale for all axes gives cubic cells. Halves keep ranges near `f32::MAX` from overflowing.
    let half = (0..3).map(|axis| 0.5 * centers.high[axis] - 0.5 * centers.low[axis]).fold(0.0, f32::max);
    let scale = 0.5 * (1 << STEPS) as f32 / half;
    let scale = if half > 0.0 && scale < f32::INFINITY { scale } else { 0.0 };
    // The code of a reference: the bits of its three cell numbers, x first.
    let slot = |(number, prim_ref): (usize, &PrimRef)| {
        let center = prim_ref.bounds.center();
        let step = |axis: usize| {
            // NaN maps to 0.
            let step = ((center[axis] - centers.low[axis]) * scale) as u64;
            spread_bits(step.min((1 << STEPS) - 1))
        };
        MortonPrim { code: step(0) << 2 | step(1) << 1 | step(2), prim_ref: number as u32 }
    };
    // The index breaks ties between equal codes, so that the tree does not depend on the sort or on threads.
    let mut slots: Vec<MortonPrim> = prim_refs.iter().enumerate().map(slot).collect();
    #[cfg(feature = "rayon")]
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut slots[..]);
    #[cfg(not(feature = "rayon"))]
    slots.sort_unstable();
    slots
}

/// Spreads the bits of a number below 2^21: two zero bits before each.
#[cfg_attr(not(debug_assertions), inline(always))]
fn spread_bits(mut x: u64) -> u64 {
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_put_apart() {
        for x in [0, 1, 2, 0x15_5555, 0x1f_ffff, 0x12_3456] {
            let slowly = (0..STEPS).fold(0, |all, bit| all | (x >> bit & 1) << (3 * bit));
            assert_eq!(spread_bits(x), slowly, "{x:x}");
        }
    }

    /// Each primitive is in one leaf, also when all centres coincide or lie far out.
    #[test]
    fn every_part_is_in_a_leaf() {
        let settings = BuildSettings { max_leaf_size: 16, block_size: 16, flat: false, axes: Axes::All, corners: None };
        for size in [0.0, 1.0, 1e30, f32::MAX] {
            let at = |i: u32| {
                let x = [i % 7, i % 11, i % 13, 0].map(|k| k as f32 / 16.0 * size);
                PrimRef::new(Bounds { low: x, high: x }, i)
            };
            for count in [0, 1, 2, 9, 500] {
                let prim_refs: Vec<_> = (0..count).map(at).collect();
                let wide = build_over_clusters(&prim_refs, &settings);
                let mut prim_ids = wide.prim_ids;
                prim_ids.sort_unstable();
                assert!(prim_ids.iter().copied().eq(0..count), "{size} {count}: {prim_ids:?}");
                assert!(wide.depth <= 64, "{}", wide.depth);
            }
        }
    }
}
