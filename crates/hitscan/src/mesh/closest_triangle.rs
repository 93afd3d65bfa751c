//! The closest triangle of a mesh to a point.

use crate::aabb::Aabb;
use crate::bvh::box_distance::{BoxDistance, ROOM};
use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::primitive_index::Accel;
use crate::bvh::traverse::single::Traverse;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::closest_point::{ClosestPoint, ClosestResult, PointGoal};
use crate::distance::triangle::{TrianglePoint, on_triangle};
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::rounding::round_up_f32;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::mesh::triangle_bounds::{TriangleBounds, nearest_lane};
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// The triangles of a mesh, for a search.
#[derive(Clone, Copy)]
pub(crate) struct TriangleSet<'a, V: Vector> {
    pub(crate) vertices: &'a [V],
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) bounds: &'a Aabb<V>,
    pub(crate) index: &'a Accel,
    pub(crate) blocks: Option<&'a TriangleBlocks>,
}

impl<V: Vector3> TriangleSet<'_, V> {
    #[inline(always)]
    pub(crate) fn corners_of(&self, triangle: u32) -> [Vec3<f64>; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize].widen())
    }

    /// The closest point of the triangles.
    pub(crate) fn closest_point(
        self,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        goal: PointGoal,
    ) -> ClosestResult<V> {
        ClosestTriangle::search(self, point, level, goal.limit()).map_or(Ok(None), |found| goal.result(found))
    }
}

/// Search for the closest triangle: the leaf visitor of a traversal by distance.
///
/// Coordinates are those of the world, times a power of two that brings the largest to 1..2. The same power serves all
/// triangles, so a triangle has the same distance in every tree.
struct ClosestTriangle<'a, V: Vector> {
    mesh: TriangleSet<'a, V>,
    /// Map from the mesh to the world, if it is placed.
    map: Option<AffineMap<Working<V>>>,
    point: Vec3<Working<V>>,
    scale: f64,
    /// The point for the triangles of leaves.
    triangle_bounds: TriangleBounds,
    /// Upper bound of the squared distance that counts.
    limit_sq: f64,
    best: Option<(u32, TrianglePoint<Working<V>>)>,
}

impl<'a, V: Vector3> ClosestTriangle<'a, V> {
    /// The closest point of a mesh, if it is not farther than `limit`; perhaps one that is a little farther.
    ///
    /// # Method
    /// The traversal visits the nearest box first, and skips boxes farther than the best triangle. Of triangles at the same
    /// squared distance the first one wins, so the result does not depend on the tree.
    ///
    /// # Source
    /// Hjaltason, Samet, *Distance Browsing in Spatial Databases*, ACM TODS 24(2), 1999.
    fn search(
        mesh: TriangleSet<'a, V>,
        point: V,
        level: Option<&InstanceLevel<'_>>,
        limit: f64,
    ) -> Option<ClosestPoint<V>> {
        let map = level.map(InstanceLevel::affine_map::<Working<V>>);
        let own = mesh.bounds.min.widen::<f64>().max_abs_f64().max(mesh.bounds.max.widen::<f64>().max_abs_f64());
        let (test, scale) = BoxDistance::of_point(point, level, own);
        let at = point.widen().map(|c: Working<V>| c.times_power_of_two(scale));
        let limit_sq = limit * scale * ROOM;
        let are_exact = mesh.blocks.is_some_and(|blocks| blocks.are_exact);
        let triangle_bounds = TriangleBounds::new(&test, are_exact);
        let limit_sq = limit_sq * limit_sq;
        let mut search = Self { mesh, map, point: at, scale, triangle_bounds, limit_sq, best: None };
        match mesh.index {
            Accel::Bvh(tree) => {
                let end = round_up_f32(search.limit_sq);
                let _ = dispatch(Traverse { tree, test, line: None, end, leaves: &mut search });
            }
            Accel::LinearScan(scan) => {
                let _ = scan.visit(&mut { limit }, |triangle, _| {
                    search.update(triangle, mesh.corners_of(triangle));
                    ControlFlow::Continue(())
                });
            }
        }
        search.result()
    }

    /// Compares a triangle with the best one.
    // Not inlined: the code compiled for SIMD ends here.
    #[inline(never)]
    fn update(&mut self, triangle: u32, corners: [Vec3<f64>; 3]) {
        let place = |corner: Vec3<f64>| {
            let corner = corner.map_to(Working::<V>::from_f64);
            let corner = self.map.as_ref().map_or(corner, |map| map.point(corner));
            corner.map(|c| c.times_power_of_two(self.scale))
        };
        let [a, b, c] = corners;
        let found = on_triangle(self.point, [place(a), place(b), place(c)]);
        let is_better = self.best.as_ref().is_none_or(|(other, best)| {
            let (new, old) = (found.distance_sq, best.distance_sq);
            new.lt(old) || (new.equals(old) && triangle < *other)
        });
        if is_better {
            self.limit_sq = self.limit_sq.min(found.distance_sq.to_f64());
            self.best = Some((triangle, found));
        }
    }

    /// The result in the precision of the query.
    fn result(self) -> Option<ClosestPoint<V>> {
        let (triangle, found) = self.best?;
        let back = |x: Working<V>| x.times_power_of_two(1.0 / self.scale);
        Some(ClosestPoint {
            point: V::narrow((self.point + found.offset).map(back)),
            distance: V::Scalar::narrow(back(found.distance_sq.sqrt())),
            feature: found.feature,
            uv: Some(found.uv.map(V::Scalar::narrow)),
            primitive: Some(triangle),
            object: None,
            member: None,
        })
    }
}

impl<V: Vector3> LeafVisitor for ClosestTriangle<'_, V> {
    #[inline(always)]
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
            let bounds = self.triangle_bounds.bounds::<L>(blocks, leaf);
            let mut bound_of = [0.0; WIDTH];
            bounds.store(&mut bound_of);
            let mut mask = bounds.le(L::splat(*end)) & ((1 << leaf.count()) - 1);
            while mask != 0 {
                let lane = nearest_lane(&bound_of, mask);
                mask &= !(1 << lane);
                if bound_of[lane] > *end {
                    break;
                }
                // The blocks are in the cache; the vertices of the mesh may not be.
                let corners =
                    if blocks.are_exact { blocks.of((leaf, lane as u32)) } else { mesh.corners_of(prim_ids[lane]) };
                self.update(prim_ids[lane], corners);
                *end = round_up_f32(self.limit_sq);
            }
            return ControlFlow::Continue(());
        }
        for &triangle in prim_ids {
            self.update(triangle, mesh.corners_of(triangle));
        }
        *end = round_up_f32(self.limit_sq);
        ControlFlow::Continue(())
    }
}
