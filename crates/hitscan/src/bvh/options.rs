//! Public options and statistics of a BVH.

/// Accelerator of a mesh or scene: how a query finds primitives. The answers are the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Accelerator {
    /// Bounding volume hierarchy: O(log n) box tests for an ordinary ray.
    #[default]
    Bvh,
    /// Linear scan: tests every primitive. The reference for tests.
    LinearScan,
}

/// Build quality: trades build time for ray speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Clusters primitives along a Morton curve, and builds the BVH over the clusters: 0.6 to 0.8 of the build time of
    /// `Quality::Default`, rays 0.9 to 1.0 as fast. For meshes that change often.
    Fast,
    /// Binned surface area heuristic: suits most uses.
    #[default]
    Default,
    /// Adds spatial splits, which cut triangles with large overlapping boxes (in the BVH, not in the answers): two to
    /// five times the build time, up to a third more memory. Pays for architecture with its long walls; scans gain
    /// little.
    High,
}

/// Size and depth of an accelerator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Inner nodes and leaves; zero for a linear scan.
    pub nodes: usize,
    /// Leaves.
    pub leaves: usize,
    /// Nodes on the longest path from the root.
    pub depth: usize,
    /// Memory of the accelerator, in bytes.
    pub bytes: usize,
}
