//! Rays with ranges of `t` and layers of their own: the answers of a plain ray whose query has the intersection of both
//! ranges and both masks, bit for bit, one by one and in every kind of batch.

use crate::support::meshes::{build, hall, torus};
use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Group, Inside, Object, Query, Ranged, RangedRay, RangedSegment, Ray, RayCast, RayColumns, RayLike, Real, Scene,
    Segment, Shape, Transform, TriangleMesh, Vector, Vector3,
};
use std::fmt::Debug;

/// Ranges of every kind in turn: endless, empty, points, with infinite and NaN ends, and those that end exactly at `t`.
fn range<S: Real>(i: usize, t: S) -> (S, S) {
    let number = S::from_f64;
    let (inf, nan, max) = (S::INFINITY, S::NAN, S::MAX);
    match i * 7 % 20 {
        0 => (number(0.2), number(0.7)),
        1 => (number(0.7), number(0.2)),
        2 => (-inf, inf),
        3 => (nan, inf),
        4 => (S::ZERO, nan),
        5 => (inf, inf),
        6 => (-inf, -inf),
        7 => (number(-0.5), number(0.5)),
        8 => (t, inf),
        9 => (-inf, t),
        10 => (t, t),
        11 => (number(0.3), number(0.3)),
        12 => (nan, nan),
        13 => (-max, max),
        14 => (number(1e-3), number(1e3)),
        15 => (-S::ZERO, number(1.5)),
        16 => (S::ZERO, t * number(0.999)),
        17 => (t * number(1.001), max),
        _ => (S::ZERO, max),
    }
}

/// The query with the intersection of the ranges and masks; `None` if it hits nothing.
fn narrowed<V: Vector, R>(query: Query<V::Scalar>, own: &Ranged<V, R>) -> Option<Query<V::Scalar>> {
    if [own.t_min, own.t_max].iter().any(|end| end.to_f64().is_nan()) {
        return None;
    }
    let t_min = if query.t_min() < own.t_min { own.t_min } else { query.t_min() };
    let t_max = if query.t_max() > own.t_max { own.t_max } else { query.t_max() };
    Some(query.range(t_min, t_max).layers(query.layer_mask() & own.layers))
}

/// Asserts that all are the first one; a NaN is the same as a NaN.
#[track_caller]
fn same<T: PartialEq + Debug>(all: &[T], what: &dyn Debug) {
    let is_same = |item: &T| *item == all[0] || format!("{item:?}") == format!("{:?}", all[0]);
    assert!(all.iter().all(is_same), "{what:?}: {all:?}");
}

/// Checks one kind of rays, `ranged`, and their columns.
fn check<V: Vector, R: RayLike<V> + Debug>(
    shape: &impl Shape<V>,
    ranged: &[Ranged<V, R>],
    columns: &RayColumns<'_, V>,
    query: Query<V::Scalar>,
) -> usize
where
    Ranged<V, R>: RayLike<V>,
{
    let (hits, any) = (shape.cast_rays(ranged, query), shape.intersects_rays(ranged, query));
    let column_hits = shape.cast_columns(columns, query);
    let (column_any, counts) = (shape.intersects_columns(columns, query), shape.count_columns(columns, query));
    let (all, spans) = (shape.cast_columns_all(columns, query), shape.spans_columns(columns, query));
    assert_eq!((all.len(), spans.len(), counts.len()), (ranged.len(), ranged.len(), ranged.len()));
    for (i, ray) in ranged.iter().enumerate() {
        let (own, what) = (narrowed(query, ray), (ray, query));
        let truth = own.and_then(|own| shape.cast_ray(&ray.ray, own));
        same(&[truth, shape.cast_ray(ray, query), hits[i], column_hits.get(i)], &what);
        same(&[truth.is_some(), shape.intersects_ray(ray, query), any[i], column_any[i]], &what);
        let truth = own.map(|own| shape.cast_ray_all(&ray.ray, own)).unwrap_or_default();
        same(&[truth.len(), shape.count_hits(ray, query), counts[i] as usize], &what);
        same(&[truth, shape.cast_ray_all(ray, query), all.get(i).collect()], &what);
        let truth = own.map(|own| shape.spans(&ray.ray, own)).unwrap_or_default();
        same(&[truth, shape.spans(ray, query), spans.get(i).collect()], &what);
    }
    let lists = (shape.cast_rays_all(ranged, query), shape.spans_rays(ranged, query));
    same(&[lists, (all, spans)], &query);
    assert_eq!(shape.count_rays(ranged, query), counts);
    any.iter().filter(|any| **any).count()
}

/// Checks rays and segments with mixed ranges and layers. Returns the number of hits.
fn check_rays<V: Vector>(shape: &impl Shape<V>, rays: &[Ray<V>], queries: &[Query<V::Scalar>]) -> usize {
    let layers: Vec<u32> = (0..rays.len()).map(|i| [1, 2, 3, 4, 0, u32::MAX, u32::MAX][i % 7]).collect();
    let own = |i: usize, ray: &Ray<V>| range(i, shape.cast_ray(ray, Query::line()).map_or(V::Scalar::ONE, |hit| hit.t));
    let (t_min, t_max): (Vec<_>, Vec<_>) = rays.iter().enumerate().map(|(i, ray)| own(i, ray)).unzip();
    let origins: Vec<V> = rays.iter().map(|ray| ray.origin).collect();
    let directions: Vec<V> = rays.iter().map(|ray| ray.direction).collect();
    let ends: Vec<V> = rays.iter().map(|ray| ray.origin + ray.direction).collect();
    let ranged: Vec<RangedRay<V>> =
        rays.iter().enumerate().map(|(i, ray)| RangedRay::new(*ray, t_min[i], t_max[i]).layers(layers[i])).collect();
    let segments: Vec<RangedSegment<V>> = rays
        .iter()
        .enumerate()
        .map(|(i, ray)| RangedSegment::new(Segment::new(ray.origin, ends[i]), t_min[i], t_max[i]).layers(layers[i]))
        .collect();
    let with_ranges = |columns: RayColumns<'_, V>| -> usize {
        let columns = columns.with_t_min(&t_min).and_then(|columns| columns.with_t_max(&t_max));
        let columns = columns.and_then(|columns| columns.with_layers(&layers)).expect("columns");
        let check = |query: &Query<V::Scalar>| match columns.get(0) {
            Some(_) => check(shape, &ranged, &columns, *query),
            None => check(shape, &segments, &columns, *query),
        };
        queries.iter().map(check).sum()
    };
    with_ranges(RayColumns::from_points(&origins, &directions).expect("rays"))
        + with_ranges(RayColumns::segments(&origins, &ends).expect("segments"))
}

fn shapes<V: World>(seed: u64) {
    let (mut rng, mut hits) = (Rng::new(seed), 0);
    for i in 0..5 * V::KINDS {
        let draw = [Draw::Ordinary, Draw::Lattice, Draw::Ordinary, Draw::Scales, Draw::Bits][i / V::KINDS];
        let Some(shape) = V::shape(i % V::KINDS, &mut rng, draw) else { continue };
        let aabb = shape.aabb();
        let rays: Vec<Ray<V>> = (0..rounds(24)).map(|_| rng.ray(draw, &aabb)).collect();
        let queries = [Query::new(), Query::line().inside(Inside::Hollow), rng.query(draw)];
        hits += check_rays(&shape, &rays, &queries);
    }
    assert!(hits > 400, "{hits}");
}

#[test]
fn shapes_with_ranged_rays() {
    shapes::<Vec2>(71);
    shapes::<Vec3>(72);
    shapes::<DVec2>(73);
    shapes::<DVec3>(74);
}

/// Random rays, rays of one octant after the other, and packets of rays from one origin.
fn rays_at_mesh<V: Vector3>(seed: u64) -> Vec<Ray<V>> {
    let mut rng = Rng::new(seed);
    let mut chord = || -> (V, V) { (rng.in_cube(), rng.in_cube()) };
    let mut rays: Vec<Ray<V>> = (0..1500).map(|_| chord()).map(|(a, b)| Ray::new(a + a, b - a - a)).collect();
    let negative = |ray: &Ray<V>| ray.direction.to_xyz().map(|x| x < V::Scalar::ZERO);
    rays[700..].sort_by_key(negative);
    for view in 0..24 {
        let (a, b) = chord();
        let (eye, number) = (a * V::Scalar::from_f64(3.0), |x: usize| V::Scalar::from_f64(x as f64 * 0.01));
        let pixel = |i: usize| b - eye + V::from_xyz([number(i % 8), number(i / 8), V::Scalar::ZERO]);
        rays.extend((0..64).map(|i| Ray::new(eye, pixel(i))).take(64 - view % 3));
    }
    rays[5].direction = V::splat(V::Scalar::NAN);
    rays[1700].direction = V::splat(V::Scalar::ZERO);
    rays
}

fn meshes<V: Vector3>(seed: u64) {
    for arrays in [torus(40, 24), hall()] {
        let mesh: TriangleMesh<V> = build(arrays);
        let number = V::Scalar::from_f64;
        let queries = [Query::new(), Query::from(number(0.1)..=number(0.8)), Query::line()];
        let hits = check_rays(&mesh, &rays_at_mesh::<V>(seed), &queries);
        assert!(hits > 1000, "{hits}");
    }
}

#[test]
fn meshes_with_ranged_rays() {
    meshes::<Vec3>(81);
    meshes::<DVec3>(82);
}

fn in_scenes<V: World>(seed: u64) {
    let (mut rng, mut hits) = (Rng::new(seed), 0);
    for objects in [1, 2, 40] {
        let mut inner = Scene::new();
        let mut scene = Scene::new();
        let mut count = 0;
        while count < 2 * objects {
            let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, Draw::Ordinary) else { continue };
            if !shape.aabb().is_bounded() {
                continue;
            }
            let mut object = Object::new(shape).on_layers(1 + count % 4);
            if count % 5 == 3 {
                let shift = Transform::from_translation(rng.in_cube()).expect("a translation");
                object = object.with_transform(shift.with_scale(V::splat(V::Scalar::from_f64(1.5))).expect("a scale"));
            }
            (if count % 2 == 0 { &mut scene } else { &mut inner }).insert(object).expect("an object");
            count += 1;
        }
        if objects > 1 {
            let group = Group::new(inner).expect("a group");
            scene.insert(Object::new(group.clone()).on_layers(3)).expect("an object");
            let shift = Transform::from_translation(rng.in_cube()).expect("a translation");
            scene.insert(Object::new(group).with_transform(shift)).expect("an object");
        }
        scene.commit();
        let around = scene.finite_bounds();
        let mut rays: Vec<Ray<V>> = (0..rounds(30)).map(|_| rng.ray(Draw::Ordinary, &around)).collect();
        let eye: V = rng.in_cube::<V>() * V::Scalar::from_f64(6.0);
        rays.extend((0..rounds(32)).map(|_| Ray::new(eye, rng.in_cube::<V>() - eye)));
        hits += check_rays(&scene, &rays, &[Query::new(), Query::new().layers(2), rng.query(Draw::Ordinary)]);
    }
    assert!(hits > rounds(80), "{hits}");
}

#[test]
fn scenes_with_ranged_rays() {
    in_scenes::<Vec2>(91);
    in_scenes::<Vec3>(92);
    in_scenes::<DVec2>(93);
    in_scenes::<DVec3>(94);
}

/// A scene of one mesh hands its batches to the mesh, unless a ray is on other layers.
#[test]
fn a_scene_of_one_mesh() {
    let mut scene = Scene::<Vec3>::new();
    scene.insert(Object::new(build::<Vec3>(torus(40, 24))).on_layers(2)).expect("an object");
    let rays = rays_at_mesh::<Vec3>(83);
    assert!(check_rays(&scene, &rays, &[Query::new(), Query::new().layers(6)]) > 500);
    let ranged = |layers: u32| -> Vec<_> {
        rays.iter().map(|ray| RangedRay::new(*ray, 0.0, f32::INFINITY).layers(layers)).collect()
    };
    assert!(scene.cast_rays(&ranged(2), ..) == scene.cast_rays(&rays, ..));
    assert!(scene.cast_rays(&ranged(1), ..).iter().all(Option::is_none));
}
