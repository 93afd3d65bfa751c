//! The classes `ViewFrustum` and `Volume`, and the volumes of overlap queries and sweeps.

use crate::error::value_error;
use crate::geometry::{FromAnyShape, Geometry};
use crate::results::corners;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{IntoVolumes, VolumeList};
use pyo3::prelude::*;

/// A view frustum: a volume, no shape.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct ViewFrustum {
    corners: [[f64; 3]; 8],
    is_double: bool,
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
        checked.map(|()| Self { corners, is_double }).map_err(value_error)
    }

    /// The corners of the frustum of a view-projection matrix, by columns; up to a depth, if one is given.
    #[staticmethod]
    fn corners_of(columns: [[f64; 4]; 4], depth: Option<f64>) -> PyResult<Vec<[f64; 3]>> {
        let frustum = match depth {
            Some(depth) => hitscan::ViewFrustum::<DVec3>::from_view_projection_to(columns, depth),
            None => hitscan::ViewFrustum::from_view_projection(columns),
        };
        let frustum = frustum.map_err(|error| match error {
            hitscan::ViewFrustumError::Unbounded => {
                value_error("the frustum has no end: give a finite far plane, or a depth at which it ends")
            }
            error => value_error(error),
        })?;
        Ok(frustum.corners().iter().map(DVec3::to_array).collect())
    }
}

/// A volume at another place: what it is made of, and the offset from there.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct Volume {
    source: Source,
    /// `None` for a volume at its own place.
    offset: Option<[f64; 3]>,
    dimension: usize,
    is_double: bool,
}

/// What a volume is made of.
enum Source {
    Shape(Py<Geometry>),
    Frustum([[f64; 3]; 8]),
    /// The convex hull of points; the third number of those in the plane is 0.
    Hull(Vec<[f64; 3]>),
}

#[pymethods]
impl Volume {
    /// The volume of a shape.
    #[staticmethod]
    fn of_shape(py: Python<'_>, shape: Py<Geometry>) -> PyResult<Self> {
        let (dimension, is_double) = (shape.get().dimension(), shape.get().is_double());
        Self { source: Source::Shape(shape), offset: None, dimension, is_double }.checked(py)
    }

    /// The volume of a view frustum.
    #[staticmethod]
    fn of_frustum(frustum: &ViewFrustum) -> Self {
        let ViewFrustum { corners, is_double } = *frustum;
        Self { source: Source::Frustum(corners), offset: None, dimension: 3, is_double }
    }

    /// The convex hull of points of three numbers.
    #[staticmethod]
    fn hull(py: Python<'_>, points: Vec<[f64; 3]>, dimension: usize, is_double: bool) -> PyResult<Self> {
        Self { source: Source::Hull(points), offset: None, dimension, is_double }.checked(py)
    }

    /// The volume at an offset from its own place.
    fn moved_to(&self, py: Python<'_>, offset: [f64; 3]) -> Self {
        let source = match &self.source {
            Source::Shape(shape) => Source::Shape(shape.clone_ref(py)),
            Source::Frustum(corners) => Source::Frustum(*corners),
            Source::Hull(points) => Source::Hull(points.clone()),
        };
        Self { source, offset: Some(offset), ..*self }
    }

    /// The bounding box: its lower and its upper corner.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match (self.dimension, self.is_double) {
            (2, false) => self.bounds_of::<Vec2>(py),
            (2, true) => self.bounds_of::<DVec2>(py),
            (_, false) => self.bounds_of::<Vec3>(py),
            (_, true) => self.bounds_of::<DVec3>(py),
        }
    }
}

impl Volume {
    /// The volume, if what it is made of is one.
    fn checked(self, py: Python<'_>) -> PyResult<Self> {
        self.bounds(py).map(|_| self)
    }

    fn bounds_of<'py, V: FromAnyShape>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = self.volume::<V>().map_err(value_error)?.aabb();
        corners::<V>(py, [bounds.min, bounds.max])
    }

    /// The volume in a vector type.
    fn volume<V: FromAnyShape>(&self) -> Result<hitscan::Volume<V>, String> {
        let volume = match &self.source {
            Source::Shape(shape) => volume_of(shape.get())?,
            Source::Frustum(corners) => frustum_of(corners)?,
            Source::Hull(points) => V::hull_of(points).map_err(|error| error.to_string())?,
        };
        Ok(match self.offset {
            Some(offset) => volume.moved_by(V::from_xyz(offset.map(hitscan::Real::from_f64))),
            None => volume,
        })
    }
}

/// The volume of a shape, which may not be one.
fn volume_of<V: FromAnyShape>(shape: &Geometry) -> Result<hitscan::Volume<V>, String> {
    shape.shape::<V>().and_then(|shape| V::volume_of(&shape)).ok_or_else(|| {
        let what =
            "is no volume; give spheres, boxes, capsules, cylinders, cones, frusta, triangles, segments or polygons";
        format!("{} {what}", shape.kind())
    })
}

fn frustum_of<V: FromAnyShape>(corners: &[[f64; 3]; 8]) -> Result<hitscan::Volume<V>, String> {
    V::frustum_of(corners).ok_or_else(|| "view frustum is no volume of the plane".to_owned())
}

/// A volume of an overlap query or a sweep.
#[derive(FromPyObject)]
pub(crate) enum VolumeArgument<'py> {
    Shape(PyRef<'py, Geometry>),
    Frustum(PyRef<'py, ViewFrustum>),
    Volume(PyRef<'py, Volume>),
}

impl VolumeArgument<'_> {
    /// The volume in a vector type.
    fn volume<V: FromAnyShape>(&self) -> Result<hitscan::Volume<V>, String> {
        match self {
            Self::Shape(shape) => volume_of(shape),
            Self::Frustum(frustum) => frustum_of(&frustum.corners),
            Self::Volume(volume) => volume.volume(),
        }
    }
}

/// A volume, or the parts of a compound.
#[derive(FromPyObject)]
pub(crate) enum VolumesArgument<'py> {
    One(VolumeArgument<'py>),
    Parts(Vec<VolumeArgument<'py>>),
}

/// What an overlap query asks about, or what a sweep moves.
pub(crate) enum Volumes<V: FromAnyShape> {
    One(Box<hitscan::Volume<V>>),
    Parts(Vec<hitscan::Volume<V>>),
}

impl<V: FromAnyShape> IntoVolumes<V> for &Volumes<V> {
    fn with_volumes<R>(self, work: impl FnOnce(VolumeList<'_, V>) -> R) -> R {
        match self {
            Volumes::One(volume) => (&**volume).with_volumes(work),
            Volumes::Parts(parts) => parts.with_volumes(work),
        }
    }
}

/// The volumes of the argument `name`, in the vector type of the query.
pub(crate) fn volumes_of<V: FromAnyShape>(name: &str, argument: &VolumesArgument<'_>) -> PyResult<Volumes<V>> {
    let wrong = |place: &str, error: String| value_error(format!("{name}{place}: {error}"));
    Ok(match argument {
        VolumesArgument::One(volume) => Volumes::One(Box::new(volume.volume().map_err(|error| wrong("", error))?)),
        VolumesArgument::Parts(parts) => {
            let part = |(number, part): (usize, &VolumeArgument<'_>)| {
                part.volume().map_err(|error| wrong(&format!("[{number}]"), error))
            };
            Volumes::Parts(parts.iter().enumerate().map(part).collect::<PyResult<_>>()?)
        }
    })
}

/// The volumes of an overlap query, in its vector type.
pub(crate) fn volumes<V: FromAnyShape>(arguments: &[VolumesArgument<'_>]) -> PyResult<Vec<Volumes<V>>> {
    let each = arguments.iter().enumerate();
    each.map(|(number, argument)| volumes_of(&format!("volumes[{number}]"), argument)).collect()
}
