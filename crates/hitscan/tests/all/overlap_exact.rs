//! Overlaps on a lattice, against whole-number arithmetic with methods of its own: clipping, and squared distances as fractions.

use crate::support::Rng;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, AnyShape3, Capsule, Cuboid, HalfSpace, Instance, OverlapQuery, Plane, Real, Rectangle, SegmentShape, Space,
    Sphere, Transform, Triangle, Triangle2, Vector, Vector2, Vector3, Volume,
};

type Int = [i128; 3];

fn minus(a: Int, b: Int) -> Int {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: Int, b: Int) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Int, b: Int) -> Int {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn vector<V: Vector>(p: Int) -> V {
    V::from_xyz(p.map(|x| V::Scalar::from_f64(x as f64)))
}

fn point(rng: &mut Rng, dimension: usize) -> Int {
    let z = if dimension == 3 { rng.int(-3, 3) } else { 0 };
    [rng.int(-3, 3), rng.int(-3, 3), z].map(i128::from)
}

fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { divisor(b, a % b) }
}

/// A half-space `normal . p <= offset`.
type Half = (Int, i128);

/// Whether a flat convex polygon, by homogeneous vertices, has a point in common with some half-spaces: it is clipped.
fn meets(polygon: &[Int], halves: &[Half]) -> bool {
    let mut rest: Vec<[i128; 4]> = polygon.iter().map(|p| [p[0], p[1], p[2], 1]).collect();
    for (normal, offset) in halves {
        let height = |p: &[i128; 4]| dot(*normal, [p[0], p[1], p[2]]) - offset * p[3];
        let mut clipped = Vec::new();
        for i in 0..rest.len() {
            let (p, q) = (rest[i], rest[(i + 1) % rest.len()]);
            let (s, t) = (height(&p), height(&q));
            if s <= 0 {
                clipped.push(p);
            }
            if (s < 0 && t > 0) || (s > 0 && t < 0) {
                let sum = [0, 1, 2, 3].map(|i| p[i] * t.abs() + q[i] * s.abs());
                // Both heights are homogeneous: the weights of the points cancel.
                let common = sum.iter().fold(0, |d, x| divisor(d, *x)).max(1);
                clipped.push(sum.map(|x| x / common));
            }
        }
        rest = clipped;
    }
    !rest.is_empty()
}

/// The half-spaces of a triangle: its plane from both sides, and one for each edge.
fn of_triangle([a, b, c]: [Int; 3]) -> Vec<Half> {
    let n = cross(minus(b, a), minus(c, a));
    let mut halves = vec![(n, dot(n, a)), (n.map(|x| -x), -dot(n, a))];
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let out = cross(minus(q, p), n);
        halves.push((out, dot(out, p)));
    }
    halves
}

/// The half-spaces of the image of a box: center, half extents, and a matrix by its columns.
fn of_box(center: Int, half: Int, columns: [Int; 3]) -> Vec<Half> {
    let mut halves = Vec::new();
    for axis in 0..3 {
        let (u, v) = (columns[(axis + 1) % 3], columns[(axis + 2) % 3]);
        let n = cross(u, v);
        let extent = (dot(n, columns[axis]) * half[axis]).abs();
        halves.push((n, dot(n, center) + extent));
        halves.push((n.map(|x| -x), extent - dot(n, center)));
    }
    halves
}

const UNITS: [Int; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

fn triangles_and_boxes<V: Vector3 + Space>(seed: u64)
where
    AnyShape3<V>: Into<V::Shape>,
{
    let (mut rng, mut counts) = (Rng::new(seed), [[0; 2]; 5]);
    for _ in 0..6_000 {
        let mut p = || point(&mut rng, 3);
        let (corners, others, center, half) = ([p(), p(), p()], [p(), p(), p()], p(), p().map(i128::abs));
        let triangle = |[a, b, c]: [Int; 3]| Triangle::<V>::new(vector(a), vector(b), vector(c));
        let (Ok(first), Ok(second)) = (triangle(corners), triangle(others)) else { continue };
        let mut check = |case: usize, found: bool, expected: bool| {
            assert_eq!(found, expected, "{case}: {corners:?} {others:?} {center:?} {half:?}");
            counts[case][usize::from(found)] += 1;
        };
        let expected = meets(&corners, &of_triangle(others));
        assert_eq!(expected, meets(&others, &of_triangle(corners)), "{corners:?} {others:?}");
        check(0, first.overlaps(second), expected);

        let cuboid = Cuboid::<V>::new(vector(center), vector(half)).unwrap();
        let expected = meets(&corners, &of_box(center, half, UNITS));
        check(1, cuboid.overlaps(first), expected);
        assert_eq!(first.overlaps(cuboid), expected);
        let bounds =
            Aabb { min: vector::<V>(minus(center, half)), max: vector::<V>([0, 1, 2].map(|i| center[i] + half[i])) };
        assert_eq!(first.overlaps(bounds), expected, "{corners:?} {center:?} {half:?}");

        // The image of a box under an affine map, and a triangle under its inverse image.
        let shear = [[1, 1, 0], [0, 2, -1], [1, 0, 1]];
        let transform = Transform::new(shear.map(vector::<V>), vector::<V>(others[0])).unwrap();
        let placed = Instance::<V>::new(AnyShape3::from(cuboid).into()).with_transform(transform);
        let image = |p: Int| [0, 1, 2].map(|i| others[0][i] + (0..3).map(|j| shear[j][i] * p[j]).sum::<i128>());
        check(2, placed.overlaps(first), meets(&corners, &of_box(image(center), half, shear)));

        let normal = minus(others[1], others[0]);
        let offset = dot(normal, others[2]);
        if normal != [0; 3] {
            let ground = HalfSpace::new(vector::<V>(others[2]), vector(normal)).unwrap();
            check(3, ground.overlaps(first), meets(&corners, &[(normal, offset)]));
            let plane = Plane::new(vector::<V>(others[2]), vector(normal)).unwrap();
            let both = [(normal, offset), (normal.map(|x| -x), -offset)];
            check(4, plane.overlaps(first), meets(&corners, &both));
        }
    }
    assert!(counts.iter().all(|[no, yes]| *no > 300 && *yes > 300), "{counts:?}");
}

#[test]
fn triangles_and_boxes_overlap_as_whole_numbers_say() {
    triangles_and_boxes::<Vec3>(1);
    triangles_and_boxes::<DVec3>(2);
}

/// A squared distance: numerator and denominator.
type Fraction = (i128, i128);

fn least(a: Fraction, b: Fraction) -> Fraction {
    if b.0 * a.1 < a.0 * b.1 { b } else { a }
}

fn to_segment(p: Int, a: Int, b: Int) -> Fraction {
    let (e, r) = (minus(b, a), minus(p, a));
    let (t, ee) = (dot(r, e), dot(e, e));
    if t <= 0 {
        return (dot(r, r), 1);
    }
    if t >= ee {
        return (dot(minus(p, b), minus(p, b)), 1);
    }
    let moment = cross(r, e);
    (dot(moment, moment), ee)
}

fn to_triangle(p: Int, [a, b, c]: [Int; 3]) -> Fraction {
    let edges = least(least(to_segment(p, a, b), to_segment(p, b, c)), to_segment(p, c, a));
    let n = cross(minus(b, a), minus(c, a));
    let is_above = [(a, b), (b, c), (c, a)].iter().all(|(p0, p1)| dot(cross(n, minus(*p1, *p0)), minus(p, *p0)) >= 0);
    let height = dot(n, minus(p, a));
    if is_above { (height * height, dot(n, n)) } else { edges }
}

/// Squared distance of two segments.
fn of_segments([a, b]: [Int; 2], [c, d]: [Int; 2]) -> Fraction {
    let ends = least(least(to_segment(a, c, d), to_segment(b, c, d)), least(to_segment(c, a, b), to_segment(d, a, b)));
    let (e, f, r) = (minus(b, a), minus(d, c), minus(a, c));
    let (ee, ef, ff) = (dot(e, e), dot(e, f), dot(f, f));
    let determinant = ee * ff - ef * ef;
    let (s, t) = (ef * dot(f, r) - ff * dot(e, r), ee * dot(f, r) - ef * dot(e, r));
    if determinant == 0 || !(0..=determinant).contains(&s) || !(0..=determinant).contains(&t) {
        return ends;
    }
    let n = cross(e, f);
    let height = dot(n, r);
    least(ends, (height * height, dot(n, n)))
}

fn balls<V: Vector3>(seed: u64) {
    let (mut rng, mut counts) = (Rng::new(seed), [[0; 2]; 6]);
    for _ in 0..8_000 {
        let mut p = || point(&mut rng, 3);
        let (center, corners, half, other) = (p(), [p(), p(), p()], p().map(i128::abs), [p(), p()]);
        let (radius, thickness) = (i128::from(rng.int(1, 3)), i128::from(rng.int(1, 2)));
        let scalar = |x: i128| V::Scalar::from_f64(x as f64);
        let ball = Sphere::<V>::new(vector(center), scalar(radius)).unwrap();
        let mut check = |case: usize, found: bool, distance: Fraction, limit: i128| {
            let expected = distance.0 <= limit * limit * distance.1;
            assert_eq!(found, expected, "{case}: {center:?} {radius} {corners:?} {half:?} {other:?} {thickness}");
            counts[case][usize::from(found)] += 1;
        };
        let [a, b, c] = corners;
        let between = minus(center, a);
        check(
            0,
            Sphere::<V>::new(vector(a), scalar(thickness)).unwrap().overlaps(ball),
            (dot(between, between), 1),
            radius + thickness,
        );
        let cuboid = Cuboid::<V>::new(vector(a), vector(half)).unwrap();
        let outside = [0, 1, 2].map(|i| (between[i].abs() - half[i]).max(0));
        check(1, cuboid.overlaps(ball), (dot(outside, outside), 1), radius);
        assert_eq!(ball.overlaps(cuboid), cuboid.overlaps(ball));
        let capsule = Capsule::<V>::new(vector(a), vector(b), scalar(thickness)).unwrap();
        check(2, capsule.overlaps(ball), to_segment(center, a, b), radius + thickness);
        assert_eq!(ball.overlaps(capsule), capsule.overlaps(ball));
        let second = Capsule::<V>::new(vector(other[0]), vector(other[1]), scalar(radius)).unwrap();
        check(3, capsule.overlaps(second), of_segments([a, b], other), radius + thickness);
        if let Ok(triangle) = Triangle::<V>::new(vector(a), vector(b), vector(c)) {
            check(4, triangle.overlaps(ball), to_triangle(center, corners), radius);
            let n = cross(minus(b, a), minus(c, a));
            let plane = Plane::new(vector::<V>(a), vector(n)).unwrap();
            let height = dot(n, between);
            check(5, plane.overlaps(ball), (height * height, dot(n, n)), radius);
            let ground = HalfSpace::new(vector::<V>(a), vector(n)).unwrap();
            check(5, ground.overlaps(ball), (if height < 0 { 0 } else { height * height }, dot(n, n)), radius);
        }
    }
    assert!(counts.iter().all(|[no, yes]| *no > 300 && *yes > 300), "{counts:?}");
}

#[test]
fn balls_and_capsules_overlap_as_whole_numbers_say() {
    balls::<Vec3>(3);
    balls::<DVec3>(4);
}

fn plane_figures<V: Vector2>(seed: u64) {
    let (mut rng, mut counts) = (Rng::new(seed), [[0; 2]; 4]);
    for _ in 0..6_000 {
        let mut p = || point(&mut rng, 2);
        let (corners, others, center, half) = ([p(), p(), p()], [p(), p(), p()], p(), p().map(i128::abs));
        let triangle = |c: [Int; 3]| Triangle2::<V>::new(vector(c[0]), vector(c[1]), vector(c[2]));
        let (Ok(first), Ok(second)) = (triangle(corners), triangle(others)) else { continue };
        let mut check = |case: usize, found: bool, expected: bool| {
            assert_eq!(found, expected, "{case}: {corners:?} {others:?} {center:?} {half:?}");
            counts[case][usize::from(found)] += 1;
        };
        check(0, first.overlaps(second), meets(&corners, &of_triangle(others)));
        let rectangle = Rectangle::<V>::new(vector(center), vector(half)).unwrap();
        let sides = of_box(center, half, UNITS);
        check(1, rectangle.overlaps(first), meets(&corners, &sides));
        if let Ok(segment) = SegmentShape::<V>::new(vector(others[0]), vector(others[1])) {
            check(2, segment.overlaps(first), meets(&others[..2], &of_triangle(corners)));
            assert_eq!(rectangle.overlaps(segment), meets(&others[..2], &sides));
        }
        let inside = meets(&[center], &of_triangle(corners));
        let (a, b, c) = (corners[0], corners[1], corners[2]);
        let edges = least(least(to_segment(center, a, b), to_segment(center, b, c)), to_segment(center, c, a));
        let circle = Sphere::<V>::new(vector(center), V::Scalar::ONE).unwrap();
        check(3, first.overlaps(circle), inside || edges.0 <= edges.1);
    }
    assert!(counts.iter().all(|[no, yes]| *no > 300 && *yes > 300), "{counts:?}");
}

#[test]
fn figures_of_the_plane_overlap_as_whole_numbers_say() {
    plane_figures::<Vec2>(5);
    plane_figures::<DVec2>(6);
}

/// Touching sets overlap; those that are one number apart do not.
///
/// ```text
///       +-----+
///       |     |   the ball of radius 5 around (3, 4, 0)
///       +-----o   touches the box at its corner or edge in the origin
/// ```
fn touching<V: Vector3>() {
    let v = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let s = V::Scalar::from_f64;
    let apart = |x: f64| s(x).next_down();
    let cuboid = Cuboid::new(v(-1.0, -1.0, 0.0), v(1.0, 1.0, 1.0)).unwrap();
    let triangle = Triangle::new(v(0.0, 0.0, 0.0), v(-3.0, -1.0, 0.0), v(-1.0, -3.0, 0.0)).unwrap();
    let ground = HalfSpace::new(v(0.0, 0.0, 0.0), v(3.0, 4.0, 0.0)).unwrap();
    let capsule = Capsule::new(v(0.0, 0.0, -5.0), v(0.0, 0.0, 5.0), s(2.0)).unwrap();
    for radius in [5.0, 25.0 / 5.0] {
        let ball = |radius| Sphere::new(v(3.0, 4.0, 0.0), radius).unwrap();
        assert!(cuboid.overlaps(ball(s(radius))) && !cuboid.overlaps(ball(apart(radius))));
        assert!(triangle.overlaps(ball(s(radius))) && !triangle.overlaps(ball(apart(radius))));
        assert!(ground.overlaps(ball(s(radius))) && !ground.overlaps(ball(apart(radius))));
        assert!(capsule.overlaps(ball(s(3.0))) && !capsule.overlaps(ball(apart(3.0))));
    }
    // The corner of a box on an edge of a triangle, and an edge of a box across the edge of a triangle.
    let slanted = |x: V::Scalar| {
        let [_, b, c] = [0.0; 3].map(s);
        Triangle::new(V::from_xyz([x, b, c]), V::from_xyz([s(0.0), x, c]), v(4.0, 4.0, 4.0)).unwrap()
    };
    let unit = Cuboid::new(v(0.5, 0.5, 0.0), v(0.5, 0.5, 0.5)).unwrap();
    assert!(unit.overlaps(slanted(s(2.0))) && !unit.overlaps(slanted(s(2.0).next_up())));
    assert!(slanted(s(2.0)).overlaps(unit) && !slanted(s(2.0).next_up()).overlaps(unit));
    // Coplanar triangles with a common corner, and one number apart.
    let flat =
        |x: V::Scalar| Triangle::new(V::from_xyz([x, s(0.0), s(0.0)]), v(3.0, 1.0, 0.0), v(3.0, -1.0, 0.0)).unwrap();
    assert!(triangle.overlaps(flat(s(0.0))) && !triangle.overlaps(flat(s(0.0).next_up())));
    // Boxes side by side, far from the origin.
    let far = |x: f64| Cuboid::new(v(x, 1e6, 1e6), v(0.5, 0.5, 0.5)).unwrap();
    assert!(far(1.0).overlaps(far(2.0)) && !far(1.0).overlaps(far(2.0625)));
    let volume = Volume::from(far(1.0));
    assert!(far(2.0).overlaps(&volume) && far(2.0).overlaps(volume));
}

#[test]
fn touching_is_overlapping() {
    touching::<Vec3>();
    touching::<DVec3>();
}
