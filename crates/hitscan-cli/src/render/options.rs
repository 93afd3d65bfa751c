//! The options of a picture.

use super::camera::ViewSide;
use crate::error::Result;
use crate::numbers::Numbers;
use clap::{Args, ValueEnum};

/// The camera and the colours.
#[derive(Args, Clone, Debug)]
pub(crate) struct ViewOptions {
    /// The meaning of colours, in space
    #[arg(long, value_enum, default_value_t)]
    pub(crate) by: ColorBy,
    /// Rays along each side of a pixel, 1 to 16: 2 casts 4 rays a pixel
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) samples: u32,
    /// The eye and the point it looks at, in space
    #[arg(long, value_name = "EX,EY,EZ,TX,TY,TZ", allow_hyphen_values = true, conflicts_with = "side")]
    pub(crate) camera: Option<Numbers>,
    /// The side to look from, in space; the scene fills the picture [default: iso]
    #[arg(long, value_enum)]
    pub(crate) side: Option<ViewSide>,
    /// The angle of view from top to bottom, in degrees, 1 to 170
    #[arg(long, value_name = "DEGREES", default_value_t = 32.0, value_parser = degrees)]
    pub(crate) fov: f64,
    /// The direction that is up in the picture, in space [default: 0,1,0]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) up: Option<Numbers>,
    /// Write the name of each shape beside it
    #[arg(long)]
    pub(crate) labels: bool,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { by: ColorBy::Shape, samples: 2, camera: None, side: None, fov: 32.0, up: None, labels: false }
    }
}

/// `--by`: the meaning of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorBy {
    /// a colour for each shape, with light and shadow
    #[default]
    Shape,
    /// the normal: x, y, z as red, green, blue
    Normal,
    /// the distance: near is bright
    Depth,
}

fn degrees(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(degrees) if (1.0..=170.0).contains(&degrees) => Ok(degrees),
        _ => Err("not a number from 1 to 170".into()),
    }
}

/// The size of a picture, and how to compute it.
pub(crate) struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) threads: usize,
    /// Whether to draw a progress bar on standard error.
    pub(crate) shows_progress: bool,
}
