//! Closest points of shapes under transforms that shear, mirror and scale unevenly.

use crate::support::{Draw, Rng, Sample, World};
use hitscan::glam::{DMat3, DVec2, DVec3};
use hitscan::{Instance, PointQuery, Shape, Transform, Vector};

fn length<V: Vector<Scalar = f64>>(v: V) -> f64 {
    v.to_xyz().iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The least distance that a search finds: the nearest of random points of the surface, then random steps from there that become
/// shorter. `distance` takes a point of the shape.
fn by_search<V: World<Scalar = f64>>(rng: &mut Rng, shape: &V::Shape, distance: impl Fn(V) -> f64) -> f64 {
    let bounds = shape.aabb();
    let (mut seed, mut least) = (V::from_xyz([0.0; 3]), f64::INFINITY);
    let mut attempt = |seed: &mut V, candidate: V| {
        let local = shape.closest_point(candidate).unwrap().point;
        if distance(local) < least {
            (least, *seed) = (distance(local), local);
        }
    };
    for _ in 0..300 {
        attempt(&mut seed, rng.point_in(&bounds) + rng.in_cube());
    }
    let mut step = 0.5;
    while step > 1e-6 {
        for _ in 0..12 {
            let candidate = seed + rng.in_cube::<V>() * step;
            attempt(&mut seed, candidate);
        }
        step *= 0.7;
    }
    least
}

/// The columns of a matrix that stretches each axis by up to `10^decades`, or shrinks it, between two shears, and may mirror.
fn columns<V: Vector<Scalar = f64>>(rng: &mut Rng, decades: f64) -> Vec<V> {
    let factors = [0; 3].map(|_| rng.decades(-decades, decades) * rng.sign());
    let mut column = |axis: usize| {
        let mut column = [0.0; 3];
        column[..V::DIM].iter_mut().for_each(|x| *x = factors[axis] * rng.between(-1.0, 1.0));
        column[axis] = factors[axis];
        V::from_xyz(column)
    };
    (0..V::DIM).map(&mut column).collect()
}

/// The answer is a point of the surface, and no point that a search finds is nearer.
fn check<V: World<Scalar = f64>>(seed: u64, rounds: usize) {
    let (mut rng, mut tight, mut all) = (Rng::new(seed), 0, 0);
    let mut counts = vec![[0, 0]; V::KINDS];
    for round in 0..rounds {
        let decades = [0.0, 0.3, 1.0, 1.5][round % 4];
        let columns: Vec<V> = columns(&mut rng, decades);
        let origin = rng.in_cube::<V>();
        let Ok(transform) = Transform::new(&columns, origin) else { continue };
        let image = |p: V| columns.iter().zip(p.to_xyz()).fold(origin, |sum, (column, x)| sum + *column * x);
        let mut padded = [DVec3::X, DVec3::Y, DVec3::Z];
        padded.iter_mut().zip(&columns).for_each(|(padded, column)| *padded = column.to_xyz().into());
        let inverse = DMat3::from_cols(padded[0], padded[1], padded[2]).inverse();
        let shrink = inverse.to_cols_array().iter().fold(1.0, |most: f64, x| most.max(x.abs())) * 16.0;
        for (kind, counts) in counts.iter_mut().enumerate() {
            let Some(shape) = V::shape(kind, &mut rng, Draw::Ordinary) else { continue };
            let placed = Instance::new(shape.clone()).with_transform(transform);
            let mut on_surface = || shape.closest_point(rng.point_in(&shape.aabb())).unwrap().point;
            // Half of the points are between two points of the surface: inside of the solid.
            let (a, b) = (on_surface(), on_surface());
            let share = if round % 2 == 0 { 0.5 } else { rng.between(-2.0, 3.0) };
            let point = image(a + (b - a) * share);
            let found = placed.closest_point(point).unwrap();
            let least = by_search(&mut rng, &shape, |p| length(image(p) - point));
            counts[usize::from(placed.contains(point))] += 1;
            let largest = columns.iter().fold(length(point), |most, v| most.max(length(*v) * length(a).max(1.0)));
            let context = || format!("{shape:?} {columns:?} {origin:?} {point:?} {found:?} {least}");
            assert!(found.distance <= least + 1e-14 * largest, "{}", context());
            (all, tight) = (all + 1, tight + usize::from(found.distance >= least * 0.999 - 1e-5 * largest));
            assert!((length(found.point - point) - found.distance).abs() <= 1e-14 * largest, "{}", context());
            let signed = placed.signed_distance(point).unwrap();
            assert!(signed.abs() == found.distance, "{}", context());
            let local = inverse * DVec3::from((found.point - origin).to_xyz());
            let off = shape.distance(V::from_xyz(local.to_array())).unwrap();
            assert!(off <= 1e-15 * largest * shrink, "{off} {}", context());
        }
    }
    // The search finds most of them, although its valleys are narrow.
    assert!(tight * 4 > all * 3, "{tight} of {all}");
    let is_seen = |counts: &[usize; 2]| counts[0] > rounds / 8 && (counts[1] > rounds / 8 || counts[1] == 0);
    assert!(counts.iter().all(is_seen), "{counts:?}");
}

#[test]
fn no_point_of_the_surface_is_nearer() {
    check::<DVec2>(61, 160);
    check::<DVec3>(62, 160);
}
