//! Scenes of the plane as SVG drawings.

use super::labels::{Label, TEXT_HEIGHT};
use super::options::ViewOptions;
use super::overlay::{Annotations, Stroke};
use super::plane_labels::labels_in;
use super::plane_view::PlaneView;
use super::span_paths::SpanPaths;
use crate::outline::{Outline, Point};
use crate::scene::{SceneSpace, names};
use hitscan::Scene;
use hitscan::glam::DVec2;
use hitscan_io::fmt::has_solid;
use std::fmt::Write;

/// The text of an SVG file.
pub(crate) fn draw<V: SceneSpace>(
    scene: &Scene<V>,
    annotations: &Annotations,
    view: &PlaneView,
    options: &ViewOptions,
) -> String {
    let [width, height] = view.pixels().to_array().map(f64::round);
    let mut svg = Svg { text: String::new(), view };
    svg.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    ));
    svg.push(format_args!("<rect width=\"100%\" height=\"100%\" fill=\"#fbfcfe\"/>"));
    svg.grid();
    for ((id, object), name) in scene.objects().zip(names(scene)) {
        let color = annotations.color_of(id.index());
        let has_solid = has_solid::<V>(object.shape());
        if has_solid {
            svg.spans(&SpanPaths::of(object.instance(), view), color, 0.28, &name);
        }
        // Spans show everything that has an inside.
        let outlines = V::outlines(object).into_iter();
        let is_line = |outline: &Outline| matches!(outline, Outline::Segment(..) | Outline::Line(..));
        for outline in outlines.filter(|outline| !has_solid || is_line(outline)) {
            svg.shape(&outline, color, 0.28, &name);
        }
    }
    for solid in &annotations.translucent {
        svg.shape(&solid.form.outline(), solid.color, 0.1, solid.name);
    }
    annotations.dashes.iter().for_each(|stroke| svg.dashes(stroke));
    annotations.strokes.iter().for_each(|stroke| svg.ray(stroke));
    for note in &annotations.notes {
        let p = view.to_pixels(note.point.truncate());
        svg.push(format_args!("<circle cx=\"{:.3}\" cy=\"{:.3}\" r=\"4\" fill=\"#{:06x}\"/>", p.x, p.y, note.color));
    }
    labels_in(scene, annotations, view, options.labels).iter().for_each(|label| svg.label(label));
    svg.push(format_args!("</svg>"));
    svg.text
}

struct Svg<'a> {
    text: String,
    view: &'a PlaneView,
}

impl Svg<'_> {
    fn push(&mut self, line: std::fmt::Arguments) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn to_pixels(&self, p: Point) -> DVec2 {
        self.view.to_pixels(DVec2::from_array(p))
    }

    fn grid(&mut self) {
        let (step, view) = (self.view.grid_step(), *self.view);
        let mut path = String::new();
        for (axis, vertical) in [(0, true), (1, false)] {
            let first = (view.min[axis] / step).ceil() as i64;
            let last = (view.max[axis] / step).floor() as i64;
            for line in first..=last.min(first.saturating_add(100)) {
                let at = line as f64 * step;
                let (from, to) = match vertical {
                    true => (DVec2::new(at, view.min.y), DVec2::new(at, view.max.y)),
                    false => (DVec2::new(view.min.x, at), DVec2::new(view.max.x, at)),
                };
                let (from, to) = (view.to_pixels(from), view.to_pixels(to));
                let _ = write!(path, "M{:.2} {:.2}L{:.2} {:.2}", from.x, from.y, to.x, to.y);
            }
        }
        self.push(format_args!("<path d=\"{path}\" stroke=\"#e6eaf1\" stroke-width=\"1\" fill=\"none\"/>"));
    }

    fn shape(&mut self, outline: &Outline, color: u32, opacity: f64, name: &str) {
        let title = format!("<title>{}</title>", escaped(name));
        let stroke = format!("stroke=\"#{color:06x}\" stroke-width=\"2.2\" stroke-linejoin=\"round\"");
        let solid = format!("{stroke} fill=\"#{color:06x}\" fill-opacity=\"{opacity}\"");
        let line = format!("{stroke} fill=\"none\" stroke-linecap=\"round\"");
        let scale = self.view.scale;
        match outline {
            Outline::Ellipse(center, radii, axis) => {
                let c = self.to_pixels(*center);
                let [rx, ry] = radii.map(|r| r * scale);
                // The y axis of pictures points down, so angles are negated.
                let turn = -axis[1].atan2(axis[0]).to_degrees();
                let (x, y) = (c.x, c.y);
                self.push(format_args!(
                    "<ellipse cx=\"{x:.3}\" cy=\"{y:.3}\" rx=\"{rx:.3}\" ry=\"{ry:.3}\" \
                     transform=\"rotate({turn:.4} {x:.3} {y:.3})\" {solid}>{title}</ellipse>"
                ));
            }
            Outline::Polygon(corners) => {
                let places: Vec<DVec2> = corners.iter().map(|p| self.to_pixels(*p)).collect();
                self.polygon(&places, &solid, &title);
            }
            Outline::Capsule(a, b, radius) => {
                self.capsule(self.to_pixels(*a), self.to_pixels(*b), radius * scale, &solid, &title);
            }
            Outline::Segment(a, b) => self.polygon(&[self.to_pixels(*a), self.to_pixels(*b)], &line, &title),
            Outline::Line(point, normal) => {
                let (foot, along, _) = self.border(*point, *normal);
                self.polygon(&[foot - along, foot + along], &line, &title);
            }
            Outline::HalfPlane(point, normal) => {
                let (foot, along, inward) = self.border(*point, *normal);
                self.polygon(
                    &[foot - along, foot + along, foot + along + inward, foot - along + inward],
                    &solid,
                    &title,
                );
            }
        }
    }

    fn spans(&mut self, paths: &SpanPaths, color: u32, opacity: f64, name: &str) {
        let (title, SpanPaths { inside, border }) = (format!("<title>{}</title>", escaped(name)), paths);
        self.push(format_args!(
            "<path d=\"{inside}\" fill=\"#{color:06x}\" fill-opacity=\"{opacity}\" shape-rendering=\"crispEdges\">{title}</path>"
        ));
        self.push(format_args!("<path d=\"{border}\" stroke=\"#{color:06x}\" stroke-width=\"2.2\">{title}</path>"));
    }

    /// A straight border in pixels: its point nearest to the middle of the picture, a vector along it and one behind it, each
    /// longer than the picture.
    fn border(&self, point: Point, normal: Point) -> (DVec2, DVec2, DVec2) {
        let middle = (self.view.min + self.view.max) / 2.0;
        let normal = DVec2::from_array(normal).normalize_or_zero();
        let foot = middle - normal * (middle - DVec2::from_array(point)).dot(normal);
        let far = 2.0 * self.view.diagonal() * self.view.scale;
        let flipped = DVec2::new(normal.x, -normal.y);
        (self.view.to_pixels(foot), flipped.perp() * far, -flipped * far)
    }

    fn polygon(&mut self, places: &[DVec2], style: &str, title: &str) {
        let points: Vec<String> = places.iter().map(|p| format!("{:.3},{:.3}", p.x, p.y)).collect();
        self.push(format_args!("<polygon points=\"{}\" {style}>{title}</polygon>", points.join(" ")));
    }

    fn capsule(&mut self, a: DVec2, b: DVec2, r: f64, style: &str, title: &str) {
        let side = (b - a).normalize_or_zero().perp() * r;
        let [p, q, s, t] = [a + side, a - side, b - side, b + side].map(|p| format!("{:.3} {:.3}", p.x, p.y));
        let arc = format!("A{r:.3} {r:.3} 0 0 1");
        self.push(format_args!("<path d=\"M{p} {arc} {q} L{s} {arc} {t} Z\" {style}>{title}</path>"));
    }

    fn dashes(&mut self, stroke: &Stroke) {
        let (from, to) = (self.view.to_pixels(stroke.from.truncate()), self.view.to_pixels(stroke.to.truncate()));
        let color = stroke.color;
        self.push(format_args!(
            "<path d=\"M{:.3} {:.3} L{:.3} {:.3}\" stroke=\"#{color:06x}\" stroke-width=\"1.4\" stroke-dasharray=\"6 5\"/>",
            from.x, from.y, to.x, to.y
        ));
    }

    fn label(&mut self, label: &Label) {
        let Label { text, center, half, color, anchor } = label;
        if let Some(anchor) = anchor {
            self.push(format_args!(
                "<path d=\"M{:.1} {:.1} L{:.1} {:.1}\" stroke=\"#{color:06x}\" stroke-width=\"1\"/>",
                anchor.x, anchor.y, center.x, center.y
            ));
        }
        let (low, size) = (*center - *half, *half * 2.0);
        self.push(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"5\" fill=\"#ffffff\" fill-opacity=\"0.94\" \
             stroke=\"#{color:06x}\" stroke-width=\"1.3\"/>",
            low.x, low.y, size.x, size.y
        ));
        // Capital letters of common fonts are about 0.72 of the font's size.
        self.push(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{:.1}\" \
             text-anchor=\"middle\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#1b2230\">{}</text>",
            center.x,
            center.y + TEXT_HEIGHT / 2.0,
            TEXT_HEIGHT / 0.72,
            size.x - 12.0,
            escaped(text)
        ));
    }

    fn ray(&mut self, stroke: &Stroke) {
        let (from, to) = (self.view.to_pixels(stroke.from.truncate()), self.view.to_pixels(stroke.to.truncate()));
        let color = stroke.color;
        self.push(format_args!(
            "<path d=\"M{:.3} {:.3} L{:.3} {:.3}\" stroke=\"#{color:06x}\" stroke-width=\"2.6\" stroke-linecap=\"round\"/>",
            from.x, from.y, to.x, to.y
        ));
        self.push(format_args!("<circle cx=\"{:.3}\" cy=\"{:.3}\" r=\"3.2\" fill=\"#{color:06x}\"/>", from.x, from.y));
    }
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(char::is_control, " ")
}
