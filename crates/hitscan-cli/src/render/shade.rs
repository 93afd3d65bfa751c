//! What colour a ray sees.

use super::camera::Camera;
use super::color::{Color, encode, of_depth, rgb};
use crate::scene::{Space, coordinates, vector};
use clap::ValueEnum;
use hitscan::Real;
use hitscan::glam::DVec3;
use hitscan::{Hit, Query, Ray, Scene, Shape, Side};

/// `--by`: what colours mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// a colour for each shape, with light and shadow
    #[default]
    Shape,
    /// the normal: x, y, z as red, green, blue
    Normal,
    /// the distance: near is bright
    Depth,
}

/// A picture in the making.
pub(crate) struct Painter<'a, V: Space> {
    pub(crate) scene: &'a Scene<V>,
    /// One for each shape; `None` for what has no end, which is drawn as ground.
    pub(crate) colors: Vec<Option<Color>>,
    /// How many shapes there are; what has a higher number is the rod of a ray.
    pub(crate) shapes: usize,
    /// The layers of what casts a shadow.
    pub(crate) shadow_layers: u32,
    pub(crate) camera: Camera,
    pub(crate) by: By,
    /// Towards the light, of length 1.
    pub(crate) light: DVec3,
    pub(crate) up: DVec3,
    /// The size of the scene: what is far and what is near is measured by it.
    pub(crate) size: f64,
    /// The nearest and the farthest distance, for [`By::Depth`].
    pub(crate) depths: [f64; 2],
    /// Width and height.
    pub(crate) pixels: [u32; 2],
    /// Rays along each side of a pixel.
    pub(crate) samples: u32,
}

impl<V: Space> Painter<'_, V> {
    /// A row of pixels.
    pub(crate) fn row(&self, y: usize) -> Vec<u8> {
        let [width, height] = self.pixels.map(f64::from);
        let step = 1.0 / f64::from(self.samples);
        let mut bytes = Vec::with_capacity(3 * self.pixels[0] as usize);
        for x in 0..self.pixels[0] {
            let mut sum = Color::ZERO;
            for (i, j) in (0..self.samples).flat_map(|j| (0..self.samples).map(move |i| (i, j))) {
                let place = |pixel: f64, sample: u32| pixel + (f64::from(sample) + 0.5) * step;
                let (u, v) = (place(f64::from(x), i) / width, place(y as f64, j) / height);
                sum += self.color(self.camera.direction(u, v), v);
            }
            bytes.extend(encode(sum * step * step));
        }
        bytes
    }

    /// What the eye hits in this direction.
    pub(crate) fn look(&self, direction: DVec3) -> Option<Hit<V>> {
        self.scene.cast_ray(&Ray::new(vector::<V>(self.camera.eye.to_array()), vector(direction.to_array())), ..)
    }

    fn color(&self, direction: DVec3, height: f64) -> Color {
        let background = rgb(0xfafbfd).lerp(rgb(0xdfe7f1), height);
        let Some(hit) = self.look(direction) else { return background };
        let side = if hit.side == Side::Front { 1.0 } else { -1.0 };
        let normal = DVec3::from_array(coordinates(hit.normal));
        match self.by {
            By::Normal => normal * 0.5 + 0.5,
            By::Depth => {
                let [near, far] = self.depths;
                of_depth((hit.distance.to_f64() - near) / (far - near).max(f64::MIN_POSITIVE))
            }
            By::Shape => self.lit(&hit, normal * side, direction, background),
        }
    }

    fn lit(&self, hit: &Hit<V>, normal: DVec3, direction: DVec3, background: Color) -> Color {
        let own = hit.shape.and_then(|shape| self.colors.get(shape.index()).copied().flatten());
        let point = DVec3::from_array(coordinates(hit.point));
        let facing = (-normal.dot(direction) / direction.length()).max(0.0);
        if let Some(color) = own.filter(|_| hit.shape.is_some_and(|shape| shape.index() >= self.shapes)) {
            // A ray is no thing: it glows, a little rounded.
            return color * (0.7 + 0.45 * facing);
        }
        let cosine = normal.dot(self.light);
        let sun = if cosine > 0.0 && !self.is_shaded(point) { cosine } else { 0.0 };
        // The sky is bright above, and some light comes back from below and from where we stand.
        let sky = 0.5 + 0.5 * normal.dot(self.up);
        let light = 0.74 * sun + 0.32 * sky + 0.16 * facing;
        match own {
            Some(color) => {
                let half = (self.light - direction.normalize()).normalize();
                let gloss = if sun > 0.0 { 0.18 * normal.dot(half).max(0.0).powi(40) } else { 0.0 };
                color * light * 1.05 + gloss
            }
            None => {
                let ground = rgb(0xf0f3f7) * (1.0 - 0.4 * self.grid(point, normal, hit.distance.to_f64(), facing));
                // Far away it fades into the sky.
                let haze = (hit.distance.to_f64() / self.size / 2.2 - 0.8).clamp(0.0, 1.0);
                (ground * (light * 0.97).min(1.0)).lerp(background, haze)
            }
        }
    }

    fn is_shaded(&self, point: DVec3) -> bool {
        // A thousandth of the scene away from the surface: a picture, not a measurement.
        let query = Query::from(V::Scalar::from_f64(self.size * 1e-3)..).layers(self.shadow_layers);
        self.scene.intersects_ray(&Ray::new(vector::<V>(point.to_array()), vector(self.light.to_array())), query)
    }

    /// How much of a line of the ground's grid is here, 0 to 1.
    fn grid(&self, point: DVec3, normal: DVec3, distance: f64, facing: f64) -> f64 {
        let spacing = nice(self.size / 12.0);
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

/// The nearest of 1, 2 and 5 times a power of ten below.
pub(crate) fn nice(x: f64) -> f64 {
    let power = 10f64.powf(x.max(f64::MIN_POSITIVE).log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|step| step * power).find(|step| *step <= x).unwrap_or(power)
}
