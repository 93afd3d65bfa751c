//! Closest-hit and any-hit search in a triangle mesh: an `f32` filter classifies sixteen triangles at a time, and
//! adaptive arithmetic tests each uncertain one.

use crate::adaptive::instance::evaluate_instance;
use crate::adaptive::stages::evaluate_adaptive;
use crate::bvh::bvh::Bvh16;
use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::ray::RayF32;
use crate::bvh::traverse::local_ray::LocalRay;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::stream::RayStream;
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::bvh::traverse::stream_visitor::StreamVisitor;
use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::candidate::{HitCandidate, certain_order};
use crate::math::arithmetic::Arithmetic;
use crate::math::dd::Dd;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::{Precision, Real};
use crate::math::rounding::round_up_f32;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::mesh::triangle_filter::Classification;
use crate::mesh::triangle_test::{TrianglePlanes, TriangleQuery, hit, known};
use crate::query::{Faces, Query};
use crate::shapes::triangle::{EdgeRule, TriangleHit};
use crate::simd::lanes::{SimdF32, prefetch};
use core::cmp::Ordering;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use glam::Vec4;

/// A ray or segment in `f32` with its query: small enough to copy freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayQueryF32 {
    pub(crate) origin: Vec4,
    /// The direction of a ray, or the end of a segment.
    pub(crate) target: Vec4,
    /// The direction; rounded for a segment.
    direction: Vec4,
    is_segment: bool,
    faces: Faces,
    t_min: f32,
    pub(crate) t_max: f32,
}

impl RayQueryF32 {
    /// Converts an `f32` input; nothing is rounded.
    #[inline(always)]
    pub(crate) fn new(raw: &InputRay, query: &Query<impl Real>) -> Self {
        let single = |[x, y, z]: [f64; 3]| Vec4::new(x as f32, y as f32, z as f32, 0.0);
        let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
        // A NaN stays a NaN and hits nothing.
        let t_min = if min < raw.t_min { raw.t_min } else { min };
        let t_max = if max > raw.t_max { raw.t_max } else { max };
        let (origin, target) = (single(raw.origin), single(raw.target));
        Self {
            origin,
            target,
            direction: if raw.is_segment { target - origin } else { target },
            is_segment: raw.is_segment,
            faces: query.faces_mode(),
            t_min: t_min as f32,
            t_max: t_max as f32,
        }
    }

    /// The same query with `t_max` lowered to `limit`. A NaN `t_max` stays a NaN.
    pub(crate) fn up_to(self, limit: f32) -> Self {
        Self { t_max: if limit < self.t_max { limit } else { self.t_max }, ..self }
    }

    #[inline(always)]
    pub(crate) fn raw(&self) -> InputRay {
        let double = |v: Vec4| [f64::from(v.x), f64::from(v.y), f64::from(v.z)];
        InputRay {
            origin: double(self.origin),
            target: double(self.target),
            is_segment: self.is_segment,
            t_min: f64::NEG_INFINITY,
            t_max: f64::INFINITY,
            largest: f64::from(f32::MAX),
            layers: u32::MAX,
        }
    }

    #[inline(always)]
    fn aim(&self) -> RayF32 {
        RayF32::new(self.origin, self.direction, self.t_min)
    }

    #[inline(always)]
    fn query(&self) -> Query<f64> {
        Query::new().range(f64::from(self.t_min), f64::from(self.t_max)).faces(self.faces)
    }
}

/// Search mode, closest or any hit: the action on each crossed triangle.
pub(crate) trait HitMode {
    /// State of the search of one ray.
    type Payload: Default;
    /// Whether the result contains the triangle id.
    const NUMBERED: bool;
    /// Handles a crossed triangle. It may lower `end`; `Break` stops the search.
    fn on_crossing(
        context: &QueryContext,
        met: TriangleCandidate,
        end: &mut f32,
        payload: &mut Self::Payload,
    ) -> ControlFlow<()>;
    /// Traces a ray stream. Not generic over the vector type of the mesh, so its SIMD code is compiled once per mode.
    fn many(corners: &TriangleBlocks, tree: &Bvh16, queries: &[RayQueryF32], stream: &mut RayStream<Self::Payload>);
}

/// Closest-hit mode; at equal `t` the triangle with the lowest id wins.
pub(crate) enum ClosestMode {}

/// Any-hit mode: stops at the first crossing found.
pub(crate) enum AnyMode {}

// Two cache lines.
const _: () = assert!(size_of::<StreamRay<Option<TriangleCandidate>>>() == 128);

/// Stream visitor of a mesh: one query per ray.
struct MeshStream<'a, Q> {
    corners: &'a TriangleBlocks,
    tree: &'a Bvh16,
    queries: &'a [RayQueryF32],
    mode: PhantomData<Q>,
}

impl<Q: HitMode> StreamVisitor for MeshStream<'_, Q> {
    type Payload = Q::Payload;
    /// One ray at a time if the mesh fits into the cache: leaves are bound by arithmetic, and interleaved rays would
    /// only evict each other's data.
    const INTERLEAVE: [usize; 2] = [1, 8];
    /// Between the coherence of rays that leave a surface and that of random rays.
    const MIN_COHERENCE: f32 = 0.2;
    #[inline(always)]
    fn leaf<L: SimdF32>(&mut self, ray: &mut StreamRay<Q::Payload>, leaf: Leaf) -> ControlFlow<()> {
        let StreamRay { line, end, number, payload } = ray;
        let context = QueryContext::new(self.corners, self.tree, &self.queries[*number as usize]);
        context.each::<L, Q>(line, leaf, end, payload)
    }
    #[inline(always)]
    fn look<L: SimdF32>(
        &mut self,
        packet: &mut Packet,
        rays: &mut [StreamRay<Q::Payload>],
        lanes: u32,
        leaf: Leaf,
    ) -> bool {
        let mut left = self.corners.cull_packet::<L>(leaf, packet);
        if left.count_ones() > lanes.count_ones() {
            return false;
        }
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            self.triangle::<L>((leaf, lane), packet, rays, lanes);
        }
        true
    }
    #[inline(always)]
    fn aim(&self, number: u32) -> Option<(RayF32, f32)> {
        let query_f32 = &self.queries[number as usize];
        let aim = query_f32.aim();
        // A closure would compile to a call.
        if self.tree.is_ordinary(&aim) { Some((aim, query_f32.t_max)) } else { None }
    }
    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        self.corners.fetch(leaf);
    }
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.corners.bytes()
    }
}

impl<Q: HitMode> MeshStream<'_, Q> {
    /// Tests one triangle against the rays `lanes` of a packet.
    #[inline(always)]
    fn triangle<L: SimdF32>(
        &self,
        slot: TriangleSlot,
        packet: &mut Packet,
        rays: &mut [StreamRay<Q::Payload>],
        lanes: u32,
    ) {
        let faces = self.queries[packet.ray(rays, 0).number as usize].faces;
        let classified = self.corners.classify_rays::<L>(slot, packet, faces);
        let mut mask = classified.maybe & lanes;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            let StreamRay { end, number, payload, .. } = packet.ray(rays, lane);
            let context = QueryContext::new(self.corners, self.tree, &self.queries[*number as usize]);
            if context.candidate::<Q>(&classified, lane, slot, packet.t_min[lane], end, payload).is_break() {
                *end = f32::NEG_INFINITY;
            }
            packet.end[lane] = *end;
        }
    }
}

/// Inputs of a search: the triangles and the query in `f32`.
pub(crate) struct QueryContext<'a> {
    pub(crate) corners: &'a TriangleBlocks,
    /// Triangle ids by slot, leaf by leaf.
    pub(crate) triangles: &'a [u32],
    pub(crate) query_f32: &'a RayQueryF32,
    /// Instance stack above the mesh, with the ray in its coordinates.
    pub(crate) level: Option<&'a InstanceLevel<'a>>,
}

/// Slot of a triangle: a leaf and an index in it.
type TriangleSlot = (Leaf, u32);

/// A triangle that the ray certainly crosses within the range of the query, with bounds of `t`.
#[derive(Clone, Copy)]
pub(crate) struct TriangleCandidate {
    pub(crate) slot: TriangleSlot,
    /// Lower bound of `t`; `high` is the upper bound.
    low: f32,
    high: f32,
}

impl<'a> QueryContext<'a> {
    #[inline(always)]
    pub(crate) fn new(corners: &'a TriangleBlocks, tree: &'a Bvh16, query_f32: &'a RayQueryF32) -> Self {
        Self { corners, triangles: tree.prim_ids(), query_f32, level: None }
    }

    /// The same search within the instance stack of a ray.
    pub(crate) fn within(self, level: Option<&'a InstanceLevel<'a>>) -> Self {
        Self { level, ..self }
    }

    /// The prepared ray; `None` if the `f32` traversal does not support the ray.
    #[inline(always)]
    pub(crate) fn line(&self, tree: &Bvh16) -> Option<PreparedRay> {
        match self.level {
            None => tree.line_in_f32(&self.query_f32.aim()),
            Some(level) => {
                tree.prepare_local(&LocalRay::new(level.local(), tree.largest), f64::from(self.query_f32.t_min))
            }
        }
    }

    /// Tests the triangles of a leaf up to `end` and passes each crossed one to `Q`.
    #[inline(always)]
    pub(crate) fn each<L: SimdF32, Q: HitMode>(
        &self,
        line: &PreparedRay,
        leaf: Leaf,
        end: &mut f32,
        payload: &mut Q::Payload,
    ) -> ControlFlow<()> {
        if Q::NUMBERED {
            // The ids lie in another array: the prefetch overlaps with the classification.
            prefetch(&self.triangles[leaf.first()]);
        }
        let classified = self.corners.classify::<L, false>(leaf, line, *end, self.query_f32.faces);
        let mut mask = classified.maybe;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            self.candidate::<Q>(&classified, lane, (leaf, lane as u32), line.shear.t_min, end, payload)?;
        }
        ControlFlow::Continue(())
    }

    /// Passes a triangle that the filter does not exclude to `Q`, if the ray crosses it. Escalates where `f32` is
    /// uncertain.
    #[inline(always)]
    fn candidate<Q: HitMode>(
        &self,
        classified: &Classification,
        lane: usize,
        slot: TriangleSlot,
        t_min: f32,
        end: &mut f32,
        payload: &mut Q::Payload,
    ) -> ControlFlow<()> {
        let (low, high) = (classified.range[0][lane], classified.range[1][lane]);
        let is_in_range = (low > t_min) & (high < self.query_f32.t_max);
        let is_certain = (classified.inside >> lane & 1 == 1) & is_in_range;
        let bounds = if is_certain { Some((low, high)) } else { self.bounds(slot) };
        if let Some((low, high)) = bounds {
            let met = TriangleCandidate { slot, low, high };
            Q::on_crossing(self, met, end, payload)?;
        }
        ControlFlow::Continue(())
    }

    /// The hit of the closest candidate.
    #[inline(always)]
    pub(crate) fn hit<V: Vector>(&self, best: &Option<TriangleCandidate>) -> Option<Hit<V>> {
        // A closure in `map` would compile to a call. The corners are cached; the vertices of the mesh may not be.
        let best = (*best)?;
        if self.level.is_some() {
            return Some(self.hit_of(self.triangle(best.slot), &self.adaptive_crossing(best.slot)?));
        }
        let (line, triangle) = (self.query_f32.raw().line(), self.triangle(best.slot));
        let (at, uncertain) = known(&line, self.corners.of(best.slot));
        // Each branch returns early and so constructs the hit in place; joining the branches would add a copy.
        if uncertain {
            return self.uncertain_hit(best.slot, triangle);
        }
        Some(hit(&line, triangle, &at))
    }

    #[cold]
    #[inline(never)]
    fn uncertain_hit<V: Vector>(&self, slot: TriangleSlot, triangle: u32) -> Option<Hit<V>> {
        Some(self.crossing(slot).known_hit(&self.query_f32.raw(), triangle))
    }

    /// Hit of a crossing in adaptive arithmetic.
    #[inline(never)]
    fn hit_of<V: Vector>(&self, triangle: u32, at: &TriangleHit<Dd>) -> Hit<V> {
        let raw = self.level.map_or_else(|| self.query_f32.raw(), |level| level.local().raw);
        hit(&raw.line::<f64>(), triangle, &at.convert())
    }

    /// Crossing with the triangle of a slot in adaptive arithmetic.
    fn adaptive_crossing(&self, slot: TriangleSlot) -> Option<TriangleHit<Dd>> {
        match self.level {
            None => self.crossing(slot).answer::<f32>(&self.query_f32.raw()),
            Some(level) => self.crossing(slot).answer_of_instance(level, Precision::Single),
        }
    }

    #[inline(always)]
    fn crossing(&self, slot: TriangleSlot) -> TriangleQuery {
        let corners = self.corners.of(slot);
        TriangleQuery { corners, query: self.query_f32.query(), rule: EdgeRule::Closed }
    }

    /// Writes the hit of the closest candidate to `out`, and returns its unrounded `t`.
    #[inline(always)]
    pub(crate) fn write_hit<V: Vector>(
        &self,
        best: &Option<TriangleCandidate>,
        out: &mut Option<Hit<V>>,
    ) -> Option<f64> {
        let slot = (*best)?.slot;
        let triangle = self.triangle(slot);
        if self.level.is_some() {
            let at = self.adaptive_crossing(slot)?;
            *out = Some(self.hit_of(triangle, &at));
            return Some(at.t.to_f64());
        }
        let line = self.query_f32.raw().line();
        let (at, uncertain) = known(&line, self.corners.of(slot));
        if uncertain {
            *out = self.uncertain_hit(slot, triangle);
            return Some(self.crossing(slot).known_t(&self.query_f32.raw()));
        }
        *out = Some(hit(&line, triangle, &at));
        Some(at.t.to_f64())
    }

    #[inline(always)]
    pub(crate) fn triangle(&self, (leaf, lane): TriangleSlot) -> u32 {
        self.triangles[leaf.first() + lane as usize]
    }

    /// Bounds of `t` from adaptive arithmetic, where `f32` is uncertain; `None` for a miss.
    #[cold]
    #[inline(never)]
    fn bounds(&self, slot: TriangleSlot) -> Option<(f32, f32)> {
        let t = self.adaptive_crossing(slot)?.t.to_f64();
        let bound = |t| HitCandidate { t, primitive: 0, at_start: false }.limit();
        Some((-round_up_f32(bound(-t)), round_up_f32(bound(t))))
    }

    /// Whether the new candidate is closer than the old one, or equally close with a lower triangle id.
    #[inline(always)]
    fn beats(&self, new: &TriangleCandidate, old: &TriangleCandidate) -> bool {
        new.high < old.low || (new.low <= old.high && self.beats_exactly(new.slot, old.slot))
    }

    // Slots are passed by value and stay in registers; a reference would force the candidates into memory.
    #[cold]
    #[inline(never)]
    fn beats_exactly(&self, new: TriangleSlot, old: TriangleSlot) -> bool {
        let crossings = [new, old].map(|slot| self.crossing(slot));
        let planes = TrianglePlanes(crossings.each_ref().map(|crossing| crossing.corners));
        let order = if planes.are_the_same() {
            Ordering::Equal
        } else {
            let [s, t] = [new, old].map(|slot| self.adaptive_crossing(slot).map(|at| at.t.to_f64()));
            s.zip(t).and_then(|(s, t)| certain_order(s, t)).unwrap_or_else(|| match self.level {
                None => evaluate_adaptive(&planes, &self.query_f32.raw(), Precision::Single, &mut Trace::default()),
                Some(level) => evaluate_instance(&planes, level, Precision::Single, &mut Trace::default()),
            })
        };
        order.then(self.triangle(new).cmp(&self.triangle(old))).is_lt()
    }

    /// Keeps the closest candidate; at equal `t` the one with the lowest triangle id.
    #[inline(always)]
    fn nearer(&self, met: TriangleCandidate, end: &mut f32, best: &mut Option<TriangleCandidate>) -> ControlFlow<()> {
        // A closure would copy the old candidate.
        let beats = match best {
            Some(old) => self.beats(&met, old),
            None => true,
        };
        if beats {
            *best = Some(met);
            if met.high < *end {
                *end = met.high;
            }
        }
        ControlFlow::Continue(())
    }
}

impl HitMode for ClosestMode {
    type Payload = Option<TriangleCandidate>;
    const NUMBERED: bool = true;
    #[inline(always)]
    fn on_crossing(
        context: &QueryContext,
        met: TriangleCandidate,
        end: &mut f32,
        best: &mut Option<TriangleCandidate>,
    ) -> ControlFlow<()> {
        context.nearer(met, end, best)
    }
    #[inline(never)]
    fn many(corners: &TriangleBlocks, tree: &Bvh16, queries: &[RayQueryF32], stream: &mut RayStream<Self::Payload>) {
        let mut visitor = MeshStream::<Self> { corners, tree, queries, mode: PhantomData };
        stream.run(queries.len() as u32, tree, &mut visitor);
    }
}

impl HitMode for AnyMode {
    type Payload = bool;
    const NUMBERED: bool = false;
    #[inline(always)]
    fn on_crossing(
        _context: &QueryContext,
        _candidate: TriangleCandidate,
        _end: &mut f32,
        found: &mut bool,
    ) -> ControlFlow<()> {
        *found = true;
        ControlFlow::Break(())
    }
    #[inline(never)]
    fn many(corners: &TriangleBlocks, tree: &Bvh16, queries: &[RayQueryF32], stream: &mut RayStream<Self::Payload>) {
        let mut visitor = MeshStream::<Self> { corners, tree, queries, mode: PhantomData };
        stream.run(queries.len() as u32, tree, &mut visitor);
    }
}
