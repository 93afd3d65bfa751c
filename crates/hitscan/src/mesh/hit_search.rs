//! Closest-hit and any-hit search in a triangle mesh: an `f32` filter classifies sixteen triangles at a time, and
//! adaptive arithmetic tests each uncertain one.

use crate::adaptive::instance::evaluate_instance;
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
use crate::kernel::candidate::{HitCandidate, certain_order};
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::{InstanceLevel, InstanceMap};
use crate::math::real::{Precision, Real};
use crate::math::rounding::round_up_f32;
use crate::math::vec3::Vec3;
use crate::math::working_ray::InputRay;
use crate::mesh::search_ray::{SearchRay, SearchRayF32, SearchRayF64};
use crate::mesh::triangle_blocks::TriangleBlocks;
use crate::mesh::triangle_filter::Classification;
use crate::mesh::triangle_set::TriangleSet;
use crate::mesh::triangle_test::{TrianglePlanes, TriangleQuery};
use crate::shapes::triangle::EdgeRule;
use crate::simd::lanes::{SimdF32, prefetch};
use core::cmp::Ordering;
use core::hint::black_box;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use glam::DVec3;

/// Search mode, closest or any hit: the action on each crossed triangle.
pub(crate) trait HitMode {
    /// State of the search of one ray.
    type Payload: Default;
    /// Whether the result contains the triangle id.
    const NUMBERED: bool;
    /// Handles a crossed triangle. It may lower `end`; `Break` stops the search.
    fn on_crossing<R: SearchRay>(
        context: &QueryContext<R>,
        met: TriangleCandidate,
        end: &mut f32,
        payload: &mut Self::Payload,
    ) -> ControlFlow<()>;
}

/// Search mode for the rays of a precision.
pub(crate) trait StreamMode<R: SearchRay>: HitMode {
    /// Traces a ray stream. Not generic, so its SIMD code is compiled once per mode and precision, in this crate.
    fn many(mesh: &SearchedMesh, queries: &[R], stream: &mut RayStream<Self::Payload>);
}

/// What a search reads of a mesh.
#[derive(Clone, Copy)]
pub(crate) struct SearchedMesh<'a> {
    pub(crate) corners: &'a TriangleBlocks,
    pub(crate) tree: &'a Bvh16,
    /// Mesh in `f64`, if `corners` were rounded.
    pub(crate) exact: Option<TriangleSet<'a, DVec3>>,
    /// Map of the instance that a stream of rays of the world is cast at.
    pub(crate) map: Option<&'a dyn InstanceMap>,
}

/// Closest-hit mode; at equal `t` the triangle with the lowest id wins.
pub(crate) enum ClosestMode {}

/// Any-hit mode: stops at the first crossing found.
pub(crate) enum AnyMode {}

// Two cache lines.
const _: () = assert!(size_of::<StreamRay<Option<TriangleCandidate>>>() == 128);

/// Stream visitor of a mesh: one query per ray.
struct MeshStream<'a, Q, R> {
    mesh: &'a SearchedMesh<'a>,
    queries: &'a [R],
    mode: PhantomData<Q>,
}

impl<Q: HitMode, R: SearchRay> StreamVisitor for MeshStream<'_, Q, R> {
    type Payload = Q::Payload;
    /// One ray at a time if the mesh fits into the cache: leaves are bound by arithmetic, and interleaved rays would
    /// only evict each other's data.
    const INTERLEAVE: [usize; 2] = [1, 8];
    /// Between the coherence of rays that leave a surface and that of random rays.
    const MIN_COHERENCE: f32 = 0.2;
    #[inline(always)]
    fn leaf<L: SimdF32>(&mut self, ray: &mut StreamRay<Q::Payload>, leaf: Leaf) -> ControlFlow<()> {
        let StreamRay { line, end, number, payload } = ray;
        let context = QueryContext::new(self.mesh, &self.queries[*number as usize]);
        context.each::<L, Q, false>(line, leaf, end, payload)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn look<L: SimdF32>(
        &mut self,
        packet: &mut Packet,
        rays: &mut [StreamRay<Q::Payload>],
        lanes: u32,
        leaf: Leaf,
    ) -> bool {
        let mut left = self.mesh.corners.cull_packet::<L>(leaf, packet);
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aim(&self, number: u32) -> Option<(RayF32, f32)> {
        let query = &self.queries[number as usize];
        if let Some(map) = self.mesh.map {
            return Some((local_aim(self.mesh.tree, map, &query.raw(), query.query().t_min())?, query.end()));
        }
        let (aim, is_faithful) = query.aim();
        // A closure would compile to a call.
        if is_faithful & self.mesh.tree.is_ordinary(&aim) { Some((aim, query.end())) } else { None }
    }
    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        self.mesh.corners.fetch(leaf);
    }
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.mesh.corners.bytes()
    }
}

/// The ray in the coordinates of an instance; `None` if it is not ordinary, or so uncertain that the bounds of the `f32` traversal
/// do not cover it.
#[inline(never)]
fn local_aim(tree: &Bvh16, map: &dyn InstanceMap, raw: &InputRay, t_min: f64) -> Option<RayF32> {
    let local = LocalRay::new(InstanceLevel::new(map, None, raw).rounded(), tree.largest);
    let (aim, is_faithful) = RayF32::rounded_from(local.origin, local.direction, t_min);
    (local.is_negligible(tree.largest) & is_faithful & tree.is_ordinary(&aim)).then_some(aim)
}

impl<Q: HitMode, R: SearchRay> MeshStream<'_, Q, R> {
    /// Tests one triangle against the rays `lanes` of a packet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn triangle<L: SimdF32>(
        &self,
        slot: TriangleSlot,
        packet: &mut Packet,
        rays: &mut [StreamRay<Q::Payload>],
        lanes: u32,
    ) {
        // A packet has one query, so its first ray gives the faces.
        let faces = self.queries[packet.ray(rays, 0).number as usize].faces();
        let classified = self.mesh.corners.classify_rays::<L>(slot, packet, faces);
        // Rays that certainly miss the triangle need no more. For each of the others, the candidate decides, in exact
        // arithmetic if it must.
        let mut mask = classified.maybe & lanes;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            let StreamRay { end, number, payload, .. } = packet.ray(rays, lane);
            let context = QueryContext::new(self.mesh, &self.queries[*number as usize]);
            // A ray that is finished (any hit) gets an end before every box.
            if context.candidate::<Q>(&classified, lane, slot, packet.t_min[lane], end, payload).is_break() {
                *end = f32::NEG_INFINITY;
            }
            // The packet's copy of the end, which the next triangles and boxes are compared with.
            packet.end[lane] = *end;
        }
    }
}

/// Inputs of a search: the triangles, and the ray with its query.
pub(crate) struct QueryContext<'a, R> {
    pub(crate) corners: &'a TriangleBlocks,
    /// Triangle ids by slot, leaf by leaf.
    pub(crate) triangles: &'a [u32],
    exact: &'a Option<TriangleSet<'a, DVec3>>,
    pub(crate) query: &'a R,
    /// Instance stack above the mesh, with the ray in its coordinates.
    pub(crate) level: Option<&'a InstanceLevel<'a>>,
    /// Map of the instance, in place of a stack, for the rays of a stream.
    map: Option<&'a dyn InstanceMap>,
}

/// Slot of a triangle: a leaf and an index in it.
pub(crate) type TriangleSlot = (Leaf, u32);

/// A triangle that the ray certainly crosses within the range of the query, with bounds of `t`.
#[derive(Clone, Copy)]
pub(crate) struct TriangleCandidate {
    pub(crate) slot: TriangleSlot,
    /// Lower bound of `t`; `high` is the upper bound.
    low: f32,
    high: f32,
}

impl<'a, R: SearchRay> QueryContext<'a, R> {
    #[inline(always)]
    pub(crate) fn new(mesh: &'a SearchedMesh<'a>, query: &'a R) -> Self {
        let SearchedMesh { corners, tree, exact, map } = mesh;
        Self { corners, triangles: tree.prim_ids(), exact, query, level: None, map: *map }
    }

    /// The same search within the instance stack of a ray.
    pub(crate) fn within(self, level: Option<&'a InstanceLevel<'a>>) -> Self {
        Self { level, ..self }
    }

    /// Whether the mesh has a transform.
    #[inline(always)]
    pub(crate) fn is_placed(&self) -> bool {
        self.level.is_some() || self.map.is_some()
    }

    /// Calls `use_level` with the instance stack, if there is one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_level<T>(&self, use_level: impl FnOnce(Option<&InstanceLevel<'_>>) -> T) -> T {
        match self.map {
            None => use_level(self.level),
            Some(map) => use_level(Some(&InstanceLevel::new(map, None, &self.query.raw()))),
        }
    }

    /// Tests the triangles of a leaf up to `end` and passes each crossed one to `Q`. `ONE_RAY`: no other rays have work meanwhile.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn each<L: SimdF32, Q: HitMode, const ONE_RAY: bool>(
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
        let classified = self.corners.classify::<L>(leaf, line, *end, self.query.faces());
        if classified.maybe == 0 {
            return ControlFlow::Continue(());
        }
        let (mut mask, near_line) = (classified.maybe, classified.near_line);
        // Often the line is near one triangle only, which is known long before its bounds of `t`. With `black_box` the compiler
        // keeps a branch, which a processor predicts: what follows need not wait for these bounds.
        if ONE_RAY && near_line & (near_line - 1) == 0 {
            mask = black_box(near_line);
        }
        // Candidates one by one, since each may lower the end for the next.
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            self.candidate::<Q>(&classified, lane, (leaf, lane as u32), line.shear.t_min, end, payload)?;
        }
        ControlFlow::Continue(())
    }

    /// Passes a triangle that the filter does not exclude to `Q`, if the ray crosses it. Escalates where `f32` is
    /// uncertain.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn candidate<Q: HitMode>(
        &self,
        classified: &Classification,
        lane: usize,
        slot: TriangleSlot,
        t_min: f32,
        end: &mut f32,
        payload: &mut Q::Payload,
    ) -> ControlFlow<()> {
        // The filter knows bounds of `t`. A triangle that the line crosses for certain may still lie beyond the ends of
        // the range.
        let (low, high) = (classified.range[0][lane], classified.range[1][lane]);
        let is_in_range = (low > t_min) & (high < self.query.end());
        let is_certain = (classified.inside >> lane & 1 == 1) & is_in_range;
        // Where the bounds do not decide, exact arithmetic answers, with bounds of its own `t`.
        let bounds = if is_certain { Some((low, high)) } else { self.bounds(slot) };
        if let Some((low, high)) = bounds {
            let met = TriangleCandidate { slot, low, high };
            Q::on_crossing(self, met, end, payload)?;
        }
        ControlFlow::Continue(())
    }

    /// `t` of the crossing with the triangle of a slot in adaptive arithmetic.
    fn adaptive_t(&self, slot: TriangleSlot, level: Option<&InstanceLevel<'_>>) -> Option<f64> {
        let crossing = self.crossing(slot);
        match level {
            None => crossing.t::<R::Scalar>(&self.query.raw()),
            Some(level) => crossing.answer_of_instance(level, R::Scalar::PRECISION).map(|at| at.t.to_f64()),
        }
    }

    #[inline(always)]
    pub(crate) fn crossing(&self, slot: TriangleSlot) -> TriangleQuery {
        TriangleQuery { corners: self.corners_of(slot), query: self.query.query(), rule: EdgeRule::Closed }
    }

    /// Corners of a triangle as given.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn corners_of(&self, slot: TriangleSlot) -> [Vec3<f64>; 3] {
        match self.exact {
            Some(mesh) if R::Scalar::PRECISION == Precision::Double => mesh.corners_of(self.triangle(slot)),
            // The blocks are in the cache; the vertices of the mesh may not be.
            _ => self.corners.of(slot),
        }
    }

    /// Prefetches the vertex indices of a triangle, if its corners are in the mesh alone.
    #[inline(always)]
    pub(crate) fn fetch_triangle(&self, slot: TriangleSlot) {
        if let (Some(mesh), Precision::Double) = (self.exact, R::Scalar::PRECISION) {
            prefetch(&mesh.triangles[self.triangle(slot) as usize]);
        }
    }

    /// Prefetches the corners of that triangle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fetch_corners(&self, slot: TriangleSlot) {
        if let (Some(mesh), Precision::Double) = (self.exact, R::Scalar::PRECISION) {
            let [a, b, c] = mesh.triangles[self.triangle(slot) as usize];
            prefetch(&mesh.vertices[a as usize]);
            prefetch(&mesh.vertices[b as usize]);
            prefetch(&mesh.vertices[c as usize]);
        }
    }

    #[inline(always)]
    pub(crate) fn triangle(&self, (leaf, lane): TriangleSlot) -> u32 {
        self.triangles[leaf.first() + lane as usize]
    }

    /// Bounds of `t` from adaptive arithmetic, where `f32` is uncertain; `None` for a miss.
    #[cold]
    #[inline(never)]
    fn bounds(&self, slot: TriangleSlot) -> Option<(f32, f32)> {
        let t = self.with_level(|level| self.adaptive_t(slot, level))?;
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
        // Duplicate triangles and coplanar ones have equal `t` without any arithmetic.
        let crossings = [new, old].map(|slot| self.crossing(slot));
        let planes = TrianglePlanes(crossings.each_ref().map(|crossing| crossing.corners));
        let order = if planes.are_the_same() {
            Ordering::Equal
        } else {
            self.with_level(|level| match level {
                None => planes.order(&self.query.raw()),
                // The rounded `t` in `f64` decide nearly all other pairs; the rest compares the planes exactly.
                Some(level) => {
                    let [s, t] = [new, old].map(|slot| self.adaptive_t(slot, Some(level)));
                    s.zip(t).and_then(|(s, t)| certain_order(s, t)).unwrap_or_else(|| {
                        evaluate_instance(&planes, level, R::Scalar::PRECISION, &mut Trace::default())
                    })
                }
            })
        };
        // At equal `t` the lower id wins, so that the result does not depend on the tree.
        order.then(self.triangle(new).cmp(&self.triangle(old))).is_lt()
    }

    /// Keeps the closest candidate; at equal `t` the one with the lowest triangle id.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nearer(&self, met: TriangleCandidate, end: &mut f32, best: &mut Option<TriangleCandidate>) -> ControlFlow<()> {
        // A closure would copy the old candidate.
        let beats = match best {
            Some(old) => self.beats(&met, old),
            None => true,
        };
        if beats {
            *best = Some(met);
            self.fetch_triangle(met.slot);
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
    fn on_crossing<R: SearchRay>(
        context: &QueryContext<R>,
        met: TriangleCandidate,
        end: &mut f32,
        best: &mut Option<TriangleCandidate>,
    ) -> ControlFlow<()> {
        context.nearer(met, end, best)
    }
}

impl HitMode for AnyMode {
    type Payload = bool;
    const NUMBERED: bool = false;
    #[inline(always)]
    fn on_crossing<R: SearchRay>(
        _context: &QueryContext<R>,
        _candidate: TriangleCandidate,
        _end: &mut f32,
        found: &mut bool,
    ) -> ControlFlow<()> {
        *found = true;
        ControlFlow::Break(())
    }
}

macro_rules! stream_modes {
    ($($mode:ty: $ray:ty),+) => {$(
        impl StreamMode<$ray> for $mode {
            #[inline(never)]
            fn many(mesh: &SearchedMesh, queries: &[$ray], stream: &mut RayStream<Self::Payload>) {
                let mut visitor = MeshStream::<Self, $ray> { mesh, queries, mode: PhantomData };
                stream.run(queries.len() as u32, mesh.tree, &mut visitor);
            }
        }
    )+};
}
stream_modes!(ClosestMode: SearchRayF32, ClosestMode: SearchRayF64, AnyMode: SearchRayF32, AnyMode: SearchRayF64);
