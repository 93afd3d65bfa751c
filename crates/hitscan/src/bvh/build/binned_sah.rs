//! Binned SAH: finds the cheapest split of primitive references into two halves.

use crate::bvh::bounds::{Bounds, each, larger, smaller};
use crate::bvh::build::prim_ref::PrimRef;
use crate::bvh::build::settings::{Axes, BuildSettings, TRAVERSAL_COST};
use crate::bvh::build::spatial_split::{CrossSection, TriangleClipper, TriangleCorners};
use crate::parallel::{is_parallel, join_if};
use crate::target::COMPACT;
use glam::{Mat4, Vec4, Vec4Swizzles};

/// Bins per axis: more gain little (Wald 2007).
pub(crate) const BINS: usize = 16;

/// Bins per axis for small nodes, which are the most: clearing all bins would take as long as filling them.
const FEW_BINS: usize = 8;

/// References per batch of bin computations.
const BIN_BATCH: usize = 8;

/// Number of references above which a second thread pays.
const BIN_PER_THREAD: usize = 32_768;

/// Least overlap of the two children, as a fraction of the root's area, for which spatial splits are tried (Stich et
/// al., section 4.3).
const OVERLAP: f64 = 1.0 / (1 << 17) as f64;

/// The same as a fraction of the node's own area: small for scanned meshes, large for architecture.
const OWN_OVERLAP: f64 = 0.2;

/// Bins per axis for a number of primitives: small nodes need few.
pub(crate) fn bins_for(prim_ids: usize) -> usize {
    (4 + prim_ids / 4).min(BINS)
}

/// Split of a node: an axis and the bin after the split plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    /// SAH cost, with areas in squared lengths of the longest side.
    cost: f32,
    pub(crate) axis: usize,
    /// The first bin of the second half.
    pub(crate) bin: usize,
    /// Spatial split, which cuts primitives at the plane; else an object split by centres.
    pub(crate) cuts: bool,
}

/// Split finder: searches the cheapest split of some references, given their bounds and the bounds of their centres.
pub(crate) struct SplitFinder<'a> {
    pub(crate) prim_refs: &'a [PrimRef],
    pub(crate) bounds: &'a Bounds,
    pub(crate) centers: &'a Bounds,
    pub(crate) settings: &'a BuildSettings<'a>,
    /// Area of the BVH root, if there is room for the references that a spatial split adds.
    pub(crate) room_below: Option<f64>,
}

impl SplitFinder<'_> {
    /// The cheapest split; `None` when no plane separates the primitives, or when one leaf is cheaper.
    pub(crate) fn cheapest(&self) -> Option<Split> {
        // COMPACT builds compile one body for all sizes.
        let few = !COMPACT && bins_for(self.prim_refs.len()) <= FEW_BINS;
        if few { self.among::<FEW_BINS>() } else { self.among::<BINS>() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn among<const N: usize>(&self) -> Option<Split> {
        // Few primitives get few bins, whose borders divide the range of the centres.
        let Self { prim_refs, settings, .. } = *self;
        let count = bins_for(prim_refs.len());
        let ruler = BinMapping::new(self.centers, count);
        let only = (settings.axes == Axes::Longest).then(|| longest(self.centers));
        // Bins by centres, and their cheapest split: an object split.
        let bins = in_pieces(prim_refs, &|prim_refs| by_centers::<N>(prim_refs, &ruler, only));
        let surface = Surface::within(self.bounds, settings.flat);
        let whole = surface.of(&[*self.bounds; 3]).x;
        let mut best = self.sweep(&bins, count, &surface);
        // A spatial split, where the children of that split overlap much (Stich et al., section 4.3): the cheapest
        // border of the bins of clipped pieces.
        if let Some(corners) = settings.corners
            && self.is_worth_a_cut(best.map(|best| bins[best.axis].split_at(best.bin)))
        {
            let cut = self.sweep(
                &in_pieces(prim_refs, &|prim_refs| bin_spatial(prim_refs, self.bounds, corners)),
                BINS,
                &surface,
            );
            // The spatial split must be cheaper, since it adds references.
            best = match (best, cut) {
                (Some(a), Some(b)) if !(b.cost < a.cost) => best,
                (_, Some(cut)) => Some(Split { cuts: true, ..cut }),
                _ => best,
            };
        }
        // A leaf, if it is allowed, must cost more than the split and the visit of its node.
        let len = prim_refs.len();
        let as_leaf = if len <= settings.max_leaf_size { settings.cost(len) * whole } else { f32::INFINITY };
        best.filter(|split| TRAVERSAL_COST * whole + split.cost < as_leaf)
    }

    /// Whether a spatial split is worth trying: the halves of the best object split overlap enough, or there is none.
    fn is_worth_a_cut(&self, halves: Option<(&[Bin], &[Bin])>) -> bool {
        let Self { settings, .. } = self;
        let Some(area_of_root) = self.room_below.filter(|_| self.prim_refs.len() > settings.max_leaf_size) else {
            return false;
        };
        let Some((left, right)) = halves else { return true };
        let around = |bins: &[Bin]| bins.iter().fold(Bounds::EMPTY, |all, bin| all.union(&bin.bounds));
        let overlap = settings.area(&around(left).intersection(&around(right)));
        overlap > OVERLAP * area_of_root && overlap > OWN_OVERLAP * settings.area(self.bounds)
    }

    /// SAH sweep: the cheapest split between two bins, the first of equals, with the three axes in SIMD lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sweep<const N: usize>(&self, bins: &Bins<N>, count: usize, surface: &Surface) -> Option<Split> {
        // An empty side has the cost NaN, which never compares less.
        let cost = |around: &[Bounds; 3], prim_ids: [i32; 4]| surface.of(around) * self.settings.costs(prim_ids);
        // From the last bin to the first: what the right side of each border costs.
        let mut right = [Vec4::ZERO; N];
        let (mut around, mut prim_ids) = ([Bounds::EMPTY; 3], [0; 4]);
        for k in (1..count.min(N)).rev() {
            for axis in 0..3 {
                around[axis] = around[axis].union(&bins[axis][k].bounds);
                prim_ids[axis] += bins[axis][k].ends;
            }
            right[k] = cost(&around, prim_ids);
        }
        // From the first bin to the last: the left side, and with it the cost of each border. Comparisons keep the
        // first of equals.
        let (mut least, mut at) = (Vec4::INFINITY, Vec4::ZERO);
        let (mut around, mut prim_ids) = ([Bounds::EMPTY; 3], [0; 4]);
        for k in 1..count.min(N) {
            for axis in 0..3 {
                around[axis] = around[axis].union(&bins[axis][k - 1].bounds);
                prim_ids[axis] += bins[axis][k - 1].starts;
            }
            let cost = cost(&around, prim_ids) + right[k];
            let less = cost.cmplt(least);
            (least, at) = (Vec4::select(less, cost, least), Vec4::select(less, Vec4::splat(k as f32), at));
        }
        // The cheapest of the three axes. No finite cost means that one side is always empty.
        let axis = (1..3).fold(0, |best, axis| if least[axis] < least[best] { axis } else { best });
        let split = Split { cost: least[axis], axis, bin: at[axis] as usize, cuts: false };
        (split.cost < f32::INFINITY).then_some(split)
    }
}

/// Area of boxes, in squared lengths of the node's longest side, so that it stays in range.
struct Surface {
    scale: f32,
    flat: bool,
}

impl Surface {
    fn within(bounds: &Bounds, flat: bool) -> Self {
        let scale = 1.0 / half_sides(bounds).xyz().max_element();
        Self { scale: if scale > 0.0 && scale < f32::INFINITY { scale } else { 0.0 }, flat }
    }
    /// Half the surface area of each of three boxes (in 2D half the perimeter).
    #[inline(always)]
    fn of(&self, [a, b, c]: &[Bounds; 3]) -> Vec4 {
        let sides = Mat4::from_cols(half_sides(a), half_sides(b), half_sides(c), Vec4::ZERO).transpose() * self.scale;
        let [x, y, z] = [sides.x_axis, sides.y_axis, sides.z_axis];
        if self.flat { x + y } else { x * y + (x + y) * z }
    }
}

/// Half the side lengths of a box: full lengths could overflow.
#[inline(always)]
fn half_sides(bounds: &Bounds) -> Vec4 {
    Vec4::from_array(bounds.high) * 0.5 - Vec4::from_array(bounds.low) * 0.5
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Bounds,
    /// Number of references whose first bin, and whose last bin, this is.
    starts: i32,
    ends: i32,
}

impl Bin {
    const EMPTY: Self = Self { bounds: Bounds::EMPTY, starts: 0, ends: 0 };
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds) {
        self.bounds = self.bounds.union(bounds);
        self.starts += 1;
        self.ends += 1;
    }
}

/// Bins along each axis.
type Bins<const N: usize> = [[Bin; N]; 3];

/// Fills the bins with all references, in parallel if they are many.
fn in_pieces<const N: usize>(prim_refs: &[PrimRef], fill: &(impl Fn(&[PrimRef]) -> Bins<N> + Sync)) -> Bins<N> {
    if !is_parallel() || prim_refs.len() <= BIN_PER_THREAD {
        return fill(prim_refs);
    }
    let (a, b) = prim_refs.split_at(prim_refs.len() / 2);
    let (mut all, more) = join_if(true, || in_pieces(a, fill), || in_pieces(b, fill));
    for (bin, more) in all.iter_mut().flatten().zip(more.iter().flatten()) {
        bin.bounds = bin.bounds.union(&more.bounds);
        (bin.starts, bin.ends) = (bin.starts + more.starts, bin.ends + more.ends);
    }
    all
}

/// Bins references by their centres, along one axis or all.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_centers<const N: usize>(prim_refs: &[PrimRef], ruler: &BinMapping, only: Option<usize>) -> Bins<N> {
    let mut bins = [[Bin::EMPTY; N]; 3];
    // Bin numbers of several references are computed before the first is added, so that the two steps overlap.
    let mut result = [[0; 4]; BIN_BATCH];
    for prim_refs in prim_refs.chunks(BIN_BATCH) {
        for (result, prim_ref) in result.iter_mut().zip(prim_refs) {
            *result = ruler.bins(prim_ref.bounds.center());
        }
        for (bin, prim_ref) in result.iter().zip(prim_refs) {
            if let Some(axis) = only {
                bins[axis][bin[axis] as usize % N].add(&prim_ref.bounds);
                continue;
            }
            for axis in 0..3 {
                bins[axis][bin[axis] as usize % N].add(&prim_ref.bounds);
            }
        }
    }
    bins
}

/// Bin mapping: from coordinates to bin numbers.
pub(crate) struct BinMapping {
    low: Vec4,
    /// Bins per unit length; zero along axes of zero length.
    scale: Vec4,
    last: Vec4,
}

/// Bin numbers are offset by this power of two: in [FIRST, 2 FIRST) the top mantissa bits of a float are its bin.
const FIRST: f32 = BINS as f32;

const DIGITS: u32 = f32::MANTISSA_DIGITS - 1 - BINS.ilog2();

impl BinMapping {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(range: &Bounds, count: usize) -> Self {
        let scale = Vec4::splat(0.5 * count as f32) / half_sides(range);
        let there = scale.cmpgt(Vec4::ZERO) & scale.cmplt(Vec4::INFINITY);
        let last = Vec4::splat(FIRST + (count - 1) as f32);
        Self { low: Vec4::from_array(range.low), scale: Vec4::select(there, scale, Vec4::ZERO), last }
    }
    /// Fractional bin number along each axis, offset by `FIRST`; `FIRST` for NaN.
    #[inline(always)]
    fn slots(&self, x: [f32; 4]) -> [f32; 4] {
        let slot = (Vec4::from_array(x) - self.low) * self.scale + Vec4::splat(FIRST);
        each(each(slot.to_array(), [FIRST; 4], larger), self.last.to_array(), smaller)
    }
    /// Predicate: whether a coordinate along an axis lies in a bin before this one. Scalar, but with the same roundings
    /// as [`bins`](Self::bins).
    #[inline(always)]
    pub(crate) fn before(&self, axis: usize, bin: usize) -> impl Fn(f32) -> bool + use<> {
        let (low, scale, first) = (self.low[axis], self.scale[axis], FIRST + bin as f32);
        // The last bin is unbounded, and NaN lies in the first.
        move |x| !((x - low) * scale + FIRST >= first)
    }
    #[inline(always)]
    fn bins(&self, x: [f32; 4]) -> [u32; 4] {
        let [x, y, z, w] = self.slots(x);
        [x.to_bits() >> DIGITS, y.to_bits() >> DIGITS, z.to_bits() >> DIGITS, w.to_bits() >> DIGITS]
    }
}

/// The axis of the longest side; the first of equals.
fn longest(range: &Bounds) -> usize {
    let half = |axis: usize| 0.5 * range.high[axis] - 0.5 * range.low[axis];
    (1..3).fold(0, |longest, axis| if half(axis) > half(longest) { axis } else { longest })
}

/// The plane before a spatial bin.
pub(crate) fn plane(bounds: &Bounds, axis: usize, bin: usize) -> f32 {
    let share = bin as f32 / BINS as f32;
    bounds.low[axis] * (1.0 - share) + bounds.high[axis] * share
}

/// Bins the clipped pieces of all references into the spatial bins that they overlap.
fn bin_spatial(prim_refs: &[PrimRef], bounds: &Bounds, corners: &TriangleCorners) -> Bins<BINS> {
    let mut bins = [[Bin::EMPTY; BINS]; 3];
    let ruler = BinMapping::new(bounds, BINS);
    // A reference starts in one bin and ends in another; its triangle is clipped at each border between them.
    for prim_ref in prim_refs {
        let whole = prim_ref.bounds;
        let (from, to) = (ruler.bins(whole.low), ruler.bins(whole.high));
        // Most references lie in one bin along every axis: they need no corners.
        let corners = if from[..3] == to[..3] { None } else { Some(corners(prim_ref.part())) };
        for (axis, bins) in bins.iter_mut().enumerate() {
            let (from, to) = (from[axis] as usize % BINS, to[axis] as usize % BINS);
            let mut rest = whole;
            // Piece by piece: the part between two borders enlarges the bin between them.
            if let Some(corners) = corners.filter(|_| from < to) {
                let triangle = TriangleClipper::new(corners, axis);
                let mut last = CrossSection::BEFORE_ALL;
                for (k, bin) in bins[..to].iter_mut().enumerate().skip(from) {
                    let next = triangle.section(plane(bounds, axis, k + 1));
                    bin.bounds = bin.bounds.union(&triangle.between(&last, &next, &whole));
                    last = next;
                }
                rest = triangle.between(&last, &CrossSection::BEYOND_ALL, &whole);
            }
            // The last piece, or the whole reference, belongs to the last bin. The counts say on which sides of a
            // border a reference is.
            bins[to].bounds = bins[to].bounds.union(&rest);
            bins[from].starts += 1;
            bins[to].ends += 1;
        }
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `bins` counts references and `before` partitions them: if the two differed, a half could be empty.
    #[test]
    fn who_is_before_a_bin_is_counted_there() {
        let ends =
            [(0.0, 1.0), (-3.0, 7.5), (1e-38, 3e-38), (f32::MIN, f32::MAX), (2.0, 2.0), (1e30, 1.1e30), (-0.1, 0.3)];
        let mut filled = [false; BINS];
        for (low, high) in ends {
            let range = Bounds { low: [low; 4], high: [high; 4] };
            for count in 4..=BINS {
                let ruler = BinMapping::new(&range, count);
                // Steps, their neighbours, values outside the range, and NaN.
                let steps = (0..=96).map(|i| low * (1.0 - i as f32 / 96.0) + high * (i as f32 / 96.0));
                let near = steps.flat_map(|x| [x.next_down(), x, x.next_up()]);
                for x in near.chain([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN]) {
                    // A value has one bin, and lies before exactly the bins that follow: both functions must agree on
                    // each.
                    for (axis, bin) in ruler.bins([x; 4]).into_iter().take(3).enumerate() {
                        let bin = bin as usize % BINS;
                        assert!(bin < count, "{x} of {low}..{high}: bin {bin} of {count}");
                        filled[bin] = true;
                        for start in 1..count {
                            let result = ruler.before(axis, start)(x);
                            assert_eq!(result, bin < start, "{x} of {low}..{high}: bin {bin} of {count}, {start}");
                        }
                    }
                }
            }
        }
        // All bins have been used.
        assert_eq!(filled, [true; BINS]);
    }
}
