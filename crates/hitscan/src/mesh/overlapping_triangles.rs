//! The triangles of a mesh that a volume overlaps.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::box_overlap::{BallOverlap, BoxOverlap, VolumeBoxes};
use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::primitive_index::Accel;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::bvh::traverse::volume::{TraverseVolume, VolumeVisitor};
use crate::convex::convex_shape::ConvexShape;
use crate::math::affine_map::AffineMap;
use crate::math::instance_stack::InstanceLevel;
use crate::math::rounding::{ROUNDING, round_down_f32, round_up_f32};
use crate::math::vec3::Vec3;
use crate::math::vector::Vector3;
use crate::mesh::triangle_blocks::{AxisView, TriangleBlocks};
use crate::mesh::triangle_bounds::{SegmentInside, TriangleBounds};
use crate::mesh::triangle_set::TriangleSet;
use crate::overlap::certified::{certified_answer, is_aligned_box};
use crate::overlap::pair::{hull_of, hulls_overlap};
use crate::overlap::pair_filter::PairFilter;
use crate::overlap::swept_hull::{HullPlacement, SweptHull};
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::shape::OverlapGoal;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Rules out most triangles of a leaf, sixteen at a time.
#[expect(clippy::large_enum_variant, reason = "there is one for each search, and a box would allocate")]
enum LeafFilter {
    /// The filter is not prepared yet: the first leaf needs it.
    Unprepared,
    /// Triangles beyond the planes around the volume.
    Planes(BoxOverlap, CornerTest),
    /// Triangles that are farther from the centre of a ball than its radius.
    Distance(TriangleBounds, Option<BallTest>),
}

/// Finds triangles with a corner that is certainly inside of the volume.
enum CornerTest {
    /// None of them.
    None,
    Box(BoxOverlap),
    Capsule(SegmentInside),
}

/// Finds triangles with a point that is certainly inside of a ball.
struct BallTest {
    corners: SegmentInside,
    /// Limit of the squared distance of the point from the centre, rounded down.
    limit_sq: f32,
}

/// Triangles of a leaf, one bit each.
struct LeafLanes {
    /// Those that the volume may overlap.
    possible: u32,
    /// Those of them that it certainly overlaps: a point is inside.
    certain: u32,
}

/// Search for overlapping triangles: the leaf visitor of a traversal.
struct OverlapSearch<'a, V: Vector3> {
    mesh: TriangleSet<'a, V>,
    volume: &'a Volume<V>,
    level: Option<&'a InstanceLevel<'a>>,
    /// The largest absolute coordinate in the tree.
    largest: f64,
    /// The planes around a large volume, until the filter has them.
    planes: Option<BoxOverlap>,
    filter: LeafFilter,
    /// Decides most triangles of a mesh that is not placed, once the first is tested.
    pair_filter: Option<Option<PairFilter>>,
    /// The volume for exact tests, once one is needed; there is none if its numbers are out of their range.
    hull: Option<Option<SweptHull<f64>>>,
    /// The map from the mesh to the world and its terms, once they are needed.
    maps: Option<Option<[AffineMap<f64>; 2]>>,
    /// Whether `found` does not break: see [`LeafVisitor::sees_most`].
    sees_most: bool,
    /// Whether the volume is an axis-aligned box.
    is_aligned: bool,
    found: &'a mut dyn FnMut(u32) -> ControlFlow<()>,
}

impl<V: Vector3> TriangleSet<'_, V> {
    /// Calls `found` with the triangles that the volume overlaps, in no order; once without a triangle, if there is none and the
    /// mesh contains the volume.
    pub(crate) fn visit_overlaps(
        self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        goal: OverlapGoal,
        contains: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // A triangle as an overlap; of several, the lower number comes first.
        let of = |triangle: u32| Overlap { primitive: Some(triangle), order: u64::from(triangle), ..Overlap::WHOLE };
        let mut is_first = true;
        // How much the caller wants to know decides how the search ends.
        match goal {
            // Whether there is any: the first triangle ends the search.
            OverlapGoal::Any | OverlapGoal::EachShape => {
                let ended = self.visit_overlapping(volume, level, false, &mut |_| ControlFlow::Break(()));
                if ended.is_break() {
                    return found(Overlap::WHOLE);
                }
            }
            // Spatial splits put a triangle into several leaves. Each triangle once needs a list without repetitions.
            OverlapGoal::Once if self.has_repeats() => {
                let mut all = Vec::new();
                let _ = self.visit_overlapping(volume, level, true, &mut |triangle| {
                    all.push(triangle);
                    ControlFlow::Continue(())
                });
                all.sort_unstable();
                all.dedup();
                is_first = all.is_empty();
                all.into_iter().try_for_each(|triangle| found(of(triangle)))?;
            }
            // Otherwise each triangle goes to the caller as it is found.
            OverlapGoal::Once | OverlapGoal::Repeated => {
                self.visit_overlapping(volume, level, true, &mut |triangle| {
                    is_first = false;
                    found(of(triangle))
                })?;
            }
        }
        // A volume that no triangle reaches may be inside a closed mesh.
        if is_first && contains() { found(Overlap::WHOLE) } else { ControlFlow::Continue(()) }
    }

    /// Whether the tree may hold a triangle twice. Then a box around a clipped piece may, by rounding, contain no point
    /// of the triangle.
    fn has_repeats(&self) -> bool {
        self.index.prim_ids().len() > self.triangles.len()
    }

    /// Calls `found` with every triangle that the volume overlaps, in no order. A triangle that spatial splits have cut may come
    /// more than once. `sees_most` says that `found` does not break.
    pub(crate) fn visit_overlapping(
        self,
        volume: &Volume<V>,
        level: Option<&InstanceLevel<'_>>,
        sees_most: bool,
        found: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let tree = if let Accel::Bvh(tree) = self.index { Some(tree) } else { None };
        // Planes, hulls and maps are prepared when the first triangle needs them: most searches end at boxes.
        let largest = tree.map_or(0.0, |tree| tree.largest.into());
        // Not among the fields of the search: after a call there, the compiler copies 568 bytes of them.
        let is_aligned = is_aligned_box(&volume.shape);
        let mut search = OverlapSearch {
            mesh: self,
            volume,
            level,
            largest,
            planes: None,
            filter: LeafFilter::Unprepared,
            pair_filter: None,
            hull: None,
            maps: None,
            sees_most,
            is_aligned,
            found,
        };
        // A linear scan tests every triangle.
        let Some(tree) = tree else {
            return (0..self.triangles.len() as u32)
                .try_for_each(|triangle| search.check(triangle, self.corners_of(triangle)));
        };
        // Balls are tested by distances, which are tighter than planes. Boxes of clipped pieces prove no overlap: then
        // nothing is inside by its box alone.
        if let ConvexShape::Ball { radius, .. } = volume.shape {
            let mut test = BallOverlap::new(volume, radius, level, largest);
            if self.has_repeats() {
                test = test.without_inside();
            }
            return dispatch(TraverseVolume { tree, test, end: round_up_f32(test.limit), leaves: &mut search }).into();
        }
        // A volume that is large beside the mesh contains whole boxes, which saves the tests of their triangles. For a
        // small one the preparation does not pay.
        let is_large = volume.is_large(self.bounds.greatest_extent());
        let outer = BoxOverlap::new(volume, level, largest, is_large);
        search.planes = is_large.then(|| outer.clone());
        let inner = if is_large && !self.has_repeats() { outer.boxes_inside(volume, level, largest) } else { None };
        let test = VolumeBoxes { outer: &outer, inner: inner.as_ref() };
        dispatch(TraverseVolume { tree, test, end: f32::INFINITY, leaves: &mut search }).into()
    }
}

impl BallTest {
    /// A ball around the point of the bounds with a scaled radius. `None` if nothing is certain.
    fn new(center: &TriangleBounds, radius: f64) -> Option<Self> {
        let corners = SegmentInside::new(center, Vec3::default(), radius)?;
        // The factor covers the roundings of the square and of this product.
        Some(Self { corners, limit_sq: round_down_f32(radius * radius * (1.0 - 4.0 * ROUNDING)) })
    }
}

impl<V: Vector3> OverlapSearch<'_, V> {
    // Not inlined: the code compiled for SIMD ends here.
    #[inline(never)]
    fn check(&mut self, triangle: u32, corners: [Vec3<f64>; 3]) -> ControlFlow<()> {
        let filter = self.pair_filter.get_or_insert_with(|| match self.level {
            None => PairFilter::new(&self.volume.shape, V::DIM),
            Some(_) => None,
        });
        let decided = filter.as_ref().and_then(|filter| filter.of_triangle(corners));
        if decided.unwrap_or_else(|| self.check_with_hulls(corners)) {
            (self.found)(triangle)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Prepares the filter for the first leaf.
    #[inline(never)]
    fn prepare(&mut self, are_exact: bool) {
        // In the coordinates of an instance lengths are only bounded: nothing is certainly inside of a ball or capsule.
        let is_placed = self.level.is_some();
        // Distances from the point of the volume, for balls and capsules.
        let start = || {
            let (point, scale) = BoxDistance::of_point(self.volume.point, self.level, self.largest);
            (TriangleBounds::new(&point, are_exact), scale)
        };
        // A ball rules triangles out by distance, and accepts those with a point certainly inside.
        self.filter = if let ConvexShape::Ball { radius, .. } = self.volume.shape {
            let (bounds, scale) = start();
            let ball = if is_placed { None } else { BallTest::new(&bounds, radius * scale) };
            LeafFilter::Distance(bounds, ball)
        } else {
            // Other volumes use the planes around them, prepared already for a large one.
            let planes = self.planes.take();
            let test = planes.unwrap_or_else(|| BoxOverlap::new(self.volume, self.level, self.largest, true));
            // Rounded corners widen the test, and prove no overlap.
            if !are_exact {
                LeafFilter::Planes(test.for_rounded(self.largest), CornerTest::None)
            } else if is_placed {
                LeafFilter::Planes(test, CornerTest::None)
            } else if let ConvexShape::Capsule { ends: [a, b], radius } = &self.volume.shape {
                // A capsule accepts triangles with a corner certainly near its segment; other volumes those with a
                // corner inside all planes.
                let (bounds, scale) = start();
                let inside = SegmentInside::new(&bounds, (*b - *a) * scale, radius * scale);
                LeafFilter::Planes(test, inside.map_or(CornerTest::None, CornerTest::Capsule))
            } else {
                let inside = test.corners_inside(&self.volume.shape, self.largest);
                LeafFilter::Planes(test, inside.map_or(CornerTest::None, CornerTest::Box))
            }
        };
    }

    /// Whether the volume overlaps a triangle, without the filter.
    #[inline(never)]
    fn check_with_hulls(&mut self, corners: [Vec3<f64>; 3]) -> bool {
        let shape = ConvexShape::Polygon(corners.into());
        // The edges of an axis-aligned box are parallel to no others by accident of rounding: few axes decide.
        let quick = if self.is_aligned { |_: &_, _: &_| None } else { certified_answer };
        let hull = self.hull.get_or_insert_with(|| hull_of(&self.volume.shape));
        let decided = hull.as_ref().and_then(|volume| {
            let maps = self.maps.get_or_insert_with(|| {
                self.level.map(|level| [level.affine_map::<f64>(), level.affine_terms::<f64>()])
            });
            let map = maps.as_ref().map(|[map, terms]| [map, terms]);
            let place = HullPlacement { map, reference: self.volume.shape.any_point() };
            hulls_overlap(volume, SweptHull::new(&shape, &place)?, 3, quick)
        });
        decided.unwrap_or_else(|| self.volume.overlaps_convex(&shape, self.level))
    }

    /// The triangles of a leaf that the volume may overlap, and those that it certainly does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes<L: SimdF32>(&self, blocks: &TriangleBlocks, leaf: Leaf, end: f32) -> LeafLanes {
        // Lanes beyond the triangles of the leaf hold other numbers.
        let of_leaf = (1 << leaf.count()) - 1;
        match &self.filter {
            LeafFilter::Unprepared => LeafLanes { possible: of_leaf, certain: 0 },
            LeafFilter::Distance(bounds, ball) => {
                // A lower bound of the distance beyond the radius rules a triangle out.
                let possible = bounds.bounds::<L>(blocks, leaf).le(L::splat(end)) & of_leaf;
                let mut lanes = LeafLanes { possible, certain: 0 };
                if let Some(ball) = ball
                    && possible != 0
                {
                    // A corner within the radius proves an overlap. For triangles still open, the closest point bounds
                    // the distance from both sides.
                    lanes.certain = possible & ball.corners.mask::<L>(blocks, leaf);
                    if L::HAS_FILTERS && lanes.certain != possible {
                        let (lower, upper) = bounds.close_bounds::<L>(blocks, leaf);
                        lanes.possible &= lanes.certain | lower.le(L::splat(end));
                        lanes.certain |= lanes.possible & upper.le(L::splat(ball.limit_sq));
                    }
                }
                lanes
            }
            LeafFilter::Planes(test, corners) => {
                // The corners along each axis, one triangle per lane; their boxes first, since most triangles end
                // there.
                let rows = blocks.rows(leaf);
                let (x, y, z) = (AxisView::of(rows, 0, leaf), AxisView::of(rows, 1, leaf), AxisView::of(rows, 2, leaf));
                let x = [x.at::<L>(0), x.at::<L>(1), x.at::<L>(2)];
                let y = [y.at::<L>(0), y.at::<L>(1), y.at::<L>(2)];
                let z = [z.at::<L>(0), z.at::<L>(1), z.at::<L>(2)];
                let low = [x[0].min(x[1]).min(x[2]), y[0].min(y[1]).min(y[2]), z[0].min(z[1]).min(z[2])];
                let high = [x[0].max(x[1]).max(x[2]), y[0].max(y[1]).max(y[2]), z[0].max(z[1]).max(z[2])];
                let mut lanes = LeafLanes { possible: test.axis_mask::<L>(low, high) & of_leaf, certain: 0 };
                // The triangles themselves against the planes; of those left, a corner inside proves an overlap.
                if lanes.possible != 0 {
                    lanes.possible &= test.triangle_mask::<L>(x, y, z);
                    lanes.certain = lanes.possible
                        & match corners {
                            _ if lanes.possible == 0 => 0,
                            CornerTest::None => 0,
                            CornerTest::Box(inside) => inside.corner_mask::<L>(x, y, z),
                            CornerTest::Capsule(inside) => inside.mask::<L>(blocks, leaf),
                        };
                }
                lanes
            }
        }
    }
}

/// Numbers of the bits of a mask.
#[cfg_attr(not(debug_assertions), inline(always))]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < WIDTH).then_some(lane)
    })
}

impl<V: Vector3> LeafVisitor for OverlapSearch<'_, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let (mesh, prim_ids) = (self.mesh, leaf.of_all(prim_ids));
        // Beyond the safe range of `f32` every triangle is tested exactly.
        let Some(blocks) = mesh.blocks else {
            for &triangle in prim_ids {
                self.check(triangle, mesh.corners_of(triangle))?;
            }
            return ControlFlow::Continue(());
        };
        // The filter is prepared once, when the search reaches a leaf.
        if matches!(self.filter, LeafFilter::Unprepared) {
            self.prepare(blocks.are_exact);
        }
        let LeafLanes { possible, certain } = self.lanes::<L>(blocks, leaf, *end);
        // Certain overlaps need no exact test.
        for lane in bits(certain) {
            (self.found)(prim_ids[lane])?;
        }
        // The others are tested exactly.
        for lane in bits(possible & !certain) {
            // The blocks are in the cache; the vertices of the mesh may not be.
            let corners =
                if blocks.are_exact { blocks.of((leaf, lane as u32)) } else { mesh.corners_of(prim_ids[lane]) };
            self.check(prim_ids[lane], corners)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn sees_most(&self) -> bool {
        self.sees_most
    }

    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        if let Some(blocks) = self.mesh.blocks {
            blocks.fetch(leaf);
        }
    }
}

impl<V: Vector3> VolumeVisitor for OverlapSearch<'_, V> {
    #[inline(always)]
    fn ends_inside(&self) -> bool {
        !self.sees_most
    }
    fn leaf_inside(&mut self, leaf: Leaf, prim_ids: &[u32]) -> ControlFlow<()> {
        leaf.of_all(prim_ids).iter().try_for_each(|&triangle| (self.found)(triangle))
    }
}
