//! Building the tree: the surface area heuristic over bins, from the top down, in place.

use super::Splitter;
use super::bounds::Bounds;
use alloc::vec;
use alloc::vec::Vec;

/// A part, or a piece of one, and the box around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reference {
    pub(super) bounds: Bounds,
    pub(super) part: u32,
}

/// A node of the binary tree. The node at `i` has its first child at `i + 1`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Branch {
    pub(super) bounds: Bounds,
    /// Of a leaf its first reference, else the second child.
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
    pub(super) splitter: Option<&'a Splitter<'a>>,
}

/// Bins per axis: more gain little (Wald 2007).
const BINS: usize = 16;
/// A split costs less than a third of a leaf: eight children are looked at together.
const VISIT: f64 = 0.3;
/// Below this depth parts are halved by number, which bounds the depth of any tree.
const BALANCED_BELOW: usize = 64;
/// Children that share less than this part of the root's surface are not worth a look at cutting triangles in two
/// (Stich et al., section 4.3).
const OVERLAP: f64 = 1e-5;
/// More parts than this are worth a second thread.
#[cfg(feature = "rayon")]
const WORTH_A_THREAD: usize = 4096;

/// # Source
/// Wald, *On fast Construction of SAH-based Bounding Volume Hierarchies*, IEEE Symposium on Interactive Ray Tracing,
/// 2007; where triangles may be cut, Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High
/// Performance Graphics, 2009.
pub(super) fn plan(mut references: Vec<Reference>, recipe: &Recipe) -> Plan {
    let len = references.len();
    if len == 0 {
        return Plan { branches: Vec::new(), references };
    }
    let room = if recipe.splitter.is_some() { len + len * 3 / 10 } else { len };
    references.resize(room, Reference::default());
    // A tree over n references has at most 2 n - 1 nodes: a place for each, which only those touch that are there.
    let mut branches = vec![Branch::default(); 2 * room - 1];
    let around = Around::of(&references[..len]);
    let builder = Builder { recipe, root_area: recipe.area(&around.bounds) };
    builder.node(Job { references: &mut references, branches: &mut branches, len, first: 0, at: 0, depth: 1 }, &around);
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

/// A subtree to be built: its references (the first `len`, then room for pieces), and its places in the tree.
struct Job<'a> {
    references: &'a mut [Reference],
    branches: &'a mut [Branch],
    len: usize,
    /// Where the two slices begin.
    first: u32,
    at: u32,
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
    /// The surface that both halves cover.
    overlap: f64,
}

impl Builder<'_> {
    fn node(&self, mut job: Job, around: &Around) {
        let Job { len, first, at, depth, .. } = job;
        job.branches[0] = Branch { bounds: around.bounds, first, count: len as u32 };
        if len <= 1 {
            return;
        }
        let blocks = |n: usize| n.div_ceil(self.recipe.together) as f64;
        let fits = len <= self.recipe.most;
        let as_leaf = if fits { blocks(len) * self.recipe.area(&around.bounds) } else { f64::INFINITY };
        let split = self.best(&job, around).filter(|split| split.cost < as_leaf);
        let (left, right, middle) = match split {
            Some(split) if split.cuts => self.cut(&mut job, around, split),
            Some(split) => partition(&mut job, around, split),
            None if fits => return,
            None => {
                let (a, b) = job.references[..len].split_at(len / 2);
                (Around::of(a), Around::of(b), len / 2)
            }
        };
        // What room is left goes to both in proportion; the second half is moved there.
        let spare = job.references.len() - job.len;
        let place = middle + spare * middle / job.len;
        job.references.copy_within(middle..job.len, place);
        let (a, b) = job.references.split_at_mut(place);
        let (node, below) = job.branches.split_at_mut(1);
        let (c, d) = below.split_at_mut(2 * place - 1);
        let second = at + 2 * place as u32;
        node[0] = Branch { bounds: around.bounds, first: second, count: 0 };
        let jobs = [
            Job { references: a, branches: c, len: middle, first, at: at + 1, depth: depth + 1 },
            Job {
                references: b,
                branches: d,
                len: job.len - middle,
                first: first + place as u32,
                at: second,
                depth: depth + 1,
            },
        ];
        let [one, two] = jobs;
        #[cfg(feature = "rayon")]
        if job.len > WORTH_A_THREAD {
            rayon::join(|| self.node(one, &left), || self.node(two, &right));
            return;
        }
        self.node(one, &left);
        self.node(two, &right);
    }

    /// The cheapest split; `None` when nothing separates the parts.
    fn best(&self, job: &Job, around: &Around) -> Option<Split> {
        if job.depth >= BALANCED_BELOW {
            return None;
        }
        let references = &job.references[..job.len];
        let mut bins = [[Bin::NOTHING; BINS]; 3];
        let scale = scales(&around.centers);
        for reference in references {
            let bin = bins_of(reference.bounds.center(), &around.centers, scale);
            for axis in 0..3 {
                bins[axis][bin[axis]].add(&reference.bounds);
            }
        }
        let mut best = self.sweep(&bins, &around.bounds, false);
        if let Some(splitter) = self.recipe.splitter
            && job.references.len() > job.len
            && best.is_none_or(|best| best.overlap > OVERLAP * self.root_area)
        {
            let bins = chop(references, &around.bounds, splitter);
            let cut = self.sweep(&bins, &around.bounds, true);
            best = match (best, cut) {
                (Some(a), Some(b)) if b.cost < a.cost => cut,
                (None, _) => cut,
                _ => best,
            };
        }
        best
    }

    fn sweep(&self, bins: &[[Bin; BINS]; 3], bounds: &Bounds, cuts: bool) -> Option<Split> {
        let blocks = |n: u32| (n as usize).div_ceil(self.recipe.together) as f64;
        let mut best: Option<Split> = None;
        for (axis, bins) in bins.iter().enumerate() {
            let mut right = [(Bounds::EMPTY, 0); BINS];
            let (mut b, mut n) = (Bounds::EMPTY, 0);
            for k in (1..BINS).rev() {
                (b, n) = (b.union(&bins[k].bounds), n + bins[k].ends);
                right[k] = (b, n);
            }
            let (mut b, mut n) = (Bounds::EMPTY, 0);
            for k in 1..BINS {
                (b, n) = (b.union(&bins[k - 1].bounds), n + bins[k - 1].starts);
                if n == 0 || right[k].1 == 0 {
                    continue;
                }
                let cost = VISIT * self.recipe.area(bounds)
                    + self.recipe.area(&b) * blocks(n)
                    + self.recipe.area(&right[k].0) * blocks(right[k].1);
                if best.is_none_or(|best| cost < best.cost) {
                    let overlap = self.recipe.area(&b.intersection(&right[k].0));
                    best = Some(Split { cost, axis, bin: k, cuts, overlap });
                }
            }
        }
        best
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
            let mut pieces = [Some(reference.bounds), None];
            if low[axis] >= at {
                pieces.swap(0, 1);
            } else if high[axis] > at {
                let middle = 0.5 * low[axis] + 0.5 * high[axis];
                match self.recipe.splitter.filter(|_| room > 0) {
                    Some(splitter) => {
                        let there = |piece: Bounds| (piece.low[0] <= piece.high[0]).then_some(piece);
                        pieces = splitter(reference.part, &reference.bounds, axis, at).map(there);
                        room -= 1;
                    }
                    None if middle >= at => pieces.swap(0, 1),
                    None => {}
                }
            }
            if let Some(bounds) = pieces[0] {
                left.add(&bounds);
                job.references[kept] = Reference { bounds, part: reference.part };
                kept += 1;
            }
            if let Some(bounds) = pieces[1] {
                right.add(&bounds);
                aside.push(Reference { bounds, part: reference.part });
            }
        }
        job.len = kept + aside.len();
        job.references[kept..job.len].copy_from_slice(&aside);
        if kept == 0 || aside.is_empty() {
            let middle = job.len / 2;
            let (a, b) = job.references[..job.len].split_at(middle);
            return (Around::of(a), Around::of(b), middle);
        }
        (left, right, kept)
    }
}

impl Recipe<'_> {
    /// Half the surface of a box (of a rectangle, half its circumference); zero for an empty one.
    #[inline(always)]
    pub(super) fn area(&self, b: &Bounds) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(b.high[axis]) - f64::from(b.low[axis]));
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

/// Bins per length; zero along axes without one.
#[inline(always)]
fn scales(range: &Bounds) -> [f32; 3] {
    // Halves keep a range near the end of the exponents from overflowing.
    [0, 1, 2].map(|axis| {
        let half = 0.5 * range.high[axis] - 0.5 * range.low[axis];
        let scale = 0.5 * BINS as f32 / half;
        if half > 0.0 && scale < f32::INFINITY { scale } else { 0.0 }
    })
}

#[inline(always)]
fn bins_of(x: [f32; 3], range: &Bounds, scale: [f32; 3]) -> [usize; 3] {
    // A NaN is 0.
    [0, 1, 2].map(|axis| (((x[axis] - range.low[axis]) * scale[axis]) as usize).min(BINS - 1))
}

/// The references of the first bins first, in no order that depends on anything but theirs.
fn partition(job: &mut Job, around: &Around, Split { axis, bin, .. }: Split) -> (Around, Around, usize) {
    let scale = scales(&around.centers);
    let (mut left, mut right) = (Around::NOTHING, Around::NOTHING);
    let (mut i, mut j) = (0, job.len);
    while i < j {
        let bounds = job.references[i].bounds;
        if bins_of(bounds.center(), &around.centers, scale)[axis] < bin {
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
    let scale = scales(bounds);
    for &Reference { bounds: whole, part } in references {
        let (from, to) = (bins_of(whole.low, bounds, scale), bins_of(whole.high, bounds, scale));
        for axis in 0..3 {
            if scale[axis] == 0.0 {
                continue;
            }
            let bins = &mut bins[axis];
            let mut rest = whole;
            for k in from[axis]..to[axis] {
                let at = plane(bounds, axis, k + 1);
                if rest.low[axis] < at && at < rest.high[axis] {
                    let [piece, other] = splitter(part, &rest, axis, at);
                    bins[k].bounds = bins[k].bounds.union(&piece);
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
