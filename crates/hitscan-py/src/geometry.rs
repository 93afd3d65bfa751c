//! The class `Geometry`: a shape, a mesh or a group.

use crate::error::{runtime_error, type_error, value_error};
use crate::rays::{Points, rule};
use crate::results::corners;
use crate::typed::{AnyScene, AnyShape, PyVector, Typed, scene_of, with_typed};
use crate::user_shape::{GivenFunctions, PythonGeometry};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape2, AnyShape3, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, DoubleSpace, Ellipsoid,
    Frustum, HalfSpace, MeshError, OrientedBox, Plane, Quad, Quality, Real, SegmentShape, Shape, ShapeError, Sphere,
    TaperedCapsule, Triangle, Triangle2, TriangleMesh, Vector, Vector2, Vector3, Volume,
};
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A shape, a mesh or a group. It never changes.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct Geometry {
    shape: AnyShape,
    /// The same in `float64`, once a query needed it.
    double: OnceLock<Option<AnyShape>>,
    /// Whether Python was warned of meshes without an inside, or there are none.
    has_warned: AtomicBool,
}

/// A vector type of shapes.
pub(crate) trait FromAnyShape: PyVector {
    /// The shape in this vector type, if that is exact.
    fn shape(shape: &AnyShape) -> Option<Self::Shape>;
    /// A shape of this vector type.
    fn any_shape(shape: Self::Shape) -> AnyShape;
    /// The volume of a shape, if it has one.
    fn volume_of(shape: &Self::Shape) -> Option<Volume<Self>>;
    /// The volume of a view frustum, if the vector type is one of space.
    fn frustum_of(corners: &[[f64; 3]; 8]) -> Option<Volume<Self>>;
    /// The convex hull of points.
    fn hull_of(points: &[[f64; 3]]) -> Result<Volume<Self>, ShapeError>;
}

macro_rules! from_any_shape {
    ($vector:ty, $variant:ident, $volume:ident, $frustum:expr, $hull:ident) => {
        impl FromAnyShape for $vector {
            fn shape(shape: &AnyShape) -> Option<Self::Shape> {
                match shape {
                    Typed::$variant(shape) => Some(shape.clone()),
                    _ => None,
                }
            }
            fn any_shape(shape: Self::Shape) -> AnyShape {
                Typed::$variant(shape)
            }
            fn volume_of(shape: &Self::Shape) -> Option<Volume<Self>> {
                $volume(shape)
            }
            fn frustum_of(corners: &[[f64; 3]; 8]) -> Option<Volume<Self>> {
                $frustum(corners)
            }
            fn hull_of(points: &[[f64; 3]]) -> Result<Volume<Self>, ShapeError> {
                $hull(points.iter().map(|point| Self::from_xyz(point.map(Real::from_f64))).collect())
            }
        }
    };
}
from_any_shape!(Vec2, F2, volume2, |_| None, hull2);
from_any_shape!(DVec2, D2, volume2, |_| None, hull2);
from_any_shape!(Vec3, F3, volume3, frustum3, hull3);
from_any_shape!(DVec3, D3, volume3, frustum3, hull3);

fn hull2<V: Vector2>(points: Vec<V>) -> Result<Volume<V>, ShapeError> {
    ConvexPolygon::hull(points).map(Into::into)
}

fn hull3<V: Vector3>(points: Vec<V>) -> Result<Volume<V>, ShapeError> {
    Volume::hull(points)
}

fn volume2<V: Vector2>(shape: &AnyShape2<V>) -> Option<Volume<V>> {
    use AnyShape2 as Any;
    Some(match shape {
        Any::Circle(shape) => (*shape).into(),
        Any::Segment(shape) => (*shape).into(),
        Any::Rectangle(shape) => (*shape).into(),
        Any::OrientedRectangle(shape) => (*shape).into(),
        Any::Capsule(shape) => (*shape).into(),
        Any::TaperedCapsule(shape) => (*shape).into(),
        Any::Triangle(shape) => (*shape).into(),
        Any::Polygon(shape) => shape.clone().into(),
        _ => return None,
    })
}

fn volume3<V: Vector3>(shape: &AnyShape3<V>) -> Option<Volume<V>> {
    use AnyShape3 as Any;
    Some(match shape {
        Any::Sphere(shape) => (*shape).into(),
        Any::Cuboid(shape) => (*shape).into(),
        Any::OrientedBox(shape) => (*shape).into(),
        Any::Capsule(shape) => (*shape).into(),
        Any::TaperedCapsule(shape) => (*shape).into(),
        Any::Cylinder(shape) => (*shape).into(),
        Any::Cone(shape) => (*shape).into(),
        Any::Frustum(shape) => (*shape).into(),
        Any::Triangle(shape) => (*shape).into(),
        _ => return None,
    })
}

fn frustum3<V: Vector3>(corners: &[[f64; 3]; 8]) -> Option<Volume<V>> {
    let corners = corners.map(|corner| V::from_xyz(corner.map(V::Scalar::from_f64)));
    hitscan::ViewFrustum::from_corners(corners).ok().map(Into::into)
}

/// The error of a query in `float64` of what is `float32`.
pub(crate) const NO_DOUBLE: &str =
    "a UserShape of float32 has no float64 copy; make it with dtype='float64', or give float32 arrays";

/// The same scene in `float64`.
pub(crate) fn double_scene(scene: &AnyScene) -> PyResult<AnyScene> {
    let double = match scene {
        Typed::F2(scene) => scene.to_double().map(Typed::D2),
        Typed::F3(scene) => scene.to_double().map(Typed::D3),
        Typed::D2(_) | Typed::D3(_) => Some(scene.clone()),
    };
    double.ok_or_else(|| type_error(NO_DOUBLE))
}

fn double_shape(shape: &AnyShape) -> Option<AnyShape> {
    fn of<V: DoubleSpace>(shape: &V::Shape) -> Option<<V::Double as hitscan::Space>::Shape> {
        let scene = scene_of::<V>(shape).to_double()?;
        scene.objects().next().map(|(_, object)| object.shape().clone())
    }
    match shape {
        Typed::F2(shape) => of::<Vec2>(shape).map(Typed::D2),
        Typed::F3(shape) => of::<Vec3>(shape).map(Typed::D3),
        Typed::D2(_) | Typed::D3(_) => Some(shape.clone()),
    }
}

/// Points and numbers of a shape, as Python gives them.
struct Given<'a> {
    points: &'a [Vec<f64>],
    numbers: &'a [f64],
}

impl Given<'_> {
    fn point<V: Vector>(&self, place: usize) -> V {
        let mut xyz = [0.0; 3];
        self.points[place].iter().zip(&mut xyz).for_each(|(given, x)| *x = *given);
        V::from_xyz(xyz.map(V::Scalar::from_f64))
    }
    fn points<V: Vector>(&self, first: usize) -> Vec<V> {
        (first..self.points.len()).map(|place| self.point(place)).collect()
    }
    fn number<S: Real>(&self, place: usize) -> S {
        S::from_f64(self.numbers[place])
    }
    fn has_axes(&self) -> bool {
        self.points.len() > 2
    }
}

fn unknown<T>(kind: &str) -> PyResult<T> {
    Err(value_error(format!("kind: '{kind}' is no shape")))
}

fn shape3<V: Vector3>(kind: &str, given: &Given<'_>) -> PyResult<AnyShape3<V>> {
    let wrong = |error: ShapeError| value_error(error);
    let point = |place| given.point(place);
    Ok(match kind {
        "sphere" => Sphere::new(point(0), given.number(0)).map_err(wrong)?.into(),
        "plane" => Plane::new(point(0), point(1)).map_err(wrong)?.into(),
        "half_space" => HalfSpace::new(point(0), point(1)).map_err(wrong)?.into(),
        "disk" => Disk::new(point(0), point(1), given.number(0)).map_err(wrong)?.into(),
        "box" if given.has_axes() => {
            OrientedBox::with_axes(point(0), point(1), &given.points::<V>(2)).map_err(wrong)?.into()
        }
        "box" => Cuboid::new(point(0), point(1)).map_err(wrong)?.into(),
        "capsule" => Capsule::new(point(0), point(1), given.number(0)).map_err(wrong)?.into(),
        "tapered_capsule" => {
            TaperedCapsule::new(point(0), point(1), given.number(0), given.number(1)).map_err(wrong)?.into()
        }
        "cylinder" => Cylinder::new(point(0), point(1), given.number(0)).map_err(wrong)?.into(),
        "cone" => Cone::new(point(0), point(1), given.number(0)).map_err(wrong)?.into(),
        "frustum" => Frustum::new(point(0), point(1), given.number(0), given.number(1)).map_err(wrong)?.into(),
        "ellipsoid" if given.has_axes() => {
            Ellipsoid::with_axes(point(0), point(1), &given.points::<V>(2)).map_err(wrong)?.into()
        }
        "ellipsoid" => Ellipsoid::new(point(0), point(1)).map_err(wrong)?.into(),
        "triangle" => Triangle::new(point(0), point(1), point(2)).map_err(wrong)?.into(),
        "quad" => Quad::new(point(0), point(1), point(2)).map_err(wrong)?.into(),
        "convex_hull" => TriangleMesh::convex_hull(given.points::<V>(0)).map_err(value_error)?.into(),
        "prism" => prism::<V>(given).map_err(value_error)?.into(),
        _ => return unknown(kind),
    })
}

/// A prism: the numbers are its heights, then the lengths of its rings.
fn prism<V: Vector3>(given: &Given<'_>) -> Result<TriangleMesh<V>, MeshError> {
    let corners: Vec<[V::Scalar; 2]> = given.points.iter().map(|p| [p[0], p[1]].map(V::Scalar::from_f64)).collect();
    let mut rest = corners.as_slice();
    let rings = given.numbers[2..].iter().map(|length| {
        let (ring, others) = rest.split_at(*length as usize);
        rest = others;
        ring.to_vec()
    });
    let rings: Vec<Vec<[V::Scalar; 2]>> = rings.collect();
    TriangleMesh::prism(&rings[0], &rings[1..], [given.number(0), given.number(1)])
}

fn shape2<V: Vector2>(kind: &str, given: &Given<'_>) -> PyResult<AnyShape2<V>> {
    let wrong = |error: ShapeError| value_error(error);
    let point = |place| given.point(place);
    Ok(match kind {
        "circle" => Circle::new(point(0), given.number(0)).map_err(wrong)?.into(),
        "line" => Plane::new(point(0), point(1)).map_err(wrong)?.into(),
        "half_plane" => HalfSpace::new(point(0), point(1)).map_err(wrong)?.into(),
        "segment" => SegmentShape::new(point(0), point(1)).map_err(wrong)?.into(),
        "rectangle" if given.has_axes() => {
            OrientedBox::with_axes(point(0), point(1), &given.points::<V>(2)).map_err(wrong)?.into()
        }
        "rectangle" => Cuboid::new(point(0), point(1)).map_err(wrong)?.into(),
        "capsule" => Capsule::new(point(0), point(1), given.number(0)).map_err(wrong)?.into(),
        "tapered_capsule" => {
            TaperedCapsule::new(point(0), point(1), given.number(0), given.number(1)).map_err(wrong)?.into()
        }
        "triangle" => Triangle2::new(point(0), point(1), point(2)).map_err(wrong)?.into(),
        "polygon" => ConvexPolygon::new(given.points::<V>(0)).map_err(wrong)?.into(),
        "ellipse" if given.has_axes() => {
            Ellipsoid::with_axes(point(0), point(1), &given.points::<V>(2)).map_err(wrong)?.into()
        }
        "ellipse" => Ellipsoid::new(point(0), point(1)).map_err(wrong)?.into(),
        _ => return unknown(kind),
    })
}

fn mesh<V: PyVector + Vector3>(
    py: Python<'_>,
    vertices: &PyReadonlyArray2<'_, V::Scalar>,
    faces: &PyReadonlyArray2<'_, u32>,
    quality: Quality,
) -> PyResult<Arc<TriangleMesh<V>>> {
    let points = Points::<V>::new(vertices);
    let vertices: Vec<V> = (0..points.len()).map(|row| points.get(row)).collect();
    let triangles = faces.as_array().rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect();
    let built = py.detach(|| TriangleMesh::with_quality(vertices, triangles, quality));
    built.map(Arc::new).map_err(value_error)
}

impl Geometry {
    pub(crate) fn new(shape: AnyShape) -> Self {
        Self { shape, double: OnceLock::new(), has_warned: AtomicBool::new(false) }
    }
    /// The shape as it is.
    pub(crate) fn own(&self) -> &AnyShape {
        &self.shape
    }
    /// The shape in `float64`.
    pub(crate) fn double(&self) -> Option<&AnyShape> {
        match &self.shape {
            Typed::D2(_) | Typed::D3(_) => Some(&self.shape),
            shape => self.double.get_or_init(|| double_shape(shape)).as_ref(),
        }
    }
    /// The shape in a vector type: its own, or that of `float64`.
    pub(crate) fn shape<V: FromAnyShape>(&self) -> Option<V::Shape> {
        V::shape(&self.shape).or_else(|| V::shape(self.double()?))
    }
}

#[pymethods]
impl Geometry {
    /// A shape of a kind, from its points and numbers in the order of the Python class.
    #[staticmethod]
    fn of(kind: &str, dimension: usize, is_double: bool, points: Vec<Vec<f64>>, numbers: Vec<f64>) -> PyResult<Self> {
        let given = Given { points: &points, numbers: &numbers };
        Ok(Self::new(match (dimension, is_double) {
            (2, false) => Typed::F2(shape2(kind, &given)?),
            (2, true) => Typed::D2(shape2(kind, &given)?),
            (_, false) => Typed::F3(shape3(kind, &given)?),
            (_, true) => Typed::D3(shape3(kind, &given)?),
        }))
    }

    /// A user shape within two corners.
    #[staticmethod]
    fn user(dimension: usize, is_double: bool, corners: Vec<Vec<f64>>, functions: GivenFunctions) -> Self {
        fn shape<V: PyVector>(corners: &[Vec<f64>], functions: GivenFunctions) -> V::Shape {
            let given = Given { points: corners, numbers: &[] };
            PythonGeometry::<V>::shape([given.point(0), given.point(1)], functions).into()
        }
        Self::new(match (dimension, is_double) {
            (2, false) => Typed::F2(shape::<Vec2>(&corners, functions)),
            (2, true) => Typed::D2(shape::<DVec2>(&corners, functions)),
            (_, false) => Typed::F3(shape::<Vec3>(&corners, functions)),
            (_, true) => Typed::D3(shape::<DVec3>(&corners, functions)),
        })
    }

    /// The functions of a user shape.
    fn functions(&self, py: Python<'_>) -> PyResult<GivenFunctions> {
        let functions = match &self.shape {
            Typed::F2(AnyShape2::User(shape)) => PythonGeometry::functions(py, shape),
            Typed::D2(AnyShape2::User(shape)) => PythonGeometry::functions(py, shape),
            Typed::F3(AnyShape3::User(shape)) => PythonGeometry::functions(py, shape),
            Typed::D3(AnyShape3::User(shape)) => PythonGeometry::functions(py, shape),
            _ => None,
        };
        functions.ok_or_else(|| type_error("this shape is no user shape"))
    }

    /// A mesh. Vertices are `float32` or `float64`.
    #[staticmethod]
    fn mesh<'py>(
        py: Python<'py>,
        vertices: &Bound<'py, PyAny>,
        faces: PyReadonlyArray2<'py, u32>,
        quality: &str,
    ) -> PyResult<Self> {
        let qualities = [("fast", Quality::Fast), ("default", Quality::Default), ("high", Quality::High)];
        let quality = rule("quality", quality, &qualities)?;
        Ok(Self::new(match vertices.extract::<PyReadonlyArray2<'_, f32>>() {
            Ok(vertices) => Typed::F3(AnyShape3::Mesh(mesh::<Vec3>(py, &vertices, &faces, quality)?)),
            Err(_) => Typed::D3(AnyShape3::Mesh(mesh::<DVec3>(py, &vertices.extract()?, &faces, quality)?)),
        }))
    }

    /// The kind: a word of scene files, or "group".
    #[getter]
    pub(crate) fn kind(&self) -> String {
        let kind = with_typed!(&self.shape, shape: V => hitscan_io::shape_parameters::<V>(shape));
        let kind = kind.as_deref().and_then(|text| text.split('"').nth(1).map(str::to_owned));
        kind.unwrap_or_else(|| with_typed!(&self.shape, shape => shape.name().to_owned()))
    }

    /// Kind and parameters as TOML.
    fn parameters(&self) -> String {
        with_typed!(&self.shape, shape: V => hitscan_io::shape_parameters::<V>(shape)).unwrap_or_default()
    }

    /// The number of dimensions.
    #[getter]
    pub(crate) fn dimension(&self) -> usize {
        with_typed!(&self.shape, _shape: V => <V as Vector>::DIM)
    }

    /// Whether numbers are `float64`.
    #[getter]
    pub(crate) fn is_double(&self) -> bool {
        matches!(self.shape, Typed::D2(_) | Typed::D3(_))
    }

    /// The bounding box: its lower and its upper corner.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_typed!(&self.shape, shape: V => {
            let bounds = shape.aabb();
            corners::<V>(py, [bounds.min, bounds.max])
        })
    }

    /// The vertices of a mesh, (n, 3).
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fn of<'py, V: PyVector + Vector3>(py: Python<'py>, mesh: &TriangleMesh<V>) -> PyResult<Bound<'py, PyAny>> {
            let numbers: Vec<V::Scalar> = mesh.vertices().iter().flat_map(|vertex| vertex.to_xyz()).collect();
            Ok(numbers.into_pyarray(py).reshape([mesh.vertices().len(), 3])?.into_any())
        }
        match &self.shape {
            Typed::F3(AnyShape3::Mesh(mesh)) => of(py, mesh),
            Typed::D3(AnyShape3::Mesh(mesh)) => of(py, mesh),
            _ => Err(not_a_mesh()),
        }
    }

    /// The vertices of each triangle of a mesh, (m, 3).
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let triangles = match &self.shape {
            Typed::F3(AnyShape3::Mesh(mesh)) => mesh.triangles(),
            Typed::D3(AnyShape3::Mesh(mesh)) => mesh.triangles(),
            _ => return Err(not_a_mesh()),
        };
        Ok(triangles.as_flattened().to_vec().into_pyarray(py).reshape([triangles.len(), 3])?.into_any())
    }

    /// A mesh with moved vertices.
    fn refit<'py>(&self, py: Python<'py>, vertices: &Bound<'py, PyAny>) -> PyResult<Self> {
        fn moved<V: PyVector + Vector3>(
            py: Python<'_>,
            mesh: &TriangleMesh<V>,
            vertices: &PyReadonlyArray2<'_, V::Scalar>,
        ) -> PyResult<Arc<TriangleMesh<V>>> {
            let points = Points::<V>::new(vertices);
            let vertices: Vec<V> = (0..points.len()).map(|row| points.get(row)).collect();
            let mut mesh = mesh.clone();
            py.detach(|| mesh.refit(&vertices)).map_err(value_error)?;
            Ok(Arc::new(mesh))
        }
        Ok(Self::new(match &self.shape {
            Typed::F3(AnyShape3::Mesh(mesh)) => Typed::F3(AnyShape3::Mesh(moved(py, mesh, &vertices.extract()?)?)),
            Typed::D3(AnyShape3::Mesh(mesh)) => Typed::D3(AnyShape3::Mesh(moved(py, mesh, &vertices.extract()?)?)),
            _ => return Err(not_a_mesh()),
        }))
    }

    /// Counts of points, edges and the edges at which a mesh is open.
    fn topology<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let topology = py.detach(|| match &self.shape {
            Typed::F3(AnyShape3::Mesh(mesh)) => Some(mesh.topology()),
            Typed::D3(AnyShape3::Mesh(mesh)) => Some(mesh.topology()),
            _ => None,
        });
        let topology = topology.ok_or_else(not_a_mesh)?;
        let numbers = PyDict::new(py);
        numbers.set_item("points", topology.points)?;
        numbers.set_item("edges", topology.edges)?;
        numbers.set_item("boundary_edges", topology.boundary_edges)?;
        numbers.set_item("non_manifold_edges", topology.non_manifold_edges)?;
        numbers.set_item("unbalanced_edges", topology.unbalanced_edges)?;
        numbers.set_item("degenerate_triangles", topology.degenerate_triangles)?;
        numbers.set_item("repeated_triangles", topology.repeated_triangles)?;
        numbers.set_item("odd_edges", topology.odd_edges)?;
        numbers.set_item("is_closed", topology.is_closed())?;
        Ok(numbers)
    }

    /// The odd edges of each mesh on some layers that has no inside; nothing once they were returned.
    fn open_meshes(&self, py: Python<'_>, layers: u32) -> Vec<usize> {
        if self.has_warned.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let open: Vec<usize> = py.detach(|| {
            with_typed!(&self.shape, shape: V => {
                let scene = scene_of::<V>(shape);
                scene.on_layers(layers).open_meshes().iter().map(|(_, topology)| topology.odd_edges).collect()
            })
        });
        // Of two threads, one warns.
        let is_last = !open.is_empty() || layers == u32::MAX;
        if is_last && self.has_warned.swap(true, Ordering::Relaxed) { Vec::new() } else { open }
    }

    /// The mesh after a repair, and the counts of it.
    fn repaired<'py>(&self, py: Python<'py>, tolerance: f64) -> PyResult<(Self, Bound<'py, PyDict>)> {
        let (shape, report) = py.detach(|| match &self.shape {
            Typed::F3(AnyShape3::Mesh(mesh)) => {
                let (mesh, report) = mesh.repaired(tolerance as f32).map_err(value_error)?;
                Ok((Typed::F3(mesh.into()), report))
            }
            Typed::D3(AnyShape3::Mesh(mesh)) => {
                let (mesh, report) = mesh.repaired(tolerance).map_err(value_error)?;
                Ok((Typed::D3(mesh.into()), report))
            }
            _ => Err(not_a_mesh()),
        })?;
        let numbers = PyDict::new(py);
        numbers.set_item("merged_vertices", report.merged_vertices)?;
        numbers.set_item("degenerate_triangles", report.degenerate_triangles)?;
        numbers.set_item("repeated_triangles", report.repeated_triangles)?;
        numbers.set_item("turned_triangles", report.turned_triangles)?;
        numbers.set_item("closed_parts", report.closed_parts)?;
        numbers.set_item("open_parts", report.open_parts)?;
        numbers.set_item("undecided_parts", report.undecided_parts)?;
        Ok((Self::new(shape), numbers))
    }

    /// The shapes on the way to a member of a group: the ids of objects.
    fn path(&self, member: u32) -> PyResult<Vec<i64>> {
        let path = with_typed!(&self.shape, shape => shape.as_group().map(|group| group.path(member)));
        let path = path.ok_or_else(|| type_error("this shape is no group"))?;
        Ok(path.into_iter().map(crate::results::object_number).collect())
    }

    /// The shape as bytes: those of a saved mesh, or of a saved scene of one object.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| match &self.shape {
            Typed::F3(AnyShape3::Mesh(mesh)) => Ok(mesh.to_bytes()),
            Typed::D3(AnyShape3::Mesh(mesh)) => Ok(mesh.to_bytes()),
            shape => with_typed!(shape, shape: V => scene_of::<V>(shape).to_bytes()),
        });
        Ok(PyBytes::new(py, &bytes.map_err(runtime_error)?))
    }

    /// A mesh from the bytes of a saved one.
    #[staticmethod]
    fn mesh_from_bytes(py: Python<'_>, bytes: &[u8], is_double: bool) -> PyResult<Self> {
        Ok(Self::new(if is_double {
            Typed::D3(py.detach(|| TriangleMesh::<DVec3>::from_bytes(bytes)).map_err(value_error)?.into())
        } else {
            Typed::F3(py.detach(|| TriangleMesh::<Vec3>::from_bytes(bytes)).map_err(value_error)?.into())
        }))
    }
}

fn not_a_mesh() -> PyErr {
    type_error("this shape is no mesh")
}
