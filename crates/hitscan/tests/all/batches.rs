//! Batches of rays and BVHs of every quality: the same answers, bit for bit, as one ray against all triangles.

use crate::support::meshes::{hall, icosphere, slivers, torus};
use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3, Vec3Swizzles};
use hitscan::{
    Columns, Coplanar, Faces, Hit, HitColumns, Inside, Object, Quality, Query, RangedRay, Ray, RayCast, RayColumns,
    RayLike, Real, SceneBuilder, Segment, Shape, Side, Sphere, TriangleMesh,
};
use std::fmt::Debug;

type MeshArraysF32 = (Vec<Vec3>, Vec<[u32; 3]>);

fn single((vertices, triangles): crate::support::meshes::MeshArrays) -> MeshArraysF32 {
    (vertices.into_iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect(), triangles)
}

fn meshes() -> [(&'static str, MeshArraysF32); 4] {
    [
        ("icosphere", single(icosphere(3))),
        ("torus", single(torus(40, 24))),
        ("slivers", single(slivers())),
        ("hall", single(hall())),
    ]
}

/// Rays through the mesh, past it, from inside and along walls; some are invalid or outside the safe range.
fn rays(rng: &mut Rng, n: usize) -> Vec<Ray<Vec3>> {
    let ray = |i: usize| {
        let (a, b): (Vec3, Vec3) = (rng.in_cube(), rng.in_cube());
        match i % 16 {
            0 => Ray::new(a * 5.0, b - a * 5.0),
            1 => Ray::new(a * 1e6, b - a * 1e6),
            2 => Ray::new(Vec3::new(a.x, -3.0, a.z), Vec3::Y),
            3 => Ray::new(a, Vec3::ZERO),
            4 => Ray::new(a, Vec3::new(f32::NAN, 1.0, 0.0)),
            5 => Ray::new(a * 1e30, b * -1e30),
            6 => Ray::new(a, b * 1e-30),
            _ => Ray::new(a * 2.0, b * 2.0 - a),
        }
    };
    (0..n).map(ray).collect()
}

/// The same rays in an order in which most are in the octant of the ray before: the stream traverses them by lists, and
/// others one at a time.
fn by_octant(mut rays: Vec<Ray<Vec3>>) -> Vec<Ray<Vec3>> {
    rays.sort_by_key(|ray| ray.direction.is_negative_bitmask());
    rays
}

#[test]
fn every_tree_and_batch_answers_like_all_triangles() {
    for (name, (vertices, triangles)) in meshes() {
        let all = TriangleMesh::new(vertices.clone(), triangles.clone()).expect("a mesh").linear_scan();
        let rays = by_octant(rays(&mut Rng::new(11), rounds(600)));
        // Rays of several octants.
        let across: Vec<_> = (0..rays.len()).map(|i| rays[i * 377 % rays.len()]).collect();
        let queries = [
            Query::new(),
            Query::from(..=0.7).faces(Faces::Front),
            Query::from(0.2..=3.0).faces(Faces::Back).inside(Inside::Hollow),
            Query::from(-2.0..=0.5),
            Query::from(f32::NAN..=1.0),
        ];
        // The linear scan takes most of the time: once for all qualities.
        let truths = queries.map(|query| rays.iter().map(|ray| all.cast_ray(ray, query)).collect::<Vec<_>>());
        let line = Query::line();
        let all_truths: Vec<_> = rays[..rays.len() / 4].iter().map(|ray| all.cast_ray_all(ray, line)).collect();
        for quality in [Quality::Fast, Quality::Default, Quality::High] {
            let mesh = TriangleMesh::with_quality(vertices.clone(), triangles.clone(), quality).expect("a mesh");
            for (query, truths) in queries.into_iter().zip(&truths) {
                let (hits, any) = (mesh.cast_rays(&rays, query), mesh.intersects_rays(&rays, query));
                for (i, ray) in rays.iter().enumerate() {
                    let truth = truths[i];
                    let said = (mesh.cast_ray(ray, query), hits[i], mesh.intersects_ray(ray, query), any[i]);
                    assert_eq!(said, (truth, truth, truth.is_some(), truth.is_some()), "{name} {quality:?} {ray:?}");
                }
                let (hits_across, any_across) = (mesh.cast_rays(&across, query), mesh.intersects_rays(&across, query));
                for i in 0..rays.len() {
                    let j = i * 377 % rays.len();
                    assert_eq!(
                        (hits_across[i], any_across[i]),
                        (hits[j], any[j]),
                        "{name} {quality:?} {:?}",
                        across[i]
                    );
                }
            }
            for (ray, truth) in rays.iter().zip(&all_truths) {
                assert_eq!(mesh.cast_ray_all(ray, line), *truth, "{name} {quality:?} {ray:?}");
                assert_eq!(mesh.count_hits(ray, line), truth.len());
            }
        }
        assert!(rays.iter().filter(|ray| all.intersects_ray(*ray, ..)).count() > rounds(90), "{name}: few hits");
    }
}

/// Rays from one origin, as of a camera or a scanner: sixteen neighbours form a packet. They aim at vertices and close
/// beside them, from near and far, from the surface, within a plane; some are invalid.
#[test]
fn rays_from_one_place() {
    for (name, (vertices, triangles)) in meshes() {
        let mut rng = Rng::new(23);
        let all = TriangleMesh::new(vertices.clone(), triangles.clone()).expect("a mesh").linear_scan();
        let mut rays = Vec::new();
        for view in 0..rounds(32) {
            let (a, b): (Vec3, Vec3) = (rng.in_cube(), rng.in_cube());
            let target = vertices[(a.x.abs() * 1e4) as usize % vertices.len()];
            let eye = [a * 3.0, a * 1e4, a * 0.3, target - b * 0.1][view % 4];
            let pixel = [0.1, 1e-2, 1e-4, 1e-7][view / 4 % 4];
            for i in 0..64u8 {
                let aside = Vec3::new(f32::from(i % 8), f32::from(i / 8), 0.0) * pixel;
                let mut direction = target - eye + if view % 3 == 0 { aside.zxy() } else { aside };
                match (view, i) {
                    (5, 3) => direction = Vec3::ZERO,
                    (6, 40) => direction.x = f32::NAN,
                    (7 | 11 | 13, _) => direction.z = 0.0,
                    _ => {}
                }
                rays.push(Ray::new(eye, direction));
            }
        }
        for quality in [Quality::Default, Quality::High] {
            let mesh = TriangleMesh::with_quality(vertices.clone(), triangles.clone(), quality).expect("a mesh");
            for query in [Query::new(), Query::from(0.2..=1.0).faces(Faces::Front), Query::from(..=0.9)] {
                let (hits, any) = (mesh.cast_rays(&rays, query), mesh.intersects_rays(&rays, query));
                for (i, ray) in rays.iter().enumerate() {
                    let truth = all.cast_ray(ray, query);
                    assert_eq!((hits[i], any[i]), (truth, truth.is_some()), "{name} {quality:?} {ray:?}");
                }
            }
            let segments: Vec<_> =
                rays.iter().map(|ray| Segment::new(ray.origin, ray.origin + ray.direction)).collect();
            let hits = mesh.cast_rays(&segments, ..);
            for (segment, hit) in segments.iter().zip(hits) {
                assert_eq!(hit, all.cast_ray(segment, ..), "{name} {quality:?} {segment:?}");
            }
        }
        assert!(rays.iter().filter(|ray| all.intersects_ray(*ray, ..)).count() > rounds(500), "{name}: few hits");
    }
}

/// More rays than one stream or one chunk of a thread: buffers of the first streams serve the next.
#[test]
fn long_batches() {
    for arrays in [torus(40, 24), hall()] {
        let (vertices, triangles) = single(arrays);
        let mesh = TriangleMesh::with_quality(vertices, triangles, Quality::High).expect("a mesh");
        // The first half forms packets.
        let mut rays = rays(&mut Rng::new(17), 10_011);
        let rest = rays.split_off(5000);
        let rays = [by_octant(rays), rest].concat();
        for query in [Query::new(), Query::from(0.1..=2.0).faces(Faces::Front)] {
            let alone: Vec<_> = rays.iter().map(|ray| mesh.cast_ray(ray, query)).collect();
            let any: Vec<_> = alone.iter().map(Option::is_some).collect();
            let like_alone = || {
                assert!(mesh.cast_rays(&rays, query) == alone, "a batch has other hits");
                assert!(mesh.intersects_rays(&rays, query) == any, "a batch has other answers");
            };
            like_alone();
            #[cfg(feature = "rayon")]
            for threads in 1..=3 {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(like_alone);
            }
            assert!(any.iter().filter(|any| **any).count() > 1000, "few hits");
        }
    }
}

/// A BVH of ninety megabytes: from the second stream on, the traversal of incoherent rays is interleaved.
#[test]
fn more_than_caches_hold() {
    let (vertices, triangles) = single(icosphere(9));
    assert!(triangles.len() > 1_000_000);
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    assert!(mesh.statistics().bytes > 40 << 20);
    let mut rng = Rng::new(29);
    let mut chord = || -> (Vec3, Vec3) { (rng.in_cube(), rng.in_cube()) };
    let mut rays: Vec<Ray<Vec3>> = (0..10_000).map(|_| chord()).map(|(a, b)| Ray::new(a * 2.0, b - a * 2.0)).collect();
    (rays[5000].direction, rays[5001].direction.x) = (Vec3::ZERO, f32::NAN);
    for query in [Query::new(), Query::from(0.2..).faces(Faces::Back)] {
        let (hits, any) = (mesh.cast_rays(&rays, query), mesh.intersects_rays(&rays, query));
        for ((ray, hit), any) in rays.iter().zip(&hits).zip(any) {
            assert_eq!((*hit, any), (mesh.cast_ray(ray, query), hit.is_some()), "{ray:?}");
        }
        assert!(hits.iter().flatten().count() > 500);
    }
}

#[test]
fn segments_in_batches() {
    let (vertices, triangles) = single(hall());
    let mesh = TriangleMesh::with_quality(vertices, triangles, Quality::High).expect("a mesh");
    let segments: Vec<Segment<Vec3>> =
        rays(&mut Rng::new(5), 1000).iter().map(|ray| Segment::new(ray.origin, ray.direction)).collect();
    let hits = mesh.cast_rays(&segments, ..);
    let one_by_one: Vec<_> = segments.iter().map(|segment| mesh.cast_ray(segment, ..)).collect();
    assert_eq!(hits, one_by_one);
    assert!(hits.iter().flatten().count() > 100);
}

/// Spatial splits cut long slanted triangles, which overlap many boxes: the BVH of high quality has more leaves, and
/// the mesh the same triangles.
#[test]
fn cutting_changes_the_tree_only() {
    let mut rng = Rng::new(21);
    let mut sliver = || {
        let (a, b, aside): (Vec3, Vec3, Vec3) = (rng.in_cube(), rng.in_cube(), rng.in_cube());
        [a, b, b + aside * 0.01]
    };
    let vertices: Vec<Vec3> = (0..3000).flat_map(|_| sliver()).collect();
    let triangles: Vec<[u32; 3]> = (0..3000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let [usual, high] = [Quality::Default, Quality::High]
        .map(|quality| TriangleMesh::with_quality(vertices.clone(), triangles.clone(), quality).expect("a mesh"));
    assert!(high.statistics().leaves > usual.statistics().leaves, "{:?} {:?}", high.statistics(), usual.statistics());
    assert_eq!(high.triangles(), usual.triangles());
}

#[test]
fn batches_of_shapes_and_scenes() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let (vertices, triangles) = single(torus(20, 12));
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    let mut builder = SceneBuilder::new();
    builder.add(ball).expect("a ball");
    builder.add(mesh).expect("a mesh");
    let scene = builder.build();
    let rays = rays(&mut Rng::new(3), 2000);
    let mut hits: Vec<Option<Hit<Vec3>>> = vec![None; rays.len()];
    scene.cast_rays_into(&rays, .., &mut hits);
    for (ray, hit) in rays.iter().zip(&hits) {
        assert_eq!(*hit, scene.cast_ray(ray, ..));
    }
    let expected: Vec<_> = rays.iter().map(|ray| ball.cast_ray(ray, ..)).collect();
    assert_eq!(ball.cast_rays(&rays, ..), expected);
    assert!(ball.cast_rays(&[] as &[Ray<Vec3>], ..).is_empty());
}

/// Rays of several kinds in turn, so that neighbours diverge; more than one stream.
fn like_alone<V: World>(seed: u64, shapes: usize) {
    let mut rng = Rng::new(seed);
    for i in 0..shapes {
        let draw = [Draw::Ordinary, Draw::Lattice, Draw::Ordinary, Draw::Scales, Draw::Bits][i / V::KINDS % 5];
        let Some(shape) = V::shape(i % V::KINDS, &mut rng, draw) else { continue };
        let (aabb, odd) = (shape.aabb(), 7 + i % 11);
        let rays: Vec<Ray<V>> =
            (0..300).map(|k| rng.ray(if k % odd == 0 { Draw::Lattice } else { draw }, &aabb)).collect();
        let segments: Vec<_> = rays.iter().map(|ray| Segment::new(ray.origin, ray.origin + ray.direction)).collect();
        let mut query = if i % 2 == 0 { Query::new() } else { rng.query(draw) };
        // A third with the rules that take a way of their own.
        if i % 3 == 2 {
            query = query.coplanar(Coplanar::Hit).within_distance(V::Scalar::from_f64(5.0));
        }
        like_one_by_one::<V>(&shape, &rays, query);
        // Few segments, and so many that the box filter takes them.
        like_one_by_one::<V>(&shape, &segments[..if i % 3 == 0 { 100 } else { i % 40 }], query);
        in_columns::<V>(&shape, &rays, query, &mut rng);
    }
}

/// Columns of every choice have the hits of single rays; so have columns of segments, and of rays with ranges of their own.
fn in_columns<V: World>(shape: &(impl Shape<V> + Debug), rays: &[Ray<V>], query: Query<V::Scalar>, rng: &mut Rng) {
    let origins: Vec<V> = rays.iter().map(|ray| ray.origin).collect();
    let directions: Vec<V> = rays.iter().map(|ray| ray.direction).collect();
    let ends: Vec<V> = rays.iter().map(|ray| ray.origin + ray.direction).collect();
    let mut number = || V::Scalar::from_f64([-1.0, 0.0, 0.5, 1.0, 2.0, f64::INFINITY, f64::NAN][rng.below(7)]);
    let (from, to): (Vec<_>, Vec<_>) = rays.iter().map(|_| (number(), number())).unzip();
    let of_rays = RayColumns::<V>::from_points(&origins[..], &directions[..]).expect("rays");
    let of_segments = RayColumns::<V>::segments(&origins[..], &ends[..]).expect("segments");
    let ranged = of_rays.with_t_min(&from).expect("ranges").with_t_max(&to).expect("ranges");
    let alone = |i: usize, which: usize| match which {
        0 => shape.cast_ray(&rays[i], query),
        1 => shape.cast_ray(&Segment::new(origins[i], ends[i]), query),
        _ => shape.cast_ray(&RangedRay::new(rays[i], from[i], to[i]), query),
    };
    for (which, columns) in [of_rays, of_segments, ranged].into_iter().enumerate() {
        for wanted in [Columns::IS_HIT, Columns::T, Columns::T | Columns::NORMAL | Columns::SIDE, Columns::ALL] {
            let mut hits = HitColumns::new(wanted);
            shape.cast_columns_into(&columns, query, &mut hits);
            for (i, ray) in rays.iter().enumerate() {
                let (hit, case) = (alone(i, which), format!("{shape:?}\n{ray:?}\n{query:?} {which} {wanted:?}"));
                assert_eq!(hits.is_hit()[i], hit.is_some(), "{case}");
                if wanted == Columns::ALL {
                    assert_eq!(hits.get(i), hit, "{case}");
                }
                let Some(hit) = hit else { continue };
                if wanted != Columns::IS_HIT {
                    assert_eq!(hits.t()[i], hit.t, "{case}");
                }
                if wanted.contains(Columns::NORMAL) {
                    let normal = (0..V::DIM).map(|axis| hits.normal()[axis][i]);
                    assert!(normal.eq(hit.normal.to_xyz()[..V::DIM].iter().copied()), "{case}");
                    assert_eq!(hits.is_front()[i], hit.side == Side::Front, "{case}");
                }
            }
        }
    }
}

fn like_one_by_one<V: World>(
    shape: &(impl Shape<V> + Debug),
    casts: &[impl RayLike<V> + Debug],
    query: Query<V::Scalar>,
) {
    let (hits, any) = (shape.cast_rays(casts, query), shape.intersects_rays(casts, query));
    for (i, cast) in casts.iter().enumerate() {
        let alone = (shape.cast_ray(cast, query), shape.intersects_ray(cast, query));
        assert_eq!((hits[i], any[i]), alone, "{shape:?}\n{cast:?}\n{query:?}");
    }
    // The same for a trait object.
    let object: &dyn Shape<V> = shape;
    assert_eq!((object.cast_rays(casts, query), object.intersects_rays(casts, query)), (hits, any));
    // All hits and spans of a scene take far longer than closest ones.
    for cast in casts.iter().step_by(4) {
        assert_eq!(object.cast_ray(cast, query), shape.cast_ray(cast, query));
        assert_eq!(object.cast_ray_all(cast, query), shape.cast_ray_all(cast, query));
        assert_eq!(object.spans(cast, query), shape.spans(cast, query));
    }
}

#[test]
fn packets_of_lines_answer_like_one_by_one() {
    like_alone::<Vec2>(21, 100);
    like_alone::<Vec3>(22, 130);
    like_alone::<DVec2>(23, 20);
    like_alone::<DVec3>(24, 26);
}

/// Scenes of all kinds of shapes, some of them unbounded, on three layers; long batches of coherent and incoherent
/// rays; segments; a few rays.
fn through_scenes<V: World>(seed: u64) {
    let mut rng = Rng::new(seed);
    for objects in [3, 30, 120] {
        let mut builder = SceneBuilder::new();
        let mut count = 0;
        while count < objects {
            let (kind, draw) = (rng.below(V::KINDS), [Draw::Ordinary, Draw::Lattice][usize::from(count % 8 == 0)]);
            let Some(shape) = V::shape(kind, &mut rng, draw) else { continue };
            // Unbounded shapes hide many others.
            if shape.aabb().is_bounded() || rng.below(40) == 0 {
                builder.insert(Object::new(shape).on_layers(1 + (count % 3) as u32)).expect("an object");
                count += 1;
            }
        }
        let scene = builder.build();
        let around = scene.finite_bounds();
        // Shapes of any size need extended precision.
        let draw = |i: usize| match i % 40 {
            0 => Draw::Bits,
            1 => Draw::Scales,
            2 => Draw::Lattice,
            _ => Draw::Ordinary,
        };
        let rays: Vec<Ray<V>> = (0..rounds(80)).map(|i| rng.ray(draw(i), &around)).collect();
        let way: V = rng.in_cube();
        let same_way: Vec<_> = (0..rounds(40)).map(|_| Ray::new(rng.in_cube::<V>() - way, way)).collect();
        let segments: Vec<_> = rays.iter().map(|ray| Segment::new(ray.origin, ray.origin + ray.direction)).collect();
        assert!(rays.iter().filter(|ray| scene.intersects_ray(*ray, ..)).count() > rounds(8), "few hits");
        let near = Query::new().coplanar(Coplanar::Hit).within_distance(V::Scalar::from_f64(3.0));
        for query in [Query::new(), Query::new().layers(2).inside(Inside::Hollow), rng.query(Draw::Ordinary), near] {
            like_one_by_one::<V>(&scene, &rays, query);
            like_one_by_one::<V>(&scene, &rays[..7], query);
            like_one_by_one::<V>(&scene, &same_way, query);
            like_one_by_one::<V>(&scene, &segments[..rounds(32)], query);
        }
    }
}

#[test]
fn batches_through_scenes_answer_like_one_by_one() {
    through_scenes::<Vec2>(31);
    through_scenes::<Vec3>(32);
    through_scenes::<DVec2>(33);
    through_scenes::<DVec3>(34);
}

#[test]
#[should_panic(expected = "as many hits as rays")]
fn no_room_for_the_hits() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    ball.cast_rays_into(&[Ray::new(Vec3::X, Vec3::Y)], .., &mut []);
}

/// More triangles than one thread builds alone, and more rays than it casts alone.
#[cfg(feature = "rayon")]
#[test]
fn the_same_on_any_number_of_threads() {
    let (vertices, triangles) = single(torus(180, 120));
    let rays = rays(&mut Rng::new(8), 20_000);
    let run = |quality, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mesh = TriangleMesh::with_quality(vertices.clone(), triangles.clone(), quality).expect("a mesh");
            // Compares everything: vertices, triangles, nodes, leaves.
            (mesh.cast_rays(&rays, ..), mesh.intersects_rays(&rays, ..), format!("{mesh:?}"))
        })
    };
    for quality in [Quality::Fast, Quality::Default, Quality::High] {
        let one = run(quality, 1);
        assert!(one.0.iter().flatten().count() > 1000);
        for threads in [2, 3] {
            assert!(run(quality, threads) == one, "{quality:?}, {threads} threads");
        }
    }
}
