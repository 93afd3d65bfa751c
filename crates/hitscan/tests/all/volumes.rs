//! Volumes: moved ones, cylinders, cones, frusta and hulls of points.

use crate::support::meshes::{build, icosphere};
use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Capsule, Cone, ConvexPolygon, Cuboid, Cylinder, Frustum, HalfSpace, Instance, Object, OrientedBox, Outline,
    OutlineOptions, OverlapQuery, Plane, Query, Ray, Real, Scene, Shape, ShapeErrorKind, Sphere, SweepQuery,
    TaperedCapsule, Transform, Triangle, TriangleMesh, Vector, Vector3, ViewFrustum, Volume,
};

/// A volume that moves is the volume of the moved shape.
fn moves<V: World>(seed: u64, both: fn(&mut Rng, V) -> Option<[Volume<V>; 2]>) {
    let mut counts = [0; 4];
    for round in 0..rounds(1200) as u64 {
        let rng = &mut Rng::for_stream(seed, round);
        let offset = rng.vector::<V>(Draw::Ordinary);
        let Some([volume, expected]) = both(rng, offset) else { continue };
        let moved = volume.moved_by(offset);
        let (bounds, other) = (moved.aabb(), expected.aabb());
        let size = 16.0 * V::Scalar::EPSILON.to_f64();
        for (a, b) in [(bounds.min, other.min), (bounds.max, other.max)] {
            let (a, b) = (a.to_xyz().map(Real::to_f64), b.to_xyz().map(Real::to_f64));
            assert!((0..3).all(|i| (a[i] - b[i]).abs() <= size * 16.0), "{volume:?} {offset:?} {bounds:?} {other:?}");
        }
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, Draw::Ordinary) else { continue };
        let shape = Instance::<V>::new(shape);
        let direction = rng.vector::<V>(Draw::Ordinary);
        let overlaps = shape.overlaps(&moved);
        counts[usize::from(overlaps)] += 1;
        assert_eq!(overlaps, shape.overlaps(&expected), "{volume:?} {offset:?} {shape:?}");
        // The bounds of an oriented box may differ by roundings, and with them where a search begins.
        let contacts = [&moved, &expected].map(|volume| shape.cast_volume(volume, direction, ..));
        let case = || format!("{volume:?} {offset:?} {shape:?} {direction:?} {contacts:?}");
        counts[2 + usize::from(contacts[0].is_some())] += 1;
        let accuracy = 1e-6f64.max(64.0 * V::Scalar::EPSILON.to_f64());
        match contacts {
            [Some(a), Some(b)] => {
                let approach = a.normal.widen_dot(direction).abs();
                assert!((a.t.to_f64() - b.t.to_f64()).abs() * approach <= accuracy, "{}", case());
                assert_eq!(a.depth.is_some(), b.depth.is_some(), "{}", case());
            }
            [a, b] => assert_eq!(a, b, "{}", case()),
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// Coordinates of 0 or more.
fn positive<V: Vector>(v: V) -> V {
    v.map(|x| if x < V::Scalar::ZERO { -x } else { x })
}

fn sum<V: Vector>(points: &[V], offset: V) -> Vec<V> {
    points.iter().map(|point| *point + offset).collect()
}

/// Volumes of both dimensions.
fn of_any<V: World>(rng: &mut Rng, offset: V) -> Option<[Volume<V>; 2]> {
    let (a, b): (V, V) = (rng.in_cube(), rng.in_cube());
    let (radius, half) = (V::Scalar::from_f64(rng.between(0.1, 1.0)), positive(rng.in_cube::<V>()));
    let basis = rng.basis(Draw::Ordinary)?;
    Some(match rng.below(5) {
        0 => [a, a + offset].map(|a| Sphere::new(a, radius).unwrap().into()),
        1 => [[a, b], [a + offset, b + offset]].map(|[a, b]| Capsule::new(a, b, radius).unwrap().into()),
        2 => [a, a + offset].map(|a| Cuboid::new(a, half).unwrap().into()),
        3 => [a, a + offset].map(|a| OrientedBox::new(a, half, basis).unwrap().into()),
        _ => {
            let bounds = Aabb::from_points([a, b]);
            [bounds, Aabb { min: bounds.min + offset, max: bounds.max + offset }].map(Into::into)
        }
    })
}

/// Volumes of space.
fn of_space<V: Vector3 + World>(rng: &mut Rng, offset: V) -> Option<[Volume<V>; 2]> {
    let points = [0; 5].map(|_| rng.in_cube::<V>());
    let moved = sum(&points, offset);
    let (r, s) = (V::Scalar::from_f64(rng.between(0.1, 1.0)), V::Scalar::from_f64(rng.between(0.1, 1.0)));
    let kind = rng.below(6);
    let [a, b] = [&points[..], &moved].map(|p| -> Volume<V> {
        match kind {
            0 => Cylinder::new(p[0], p[1], r).unwrap().into(),
            1 => Cone::new(p[0], p[1], r).unwrap().into(),
            2 => Frustum::new(p[0], p[1], r, s).unwrap().into(),
            3 => Triangle::new(p[0], p[1], p[2]).unwrap().into(),
            4 => TaperedCapsule::new(p[0], p[1], r, s).unwrap().into(),
            _ => Volume::hull(p.iter().copied()).unwrap(),
        }
    });
    Some([a, b])
}

#[test]
fn a_moved_volume_is_that_of_the_moved_shape() {
    moves::<DVec3>(1, of_any);
    moves::<Vec3>(2, of_any);
    moves::<DVec2>(3, of_any);
    moves::<Vec2>(4, of_any);
    moves::<DVec3>(5, of_space);
    moves::<Vec3>(6, of_space);
    moves::<DVec2>(7, |rng, offset| {
        let points = [0; 5].map(|_| rng.in_cube::<DVec2>());
        let hull = ConvexPolygon::hull(points).ok()?;
        let moved = ConvexPolygon::new(sum(hull.vertices(), offset)).ok()?;
        Some([hull.into(), moved.into()])
    });
    // Where it was.
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    let frustum: Volume<DVec3> = ViewFrustum::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(corner)).unwrap().into();
    let wall = Cuboid::new(DVec3::splat(4.5), DVec3::splat(0.5)).unwrap();
    assert!(wall.overlaps(frustum.moved_by(DVec3::splat(3.0))) && !wall.overlaps(frustum.moved_by(DVec3::splat(2.75))));
}

#[test]
fn a_volume_beyond_all_numbers_has_no_points() {
    let everything = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap();
    let volumes: [Volume<DVec3>; 4] = [
        Sphere::new(DVec3::ZERO, 1.0).unwrap().into(),
        Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap().into(),
        Cylinder::new(DVec3::ZERO, DVec3::Z, 1.0).unwrap().into(),
        Volume::hull([DVec3::ZERO, DVec3::X]).unwrap(),
    ];
    for volume in &volumes {
        for offset in [DVec3::splat(f64::NAN), DVec3::Z * f64::NEG_INFINITY, DVec3::X * f64::INFINITY] {
            let moved = volume.moved_by(offset);
            assert!(!everything.overlaps(&moved), "{moved:?}");
            assert_eq!(everything.cast_volume(&moved, DVec3::X, ..), None, "{moved:?}");
        }
    }
    let errors = [Volume::<DVec3>::hull([]), Volume::hull([DVec3::ZERO, DVec3::X * f64::NAN])];
    let problems = errors.map(|error| error.unwrap_err().problem);
    assert_eq!(problems, [ShapeErrorKind::Empty, ShapeErrorKind::NotFinite]);
}

/// A random solid of revolution, as a shape and as a volume.
fn revolved<V: Vector3>(rng: &mut Rng) -> (Box<dyn Shape<V>>, Volume<V>) {
    let (a, b): (V, V) = (rng.in_cube(), rng.in_cube());
    let mut radius = || V::Scalar::from_f64(rng.between(0.1, 0.75));
    let (r, s) = (radius(), radius());
    match rng.below(3) {
        0 => {
            let cylinder = Cylinder::new(a, b, r).unwrap();
            (Box::new(cylinder), cylinder.into())
        }
        1 => {
            let cone = Cone::new(a, b, r).unwrap();
            (Box::new(cone), cone.into())
        }
        _ => {
            let frustum = Frustum::new(a, b, r, s).unwrap();
            (Box::new(frustum), frustum.into())
        }
    }
}

/// A random shape with an exact overlap test, as a shape and as a volume.
fn simple<V: Vector3>(rng: &mut Rng) -> (Box<dyn Shape<V>>, Volume<V>) {
    let [a, b, c] = [0; 3].map(|_| rng.in_cube::<V>() * V::Scalar::from_f64(1.5));
    let (r, half) = (V::Scalar::from_f64(rng.between(0.05, 0.5)), positive(rng.in_cube::<V>()));
    let basis = rng.basis(Draw::Ordinary).unwrap();
    macro_rules! both {
        ($shape:expr) => {{
            let shape = $shape.unwrap();
            (Box::new(shape), shape.into())
        }};
    }
    match rng.below(5) {
        0 => both!(Sphere::new(a, r)),
        1 => both!(Capsule::new(a, b, r)),
        2 => both!(Cuboid::new(a, half)),
        3 => both!(OrientedBox::new(a, half, basis)),
        _ => both!(Triangle::new(a, b, c)),
    }
}

/// Two shapes overlap whichever of them is the volume.
fn is_symmetric<V: Vector3>(seed: u64) {
    let mut counts = [[0; 2]; 2];
    for round in 0..rounds(6000) as u64 {
        let rng = &mut Rng::for_stream(seed, round);
        let is_curved = round % 3 == 0;
        let (shape, volume) = if is_curved { revolved::<V>(rng) } else { simple(rng) };
        let (round_shape, round_volume) = revolved::<V>(rng);
        let overlaps = shape.overlaps(&round_volume);
        assert_eq!(overlaps, round_shape.overlaps(&volume), "{seed} {round} {volume:?} {round_volume:?}");
        counts[usize::from(is_curved)][usize::from(overlaps)] += 1;
    }
    assert!(counts.as_flattened().iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn overlaps_of_cylinders_cones_and_frusta_are_symmetric() {
    is_symmetric::<DVec3>(11);
    is_symmetric::<Vec3>(12);
}

/// Planes and half-spaces, alone and under transforms: the least and the greatest height of a cylinder are known.
#[test]
fn cylinders_reach_planes_where_their_rims_do() {
    let mut rng = Rng::new(13);
    let mut counts = [0; 4];
    for _ in 0..3000 {
        let ([a, b], r) = ([rng.in_cube::<DVec3>(), rng.in_cube()], rng.between(0.1, 0.75));
        let volume: Volume<DVec3> = Cylinder::new(a, b, r).unwrap().into();
        let (point, normal) = (rng.in_cube::<DVec3>() * 2.0, rng.in_cube::<DVec3>());
        let moved = Transform::new(
            [DVec3::new(2.0, 0.5, 0.0), DVec3::new(0.0, -1.0, 0.25), DVec3::new(0.5, 0.0, 1.0)],
            rng.in_cube(),
        )
        .unwrap();
        let is_placed = rng.once_in(2);
        let (plane, solid) = (Plane::new(point, normal).unwrap(), HalfSpace::new(point, normal).unwrap());
        let place = |shape: hitscan::AnyShape3<DVec3>| {
            let shape = Instance::<DVec3>::new(shape);
            if is_placed { shape.with_transform(moved) } else { shape }
        };
        let (plane, solid) = (place(plane.into()), place(solid.into()));
        // The image of the plane: its normal is the product with the cofactors.
        let (at, n) = if is_placed {
            let [x, y, z] = [0, 1, 2].map(|i| moved.axes()[i]);
            let image = moved.translation() + x * point.x + y * point.y + z * point.z;
            let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
            let sign = x.dot(cofactors[0]).signum();
            (image, (cofactors[0] * normal.x + cofactors[1] * normal.y + cofactors[2] * normal.z) * sign)
        } else {
            (point, normal)
        };
        let n = n.normalize();
        let axis = (b - a).normalize();
        let width = r * (1.0 - n.dot(axis).powi(2)).max(0.0).sqrt();
        let ends = [(a - at).dot(n), (b - at).dot(n)];
        let (low, high) = (ends[0].min(ends[1]) - width, ends[0].max(ends[1]) + width);
        if low.abs() < 1e-9 || high.abs() < 1e-9 {
            continue;
        }
        assert_eq!(solid.overlaps(&volume), low < 0.0, "{volume:?} {solid:?}");
        assert_eq!(plane.overlaps(&volume), low < 0.0 && high > 0.0, "{volume:?} {plane:?}");
        // And when it falls on them.
        let hit = solid.cast_volume(&volume, -n, ..).unwrap();
        let case = format!("{volume:?} {solid:?} {hit:?}");
        if low < 0.0 {
            counts[0] += 1;
            assert!((hit.depth.unwrap() + low).abs() < 1e-12 && hit.t == 0.0, "{case}");
        } else {
            counts[1] += 1;
            assert!((hit.t - low).abs() < 1e-12 && hit.normal.abs_diff_eq(n, 1e-12) && hit.depth.is_none(), "{case}");
            assert!(hit.face_normal.unwrap().abs_diff_eq(n, 1e-12), "{case}");
        }
        counts[2 + usize::from(high < 0.0)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
    // Touching is overlapping: a cylinder that stands on a floor, and a cone on its apex.
    let floor = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap();
    let mesh = build::<DVec3>((vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]], vec![[0, 1, 2]]));
    let volumes: [Volume<DVec3>; 3] = [
        Cylinder::new(DVec3::ZERO, DVec3::Z, 1.0).unwrap().into(),
        Cone::new(DVec3::Z, DVec3::ZERO, 1.0).unwrap().into(),
        Volume::hull([DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::Z]).unwrap(),
    ];
    for volume in &volumes {
        let targets: [&dyn Shape<DVec3>; 2] = [&floor, &mesh];
        for target in targets {
            assert!(target.overlaps(volume), "{volume:?}");
            assert!(!target.overlaps(volume.moved_by(DVec3::Z * 1e-9)), "{volume:?}");
            let hit = target.cast_volume(volume.moved_by(DVec3::Z * 2.0), DVec3::new(0.25, 0.0, -1.0), ..).unwrap();
            assert!((hit.t - 2.0).abs() < 1e-9 && hit.normal.abs_diff_eq(DVec3::Z, 1e-6), "{volume:?} {hit:?}");
        }
    }
}

/// A ball that a cylinder runs into is touched when the ball, moving the other way, touches the cylinder.
#[test]
fn contacts_with_balls_are_those_of_moving_balls() {
    let mut counts = [0; 3];
    for round in 0..rounds(4000) as u64 {
        let rng = &mut Rng::for_stream(14, round);
        let (shape, volume) = revolved::<DVec3>(rng);
        let (center, direction, radius) =
            (rng.in_cube::<DVec3>() * rng.pick(&[1.5, 4.0]), rng.in_cube::<DVec3>(), rng.between(0.1, 1.0));
        let direction = if rng.once_in(2) { direction } else { center + rng.in_cube::<DVec3>() };
        let ball = Sphere::new(center, radius).unwrap();
        let hits =
            [ball.cast_volume(&volume, direction, ..), shape.cast_sphere(&Ray::new(center, -direction), radius, ..)];
        let case = format!("{volume:?} {ball:?} {direction} {hits:?}");
        match hits {
            [Some(a), Some(b)] => {
                assert_eq!(a.depth.is_some(), b.depth.is_some(), "{case}");
                let approach = -a.normal.dot(direction);
                match (a.depth, b.depth) {
                    // EPA finds a way out, perhaps a longer one.
                    (Some(a), Some(b)) => assert!(a >= b - 1e-9 && a <= b + 0.01, "{case}"),
                    _ => {
                        assert!((a.t - b.t).abs() * approach < 1e-9, "{case}");
                        assert!(a.normal.abs_diff_eq(-b.normal, 1e-4), "{case}");
                    }
                }
                counts[usize::from(a.depth.is_some())] += 1;
            }
            [None, None] => counts[2] += 1,
            // What only grazes may be missed by rounding.
            [Some(hit), None] | [None, Some(hit)] => {
                assert!(hit.normal.dot(direction).abs() < 1e-5 * direction.length(), "{case}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

/// Of meshes, scenes and groups, what overlaps is what their parts do; under a transform, too.
#[test]
fn triangles_and_objects_are_found_one_by_one() {
    let (vertices, triangles) = icosphere(3);
    let mesh: TriangleMesh<DVec3> = build((vertices, triangles));
    let sheared = Transform::new([DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z * 1.5], DVec3::X * 0.25).unwrap();
    let placed = Instance::<DVec3>::new(mesh.clone()).with_transform(sheared);
    let image =
        |p: DVec3| sheared.axes()[0] * p.x + sheared.axes()[1] * p.y + sheared.axes()[2] * p.z + DVec3::X * 0.25;
    let corners: Vec<[DVec3; 3]> =
        mesh.triangles().iter().map(|corners| corners.map(|i| mesh.vertices()[i as usize])).collect();
    let mut scene = Scene::<DVec3>::new();
    for corners in &corners {
        let [a, b, c] = *corners;
        scene.insert(Object::new(Triangle::new(a, b, c).unwrap())).unwrap();
    }
    let (mut found, mut inside) = (0, 0);
    for round in 0..300 {
        let rng = &mut Rng::for_stream(15, round);
        let volume = if round % 2 == 0 {
            revolved::<DVec3>(rng).1
        } else {
            Volume::hull((0..8).map(|_| rng.in_cube::<DVec3>())).unwrap()
        };
        let volume = volume.moved_by(rng.in_cube());
        let parts = |at: &dyn Fn(DVec3) -> DVec3| -> Vec<u32> {
            let overlaps = |[a, b, c]: [DVec3; 3]| Triangle::new(at(a), at(b), at(c)).unwrap().overlaps(&volume);
            (0..).zip(&corners).filter(|(_, corners)| overlaps(**corners)).map(|(number, _)| number).collect()
        };
        let of = |shape: &dyn Shape<DVec3>| -> Vec<u32> {
            shape.overlapping(&volume).iter().filter_map(|found| found.primitive).collect()
        };
        let expected = parts(&|p| p);
        assert_eq!(of(&mesh), expected, "{volume:?}");
        let ids: Vec<_> = scene.overlapping(&volume).iter().map(|found| found.object.unwrap().index() as u32).collect();
        assert_eq!(ids, expected, "{volume:?}");
        assert_eq!(of(&placed), parts(&image), "{volume:?}");
        assert_eq!(mesh.overlaps(&volume), !expected.is_empty() || mesh.contains(volume.aabb().center()), "{volume:?}");
        found += usize::from(!expected.is_empty());
        inside += usize::from(expected.is_empty() && mesh.overlaps(&volume));
    }
    let small: Volume<DVec3> = Cylinder::new(DVec3::ZERO, DVec3::Z * 0.25, 0.125).unwrap().into();
    assert!(mesh.overlaps(small) && found > 100, "{found} {inside}");
}

/// The volumes of the tests by samples.
fn sampled<V: Vector3>(rng: &mut Rng) -> Volume<V> {
    match rng.below(4) {
        0 => Volume::hull((0..4 + rng.below(8)).map(|_| rng.in_cube::<V>())).unwrap(),
        _ => revolved(rng).1,
    }
}

/// First contacts against the overlaps along the way.
fn is_first<V: Vector3 + World>(seed: u64, pad: f64) {
    let real = V::Scalar::from_f64;
    let mut counts = [0; 3];
    // The last kind is a mesh: a closed one contains what is inside, but a contact is one with its surface.
    for round in 0..rounds(6000) as u64 {
        let rng = &mut Rng::for_stream(seed, round);
        let Some(shape) = V::shape(rng.below(V::KINDS - 1), rng, Draw::Ordinary) else { continue };
        let shape = Instance::<V>::new(shape);
        let volume = sampled::<V>(rng).moved_by(rng.vector::<V>(Draw::Ordinary));
        let direction = rng.vector::<V>(Draw::Ordinary);
        let at = |t: f64| volume.moved_by(direction * real(t));
        let (hit, start) = (shape.cast_volume(&volume, direction, ..=real(2.0)), shape.overlaps(&volume));
        let case = || format!("{seed} {round} {shape:?} {volume:?} {direction:?} {hit:?}");
        let end = match hit {
            Some(hit) if hit.depth.is_some() => {
                counts[0] += 1;
                assert!(start && hit.t == V::Scalar::ZERO, "{}", case());
                let out = hit.normal * real(hit.depth.unwrap().to_f64() + pad);
                assert!(!shape.overlaps(volume.moved_by(out)), "{}", case());
                continue;
            }
            Some(hit) => {
                counts[1] += 1;
                // A little nearer, it overlaps.
                let nearer = at(hit.t.to_f64()).moved_by(hit.normal * real(-pad));
                assert!(shape.overlaps(nearer), "{}", case());
                let farther = at(hit.t.to_f64()).moved_by(hit.normal * real(pad));
                assert!(!shape.overlaps(farther), "{}", case());
                assert!(hit.normal.widen_dot(direction) < pad * 8.0, "{}", case());
                hit.t.to_f64()
            }
            None => {
                counts[2] += 1;
                2.0
            }
        };
        // Before, nothing is touched but what is nearer than the accuracy.
        for step in 0..40 {
            let t = end * f64::from(step) / 40.0;
            let is_near = hit.is_some_and(|hit| (hit.t.to_f64() - t) * -hit.normal.widen_dot(direction) < 2.0 * pad);
            assert!(is_near || !shape.overlaps(at(t)), "{t} {}", case());
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

/// Products in `f64`.
trait WidenDot {
    fn widen_dot(self, other: Self) -> f64;
}

impl<V: Vector> WidenDot for V {
    fn widen_dot(self, other: Self) -> f64 {
        let (a, b) = (self.to_xyz().map(Real::to_f64), other.to_xyz().map(Real::to_f64));
        (0..3).map(|i| a[i] * b[i]).sum()
    }
}

#[test]
fn contacts_are_the_first_overlaps() {
    is_first::<DVec3>(16, 1e-4);
    is_first::<Vec3>(17, 1e-4);
}

/// The hull of the corners of a box is the box.
#[test]
fn hulls_of_corners_are_boxes_and_triangles() {
    let mut counts = [0; 4];
    for round in 0..rounds(3000) as u64 {
        let rng = &mut Rng::for_stream(18, round);
        let (center, half) = (rng.in_cube::<DVec3>() * 1.5, rng.in_cube::<DVec3>().abs());
        let side = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corners = (0..8).map(|i| center + half * DVec3::new(side(i, 0), side(i, 1), side(i, 2)));
        // Points inside do not matter.
        let hull = Volume::hull(corners.chain([center, center + half * 0.5])).unwrap();
        let boxed: Volume<DVec3> = Cuboid::new(center, half).unwrap().into();
        let (shape, _) = if round % 2 == 0 { simple::<DVec3>(rng) } else { revolved(rng) };
        let overlaps = shape.overlaps(&boxed);
        assert_eq!(shape.overlaps(&hull), overlaps, "{hull:?}");
        let direction = rng.in_cube::<DVec3>() - center;
        let hits = [&boxed, &hull].map(|volume| shape.cast_volume(volume, direction, ..));
        counts[usize::from(overlaps)] += 1;
        counts[2 + usize::from(hits[0].is_some())] += 1;
        match hits {
            [Some(a), Some(b)] => {
                let approach = -a.normal.dot(direction);
                assert!((a.t - b.t).abs() * approach < 1e-6, "{round} {a:?} {b:?}");
            }
            [None, None] => {}
            [Some(hit), None] | [None, Some(hit)] => {
                assert!(hit.normal.dot(direction).abs() < 1e-4, "{round} {hit:?}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    // A point, a segment, and a tetrahedron that moves along its axis.
    let wall = Cuboid::new(DVec3::X * 5.0, DVec3::ONE).unwrap();
    let point = Volume::hull([DVec3::ZERO]).unwrap();
    assert!((wall.cast_volume(point, DVec3::X, ..).unwrap().t - 4.0).abs() < 1e-12);
    let tip = Volume::hull([DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE]).unwrap();
    let hit = wall.cast_volume(tip, DVec3::X, Query::new().within_distance(3.5)).unwrap();
    assert!(
        (hit.t - 3.0).abs() < 1e-12
            && hit.normal.abs_diff_eq(-DVec3::X, 1e-9)
            && hit.point.abs_diff_eq(DVec3::X * 4.0, 1e-9)
    );
    // It can be drawn.
    let lines = Volume::hull([DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE]).unwrap().outline(&OutlineOptions::default());
    assert_eq!(lines.len(), 6);
}
