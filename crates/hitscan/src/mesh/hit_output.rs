//! Conversion of the finished rays of a stream into the caller's result type.

use crate::bvh::bvh::Bvh16;
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::hit::Hit;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Precision;
use crate::math::vector::Vector;
use crate::mesh::hit_search::{
    AnyMode, ClosestMode, HitMode, QueryContext, SearchedMesh, TriangleCandidate, TriangleSlot,
};
use crate::mesh::instance_triangle::known_crossing_of_instance;
use crate::mesh::known_crossing::KnownCrossing;
use crate::mesh::search_ray::{SearchRay, SearchRayF32, SearchRayF64};
use crate::mesh::triangle_test::{HitInDouble, hit, hit_in_double};
use crate::simd::dispatch::{dispatch, dispatch_fma};
use crate::simd::lanes::SimdF32;
use crate::simd::task::{FmaKernel, SimdKernel};
use glam::DVec3;

/// Finished rays of a stream and the results to write, `out` by ray number.
pub(crate) struct OutputBatch<'a, Q: HitMode, R, O> {
    pub(crate) mesh: &'a SearchedMesh<'a>,
    pub(crate) queries: &'a [R],
    pub(crate) rays: &'a [StreamRay<Q::Payload>],
    pub(crate) out: &'a mut [O],
}

impl<Q: HitMode, R: SearchRay, O: FromSearch<Q, R>> SimdKernel for OutputBatch<'_, Q, R, O> {
    type Output = ();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<L: SimdF32>(self) {
        let Self { mesh, queries, rays, out } = self;
        for StreamRay { number, payload, .. } in rays {
            let number = *number as usize;
            let context = QueryContext::new(mesh, &queries[number]);
            out[number] =
                if L::HAS_FMA { O::output::<true>(&context, payload) } else { O::output::<false>(&context, payload) };
        }
    }
}

/// Result of a search with mode `Q` for a ray `R`. A trait, because a closure may compile to a call.
pub(crate) trait FromSearch<Q: HitMode, R>: Sized {
    /// With `FMA`, only inside of [`dispatch`].
    fn output<const FMA: bool>(context: &QueryContext<R>, payload: &Q::Payload) -> Self;
    /// Writes the results of all rays.
    #[inline(always)]
    fn output_all(output: OutputBatch<Q, R, Self>)
    where
        R: SearchRay,
    {
        dispatch(output);
    }
}

impl<V: Vector> FromSearch<ClosestMode, SearchRayF32> for Option<Hit<V>> {
    #[inline(always)]
    fn output<const FMA: bool>(context: &QueryContext<SearchRayF32>, best: &Option<TriangleCandidate>) -> Self {
        context.hit::<FMA, _>(best)
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn output_all(mut output: OutputBatch<ClosestMode, SearchRayF32, Self>) {
        // Four at a time are without a transform.
        if output.mesh.map.is_some() || !crate::simd::packet::dispatch_four(four::FourHits(&mut output)) {
            dispatch(output);
        }
    }
}

impl<V: Vector> FromSearch<ClosestMode, SearchRayF64> for Option<Hit<V>> {
    #[inline(always)]
    fn output<const FMA: bool>(context: &QueryContext<SearchRayF64>, best: &Option<TriangleCandidate>) -> Self {
        let slot = best.as_ref()?.slot;
        same(hit_of_slot(context, slot))
    }
    fn output_all(output: OutputBatch<ClosestMode, SearchRayF64, Self>) {
        dispatch_fma(HitsInDouble(output));
    }
}

/// Out of the search, whose registers it would take.
#[inline(never)]
fn hit_of_slot(context: &QueryContext<SearchRayF64>, slot: TriangleSlot) -> Option<Hit<DVec3>> {
    dispatch_fma(HitInDouble(&context.query.raw(), context.corners_of(slot), context.triangle(slot)))
}

/// Writes the hits of a mesh in `f64`. Triangles and vertices lie in no order of the rays: each ray would wait for two reads,
/// so these begin some rays before.
struct HitsInDouble<'a, V: Vector>(OutputBatch<'a, ClosestMode, SearchRayF64, Option<Hit<V>>>);

impl<V: Vector> FmaKernel for HitsInDouble<'_, V> {
    type Output = ();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) {
        const FETCH_AHEAD: usize = 8;
        let OutputBatch { mesh, queries, rays, out } = self.0;
        // Two reads depend on each other: the vertex indices, and then the corners. Each begins eight rays before the
        // next needs it.
        for (i, StreamRay { number, payload, .. }) in rays.iter().enumerate() {
            if let Some((context, slot)) = closest_slot(mesh, queries, rays.get(i + 2 * FETCH_AHEAD)) {
                context.fetch_triangle(slot);
            }
            if let Some((context, slot)) = closest_slot(mesh, queries, rays.get(i + FETCH_AHEAD)) {
                context.fetch_corners(slot);
            }
            // A miss has no triangle to read.
            let number = *number as usize;
            let Some(met) = payload else {
                out[number] = None;
                continue;
            };
            // The hit in `f64`, refined by a Newton step where the plain one has too few digits.
            let context = QueryContext::new(mesh, &queries[number]);
            let (corners, triangle) = (context.corners_of(met.slot), context.triangle(met.slot));
            out[number] = same(hit_in_double::<FMA>(&context.query.raw(), corners, triangle));
        }
    }
}

/// Context of a ray, and the slot of its closest triangle.
#[inline(always)]
fn closest_slot<'a>(
    mesh: &'a SearchedMesh<'a>,
    queries: &'a [SearchRayF64],
    ray: Option<&StreamRay<Option<TriangleCandidate>>>,
) -> Option<(QueryContext<'a, SearchRayF64>, TriangleSlot)> {
    let StreamRay { number, payload, .. } = ray?;
    let met = payload.as_ref()?;
    Some((QueryContext::new(mesh, &queries[*number as usize]), met.slot))
}

/// The number of the closest triangle.
impl<R: SearchRay> FromSearch<ClosestMode, R> for Option<u32> {
    #[inline(always)]
    fn output<const FMA: bool>(context: &QueryContext<R>, best: &Option<TriangleCandidate>) -> Self {
        let best = best.as_ref()?;
        Some(context.triangle(best.slot))
    }
}

impl<R> FromSearch<AnyMode, R> for bool {
    #[inline(always)]
    fn output<const FMA: bool>(_context: &QueryContext<R>, found: &bool) -> Self {
        *found
    }
}

/// Casts a hit to the caller's vector type, which must equal the given one; otherwise `None`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn same<V: Vector, U: Vector>(hit: Option<Hit<V>>) -> Option<Hit<U>> {
    // `copied` and `?` wrap the hit again and so copy it.
    match (&hit as &dyn core::any::Any).downcast_ref() {
        Some(hit) => *hit,
        None => None,
    }
}

/// A function for the closest hit of a ray.
pub(crate) type ClosestHitFn<R, V> = fn(&QueryContext<'_, R>, &Bvh16, &dyn Fn() -> Option<Hit<V>>) -> Option<Hit<V>>;

/// A function as one for the caller's vector type, which must equal the given one; otherwise `None`. Its hit needs no [`same`], which
/// would copy it: numbers that are read wider than they were written wait for their stores.
#[inline(always)]
pub(crate) fn same_fn<R: 'static, V: Vector, U: Vector>(function: ClosestHitFn<R, V>) -> Option<ClosestHitFn<R, U>> {
    (&function as &dyn core::any::Any).downcast_ref().copied()
}

/// The place for a hit as one of the caller's vector type, which must equal the given one; otherwise `None`.
#[inline(always)]
pub(crate) fn same_mut<V: Vector, U: Vector>(hit: &mut Option<Hit<V>>) -> Option<&mut Option<Hit<U>>> {
    (hit as &mut dyn core::any::Any).downcast_mut()
}

impl QueryContext<'_, SearchRayF32> {
    /// The hit of the closest candidate.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn hit<const FMA: bool, V: Vector>(&self, best: &Option<TriangleCandidate>) -> Option<Hit<V>> {
        // A closure in `map` would compile to a call. The corners are cached; the vertices of the mesh may not be.
        let best = (*best)?;
        if self.is_placed() {
            let mut out = None;
            self.write_image_hit(best.slot, &mut out);
            return out;
        }
        let triangle = self.triangle(best.slot);
        let at = self.known_crossing::<FMA>(best.slot);
        // Each branch returns early and so constructs the hit in place; joining the branches would add a copy.
        if at.is_uncertain {
            return self.uncertain_hit(best.slot, triangle);
        }
        Some(at.hit(triangle))
    }

    #[inline(always)]
    fn known_crossing<const FMA: bool>(&self, slot: TriangleSlot) -> KnownCrossing<FMA> {
        let [origin, direction] = self.query.in_registers();
        KnownCrossing::new(origin, direction, self.corners.in_registers(slot))
    }

    #[cold]
    #[inline(never)]
    fn uncertain_hit<V: Vector>(&self, slot: TriangleSlot, triangle: u32) -> Option<Hit<V>> {
        Some(self.crossing(slot).known_hit(&self.query.raw(), triangle))
    }

    /// Writes the hit of the closest candidate of an instance to `out`, and returns its unrounded `t`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write_image_hit<V: Vector>(&self, slot: TriangleSlot, out: &mut Option<Hit<V>>) -> Option<f64> {
        let triangle = self.triangle(slot);
        self.with_level(|level| {
            let level = level?;
            if let Some(t) = dispatch_fma(WriteImageHit { context: self, level, slot, triangle, out }) {
                return Some(t);
            }
            let at = self.crossing(slot).answer_of_instance(level, Precision::Single)?;
            *out = Some(hit(&level.raw().line::<f64>(), triangle, &at.convert()));
            Some(at.t.to_f64())
        })
    }

    /// Writes the hit of the closest candidate to `out`, and returns its unrounded `t`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn write_hit<const FMA: bool, V: Vector>(
        &self,
        best: &Option<TriangleCandidate>,
        out: &mut Option<Hit<V>>,
    ) -> Option<f64> {
        let slot = (*best)?.slot;
        let triangle = self.triangle(slot);
        if self.is_placed() {
            return self.write_image_hit(slot, out);
        }
        let at = self.known_crossing::<FMA>(slot);
        if at.is_uncertain {
            *out = self.uncertain_hit(slot, triangle);
            return Some(self.crossing(slot).known_t(&self.query.raw()));
        }
        *out = Some(at.hit(triangle));
        Some(at.t)
    }
}

/// Writes the hit of a ray and a triangle of an instance to `out`, and returns its `t`; `None` where `f64` is not certain of it.
struct WriteImageHit<'a, V: Vector> {
    context: &'a QueryContext<'a, SearchRayF32>,
    level: &'a InstanceLevel<'a>,
    slot: TriangleSlot,
    triangle: u32,
    out: &'a mut Option<Hit<V>>,
}

impl<V: Vector> FmaKernel for WriteImageHit<'_, V> {
    type Output = Option<f64>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<const FMA: bool>(self) -> Option<f64> {
        let Self { context, level, slot, triangle, out } = self;
        let (ray, corners) = (context.query.in_registers(), context.corners.in_registers(slot));
        let at = known_crossing_of_instance::<FMA>(level, ray, corners, context.query.range())?;
        *out = Some(at.hit(triangle));
        Some(at.t)
    }
}

/// Hits of four rays at a time in `f64` lanes.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod four {
    use super::{ClosestMode, OutputBatch, QueryContext, SearchRay, SearchRayF32, TriangleCandidate};
    use crate::adaptive::hit_packet::{Hit4, HitNumbers};
    use crate::bvh::traverse::stream_ray::StreamRay;
    use crate::hit::Hit;
    use crate::kernel::crossing::Normal;
    use crate::math::observer::FilterFlag;
    use crate::math::vec3::Vec3;
    use crate::math::vector::Vector;
    use crate::math::working_ray::WorkingRay;
    use crate::shapes::triangle::known_crossing;
    use crate::simd::packet::{F64x4, FourTask, Packet, lane_masks, reset_masks};
    use arrayvec::ArrayVec;

    pub(crate) struct FourHits<'a, 'b, V: Vector>(
        pub(crate) &'a mut OutputBatch<'b, ClosestMode, SearchRayF32, Option<Hit<V>>>,
    );

    type FinishedRay = StreamRay<Option<TriangleCandidate>>;

    impl<V: Vector> FourTask for FourHits<'_, '_, V> {
        #[cfg_attr(not(debug_assertions), inline(always))]
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

    impl<V: Vector> OutputBatch<'_, ClosestMode, SearchRayF32, Option<Hit<V>>> {
        #[inline(always)]
        fn context(&self, one: &FinishedRay) -> QueryContext<'_, SearchRayF32> {
            QueryContext::new(self.mesh, &self.queries[one.number as usize])
        }

        #[inline(never)]
        fn single(&mut self, one: &FinishedRay) {
            self.out[one.number as usize] = self.context(one).hit::<false, _>(&one.payload);
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn four(&mut self, four: [&FinishedRay; 4]) {
            // Four rays and their triangles, one of each per lane.
            let line = self.lines(four);
            let corners = self.triangles_of(four);
            // The same operations as for one ray, so each lane has the bits of a single hit.
            let mut flag = FilterFlag::default();
            reset_masks(4);
            let at = known_crossing(&line, corners, &mut flag);
            // A lane that took another branch than the leading one has no result here: its ray is done alone. So are
            // all four rays if a filter was uncertain.
            let normal = Normal::Direction(at.normal);
            let numbers = HitNumbers::new(&line, at.t, &normal, Some(at.uv));
            let rows = Hit4::<V::Scalar>::new(&numbers, !at.facing.negative());
            let [stream, _] = lane_masks();
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
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn lines(&self, [a, b, c, d]: [&FinishedRay; 4]) -> WorkingRay<F64x4> {
            let query = |one: &FinishedRay| &self.queries[one.number as usize];
            let [a, b, c, d] = [query(a), query(b), query(c), query(d)];
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
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn triangles_of(&self, [a, b, c, d]: [&FinishedRay; 4]) -> [Vec3<F64x4>; 3] {
            let numbers =
                |one: &FinishedRay| one.payload.as_ref().map_or([0.0; 9], |met| self.mesh.corners.numbers(met.slot));
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
