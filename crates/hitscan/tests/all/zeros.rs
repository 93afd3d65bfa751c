//! No number of a result is a negative zero, whatever way it was computed.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Cuboid, Faces, Inside, Object, Plane, PointQuery, Query, Ray, RayCast, RayColumns, Real, Scene, SweepQuery,
    Transform,
};

/// The text of a result, which has the signs of its zeros.
fn text(result: &impl core::fmt::Debug) -> String {
    let text = format!("{result:?}");
    let is_zero = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit() || c == 'e');
    assert!(text.split("-0.0").skip(1).all(|rest| !is_zero(rest)), "{text}");
    text
}

fn check<V: World>(count: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut zeros = 0;
    for _ in 0..rounds(count) {
        // Solids and surfaces on a lattice, some of them placed.
        let mut scene = Scene::<V>::new();
        while scene.len() < 6 {
            let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, Draw::Lattice) else { continue };
            let columns: [V; 3] = core::array::from_fn(|_| rng.vector(Draw::Lattice));
            let transform =
                Transform::new(&columns[..V::DIM], rng.vector(Draw::Lattice)).ok().filter(|_| rng.once_in(2));
            let object = Object::new(shape);
            scene.insert(transform.map_or(object.clone(), |transform| object.with_transform(transform))).unwrap();
        }
        // Rays of the lattice, with zeros of both signs.
        let negative =
            |v: V, is_negative: bool| v.map(|x| if is_negative && x == V::Scalar::ZERO { -V::Scalar::ZERO } else { x });
        let rays: Vec<Ray<V>> = (0..40)
            .map(|_| {
                let (origin, direction) = (rng.vector(Draw::Lattice), rng.vector(Draw::Lattice));
                Ray::new(negative(origin, rng.once_in(2)), negative(direction, rng.once_in(2)))
            })
            .collect();
        let query = rng.query::<V::Scalar>(Draw::Lattice);
        let query = if rng.once_in(3) { query.inside(Inside::Hollow).faces(Faces::Back) } else { query };
        for ray in &rays {
            zeros += text(&scene.cast_ray(ray, query)).matches(" 0.0").count();
            text(&scene.cast_ray_all(ray, query));
            text(&scene.spans(ray, query));
            text(&scene.object_lengths(ray, query));
            text(&scene.cast_sphere(ray, V::Scalar::ONE, query));
            text(&scene.cast_volume(Cuboid::new(ray.origin, V::splat(V::Scalar::ONE)).unwrap(), ray.direction, query));
            text(&scene.closest_point(ray.origin));
            text(&scene.signed_distance(ray.origin));
            for (_, object) in scene.objects() {
                if let Some(hit) = object.instance().cast_ray(ray, query) {
                    text(&(hit, hit.spawn_ray(V::splat(V::Scalar::ONE)).origin));
                }
            }
        }
        text(&scene.cast_rays(&rays, query));
        // Shards agree with the whole in every bit.
        let (origins, directions): (Vec<V>, Vec<V>) = rays.iter().map(|ray| (ray.origin, ray.direction)).unzip();
        let columns = RayColumns::from_points(&origins[..], &directions[..]).unwrap();
        let whole = scene.cast_columns_all(&columns, query);
        let shards = scene.split(2).unwrap();
        let mut merge = hitscan::AllMerge::new(columns.len());
        shards.iter().for_each(|shard| merge.add(shard.cast_columns_all(&columns, query)).unwrap());
        let parts: Vec<_> =
            shards.iter().zip(merge.contested()).map(|(shard, contested)| shard.part(&contested)).collect();
        let merged = merge.finish(&columns, query, &parts).unwrap();
        for ray in 0..columns.len() {
            let hits = |lists: &hitscan::HitLists<V>| text(&lists.get(ray).collect::<Vec<_>>());
            assert_eq!(hits(&merged), hits(&whole));
        }
    }
    assert!(zeros > 100, "{zeros}");
}

#[test]
fn no_number_of_a_result_is_a_negative_zero() {
    check::<Vec3>(120, 1);
    check::<Vec2>(120, 2);
    check::<DVec3>(40, 3);
    check::<DVec2>(40, 4);
}

/// A ray from a plane, and one from inside of a box along an axis.
#[test]
fn planes_and_starts_inside() {
    let ray = Ray::new(Vec3::new(3.0, -0.0, 0.0), Vec3::new(1.0, -2.0, 0.0));
    let plane = Plane::new(Vec3::ZERO, Vec3::Y).unwrap();
    let hit = plane.cast_ray(&ray, ..).unwrap();
    assert_eq!((hit.t.to_bits(), hit.distance.to_bits(), hit.point.y.to_bits()), (0, 0, 0));
    let within = Ray::new(Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0));
    let normal = Cuboid::new(Vec3::ZERO, Vec3::ONE).unwrap().cast_ray(&within, Query::new()).unwrap().normal;
    assert_eq!(normal.to_array().map(f32::to_bits), [0, 0, (-1.0f32).to_bits()]);
    assert_eq!(Real::of_result(-0.0f64).to_bits(), 0);
}
