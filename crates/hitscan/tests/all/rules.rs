//! The rules of queries, one test for each column of the table in docs/queries.md: every query keeps every rule that has a
//! meaning for it.

use core::ops::ControlFlow;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape2, AnyShape3, Capsule, Coplanar, Cuboid, Disk, Faces, FilteredScene, Inside, Line, Object, ObjectId,
    OverlapQuery, Plane, PointQuery, Query, RangedRay, Ray, RayCast, Real, Scene, Segment, SegmentShape, Shape, Space,
    Sphere, SweepQuery, Transform, Triangle, TriangleMesh, Triggers, Vector, Vector3, Volume,
};

/// A way from a point, as a ray with a range of its own and as a motion.
#[derive(Clone, Copy)]
struct Way<V: Vector> {
    from: V,
    by: V,
    /// The range and the layers of the ray itself.
    own: (V::Scalar, V::Scalar, u32),
}

impl<V: Vector> Way<V> {
    fn new(from: V, by: V) -> Self {
        Self { from, by, own: (-V::Scalar::INFINITY, V::Scalar::MAX, u32::MAX) }
    }
    fn ray(&self) -> RangedRay<V> {
        let (t_min, t_max, layers) = self.own;
        RangedRay::new(Ray::new(self.from, self.by), t_min, t_max).layers(layers)
    }
    /// A small box around the beginning.
    fn volume(&self) -> Volume<V>
    where
        Cuboid<V>: Into<Volume<V>>,
    {
        let half = V::Scalar::from_f64(1.0 / 1024.0);
        Cuboid::new(self.from, V::from_xyz([half; 3])).unwrap().into()
    }
}

/// A scene behind a filter of any type.
type View<'a, V> = FilteredScene<'a, V, &'a (dyn Fn(ObjectId, &Object<V>) -> bool + Send + Sync + 'a)>;

fn view<V: Space>(scene: &Scene<V>) -> View<'_, V> {
    scene.filtered(&|_, _| true)
}

/// Whether a query sees an object on a way.
type Sees<V> = fn(&View<'_, V>, &Way<V>, Query<<V as Vector>::Scalar>) -> bool;

/// A query, and whether rays of it have ranges and layers of their own.
struct Kind<V: Space> {
    name: &'static str,
    sees: Sees<V>,
    has_rays: bool,
}

/// The queries of one hit: the rules for triggers treat them alike.
fn of_one_hit<V: Space>() -> Vec<Kind<V>> {
    let kind = |name, sees: Sees<V>, has_rays| Kind { name, sees, has_rays };
    vec![
        kind("closest", |scene, way, query| scene.cast_ray(&way.ray(), query).is_some(), true),
        kind("any", |scene, way, query| scene.intersects_ray(&way.ray(), query), true),
        kind("closest of a batch", |scene, way, query| scene.cast_rays(&[way.ray(); 40], query)[39].is_some(), true),
        kind("any of a batch", |scene, way, query| scene.intersects_rays(&[way.ray(); 40], query)[39], true),
        kind("where", |scene, way, query| scene.cast_ray_where(&way.ray(), query, |_| true).is_some(), true),
        kind("through", |scene, way, query| scene.cast_ray_through(&way.ray(), query).hit.is_some(), true),
        kind("sight", |scene, way, query| !scene.line_of_sight(way.from, way.from + way.by, query), false),
        kind("visible", |scene, way, query| !scene.visible_from(way.from, &[way.from + way.by], query)[0], false),
        kind(
            "sphere",
            |scene, way, query| scene.cast_sphere(&way.ray(), V::Scalar::from_f64(1.0 / 1024.0), query).is_some(),
            true,
        ),
        kind("volume", |scene, way, query| scene.cast_volume(way.volume(), way.by, query).is_some(), false),
        kind(
            "volume along",
            |scene, way, query| scene.cast_volume_along(way.volume(), &[way.by], query)[0].is_some(),
            false,
        ),
    ]
}

/// The queries of all hits.
fn of_all_hits<V: Space>() -> Vec<Kind<V>> {
    let kind = |name, sees: Sees<V>| Kind { name, sees, has_rays: true };
    vec![
        kind("all", |scene, way, query| !scene.cast_ray_all(&way.ray(), query).is_empty()),
        kind("first k", |scene, way, query| !scene.cast_ray_first(&way.ray(), query, 2).is_empty()),
        kind("each", |scene, way, query| scene.for_each_hit(&way.ray(), query, |_| ControlFlow::Break(())).is_break()),
        kind("count", |scene, way, query| scene.count_hits(&way.ray(), query) > 0),
        kind("columns", |scene, way, query| !scene.cast_rays_all(&[way.ray()], query).hits().is_empty()),
    ]
}

/// The queries of the inside of solids.
fn of_spans<V: Space>() -> Vec<Kind<V>> {
    let kind = |name, sees: Sees<V>| Kind { name, sees, has_rays: true };
    vec![
        kind("spans", |scene, way, query| !scene.spans(&way.ray(), query).is_empty()),
        kind("lengths", |scene, way, query| !scene.object_lengths(&way.ray(), query).is_empty()),
        kind("layer lengths", |scene, way, query| {
            scene.layer_lengths(&way.ray(), query).iter().any(|length| *length > V::Scalar::ZERO)
        }),
    ]
}

/// The queries of points and volumes, which have no query.
fn of_points<V: Space>() -> Vec<Kind<V>> {
    let kind = |name, sees: Sees<V>| Kind { name, sees, has_rays: false };
    vec![
        kind("contains", |scene, way, _| scene.contains(way.from + way.by)),
        kind("closest point", |scene, way, _| scene.closest_point(way.from + way.by).is_some()),
        kind("distance", |scene, way, _| scene.distance(way.from + way.by).is_some()),
        kind("signed distance", |scene, way, _| {
            scene.signed_distance(way.from + way.by).is_some_and(|distance| distance < V::Scalar::ZERO)
        }),
        kind("nearest", |scene, way, _| {
            scene.closest_primitives(way.from + way.by, 1).is_ok_and(|found| !found.is_empty())
        }),
        kind("overlaps", |scene, way, _| {
            scene.overlaps(Sphere::new(way.from + way.by, V::Scalar::from_f64(1.0 / 1024.0)).unwrap())
        }),
        kind("overlapping", |scene, way, _| {
            let ball = Sphere::new(way.from + way.by, V::Scalar::from_f64(1.0 / 1024.0)).unwrap();
            !scene.overlapping(ball).is_empty()
        }),
    ]
}

fn every_kind<V: Space>() -> Vec<Kind<V>> {
    [of_one_hit(), of_all_hits(), of_spans(), of_points()].into_iter().flatten().collect()
}

fn along_x<V: Vector>(x: f64) -> V {
    let zero = V::Scalar::ZERO;
    V::from_xyz([V::Scalar::from_f64(x), zero, zero])
}

/// A ball of radius 1 around (8, 0, 0), and a way from the origin to its centre. Nothing is beside it, or a far one.
fn with_ball<V: Space>(change: impl Fn(Object<V>) -> Object<V>, is_alone: bool) -> Scene<V>
where
    Sphere<V>: Into<V::Shape>,
{
    let mut scene = Scene::new();
    scene.insert(change(Object::new(Sphere::new(along_x(8.0), V::Scalar::ONE).unwrap()))).unwrap();
    if !is_alone {
        // On layer 5, behind the beginning of the way.
        let far = Object::new(Sphere::new(along_x(-80.0), V::Scalar::ONE).unwrap()).on_layers(1 << 5);
        scene.insert(far).unwrap();
    }
    scene
}

/// A space in which the tests run.
trait Tested: Space {
    /// Surfaces through the origin across the x axis; rays along it meet their front where the sign is negative.
    fn surfaces() -> Vec<(&'static str, Self::Shape, f64)>;
    /// A transform that mirrors x, and one that does not.
    fn transforms() -> [Transform<Self>; 2];
}

fn in_space<V: Vector3 + Space<Shape = AnyShape3<V>>>() -> Vec<(&'static str, AnyShape3<V>, f64)> {
    let point = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let normal = point(1.0, 0.25, 0.0);
    // Counter-clockwise seen from +x.
    let corners = [point(0.0, -4.0, -4.0), point(0.0, 4.0, -4.0), point(0.0, 0.0, 4.0)];
    let [a, b, c] = corners;
    vec![
        ("plane", Plane::new(V::splat(V::Scalar::ZERO), normal).unwrap().into(), 1.0),
        ("disk", Disk::new(V::splat(V::Scalar::ZERO), -normal, V::Scalar::ONE).unwrap().into(), -1.0),
        ("triangle", Triangle::new(a, b, c).unwrap().into(), 1.0),
        ("mesh", TriangleMesh::new(corners.to_vec(), vec![[0, 2, 1]]).unwrap().into(), -1.0),
    ]
}

fn in_plane<V: hitscan::Vector2 + Space<Shape = AnyShape2<V>>>() -> Vec<(&'static str, AnyShape2<V>, f64)> {
    let point = |x: f64, y: f64| V::from_xyz([x, y, 0.0].map(V::Scalar::from_f64));
    vec![
        ("line", Line::new(point(0.0, 0.0), point(1.0, 0.25)).unwrap().into(), 1.0),
        // The front is on the right of the way from `a` to `b`.
        ("segment", SegmentShape::new(point(0.0, -4.0), point(0.0, 4.0)).unwrap().into(), 1.0),
        ("segment", SegmentShape::new(point(0.0, 4.0), point(0.0, -4.0)).unwrap().into(), -1.0),
    ]
}

macro_rules! tested {
    ($($vector:ty: $surfaces:expr, $axes:expr);+) => {$(
        impl Tested for $vector {
            fn surfaces() -> Vec<(&'static str, Self::Shape, f64)> {
                $surfaces
            }
            fn transforms() -> [Transform<Self>; 2] {
                let axes: [Self; <Self as Vector>::DIM] = $axes;
                let mut mirrored = axes;
                mirrored[0] = -mirrored[0];
                [axes, mirrored].map(|axes| Transform::new(axes, <$vector>::ZERO).unwrap())
            }
        }
    )+};
}
tested! {
    Vec2: in_plane(), [Vec2::new(3.0, 1.0), Vec2::Y];
    DVec2: in_plane(), [DVec2::new(3.0, 1.0), DVec2::Y];
    Vec3: in_space(), [Vec3::new(3.0, 1.0, 0.0), Vec3::Y, Vec3::Z];
    DVec3: in_space(), [DVec3::new(3.0, 1.0, 0.0), DVec3::Y, DVec3::Z]
}

/// Runs a test in each space.
macro_rules! in_each_space {
    ($($name:ident: $test:ident;)+) => {$(
        #[test]
        fn $name() {
            $test::<Vec2>();
            $test::<DVec2>();
            $test::<Vec3>();
            $test::<DVec3>();
        }
    )+};
}
in_each_space! {
    faces_hold_for_every_query: faces;
    the_rule_for_starts_inside_holds_for_every_query: inside;
    layers_hold_for_every_query: layers;
    triggers_hold_for_every_query: triggers;
    filters_hold_for_every_query: filters;
    ranges_hold_for_every_query: ranges;
    ranges_and_layers_of_rays_hold_for_every_query: ranges_of_rays;
}

/// Column *faces*: surfaces count from one side by the direction of the ray or the motion, alone, placed, and by the rule of
/// their object.
fn faces<V: Tested>() {
    let kinds: Vec<Kind<V>> = [of_one_hit(), of_all_hits()].into_iter().flatten().collect();
    let both = Query::new();
    for (name, shape, facing) in V::surfaces() {
        for (transform, sign) in [Transform::identity()].iter().chain(&V::transforms()).zip([1.0, 1.0, -1.0]) {
            for direction in [1.0, -1.0] {
                let way = Way::new(along_x(-2.0 * direction), along_x(4.0 * direction));
                for faces in [Faces::Both, Faces::Front, Faces::Back] {
                    let sees = match faces {
                        Faces::Both => true,
                        Faces::Front => facing * sign * direction < 0.0,
                        Faces::Back => facing * sign * direction > 0.0,
                    };
                    let object = Object::new(shape.clone()).with_transform(*transform);
                    let mut by_query = Scene::new();
                    by_query.insert(object.clone()).unwrap();
                    let mut by_object = Scene::new();
                    by_object.insert(object.with_faces(faces)).unwrap();
                    for Kind { name: kind, sees: ask, .. } in &kinds {
                        let case = format!("{kind} {name} {faces:?} {direction} {sign}");
                        assert_eq!(ask(&view(&by_query), &way, both.faces(faces)), sees, "{case}");
                        assert_eq!(ask(&view(&by_object), &way, both), sees, "{case}, by its object");
                    }
                }
            }
        }
    }
}

/// Column *inside*: a query that starts in a solid sees it at once, or only where it leaves.
fn inside<V: Tested>()
where
    Sphere<V>: Into<V::Shape>,
{
    let kinds: Vec<Kind<V>> = [of_one_hit(), of_all_hits()].into_iter().flatten().collect();
    // Within the ball all along.
    let way = Way::new(along_x(8.0), along_x(0.5));
    let within = Query::new().range(V::Scalar::ZERO, V::Scalar::ONE);
    for (inside, sees) in [(Inside::Solid, true), (Inside::Hollow, false)] {
        for (scene, query) in [
            (with_ball::<V>(|ball| ball, true), within.inside(inside)),
            (with_ball::<V>(|ball| ball.with_inside(inside), true), within),
        ] {
            for Kind { name, sees: ask, .. } in &kinds {
                assert_eq!(ask(&view(&scene), &way, query), sees, "{name} {inside:?}");
            }
            // Spans and lengths are those of the solid under both rules.
            for Kind { name, sees: ask, .. } in of_spans() {
                assert!(ask(&view(&scene), &way, query), "{name} {inside:?}");
            }
        }
    }
}

/// A way to the centre of the ball.
fn to_ball<V: Vector>() -> Way<V> {
    Way::new(along_x(0.0), along_x(8.0))
}

/// Column *layers*: of the query, of a view of the scene, and of both.
fn layers<V: Tested>()
where
    Sphere<V>: Into<V::Shape>,
{
    for is_alone in [true, false] {
        let (scene, way) = (with_ball::<V>(|ball| ball.on_layers(0b10), is_alone), to_ball());
        for Kind { name, sees, .. } in every_kind() {
            // A view: layer 5 has the far ball, which queries of points may find.
            assert!(sees(&view(&scene).on_layers(0b110), &way, Query::new()), "{name}");
            assert!(!sees(&view(&scene).on_layers(0b101), &way, Query::new()), "{name}");
        }
        for Kind { name, sees, .. } in [of_one_hit(), of_all_hits(), of_spans()].into_iter().flatten() {
            let whole = view(&scene);
            assert!(sees(&whole, &way, Query::new().layers(0b110)), "{name}");
            assert!(!sees(&whole, &way, Query::new().layers(0b101)), "{name}");
            assert!(!sees(&view(&scene).on_layers(0b10), &way, Query::new().layers(0b100)), "{name}");
        }
        // The thickness behind a hit is that of its object, if the view has its layer.
        let hit = scene.cast_ray(&way.ray(), ..).unwrap();
        let is_measured = |layers: u32| view(&scene).on_layers(layers).thickness(&hit).is_some();
        assert!(is_measured(0b110) && !is_measured(0b101));
    }
}

/// Column *triggers*: queries of one hit pass through triggers, queries of all hits and spans do not, points and volumes have no
/// such rule.
fn triggers<V: Tested>()
where
    Sphere<V>: Into<V::Shape>,
{
    for is_alone in [true, false] {
        let scene = with_ball::<V>(Object::as_trigger, is_alone);
        let (whole, way, query) = (view(&scene), to_ball(), Query::new());
        for Kind { name, sees, .. } in of_one_hit() {
            assert!(!sees(&whole, &way, query), "{name}");
            assert_eq!(sees(&whole, &way, query.triggers(Triggers::Hit)), name != "through", "{name}");
            assert!(!sees(&whole, &way, query.triggers(Triggers::Ignore)), "{name}");
        }
        for Kind { name, sees, .. } in [of_all_hits(), of_spans()].into_iter().flatten() {
            assert!(sees(&whole, &way, query), "{name}");
            assert!(sees(&whole, &way, query.triggers(Triggers::Hit)), "{name}");
            assert!(!sees(&whole, &way, query.triggers(Triggers::Ignore)), "{name}");
        }
        // The ray that goes through them lists them.
        let through = whole.cast_ray_through(&way.ray(), query);
        assert!(through.hit.is_none() && through.triggers.len() == 2);
        for Kind { name, sees, .. } in of_points() {
            assert!(sees(&whole, &way, query), "{name}");
        }
        // A trigger has a thickness.
        let hit = whole.cast_ray(&way.ray(), query.triggers(Triggers::Hit)).unwrap();
        assert!(hit.is_trigger && whole.thickness(&hit).is_some());
    }
}

/// Column *filters*: a view without the object.
fn filters<V: Tested>()
where
    Sphere<V>: Into<V::Shape>,
{
    let (scene, way) = (with_ball::<V>(|ball| ball, true), to_ball());
    let ids: Vec<_> = scene.objects().map(|(id, _)| id).collect();
    for Kind { name, sees, .. } in every_kind() {
        assert!(sees(&view(&scene), &way, Query::new()), "{name}");
        assert!(!sees(&view(&scene).excluding(&ids), &way, Query::new()), "{name}");
        assert!(sees(&scene.filtered(&|_, _| true), &way, Query::new()), "{name}");
        assert!(!sees(&scene.filtered(&|id, _| !ids.contains(&id)), &way, Query::new()), "{name}");
    }
    // The thickness behind a hit is that of its object, if the view has it.
    let hit = scene.cast_ray(&way.ray(), ..).unwrap();
    assert!(scene.thickness(&hit).is_some() && scene.excluding(&ids).thickness(&hit).is_none());
}

/// Column *ranges*: of the query. The way meets the ball at `t = 7/8`.
fn ranges<V: Tested>()
where
    Sphere<V>: Into<V::Shape>,
{
    for is_alone in [true, false] {
        let (scene, way) = (with_ball::<V>(|ball| ball, is_alone), to_ball());
        let until = |t: f64| Query::new().range(V::Scalar::ZERO, V::Scalar::from_f64(t));
        for Kind { name, sees, .. } in [of_one_hit(), of_all_hits(), of_spans()].into_iter().flatten() {
            assert!(sees(&view(&scene), &way, until(0.9375)), "{name}");
            assert!(!sees(&view(&scene), &way, until(0.8125)), "{name}");
            let behind = Query::new().range(V::Scalar::from_f64(1.5), V::Scalar::MAX);
            assert!(!sees(&view(&scene), &way, behind), "{name}");
        }
    }
}

/// Column *ranges per ray*: and layers per ray.
fn ranges_of_rays<V: Tested>()
where
    Sphere<V>: Into<V::Shape>,
{
    for is_alone in [true, false] {
        let scene = with_ball::<V>(|ball| ball.on_layers(0b10), is_alone);
        let own =
            |t: f64, layers: u32| Way { own: (V::Scalar::ZERO, V::Scalar::from_f64(t), layers), ..to_ball::<V>() };
        let kinds = [of_one_hit(), of_all_hits(), of_spans()].into_iter().flatten().filter(|kind| kind.has_rays);
        for Kind { name, sees, .. } in kinds {
            assert!(sees(&view(&scene), &own(0.9375, u32::MAX), Query::new()), "{name}");
            assert!(!sees(&view(&scene), &own(0.8125, u32::MAX), Query::new()), "{name}");
            assert!(!sees(&view(&scene), &own(0.9375, 0b1), Query::new()), "{name}");
        }
    }
}

/// Column *coplanar*: rays hit what they run in if the query says so, lines of sight always.
#[test]
fn coplanar_rays_hold_for_every_query() {
    let mut scene = Scene::<DVec2>::new();
    scene.insert(Object::new(SegmentShape::new(DVec2::X * 6.0, DVec2::X * 9.0).unwrap())).unwrap();
    let (whole, way, query) = (view(&scene), to_ball(), Query::new());
    for Kind { name, sees, .. } in [of_one_hit(), of_all_hits()].into_iter().flatten() {
        // Spheres and volumes touch what is in their way.
        let is_always = ["sight", "visible", "sphere", "volume", "volume along"].contains(&name);
        assert_eq!(sees(&whole, &way, query), is_always, "{name}");
        assert!(sees(&whole, &way, query.coplanar(Coplanar::Hit)), "{name}");
    }
    for Kind { name, sees, .. } in of_spans() {
        assert!(!sees(&whole, &way, query.coplanar(Coplanar::Hit)), "{name}");
    }
}

/// A platform that is solid from above and open from below, for whatever moves.
#[test]
fn a_one_way_platform() {
    let mut scene = Scene::new();
    let platform =
        Triangle::new(Vec3::new(-9.0, 0.0, -9.0), Vec3::new(0.0, 0.0, 9.0), Vec3::new(9.0, 0.0, -9.0)).unwrap();
    scene.insert(Object::new(platform).with_faces(Faces::Front)).unwrap();
    let (above, below) = (Vec3::Y * 3.0, Vec3::Y * -3.0);
    let lands = |volume: Volume<Vec3>, by: Vec3| scene.cast_volume(&volume, by, ..).is_some();
    let feet = |at: Vec3| Volume::from(Cuboid::new(at, Vec3::splat(0.5)).unwrap());
    let body = |at: Vec3| Volume::from(Capsule::new(at, at + Vec3::Y, 0.5).unwrap());
    assert!(lands(feet(above), -Vec3::Y) && !lands(feet(below), Vec3::Y));
    assert!(lands(body(above), -Vec3::Y) && !lands(body(below), Vec3::Y));
    // Beside it, in parallel: neither side.
    assert!(!lands(feet(Vec3::Y * 0.25), Vec3::X));
    let sight = Segment::new(below, above);
    assert!(!scene.intersects_ray(&sight, ..) && scene.intersects_ray(&Segment::new(above, below), ..));
}
