//! The class `Target`: all queries of a shape or of a snapshot of a scene.

use crate::error::{type_error, value_error};
use crate::first_error::catching;
use crate::geometry::{Geometry, NO_DOUBLE};
use crate::queries::{
    Moving, Tracks, all_contacts, all_hits, all_spans, candidates, cast, cast_any, closest_points, closest_primitives,
    count, sweep, thickness, tracks,
};
use crate::rays::{FewRays, Points, RayArgument, rule, triggers_count, with_ray};
use crate::results::{GrownArrays, Lists, OutArrays, Row, corners, object_number};
use crate::row_work::{fill, lists};
use crate::run::{Pace, Run, SHORT};
use crate::scene::{Scene, id};
use crate::typed::{AnyQueried, Counted, PyVector, Queried, Typed, map_typed, with_typed};
use crate::volume::{VolumesArgument, volumes, volumes_of};
use hitscan::{InsideRule, Instance, ObjectId, OverlapQuery, PointQuery, RayCast, Real, Vector};
use hitscan_io::{Detail, ExplainReport, RayOrSegment};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// What queries look at: a shape, or a scene as it was. It never changes.
#[pyclass(frozen, module = "hitscan._core")]
pub(crate) struct Target(pub(crate) AnyQueried);

/// A dictionary of arrays by the name of the field.
type Arrays<'py> = Bound<'py, PyDict>;

/// The offsets of lists, and the arrays of their rows.
type ArrayLists<'py> = (Bound<'py, PyArray1<i64>>, Arrays<'py>);

fn inside_rule(word: &str) -> PyResult<InsideRule> {
    let rules = [
        ("parity", InsideRule::Parity),
        ("winding_number", InsideRule::WindingNumber),
        ("parity_if_closed", InsideRule::ParityIfClosed),
    ];
    rule("rule", word, &rules)
}

fn into_lists<'py, V: PyVector>(py: Python<'py>, lists: Lists<V>) -> PyResult<ArrayLists<'py>> {
    Ok((lists.offsets.into_pyarray(py), lists.arrays.into_dict(py)?))
}

/// The number of fields of a hit.
const HIT_FIELDS: usize = 11;

/// Calls `work`, without the lock of Python if there are rows enough.
fn few_or_detached<R: Send>(py: Python<'_>, rows: usize, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let work = || catching(work);
    if rows <= SHORT { work() } else { py.detach(work) }
}

#[pymethods]
impl Target {
    /// A shape, in `float64` if the rays are.
    #[staticmethod]
    fn of_shape(py: Python<'_>, shape: &Geometry, is_double: bool) -> PyResult<Self> {
        let shape = if is_double { py.detach(|| shape.double()) } else { Some(shape.own()) };
        let shape = shape.ok_or_else(|| type_error(NO_DOUBLE))?;
        Ok(Self(map_typed!(shape, shape => Queried::Shape(Arc::new(Instance::new(shape.clone()))))))
    }

    /// A scene as it is now, without some objects, in `float64` if the rays are.
    #[staticmethod]
    fn of_scene(
        py: Python<'_>,
        scene: &Scene,
        is_double: bool,
        layers: u32,
        excluded: Vec<i64>,
        triggers: &str,
    ) -> PyResult<Self> {
        let excluded: Arc<[ObjectId]> = excluded.into_iter().map(id).collect::<PyResult<_>>()?;
        let counted = Counted { layers, triggers: triggers_count(triggers)?, excluded };
        let scene = if is_double { py.detach(|| scene.double())? } else { scene.snapshot_of() };
        Ok(Self(map_typed!(scene, scene => Queried::Scene(scene, counted.clone()))))
    }

    /// Writes the closest hits to `out`.
    fn cast<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        out: &Arrays<'py>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let (rays, mut out) = (RayArgument::<V>::new(rays)?, OutArrays::new(out)?);
            let rows = out.rows::<V>()?;
            cast(&run, queried, (&rays.view(), &rays.query()), rows)
        })
    }

    /// The closest hits of a few rays of plain arrays: the arrays of the fields, the shape of the rays, and copies of their
    /// arrays where fields are missing. `None` if the arrays are not plain.
    #[expect(clippy::type_complexity, reason = "Python calls it, from one place")]
    fn cast_few<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        fields: Vec<String>,
    ) -> PyResult<Option<(Arrays<'py>, Bound<'py, PyTuple>, Option<[Bound<'py, PyAny>; 2]>)>> {
        with_typed!(&self.0, queried: V => {
            let Some(few) = FewRays::<V>::new(origins, directions) else { return Ok(None) };
            let rays = few.load();
            let mut arrays = GrownArrays::new(&fields);
            queried.with(|shape| {
                if let [ray] = rays[..] {
                    let hit = catching(|| shape.cast_ray(&ray, ..))?;
                    arrays.append([hit].iter().map(|hit| hit.as_ref().map(Row::from)));
                } else {
                    let hits = few_or_detached(py, rays.len(), || shape.cast_rays(&rays, ..))?;
                    arrays.append(hits.iter().map(|hit| hit.as_ref().map(Row::from)));
                }
                PyResult::Ok(())
            })?;
            let kept = (fields.len() < HIT_FIELDS).then(|| [few.copy(py, 0), few.copy(py, 1)]);
            Ok(Some((arrays.into_dict(py)?, few.shape(py)?, kept)))
        })
    }

    /// Whether a few rays of plain arrays hit. `None` if the arrays are not plain.
    fn cast_any_few<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        with_typed!(&self.0, queried: V => {
            let Some(few) = FewRays::<V>::new(origins, directions) else { return Ok(None) };
            let rays = few.load();
            let any = queried.with(|shape| match rays[..] {
                [ray] => catching(|| vec![shape.intersects_ray(&ray, ..)]),
                _ => few_or_detached(py, rays.len(), || shape.intersects_rays(&rays, ..)),
            })?;
            few.shaped(any.into_pyarray(py)).map(Some)
        })
    }

    /// The number of all hits of a few rays of plain arrays. `None` if the arrays are not plain.
    fn count_few<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        with_typed!(&self.0, queried: V => {
            let Some(few) = FewRays::<V>::new(origins, directions) else { return Ok(None) };
            let rays = few.load();
            let counts = queried.with(|shape| few_or_detached(py, rays.len(), || shape.count_rays(&rays, ..)))?;
            few.shaped(counts.into_pyarray(py)).map(Some)
        })
    }

    /// Writes whether rays hit.
    fn cast_any<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        mut out: PyReadwriteArray1<'py, bool>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            cast_any(&run, queried, (&rays.view(), &rays.query()), out.as_slice_mut()?)
        })
    }

    /// Writes the number of all hits.
    fn count<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        mut out: PyReadwriteArray1<'py, u32>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            count(&run, queried, (&rays.view(), &rays.query()), out.as_slice_mut()?)
        })
    }

    /// The first hits of each ray, at most `most`.
    fn cast_all<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        most: usize,
        fields: Vec<String>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<ArrayLists<'py>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            into_lists(py, all_hits(&run, queried, &rays.view(), (&rays.query(), most, &fields))?)
        })
    }

    /// The first hits of each ray that a filter chooses from, at most `most`.
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        most: usize,
        fields: Vec<String>,
        threads: usize,
    ) -> PyResult<ArrayLists<'py>> {
        let run = Run { py, threads, progress: None };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            into_lists(py, candidates(&run, queried, &rays.view(), (&rays.query(), most, &fields))?)
        })
    }

    /// The spans of each ray: offsets, arrays of entries, arrays of exits.
    fn spans<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        fields: Vec<String>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Arrays<'py>, Arrays<'py>)> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            let (lists, exits) = all_spans(&run, queried, &rays.view(), (&rays.query(), &fields))?;
            let (offsets, enters) = into_lists(py, lists)?;
            Ok((offsets, enters, exits.into_dict(py)?))
        })
    }

    /// Writes the thickness of the solid at the closest hit of each ray.
    fn thickness<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        lengths: &Bound<'py, PyAny>,
        ends: (Arrays<'py>, Arrays<'py>),
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            let (mut enter, mut exit) = (OutArrays::new(&ends.0)?, OutArrays::new(&ends.1)?);
            let mut lengths: PyReadwriteArray1<'_, <V as Vector>::Scalar> = lengths.extract()?;
            let out = (lengths.as_slice_mut()?, enter.rows::<V>()?, exit.rows::<V>()?);
            thickness(&run, queried, (&rays.view(), &rays.query()), out)
        })
    }

    /// Writes whether the straight way between two points is free.
    fn line_of_sight<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        mut out: PyReadwriteArray1<'py, bool>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let argument = RayArgument::<V>::new(rays)?;
            let (rays, query) = (argument.view(), argument.query());
            queried.with(|shape| {
                fill(&run, out.as_slice_mut()?, Pace::SLOW, |(): &mut (), range, out| {
                    for (row, out) in range.zip(out) {
                        let segment = rays.segment(row);
                        *out = shape.line_of_sight(segment.a, segment.b, rays.query_of(row, &query));
                    }
                })
            })
        })
    }

    /// Writes the length of each ray within the solids on each of the 32 layers.
    fn layer_lengths<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        out: &Bound<'py, PyAny>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let argument = RayArgument::<V>::new(rays)?;
            let (rays, query) = (argument.view(), argument.query());
            let mut out: PyReadwriteArray2<'_, <V as Vector>::Scalar> = out.extract()?;
            let (out, _) = out.as_slice_mut()?.as_chunks_mut::<32>();
            queried.with_scene(|scene| {
                fill(&run, out, Pace::SLOW, |(): &mut (), range, out| {
                    for (row, out) in range.zip(out) {
                        *out = with_ray!(rays.one(row), ray => scene.layer_lengths(&ray, query));
                    }
                })
            })
        })
    }

    /// The track of each ray: offsets of its parts, `t` of both ends of each part, and the offsets and numbers of its objects.
    fn tracks<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            let found = tracks(&run, queried, (&rays.view(), &rays.query()))?;
            let Tracks { offsets, begin, end, object_offsets, objects } = found;
            let (begin, end) = (PyArray1::from_vec(py, begin), PyArray1::from_vec(py, end));
            let [offsets, object_offsets, objects] =
                [offsets, object_offsets, objects].map(|numbers| PyArray1::from_vec(py, numbers));
            (offsets, begin, end, object_offsets, objects).into_pyobject(py)
        })
    }

    /// Writes the first contact of a sphere that moves along each ray.
    fn cast_sphere<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        radius: f64,
        out: &Arrays<'py>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let (rays, mut out) = (RayArgument::<V>::new(rays)?, OutArrays::new(out)?);
            let radius = <V as Vector>::Scalar::from_f64(radius);
            sweep(&run, queried, (&rays.view(), &rays.query()), &Moving::Sphere(radius), out.rows::<V>()?)
        })
    }

    /// Writes the first contact of a volume that moves along the direction of each ray.
    fn cast_volume<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        volume: VolumesArgument<'py>,
        out: &Arrays<'py>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let (rays, mut out) = (RayArgument::<V>::new(rays)?, OutArrays::new(out)?);
            let volume = volumes_of::<V>("volume", &volume)?;
            sweep(&run, queried, (&rays.view(), &rays.query()), &Moving::Volumes(volume), out.rows::<V>()?)
        })
    }

    /// The first contacts of a sphere that moves along each ray with each object.
    fn cast_sphere_all<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        radius: f64,
        fields: Vec<String>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<ArrayLists<'py>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            let moving = Moving::Sphere(<V as Vector>::Scalar::from_f64(radius));
            into_lists(py, all_contacts(&run, queried, (&rays.view(), &rays.query()), (&moving, &fields))?)
        })
    }

    /// The first contacts of a volume that moves along the direction of each ray with each object.
    fn cast_volume_all<'py>(
        &self,
        py: Python<'py>,
        rays: &Bound<'py, PyTuple>,
        volume: VolumesArgument<'py>,
        fields: Vec<String>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<ArrayLists<'py>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let rays = RayArgument::<V>::new(rays)?;
            let moving = Moving::Volumes(volumes_of::<V>("volume", &volume)?);
            into_lists(py, all_contacts(&run, queried, (&rays.view(), &rays.query()), (&moving, &fields))?)
        })
    }

    /// Writes whether points are inside of solids.
    fn contains<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        rule: &str,
        mut out: PyReadwriteArray1<'py, bool>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let (run, rule) = (Run { py, threads, progress }, inside_rule(rule)?);
        with_typed!(&self.0, queried: V => {
            let points: PyReadonlyArray2<'_, <V as Vector>::Scalar> = points.extract()?;
            let (points, out) = (Points::<V>::new(&points), out.as_slice_mut()?);
            if rule == InsideRule::Parity {
                return queried.with(|shape| fill(&run, out, Pace::SLOW, |(): &mut (), range, out| {
                    range.zip(out).for_each(|(row, out)| *out = shape.contains(points.get(row)));
                }));
            }
            queried.with_scene(|scene| fill(&run, out, Pace::SLOW, |(): &mut (), range, out| {
                range.zip(out).for_each(|(row, out)| *out = scene.contains_by(points.get(row), rule).is_inside);
            }))
        })
    }

    /// Writes the signed distances of points, negative inside of solids.
    fn signed_distance<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        rule: &str,
        out: &Bound<'py, PyAny>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let (run, rule) = (Run { py, threads, progress }, inside_rule(rule)?);
        with_typed!(&self.0, queried: V => {
            let points: PyReadonlyArray2<'_, <V as Vector>::Scalar> = points.extract()?;
            let mut out: PyReadwriteArray1<'_, <V as Vector>::Scalar> = out.extract()?;
            let (points, out) = (Points::<V>::new(&points), out.as_slice_mut()?);
            let nan = <V as Vector>::Scalar::NAN;
            if rule == InsideRule::Parity {
                return queried.with(|shape| fill(&run, out, Pace::SLOW, |(): &mut (), range, out| {
                    range.zip(out).for_each(|(row, out)| *out = shape.signed_distance(points.get(row)).unwrap_or(nan));
                }));
            }
            queried.with_scene(|scene| fill(&run, out, Pace::SLOW, |(): &mut (), range, out| {
                for (row, out) in range.zip(out) {
                    *out = scene.signed_distance_by(points.get(row), rule).map_or(nan, |found| found.distance);
                }
            }))
        })
    }

    /// Writes the closest point of surfaces to each point.
    fn closest_point<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        max_distance: f64,
        out: &Arrays<'py>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let points: PyReadonlyArray2<'_, <V as Vector>::Scalar> = points.extract()?;
            let (points, mut out) = (Points::<V>::new(&points), OutArrays::new(out)?);
            let max_distance = <V as Vector>::Scalar::from_f64(max_distance);
            closest_points(&run, queried, (points, max_distance), out.rows::<V>()?)
        })
    }

    /// The objects or triangles nearest to each point, at most `most`, with their closest points.
    #[expect(clippy::too_many_arguments, reason = "Python calls it, from one place")]
    fn closest_primitives<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        max_distance: f64,
        most: usize,
        fields: Vec<String>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<ArrayLists<'py>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let points: PyReadonlyArray2<'_, <V as Vector>::Scalar> = points.extract()?;
            let (points, max_distance) = (Points::<V>::new(&points), <V as Vector>::Scalar::from_f64(max_distance));
            into_lists(py, closest_primitives(&run, queried, points, (max_distance, most, &fields))?)
        })
    }

    /// Whether each volume has a point in common.
    fn overlaps<'py>(
        &self,
        py: Python<'py>,
        shapes: Vec<VolumesArgument<'py>>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let volumes = volumes::<V>(&shapes)?;
            let mut out = vec![false; volumes.len()];
            queried.with(|shape| fill(&run, &mut out, Pace::SLOW, |(): &mut (), range, out| {
                range.zip(out).for_each(|(row, out)| *out = shape.overlaps(&volumes[row]));
            }))?;
            Ok(out.into_pyarray(py))
        })
    }

    /// The number of objects or triangles that each volume overlaps.
    fn count_overlapping<'py>(
        &self,
        py: Python<'py>,
        shapes: Vec<VolumesArgument<'py>>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let volumes = volumes::<V>(&shapes)?;
            let mut out = vec![0; volumes.len()];
            queried.with(|shape| fill(&run, &mut out, Pace::SLOW, |(): &mut (), range, out| {
                range.zip(out).for_each(|(row, out)| *out = shape.count_overlapping(&volumes[row]) as i64);
            }))?;
            Ok(out.into_pyarray(py))
        })
    }

    /// What each volume overlaps: offsets, objects, members, primitives.
    #[expect(clippy::type_complexity, reason = "Python calls it, from one place")]
    fn overlapping<'py>(
        &self,
        py: Python<'py>,
        shapes: Vec<VolumesArgument<'py>>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, [Bound<'py, PyArray1<i64>>; 3])> {
        let run = Run { py, threads, progress };
        with_typed!(&self.0, queried: V => {
            let volumes = volumes::<V>(&shapes)?;
            let (mut objects, mut members, mut primitives) = (Vec::new(), Vec::new(), Vec::new());
            let number = |number: Option<u32>| number.map_or(-1, i64::from);
            let offsets = queried.with(|shape| {
                let each = |row: usize, all: &mut Vec<_>| all.append(&mut shape.overlapping(&volumes[row]));
                lists(&run, volumes.len(), each, |found| {
                    objects.extend(found.iter().map(|found| found.object.map_or(-1, object_number)));
                    members.extend(found.iter().map(|found| number(found.member)));
                    primitives.extend(found.iter().map(|found| number(found.primitive)));
                })
            })?;
            Ok((offsets.into_pyarray(py), [objects, members, primitives].map(|column| column.into_pyarray(py))))
        })
    }

    /// The bounding box: its lower and its upper corner.
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_typed!(&self.0, queried: V => {
            let bounds = queried.with(|shape| shape.aabb());
            corners::<V>(py, [bounds.min, bounds.max])
        })
    }

    /// Why a ray hits or misses, in words.
    fn explain<'py>(&self, rays: &Bound<'py, PyTuple>) -> PyResult<String> {
        with_typed!(&self.0, queried: V => {
            let argument = RayArgument::<V>::new(rays)?;
            let (rays, query) = (argument.view(), argument.query());
            if rays.len() != 1 {
                return Err(value_error(format!("origins: explain takes one ray, not {}", rays.len())));
            }
            let query = query.layers(query.layer_mask() & rays.layers(0));
            let ray = if rays.is_segment() { RayOrSegment::Segment(rays.segment(0)) } else { RayOrSegment::Ray(rays.ray(0)) };
            catching(|| queried.with_whole_scene(|scene| ExplainReport::new(scene, &ray, query, Detail::All).to_string()))
        })
    }

    /// Whether numbers are `float64`.
    #[getter]
    fn is_double(&self) -> bool {
        matches!(self.0, Typed::D2(_) | Typed::D3(_))
    }

    /// The number of dimensions.
    #[getter]
    fn dimension(&self) -> usize {
        with_typed!(&self.0, _queried: V => <V as Vector>::DIM)
    }
}
