//! Leaf visitor of all crossings of a line with a mesh.

use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::kernel::candidate::upper_bound;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::round_up_f32;
use crate::math::vector::{Vector3, Working};
use crate::mesh::hit_search::TriangleSlot;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::TriangleQuery;
use crate::queries::instance_ray::InstanceRay;
use crate::query::{Faces, Query};
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::simd::lanes::SimdF32;
use core::hint::black_box;
use core::ops::ControlFlow;
use smallvec::SmallVec;

/// Crossing of a line with a triangle, with bounds of its `t`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleCrossing {
    pub(crate) triangle: u32,
    /// Its slot in the triangle blocks, if the mesh has them.
    pub(crate) slot: Option<TriangleSlot>,
    /// Lower bound of `t`; `high` is the upper bound.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether the bounds are those of a `t` in working arithmetic. Those of the `f32` filter are wider.
    pub(crate) is_computed: bool,
    /// Whether the line runs in the triangle.
    pub(crate) is_coplanar: bool,
}

impl TriangleCrossing {
    /// Crossing with its `t` in working arithmetic.
    fn computed<T: Arithmetic>((triangle, slot): (u32, Option<TriangleSlot>), at: &TriangleHit<T>) -> Self {
        let (low, high) = (-upper_bound(-at.t), upper_bound(at.t));
        Self { triangle, slot, low, high, is_computed: true, is_coplanar: at.facing.equals(T::ZERO) }
    }
}

/// The most triangles that a traversal backward notes.
const MAX_TESTED: usize = 8;

/// Callback for a crossing, and the limit of `t`, which it may lower.
pub(crate) type OnCrossing<'a> = dyn FnMut(TriangleCrossing, &mut f64) -> ControlFlow<()> + 'a;

/// Leaf visitor that passes each crossing to `found`: a trait object, for all queries share the compiled traversals.
pub(crate) struct CrossingVisitor<'a, 'f, V: Vector3> {
    pub(crate) mesh: TriangleSet<'a, V>,
    pub(crate) line: &'a InstanceRay<'a, V>,
    pub(crate) query: Query<f64>,
    pub(crate) rule: EdgeRule,
    /// Range of `t` of the query on the ray.
    pub(crate) range: [f64; 2],
    pub(crate) limit: f64,
    /// Whether the traversal follows the line backward, from its origin to negative `t`. The crossings are those of the line.
    pub(crate) is_backward: bool,
    /// Triangles that the traversal backward has tested: that forward need not test them again.
    pub(crate) tested: SmallVec<[u32; MAX_TESTED]>,
    pub(crate) found: &'a mut OnCrossing<'f>,
}

impl<V: Vector3> CrossingVisitor<'_, '_, V> {
    // Not inlined: the code compiled for SIMD ends here.
    #[inline(never)]
    pub(crate) fn part(&mut self, triangle: u32, slot: Option<TriangleSlot>) -> ControlFlow<()> {
        if self.is_backward && self.tested.len() < MAX_TESTED {
            self.tested.push(triangle);
        } else if !self.is_backward && self.tested.contains(&triangle) {
            return ControlFlow::Continue(());
        }
        let corners = self.mesh.corners_at(triangle, slot);
        let crossing = TriangleQuery { corners, query: self.query, rule: self.rule };
        match crossing.answer_of(self.line) {
            Some(at) => {
                let crossing = TriangleCrossing::computed((triangle, slot), &at.convert::<Working<V>>());
                (self.found)(crossing, &mut self.limit)
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// The faces of the query, as the ray of the traversal sees them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn faces(&self) -> Faces {
        match self.query.faces_mode() {
            Faces::Front if self.is_backward => Faces::Back,
            Faces::Back if self.is_backward => Faces::Front,
            faces => faces,
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
        // The `f32` filter rules out most triangles, and finds most crossings; each other triangle is tested exactly.
        if let (Some(line), Some(corners)) = (line, self.mesh.blocks) {
            let classified = corners.classify::<L>(leaf, line, *end, self.faces());
            let (mut mask, near_line) = (classified.maybe, classified.near_line);
            // As for the closest hit: with `black_box`, what follows need not wait for the bounds of `t` of a single triangle.
            if mask != 0 && near_line & (near_line - 1) == 0 {
                mask = black_box(near_line);
            }
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize % WIDTH;
                mask &= mask - 1;
                let (triangle, slot) = (prim_ids[lane], Some((leaf, lane as u32)));
                let (early, late) = (f64::from(classified.range[0][lane]), f64::from(classified.range[1][lane]));
                let (low, high) = if self.is_backward { (-late, -early) } else { (early, late) };
                // A certain crossing is inside all edges, so every rule for edges counts it. It may still lie beyond the ends
                // of the range.
                let is_in_range = (self.range[0] < low) & (high < self.range[1]);
                if (classified.inside >> lane & 1 == 1) & is_in_range {
                    let crossing =
                        TriangleCrossing { triangle, slot, low, high, is_computed: false, is_coplanar: false };
                    (self.found)(crossing, &mut self.limit)?;
                } else {
                    self.part(triangle, slot)?;
                }
            }
        } else {
            for &triangle in prim_ids {
                self.part(triangle, None)?;
            }
        }
        // The callback may have lowered the limit: later boxes need only be nearer. Behind the origin it is no limit.
        if !self.is_backward {
            *end = round_up_f32(self.limit);
        }
        ControlFlow::Continue(())
    }

    /// A list has the crossings of all leaves on the line.
    #[inline(always)]
    fn sees_most(&self) -> bool {
        true
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fetch(&self, leaf: Leaf) {
        if let Some(corners) = self.mesh.blocks {
            corners.fetch(leaf);
        }
    }
}
