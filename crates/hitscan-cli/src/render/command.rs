//! The command line of `hitscan render`.

use super::options::{Canvas, ViewOptions};
use super::picture::{PictureFormat, png_of_plane, png_of_space, svg_of_plane};
use crate::console::Console;
use crate::error::Result;
use crate::load::LoadArguments;
use crate::outputs::{file_of, write_output};
use crate::parallel::{available_threads, thread_count};
use crate::precision::PrecisionArgument;
use crate::ray_arguments::RayArguments;
use crate::scene::{SceneSpace, WithScene, with_scene};
use clap::{ArgGroup, Args};
use hitscan::{Accelerator, Scene};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Draw a scene: PNG by casting rays, or SVG for flat scenes
#[derive(Args)]
#[command(group(ArgGroup::new("rays_from").args(["ray", "segment"])), after_help = "\
Examples:
  hitscan render scene.toml                                    a view from the front, right and above
  hitscan render bunny.ply --side left --by normal -o bunny.png
  hitscan render scene.toml --camera 4,3,8,0,0,0 --fov 50 --width 1600 --height 900 -o view.png
  hitscan render scene.toml --labels                           the name of each shape beside it
  hitscan render flat.toml --ray 0,0,1,0.5 -o flat.svg         the ray: red up to its hit, normal green, blue on a miss

A camera among the shapes, as in a room, carries a lamp; otherwise the light is outside and casts shadows.")]
pub(crate) struct RenderArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .stl, .ply, .off, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    /// The picture: .png, or .svg for a flat scene; - is standard output, as .png, .svg if flat [default: the scene's name with
    /// .png, .svg if flat, in this folder]
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
    /// How many threads cast, 1 to 1024; the picture is the same [default: all there are]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZero<usize>>,
}

impl RenderArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let given = self.output.clone();
        let kind = given.as_deref().and_then(file_of).map(PictureFormat::of).transpose()?;
        let file = self.load.open(&self.scene, console)?;
        let is_flat = file.dimension() == hitscan_io::Dimension::Two;
        kind.map_or(Ok(()), |kind| kind.check_dimension(is_flat))?;
        let output = given.clone().unwrap_or_else(|| {
            let name = self.scene.file_name().unwrap_or_default();
            Path::new(name).with_extension(if is_flat { "svg" } else { "png" })
        });
        let threads = self.threads.map_or_else(available_threads, NonZero::get);
        let shows_progress = console.shows_progress();
        let canvas = Canvas { width: self.width, height: self.height, threads, shows_progress };
        let precision = self.precision.for_scene(&file, file.precision());
        let usual = if is_flat { PictureFormat::Svg } else { PictureFormat::Png };
        let picture = Picture { arguments: &self, canvas: &canvas, kind: kind.unwrap_or(usual) };
        let bytes = with_scene(&file, precision, Accelerator::Bvh, picture)?;
        write_output(&output, &bytes, console)?;
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
            (PictureFormat::Svg, _) => Ok(svg_of_plane(scene, rays.as_ref(), &arguments.view, canvas).into_bytes()),
            (PictureFormat::Png, 2) => png_of_plane(scene, rays.as_ref(), &arguments.view, canvas),
            (PictureFormat::Png, _) => png_of_space(scene, rays.as_ref(), &arguments.view, canvas),
        }
    }
}
