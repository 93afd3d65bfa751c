//! Tables of hits in memory.

use crate::numbers::{Dimension, Precision};

/// What a table of hits holds: fixed before the first row is written.
#[derive(Clone, Debug, PartialEq)]
pub struct HitSchema {
    /// The kind of rows.
    pub layout: HitLayout,
    /// The number of coordinates of points and normals.
    pub dimension: Dimension,
    /// `F32` writes all numbers as `f32`, which is exact when the query was cast in `f32`.
    pub precision: Precision,
    /// The names that [`HitRow::shape`] counts into.
    pub shapes: Vec<String>,
}

/// The kind of rows of a table of hits, after the query that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HitLayout {
    /// One row per ray; a miss is a row of nulls. Columns `ray hit t distance px py [pz] nx ny [nz] front shape
    /// primitive u v instance`.
    First,
    /// A row per hit, the same columns.
    All,
    /// A row per end of a span: the same columns, with `end` after `hit`.
    Spans,
    /// One row per ray: `ray`, and `hit` true or false.
    Any,
    /// One row per ray: `ray count`.
    Count,
}

/// Rows to write.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and its columns are elsewhere")]
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
        /// How many hits.
        count: Vec<u64>,
    },
}

/// Columns of hits, all of one length. Filled by [`Hits::push`] and [`Hits::push_miss`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The row of the ray.
    pub ray: Vec<u64>,
    /// The number of the hit within its ray, or `None` for a miss: then the cells of the other columns are null,
    /// whatever they hold.
    pub hit: Vec<Option<u32>>,
    /// Which end of its span; told in [`HitLayout::Spans`] only.
    pub end: Vec<End>,
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
    /// The instance.
    pub instance: Vec<Option<u32>>,
}

/// An end of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
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
    pub hit: u32,
    pub end: End,
    pub t: f64,
    pub distance: f64,
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub front: bool,
    pub shape: u32,
    pub primitive: Option<u32>,
    pub uv: Option<[f64; 2]>,
    pub instance: Option<u32>,
}

impl Hits {
    /// Adds a hit.
    pub fn push(&mut self, row: HitRow) {
        self.put(Some(row.hit), row);
    }

    /// Adds the row of a ray that hit nothing, for [`HitLayout::First`].
    pub fn push_miss(&mut self, ray: u64) {
        self.put(None, HitRow { ray, ..HitRow::default() });
    }

    fn put(&mut self, hit: Option<u32>, row: HitRow) {
        self.ray.push(row.ray);
        self.hit.push(hit);
        self.end.push(row.end);
        self.t.push(row.t);
        self.distance.push(row.distance);
        self.point.push(row.point);
        self.normal.push(row.normal);
        self.front.push(row.front);
        self.shape.push(row.shape);
        self.primitive.push(row.primitive);
        self.uv.push(row.uv);
        self.instance.push(row.instance);
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        let Self { ray, hit, end, t, distance, point, normal, front, shape, primitive, uv, instance } = self;
        ray.clear();
        hit.clear();
        end.clear();
        t.clear();
        distance.clear();
        point.clear();
        normal.clear();
        front.clear();
        shape.clear();
        primitive.clear();
        uv.clear();
        instance.clear();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ray.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ray.is_empty()
    }

    fn is_even(&self) -> bool {
        let Self { ray, hit, end, t, distance, point, normal, front, shape, primitive, uv, instance } = self;
        let lengths = [hit.len(), end.len(), t.len(), distance.len(), point.len(), normal.len(), front.len()];
        let more = [shape.len(), primitive.len(), uv.len(), instance.len()];
        lengths.into_iter().chain(more).all(|length| length == ray.len())
    }
}

impl HitBatch {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Hits(Hits { ray, .. }) | Self::Any { ray, .. } | Self::Count { ray, .. } => ray.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is wrong with the batch, as rows of that table.
    pub(super) fn mistake(&self, schema: &HitSchema) -> Option<&'static str> {
        let even = match (self, schema.layout) {
            (Self::Hits(hits), HitLayout::First | HitLayout::All | HitLayout::Spans) => {
                if schema.layout != HitLayout::First && hits.hit.iter().any(Option::is_none) {
                    return Some("a miss in a table of hits (only one-row-per-ray tables have misses)");
                }
                let known =
                    |(shape, hit): (&u32, &Option<u32>)| hit.is_none() || (*shape as usize) < schema.shapes.len();
                if !hits.shape.iter().zip(&hits.hit).all(known) {
                    return Some("a hit of a shape without a name");
                }
                hits.is_even()
            }
            (Self::Any { ray, hit }, HitLayout::Any) => ray.len() == hit.len(),
            (Self::Count { ray, count }, HitLayout::Count) => ray.len() == count.len(),
            _ => return Some("rows of another layout than the table's"),
        };
        (!even).then_some("columns of different lengths")
    }
}
