//! Evaluations of one shape, generic over the arithmetic: closest hit, its `t`, all hits and the span, containment.

use crate::adaptive::stages::{Evaluate, evaluate_filter};
use crate::hit::{Hit, Side, Span};
use crate::kernel::candidate::HitCandidate;
use crate::kernel::crossing::{Crossing, Intersection, Normal, ShapeClass};
use crate::kernel::flat_shape::FlatShape;
use crate::kernel::hit_builder::hit_at;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::{BoundaryHit, TRange, TSpan, exit, first, first_of, hit, second, side, t_span};
use crate::math::arithmetic::Arithmetic;
use crate::math::filter_f64::FilterF64;
use crate::math::observer::{FilterFlag, Observer};
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::math::vector::Working;
use crate::math::working_ray::{InputRay, WorkingRay};
use crate::query::Query;
use crate::target::COMPACT;
use glam::DVec3;
use smallvec::SmallVec;

/// Number in two parts: see [`Arithmetic::parts`].
pub(crate) type TParts = (f64, f64);

// The most frequent queries have their own filter evaluations. If the filter is uncertain, [`Results`] replaces them.

/// Intersects the whole line with the shape. In `COMPACT` builds, all evaluations share one compiled body.
#[inline(always)]
fn intersect<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    line: &WorkingRay<T>,
    observer: &mut P,
) -> Option<Intersection<T, K::State<T>>> {
    if COMPACT { intersect_out_of_line(shape, line, observer) } else { shape.intersect(line, observer) }
}

#[inline(never)]
fn intersect_out_of_line<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    line: &WorkingRay<T>,
    observer: &mut P,
) -> Option<Intersection<T, K::State<T>>> {
    shape.intersect(line, observer)
}

/// Closest hit as a candidate, without its point and normal.
pub(crate) struct ClosestT<'a, K: Kernel>(pub(crate) &'a K, pub(crate) &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> Evaluate for ClosestT<'_, K> {
    type Output = Option<HitCandidate<Working<K::Vector>>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let intersection = intersect(self.0, line, observer)?;
        Some(HitCandidate::new(&first_of(self.0, &intersection, &TRange::new(line, self.1), self.1, observer)?))
    }
}

/// Closest hit.
pub(crate) struct ClosestHit<'a, K: Kernel>(pub(crate) &'a K, pub(crate) &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> Evaluate for ClosestHit<'_, K> {
    type Output = Option<Hit<K::Vector>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let meet = intersect(self.0, line, observer)?;
        let found = first_of(self.0, &meet, &TRange::new(line, self.1), self.1, observer)?;
        Some(hit(self.0, line, &meet.state, &found))
    }
}

/// Results of one shape. What is wanted is no type parameter: a kernel is compiled once for each arithmetic.
pub(crate) struct Results<'a, K: Kernel>(
    pub(crate) &'a K,
    pub(crate) &'a Query<<K::Vector as Vector>::Scalar>,
    pub(crate) Wanted,
);

/// What an evaluation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Whether there is a hit.
    Any,
    /// The number of hits.
    Count,
    /// The closest hit.
    Closest,
    /// All hits.
    Hits,
    /// The span.
    Span,
    /// `t` of both crossings of the whole line, whatever the range is.
    Ends,
}

impl Wanted {
    /// Whether hits or spans with points and normals are computed.
    pub(crate) fn has_hits(self) -> bool {
        matches!(self, Self::Closest | Self::Hits | Self::Span)
    }
    /// Whether both crossings of the line are needed.
    fn needs_exit(self) -> bool {
        matches!(self, Self::Count | Self::Hits | Self::Span | Self::Ends)
    }
}

/// Results of one shape; those of the slow path are in `f64` and in space for every shape.
pub(crate) struct ShapeResults<V: Vector = DVec3> {
    /// Hits by increasing `t`, each with its unrounded `t`.
    pub(crate) hits: SmallVec<[(TParts, Hit<V>); 2]>,
    /// Whether the first hit is the start of the range, inside the solid.
    pub(crate) at_start: bool,
    /// The span, with the unrounded `t` of its ends.
    pub(crate) span: Option<([TParts; 2], Span<V>)>,
    /// The number of hits, also where only that is wanted.
    pub(crate) count: usize,
    /// The faces at the ends of the span, where only these are wanted.
    pub(crate) faces: [u32; 2],
    /// Whether there is a span, also where it is not wanted.
    pub(crate) has_span: bool,
}

impl<V: Vector> Default for ShapeResults<V> {
    fn default() -> Self {
        Self { hits: SmallVec::new(), at_start: false, span: None, count: 0, faces: [0; 2], has_span: false }
    }
}

impl<V: Vector> ShapeResults<V> {
    /// Writes the wanted results of boundary hits in place, because a copy of a hit takes longer than its computation. `finish` completes
    /// one; `None` if it has no digits for one of them.
    #[inline(always)]
    pub(crate) fn write<T: Arithmetic, U: Vector>(
        &mut self,
        found: &BoundaryHits<T>,
        wanted: Wanted,
        finish: impl Fn(&BoundaryHit<T>) -> Option<(TParts, Hit<U>)>,
    ) -> Option<()> {
        self.at_start = matches!(found.one, Some(BoundaryHit::Inside(_)));
        (self.count, self.has_span) = (found.count(), found.span.is_some());
        match wanted {
            // A number of hits needs no point and no normal.
            Wanted::Any | Wanted::Count => {}
            Wanted::Closest | Wanted::Hits => {
                for found in [&found.one, &found.two].into_iter().flatten() {
                    let (t, hit) = finish(found)?;
                    self.hits.push((t, hit.convert()));
                }
            }
            Wanted::Ends => {
                let Some(TSpan { enter: Some(enter), exit: Some(exit), .. }) = &found.span else { return Some(()) };
                self.span = Some(([enter, exit].map(|end| end.t().parts()), Span { enter: None, exit: None }));
                self.faces = [enter, exit].map(BoundaryHit::face);
            }
            Wanted::Span => {
                let Some(span) = &found.span else { return Some(()) };
                let ends = [span.t.parts(), (f64::INFINITY, 0.0)];
                let (t, written) = self.span.insert((ends, Span { enter: None, exit: None }));
                if let Some(enter) = &span.enter {
                    let (refined, hit) = finish(enter)?;
                    (t[0], written.enter) = (refined, Some(hit.convert()));
                }
                if let Some(exit) = &span.exit {
                    let (refined, hit) = finish(exit)?;
                    (t[1], written.exit) = (refined, Some(hit.convert()));
                }
            }
        }
        Some(())
    }
}

impl<K: Kernel> Evaluate for Results<'_, K> {
    type Output = ShapeResults;
    #[inline(never)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let Self(shape, query, wanted) = *self;
        shape_results(shape, line, (query, wanted), observer, |state, found| finish(shape, line, state, found))
    }
}

/// Results of one ray and shape; `finish` completes a boundary hit.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn shape_results<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    line: &WorkingRay<T>,
    (query, wanted): (&Query<<K::Vector as Vector>::Scalar>, Wanted),
    observer: &mut P,
    finish: impl Fn(Option<&K::State<T>>, &BoundaryHit<T>) -> (TParts, Hit<K::Vector>),
) -> ShapeResults {
    // The range as the explanation shows it.
    let mut answer = ShapeResults::default();
    let range = TRange::new(line, query);
    observer.number("t_min", || range.min.to_f64());
    observer.number("t_max", || range.max.to_f64());
    // Which crossings count is decided here; the rest is numbers, completed from the same state of the kernel.
    if let Some((state, found)) = boundary_hits(shape, line, &range, (query, wanted), observer) {
        answer.write(&found, wanted, |found| Some(finish(state.as_ref(), found)));
    }
    answer
}

/// Hit of one boundary crossing, with its `t` to 106 bits. Not inlined: this is the slow path, and one body serves all calls.
/// Without a state the line runs in the surface, and the hit gets the reversed direction of the ray as its normal.
#[inline(never)]
pub(crate) fn finish<K: Kernel, T: Arithmetic>(
    shape: &K,
    line: &WorkingRay<T>,
    state: Option<&K::State<T>>,
    found: &BoundaryHit<T>,
) -> (TParts, Hit<K::Vector>) {
    let (normal, uv) = match (found, state) {
        (BoundaryHit::Enter(at) | BoundaryHit::Exit(at), Some(state)) => {
            (Some(shape.normal(state, at)), shape.uv(state, at))
        }
        _ => (None, None),
    };
    (found.t().parts(), complete(line, found.t(), normal, side::<K, T>(found), uv))
}

/// Hit of the slow path from its parts: the same for every shape.
#[inline(never)]
fn complete<V: Vector, T: Arithmetic>(
    line: &WorkingRay<T>,
    t: T,
    normal: Option<Normal<T>>,
    side: Side,
    uv: Option<[T; 2]>,
) -> Hit<V> {
    // Numbers with a bound of their error get the digits of a result here.
    if let Some(normal) = normal {
        let Vec3 { x, y, z } = normal.vector();
        T::check_digits(&[x, y, z]);
    }
    if let Some([u, v]) = uv {
        T::check_digits(&[T::ONE, u, v]);
    }
    let (point, distance) = line.at(t);
    T::check_digits(&[distance]);
    T::check_digits(&[distance, point.x, point.y, point.z]);
    hit_at(line, (t, point, distance), normal, side, uv)
}

/// The kernel's state, unless the line runs in a surface, and the hits.
type HitsOfLine<K, T> = (Option<<K as Kernel>::State<T>>, BoundaryHits<T>);

/// Boundary hits and span of one ray and shape, with the kernel's state; without a state for a line that runs in a surface.
#[inline(never)]
pub(crate) fn boundary_hits<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    line: &WorkingRay<T>,
    range: &TRange<T>,
    (query, wanted): (&Query<<K::Vector as Vector>::Scalar>, Wanted),
    observer: &mut P,
) -> Option<HitsOfLine<K, T>> {
    let Some(intersection) = intersect(shape, line, observer) else {
        // A line in a surface crosses it nowhere.
        let surface = if K::SOLID || !query.counts_coplanar() { None } else { shape.flat_shape() }?;
        return Some((None, hits_within_surface(&surface, line, range, (query, wanted), observer)?));
    };
    // For the closest hit, the exit is computed only if the entry does not count.
    if !wanted.needs_exit() {
        let one = first(
            &intersection.enter,
            |observer: &mut P| exit_out_of_line(shape, &intersection, observer),
            K::CLASS,
            range,
            query,
            observer,
        );
        return Some((Some(intersection.state), BoundaryHits { one, two: None, span: None }));
    }
    let exit = exit_out_of_line(shape, &intersection, observer);
    let hits = within_range([&intersection.enter, &exit], K::CLASS, range, query, observer);
    Some((Some(intersection.state), hits))
}

/// Boundary hits of a line that runs in a surface, as if that were a solid without thickness.
#[inline(never)]
fn hits_within_surface<T: Arithmetic, S: Real, P: Observer>(
    surface: &FlatShape,
    line: &WorkingRay<T>,
    range: &TRange<T>,
    (query, wanted): (&Query<S>, Wanted),
    observer: &mut P,
) -> Option<BoundaryHits<T>> {
    let [enter, exit] = surface.chord(line)?;
    let query = &query.within_surfaces();
    let hits = if wanted.needs_exit() {
        within_range([&enter, &exit], ShapeClass::Solid, range, query, observer)
    } else {
        let one = first(&enter, |_| exit, ShapeClass::Solid, range, query, observer);
        BoundaryHits { one, two: None, span: None }
    };
    // A surface has no inside, so the line has no span in it.
    observer.verdict(match hits.one {
        Some(_) => "hit: the line runs in the surface within the range of t",
        None => "no hit: the line runs in the surface, but not within the range of t",
    });
    Some(BoundaryHits { span: None, ..hits })
}

#[inline(never)]
fn exit_out_of_line<K: Kernel, T: Arithmetic, P: Observer>(
    shape: &K,
    intersection: &Intersection<T, K::State<T>>,
    observer: &mut P,
) -> Crossing<T> {
    exit(shape, intersection, observer)
}

/// Boundary hits of one shape within a range of `t`.
pub(crate) struct BoundaryHits<T> {
    pub(crate) one: Option<BoundaryHit<T>>,
    pub(crate) two: Option<BoundaryHit<T>>,
    pub(crate) span: Option<TSpan<T>>,
}

impl<T: Arithmetic> BoundaryHits<T> {
    /// Whether there is any hit or a span.
    pub(crate) fn is_any(&self) -> bool {
        self.one.is_some() || self.span.is_some()
    }
    pub(crate) fn count(&self) -> usize {
        usize::from(self.one.is_some()) + usize::from(self.two.is_some())
    }
}

/// The span of a whole line.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn ends_of_line<T: Arithmetic>(enter: Crossing<T>, exit: Crossing<T>) -> BoundaryHits<T> {
    let (t, exit) = (enter.t, Some(BoundaryHit::Exit(exit)));
    BoundaryHits { one: None, two: None, span: Some(TSpan { t, enter: Some(BoundaryHit::Enter(enter)), exit }) }
}

/// Applies the range of `t` to an intersection: one body for all shapes.
#[inline(never)]
pub(crate) fn within_range<T: Arithmetic, S: Real, P: Observer>(
    [enter, exit]: [&Crossing<T>; 2],
    class: ShapeClass,
    range: &TRange<T>,
    query: &Query<S>,
    observer: &mut P,
) -> BoundaryHits<T> {
    let one = first(enter, |_| *exit, class, range, query, observer);
    match class {
        ShapeClass::Solid => {
            observer.number("t where the line enters", || enter.t.to_f64());
            observer.number("t where it leaves", || exit.t.to_f64());
        }
        ShapeClass::Surface => observer.number("t where the line crosses", || enter.t.to_f64()),
    }
    observer.verdict(verdict(one.as_ref(), [enter, exit], class, range));
    let two = one.and_then(|one| second(exit, class, range, &one, observer));
    BoundaryHits { one, two, span: t_span([enter, exit], class, range, observer) }
}

fn verdict<T: Arithmetic>(
    found: Option<&BoundaryHit<T>>,
    [enter, exit]: [&Crossing<T>; 2],
    body: ShapeClass,
    limits: &TRange<T>,
) -> &'static str {
    match (found, body) {
        (Some(BoundaryHit::Inside(_)), _) => "hit: the range of t starts inside the solid",
        (Some(BoundaryHit::Enter(_)), ShapeClass::Solid) => "hit: the line enters within the range of t",
        (Some(BoundaryHit::Enter(_)), ShapeClass::Surface) => "hit: the line crosses within the range of t",
        (Some(BoundaryHit::Exit(_)), _) => "hit: the line leaves within the range of t",
        (None, _) if exit.t.lt(limits.min) => "no hit: the shape lies behind the range of t",
        (None, _) if enter.t.gt(limits.max) => "no hit: the shape lies beyond the range of t",
        (None, ShapeClass::Surface) => "no hit: the query excludes this side of the surface",
        (None, ShapeClass::Solid) => "no hit: the line crosses no boundary within the range of t",
    }
}

pub(crate) struct ContainsPoint<'a, K: Kernel>(pub(crate) &'a K);

impl<K: Kernel> Evaluate for ContainsPoint<'_, K> {
    type Output = bool;
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> bool {
        self.0.contains(line.origin, observer)
    }
}

/// Closest boundary hit, rounded to `f64`.
pub(crate) struct ClosestCrossing<'a, K: Kernel>(pub(crate) &'a K, pub(crate) &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> Evaluate for ClosestCrossing<'_, K> {
    type Output = Option<BoundaryHit<f64>>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let meet = intersect(self.0, line, observer)?;
        Some(first_of(self.0, &meet, &TRange::new(line, self.1), self.1, observer)?.rounded())
    }
}

/// Writes the wanted results of an `f64` shape to `out` if the filter is certain of them, else returns `None`. `refine` computes the digits
/// of a crossing. The first hit has the bits of the closest hit, which is computed in the same way.
pub(crate) fn filtered_results<K: Kernel>(
    shape: &K,
    input: &InputRay,
    (query, wanted): (&Query<<K::Vector as Vector>::Scalar>, Wanted),
    refine: impl Fn(&BoundaryHit<f64>) -> Option<(TParts, Hit<K::Vector>)>,
    out: &mut ShapeResults,
) -> Option<()> {
    let line = input.line::<FilterF64>();
    with_filtered_hits(shape, &line, (query, wanted), FilterFlag::default(), |_, found| {
        out.write(found, wanted, |found| refine(&found.rounded()))
    })
}

/// [`filtered_results`] of an `f32` shape, whose hits have all digits in the filter. Compiled once for each shape.
#[inline(never)]
pub(crate) fn filtered_results_f32<K: Kernel>(
    shape: &K,
    input: &InputRay,
    (query, wanted): (&Query<<K::Vector as Vector>::Scalar>, Wanted),
    out: &mut ShapeResults<K::Vector>,
) -> Option<()> {
    let line = input.line::<FilterF64>();
    with_filtered_hits(shape, &line, (query, wanted), FilterFlag::default(), |state, found| {
        out.write(found, wanted, |found| Some((found.t().parts(), hit(shape, &line, state, found))))
    })
}

/// Passes the state of the kernel and the boundary hits to `write`, if the filter is certain of them, else returns `None`. A certain
/// miss has nothing to write.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn with_filtered_hits<K: Kernel>(
    shape: &K,
    line: &WorkingRay<FilterF64>,
    (query, wanted): (&Query<<K::Vector as Vector>::Scalar>, Wanted),
    mut flag: FilterFlag,
    write: impl FnOnce(&K::State<FilterF64>, &BoundaryHits<FilterF64>) -> Option<()>,
) -> Option<()> {
    // The whole line, then the part within the range, as for the closest hit.
    let meet = intersect(shape, line, &mut flag);
    let found = meet.as_ref().map(|meet| {
        let exit = exit(shape, meet, &mut flag);
        if wanted == Wanted::Ends {
            return ends_of_line(meet.enter, exit);
        }
        within_range([&meet.enter, &exit], K::CLASS, &TRange::new(line, query), query, &mut flag)
    });
    if flag.is_uncertain {
        return None;
    }
    match (&meet, &found) {
        (Some(meet), Some(found)) => write(&meet.state, found),
        _ => Some(()),
    }
}

/// [`ClosestCrossing`] by the filter; `None` if that is uncertain. Compiled once for each shape: a call takes little beside the
/// digits of `f64` that follow.
#[inline(never)]
pub(crate) fn filtered_crossing<K: Kernel>(
    shape: &K,
    input: &InputRay,
    query: &Query<<K::Vector as Vector>::Scalar>,
) -> Option<Option<BoundaryHit<f64>>> {
    evaluate_filter(&ClosestCrossing(shape, query), || *input)
}

/// Closest hit as a candidate, with the hit.
pub(crate) struct ClosestWithHit<'a, K: Kernel>(pub(crate) &'a K, pub(crate) &'a Query<<K::Vector as Vector>::Scalar>);

impl<K: Kernel> Evaluate for ClosestWithHit<'_, K> {
    type Output = Option<(HitCandidate<Working<K::Vector>>, Hit<K::Vector>)>;
    #[inline(always)]
    fn evaluate<T: Arithmetic, P: Observer>(&self, line: &WorkingRay<T>, observer: &mut P) -> Self::Output {
        let meet = intersect(self.0, line, observer)?;
        let found = first_of(self.0, &meet, &TRange::new(line, self.1), self.1, observer)?;
        Some((HitCandidate::new(&found), hit(self.0, line, &meet.state, &found)))
    }
}
