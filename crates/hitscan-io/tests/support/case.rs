//! The cases of `testdata/`, as its README describes them.

use super::decimal::Decimal;
use hitscan::{Faces, Inside, Query, Ray, Segment, Side};
use hitscan::{Real, Vector};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One file: a shape.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// Path without extension: `2d/circle`.
    pub(crate) name: String,
    pub(crate) flat: bool,
    pub(crate) cases: Vec<Case>,
}

/// One shape, one ray, and the exact answer.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) shape: toml::Table,
    /// Origin and direction, or the ends of a segment.
    ray: [[f64; 3]; 2],
    pub(crate) is_segment: bool,
    range: (f64, f64),
    origin: Inside,
    faces: Faces,
    pub(crate) f32: bool,
    /// `None` for surfaces.
    pub(crate) inside: Option<bool>,
    pub(crate) first: Option<First>,
    pub(crate) all: Vec<Decimal>,
    pub(crate) span: Vec<Decimal>,
}

pub(crate) struct First {
    pub(crate) t: Decimal,
    pub(crate) point: Vec<Decimal>,
    pub(crate) normal: Option<Vec<Decimal>>,
    pub(crate) side: Side,
}

/// Every file of the folder and of its `2d`.
pub(crate) fn files() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let list =
        |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let mut paths = [list(&folder), list(&folder.join("2d"))].concat();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths.into_iter().map(|path| File::read(path, &folder)).collect()
}

impl File {
    fn read(path: PathBuf, folder: &Path) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        // Twice: numbers as they are written, and the shape as a table that the crate reads.
        let exact = DeTable::parse(&text).unwrap().into_inner();
        let plain: toml::Table = text.parse().unwrap();
        let flat = plain.get("dimension").is_some_and(|dimension| dimension.as_integer() == Some(2));
        let shapes = plain["case"].as_array().unwrap().iter().map(|case| case["shape"].as_table().unwrap().clone());
        let cases = exact["case"].get_ref().as_array().unwrap().iter().zip(shapes);
        let cases = cases.map(|(case, shape)| Case::read(case.get_ref().as_table().unwrap(), shape)).collect();
        let name = path.strip_prefix(folder).unwrap().with_extension("").display().to_string();
        Self { path, name, flat, cases }
    }
}

impl Case {
    fn read(table: &DeTable<'_>, shape: toml::Table) -> Self {
        const KEYS: [&str; 12] = [
            "name",
            "shape",
            "ray",
            "segment",
            "t_min",
            "t_max",
            "origin",
            "faces",
            "precision",
            "inside",
            "first",
            "all",
        ];
        for (key, _) in table {
            assert!(KEYS.contains(&&**key.get_ref()) || key.get_ref() == "span", "unknown key {key:?}");
        }
        let get = |key: &str| table.get(key).map(Spanned::get_ref);
        let word = |key: &str| get(key).map(|value| value.as_str().unwrap());
        let is_segment = get("segment").is_some();
        let (line, keys) = match get("segment") {
            Some(segment) => (segment, ["a", "b"]),
            None => (get("ray").unwrap(), ["origin", "direction"]),
        };
        let bound = |key, left_out| get(key).map_or(left_out, |value| number(value).hi);
        let first = get("first").filter(|first| first.as_str() != Some("miss"));
        Self {
            name: word("name").unwrap().to_owned(),
            shape,
            ray: keys.map(|key| triple(line.get(key).unwrap().get_ref())),
            is_segment,
            range: (bound("t_min", 0.0), bound("t_max", if is_segment { 1.0 } else { f64::INFINITY })),
            origin: match word("origin") {
                None | Some("solid") => Inside::Solid,
                Some("hollow") => Inside::Hollow,
                Some(other) => panic!("origin {other}"),
            },
            faces: match word("faces") {
                None | Some("both") => Faces::Both,
                Some("front") => Faces::Front,
                Some("back") => Faces::Back,
                Some(other) => panic!("faces {other}"),
            },
            f32: get("precision").is_none(),
            inside: get("inside").map(|value| value.as_bool().unwrap()),
            first: first.map(First::read),
            all: numbers(get("all").unwrap()),
            span: get("span").map(numbers).unwrap_or_default(),
        }
    }

    /// Every option set, whether or not it is the default.
    pub(crate) fn query<S: Real>(&self) -> Query<S> {
        let (min, max) = self.range;
        let open = max == f64::INFINITY && !self.is_segment;
        let max = if open { S::MAX } else { S::from_f64(max) };
        Query::new().range(S::from_f64(min), max).inside(self.origin).faces(self.faces)
    }

    pub(crate) fn ray<V: Vector>(&self) -> Ray<V> {
        let [origin, direction] = self.ray.map(narrow);
        Ray::new(origin, direction)
    }

    pub(crate) fn segment<V: Vector>(&self) -> Segment<V> {
        let [a, b] = self.ray.map(narrow);
        Segment::new(a, b)
    }

    pub(crate) fn start<V: Vector>(&self) -> V {
        narrow(self.ray[0])
    }

    /// The largest coordinate of the ray.
    pub(crate) fn magnitude(&self) -> f64 {
        let [start, end] = self.ray;
        let ends = if self.is_segment { [start, end] } else { [start, start] };
        ends.as_flattened().iter().fold(0.0, |most, x| x.abs().max(most))
    }
}

impl First {
    fn read(value: &DeValue<'_>) -> Self {
        let get = |key: &str| value.get(key).map(Spanned::get_ref);
        Self {
            t: number(get("t").unwrap()),
            point: numbers(get("point").unwrap()),
            normal: get("normal").map(numbers),
            side: match get("side").unwrap().as_str().unwrap() {
                "front" => Side::Front,
                "back" => Side::Back,
                other => panic!("side {other}"),
            },
        }
    }
}

fn number(value: &DeValue<'_>) -> Decimal {
    match value {
        DeValue::Integer(i) => Decimal::parse(i.as_str()),
        DeValue::Float(x) => Decimal::parse(x.as_str()),
        DeValue::String(text) => Decimal::parse(text),
        other => panic!("{other:?} is no number"),
    }
}

fn numbers(value: &DeValue<'_>) -> Vec<Decimal> {
    value.as_array().unwrap().iter().map(|item| number(item.get_ref())).collect()
}

fn triple(value: &DeValue<'_>) -> [f64; 3] {
    let mut triple = [0.0; 3];
    triple.iter_mut().zip(numbers(value)).for_each(|(to, from)| *to = from.hi);
    triple
}

fn narrow<V: Vector>(triple: [f64; 3]) -> V {
    V::from_xyz(triple.map(V::Scalar::from_f64))
}
