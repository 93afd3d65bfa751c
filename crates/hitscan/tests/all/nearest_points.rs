//! The nearest primitives and objects, and all within a distance.

use crate::support::{Ball, Draw, Rng, Sample, World, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape3, Basis, ClosestPoint, Group, Instance, NotMeasured, Object, ObjectId, PointQuery, Quality, Real, Scene,
    Shape, Space, Sphere, Transform, TriangleMesh, UserShape, Vector, Vector3,
};

type Points<V> = Vec<ClosestPoint<V>>;

/// Each triangle as a mesh by itself, in the order of distance and number.
fn each_triangle<V: Vector3>(
    mesh: &TriangleMesh<V>,
    place: impl Fn(TriangleMesh<V>) -> Result<Points<V>, NotMeasured>,
) -> Points<V> {
    let mut found = Vec::new();
    for (number, triangle) in (0..).zip(mesh.triangles()) {
        let corners = triangle.map(|i| mesh.vertices()[i as usize]);
        for single in place(TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap() {
            let mut own = single;
            own.primitive = Some(number);
            found.push(own);
        }
    }
    found.sort_by(|a, b| a.distance.partial_cmp(&b.distance).unwrap());
    found
}

/// All limits of number and distance give the beginning of the whole list.
fn check_limits<V: Vector>(shape: &impl Shape<V>, point: V, whole: &Points<V>, into: &mut Points<V>) {
    for count in [0, 1, 2, 5, 17, 64, 65, 100, whole.len(), whole.len() + 1, usize::MAX] {
        let first = &whole[..count.min(whole.len())];
        assert_eq!(shape.closest_primitives(point, count).unwrap(), first, "{count} {point:?}");
        if let Some(last) = first.last() {
            shape.closest_primitives_into(point, last.distance, count, into).unwrap();
            assert_eq!(*into, first);
        }
    }
    for number in [0, 3, 40, whole.len()] {
        let Some(at) = whole.get(number.min(whole.len().saturating_sub(1))) else { continue };
        let limits = [at.distance, at.distance.next_down(), V::Scalar::ZERO, V::Scalar::INFINITY];
        for limit in limits {
            let near: Points<V> = whole.iter().copied().filter(|found| found.distance <= limit).collect();
            assert_eq!(shape.primitives_within(point, limit).unwrap(), near, "{limit} {point:?}");
        }
    }
    assert_eq!(shape.closest_point(point).map(|found| found.distance), whole.first().map(|found| found.distance));
}

fn points_of<V: Vector3>(rng: &mut Rng, mesh: &TriangleMesh<V>) -> V {
    let vertex = mesh.vertices()[rng.below(mesh.vertices().len())];
    match rng.below(5) {
        0 => vertex,
        1 => vertex * V::Scalar::from_f64(1.5),
        2 => V::default(),
        3 => rng.in_cube::<V>() * V::Scalar::from_f64(100.0),
        _ => rng.in_cube::<V>() * V::Scalar::from_f64(2.0),
    }
}

fn check_mesh<V: Vector3>(seed: u64, count: usize) {
    let (mut rng, mut into) = (Rng::new(seed), Vec::new());
    for arrays in [meshes::icosphere(0), meshes::icosphere(3), meshes::torus(20, 10), meshes::slivers(), meshes::hall()]
    {
        let mesh: TriangleMesh<V> = meshes::build(arrays);
        let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        let split = TriangleMesh::with_quality(vertices, triangles, Quality::High).unwrap();
        for _ in 0..count {
            let point = points_of(&mut rng, &mesh);
            let whole = each_triangle(&mesh, |mesh| mesh.closest_primitives(point, 1));
            for mesh in [&mesh, &split, &mesh.linear_scan()] {
                check_limits(mesh, point, &whole, &mut into);
            }
        }
    }
}

#[test]
fn triangles_come_by_distance_and_number() {
    check_mesh::<Vec3>(1, 6);
    check_mesh::<DVec3>(2, 2);
}

/// All triangles around a vertex are at its distance.
#[test]
fn triangles_around_a_vertex_come_in_their_order() {
    let mesh = meshes::build::<Vec3>(meshes::icosphere(2));
    for (number, &vertex) in (0..).zip(mesh.vertices()) {
        let around: Vec<u32> =
            (0..).zip(mesh.triangles()).filter(|(_, corners)| corners.contains(&number)).map(|(i, _)| i).collect();
        let found = mesh.closest_primitives(vertex * 1.5, around.len()).unwrap();
        assert_eq!(found.iter().filter_map(|found| found.primitive).collect::<Vec<_>>(), around);
        assert!(found.iter().all(|found| found.point == vertex));
        assert_eq!(mesh.primitives_within(vertex, 0.0).unwrap().len(), around.len());
    }
}

fn similarity<V: World>(rng: &mut Rng) -> Transform<V> {
    let basis = rng.basis::<V>(Draw::Ordinary).unwrap_or(Basis::identity());
    let scale = V::splat(V::Scalar::from_f64(rng.pick(&[0.5, 1.0, -2.0, 3.0])));
    Transform::from_basis(&basis, rng.vector(Draw::Ordinary)).unwrap().with_scale(scale).unwrap()
}

/// Placed meshes: each triangle placed by itself.
fn placed_meshes<V: World<Shape = AnyShape3<V>> + Vector3>(seed: u64) {
    let (mut rng, mut into) = (Rng::new(seed), Vec::new());
    let mesh = meshes::build::<V>(meshes::torus(12, 8));
    for round in 0..12 {
        let axes = [rng.in_cube(), rng.in_cube(), rng.in_cube()];
        let transform =
            if round % 3 == 0 { Transform::new(axes, rng.in_cube()).unwrap() } else { similarity(&mut rng) };
        let placed = Instance::new(mesh.clone()).with_transform(transform);
        let linear = Instance::new(mesh.linear_scan()).with_transform(transform);
        let point = rng.in_cube::<V>() * V::Scalar::from_f64(3.0);
        let place = |mesh| Instance::new(mesh).with_transform(transform).closest_primitives(point, 1);
        let whole = each_triangle(&mesh, place);
        check_limits(&placed, point, &whole, &mut into);
        check_limits(&linear, point, &whole, &mut into);
    }
}

#[test]
fn placed_triangles_come_by_distance() {
    placed_meshes::<Vec3>(3);
    placed_meshes::<DVec3>(4);
}

fn scene<V: World>(rng: &mut Rng, count: usize, draw: Draw) -> Scene<V> {
    let (mut scene, mut ids) = (Scene::new(), Vec::new());
    while scene.len() < count {
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) else { continue };
        let mut object = Object::new(shape.clone());
        match rng.below(6) {
            0 => object = object.as_trigger(),
            1 => object = object.with_transform(similarity(rng)),
            2 => {
                let mut inner = Scene::new();
                inner.insert(Object::new(shape.clone())).unwrap();
                inner.insert(Object::new(shape).with_transform(similarity(rng))).unwrap();
                object = Object::new(Group::new(inner).unwrap()).with_transform(similarity(rng));
            }
            3 => object = object.on_layers(2),
            _ => {}
        }
        ids.push(scene.insert(object).unwrap());
        match rng.below(10) {
            0 => scene.commit(),
            1 | 2 => drop(scene.set_transform(rng.pick(&ids), similarity(rng))),
            3 => drop(scene.remove(rng.pick(&ids))),
            _ => {}
        }
    }
    scene
}

/// The lists of all objects that count, merged: stable, so that objects at the same distance stay in their order.
fn merged<V: Space>(
    scene: &Scene<V>,
    counts: impl Fn(ObjectId, &Object<V>) -> bool,
    of_object: impl Fn(&Instance<V>) -> Points<V>,
) -> Points<V> {
    let mut found = Vec::new();
    for (id, object) in scene.objects().filter(|(id, object)| counts(*id, object)) {
        found.extend(of_object(object.instance()).into_iter().map(|mut found| {
            found.object = Some(id);
            found
        }));
    }
    found.sort_by(|a, b| a.distance.partial_cmp(&b.distance).unwrap());
    found
}

fn scenes<V: World>(seed: u64) {
    let mut into = Vec::new();
    for round in 0..30 {
        let mut rng = Rng::for_stream(seed, round);
        let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
        let scene = scene::<V>(&mut rng, [1, 5, 90][round as usize % 3], draw);
        let some: Vec<_> = scene.objects().map(|(id, _)| id).filter(|id| id.index() % 3 == 0).collect();
        for _ in 0..4 {
            let point: V = rng.vector(draw);
            let primitives = |instance: &Instance<V>| instance.primitives_within(point, V::Scalar::INFINITY).unwrap();
            let whole = merged(&scene, |_, _| true, primitives);
            check_limits(&scene, point, &whole, &mut into);
            check_limits(&scene.linear_scan(), point, &whole, &mut into);
            check_limits(&scene.snapshot(), point, &whole, &mut into);
            let rest = merged(&scene, |id, object| object.layers() & 2 != 0 && !some.contains(&id), primitives);
            check_limits(&scene.excluding(&some).on_layers(2), point, &rest, &mut into);
            let each = merged(&scene, |_, _| true, |instance| instance.closest_point(point).into_iter().collect());
            for count in [0, 1, 3, 70, usize::MAX] {
                let first = &each[..count.min(each.len())];
                assert_eq!(scene.closest_objects(point, V::Scalar::INFINITY, count).unwrap(), first);
                let Some(last) = first.last() else { continue };
                assert_eq!(scene.linear_scan().closest_objects(point, last.distance, count).unwrap(), first);
            }
            assert_eq!(
                scene.closest_objects(point, V::Scalar::INFINITY, 1).unwrap().first(),
                scene.closest_point(point).as_ref()
            );
        }
    }
}

#[test]
fn scenes_merge_their_objects() {
    scenes::<Vec2>(5);
    scenes::<DVec2>(6);
    scenes::<Vec3>(7);
    scenes::<DVec3>(8);
}

/// A group has the primitives of its scene, which its members number.
#[test]
fn groups_have_the_primitives_of_their_members() {
    let mut rng = Rng::new(9);
    for _ in 0..20 {
        let inner = scene::<Vec3>(&mut rng, 12, Draw::Lattice);
        let group = Group::new(inner.snapshot()).unwrap();
        let point: Vec3 = rng.vector(Draw::Lattice);
        let of_scene = inner.primitives_within(point, f32::INFINITY).unwrap();
        let of_group = group.primitives_within(point, f32::INFINITY).unwrap();
        let key = |found: &ClosestPoint<Vec3>| (found.point, found.distance, found.primitive);
        assert!(of_scene.iter().map(key).eq(of_group.iter().map(key)));
        for (in_scene, in_group) in of_scene.iter().zip(&of_group) {
            assert_eq!(group.path(in_group.member.unwrap()).first().copied(), in_scene.object);
        }
    }
}

#[test]
fn shapes_that_are_not_measured_are_not_left_out() {
    let ball = |x: f32| Object::new(Sphere::new(Vec3::X * x, 1.0).unwrap());
    let mut scene = Scene::new();
    let near = [4.0, 7.0].map(|x| scene.insert(ball(x)).unwrap());
    let far = Transform::from_translation(Vec3::X * 19.0).unwrap();
    let silent = UserShape::new(Ball { is_measured: false });
    scene.insert(Object::new(silent).with_transform(far)).unwrap(); // its box begins at x = 18
    for scene in [&scene, &scene.linear_scan()] {
        let ids = |found: Points<Vec3>| found.iter().filter_map(|found| found.object).collect::<Vec<_>>();
        assert_eq!(scene.closest_primitives(Vec3::ZERO, 2).map(ids), Ok(near.to_vec()));
        assert_eq!(scene.closest_primitives(Vec3::ZERO, 3), Err(NotMeasured));
        assert_eq!(scene.primitives_within(Vec3::ZERO, 17.5).map(ids), Ok(near.to_vec()));
        assert_eq!(scene.primitives_within(Vec3::ZERO, 18.0), Err(NotMeasured));
        assert_eq!(scene.closest_objects(Vec3::ZERO, f32::INFINITY, 2).map(ids), Ok(near.to_vec()));
        assert_eq!(scene.closest_objects(Vec3::ZERO, f32::INFINITY, 3), Err(NotMeasured));
        let mut found = scene.closest_primitives(Vec3::ZERO, 1).unwrap();
        assert_eq!(scene.closest_primitives_into(Vec3::X * 20.0, 1.0, 9, &mut found), Err(NotMeasured));
        assert!(found.is_empty());
    }
}

#[test]
fn limits_that_find_nothing() {
    let mesh = meshes::build::<Vec3>(meshes::icosphere(1));
    for limit in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        assert_eq!(mesh.primitives_within(Vec3::ZERO, limit), Ok(Vec::new()));
    }
    for point in [Vec3::NAN, Vec3::X * f32::INFINITY] {
        assert_eq!(mesh.closest_primitives(point, 3), Ok(Vec::new()));
    }
    assert_eq!(Scene::<Vec3>::new().closest_primitives(Vec3::ZERO, 3), Ok(Vec::new()));
    assert_eq!(Scene::<Vec3>::new().closest_objects(Vec3::NAN, 1.0, 3), Ok(Vec::new()));
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    assert_eq!(ball.closest_primitives(Vec3::X * 2.0, 9).unwrap(), [ball.closest_point(Vec3::X * 2.0).unwrap()]);
}

/// The memory of the caller is enough.
#[test]
fn a_list_that_is_large_enough_stays() {
    let mesh = meshes::build::<Vec3>(meshes::icosphere(3));
    for (count, capacity) in [(8, 8), (64, 64), (65, 130), (300, 600)] {
        let mut found = Vec::with_capacity(capacity);
        let place = found.as_ptr();
        mesh.closest_primitives_into(Vec3::ZERO, f32::INFINITY, count, &mut found).unwrap();
        assert_eq!((found.len(), found.as_ptr(), found.capacity()), (count, place, capacity));
    }
}

/// A batch has the lists of its points, on one thread and on several: 10,000 points are several chunks.
#[test]
fn batches_have_the_lists_of_their_points() {
    let mut rng = Rng::new(31);
    let mesh = meshes::build::<Vec3>(meshes::torus(20, 10));
    let points: Vec<Vec3> = (0..10_000).map(|_| rng.in_cube::<Vec3>() * 2.0).collect();
    let found = mesh.closest_primitives_each(&points, 0.6, 3).unwrap();
    assert_eq!((found.len(), found.offsets().last()), (points.len(), Some(&found.items().len())));
    for (i, &point) in points.iter().enumerate() {
        let mut own = Vec::new();
        mesh.closest_primitives_into(point, 0.6, 3, &mut own).unwrap();
        assert_eq!(found.get(i), own);
    }
    assert!(found.items().len() > points.len() / 2 && found.offsets().windows(2).any(|pair| pair[0] == pair[1]));
    assert!(found.get(points.len()).is_empty() && found.get(usize::MAX).is_empty());
    let none = mesh.closest_primitives_each(&[], 1.0, 3).unwrap();
    assert!(none.is_empty() && none.offsets() == [0]);
    let mut scene = Scene::new();
    scene.insert(Object::new(UserShape::new(Ball { is_measured: false }))).unwrap();
    assert_eq!(scene.closest_primitives_each(&[Vec3::X * 9.0, Vec3::X * 2.0], 1.5, 1), Err(NotMeasured));
    assert_eq!(scene.closest_primitives_each(&[Vec3::X * 9.0], 1.5, 1).map(|found| found.len()), Ok(1));
}
