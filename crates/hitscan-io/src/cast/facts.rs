//! Facts about a cast: for the metadata of tables, and for manifests.

use super::cast_folder::FolderOptions;
use super::cast_query::CastQuery;
use super::table_cast::RayTableOptions;
use crate::dimension::Precision;
use crate::rule_words::{COPLANAR, FACES, INSIDE, TRIGGERS, word};
use crate::table::{Carried, HitLayout, OnError};
use serde_json::{Map, Value, json};

/// The options of a cast that change its results, as JSON in one line.
#[must_use]
pub fn options_text(
    (query, precision): (&CastQuery, Precision),
    columns: Option<&[String]>,
    read: &RayTableOptions,
    on_error: OnError,
    left_out: &[String],
) -> String {
    let CastQuery { layout, most, radius, t_min, t_max, max_distance, line, inside, faces, triggers, coplanar, layers } =
        query;
    let layout = match layout {
        HitLayout::First => "first",
        HitLayout::All => "all",
        HitLayout::Spans => "spans",
        HitLayout::Any => "any",
        HitLayout::Count => "count",
    };
    let on_error = match on_error {
        OnError::Stop => "stop",
        OnError::Skip => "skip",
        OnError::Null => "null",
    };
    let precision = match precision {
        Precision::F32 => "f32",
        Precision::F64 => "f64",
    };
    let kept = match &read.carried {
        Carried::None => json!([]),
        Carried::All => json!("all"),
        Carried::Named(names) => json!(names),
    };
    // JSON has no infinities.
    let limit = |limit: &Option<f64>| {
        limit.map(|limit| if limit.is_finite() { json!(limit) } else { json!(limit.to_string()) })
    };
    let all: Value = json!({
        "query": layout,
        "first": most,
        "thick": radius,
        "t_min": limit(t_min),
        "t_max": limit(t_max),
        "max_distance": limit(max_distance),
        "line": line,
        "origin": word(&INSIDE, *inside),
        "faces": word(&FACES, *faces),
        "triggers": word(&TRIGGERS, *triggers),
        "coplanar": word(&COPLANAR, *coplanar),
        "layers": layers,
        "ignore": left_out,
        "precision": precision,
        "columns": columns,
        "keep": kept,
        "on_error": on_error,
        "delimiter": read.text.delimiter.map(char::from).map(String::from),
        "null": read.text.null,
    });
    all.to_string()
}

/// The options of a cast, with those of its folder.
#[must_use]
pub fn folder_options_text(options: &str, folder: &FolderOptions) -> String {
    let mut all: Map<String, Value> = serde_json::from_str(options).unwrap_or_default();
    all.insert("format".to_owned(), json!(folder.extension));
    all.insert("rows_per_file".to_owned(), json!(folder.rows_per_file));
    Value::Object(all).to_string()
}

/// The options of a cast to LAS files, with the scale of the coordinates; without one it is by the scene.
#[must_use]
pub fn las_options_text(options: &str, scale: Option<f64>) -> String {
    let mut all: Map<String, Value> = serde_json::from_str(options).unwrap_or_default();
    all.insert("las_scale".to_owned(), json!(scale));
    Value::Object(all).to_string()
}

/// The metadata of a table of results: the version of hitscan, the hash of the scene and the options.
#[must_use]
pub fn table_metadata(scene: &str, options: &str) -> Vec<(String, String)> {
    let facts = [("version", env!("CARGO_PKG_VERSION")), ("scene", scene), ("options", options)];
    facts.map(|(name, value)| (format!("hitscan.{name}"), value.to_owned())).to_vec()
}
