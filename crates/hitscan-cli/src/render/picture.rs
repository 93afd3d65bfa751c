//! Picture files: PNG by casting rays, SVG for scenes of the plane.

use super::options::{Canvas, ViewOptions};
use super::overlay::{Stroke, strokes};
use super::plane_view::PlaneView;
use super::{plane_png, plane_svg, space_png};
use crate::error::{Error, Result};
use crate::scene::SceneSpace;
use hitscan::Scene;
use hitscan_io::RayBatch;

/// A scene in space as a PNG file.
pub(crate) fn png_of_space<V: SceneSpace>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    png(&space_png::paint(scene, rays, view, canvas)?, canvas)
}

/// A scene of the plane as a PNG file.
pub(crate) fn png_of_plane<V: SceneSpace>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    let part = PlaneView::around(scene, rays, canvas);
    let strokes = strokes_in(&part, scene, rays);
    png(&plane_png::paint(scene, &strokes, &part, view, canvas)?, canvas)
}

/// A scene of the plane as an SVG file.
pub(crate) fn svg_of_plane<V: SceneSpace>(scene: &Scene<V>, rays: Option<&RayBatch>, canvas: &Canvas) -> String {
    let view = PlaneView::around(scene, rays, canvas);
    plane_svg::draw(scene, &strokes_in(&view, scene, rays), &view)
}

/// The strokes of the rays; those of misses leave the picture.
fn strokes_in<V: SceneSpace>(view: &PlaneView, scene: &Scene<V>, rays: Option<&RayBatch>) -> Vec<Stroke> {
    rays.map(|rays| strokes(scene, rays, view.diagonal(), view.diagonal() / 2.0)).unwrap_or_default()
}

/// Encodes rows of red, green and blue bytes.
fn png(pixels: &[u8], canvas: &Canvas) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, canvas.width, canvas.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|error| Error::input(format!("the picture could not be encoded: {error}")))?;
    Ok(file)
}
