//! Writer of a case with its exact answers.

use super::decimal::{ExactNumber as Number, input};
use super::picture;
use super::stub::Stub;
use crate::body::Part;
use crate::implicit::ImplicitShape;
use crate::intersection::{Bound, Intersection};
use crate::line::{Line, RayOrSegment};
use crate::number::Precision;
use crate::rules::{Exact, Faces, Inside, Range, hits, span};
use crate::surd::Surd;
use crate::values::{Values, direction};
use dashu_int::IBig;
use std::fmt::Write as _;

/// Case as a block of a file of `testdata/`.
///
/// # Errors
/// A wrong prediction `want` of the author.
pub fn write(stub: &Stub) -> Result<String, String> {
    let answers = Lines::of(stub);
    if let Some(want) = &stub.want {
        let near = |(want, got): (&f64, &f64)| (want - got).abs() <= 1e-3 * got.abs().max(1.0);
        if want.len() != answers.values.len() || !want.iter().zip(&answers.values).all(near) {
            return Err(format!("{}: want = {want:?}, but the exact answer is {:?}", stub.name, answers.values));
        }
    }
    let mut out = format!("[[case]]\nname = {:?}\n", stub.name);
    let drawn = stub.comments.iter().any(|line| line.contains(" right, "));
    if !drawn {
        picture::draw(stub, &answers.values).iter().for_each(|line| out += &format!("{line}\n"));
    }
    stub.comments.iter().for_each(|line| out += &format!("{line}\n"));
    inputs(stub, &mut out);
    out += &answers.lines.join("\n");
    out.push('\n');
    Ok(out)
}

fn inputs(stub: &Stub, out: &mut String) {
    let dim = stub.body.kind.dim();
    let list = |numbers: &[f64]| format!("[{}]", numbers.iter().map(|x| input(*x)).collect::<Vec<_>>().join(", "));
    let _ = write!(out, "shape = {{ type = {:?}", stub.type_name);
    for (field, part, numbers) in stub.body.parts() {
        let value = match part {
            Part::Length => input(numbers[0]),
            Part::Axes if !stub.has_axes => continue,
            Part::Axes | Part::Points => {
                format!("[{}]", numbers.chunks(dim).map(list).collect::<Vec<_>>().join(", "))
            }
            _ => list(numbers),
        };
        let _ = write!(out, ", {field} = {value}");
    }
    let RayOrSegment { origin, target, is_segment } = &stub.given;
    let [key, from, to] = if *is_segment { ["segment", "a", "b"] } else { ["ray", "origin", "direction"] };
    let _ = writeln!(out, " }}\n{key} = {{ {from} = {}, {to} = {} }}", list(&origin[..dim]), list(&target[..dim]));
    for (key, bound) in ["t_min", "t_max"].iter().zip(stub.range) {
        if let Some(t) = bound {
            let _ = writeln!(out, "{key} = {}", input(t));
        }
    }
    if stub.query.inside == Inside::Hollow {
        out.push_str("origin = \"hollow\"\n");
    }
    match stub.query.faces {
        Faces::Both => {}
        Faces::Front => out.push_str("faces = \"front\"\n"),
        Faces::Back => out.push_str("faces = \"back\"\n"),
    }
    if stub.is_f64_only {
        out.push_str("precision = [\"f64\"]\n");
    }
}

struct Lines {
    lines: Vec<String>,
    /// Every `t`, rounded.
    values: Vec<f64>,
}

impl Lines {
    fn of(stub: &Stub) -> Self {
        let (kind, given) = (stub.body.kind, &stub.given);
        let mut lines = Vec::new();
        if kind.is_solid() {
            let inside = given.origin.iter().all(|x| x.is_finite()) && {
                let still = RayOrSegment { target: given.origin, is_segment: true, ..*given };
                let line = Line::new(&still, &[&stub.body]);
                ImplicitShape::new(&stub.body, line.grid).contains(&line.o)
            };
            lines.push(format!("inside = {inside}"));
        }
        if !given.is_valid() {
            lines.extend(["first = \"miss\"".into(), "all = []".into()]);
            if kind.is_solid() {
                lines.push("span = []".into());
            }
            return Self { lines, values: Vec::new() };
        }
        let line = Line::new(given, &[&stub.body]);
        let model = ImplicitShape::new(&stub.body, line.grid);
        let intersection = Intersection::new(&model, &line);
        let precision = if stub.is_f64_only { Precision::F64 } else { Precision::F32 };
        let range = Range::new(&stub.query, given.is_segment, precision.max(), line.scale);
        let found = hits(&intersection, &stub.query, &range);
        let t = |s: &Surd| Number::surd(s, line.scale.into()).text();
        lines.push(match found.first() {
            None => "first = \"miss\"".into(),
            Some(hit) => first(hit, &line, kind.dim(), &t),
        });
        lines.push(format!("all = [{}]", found.iter().map(|hit| t(hit.at())).collect::<Vec<_>>().join(", ")));
        if kind.is_solid() {
            lines.push(match span(&intersection, &range) {
                None => "span = []".into(),
                Some((enter, exit)) => {
                    let end = |end: Option<Exact<'_, '_>>, endless: &str| {
                        end.map_or_else(|| endless.to_owned(), |end| t(end.at()))
                    };
                    format!("span = [{}, {}]", end(enter, "-inf"), end(exit, "inf"))
                }
            });
        }
        let values = found.iter().map(|hit| Values::at_start(hit.at(), &line).t.to_f64()).collect();
        Self { lines, values }
    }
}

fn first(hit: &Exact<'_, '_>, line: &Line, dim: usize, t: &impl Fn(&Surd) -> String) -> String {
    let s = hit.at();
    let Surd { p, q, d, r } = s;
    let point = (0..dim).map(|i| {
        let (x, y) = (&line.o[i] * r + &line.d[i] * p, &line.d[i] * IBig::from(*q));
        Number::Surd { x, y, d, r, e: line.grid.into() }.text()
    });
    let normal = match hit {
        Exact::Inside(_) => Some((line.d.clone().map(|x| -x), [0; 3].map(IBig::from))),
        Exact::Front(bound) | Exact::Back(bound) => unique_normal(bound, line, dim),
    };
    let normal = normal.map_or_else(String::new, |(x, y)| {
        let unit = (0..dim).map(|i| Number::Unit { x: &x, y: &y, d, i }.text());
        format!("normal = [{}], ", unit.collect::<Vec<_>>().join(", "))
    });
    let side = if matches!(hit, Exact::Front(_)) { "front" } else { "back" };
    let point = point.collect::<Vec<_>>().join(", ");
    format!("first = {{ t = {}, point = [{point}], {normal}side = \"{side}\" }}", t(s))
}

/// Direction of the normal as `x + y sqrt(d)`, if all implicit functions that are zero there have the same one.
fn unique_normal(bound: &Bound<'_>, line: &Line, dim: usize) -> Option<([IBig; 3], [IBig; 3])> {
    let values = Values::at_bound(bound, line, dim);
    let first = values.normals.first()?;
    let near = |a: f64| a.abs() < 1e-40;
    let same = |other: &[_; 3]| (0..3).all(|i| near(crate::number::Dyadic::minus(&first[i], &other[i]).to_f64()));
    values.normals.iter().all(same).then(|| direction(bound.implicits[0], &bound.at, line, dim))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn written(stub: &str) -> String {
        write(&read(stub).unwrap()[0]).unwrap()
    }

    #[test]
    fn a_solid() {
        let stub = "name = \"above the middle\"\n# a comment\n\
            shape = { type = \"sphere\", center = [0, 0, 0], radius = 1 }\n\
            ray = { origin = [-5, 0.25, 0], direction = [1, 0, 0] }\nwant = [4.0318, 5.968]";
        let expected = r##"[[case]]
name = "above the middle"
#                                   :::::
#                                 :::::::::
#       o-----------------------*-----------*------>
#                                :::::::::::
#                                :::::::::::
#                                  :::::::
#   x right, y up
# a comment
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
ray = { origin = [-5, 0.25, 0], direction = [1, 0, 0] }
inside = false
first = { t = "4.031754163448145778705183650054400097292", point = ["-0.9682458365518542212948163499455999027082", 0.25, 0], normal = ["-0.9682458365518542212948163499455999027082", 0.25, 0], side = "front" }
all = ["4.031754163448145778705183650054400097292", "5.968245836551854221294816349945599902708"]
span = ["4.031754163448145778705183650054400097292", "5.968245836551854221294816349945599902708"]
"##;
        assert_eq!(written(stub), expected);
        let wrong = stub.replace("4.0318", "4.04");
        assert!(write(&read(&wrong).unwrap()[0]).unwrap_err().contains("the exact answer is [4.0317"));
    }

    #[test]
    fn ties_ranges_and_rays_that_are_none() {
        let ball = "shape = { type = \"sphere\", center = [0, 0, 0], radius = 1 }\n";
        let ray =
            |origin: &str, rest: &str| format!("{ball}ray = {{ origin = {origin}, direction = [1, 0, 0] }}\n{rest}");
        let tangent = written(&ray("[-5, 1, 0]", ""));
        assert!(tangent.contains("all = [5]\nspan = [5, 5]") && tangent.contains("normal = [0, 1, 0]"), "{tangent}");
        let inside = written(&ray("[0, 0, 0]", "t_max = 0.5"));
        assert!(inside.contains("inside = true") && inside.contains("span = [0, inf]"), "{inside}");
        let hollow = written(&ray("[0, 0, 0]", "origin = \"hollow\""));
        assert!(hollow.contains("all = [1]") && hollow.contains("side = \"back\""), "{hollow}");
        let none = written(&ray("[nan, 0, 0]", ""));
        assert!(none.contains("inside = false\nfirst = \"miss\"\nall = []\nspan = []"), "{none}");
    }

    #[test]
    fn a_surface_and_a_corner() {
        let segment = written(
            "shape = { type = \"segment\", a = [0, -1], b = [0, 1] }\nsegment = { a = [-2, 0], b = [2, 0] }\nfaces = \"back\"",
        );
        assert!(
            segment.contains("#") && segment.contains("side = \"back\"") && segment.contains("all = [0.5]"),
            "{segment}"
        );
        let corner = written(
            "shape = { type = \"rectangle\", center = [0, 0], half_extents = [1, 1] }\n\
            ray = { origin = [-2, 0], direction = [1, 1] }",
        );
        assert!(corner.contains("point = [-1, 1], side") && corner.contains("span = [1, 1]"), "{corner}");
    }
}
