//! What right answers cost: our `cast_ray`, with normal, point and distance, beside the plain closed form of the same
//! precision, one ray after the other. `cargo bench -p hitscan --bench shapes`.
//!
//! The two take turns, in changing order, and the median of the rounds counts. Before any time is taken the answers are
//! compared: these are ordinary rays, on which the closed forms are right but for the last digits.

mod plain;
#[path = "../../tests/support/mod.rs"]
mod support;

use hitscan::glam::{DVec3, Vec3};
use hitscan::{Capsule, Cone, Cuboid, Cylinder, Ray, Shape, Sphere, Triangle};
use hitscan::{Real, Vector, Vector3};
use plain::Found;
use std::hint::black_box;
use std::time::Instant;
use support::Rng;
use support::textbook::{Plain, V3};

const RAYS: usize = 4096;
const ROUNDS: usize = 15;
/// Passes over all rays in a round.
const PASSES: usize = 8;
/// Rays whose way through the arithmetics is told.
const EXPLAINED: usize = 10_000;

/// From 3 to 6 sizes away to a point of a cube around the shape, direction of length 1.
fn rays<V: Vector>(count: usize, spread: f64) -> Vec<Ray<V>> {
    let mut rng = Rng::new(77);
    let mut cube = |size: f64| -> [f64; 3] { [0; 3].map(|_| size * rng.between(-1.0, 1.0)) };
    let mut rays = Vec::with_capacity(count);
    while rays.len() < count {
        let (from, to) = (cube(6.0), cube(spread));
        let d = [0, 1, 2].map(|k| to[k] - from[k]);
        let [origin_length, length] = [from, d].map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt());
        if origin_length > 3.0 {
            let v = |v: [f64; 3]| V::from_xyz(v.map(V::Scalar::from_f64));
            rays.push(Ray::new(v(from), v(d.map(|x| x / length))));
        }
    }
    rays
}

/// Nanoseconds per ray of one round.
fn time<R>(rays: &[R], cast: impl Fn(&R) -> bool) -> f64 {
    let start = Instant::now();
    let mut hits = 0usize;
    for _ in 0..PASSES {
        for ray in rays {
            hits += usize::from(cast(black_box(ray)));
        }
    }
    black_box(hits);
    start.elapsed().as_secs_f64() * 1e9 / (PASSES * rays.len()) as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn contest<V: Vector3>(
    name: &str,
    spread: f64,
    shape: &impl Shape<V>,
    plain: impl Fn(V3<V::Scalar>, V3<V::Scalar>) -> Found<V::Scalar>,
) {
    let all = rays::<V>(EXPLAINED, spread);
    let (mut hits, mut differ) = (0, 0);
    for ray in &all {
        let ours = shape.cast_ray(ray, ..);
        let theirs = plain(ray.origin.to_xyz(), ray.direction.to_xyz());
        hits += usize::from(ours.is_some());
        // Half of the digits: on a grazing ray a plain closed form keeps no more.
        let near = V::Scalar::EPSILON.to_f64().sqrt();
        let same = match (ours, theirs) {
            (Some(ours), Some((t, n))) => {
                let normal = ours.normal.to_xyz();
                let off = |i: usize| (normal[i].to_f64() - n[i].to_f64()).abs();
                (ours.t.to_f64() - t.to_f64()).abs() <= 8.0 * near && (0..3).map(off).fold(0.0, f64::max) <= 16.0 * near
            }
            (None, None) => true,
            _ => false,
        };
        differ += usize::from(!same);
    }
    assert!(differ * 500 <= EXPLAINED, "{name}: {differ} of {EXPLAINED} answers differ");
    let doubtful = all.iter().filter(|ray| shape.explain(*ray, ..).doubtful).count();

    // The whole answer is asked for: otherwise the normal of a closed form that is inlined would not even be computed.
    let ours = |ray: &Ray<V>| black_box(shape.cast_ray(ray, ..)).is_some();
    let theirs = |ray: &Ray<V>| black_box(plain(ray.origin.to_xyz(), ray.direction.to_xyz())).is_some();
    let few = &all[..RAYS];
    let (mut our_times, mut their_times) = (vec![], vec![]);
    for round in 0..ROUNDS + 2 {
        let (a, b);
        if round % 2 == 0 {
            a = time(few, ours);
            b = time(few, theirs);
        } else {
            b = time(few, theirs);
            a = time(few, ours);
        }
        // Two rounds to warm up.
        if round >= 2 {
            our_times.push(a);
            their_times.push(b);
        }
    }
    let (a, b) = (median(our_times), median(their_times));
    let percent = |n: usize| 100.0 * n as f64 / EXPLAINED as f64;
    println!(
        "{name:<9} {:>5.1} % {differ:>7} {a:>9.1} {b:>9.1} {:>7.2} {:>9.2} %",
        percent(hits),
        a / b,
        percent(doubtful)
    );
}

fn all<V: Vector3>(precision: &str)
where
    V::Scalar: Plain,
{
    println!(
        "\n{precision:<9} {:>7} {:>7} {:>9} {:>9} {:>7} {:>11}",
        "hits", "differ", "ours, ns", "plain, ns", "ratio", "doubtful"
    );
    let n = V::Scalar::from_f64;
    let v = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let (a, b) = (v(-0.25, -1.0, 0.125), v(0.25, 1.0, -0.25));
    let (pa, pb) = (a.to_xyz(), b.to_xyz());

    let (center, r) = (v(0.125, -0.25, 0.5), n(1.0));
    contest("sphere", 2.0, &Sphere::new(center, r).unwrap(), |o, d| plain::sphere(o, d, center.to_xyz(), r));
    let half = v(1.0, 0.5, 0.75);
    let (min, max) = ((center - half).to_xyz(), (center + half).to_xyz());
    contest("box", 2.0, &Cuboid::new(center, half).unwrap(), |o, d| plain::cuboid(o, d, min, max));
    let corners = [v(-1.0, -1.0, 0.25), v(1.5, -0.5, 0.5), v(0.0, 1.5, -0.25)];
    let [p, q, s] = corners;
    let points = corners.map(V::to_xyz);
    contest("triangle", 1.5, &Triangle::new(p, q, s).unwrap(), |o, d| plain::triangle(o, d, points));
    let r = n(0.625);
    contest("cylinder", 1.5, &Cylinder::new(a, b, r).unwrap(), |o, d| plain::cylinder(o, d, pa, pb, r));
    contest("capsule", 1.5, &Capsule::new(a, b, r).unwrap(), |o, d| plain::capsule(o, d, pa, pb, r));
    contest("cone", 1.25, &Cone::new(a, b, n(0.875)).unwrap(), |o, d| plain::cone(o, d, pa, pb, n(0.875)));
}

fn main() {
    // `cargo test --benches` asks for one pass only; there is nothing to time then.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    println!(
        "{RAYS} rays, median of {ROUNDS} rounds of {PASSES} passes; doubtful: {EXPLAINED} rays, all questions at once"
    );
    all::<Vec3>("f32");
    all::<DVec3>("f64");
}
