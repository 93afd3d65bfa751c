//! Case: a shape, bare or under a transform, a ray and queries; and the answers of the library as plain numbers.

use crate::affine::PlainTransform;
use crate::body::{Body, World, vector};
use crate::instance::Instance;
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::PlainQuery;
use hitscan::{Hit, Object, Query, Ray, RayCast, RayLike, Scene, SceneBuilder, Segment, Shape, Side};
use hitscan::{Real, Vector};
use std::fmt;

/// A shape, a ray and the queries to compare.
#[derive(Clone, Debug)]
pub struct Case {
    /// Precision of all its numbers.
    pub precision: Precision,
    /// Shape that the ray is cast at.
    pub body: Body,
    /// Transform of an instance; None for the bare shape.
    pub transform: Option<PlainTransform>,
    /// Ray or segment.
    pub given: RayOrSegment,
    /// Queries to compare, in this order.
    pub queries: Vec<PlainQuery>,
    /// Whether to compare all hits, counts and spans, too.
    pub is_thorough: bool,
    /// Whether to record that exact numbers decided, too.
    pub is_explained: bool,
}

/// Hit in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainHit {
    /// Parameter `t`.
    pub t: f64,
    /// Signed distance from the origin to the point.
    pub distance: f64,
    /// Hit point; z = 0 in 2D.
    pub point: [f64; 3],
    /// Unit normal; z = 0 in 2D.
    pub normal: [f64; 3],
    /// Side of the surface that the ray hits.
    pub side: Side,
}

/// Answer of the library to one query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// `cast_ray`.
    pub first: Option<PlainHit>,
    /// `intersects_ray`.
    pub any: bool,
    /// Further answers, for thorough cases.
    pub further: Option<FurtherAnswers>,
}

/// Answers of the library beyond the first hit.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherAnswers {
    /// `cast_ray_all`.
    pub all: Vec<PlainHit>,
    /// `count_hits`.
    pub count: usize,
    /// `spans`: entry and exit of each.
    pub spans: Vec<[Option<PlainHit>; 2]>,
}

/// Answers of the library to a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// Result of `contains` for the origin.
    pub contains: bool,
    /// One answer for each query.
    pub queries: Vec<Answer>,
    /// Whether exact numbers decided, for explained cases.
    pub is_uncertain: Option<bool>,
}

/// Converts a hit of the library to plain numbers.
pub fn plain<V: Vector>(hit: &Hit<V>) -> PlainHit {
    let numbers = |v: V| v.to_xyz().map(Real::to_f64);
    PlainHit {
        t: hit.t.to_f64(),
        distance: hit.distance.to_f64(),
        point: numbers(hit.point),
        normal: numbers(hit.normal),
        side: hit.side,
    }
}

/// Converts a query to the type of the library.
pub fn query<V: World>(query: &PlainQuery) -> Query<V::Scalar> {
    let number = |x: f64| V::Scalar::from_f64(x);
    let t_max = if query.t_max == f64::INFINITY { V::Scalar::MAX } else { number(query.t_max) };
    Query::new().range(number(query.t_min), t_max).inside(query.inside).faces(query.faces)
}

impl Case {
    /// Answers of the library; None if it refuses the shape or the transform.
    pub fn answers<V: World>(&self) -> Option<Answers> {
        Some(match &self.transform {
            None => self.answers_of::<V>(&V::build(&self.body)?),
            Some(_) => self.answers_of::<V>(&scene::<V>(&[(&self.body, self.transform)])?),
        })
    }

    fn answers_of<V: World>(&self, shape: &impl Shape<V>) -> Answers {
        let (a, b) = (vector::<V>(self.given.origin), vector::<V>(self.given.target));
        if self.given.is_segment {
            self.answers_to::<V>(shape, &Segment::new(a, b))
        } else {
            self.answers_to::<V>(shape, &Ray::new(a, b))
        }
    }

    fn answers_to<V: World>(&self, shape: &impl Shape<V>, cast: &impl RayLike<V>) -> Answers {
        let answer = |numbers: &PlainQuery| {
            let query = query::<V>(numbers);
            let further = self.is_thorough.then(|| {
                let ends = |span: &hitscan::Span<V>| [span.enter, span.exit].map(|end| end.as_ref().map(plain));
                FurtherAnswers {
                    all: shape.cast_ray_all(cast, query).iter().map(plain).collect(),
                    count: shape.count_hits(cast, query),
                    spans: shape.spans(cast, query).iter().map(ends).collect(),
                }
            });
            Answer {
                first: shape.cast_ray(cast, query).as_ref().map(plain),
                any: shape.intersects_ray(cast, query),
                further,
            }
        };
        Answers {
            contains: shape.contains(vector(self.given.origin)),
            queries: self.queries.iter().map(answer).collect(),
            is_uncertain: self.is_explained.then(|| shape.explain(cast, Query::new()).uncertain),
        }
    }

    /// Shape under its transform.
    pub fn instance(&self) -> Instance<'_> {
        Instance::new(&self.body, self.transform.as_ref())
    }

    /// Count of significant bits of all numbers: a failure with few of them is easier to read.
    pub fn bits(&self) -> u32 {
        let numbers = self.body.numbers.iter().chain(&self.given.origin).chain(&self.given.target).copied();
        let transform = self.transform.iter().flat_map(PlainTransform::numbers);
        let bits = |x: f64| if x == 0.0 { 0 } else { 52 - (x.to_bits() | 1 << 52).trailing_zeros().min(52) };
        numbers.chain(transform).map(bits).sum()
    }
}

/// Scene of shapes, bare or under transforms; None if the library refuses a shape or a transform.
pub fn scene<V: World>(objects: &[(&Body, Option<PlainTransform>)]) -> Option<Scene<V>> {
    let mut builder = SceneBuilder::<V>::new();
    for (body, transform) in objects {
        let object = Object::new(V::build(body)?);
        let placed = match transform {
            None => object,
            Some(transform) => object.with_transform(transform.build::<V>().ok()?),
        };
        builder.insert(placed).ok()?;
    }
    Some(builder.build())
}

/// Prints all digits, so that the case can be replayed.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.precision.name(), self.body.kind.name())?;
        for (name, _, numbers) in self.body.parts() {
            write!(f, " {name}={numbers:?}")?;
        }
        let RayOrSegment { origin, target, is_segment } = &self.given;
        let dim = self.body.kind.dim();
        let [from, to] = if *is_segment { ["a", "b"] } else { ["origin", "direction"] };
        write!(f, " {from}={:?} {to}={:?}", &origin[..dim], &target[..dim])?;
        self.transform.map_or(Ok(()), |transform| write!(f, " {transform}"))
    }
}
