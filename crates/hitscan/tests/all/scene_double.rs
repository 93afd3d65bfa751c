//! `Scene::to_double`: the same scene in `f64`.

use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, DoubleSpace, Ellipse, Ellipsoid, Frustum, Group,
    HalfPlane, HalfSpace, Inside, Line, Object, ObjectId, OrientedBox, Plane, Quad, Query, Ray, RayCast, Rectangle,
    Scene, SegmentShape, Sphere, TaperedCapsule, Transform, Triangle, Triangle2, TriangleMesh,
};
use std::error::Error;
use test_support::random::Rng;

/// A ray with numbers of `f32`, in both precisions.
trait TestSpace: DoubleSpace {
    fn ray(rng: &mut Rng) -> (Ray<Self>, Ray<Self::Double>);
}

fn numbers(rng: &mut Rng) -> [[f32; 3]; 2] {
    let mut point = |size: f32| [(); 3].map(|()| size * rng.between(-1.0, 1.0) as f32);
    [point(12.0), point(1.0)]
}

impl TestSpace for Vec3 {
    fn ray(rng: &mut Rng) -> (Ray<Self>, Ray<DVec3>) {
        let [o, d] = numbers(rng).map(Vec3::from);
        (Ray::new(o, d), Ray::new(o.as_dvec3(), d.as_dvec3()))
    }
}

impl TestSpace for Vec2 {
    fn ray(rng: &mut Rng) -> (Ray<Self>, Ray<DVec2>) {
        let [o, d] = numbers(rng).map(|[x, y, _]| Vec2::new(x, y));
        (Ray::new(o, d), Ray::new(o.as_dvec2(), d.as_dvec2()))
    }
}

/// Hits of both scenes are the same but for their digits.
fn compare<V: TestSpace>(scene: &Scene<V>) -> Result<usize, Box<dyn Error>>
where
    V::Scalar: Into<f64>,
{
    let double = scene.to_double().ok_or("a user shape")?;
    assert_eq!(double.len(), scene.len());
    let (mut rng, mut hits) = (Rng::new(11), 0);
    for _ in 0..3_000 {
        let (ray, wide) = V::ray(&mut rng);
        let (a, b) = (scene.cast_ray(&ray, ..), double.cast_ray(&wide, ..));
        assert_eq!(a.is_some(), b.is_some(), "{ray:?}");
        if let (Some(a), Some(b)) = (a, b) {
            let (a_t, b_t): (f64, f64) = (a.t.into(), b.t);
            assert!((a_t - b_t).abs() <= a_t * f64::from(f32::EPSILON), "{ray:?}: {a_t} and {b_t}");
            assert_eq!(
                (a.object, a.member, a.primitive, a.side, a.is_trigger),
                (b.object, b.member, b.primitive, b.side, b.is_trigger)
            );
            hits += 1;
        }
        assert_eq!(scene.count_hits(&ray, ..), double.count_hits(&wide, ..));
    }
    Ok(hits)
}

#[test]
fn all_shapes_of_space_have_the_same_hits() -> Result<(), Box<dyn Error>> {
    let at = |x: f32, y: f32| Vec3::new(x, y, 0.1 * x * y);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner * 2.1);
    let mesh = TriangleMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    let turned = Transform::new([Vec3::new(0.8, 0.6, 0.0), Vec3::new(-0.6, 0.8, 0.1), Vec3::Z * 1.7], at(3.0, 1.0))?;

    let mut inner = Scene::<Vec3>::new();
    inner.insert(Object::new(mesh.clone()).with_transform(turned))?;
    inner.insert(Object::new(Sphere::new(at(-1.0, 1.0), 0.7)?))?;
    let group = Group::new(inner)?;

    let mut scene = Scene::<Vec3>::new();
    let first = scene.insert(Object::new(Sphere::new(at(0.0, 4.0), 1.3)?).named("first"))?;
    scene.insert(Object::new(Plane::new(at(0.0, -9.0), Vec3::new(0.1, 1.0, 0.2))?))?;
    scene.insert(Object::new(HalfSpace::new(at(0.0, -11.0), Vec3::Y)?))?;
    scene.insert(Object::new(Disk::new(at(4.0, 4.0), Vec3::ONE, 1.1)?).with_inside(Inside::Hollow))?;
    scene.insert(Object::new(Cuboid::new(at(-4.0, 4.0), Vec3::new(0.3, 0.7, 1.1))?).as_trigger())?;
    scene.insert(Object::new(OrientedBox::with_axes(at(-4.0, 0.0), Vec3::ONE, &[Vec3::Y, -Vec3::X, Vec3::Z])?))?;
    scene.insert(Object::new(Capsule::new(at(-4.0, -4.0), at(-3.0, -3.0), 0.6)?).on_layers(4))?;
    scene.insert(Object::new(Cylinder::new(at(0.0, -4.0), at(1.0, -4.5), 0.6)?))?;
    scene.insert(Object::new(Cone::new(at(4.0, -4.0), at(4.0, -2.0), 0.8)?))?;
    scene.insert(Object::new(Frustum::new(at(7.0, -4.0), at(7.0, -2.0), 0.8, 0.3)?))?;
    scene.insert(Object::new(TaperedCapsule::new(at(10.0, -4.0), at(10.0, -2.0), 0.8, 0.3)?))?;
    scene.insert(Object::new(Ellipsoid::new(at(7.0, 4.0), Vec3::new(0.5, 1.0, 1.5))?))?;
    scene.insert(Object::new(Triangle::new(at(7.0, 0.0), at(9.0, 0.0), at(8.0, 2.0))?))?;
    scene.insert(Object::new(Quad::new(at(10.0, 0.0), Vec3::X, Vec3::new(0.3, 2.1, 0.7))?))?;
    scene.insert(Object::new(mesh))?;
    scene.insert(Object::new(group.clone()).with_transform(Transform::from_translation(at(-7.0, 0.0))?))?;
    scene.insert(Object::new(group).with_user_data(7))?;
    assert!(compare(&scene)? > 1_000);

    // Removed and late objects, and edits beside a snapshot.
    let frame = scene.snapshot();
    scene.remove(first)?;
    let late = scene.insert(Object::new(Sphere::new(at(0.0, 4.0), 1.2)?).named("late"))?;
    assert_ne!(late, first);
    compare(&scene)?;
    let double = scene.to_double().ok_or("a user shape")?;
    assert_eq!((double.find("first"), double.find("late"), double.get(first).is_none()), (None, Some(late), true));
    let at_late = Ray::new(DVec3::new(0.0, 4.0, 20.0), -DVec3::Z);
    assert_eq!(double.cast_ray(&at_late, Query::from(..)).and_then(|hit| hit.object), Some(late));
    compare(&frame)?;

    // Ids of later objects are those that the original gives, too.
    let (mut double, mut single) = (double, scene);
    let next = single.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
    assert_eq!(double.insert(Object::new(Sphere::new(DVec3::ZERO, 1.0)?))?, next);
    assert_eq!(ObjectId::from_bits(next.to_bits()), Some(next));
    assert_eq!(ObjectId::from_bits(u64::MAX), None);
    Ok(())
}

#[test]
fn all_shapes_of_the_plane_have_the_same_hits() -> Result<(), Box<dyn Error>> {
    let at = Vec2::new;
    let mut scene = Scene::<Vec2>::new();
    scene.insert(Object::new(Circle::new(at(0.1, 4.0), 1.3)?))?;
    scene.insert(Object::new(HalfPlane::new(at(0.0, -11.0), Vec2::Y)?))?;
    scene.insert(Object::new(Line::new(at(0.0, -9.0), at(0.1, 1.0))?))?;
    scene.insert(Object::new(SegmentShape::new(at(4.0, 4.0), at(5.0, 3.3))?))?;
    scene.insert(Object::new(Rectangle::new(at(-4.0, 4.0), at(0.3, 0.7))?))?;
    scene.insert(Object::new(OrientedBox::with_axes(at(-4.0, 0.0), Vec2::ONE, &[Vec2::Y, -Vec2::X])?))?;
    scene.insert(Object::new(Capsule::new(at(-4.0, -4.0), at(-3.0, -3.0), 0.6)?))?;
    scene.insert(Object::new(Triangle2::new(at(0.0, -4.0), at(1.0, -4.5), at(0.7, -3.0))?))?;
    scene.insert(Object::new(ConvexPolygon::new(vec![at(4.0, -4.0), at(5.0, -4.0), at(4.7, -2.0), at(4.0, -3.0)])?))?;
    scene.insert(Object::new(Ellipse::new(at(7.0, 4.0), at(0.5, 1.5))?))?;
    let mut outer = Scene::<Vec2>::new();
    outer.insert(Object::new(Group::new(scene.clone())?))?;
    assert!(compare(&scene)? > 1_000 && compare(&outer)? > 1_000);
    assert!(Scene::<Vec2>::new().to_double().is_some_and(|scene| scene.is_empty()));
    Ok(())
}
