//! The places of labels and notes in pictures of the plane.

use super::labels::{Label, LabelRequest, beside, place};
use super::overlay::{Annotations, Note};
use super::plane_view::PlaneView;
use crate::outline::Outline;
use crate::scene::{SceneSpace, coordinates, names};
use hitscan::glam::{DVec2, DVec3};
use hitscan::{Object, Scene, Shape};

/// The labels of the notes, then of the shapes if `with_names`.
pub(crate) fn labels_in<V: SceneSpace>(
    scene: &Scene<V>,
    annotations: &Annotations,
    part: &PlaneView,
    with_names: bool,
) -> Vec<Label> {
    let mut requests: Vec<LabelRequest> =
        annotations.notes.iter().map(|note| request_of_note(note, part.to_pixels(note.point.truncate()))).collect();
    for ((id, object), name) in scene.objects().zip(names(scene)).filter(|_| with_names) {
        let outline = V::outlines(object).into_iter().next();
        if let Some(outline) = outline.or_else(|| seen_box(object, part)) {
            let candidates = candidates(&outline, &name, part);
            let color = annotations.color_of(id.index());
            requests.push(LabelRequest { text: name, color, candidates, anchor: None });
        }
    }
    let keep_clear: Vec<DVec2> = annotations.points_of_strokes().map(|p| part.to_pixels(p.truncate())).collect();
    place(requests, &keep_clear, part.pixels())
}

/// A note stands beside its point, with a line to it.
pub(crate) fn request_of_note(note: &Note, pixel: DVec2) -> LabelRequest {
    let candidates =
        [20.0, 46.0, 72.0, 98.0].into_iter().flat_map(|away| beside(&note.text, pixel, DVec2::splat(away)));
    LabelRequest { text: note.text.clone(), color: note.color, candidates: candidates.collect(), anchor: Some(pixel) }
}

/// The bounding box of an object, cut to the picture; `None` if it is outside of it.
fn seen_box<V: SceneSpace>(object: &Object<V>, part: &PlaneView) -> Option<Outline> {
    let aabb = object.instance().aabb();
    let [min, max] = [aabb.min, aabb.max].map(|corner| DVec3::from_array(coordinates(corner)).truncate());
    let (min, max) = (min.max(part.min), max.min(part.max));
    let corners = vec![[min.x, min.y], [max.x, min.y], [max.x, max.y], [min.x, max.y]];
    (min.x <= max.x && min.y <= max.y).then_some(Outline::Polygon(corners))
}

/// A solid has its label in the middle or beside it, a line beside one of its points.
fn candidates(outline: &Outline, name: &str, part: &PlaneView) -> Vec<DVec2> {
    let to_pixels = |p: &[f64; 2]| part.to_pixels(DVec2::from_array(*p));
    let around = |points: &[DVec2], margin: f64| {
        let first = points.first().copied().unwrap_or_default();
        let (min, max) = points.iter().fold((first, first), |(min, max), p| (min.min(*p), max.max(*p)));
        let (center, half) = ((min + max) / 2.0, (max - min) / 2.0 + margin);
        [center].into_iter().chain(beside(name, center, half)).collect::<Vec<_>>()
    };
    match outline {
        Outline::Ellipse(center, radii, _) => {
            let (center, half) = (to_pixels(center), DVec2::from_array(*radii) * part.scale);
            around(&[center - half, center + half], 0.0)
        }
        Outline::Polygon(corners) => around(&corners.iter().map(to_pixels).collect::<Vec<_>>(), 0.0),
        Outline::Capsule(a, b, radius) => around(&[to_pixels(a), to_pixels(b)], radius * part.scale),
        Outline::Segment(a, b) => {
            let middle = (to_pixels(a) + to_pixels(b)) / 2.0;
            beside(name, middle, DVec2::splat(4.0)).to_vec()
        }
        Outline::Line(point, normal) => along_border(point, normal, 0.0, part),
        Outline::HalfPlane(point, normal) => along_border(point, normal, 18.0, part),
    }
}

/// Places along a straight border, `inside` pixels behind it, from the middle of the picture outward.
fn along_border(point: &[f64; 2], normal: &[f64; 2], inside: f64, part: &PlaneView) -> Vec<DVec2> {
    let middle = (part.min + part.max) / 2.0;
    let normal = DVec2::from_array(*normal).normalize_or_zero();
    let foot = middle - normal * (middle - DVec2::from_array(*point)).dot(normal);
    let shares = [0.0, 0.2, -0.2, 0.35, -0.35];
    let along = normal.perp() * part.diagonal() / 2.0;
    shares.map(|share| part.to_pixels(foot + along * share - normal * (inside / part.scale))).to_vec()
}
