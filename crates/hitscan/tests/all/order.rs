//! The order of spans, lengths and hits: by exact `t`, and by insertion where that is equal.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::Real;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Cuboid, Group, HalfSpace, Hit, Object, ObjectId, Query, Ray, RayCast, RayColumns, Rectangle, Scene, Side, Span,
    Transform, merge_spans,
};

/// The objects of spans and of first hits: by the number of the object, and of the shape within it.
type Place = (ObjectId, Option<u32>);

fn place<V: World>(hit: &Hit<V>) -> Place {
    (hit.object.unwrap(), hit.member)
}

fn entries<V: World>(spans: &[Span<V>]) -> Vec<Place> {
    spans.iter().filter_map(|span| span.enter.as_ref().map(place)).collect()
}

/// Two half-spaces whose entries differ by 2^-120 / 3: the second one is entered first.
fn nearly_equal() -> Scene<DVec3> {
    let tilt = (-120_f64).exp2();
    let normal = DVec3::new(-1.0, -tilt, 0.0);
    let mut scene = Scene::new();
    for y in [1.0, 0.0] {
        scene.insert(Object::new(HalfSpace::new(DVec3::new(1.0, y, 0.0), normal).unwrap())).unwrap();
    }
    scene
}

/// Spans, hits and lengths of two solids that are entered in the order of `expected`.
fn check_order<V: World>(scene: &Scene<V>, ray: &Ray<V>, query: Query<V::Scalar>, expected: &[usize]) {
    let ids: Vec<ObjectId> = scene.objects().map(|(id, _)| id).collect();
    let expected: Vec<ObjectId> = expected.iter().map(|&i| ids[i]).collect();
    let hits: Vec<_> = scene.cast_ray_all(ray, query).iter().map(|hit| hit.object.unwrap()).collect();
    assert_eq!(hits[..expected.len()], expected);
    let spans: Vec<_> = entries(&scene.spans(ray, query)).into_iter().map(|(id, _)| id).collect();
    assert_eq!(spans, expected);
    let lengths: Vec<_> = scene.object_lengths(ray, query).into_iter().map(|(id, _)| id).collect();
    assert_eq!(lengths, expected);
    // The columns and the shards have the same order.
    let (origins, directions) = ([ray.origin], [ray.direction]);
    let columns = RayColumns::from_points(&origins[..], &directions[..]).unwrap();
    let whole = scene.spans_columns(&columns, query);
    assert_eq!(whole.rows(0).filter_map(|row| whole.enter().object(row)).collect::<Vec<_>>(), expected);
    let shards = scene.split(2).unwrap();
    let parts: Vec<_> = shards.iter().map(|shard| shard.part(&shard.primitives_along(&columns, query))).collect();
    assert_eq!(merge_spans(&columns, query, &parts).unwrap(), whole);
}

#[test]
fn entries_that_round_to_one_t_are_in_exact_order() {
    let ray = Ray::new(DVec3::ZERO, DVec3::new(3.0, 0.0, 0.0));
    check_order(&nearly_equal(), &ray, Query::new(), &[1, 0]);
    // The same in a group, whose shapes are members.
    let mut scene = Scene::new();
    scene.insert(Object::new(Group::new(nearly_equal()).unwrap())).unwrap();
    let members: Vec<_> = scene.spans(&ray, ..).iter().map(|span| span.enter.unwrap().member).collect();
    assert_eq!(members, [Some(1), Some(0)]);
}

/// A half-plane under a transform, and a rectangle in a group: the ray enters both at 5/2.
#[test]
fn entries_at_one_t_are_in_the_order_of_insertion() {
    let half_plane = HalfSpace::new(DVec2::new(-4.0, -1.0), DVec2::Y).unwrap();
    let transform = Transform::new([DVec2::new(-2.0, 0.0), DVec2::new(0.0, 3.0)], DVec2::new(0.0, 2.0)).unwrap();
    let mut inner = Scene::new();
    inner.insert(Object::new(Rectangle::new(DVec2::new(-4.75, -2.0), DVec2::ONE).unwrap())).unwrap();
    let (group, ray) = (Group::new(inner).unwrap(), Ray::new(DVec2::new(-2.25, 1.5), DVec2::NEG_ONE));
    let objects = [Object::new(half_plane).with_transform(transform), Object::new(group)];
    for order in [[0, 1], [1, 0]] {
        let mut scene = Scene::new();
        for i in order {
            scene.insert(objects[i].clone()).unwrap();
        }
        check_order(&scene, &ray, Query::from(1.0..=3.0), &[0, 1]);
        // Both begin where the range does.
        check_order(&scene, &ray, Query::from(2.75..=3.0), &[0, 1]);
    }
}

/// Without a beginning, too, spans are in the order of insertion.
/// Two boxes that the ray enters one after the other and leaves at one `t`: exact numbers compare the exits alone, which come after
/// other hits of the same objects.
#[test]
fn exits_at_one_t_are_in_the_order_of_insertion() {
    let boxes = [(2.0, 1.0), (2.5, 0.5)].map(|(x, half)| Cuboid::new(DVec3::X * x, DVec3::splat(half)).unwrap());
    for [outer, inner] in [[0, 1], [1, 0]] {
        let mut scene = Scene::new();
        let ids = if outer < inner { [boxes[0], boxes[1]] } else { [boxes[1], boxes[0]] }
            .map(|shape| scene.insert(Object::new(shape)).unwrap());
        let hits = scene.cast_ray_all(&Ray::new(DVec3::ZERO, DVec3::X), ..);
        let found: Vec<_> = hits.iter().map(|hit| (hit.t, hit.object.unwrap())).collect();
        assert_eq!(found, [(1.0, ids[outer]), (2.0, ids[inner]), (3.0, ids[0]), (3.0, ids[1])]);
    }
}

#[test]
fn spans_without_a_beginning_are_in_the_order_of_insertion() {
    let mut scene = Scene::new();
    for z in [1.0, 3.0, 2.0] {
        scene.insert(Object::new(HalfSpace::new(DVec3::Z * z, DVec3::Z).unwrap())).unwrap();
    }
    let ray = Ray::new(DVec3::ZERO, DVec3::Z);
    let exits: Vec<_> = scene.spans(&ray, Query::line()).iter().map(|span| span.exit.unwrap().t).collect();
    assert_eq!(exits, [1.0, 3.0, 2.0]);
}

/// A scene of solids with transforms, some of them in groups: on a lattice, where ties are frequent.
fn solids<V: World>(rng: &mut Rng, depth: usize) -> Scene<V> {
    let mut scene = Scene::new();
    while scene.len() < 5 {
        // Boxes, for ties, and every other kind.
        let kind = if rng.once_in(2) { 4 } else { rng.below(V::KINDS) };
        let Some(shape) = V::shape(kind, rng, Draw::Lattice).filter(V::is_solid) else { continue };
        let columns: [V; 3] = core::array::from_fn(|_| rng.vector(Draw::Lattice));
        let transform = Transform::new(&columns[..V::DIM], rng.vector(Draw::Lattice)).unwrap_or(Transform::identity());
        let object = match rng.below(3) {
            0 if depth > 0 => Object::new(Group::new(solids(rng, depth - 1)).unwrap()),
            _ => Object::new(shape),
        };
        let object = if rng.once_in(2) { object.with_transform(transform) } else { object };
        scene.insert(object).unwrap();
    }
    scene
}

/// Where a ray enters solids from outside, spans come in the order of the first hits, which have an order of their own.
fn spans_as_hits<V: World>(count: usize, seed: u64) -> usize {
    let (mut rng, mut ties) = (Rng::new(seed), 0);
    for _ in 0..rounds(count) {
        let scene = solids::<V>(&mut rng, 1);
        for _ in 0..20 {
            let (axis, mut along) = (rng.below(V::DIM), [V::Scalar::ZERO; 3]);
            along[axis] = V::Scalar::from_f64(rng.pick(&[1.0, 3.0, -0.75]));
            let direction = if rng.once_in(2) { V::from_xyz(along) } else { rng.vector(Draw::Lattice) };
            let ray = Ray::new(rng.vector::<V>(Draw::Lattice) - direction * V::Scalar::from_f64(2.0), direction);
            let query = rng.query::<V::Scalar>(Draw::Lattice);
            let spans = scene.spans(&ray, query);
            assert!(spans.windows(2).all(|pair| match [pair[0].enter, pair[1].enter] {
                [Some(a), Some(b)] => a.t <= b.t,
                _ => true,
            }));
            // Spans that begin at a front: those of a mesh that begin inside have no hit there.
            let fronts: Vec<_> =
                spans.iter().filter(|span| span.enter.is_some_and(|at| at.side == Side::Front)).collect();
            let mut entered = Vec::new();
            for hit in scene.cast_ray_all(&ray, query).iter().filter(|hit| hit.side == Side::Front) {
                // Not where a mesh is only touched, nor its further entries.
                let is_entry = fronts.iter().any(|span| span.enter.is_some_and(|at| place(&at) == place(hit)));
                if is_entry && !entered.contains(&place(hit)) {
                    entered.push(place(hit));
                }
            }
            let mut places: Vec<_> = fronts.iter().filter_map(|span| span.enter.as_ref().map(place)).collect();
            places.dedup();
            let t = |span: &Span<V>| span.enter.map(|at| at.t);
            ties += usize::from(fronts.windows(2).any(|pair| t(pair[0]) == t(pair[1])));
            assert_eq!(places, entered, "{scene:?} {ray:?} {query:?}");
        }
    }
    ties
}

#[test]
fn spans_have_the_order_of_hits() {
    let ties = spans_as_hits::<Vec3>(300, 1) + spans_as_hits::<Vec2>(300, 2);
    let fine = spans_as_hits::<DVec3>(90, 3) + spans_as_hits::<DVec2>(90, 4);
    assert!(ties > 100 && fine > 30, "{ties} {fine}");
}
