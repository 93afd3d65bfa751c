//! The closest triangle of a mesh to a point, and the nearest ones.

use crate::bvh::box_distance::BoxDistance;
use crate::bvh::node::Leaf;
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::primitive_index::Accel;
use crate::bvh::traverse::nearest_first::NearestFirst;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::closest_point::{ClosestPoint, ClosestResult, OnPrimitive, PointGoal};
use crate::distance::triangle::{TrianglePoint, on_triangle};
use crate::math::affine_map::AffineMap;
use crate::math::affine_map::ROOM;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::rounding::round_up_f32;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::triangle_bounds::TriangleBounds;
use crate::mesh::triangle_set::TriangleSet;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

impl<V: Vector3> TriangleSet<'_, V> {
    /// The triangle closest to a point, if its distance is about `limit` or less.
    pub(crate) fn closest_triangle(self, point: V, level: Option<&InstanceLevel<'_>>, limit: f64) -> Option<u32> {
        let mut closest = ClosestTriangle(None);
        TriangleSearch::run(self, point, level, limit, &mut closest);
        closest.0.map(|(triangle, _)| triangle)
    }

    /// The closest point of the triangles.
    pub(crate) fn closest_point(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        goal: PointGoal,
    ) -> ClosestResult<V> {
        let mut closest = ClosestTriangle(None);
        let scale = TriangleSearch::run(self, point, level, goal.limit(), &mut closest);
        closest.0.map_or(Ok(None), |(triangle, found)| goal.result(closest_point(point, scale, triangle, found)))
    }

    /// Passes the closest points of the triangles up to `limit` away to `out`, and perhaps of others, some of them twice.
    pub(crate) fn nearest_points(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        out: &mut OnPrimitive<'_, V>,
    ) {
        TriangleSearch::run(self, point, level, limit, &mut NearestTriangles { point, limit, out });
    }
}

/// What a search does with the triangles that it measures.
trait TriangleCollector<V: Vector> {
    /// Whether only the closest triangle counts.
    const ONLY_CLOSEST: bool;

    /// Takes a triangle, whose distance is that in the coordinates of the query times `scale`. May lower the upper bound of the
    /// squared distance that counts.
    fn add(&mut self, triangle: u32, found: TrianglePoint<Working<V>>, scale: f64, limit_sq: &mut f64);
}

/// The closest triangle so far.
struct ClosestTriangle<V: Vector>(Option<(u32, TrianglePoint<Working<V>>)>);

impl<V: Vector> TriangleCollector<V> for ClosestTriangle<V> {
    const ONLY_CLOSEST: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(&mut self, triangle: u32, found: TrianglePoint<Working<V>>, _scale: f64, limit_sq: &mut f64) {
        let is_better = self.0.as_ref().is_none_or(|(other, best)| {
            let (new, old) = (found.distance_sq, best.distance_sq);
            new.lt(old) || (new.equals(old) && triangle < *other)
        });
        if is_better {
            *limit_sq = limit_sq.min(found.distance_sq.to_f64());
            self.0 = Some((triangle, found));
        }
    }
}

/// The receiver of all triangles that are near enough.
struct NearestTriangles<'a, 'b, V: Vector> {
    point: V,
    limit: f64,
    out: &'a mut OnPrimitive<'b, V>,
}

impl<V: Vector> TriangleCollector<V> for NearestTriangles<'_, '_, V> {
    const ONLY_CLOSEST: bool = false;

    fn add(&mut self, triangle: u32, found: TrianglePoint<Working<V>>, scale: f64, limit_sq: &mut f64) {
        if found.distance_sq.to_f64() > *limit_sq {
            return;
        }
        let found = closest_point(self.point, scale, triangle, found);
        if let Some(found) = PointGoal::Within(self.limit).result(found).map_err(|_| 0.0).transpose() {
            self.limit = (self.out)(found);
            // The limit is a rounded distance: the room covers what it may have lost.
            *limit_sq = limit_sq.min(scaled_sq(self.limit, scale));
        }
    }
}

/// The closest point of a triangle in the precision of the query.
fn closest_point<V: Vector>(point: V, scale: f64, triangle: u32, found: TrianglePoint<Working<V>>) -> ClosestPoint<V> {
    let back = |x: Working<V>| x.times_power_of_two(1.0 / scale);
    ClosestPoint {
        point: V::narrow((scaled(point, scale) + found.offset).map(back)),
        distance: V::Scalar::narrow(back(found.distance_sq.sqrt())),
        feature: found.feature,
        uv: Some(found.uv.map(V::Scalar::narrow)),
        primitive: Some(triangle),
        object: None,
        member: None,
    }
}

fn scaled<V: Vector>(point: V, scale: f64) -> Vec3<Working<V>> {
    point.widen().map(|c: Working<V>| c.times_power_of_two(scale))
}

/// Upper bound of the squared distance that counts, by a rounded limit of the distance.
fn scaled_sq(limit: f64, scale: f64) -> f64 {
    let limit = limit * scale * ROOM;
    limit * limit
}

/// Search for near triangles: the leaf visitor of a traversal by distance.
///
/// Coordinates are those of the world, times a power of two that brings the largest to 1..2. The same power serves all
/// triangles, so a triangle has the same distance in every tree.
struct TriangleSearch<'a, V: Vector, C> {
    mesh: TriangleSet<'a, V>,
    /// Map from the mesh to the world, if it is placed.
    map: Option<AffineMap<Working<V>>>,
    point: Vec3<Working<V>>,
    scale: f64,
    /// The point for the triangles of leaves.
    triangle_bounds: TriangleBounds,
    /// Upper bound of the squared distance that counts.
    limit_sq: f64,
    collector: &'a mut C,
}

impl<'a, V: Vector3, C: TriangleCollector<V>> TriangleSearch<'a, V, C> {
    /// Passes the triangles of a mesh that are not farther than `limit` to the collector; perhaps some that are a little
    /// farther. Returns the scale of their distances.
    ///
    /// # Method
    /// The traversal visits the nearest box first, and skips boxes farther than the best triangle. Of triangles at the same
    /// squared distance the first one wins, so the result does not depend on the tree.
    ///
    /// # Source
    /// Hjaltason, Samet, *Distance Browsing in Spatial Databases*, ACM TODS 24(2), 1999.
    fn run(
        mesh: TriangleSet<'a, V>,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
        collector: &'a mut C,
    ) -> f64 {
        // Under a transform, distances are those in the world: corners go there, and boxes are bounded by the map.
        let map = level.map(InstanceLevel::affine_map::<Working<V>>);
        // The scale brings the largest coordinate near 1, so that squares of distances neither overflow nor vanish.
        let own = mesh.bounds.min.widen::<f64>().max_abs_f64().max(mesh.bounds.max.widen::<f64>().max_abs_f64());
        let (test, scale) = BoxDistance::of_point(point, level, own);
        // The bounds of a leaf say whether the corners of the blocks are those of the mesh.
        let are_exact = mesh.blocks.is_some_and(|blocks| blocks.are_exact);
        let triangle_bounds = TriangleBounds::new(&test, are_exact);
        let (point, limit_sq) = (scaled(point, scale), scaled_sq(limit, scale));
        let mut search = Self { mesh, map, point, scale, triangle_bounds, limit_sq, collector };
        match mesh.index {
            // The nearest boxes first, so that the limit falls early. A linear scan measures all triangles.
            Accel::Bvh(tree) => {
                let end = round_up_f32(search.limit_sq);
                let _ = dispatch(NearestFirst { tree, test, end, leaves: &mut search });
            }
            Accel::LinearScan(scan) => {
                let _ = scan.visit(&mut { limit }, |triangle, _| {
                    search.measure(triangle, mesh.corners_of(triangle));
                    ControlFlow::Continue(())
                });
            }
        }
        scale
    }

    /// Measures a triangle, and passes it to the collector.
    // Not inlined: the code compiled for SIMD ends here.
    #[inline(never)]
    fn measure(&mut self, triangle: u32, corners: [Vec3<f64>; 3]) {
        let place = |corner: Vec3<f64>| {
            let corner = corner.map_to(Working::<V>::from_f64);
            let corner = self.map.as_ref().map_or(corner, |map| map.point(corner));
            corner.map(|c| c.times_power_of_two(self.scale))
        };
        let [a, b, c] = corners;
        let found = on_triangle(self.point, [place(a), place(b), place(c)]);
        self.collector.add(triangle, found, self.scale, &mut self.limit_sq);
    }
}

impl<V: Vector3, C: TriangleCollector<V>> LeafVisitor for TriangleSearch<'_, V, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(
        &mut self,
        _line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let (mesh, prim_ids) = (self.mesh, leaf.of_all(prim_ids));
        if let Some(blocks) = mesh.blocks {
            // Lower bounds rule out most triangles of a leaf, sixteen at a time.
            let mut bounds = self.triangle_bounds.bounds::<L>(blocks, leaf);
            let mut mask = bounds.le(L::splat(*end)) & ((1 << leaf.count()) - 1);
            // If several triangles are left, closer bounds rule out most of them before any exact measure. Where only
            // the closest triangle counts, an upper bound lowers the limit, too.
            if L::HAS_FILTERS && mask & mask.wrapping_sub(1) != 0 && self.triangle_bounds.scale != 0.0 {
                let (lower, upper) = self.triangle_bounds.close_bounds::<L>(blocks, leaf);
                bounds = lower;
                if C::ONLY_CLOSEST && self.map.is_none() {
                    self.limit_sq = self.limit_sq.min(f64::from(upper.reduce_min_of(mask)));
                    *end = round_up_f32(self.limit_sq);
                }
                mask &= bounds.le(L::splat(*end));
            }
            // The triangle of the least bound first: it probably rules out the others.
            while mask != 0 {
                let lane = bounds.nearest(mask);
                mask &= !(1 << lane);
                // The blocks are in the cache; the vertices of the mesh may not be.
                let corners =
                    if blocks.are_exact { blocks.of((leaf, lane as u32)) } else { mesh.corners_of(prim_ids[lane]) };
                self.measure(prim_ids[lane], corners);
                *end = round_up_f32(self.limit_sq);
                mask &= bounds.le(L::splat(*end));
            }
            return ControlFlow::Continue(());
        }
        // Coordinates beyond the safe range of `f32` have no bounds.
        for &triangle in prim_ids {
            self.measure(triangle, mesh.corners_of(triangle));
        }
        *end = round_up_f32(self.limit_sq);
        ControlFlow::Continue(())
    }
}
