//! Traversal stack of nodes and leaves.

use crate::bvh::node::WIDTH;
use crate::bvh::slab::SlabTest;
use crate::simd::lanes::{F32Lanes, SimdF32};
use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// Number of keys: a traversal of millions of primitives has some dozens at a time.
const CAPACITY: usize = 256;

/// Memory of a [`Stack`]. None of it is on the heap: something to drop makes the compiler keep the constants of the traversal in
/// memory, not in registers.
pub(crate) struct StackMemory([MaybeUninit<u64>; CAPACITY]);

impl StackMemory {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self([MaybeUninit::uninit(); CAPACITY])
    }
}

/// Traversal stack of keys, the nearest last: entry distance above, child below. Where it [is full](Self::is_full),
/// [`TraverseDeep`](crate::bvh::traverse::deep::TraverseDeep) takes over.
pub(crate) struct Stack<'a> {
    memory: &'a mut StackMemory,
    /// The first `count` keys are initialized; at most `CAPACITY`.
    count: usize,
}

impl<'a> Stack<'a> {
    #[inline(always)]
    pub(crate) fn new(memory: &'a mut StackMemory) -> Self {
        Self { memory, count: 0 }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether there may be no room for the children of another node.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.count > CAPACITY - WIDTH
    }

    /// Returns the nearest child of the mask, and pushes the others, the farthest first. Requires a mask that is not empty, and a
    /// stack that is not [full](Self::is_full).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push_children<L: SimdF32, S: SlabTest>(
        &mut self,
        entries: L,
        mut mask: u32,
        children: &[u32; WIDTH],
    ) -> u32 {
        // Most nodes have one or two children to visit.
        if mask & (mask - 1) == 0 {
            return children[mask.trailing_zeros() as usize % WIDTH];
        }
        // The distances as sort keys, each with its child in the lower half.
        let mut entered = CacheLine([0.0; WIDTH]);
        entries.store(&mut entered.0);
        let mut child = || {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            (key::<S>(entered.0[lane]) | u64::from(children[lane]), mask != 0)
        };
        // The first two children in order; each further one is inserted among those that wait, unless it is the
        // nearest.
        let ((a, _), (b, mut more)) = (child(), child());
        let (first, mut near) = (self.count, a.min(b));
        self.push(a.max(b));
        while more {
            let entry;
            (entry, more) = child();
            self.insert(first, near.max(entry));
            near = near.min(entry);
        }
        near as u32
    }

    #[inline(always)]
    fn push(&mut self, key: u64) {
        self.memory.0[self.count].write(key);
        self.count += 1;
    }

    /// Inserts a key in descending order among those from `first` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn insert(&mut self, first: usize, key: u64) {
        let mut at = self.count;
        self.count += 1;
        while at > first && self.at(at - 1) < key {
            self.memory.0[at] = self.memory.0[at - 1];
            at -= 1;
        }
        self.memory.0[at].write(key);
    }

    /// Pops the nearest child whose entry distance is not beyond `end`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn pop_unculled<S: SlabTest>(&mut self, end: f32) -> Option<u32> {
        while self.count > 0 {
            self.count -= 1;
            let key = self.at(self.count);
            if !(entered::<S>(key) > end) {
                return Some(key as u32);
            }
        }
        None
    }

    /// A key below the last count.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at(&self, i: usize) -> u64 {
        #[allow(unsafe_code)]
        // SAFETY: all keys below a count have been initialized.
        unsafe {
            self.memory.0[i].assume_init()
        }
    }

    /// All keys, the nearest last.
    pub(crate) fn keys(&self) -> Vec<u64> {
        (0..self.count).map(|i| self.at(i)).collect()
    }
}

/// Aligned to a cache line, so that loads of single lanes forward from the store.
#[repr(align(64))]
struct CacheLine(F32Lanes);

/// Sort key of an entry distance, in the upper 32 bits. Non-negative floats order like their bits. Where entries may be
/// negative, all bits of negative ones and the sign bit of others are flipped.
#[inline(always)]
pub(crate) fn key<S: SlabTest>(entry: f32) -> u64 {
    let bits = entry.to_bits();
    let flip = if S::SIGNED { (bits as i32 >> 31) as u32 | 1 << 31 } else { 0 };
    u64::from(bits ^ flip) << 32
}

#[inline(always)]
pub(crate) fn entered<S: SlabTest>(key: u64) -> f32 {
    let bits = (key >> 32) as u32;
    let flip = if S::SIGNED { (!bits as i32 >> 31) as u32 | 1 << 31 } else { 0 };
    f32::from_bits(bits ^ flip)
}

/// Insertion step: moves the last key to its position in descending order.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sift_into_order(keys: &mut [u64]) {
    let Some(mut at) = keys.len().checked_sub(1) else { return };
    let key = keys[at];
    while at > 0 && keys[at - 1] < key {
        keys[at] = keys[at - 1];
        at -= 1;
    }
    keys[at] = key;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::bounds::Bounds;
    use crate::bvh::box_distance::BoxDistance;
    use crate::bvh::bvh::Bvh16;
    use crate::bvh::node::{Leaf, Node16};
    use crate::bvh::prepared_ray::PreparedRayF64;
    use crate::bvh::ray::RayF32;
    use crate::bvh::slab::SlabConstants;
    use crate::bvh::traverse::ended::Ended;
    use crate::bvh::traverse::nearest_first::NearestFirst;
    use crate::bvh::traverse::stream::RayStream;
    use crate::bvh::traverse::stream_prims::PrimMemory;
    use crate::bvh::traverse::visitor::PrimVisitor;
    use crate::overlap::volume::Volume;
    use crate::simd::dispatch::dispatch;
    use crate::{Aabb, Ray, RayLike};
    use alloc::vec;
    use core::ops::ControlFlow;
    use glam::DVec3;

    #[test]
    fn keys_are_ordered_like_entries() {
        let entries = [f32::NEG_INFINITY, -2.5, -1e-40, 0.0, 1e-40, 3.0, f32::MAX];
        for pair in entries.windows(2) {
            assert!(key::<PreparedRayF64>(pair[0]) < key::<PreparedRayF64>(pair[1]), "{pair:?}");
            assert!(pair[0] < 0.0 || key::<SlabConstants>(pair[0]) < key::<SlabConstants>(pair[1]), "{pair:?}");
        }
        entries.iter().for_each(|&x| assert_eq!(entered::<PreparedRayF64>(key::<PreparedRayF64>(x)), x));
        entries[3..].iter().for_each(|&x| assert_eq!(entered::<SlabConstants>(key::<SlabConstants>(x)), x));
    }

    /// A chain of nodes, each the nearest child of the one before; the other children are leaves of one slot at `x` = slot. The
    /// stack grows by fifteen keys a node.
    fn chain(depth: usize) -> Bvh16 {
        let at = |from: f32, to: f32| Bounds { low: [from, -1.0, -1.0, 0.0], high: [to, 1.0, 1.0, 0.0] };
        let slots = 15 * depth as u32 + 1;
        let mut tree = Bvh16 { prim_ids: (0..slots).collect(), depth: depth + 1, ..Bvh16::EMPTY };
        for number in 0..depth as u32 {
            let mut node = Node16::EMPTY;
            let is_last = number + 1 == depth as u32;
            // The slots of a node are nearer than those of the nodes above it.
            let first = slots - 15 * (number + 1);
            for lane in 0..15 {
                // In no order.
                let slot = first + (lane * 7 + number) % 15;
                node.set(lane as usize, &at(slot as f32, slot as f32 + 0.5), Leaf::new(slot as usize, 1).child());
            }
            let (to, child) = if is_last { (0.5, Leaf::new(0, 1).child()) } else { (first as f32 - 0.5, number + 1) };
            node.set(15, &at(0.0, to), child);
            tree.nodes.push(node);
        }
        tree.measure();
        tree
    }

    /// The slots in the order in which a traversal visits them. At the slot `last` it lowers the limit to that of the next one.
    fn visited(last: u32, speed: f64, traverse: impl FnOnce(&mut SlotVisitor<'_>)) -> Vec<u32> {
        let mut seen = Vec::new();
        let mut part = |slot, limit: &mut f64| {
            seen.push(slot);
            if slot == last {
                *limit = (f64::from(slot) + 1.6) / speed;
            }
            ControlFlow::Continue(())
        };
        traverse(&mut PrimVisitor { part: &mut part, limit: f64::MAX, fetch: |_| {} });
        seen
    }

    type SlotVisitor<'a> = PrimVisitor<&'a mut dyn FnMut(u32, &mut f64) -> ControlFlow<()>, fn(u32), false>;

    /// However deep the tree, all leaves are visited, the nearest first, and none beyond the limit.
    #[test]
    fn the_nearest_comes_first_however_deep() {
        let depths: &[usize] = if cfg!(miri) { &[18] } else { &[1, 2, 16, 17, 18, 60] };
        for &depth in depths {
            // Trees in which each node has a leaf and one child: as deep as wanted.
            let tree = chain(depth);
            let slots = tree.prim_ids.len() as u32;
            // A ray for `f32`, and one that only `f64` holds.
            for speed in [1.0, 1e-12] {
                let ray = RayLike::<DVec3>::raw(&Ray::new(DVec3::X * -0.5, DVec3::X * speed));
                for last in [u32::MAX, slots / 2] {
                    let seen = visited(last, speed, |leaves| {
                        let _ = tree.visit(&ray, 0.0, f64::MAX, leaves);
                    });
                    let end = if last == u32::MAX { slots } else { (last + 2).min(slots) };
                    assert!(seen.iter().copied().eq(0..end), "{depth} {speed} {seen:?}");
                }
            }
            // The same for a search by distance.
            let test = BoxDistance::of_point(DVec3::X * -0.5, None, f64::from(slots)).0;
            let seen = visited(u32::MAX, 1.0, |leaves| {
                let ended = dispatch(NearestFirst { tree: &tree, test, end: f32::MAX, leaves });
                assert_eq!(ended, Ended::Finished);
            });
            // The first leaf may come again.
            let again = usize::from(seen.starts_with(&[0, 0]));
            assert!(seen[again..].iter().copied().eq(0..slots), "{depth} {seen:?}");
        }
    }

    /// A volume that cuts all boxes finds all leaves.
    #[test]
    fn a_volume_reaches_all_leaves_of_a_deep_tree() {
        let depths: &[usize] = if cfg!(miri) { &[40] } else { &[1, 40, 60] };
        for &depth in depths {
            let tree = chain(depth);
            let slots = tree.prim_ids.len() as u32;
            let half = DVec3::new(f64::from(slots), 0.5, 0.5);
            let volume = Volume::from(Aabb { min: -half, max: half });
            let mut seen = Vec::new();
            let ended = tree.visit_overlaps(&volume, None, false, &mut |slot, is_inside| {
                assert!(!is_inside);
                seen.push(slot);
                ControlFlow::Continue(())
            });
            assert!(ended.is_continue());
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..slots), "{depth} {seen:?}");
        }
    }

    /// The rays of a stream reach all leaves, too: one at a time, and several in flight.
    #[test]
    fn rays_of_a_stream_reach_all_leaves_of_a_deep_tree() {
        let (depth, count) = if cfg!(miri) { (18, 8) } else { (60, 100) };
        let (tree, mut stream) = (chain(depth), RayStream::new());
        let slots = tree.prim_ids.len() as u32;
        // Each in another octant than the one before.
        let ray = |i: usize| DVec3::new(1.0, [1e-6, -1e-6][i % 2], [1e-6, -1e-6][i / 2 % 2]);
        let aims: Vec<_> = (0..count)
            .map(|i| RayLike::<DVec3>::raw(&Ray::new(DVec3::X * -0.5, ray(i))))
            .map(|raw| RayF32::of(&raw, 0.0, tree.largest).map(|aim| (aim, f32::MAX)))
            .collect();
        let memory = PrimMemory { fetch: &|_| {}, fetch_rest: &|_| false, bytes: 1 << 30 };
        // In the first stream one ray at a time; the second knows that the memory is large, and has several in flight.
        for _ in 0..2 {
            let mut seen = vec![Vec::new(); aims.len()];
            let mut look = |ray: u32, slot: u32, _: &mut f64| {
                seen[ray as usize].push(slot);
                ControlFlow::Continue(())
            };
            tree.traverse_stream(&mut stream, &aims, &mut look, memory);
            assert!(seen.iter().all(|seen| seen.iter().copied().eq(0..slots)));
        }
    }
}
