//! Overlap of a volume with the boxes of a node.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::Leaf;
use crate::bvh::node::NodeBounds;
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::slab::SlabTest;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::bvh::traverse::volume::{TraverseVolume, VolumeTest, VolumeVisitor};
use crate::convex::convex_shape::{ConvexShape, UNIT_ROWS};
use crate::math::affine_map::{AffineMap, ROOM};
use crate::math::instance_stack::InstanceLevel;
use crate::math::rounding::{power, round_down_f32, round_up_f32};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::overlap::volume::Volume;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use arrayvec::ArrayVec;
use core::ops::{ControlFlow, Range};

/// The space between two parallel planes: `direction . p` in `lower..=upper`.
#[derive(Clone, Copy, Debug)]
struct PlanePair {
    direction: [f32; 3],
    lower: f32,
    upper: f32,
    /// Bound of the errors of a height and of the bounds.
    slack: f32,
}

impl PlanePair {
    /// The heights of the lowest and the highest corner of each box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn heights<L: SimdF32>(&self, low: [L; 3], high: [L; 3]) -> (L, L) {
        let [u, v, w] = self.direction;
        let (u, v, w) = (L::splat(u), L::splat(v), L::splat(w));
        let (a, b) = (low[0].times(u), high[0].times(u));
        let (c, d) = (low[1].times(v), high[1].times(v));
        let (e, f) = (low[2].times(w), high[2].times(w));
        (a.min(b).plus(c.min(d)).plus(e.min(f)), a.max(b).plus(c.max(d)).plus(e.max(f)))
    }

    /// The mask of the lanes whose heights are not all beyond a plane.
    #[inline(always)]
    fn mask<L: SimdF32>(&self, lower: L, upper: L) -> u32 {
        // A NaN from infinities separates nothing.
        !(L::splat(self.upper).less(lower) | upper.less(L::splat(self.lower)))
    }
}

/// A volume prepared for many boxes: its bounds, and pairs of planes around it, all rounded outward. See
/// docs/proofs.md, Lemma 34.
#[derive(Clone, Debug)]
pub(crate) struct BoxOverlap {
    low: [f32; 3],
    high: [f32; 3],
    /// About the center of the volume: boxes near it come first.
    center: [f32; 3],
    planes: ArrayVec<PlanePair, 6>,
}

/// Bound of the errors of a support point and of a product with a map in `f64`, as a share of the sum of their terms: a few
/// dozen roundings of 2^-53.
const ERROR_IN_F64: f64 = power(-46);

/// Bound of the error of a height in `f32`, as a share of the largest coordinate times the sum of the direction's components: the
/// direction, a coordinate, three products and two sums have seven roundings of 2^-24.
const ERROR_IN_F32: f64 = power(-20);

impl BoxOverlap {
    /// The volume among boxes with coordinates up to `largest`, in the coordinates of an instance; with the planes around it, or with
    /// its bounds alone.
    pub(crate) fn new<V: Vector>(
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        largest: f64,
        with_planes: bool,
    ) -> Self {
        // In the coordinates of the world, the bounds of the volume need only be rounded outward.
        let Some(level) = level else {
            let (min, max) = (volume.bounds.min.to_f64(), volume.bounds.max.to_f64());
            let (low, high) = (min.map(round_down_f32), max.map(round_up_f32));
            let mut test = Self::of_bounds(low, high);
            if with_planes {
                test.add_planes(volume, None, largest);
            }
            return test;
        };
        // Under a transform, the bounds and planes go to the coordinates of the boxes, with room for the errors of the
        // map.
        let maps = [level.affine_map::<f64>(), level.affine_terms::<f64>()];
        let [low, high] = local_bounds(volume, level, &maps[0]);
        let mut test = Self::of_bounds(low.map(round_down_f32), high.map(round_up_f32));
        if with_planes {
            test.add_planes(volume, Some(maps), largest);
        }
        test
    }

    fn of_bounds(low: [f32; 3], high: [f32; 3]) -> Self {
        // Infinite bounds have no center: any number will do.
        let center = [0, 1, 2].map(|i| (0.5 * low[i] + 0.5 * high[i]).max(f32::MIN));
        Self { low, high, center, planes: ArrayVec::new() }
    }

    fn add_planes<V: Vector>(&mut self, volume: &Volume<V>, maps: Option<[AffineMap<f64>; 2]>, largest: f64) {
        // In the plane the bounds suffice. Beyond these sizes, `f32` could overflow or lose all digits.
        if V::DIM == 2 || !COORDINATES.contains(&largest) {
            return;
        }
        let errors_of_volume = 2.0 * volume.shape.largest() * ERROR_IN_F64;
        // Each pair of parallel planes between which the volume lies, in the directions in which it is thin.
        for direction in volume.shape.thin_directions() {
            let ([mut lower, mut upper], size) = (volume.shape.interval(direction), direction.l1_norm());
            let (mut local, mut size_in_tree, mut slack) = (direction, size, size * errors_of_volume);
            if let Some([map, bounds]) = &maps {
                // direction . (M p + t) = (transpose of M) direction . p + direction . t
                let [x, y, z] = map.columns.map(|column| column.plain_dot(direction));
                local = Vec3::new(x, y, z);
                size_in_tree = local.l1_norm();
                let shift = map.translation.plain_dot(direction);
                (lower, upper) = (lower - shift, upper - shift);
                let of_map = bounds.columns.iter().map(|column| column.l1_norm()).sum::<f64>() * largest;
                slack += size * (of_map + bounds.translation.l1_norm()) * ERROR_IN_F64;
            }
            // What a height of a box may lose in `f32`.
            slack += size_in_tree * largest * ERROR_IN_F32;
            // Both planes are moved outward by all errors together.
            let pair = PlanePair {
                direction: [local.x as f32, local.y as f32, local.z as f32],
                lower: round_down_f32(lower - slack),
                upper: round_up_f32(upper + slack),
                slack: round_up_f32(slack),
            };
            // A direction or a bound out of range would rule out nothing, or too much: the other planes remain.
            if DIRECTIONS.contains(&size_in_tree) && pair.slack < f32::INFINITY && pair.lower <= pair.upper {
                self.planes.push(pair);
            }
        }
    }

    /// The test for boxes inside of the volume: [`corners_inside`](Self::corners_inside) of one that is not placed.
    pub(crate) fn boxes_inside<V: Vector>(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        largest: f64,
    ) -> Option<Self> {
        let mut inner = if level.is_none() { self.corners_inside(&volume.shape, largest)? } else { return None };
        if V::DIM == 2 {
            (inner.low[2], inner.high[2]) = (f32::NEG_INFINITY, f32::INFINITY);
        }
        Some(inner)
    }

    /// The test for corners inside of the volume among boxes with coordinates up to `largest`, if it is a box.
    pub(crate) fn corners_inside(&self, shape: &ConvexShape, largest: f64) -> Option<Self> {
        const EVERYTHING: [[f32; 3]; 2] = [[f32::NEG_INFINITY; 3], [f32::INFINITY; 3]];
        // The bounds of the volume, rounded inward: what is within them is inside for certain.
        let within = |[min, max]: [Vec3<f64>; 2]| {
            let [low, high] = [min.map(f64::next_up), max.map(f64::next_down)].map(|v| [v.x, v.y, v.z]);
            Self::of_bounds(low.map(round_up_f32), high.map(round_down_f32))
        };
        match shape {
            ConvexShape::Bounds { min, max } => Some(within([*min, *max])),
            ConvexShape::Box { center, half, rows } if *rows == UNIT_ROWS => {
                Some(within([*center - *half, *center + *half]))
            }
            ConvexShape::Box { .. } if self.planes.len() == 3 => {
                // The three pairs of planes of a turned box are moved inward.
                let [low, high] = EVERYTHING;
                let planes = self.planes.iter().map(|pair| {
                    // The planes around the volume are farther out by the errors: twice as much as the errors of the volume and of
                    // heights, with room for the roundings of these sums.
                    let slack = 3.0 * f64::from(pair.slack);
                    let (lower, upper) = (f64::from(pair.lower) + slack, f64::from(pair.upper) - slack);
                    PlanePair { lower: round_up_f32(lower), upper: round_down_f32(upper), ..*pair }
                });
                Some(Self { planes: planes.collect(), ..Self::of_bounds(low, high) })
            }
            _ => None,
        }
        // Beyond this size, sums could overflow.
        .filter(|_| largest < COORDINATES.end)
    }

    /// The mask of the lanes with a corner for which the test of [`corners_inside`](Self::corners_inside) holds.
    #[inline(always)]
    pub(crate) fn corner_mask<L: SimdF32>(&self, x: [L; 3], y: [L; 3], z: [L; 3]) -> u32 {
        self.point_mask::<L>([x[0], y[0], z[0]])
            | self.point_mask::<L>([x[1], y[1], z[1]])
            | self.point_mask::<L>([x[2], y[2], z[2]])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn point_mask<L: SimdF32>(&self, point: [L; 3]) -> u32 {
        // A comparison with a NaN does not hold.
        let [x, y, z] = point;
        let mut mask = L::splat(self.low[0]).le(x) & x.le(L::splat(self.high[0]));
        mask &= L::splat(self.low[1]).le(y) & y.le(L::splat(self.high[1]));
        mask &= L::splat(self.low[2]).le(z) & z.le(L::splat(self.high[2]));
        for pair in &self.planes {
            let [u, v, w] = pair.direction;
            let height = x.times(L::splat(u)).plus(y.times(L::splat(v))).plus(z.times(L::splat(w)));
            mask &= L::splat(pair.lower).le(height) & height.le(L::splat(pair.upper));
        }
        mask
    }

    /// The mask of the lanes with a box whose corners all pass the test of [`corners_inside`](Self::corners_inside).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn box_mask<L: SimdF32>(&self, low: [L; 3], high: [L; 3]) -> u32 {
        let mut mask = L::splat(self.low[0]).le(low[0]) & high[0].le(L::splat(self.high[0]));
        mask &= L::splat(self.low[1]).le(low[1]) & high[1].le(L::splat(self.high[1]));
        mask &= L::splat(self.low[2]).le(low[2]) & high[2].le(L::splat(self.high[2]));
        for pair in &self.planes {
            let (lower, upper) = pair.heights(low, high);
            mask &= L::splat(pair.lower).le(lower) & upper.le(L::splat(pair.upper));
        }
        mask
    }

    /// The same test for coordinates that are rounded to `f32`, up to `largest`.
    pub(crate) fn for_rounded(&self, largest: f64) -> Self {
        let room = round_up_f32(largest * power(-22));
        Self { low: self.low.map(|x| x - room), high: self.high.map(|x| x + room), ..self.clone() }
    }

    /// The mask of the lanes whose intervals along the axes reach the volume's bounds.
    #[inline(always)]
    pub(crate) fn axis_mask<L: SimdF32>(&self, low: [L; 3], high: [L; 3]) -> u32 {
        self.axis::<L>(0, low[0], high[0]) & self.axis::<L>(1, low[1], high[1]) & self.axis::<L>(2, low[2], high[2])
    }

    /// The mask of the lanes with a triangle between all pairs of planes. The corners are given by coordinates.
    // Without closures: they would compile to calls.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn triangle_mask<L: SimdF32>(&self, x: [L; 3], y: [L; 3], z: [L; 3]) -> u32 {
        let mut mask = u32::MAX;
        for pair in &self.planes {
            let [u, v, w] = pair.direction;
            let (u, v, w) = (L::splat(u), L::splat(v), L::splat(w));
            let a = x[0].times(u).plus(y[0].times(v)).plus(z[0].times(w));
            let b = x[1].times(u).plus(y[1].times(v)).plus(z[1].times(w));
            let c = x[2].times(u).plus(y[2].times(v)).plus(z[2].times(w));
            mask &= pair.mask::<L>(a.min(b).min(c), a.max(b).max(c));
        }
        mask
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn distances<L: SimdF32>(&self, low: [L; 3], high: [L; 3]) -> L {
        let [x, y, z] = self.center.map(L::splat);
        let (x, y, z) = (
            low[0].minus(x).max(x.minus(high[0])),
            low[1].minus(y).max(y.minus(high[1])),
            low[2].minus(z).max(z.minus(high[2])),
        );
        // A NaN becomes zero.
        x.max(y).max(z).max(L::splat(0.0))
    }

    #[inline(always)]
    fn axis<L: SimdF32>(&self, axis: usize, low: L, high: L) -> u32 {
        low.le(L::splat(self.high[axis])) & L::splat(self.low[axis]).le(high)
    }
}

/// Sums of absolute components of directions, and largest coordinates, for which no sum of products overflows in `f32`, and what
/// products lose below the range of normal numbers is far less than the other errors.
const DIRECTIONS: Range<f64> = power(-40)..power(40);
const COORDINATES: Range<f64> = power(-60)..power(80);

/// Bounds of a volume in the coordinates of an instance.
fn local_bounds<V: Vector>(volume: &Volume<V>, level: &InstanceLevel<'_>, map: &AffineMap<f64>) -> [[f64; 3]; 2] {
    let everything = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
    // A map that is nearly singular bounds nothing.
    let norm = map.inverse_norm::<V>();
    if norm == f64::INFINITY {
        return everything;
    }
    // The corners of the volume relative to its point, mapped by the rows of the inverse.
    let rows = map.inverse_rows();
    let point = volume.point.widen::<f64>();
    let (below, above) = (volume.bounds.min.widen() - point, volume.bounds.max.widen() - point);
    // All roundings are relative to the largest term.
    let room = norm * (below.length() + above.length()) * (ROOM - 1.0);
    let Vec3 { x, y, z } = level.local().origin;
    let mut bounds = everything;
    // Each axis by itself: the centre, then the extents of the volume along the row.
    for (axis, at) in [x, y, z].into_iter().enumerate() {
        let (mut low, mut high) = (at.value - at.error - room, at.value + at.error + room);
        for j in 0..3 {
            let ends = [rows[axis].get(j) * below.get(j), rows[axis].get(j) * above.get(j)];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        // Room for the roundings of these sums.
        let size = (at.value.abs() + low.abs() + high.abs()) * ERROR_IN_F64;
        if low.is_finite() && high.is_finite() && size.is_finite() {
            (bounds[0][axis], bounds[1][axis]) = (low - size, high + size);
        }
    }
    bounds
}

impl SlabTest for BoxOverlap {
    const SIGNED: bool = false;

    /// The distance of each box from the center of the volume along the axis where it is greatest, and a mask of the boxes that the
    /// volume may overlap.
    ///
    /// # Method
    /// A box is beyond a plane if its nearest corner is.
    ///
    /// # Source
    /// Greene, *Detecting Intersection of a Rectangular Solid and a Convex Polyhedron*, Graphics Gems IV, 1994.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, _limit: f32) -> (L, u32) {
        // The least and greatest coordinates of the sixteen boxes.
        let low = [L::load(&planes[0]), L::load(&planes[1]), L::load(&planes[2])];
        let high = [L::load(&planes[3]), L::load(&planes[4]), L::load(&planes[5])];
        // Invalid children have inverted boxes.
        let mut mask = self.axis_mask::<L>(low, high) & low[0].le(high[0]);
        // The planes only matter if some box is left: most nodes have none.
        if mask != 0 {
            for pair in &self.planes {
                let (lower, upper) = pair.heights(low, high);
                mask &= pair.mask::<L>(lower, upper);
            }
        }
        (self.distances::<L>(low, high), mask)
    }
}

/// A volume prepared for boxes that it overlaps and boxes that are inside of it.
#[derive(Clone, Copy)]
pub(crate) struct VolumeBoxes<'a> {
    pub(crate) outer: &'a BoxOverlap,
    /// The test of [`BoxOverlap::corners_inside`].
    pub(crate) inner: Option<&'a BoxOverlap>,
}

impl SlabTest for VolumeBoxes<'_> {
    const SIGNED: bool = false;
    #[inline(always)]
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32) {
        self.outer.enter(planes, limit)
    }
}

impl VolumeTest for VolumeBoxes<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn inside<L: SimdF32>(&self, planes: &NodeBounds) -> u32 {
        let Some(inner) = self.inner else { return 0 };
        let low = [L::load(&planes[0]), L::load(&planes[1]), L::load(&planes[2])];
        let high = [L::load(&planes[3]), L::load(&planes[4]), L::load(&planes[5])];
        inner.box_mask(low, high)
    }
}

/// A ball prepared for many boxes: in place of entry distances, squared distances of the boxes from its centre.
#[derive(Clone, Copy)]
pub(crate) struct BallOverlap {
    center: BoxDistance,
    /// Upper bound of the scaled squared radius.
    pub(crate) limit: f64,
    /// Lower bound of it: boxes no part of which is farther away are inside. Negative where no box is.
    inner: f32,
}

impl BallOverlap {
    /// The ball among boxes with coordinates up to `largest`.
    pub(crate) fn new<V: Vector>(
        volume: &Volume<V>,
        radius: f64,
        level: Option<&InstanceLevel<'_>>,
        largest: f64,
    ) -> Self {
        let (center, scale) = BoxDistance::of_point(volume.point, level, largest);
        let (limit, scaled) = (radius * scale * ROOM, radius * scale);
        // In the coordinates of an instance distances have lower bounds only.
        let has_inside = level.is_none() && center.scale > 0.0;
        let inner = if has_inside { round_down_f32(scaled * scaled * (1.0 - ERROR_IN_F64)) } else { -1.0 };
        Self { center, limit: limit * limit * ROOM, inner }
    }

    /// The ball without a test for boxes inside of it.
    pub(crate) fn without_inside(self) -> Self {
        Self { inner: -1.0, ..self }
    }
}

impl SlabTest for BallOverlap {
    const SIGNED: bool = false;
    #[inline(always)]
    fn enter<L: SimdF32>(&self, planes: &NodeBounds, limit: f32) -> (L, u32) {
        self.center.enter(planes, limit)
    }
}

impl VolumeTest for BallOverlap {
    #[inline(always)]
    fn inside<L: SimdF32>(&self, planes: &NodeBounds) -> u32 {
        self.center.farthest::<L>(planes).le(L::splat(self.inner))
    }
}

/// Visitor that passes each slot of a leaf to a closure, and whether it is inside of the volume.
struct SlotVisitor<'a> {
    part: &'a mut dyn FnMut(u32, bool) -> ControlFlow<()>,
    ends_inside: bool,
}

impl LeafVisitor for SlotVisitor<'_> {
    #[inline(always)]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&PreparedRay>,
        leaf: Leaf,
        _prim_ids: &[u32],
        _end: &mut f32,
    ) -> ControlFlow<()> {
        leaf.slots().try_for_each(|slot| (self.part)(slot, false))
    }
    #[inline(always)]
    fn sees_most(&self) -> bool {
        true
    }
}

impl VolumeVisitor for SlotVisitor<'_> {
    #[inline(always)]
    fn ends_inside(&self) -> bool {
        self.ends_inside
    }
    fn leaf_inside(&mut self, leaf: Leaf, _prim_ids: &[u32]) -> ControlFlow<()> {
        leaf.slots().try_for_each(|slot| (self.part)(slot, true))
    }
}

impl Bvh16 {
    /// Calls `part` with every slot whose box the volume may overlap, and whether its box is certainly inside of the volume. If
    /// `ends_inside`, one box inside ends the visit: then no box may be without slots.
    pub(crate) fn visit_overlaps<V: Vector>(
        &self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        ends_inside: bool,
        part: &mut dyn FnMut(u32, bool) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let largest = f64::from(self.largest);
        let leaves = &mut SlotVisitor { part, ends_inside };
        // A ball is tested by its distance, which needs no planes.
        if let ConvexShape::Ball { radius, .. } = volume.shape {
            let test = BallOverlap::new(volume, radius, level, largest);
            return dispatch(TraverseVolume { tree: self, test, end: round_up_f32(test.limit), leaves }).into();
        }
        // Planes cost time at each node. They pay for a volume that is large among the boxes, and for one whose bounds
        // a transform has enlarged.
        let is_large = volume.is_large(2.0 * largest);
        let outer = &BoxOverlap::new(volume, level, largest, level.is_some() || is_large);
        let inner = if is_large { outer.boxes_inside(volume, level, largest) } else { None };
        let test = VolumeBoxes { outer, inner: inner.as_ref() };
        dispatch(TraverseVolume { tree: self, test, end: f32::INFINITY, leaves }).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::node::WIDTH;
    use crate::shapes::cuboid::Cuboid;
    use crate::shapes::oriented_box::OrientedBox;
    use crate::shapes::sphere::Sphere;
    use crate::simd::lanes::F32Lanes;
    use crate::simd::task::SimdKernel;
    use crate::{Aabb, Basis};
    use glam::Vec3 as V3;
    use test_support::random::Rng;

    struct Inside<'a, T>(&'a T, &'a NodeBounds);
    impl<T: VolumeTest> SimdKernel for Inside<'_, T> {
        type Output = u32;
        fn run<L: SimdF32>(self) -> u32 {
            self.0.inside::<L>(self.1)
        }
    }

    fn lanes() -> Range<usize> {
        0..WIDTH
    }

    fn inside(test: &impl VolumeTest, planes: &NodeBounds) -> u32 {
        let mask = dispatch(Inside(test, planes));
        assert_eq!(mask, Inside(test, planes).run::<F32Lanes>());
        mask
    }

    /// All corners of a box inside overlap the volume exactly, at every scale. Most such boxes are found, but for those that touch
    /// a face, and those in oriented boxes of 1e-30, which have no planes in `f32`.
    #[test]
    fn boxes_inside_have_all_corners_inside() {
        let mut rng = Rng::new(1);
        let mut counts = [[0; 2]; 4];
        for round in 0..4_000 {
            let (kind, size) = (round % 4, [1.0, 1e-30, 1e30, 1e-3][round / 4 % 4] as f32);
            // Half of the volumes and boxes lie on a lattice, where they touch.
            let on_lattice = round % 3 == 0;
            let mut point = |size: f64| {
                let mut number = || {
                    let x = rng.between(-size, size);
                    if on_lattice { (4.0 * x).round() / 4.0 } else { x }
                };
                V3::new(number() as f32, number() as f32, number() as f32)
            };
            // A volume of each kind, and sixteen boxes near it.
            let (at, half) = (point(1.0) * size, (point(1.0).abs() + V3::splat(0.75)) * size);
            let basis = Basis::from_direction(point(1.0) + V3::splat(3.0)).unwrap();
            let volume: Volume<V3> = match kind {
                0 => Sphere::new(at, half.x).unwrap().into(),
                1 => Cuboid::new(at, half).unwrap().into(),
                2 => OrientedBox::new(at, half, basis).unwrap().into(),
                _ => Aabb { min: at - half, max: at + half }.into(),
            };
            let mut planes = [[0.0f32; WIDTH]; 6];
            for lane in lanes() {
                let (low, extent) = (at + point(1.0) * size, point(0.5).abs() * size);
                let high = low + extent;
                for axis in 0..3 {
                    (planes[axis][lane], planes[axis + 3][lane]) = (low[axis], high[axis]);
                }
            }
            // The test for boxes inside, as a search prepares it.
            let largest = 4.0 * f64::from(size);
            let mask = if let ConvexShape::Ball { radius, .. } = volume.shape {
                inside(&BallOverlap::new(&volume, radius, None, largest), &planes)
            } else {
                let outer = &BoxOverlap::new(&volume, None, largest, true);
                let inner = outer.boxes_inside(&volume, None, largest);
                inside(&VolumeBoxes { outer, inner: inner.as_ref() }, &planes)
            };
            // Exact tests of all eight corners say whether a box is inside.
            for lane in lanes() {
                let corner = |i: usize| {
                    let at = |axis: usize| f64::from(planes[axis + 3 * (i >> axis & 1)][lane]);
                    Vec3::new(at(0), at(1), at(2))
                };
                let overlaps =
                    |i: usize| volume.overlaps_convex(&ConvexShape::Bounds { min: corner(i), max: corner(i) }, None);
                let is_inside = (0..8).all(overlaps);
                assert!(mask >> lane & 1 == 0 || is_inside, "{volume:?} {:?} {:?}", corner(0), corner(7));
                counts[kind][0] += usize::from(is_inside);
                counts[kind][1] += (mask >> lane & 1) as usize;
            }
        }
        assert!(counts.iter().all(|[all, found]| *found > 1_000 && *found * 2 > *all), "{counts:?}");
    }
}
