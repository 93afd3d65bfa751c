//! Hits as CSV and as JSON lines.

use super::hits::{HitBatch, HitLayout, HitSchema, Hits, SpanEnd};
use crate::dimension::Precision;
use std::fmt::Display;
use std::io::Write;
use std::ops::Range;

/// The syntax of a row.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Style {
    Csv,
    Json,
}

/// Turns batches into text.
pub(super) struct HitText {
    style: Style,
    precision: Precision,
    layout: HitLayout,
    axes: usize,
    /// Names, quoted.
    shapes: Vec<String>,
    instances: Option<Vec<Option<u32>>>,
}

impl HitText {
    pub(super) fn new(style: Style, schema: &HitSchema) -> Self {
        let quote = match style {
            Style::Csv => csv_cell,
            Style::Json => json_string,
        };
        Self {
            style,
            precision: schema.precision,
            layout: schema.layout,
            axes: schema.dimension.count(),
            shapes: schema.shapes.iter().map(|name| quote(name)).collect(),
            instances: schema.instances.clone(),
        }
    }

    /// The line of names, for CSV.
    pub(super) fn header(&self, names: &[&str]) -> String {
        match self.style {
            Style::Csv => names.join(",") + "\n",
            Style::Json => String::new(),
        }
    }

    /// Appends rows of a batch.
    pub(super) fn rows(&self, batch: &HitBatch, rows: Range<usize>, text: &mut Vec<u8>) {
        for row in rows {
            let mut line = RowText { style: self.style, precision: self.precision, text, first: true };
            line.start();
            match batch {
                HitBatch::Hits(hits) => self.hit(hits, row, &mut line),
                HitBatch::Any { ray, hit } => {
                    line.cell("ray", Some(ray[row]));
                    line.cell("hit", Some(hit[row]));
                }
                HitBatch::Count { ray, count } => {
                    line.cell("ray", Some(ray[row]));
                    line.cell("count", Some(count[row]));
                }
            }
            line.finish();
        }
    }

    fn hit(&self, hits: &Hits, row: usize, line: &mut RowText) {
        let hit_index = hits.hit_index[row];
        // In the row of a miss the cells after `hit` are null.
        let is_hit = hit_index.is_some();
        line.cell("ray", Some(hits.ray[row]));
        line.cell("hit", Some(is_hit));
        line.cell("hit_index", hit_index);
        if self.layout == HitLayout::Spans {
            let end = match (hits.end[row], self.style) {
                (SpanEnd::Enter, Style::Csv) => "enter",
                (SpanEnd::Exit, Style::Csv) => "exit",
                (SpanEnd::Enter, Style::Json) => "\"enter\"",
                (SpanEnd::Exit, Style::Json) => "\"exit\"",
            };
            line.cell("end", is_hit.then_some(end));
        }
        line.number("t", is_hit.then_some(hits.t[row]));
        line.number("distance", is_hit.then_some(hits.distance[row]));
        for (names, column) in [(["px", "py", "pz"], &hits.point), (["nx", "ny", "nz"], &hits.normal)] {
            for (name, value) in names.into_iter().zip(column[row]).take(self.axes) {
                line.number(name, is_hit.then_some(value));
            }
        }
        line.cell("front", is_hit.then_some(hits.front[row]));
        line.cell("shape", is_hit.then(|| self.shapes[hits.shape[row] as usize].as_str()));
        line.cell("primitive", hits.primitive[row].filter(|_| is_hit));
        let uv = hits.uv[row].filter(|_| is_hit);
        line.number("u", uv.map(|[u, _]| u));
        line.number("v", uv.map(|[_, v]| v));
        if let Some(instances) = &self.instances {
            let object = hits.shape[row];
            line.cell("object", is_hit.then_some(object));
            line.cell("instance", instances.get(object as usize).copied().flatten().filter(|_| is_hit));
        }
    }
}

/// A row being written. Writing to a vector does not fail.
struct RowText<'a> {
    style: Style,
    precision: Precision,
    text: &'a mut Vec<u8>,
    first: bool,
}

impl RowText<'_> {
    fn start(&mut self) {
        if self.style == Style::Json {
            self.text.push(b'{');
        }
    }

    fn finish(&mut self) {
        self.text.extend_from_slice(if self.style == Style::Json { b"}\n" } else { b"\n" });
    }

    fn cell(&mut self, name: &str, value: Option<impl Display>) {
        if !self.first {
            self.text.push(b',');
        }
        self.first = false;
        if self.style == Style::Json {
            let _ = write!(self.text, "\"{name}\":");
        }
        let _ = match (value, self.style) {
            (Some(value), _) => write!(self.text, "{value}"),
            (None, Style::Json) => write!(self.text, "null"),
            (None, Style::Csv) => Ok(()),
        };
    }

    fn number(&mut self, name: &str, value: Option<f64>) {
        // JSON has no infinities.
        let value = value.filter(|value| self.style == Style::Csv || value.is_finite());
        match (value, self.precision) {
            (Some(value), Precision::F32) if is_plain(value) => self.cell(name, Some(value as f32)),
            (Some(value), Precision::F64) if is_plain(value) => self.cell(name, Some(value)),
            (Some(value), Precision::F32) => self.cell(name, Some(format_args!("{:e}", value as f32))),
            (Some(value), Precision::F64) => self.cell(name, Some(format_args!("{value:e}"))),
            (None, _) => self.cell(name, None::<f64>),
        }
    }
}

/// Whether a number is written without an exponent: otherwise 1e300 would have 301 digits.
fn is_plain(value: f64) -> bool {
    value == 0.0 || (1e-5..1e16).contains(&value.abs()) || !value.is_finite()
}

fn csv_cell(text: &str) -> String {
    let special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
    if text.contains(special) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn json_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(
            ["a b", "a,b", "say \"x\"", " a", ""].map(csv_cell),
            ["a b", "\"a,b\"", "\"say \"\"x\"\"\"", "\" a\"", ""]
        );
        assert_eq!(json_string("a\"\\\n\u{1}ü"), r#""a\"\\\u000a\u0001ü""#);
    }

    #[test]
    fn numbers_read_back_as_the_same_bits_and_stay_short() {
        let mut text = Vec::new();
        for value in [0.1, -0.0, 1e300, 5e-324, 1e16, 123_456.5, f64::MAX, 1e-5, 9.999e-6] {
            text.clear();
            let mut line = RowText { style: Style::Csv, precision: Precision::F64, text: &mut text, first: true };
            line.number("t", Some(value));
            let written = str::from_utf8(&text).unwrap();
            assert_eq!(written.parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert!(written.len() < 25, "{written}");
        }
    }
}
