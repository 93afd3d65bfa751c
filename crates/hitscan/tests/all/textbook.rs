//! Textbook formulas compared with the library: equal on ordinary rays, wrong on far and grazing ones, for which the
//! library's `f32` agrees with its `f64` on the same numbers.

use hitscan::glam::{DVec3, Vec3};
use hitscan::{Inside, Query, Ray, RayCast, Sphere, Triangle};
use hitscan::{Real, Vector3};
use test_support::random::Rng;
use test_support::textbook::closest::{sphere_t, sphere_t_by_projection};
use test_support::textbook::triangle::{badouel, moeller_trumbore};
use test_support::textbook::{Float, Line, Vec3 as Textbook};

/// Answer of the library in the precision of `V`: triangle and sphere.
fn ours<V: Vector3>(case: &Case) -> [Option<f64>; 2] {
    let v = |x: [f32; 3]| V::from_xyz(x.map(|x| V::Scalar::from_f64(f64::from(x))));
    let ray = Ray::new(v(case.o), v(case.d));
    let [a, b, c] = case.triangle.map(v);
    let sphere = Sphere::new(v(case.center), V::Scalar::from_f64(f64::from(case.r))).unwrap();
    let surface = Triangle::new(a, b, c).ok().and_then(|triangle| triangle.cast_ray(&ray, ..));
    let hollow = sphere.cast_ray(&ray, Query::new().inside(Inside::Hollow));
    [surface, hollow].map(|hit| hit.map(|hit| hit.t.to_f64()))
}

fn wide(v: [f32; 3]) -> [f64; 3] {
    v.map(f64::from)
}

const NAMES: [&str; 10] = [
    "triangle, ours f32",
    "  Moeller-Trumbore f32",
    "  Moeller-Trumbore f64",
    "  projected f32",
    "  projected f64",
    "sphere, ours f32",
    "  quadratic f32",
    "  quadratic f64",
    "  e, a, f f32",
    "  e, a, f f64",
];

/// Results of every method on one case (`e, a, f` requires an origin outside), each with its reference.
fn answers(case: &Case, ours_f32: [Option<f64>; 2]) -> [(usize, Option<f64>); 10] {
    let Case { o, d, triangle, center, r } = *case;
    let single = by_textbook(o, d, triangle, center, r).map(|t| t.map(f64::from));
    let double = by_textbook(wide(o), wide(d), triangle.map(wide), wide(center), f64::from(r));
    [
        (0, ours_f32[0]),
        (0, single[0]),
        (0, double[0]),
        (0, single[1]),
        (0, double[1]),
        (1, ours_f32[1]),
        (1, single[2]),
        (1, double[2]),
        (1, single[3]),
        (1, double[3]),
    ]
}

/// The `t` of the four methods.
fn by_textbook<S: Float>(o: [S; 3], d: [S; 3], corners: [[S; 3]; 3], center: [S; 3], r: S) -> [Option<S>; 4] {
    let (ray, corners, center) =
        (Line { origin: Textbook(o), direction: Textbook(d) }, corners.map(Textbook), Textbook(center));
    [
        moeller_trumbore(&ray, corners).filter(|t| *t >= S::ZERO),
        badouel(&ray, corners),
        sphere_t(&ray, center, r),
        sphere_t_by_projection(&ray, center, r),
    ]
}

/// Numbers of a ray and a shape, in `f32`.
#[derive(Clone, Copy, Debug)]
struct Case {
    o: [f32; 3],
    d: [f32; 3],
    triangle: [[f32; 3]; 3],
    center: [f32; 3],
    r: f32,
}

/// Ray from a distance of `away` sizes to a point that lies `offset` beyond (or within) an edge of the triangle and,
/// for the sphere, beyond the radius; an ordinary offset is random.
fn case(rng: &mut Rng, away: f64, offset: Option<f64>, thin: f64) -> Case {
    let round = |v: [f64; 3]| v.map(|x| x as f32);
    let (a, b) = (rng.cube(3), rng.cube(3));
    let mut c = rng.cube(3);
    if thin < 1.0 {
        c = [0, 1, 2].map(|k| a[k] + 0.5 * (b[k] - a[k]) + thin * c[k]);
    }
    let from = rng.cube(3).map(|x| x * away);
    let (center, r) = (rng.cube(3).map(|x| 0.5 * x), rng.between(0.2, 0.8));
    let s = rng.unit();
    let target = match offset {
        None => rng.cube(3),
        Some(offset) if rng.below(2) == 0 => [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]) + offset * (c[k] - a[k])),
        Some(offset) => {
            // Point on the silhouette of the sphere, seen from the origin.
            let Textbook(side) = (Textbook(center) - Textbook(from)).cross(Textbook(rng.cube(3)));
            let length = Textbook(side).length();
            [0, 1, 2].map(|k| center[k] + side[k] / length * r * (1.0 + offset))
        }
    };
    let Textbook(d) = Textbook(target) - Textbook(from);
    Case { o: round(from), d: round(d), triangle: [round(a), round(b), round(c)], center: round(center), r: r as f32 }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    wrong: usize,
    /// Of those that agree about the hit: the error of `t` exceeds one `f32` step.
    inexact: usize,
    worst: f64,
}

/// The reference is the library's `f64`, which `conformance.rs` tests. A step is that of `f32` at the exact value.
fn tally(rng: &mut Rng, cases: usize, mut draw: impl FnMut(&mut Rng) -> Case) -> ([Tally; 10], usize) {
    let (mut tallies, mut hits) = ([Tally::default(); 10], 0);
    for _ in 0..cases {
        let case = draw(rng);
        let truth = ours::<DVec3>(&case);
        hits += truth.iter().flatten().count();
        for (i, (which, t)) in answers(&case, ours::<Vec3>(&case)).into_iter().enumerate() {
            if NAMES[i].contains("e, a, f") && inside(&case) {
                continue;
            }
            match (truth[which], t) {
                (Some(exact), Some(t)) => {
                    let near = exact as f32;
                    let step = f64::from(near.next_up()) - f64::from(near);
                    let error = (t - exact).abs() / step;
                    tallies[i].inexact += usize::from(!(error <= 1.0));
                    tallies[i].worst = tallies[i].worst.max(error);
                }
                (None, None) => {}
                _ => tallies[i].wrong += 1,
            }
        }
    }
    (tallies, hits)
}

type Family = (&'static str, f64, Option<f64>, f64);

/// Name, distance, offset from the edge (or random), thinness of the triangle.
const FAMILIES: [Family; 6] = [
    ("ordinary", 3.0, None, 1.0),
    ("grazing, 2^-22", 3.0, Some(1.0 / 4_194_304.0), 1.0),
    ("far, 1e3", 1e3, Some(1.0 / 4_194_304.0), 1.0),
    ("far, 1e6", 1e6, Some(1.0 / 1024.0), 1.0),
    ("thin, 2^-20", 3.0, Some(0.25), 1.0 / 1_048_576.0),
    ("grazing, 2^-45", 3.0, Some(1.0 / 35_184_372_088_832.0), 1.0),
];

#[test]
fn textbooks_fail_where_ours_does_not() {
    let mut rng = Rng::new(31);
    let mut failures = vec![];
    for (name, away, offset, thin) in FAMILIES {
        let cases = 3000;
        let (tallies, hits) = tally(&mut rng, cases, |rng| {
            let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
            case(rng, away, offset.map(|x| x * sign), thin)
        });
        println!(
            "\n{name}: {cases} rays at a triangle and a sphere, {hits} hits\n{:<24}{:>14}{:>18}{:>14}",
            "", "wrong decision", "t off by > 1 step", "worst, steps"
        );
        for (method, tally) in NAMES.iter().zip(tallies) {
            println!("{method:<24}{:>14}{:>18}{:>14.3e}", tally.wrong, tally.inexact, tally.worst);
        }
        for ours in [tallies[0], tallies[5]] {
            if ours.wrong + ours.inexact > 0 {
                failures
                    .push(format!("{name}: ours {} wrong, {} inexact, worst {}", ours.wrong, ours.inexact, ours.worst));
            }
        }
        let theirs: usize = [1, 3, 6, 8].iter().map(|&i| tallies[i].wrong + tallies[i].inexact).sum();
        assert!(name == "ordinary" || theirs > 0, "{name} is not hard enough");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Ordinary cases: a clear hit or miss of a shape of ordinary form. Then all methods agree.
///
/// Bound of `t`: each method has at most 32 roundings of terms of magnitude at most 2 * 3 * (2 sqrt 3 + sqrt 3)^2 =
/// 162, divided by a quantity (the determinant, the half chord) that must be at least 1/8 of its largest value.
#[test]
fn textbooks_agree_on_ordinary_rays() {
    let mut rng = Rng::new(32);
    let bound = |epsilon: f64| 32.0 * 162.0 * 64.0 * epsilon;
    let (mut compared, mut hits) = (0, 0);
    while compared < 6000 {
        let case = case(&mut rng, 3.0, None, 1.0);
        let truth = ours::<DVec3>(&case);
        if !is_clear(&case) {
            continue;
        }
        compared += 1;
        hits += truth.iter().flatten().count();
        for (i, (which, t)) in answers(&case, ours::<Vec3>(&case)).into_iter().enumerate() {
            if NAMES[i].contains("e, a, f") && inside(&case) {
                continue;
            }
            let epsilon = if NAMES[i].ends_with("f64") { f64::EPSILON } else { f64::from(f32::EPSILON) };
            assert_eq!(t.is_some(), truth[which].is_some(), "{} on {case:?}", NAMES[i]);
            if let (Some(t), Some(exact)) = (t, truth[which]) {
                assert!((t - exact).abs() <= bound(epsilon), "{}: {t} for {exact} on {case:?}", NAMES[i]);
            }
        }
    }
    println!("{compared} rays, {hits} hits: all methods agree");
    assert!(hits > 1000);
}

fn inside(case: &Case) -> bool {
    let m: [f64; 3] = [0, 1, 2].map(|k| f64::from(case.o[k]) - f64::from(case.center[k]));
    m.iter().map(|x| x * x).sum::<f64>().sqrt() <= f64::from(case.r)
}

/// Far from every decision: triangle and sphere, shrunk and grown by an eighth, have the same verdicts.
fn is_clear(case: &Case) -> bool {
    let verdicts = |share: f32| {
        let middle: [f32; 3] = [0, 1, 2].map(|k| case.triangle.iter().map(|p| p[k]).sum::<f32>() / 3.0);
        let triangle = case.triangle.map(|p| [0, 1, 2].map(|k| middle[k] + share * (p[k] - middle[k])));
        ours::<DVec3>(&Case { triangle, r: case.r * share, ..*case }).map(|t| t.is_some())
    };
    let [a, b, c] = case.triangle.map(|p| DVec3::from_array(wide(p)));
    let d = DVec3::from_array(wide(case.d));
    let slope = (b - a).cross(c - a).dot(d).abs() / d.length();
    verdicts(0.875) == verdicts(1.125) && slope > 0.125
}
