//! Scenes in space as pixels, by casting rays.

use super::camera::Camera;
use super::color::{Color, of_shape, rgb};
use super::options::{Canvas, ColorBy, ViewOptions};
use super::overlay::{WithRods, strokes, with_rods};
use super::painter::SpacePainter;
use crate::error::{Error, Result};
use crate::parallel::in_pieces;
use crate::progress::Progress;
use crate::scene::{SceneSpace, coordinates};
use hitscan::glam::DVec3;
use hitscan::Real;
use hitscan::{Scene, Shape};
use hitscan_io::RayBatch;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes of a picture, row by row: red, green, blue.
pub(crate) fn paint<V: SceneSpace>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    let bounds = bounds(scene);
    let size = (bounds[1] - bounds[0]).length();
    let mut colors: Vec<Option<Color>> = (0..scene.objects().len()).map(|number| Some(rgb(of_shape(number)))).collect();
    for (color, object) in colors.iter_mut().zip(scene.objects()) {
        *color = color.filter(|_| object.shape().aabb().is_bounded());
    }
    let strokes = rays.map(|rays| strokes(scene, rays, size, size)).unwrap_or_default();
    let shapes = scene.objects().len();
    let WithRods { scene, colors: rods, shadow_layers } = with_rods(scene, &strokes, size * 0.0022)?;
    colors.extend(rods.into_iter().map(Some));
    let (camera, up) = camera(view, bounds, canvas)?;
    // The light is above, to the left of and behind the eye.
    let light = (camera.up * 0.9 - camera.right * 0.75 - camera.forward * 0.8).normalize();
    let mut painter = SpacePainter {
        scene: &scene,
        colors,
        shapes,
        shadow_layers,
        camera,
        by: view.by,
        light,
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
    Ok(bytes.concat())
}

/// The bounding box of the bounded shapes; ten units around the origin if there are none.
fn bounds<V: SceneSpace>(scene: &Scene<V>) -> [DVec3; 2] {
    let aabb = scene.finite_bounds();
    if !aabb.is_bounded() {
        return [DVec3::splat(-5.0), DVec3::splat(5.0)];
    }
    [aabb.min, aabb.max].map(|corner| DVec3::from_array(coordinates(corner)))
}

fn camera(view: &ViewOptions, bounds: [DVec3; 2], canvas: &Canvas) -> Result<(Camera, DVec3)> {
    let aspect = f64::from(canvas.width) / f64::from(canvas.height);
    let up = view.up.as_ref().map_or(Ok([0.0, 1.0, 0.0]), |up| up.point("--up"))?;
    let up = DVec3::from_array(up).try_normalize().ok_or_else(|| Error::input("--up: has no direction"))?;
    let camera = match &view.camera {
        None => Camera::of_side(view.side.unwrap_or_default(), bounds, up, view.fov, aspect),
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
        if hit.shape.is_some_and(|shape| painter.colors[shape.index()].is_some()) {
            widen(&mut bounded);
        }
    }
    if bounded[0] < bounded[1] { bounded } else { all }
}
