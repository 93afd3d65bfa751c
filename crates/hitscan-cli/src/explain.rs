//! `hitscan explain`: why a ray hits, or misses.

use crate::console::Console;
use crate::error::Result;
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::{RayArguments, shot};
use crate::scene::{PrecisionArgument, SceneSpace, WithScene, with_scene};
use clap::{ArgGroup, Args};
use hitscan::{Accelerator, Scene};
use hitscan_io::{Precision, RayBatch, SceneFile, Shot, Story, Tell};
use std::path::PathBuf;

/// Explain a ray: the numbers of each shape's test, and why it is or is not the hit
#[derive(Args)]
#[command(group(ArgGroup::new("rays_from").args(["ray", "segment"]).required(true)), after_help = "\
Examples:
  hitscan explain scene.toml --ray 0,0,5,0,0,-1
  hitscan explain flat.toml --segment 3,2,10,6 --origin hollow

The numbers of a test are those of the kernel itself: relative to the shape, and scaled where it says so.")]
pub(crate) struct ExplainArguments {
    /// The scene: .toml, or a mesh (.obj, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    rays: RayArguments,
    #[command(flatten)]
    what: QueryArguments,
    /// Every shape, also those far from the ray (otherwise left out when there are more than 8)
    #[arg(long)]
    all: bool,
    /// The precision of coordinates and answers; decisions are exact in both
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
}

impl ExplainArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let file = SceneFile::open(&self.scene)?;
        let batch = self.rays.batch(file.dimension())?;
        let precision = self.precision.resolve(Precision::F64);
        with_scene(&file, precision, Accelerator::Bvh, Explain { arguments: self, batch, console })
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
        let query = arguments.what.query::<V::Scalar>(None, None);
        let tell = if arguments.all { Tell::All } else { Tell::Near };
        for ray in 0..batch.len() {
            let shot = match shot::<V>(&batch, ray) {
                Shot::Segment(segment) if arguments.what.line => Shot::Ray(segment.to_ray()),
                shot => shot,
            };
            if batch.len() > 1 {
                writeln!(console.out, "{}ray {ray}", if ray > 0 { "\n" } else { "" })?;
            }
            write!(console.out, "{}", Story::of(scene, &shot, query, tell))?;
        }
        Ok(())
    }
}
