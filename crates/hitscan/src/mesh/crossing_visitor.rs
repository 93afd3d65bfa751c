//! Leaf visitor of all crossings of a line with a mesh.

use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::math::rounding::round_up_f32;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::TriangleQuery;
use crate::queries::instance_ray::InstanceRay;
use crate::query::Query;
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::simd::lanes::SimdF32;
use core::ops::ControlFlow;

/// Callback for a crossing: triangle, crossing, and the limit of `t`, which it may lower.
pub(crate) type OnCrossing<'a, V> = dyn FnMut(u32, TriangleHit<Working<V>>, &mut f64) -> ControlFlow<()> + 'a;

/// Leaf visitor that passes each crossing to `found`: a trait object, for all queries share the compiled traversals.
pub(crate) struct CrossingVisitor<'a, 'f, V: Vector> {
    pub(crate) mesh: TriangleSet<'a, V>,
    pub(crate) line: &'a InstanceRay<'a, V>,
    pub(crate) query: Query<f64>,
    pub(crate) rule: EdgeRule,
    pub(crate) limit: f64,
    pub(crate) found: &'a mut OnCrossing<'f, V>,
}

impl<V: Vector3> CrossingVisitor<'_, '_, V> {
    // Not inlined: the code compiled for SIMD ends here.
    #[inline(never)]
    pub(crate) fn part(&mut self, triangle: u32, corners: [Vec3<f64>; 3]) -> ControlFlow<()> {
        let crossing = TriangleQuery { corners, query: self.query, rule: self.rule };
        match crossing.answer_of(self.line) {
            Some(at) => (self.found)(triangle, at.convert(), &mut self.limit),
            None => ControlFlow::Continue(()),
        }
    }
}

impl<V: Vector3> LeafVisitor for CrossingVisitor<'_, '_, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let prim_ids = leaf.of_all(prim_ids);
        // The `f32` filter rules out most triangles; each other one is tested exactly.
        if let (Some(line), Some(corners)) = (line, self.mesh.blocks) {
            let mut mask = corners.classify::<L>(leaf, line, *end, self.query.faces_mode()).maybe;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize % WIDTH;
                mask &= mask - 1;
                // The blocks are in the cache; the vertices of the mesh may not be.
                let part = prim_ids[lane];
                self.part(
                    part,
                    if corners.are_exact { corners.of((leaf, lane as u32)) } else { self.mesh.corners_of(part) },
                )?;
            }
        } else {
            for &part in prim_ids {
                self.part(part, self.mesh.corners_of(part))?;
            }
        }
        // The callback may have lowered the limit: later boxes need only be nearer.
        *end = round_up_f32(self.limit);
        ControlFlow::Continue(())
    }
}
