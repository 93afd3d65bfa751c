//! Limits by distance: `t * |direction| <= distance`, decided exactly.

use crate::support::{Draw, Rng, Sample, World, meshes, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Columns, Cuboid, HalfSpace, Hit, HitColumns, Inside, Instance, Object, ObjectId, Plane, Query, RangedRay, Ray,
    RayCast, RayColumns, Real, Scene, Segment, Side, Sphere, Step, SweepQuery, Transform, TriangleMesh, Vector,
    Vector3,
};

/// What does not depend on how near the end of the range is: of the distance, the last digit may.
fn key<V: Vector>(hit: Hit<V>) -> (V::Scalar, Option<ObjectId>, Side) {
    (hit.t, hit.object, hit.side)
}

/// A wall at x = 10, and rays of every length straight at it: `t` is 10 / length, which few lengths divide.
#[test]
fn a_wall_at_exactly_the_distance_is_hit() {
    fn check<V: World<Scalar = S>, S: Real>(wall: &impl RayCast<V>) {
        let ten = S::from_f64(10.0);
        for i in 1..2_000 {
            let length = S::from_f64(f64::from(i) * 0.37);
            let along = V::from_xyz([length, S::ZERO, S::ZERO]);
            let ray = Ray::new(V::default(), along);
            let within = |distance: S| Query::from(..).within_distance(distance);
            let hit = wall.cast_ray(&ray, within(ten));
            assert_eq!(hit.map(key), wall.cast_ray(&ray, ..).map(key), "{length}");
            assert!(hit.is_some() && wall.intersects_ray(&ray, within(ten)));
            assert_eq!(
                (wall.cast_ray(&ray, within(ten.next_down())), wall.count_hits(&ray, within(ten.next_down()))),
                (None, 0)
            );
            assert!(
                !wall.intersects_ray(&ray, within(ten.next_down())) && wall.intersects_ray(&ray, within(ten.next_up()))
            );
            assert_eq!(wall.cast_ray_all(&ray, within(ten)).len(), wall.cast_ray_all(&ray, ..).len());
            assert_eq!(wall.cast_rays(&[ray], within(ten.next_down())), [None]);
            let segment = Segment::new(V::default(), along * S::from_f64(1000.0));
            assert!(
                wall.cast_ray(&segment, within(ten)).is_some()
                    && wall.cast_ray(&segment, within(ten.next_down())).is_none()
            );
        }
    }
    let corners = [Vec3::new(10.0, -1.0, -1.0), Vec3::new(10.0, 3.0, -1.0), Vec3::new(10.0, -1.0, 3.0)];
    check::<Vec3, f32>(&Plane::new(Vec3::X * 10.0, Vec3::X).unwrap());
    check::<Vec3, f32>(&TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap());
    check::<DVec3, f64>(&HalfSpace::new(DVec3::X * 10.0, -DVec3::X).unwrap());
    check::<DVec3, f64>(&TriangleMesh::new(corners.map(Vec3::as_dvec3).to_vec(), vec![[0, 1, 2]]).unwrap());
    let moved = Transform::new([DVec2::X * 4.0, DVec2::Y], DVec2::X * 6.0).unwrap();
    check::<DVec2, f64>(&Instance::new(Plane::new(DVec2::X, DVec2::X).unwrap()).with_transform(moved));
    let mut scene = Scene::<Vec2>::new();
    scene.insert(Object::new(Plane::new(Vec2::X * 10.0, Vec2::X).unwrap())).unwrap();
    check::<Vec2, f32>(&scene);
}

/// A sphere whose nearest point is sqrt(3) * 2 away along (1, 1, 1): the distance is no number, so both neighbours decide.
#[test]
fn distances_that_are_no_numbers() {
    let corner = DVec3::splat(2.0);
    let cube = Cuboid::new(DVec3::splat(3.0), DVec3::ONE).unwrap();
    let root = 12f64.sqrt(); // rounded down: root * root < 12 in exact numbers
    let ray = Ray::new(DVec3::ZERO, corner * 0.1);
    for (distance, is_hit) in [(root.next_down(), false), (root, false), (root.next_up(), true)] {
        let query = Query::from(..).within_distance(distance);
        assert_eq!(cube.intersects_ray(&ray, query), is_hit, "{distance}");
        // The explanation ends with the same answer.
        let steps = cube.explain(&ray, query).steps;
        let verdict = |step: &Step| if let Step::Verdict(text) = step { Some(*text) } else { None };
        let last = steps.iter().rev().find_map(verdict).unwrap();
        assert_eq!(last.starts_with("hit"), is_hit, "{distance} {last}");
        assert_eq!(last.contains("beyond the distance"), distance == root, "{distance} {last}");
        assert_eq!(cube.count_hits(&ray, query), usize::from(is_hit));
    }
}

/// Every query of every shape, alone and in scenes, against the distances of the hits without a limit.
fn limits_agree<V: World>(count: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let (mut kept, mut lost) = (0, 0);
    for round in 0..rounds(count) {
        let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
        let mut scene = Scene::<V>::new();
        let size = [1, 6, 40][round % 3];
        while scene.len() < size {
            if let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, draw) {
                scene.insert(Object::new(shape)).unwrap();
            }
        }
        let rays: Vec<Ray<V>> = (0..40)
            .map(|_| {
                let object = scene.objects().nth(rng.below(scene.len())).map(|(_, object)| object.shape().clone());
                rng.ray(draw, &object.map_or_else(hitscan::Aabb::everything, |shape| hitscan::Shape::aabb(&shape)))
            })
            .collect();
        let base = rng.query::<V::Scalar>(Draw::Lattice).inside(rng.pick(&[Inside::Solid, Inside::Hollow]));
        // Distances at hits, beside them, and far from them.
        let distances: Vec<V::Scalar> = rays
            .iter()
            .map(|ray| {
                let hits = scene.cast_ray_all(ray, base);
                let at = if hits.is_empty() { V::Scalar::ONE } else { hits[rng.below(hits.len())].distance };
                [at, at.next_up(), at.next_down(), at + at, V::Scalar::from_f64(-1.0), V::Scalar::INFINITY]
                    [rng.below(6)]
            })
            .collect();
        let columns = |rays: &[Ray<V>]| -> [Vec<V>; 2] {
            [rays.iter().map(|ray| ray.origin).collect(), rays.iter().map(|ray| ray.direction).collect()]
        };
        let [origins, directions] = columns(&rays);
        let table = RayColumns::<V>::from_points(&origins, &directions).unwrap().with_max_distance(&distances).unwrap();
        let by_columns = scene.cast_columns(&table, base);
        let any_by_columns = scene.intersects_columns(&table, base);
        let counts = scene.count_columns(&table, base);
        let lists = scene.cast_columns_all(&table, base);
        let mut only = HitColumns::new(Columns::IS_HIT);
        scene.cast_columns_into(&table, base, &mut only);
        for (row, (ray, &distance)) in rays.iter().zip(&distances).enumerate() {
            let query = base.within_distance(distance);
            // What is certain: hits whose rounded distance is clearly on one side. Distances at the limit itself may go either way.
            let all = scene.cast_ray_all(ray, base);
            let found = scene.cast_ray_all(ray, query);
            assert!(found.iter().zip(&all).all(|(a, b)| key(*a) == key(*b)), "the first hits: {found:?} {all:?}");
            let slack =
                |hit: &Hit<V>| V::Scalar::from_f64(hit.distance.to_f64().abs() * 4.0 * V::Scalar::EPSILON.to_f64());
            assert!(found.iter().all(|hit| hit.distance - slack(hit) <= distance), "{ray:?} {distance}");
            assert!(all[found.len()..].iter().all(|hit| hit.distance + slack(hit) >= distance), "{ray:?} {distance}");
            kept += found.len();
            lost += all.len() - found.len();
            // All queries decide alike, and batches as single rays.
            let closest = scene.cast_ray(ray, query);
            let whole = scene.cast_ray(ray, base);
            assert!(closest.is_none() || closest.map(key) == whole.map(key));
            if closest.is_none() && whole.is_some_and(|hit| hit.distance < distance) {
                assert!(whole.is_some_and(|hit| hit.distance + slack(&hit) >= distance), "{ray:?} {distance}");
            }
            if !found.is_empty() {
                assert!(closest.is_some() || found[0].is_trigger);
            }
            assert_eq!(scene.intersects_ray(ray, query), closest.is_some());
            assert_eq!(scene.count_hits(ray, query), found.len());
            assert_eq!(scene.cast_ray_where(ray, query, |_| true), closest);
            assert_eq!(scene.cast_rays(&[*ray], query), [closest]);
            assert_eq!(scene.intersects_rays(&[*ray], query), [closest.is_some()]);
            assert_eq!(by_columns.get(row), closest, "{ray:?} {distance}");
            assert_eq!((any_by_columns[row], only.is_hit()[row]), (closest.is_some(), closest.is_some()));
            assert_eq!((counts[row] as usize, lists.get(row).count()), (found.len(), found.len()));
            // Spans lie within.
            for span in scene.spans(ray, query) {
                // Of the rounding of `t`, more may be left where it is subnormal.
                let most = |hit: Hit<V>| distance + slack(&hit) + V::Scalar::from_f64(1e-37);
                let is_within = |hit: Hit<V>| !(hit.distance > most(hit));
                assert!([span.enter, span.exit].into_iter().flatten().all(is_within), "{span:?} {ray:?} {distance}");
            }
        }
    }
    assert!(kept > 50 && lost > 50, "{kept} {lost}");
}

#[test]
fn every_query_keeps_the_limit() {
    limits_agree::<Vec3>(30, 1);
    limits_agree::<Vec2>(30, 2);
    limits_agree::<DVec3>(12, 3);
    limits_agree::<DVec2>(12, 4);
}

/// Batches that are long enough for ray streams, at a mesh by itself and at a mesh beside a ball, where the hits at the ball end
/// the rays at the mesh.
#[test]
fn batches_at_large_meshes_keep_the_limit() {
    fn check<V: World + Vector3>()
    where
        V::Shape: From<TriangleMesh<V>> + From<Sphere<V>>,
    {
        let mut rng = Rng::new(5);
        let number = V::Scalar::from_f64;
        let rays: Vec<Ray<V>> = (0..300)
            .map(|_| {
                let origin = rng.in_cube::<V>() * number(4.0);
                Ray::new(origin, rng.in_cube::<V>() * number(rng.pick(&[0.5, 1.0, 2.0])) - origin)
            })
            .collect();
        let mesh = meshes::build::<V>(meshes::icosphere(3));
        let mut scene = Scene::<V>::new();
        scene.insert(Object::new(mesh.clone())).unwrap();
        let center = V::from_xyz([0.75, 0.0, 0.0].map(number));
        scene.insert(Object::new(Sphere::new(center, number(0.75)).unwrap())).unwrap();
        each_row_is_that_of_one_ray(&mesh, &rays);
        each_row_is_that_of_one_ray(&scene, &rays);
    }
    check::<Vec3>();
    check::<DVec3>();
}

fn each_row_is_that_of_one_ray<V: Vector>(shape: &impl RayCast<V>, rays: &[Ray<V>]) {
    let (origins, directions): (Vec<V>, Vec<V>) = rays.iter().map(|ray| (ray.origin, ray.direction)).unzip();
    let columns = RayColumns::<V>::from_points(&origins, &directions).unwrap();
    let whole = shape.cast_rays(rays, ..);
    let mut found = Vec::new();
    let besides: [fn(V::Scalar) -> V::Scalar; 3] = [|at| at, Real::next_up, Real::next_down];
    for beside in besides {
        // A distance for each ray.
        let distances: Vec<_> =
            whole.iter().map(|hit| hit.map_or(V::Scalar::INFINITY, |hit| beside(hit.distance))).collect();
        let table = columns.with_max_distance(&distances).unwrap();
        let (hits, any) = (shape.cast_columns(&table, ..), shape.intersects_columns(&table, ..));
        for (row, (ray, &distance)) in rays.iter().zip(&distances).enumerate() {
            let alone = shape.cast_ray(ray, Query::from(..).within_distance(distance));
            assert_eq!((hits.get(row), any[row]), (alone, alone.is_some()), "{ray:?} {distance}");
        }
        found.push(any.iter().filter(|is_hit| **is_hit).count());
        // One distance for all rays.
        for &distance in distances.iter().step_by(29) {
            let query = Query::from(..).within_distance(distance);
            let (hits, any) = (shape.cast_rays(rays, query), shape.intersects_rays(rays, query));
            for (i, ray) in rays.iter().enumerate() {
                let alone = shape.cast_ray(ray, query);
                assert_eq!((hits[i], any[i]), (alone, alone.is_some()), "{ray:?} {distance}");
            }
        }
    }
    // The rounded distance of a hit is on either side of the exact one.
    let all = whole.iter().flatten().count();
    assert!(all > 100 && found[2] < found[0] && found[0] < found[1], "{all} {found:?}");
}

/// A direction of any length gives the same decisions where the scale is a power of two.
#[test]
fn the_length_of_the_direction_does_not_matter() {
    let mut rng = Rng::new(7);
    for _ in 0..500 {
        let ball = Sphere::new(rng.vector::<Vec3>(Draw::Lattice), 1.5).unwrap();
        let ray = Ray::new(rng.vector(Draw::Lattice), rng.vector::<Vec3>(Draw::Lattice));
        let query = Query::from(..).within_distance(rng.below(9) as f32 * 0.5);
        let hit = ball.cast_ray(&ray, query);
        for scale in [0.25, 2f32.powi(-40), 2f32.powi(40)] {
            let scaled = ball.cast_ray(&Ray::new(ray.origin, ray.direction * scale), query);
            assert_eq!(scaled.map(|hit| hit.point), hit.map(|hit| hit.point), "{ray:?}");
        }
    }
}

#[test]
fn ranges_and_distances_hold_together() {
    let ball = Sphere::new(Vec3::X * 5.0, 1.0).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X * 0.5);
    let query = |range| Query::from(range).within_distance(4.5);
    assert_eq!(ball.cast_ray(&ray, query(0.0..=20.0)).map(|hit| hit.t), Some(8.0));
    assert_eq!(ball.cast_ray(&ray, query(0.0..=7.5)), None);
    assert_eq!(ball.cast_ray(&ray, query(9.0..=20.0)).map(|hit| hit.t), Some(9.0)); // inside, 4.5 away
    assert_eq!(ball.cast_ray(&ray, query(9.5..=20.0)), None); // inside, but farther away
    assert_eq!(ball.cast_ray(&ray, query(8.5..=20.0)).map(|hit| hit.t), Some(8.5)); // inside at 8.5
    assert_eq!(ball.cast_ray(&RangedRay::new(ray, 0.0, 7.5), query(0.0..=20.0)), None);
    for nothing in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        let query = Query::from(..).within_distance(nothing);
        assert!(ball.cast_ray(&ray, query).is_none() && ball.cast_rays(&[ray], query) == [None], "{nothing}");
        assert!(!ball.intersects_ray(&ray, query) && ball.spans(&ray, query).is_empty());
        assert!(ball.cast_sphere(&ray, 0.5, query).is_none());
    }
    assert_eq!(Query::<f32>::new().max_distance(), f32::INFINITY);
}

/// Sweeps, spans and lines of sight end there, too.
#[test]
fn sweeps_and_spans_within_a_distance() {
    let ball = Sphere::new(Vec3::X * 5.0, 1.0).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X * 0.25);
    let within = |distance| Query::from(..).within_distance(distance);
    assert_eq!(ball.cast_sphere(&ray, 1.0, within(3.0)).map(|hit| hit.t), Some(12.0));
    assert!(ball.cast_sphere(&ray, 1.0, within(2.9)).is_none());
    let cube = Cuboid::new(Vec3::ZERO, Vec3::ONE).unwrap();
    assert!(ball.cast_volume(cube, ray.direction, within(3.01)).is_some());
    assert!(ball.cast_volume(cube, ray.direction, within(2.99)).is_none());
    let spans = ball.spans(&ray, within(5.0));
    assert_eq!((spans.len(), spans[0].exit), (1, None));
    assert!(ball.line_of_sight(Vec3::ZERO, Vec3::X * 10.0, within(3.5)));
    assert!(!ball.line_of_sight(Vec3::ZERO, Vec3::X * 10.0, within(4.5)));
}
