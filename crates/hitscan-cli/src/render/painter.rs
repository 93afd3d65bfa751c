//! The colour of a pixel: camera rays, light and shadow.

use super::camera::Camera;
use super::color::{Color, encode, of_depth, rgb};
use super::grid::round_1_2_5;
use super::options::ColorBy;
use crate::scene::{SceneSpace, coordinates, vector};
use hitscan::Real;
use hitscan::glam::DVec3;
use hitscan::{Hit, Inside, Instance, Query, Ray, RayCast, Scene, Side};

/// Everything that the colour of a pixel depends on.
pub(crate) struct SpacePainter<'a, V: SceneSpace> {
    pub(crate) scene: &'a Scene<V>,
    /// A colour for each shape; `None` for unbounded shapes, which are drawn as ground.
    pub(crate) colors: Vec<Option<Color>>,
    pub(crate) translucent: Vec<(Instance<V>, Color)>,
    /// The number of shapes; the objects after them are rods of rays.
    pub(crate) shapes: usize,
    /// The layers of the objects that cast a shadow.
    pub(crate) shadow_layers: u32,
    pub(crate) camera: Camera,
    pub(crate) by: ColorBy,
    /// Towards the light, of length 1.
    pub(crate) light: DVec3,
    /// Whether the camera is among the shapes: then a lamp at the camera lights the room, and nothing casts a shadow.
    pub(crate) is_inside: bool,
    pub(crate) up: DVec3,
    /// The diagonal of the scene, the unit of lengths such as that of haze.
    pub(crate) size: f64,
    /// The nearest and the farthest distance, for [`ColorBy::Depth`].
    pub(crate) depths: [f64; 2],
    /// Width and height.
    pub(crate) pixels: [u32; 2],
    /// Rays along each side of a pixel.
    pub(crate) samples: u32,
}

impl<V: SceneSpace> SpacePainter<'_, V> {
    /// A row of pixels.
    pub(crate) fn row(&self, y: usize) -> Vec<u8> {
        let [width, height] = self.pixels.map(f64::from);
        let step = 1.0 / f64::from(self.samples);
        let mut bytes = Vec::with_capacity(3 * self.pixels[0] as usize);
        for x in 0..self.pixels[0] {
            let mut sum = Color::ZERO;
            for (i, j) in (0..self.samples).flat_map(|j| (0..self.samples).map(move |i| (i, j))) {
                let at = |pixel: f64, sample: u32| pixel + (f64::from(sample) + 0.5) * step;
                let (u, v) = (at(f64::from(x), i) / width, at(y as f64, j) / height);
                sum += self.color(self.camera.direction(u, v), v);
            }
            bytes.extend(encode(sum * step * step));
        }
        bytes
    }

    /// The first hit of the camera ray in this direction.
    pub(crate) fn camera_hit(&self, direction: DVec3) -> Option<Hit<V>> {
        self.scene.cast_ray(&Ray::new(vector::<V>(self.camera.eye.to_array()), vector(direction.to_array())), ..)
    }

    fn color(&self, direction: DVec3, height: f64) -> Color {
        let background = rgb(0xfafbfd).lerp(rgb(0xdfe7f1), height);
        let hit = self.camera_hit(direction);
        let color = match &hit {
            Some(hit) => self.color_of_hit(hit, direction, background),
            None => background,
        };
        self.through_solids(color, direction, hit.map_or(f64::INFINITY, |hit| hit.t.to_f64()))
    }

    fn color_of_hit(&self, hit: &Hit<V>, direction: DVec3, background: Color) -> Color {
        let side = if hit.side == Side::Front { 1.0 } else { -1.0 };
        let normal = DVec3::from_array(coordinates(hit.normal));
        match self.by {
            ColorBy::Normal => normal * 0.5 + 0.5,
            ColorBy::Depth => {
                let [near, far] = self.depths;
                of_depth((hit.distance.to_f64() - near) / (far - near).max(f64::MIN_POSITIVE))
            }
            ColorBy::Shape => self.lit(hit, normal * side, direction, background),
        }
    }

    /// The colour seen through the translucent solids before it. A solid is less transparent where the ray grazes its
    /// surface.
    fn through_solids(&self, behind: Color, direction: DVec3, end: f64) -> Color {
        let ray = Ray::new(vector::<V>(self.camera.eye.to_array()), vector(direction.to_array()));
        let query = Query::from(..=V::Scalar::from_f64(end)).inside(Inside::Hollow);
        let mut color = behind;
        for (solid, own) in &self.translucent {
            for hit in solid.cast_ray_all(&ray, query) {
                let normal = DVec3::from_array(coordinates(hit.normal));
                let grazing = 1.0 - (normal.dot(direction) / direction.length()).abs().min(1.0);
                color = color.lerp(*own, 0.09 + 0.5 * grazing.powi(4));
            }
        }
        color
    }

    fn lit(&self, hit: &Hit<V>, normal: DVec3, direction: DVec3, background: Color) -> Color {
        let own = hit.object.and_then(|shape| self.colors.get(shape.index()).copied().flatten());
        let point = DVec3::from_array(coordinates(hit.point));
        let facing = (-normal.dot(direction) / direction.length()).max(0.0);
        if let Some(color) = own.filter(|_| hit.object.is_some_and(|shape| shape.index() >= self.shapes)) {
            // Rods of rays have no shadow: they glow, shaded a little to look round.
            return color * (0.7 + 0.45 * facing);
        }
        let cosine = normal.dot(self.light).max(0.0);
        let sun = if !self.is_inside && cosine > 0.0 && !self.is_shaded(point) { cosine } else { 0.0 };
        // Light of the sky from above, and some of the camera.
        let sky = 0.5 + 0.5 * normal.dot(self.up);
        let light = if self.is_inside {
            // The lamp fades with the distance. A weak light from the side tells walls from floors.
            let fading = 1.0 / (1.0 + 2.5 * hit.distance.to_f64() / self.size);
            0.2 + 0.2 * sky + 0.2 * cosine + 0.75 * facing * fading
        } else {
            0.74 * sun + 0.32 * sky + 0.16 * facing
        };
        match own {
            Some(color) => {
                let half = (self.light - direction.normalize()).normalize();
                let gloss = if sun > 0.0 { 0.18 * normal.dot(half).max(0.0).powi(40) } else { 0.0 };
                color * light * 1.05 + gloss
            }
            None => {
                let ground = rgb(0xf0f3f7) * (1.0 - 0.4 * self.grid(point, normal, hit.distance.to_f64(), facing));
                // Distant ground fades into the sky.
                let haze = (hit.distance.to_f64() / self.size / 2.2 - 0.8).clamp(0.0, 1.0);
                (ground * (light * 0.97).min(1.0)).lerp(background, haze)
            }
        }
    }

    fn is_shaded(&self, point: DVec3) -> bool {
        // Starts a thousandth of the scene away, so that a surface does not shade itself.
        let query = Query::from(V::Scalar::from_f64(self.size * 1e-3)..).layers(self.shadow_layers);
        self.scene.intersects_ray(&Ray::new(vector::<V>(point.to_array()), vector(self.light.to_array())), query)
    }

    /// The coverage of a pixel by a line of the ground's grid, 0 to 1.
    fn grid(&self, point: DVec3, normal: DVec3, distance: f64, facing: f64) -> f64 {
        let spacing = round_1_2_5(self.size / 12.0);
        let axis = normal.abs().to_array();
        let steepest = if axis[1] >= axis[0].max(axis[2]) {
            1
        } else if axis[0] > axis[2] {
            0
        } else {
            2
        };
        let pixel = self.camera.pixel_angle(self.pixels[1]) * distance;
        let pixel = pixel / facing.max(0.05) / f64::from(self.samples);
        let mut cover: f64 = 0.0;
        for (_, x) in point.to_array().into_iter().enumerate().filter(|(i, _)| *i != steepest) {
            let away = (x / spacing - (x / spacing).round()).abs() * spacing;
            let width = spacing * 0.012;
            let here = ((width + pixel / 2.0 - away) / pixel).clamp(0.0, 1.0).min(2.0 * width / pixel);
            cover = cover.max(here.min(1.0));
        }
        cover
    }
}
