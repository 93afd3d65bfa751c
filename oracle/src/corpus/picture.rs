//! Picture of a case: a slice of the exact shape in a plane that contains the ray. `testdata/README.md` has the legend.

use super::stub::Stub;
use crate::body::Part;
use crate::implicit::ImplicitShape;
use crate::intersection::Intersection;
use crate::line::{Line, RayOrSegment, on};
use crate::number::grid_of;
use crate::rules::{PlainQuery, Range, hits};

type Point = [f64; 3];

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn along(a: Point, k: f64, d: Point) -> Point {
    [0, 1, 2].map(|i| a[i] + k * d[i])
}

/// Most rows, and approximate count of columns.
const ROWS: f64 = 7.0;
const COLUMNS: f64 = 56.0;
/// Largest distance of drawn parts, in sizes of the shape.
const NEAR: f64 = 3.2;

/// Plane of the picture, and its cells.
struct Canvas {
    /// Point of the plane, and its axes.
    at: Point,
    right: Point,
    up: Point,
    /// Center of the top left cell.
    left: f64,
    top: f64,
    /// Size of a cell.
    width: f64,
    height: f64,
    cells: Vec<Vec<char>>,
}

impl Canvas {
    fn flat(&self, p: Point) -> [f64; 2] {
        [dot(p, self.right), dot(p, self.up)]
    }
    fn put(&mut self, p: Point, mark: char) -> bool {
        let [x, y] = self.flat(p);
        let (column, row) = (((x - self.left) / self.width).round(), ((self.top - y) / self.height).round());
        let inside =
            row >= 0.0 && column >= 0.0 && row < self.cells.len() as f64 && column < self.cells[0].len() as f64;
        if inside {
            self.cells[row as usize][column as usize] = mark;
        }
        inside
    }
    /// Center of a cell on a coarse grid, which keeps the exact arithmetic short.
    fn middle(&self, column: usize, row: usize) -> Point {
        let (x, y) = (self.left + column as f64 * self.width, self.top - row as f64 * self.height);
        let p = along(along(self.at, x - dot(self.at, self.right), self.right), y - dot(self.at, self.up), self.up);
        let unit = (self.width.log2().floor() - 12.0).exp2();
        p.map(|x| (x / unit).round() * unit)
    }
}

/// Lines of the picture, each with its `#`; `values` are the `t` of the hits.
pub(super) fn draw(stub: &Stub, values: &[f64]) -> Vec<String> {
    let RayOrSegment { origin, target, is_segment } = stub.given;
    let is_placed = origin.iter().all(|x| x.is_finite());
    let direction = if is_segment { along(target, -1.0, origin) } else { target };
    let is_ray = stub.given.is_valid();
    let (places, size) = frame(stub);
    if !(size > 1e-300 && size < 1e300) || places.iter().flatten().any(|x| x.abs() > 1e12 * size) {
        return vec!["# No picture: the shape is too small, too large or too far away.".into()];
    }
    let (right, up) = axes(stub.body.kind.dim(), direction, is_ray);
    let mut canvas = Canvas {
        at: if is_placed { origin } else { places[0] },
        right,
        up,
        left: 0.0,
        top: 0.0,
        width: 1.0,
        height: 1.0,
        cells: Vec::new(),
    };
    let marks = marks(stub, values, direction, is_ray && is_placed);
    lay_out(&mut canvas, &places, size, &marks);
    fill(&mut canvas, stub);
    if is_ray && is_placed {
        trace(&mut canvas, stub, direction);
    }
    for (p, mark) in marks {
        canvas.put(p, mark);
    }
    let mut lines: Vec<String> = canvas.cells.iter().map(|row| row.iter().collect::<String>()).collect();
    let is_empty = |line: &String| line.trim().is_empty();
    while lines.len() > 3 && lines.first().is_some_and(is_empty) {
        lines.remove(0);
    }
    while lines.len() > 3 && lines.last().is_some_and(is_empty) {
        lines.pop();
    }
    let mut out: Vec<String> = lines.iter().map(|line| format!("# {line}").trim_end().to_owned()).collect();
    let note = match (is_ray, is_placed) {
        (true, _) => "",
        (false, true) if target.iter().all(|x| x.is_finite()) => "; no direction: not a ray",
        _ => "; not a ray: a number is nan or infinite",
    };
    out.push(format!("#   {} right, y up{note}", name(right)));
    out
}

/// Points that frame the shape, and its size.
fn frame(stub: &Stub) -> (Vec<Point>, f64) {
    let (mut places, mut pad) = (Vec::new(), 0.0f64);
    for (_, part, numbers) in stub.body.parts() {
        match part {
            Part::Point | Part::Points => {
                places.extend(numbers.chunks(stub.body.kind.dim()).map(crate::body::spatial));
            }
            Part::Length | Part::Extents => pad = numbers.iter().fold(pad, |pad, x| pad.max(*x)),
            Part::Edge => {
                let (from, edge) = (stub.body.vector(0), crate::body::spatial(numbers));
                places.push(std::array::from_fn(|i| from[i] + edge[i]));
            }
            Part::Normal if stub.body.kind.fields().len() == 2 => pad = 2.0,
            Part::Normal | Part::Axes => {}
        }
    }
    let span = |i: usize| {
        let x = places.iter().map(|p| p[i]);
        x.clone().fold(f64::NEG_INFINITY, f64::max) - x.fold(f64::INFINITY, f64::min)
    };
    let size = (0..3).map(span).fold(0.0, f64::max) + 2.0 * pad;
    let padded = [-pad, pad].into_iter().flat_map(|pad| places.iter().map(move |p| p.map(|x| x + pad)));
    (padded.collect(), size)
}

/// Axes of the picture; in space the plane contains the direction and y.
fn axes(dim: usize, direction: Point, is_ray: bool) -> (Point, Point) {
    let up = [0.0, 1.0, 0.0];
    let level = [direction[0], 0.0, direction[2]];
    let length = dot(level, level).sqrt();
    if dim == 2 || !is_ray || !(length > 0.0) || !length.is_finite() {
        return ([1.0, 0.0, 0.0], up);
    }
    let largest = if level[0].abs() >= level[2].abs() { level[0] } else { level[2] };
    (level.map(|x| x / length * largest.signum()), up)
}

/// Marks of the picture, the topmost last.
fn marks(stub: &Stub, values: &[f64], direction: Point, is_drawn: bool) -> Vec<(Point, char)> {
    let origin = stub.given.origin;
    if !is_drawn {
        let is_finite = origin.iter().all(|x| x.is_finite());
        return if is_finite { vec![(origin, 'o')] } else { Vec::new() };
    }
    let mut marks = Vec::new();
    if stub.given.is_segment {
        marks.push((stub.given.target, 'b'));
    }
    for (bound, mark) in stub.range.into_iter().zip(['[', ']']) {
        marks.extend(bound.filter(|t| t.is_finite() && *t != 0.0).map(|t| (along(origin, t, direction), mark)));
    }
    if stub.range[0] != Some(f64::NEG_INFINITY) {
        marks.push((origin, 'o'));
    }
    marks.extend(values.iter().map(|t| (along(origin, *t, direction), if *t == 0.0 { '@' } else { '*' })));
    marks
}

fn lay_out(canvas: &mut Canvas, places: &[Point], size: f64, marks: &[(Point, char)]) {
    let flat: Vec<[f64; 2]> = places.iter().map(|p| canvas.flat(*p)).collect();
    let center = [0, 1].map(|i| flat.iter().map(|p| p[i]).sum::<f64>() / flat.len() as f64);
    let near = |p: &[f64; 2]| (p[0] - center[0]).abs() <= NEAR * size && (p[1] - center[1]).abs() <= NEAR * size;
    let all: Vec<[f64; 2]> =
        flat.iter().copied().chain(marks.iter().map(|(p, _)| canvas.flat(*p)).filter(near)).collect();
    let low = [0, 1].map(|i| all.iter().map(|p| p[i]).fold(f64::INFINITY, f64::min));
    let high = [0, 1].map(|i| all.iter().map(|p| p[i]).fold(f64::NEG_INFINITY, f64::max));
    canvas.height = ((high[1] - low[1]) / (ROWS - 1.0)).max((high[0] - low[0]) * 2.0 / COLUMNS).max(size / 24.0);
    canvas.width = canvas.height / 2.0;
    let rows = (((high[1] - low[1]) / canvas.height).round() + 1.0).clamp(3.0, ROWS);
    canvas.left = low[0] - 6.0 * canvas.width;
    let columns = ((high[0] - canvas.left) / canvas.width).round() + 8.0;
    // A row passes through the last mark, so that no hit lies between two rows.
    let middle = (high[1] + low[1]) / 2.0 + (rows - 1.0) / 2.0 * canvas.height;
    let anchor = marks.iter().rev().map(|(p, _)| canvas.flat(*p)).find(near).map_or(center[1], |p| p[1]);
    canvas.top = anchor + ((middle - anchor) / canvas.height).round() * canvas.height;
    canvas.cells = vec![vec![' '; columns as usize]; rows as usize];
}

/// Shape: `:` in a solid, `#` where a surface crosses a cell.
fn fill(canvas: &mut Canvas, stub: &Stub) {
    let body = &stub.body;
    for row in 0..canvas.cells.len() {
        for column in 0..canvas.cells[row].len() {
            let p = canvas.middle(column, row);
            if body.kind.is_solid() {
                let grid = grid_of(body.lengths().chain(p));
                if ImplicitShape::new(body, grid).contains(&on(&p, grid)) {
                    canvas.cells[row][column] = ':';
                }
                continue;
            }
            let crossed = [(canvas.up, canvas.height), (canvas.right, canvas.width)].into_iter().any(|(way, cell)| {
                let end = |k: f64| along(p, k * cell, way);
                let given = RayOrSegment { origin: end(-0.5), target: end(0.5), is_segment: true };
                let line = Line::new(&given, &[body]);
                let (model, query) = (ImplicitShape::new(body, line.grid), PlainQuery::default());
                let range = Range::new(&query, true, f64::MAX, line.scale);
                !hits(&Intersection::new(&model, &line), &query, &range).is_empty()
            });
            if crossed {
                canvas.cells[row][column] = '#';
            }
        }
    }
}

/// Ray: `~` where it comes from far away, an arrow where it leaves the picture or ends.
fn trace(canvas: &mut Canvas, stub: &Stub, direction: Point) {
    let origin = stub.given.origin;
    let [dx, dy] = [dot(direction, canvas.right) / canvas.width, dot(direction, canvas.up) / canvas.height];
    let mark = match (dx.abs(), dy.abs()) {
        (x, y) if y < 0.4 * x => '-',
        (x, y) if x < 0.4 * y => '|',
        _ if (dx > 0.0) == (dy > 0.0) => '/',
        _ => '\\',
    };
    let end = stub.query.t_max.min(if stub.given.is_segment { 1.0 } else { f64::INFINITY });
    let start = stub.query.t_min.min(0.0);
    // Range around the `t` of the point nearest to the center of the picture.
    let (rows, columns) = (canvas.cells.len() as f64, canvas.cells[0].len() as f64);
    let [x, y] = canvas.flat(origin);
    let (x, y) = ((canvas.left - x) / canvas.width + columns / 2.0, (y - canvas.top) / canvas.height + rows / 2.0);
    let speed = dx.hypot(dy);
    let middle = (x * dx - y * dy) / (speed * speed);
    let step = 0.25 / dx.abs().max(dy.abs());
    let (from, to) = (start.max(middle - (rows + columns) / speed), end.min(middle + (rows + columns) / speed));
    if !(step > 0.0 && step.is_finite() && from.is_finite() && to.is_finite()) {
        return;
    }
    let (mut first, mut last) = (None, None);
    for i in 0..=((to - from) / step).clamp(0.0, 1e4) as usize {
        let t = from + i as f64 * step;
        if canvas.put(along(origin, t, direction), mark) {
            first = first.or(Some(t));
            last = Some(t);
        }
    }
    if let Some(t) = first.filter(|t| *t > start + step) {
        canvas.put(along(origin, t, direction), '~');
    }
    if let Some(t) = last {
        let arrow = match (dx.abs() >= dy.abs(), dx > 0.0, dy > 0.0) {
            (true, true, _) => '>',
            (true, false, _) => '<',
            (false, _, true) => '^',
            (false, _, false) => 'v',
        };
        canvas.put(along(origin, t, direction), arrow);
    }
}

fn name(axis: Point) -> String {
    let names = ["x", "y", "z"];
    let unit = (0..3).find(|&i| axis[i].abs() > 0.999_999);
    unit.map_or_else(|| format!("({:.2}, 0, {:.2})", axis[0], axis[2]), |i| names[i].to_owned())
}
