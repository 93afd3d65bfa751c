//! Building the tree: the surface area heuristic over bins, from the top down, in place.

use super::bounds::Bounds;
use super::{MOST_PARTS, Splitter};
use alloc::vec::Vec;
use core::ops::Range;

/// A part, or a piece of one, and the box around it. The part is written in the fourth numbers of the box, which are
/// computed with as if they meant something: as fractions of numbers from 1/2 to 1, for subnormal ones would be slow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reference {
    pub(super) bounds: Bounds,
}

const HALF: u32 = 0x3f00_0000;
const FRACTION: u32 = 23;

impl Reference {
    pub(super) fn new(mut bounds: Bounds, part: u32) -> Self {
        bounds.low[3] = f32::from_bits(HALF | part & ((1 << FRACTION) - 1));
        bounds.high[3] = f32::from_bits(HALF | part >> FRACTION);
        Self { bounds }
    }
    #[inline(always)]
    pub(super) fn part(&self) -> u32 {
        self.bounds.low[3].to_bits() & ((1 << FRACTION) - 1) | (self.bounds.high[3].to_bits() ^ HALF) << FRACTION
    }
}

/// A node of the binary tree. The node at `i` has its first child at `i + 1`; the second one is named relative to it too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Branch {
    pub(super) bounds: Bounds,
    /// Of a leaf its first reference, else how far on the second child is.
    pub(super) first: u32,
    /// References of a leaf; else 0.
    pub(super) count: u32,
}

/// A binary tree and the references that its leaves name.
pub(super) struct Plan {
    pub(super) branches: Vec<Branch>,
    pub(super) references: Vec<Reference>,
}

/// How to build.
#[derive(Clone, Copy)]
pub(super) struct Recipe<'a> {
    /// Parts of a leaf.
    pub(super) most: usize,
    /// Parts that are tested in the time of one.
    pub(super) together: usize,
    /// The plane: boxes have no depth.
    pub(super) flat: bool,
    pub(super) axes: Axes,
    pub(super) splitter: Option<&'a Splitter<'a>>,
}

/// Along which axes to look for splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    All,
    /// The one along which the centres lie farthest apart: sooner, and somewhat worse.
    Longest,
}

/// Bins per axis: more gain little (Wald 2007).
const BINS: usize = 16;

/// Few parts need few bins.
fn bins_for(parts: usize) -> usize {
    (4 + parts / 4).min(BINS)
}
/// Room for the bins of most nodes, which are small: to clear it takes as long as to fill it.
const FEW: usize = 8;
/// A split costs a small part of a full leaf: sixteen children are looked at together.
pub(super) const VISIT: f64 = 0.15;
/// How much of a leaf's cost goes with the number of its parts, though they are tested together. Measured: halls like 0.6.
const BY_NUMBER: f64 = 0.6;
/// Below this depth parts are halved by number, which bounds the depth of any tree.
const BALANCED_BELOW: usize = 64;
/// Children that share less than this part of the root's surface are not worth a look at cutting triangles in two
/// (Stich et al., section 4.3).
const OVERLAP: f64 = 1.0 / (1 << 17) as f64;
/// The same for the part of their own node's: scans have little of it, walls much.
const OWN_OVERLAP: f64 = 0.1;
/// More parts than this are worth a second thread.
#[cfg(feature = "rayon")]
const WORTH_A_THREAD: usize = 16_384;

/// # Source
/// Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, IEEE Symposium on Interactive Ray Tracing,
/// 2007; where triangles may be cut, Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High
/// Performance Graphics, 2009.
pub(super) fn plan(mut references: Vec<Reference>, recipe: &Recipe) -> Plan {
    let len = references.len();
    if len == 0 {
        return Plan { branches: Vec::new(), references };
    }
    let room = if recipe.splitter.is_some() { (2 * len).min(MOST_PARTS).max(len) } else { len };
    references.resize(room, Reference::default());
    let around = Around::of(&references[..len]);
    let builder = Builder { recipe, root_area: recipe.area(&around.bounds) };
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
}

/// Where to part the references.
#[derive(Clone, Copy)]
struct Split {
    cost: f64,
    axis: usize,
    /// The first bin of the second half.
    bin: usize,
    /// By centres, or by a plane that cuts.
    cuts: bool,
}

impl Builder<'_> {
    fn node(&self, mut job: Job, around: &Around, branches: &mut Vec<Branch>) {
        let Job { len, first, depth, .. } = job;
        let at = branches.len();
        branches.push(Branch { bounds: around.bounds, first, count: len as u32 });
        if len <= 1 {
            return;
        }
        let fits = len <= self.recipe.most;
        let as_leaf = if fits { self.recipe.cost(len) * self.recipe.area(&around.bounds) } else { f64::INFINITY };
        // Two that have to be parted can be parted in one way.
        let split = if len == 2 && !fits { None } else { self.best(&job, around) };
        let split = split.filter(|split| split.cost < as_leaf);
        let (left, right, middle) = match split {
            Some(split) if split.cuts => self.cut(&mut job, around, split),
            Some(split) => partition(&mut job, around, split),
            None if fits => return,
            None => halves(&job.references[..len]),
        };
        // What room is left goes to both in proportion; the second half is moved there.
        let spare = job.references.len() - job.len;
        let place = middle + spare * middle / job.len;
        job.references.copy_within(middle..job.len, place);
        let (a, b) = job.references.split_at_mut(place);
        let one = Job { references: a, len: middle, first, depth: depth + 1 };
        let two = Job { references: b, len: job.len - middle, first: first + place as u32, depth: depth + 1 };
        branches[at].count = 0;
        #[cfg(feature = "rayon")]
        if job.len > WORTH_A_THREAD && rayon::current_num_threads() > 1 {
            let mut below = Vec::new();
            rayon::join(|| self.node(one, &left, branches), || self.node(two, &right, &mut below));
            branches[at].first = (branches.len() - at) as u32;
            branches.append(&mut below);
            return;
        }
        self.node(one, &left, branches);
        branches[at].first = (branches.len() - at) as u32;
        self.node(two, &right, branches);
    }

    /// The cheapest split; `None` when nothing separates the parts.
    fn best(&self, job: &Job, around: &Around) -> Option<Split> {
        if job.depth >= BALANCED_BELOW {
            None
        } else if bins_for(job.len) <= FEW {
            self.best_of::<FEW>(job, around)
        } else {
            self.best_of::<BINS>(job, around)
        }
    }

    #[inline(always)]
    fn best_of<const N: usize>(&self, job: &Job, around: &Around) -> Option<Split> {
        let references = &job.references[..job.len];
        let count = bins_for(job.len);
        let mut bins = [[Bin::NOTHING; N]; 3];
        let scale = scales(&around.centers, count);
        let only = (self.recipe.axes == Axes::Longest).then(|| longest(&around.centers));
        for reference in references {
            let bin = bins_of(reference.bounds.center(), &around.centers, scale, count);
            if let Some(axis) = only {
                bins[axis][bin[axis] % N].add(&reference.bounds);
                continue;
            }
            for axis in 0..3 {
                bins[axis][bin[axis] % N].add(&reference.bounds);
            }
        }
        let axes = only.map_or(0..3, |axis| axis..axis + 1);
        let mut best = self.sweep(&bins, axes, count, &around.bounds, false);
        if let Some(splitter) = self.recipe.splitter
            && job.references.len() > job.len
            && job.len > self.recipe.most
            && best.is_none_or(|best| {
                let overlap = self.overlap(&bins[best.axis], best.bin);
                overlap > OVERLAP * self.root_area && overlap > OWN_OVERLAP * self.recipe.area(&around.bounds)
            })
        {
            let bins = chop(references, &around.bounds, splitter);
            let cut = self.sweep(&bins, 0..3, BINS, &around.bounds, true);
            best = match (best, cut) {
                (Some(a), Some(b)) if b.cost < a.cost => cut,
                (None, _) => cut,
                _ => best,
            };
        }
        best
    }

    #[inline]
    fn sweep<const N: usize>(
        &self,
        bins: &[[Bin; N]; 3],
        axes: Range<usize>,
        count: usize,
        bounds: &Bounds,
        cuts: bool,
    ) -> Option<Split> {
        let whole = self.recipe.area(bounds);
        let mut best: Option<Split> = None;
        for axis in axes {
            let bins = &bins[axis];
            let mut right = [(0.0, 0); N];
            let (mut b, mut n) = (Bounds::EMPTY, 0);
            for k in (1..count).rev() {
                (b, n) = (b.union(&bins[k].bounds), n + bins[k].ends);
                right[k] = (self.recipe.area(&b), n);
            }
            let (mut b, mut n) = (Bounds::EMPTY, 0);
            for k in 1..count {
                (b, n) = (b.union(&bins[k - 1].bounds), n + bins[k - 1].starts);
                if n == 0 || right[k].1 == 0 {
                    continue;
                }
                let (one, two) = (self.recipe.cost(n as usize), self.recipe.cost(right[k].1 as usize));
                let cost = VISIT * whole + self.recipe.area(&b) * one + right[k].0 * two;
                if best.is_none_or(|best| cost < best.cost) {
                    best = Some(Split { cost, axis, bin: k, cuts });
                }
            }
        }
        best
    }

    /// The surface that both sides of a split cover.
    fn overlap(&self, bins: &[Bin], middle: usize) -> f64 {
        let around = |bins: &[Bin]| bins.iter().fold(Bounds::EMPTY, |b, bin| b.union(&bin.bounds));
        self.recipe.area(&around(&bins[..middle]).intersection(&around(&bins[middle..])))
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
            let middle = 0.5 * low[axis] + 0.5 * high[axis];
            let mut pieces = if middle < at { [Some(reference.bounds), None] } else { [None, Some(reference.bounds)] };
            if let Some(splitter) = self.recipe.splitter.filter(|_| room > 0 && low[axis] < at && at < high[axis]) {
                let there = |piece: Bounds| (piece.low[0] <= piece.high[0]).then_some(piece);
                let cut = splitter(reference.part(), &reference.bounds, axis, at).map(there);
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

impl Recipe<'_> {
    /// What it costs to test so many parts, in full leaves.
    #[inline(always)]
    pub(super) fn cost(&self, parts: usize) -> f64 {
        let together = parts.div_ceil(self.together) as f64;
        together + BY_NUMBER * (parts as f64 / self.together as f64 - together)
    }
    /// Half the surface of a box (of a rectangle, half its circumference); zero for an empty one.
    #[inline(always)]
    pub(super) fn area(&self, b: &Bounds) -> f64 {
        let side = |axis: usize| f64::from(b.high[axis]) - f64::from(b.low[axis]);
        let (x, y, z) = (side(0), side(1), side(2));
        if !(x >= 0.0 && y >= 0.0) {
            return 0.0;
        }
        if self.flat { x + y } else { x * y + y * z + z * x }
    }
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Bounds,
    /// References whose first, and last, bin it is.
    starts: u32,
    ends: u32,
}

impl Bin {
    const NOTHING: Self = Self { bounds: Bounds::EMPTY, starts: 0, ends: 0 };
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds) {
        self.bounds = self.bounds.union(bounds);
        self.starts += 1;
        self.ends += 1;
    }
}

/// The two halves as they come.
fn halves(references: &[Reference]) -> (Around, Around, usize) {
    let middle = references.len() / 2;
    let (a, b) = references.split_at(middle);
    (Around::of(a), Around::of(b), middle)
}

/// Bins per length; zero along axes without one.
#[inline(always)]
fn scales(range: &Bounds, count: usize) -> [f32; 3] {
    // Halves keep a range near the end of the exponents from overflowing.
    [0, 1, 2].map(|axis| {
        let half = 0.5 * range.high[axis] - 0.5 * range.low[axis];
        let scale = 0.5 * count as f32 / half;
        if half > 0.0 && scale < f32::INFINITY { scale } else { 0.0 }
    })
}

#[inline(always)]
fn bins_of(x: [f32; 4], range: &Bounds, scale: [f32; 3], count: usize) -> [usize; 3] {
    // A NaN is 0.
    let bin = |axis: usize| (((x[axis] - range.low[axis]) * scale[axis]) as usize).min(count - 1);
    [bin(0), bin(1), bin(2)]
}

/// The axis along which a box is longest; the first of equals.
fn longest(range: &Bounds) -> usize {
    let half = |axis: usize| 0.5 * range.high[axis] - 0.5 * range.low[axis];
    (1..3).fold(0, |longest, axis| if half(axis) > half(longest) { axis } else { longest })
}

/// The references of the first bins first, in no order that depends on anything but theirs.
fn partition(job: &mut Job, around: &Around, Split { axis, bin, .. }: Split) -> (Around, Around, usize) {
    let count = bins_for(job.len);
    let scale = scales(&around.centers, count);
    let (mut left, mut right) = (Around::NOTHING, Around::NOTHING);
    let (mut i, mut j) = (0, job.len);
    while i < j {
        let bounds = job.references[i].bounds;
        if bins_of(bounds.center(), &around.centers, scale, count)[axis] < bin {
            left.add(&bounds);
            i += 1;
        } else {
            right.add(&bounds);
            j -= 1;
            job.references.swap(i, j);
        }
    }
    (left, right, i)
}

/// The plane before a bin.
fn plane(bounds: &Bounds, axis: usize, bin: usize) -> f32 {
    let share = bin as f32 / BINS as f32;
    bounds.low[axis] * (1.0 - share) + bounds.high[axis] * share
}

/// The pieces of all references, in the bins of space that they reach.
fn chop(references: &[Reference], bounds: &Bounds, splitter: &Splitter) -> [[Bin; BINS]; 3] {
    let mut bins = [[Bin::NOTHING; BINS]; 3];
    let scale = scales(bounds, BINS);
    for reference in references {
        let (whole, part) = (reference.bounds, reference.part());
        let (from, to) = (bins_of(whole.low, bounds, scale, BINS), bins_of(whole.high, bounds, scale, BINS));
        for axis in 0..3 {
            if scale[axis] == 0.0 {
                continue;
            }
            let bins = &mut bins[axis];
            let mut rest = whole;
            for (k, bin) in bins[..to[axis]].iter_mut().enumerate().skip(from[axis]) {
                let at = plane(bounds, axis, k + 1);
                if rest.low[axis] < at && at < rest.high[axis] {
                    let [piece, other] = splitter(part, &rest, axis, at);
                    bin.bounds = bin.bounds.union(&piece);
                    rest = other;
                }
            }
            bins[to[axis]].bounds = bins[to[axis]].bounds.union(&rest);
            bins[from[axis]].starts += 1;
            bins[to[axis]].ends += 1;
        }
    }
    bins
}
