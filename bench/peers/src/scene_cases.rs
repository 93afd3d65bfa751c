//! Cases of scenes: a mesh with other shapes beside the bare mesh, mixed shapes, a million spheres, instances, and moving
//! objects, compared with the bare library, Embree and parry.
//!
//! Each line `RATIO scene CASE WAY [PEER] VALUE` has our speed relative to the peer's, or to the bare mesh or shape; for
//! `build` and `update` their time relative to ours; for `memory` bytes an object.

use crate::contest::{Run, contest, time};
use crate::embree::{self, Device};
use crate::engine::{Answer, Cast, Engine, in_one_call, print_builds, ray_by_ray};
use crate::mesh::{self, Mesh};
use crate::mesh_engines::{built, cast, cast16};
use crate::rays::{self, Set};
use crate::scenes::{ScenesPlan, check_against_brute, direction, message, mixed, ratios, sets, within};
use hitscan::glam::{Quat, Vec3};
use hitscan::{Cuboid, Object, Quality, Ray, RayCast, Scene, SceneBuilder, Shape, Sphere, Transform};
use parry3d::query::RayCast as _;
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use test_support::random::Rng;

type Case = fn(&ScenesPlan) -> Result<Vec<String>, String>;

/// Runs all cases, or one of them.
pub(crate) fn run(plan: &ScenesPlan, only: &str) -> Result<Vec<String>, String> {
    let cases: [(&str, Case); 7] = [
        ("mesh", meshes),
        ("shapes3", |plan| mixed(plan, false)),
        ("shapes2", |plan| mixed(plan, true)),
        ("spheres1m", spheres),
        ("instances", instances),
        ("moving", moving),
        ("one-shape", one_shape),
    ];
    let wanted: Vec<_> = cases.iter().filter(|(name, _)| only.is_empty() || *name == only).collect();
    if wanted.is_empty() {
        let names: Vec<_> = cases.iter().map(|(name, _)| *name).collect();
        return Err(format!("--only {only}: unknown; the cases are {}", names.join(", ")));
    }
    let mut lines = Vec::new();
    for (_, case) in wanted {
        lines.extend(case(plan)?);
    }
    Ok(lines)
}

/// The bunny of the machine, or a generated mesh of as many triangles.
fn model() -> Result<Mesh, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/meshes/bunny.ply");
    if file.exists() { mesh::load(&file) } else { Ok(mesh::bumpy_sphere(70_000)) }
}

fn side(plan: &ScenesPlan) -> usize {
    (plan.rays as f64).sqrt() as usize / 8 * 8
}

/// A mesh alone, turned a little, with one box, and with a thousand small spheres around it, relative to the bare mesh.
fn meshes(plan: &ScenesPlan) -> Result<Vec<String>, String> {
    let model = model()?;
    let (_, bare) = built(&model, Quality::Default)?;
    let bare = Arc::new(bare);
    let (bounds, mut random) = (bare.aabb(), Rng::for_stream(plan.seed, 20));
    let size = bounds.half_extents().length();
    let scene = |others: Vec<Object<Vec3>>| -> Result<Scene<Vec3>, String> {
        let mut builder = SceneBuilder::new();
        builder.insert(Object::new(bare.clone())).map_err(message)?;
        others.into_iter().try_for_each(|object| builder.insert(object).map(drop)).map_err(message)?;
        Ok(builder.build())
    };
    let corner = Cuboid::new(bounds.center() - Vec3::splat(size * 0.7), Vec3::splat(size * 0.1)).map_err(message)?;
    let around = |_| -> Result<Object<Vec3>, String> {
        let center = bounds.center() + direction(&mut random, false) * size * (0.7 + 0.5 * random.unit() as f32);
        Ok(Object::new(Sphere::new(center, size * 0.005).map_err(message)?))
    };
    let turn = Quat::from_rotation_y(0.3);
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| turn * axis);
    let around_center = Transform::new(axes, bounds.center() - turn * bounds.center()).map_err(message)?;
    let mut turned = SceneBuilder::new();
    turned.insert(Object::new(bare.clone()).with_transform(around_center)).map_err(message)?;
    let scenes = [
        ("mesh", scene(Vec::new())?),
        ("mesh-turned", turned.build()),
        ("mesh+box", scene(vec![Object::new(corner)])?),
        ("mesh+1000", scene((0..1000).map(around).collect::<Result<_, _>>()?)?),
    ];
    let sets = rays::sets(&bare, false, side(plan), plan.seed);
    let mut lines = Vec::new();
    for (name, scene) in &scenes {
        check_against_brute(scene, &sets)?;
        // Other objects hide the mesh from a few rays: their answers differ from those of the mesh.
        lines.extend(over_bare(name, (scene, &*bare), &sets, plan.rounds));
    }
    Ok(lines)
}

/// Speeds of a scene over those of its one large shape by itself.
fn over_bare(
    case: &str,
    (scene, bare): (&Scene<Vec3>, &(impl Shape<Vec3> + Sync)),
    sets: &[Set],
    rounds: usize,
) -> Vec<String> {
    let single = [ours("scene", ray_by_ray(scene)), ours("bare", ray_by_ray(bare))];
    let batch = [ours("scene", in_one_call(scene)), ours("bare", in_one_call(bare))];
    let ways = [("single", single), ("batch", batch)].map(|(way, engines)| {
        let found = ratios(case, &engines, sets, rounds, "bare");
        [
            format!("RATIO scene {case} {way} {:.3}", found.first),
            format!("RATIO scene {case} {way}-any {:.3}", found.any),
        ]
    });
    ways.concat()
}

fn ours<'a, V>(name: &str, cast: Cast<'a, V>) -> Engine<'a, V> {
    Engine { name: name.into(), cast, build: 0.0, bytes: None }
}

/// A million spheres: Embree's sphere points, and parry's compound of balls.
fn spheres(plan: &ScenesPlan) -> Result<Vec<String>, String> {
    let (count, side) = if plan.quick { (100_000, 50.0) } else { (1_000_000, 108.0) };
    let mut random = Rng::for_stream(plan.seed, 21);
    let points: Vec<[f32; 4]> = (0..count)
        .map(|_| {
            let center = within(&mut random, false, side);
            [center.x, center.y, center.z, 0.1 + 0.4 * random.unit() as f32]
        })
        .collect();
    let center = |p: &[f32; 4]| Vec3::new(p[0], p[1], p[2]);
    let mut builder = SceneBuilder::<Vec3>::new();
    for point in &points {
        builder.add(Sphere::new(center(point), point[3]).map_err(message)?).map_err(message)?;
    }
    let (build, scene) = time(|| builder.build());
    let sets = sets::<Vec3>(false, side, plan.rays, plan.seed);
    check_against_brute(&scene, &sets)?;
    let bytes = Some(scene.statistics().bytes);
    let engine = |name: &str, cast| Engine { name: name.into(), cast, build, bytes };
    let mut engines = vec![engine("hitscan", ray_by_ray(&scene)), engine("hitscan batch", in_one_call(&scene))];
    let library = embree::library()?;
    for isa in ["avx2", "avx512"] {
        let Ok(device) = Device::open(&library, isa) else { continue };
        for packets in [false, true] {
            let mut build = 0.0;
            let scene = embree::Scene::spheres(&device, embree::MEDIUM, &points, |commit| build = time(commit).0);
            engines.push(embree_engine(format!("embree {isa} spheres"), Rc::new(scene), build, packets));
        }
    }
    let parts: Vec<_> = points
        .iter()
        .map(|p| {
            let at = parry3d::math::Vector::new(p[0], p[1], p[2]);
            (parry3d::math::Pose::from_translation(at), parry3d::shape::SharedShape::ball(p[3]))
        })
        .collect();
    let (parry_build, compound) = time(|| parry3d::shape::Compound::new(parts));
    let parry: Cast<'_, Vec3> = Box::new(move |set, out| parry_compound(&compound, set, out));
    engines.push(Engine { name: "parry Compound".into(), cast: parry, build: parry_build, bytes: None });
    print_builds(&engines);
    let mut lines = ratios("spheres1m", &engines, &sets, plan.rounds, "embree").lines("spheres1m", "embree");
    lines.push(format!("RATIO scene spheres1m build parry {:.3}", parry_build / build));
    Ok(lines)
}

fn embree_engine<'a>(name: String, scene: Rc<embree::Scene>, build: f64, packets: bool) -> Engine<'a> {
    let bytes = usize::try_from(scene.bytes).ok();
    let (name, run): (String, Cast<'a, Vec3>) = if packets {
        (format!("{name} x16"), Box::new(move |set, out| cast16(&scene, set, out)))
    } else {
        (name, Box::new(move |set, out| cast(&scene, set, out)))
    };
    Engine { name, cast: run, build, bytes }
}

fn parry_compound(compound: &parry3d::shape::Compound, set: &Set, out: &mut dyn FnMut(Answer)) {
    for ray in &set.rays {
        let ray = parry_ray(ray);
        if set.any {
            out(compound.intersects_local_ray(&ray, 1.0).then_some(0.0));
        } else {
            let hit = compound.cast_local_ray_and_get_normal(&ray, f32::MAX, true);
            black_box(&hit);
            out(hit.map(|hit| hit.time_of_impact));
        }
    }
}

fn parry_ray(ray: &Ray<Vec3>) -> parry3d::query::Ray {
    let v = |v: Vec3| parry3d::math::Vector::new(v.x, v.y, v.z);
    parry3d::query::Ray::new(v(ray.origin), v(ray.direction))
}

/// Ten thousand instances of one mesh, turned and moved.
fn instances(plan: &ScenesPlan) -> Result<Vec<String>, String> {
    let (model, count) = (model()?, if plan.quick { 1_000 } else { 10_000 });
    let (_, mesh) = built(&model, Quality::Default)?;
    let size = mesh.aabb().half_extents().length();
    let side = size * 2.0 * (count as f32).cbrt();
    let mut random = Rng::for_stream(plan.seed, 22);
    let places: Vec<([Vec3; 3], Vec3)> = (0..count)
        .map(|_| {
            let turn = Quat::from_axis_angle(direction(&mut random, false), 6.3 * random.unit() as f32);
            let size = 0.5 + random.unit() as f32;
            ([Vec3::X, Vec3::Y, Vec3::Z].map(|axis| turn * axis * size), within(&mut random, false, side))
        })
        .collect();
    let mesh = Arc::new(mesh);
    let mut builder = SceneBuilder::<Vec3>::new();
    for (axes, at) in &places {
        let transform = Transform::new(axes, *at).map_err(message)?;
        builder.insert(Object::new(mesh.clone()).with_transform(transform)).map_err(message)?;
    }
    let (build, scene) = time(|| builder.build());
    let sets = sets::<Vec3>(false, side, plan.rays / 2, plan.seed);
    check_against_brute(&scene, &sets)?;
    let bytes = scene.statistics().bytes;
    let engine = |name: &str, cast| Engine { name: name.into(), cast, build, bytes: Some(bytes) };
    let mut engines = vec![engine("hitscan", ray_by_ray(&scene)), engine("hitscan batch", in_one_call(&scene))];
    let maps: Vec<[f32; 12]> = places
        .iter()
        .map(|([x, y, z], at)| {
            let mut map = [0.0; 12];
            [x, y, z, at].iter().zip(map.chunks_mut(3)).for_each(|(column, to)| to.copy_from_slice(&column.to_array()));
            map
        })
        .collect();
    let library = embree::library()?;
    for isa in ["avx2", "avx512"] {
        let Ok(device) = Device::open(&library, isa) else { continue };
        let base = embree::Scene::new(&device, embree::MEDIUM, &model.arrays(), &model.triangles, |commit| commit());
        let base = Rc::new(base);
        for packets in [false, true] {
            let mut build = 0.0;
            let scene = embree::Scene::instances(&base, embree::MEDIUM, &maps, |commit| build = time(commit).0);
            engines.push(embree_engine(format!("embree {isa} instances"), Rc::new(scene), build, packets));
        }
    }
    print_builds(&engines);
    let mut lines = ratios("instances", &engines, &sets, plan.rounds, "embree").lines("instances", "embree");
    println!("instances: {} bytes of the mesh, {bytes} of the tree with its objects", mesh.statistics().bytes);
    lines.push(format!("RATIO scene instances memory {:.0}", bytes as f64 / f64::from(count)));
    Ok(lines)
}

/// Spheres that all move a little in each frame, or one in a hundred of them, and then are hit by rays. parry updates its
/// BVH in place, refits it, and optimizes it every fifth frame, as its documentation says.
fn moving(plan: &ScenesPlan) -> Result<Vec<String>, String> {
    use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
    let (count, side) = (plan.shapes, 50.0 * (plan.shapes as f32 / 1e5).cbrt());
    let mut random = Rng::for_stream(plan.seed, 23);
    let start: Vec<(Vec3, f32)> =
        (0..count).map(|_| (within(&mut random, false, side), 0.1 + 0.4 * random.unit() as f32)).collect();
    let velocity: Vec<Vec3> = (0..count).map(|_| direction(&mut random, false) * 0.1).collect();
    let rays = sets::<Vec3>(false, side, plan.rays, plan.seed).swap_remove(1).rays;
    let mut lines = Vec::new();
    for (name, stride) in [("moving", 1), ("moving1%", 100)] {
        let ball = |(center, radius): (Vec3, f32)| Sphere::new(center, radius).map_err(message);
        let (mut builder, mut ids) = (SceneBuilder::<Vec3>::new(), Vec::new());
        for place in &start {
            ids.push(builder.insert(Object::new(ball(*place)?)).map_err(message)?);
        }
        let v = |v: Vec3| parry3d::math::Vector::new(v.x, v.y, v.z);
        let bounds = |(center, radius): (Vec3, f32)| {
            parry3d::bounding_volume::Aabb::new(v(center - Vec3::splat(radius)), v(center + Vec3::splat(radius)))
        };
        let boxes: Vec<_> = start.iter().map(|place| bounds(*place)).collect();
        let at = |i: usize, frame: usize| (start[i].0 + velocity[i] * frame as f32, start[i].1);
        let moved = |frame: usize| (frame % stride..count).step_by(stride);

        let ours = std::cell::RefCell::new((builder.build(), 0));
        let peer = std::cell::RefCell::new((
            Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            BvhWorkspace::default(),
            start.clone(),
            0,
        ));
        let update_ours = || {
            let (scene, frame) = &mut *ours.borrow_mut();
            *frame += 1;
            for i in moved(*frame) {
                let moved = ball(at(i, *frame)).and_then(|ball| scene.set_shape(ids[i], ball).map_err(message));
                assert_eq!(moved, Ok(()));
            }
            scene.commit();
        };
        let update_peer = || {
            let (tree, workspace, places, frame) = &mut *peer.borrow_mut();
            *frame += 1;
            for i in moved(*frame) {
                places[i] = at(i, *frame);
                tree.insert_or_update_partially(bounds(places[i]), i as u32, 0.0);
            }
            tree.refit(workspace);
            if *frame % 5 == 0 {
                tree.optimize_incremental(workspace);
            }
        };
        let cast_ours = || ours.borrow().0.cast_rays(&rays, ..).into_iter().flatten().count();
        let cast_peer = || {
            let (tree, _, places, _) = &*peer.borrow();
            let hit = |ray: &Ray<Vec3>| {
                let ray = parry_ray(ray);
                let ball = |i: u32| {
                    let (center, radius) = places[i as usize];
                    (parry3d::math::Pose::from_translation(v(center)), parry3d::shape::Ball::new(radius))
                };
                let (i, _) = tree.cast_ray(&ray, f32::MAX, |i, best| {
                    let (pose, ball) = ball(i);
                    ball.cast_ray(&pose, &ray, best, true)
                })?;
                let (pose, ball) = ball(i);
                black_box(ball.cast_ray_and_get_normal(&pose, &ray, f32::MAX, true))
            };
            rays.iter().filter_map(hit).count()
        };
        update_ours();
        update_peer();
        let hits = [cast_ours(), cast_peer()];
        println!("\n{name}: {count} spheres, {} rays; hits {} and parry {}", rays.len(), hits[0], hits[1]);
        // parry misses some: see the table of accuracy.
        if hits[0].abs_diff(hits[1]) > 5 + hits[0] / 1000 {
            return Err(format!("{name}: the engines see different scenes: {hits:?}"));
        }
        let mut runs: Vec<Run<'_>> = vec![
            Box::new(update_ours),
            Box::new(update_peer),
            Box::new(|| {
                update_ours();
                black_box(cast_ours());
            }),
            Box::new(|| {
                update_peer();
                black_box(cast_peer());
            }),
        ];
        let times = contest(&mut runs, plan.rounds);
        let median = |i: usize| times[i].median() * 1e3;
        println!("update {:.1} ms, parry {:.1} ms; with rays {:.1}, {:.1}", median(0), median(1), median(2), median(3));
        lines.push(format!("RATIO scene {name}-update update parry {:.3}", median(1) / median(0)));
        lines.push(format!("RATIO scene {name}-frame batch parry {:.3}", median(3) / median(2)));
    }
    Ok(lines)
}

/// A scene of one shape, relative to the shape.
fn one_shape(plan: &ScenesPlan) -> Result<Vec<String>, String> {
    let ball = Sphere::new(Vec3::ZERO, 1.0).map_err(message)?;
    let mut builder = SceneBuilder::<Vec3>::new();
    builder.add(ball).map_err(message)?;
    let scene = builder.build();
    let sets = sets::<Vec3>(false, 1.0, plan.rays, plan.seed);
    Ok(over_bare("one-shape", (&scene, &ball), &sets, plan.rounds))
}
