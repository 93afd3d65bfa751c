//! Reader of cases without answers, from TOML.

use super::stub::Stub;
use crate::body::{Body, Kind, Part, spatial};
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::{Faces, Inside, PlainQuery};
use toml::{Table, Value};

const KEYS: [&str; 10] = ["name", "shape", "ray", "segment", "t_min", "t_max", "origin", "faces", "precision", "want"];
/// Fields of answers, which a stub must not have: the oracle computes them.
const ANSWERS: [&str; 4] = ["inside", "first", "all", "span"];

/// Cases of a text: one without a header, or several, each below `[[case]]`.
///
/// # Errors
/// A malformed case: the message names the case, the field and the remedy.
pub fn read(text: &str) -> Result<Vec<Stub>, String> {
    let is_list = text.lines().any(|line| line.trim() == "[[case]]");
    let blocks: Vec<&str> = if is_list { text.split("[[case]]").skip(1).collect() } else { Vec::from([text]) };
    blocks.iter().enumerate().map(|(i, block)| stub(block).map_err(|what| format!("case {}: {what}", i + 1))).collect()
}

fn stub(text: &str) -> Result<Stub, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    for key in table.keys() {
        if ANSWERS.contains(&key.as_str()) {
            return Err(format!("{key}: leave the answers out, they are computed"));
        }
        if !KEYS.contains(&key.as_str()) {
            return Err(format!("{key}: unknown; a case has {}", KEYS.join(", ")));
        }
    }
    let comments = text.lines().map(str::trim).filter(|line| line.starts_with('#')).map(str::to_owned).collect();
    let name = word(&table, "name")?.unwrap_or("new case").to_owned();
    let (type_name, body) = shape(&table)?;
    let has_axes = body.kind.fields().iter().any(|(field, _)| *field == "axes") && {
        table.get("shape").and_then(Value::as_table).is_some_and(|shape| shape.contains_key("axes"))
    };
    let given = ray(&table, body.kind.dim())?;
    let range = [bound(&table, "t_min")?, bound(&table, "t_max")?];
    let origin = match word(&table, "origin")? {
        None | Some("solid") => Inside::Solid,
        Some("hollow") => Inside::Hollow,
        Some(other) => return Err(format!("origin = {other:?}: write \"solid\" or \"hollow\"")),
    };
    let faces = match word(&table, "faces")? {
        None | Some("both") => Faces::Both,
        Some("front") => Faces::Front,
        Some("back") => Faces::Back,
        Some(other) => return Err(format!("faces = {other:?}: write \"both\", \"front\" or \"back\"")),
    };
    if body.kind.is_solid() && faces != Faces::Both {
        return Err("faces: only surfaces have faces; leave it out".into());
    }
    if !body.kind.is_solid() && origin == Inside::Hollow {
        return Err("origin: only solids have an inside; leave it out".into());
    }
    let is_f64_only = match table.get("precision") {
        None => false,
        Some(Value::Array(names)) if names.len() == 1 && names[0].as_str() == Some("f64") => true,
        Some(other) => return Err(format!("precision = {other}: write [\"f64\"] or leave it out")),
    };
    let want = table.get("want").map(|want| numbers("want", want)).transpose()?;
    let query =
        PlainQuery { t_min: range[0].unwrap_or(0.0), t_max: range[1].unwrap_or(f64::INFINITY), inside: origin, faces };
    let stub = Stub { name, comments, type_name, body, has_axes, given, query, range, is_f64_only, want };
    check_precision(&stub)?;
    Ok(stub)
}

/// Every number must be one of `f32`, unless the case is for `f64` only.
fn check_precision(stub: &Stub) -> Result<(), String> {
    let numbers = stub.body.numbers.iter().chain(&stub.given.origin).chain(&stub.given.target);
    for x in numbers.copied().chain(stub.range.iter().copied().flatten()) {
        let single = Precision::F32.round(x);
        if !stub.is_f64_only && x.is_finite() && single != x {
            return Err(format!(
                "{x:?} is not a number of f32: write {} or add precision = [\"f64\"]",
                super::decimal::input(single)
            ));
        }
    }
    Ok(())
}

fn shape(table: &Table) -> Result<(String, Body), String> {
    let shape =
        table.get("shape").ok_or("shape is missing: shape = { type = \"sphere\", center = [0, 0, 0], radius = 1 }")?;
    let shape = shape.as_table().ok_or("shape: write a table { type = ..., ... }")?;
    let type_name = word(shape, "type")?.ok_or("shape: type is missing")?;
    let dim = dimension(shape).ok_or("shape: no point or vector of 2 or 3 numbers tells its dimension")?;
    let has_axes = shape.contains_key("axes");
    let kind = match (type_name, dim) {
        ("box", _) if has_axes => Kind::OrientedBox,
        ("rectangle", _) if has_axes => Kind::OrientedRectangle,
        ("capsule", 2) => Kind::Capsule2,
        ("tapered_capsule", 2) => Kind::TaperedCapsule2,
        ("triangle", 2) => Kind::Triangle2,
        _ => Kind::named(type_name)
            .filter(|kind| kind.dim() == dim)
            .ok_or_else(|| format!("shape: {type_name:?} is no type of shape with {dim} coordinates"))?,
    };
    let mut all = Vec::new();
    for &(field, part) in kind.fields() {
        let value = match shape.get(field) {
            Some(value) => numbers(field, value)?,
            None if part == Part::Axes => (0..dim * dim).map(|i| f64::from(u8::from(i % (dim + 1) == 0))).collect(),
            None => return Err(format!("shape: {field} is missing")),
        };
        let count = match part {
            Part::Length => 1,
            Part::Axes => dim * dim,
            Part::Points => value.len().max(3 * dim).next_multiple_of(dim),
            _ => dim,
        };
        if value.len() != count {
            return Err(format!("shape: {field} has {} numbers instead of {count}", value.len()));
        }
        if let Some(x) = value.iter().find(|x| !x.is_finite()) {
            return Err(format!("shape: {field}: {x} is not finite"));
        }
        all.extend(value);
    }
    for key in shape.keys() {
        if key != "type" && !kind.fields().iter().any(|(field, _)| field == key) {
            return Err(format!("shape: {key} is no field of {type_name:?}"));
        }
    }
    Ok((type_name.to_owned(), Body { kind, numbers: all }))
}

/// Length of the first list of numbers.
fn dimension(shape: &Table) -> Option<usize> {
    let mut lists = shape.values().filter_map(Value::as_array);
    let dim = lists.find_map(|list| match list.first()? {
        Value::Array(point) => Some(point.len()),
        _ => Some(list.len()),
    });
    dim.filter(|dim| matches!(dim, 2 | 3))
}

fn ray(table: &Table, dim: usize) -> Result<RayOrSegment, String> {
    let (key, fields) = match (table.get("ray"), table.get("segment")) {
        (Some(_), None) => ("ray", ["origin", "direction"]),
        (None, Some(_)) => ("segment", ["a", "b"]),
        _ => {
            return Err(
                "write either ray = { origin = [..], direction = [..] } or segment = { a = [..], b = [..] }".into()
            );
        }
    };
    let ray = table[key].as_table().ok_or_else(|| format!("{key}: write a table"))?;
    let point = |field: &str| -> Result<[f64; 3], String> {
        let value = ray.get(field).ok_or_else(|| format!("{key}: {field} is missing"))?;
        let numbers = numbers(field, value)?;
        if numbers.len() != dim {
            return Err(format!("{key}: {field} has {} numbers instead of {dim}", numbers.len()));
        }
        Ok(spatial(&numbers))
    };
    Ok(RayOrSegment { origin: point(fields[0])?, target: point(fields[1])?, is_segment: key == "segment" })
}

fn bound(table: &Table, key: &str) -> Result<Option<f64>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let numbers = numbers(key, value)?;
    match numbers[..] {
        [x] if !x.is_nan() => Ok(Some(x)),
        _ => Err(format!("{key}: write one number, inf or -inf")),
    }
}

fn word<'a>(table: &'a Table, key: &str) -> Result<Option<&'a str>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| format!("{key}: write a string"))
}

/// Number, or all numbers of nested lists.
fn numbers(key: &str, value: &Value) -> Result<Vec<f64>, String> {
    match value {
        Value::Integer(i) => Ok(vec![*i as f64]),
        Value::Float(x) => Ok(vec![*x]),
        Value::Array(list) => Ok(list.iter().map(|item| numbers(key, item)).collect::<Result<Vec<_>, _>>()?.concat()),
        other => Err(format!("{key}: {other} is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALL: &str = "shape = { type = \"sphere\", center = [0, 0, 0], radius = 1 }\n";

    #[test]
    fn stubs() {
        let text =
            format!("[[case]]\nname = \"one\"\n# why\n{BALL}ray = {{ origin = [-5, 0, 0], direction = [1, 0, 0] }}\n");
        let stubs = read(&text.repeat(2)).unwrap();
        assert_eq!((stubs.len(), stubs[1].name.as_str(), stubs[0].comments.len()), (2, "one", 1));
        let plane =
            "shape = { type = \"capsule\", a = [0, 0], b = [1, 0], radius = 1 }\nsegment = { a = [0, 5], b = [0, 1] }";
        let stub = read(plane).unwrap().remove(0);
        assert!(stub.body.kind == Kind::Capsule2 && stub.given.is_segment && stub.name == "new case");
    }

    #[test]
    fn errors_name_the_field() {
        let ray = "ray = { origin = [-5, 0, 0], direction = [1, 0, 0] }\n";
        let error = |text: &str| read(text).unwrap_err();
        assert!(error(BALL).contains("either ray"));
        assert!(error(ray).contains("shape is missing"));
        assert!(error(&format!("{BALL}{ray}first = \"miss\"")).contains("first: leave the answers out"));
        assert!(error(&format!("{BALL}{ray}tmin = 1")).contains("tmin: unknown"));
        assert!(error(&format!("{BALL}{ray}faces = \"front\"")).contains("only surfaces"));
        assert!(error(&format!("{BALL}{ray}t_max = 0.1")).contains("write 0.100000001490116119384765625"));
        assert!(error(&BALL.replace("radius = 1", "radius = nan")).contains("radius: NaN is not finite"));
        assert!(error(&BALL.replace("sphere", "circle")).contains("\"circle\" is no type of shape with 3"));
        assert!(error(&BALL.replace(", radius = 1", "")).contains("radius is missing"));
    }
}
