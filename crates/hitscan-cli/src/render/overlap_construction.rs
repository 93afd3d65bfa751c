//! The construction of an overlap: the volume, and the shapes that it overlaps among the others.

use super::color::{HIT, MISS};
use super::overlay::{Annotations, Note};
use super::translucent_solid::Solid;
use crate::scene::SceneSpace;
use crate::text::{count, number};
use hitscan::{ObjectId, OverlapQuery, Scene, Shape, Volume};
use hitscan_io::SphereOrBox;

/// The annotations of a volume and the shapes on some layers.
pub(crate) fn overlap_construction<V: SceneSpace>(
    scene: &Scene<V>,
    volume: &SphereOrBox<V>,
    layers: u32,
) -> Annotations {
    let mut annotations = Annotations::default();
    let found = scene.on_layers(layers).overlapping(Volume::from(volume));
    let solid = Solid::of_volume(volume);
    let color = if found.is_empty() { MISS } else { HIT };
    annotations.add_translucent(solid, "volume", color);
    let [min, max] = solid.corners();
    // What is near the volume, and all of what it overlaps.
    annotations.focus.extend([min - (max - min) / 8.0, max + (max - min) / 8.0]);
    for object in found.iter().filter_map(|overlap| scene.get(overlap.object?)) {
        annotations.focus_on(object.instance().aabb());
    }
    if found.is_empty() {
        annotations.focus_on(scene.finite_bounds());
    }
    annotations.focus_on_surroundings(scene);
    let what = match solid {
        Solid::Ball(_, radius) if V::DIM == 2 => format!("circle of radius {}", number(radius)),
        Solid::Ball(_, radius) => format!("sphere of radius {}", number(radius)),
        _ if V::DIM == 2 => "rectangle".to_owned(),
        _ => "box".to_owned(),
    };
    let overlaps = if found.is_empty() { "nothing".to_owned() } else { count(found.len() as u64, "shape") };
    annotations.notes.push(Note { point: (min + max) / 2.0, text: format!("{what}: overlaps {overlaps}"), color });
    annotations.emphasized = Some(found.iter().filter_map(|overlap| overlap.object).map(ObjectId::index).collect());
    annotations
}
