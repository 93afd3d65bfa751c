//! User geometries: all queries follow from `cast`, alone, in scenes and under transforms.

use crate::support::{Draw, Rng, Sample, World};
use core::ops::RangeInclusive;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Faces, Hit, Inside, Object, Query, Ray, RayCast, Real, Scene, Segment, Shape, Side, Sphere, SweepQuery,
    Transform, UserGeometry, UserHit, UserShape, Vector,
};

/// Sphere or circle by the quadratic formula. Its center and radius are small whole numbers.
#[derive(Debug)]
struct Ball<V> {
    center: V,
    radius: f64,
    solid: bool,
}

impl<V: Vector> UserGeometry<V> for Ball<V> {
    fn aabb(&self) -> Aabb<V> {
        Sphere::new(self.center, V::Scalar::from_f64(self.radius)).unwrap().aabb()
    }
    fn is_solid(&self) -> bool {
        self.solid
    }
    fn cast(&self, ray: &Ray<V>, range: RangeInclusive<V::Scalar>) -> Option<UserHit<V>> {
        let [o, d, c] = [ray.origin, ray.direction, self.center].map(|v| v.to_xyz().map(Real::to_f64));
        let o = [0, 1, 2].map(|k| o[k] - c[k]);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (a, b, c) = (dot(d, d), dot(o, d), dot(o, o) - self.radius * self.radius);
        let root = (b * b - a * c).sqrt();
        let roots = [(-b - root) / a, (-b + root) / a].map(V::Scalar::from_f64);
        let t = roots.into_iter().find(|t| range.contains(t))?;
        let normal = [0, 1, 2].map(|k| V::Scalar::from_f64(o[k] + t.to_f64() * d[k]));
        Some(UserHit::new(t, V::from_xyz(normal)).with_primitive(7))
    }
}

/// Whether two hits agree up to the rounding of the formula, which computes in `f64` with inputs of the precision.
fn near<V: Vector>(a: &Hit<V>, b: &Hit<V>) -> bool {
    let slack = 1e4 * V::Scalar::EPSILON.to_f64();
    let close = |a: V, b: V| {
        let (a, b) = (a.to_xyz().map(Real::to_f64), b.to_xyz().map(Real::to_f64));
        (0..3).all(|k| (a[k] - b[k]).abs() <= slack * (1.0 + a[k].abs()))
    };
    (a.t.to_f64() - b.t.to_f64()).abs() <= slack * (1.0 + a.t.to_f64().abs())
        && close(a.point, b.point)
        && close(a.normal, b.normal)
        && a.side == b.side
}

/// The queries of a shape agree with each other.
fn agree<V: Vector>(shape: &impl Shape<V>, ray: &Ray<V>, query: &Query<V::Scalar>) {
    let (first, all) = (shape.cast_ray(ray, query), shape.cast_ray_all(ray, query));
    assert_eq!(first, all.first().copied(), "{ray:?} {query:?}");
    assert_eq!(shape.intersects_ray(ray, query), first.is_some(), "{ray:?} {query:?}");
    assert_eq!(shape.count_hits(ray, query), all.len());
    assert_eq!(shape.cast_ray_first(ray, query, 1)[..], all[..all.len().min(1)]);
    assert_eq!(shape.cast_rays(&[*ray; 3], query), [first; 3]);
    assert!(all.windows(2).all(|pair| pair[0].t <= pair[1].t));
    assert!(all.iter().all(|hit| hit.t >= query.t_min() && hit.t <= query.t_max()));
}

/// A ball by the formula is hit where the library's sphere is, wherever the formula decides with a margin.
fn balls<V: World>(count: usize, seed: u64) {
    let (mut rng, mut same, mut hits) = (Rng::new(seed), 0, 0);
    for _ in 0..count {
        let center = rng.vector::<V>(Draw::Lattice);
        let radius = rng.int(1, 4) as f64;
        let ours = Sphere::new(center, V::Scalar::from_f64(radius)).unwrap();
        let user = UserShape::new(Ball { center, radius, solid: true });
        let transform = match rng.below(3) {
            0 => Transform::identity(),
            1 => Transform::from_translation(rng.vector(Draw::Lattice)).unwrap(),
            _ => {
                let scale = V::from_xyz([2.0, -0.5, 3.0].map(V::Scalar::from_f64));
                Transform::identity().with_scale(scale).unwrap()
            }
        };
        let scene = |object: Object<V>| {
            let mut scene = Scene::new();
            scene.insert(object.with_transform(transform)).unwrap();
            scene
        };
        let (ours, user) = (scene(Object::new(ours)), scene(Object::new(user)));
        for _ in 0..10 {
            let ray = rng.ray::<V>(Draw::Ordinary, &ours.aabb());
            let query = rng.query::<V::Scalar>(Draw::Ordinary);
            let query = if rng.once_in(2) { query.inside(Inside::Hollow) } else { query };
            agree(&user, &ray, &query);
            let (a, b) = (ours.cast_ray_all(&ray, query), user.cast_ray_all(&ray, query));
            let alike = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| near(a, b));
            let (s, t) = (ours.spans(&ray, query), user.spans(&ray, query));
            let spans = s.len() == t.len()
                && s.iter()
                    .zip(&t)
                    .all(|(s, t)| s.enter.is_some() == t.enter.is_some() && s.exit.is_some() == t.exit.is_some());
            same += usize::from(alike && spans && ours.contains(ray.origin) == user.contains(ray.origin));
            hits += usize::from(!a.is_empty());
        }
    }
    // Tangents, and rays that start on the surface, are decided by rounding.
    assert!(same * 1000 >= count * 10 * 995, "{same} of {} alike", count * 10);
    assert!(hits > count, "{hits} hits");
}

#[test]
fn user_geometries_follow_the_rules_of_queries() {
    balls::<Vec3>(300, 1);
    balls::<Vec2>(300, 2);
    balls::<DVec3>(100, 3);
    balls::<DVec2>(100, 4);
}

/// In a scene, the closest object wins, batches equal single rays, and ties go by insertion.
#[test]
fn user_geometries_in_scenes() {
    let mut rng = Rng::new(5);
    let mut scene = Scene::<Vec3>::new();
    for i in 0..60 {
        let (center, radius) = (rng.in_cube::<Vec3>() * 20.0, rng.int(1, 3) as f64);
        let object = match i % 3 {
            0 => Object::new(Sphere::new(center, radius as f32).unwrap()),
            1 => Object::new(UserShape::new(Ball { center: center.round(), radius, solid: true })),
            _ => Object::new(UserShape::new(Ball { center: center.round(), radius, solid: false }))
                .with_transform(Transform::identity().with_scale(Vec3::new(1.0, 2.0, 1.0)).unwrap()),
        };
        scene.insert(object).unwrap();
    }
    scene.commit();
    let rays: Vec<_> = (0..500).map(|_| rng.ray::<Vec3>(Draw::Ordinary, &scene.aabb())).collect();
    let linear = scene.linear_scan();
    let single: Vec<_> = rays.iter().map(|ray| scene.cast_ray(ray, ..)).collect();
    assert_eq!(scene.cast_rays(&rays, ..), single);
    assert_eq!(linear.cast_rays(&rays, ..), single);
    assert!(scene.intersects_rays(&rays, ..).iter().zip(&single).all(|(any, hit)| *any == hit.is_some()));
    rays.iter().for_each(|ray| agree(&scene, ray, &Query::new()));
    let user = single.iter().flatten().filter(|hit| hit.primitive == Some(7)).count();
    assert!(user > 50, "{user} rays hit user geometries");
    let segment = Segment::new(rays[0].origin, rays[0].at(1.0));
    assert_eq!(scene.cast_ray(&segment, ..).is_some(), scene.cast_ray(&rays[0], ..=1.0).is_some());
}

/// The unit ball, which measures only near its bounds.
#[derive(Debug)]
struct NearBall;

impl UserGeometry<DVec3> for NearBall {
    fn aabb(&self) -> Aabb<DVec3> {
        Aabb::from_points([-DVec3::ONE, DVec3::ONE])
    }
    fn cast(&self, _: &Ray<DVec3>, _: RangeInclusive<f64>) -> Option<UserHit<DVec3>> {
        None
    }
    fn closest_point(&self, point: DVec3) -> Option<DVec3> {
        assert!(point.abs().max_element() < 2.0, "{point}");
        Some(point.normalize())
    }
}

/// A sphere that passes the geometry goes no farther than its bounds. The geometry comes back in its own type.
#[test]
fn moving_spheres_stop_behind_the_bounds() {
    let shape = UserShape::new(NearBall);
    // All within the box inflated by the radius; the last two pass beside the ball.
    for y in [0.0, 0.7, 1.06, 1.07, 1.4] {
        let ray = Ray::new(DVec3::new(-9.0, y, y), DVec3::X);
        let hit = shape.cast_sphere(&ray, 0.5, ..);
        assert_eq!(hit.is_some(), y < 1.065, "{y}");
        let t = 9.0 - (2.25 - 2.0 * y * y).max(0.0).sqrt();
        assert!(hit.is_none_or(|hit| (hit.t - t).abs() < 1e-7), "{y} {hit:?} {t}");
    }
    let geometry: &dyn core::any::Any = shape.geometry();
    assert!(geometry.is::<NearBall>());
}

/// Reports what no geometry should.
#[derive(Debug)]
struct Liar(f32, Vec3);

impl UserGeometry<Vec3> for Liar {
    fn aabb(&self) -> Aabb<Vec3> {
        Aabb::from_points([-Vec3::ONE, Vec3::ONE])
    }
    fn cast(&self, _: &Ray<Vec3>, _: RangeInclusive<f32>) -> Option<UserHit<Vec3>> {
        Some(UserHit::new(self.0, self.1))
    }
}

#[test]
fn hits_that_cannot_be_are_ignored() {
    let ray = Ray::new(Vec3::Z * -5.0, Vec3::Z);
    for t in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 11.0] {
        let liar = UserShape::new(Liar(t, Vec3::Z));
        let query = Query::from(..=10.0).inside(Inside::Hollow);
        assert_eq!(liar.cast_ray(&ray, query), None, "{t}");
        assert_eq!((liar.intersects_ray(&ray, query), liar.count_hits(&ray, query)), (false, 0), "{t}");
    }
    for t in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(!UserShape::new(Liar(t, Vec3::X)).contains(Vec3::ZERO), "{t}");
    }
    // The one t again and again is one hit; a normal that is none gives way.
    for normal in [Vec3::ZERO, Vec3::NAN, Vec3::X * f32::INFINITY] {
        let liar = UserShape::new(Liar(4.0, normal));
        let hits = liar.cast_ray_all(&ray, Query::new().inside(Inside::Hollow));
        assert_eq!(hits.iter().map(|hit| (hit.t, hit.normal)).collect::<Vec<_>>(), [(4.0, -Vec3::Z)]);
    }
    let liar = UserShape::new(Liar(4.0, Vec3::Z));
    for ray in [Ray::new(Vec3::ZERO, Vec3::ZERO), Ray::new(Vec3::NAN, Vec3::X), Ray::new(Vec3::X, Vec3::INFINITY)] {
        assert_eq!((liar.cast_ray(&ray, ..), liar.intersects_ray(&ray, ..)), (None, false));
    }
}

/// A surface has two faces, contains nothing and has no spans.
#[test]
fn surfaces_of_users() {
    let shell = UserShape::new(Ball { center: Vec3::ZERO, radius: 2.0, solid: false });
    let ray = Ray::new(Vec3::Z * -5.0, Vec3::Z);
    let t = |faces| shell.cast_ray_all(&ray, Query::new().faces(faces)).iter().map(|hit| hit.t).collect::<Vec<_>>();
    assert_eq!((t(Faces::Both), t(Faces::Front), t(Faces::Back)), (vec![3.0, 7.0], vec![3.0], vec![7.0]));
    assert!(shell.intersects_ray(&ray, Query::from(..=6.0).faces(Faces::Front)));
    assert!(!shell.intersects_ray(&ray, Query::from(..=6.0).faces(Faces::Back)));
    assert!(!shell.contains(Vec3::ZERO) && shell.spans(&ray, ..).is_empty());
    let inner = shell.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X), ..).unwrap();
    assert_eq!((inner.t, inner.side, inner.normal), (2.0, Side::Back, Vec3::X));
}

/// Saving refuses a user geometry, and names its object; triggers are saved.
#[test]
fn user_geometries_are_not_saved() {
    let mut scene = Scene::<Vec3>::new();
    let trigger = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap()).as_trigger()).unwrap();
    let loaded = Scene::<Vec3>::from_bytes(&scene.to_bytes().unwrap()).unwrap();
    assert!(loaded.get(trigger).unwrap().is_trigger());
    let shell =
        scene.insert(Object::new(UserShape::new(Ball { center: Vec3::ZERO, radius: 2.0, solid: false }))).unwrap();
    assert_eq!(scene.to_bytes(), Err(hitscan::SaveError::Shape { path: vec![shell] }));
}
