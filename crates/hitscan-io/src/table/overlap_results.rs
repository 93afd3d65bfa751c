//! Tables of what volumes overlap: [`OverlapLayout`].

use super::record_arrays::{ObjectColumns, names_type, uint32, uint64};
use super::table_writer::TableResults;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::ops::Range;
use std::sync::Arc;

/// The columns of a table of overlaps, fixed before the first row is written.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlapSchema {
    /// The kind of rows.
    pub layout: OverlapLayout,
    /// The names of the shapes: [`OverlapRow::shape`] is an index of this list.
    pub shapes: Vec<String>,
    /// The number of each object among those of its geometry, as in [`HitSchema::instances`](crate::HitSchema::instances).
    pub instances: Option<Vec<Option<u32>>>,
}

/// The kind of rows of a table of overlaps.
///
/// | layout | rows | columns |
/// |---|---|---|
/// | `Any` | one per volume, in order | `volume overlap` |
/// | `All` | one per object that a volume overlaps | `volume overlap shape primitive` |
/// | `Count` | one per volume, in order | `volume count` |
///
/// - `volume` is the row of the volume in its table, from 0.
/// - `overlap` is true or false, and never null. In `All` a volume that overlaps nothing has one row, where it is false and
///   all columns after it are null.
/// - `shape` is the name of the object that the volume overlaps, as for [hits](crate::HitLayout); so are `object` and
///   `instance`, which follow `primitive` in the same scenes. `primitive` is the triangle of a mesh, in a table of triangles.
///
/// Nulls are empty cells in CSV and `null` in JSON. Types in Parquet and Arrow: `volume` and `count` are `UInt64`, `overlap`
/// `Boolean`, the others as for hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OverlapLayout {
    /// Whether the volume overlaps anything.
    Any,
    /// What it overlaps.
    All,
    /// The number of things that it overlaps.
    Count,
}

/// Rows to write.
#[derive(Clone, Debug, PartialEq)]
pub enum OverlapResults {
    /// For [`OverlapLayout::Any`]: columns of equal length.
    Any {
        /// The row of the volume.
        volume: Vec<u64>,
        /// Whether it overlaps anything.
        overlap: Vec<bool>,
    },
    /// For [`OverlapLayout::All`].
    All(Vec<OverlapRow>),
    /// For [`OverlapLayout::Count`]: columns of equal length.
    Count {
        /// The row of the volume.
        volume: Vec<u64>,
        /// The number of things that it overlaps.
        count: Vec<u64>,
    },
}

/// A row of a table of overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapRow {
    /// The row of the volume.
    pub volume: u64,
    /// The shape, as an index into [`OverlapSchema::shapes`]; `None` for a volume that overlaps nothing.
    pub shape: Option<u32>,
    /// The primitive of the shape: the triangle of a mesh.
    pub primitive: Option<u32>,
}

impl OverlapResults {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::All(rows) => rows.len(),
            Self::Any { volume, .. } | Self::Count { volume, .. } => volume.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The columns of a table, in order: the one place that names them and their types.
fn fields(of: &OverlapSchema) -> Schema {
    let mut fields = vec![Field::new("volume", DataType::UInt64, false)];
    match of.layout {
        OverlapLayout::Any => fields.push(Field::new("overlap", DataType::Boolean, false)),
        OverlapLayout::Count => fields.push(Field::new("count", DataType::UInt64, false)),
        OverlapLayout::All => {
            fields.push(Field::new("overlap", DataType::Boolean, false));
            let mut add = |name: &str, of: DataType| fields.push(Field::new(name, of, true));
            add("shape", names_type());
            add("primitive", DataType::UInt32);
            if of.instances.is_some() {
                add("object", DataType::UInt32);
                add("instance", DataType::UInt32);
            }
        }
    }
    Schema::new(fields)
}

/// Turns results into record batches.
pub struct OverlapArrays {
    schema: SchemaRef,
    objects: ObjectColumns,
}

impl OverlapArrays {
    fn all(&self, rows: &[OverlapRow]) -> Result<Vec<ArrayRef>, ArrowError> {
        let objects = rows.iter().map(|row| row.shape);
        let overlap: Vec<bool> = objects.clone().map(|shape| shape.is_some()).collect();
        let mut columns = vec![
            uint64(&mut rows.iter().map(|row| row.volume)),
            Arc::new(BooleanArray::from(overlap)),
            self.objects.shape(&mut objects.clone())?,
            uint32(&mut rows.iter().map(|row| row.shape.and(row.primitive))),
        ];
        columns.extend(self.objects.object_and_instance(objects));
        Ok(columns)
    }
}

impl TableResults for OverlapResults {
    type Schema = OverlapSchema;
    type Arrays = OverlapArrays;

    fn arrays(schema: &OverlapSchema) -> OverlapArrays {
        let objects = ObjectColumns::new(&schema.shapes, schema.instances.as_ref());
        OverlapArrays { schema: Arc::new(fields(schema)), objects }
    }

    fn record_schema(arrays: &OverlapArrays) -> &SchemaRef {
        &arrays.schema
    }

    fn refusal(&self, schema: &OverlapSchema) -> Option<&'static str> {
        let is_even = match (self, schema.layout) {
            (Self::All(rows), OverlapLayout::All) => {
                if rows.iter().filter_map(|row| row.shape).any(|shape| shape as usize >= schema.shapes.len()) {
                    return Some("an overlap with a shape without a name");
                }
                if schema.instances.as_ref().is_some_and(|instances| instances.len() != schema.shapes.len()) {
                    return Some("not as many instances as names of shapes");
                }
                true
            }
            (Self::Any { volume, overlap }, OverlapLayout::Any) => volume.len() == overlap.len(),
            (Self::Count { volume, count }, OverlapLayout::Count) => volume.len() == count.len(),
            _ => return Some("rows of another layout than that of the table"),
        };
        (!is_even).then_some("columns of different lengths")
    }

    fn row_count(&self) -> usize {
        self.len()
    }

    fn records(&self, arrays: &OverlapArrays, rows: Range<usize>) -> Result<RecordBatch, ArrowError> {
        let volumes = |volume: &[u64]| uint64(&mut volume[rows.clone()].iter().copied());
        let columns = match self {
            Self::All(all) => arrays.all(&all[rows])?,
            Self::Any { volume, overlap } => {
                vec![volumes(volume), Arc::new(BooleanArray::from(overlap[rows.clone()].to_vec()))]
            }
            Self::Count { volume, count } => vec![volumes(volume), volumes(count)],
        };
        RecordBatch::try_new(arrays.schema.clone(), columns)
    }
}
