//! Closest points of meshes, compared with parry and Open3D.
//!
//! Each line `RATIO distances CASE WAY PEER VALUE` has our speed relative to the peer's. Answers are compared first, with
//! those of our mesh in `f64`. Open3D runs in a process of its own, after the rounds of the others.

use crate::contest::{Run, Times, contest, geometric_mean};
use crate::mesh::{self, Mesh};
use crate::mesh_engines::built;
use crate::open3d::Open3d;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{PointQuery, Quality, Shape, TriangleMesh};
use parry3d::query::PointQuery as _;
use std::hint::black_box;
use std::path::PathBuf;
use test_support::random::Rng;

pub(crate) struct DistancesPlan {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    pub(crate) points: usize,
}

impl DistancesPlan {
    /// The meshes of the files, or a generated one.
    pub(crate) fn meshes(&self) -> Result<Vec<Mesh>, String> {
        let mut meshes: Vec<Mesh> = self.files.iter().map(|file| mesh::load(file)).collect::<Result<_, _>>()?;
        if meshes.is_empty() {
            meshes.push(mesh::bumpy_sphere(70_000));
        }
        Ok(meshes)
    }
}

/// Points of one kind.
struct PointSet {
    name: &'static str,
    points: Vec<Vec3>,
}

pub(crate) fn run(plan: &DistancesPlan) -> Result<Vec<String>, String> {
    let meshes = plan.meshes()?;
    let mut ratios: Vec<(&str, Vec<f64>)> =
        ["single parry", "batch parry", "batch open3d"].map(|name| (name, Vec::new())).into();
    let mut lines = Vec::new();
    for mesh in &meshes {
        for (name, ratio) in of_mesh(mesh, plan)? {
            lines.push(format!("RATIO distances {} {name} {ratio:.3}", mesh.name));
            ratios.iter_mut().filter(|(all, _)| *all == name).for_each(|(_, all)| all.push(ratio));
        }
    }
    for (name, all) in ratios.iter().filter(|(_, all)| !all.is_empty()) {
        lines.push(format!("RATIO distances closest-point {name} {:.3}", geometric_mean(all)));
    }
    Ok(lines)
}

/// Points near the surface, in the box around the mesh, and far from it.
fn point_sets(mesh: &TriangleMesh<Vec3>, plan: &DistancesPlan) -> Vec<PointSet> {
    let (bounds, mut random) = (mesh.aabb(), Rng::for_stream(plan.seed, 40));
    let (center, half) = (bounds.center(), bounds.half_extents());
    let mut cube = || -> Vec3 { Vec3::from_array(random.cube(3).map(|x| x as f32)) };
    let (triangles, vertices) = (mesh.triangles(), mesh.vertices());
    let near = (0..plan.points).map(|i| {
        // A step that has no divisor in common with the number of triangles reaches all of them.
        let [a, b, c] = triangles[i * 7919 % triangles.len()].map(|v| vertices[v as usize]);
        (a + b + c) / 3.0 + cube() * half.length() * 0.01
    });
    let near = near.collect();
    let around = (0..plan.points).map(|_| center + cube() * half * 1.2).collect();
    let far = (0..plan.points).map(|_| center + cube().normalize_or(Vec3::X) * half.length() * 5.0).collect();
    [("near", near), ("around", around), ("far", far)].map(|(name, points)| PointSet { name, points }).into()
}

fn of_mesh(mesh: &Mesh, plan: &DistancesPlan) -> Result<Vec<(&'static str, f64)>, String> {
    let (_, ours) = built(mesh, Quality::Default)?;
    let fine = mesh.vertices.iter().map(|v| v.as_dvec3()).collect();
    let fine = TriangleMesh::<DVec3>::new(fine, mesh.triangles.clone()).map_err(|error| error.to_string())?;
    let v = |v: Vec3| parry3d::math::Vector::new(v.x, v.y, v.z);
    let vertices = mesh.vertices.iter().copied().map(v).collect();
    let parry = parry3d::shape::TriMesh::new(vertices, mesh.triangles.clone()).map_err(|error| error.to_string())?;
    let mut found: [Vec<f64>; 3] = Default::default();
    for PointSet { name, points } in point_sets(&ours, plan) {
        let peer = |point: &Vec3| parry.project_local_point(v(*point), false).point;
        let mut open3d = Open3d::start(mesh, &points).map_err(|error| eprintln!("Open3D is left out: {error}")).ok();
        let doubles: Vec<DVec3> = points.iter().map(|point| point.as_dvec3()).collect();
        let truth: Vec<f64> =
            fine.closest_points(&doubles, f64::INFINITY).iter().flatten().map(|f| f.distance).collect();
        let batch = ours.closest_points(&points, f32::INFINITY);
        let answers = [
            ("hitscan", batch.iter().flatten().map(|found| found.distance).collect()),
            ("parry", points.iter().map(|point| (peer(point) - v(*point)).length()).collect()),
            ("Open3D", open3d.as_ref().map_or_else(Vec::new, |open3d| open3d.distances.clone())),
        ];
        let largest = points.iter().chain(&mesh.vertices).fold(0.0f32, |most, v| most.max(v.abs().max_element()));
        println!(
            "\n{} {name}: {} points; worst error of a distance, in ulp of the largest coordinate",
            mesh.name,
            points.len()
        );
        for (engine, distances) in answers.iter().filter(|(_, distances): &&(_, Vec<f32>)| !distances.is_empty()) {
            let errors = distances.iter().zip(&truth).map(|(distance, truth)| (f64::from(*distance) - truth).abs());
            let worst = errors.fold(0.0, f64::max) / f64::from(largest * f32::EPSILON);
            println!("{engine:12} {worst:10.2}");
        }
        let mut runs: Vec<Run<'_>> = vec![
            Box::new(|| {
                for point in &points {
                    black_box(ours.closest_point(*point));
                }
            }),
            Box::new(|| drop(black_box(ours.closest_points(&points, f32::INFINITY)))),
            Box::new(|| {
                for point in &points {
                    black_box(peer(point));
                }
            }),
        ];
        let times = contest(&mut runs, plan.rounds);
        let mut of_open3d = Times::default();
        if let Some(open3d) = &mut open3d {
            for _ in 0..plan.rounds {
                of_open3d.push(open3d.round()?);
            }
        }
        let nanoseconds = |times: &Times| times.median() * 1e9 / points.len() as f64;
        let [single, batch, peer] = [0, 1, 2].map(|i| nanoseconds(&times[i]));
        let of_open3d = nanoseconds(&of_open3d);
        println!("ns a point: single {single:.0}, batch {batch:.0}, parry {peer:.0}, Open3D {of_open3d:.0}");
        for (all, ratio) in found.iter_mut().zip([peer / single, peer / batch, of_open3d / batch]) {
            all.extend(Some(ratio).filter(|ratio| ratio.is_finite()));
        }
    }
    let names = ["single parry", "batch parry", "batch open3d"];
    let means = names.into_iter().zip(found).filter(|(_, all)| !all.is_empty());
    Ok(means.map(|(name, all)| (name, geometric_mean(&all))).collect())
}
