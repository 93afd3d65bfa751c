//! Edits of scenes: the answers of a scene built anew, after every edit, before and after a commit, and of snapshots.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Aabb, Accelerator, Circle, Cuboid, Faces, Group, HalfSpace, Hit, Inside, Object, ObjectId, Query, Ray, RayCast,
    Scene, SceneBuilder, SceneError, Segment, Shape, Span, Sphere, Transform,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// One object as the scene should have it.
#[derive(Clone, Debug)]
struct Expected<V: World> {
    id: ObjectId,
    object: Object<V>,
}

/// A scene that is edited, and the objects that it should have, in the order of insertion.
struct Edited<V: World> {
    scene: Scene<V>,
    expected: Vec<Expected<V>>,
    given: Vec<ObjectId>,
    draw: Draw,
}

/// A hit without its id, and the place of its object in the order of insertion.
type PlacedHit<V> = (Hit<V>, Option<usize>);

/// Answers with the place of each object in the order of insertion in place of its id.
#[derive(Debug, PartialEq)]
struct Answers<V: World> {
    first: Option<PlacedHit<V>>,
    any: bool,
    all: Vec<PlacedHit<V>>,
    count: usize,
    spans: Vec<[Option<PlacedHit<V>>; 2]>,
    contains: bool,
    segment: Option<PlacedHit<V>>,
}

fn answers<V: World>(scene: &Scene<V>, ray: &Ray<V>, query: &Query<V::Scalar>) -> Answers<V> {
    let places: HashMap<ObjectId, usize> = scene.objects().enumerate().map(|(i, (id, _))| (id, i)).collect();
    let placed = |mut hit: Hit<V>| {
        let place = hit.object.and_then(|id| places.get(&id).copied());
        hit.object = None;
        (hit, place)
    };
    let segment = Segment::new(ray.origin, ray.origin + ray.direction);
    Answers {
        first: scene.cast_ray(ray, query).map(placed),
        any: scene.intersects_ray(ray, query),
        all: scene.cast_ray_all(ray, query).into_iter().map(placed).collect(),
        count: scene.count_hits(ray, query),
        spans: scene
            .spans(ray, query)
            .iter()
            .map(|Span { enter, exit }| [enter.map(placed), exit.map(placed)])
            .collect(),
        contains: scene.contains(ray.origin),
        segment: scene.cast_ray(&segment, query).map(placed),
    }
}

/// The fields that differ.
fn difference<V: World>(a: &Answers<V>, b: &Answers<V>) -> String {
    let pairs = [
        (format!("first {:?}", a.first), format!("first {:?}", b.first)),
        (format!("any {} contains {}", a.any, a.contains), format!("any {} contains {}", b.any, b.contains)),
        (format!("all {:?}", a.all), format!("all {:?}", b.all)),
        (format!("count {}", a.count), format!("count {}", b.count)),
        (format!("spans {:?}", a.spans), format!("spans {:?}", b.spans)),
        (format!("segment {:?}", a.segment), format!("segment {:?}", b.segment)),
    ];
    pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| format!("{a}\n{b}\n")).collect()
}

impl<V: World> Edited<V> {
    fn new(count: usize, draw: Draw, rng: &mut Rng) -> Self {
        let mut builder = SceneBuilder::new();
        let mut expected = Vec::new();
        for _ in 0..count {
            let object = object(rng, draw);
            expected.push(Expected { id: builder.insert(object.clone()).unwrap(), object });
        }
        let given = expected.iter().map(|one| one.id).collect();
        let scene = if count == 0 { Scene::new() } else { builder.build() };
        Self { scene, expected, given, draw }
    }

    /// One random edit.
    fn edit(&mut self, rng: &mut Rng) {
        let at = rng.below(self.expected.len().max(1));
        let Some(Expected { id, object: old }) = self.expected.get(at).cloned() else { return self.insert(rng) };
        match rng.below(12) {
            0..=2 => self.insert(rng),
            3 | 4 => {
                let gone = self.scene.remove(id).unwrap();
                assert_eq!(format!("{gone:?}"), format!("{old:?}"));
                self.expected.remove(at);
                for stale in [self.scene.remove(id).err(), self.scene.set_layers(id, 1).err()] {
                    assert_eq!(stale, Some(SceneError::NoObject(id)));
                }
            }
            5 => {
                let mask = 1 << rng.below(3);
                self.scene.set_layers(id, mask).unwrap();
                self.expected[at].object = old.on_layers(mask);
            }
            6 => {
                let faces = [Faces::Both, Faces::Front, Faces::Back][rng.below(3)];
                self.scene.set_faces(id, Some(faces)).unwrap();
                self.expected[at].object = old.with_faces(faces);
            }
            7 => {
                let inside = [Inside::Solid, Inside::Hollow][rng.below(2)];
                self.scene.set_inside(id, Some(inside)).unwrap();
                self.expected[at].object = old.with_inside(inside);
            }
            8 => {
                let transform = transform(rng);
                self.scene.set_transform(id, transform).unwrap();
                self.expected[at].object = old.with_transform(transform);
            }
            _ => {
                let new = object::<V>(rng, self.draw);
                self.scene.set_shape(id, new.shape().clone()).unwrap();
                let new = Object::new(new.shape().clone()).on_layers(old.layers());
                let new = old.transform().map_or(new.clone(), |transform| new.with_transform(*transform));
                let new = old.faces().map_or(new.clone(), |faces| new.with_faces(faces));
                self.expected[at].object = old.inside().map_or(new.clone(), |inside| new.with_inside(inside));
            }
        }
    }

    fn insert(&mut self, rng: &mut Rng) {
        let object = object(rng, self.draw);
        let id = self.scene.insert(object.clone()).unwrap();
        assert!(!self.given.contains(&id), "{id} again");
        self.given.push(id);
        self.expected.push(Expected { id, object });
    }

    /// Compares all queries with those of a scene built anew, without a BVH.
    fn check(&self, rng: &mut Rng, rays: usize) {
        let Self { scene, expected, .. } = self;
        assert_eq!((scene.len(), scene.is_empty()), (expected.len(), expected.is_empty()));
        assert!(scene.objects().map(|(id, _)| id).eq(expected.iter().map(|one| one.id)), "the order of insertion");
        let mut builder = SceneBuilder::new();
        let looked_at = rng.below(expected.len().max(1));
        for (i, Expected { id, object }) in expected.iter().enumerate() {
            if i == looked_at {
                assert_eq!(scene.get(*id).map(|object| format!("{object:?}")), Some(format!("{object:?}")));
            }
            assert!(scene.at(id.index()).is_some_and(|(found, _)| found == *id));
            builder.insert(object.clone()).unwrap();
        }
        let truth = builder.build_with(Accelerator::LinearScan);
        assert_eq!((scene.aabb(), scene.finite_bounds()), (truth.aabb(), truth.finite_bounds()));
        let cast: Vec<_> = (0..rays).map(|_| (ray(scene, rng), query::<V>(rng))).collect();
        for (ray, query) in &cast {
            let (ours, theirs) = (answers(scene, ray, query), answers(&truth, ray, query));
            assert!(ours == theirs, "{ray:?} {query:?}\n{}", difference(&ours, &theirs));
            assert_eq!(ours.count, ours.all.len());
            assert_eq!(ours.any, ours.first.is_some());
        }
    }

    /// Compares a batch with single rays.
    fn check_batch(&self, rng: &mut Rng) {
        let rays: Vec<_> = (0..70).map(|_| ray(&self.scene, rng)).collect();
        let query = query::<V>(rng);
        let single: Vec<_> = rays.iter().map(|ray| self.scene.cast_ray(ray, query)).collect();
        assert_eq!(self.scene.cast_rays(&rays, query), single);
        assert!(self.scene.intersects_rays(&rays, query).iter().zip(&single).all(|(any, hit)| *any == hit.is_some()));
    }
}

fn object<V: World>(rng: &mut Rng, draw: Draw) -> Object<V> {
    loop {
        if let Some(shape) = V::shape(rng.below(V::KINDS), rng, draw) {
            let object = Object::new(shape).on_layers(1 << rng.below(3));
            return match rng.below(8) {
                0 => object.with_faces(Faces::Back),
                1 => object.with_inside(Inside::Hollow),
                _ => object,
            };
        }
    }
}

fn transform<V: World>(rng: &mut Rng) -> Transform<V> {
    match rng.below(3) {
        0 => Transform::identity(),
        _ => Transform::from_translation(rng.vector(Draw::Lattice)).unwrap(),
    }
}

fn ray<V: World>(scene: &Scene<V>, rng: &mut Rng) -> Ray<V> {
    let draw = [Draw::Ordinary, Draw::Lattice][rng.below(2)];
    let object = scene.objects().nth(rng.below(scene.len().max(1)));
    rng.ray(draw, &object.map_or(Aabb::everything(), |(_, object)| object.shape().aabb()))
}

fn query<V: World>(rng: &mut Rng) -> Query<V::Scalar> {
    let query = rng.query::<V::Scalar>(Draw::Lattice);
    match rng.below(4) {
        0 => query.inside(Inside::Hollow).faces(Faces::Front),
        1 => query.layers(1 + rng.below(6) as u32),
        _ => query,
    }
}

/// Random sequences of edits, commits and snapshots. A snapshot keeps its answers to the end of its sequence.
fn sequences<V: World>(count: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    for sequence in 0..rounds(count) {
        let draw = [Draw::Lattice, Draw::Ordinary][rng.below(2)];
        // Some scenes have trees of many nodes.
        let size = [0, 3, 12, 30][rng.below(4)] + if sequence % 50 == 0 { 150 } else { 0 };
        let mut edited = Edited::<V>::new(size, draw, &mut rng);
        let mut kept = Vec::new();
        for _ in 0..4 + rng.below(5) {
            match rng.below(8) {
                0 => (0..20 + size / 4).for_each(|_| edited.edit(&mut rng)),
                1 => {
                    let (ray, query) = (ray(&edited.scene, &mut rng), query::<V>(&mut rng));
                    let snapshot = edited.scene.snapshot();
                    kept.push((answers(&snapshot, &ray, &query), snapshot, ray, query));
                }
                _ => edited.edit(&mut rng),
            }
            edited.check(&mut rng, 1);
            if rng.below(3) == 0 {
                edited.scene.commit();
                edited.check(&mut rng, 2);
            }
        }
        if sequence % 4 == 0 {
            edited.check_batch(&mut rng);
            edited.scene.commit();
            edited.check_batch(&mut rng);
        }
        for (before, snapshot, ray, query) in &kept {
            assert_eq!(*before, answers(snapshot, ray, query), "a snapshot has changed");
        }
    }
}

#[test]
fn edited_scenes_answer_like_new_ones() {
    sequences::<Vec3>(2000, 1);
}

#[test]
fn edited_scenes_of_the_plane_answer_like_new_ones() {
    sequences::<Vec2>(2000, 2);
}

#[test]
fn edited_scenes_in_f64_answer_like_new_ones() {
    sequences::<DVec3>(300, 3);
    sequences::<DVec2>(300, 4);
}

/// Every object moves in every frame, near and far, with a snapshot of the frame before or without, and with queries in the
/// frame or without.
#[test]
fn crowds_move() {
    let mut rng = Rng::new(5);
    for keep in [false, true] {
        let mut edited = Edited::<Vec3>::new(400, Draw::Ordinary, &mut rng);
        let mut kept = Vec::new();
        for frame in 0..12 {
            for at in 0..edited.expected.len() {
                let size = if frame % 3 == 2 { 3.0 } else { 0.05 };
                let place = edited.expected[at].object.shape().aabb();
                let center = if place.is_bounded() { place.center() } else { Vec3::ZERO };
                let ball = Sphere::new(center + rng.in_cube::<Vec3>() * size, 0.1).unwrap();
                let Expected { id, object } = &mut edited.expected[at];
                edited.scene.set_shape(*id, ball).unwrap();
                let transform = object.transform().copied();
                let (layers, faces, inside) = (object.layers(), object.faces(), object.inside());
                *object = Object::new(ball).on_layers(layers);
                *object = transform.map_or(object.clone(), |it| object.clone().with_transform(it));
                *object = faces.map_or(object.clone(), |it| object.clone().with_faces(it));
                *object = inside.map_or(object.clone(), |it| object.clone().with_inside(it));
                if at % 60 == 0 && frame % 2 == 0 {
                    edited.check(&mut rng, 2);
                }
            }
            edited.check(&mut rng, 10);
            edited.check_batch(&mut rng);
            check_copies(&edited.scene, &mut rng);
            if frame % 4 == 3 {
                (0..40).for_each(|_| edited.edit(&mut rng));
                edited.check(&mut rng, 10);
            }
            edited.scene.commit();
            edited.check(&mut rng, 10);
            edited.check_batch(&mut rng);
            if keep {
                let ray = ray(&edited.scene, &mut rng);
                let snapshot = edited.scene.snapshot();
                kept.push((answers(&snapshot, &ray, &Query::new()), snapshot, ray));
            }
        }
        assert!(kept.iter().all(|(before, snapshot, ray)| *before == answers(snapshot, ray, &Query::new())));
    }
}

/// Compares a scene as a group, and saved and read, with its linear scan.
fn check_copies(scene: &Scene<Vec3>, rng: &mut Rng) {
    let place = Transform::from_translation(Vec3::new(0.5, -2.0, 1.0)).unwrap();
    let placed = |scene: Scene<Vec3>| {
        let mut outer = Scene::new();
        outer.insert(Object::new(Group::new(scene).unwrap()).with_transform(place)).unwrap();
        outer
    };
    let read = Scene::<Vec3>::from_bytes(&scene.to_bytes().unwrap()).unwrap();
    let scenes = [[read, scene.linear_scan()], [placed(scene.snapshot()), placed(scene.linear_scan())]];
    for [scene, linear] in scenes {
        for _ in 0..5 {
            let (ray, query) = (ray(&scene, rng), query::<Vec3>(rng));
            let (ours, theirs) = (answers(&scene, &ray, &query), answers(&linear, &ray, &query));
            assert!(ours == theirs, "{ray:?} {query:?}\n{}", difference(&ours, &theirs));
        }
    }
}

/// Of equal balls the one inserted first wins, whatever its slot is.
#[test]
fn ties_go_by_the_order_of_insertion() {
    let ball = || Object::<Vec3>::new(Sphere::new(Vec3::Z * 5.0, 1.0).unwrap());
    let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    let mut scene = Scene::new();
    let [a, b] = [scene.insert(ball()).unwrap(), scene.insert(ball()).unwrap()];
    let first = |scene: &Scene<Vec3>| scene.cast_ray(&ray, ..).and_then(|hit| hit.object);
    assert_eq!(first(&scene), Some(a));
    scene.remove(a).unwrap();
    let c = scene.insert(ball()).unwrap();
    assert_eq!((c.index(), first(&scene)), (a.index(), Some(b)), "the slot is used again, and the newer object loses");
    assert_ne!(a, c);
    // Changes keep the place in the order.
    scene.set_shape(b, Sphere::new(Vec3::X * 50.0, 1.0).unwrap()).unwrap();
    assert_eq!(first(&scene), Some(c));
    scene.set_shape(b, Sphere::new(Vec3::Z * 5.0, 1.0).unwrap()).unwrap();
    scene.set_transform(b, Transform::identity()).unwrap();
    assert_eq!(first(&scene), Some(b));
    scene.commit();
    assert_eq!((first(&scene), first(&scene.linear_scan())), (Some(b), Some(b)));
    let ids: Vec<_> = scene.cast_ray_all(&ray, ..=4.0).iter().filter_map(|hit| hit.object).collect();
    assert_eq!(ids, [b, c]);
}

#[test]
fn names_follow_edits() {
    let named = |name: &str| Object::<Vec2>::new(Circle::new(Vec2::ZERO, 1.0).unwrap()).named(name);
    let mut scene = Scene::new();
    let a = scene.insert(named("a")).unwrap();
    let before = scene.snapshot();
    assert_eq!(scene.insert(named("a")), Err(SceneError::DuplicateName("a".into())));
    assert_eq!(scene.insert(named("b").on_layers(0)), Err(SceneError::NoLayer));
    assert_eq!(scene.set_layers(a, 0), Err(SceneError::NoLayer));
    assert_eq!(scene.remove(a).unwrap().name(), Some("a"));
    assert_eq!((scene.find("a"), before.find("a"), scene.get(a).is_none()), (None, Some(a), true));
    let again = scene.insert(named("a")).unwrap();
    assert_eq!((scene.find("a"), before.find("a"), again == a), (Some(again), Some(a), false));
    let errors = [
        scene.set_transform(a, Transform::identity()),
        scene.set_shape(a, Circle::new(Vec2::ZERO, 2.0).unwrap()),
        scene.set_layers(a, 1),
        scene.set_faces(a, None),
        scene.set_inside(a, None),
    ];
    assert!(errors.iter().all(|error| *error == Err(SceneError::NoObject(a))));
    let text = SceneError::NoObject(a).to_string();
    assert_eq!(text, "no object has the id 0:0: it was removed, or its id is that of another scene");
}

#[test]
fn objects_have_rules_of_their_own() {
    let ball = Sphere::new(Vec3::ZERO, 1.0).unwrap();
    let sheet = hitscan::Plane::new(Vec3::Z * 3.0, Vec3::Z).unwrap();
    let mut scene = Scene::new();
    let ball = scene.insert(Object::new(ball).with_inside(Inside::Hollow).with_user_data(9)).unwrap();
    let sheet = scene.insert(Object::new(sheet).with_faces(Faces::Front)).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    for _ in 0..2 {
        let hits: Vec<_> = scene.cast_ray_all(&ray, ..).iter().map(|hit| (hit.t, hit.object)).collect();
        assert_eq!(hits, [(1.0, Some(ball))], "from inside a hollow ball, to the back of a sheet of one face");
        scene.commit();
    }
    assert_eq!(scene.get(ball).map(|ball| (ball.user_data(), ball.inside())), Some((9, Some(Inside::Hollow))));
    let snapshot = scene.snapshot();
    scene.set_user_data(ball, 10).unwrap();
    assert_eq!([&scene, &snapshot].map(|scene| scene.get(ball).map(Object::user_data)), [Some(10), Some(9)]);
    drop(snapshot);
    assert!(format!("{ball:?}") == format!("ObjectId({ball})") && ball < sheet);
    scene.set_inside(ball, None).unwrap();
    scene.set_faces(sheet, Some(Faces::Back)).unwrap();
    let hits: Vec<_> = scene.cast_ray_all(&ray, ..).iter().map(|hit| (hit.t, hit.object)).collect();
    assert_eq!(hits, [(0.0, Some(ball)), (1.0, Some(ball)), (3.0, Some(sheet))]);
    let hollow = scene.cast_ray(&ray, Query::new().inside(Inside::Hollow)).unwrap();
    assert_eq!((hollow.t, hollow.object), (1.0, Some(ball)));
}

/// Other threads query snapshots while the scene is edited.
#[test]
fn snapshots_on_other_threads() {
    let mut rng = Rng::new(8);
    let cell =
        |i: usize, z: f32| Cuboid::new(Vec3::new((i % 30) as f32, (i / 30) as f32, z), Vec3::splat(0.4)).unwrap();
    let mut builder = SceneBuilder::<Vec3>::new();
    let ids: Vec<_> = (0..900).map(|i| builder.add(cell(i, 0.0)).unwrap()).collect();
    builder.add(HalfSpace::new(Vec3::Z * -1000.0, Vec3::Z).unwrap()).unwrap();
    let mut scene = builder.build();
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for frame in 1..=20 {
            let (snapshot, ids, done) = (scene.snapshot(), &ids, &done);
            let height = (frame - 1) as f32;
            threads.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    for (i, id) in ids.iter().enumerate().step_by(37) {
                        let ray = Ray::new(Vec3::new((i % 30) as f32, (i / 30) as f32, 500.0), -Vec3::Z);
                        let hit = snapshot.cast_ray(&ray, ..).unwrap();
                        assert_eq!((hit.object, hit.t), (Some(*id), 500.0 - height - 0.4));
                    }
                    std::thread::yield_now();
                }
            });
            for (i, id) in ids.iter().enumerate() {
                scene.set_shape(*id, cell(i, frame as f32)).unwrap();
            }
            if rng.below(2) == 0 {
                scene.commit();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(scene.finite_bounds(), scene.linear_scan().finite_bounds());
}

/// Balls at one place, inserted one by one: the depth of the tree stays bounded.
#[test]
fn awkward_insertions_stay_shallow() {
    let mut scene = Scene::<Vec3>::new();
    let ball = Sphere::new(Vec3::Z * 5.0, 1.0).unwrap();
    let ids: Vec<_> = (0..40_000).map(|_| scene.insert(Object::new(ball)).unwrap()).collect();
    let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    for depth in [150, 20] {
        assert!(scene.statistics().depth <= depth, "{:?}", scene.statistics());
        assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(ids[0]));
        assert_eq!(scene.count_hits(&ray, ..), 80_000);
        scene.commit();
    }
}

/// A slot whose generations are used up is retired; here a few hundred objects go through one slot.
#[test]
fn ids_are_never_used_again() {
    let mut scene = Scene::<Vec2>::new();
    let mut given = std::collections::HashSet::new();
    for i in 0..500 {
        let id = scene.insert(Object::new(Circle::new(Vec2::X * i as f32, 1.0).unwrap())).unwrap();
        assert!(given.insert(id) && id.index() == 0);
        if i % 50 == 0 {
            scene.commit();
        }
        scene.remove(id).unwrap();
    }
    assert!(scene.is_empty() && scene.aabb().is_empty() && given.iter().all(|id| scene.get(*id).is_none()));
    scene.commit();
    assert_eq!(scene.statistics().nodes, 0);
    assert!(scene.cast_ray(&Ray::new(Vec2::ZERO, Vec2::X), ..).is_none());
}
