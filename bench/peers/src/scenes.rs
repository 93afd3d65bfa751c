//! Scenes of a hundred thousand shapes of several kinds, in 2D and 3D, compared with parry's BVH over the same shapes.

use crate::contest::{geometric_mean, time};
use crate::engine::{Answer, Engine, compare, in_one_call, print_builds, ray_by_ray};
use crate::rays::Set;
use hitscan::Vector;
use hitscan::glam::{Quat, Vec2, Vec3};
use hitscan::{Ray, RayCast, Scene, SceneBuilder, ShapeError, Space};
use std::hint::black_box;
use test_support::random::Rng;

/// Options of the benchmark.
pub(crate) struct ScenesPlan {
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    pub(crate) shapes: usize,
    pub(crate) rays: usize,
    pub(crate) quick: bool,
}

/// Shape in the form that both libraries get: along an axis of length 1, with a half length and a radius. A box has the
/// half extents `radius`, `half`, `depth`, its second axis along the axis.
#[derive(Clone, Copy)]
struct PlacedShape {
    kind: Kind,
    center: Vec3,
    /// Rotation of y to the axis.
    turn: Quat,
    half: f32,
    radius: f32,
    depth: f32,
}

#[derive(Clone, Copy)]
enum Kind {
    Ball,
    Capsule,
    Cuboid,
    Cylinder,
    Cone,
    Triangle,
    Segment,
}

const IN_SPACE: [Kind; 5] = [Kind::Ball, Kind::Capsule, Kind::Cuboid, Kind::Cylinder, Kind::Cone];
const IN_PLANE: [Kind; 5] = [Kind::Ball, Kind::Capsule, Kind::Cuboid, Kind::Triangle, Kind::Segment];

impl PlacedShape {
    fn axis(&self) -> Vec3 {
        self.turn * Vec3::Y
    }
    /// Ends of the axis.
    fn ends(&self) -> [Vec3; 2] {
        [self.center - self.axis() * self.half, self.center + self.axis() * self.half]
    }
    /// Third vertex, beside the axis.
    fn beside(&self) -> Vec3 {
        self.center + self.turn * Vec3::X * self.radius
    }
}

/// Shapes in the cube, or the square, from `-side` to `side`, with sizes from 0.1 to 0.5.
fn placed(flat: bool, side: f32, count: usize, seed: u64) -> Vec<PlacedShape> {
    let mut random = Rng::for_stream(seed, u64::from(flat));
    let kinds = if flat { IN_PLANE } else { IN_SPACE };
    (0..count)
        .map(|i| {
            let center = within(&mut random, flat, side);
            let axis = direction(&mut random, flat);
            // In 2D about z: an arc from y to its opposite could have any axis.
            let turn = if flat {
                Quat::from_rotation_z(-axis.x.atan2(axis.y))
            } else {
                Quat::from_rotation_arc(Vec3::Y, axis)
            };
            let mut size = || 0.1 + 0.4 * random.unit() as f32;
            PlacedShape { kind: kinds[i % 5], center, turn, half: size(), radius: size(), depth: size() }
        })
        .collect()
}

pub(crate) fn within(random: &mut Rng, flat: bool, side: f32) -> Vec3 {
    let [x, y, z] = [0; 3].map(|_| side * (2.0 * random.unit() as f32 - 1.0));
    Vec3::new(x, y, if flat { 0.0 } else { z })
}

pub(crate) fn direction(random: &mut Rng, flat: bool) -> Vec3 {
    loop {
        let direction = within(random, flat, 1.0);
        if (0.01..=1.0).contains(&direction.length_squared()) {
            return direction.normalize();
        }
    }
}

/// Camera rays from outside, or a fan of them; chords of the sphere around all shapes; random origins and directions;
/// and any-hit segments a few sizes long.
pub(crate) fn sets<V: Vector<Scalar = f32>>(flat: bool, side: f32, count: usize, seed: u64) -> Vec<Set<V>> {
    let mut random = Rng::for_stream(seed, 2 + u64::from(flat));
    let v = |v: Vec3| V::from_xyz(v.to_array());
    let (eye, width) = (Vec3::new(0.1, 0.07, 2.8) * side, (count as f32).sqrt() as usize);
    let primary = |i: usize| {
        let across = |i: usize, n: usize| ((i as f32 + 0.5) / n as f32 - 0.5) * 1.1;
        let direction = Vec3::new(across(i % width, width), across(i / width, width), -1.0);
        let flat_direction = Vec3::new(across(i, count), -1.0, 0.0);
        if flat { (Vec3::new(eye.x, eye.z, 0.0), flat_direction.normalize()) } else { (eye, direction.normalize()) }
    };
    let around = side * if flat { 2.0f32 } else { 3.0 }.sqrt();
    let mut chord = |_| {
        let [from, to] = [0; 2].map(|_| direction(&mut random, flat) * around);
        (from, (to - from).normalize())
    };
    let set = |name, any, rays: Vec<(Vec3, Vec3)>| {
        let rays = rays.into_iter().map(|(from, direction)| Ray::new(v(from), v(direction))).collect();
        Set { name, any, rays }
    };
    let count = if flat { count } else { width * width };
    let sets = [
        set("primary", false, (0..count).map(primary).collect()),
        set("chord", false, (0..count).map(&mut chord).collect()),
    ];
    let bounce = (0..count).map(|_| (within(&mut random, flat, side), direction(&mut random, flat))).collect();
    let bounce = set("bounce", false, bounce);
    let shadow = (0..count).map(|_| (within(&mut random, flat, side), direction(&mut random, flat) * 20.0)).collect();
    sets.into_iter().chain([bounce, set("shadow", true, shadow)]).collect()
}

/// Adds a shape to our scene.
type Add<V> = fn(&mut SceneBuilder<V>, &PlacedShape) -> Result<(), String>;

pub(crate) fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn add3(to: &mut SceneBuilder<Vec3>, placed: &PlacedShape) -> Result<(), String> {
    use hitscan::{AnyShape3, Capsule, Cone, Cylinder, OrientedBox, Sphere};
    let PlacedShape { kind, center, turn, half, radius, depth } = *placed;
    let [a, b] = placed.ends();
    let shape = || -> Result<AnyShape3<Vec3>, ShapeError> {
        Ok(match kind {
            Kind::Ball => Sphere::new(center, radius)?.into(),
            Kind::Capsule => Capsule::new(a, b, radius)?.into(),
            Kind::Cylinder => Cylinder::new(a, b, radius)?.into(),
            Kind::Cone => Cone::new(a, b, radius)?.into(),
            _ => {
                let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| turn * axis);
                OrientedBox::with_axes(center, Vec3::new(radius, half, depth), &axes)?.into()
            }
        })
    };
    to.add(shape().map_err(message)?).map_err(message).map(|_| ())
}

fn add2(to: &mut SceneBuilder<Vec2>, placed: &PlacedShape) -> Result<(), String> {
    use hitscan::{AnyShape2, Capsule, OrientedBox, SegmentShape, Sphere, Triangle2};
    let PlacedShape { kind, center, turn, half, radius, .. } = *placed;
    let ([a, b], c) = (placed.ends().map(Vec3::truncate), placed.beside().truncate());
    let shape = || -> Result<AnyShape2<Vec2>, ShapeError> {
        Ok(match kind {
            Kind::Ball => Sphere::new(center.truncate(), radius)?.into(),
            Kind::Capsule => Capsule::new(a, b, radius)?.into(),
            Kind::Triangle => Triangle2::new(a, b, c)?.into(),
            Kind::Segment => SegmentShape::new(a, b)?.into(),
            _ => {
                let axes = [Vec3::X, Vec3::Y].map(|axis| (turn * axis).truncate());
                OrientedBox::with_axes(center.truncate(), Vec2::new(radius, half), &axes)?.into()
            }
        })
    };
    to.add(shape().map_err(message)?).map_err(message).map(|_| ())
}

/// Two ways to the first hit with its normal in parry: its compound shape, and its BVH for `t`, then the shape for the
/// normal.
macro_rules! peers {
    ($name:ident, $krate:ident, $ours:ty, $vector:expr, |$pose:ident, $shape:ident, $placed:ident, $v:ident| $part:expr) => {
        fn $name(placed: &[PlacedShape]) -> Vec<Engine<'static, $ours>> {
            use $krate::math::Pose as $pose;
            use $krate::query::{Ray, RayCast};
            use $krate::shape::{Compound, SharedShape as $shape};
            let $v: fn(Vec3) -> $krate::math::Vector = $vector;
            let part = |$placed: &PlacedShape| -> ($pose, $shape) { $part };
            let parts: Vec<_> = placed.iter().map(part).collect();
            let (build, compound) = time(|| Compound::new(parts));
            let compound = std::rc::Rc::new(compound);
            let bytes = Some(compound.bvh().total_memory_size() + size_of_val(compound.shapes()));
            let ray = move |ray: &hitscan::Ray<$ours>| {
                let v = |v: $ours| $v(Vec3::from(v.to_xyz()));
                Ray::new(v(ray.origin), v(ray.direction))
            };
            let whole = compound.clone();
            let by_tree = move |set: &Set<$ours>, out: &mut dyn FnMut(Answer)| {
                for ray in set.rays.iter().map(ray) {
                    let part = |i: u32| &whole.shapes()[i as usize];
                    let max = if set.any { 1.0 } else { f32::MAX };
                    let first =
                        whole.bvh().cast_ray(&ray, max, |i, best| part(i).1.cast_ray(&part(i).0, &ray, best, true));
                    if set.any {
                        out(first.map(|_| 0.0));
                        continue;
                    }
                    let hit = first.and_then(|(i, _)| part(i).1.cast_ray_and_get_normal(&part(i).0, &ray, max, true));
                    black_box(&hit);
                    out(first.map(|(_, t)| t));
                }
            };
            let by_shape = move |set: &Set<$ours>, out: &mut dyn FnMut(Answer)| {
                for ray in set.rays.iter().map(ray) {
                    if set.any {
                        out(compound.intersects_local_ray(&ray, 1.0).then_some(0.0));
                    } else {
                        let hit = compound.cast_local_ray_and_get_normal(&ray, f32::MAX, true);
                        black_box(&hit);
                        out(hit.map(|hit| hit.time_of_impact));
                    }
                }
            };
            vec![
                Engine { name: "parry Compound".into(), cast: Box::new(by_shape), build, bytes },
                Engine { name: "parry Bvh, then normal".into(), cast: Box::new(by_tree), build, bytes },
            ]
        }
    };
}

/// A shape of parry, with its place.
fn part_in_space(placed: &PlacedShape) -> (parry3d::math::Pose, parry3d::shape::SharedShape) {
    use parry3d::math::{Pose, Rotation, Vector};
    use parry3d::shape::SharedShape as Shape;
    let v = |v: Vec3| Vector::new(v.x, v.y, v.z);
    let PlacedShape { center, turn, half, radius, depth, .. } = *placed;
    let [a, b] = placed.ends().map(v);
    let turned = || Pose::from_parts(v(center), Rotation::from_array(turn.to_array()));
    match placed.kind {
        Kind::Ball => (Pose::from_translation(v(center)), Shape::ball(radius)),
        Kind::Capsule => (Pose::IDENTITY, Shape::capsule(a, b, radius)),
        Kind::Cylinder => (turned(), Shape::cylinder(half, radius)),
        Kind::Cone => (turned(), Shape::cone(half, radius)),
        _ => (turned(), Shape::cuboid(radius, half, depth)),
    }
}

peers!(in_space, parry3d, Vec3, |v| parry3d::math::Vector::new(v.x, v.y, v.z), |_Pose, _Shape, placed, _v| {
    part_in_space(placed)
});

peers!(in_plane, parry2d, Vec2, |v| parry2d::math::Vector::new(v.x, v.y), |Pose, Shape, placed, v| {
    let PlacedShape { center, turn, half, radius, .. } = *placed;
    let ([a, b], c) = (placed.ends().map(v), v(placed.beside()));
    let x = turn * Vec3::X;
    match placed.kind {
        Kind::Ball => (Pose::from_translation(v(center)), Shape::ball(radius)),
        Kind::Capsule => (Pose::IDENTITY, Shape::capsule(a, b, radius)),
        Kind::Triangle => (Pose::IDENTITY, Shape::triangle(a, b, c)),
        Kind::Segment => (Pose::IDENTITY, Shape::segment(a, b)),
        _ => {
            let turned = parry2d::math::Rotation::from_cos_sin_unchecked(x.x, x.y);
            (Pose::from_parts(v(center), turned), Shape::cuboid(radius, half))
        }
    }
});

/// Mixed shapes in space: our scene, and parry's compound of the same shapes.
pub(crate) fn in_space_with_compound(
    count: usize,
    seed: u64,
) -> Result<(Scene<Vec3>, parry3d::shape::Compound), String> {
    let placed = placed(false, 50.0 * (count as f32 / 1e5).cbrt(), count, seed);
    let mut builder = SceneBuilder::new();
    placed.iter().try_for_each(|placed| add3(&mut builder, placed))?;
    Ok((builder.build(), parry3d::shape::Compound::new(placed.iter().map(part_in_space).collect())))
}

/// Mixed shapes in space, or in the plane: ratios, as lines.
pub(crate) fn mixed(plan: &ScenesPlan, flat: bool) -> Result<Vec<String>, String> {
    // Dense enough that a ray crosses a good part of the scene before it hits.
    if flat {
        return one(plan, "shapes2", 1000.0 * (plan.shapes as f32 / 1e5).sqrt(), true, add2, in_plane);
    }
    one(plan, "shapes3", 50.0 * (plan.shapes as f32 / 1e5).cbrt(), false, add3, in_space)
}

fn one<V: Space<Scalar = f32>>(
    plan: &ScenesPlan,
    name: &str,
    side: f32,
    flat: bool,
    add: Add<V>,
    peers: fn(&[PlacedShape]) -> Vec<Engine<'static, V>>,
) -> Result<Vec<String>, String> {
    let placed = placed(flat, side, plan.shapes, plan.seed);
    println!("\n{name}: {} shapes", placed.len());
    let mut builder = SceneBuilder::new();
    placed.iter().try_for_each(|placed| add(&mut builder, placed))?;
    let (build, scene) = time(|| builder.build());
    let sets = sets::<V>(flat, side, plan.rays, plan.seed);
    check_against_brute(&scene, &sets)?;
    let bytes = Some(scene.statistics().bytes);
    let ours = |name: &str, cast| Engine { name: name.into(), cast, build, bytes };
    let mut engines = vec![ours("hitscan", ray_by_ray(&scene)), ours("hitscan batch", in_one_call(&scene))];
    engines.extend(peers(&placed));
    print_builds(&engines);
    Ok(ratios(name, &engines, &sets, plan.rounds, "parry").lines(name, "parry"))
}

/// Ratios of speeds to the fastest peer: geometric means over the sets.
pub(crate) struct Ratios {
    /// Closest hits by the first engine.
    pub(crate) first: f64,
    /// Closest hits by the second engine.
    second: f64,
    /// Any hit by the first engine.
    pub(crate) any: f64,
}

impl Ratios {
    /// Lines of two engines of ours: ray by ray, and in one call.
    pub(crate) fn lines(&self, case: &str, peer: &str) -> Vec<String> {
        let ways = [("single", self.first), ("batch", self.second), ("any", self.any)];
        ways.map(|(way, value)| format!("RATIO scene {case} {way} {peer} {value:.3}")).to_vec()
    }
}

/// Casts all sets, and compares the first two engines with the engines whose name begins with `peer`.
pub(crate) fn ratios<V>(case: &str, engines: &[Engine<'_, V>], sets: &[Set<V>], rounds: usize, peer: &str) -> Ratios {
    let (mut closest, mut any) = ([Vec::new(), Vec::new()], Vec::new());
    for set in sets {
        let speeds = compare(case, engines, set, rounds);
        let medians = speeds.iter().map(|speed| speed.mrays()[1]).collect::<Vec<_>>();
        let peers =
            engines.iter().zip(&medians).filter(|(engine, _)| engine.name.starts_with(peer)).map(|(_, speed)| *speed);
        let best = peers.fold(f64::NAN, f64::max);
        if set.any {
            any.push(medians[0] / best);
        } else {
            closest.iter_mut().zip(&medians).for_each(|(ratios, ours)| ratios.push(ours / best));
        }
    }
    let [first, second] = closest.map(|ratios| geometric_mean(&ratios));
    Ratios { first, second, any: geometric_mean(&any) }
}

/// Tests a few rays of each set against every shape: a BVH that loses hits must not be timed.
pub(crate) fn check_against_brute<V: Space<Scalar = f32>>(scene: &Scene<V>, sets: &[Set<V>]) -> Result<(), String> {
    let linear = scene.linear_scan();
    let few = (10_000_000 / scene.len()).clamp(8, 400);
    for set in sets {
        for ray in set.rays.iter().step_by(set.rays.len().div_ceil(few)) {
            let any = |scene: &Scene<V>| scene.intersects_ray(ray, ..=1.0);
            if scene.cast_ray(ray, ..) != linear.cast_ray(ray, ..) || any(scene) != any(&linear) {
                return Err(format!("the tree's answer is not that of all shapes for {ray:?}"));
            }
        }
    }
    Ok(())
}
