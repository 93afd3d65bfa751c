//! Bins along the axes, and where it costs least to part what is in them.

use crate::COMPACT;
use crate::bvh::bounds::{Bounds, each, larger, smaller};
use crate::bvh::build::prim_ref::Reference;
use crate::bvh::build::settings::{Axes, Recipe, VISIT};
use crate::bvh::build::spatial_split::{Corners, Section, Sliced};
use crate::parallel::{both, several};
use glam::{Mat4, Vec4, Vec4Swizzles};

/// Bins per axis: more gain little (Wald 2007).
pub(crate) const BINS: usize = 16;

/// Room for the bins of most nodes, which are small: to clear it takes as long as to fill it.
const FEW: usize = 8;

/// References whose bins are told together.
const AHEAD: usize = 8;

/// More references than this are worth a second thread.
const WORTH_A_THREAD: usize = 32_768;

/// Children that share less than this part of the root's surface are not worth a look at cutting triangles in two
/// (Stich et al., section 4.3).
const OVERLAP: f64 = 1.0 / (1 << 17) as f64;

/// The same for the part of their own node's: scans have little of it, walls much.
const OWN_OVERLAP: f64 = 0.2;

/// Few parts need few bins.
pub(crate) fn bins_for(parts: usize) -> usize {
    (4 + parts / 4).min(BINS)
}

/// Where to part references.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    /// In lengths of the longest side, squared.
    cost: f32,
    pub(crate) axis: usize,
    /// The first bin of the second half.
    pub(crate) bin: usize,
    /// By centres, or by a plane that cuts.
    pub(crate) cuts: bool,
}

/// References that are to be parted, within their box, and with one around their centres.
pub(crate) struct Parted<'a> {
    pub(crate) references: &'a [Reference],
    pub(crate) bounds: &'a Bounds,
    pub(crate) centers: &'a Bounds,
    pub(crate) recipe: &'a Recipe<'a>,
    /// There is room for pieces of what is cut, in a tree whose root has this surface.
    pub(crate) room_below: Option<f64>,
}

impl Parted<'_> {
    /// The cheapest split; `None` when nothing separates the parts, or a leaf of them all is cheaper.
    pub(crate) fn cheapest(&self) -> Option<Split> {
        // One body of code for all, where programs are to be small.
        let few = !COMPACT && bins_for(self.references.len()) <= FEW;
        if few { self.among::<FEW>() } else { self.among::<BINS>() }
    }

    #[inline(always)]
    fn among<const N: usize>(&self) -> Option<Split> {
        let Self { references, recipe, .. } = *self;
        let count = bins_for(references.len());
        let ruler = Ruler::new(self.centers, count);
        let only = (recipe.axes == Axes::Longest).then(|| longest(self.centers));
        let bins = in_pieces(references, &|references| by_centers::<N>(references, &ruler, only));
        let surface = Surface::within(self.bounds, recipe.flat);
        let whole = surface.of(&[*self.bounds; 3]).x;
        let mut best = self.sweep(&bins, count, &surface);
        if let Some(corners) = recipe.corners
            && self.is_worth_a_cut(best.map(|best| bins[best.axis].split_at(best.bin)))
        {
            let cut = self.sweep(
                &in_pieces(references, &|references| chop(references, self.bounds, corners)),
                BINS,
                &surface,
            );
            best = match (best, cut) {
                (Some(a), Some(b)) if !(b.cost < a.cost) => best,
                (_, Some(cut)) => Some(Split { cuts: true, ..cut }),
                _ => best,
            };
        }
        let len = references.len();
        let as_leaf = if len <= recipe.most { recipe.cost(len) * whole } else { f32::INFINITY };
        best.filter(|split| VISIT * whole + split.cost < as_leaf)
    }

    /// Whether the halves of the best split by centres cover one another.
    fn is_worth_a_cut(&self, halves: Option<(&[Bin], &[Bin])>) -> bool {
        let Self { recipe, .. } = self;
        let Some(area_of_root) = self.room_below.filter(|_| self.references.len() > recipe.most) else { return false };
        let Some((left, right)) = halves else { return true };
        let around = |bins: &[Bin]| bins.iter().fold(Bounds::EMPTY, |all, bin| all.union(&bin.bounds));
        let overlap = recipe.area(&around(left).intersection(&around(right)));
        overlap > OVERLAP * area_of_root && overlap > OWN_OVERLAP * recipe.area(self.bounds)
    }

    /// The cheapest of all splits between two bins, the first of equals: all axes side by side.
    #[inline(always)]
    fn sweep<const N: usize>(&self, bins: &Bins<N>, count: usize, surface: &Surface) -> Option<Split> {
        // Where there are no parts, it is not a number, which is less than nothing.
        let cost = |around: &[Bounds; 3], parts: [i32; 4]| surface.of(around) * self.recipe.costs(parts);
        let mut right = [Vec4::ZERO; N];
        let (mut around, mut parts) = ([Bounds::EMPTY; 3], [0; 4]);
        for k in (1..count.min(N)).rev() {
            for axis in 0..3 {
                around[axis] = around[axis].union(&bins[axis][k].bounds);
                parts[axis] += bins[axis][k].ends;
            }
            right[k] = cost(&around, parts);
        }
        let (mut least, mut at) = (Vec4::INFINITY, Vec4::ZERO);
        let (mut around, mut parts) = ([Bounds::EMPTY; 3], [0; 4]);
        for k in 1..count.min(N) {
            for axis in 0..3 {
                around[axis] = around[axis].union(&bins[axis][k - 1].bounds);
                parts[axis] += bins[axis][k - 1].starts;
            }
            let cost = cost(&around, parts) + right[k];
            let less = cost.cmplt(least);
            (least, at) = (Vec4::select(less, cost, least), Vec4::select(less, Vec4::splat(k as f32), at));
        }
        let axis = (1..3).fold(0, |best, axis| if least[axis] < least[best] { axis } else { best });
        let split = Split { cost: least[axis], axis, bin: at[axis] as usize, cuts: false };
        (split.cost < f32::INFINITY).then_some(split)
    }
}

/// Surfaces of boxes within another one, in lengths of its longest side, which keeps them in range.
struct Surface {
    scale: f32,
    flat: bool,
}

impl Surface {
    fn within(bounds: &Bounds, flat: bool) -> Self {
        let scale = 1.0 / half_sides(bounds).xyz().max_element();
        Self { scale: if scale > 0.0 && scale < f32::INFINITY { scale } else { 0.0 }, flat }
    }
    /// Half the surface of each of three boxes (of a rectangle, half its circumference).
    #[inline(always)]
    fn of(&self, [a, b, c]: &[Bounds; 3]) -> Vec4 {
        let sides = Mat4::from_cols(half_sides(a), half_sides(b), half_sides(c), Vec4::ZERO).transpose() * self.scale;
        let [x, y, z] = [sides.x_axis, sides.y_axis, sides.z_axis];
        if self.flat { x + y } else { x * y + (x + y) * z }
    }
}

/// Halves do not leave the range.
#[inline(always)]
fn half_sides(bounds: &Bounds) -> Vec4 {
    Vec4::from_array(bounds.high) * 0.5 - Vec4::from_array(bounds.low) * 0.5
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Bounds,
    /// References whose first, and last, bin it is.
    starts: i32,
    ends: i32,
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

/// Bins of references along each axis.
type Bins<const N: usize> = [[Bin; N]; 3];

/// What is in all bins together, on several threads if there are so many references.
fn in_pieces<const N: usize>(references: &[Reference], fill: &(impl Fn(&[Reference]) -> Bins<N> + Sync)) -> Bins<N> {
    if !several() || references.len() <= WORTH_A_THREAD {
        return fill(references);
    }
    let (a, b) = references.split_at(references.len() / 2);
    let (mut all, more) = both(true, || in_pieces(a, fill), || in_pieces(b, fill));
    for (bin, more) in all.iter_mut().flatten().zip(more.iter().flatten()) {
        bin.bounds = bin.bounds.union(&more.bounds);
        (bin.starts, bin.ends) = (bin.starts + more.starts, bin.ends + more.ends);
    }
    all
}

/// References in the bins of their centres, along one axis or all.
#[inline(always)]
fn by_centers<const N: usize>(references: &[Reference], ruler: &Ruler, only: Option<usize>) -> Bins<N> {
    let mut bins = [[Bin::NOTHING; N]; 3];
    // Bins of several references are told before the first is added: neither waits for the other.
    let mut told = [[0; 4]; AHEAD];
    for references in references.chunks(AHEAD) {
        for (told, reference) in told.iter_mut().zip(references) {
            *told = ruler.bins(reference.bounds.center());
        }
        for (bin, reference) in told.iter().zip(references) {
            if let Some(axis) = only {
                bins[axis][bin[axis] as usize % N].add(&reference.bounds);
                continue;
            }
            for axis in 0..3 {
                bins[axis][bin[axis] as usize % N].add(&reference.bounds);
            }
        }
    }
    bins
}

/// Which bins coordinates fall into.
pub(crate) struct Ruler {
    low: Vec4,
    /// Bins per length; zero along axes without one.
    scale: Vec4,
    last: Vec4,
}

/// Bins are numbered from here: the first four digits of a number below twice this are that of its bin.
const FIRST: f32 = BINS as f32;

const DIGITS: u32 = f32::MANTISSA_DIGITS - 1 - BINS.ilog2();

impl Ruler {
    #[inline(always)]
    pub(crate) fn new(range: &Bounds, count: usize) -> Self {
        let scale = Vec4::splat(0.5 * count as f32) / half_sides(range);
        let there = scale.cmpgt(Vec4::ZERO) & scale.cmplt(Vec4::INFINITY);
        let last = Vec4::splat(FIRST + (count - 1) as f32);
        Self { low: Vec4::from_array(range.low), scale: Vec4::select(there, scale, Vec4::ZERO), last }
    }
    /// The bin along each axis, with a fraction; the first one for a NaN.
    #[inline(always)]
    fn places(&self, x: [f32; 4]) -> [f32; 4] {
        let place = (Vec4::from_array(x) - self.low) * self.scale + Vec4::splat(FIRST);
        each(each(place.to_array(), [FIRST; 4], larger), self.last.to_array(), smaller)
    }
    /// Which coordinates along an axis are in a bin before this one: the same numbers, one by one.
    #[inline(always)]
    pub(crate) fn before(&self, axis: usize, bin: usize) -> impl Fn(f32) -> bool + use<> {
        let (low, scale, first) = (self.low[axis], self.scale[axis], FIRST + bin as f32);
        // The last bin has no end, and what is no number is in the first one.
        move |x| !((x - low) * scale + FIRST >= first)
    }
    #[inline(always)]
    fn bins(&self, x: [f32; 4]) -> [u32; 4] {
        let [x, y, z, w] = self.places(x);
        [x.to_bits() >> DIGITS, y.to_bits() >> DIGITS, z.to_bits() >> DIGITS, w.to_bits() >> DIGITS]
    }
}

/// The axis along which a box is longest; the first of equals.
fn longest(range: &Bounds) -> usize {
    let half = |axis: usize| 0.5 * range.high[axis] - 0.5 * range.low[axis];
    (1..3).fold(0, |longest, axis| if half(axis) > half(longest) { axis } else { longest })
}

/// The plane before a bin of space.
pub(crate) fn plane(bounds: &Bounds, axis: usize, bin: usize) -> f32 {
    let share = bin as f32 / BINS as f32;
    bounds.low[axis] * (1.0 - share) + bounds.high[axis] * share
}

/// The pieces of all references, in the bins of space that they reach.
fn chop(references: &[Reference], bounds: &Bounds, corners: &Corners) -> Bins<BINS> {
    let mut bins = [[Bin::NOTHING; BINS]; 3];
    let ruler = Ruler::new(bounds, BINS);
    for reference in references {
        let whole = reference.bounds;
        let (from, to) = (ruler.bins(whole.low), ruler.bins(whole.high));
        let corners = if from[..3] == to[..3] { None } else { Some(corners(reference.part())) };
        for (axis, bins) in bins.iter_mut().enumerate() {
            let (from, to) = (from[axis] as usize % BINS, to[axis] as usize % BINS);
            let mut rest = whole;
            if let Some(corners) = corners.filter(|_| from < to) {
                let triangle = Sliced::new(corners, axis);
                let mut last = Section::BEFORE_ALL;
                for (k, bin) in bins[..to].iter_mut().enumerate().skip(from) {
                    let next = triangle.section(plane(bounds, axis, k + 1));
                    bin.bounds = bin.bounds.union(&triangle.between(&last, &next, &whole));
                    last = next;
                }
                rest = triangle.between(&last, &Section::BEYOND_ALL, &whole);
            }
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

    /// References are counted by one formula and parted by the other: were they not of one mind, a half could be empty.
    #[test]
    fn who_is_before_a_bin_is_counted_there() {
        let ends =
            [(0.0, 1.0), (-3.0, 7.5), (1e-38, 3e-38), (f32::MIN, f32::MAX), (2.0, 2.0), (1e30, 1.1e30), (-0.1, 0.3)];
        let mut filled = [false; BINS];
        for (low, high) in ends {
            let range = Bounds { low: [low; 4], high: [high; 4] };
            for count in 4..=BINS {
                let ruler = Ruler::new(&range, count);
                // Steps, their neighbours, and what lies outside or is no number.
                let steps = (0..=96).map(|i| low * (1.0 - i as f32 / 96.0) + high * (i as f32 / 96.0));
                let near = steps.flat_map(|x| [x.next_down(), x, x.next_up()]);
                for x in near.chain([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN]) {
                    for (axis, bin) in ruler.bins([x; 4]).into_iter().take(3).enumerate() {
                        let bin = bin as usize % BINS;
                        assert!(bin < count, "{x} of {low}..{high}: bin {bin} of {count}");
                        filled[bin] = true;
                        for start in 1..count {
                            let told = ruler.before(axis, start)(x);
                            assert_eq!(told, bin < start, "{x} of {low}..{high}: bin {bin} of {count}, {start}");
                        }
                    }
                }
            }
        }
        assert_eq!(filled, [true; BINS]);
    }
}
