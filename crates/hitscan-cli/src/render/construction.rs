//! The construction of a ray's test: the whole line, its closest approach to a shape, the points at which it enters and
//! leaves the shape, and the normal.

use super::color::{CONSTRUCTION, HIT, MISS};
use super::overlay::{Annotations, Note, Stroke, as_dvec3, strokes_of_ray};
use crate::scene::SceneSpace;
use crate::text::number;
use hitscan::Real;
use hitscan::glam::DVec3;
use hitscan::{Hit, Inside, ObjectId, Query, RayCast, Scene, Shape, Side};
use hitscan_io::RayOrSegment;

/// The annotations of one ray or segment in the given query.
pub(crate) fn construction<V: SceneSpace>(
    scene: &Scene<V>,
    cast: RayOrSegment<V>,
    query: Query<V::Scalar>,
) -> Annotations {
    let line = cast.to_ray();
    let (origin, direction) = (as_dvec3(line.origin), as_dvec3(line.direction));
    let hit = match &cast {
        RayOrSegment::Ray(ray) => scene.cast_ray(ray, query),
        RayOrSegment::Segment(segment) => scene.cast_ray(segment, query),
    };
    let subject =
        hit.and_then(|hit| hit.object).map(ObjectId::index).or_else(|| nearest_shape(scene, origin, direction));
    let mut annotations = Annotations::default();
    annotations.focus.push(origin);
    let mut span = [0.0, 1.0_f64];
    if let Some((_, object)) = subject.and_then(|index| scene.at(index)) {
        let shape = object.instance();
        let crossings = shape.cast_ray_all(&line, Query::line().inside(Inside::Hollow));
        span = crossings.iter().fold(span, |span, hit| widened(span, hit.t.to_f64()));
        let aabb = shape.aabb();
        if aabb.is_bounded() {
            annotations.focus_on(aabb);
            let center = (as_dvec3(aabb.min) + as_dvec3(aabb.max)) / 2.0;
            let t = closest_t(center, origin, direction);
            span = widened(span, t);
            annotations.closest_approach(center, origin + direction * t, t);
        }
        for crossing in &crossings {
            let is_hit = hit.is_some_and(|hit| hit.t == crossing.t);
            annotations.notes.push(note_of_crossing(crossing, is_hit));
            annotations.focus.push(as_dvec3(crossing.point));
        }
    }
    annotations.notes.push(Note { point: origin, text: "origin".into(), color: MISS });
    let end = match &cast {
        RayOrSegment::Segment(segment) => as_dvec3(segment.b),
        RayOrSegment::Ray(_) => origin + direction * (span[1] + 0.25 * (span[1] - span[0])),
    };
    annotations.focus.push(end);
    annotations.axis = Some(direction);
    let size = annotations.size();
    // The whole line, somewhat longer than all that happens on it.
    let margin = 0.35 * (span[1] - span[0]);
    let [from, to] = [span[0] - margin, span[1] + margin].map(|t| origin + direction * t);
    annotations.dashes.push(Stroke { from, to, color: CONSTRUCTION });
    annotations.strokes = match &cast {
        RayOrSegment::Ray(ray) => strokes_of_ray(scene, ray, query, [origin, end], size),
        RayOrSegment::Segment(segment) => strokes_of_ray(scene, segment, query, [origin, end], size),
    };
    annotations
}

impl Annotations {
    fn closest_approach(&mut self, center: DVec3, foot: DVec3, t: f64) {
        self.dashes.push(Stroke { from: center, to: foot, color: CONSTRUCTION });
        let away = number((foot - center).length());
        let text = format!("closest to the centre: t = {}, {away} away", number(t));
        self.notes.push(Note { point: foot, text, color: CONSTRUCTION });
        self.notes.push(Note { point: center, text: "centre".into(), color: CONSTRUCTION });
        self.focus.push(foot);
    }
}

fn note_of_crossing<V: SceneSpace>(crossing: &Hit<V>, is_hit: bool) -> Note {
    let event = if crossing.side == Side::Front { "enters" } else { "leaves" };
    let event = if is_hit { format!("hit, {event}") } else { event.to_owned() };
    let color = if is_hit { HIT } else { CONSTRUCTION };
    Note { point: as_dvec3(crossing.point), text: format!("{event}: t = {}", number(crossing.t.to_f64())), color }
}

fn widened([min, max]: [f64; 2], t: f64) -> [f64; 2] {
    [min.min(t), max.max(t)]
}

/// The parameter of the point of a line that is closest to `point`.
fn closest_t(point: DVec3, origin: DVec3, direction: DVec3) -> f64 {
    let t = (point - origin).dot(direction) / direction.length_squared();
    if t.is_finite() { t } else { 0.0 }
}

/// The bounded shape whose bounding sphere is closest to the line: the one that a miss is drawn with.
fn nearest_shape<V: SceneSpace>(scene: &Scene<V>, origin: DVec3, direction: DVec3) -> Option<usize> {
    let gap = |object: &hitscan::Object<V>| {
        let aabb = object.instance().aabb();
        let (min, max) = (as_dvec3(aabb.min), as_dvec3(aabb.max));
        let center = (min + max) / 2.0;
        let foot = origin + direction * closest_t(center, origin, direction);
        aabb.is_bounded().then(|| (center - foot).length() - (max - min).length() / 2.0)
    };
    let gaps = scene.objects().filter_map(|(id, object)| Some((gap(object)?, id.index())));
    gaps.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::glam::DVec2;
    use hitscan::{Object, SceneBuilder};
    use hitscan::{Ray, Sphere};

    /// The worked example of the textbooks: a circle of radius 3 around (10, 4), the segment from (3, 2) to (10, 6).
    #[test]
    fn the_closest_approach_is_the_foot_of_the_perpendicular() {
        let mut builder = SceneBuilder::<DVec2>::new();
        builder.insert(Object::new(Sphere::new(DVec2::new(10.0, 4.0), 3.0).unwrap())).unwrap();
        let ray = Ray::new(DVec2::new(3.0, 2.0), DVec2::new(7.0, 4.0));
        let annotations = construction(&builder.build(), RayOrSegment::Ray(ray), Query::new());
        let foot = annotations.dashes[0];
        let along = DVec3::new(7.0, 4.0, 0.0);
        assert_eq!(foot.from, DVec3::new(10.0, 4.0, 0.0));
        assert!((foot.to - foot.from).dot(along).abs() < 1e-12);
        let texts: Vec<&str> = annotations.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(texts.iter().any(|text| text.starts_with("hit, enters: t = 0.57")), "{texts:?}");
        assert!(texts.iter().any(|text| text.starts_with("leaves: t = 1.18")), "{texts:?}");
    }
}
