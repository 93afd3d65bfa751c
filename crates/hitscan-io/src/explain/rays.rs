//! The explanation of a ray: why it hits or misses each shape of a scene.

use super::listing::{Finding, Listing, bounding_box, unseen};
use super::ray_or_segment::RayOrSegment;
use super::report::{Detail, ExplainReport};
use crate::SceneVector;
use crate::fmt::{coordinates, number, point};
use hitscan::{Faces, Hit, Inside, Object, ObjectId, Query, Ray, RayCast, RayLike, Scene, Side};
use hitscan::{Real, Vector};

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
        let explainer = |line, t_min, t_max| Explainer { query, line, t_min, t_max };
        match cast {
            RayOrSegment::Ray(ray) => explainer(*ray, t_min, t_max).report(scene, ray, detail),
            // A segment ends at t = 1, whatever the limits.
            RayOrSegment::Segment(segment) => {
                explainer(segment.to_ray(), t_min.max(0.0), t_max.min(1.0)).report(scene, segment, detail)
            }
        }
    }
}

/// The inputs of a report.
struct Explainer<V: SceneVector> {
    query: Query<V::Scalar>,
    /// The line of the ray or segment.
    line: Ray<V>,
    t_min: f64,
    t_max: f64,
}

impl<V: SceneVector> Explainer<V> {
    fn report(&self, scene: &Scene<V>, ray: &impl RayLike<V>, detail: Detail) -> ExplainReport {
        let mut listing = Listing::new(scene, detail);
        let winner = scene.cast_ray(ray, self.query);
        let outcome = match &winner {
            Some(hit) => format!("hit: {} at {}", listing.called(hit.object), hit_text(hit)),
            None => "miss: no shape is hit".to_owned(),
        };
        let whole_line = Query::line().faces(Faces::Both);
        for (id, object) in scene.objects() {
            // The first hit in the range, else the first one anywhere on the line.
            let is_seen = object.is_seen_by(&self.query);
            let hit = is_seen.then(|| object.instance().cast_ray(ray, object.own_query(&self.query))).flatten();
            let on_line = object.instance().cast_ray_all(&self.line, whole_line.inside(Inside::Hollow));
            if !listing.lists_all() && hit.is_none() && on_line.is_empty() && !self.is_near(object) {
                listing.leave_out();
                continue;
            }
            let explanation = is_seen.then(|| object.instance().explain(ray, object.own_query(&self.query)));
            let finding = Finding {
                is_answer: winner.as_ref().and_then(|hit| hit.object) == Some(id),
                is_found: hit.is_some(),
                order: hit.as_ref().or(on_line.first()).map_or(f64::INFINITY, |hit| hit.t.to_f64()),
                why: match (unseen(object, &self.query), &hit) {
                    (Some(why), _) => why,
                    (None, Some(hit)) => why(&listing, id, hit, winner.as_ref()),
                    (None, None) => self.why_not(object, ray),
                },
                explanation: explanation.unwrap_or_default(),
            };
            listing.add(id, finding);
        }
        listing.report(outcome, "whose bounding box the line does not meet")
    }

    /// Whether the whole line meets the bounding box; a shape without bounds is always near.
    fn is_near(&self, object: &Object<V>) -> bool {
        bounding_box(object).is_none_or(|solid| solid.intersects_ray(&self.line, Query::line()))
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
        } else if first_distance(&all).is_some_and(|distance| distance > self.query.max_distance().to_f64()) {
            let (nearest, most) = (first_distance(&all).unwrap_or_default(), self.query.max_distance().to_f64());
            format!(
                "too far: {} from the origin, at t = {list}, beyond --max-distance {}",
                number(nearest),
                number(most)
            )
        } else {
            // The range may lie inside a hollow solid.
            format!("hit at t = {list}, all outside the range")
        }
    }
}

/// The distance of the first hit in front of the origin.
fn first_distance<V: Vector>(hits: &[Hit<V>]) -> Option<f64> {
    hits.iter().map(|hit| hit.distance.to_f64()).find(|distance| *distance >= 0.0)
}

/// The reason why a shape that is hit is the hit, or is not.
fn why<V: SceneVector>(listing: &Listing<'_, V>, id: ObjectId, hit: &Hit<V>, winner: Option<&Hit<V>>) -> String {
    let Some(winner) = winner else { return format!("hit at t = {}", number(hit.t.to_f64())) };
    let first = listing.name(winner.object);
    if winner.object == Some(id) {
        "the hit, the nearest one in the range of t".to_owned()
    } else if hit.t == winner.t {
        format!("the same t as {first}, which is nearer by less than the last digit or comes first in the scene")
    } else {
        let [t, best] = [hit.t, winner.t].map(|t| number(t.to_f64()));
        format!("farther than {first}: t = {t} > {best}")
    }
}

/// The numbers of a hit: one line.
fn hit_text<V: Vector>(hit: &Hit<V>) -> String {
    let side = if hit.side == Side::Front { "front" } else { "back" };
    let [t, distance] = [hit.t, hit.distance].map(|x| number(x.to_f64()));
    let [p, n] = [hit.point, hit.normal].map(|v| point(coordinates(v), V::DIM));
    format!("t = {t}, distance {distance}, point {p}, normal {n}, {side}")
}
