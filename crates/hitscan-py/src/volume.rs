//! The class `ViewFrustum`, and volumes of overlap queries and sweeps.

use crate::error::value_error;
use crate::geometry::{FromAnyShape, Geometry};
use hitscan::Volume;
use hitscan::glam::{DVec3, Vec3};
use pyo3::prelude::*;

/// A view frustum: a volume, no shape.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct ViewFrustum {
    corners: [[f64; 3]; 8],
}

#[pymethods]
impl ViewFrustum {
    /// The frustum of eight corners.
    #[new]
    fn new(corners: [[f64; 3]; 8], is_double: bool) -> PyResult<Self> {
        let checked = if is_double {
            hitscan::ViewFrustum::from_corners(corners.map(DVec3::from)).map(drop)
        } else {
            hitscan::ViewFrustum::from_corners(corners.map(|corner| Vec3::from(corner.map(|x| x as f32)))).map(drop)
        };
        checked.map(|()| Self { corners }).map_err(value_error)
    }

    /// The corners of the frustum of a view-projection matrix, by columns.
    #[staticmethod]
    fn corners_of(columns: [[f64; 4]; 4]) -> PyResult<Vec<[f64; 3]>> {
        let frustum = hitscan::ViewFrustum::<DVec3>::from_view_projection(columns).map_err(value_error)?;
        Ok(frustum.corners().iter().map(DVec3::to_array).collect())
    }
}

/// A volume of an overlap query or a sweep.
#[derive(FromPyObject)]
pub(crate) enum VolumeArgument<'py> {
    Shape(PyRef<'py, Geometry>),
    Frustum(PyRef<'py, ViewFrustum>),
}

impl VolumeArgument<'_> {
    /// The volume in a vector type, if there is one.
    pub(crate) fn volume<V: FromAnyShape>(&self) -> Option<Volume<V>> {
        match self {
            Self::Shape(shape) => V::volume_of(&shape.shape::<V>()?),
            Self::Frustum(frustum) => V::frustum_of(&frustum.corners),
        }
    }
    /// The kind of the volume.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Shape(shape) => shape.kind(),
            Self::Frustum(_) => "view frustum".to_owned(),
        }
    }
}

/// The volumes of shapes, in the vector type of the query.
pub(crate) fn volumes<V: FromAnyShape>(shapes: &[VolumeArgument<'_>]) -> PyResult<Vec<Volume<V>>> {
    let one = |(number, shape): (usize, &VolumeArgument<'_>)| {
        shape.volume::<V>().ok_or_else(|| {
            let what = "is no volume; give spheres, boxes, capsules, cylinders, cones, frusta, triangles, segments or polygons";
            value_error(format!("volumes[{number}]: {} {what}", shape.kind()))
        })
    };
    shapes.iter().enumerate().map(one).collect()
}
