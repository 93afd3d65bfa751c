//! Functions of solids: unions, intersections, differences and complements of shapes.

use crate::error::{type_error, value_error};
use crate::geometry::{FromAnyShape, Geometry, NO_DOUBLE};
use crate::scene::{rows_of, transform};
use crate::typed::{AnyShape, with_typed};
use hitscan::glam::DVec3;
use hitscan::{AnyShape2, AnyShape3, Instance, Real, Solid, SolidError, Space, Vector2, Vector3};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// A leaf as Python gets it: its shape, and the rows of the matrix of its transform.
type Leaf = (Py<Geometry>, Option<Vec<f64>>);

/// Two leaves by number, the distance of their surfaces, and a point there.
type NearPair = (u32, u32, f64, Vec<f64>);

/// The address of the memory that the clones of a mesh, a group or a solid share.
trait SharedAddress {
    fn shared_address(&self) -> Option<usize>;
}

impl<V: Vector2> SharedAddress for AnyShape2<V> {
    fn shared_address(&self) -> Option<usize> {
        match self {
            Self::Group(group) => Some(group.address()),
            Self::Solid(solid) => Some(solid.address()),
            _ => None,
        }
    }
}

impl<V: Vector3> SharedAddress for AnyShape3<V> {
    fn shared_address(&self) -> Option<usize> {
        match self {
            Self::Mesh(mesh) => Some(Arc::as_ptr(mesh).addr()),
            Self::Group(group) => Some(group.address()),
            Self::Solid(solid) => Some(solid.address()),
            _ => None,
        }
    }
}

fn no_solid() -> PyErr {
    type_error("this shape is no solid")
}

/// The solid of one shape, perhaps under a transform; in `float64` if `is_double`. A solid without a transform stays what it is.
#[pyfunction]
pub(crate) fn solid_of(
    py: Python<'_>,
    shape: Py<Geometry>,
    matrix: Option<Vec<f64>>,
    is_double: bool,
) -> PyResult<Geometry> {
    fn of<V: FromAnyShape>(shape: &V::Shape, matrix: Option<&[f64]>) -> PyResult<AnyShape> {
        let instance = Instance::<V>::new(shape.clone()).with_transform(transform(matrix)?);
        Ok(V::any_shape(Solid::from_instance(instance).map_err(value_error)?.into()))
    }
    // The conversion of a mesh, and the search for its open edges, may take long.
    let solid = py.detach(|| {
        let shape = if is_double { shape.get().double() } else { Some(shape.get().own()) };
        with_typed!(shape.ok_or_else(|| type_error(NO_DOUBLE))?, shape: V => of::<V>(shape, matrix.as_deref()))
    });
    solid.map(Geometry::new)
}

/// Surfaces of leaves that are close to each other and do not coincide: two leaves, the distance and a point of each.
#[pyfunction]
pub(crate) fn near_surfaces(
    py: Python<'_>,
    solid: Py<Geometry>,
    tolerance: f64,
    lines: u32,
) -> PyResult<Vec<NearPair>> {
    fn of<V: FromAnyShape>(shape: &V::Shape, tolerance: f64, lines: u32) -> PyResult<Vec<NearPair>> {
        let near = V::as_solid(shape).ok_or_else(no_solid)?.near_surfaces(tolerance, lines).into_iter();
        let point = |point: V| (0..V::DIM).map(|axis| point.component(axis).to_f64()).collect();
        Ok(near.map(|near| (near.leaves[0], near.leaves[1], near.distance, point(near.point))).collect())
    }
    py.detach(|| with_typed!(solid.get().own(), shape: V => of::<V>(shape, tolerance, lines)))
}

/// The union or the intersection of solids, or the difference of the first one and the others. All have one vector type.
#[pyfunction]
pub(crate) fn combined(py: Python<'_>, operation: &str, parts: Vec<Py<Geometry>>) -> PyResult<Geometry> {
    fn of<V: FromAnyShape>(operation: &str, parts: &[Py<Geometry>]) -> PyResult<AnyShape> {
        let solid = |part: &Py<Geometry>| V::shape(part.get().own()).as_ref().and_then(V::as_solid).cloned();
        let parts: Vec<Solid<V>> =
            parts.iter().map(|part| solid(part).ok_or_else(no_solid)).collect::<PyResult<_>>()?;
        let mut parts = parts.into_iter();
        let solid = match operation {
            "union" => Solid::union(parts),
            "intersection" => Solid::intersection(parts),
            _ => parts.next().map(|from| Solid::difference(from, parts)).ok_or(SolidError::NoParts),
        };
        Ok(V::any_shape(solid.map_err(value_error)?.into()))
    }
    let solid = py.detach(|| match parts.first() {
        Some(first) => with_typed!(first.get().own(), _shape: V => of::<V>(operation, &parts)),
        None => of::<DVec3>(operation, &parts),
    });
    solid.map(Geometry::new)
}

/// The complement of a solid.
#[pyfunction]
pub(crate) fn complement(solid: &Geometry) -> PyResult<Geometry> {
    with_typed!(solid.own(), shape: V => {
        let solid = <V as Space>::as_solid(shape).ok_or_else(no_solid)?;
        Ok(Geometry::new(V::any_shape((!solid.clone()).into())))
    })
}

/// The number of leaves of a solid.
#[pyfunction]
pub(crate) fn leaf_count(solid: &Geometry) -> PyResult<usize> {
    with_typed!(solid.own(), shape => shape.as_solid().map(Solid::len).ok_or_else(no_solid))
}

/// The leaves of a solid, in the order of their numbers. Leaves of one mesh, group or solid have one object.
#[pyfunction]
pub(crate) fn leaves(py: Python<'_>, solid: &Geometry) -> PyResult<Vec<Leaf>> {
    fn of<V: FromAnyShape<Shape: SharedAddress>>(py: Python<'_>, shape: &V::Shape) -> PyResult<Vec<Leaf>> {
        let mut seen = BTreeMap::new();
        let leaf = |leaf: &Instance<V>| {
            let new = || Py::new(py, Geometry::new(V::any_shape(leaf.shape().clone())));
            let shape = match leaf.shape().shared_address().map(|address| seen.entry(address)) {
                None => new()?,
                Some(Entry::Occupied(seen)) => Py::clone_ref(seen.get(), py),
                Some(Entry::Vacant(place)) => place.insert(new()?).clone_ref(py),
            };
            Ok((shape, leaf.transform().map(rows_of)))
        };
        V::as_solid(shape).ok_or_else(no_solid)?.leaves().map(leaf).collect()
    }
    with_typed!(solid.own(), shape: V => of::<V>(py, shape))
}

/// The expression of a solid as text, with the number of each leaf and the operators of Python.
#[pyfunction]
pub(crate) fn expression(solid: &Geometry) -> PyResult<String> {
    let text = with_typed!(solid.own(), shape => shape.as_solid().map(Solid::expression));
    text.map(|text| text.replace('!', "~")).ok_or_else(no_solid)
}
