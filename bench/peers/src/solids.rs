//! Times of solids: closest hits and spans of `(box & sphere) - cylinder`, of a plate with a thousand bores, and of two boxes that share a
//! face, and the closest hits of a tapered capsule. One thread asks about one ray at a time.
//!
//! Each line `RATIO solids CASE-f32|f64 OTHER-QUESTION VALUE` has the time of something else over the time of the solid for the same question
//! and rays, each in its fastest round, so a value above 1 says that the solid is faster. `raysect`, `manifold3d` and `Geant4` compute in `f64`, and the
//! call from Python is in their time. `scene` is a scene of the thousand cylinders that the plate is bored by; `apart` are the two boxes with a
//! gap between them, so that no surfaces tie; `capsule` is a capsule of the same size as the tapered one. `spans-over-closest` is the time
//! of the spans of the solid itself over its closest hits.

use crate::contest::{Run, contest};
use crate::environment;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Instance, Object, Ray, RayCast, Scene, Shape, Solid};
use hitscan_oracle::body::{Body, Kind, World, vector};
use hitscan_oracle::line::RayOrSegment;
use hitscan_oracle::solids_peers::{Installed, PEERS, Peer, question_text};
use std::hint::black_box;
use test_support::random::Rng;

const RAYS: usize = 512;
/// Bores of the plate along each side.
const BORES: [usize; 2] = [40, 25];

/// Expression of the leaves of a case.
#[derive(Clone, Copy)]
enum Expression {
    /// The first two intersect, without the third.
    Lens,
    /// The first without all others.
    Plate,
    /// Both.
    Union,
}

/// A solid and its rays.
struct SolidCase {
    name: &'static str,
    expression: Expression,
    leaves: Vec<Body>,
    rays: Vec<RayOrSegment>,
}

fn body(kind: Kind, numbers: &[f64]) -> Body {
    Body { kind, numbers: numbers.to_vec() }
}

/// Rays from 8 units above targets within these half extents.
fn rays(center: [f64; 3], half: [f64; 3], seed: u64) -> Vec<RayOrSegment> {
    let mut rng = Rng::for_stream(seed, 71);
    let ray = |_| {
        let [place, slope] = [rng.cube(3), rng.cube(3)];
        let direction = DVec3::new(slope[0], slope[1], -1.0).normalize();
        let target = DVec3::from_array(std::array::from_fn(|i| center[i] + half[i] * place[i]));
        RayOrSegment { origin: (target - 8.0 * direction).to_array(), target: direction.to_array(), is_segment: false }
    };
    (0..RAYS).map(ray).collect()
}

fn cases(seed: u64) -> [SolidCase; 3] {
    let unit = body(Kind::Cuboid, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let lens = vec![
        unit.clone(),
        body(Kind::Sphere, &[0.0, 0.0, 0.0, 1.25]),
        body(Kind::Cylinder, &[0.0, 0.0, -2.0, 0.0, 0.0, 2.0, 0.5]),
    ];
    let [columns, rows] = BORES;
    let middle = [columns, rows].map(|n| (n - 1) as f64 / 2.0);
    let half = [columns as f64 / 2.0, rows as f64 / 2.0, 0.5];
    let mut plate = vec![body(Kind::Cuboid, &[middle[0], middle[1], 0.0, half[0], half[1], half[2]])];
    for i in 0..columns * rows {
        let [x, y] = [i % columns, i / columns].map(|i| i as f64);
        plate.push(body(Kind::Cylinder, &[x, y, -1.0, x, y, 1.0, 0.375]));
    }
    let above = body(Kind::Cuboid, &[0.0, 0.0, 2.0, 1.0, 1.0, 1.0]);
    [
        SolidCase { name: "lens", expression: Expression::Lens, leaves: lens, rays: rays([0.0; 3], [1.0; 3], seed) },
        SolidCase {
            name: "plate",
            expression: Expression::Plate,
            leaves: plate,
            rays: rays([middle[0], middle[1], 0.0], half, seed),
        },
        SolidCase {
            name: "tie",
            expression: Expression::Union,
            leaves: vec![above, unit],
            rays: rays([0.0, 0.0, 1.0], [0.25; 3], seed),
        },
    ]
}

/// The union of leaves from one number to another, in prefix notation, as a tree of the least depth.
fn union(from: usize, to: usize) -> String {
    if to - from == 1 {
        return from.to_string();
    }
    let middle = usize::midpoint(from, to);
    format!("| {} {}", union(from, middle), union(middle, to))
}

impl SolidCase {
    fn leaf<V: World>(body: &Body) -> Result<Solid<V>, String> {
        let shape = V::build(body).ok_or_else(|| format!("{body:?}: refused"))?;
        Solid::from_instance(Instance::new(shape)).map_err(|error| error.to_string())
    }
    fn solid<V: World>(&self) -> Result<Solid<V>, String> {
        let mut leaves = self.leaves.iter().map(Self::leaf).collect::<Result<Vec<Solid<V>>, _>>()?.into_iter();
        let mut next = || leaves.next().ok_or("too few leaves");
        let first = next()?;
        Ok(match self.expression {
            Expression::Lens => (first & next()?) - next()?,
            Expression::Plate => Solid::difference(first, leaves),
            Expression::Union => first | next()?,
        })
    }
    /// The case with the first leaf an eighth higher.
    fn apart(&self) -> Self {
        let (mut leaves, rays) = (self.leaves.clone(), self.rays.clone());
        leaves[0].numbers[2] += 0.125;
        Self { leaves, rays, ..*self }
    }
    /// The expression in prefix notation. The bores are a union, which the other libraries search in fewer steps than a chain.
    fn prefix(&self) -> String {
        match self.expression {
            Expression::Lens => "- & 0 1 2".into(),
            Expression::Plate => format!("- 0 {}", union(1, self.leaves.len())),
            Expression::Union => "| 0 1".into(),
        }
    }
}

fn rays_of<V: World>(rays: &[RayOrSegment]) -> Vec<Ray<V>> {
    rays.iter().map(|ray| Ray::new(vector(ray.origin), vector(ray.target))).collect()
}

/// Asks about each ray several times.
fn passes<'a, V: World, T>(rays: &'a [Ray<V>], passes: usize, ask: impl Fn(&Ray<V>) -> T + 'a) -> Run<'a> {
    Box::new(move || {
        for ray in rays.iter().cycle().take(passes * rays.len()) {
            let _ = black_box(ask(ray));
        }
    })
}

fn closest<'a, V: World>(shape: &'a impl Shape<V>, rays: &'a [Ray<V>], count: usize) -> Run<'a> {
    passes(rays, count, |ray| shape.cast_ray(ray, ..))
}

fn spans<'a, V: World>(shape: &'a impl Shape<V>, rays: &'a [Ray<V>], count: usize) -> Run<'a> {
    passes(rays, count, |ray| shape.spans(ray, ..))
}

/// Nanoseconds a ray of each run in its fastest round.
fn nanos(mut runs: Vec<Run<'_>>, rounds: usize, passes: usize) -> Vec<f64> {
    contest(&mut runs, rounds).iter().map(|times| times.min() * 1e9 / (passes * RAYS) as f64).collect()
}

/// The benchmark so far.
struct Solids<'a> {
    rounds: usize,
    peers: &'a [(&'a Peer, Installed)],
    lines: Vec<String>,
}

impl Solids<'_> {
    /// Notes what something else took, over what the solid took.
    fn add(&mut self, case: &str, other: &str, theirs: f64, ours: f64) {
        let ratio = theirs / ours;
        println!("{case:<14} {other:<20} {ratio:>8.2}   ({theirs:.0} ns, the solid {ours:.0} ns)");
        self.lines.push(format!("RATIO solids {case} {other} {ratio:.2}"));
    }

    /// A solid in one precision, beside what else there is in that precision. Returns the times of its closest hits and spans.
    fn ours<V: World>(&mut self, case: &SolidCase) -> Result<[f64; 2], String> {
        const PASSES: usize = 8;
        let (solid, rays) = (case.solid::<V>()?, rays_of::<V>(&case.rays));
        let name = format!("{}-{}", case.name, V::PRECISION.name());
        // The scene of the cylinders, and the boxes with a gap.
        let mut scene = Scene::<V>::new();
        if matches!(case.expression, Expression::Plate) {
            for leaf in &case.leaves[1..] {
                let shape = V::build(leaf).ok_or("a cylinder")?;
                scene.insert(Object::new(shape)).map_err(|error| error.to_string())?;
            }
        }
        let apart = case.apart().solid::<V>()?;
        let mut runs = vec![closest(&solid, &rays, PASSES), spans(&solid, &rays, PASSES)];
        match case.expression {
            Expression::Lens => {}
            Expression::Plate => runs.push(passes(&rays, PASSES, |ray| scene.cast_ray(ray, ..))),
            Expression::Union => runs.extend([closest(&apart, &rays, PASSES), spans(&apart, &rays, PASSES)]),
        }
        let times = nanos(runs, self.rounds, PASSES);
        self.add(&name, "spans-over-closest", times[1], times[0]);
        match times[2..] {
            [scene] => self.add(&name, "scene-closest", scene, times[0]),
            [closest, spans] => {
                self.add(&name, "apart-closest", closest, times[0]);
                self.add(&name, "apart-spans", spans, times[1]);
            }
            _ => {}
        }
        Ok([times[0], times[1]])
    }

    /// The other libraries at a solid, whose times in `f64` are known.
    fn theirs(&mut self, case: &SolidCase, ours: [f64; 2]) -> Result<(), String> {
        let text = question_text(&case.prefix(), &case.leaves, &case.rays);
        let solid = case.solid::<DVec3>()?;
        let spans: Vec<usize> = rays_of::<DVec3>(&case.rays).iter().map(|ray| solid.spans(ray, ..).len()).collect();
        let name = format!("{}-f64", case.name);
        let has_boxes_only = case.leaves.iter().all(|leaf| leaf.kind == Kind::Cuboid);
        for (peer, installed) in self.peers.iter().filter(|(peer, _)| peer.has_round_shapes || has_boxes_only) {
            // Compare the answers first.
            let answers = installed.spans(&text)?;
            let counts = answers.iter().map(|answer| answer.as_ref().map(Vec::len));
            let other = counts.zip(&spans).filter(|(theirs, ours)| *theirs != Some(**ours)).count();
            println!("{name:<14} {}: {other} of {RAYS} rays have another count of spans", peer.name);
            let &[times] = &installed.times(&text, self.rounds)?[..] else {
                return Err(format!("{}: no times", peer.name));
            };
            for (i, question) in ["closest", "spans"].into_iter().enumerate() {
                self.add(&name, &format!("{}-{question}", peer.name), times[i] * 1e9, ours[i]);
            }
        }
        Ok(())
    }

    /// A tapered capsule beside a capsule.
    fn capsules<V: World>(&mut self, seed: u64) -> Result<(), String> {
        const PASSES: usize = 64;
        let ends = [0.0, 0.0, -0.75, 0.25, 0.5, 0.75];
        let tapered = body(Kind::TaperedCapsule, &[&ends[..], &[0.5, 0.25]].concat());
        let even = body(Kind::Capsule, &[&ends[..], &[0.375]].concat());
        let [Some(tapered), Some(even)] = [tapered, even].map(|body| V::build(&body)) else {
            return Err("a capsule was refused".into());
        };
        let rays = rays_of::<V>(&rays([0.0; 3], [1.0; 3], seed));
        let runs = vec![closest(&tapered, &rays, PASSES), closest(&even, &rays, PASSES)];
        let times = nanos(runs, self.rounds, PASSES);
        self.add(&format!("tapered-{}", V::PRECISION.name()), "capsule-closest", times[1], times[0]);
        Ok(())
    }
}

/// Runs the benchmark, and returns the ratios, as lines.
pub(crate) fn run(rounds: usize, seed: u64) -> Result<Vec<String>, String> {
    let mut peers = Vec::new();
    for peer in &PEERS {
        match peer.install(&environment("solids-peers")) {
            Ok(installed) => peers.push((peer, installed)),
            Err(message) => println!("SKIPPED {}: {message}", peer.name),
        }
    }
    println!("time of another over that of the solid; a call from Python is in the times of the libraries");
    let mut solids = Solids { rounds, peers: &peers, lines: Vec::new() };
    for case in &cases(seed) {
        solids.ours::<Vec3>(case)?;
        let times = solids.ours::<DVec3>(case)?;
        solids.theirs(case, times)?;
    }
    solids.capsules::<Vec3>(seed)?;
    solids.capsules::<DVec3>(seed)?;
    Ok(solids.lines)
}
