//! Public options and statistics of a BVH.

/// How the parts of a mesh or a scene are found. The answers are the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Accelerator {
    /// A bounding volume hierarchy: O(log n) boxes for an ordinary ray.
    #[default]
    Bvh,
    /// Every part is tested: the reference for tests.
    Brute,
}

/// How much time to spend on building a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Neighbours are put together along a curve, and the tree is built over these groups: two thirds of the time, and
    /// rays somewhat slower. For meshes that change often.
    Fast,
    /// The surface area heuristic over bins: what suits most uses.
    #[default]
    Default,
    /// Triangles that overlap many boxes are cut for the tree (not for the answers): two to five times as long to build, up
    /// to a third more memory. Pays for architecture, with its long walls; scans gain little.
    High,
}

/// The size and shape of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Inner nodes and leaves; none without a tree.
    pub nodes: usize,
    /// Leaves.
    pub leaves: usize,
    /// The longest way from the root, in nodes.
    pub depth: usize,
    /// Memory of the index, in bytes.
    pub bytes: usize,
}
