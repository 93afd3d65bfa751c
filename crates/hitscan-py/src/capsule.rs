//! The Arrow PyCapsule interface: Arrow arrays from Python objects and to them, without copies.
//!
//! Source: *The Arrow PyCapsule Interface* and *The Arrow C data interface*, Apache Arrow documentation. `arrow-array` has the
//! structures and their release; a crate with more would bring casts and display, a tenth of the wheel.
#![allow(unsafe_code, reason = "pointers of the C data interface")]

use crate::error::{runtime_error, type_error, value_error};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray, make_array};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::{CStr, c_int};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The chunks of the Arrow array that an object offers.
pub(crate) fn chunks(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if object.hasattr("__arrow_c_array__")? {
        let pair = object.call_method0("__arrow_c_array__")?;
        let pair = pair.cast::<PyTuple>()?;
        let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
        let schema = pointer::<FFI_ArrowSchema>(&schema, SCHEMA)?;
        let array = pointer::<FFI_ArrowArray>(&array, ARRAY)?;
        // SAFETY: capsules of these names hold these structures, and live until this function returns. The array is moved
        // out, as its consumer has to.
        let (array, schema) = unsafe { (FFI_ArrowArray::from_raw(array), &*schema) };
        return import(name, array, schema).map(|array| vec![array]);
    }
    if !object.hasattr("__arrow_c_stream__")? {
        return Err(type_error(format!("{name}: no Arrow data")));
    }
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let stream = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
    // SAFETY: as above.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
    let mut schema = FFI_ArrowSchema::empty();
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(value_error(format!("{name}: the Arrow stream has been read before")));
    };
    // SAFETY: the functions of a stream that is not released, with that stream and an empty structure.
    check(name, &mut stream, |stream| unsafe { get_schema(stream, &raw mut schema) })?;
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above.
        check(name, &mut stream, |stream| unsafe { get_next(stream, &raw mut array) })?;
        if array.is_released() {
            return Ok(chunks);
        }
        chunks.push(import(name, array, &schema)?);
    }
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast().as_ptr())
}

fn import(name: &str, array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> PyResult<ArrayRef> {
    // SAFETY: the producer promises that the array is as its schema says.
    let data = unsafe { from_ffi(array, schema) };
    let mut data = data.map_err(|error| value_error(format!("{name}: {error}")))?;
    data.align_buffers();
    Ok(make_array(data))
}

/// Calls a function of a stream, and turns its error into an exception.
fn check(
    name: &str,
    stream: &mut FFI_ArrowArrayStream,
    call: impl FnOnce(*mut FFI_ArrowArrayStream) -> c_int,
) -> PyResult<()> {
    if call(stream) == 0 {
        return Ok(());
    }
    let text = stream.get_last_error.map(|get| {
        // SAFETY: the function of a stream that is not released; the text lives until the next call.
        let text = unsafe { get(stream) };
        // SAFETY: a text of C, or null.
        if text.is_null() { String::new() } else { unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned() }
    });
    Err(value_error(format!("{name}: the Arrow stream fails: {}", text.unwrap_or_default())))
}

/// A record batch as the two capsules of `__arrow_c_array__`.
pub(crate) fn array_capsules(
    py: Python<'_>,
    batch: RecordBatch,
) -> PyResult<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)> {
    let (array, schema) = to_ffi(&StructArray::from(batch).into_data()).map_err(runtime_error)?;
    Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// A record batch as the capsule of `__arrow_c_stream__`.
pub(crate) fn stream_capsule(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}
