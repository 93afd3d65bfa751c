//! Results as NumPy arrays: hits, contacts, closest points.

use crate::typed::PyVector;
use hitscan::{ClosestPoint, Feature, Hit, ObjectId, Real, Side, SweepHit, Vector};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The number that Python has for an object: never that of another one, and 0, 1, 2, … as long as none is removed.
pub(crate) fn object_number(id: ObjectId) -> i64 {
    id.to_bits() as i64
}

/// A row of results; numbers that the kind of result lacks are NaN.
pub(crate) struct Row<V: Vector> {
    t: V::Scalar,
    distance: V::Scalar,
    point: V,
    normal: V,
    face_normal: V,
    center: V,
    depth: V::Scalar,
    uv: Option<[V::Scalar; 2]>,
    front: bool,
    trigger: bool,
    primitive: Option<u32>,
    member: Option<u32>,
    part: Option<u32>,
    object: Option<ObjectId>,
    feature: Option<Feature>,
}

impl<V: Vector> From<&Hit<V>> for Row<V> {
    #[inline]
    fn from(hit: &Hit<V>) -> Self {
        let nan = V::Scalar::NAN;
        Self {
            t: hit.t,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            face_normal: V::splat(nan),
            center: V::splat(nan),
            depth: nan,
            uv: hit.uv,
            front: hit.side == Side::Front,
            trigger: hit.is_trigger,
            primitive: hit.primitive,
            member: hit.member,
            part: None,
            object: hit.object,
            feature: None,
        }
    }
}

impl<V: Vector> From<&SweepHit<V>> for Row<V> {
    fn from(hit: &SweepHit<V>) -> Self {
        Self {
            t: hit.t,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            face_normal: hit.face_normal.unwrap_or_else(|| V::splat(V::Scalar::NAN)),
            center: hit.center,
            depth: hit.depth.unwrap_or(V::Scalar::NAN),
            uv: hit.uv,
            front: true,
            trigger: hit.is_trigger,
            primitive: hit.primitive,
            member: hit.member,
            part: hit.part,
            object: hit.object,
            feature: Some(hit.feature),
        }
    }
}

impl<V: Vector> From<&ClosestPoint<V>> for Row<V> {
    fn from(found: &ClosestPoint<V>) -> Self {
        let nan = V::Scalar::NAN;
        Self {
            t: nan,
            distance: found.distance,
            point: found.point,
            normal: V::splat(nan),
            face_normal: V::splat(nan),
            center: V::splat(nan),
            depth: nan,
            uv: found.uv,
            front: true,
            trigger: false,
            primitive: found.primitive,
            member: found.member,
            part: None,
            object: found.object,
            feature: Some(found.feature),
        }
    }
}

/// The arrays of results by name, in storage for numbers, masks, and integers of 32 and 64 bits. An array that is not wanted is
/// `None`.
pub(crate) struct Fields<S, B, I, L> {
    t: Option<S>,
    distance: Option<S>,
    point: Option<S>,
    normal: Option<S>,
    face_normal: Option<S>,
    center: Option<S>,
    depth: Option<S>,
    uv: Option<S>,
    hit: Option<B>,
    front: Option<B>,
    trigger: Option<B>,
    primitive: Option<I>,
    member: Option<I>,
    part: Option<I>,
    feature: Option<I>,
    feature_index: Option<I>,
    object: Option<L>,
}

/// Calls a macro with each name of an array, and the length of its rows in a space of `dim` dimensions.
macro_rules! each_field {
    ($do:ident, $dim:expr) => {
        $do!(t, 1);
        $do!(distance, 1);
        $do!(point, $dim);
        $do!(normal, $dim);
        $do!(face_normal, $dim);
        $do!(center, $dim);
        $do!(depth, 1);
        $do!(uv, 2);
        $do!(hit, 1);
        $do!(front, 1);
        $do!(trigger, 1);
        $do!(primitive, 1);
        $do!(member, 1);
        $do!(part, 1);
        $do!(feature, 1);
        $do!(feature_index, 1);
        $do!(object, 1);
    };
}

impl<S, B, I, L> Default for Fields<S, B, I, L> {
    fn default() -> Self {
        Self {
            t: None,
            distance: None,
            point: None,
            normal: None,
            face_normal: None,
            center: None,
            depth: None,
            uv: None,
            hit: None,
            front: None,
            trigger: None,
            primitive: None,
            member: None,
            part: None,
            feature: None,
            feature_index: None,
            object: None,
        }
    }
}

impl<V: Vector> Default for Rows<'_, V> {
    fn default() -> Self {
        Self(Fields::default())
    }
}

/// Arrays that Python has allocated.
pub(crate) type OutArrays<'py, S> = Fields<
    PyReadwriteArrayDyn<'py, S>,
    PyReadwriteArrayDyn<'py, bool>,
    PyReadwriteArrayDyn<'py, i32>,
    PyReadwriteArrayDyn<'py, i64>,
>;

/// Arrays that grow.
pub(crate) type GrownArrays<S> = Fields<Vec<S>, Vec<bool>, Vec<i32>, Vec<i64>>;

/// Rows of arrays, to be written.
pub(crate) struct Rows<'a, V: Vector>(RowFields<'a, V::Scalar>);

type RowFields<'a, S> = Fields<&'a mut [S], &'a mut [bool], &'a mut [i32], &'a mut [i64]>;

impl<'py, S: numpy::Element> OutArrays<'py, S> {
    /// The arrays of a dictionary, which are contiguous and have the right types and shapes.
    pub(crate) fn new(arrays: &Bound<'py, PyDict>) -> PyResult<Self> {
        let mut out = Self::default();
        macro_rules! take {
            ($name:ident, $length:expr) => {
                out.$name = arrays.get_item(stringify!($name))?.map(|array| array.extract()).transpose()?;
            };
        }
        each_field!(take, 0);
        Ok(out)
    }
    /// The rows of all arrays.
    pub(crate) fn rows<V: Vector<Scalar = S>>(&mut self) -> PyResult<Rows<'_, V>> {
        let mut rows = Rows::<V>::default();
        macro_rules! take {
            ($name:ident, $length:expr) => {
                rows.0.$name = self.$name.as_mut().map(|array| array.as_slice_mut()).transpose()?;
            };
        }
        each_field!(take, 0);
        Ok(rows)
    }
}

impl<S: numpy::Element + Copy + Default> GrownArrays<S> {
    /// Empty arrays of these names.
    pub(crate) fn new(names: &[String]) -> Self {
        let mut out = Self::default();
        macro_rules! make {
            ($name:ident, $length:expr) => {
                out.$name = names.iter().any(|name| name == stringify!($name)).then(Vec::new);
            };
        }
        each_field!(make, 0);
        out
    }
    /// Adds rows.
    pub(crate) fn append<V: Vector<Scalar = S>>(&mut self, results: impl ExactSizeIterator<Item = Option<Row<V>>>) {
        let mut rows = Rows::<V>::default();
        let added = results.len();
        macro_rules! grow {
            ($name:ident, $length:expr) => {
                rows.0.$name = self.$name.as_mut().map(|array| {
                    let before = array.len();
                    array.resize(before + added * $length, Default::default());
                    &mut array[before..]
                });
            };
        }
        each_field!(grow, V::DIM);
        rows.write(results);
    }
    /// The arrays by name. Those of points have one dimension: Python gives them their shape.
    pub(crate) fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let arrays = PyDict::new(py);
        macro_rules! put {
            ($name:ident, $length:expr) => {
                if let Some(array) = self.$name {
                    arrays.set_item(stringify!($name), array.into_pyarray(py))?;
                }
            };
        }
        each_field!(put, 0);
        Ok(arrays)
    }
}

impl<V: Vector> Rows<'_, V> {
    /// Takes the first rows away.
    pub(crate) fn split_off(&mut self, rows: usize) -> Self {
        let mut first = Self::default();
        macro_rules! split {
            ($name:ident, $length:expr) => {
                first.0.$name = self.0.$name.as_mut().map(|array| {
                    let (first, rest) = std::mem::take(array).split_at_mut(rows * $length);
                    *array = rest;
                    first
                });
            };
        }
        each_field!(split, V::DIM);
        first
    }
    /// Writes a result to each row; `None` for a miss.
    pub(crate) fn write(mut self, results: impl Iterator<Item = Option<Row<V>>>) {
        let nan = V::Scalar::NAN;
        for (row, result) in results.enumerate() {
            self.put(row, result, nan);
        }
    }
    #[inline(always)]
    fn put(&mut self, row: usize, result: Option<Row<V>>, nan: V::Scalar) {
        let found = result.is_some();
        let value = result.unwrap_or(Row {
            t: V::Scalar::INFINITY,
            distance: V::Scalar::INFINITY,
            point: V::splat(nan),
            normal: V::splat(nan),
            face_normal: V::splat(nan),
            center: V::splat(nan),
            depth: nan,
            uv: None,
            front: false,
            trigger: false,
            primitive: None,
            member: None,
            part: None,
            object: None,
            feature: None,
        });
        let vector = |array: &mut Option<&mut [V::Scalar]>, v: V| {
            if let Some(array) = array {
                array[row * V::DIM..][..V::DIM].copy_from_slice(&v.to_xyz()[..V::DIM]);
            }
        };
        let number = |array: &mut Option<&mut [V::Scalar]>, x: V::Scalar| {
            if let Some(array) = array {
                array[row] = x;
            }
        };
        let mask = |array: &mut Option<&mut [bool]>, x: bool| {
            if let Some(array) = array {
                array[row] = x;
            }
        };
        // There are fewer than 2^31 triangles, and a scene holds fewer objects.
        let integer = |array: &mut Option<&mut [i32]>, x: Option<u32>| {
            if let Some(array) = array {
                array[row] = x.map_or(-1, |x| x as i32);
            }
        };
        number(&mut self.0.t, value.t);
        number(&mut self.0.distance, value.distance);
        number(&mut self.0.depth, value.depth);
        vector(&mut self.0.point, value.point);
        vector(&mut self.0.normal, value.normal);
        vector(&mut self.0.face_normal, value.face_normal);
        vector(&mut self.0.center, value.center);
        if let Some(array) = &mut self.0.uv {
            array[2 * row..][..2].copy_from_slice(&value.uv.unwrap_or([nan; 2]));
        }
        mask(&mut self.0.hit, found);
        mask(&mut self.0.front, value.front);
        mask(&mut self.0.trigger, value.trigger);
        integer(&mut self.0.primitive, value.primitive);
        integer(&mut self.0.member, value.member);
        integer(&mut self.0.part, value.part);
        let feature = value.feature.map(|feature| match feature {
            Feature::Face(number) => [0, number],
            Feature::Edge(number) => [1, number],
            Feature::Vertex(number) => [2, number],
        });
        integer(&mut self.0.feature, feature.map(|[kind, _]| kind));
        integer(&mut self.0.feature_index, feature.map(|[_, number]| number));
        if let Some(array) = &mut self.0.object {
            array[row] = value.object.map_or(-1, object_number);
        }
    }
}

/// The result of a query with a number of rows for each input: the ends of the rows of each input, and the rows.
pub(crate) struct Lists<V: PyVector> {
    pub(crate) offsets: Vec<i64>,
    pub(crate) arrays: GrownArrays<V::Scalar>,
}

/// Two points as an array of shape (2, d).
pub(crate) fn corners<'py, V: PyVector>(py: Python<'py>, points: [V; 2]) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<V::Scalar> = points.iter().flat_map(|point| point.to_xyz()[..V::DIM].to_vec()).collect();
    let array: Bound<'py, PyArray2<V::Scalar>> = numbers.into_pyarray(py).reshape([2, V::DIM])?;
    Ok(array.into_any())
}
