//! Triangle meshes beside Embree and parry: rays per second, building, memory.

use crate::contest::{Run, Times, contest, geometric_mean, time};
use crate::embree::{self, COMPACT, Device, HIGH, MEDIUM, NONE, ROBUST, RayHit, RayHit16, Scene, Setting};
use crate::rays::{Set, sets};
use hitscan::glam::Vec3;
use hitscan::{Quality, Shape, TriangleMesh};
use parry3d::query::RayCast;
use std::cell::RefCell;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is to be measured.
pub(crate) struct Plan {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) seed: u64,
    pub(crate) rounds: usize,
    /// Pixels along each side of the camera's picture.
    pub(crate) side: usize,
    pub(crate) json: Option<PathBuf>,
    /// Only engines that have this in their names, and hitscan.
    pub(crate) only: String,
}

struct Mesh {
    name: String,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

fn load(path: &Path) -> Result<Mesh, String> {
    let data = hitscan_io::read_mesh(path).map_err(|error| error.to_string())?;
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let vertices = data.vertices.iter().map(|v| Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32)).collect();
    Ok(Mesh { name, vertices, triangles: data.triangles })
}

/// A bumpy ball of about so many triangles, for machines without meshes.
fn made_up(triangles: usize) -> Mesh {
    let rings = ((triangles / 4) as f64).sqrt() as usize;
    let (sides, tau) = (2 * rings, std::f64::consts::TAU);
    let mut vertices = Vec::new();
    for ring in 0..=rings {
        for side in 0..sides {
            let (polar, around) = (ring as f64 / rings as f64 * 0.5 * tau, side as f64 / sides as f64 * tau);
            let r = 1.0 + 0.1 * (9.0 * polar).sin() * (7.0 * around).cos() + 0.01 * (90.0 * around).sin() * polar.sin();
            let point = [polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin()].map(|x| (r * x) as f32);
            vertices.push(Vec3::from_array(point));
        }
    }
    let at = |ring: usize, side: usize| (ring * sides + side % sides) as u32;
    let squares = (0..rings).flat_map(|ring| (0..sides).map(move |side| (ring, side)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, d, b], [d, c, b]]
    });
    let triangles: Vec<_> = triangles.collect();
    Mesh { name: format!("ball{}k", triangles.len() / 1000), vertices, triangles }
}

/// What an engine says about one ray: `t`, if there is a hit. Of any-hit rays only whether there is one.
type Answer = Option<f32>;

/// Casts all rays of a set.
type Cast<'a> = Box<dyn Fn(&Set, &mut dyn FnMut(Answer)) + 'a>;

struct Engine<'a> {
    name: String,
    cast: Cast<'a>,
    build: f64,
    bytes: i64,
}

struct Cell {
    mesh: String,
    set: &'static str,
    /// By engine: its name, the seconds of all rounds, how many rays.
    speeds: Vec<(String, Times, usize)>,
}

pub(crate) fn run(plan: &Plan) -> Result<(), String> {
    let library = embree::library()?;
    let devices = ["avx2", "avx512"].map(|isa| (isa, Device::open(&library, isa)));
    let mut devices_here = Vec::new();
    for (isa, device) in devices {
        match device {
            Ok(device) => devices_here.push((isa, device)),
            Err(message) => println!("left out: {message}"),
        }
    }
    if devices_here.is_empty() {
        return Err("Embree has no device here".into());
    }
    // What is timed on this thread must not go to others.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().map_err(|error| error.to_string())?;
    let (mut cells, mut builds, mut doubled) = (Vec::new(), Vec::new(), Vec::new());
    let named: Vec<Mesh> = plan.files.iter().map(|file| load(file)).collect::<Result<_, _>>()?;
    let sizes: &[usize] = if plan.side < 512 { &[70_000] } else { &[70_000, 300_000, 1_000_000] };
    let meshes = if named.is_empty() { sizes.iter().map(|&n| made_up(n)).collect() } else { named };
    for mesh in meshes {
        one(plan, &devices_here, &mesh, &mut cells, &mut builds, &mut doubled)?;
    }
    summary(plan, &cells, &builds, &doubled)
}

fn one(
    plan: &Plan,
    devices: &[(&str, std::rc::Rc<Device>)],
    mesh: &Mesh,
    cells: &mut Vec<Cell>,
    builds: &mut Vec<(String, String, f64, i64)>,
    doubled: &mut Vec<[f64; 2]>,
) -> Result<(), String> {
    println!("\n{}: {} triangles", mesh.name, mesh.triangles.len());
    let made = |quality: Quality| {
        let parts = (mesh.vertices.clone(), mesh.triangles.clone());
        let (seconds, made) = time(|| TriangleMesh::with_quality(parts.0, parts.1, quality));
        made.map(|made| (seconds, made)).map_err(|error| error.to_string())
    };
    let ((seconds, usual), (seconds_high, high)) = (made(Quality::Default)?, made(Quality::High)?);
    let arrays: Vec<[f32; 3]> = mesh.vertices.iter().map(|v| v.to_array()).collect();
    let inside = ["sponza", "kitchen"].contains(&mesh.name.as_str());
    let sets = sets(&usual, inside, plan.side, plan.seed);
    let mut engines = vec![
        hitscan_engine(HIGH_SINGLE, &high, seconds_high, false),
        hitscan_engine(HIGH_BATCH, &high, seconds_high, true),
        hitscan_engine(DEFAULT_SINGLE, &usual, seconds, false),
    ];
    for (isa, device) in devices {
        for (setting, packets) in [(MEDIUM, false), (HIGH, false), (ROBUST, false), (COMPACT, false), (HIGH, true)] {
            let name = format!("embree {isa} {}{}", setting.name, if packets { " x16" } else { "" });
            if name.contains(&plan.only) {
                engines.push(embree_engine(device, name, setting, &arrays, &mesh.triangles, packets));
            }
        }
    }
    if "parry".contains(&plan.only) {
        engines.push(parry_engine(&arrays, &mesh.triangles)?);
    }
    println!("{:<24}{:>12}{:>12}", "", "build, ms", "MiB");
    for engine in &engines {
        println!("{:<24}{:>12.1}{:>12.1}", engine.name, engine.build * 1e3, engine.bytes as f64 / 1048576.0);
        builds.push((mesh.name.clone(), engine.name.clone(), engine.build, engine.bytes));
    }
    check_against_brute(&high, &sets)?;
    check_against_brute(&usual, &sets)?;
    threads(plan, mesh, &sets, doubled)?;
    for set in &sets {
        let mut truth = Vec::with_capacity(set.rays.len());
        (engines[0].cast)(set, &mut |answer| truth.push(answer));
        println!(
            "{} {}: {:.1} % hit; Mrays/s: min, median, max; answers unlike the exact ones: hit or miss, t by 1e-4",
            mesh.name,
            set.name,
            100.0 * truth.iter().flatten().count() as f64 / truth.len() as f64
        );
        let mut unlike = Vec::new();
        for engine in &engines {
            let (mut i, mut wrong, mut off) = (0, 0, 0);
            (engine.cast)(set, &mut |answer| {
                match (answer, truth[i]) {
                    (Some(a), Some(b)) => off += usize::from(!set.any && (a - b).abs() > 1e-4 * b.abs()),
                    (a, b) => wrong += usize::from(a.is_some() != b.is_some()),
                }
                i += 1;
            });
            unlike.push((wrong, off));
        }
        let mut runs: Vec<Run<'_>> = engines
            .iter()
            .map(|engine| {
                let run: Run<'_> = Box::new(|| {
                    (engine.cast)(set, &mut |answer| {
                        black_box(answer);
                    })
                });
                run
            })
            .collect();
        let times = contest(&mut runs, plan.rounds);
        drop(runs);
        let mut speeds = Vec::new();
        for ((engine, times), (wrong, off)) in engines.iter().zip(times).zip(unlike) {
            let speed = |seconds: f64| set.rays.len() as f64 / seconds / 1e6;
            println!(
                "{:<24}{:>9.2}{:>9.2}{:>9.2}{wrong:>10}{off:>8}",
                engine.name,
                speed(times.max()),
                speed(times.median()),
                speed(times.min())
            );
            speeds.push((engine.name.clone(), times, set.rays.len()));
        }
        cells.push(Cell { mesh: mesh.name.clone(), set: set.name, speeds });
    }
    Ok(())
}

/// A few rays of each set with every triangle tested: a tree that loses hits must not be timed.
fn check_against_brute(mesh: &TriangleMesh<Vec3>, sets: &[Set]) -> Result<(), String> {
    let brute = mesh.brute();
    let few = (20_000_000 / mesh.triangles().len()).clamp(8, 400);
    for set in sets {
        for ray in set.rays.iter().step_by(set.rays.len().div_ceil(few)) {
            if mesh.cast_ray(ray, ..) != brute.cast_ray(ray, ..) {
                return Err(format!("{}: the tree's answer is not that of all triangles for {ray:?}", set.name));
            }
        }
    }
    Ok(())
}

const HIGH_SINGLE: &str = "hitscan High";
const HIGH_BATCH: &str = "hitscan High batch";
const DEFAULT_SINGLE: &str = "hitscan Default";

fn hitscan_engine<'a>(name: &str, mesh: &'a TriangleMesh<Vec3>, build: f64, batch: bool) -> Engine<'a> {
    let bytes = mesh.statistics().bytes as i64;
    let cast: Cast<'a> = if batch {
        // Into memory that is there, as Embree writes into the rays.
        let hits = RefCell::new(Vec::new());
        Box::new(move |set, out| {
            if set.any {
                let any = mesh.intersects_rays(&set.rays, ..=1.0);
                any.into_iter().for_each(|any| out(any.then_some(0.0)));
            } else {
                let mut hits = hits.borrow_mut();
                hits.resize(set.rays.len(), None);
                mesh.cast_rays_into(&set.rays, .., &mut hits);
                black_box(&hits);
                hits.iter().for_each(|hit| out(hit.map(|hit| hit.t)));
            }
        })
    } else {
        Box::new(move |set, out| {
            for ray in &set.rays {
                if set.any {
                    out(mesh.intersects_ray(ray, ..=1.0).then_some(0.0));
                } else {
                    let hit = mesh.cast_ray(ray, ..);
                    black_box(&hit);
                    out(hit.map(|hit| hit.t));
                }
            }
        })
    };
    Engine { name: name.into(), cast, build, bytes }
}

/// How much faster two threads build, and cast a batch, than one: in real time, which other work on the machine disturbs.
fn threads(plan: &Plan, mesh: &Mesh, sets: &[Set], doubled: &mut Vec<[f64; 2]>) -> Result<(), String> {
    let mut best = [[f64::INFINITY; 2]; 2];
    let chords = &sets[sets.len() - 1].rays;
    for _ in 0..plan.rounds {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
            let parts = (mesh.vertices.clone(), mesh.triangles.clone());
            let seconds = pool.install(|| -> Result<[f64; 2], String> {
                let start = Instant::now();
                let mesh = TriangleMesh::new(parts.0, parts.1).map_err(|error| error.to_string())?;
                let build = start.elapsed().as_secs_f64();
                let start = Instant::now();
                black_box(mesh.cast_rays(chords, ..));
                Ok([build, start.elapsed().as_secs_f64()])
            })?;
            best[threads - 1] = [0, 1].map(|i| best[threads - 1][i].min(seconds[i]));
        }
    }
    doubled.push([0, 1].map(|i| best[0][i] / best[1][i]));
    Ok(())
}

fn embree_engine<'a>(
    device: &std::rc::Rc<Device>,
    name: String,
    setting: Setting,
    vertices: &[[f32; 3]],
    triangles: &[[u32; 3]],
    packets: bool,
) -> Engine<'a> {
    let mut seconds = 0.0;
    let scene = Scene::new(device, setting, vertices, triangles, |commit| seconds = time(commit).0);
    let bytes = scene.bytes;
    let cast: Cast<'a> = if packets {
        Box::new(move |set, out| cast16(&scene, set, out))
    } else {
        Box::new(move |set, out| cast(&scene, set, out))
    };
    Engine { name, cast, build: seconds, bytes }
}

fn parry_engine<'a>(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Engine<'a>, String> {
    let (seconds, mesh) = time(|| {
        let vertices = vertices.iter().map(|v| parry3d::math::Vector::new(v[0], v[1], v[2])).collect();
        parry3d::shape::TriMesh::new(vertices, triangles.to_vec())
    });
    let mesh = mesh.map_err(|error| error.to_string())?;
    let cast: Cast<'a> = Box::new(move |set, out| {
        for ray in &set.rays {
            let v = |v: Vec3| parry3d::math::Vector::new(v.x, v.y, v.z);
            let cast = parry3d::query::Ray::new(v(ray.origin), v(ray.direction));
            if set.any {
                out(mesh.intersects_local_ray(&cast, 1.0).then_some(0.0));
            } else {
                let hit = mesh.cast_local_ray_and_get_normal(&cast, f32::MAX, true);
                black_box(&hit);
                out(hit.map(|hit| hit.time_of_impact));
            }
        }
    });
    Ok(Engine { name: "parry".into(), cast, build: seconds, bytes: 0 })
}

fn cast(scene: &Scene, set: &Set, out: &mut dyn FnMut(Answer)) {
    for ray in &set.rays {
        let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
        if set.any {
            let mut ray = RayHit::new(o, d, 1.0);
            scene.occluded(&mut ray);
            out((ray.t_far < 0.0).then_some(0.0));
        } else {
            let mut ray = RayHit::new(o, d, f32::MAX);
            scene.intersect(&mut ray);
            // What a hit of ours has: the unit normal and the point.
            let hit = (ray.geometry != NONE).then(|| {
                let normal = Vec3::from_array(ray.normal).normalize();
                (normal, Vec3::from_array(o) + Vec3::from_array(d) * ray.t_far)
            });
            black_box(&hit);
            out(hit.map(|_| ray.t_far));
        }
    }
}

fn cast16(scene: &Scene, set: &Set, out: &mut dyn FnMut(Answer)) {
    for rays in set.rays.chunks_exact(16) {
        let end = if set.any { 1.0 } else { f32::MAX };
        let given: [_; 16] = std::array::from_fn(|i| (rays[i].origin.to_array(), rays[i].direction.to_array(), end));
        let mut packet = RayHit16::new(&given);
        if set.any {
            scene.occluded16(&mut packet);
            packet.t_far.iter().for_each(|&t| out((t < 0.0).then_some(0.0)));
        } else {
            scene.intersect16(&mut packet);
            (0..16).for_each(|i| out((packet.geometry[i] != NONE).then_some(packet.t_far[i])));
        }
    }
}

impl Cell {
    /// Rays per second of the fastest engine of those whose name passes.
    fn best(&self, pass: impl Fn(&str) -> bool) -> f64 {
        let speeds = self.speeds.iter().filter(|(name, ..)| pass(name));
        speeds.map(|(_, times, rays)| *rays as f64 / times.median()).fold(f64::NAN, f64::max)
    }
}

fn summary(
    plan: &Plan,
    cells: &[Cell],
    builds: &[(String, String, f64, i64)],
    doubled: &[[f64; 2]],
) -> Result<(), String> {
    let single = |name: &str| name.starts_with("embree") && !name.ends_with("x16");
    let robust = |name: &str| name.ends_with("ROBUST");
    let packets = |name: &str| name.ends_with("x16");
    let ratios = |ours: &str, pass: &dyn Fn(&str) -> bool| -> Vec<f64> {
        cells.iter().map(|cell| cell.best(|name| name == ours) / cell.best(pass)).collect()
    };
    let columns: [(&str, Vec<f64>); 7] = [
        ("single best-embree", ratios(HIGH_SINGLE, &single)),
        ("single robust", ratios(HIGH_SINGLE, &robust)),
        ("single parry", ratios(HIGH_SINGLE, &|name| name == "parry")),
        ("batch best-embree", ratios(HIGH_BATCH, &single)),
        ("batch packets", ratios(HIGH_BATCH, &packets)),
        ("default best-embree", ratios(DEFAULT_SINGLE, &single)),
        ("default robust", ratios(DEFAULT_SINGLE, &robust)),
    ];
    println!();
    print!("{:<22}", "hitscan over");
    columns.iter().for_each(|(name, _)| print!("{name:>21}"));
    println!();
    for (i, cell) in cells.iter().enumerate() {
        print!("{:<22}", format!("{} {}", cell.mesh, cell.set));
        columns.iter().for_each(|(_, column)| print!("{:>21.2}", column[i]));
        println!();
    }
    let of = |ours: &str, what: &dyn Fn(&(String, String, f64, i64)) -> f64, than: &str| -> f64 {
        let meshes = builds.iter().filter(|b| b.1 == ours);
        let ratios: Vec<f64> = meshes
            .map(|ours| {
                let theirs = builds.iter().filter(|b| b.0 == ours.0 && b.1.ends_with(than));
                what(ours) / theirs.map(what).fold(f64::NAN, f64::min)
            })
            .collect();
        geometric_mean(&ratios)
    };
    println!();
    for (name, column) in &columns {
        println!("RATIO {name} {:.3}", geometric_mean(column));
    }
    println!("RATIO build-default embree-medium {:.3}", of(DEFAULT_SINGLE, &|b| b.2, "MEDIUM"));
    println!("RATIO build-high embree-high {:.3}", of(HIGH_SINGLE, &|b| b.2, "HIGH"));
    println!("RATIO memory embree-high {:.3}", of(HIGH_SINGLE, &|b| b.3 as f64, "HIGH"));
    for (i, what) in ["build", "batch"].into_iter().enumerate() {
        let ratios: Vec<f64> = doubled.iter().map(|doubled| doubled[i]).collect();
        println!("RATIO threads-{what} one {:.3}", geometric_mean(&ratios));
    }
    let best = &columns[0].1;
    if let Some((i, worst)) = best.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)) {
        println!("WORST single best-embree {worst:.3} ({}, {})", cells[i].mesh, cells[i].set);
    }
    if let Some(path) = &plan.json {
        let mut rows = Vec::new();
        for cell in cells {
            for (name, times, rays) in &cell.speeds {
                rows.push(format!(
                    r#"{{"mesh":"{}","set":"{}","engine":"{name}","rays":{rays},"seconds":[{},{},{}]}}"#,
                    cell.mesh,
                    cell.set,
                    times.min(),
                    times.median(),
                    times.max()
                ));
            }
        }
        std::fs::write(path, format!("[\n{}\n]\n", rows.join(",\n")))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
