//! Containment and signed distances of scenes by a rule, for meshes with holes.

use crate::support::meshes::{MeshArrays, build, icosphere, torus};
use crate::support::scenes::changed_scene;
use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Group, InsideRule, Object, PointQuery, Real, Scene, Shape, Sphere, Transform, TriangleMesh};

const RULES: [InsideRule; 3] = [InsideRule::Parity, InsideRule::WindingNumber, InsideRule::ParityIfClosed];

/// A ball without each eighth triangle.
fn open_ball() -> MeshArrays {
    let (vertices, triangles) = icosphere(2);
    (vertices, triangles.into_iter().enumerate().filter(|(i, _)| i % 8 != 0).map(|(_, t)| t).collect())
}

/// A rotation, mirrors, a scale and a shear, whose images of short numbers are exact.
fn transforms() -> [Transform<DVec3>; 5] {
    let at = DVec3::new(8.0, -4.0, 2.0);
    [
        [DVec3::Y, -DVec3::X, DVec3::Z],
        [-DVec3::X, DVec3::Y, DVec3::Z],
        [DVec3::Z, DVec3::Y, DVec3::X],
        [DVec3::X * 2.0, DVec3::Y * -0.5, DVec3::Z * 4.0],
        [DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::new(-2.0, 0.25, 1.0)],
    ]
    .map(|axes| Transform::new(axes, at).unwrap())
}

fn image(transform: &Transform<DVec3>, point: DVec3) -> DVec3 {
    let [x, y, z] = transform.axes() else { panic!() };
    *x * point.x + *y * point.y + *z * point.z + transform.translation()
}

#[test]
fn no_transform_changes_which_points_of_an_open_mesh_are_inside() {
    let mesh = build::<DVec3>(open_ball());
    let mut rng = Rng::new(7);
    for transform in transforms() {
        let placed = Object::new(mesh.clone()).with_transform(transform);
        let mut scene = Scene::new();
        scene.insert(placed.clone()).unwrap();
        let mut grouped = Scene::new();
        let group = Group::new(scene.clone()).unwrap();
        grouped.insert(Object::new(group).with_transform(transform)).unwrap();
        let mut inside = 0;
        for _ in 0..300 {
            let point = (rng.in_cube::<DVec3>() * 1.25 * 1024.0).round() / 1024.0;
            let world = image(&transform, point);
            for rule in RULES {
                let own = mesh.contains_by(point, rule);
                assert_eq!(scene.contains_by(world, rule), own, "{point} {rule:?}");
                assert_eq!(grouped.contains_by(image(&transform, world), rule), own, "{point} {rule:?}");
                let signed = scene.signed_distance_by(world, rule).unwrap();
                assert_eq!((signed.distance < 0.0, signed.rule), (own.is_inside, own.rule), "{point} {rule:?}");
                assert_eq!(signed.distance.abs(), scene.distance(world).unwrap());
                inside += usize::from(own.is_inside);
            }
        }
        assert!(inside > 100, "{inside}");
    }
}

#[test]
fn a_closed_mesh_has_the_inside_of_contains() {
    let mut rng = Rng::new(8);
    for transform in transforms() {
        let mut scene = Scene::new();
        scene.insert(Object::new(build::<DVec3>(torus(24, 12))).with_transform(transform)).unwrap();
        for _ in 0..100 {
            let world = image(&transform, (rng.in_cube::<DVec3>() * 1.25 * 1024.0).round() / 1024.0);
            for rule in RULES {
                let found = scene.contains_by(world, rule);
                let used = if rule == InsideRule::WindingNumber { rule } else { InsideRule::Parity };
                assert_eq!((found.is_inside, found.rule), (scene.contains(world), used), "{world} {rule:?}");
                let signed = scene.signed_distance_by(world, rule).map(|signed| signed.distance);
                assert_eq!(signed, scene.signed_distance(world), "{world} {rule:?}");
            }
        }
    }
}

/// ```text
///    ( open ball )  x = 0          ( ball )  x = 3, reaching from 2 to 4
/// ```
#[test]
fn the_answer_names_the_rule_of_the_object_that_decided() {
    let mut scene = Scene::new();
    let open = scene.insert(Object::new(build::<Vec3>(open_ball())).on_layers(1)).unwrap();
    let ball = scene.insert(Object::new(Sphere::new(Vec3::X * 3.0, 1.0).unwrap()).on_layers(2)).unwrap();
    let [parity, number] = [InsideRule::Parity, InsideRule::WindingNumber];
    let at = |x: f32, rule| {
        let found = scene.contains_by(Vec3::X * x, rule);
        (found.is_inside, found.rule)
    };
    for (x, expected) in [(0.0, (true, number)), (1.5, (false, number)), (3.0, (true, parity))] {
        assert_eq!(at(x, InsideRule::ParityIfClosed), expected, "{x}");
        assert_eq!(at(x, number), expected, "{x}");
        assert_eq!(at(x, parity), (x == 3.0, parity), "{x}");
    }
    let signed = |x: f32| scene.signed_distance_by(Vec3::X * x, InsideRule::ParityIfClosed).unwrap();
    assert_eq!((signed(3.0).distance, signed(3.0).rule), (-1.0, parity));
    assert_eq!((signed(5.0).distance, signed(5.0).rule), (1.0, number));
    assert!(signed(0.0).distance < -0.8);
    // Layers and filters leave objects out.
    for rest in [scene.on_layers(2), scene.excluding([open])] {
        let found = rest.contains_by(Vec3::ZERO, number);
        assert_eq!((found.is_inside, found.rule), (false, parity));
        assert_eq!(rest.signed_distance_by(Vec3::ZERO, number).map(|signed| signed.distance), Some(2.0));
    }
    assert!(!scene.excluding([ball]).contains_by(Vec3::X * 3.0, number).is_inside);
    let nowhere = scene.contains_by(Vec3::splat(f32::NAN), number);
    assert!(!nowhere.is_inside && scene.signed_distance_by(Vec3::splat(f32::NAN), number).is_none());
}

/// A distance of 1e-170, of which the square is zero.
///
/// ```text
///    |\
///    | \
///    |  \     x is so near the base that its distance rounds to zero
///    +-x-+
/// ```
#[test]
fn a_distance_that_rounds_to_zero_keeps_its_side() {
    let (corners, triangles) = (vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], [[0, 2, 1], [0, 1, 3], [0, 3, 2]]);
    let closed = TriangleMesh::new(corners.clone(), [&triangles[..], &[[1, 2, 3]]].concat()).unwrap();
    let open = TriangleMesh::new(corners, triangles.to_vec()).unwrap();
    let least = f64::from_bits(1);
    for (mesh, rules) in [(closed, &RULES[..]), (open, &RULES[1..])] {
        let mut scene = Scene::new();
        scene.insert(Object::new(mesh.clone())).unwrap();
        for &rule in rules {
            for (height, expected) in [(1e-170, -least), (0.0, 0.0), (-1e-170, least)] {
                let point = DVec3::new(0.25, 0.25, height);
                let found = [mesh.signed_distance_by(point, rule), scene.signed_distance_by(point, rule)];
                let distances = found.map(|signed| signed.unwrap().distance.to_bits());
                assert_eq!(distances, [expected.to_bits(); 2], "{height} {rule:?}");
            }
        }
    }
}

/// The mesh: two bowls on each other, which wind around points above their rim.
#[test]
fn points_beyond_the_box_of_a_mesh_count() {
    let (mut vertices, triangles) = icosphere(0);
    // The top is in no triangle.
    vertices[2] = vertices[5];
    let bowl = triangles.into_iter().filter(|t| !t.contains(&2)).collect::<Vec<_>>();
    let mesh = build::<DVec3>((vertices, [bowl.clone(), bowl].concat()));
    let above = DVec3::Z * 0.125;
    assert!(mesh.aabb().max.z < above.z && mesh.contains_by(above, InsideRule::WindingNumber).is_inside);
    let mut scene = Scene::new();
    scene.insert(Object::new(mesh)).unwrap();
    assert!(scene.contains_by(above, InsideRule::WindingNumber).is_inside);
}

fn parity_is_the_rule_of_contains<V: World>(seed: u64) {
    for round in 0..20 {
        let mut rng = Rng::for_stream(seed, round);
        let scene = changed_scene::<V>(&mut rng, [1, 5, 60][round as usize % 3], Draw::Lattice);
        for _ in 0..40 {
            let point = rng.vector::<V>(Draw::Lattice);
            let found = scene.contains_by(point, InsideRule::Parity);
            assert_eq!((found.is_inside, found.rule), (scene.contains(point), InsideRule::Parity), "{point:?}");
            let signed = scene.signed_distance_by(point, InsideRule::Parity).map(|signed| signed.distance.to_f64());
            assert_eq!(signed, scene.signed_distance(point).map(Real::to_f64), "{point:?}");
        }
    }
}

#[test]
fn parity_is_the_rule_of_contains_in_any_scene() {
    parity_is_the_rule_of_contains::<Vec2>(1);
    parity_is_the_rule_of_contains::<DVec2>(2);
    parity_is_the_rule_of_contains::<Vec3>(3);
    parity_is_the_rule_of_contains::<DVec3>(4);
}
