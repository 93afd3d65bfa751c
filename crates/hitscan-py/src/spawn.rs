//! Spawned rays of stored hits.

use crate::rays::Points;
use crate::typed::PyVector;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Hit, Real, Side};
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// The fields of hits, in arrays of one row for each ray, and the directions of the rays to spawn. `Hits` makes it.
#[derive(FromPyObject)]
struct StoredHits<'py> {
    #[pyo3(item("distance"))]
    distance: Bound<'py, PyAny>,
    #[pyo3(item("point"))]
    point: Bound<'py, PyAny>,
    #[pyo3(item("normal"))]
    normal: Bound<'py, PyAny>,
    #[pyo3(item("front"))]
    front: PyReadonlyArray1<'py, bool>,
    #[pyo3(item("direction"))]
    direction: Bound<'py, PyAny>,
}

impl<'py> StoredHits<'py> {
    /// The origins, (n, d); NaN for a miss.
    fn origins<V: PyVector>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let vectors = |array: &Bound<'py, PyAny>| array.extract::<PyReadonlyArray2<'py, V::Scalar>>();
        let (point, normal, direction) = (vectors(&self.point)?, vectors(&self.normal)?, vectors(&self.direction)?);
        let distance: PyReadonlyArray1<'py, V::Scalar> = self.distance.extract()?;
        let (distance, front) = (distance.as_array(), self.front.as_array());
        let [points, normals, directions] = [&point, &normal, &direction].map(Points::<V>::new);
        let numbers = py.detach(|| {
            let mut numbers = Vec::with_capacity(points.len() * V::DIM);
            for row in 0..points.len() {
                let side = if front[row] { Side::Front } else { Side::Back };
                let hit = Hit::new(V::Scalar::NAN, distance[row], points.get(row), normals.get(row), side);
                numbers.extend_from_slice(&hit.spawn_ray(directions.get(row)).origin.to_xyz()[..V::DIM]);
            }
            numbers
        });
        Ok(numbers.into_pyarray(py).reshape([points.len(), V::DIM])?.into_any())
    }
}

/// The origins of the rays that hits spawn into directions.
#[pyfunction]
pub(crate) fn spawn_origins<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyAny>,
    dimension: usize,
    is_double: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let hits: StoredHits<'py> = hits.extract()?;
    match (dimension, is_double) {
        (2, false) => hits.origins::<Vec2>(py),
        (2, true) => hits.origins::<DVec2>(py),
        (_, false) => hits.origins::<Vec3>(py),
        (_, true) => hits.origins::<DVec3>(py),
    }
}
