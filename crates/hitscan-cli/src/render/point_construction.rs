//! The construction of a closest point: the point, the closest point, and the sphere that touches the surface there.

use super::color::{HIT, MISS};
use super::overlay::{Annotations, Note, Stroke, as_dvec3};
use super::translucent_solid::Solid;
use crate::scene::SceneSpace;
use crate::text::number;
use hitscan::{PointQuery, Real, Scene, Shape};
use hitscan_io::fmt::feature;

/// The annotations of the closest point of the shapes on some layers.
pub(crate) fn point_construction<V: SceneSpace>(scene: &Scene<V>, point: V, layers: u32) -> Annotations {
    let (mut annotations, at, seen) = (Annotations::default(), as_dvec3(point), scene.on_layers(layers));
    annotations.focus.push(at);
    let inside = if seen.contains(point) { ", inside" } else { "" };
    annotations.notes.push(Note { point: at, text: format!("point{inside}"), color: MISS });
    let Some(found) = seen.closest_point(point) else {
        annotations.focus_on(scene.finite_bounds());
        return annotations;
    };
    let (to, distance) = (as_dvec3(found.point), found.distance.to_f64());
    let text = format!("closest: {} away, {}", number(distance), feature(found.feature));
    annotations.notes.push(Note { point: to, text, color: HIT });
    annotations.strokes.push(Stroke { from: at, to, color: HIT });
    annotations.add_translucent(Solid::Ball(at, distance), "distance", MISS);
    if let Some(object) = found.object.and_then(|id| scene.get(id)) {
        annotations.focus_on(object.instance().aabb());
    }
    annotations.focus_on_surroundings(scene);
    annotations.axis = Some(to - at);
    annotations
}
