//! Entry point of the builders: from primitive references to a BVH.

use crate::bvh::build::collapse::{WideNodes, collapse};
use crate::bvh::build::morton::over_groups;
use crate::bvh::build::prim_ref::Reference;
use crate::bvh::build::sah::plan;
use crate::bvh::build::settings::{Axes, Recipe};
use crate::bvh::build::spatial_split::Corners;
use crate::bvh::bvh::Tree;
use crate::bvh::node::WIDTH;
use crate::bvh::options::Quality;
use crate::math::vector::Vector;
use crate::simd::huge_pages::in_large_pages;
use alloc::vec::Vec;

impl Tree {
    /// Builds the tree: O(n log n), the same one every time, on however many threads. A leaf has at most `most` parts, which
    /// is at most sixteen, and `together` of them are tested in the time of one. Triangles, of which the `corners`
    /// are known, may be cut, and be in several leaves. There are at most [`MOST_PARTS`].
    pub(crate) fn build<V: Vector>(
        references: Vec<Reference>,
        quality: Quality,
        [most, together]: [usize; 2],
        corners: Option<&Corners>,
    ) -> Self {
        let corners = corners.filter(|_| quality == Quality::High);
        let recipe = Recipe { most: most.min(WIDTH), together, flat: V::DIM == 2, axes: Axes::All, corners };
        let WideNodes { nodes, parts, depth } = match quality {
            Quality::Fast => over_groups(&references, &recipe),
            Quality::Default | Quality::High => collapse(&plan(references, &recipe), &recipe),
        };
        let mut tree = Self { nodes: in_large_pages(nodes), parts, depth, largest: 0.0 };
        tree.measure();
        tree
    }
}
