//! Entry point of the builders: from primitive references to a BVH.

use crate::bvh::build::collapse::{WideNodes, collapse};
use crate::bvh::build::morton::build_over_clusters;
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::build::sah::build_binary;
use crate::bvh::build::settings::{Axes, BuildSettings};
use crate::bvh::build::spatial_split::TriangleCorners;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::WIDTH;
use crate::bvh::options::Quality;
use crate::math::vector::Vector;
use crate::simd::huge_pages::in_huge_pages;
use alloc::vec::Vec;

impl Bvh16 {
    /// Builds the BVH in O(n log n), the same one on any number of threads. A leaf has at most `max_leaf_size`
    /// primitives, and at most sixteen; a SIMD block tests `block_size` of them in the time of one. If `corners` is given
    /// and `quality` is `High`, spatial splits may put a triangle into several leaves. There are at most
    /// [`MAX_PRIMS`](crate::bvh::node::MAX_PRIMS) primitives.
    pub(crate) fn build<V: Vector>(
        prim_refs: Vec<PrimRef>,
        quality: Quality,
        [max_leaf_size, block_size]: [usize; 2],
        corners: Option<&TriangleCorners>,
    ) -> Self {
        // Spatial splits are for the highest quality alone: they take longer and add references.
        let corners = corners.filter(|_| quality == Quality::High);
        let settings = BuildSettings {
            max_leaf_size: max_leaf_size.min(WIDTH),
            block_size,
            flat: V::DIM == 2,
            axes: Axes::All,
            corners,
        };
        // The binary tree decides which primitives belong together; the collapse makes nodes of sixteen at least cost.
        let WideNodes { nodes, prim_ids, depth } = match quality {
            Quality::Fast => build_over_clusters(&prim_refs, &settings),
            Quality::Default | Quality::High => collapse(&build_binary(prim_refs, &settings), &settings),
        };
        let mut tree = Self { nodes: in_huge_pages(nodes), prim_ids, depth, largest: 0.0 };
        // Queries bound their errors by the largest coordinate.
        tree.measure();
        tree
    }
}
