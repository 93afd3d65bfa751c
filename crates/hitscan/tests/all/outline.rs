//! Outlines: where their segments are, how many there are, and what they show.

use crate::support::{Draw, Rng, Sample, World, meshes, rounds};
use core::ops::RangeInclusive;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, AnyShape3, Basis, Camera, Capsule, CastOutline, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid,
    Frustum, Group, HalfSpace, Inside, Instance, Object, OrientedBox, Outline, OutlineColor, OutlineOptions,
    OutlineSegment, Plane, PointQuery, Quad, Query, Ray, RayCast, Real, Scene, Segment, SegmentShape, Shape, Sphere,
    SweepQuery, TaperedCapsule, Transform, Triangle, Triangle2, UserGeometry, UserHit, UserShape, Vector, Volume,
};

/// The box from -8 to 8.
fn room<V: Vector>() -> Aabb<V> {
    let side = V::Scalar::from_f64(8.0);
    Aabb { min: V::splat(-side), max: V::splat(side) }
}

fn ends<V: Vector>(segments: &[OutlineSegment<V>]) -> impl Iterator<Item = V> + '_ {
    segments.iter().flat_map(|segment| [segment.a, segment.b])
}

fn largest<V: Vector>(v: V) -> f64 {
    v.to_xyz().iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max)
}

/// A transform that rotates, scales, shears and perhaps mirrors.
fn any_transform<V: World>(rng: &mut Rng) -> Transform<V> {
    loop {
        let axes: Vec<V> = (0..V::DIM).map(|_| rng.vector(Draw::Ordinary)).collect();
        if let Ok(transform) = Transform::new(axes, rng.vector(Draw::Ordinary)) {
            return transform;
        }
    }
}

/// Each end is on the surface, and unlimited shapes stay in the box.
fn check_surfaces<V: World>(draw: Draw) {
    let (mut rng, options) = (Rng::new(31), OutlineOptions::within(room::<V>()).with_circle_segments(12));
    let mut drawn = vec![0; V::KINDS];
    for round in 0..rounds(3_000) {
        let kind = round % V::KINDS;
        let Some(shape) = V::shape(kind, &mut rng, draw) else { continue };
        let (segments, bounds) = (shape.outline(&options), shape.aabb());
        let is_bounded = bounds.is_bounded();
        drawn[kind] += segments.len();
        // The numbers that take part: coordinates and lengths of the shape, or of the box.
        let size = if is_bounded { largest(bounds.min).max(largest(bounds.max)) } else { 8.0 };
        for end in ends(&segments) {
            let distance = shape.closest_point(end).unwrap().distance.to_f64();
            let bound = 8.0 * V::Scalar::EPSILON.to_f64() * size;
            assert!(distance <= bound, "{distance:e} > {bound:e}: {shape:?} {end:?}");
            assert!(is_bounded || options.bounds().contains(end), "{shape:?} {end:?}");
        }
        assert!(segments.iter().all(|segment| segment.color == OutlineColor::Surface));
    }
    assert!(drawn.iter().all(|drawn| *drawn > 0), "{drawn:?}");
}

#[test]
fn ends_are_on_the_surface() {
    for draw in [Draw::Ordinary, Draw::Lattice] {
        check_surfaces::<Vec2>(draw);
        check_surfaces::<DVec2>(draw);
        check_surfaces::<Vec3>(draw);
        check_surfaces::<DVec3>(draw);
    }
}

/// Placed outlines are those of the shape, each end under the transform; of unlimited shapes, they are on the image.
fn check_placed<V: World<Scalar = f64>>() {
    let (mut rng, options) = (Rng::new(32), OutlineOptions::within(room::<V>()).with_circle_segments(12));
    for round in 0..rounds(2_000) {
        let Some(shape) = V::shape(round % V::KINDS, &mut rng, Draw::Ordinary) else { continue };
        let (inner, outer) = (any_transform::<V>(&mut rng), any_transform::<V>(&mut rng));
        let image = |transform: &Transform<V>, p: V| {
            let terms = transform.axes().iter().enumerate().map(|(i, axis)| *axis * p.component(i));
            terms.reduce(|a, b| a + b).unwrap() + transform.translation()
        };
        let object = Object::new(shape.clone()).with_transform(inner);
        let placed = object.outline(&options);
        if !shape.aabb().is_bounded() {
            let bounds = options.bounds();
            for end in ends(&placed) {
                let distance = object.instance().closest_point(end).unwrap().distance;
                assert!(distance < 1e-10 && bounds.contains(end), "{distance:e}: {shape:?} {inner:?} {end:?}");
            }
            continue;
        }
        let local = shape.outline(&options);
        let expected: Vec<_> = local.iter().map(|segment| [segment.a, segment.b].map(|p| image(&inner, p))).collect();
        assert_eq!(placed.iter().map(|segment| [segment.a, segment.b]).collect::<Vec<_>>(), expected, "{shape:?}");
        // In a group, the transform of the group comes on top; its product with the inner one is rounded.
        let mut scene = Scene::new();
        scene.insert(object).unwrap();
        let group = Instance::new(Group::new(scene).unwrap()).with_transform(outer);
        for (segment, expected) in group.outline(&options).iter().zip(&expected) {
            let error = largest(segment.a - image(&outer, expected[0]));
            assert!(error < 1e-12, "{error:e}: {shape:?} {inner:?} {outer:?}");
        }
    }
}

#[test]
fn outlines_of_placed_shapes_are_placed_outlines() {
    check_placed::<DVec2>();
    check_placed::<DVec3>();
}

/// Ends are rounded once: those in `f32` are those of the same shape in `f64`, rounded.
#[test]
fn ends_are_rounded_once() {
    let (a, b) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(-4.1, 0.7, 2.3));
    let axes = [Vec3::new(0.3, 1.1, 0.0), Vec3::new(-0.7, 0.2, 0.9), Vec3::new(0.1, 0.1, 1.3)];
    let single = Transform::new(axes, a).unwrap();
    let double = Transform::new(axes.map(Vec3::as_dvec3), a.as_dvec3()).unwrap();
    let shapes: [(AnyShape3<Vec3>, AnyShape3<DVec3>); 3] = [
        (
            Capsule::new(a, b, 0.6).unwrap().into(),
            Capsule::new(a.as_dvec3(), b.as_dvec3(), f64::from(0.6f32)).unwrap().into(),
        ),
        (Ellipsoid::new(a, b.abs()).unwrap().into(), Ellipsoid::new(a.as_dvec3(), b.abs().as_dvec3()).unwrap().into()),
        (Disk::new(a, b, 0.5).unwrap().into(), Disk::new(a.as_dvec3(), b.as_dvec3(), 0.5).unwrap().into()),
    ];
    for (in_single, in_double) in shapes {
        let placed = Instance::new(in_single.clone()).with_transform(single);
        let expected = Instance::new(in_double.clone()).with_transform(double);
        for (found, expected) in [
            (in_single.outline(&OutlineOptions::default()), in_double.outline(&OutlineOptions::default())),
            (placed.outline(&OutlineOptions::default()), expected.outline(&OutlineOptions::default())),
        ] {
            let rounded: Vec<Vec3> = ends(&expected).map(DVec3::as_vec3).collect();
            assert_eq!(ends(&found).collect::<Vec<_>>(), rounded);
        }
    }
}

/// The table of the documentation.
#[test]
fn numbers_of_segments() {
    let [o, x, y] = [DVec3::ZERO, DVec3::X, DVec3::new(3.0, 4.0, 5.0)];
    let [o2, x2, y2] = [DVec2::ZERO, DVec2::X, DVec2::new(3.0, 4.0)];
    for (asked, n) in [(0, 4), (4, 4), (5, 8), (30, 32), (u32::MAX, 4096)] {
        let space = OutlineOptions::within(room::<DVec3>()).with_circle_segments(asked);
        let plane = OutlineOptions::within(room::<DVec2>()).with_circle_segments(asked);
        assert_eq!(space.circle_segments() as usize, n);
        let count = |shape: &dyn Outline<DVec3>| shape.outline(&space).len();
        assert_eq!(count(&Sphere::new(o, 1.0).unwrap()), 3 * n);
        assert_eq!(count(&Ellipsoid::new(o, y).unwrap()), 3 * n);
        assert_eq!(count(&Capsule::new(o, y, 1.0).unwrap()), 4 * n + 4);
        assert_eq!(count(&Capsule::new(o, o, 1.0).unwrap()), 3 * n);
        // A ball whose circle of contact passes between two points of its arcs has them less one, and both ends.
        let tapered = TaperedCapsule::new(o, y, 1.0, 2.0).unwrap().outline(&space).len();
        assert!((4 * n + 4..=4 * n + 8).contains(&tapered), "{tapered} of {n}");
        assert_eq!(count(&TaperedCapsule::new(o, x, 1.0, 2.0).unwrap()), 3 * n);
        assert_eq!(count(&Cylinder::new(o, y, 1.0).unwrap()), 2 * n + 4);
        assert_eq!(count(&Frustum::new(o, y, 1.0, 2.0).unwrap()), 2 * n + 4);
        assert_eq!(count(&Frustum::new(o, y, 0.0, 2.0).unwrap()), n + 4);
        assert_eq!(count(&Cone::new(o, y, 1.0).unwrap()), n + 4);
        assert_eq!(count(&Disk::new(o, y, 1.0).unwrap()), n);
        assert_eq!(count(&Quad::new(o, x, y).unwrap()), 4);
        assert_eq!(count(&Cuboid::new(o, y).unwrap()), 12);
        assert_eq!(count(&OrientedBox::new(o, y, Basis::identity()).unwrap()), 12);
        assert_eq!(count(&room::<DVec3>()), 12);
        assert_eq!(count(&Camera::<DVec3>::perspective(1.0, [4, 3]).unwrap().view_frustum(1.0..=2.0).unwrap()), 12);
        assert_eq!(count(&Triangle::new(o, x, y).unwrap()), 3);
        assert_eq!(count(&Volume::from(Sphere::new(o, 1.0).unwrap())), 3 * n);
        let count = |shape: &dyn Outline<DVec2>| shape.outline(&plane).len();
        assert_eq!(count(&Sphere::new(o2, 1.0).unwrap()), n);
        assert_eq!(count(&Ellipsoid::new(o2, y2).unwrap()), n);
        assert_eq!(count(&Capsule::new(o2, y2, 1.0).unwrap()), n + 2);
        assert_eq!(count(&Cuboid::new(o2, y2).unwrap()), 4);
        assert_eq!(count(&Triangle2::new(o2, x2, y2).unwrap()), 3);
        assert_eq!(count(&ConvexPolygon::new([o2, x2, y2, DVec2::Y]).unwrap()), 4);
        assert_eq!(count(&SegmentShape::new(x2, y2).unwrap()), 1);
        assert_eq!(count(&Plane::new(x2, y2).unwrap()), 1);
    }
    // Half the triangles of a closed mesh times three.
    let mesh = meshes::build::<DVec3>(meshes::icosphere(2));
    assert_eq!(mesh.outline(&OutlineOptions::default()).len(), mesh.triangles().len() * 3 / 2);
}

/// The polygon of a plane in the box is closed; a plane in a side of the box has the edges of that side.
#[test]
fn planes_are_clipped() {
    let options = OutlineOptions::within(room::<DVec3>());
    let count = |point: DVec3, normal: DVec3| {
        let segments = HalfSpace::new(point, normal).unwrap().outline(&options);
        let all: Vec<DVec3> = ends(&segments).collect();
        assert!(all.iter().all(|end| all.iter().filter(|other| *other == end).count() % 2 == 0), "{segments:?}");
        segments.len()
    };
    assert_eq!(count(DVec3::ZERO, DVec3::X), 4);
    assert_eq!(count(DVec3::ZERO, DVec3::ONE), 6);
    assert_eq!(count(DVec3::splat(6.0), DVec3::ONE), 3);
    assert_eq!(count(DVec3::splat(8.5), DVec3::ONE), 0);
    for (axis, normal) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        for side in [-8.0, 8.0] {
            for normal in [normal, -normal * 3.0] {
                let segments = Plane::new(normal.normalize() * side, normal).unwrap().outline(&options);
                let side = if normal[axis] > 0.0 { side } else { -side };
                assert_eq!(segments.len(), 4, "{side} {normal}");
                assert!(ends(&segments).all(|end| end[axis] == side && (end.length_squared() == 192.0)));
            }
        }
    }
    // In the plane, through two opposite corners too; and nothing without a box.
    let flat = OutlineOptions::within(room::<DVec2>());
    let [segment] = Plane::new(DVec2::ZERO, DVec2::new(1.0, -1.0)).unwrap().outline(&flat)[..] else { panic!() };
    assert_eq!((segment.a - segment.b).abs(), DVec2::splat(16.0));
    assert_eq!(Plane::new(DVec2::ZERO, DVec2::X).unwrap().outline(&OutlineOptions::default()), []);
    let endless = OutlineOptions::within(Aabb::<DVec3>::everything());
    assert_eq!(HalfSpace::new(DVec3::ZERO, DVec3::X).unwrap().outline(&endless), []);
}

/// No bits make an outline panic, and no end is a NaN or an infinity.
#[test]
fn any_bits() {
    fn check<V: World>() {
        let mut rng = Rng::new(33);
        for round in 0..rounds(6_000) {
            let bounds = Aabb { min: rng.vector(Draw::Bits), max: rng.vector(Draw::Bits) };
            let options = OutlineOptions::<V>::within(if rng.once_in(2) { bounds } else { room() })
                .with_circle_segments(8)
                .with_normal_length(Draw::Bits.number(&mut rng));
            let Some(shape) = V::shape(round % V::KINDS, &mut rng, Draw::Bits) else { continue };
            let ray = Ray::new(rng.vector(Draw::Bits), rng.vector(Draw::Bits));
            let query = rng.query(Draw::Bits);
            let mut segments = shape.outline(&options);
            segments.extend(CastOutline::new(&ray, query, shape.cast_ray(&ray, query)).outline(&options));
            let explanation = shape.explain(&ray, query);
            segments.extend(CastOutline::of_explanation(&ray, query, &explanation).outline(&options));
            let is_finite = |end: V| end.to_xyz().iter().all(|x| x.is_finite());
            assert!(ends(&segments).all(is_finite), "{shape:?} {ray:?} {query:?}");
        }
    }
    check::<Vec2>();
    check::<DVec2>();
    check::<Vec3>();
    check::<DVec3>();
}

type Lines<V> = Vec<(OutlineColor, V, V)>;

/// The segments of a colour.
fn lines<V: Vector>(outline: &dyn Outline<V>, options: &OutlineOptions<V>, colors: &[OutlineColor]) -> Lines<V> {
    let segments = outline.outline(options).into_iter().filter(|segment| colors.contains(&segment.color));
    segments.map(|OutlineSegment { a, b, color, .. }| (color, a, b)).collect()
}

/// ```text
///    origin ----> ( ball )
/// ```
#[test]
fn hits_and_their_rays() {
    use OutlineColor::{Hit, Miss, Normal, Ray as Cast};
    let options = OutlineOptions::within(room::<Vec3>()).with_normal_length(2.0);
    let ball = Sphere::new(Vec3::X * 5.0, 1.0).unwrap();
    let [ray, beside] = [0.0, 3.0].map(|y| Ray::new(Vec3::Y * y, Vec3::X * 0.5));
    let hit = ball.cast_ray(&ray, ..).unwrap();
    // The hit alone: the cross is around the point, the normal starts there.
    assert_eq!(lines(&hit, &options, &[Normal]), [(Normal, hit.point, hit.point + hit.normal * 2.0)]);
    let cross = lines(&hit, &options, &[Hit]);
    assert_eq!(cross.len(), 6);
    assert!(cross.iter().all(|(_, a, b)| *a == hit.point || *b == hit.point));
    // With its ray, whose end is at the box, at the end of the range or of a distance.
    let [near, point, end] = [Vec3::ZERO, Vec3::X * 4.0, Vec3::X * 8.0];
    let cast = |query: Query<f32>| lines(&CastOutline::new(&ray, query, Some(hit)), &options, &[Cast, Miss]);
    assert_eq!(cast(Query::new()), [(Cast, near, point), (Miss, point, end)]);
    assert_eq!(cast(Query::from(..=12.0)), [(Cast, near, point), (Miss, point, Vec3::X * 6.0)]);
    assert_eq!(cast(Query::from(1.0..=8.0)), [(Cast, Vec3::X * 0.5, point)]);
    assert_eq!(cast(Query::from(..).within_distance(9.0)), [(Cast, near, point), (Miss, point, Vec3::X * 9.0)]);
    assert_eq!(cast(Query::line()), [(Cast, -end, point), (Miss, point, end)]);
    // A miss is missed from end to end; without a box, a ray without an end has no segment.
    let miss = CastOutline::new(&beside, .., None);
    assert_eq!(miss.outline(&options).len(), 1);
    assert_eq!(lines(&miss, &options, &[Miss]), [(Miss, Vec3::Y * 3.0, Vec3::new(8.0, 3.0, 0.0))]);
    assert_eq!(miss.outline(&OutlineOptions::default()), []);
    let sight = Segment::new(Vec3::ZERO, Vec3::Y * 20.0);
    assert_eq!(lines(&CastOutline::new(&sight, .., None), &options, &[Miss]), [(Miss, Vec3::ZERO, Vec3::Y * 20.0)]);
    // A ray in a side of the box, one that leaves it, and one that never meets it.
    let miss = |origin: Vec3, way: Vec3| CastOutline::new(&Ray::new(origin, way), .., None).outline(&options).len();
    assert_eq!(miss(Vec3::new(8.0, 0.0, 8.0), Vec3::Y), 1);
    assert_eq!(miss(Vec3::X * 9.0, Vec3::X), 0);
    assert_eq!(miss(Vec3::X * 9.0, Vec3::Y), 0);
}

/// ```text
///    (o) ----> (o)| wall
/// ```
#[test]
fn sweeps_show_the_volume_at_both_ends() {
    use OutlineColor::{Miss, Normal, Ray as Cast, Volume as Moving};
    let options = OutlineOptions::within(room::<Vec2>()).with_circle_segments(8);
    let wall = Cuboid::new(Vec2::X * 6.0, Vec2::ONE).unwrap();
    let (ray, ball) = (Ray::new(Vec2::ZERO, Vec2::X * 2.0), Sphere::new(Vec2::ZERO, 0.5).unwrap());
    let hit = wall.cast_sphere(&ray, 0.5, ..).unwrap();
    let sweep = CastOutline::of_sweep(&ray, .., &ball, Some(hit));
    let [center, contact] = [Vec2::X * 4.5, Vec2::X * 5.0];
    assert_eq!((hit.center, hit.point), (center, contact));
    let along = lines(&sweep, &options, &[Cast, Miss]);
    assert_eq!(along, [(Cast, Vec2::ZERO, center), (Miss, center, Vec2::X * 8.0)]);
    assert_eq!(lines(&sweep, &options, &[Normal]), [(Normal, contact, contact + hit.normal)]);
    // The circle at the start and where it touches, then the line from its center to the contact.
    let volumes = lines(&sweep, &options, &[Moving]);
    let own = lines(&ball, &options, &[OutlineColor::Surface]);
    assert_eq!(volumes.len(), 17);
    for (i, (_, a, b)) in own.iter().enumerate() {
        assert_eq!((volumes[i], volumes[8 + i]), ((Moving, *a, *b), (Moving, *a + center, *b + center)));
    }
    assert_eq!(volumes[16], (Moving, center, contact));
    // Without a contact, the volume is at the start only, and all of the way is missed.
    let miss = CastOutline::of_sweep(&ray, ..=3.0, &ball, None).outline(&options);
    assert_eq!(miss.len(), 9);
    // A box on its way, whose ray begins at its center.
    let (body, way) = (Cuboid::new(Vec2::ONE, Vec2::ONE).unwrap(), Vec2::new(3.0, 0.0));
    let hit = wall.cast_volume(body, way, ..).unwrap();
    let sweep = CastOutline::of_sweep(&Ray::new(body.center(), way), .., &body, Some(hit));
    let touching = Cuboid::new(body.center() + way * hit.t, Vec2::ONE).unwrap();
    let expected: Vec<_> = lines(&touching, &options, &[OutlineColor::Surface]).iter().map(|l| (l.1, l.2)).collect();
    let volumes = lines(&sweep, &options, &[Moving]);
    assert_eq!(volumes[4..8].iter().map(|l| (l.1, l.2)).collect::<Vec<_>>(), expected);
}

/// The `t` of an explanation become crosses on the ray: one at the hit of each kind of shape, placed or in a scene.
#[test]
fn explanations_mark_the_hit() {
    fn check<V: World>() {
        let options = OutlineOptions::within(room::<V>());
        let (mut rng, mut hits) = (Rng::new(34), vec![0; V::KINDS]);
        for round in 0..rounds(3_000) {
            let kind = round % V::KINDS;
            let Some(shape) = V::shape(kind, &mut rng, Draw::Ordinary) else { continue };
            let ray = rng.ray(Draw::Ordinary, &shape.aabb());
            let mut scene = Scene::<V>::new();
            scene.insert(Object::new(shape).with_transform(any_transform(&mut rng))).unwrap();
            let explanation = scene.explain(&ray, ..);
            let cast = CastOutline::of_explanation(&ray, .., &explanation);
            let Some(hit) = scene.cast_ray(&ray, ..) else {
                assert_eq!(lines(&cast, &options, &[OutlineColor::Ray]), [], "{explanation}");
                continue;
            };
            hits[kind] += 1;
            // The part up to the hit ends there, and a cross is around it, unless the ray starts inside.
            let near = |p: V| largest(p - hit.point) <= 1e-4 * (1.0 + largest(hit.point));
            let [(_, _, end)] = lines(&cast, &options, &[OutlineColor::Ray])[..] else { panic!("{explanation}") };
            assert!(near(end), "{explanation}: {end:?} is not {:?}", hit.point);
            let marks = lines(&cast, &options, &[OutlineColor::Crossing]);
            assert!(hit.t == V::Scalar::ZERO || marks.iter().any(|line| near(line.1)), "{explanation}");
        }
        assert!(hits.iter().all(|hits| *hits > 0), "{hits:?}");
    }
    check::<Vec2>();
    check::<DVec2>();
    check::<Vec3>();
    check::<DVec3>();
}

/// Crossings before the range are marked, but do not end the part up to the hit.
#[test]
fn explanations_of_a_start_inside() {
    let (ball, ray) = (Sphere::new(DVec2::ZERO, 1.0).unwrap(), Ray::new(DVec2::ZERO, DVec2::X));
    let query = Query::new().inside(Inside::Hollow);
    let (explanation, options) = (ball.explain(&ray, query), OutlineOptions::within(room()));
    let cast = CastOutline::of_explanation(&ray, query, &explanation);
    let [hit, miss] = [OutlineColor::Ray, OutlineColor::Miss];
    let expected = [(hit, DVec2::ZERO, DVec2::X), (miss, DVec2::X, DVec2::X * 8.0)];
    assert_eq!(lines(&cast, &options, &[hit, miss]), expected);
    let marks = lines(&cast, &options, &[OutlineColor::Crossing]);
    assert!([DVec2::X, -DVec2::X, DVec2::ZERO].iter().all(|at| marks.iter().any(|mark| mark.1 == *at)), "{marks:?}");
}

/// A geometry that knows its bounds only.
#[derive(Debug)]
struct Fog(Aabb<Vec3>);

impl UserGeometry<Vec3> for Fog {
    fn aabb(&self) -> Aabb<Vec3> {
        self.0
    }
    fn cast(&self, _: &Ray<Vec3>, _: RangeInclusive<f32>) -> Option<UserHit<Vec3>> {
        None
    }
}

/// Scenes have the outlines of the objects that queries see, in the order of insertion.
#[test]
fn scenes_and_their_views() {
    let options = OutlineOptions::within(room::<Vec3>()).with_circle_segments(4);
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let mut inner = Scene::new();
    inner.insert(Object::new(ball).on_layers(1)).unwrap();
    inner.insert(Object::new(Cuboid::new(Vec3::ONE, Vec3::ONE).unwrap()).on_layers(2)).unwrap();
    let mut scene = Scene::new();
    let gate = scene.insert(Object::new(ball).as_trigger().on_layers(2)).unwrap();
    let removed = scene.insert(Object::new(ball)).unwrap();
    scene.insert(Object::new(Group::new(inner).unwrap()).on_layers(3)).unwrap();
    let fog = scene.insert(Object::new(UserShape::new(Fog(room())))).unwrap();
    scene.insert(Object::new(UserShape::new(Fog(Aabb::everything())))).unwrap();
    scene.remove(removed).unwrap();
    let parts = |outline: &dyn Outline<Vec3>| {
        let mut parts: Vec<(OutlineColor, usize)> = Vec::new();
        for segment in outline.outline(&options) {
            match parts.last_mut() {
                Some((color, count)) if *color == segment.color => *count += 1,
                _ => parts.push((segment.color, 1)),
            }
        }
        parts
    };
    let [trigger, group, bounds] =
        [(OutlineColor::Trigger, 12), (OutlineColor::Surface, 24), (OutlineColor::Bounds, 12)];
    assert_eq!(parts(&scene), [trigger, group, bounds]);
    assert_eq!(parts(&scene.excluding([gate])), [group, bounds]);
    assert_eq!(parts(&scene.filtered(|id, _| id != fog)), [trigger, group]);
    // A mask holds for the members of a group, too.
    assert_eq!(parts(&scene.on_layers(2)), [trigger, (OutlineColor::Surface, 12)]);
    assert_eq!(parts(&scene.on_layers(2).excluding([gate])), [(OutlineColor::Surface, 12)]);
    assert_eq!(parts(scene.get(gate).unwrap()), [trigger]);
}

/// The same bits on every machine: of these shapes, all that outlines compute.
#[test]
fn the_bits_of_an_outline() {
    let (a, b) = (DVec3::new(0.1, -0.7, 1.3), DVec3::new(2.9, 1.1, -0.4));
    let mut scene = Scene::new();
    scene.insert(Object::new(Capsule::new(a, b, 0.3).unwrap())).unwrap();
    scene.insert(Object::new(Frustum::new(b, a, 0.3, 0.7).unwrap())).unwrap();
    scene.insert(Object::new(TaperedCapsule::new(b, a, 0.3, 0.7).unwrap())).unwrap();
    let tilted = Basis::from_direction(b).unwrap();
    scene.insert(Object::new(Ellipsoid::with_basis(a, b.abs(), tilted).unwrap())).unwrap();
    scene.insert(Object::new(OrientedBox::new(a, b.abs(), tilted).unwrap())).unwrap();
    scene.insert(Object::new(Plane::new(a, b).unwrap())).unwrap();
    scene.insert(Object::new(Disk::new(b, a, 1.7).unwrap())).unwrap();
    let placed = Transform::new([a, b, DVec3::new(0.3, 0.9, 2.1)], b).unwrap();
    scene.insert(Object::new(Plane::new(b, a).unwrap()).with_transform(placed)).unwrap();
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let segments = scene.outline(&OutlineOptions::within(room()));
    for byte in ends(&segments).flat_map(|end| end.to_array()).flat_map(f64::to_le_bytes) {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    assert_eq!((segments.len(), digest), (486, 8_043_726_727_734_152_321));
}
