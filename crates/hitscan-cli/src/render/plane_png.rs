//! Scenes of the plane as pixels.

use super::color::{Color, encode, rgb};
use super::options::{Canvas, ViewOptions};
use super::overlay::{Annotations, Stroke, WithRods, with_rods};
use super::pixels::PixelImage;
use super::plane_labels::labels_in;
use super::plane_view::PlaneView;
use crate::error::Result;
use crate::parallel::in_pieces;
use crate::scene::{SceneSpace, coordinates, vector};
use hitscan::Real;
use hitscan::glam::DVec2;
use hitscan::{Aabb, Inside, Instance, Query, RayCast, Scene, Segment, Shape};

/// Half the width of an outline, in pixels.
const HALF_STROKE: f64 = 1.1;

/// The bytes of a picture, row by row: red, green, blue. `contains` of the library decides which pixels a solid covers; an
/// outline is where a short segment hits the boundary.
pub(crate) fn paint<V: SceneSpace>(
    scene: &Scene<V>,
    annotations: &Annotations,
    part: &PlaneView,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    let shapes = scene.len();
    let WithRods { scene: with_rods, colors: rods, .. } = with_rods(scene, &annotations.strokes, 1.3 / part.scale)?;
    let placed = with_rods.objects().map(|(_, object)| object.instance());
    let objects = placed.map(|shape| (shape.aabb(), shape)).map(|(aabb, shape)| (shape, aabb)).collect();
    let colors = scene.objects().map(|(id, _)| rgb(annotations.color_of(id.index()))).chain(rods).collect();
    let translucent = annotations
        .translucent
        .iter()
        .filter_map(|solid| Some((Instance::new(solid.form.shape::<V>()?), rgb(solid.color))));
    let painter = PlanePainter {
        objects,
        shapes,
        colors,
        translucent: translucent.collect(),
        part,
        samples: view.samples,
        width: canvas.width,
    };
    let rows = in_pieces(canvas.height as usize, 4, canvas.threads, |range| {
        range.flat_map(|y| painter.row(y)).collect::<Vec<u8>>()
    });
    let mut bytes = rows.concat();
    let mut image = PixelImage::new(&mut bytes, canvas.width, canvas.height);
    for Stroke { from, to, color } in &annotations.dashes {
        image.dashes(part.to_pixels(from.truncate()), part.to_pixels(to.truncate()), *color);
    }
    for note in &annotations.notes {
        image.dot(part.to_pixels(note.point.truncate()), note.color);
    }
    labels_in(scene, annotations, part, view.labels).iter().for_each(|label| image.label(label));
    Ok(bytes)
}

struct PlanePainter<'a, V: SceneSpace> {
    /// The shapes of the objects, and their bounding boxes.
    objects: Vec<(&'a Instance<V>, Aabb<V>)>,
    /// The number of shapes; the objects after them are rods of rays.
    shapes: usize,
    /// The colours of the shapes and of the rods.
    colors: Vec<Color>,
    translucent: Vec<(Instance<V>, Color)>,
    part: &'a PlaneView,
    samples: u32,
    width: u32,
}

impl<V: SceneSpace> PlanePainter<'_, V> {
    fn row(&self, y: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(3 * self.width as usize);
        for x in 0..self.width {
            let corner = |dx: f64, dy: f64| self.part.to_plane(f64::from(x) + dx, y as f64 + dy).to_array();
            let (high, low) = (1.0 + 2.0 * HALF_STROKE, -2.0 * HALF_STROKE);
            let ([min_x, max_y], [max_x, min_y]) = (corner(low, low), corner(high, high));
            let near: Vec<usize> = (0..self.objects.len())
                .filter(|i| {
                    let (_, aabb) = &self.objects[*i];
                    let ([ax, ay, _], [bx, by, _]) = (coordinates(aabb.min), coordinates(aabb.max));
                    ax <= max_x && bx >= min_x && ay <= max_y && by >= min_y
                })
                .collect();
            let step = 1.0 / f64::from(self.samples);
            let mut sum = Color::ZERO;
            for (i, j) in (0..self.samples).flat_map(|j| (0..self.samples).map(move |i| (i, j))) {
                let at = |pixel: f64, sample: u32| pixel + (f64::from(sample) + 0.5) * step;
                sum += self.color(self.part.to_plane(at(f64::from(x), i), at(y as f64, j)), &near);
            }
            bytes.extend(encode(sum * step * step));
        }
        bytes
    }

    fn color(&self, p: DVec2, near: &[usize]) -> Color {
        let grid = self.part.grid_step();
        let is_line = |x: f64| (x / grid - (x / grid).round()).abs() * grid * self.part.scale < 0.5;
        let mut color = rgb(if is_line(p.x) || is_line(p.y) { 0xe9edf3 } else { 0xfbfcfe });
        for &i in near {
            let shape = self.objects[i].0;
            if i >= self.shapes {
                color = if shape.contains(as_vector(p)) { self.colors[i] } else { color };
            } else if self.is_on_boundary(shape, p) {
                color = self.colors[i] * 0.8;
            } else if shape.contains(as_vector(p)) {
                color = color.lerp(self.colors[i], 0.3);
            }
        }
        for (shape, own) in &self.translucent {
            if self.is_on_boundary(shape, p) {
                color = *own;
            } else if shape.contains(as_vector(p)) {
                color = color.lerp(*own, 0.1);
            }
        }
        color
    }

    /// Whether one of four short segments through the point, like an asterisk, hits the shape's boundary.
    fn is_on_boundary(&self, shape: &dyn Shape<V>, p: DVec2) -> bool {
        let half = HALF_STROKE / self.part.scale;
        let query = Query::from(..=V::Scalar::ONE).inside(Inside::Hollow);
        [(1.0, 0.0), (0.0, 1.0), (0.7, 0.7), (0.7, -0.7)].into_iter().any(|(x, y)| {
            let half_cross = DVec2::new(x, y) * half;
            shape.intersects_ray(&Segment::new(as_vector::<V>(p - half_cross), as_vector(p + half_cross)), query)
        })
    }
}

fn as_vector<V: SceneSpace>(p: DVec2) -> V {
    vector([p.x, p.y, 0.0])
}
