//! Solids: expressions of shapes or instances, against logic on exact crossings.
//!
//! # Method
//! The ends of all leaves on the line are compared as surds. Logic says at each of them, and in each gap between two, whether the line is
//! inside; the spans follow from these bits. A span has the rules of a convex solid within the range of a query. The surface of each
//! hit must be that of the leaf that the library names, there, with the normal turned if the leaf is subtracted.

use crate::affine::PlainTransform;
use crate::body::{Body, World, vector};
use crate::case::{PlainHit, plain, query};
use crate::generate::{self, Family, TransformFamily};
use crate::instance::Instance;
use crate::intersection::{Bound, Intersection};
use crate::judge::{Comparison, Verdict};
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::{Exact, PlainQuery, Range, hits, span};
use crate::scenes;
use crate::surd::Surd;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Hit, Ray, RayCast, RayLike, Segment, Shape, Side, Solid};
use std::cmp::Ordering;
use std::fmt;
use test_support::random::Rng;

/// Expression of leaves.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Leaf(usize),
    Not(Box<Self>),
    Or(Box<[Self; 2]>),
    And(Box<[Self; 2]>),
    Minus(Box<[Self; 2]>),
}

impl Tree {
    /// Random expression of the leaves of a range, each once and in order.
    fn random(from: usize, to: usize, rng: &mut Rng) -> Self {
        let tree = if to - from == 1 {
            Self::Leaf(from)
        } else {
            let middle = from + 1 + rng.below(to - from - 1);
            let both = Box::new([Self::random(from, middle, rng), Self::random(middle, to, rng)]);
            match rng.below(4) {
                0 => Self::Or(both),
                1 => Self::And(both),
                _ => Self::Minus(both),
            }
        };
        if rng.once_in(8) { Self::Not(Box::new(tree)) } else { tree }
    }
    fn value(&self, leaf: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Leaf(number) => leaf(*number),
            Self::Not(tree) => !tree.value(leaf),
            Self::Or(both) => both[0].value(leaf) || both[1].value(leaf),
            Self::And(both) => both[0].value(leaf) && both[1].value(leaf),
            Self::Minus(both) => both[0].value(leaf) && !both[1].value(leaf),
        }
    }
    pub(crate) fn build<V: World>(&self, leaves: &[Solid<V>]) -> Solid<V> {
        let of = |tree: &Self| tree.build(leaves);
        match self {
            Self::Leaf(number) => leaves[*number].clone(),
            Self::Not(tree) => !of(tree),
            Self::Or(both) => of(&both[0]) | of(&both[1]),
            Self::And(both) => of(&both[0]) & of(&both[1]),
            Self::Minus(both) => of(&both[0]) - of(&both[1]),
        }
    }
    /// Notes for each leaf whether its inside is the outside of the solid.
    fn note_flips(&self, is_flipped: bool, flips: &mut [bool]) {
        match self {
            Self::Leaf(number) => flips[*number] = is_flipped,
            Self::Not(tree) => tree.note_flips(!is_flipped, flips),
            Self::Or(both) | Self::And(both) => both.iter().for_each(|tree| tree.note_flips(is_flipped, flips)),
            Self::Minus(both) => {
                both[0].note_flips(is_flipped, flips);
                both[1].note_flips(!is_flipped, flips);
            }
        }
    }
    /// The spans on the whole line of a solid whose leaves have these intersections, without the functions that are zero at their ends.
    pub(crate) fn spans(&self, leaves: &[Intersection<'_>]) -> Vec<Intersection<'static>> {
        // All ends in their order, each once.
        let mut ends: Vec<&Surd> = Vec::new();
        for leaf in leaves {
            let Intersection::Interval(enter, exit) = leaf else { continue };
            ends.extend([enter, exit].into_iter().flatten().map(|bound| &bound.at));
        }
        ends.sort_by(|a, b| a.order(b));
        ends.dedup_by(|a, b| a.order(b) == Ordering::Equal);
        // Place 2 k + 1 is end k, and place 2 k the gap before it.
        let place = |bound: &Option<Bound<'_>>, missing: usize| match bound {
            Some(bound) => 2 * ends.partition_point(|end| end.order(&bound.at) == Ordering::Less) + 1,
            None => missing,
        };
        let places: Vec<Option<[usize; 2]>> = leaves
            .iter()
            .map(|leaf| match leaf {
                Intersection::Interval(enter, exit) => Some([place(enter, 0), place(exit, 2 * ends.len())]),
                _ => None,
            })
            .collect();
        let is_in =
            |place: usize| self.value(&|leaf| places[leaf].is_some_and(|[from, to]| (from..=to).contains(&place)));
        let bound = |end: usize| Bound { at: ends[end].clone(), implicits: vec![] };
        let (mut spans, mut open) = (Vec::new(), is_in(0).then_some(None));
        for end in 0..ends.len() {
            let (here, after) = (is_in(2 * end + 1), is_in(2 * end + 2));
            match open.take() {
                Some(start) if after => open = Some(start),
                Some(start) => spans.push(Intersection::Interval(start, Some(bound(end)))),
                None if after => open = Some(Some(bound(end))),
                None if here => spans.push(Intersection::Interval(Some(bound(end)), Some(bound(end)))),
                None => {}
            }
        }
        spans.extend(open.map(|start| Intersection::Interval(start, None)));
        spans
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(number) => write!(f, "{number}"),
            Self::Not(tree) => write!(f, "!{tree}"),
            Self::Or(both) => write!(f, "({} | {})", both[0], both[1]),
            Self::And(both) => write!(f, "({} & {})", both[0], both[1]),
            Self::Minus(both) => write!(f, "({} - {})", both[0], both[1]),
        }
    }
}

/// A solid and a ray.
#[derive(Clone, Debug)]
pub struct SolidCase {
    precision: Precision,
    leaves: Vec<(Body, Option<PlainTransform>)>,
    tree: Tree,
    given: RayOrSegment,
    queries: Vec<PlainQuery>,
}

/// Hit of a solid, with the number of its leaf.
type SolidHit = (PlainHit, Option<u32>);

/// Answers of the library to one query.
#[derive(Clone, Debug)]
struct SolidAnswer {
    first: Option<SolidHit>,
    any: bool,
    all: Vec<SolidHit>,
    count: usize,
    spans: Vec<[Option<SolidHit>; 2]>,
}

/// Two to six leaves, most of which touch or coincide on the ray; None for surfaces, and if the numbers do not fit.
pub fn case(
    dim: usize,
    family: TransformFamily,
    rays: Family,
    precision: Precision,
    rng: &mut Rng,
) -> Option<SolidCase> {
    let pair = scenes::instances(dim, family, rays, precision, rng)?;
    let mut leaves = vec![(pair.first.body, pair.first.transform), (pair.second, pair.second_transform)];
    for _ in 0..rng.below(5) {
        let next = match rng.below(3) {
            0 => leaves[rng.below(leaves.len())].clone(),
            1 => {
                let (mut body, transform) = leaves[rng.below(leaves.len())].clone();
                let at = rng.below(body.numbers.len());
                body.numbers[at] = precision.nudge(body.numbers[at], rng.int(-1, 1));
                (body, transform)
            }
            _ => {
                let other = scenes::instances(dim, family, rays, precision, rng)?;
                (other.second, other.second_transform)
            }
        };
        leaves.push(next);
    }
    leaves.retain(|(body, _)| !body.kind.is_flat());
    if leaves.len() < 2 {
        return None;
    }
    let tree = Tree::random(0, leaves.len(), rng);
    Some(SolidCase { precision, leaves, tree, given: pair.first.given, queries: pair.first.queries })
}

impl SolidCase {
    /// The number of numbers of all leaves.
    pub fn size(&self) -> u32 {
        self.leaves.iter().map(|(body, _)| body.numbers.len() as u32).sum()
    }

    fn solid<V: World>(&self) -> Option<Solid<V>> {
        let leaf = |(body, transform): &(Body, Option<PlainTransform>)| {
            let shape = hitscan::Instance::<V>::new(V::build(body)?);
            let placed = match transform {
                None => shape,
                Some(transform) => shape.with_transform(transform.build::<V>().ok()?),
            };
            Solid::from_instance(placed).ok()
        };
        let leaves: Vec<Solid<V>> = self.leaves.iter().map(leaf).collect::<Option<_>>()?;
        Some(self.tree.build(&leaves))
    }

    fn answers(&self) -> Option<(bool, Vec<SolidAnswer>)> {
        match (self.leaves[0].0.kind.dim(), self.precision) {
            (2, Precision::F32) => self.answers_in::<Vec2>(),
            (2, Precision::F64) => self.answers_in::<DVec2>(),
            (_, Precision::F32) => self.answers_in::<Vec3>(),
            (_, Precision::F64) => self.answers_in::<DVec3>(),
        }
    }

    fn answers_in<V: World>(&self) -> Option<(bool, Vec<SolidAnswer>)> {
        let solid = self.solid::<V>()?;
        let RayOrSegment { origin, target, is_segment } = self.given;
        let (a, b) = (vector::<V>(origin), vector::<V>(target));
        let answer = |numbers: &PlainQuery| match is_segment {
            true => answer(&solid, &Segment::new(a, b), numbers),
            false => answer(&solid, &Ray::new(a, b), numbers),
        };
        Some((solid.contains(a), self.queries.iter().map(answer).collect()))
    }

    /// Casts, casts again in a range around the hits, and judges all answers.
    pub fn judge_twice(&mut self, rng: &mut Rng) -> Option<Verdict> {
        let (contains, mut answers) = self.answers()?;
        let near: Vec<f64> = answers.iter().flat_map(|answer| answer.all.iter().map(|(hit, _)| hit.t)).collect();
        let queries = std::mem::replace(&mut self.queries, vec![generate::range(&near, self.precision, rng)]);
        answers.extend(self.answers()?.1);
        self.queries.splice(0..0, queries);
        Some(self.judge(contains, &answers))
    }

    fn judge(&self, contains: bool, answers: &[SolidAnswer]) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.given.is_valid() {
            let is_hit = answers.iter().any(|answer| answer.any || answer.first.is_some() || !answer.spans.is_empty());
            verdict.wrong.extend(is_hit.then(|| "a hit, but this is no ray".to_owned()));
            return verdict;
        }
        let instances: Vec<Instance<'_>> =
            self.leaves.iter().map(|(body, transform)| Instance::new(body, transform.as_ref())).collect();
        let line = Instance::line(&self.given, &instances);
        let models: Vec<_> = instances.iter().map(|instance| instance.model(&line)).collect();
        let inside = self.tree.value(&|leaf| models[leaf].contains(&line.o));
        if contains != inside {
            verdict.wrong.push(format!("contains: {contains}, exact: {inside}"));
        }
        let leaves: Vec<Intersection<'_>> = models.iter().map(|model| Intersection::new(model, &line)).collect();
        let dim = self.leaves[0].0.kind.dim();
        let comparisons = leaves.iter().map(|leaf| Comparison::new(&line, leaf, self.precision, dim)).collect();
        let mut flips = vec![false; leaves.len()];
        self.tree.note_flips(false, &mut flips);
        let judge = LeafJudge { comparisons, flips };
        let spans = self.tree.spans(&leaves);
        for (query, answer) in self.queries.iter().zip(answers) {
            let range = Range::new(query, self.given.is_segment, self.precision.max(), line.scale);
            let before = verdict.wrong.len();
            let exact: Vec<Exact<'_, '_>> = spans.iter().flat_map(|span| hits(span, query, &range)).collect();
            judge.compare("cast_ray", answer.first, exact.first().copied(), &mut verdict);
            for i in 0..exact.len().max(answer.all.len()) {
                judge.compare("cast_ray_all", answer.all.get(i).copied(), exact.get(i).copied(), &mut verdict);
            }
            if answer.any == exact.is_empty() || answer.count != exact.len() {
                let (any, count) = (answer.any, answer.count);
                verdict.wrong.push(format!("intersects_ray {any}, count_hits {count}, exact: {}", exact.len()));
            }
            let parts: Vec<_> = spans.iter().filter_map(|whole| span(whole, &range)).collect();
            if parts.len() == answer.spans.len() {
                for ([enter, exit], (first, last)) in answer.spans.iter().zip(parts) {
                    judge.compare("spans, entry", *enter, first, &mut verdict);
                    judge.compare("spans, exit", *exit, last, &mut verdict);
                }
            } else {
                verdict.wrong.push(format!("spans: {}, exact: {}", answer.spans.len(), parts.len()));
            }
            for wrong in &mut verdict.wrong[before..] {
                wrong.push_str(&format!(" ({query:?})"));
            }
        }
        verdict
    }
}

/// Comparison of hits with the surfaces of leaves.
struct LeafJudge<'a> {
    comparisons: Vec<Comparison<'a>>,
    flips: Vec<bool>,
}

impl LeafJudge<'_> {
    fn compare(&self, what: &str, got: Option<SolidHit>, exact: Option<Exact<'_, '_>>, verdict: &mut Verdict) {
        let anywhere = &self.comparisons[0];
        let (Some((hit, member)), Some(exact)) = (got, exact) else {
            return anywhere.compare(what, got.as_ref().map(|(hit, _)| hit), exact.as_ref(), verdict);
        };
        if matches!(exact, Exact::Inside(_)) {
            return anywhere.compare(what, Some(&hit), Some(&exact), verdict);
        }
        // The hit as one of the leaf, whose surface may be turned.
        let enters = matches!(exact, Exact::Front(_));
        if (hit.side == Side::Front) != enters {
            return verdict.wrong.push(format!("{what}: {:?} at t = {:e}, exact: another side", hit.side, hit.t));
        }
        let leaf = member.map_or(usize::MAX, |member| member as usize);
        let (Some(comparison), Some(&is_flipped)) = (self.comparisons.get(leaf), self.flips.get(leaf)) else {
            return verdict.wrong.push(format!("{what}: the hit at t = {:e} names no leaf", hit.t));
        };
        let enters_leaf = enters ^ is_flipped;
        let turned = if is_flipped { hit.normal.map(|x| -x) } else { hit.normal };
        let own = PlainHit { normal: turned, side: if enters_leaf { Side::Front } else { Side::Back }, ..hit };
        let Intersection::Interval(enter, exit) = comparison.intersection else {
            return verdict.wrong.push(format!("{what}: leaf {leaf}, which the line misses"));
        };
        match if enters_leaf { enter } else { exit } {
            Some(bound) if bound.at.order(exact.at()) == Ordering::Equal => {
                let exact = if enters_leaf { Exact::Front(bound) } else { Exact::Back(bound) };
                comparison.compare(what, Some(&own), Some(&exact), verdict);
            }
            _ => verdict.wrong.push(format!("{what}: leaf {leaf} at t = {:e}, exact: not there", hit.t)),
        }
    }
}

fn answer<V: World>(solid: &Solid<V>, cast: &impl RayLike<V>, numbers: &PlainQuery) -> SolidAnswer {
    let query = query::<V>(numbers);
    let numbered = |hit: &Hit<V>| (plain(hit), hit.member);
    let ends = |span: &hitscan::Span<V>| [span.enter, span.exit].map(|end| end.as_ref().map(numbered));
    SolidAnswer {
        first: solid.cast_ray(cast, query).as_ref().map(numbered),
        any: solid.intersects_ray(cast, query),
        all: solid.cast_ray_all(cast, query).iter().map(numbered).collect(),
        count: solid.count_hits(cast, query),
        spans: solid.spans(cast, query).iter().map(ends).collect(),
    }
}

impl fmt::Display for SolidCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RayOrSegment { origin, target, is_segment } = &self.given;
        let [from, to] = if *is_segment { ["a", "b"] } else { ["origin", "direction"] };
        write!(f, "{} {} {from}={origin:?} {to}={target:?}", self.precision.name(), self.tree)?;
        for (number, (body, transform)) in self.leaves.iter().enumerate() {
            write!(f, "\n      leaf {number}: {}", body.kind.name())?;
            for (name, _, numbers) in body.parts() {
                write!(f, " {name}={numbers:?}")?;
            }
            transform.map_or(Ok(()), |transform| write!(f, " {transform}"))?;
        }
        Ok(())
    }
}
