//! Engines for the same rays: their answers are compared before their times.

use crate::contest::{Run, Times, contest};
use crate::rays::Set;
use hitscan::Vector;
use hitscan::glam::Vec3;
use hitscan::{Hit, RayCast, Shape};
use std::cell::RefCell;
use std::hint::black_box;

/// Answer of an engine to one ray: `t` of the hit, if any. For any-hit rays only whether there is one.
pub(crate) type Answer = Option<f32>;

/// Casts all rays of a set.
pub(crate) type Cast<'a, V> = Box<dyn Fn(&Set<V>, &mut dyn FnMut(Answer)) + 'a>;

pub(crate) struct Engine<'a, V = Vec3> {
    pub(crate) name: String,
    pub(crate) cast: Cast<'a, V>,
    /// Build time in seconds of this thread.
    pub(crate) build: f64,
    /// Memory of the BVH, if the engine reports it.
    pub(crate) bytes: Option<usize>,
}

/// Our shape, scene or mesh, one ray at a time.
pub(crate) fn ray_by_ray<'a, V: Vector<Scalar = f32>>(ours: &'a impl Shape<V>) -> Cast<'a, V> {
    Box::new(move |set, out| {
        for ray in &set.rays {
            if set.any {
                out(ours.intersects_ray(ray, ..=1.0).then_some(0.0));
            } else {
                let hit = ours.cast_ray(ray, ..);
                black_box(&hit);
                out(hit.map(|hit| hit.t));
            }
        }
    })
}

/// All rays of a set in one call, into existing memory, as Embree writes into the rays.
pub(crate) fn in_one_call<'a, V: Vector<Scalar = f32>>(ours: &'a (impl Shape<V> + Sync)) -> Cast<'a, V> {
    let hits = RefCell::new(Vec::new());
    Box::new(move |set, out| {
        if set.any {
            let any = ours.intersects_rays(&set.rays, ..=1.0);
            any.into_iter().for_each(|any| out(any.then_some(0.0)));
        } else {
            let mut hits = hits.borrow_mut();
            hits.resize(set.rays.len(), None);
            ours.cast_rays_into(&set.rays, .., &mut hits);
            black_box(&hits);
            hits.iter().for_each(|hit: &Option<Hit<V>>| out(hit.map(|hit| hit.t)));
        }
    })
}

/// Times of one engine.
#[derive(Clone, Debug)]
pub(crate) struct Speed {
    pub(crate) engine: String,
    pub(crate) times: Times,
    pub(crate) rays: usize,
}

impl Speed {
    /// Millions of rays per second: least, median, most.
    pub(crate) fn mrays(&self) -> [f64; 3] {
        [self.times.max(), self.times.median(), self.times.min()].map(|seconds| self.rays as f64 / seconds / 1e6)
    }
}

/// Prints build time and memory.
pub(crate) fn print_builds<V>(engines: &[Engine<'_, V>]) {
    println!("{:<28}{:>12}{:>12}", "", "build, ms", "MiB");
    for engine in engines {
        let bytes = engine.bytes.map_or_else(|| "?".into(), |bytes| format!("{:.1}", bytes as f64 / 1048576.0));
        println!("{:<28}{:>12.1}{bytes:>12}", engine.name, engine.build * 1e3);
    }
}

/// Compares all answers with those of the first engine, hitscan, then times all in rotating order.
pub(crate) fn compare<V>(place: &str, engines: &[Engine<'_, V>], set: &Set<V>, rounds: usize) -> Vec<Speed> {
    let mut truth = Vec::with_capacity(set.rays.len());
    (engines[0].cast)(set, &mut |answer| truth.push(answer));
    println!(
        "{place} {}: {:.1} % hit; Mrays/s: min, median, max; answers unlike the exact ones: hit or miss, t by 1e-4",
        set.name,
        100.0 * truth.iter().flatten().count() as f64 / truth.len() as f64
    );
    let unlike: Vec<_> = engines.iter().map(|engine| unlike(engine, set, &truth)).collect();
    let run = |engine| -> Run<'_> { Box::new(move || cast_all(engine, set)) };
    let times = contest(&mut engines.iter().map(run).collect::<Vec<_>>(), rounds);
    let mut speeds = Vec::new();
    for ((engine, times), (wrong, off)) in engines.iter().zip(times).zip(unlike) {
        let speed = Speed { engine: engine.name.clone(), times, rays: set.rays.len() };
        let [least, median, most] = speed.mrays();
        println!("{:<28}{least:>9.2}{median:>9.2}{most:>9.2}{wrong:>10}{off:>8}", engine.name);
        speeds.push(speed);
    }
    speeds
}

fn cast_all<V>(engine: &Engine<'_, V>, set: &Set<V>) {
    (engine.cast)(set, &mut |answer| {
        black_box(answer);
    });
}

/// Count of different answers: hit or miss, or `t` with a relative difference above 1e-4.
fn unlike<V>(engine: &Engine<'_, V>, set: &Set<V>, truth: &[Answer]) -> (usize, usize) {
    let (mut i, mut wrong, mut off) = (0, 0, 0);
    (engine.cast)(set, &mut |answer| {
        match (answer, truth[i]) {
            (Some(a), Some(b)) => off += usize::from(!set.any && (a - b).abs() > 1e-4 * b.abs()),
            (a, b) => wrong += usize::from(a.is_some() != b.is_some()),
        }
        i += 1;
    });
    // A missing answer is a wrong one.
    (wrong + truth.len().saturating_sub(i), off)
}
