//! The command line of `hitscan render`.

use super::options::{Canvas, ViewOptions};
use super::picture::{png_of_plane, png_of_space, svg_of_plane};
use crate::console::Console;
use crate::error::{Error, Result};
use crate::parallel::available_threads;
use crate::ray_arguments::RayArguments;
use crate::scene::{PrecisionArgument, SceneSpace, WithScene, with_scene};
use clap::{ArgGroup, Args};
use hitscan::{Accelerator, Scene};
use hitscan_io::{SceneFile, write_file};
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
pub(crate) struct RenderArguments {
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
    view: ViewOptions,
    #[command(flatten)]
    rays: RayArguments,
    /// The precision of the scene
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
    /// How many threads cast, 1 or more; the picture is the same [default: all there are]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

/// The format of a picture, by the extension of its file.
#[derive(Clone, Copy, PartialEq)]
enum PictureFormat {
    Png,
    Svg,
}

impl PictureFormat {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(Error::input(format!("{}: a picture is .png or .svg", path.display()))),
        }
    }
}

impl RenderArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let given = self.output.clone();
        let kind = given.as_deref().map(PictureFormat::of).transpose()?;
        let file = SceneFile::open(&self.scene)?;
        let is_flat = file.dimension() == hitscan_io::Dimension::Two;
        if kind == Some(PictureFormat::Svg) && !is_flat {
            return Err(Error::input("an SVG shows flat scenes only: give -o a name that ends in .png"));
        }
        let output = given.clone().unwrap_or_else(|| {
            let name = self.scene.file_name().unwrap_or_default();
            Path::new(name).with_extension(if is_flat { "svg" } else { "png" })
        });
        let threads = self.threads.map_or_else(available_threads, NonZero::get);
        let shows_progress = console.err_is_terminal;
        let canvas = Canvas { width: self.width, height: self.height, threads, shows_progress };
        let precision = self.precision.resolve(file.precision());
        let picture = Picture { arguments: &self, canvas: &canvas, kind: PictureFormat::of(&output)? };
        let bytes = with_scene(&file, precision, Accelerator::Bvh, picture)?;
        write_file(&output, &bytes)?;
        if given.is_none() {
            writeln!(console.out, "{}", output.display())?;
        }
        Ok(())
    }
}

struct Picture<'a> {
    arguments: &'a RenderArguments,
    canvas: &'a Canvas,
    kind: PictureFormat,
}

impl WithScene for Picture<'_> {
    type Output = Vec<u8>;

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<Vec<u8>> {
        let Self { arguments, canvas, kind } = self;
        let rays = match arguments.rays.is_empty() {
            true => None,
            false => Some(arguments.rays.batch(V::DIMENSION)?),
        };
        match (kind, V::DIM) {
            (PictureFormat::Svg, _) => Ok(svg_of_plane(scene, rays.as_ref(), canvas).into_bytes()),
            (PictureFormat::Png, 2) => png_of_plane(scene, rays.as_ref(), &arguments.view, canvas),
            (PictureFormat::Png, _) => png_of_space(scene, rays.as_ref(), &arguments.view, canvas),
        }
    }
}
