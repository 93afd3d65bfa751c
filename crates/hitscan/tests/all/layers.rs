//! Layers: every query on some layers answers like a scene that has nothing else, also in groups.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    ClosestPoint, Cuboid, FilteredScene, Group, Hit, InsideRule, Object, ObjectFilter, ObjectId, OverlapQuery,
    PointQuery, Query, RangedRay, Ray, RayCast, Real, Scene, Shape, Space, Span, Sphere, SweepHit, SweepQuery,
    Transform, Vector, Volume,
};

const RULES: [InsideRule; 3] = [InsideRule::Parity, InsideRule::WindingNumber, InsideRule::ParityIfClosed];

/// Scene of objects on layers, of which some are groups, within each other to this depth.
fn scene<V: World>(rng: &mut Rng, count: usize, depth: usize, draw: Draw) -> Scene<V> {
    let mut scene = Scene::new();
    while scene.len() < count {
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) else { continue };
        let mut object = Object::new(shape);
        if depth > 0 && rng.once_in(2) {
            let members = 1 + rng.below(4);
            object = Object::new(Group::new(self::scene::<V>(rng, members, depth - 1, draw)).unwrap());
        }
        if rng.once_in(4) {
            object = object.with_transform(Transform::from_translation(rng.vector(Draw::Lattice)).unwrap());
        }
        if rng.once_in(6) {
            object = object.as_trigger();
        }
        // Most objects are on one layer, so that a mask leaves some out at each level.
        let layers = if rng.once_in(3) { 7 } else { 1 << rng.below(3) };
        scene.insert(object.on_layers(layers)).unwrap();
        if rng.once_in(10) {
            scene.commit();
        }
    }
    scene
}

/// The scene with nothing but what is on a layer of the mask, at each level.
fn reduced<V: Space>(scene: &Scene<V>, mask: u32) -> Scene<V> {
    let mut less = scene.snapshot();
    for (id, object) in scene.objects() {
        if object.layers() & mask == 0 {
            less.remove(id).unwrap();
        } else if let Some(group) = V::as_group(object.shape()) {
            let mut members = Scene::new();
            for (_, member) in group.objects() {
                members.insert(member.clone()).unwrap();
            }
            let members = reduced(&members, mask);
            match members.is_empty() {
                true => drop(less.remove(id).unwrap()),
                false => less.set_shape(id, Group::new(members).unwrap()).unwrap(),
            }
        }
    }
    less
}

// The reduced groups number their shapes anew.
fn hit<V: Vector>(mut hit: Hit<V>) -> Hit<V> {
    hit.member = None;
    hit
}

fn span<V: Vector>(span: Span<V>) -> Span<V> {
    Span { enter: span.enter.map(hit), exit: span.exit.map(hit) }
}

fn point<V: Vector>(mut found: ClosestPoint<V>) -> ClosestPoint<V> {
    found.member = None;
    found
}

fn contact<V: Vector>(mut contact: SweepHit<V>) -> SweepHit<V> {
    contact.member = None;
    contact
}

/// Rays, alone and in batches.
fn same_rays<V: World>(
    view: &FilteredScene<'_, V, impl ObjectFilter<V>>,
    less: &Scene<V>,
    rays: &[Ray<V>],
    query: &Query<V::Scalar>,
) {
    for ray in rays {
        let first = view.cast_ray(ray, query);
        assert_eq!(first.map(hit), less.cast_ray(ray, query).map(hit), "{ray:?} {query:?}");
        assert_eq!(view.intersects_ray(ray, query), first.is_some());
        let all = |hits: hitscan::Hits<V>| hits.into_iter().map(hit).collect::<Vec<_>>();
        assert_eq!(all(view.cast_ray_all(ray, query)), all(less.cast_ray_all(ray, query)));
        assert_eq!(all(view.cast_ray_first(ray, query, 2)), all(less.cast_ray_first(ray, query, 2)));
        assert_eq!(view.count_hits(ray, query), less.count_hits(ray, query));
        let spans = |spans: hitscan::Spans<V>| spans.into_iter().map(span).collect::<Vec<_>>();
        assert_eq!(spans(view.spans(ray, query)), spans(less.spans(ray, query)));
        assert_eq!(view.object_lengths(ray, query), less.object_lengths(ray, query));
        // A hit names its shape by the number within its own group.
        if let (Some(a), Some(b)) = (first, less.cast_ray(ray, query)) {
            let length = |found: Option<hitscan::Thickness<V>>| found.map(|found| found.length);
            assert_eq!(length(view.thickness(&a)), length(less.thickness(&b)), "{ray:?}");
        }
        let end = ray.origin + ray.direction;
        assert_eq!(view.line_of_sight(ray.origin, end, query), less.line_of_sight(ray.origin, end, query));
    }
    let each = |hits: Vec<Option<Hit<V>>>| hits.into_iter().map(|it| it.map(hit)).collect::<Vec<_>>();
    assert_eq!(each(view.cast_rays(rays, query)), each(less.cast_rays(rays, query)));
    assert_eq!(view.intersects_rays(rays, query), less.intersects_rays(rays, query));
}

/// Points: inside, distances, the nearest objects and primitives.
fn same_points<V: World>(view: &FilteredScene<'_, V, impl ObjectFilter<V>>, less: &Scene<V>, at: V) {
    assert_eq!(view.contains(at), less.contains(at), "{at:?}");
    assert_eq!(view.closest_point(at).map(point), less.closest_point(at).map(point));
    assert_eq!(view.signed_distance(at), less.signed_distance(at));
    for rule in RULES {
        assert_eq!(view.contains_by(at, rule), less.contains_by(at, rule));
        let signed = [view.signed_distance_by(at, rule), less.signed_distance_by(at, rule)];
        assert_eq!(signed[0].map(|it| it.distance), signed[1].map(|it| it.distance));
    }
    let limit = V::Scalar::from_f64(3.0);
    let points = |found: Vec<ClosestPoint<V>>| found.into_iter().map(point).collect::<Vec<_>>();
    let objects = |found: Result<Vec<_>, _>| found.map(points).ok();
    assert_eq!(objects(view.closest_objects(at, limit, 3)), objects(less.closest_objects(at, limit, 3)));
    let primitives = |shape: &dyn Shape<V>| {
        let mut found = Vec::new();
        shape.closest_primitives_into(at, limit, 5, &mut found).ok().map(|()| points(found))
    };
    assert_eq!(primitives(view), primitives(less));
}

/// Volumes: overlaps, and sweeps along a ray.
fn same_volumes<V: World>(
    view: &FilteredScene<'_, V, impl ObjectFilter<V>>,
    less: &Scene<V>,
    volume: &Volume<V>,
    ray: &Ray<V>,
) {
    assert_eq!(view.overlaps(volume), less.overlaps(volume), "{volume:?}");
    assert_eq!(view.count_overlapping(volume), less.count_overlapping(volume), "{volume:?}");
    let objects = |shape: &dyn Shape<V>| -> Vec<Option<ObjectId>> {
        shape.overlapping(volume).into_iter().map(|found| found.object).collect()
    };
    assert_eq!(objects(view), objects(less));
    let radius = V::Scalar::from_f64(0.25);
    assert_eq!(view.cast_sphere(ray, radius, ..).map(contact), less.cast_sphere(ray, radius, ..).map(contact));
    let swept = [view.cast_volume(volume, ray.direction, ..), less.cast_volume(volume, ray.direction, ..)];
    let [of_view, of_less] = swept.map(|found| found.map(contact));
    assert_eq!(of_view, of_less);
}

fn scenes<V: World>(count: usize, seed: u64)
where
    Volume<V>: From<Sphere<V>> + From<Cuboid<V>>,
{
    let (mut rng, mut inside) = (Rng::new(seed), 0);
    for _ in 0..rounds(count) {
        let (size, draw) = (rng.pick(&[1, 3, 12, 40]), rng.pick(&[Draw::Lattice, Draw::Ordinary]));
        let mut scene = scene::<V>(&mut rng, size, 2, draw);
        if rng.once_in(2) {
            scene.commit();
        }
        let mask = rng.pick(&[0b001, 0b100, 0b110, 0b1000]);
        let mut less = reduced(&scene, mask);
        let view = scene.on_layers(mask);
        let rays: Vec<_> = (0..40)
            .map(|_| {
                let object = scene.objects().nth(rng.below(scene.len())).unwrap().1;
                let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
                rng.ray::<V>(draw, &object.shape().aabb())
            })
            .collect();
        let query = rng.query::<V::Scalar>(Draw::Lattice);
        same_rays(&view, &less, &rays, &query);
        same_rays(&scene.on_layers(mask | 0b1_0000).on_layers(mask), &less, &rays, &Query::new());
        // The layers of the scene, of the query and of a ray are the same rule: an object is on a layer of all of them.
        for ray in &rays {
            let [own, common] = [query.layers(0b011), query.layers(0b011 & mask)];
            assert_eq!(view.cast_ray_all(ray, own), scene.cast_ray_all(ray, common));
            assert_eq!(view.cast_ray(ray, own), scene.cast_ray(ray, common));
            let ranged = RangedRay::new(*ray, -V::Scalar::MAX, V::Scalar::MAX).layers(5);
            assert_eq!(view.cast_ray_all(&ranged, ..), scene.cast_ray_all(&ranged, Query::new().layers(mask)));
        }
        for ray in &rays {
            inside += usize::from(less.contains(ray.origin));
            same_points(&view, &less, ray.origin);
            let half = rng.pick(&[0.02, 0.3, 2.0, 20.0]);
            let volume: Option<Volume<V>> = match rng.once_in(2) {
                true => Sphere::new(ray.origin, V::Scalar::from_f64(half)).ok().map(Volume::from),
                false => Cuboid::new(ray.origin, V::splat(V::Scalar::from_f64(half))).ok().map(Volume::from),
            };
            volume.iter().for_each(|volume| same_volumes(&view, &less, volume, ray));
        }
        // Ids and layers together.
        let some: Vec<ObjectId> = scene.objects().map(|(id, _)| id).filter(|_| rng.once_in(3)).collect();
        some.iter().for_each(|id| drop(less.remove(*id)));
        same_rays(&scene.excluding(&some).on_layers(mask), &less, &rays, &Query::new());
        same_points(&scene.filtered(|id, _| !some.contains(&id)).on_layers(mask), &less, rays[0].origin);
        // All three in any order, and two filters, in views that live on.
        let (first, rest) = some.split_at(some.len() / 2);
        let views = [
            scene.excluding(first).on_layers(mask).excluding(rest.iter()),
            scene.on_layers(mask | 0b1_0000).excluding(some.clone()).on_layers(mask | 0b10_0000),
        ];
        views.iter().for_each(|view| same_rays(view, &less, &rays[..4], &query));
        let outer = scene.filtered(|_, object| object.layers() & mask != 0).excluding(some.iter().take(1));
        let inner = outer.filtered(|id, _| !rest.contains(&id)).filtered(|id, _| !first.contains(&id)).on_layers(mask);
        same_rays(&inner.clone(), &less, &rays[..4], &query);
        rays[..4].iter().for_each(|ray| same_points(&inner, &less, ray.origin));
        let ball = Volume::from(Sphere::new(rays[0].origin, V::Scalar::ONE).unwrap());
        same_volumes(&inner, &less, &ball, &rays[0]);
    }
    assert!(inside > 10, "{inside}");
}

#[test]
fn scenes_on_layers_answer_like_scenes_without_the_rest() {
    scenes::<Vec3>(24, 21);
    scenes::<Vec2>(30, 22);
    scenes::<DVec3>(6, 23);
    scenes::<DVec2>(9, 24);
}

/// Two balls in a group: what is on layer 1 of the group's members is at x = 10 only.
#[test]
fn members_on_other_layers_do_not_count() {
    let mut members = Scene::new();
    members.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap()).on_layers(0b01)).unwrap();
    members.insert(Object::new(Sphere::new(Vec3::X * 10.0, 1.0).unwrap()).on_layers(0b10)).unwrap();
    let mut scene = Scene::new();
    scene.insert(Object::new(Group::new(members).unwrap()).on_layers(0b11)).unwrap();
    let view = scene.on_layers(0b10);
    let query = Query::new().layers(0b10);
    let ray = Ray::new(Vec3::X * -5.0, Vec3::X);
    assert_eq!([view.cast_ray(&ray, ..), scene.cast_ray(&ray, query)].map(|hit| hit.map(|hit| hit.t)), [Some(14.0); 2]);
    assert!(!view.contains(Vec3::ZERO) && view.contains(Vec3::X * 10.0));
    assert_eq!(view.distance(Vec3::X * 2.0), Some(7.0));
    assert_eq!(view.closest_point(Vec3::X * 2.0).and_then(|found| found.member), Some(1));
    let ball = |x: f32, r: f32| Volume::from(Sphere::new(Vec3::X * x, r).unwrap());
    assert!(!view.overlaps(ball(0.0, 5.0)) && view.overlaps(ball(0.0, 9.0)) && view.overlaps(ball(5.0, 50.0)));
    assert_eq!(scene.on_layers(0b100).count_overlapping(ball(5.0, 50.0)), 0);
}
