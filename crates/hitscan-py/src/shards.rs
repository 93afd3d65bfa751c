//! The class `Shard`, casts at all shards of a scene, and the steps of a merge between machines.

#![expect(clippy::redundant_closure_for_method_calls, reason = "a path is not general over the lifetime of the loader")]

use crate::error::{runtime_error, type_error, value_error};
use crate::rays::RayArgument;
use crate::results::{GrownArrays, Lists, OutArrays, Row};
use crate::run::pool;
use crate::scene::{Scene, id};
use crate::typed::{PyVector, Typed, with_typed};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AllMerge, ClosestMerge, HitColumns, HitLists, ObjectId, PrimitiveId, Query, RayCast, RayColumns, SceneLoadError,
    ShardError, ShardLoadError, ShardedScene, SpanLists, Vector,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::{Arc, OnceLock};

/// A shard of any vector type.
type AnyShard =
    Typed<Arc<hitscan::Shard<Vec2>>, Arc<hitscan::Shard<DVec2>>, Arc<hitscan::Shard<Vec3>>, Arc<hitscan::Shard<DVec3>>>;

/// The vector type of a query, without a value.
type AnyVector = Typed<(), (), (), ()>;

/// A dictionary of arrays by the name of the field.
type Arrays<'py> = Bound<'py, PyDict>;

/// The offsets of lists, and the arrays of their rows.
type ArrayLists<'py> = (Bound<'py, PyArray1<i64>>, Arrays<'py>);

/// Primitives as two columns: ids of objects, and triangles, -1 for an object as a whole.
type PrimitiveArrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// A shard of a scene. It never changes.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct Shard {
    own: AnyShard,
    /// The same in `float64`, once a query needed it.
    double: OnceLock<Option<AnyShard>>,
}

/// The error of a cast at shards: of Python, which loads them, or of the merge.
struct Failure(PyErr);

impl From<ShardError> for Failure {
    fn from(error: ShardError) -> Self {
        Self(value_error(error))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

/// Vector types with shards.
trait ShardVector: PyVector {
    /// The shard in this vector type, if it is of this type.
    fn shard(shard: &AnyShard) -> Option<&Arc<hitscan::Shard<Self>>>;
    /// The enum of a shard.
    fn any(shard: hitscan::Shard<Self>) -> AnyShard;
}

macro_rules! shard_vector {
    ($($vector:ty => $variant:ident),+) => {$(
        impl ShardVector for $vector {
            fn shard(shard: &AnyShard) -> Option<&Arc<hitscan::Shard<Self>>> {
                match shard {
                    Typed::$variant(shard) => Some(shard),
                    _ => None,
                }
            }
            fn any(shard: hitscan::Shard<Self>) -> AnyShard {
                Typed::$variant(Arc::new(shard))
            }
        }
    )+};
}
shard_vector!(Vec2 => F2, DVec2 => D2, Vec3 => F3, DVec3 => D3);

/// The vector type of a dimension and a precision.
fn vector_type(kind: (usize, bool)) -> AnyVector {
    match kind {
        (2, false) => Typed::F2(()),
        (2, true) => Typed::D2(()),
        (_, false) => Typed::F3(()),
        (_, true) => Typed::D3(()),
    }
}

/// Loads a shard of any vector type.
fn load(bytes: &[u8]) -> Result<AnyShard, ShardLoadError> {
    fn one<V: ShardVector>(bytes: &[u8]) -> Result<Option<AnyShard>, ShardLoadError> {
        match hitscan::Shard::<V>::from_bytes(bytes) {
            Err(ShardLoadError::Scene(SceneLoadError::Dimension { .. } | SceneLoadError::Precision { .. })) => Ok(None),
            shard => shard.map(V::any).map(Some),
        }
    }
    for load in [one::<Vec3>, one::<DVec3>, one::<Vec2>] {
        if let Some(shard) = load(bytes)? {
            return Ok(shard);
        }
    }
    hitscan::Shard::<DVec2>::from_bytes(bytes).map(DVec2::any)
}

impl Shard {
    fn new(own: AnyShard) -> Self {
        Self { own, double: OnceLock::new() }
    }

    /// The shard in the vector type of the rays.
    fn typed<V: ShardVector>(&self) -> PyResult<&Arc<hitscan::Shard<V>>> {
        let double = || match &self.own {
            Typed::F2(shard) => shard.to_double().map(DVec2::any),
            Typed::F3(shard) => shard.to_double().map(DVec3::any),
            _ => None,
        };
        let found = V::shard(&self.own).or_else(|| V::shard(self.double.get_or_init(double).as_ref()?));
        found.ok_or_else(|| type_error("shards: one has other dimensions or a higher precision than the rays"))
    }

    /// Casts rays at the shard without the lock of Python, on this number of threads; 0 for all.
    fn cast<V: ShardVector, R: Send>(
        &self,
        py: Python<'_>,
        rays: &Bound<'_, PyTuple>,
        threads: usize,
        cast: impl FnOnce(&hitscan::Shard<V>, &RayColumns<'_, V>, Query<V::Scalar>) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        let (argument, shard) = (RayArgument::<V>::new(rays)?, self.typed::<V>()?);
        let (view, query) = (argument.view(), argument.query());
        detached(py, threads, || {
            let mut packed = Default::default();
            cast(shard, &view.columns(&mut packed).map_err(value_error)?, query)
        })?
    }
}

/// Calls `work` without the lock of Python, on this number of threads; 0 for all.
fn detached<R: Send>(py: Python<'_>, threads: usize, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = if threads == 0 { None } else { Some(pool(threads)?) };
    Ok(py.detach(|| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }))
}

fn into_primitives(py: Python<'_>, primitives: Vec<PrimitiveId>) -> PrimitiveArrays<'_> {
    let object = |id: &PrimitiveId| id.object().map_or(-1, |id| id.to_bits() as i64);
    let objects: Vec<i64> = primitives.iter().map(object).collect();
    let triangles: Vec<i64> = primitives.iter().map(|id| id.triangle().map_or(-1, i64::from)).collect();
    (objects.into_pyarray(py), triangles.into_pyarray(py))
}

fn hit_arrays<V: PyVector>(hits: &HitColumns<V>, fields: &[String]) -> GrownArrays<V::Scalar> {
    let mut arrays = GrownArrays::new(fields);
    arrays.append((0..hits.len()).map(|row| hits.get(row).as_ref().map(Row::from)));
    arrays
}

fn offsets(offsets: &[usize]) -> Vec<i64> {
    offsets.iter().map(|&offset| offset as i64).collect()
}

fn into_lists<'py, V: PyVector>(py: Python<'py>, hits: &HitLists<V>, fields: &[String]) -> PyResult<ArrayLists<'py>> {
    let Lists { offsets, arrays } =
        Lists::<V> { offsets: offsets(hits.offsets()), arrays: hit_arrays(hits.hits(), fields) };
    Ok((offsets.into_pyarray(py), arrays.into_dict(py)?))
}

fn into_spans<'py, V: PyVector>(
    py: Python<'py>,
    spans: &SpanLists<V>,
    fields: &[String],
) -> PyResult<(Bound<'py, PyArray1<i64>>, Arrays<'py>, Arrays<'py>)> {
    let ends = [spans.enter(), spans.exit()].map(|hits| hit_arrays(hits, fields).into_dict(py));
    let [enter, exit] = ends;
    Ok((offsets(spans.offsets()).into_pyarray(py), enter?, exit?))
}

#[pymethods]
impl Shard {
    /// The shards of a scene as it is now.
    #[staticmethod]
    fn split(py: Python<'_>, scene: &Scene, count: usize) -> PyResult<Vec<Self>> {
        fn split<V: ShardVector>(scene: &hitscan::Scene<V>, count: usize) -> Result<Vec<AnyShard>, ShardError> {
            Ok(scene.split(count)?.into_iter().map(V::any).collect())
        }
        let scene = scene.snapshot_of();
        let shards = py.detach(|| with_typed!(&scene, scene => split(scene, count)));
        Ok(shards.map_err(value_error)?.into_iter().map(Self::new).collect())
    }

    /// A shard of a whole scene, whose objects have the numbers from `first` on.
    #[staticmethod]
    fn numbered(py: Python<'_>, scene: &Scene, first: u32) -> PyResult<Self> {
        let scene = scene.snapshot_of();
        fn numbered<V: ShardVector>(scene: &hitscan::Scene<V>, first: u32) -> Result<AnyShard, ShardError> {
            hitscan::Shard::new(scene.clone(), first).map(V::any)
        }
        let shard = py.detach(|| with_typed!(&scene, scene => numbered(scene, first)));
        shard.map(Self::new).map_err(value_error)
    }

    /// The number of dimensions.
    #[getter]
    fn dimension(&self) -> usize {
        with_typed!(&self.own, _shard: V => <V as Vector>::DIM)
    }

    /// Whether numbers are `float64`.
    #[getter]
    fn is_double(&self) -> bool {
        matches!(self.own, Typed::D2(_) | Typed::D3(_))
    }

    fn __len__(&self) -> usize {
        with_typed!(&self.own, shard => shard.len())
    }

    /// The number of triangles.
    fn triangle_count(&self) -> usize {
        with_typed!(&self.own, shard => shard.triangle_count())
    }

    /// The ids of the objects in the whole scene.
    fn ids(&self) -> Vec<i64> {
        with_typed!(&self.own, shard => shard.objects().map(|(id, _)| id.to_bits() as i64).collect())
    }

    /// The shard as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| with_typed!(&self.own, shard => shard.to_bytes())).map_err(value_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A shard from its bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| load(bytes)).map(Self::new).map_err(value_error)
    }

    /// The closest hits of the shard, as bytes.
    fn hits<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = with_typed!(vector_type((self.dimension(), is_double)), _vector: V => {
            self.cast::<V, _>(py, rays, threads, |shard, rays, query| {
                shard.cast_columns(rays, query).to_bytes().map_err(value_error)
            })
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// All hits of the shard, as bytes.
    fn hit_lists<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = with_typed!(vector_type((self.dimension(), is_double)), _vector: V => {
            self.cast::<V, _>(py, rays, threads, |shard, rays, query| Ok(shard.cast_columns_all(rays, query).to_bytes()))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes whether rays hit the shard.
    fn cast_any<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        mut out: PyReadwriteArray1<'py, bool>,
        threads: usize,
    ) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        with_typed!(vector_type((self.dimension(), is_double)), _vector: V => {
            self.cast::<V, _>(py, rays, threads, |shard, rays, query| {
                out.copy_from_slice(&shard.intersects_columns(rays, query));
                Ok(())
            })
        })
    }

    /// Writes the number of hits of the shard.
    fn count<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        mut out: PyReadwriteArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        with_typed!(vector_type((self.dimension(), is_double)), _vector: V => {
            self.cast::<V, _>(py, rays, threads, |shard, rays, query| {
                out.copy_from_slice(&shard.count_columns(rays, query));
                Ok(())
            })
        })
    }

    /// The part with some primitives, as bytes.
    fn part<'py>(
        &self,
        py: Python<'py>,
        objects: PyReadonlyArray1<'py, i64>,
        triangles: PyReadonlyArray1<'py, i64>,
        is_double: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let primitive = |(&object, &triangle): (&i64, &i64)| {
            let id = ObjectId::from_bits(u64::try_from(object).ok()?)?;
            Some(PrimitiveId::new(id, u32::try_from(triangle).ok()))
        };
        let primitives: Vec<_> = objects.as_slice()?.iter().zip(triangles.as_slice()?).filter_map(primitive).collect();
        with_typed!(vector_type((self.dimension(), is_double)), _vector: V => {
            let shard = self.typed::<V>()?;
            let bytes = py.detach(|| shard.part(&primitives).to_bytes()).map_err(value_error)?;
            Ok(PyBytes::new(py, &bytes))
        })
    }
}

/// The shards of a scene that a function of Python returns by their numbers.
#[pyclass(frozen, module = "hitscan._core", name = "ShardedScene")]
pub(crate) struct Sharded {
    count: usize,
    load: Py<PyAny>,
    dimension: usize,
}

impl Sharded {
    /// Casts rays at the scene of the shards, without the lock of Python but where a shard is loaded.
    fn run<'py, V: ShardVector, R: Send>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        (threads, excluded): (usize, Vec<i64>),
        cast: impl FnOnce(&mut Loader<'_, V>, &RayColumns<'_, V>, Query<V::Scalar>) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        let excluded: Vec<ObjectId> = excluded.into_iter().map(id).collect::<PyResult<_>>()?;
        let argument = RayArgument::<V>::new(rays)?;
        let (view, query) = (argument.view(), argument.query());
        let done = detached(py, threads, || {
            let mut packed = Default::default();
            let rays = view.columns(&mut packed).map_err(|error| Failure(value_error(error)))?;
            let load = |number: usize| {
                Python::attach(|py| {
                    py.check_signals()?;
                    let loaded = self.load.bind(py).call1((number,))?;
                    let shard = loaded.cast::<Shard>().map_err(|_| runtime_error("the loader returned no shard"))?;
                    let shard = shard.get().typed::<V>()?;
                    Ok(if excluded.is_empty() { shard.clone() } else { Arc::new(shard.excluding(&excluded)) })
                })
            };
            cast(&mut ShardedScene::new(self.count, Box::new(load)), &rays, query)
        })?;
        done.map_err(|Failure(error)| error)
    }
}

/// The scene of shards that Python loads.
type Loader<'a, V> = ShardedScene<Box<dyn FnMut(usize) -> Result<Arc<hitscan::Shard<V>>, Failure> + 'a>>;

#[pymethods]
impl Sharded {
    #[new]
    fn new(count: usize, load: Py<PyAny>, dimension: usize) -> Self {
        Self { count, load, dimension }
    }

    /// Writes the closest hits to `out`.
    fn cast<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        excluded: Vec<i64>,
        out: &Arrays<'py>,
        threads: usize,
    ) -> PyResult<()> {
        with_typed!(vector_type((self.dimension, is_double)), _vector: V => {
            let hits = self.run::<V, _>(py, rays, (threads, excluded), |scene, rays, query| scene.cast_columns(rays, query))?;
            let mut out = OutArrays::new(out)?;
            let rows = out.rows::<V>()?;
            py.detach(|| rows.write((0..hits.len()).map(|row| hits.get(row).as_ref().map(Row::from))));
            Ok(())
        })
    }

    /// Whether rays hit.
    fn cast_any<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        excluded: Vec<i64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        with_typed!(vector_type((self.dimension, is_double)), _vector: V => {
            let any = self.run::<V, _>(py, rays, (threads, excluded), |scene, rays, query| scene.intersects_columns(rays, query))?;
            Ok(any.into_pyarray(py))
        })
    }

    /// The number of all hits.
    fn count<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        excluded: Vec<i64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        with_typed!(vector_type((self.dimension, is_double)), _vector: V => {
            let counts = self.run::<V, _>(py, rays, (threads, excluded), |scene, rays, query| scene.count_columns(rays, query))?;
            Ok(counts.into_pyarray(py))
        })
    }

    /// All hits of each ray.
    fn cast_all<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        excluded: Vec<i64>,
        fields: Vec<String>,
        threads: usize,
    ) -> PyResult<ArrayLists<'py>> {
        with_typed!(vector_type((self.dimension, is_double)), _vector: V => {
            let all = self.run::<V, _>(py, rays, (threads, excluded), |scene, rays, query| scene.cast_columns_all(rays, query))?;
            into_lists(py, &all, &fields)
        })
    }

    /// The spans of each ray: offsets, arrays of entries, arrays of exits.
    fn spans<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        is_double: bool,
        excluded: Vec<i64>,
        fields: Vec<String>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Arrays<'py>, Arrays<'py>)> {
        with_typed!(vector_type((self.dimension, is_double)), _vector: V => {
            let spans = self.run::<V, _>(py, rays, (threads, excluded), |scene, rays, query| scene.spans_columns(rays, query))?;
            into_spans(py, &spans, &fields)
        })
    }
}

/// Parts of the vector type of the rays, from their bytes.
fn parts<V: ShardVector>(parts: &[Vec<u8>]) -> PyResult<Vec<hitscan::Shard<V>>> {
    parts.iter().map(|bytes| hitscan::Shard::from_bytes(bytes).map_err(value_error)).collect()
}

fn closest_merge<V: ShardVector>(hits: &[Vec<u8>], rows: usize) -> PyResult<ClosestMerge<V>> {
    let mut merge = ClosestMerge::new(rows);
    for bytes in hits {
        merge.add(&HitColumns::from_bytes(bytes).map_err(value_error)?).map_err(value_error)?;
    }
    Ok(merge)
}

fn all_merge<V: ShardVector>(hits: &[Vec<u8>], rows: usize) -> PyResult<AllMerge<V>> {
    let mut merge = AllMerge::new(rows);
    for bytes in hits {
        merge.add(HitLists::from_bytes(bytes).map_err(value_error)?).map_err(value_error)?;
    }
    Ok(merge)
}

/// For each shard its contested primitives, by the bytes of the hits of all shards: of the closest ones, or of all.
#[pyfunction]
pub(crate) fn contested<'py>(
    py: Python<'py>,
    hits: Vec<Vec<u8>>,
    rows: usize,
    kind: (usize, bool),
    all: bool,
) -> PyResult<Vec<PrimitiveArrays<'py>>> {
    let primitives = with_typed!(vector_type(kind), _vector: V => py.detach(|| {
        Ok::<_, PyErr>(match all {
            false => closest_merge::<V>(&hits, rows)?.contested(),
            true => all_merge::<V>(&hits, rows)?.contested(),
        })
    }))?;
    Ok(primitives.into_iter().map(|primitives| into_primitives(py, primitives)).collect())
}

/// Writes the closest hits of the whole scene to `out`, by the bytes of the hits and of the contested parts.
#[pyfunction]
pub(crate) fn merge_closest<'py>(
    py: Python<'py>,
    hits: Vec<Vec<u8>>,
    part_bytes: Vec<Vec<u8>>,
    rays: &Bound<'py, PyTuple>,
    kind: (usize, bool),
    out: &Arrays<'py>,
) -> PyResult<()> {
    with_typed!(vector_type(kind), _vector: V => {
        let (argument, mut out) = (RayArgument::<V>::new(rays)?, OutArrays::new(out)?);
        let (view, query, rows) = (argument.view(), argument.query(), out.rows::<V>()?);
        py.detach(|| {
            let mut packed = Default::default();
            let rays = view.columns(&mut packed).map_err(value_error)?;
            let merge = closest_merge::<V>(&hits, rays.len())?;
            let merged = merge.finish(&rays, query, &parts::<V>(&part_bytes)?).map_err(value_error)?;
            rows.write((0..merged.len()).map(|row| merged.get(row).as_ref().map(Row::from)));
            Ok(())
        })
    })
}

/// All hits of the whole scene, by the bytes of the hits and of the contested parts.
#[pyfunction]
pub(crate) fn merge_all<'py>(
    py: Python<'py>,
    hits: Vec<Vec<u8>>,
    part_bytes: Vec<Vec<u8>>,
    rays: &Bound<'py, PyTuple>,
    kind: (usize, bool),
    fields: Vec<String>,
) -> PyResult<ArrayLists<'py>> {
    with_typed!(vector_type(kind), _vector: V => {
        let argument = RayArgument::<V>::new(rays)?;
        let (view, query) = (argument.view(), argument.query());
        let merged = py.detach(|| {
            let mut packed = Default::default();
            let rays = view.columns(&mut packed).map_err(value_error)?;
            all_merge::<V>(&hits, rays.len())?.finish(&rays, query, &parts::<V>(&part_bytes)?).map_err(value_error)
        })?;
        into_lists(py, &merged, &fields)
    })
}
