//! Columns of rays and hits: the answers of single rays, bit for bit.

use crate::support::meshes::torus;
use crate::support::{Rng, Sample};
use hitscan::glam::{DVec2, Vec2, Vec3, Vec3A};
use hitscan::{
    Capsule, Columns, ColumnsError, Hit, HitColumns, Object, ObjectId, Plane, Points, Query, Ray, RayCast, RayColumns,
    Scene, SceneBuilder, Segment, Shape, Space, Sphere, Triangle, TriangleMesh, Triggers,
};
use hitscan::{Real, Vector};

/// More rays than one chunk, and not a multiple of it.
const RAYS: usize = 10_001;

fn rays<V: Vector>() -> Vec<Ray<V>> {
    let mut rng = Rng::new(21);
    let mut rays: Vec<Ray<V>> = (0..RAYS)
        .map(|_| {
            let (from, to): (V, V) = (rng.in_cube(), rng.in_cube());
            Ray::new(from + from, to - from)
        })
        .collect();
    // Invalid ray.
    rays[17].direction = V::splat(V::Scalar::NAN);
    rays
}

/// Casts the columns of the rays.
fn cast<V: Vector>(shape: &impl Shape<V>, rays: &[Ray<V>], query: Query<V::Scalar>) -> HitColumns<V> {
    let column = |axis: usize, part: fn(&Ray<V>) -> V| -> Vec<V::Scalar> {
        rays.iter().map(|ray| part(ray).to_xyz()[axis]).collect()
    };
    let axes = 0..V::DIM;
    let origin: Vec<_> = axes.clone().map(|axis| column(axis, |ray| ray.origin)).collect();
    let direction: Vec<_> = axes.map(|axis| column(axis, |ray| ray.direction)).collect();
    let origin: Vec<&[V::Scalar]> = origin.iter().map(|column| &column[..]).collect();
    let direction: Vec<&[V::Scalar]> = direction.iter().map(|column| &column[..]).collect();
    let columns = RayColumns::<V>::new(&origin, &direction).expect("columns");
    assert_eq!((columns.len(), columns.get(3), columns.get(RAYS)), (RAYS, Some(rays[3]), None));
    shape.cast_columns(&columns, query)
}

fn check<V: Vector>(shape: &impl Shape<V>, queries: &[Query<V::Scalar>]) -> HitColumns<V> {
    let rays = rays::<V>();
    for &query in queries {
        let hits = cast(shape, &rays, query);
        assert_eq!(hits.len(), RAYS);
        let expected: Vec<Option<Hit<V>>> = rays.iter().map(|ray| shape.cast_ray(ray, query)).collect();
        let got: Vec<Option<Hit<V>>> = (0..RAYS).map(|row| hits.get(row)).collect();
        assert!(got == expected);
        assert_eq!(hits.count_hits(), expected.iter().flatten().count());
        assert!(hits.count_hits() > 500);
    }
    cast(shape, &rays, queries[0])
}

#[test]
fn a_mesh_in_f32() {
    let (vertices, triangles) = torus(40, 24);
    let vertices = vertices.into_iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    let hits = check(&mesh, &[Query::new(), Query::from(0.1..=0.6), Query::from(-1.0..=0.5)]);
    let row = hits.is_hit().iter().position(|hit| *hit).expect("a hit");
    assert!(hits.primitive(row).is_some_and(|triangle| triangle < 2000 && triangle == hits.primitive_values()[row]));
    assert!(hits.object(row).is_none() && hits.has_uv()[row] && hits.uv_values()[0][row] >= 0.0);
    assert_eq!((hits.is_hit(), hits.is_hit()), (hits.has_primitive(), hits.has_uv()));
    assert!(hits.has_object().iter().all(|has| !has));
    assert!(hits.t()[17] == f32::INFINITY && !hits.is_hit()[17]);
    assert_eq!((hits.get(17), hits.primitive(17), hits.primitive(RAYS), hits.get(RAYS)), (None, None, None, None));
}

fn scene<V: Space>(shapes: impl IntoIterator<Item = V::Shape>) -> Scene<V> {
    let mut builder = SceneBuilder::new();
    for shape in shapes {
        builder.add(shape).expect("a shape");
    }
    builder.build()
}

#[test]
fn a_scene_and_a_scene_of_one() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let triangle = Triangle::new(Vec3::X, Vec3::Y, Vec3::Z).expect("a triangle");
    let floor = Plane::new(Vec3::Z * -0.5, Vec3::Z).expect("a floor");
    let hits = check(&scene::<Vec3>([ball.into(), triangle.into(), floor.into()]), &[Query::new()]);
    let seen = |hits: &HitColumns<Vec3>, id| (0..RAYS).any(|row| hits.object(row).map(ObjectId::index) == id);
    assert!([Some(0), Some(1), Some(2), None].into_iter().all(|id| seen(&hits, id)));
    // Only the triangle has weights, and no shape here has primitives.
    let weights = (0..RAYS).map(|row| hits.object(row).map(ObjectId::index) == Some(1));
    assert!(weights.eq(hits.has_uv().iter().copied()));
    assert_eq!(hits.has_object(), hits.is_hit());
    assert!(hits.has_primitive().iter().all(|has| !has));
    // One shape alone has a way of its own for columns.
    let hits = check(&scene::<Vec3>([ball.into()]), &[Query::new(), Query::from(0.1..=0.6)]);
    assert!((0..RAYS).all(|row| hits.object(row).map(ObjectId::index) == hits.is_hit()[row].then_some(0)));
    let mut triggers = Scene::<Vec3>::new();
    triggers.insert(Object::new(triangle).as_trigger()).expect("a triangle");
    let hits = check(&triggers, &[Query::new().triggers(Triggers::Hit)]);
    assert!(hits.is_trigger() == hits.is_hit());
    assert_eq!(cast(&triggers, &rays(), Query::new()).count_hits(), 0);
    let (vertices, triangles) = torus(20, 12);
    let vertices = vertices.into_iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = TriangleMesh::new(vertices, triangles).expect("a mesh");
    let hits = check(&scene::<Vec3>([mesh.into()]), &[Query::new(), Query::from(..=0.5)]);
    assert!((0..RAYS).all(|row| hits.object(row).map(ObjectId::index) == hits.is_hit()[row].then_some(0)));
    // A query whose layers have no shape misses.
    let scene = scene::<Vec3>([ball.into()]);
    assert_eq!(cast(&scene, &rays(), Query::new().layers(0)).count_hits(), 0);
}

#[test]
fn the_plane_in_f64() {
    let capsule = Capsule::new(DVec2::new(-0.5, 0.0), DVec2::new(0.5, 0.25), 0.25).expect("a capsule");
    let hits = check(&capsule, &[Query::new(), Query::from(0.2..=0.7)]);
    assert!(hits.point()[2].is_empty() && hits.normal()[2].is_empty() && hits.point()[1].len() == RAYS);
}

#[test]
fn what_is_no_columns() {
    let (two, three) = ([0.0f32; 2], [0.0f32; 3]);
    let all = [&three[..]; 3];
    let error = |origin: &[&[f32]], direction: &[&[f32]]| {
        RayColumns::<Vec3>::new(origin, direction).map(|_| ()).expect_err("no columns")
    };
    assert_eq!(error(&all[..2], &all), ColumnsError::Count { what: "origin", given: 2, needed: 3 });
    let short = error(&all, &[&three, &two, &three]);
    assert_eq!(short, ColumnsError::Length { what: "direction", axis: 1, given: 2, needed: 3 });
    assert_eq!(short.to_string(), "direction y: 2 rows, but the first column has 3: give all columns one length");
    let points = |origins: &[[f32; 3]], directions: &[[f32; 3]]| {
        RayColumns::<Vec3>::from_points(origins, directions).map(|rays| rays.len())
    };
    assert_eq!(points(&[[0.0; 3]; 2], &[[1.0; 3]; 2]), Ok(2));
    assert_eq!(points(&[], &[]), Ok(0));
    let uneven = ColumnsError::Length { what: "direction", axis: 0, given: 1, needed: 2 };
    assert_eq!(points(&[[0.0; 3]; 2], &[[1.0; 3]]), Err(uneven));
    let flat = RayColumns::<Vec3>::from_points(&[[0.0; 2]], &[[1.0; 2]]).map(|rays| rays.len());
    assert_eq!(flat, Err(ColumnsError::Count { what: "origin", given: 2, needed: 3 }));
    assert!(RayColumns::<Vec3>::new(&[&[], &[], &[]], &[&[], &[], &[]]).expect("no rays").is_empty());
}

/// Rays in every layout in which a caller may hold them.
#[test]
fn every_layout_is_the_same_rays() {
    let rays = rays::<Vec3>();
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let parts = [|ray: &Ray<Vec3>| ray.origin, |ray: &Ray<Vec3>| ray.direction];
    let [origins, directions] = parts.map(|part| -> Vec<Vec3> { rays.iter().map(part).collect() });
    let arrays = [&origins, &directions].map(|points| -> Vec<_> { points.iter().map(Vec3::to_array).collect() });
    let aligned = [&origins, &directions].map(|points| -> Vec<_> { points.iter().copied().map(Vec3A::from).collect() });
    // Records of an id, the origin, an intensity and the direction; the last one ends with the direction.
    let records: Vec<f32> =
        rays.iter().flat_map(|Ray { origin: o, direction: d }| [7.0, o.x, o.y, o.z, f32::NAN, d.x, d.y, d.z]).collect();
    let with_tail: Vec<f32> = arrays[1].iter().flat_map(|[x, y, z]| [*x, *y, *z, 9.0, 9.0]).collect();
    let truth = cast(&ball, &rays, Query::new());
    let layouts: [[Points<'_, Vec3>; 2]; 5] = [
        [Points::from(&arrays[0]), Points::from(&arrays[1][..])],
        [Points::from(&origins), Points::from(&directions[..])],
        [Points::from(&aligned[0]), Points::from(&aligned[1][..])],
        [Points::strided(&records[1..], 8), Points::strided(&records[5..], 8)],
        [Points::from(&origins), Points::strided(&with_tail, 5)],
    ];
    for [origin, direction] in layouts {
        let columns = RayColumns::from_points(origin, direction).expect("rays");
        assert_eq!((columns.len(), columns.get(3), columns.get(RAYS)), (RAYS, Some(rays[3]), None));
        assert!(columns.segment(3).is_none());
        assert!(ball.cast_columns(&columns, ..) == truth);
    }
    // The plane, with numbers of space.
    let flat: Vec<f64> = (0..12).map(f64::from).collect();
    let columns = RayColumns::<DVec2>::from_points(Points::strided(&flat, 3), Points::strided(&flat[1..], 3));
    let ray = columns.expect("rays").get(3);
    assert_eq!(ray, Some(Ray::new(DVec2::new(9.0, 10.0), DVec2::new(10.0, 11.0))));
}

#[test]
fn columns_of_segments() {
    let segments: Vec<Segment<DVec2>> = rays().iter().map(|ray| Segment::new(ray.origin, ray.direction)).collect();
    let [a, b] = [|s: &Segment<DVec2>| s.a, |s: &Segment<DVec2>| s.b].map(|end| segments.iter().map(end));
    let (a, b): (Vec<DVec2>, Vec<DVec2>) = (a.collect(), b.collect());
    let columns = RayColumns::segments(&a, &b).expect("segments");
    assert_eq!((columns.get(3), columns.segment(3), columns.segment(RAYS)), (None, Some(segments[3]), None));
    let capsule = Capsule::new(DVec2::new(-0.5, 0.0), DVec2::new(0.5, 0.25), 0.25).expect("a capsule");
    let hits = capsule.cast_columns(&columns, ..);
    let any = capsule.intersects_columns(&columns, ..);
    for (row, segment) in segments.iter().enumerate() {
        let truth = capsule.cast_ray(segment, ..);
        assert_eq!((hits.get(row), any[row]), (truth, truth.is_some()));
    }
    assert!(hits.count_hits() > 500);
}

#[test]
fn layouts_that_do_not_fit() {
    let three = [Vec3::X; 3];
    let error = |directions: Points<'_, Vec3>| {
        let error = RayColumns::from_points(&three, directions).map(|rays| rays.len()).expect_err("no rays");
        (error, error.to_string())
    };
    let numbers = [1.0; 11];
    let (what, given) = ("direction", 2);
    assert_eq!(
        error(Points::strided(&numbers, 2)),
        (
            ColumnsError::Stride { what, given, needed: 3 },
            "direction: a stride of 2, but a point has 3 numbers: give at least that stride".into()
        )
    );
    assert_eq!(
        error(Points::strided(&numbers[..10], 4)),
        (
            ColumnsError::Partial { what, given: 10, needed: 11 },
            "direction: the last of 10 numbers lie within a point: give 11, or leave them out".into()
        )
    );
    assert_eq!(error(Points::strided(&numbers[..2], 4)).0, ColumnsError::Partial { what, given, needed: 3 });
    assert_eq!(error(Points::strided(&numbers, 0)).0, ColumnsError::Stride { what, given: 0, needed: 3 });
    assert_eq!(error(Points::strided(&numbers, 8)).0, ColumnsError::Length { what, axis: 0, given, needed: 3 });
    let one = ColumnsError::Length { what, axis: 0, given: 1, needed: 3 };
    assert_eq!(error(Points::strided(&numbers, usize::MAX)).0, one);
    assert!(RayColumns::from_points(&three, Points::strided(&numbers, 4)).is_ok());
    assert!(RayColumns::<Vec3>::from_points(Points::strided(&[], 4), &[] as &[Vec3]).expect("no rays").is_empty());
    let uneven = RayColumns::segments(&three, &[Vec3::X]).map(|rays| rays.len());
    assert_eq!(uneven, Err(ColumnsError::Length { what: "b", axis: 0, given: 1, needed: 3 }));
    let rays = RayColumns::from_points(&three, &three).expect("rays");
    let rows = |what, given| ColumnsError::Rows { what, given, needed: 3 };
    assert_eq!(rays.with_t_min(&[0.0; 2]).map(|rays| rays.len()), Err(rows("t_min", 2)));
    assert_eq!(rays.with_t_max(&[0.0; 4]).map(|rays| rays.len()), Err(rows("t_max", 4)));
    assert_eq!(rays.with_layers(&[]).map(|rays| rays.len()), Err(rows("layers", 0)));
    assert_eq!(rows("t_max", 4).to_string(), "t_max: 4 rows for 3 rays: give one row per ray");
}

/// Every choice of columns has the numbers of all columns, and those left out stay empty.
#[test]
fn chosen_columns() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let triangle = Triangle::new(Vec3::X, Vec3::Y, Vec3::Z).expect("a triangle");
    let scene = scene::<Vec3>([ball.into(), triangle.into()]);
    let rays = rays::<Vec3>();
    let [origins, directions] = [|ray: &Ray<Vec3>| ray.origin, |ray: &Ray<Vec3>| ray.direction]
        .map(|part| -> Vec<Vec3> { rays.iter().map(part).collect() });
    let rays = RayColumns::from_points(&origins, &directions).expect("rays");
    let all = scene.cast_columns(&rays, ..);
    let one = [
        Columns::T,
        Columns::DISTANCE,
        Columns::POINT,
        Columns::NORMAL,
        Columns::SIDE,
        Columns::UV,
        Columns::PRIMITIVE,
        Columns::OBJECT,
        Columns::MEMBER,
    ];
    assert!(one.into_iter().fold(Columns::IS_HIT, |all, column| all | column) == Columns::ALL);
    for chosen in (0..1 << one.len()).step_by(37).chain([0, 1, 9, 511]) {
        let columns = one.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1);
        let columns = columns.fold(Columns::IS_HIT, |all, (_, column)| all | *column);
        let mut hits = HitColumns::new(columns);
        scene.cast_columns_into(&rays, .., &mut hits);
        assert!(hits.len() == RAYS && hits.is_hit() == all.is_hit() && hits.columns() == columns);
        let wants = |column| columns.contains(column);
        let check = |column, is_same: bool, is_empty: bool| {
            assert!(if wants(column) { is_same } else { is_empty }, "{column:?} of {columns:?}");
        };
        check(Columns::T, hits.t() == all.t(), hits.t().is_empty());
        check(Columns::DISTANCE, hits.distance() == all.distance(), hits.distance().is_empty());
        let no_vectors = |columns: [&[f32]; 3]| columns.iter().all(|column| column.is_empty());
        check(Columns::POINT, hits.point() == all.point(), no_vectors(hits.point()));
        check(Columns::NORMAL, hits.normal() == all.normal(), no_vectors(hits.normal()));
        check(Columns::SIDE, hits.is_front() == all.is_front(), hits.is_front().is_empty());
        check(Columns::UV, hits.uv_values() == all.uv_values(), hits.has_uv().is_empty());
        check(Columns::PRIMITIVE, hits.primitive_values() == all.primitive_values(), hits.has_primitive().is_empty());
        check(Columns::OBJECT, hits.object_values() == all.object_values(), hits.has_object().is_empty());
        check(Columns::MEMBER, hits.member_values() == all.member_values(), hits.has_member().is_empty());
        let objects = |hits: &HitColumns<Vec3>| (0..RAYS).map(|row| hits.object(row)).collect::<Vec<_>>();
        check(Columns::OBJECT, objects(&hits) == objects(&all), objects(&hits).iter().all(Option::is_none));
        assert_eq!(hits.get(0), all.get(0).filter(|_| columns == Columns::ALL));
    }
}

/// Columns keep their memory from batch to batch, and nothing of the batch before.
#[test]
fn columns_used_again() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let (inside, away, directions) = (vec![Vec3::ZERO; RAYS], vec![Vec3::ONE * 9.0; RAYS], vec![Vec3::X; RAYS]);
    let (inside, away) = (&inside[..], &away[..]);
    let rays = |origins| RayColumns::from_points(origins, &directions[..<[Vec3]>::len(origins)]).expect("rays");
    for columns in [Columns::ALL, Columns::T | Columns::POINT, Columns::IS_HIT] {
        let mut hits = HitColumns::new(columns);
        ball.cast_columns_into(&rays(inside), .., &mut hits);
        let memory = |hits: &HitColumns<Vec3>| (hits.is_hit().as_ptr(), hits.t().as_ptr(), hits.point()[2].as_ptr());
        let (before, first) = (memory(&hits), hits.clone());
        for origins in [away, &inside[..100], &away[..RAYS - 1], &inside[..0], inside] {
            ball.cast_columns_into(&rays(origins), .., &mut hits);
            let mut fresh = HitColumns::new(columns);
            ball.cast_columns_into(&rays(origins), .., &mut fresh);
            assert!(hits == fresh && hits.len() == origins.len());
            assert_eq!(memory(&hits), before);
        }
        assert!(hits == first && hits.count_hits() == RAYS);
    }
}

/// More rays than the lists of one group of chunks.
#[test]
fn lists_of_many_rays() {
    let circle = Sphere::new(Vec2::ZERO, 0.7).expect("a circle");
    let origins: Vec<Vec2> = (0..270_001).map(|i| Vec2::new(-5.0, (i % 1000) as f32 * 0.001)).collect();
    let rays: Vec<_> = origins.iter().map(|origin| Ray::new(*origin, Vec2::X)).collect();
    let directions = vec![Vec2::X; origins.len()];
    let columns = RayColumns::from_points(&origins, &directions).expect("rays");
    let run = || {
        let (all, spans) = (circle.cast_columns_all(&columns, ..), circle.spans_columns(&columns, ..));
        assert!(circle.cast_rays_all(&rays, ..) == all && circle.spans_rays(&rays, ..) == spans);
        (all, spans, circle.count_columns(&columns, ..))
    };
    let (all, spans, counts) = run();
    let counted = all.offsets().windows(2).map(|ends| ends[1] - ends[0]);
    assert!(counted.eq(counts.iter().map(|count| *count as usize)));
    assert_eq!((all.len(), all.offsets().last()), (rays.len(), Some(&all.hits().len())));
    assert_eq!(all.rows(rays.len()), 0..0);
    for ray in (0..1000).chain(262_000..263_000) {
        assert!(all.get(ray).eq(circle.cast_ray_all(&rays[ray], ..)), "{ray}");
        assert!(spans.get(ray).eq(circle.spans(&rays[ray], ..)), "{ray}");
    }
    assert!(all.hits().len() > 300_000 && all.hits().count_hits() == all.hits().len());
    let none = circle.cast_rays_all(&[] as &[Ray<Vec2>], ..);
    assert!(none.is_empty() && none.offsets() == [0] && none.hits().is_empty());
    #[cfg(feature = "rayon")]
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        assert!(pool.install(run) == (all.clone(), spans.clone(), counts.clone()), "{threads} threads");
    }
}

/// Threads return their columns in order.
#[cfg(feature = "rayon")]
#[test]
fn the_same_on_any_number_of_threads() {
    let ball = Sphere::new(Vec3::ZERO, 0.7).expect("a ball");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| format!("{:?}", cast(&ball, &rays(), Query::new())))
    };
    let one = run(1);
    for threads in [2, 3] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
