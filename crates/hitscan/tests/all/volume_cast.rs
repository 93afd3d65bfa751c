//! Moving boxes, capsules and triangles.

use crate::support::{Draw, Rng, Sample, World, meshes};
use hitscan::glam::{DVec2, DVec3, Vec3};
use hitscan::{
    AnyShape3, Basis, Capsule, Cuboid, Ellipsoid, Faces, Feature, Frustum, HalfSpace, Inside, Instance, Object,
    OrientedBox, OverlapQuery, Plane, Query, Ray, Rectangle, Scene, Shape, Sphere, SweepHit, SweepQuery,
    TaperedCapsule, Transform, Triangle, TriangleMesh, Vector3, Volume,
};

/// A volume that can be made at any place.
#[derive(Clone, Debug)]
enum Mover {
    Cuboid(Cuboid<DVec3>),
    Oriented(OrientedBox<DVec3>),
    Capsule(Capsule<DVec3>),
    Triangle(Triangle<DVec3>),
}

impl Mover {
    fn random(rng: &mut Rng) -> Option<Self> {
        let (a, b, c) = (rng.vector(Draw::Ordinary), rng.in_cube::<DVec3>(), rng.in_cube::<DVec3>());
        Some(match rng.below(4) {
            0 => Self::Cuboid(Cuboid::new(a, b.abs()).ok()?),
            1 => Self::Oriented(OrientedBox::new(a, b.abs(), rng.basis(Draw::Ordinary)?).ok()?),
            2 => Self::Capsule(Capsule::new(a, a + b, c.x.abs() + 0.01).ok()?),
            _ => Self::Triangle(Triangle::new(a, a + b, a + c).ok()?),
        })
    }
    fn moved(&self, way: DVec3) -> Volume<DVec3> {
        match self {
            Self::Cuboid(s) => Cuboid::new(s.center() + way, s.half_extents()).unwrap().into(),
            Self::Oriented(s) => OrientedBox::new(s.center() + way, s.half_extents(), *s.basis()).unwrap().into(),
            Self::Capsule(s) => Capsule::new(s.a() + way, s.b() + way, s.radius()).unwrap().into(),
            Self::Triangle(s) => {
                let [a, b, c] = s.vertices();
                Triangle::new(a + way, b + way, c + way).unwrap().into()
            }
        }
    }
}

fn is_disk(shape: &AnyShape3<DVec3>) -> bool {
    matches!(shape, AnyShape3::Disk(_))
}

/// A hit is where the volume overlaps the shape for the first time, a miss where it never does.
#[test]
fn hits_are_where_volumes_begin_to_overlap() {
    let mut rng = Rng::new(1);
    let mut counts = [0; 3];
    for round in 0..6000 {
        let Some(shape) = DVec3::shape(round % (DVec3::KINDS - 1), &mut rng, Draw::Ordinary) else { continue };
        let Some(mover) = Mover::random(&mut rng) else { continue };
        let from = mover.moved(DVec3::ZERO).aabb().center();
        let to = rng.point_in(&shape.aabb()) + rng.in_cube::<DVec3>() * 1.5;
        let direction = if rng.once_in(4) { rng.in_cube() } else { to - from };
        let query = Query::from(..=2.0);
        let found = shape.cast_volume(mover.moved(DVec3::ZERO), direction, query);
        let case = format!("{shape:?} {mover:?} {direction} {found:?}");
        let overlaps = |t: f64| shape.overlaps(mover.moved(direction * t));
        let last = found.map_or(2.0, |hit| hit.t);
        for i in 0..30 {
            let t = last * f64::from(i) / 30.0 - 1e-9 * f64::from(i.min(1));
            let is_start = found.is_some_and(|hit| hit.depth.is_some());
            assert!(is_start || !overlaps(t) || (last - t).abs() < 1e-6, "{t} {case}");
        }
        let Some(hit) = found else {
            counts[0] += 1;
            continue;
        };
        assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{case}");
        if let Some(depth) = hit.depth {
            counts[1] += 1;
            assert!(hit.t == 0.0 && depth >= 0.0 && overlaps(0.0), "{case}");
            // Depth and normal are a way out.
            let out = hit.normal * (depth + 1e-5 * (1.0 + depth));
            assert!(!shape.overlaps(mover.moved(out)), "{case}");
            assert!(shape.cast_volume(mover.moved(DVec3::ZERO), direction, query.inside(Inside::Hollow)).is_none());
            continue;
        }
        counts[2] += 1;
        // Against the normal, the volume overlaps soon; along it, not.
        let is_curved = round % (DVec3::KINDS - 1) > 6 && !matches!(shape, AnyShape3::Triangle(_) | AnyShape3::Quad(_))
            || is_disk(&shape);
        let step = (1.0 + hit.point.length()) * if is_curved { 1e-5 } else { 1e-7 };
        let at = direction * hit.t;
        assert!(shape.overlaps(mover.moved(at - hit.normal * step)), "{case}");
        assert!(!shape.overlaps(mover.moved(at + hit.normal * step)), "{case}");
        assert!(direction.dot(hit.normal) < 1e-6, "{case}");
        // The contact point is on both.
        let near = Sphere::new(hit.point, step).unwrap();
        assert!(shape.overlaps(near), "{case}");
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

#[test]
fn a_sphere_as_a_volume_is_a_sphere() {
    let mut rng = Rng::new(2);
    let (mut both, mut differ) = (0, 0);
    for round in 0..1000 {
        let Some(shape) = DVec3::shape(round % DVec3::KINDS, &mut rng, Draw::Ordinary) else { continue };
        let (ray, radius) = (rng.ray::<DVec3>(Draw::Ordinary, &shape.aabb()), rng.between(0.01, 1.0));
        let Ok(sphere) = Sphere::new(ray.origin, radius) else { continue };
        assert_eq!(shape.cast_volume(sphere, ray.direction, ..), shape.cast_sphere(&ray, radius, ..));
        // The same by GJK: a capsule of no length.
        let point = Capsule::new(ray.origin, ray.origin, radius).unwrap();
        let (one, two) = (shape.cast_volume(point, ray.direction, ..), shape.cast_sphere(&ray, radius, ..));
        // Where the sphere grazes the shape, one may miss.
        differ += usize::from(one.is_some() != two.is_some());
        if let (Some(one), Some(two)) = (one, two) {
            both += 1;
            let slope = (two.normal.dot(ray.direction) / ray.direction.length()).abs().max(1e-3);
            assert!((one.t - two.t).abs() * slope <= 1e-9 * (1.0 + two.t), "{shape:?} {ray:?} {one:?} {two:?}");
        }
    }
    assert!(both > 300 && differ < 3, "{both} {differ}");
}

/// A sphere meets a curved shape under shear where it begins to overlap it.
#[test]
fn spheres_meet_sheared_shapes_where_they_overlap() {
    let mut rng = Rng::new(7);
    let mut counts = [0; 3];
    for round in 0..4000 {
        let Some(shape) = DVec3::shape(round % (DVec3::KINDS - 1), &mut rng, Draw::Ordinary) else { continue };
        let shear = rng.in_cube::<DVec3>();
        let columns = [DVec3::X, DVec3::new(shear.x, 1.5, 0.0), DVec3::new(shear.y, shear.z, 0.75)];
        let map = Transform::new(columns, rng.in_cube()).unwrap();
        let placed = Instance::new(shape).with_transform(map);
        let origin = rng.in_cube::<DVec3>() * 4.0;
        let radius = rng.between(0.05, 1.0);
        let ray = Ray::new(origin, rng.point_in(&placed.aabb()) + rng.in_cube::<DVec3>() - origin);
        let ball = |t: f64| Sphere::new(origin + ray.direction * t, radius).unwrap();
        let Ok(found) = placed.try_cast_sphere(&ray, radius, ..=2.0) else {
            counts[0] += 1;
            continue;
        };
        let case = format!("{placed:?} {ray:?} {radius} {found:?}");
        let last = found.map_or(2.0, |hit| hit.t);
        let is_start = found.is_some_and(|hit| hit.depth.is_some());
        for i in 0..20 {
            let t = last * f64::from(i) / 20.0;
            assert!(is_start || !placed.overlaps(ball(t)) || (last - t).abs() < 1e-5, "{t} {case}");
        }
        let Some(hit) = found else { continue };
        counts[1 + usize::from(is_start)] += 1;
        assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{case}");
        assert!(placed.overlaps(Sphere::new(hit.center, radius * (1.0 + 1e-5)).unwrap()), "{case}");
        // A sphere that touches the contact point from outside.
        let step = 1e-4 * (1.0 + hit.point.length());
        assert!(is_start || !placed.overlaps(Sphere::new(hit.center + hit.normal * step, radius).unwrap()), "{case}");
        assert!(placed.overlaps(Sphere::new(hit.point, step).unwrap()), "{case}");
    }
    println!("{counts:?}");
    assert!(counts[0] == 0 && counts[1] > 300 && counts[2] > 100, "{counts:?}");
}

#[test]
fn boxes_meet_boxes_as_expected() {
    let still = Cuboid::new(Vec3::X * 5.0, Vec3::ONE).unwrap();
    let moving = Cuboid::new(Vec3::ZERO, Vec3::new(0.5, 0.25, 0.25)).unwrap();
    let hit = still.cast_volume(moving, Vec3::X, ..).unwrap();
    assert!((hit.t - 3.5).abs() < 1e-6 && hit.normal.abs_diff_eq(-Vec3::X, 1e-6), "{hit:?}");
    assert!((hit.point.x - 4.0).abs() < 1e-6 && hit.feature == Feature::Face(0), "{hit:?}");
    assert!(hit.center.abs_diff_eq(Vec3::X * 3.5, 1e-6));
    assert!(still.cast_volume(moving, Vec3::X, ..=3.4).is_none());
    assert!(still.cast_volume(moving, -Vec3::X, ..).is_none());
    assert!(still.cast_volume(Cuboid::new(Vec3::X * 4.9, Vec3::ONE).unwrap(), Vec3::X, ..).unwrap().depth.is_some());
    let slide = Cuboid::new(Vec3::new(0.0, 1.5, 0.0), Vec3::splat(0.25)).unwrap();
    assert!(still.cast_volume(slide, Vec3::X, ..).is_none());
    let flat = Rectangle::new(DVec2::ZERO, DVec2::ONE).unwrap();
    let wall = Rectangle::new(DVec2::new(5.0, 1.5), DVec2::ONE).unwrap();
    assert!((wall.cast_volume(flat, DVec2::X, ..).unwrap().t - 3.0).abs() < 1e-12);
}

#[test]
fn planes_and_half_spaces_are_met_by_the_lowest_point() {
    let capsule = Capsule::new(DVec3::new(0.0, 0.0, 2.0), DVec3::new(1.0, 0.0, 4.0), 0.5).unwrap();
    let ground = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap();
    let floor = Plane::new(DVec3::ZERO, DVec3::Z).unwrap();
    for shape in [&ground as &dyn Shape<DVec3>, &floor] {
        let hit = shape.cast_volume(capsule, DVec3::new(1.0, 0.0, -1.0), ..).unwrap();
        assert!((hit.t - 1.5).abs() < 1e-12 && hit.normal == DVec3::Z, "{hit:?}");
        assert!(hit.point.abs_diff_eq(DVec3::X * 1.5, 1e-12), "{hit:?}");
        assert!(
            shape.cast_volume(capsule, DVec3::Z, ..).is_none() && shape.cast_volume(capsule, DVec3::X, ..).is_none()
        );
    }
    let below = Cuboid::new(DVec3::Z * -3.0, DVec3::ONE).unwrap();
    assert_eq!(ground.cast_volume(below, DVec3::Z, ..).unwrap().depth, Some(4.0));
    let hit = floor.cast_volume(below, DVec3::Z, ..).unwrap();
    assert!((hit.t - 2.0).abs() < 1e-12 && hit.normal == -DVec3::Z && hit.depth.is_none(), "{hit:?}");
}

fn first<V: Vector3>(hits: impl Iterator<Item = SweepHit<V>>) -> Option<SweepHit<V>> {
    hits.reduce(|a, b| if b.t < a.t || (b.t == a.t && b.depth > a.depth) { b } else { a })
}

#[test]
fn meshes_and_scenes_are_their_parts() {
    let mut rng = Rng::new(3);
    let mesh = meshes::build::<DVec3>(meshes::torus(30, 12));
    let (linear, mut hits) = (mesh.linear_scan(), 0);
    for _ in 0..150 {
        let Some(mover) = Mover::random(&mut rng) else { continue };
        let volume = mover.moved(rng.in_cube::<DVec3>() * 2.0);
        let direction = rng.in_cube::<DVec3>() * 3.0 - volume.aabb().center();
        let found = mesh.cast_volume(&volume, direction, ..);
        assert_eq!(linear.cast_volume(&volume, direction, ..).map(|hit| hit.t), found.map(|hit| hit.t));
        let triangles = mesh.triangles().iter().filter_map(|triangle| {
            let [a, b, c] = triangle.map(|i| mesh.vertices()[i as usize]);
            Triangle::new(a, b, c).unwrap().cast_volume(&volume, direction, ..)
        });
        let each = first(triangles);
        let (t, expected) = (found.map(|hit| hit.t), each.map(|hit| hit.t));
        let are_close = t.zip(expected).is_none_or(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a));
        assert!(t.is_some() == expected.is_some() && are_close, "{mover:?} {direction} {found:?} {each:?}");
        hits += usize::from(t.is_some());
        assert_eq!(mesh.cast_volume_along(&volume, &[direction, -direction], ..)[0], found);
    }
    assert!(hits > 50, "{hits}");
    let mut scene = Scene::new();
    while scene.len() < 40 {
        let Some(shape) = DVec3::shape(rng.below(DVec3::KINDS), &mut rng, Draw::Ordinary) else { continue };
        if !shape.aabb().is_bounded() {
            continue;
        }
        let mut axes = [rng.in_cube::<DVec3>(), rng.in_cube(), rng.in_cube()];
        axes[0] += axes[0].normalize();
        let place = Transform::new(axes, rng.vector::<DVec3>(Draw::Ordinary) * 3.0).unwrap();
        scene.insert(Object::new(shape).with_transform(place)).unwrap();
    }
    for _ in 0..150 {
        let Some(mover) = Mover::random(&mut rng) else { continue };
        let volume = mover.moved(rng.in_cube::<DVec3>() * 30.0);
        let direction = -volume.aabb().center() + rng.in_cube::<DVec3>() * 9.0;
        let found = scene.cast_volume(&volume, direction, ..);
        let objects = scene.objects().filter_map(|(id, object)| {
            let hit = object.instance().cast_volume(&volume, direction, ..);
            hit.map(|mut hit| {
                hit.object = Some(id);
                hit
            })
        });
        assert_eq!(found, first(objects), "{mover:?} {direction}");
        // The way is free up to the contact.
        if let Some(hit) = found.filter(|hit| hit.depth.is_none()) {
            let at =
                |t: f64| mover.moved(volume.aabb().center() - mover.moved(DVec3::ZERO).aabb().center() + direction * t);
            assert!(!scene.overlaps(at(hit.t - 1e-7)), "{hit:?}");
        }
    }
}

/// Faces hold by the direction of the motion, also in a mirror.
#[test]
fn faces_hold_for_meshes() {
    let mesh = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let cube = Cuboid::new(DVec3::new(0.25, 0.25, 3.0), DVec3::splat(0.1)).unwrap();
    let front = Query::new().faces(Faces::Front);
    assert!(mesh.cast_volume(cube, -DVec3::Z, front).is_some());
    assert!(mesh.cast_volume(cube, -DVec3::Z, Query::new().faces(Faces::Back)).is_none());
    let mirror = Transform::from_basis(&Basis::identity(), DVec3::ZERO).unwrap().with_scale(DVec3::new(1.0, 1.0, -1.0));
    let mirrored = Instance::new(AnyShape3::from(mesh)).with_transform(mirror.unwrap());
    assert!(mirrored.cast_volume(cube, -DVec3::Z, front).is_none());
    assert!(mirrored.cast_volume(cube, -DVec3::Z, Query::new().faces(Faces::Back)).is_some());
    let ray = Ray::new(DVec3::new(0.25, 0.25, 3.0), -DVec3::Z);
    assert!(mirrored.cast_sphere(&ray, 0.1, front).is_none());
}

/// A box inside of a box leaves it by the nearest face; so does a rectangle in the plane.
#[test]
fn boxes_that_begin_inside_leave_by_the_nearest_face() {
    let room = Cuboid::new(DVec3::ZERO, DVec3::new(4.0, 3.0, 2.0)).unwrap();
    let hit =
        room.cast_volume(Cuboid::new(DVec3::new(3.0, 1.0, 0.5), DVec3::splat(0.5)).unwrap(), DVec3::Y, ..).unwrap();
    assert_eq!((hit.t, hit.normal), (0.0, DVec3::X), "{hit:?}");
    assert!((hit.depth.unwrap() - 1.5).abs() < 1e-12 && (hit.point.x - 4.0).abs() < 1e-12, "{hit:?}");
    assert_eq!(hit.feature, Feature::Face(1));
    let wall = Rectangle::new(DVec2::ZERO, DVec2::new(1.0, 9.0)).unwrap();
    let hit = wall.cast_volume(Rectangle::new(DVec2::new(-0.75, 2.0), DVec2::ONE).unwrap(), DVec2::Y, ..).unwrap();
    assert!((hit.depth.unwrap() - 1.25).abs() < 1e-12 && hit.normal.abs_diff_eq(DVec2::NEG_X, 1e-12), "{hit:?}");
    assert!((hit.point.x + 1.0).abs() < 1e-12, "{hit:?}");
    // Capsules whose cores cross: the radii, and nothing to leave by sooner than across both.
    let [a, b] = [DVec3::X, DVec3::Y].map(|axis| Capsule::new(-axis, axis, 0.25).unwrap());
    let hit = a.cast_volume(b, DVec3::X, ..).unwrap();
    assert!((hit.depth.unwrap() - 0.5).abs() < 1e-12 && hit.normal.z.abs() == 1.0, "{hit:?}");
}

/// Beside a box of up to 10^9 times their size, curved shapes overlap it wherever they reach into it. Where they do not, they may
/// seem to, up to 2^-26 of that size.
#[test]
fn shapes_that_reach_into_a_huge_box_are_never_missed() {
    let (mut rng, mut counts) = (Rng::new(9), [0; 2]);
    for _ in 0..4000 {
        let (size, face) = (rng.decades(0.0, 9.0), rng.between(-1.0, 1.0));
        let center = DVec3::new(face - size, rng.between(-0.3, 0.3) * size, rng.between(-0.3, 0.3) * size);
        let cuboid = Cuboid::new(center, DVec3::splat(size)).unwrap();
        let (a, b) = (rng.in_cube::<DVec3>(), rng.in_cube::<DVec3>());
        let (r, s) = (rng.between(0.05, 1.0), rng.between(0.05, 1.0));
        let axis = (b - a).normalize();
        let across = (1.0 - axis.x * axis.x).max(0.0).sqrt();
        let shapes = [
            (AnyShape3::from(Ellipsoid::new(a, DVec3::new(r, s, 0.3)).unwrap()), a.x - r),
            (Frustum::new(a, b, r, s).unwrap().into(), (a.x - r * across).min(b.x - s * across)),
            (TaperedCapsule::new(a, b, r, s).unwrap().into(), (a.x - r).min(b.x - s)),
        ];
        for (shape, lowest) in shapes {
            let gap = lowest - (center.x + size);
            let found = shape.cast_volume(cuboid, DVec3::Y, ..=0.0);
            let case = format!("{shape:?} {cuboid:?} {gap:e} {found:?}");
            if gap < -size * 1e-14 {
                assert!(shape.overlaps(cuboid) && found.is_some(), "{case}");
                // The way out through the face; another one may be shorter.
                assert!(found.unwrap().depth.unwrap() <= -gap + 2e-3 + size * 2e-8, "{case}");
            } else if gap > size * 2e-8 + 1e-9 {
                assert!(!shape.overlaps(cuboid) && found.is_none(), "{case}");
            }
            counts[usize::from(gap < 0.0)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}
