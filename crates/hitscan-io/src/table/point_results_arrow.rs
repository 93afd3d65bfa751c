//! Results for points as Arrow record batches, for every format.

use super::point_results::{ClosestRow, DistanceRow, PointLayout, PointResults, PointSchema};
use super::record_arrays::{ObjectColumns, float_type, floats, names_type, uint32, uint64};
use super::table_writer::TableResults;
use crate::dimension::Precision;
use crate::fmt::{INSIDE_RULES, feature, word};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hitscan::InsideRule;
use std::ops::Range;
use std::sync::Arc;

/// The columns of a table, in order: the one place that names them and their types.
fn schema(of: &PointSchema) -> Schema {
    let float = float_type(of.precision);
    let mut fields = vec![Field::new("point", DataType::UInt64, false)];
    match of.layout {
        PointLayout::Contains => {
            fields.push(Field::new("inside", DataType::Boolean, false));
            fields.extend(of.has_rule.then(|| Field::new("rule", DataType::Utf8, false)));
        }
        PointLayout::Distance => {
            fields.push(Field::new("found", DataType::Boolean, false));
            let mut add = |name: &str, of: &DataType| fields.push(Field::new(name, of.clone(), true));
            let closest = &["cx", "cy", "cz"][..of.dimension.count()];
            ["distance", "signed_distance"].iter().for_each(|name| add(name, &float));
            if of.has_rule {
                add("rule", &DataType::Utf8);
            }
            closest.iter().for_each(|name| add(name, &float));
            add("feature", &DataType::Utf8);
            add("shape", &names_type());
            add("primitive", &DataType::UInt32);
            add("u", &float);
            add("v", &float);
            if of.instances.is_some() {
                add("object", &DataType::UInt32);
                add("instance", &DataType::UInt32);
            }
        }
    }
    Schema::new(fields)
}

/// Turns results into record batches.
pub struct PointArrays {
    schema: SchemaRef,
    axes: usize,
    precision: Precision,
    objects: ObjectColumns,
    has_rule: bool,
}

impl PointArrays {
    fn new(of: &PointSchema) -> Self {
        Self {
            schema: Arc::new(schema(of)),
            axes: of.dimension.count(),
            precision: of.precision,
            objects: ObjectColumns::new(&of.shapes, of.instances.as_ref()),
            has_rule: of.has_rule,
        }
    }

    /// Some rows of a batch.
    fn rows(&self, results: &PointResults, rows: Range<usize>) -> Result<RecordBatch, ArrowError> {
        let columns = match results {
            PointResults::Distances(distances) => self.distances(&distances[rows])?,
            PointResults::Contains { point, inside, rule } => {
                let points = uint64(&mut point[rows.clone()].iter().copied());
                let inside = Arc::new(BooleanArray::from(inside[rows.clone()].to_vec()));
                let rule = self.has_rule.then(|| rules(rule[rows].iter().map(|rule| Some(*rule))));
                [points, inside].into_iter().chain(rule).collect()
            }
        };
        RecordBatch::try_new(self.schema.clone(), columns)
    }

    fn distances(&self, rows: &[DistanceRow]) -> Result<Vec<ArrayRef>, ArrowError> {
        let found: Vec<bool> = rows.iter().map(|row| row.closest.is_some()).collect();
        let objects = rows.iter().map(|row| Some(row.closest?.shape));
        let mut columns = vec![uint64(&mut rows.iter().map(|row| row.point)), Arc::new(BooleanArray::from(found))];
        columns.push(self.floats(rows, |row| Some(row.distance)));
        columns.push(self.floats(rows, |row| row.signed_distance));
        if self.has_rule {
            columns.push(rules(rows.iter().map(|row| Some(row.closest?.rule))));
        }
        columns.extend((0..self.axes).map(|axis| self.floats(rows, |row| Some(row.closest[axis]))));
        let features = rows.iter().map(|row| row.closest.map(|closest| feature(closest.feature)));
        columns.push(Arc::new(features.collect::<StringArray>()));
        columns.push(self.objects.shape(&mut objects.clone())?);
        columns.push(uint32(&mut rows.iter().map(|row| row.closest?.primitive)));
        columns.extend((0..2).map(|axis| self.floats(rows, |row| row.uv.map(|uv| uv[axis]))));
        columns.extend(self.objects.object_and_instance(objects));
        Ok(columns)
    }

    /// A column of numbers, null where a row has none.
    fn floats(&self, rows: &[DistanceRow], number: impl Fn(&ClosestRow) -> Option<f64>) -> ArrayRef {
        let numbers = rows.iter().map(|row| row.closest.as_ref().and_then(&number));
        let valid = numbers.clone().map(|number| number.is_some()).collect::<NullBuffer>();
        floats(self.precision, &mut numbers.map(|number| number.unwrap_or(0.0)), Some(valid))
    }
}

/// A column of rules, null where a row has none.
fn rules(rules: impl Iterator<Item = Option<InsideRule>>) -> ArrayRef {
    Arc::new(rules.map(|rule| rule.map(|rule| word(&INSIDE_RULES, rule))).collect::<StringArray>())
}

impl TableResults for PointResults {
    type Schema = PointSchema;
    type Arrays = PointArrays;

    fn arrays(schema: &PointSchema) -> PointArrays {
        PointArrays::new(schema)
    }

    fn record_schema(arrays: &PointArrays) -> &SchemaRef {
        &arrays.schema
    }

    fn refusal(&self, schema: &PointSchema) -> Option<&'static str> {
        self.layout_error(schema)
    }

    fn row_count(&self) -> usize {
        self.len()
    }

    fn records(&self, arrays: &PointArrays, rows: Range<usize>) -> Result<RecordBatch, ArrowError> {
        arrays.rows(self, rows)
    }
}
