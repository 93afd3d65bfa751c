//! Charts as SVG, readable in light and in dark.

use std::fmt::Write as _;

/// Curve.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    /// Index of its style, the same in all panels.
    pub(crate) style: usize,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Panel: `x` on a logarithmic axis, `y` on one if `log`, else from 0.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    pub(crate) log: bool,
    pub(crate) series: Vec<Series>,
}

/// Points on a line, and their geometric mean.
pub(crate) struct Strip {
    pub(crate) label: String,
    pub(crate) points: Vec<f64>,
    pub(crate) mean: f64,
}

/// Colors that color-blind readers can tell apart, in pairs for light and dark backgrounds; solid or dashed.
const STYLE: &str = "<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 } .small { font-size: 11px; fill: #57606a }
  .back { fill: #ffffff } .grid { stroke: #d8dee4; fill: none } .axis { stroke: #57606a; fill: none }
  .curve { fill: none; stroke-width: 2 } .dot { stroke: none; opacity: 0.75 } .mean { stroke-width: 3 }
  .s0, .s1 { stroke: #0b5fc0 } .s2, .s3 { stroke: #8250df } .s4 { stroke: #bc4c00 } .s5, .s6 { stroke: #1a7f37 } .s7 { stroke: #cf222e }
  .f0, .f1 { fill: #0b5fc0 } .f2, .f3 { fill: #8250df } .f4 { fill: #bc4c00 } .f5, .f6 { fill: #1a7f37 } .f7 { fill: #cf222e }
  .s1, .s3, .s6 { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .back { fill: #0d1117 } .grid { stroke: #30363d } .axis { stroke: #9198a1 }
    .s0, .s1 { stroke: #58a6ff } .s2, .s3 { stroke: #d2a8ff } .s4 { stroke: #ffa657 } .s5, .s6 { stroke: #56d364 } .s7 { stroke: #ff7b72 }
    .f0, .f1 { fill: #58a6ff } .f2, .f3 { fill: #d2a8ff } .f4 { fill: #ffa657 } .f5, .f6 { fill: #56d364 } .f7 { fill: #ff7b72 }
  }
</style>
";

/// Axis: positions of values, and the values with tick marks.
struct Axis {
    from: f64,
    to: f64,
    log: bool,
    start: f64,
    length: f64,
}

impl Axis {
    /// Range around all values: whole decades, or halves and fifths of a decade if they span less than two.
    fn around(values: impl Iterator<Item = f64> + Clone, log: bool, start: f64, length: f64) -> Self {
        let (least, most) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
        let axis = Self { from: 0.0, to: most * 1.1, log, start, length };
        if !log {
            return axis;
        }
        let steps = steps(least, most);
        let from = steps.iter().copied().filter(|&s| s <= least * 1.001).fold(f64::NAN, f64::max);
        let to = steps.iter().copied().filter(|&s| s >= most * 0.999).fold(f64::NAN, f64::min);
        Self { from, to, ..axis }
    }
    fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.start + part * self.length
    }
    fn marks(&self) -> Vec<f64> {
        if self.log {
            return steps(self.from, self.to).into_iter().filter(|s| (self.from..=self.to).contains(s)).collect();
        }
        let step = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
            .into_iter()
            .find(|step| self.to / step <= 6.0)
            .unwrap_or(self.to);
        (0..7).map(|i| f64::from(i) * step).filter(|&mark| mark <= self.to).collect()
    }
}

/// Round numbers from below `least` to above `most`.
fn steps(least: f64, most: f64) -> Vec<f64> {
    let digits: &[f64] = if most / least > 100.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let decades = (least.log10().floor() as i32 - 1)..=(most.log10().ceil() as i32 + 1);
    // Parsing the text gives a number closer to it than a product with a power.
    let number = |digit: f64, decade: i32| format!("{digit}e{decade}").parse().unwrap_or(f64::NAN);
    decades.flat_map(|decade| digits.iter().map(move |&digit| number(digit, decade))).collect()
}

/// Short text of a number: `10k` for 10,000.
fn short(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{}M", x / 1e6),
        x if x >= 1e3 => format!("{}k", x / 1e3),
        x => format!("{x}"),
    }
}

fn document(width: f64, height: f64, title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{title}</title>\n{STYLE}<rect class=\"back\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
    )
}

fn text(to: &mut String, [x, y]: [f64; 2], class: &str, anchor: &str, words: &str) {
    let _ = writeln!(to, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn line(to: &mut String, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
    let _ = writeln!(to, "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
}

fn dot(to: &mut String, style: usize, [x, y]: [f64; 2], radius: f64) {
    let _ = writeln!(to, "<circle class=\"dot f{style}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
}

const PANEL_WIDTH: f64 = 380.0;
const PANEL_HEIGHT: f64 = 280.0;
const LEGEND: f64 = 60.0;

/// Panels in rows of three above one legend; `x` is the same for all.
pub(crate) fn panels(title: &str, x_label: &str, panels: &[Panel]) -> String {
    let mut body = String::new();
    text(&mut body, [20.0, 24.0], "title", "start", title);
    let mut names: Vec<(usize, &str)> = panels.iter().flat_map(|p| &p.series).map(|s| (s.style, s.name)).collect();
    names.sort_unstable();
    names.dedup();
    let mut x = 20.0;
    for (style, name) in names {
        line(&mut body, &format!("curve s{style}"), [x, 45.0], [x + 28.0, 45.0]);
        dot(&mut body, style, [x + 14.0, 45.0], 3.5);
        text(&mut body, [x + 34.0, 49.0], "", "start", name);
        x += 44.0 + 7.0 * name.len() as f64;
    }
    for (i, panel) in panels.iter().enumerate() {
        draw(&mut body, [(i % 3) as f64 * PANEL_WIDTH, LEGEND + (i / 3) as f64 * PANEL_HEIGHT], x_label, panel);
    }
    document(3.0 * PANEL_WIDTH, LEGEND + panels.len().div_ceil(3) as f64 * PANEL_HEIGHT, title, &body)
}

fn draw(to: &mut String, [left, top]: [f64; 2], x_label: &str, panel: &Panel) {
    let all = panel.series.iter().flat_map(|series| series.points.iter());
    let x = Axis::around(all.clone().map(|p| p.0), true, left + 52.0, PANEL_WIDTH - 76.0);
    let (bottom, height) = (top + PANEL_HEIGHT - 48.0, PANEL_HEIGHT - 86.0);
    let y = Axis::around(all.map(|p| p.1), panel.log, bottom, -height);
    text(to, [left + 20.0, top + 24.0], "title", "start", panel.title);
    for mark in x.marks() {
        line(to, "grid", [x.at(mark), bottom], [x.at(mark), bottom - height]);
        text(to, [x.at(mark), bottom + 16.0], "small", "middle", &short(mark));
    }
    for mark in y.marks() {
        line(to, "grid", [x.start, y.at(mark)], [x.start + x.length, y.at(mark)]);
        text(to, [x.start - 6.0, y.at(mark) + 4.0], "small", "end", &short((mark * 1e6).round() / 1e6));
    }
    line(to, "axis", [x.start, bottom], [x.start + x.length, bottom]);
    text(to, [x.start + 0.5 * x.length, bottom + 34.0], "small", "middle", x_label);
    for series in &panel.series {
        let at: Vec<[f64; 2]> = series.points.iter().map(|&(a, b)| [x.at(a), y.at(b)]).collect();
        at.windows(2).for_each(|ends| line(to, &format!("curve s{}", series.style), ends[0], ends[1]));
        at.iter().for_each(|&place| dot(to, series.style, place, 3.5));
    }
}

/// One line of points for each strip, on a logarithmic axis with a mark at 1.
pub(crate) fn strips(title: &str, strips: &[Strip]) -> String {
    let (top, row) = (44.0, 26.0);
    let bottom = top + strips.len() as f64 * row;
    let all = strips.iter().flat_map(|strip| strip.points.iter().copied()).chain([0.5, 2.0]);
    let x = Axis::around(all, true, 240.0, 580.0);
    let mut body = String::new();
    text(&mut body, [20.0, 24.0], "title", "start", title);
    for mark in x.marks() {
        let class = if mark == 1.0 { "axis" } else { "grid" };
        line(&mut body, class, [x.at(mark), top - 6.0], [x.at(mark), bottom]);
        text(&mut body, [x.at(mark), bottom + 16.0], "small", "middle", &short(mark));
    }
    text(&mut body, [x.at(1.0) - 8.0, bottom + 34.0], "small", "end", "peer faster");
    text(&mut body, [x.at(1.0) + 8.0, bottom + 34.0], "small", "start", "hitscan faster");
    for (i, strip) in strips.iter().enumerate() {
        let y = top + (i as f64 + 0.5) * row;
        text(&mut body, [230.0, y + 4.0], "", "end", &strip.label);
        strip.points.iter().for_each(|&point| dot(&mut body, 0, [x.at(point), y], 4.0));
        line(&mut body, "mean s4", [x.at(strip.mean), y - 9.0], [x.at(strip.mean), y + 9.0]);
        text(&mut body, [x.start + x.length + 12.0, y + 4.0], "", "start", &format!("{:.2}", strip.mean));
    }
    document(880.0, bottom + 46.0, title, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_frame_the_values() {
        let values = [0.3f64, 4.0];
        let axis = Axis::around(values.iter().copied(), true, 0.0, 100.0);
        assert_eq!((axis.from, axis.to), (0.2, 5.0));
        assert_eq!(axis.marks(), [0.2, 0.5, 1.0, 2.0, 5.0]);
        assert!((axis.at(1.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn counts_are_short() {
        assert_eq!([1e3, 2.5e6, 0.5].map(short), ["1k", "2.5M", "0.5"]);
    }
}
