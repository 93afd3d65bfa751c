//! The construction of a thick ray: the way of the sphere, the sphere at both ends, the contact and its normal.

use super::color::{CONSTRUCTION, HIT, MISS};
use super::overlay::{Annotations, Note, Stroke, as_dvec3, normal_at};
use super::translucent_solid::Solid;
use crate::scene::SceneSpace;
use crate::text::number;
use hitscan::glam::DVec3;
use hitscan::{Query, Real, Scene, Shape};
use hitscan_io::RayOrSegment;

/// The annotations of the first contact of a sphere whose center moves along a ray or a segment.
pub(crate) fn sweep_construction<V: SceneSpace>(
    scene: &Scene<V>,
    path: &RayOrSegment<V>,
    radius: V::Scalar,
    query: Query<V::Scalar>,
) -> Annotations {
    let (mut annotations, line) = (Annotations::default(), path.to_ray());
    let (origin, direction) = (as_dvec3(line.origin), as_dvec3(line.direction));
    let at = |t: f64| origin + direction * t;
    let hit = path.try_cast_sphere(scene, radius, query).ok().flatten();
    let object = hit.and_then(|hit| hit.object).and_then(|id| scene.get(id));
    annotations.focus_on(object.map_or_else(|| scene.finite_bounds(), |object| object.instance().aabb()));
    let [from_t, to_t] = range(path, query, annotations.corners(), (origin, direction));
    let (start, color) = (at(from_t), if hit.is_some() { HIT } else { MISS });
    let end = hit.map_or(at(to_t), |hit| as_dvec3(hit.center));
    let radius = radius.to_f64();
    annotations.add_translucent(Solid::Capsule(start, end, radius), "way of the sphere", color);
    annotations.add_translucent(Solid::Ball(start, radius), "sphere at the start", MISS);
    annotations.strokes.push(Stroke { from: start, to: end, color });
    if start != end {
        annotations.notes.push(Note { point: start, text: "start".into(), color: MISS });
    }
    annotations.focus_on_surroundings(scene);
    annotations.axis = Some(direction);
    let Some(hit) = hit else {
        annotations.notes.push(Note { point: end, text: "no contact".into(), color: MISS });
        return annotations;
    };
    let contact = as_dvec3(hit.point);
    annotations.add_translucent(Solid::Ball(end, radius), "sphere at the contact", HIT);
    annotations.dashes.push(Stroke { from: end, to: contact, color: CONSTRUCTION });
    annotations.strokes.push(normal_at(contact, as_dvec3(hit.normal), annotations.size()));
    let text = match hit.depth {
        Some(depth) => format!("touches at the start, {} deep", number(depth.to_f64())),
        None => format!("contact: t = {}", number(hit.t.to_f64())),
    };
    annotations.notes.push(Note { point: contact, text, color: HIT });
    if start != end {
        annotations.notes.push(Note { point: end, text: "center".into(), color: HIT });
    }
    annotations
}

/// The part of the path in the picture: the range of the query, where it is not too long, else up to the end of what is in
/// focus.
fn range<V: SceneSpace>(
    path: &RayOrSegment<V>,
    query: Query<V::Scalar>,
    corners: Option<[DVec3; 2]>,
    (origin, direction): (DVec3, DVec3),
) -> [f64; 2] {
    let [low, high] = [query.t_min(), query.t_max()].map(Real::to_f64);
    let (low, high) = match path {
        RayOrSegment::Segment(_) => (low.max(0.0), high.min(1.0)),
        RayOrSegment::Ray(_) => (low, high),
    };
    let of = |p: DVec3| (p - origin).dot(direction) / direction.length_squared();
    let corners = corners.into_iter().flat_map(|[min, max]| {
        (0..8).map(move |i| DVec3::new([min.x, max.x][i & 1], [min.y, max.y][i >> 1 & 1], [min.z, max.z][i >> 2]))
    });
    let ts = || corners.clone().map(of).filter(|t| t.is_finite());
    let from = low.max(ts().fold(0.0, f64::min));
    [from, high.min(ts().fold(from + 1.0, f64::max))]
}
