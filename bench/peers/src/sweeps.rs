//! Moving spheres at meshes and at mixed shapes, compared with parry.
//!
//! Each line `RATIO distances sweep-CASE WAY parry VALUE` has our speed relative to parry's. Answers are compared first, with
//! those of the same shapes in `f64`.

use crate::contest::{Run, contest, geometric_mean};
use crate::distances::DistancesPlan;
use crate::mesh::Mesh;
use crate::mesh_engines::built;
use crate::scenes::{self, direction, message, within};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Quality, Ray, Shape, SweepQuery, TriangleMesh};
use parry3d::math::{Pose, Vector};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::Ball;
use std::hint::black_box;
use test_support::random::Rng;

pub(crate) fn run(plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for mesh in plan.meshes()? {
        lines.extend(of_mesh(&mesh, plan)?);
    }
    lines.extend(of_shapes(plan)?);
    Ok(lines)
}

fn v(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// The first contact by parry: its `t`.
fn parry(shape: &dyn parry3d::shape::Shape, ray: &Ray<Vec3>, radius: f32) -> Option<f32> {
    let at = Pose::from_translation(v(ray.origin));
    let (still, ball) = (Vector::default(), Ball::new(radius));
    let found = cast_shapes(&Pose::IDENTITY, still, shape, &at, v(ray.direction), &ball, ShapeCastOptions::default())
        .ok()??;
    Some(found.time_of_impact)
}

/// Rays from places around the shapes, and among them, in all directions.
fn rays(center: Vec3, half: Vec3, plan: &DistancesPlan) -> [(&'static str, Vec<Ray<Vec3>>); 2] {
    let mut random = Rng::for_stream(plan.seed, 41);
    let mut inside = || center + within(&mut random, false, 1.0) * half;
    let size = half.length();
    let towards = (0..plan.points).map(|_| {
        let (from, to) = (inside() - center, inside());
        let from = center + from.normalize_or(Vec3::X) * size * 1.5;
        Ray::new(from, (to - from).normalize_or(Vec3::X))
    });
    let towards = towards.collect();
    let mut random = Rng::for_stream(plan.seed, 42);
    let among = (0..plan.points)
        .map(|_| Ray::new(center + within(&mut random, false, 1.0) * half, direction(&mut random, false)));
    [("towards", towards), ("among", among.collect())]
}

/// Speeds over parry's: ray by ray, and in one call.
fn compare(
    name: &str,
    (ours, peer): (&(dyn Shape<Vec3> + Sync), &dyn parry3d::shape::Shape),
    truth: &dyn Fn(&Ray<Vec3>, f32) -> Option<f64>,
    (center, half): (Vec3, Vec3),
    plan: &DistancesPlan,
) -> [f64; 2] {
    let mut found: [Vec<f64>; 2] = Default::default();
    for (set, rays) in rays(center, half, plan) {
        for share in [0.005, 0.05] {
            let radius = half.length() * share;
            let expected: Vec<Option<f64>> = rays.iter().map(|ray| truth(ray, radius)).collect();
            let answers = [
                ("hitscan", rays.iter().map(|ray| ours.cast_sphere(ray, radius, ..).map(|hit| hit.t)).collect()),
                ("parry", rays.iter().map(|ray| parry(peer, ray, radius)).collect::<Vec<_>>()),
            ];
            println!("\n{name} {set}, radius {radius:.4}: {} rays", rays.len());
            for (engine, answers) in &answers {
                let wrong = answers.iter().zip(&expected).filter(|(a, b)| a.is_some() != b.is_some()).count();
                let mut errors: Vec<f64> = answers
                    .iter()
                    .zip(&expected)
                    .filter_map(|(a, b)| Some((f64::from((*a)?) - (*b)?).abs() / f64::from(half.length())))
                    .collect();
                errors.sort_by(f64::total_cmp);
                let [middle, worst] = [errors.len() / 2, errors.len().saturating_sub(1)]
                    .map(|i| errors.get(i).copied().unwrap_or_default());
                println!(
                    "{engine:10} wrong {wrong:5}, error of the way in sizes: median {middle:.1e}, worst {worst:.1e}"
                );
            }
            let mut runs: Vec<Run<'_>> = vec![
                Box::new(|| {
                    for ray in &rays {
                        black_box(ours.cast_sphere(ray, radius, ..));
                    }
                }),
                Box::new(|| drop(black_box(ours.cast_spheres(&rays, radius, ..)))),
                Box::new(|| {
                    for ray in &rays {
                        black_box(parry(peer, ray, radius));
                    }
                }),
            ];
            let times = contest(&mut runs, plan.rounds);
            let [single, batch, peer] = [0, 1, 2].map(|i| times[i].median() * 1e9 / rays.len() as f64);
            println!("ns a ray: single {single:.0}, batch {batch:.0}, parry {peer:.0}");
            found[0].push(peer / single);
            found[1].push(peer / batch);
        }
    }
    found.map(|ratios| geometric_mean(&ratios))
}

fn lines(case: &str, [single, batch]: [f64; 2]) -> [String; 2] {
    [("single", single), ("batch", batch)]
        .map(|(way, value)| format!("RATIO distances sweep-{case} {way} parry {value:.3}"))
}

fn of_mesh(mesh: &Mesh, plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let (_, ours) = built(mesh, Quality::Default)?;
    let fine = mesh.vertices.iter().map(|v| v.as_dvec3()).collect();
    let fine = TriangleMesh::<DVec3>::new(fine, mesh.triangles.clone()).map_err(message)?;
    let vertices = mesh.vertices.iter().copied().map(v).collect();
    let peer = parry3d::shape::TriMesh::new(vertices, mesh.triangles.clone()).map_err(message)?;
    let truth = |ray: &Ray<Vec3>, radius: f32| {
        let ray = Ray::new(ray.origin.as_dvec3(), ray.direction.as_dvec3());
        fine.cast_sphere(&ray, f64::from(radius), ..).map(|hit| hit.t)
    };
    let bounds = ours.aabb();
    let ratios = compare(&mesh.name, (&ours, &peer), &truth, (bounds.center(), bounds.half_extents()), plan);
    Ok(lines(&mesh.name, ratios).into())
}

fn of_shapes(plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let (scene, peer) = scenes::in_space_with_compound(10_000, plan.seed)?;
    let truth = |ray: &Ray<Vec3>, radius: f32| scene.cast_sphere(ray, radius, ..).map(|hit| f64::from(hit.t));
    let bounds = scene.finite_bounds();
    let ratios = compare("shapes", (&scene, &peer), &truth, (bounds.center(), bounds.half_extents()), plan);
    Ok(lines("shapes", ratios).into())
}
