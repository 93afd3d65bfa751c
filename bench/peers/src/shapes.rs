//! Single shapes compared with parry's: the first hit with its normal, one ray at a time; and ours in a batch.

use crate::contest::{Run, contest};
use hitscan::glam;
use hitscan::{Real, Vector};
use std::hint::black_box;
use test_support::random::Rng;

/// Rays in a set.
pub(crate) const RAYS_OF_SET: usize = 4096;
/// Passes over the rays in one round.
const PASSES: usize = 4;

/// Compared part of an answer: `t` of the hit, if any.
type FirstT = Option<f64>;

/// Rays from 3 to 6 sizes away towards a point of a cube around the origin, with directions of length 1.
pub(crate) fn rays(seed: u64, spread: f64) -> Vec<([f64; 3], [f64; 3])> {
    let mut random = Rng::for_stream(seed, 0);
    let mut cube = |size: f64| [0; 3].map(|_| size * (2.0 * random.unit() - 1.0));
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut rays = Vec::with_capacity(RAYS_OF_SET);
    while rays.len() < RAYS_OF_SET {
        let (from, to) = (cube(6.0), cube(spread));
        let direction = [0, 1, 2].map(|i| to[i] - from[i]);
        if length(from) > 3.0 {
            rays.push((from, direction.map(|x| x / length(direction))));
        }
    }
    rays
}

/// Casts rays and passes on each answer.
type CastShape<R> = Box<dyn Fn(&[R], &mut dyn FnMut(FirstT))>;

/// One shape of ours: one ray at a time, and all rays in one call.
struct Ours<V> {
    each: CastShape<hitscan::Ray<V>>,
    batch: Box<dyn Fn(&[hitscan::Ray<V>])>,
}

/// One shape in both libraries.
struct Pair<V, R> {
    name: &'static str,
    ours: Ours<V>,
    theirs: CastShape<R>,
}

macro_rules! precision {
    ($name:ident, $krate:ident, $vector:ty, $s:ty) => {
        fn $name(rounds: usize, seed: u64, lines: &mut Vec<String>) -> Result<(), String> {
            use $krate::math::Vector as V;
            use $krate::query::{Ray, RayCast};
            use $krate::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, Triangle};

            // Loops over all rays, each compiled for its shape, as in a program that casts many rays.
            fn ours<K: hitscan::RayCast<$vector> + Copy + Sync + 'static>(
                shape: Result<K, hitscan::ShapeError>,
            ) -> Result<Ours<$vector>, String> {
                let shape = shape.map_err(|error| error.to_string())?;
                let each: CastShape<hitscan::Ray<$vector>> = Box::new(move |rays, out| {
                    let shape = black_box(&shape);
                    rays.iter().for_each(|ray| {
                        let hit = shape.cast_ray(ray, ..);
                        black_box(&hit);
                        out(hit.map(|hit| f64::from(hit.t)));
                    });
                });
                let hits = std::cell::RefCell::new(vec![None; RAYS_OF_SET]);
                let batch = Box::new(move |rays: &[hitscan::Ray<$vector>]| {
                    let hits = &mut *hits.borrow_mut();
                    black_box(&shape).cast_rays_into(rays, .., hits);
                    black_box(hits);
                });
                Ok(Ours { each, batch })
            }
            fn theirs<K: RayCast + 'static>(shape: K) -> Box<dyn Fn(&[Ray], &mut dyn FnMut(FirstT))> {
                Box::new(move |rays, out| {
                    let shape = black_box(&shape);
                    rays.iter().for_each(|ray| {
                        let hit = shape.cast_local_ray_and_get_normal(ray, <$s>::MAX, true);
                        black_box(&hit);
                        out(hit.map(|hit| f64::from(hit.time_of_impact)));
                    });
                })
            }
            let v = |x: f64, y: f64, z: f64| <$vector>::from_xyz([x, y, z].map(<$s as Real>::from_f64));
            let pv = |x: f64, y: f64, z: f64| V::new(x as $s, y as $s, z as $s);
            let (a, b, c) = ([-0.9, -0.6, 0.2], [0.8, -0.5, -0.3], [0.1, 0.9, 0.4]);
            let o = |p: [f64; 3]| v(p[0], p[1], p[2]);
            let p = |p: [f64; 3]| pv(p[0], p[1], p[2]);
            let pairs: Vec<Pair<$vector, Ray>> = vec![
                Pair {
                    name: "sphere",
                    ours: ours(hitscan::Sphere::new(v(0.0, 0.0, 0.0), 0.75))?,
                    theirs: theirs(Ball::new(0.75)),
                },
                Pair {
                    name: "box",
                    ours: ours(hitscan::Cuboid::new(v(0.0, 0.0, 0.0), v(0.75, 0.5, 0.875)))?,
                    theirs: theirs(Cuboid::new(pv(0.75, 0.5, 0.875))),
                },
                Pair {
                    name: "capsule",
                    ours: ours(hitscan::Capsule::new(o(a), o(b), 0.5))?,
                    theirs: theirs(Capsule::new(p(a), p(b), 0.5)),
                },
                Pair {
                    name: "triangle",
                    ours: ours(hitscan::Triangle::new(o(a), o(b), o(c)))?,
                    theirs: theirs(Triangle::new(p(a), p(b), p(c))),
                },
                Pair {
                    name: "half-space",
                    ours: ours(hitscan::HalfSpace::new(v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0)))?,
                    theirs: theirs(HalfSpace::new(pv(0.0, 1.0, 0.0))),
                },
                Pair {
                    name: "cylinder",
                    ours: ours(hitscan::Cylinder::new(v(0.0, -0.75, 0.0), v(0.0, 0.75, 0.0), 0.5))?,
                    theirs: theirs(Cylinder::new(0.75, 0.5)),
                },
                Pair {
                    name: "cone",
                    ours: ours(hitscan::Cone::new(v(0.0, -0.75, 0.0), v(0.0, 0.75, 0.0), 0.75))?,
                    theirs: theirs(Cone::new(0.75, 0.75)),
                },
            ];
            println!(
                "\n{:<12}{:>8}{:>10}{:>12}{:>12}{:>12}{:>12}{:>12}",
                stringify!($s),
                "hits",
                "apart",
                "ours, ns",
                "parry, ns",
                "parry/ours",
                "batch, ns",
                "ours/batch"
            );
            for (targets, spread) in [("some", 1.5), ("all", 0.3)] {
                let rays = rays(seed, spread);
                let mine: Vec<_> =
                    rays.iter().map(|&(from, direction)| hitscan::Ray::new(o(from), o(direction))).collect();
                let peers: Vec<_> = rays.iter().map(|&(from, direction)| Ray::new(p(from), p(direction))).collect();
                for pair in &pairs {
                    let (mut first, mut second) = (Vec::new(), Vec::new());
                    (pair.ours.each)(&mine, &mut |answer| first.push(answer));
                    (pair.theirs)(&peers, &mut |answer| second.push(answer));
                    // The oracle checks our answers; this test only shows that both libraries do the same work.
                    let apart = first.iter().zip(&second).filter(|(a, b)| match (a, b) {
                        (Some(a), Some(b)) => (*a - *b).abs() > 1e-3,
                        (a, b) => a.is_some() != b.is_some(),
                    });
                    let (hits, apart) = (first.iter().flatten().count(), apart.count());
                    let mut runs: [Run<'_>; 3] = [
                        Box::new(|| (0..PASSES).for_each(|_| (pair.ours.each)(&mine, &mut |_| {}))),
                        Box::new(|| (0..PASSES).for_each(|_| (pair.theirs)(&peers, &mut |_| {}))),
                        Box::new(|| (0..PASSES).for_each(|_| (pair.ours.batch)(&mine))),
                    ];
                    let times = contest(&mut runs, rounds);
                    let [ours, theirs, batch] =
                        [0, 1, 2].map(|i| times[i].median() * 1e9 / (PASSES * RAYS_OF_SET) as f64);
                    println!(
                        "{:<12}{:>6.1} %{apart:>10}{ours:>12.1}{theirs:>12.1}{:>12.2}{batch:>12.1}{:>12.2}",
                        pair.name,
                        100.0 * hits as f64 / RAYS_OF_SET as f64,
                        theirs / ours,
                        ours / batch
                    );
                    let precision = stringify!($s);
                    lines.push(format!("RATIO shape {precision} {} {targets} {:.3}", pair.name, theirs / ours));
                    lines.push(format!("RATIO shape-batch {precision} {} {targets} {:.3}", pair.name, ours / batch));
                }
            }
            Ok(())
        }
    };
}
precision!(single, parry3d, glam::Vec3, f32);
precision!(double, parry3d_f64, glam::DVec3, f64);

/// Prints the times of every shape that both libraries have. Returns a line for each: the precision, the shape, whether
/// some or all rays hit, and parry's time over ours; and another one with our time ray by ray over that of a batch.
pub(crate) fn run(rounds: usize, seed: u64) -> Result<Vec<String>, String> {
    println!(
        "Nanoseconds per ray with normal, median of {rounds} rounds in turns; apart: answers that differ by more than 1e-3"
    );
    let mut lines = Vec::new();
    single(rounds, seed, &mut lines)?;
    double(rounds, seed, &mut lines)?;
    Ok(lines)
}
