//! Every case of `testdata/` through the program: each as a scene file, in both precisions, with every query. One case of
//! each file goes through the real process, all others through the same code in this one.

use crate::support::Folder;
use hitscan_cli::{Console, run};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use toml::{Table, Value};

/// `f32` or `f64`, with its unit in the last place at 1.
#[derive(Clone, Copy)]
struct Precision {
    name: &'static str,
    epsilon: f64,
    least: f64,
}

const F32: Precision = Precision { name: "f32", epsilon: f32::EPSILON as f64, least: f32::MIN_POSITIVE as f64 };
const F64: Precision = Precision { name: "f64", epsilon: f64::EPSILON, least: f64::MIN_POSITIVE };

impl Precision {
    /// One unit in the last place of a number.
    fn ulp(self, x: f64) -> f64 {
        // The power of two below it: its bits without the fraction.
        let power = f64::from_bits(x.abs().to_bits() & !((1 << 52) - 1));
        power.max(self.least) * self.epsilon
    }
}

/// A number, or its digits in a string.
fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(i) => *i as f64,
        Value::Float(x) => *x,
        Value::String(digits) => digits.parse().unwrap(),
        other => panic!("{other} is no number"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// A case, where it is, and what it is called in messages.
struct Case<'a> {
    case: &'a Table,
    label: String,
    is_flat: bool,
}

impl Case<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.case.get(key)
    }

    fn precisions(&self) -> &'static [Precision] {
        if self.get("precision").is_some() { &[F64] } else { &[F32, F64] }
    }

    fn scene(&self) -> String {
        let mut scene = Table::new();
        if self.is_flat {
            scene.insert("dimension".into(), Value::Integer(2));
        }
        scene.insert("shape".into(), Value::Array(vec![self.case["shape"].clone()]));
        scene.to_string()
    }

    /// The numbers of the ray.
    fn ray(&self) -> Vec<f64> {
        let (ray, keys) = match self.get("ray") {
            Some(ray) => (ray, ["origin", "direction"]),
            None => (&self.case["segment"], ["a", "b"]),
        };
        keys.iter().flat_map(|key| numbers(&ray[*key])).collect()
    }

    /// The flags of the case.
    fn arguments(&self) -> Vec<String> {
        let flag = if self.get("ray").is_some() { "--ray" } else { "--segment" };
        let ray: Vec<String> = self.ray().iter().map(f64::to_string).collect();
        let mut arguments = vec![flag.to_owned(), ray.join(",")];
        for (key, flag) in [("t_min", "--t-min"), ("t_max", "--t-max")] {
            arguments.extend(self.get(key).into_iter().flat_map(|t| [flag.to_owned(), number(t).to_string()]));
        }
        for key in ["origin", "faces"] {
            let value = self.get(key).map(|value| value.as_str().unwrap().to_owned());
            arguments.extend(value.into_iter().flat_map(|value| [format!("--{key}"), value]));
        }
        arguments
    }

    /// One unit of `t`, but two for what is flat: a plane may be seen almost edge-on.
    fn ulps(&self) -> f64 {
        let kind = self.case["shape"]["type"].as_str().unwrap();
        if ["plane", "half_space", "line", "half_plane"].contains(&kind) { 2.0 } else { 1.0 }
    }

    fn check_t(&self, precision: Precision, what: &str, row: &Json, expected: f64) {
        // JSON has the shortest digits of the precision.
        let t = row["t"].as_f64().unwrap();
        let t = if precision.name == "f32" { f64::from(t as f32) } else { t };
        let slack = self.ulps() * precision.ulp(expected);
        assert!((t - expected).abs() <= slack, "{}: {what}: t {t}, expected {expected}", self.label);
    }

    fn check_first(&self, precision: Precision, rows: &[Json]) {
        let label = format!("{} ({})", self.label, precision.name);
        let first = &self.case["first"];
        assert_eq!(rows.len(), 1, "{label}");
        let row = &rows[0];
        if first.as_str() == Some("miss") {
            assert!(row["hit"] == false && row["hit_index"].is_null() && row["t"].is_null(), "{label}: {row}");
            return;
        }
        assert!(row["hit"] == true && row["hit_index"] == 0, "{label}: {row}");
        self.check_t(precision, "first", row, number(&first["t"]));
        assert_eq!(row["front"], first["side"].as_str() == Some("front"), "{label}: {row}");
        let close = |names: [&str; 3], key: &str, scale: f64| {
            let Some(expected) = first.get(key) else { return };
            for (name, expected) in names.iter().zip(numbers(expected)) {
                let got = row[*name].as_f64().unwrap_or_else(|| panic!("{label}: {name} in {row}"));
                assert!(
                    (got - expected).abs() <= 4.0 * precision.epsilon * scale,
                    "{label}: {name} = {got}, expected {expected}"
                );
            }
        };
        let size = numbers(&first["point"]).iter().fold(precision.least, |size, x| size.max(x.abs()));
        close(["px", "py", "pz"], "point", size);
        close(["nx", "ny", "nz"], "normal", 1.0);
    }

    fn check_all(&self, precision: Precision, rows: &[Json]) {
        let expected = numbers(&self.case["all"]);
        assert_eq!(rows.len(), expected.len(), "{} ({}): {rows:?}", self.label, precision.name);
        for (row, t) in rows.iter().zip(expected) {
            self.check_t(precision, "all", row, t);
        }
    }

    fn check_spans(&self, precision: Precision, rows: &[Json]) {
        let Some(span) = self.get("span") else {
            assert_eq!(rows.len(), 0, "{} ({}): a surface has no spans", self.label, precision.name);
            return;
        };
        // An end at infinity, or beyond the range, is no row.
        let (names, expected): (Vec<&str>, Vec<f64>) =
            ["enter", "exit"].into_iter().zip(numbers(span)).filter(|(_, t)| t.is_finite()).unzip();
        let label = format!("{} ({})", self.label, precision.name);
        let ends: Vec<&str> = rows.iter().map(|row| row["end"].as_str().unwrap()).collect();
        assert_eq!(ends, names, "{label}: {rows:?}");
        for (row, t) in rows.iter().zip(expected) {
            self.check_t(precision, "span", row, t);
        }
    }
}

/// Runs a command line: its exit code, its rows, standard error.
type Runner<'a> = &'a dyn Fn(&[String]) -> (u8, Vec<Json>, String);

/// Runs a case with every query; whether it could be (else its axes were refused, see `testdata/README.md`).
fn judge(case: &Case, scene: &Path, run: Runner) -> bool {
    for &precision in case.precisions() {
        for query in ["first", "all", "spans", "count", "any"] {
            let mut line = ["cast", &scene.to_string_lossy(), "--query", query, "--precision", precision.name]
                .map(str::to_owned)
                .to_vec();
            line.extend(case.arguments());
            let (code, rows, err) = run(&line);
            let label = format!("{} ({}, {query})", case.label, precision.name);
            if case.label.contains("tilted") && code == 1 && err.contains("axes") {
                return false;
            }
            if case.ray().iter().any(|x| !x.is_finite()) {
                assert!(code == 1 && err.contains("is not allowed in a ray"), "{label}: {code} {err}");
                assert_eq!(case.case["first"].as_str(), Some("miss"), "{label}");
                continue;
            }
            let is_zero = case.get("ray").is_some_and(|ray| numbers(&ray["direction"]).iter().all(|x| *x == 0.0));
            let is_point = case.get("segment").is_some_and(|segment| numbers(&segment["a"]) == numbers(&segment["b"]));
            assert_eq!((code, err.contains("direction of zero")), (0, is_zero || is_point), "{label}: {err}");
            match query {
                "first" => case.check_first(precision, &rows),
                "all" => case.check_all(precision, &rows),
                "spans" => case.check_spans(precision, &rows),
                "count" => assert_eq!(rows[0]["count"], numbers(&case.case["all"]).len(), "{label}"),
                _ => assert_eq!(rows[0]["hit"], case.case["first"].as_str() != Some("miss"), "{label}"),
            }
        }
    }
    true
}

fn rows(text: &[u8]) -> Vec<Json> {
    std::str::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The files of `testdata/`, each with whether it is of the plane.
fn files() -> Vec<(PathBuf, bool)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut files = Vec::new();
    for (folder, is_flat) in [(root.clone(), false), (root.join("2d"), true)] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            files.extend(path.extension().is_some_and(|e| e == "toml").then_some((path, is_flat)));
        }
    }
    files.sort();
    files
}

fn each_case(path: &Path, is_flat: bool, mut judge: impl FnMut(usize, &Case)) {
    let document: Table = fs::read_to_string(path).unwrap().parse().unwrap();
    for (number, case) in document["case"].as_array().unwrap().iter().enumerate() {
        let case = case.as_table().unwrap();
        let label = format!("{}: {}", path.file_name().unwrap().to_string_lossy(), case["name"].as_str().unwrap());
        judge(number, &Case { case, label, is_flat });
    }
}

/// Every case of one file in this process.
fn judge_file(folder: &Folder, path: &Path, is_flat: bool) -> (usize, usize) {
    let (mut judged, mut refused) = (0, 0);
    let stem = format!("{}-{is_flat}", path.file_stem().unwrap().to_string_lossy());
    each_case(path, is_flat, |number, case| {
        let scene = folder.file(&format!("{stem}-{number}.toml"), case.scene());
        let output = folder.path(&format!("{stem}.jsonl"));
        let here = |line: &[String]| {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let more = ["--threads", "1", "-o", &output.to_string_lossy()].map(str::to_owned);
            let words = ["hitscan".to_owned()].into_iter().chain(line.iter().cloned()).chain(more);
            let code = run(words, &mut Console::new(&mut out, &mut err));
            assert_eq!(out, b"");
            let rows = if code == 0 { rows(&fs::read(&output).unwrap()) } else { Vec::new() };
            (code, rows, String::from_utf8(err).unwrap())
        };
        if judge(case, &scene, &here) { judged += 1 } else { refused += 1 }
    });
    (judged, refused)
}

#[test]
fn every_case_of_testdata() {
    let (folder, files) = (Folder::new("cases"), files());
    assert_eq!(files.len(), 24);
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut judged, mut refused) = (0, 0);
        while let Some((path, is_flat)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (more, not) = judge_file(&folder, path, *is_flat);
            (judged, refused) = (judged + more, refused + not);
        }
        (judged, refused)
    };
    let (judged, refused) = std::thread::scope(|scope| {
        let helper = scope.spawn(work);
        let (own, other) = (work(), helper.join().unwrap());
        (own.0 + other.0, own.1 + other.1)
    });
    println!("{judged} cases through the program, {refused} refused for their axes");
    assert!(judged > 1100 && refused <= 8, "{judged} cases, {refused} refused");
}

#[test]
fn a_case_of_each_file_through_the_real_process() {
    let folder = Folder::new("case-process");
    for (path, is_flat) in files() {
        each_case(&path, is_flat, |number, case| {
            if number > 0 {
                return;
            }
            folder.file("scene.toml", case.scene());
            let process = |line: &[String]| {
                let result = folder.run(&format!("{} --format jsonl", line.join(" ")));
                (result.code as u8, rows(&result.out), result.err)
            };
            assert!(judge(case, Path::new("scene.toml"), &process), "{}", case.label);
        });
    }
}
