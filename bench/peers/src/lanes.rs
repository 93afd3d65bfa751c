//! Batches of rays in columns at single shapes, compared with the same rays one by one.

use crate::contest::{Run, contest};
use crate::shapes::{RAYS_OF_SET, rays};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{
    Capsule, Columns, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, HitColumns, Ray, RayCast, RayColumns, Real, Sphere,
    Triangle, Vector3,
};
use std::cell::RefCell;
use std::hint::black_box;

/// Passes over the rays in one round.
const PASSES: usize = 4;

/// Rays of one set in both forms.
struct Rays<V: Vector3> {
    targets: &'static str,
    each: Vec<Ray<V>>,
    columns: [Vec<V::Scalar>; 6],
}

impl<V: Vector3> Rays<V> {
    fn new(targets: &'static str, seed: u64, spread: f64) -> Self {
        let mut columns: [Vec<V::Scalar>; 6] = Default::default();
        let mut each = Vec::with_capacity(RAYS_OF_SET);
        for (from, direction) in rays(seed, spread) {
            let [from, direction] = [from, direction].map(|v| v.map(V::Scalar::from_f64));
            for (column, number) in columns.iter_mut().zip(from.into_iter().chain(direction)) {
                column.push(number);
            }
            each.push(Ray::new(V::from_xyz(from), V::from_xyz(direction)));
        }
        Self { targets, each, columns }
    }
}

/// Times one shape: one ray at a time with the whole hit, columns of `t` alone, columns of all numbers.
fn of_shape<V: Vector3, K: RayCast<V>>(
    (precision, name): (&str, &str),
    shape: &K,
    rays: &Rays<V>,
    rounds: usize,
    lines: &mut Vec<String>,
) -> Result<(), String> {
    let [ox, oy, oz, dx, dy, dz] = &rays.columns;
    let columns = RayColumns::<V>::new(&[ox, oy, oz], &[dx, dy, dz]).map_err(|error| error.to_string())?;
    let of_t = RefCell::new(HitColumns::new(Columns::T));
    let full = RefCell::new(HitColumns::new(
        Columns::T | Columns::DISTANCE | Columns::POINT | Columns::NORMAL | Columns::SIDE | Columns::UV,
    ));
    let cast = |hits: &RefCell<HitColumns<V>>| {
        for _ in 0..PASSES {
            let hits = &mut *hits.borrow_mut();
            black_box(shape).cast_columns_into(&columns, .., hits);
            black_box(hits);
        }
    };
    let mut runs: [Run<'_>; 3] = [
        Box::new(|| {
            for _ in 0..PASSES {
                rays.each.iter().for_each(|ray| {
                    black_box(black_box(shape).cast_ray(ray, ..));
                });
            }
        }),
        Box::new(|| cast(&of_t)),
        Box::new(|| cast(&full)),
    ];
    let times = contest(&mut runs, rounds);
    drop(runs);
    let [alone, t, all] = [0, 1, 2].map(|i| times[i].median() * 1e9 / (PASSES * RAYS_OF_SET) as f64);
    // The columns have the hits of single rays.
    let of_t = of_t.borrow();
    let wrong = rays.each.iter().zip(of_t.t()).filter(|(ray, t)| {
        let hit = shape.cast_ray(*ray, ..);
        hit.map_or(V::Scalar::INFINITY, |hit| hit.t) != **t
    });
    let (wrong, hits) = (wrong.count(), of_t.count_hits());
    if wrong > 0 {
        return Err(format!("{precision} {name}: {wrong} of {RAYS_OF_SET} rays have another t in columns"));
    }
    let targets = rays.targets;
    println!(
        "{precision} {name:<12}{:>6.1} %{alone:>14.1}{t:>12.1}{all:>14.1}{:>10.2}{:>10.2}",
        100.0 * hits as f64 / RAYS_OF_SET as f64,
        alone / t,
        alone / all
    );
    lines.push(format!("RATIO lanes {precision} {name} {targets} t {:.3}", alone / t));
    lines.push(format!("RATIO lanes {precision} {name} {targets} full {:.3}", alone / all));
    Ok(())
}

fn of_precision<V: Vector3>(precision: &str, rounds: usize, seed: u64, lines: &mut Vec<String>) -> Result<(), String> {
    let v = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let number = V::Scalar::from_f64;
    let (a, b, c) = (v(-0.9, -0.6, 0.2), v(0.8, -0.5, -0.3), v(0.1, 0.9, 0.4));
    let (zero, half, low, high) = (v(0.0, 0.0, 0.0), v(0.75, 0.5, 0.875), v(0.0, -0.75, 0.0), v(0.0, 0.75, 0.0));
    for rays in [Rays::<V>::new("some", seed, 1.5), Rays::new("all", seed, 0.3)] {
        macro_rules! time {
            ($($name:literal: $shape:expr),+ $(,)?) => {$(
                let shape = $shape.map_err(|error| error.to_string())?;
                of_shape((precision, $name), &shape, &rays, rounds, lines)?;
            )+};
        }
        time! {
            "sphere": Sphere::new(zero, number(0.75)),
            "box": Cuboid::new(zero, half),
            "triangle": Triangle::new(a, b, c),
            "half-space": HalfSpace::new(zero, v(0.0, 1.0, 0.0)),
            "capsule": Capsule::new(a, b, number(0.5)),
            "cylinder": Cylinder::new(low, high, number(0.5)),
            "cone": Cone::new(low, high, number(0.75)),
            "ellipsoid": Ellipsoid::new(zero, half),
        }
    }
    Ok(())
}

/// Prints the times of single shapes. Returns a line for each shape, set of rays and choice of columns: the time of single rays over that
/// of columns.
pub(crate) fn run(rounds: usize, seed: u64) -> Result<Vec<String>, String> {
    println!("Nanoseconds per ray, median of {rounds} rounds in turns; columns of t alone, and of all numbers");
    println!(
        "\n{:<16}{:>8}{:>14}{:>12}{:>14}{:>10}{:>10}",
        "", "hits", "one by one", "t", "all numbers", "by t", "by all"
    );
    let mut lines = Vec::new();
    of_precision::<Vec3>("f32", rounds, seed, &mut lines)?;
    of_precision::<DVec3>("f64", rounds, seed, &mut lines)?;
    Ok(lines)
}
