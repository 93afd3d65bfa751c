//! Lines of sight, thickness, and lengths inside of solids.

use crate::support::{Draw, Rng, Sample, World, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Coplanar, Cuboid, Group, HalfSpace, Hit, Inside, Object, ObjectId, Plane, Query, Ray, RayCast, Real, Scene,
    Segment, Shape, Side, Sphere, Transform, TriangleMesh, Triggers, Vector,
};

fn scene<V: World>(rng: &mut Rng, count: usize, draw: Draw, fits: impl Fn(&V::Shape) -> bool) -> Scene<V> {
    let mut scene = Scene::new();
    while scene.len() < count {
        let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw).filter(&fits) else { continue };
        let mut object = Object::new(shape.clone()).on_layers(1 + rng.below(15) as u32);
        match rng.below(6) {
            0 => object = object.as_trigger(),
            1 => object = object.with_transform(Transform::from_translation(rng.vector(Draw::Lattice)).unwrap()),
            2 => {
                let mut inner = Scene::new();
                inner.insert(Object::new(shape.clone())).unwrap();
                inner.insert(Object::new(V::shape(0, rng, draw).unwrap_or(shape)).on_layers(3)).unwrap();
                object = Object::new(Group::new(inner).unwrap()).on_layers(1 + rng.below(15) as u32);
            }
            _ => {}
        }
        scene.insert(object).unwrap();
    }
    scene
}

/// Whether the shape has no basis. Its axes are rounded: the surface may be so near an end that the rounded `t` of a hit does not
/// tell on which side.
fn without_basis<V: World>(shape: &V::Shape) -> bool {
    !format!("{shape:?}").contains("Basis")
}

/// Whether anything is between the ends, by the hits of the whole line and the middle.
fn is_blocked<V: World>(scene: &Scene<V>, from: V, to: V, query: &Query<V::Scalar>) -> bool {
    let (zero, one, half) = (V::Scalar::ZERO, V::Scalar::ONE, V::Scalar::from_f64(0.5));
    let line = Segment::new(from, to);
    // A line that runs in a surface all along crosses no border of it between the ends; its middle is a point of the surface.
    let crossings = query.inside(Inside::Hollow).coplanar(Coplanar::Hit);
    let crosses = scene.cast_ray_where(&line, crossings, |hit| hit.t > zero && hit.t < one).is_some()
        || scene.intersects_ray(&line, crossings.range(half, half));
    let is_full = scene.objects().any(|(_, object)| {
        let is_shape = object.shape().name() != "mesh" && V::as_group(object.shape()).is_none();
        is_shape && object.is_seen_by(query) && object.instance().contains((from + to) * half)
    });
    let is_full_group = scene.objects().filter_map(|(_, object)| Some((V::as_group(object.shape())?, object))).any(
        |(group, object)| {
            let filled = group.objects().any(|(_, member)| {
                member.layers() & query.layer_mask() != 0
                    && member.shape().name() != "mesh"
                    && member.instance().contains((from + to) * half)
            });
            filled && object.is_seen_by(query)
        },
    );
    crosses || (query.inside_mode() == Inside::Solid && (is_full || is_full_group))
}

fn sights<V: World>(seed: u64, count: usize) {
    let (mut seen, mut ends) = ([0; 2], 0);
    for round in 0..count as u64 {
        let mut rng = Rng::for_stream(seed, round);
        let draw = rng.pick(&[Draw::Lattice, Draw::Lattice, Draw::Ordinary]);
        let scene = scene::<V>(&mut rng, [1, 2, 8][round as usize % 3], draw, without_basis::<V>);
        let query = match rng.below(5) {
            0 => Query::new().inside(Inside::Hollow),
            1 => Query::new().layers(5),
            2 => Query::new().triggers(Triggers::Hit),
            _ => Query::new(),
        };
        let eye: V = rng.vector(draw);
        // Corners of boxes are points of many surfaces; bounds are rounded outward.
        let half = |x: V::Scalar| V::Scalar::from_f64((2.0 * x.to_f64()).round() / 2.0);
        let object =
            |rng: &mut Rng| scene.objects().nth(rng.below(scene.len())).map(|(_, object)| object.shape().aabb());
        let corner = |rng: &mut Rng| {
            object(rng).map(|aabb| rng.pick(&[aabb.min, aabb.max]).map(half)).filter(|p| p.all_finite())
        };
        let targets: Vec<V> = (0..60)
            .map(|i| if i % 3 == 0 { corner(&mut rng) } else { None }.unwrap_or_else(|| rng.vector(draw)))
            .collect();
        let visible = scene.visible_from(eye, &targets, query);
        for (&target, &is_visible) in targets.iter().zip(&visible) {
            assert_eq!(scene.line_of_sight(eye, target, query), is_visible);
            assert_eq!(scene.line_of_sight(target, eye, query), is_visible);
            if eye == target {
                assert!(is_visible);
                continue;
            }
            assert_eq!(!is_blocked(&scene, eye, target, &query), is_visible, "{eye:?} {target:?} {query:?}");
            seen[usize::from(is_visible)] += 1;
            ends += usize::from(is_visible && scene.intersects_ray(&Segment::new(eye, target), query));
        }
    }
    assert!(seen.iter().all(|seen| *seen > count) && ends > count / 4, "{seen:?}, {ends} hits at ends");
}

#[test]
fn what_is_between_blocks_the_sight() {
    sights::<Vec3>(1, 150);
    sights::<Vec2>(2, 150);
    sights::<DVec3>(3, 30);
    sights::<DVec2>(4, 30);
}

/// Crossings so near an end that no `t` beside it is between: with the rule of the query, and with one of the object.
#[test]
fn ends_are_exact() {
    let power = |exponent: i32| f64::from(exponent).exp2() as f32;
    let solid = HalfSpace::new(Vec3::ZERO, -Vec3::Z).unwrap(); // z >= 0
    let sheet = Plane::new(Vec3::ZERO, Vec3::Z).unwrap();
    let below = Vec3::Z * -power(100);
    for rule in [None, Some(Inside::Solid), Some(Inside::Hollow)] {
        let mut objects = vec![Object::<Vec3>::new(solid), Object::new(sheet)];
        if let Some(rule) = rule {
            objects = objects.into_iter().map(|object| object.with_inside(rule)).collect();
        }
        for object in objects {
            let mut scene = Scene::new();
            scene.insert(object).unwrap();
            for query in [Query::new(), Query::new().inside(Inside::Hollow)] {
                let both = |a, b| [scene.line_of_sight(a, b, query), scene.line_of_sight(b, a, query)];
                for exponent in [-100, -149, 0, 99] {
                    assert_eq!(both(below, Vec3::Z * power(exponent)), [false; 2], "{rule:?} {exponent}");
                    assert_eq!(both(below, Vec3::Z * -power(exponent)), [true; 2], "{rule:?} {exponent}");
                }
                assert_eq!(both(below, Vec3::ZERO), [true; 2]);
                assert_eq!(scene.visible_from(below, &[Vec3::ZERO, Vec3::Z * power(-149)], query), [true, false]);
            }
        }
    }
}

#[test]
fn sights_through_solids_and_meshes() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let hollow = Query::new().inside(Inside::Hollow);
    let sight = |from, to, query: Query<f32>| ball.line_of_sight(from, to, query);
    // Inside of a full ball nothing is visible, in a hollow one everything.
    assert!(!sight(Vec3::X * 0.5, Vec3::Y * 0.5, Query::new()) && sight(Vec3::X * 0.5, Vec3::Y * 0.5, hollow));
    assert!(!sight(Vec3::X, -Vec3::X, Query::new()) && sight(Vec3::X, -Vec3::X, hollow));
    // A line that touches is blocked between its ends, not at one.
    assert!(!sight(Vec3::new(1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 0.0), hollow));
    assert!(sight(Vec3::new(1.0, -1.0, 0.0), Vec3::X, Query::new()));
    // A mesh is a surface; its edges and corners block, and ends on them do not.
    let mesh = meshes::build::<Vec3>(meshes::icosphere(0));
    assert!(mesh.line_of_sight(Vec3::X, -Vec3::X, ..) && !mesh.line_of_sight(Vec3::X * 2.0, -Vec3::X, ..));
    assert!(!mesh.line_of_sight(Vec3::new(1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 0.0), ..)); // through a corner
    assert!(mesh.line_of_sight(Vec3::new(1.0, -1.0, 0.0), Vec3::X, ..));
    assert!(mesh.line_of_sight(Vec3::new(0.5, 0.5, 0.0), Vec3::ONE, ..)); // the middle of an edge
    // Part of the range, invalid points.
    assert!(
        ball.line_of_sight(Vec3::X * -4.0, Vec3::X * 4.0, ..=0.25) && !sight(Vec3::X * -4.0, Vec3::X, Query::new())
    );
    assert!(ball.line_of_sight(Vec3::X * -4.0, Vec3::X * 4.0, f32::NAN..=1.0));
    for wrong in [Vec3::NAN, Vec3::X * f32::INFINITY] {
        assert!(!sight(wrong, Vec3::ONE, hollow) && !sight(Vec3::ONE, wrong, hollow));
        assert_eq!(ball.visible_from(Vec3::ONE, &[wrong, Vec3::ONE], ..), [false, true]);
    }
    assert!(ball.visible_from(Vec3::ONE, &[], ..).is_empty());
}

/// The own body and that of the target do not block when they are left out.
#[test]
fn bodies_can_be_left_out() {
    let mut scene = Scene::new();
    let mut body = |x: f32| scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0).unwrap())).unwrap();
    let [own, other, far] = [body(0.0), body(5.0), body(20.0)];
    let sight = |ids: &[ObjectId], to: f32| scene.excluding(ids).line_of_sight(Vec3::ZERO, Vec3::X * to, ..);
    assert!(!sight(&[], 5.0) && !sight(&[own], 5.0) && sight(&[own, other], 5.0));
    assert!(!sight(&[own, far], 20.0) && sight(&[own, other, far], 20.0));
    let targets: Vec<Vec3> = (0..9000).map(|i| Vec3::new(30.0, i as f32 / 900.0, 0.0)).collect();
    let visible = scene.excluding([own]).visible_from(Vec3::ZERO, &targets, ..);
    let first = visible.iter().position(|is_visible| *is_visible).unwrap();
    assert!(visible[first..].iter().all(|is_visible| *is_visible) && (5505..5520).contains(&first), "{first}");
}

fn thicknesses<V: World>(seed: u64, count: usize) {
    let (mut found, mut missing) = (0, 0);
    for round in 0..count as u64 {
        let mut rng = Rng::for_stream(seed, round);
        let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, Draw::Ordinary) else { continue };
        let ray = rng.ray(Draw::Ordinary, &shape.aabb());
        let Some(hit) = shape.cast_ray(&ray, ..).filter(|hit| hit.side == Side::Front) else { continue };
        let (thickness, is_bounded) = (shape.thickness(&hit), shape.aabb().is_bounded());
        assert_eq!(shape.thicknesses(&[hit]), [thickness]);
        // From just inside of the surface to the far side.
        let behind = Ray::new(hit.origin_inside(), -hit.normal);
        let far = shape.cast_ray(&behind, Query::new().inside(Inside::Hollow));
        let Some(thickness) = thickness else {
            missing += usize::from(V::is_solid(&shape) && is_bounded);
            continue;
        };
        found += 1;
        assert!(V::is_solid(&shape) && is_bounded);
        let (length, room) = (thickness.length.to_f64(), 8.0 * hit.error_bound().to_f64());
        assert!(thickness.enter.t.to_f64().abs() <= room, "{thickness:?}");
        if let Some(far) = far.filter(|_| shape.contains(behind.origin)) {
            let slack = room + 1e-4 * length; // the line starts beside the other
            assert!(
                (far.distance.to_f64() - length).abs() <= slack.max(0.02 * length),
                "{shape:?} {hit:?} {length} {far:?}"
            );
        }
    }
    assert!(found > count / 8 && missing * 100 <= found, "{found} found, {missing} missing");
}

#[test]
fn solids_have_a_thickness() {
    thicknesses::<Vec3>(11, 4000);
    thicknesses::<Vec2>(12, 4000);
    thicknesses::<DVec3>(13, 1000);
    thicknesses::<DVec2>(14, 1000);
}

#[test]
fn thicknesses_that_are_known() {
    let ray = |from: DVec3, to: DVec3| Ray::new(from, to - from);
    let mut rng = Rng::new(15);
    for _ in 0..200 {
        let (center, radius) = (rng.in_cube::<DVec3>() * 1e3, rng.between(0.1, 10.0));
        let ball = Sphere::new(center, radius).unwrap();
        let from = center + rng.in_cube::<DVec3>().normalize() * 30.0;
        let hit = ball.cast_ray(&ray(from, center + rng.in_cube::<DVec3>() * 0.05), ..).unwrap();
        let length = ball.thickness(&hit).unwrap().length;
        assert!((length - 2.0 * radius).abs() <= 16.0 * f64::EPSILON * 1e3, "{length} {radius}");
        // From inside: where a ray leaves.
        let hit = ball.cast_ray(&ray(center, from), Query::new().inside(Inside::Hollow)).unwrap();
        assert!((ball.thickness(&hit).unwrap().length - 2.0 * radius).abs() <= 16.0 * f64::EPSILON * 1e3);
        // A hit where the range begins inside is no point of the surface.
        assert_eq!(ball.cast_ray(&ray(center, from), ..).and_then(|hit| ball.thickness(&hit)), None);
    }
    let open = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let hit = open.cast_ray(&Ray::new(Vec3::new(0.25, 0.25, 1.0), -Vec3::Z), ..).unwrap();
    assert_eq!(open.thickness(&hit), None);
    let ground = HalfSpace::new(Vec3::ZERO, Vec3::Z).unwrap();
    assert_eq!(ground.cast_ray(&Ray::new(Vec3::Z, -Vec3::Z), ..).and_then(|hit| ground.thickness(&hit)), None);
}

/// The wall of a tube and its whole width, and plates in contact: each object has its own thickness.
#[test]
fn walls_of_one_object_count() {
    let torus = meshes::build::<DVec3>(meshes::torus(40, 20));
    let mut hits = Vec::<Hit<DVec3>>::new();
    for (number, corners) in torus.triangles().iter().enumerate() {
        let [a, b, c] = corners.map(|i| torus.vertices()[i as usize]);
        let (center, normal) = ((a + b + c) / 3.0, (b - a).cross(c - a).normalize());
        let is_own = |hit: &Hit<DVec3>| hit.primitive == Some(number as u32);
        hits.push(torus.cast_ray_where(&Ray::new(center + normal, -normal), .., is_own).unwrap());
    }
    let lengths = torus.thicknesses(&hits);
    let range = lengths
        .iter()
        .map(|found| found.unwrap().length)
        .fold([f64::MAX, 0.0], |[low, high], length| [low.min(length), high.max(length)]);
    let radius = torus.aabb().max.z;
    assert!(range[0] > 1.8 * radius && range[1] <= 2.001 * radius, "{range:?} {radius}");

    let plate = |x: f64, half: f64| Object::new(Cuboid::new(DVec3::X * x, DVec3::new(half, 4.0, 4.0)).unwrap());
    let mut scene = Scene::new();
    for (x, half) in [(0.5, 0.5), (1.125, 0.125), (2.0, 0.75), (1.75, 0.125)] {
        scene.insert(plate(x, half)).unwrap();
    }
    let through = Ray::new(DVec3::new(-1.0, 0.1, 0.2), DVec3::new(1.0, 0.01, 0.02));
    let hits = scene.cast_ray_all(&through, Query::new().inside(Inside::Hollow));
    assert_eq!(hits.len(), 8);
    for hit in hits {
        let found = scene.thickness(&hit).unwrap();
        let object = scene.get(hit.object.unwrap()).unwrap();
        assert_eq!((found.enter.object, found.exit.object), (hit.object, hit.object));
        assert_eq!(object.instance().thickness(&hit).map(|own| own.length), Some(found.length));
        let width = object.shape().aabb().max.x - object.shape().aabb().min.x;
        assert!((found.length - width).abs() <= 1e-11, "{found:?} {width}"); // bounds are rounded outward
    }
}

/// The length of the union of intervals: of each piece between neighbouring ends, whether any interval has it.
fn union(intervals: &[[f64; 2]]) -> f64 {
    let mut ends = intervals.concat();
    ends.sort_by(f64::total_cmp);
    let is_in = |x: f64| intervals.iter().any(|[a, b]| *a <= x && x <= *b);
    ends.windows(2).filter(|pair| is_in(pair[0] / 2.0 + pair[1] / 2.0)).map(|pair| pair[1] - pair[0]).sum()
}

fn lengths<V: World>(seed: u64, count: usize) {
    let (mut overlaps, mut inside) = (0, 0);
    for round in 0..count as u64 {
        let mut rng = Rng::for_stream(seed, round);
        let draw = rng.pick(&[Draw::Lattice, Draw::Ordinary]);
        let scene = scene::<V>(&mut rng, [1, 6, 30][round as usize % 3], draw, |_| true);
        let some: Vec<_> = scene.objects().map(|(id, _)| id).filter(|id| id.index() % 4 == 0).collect();
        let end = V::Scalar::from_f64(3.5);
        let query = match rng.below(4) {
            0 => Query::from(-end..=end),
            1 => Query::from(..=end).triggers(Triggers::Ignore),
            _ => Query::from(..=end),
        };
        let rays: Vec<Ray<V>> = (0..20).map(|_| rng.ray(draw, &scene.finite_bounds())).collect();
        let each = scene.layer_lengths_rays(&rays, query);
        for (ray, each) in rays.iter().zip(each) {
            assert_eq!(scene.layer_lengths(ray, query), each);
            let by_object = scene.object_lengths(ray, query);
            let speed = ray.direction.to_f64().iter().map(|x| x * x).sum::<f64>().sqrt();
            let (mut on_layer, mut objects) = (vec![Vec::new(); 32], 0);
            for (id, object) in scene.objects() {
                let ignored = object.is_trigger() && query.trigger_mode() == Triggers::Ignore;
                let spans = if ignored { hitscan::Spans::new() } else { object.instance().spans(ray, query) };
                let intervals: Vec<[f64; 2]> = spans
                    .iter()
                    .map(|span| {
                        let exit = span.exit.map_or(speed * end.to_f64(), |hit| hit.distance.to_f64());
                        [span.enter.unwrap().distance.to_f64(), exit]
                    })
                    .collect();
                let found = by_object.iter().find(|(other, _)| *other == id).map(|(_, length)| length.to_f64());
                assert_eq!(found.is_some(), !intervals.is_empty());
                objects += usize::from(found.is_some());
                close::<V>(found.unwrap_or(0.0), union(&intervals), speed);
                for (layer, on_layer) in on_layer.iter_mut().enumerate() {
                    if object.layers() >> layer & 1 == 1 {
                        on_layer.extend(&intervals);
                    }
                }
            }
            assert_eq!(by_object.len(), objects);
            for (length, intervals) in each.iter().zip(&on_layer) {
                close::<V>(length.to_f64(), union(intervals), speed);
                inside += usize::from(length.to_f64() > 0.0);
                let sum = intervals.iter().map(|[a, b]| b - a).sum::<f64>();
                overlaps += usize::from(sum > 1.01 * length.to_f64());
            }
            let rest = scene.excluding(&some).object_lengths(ray, query);
            assert!(by_object.iter().filter(|(id, _)| !some.contains(id)).eq(&rest));
            // Layers of the scene and of the query are one rule, for the members of groups, too.
            let on_layer = scene.layer_lengths(ray, query.layers(query.layer_mask() & 4));
            assert_eq!(scene.on_layers(4).layer_lengths(ray, query), on_layer);
        }
    }
    assert!(inside > count && overlaps > count / 4, "{inside} {overlaps}");
}

fn close<V: Vector>(a: f64, b: f64, speed: f64) {
    assert!((a - b).abs() <= 16.0 * V::Scalar::EPSILON.to_f64() * speed * 4.0, "{a} {b} {speed}");
}

#[test]
fn lengths_are_unions_of_spans() {
    lengths::<Vec3>(21, 60);
    lengths::<Vec2>(22, 60);
    lengths::<DVec3>(23, 12);
    lengths::<DVec2>(24, 12);
}

#[test]
fn lengths_without_an_end_are_infinite() {
    let mut scene = Scene::new();
    let ground = scene.insert(Object::new(HalfSpace::new(Vec3::ZERO, Vec3::Z).unwrap())).unwrap();
    scene.insert(Object::new(Plane::new(-Vec3::Z, Vec3::Z).unwrap())).unwrap();
    let down = Ray::new(Vec3::Z * 2.0, -Vec3::Z);
    assert_eq!(scene.object_lengths(&down, ..), [(ground, f32::INFINITY)]);
    assert_eq!(scene.object_lengths(&down, ..=5.0), [(ground, 3.0)]);
    assert_eq!(scene.object_lengths(&down, Query::line()), [(ground, f32::INFINITY)]);
    assert_eq!(scene.object_lengths(&Segment::new(Vec3::Z, Vec3::Z * -3.0), ..), [(ground, 3.0)]);
    assert_eq!(scene.object_lengths(&Ray::new(Vec3::NAN, Vec3::Z), ..), []);
    let along = Ray::new(Vec3::Z * -1.0, Vec3::X);
    assert_eq!(scene.layer_lengths(&along, Query::line())[0], f32::INFINITY);
    assert_eq!(scene.layer_lengths(&along, 1.0..=3.0)[..2], [2.0, 0.0]);
    assert!(Scene::<Vec3>::new().object_lengths(&along, ..).is_empty());
}
