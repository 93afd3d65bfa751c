//! Ray-list traversal: for each node a list holds every ray, or packet, that enters it, so that the node is read once
//! for the whole list.
//!
//! # Source
//! Tsakok, *Faster Incoherent Rays: Multi-BVH Ray Stream Tracing*, HPG 2009: ray lists, compacted for each child of a
//! node. Barringer, Akenine-Möller, *Dynamic Ray Stream Traversal*, SIGGRAPH 2014: one list for each octant.

use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{LEAF, Leaf, NodeBounds, WIDTH};
use crate::bvh::slab::near_far_planes;
use crate::bvh::traverse::stack::sift_into_order;
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::bvh::traverse::working_set::CacheMissEstimator;
use crate::simd::lanes::{SimdF32, prefetch};
use crate::target::COMPACT;
use alloc::vec::Vec;
use arrayvec::ArrayVec;

/// Ray group: the rays, or packets, that a list traversal indexes.
pub(crate) trait RayGroup<C: StreamVisitor> {
    /// Axes of negative direction, as bits.
    fn octant(&self, i: u32) -> usize;
    /// Entry distance of each child box, and a mask of the boxes that the item may hit.
    fn intersect<L: SimdF32>(&self, i: u32, planes: &[L; 6]) -> (L, u32);
    /// Visits a leaf. `of` names the node and the lane of the leaf's box.
    fn look<L: SimdF32>(&mut self, i: u32, leaf: Leaf, of: (&NodeBounds, usize), tree: &Bvh16, visitor: &mut C);
    /// Prefetches the state of an item.
    fn fetch(&self, i: u32);
}

/// Ray list of one node or leaf: indices into the ray group, sixteen per block.
#[derive(Clone, Copy, Debug)]
struct RayList {
    child: u32,
    /// The parent node, and the lane of this child in it.
    from: (u32, usize),
    /// The first block.
    first: usize,
    count: usize,
}

/// Stack of ray lists.
#[derive(Debug, Default)]
pub(crate) struct RayLists {
    ahead: Vec<RayList>,
    blocks: Vec<[u32; WIDTH]>,
    /// For each item of the current list, a mask of the children that it enters.
    masks: Vec<[u16; WIDTH]>,
}

/// Prefetch distance, in items.
const PREFETCH_DISTANCE: usize = 2;

impl RayLists {
    /// Traverses the BVH with the items `some` of `all`, and visits every leaf that an item may hit.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn run<L: SimdF32, C: StreamVisitor, G: RayGroup<C> + ?Sized>(
        &mut self,
        some: &[u32],
        all: &mut G,
        tree: &Bvh16,
        visitor: &mut C,
        cache_misses: &mut CacheMissEstimator,
    ) {
        // One list at the root for each octant; from there on, one list for each child that any item enters.
        self.begin::<L, C, G>(some, all, tree.root());
        // The last list pushed is the nearest child.
        while let Some(list) = self.ahead.pop() {
            if let Some(leaf) = Leaf::of(list.child) {
                if !COMPACT {
                    cache_misses.record(leaf);
                }
                // A leaf: each item of the list visits it, while the state of items to come is fetched.
                let list_of = (&tree.nodes[list.from.0 as usize].planes, list.from.1);
                let numbers = &self.blocks[list.first..].as_flattened()[..list.count];
                for (&i, next) in numbers.iter().zip((PREFETCH_DISTANCE..).map(|k| numbers.get(k))) {
                    if let Some(&next) = next {
                        all.fetch(next);
                    }
                    all.look::<L>(i, leaf, list_of, tree, visitor);
                }
            } else if list.child & LEAF == 0 {
                self.node::<L, C, G>(all, tree, list, visitor);
            }
        }
    }

    /// Pushes the root once per octant, with the items of that octant.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin<L: SimdF32, C: StreamVisitor, G: RayGroup<C> + ?Sized>(&mut self, some: &[u32], all: &G, root: u32) {
        // All items in one list first, and for each item its octant as a mask.
        let list = RayList { child: root, from: (root, 0), first: 0, count: some.len() };
        self.ahead.clear();
        self.make_room(list);
        self.blocks.as_flattened_mut()[..some.len()].copy_from_slice(some);
        let mut octants = 0;
        for (masks, numbers) in self.masks.iter_mut().zip(some.chunks(WIDTH)) {
            *masks = [0; WIDTH];
            for (mask, &i) in masks.iter_mut().zip(numbers) {
                *mask = 1 << all.octant(i);
                octants |= *mask;
            }
        }
        // The masks deal the items to one list for each octant: these share near and far planes.
        let mut top = list.top();
        // Not a closure: it would compile to a call.
        for octant in 0..8 {
            if octants >> octant & 1 == 1 {
                top = self.compact_to_child::<L>(list, octant, (root, root), top);
            }
        }
    }

    /// Allocates room for a list and for the lists of all its children.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make_room(&mut self, list: RayList) {
        let blocks = list.count.div_ceil(WIDTH);
        let needed = list.first + (WIDTH + 1) * (blocks + 1);
        if self.blocks.len() < needed {
            self.blocks.resize(2 * needed, [0; WIDTH]);
        }
        if self.masks.len() < blocks {
            self.masks.resize(2 * blocks, [0; WIDTH]);
        }
    }

    /// Compacts the items of `list` that enter one child to a new list, which starts at block `top`. Returns the first
    /// free block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn compact_to_child<L: SimdF32>(
        &mut self,
        list: RayList,
        lane: usize,
        (from, child): (u32, u32),
        top: usize,
    ) -> usize {
        let (taken, free) = self.blocks.split_at_mut(top);
        let out = free.as_flattened_mut();
        let mut count = 0;
        for (numbers, masks) in taken[list.first..list.top()].iter().zip(&self.masks) {
            if let Some(out) = out[count..].first_chunk_mut() {
                count += L::compress(numbers, masks, lane, out);
            }
        }
        let dealt = RayList { child, from: (from, lane), first: top, count };
        self.ahead.push(dealt);
        dealt.top()
    }

    /// Intersects the items of a list with a node, and pushes a list for each child, the nearest last.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn node<L: SimdF32, C: StreamVisitor, G: RayGroup<C> + ?Sized>(
        &mut self,
        goers: &G,
        tree: &Bvh16,
        list: RayList,
        visitor: &C,
    ) {
        // The lists of the children come behind this one; they need room.
        self.make_room(list);
        let node = &tree.nodes[list.child as usize];
        // All items of a list have the same octant, so the planes are sorted once for all.
        let leader = self.blocks[list.first][0];
        let planes = near_far_planes::<L>(&node.planes, goers.octant(leader));
        // Each item against the sixteen boxes: a mask for each item, and the children that any of them enters.
        let mut all = 0;
        let mut left = list.count;
        for (block, masks) in self.blocks[list.first..list.top()].iter().zip(&mut self.masks) {
            *masks = [0; WIDTH];
            for (&i, mask) in block.iter().zip(masks).take(left) {
                let (_, met) = goers.intersect::<L>(i, &planes);
                *mask = met as u16;
                all |= met;
            }
            left -= WIDTH.min(left);
        }
        if all == 0 {
            return;
        }
        // The first item decides the order of the children for all: the others are alike.
        let mut entries = [0.0; WIDTH];
        goers.intersect::<L>(leader, &planes).0.store(&mut entries);
        let mut order = ArrayVec::<u64, WIDTH>::new();
        while all != 0 {
            let lane = all.trailing_zeros() as usize % WIDTH;
            all &= all - 1;
            // Entries are never negative. `order` has room for all children.
            let _ = order.try_push(u64::from(entries[lane].to_bits()) << 32 | lane as u64);
            sift_into_order(&mut order);
        }
        // A list for each child, compacted from the masks. The farthest is pushed first, so that the nearest is taken
        // next.
        let mut top = list.top();
        for entry in order {
            let lane = entry as usize % WIDTH;
            let child = node.child[lane];
            match Leaf::of(child) {
                Some(leaf) => visitor.fetch(leaf),
                None => tree.fetch(child),
            }
            top = self.compact_to_child::<L>(list, lane, (list.child, child), top);
        }
    }
}

impl RayList {
    /// The first block after the list.
    #[inline(always)]
    fn top(self) -> usize {
        self.first + self.count.div_ceil(WIDTH)
    }
}

impl<C: StreamVisitor> RayGroup<C> for [StreamRay<C::Payload>] {
    #[inline(always)]
    fn octant(&self, i: u32) -> usize {
        self[i as usize].line.octant()
    }
    #[inline(always)]
    fn intersect<L: SimdF32>(&self, i: u32, planes: &[L; 6]) -> (L, u32) {
        let ray = &self[i as usize];
        ray.line.intersect::<L>(planes, ray.end)
    }
    #[inline(always)]
    fn look<L: SimdF32>(&mut self, i: u32, leaf: Leaf, _: (&NodeBounds, usize), _: &Bvh16, visitor: &mut C) {
        self[i as usize].look::<L>(leaf, visitor);
    }
    #[inline(always)]
    fn fetch(&self, i: u32) {
        prefetch(&self[i as usize]);
    }
}
