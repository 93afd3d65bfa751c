//! The nearest triangle, or any: sixteen at a time in `f32`, and one by one where that is not certain.

use crate::adaptive::stages::evaluate_adaptive;
use crate::bvh::bvh::Tree;
use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::Single;
use crate::bvh::ray::Aim;
use crate::bvh::traverse::packet::Packet;
use crate::bvh::traverse::stream::Stream;
use crate::bvh::traverse::stream_ray::Traveller;
use crate::bvh::traverse::stream_visitor::Crowd;
use crate::explain::Trace;
use crate::hit::Hit;
use crate::kernel::candidate::{HitCandidate, certain_order};
use crate::math::arithmetic::Arithmetic;
use crate::math::real::{Precision, Real};
use crate::math::rounding::above;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::mesh::triangle_blocks::Corners;
use crate::mesh::triangle_filter::Weighed;
use crate::mesh::triangle_test::{Crossing, Planes, hit, known};
use crate::query::{Faces, Query};
use crate::shapes::triangle::EdgeRule;
use crate::simd::lanes::{SimdF32, prefetch};
use core::cmp::Ordering;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use glam::Vec4;

/// A line in `f32` and what is asked about it: little enough to be handed on in no time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shot {
    pub(crate) origin: Vec4,
    /// The direction of a ray, the end of a segment.
    pub(crate) target: Vec4,
    /// Rounded, where the line is a segment.
    direction: Vec4,
    is_segment: bool,
    faces: Faces,
    t_min: f32,
    pub(crate) t_max: f32,
}

impl Shot {
    /// What was given in `f32`, as it was.
    #[inline(always)]
    pub(crate) fn new(raw: &InputRay, query: &Query<impl Real>) -> Self {
        let single = |[x, y, z]: [f64; 3]| Vec4::new(x as f32, y as f32, z as f32, 0.0);
        let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
        // A NaN stays one, and hits nothing.
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

    /// The same, and nothing beyond a limit. A NaN stays one.
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
        }
    }

    /// None for an unusual one.
    #[inline(always)]
    pub(crate) fn line(&self, tree: &Tree) -> Option<Single> {
        tree.line_in_f32(&self.aim())
    }

    #[inline(always)]
    fn aim(&self) -> Aim {
        Aim::new(self.origin, self.direction, self.t_min)
    }

    #[inline(always)]
    fn query(&self) -> Query<f64> {
        Query::new().range(f64::from(self.t_min), f64::from(self.t_max)).faces(self.faces)
    }
}

/// What is asked about a line.
pub(crate) trait Question {
    /// What is known so far.
    type Note: Default;
    /// Whether it is told which triangle is crossed.
    const NUMBERED: bool;
    /// Something is crossed.
    fn met(asked: &Asked, met: Met, end: &mut f32, note: &mut Self::Note) -> ControlFlow<()>;
    /// About many lines: compiled for wide registers here, once, whatever the vectors of the mesh.
    fn many(corners: &Corners, tree: &Tree, shots: &[Shot], stream: &mut Stream<Self::Note>);
}

/// The first hit; of equals the triangle with the lowest number.
pub(crate) enum First {}

/// Whether there is any.
pub(crate) enum Any {}

// Two lines of the cache.
const _: () = assert!(size_of::<Traveller<Option<Met>>>() == 128);

/// A question about many lines.
struct Together<'a, Q> {
    corners: &'a Corners,
    tree: &'a Tree,
    shots: &'a [Shot],
    question: PhantomData<Q>,
}

impl<Q: Question> Crowd for Together<'_, Q> {
    type Note = Q::Note;
    /// Leaves keep a processor busy: other lines would only push out what it knows of this one.
    const BY_TURNS: [usize; 2] = [1, 8];
    /// Between rays that leave a surface and those from anywhere to anywhere.
    const ALIKE: f32 = 0.2;
    #[inline(always)]
    fn leaf<L: SimdF32>(&mut self, traveller: &mut Traveller<Q::Note>, leaf: Leaf) -> ControlFlow<()> {
        let Traveller { line, end, number, note } = traveller;
        let asked = Asked::new(self.corners, self.tree, &self.shots[*number as usize]);
        asked.each::<L, Q>(line, leaf, end, note)
    }
    #[inline(always)]
    fn look<L: SimdF32>(
        &mut self,
        packet: &mut Packet,
        travellers: &mut [Traveller<Q::Note>],
        lanes: u32,
        leaf: Leaf,
    ) -> bool {
        let mut left = self.corners.near::<L>(leaf, packet);
        if left.count_ones() > lanes.count_ones() {
            return false;
        }
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            self.triangle::<L>((leaf, lane), packet, travellers, lanes);
        }
        true
    }
    #[inline(always)]
    fn aim(&self, number: u32) -> Option<(Aim, f32)> {
        let shot = &self.shots[number as usize];
        let aim = shot.aim();
        // By a closure it would be a call.
        if self.tree.is_ordinary(&aim) { Some((aim, shot.t_max)) } else { None }
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

impl<Q: Question> Together<'_, Q> {
    /// Looks at one triangle for some lines of a packet.
    #[inline(always)]
    fn triangle<L: SimdF32>(
        &self,
        place: Place,
        packet: &mut Packet,
        travellers: &mut [Traveller<Q::Note>],
        lanes: u32,
    ) {
        let faces = self.shots[packet.traveller(travellers, 0).number as usize].faces;
        let weighed = self.corners.weigh_many::<L>(place, packet, faces);
        let mut mask = weighed.maybe & lanes;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            let Traveller { end, number, note, .. } = packet.traveller(travellers, lane);
            let asked = Asked::new(self.corners, self.tree, &self.shots[*number as usize]);
            if asked.candidate::<Q>(&weighed, lane, place, packet.t_min[lane], end, note).is_break() {
                *end = f32::NEG_INFINITY;
            }
            packet.end[lane] = *end;
        }
    }
}

/// The triangles, and the line as it was given.
pub(crate) struct Asked<'a> {
    pub(crate) corners: &'a Corners,
    /// The number of each triangle, leaf by leaf.
    pub(crate) triangles: &'a [u32],
    pub(crate) shot: &'a Shot,
}

/// A leaf, and which of its triangles.
type Place = (Leaf, u32);

/// A triangle that is crossed within the range of the query.
#[derive(Clone, Copy)]
pub(crate) struct Met {
    /// Where it is.
    pub(crate) place: Place,
    /// Bounds of `t`.
    low: f32,
    high: f32,
}

impl<'a> Asked<'a> {
    #[inline(always)]
    pub(crate) fn new(corners: &'a Corners, tree: &'a Tree, shot: &'a Shot) -> Self {
        Self { corners, triangles: tree.parts(), shot }
    }

    /// Looks at the triangles of a leaf that the line may cross before `end`.
    #[inline(always)]
    pub(crate) fn each<L: SimdF32, Q: Question>(
        &self,
        line: &Single,
        leaf: Leaf,
        end: &mut f32,
        note: &mut Q::Note,
    ) -> ControlFlow<()> {
        if Q::NUMBERED {
            // It lies somewhere else, and comes while the corners are weighed.
            prefetch(&self.triangles[leaf.first()]);
        }
        let weighed = self.corners.weigh::<L, false>(leaf, line, *end, self.shot.faces);
        let mut mask = weighed.maybe;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            self.candidate::<Q>(&weighed, lane, (leaf, lane as u32), line.shear.t_min, end, note)?;
        }
        ControlFlow::Continue(())
    }

    /// Looks at a triangle that the line does not certainly miss.
    #[inline(always)]
    fn candidate<Q: Question>(
        &self,
        weighed: &Weighed,
        lane: usize,
        place: Place,
        t_min: f32,
        end: &mut f32,
        note: &mut Q::Note,
    ) -> ControlFlow<()> {
        let (low, high) = (weighed.range[0][lane], weighed.range[1][lane]);
        let is_in_range = (low > t_min) & (high < self.shot.t_max);
        let is_certain = (weighed.inside >> lane & 1 == 1) & is_in_range;
        let bounds = if is_certain { Some((low, high)) } else { self.bounds(place) };
        if let Some((low, high)) = bounds {
            let met = Met { place, low, high };
            Q::met(self, met, end, note)?;
        }
        ControlFlow::Continue(())
    }

    /// The first hit, as it is told.
    #[inline(always)]
    pub(crate) fn hit<V: Vector>(&self, best: &Option<Met>) -> Option<Hit<V>> {
        // Not by `map`: the closure would be a call. The corners are at hand, the mesh itself is somewhere in memory.
        let best = (*best)?;
        let (line, triangle) = (self.shot.raw().line(), self.triangle(best.place));
        let (at, doubtful) = known(&line, self.corners.of(best.place));
        // Two ways out, each of which writes where the hit is wanted: from where two ways meet it would be copied.
        if doubtful {
            return self.hit_in_doubt(best.place, triangle);
        }
        Some(hit(&line, triangle, &at))
    }

    #[cold]
    #[inline(never)]
    fn hit_in_doubt<V: Vector>(&self, place: Place, triangle: u32) -> Option<Hit<V>> {
        Some(self.crossing(place).known_hit(&self.shot.raw(), triangle))
    }

    #[inline(always)]
    fn crossing(&self, place: Place) -> Crossing {
        let corners = self.corners.of(place);
        Crossing { corners, query: self.shot.query(), rule: EdgeRule::Closed }
    }

    /// Its triangle and `t`.
    #[inline(always)]
    pub(crate) fn place(&self, best: &Option<Met>) -> Option<(u32, f64)> {
        let best = (*best)?;
        Some((self.triangle(best.place), self.crossing(best.place).known_t(&self.shot.raw())))
    }

    #[inline(always)]
    pub(crate) fn triangle(&self, (leaf, lane): Place) -> u32 {
        self.triangles[leaf.first() + lane as usize]
    }

    /// Bounds of `t` where `f32` is not certain.
    #[cold]
    #[inline(never)]
    fn bounds(&self, place: Place) -> Option<(f32, f32)> {
        let t = self.crossing(place).answer::<f32>(&self.shot.raw())?.t.to_f64();
        let bound = |t| HitCandidate { t, primitive: 0, at_start: false }.limit();
        Some((-above(bound(-t)), above(bound(t))))
    }

    /// Whether the new one is nearer than the old one, or as near with a lower number.
    #[inline(always)]
    fn beats(&self, new: &Met, old: &Met) -> bool {
        new.high < old.low || (new.low <= old.high && self.beats_exactly(new.place, old.place))
    }

    // Given what fits into registers: what a call looks at is kept in memory.
    #[cold]
    #[inline(never)]
    fn beats_exactly(&self, new: Place, old: Place) -> bool {
        let crossings = [new, old].map(|place| self.crossing(place));
        let planes = Planes(crossings.each_ref().map(|crossing| crossing.corners));
        let order = if planes.are_the_same() {
            Ordering::Equal
        } else {
            let [s, t] =
                crossings.each_ref().map(|crossing| crossing.answer::<f32>(&self.shot.raw()).map(|at| at.t.to_f64()));
            s.zip(t).and_then(|(s, t)| certain_order(s, t)).unwrap_or_else(|| {
                evaluate_adaptive(&planes, &self.shot.raw(), Precision::Single, &mut Trace::default())
            })
        };
        order.then(self.triangle(new).cmp(&self.triangle(old))).is_lt()
    }

    /// Remembers the nearest crossing; of equals the one with the lowest number.
    #[inline(always)]
    fn nearer(&self, met: Met, end: &mut f32, best: &mut Option<Met>) -> ControlFlow<()> {
        // Without a closure, which would copy the old one.
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

impl Question for First {
    type Note = Option<Met>;
    const NUMBERED: bool = true;
    #[inline(always)]
    fn met(asked: &Asked, met: Met, end: &mut f32, best: &mut Option<Met>) -> ControlFlow<()> {
        asked.nearer(met, end, best)
    }
    #[inline(never)]
    fn many(corners: &Corners, tree: &Tree, shots: &[Shot], stream: &mut Stream<Self::Note>) {
        let mut together = Together::<Self> { corners, tree, shots, question: PhantomData };
        stream.run(shots.len() as u32, tree, &mut together);
    }
}

impl Question for Any {
    type Note = bool;
    const NUMBERED: bool = false;
    #[inline(always)]
    fn met(_asked: &Asked, _met: Met, _end: &mut f32, found: &mut bool) -> ControlFlow<()> {
        *found = true;
        ControlFlow::Break(())
    }
    #[inline(never)]
    fn many(corners: &Corners, tree: &Tree, shots: &[Shot], stream: &mut Stream<Self::Note>) {
        let mut together = Together::<Self> { corners, tree, shots, question: PhantomData };
        stream.run(shots.len() as u32, tree, &mut together);
    }
}
