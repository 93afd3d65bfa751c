//! How a kernel answers every query.

#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
use super::abreast;
use super::candidate::Candidate;
#[cfg(not(feature = "small"))]
use super::climb::ask;
use super::kernel::Kernel;
#[cfg(not(feature = "small"))]
use super::queries::Contender;
use super::queries::Queries;
#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
use super::queries::one_by_one;
#[cfg(not(feature = "small"))]
use super::refine::Locate;
#[cfg(not(feature = "small"))]
use super::settle::{Contend, First};
use super::settle::{FullAnswer, Settled, settle};
#[cfg(feature = "small")]
use super::small::{first_settled, nearest_settled};
use crate::explain::Recorder;
#[cfg(not(feature = "small"))]
use crate::math::Precision;
use crate::math::{Exact, Line, Raw, Real, Vector, W, Wide};
use crate::{Aabb, Cast, Explanation, Hit, Origin, Query, Span};
use glam::DVec3;
use smallvec::SmallVec;

/// The full answer, whatever arithmetic it takes; nothing for what is not a ray.
#[inline(never)]
fn weighed<V: Vector>(
    shape: &dyn Settled,
    raw: &Raw,
    query: &Query<V::Scalar>,
    recorder: &mut Recorder,
) -> FullAnswer<DVec3> {
    shape.full(raw, &query.double(), V::Scalar::PRECISION, recorder)
}

/// The hits of a shape, beginning with that of `cast_ray`, bit for bit: it may have been answered in less arithmetic than
/// all together.
fn all<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &Line<W<V>>,
    query: &Query<V::Scalar>,
) -> SmallVec<[(W<V>, Hit<V>); 2]> {
    settle(shape, |settled| hits(settled, line, query, &|| shape.first(line, query)))
}

#[inline(never)]
fn hits<V: Vector>(
    shape: &dyn Settled,
    line: &Line<W<V>>,
    query: &Query<V::Scalar>,
    first: &dyn Fn() -> Option<Hit<V>>,
) -> SmallVec<[(W<V>, Hit<V>); 2]> {
    let hits = weighed::<V>(shape, &line.raw, query, &mut Recorder::default()).hits;
    let mut hits: SmallVec<[_; 2]> = hits.into_iter().map(|(t, hit)| (W::<V>::from_parts(t), hit.convert())).collect();
    if let (Some((_, hit)), Some(first)) = (hits.first_mut(), first()) {
        *hit = first;
    }
    hits
}

/// The stretch of the line inside a solid. Where it has a beginning, that is what `cast_ray` hits first when the inside is
/// solid, bit for bit.
fn stretch<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    line: &Line<W<V>>,
    query: &Query<V::Scalar>,
) -> Option<(W<V>, Span<V>)> {
    let first = || shape.first(line, &query.origin(Origin::Solid));
    settle(shape, |settled| beginning_with(settled, line, query, &first))
}

#[inline(never)]
fn beginning_with<V: Vector>(
    shape: &dyn Settled,
    line: &Line<W<V>>,
    query: &Query<V::Scalar>,
    first: &dyn Fn() -> Option<Hit<V>>,
) -> Option<(W<V>, Span<V>)> {
    let (t, span) = weighed::<V>(shape, &line.raw, query, &mut Recorder::default()).stretch?;
    let enter = span.enter.map(|enter| first().unwrap_or(enter.convert()));
    Some((W::<V>::from_parts(t), Span { enter, exit: span.exit.map(Hit::convert) }))
}

/// The same of a shape that is not settled yet: where the first arithmetic is in doubt.
#[cfg(not(feature = "small"))]
#[inline(never)]
fn settled_fully<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: &Raw,
    query: &Query<V::Scalar>,
) -> FullAnswer<DVec3> {
    settle(shape, |shape| weighed::<V>(shape, raw, query, &mut Recorder::default()))
}

#[cfg(not(feature = "small"))]
#[inline(always)]
fn first_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> Raw,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    let slowly = |raw| Some(settled_fully(shape, &raw, query).hits.first()?.1.convert());
    if V::Scalar::PRECISION == Precision::Single {
        return ask(&First(shape, query), &raw).unwrap_or_else(|| slowly(raw()));
    }
    let Some(found) = ask(&Locate(shape, query), &raw) else { return slowly(raw()) };
    let surely = |found| settle(shape, |shape| shape.first_surely(&raw(), &query.double(), &found)).map(Hit::convert);
    // A `t` near the ends of the range is not a number there, and nothing is hit.
    surely(found?).or_else(|| slowly(raw()))
}

/// A candidate in `f32` is all but a hit; in `f64` the digits of a hit are most of the work.
#[cfg(not(feature = "small"))]
#[inline(always)]
fn contender<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> Raw,
    query: &Query<V::Scalar>,
) -> Option<Contender<V>> {
    let slowly = |raw| {
        let full = settled_fully(shape, &raw, query);
        let (t, hit) = full.hits.first()?;
        let candidate = Candidate { t: Wide::from_parts(*t), primitive: 0, at_start: full.at_start };
        Some((candidate, Some(hit.convert())))
    };
    if V::Scalar::PRECISION == Precision::Single {
        return ask(&Contend(shape, query), &raw).unwrap_or_else(|| slowly(raw()));
    }
    let Some(found) = ask(&Locate(shape, query), &raw) else { return slowly(raw()) };
    let surely = |found| settle(shape, |shape| shape.nearest_surely(&raw(), &query.double(), &found));
    surely(found?).map(|candidate| (candidate.convert(), None)).or_else(|| slowly(raw()))
}

/// Whether there is a hit: without its digits.
#[cfg(not(feature = "small"))]
#[inline(always)]
fn any_hit<V: Vector, K: Kernel<Vector = V>>(shape: &K, raw: impl Fn() -> Raw, query: &Query<V::Scalar>) -> bool {
    let found = ask(&Locate(shape, query), &raw).map(|found| found.is_some());
    found.unwrap_or_else(|| !settled_fully(shape, &raw(), query).hits.is_empty())
}

/// The same by the code for `f64`, which `f32` shares: the first arithmetic does not tell them apart.
#[cfg(feature = "small")]
#[inline(never)]
fn first_hit<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> Raw,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    settle(shape, |shape| first_settled(shape, &raw(), &query.double(), V::Scalar::PRECISION)).map(Hit::convert)
}

#[cfg(feature = "small")]
fn any_hit<V: Vector, K: Kernel<Vector = V>>(shape: &K, raw: impl Fn() -> Raw, query: &Query<V::Scalar>) -> bool {
    nearest(shape, raw, query).is_some()
}

#[cfg(feature = "small")]
#[inline(never)]
fn nearest<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    raw: impl Fn() -> Raw,
    query: &Query<V::Scalar>,
) -> Option<Candidate<W<V>>> {
    let found = settle(shape, |shape| nearest_settled(shape, &raw(), &query.double(), V::Scalar::PRECISION));
    found.map(Candidate::convert)
}

impl<V: Vector, K: Kernel<Vector = V>> Queries<V> for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn bounding_box(&self) -> Aabb<V> {
        self.bounds()
    }
    fn contains_point(&self, point: V) -> bool {
        settle(self, |shape| shape.holds(point.to_f64(), V::Scalar::PRECISION))
    }
    #[cfg(not(feature = "small"))]
    #[inline]
    fn contender(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _limit: f64) -> Option<Contender<V>> {
        contender(self, || line.raw, query)
    }
    #[cfg(not(feature = "small"))]
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, limit: f64) -> Option<Candidate<W<V>>> {
        self.contender(line, query, limit).map(|(candidate, _)| candidate)
    }
    #[cfg(feature = "small")]
    fn candidate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _limit: f64) -> Option<Candidate<W<V>>> {
        nearest(self, || line.raw, query)
    }
    fn finish(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Hit<V>> {
        self.first(line, query)
    }
    #[inline]
    fn first(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        first_hit(self, || line.raw, query)
    }
    #[inline]
    fn cast(&self, cast: &impl Cast<V>, query: &Query<V::Scalar>) -> Option<Hit<V>> {
        first_hit(self, || cast.raw(), query)
    }
    #[inline]
    fn meets(&self, cast: &impl Cast<V>, query: &Query<V::Scalar>) -> bool {
        any_hit(self, || cast.raw(), query)
    }
    #[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
    fn cast_each(&self, casts: &[impl Cast<V>], query: &Query<V::Scalar>, out: &mut [Option<Hit<V>>]) {
        // Digits of `f64` take finer arithmetic for each line by itself, which takes longer than to find where they are.
        if K::ABREAST && V::Scalar::PRECISION == Precision::Single {
            abreast::cast_each(self, casts, query, out);
        } else {
            one_by_one(self, casts, query, out);
        }
    }
    #[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
    fn meets_each(&self, casts: &[impl Cast<V>], query: &Query<V::Scalar>, out: &mut [bool]) {
        if K::ABREAST && V::Scalar::PRECISION == Precision::Single {
            abreast::meets_each(self, casts, query, out);
        } else {
            casts.iter().zip(out).for_each(|(cast, out)| *out = self.meets(cast, query));
        }
    }
    fn every(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Hit<V>)) {
        all(self, line, query).into_iter().for_each(|(t, hit)| out(t, hit));
    }
    fn exact_first(&self, line: &Line<Exact>, query: &Query<V::Scalar>, _found: &Candidate<W<V>>) -> Option<Exact> {
        let mut first = None;
        self.exact_every(line, query, &mut |t| first = first.or(Some(t)));
        first
    }
    fn exact_every(&self, line: &Line<Exact>, query: &Query<V::Scalar>, out: &mut dyn FnMut(Exact)) {
        settle(self, |shape| shape.exact_every(line, &query.double(), out));
    }
    fn count(&self, line: &Line<W<V>>, query: &Query<V::Scalar>) -> usize {
        all(self, line, query).len()
    }
    fn stretches(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, out: &mut dyn FnMut(W<V>, Span<V>)) {
        stretch(self, line, query).into_iter().for_each(|(t, span)| out(t, span));
    }
    fn narrate(&self, line: &Line<W<V>>, query: &Query<V::Scalar>, explanation: &mut Explanation) {
        settle(self, |shape| narrated::<V>(shape, line, query, explanation));
    }
}

#[inline(never)]
fn narrated<V: Vector>(
    shape: &dyn Settled,
    line: &Line<W<V>>,
    query: &Query<V::Scalar>,
    explanation: &mut Explanation,
) {
    if !line.is_valid() {
        explanation.verdict("not a ray: its direction is zero, or a number of it is not finite");
        return;
    }
    let mut recorder = Recorder::writing();
    weighed::<V>(shape, &line.raw, query, &mut recorder);
    explanation.append(recorder);
}

#[cfg(all(test, not(feature = "small")))]
mod tests {
    use super::*;
    use crate::{Capsule, Cone, Cuboid, Cylinder, Disk, Ellipsoid, Ray, Sphere};
    use glam::Vec3;

    /// Rays from `far` sizes away: directions on a spiral, and places in the shape, spread evenly.
    fn ray(i: u32, far: f32) -> Ray<Vec3> {
        let spread = |step: f32| (i as f32 * step).fract() * 2.0 - 1.0;
        let (height, around) = (spread(0.618_034), core::f32::consts::PI * spread(0.414_214));
        let wide = (1.0 - height * height).sqrt();
        let from = Vec3::new(wide * around.cos(), wide * around.sin(), height) * far;
        let at = Vec3::new(spread(0.754_878), spread(0.569_840), spread(0.819_173)) * 0.5;
        Ray::new(from, (at - from).normalize())
    }

    /// How many of 1000 rays are in doubt in the first arithmetic.
    fn doubts(shape: &impl Kernel<Vector = Vec3>, far: f32) -> usize {
        (0..1000).filter(|i| ask(&First(shape, &Query::new()), || ray(*i, far).raw()).is_none()).count()
    }

    /// What a scene is told of a shape is what the shape tells, also from inside, along a face, and where it is in doubt.
    #[test]
    fn contenders_are_first_hits() {
        fn check<K: Kernel<Vector: Vector>>(shape: &K, rays: impl Iterator<Item = Ray<K::Vector>>) -> usize {
            let query = Query::new();
            let same = |ray: Ray<K::Vector>| {
                let (line, first) = (ray.line(), shape.cast(&ray, &query));
                let contender = shape.contender(&line, &query, f64::INFINITY);
                let told = contender.and_then(|(at, hit)| hit.or_else(|| shape.finish(&line, &query, &at)));
                assert_eq!(told, first, "{ray:?}");
                usize::from(first.is_some())
            };
            rays.map(same).sum()
        }
        let (a, b) = (Vec3::new(-0.1, -0.3, -0.4), Vec3::new(0.2, 0.3, 0.5));
        for far in [0.1, 3.0, 1e6] {
            let rays = || (0..1000).map(|i| ray(i, far));
            let mut hits = check(&Sphere::new(Vec3::ZERO, 0.5).unwrap(), rays());
            hits += check(&Capsule::new(a, b, 0.3).unwrap(), rays());
            hits += check(&Cylinder::new(a, b, 0.3).unwrap(), rays());
            hits += check(&Cone::new(a, b, 0.4).unwrap(), rays());
            hits += check(&Disk::new(Vec3::ZERO, b, 0.5).unwrap(), rays());
            hits += check(&Cuboid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), rays());
            hits += check(&Ellipsoid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), rays());
            assert!((1000..7000).contains(&hits), "{far}: {hits}");
        }
        let fine = (0..1000).map(|i| ray(i, 3.0)).map(|ray| Ray::new(ray.origin.as_dvec3(), ray.direction.as_dvec3()));
        let hits = check(&Sphere::new(DVec3::ZERO, 0.5).unwrap(), fine);
        assert!((100..1000).contains(&hits), "{hits}");
    }

    /// Bounds that grow with the square of the distance would leave every hit from some hundred sizes away to finer
    /// arithmetic, which takes eight times as long.
    #[test]
    fn rays_from_afar_stay_in_the_first_arithmetic() {
        let (a, b) = (Vec3::new(-0.1, -0.3, -0.4), Vec3::new(0.2, 0.3, 0.5));
        for far in [3.0, 30.0, 300.0, 1000.0] {
            let shapes = [
                doubts(&Sphere::new(Vec3::ZERO, 0.5).unwrap(), far),
                doubts(&Capsule::new(a, b, 0.3).unwrap(), far),
                doubts(&Cylinder::new(a, b, 0.3).unwrap(), far),
                doubts(&Cone::new(a, b, 0.4).unwrap(), far),
                doubts(&Disk::new(Vec3::ZERO, b, 0.5).unwrap(), far),
                doubts(&Cuboid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), far),
                doubts(&Ellipsoid::new(Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5)).unwrap(), far),
            ];
            assert!(shapes.iter().all(|doubts| *doubts <= 10), "{far}: {shapes:?} of 1000");
        }
    }
}
