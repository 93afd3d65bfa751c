//! Scenes in space as pixels, by casting rays.

use super::camera::Camera;
use super::color::{Color, rgb};
use super::options::{Canvas, ColorBy, ViewOptions};
use super::overlay::{Annotations, Stroke, WithRods, as_dvec3, with_rods};
use super::painter::SpacePainter;
use super::pixels::PixelImage;
use super::space_labels::labels_in;
use crate::error::{Error, Result};
use crate::parallel::in_pieces;
use crate::progress::Progress;
use crate::scene::SceneSpace;
use hitscan::Real;
use hitscan::glam::{DVec2, DVec3};
use hitscan::{Instance, ObjectId, Scene, Shape};
use std::sync::atomic::{AtomicU64, Ordering};

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
}

impl Bounds {
    /// The length of the diagonal.
    pub(crate) fn size(&self) -> f64 {
        (self.max - self.min).length()
    }

    fn contains(&self, p: DVec3) -> bool {
        p.cmpge(self.min).all() && p.cmple(self.max).all()
    }
}

/// The box around the points in focus, else around the bounded shapes; ten units around the origin if there are none.
pub(crate) fn bounds<V: SceneSpace>(scene: &Scene<V>, focus: &[DVec3]) -> Bounds {
    if let Some((first, others)) = focus.split_first() {
        let start = Bounds { min: *first, max: *first };
        return others.iter().fold(start, |b, p| Bounds { min: b.min.min(*p), max: b.max.max(*p) });
    }
    let aabb = scene.finite_bounds();
    if !aabb.is_bounded() {
        return Bounds { min: DVec3::splat(-5.0), max: DVec3::splat(5.0) };
    }
    Bounds { min: as_dvec3(aabb.min), max: as_dvec3(aabb.max) }
}

/// The bytes of a picture, row by row: red, green, blue.
pub(crate) fn paint<V: SceneSpace>(
    scene: &Scene<V>,
    annotations: &Annotations,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    let bounds = bounds(scene, &annotations.focus);
    let size = bounds.size();
    // The scene with rods numbers the shapes anew, in the order of insertion.
    let color = |id: ObjectId| rgb(annotations.color_of(id.index()));
    let bounded = scene.objects().map(|(id, object)| (id, object.instance().aabb().is_bounded()));
    let mut colors: Vec<Option<Color>> = bounded.map(|(id, is_bounded)| is_bounded.then(|| color(id))).collect();
    let shapes = scene.len();
    let WithRods { scene: with_rods, colors: rods, shadow_layers } =
        with_rods(scene, &annotations.strokes, size * 0.0022)?;
    colors.extend(rods.into_iter().map(Some));
    let (camera, up) = camera(view, bounds, canvas)?;
    // A camera among the shapes may be in a closed room, where a light outside leaves everything in the dark.
    let is_inside = self::bounds(scene, &[]).contains(camera.eye);
    // The light is above, to the left of and behind the eye.
    let light = (camera.up * 0.9 - camera.right * 0.75 - camera.forward * 0.8).normalize();
    let translucent = annotations
        .translucent
        .iter()
        .filter_map(|solid| Some((Instance::new(solid.form.shape::<V>()?), rgb(solid.color))));
    let mut painter = SpacePainter {
        scene: &with_rods,
        colors,
        translucent: translucent.collect(),
        shapes,
        shadow_layers,
        camera,
        by: view.by,
        light,
        is_inside,
        up,
        size,
        depths: [0.0, 1.0],
        pixels: [canvas.width, canvas.height],
        samples: view.samples,
    };
    if view.by == ColorBy::Depth {
        painter.depths = depths(&painter, canvas);
    }
    let progress = Progress::new(canvas.shows_progress);
    let (rows, done) = (canvas.height as usize, AtomicU64::new(0));
    let bytes = in_pieces(rows, 4, canvas.threads, |range| {
        let bytes: Vec<u8> = range.clone().flat_map(|y| painter.row(y)).collect();
        let done = done.fetch_add(range.len() as u64, Ordering::Relaxed) + range.len() as u64;
        progress.show(done * u64::from(canvas.width), "pixels", Some(done as f64 / rows as f64));
        bytes
    });
    progress.clear();
    let mut bytes = bytes.concat();
    annotate(&mut PixelImage::new(&mut bytes, canvas.width, canvas.height), &painter, annotations);
    let mut image = PixelImage::new(&mut bytes, canvas.width, canvas.height);
    labels_in(scene, &painter, annotations, view.labels).iter().for_each(|label| image.label(label));
    Ok(bytes)
}

/// Draws dashes and dots, and the rods behind or inside shapes as thin lines.
fn annotate<V: SceneSpace>(image: &mut PixelImage, painter: &SpacePainter<V>, annotations: &Annotations) {
    let [width, height] = painter.pixels.map(f64::from);
    let to_pixels = |p: DVec3| painter.camera.project(p).map(|place| place * DVec2::new(width, height));
    if annotations.notes.is_empty() {
        return;
    }
    for Stroke { from, to, color } in &annotations.strokes {
        if let (Some(a), Some(b)) = (to_pixels(*from), to_pixels(*to)) {
            image.line(a, b, 2.2, *color, 0.55);
        }
    }
    for Stroke { from, to, color } in &annotations.dashes {
        if let (Some(a), Some(b)) = (to_pixels(*from), to_pixels(*to)) {
            image.dashes(a, b, *color);
        }
    }
    for note in &annotations.notes {
        if let Some(p) = to_pixels(note.point) {
            image.dot(p, note.color);
        }
    }
}

fn camera(view: &ViewOptions, bounds: Bounds, canvas: &Canvas) -> Result<(Camera, DVec3)> {
    let aspect = f64::from(canvas.width) / f64::from(canvas.height);
    let up = view.up.as_ref().map_or(Ok([0.0, 1.0, 0.0]), |up| up.point("--up"))?;
    let up = DVec3::from_array(up).try_normalize().ok_or_else(|| Error::input("--up: has no direction"))?;
    let camera = match &view.camera {
        None => Camera::of_side(view.side.unwrap_or_default(), [bounds.min, bounds.max], up, view.fov, aspect),
        Some(numbers) => match numbers.0[..] {
            [ex, ey, ez, tx, ty, tz] if numbers.0.iter().all(|x| x.is_finite()) => {
                let (eye, target) = (DVec3::new(ex, ey, ez), DVec3::new(tx, ty, tz));
                Camera::look_at(eye, target, up, view.fov, aspect)
            }
            _ => return Err(Error::input("--camera: six finite numbers are needed, the eye and where it looks")),
        },
    };
    let camera = camera.filter(|camera| camera.eye.is_finite());
    Ok((camera.ok_or_else(|| Error::input("the camera does not look anywhere"))?, up))
}

/// The nearest and the farthest distance of the bounded shapes in the picture, else of all.
fn depths<V: SceneSpace>(painter: &SpacePainter<V>, canvas: &Canvas) -> [f64; 2] {
    let step = (canvas.width.max(canvas.height) / 200).max(1) as usize;
    let samples = |pixels: u32| (0..pixels).step_by(step).map(move |i| (f64::from(i) + 0.5) / f64::from(pixels));
    let (mut bounded, mut all) = ([f64::INFINITY, 0.0], [f64::INFINITY, 0.0]);
    for (x, y) in samples(canvas.height).flat_map(|y| samples(canvas.width).map(move |x| (x, y))) {
        let Some(hit) = painter.camera_hit(painter.camera.direction(x, y)) else { continue };
        let distance = hit.distance.to_f64();
        let widen = |range: &mut [f64; 2]| *range = [range[0].min(distance), range[1].max(distance)];
        widen(&mut all);
        if hit.object.is_some_and(|shape| painter.colors[shape.index()].is_some()) {
            widen(&mut bounded);
        }
    }
    if bounded[0] < bounded[1] { bounded } else { all }
}
