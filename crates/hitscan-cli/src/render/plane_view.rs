//! The part of the plane that a picture shows.

use super::grid::round_1_2_5;
use super::options::Canvas;
use crate::scene::{SceneSpace, coordinates};
use hitscan::Scene;
use hitscan::glam::{DVec2, DVec3};
use hitscan_io::{Endpoint, RayBatch};

/// The part of the plane that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlaneView {
    pub(crate) min: DVec2,
    pub(crate) max: DVec2,
    /// Pixels per unit.
    pub(crate) scale: f64,
}

impl PlaneView {
    /// The part around the points in focus, else the bounded shapes, and the ends of the rays, in the proportions of the
    /// canvas.
    pub(crate) fn around<V: SceneSpace>(
        scene: &Scene<V>,
        rays: Option<&RayBatch>,
        focus: &[DVec3],
        canvas: &Canvas,
    ) -> Self {
        let mut points: Vec<DVec2> = focus.iter().map(|p| p.truncate()).collect();
        let aabb = scene.finite_bounds();
        if aabb.is_bounded() && focus.is_empty() {
            points.extend([aabb.min, aabb.max].map(|corner| DVec3::from_array(coordinates(corner)).truncate()));
        }
        if let Some(rays) = rays {
            let mut add = |columns: &[Vec<f64>; 3]| {
                points.extend(columns[0].iter().zip(&columns[1]).map(|(x, y)| DVec2::new(*x, *y)));
            };
            add(&rays.origin);
            if let Endpoint::End(end) = &rays.endpoint {
                add(end);
            }
        }
        let (min, max) = match points.split_first() {
            Some((first, more)) => more.iter().fold((*first, *first), |(min, max), p| (min.min(*p), max.max(*p))),
            None => (DVec2::splat(-5.0), DVec2::splat(5.0)),
        };
        let extent =
            (max - min).max(DVec2::splat((max - min).max_element() * 1e-3)).max(DVec2::splat(f64::MIN_POSITIVE));
        let pixels = DVec2::new(f64::from(canvas.width), f64::from(canvas.height));
        let scale = (pixels / (extent * 1.14)).min_element();
        let (center, half) = ((min + max) / 2.0, pixels / scale / 2.0);
        Self { min: center - half, max: center + half, scale }
    }

    /// A point of the plane, in pixels from the upper left.
    pub(crate) fn to_pixels(self, p: DVec2) -> DVec2 {
        DVec2::new(p.x - self.min.x, self.max.y - p.y) * self.scale
    }

    /// A point of the plane, from pixels.
    pub(crate) fn to_plane(self, x: f64, y: f64) -> DVec2 {
        DVec2::new(self.min.x + x / self.scale, self.max.y - y / self.scale)
    }

    /// The size of the picture in pixels.
    pub(crate) fn pixels(&self) -> DVec2 {
        (self.max - self.min) * self.scale
    }

    /// The length of the picture's diagonal, in units of the plane.
    pub(crate) fn diagonal(&self) -> f64 {
        (self.max - self.min).length()
    }

    /// The distance between grid lines.
    pub(crate) fn grid_step(&self) -> f64 {
        round_1_2_5(self.diagonal() / 10.0)
    }
}
