//! `hitscan explain`: the reason for which a ray hits or misses, as text and as a picture.

use crate::console::Console;
use crate::error::{Error, Result};
use crate::inputs::{files_of, refuse_input_as_output};
use crate::load::LoadArguments;
use crate::parallel::available_threads;
use crate::precision::PrecisionArgument;
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::{RayArguments, ray_or_segment};
use crate::render::{Canvas, PictureFormat, explanation};
use crate::scene::{SceneSpace, WithScene, with_scene};
use crate::unfinished::write_whole;
use crate::warnings::{RayWarnings, of_layers};
use clap::{ArgGroup, Args};
use hitscan::{Accelerator, Scene};
use hitscan_io::{Detail, Dimension, ExplainReport, Precision, RayBatch, RayOrSegment, SceneFile, write_file};
use std::path::PathBuf;

/// Explain a ray: the numbers of each shape's test, and why it is or is not the hit
#[derive(Args)]
#[command(group(ArgGroup::new("rays_from").args(["ray", "segment"]).required(true)), after_help = "\
Examples:
  hitscan explain scene.toml --ray 0,0,5,0,0,-1
  hitscan explain flat.toml --segment 3,2,10,6 --origin hollow
  hitscan explain flat.toml --ray 3,2,7,4 --picture why.svg     its construction as a drawing

The numbers of a test are those of the kernel itself: relative to the shape, and scaled where it says so. A picture shows one
ray (red up to its hit with the normal in green, or blue), its whole line (dashed), the closest approach to the centre of the
bounding box, and the points at which the line enters and leaves the shape.")]
pub(crate) struct ExplainArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    rays: RayArguments,
    /// Every shape, also those far from the ray (otherwise left out when there are more than 8)
    #[arg(long)]
    all: bool,
    /// Draw the construction, too: .svg for a flat scene, or .png; takes one ray
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// The precision of coordinates and answers; decisions are exact in both
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
    // Behind all arguments of other headings: the heading of a flattened struct holds for those that follow it.
    #[command(flatten)]
    what: QueryArguments,
}

/// The size of a picture in pixels.
const PICTURE_SIZE: [u32; 2] = [1000, 660];

impl ExplainArguments {
    pub(crate) fn run(mut self, console: &mut Console) -> Result<()> {
        let file = self.load.open(&self.scene, console)?;
        self.what.layers.find(&file)?;
        let batch = self.rays.batch(file.dimension())?;
        self.check_picture(&file, batch.len())?;
        let precision = self.precision.or(Precision::F64);
        with_scene(&file, precision, Accelerator::Bvh, Explain { arguments: self, batch, console })
    }

    /// Refuses a picture that cannot be drawn, before anything is printed.
    fn check_picture(&self, file: &SceneFile, rays: usize) -> Result<()> {
        let Some(picture) = &self.picture else { return Ok(()) };
        PictureFormat::of(picture)?.check_dimension(file.dimension() == Dimension::Two)?;
        refuse_input_as_output(picture, &files_of(file))?;
        if rays > 1 {
            return Err(Error::usage(format!("--picture draws one ray, but {rays} are given")));
        }
        Ok(())
    }
}

struct Explain<'a, 'b> {
    arguments: ExplainArguments,
    batch: RayBatch,
    console: &'a mut Console<'b>,
}

impl WithScene for Explain<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<()> {
        let Self { arguments, batch, console } = self;
        let query = arguments.what.query::<V::Scalar>(None, None, None);
        let detail = if arguments.all { Detail::All } else { Detail::Near };
        for number in 0..batch.len() {
            let cast = match ray_or_segment::<V>(&batch, number) {
                RayOrSegment::Segment(segment) if arguments.what.line => RayOrSegment::Ray(segment.to_ray()),
                other => other,
            };
            if batch.len() > 1 {
                writeln!(console.out, "{}ray {number}", if number > 0 { "\n" } else { "" })?;
            }
            write!(console.out, "{}", ExplainReport::new(scene, &cast, query, detail))?;
            if let Some(path) = &arguments.picture {
                let [width, height] = PICTURE_SIZE;
                let shows_progress = console.shows_progress();
                let canvas = Canvas { width, height, threads: available_threads(), shows_progress };
                let bytes = explanation(scene, cast, query, PictureFormat::of(path)?, &canvas)?;
                write_whole(path, || write_file(path, &bytes))??;
            }
        }
        let mut ray_warnings = RayWarnings::default();
        ray_warnings.add(&batch, &arguments.what);
        let warnings = of_layers(scene, &arguments.what.layers).into_iter().chain(ray_warnings.warnings());
        warnings.for_each(|warning| console.warn(&warning));
        Ok(())
    }
}
