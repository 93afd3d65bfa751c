//! Scenes of the plane: what part of it to show, and rasters.

use super::color::{Color, encode, of_shape, rgb};
use super::overlay::{Stroke, WithRods, with_rods};
use super::shade::nice;
use super::{Look, Paper};
use crate::error::Result;
use crate::parallel::in_pieces;
use crate::scene::{Space, coordinates, vector};
use hitscan::Real;
use hitscan::glam::{DVec2, DVec3};
use hitscan::{Aabb, Inside, Query, Scene, Segment, Shape};
use hitscan_io::{RayBatch, Second};

/// The part of the plane that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) min: DVec2,
    pub(crate) max: DVec2,
    /// Pixels per unit.
    pub(crate) scale: f64,
}

impl View {
    /// Around the shapes of finite size and the ends of the rays, in the proportions of the paper.
    pub(crate) fn around<V: Space>(scene: &Scene<V>, rays: Option<&RayBatch>, paper: &Paper) -> Self {
        let mut points = Vec::new();
        let aabb = scene.finite_bounds();
        if aabb.is_bounded() {
            points.extend([aabb.min, aabb.max].map(|corner| DVec3::from_array(coordinates(corner)).truncate()));
        }
        if let Some(rays) = rays {
            let mut add = |columns: &[Vec<f64>; 3]| {
                points.extend(columns[0].iter().zip(&columns[1]).map(|(x, y)| DVec2::new(*x, *y)));
            };
            add(&rays.origin);
            if let Second::End(end) = &rays.second {
                add(end);
            }
        }
        let (min, max) = match points.split_first() {
            Some((first, more)) => more.iter().fold((*first, *first), |(min, max), p| (min.min(*p), max.max(*p))),
            None => (DVec2::splat(-5.0), DVec2::splat(5.0)),
        };
        let extent =
            (max - min).max(DVec2::splat((max - min).max_element() * 1e-3)).max(DVec2::splat(f64::MIN_POSITIVE));
        let pixels = DVec2::new(f64::from(paper.width), f64::from(paper.height));
        let scale = (pixels / (extent * 1.14)).min_element();
        let (center, half) = ((min + max) / 2.0, pixels / scale / 2.0);
        Self { min: center - half, max: center + half, scale }
    }

    /// In pixels, from the upper left.
    pub(crate) fn place(&self, p: DVec2) -> DVec2 {
        DVec2::new(p.x - self.min.x, self.max.y - p.y) * self.scale
    }

    /// In the plane, of a place in pixels.
    pub(crate) fn point(&self, x: f64, y: f64) -> DVec2 {
        DVec2::new(self.min.x + x / self.scale, self.max.y - y / self.scale)
    }

    /// The length of the diagonal.
    pub(crate) fn diagonal(&self) -> f64 {
        (self.max - self.min).length()
    }

    /// The distance of the lines of a grid.
    pub(crate) fn grid(&self) -> f64 {
        nice(self.diagonal() / 10.0)
    }
}

/// Half the width of an outline, in pixels.
const HALF_STROKE: f64 = 1.1;

/// The bytes of a picture. A solid is where `contains` says so, an outline where a short segment meets the skin: the
/// picture shows what the library decides, not what we know of shapes.
pub(crate) fn paint<V: Space>(
    scene: &Scene<V>,
    strokes: &[Stroke],
    view: &View,
    look: &Look,
    paper: &Paper,
) -> Result<Vec<u8>> {
    let shapes = scene.objects().len();
    let WithRods { scene, colors: rods, .. } = with_rods(scene, strokes, 1.3 / view.scale)?;
    let ink = Ink { scene: &scene, shapes, rods, view, samples: look.samples, width: paper.width };
    let rows =
        in_pieces(paper.height as usize, 4, paper.threads, |range| range.flat_map(|y| ink.row(y)).collect::<Vec<u8>>());
    Ok(rows.concat())
}

struct Ink<'a, V: Space> {
    scene: &'a Scene<V>,
    /// Objects that are shapes; the others are rods of rays.
    shapes: usize,
    rods: Vec<Color>,
    view: &'a View,
    samples: u32,
    width: u32,
}

impl<V: Space> Ink<'_, V> {
    fn row(&self, y: usize) -> Vec<u8> {
        let boxes: Vec<Aabb<V>> = self.scene.objects().iter().map(|object| object.shape().aabb()).collect();
        let mut bytes = Vec::with_capacity(3 * self.width as usize);
        for x in 0..self.width {
            let corner = |dx: f64, dy: f64| self.view.point(f64::from(x) + dx, y as f64 + dy).to_array();
            let (reach, low) = (1.0 + 2.0 * HALF_STROKE, -2.0 * HALF_STROKE);
            let ([min_x, max_y], [max_x, min_y]) = (corner(low, low), corner(reach, reach));
            let near: Vec<usize> = (0..boxes.len())
                .filter(|i| {
                    let ([ax, ay, _], [bx, by, _]) = (coordinates(boxes[*i].min), coordinates(boxes[*i].max));
                    ax <= max_x && bx >= min_x && ay <= max_y && by >= min_y
                })
                .collect();
            let step = 1.0 / f64::from(self.samples);
            let mut sum = Color::ZERO;
            for (i, j) in (0..self.samples).flat_map(|j| (0..self.samples).map(move |i| (i, j))) {
                let place = |pixel: f64, sample: u32| pixel + (f64::from(sample) + 0.5) * step;
                sum += self.color(self.view.point(place(f64::from(x), i), place(y as f64, j)), &near);
            }
            bytes.extend(encode(sum * step * step));
        }
        bytes
    }

    fn color(&self, p: DVec2, near: &[usize]) -> Color {
        let grid = self.view.grid();
        let is_line = |x: f64| (x / grid - (x / grid).round()).abs() * grid * self.view.scale < 0.5;
        let mut color = rgb(if is_line(p.x) || is_line(p.y) { 0xe9edf3 } else { 0xfbfcfe });
        for &i in near {
            let shape = self.scene.objects()[i].shape();
            if let Some(rod) = i.checked_sub(self.shapes) {
                color = if shape.contains(as_vector(p)) { self.rods[rod] } else { color };
            } else if self.is_on_skin(shape, p) {
                color = rgb(of_shape(i)) * 0.8;
            } else if shape.contains(as_vector(p)) {
                color = color.lerp(rgb(of_shape(i)), 0.3);
            }
        }
        color
    }

    /// Whether one of four short segments through the point, like an asterisk, meets the shape's boundary.
    fn is_on_skin(&self, shape: &V::Shape, p: DVec2) -> bool {
        let half = HALF_STROKE / self.view.scale;
        let query = Query::from(..=V::Scalar::ONE).inside(Inside::Hollow);
        [(1.0, 0.0), (0.0, 1.0), (0.7, 0.7), (0.7, -0.7)].into_iter().any(|(x, y)| {
            let reach = DVec2::new(x, y) * half;
            shape.intersects_ray(&Segment::new(as_vector::<V>(p - reach), as_vector(p + reach)), query)
        })
    }
}

fn as_vector<V: Space>(p: DVec2) -> V {
    vector([p.x, p.y, 0.0])
}
