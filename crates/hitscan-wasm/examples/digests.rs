//! Digests of the native library's answers to the queries of `lab/test/engine.mjs`, which the module must answer with the
//! same bits: fields of a million rays, tens of thousands of casts, thousands of closest points, thick rays and overlaps, and every
//! case of `testdata/`. One JSON object per line.

use hitscan_wasm::Lab;
use same_bits::digest32;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use test_support::random::XorShift32;
use toml::{Table, Value};

type Failure = Box<dyn std::error::Error>;

/// Rays of a field, and rays that are cast one by one, of each scene.
const FIELD: usize = 333_334;
const CASTS: usize = 10_000;
/// Closest points and thick rays of each scene.
const NEAR: usize = 2_000;

fn main() -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["space", "plane", "mesh"] {
        println!("{}", scene(&root, name)?);
    }
    let mut files = toml_files(&root.join("testdata"))?;
    files.extend(toml_files(&root.join("testdata/2d"))?);
    files.sort();
    for file in files {
        let document: Table = fs::read_to_string(&file)?.parse()?;
        let is_flat = document.get("dimension").and_then(Value::as_integer) == Some(2);
        let cases = document.get("case").and_then(Value::as_array).ok_or("no cases")?;
        for case in cases {
            let case = case.as_table().ok_or("a case is a table")?;
            println!("{}", one(&file, is_flat, case)?);
        }
    }
    Ok(())
}

fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Failure>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect())
}

/// Rays through one of the scenes of `hitscan demo`.
fn scene(root: &Path, name: &str) -> Result<Json, Failure> {
    let path = root.join(format!("crates/hitscan-cli/src/demo/{name}.toml"));
    let toml = fs::read_to_string(path)?;
    let mut lab = Lab::default();
    let files = if toml.contains(KNOT) { vec![(KNOT, OCTAHEDRON)] } else { vec![] };
    for (name, text) in &files {
        lab.put(&[name.as_bytes(), text.as_bytes()].concat());
        lab.file(name.len(), text.len())?;
    }
    let handle = open(&mut lab, &toml)?;
    let is_flat = toml.contains("dimension = 2");
    let mut rays = Rays(XorShift32::new(0x9e37_79b9));
    let query = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f64::NAN, f64::NAN, 0.0, 0.0, f64::from(u32::MAX)];
    let mut numbers = query.to_vec();
    (0..FIELD).for_each(|i| numbers.extend(rays.next(i, is_flat)));
    put(&mut lab, &numbers);
    lab.answer(|lab| lab.field(handle, FIELD));
    let field = digest32(0, &lab.reply.numbers);
    let mut casts = 0;
    for i in 0..CASTS {
        let mut query = query;
        query[1..7].copy_from_slice(&rays.next(i, is_flat));
        query[0] = f64::from(u8::from(i % 3 == 0));
        query[9] = f64::from(u8::from(i % 5 == 0));
        put(&mut lab, &query);
        lab.answer(|lab| lab.cast(handle));
        casts = digest32(casts, &lab.reply.numbers);
    }
    let mut near = 0;
    for i in 0..NEAR {
        let mut query = query;
        query[1..7].copy_from_slice(&rays.next(i, is_flat));
        put(&mut lab, &[query[1], query[2], query[3], if i % 3 == 0 { 1.5 } else { f64::NAN }]);
        lab.answer(|lab| lab.closest(handle));
        near = digest_reply(near, &lab);
        put(&mut lab, &[&query[..], &[0.125 + (i % 8) as f64 / 8.0]].concat());
        lab.answer(|lab| lab.cast_sphere(handle));
        near = digest_reply(near, &lab);
    }
    let volumes = volumes(is_flat);
    for volume in &volumes {
        let volume = open(&mut lab, volume)?;
        lab.answer(|lab| lab.overlapping(handle, volume));
        near = digest_reply(near, &lab);
        lab.close(volume);
    }
    let files: serde_json::Map<_, _> = files.into_iter().map(|(name, text)| (name.to_owned(), json!(text))).collect();
    Ok(json!({ "scene": name, "toml": toml, "files": files, "flat": is_flat, "rays": FIELD, "field": field,
        "casts": CASTS, "cast": casts, "nears": NEAR, "volumes": volumes, "near": near }))
}

/// The digest of a reply, numbers and text.
fn digest_reply(start: u32, lab: &Lab) -> u32 {
    let text: Vec<f64> = lab.reply.text.bytes().map(f64::from).collect();
    digest32(digest32(start, &lab.reply.numbers), &text)
}

/// Volumes on a lattice, as scene files of one shape: balls, boxes and capsules.
fn volumes(is_flat: bool) -> Vec<String> {
    let (head, ball, cuboid) = if is_flat { ("dimension = 2\n", "circle", "rectangle") } else { ("", "sphere", "box") };
    let vector =
        |[x, y, z]: [f64; 3]| if is_flat { format!("[{x:?}, {y:?}]") } else { format!("[{x:?}, {y:?}, {z:?}]") };
    let mut volumes = Vec::new();
    for i in 0..60 {
        let [x, y, z] = [i % 5, i / 5 % 4, i / 20].map(|k: i32| f64::from(2 * k) - 4.0);
        let (at, end) = (vector([x, y, z]), vector([x + 0.5, y, z - 0.5]));
        let shape = match i % 3 {
            0 => format!("type = \"{ball}\"\ncenter = {at}\nradius = 1.25"),
            1 => format!("type = \"{cuboid}\"\ncenter = {at}\nhalf_extents = {}", vector([1.5, 0.5, 0.75])),
            _ => format!("type = \"capsule\"\na = {at}\nb = {end}\nradius = 0.75"),
        };
        volumes.push(format!("{head}[[shape]]\n{shape}\n"));
    }
    volumes
}

/// A case of `testdata/`, in `f64`.
fn one(file: &Path, is_flat: bool, case: &Table) -> Result<Json, Failure> {
    let mut document = Table::new();
    if is_flat {
        document.insert("dimension".into(), Value::Integer(2));
    }
    document.insert("shape".into(), Value::Array(vec![case["shape"].clone()]));
    let toml = document.to_string();
    let (ray, keys, kind) = match case.get("ray") {
        Some(ray) => (ray, ["origin", "direction"], 0.0),
        None => (&case["segment"], ["a", "b"], 1.0),
    };
    let mut query = vec![kind];
    for key in keys {
        let mut point = ray[key].as_array().ok_or("a point is a list")?.iter().map(number).collect::<Vec<_>>();
        point.resize(3, 0.0);
        query.extend(point);
    }
    query.extend(["t_min", "t_max"].map(|key| case.get(key).map_or(f64::NAN, number)));
    let word = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
    query.push(f64::from(u8::from(word("origin") == "hollow")));
    query.push(match word("faces") {
        "front" => 1.0,
        "back" => 2.0,
        _ => 0.0,
    });
    query.push(f64::from(u32::MAX));
    let label = format!("{}: {}", file.file_name().unwrap_or_default().display(), case["name"]);
    let bits: String = query.iter().map(|x| format!("{:016x}", x.to_bits())).collect();
    let mut lab = Lab::default();
    // Axes that are not unit vectors to the last bit are refused at the door: the same message is expected.
    let handle = match open(&mut lab, &toml) {
        Ok(handle) => handle,
        Err(_) => return Ok(json!({ "case": label, "toml": toml, "error": lab.reply.text })),
    };
    put(&mut lab, &query);
    lab.answer(|lab| lab.cast(handle));
    let cast = digest32(0, &lab.reply.numbers);
    put(&mut lab, &query);
    lab.answer(|lab| lab.explain(handle, 1));
    Ok(json!({ "case": label, "toml": toml, "query": bits, "cast": cast, "explain": digest32(0, &lab.reply.numbers),
        "text": lab.reply.text }))
}

/// A number, or its digits in a string.
fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(i) => *i as f64,
        Value::Float(x) => *x,
        other => other.as_str().and_then(|digits| digits.parse().ok()).unwrap_or(f64::NAN),
    }
}

fn open(lab: &mut Lab, toml: &str) -> Result<u32, Failure> {
    let name = "scene.toml";
    lab.put(&[name.as_bytes(), toml.as_bytes()].concat());
    let handle = lab.answer(|lab| lab.open(name.len(), toml.len()));
    u32::try_from(handle).map_err(|_| lab.reply.text.clone().into())
}

fn put(lab: &mut Lab, numbers: &[f64]) {
    lab.put(&numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
}

/// Rays that are the same in JavaScript: most of them ordinary, every eighth on a lattice, where ties are.
struct Rays(XorShift32);

impl Rays {
    fn next(&mut self, i: usize, is_flat: bool) -> [f64; 6] {
        let mut ray = [0.0; 6];
        for (at, x) in ray.iter_mut().enumerate() {
            let size = if at < 3 { 8.0 } else { 2.0 };
            let unit = self.0.unit();
            *x = size * if i.is_multiple_of(8) { (unit * 9.0).floor() / 4.0 - 1.0 } else { unit * 2.0 - 1.0 };
        }
        if is_flat {
            (ray[2], ray[5]) = (0.0, 0.0);
        }
        ray
    }
}

/// The scene's name of its mesh.
const KNOT: &str = "hitscan-demo-knot.obj";
/// The mesh in place of the one that `hitscan demo` writes.
const OCTAHEDRON: &str = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\n\
    f 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
