//! The class `Scene`: objects, which can change at any time.

use crate::error::{type_error, value_error};
use crate::geometry::{FromAnyShape, Geometry, NO_DOUBLE, double_scene};
use crate::rays::{faces, inside, triggers_count};
use crate::results::{corners, object_number};
use crate::typed::{AnyScene, Counted, IntoTyped, PyVector, TriggersCount, Typed, with_typed};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Faces, Group, Inside, Object, ObjectId, Real, SceneError, Transform, Vector};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A scene. Threads may query and edit it.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct Scene(Mutex<State>);

struct State {
    scene: AnyScene,
    /// The same in `float64`, once a query needed it and until the next edit.
    double: Option<AnyScene>,
    /// The number of edits.
    edits: u64,
    /// Layers, excluded objects and whether triggers count: what counts by them has no mesh without an inside. Known once a query
    /// needed it, and until the next edit.
    closed: Option<Counted>,
    /// Whether Python was warned of such meshes.
    has_warned: bool,
}

pub(crate) fn id(number: i64) -> PyResult<ObjectId> {
    let id = u64::try_from(number).ok().and_then(ObjectId::from_bits);
    id.ok_or_else(|| PyKeyError::new_err(format!("id: {number} is the id of no object")))
}

fn wrong(error: SceneError) -> PyErr {
    match error {
        SceneError::NoObject(id) => {
            let number = object_number(id);
            PyKeyError::new_err(format!(
                "id: no object has the id {number}: it was removed, or its id is that of another scene"
            ))
        }
        error => value_error(error),
    }
}

/// The columns of a matrix, the last one the translation, from its rows one behind the other.
pub(crate) fn transform<V: PyVector>(rows: Option<&[f64]>) -> PyResult<Transform<V>> {
    let Some(rows) = rows else { return Ok(Transform::identity()) };
    let column = |place: usize| {
        let mut xyz = [V::Scalar::ZERO; 3];
        for (axis, x) in xyz[..V::DIM].iter_mut().enumerate() {
            *x = V::Scalar::from_f64(rows[axis * (V::DIM + 1) + place]);
        }
        V::from_xyz(xyz)
    };
    let axes: Vec<V> = (0..V::DIM).map(column).collect();
    Transform::new(axes, column(V::DIM)).map_err(|error| value_error(format!("transform: {error}")))
}

pub(crate) fn rows_of<V: PyVector>(transform: &Transform<V>) -> Vec<f64> {
    let columns: Vec<[f64; 3]> =
        transform.axes().iter().chain([&transform.translation()]).map(|column| column.to_f64()).collect();
    (0..V::DIM).flat_map(|axis| columns.iter().map(move |column| column[axis]).collect::<Vec<_>>()).collect()
}

/// An object as Python gets it: shape, rows of the matrix, name, layers, user data, rules for rays that start inside and for
/// faces, whether it is a trigger.
type Described =
    (Geometry, Option<Vec<f64>>, Option<String>, u32, u64, Option<&'static str>, Option<&'static str>, bool);

impl Scene {
    pub(crate) fn new(scene: AnyScene) -> Self {
        Self(Mutex::new(State { scene, double: None, edits: 0, closed: None, has_warned: false }))
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(crate) fn snapshot_of(&self) -> AnyScene {
        self.state().scene.clone()
    }
    /// The scene as it is now in `float64`.
    pub(crate) fn double(&self) -> PyResult<AnyScene> {
        let (scene, edits) = {
            let state = self.state();
            if let Some(double) = &state.double {
                return Ok(double.clone());
            }
            (state.scene.clone(), state.edits)
        };
        // It may take long: other threads query and edit the scene meanwhile.
        let double = double_scene(&scene)?;
        let mut state = self.state();
        if state.edits == edits {
            state.double = Some(double.clone());
        }
        Ok(double)
    }
    fn edit<R>(&self, edit: impl FnOnce(&mut AnyScene) -> PyResult<R>) -> PyResult<R> {
        let mut state = self.state();
        (state.double, state.closed) = (None, None);
        state.edits += 1;
        edit(&mut state.scene)
    }
}

fn insert<V: FromAnyShape>(
    scene: &mut hitscan::Scene<V>,
    shape: &Geometry,
    edit: impl FnOnce(Object<V>) -> PyResult<Object<V>>,
) -> PyResult<i64> {
    let object = edit(Object::new(shape_for::<V>(shape)?))?;
    scene.insert(object).map(object_number).map_err(wrong)
}

fn shape_for<V: FromAnyShape>(shape: &Geometry) -> PyResult<V::Shape> {
    // Python has compared dimensions and precisions: what is left is a conversion to `float64`.
    shape.shape::<V>().ok_or_else(|| type_error(format!("shape: {NO_DOUBLE}")))
}

fn inside_word(inside: Inside) -> &'static str {
    if inside == Inside::Solid { "solid" } else { "hollow" }
}

fn faces_word(faces: Faces) -> &'static str {
    match faces {
        Faces::Both => "both",
        Faces::Front => "front",
        Faces::Back => "back",
    }
}

#[pymethods]
impl Scene {
    /// An empty scene.
    #[new]
    fn empty(dimension: usize, is_double: bool) -> Self {
        Self::new(match (dimension, is_double) {
            (2, false) => hitscan::Scene::<Vec2>::new().into_typed(),
            (2, true) => hitscan::Scene::<DVec2>::new().into_typed(),
            (_, false) => hitscan::Scene::<Vec3>::new().into_typed(),
            (_, true) => hitscan::Scene::<DVec3>::new().into_typed(),
        })
    }

    /// The number of dimensions.
    #[getter]
    fn dimension(&self) -> usize {
        with_typed!(&self.state().scene, _scene: V => <V as Vector>::DIM)
    }

    /// Whether numbers are `float64`.
    #[getter]
    fn is_double(&self) -> bool {
        matches!(self.state().scene, Typed::D2(_) | Typed::D3(_))
    }

    /// Adds an object and returns its id.
    #[expect(clippy::too_many_arguments, reason = "Python calls it, from one place")]
    fn insert(
        &self,
        shape: &Geometry,
        matrix: Option<Vec<f64>>,
        name: Option<String>,
        layers: u32,
        user_data: u64,
        inside_rule: Option<&str>,
        faces_rule: Option<&str>,
        trigger: bool,
    ) -> PyResult<i64> {
        let (inside_rule, faces_rule) = (inside_rule.map(inside).transpose()?, faces_rule.map(faces).transpose()?);
        self.edit(|scene| {
            with_typed!(scene, scene: V => insert::<V>(scene, shape, |mut object| {
                object = object.on_layers(layers).with_user_data(user_data);
                object = match name { Some(name) => object.named(name), None => object };
                object = match inside_rule { Some(rule) => object.with_inside(rule), None => object };
                object = match faces_rule { Some(rule) => object.with_faces(rule), None => object };
                object = if trigger { object.as_trigger() } else { object };
                Ok(match &matrix {
                    Some(rows) => object.with_transform(transform::<V>(Some(rows))?),
                    None => object,
                })
            }))
        })
    }

    /// Removes an object.
    fn remove(&self, number: i64) -> PyResult<()> {
        let id = id(number)?;
        self.edit(|scene| with_typed!(scene, scene => scene.remove(id).map(drop).map_err(wrong)))
    }

    /// Moves an object; without a matrix to where its shape is.
    fn set_transform(&self, number: i64, matrix: Option<Vec<f64>>) -> PyResult<()> {
        let id = id(number)?;
        self.edit(|scene| {
            with_typed!(scene, scene: V => {
                scene.set_transform(id, transform::<V>(matrix.as_deref())?).map_err(wrong)
            })
        })
    }

    /// Gives an object another shape.
    fn set_shape(&self, number: i64, shape: &Geometry) -> PyResult<()> {
        let id = id(number)?;
        self.edit(|scene| with_typed!(scene, scene: V => scene.set_shape(id, shape_for::<V>(shape)?).map_err(wrong)))
    }

    /// Puts an object on other layers.
    fn set_layers(&self, number: i64, mask: u32) -> PyResult<()> {
        let id = id(number)?;
        self.edit(|scene| with_typed!(scene, scene => scene.set_layers(id, mask).map_err(wrong)))
    }

    /// Makes an object a trigger, or none.
    fn set_trigger(&self, number: i64, is_trigger: bool) -> PyResult<()> {
        let id = id(number)?;
        self.edit(|scene| with_typed!(scene, scene => scene.set_trigger(id, is_trigger).map_err(wrong)))
    }

    /// Sets the rule of an object for rays that start inside.
    fn set_inside(&self, number: i64, rule: Option<&str>) -> PyResult<()> {
        let (id, rule) = (id(number)?, rule.map(inside).transpose()?);
        self.edit(|scene| with_typed!(scene, scene => scene.set_inside(id, rule).map_err(wrong)))
    }

    /// Sets the faces of an object that count.
    fn set_faces(&self, number: i64, rule: Option<&str>) -> PyResult<()> {
        let (id, rule) = (id(number)?, rule.map(faces).transpose()?);
        self.edit(|scene| with_typed!(scene, scene => scene.set_faces(id, rule).map_err(wrong)))
    }

    /// Makes queries fast again after edits.
    fn commit(&self, py: Python<'_>) {
        py.detach(|| with_typed!(&mut self.state().scene, scene => scene.commit()));
    }

    /// Builds the tree anew.
    fn rebuild(&self, py: Python<'_>) {
        py.detach(|| with_typed!(&mut self.state().scene, scene => scene.rebuild()));
    }

    /// The scene as it is now, as a scene of its own.
    fn snapshot(&self) -> Self {
        Self::new(self.snapshot_of())
    }

    fn __len__(&self) -> usize {
        with_typed!(&self.state().scene, scene => scene.len())
    }

    /// The ids of the objects, in the order of insertion.
    fn ids(&self) -> Vec<i64> {
        with_typed!(&self.state().scene, scene => scene.objects().map(|(id, _)| object_number(id)).collect())
    }

    /// The id of the object with a name.
    fn find(&self, name: &str) -> Option<i64> {
        with_typed!(&self.state().scene, scene => scene.find(name).map(object_number))
    }

    /// All there is to an object.
    fn object(&self, number: i64) -> PyResult<Described> {
        let id = id(number)?;
        macro_rules! describe {
            ($scene:expr, $variant:ident) => {{
                let object = $scene.get(id).ok_or_else(|| wrong(SceneError::NoObject(id)))?;
                Ok((
                    Geometry::new(Typed::$variant(object.shape().clone())),
                    object.transform().map(rows_of),
                    object.name().map(str::to_owned),
                    object.layers(),
                    object.user_data(),
                    object.inside().map(inside_word),
                    object.faces().map(faces_word),
                    object.is_trigger(),
                ))
            }};
        }
        match &self.state().scene {
            Typed::F2(scene) => describe!(scene, F2),
            Typed::D2(scene) => describe!(scene, D2),
            Typed::F3(scene) => describe!(scene, F3),
            Typed::D3(scene) => describe!(scene, D3),
        }
    }

    /// The bounding box of the bounded objects: its lower and its upper corner.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_typed!(&self.state().scene, scene: V => {
            let bounds = scene.finite_bounds();
            corners::<V>(py, [bounds.min, bounds.max])
        })
    }

    /// The odd edges of each mesh on some layers that has no inside, without those of some objects, and perhaps of triggers; nothing once
    /// they were returned.
    fn open_meshes(&self, py: Python<'_>, layers: u32, excluded: Vec<i64>, triggers: &str) -> PyResult<Vec<usize>> {
        let excluded: Arc<[ObjectId]> = excluded.into_iter().map(id).collect::<PyResult<_>>()?;
        let triggers = triggers_count(triggers)?;
        let (scene, edits) = {
            let state = self.state();
            let is_part = |searched: &Counted| {
                layers & !searched.layers == 0
                    && searched.excluded.iter().all(|id| excluded.contains(id))
                    && (searched.triggers == TriggersCount::Like || triggers == TriggersCount::Never)
            };
            if state.has_warned || state.closed.as_ref().is_some_and(is_part) {
                return Ok(Vec::new());
            }
            (state.scene.clone(), state.edits)
        };
        // Topologies may take long: other threads query and edit the scene meanwhile. The whole scene and all objects on the layers
        // are searched first: where they have no open mesh, later queries need no search.
        let on_layers = |layers| Counted { layers, triggers: TriggersCount::Like, excluded: Arc::default() };
        let searches = [on_layers(u32::MAX), on_layers(layers), Counted { layers, triggers, excluded }];
        let odd_edges = |counted: &Counted| -> Vec<usize> {
            with_typed!(&scene, scene => {
                counted.of(scene).open_meshes().iter().map(|(_, topology)| topology.odd_edges).collect()
            })
        };
        let (open, searched) = py.detach(|| {
            let mut last = (Vec::new(), on_layers(0));
            for searched in searches {
                last = (odd_edges(&searched), searched);
                if last.0.is_empty() {
                    break;
                }
            }
            last
        });
        let mut state = self.state();
        if !open.is_empty() {
            let is_first = !std::mem::replace(&mut state.has_warned, true);
            return Ok(if is_first { open } else { Vec::new() });
        }
        if state.edits == edits {
            state.closed = Some(searched);
        }
        Ok(open)
    }

    /// The scene as it is now, as one shape.
    fn to_group(&self) -> PyResult<Geometry> {
        Ok(Geometry::new(match self.snapshot_of() {
            Typed::F2(scene) => Typed::F2(Group::new(scene).map_err(value_error)?.into()),
            Typed::D2(scene) => Typed::D2(Group::new(scene).map_err(value_error)?.into()),
            Typed::F3(scene) => Typed::F3(Group::new(scene).map_err(value_error)?.into()),
            Typed::D3(scene) => Typed::D3(Group::new(scene).map_err(value_error)?.into()),
        }))
    }

    /// The scene as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let scene = self.snapshot_of();
        let bytes = py.detach(|| with_typed!(&scene, scene => scene.to_bytes())).map_err(value_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A scene from its bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], dimension: usize, is_double: bool) -> PyResult<Self> {
        let scene = py.detach(|| {
            Ok(match (dimension, is_double) {
                (2, false) => hitscan::Scene::<Vec2>::from_bytes(bytes)?.into_typed(),
                (2, true) => hitscan::Scene::<DVec2>::from_bytes(bytes)?.into_typed(),
                (_, false) => hitscan::Scene::<Vec3>::from_bytes(bytes)?.into_typed(),
                (_, true) => hitscan::Scene::<DVec3>::from_bytes(bytes)?.into_typed(),
            })
        });
        scene.map(Self::new).map_err(|error: hitscan::SceneLoadError| value_error(error))
    }
}
