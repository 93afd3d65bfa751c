//! Hits as Arrow record batches, for Parquet and Arrow files.

use super::hits::{HitBatch, HitLayout, HitSchema, Hits, SpanEnd};
use crate::dimension::Precision;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int32Array, RecordBatch, StringArray,
    UInt32Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::ops::Range;
use std::sync::Arc;

const POINT_COLUMNS: [&str; 3] = ["px", "py", "pz"];
const NORMAL: [&str; 3] = ["nx", "ny", "nz"];

/// The columns of a table, in order: the one place that names them and their types.
pub(super) fn schema(of: &HitSchema) -> Schema {
    let float = match of.precision {
        Precision::F32 => DataType::Float32,
        Precision::F64 => DataType::Float64,
    };
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
            add("shape", &DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)), in_misses);
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
pub(super) struct HitArrays {
    schema: SchemaRef,
    layout: HitLayout,
    axes: usize,
    precision: Precision,
    shapes: ArrayRef,
    instances: Option<Vec<Option<u32>>>,
}

impl HitArrays {
    pub(super) fn new(of: &HitSchema) -> Self {
        Self {
            schema: Arc::new(schema(of)),
            layout: of.layout,
            axes: of.dimension.count(),
            precision: of.precision,
            shapes: Arc::new(StringArray::from_iter_values(&of.shapes)),
            instances: of.instances.clone(),
        }
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Some rows of a batch.
    pub(super) fn rows(&self, batch: &HitBatch, rows: Range<usize>) -> Result<RecordBatch, ArrowError> {
        let columns: Vec<ArrayRef> = match batch {
            HitBatch::Hits(hits) => self.hits(hits, rows)?,
            HitBatch::Any { ray, hit } => {
                vec![uint64(&ray[rows.clone()]), Arc::new(BooleanArray::from(hit[rows].to_vec()))]
            }
            HitBatch::Count { ray, count } => vec![uint64(&ray[rows.clone()]), uint64(&count[rows])],
        };
        RecordBatch::try_new(self.schema.clone(), columns)
    }

    fn hits(&self, hits: &Hits, rows: Range<usize>) -> Result<Vec<ArrayRef>, ArrowError> {
        let hit_index = &hits.hit_index[rows.clone()];
        let is_hit: Vec<bool> = hit_index.iter().map(Option::is_some).collect();
        let has_misses = is_hit.contains(&false);
        let valid = has_misses.then(|| NullBuffer::from(is_hit.clone()));
        let float = |values: &mut dyn Iterator<Item = f64>| self.float(values, valid.clone());
        // A null in the row of a miss, whatever the cell holds.
        let at_hits = |cells: &[Option<u32>]| -> ArrayRef {
            Arc::new(cells.iter().zip(hit_index).map(|(cell, hit)| hit.and(*cell)).collect::<UInt32Array>())
        };
        let mut columns =
            vec![uint64(&hits.ray[rows.clone()]), Arc::new(BooleanArray::from(is_hit.clone())), at_hits(hit_index)];
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
        let keys = hits.shape[rows.clone()].iter().zip(&is_hit).map(|(shape, is_hit)| is_hit.then_some(*shape as i32));
        let keys = keys.collect::<Int32Array>();
        columns.push(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, self.shapes.clone())?));
        columns.push(at_hits(&hits.primitive[rows.clone()]));
        let uv = &hits.uv[rows.clone()];
        let has_uv = NullBuffer::from_iter(uv.iter().zip(&is_hit).map(|(uv, is_hit)| uv.is_some() && *is_hit));
        for axis in 0..2 {
            let values = &mut uv.iter().map(|uv| uv.map_or(0.0, |uv| uv[axis]));
            columns.push(self.float(values, Some(has_uv.clone())));
        }
        if let Some(instances) = &self.instances {
            let objects = &hits.shape[rows];
            columns.push(at_hits(&objects.iter().copied().map(Some).collect::<Vec<_>>()));
            let instance = |object: &u32| instances.get(*object as usize).copied().flatten();
            columns.push(at_hits(&objects.iter().map(instance).collect::<Vec<_>>()));
        }
        Ok(columns)
    }

    fn float(&self, values: &mut dyn Iterator<Item = f64>, valid: Option<NullBuffer>) -> ArrayRef {
        match self.precision {
            Precision::F32 => Arc::new(Float32Array::new(values.map(|value| value as f32).collect(), valid)),
            Precision::F64 => Arc::new(Float64Array::new(values.collect(), valid)),
        }
    }
}

fn uint64(values: &[u64]) -> ArrayRef {
    Arc::new(UInt64Array::from(values.to_vec()))
}
