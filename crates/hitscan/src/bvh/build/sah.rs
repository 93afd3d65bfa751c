//! Binary BVH builder: top-down binned SAH, in place.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::binned_sah::{BinMapping, Split, SplitFinder, bins_for, plane};
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::build::settings::{BuildSettings, MEDIAN_SPLIT_DEPTH};
use crate::bvh::build::spatial_split::cut;
use crate::bvh::node::MAX_PRIMS;
use crate::parallel::{is_parallel, join_if};
use alloc::vec::Vec;

/// Binary node. The first child of the node at `i` is at `i + 1`; the second child's index is relative to `i`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BinaryNode {
    pub(crate) bounds: Bounds,
    /// In a leaf the index of its first reference, else the offset of the second child.
    pub(crate) first: u32,
    /// Number of references in a leaf; 0 in an inner node.
    pub(crate) count: u32,
}

/// Binary BVH: nodes, and the references that the leaves index.
pub(crate) struct BinaryBvh {
    pub(crate) branches: Vec<BinaryNode>,
    pub(crate) prim_refs: Vec<PrimRef>,
}

/// Number of boxes above which a second thread pays.
const BUILD_PER_THREAD: usize = 32_768;

/// A second thread pays for subtrees of more primitives than this, and of more than one in `PARALLEL_FRACTION` of all,
/// because its nodes are copied behind those of the first.
const LARGE: usize = 2048;

const PARALLEL_FRACTION: usize = 32;

/// Builds the binary BVH.
///
/// # Source
/// Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, IEEE Symposium on Interactive Ray Tracing,
/// 2007; for spatial splits Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High
/// Performance Graphics, 2009.
pub(crate) fn build_binary(mut prim_refs: Vec<PrimRef>, settings: &BuildSettings) -> BinaryBvh {
    let len = prim_refs.len();
    if len == 0 {
        return BinaryBvh { branches: Vec::new(), prim_refs };
    }
    // Spatial splits may double the references: the room for them is there from the beginning, and each subtree gets
    // its share.
    let room = if settings.corners.is_some() { (2 * len).min(MAX_PRIMS).max(len) } else { len };
    prim_refs.resize(room, PrimRef::default());
    let around = PrimBounds::of(&prim_refs[..len]);
    // Overlaps are compared with the area of the root (Stich et al.).
    let builder =
        Builder { settings, root_area: settings.area(&around.bounds), large: LARGE.max(len / PARALLEL_FRACTION) };
    let mut branches = Vec::new();
    builder.node(Job { prim_refs: &mut prim_refs, len, first: 0, depth: 1 }, &around, &mut branches);
    BinaryBvh { branches, prim_refs }
}

/// Bounds of some references and of their centres.
#[derive(Clone, Copy)]
struct PrimBounds {
    bounds: Bounds,
    centers: Bounds,
}

impl PrimBounds {
    const EMPTY: Self = Self { bounds: Bounds::EMPTY, centers: Bounds::EMPTY };
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds) {
        self.bounds = self.bounds.union(bounds);
        let center = bounds.center();
        self.centers = self.centers.union(&Bounds { low: center, high: center });
    }
    fn of(prim_refs: &[PrimRef]) -> Self {
        if is_parallel() && prim_refs.len() > BUILD_PER_THREAD {
            let (a, b) = prim_refs.split_at(prim_refs.len() / 2);
            let (a, b) = join_if(true, || Self::of(a), || Self::of(b));
            return Self { bounds: a.bounds.union(&b.bounds), centers: a.centers.union(&b.centers) };
        }
        let mut around = Self::EMPTY;
        prim_refs.iter().for_each(|prim_ref| around.add(&prim_ref.bounds));
        around
    }
}

/// Build job of a subtree: `len` references, then room for the ones that spatial splits add.
struct Job<'a> {
    prim_refs: &'a mut [PrimRef],
    len: usize,
    /// Index of the first one among all references.
    first: u32,
    depth: usize,
}

struct Builder<'a> {
    settings: &'a BuildSettings<'a>,
    root_area: f64,
    /// Number of primitives above which a second thread pays.
    large: usize,
}

impl Builder<'_> {
    fn node(&self, mut job: Job, around: &PrimBounds, branches: &mut Vec<BinaryNode>) {
        // The node is a leaf until it is split. Its number is known before its children are, as the first child follows
        // it.
        let Job { len, first, depth, .. } = job;
        let at = branches.len();
        branches.push(BinaryNode { bounds: around.bounds, first, count: len as u32 });
        if len <= self.settings.enough().max(1) {
            return;
        }
        // The cheapest split, or none: then a leaf, or the median if the references do not fit in a leaf.
        let fits = len <= self.settings.max_leaf_size;
        let split = self.best(&job, around);
        let (left, right, middle) = match split {
            Some(split) if split.cuts => self.cut(&mut job, around, split),
            Some(split) => partition(&mut job, around, split),
            None if fits => return,
            None => split_median(&job.prim_refs[..len]),
        };
        // Both halves get room in proportion to their size, so the second half moves up.
        let spare = job.prim_refs.len() - job.len;
        let slot = middle + spare * middle / job.len;
        if slot != middle {
            job.prim_refs.copy_within(middle..job.len, slot);
        }
        let (a, b) = job.prim_refs.split_at_mut(slot);
        let one = Job { prim_refs: a, len: middle, first, depth: depth + 1 };
        let two = Job { prim_refs: b, len: job.len - middle, first: first + slot as u32, depth: depth + 1 };
        // The second child comes after all nodes of the first, whose number is known only then.
        branches[at].count = 0;
        // Large subtrees are built in parallel. The second one is built apart and appended, so that the order of nodes
        // is the same on any number of threads.
        if job.len > self.large && is_parallel() {
            let mut subtree = Vec::new();
            join_if(true, || self.node(one, &left, branches), || self.node(two, &right, &mut subtree));
            branches[at].first = (branches.len() - at) as u32;
            branches.append(&mut subtree);
            return;
        }
        self.node(one, &left, branches);
        branches[at].first = (branches.len() - at) as u32;
        self.node(two, &right, branches);
    }

    /// The cheapest split; `None` when no split is cheaper than a leaf.
    fn best(&self, job: &Job, around: &PrimBounds) -> Option<Split> {
        // Two primitives in leaves of one have only one split.
        if job.depth >= MEDIAN_SPLIT_DEPTH || (job.len == 2 && self.settings.max_leaf_size == 1) {
            return None;
        }
        let PrimBounds { bounds, centers } = around;
        let room_below = (job.prim_refs.len() > job.len).then_some(self.root_area);
        SplitFinder { prim_refs: &job.prim_refs[..job.len], bounds, centers, settings: self.settings, room_below }
            .cheapest()
    }

    /// Splits the references at a plane. References on both sides are cut in two while there is room; others go to the
    /// side of their centre.
    fn cut(&self, job: &mut Job, around: &PrimBounds, split: Split) -> (PrimBounds, PrimBounds, usize) {
        // The plane of the split is a border of the spatial bins.
        let Split { axis, bin, .. } = split;
        let at = plane(&around.bounds, axis, bin);
        let (mut left, mut right) = (PrimBounds::EMPTY, PrimBounds::EMPTY);
        // In order: left references stay, right ones are buffered.
        let mut aside = Vec::new();
        let (mut kept, mut room) = (0, job.prim_refs.len() - job.len);
        for i in 0..job.len {
            let prim_ref = job.prim_refs[i];
            let Bounds { low, high } = prim_ref.bounds;
            // A reference that is not cut goes to the side of its centre.
            let mut pieces = if prim_ref.bounds.center_along(axis) < at {
                [Some(prim_ref.bounds), None]
            } else {
                [None, Some(prim_ref.bounds)]
            };
            if let Some(corners) = self.settings.corners.filter(|_| room > 0 && low[axis] < at && at < high[axis]) {
                let there = |piece: Bounds| (piece.low[0] <= piece.high[0]).then_some(piece);
                let cut = cut(corners(prim_ref.part()), &prim_ref.bounds, axis, at).map(there);
                // The bounds may contain no point of the triangle, so both pieces are empty: keep the reference whole,
                // because a node needs at least one.
                if cut != [None; 2] {
                    pieces = cut;
                    room -= 1;
                }
            }
            // Pieces on the left stay in place; pieces on the right wait, because the references to come still lie
            // there.
            if let Some(bounds) = pieces[0] {
                left.add(&bounds);
                job.prim_refs[kept] = PrimRef::new(bounds, prim_ref.part());
                kept += 1;
            }
            if let Some(bounds) = pieces[1] {
                right.add(&bounds);
                aside.push(PrimRef::new(bounds, prim_ref.part()));
            }
        }
        // The right side follows the left one.
        job.len = kept + aside.len();
        job.prim_refs[kept..job.len].copy_from_slice(&aside);
        // One side may be empty by rounding: then the median still makes progress.
        if kept == 0 || aside.is_empty() {
            return split_median(&job.prim_refs[..job.len]);
        }
        (left, right, kept)
    }
}

/// Median split of the references in their current order.
fn split_median(prim_refs: &[PrimRef]) -> (PrimBounds, PrimBounds, usize) {
    let middle = prim_refs.len() / 2;
    let (a, b) = prim_refs.split_at(middle);
    (PrimBounds::of(a), PrimBounds::of(b), middle)
}

/// Partitions the references in place, deterministically: those of the bins before the split first. Branch-free,
/// because the side of a reference is unpredictable.
fn partition(job: &mut Job, around: &PrimBounds, Split { axis, bin, .. }: Split) -> (PrimBounds, PrimBounds, usize) {
    // The same mapping to bins as in the search of the split, so that both sides have the counts that it saw.
    let is_before = BinMapping::new(&around.centers, bins_for(job.len)).before(axis, bin);
    let prim_refs = &mut job.prim_refs[..job.len];
    let mut middle = 0;
    for i in 0..prim_refs.len() {
        let before = is_before(prim_refs[i].bounds.center_along(axis));
        // Not `swap`, which copies through a temporary in memory.
        let (moved, kept) = (prim_refs[i], prim_refs[middle]);
        (prim_refs[i], prim_refs[middle]) = (kept, moved);
        middle += usize::from(before);
    }
    let (left, right) = prim_refs.split_at(middle);
    (PrimBounds::of(left), PrimBounds::of(right), middle)
}
