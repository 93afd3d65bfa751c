//! Spheres and boxes on the command line or in a table.

use super::volume_batch::VolumeBatch;
use crate::error::{Error, Result};
use crate::numbers::{Numbers, number_columns, radius};
use crate::tables::{RowArguments, RowSource, read_options};
use clap::{ArgGroup, Args};
use hitscan_io::{BoxBatch, BoxReader, Dimension, PointReader, Precision, SphereBatch, SphereReader};
use std::path::{Path, PathBuf};

/// Volumes of the command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct GivenVolumes {
    /// A sphere: its centre and its radius, 4 numbers (3 in 2D, a circle: px,py,radius)
    ///
    /// May be given several times.
    #[arg(long, value_name = "PX,PY,PZ,RADIUS", allow_hyphen_values = true)]
    sphere: Vec<Numbers>,
    /// A box: its centre and half its size along each axis, 6 numbers (4 in 2D, a rectangle: px,py,hx,hy)
    ///
    /// May be given several times.
    #[arg(long = "box", value_name = "PX,PY,PZ,HX,HY,HZ", allow_hyphen_values = true)]
    cuboid: Vec<Numbers>,
}

/// Volumes of the command line, or a table of them.
#[derive(Args, Clone, Debug)]
#[group(skip)]
#[command(group(ArgGroup::new("volumes_from").args(["sphere", "cuboid", "spheres", "boxes", "points"]).required(true)))]
pub(super) struct VolumeArguments {
    #[command(flatten)]
    given: GivenVolumes,
    /// A table of spheres: .csv, .tsv, .jsonl (also .gz, .zst), .parquet, .arrow or .arrows; - is standard input
    ///
    /// Columns px py pz radius (no pz in 2D); others are ignored. The first bytes of standard input and of pipes tell the
    /// format, for the other tables, too.
    #[arg(long, value_name = "FILE")]
    spheres: Option<PathBuf>,
    /// A table of boxes: .csv, .tsv, .jsonl (also .gz, .zst), .parquet, .arrow or .arrows; - is standard input
    ///
    /// Columns px py pz hx hy hz (no pz and hz in 2D); others are ignored.
    #[arg(long, value_name = "FILE")]
    boxes: Option<PathBuf>,
    /// A table of points, each the centre of a sphere of --radius; formats as for --spheres
    ///
    /// Columns px py pz (no pz in 2D); others are ignored.
    #[arg(long, value_name = "FILE", requires = "radius")]
    points: Option<PathBuf>,
    /// The radius of the spheres around --points
    // Not `requires`: clap drops that where another volume conflicts with the points.
    #[arg(long, value_name = "R", value_parser = radius, allow_hyphen_values = true,
        conflicts_with_all = ["sphere", "cuboid", "spheres", "boxes"])]
    radius: Option<f64>,
}

impl VolumeArguments {
    /// The radius of the flags, if there is one.
    pub(super) fn limit(&self) -> Option<f64> {
        self.radius
    }
}

impl GivenVolumes {
    /// The volumes as a table, read as `f64`, like a CSV file.
    pub(crate) fn batch(&self, dimension: Dimension) -> Result<VolumeBatch> {
        let (first_row, axes, precision) = (0, dimension.count(), Precision::F64);
        let center = &["px", "py", "pz"][..axes];
        let named = |sizes: &[&str]| center.iter().chain(sizes).map(ToString::to_string).collect::<Vec<_>>();
        let three = |columns: &mut dyn Iterator<Item = Vec<f64>>| {
            // In two dimensions the third column stays empty.
            let mut all: [Vec<f64>; 3] = Default::default();
            all.iter_mut().zip(columns.take(axes)).for_each(|(axis, column)| *axis = column);
            all
        };
        if self.cuboid.is_empty() {
            let names = named(&["radius"]);
            let mut columns = number_columns(&self.sphere, "--sphere", &names, dimension, "sphere")?.into_iter();
            let (center, radius) = (three(&mut columns), columns.next().unwrap_or_default());
            if let Some(row) = radius.iter().position(|radius| *radius <= 0.0) {
                let (number, radius) = (row + 1, radius[row]);
                let what = format!("--sphere {number}: radius: {radius} is no radius (a finite number greater than 0)");
                return Err(Error::input(what));
            }
            return Ok(SphereBatch { first_row, dimension, center, radius, precision }.into());
        }
        let names = named(&["hx", "hy", "hz"][..axes]);
        let mut columns = number_columns(&self.cuboid, "--box", &names, dimension, "box")?.into_iter();
        let (center, half_extents) = (three(&mut columns), three(&mut columns));
        for (column, name) in half_extents.iter().zip(&names[axes..]) {
            if let Some(row) = column.iter().position(|half| *half < 0.0) {
                let (number, half) = (row + 1, column[row]);
                return Err(Error::input(format!(
                    "--box {number}: {name}: {half} is no half extent (a finite number that is at least 0)"
                )));
            }
        }
        Ok(BoxBatch { first_row, dimension, center, half_extents, precision }.into())
    }
}

impl RowArguments for VolumeArguments {
    type Batch = VolumeBatch;

    fn file(&self) -> Option<&Path> {
        [&self.spheres, &self.boxes, &self.points].into_iter().find_map(Option::as_deref)
    }

    fn source(&self, dimension: Dimension) -> Result<RowSource<VolumeBatch>> {
        let options = read_options();
        if let Some(path) = &self.spheres {
            let reader = SphereReader::open_with(path, dimension, &options)?;
            return Ok(RowSource::reading(reader, VolumeBatch::from));
        }
        if let Some(path) = &self.boxes {
            let reader = BoxReader::open_with(path, dimension, &options)?;
            return Ok(RowSource::reading(reader, VolumeBatch::from));
        }
        if let (Some(path), Some(radius)) = (&self.points, self.radius) {
            let reader = PointReader::open_with(path, dimension, &options)?;
            return Ok(RowSource::reading(reader, move |points| VolumeBatch::around_points(points, radius)));
        }
        Ok(RowSource::in_memory(self.given.batch(dimension)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::RowBatch;
    use clap::Parser;
    use hitscan_io::Dimension::{Three, Two};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        volumes: VolumeArguments,
    }

    fn batch(line: &str, dimension: Dimension) -> Result<VolumeBatch> {
        Line::try_parse_from(line.split(' ')).unwrap().volumes.given.batch(dimension)
    }

    #[test]
    fn spheres_and_boxes_of_either_dimension() {
        let columns = |line, dimension| {
            let batch = batch(line, dimension).unwrap();
            batch.columns().into_iter().map(|(name, column)| format!("{name}{column:?}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            columns("x --sphere 1,2,3,4 --sphere 0,0,0,1", Three),
            "px[1.0, 0.0] py[2.0, 0.0] pz[3.0, 0.0] radius[4.0, 1.0]"
        );
        assert_eq!(columns("x --box -1,2,0,4", Two), "px[-1.0] py[2.0] pz[] hx[0.0] hy[4.0] hz[]");
    }

    #[test]
    fn errors_name_the_number() {
        let message = |line, dimension| batch(line, dimension).err().unwrap().to_string();
        assert_eq!(message("x --sphere 1,2,3", Three), "--sphere 1: 3 numbers, but in 3D it takes 4 (px,py,pz,radius)");
        assert_eq!(
            message("x --sphere 1,2,3 --sphere 1,2,0", Two),
            "--sphere 2: radius: 0 is no radius (a finite number greater than 0)"
        );
        assert_eq!(
            message("x --box 0,0,1,-1", Two),
            "--box 1: hy: -1 is no half extent (a finite number that is at least 0)"
        );
        assert_eq!(message("x --box 0,0,1,nan", Two), "--box 1: hy: NaN is not allowed in a box");
    }
}
