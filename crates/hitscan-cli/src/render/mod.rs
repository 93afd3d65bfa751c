//! `hitscan render`: pictures of scenes. Only this folder computes geometry of its own: a camera, light, and drawings of
//! flat shapes.

mod camera;
mod color;
mod command;
mod construction;
mod grid;
mod labels;
mod options;
mod overlap_construction;
mod overlay;
mod painter;
mod picture;
mod pixels;
mod plane_labels;
mod plane_png;
mod plane_svg;
mod plane_view;
mod point_construction;
mod space_labels;
mod space_png;
mod span_paths;
mod stroke_font;
mod sweep_construction;
mod translucent_solid;

pub(crate) use command::RenderArguments;
pub(crate) use construction::construction;
pub(crate) use options::{Canvas, ColorBy, ViewOptions};
pub(crate) use overlap_construction::overlap_construction;
pub(crate) use overlay::Annotations;
pub(crate) use picture::{PictureFormat, explanation, png_of_space, svg_of_plane};
pub(crate) use point_construction::point_construction;
pub(crate) use sweep_construction::sweep_construction;
