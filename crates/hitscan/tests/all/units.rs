//! The unit of length changes no answer: a power of two times all coordinates is the same scene, for every query.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Capsule, ClosestPoint, Cone, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, Hit, Instance, Object, OrientedBox,
    OverlapQuery, PointQuery, Ray, RayCast, Real, Scene, Shape, Space, Span, Sphere, SweepHit, SweepQuery,
    TaperedCapsule, Thickness, Transform, Vector, Vector3, Volume,
};

fn power<S: Real>(exponent: i32) -> S {
    // In two steps, so that subnormal numbers are reached, too.
    let half = f64::from(exponent / 2).exp2();
    S::from_f64(half * f64::from(exponent - exponent / 2).exp2())
}

/// A placed shape, a ray, and what the queries need besides, in units of 2^unit.
struct Situation<V: World> {
    placed: Instance<V>,
    ray: Ray<V>,
    radius: V::Scalar,
    volumes: [Volume<V>; 3],
}

impl<V: World> Situation<V> {
    fn new(kind: usize, seed: u64, unit: i32) -> Option<Self> {
        let (mut rng, factor) = (Rng::new(seed), power::<V::Scalar>(unit));
        // The shape keeps its numbers. The transform moves it, and perhaps shears it.
        let shape = V::shape(kind, &mut rng, Draw::Ordinary)?;
        let axes: Vec<V> = (0..V::DIM)
            .map(|axis| {
                let mut column = [V::Scalar::ZERO; 3];
                column[axis] = V::Scalar::ONE;
                let shear: V = rng.in_cube();
                let share = if seed.is_multiple_of(3) { 0.25 } else { 0.0 };
                (V::from_xyz(column) + shear * V::Scalar::from_f64(share)) * factor
            })
            .collect();
        let mut vector = |size: f64| -> V { rng.in_cube::<V>() * (V::Scalar::from_f64(size) * factor) };
        let transform = Transform::new(axes, vector(2.0)).ok()?;
        // Rays and volumes that are near.
        let (origin, target, half) =
            (vector(8.0), vector(3.0), vector(0.5).map(|x| if x < V::Scalar::ZERO { -x } else { x }));
        let radius = V::Scalar::from_f64(0.25) * factor;
        let volumes = [
            Capsule::new(origin, origin + half, radius).ok()?.into(),
            Cuboid::new(origin, half).ok()?.into(),
            OrientedBox::new(origin, half, hitscan::Basis::from_direction(target).ok()?).ok()?.into(),
        ];
        let ray = Ray::new(origin, target - origin);
        Some(Self { placed: Instance::new(shape).with_transform(transform), ray, radius, volumes })
    }
}

/// Whether two numbers are equal up to the last roundings, those of numbers up to 10.
fn is_near<S: Real>(here: S, there: S, factor: f64) -> bool {
    let (here, there) = (here.to_f64() * factor, there.to_f64());
    here == there || (here - there).abs() <= 16.0 * S::EPSILON.to_f64() * factor
}

fn is_near_point<V: Vector>(here: V, there: V, factor: f64) -> bool {
    here.to_xyz().into_iter().zip(there.to_xyz()).all(|(here, there)| is_near(here, there, factor))
}

/// Results that may be equal but for the unit of length, and for the last roundings.
trait Alike: core::fmt::Debug {
    fn is_alike(&self, there: &Self, factor: f64) -> bool;
}
impl<V: Vector> Alike for Hit<V> {
    fn is_alike(&self, there: &Self, factor: f64) -> bool {
        is_near(self.t, there.t, 1.0)
            && is_near(self.distance, there.distance, factor)
            && is_near_point(self.point, there.point, factor)
            && is_near_point(self.normal, there.normal, 1.0)
            && (self.side, self.primitive, self.object) == (there.side, there.primitive, there.object)
    }
}
impl<V: Vector> Alike for ClosestPoint<V> {
    fn is_alike(&self, there: &Self, factor: f64) -> bool {
        is_near(self.distance, there.distance, factor)
            && is_near_point(self.point, there.point, factor)
            && (self.feature, self.primitive, self.object) == (there.feature, there.primitive, there.object)
    }
}
impl<V: Vector> Alike for Thickness<V> {
    fn is_alike(&self, there: &Self, factor: f64) -> bool {
        // The `t` of both ends are lengths.
        let end = |hit: &Hit<V>| (hit.distance, hit.point, hit.side, hit.object);
        let is_end = |here: &Hit<V>, there: &Hit<V>| {
            let (here, there) = (end(here), end(there));
            is_near(here.0, there.0, factor)
                && is_near_point(here.1, there.1, factor)
                && (here.2, here.3) == (there.2, there.3)
        };
        is_near(self.length, there.length, factor)
            && is_end(&self.enter, &there.enter)
            && is_end(&self.exit, &there.exit)
    }
}
impl<V: Vector> Alike for Span<V> {
    fn is_alike(&self, there: &Self, factor: f64) -> bool {
        self.enter.is_alike(&there.enter, factor) && self.exit.is_alike(&there.exit, factor)
    }
}
impl<T: Alike> Alike for Option<T> {
    fn is_alike(&self, there: &Self, factor: f64) -> bool {
        match (self, there) {
            (Some(here), Some(there)) => here.is_alike(there, factor),
            (here, there) => here.is_none() && there.is_none(),
        }
    }
}
impl<T: Alike> Alike for [T] {
    fn is_alike(&self, there: &Self, factor: f64) -> bool {
        self.len() == there.len() && self.iter().zip(there).all(|(here, there)| here.is_alike(there, factor))
    }
}

#[track_caller]
fn assert_alike<T: Alike + ?Sized>(here: &T, there: &T, factor: f64, case: &str) {
    assert!(here.is_alike(there, factor), "{here:?}\n{there:?}\n{case}");
}

/// Queries of rays and points, at a shape or a scene.
fn same_answers<V: World>([here, there]: [&dyn Shape<V>; 2], [ray, other]: [&Ray<V>; 2], factor: f64, case: &str) {
    let (a, b) = (here.cast_ray(ray, ..), there.cast_ray(other, ..));
    assert_eq!(a.map(|hit| hit.t), b.map(|hit| hit.t), "{case}");
    assert_alike(&a, &b, factor, case);
    let thickness = [(here, a), (there, b)].map(|(shape, hit)| hit.and_then(|hit| shape.thickness(&hit)));
    assert_alike(&thickness[0], &thickness[1], factor, case);
    let hits = [(here, ray), (there, other)].map(|(shape, ray)| shape.cast_ray_all(ray, ..).to_vec());
    assert_alike(&hits[0][..], &hits[1][..], factor, case);
    let spans = [(here, ray), (there, other)].map(|(shape, ray)| shape.spans(ray, ..).to_vec());
    assert_alike(&spans[0][..], &spans[1][..], factor, case);
    // The beginning of the ray, and a point on its way.
    for t in [0.0, 0.75] {
        let [p, q] = [ray, other].map(|ray| ray.origin + ray.direction * V::Scalar::from_f64(t));
        assert_eq!(here.contains(p), there.contains(q), "{case}");
        assert_alike(&here.closest_point(p), &there.closest_point(q), factor, case);
        let distances = [here.signed_distance(p), there.signed_distance(q)];
        assert!(
            distances[0].is_some() == distances[1].is_some()
                && distances[0].zip(distances[1]).is_none_or(|(a, b)| is_near(a, b, factor)),
            "{distances:?} {case}"
        );
        let nearest = [here.closest_primitives(p, 2).ok(), there.closest_primitives(q, 2).ok()];
        assert_eq!(nearest[0].is_some(), nearest[1].is_some(), "{case}");
        if let [Some(a), Some(b)] = &nearest {
            assert_alike(&a[..], &b[..], factor, case);
        }
    }
}

fn same_contact<V: Vector>(a: Option<SweepHit<V>>, b: Option<SweepHit<V>>, factor: V::Scalar, case: &str) {
    assert_eq!(a.is_some(), b.is_some(), "{case}: {a:?} {b:?}");
    let (Some(a), Some(b)) = (a, b) else { return };
    let mut expected = a;
    expected.distance = a.distance * factor;
    expected.center = a.center * factor;
    expected.point = a.point * factor;
    expected.depth = a.depth.map(|depth| depth * factor);
    assert_eq!(expected, b, "{case}");
}

fn check<V: World>(cases: usize, units: &[i32]) {
    let mut counts = [0; 3];
    for i in 0..cases {
        let (kind, seed) = (i % V::KINDS, i as u64);
        let Some(here) = Situation::<V>::new(kind, seed, 0) else { continue };
        for &unit in units {
            let Some(there) = Situation::<V>::new(kind, seed, unit) else { panic!("{kind} {seed} {unit}") };
            let factor = power::<V::Scalar>(unit);
            let case = format!("{:?} {:?} in units of 2^{unit}", here.placed, here.ray);
            // Rays and points.
            same_answers([&here.placed, &there.placed], [&here.ray, &there.ray], factor.to_f64(), &case);
            // Moving spheres.
            let a = here.placed.cast_sphere(&here.ray, here.radius, ..);
            let b = there.placed.cast_sphere(&there.ray, there.radius, ..);
            counts[0] += usize::from(a.is_some());
            same_contact(a, b, factor, &case);
            // Moving volumes, and overlaps where they begin and after most of the way.
            for (here_volume, there_volume) in here.volumes.iter().zip(&there.volumes) {
                let a = here.placed.cast_volume(here_volume, here.ray.direction, ..);
                let b = there.placed.cast_volume(there_volume, there.ray.direction, ..);
                counts[1] += usize::from(a.is_some());
                same_contact(a, b, factor, &case);
                let is_overlap = here.placed.overlaps(here_volume);
                counts[2] += usize::from(is_overlap);
                assert_eq!(is_overlap, there.placed.overlaps(there_volume), "{case} {here_volume:?}");
            }
        }
    }
    println!("{counts:?}");
    assert!(counts[0] > cases / 4 && counts[1] > cases / 4 && counts[2] > cases / 40, "{counts:?}");
}

/// Scenes of three such shapes.
fn check_scenes<V: World>(cases: usize, units: &[i32]) {
    let mut counts = [0; 3];
    for i in 0..cases {
        let situations = |unit: i32| -> Option<Vec<Situation<V>>> {
            (3 * i..3 * i + 3).map(|i| Situation::new(i % V::KINDS, i as u64, unit)).collect()
        };
        let scene = |situations: &[Situation<V>]| {
            let mut scene = Scene::<V>::new();
            for Situation { placed, .. } in situations {
                let object = Object::new(placed.shape().clone())
                    .with_transform(placed.transform().copied().unwrap_or(Transform::identity()));
                scene.insert(object).unwrap();
            }
            scene
        };
        let Some(own) = situations(0) else { continue };
        let (here, whole) = (&own[0], scene(&own));
        for &unit in units {
            let (others, factor) = (situations(unit).unwrap(), power::<V::Scalar>(unit));
            let (there, other) = (&others[0], scene(&others));
            let case = format!("{whole:?} {:?} in units of 2^{unit}", here.ray);
            same_answers([&whole, &other], [&here.ray, &there.ray], factor.to_f64(), &case);
            let a = whole.cast_sphere(&here.ray, here.radius, ..);
            counts[0] += usize::from(a.is_some());
            same_contact(a, other.cast_sphere(&there.ray, there.radius, ..), factor, &case);
            for (here_volume, there_volume) in here.volumes.iter().zip(&there.volumes) {
                let a = whole.cast_volume(here_volume, here.ray.direction, ..);
                counts[1] += usize::from(a.is_some());
                same_contact(a, other.cast_volume(there_volume, there.ray.direction, ..), factor, &case);
                let overlaps = whole.overlapping(here_volume);
                counts[2] += overlaps.len();
                assert_eq!(overlaps, other.overlapping(there_volume), "{case} {here_volume:?}");
            }
        }
    }
    assert!(counts[0] > cases / 4 && counts[1] > cases / 4 && counts[2] > cases / 40, "{counts:?}");
}

#[test]
fn no_scene_depends_on_the_unit_of_length() {
    check_scenes::<Vec2>(300, &[-36, 40]);
    check_scenes::<Vec3>(300, &[-36, 40]);
    check_scenes::<DVec2>(100, &[-36, 200]);
    check_scenes::<DVec3>(100, &[-36, 200]);
}

#[test]
fn no_query_depends_on_the_unit_of_length() {
    check::<Vec2>(1500, &[-36, -60, 40]);
    check::<Vec3>(1500, &[-36, -60, 40]);
    check::<DVec2>(400, &[-36, -60, 200]);
    check::<DVec3>(400, &[-36, -60, 200]);
}

/// Circles, ellipses and capsules under diag(f, f) with a gap between them of 2^-9 f.
#[test]
fn placed_circles_apart_do_not_overlap() {
    for unit in [0, -36, -60, -200, 300] {
        let f = power::<f64>(unit);
        let transform = Transform::new([DVec2::X * f, DVec2::Y * f], DVec2::ZERO).unwrap();
        let place = |shape: <DVec2 as Space>::Shape| Instance::<DVec2>::new(shape).with_transform(transform);
        let shapes = [
            place(Sphere::new(DVec2::ZERO, 1.0).unwrap().into()),
            place(Ellipsoid::new(DVec2::ZERO, DVec2::new(1.0, 2.0)).unwrap().into()),
            place(Capsule::new(DVec2::ZERO, -DVec2::X, 1.0).unwrap().into()),
        ];
        for shape in &shapes {
            let at = |gap: f64| Sphere::new(DVec2::X * f * (2.0 + gap), f).unwrap();
            assert!(!shape.overlaps(at(1.0 / 512.0)), "{shape:?}");
            assert!(shape.overlaps(at(-1.0 / 512.0)), "{shape:?}");
        }
    }
}

/// The surfaces that a moving sphere measures, from one end of the exponents to the other.
#[test]
fn moving_spheres_reach_measured_shapes_of_any_size() {
    let cast = |unit: i32| -> Vec<Option<SweepHit<DVec3>>> {
        let f = power::<f64>(unit);
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * f;
        let basis = hitscan::Basis::from_direction(DVec3::new(1.0, 2.0, -2.0)).unwrap();
        let ray = Ray::new(at(-3.0, 0.75, 0.25), at(2.0, -0.25, 0.125));
        let shapes: [&dyn Shape<DVec3>; 7] = [
            &Cylinder::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f).unwrap(),
            &Cone::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f).unwrap(),
            &Frustum::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f, 0.5 * f).unwrap(),
            &TaperedCapsule::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f, 0.5 * f).unwrap(),
            &Disk::new(DVec3::ZERO, DVec3::X, f).unwrap(),
            &Ellipsoid::new(DVec3::ZERO, at(1.0, 0.75, 0.5)).unwrap(),
            &OrientedBox::new(DVec3::ZERO, at(1.0, 0.75, 0.5), basis).unwrap(),
        ];
        shapes.map(|shape| shape.cast_sphere(&ray, 0.25 * f, ..)).to_vec()
    };
    let here = cast(0);
    assert!(here.iter().all(Option::is_some), "{here:?}");
    for unit in [-900, -550, -300, 300, 520, 900] {
        for (a, b) in here.iter().zip(cast(unit)) {
            same_contact(*a, b, power(unit), &format!("{unit}"));
        }
    }
    // A direction of another length changes nothing but `t`.
    let cylinder = Cylinder::new(-DVec3::Z, DVec3::Z, 1.0).unwrap();
    for speed in [-900, -550, 0, 520, 900] {
        let direction = DVec3::new(2.0, -0.25, 0.125) * power::<f64>(speed);
        let hit = cylinder.cast_sphere(&Ray::new(DVec3::new(-3.0, 0.75, 0.25), direction), 0.25, ..).unwrap();
        assert_eq!(Some(hit.t * power::<f64>(speed)), here[0].map(|hit| hit.t), "{speed}");
        assert_eq!(Some(hit.point), here[0].map(|hit| hit.point), "{speed}");
    }
}

/// A shape and a point whose sizes have nothing in common.
#[test]
fn closest_points_exist_for_numbers_of_any_size() {
    let sizes = [-1070, -550, -100, 0, 100, 520, 950, 1000];
    for (size, far) in sizes.into_iter().flat_map(|size| sizes.map(|far| (size, far))) {
        let (f, at) = (power::<f64>(size), DVec3::new(power::<f64>(far), 0.0, 0.0));
        let basis = hitscan::Basis::from_direction(DVec3::Y).unwrap();
        let shapes: [&dyn Shape<DVec3>; 8] = [
            &Cuboid::new(DVec3::ZERO, DVec3::splat(f)).unwrap(),
            &OrientedBox::new(DVec3::ZERO, DVec3::splat(f), basis).unwrap(),
            &Sphere::new(DVec3::ZERO, f).unwrap(),
            &Capsule::new(DVec3::ZERO, DVec3::Y * f, f).unwrap(),
            &Cylinder::new(-DVec3::Y * f, DVec3::Y * f, f).unwrap(),
            &Cone::new(-DVec3::Y * f, DVec3::Y * f, f).unwrap(),
            &Disk::new(DVec3::ZERO, DVec3::X, f).unwrap(),
            &Ellipsoid::new(DVec3::ZERO, DVec3::splat(f)).unwrap(),
        ];
        for shape in shapes {
            let found = shape.closest_point(at).unwrap_or_else(|| panic!("{} {size} {far}", shape.name()));
            let largest = f.max(at.x);
            let expected = match shape.name() {
                "disk" => at.x,
                // The side of the cone is somewhere between its axis and the rim.
                "cone" => found.distance.clamp(at.x - f, largest),
                _ => (at.x - f).abs(),
            };
            assert!((found.distance - expected).abs() <= largest * 1e-15, "{} {size} {far} {found:?}", shape.name());
            assert!(found.point.is_finite(), "{} {size} {far} {found:?}", shape.name());
        }
    }
}

/// Numbers of any size give numbers: contacts of moving volumes, too.
#[test]
fn contacts_of_volumes_are_numbers_at_any_size() {
    for unit in [-900, -550, -300, 0, 200, 265, 400, 600, 900, 1010] {
        let f = power::<f64>(unit);
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * f;
        let volumes: [Volume<DVec3>; 3] = [
            Cuboid::new(at(-3.0, 0.25, 0.0), at(0.5, 0.5, 0.5)).unwrap().into(),
            Capsule::new(at(-3.0, 0.25, 0.0), at(-3.0, 0.5, 0.5), 0.25 * f).unwrap().into(),
            Aabb { min: at(-3.0, 0.0, 0.0), max: at(-2.0, 1.0, 1.0) }.into(),
        ];
        let shapes: [&dyn Shape<DVec3>; 7] = [
            &Cuboid::new(DVec3::ZERO, at(1.0, 1.0, 1.0)).unwrap(),
            &Sphere::new(DVec3::ZERO, f).unwrap(),
            &Cylinder::new(at(0.0, 0.0, -1.0), at(0.0, 0.0, 1.0), f).unwrap(),
            &hitscan::HalfSpace::new(DVec3::ZERO, -DVec3::X).unwrap(),
            &hitscan::Plane::new(DVec3::ZERO, -DVec3::X).unwrap(),
            &hitscan::Triangle::new(at(0.0, -2.0, -2.0), at(0.0, 2.0, -2.0), at(0.0, 0.0, 3.0)).unwrap(),
            &hitscan::TriangleMesh::new(
                vec![at(0.0, -2.0, -2.0), at(0.0, 2.0, -2.0), at(0.0, 0.0, 3.0)],
                vec![[0, 1, 2]],
            )
            .unwrap(),
        ];
        for (shape, volume) in shapes.iter().flat_map(|shape| volumes.iter().map(move |volume| (shape, volume))) {
            for direction in [DVec3::X, at(1.0, 0.0, 0.0)] {
                let hit = shape.cast_volume(volume, direction, ..);
                let hit = hit.unwrap_or_else(|| panic!("{} {volume:?} {direction} {unit}", shape.name()));
                let is_number = hit.t.is_finite() && hit.point.is_finite() && hit.center.is_finite();
                assert!(is_number && hit.normal.is_normalized(), "{} {volume:?} {direction} {hit:?}", shape.name());
            }
        }
    }
}

/// Any shape, bare or placed, and volumes from the start inside to far away: no number is a NaN.
fn contacts_are_numbers<V: World>(seed: u64, units: &[i32]) {
    let mut counts = [0; 2];
    for (round, &unit) in (0..40).flat_map(|round| units.iter().map(move |unit| (round, unit))) {
        for kind in 0..V::KINDS {
            let mut rng = Rng::for_stream(seed, (round * V::KINDS + kind) as u64);
            let draw = Draw::Times(unit);
            let Some(shape) = V::shape(kind, &mut rng, draw) else { continue };
            let translation = Transform::from_translation(rng.vector(draw)).unwrap();
            let shape = Instance::<V>::new(shape);
            let shape = if round % 2 == 0 { shape } else { shape.with_transform(translation) };
            let (at, half): (V, V) = (rng.vector(draw), rng.vector(draw));
            let half = half.map(|x| if x < V::Scalar::ZERO { -x } else { x });
            let radius = draw.size::<V::Scalar>(&mut rng);
            let (Ok(cuboid), Ok(capsule)) = (Cuboid::new(at, half), Capsule::new(at, at + half, radius)) else {
                continue;
            };
            let Some(Ok(oriented)) = rng.basis(Draw::Ordinary).map(|basis| OrientedBox::new(at, half, basis)) else {
                continue;
            };
            let volumes: [Volume<V>; 3] = [cuboid.into(), capsule.into(), oriented.into()];
            // Of the size of the shapes, of the length 1, and along an axis.
            let mut axis = [V::Scalar::ZERO; 3];
            axis[round % V::DIM] = V::Scalar::ONE;
            for direction in [rng.vector::<V>(draw), rng.in_cube(), V::from_xyz(axis)] {
                for volume in &volumes {
                    let Some(hit) = shape.cast_volume(volume, direction, ..) else { continue };
                    counts[usize::from(hit.depth.is_some())] += 1;
                    let vectors = [hit.point, hit.center, hit.normal].map(Vector::to_xyz);
                    let numbers = vectors.as_flattened().iter().chain([&hit.t, &hit.distance]).chain(&hit.depth);
                    let is_number = numbers.clone().all(|x| !x.to_f64().is_nan());
                    assert!(is_number, "2^{unit} {shape:?} {volume:?} {direction:?} {hit:?}");
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn no_contact_of_a_volume_has_a_nan() {
    contacts_are_numbers::<DVec3>(1, &[-1000, -300, 0, 267, 500, 960]);
    contacts_are_numbers::<DVec2>(2, &[-1000, -300, 0, 267, 500, 960]);
    contacts_are_numbers::<Vec3>(3, &[-140, -60, 60, 120]);
    contacts_are_numbers::<Vec2>(4, &[-140, -60, 60, 120]);
}

fn inside_by<V: Vector3>(shapes: &[&dyn Shape<V>], least: f64) {
    for exponent in 1..320 {
        let depth = V::Scalar::from_f64(10f64.powi(-exponent));
        if depth.to_f64() < least {
            break;
        }
        for shape in shapes {
            let signed = |x: V::Scalar| shape.signed_distance(V::from_xyz([x, V::Scalar::ZERO, V::Scalar::ZERO]));
            let (inside, outside) = (signed(depth), signed(-depth));
            assert!(inside.is_some_and(|x| x < V::Scalar::ZERO), "{} {depth} {inside:?}", shape.name());
            assert!(outside.is_some_and(|x| x > V::Scalar::ZERO), "{} {depth} {outside:?}", shape.name());
            assert_eq!(signed(V::Scalar::ZERO), Some(V::Scalar::ZERO), "{}", shape.name());
        }
    }
}

/// Strictly inside the distance is negative, and outside it is positive, however near the surface is.
#[test]
fn the_sign_is_that_of_the_side_at_any_depth() {
    use hitscan::HalfSpace;
    macro_rules! shapes {
        ($v:ty) => {
            inside_by::<$v>(
                &[
                    &Cuboid::new(<$v>::X, <$v>::ONE).unwrap(),
                    &OrientedBox::new(<$v>::X, <$v>::ONE, hitscan::Basis::identity()).unwrap(),
                    &Sphere::new(<$v>::X, 1.0).unwrap(),
                    &Capsule::new(<$v>::X - <$v>::Y, <$v>::X + <$v>::Y, 1.0).unwrap(),
                    &Cylinder::new(<$v>::X - <$v>::Y, <$v>::X + <$v>::Y, 1.0).unwrap(),
                    &Ellipsoid::new(<$v>::X, <$v>::ONE).unwrap(),
                    &HalfSpace::new(<$v>::ZERO, -<$v>::X).unwrap(),
                    &Instance::<$v>::new(Cuboid::new(<$v>::X, <$v>::ONE).unwrap())
                        .with_transform(Transform::identity().with_scale(<$v>::new(1.0, 2.0, 3.0)).unwrap()),
                ],
                if size_of::<$v>() == 12 { 1e-40 } else { 1e-305 },
            );
        };
    }
    shapes!(DVec3);
    shapes!(Vec3);
}
