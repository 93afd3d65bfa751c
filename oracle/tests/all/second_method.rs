//! The oracle against a second method: no polynomials, no surds. Membership is written anew in fractions, from the
//! definitions; intervals are found by scanning the line, and their ends by bisection, as in `testdata/verify.py`. For
//! an instance the ray is mapped back in fractions, by Gaussian elimination.

use dashu_ratio::Relaxed;
use hitscan_oracle::affine::PlainTransform;
use hitscan_oracle::body::{Body, Kind, World};
use hitscan_oracle::case::Case;
use hitscan_oracle::generate::{Family, TransformFamily, case, instance};
use hitscan_oracle::instance::Instance;
use hitscan_oracle::intersection::{Bound, Intersection};
use hitscan_oracle::line::{Line, RayOrSegment};
use hitscan_oracle::number::Precision;
use hitscan_oracle::values::Values;
use test_support::random::Rng;

type Q = Relaxed;
type P = [Q; 3];
/// Origin and direction.
type Ray = (P, P);

fn q(x: f64) -> Q {
    Q::try_from(x).expect("finite")
}
fn point(v: [f64; 3]) -> P {
    v.map(q)
}
fn sub(a: &P, b: &P) -> P {
    std::array::from_fn(|i| &a[i] - &b[i])
}
fn dot(a: &P, b: &P) -> Q {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
fn sq(x: &Q) -> Q {
    x * x
}

/// The closed solid, by distances.
fn contains(body: &Body, p: &P) -> bool {
    let at = |i| point(body.vector(i));
    match body.kind {
        Kind::Sphere | Kind::Circle => {
            let w = sub(p, &at(0));
            dot(&w, &w) <= sq(&q(body.number(1)))
        }
        Kind::Cuboid | Kind::Rectangle => {
            let w = sub(p, &at(0));
            body.field(1).iter().zip(&w).all(|(half, x)| sq(x) <= sq(&q(*half)))
        }
        Kind::OrientedBox | Kind::OrientedRectangle => {
            let w = sub(p, &at(0));
            body.vectors(2).iter().zip(body.field(1)).all(|(axis, half)| sq(&dot(&point(*axis), &w)) <= sq(&q(*half)))
        }
        Kind::Ellipsoid | Kind::Ellipse => {
            let w = sub(p, &at(0));
            let part = |(axis, r): (&[f64; 3], &f64)| sq(&(dot(&point(*axis), &w) / q(*r)));
            body.vectors(2).iter().zip(body.field(1)).map(part).fold(Q::ZERO, |sum, x| sum + x) <= Q::ONE
        }
        Kind::HalfSpace | Kind::HalfPlane => dot(&at(1), &sub(p, &at(0))) <= Q::ZERO,
        Kind::TaperedCapsule | Kind::TaperedCapsule2 => {
            // The ball between the two that contains the point by most: its radius and its distance from the point.
            let (w, u) = (sub(p, &at(0)), sub(&at(1), &at(0)));
            let (from, growth) = (q(body.number(2)), q(body.number(3)) - q(body.number(2)));
            let excess = |s: Q| {
                let off: P = std::array::from_fn(|i| &w[i] - &u[i] * &s);
                sq(&(&from + &growth * &s)) - dot(&off, &off)
            };
            let curvature = dot(&u, &u) - sq(&growth);
            let mut shares = vec![Q::ZERO, Q::ONE];
            if curvature > Q::ZERO {
                shares.push(((&from * &growth + dot(&w, &u)) / curvature).clamp(Q::ZERO, Q::ONE));
            }
            shares.into_iter().any(|s| excess(s) >= Q::ZERO)
        }
        Kind::Triangle2 | Kind::Polygon => {
            let corners: Vec<P> = body.corners().into_iter().map(point).collect();
            let turn = |i: usize| {
                let (a, b) = (&corners[i], &corners[(i + 1) % corners.len()]);
                let (e, w) = (sub(b, a), sub(p, a));
                &e[0] * &w[1] - &e[1] * &w[0]
            };
            (0..corners.len()).all(|i| turn(i) >= Q::ZERO) || (0..corners.len()).all(|i| turn(i) <= Q::ZERO)
        }
        _ => {
            // How far along the axis, as a share, and how far from there.
            let (a, axis) = (at(0), sub(&at(1), &at(0)));
            let length_sq = dot(&axis, &axis);
            let mut along = if length_sq == Q::ZERO { Q::ZERO } else { dot(&sub(p, &a), &axis) / length_sq };
            if matches!(body.kind, Kind::Capsule | Kind::Capsule2) {
                along = along.clamp(Q::ZERO, Q::ONE);
            } else if along < Q::ZERO || along > Q::ONE {
                return false;
            }
            let nearest: P = std::array::from_fn(|i| &a[i] + &axis[i] * &along);
            let off = sub(p, &nearest);
            let from = q(body.number(2));
            let to = match body.kind {
                Kind::Cone => Q::ZERO,
                Kind::Frustum => q(body.number(3)),
                _ => from.clone(),
            };
            let radius = &from + (to - &from) * along;
            dot(&off, &off) <= sq(&radius)
        }
    }
}

/// Entry and exit by scanning a range of `t` around hints and bisecting, to about 100 bits; None when no sample is inside.
fn scan(body: &Body, (o, d): &Ray, hints: &[Q]) -> Option<(Option<Q>, Option<Q>)> {
    let inside = |t: &Q| contains(body, &std::array::from_fn(|i| &o[i] + &d[i] * t));
    let mut ts: Vec<Q> = hints.to_vec();
    // A lattice of its own around the hints, so that the oracle's ends alone do not decide what is looked at.
    for x in [
        -4096.0, -64.0, -8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0, 64.0,
        4096.0,
    ] {
        ts.push(q(x));
    }
    ts.sort();
    let middles: Vec<Q> = ts.windows(2).map(|w| (&w[0] + &w[1]) / q(2.0)).collect();
    ts.extend(middles);
    ts.sort();
    let flags: Vec<bool> = ts.iter().map(inside).collect();
    let (first, last) = (flags.iter().position(|x| *x)?, flags.iter().rposition(|x| *x)?);
    assert!(flags[first..=last].iter().all(|x| *x), "not convex: {body:?}");
    let edge = |mut out: Q, mut within: Q| {
        for _ in 0..100 {
            let middle = (&out + &within) / q(2.0);
            if inside(&middle) { within = middle } else { out = middle }
        }
        within
    };
    let low = (first > 0).then(|| edge(ts[first - 1].clone(), ts[first].clone()));
    let high = (last + 1 < ts.len()).then(|| edge(ts[last + 1].clone(), ts[last].clone()));
    Some((low, high))
}

/// Ray in fractions, in the space of the bare shape.
fn local(case: &Case) -> Ray {
    let RayOrSegment { origin, target, is_segment } = &case.given;
    let o = point(*origin);
    let d = if *is_segment { sub(&point(*target), &o) } else { point(*target) };
    match &case.transform {
        None => (o, d),
        Some(transform) => (solve(transform, &sub(&o, &point(transform.translation))), solve(transform, &d)),
    }
}

/// Solution of a system of three equations, whose columns are the axes, by Gaussian elimination.
fn solve(transform: &PlainTransform, right: &P) -> P {
    let mut rows: Vec<[Q; 4]> = (0..3)
        .map(|i| {
            let [a, b, c] = transform.axes.map(|axis| q(axis[i]));
            [a, b, c, right[i].clone()]
        })
        .collect();
    for i in 0..3 {
        let pivot = (i..3).find(|j| rows[*j][i] != Q::ZERO).expect("not singular");
        rows.swap(i, pivot);
        let head = rows[i].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let share = &row[i] / &head[i];
            (0..4).for_each(|k| row[k] = &row[k] - &share * &head[k]);
        }
    }
    std::array::from_fn(|i| &rows[i][3] / &rows[i][i])
}

/// Whether the library accepts the shape.
fn is_accepted(case: &Case) -> bool {
    use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
    match (case.body.kind.dim(), case.precision) {
        (2, Precision::F32) => Vec2::build(&case.body).is_some(),
        (2, Precision::F64) => DVec2::build(&case.body).is_some(),
        (_, Precision::F32) => Vec3::build(&case.body).is_some(),
        (_, Precision::F64) => DVec3::build(&case.body).is_some(),
    }
}

/// Cases of bare shapes, then of instances: a few of each kind and family.
fn cases(is_solid: bool, each: usize, rng: &mut Rng) -> Vec<Case> {
    let mut all = Vec::new();
    for &kind in Kind::ALL.iter().filter(|kind| kind.is_solid() == is_solid) {
        for precision in [Precision::F32, Precision::F64] {
            for &family in Family::ALL.iter().filter(|f| !(is_solid && **f == Family::Extreme)) {
                all.extend((0..each).filter_map(|_| case(kind, family, precision, rng)));
            }
            let tame = [Family::Ordinary, Family::Grazing, Family::Edge, Family::Lattice, Family::Flip];
            for &family in TransformFamily::ALL.iter().filter(|f| !(is_solid && **f == TransformFamily::Magnitude)) {
                let rays = rng.pick(&tame);
                all.extend((0..each).filter_map(|_| instance(kind, family, rays, precision, rng)));
            }
        }
    }
    all.retain(is_accepted);
    all
}

fn t_of(bound: &Bound<'_>, line: &Line, dim: usize) -> Q {
    let t = Values::at_bound(bound, line, dim).t;
    let power = Q::from(dashu_int::IBig::ONE << t.e.unsigned_abs() as usize);
    if t.e >= 0 { Q::from(t.m) * power } else { Q::from(t.m) / power }
}

/// To 2^-60 of the larger of `t` and 1: bisection starts from a wide bracket.
fn near(a: &Q, b: &Q) -> bool {
    let scale = sq(a) + Q::ONE;
    sq(&(a - b)) <= scale * q(2f64.powi(-120))
}

#[test]
fn entries_and_exits_of_solids() {
    let mut rng = Rng::for_stream(3, 0);
    let (mut compared, mut missed, mut instances) = (0, 0, 0);
    for case in cases(true, 2, &mut rng) {
        let (body, ray) = (&case.body, local(&case));
        let placed = case.instance();
        let line = Instance::line(&case.given, std::slice::from_ref(&placed));
        let model = placed.model(&line);
        assert_eq!(model.contains(&line.o), contains(body, &ray.0), "{case}");
        let intersection = Intersection::new(&model, &line);
        let Intersection::Interval(enter, exit) = &intersection else {
            // Nothing anywhere: not at the origin, and at no sample.
            assert!(scan(body, &ray, &[]).is_none(), "{case}");
            missed += 1;
            continue;
        };
        let ends = [enter, exit].map(|end| end.as_ref().map(|end| t_of(end, &line, body.kind.dim())));
        let mut hints: Vec<Q> = ends.iter().flatten().cloned().collect();
        if let [Some(a), Some(b)] = &ends {
            hints.push((a + b) / q(2.0));
            // Far enough outside to bracket both ends.
            let wide = (b - a) + q(2f64.powi(-30)) * (Q::ONE + sq(a));
            hints.extend([a - &wide, b + &wide]);
        } else if let [end] = &hints[..] {
            let wide = Q::ONE + sq(end);
            hints = vec![end - &wide, end.clone(), end + &wide];
        }
        match scan(body, &ray, &hints) {
            Some((low, high)) => {
                for (end, found) in ends.iter().zip([low, high]) {
                    match (end, found) {
                        (Some(end), Some(found)) => assert!(near(end, &found), "{case}"),
                        (None, None) => {}
                        _ => panic!("endless or not? {case}"),
                    }
                }
                compared += 1;
                instances += usize::from(case.transform.is_some());
            }
            // A point of contact at an irrational t holds no sample.
            None => assert!(matches!(&ends, [Some(a), Some(b)] if near(a, b)), "{case}"),
        }
    }
    let counts = format!("{compared} compared, {missed} missed, {instances} instances");
    assert!(compared - instances > 200 && missed > 20 && instances > 200, "{counts}");
}

/// Parameter of the crossing with a surface, from heights alone, and whether it lies within the outline, by areas and
/// distances.
fn crossing(body: &Body, (o, d): &Ray) -> Option<(Q, bool)> {
    let cross = |a: &P, b: &P| -> P {
        std::array::from_fn(|i| &a[(i + 1) % 3] * &b[(i + 2) % 3] - &a[(i + 2) % 3] * &b[(i + 1) % 3])
    };
    let at = |i| point(body.vector(i));
    let normal = match body.kind {
        Kind::Triangle => cross(&sub(&at(1), &at(0)), &sub(&at(2), &at(0))),
        Kind::Quad => cross(&at(1), &at(2)),
        Kind::Segment => {
            let e = sub(&at(1), &at(0));
            [e[1].clone(), -&e[0], Q::ZERO]
        }
        _ => at(1),
    };
    let (from, slope) = (dot(&normal, &sub(o, &at(0))), dot(&normal, d));
    if slope == Q::ZERO {
        return None;
    }
    let t = -from / &slope;
    let p: P = std::array::from_fn(|i| &o[i] + &d[i] * &t);
    let inside = match body.kind {
        Kind::Disk => {
            let w = sub(&p, &at(0));
            dot(&w, &w) <= sq(&q(body.number(2)))
        }
        Kind::Segment => dot(&sub(&p, &at(0)), &sub(&p, &at(1))) <= Q::ZERO,
        Kind::Quad => {
            // The parts that the point cuts off along each edge.
            let w = sub(&p, &at(0));
            let all = dot(&normal, &normal);
            [dot(&cross(&w, &at(2)), &normal), dot(&cross(&at(1), &w), &normal)]
                .iter()
                .all(|part| *part >= Q::ZERO && *part <= all)
        }
        Kind::Triangle => {
            // The three parts that the point cuts the triangle into all lie the same way round as the whole.
            let corners = [at(0), at(1), at(2)];
            (0..3).all(|i| {
                let (a, b) = (sub(&corners[i], &p), sub(&corners[(i + 1) % 3], &p));
                dot(&cross(&a, &b), &normal) >= Q::ZERO
            })
        }
        _ => true,
    };
    inside.then_some((t, slope < Q::ZERO))
}

#[test]
fn crossings_of_surfaces() {
    let mut rng = Rng::for_stream(4, 0);
    let (mut hit, mut missed, mut instances) = (0, 0, 0);
    for case in cases(false, 12, &mut rng) {
        let placed = case.instance();
        let line = Instance::line(&case.given, std::slice::from_ref(&placed));
        let model = placed.model(&line);
        match (Intersection::new(&model, &line), crossing(&case.body, &local(&case))) {
            (Intersection::None, None) => missed += 1,
            (Intersection::Crossing(bound, front), Some((t, from_front))) => {
                assert_eq!(front, from_front, "{case}");
                let got = t_of(&bound, &line, case.body.kind.dim());
                assert!(sq(&(&got - &t)) <= sq(&t) * q(2f64.powi(-500)), "{case}");
                hit += 1;
                instances += usize::from(case.transform.is_some());
            }
            (_, other) => panic!("{case}: {other:?}"),
        }
    }
    let counts = format!("{hit} hit, {missed} missed, {instances} instances");
    assert!(hit - instances > 300 && missed > 300 && instances > 300, "{counts}");
}
