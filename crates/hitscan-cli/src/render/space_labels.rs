//! The places of labels and notes in pictures of space.

use super::color::CONSTRUCTION;
use super::labels::{Label, LabelRequest, beside, half_size, place};
use super::overlay::Annotations;
use super::painter::SpacePainter;
use super::plane_labels::request_of_note;
use crate::scene::{SceneSpace, names};
use hitscan::glam::DVec2;
use hitscan::{Scene, Shape};

/// The distance of the camera rays that find the visible parts of shapes, in pixels.
const STEP: u32 = 6;

/// The labels of the notes, then of the shapes that are visible if `with_names`.
pub(crate) fn labels_in<V: SceneSpace>(
    scene: &Scene<V>,
    painter: &SpacePainter<V>,
    annotations: &Annotations,
    with_names: bool,
) -> Vec<Label> {
    let size = DVec2::from_array(painter.pixels.map(f64::from));
    let notes = annotations.notes.iter();
    let mut requests: Vec<LabelRequest> =
        notes.filter_map(|note| Some(request_of_note(note, painter.camera.project(note.point)? * size))).collect();
    if with_names {
        let visible = visible_points(scene, painter, size);
        let shapes = scene.objects().zip(names(scene)).zip(&visible);
        let mut shapes: Vec<_> = shapes
            .map(|(((id, object), name), points)| (id.index(), object.instance().aabb().is_bounded(), name, points))
            .collect();
        // Unbounded shapes have the most room, so they come last.
        shapes.sort_by_key(|(_, is_bounded, ..)| !is_bounded);
        for (number, is_bounded, name, points) in shapes {
            if !points.is_empty() {
                let candidates =
                    if is_bounded { of_bounded(&name, points) } else { of_ground(&name, points, &visible) };
                let color = if is_bounded { annotations.color_of(number) } else { CONSTRUCTION };
                requests.push(LabelRequest { text: name, color, candidates, anchor: None });
            }
        }
    }
    let strokes = annotations.points_of_strokes();
    let keep_clear: Vec<DVec2> = strokes.filter_map(|p| Some(painter.camera.project(p)? * size)).collect();
    place(requests, &keep_clear, size)
}

/// The pixels in which each shape is visible, on a coarse grid, in the order of insertion.
fn visible_points<V: SceneSpace>(scene: &Scene<V>, painter: &SpacePainter<V>, size: DVec2) -> Vec<Vec<DVec2>> {
    let mut points = vec![Vec::new(); scene.len()];
    for y in (STEP / 2..painter.pixels[1]).step_by(STEP as usize) {
        for x in (STEP / 2..painter.pixels[0]).step_by(STEP as usize) {
            let pixel = DVec2::new(f64::from(x), f64::from(y));
            let hit = painter.camera_hit(painter.camera.direction(pixel.x / size.x, pixel.y / size.y));
            let shape = hit.and_then(|hit| hit.object).and_then(|shape| points.get_mut(shape.index()));
            if let Some(points) = shape {
                points.push(pixel);
            }
        }
    }
    points
}

fn mean(points: &[DVec2]) -> DVec2 {
    points.iter().sum::<DVec2>() / points.len().max(1) as f64
}

/// In the middle of a large shape, else above, below or beside it.
fn of_bounded(name: &str, points: &[DVec2]) -> Vec<DVec2> {
    let first = points.first().copied().unwrap_or_default();
    let (min, max) = points.iter().fold((first, first), |(min, max), p| (min.min(*p), max.max(*p)));
    let (center, half) = (mean(points), (max - min) / 2.0);
    let is_large = (half - half_size(name) * 1.6).min_element() > 0.0;
    let middle = is_large.then_some(center);
    let around = beside(name, (min + max) / 2.0, half - 2.0);
    middle.into_iter().chain(around).chain([center]).collect()
}

/// Places where the whole label lies on the shape and far from others, the nearest to the middle of its visible part
/// first.
fn of_ground(name: &str, points: &[DVec2], visible: &[Vec<DVec2>]) -> Vec<DVec2> {
    let (center, half) = (mean(points), half_size(name) + f64::from(STEP));
    let covers = |place: DVec2, point: &DVec2| (*point - place).abs().cmple(half).all();
    let own = |place: DVec2| points.iter().filter(|point| covers(place, point)).count();
    let all = |place: DVec2| visible.iter().flatten().filter(|point| covers(place, point)).count();
    let mut places: Vec<DVec2> = points.to_vec();
    places.sort_by(|a, b| (*a - center).length_squared().total_cmp(&(*b - center).length_squared()));
    let step = places.len().div_ceil(400);
    let full = (2.0 * half / f64::from(STEP)).element_product() * 0.8;
    let free: Vec<DVec2> = places
        .iter()
        .step_by(step.max(1))
        .copied()
        .filter(|place| {
            let own = own(*place);
            own as f64 >= full && own == all(*place)
        })
        .collect();
    if free.is_empty() { places.into_iter().take(1).collect() } else { free }
}
