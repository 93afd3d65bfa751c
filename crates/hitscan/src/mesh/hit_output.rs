//! Conversion of the finished rays of a stream into the caller's result type.

use crate::bvh::traverse::stream_ray::StreamRay;
use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::mesh::hit_search::{AnyMode, ClosestMode, HitMode, QueryContext, RayQueryF32, TriangleCandidate};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::SimdKernel;

/// Finished rays of a stream and the results to write, `out` by ray number.
pub(crate) struct OutputBatch<'a, Q: HitMode, O> {
    pub(crate) corners: &'a TriangleBlocks,
    pub(crate) triangles: &'a [u32],
    pub(crate) queries: &'a [RayQueryF32],
    pub(crate) rays: &'a [StreamRay<Q::Payload>],
    pub(crate) out: &'a mut [O],
}

impl<Q: HitMode, O: FromSearch<Q>> SimdKernel for OutputBatch<'_, Q, O> {
    type Output = ();
    #[inline(always)]
    fn run<L: SimdF32>(self) {
        let Self { corners, triangles, queries, rays, out } = self;
        for StreamRay { number, payload, .. } in rays {
            let number = *number as usize;
            out[number] =
                O::output(&QueryContext { corners, triangles, query_f32: &queries[number], level: None }, payload);
        }
    }
}

/// Result of a search with mode `Q`. A trait, because a closure may compile to a call.
pub(crate) trait FromSearch<Q: HitMode>: Sized {
    fn output(context: &QueryContext, payload: &Q::Payload) -> Self;
    /// Writes the results of all rays.
    #[inline(always)]
    fn output_all(output: OutputBatch<Q, Self>) {
        dispatch(output);
    }
}

impl<V: Vector> FromSearch<ClosestMode> for Option<Hit<V>> {
    #[inline(always)]
    fn output(context: &QueryContext, best: &Option<TriangleCandidate>) -> Self {
        context.hit(best)
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[inline(always)]
    fn output_all(mut output: OutputBatch<ClosestMode, Self>) {
        if !crate::simd::f64x4::dispatch_four(four::FourHits(&mut output)) {
            dispatch(output);
        }
    }
}

impl FromSearch<AnyMode> for bool {
    #[inline(always)]
    fn output(_context: &QueryContext, found: &bool) -> Self {
        *found
    }
}

/// Hits of four rays at a time in `f64` lanes.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod four {
    use super::{ClosestMode, OutputBatch, QueryContext, TriangleCandidate};
    use crate::bvh::traverse::stream_ray::StreamRay;
    use crate::hit::Hit;
    use crate::kernel::crossing::Normal;
    use crate::math::observer::FilterFlag;
    use crate::math::vec3::Vec3;
    use crate::math::vector::Vector;
    use crate::math::working_ray::WorkingRay;
    use crate::queries::hit4::Hit4;
    use crate::shapes::triangle::known_crossing;
    use crate::simd::f64x4::{F64x4, FourTask};
    use arrayvec::ArrayVec;

    pub(crate) struct FourHits<'a, 'b, V: Vector>(pub(crate) &'a mut OutputBatch<'b, ClosestMode, Option<Hit<V>>>);

    type FinishedRay = StreamRay<Option<TriangleCandidate>>;

    impl<V: Vector> FourTask for FourHits<'_, '_, V> {
        #[inline(always)]
        fn run(self) {
            let output = self.0;
            let rays = output.rays;
            let mut four = ArrayVec::<&FinishedRay, 4>::new();
            for ray in rays {
                if ray.payload.is_none() {
                    output.out[ray.number as usize] = None;
                    continue;
                }
                // Cannot fail: `four` is cleared when full.
                let _ = four.try_push(ray);
                if let [a, b, c, d] = four[..] {
                    output.four([a, b, c, d]);
                    four.clear();
                }
            }
            four.iter().for_each(|one| output.single(one));
        }
    }

    impl<V: Vector> OutputBatch<'_, ClosestMode, Option<Hit<V>>> {
        #[inline(always)]
        fn context(&self, one: &FinishedRay) -> QueryContext<'_> {
            let Self { corners, triangles, queries, .. } = *self;
            QueryContext { corners, triangles, query_f32: &queries[one.number as usize], level: None }
        }

        #[inline(never)]
        fn single(&mut self, one: &FinishedRay) {
            self.out[one.number as usize] = self.context(one).hit(&one.payload);
        }

        #[inline(always)]
        fn four(&mut self, four: [&FinishedRay; 4]) {
            let line = self.lines(four);
            let corners = self.triangles_of(four);
            let mut flag = FilterFlag::default();
            F64x4::reset_masks();
            let at = known_crossing(&line, corners, &mut flag);
            let normal = Normal::Direction(at.normal);
            let rows = Hit4::<V::Scalar>::new(&line, at.t, &normal, !at.facing.negative(), Some(at.uv));
            let [stream, _] = F64x4::lane_masks();
            for (lane, one) in four.into_iter().enumerate() {
                if flag.is_uncertain || stream >> lane & 1 == 0 {
                    self.single(one);
                } else if let Some(met) = &one.payload {
                    let triangle = self.context(one).triangle(met.slot);
                    self.out[one.number as usize] = Some(Hit { primitive: Some(triangle), ..rows.hit(lane) });
                }
            }
        }

        /// The four rays, one per lane.
        #[inline(always)]
        fn lines(&self, [a, b, c, d]: [&FinishedRay; 4]) -> WorkingRay<F64x4> {
            let query_f32 = |one: &FinishedRay| &self.queries[one.number as usize];
            let [a, b, c, d] = [query_f32(a), query_f32(b), query_f32(c), query_f32(d)];
            // Written out, because closures over registers may compile to calls.
            let origin = [a.origin.to_array(), b.origin.to_array(), c.origin.to_array(), d.origin.to_array()];
            let target = [a.target.to_array(), b.target.to_array(), c.target.to_array(), d.target.to_array()];
            let [origin, target] = [
                Vec3::new(column(&origin, 0), column(&origin, 1), column(&origin, 2)),
                Vec3::new(column(&target, 0), column(&target, 1), column(&target, 2)),
            ];
            let raw = a.raw();
            WorkingRay { origin, direction: if raw.is_segment { target - origin } else { target }, raw }
        }

        /// The corners of the four triangles, one per lane.
        #[inline(always)]
        fn triangles_of(&self, [a, b, c, d]: [&FinishedRay; 4]) -> [Vec3<F64x4>; 3] {
            let numbers =
                |one: &FinishedRay| one.payload.as_ref().map_or([0.0; 9], |met| self.corners.numbers(met.slot));
            let rows = [numbers(a), numbers(b), numbers(c), numbers(d)];
            let at = |i: usize| column(&rows, i);
            [Vec3::new(at(0), at(1), at(2)), Vec3::new(at(3), at(4), at(5)), Vec3::new(at(6), at(7), at(8))]
        }
    }

    #[inline(always)]
    fn column<const N: usize>(rows: &[[f32; N]; 4], i: usize) -> F64x4 {
        F64x4::of_singles(&[rows[0][i], rows[1][i], rows[2][i], rows[3][i]])
    }
}
