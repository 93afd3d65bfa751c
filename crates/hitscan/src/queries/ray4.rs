//! Many lines and one shape: four at a time in plain `f64`, the kernel as it is written.
//!
//! A kernel decides for the first of four lines. Those for which it would have decided otherwise stray, and come to their
//! own answer later: among other strays first, for they part from the first ones in the same few ways; those that are left,
//! and those in doubt, alone.

use crate::hit::Hit;
use crate::kernel::crossing::Normal;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange, first_of};
use crate::math::observer::FilterFlag;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::queries::closest_hit::closest_hit;
use crate::queries::hit4::Rows;
use crate::queries::ray_queries::RayQueries;
use crate::query::Query;
use crate::ray::RayLike;
use crate::simd::f64x4::{F64x4, FourTask, abreast};

/// Lines side by side.
const LANES: usize = 4;

/// Lines that are sorted out together: their strays are some dozens.
const BLOCK: usize = 256;

/// So often strays come together.
const ROUNDS: usize = 3;

/// Where too many stray, so many blocks after them are not tried together.
const APART: usize = 63;

/// Where more than two in five stray, lines are faster alone.
#[inline(always)]
fn too_many(strays: usize, lines: usize) -> bool {
    5 * strays > 2 * lines
}

/// Lines of one kind, rays or segments, axis by axis.
struct Lines {
    origin: [[f64; BLOCK]; 3],
    target: [[f64; BLOCK]; 3],
    /// Those that have no answer yet.
    waiting: [usize; BLOCK],
    count: usize,
    /// What all have in common: the range of `t`.
    kind: InputRay,
}

impl Lines {
    fn new() -> Self {
        let rows = [[0.0; BLOCK]; 3];
        Self { origin: rows, target: rows, waiting: [0; BLOCK], count: 0, kind: InputRay::point([0.0; 3]) }
    }

    fn set<V: Vector>(&mut self, casts: &[impl RayLike<V>]) {
        self.count = casts.len().min(BLOCK);
        let ([x, y, z], [to_x, to_y, to_z]) = (&mut self.origin, &mut self.target);
        for (i, cast) in casts.iter().enumerate().take(BLOCK) {
            let InputRay { origin, target, .. } = cast.raw();
            [x[i], y[i], z[i]] = origin;
            [to_x[i], to_y[i], to_z[i]] = target;
            self.waiting[i] = i;
        }
        self.kind = casts[0].raw();
    }

    /// Four of them as one.
    #[inline(always)]
    fn four(&self, who: [usize; LANES]) -> WorkingRay<F64x4> {
        let [x, y, z] = &self.origin;
        let origin = Vec3::new(row(x, who), row(y, who), row(z, who));
        let [x, y, z] = &self.target;
        let target = Vec3::new(row(x, who), row(y, who), row(z, who));
        WorkingRay { origin, direction: if self.kind.is_segment { target - origin } else { target }, raw: self.kind }
    }
}

#[inline(always)]
fn row(numbers: &[f64; BLOCK], [a, b, c, d]: [usize; LANES]) -> F64x4 {
    match numbers.get(a..a + LANES) {
        // As they are at first.
        Some(&[x, y, z, w]) if (b, c, d) == (a + 1, a + 2, a + 3) => F64x4::load(&[x, y, z, w]),
        _ => F64x4::load(&[numbers[a % BLOCK], numbers[b % BLOCK], numbers[c % BLOCK], numbers[d % BLOCK]]),
    }
}

/// What is asked of each line.
trait Each {
    type Answer;
    /// The answers for four lines.
    type Answers;
    const MISS: Self::Answer;
    fn evaluate(&self, line: &WorkingRay<F64x4>, observer: &mut FilterFlag) -> Self::Answers;
    /// That of one lane.
    fn answer(&self, answers: &Self::Answers, lane: usize) -> Self::Answer;
}

/// Asks about the lines that are waiting. Those that then still are have to be asked alone.
struct Asked<'a, E: Each> {
    lines: &'a mut Lines,
    each: &'a E,
    out: &'a mut [E::Answer],
}

impl<E: Each> FourTask for Asked<'_, E> {
    #[inline(always)]
    fn run(mut self) {
        for _ in 0..ROUNDS {
            if self.lines.count < LANES || self.round() {
                return;
            }
        }
    }
}

impl<E: Each> Asked<'_, E> {
    /// Answers the lines that are waiting, but for strays. Whether there are more than pays.
    #[inline(always)]
    fn round(&mut self) -> bool {
        let count = self.lines.count;
        let (mut strays, mut next) = (0, 0);
        while next < count {
            let waiting = &mut self.lines.waiting;
            // The last one is repeated.
            let mut who = [waiting[count - 1]; LANES];
            let lanes = LANES.min(count - next);
            who[..lanes].copy_from_slice(&waiting[next..next + lanes]);
            next += lanes;
            let mut watch = FilterFlag::default();
            let line = self.lines.four(who);
            F64x4::gather();
            let answers = self.each.evaluate(&line, &mut watch);
            let [together, missed] = F64x4::together_and_missed();
            for (i, &at) in who[..lanes].iter().enumerate() {
                if watch.is_uncertain || (together | missed) >> i & 1 == 0 {
                    self.lines.waiting[strays] = at;
                    strays += 1;
                } else if missed >> i & 1 != 0 {
                    self.out[at] = E::MISS;
                } else {
                    self.out[at] = self.each.answer(&answers, i);
                }
            }
        }
        self.lines.count = strays;
        too_many(strays, count)
    }
}

/// The first hit of a line that strays: not by [`RayQueries::cast`](super::Queries::cast), which would then have two callers in a
/// program that casts rays one by one, too, and be inlined into neither.
#[inline(never)]
fn alone<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    cast: &impl RayLike<V>,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    closest_hit(shape, || cast.raw(), query)
}

/// The first hit.
struct Hits<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> Each for Hits<'_, K> {
    type Answer = Option<Hit<K::Vector>>;
    type Answers = Option<Rows<<K::Vector as Vector>::Scalar>>;
    const MISS: Self::Answer = None;

    #[inline(always)]
    fn evaluate(&self, line: &WorkingRay<F64x4>, observer: &mut FilterFlag) -> Self::Answers {
        let Self(shape, query) = *self;
        let meet = shape.intersect(line, observer)?;
        let found = first_of(shape, &meet, &TRange::new(line, query), query, observer)?;
        let back = match &found {
            BoundaryHit::Enter(_) if K::SOLID => 0,
            BoundaryHit::Enter(at) => !at.sign.negative(),
            _ => !0,
        };
        let (normal, uv) = match &found {
            BoundaryHit::Inside(_) => (Normal::Along(-line.direction), None),
            BoundaryHit::Enter(at) | BoundaryHit::Exit(at) => {
                (shape.normal(&meet.state, at), shape.uv(&meet.state, at))
            }
        };
        Some(Rows::new(line, found.t(), &normal, back, uv))
    }

    #[inline(always)]
    fn answer(&self, rows: &Self::Answers, lane: usize) -> Self::Answer {
        rows.as_ref().map(|rows| rows.hit(lane))
    }
}

/// Whether there is a hit.
struct Meets<'a, K: Kernel>(&'a K, &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> Each for Meets<'_, K> {
    type Answer = bool;
    type Answers = bool;
    const MISS: bool = false;

    #[inline(always)]
    fn evaluate(&self, line: &WorkingRay<F64x4>, observer: &mut FilterFlag) -> bool {
        let Self(shape, query) = *self;
        let Some(meet) = shape.intersect(line, observer) else { return false };
        first_of(shape, &meet, &TRange::new(line, query), query, observer).is_some()
    }
    #[inline(always)]
    fn answer(&self, any: &bool, _lane: usize) -> bool {
        *any
    }
}

/// Answers for all lines, block by block; for each line `alone` where that is faster.
#[inline]
fn answer<C: RayLike<V>, V: Vector, E: Each>(
    each: &E,
    casts: &[C],
    out: &mut [E::Answer],
    alone: impl Fn(&C) -> E::Answer,
) {
    let (mut lines, mut apart) = (Lines::new(), if casts.len() < LANES { usize::MAX } else { 0 });
    for (casts, out) in casts.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        if apart > 0 {
            casts.iter().zip(out).for_each(|(cast, out)| *out = alone(cast));
            apart -= 1;
            continue;
        }
        lines.set(casts);
        if !abreast(Asked { lines: &mut lines, each, out }) {
            apart = usize::MAX;
        } else if too_many(lines.count, casts.len()) {
            apart = APART;
        }
        lines.waiting[..lines.count].iter().for_each(|&i| out[i] = alone(&casts[i]));
    }
}

/// The first hit of each line.
#[inline]
pub(crate) fn cast_closest_each<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    casts: &[impl RayLike<V>],
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    answer(&Hits(shape, query), casts, out, |cast| alone(shape, cast, query));
}

/// Whether each line meets the shape.
#[inline]
pub(crate) fn cast_any_each<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    casts: &[impl RayLike<V>],
    query: &Query<V::Scalar>,
    out: &mut [bool],
) {
    answer(&Meets(shape, query), casts, out, |cast| shape.cast_any(cast, query));
}
