//! Totality: for any numbers, no shape panics or returns a hit out of range, and all queries agree.

use crate::support::{Draw, Rng, Sample, World, rounds};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Hit, Inside, Query, Ray, RayCast, RayLike, Segment, Shape, Side};
use hitscan::{Real, Vector};
use std::collections::BTreeMap;

/// Failures by kind: their count, and the shortest case.
#[derive(Default)]
struct Report {
    casts: usize,
    hits: usize,
    wrong: BTreeMap<String, (usize, String)>,
}

impl Report {
    fn check(&mut self, ok: bool, what: &str, case: impl FnOnce() -> String) {
        if !ok {
            let case = case();
            let (count, simplest) = self.wrong.entry(what.to_string()).or_default();
            *count += 1;
            if simplest.is_empty() || case.len() < simplest.len() {
                *simplest = case;
            }
        }
    }
    fn close(self) {
        println!("{} casts, {} hits", self.casts, self.hits);
        for (what, (count, first)) in &self.wrong {
            println!("{count:>6} x {what}\n         {first}");
        }
        assert!(self.wrong.is_empty(), "{} kinds of failure", self.wrong.len());
    }
}

/// Hit in range, finite, with a unit normal. The length of a rounded unit vector has an error of at most one rounding
/// per component, 2^-1 eps each, and its square twice that; 8 eps leave room for 2 units in the last place.
fn sound<V: Vector>(hit: &Hit<V>, query: &Query<V::Scalar>, segment: bool) -> bool {
    let n = hit.normal.to_xyz().map(Real::to_f64);
    let excess = n.iter().map(|x| x * x).sum::<f64>() - 1.0;
    let in_range = query.t_min() <= hit.t && hit.t <= query.t_max();
    let in_segment = !segment || (V::Scalar::ZERO <= hit.t && hit.t <= V::Scalar::ONE);
    let point_is_number = hit.point.to_xyz().iter().all(|x| !x.to_f64().is_nan());
    let distance_is_number = !hit.distance.to_f64().is_nan();
    let unit = excess.abs() <= 8.0 * V::Scalar::EPSILON.to_f64();
    in_range && in_segment && hit.t.is_finite() && unit && point_is_number && distance_is_number
}

/// The same hit, part by part, so that a failure names the part. Another query may use another arithmetic, so normals
/// and points may differ in their last bits, 4 eps of the largest component.
fn same<V: Vector>(a: Option<&Hit<V>>, b: Option<&Hit<V>>, what: &str, check: &mut impl FnMut(bool, &str)) {
    check(a.is_some() == b.is_some(), what);
    if let (Some(a), Some(b)) = (a, b) {
        check((a.t, a.distance) == (b.t, b.distance), &format!("{what}: t"));
        check(near(a.normal, b.normal), &format!("{what}: normal"));
        check(near(a.point, b.point), &format!("{what}: point"));
        check((a.side, a.uv) == (b.side, b.uv), &format!("{what}: side or uv"));
    }
}

fn near<V: Vector>(a: V, b: V) -> bool {
    let size = |v: V| v.to_xyz().iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    a == b || size(a - b) <= 4.0 * V::Scalar::EPSILON.to_f64() * size(a).max(size(b))
}

fn check_queries<V: World>(
    shape: &V::Shape,
    cast: &(impl RayLike<V> + std::fmt::Debug),
    query: Query<V::Scalar>,
    segment: bool,
    report: &mut Report,
) {
    let case = |extra: String| format!("{shape:?}\n         {cast:?}\n         {query:?}\n         {extra}");
    let all = shape.cast_ray_all(cast, query);
    let first = shape.cast_ray(cast, query);
    report.casts += 1;
    report.hits += usize::from(first.is_some());
    let explanation = shape.explain(cast, query);
    let name = explanation.shape;
    let hollow = shape.cast_ray_all(cast, query.inside(Inside::Hollow));
    let spans = shape.spans(cast, query);
    let mut check = |ok: bool, what: &str| {
        report.check(ok, &format!("{name}: {what}"), || {
            case(format!("cast {first:?}\n         all {all:?}\n         hollow {hollow:?}\n         spans {spans:?}"))
        });
    };
    let is_mesh = name == "mesh";

    for hit in all.iter().chain(&first) {
        check(sound(hit, &query, segment), "a hit out of range, not finite, or without unit normal");
    }
    check(all.is_sorted_by(|a, b| a.t <= b.t), "hits not sorted");
    check(shape.intersects_ray(cast, query) == first.is_some(), "intersects_ray differs from cast_ray");
    check(shape.count_hits(cast, query) == all.len(), "count_hits differs from cast_ray_all");
    // A tangent counts for the first hit of a mesh, and not for a crossing.
    if !is_mesh {
        same(all.first(), first.as_ref(), "cast_ray_all does not begin with cast_ray", &mut check);
    }
    check(!explanation.to_string().is_empty(), "no explanation");

    if !V::is_solid(shape) {
        return check(spans.is_empty() && hollow == all, "a surface has spans");
    }
    if is_mesh || query.t_min() == -V::Scalar::INFINITY {
        return check(
            spans.iter().all(|s| s.enter.zip(s.exit).is_none_or(|(enter, exit)| enter.t <= exit.t)),
            "a span runs backwards",
        );
    }
    same(
        spans.first().and_then(|s| s.enter.as_ref()),
        first.as_ref(),
        "the first span does not begin with cast_ray",
        &mut check,
    );
    let Some(span) = spans.first() else { return check(hollow.is_empty(), "hits without a span") };
    let Some(enter) = span.enter else { return check(false, "a ray that never begins") };
    let exit = span.exit.as_ref();
    let same_place = |a: &Hit<V>, b: &Hit<V>| a.t == b.t && near(a.normal, b.normal);
    let touches = exit.is_some_and(|exit| exit.t == enter.t);
    let ends = exit.is_none_or(|exit| hollow.last().is_some_and(|last| same_place(last, exit)));
    check(touches || ends, "a span does not end at the last crossing");
    let enters = enter.side == Side::Front;
    check(
        !enters || hollow.first().is_some_and(|hit| same_place(hit, &enter)),
        "a span does not begin at the first crossing",
    );
    let starts_on = !enters && hollow.first().is_some_and(|hit| hit.t == enter.t);
    let ends = usize::from(enters || starts_on) + usize::from(exit.is_some());
    check(hollow.len() <= ends, "more crossings than ends");
}

fn run<V: World>(seed: u64, shapes: usize, draws: &[Draw], report: &mut Report) {
    let mut rng = Rng::new(seed);
    for i in 0..rounds(shapes) {
        let draw = draws[i % draws.len()];
        let Some(shape) = V::shape((i / draws.len()) % V::KINDS, &mut rng, draw) else { continue };
        let aabb = shape.aabb();
        for k in 0..8 {
            // Shapes of ordinary size also meet any bits, if the distribution is any bits.
            let draw = if k == 0 { draws[0] } else { draw };
            let ray = rng.ray(draw, &aabb);
            let query = rng.query::<V::Scalar>(draw);
            if k == 3 {
                let segment = Segment::new(ray.origin, ray.origin + ray.direction + ray.direction);
                check_queries::<V>(&shape, &segment, query, true, report);
            } else {
                check_queries::<V>(&shape, &ray, query, false, report);
            }
            // A solid contains a point exactly if a ray from there hits at once.
            let contained = shape.contains(ray.origin);
            let valid = ray.direction.all_finite() && !ray.direction.is_zero();
            let at_once = shape.intersects_ray(&ray, V::Scalar::ZERO..=V::Scalar::ZERO);
            // A mesh is hollow.
            let agree = if shape.explain(&ray, query).shape == "mesh" {
                true
            } else if V::is_solid(&shape) {
                !valid || contained == at_once
            } else {
                !contained
            };
            report.check(
                agree,
                &format!("{}: contains differs from a ray's start", shape.explain(&ray, ..).shape),
                || format!("{shape:?}\n         {ray:?}: contains {contained}, hit at once {at_once}"),
            );
        }
    }
}

const SENSIBLE: [Draw; 3] = [Draw::Lattice, Draw::Ordinary, Draw::Scales];
const ANY_BITS: [Draw; 4] = [Draw::Bits, Draw::Lattice, Draw::Ordinary, Draw::Scales];

#[test]
fn sensible_numbers_f32() {
    let mut report = Report::default();
    run::<Vec2>(1, 15_000, &SENSIBLE, &mut report);
    run::<Vec3>(2, 15_000, &SENSIBLE, &mut report);
    report.close();
}

#[test]
fn sensible_numbers_f64() {
    let mut report = Report::default();
    run::<DVec2>(3, 1500, &SENSIBLE, &mut report);
    run::<DVec3>(4, 1500, &SENSIBLE, &mut report);
    report.close();
}

#[test]
fn any_bits_f32() {
    let mut report = Report::default();
    run::<Vec2>(5, 6_000, &ANY_BITS, &mut report);
    run::<Vec3>(6, 6_000, &ANY_BITS, &mut report);
    report.close();
}

#[test]
fn any_bits_f64() {
    let mut report = Report::default();
    run::<DVec2>(7, 800, &ANY_BITS, &mut report);
    run::<DVec3>(8, 800, &ANY_BITS, &mut report);
    report.close();
}

/// Invalid rays and empty ranges miss every shape.
fn nothing<V: World>() {
    let mut rng = Rng::new(5);
    let (nan, inf, zero, one) = (V::Scalar::from_f64(f64::NAN), V::Scalar::INFINITY, V::Scalar::ZERO, V::Scalar::ONE);
    for kind in 0..V::KINDS {
        let shape = std::iter::repeat_with(|| V::shape(kind, &mut rng, Draw::Ordinary)).find_map(|s| s).unwrap();
        let center = rng.point_in(&shape.aabb());
        let unit = V::splat(one);
        let bad = [nan, inf, -inf].into_iter().flat_map(|x| {
            (0..V::DIM).flat_map(move |axis| {
                let mut xyz = [one; 3];
                xyz[axis] = x;
                let v = V::from_xyz(xyz);
                [Ray::new(v, unit), Ray::new(center, v)]
            })
        });
        for ray in bad.chain([Ray::new(center, V::splat(zero)), Ray::new(center, V::splat(-zero))]) {
            let line = Query::line();
            assert!(shape.cast_ray(&ray, line).is_none() && !shape.intersects_ray(&ray, line), "{shape:?} {ray:?}");
            assert!(shape.cast_ray_all(&ray, line).is_empty() && shape.spans(&ray, line).is_empty());
            assert_eq!(shape.count_hits(&ray, line), 0);
            assert!(!shape.explain(&ray, line).to_string().is_empty());
            assert!(ray.origin.all_finite() || !shape.contains(ray.origin));
        }
        let ray = Ray::new(center, unit);
        for (t_min, t_max) in [(one, zero), (nan, one), (zero, nan), (nan, nan), (inf, -inf), (inf, inf)] {
            let query = Query::new().range(t_min, t_max);
            assert!(shape.cast_ray(&ray, query).is_none(), "{shape:?} {query:?}");
            assert!(
                shape.cast_ray_all(&ray, query).is_empty() && shape.spans(&ray, query).is_empty(),
                "{shape:?} {query:?}"
            );
        }
    }
}

#[test]
fn what_is_not_a_ray_hits_nothing() {
    nothing::<Vec2>();
    nothing::<Vec3>();
    nothing::<DVec2>();
    nothing::<DVec3>();
}
