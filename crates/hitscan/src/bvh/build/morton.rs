//! A tree in a hurry: neighbours along a curve are put together first, and the tree is built over the groups.

use crate::bvh::bounds::Bounds;
use crate::bvh::build::collapse::{WideNodes, collapse};
use crate::bvh::build::prim_ref::Reference;
use crate::bvh::build::sah::plan;
use crate::bvh::build::settings::{Axes, Recipe, VISIT};
use crate::bvh::node::Leaf;
use alloc::vec::Vec;

/// # Method
/// Parts are sorted along Morton's curve, the bits of their centres' coordinates in turn. A run of the curve is halved where
/// the highest bit changes; from the bottom up, halves of few parts are put together again where that costs less than to
/// look at both. The groups are the leaves of a tree that is built like any other, over a fifth as many things.
///
/// # Source
/// Lauterbach et al., *Fast BVH Construction on GPUs*, Computer Graphics Forum 28(2), 2009, for the curve; Pantaleoni, Luebke,
/// *HLBVH: Hierarchical LBVH Construction for Real-Time Ray Tracing of Dynamic Geometry*, High Performance Graphics, 2010,
/// for a tree by the surface area over groups along it.
pub(crate) fn over_groups(references: &[Reference], recipe: &Recipe) -> WideNodes {
    let mut grouping = Grouping { references, recipe, groups: Vec::new() };
    let places = along_the_curve(references);
    if !places.is_empty() {
        grouping.gather(&places, 0);
    }
    let Grouping { groups, .. } = grouping;
    let reference = |(number, group): (usize, &Group)| Reference::new(group.bounds, number as u32);
    let whole = Recipe { most: 1, together: 1, axes: Axes::Longest, corners: None, ..*recipe };
    let mut wide = collapse(&plan(groups.iter().enumerate().map(reference).collect(), &whole), &whole);
    // Each leaf has one group: its parts take their place.
    let numbers = core::mem::take(&mut wide.parts);
    for child in wide.nodes.iter_mut().flat_map(|node| &mut node.child) {
        let Some(leaf) = Leaf::of(*child) else { continue };
        let Group { first, count, .. } = groups[numbers[leaf.first()] as usize];
        *child = Leaf::new(wide.parts.len(), count).child();
        wide.parts.extend(places[first..][..count].iter().map(|place| references[place.reference as usize].part()));
    }
    wide
}

/// A reference, and where its centre is along the curve.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    code: u64,
    reference: u32,
}

/// References that are next to each other on the curve.
struct Group {
    bounds: Bounds,
    first: usize,
    count: usize,
}

struct Grouping<'a> {
    references: &'a [Reference],
    recipe: &'a Recipe<'a>,
    groups: Vec<Group>,
}

impl Grouping<'_> {
    /// Puts the groups of a run behind the others; returns the box around them and what they cost.
    fn gather(&mut self, places: &[Place], first: usize) -> (Bounds, f64) {
        let (count, known) = (places.len(), self.groups.len());
        let (bounds, in_groups) = if let [place] = places {
            (self.references[place.reference as usize].bounds, f64::INFINITY)
        } else {
            let (a, b) = places.split_at(halfway(places));
            let (left, cost_of_left) = self.gather(a, first);
            let (right, cost_of_right) = self.gather(b, first + a.len());
            let bounds = left.union(&right);
            (bounds, f64::from(VISIT) * self.recipe.area(&bounds) + cost_of_left + cost_of_right)
        };
        let as_one = self.recipe.area(&bounds) * f64::from(self.recipe.cost(count));
        // One reference is one group, whatever the numbers.
        if count > 1 && !(count <= self.recipe.most && as_one <= in_groups) {
            return (bounds, in_groups);
        }
        self.groups.truncate(known);
        self.groups.push(Group { bounds, first, count });
        (bounds, as_one)
    }
}

/// Where the highest bit changes; in the middle, where none does.
fn halfway(places: &[Place]) -> usize {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return 0 };
    match (first.code ^ last.code).checked_ilog2() {
        Some(bit) => places.partition_point(|place| place.code >> bit == first.code >> bit),
        None => places.len() / 2,
    }
}

/// Steps of the curve per axis, as bits.
const STEPS: u32 = 21;

/// The references by their places on the curve, those at the same one in their order.
fn along_the_curve(references: &[Reference]) -> Vec<Place> {
    let centers = references.iter().fold(Bounds::EMPTY, |all, reference| {
        let center = reference.bounds.center();
        all.union(&Bounds { low: center, high: center })
    });
    // Cubes: the same scale along all axes. Halves keep a range near the end of the exponents from overflowing.
    let half = (0..3).map(|axis| 0.5 * centers.high[axis] - 0.5 * centers.low[axis]).fold(0.0, f32::max);
    let scale = 0.5 * (1 << STEPS) as f32 / half;
    let scale = if half > 0.0 && scale < f32::INFINITY { scale } else { 0.0 };
    let place = |(number, reference): (usize, &Reference)| {
        let center = reference.bounds.center();
        let step = |axis: usize| {
            // A NaN is 0.
            let step = ((center[axis] - centers.low[axis]) * scale) as u64;
            apart(step.min((1 << STEPS) - 1))
        };
        Place { code: step(0) << 2 | step(1) << 1 | step(2), reference: number as u32 }
    };
    let mut places: Vec<Place> = references.iter().enumerate().map(place).collect();
    #[cfg(feature = "rayon")]
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut places[..]);
    #[cfg(not(feature = "rayon"))]
    places.sort_unstable();
    places
}

/// The bits of a number below 2^21, two zeros before each.
#[inline(always)]
fn apart(mut x: u64) -> u64 {
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_put_apart() {
        for x in [0, 1, 2, 0x15_5555, 0x1f_ffff, 0x12_3456] {
            let slowly = (0..STEPS).fold(0, |all, bit| all | (x >> bit & 1) << (3 * bit));
            assert_eq!(apart(x), slowly, "{x:x}");
        }
    }

    /// Each part in one group, of at most so many, even where all are at one place or far out.
    #[test]
    fn every_part_is_in_a_leaf() {
        let recipe = Recipe { most: 16, together: 16, flat: false, axes: Axes::All, corners: None };
        for size in [0.0, 1.0, 1e30, f32::MAX] {
            let at = |i: u32| {
                let x = [i % 7, i % 11, i % 13, 0].map(|k| k as f32 / 16.0 * size);
                Reference::new(Bounds { low: x, high: x }, i)
            };
            for count in [0, 1, 2, 9, 500] {
                let references: Vec<_> = (0..count).map(at).collect();
                let wide = over_groups(&references, &recipe);
                let mut parts = wide.parts;
                parts.sort_unstable();
                assert!(parts.iter().copied().eq(0..count), "{size} {count}: {parts:?}");
                assert!(wide.depth <= 64, "{}", wide.depth);
            }
        }
    }
}
