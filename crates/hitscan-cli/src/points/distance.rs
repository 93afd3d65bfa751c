//! `hitscan distance`: the closest points of surfaces, and the distances to them.

use super::arguments::PointArguments;
use super::inside_rule::InsideRuleArguments;
use super::point_table::PointTable;
use crate::console::Console;
use crate::error::Result;
use crate::ignore::Rest;
use crate::parallel::{PIECE_ROWS, in_pieces};
use crate::scene::{SceneSpace, WithScene, coordinates, names, vector_at, with_scene};
use crate::tables::{Inputs, RowSource, TableQueryArguments, process};
use crate::text::{count, rate};
use crate::unmeasured::Unmeasured;
use crate::warnings::{OTHER_RULE, of_open_meshes};
use clap::Args;
use hitscan::{ClosestPoint, Containment, InsideRule, NotMeasured, Object, ObjectId, PointQuery, Real, Scene};
use hitscan_io::{ClosestRow, DistanceRow, Format, PointBatch, PointLayout, PointResults, PointSchema, Precision};
use std::ops::Range;

/// Measure distances: how far the surface is from points, and where it is closest
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DistanceArguments {
    #[command(flatten)]
    query: TableQueryArguments<PointArguments>,
    /// The greatest distance that counts, at least 0 [default: no limit]
    #[arg(long, value_name = "D", value_parser = distance_limit, allow_hyphen_values = true)]
    max_distance: Option<f64>,
    #[command(flatten)]
    inside_rule: InsideRuleArguments,
}

const EXAMPLES: &str = "\
Examples:
  hitscan distance scene.toml --point 0,0,5                      the closest point of the surface
  hitscan distance flat.toml --point 3,2 --point 4,-1            two points, in 2D
  hitscan distance bunny.ply --points points.csv --max-distance 0.1 -o distances.parquet
  generate-points | hitscan distance scene.toml --points -       CSV in, CSV out

One row per point, with the columns point (its row, from 0), found (true or false; false where no surface is within
--max-distance, with all columns after it empty), distance (to the surface, at least 0), signed_distance (negative inside a
solid), with --inside-rule also rule, cx cy cz (the closest point), feature (the part of the surface: face, edge or vertex, and
its number), shape, primitive, u, v; of a scene with [[object]]s or a glTF also object and instance, as for cast. Objects on all
layers count, and triggers, too. A solid of several shapes (type = \"solid\") has no distance, and a shape with numbers near the
end of the range of its precision may have none: where it may be the closest, nothing is found, and a warning says so.";

/// A limit of a distance: a number that is at least 0, or infinite.
fn distance_limit(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        Ok(_) => Err("the distance must be at least 0".into()),
        Err(_) => Err("not a number".into()),
    }
}

impl DistanceArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let Inputs { file, source, format, precision } = self.query.open(self.max_distance, console)?;
        let (accelerator, instances) = (self.query.table.accel.into(), file.instances());
        let distances = Distances { arguments: self, source, format, precision, instances, console };
        with_scene(&file, precision, accelerator, distances)
    }
}

/// Measurements of points, ready to run.
struct Distances<'a, 'b> {
    arguments: DistanceArguments,
    source: RowSource<PointBatch>,
    format: Option<Format>,
    precision: Precision,
    /// See [`PointSchema::instances`].
    instances: Option<Vec<Option<u32>>>,
    console: &'a mut Console<'b>,
}

impl WithScene for Distances<'_, '_> {
    type Output = ();

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<()> {
        let Self { arguments, source, format, precision, instances, console } = self;
        let DistanceArguments { query: TableQueryArguments { ignore, table, .. }, max_distance, inside_rule } =
            &arguments;
        let shapes = names(scene);
        let rest = Rest::without(scene, &shapes, ignore)?;
        let (scene, positions) = (&rest.scene, rest.positions());
        let max_distance = max_distance.map_or(V::Scalar::INFINITY, V::Scalar::from_f64);
        let (has_rule, rule) = (inside_rule.is_given(), inside_rule.rule());
        let query = DistanceQuery { scene, positions, max_distance, rule };
        let layout = PointLayout::Distance;
        let schema =
            PointSchema { layout, dimension: V::DIMENSION, precision, shapes: shapes.clone(), instances, has_rule };
        let (mut found, mut unmeasured) = (0, Unmeasured::new());
        let compute = |batch: &PointBatch| {
            let mut all = Vec::with_capacity(batch.len());
            for (rows, more) in in_pieces(batch.len(), PIECE_ROWS, table.threads(), |rows| query.measure(batch, rows)) {
                all.extend(rows);
                unmeasured.add(more);
            }
            found += all.iter().filter(|row: &&DistanceRow| row.closest.is_some()).count() as u64;
            PointResults::Distances(all)
        };
        let output = (format, table.output());
        let (points, seconds) = process(source, precision, PointTable::new(schema), output, console, compute)?;
        let is_unmeasured = |object: &Object<V>, point: &V| {
            object.instance().try_closest_point_within(*point, V::Scalar::INFINITY).is_err()
        };
        let names = rest.names(&shapes);
        if rule == InsideRule::Parity {
            let warnings = of_open_meshes(scene, &names, u32::MAX, ("inside", OTHER_RULE));
            warnings.iter().for_each(|warning| console.warn(warning));
        }
        if let Some(warning) = unmeasured.warning(("point", "closest"), scene, &names, is_unmeasured) {
            console.warn(&warning);
        }
        let rate = rate(points, "points", seconds);
        console.note(&format!("{}, {found} found, {seconds:.3} s, {rate}", count(points, "point")));
        Ok(())
    }
}

/// The query for every point of a table.
struct DistanceQuery<'a, V: SceneSpace> {
    scene: &'a Scene<V>,
    /// The position of each object in the names of the table: see [`Rest::positions`].
    positions: Option<&'a [u32]>,
    max_distance: V::Scalar,
    rule: InsideRule,
}

impl<V: SceneSpace> DistanceQuery<'_, V> {
    /// The results of some points of a batch, and the points that have none because of a shape.
    fn measure(&self, batch: &PointBatch, rows: Range<usize>) -> (Vec<DistanceRow>, Unmeasured<V>) {
        let mut unmeasured = Unmeasured::new();
        let measured = rows.map(|row| {
            let point = vector_at::<V>(&batch.point, row);
            let found = self.scene.try_closest_point_within(point, self.max_distance).unwrap_or_else(|NotMeasured| {
                unmeasured.count(point);
                None
            });
            let closest = found.map(|found| self.row(point, &found));
            DistanceRow { point: batch.first_row + row as u64, closest }
        });
        (measured.collect(), unmeasured)
    }

    /// The closest point as a row of the table.
    fn row(&self, point: V, found: &ClosestPoint<V>) -> ClosestRow {
        let number = found.object.map_or(0, ObjectId::index);
        // Outside of all solids the closest point has the signed distance: no second search.
        let Containment { is_inside, rule, .. } = self.scene.contains_by(point, self.rule);
        let signed = match is_inside {
            true => self.scene.signed_distance_by(point, self.rule).map(|signed| signed.distance),
            false => Some(found.distance),
        };
        ClosestRow {
            distance: found.distance.to_f64(),
            signed_distance: signed.map(Real::to_f64),
            rule,
            closest: coordinates(found.point),
            feature: found.feature,
            shape: self.positions.map_or(number as u32, |positions| positions[number]),
            primitive: found.primitive,
            uv: found.uv.map(|uv| uv.map(Real::to_f64)),
        }
    }
}
