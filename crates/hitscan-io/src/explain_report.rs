//! Explanations of why a ray hits or misses each shape of a scene. The program prints them, the ray lab draws them.

use crate::SceneVector;
use crate::fmt::{coordinates, kind, names, number, point};
use hitscan::{
    Explanation, Faces, Hit, Inside, Object, ObjectId, Query, Ray, RayCast, RayLike, Scene, Segment, Shape, Side,
};
use hitscan::{Real, Vector};
use std::fmt::{self, Display, Formatter};

/// A ray or a segment.
#[derive(Clone, Copy, Debug)]
pub enum RayOrSegment<V> {
    /// A ray.
    Ray(Ray<V>),
    /// A segment.
    Segment(Segment<V>),
}

impl<V: Vector> RayOrSegment<V> {
    /// The ray; of a segment the ray from its first point towards its second, without an end.
    #[must_use]
    pub fn to_ray(self) -> Ray<V> {
        match self {
            Self::Ray(ray) => ray,
            Self::Segment(segment) => segment.to_ray(),
        }
    }
    /// The segment, if it is one.
    #[must_use]
    pub fn segment(self) -> Option<Segment<V>> {
        match self {
            Self::Ray(_) => None,
            Self::Segment(segment) => Some(segment),
        }
    }
}

/// The shapes that an [`ExplainReport`] lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// When there are more than 8 shapes, those whose bounding boxes the line meets.
    Near,
    /// Every shape.
    All,
}

/// A report on no more shapes than this lists all of them.
const MAX_SHORT_REPORT: usize = 8;

/// The explanation of one cast: the hit, then each shape, nearest first. Its text is the output of `hitscan explain`.
#[derive(Clone, Debug)]
pub struct ExplainReport {
    /// The hit, or that there is none: one line.
    pub outcome: String,
    /// The shape of the hit, then the others.
    pub shapes: Vec<ShapeReport>,
    /// The number of shapes that the report does not list.
    pub left_out: usize,
}

/// The test of one shape in an [`ExplainReport`].
#[derive(Clone, Debug)]
pub struct ShapeReport {
    /// The number of the shape.
    pub shape: usize,
    /// Its name, or its type and number.
    pub name: String,
    /// Its type, as scene files name it.
    pub kind: &'static str,
    /// Whether it is an object that places a shape by a transform.
    pub is_placed: bool,
    /// Whether it is the hit.
    pub is_hit: bool,
    /// The reason why it is the hit, or is not: one line.
    pub why: String,
    /// The numbers of the test: no steps for a shape that is not tested: one on other layers, or a trigger.
    pub explanation: Explanation,
}

impl ExplainReport {
    /// Casts a ray or a segment and explains the answer.
    #[must_use]
    pub fn new<V: SceneVector>(
        scene: &Scene<V>,
        cast: &RayOrSegment<V>,
        query: Query<V::Scalar>,
        detail: Detail,
    ) -> Self {
        let [t_min, t_max] = [query.t_min(), query.t_max()].map(Real::to_f64);
        let explainer = |line, t_min, t_max| Explainer { scene, names: names(scene), query, line, t_min, t_max };
        match cast {
            RayOrSegment::Ray(ray) => explainer(*ray, t_min, t_max).report(ray, detail),
            // A segment ends at t = 1, whatever the limits.
            RayOrSegment::Segment(segment) => {
                explainer(segment.to_ray(), t_min.max(0.0), t_max.min(1.0)).report(segment, detail)
            }
        }
    }
}

impl Display for ExplainReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.outcome)?;
        for report in &self.shapes {
            let called = called(&report.name, report.kind, report.is_placed, report.shape);
            writeln!(f, "\n{called}: {}", report.why)?;
            // The first line of the explanation is the type of the shape, which is printed already.
            report.explanation.to_string().lines().skip(1).try_for_each(|line| writeln!(f, "{line}"))?;
        }
        match self.left_out {
            0 => Ok(()),
            n => writeln!(f, "\nleft out: {n} whose bounding box the line does not meet (--all lists them too)"),
        }
    }
}

fn called(name: &str, kind: &str, is_placed: bool, number: usize) -> String {
    let what = if is_placed { "object" } else { "shape" };
    format!("{name} ({kind}, {what} {number})")
}

/// The sort key of a shape in a report: not the hit, not hit at all, its `t`, its number.
type SortKey = (bool, bool, f64, usize);

fn sort(shapes: &mut [SortKey]) {
    shapes.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(a.3.cmp(&b.3)));
}

/// The inputs of a report.
struct Explainer<'a, V: SceneVector> {
    scene: &'a Scene<V>,
    names: Vec<String>,
    query: Query<V::Scalar>,
    /// The line of the ray or segment.
    line: Ray<V>,
    t_min: f64,
    t_max: f64,
}

impl<V: SceneVector> Explainer<'_, V> {
    fn report(&self, ray: &impl RayLike<V>, detail: Detail) -> ExplainReport {
        let winner = self.scene.cast_ray(ray, self.query);
        let outcome = match &winner {
            Some(hit) => {
                let shape = hit.object.map_or(0, ObjectId::index);
                let called = called(&self.names[shape], self.kind(shape), self.is_placed(shape), shape);
                format!("hit: {called} at {}", hit_text(hit))
            }
            None => "miss: no shape is hit".to_owned(),
        };
        let whole_line = Query::line().faces(Faces::Both);
        let mut left_out = 0;
        let mut shapes = Vec::new();
        let lists_all = detail == Detail::All || self.scene.len() <= MAX_SHORT_REPORT;
        for (id, object) in self.scene.objects() {
            let index = id.index();
            // The first hit in the range, else the first one anywhere on the line.
            let hit = object
                .is_seen_by(&self.query)
                .then(|| object.instance().cast_ray(ray, object.own_query(&self.query)))
                .flatten();
            let on_line = object.instance().cast_ray_all(&self.line, whole_line.inside(Inside::Hollow));
            if !lists_all && hit.is_none() && on_line.is_empty() && !self.is_near(object) {
                left_out += 1;
                continue;
            }
            let order = hit.as_ref().or(on_line.first()).map_or(f64::INFINITY, |hit| hit.t.to_f64());
            let is_winner = winner.as_ref().and_then(|hit| hit.object) == Some(id);
            shapes.push((!is_winner, hit.is_none(), order, index));
        }
        sort(&mut shapes);
        let report = |(is_other, .., shape): SortKey| ShapeReport {
            shape,
            name: self.names[shape].clone(),
            kind: self.kind(shape),
            is_placed: self.is_placed(shape),
            is_hit: !is_other,
            why: self.why(shape, ray, winner.as_ref()),
            explanation: self.explanation(shape, ray),
        };
        ExplainReport { outcome, shapes: shapes.into_iter().map(report).collect(), left_out }
    }

    fn kind(&self, shape: usize) -> &'static str {
        self.scene.at(shape).map_or("shape", |(_, object)| kind::<V>(object.shape()))
    }

    fn explanation(&self, shape: usize, ray: &impl RayLike<V>) -> Explanation {
        if let Some((_, object)) = self.scene.at(shape).filter(|(_, object)| object.is_seen_by(&self.query)) {
            return object.instance().explain(ray, object.own_query(&self.query));
        }
        let mut untested = Explanation::default();
        untested.shape = self.kind(shape);
        untested
    }

    fn is_on_layers(&self, object: &Object<V>) -> bool {
        object.layers() & self.query.layer_mask() != 0
    }

    fn is_placed(&self, shape: usize) -> bool {
        self.scene.at(shape).is_some_and(|(_, object)| object.transform().is_some())
    }

    /// Whether the whole line meets the bounding box; a shape without bounds is always near.
    fn is_near(&self, object: &Object<V>) -> bool {
        let aabb = object.instance().aabb();
        let solid = hitscan::Cuboid::new(aabb.center(), aabb.half_extents());
        solid.map_or(true, |solid| solid.intersects_ray(&self.line, Query::line()))
    }

    /// The reason why the shape is the hit, or is not.
    fn why(&self, index: usize, ray: &impl RayLike<V>, winner: Option<&Hit<V>>) -> String {
        let Some((_, object)) = self.scene.at(index) else { return String::new() };
        if !self.is_on_layers(object) {
            let layers: Vec<String> =
                (0..32).filter(|bit| object.layers() >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
            return format!("not on these layers (it is on {})", layers.join(", "));
        }
        if !object.is_seen_by(&self.query) {
            return "a trigger: rays pass through it (--triggers hit makes them hit it)".to_owned();
        }
        match (object.instance().cast_ray(ray, object.own_query(&self.query)), winner) {
            (Some(hit), Some(first)) => {
                let (t, best) = (hit.t, first.t);
                let first = first.object.map_or(0, ObjectId::index);
                if first == index {
                    "the hit, the nearest one in the range of t".to_owned()
                } else if t == best {
                    format!(
                        "the same t as {}, which is nearer by less than the last digit or comes first in the scene",
                        self.names[first]
                    )
                } else {
                    format!(
                        "farther than {}: t = {} > {}",
                        self.names[first],
                        number(t.to_f64()),
                        number(best.to_f64())
                    )
                }
            }
            (Some(hit), None) => format!("hit at t = {}", number(hit.t.to_f64())),
            (None, _) => self.why_not(object, ray),
        }
    }

    /// The reason why a shape on the right layers is not hit in the range.
    fn why_not(&self, object: &Object<V>, ray: &impl RayLike<V>) -> String {
        let anywhere = Query::line().inside(Inside::Hollow);
        let all = object.instance().cast_ray_all(&self.line, anywhere);
        let ts: Vec<f64> = all.iter().map(|hit| hit.t.to_f64()).collect();
        let (Some(first), Some(last)) = (ts.first().copied(), ts.last().copied()) else {
            return "missed, by the whole line".to_owned();
        };
        let list = ts.iter().map(|t| number(*t)).collect::<Vec<_>>().join(", ");
        let query = object.own_query(&self.query);
        if object.instance().cast_ray(ray, query.faces(Faces::Both)).is_some() {
            let side = if query.faces_mode() == Faces::Front { "back" } else { "front" };
            let rule = if object.faces().is_some() { "its rule" } else { "--faces" };
            format!("only its {side} is hit, at t = {list}, and {rule} excludes that side")
        } else if last < self.t_min {
            format!("behind: t = {list} < {}", number(self.t_min))
        } else if first > self.t_max {
            format!("beyond t_max: t = {list} > {}", number(self.t_max))
        } else {
            // The range may lie inside a hollow solid.
            format!("hit at t = {list}, all outside the range")
        }
    }
}

/// The numbers of a hit: one line.
fn hit_text<V: Vector>(hit: &Hit<V>) -> String {
    let side = if hit.side == Side::Front { "front" } else { "back" };
    let [t, distance] = [hit.t, hit.distance].map(|x| number(x.to_f64()));
    let [p, n] = [hit.point, hit.normal].map(|v| point(coordinates(v), V::DIM));
    format!("t = {t}, distance {distance}, point {p}, normal {n}, {side}")
}
