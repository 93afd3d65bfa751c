//! Conformance of the kernels to exact answers from 640-bit arithmetic, one file per shape and precision: always the
//! selection in `testdata/conformance`, and all 32,400 cases (`../shared/conformance`) if the machine has them.
//!
//! Contract: no wrong decision, `t` within 1 ulp (half-space 2), normals within 1e-6 rad for `f32` and 1e-14 for `f64`
//! if the row judges a normal.

use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hit, Inside, Query, Ray, RayCast, Shape, Sphere, Triangle,
};
use hitscan::{Real, Vector};
use std::collections::BTreeMap;
use std::path::Path;

/// Row: a case and its expected answers.
struct Row {
    family: String,
    numbers: BTreeMap<String, f64>,
}

fn rows(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let mut cells = line.split(',');
            let family = cells.next().unwrap().to_string();
            let numbers = names[1..].iter().zip(cells).map(|(n, c)| (n.to_string(), c.parse().unwrap())).collect();
            Row { family, numbers }
        })
        .collect()
}

#[derive(Default)]
struct Tally {
    cases: usize,
    wrong: usize,
    worst_t: f64,
    worst_normal: f64,
    first: Option<String>,
}

/// Distance in units of the last place of the exact value `hi + lo`.
fn ulps<S: Real>(t: S, hi: f64, lo: f64) -> f64 {
    let near = S::from_f64(hi);
    let (up, down) = (near.next_up().to_f64() - near.to_f64(), near.to_f64() - near.next_down().to_f64());
    if near.to_f64() == 0.0 {
        return if t.to_f64() == 0.0 { 0.0 } else { f64::INFINITY };
    }
    ((t.to_f64() - hi) - lo).abs() / up.min(down)
}

fn judge<V: Vector, K: Shape<V>>(shape: &K, row: &Row, surface: bool, tally: &mut BTreeMap<String, Tally>) {
    let n = |name: &str| row.numbers[name];
    let v = |x: &str, y: &str, z: &str| V::from_xyz([n(x), n(y), n(z)].map(V::Scalar::from_f64));
    let ray = Ray::new(v("ox", "oy", "oz"), v("dx", "dy", "dz"));
    let t = tally.entry(row.family.clone()).or_default();
    t.cases += 1;
    let mut wrong = |what: String| {
        t.wrong += 1;
        t.first.get_or_insert(format!("{what} for {:?}", row.numbers));
    };
    let solid: Option<Hit<V>> = shape.cast_ray(&ray, ..);
    let hollow = shape.cast_ray(&ray, Query::from(..).inside(Inside::Hollow));
    let mut worst: f64 = 0.0;
    for (name, hit) in [("solid", &solid), ("hollow", &hollow)] {
        let expected = n(&format!("hit_{name}")) == 1.0;
        match hit {
            _ if hit.is_some() != expected => wrong(format!("{name}: hit {} expected {expected}", hit.is_some())),
            Some(hit) => worst = worst.max(ulps(hit.t, n(&format!("t_{name}")), n(&format!("t_{name}_lo")))),
            None => {}
        }
    }
    if !surface && shape.contains(ray.origin) != (n("inside") == 1.0) {
        wrong(format!("inside, expected {}", n("inside")));
    }
    if shape.intersects_ray(&ray, ..) != solid.is_some() {
        wrong("intersects_ray differs".into());
    }
    t.worst_t = t.worst_t.max(worst);
    let expected = [n("nx"), n("ny"), n("nz")];
    if let Some(hit) = &solid
        && n("inside") == 0.0
        && n("near_edge") == 0.0
        && expected != [0.0; 3]
    {
        let got = hit.normal.to_xyz().map(Real::to_f64);
        let length = expected.iter().map(|x| x * x).sum::<f64>().sqrt();
        let dot: f64 = got.iter().zip(expected).map(|(a, b)| a * b).sum();
        let sign = if surface && dot < 0.0 { -1.0 } else { 1.0 };
        let error = got.iter().zip(expected).map(|(a, b)| (sign * a - b / length).powi(2)).sum::<f64>().sqrt();
        t.worst_normal = t.worst_normal.max(error);
    }
}

fn run<V: Vector>(file: &str, text: &str) -> BTreeMap<String, Tally> {
    let mut tally = BTreeMap::new();
    let shape = file.split('_').next().unwrap();
    for row in &rows(text) {
        let p: Vec<V::Scalar> =
            (0..9).map_while(|i| row.numbers.get(&format!("p{i}"))).map(|&x| V::Scalar::from_f64(x)).collect();
        let zero = V::Scalar::ZERO;
        let at = |x, y, z| V::from_xyz([x, y, z]);
        let origin = V::splat(zero);
        match shape {
            "circle" | "sphere" => judge(&Sphere::new(origin, p[0]).unwrap(), row, false, &mut tally),
            "halfspace" => judge(&HalfSpace::new(origin, at(p[0], p[1], p[2])).unwrap(), row, false, &mut tally),
            "cuboid" => judge(&Cuboid::new(origin, at(p[0], p[1], p[2])).unwrap(), row, false, &mut tally),
            "ellipsoid" => judge(&Ellipsoid::new(origin, at(p[0], p[1], p[2])).unwrap(), row, false, &mut tally),
            "capsule" => {
                judge(
                    &Capsule::new(at(zero, -p[0], zero), at(zero, p[0], zero), p[1]).unwrap(),
                    row,
                    false,
                    &mut tally,
                );
            }
            _ => unreachable!("{file}"),
        }
    }
    tally
}

/// Shapes that exist in 3D only.
fn run3<V: hitscan::Vector3>(file: &str, text: &str) -> BTreeMap<String, Tally> {
    let shape = file.split('_').next().unwrap();
    if !["cylinder", "cone", "triangle"].contains(&shape) {
        return run::<V>(file, text);
    }
    let mut tally = BTreeMap::new();
    for row in &rows(text) {
        let p: Vec<V::Scalar> =
            (0..9).map_while(|i| row.numbers.get(&format!("p{i}"))).map(|&x| V::Scalar::from_f64(x)).collect();
        let zero = V::Scalar::ZERO;
        let at = |x, y, z| V::from_xyz([x, y, z]);
        match shape {
            "cylinder" => {
                let solid = Cylinder::new(at(zero, -p[0], zero), at(zero, p[0], zero), p[1]).unwrap();
                judge(&solid, row, false, &mut tally);
            }
            "cone" => {
                let solid = Cone::new(at(zero, -p[0], zero), at(zero, p[0], zero), p[1]).unwrap();
                judge(&solid, row, false, &mut tally);
            }
            _ => {
                let surface = Triangle::new(at(p[0], p[1], p[2]), at(p[3], p[4], p[5]), at(p[6], p[7], p[8])).unwrap();
                judge(&surface, row, true, &mut tally);
            }
        }
    }
    tally
}

/// Selection in the repository: the hardest cases of every shape, precision and family.
#[test]
fn selected_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/conformance");
    check(&folder, std::fs::read_dir(&folder).expect("testdata/conformance is part of the repository"));
}

/// All cases, if the machine has them.
#[test]
fn exact_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    match std::fs::read_dir(&folder) {
        Ok(entries) => check(&folder, entries),
        Err(_) => println!("skipped: conformance::exact_answers ({} is not there)", folder.display()),
    }
}

fn check(folder: &Path, entries: std::fs::ReadDir) {
    let mut files: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    files.retain(|f| f.ends_with(".csv"));
    files.sort();
    assert_eq!(files.len(), 18);
    let mut failures = vec![];
    println!("{:<16} {:>6} {:>6} {:>9} {:>12}", "file", "cases", "wrong", "t in ulp", "normal, rad");
    for file in &files {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let flat = file.starts_with("circle");
        let tally = match (flat, file.ends_with("f32.csv")) {
            (true, true) => run::<Vec2>(file, &text),
            (true, false) => run::<DVec2>(file, &text),
            (false, true) => run3::<Vec3>(file, &text),
            (false, false) => run3::<DVec3>(file, &text),
        };
        let worst_t = tally.values().map(|t| t.worst_t).fold(0.0, f64::max);
        let worst_normal = tally.values().map(|t| t.worst_normal).fold(0.0, f64::max);
        let cases: usize = tally.values().map(|t| t.cases).sum();
        let wrong: usize = tally.values().map(|t| t.wrong).sum();
        println!("{:<16} {cases:>6} {wrong:>6} {worst_t:>9.3} {worst_normal:>12.2e}", file.trim_end_matches(".csv"));
        let t_limit = if file.starts_with("halfspace") { 2.0 } else { 1.0 };
        let normal_limit = if file.ends_with("f32.csv") { 1e-6 } else { 1e-14 };
        for (family, t) in &tally {
            if t.wrong > 0 || !(t.worst_t <= t_limit) || !(t.worst_normal <= normal_limit) {
                failures.push(format!(
                    "{file} {family}: {} wrong of {}, t {} ulp, normal {} rad; first: {:?}",
                    t.wrong, t.cases, t.worst_t, t.worst_normal, t.first
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
