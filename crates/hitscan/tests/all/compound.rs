//! Several volumes that move together.

use crate::support::{Draw, Rng, Sample, World, meshes};
use crate::sweep_lists::{Unmeasured, scene};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Approach, Capsule, Cuboid, Group, Inside, Instance, Object, ObjectId, OverlapQuery, Query, Real, Scene,
    Shape, Sphere, Step, SweepHit, SweepQuery, Transform, TriangleMesh, Triggers, UserShape, Vector, Vector3, Volume,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Up to four spheres, boxes and capsules.
fn parts<V: World>(rng: &mut Rng) -> Vec<Volume<V>> {
    let draw = if rng.once_in(2) { Draw::Lattice } else { Draw::Ordinary };
    let part = |rng: &mut Rng| -> Volume<V> {
        let (at, size) = (rng.vector::<V>(draw), V::Scalar::from_f64(rng.pick(&[0.25, 0.5, 1.0])));
        match rng.below(4) {
            0 => Sphere::new(at, size).unwrap().into(),
            1 => Capsule::new(at, rng.vector(draw), size).unwrap().into(),
            _ => Cuboid::new(at, V::splat(size)).unwrap().into(),
        }
    };
    (0..1 + rng.below(4)).map(|_| part(rng)).collect()
}

/// The contact without the number of the part.
fn of_one<V: Vector>(mut hit: SweepHit<V>) -> SweepHit<V> {
    hit.part = None;
    hit
}

/// The part of a contact.
fn part_of<V: Vector>(hit: &SweepHit<V>) -> usize {
    hit.part.expect("a compound has parts") as usize
}

/// The numbers by which the order of two contacts is known, but for digits beyond the precision.
fn known_order<V: Vector>(hit: &SweepHit<V>) -> (V::Scalar, f64) {
    (hit.t, hit.depth.map_or(0.0, |depth| -depth.to_f64()))
}

/// Checks the queries of a compound at a shape against those of its parts.
fn check<V: Vector>(
    shape: &dyn Shape<V>,
    parts: &[Volume<V>],
    (direction, query): (V, Query<V::Scalar>),
    counts: &mut [usize; 4],
) {
    let case = format!("{:?} {parts:?} {direction:?} {query:?}", shape.aabb().min);
    // The first contact is that of its part, bit for bit, and no part has an earlier one.
    let found = shape.cast_volume(parts, direction, query);
    let each: Vec<_> = parts.iter().map(|part| shape.cast_volume(part, direction, query)).collect();
    assert_eq!(found.is_some(), each.iter().any(Option::is_some), "{case}");
    if let Some(hit) = found {
        assert_eq!(Some(of_one(hit)), each[part_of(&hit)], "{case}");
        assert!(each.iter().flatten().all(|other| known_order(&hit) <= known_order(other)), "{case} {hit:?} {each:?}");
        counts[0] += 1;
        counts[1] += usize::from(part_of(&hit) > 0);
        counts[2] += usize::from(hit.depth.is_some());
    }
    assert_eq!(shape.cast_volume_along(parts, &[direction; 2], query), [found; 2], "{case}");
    // So is that with each object; the first of the list is the first of all.
    let hitting = if query.trigger_mode() == Triggers::Pass { query.triggers(Triggers::Hit) } else { query };
    let all = shape.cast_volume_all(parts, direction, query);
    assert_eq!(all.first().copied(), shape.cast_volume(parts, direction, hitting), "{case}");
    assert!(all.windows(2).all(|pair| known_order(&pair[0]) <= known_order(&pair[1])), "{case}");
    let lists: Vec<_> = parts.iter().map(|part| shape.cast_volume_all(part, direction, query)).collect();
    let objects = |list: &[SweepHit<V>]| -> BTreeSet<Option<ObjectId>> { list.iter().map(|hit| hit.object).collect() };
    assert_eq!(objects(&all), objects(&lists.concat()), "{case}");
    assert_eq!(all.len(), objects(&all).len(), "{case}");
    for hit in &all {
        let of_object = |list: &[SweepHit<V>]| list.iter().copied().find(|other| other.object == hit.object);
        assert_eq!(Some(of_one(*hit)), of_object(&lists[part_of(hit)]), "{case}");
        let others = lists.iter().filter_map(|list| of_object(list));
        assert!(others.into_iter().all(|other| known_order(hit) <= known_order(&other)), "{case}");
    }
    // The explanation has the same numbers.
    let explained = shape.explain_volume(parts, direction, query);
    if let Some(hit) = found {
        assert!(explained.steps.contains(&Step::Number("part of the volume", part_of(&hit) as f64)), "{explained}");
        assert!(explained.steps.contains(&Step::Number("t", hit.t.to_f64())), "{explained}");
    }
    // Overlaps are those of any part, each once.
    let mut union: Vec<_> = parts.iter().flat_map(|part| shape.overlapping(part)).collect();
    let sort = |list: &mut Vec<_>| list.sort_by_key(|o: &hitscan::Overlap| (o.object, o.member, o.primitive));
    sort(&mut union);
    union.dedup();
    let mut found = shape.overlapping(parts);
    sort(&mut found);
    assert_eq!(found, union, "{case}");
    assert_eq!(shape.overlaps(parts), !union.is_empty(), "{case}");
    assert_eq!(shape.count_overlapping(parts), union.len(), "{case}");
    counts[3] += union.len();
}

fn query<S: Real>(rng: &mut Rng) -> Query<S> {
    match rng.below(6) {
        0 => Query::new().triggers(Triggers::Ignore),
        1 => Query::new().layers(3),
        2 => Query::new().inside(Inside::Hollow),
        3 => Query::new().approach(Approach::Only),
        4 => Query::new().within_distance(S::from_f64(2.0)),
        _ => Query::new(),
    }
}

fn scenes<V: World>(seed: u64) {
    let mut counts = [0; 4];
    for round in 0..150 {
        let rng = &mut Rng::for_stream(seed, round);
        let scene = scene::<V>(rng);
        let (parts, way) = (parts::<V>(rng), (rng.vector::<V>(Draw::Ordinary), query(rng)));
        let first = scene.objects().next().unwrap().0;
        let filtered = scene.filtered(|_: ObjectId, object: &Object<V>| !object.user_data().is_multiple_of(3));
        let (excluding, layers, solid) = (scene.excluding([first]), scene.on_layers(5), scene.without_triggers());
        let views: [&dyn Shape<V>; 5] = [&scene, &filtered, &excluding, &layers, &solid];
        for shape in views {
            check(shape, &parts, way, &mut counts);
        }
        // A single shape, and one under a transform.
        if let Some(shape) = V::shape(rng.below(V::KINDS), rng, Draw::Ordinary) {
            check(&shape, &parts, way, &mut counts);
            let moved = Transform::from_translation(rng.vector(Draw::Lattice)).unwrap();
            check(&Instance::new(shape).with_transform(moved), &parts, way, &mut counts);
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn contacts_are_the_first_of_those_of_the_parts() {
    scenes::<DVec3>(1);
    scenes::<Vec3>(2);
    scenes::<DVec2>(3);
    scenes::<Vec2>(4);
}

fn mesh<V: Vector3 + World<Shape: From<TriangleMesh<V>>>>(seed: u64) {
    let mesh: TriangleMesh<V> = meshes::build(meshes::torus(12, 8));
    let placed =
        Instance::new(mesh.clone()).with_transform(Transform::from_translation(V::splat(V::Scalar::ONE)).unwrap());
    let mut counts = [0; 4];
    for round in 0..200 {
        let rng = &mut Rng::for_stream(seed, round);
        let (parts, way) = (parts::<V>(rng), (rng.vector::<V>(Draw::Ordinary), query(rng)));
        check(&mesh, &parts, way, &mut counts);
        check(&placed, &parts, way, &mut counts);
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

#[test]
fn meshes_meet_the_first_part() {
    mesh::<DVec3>(5);
    mesh::<Vec3>(6);
}

/// ```text
///    o  part 0        |
///       o  part 1     | wall          three parts at y = 2, 0, -2; those at the same x are equally early
///    o  part 2        |
/// ```
#[test]
fn of_equal_parts_the_first_counts() {
    let wall = Cuboid::new(Vec3::X * 6.0, Vec3::new(1.0, 9.0, 9.0)).unwrap();
    let ball = |x: f32, y: f32| Volume::from(Sphere::new(Vec3::new(x, y, 0.0), 0.5).unwrap());
    let part = |parts: &[Volume<Vec3>]| wall.cast_volume(parts, Vec3::X, ..).and_then(|hit| hit.part);
    assert_eq!(part(&[ball(0.0, 2.0), ball(1.0, 0.0), ball(0.0, -2.0)]), Some(1));
    assert_eq!(part(&[ball(0.0, 2.0), ball(0.0, 0.0), ball(0.0, -2.0)]), Some(0));
    assert_eq!(part(&[ball(0.0, 2.0), ball(1.0, 0.0), ball(1.0, -2.0)]), Some(1));
    // Also if the parts touch different objects, in any order of insertion.
    let mut scene = Scene::<Vec3>::new();
    let blocks = [-2.0, 2.0].map(|y| Object::new(Cuboid::new(Vec3::new(6.0, y, 0.0), Vec3::ONE).unwrap()));
    let [low, high] = blocks.map(|block| scene.insert(block).unwrap());
    for (parts, expected) in [([2.0, -2.0], [high, low]), ([-2.0, 2.0], [low, high])] {
        let parts = parts.map(|y| ball(0.0, y));
        let all = scene.cast_volume_all(&parts, Vec3::X, ..);
        assert_eq!(all.iter().map(|hit| hit.object).collect::<Vec<_>>(), expected.map(Some));
        assert_eq!(all.iter().map(|hit| hit.part).collect::<Vec<_>>(), [Some(0), Some(1)]);
        assert_eq!(scene.cast_volume(&parts, Vec3::X, ..), Some(all[0]));
    }
    // Where the range begins the deepest counts, and of polytopes a face before an edge.
    let deep = [ball(5.0, 0.0), ball(5.25, 2.0), ball(5.25, -2.0)];
    assert_eq!(part(&deep), Some(1));
    let block = |y: f32| Volume::from(Cuboid::new(Vec3::new(0.0, y, 0.0), Vec3::splat(0.5)).unwrap());
    // The first one touches the wall along an edge of it.
    assert_eq!(part(&[block(9.5), block(0.0)]), Some(1));
}

/// A contact at the start does not stop what slides along it or leaves it; the other parts go on.
#[test]
fn rules_hold_for_each_part() {
    let mut scene = Scene::<DVec3>::new();
    let floor = scene.insert(Object::new(Cuboid::new(-DVec3::Z, DVec3::new(9.0, 9.0, 1.0)).unwrap())).unwrap();
    let wall = scene.insert(Object::new(Cuboid::new(DVec3::X * 6.0 + DVec3::Z * 4.0, DVec3::ONE).unwrap())).unwrap();
    // Wheels on the floor, and a mast that reaches the wall.
    let wheel = |x: f64| Volume::from(Sphere::new(DVec3::new(x, 0.0, 0.5), 0.5).unwrap());
    let mast = Volume::from(Cuboid::new(DVec3::Z * 3.0, DVec3::new(0.25, 0.25, 2.0)).unwrap());
    let vehicle = [wheel(-1.0), wheel(1.0), mast];
    let first =
        |query: Query<f64>| scene.cast_volume(&vehicle, DVec3::X, query).map(|hit| (hit.object, hit.part, hit.t));
    assert_eq!(first(Query::new()), Some((Some(floor), Some(0), 0.0)));
    assert_eq!(first(Query::new().approach(Approach::Only)), Some((Some(wall), Some(2), 4.75)));
    assert_eq!(first(Query::new().inside(Inside::Hollow)), Some((Some(wall), Some(2), 4.75)));
    assert_eq!(first(Query::from(..=4.0).approach(Approach::Only)), None);
    let text = scene.explain_volume(&vehicle, DVec3::X, Query::from(..=4.0).approach(Approach::Only)).to_string();
    assert!(text.contains("does not approach"), "{text}");
    // A group gives the number of its member.
    let group = Group::new(scene).unwrap();
    let hit = group.cast_volume(&vehicle, DVec3::X, Query::new().approach(Approach::Only)).unwrap();
    assert_eq!((hit.member, hit.part), (Some(1), Some(2)));
}

#[test]
fn parts_without_points_touch_nothing() {
    let wall = Cuboid::new(DVec3::X * 5.0, DVec3::ONE).unwrap();
    let (none, ball): (Volume<DVec3>, _) = (Aabb::empty().into(), Sphere::new(DVec3::ZERO, 0.5).unwrap());
    // A volume without points keeps its number.
    let hit = wall.cast_volume(&[none.clone(), ball.into()], DVec3::X, ..).unwrap();
    assert_eq!((hit.t, hit.part), (3.5, Some(1)));
    for parts in [&[][..], &[none]] {
        assert_eq!(wall.cast_volume(parts, DVec3::X, ..), None);
        assert_eq!(wall.cast_volume_all(parts, DVec3::X, ..), []);
        assert_eq!(wall.cast_volume_along(parts, &[DVec3::X], ..), [None]);
        assert!(!wall.overlaps(parts) && wall.overlapping(parts).is_empty());
        assert!(wall.explain_volume(parts, DVec3::X, ..).to_string().contains("no points"));
    }
    assert_eq!(wall.cast_volume(&[ball.into()], DVec3::ZERO, ..), None);
    // A single volume is no part.
    assert_eq!(wall.cast_volume(ball, DVec3::X, ..).map(|hit| hit.part), Some(None));
    let one = vec![Volume::from(ball)];
    assert_eq!(wall.cast_volume(&one, DVec3::X, ..).map(|hit| hit.part), Some(Some(0)));
}

/// A part inside of a closed mesh, and one that touches its surface: together they touch triangles.
#[test]
fn a_compound_that_touches_a_mesh_is_not_inside() {
    let mesh: TriangleMesh<DVec3> = meshes::build(meshes::icosphere(2));
    let ball = |x: f64| Volume::from(Sphere::new(DVec3::X * x, 0.25).unwrap());
    let inside = mesh.overlapping(&[ball(0.0), ball(0.25)]);
    assert_eq!(inside.iter().map(|overlap| overlap.primitive).collect::<Vec<_>>(), [None]);
    let both = mesh.overlapping(&[ball(0.0), ball(1.0)]);
    assert_eq!(both, mesh.overlapping(ball(1.0)));
    assert!(both.len() > 1);
    let mut count = 0;
    let broke = mesh.for_each_overlap(&[ball(1.0), ball(1.0), ball(0.0)], |overlap| {
        count += usize::from(overlap.primitive.is_some());
        if count == both.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(broke.is_break());
}

/// What cannot be measured matters only if it may be touched before the first contact of any part.
#[test]
fn what_is_behind_another_part_need_not_be_measured() {
    let mut scene = Scene::<DVec3>::new();
    scene.insert(Object::new(Sphere::new(DVec3::new(9.0, 2.0, 0.0), 1.0).unwrap())).unwrap();
    scene.insert(Object::new(UserShape::new(Unmeasured))).unwrap();
    let ball = |x: f64| Volume::from(Sphere::new(DVec3::X * x, 0.5).unwrap());
    assert!(scene.try_cast_volume(ball(0.0), DVec3::Y, ..).is_err());
    for (parts, part) in [([0.0, 9.0], 1), ([9.0, 0.0], 0)] {
        let hit = scene.try_cast_volume(&parts.map(ball), DVec3::Y, ..).unwrap().unwrap();
        assert_eq!((hit.t, hit.part), (0.5, Some(part)));
    }
    assert!(scene.try_cast_volume(&[ball(0.0), ball(1.0)], DVec3::Y, ..).is_err());
    assert!(scene.try_cast_volume_all(&[ball(0.0), ball(9.0)], DVec3::Y, ..).is_err());
    assert_eq!(scene.try_cast_volume_all(&[ball(0.0), ball(9.0)], DVec3::Y, ..=3.0).unwrap().len(), 1);
}
