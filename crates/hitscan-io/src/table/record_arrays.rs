//! Arrow arrays of numbers and names.

use crate::dimension::Precision;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int32Array, StringArray, UInt32Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;

/// The type of the numbers of a table.
pub(super) fn float_type(precision: Precision) -> DataType {
    match precision {
        Precision::F32 => DataType::Float32,
        Precision::F64 => DataType::Float64,
    }
}

/// The type of the names of shapes.
pub(super) fn names_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// Numbers, null where `valid` says so.
pub(super) fn floats(
    precision: Precision,
    values: &mut dyn Iterator<Item = f64>,
    valid: Option<NullBuffer>,
) -> ArrayRef {
    match precision {
        Precision::F32 => Arc::new(Float32Array::new(values.map(|value| value as f32).collect(), valid)),
        Precision::F64 => Arc::new(Float64Array::new(values.collect(), valid)),
    }
}

pub(super) fn uint64(values: &mut dyn Iterator<Item = u64>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<UInt64Array>())
}

pub(super) fn uint32(values: &mut dyn Iterator<Item = Option<u32>>) -> ArrayRef {
    Arc::new(values.collect::<UInt32Array>())
}

/// The names of the shapes and the numbers of the instances of a scene, as columns of its objects.
pub(crate) struct ObjectColumns {
    shapes: ArrayRef,
    instances: Option<Vec<Option<u32>>>,
}

impl ObjectColumns {
    pub(crate) fn new(shapes: &[String], instances: Option<&Vec<Option<u32>>>) -> Self {
        Self { shapes: Arc::new(StringArray::from_iter_values(shapes)), instances: instances.cloned() }
    }

    /// The column `shape`.
    pub(crate) fn shape(&self, objects: &mut dyn Iterator<Item = Option<u32>>) -> Result<ArrayRef, ArrowError> {
        let keys = objects.map(|object| object.map(|object| object as i32)).collect::<Int32Array>();
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, self.shapes.clone())?))
    }

    /// The columns `object` and `instance`, where the table has them.
    pub(crate) fn object_and_instance(&self, objects: impl Iterator<Item = Option<u32>> + Clone) -> Vec<ArrayRef> {
        let Some(instances) = &self.instances else { return Vec::new() };
        let instance = |object: Option<u32>| instances.get(object? as usize).copied().flatten();
        vec![uint32(&mut objects.clone()), uint32(&mut objects.map(instance))]
    }
}
