//! Closest points, distances and signed distances.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Feature, Frustum, HalfSpace, OrientedBox,
    Plane, PointQuery, Quad, Rectangle, SegmentShape, Shape, Sphere, TaperedCapsule, Triangle, Triangle2,
};
use hitscan::{Real, Vector, Vector2, Vector3};

pub(crate) type P = [f64; 3];

pub(crate) fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn times(a: P, k: f64) -> P {
    a.map(|x| x * k)
}

pub(crate) fn length(a: P) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn largest(points: &[P]) -> f64 {
    points.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// A shape with a signed distance by a textbook formula (Quilez, *Distance functions*), and the largest of its numbers.
struct Case<V: Vector> {
    name: &'static str,
    shape: Box<dyn Shape<V>>,
    signed_distance: Box<dyn Fn(P) -> f64>,
    largest: f64,
    aim: P,
}

fn case<V: Vector>(
    name: &'static str,
    shape: impl Shape<V> + 'static,
    numbers: &[P],
    signed_distance: impl Fn(P) -> f64 + 'static,
) -> Case<V> {
    let shape: Box<dyn Shape<V>> = Box::new(shape);
    Case { name, shape, signed_distance: Box::new(signed_distance), largest: largest(numbers), aim: numbers[0] }
}

pub(crate) fn box_distance(p: P, half: P, dimension: usize) -> f64 {
    let mut q = [0, 1, 2].map(|i| p[i].abs() - half[i]);
    if dimension == 2 {
        q[2] = f64::NEG_INFINITY;
    }
    length(q.map(|x| x.max(0.0))) + q[0].max(q[1]).max(q[2]).min(0.0)
}

fn segment_distance(p: P, a: P, b: P) -> f64 {
    let (pa, ba) = (sub(p, a), sub(b, a));
    let h = (dot(pa, ba) / dot(ba, ba)).clamp(0.0, 1.0);
    length(sub(pa, times(ba, if h.is_nan() { 0.0 } else { h })))
}

/// The least distance from a ball between two, less its radius: a convex function of the place between them.
fn tapered_distance(x: P, p: P, q: P, rp: f64, rq: f64) -> f64 {
    let axis = sub(q, p);
    let of = |share: f64| length(sub(sub(x, p), times(axis, share))) - (rp + (rq - rp) * share);
    let (u, w, growth) = (length(axis), sub(x, p), rq - rp);
    if u <= growth.abs() {
        return of(0.0).min(of(1.0));
    }
    // Where the normal of the side meets the axis.
    let (height, rho) = (dot(w, axis) / u, length(cross(w, axis)) / u);
    let slope = growth / ((u - growth) * (u + growth)).sqrt();
    of(((height + rho * slope) / u).clamp(0.0, 1.0))
}

fn capped_cone_distance(p: P, a: P, b: P, ra: f64, rb: f64) -> f64 {
    let height = length(sub(b, a));
    let up = dot(sub(p, a), times(sub(b, a), 1.0 / height));
    let across = length(cross(sub(p, a), sub(b, a))) / height;
    let (foot, at) = ([across, up, 0.0], |x: f64, y: f64| [x, y, 0.0]);
    let distance = [(at(0.0, 0.0), at(ra, 0.0)), (at(ra, 0.0), at(rb, height)), (at(rb, height), at(0.0, height))]
        .into_iter()
        .map(|(from, to)| segment_distance(foot, from, to))
        .fold(f64::INFINITY, f64::min);
    let is_inside = up >= 0.0 && up <= height && across <= ra + (rb - ra) * up / height;
    if is_inside { -distance } else { distance }
}

fn polygon_distance(p: P, v: &[P]) -> f64 {
    let (mut distance, mut inside) = (f64::INFINITY, true);
    for (i, &a) in v.iter().enumerate() {
        let b = v[(i + 1) % v.len()];
        distance = distance.min(segment_distance(p, a, b));
        inside &= cross(sub(b, a), sub(p, a))[2] >= 0.0;
    }
    if inside { -distance } else { distance }
}

/// Ericson, Real-Time Collision Detection, 5.1.5, with Quilez' form of the inside test.
pub(crate) fn triangle_distance(p: P, [a, b, c]: [P; 3]) -> f64 {
    let n = cross(sub(b, a), sub(c, a));
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| dot(cross(sub(e, s), n), sub(p, s)) <= 0.0);
    if inside {
        return dot(n, sub(p, a)).abs() / length(n);
    }
    segment_distance(p, a, b).min(segment_distance(p, b, c)).min(segment_distance(p, c, a))
}

pub(crate) fn xyz<V: Vector>(v: V) -> P {
    v.to_xyz().map(Real::to_f64)
}

fn flat_cases<V: Vector2>(rng: &mut Rng, draw: Draw) -> Vec<Case<V>> {
    let mut v = || rng.vector::<V>(draw);
    let (a, b, c, d) = (v(), v(), v(), v());
    let [p, q, r, s] = [a, b, c, d].map(xyz);
    let size = V::from_xyz([draw.size(rng), draw.size(rng), V::Scalar::ZERO]);
    let (radius, half) = (draw.size::<V::Scalar>(rng), xyz(size));
    let rf = radius.to_f64();
    let mut cases = Vec::new();
    cases.extend(
        Circle::new(a, radius).map(|shape| case("circle", shape, &[p, [rf; 3]], move |x| length(sub(x, p)) - rf)),
    );
    cases.extend(
        Rectangle::new(a, size)
            .map(|shape| case("rectangle", shape, &[p, half], move |x| box_distance(sub(x, p), half, 2))),
    );
    cases.extend(
        SegmentShape::new(a, b).map(|shape| case("segment", shape, &[p, q], move |x| segment_distance(x, p, q))),
    );
    cases.extend(
        Capsule::new(a, b, radius)
            .map(|shape| case("stadium", shape, &[p, q, [rf; 3]], move |x| segment_distance(x, p, q) - rf)),
    );
    cases.extend(Triangle2::new(a, b, c).map(|shape| {
        let corners = shape.vertices().map(xyz);
        case("triangle", shape, &[p, q, r], move |x| polygon_distance(x, &corners))
    }));
    cases.extend(ConvexPolygon::new([a, b, c, d]).map(|shape| {
        let corners: Vec<P> = shape.vertices().iter().map(|&v| xyz(v)).collect();
        case("polygon", shape, &[p, q, r, s], move |x| polygon_distance(x, &corners))
    }));
    cases.extend(Plane::new(a, b).map(|shape| case("line", shape, &[p], move |x| dot(q, sub(x, p)).abs() / length(q))));
    cases
}

fn solid_cases<V: Vector3>(rng: &mut Rng, draw: Draw) -> Vec<Case<V>> {
    let mut v = || rng.vector::<V>(draw);
    let (a, b, c) = (v(), v(), v());
    let [p, q, r] = [a, b, c].map(xyz);
    let size = V::from_xyz([draw.size(rng), draw.size(rng), draw.size(rng)]);
    let (radius, other, half) = (draw.size::<V::Scalar>(rng), draw.size::<V::Scalar>(rng), xyz(size));
    let (rf, sf) = (radius.to_f64(), other.to_f64());
    let radii = [rf, sf, 0.0];
    let mut cases = Vec::new();
    cases.extend(
        Sphere::new(a, radius).map(|shape| case("sphere", shape, &[p, radii], move |x| length(sub(x, p)) - rf)),
    );
    cases.extend(
        HalfSpace::new(a, b).map(|shape| case("half-space", shape, &[p], move |x| dot(q, sub(x, p)) / length(q))),
    );
    cases
        .extend(Plane::new(a, b).map(|shape| case("plane", shape, &[p], move |x| dot(q, sub(x, p)).abs() / length(q))));
    cases.extend(Disk::new(a, b, radius).map(|shape| {
        case("disk", shape, &[p, radii], move |x| {
            let up = dot(q, sub(x, p)) / length(q);
            let across = length(cross(q, sub(x, p))) / length(q);
            up.hypot((across - rf).max(0.0))
        })
    }));
    cases.extend(
        Cuboid::new(a, size).map(|shape| case("box", shape, &[p, half], move |x| box_distance(sub(x, p), half, 3))),
    );
    if let Some(basis) = rng.basis::<V>(draw) {
        let axes: Vec<P> = basis.axes().iter().map(|&v| xyz(v)).collect();
        cases.extend(OrientedBox::new(a, size, basis).map(|shape| {
            case("oriented box", shape, &[p, half], move |x| {
                let o = sub(x, p);
                // The axes are of length 1 up to rounding, of which the tolerance knows.
                box_distance([0, 1, 2].map(|i| dot(axes[i], o) / length(axes[i])), half, 3)
            })
        }));
    }
    cases.extend(
        Capsule::new(a, b, radius)
            .map(|shape| case("capsule", shape, &[p, q, radii], move |x| segment_distance(x, p, q) - rf)),
    );
    cases.extend(
        TaperedCapsule::new(a, b, radius, other)
            .map(|shape| case("tapered capsule", shape, &[p, q, radii], move |x| tapered_distance(x, p, q, rf, sf))),
    );
    cases.extend(
        Cylinder::new(a, b, radius)
            .map(|shape| case("cylinder", shape, &[p, q, radii], move |x| capped_cone_distance(x, p, q, rf, rf))),
    );
    cases.extend(
        Cone::new(a, b, radius)
            .map(|shape| case("cone", shape, &[p, q, radii], move |x| capped_cone_distance(x, p, q, rf, 0.0))),
    );
    cases.extend(
        Frustum::new(a, b, radius, other)
            .map(|shape| case("frustum", shape, &[p, q, radii], move |x| capped_cone_distance(x, p, q, rf, sf))),
    );
    cases.extend(
        Triangle::new(a, b, c)
            .map(|shape| case("triangle", shape, &[p, q, r], move |x| triangle_distance(x, [p, q, r]))),
    );
    cases
}

/// The error of a distance, and of the place of the closest point, in units in the last place of the largest number.
fn check<V: Vector>(case: &Case<V>, point: V) -> f64 {
    let what = || format!("{} {point:?}", case.name);
    let found = case.shape.closest_point(point).unwrap_or_else(|| panic!("nothing: {}", what()));
    let (x, q, distance) = (xyz(point), xyz(found.point), found.distance.to_f64());
    let expected = (case.signed_distance)(x);
    let unit = case.largest.max(largest(&[x])) * V::Scalar::EPSILON.to_f64();
    let signed = case.shape.signed_distance(point).unwrap_or_else(|| panic!("no sign: {}", what())).to_f64();
    // A distance that rounds to zero keeps its side, as the least number.
    let least = V::Scalar::ZERO.next_up().to_f64();
    assert!(signed.abs() == distance || distance == 0.0 && signed.abs() == least, "{}", what());
    assert_eq!(signed < 0.0, case.shape.contains(point) && signed != 0.0, "{}", what());
    assert!((signed == 0.0) <= signed.is_sign_positive(), "minus zero: {}", what());
    assert_eq!(case.shape.distance(point), Some(found.distance));
    assert_eq!(case.shape.closest_point_within(point, found.distance), Some(found), "{}", what());
    if distance > 0.0 {
        assert_eq!(case.shape.closest_point_within(point, found.distance.next_down()), None, "{}", what());
    }
    let errors = [distance - expected.abs(), length(sub(x, q)) - distance, (case.signed_distance)(q)];
    let worst = errors.iter().map(|error| error.abs() / unit).fold(0.0, f64::max);
    // The textbook has its own rounding errors: in `f64` those are what the test sees.
    let bound = if V::Scalar::EPSILON.to_f64() == f64::EPSILON { 8.0 } else { 4.0 };
    assert!(worst <= bound, "{} ulp: {:?} {} expected {expected} {found:?}", worst, errors.map(|e| e / unit), what());
    worst
}

fn points<V: Vector>(rng: &mut Rng, case: &Case<V>, draw: Draw) -> Vec<V> {
    let near = V::from_xyz(case.aim.map(V::Scalar::from_f64));
    let bounds = case.shape.aabb();
    let far = rng.vector::<V>(draw);
    let far = far.map(|x| x * V::Scalar::from_f64(1000.0));
    vec![rng.vector(draw), rng.point_in(&bounds), rng.point_in(&bounds), near, near + rng.vector(Draw::Ordinary), far]
}

/// Textbook formulas in `f64` have enough digits to measure `f32`.
#[test]
fn distances_are_those_of_the_textbook() {
    let mut rng = Rng::new(1);
    let mut worst = std::collections::BTreeMap::<String, f64>::new();
    let mut note = |name: &str, precision: &str, error: f64| {
        let most = worst.entry(format!("{precision} {name}")).or_default();
        *most = most.max(error);
    };
    for round in 0..2000 {
        let draw = [Draw::Ordinary, Draw::Lattice, Draw::Ordinary, Draw::Scales][round % 4];
        for case in solid_cases::<Vec3>(&mut rng, draw) {
            points(&mut rng, &case, draw).into_iter().for_each(|point| note(case.name, "f32", check(&case, point)));
        }
        for case in flat_cases::<Vec2>(&mut rng, draw) {
            points(&mut rng, &case, draw).into_iter().for_each(|point| note(case.name, "f32", check(&case, point)));
        }
        let draw = if draw == Draw::Scales { Draw::Ordinary } else { draw };
        for case in solid_cases::<DVec3>(&mut rng, draw) {
            points(&mut rng, &case, draw).into_iter().for_each(|point| note(case.name, "f64", check(&case, point)));
        }
        for case in flat_cases::<DVec2>(&mut rng, draw) {
            points(&mut rng, &case, draw).into_iter().for_each(|point| note(case.name, "f64", check(&case, point)));
        }
    }
    println!("{worst:#?}");
}

/// The closest point of an ellipsoid: on it, in the direction of the normal, and no farther than any of many points of it.
fn check_ellipsoid<V: Vector>(rng: &mut Rng, round: usize) -> f64 {
    let draw = [Draw::Ordinary, Draw::Lattice][round % 2];
    let mut radius = || match round % 5 {
        0 => V::Scalar::from_f64(rng.decades(-4.0, 4.0)),
        _ => draw.size(rng),
    };
    let sizes = V::from_xyz([radius(), radius(), radius()]);
    let (center, Some(basis)) = (rng.vector::<V>(draw), rng.basis::<V>(draw)) else { return 0.0 };
    let Ok(shape) = Ellipsoid::with_basis(center, sizes, basis) else { return 0.0 };
    let axes: Vec<P> = basis.axes().iter().map(|&axis| xyz(axis)).collect();
    let (c, r) = (xyz(center), xyz(sizes));
    let mut worst = 0.0f64;
    let beside = center + rng.vector::<V>(draw).zip(sizes, |x, r| x * r);
    for point in [rng.vector(draw), center, beside, center + rng.vector(Draw::Lattice), rng.point_in(&shape.aabb())] {
        let found = shape.closest_point(point).unwrap();
        let (x, q, distance) = (xyz(point), xyz(found.point), found.distance.to_f64());
        let o = sub(q, c);
        let (mut excess, mut gradient) = (-1.0, [0.0; 3]);
        for (axis, r) in axes.iter().zip(r) {
            let share = dot(*axis, o) / r;
            excess += share * share;
            gradient = [0, 1, 2].map(|i| gradient[i] + 2.0 * share / r * axis[i]);
        }
        let unit = largest(&[c, r, x]) * V::Scalar::EPSILON.to_f64();
        let errors = [excess / length(gradient), length(sub(x, q)) - distance];
        let error = errors.iter().map(|error| error.abs() / unit).fold(0.0, f64::max);
        assert!(error <= 4.0, "{errors:?} in {error} ulp: {shape:?} {point:?} {found:?}");
        worst = worst.max(error);
        let signed = shape.signed_distance(point).unwrap().to_f64();
        assert_eq!((signed.abs(), signed < 0.0), (distance, shape.contains(point) && distance > 0.0));
        for _ in 0..200 {
            let direction = rng.direction(V::DIM);
            let mut on = c;
            for (i, axis) in axes.iter().enumerate() {
                on = [0, 1, 2].map(|k| on[k] + axis[k] * direction[i] * r[i]);
            }
            // Axes are orthonormal within 16 roundings.
            assert!(distance <= length(sub(x, on)) + 20.0 * unit, "{shape:?} {point:?} {found:?} but {on:?}");
        }
    }
    worst
}

#[test]
fn ellipsoids_have_no_closer_point() {
    let mut rng = Rng::new(2);
    let mut worst = [0.0f64; 4];
    for round in 0..1500 {
        worst[0] = worst[0].max(check_ellipsoid::<Vec3>(&mut rng, round));
        worst[1] = worst[1].max(check_ellipsoid::<DVec3>(&mut rng, round));
        worst[2] = worst[2].max(check_ellipsoid::<Vec2>(&mut rng, round));
        worst[3] = worst[3].max(check_ellipsoid::<DVec2>(&mut rng, round));
    }
    println!("{worst:?}");
}

/// The same shape and point in both precisions: the error of the point in `f32`, in units in the last place of the largest number.
fn point_error(single: &impl Shape<Vec3>, double: &impl Shape<DVec3>, point: Vec3) -> f64 {
    let (found, expected) = (single.closest_point(point).unwrap(), double.closest_point(point.as_dvec3()).unwrap());
    let unit = f64::from(f32::EPSILON * point.abs().max_element().max(1.0));
    (found.point.as_dvec3() - expected.point).abs().max_element() / unit
}

/// Points in `f32` are those of `f64`, rounded, but where two points are equally close within the rounding.
#[test]
fn points_have_all_digits() {
    let mut rng = Rng::new(11);
    let mut worst = [0.0f64; 9];
    for _ in 0..5000 {
        let mut v = || rng.in_cube::<Vec3>();
        let (a, b, c, half, point) = (v(), v(), v(), v().abs(), v() * 2.0);
        let (r, s) = (half.x, half.y);
        let [da, db, dc, dhalf] = [a, b, c, half].map(Vec3::as_dvec3);
        let (dr, ds) = (f64::from(r), f64::from(s));
        let errors = [
            point_error(&Sphere::new(a, r).unwrap(), &Sphere::new(da, dr).unwrap(), point),
            point_error(&Capsule::new(a, b, r).unwrap(), &Capsule::new(da, db, dr).unwrap(), point),
            point_error(
                &TaperedCapsule::new(a, b, r, s).unwrap(),
                &TaperedCapsule::new(da, db, dr, ds).unwrap(),
                point,
            ),
            point_error(&Frustum::new(a, b, r, s).unwrap(), &Frustum::new(da, db, dr, ds).unwrap(), point),
            point_error(&Disk::new(a, b, r).unwrap(), &Disk::new(da, db, dr).unwrap(), point),
            point_error(&Triangle::new(a, b, c).unwrap(), &Triangle::new(da, db, dc).unwrap(), point),
            point_error(&Quad::new(a, b, c).unwrap(), &Quad::new(da, db, dc).unwrap(), point),
            point_error(&Cuboid::new(a, half).unwrap(), &Cuboid::new(da, dhalf).unwrap(), point),
            point_error(&Ellipsoid::new(a, half).unwrap(), &Ellipsoid::new(da, dhalf).unwrap(), point),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
    }
    println!("{worst:.3?}");
    // A rounding, and what `f64` lacks.
    assert!(worst.iter().all(|worst| *worst <= 0.501), "{worst:?}");
}

/// A point far inside a flat ellipsoid, on its long axis: the closest points are off the axis.
///
/// ```text
///        ___-----___
///      /    p   c    \     for y = 0 and |x| < (a^2 - b^2) / a the closest point is at x = a^2 x / (a^2 - b^2)
///        ---_____---
/// ```
#[test]
fn the_long_axis_of_an_ellipse_has_a_gap() {
    let ellipse = Ellipsoid::new(DVec2::ZERO, DVec2::new(5.0, 4.0)).unwrap();
    let found = ellipse.closest_point(DVec2::new(0.9, 0.0)).unwrap();
    assert_eq!(found.point, DVec2::new(2.5, 12f64.sqrt()));
    let found = ellipse.closest_point(DVec2::new(-0.9, -0.0)).unwrap();
    assert_eq!(found.point, DVec2::new(-2.5, 12f64.sqrt()));
    let found = ellipse.closest_point(DVec2::new(1.8, 0.0)).unwrap();
    assert_eq!((found.point, found.distance), (DVec2::new(5.0, 0.0), 3.2));
    let ball = Ellipsoid::new(Vec3::ZERO, Vec3::ONE).unwrap();
    assert_eq!(ball.closest_point(Vec3::ZERO).unwrap().point, Vec3::X);
}

/// The same shapes in other units of length have the same answers, in these units.
fn scales<V: World>(power: i32) {
    let factor = V::Scalar::from_f64(f64::from(power).exp2());
    for kind in 0..V::KINDS {
        for seed in 0..60 {
            let [one, other] = [0, power].map(|power| {
                let (mut rng, draw) = (Rng::for_stream(seed, kind as u64), Draw::Times(power));
                let shape = V::shape(kind, &mut rng, draw)?;
                let points: [V; 3] = [0; 3].map(|_| rng.vector(draw));
                Some(
                    points
                        .map(|point| (shape.closest_point(point), shape.signed_distance(point), format!("{shape:?}"))),
                )
            });
            for ((found, signed, shape), (scaled, signed_scaled, _)) in
                one.into_iter().flatten().zip(other.into_iter().flatten())
            {
                let expected = found.map(|found| {
                    let mut found = found;
                    (found.point, found.distance) = (found.point * factor, found.distance * factor);
                    found
                });
                assert_eq!((scaled, signed_scaled), (expected, signed.map(|d| d * factor)), "{shape}");
            }
        }
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    for power in [-40, 40] {
        scales::<Vec2>(power);
        scales::<Vec3>(power);
    }
    // The test of the tetrahedra takes the product of three lengths.
    for power in [-300, 300] {
        scales::<DVec2>(power);
        scales::<DVec3>(power);
    }
}

/// Any numbers: no panic, no NaN, and an answer for every finite point.
fn total<V: World>(seed: u64) {
    let mut rng = Rng::new(seed);
    let mut count = 0;
    for round in 0..rounds(60_000) {
        let Some(shape) = V::shape(round % V::KINDS, &mut rng, Draw::Bits) else { continue };
        let point = rng.vector::<V>(Draw::Bits);
        let found = shape.closest_point(point);
        assert_eq!(found.is_some(), point.to_xyz().iter().all(|x| x.is_finite()), "{shape:?} {point:?}");
        let Some(found) = found else { continue };
        let is_number = found.point.to_xyz().iter().all(|x| !x.to_f64().is_nan());
        assert!(is_number && found.distance >= V::Scalar::ZERO, "{shape:?} {point:?} {found:?}");
        let weights = found.uv.into_iter().flatten().all(|w| V::Scalar::ZERO <= w && w <= V::Scalar::ONE);
        assert!(weights, "{shape:?} {point:?} {found:?}");
        let signed = shape.signed_distance(point).unwrap();
        let is_inside = shape.contains(point) && signed != V::Scalar::ZERO;
        assert_eq!(signed < V::Scalar::ZERO, is_inside, "{shape:?} {point:?} {found:?}");
        count += 1;
    }
    assert!(count > rounds(5000), "{count}");
}

#[test]
fn any_numbers_have_an_answer() {
    total::<Vec2>(3);
    total::<DVec2>(4);
    total::<Vec3>(5);
    total::<DVec3>(6);
}

#[test]
fn numbers_at_the_ends_of_the_range() {
    let max = f64::MAX;
    let ball = Sphere::new(DVec3::X * max, max).unwrap();
    let found = ball.closest_point(DVec3::X * -max).unwrap();
    assert_eq!((found.point, found.distance), (DVec3::ZERO, max));
    assert_eq!(ball.closest_point(DVec3::Y * max).unwrap().feature, Feature::Face(0));
    let far = ball.closest_point(DVec3::X * max).unwrap();
    assert_eq!((far.point.x, far.distance), (f64::INFINITY, max));
    let tiny = f64::from_bits(1);
    let capsule = Capsule::new(DVec3::ZERO, DVec3::X * tiny, tiny).unwrap();
    let found = capsule.closest_point(DVec3::Y * (3.0 * tiny)).unwrap();
    assert_eq!((found.point, found.distance), (DVec3::Y * tiny, 2.0 * tiny));
    // A shape that is small beside the distance still has its parts.
    let can = Cylinder::new(DVec3::ZERO, DVec3::Z, 1.0).unwrap();
    assert_eq!(feature(&can, DVec3::new(0.0, 0.0, 1e12)), Feature::Face(2));
    assert_eq!(feature(&can, DVec3::new(1e12, 0.0, -1e12)), Feature::Edge(0));
    // A direction with all digits, although the sphere is much larger.
    let wide = Sphere::new(DVec3::ZERO, 1e300).unwrap();
    assert_eq!(wide.closest_point(DVec3::Y * 1e-300).unwrap().point, DVec3::Y * 1e300);
}

fn feature<V: Vector>(shape: &impl PointQuery<V>, point: V) -> Feature {
    shape.closest_point(point).unwrap().feature
}

#[test]
fn features_have_their_numbers() {
    use Feature::{Edge, Face, Vertex};
    let v = DVec3::new;
    let cube = Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap();
    for (point, expected) in [
        (v(-2.0, 0.0, 0.0), Face(0)),
        (v(0.0, 2.0, 0.5), Face(3)),
        (v(0.0, 0.0, -0.9), Face(4)),
        (v(0.0, 0.0, 0.0), Face(1)),
        (v(0.5, 0.5, 0.0), Face(1)),
        (v(0.5, 2.0, -2.0), Edge(1)),
        (v(-2.0, 0.0, 1.0), Edge(4 + 2)),
        (v(2.0, -2.0, 0.0), Edge(8 + 1)),
        (v(2.0, -1.0, 2.0), Vertex(5)),
    ] {
        assert_eq!(feature(&cube, point), expected, "{point}");
    }
    let square = Rectangle::new(DVec2::ZERO, DVec2::ONE).unwrap();
    assert_eq!(feature(&square, DVec2::new(0.0, -3.0)), Face(2));
    assert_eq!(feature(&square, DVec2::new(-3.0, 3.0)), Vertex(2));
    let can = Cylinder::new(DVec3::ZERO, DVec3::Z * 4.0, 1.0).unwrap();
    for (point, expected) in [
        (v(3.0, 0.0, 2.0), Face(0)),
        (v(0.1, 0.0, -2.0), Face(1)),
        (v(0.1, 0.0, 3.9), Face(2)),
        (v(3.0, 0.0, -2.0), Edge(0)),
        (v(3.0, 0.0, 4.0), Edge(1)),
    ] {
        assert_eq!(feature(&can, point), expected, "{point}");
    }
    assert_eq!(can.closest_point(v(0.0, 0.0, 2.0)).unwrap().point, v(1.0, 0.0, 2.0));
    let cone = Cone::new(DVec3::ZERO, DVec3::Z, 1.0).unwrap();
    assert_eq!(feature(&cone, v(0.0, 0.0, 3.0)), Vertex(0));
    assert_eq!(feature(&cone, v(3.0, 0.0, 0.0)), Edge(0));
    let upside_down = Frustum::new(DVec3::ZERO, DVec3::Z, 0.0, 1.0).unwrap();
    assert_eq!(feature(&upside_down, v(0.0, 0.0, -3.0)), Vertex(0));
    let capsule = Capsule::new(DVec3::ZERO, DVec3::Y, 0.5).unwrap();
    assert_eq!(
        [v(1.0, 0.5, 0.0), v(1.0, -1.0, 0.0), v(1.0, 1.0, 0.0)].map(|p| feature(&capsule, p)),
        [Face(0), Face(1), Face(2)]
    );
    assert_eq!(capsule.closest_point(v(0.0, 0.5, 0.0)).unwrap().point, v(0.5, 0.5, 0.0));
    // The side touches the balls at the heights -1.2 and 2; from the axis the closest point is across.
    let tapered = TaperedCapsule::new(DVec3::ZERO, DVec3::Y * 5.0, 2.0, 5.0).unwrap();
    assert_eq!(
        [v(9.6, -3.2, 0.0), v(1.0, -3.0, 0.0), v(1.0, 11.0, 0.0)].map(|p| feature(&tapered, p)),
        [Face(0), Face(1), Face(2)]
    );
    let found = tapered.closest_point(v(0.0, 1.25, 0.0)).unwrap();
    assert!((found.point - v(2.2, -0.4, 0.0)).length() < 1e-15 && (found.distance - 2.75).abs() < 1e-15, "{found:?}");
    let tip = TaperedCapsule::new(DVec3::ZERO, DVec3::Y * 5.0, 0.0, 3.0).unwrap();
    assert_eq!((feature(&tip, v(0.5, -2.0, 0.0)), feature(&tip, v(4.0, 1.0, 0.0))), (Vertex(0), Face(0)));
    let inner = TaperedCapsule::new(DVec3::ZERO, DVec3::Y, 1.0, 3.0).unwrap();
    assert_eq!(
        inner.closest_point(DVec3::Y).map(|found| (found.point, found.feature)),
        Some((v(3.0, 1.0, 0.0), Face(2)))
    );
    let disk = Disk::new(DVec3::ZERO, DVec3::Y, 2.0).unwrap();
    assert_eq!(
        [v(1.0, 3.0, 0.0), v(2.0, 3.0, 0.0), v(2.1, 3.0, 0.0)].map(|p| feature(&disk, p)),
        [Face(0), Face(0), Edge(0)]
    );
    let triangle = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y).unwrap();
    let of = |p: DVec3| triangle.closest_point(p).map(|found| (found.feature, found.uv)).unwrap();
    assert_eq!(of(v(0.25, 0.5, 7.0)), (Face(0), Some([0.25, 0.5])));
    assert_eq!(of(v(0.25, -0.5, 7.0)), (Edge(0), Some([0.25, 0.0])));
    assert_eq!(of(v(1.0, 1.0, 0.0)), (Edge(1), Some([0.5, 0.5])));
    assert_eq!(of(v(-1.0, 0.25, 0.0)), (Edge(2), Some([0.0, 0.25])));
    assert_eq!(
        [v(-1.0, -1.0, 0.0), v(3.0, 0.0, 0.0), v(0.0, 1.0, 0.0)].map(|p| of(p).0),
        [Vertex(0), Vertex(1), Vertex(2)]
    );
    let quad = Quad::new(DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 2.0).unwrap();
    let of = |p: DVec3| quad.closest_point(p).map(|found| (found.feature, found.uv, found.distance)).unwrap();
    assert_eq!(of(v(1.0, 1.5, -7.0)), (Face(0), Some([0.25, 0.75]), 7.0));
    assert_eq!(of(v(1.0, -3.0, 4.0)), (Edge(0), Some([0.25, 0.0]), 5.0));
    assert_eq!(of(v(5.0, 1.0, 0.0)), (Edge(1), Some([1.0, 0.5]), 1.0));
    assert_eq!(of(v(1.0, 3.0, 0.0)), (Edge(2), Some([0.25, 1.0]), 1.0));
    assert_eq!(of(v(-2.0, 1.0, 0.0)), (Edge(3), Some([0.0, 0.5]), 2.0));
    let corners = [v(-1.0, -1.0, 0.0), v(5.0, 0.0, 0.0), v(5.0, 5.0, 1.0), v(0.0, 3.0, 0.0)].map(|p| of(p).0);
    assert_eq!(corners, [Vertex(0), Vertex(1), Vertex(2), Vertex(3)]);
    let polygon = ConvexPolygon::new([DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y]).unwrap();
    assert_eq!(feature(&polygon, DVec2::new(0.5, 0.5)), Face(0));
    assert_eq!(feature(&polygon, DVec2::new(-1.0, 0.5)), Face(3));
    assert_eq!(feature(&polygon, DVec2::new(-1.0, 1.5)), Vertex(3));
    let segment = SegmentShape::new(DVec2::ZERO, DVec2::X).unwrap();
    let found = segment.closest_point(DVec2::new(0.25, 1.0)).unwrap();
    assert_eq!((found.feature, found.uv), (Face(0), Some([0.25, 0.0])));
    assert_eq!(feature(&segment, DVec2::new(2.0, 1.0)), Vertex(1));
}

#[test]
fn what_is_no_point_or_no_distance_finds_nothing() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let point = Vec3::new(0.0, bad, 0.0);
        assert!(ball.closest_point(point).is_none() && ball.signed_distance(point).is_none());
    }
    assert!(ball.closest_point_within(Vec3::X, -0.5).is_none());
    assert!(ball.closest_point_within(Vec3::X, f32::NAN).is_none());
    assert_eq!(ball.closest_point_within(Vec3::X, -0.0).map(|found| found.distance), Some(0.0));
    assert_eq!(ball.signed_distance(Vec3::X).map(f32::to_bits), Some(0));
}
