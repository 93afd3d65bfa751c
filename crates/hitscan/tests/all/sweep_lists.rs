//! Sweeps with several contacts, through views of a scene, and their explanations.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Approach, Capsule, Cuboid, Faces, Group, HalfSpace, Inside, Object, ObjectId, Query, Ray, Real, Scene, Shape,
    Sphere, Step, SweepHit, SweepQuery, Transform, Triangle, Triggers, UserGeometry, UserHit, UserShape, Vector,
};

/// A scene of any shapes, groups, transforms, layers and triggers.
pub(crate) fn scene<V: World>(rng: &mut Rng) -> Scene<V> {
    let mut scene = Scene::<V>::new();
    while scene.len() < 12 {
        let draw = if rng.once_in(2) { Draw::Lattice } else { Draw::Ordinary };
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) else { continue };
        let mut object = if rng.below(5) == 0 {
            let mut inner = Scene::<V>::new();
            inner.insert(Object::new(shape.clone())).unwrap();
            inner.insert(Object::new(shape).as_trigger()).unwrap();
            Object::new(Group::new(inner).unwrap())
        } else {
            Object::new(shape)
        };
        if rng.below(3) == 0 {
            object = object.with_transform(Transform::from_translation(rng.vector(draw)).unwrap());
        }
        object = object.on_layers(1 << rng.below(3)).with_user_data(scene.len() as u64);
        scene.insert(if rng.below(4) == 0 { object.as_trigger() } else { object }).unwrap();
    }
    if rng.once_in(2) {
        scene.commit();
    }
    scene
}

/// A cast at one shape.
type Cast<'a, V> = &'a dyn Fn(&dyn Shape<V>, Query<<V as Vector>::Scalar>) -> Option<SweepHit<V>>;

/// The number of an object, and the numbers of a contact with it.
type Contact<V> = (Option<usize>, <V as Vector>::Scalar, V, Option<<V as Vector>::Scalar>);

/// Each object by itself, in the order of `t`.
fn one_by_one<V: World>(
    scene: &Scene<V>,
    sees: &dyn Fn(ObjectId, &Object<V>) -> bool,
    cast: Cast<'_, V>,
    query: Query<V::Scalar>,
) -> Vec<(ObjectId, SweepHit<V>)> {
    let all = if query.trigger_mode() == Triggers::Pass { query.triggers(Triggers::Hit) } else { query };
    let seen = scene.objects().filter(|(id, object)| sees(*id, object) && object.is_seen_by(&all));
    let mut found: Vec<_> =
        seen.filter_map(|(id, object)| Some((id, cast(object.instance(), object.own_query(&all))?))).collect();
    let depth = |hit: &SweepHit<V>| hit.depth.map_or(0.0, Real::to_f64);
    found.sort_by(|(_, a), (_, b)| a.t.partial_cmp(&b.t).unwrap().then(depth(b).partial_cmp(&depth(a)).unwrap()));
    found
}

fn lists<V: World>(seed: u64) {
    let mut counts = [0; 4];
    for round in 0..250 {
        let rng = &mut Rng::for_stream(seed, round);
        let scene = scene::<V>(rng);
        let ray = Ray::new(rng.vector::<V>(Draw::Ordinary), rng.vector(Draw::Ordinary));
        let radius = V::Scalar::from_f64(rng.between(0.25, 1.0));
        let volume = Cuboid::new(ray.origin, V::splat(radius)).unwrap();
        let query = match rng.below(6) {
            0 => Query::new().triggers(Triggers::Ignore),
            1 => Query::new().layers(3),
            2 => Query::new().inside(Inside::Hollow),
            3 => Query::new().approach(Approach::Only),
            4 => Query::from(..=V::Scalar::from_f64(1.0)).faces(Faces::Front),
            _ => Query::new(),
        };
        let first = scene.objects().nth(rng.below(12)).unwrap().0;
        let not_three = |_: ObjectId, object: &Object<V>| !object.user_data().is_multiple_of(3);
        type Sees<'a, V> = &'a dyn Fn(ObjectId, &Object<V>) -> bool;
        let (filtered, excluding) = (scene.filtered(not_three), scene.excluding([first]));
        let (layers, solid) = (scene.on_layers(5), scene.without_triggers());
        // What each view shows: of groups, without the triggers in them.
        let views: [(&dyn Shape<V>, Sees<'_, V>); 4] = [
            (&scene, &|_, _| true),
            (&filtered, &not_three),
            (&excluding, &|id, _| id != first),
            (&layers, &|_, object| object.layers() & 5 != 0),
        ];
        for (view, sees) in views {
            let all = [view.cast_sphere_all(&ray, radius, query), view.cast_volume_all(volume, ray.direction, query)];
            let expected = [
                one_by_one(&scene, sees, &|shape, query| shape.cast_sphere(&ray, radius, query), query),
                one_by_one(&scene, sees, &|shape, query| shape.cast_volume(volume, ray.direction, query), query),
            ];
            let triggers = if query.trigger_mode() == Triggers::Pass { Triggers::Hit } else { Triggers::Ignore };
            let firsts = [
                view.cast_sphere(&ray, radius, query.triggers(triggers)),
                view.cast_volume(volume, ray.direction, query.triggers(triggers)),
            ];
            for ((all, expected), first) in all.iter().zip(&expected).zip(firsts) {
                counts[0] += all.len();
                counts[1] += all.iter().filter(|hit| hit.is_trigger).count();
                counts[2] += all.iter().filter(|hit| hit.depth.is_some()).count();
                // In order, the first one first, each object once.
                assert_eq!(all.first().copied(), first, "{scene:?} {ray:?} {radius} {query:?}");
                assert!(all.windows(2).all(|pair| pair[0].t <= pair[1].t));
                let own =
                    |id: Option<ObjectId>, hit: &SweepHit<V>| (id.map(ObjectId::index), hit.t, hit.point, hit.depth);
                let mut found: Vec<_> = all.iter().map(|hit| own(hit.object, hit)).collect();
                let mut expected: Vec<_> = expected.iter().map(|(id, hit)| own(Some(*id), hit)).collect();
                let by_id = |list: &mut Vec<Contact<V>>| list.sort_by_key(|row| row.0);
                let times = |list: &[Contact<V>]| -> Vec<_> { list.iter().map(|row| (row.1, row.3)).collect() };
                assert_eq!(times(&found), times(&expected), "{scene:?} {ray:?} {radius} {query:?}");
                by_id(&mut found);
                by_id(&mut expected);
                assert_eq!(found, expected, "{scene:?} {ray:?} {radius} {query:?}");
            }
        }
        let solid = solid.cast_sphere_all(&ray, radius, query);
        counts[3] += solid.len();
        assert!(solid.iter().all(|hit| !hit.is_trigger));
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn lists_have_the_first_contact_with_each_object() {
    lists::<DVec3>(1);
    lists::<Vec3>(2);
    lists::<DVec2>(3);
    lists::<Vec2>(4);
}

/// Of contacts at the same time, a face comes before an edge, and then the object that was inserted first.
#[test]
fn lists_are_in_the_order_of_the_first_contact() {
    let mut scene = Scene::<DVec3>::new();
    let block =
        |x: f64, depth: f64| Object::new(Cuboid::new(DVec3::new(x, 0.0, -depth), DVec3::new(0.5, 0.5, depth)).unwrap());
    let beside = scene.insert(block(-0.5, 0.5)).unwrap();
    let below = scene.insert(block(0.5, 0.25)).unwrap();
    let other = scene.insert(block(0.5, 0.75)).unwrap();
    let cube = Cuboid::new(DVec3::new(0.5, 0.0, 2.5), DVec3::splat(0.5)).unwrap();
    let found = scene.cast_volume_all(cube, -DVec3::Z, ..);
    let ids: Vec<_> = found.iter().map(|hit| hit.object.unwrap()).collect();
    assert_eq!((ids, found[0].t), (vec![below, other, beside], 2.0));
    // At the start the deepest comes first.
    let found = scene.cast_sphere_all(&Ray::new(DVec3::new(0.75, 0.0, 0.5), DVec3::X), 1.0, ..);
    let depths: Vec<_> = found.iter().map(|hit| hit.depth.unwrap()).collect();
    assert!(depths.is_sorted_by(|a, b| a >= b) && depths.len() == 3, "{depths:?}");
    // Shapes, meshes and instances have one contact, and nothing has none.
    assert_eq!(
        Sphere::new(DVec3::X * 5.0, 1.0).unwrap().cast_sphere_all(&Ray::new(DVec3::ZERO, DVec3::X), 1.0, ..).len(),
        1
    );
    assert_eq!(scene.cast_sphere_all(&Ray::new(DVec3::ZERO, DVec3::ZERO), 1.0, ..), []);
    assert_eq!(scene.cast_sphere_all(&Ray::new(DVec3::ZERO, DVec3::X), -1.0, ..), []);
    assert_eq!(scene.cast_sphere_all(&Ray::new(DVec3::ZERO, DVec3::X), 1.0, 2.0..=1.0), []);
}

/// A geometry without a measure and without bounds.
#[derive(Debug)]
pub(crate) struct Unmeasured;

impl UserGeometry<DVec3> for Unmeasured {
    fn aabb(&self) -> hitscan::Aabb<DVec3> {
        hitscan::Aabb { min: DVec3::new(f64::NEG_INFINITY, 4.0, -1.0), max: DVec3::new(f64::INFINITY, 6.0, 1.0) }
    }
    fn cast(&self, _ray: &Ray<DVec3>, _range: core::ops::RangeInclusive<f64>) -> Option<UserHit<DVec3>> {
        None
    }
}

#[test]
fn lists_miss_nothing_that_cannot_be_measured() {
    let mut scene = Scene::<DVec3>::new();
    scene.insert(Object::new(Sphere::new(DVec3::Y * 2.0, 1.0).unwrap())).unwrap();
    scene.insert(Object::new(UserShape::new(Unmeasured))).unwrap();
    let ray = Ray::new(DVec3::ZERO, DVec3::Y);
    assert_eq!(scene.cast_sphere(&ray, 0.5, ..).map(|hit| hit.t), Some(0.5));
    assert!(scene.try_cast_sphere_all(&ray, 0.5, ..).is_err());
    assert_eq!(scene.cast_sphere_all(&ray, 0.5, ..), []);
    assert_eq!(scene.try_cast_sphere_all(&ray, 0.5, ..=3.0).unwrap().len(), 1);
}

#[test]
fn explanations_name_the_rule() {
    let wall = Cuboid::new(DVec3::X * 5.0, DVec3::ONE).unwrap();
    let ray = Ray::new(DVec3::ZERO, DVec3::X);
    let verdict = |explanation: hitscan::Explanation| match explanation.steps.last() {
        Some(Step::Verdict(text)) => *text,
        other => panic!("{other:?}"),
    };
    let explained = wall.explain_sphere(&ray, 0.5, ..);
    assert!(explained.steps.contains(&Step::Number("t", 3.5)), "{explained}");
    assert!(explained.steps.contains(&Step::Number("normal x", -1.0)), "{explained}");
    assert!(verdict(explained).contains("the first one within"));
    // One reason after another.
    let standing = Capsule::new(DVec3::new(3.5, 0.0, -1.0), DVec3::new(3.5, 0.0, 1.0), 0.5).unwrap();
    let away = |query: Query<f64>| verdict(wall.explain_volume(standing, -DVec3::X, query));
    assert!(away(Query::new()).contains("where the range of t begins"));
    assert!(away(Query::new().approach(Approach::Only)).contains("does not approach"));
    assert!(away(Query::new().inside(Inside::Hollow)).contains("hollow"));
    let triangle =
        Triangle::new(DVec3::X * 2.0 - DVec3::Y, DVec3::X * 2.0 + DVec3::Y, DVec3::new(2.0, 0.0, 1.0)).unwrap();
    let one_way = |faces| verdict(triangle.explain_sphere(&ray, 0.5, Query::new().faces(faces)));
    assert!(one_way(Faces::Back).contains("within") != one_way(Faces::Front).contains("within"));
    assert!(one_way(Faces::Back).contains("side") != one_way(Faces::Front).contains("side"));
    assert!(verdict(wall.explain_sphere(&ray, 0.5, ..=2.0)).contains("outside of the range"));
    // Limits by a distance, and those of a segment, are limits of the range, too.
    let near = Query::new().within_distance(2.0);
    assert!(verdict(wall.explain_sphere(&ray, 0.5, near)).contains("outside of the range"));
    let farther = hitscan::Volume::from(standing).moved_by(DVec3::X * -3.0);
    assert!(verdict(wall.explain_volume(farther, DVec3::X, near)).contains("outside of the range"));
    let segment = hitscan::Segment::new(DVec3::ZERO, DVec3::X);
    assert!(verdict(wall.explain_sphere(&segment, 0.5, ..)).contains("outside of the range"));
    assert!(
        verdict(wall.explain_sphere(&Ray::new(DVec3::Y * 5.0, DVec3::X), 0.5, ..))
            .contains("nothing on the whole line")
    );
    assert!(verdict(wall.explain_sphere(&Ray::new(DVec3::ZERO, DVec3::ZERO), 0.5, ..)).contains("no motion"));
    assert!(verdict(wall.explain_sphere(&ray, -1.0, ..)).contains("radius"));
    assert!(verdict(wall.explain_sphere(&ray, 0.5, 2.0..=1.0)).contains("empty"));
    let mut scene = Scene::<DVec3>::new();
    scene.insert(Object::new(HalfSpace::new(DVec3::X * 9.0, -DVec3::X).unwrap()).as_trigger()).unwrap();
    assert!(verdict(scene.explain_sphere(&ray, 0.5, ..)).contains("triggers"));
    let hit = scene.explain_sphere(&ray, 0.5, Query::new().triggers(Triggers::Hit)).to_string();
    assert!(hit.starts_with("scene") && hit.contains("face normal x") && hit.contains("number of the object"), "{hit}");
}
