//! User geometries whose functions are Python functions.

use crate::error::{type_error, value_error};
use crate::first_error::ask;
use crate::typed::PyVector;
use hitscan::{Aabb, Ray, Real, UserGeometry, UserHit, UserShape};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::any::Any;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether there is or was a user shape: then a query begins with few rows, since any of them may take long.
static HAS_USER_SHAPES: AtomicBool = AtomicBool::new(false);

/// Whether queries may call functions of Python.
pub(crate) fn has_user_shapes() -> bool {
    HAS_USER_SHAPES.load(Ordering::Relaxed)
}

/// A user geometry of Python.
#[derive(Debug)]
pub(crate) struct PythonGeometry<V: PyVector> {
    bounds: Aabb<V>,
    is_solid: bool,
    functions: Functions,
}

/// What a user shape of Python is made of.
#[derive(Debug)]
pub(crate) struct Functions {
    /// Casts a ray.
    cast: Py<PyAny>,
    /// Says whether the solid contains a point.
    contains: Option<Py<PyAny>>,
    /// Finds the closest point of the surface.
    closest_point: Option<Py<PyAny>>,
}

/// The functions of a user shape, and whether it is a solid, as Python gives them.
pub(crate) type GivenFunctions = (Py<PyAny>, Option<Py<PyAny>>, Option<Py<PyAny>>, bool);

impl<V: PyVector> PythonGeometry<V> {
    /// The shape of two corners and of functions.
    pub(crate) fn shape(corners: [V; 2], functions: GivenFunctions) -> UserShape<V> {
        let (cast, contains, closest_point, is_solid) = functions;
        HAS_USER_SHAPES.store(true, Ordering::Relaxed);
        let bounds = Aabb::from_points(corners);
        UserShape::new(Self { bounds, is_solid, functions: Functions { cast, contains, closest_point } })
    }

    /// The functions of a user shape.
    pub(crate) fn functions(py: Python<'_>, shape: &UserShape<V>) -> Option<GivenFunctions> {
        let geometry: &dyn Any = shape.geometry();
        let Self { is_solid, functions, .. } = geometry.downcast_ref()?;
        let copy = |function: &Option<Py<PyAny>>| function.as_ref().map(|function| function.clone_ref(py));
        let Functions { cast, contains, closest_point } = functions;
        Some((cast.clone_ref(py), copy(contains), copy(closest_point), *is_solid))
    }
}

impl<V: PyVector> UserGeometry<V> for PythonGeometry<V> {
    fn aabb(&self) -> Aabb<V> {
        self.bounds
    }

    fn cast(&self, ray: &Ray<V>, range: RangeInclusive<V::Scalar>) -> Option<UserHit<V>> {
        ask(&self.functions.cast, |function| {
            let py = function.py();
            let (origin, direction) = (array(py, ray.origin), array(py, ray.direction));
            let answer = function.call1((origin, direction, range.start().to_f64(), range.end().to_f64()))?;
            if answer.is_none() { Ok(None) } else { user_hit(&answer).map(Some) }
        })
    }

    fn is_solid(&self) -> bool {
        self.is_solid
    }

    fn contains(&self, point: V) -> bool {
        let [zero, one] = [V::Scalar::ZERO, V::Scalar::ONE];
        let Some(function) = &self.functions.contains else {
            // Whether a ray along the first axis leaves the solid first, as by default in the library.
            let (ray, range) = (Ray::new(point, V::from_xyz([one, zero, zero])), zero..=V::Scalar::MAX);
            let first = if self.is_solid { self.cast(&ray, range.clone()) } else { None };
            let first = first.filter(|hit| range.contains(&hit.t));
            return first.is_some_and(|hit| hit.t == zero || !(hit.normal.to_xyz()[0] < zero));
        };
        ask(function, |function| function.call1((array(function.py(), point),))?.is_truthy().map(Some)) == Some(true)
    }

    fn closest_point(&self, point: V) -> Option<V> {
        ask(self.functions.closest_point.as_ref()?, |function| {
            let answer = function.call1((array(function.py(), point),))?;
            if answer.is_none() {
                Ok(None)
            } else {
                numbers::<V>("closest_point", &answer).map(|xyz| Some(vector(xyz)))
            }
        })
    }
}

/// A vector as a NumPy array.
fn array<V: PyVector>(py: Python<'_>, vector: V) -> Bound<'_, PyArray1<V::Scalar>> {
    PyArray1::from_slice(py, &vector.to_xyz()[..V::DIM])
}

fn vector<V: PyVector>(xyz: [f64; 3]) -> V {
    V::from_xyz(xyz.map(V::Scalar::from_f64))
}

/// The vector that a function has returned.
fn numbers<V: PyVector>(name: &str, answer: &Bound<'_, PyAny>) -> PyResult<[f64; 3]> {
    let numbers: Vec<f64> = answer.extract().unwrap_or_default();
    if numbers.len() != V::DIM {
        let needed = format!("a vector of {} numbers is needed", V::DIM);
        return Err(type_error(format!("UserShape: {name} returned {}; {needed}", shown(answer))));
    }
    let mut xyz = [0.0; 3];
    xyz[..V::DIM].copy_from_slice(&numbers);
    Ok(xyz)
}

/// The hit that a function has returned: `t`, the normal, and perhaps surface coordinates and a number.
fn user_hit<V: PyVector>(answer: &Bound<'_, PyAny>) -> PyResult<UserHit<V>> {
    let wrong = || {
        let needed = "None, (t, normal), (t, normal, uv) or (t, normal, uv, primitive) is needed";
        type_error(format!("UserShape: cast returned {}; {needed}", shown(answer)))
    };
    let parts: Vec<Bound<'_, PyAny>> = answer.extract().map_err(|_| wrong())?;
    let (Some(t), Some(normal), true) = (parts.first(), parts.get(1), parts.len() <= 4) else { return Err(wrong()) };
    let t: f64 = t.extract().map_err(|_| wrong())?;
    let normal = numbers::<V>("cast", normal)?;
    let largest = normal.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if !(largest > 0.0 && normal.iter().all(|x| x.is_finite())) {
        return Err(value_error(format!("UserShape: cast returned {}, whose normal has no direction", shown(answer))));
    }
    let mut hit = UserHit::new(V::Scalar::from_f64(t), vector(normal.map(|x| x / largest)));
    if let Some(uv) = parts.get(2).filter(|uv| !uv.is_none()) {
        let uv: [f64; 2] = uv.extract().map_err(|_| wrong())?;
        hit = hit.with_uv(uv.map(V::Scalar::from_f64));
    }
    if let Some(primitive) = parts.get(3).filter(|number| !number.is_none()) {
        hit = hit.with_primitive(primitive.extract().map_err(|_| wrong())?);
    }
    Ok(hit)
}

fn shown(answer: &Bound<'_, PyAny>) -> String {
    answer.repr().map_or_else(|_| "an object without a repr".to_owned(), |text| text.to_string())
}
