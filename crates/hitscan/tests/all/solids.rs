//! Solids: the table of cases, and the laws of sets on random expressions.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Cuboid, Disk, Group, HalfSpace, Hit, Inside, Instance, NotMeasured, Object, OverlapQuery, PointQuery, Query, Ray,
    RayCast, Real, Scene, SceneBuilder, Segment, Shape, Side, Solid, SolidError, Space, Sphere, SweepQuery, Transform,
    TriangleMesh, Vector,
};

/// A box between two `x`, ten wide along the other axes.
fn slab<V: Space<Shape: From<Cuboid<V>>>>(from: f64, to: f64) -> Solid<V> {
    let number = |x: f64| V::Scalar::from_f64(x);
    let [center, half] = [(from + to) / 2.0, (to - from) / 2.0];
    let axis = |x: f64, other: f64| V::from_xyz([number(x), number(other), number(other)]);
    Solid::from(Cuboid::new(axis(center, 0.0), axis(half, 10.0)).unwrap())
}

fn scene_of<V: Space>(object: Object<V>) -> Scene<V> {
    let mut scene = Scene::new();
    scene.insert(object).unwrap();
    scene
}

/// The line along x through the middle of the slabs.
fn line<V: Vector>() -> Ray<V> {
    let number = |x: f64| V::Scalar::from_f64(x);
    Ray::new(
        V::from_xyz([number(0.0), number(0.5), number(0.25)]),
        V::from_xyz([number(1.0), number(0.0), number(0.0)]),
    )
}

/// The spans of the whole line, as numbers; infinite where an end is missing.
fn spans<V: Vector>(solid: &dyn Shape<V>, query: Query<V::Scalar>) -> Vec<[f64; 2]> {
    let ends = solid.spans(&line(), query).into_iter().map(|span| {
        let t = |hit: Option<Hit<V>>, infinite: f64| hit.map_or(infinite, |hit| hit.t.to_f64());
        [t(span.enter, -f64::INFINITY), t(span.exit, f64::INFINITY)]
    });
    ends.collect()
}

/// The hits of the whole line: `t`, the leaf, the side, and the normal along x.
fn hits<V: Vector>(solid: &dyn Shape<V>) -> Vec<(f64, Option<u32>, Side, f64)> {
    let hits = solid.cast_ray_all(&line(), Query::line()).into_iter();
    hits.map(|hit| (hit.t.to_f64(), hit.member, hit.side, hit.normal.to_xyz()[0].to_f64())).collect()
}

const IN: Side = Side::Front;
const OUT: Side = Side::Back;

/// Every row of the table of cases that boxes can show.
fn table<V: Space<Shape: From<Cuboid<V>> + From<HalfSpace<V>>>>() {
    let infinity = f64::INFINITY;
    let whole = |solid: &Solid<V>| spans(solid, Query::line());
    let slab = slab::<V>;
    // A shared exit: the subtracted surface decides, and its normal points out of the solid.
    let solid = slab(0.0, 2.0) - slab(1.0, 2.0);
    assert_eq!(whole(&solid), [[0.0, 1.0]]);
    assert_eq!(hits(&solid), [(0.0, Some(0), IN, -1.0), (1.0, Some(1), OUT, 1.0)]);
    // A shared entry.
    let solid = slab(0.0, 2.0) - slab(0.0, 1.0);
    assert_eq!(whole(&solid), [[1.0, 2.0]]);
    assert_eq!(hits(&solid), [(1.0, Some(1), IN, -1.0), (2.0, Some(0), OUT, 1.0)]);
    // Nothing is left of a shape without itself.
    let solid = slab(0.0, 1.0) - slab(0.0, 1.0);
    assert_eq!((whole(&solid), hits(&solid).len(), solid.cast_ray(&line(), ..)), (vec![], 0, None));
    // A union has no wall where two boxes touch.
    let solid = slab(0.0, 1.0) | slab(1.0, 2.0);
    assert_eq!(whole(&solid), [[0.0, 2.0]]);
    assert_eq!(hits(&solid), [(0.0, Some(0), IN, -1.0), (2.0, Some(1), OUT, 1.0)]);
    // Their intersection is a wall without thickness: a touch.
    let solid = slab(0.0, 1.0) & slab(1.0, 2.0);
    assert_eq!(whole(&solid), [[1.0, 1.0]]);
    assert_eq!(hits(&solid), [(1.0, Some(1), IN, -1.0)]);
    assert_eq!(solid.count_hits(&line(), Query::line()), 1);
    // A cut without thickness removes points, and no ray sees that.
    let solid = slab(0.0, 2.0) - slab(1.0, 1.0);
    assert_eq!(whole(&solid), [[0.0, 2.0]]);
    assert_eq!(hits(&solid), [(0.0, Some(0), IN, -1.0), (2.0, Some(0), OUT, 1.0)]);
    // The complement has no first and no last point.
    let solid = !slab(0.0, 2.0);
    assert_eq!(whole(&solid), [[-infinity, 0.0], [2.0, infinity]]);
    assert_eq!(hits(&solid), [(0.0, Some(0), OUT, 1.0), (2.0, Some(0), IN, -1.0)]);
    assert!(solid.spans(&line(), Query::line())[0].enter.is_none());
    // A half-space, cut.
    let x = |x: f64| V::from_xyz([V::Scalar::from_f64(x), V::Scalar::ZERO, V::Scalar::ZERO]);
    let below = HalfSpace::new(x(3.0), x(1.0)).unwrap();
    assert_eq!(whole(&(Solid::from(below) - slab(0.0, 1.0))), [[-infinity, 0.0], [1.0, 3.0]]);

    ranges(&slab);
}

/// The range of a query is applied once, to the merged spans.
fn ranges<V: Space<Shape: From<Cuboid<V>>>>(slab: &dyn Fn(f64, f64) -> Solid<V>) {
    let number = V::Scalar::from_f64;
    let from = |t: f64| Query::from(number(t)..);
    let solid = (slab(0.0, 8.0) - slab(2.0, 4.0)) | slab(9.0, 9.0);
    assert_eq!(spans(&solid, Query::line()), [[0.0, 2.0], [4.0, 8.0], [9.0, 9.0]]);
    assert_eq!(spans(&solid, from(1.0)), [[1.0, 2.0], [4.0, 8.0], [9.0, 9.0]]);
    let first = |query: Query<V::Scalar>| {
        solid.cast_ray(&line(), query).map(|hit| (hit.t.to_f64(), hit.side, hit.normal.to_xyz()[0].to_f64()))
    };
    // Inside: the range begins the hit, with the normal against the ray.
    assert_eq!(first(from(1.0)), Some((1.0, OUT, -1.0)));
    // A range that begins on a surface, with material behind it and before it.
    assert_eq!(first(from(4.0)), Some((4.0, OUT, -1.0)));
    assert_eq!(first(from(2.0)), Some((2.0, OUT, -1.0)));
    // In the cut, and hollow.
    assert_eq!(first(from(3.0)), Some((4.0, IN, -1.0)));
    assert_eq!(first(from(1.0).inside(Inside::Hollow)), Some((2.0, OUT, 1.0)));
    assert_eq!(first(from(4.0).inside(Inside::Hollow)), Some((4.0, IN, -1.0)));
    assert_eq!(first(from(8.5)), Some((9.0, IN, -1.0)));
    // A range that ends at an entry has that hit, and a span of one point.
    let until = |t: f64| Query::from(number(3.0)..=number(t));
    assert_eq!((first(until(4.0)), first(until(3.75))), (Some((4.0, IN, -1.0)), None));
    let cut = solid.spans(&line(), until(4.0));
    assert!(cut[0].enter.is_some() && cut[0].exit.is_none() && cut.len() == 1);
    assert_eq!(solid.count_hits(&line(), Query::line()), 5);
    assert_eq!(solid.count_hits(&line(), until(8.0)), 2);
    // The range of a segment is one, too.
    let at = |x: f64| V::from_xyz([number(x), number(0.5), number(0.25)]);
    let segment = |a: f64, b: f64| solid.cast_ray(&Segment::new(at(a), at(b)), ..).map(|hit| hit.t.to_f64());
    assert_eq!((segment(3.0, 5.0), segment(2.5, 3.5), segment(13.0, -3.0)), (Some(0.5), None, Some(0.25)));
    // And a limit by a distance.
    let near = |distance: f64| solid.cast_ray(&line(), from(3.0).within_distance(number(distance))).is_some();
    assert!(near(4.0) && !near(3.9));
}

#[test]
fn the_table_of_cases() {
    table::<Vec2>();
    table::<Vec3>();
    table::<DVec2>();
    table::<DVec3>();
}

/// The same table, where each solid is an object under a mirror, and in a scene with another object.
#[test]
fn solids_are_shapes() {
    let solid = (slab::<DVec3>(0.0, 8.0) - slab(2.0, 4.0)) | slab(9.0, 9.0);
    let mirror = Transform::new([-DVec3::X, DVec3::Y, DVec3::Z], DVec3::ZERO).unwrap();
    let placed = Instance::<DVec3>::new(solid.clone()).with_transform(mirror);
    assert_eq!(spans(&placed, Query::line()), [[-9.0, -9.0], [-8.0, -4.0], [-2.0, 0.0]]);
    let hit = placed.cast_ray(&line(), Query::from(-3.0..)).unwrap();
    assert_eq!((hit.t, hit.normal, hit.side, hit.member), (-2.0, -DVec3::X, IN, Some(1)));
    let mut scene = SceneBuilder::new();
    let part = scene.insert(Object::new(solid.clone())).unwrap();
    let ball = scene.insert(Object::new(Sphere::new(DVec3::X * 10.0, 2.0).unwrap())).unwrap();
    let scene = scene.build();
    let found: Vec<_> = scene.cast_ray_all(&line(), ..).iter().map(|hit| (hit.object, hit.member)).collect();
    let (p, b) = (Some(part), Some(ball));
    assert_eq!(found, [(p, Some(0)), (p, Some(1)), (p, Some(1)), (p, Some(0)), (b, None), (p, Some(2)), (b, None)]);
    assert_eq!(scene.spans(&line(), ..).len(), 4);
    // In a group and in another solid.
    let group = Group::new(scene_of(Object::<DVec3>::new(solid.clone()))).unwrap();
    assert_eq!(spans(&Instance::<DVec3>::new(group.clone()), Query::line()), spans(&solid, Query::line()));
    let outer = Solid::<DVec3>::new(group).unwrap() - slab(5.0, 6.0);
    assert_eq!(spans(&outer, Query::line()), [[0.0, 2.0], [4.0, 5.0], [6.0, 8.0], [9.0, 9.0]]);
    // Layers and triggers of a group within a solid do not change its points.
    let marked = Object::<DVec3>::new(solid.clone()).on_layers(2).as_trigger();
    let marked = Solid::<DVec3>::new(Group::new(scene_of(marked)).unwrap()).unwrap() - slab(5.0, 6.0);
    assert_eq!(spans(&marked, Query::line().layers(1)), spans(&outer, Query::line()));
    assert!(!marked.cast_ray(&line(), ..).unwrap().is_trigger);
    assert_eq!(Solid::from_instance(placed).unwrap().len(), 1);
    assert_eq!(Solid::<DVec3>::new(solid.clone()).unwrap().expression(), "(0 - 1) | 2");
    // Batches have the results of single rays.
    let mut rng = Rng::new(31);
    let rays: Vec<Ray<DVec3>> =
        (0..500).map(|_| Ray::new(DVec3::from(rng.cube(12)), DVec3::from(rng.cube(3)))).collect();
    let batch = scene.cast_rays(&rays, ..);
    assert!(rays.iter().zip(&batch).all(|(ray, hit)| scene.cast_ray(ray, ..) == *hit));
    assert!(batch.iter().flatten().count() > 100);
    assert_eq!(scene.to_double().unwrap().cast_rays(&rays, ..), batch);
}

#[test]
fn expressions_have_a_text() {
    let [a, b, c] = [0.0, 1.0, 2.0].map(|x| slab::<Vec2>(x, x + 1.0));
    assert_eq!((a.clone() - b.clone() - c.clone()).expression(), "0 - 1 - 2");
    assert_eq!((a.clone() - (b.clone() & c.clone())).expression(), "0 - (1 & 2)");
    assert_eq!((!a.clone() & (b.clone() | !c.clone())).expression(), "!0 & (1 | !2)");
    assert_eq!((!(a.clone() | b.clone())).expression(), "!(0 | 1)");
    // Eight hundred levels of brackets.
    let deep = (0..400).fold(a, |deep, _| (deep - b.clone()) | c.clone());
    assert_eq!(deep.len(), 801);
    assert!(deep.expression().starts_with("(((((") && deep.expression().ends_with(" - 799) | 800"));
    assert_eq!(spans(&deep, Query::line()), [[0.0, 1.0], [2.0, 3.0]]);
}

/// The line crosses surfaces at `t` from 10^-400 on, which round to zero: they lie behind the start of the range, and not at it.
#[test]
fn crossings_whose_t_vanishes() {
    let tiny = 1e-100;
    let solid = slab::<DVec3>(-tiny, tiny) - slab(-tiny, 0.0);
    let ray = Ray::new(DVec3::new(-3.0 * tiny, 0.5, 0.25), DVec3::X * 1e300);
    let hits = solid.cast_ray_all(&ray, ..);
    assert_eq!(hits.iter().map(|hit| (hit.t, hit.side)).collect::<Vec<_>>(), [(0.0, IN), (0.0, OUT)]);
    assert_eq!(solid.cast_ray(&ray, ..), hits.first().copied());
    assert_eq!(solid.count_hits(&ray, ..=0.0), 0);
}

/// Many leaves have a BVH over what they have within the box of the solid: a box without holes, most of them outside, and with no box
/// at all.
#[test]
fn many_leaves() {
    let hole = |x: f64| slab::<DVec3>(x, x + 0.5);
    let plate = Solid::difference(slab(-20.0, 0.25), (-50..50).map(|i| hole(f64::from(i))));
    let gaps: Vec<[f64; 2]> = (-20..0).map(|i| [f64::from(i) + 0.5, f64::from(i) + 1.0]).collect();
    assert_eq!(spans(&plate, Query::line()), gaps);
    // A half-space has a box within that of the solid, and a complement around all has none.
    let half = HalfSpace::new(DVec3::X * -1.75, DVec3::X).unwrap();
    assert_eq!(spans(&(plate.clone() & half), Query::line()), gaps[..18]);
    let outside = spans(&!plate.clone(), Query::line());
    assert_eq!((outside.len(), outside[0], outside[20]), (21, [-f64::INFINITY, -19.5], [0.0, f64::INFINITY]));
    // Parts that have no point in common.
    let nothing = Solid::intersection((0..20).map(|i| hole(f64::from(i)))).unwrap();
    assert!(nothing.aabb().is_empty() && spans(&nothing, Query::line()).is_empty() && !nothing.contains(DVec3::ZERO));
}

/// An explanation has the spans of the leaves and of the solid, and crossings with one exact `t` are one place.
#[test]
fn explanations_have_lanes() {
    let solid = (slab::<Vec3>(0.0, 2.0) | slab(2.0, 3.0)) - slab(1.0, 3.0) - slab(8.0, 9.0);
    let half = Solid::new(HalfSpace::new(Vec3::X * 2.0, Vec3::X).unwrap()).unwrap();
    let lanes = (solid & half).explain(&line::<Vec3>(), ..).lanes;
    assert_eq!(lanes.places, [0.0, 1.0, 2.0, 3.0, 8.0, 9.0]);
    let spans = |leaf: u32| lanes.leaves.iter().find(|lane| lane.leaf == leaf).map(|lane| (lane.kind, &lane.spans[..]));
    assert_eq!(spans(0), Some(("box", &[[Some(0), Some(2)]][..])));
    assert_eq!(spans(1), Some(("box", &[[Some(2), Some(3)]][..])));
    assert_eq!(spans(2), Some(("box", &[[Some(1), Some(3)]][..])));
    assert_eq!(spans(4), Some(("half_space", &[[None, Some(2)]][..])));
    assert_eq!(lanes.solid, [[Some(0), Some(1)]], "{lanes}");
}

/// Surfaces that nearly coincide are found with their exact distance; those that coincide, cross, or are farther apart are not.
#[test]
fn surfaces_that_nearly_coincide() {
    let near = |solid: &Solid<DVec3>, tolerance: f64| -> Vec<([u32; 2], f64)> {
        solid.near_surfaces(tolerance, 500).iter().map(|near| (near.leaves, near.distance)).collect()
    };
    let cut = |x: f64| slab::<DVec3>(0.0, 1.0) | slab(x, 3.0);
    assert_eq!(near(&cut(1.0), 1e-3), []);
    for gap in [f64::EPSILON, -1e-9, 1e-6] {
        let found = near(&cut(1.0 + gap), 1e-5);
        // The middle and the half width of the second box are rounded.
        assert!(found.len() == 1 && found[0].0 == [0, 1] && (found[0].1 - gap.abs()).abs() < 1e-15, "{gap} {found:?}");
    }
    assert_eq!(near(&cut(1.0 + 1e-3), 1e-4), []);
    // Spheres that cross have close crossings, but no parallel surfaces there; a shell has.
    let ball = |x: f64, radius: f64| Solid::from(Sphere::new(DVec3::X * x, radius).unwrap());
    assert_eq!(near(&(ball(0.0, 1.0) | ball(0.5, 1.0)), 1e-3), []);
    let shell = near(&(ball(0.0, 1.0) - ball(0.0, 1.0 - 1e-10)), 1e-9);
    assert!(shell.len() == 1 && (shell[0].1 - 1e-10).abs() < 1e-12, "{shell:?}");
    // Without a leaf that has bounds there are no lines.
    let half = |x: f64| Solid::new(HalfSpace::new(DVec3::X * x, DVec3::X).unwrap()).unwrap();
    assert_eq!(near(&(half(0.0) - half(1e-12)), 1e-9), []);
    let pair = near(&(slab(-1.0, 0.25) & half(1e-12) & half(0.0)), 1e-9);
    assert!(pair.len() == 1 && pair[0].0 == [1, 2] && (pair[0].1 - 1e-12).abs() < 1e-20, "{pair:?}");
}

#[test]
fn points_are_logic() {
    let solid = slab::<Vec2>(0.0, 2.0) - slab(1.0, 2.0);
    let at = |x: f32| solid.contains(Vec2::new(x, 0.5));
    assert!(at(0.0) && at(0.5) && !at(1.0) && !at(2.0));
    assert!(!(!slab::<Vec2>(0.0, 2.0)).contains(Vec2::new(2.0, 0.0)));
    assert!(solid.aabb().contains(Vec2::ZERO) && solid.aabb().max.x < 2.1);
    assert!(!(!solid).aabb().is_bounded());
}

#[test]
fn what_encloses_no_points_is_refused() {
    let disk = Disk::new(Vec3::ZERO, Vec3::Z, 1.0).unwrap();
    assert_eq!(Solid::<Vec3>::new(disk).unwrap_err(), SolidError::NotClosed { shape: "disk" });
    let open = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert_eq!(Solid::<Vec3>::new(open).unwrap_err(), SolidError::NotClosed { shape: "mesh" });
    let group = Group::new(scene_of(Object::<Vec3>::new(disk))).unwrap();
    let error = Solid::<Vec3>::new(group).unwrap_err();
    assert_eq!(error, SolidError::NotClosed { shape: "group" });
    assert!(error.to_string().contains("surface"), "{error}");
    assert_eq!(Solid::<Vec3>::union([] as [Solid<Vec3>; 0]).unwrap_err(), SolidError::NoParts);
    let solid = slab::<Vec3>(0.0, 1.0) - slab(0.25, 0.5);
    assert_eq!(solid.try_closest_point_within(Vec3::ZERO, 9.0), Err(NotMeasured));
    // A moving volume and one that stays take the parts for whole.
    let meets = |solid: &Solid<Vec3>, from: f32| {
        let hit = solid.try_cast_sphere(&Ray::new(Vec3::X * from, Vec3::X), 0.5, ..);
        hit.map(|hit| hit.map(|hit| (hit.t, hit.member)))
    };
    assert_eq!(meets(&solid, -9.0), Ok(Some((8.5, Some(0)))));
    assert_eq!(meets(&solid, 9.0), Ok(None));
    assert_eq!(meets(&(slab(0.0, 1.0) | slab(-4.0, -3.0)), -9.0), Ok(Some((4.5, Some(1)))));
    assert_eq!(meets(&(slab(-4.0, 1.0) & slab(-2.0, 3.0)), -9.0), Ok(Some((6.5, Some(1)))));
    assert_eq!(meets(&!slab(0.0, 1.0), -9.0), Err(NotMeasured));
    let around = Instance::<Vec3>::new(!slab(0.0, 1.0)).with_transform(Transform::from_translation(Vec3::X).unwrap());
    let around = Solid::from_instance(around).unwrap();
    assert_eq!(meets(&(slab(0.0, 1.0) & around.clone()), -9.0), Ok(Some((8.5, Some(0)))));
    assert_eq!(meets(&(slab(0.0, 1.0) | around), -9.0), Err(NotMeasured));
    let ball = |x: f32| Sphere::new(Vec3::X * x, 0.125).unwrap();
    assert!(solid.overlaps(ball(0.375)) && !solid.overlaps(ball(1.25)));
    // Nine solids within each other, each under a transform.
    let aside = Transform::from_translation(Vec3::X).unwrap();
    let mut deep = solid.clone();
    for level in 1..=8 {
        let next = Solid::from_instance(Instance::<Vec3>::new(deep.clone()).with_transform(aside));
        match next {
            Ok(next) => deep = next - slab(0.0, 0.5),
            Err(error) => assert_eq!((error, level), (SolidError::TooDeep, 8)),
        }
    }
    assert_eq!(spans(&deep, Query::line()), [[7.0, 7.25], [7.5, 8.0]]);
    // One leaf is that leaf.
    assert!(slab::<Vec3>(0.0, 1.0).closest_point(Vec3::ZERO).is_some());
}

/// A random expression of the parts, and the same by another way: with De Morgan's laws, double complements and absorption.
fn random_expression<V: Space>(rng: &mut Rng, parts: &[Solid<V>]) -> [Solid<V>; 2] {
    let [first, rest @ ..] = parts else { unreachable!("there is a part") };
    if rest.is_empty() {
        return [first.clone(), !!(first.clone() | first.clone())];
    }
    let (left, right) = parts.split_at(1 + rng.below(parts.len() - 1));
    let ([a, x], [b, y]) = (random_expression(rng, left), random_expression(rng, right));
    match rng.below(4) {
        0 => [a | b, !(!x & !y)],
        1 if parts.len() < 7 => [a & b, !(!x.clone() | !y.clone()) & (x | y)],
        1 => [a & b, !(!x | !y)],
        2 => [a - b, x & !y],
        _ => [!(a | b), !x - y],
    }
}

/// Spans of expressions of slabs along a line, against logic at each whole number and in each gap between two.
fn slabs_and_logic<V: Space<Shape: From<Cuboid<V>> + From<HalfSpace<V>>>>(rounds: usize) {
    let (mut rng, mut touches, mut filled) = (Rng::new(33), 0, 0);
    for round in 0..rounds {
        let count = if round % 16 == 0 { 20 + rng.below(20) } else { 1 + rng.below(7) };
        let parts: Vec<Solid<V>> = (0..count)
            .map(|_| {
                let [a, b] = [rng.below(10), rng.below(10)].map(|x| x as f64);
                if rng.below(8) > 0 {
                    return slab(a.min(b), a.max(b));
                }
                let x = |x: f64| V::from_xyz([V::Scalar::from_f64(x), V::Scalar::ZERO, V::Scalar::ZERO]);
                Solid::from(HalfSpace::new(x(a), x(if rng.below(2) == 0 { 1.0 } else { -1.0 })).unwrap())
            })
            .collect();
        let both = random_expression(&mut rng, &parts);
        // Place 2 k is the point k, and place 2 k + 1 the gap behind it.
        let at = |place: i32| {
            let point = [place as f64 / 2.0, 0.5, 0.25].map(V::Scalar::from_f64);
            both[0].contains(V::from_xyz(point))
        };
        let inside: Vec<bool> = (-1..=21).map(at).collect();
        let (mut expected, mut open) = (Vec::new(), inside[0].then_some(-f64::INFINITY));
        for k in 0..=10 {
            let (t, [before, here, after]) = (k as f64, [0, 1, 2].map(|i| inside[2 * k + i]));
            match open {
                Some(start) if !after => expected.push([start, t]),
                None if here && !after => expected.push([t, t]),
                _ => {}
            }
            open = if after { open.or(Some(t)) } else { None };
            touches += usize::from(here && !before && !after);
            filled += usize::from(!here && before && after);
        }
        expected.extend(open.map(|start| [start, f64::INFINITY]));
        for solid in &both {
            assert_eq!(spans(solid, Query::line()), expected, "{}", solid.expression());
            let ends = expected.iter().flat_map(|[a, b]| if a == b { vec![*a] } else { vec![*a, *b] });
            let finite: Vec<f64> = ends.filter(|t| t.is_finite()).collect();
            let found: Vec<f64> = hits(solid).iter().map(|hit| hit.0).collect();
            assert_eq!(found, finite, "{}", solid.expression());
            assert_eq!(solid.count_hits(&line(), Query::line()), finite.len());
        }
    }
    assert!(touches > rounds / 20 && filled > rounds / 100, "{touches} {filled}");
}

#[test]
fn expressions_of_slabs_are_logic() {
    slabs_and_logic::<Vec2>(200);
    slabs_and_logic::<Vec3>(200);
    slabs_and_logic::<DVec2>(200);
    slabs_and_logic::<DVec3>(200);
}

/// Laws of sets for shapes of every kind, with many ties: lattice numbers, repeated shapes, rays through lattice points.
fn laws<V: World>(rounds: usize) {
    let (mut rng, mut met) = (Rng::new(34), 0);
    for round in 0..rounds {
        let parts: Vec<Solid<V>> = (0..6)
            .filter_map(|i| Solid::new(V::shape((round + 5 * i) % V::KINDS, &mut rng, Draw::Lattice)?).ok())
            .collect();
        let [Some(a), Some(b)] = [parts.first(), parts.get(1)].map(Option::<&Solid<V>>::cloned) else { continue };
        let both = random_expression(&mut rng, &parts);
        let cells = [a.clone() & b.clone(), a.clone() - b.clone(), b.clone() - a.clone(), !(a.clone() | b.clone())];
        let nothing = a.clone() - a.clone();
        let absorbed = a.clone() | (a.clone() & b.clone());
        for _ in 0..8 {
            let ray = rng.ray(Draw::Lattice, &(a.aabb().union(b.aabb())));
            if ray.direction.to_xyz().iter().all(|x| *x == V::Scalar::ZERO) {
                continue;
            }
            let of = |solid: &Solid<V>| solid.spans(&ray, Query::line());
            // Equal logic has equal ends, bit for bit; the leaf that is named may be another equal one.
            let ends = |solid: &Solid<V>| -> Vec<_> {
                let t = |hit: Option<Hit<V>>| hit.map(|hit| (hit.t, hit.point, hit.side));
                of(solid).into_iter().map(|span| (t(span.enter), t(span.exit))).collect()
            };
            assert_eq!(ends(&both[0]), ends(&both[1]), "{ray:?} {} {}", both[0].expression(), both[1].expression());
            assert_eq!(ends(&absorbed), ends(&a), "{ray:?}");
            assert!(of(&nothing).is_empty() && !nothing.contains(ray.origin));
            // Each point is in one cell of a partition, and so is each part of the line.
            assert_eq!(cells.iter().filter(|cell| cell.contains(ray.origin)).count(), 1);
            let range = Query::from(V::Scalar::from_f64(-3.0)..=V::Scalar::from_f64(3.0));
            let covered = cells.iter().flat_map(|cell| cell.spans(&ray, range)).map(|span| {
                span.exit.map_or(3.0, |hit| hit.t.to_f64()) - span.enter.map_or(-3.0, |hit| hit.t.to_f64())
            });
            let covered: f64 = covered.sum();
            assert!((covered - 6.0).abs() < 1e-5, "{covered} {ray:?} {a:?} {b:?}");
            // The middle of a span is inside, and the middle of a gap is outside.
            let found = of(&both[0]);
            met += found.len();
            let is_long = |from: f64, to: f64| to - from > 1e-3;
            let at = |t: f64| both[0].contains(ray.at(V::Scalar::from_f64(t)));
            for span in &found {
                if let [Some(enter), Some(exit)] = [span.enter, span.exit].map(|hit| hit.map(|hit| hit.t.to_f64()))
                    && is_long(enter, exit)
                {
                    assert!(at((enter + exit) / 2.0), "{ray:?} {:?}", both[0]);
                }
            }
            for pair in found.windows(2) {
                let [exit, enter] = [pair[0].exit.unwrap().t, pair[1].enter.unwrap().t].map(Real::to_f64);
                assert!(exit <= enter);
                if is_long(exit, enter) {
                    assert!(!at((enter + exit) / 2.0), "{ray:?} {:?}", both[0]);
                }
            }
            // The closest hit, the list and the spans are one.
            let list = both[0].cast_ray_all(&ray, Query::line().inside(Inside::Hollow));
            assert_eq!(list.len(), both[0].count_hits(&ray, Query::line().inside(Inside::Hollow)));
            assert_eq!(list.first(), both[0].cast_ray(&ray, Query::line().inside(Inside::Hollow)).as_ref());
        }
    }
    assert!(met > rounds, "{met}");
}

#[test]
fn laws_of_sets() {
    laws::<Vec2>(150);
    laws::<Vec3>(150);
    laws::<DVec2>(60);
    laws::<DVec3>(60);
}
