//! Moving spheres: meshes and scenes.

use crate::support::scenes::changed_scene;
use crate::support::{Draw, Rng, Sample, World, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Cuboid, Instance, NotMeasured, Object, PointQuery, Query, RangedRay, Ray, RayCast, Real, Scene, Segment,
    Sphere, SweepHit, SweepQuery, Transform, Triangle, TriangleMesh, UserGeometry, UserHit, UserShape, Vector3,
};

/// The first contact of all triangles, one by one.
fn of_triangles<V: Vector3>(mesh: &TriangleMesh<V>, ray: &Ray<V>, radius: V::Scalar) -> Option<SweepHit<V>> {
    let mut best: Option<SweepHit<V>> = None;
    for (i, triangle) in (0..).zip(mesh.triangles()) {
        let [a, b, c] = triangle.map(|i| mesh.vertices()[i as usize]);
        let Some(mut hit) = Triangle::new(a, b, c).ok().and_then(|shape| shape.cast_sphere(ray, radius, ..)) else {
            continue;
        };
        hit.primitive = Some(i);
        if best.is_none_or(|best| hit.t < best.t || (hit.t == best.t && hit.depth > best.depth)) {
            best = Some(hit);
        }
    }
    best
}

fn ray_at_mesh<V: Vector3>(rng: &mut Rng, mesh: &TriangleMesh<V>) -> Ray<V> {
    let vertex = mesh.vertices()[rng.below(mesh.vertices().len())];
    let near = vertex + rng.in_cube::<V>() * V::Scalar::from_f64(rng.pick(&[0.0, 0.01, 0.3]));
    let from = match rng.below(4) {
        0 => rng.in_cube::<V>(),
        1 => near,
        _ => rng.in_cube::<V>() * V::Scalar::from_f64(5.0),
    };
    match rng.below(6) {
        0 => Ray::new(from, V::from_xyz([V::Scalar::ONE, V::Scalar::ZERO, V::Scalar::ZERO])),
        1 => Ray::new(from, rng.in_cube()),
        _ => Ray::new(from, near - from),
    }
}

fn check_mesh<V: Vector3>(rng: &mut Rng, mesh: &TriangleMesh<V>, count: usize) -> usize {
    let linear = mesh.linear_scan();
    let mut hits = 0;
    let (mut rays, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let ray = ray_at_mesh(rng, mesh);
        let radius = V::Scalar::from_f64(rng.pick(&[0.01, 0.1, 0.5]));
        let found = mesh.cast_sphere(&ray, radius, ..);
        assert_eq!(linear.cast_sphere(&ray, radius, ..), found, "{ray:?} {radius}");
        let each = of_triangles(mesh, &ray, radius);
        let (t, primitive) = (found.map(|hit| hit.t), found.and_then(|hit| hit.primitive));
        assert_eq!(t, each.map(|hit| hit.t), "{ray:?} {radius}: {found:?} {each:?}");
        // Two triangles at the same rounded `t`: the unrounded ones may differ.
        if found != each {
            assert_ne!(primitive, each.and_then(|hit| hit.primitive), "{ray:?} {radius}: {found:?} {each:?}");
        }
        hits += usize::from(found.is_some());
        rays.push(ray);
        expected.push(mesh.cast_sphere(&ray, V::Scalar::from_f64(0.1), ..=V::Scalar::from_f64(0.9)));
        // The rays of a mesh do not pass what its spheres do not touch.
        if found.is_none() {
            assert!(mesh.cast_ray(&ray, ..).is_none(), "{ray:?}");
        }
    }
    assert_eq!(mesh.cast_spheres(&rays, V::Scalar::from_f64(0.1), ..=V::Scalar::from_f64(0.9)), expected);
    hits
}

#[test]
fn meshes_are_their_triangles() {
    let mut rng = Rng::new(1);
    let mut hits = 0;
    for arrays in
        [meshes::icosphere(0), meshes::icosphere(3), meshes::torus(40, 20), meshes::trefoil(100, 12), meshes::hall()]
    {
        hits += check_mesh(&mut rng, &meshes::build::<Vec3>(arrays.clone()), 150);
        hits += check_mesh(&mut rng, &meshes::build::<DVec3>(arrays), 60);
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn slivers_are_met() {
    let mut rng = Rng::new(2);
    check_mesh(&mut rng, &meshes::build::<Vec3>(meshes::slivers()), 100);
    check_mesh(&mut rng, &meshes::build::<DVec3>(meshes::slivers()), 40);
}

/// A triangle without an area is its edges.
#[test]
fn triangles_without_an_area_are_met() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::Y * 9.0];
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 3, 3]]).unwrap();
    let down = |x: f32, y: f32| Ray::new(Vec3::new(x, y, 5.0), -Vec3::Z);
    assert_eq!(mesh.cast_sphere(&down(1.5, 0.0), 0.5, ..).map(|hit| (hit.t, hit.primitive)), Some((4.5, Some(0))));
    assert_eq!(mesh.cast_sphere(&down(0.0, 9.0), 0.5, ..).map(|hit| (hit.t, hit.primitive)), Some((4.5, Some(1))));
    assert!(mesh.cast_sphere(&down(1.5, 0.75), 0.5, ..).is_none());
}

/// A placed mesh is met as its image, which is rounded to the precision here: equal up to rounding.
#[test]
fn placed_meshes_are_their_images() {
    let mut rng = Rng::new(3);
    let mesh = meshes::build::<DVec3>(meshes::torus(30, 12));
    for round in 0..400 {
        let axes = [rng.in_cube::<DVec3>(), rng.in_cube(), rng.in_cube()];
        let Ok(place) = Transform::new(axes, rng.in_cube()) else { continue };
        let image = |v: DVec3| axes[0] * v.x + axes[1] * v.y + axes[2] * v.z + place.translation();
        let vertices = mesh.vertices().iter().map(|&v| image(v)).collect();
        let baked = TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
        let placed = Instance::new(mesh.clone()).with_transform(place);
        let (ray, radius) = (ray_at_mesh(&mut rng, &baked), rng.pick(&[0.01, 0.1, 0.5]));
        let mirror = axes[0].dot(axes[1].cross(axes[2])) < 0.0;
        for faces in [hitscan::Faces::Both, hitscan::Faces::Front, hitscan::Faces::Back] {
            use hitscan::Faces::{Back, Both, Front};
            let flipped = match (mirror, faces) {
                (true, Front) => Back,
                (true, Back) => Front,
                (false, _) | (_, Both) => faces,
            };
            let (one, two) = (
                baked.cast_sphere(&ray, radius, Query::new().faces(flipped)),
                placed.cast_sphere(&ray, radius, Query::new().faces(faces)),
            );
            match (one, two) {
                (Some(one), Some(two)) => {
                    let slope = (one.normal.dot(ray.direction) / ray.direction.length()).abs().max(1e-3);
                    let error = (one.t - two.t).abs() * slope * ray.direction.length();
                    assert!(error <= 1e-13 * (1.0 + one.center.length()), "{round}: {error} {one:?} {two:?}");
                }
                (None, None) => {}
                _ => panic!("{round}: {one:?} {two:?}"),
            }
        }
    }
}

/// The first `t` of all objects one by one.
fn of_objects<V: World>(scene: &Scene<V>, ray: &Ray<V>, radius: V::Scalar, layers: u32) -> Option<SweepHit<V>> {
    let mut best: Option<SweepHit<V>> = None;
    for (id, object) in scene.objects() {
        if object.is_trigger() || object.layers() & layers == 0 {
            continue;
        }
        let Some(mut hit) = object.instance().cast_sphere(ray, radius, ..) else { continue };
        hit.object = Some(id);
        if best.is_none_or(|best| hit.t < best.t || (hit.t == best.t && hit.depth > best.depth)) {
            best = Some(hit);
        }
    }
    best
}

fn check_scenes<V: World>(seed: u64) -> usize {
    let mut hits = 0;
    for round in 0..30 {
        let mut rng = Rng::for_stream(seed, round);
        let scene = changed_scene::<V>(&mut rng, [1, 5, 60][round as usize % 3], Draw::Ordinary);
        let (linear, snapshot) = (scene.linear_scan(), scene.snapshot());
        for _ in 0..30 {
            let mut ray = rng.ray::<V>(Draw::Ordinary, &scene.finite_bounds());
            ray.origin = ray.origin + rng.in_cube::<V>() * V::Scalar::from_f64(20.0);
            let radius = V::Scalar::from_f64(rng.pick(&[0.01, 0.25, 1.0]));
            for layers in [u32::MAX, 2] {
                let query = Query::new().layers(layers);
                let found = scene.cast_sphere(&ray, radius, query);
                let each = of_objects(&scene, &ray, radius, layers);
                assert_eq!(found.map(|hit| hit.t), each.map(|hit| hit.t), "{ray:?} {radius}: {found:?} {each:?}");
                if found.map(|hit| hit.object) == each.map(|hit| hit.object) {
                    assert_eq!(found, each, "{ray:?} {radius}");
                }
                assert_eq!(linear.cast_sphere(&ray, radius, query), found);
                assert_eq!(snapshot.cast_sphere(&ray, radius, query), found);
                hits += usize::from(found.is_some());
                let Some(id) = found.and_then(|hit| hit.object) else { continue };
                let next = scene.excluding([id]).cast_sphere(&ray, radius, query);
                assert!(next.is_none_or(|next| next.object != Some(id) && next.t >= found.unwrap().t));
            }
        }
    }
    hits
}

#[test]
fn scenes_are_their_objects() {
    let hits = [check_scenes::<Vec2>(1), check_scenes::<DVec2>(2), check_scenes::<Vec3>(3), check_scenes::<DVec3>(4)];
    assert!(hits.iter().all(|hits| *hits > 300), "{hits:?}");
}

#[test]
fn the_object_inserted_first_wins_a_tie_and_the_deeper_one_at_the_start() {
    let mut scene = Scene::new();
    let ball = |y: f32, radius: f32| Object::new(Sphere::new(Vec3::new(5.0, y, 0.0), radius).unwrap());
    let [first, second] = [1.0, -1.0].map(|y| scene.insert(ball(y, 1.0)).unwrap());
    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    assert_eq!(scene.cast_sphere(&ray, 0.5, ..).unwrap().object, Some(first));
    assert_eq!(scene.excluding([first]).cast_sphere(&ray, 0.5, ..).unwrap().object, Some(second));
    let larger = scene.insert(ball(-1.0, 1.25)).unwrap();
    let inside = Ray::new(Vec3::X * 5.0, Vec3::X);
    let hit = scene.cast_sphere(&inside, 0.5, ..).unwrap();
    assert_eq!((hit.t, hit.object, hit.depth, hit.normal), (0.0, Some(larger), Some(0.75), Vec3::Y));
    // A segment, and triggers on the way.
    let end = Segment::new(Vec3::ZERO, Vec3::X * 4.0);
    assert!(scene.cast_sphere(&end, 0.1, ..).is_none());
    assert!(scene.cast_sphere(&end, 0.5, ..).is_some());
    scene.insert(Object::new(Sphere::new(Vec3::X * 2.0, 0.5).unwrap()).as_trigger()).unwrap();
    let through = scene.cast_sphere(&ray, 0.5, Query::new().triggers(hitscan::Triggers::Hit)).unwrap();
    assert!(through.is_trigger && through.t == 1.0);
    assert!(scene.cast_sphere(&ray, 0.5, ..).is_some_and(|hit| !hit.is_trigger && hit.t > 1.0));
}

/// A ray's own range and layers hold.
#[test]
fn ranged_rays_keep_their_range_and_layers() {
    let mut scene = Scene::new();
    let ball = |x: f32, layers: u32| Object::new(Sphere::new(Vec3::X * x, 1.0).unwrap()).on_layers(layers);
    let [near, far] = [(5.0, 1), (9.0, 2)].map(|(x, layers)| scene.insert(ball(x, layers)).unwrap());
    let cast = |t_max: f32, layers: u32| {
        let ray = RangedRay::new(Ray::new(Vec3::ZERO, Vec3::X), 0.0, t_max).layers(layers);
        scene.cast_sphere(&ray, 0.5, ..).and_then(|hit| hit.object)
    };
    assert_eq!([cast(99.0, 3), cast(99.0, 2), cast(7.0, 2), cast(3.0, 1)], [Some(near), Some(far), None, None]);
    assert_eq!(scene.on_layers(2).cast_sphere(&Ray::new(Vec3::ZERO, Vec3::X), 0.5, ..).unwrap().object, Some(far));
}

/// A ball by its distance, or without one; perhaps without bounds.
#[derive(Debug)]
struct OwnBall {
    measures: bool,
    is_bounded: bool,
}

impl UserGeometry<DVec3> for OwnBall {
    fn aabb(&self) -> Aabb<DVec3> {
        if self.is_bounded { Aabb { min: -DVec3::ONE, max: DVec3::ONE } } else { Aabb::everything() }
    }
    fn cast(&self, ray: &Ray<DVec3>, range: core::ops::RangeInclusive<f64>) -> Option<UserHit<DVec3>> {
        let hit = Sphere::new(DVec3::ZERO, 1.0).unwrap().cast_ray(ray, range)?;
        Some(UserHit::new(hit.t, hit.normal))
    }
    fn closest_point(&self, point: DVec3) -> Option<DVec3> {
        self.measures.then(|| point.normalize_or(DVec3::X))
    }
}

#[test]
fn own_shapes_are_met_by_distance_or_at_their_bounds() {
    let place = |x: f64| Transform::from_translation(DVec3::X * x).unwrap();
    let own = |measures: bool, is_bounded: bool| UserShape::new(OwnBall { measures, is_bounded });
    let object = |measures: bool, x: f64| Object::new(own(measures, true)).with_transform(place(x));
    let mut scene = Scene::new();
    scene.insert(object(true, 5.0)).unwrap();
    let ray = Ray::new(DVec3::new(0.0, 0.9, 0.0), DVec3::X);
    let (hit, ball) = (scene.cast_sphere(&ray, 0.5, ..).unwrap(), Sphere::new(DVec3::X * 5.0, 1.0).unwrap());
    let expected = ball.cast_sphere(&ray, 0.5, ..).unwrap();
    assert!((hit.t - expected.t).abs() < 1e-12 && hit.normal.distance(expected.normal) < 1e-12, "{hit:?} {expected:?}");
    assert!(scene.cast_sphere(&Ray::new(DVec3::Y * 1.75, DVec3::X), 0.5, ..).is_none());
    scene.insert(object(false, 9.0)).unwrap();
    assert_eq!(scene.cast_sphere(&ray, 0.5, ..), Some(hit));
    // What does not measure is met at its bounds: a mover never passes through.
    let near = scene.insert(object(false, 2.0)).unwrap();
    let met = scene.cast_sphere(&ray, 0.5, ..).unwrap();
    assert!(
        met.object == Some(near) && (met.t - 0.5).abs() < 1e-12 && met.normal.distance(-DVec3::X) < 1e-12,
        "{met:?}"
    );
    assert_eq!(scene.try_cast_sphere(&ray, 0.5, ..=0.25), Ok(None));
    assert!(scene.distance(DVec3::Y * 9.0).is_none());
    // Other volumes meet the bounds of every one, turned with the object and sheared, too.
    let cube = Cuboid::new(DVec3::ZERO, DVec3::splat(0.25)).unwrap();
    let bounds = Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap();
    let sheared = Transform::new([DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z * 2.0], DVec3::X * 6.0).unwrap();
    for transform in [place(3.0), sheared] {
        let as_own = Instance::new(own(true, true)).with_transform(transform);
        let as_box = Instance::new(bounds).with_transform(transform);
        for (y, z) in [(0.0, 0.0), (1.2, 0.3), (-0.7, 2.1), (0.0, 2.3), (1.3, 0.0)] {
            let volume = Cuboid::new(DVec3::new(0.0, y, z), DVec3::splat(0.25)).unwrap();
            let [own, known] = [as_own.cast_volume(volume, DVec3::X, ..), as_box.cast_volume(volume, DVec3::X, ..)];
            assert_eq!(own.is_some(), known.is_some(), "{y} {z}");
            if let Some((own, known)) = own.zip(known) {
                assert!(
                    (own.t - known.t).abs() < 1e-12 && own.normal.distance(known.normal) < 1e-9,
                    "{own:?} {known:?}"
                );
            }
        }
    }
    // Without bounds there is nothing to meet.
    let fog = own(false, false);
    assert_eq!(fog.try_cast_sphere(&ray, 0.5, ..), Err(NotMeasured));
    assert_eq!(fog.try_cast_volume(cube, DVec3::X, ..), Err(NotMeasured));
}
