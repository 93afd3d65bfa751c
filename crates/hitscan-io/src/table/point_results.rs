//! Tables of results for points, in memory: [`PointLayout`].

use crate::dimension::{Dimension, Precision};
use hitscan::{Feature, InsideRule};

/// The columns of a table of results for points, fixed before the first row is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSchema {
    /// The kind of rows.
    pub layout: PointLayout,
    /// The number of coordinates of closest points.
    pub dimension: Dimension,
    /// `F32` writes all numbers as `f32`, which is exact when the query was made in `f32`.
    pub precision: Precision,
    /// The names of the shapes: [`ClosestRow::shape`] is an index of this list.
    pub shapes: Vec<String>,
    /// The number of each object among those of its geometry, as in [`HitSchema::instances`](crate::HitSchema::instances).
    pub instances: Option<Vec<Option<u32>>>,
    /// Whether the table has the column `rule`.
    pub has_rule: bool,
}

/// The kind of rows of a table of results for points: one row per point, in order.
///
/// | layout | columns |
/// |---|---|
/// | `Distance` | `point found distance signed_distance [rule] cx cy [cz] feature shape primitive u v` |
/// | `Contains` | `point inside [rule]` |
///
/// - `point` is the row of the point in its table, from 0.
/// - `found` is true or false, and never null. Where it is false, all columns after it are null.
/// - `distance` is the distance to the surface; `signed_distance` is negative inside a solid. `cx cy cz` is the closest point
///   of the surface; `feature` is the part of the surface on which it lies: `face 0`, `edge 2` or `vertex 1`, numbered as
///   [`hitscan::Feature`] says.
/// - `shape`, `primitive`, `u` and `v` are those of the closest point, as for [hits](crate::HitLayout). So are `object` and
///   `instance`, which follow `v` in the same scenes.
/// - `rule` is the one that decided the sign or `inside`: `parity` or `winding-number`, if [`PointSchema::has_rule`].
/// - `inside` says whether the point is in any solid of the scene.
///
/// Nulls are empty cells in CSV and `null` in JSON. Types in Parquet and Arrow: `point` is `UInt64`, `found` and `inside`
/// `Boolean`, `feature` and `rule` `Utf8`, the others as for hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointLayout {
    /// The closest point of the surface, and the distances.
    Distance,
    /// Whether a solid contains the point.
    Contains,
}

/// Rows to write.
#[derive(Clone, Debug, PartialEq)]
pub enum PointResults {
    /// For [`PointLayout::Distance`].
    Distances(Vec<DistanceRow>),
    /// For [`PointLayout::Contains`]: columns of equal length.
    Contains {
        /// The row of the point.
        point: Vec<u64>,
        /// Whether a solid contains it.
        inside: Vec<bool>,
        /// The rule that decided; ignored by a table without the column.
        rule: Vec<InsideRule>,
    },
}

/// The row of a point in a table of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceRow {
    /// The row of the point.
    pub point: u64,
    /// The closest point; `None` if none is found.
    pub closest: Option<ClosestRow>,
}

/// The closest point of a surface, with the columns' names and meanings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestRow {
    /// The distance to the surface.
    pub distance: f64,
    /// The same, negative inside a solid.
    pub signed_distance: Option<f64>,
    /// The rule that decided the sign; ignored by a table without the column.
    pub rule: InsideRule,
    /// The closest point; its third coordinate is ignored in two dimensions.
    pub closest: [f64; 3],
    /// The part of the surface.
    pub feature: Feature,
    /// The shape, as an index into [`PointSchema::shapes`].
    pub shape: u32,
    /// The primitive of the shape: the triangle of a mesh.
    pub primitive: Option<u32>,
    /// The coordinates on the surface.
    pub uv: Option<[f64; 2]>,
}

impl PointResults {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Distances(rows) => rows.len(),
            Self::Contains { point, .. } => point.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error of a batch that does not fit the table.
    pub(super) fn layout_error(&self, schema: &PointSchema) -> Option<&'static str> {
        match (self, schema.layout) {
            (Self::Distances(rows), PointLayout::Distance) => {
                if rows.iter().filter_map(|row| row.closest).any(|row| row.shape as usize >= schema.shapes.len()) {
                    return Some("a closest point of a shape without a name");
                }
                let is_even = schema.instances.as_ref().is_none_or(|instances| instances.len() == schema.shapes.len());
                (!is_even).then_some("not as many instances as names of shapes")
            }
            (Self::Contains { point, inside, rule }, PointLayout::Contains) => {
                let is_even = point.len() == inside.len() && point.len() == rule.len();
                (!is_even).then_some("columns of different lengths")
            }
            _ => Some("rows of another layout than that of the table"),
        }
    }
}
