//! Cost of exact decisions: our `cast_ray`, with normal, point and distance, beside the plain closed form of the same
//! precision, one ray after the other. `cargo bench -p hitscan --bench shapes`.
//!
//! The two take turns, in changing order, and the median of the rounds counts. Before any time is taken the answers are
//! compared: these are ordinary rays, on which the closed forms are right but for the last digits.

use hitscan::glam::{DVec3, Vec3};
use hitscan::{Capsule, Cone, Cuboid, Cylinder, Ray, RayCast, Shape, Sphere, Triangle};
use hitscan::{Real, Vector, Vector3};
use std::hint::black_box;
use std::time::Instant;
use test_support::random::Rng;
use test_support::textbook::{Crossing, Float, Line, Vec3 as Textbook, closest};

const RAYS: usize = 4096;
const ROUNDS: usize = 15;
/// Passes over all rays in a round.
const PASSES: usize = 8;
/// Rays that are explained, to count those for which the floating-point filter is uncertain.
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

/// The ray in the textbook's form.
fn line<V: Vector>(ray: &Ray<V>) -> Line<V::Scalar>
where
    V::Scalar: Float,
{
    Line { origin: Textbook(ray.origin.to_xyz()), direction: Textbook(ray.direction.to_xyz()) }
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
    plain: impl Fn(&Line<V::Scalar>) -> Option<Crossing<V::Scalar>>,
) where
    V::Scalar: Float,
{
    let all = rays::<V>(EXPLAINED, spread);
    let (mut hits, mut differ) = (0, 0);
    for ray in &all {
        let ours = shape.cast_ray(ray, ..);
        let theirs = plain(&line(ray));
        hits += usize::from(ours.is_some());
        // Half of the digits: on a grazing ray a plain closed form keeps no more.
        let near = V::Scalar::EPSILON.to_f64().sqrt();
        let same = match (ours, theirs) {
            (Some(ours), Some((t, Textbook(n)))) => {
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
    let uncertain = all.iter().filter(|ray| shape.explain(*ray, ..).uncertain).count();

    // The whole answer is used: otherwise the compiler would drop the normal of an inlined closed form.
    let ours = |ray: &Ray<V>| black_box(shape.cast_ray(ray, ..)).is_some();
    let theirs = |ray: &Ray<V>| black_box(plain(&line(ray))).is_some();
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
        percent(uncertain)
    );
}

fn all<V: Vector3>(precision: &str)
where
    V::Scalar: Float,
{
    println!(
        "\n{precision:<9} {:>7} {:>7} {:>9} {:>9} {:>7} {:>11}",
        "hits", "differ", "ours, ns", "plain, ns", "ratio", "uncertain"
    );
    let n = V::Scalar::from_f64;
    let v = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let (a, b) = (v(-0.25, -1.0, 0.125), v(0.25, 1.0, -0.25));
    let plain = |v: V| Textbook(v.to_xyz());
    let (pa, pb) = (plain(a), plain(b));

    let (center, r) = (v(0.125, -0.25, 0.5), n(1.0));
    contest("sphere", 2.0, &Sphere::new(center, r).unwrap(), |ray| closest::sphere(ray, plain(center), r));
    let half = v(1.0, 0.5, 0.75);
    let (min, max) = (plain(center - half), plain(center + half));
    contest("box", 2.0, &Cuboid::new(center, half).unwrap(), |ray| closest::cuboid(ray, min, max));
    let corners = [v(-1.0, -1.0, 0.25), v(1.5, -0.5, 0.5), v(0.0, 1.5, -0.25)];
    let [p, q, s] = corners;
    let points = corners.map(plain);
    contest("triangle", 1.5, &Triangle::new(p, q, s).unwrap(), |ray| closest::triangle(ray, points));
    let r = n(0.625);
    contest("cylinder", 1.5, &Cylinder::new(a, b, r).unwrap(), |ray| closest::cylinder(ray, pa, pb, r));
    contest("capsule", 1.5, &Capsule::new(a, b, r).unwrap(), |ray| closest::capsule(ray, pa, pb, r));
    contest("cone", 1.25, &Cone::new(a, b, n(0.875)).unwrap(), |ray| closest::cone(ray, pa, pb, n(0.875)));
}

fn main() {
    // `cargo test --benches` asks for one pass only; there is nothing to time then.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    println!(
        "{RAYS} rays, median of {ROUNDS} rounds of {PASSES} passes; uncertain: filter failed, of {EXPLAINED} rays"
    );
    all::<Vec3>("f32");
    all::<DVec3>("f64");
}
