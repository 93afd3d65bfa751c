//! The oracle against cases whose exact answers come from an independent computation in 640-bit arithmetic: the selection in
//! `testdata/conformance` always, all cases (`../shared/conformance` beside the checkout) where they are on the machine.

use hitscan_oracle::body::{Body, Kind};
use hitscan_oracle::implicit::ImplicitShape;
use hitscan_oracle::intersection::Intersection;
use hitscan_oracle::line::{Line, RayOrSegment};
use hitscan_oracle::number::{Dyadic, Precision};
use hitscan_oracle::rules::{Exact, Inside, PlainQuery, Range, hits};
use hitscan_oracle::values::Values;
use std::collections::HashMap;
use std::path::Path;

/// The shape of a row, in its local frame: axis along y, tip up.
fn body(shape: &str, n: &HashMap<&str, f64>) -> Body {
    let p = |i: usize| n[format!("p{i}").as_str()];
    let upright = |kind| Body { kind, numbers: vec![0.0, -p(0), 0.0, 0.0, p(0), 0.0, p(1)] };
    match shape {
        "sphere" => Body { kind: Kind::Sphere, numbers: vec![0.0, 0.0, 0.0, p(0)] },
        "circle" => Body { kind: Kind::Circle, numbers: vec![0.0, 0.0, p(0)] },
        "halfspace" => Body { kind: Kind::HalfSpace, numbers: vec![0.0, 0.0, 0.0, p(0), p(1), p(2)] },
        "cuboid" => Body { kind: Kind::Cuboid, numbers: vec![0.0, 0.0, 0.0, p(0), p(1), p(2)] },
        "triangle" => Body { kind: Kind::Triangle, numbers: (0..9).map(p).collect() },
        "cylinder" => upright(Kind::Cylinder),
        "capsule" => upright(Kind::Capsule),
        "cone" => upright(Kind::Cone),
        "ellipsoid" => {
            let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            Body { kind: Kind::Ellipsoid, numbers: [&[0.0, 0.0, 0.0, p(0), p(1), p(2)][..], &axes].concat() }
        }
        _ => panic!("{shape}: no such shape"),
    }
}

fn check(shape: &str, precision: Precision, n: &HashMap<&str, f64>) -> Result<(), String> {
    let body = body(shape, n);
    let v = |x, y, z| [n[x], n[y], if shape == "circle" { 0.0 } else { n[z] }];
    let given = RayOrSegment { origin: v("ox", "oy", "oz"), target: v("dx", "dy", "dz"), is_segment: false };
    let line = Line::new(&given, &[&body]);
    let model = ImplicitShape::new(&body, line.grid);
    if body.kind.is_solid() && model.contains(&line.o) != (n["inside"] == 1.0) {
        return Err("inside".into());
    }
    let intersection = Intersection::new(&model, &line);
    for (name, origin) in [("solid", Inside::Solid), ("hollow", Inside::Hollow)] {
        let query = PlainQuery { inside: origin, ..PlainQuery::default() };
        let range = Range::new(&query, false, precision.max(), line.scale);
        let found = hits(&intersection, &query, &range);
        if found.is_empty() == (n[format!("hit_{name}").as_str()] == 1.0) {
            return Err(format!("{name}: {} hits", found.len()));
        }
        let Some(first) = found.first() else { continue };
        let values = match first {
            Exact::Inside(s) => Values::at_start(s, &line),
            Exact::Front(bound) | Exact::Back(bound) => Values::at_bound(bound, &line, body.kind.dim()),
        };
        let [high, low] = ["", "_lo"].map(|end| Dyadic::from_f64(n[format!("t_{name}{end}").as_str()]));
        let off = values.t.minus(&high).minus(&low);
        // What two doubles can say.
        let room = high.magnitude().map_or(-1074, |top| top - 100).max(-1074);
        if off.magnitude().is_some_and(|size| size > room) {
            return Err(format!("{name}: t = {:e}", values.t.to_f64()));
        }
        let judged = name == "solid" && n["inside"] == 0.0 && n["near_edge"] == 0.0;
        let right = ["nx", "ny", "nz"].map(|x| n[x]);
        if judged && matches!(first, Exact::Front(_)) && body.kind.is_solid() && right != [0.0; 3] {
            let near = |normal: &[Dyadic; 3]| (0..3).all(|i| (normal[i].to_f64() - right[i]).abs() < 1e-14);
            if !values.normals.iter().any(near) {
                return Err(format!("normal {:?}", values.normals));
            }
        }
    }
    Ok(())
}

/// The selection in the repository.
#[test]
fn selected_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/conformance");
    let rows = check_all(std::fs::read_dir(&folder).expect("testdata/conformance is part of the repository"));
    assert!(rows > 900, "{rows} rows");
}

/// All cases, where they are on the machine.
#[test]
fn exact_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("SKIPPED: conformance::exact_answers, for there is no ../shared/conformance on this machine");
        return;
    };
    let rows = check_all(files);
    assert!(rows > 30_000, "{rows} rows");
}

/// Checks every row of a folder and gives their number.
fn check_all(files: std::fs::ReadDir) -> usize {
    let (mut rows, mut wrong) = (0, Vec::new());
    for path in files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "csv")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (shape, precision) = name.split_once('_').unwrap();
        let precision = Precision::named(precision).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        for line in lines {
            let cells = line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN));
            let numbers: HashMap<&str, f64> = names.iter().copied().zip(cells).collect();
            rows += 1;
            if let Err(what) = check(shape, precision, &numbers) {
                wrong.push(format!("{name}: {what}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    rows
}
