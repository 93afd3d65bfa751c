//! Every case of `testdata/` against the shape by itself and against scenes, in both precisions.
//!
//! The contract (design, section 3): decisions are exact; `t` within 1 ulp (2 for planes and what they bound), normals
//! within 2 ulp of 1 per component, points within 4 ulp of the largest coordinate.

use crate::case::{Case, File, First, files};
use crate::decimal::Decimal;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Accelerator, Basis, Hit, Object, Query, RayCast, RayLike, Scene, SceneBuilder, Shape};
use hitscan::{Real, Vector};
use hitscan_io::{SceneVector, shape_from_table};

/// The results of a file in a precision.
#[derive(Default)]
struct Tally {
    cases: usize,
    skipped: usize,
    failed: usize,
    /// In units of the last place: `t`, normals, points.
    worst: [f64; 3],
    failures: Vec<String>,
}

/// Failures of a case, and its worst errors.
struct Judge<'a> {
    case: &'a Case,
    t_limit: f64,
    wrong: Vec<String>,
    worst: [f64; 3],
}

const LAYER: u32 = 1 << 3;
const DECOYS: u32 = 1 << 5;

impl Judge<'_> {
    fn check(&mut self, ok: bool, what: impl FnOnce() -> String) {
        if !ok {
            self.wrong.push(what());
        }
    }

    fn t<S: Real>(&mut self, what: &str, got: S, exact: Decimal) {
        let near = S::from_f64(exact.hi);
        let (up, down) = (near.next_up().to_f64() - near.to_f64(), near.to_f64() - near.next_down().to_f64());
        let ulps = match exact.hi {
            0.0 if got != near => f64::INFINITY,
            x if x.is_infinite() && got == near => 0.0,
            _ => exact.error(got.to_f64()) / up.min(down),
        };
        self.worst[0] = self.worst[0].max(ulps);
        let limit = self.t_limit;
        self.check(ulps <= limit, || format!("{what}: t = {got}, not {}: {ulps:.1} ulp", exact.hi));
    }

    fn first<V: Vector>(&mut self, hit: &Hit<V>, exact: &First) {
        self.t("first", hit.t, exact.t);
        let epsilon = V::Scalar::EPSILON.to_f64();
        let largest = exact.point.iter().map(|x| x.hi.abs()).fold(self.case.magnitude(), f64::max);
        for i in 0..V::DIM {
            let ulps = exact.point[i].error(hit.point.component(i).to_f64()) / (epsilon * largest);
            // 0 / 0: everything is at the origin.
            let ulps = if ulps.is_nan() { 0.0 } else { ulps };
            self.worst[2] = self.worst[2].max(ulps);
            self.check(ulps <= 4.0, || format!("point {:?}: component {i} is {ulps:.1} ulp off", hit.point));
        }
        for (i, exact) in exact.normal.iter().flatten().enumerate() {
            let ulps = exact.error(hit.normal.component(i).to_f64()) / epsilon;
            self.worst[1] = self.worst[1].max(ulps);
            self.check(ulps <= 2.0, || format!("normal {:?}: component {i} is {ulps:.1} ulp off", hit.normal));
        }
        self.check(hit.side == exact.side, || format!("side {:?}, not {:?}", hit.side, exact.side));
    }

    /// A shape by itself.
    fn shape<V: Vector>(&mut self, shape: &impl Shape<V>, ray: &impl RayLike<V>, query: Query<V::Scalar>) {
        let case = self.case;
        let first = shape.cast_ray(ray, query);
        match (&first, &case.first) {
            (Some(hit), Some(exact)) => self.first(hit, exact),
            (None, None) => {}
            (got, _) => {
                self.check(false, || format!("first: {}", if got.is_some() { "hit, not a miss" } else { "missed" }));
            }
        }
        let all = shape.cast_ray_all(ray, query);
        let t: Vec<_> = all.iter().map(|hit| hit.t).collect();
        self.check(t.len() == case.all.len(), || format!("all: {t:?}, not {:?}", hi(&case.all)));
        for (i, (t, exact)) in t.iter().zip(&case.all).enumerate() {
            self.t(&format!("all[{i}]"), *t, *exact);
        }
        self.check(all.first() == first.as_ref(), || format!("cast_ray {first:?}, but cast_ray_all {:?}", all.first()));
        self.check(shape.intersects_ray(ray, query) == first.is_some(), || "intersects_ray differs".into());
        self.check(shape.count_hits(ray, query) == all.len(), || "count_hits differs".into());
        let inside = shape.contains(case.start());
        self.check(inside == case.inside.unwrap_or(false), || format!("contains says {inside}"));
        let spans: Vec<_> = shape
            .spans(ray, query)
            .iter()
            .map(|span| (span.enter.map(|hit| hit.t), span.exit.map(|hit| hit.t)))
            .collect();
        match (&spans[..], &case.span[..]) {
            ([], []) => {}
            ([(enter, exit)], [exact_enter, exact_exit]) => {
                match enter {
                    Some(enter) if exact_enter.hi.is_finite() => self.t("span enters", *enter, *exact_enter),
                    enter => self.check(enter.is_none() && exact_enter.hi == f64::NEG_INFINITY, || {
                        format!("span enters at {enter:?}, not {}", exact_enter.hi)
                    }),
                }
                match exit {
                    Some(exit) if exact_exit.hi.is_finite() => self.t("span exits", *exit, *exact_exit),
                    exit => self.check(exit.is_none() && exact_exit.hi == f64::INFINITY, || {
                        format!("span exits at {exit:?}, not {}", exact_exit.hi)
                    }),
                }
            }
            _ => self.check(false, || format!("span {spans:?}, not {:?}", hi(&case.span))),
        }
    }

    /// A scene that holds the shape among others must say what the shape says, bit for bit.
    fn scene<V: SceneVector>(&mut self, object: &Object<V>, ray: &impl RayLike<V>, query: Query<V::Scalar>) {
        let shape = object.shape();
        for accelerator in [Accelerator::Bvh, Accelerator::LinearScan] {
            let (scene, id) = among_decoys(object, accelerator);
            let query = query.layers(LAYER);
            let own = |mut hit: Hit<V>| {
                hit.object = Some(id);
                hit
            };
            let first = scene.cast_ray(ray, query);
            let expected = shape.cast_ray(ray, query).map(own);
            self.check(first == expected, || {
                format!("scene {accelerator:?}: cast_ray {first:?}, but shape {expected:?}")
            });
            let all = scene.cast_ray_all(ray, query);
            let same = all.iter().copied().eq(shape.cast_ray_all(ray, query).into_iter().map(own));
            self.check(same, || format!("scene {accelerator:?}: cast_ray_all differs: {all:?}"));
            let count = scene.count_hits(ray, query);
            self.check(count == all.len(), || format!("scene {accelerator:?}: count_hits {count}"));
            let any = scene.intersects_ray(ray, query);
            self.check(any == first.is_some(), || format!("scene {accelerator:?}: intersects_ray {any}"));
            let starts = |spans: hitscan::Spans<V>| {
                spans.iter().map(|s| (s.enter.map(|e| e.t), s.exit.map(|e| e.t))).collect::<Vec<_>>()
            };
            let (spans, expected) = (starts(scene.spans(ray, query)), starts(shape.spans(ray, query)));
            self.check(spans == expected, || format!("scene {accelerator:?}: spans {spans:?}, but shape {expected:?}"));
            // No layers in `contains`: without the decoys.
            let mut alone = SceneBuilder::new();
            alone.insert(object.clone()).unwrap();
            let inside = alone.build_with(accelerator).contains(self.case.start());
            self.check(inside == shape.contains(self.case.start()), || {
                format!("scene {accelerator:?}: contains {inside}")
            });
        }
    }
}

fn hi(numbers: &[Decimal]) -> Vec<f64> {
    numbers.iter().map(|x| x.hi).collect()
}

/// Shapes on another layer before, around and behind the object.
fn among_decoys<V: SceneVector>(object: &Object<V>, accelerator: Accelerator) -> (Scene<V>, hitscan::ObjectId) {
    let mut builder = SceneBuilder::new();
    let mut decoy = |x: f64, y: f64, radius: f64| {
        let list = if V::DIM == 2 { vec![x, y] } else { vec![x, y, 0.25] };
        let kind = if V::DIM == 2 { "circle" } else { "sphere" };
        let mut table = toml::Table::new();
        table.insert("type".into(), kind.into());
        table.insert("center".into(), list.into());
        table.insert("radius".into(), radius.into());
        let shape = shape_from_table::<V>("decoy".as_ref(), &table).unwrap();
        builder.insert(Object::new(shape).on_layers(DECOYS)).unwrap()
    };
    for i in 0..7 {
        decoy(f64::from(i) * 1.5 - 5.0, f64::from(i % 3) - 1.0, 0.75);
    }
    decoy(0.0, 0.0, 100.0);
    let id = builder.insert(object.clone()).unwrap();
    let unbounded = if V::DIM == 2 {
        "type='half_plane'\npoint=[0,0]\nnormal=[1,2]"
    } else {
        "type='plane'\npoint=[0,0,0]\nnormal=[1,2,3]"
    };
    let shape = shape_from_table::<V>("decoy".as_ref(), &unbounded.parse().unwrap()).unwrap();
    builder.insert(Object::new(shape).on_layers(DECOYS)).unwrap();
    (builder.build_with(accelerator), id)
}

/// Axes that are a unit in this precision, or none.
fn axes_hold<V: Vector>(shape: &toml::Table) -> bool {
    let Some(axes) = shape.get("axes") else { return true };
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|i| i as f64)).unwrap();
    let axis = |axis: &toml::Value| {
        let mut xyz = [V::Scalar::ZERO; 3];
        xyz.iter_mut().zip(axis.as_array().unwrap()).for_each(|(to, from)| *to = V::Scalar::from_f64(number(from)));
        V::from_xyz(xyz)
    };
    Basis::new(axes.as_array().unwrap().iter().map(axis).collect::<Vec<_>>()).is_ok()
}

fn run<V: SceneVector>(file: &File, narrow: bool) -> Tally {
    let mut tally = Tally::default();
    let plane = ["plane", "half_space", "2d/line", "2d/half_plane"].contains(&&*file.name);
    for case in file.cases.iter().filter(|case| case.f32 || !narrow) {
        if !axes_hold::<V>(&case.shape) {
            tally.skipped += 1;
            continue;
        }
        tally.cases += 1;
        let mut judge = Judge { case, t_limit: if plane { 2.0 } else { 1.0 }, wrong: vec![], worst: [0.0; 3] };
        match shape_from_table::<V>(&file.path, &case.shape) {
            Ok(shape) => {
                let object = Object::<V>::new(shape).on_layers(LAYER);
                if case.is_segment {
                    judge.shape(object.shape(), &case.segment(), case.query());
                    judge.scene(&object, &case.segment(), case.query());
                } else {
                    judge.shape(object.shape(), &case.ray(), case.query());
                    judge.scene(&object, &case.ray(), case.query());
                }
            }
            Err(error) => judge.wrong.push(error.to_string()),
        }
        tally.worst.iter_mut().zip(judge.worst).for_each(|(most, new)| *most = most.max(new));
        if !judge.wrong.is_empty() {
            tally.failed += 1;
            tally.failures.push(format!("'{}': {}", case.name, judge.wrong.join("; ")));
        }
    }
    tally
}

#[test]
fn exact_answers() {
    // Of each file; the whole list with HITSCAN_ALL_FAILURES=1.
    let shown = if std::env::var_os("HITSCAN_ALL_FAILURES").is_some() { usize::MAX } else { 5 };
    let files = files();
    assert!(files.len() >= 21, "testdata is not there: {} files", files.len());
    println!(
        "{:<16} {:>9} {:>6} {:>7} {:>6} {:>8} {:>8} {:>8}",
        "shape", "precision", "cases", "skipped", "failed", "t ulp", "normal", "point"
    );
    let (mut failed, mut list) = (0, String::new());
    for file in &files {
        for narrow in [true, false] {
            let tally = match (file.flat, narrow) {
                (true, true) => run::<Vec2>(file, narrow),
                (true, false) => run::<DVec2>(file, narrow),
                (false, true) => run::<Vec3>(file, narrow),
                (false, false) => run::<DVec3>(file, narrow),
            };
            let (name, precision) = (&file.name, if narrow { "f32" } else { "f64" });
            let [t, normal, point] = tally.worst;
            println!(
                "{name:<16} {precision:>9} {:>6} {:>7} {:>6} {t:>8.2} {normal:>8.2} {point:>8.2}",
                tally.cases, tally.skipped, tally.failed
            );
            failed += tally.failed;
            tally.failures.iter().take(shown).for_each(|failure| list += &format!("{name} {precision} {failure}\n"));
        }
    }
    assert!(failed == 0, "{failed} cases fail:\n{list}");
}
