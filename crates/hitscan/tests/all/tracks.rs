//! Tracks: the objects along a ray.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Cuboid, Disk, Group, HalfSpace, Instance, Object, ObjectId, Query, Ray, RayCast, Real, Scene, Segment, Shape,
    Solid, Sphere, Track, Transform, Vector,
};

type Cells = Vec<([f64; 2], Vec<ObjectId>)>;

fn cells<V: Vector>(track: &Track<V>) -> Cells {
    track.parts().map(|part| (part.t.map(Real::to_f64), part.objects.to_vec())).collect()
}

/// A box between two `x`.
fn slab(from: f64, to: f64) -> Cuboid<DVec3> {
    Cuboid::new(DVec3::X * ((from + to) / 2.0), DVec3::new((to - from) / 2.0, 4.0, 4.0)).unwrap()
}

const ALONG_X: Ray<DVec3> = Ray { origin: DVec3::new(0.0, 0.5, 0.25), direction: DVec3::X };

/// ```text
///        a      b         c       e
///   |=======|=======|...|====|.=======...   c within b, a surface at 5, a gap from 6 to 7, a half-space from 7 on
///   0       2   3 4     6    7
/// ```
#[test]
fn cells_gaps_and_overlaps() {
    let mut scene = Scene::new();
    let mut add = |object: Object<DVec3>| scene.insert(object).unwrap();
    let [a, b, c] = [(0.0, 2.0), (2.0, 6.0), (3.0, 4.0)].map(|(from, to)| add(Object::new(slab(from, to))));
    add(Object::new(Disk::new(DVec3::X * 5.0, DVec3::X, 9.0).unwrap()));
    let e = add(Object::new(HalfSpace::new(DVec3::X * 7.0, -DVec3::X).unwrap()));
    let infinity = f64::INFINITY;
    let all: Cells = vec![
        ([-infinity, 0.0], vec![]),
        ([0.0, 2.0], vec![a]),
        ([2.0, 3.0], vec![b]),
        ([3.0, 4.0], vec![b, c]),
        ([4.0, 6.0], vec![b]),
        ([6.0, 7.0], vec![]),
        ([7.0, infinity], vec![e]),
    ];
    let track = scene.track(&ALONG_X, Query::line());
    assert_eq!(cells(&track), all);
    // Each boundary has the hits of what ends and begins there, and both parts have them.
    let boundaries: Vec<Vec<_>> = track.parts().map(|part| part.end.iter().map(|hit| hit.object).collect()).collect();
    assert_eq!(boundaries[1], [Some(a), Some(b)]);
    assert_eq!((boundaries[2].as_slice(), boundaries[6].len()), (&[Some(c)][..], 0));
    let (ends, begins): (Vec<_>, Vec<_>) = track.parts().map(|part| (part.end.to_vec(), part.begin.to_vec())).unzip();
    assert!(begins[0].is_empty() && ends[..6] == begins[1..]);
    // A range begins and ends within parts, or at their ends.
    let within = |from: f64, to: f64| cells(&scene.track(&ALONG_X, from..=to));
    assert_eq!(within(1.0, 3.5), [([1.0, 2.0], vec![a]), ([2.0, 3.0], vec![b]), ([3.0, 3.5], vec![b, c])]);
    assert_eq!(within(2.0, 3.0), [([2.0, 3.0], vec![b])]);
    let at_wall = scene.track(&ALONG_X, 2.0..=3.0);
    let part = at_wall.parts().next().unwrap();
    assert_eq!((part.begin.len(), part.end.len()), (2, 1));
    assert_eq!(within(7.5, 9.0), [([7.5, 9.0], vec![e])]);
    assert!(scene.track(&ALONG_X, 2.0..=2.0).is_empty() && scene.track(&ALONG_X, 3.0..=2.0).is_empty());
    assert!(scene.track(&Ray::new(DVec3::ZERO, DVec3::ZERO), ..).is_empty());
    // A segment ends at 1, a distance is a limit, and what is left out is not there.
    let segment = Segment::new(ALONG_X.origin, ALONG_X.origin + DVec3::X * 4.0);
    assert_eq!(cells(&scene.track(&segment, ..)).last(), Some(&([0.75, 1.0], vec![b, c])));
    assert_eq!(cells(&scene.track(&ALONG_X, Query::new().within_distance(1.0))), [([0.0, 1.0], vec![a])]);
    let without = scene.excluding([b]).track(&ALONG_X, 1.0..=3.5);
    assert_eq!(cells(&without), [([1.0, 2.0], vec![a]), ([2.0, 3.0], vec![]), ([3.0, 3.5], vec![c])]);
}

/// Gaps and overlaps of one number in the last place are parts, and a touch is none.
#[test]
fn what_is_smaller_than_a_rounding() {
    let mut scene = Scene::new();
    let mut add = |object: Object<DVec3>| scene.insert(object).unwrap();
    let mut cube = |x: f64, half: f64| add(Object::new(Cuboid::new(DVec3::X * x, DVec3::splat(half)).unwrap()));
    // The box around 0 ends at the number 0.3, the next one begins at the exact difference of 0.4 and 0.1: a gap of 3e-17. The sum of
    // 0.1 and 0.2 is beyond the difference of 0.5 and 0.2 by as much.
    let [a, b, c, d] = [cube(0.0, 0.3), cube(0.4, 0.1), cube(0.1, 0.2), cube(0.5, 0.2)];
    add(Object::new(Sphere::new(DVec3::new(1.0, 1.5, 0.25), 1.0).unwrap()));
    let ray = Ray::new(DVec3::splat(0.05), DVec3::X);
    let track = |left_out: &[ObjectId]| -> Vec<Vec<ObjectId>> {
        scene.excluding(left_out).track(&ray, 0.0..=0.4).parts().map(|part| part.objects.to_vec()).collect()
    };
    assert_eq!(track(&[c, d]), [vec![a], vec![], vec![b]]);
    assert_eq!(track(&[a, b]), [vec![c], vec![c, d], vec![d]]);
    // The ray along x touches the ball at x = 1: no part.
    assert_eq!(cells(&scene.track(&ALONG_X, 0.5..=1.5)), [([0.5, 1.5], vec![])]);
    // A group of two that touch is one object, and their common face no boundary.
    let mut scene = Scene::new();
    let mut members = Scene::new();
    for member in [slab(0.0, 1.0), slab(1.0, 2.0)] {
        members.insert(Object::new(member)).unwrap();
    }
    let group = Group::new(members).unwrap();
    let group = scene.insert(Object::new(group)).unwrap();
    assert_eq!(cells(&scene.track(&ALONG_X, -1.0..=1.5)), [([-1.0, 0.0], vec![]), ([0.0, 1.5], vec![group])]);
}

/// Each part has the objects that contain a point of it; together the parts are the range, and no two neighbours have the same objects.
fn parts_are_cells<V: World>(rounds: usize) {
    let (mut rng, mut seen) = (Rng::new(57), [0; 3]);
    for round in 0..rounds {
        let mut scene = Scene::new();
        for i in 0..8 {
            if let Some(shape) = V::shape((round + 3 * i) % V::KINDS, &mut rng, Draw::Lattice) {
                scene.insert(Object::new(shape)).unwrap();
            }
        }
        let whole = scene.objects().fold(None, |all: Option<hitscan::Aabb<V>>, (_, object)| {
            let own = object.instance().aabb();
            Some(all.map_or(own, |all| all.union(own)))
        });
        let Some(whole) = whole else { continue };
        for _ in 0..6 {
            let ray = rng.ray(Draw::Lattice, &whole);
            if ray.direction.to_xyz().iter().all(|x| *x == V::Scalar::ZERO) {
                continue;
            }
            let range = Query::from(V::Scalar::from_f64(-2.0)..=V::Scalar::from_f64(3.0));
            let track = scene.track(&ray, range);
            let cells = cells(&track);
            assert_eq!((cells[0].0[0], cells[cells.len() - 1].0[1]), (-2.0, 3.0));
            assert!(cells.windows(2).all(|pair| pair[0].0[1] == pair[1].0[0] && pair[0].1 != pair[1].1), "{cells:?}");
            for ([from, to], objects) in &cells {
                seen[objects.len().min(2)] += 1;
                if to - from < 1e-4 {
                    continue;
                }
                // Not the middle, where a vertex of a lattice may touch the line.
                let inner = ray.at(V::Scalar::from_f64(from + (to - from) * 0.4375));
                let is_met = |object: &Object<V>| !object.instance().spans(&ray, range).is_empty();
                let around = scene.objects().filter(|(_, object)| is_met(object) && object.instance().contains(inner));
                let around: Vec<ObjectId> = around.map(|(id, _)| id).collect();
                assert_eq!(*objects, around, "{ray:?} {from} {to}");
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}

#[test]
fn parts_are_cells_everywhere() {
    parts_are_cells::<Vec2>(150);
    parts_are_cells::<Vec3>(150);
    parts_are_cells::<DVec2>(100);
    parts_are_cells::<DVec3>(100);
}

/// Whether cells are equal but for the last digits of `t`, which may differ for a placed shape.
fn nearly_equal<S: Real>(cells: &Cells, others: &Cells) -> bool {
    let near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 4.0 * S::EPSILON.to_f64() * a.abs();
    let mut pairs = cells.iter().zip(others);
    let is_equal = pairs.all(|((t, objects), (u, of_other))| objects == of_other && t.iter().zip(u).all(near));
    cells.len() == others.len() && is_equal
}

/// Cells of a partition whose solids have equal leaves, which tie without arithmetic, have the tracks of cells that have no leaf in common,
/// whose surfaces are compared exactly. Each part is in one cell.
fn equal_leaves_change_nothing<V: World>(rounds: usize) {
    let (mut rng, mut walls) = (Rng::new(58), 0);
    for round in 0..rounds {
        let shapes: Vec<V::Shape> =
            (0..3).filter_map(|i| V::shape((round + 5 * i) % V::KINDS, &mut rng, Draw::Lattice)).collect();
        let [a, b, c] = &shapes[..] else { continue };
        if ![a, b, c].iter().all(|shape| V::is_solid(shape)) {
            continue;
        }
        let partition = |solid: &mut dyn FnMut(&V::Shape) -> Solid<V>| {
            let mut scene = Scene::new();
            let first = Object::new(a.clone());
            let others = [solid(b) - solid(a), solid(c) - solid(a) - solid(b), !(solid(a) | solid(b) | solid(c))]
                .map(Object::new);
            for cell in [first].into_iter().chain(others) {
                scene.insert(cell).unwrap();
            }
            scene
        };
        let equal = partition(&mut |shape| Solid::new(shape.clone()).unwrap());
        // Each use of a shape has a place of its own: moved twice, as one member of a group, by powers of two.
        let mut uses = 0;
        let apart = partition(&mut |shape| {
            uses += 1;
            let step = V::Scalar::from_f64(f64::from(1 << uses));
            let away = Transform::from_translation(V::splat(step)).unwrap();
            let back = Transform::from_translation(V::splat(-step)).unwrap();
            let mut members = Scene::new();
            members.insert(Object::new(shape.clone()).with_transform(away)).unwrap();
            Solid::from_instance(Instance::new(Group::new(members).unwrap()).with_transform(back)).unwrap()
        });
        let bounds = shapes[0].aabb().union(shapes[1].aabb());
        for _ in 0..6 {
            let ray = rng.ray(Draw::Lattice, &bounds);
            if ray.direction.to_xyz().iter().all(|x| *x == V::Scalar::ZERO) {
                continue;
            }
            let [ours, theirs] = [&equal, &apart].map(|scene| scene.track(&ray, Query::line()));
            let [ours_t, theirs_t] = [cells(&ours), cells(&theirs)];
            let is_same = nearly_equal::<V::Scalar>(&ours_t, &theirs_t);
            assert!(is_same, "{ray:?} {a:?} {b:?} {c:?}\n{ours_t:?}\n{theirs_t:?}");
            assert!(ours.parts().all(|part| part.objects.len() == 1), "{ray:?} {:?}", cells(&ours));
            walls += ours.parts().filter(|part| part.end.len() == 2).count();
        }
    }
    assert!(walls > 100, "{walls}");
}

#[test]
fn cells_that_have_equal_leaves() {
    equal_leaves_change_nothing::<Vec2>(80);
    equal_leaves_change_nothing::<Vec3>(80);
    equal_leaves_change_nothing::<DVec2>(40);
    equal_leaves_change_nothing::<DVec3>(40);
}
