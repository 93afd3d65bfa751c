//! One case: a shape, a line, questions; and everything the library answers to it, as plain numbers.

use crate::body::{Body, World, vector};
use crate::line::Given;
use crate::number::Precision;
use crate::rules::Asked;
use hitscan::{Hit, Query, Ray, RayLike, Segment, Shape, Side};
use hitscan::{Real, Vector};
use std::fmt;

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The precision that all of its numbers have.
    pub precision: Precision,
    /// The shape.
    pub body: Body,
    /// The line.
    pub given: Given,
    /// What is asked.
    pub asked: Vec<Asked>,
    /// All hits, counts and spans are asked for as well.
    pub is_thorough: bool,
    /// Whether the slow road was taken is asked for as well.
    pub is_explained: bool,
}

/// A hit in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Got {
    /// The parameter.
    pub t: f64,
    /// The length travelled.
    pub distance: f64,
    /// The place.
    pub point: [f64; 3],
    /// The normal.
    pub normal: [f64; 3],
    /// The side that was met.
    pub side: Side,
}

/// What the library says to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// `cast_ray`.
    pub first: Option<Got>,
    /// `intersects_ray`.
    pub any: bool,
    /// The rest, for thorough cases.
    pub more: Option<More>,
}

/// What the library says beyond the first hit.
#[derive(Clone, Debug, PartialEq)]
pub struct More {
    /// `cast_ray_all`.
    pub all: Vec<Got>,
    /// `count_hits`.
    pub count: usize,
    /// `spans`: entry and exit of each.
    pub spans: Vec<[Option<Got>; 2]>,
}

/// What the library says to a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// `contains` of the origin.
    pub contains: bool,
    /// One for each question.
    pub asked: Vec<Answer>,
    /// Whether the first arithmetic was in doubt, for explained cases.
    pub is_doubtful: Option<bool>,
}

/// The library's hit in plain numbers.
pub fn plain<V: Vector>(hit: &Hit<V>) -> Got {
    let numbers = |v: V| v.to_xyz().map(Real::to_f64);
    Got {
        t: hit.t.to_f64(),
        distance: hit.distance.to_f64(),
        point: numbers(hit.point),
        normal: numbers(hit.normal),
        side: hit.side,
    }
}

/// The library's form of a question.
pub fn query<V: World>(asked: &Asked) -> Query<V::Scalar> {
    let number = |x: f64| V::Scalar::from_f64(x);
    let t_max = if asked.t_max == f64::INFINITY { V::Scalar::MAX } else { number(asked.t_max) };
    Query::new().range(number(asked.t_min), t_max).inside(asked.origin).faces(asked.faces)
}

impl Case {
    /// Asks the library; None when it refuses the shape.
    pub fn ask<V: World>(&self) -> Option<Answers> {
        let shape = V::build(&self.body)?;
        let (a, b) = (vector::<V>(self.given.origin), vector::<V>(self.given.target));
        Some(if self.given.is_segment {
            self.ask_about::<V>(&shape, &Segment::new(a, b))
        } else {
            self.ask_about::<V>(&shape, &Ray::new(a, b))
        })
    }

    fn ask_about<V: World>(&self, shape: &V::Shape, cast: &impl RayLike<V>) -> Answers {
        let answer = |asked: &Asked| {
            let query = query::<V>(asked);
            let more = self.is_thorough.then(|| {
                let ends = |span: &hitscan::Span<V>| [span.enter, span.exit].map(|end| end.as_ref().map(plain));
                More {
                    all: shape.cast_ray_all(cast, query).iter().map(plain).collect(),
                    count: shape.count_hits(cast, query),
                    spans: shape.spans(cast, query).iter().map(ends).collect(),
                }
            });
            Answer {
                first: shape.cast_ray(cast, query).as_ref().map(plain),
                any: shape.intersects_ray(cast, query),
                more,
            }
        };
        Answers {
            contains: shape.contains(vector(self.given.origin)),
            asked: self.asked.iter().map(answer).collect(),
            is_doubtful: self.is_explained.then(|| shape.explain(cast, Query::new()).doubtful),
        }
    }

    /// How many numbers are not round: failures with few of them are easier to read.
    pub fn bits(&self) -> u32 {
        let numbers = self.body.numbers.iter().chain(&self.given.origin).chain(&self.given.target);
        numbers.map(|x| if *x == 0.0 { 0 } else { 52 - (x.to_bits() | 1 << 52).trailing_zeros().min(52) }).sum()
    }
}

/// All digits, so that the case can be replayed.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.precision.name(), self.body.kind.name())?;
        for (name, _, numbers) in self.body.parts() {
            write!(f, " {name}={numbers:?}")?;
        }
        let Given { origin, target, is_segment } = &self.given;
        let dim = self.body.kind.dim();
        let [from, to] = if *is_segment { ["a", "b"] } else { ["origin", "direction"] };
        write!(f, " {from}={:?} {to}={:?}", &origin[..dim], &target[..dim])
    }
}
