//! Hits as Arrow record batches, for every format.

use super::hits::{HitBatch, HitLayout, HitSchema, Hits, SpanEnd};
use super::point_batch::POINT_COLUMNS;
use super::record_arrays::{ObjectColumns, float_type, floats, names_type, uint32, uint64};
use super::table_writer::TableResults;
use crate::dimension::Precision;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::ops::Range;
use std::sync::Arc;

const NORMAL: [&str; 3] = ["nx", "ny", "nz"];

/// The columns of a table, in order: the one place that names them and their types.
pub(crate) fn schema(of: &HitSchema) -> Schema {
    let float = float_type(of.precision);
    let axes = of.dimension.count();
    // Of the columns that every hit has, only the rows of misses are null.
    let in_misses = of.layout == HitLayout::First;
    let mut fields = vec![Field::new("ray", DataType::UInt64, false)];
    let mut add = |name: &str, of: &DataType, null| fields.push(Field::new(name, of.clone(), null));
    match of.layout {
        HitLayout::Any => add("hit", &DataType::Boolean, false),
        HitLayout::Count => add("count", &DataType::UInt64, false),
        HitLayout::First | HitLayout::All | HitLayout::Spans => {
            add("hit", &DataType::Boolean, false);
            add("hit_index", &DataType::UInt32, in_misses);
            if of.layout == HitLayout::Spans {
                add("end", &DataType::Utf8, in_misses);
            }
            add("t", &float, in_misses);
            add("distance", &float, in_misses);
            POINT_COLUMNS[..axes].iter().chain(&NORMAL[..axes]).for_each(|name| add(name, &float, in_misses));
            add("front", &DataType::Boolean, in_misses);
            add("shape", &names_type(), in_misses);
            add("primitive", &DataType::UInt32, true);
            add("u", &float, true);
            add("v", &float, true);
            if of.instances.is_some() {
                add("object", &DataType::UInt32, in_misses);
                add("instance", &DataType::UInt32, true);
            }
        }
    }
    Schema::new(fields)
}

/// Turns batches into record batches.
pub struct HitArrays {
    schema: SchemaRef,
    layout: HitLayout,
    axes: usize,
    precision: Precision,
    objects: ObjectColumns,
}

impl HitArrays {
    fn new(of: &HitSchema) -> Self {
        Self {
            schema: Arc::new(schema(of)),
            layout: of.layout,
            axes: of.dimension.count(),
            precision: of.precision,
            objects: ObjectColumns::new(&of.shapes, of.instances.as_ref()),
        }
    }

    /// Some rows of a batch.
    fn rows(&self, batch: &HitBatch, rows: Range<usize>) -> Result<RecordBatch, ArrowError> {
        let columns: Vec<ArrayRef> = match batch {
            HitBatch::Hits(hits) => self.hits(hits, rows)?,
            HitBatch::Any { ray, hit } => {
                vec![uint64(&mut ray[rows.clone()].iter().copied()), Arc::new(BooleanArray::from(hit[rows].to_vec()))]
            }
            HitBatch::Count { ray, count } => {
                vec![uint64(&mut ray[rows.clone()].iter().copied()), uint64(&mut count[rows].iter().copied())]
            }
        };
        RecordBatch::try_new(self.schema.clone(), columns)
    }

    fn hits(&self, hits: &Hits, rows: Range<usize>) -> Result<Vec<ArrayRef>, ArrowError> {
        let hit_index = &hits.hit_index[rows.clone()];
        let is_hit: Vec<bool> = hit_index.iter().map(Option::is_some).collect();
        let has_misses = is_hit.contains(&false);
        let valid = has_misses.then(|| NullBuffer::from(is_hit.clone()));
        let float = |values: &mut dyn Iterator<Item = f64>| floats(self.precision, values, valid.clone());
        // A null in the row of a miss, whatever the cell holds.
        let at_hits = |cells: &[Option<u32>]| -> ArrayRef {
            uint32(&mut cells.iter().zip(hit_index).map(|(cell, hit)| hit.and(*cell)))
        };
        let mut columns = vec![
            uint64(&mut hits.ray[rows.clone()].iter().copied()),
            Arc::new(BooleanArray::from(is_hit.clone())),
            at_hits(hit_index),
        ];
        if self.layout == HitLayout::Spans {
            columns.push(Arc::new(StringArray::from_iter_values(hits.end[rows.clone()].iter().map(|end| match end {
                SpanEnd::Enter => "enter",
                SpanEnd::Exit => "exit",
            }))));
        }
        columns.push(float(&mut hits.t[rows.clone()].iter().copied()));
        columns.push(float(&mut hits.distance[rows.clone()].iter().copied()));
        for vectors in [&hits.point[rows.clone()], &hits.normal[rows.clone()]] {
            columns.extend((0..self.axes).map(|axis| float(&mut vectors.iter().map(|vector| vector[axis]))));
        }
        columns.push(Arc::new(BooleanArray::new(hits.front[rows.clone()].into(), valid.clone())));
        let objects = hits.shape[rows.clone()].iter().zip(&is_hit).map(|(shape, is_hit)| is_hit.then_some(*shape));
        columns.push(self.objects.shape(&mut objects.clone())?);
        columns.push(at_hits(&hits.primitive[rows.clone()]));
        let uv = &hits.uv[rows];
        let has_uv = NullBuffer::from_iter(uv.iter().zip(&is_hit).map(|(uv, is_hit)| uv.is_some() && *is_hit));
        for axis in 0..2 {
            let values = &mut uv.iter().map(|uv| uv.map_or(0.0, |uv| uv[axis]));
            columns.push(floats(self.precision, values, Some(has_uv.clone())));
        }
        columns.extend(self.objects.object_and_instance(objects));
        Ok(columns)
    }
}

impl TableResults for HitBatch {
    type Schema = HitSchema;
    type Arrays = HitArrays;

    fn arrays(schema: &HitSchema) -> HitArrays {
        HitArrays::new(schema)
    }

    fn record_schema(arrays: &HitArrays) -> &SchemaRef {
        &arrays.schema
    }

    fn refusal(&self, schema: &HitSchema) -> Option<&'static str> {
        self.layout_error(schema)
    }

    fn row_count(&self) -> usize {
        self.len()
    }

    fn records(&self, arrays: &HitArrays, rows: Range<usize>) -> Result<RecordBatch, ArrowError> {
        arrays.rows(self, rows)
    }
}
