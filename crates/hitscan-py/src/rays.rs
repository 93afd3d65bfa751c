//! Rays and points from NumPy arrays, a chunk at a time.

use crate::error::value_error;
use crate::typed::{PyVector, TriggersCount};
use hitscan::{
    Approach, ColumnsError, Coplanar, Faces, Inside, LimitedRay, Query, RangedRay, RangedSegment, Ray, RayColumns,
    RayLike, RaySlice, Real, Segment, Triggers, Vector,
};
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn};
use numpy::{PyUntypedArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;

/// The rays of a query, as Python has checked them: a named tuple of the class `hitscan._arrays.Rays`.
pub(crate) struct RayArgument<'py, V: PyVector> {
    origins: PyReadonlyArray2<'py, V::Scalar>,
    targets: PyReadonlyArray2<'py, V::Scalar>,
    is_segment: bool,
    t_min: Option<PyReadonlyArray1<'py, V::Scalar>>,
    t_max: Option<PyReadonlyArray1<'py, V::Scalar>>,
    layers: Option<PyReadonlyArray1<'py, u32>>,
    max_distance: Option<PyReadonlyArray1<'py, V::Scalar>>,
    query: Query<V::Scalar>,
}

/// An argument `name` of a few words: the value of `word`.
pub(crate) fn rule<T: Copy>(name: &str, word: &str, words: &[(&str, T)]) -> PyResult<T> {
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("'{word}'")).collect();
        value_error(format!("{name}: '{word}' is none of {}", known.join(", ")))
    })
}

pub(crate) fn inside(word: &str) -> PyResult<Inside> {
    rule("inside", word, &[("solid", Inside::Solid), ("hollow", Inside::Hollow)])
}

pub(crate) fn faces(word: &str) -> PyResult<Faces> {
    rule("faces", word, &[("both", Faces::Both), ("front", Faces::Front), ("back", Faces::Back)])
}

fn triggers(word: &str) -> PyResult<Triggers> {
    rule("triggers", word, &[("pass", Triggers::Pass), ("hit", Triggers::Hit), ("ignore", Triggers::Ignore)])
}

/// Whether triggers count in a query of points or volumes.
pub(crate) fn triggers_count(word: &str) -> PyResult<TriggersCount> {
    rule("triggers", word, &[("hit", TriggersCount::Like), ("ignore", TriggersCount::Never)])
}

fn coplanar(word: &str) -> PyResult<Coplanar> {
    rule("coplanar", word, &[("miss", Coplanar::Miss), ("hit", Coplanar::Hit)])
}

fn approach(word: &str) -> PyResult<Approach> {
    rule("approach", word, &[("any", Approach::Any), ("only", Approach::Only)])
}

impl<'py, V: PyVector> RayArgument<'py, V> {
    /// Reads the fields.
    pub(crate) fn new(rays: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let [from, to] = [rays.get_item(7)?.extract::<f64>()?, rays.get_item(8)?.extract::<f64>()?];
        let to = V::Scalar::from_f64(to);
        let query = Query::new()
            .range(V::Scalar::from_f64(from), if to == V::Scalar::INFINITY { V::Scalar::MAX } else { to })
            .inside(inside(rays.get_item(9)?.extract()?)?)
            .faces(faces(rays.get_item(10)?.extract()?)?)
            .triggers(triggers(rays.get_item(11)?.extract()?)?)
            .layers(rays.get_item(12)?.extract()?)
            .coplanar(coplanar(rays.get_item(13)?.extract()?)?)
            .within_distance(V::Scalar::from_f64(rays.get_item(15)?.extract()?))
            .approach(approach(rays.get_item(17)?.extract()?)?);
        let query = if rays.get_item(16)?.extract()? { query.of_common_points() } else { query };
        Ok(Self {
            origins: rays.get_item(1)?.extract()?,
            targets: rays.get_item(2)?.extract()?,
            is_segment: rays.get_item(3)?.extract()?,
            t_min: rays.get_item(4)?.extract()?,
            t_max: rays.get_item(5)?.extract()?,
            layers: rays.get_item(6)?.extract()?,
            max_distance: rays.get_item(14)?.extract()?,
            query,
        })
    }
    /// The query, common to all rays.
    pub(crate) fn query(&self) -> Query<V::Scalar> {
        self.query
    }
    /// The rays, to be read without the lock of Python.
    pub(crate) fn view(&self) -> RayArrays<'_, V> {
        RayArrays {
            origins: Points::new(&self.origins),
            targets: Points::new(&self.targets),
            is_segment: self.is_segment,
            t_min: self.t_min.as_ref().map(|array| array.as_array()),
            t_max: self.t_max.as_ref().map(|array| array.as_array()),
            layers: self.layers.as_ref().map(|array| array.as_array()),
            max_distance: self.max_distance.as_ref().map(|array| array.as_array()),
        }
    }
}

/// Points of an array of shape (n, d).
#[derive(Clone, Copy)]
pub(crate) struct Points<'a, V: PyVector> {
    rows: ArrayView2<'a, V::Scalar>,
    /// The numbers one behind the other, if they lie so.
    packed: Option<&'a [V::Scalar]>,
}

impl<'a, V: PyVector> Points<'a, V> {
    pub(crate) fn new(array: &'a PyReadonlyArray2<'_, V::Scalar>) -> Self {
        let rows = array.as_array();
        Self { packed: rows.to_slice(), rows }
    }
    pub(crate) fn len(&self) -> usize {
        self.rows.nrows()
    }
    #[inline]
    pub(crate) fn get(&self, row: usize) -> V {
        let zero = V::Scalar::ZERO;
        match self.packed {
            Some(numbers) => {
                let at = &numbers[row * V::DIM..][..V::DIM];
                V::from_xyz([at[0], at[1], if V::DIM == 2 { zero } else { at[V::DIM - 1] }])
            }
            None => {
                let rows = &self.rows;
                V::from_xyz([rows[[row, 0]], rows[[row, 1]], if V::DIM == 2 { zero } else { rows[[row, V::DIM - 1]] }])
            }
        }
    }
    /// Fills the buffer with the points of some rows.
    pub(crate) fn load<'b>(&self, rows: Range<usize>, buffer: &'b mut Vec<V>) -> &'b [V] {
        buffer.clear();
        buffer.extend(rows.map(|row| self.get(row)));
        buffer
    }
}

/// Copies of arrays whose numbers do not lie one behind the other.
#[derive(Default)]
pub(crate) struct PackedRays<V: Vector> {
    origins: Vec<V>,
    targets: Vec<V>,
    t_min: Vec<V::Scalar>,
    t_max: Vec<V::Scalar>,
    layers: Vec<u32>,
    max_distance: Vec<V::Scalar>,
}

impl<V: PyVector> Points<'_, V> {
    /// The points as the library reads them.
    fn packed<'b>(&'b self, copy: &'b mut Vec<V>) -> hitscan::Points<'b, V> {
        match self.packed {
            Some(numbers) => hitscan::Points::strided(numbers, V::DIM),
            None => self.load(0..self.len(), copy).into(),
        }
    }
}

/// Rays of arrays.
pub(crate) struct RayArrays<'a, V: PyVector> {
    origins: Points<'a, V>,
    targets: Points<'a, V>,
    is_segment: bool,
    t_min: Option<ArrayView1<'a, V::Scalar>>,
    t_max: Option<ArrayView1<'a, V::Scalar>>,
    layers: Option<ArrayView1<'a, u32>>,
    max_distance: Option<ArrayView1<'a, V::Scalar>>,
}

/// Memory for the rays of a chunk, which a thread uses again.
#[derive(Default)]
pub(crate) struct RayBuffer<V: Vector> {
    rays: Vec<Ray<V>>,
    segments: Vec<Segment<V>>,
    ranged_rays: Vec<RangedRay<V>>,
    ranged_segments: Vec<RangedSegment<V>>,
    limited: Vec<LimitedRay>,
}

/// A ray or a segment with its range, and with its distance if it has one.
pub(crate) enum OneRay<V: Vector> {
    Ray(RangedRay<V>),
    Segment(RangedSegment<V>),
    Limited(LimitedRay),
}

/// Evaluates an expression for a ray or for a segment.
macro_rules! with_ray {
    ($one:expr, $ray:ident => $body:expr) => {
        match $one {
            $crate::rays::OneRay::Ray($ray) => $body,
            $crate::rays::OneRay::Segment($ray) => $body,
            $crate::rays::OneRay::Limited($ray) => $body,
        }
    };
}
pub(crate) use with_ray;

impl<V: PyVector> RayArrays<'_, V> {
    pub(crate) fn len(&self) -> usize {
        self.origins.len()
    }
    fn ranged<R>(&self, row: usize, ray: R, [from, to]: [f64; 2]) -> hitscan::Ranged<V, R> {
        let number = |array: &Option<ArrayView1<'_, V::Scalar>>, default: V::Scalar| {
            array.as_ref().map_or(default, |array| array[row])
        };
        let largest = V::Scalar::MAX;
        let t_min = number(&self.t_min, V::Scalar::from_f64(from));
        let t_max = number(&self.t_max, V::Scalar::from_f64(to));
        let t_max = if t_max == V::Scalar::INFINITY { largest } else { t_max };
        hitscan::Ranged::new(ray, t_min, t_max).layers(self.layers(row))
    }
    /// The layers of a ray; all where the rays have none of their own.
    pub(crate) fn layers(&self, row: usize) -> u32 {
        self.layers.as_ref().map_or(u32::MAX, |array| array[row])
    }
    /// The query of one ray, for queries that take no ray with layers of its own.
    pub(crate) fn query_of(&self, row: usize, query: &Query<V::Scalar>) -> Query<V::Scalar> {
        query.layers(query.layer_mask() & self.layers(row))
    }
    /// All rays as the library reads columns.
    pub(crate) fn columns<'b>(&'b self, packed: &'b mut PackedRays<V>) -> Result<RayColumns<'b, V>, ColumnsError> {
        fn column<'b, T: Copy>(array: &'b ArrayView1<'_, T>, copy: &'b mut Vec<T>) -> &'b [T] {
            match array.to_slice() {
                Some(numbers) => numbers,
                None => {
                    copy.extend(array.iter());
                    copy
                }
            }
        }
        let PackedRays { origins, targets, t_min, t_max, layers, max_distance } = packed;
        let (origins, targets) = (self.origins.packed(origins), self.targets.packed(targets));
        let mut rays = if self.is_segment {
            RayColumns::segments(origins, targets)?
        } else {
            RayColumns::from_points(origins, targets)?
        };
        if let Some(array) = &self.t_min {
            rays = rays.with_t_min(column(array, t_min))?;
        }
        if let Some(array) = &self.t_max {
            rays = rays.with_t_max(column(array, t_max))?;
        }
        if let Some(array) = &self.layers {
            rays = rays.with_layers(column(array, layers))?;
        }
        if let Some(array) = &self.max_distance {
            rays = rays.with_max_distance(column(array, max_distance))?;
        }
        Ok(rays)
    }
    /// Whether the rows are segments.
    pub(crate) fn is_segment(&self) -> bool {
        self.is_segment
    }
    /// The direction of a ray.
    pub(crate) fn direction(&self, row: usize) -> V {
        self.targets.get(row)
    }
    pub(crate) fn ray(&self, row: usize) -> Ray<V> {
        Ray::new(self.origins.get(row), self.targets.get(row))
    }
    pub(crate) fn segment(&self, row: usize) -> Segment<V> {
        Segment::new(self.origins.get(row), self.targets.get(row))
    }
    /// The ray of a row.
    pub(crate) fn one(&self, row: usize) -> OneRay<V> {
        if let Some(distance) = &self.max_distance {
            OneRay::Limited(self.limited(row, distance[row]))
        } else if self.is_segment {
            OneRay::Segment(self.ranged(row, self.segment(row), [0.0, 1.0]))
        } else {
            OneRay::Ray(self.ranged(row, self.ray(row), [f64::NEG_INFINITY, f64::INFINITY]))
        }
    }
    /// The ray of a row up to a distance.
    fn limited(&self, row: usize, distance: V::Scalar) -> LimitedRay {
        let ray = if self.is_segment {
            RayLike::<V>::limit(&self.ranged(row, self.segment(row), [0.0, 1.0]))
        } else {
            RayLike::<V>::limit(&self.ranged(row, self.ray(row), [f64::NEG_INFINITY, f64::INFINITY]))
        };
        ray.within::<V::Scalar>(distance.to_f64())
    }
    /// The rays of some rows, one behind the other.
    pub(crate) fn load<'b>(&self, rows: Range<usize>, buffer: &'b mut RayBuffer<V>) -> RaySlice<'b, V> {
        fn filled<T>(buffer: &mut Vec<T>, items: impl Iterator<Item = T>) -> &[T] {
            buffer.clear();
            buffer.extend(items);
            buffer
        }
        if let Some(distance) = &self.max_distance {
            let rays = rows.map(|row| self.limited(row, distance[row]));
            return LimitedRay::batch(filled(&mut buffer.limited, rays));
        }
        let is_ranged = self.t_min.is_some() || self.t_max.is_some() || self.layers.is_some();
        match (is_ranged, self.is_segment) {
            (false, false) => Ray::batch(filled(&mut buffer.rays, rows.map(|row| self.ray(row)))),
            (false, true) => Segment::batch(filled(&mut buffer.segments, rows.map(|row| self.segment(row)))),
            (true, false) => {
                let rays = rows.map(|row| self.ranged(row, self.ray(row), [f64::NEG_INFINITY, f64::INFINITY]));
                RangedRay::batch(filled(&mut buffer.ranged_rays, rays))
            }
            (true, true) => {
                let segments = rows.map(|row| self.ranged(row, self.segment(row), [0.0, 1.0]));
                RangedSegment::batch(filled(&mut buffer.ranged_segments, segments))
            }
        }
    }
}

/// A few rays of plain arrays, contiguous, of shape (n, d) or (d,).
pub(crate) struct FewRays<'py, V: PyVector> {
    arrays: [PyReadonlyArrayDyn<'py, V::Scalar>; 2],
    /// The rows; `None` for a single ray.
    pub(crate) rows: Option<usize>,
}

impl<'py, V: PyVector> FewRays<'py, V> {
    /// The rays, if the arrays are as described and of the precision of the vector type.
    pub(crate) fn new(origins: &Bound<'py, PyAny>, directions: &Bound<'py, PyAny>) -> Option<Self> {
        let arrays = [origins, directions].map(|array| array.cast::<PyArrayDyn<V::Scalar>>().ok());
        let [Some(origins), Some(directions)] = arrays else { return None };
        let rows = |array: &Bound<'py, PyArrayDyn<V::Scalar>>| match *array.shape() {
            [dim] if dim == V::DIM => Some(None),
            [rows, dim] if dim == V::DIM => Some(Some(rows)),
            _ => None,
        };
        let rows = match (rows(origins)?, rows(directions)?) {
            (Some(n), Some(m)) if n != m => return None,
            (a, b) => a.or(b),
        };
        let arrays = [origins.try_readonly().ok()?, directions.try_readonly().ok()?];
        let is_plain = |array: &PyReadonlyArrayDyn<'_, V::Scalar>| array.is_c_contiguous() && array.as_slice().is_ok();
        arrays.iter().all(is_plain).then_some(Self { arrays, rows })
    }
    /// The rays, one behind the other.
    pub(crate) fn load(&self) -> Vec<Ray<V>> {
        let numbers = self.arrays.each_ref().map(|array| (array.as_slice().unwrap_or(&[]), array.ndim() == 1));
        let point = |(numbers, is_one): (&[V::Scalar], bool), row: usize| {
            let at = &numbers[if is_one { 0 } else { row * V::DIM }..][..V::DIM];
            V::from_xyz([at[0], at[1], if V::DIM == 2 { V::Scalar::ZERO } else { at[V::DIM - 1] }])
        };
        (0..self.rows.unwrap_or(1)).map(|row| Ray::new(point(numbers[0], row), point(numbers[1], row))).collect()
    }
    /// The shape of the rays.
    pub(crate) fn shape(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.rows)
    }
    /// An array of a row for each ray, in the shape of the rays.
    pub(crate) fn shaped<T: numpy::Element>(&self, rows: Bound<'py, PyArray1<T>>) -> PyResult<Bound<'py, PyAny>> {
        Ok(if self.rows.is_none() { rows.reshape([0; 0])?.into_any() } else { rows.into_any() })
    }
    /// A copy of one of the arrays.
    pub(crate) fn copy(&self, py: Python<'py>, which: usize) -> Bound<'py, PyAny> {
        self.arrays[which].as_array().to_pyarray(py).into_any()
    }
}
