//! Picture files: PNG by casting rays, SVG for scenes of the plane.

use super::options::{Canvas, ViewOptions};
use super::overlay::{Annotations, strokes};
use super::plane_view::PlaneView;
use super::{plane_png, plane_svg, space_png};
use crate::error::{Error, Result};
use crate::scene::SceneSpace;
use hitscan::Scene;
use hitscan_io::RayBatch;
use std::path::Path;

/// The format of a picture, by the extension of its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PictureFormat {
    Png,
    Svg,
}

impl PictureFormat {
    pub(crate) fn of(path: &Path) -> Result<Self> {
        match path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(Error::input(format!("{}: a picture is .png or .svg", path.display()))),
        }
    }

    /// Refuses an SVG of a scene in space.
    pub(crate) fn check_dimension(self, is_flat: bool) -> Result<()> {
        if self == Self::Svg && !is_flat {
            return Err(Error::input("an SVG shows flat scenes only: give a name that ends in .png"));
        }
        Ok(())
    }
}

/// A scene in space as a PNG file.
pub(crate) fn png_of_space<V: SceneSpace>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    let size = space_png::bounds(scene, &[]).size();
    let strokes = rays.map(|rays| strokes(scene, rays, size, size)).unwrap_or_default();
    let annotations = Annotations { strokes, ..Annotations::default() };
    png(&space_png::paint(scene, &annotations, view, canvas)?, canvas)
}

/// A scene of the plane as a PNG file.
pub(crate) fn png_of_plane<V: SceneSpace>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    view: &ViewOptions,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    let part = PlaneView::around(scene, rays, &[], canvas);
    png(&plane_png::paint(scene, &annotations_in(&part, scene, rays), &part, view, canvas)?, canvas)
}

/// A scene of the plane as an SVG file.
pub(crate) fn svg_of_plane<V: SceneSpace>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    view: &ViewOptions,
    canvas: &Canvas,
) -> String {
    let part = PlaneView::around(scene, rays, &[], canvas);
    plane_svg::draw(scene, &annotations_in(&part, scene, rays), &part, view)
}

/// The rays; those that miss leave the picture.
fn annotations_in<V: SceneSpace>(part: &PlaneView, scene: &Scene<V>, rays: Option<&RayBatch>) -> Annotations {
    let strokes = rays.map(|rays| strokes(scene, rays, part.diagonal(), part.diagonal() / 2.0)).unwrap_or_default();
    Annotations { strokes, ..Annotations::default() }
}

/// A picture of an explanation: the bytes of the file.
pub(crate) fn explanation<V: SceneSpace>(
    scene: &Scene<V>,
    annotations: &Annotations,
    format: PictureFormat,
    canvas: &Canvas,
) -> Result<Vec<u8>> {
    format.check_dimension(V::DIM == 2)?;
    // Names for a few shapes: more would hide the construction.
    let labels = scene.len() <= 12;
    let view = ViewOptions { labels, camera: annotations.side_view(), ..ViewOptions::default() };
    if V::DIM == 3 {
        return png(&space_png::paint(scene, annotations, &view, canvas)?, canvas);
    }
    let part = PlaneView::around(scene, None, &annotations.focus, canvas);
    match format {
        PictureFormat::Svg => Ok(plane_svg::draw(scene, annotations, &part, &view).into_bytes()),
        PictureFormat::Png => png(&plane_png::paint(scene, annotations, &part, &view, canvas)?, canvas),
    }
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
