//! `hitscan explain`: the reason for the answer of a query, shape by shape, as text and as a picture.

use crate::console::Console;
use crate::error::{Error, Result};
use crate::inputs::{files_of, refuse_input_as_output};
use crate::load::LoadArguments;
use crate::numbers::{radius, rounded_radius};
use crate::outputs::file_of;
use crate::overlap::{GivenVolumes, VolumeBatch};
use crate::parallel::available_threads;
use crate::points::GivenPoints;
use crate::precision::PrecisionArgument;
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::{RayArguments, ray_or_segment};
use crate::render::{
    Annotations, Canvas, PictureFormat, construction, explanation, overlap_construction, point_construction,
    sweep_construction,
};
use crate::scene::{SceneSpace, WithScene, names, vector_at, with_scene};
use crate::tables::{RowBatch, check_f32};
use crate::warnings::{RayWarnings, of_layers, of_open_meshes};
use clap::{ArgGroup, Args};
use hitscan::{Accelerator, Query, Scene};
use hitscan_io::{
    Detail, Dimension, ExplainReport, PointBatch, Precision, RayBatch, RayOrSegment, SceneFile, SphereOrBox, write_file,
};
use std::path::PathBuf;

/// Explain an answer: the numbers of each shape's test, and why it is or is not the hit, the closest or in touch
#[derive(Args)]
#[command(
    group(ArgGroup::new("what_to_explain").args(["ray", "segment", "point", "sphere", "cuboid"]).required(true)),
    after_help = "\
Examples:
  hitscan explain scene.toml --ray 0,0,5,0,0,-1
  hitscan explain flat.toml --segment 3,2,10,6 --origin hollow
  hitscan explain flat.toml --ray 3,2,7,4 --picture why.svg     its construction as a drawing
  hitscan explain flat.toml --ray 3,2,7,4 --thick 0.5           when does a circle touch, or by how much does it miss?
  hitscan explain scene.toml --point 0,0,5                      which surface is the closest, and how far are the others?
  hitscan explain scene.toml --sphere 0,0,5,2                   what reaches into this sphere, and by how much?

The numbers of a ray's test are those of the kernel itself: relative to the shape, and scaled where it says so. A picture shows
one ray (red up to its hit with the normal in green, or blue), its whole line (dashed), the closest approach to the centre of the
bounding box, and the points at which the line enters and leaves the shape; of a thick ray the way of the sphere; of a point the
sphere that touches the closest surface; of a volume the shapes that it overlaps, the others in gray.")]
pub(crate) struct ExplainArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .off, .stl, .ply, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    rays: RayArguments,
    /// The rays are thick: spheres of this radius (in 2D circles), whose centres move along them, as for cast
    #[arg(long, value_name = "R", value_parser = radius, allow_hyphen_values = true,
        conflicts_with_all = ["point", "sphere", "cuboid"])]
    thick: Option<f64>,
    #[command(flatten)]
    points: GivenPoints,
    #[command(flatten)]
    volumes: GivenVolumes,
    /// Every shape, also those far away (otherwise left out when there are more than 8)
    #[arg(long)]
    all: bool,
    /// Draw it, too: .svg for a flat scene, or .png; takes one ray, point or volume
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

/// What is explained, row by row.
enum Rows {
    Rays(RayBatch),
    Points(PointBatch),
    Volumes(VolumeBatch),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Self::Rays(rays) => rays.len(),
            Self::Points(points) => points.len(),
            Self::Volumes(volumes) => volumes.count(),
        }
    }

    /// Refuses numbers beyond the range of `f32`.
    fn check_f32(&self) -> Result<()> {
        match self {
            Self::Rays(rays) => check_f32(rays),
            Self::Points(points) => check_f32(points),
            Self::Volumes(volumes) => check_f32(volumes),
        }
    }

    /// What one row is.
    fn noun(&self) -> &'static str {
        match self {
            Self::Rays(_) => "ray",
            Self::Points(_) => "point",
            Self::Volumes(_) => "volume",
        }
    }
}

/// One query to explain.
enum Subject<V: SceneSpace> {
    Ray(RayOrSegment<V>, Query<V::Scalar>),
    ThickRay(RayOrSegment<V>, V::Scalar, Query<V::Scalar>),
    /// A point, and the mask of layers.
    Point(V, u32),
    /// A volume, and the mask of layers.
    Volume(SphereOrBox<V>, u32),
}

impl<V: SceneSpace> Subject<V> {
    fn report(&self, scene: &Scene<V>, detail: Detail) -> ExplainReport {
        match self {
            Self::Ray(cast, query) => ExplainReport::new(scene, cast, *query, detail),
            Self::ThickRay(path, radius, query) => ExplainReport::of_sphere_cast(scene, path, *radius, *query, detail),
            Self::Point(point, layers) => ExplainReport::of_point(scene, *point, *layers, detail),
            Self::Volume(volume, layers) => ExplainReport::of_volume(scene, volume, *layers, detail),
        }
    }

    fn annotations(&self, scene: &Scene<V>) -> Annotations {
        match self {
            Self::Ray(cast, query) => construction(scene, *cast, *query),
            Self::ThickRay(path, radius, query) => sweep_construction(scene, path, *radius, *query),
            Self::Point(point, layers) => point_construction(scene, *point, *layers),
            Self::Volume(volume, layers) => overlap_construction(scene, volume, *layers),
        }
    }
}

impl ExplainArguments {
    pub(crate) fn run(mut self, console: &mut Console) -> Result<()> {
        self.what.check_segments(&self.rays)?;
        let file = self.load.open(&self.scene, console)?;
        self.what.layers.find(&file)?;
        let rows = self.rows(file.dimension())?;
        self.check_picture(&file, &rows)?;
        let precision = self.precision.for_scene(&file, Precision::F64);
        if precision == Precision::F32 {
            rows.check_f32()?;
        }
        with_scene(&file, precision, Accelerator::Bvh, Explain { arguments: self, rows, console })
    }

    fn rows(&self, dimension: Dimension) -> Result<Rows> {
        if !self.rays.is_empty() {
            return Ok(Rows::Rays(self.rays.batch(dimension)?));
        }
        if let Some(flag) = self.what.flag_of_rays() {
            return Err(Error::usage(format!("{flag} is for rays: points and volumes take --layers only")));
        }
        match self.points.is_empty() {
            true => Ok(Rows::Volumes(self.volumes.batch(dimension)?)),
            false => Ok(Rows::Points(self.points.batch(dimension)?)),
        }
    }

    /// Refuses a picture that cannot be drawn, before anything is printed.
    fn check_picture(&self, file: &SceneFile, rows: &Rows) -> Result<()> {
        let Some(picture) = &self.picture else { return Ok(()) };
        if file_of(picture).is_none() {
            return Err(Error::usage("--picture -: standard output has the explanation: give the name of a file"));
        }
        PictureFormat::of(picture)?.check_dimension(file.dimension() == Dimension::Two)?;
        refuse_input_as_output(picture, &files_of(file))?;
        if rows.len() > 1 {
            let (noun, count) = (rows.noun(), rows.len());
            return Err(Error::usage(format!("--picture draws one {noun}, but {count} are given")));
        }
        Ok(())
    }
}

struct Explain<'a, 'b> {
    arguments: ExplainArguments,
    rows: Rows,
    console: &'a mut Console<'b>,
}

impl Explain<'_, '_> {
    /// The query of a row.
    fn subject<V: SceneSpace>(&self, row: usize) -> Result<Option<Subject<V>>> {
        let ExplainArguments { what, thick, .. } = &self.arguments;
        let layers = what.layers.mask();
        Ok(match &self.rows {
            Rows::Points(points) => Some(Subject::Point(vector_at(&points.point, row), layers)),
            Rows::Volumes(volumes) => volumes.volume(row).map(|volume| Subject::Volume(volume, layers)),
            Rows::Rays(rays) => {
                let query = what.query(None, None, None);
                let cast = match ray_or_segment::<V>(rays, row) {
                    RayOrSegment::Segment(segment) if what.line => RayOrSegment::Ray(segment.to_ray()),
                    other => other,
                };
                Some(match thick {
                    Some(radius) => Subject::ThickRay(cast, rounded_radius(*radius, "--thick")?, query),
                    None => Subject::Ray(cast, query),
                })
            }
        })
    }
}

impl WithScene for Explain<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<()> {
        let detail = if self.arguments.all { Detail::All } else { Detail::Near };
        for row in 0..self.rows.len() {
            let Some(subject) = self.subject::<V>(row)? else { continue };
            if self.rows.len() > 1 {
                let (space, noun) = (if row > 0 { "\n" } else { "" }, self.rows.noun());
                writeln!(self.console.out, "{space}{noun} {row}")?;
            }
            write!(self.console.out, "{}", subject.report(scene, detail))?;
            if let Some(path) = &self.arguments.picture {
                let [width, height] = PICTURE_SIZE;
                let shows_progress = self.console.shows_progress();
                let canvas = Canvas { width, height, threads: available_threads(), shows_progress };
                let bytes = explanation(scene, &subject.annotations(scene), PictureFormat::of(path)?, &canvas)?;
                write_file(path, &bytes)?;
            }
        }
        let mut ray_warnings = RayWarnings::default();
        if let Rows::Rays(rays) = &self.rows {
            ray_warnings.add(rays, &self.arguments.what);
        }
        let layers = &self.arguments.what.layers;
        let (shapes, is_of_points) = (names(scene), matches!(self.rows, Rows::Points(_)));
        let shapes: Vec<&str> = shapes.iter().map(String::as_str).collect();
        let open = if is_of_points {
            of_open_meshes(
                scene,
                &shapes,
                layers.mask(),
                ("inside", ", and distance --inside-rule winding-number decides without"),
            )
        } else {
            Vec::new()
        };
        let warnings = of_layers(scene, layers).into_iter().chain(ray_warnings.warnings()).chain(open);
        warnings.for_each(|warning| self.console.warn(&warning));
        Ok(())
    }
}
