//! The inside and the border of an object of the plane as paths of an SVG, from the spans of rows and columns of pixels: for
//! solids of several shapes, whose borders have no formula.

use super::plane_view::PlaneView;
use crate::scene::{SceneSpace, vector};
use hitscan::glam::DVec2;
use hitscan::{Hit, Inside, Instance, Query, Ray, RayCast, Real};
use std::fmt::Write;

/// The data of two paths, in pixels.
#[derive(Debug, Default)]
pub(crate) struct SpanPaths {
    /// A rectangle for each part of a row of pixels that is inside.
    pub(crate) inside: String,
    /// A stroke of the length of a pixel for each end of a span of a row or a column.
    pub(crate) border: String,
}

impl SpanPaths {
    /// Casts a ray through the middle of each row, and of each column.
    pub(crate) fn of<V: SceneSpace>(object: &Instance<V>, view: &PlaneView) -> Self {
        let [width, height] = view.pixels().to_array().map(f64::round);
        let mut paths = Self::default();
        for row in 0..height as u32 {
            let y = f64::from(row);
            for [from, to] in spans(object, view, DVec2::new(0.0, y + 0.5), DVec2::new(width, 0.0)) {
                // Writing to a string does not fail.
                let [a, b] = [from, to].map(|share| share * width);
                let _ = write!(paths.inside, "M{a:.2} {y}H{b:.2}v1H{a:.2}Z");
                for x in [from, to].into_iter().filter(|share| is_in_picture(*share)).map(|share| share * width) {
                    let _ = write!(paths.border, "M{x:.2} {y}v1");
                }
            }
        }
        for column in 0..width as u32 {
            let x = f64::from(column);
            for ends in spans(object, view, DVec2::new(x + 0.5, 0.0), DVec2::new(0.0, height)) {
                for y in ends.into_iter().filter(|share| is_in_picture(*share)).map(|share| share * height) {
                    let _ = write!(paths.border, "M{x} {y:.2}h1");
                }
            }
        }
        paths
    }
}

/// Whether an end of a span is one of the object, and not of the picture.
fn is_in_picture(share: f64) -> bool {
    share > 0.0 && share < 1.0
}

/// The parts of a line through the picture that are inside, as shares of its length.
fn spans<V: SceneSpace>(object: &Instance<V>, view: &PlaneView, from: DVec2, along: DVec2) -> Vec<[f64; 2]> {
    let [start, end] = [from, from + along].map(|p| view.to_plane(p.x, p.y));
    let [origin, direction] = [start, end - start].map(|v| vector::<V>([v.x, v.y, 0.0]));
    let query = Query::from(..=V::Scalar::ONE).inside(Inside::Solid);
    let spans = object.spans(&Ray::new(origin, direction), query);
    let share = |end: Option<Hit<V>>, missing: f64| end.map_or(missing, |hit| hit.t.to_f64());
    spans.into_iter().map(|span| [share(span.enter, 0.0), share(span.exit, 1.0)]).collect()
}
