//! Scenes without triggers: every query sees what is left, in groups, too.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Cuboid, Group, Hit, InsideRule, Object, OverlapQuery, PointQuery, Query, Ray, RayCast, Real, Scene, Shape,
    SweepQuery, Transform, Triggers, Vector,
};

/// A scene, and the same without its triggers, with the same ids.
fn scenes<V: World>(rng: &mut Rng) -> [Scene<V>; 2] {
    let (mut whole, mut less) = (Scene::<V>::new(), Scene::<V>::new());
    let (count, mut triggers) = (rng.pick(&[1, 2, 6, 20]), Vec::new());
    while whole.len() < count {
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, Draw::Ordinary) else { continue };
        let Some(other) = V::shape(rng.below(V::KINDS), rng, Draw::Ordinary) else { continue };
        let moved = Transform::from_translation(rng.vector(Draw::Ordinary)).unwrap();
        let is_trigger = rng.below(3) == 0;
        let mut objects = if rng.below(4) == 0 {
            // A group with a trigger and another member.
            let (mut all, mut rest) = (Scene::<V>::new(), Scene::<V>::new());
            let trigger = all.insert(Object::new(shape.clone()).as_trigger()).unwrap();
            rest.insert(Object::new(shape)).unwrap();
            for scene in [&mut all, &mut rest] {
                scene.insert(Object::new(other.clone())).unwrap();
            }
            rest.remove(trigger).unwrap();
            [all, rest].map(|scene| Object::new(Group::new(scene).unwrap()))
        } else {
            [Object::new(shape.clone()), Object::new(shape)]
        };
        if rng.once_in(2) {
            objects = objects.map(|object| object.with_transform(moved));
        }
        let [object, without] = objects;
        let id = whole.insert(if is_trigger { object.as_trigger() } else { object }).unwrap();
        assert_eq!(less.insert(without).unwrap(), id);
        if is_trigger {
            triggers.push(id);
        }
    }
    triggers.into_iter().for_each(|id| drop(less.remove(id).unwrap()));
    if rng.once_in(2) {
        whole.commit();
    }
    [whole, less]
}

/// The numbers of members of a group without its trigger are others.
fn hit<V: Vector>(hit: Hit<V>) -> Hit<V> {
    let mut hit = hit;
    hit.member = None;
    hit
}

fn agrees<V: World>(seed: u64, rounds: u64) {
    let mut found = [0; 8];
    for round in 0..rounds {
        let rng = &mut Rng::for_stream(seed, round);
        let [whole, less] = scenes::<V>(rng);
        let (view, all) = (whole.without_triggers(), Query::new().triggers(Triggers::Hit));
        for _ in 0..4 {
            let point = rng.vector::<V>(Draw::Ordinary);
            // Points.
            found[0] += usize::from(view.contains(point));
            assert_eq!(view.contains(point), less.contains(point), "{whole:?} {point:?}");
            for rule in [InsideRule::Parity, InsideRule::WindingNumber, InsideRule::ParityIfClosed] {
                assert_eq!(view.contains_by(point, rule), less.contains_by(point, rule));
                assert_eq!(view.signed_distance_by(point, rule), less.signed_distance_by(point, rule));
            }
            let near = |scene: &dyn Shape<V>| {
                scene.closest_point(point).map(|found| (found.object, found.primitive, found.point, found.distance))
            };
            found[1] += usize::from(near(&view).is_some());
            assert_eq!(near(&view), near(&less), "{whole:?} {point:?}");
            assert_eq!(view.signed_distance(point), less.signed_distance(point));
            let nearest = |found: Vec<hitscan::ClosestPoint<V>>| -> Vec<_> {
                found.into_iter().map(|found| (found.object, found.primitive, found.distance)).collect()
            };
            assert_eq!(
                nearest(view.closest_primitives(point, 3).unwrap()),
                nearest(less.closest_primitives(point, 3).unwrap())
            );
            assert_eq!(
                nearest(view.closest_objects(point, V::Scalar::MAX, 3).unwrap()),
                nearest(less.closest_objects(point, V::Scalar::MAX, 3).unwrap())
            );
            // Volumes, some of which are large enough to contain whole objects.
            let volume = Cuboid::new(point, V::splat(V::Scalar::from_f64(rng.pick(&[0.25, 1.0, 20.0])))).unwrap();
            found[2] += usize::from(view.overlaps(volume));
            assert_eq!(view.overlaps(volume), less.overlaps(volume), "{whole:?} {volume:?}");
            let ids = |found: Vec<hitscan::Overlap>| found.into_iter().map(|found| found.object).collect::<Vec<_>>();
            assert_eq!(ids(view.overlapping(volume)), ids(less.overlapping(volume)));
            // Rays, by any rule for triggers.
            let ray = Ray::new(point, rng.vector::<V>(Draw::Ordinary));
            for query in [Query::new(), all, Query::new().triggers(Triggers::Ignore)] {
                let first = view.cast_ray(&ray, query).map(hit);
                found[3] += usize::from(first.is_some());
                assert_eq!(first, less.cast_ray(&ray, query).map(hit), "{whole:?} {ray:?}");
                assert_eq!(view.intersects_ray(&ray, query), less.intersects_ray(&ray, query));
                assert_eq!(view.count_hits(&ray, query), less.count_hits(&ray, query));
                let hits =
                    |scene: &dyn Shape<V>| scene.cast_ray_all(&ray, query).into_iter().map(hit).collect::<Vec<_>>();
                assert_eq!(hits(&view), hits(&less));
                assert_eq!(view.spans(&ray, query).len(), less.spans(&ray, query).len());
                assert_eq!(view.object_lengths(&ray, query), less.object_lengths(&ray, query));
                let batch = [ray; 20];
                assert_eq!(view.cast_rays(&batch, query)[19].map(hit), first);
                assert_eq!(view.intersects_rays(&batch, query)[19], first.is_some());
                assert!(view.cast_ray_through(&ray, query).triggers.is_empty());
            }
            // Sweeps.
            let contact =
                |contact: hitscan::SweepHit<V>| (contact.object, contact.primitive, contact.t, contact.normal);
            let sphere = view.cast_sphere(&ray, V::Scalar::from_f64(0.5), all);
            found[4] += usize::from(sphere.is_some());
            assert_eq!(sphere.map(contact), less.cast_sphere(&ray, V::Scalar::from_f64(0.5), all).map(contact));
            assert_eq!(
                view.cast_volume(volume, ray.direction, all).map(contact),
                less.cast_volume(volume, ray.direction, all).map(contact)
            );
            // Other views of the same scene.
            let Some(id) = sphere.and_then(|hit| hit.object) else { continue };
            found[5] += 1;
            let [mine, other] = [whole.excluding([id]).without_triggers(), whole.without_triggers().excluding([id])];
            assert_eq!(near(&mine), near(&less.excluding([id])));
            assert_eq!(near(&mine), near(&other));
            assert_eq!(near(&whole.without_triggers().on_layers(2)), None);
            assert_eq!(near(&whole.without_triggers().filtered(|_, _| false)), None);
            found[6] += usize::from(near(&whole) != near(&view));
        }
        assert_eq!(view.open_meshes(), less.open_meshes());
        found[7] += 1;
    }
    assert!(found.iter().all(|count| *count > 20), "{found:?}");
}

#[test]
fn a_scene_without_triggers_has_no_triggers() {
    agrees::<DVec3>(1, 150);
    agrees::<Vec3>(2, 100);
    agrees::<DVec2>(3, 150);
    agrees::<Vec2>(4, 100);
}
