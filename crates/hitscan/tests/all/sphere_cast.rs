//! Moving spheres: single shapes.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Capsule, Circle, ConvexPolygon, Cuboid, Disk, Ellipsoid, Faces, Feature, HalfSpace, Inside, Instance, NotMeasured,
    Plane, PointQuery, Query, RangedRay, Ray, Real, Rectangle, Segment, SegmentShape, Shape, Sphere, SweepHit,
    SweepQuery, Transform, Triangle, TriangleMesh, Vector, Vector2, Vector3,
};

/// A hit is where the signed distance is the radius for the first time, a miss where it never is.
fn check_against_distances<V: World>(seed: u64, rounds: usize) -> [usize; 3] {
    let eps = V::Scalar::EPSILON.to_f64();
    let mut counts = [0; 3];
    for round in 0..rounds {
        let mut rng = Rng::for_stream(seed, round as u64);
        let draw = rng.pick(&[Draw::Ordinary, Draw::Lattice]);
        let Some(shape) = V::shape(round % V::KINDS, &mut rng, draw) else { continue };
        let mut ray = rng.ray::<V>(draw, &shape.aabb());
        if rng.once_in(3) {
            // From afar, towards a point.
            let at = rng.point_in(&shape.aabb()) + rng.in_cube::<V>() * V::Scalar::from_f64(0.7);
            ray = Ray::new(ray.origin, at - ray.origin);
        }
        let radius = V::Scalar::from_f64(rng.pick(&[0.25, 0.5, 1.0, rng.clone().between(0.01, 2.0)]));
        let start = V::Scalar::from_f64(rng.pick(&[0.0, 0.0, 0.0, -1.0, 0.5]));
        let end = rng.pick(&[V::Scalar::from_f64(2.0), V::Scalar::from_f64(f64::from(f32::MAX))]);
        let query = Query::new().range(start, end);
        let found = shape.cast_sphere(&ray, radius, query);
        let (o, d, r) = (ray.origin.to_f64(), ray.direction.to_f64(), radius.to_f64());
        if o.iter().chain(&d).any(|x| !x.is_finite()) || d == [0.0; 3] {
            assert!(found.is_none());
            continue;
        }
        let point = |t: f64| V::from_xyz([0, 1, 2].map(|i| V::Scalar::from_f64(o[i] + t * d[i])));
        // A mesh is a surface.
        let is_mesh = shape.closest_point(point(0.0)).is_some_and(|found| found.primitive.is_some());
        let distance = |point: V| if is_mesh { shape.distance(point) } else { shape.signed_distance(point) };
        let gap = |t: f64| distance(point(t)).map_or(f64::NAN, |distance| distance.to_f64() - r);
        let size = |t: f64| {
            let box_size = shape.aabb().min.to_f64().into_iter().chain(shape.aabb().max.to_f64());
            let box_size = box_size.filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
            let way = o.iter().zip(d).fold(0.0, |most: f64, (o, d)| most.max(o.abs()).max((t * d).abs()));
            16.0 * eps * (box_size + way + r)
        };
        let case = format!("{shape:?} {ray:?} {radius} {query:?} {found:?}");
        let last = found.map_or(end.to_f64(), |hit| hit.t.to_f64()).min(1e4);
        for i in 0..40 {
            let t = start.to_f64() + (last - start.to_f64()) * f64::from(i) / 40.0 * (1.0 - 1e-12);
            let gap = gap(t);
            assert!(
                gap.is_nan() || gap > -size(t) || found.is_some_and(|hit| hit.depth.is_some()),
                "{gap} at {t}: {case}"
            );
        }
        let Some(hit) = found else {
            counts[0] += 1;
            // The distance of a convex shape is convex along the line.
            if is_mesh {
                continue;
            }
            let (mut low, mut high) = (start.to_f64(), last);
            for _ in 0..100 {
                let [a, b] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
                if gap(a) < gap(b) { high = b } else { low = a }
            }
            let least = gap((low + high) / 2.0);
            assert!(least.is_nan() || least > -size(last), "{least}: {case}");
            continue;
        };
        let t = hit.t.to_f64();
        assert!(start <= hit.t && hit.t <= end, "{case}");
        check_hit(&hit, &ray, radius, &case);
        let gap = gap(t);
        match hit.depth {
            Some(depth) => {
                counts[1] += 1;
                assert_eq!(hit.t, start, "{case}");
                assert!((gap.min(0.0) + depth.to_f64()).abs() <= size(t), "{gap} {case}");
            }
            None => {
                counts[2] += 1;
                assert!(gap.abs() <= size(t), "{gap} {} {case}", size(t));
            }
        }
        // Of a mesh, the triangles that the sphere does not touch at the start remain.
        if !is_mesh {
            let hollow = shape.cast_sphere(&ray, radius, query.inside(Inside::Hollow));
            assert_eq!(hollow, found.filter(|hit| hit.depth.is_none()), "{case}");
        }
    }
    counts
}

/// The parts of a hit agree.
fn check_hit<V: Vector>(hit: &SweepHit<V>, ray: &Ray<V>, radius: V::Scalar, case: &str) {
    let eps = V::Scalar::EPSILON.to_f64();
    let [o, d, center, point, normal] = [ray.origin, ray.direction, hit.center, hit.point, hit.normal].map(V::to_f64);
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let sub = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|i| a[i] - b[i]);
    let t = hit.t.to_f64();
    let largest = [o, center, point].as_flattened().iter().fold(radius.to_f64(), |most: f64, x| most.max(x.abs()));
    let step = largest + t.abs() * length(d);
    for i in 0..3 {
        assert!((o[i] + t * d[i] - center[i]).abs() <= 4.0 * eps * step, "{case}");
    }
    assert!((length(normal) - 1.0).abs() <= 4.0 * eps, "{case}");
    assert!((hit.distance.to_f64() - t * length(d)).abs() <= 4.0 * eps * t.abs() * length(d), "{case}");
    if hit.depth.is_none() {
        let way = sub(center, point);
        assert!((length(way) - radius.to_f64()).abs() <= 16.0 * eps * step, "{} {case}", length(way));
        for i in 0..3 {
            assert!((way[i] - normal[i] * radius.to_f64()).abs() <= 16.0 * eps * step, "{case}");
        }
    }
}

#[test]
fn hits_are_where_the_distance_is_the_radius() {
    for counts in [
        check_against_distances::<DVec3>(1, 6000),
        check_against_distances::<DVec2>(2, 6000),
        check_against_distances::<Vec3>(3, 6000),
        check_against_distances::<Vec2>(4, 6000),
    ] {
        println!("{counts:?}");
        assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
    }
}

/// The least number above or below.
fn beside<S: Real>(x: S) -> [S; 2] {
    [S::from_f64(x.to_f64() * (1.0 - S::EPSILON.to_f64())), S::from_f64(x.to_f64() * (1.0 + S::EPSILON.to_f64()))]
}

/// A sphere of this radius just touches; one that is smaller by a rounding does not.
fn touches<V: Vector>(shape: &dyn Shape<V>, ray: &Ray<V>, radius: V::Scalar, feature: Feature, what: &str) {
    let [smaller, larger] = beside(radius);
    let hit = shape.cast_sphere(ray, radius, ..).unwrap_or_else(|| panic!("{what} {ray:?} {radius}"));
    assert_eq!(hit.feature, feature, "{what} {ray:?} {hit:?}");
    assert!(shape.cast_sphere(ray, larger, ..).is_some(), "{what} {ray:?}");
    assert!(shape.cast_sphere(ray, smaller, ..).is_none(), "{what} {ray:?} {radius}");
    // The contact is the end of a closed range.
    assert_eq!(shape.cast_sphere(ray, radius, ..=hit.t).map(|hit| hit.t), Some(hit.t), "{what} {ray:?}");
}

/// A rotation times a whole number, and that number: whole numbers stay whole.
struct WholeRotation([[f64; 3]; 3], f64);

impl WholeRotation {
    /// From a quaternion of whole numbers.
    fn new(rng: &mut Rng) -> Self {
        loop {
            let [a, b, c, d] = [0; 4].map(|_| f64::from(rng.int(-3, 3)));
            let size = a * a + b * b + c * c + d * d;
            if size > 0.0 {
                return Self(
                    [
                        [a * a + b * b - c * c - d * d, 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)],
                        [2.0 * (b * c + a * d), a * a - b * b + c * c - d * d, 2.0 * (c * d - a * b)],
                        [2.0 * (b * d - a * c), 2.0 * (c * d + a * b), a * a - b * b - c * c + d * d],
                    ],
                    size,
                );
            }
        }
    }
    fn turn<V: Vector>(&self, [x, y, z]: [f64; 3]) -> V {
        V::from_xyz(self.0.map(|[a, b, c]| V::Scalar::from_f64(a * x + b * y + c * z)))
    }
    fn length<S: Real>(&self, x: f64) -> S {
        S::from_f64(x * self.1)
    }
}

/// ```text
///         ->  o        the sphere passes at a distance of its radius: above an edge, beside a
///     --------------   corner, along a face
/// ```
fn check_touching_in_space<V: Vector3>(seed: u64) {
    let mut rng = Rng::new(seed);
    for _ in 0..200 {
        let rotation = WholeRotation::new(&mut rng);
        let offset = [0; 3].map(|_| f64::from(rng.int(-9, 9)));
        let at = |x: f64, y: f64, z: f64| rotation.turn::<V>([x + offset[0], y + offset[1], z + offset[2]]);
        let length = |x: f64| rotation.length::<V::Scalar>(x);
        let along = |x: f64, y: f64, z: f64| Ray::new(at(x, y, z), rotation.turn::<V>([1.0, 0.0, 0.0]));
        let check = |shape: &dyn Shape<V>, ray: &Ray<V>, radius: f64, feature: Feature, what: &str| {
            touches(shape, ray, length(radius), feature, what);
        };
        let face = Feature::Face(0);
        let ball = Sphere::new(at(0.0, 0.0, 0.0), length(1.0)).unwrap();
        check(&ball, &along(-10.0, 3.0, 0.0), 2.0, face, "sphere");
        let capsule = Capsule::new(at(0.0, 0.0, -4.0), at(0.0, 0.0, 4.0), length(1.0)).unwrap();
        check(&capsule, &along(-10.0, 3.0, 1.0), 2.0, face, "side");
        check(&capsule, &along(-10.0, 0.0, 7.0), 2.0, Feature::Face(2), "end");
        let corners = [at(0.0, 0.0, -4.0), at(0.0, 0.0, 4.0), at(1.0, -6.0, 0.0)];
        let triangle = Triangle::new(corners[0], corners[1], corners[2]).unwrap();
        check(&triangle, &along(-10.0, 2.0, 1.0), 2.0, Feature::Edge(0), "edge");
        check(&triangle, &along(-10.0, 0.0, 6.0), 2.0, Feature::Vertex(1), "vertex");
        // On its way to the face the sphere passes the range that ends where it touches.
        let flat = [at(9.0, -9.0, 0.0), at(9.0, 9.0, 0.0), at(-9.0, 0.0, 0.0)];
        let mesh = TriangleMesh::new(flat.to_vec(), vec![[0, 1, 2]]).unwrap();
        let flat = Triangle::new(flat[0], flat[1], flat[2]).unwrap();
        let parallel = along(-3.0, 0.0, 2.0);
        for shape in [&flat as &dyn Shape<V>, &mesh] {
            let down = Ray::new(at(1.0, 1.0, 10.0), rotation.turn::<V>([0.0, 0.0, -1.0]));
            let (eight, query) = (V::Scalar::from_f64(8.0), Query::new());
            let hit = shape.cast_sphere(&down, length(2.0), ..).unwrap();
            assert_eq!((hit.t, hit.point, hit.feature), (eight, at(1.0, 1.0, 0.0), face));
            assert!(shape.cast_sphere(&down, length(2.0), ..=eight).is_some());
            assert!(shape.cast_sphere(&down, length(2.0), ..=beside(eight)[0]).is_none());
            assert_eq!(shape.cast_sphere(&down, length(2.0), query.faces(Faces::Front)).map(|hit| hit.t), Some(eight));
            assert!(shape.cast_sphere(&down, length(2.0), query.faces(Faces::Back)).is_none());
            // Parallel to the face, at the distance of the radius: touching from the start.
            let hit = shape.cast_sphere(&parallel, length(2.0), ..).unwrap();
            assert_eq!(hit.t, V::Scalar::ZERO);
            assert!(hit.depth.is_some_and(|depth| depth.to_f64() < 1e-12), "{hit:?}");
            assert!(shape.cast_sphere(&parallel, beside(length(2.0))[0], ..).is_none());
            let before = along(-30.0, 0.0, 2.0);
            touches(shape, &before, length(2.0), Feature::Vertex(2), "tip");
        }
        let plane = Plane::new(at(0.0, 0.0, 0.0), rotation.turn::<V>([0.0, 0.0, 3.0])).unwrap();
        let half_space = HalfSpace::new(at(0.0, 0.0, 0.0), rotation.turn::<V>([0.0, 0.0, 3.0])).unwrap();
        for shape in [&plane as &dyn Shape<V>, &half_space] {
            let depth = shape.cast_sphere(&parallel, length(2.0), ..).unwrap().depth;
            assert!(depth.is_some_and(|depth| depth.to_f64() < 1e-12), "{depth:?}");
            assert!(shape.cast_sphere(&parallel, beside(length(2.0))[0], ..).is_none());
            assert!(shape.cast_sphere(&parallel, length(2.0), Query::new().inside(Inside::Hollow)).is_none());
        }
    }
}

/// Corners and edges of boxes, by whole right angles: 3 4 5 and 1 2 2 3.
fn check_touching_boxes<V: Vector3>() {
    let v = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    for signs in 0..8 {
        let s = [0, 1, 2].map(|i| if signs >> i & 1 == 1 { 1.0 } else { -1.0 });
        let at = |x: f64, y: f64, z: f64| v(x * s[0] + 4.0, y * s[1] - 2.0, z * s[2] + 1.0);
        let towards = |x: f64, y: f64, z: f64| v(x * s[0], y * s[1], z * s[2]);
        let cuboid = Cuboid::new(v(4.0, -2.0, 1.0), v(1.0, 2.0, 3.0)).unwrap();
        let (edge, radius) = (Feature::Edge(8 + (signs & 3)), V::Scalar::from_f64);
        touches(&cuboid, &Ray::new(at(-36.0, 36.0, 1.5), towards(4.0, -3.0, 0.0)), radius(5.0), edge, "edge");
        let corner = Ray::new(at(-12.0, 18.0, -2.0), towards(2.0, -2.0, 1.0));
        touches(&cuboid, &corner, radius(3.0), Feature::Vertex(signs), "corner");
    }
}

fn check_touching_in_the_plane<V: Vector2>() {
    let v = |x: f64, y: f64| V::from_xyz([x, y, 0.0].map(V::Scalar::from_f64));
    let five = V::Scalar::from_f64(5.0);
    let ray = Ray::new(v(-36.0, 36.0), v(4.0, -3.0));
    let vertex = Feature::Vertex;
    touches(&Rectangle::new(v(0.0, 0.0), v(1.0, 2.0)).unwrap(), &ray, five, vertex(3), "rectangle");
    let polygon = ConvexPolygon::new([v(-1.0, -2.0), v(1.0, -2.0), v(1.0, 2.0), v(-1.0, 1.0)]).unwrap();
    touches(&polygon, &ray, five, vertex(2), "polygon");
    touches(&SegmentShape::new(v(1.0, 2.0), v(-3.0, -3.0)).unwrap(), &ray, five, vertex(0), "segment");
    touches(&Circle::new(v(-2.0, -2.0), five).unwrap(), &ray, V::Scalar::from_f64(5.0), Feature::Face(0), "circle");
}

#[test]
fn touching_is_a_contact_and_passing_by_is_none() {
    check_touching_in_space::<DVec3>(1);
    check_touching_in_space::<Vec3>(2);
    check_touching_boxes::<DVec3>();
    check_touching_boxes::<Vec3>();
    check_touching_in_the_plane::<DVec2>();
    check_touching_in_the_plane::<Vec2>();
}

/// Sums of radii that no precision holds.
#[test]
fn radii_add_up_exactly() {
    // 1 + 2^-60 is not representable: a sphere of radius 1 that passes at that distance does not touch a point-like ball of 2^-61.
    let tiny = 2f64.powi(-60);
    let ray = Ray::new(DVec3::new(-8.0, 1.0, 0.0), DVec3::X);
    let ball = |radius: f64| Sphere::new(DVec3::new(0.0, -tiny, 0.0), radius).unwrap();
    assert!(ball(tiny).cast_sphere(&ray, 1.0, ..).is_some());
    assert!(ball(tiny / 2.0).cast_sphere(&ray, 1.0, ..).is_none());
    // Corners that are rounded sums.
    let cuboid = Cuboid::new(DVec3::splat(-tiny), DVec3::ONE).unwrap();
    let ray = Ray::new(DVec3::new(-8.0, 3.0, 0.0), DVec3::X);
    assert!(cuboid.cast_sphere(&ray, 2.0, ..).is_none());
    assert!(cuboid.cast_sphere(&ray, 2.0f64.next_up(), ..).is_some());
    let corner = Ray::new(DVec3::new(-36.0, 36.0, 0.0) + DVec3::new(0.0, 0.0, 0.5), DVec3::new(4.0, -3.0, 0.0));
    let cuboid = |shift: f64| Cuboid::new(DVec3::new(shift, shift, 0.0), DVec3::new(1.0, 2.0, 3.0)).unwrap();
    assert!(cuboid(0.0).cast_sphere(&corner, 5.0, ..).is_some());
    assert!(cuboid(-tiny).cast_sphere(&corner, 5.0, ..).is_none());
    assert!(cuboid(tiny).cast_sphere(&corner, 5.0, ..).is_some());
}

#[test]
fn invalid_spheres_touch_nothing() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let ray = Ray::new(Vec3::X * 5.0, -Vec3::X);
    for radius in [-1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(ball.try_cast_sphere(&ray, radius, ..), Ok(None));
    }
    assert!(ball.cast_sphere(&Ray::new(Vec3::NAN, Vec3::X), 1.0, ..).is_none());
    assert!(ball.cast_sphere(&Ray::new(Vec3::X * 5.0, Vec3::ZERO), 1.0, ..).is_none());
    assert_eq!(ball.cast_sphere(&ray, f32::MAX, ..).unwrap().depth, Some(f32::MAX));
    assert!(ball.cast_sphere(&ray, 1.0, 9.0..=8.0).is_none());
    let disk = Disk::new(Vec3::ZERO, Vec3::X, 1.0).unwrap();
    let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    let shapes: [&dyn Shape<Vec3>; 3] = [&ball, &disk, &mesh];
    for shape in shapes {
        assert!(shape.cast_sphere(&ray, 1.0, ..).is_some());
        assert!(shape.cast_sphere(&ray, 1.0, f32::NAN..).is_none());
        assert!(shape.cast_sphere(&ray, 1.0, ..=f32::NAN).is_none());
        let own = RangedRay::new(ray, 0.0, f32::NAN);
        assert!(shape.cast_sphere(&own, 1.0, ..).is_none());
        let cube = Cuboid::new(ray.origin, Vec3::ONE).unwrap();
        assert!(shape.cast_volume(cube, ray.direction, ..).is_some());
        assert!(shape.cast_volume(cube, ray.direction, ..=f32::NAN).is_none());
    }
}

/// Any numbers: no panic, no NaN, and the contact is in the range.
fn check_any_bits<V: World>(seed: u64) {
    let mut rng = Rng::new(seed);
    for round in 0..3000 {
        let draw = rng.pick(&[Draw::Bits, Draw::Scales, Draw::Lattice]);
        let Some(shape) = V::shape(round % V::KINDS, &mut rng, draw) else { continue };
        let (ray, query) = (rng.ray::<V>(draw, &shape.aabb()), rng.query(draw));
        let radius: V::Scalar = draw.size(&mut rng);
        let Some(hit) = shape.cast_sphere(&ray, radius, query) else { continue };
        assert!(query.t_min() <= hit.t && hit.t <= query.t_max() && hit.t.is_finite(), "{shape:?} {ray:?} {hit:?}");
        let numbers = [hit.center, hit.point, hit.normal].map(V::to_f64);
        assert!(!numbers.as_flattened().iter().any(|x| x.is_nan()), "{shape:?} {ray:?} {radius} {hit:?}");
        assert!(!hit.depth.is_some_and(|depth| depth.to_f64().is_nan()), "{shape:?} {ray:?} {radius} {hit:?}");
    }
}

#[test]
fn any_numbers_have_an_answer() {
    check_any_bits::<Vec2>(1);
    check_any_bits::<DVec2>(2);
    check_any_bits::<Vec3>(3);
    check_any_bits::<DVec3>(4);
}

/// The points of a segment are numbers, though its direction may not be one.
#[test]
fn a_segment_longer_than_the_largest_number_has_centers() {
    let corners = vec![DVec3::new(0.0, -1e300, -1e300), DVec3::new(0.0, 3e300, -1e300), DVec3::new(0.0, -1e300, 3e300)];
    let mesh = TriangleMesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let end = DVec3::new(1.2e308, 0.0, 0.0);
    let segment = Segment::new(-end, end);
    let radius = 1e300;
    let hit = mesh.cast_sphere(&segment, radius, ..).unwrap();
    // One unit in the last place of the product of `t` and the length.
    let slack = 1.2e308 * f64::EPSILON * 2.0;
    assert!((hit.t - 0.5 * (1.0 - radius / 1.2e308)).abs() < 1e-15, "{hit:?}");
    assert!((hit.center.x + radius).abs() < slack && hit.center.y == 0.0 && hit.center.z == 0.0, "{hit:?}");
    assert!((hit.distance - 1.2e308).abs() <= radius + slack && hit.normal == DVec3::NEG_X, "{hit:?}");
    // A measured shape of that size is refused, not answered wrongly.
    let egg = Ellipsoid::new(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    assert_eq!(egg.try_cast_sphere(&segment, 1.0, ..), Err(NotMeasured));
}

/// A shape under a similarity is met where the image of the ray meets the shape.
#[test]
fn placed_shapes_are_met_as_in_their_own_coordinates() {
    let mut rng = Rng::new(5);
    let mut hits = 0;
    for round in 0..4000 {
        let Some(shape) = DVec3::shape(round % DVec3::KINDS, &mut rng, Draw::Ordinary) else { continue };
        let basis = rng.basis::<DVec3>(Draw::Ordinary).unwrap();
        let (scale, shift) = (rng.pick(&[0.5, 1.0, -2.0, 3.0]), rng.vector::<DVec3>(Draw::Ordinary));
        let place = Transform::from_basis(&basis, shift).unwrap().with_scale(DVec3::splat(scale)).unwrap();
        let (ray, radius) = (rng.ray::<DVec3>(Draw::Ordinary, &shape.aabb()), rng.between(0.01, 1.0));
        let [x, y, z] = [place.axes()[0], place.axes()[1], place.axes()[2]];
        let image = |v: DVec3| x * v.x + y * v.y + z * v.z;
        let moved = Ray::new(image(ray.origin) + shift, image(ray.direction));
        let placed = Instance::new(shape.clone()).with_transform(place);
        let (own, world) = (shape.cast_sphere(&ray, radius, ..), placed.cast_sphere(&moved, radius * scale.abs(), ..));
        let case = format!("{shape:?} {ray:?} {radius} {own:?} {world:?}");
        match (own, world) {
            (Some(own), Some(world)) => {
                hits += 1;
                let size = 1e-12 * (1.0 + own.t.abs());
                // A sphere that grazes a shape stays near it for a while.
                let slope = (own.normal.dot(ray.direction) / ray.direction.length()).abs().max(1e-3);
                assert!((own.t - world.t).abs() * slope <= size / ray.direction.length(), "{case}");
                assert_eq!(own.depth.is_some(), world.depth.is_some(), "{case}");
            }
            (None, None) => {}
            // Only a sphere that just touches may be a hit in one place, and none in the other.
            _ => {
                let bigger = shape.cast_sphere(&ray, radius * (1.0 + 1e-12), ..);
                let smaller = shape.cast_sphere(&ray, radius * (1.0 - 1e-12), ..);
                assert!(bigger.is_some() && smaller.is_none(), "{case}");
            }
        }
    }
    assert!(hits > 500, "{hits}");
}

/// Corners on a line, though no product of the sides vanishes: only a sphere that touches the sides is stopped.
#[test]
fn corners_on_a_line_are_their_edges() {
    let corners = vec![Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, 2.0, 0.0)];
    let mesh = TriangleMesh::new(corners, vec![[0, 1, 2]]).unwrap();
    for mesh in [mesh.linear_scan(), mesh] {
        let beside = Ray::new(Vec3::new(-10.0, 5.0, 1.0), Vec3::X);
        assert_eq!(mesh.cast_sphere(&beside, 0.5, ..), None);
        let over = Ray::new(Vec3::new(1.0, 1.0, 10.0), -Vec3::Z);
        let hit = mesh.cast_sphere(&over, 0.5, ..).unwrap();
        assert_eq!((hit.t, hit.point, hit.depth), (9.5, Vec3::new(1.0, 1.0, 0.0), None));
    }
}

/// A center whose coordinates differ from a plain number by less than any digit is inside all the same.
#[test]
fn a_range_that_begins_beside_zero_begins_inside() {
    let ball = Sphere::new(DVec3::new(-1.0, 0.0, 5.0), 9.0).unwrap();
    let ray = Ray::new(DVec3::new(0.5, 0.0, 7.0), DVec3::Y * 3.0);
    for t in [5e-324, -5e-324, 0.0] {
        let hit = ball.cast_sphere(&ray, 2.5, t..).unwrap();
        assert_eq!((hit.depth, hit.point), (Some(9.0), DVec3::new(4.4, hit.point.y, 12.2)), "{t:e}");
        assert!(hit.normal.dot(DVec3::new(0.6, 0.0, 0.8)) > 0.999_999_999);
    }
}
