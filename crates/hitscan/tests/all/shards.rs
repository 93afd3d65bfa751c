//! Shards: their merged answers equal those of the whole scene, bit for bit, with ties on the cut.

use crate::support::{Draw, Rng, Sample, World, meshes, rounds, scenes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AllMerge, AnyShape3, Circle, ClosestMerge, Columns, Coplanar, Cuboid, Faces, Group, HitColumns, Inside, Object,
    ObjectId, PrimitiveId, Query, Ray, RayCast, RayColumns, Real, Scene, Shard, ShardError, ShardedScene, Sphere,
    Transform, Triggers, Vector3,
};
use std::borrow::Borrow;
use std::cell::Cell;
use std::sync::Arc;

/// Rays whose answers were contested: of closest hits, and of all hits.
pub(crate) type Contested = [usize; 2];

/// Compares all answers of shards with those of the scene, with all digits and the signs of zeros.
pub(crate) fn same<V: World>(
    scene: &Scene<V>,
    shards: &[Shard<V>],
    rays: &RayColumns<'_, V>,
    query: Query<V::Scalar>,
) -> Contested {
    let mut sharded = ShardedScene::new(shards.len(), |number| Ok::<_, ShardError>(&shards[number]));
    let closest = sharded.cast_columns(rays, query).unwrap();
    let whole = scene.cast_columns(rays, query);
    for row in 0..rays.len() {
        let [merged, whole] = [closest.get(row), whole.get(row)].map(|hit| format!("{hit:?}"));
        assert_eq!(merged, whole, "closest, row {row}: {:?} {query:?}", rays.get(row));
    }
    assert_eq!(sharded.intersects_columns(rays, query).unwrap(), scene.intersects_columns(rays, query));
    assert_eq!(sharded.count_columns(rays, query).unwrap(), scene.count_columns(rays, query));
    let (all, whole) = (sharded.cast_columns_all(rays, query).unwrap(), scene.cast_columns_all(rays, query));
    let (spans, whole_spans) = (sharded.spans_columns(rays, query).unwrap(), scene.spans_columns(rays, query));
    assert_eq!((all.len(), spans.len()), (rays.len(), rays.len()));
    for row in 0..rays.len() {
        let [merged, whole] = [&all, &whole].map(|all| format!("{:?}", all.get(row).collect::<Vec<_>>()));
        assert_eq!(merged, whole, "all, row {row}: {:?} {query:?}", rays.get(row));
        let [merged, whole] = [&spans, &whole_spans].map(|all| format!("{:?}", all.get(row).collect::<Vec<_>>()));
        assert_eq!(merged, whole, "spans, row {row}: {:?} {query:?}", rays.get(row));
    }
    assert_eq!((all.offsets(), spans.offsets()), (whole.offsets(), whole_spans.offsets()));

    let (mut closest, mut all) = (ClosestMerge::new(rays.len()), AllMerge::new(rays.len()));
    for shard in shards {
        closest.add(&shard.cast_columns(rays, query)).unwrap();
        all.add(shard.cast_columns_all(rays, query)).unwrap();
    }
    [closest.contested_rays(), all.contested_rays()]
}

/// Splits a scene into two and five shards, casts the rays at them in both orders, and returns how many were contested.
fn check<V: World>(scene: &Scene<V>, rays: &[Ray<V>], query: Query<V::Scalar>) -> Contested {
    let (origins, directions): (Vec<V>, Vec<V>) = rays.iter().map(|ray| (ray.origin, ray.direction)).unzip();
    let columns = RayColumns::from_points(&origins, &directions).unwrap();
    let mut contested = [0, 0];
    for count in [2, 5] {
        let mut shards = scene.split(count).unwrap();
        assert_eq!(shards.len(), count);
        partition(scene, &shards);
        for _ in 0..2 {
            let own = same(scene, &shards, &columns, query);
            contested = [contested[0] + own[0], contested[1] + own[1]];
            shards.reverse();
        }
    }
    check_rules(scene, &columns, query);
    contested
}

/// The same with rays that hit surfaces in which they run, and with limits by a distance: at the hits, and beside them.
fn check_rules<V: World>(scene: &Scene<V>, rays: &RayColumns<'_, V>, query: Query<V::Scalar>) {
    let shards = scene.split(3).unwrap();
    same(scene, &shards, rays, query.coplanar(Coplanar::Hit));
    let hits = scene.cast_columns(rays, query);
    let beside = |row: usize, at: V::Scalar| [at, at.next_down(), at.next_up()][row % 3];
    let distances: Vec<V::Scalar> =
        (0..rays.len()).map(|row| hits.get(row).map_or(V::Scalar::INFINITY, |hit| beside(row, hit.distance))).collect();
    same(scene, &shards, &rays.with_max_distance(&distances).unwrap(), query);
    let mut sorted: Vec<V::Scalar> = hits.distance().iter().copied().filter(|distance| distance.is_finite()).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    if let Some(&middle) = sorted.get(sorted.len() / 2) {
        same(scene, &shards, rays, query.within_distance(middle));
    }
}

/// Each object of the scene is in one shard as it is; a mesh may be in several.
fn partition<V: World>(scene: &Scene<V>, shards: &[Shard<V>]) {
    for (id, object) in scene.objects() {
        let parts: Vec<_> = shards.iter().flat_map(Shard::objects).filter(|(other, _)| *other == id).collect();
        assert!(!parts.is_empty(), "object {id} is in no shard");
        for (_, part) in &parts {
            assert_eq!(
                (part.name(), part.layers(), part.user_data()),
                (object.name(), object.layers(), object.user_data())
            );
            assert_eq!(
                (part.faces(), part.inside(), part.transform()),
                (object.faces(), object.inside(), object.transform())
            );
        }
        if hitscan::Shape::name(object.shape()) != "mesh" {
            assert_eq!(parts.len(), 1, "object {id}");
        }
    }
}

fn grid<V: Vector3>(height: impl Fn(usize, usize) -> f64) -> hitscan::TriangleMesh<V> {
    const SIDE: usize = 7;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..SIDE {
        for j in 0..SIDE {
            vertices.push([i as f64, j as f64, height(i, j)]);
            if i > 0 && j > 0 {
                let [a, b, c, d] = [[i - 1, j - 1], [i, j - 1], [i, j], [i - 1, j]].map(|[i, j]| (i * SIDE + j) as u32);
                triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
            }
        }
    }
    meshes::build((vertices, triangles))
}

/// Rays at the vertices, the middles of edges and the triangles of the grid: straight down, and aslant by whole numbers.
fn rays_at_grid<V: Vector3>(height: impl Fn(usize, usize) -> f64) -> Vec<Ray<V>> {
    let point = |xyz: [f64; 3]| V::from_xyz(xyz.map(V::Scalar::from_f64));
    let mut rays = Vec::new();
    for twice_x in 0..=12usize {
        for twice_y in 0..=12usize {
            let (x, y) = (twice_x as f64 / 2.0, twice_y as f64 / 2.0);
            rays.push(Ray::new(point([x, y, 8.0]), point([0.0, 0.0, -1.0])));
            let z = height(twice_x / 2, twice_y / 2);
            rays.push(Ray::new(point([x + 6.0, y - 4.0, z + 8.0]), point([-3.0, 2.0, -4.0])));
            rays.push(Ray::new(point([x - 1.0, y, z]), point([0.5, 0.0, 0.0])));
        }
    }
    rays
}

/// ```text
///   o---o---o---o      The cut follows edges and passes through vertices, on both sides of which
///   | / | \ | / |      the shards have triangles: a ray at them touches triangles of both.
///   o---o---o---o
/// ```
#[test]
fn edges_and_vertices_on_the_cut() {
    fn edges<V: Vector3 + World>()
    where
        V::Shape: From<hitscan::TriangleMesh<V>>,
    {
        let heights: [fn(usize, usize) -> f64; 3] =
            [|_, _| 0.0, |i, j| ((i * j) % 3) as f64, |i, j| ((i * 7 + j * 5) % 11) as f64 / 7.0];
        for height in heights {
            let mut scene = Scene::<V>::new();
            scene.insert(Object::new(grid::<V>(height))).unwrap();
            let rays = rays_at_grid(height);
            let queries = [Query::new(), Query::line().faces(Faces::Front), Query::new().faces(Faces::Back)];
            // The faces matter where triangles look both ways.
            let count = if height(1, 1) == 1.0 { 3 } else { 1 };
            for query in queries.into_iter().take(count) {
                let [closest, all] = check(&scene, &rays, query);
                // At a shared edge a line crosses one of two triangles, but touches both.
                assert!(closest > 20 || query.faces_mode() == Faces::Back, "{closest} {all}");
            }
        }
    }
    edges::<Vec3>();
    edges::<DVec3>();
}

/// Triangles that coincide, within one mesh and in two meshes, one of them with vertices in another order.
#[test]
fn coincident_triangles_in_different_shards() {
    fn triangles<V: Vector3 + World>()
    where
        V::Shape: From<hitscan::TriangleMesh<V>>,
    {
        let corners = vec![[0.0, 0.0, 0.3], [1.0, 0.1, 0.7], [0.2, 1.0, -0.4]];
        let copies =
            |from: usize| (0..10).map(|i| [[0, 1, 2], [2, 1, 0], [1, 2, 0]][(i + from) % 3]).collect::<Vec<_>>();
        let one = || V::Shape::from(meshes::build::<V>((corners.clone(), copies(0))));
        let mut rng = Rng::new(1);
        let mut scene = Scene::new();
        let first = scene.insert(Object::new(one())).unwrap();
        scene.insert(Object::new(V::Shape::from(meshes::build::<V>((corners.clone(), copies(1)))))).unwrap();
        // The object that is inserted last has the lowest slot.
        scene.remove(first).unwrap();
        scene.insert(Object::new(one()).with_faces(Faces::Both)).unwrap();
        let mut rays = Vec::new();
        for _ in 0..200 {
            let (u, v) = (rng.unit(), rng.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let at = [0, 1, 2]
                .map(|k| corners[0][k] + u * (corners[1][k] - corners[0][k]) + v * (corners[2][k] - corners[0][k]));
            let target = V::from_xyz(at.map(V::Scalar::from_f64));
            let origin: V = rng.vector(Draw::Ordinary);
            rays.push(Ray::new(origin, target - origin));
        }
        for query in [Query::new(), Query::line(), Query::new().faces(Faces::Front)] {
            let [closest, all] = check(&scene, &rays, query);
            assert!(closest > 300 && all > 300, "{closest} {all}");
        }
    }
    triangles::<Vec3>();
    triangles::<DVec3>();
}

/// Shapes that coincide, with transforms that only exact arithmetic knows to be the same, in all orders of ids.
#[test]
fn coincident_shapes_in_different_shards() {
    fn shapes<V: World>(seed: u64) {
        let mut rng = Rng::new(seed);
        for _ in 0..10 {
            let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, Draw::Ordinary) else { continue };
            let mut scene = Scene::new();
            let half = V::splat(V::Scalar::from_f64(0.5));
            let mut ids = Vec::new();
            for i in 0..6 {
                let object = match i % 3 {
                    0 => Object::new(shape.clone()),
                    1 => Object::new(
                        Group::new({
                            let mut inner = Scene::new();
                            let map = Transform::identity().with_scale(half).unwrap();
                            inner.insert(Object::new(shape.clone()).with_transform(map)).unwrap();
                            inner
                        })
                        .unwrap(),
                    )
                    .with_transform(Transform::identity().with_scale(V::splat(V::Scalar::from_f64(2.0))).unwrap()),
                    _ => Object::new(shape.clone()).with_inside(Inside::Hollow),
                };
                ids.push(scene.insert(object).unwrap());
                if i == 3 {
                    scene.remove(ids[0]).unwrap();
                }
            }
            let bounds = hitscan::Shape::aabb(&scene);
            let rays: Vec<Ray<V>> = (0..rounds(30)).map(|_| rng.ray(Draw::Ordinary, &bounds)).collect();
            let hits = rays.iter().filter(|ray| scene.intersects_ray(*ray, ..)).count();
            let [closest, all] = check(&scene, &rays, Query::new());
            // Every shard has one of the coincident shapes, but perhaps hollow ones only.
            assert!(closest >= hits && all >= hits, "{closest} {all} {hits}");
        }
    }
    shapes::<Vec2>(1);
    shapes::<DVec2>(2);
    shapes::<Vec3>(3);
    shapes::<DVec3>(4);
}

/// Random objects, ranges, rules and rays; in space with meshes that are split, some of them placed several times.
fn random<V: World>(seed: u64, more: &dyn Fn(&mut Rng) -> Vec<V::Shape>) -> Contested {
    let mut rng = Rng::new(seed);
    let mut contested = [0, 0];
    for case in 0..8 {
        let draw = [Draw::Lattice, Draw::Ordinary][case % 2];
        let mut scene = scenes::changed_scene::<V>(&mut rng, 12, draw);
        for (number, shape) in more(&mut rng).into_iter().enumerate() {
            let place = Transform::from_translation(rng.vector::<V>(Draw::Lattice)).unwrap();
            let twice = place.with_scale(V::splat(V::Scalar::from_f64(rng.pick(&[1.0, -2.0, 0.3])))).unwrap();
            let object = Object::new(shape).named(format!("mesh {number}"));
            let object = match rng.below(4) {
                0 => object,
                1 => object.with_transform(place).with_faces(Faces::Front),
                2 => object.with_transform(twice).on_layers(3),
                _ => object.with_transform(place).as_trigger(),
            };
            scene.insert(object).unwrap();
        }
        let bounds = scene.finite_bounds();
        let rays: Vec<Ray<V>> = (0..150).map(|_| rng.ray(rng.clone().pick(&[draw, Draw::Lattice]), &bounds)).collect();
        let query = match case % 4 {
            0 => Query::new(),
            1 => rng.query(Draw::Lattice).inside(Inside::Hollow),
            2 => rng.query(Draw::Lattice).layers(2).faces(Faces::Front),
            _ => rng.query(draw).triggers([Triggers::Hit, Triggers::Ignore][case / 4]),
        };
        let own = check(&scene, &rays, query);
        contested = [contested[0] + own[0], contested[1] + own[1]];
    }
    contested
}

#[test]
fn random_scenes_in_the_plane() {
    let contested = [random::<Vec2>(1, &|_| vec![]), random::<DVec2>(2, &|_| vec![])];
    assert!(contested.as_flattened().iter().all(|count| *count > 20), "{contested:?}");
}

#[test]
fn random_scenes_in_space() {
    fn shapes<V: Vector3>(rng: &mut Rng) -> Vec<AnyShape3<V>> {
        let mesh = match rng.below(3) {
            0 => meshes::icosphere(2),
            1 => meshes::torus(12, 8),
            _ => meshes::hall(),
        };
        let shared = AnyShape3::from(Arc::new(meshes::build::<V>(mesh)));
        let own = AnyShape3::from(Arc::new(meshes::build::<V>(meshes::slivers())));
        vec![shared.clone(), own, shared.clone(), shared]
    }
    let contested = [random::<Vec3>(3, &shapes::<Vec3>), random::<DVec3>(4, &shapes::<DVec3>)];
    assert!(contested.as_flattened().iter().all(|count| *count > 20), "{contested:?}");
}

/// The turn around z that maps x to y, and an icosphere to itself.
pub(crate) fn quarter_turn() -> Transform<Vec3> {
    Transform::new([Vec3::Y, -Vec3::X, Vec3::Z], Vec3::ZERO).unwrap()
}

/// Segments, and rays with ranges and layers of their own, a NaN among them.
#[test]
fn segments_and_ranged_rays() {
    let mut rng = Rng::new(6);
    let mut scene = Scene::<Vec3>::new();
    let mesh = Arc::new(meshes::build::<Vec3>(meshes::icosphere(3)));
    scene.insert(Object::new(mesh.clone()).with_transform(quarter_turn())).unwrap();
    scene.insert(Object::new(mesh).with_transform(quarter_turn()).on_layers(2)).unwrap();
    // The same triangles are in other shards than those of the mesh placed twice, which is cut in its own coordinates.
    scene.insert(Object::new(meshes::build::<Vec3>(meshes::icosphere(3))).on_layers(3)).unwrap();
    scene.insert(Object::new(Cuboid::new(Vec3::X, Vec3::ONE).unwrap()).on_layers(3)).unwrap();
    let (a, b): (Vec<_>, Vec<_>) = (0..600).map(|_| (rng.in_cube::<Vec3>() * 2.0, rng.in_cube::<Vec3>() * 2.0)).unzip();
    let mut ends = || (0..600).map(|_| rng.pick(&[-0.5, 0.0, 0.3, 1.0, 5.0, f32::NAN, f32::INFINITY])).collect();
    let (t_min, t_max): (Vec<f32>, Vec<f32>) = (ends(), ends());
    let layers: Vec<u32> = (0..600).map(|_| rng.pick(&[0, 1, 2, 3])).collect();
    let shards = scene.split(3).unwrap();
    let mut contested = 0;
    for rays in [RayColumns::from_points(&a, &b).unwrap(), RayColumns::segments(&a, &b).unwrap()] {
        let ranged = rays.with_t_max(&t_max).unwrap();
        for rays in [rays, ranged, ranged.with_t_min(&t_min).unwrap().with_layers(&layers).unwrap()] {
            contested += same(&scene, &shards, &rays, Query::line())[0];
        }
    }
    assert!(contested > 100, "{contested}");
}

/// No triangle is in two shards, also of a mesh that several objects place, and shards are about equally large.
#[test]
fn shards_have_equal_shares() {
    let mesh = |size: usize| Arc::new(meshes::build::<Vec3>(meshes::icosphere(size)));
    let (large, instanced) = (mesh(5), mesh(4));
    let mut scene = Scene::<Vec3>::new();
    scene.insert(Object::new(large.clone())).unwrap();
    for i in 0..50 {
        let place = Transform::from_translation(Vec3::X * i as f32).unwrap();
        scene.insert(Object::new(instanced.clone()).with_transform(place)).unwrap();
        scene.insert(Object::new(Sphere::new(Vec3::X * i as f32, 2.0).unwrap())).unwrap();
    }
    let whole = large.triangles().len() + instanced.triangles().len();
    for count in [1, 2, 3, 7] {
        let shards = scene.split(count).unwrap();
        let counts: Vec<usize> = shards.iter().map(Shard::triangle_count).collect();
        assert_eq!(counts.iter().sum::<usize>(), whole, "{counts:?}");
        assert!(counts.iter().all(|own| own.abs_diff(whole / count) <= whole / count / 8 + 1), "{counts:?}");
    }
    // Small meshes stay whole, and shards of few objects may be empty.
    let mut scene = Scene::<Vec3>::new();
    for i in 0..100 {
        let place = Transform::from_translation(Vec3::X * (3 * i) as f32).unwrap();
        scene.insert(Object::new(meshes::build::<Vec3>(meshes::icosphere(1))).with_transform(place)).unwrap();
    }
    let shards = scene.split(4).unwrap();
    assert_eq!(shards.iter().map(Shard::len).collect::<Vec<_>>(), [25; 4]);
    let mut few = Scene::<Vec3>::new();
    few.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap())).unwrap();
    let shards = few.split(5).unwrap();
    assert_eq!(shards.iter().filter(|shard| shard.is_empty()).count(), 4);
    let rays = RayColumns::from_points(&[[0.0, 0.0, 3.0]], &[[0.0, 0.0, -1.0]]).unwrap();
    assert_eq!(same(&few, &shards, &rays, Query::new()), [0, 0]);
    assert_eq!(Scene::<Vec3>::new().split(2).unwrap().iter().map(Shard::len).collect::<Vec<_>>(), [0, 0]);
}

/// Shards that were never one scene: the numbers go on from shard to shard.
#[test]
fn shards_of_scenes() {
    let mut rng = Rng::new(8);
    let (mut whole, mut shards) = (Scene::<Vec3>::new(), Vec::new());
    for tile in 0..4 {
        let mut scene = Scene::<Vec3>::new();
        for i in 0..10 {
            let shape = Cuboid::new((rng.in_cube::<Vec3>() * 4.0).round(), Vec3::ONE).unwrap();
            whole.insert(Object::new(shape)).unwrap();
            scene.insert(Object::new(shape)).unwrap();
            if tile == 1 && i == 9 {
                // The last slot once more, with another generation.
                let last = scene.objects().last().unwrap().0;
                let object = scene.remove(last).unwrap();
                assert_eq!(scene.insert(object).unwrap().index(), last.index());
            }
            if tile == 2 && i == 4 {
                // An edited scene has vacant slots; its objects are numbered without them.
                let gone = scene.insert(Object::new(shape)).unwrap();
                scene.remove(gone).unwrap();
                scene.insert(Object::new(shape)).unwrap();
                whole.insert(Object::new(shape)).unwrap();
            }
        }
        let first = shards.iter().map(Shard::len).sum::<usize>() as u32;
        let shard = Shard::new(scene, first).unwrap();
        shards.push(Shard::from_bytes(&shard.to_bytes().unwrap()).unwrap());
    }
    assert_eq!(whole.len(), 41);
    let rays: Vec<Ray<Vec3>> = (0..300).map(|_| rng.ray(Draw::Lattice, &whole.finite_bounds())).collect();
    let (origins, directions): (Vec<_>, Vec<_>) = rays.iter().map(|ray| (ray.origin, ray.direction)).unzip();
    let rays = RayColumns::from_points(&origins, &directions).unwrap();
    for _ in 0..2 {
        let [closest, all] = same(&whole, &shards, &rays, Query::new());
        assert!(closest > 50 && all > 50, "{closest} {all}");
        shards.reverse();
    }
    let mut scene = Scene::<Vec3>::new();
    scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap())).unwrap();
    assert_eq!(Shard::new(scene.clone(), u32::MAX).err(), Some(ShardError::TooMany));
    assert_eq!(Shard::new(scene, u32::MAX - 1).err(), Some(ShardError::TooMany));
}

/// Without some objects: whole ones, and one of a mesh in several shards.
#[test]
fn excluded_objects() {
    let mut rng = Rng::new(13);
    let mut scene = Scene::<Vec3>::new();
    let ids: Vec<ObjectId> = (0..40)
        .map(|i| {
            let cuboid = Cuboid::new((rng.in_cube::<Vec3>() * 3.0).round(), Vec3::ONE).unwrap();
            let mesh = || meshes::build::<Vec3>(meshes::icosphere(2));
            scene.insert(if i % 13 == 0 { Object::new(mesh()) } else { Object::new(cuboid) }).unwrap()
        })
        .collect();
    let rays: Vec<Ray<Vec3>> = (0..300).map(|_| rng.ray(Draw::Lattice, &scene.finite_bounds())).collect();
    let (origins, directions): (Vec<_>, Vec<_>) = rays.iter().map(|ray| (ray.origin, ray.direction)).unzip();
    let rays = RayColumns::from_points(&origins, &directions).unwrap();
    let (first, second) = ([ids[0], ids[1], ids[5], ids[39]], [ids[13], ids[20]]);
    let shards: Vec<_> = scene.split(3).unwrap().iter().map(|it| it.excluding(&first).excluding(&second)).collect();
    let mut rest = scene.snapshot();
    first.iter().chain(&second).for_each(|id| drop(rest.remove(*id).unwrap()));
    let [closest, all] = same(&rest, &shards, &rays, Query::new());
    assert!(closest > 30 && all > 30, "{closest} {all}");
    assert_ne!(rest.cast_columns(&rays, ..), scene.cast_columns(&rays, ..));
}

/// The queries of a shard that are not merged have the numbers of the whole scene, too.
#[test]
fn other_queries_have_the_numbers_of_the_whole() {
    use hitscan::{OverlapQuery, PointQuery, SweepQuery};
    let mut scene = Scene::<Vec3>::new();
    scene.insert(Object::new(meshes::build::<Vec3>(meshes::icosphere(2)))).unwrap();
    let mesh = scene.insert(Object::new(meshes::build::<Vec3>(meshes::icosphere(3)))).unwrap();
    let shards = scene.split(2).unwrap();
    let mut rng = Rng::new(9);
    for _ in 0..100 {
        let point = rng.in_cube::<Vec3>() * 2.0;
        let whole = scene.closest_point(point).unwrap();
        let nearest: Vec<_> = shards.iter().filter_map(|shard| shard.closest_point(point)).collect();
        let best = nearest.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).unwrap();
        assert_eq!(best.distance, whole.distance);
        assert!(nearest.iter().any(|point| (point.object, point.primitive) == (whole.object, whole.primitive)));
        let ray = Ray::new(point * 4.0, -point);
        let sweep = scene.cast_sphere(&ray, 0.05, ..).unwrap();
        let found = shards.iter().filter_map(|shard| shard.cast_sphere(&ray, 0.05, ..));
        assert!(
            found.into_iter().any(|hit| (hit.t, hit.object, hit.primitive) == (sweep.t, sweep.object, sweep.primitive))
        );
        let ball = Sphere::new(point.normalize(), 0.1).unwrap();
        let mut all: Vec<_> =
            shards.iter().flat_map(|shard| shard.overlapping(ball)).map(|it| (it.object, it.primitive)).collect();
        let mut whole: Vec<_> = scene.overlapping(ball).iter().map(|it| (it.object, it.primitive)).collect();
        all.sort_by_key(|(object, primitive)| (object.map(ObjectId::to_bits), *primitive));
        whole.sort_by_key(|(object, primitive)| (object.map(ObjectId::to_bits), *primitive));
        all.dedup();
        assert_eq!(all, whole);
        assert!(whole.iter().any(|(object, _)| *object == Some(mesh)));
        assert_eq!(shards[0].closest_primitives(point, 3).map(|list| list.len()), Ok(3));
    }
}

#[test]
fn wrong_merges_are_errors() {
    let mut scene = Scene::<Vec3>::new();
    let first = scene.insert(Object::new(Cuboid::new(Vec3::X, Vec3::ONE).unwrap())).unwrap();
    scene.insert(Object::new(Cuboid::new(-Vec3::X, Vec3::ONE).unwrap())).unwrap();
    for given in [0, 65_537, usize::MAX] {
        assert_eq!(scene.split(given).err(), Some(ShardError::Count { given }));
    }
    assert_eq!(scene.split(65_536).unwrap().iter().map(Shard::len).sum::<usize>(), 2);
    let shards = scene.split(2).unwrap();
    let rays = RayColumns::from_points(&[[0.0, 0.0, 5.0]], &[[0.0, 0.0, -1.0]]).unwrap();
    let none = RayColumns::from_points(&[Vec3::ZERO; 0], &[Vec3::ZERO; 0]).unwrap();
    let merge = || {
        let mut merge = ClosestMerge::new(1);
        shards.iter().for_each(|shard| merge.add(&shard.cast_columns(&rays, ..)).unwrap());
        merge
    };
    let contested = merge().contested();
    assert_eq!(contested.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    let parts: Vec<_> = shards.iter().zip(&contested).map(|(shard, own)| shard.part(own)).collect();
    assert_eq!(merge().finish(&rays, .., &parts).unwrap(), scene.cast_columns(&rays, ..));
    assert_eq!(merge().finish(&rays, .., &parts[..1]).err(), Some(ShardError::MissingPart { shard: 1 }));
    assert_eq!(merge().finish(&rays, .., &parts[1..]).err(), Some(ShardError::MissingPart { shard: 0 }));
    let twice = [parts[0].clone(), parts[1].clone(), parts[0].clone()];
    let id = contested[0][0].object().unwrap();
    assert_eq!(merge().finish(&rays, .., &twice).err(), Some(ShardError::Twice { object: id }));
    let [given, needed] = [0, 1];
    assert_eq!(merge().finish(&none, .., &parts).err(), Some(ShardError::Rows { given, needed }));
    assert_eq!(merge().add(&HitColumns::default()).err(), Some(ShardError::Rows { given, needed }));
    let mut few = HitColumns::new(Columns::T);
    shards[0].cast_columns_into(&rays, .., &mut few);
    assert_eq!(merge().add(&few).err(), Some(ShardError::Columns));

    let all = || {
        let mut merge = AllMerge::new(1);
        shards.iter().for_each(|shard| merge.add(shard.cast_columns_all(&rays, ..)).unwrap());
        merge
    };
    assert_eq!(all().contested(), contested);
    assert_eq!(all().finish(&rays, .., &[]).err(), Some(ShardError::MissingPart { shard: 0 }));
    assert_eq!(all().finish(&none, .., &parts).err(), Some(ShardError::Rows { given, needed }));
    assert_eq!(all().add(shards[0].cast_columns_all(&none, ..)).err(), Some(ShardError::Rows { given, needed }));

    // Primitives of other shards and of no shard are left out of a part.
    let other = PrimitiveId::new(first, None);
    assert_eq!(shards.iter().map(|shard| shard.part(&[other, other]).len()).sum::<usize>(), 1);
    assert!(shards[0].part(&[PrimitiveId::new(ObjectId::from_bits(77).unwrap(), Some(3))]).is_empty());
}

/// A shard that says when it is gone.
struct Loaded<'a>(Shard<Vec3>, &'a Cell<usize>);

impl Borrow<Shard<Vec3>> for Loaded<'_> {
    fn borrow(&self) -> &Shard<Vec3> {
        &self.0
    }
}

impl Drop for Loaded<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() - 1);
    }
}

#[test]
fn one_shard_is_in_memory_at_a_time() {
    let mut scene = Scene::<Vec3>::new();
    for _ in 0..6 {
        scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap())).unwrap();
    }
    let files: Vec<_> = scene.split(3).unwrap().iter().map(|shard| shard.to_bytes().unwrap()).collect();
    let (alive, loads) = (Cell::new(0), Cell::new(0));
    let mut sharded = ShardedScene::new(3, |number: usize| {
        assert_eq!(alive.replace(1), 0, "shard {number} is loaded beside another one");
        loads.set(loads.get() + 1);
        Ok::<_, ShardError>(Loaded(Shard::from_bytes(&files[number]).unwrap(), &alive))
    });
    let rays = RayColumns::from_points(&[[0.0, 0.0, 3.0]], &[[0.0, 0.0, -1.0]]).unwrap();
    assert_eq!(sharded.cast_columns(&rays, ..).unwrap(), scene.cast_columns(&rays, ..));
    assert_eq!(loads.replace(0), 6); // every shard is contested, and loaded twice
    assert_eq!(sharded.cast_columns_all(&rays, ..).unwrap(), scene.cast_columns_all(&rays, ..));
    assert_eq!(loads.replace(0), 6);
    assert_eq!(sharded.spans_columns(&rays, ..).unwrap(), scene.spans_columns(&rays, ..));
    assert_eq!(sharded.intersects_columns(&rays, ..).unwrap(), [true]);
    assert_eq!(sharded.count_columns(&rays, ..).unwrap(), [12]);
    assert_eq!((loads.get(), alive.get()), (9, 0));
}

/// A shard that is lost on the way is named.
#[test]
fn errors_of_the_loader_are_returned() {
    let mut scene = Scene::<Vec2>::new();
    scene.insert(Object::new(Circle::new(Vec2::ZERO, 1.0).unwrap())).unwrap();
    let shards = scene.split(2).unwrap();
    let load = |number: usize| if number == 1 { Err(String::from("no file 1")) } else { Ok(shards[number].clone()) };
    #[derive(Debug, PartialEq)]
    struct Lost(String);
    impl From<ShardError> for Lost {
        fn from(error: ShardError) -> Self {
            Self(error.to_string())
        }
    }
    let mut sharded = ShardedScene::new(2, |number| load(number).map_err(Lost));
    let rays = RayColumns::from_points(&[[0.0, 3.0]], &[[0.0, -1.0]]).unwrap();
    assert_eq!(sharded.cast_columns(&rays, ..).err(), Some(Lost("no file 1".into())));
    assert_eq!(sharded.count_columns(&rays, ..).err(), Some(Lost("no file 1".into())));
}
