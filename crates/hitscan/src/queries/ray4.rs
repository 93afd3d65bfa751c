//! Batch queries on one shape, four rays at a time in SIMD lanes of plain `f64`.
//!
//! The kernel branches on lane 0. Rays that would take another branch have diverged: they are re-queued and retried in
//! new groups of four, for diverged rays tend to take the same few branches. Rays that are still diverged or uncertain
//! after that are cast one at a time.

use crate::hit::Hit;
use crate::kernel::crossing::Normal;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange, first_of};
use crate::math::observer::FilterFlag;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::queries::box_filter::{BLOCK, BoxFilter};
use crate::queries::closest_hit::closest_hit;
use crate::queries::hit4::Hit4;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use crate::simd::f64x4::{F64x4, FourTask, dispatch_four};
use alloc::vec::Vec;

/// Rays in a group.
const RAYS: usize = 4;

/// Maximum number of rounds of four-wide evaluation for one block.
const ROUNDS: usize = 3;

/// Blocks that are cast one ray at a time after a block in which too many rays diverged.
const BACKOFF_BLOCKS: usize = 63;

/// Whether more than two rays in five have diverged: from there on, casting one ray at a time is faster.
#[inline(always)]
fn diverged_too_often(diverged: usize, lines: usize) -> bool {
    5 * diverged > 2 * lines
}

/// Block of rays, or of segments, as structure of arrays.
struct Lines {
    origin: [[f64; BLOCK]; 3],
    target: [[f64; BLOCK]; 3],
    /// [`TRange::ends`] of each ray; empty if rays have no ranges of their own.
    ends: Vec<[f64; 3]>,
    /// Places of the rays in the block.
    places: [usize; BLOCK],
    /// Indices of the rays without a result.
    waiting: [usize; BLOCK],
    count: usize,
    /// Ray that stands for all in their common fields: ray or segment, and the range of `t` if `ends` is empty.
    kind: InputRay,
}

impl Lines {
    fn new() -> Self {
        let rows = [[0.0; BLOCK]; 3];
        Self {
            origin: rows,
            target: rows,
            ends: Vec::new(),
            places: core::array::from_fn(|i| i),
            waiting: [0; BLOCK],
            count: 0,
            kind: InputRay::point([0.0; 3]),
        }
    }

    /// Loads the rays of these first [`places`](Self::places).
    fn set<V: Vector>(&mut self, count: usize, rays: RaySlice<'_, V>, query: &Query<V::Scalar>) {
        self.count = count;
        // One loop for each kind of rays.
        match rays {
            RaySlice::Rays(rays) => self.set_numbers(rays),
            RaySlice::Segments(segments) => self.set_numbers(segments),
            RaySlice::RangedRays(rays) => self.set_numbers(rays),
            RaySlice::RangedSegments(segments) => self.set_numbers(segments),
            RaySlice::Limited(rays) => self.set_numbers::<V>(rays),
        }
        self.kind = rays.raw(0);
        self.ends.clear();
        if rays.is_ranged() {
            let ends = |&i: &usize| TRange::<f64>::new(&rays.raw(i).line(), query).ends();
            self.ends.extend(self.places[..self.count].iter().map(ends));
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn set_numbers<V: Vector>(&mut self, rays: &[impl RayLike<V>]) {
        let ([x, y, z], [to_x, to_y, to_z]) = (&mut self.origin, &mut self.target);
        for (i, &place) in self.places[..self.count].iter().enumerate() {
            let InputRay { origin, target, .. } = rays[place].raw();
            [x[i], y[i], z[i]] = origin;
            [to_x[i], to_y[i], to_z[i]] = target;
            self.waiting[i] = i;
        }
    }

    /// Group of four rays, one per lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn four(&self, who: [usize; RAYS]) -> WorkingRay<F64x4> {
        let [x, y, z] = &self.origin;
        let origin = Vec3::new(row(x, who), row(y, who), row(z, who));
        let [x, y, z] = &self.target;
        let target = Vec3::new(row(x, who), row(y, who), row(z, who));
        WorkingRay { origin, direction: if self.kind.is_segment { target - origin } else { target }, raw: self.kind }
    }

    /// Ranges of a group, one per lane. `common` is that of the query, for rays without their own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ranges(&self, who: [usize; RAYS], common: &TRange<F64x4>) -> TRange<F64x4> {
        if self.ends.is_empty() {
            return *common;
        }
        let [a, b, c, d] = who.map(|i| self.ends[i]);
        let [min, max, lowest] = [0, 1, 2].map(|end| [a[end], b[end], c[end], d[end]]);
        let ends = [F64x4::load(&min), F64x4::load(&max), F64x4::load(&lowest)];
        TRange::with_ends(ends, self.kind.largest)
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn row(numbers: &[f64; BLOCK], [a, b, c, d]: [usize; RAYS]) -> F64x4 {
    match numbers.get(a..a + RAYS) {
        // First round: the four indices are consecutive.
        Some(&[x, y, z, w]) if (b, c, d) == (a + 1, a + 2, a + 3) => F64x4::load(&[x, y, z, w]),
        _ => F64x4::load(&[numbers[a % BLOCK], numbers[b % BLOCK], numbers[c % BLOCK], numbers[d % BLOCK]]),
    }
}

/// Query on one ray, evaluated for four.
trait FourQuery {
    type Answer;
    /// Results of four rays.
    type Answers;
    const MISS: Self::Answer;
    /// Range of rays without their own.
    fn range(&self, line: &WorkingRay<F64x4>) -> TRange<F64x4>;
    fn evaluate(&self, line: &WorkingRay<F64x4>, ranges: &TRange<F64x4>, observer: &mut FilterFlag) -> Self::Answers;
    /// Result of one lane.
    fn answer(&self, answers: &Self::Answers, lane: usize) -> Self::Answer;
}

/// Four-wide evaluation of a block. The indices that remain in `lines.waiting` are cast one at a time.
struct BatchQueries<'a, E: FourQuery> {
    lines: &'a mut Lines,
    query: &'a E,
    out: &'a mut [E::Answer],
}

impl<E: FourQuery> FourTask for BatchQueries<'_, E> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(mut self) {
        for _ in 0..ROUNDS {
            if self.lines.count < RAYS || self.round() {
                return;
            }
        }
    }
}

impl<E: FourQuery> BatchQueries<'_, E> {
    /// One round over the rays without a result; diverged and uncertain rays stay in the queue. Returns whether too
    /// many diverged.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn round(&mut self) -> bool {
        let count = self.lines.count;
        // Rays that have no range of their own share that of the query.
        let (mut diverged, mut next) = (0, 0);
        let common = self.query.range(&self.lines.kind.line());
        while next < count {
            let waiting = &mut self.lines.waiting;
            // An incomplete group repeats the last ray.
            let mut who = [waiting[count - 1]; RAYS];
            let lanes = RAYS.min(count - next);
            who[..lanes].copy_from_slice(&waiting[next..next + lanes]);
            next += lanes;
            // The kernel runs once for four rays. It follows the branches of the leading lane.
            let mut flag = FilterFlag::default();
            let (line, ranges) = (self.lines.four(who), self.lines.ranges(who, &common));
            F64x4::reset_masks();
            let answers = self.query.evaluate(&line, &ranges, &mut flag);
            let [active, missed] = F64x4::lane_masks();
            // Each lane has a result, has missed, or has diverged. An uncertain filter discards all four.
            let places = who.map(|at| self.lines.places[at]);
            for (i, (&at, place)) in who[..lanes].iter().zip(places).enumerate() {
                if flag.is_uncertain || (active | missed) >> i & 1 == 0 {
                    self.lines.waiting[diverged] = at;
                    diverged += 1;
                } else if missed >> i & 1 != 0 {
                    self.out[place] = E::MISS;
                } else {
                    self.out[place] = self.query.answer(&answers, i);
                }
            }
        }
        // The rays left are the queue of the next round.
        self.lines.count = diverged;
        diverged_too_often(diverged, count)
    }
}

/// Closest hit of a diverged ray. It does not call [`Shape::cast_closest`]: with a second caller, that would not
/// be inlined into programs that also cast rays one by one.
#[inline(never)]
fn single<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    ray: &dyn RayLike<V>,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    closest_hit(shape, || ray.raw(), query)
}

/// Closest-hit query.
struct ClosestHits<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> FourQuery for ClosestHits<'_, K> {
    type Answer = Option<Hit<K::Vector>>;
    type Answers = Option<Hit4<<K::Vector as Vector>::Scalar>>;
    const MISS: Self::Answer = None;

    #[inline(always)]
    fn range(&self, line: &WorkingRay<F64x4>) -> TRange<F64x4> {
        TRange::new(line, self.1)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn evaluate(&self, line: &WorkingRay<F64x4>, ranges: &TRange<F64x4>, observer: &mut FilterFlag) -> Self::Answers {
        let Self(shape, query) = *self;
        // The kernel as for one ray: the crossings of the line, and the first of them in the range.
        let meet = shape.intersect(line, observer)?;
        let found = first_of(shape, &meet, ranges, query, observer)?;
        // The side: an entry into a solid is at its front, an exit at its back; a surface shows the side that it turns
        // to the ray.
        let back = match &found {
            BoundaryHit::Enter(_) if K::SOLID => 0,
            BoundaryHit::Enter(at) => !at.sign.negative(),
            _ => !0,
        };
        // A start inside has the normal against the ray.
        let (normal, uv) = match &found {
            BoundaryHit::Inside(_) => (Normal::Direction(-line.direction), None),
            BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => {
                (shape.normal(&meet.state, at), shape.uv(&meet.state, at))
            }
        };
        Some(Hit4::new(line, found.t(), &normal, back, uv))
    }

    #[inline(always)]
    fn answer(&self, rows: &Self::Answers, lane: usize) -> Self::Answer {
        rows.as_ref().map(|rows| rows.hit(lane))
    }
}

/// Any-hit query.
struct AnyHits<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> FourQuery for AnyHits<'_, K> {
    type Answer = bool;
    type Answers = bool;
    const MISS: bool = false;

    #[inline(always)]
    fn range(&self, line: &WorkingRay<F64x4>) -> TRange<F64x4> {
        TRange::new(line, self.1)
    }

    #[inline(always)]
    fn evaluate(&self, line: &WorkingRay<F64x4>, ranges: &TRange<F64x4>, observer: &mut FilterFlag) -> bool {
        let Self(shape, query) = *self;
        let Some(meet) = shape.intersect(line, observer) else { return false };
        first_of(shape, &meet, ranges, query, observer).is_some()
    }
    #[inline(always)]
    fn answer(&self, any: &bool, _lane: usize) -> bool {
        *any
    }
}

/// Results of all rays, block by block, by four-wide evaluation; `single` casts one ray if that is faster.
#[inline]
fn run_query<V: Vector, E: FourQuery>(
    query: &E,
    (rays, settings): (RaySlice<'_, V>, &Query<V::Scalar>),
    mut filter: Option<BoxFilter>,
    out: &mut [E::Answer],
    single: impl Fn(&dyn RayLike<V>) -> E::Answer,
) {
    // Groups of less than four rays are cast one by one.
    let (mut lines, mut backoff) = (Lines::new(), if rays.len() < RAYS { usize::MAX } else { 0 });
    for (rays, out) in rays.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        // Rays that miss the bounding box have their result.
        let count = match &mut filter {
            Some(filter) => filter.candidates(rays, settings, &mut lines.places),
            None => rays.len(),
        };
        if count < rays.len() {
            out.iter_mut().for_each(|out| *out = E::MISS);
        }
        // After a block in which too many rays diverged, some blocks go one by one.
        if backoff > 0 {
            lines.places[..count].iter().for_each(|&i| out[i] = single(rays.get(i)));
            backoff -= 1;
            continue;
        }
        // The block as structure of arrays, evaluated in rounds. Without AVX2 no block can be.
        lines.set(count, rays, settings);
        if !dispatch_four(BatchQueries { lines: &mut lines, query, out }) {
            backoff = usize::MAX;
        } else if diverged_too_often(lines.count, count) {
            backoff = BACKOFF_BLOCKS;
        }
        // Rays that still have no result are cast alone.
        for &at in &lines.waiting[..lines.count] {
            let place = lines.places[at];
            out[place] = single(rays.get(place));
        }
    }
}

/// Closest hit of each ray.
#[inline]
pub(crate) fn cast_closest_each<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    let filter = BoxFilter::new(&shape.bounds(), rays);
    run_query(&ClosestHits(shape, query), (rays, query), filter, out, |ray| single(shape, ray, query));
}

/// Any hit of each ray.
#[inline]
pub(crate) fn cast_any_each<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [bool],
) {
    let filter = BoxFilter::new(&shape.bounds(), rays);
    run_query(&AnyHits(shape, query), (rays, query), filter, out, |ray| shape.cast_any(ray, query));
}
