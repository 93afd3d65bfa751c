//! Triangle meshes compared with Embree, parry, obvhs, bvh and tinybvh: rays per second, build time, memory.

use crate::embree::{self, COMPACT, Device, MEDIUM, QUALITY_HIGH, ROBUST};
use crate::engine::{Engine, compare, print_builds};
use crate::labels::{DEFAULT_BATCH, DEFAULT_SINGLE, HIGH_BATCH, HIGH_SINGLE};
use crate::mesh::{Mesh, bumpy_sphere, load};
use crate::mesh_engines::{built, bvh, obvhs, ours, ours_batch, parry, tinybvh};
use crate::rays::{Set, sets};
use crate::report::{BuildCost, Cell, Report};
use crate::tinybvh8::Tinybvh8;
use hitscan::glam::Vec3;
use hitscan::{Quality, RayCast, TriangleMesh};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// Options of the benchmark.
pub(crate) struct MeshesPlan {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    /// Pixels along each side of the camera's picture.
    pub(crate) side: usize,
    pub(crate) json: Option<PathBuf>,
    /// Path of the chart of ratios.
    pub(crate) picture: Option<PathBuf>,
    /// Runs only hitscan and engines whose names contain this.
    pub(crate) only: String,
}

/// Embree's devices on this machine, by instruction set.
pub(crate) fn devices() -> Result<Vec<(&'static str, Rc<Device>)>, String> {
    let library = embree::library()?;
    let mut here = Vec::new();
    for isa in ["avx2", "avx512"] {
        match Device::open(&library, isa) {
            Ok(device) => here.push((isa, device)),
            Err(message) => println!("left out: {message}"),
        }
    }
    if here.is_empty() { Err("Embree has no device here".into()) } else { Ok(here) }
}

/// Ratios, as lines.
pub(crate) fn run(plan: &MeshesPlan) -> Result<Vec<String>, String> {
    let devices = devices()?;
    let mut report = Report::default();
    let named: Vec<Mesh> = plan.files.iter().map(|file| load(file)).collect::<Result<_, _>>()?;
    let sizes: &[usize] = if plan.side < 512 { &[70_000] } else { &[70_000, 300_000, 1_000_000] };
    let meshes = if named.is_empty() { sizes.iter().map(|&n| bumpy_sphere(n)).collect() } else { named };
    for mesh in meshes {
        one(plan, &devices, &mesh, &mut report)?;
    }
    let ratios = report.print();
    if let Some(path) = &plan.json {
        write(path, &report.json())?;
    }
    if let Some(path) = &plan.picture {
        write(path, &report.picture())?;
    }
    Ok(ratios)
}

/// Writes a file, and creates its folder.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let created = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    created.and_then(|()| std::fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
}

fn one(plan: &MeshesPlan, devices: &[(&str, Rc<Device>)], mesh: &Mesh, report: &mut Report) -> Result<(), String> {
    println!("\n{}: {} triangles", mesh.name, mesh.triangles.len());
    let ((seconds, usual), (seconds_high, high)) = (built(mesh, Quality::Default)?, built(mesh, Quality::High)?);
    let inside = ["sponza", "kitchen"].contains(&mesh.name.as_str());
    let sets = sets(&usual, inside, plan.side, plan.seed);
    check_against_brute(&high, &sets)?;
    check_against_brute(&usual, &sets)?;
    let mut engines = vec![
        ours(HIGH_SINGLE, &high, seconds_high),
        ours_batch(HIGH_BATCH, &high, seconds_high),
        ours(DEFAULT_SINGLE, &usual, seconds),
        ours_batch(DEFAULT_BATCH, &usual, seconds),
    ];
    engines.extend(peers(plan, devices, mesh)?);
    print_builds(&engines);
    let cost = |engine: &Engine<'_>| BuildCost {
        mesh: mesh.name.clone(),
        engine: engine.name.clone(),
        seconds: engine.build,
        bytes: engine.bytes,
    };
    report.builds.extend(engines.iter().map(cost));
    report.doubled.push(threads(mesh, &sets[3].rays, plan.rounds)?);
    for set in &sets {
        let speeds = compare(&mesh.name, &engines, set, plan.rounds);
        report.cells.push(Cell { mesh: mesh.name.clone(), set: set.name, speeds });
    }
    Ok(())
}

/// Engines that the options select.
fn peers(plan: &MeshesPlan, devices: &[(&str, Rc<Device>)], mesh: &Mesh) -> Result<Vec<Engine<'static>>, String> {
    let wanted = |name: &str| name.contains(&plan.only);
    let mut engines = Vec::new();
    for (isa, device) in devices {
        for (setting, packets) in
            [(MEDIUM, false), (QUALITY_HIGH, false), (ROBUST, false), (COMPACT, false), (QUALITY_HIGH, true)]
        {
            if wanted(&format!("embree {isa} {}{}", setting.name, if packets { " x16" } else { "" })) {
                engines.push(crate::mesh_engines::embree(device, isa, setting, mesh, packets));
            }
        }
    }
    if wanted("parry") {
        engines.push(parry(mesh)?);
    }
    if wanted("obvhs") {
        engines.push(obvhs(mesh));
    }
    if wanted("bvh") {
        engines.push(bvh(mesh));
    }
    if wanted("tinybvh") {
        match Tinybvh8::load() {
            Ok(library) => engines.push(tinybvh(&library, mesh)?),
            Err(why) => eprintln!("SKIPPED tinybvh: {why}"),
        }
    }
    Ok(engines)
}

/// Tests a few rays of each set against every triangle: a BVH that loses hits must not be timed.
pub(crate) fn check_against_brute(mesh: &TriangleMesh<Vec3>, sets: &[Set]) -> Result<(), String> {
    let linear = mesh.linear_scan();
    let few = (20_000_000 / mesh.triangles().len()).clamp(8, 400);
    for set in sets {
        for ray in set.rays.iter().step_by(set.rays.len().div_ceil(few)) {
            if mesh.cast_ray(ray, ..) != linear.cast_ray(ray, ..) {
                return Err(format!("{}: the tree's answer is not that of all triangles for {ray:?}", set.name));
            }
        }
    }
    Ok(())
}

/// Speedup of two threads for builds and batches, in wall time, which other load on the machine disturbs.
pub(crate) fn threads(mesh: &Mesh, rays: &[hitscan::Ray<Vec3>], rounds: usize) -> Result<[f64; 2], String> {
    let mut best = [[f64::INFINITY; 2]; 2];
    for _ in 0..rounds {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
            let parts = (mesh.vertices.clone(), mesh.triangles.clone());
            let seconds = pool.install(|| -> Result<[f64; 2], String> {
                let start = Instant::now();
                let mesh = TriangleMesh::new(parts.0, parts.1).map_err(|error| error.to_string())?;
                let build = start.elapsed().as_secs_f64();
                let start = Instant::now();
                black_box(mesh.cast_rays(rays, ..));
                Ok([build, start.elapsed().as_secs_f64()])
            })?;
            best[threads - 1] = [0, 1].map(|i| best[threads - 1][i].min(seconds[i]));
        }
    }
    Ok([0, 1].map(|i| best[0][i] / best[1][i]))
}
