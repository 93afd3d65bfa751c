//! The first error of Python functions that a query calls on any of its threads.

use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// The first error of one query.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstError(Arc<Mutex<Option<PyErr>>>);

thread_local! {
    /// The place for an error of the query that this thread works for.
    static CURRENT: RefCell<Option<FirstError>> = const { RefCell::new(None) };
}

impl FirstError {
    /// Work for the query, on this thread.
    pub(crate) fn within<R>(&self, work: impl FnOnce() -> R) -> R {
        let outer = CURRENT.replace(Some(self.clone()));
        let result = work();
        CURRENT.set(outer);
        result
    }

    /// Raises the error, if there is one.
    pub(crate) fn raise(&self) -> PyResult<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn has_error(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// The result of work that may call Python functions on this thread.
pub(crate) fn catching<R>(work: impl FnOnce() -> R) -> PyResult<R> {
    let error = FirstError::default();
    let result = error.within(work);
    error.raise().map(|()| result)
}

/// The answer of a Python function to a query; `None` after an error, which ends the query soon.
pub(crate) fn ask<R>(function: &Py<PyAny>, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Option<R>>) -> Option<R> {
    let current = CURRENT.with_borrow(Clone::clone);
    if current.as_ref().is_some_and(FirstError::has_error) {
        return None;
    }
    Python::attach(|py| {
        let function = function.bind(py);
        match (call(function), current) {
            (Ok(answer), _) => return answer,
            (Err(error), Some(current)) => current.keep(error),
            (Err(error), None) => error.write_unraisable(py, Some(function)),
        }
        None
    })
}
