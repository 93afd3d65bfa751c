//! Building the tree: the surface area heuristic over bins, from the top down, in place.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::binned_sah::{Parted, Ruler, Split, bins_for, plane};
use crate::bvh::build::prim_ref::Reference;
use crate::bvh::build::settings::{BALANCED_BELOW, Recipe};
use crate::bvh::build::spatial_split::cut;
use crate::bvh::node::MOST_PARTS;
use crate::parallel::{both, several};
use alloc::vec::Vec;

/// A node of the binary tree. The node at `i` has its first child at `i + 1`; the second one is named relative to it too.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Branch {
    pub(crate) bounds: Bounds,
    /// Of a leaf its first reference, else how far on the second child is.
    pub(crate) first: u32,
    /// References of a leaf; else 0.
    pub(crate) count: u32,
}

/// A binary tree and the references that its leaves name.
pub(crate) struct Plan {
    pub(crate) branches: Vec<Branch>,
    pub(crate) references: Vec<Reference>,
}

/// More boxes than this are worth a second thread.
const WORTH_A_THREAD: usize = 32_768;

/// So are subtrees of more parts than this, and than this share of all: what one thread has built is copied behind what the
/// other has.
const LARGE: usize = 2048;

const SHARE: usize = 32;

/// # Source
/// Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, IEEE Symposium on Interactive Ray Tracing,
/// 2007; where triangles may be cut, Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High
/// Performance Graphics, 2009.
pub(crate) fn plan(mut references: Vec<Reference>, recipe: &Recipe) -> Plan {
    let len = references.len();
    if len == 0 {
        return Plan { branches: Vec::new(), references };
    }
    let room = if recipe.corners.is_some() { (2 * len).min(MOST_PARTS).max(len) } else { len };
    references.resize(room, Reference::default());
    let around = Around::of(&references[..len]);
    let builder = Builder { recipe, root_area: recipe.area(&around.bounds), large: LARGE.max(len / SHARE) };
    let mut branches = Vec::new();
    builder.node(Job { references: &mut references, len, first: 0, depth: 1 }, &around, &mut branches);
    Plan { branches, references }
}

/// The boxes around some references and around their centres.
#[derive(Clone, Copy)]
struct Around {
    bounds: Bounds,
    centers: Bounds,
}

impl Around {
    const NOTHING: Self = Self { bounds: Bounds::EMPTY, centers: Bounds::EMPTY };
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds) {
        self.bounds = self.bounds.union(bounds);
        let center = bounds.center();
        self.centers = self.centers.union(&Bounds { low: center, high: center });
    }
    fn of(references: &[Reference]) -> Self {
        if several() && references.len() > WORTH_A_THREAD {
            let (a, b) = references.split_at(references.len() / 2);
            let (a, b) = both(true, || Self::of(a), || Self::of(b));
            return Self { bounds: a.bounds.union(&b.bounds), centers: a.centers.union(&b.centers) };
        }
        let mut around = Self::NOTHING;
        references.iter().for_each(|reference| around.add(&reference.bounds));
        around
    }
}

/// A subtree to be built: its references, the first `len`, then room for pieces.
struct Job<'a> {
    references: &'a mut [Reference],
    len: usize,
    /// Where they begin among all.
    first: u32,
    depth: usize,
}

struct Builder<'a> {
    recipe: &'a Recipe<'a>,
    root_area: f64,
    /// More parts than this are worth a second thread.
    large: usize,
}

impl Builder<'_> {
    fn node(&self, mut job: Job, around: &Around, branches: &mut Vec<Branch>) {
        let Job { len, first, depth, .. } = job;
        let at = branches.len();
        branches.push(Branch { bounds: around.bounds, first, count: len as u32 });
        if len <= self.recipe.enough().max(1) {
            return;
        }
        let fits = len <= self.recipe.most;
        let split = self.best(&job, around);
        let (left, right, middle) = match split {
            Some(split) if split.cuts => self.cut(&mut job, around, split),
            Some(split) => partition(&mut job, around, split),
            None if fits => return,
            None => halves(&job.references[..len]),
        };
        // What room is left goes to both in proportion; the second half is moved there.
        let spare = job.references.len() - job.len;
        let place = middle + spare * middle / job.len;
        if place != middle {
            job.references.copy_within(middle..job.len, place);
        }
        let (a, b) = job.references.split_at_mut(place);
        let one = Job { references: a, len: middle, first, depth: depth + 1 };
        let two = Job { references: b, len: job.len - middle, first: first + place as u32, depth: depth + 1 };
        branches[at].count = 0;
        if job.len > self.large && several() {
            let mut below = Vec::new();
            both(true, || self.node(one, &left, branches), || self.node(two, &right, &mut below));
            branches[at].first = (branches.len() - at) as u32;
            branches.append(&mut below);
            return;
        }
        self.node(one, &left, branches);
        branches[at].first = (branches.len() - at) as u32;
        self.node(two, &right, branches);
    }

    /// The cheapest split, if there is any that is cheaper than a leaf.
    fn best(&self, job: &Job, around: &Around) -> Option<Split> {
        // Two that have to be parted can be parted in one way.
        if job.depth >= BALANCED_BELOW || (job.len == 2 && self.recipe.most == 1) {
            return None;
        }
        let Around { bounds, centers } = around;
        let room_below = (job.references.len() > job.len).then_some(self.root_area);
        Parted { references: &job.references[..job.len], bounds, centers, recipe: self.recipe, room_below }.cheapest()
    }

    /// Parts the references by a plane; those on both sides are cut in two while there is room, else go to the nearer
    /// side.
    fn cut(&self, job: &mut Job, around: &Around, split: Split) -> (Around, Around, usize) {
        let Split { axis, bin, .. } = split;
        let at = plane(&around.bounds, axis, bin);
        let (mut left, mut right) = (Around::NOTHING, Around::NOTHING);
        // In order: left ones stay, right ones are kept aside.
        let mut aside = Vec::new();
        let (mut kept, mut room) = (0, job.references.len() - job.len);
        for i in 0..job.len {
            let reference = job.references[i];
            let Bounds { low, high } = reference.bounds;
            let mut pieces = if reference.bounds.center_along(axis) < at {
                [Some(reference.bounds), None]
            } else {
                [None, Some(reference.bounds)]
            };
            if let Some(corners) = self.recipe.corners.filter(|_| room > 0 && low[axis] < at && at < high[axis]) {
                let there = |piece: Bounds| (piece.low[0] <= piece.high[0]).then_some(piece);
                let cut = cut(corners(reference.part()), &reference.bounds, axis, at).map(there);
                // A box may hold nothing of its part, so that neither piece does: the reference stays all the same, for
                // there must be something to go on with.
                if cut != [None; 2] {
                    pieces = cut;
                    room -= 1;
                }
            }
            if let Some(bounds) = pieces[0] {
                left.add(&bounds);
                job.references[kept] = Reference::new(bounds, reference.part());
                kept += 1;
            }
            if let Some(bounds) = pieces[1] {
                right.add(&bounds);
                aside.push(Reference::new(bounds, reference.part()));
            }
        }
        job.len = kept + aside.len();
        job.references[kept..job.len].copy_from_slice(&aside);
        if kept == 0 || aside.is_empty() {
            return halves(&job.references[..job.len]);
        }
        (left, right, kept)
    }
}

/// The two halves as they come.
fn halves(references: &[Reference]) -> (Around, Around, usize) {
    let middle = references.len() / 2;
    let (a, b) = references.split_at(middle);
    (Around::of(a), Around::of(b), middle)
}

/// The references of the first bins first, in no order that depends on anything but theirs. Which half one belongs to cannot
/// be guessed: no branch hangs on it.
fn partition(job: &mut Job, around: &Around, Split { axis, bin, .. }: Split) -> (Around, Around, usize) {
    let is_before = Ruler::new(&around.centers, bins_for(job.len)).before(axis, bin);
    let references = &mut job.references[..job.len];
    let mut middle = 0;
    for i in 0..references.len() {
        let before = is_before(references[i].bounds.center_along(axis));
        // Written out: `swap` has memory of its own in between.
        let (moved, kept) = (references[i], references[middle]);
        (references[i], references[middle]) = (kept, moved);
        middle += usize::from(before);
    }
    let (left, right) = references.split_at(middle);
    (Around::of(left), Around::of(right), middle)
}
