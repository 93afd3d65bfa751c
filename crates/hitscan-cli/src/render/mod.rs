//! `hitscan render`: pictures of scenes. The one place in the program that computes geometry of its own: a camera, light,
//! and drawings of flat shapes.

mod camera;
mod color;
mod knot;
mod outline;
mod overlay;
mod plane;
mod shade;
mod space;
mod svg;

pub(crate) use knot::knot;
pub(crate) use outline::Outline;
pub(crate) use shade::By;

use crate::Console;
use crate::error::{Error, Result};
use crate::parallel::available_threads;
use crate::rays::{Numbers, RayArguments};
use crate::scene::{PrecisionArgument, Space, Work, with_scene};
use clap::{ArgGroup, Args};
use hitscan::{Accelerator, Scene};
use hitscan_io::{RayBatch, SceneFile, write_file};
use plane::View;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Draw a scene: PNG by casting rays, or SVG for flat scenes
#[derive(Args)]
#[command(group(ArgGroup::new("rays_from").args(["ray", "segment"])), after_help = "\
Examples:
  hitscan render scene.toml                                    a view from the front, right and above
  hitscan render bunny.ply --side left --by normal -o bunny.png
  hitscan render scene.toml --camera 4,3,8,0,0,0 --fov 50 --width 1600 --height 900 -o view.png
  hitscan render flat.toml --ray 0,0,1,0.5 -o flat.svg         the ray: red up to its hit, normal green, blue on a miss")]
pub(crate) struct Arguments {
    /// The scene: .toml, or a mesh (.obj, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    /// The picture: .png, or .svg for a flat scene [default: the scene's name with .png, .svg if flat, in this folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Width in pixels, 1 to 16384
    #[arg(long, value_name = "PIXELS", default_value_t = 960, value_parser = clap::value_parser!(u32).range(1..=16384))]
    width: u32,
    /// Height in pixels, 1 to 16384
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(1..=16384))]
    height: u32,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    rays: RayArguments,
    /// The precision of the scene
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
    /// How many threads cast, 1 or more; the picture is the same [default: all there are]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

/// From where to look, and what to see.
#[derive(Args, Clone, Debug)]
pub(crate) struct Look {
    /// What colours mean, in space
    #[arg(long, value_enum, default_value_t)]
    pub(crate) by: By,
    /// Rays along each side of a pixel, 1 to 16: 2 casts 4 rays a pixel
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) samples: u32,
    /// The eye and the point it looks at, in space
    #[arg(long, value_name = "EX,EY,EZ,TX,TY,TZ", allow_hyphen_values = true, conflicts_with = "side")]
    pub(crate) camera: Option<Numbers>,
    /// From where to look, in space; the scene fills the picture [default: iso]
    #[arg(long, value_enum)]
    pub(crate) side: Option<camera::Side>,
    /// The angle of view from top to bottom, in degrees, 1 to 170
    #[arg(long, value_name = "DEGREES", default_value_t = 32.0, value_parser = degrees)]
    pub(crate) fov: f64,
    /// The direction that is up in the picture, in space [default: 0,1,0]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) up: Option<Numbers>,
}

fn degrees(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(degrees) if (1.0..=170.0).contains(&degrees) => Ok(degrees),
        _ => Err("not a number from 1 to 170".into()),
    }
}

/// What to draw on, and how.
pub(crate) struct Paper {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) threads: usize,
    pub(crate) is_watched: bool,
}

/// What the extension of the output asks for.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Png,
    Svg,
}

impl Kind {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(Error::input(format!("{}: a picture is .png or .svg", path.display()))),
        }
    }
}

impl Arguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let given = self.output.clone();
        let kind = given.as_deref().map(Kind::of).transpose()?;
        let file = SceneFile::open(&self.scene)?;
        let is_flat = file.dimension() == hitscan_io::Dimension::Two;
        if kind == Some(Kind::Svg) && !is_flat {
            return Err(Error::input("an SVG shows flat scenes only: give -o a name that ends in .png"));
        }
        let output = given.clone().unwrap_or_else(|| {
            let name = self.scene.file_name().unwrap_or_default();
            Path::new(name).with_extension(if is_flat { "svg" } else { "png" })
        });
        let threads = self.threads.map_or_else(available_threads, NonZero::get);
        let is_watched = console.err_is_terminal;
        let paper = Paper { width: self.width, height: self.height, threads, is_watched };
        let precision = self.precision.resolve(file.precision());
        let picture = Picture { arguments: &self, paper: &paper, kind: Kind::of(&output)? };
        let bytes = with_scene(&file, precision, Accelerator::Bvh, picture)?;
        write_file(&output, &bytes)?;
        if given.is_none() {
            writeln!(console.out, "{}", output.display())?;
        }
        Ok(())
    }
}

struct Picture<'a> {
    arguments: &'a Arguments,
    paper: &'a Paper,
    kind: Kind,
}

impl Work for Picture<'_> {
    type Output = Vec<u8>;

    fn with<V: Space>(self, scene: &Scene<V>) -> Result<Vec<u8>> {
        let Self { arguments, paper, kind } = self;
        let rays = match arguments.rays.is_empty() {
            true => None,
            false => Some(arguments.rays.batch(V::DIMENSION)?),
        };
        match (kind, V::DIM) {
            (Kind::Svg, _) => Ok(svg_of(scene, rays.as_ref(), paper).into_bytes()),
            (Kind::Png, 2) => {
                let view = View::around(scene, rays.as_ref(), paper);
                let strokes = strokes_in(&view, scene, rays.as_ref());
                png(&plane::paint(scene, &strokes, &view, &arguments.look, paper)?, paper)
            }
            (Kind::Png, _) => png_of(scene, rays.as_ref(), &arguments.look, paper),
        }
    }
}

/// A scene in space as a PNG file.
pub(crate) fn png_of<V: Space>(
    scene: &Scene<V>,
    rays: Option<&RayBatch>,
    look: &Look,
    paper: &Paper,
) -> Result<Vec<u8>> {
    png(&space::paint(scene, rays, look, paper)?, paper)
}

/// A flat scene as an SVG file.
pub(crate) fn svg_of<V: Space>(scene: &Scene<V>, rays: Option<&RayBatch>, paper: &Paper) -> String {
    let view = View::around(scene, rays, paper);
    svg::draw(scene, &strokes_in(&view, scene, rays), &view)
}

/// Rays that miss leave the picture.
fn strokes_in<V: Space>(view: &View, scene: &Scene<V>, rays: Option<&RayBatch>) -> Vec<overlay::Stroke> {
    rays.map(|rays| overlay::strokes(scene, rays, view.diagonal(), view.diagonal() / 2.0)).unwrap_or_default()
}

fn png(pixels: &[u8], paper: &Paper) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, paper.width, paper.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|error| Error::input(format!("the picture could not be encoded: {error}")))?;
    Ok(file)
}
