//! Tables of hits in memory, and their columns: [`HitLayout`].

use crate::dimension::{Dimension, Precision};

/// The columns of a table of hits, fixed before the first row is written.
#[derive(Clone, Debug, PartialEq)]
pub struct HitSchema {
    /// The kind of rows.
    pub layout: HitLayout,
    /// The number of coordinates of points and normals.
    pub dimension: Dimension,
    /// `F32` writes all numbers as `f32`, which is exact when the query was cast in `f32`.
    pub precision: Precision,
    /// The names of the shapes: [`HitRow::shape`] is an index of this list.
    pub shapes: Vec<String>,
    /// The number of each object among those of its geometry ([`SceneFile::instances`](crate::SceneFile::instances)), for the
    /// columns `object` and `instance`; `None` for a table without them.
    pub instances: Option<Vec<Option<u32>>>,
}

/// The kind of rows of a table of hits, one for each query.
///
/// The columns are the same in CSV, JSON lines, Parquet and Arrow files:
///
/// | query | rows | columns |
/// |---|---|---|
/// | `first` | one per ray, in order | `ray hit hit_index t distance px py [pz] nx ny [nz] front shape primitive u v` |
/// | `all` | one per hit | the same |
/// | `spans` | one per end of a span | the same, with `end` after `hit_index` |
/// | `any` | one per ray, in order | `ray hit` |
/// | `count` | one per ray, in order | `ray count` |
///
/// - `ray` is the row of the ray in its table, from 0.
/// - `hit` is true or false, and never null. In the row of a miss (of `first`) it is false and all columns after it are
///   null; the rows of `all` and `spans` are hits.
/// - `hit_index` numbers the hits of a ray from 0, in `spans` its spans: the two ends of a span have the same number.
/// - `end` is `enter` or `exit`.
/// - `t` counts in lengths of the direction, `distance` is a true length; `px py pz` is the point, `nx ny nz` the unit
///   normal; `front` says whether the ray comes from where the normal points.
/// - `shape` is the name of the object of the scene that the ray hits, or its type and number if it has no name.
/// - `primitive` is the part of the shape (the triangle of a mesh), `u` and `v` are coordinates on the surface; they are
///   null for shapes that have none.
/// - `pz` and `nz` are absent in two dimensions.
///
/// The contacts of thick rays ([`CastQuery::radius`](crate::CastQuery::radius)) have the columns `fnx fny [fnz]` behind `nz`: the unit
/// normal of the flat face that is touched ([`SweepHit::face_normal`](hitscan::SweepHit::face_normal)), null for other shapes. Such a
/// table comes from a cast; [`HitBatch`] does not have these columns.
///
/// For a scene with `[[object]]` tables or the nodes of a glTF, two columns follow `v`; other scenes have neither:
///
/// - `object` is the number of the object, from 0 in the order of the scene; `shape` stays its name.
/// - `instance` is its number among the objects of the same geometry, from 0; null for a `[[shape]]`, which shares nothing.
///
/// For a scene with groups or solids, a cast adds the column `member` behind all others: the number of the member of the group, or of the
/// leaf of the solid, from 0 in the order of the file; null for other shapes. [`HitBatch`] does not have it.
///
/// Nulls are empty cells in CSV and `null` in JSON. Types in Parquet and Arrow: `ray` and `count` are `UInt64`, `hit` and
/// `front` `Boolean`, `hit_index`, `primitive`, `object`, `instance` and `member` `UInt32`, `end` `Utf8`, `shape` a dictionary of `Utf8`, all others
/// `Float32` or `Float64`, after [`HitSchema::precision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HitLayout {
    /// One row per ray: `ray hit hit_index t distance px py [pz] nx ny [nz] front shape primitive u v`. In the row of a miss
    /// `hit` is false and all columns after it are null.
    First,
    /// A row per hit: the same columns, `hit` is true.
    All,
    /// A row per end of a span: the same columns, with `end` (`enter` or `exit`) after `hit_index`.
    Spans,
    /// One row per ray: `ray hit`, where `hit` is true or false.
    Any,
    /// One row per ray: `ray count`.
    Count,
}

/// Rows to write.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one batch at a time, whose columns are on the heap")]
pub enum HitBatch {
    /// For [`HitLayout::First`], [`HitLayout::All`] and [`HitLayout::Spans`].
    Hits(Hits),
    /// For [`HitLayout::Any`]: columns of equal length.
    Any {
        /// The row of the ray.
        ray: Vec<u64>,
        /// Whether it hit.
        hit: Vec<bool>,
    },
    /// For [`HitLayout::Count`]: columns of equal length.
    Count {
        /// The row of the ray.
        ray: Vec<u64>,
        /// The number of hits.
        count: Vec<u64>,
    },
}

/// Columns of hits, all of one length. Filled by [`Hits::push`] and [`Hits::push_miss`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The row of the ray.
    pub ray: Vec<u64>,
    /// The number of the hit within its ray, from 0; `None` for a miss, whose other cells are null, whatever they hold.
    pub hit_index: Vec<Option<u32>>,
    /// The end of the span, for [`HitLayout::Spans`] only.
    pub end: Vec<SpanEnd>,
    /// In lengths of the direction.
    pub t: Vec<f64>,
    /// The true distance.
    pub distance: Vec<f64>,
    /// The point; its third coordinate is ignored in two dimensions.
    pub point: Vec<[f64; 3]>,
    /// The unit normal; its third coordinate is ignored in two dimensions.
    pub normal: Vec<[f64; 3]>,
    /// Whether the ray came from where the normal points.
    pub front: Vec<bool>,
    /// The shape, as an index into [`HitSchema::shapes`].
    pub shape: Vec<u32>,
    /// The primitive of the shape: the triangle of a mesh.
    pub primitive: Vec<Option<u32>>,
    /// The coordinates on the surface.
    pub uv: Vec<Option<[f64; 2]>>,
}

/// An end of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpanEnd {
    /// The ray enters the solid.
    #[default]
    Enter,
    /// The ray leaves it.
    Exit,
}

/// One row of [`Hits`], with the columns' names and meanings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are the columns of `Hits`, documented there")]
pub struct HitRow {
    pub ray: u64,
    pub hit_index: u32,
    pub end: SpanEnd,
    pub t: f64,
    pub distance: f64,
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub front: bool,
    pub shape: u32,
    pub primitive: Option<u32>,
    pub uv: Option<[f64; 2]>,
}

impl Hits {
    /// Adds a hit.
    pub fn push(&mut self, row: HitRow) {
        self.push_row(Some(row.hit_index), row);
    }

    /// Adds the row of a ray that hit nothing, for [`HitLayout::First`].
    pub fn push_miss(&mut self, ray: u64) {
        self.push_row(None, HitRow { ray, ..HitRow::default() });
    }

    fn push_row(&mut self, hit_index: Option<u32>, row: HitRow) {
        self.ray.push(row.ray);
        self.hit_index.push(hit_index);
        self.end.push(row.end);
        self.t.push(row.t);
        self.distance.push(row.distance);
        self.point.push(row.point);
        self.normal.push(row.normal);
        self.front.push(row.front);
        self.shape.push(row.shape);
        self.primitive.push(row.primitive);
        self.uv.push(row.uv);
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        let Self { ray, hit_index, end, t, distance, point, normal, front, shape, primitive, uv } = self;
        ray.clear();
        hit_index.clear();
        end.clear();
        t.clear();
        distance.clear();
        point.clear();
        normal.clear();
        front.clear();
        shape.clear();
        primitive.clear();
        uv.clear();
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ray.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ray.is_empty()
    }

    fn has_equal_lengths(&self) -> bool {
        let Self { ray, hit_index, end, t, distance, point, normal, front, shape, primitive, uv } = self;
        let lengths = [hit_index.len(), end.len(), t.len(), distance.len(), point.len(), normal.len(), front.len()];
        let more = [shape.len(), primitive.len(), uv.len()];
        lengths.into_iter().chain(more).all(|length| length == ray.len())
    }
}

impl HitBatch {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Hits(Hits { ray, .. }) | Self::Any { ray, .. } | Self::Count { ray, .. } => ray.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error of a batch that does not fit the table.
    pub(super) fn layout_error(&self, schema: &HitSchema) -> Option<&'static str> {
        let is_even = match (self, schema.layout) {
            (Self::Hits(hits), HitLayout::First | HitLayout::All | HitLayout::Spans) => {
                if schema.layout != HitLayout::First && hits.hit_index.iter().any(Option::is_none) {
                    return Some("a miss in a table with rows for hits only (tables of first hits have misses)");
                }
                let known =
                    |(shape, hit): (&u32, &Option<u32>)| hit.is_none() || (*shape as usize) < schema.shapes.len();
                if !hits.shape.iter().zip(&hits.hit_index).all(known) {
                    return Some("a hit of a shape without a name");
                }
                if schema.instances.as_ref().is_some_and(|instances| instances.len() != schema.shapes.len()) {
                    return Some("not as many instances as names of shapes");
                }
                hits.has_equal_lengths()
            }
            (Self::Any { ray, hit }, HitLayout::Any) => ray.len() == hit.len(),
            (Self::Count { ray, count }, HitLayout::Count) => ray.len() == count.len(),
            _ => return Some("rows of another layout than that of the table"),
        };
        (!is_even).then_some("columns of different lengths")
    }
}
