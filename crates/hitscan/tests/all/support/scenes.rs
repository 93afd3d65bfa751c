//! Random scenes.

use super::{Draw, Rng, Sample, World};
use hitscan::{Basis, Group, Object, Real, Scene, Shape, Transform};

/// Rotation by a basis, one scale for all axes, perhaps a mirror, and a translation.
fn similarity<V: World>(rng: &mut Rng) -> Transform<V> {
    let basis = rng.basis::<V>(Draw::Ordinary).unwrap_or(Basis::identity());
    let scale = V::splat(V::Scalar::from_f64(rng.pick(&[0.5, 1.0, -2.0, 3.0])));
    Transform::from_basis(&basis, rng.vector(Draw::Ordinary)).unwrap().with_scale(scale).unwrap()
}

/// Scene of random shapes, transforms, triggers, layers and groups, after random edits.
pub(crate) fn changed_scene<V: World>(rng: &mut Rng, count: usize, draw: Draw) -> Scene<V> {
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    while scene.len() < count {
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) else { continue };
        // Planes would be the first and the closest nearly everywhere.
        if !shape.aabb().is_bounded() && !rng.once_in(8) {
            continue;
        }
        let mut object = Object::new(shape.clone());
        match rng.below(8) {
            0 => object = object.as_trigger(),
            1 | 2 => object = object.with_transform(similarity(rng)),
            3 => object = object.on_layers(2),
            4 => {
                let mut inner = Scene::new();
                inner.insert(Object::new(shape.clone())).unwrap();
                inner.insert(Object::new(shape).with_transform(similarity(rng))).unwrap();
                object = Object::new(Group::new(inner).unwrap()).with_transform(similarity(rng));
            }
            _ => {}
        }
        ids.push(scene.insert(object).unwrap());
        if rng.once_in(10) {
            scene.commit();
        }
        if rng.once_in(4) {
            let _ = scene.set_transform(rng.pick(&ids), similarity(rng));
        }
        if rng.once_in(10) {
            let _ = scene.remove(rng.pick(&ids));
        }
    }
    scene
}
