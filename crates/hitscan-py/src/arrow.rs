//! Arrow data as NumPy arrays and back, by the PyCapsule interface, without copies of numbers.
#![allow(unsafe_code, reason = "arrays of either library that share the memory of the other's")]

use crate::capsule::{array_capsules, chunks, stream_capsule};
use crate::error::{runtime_error, type_error, value_error};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeListArray, PrimitiveArray, RecordBatch};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use numpy::ndarray::ArrayView;
use numpy::{Element, IxDyn, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

/// The owner of the memory of a NumPy array that is a view of Arrow data.
#[pyclass(frozen)]
struct ArrowOwner {
    _array: ArrayRef,
}

/// A NumPy array of the numbers of an Arrow array, of shape (n,) or (n, width).
fn view<'py, T: ArrowPrimitiveType<Native: Element>>(
    py: Python<'py>,
    array: &ArrayRef,
    width: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers: &[T::Native] = array.as_primitive::<T>().values();
    let owner = Bound::new(py, ArrowOwner { _array: array.clone() })?.into_any();
    let out = match width {
        None => {
            // SAFETY: the owner keeps the memory, which nobody writes: the array becomes read-only.
            let out = unsafe { PyArray1::borrow_from_array(&ArrayView::from(numbers), owner) };
            out.readwrite().make_nonwriteable();
            out.into_any()
        }
        Some(width) => {
            let rows = numbers.len() / width.max(1);
            let rows = ArrayView::from_shape((rows, width), numbers).map_err(runtime_error)?;
            // SAFETY: as above.
            let out = unsafe { PyArray2::borrow_from_array(&rows, owner) };
            out.readwrite().make_nonwriteable();
            out.into_any()
        }
    };
    Ok(out)
}

/// A NumPy array that shares the memory of an Arrow array; of a table or an array of structs, an array with their columns.
fn to_numpy<'py>(py: Python<'py>, name: &str, array: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    if array.null_count() > 0 {
        let row = (0..array.len()).find(|&row| array.is_null(row)).unwrap_or(0);
        return Err(value_error(format!("{name}: row {row} is null; fill or drop the nulls first")));
    }
    if let Some(columns) = array.as_struct_opt() {
        let one = |(field, column): (&str, &ArrayRef)| to_numpy(py, &format!("{name}: column '{field}'"), column);
        let columns: Vec<_> =
            columns.column_names().into_iter().zip(columns.columns()).map(one).collect::<PyResult<_>>()?;
        return py.import("numpy")?.call_method1("column_stack", (columns,));
    }
    let (values, width) = match array.as_fixed_size_list_opt() {
        Some(lists) => {
            let width = lists.value_length() as usize;
            let first = lists.value_offset(0) as usize;
            (lists.values().slice(first, lists.len() * width), Some(width))
        }
        None => (array.clone(), None),
    };
    if values.null_count() > 0 {
        return Err(value_error(format!("{name}: a coordinate is null; fill or drop the nulls first")));
    }
    match values.data_type() {
        DataType::Float32 => view::<Float32Type>(py, &values, width),
        DataType::Float64 => view::<Float64Type>(py, &values, width),
        DataType::Int32 => view::<Int32Type>(py, &values, width),
        DataType::Int64 => view::<Int64Type>(py, &values, width),
        DataType::UInt32 => view::<UInt32Type>(py, &values, width),
        DataType::UInt64 => view::<UInt64Type>(py, &values, width),
        other => Err(type_error(format!(
            "{name}: an Arrow array of {other}; numbers must be float32, float64, or integers of 32 or 64 bits, in columns \
             or in fixed-size lists"
        ))),
    }
}

/// The chunks of an Arrow array. They share its memory.
#[pyfunction]
pub(crate) fn array<'py>(py: Python<'py>, name: &str, array: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    chunks(name, array)?.iter().map(|chunk| to_numpy(py, name, chunk)).collect()
}

/// The numbers of a contiguous NumPy array as an Arrow buffer, which keeps the array.
fn buffer<T: Element + ArrowNativeType>(array: &Bound<'_, PyArray<T, IxDyn>>) -> PyResult<ScalarBuffer<T>> {
    let array_numbers = array.try_readonly()?;
    let rows = array_numbers.as_array();
    let numbers = rows.to_slice().ok_or_else(|| runtime_error("a column is not contiguous"))?;
    let start = NonNull::from(numbers).cast::<u8>();
    let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
    // SAFETY: the owner keeps the memory, which NumPy neither moves nor frees. A later write by Python shows in the column.
    let buffer = unsafe { Buffer::from_custom_allocation(start, size_of_val(numbers), owner) };
    Ok(ScalarBuffer::new(buffer, 0, numbers.len()))
}

fn primitive<T: ArrowPrimitiveType<Native: Element>>(
    array: &Bound<'_, PyAny>,
    valid: Option<NullBuffer>,
) -> PyResult<Option<ArrayRef>> {
    let Ok(array) = array.cast::<PyArray<T::Native, IxDyn>>() else { return Ok(None) };
    let values = buffer(array)?;
    Ok(Some(match *array.shape() {
        [_, width] => {
            let field = Arc::new(Field::new("item", T::DATA_TYPE, false));
            let values = Arc::new(PrimitiveArray::<T>::new(values, None));
            // A vector has two or three coordinates.
            Arc::new(FixedSizeListArray::try_new(field, width as i32, values, valid).map_err(runtime_error)?)
        }
        _ => Arc::new(PrimitiveArray::<T>::new(values, valid)),
    }))
}

/// A column: its name, its array of shape (n,) or (n, d), and the mask of the rows that are not null.
type Column<'py> = (String, Bound<'py, PyAny>, Option<PyReadonlyArray1<'py, bool>>);

/// An Arrow record batch of NumPy arrays, which share their memory: the capsules of schema and array.
#[pyfunction]
pub(crate) fn record_batch<'py>(
    py: Python<'py>,
    columns: Vec<Column<'py>>,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    array_capsules(py, batch(&columns)?)
}

/// The record batch as a table of one batch: the capsule of its stream.
#[pyfunction]
pub(crate) fn table<'py>(py: Python<'py>, columns: Vec<Column<'py>>) -> PyResult<Bound<'py, PyCapsule>> {
    stream_capsule(py, batch(&columns)?)
}

fn batch(columns: &[Column<'_>]) -> PyResult<RecordBatch> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (name, column, valid) in columns {
        let valid = valid.as_ref().map(|valid| NullBuffer::new(valid.as_array().iter().copied().collect()));
        let array = match () {
            () if let Some(array) = primitive::<Float32Type>(column, valid.clone())? => array,
            () if let Some(array) = primitive::<Float64Type>(column, valid.clone())? => array,
            () if let Some(array) = primitive::<Int32Type>(column, valid.clone())? => array,
            () if let Some(array) = primitive::<Int64Type>(column, valid.clone())? => array,
            () => {
                let mask: PyReadonlyArray1<'_, bool> = column.extract()?;
                Arc::new(BooleanArray::new(mask.as_array().iter().copied().collect::<BooleanBuffer>(), valid))
            }
        };
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(runtime_error)
}
