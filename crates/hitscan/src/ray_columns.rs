//! Rays as columns: one slice per coordinate, as tables, numerical arrays and other languages store them.

use crate::math::limited_ray::LimitedRay;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::math::working_ray::InputRay;
use crate::ray::{Ranged, RangedRay, RangedSegment, Ray, RayLike, RaySlice, Segment};
use crate::simd::rows::{BlockRow, widen};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// Points or vectors, borrowed, in the layout in which the caller holds them. Nothing is copied.
///
/// | layout | conversion |
/// |---|---|
/// | arrays: `&[[f32; 3]]` | `Points::from` |
/// | vectors: `&[Vec3]`, `&[DVec2]` and so on; `&[Vec3A]` for `Vec3` | `Points::from` |
/// | one slice per coordinate | [`Points::columns`] |
/// | one slice of all numbers, with a stride | [`Points::strided`] |
///
/// [`RayColumns::from_points`] and [`RayColumns::segments`] take them, and check their lengths.
///
/// ```
/// use hitscan::{glam::Vec3, Points, Ray, RayColumns};
/// // A scan: x, y, z and the intensity of each point. All rays start at the scanner.
/// let scan = [1.0, 0.0, 0.0, 0.7, /* the second point */ 0.0, 2.0, 0.0, 0.9];
/// let rays = RayColumns::<Vec3>::from_points(&[Vec3::ZERO; 2], Points::strided(&scan, 4))?;
/// assert_eq!(rays.get(1), Some(Ray::new(Vec3::ZERO, Vec3::Y * 2.0)));
/// # Ok::<(), hitscan::ColumnsError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, V: Vector>(Layout<'a, V>);

#[derive(Clone, Copy, Debug)]
enum Layout<'a, V: Vector> {
    /// One slice per coordinate, and how many there are.
    Columns([&'a [V::Scalar]; 3], usize),
    /// All numbers of arrays of this length.
    Arrays(&'a [V::Scalar], usize),
    /// Numbers, and how many there are from one point to the next.
    Strided(&'a [V::Scalar], usize),
    Vectors(&'a [V]),
    /// Of these, `V` is `Vec3`.
    Aligned(&'a [glam::Vec3A]),
}

impl<'a, V: Vector> Points<'a, V> {
    /// Points as columns: one slice per coordinate (structure of arrays).
    #[must_use]
    pub fn columns(columns: &[&'a [V::Scalar]]) -> Self {
        let axis = |axis: usize| columns.get(axis).copied().unwrap_or(&[]);
        Self(Layout::Columns([axis(0), axis(1), axis(2)], columns.len()))
    }

    /// Points in one slice with a stride: `stride` numbers after a point, the next one begins. The numbers between are
    /// skipped; after the last point they may be absent. Slice it to begin within a record: `&records[3..]`.
    #[must_use]
    pub fn strided(numbers: &'a [V::Scalar], stride: usize) -> Self {
        Self(Layout::Strided(numbers, stride))
    }

    /// The number of points, if they are well-formed. `what` names them in an error.
    fn check(&self, what: &'static str) -> Result<usize, ColumnsError> {
        match self.0 {
            Layout::Columns(_, given) | Layout::Arrays(_, given) if given != V::DIM => {
                Err(ColumnsError::Count { what, given, needed: V::DIM })
            }
            Layout::Columns(xyz, _) => {
                let needed = xyz[0].len();
                match xyz[..V::DIM].iter().position(|column| column.len() != needed) {
                    Some(axis) => Err(ColumnsError::Length { what, axis, given: xyz[axis].len(), needed }),
                    None => Ok(needed),
                }
            }
            Layout::Strided(_, stride) if stride < V::DIM => {
                Err(ColumnsError::Stride { what, given: stride, needed: V::DIM })
            }
            Layout::Strided(numbers, stride) => {
                let given = numbers.len();
                let points = given.checked_sub(V::DIM).map_or(0, |rest| rest / stride + 1);
                let whole = points * stride;
                if given > whole {
                    return Err(ColumnsError::Partial { what, given, needed: whole + V::DIM });
                }
                Ok(points)
            }
            Layout::Arrays(numbers, length) => Ok(numbers.len() / length),
            Layout::Vectors(points) => Ok(points.len()),
            Layout::Aligned(points) => Ok(points.len()),
        }
    }

    /// Writes points to rows of numbers; in the plane, z is left as it is: zero. One loop for each layout.
    fn write_rows(&self, rows: Range<usize>, out: &mut [BlockRow; 3]) {
        match self.0 {
            Layout::Columns(columns, _) => {
                for (out, column) in out.iter_mut().zip(&columns[..V::DIM]) {
                    widen(&column[rows.clone()], out);
                }
            }
            Layout::Arrays(numbers, stride) | Layout::Strided(numbers, stride) => {
                for (i, row) in rows.enumerate() {
                    let point = &numbers[row * stride..][..V::DIM];
                    point.iter().zip(&mut *out).for_each(|(x, out)| out[i] = x.to_f64());
                }
            }
            Layout::Vectors(points) => {
                for (i, point) in points[rows].iter().enumerate() {
                    [out[0][i], out[1][i], out[2][i]] = point.to_f64();
                }
            }
            Layout::Aligned(points) => {
                for (i, point) in points[rows].iter().enumerate() {
                    [out[0][i], out[1][i], out[2][i]] = point.to_array().map(f64::from);
                }
            }
        }
    }

    #[inline]
    fn get(&self, row: usize) -> V {
        match self.0 {
            Layout::Columns([x, y, z], _) => {
                V::from_xyz([x[row], y[row], if V::DIM == 2 { V::Scalar::ZERO } else { z[row] }])
            }
            Layout::Arrays(numbers, stride) | Layout::Strided(numbers, stride) => {
                let point = &numbers[row * stride..][..V::DIM];
                V::from_xyz([point[0], point[1], point.get(2).copied().unwrap_or(V::Scalar::ZERO)])
            }
            Layout::Vectors(points) => points[row],
            Layout::Aligned(points) => V::from_xyz(points[row].to_array().map(|x| V::Scalar::from_f64(f64::from(x)))),
        }
    }
}

impl<'a, V: Vector, const N: usize> From<&'a [[V::Scalar; N]]> for Points<'a, V> {
    fn from(points: &'a [[V::Scalar; N]]) -> Self {
        Self(Layout::Arrays(points.as_flattened(), N))
    }
}

impl<'a, V: Vector> From<&'a [V]> for Points<'a, V> {
    fn from(points: &'a [V]) -> Self {
        Self(Layout::Vectors(points))
    }
}

impl<'a> From<&'a [glam::Vec3A]> for Points<'a, glam::Vec3> {
    fn from(points: &'a [glam::Vec3A]) -> Self {
        Self(Layout::Aligned(points))
    }
}

impl<'a, V: Vector, T, const N: usize> From<&'a [T; N]> for Points<'a, V>
where
    Self: From<&'a [T]>,
{
    fn from(points: &'a [T; N]) -> Self {
        Self::from(&points[..])
    }
}

impl<'a, V: Vector, T> From<&'a Vec<T>> for Points<'a, V>
where
    Self: From<&'a [T]>,
{
    fn from(points: &'a Vec<T>) -> Self {
        Self::from(&points[..])
    }
}

/// Rays or segments as columns, borrowed: the origins and directions, or the two ends, in any layout of [`Points`]. Each
/// may have a range of `t` and a layer mask of its own.
///
/// ```
/// use hitscan::{glam::Vec3, Ray, RayColumns};
/// let first = Ray::new(Vec3::new(0.0, 1.0, 2.0), Vec3::Z);
/// // One slice per coordinate (structure of arrays):
/// let columns = RayColumns::<Vec3>::new(&[&[0.0, 3.0], &[1.0, 4.0], &[2.0, 5.0]], &[&[0.0; 2], &[0.0; 2], &[1.0; 2]])?;
/// assert_eq!(columns.get(0), Some(first));
/// // One array per point (array of structures):
/// let points = RayColumns::<Vec3>::from_points(&[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], &[[0.0, 0.0, 1.0]; 2])?;
/// assert_eq!((points.get(0), points.get(1)), (Some(first), columns.get(1)));
/// # Ok::<(), hitscan::ColumnsError>(())
/// ```
///
/// A cast uses the part of a ray's range that lies in the query's range too, and the layers that are in both masks; so does
/// [`Ranged`].
///
/// ```
/// use hitscan::{glam::Vec3, RayCast, RayColumns, Sphere};
/// let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
/// let ends = [Vec3::Z * 8.0; 3];
/// let sights = RayColumns::segments(&[Vec3::ZERO; 3], &ends)?;
/// assert_eq!(ball.intersects_columns(&sights, ..), [true; 3]);
/// let sights = sights.with_t_max(&[0.25, 0.75, f32::NAN])?;
/// assert_eq!(ball.intersects_columns(&sights, ..), [false, true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RayColumns<'a, V: Vector> {
    origin: Points<'a, V>,
    target: Target<'a, V>,
    len: usize,
    t_min: Option<&'a [V::Scalar]>,
    t_max: Option<&'a [V::Scalar]>,
    layers: Option<&'a [u32]>,
    max_distance: Option<&'a [V::Scalar]>,
}

/// Second column of points.
#[derive(Clone, Copy, Debug)]
enum Target<'a, V: Vector> {
    /// Directions of rays.
    Direction(Points<'a, V>),
    /// Second ends of segments.
    End(Points<'a, V>),
}

impl<'a, V: Vector> RayColumns<'a, V> {
    /// Rays from two columns each in the plane, three columns each in space.
    ///
    /// # Errors
    /// Another number of columns; columns of different lengths.
    pub fn new(origin: &[&'a [V::Scalar]], direction: &[&'a [V::Scalar]]) -> Result<Self, ColumnsError> {
        Self::from_points(Points::columns(origin), Points::columns(direction))
    }

    /// Rays from their origins and directions in any layout of [`Points`], as `&[[f32; 3]]` or `&[Vec3]`.
    ///
    /// # Errors
    /// Columns, arrays or strides that do not fit the dimension; different numbers of origins and directions.
    pub fn from_points(
        origins: impl Into<Points<'a, V>>,
        directions: impl Into<Points<'a, V>>,
    ) -> Result<Self, ColumnsError> {
        let (origin, direction) = (origins.into(), directions.into());
        let len = equally_many([("origin", &origin), ("direction", &direction)])?;
        Ok(Self {
            origin,
            target: Target::Direction(direction),
            len,
            t_min: None,
            t_max: None,
            layers: None,
            max_distance: None,
        })
    }

    /// Segments from their ends `a` and `b` in any layout of [`Points`]. Their answers are those of [`Segment`].
    ///
    /// # Errors
    /// Columns, arrays or strides that do not fit the dimension; different numbers of ends.
    pub fn segments(a: impl Into<Points<'a, V>>, b: impl Into<Points<'a, V>>) -> Result<Self, ColumnsError> {
        let (origin, end) = (a.into(), b.into());
        let len = equally_many([("a", &origin), ("b", &end)])?;
        Ok(Self { origin, target: Target::End(end), len, t_min: None, t_max: None, layers: None, max_distance: None })
    }

    /// Gives each ray its smallest `t` that counts.
    ///
    /// # Errors
    /// Another number of rows than rays.
    pub fn with_t_min(self, t_min: &'a [V::Scalar]) -> Result<Self, ColumnsError> {
        Ok(Self { t_min: Some(self.one_each("t_min", t_min)?), ..self })
    }
    /// Gives each ray its largest `t` that counts.
    ///
    /// # Errors
    /// Another number of rows than rays.
    pub fn with_t_max(self, t_max: &'a [V::Scalar]) -> Result<Self, ColumnsError> {
        Ok(Self { t_max: Some(self.one_each("t_max", t_max)?), ..self })
    }
    /// Gives each ray a layer mask.
    ///
    /// # Errors
    /// Another number of rows than rays.
    pub fn with_layers(self, layers: &'a [u32]) -> Result<Self, ColumnsError> {
        Ok(Self { layers: Some(self.one_each("layers", layers)?), ..self })
    }
    /// Gives each ray the largest distance of a hit from its origin: see [`Query::within_distance`](crate::Query::within_distance).
    /// Infinite is no limit.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, RayCast, RayColumns, Sphere};
    /// let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?; // its surface is 4 away
    /// let directions = [Vec3::Z * 0.1; 3];
    /// let rays = RayColumns::<Vec3>::from_points(&[Vec3::ZERO; 3], &directions)?;
    /// let rays = rays.with_max_distance(&[3.9, 4.0, f32::INFINITY])?;
    /// assert_eq!(ball.intersects_columns(&rays, ..), [false, true, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Another number of rows than rays.
    pub fn with_max_distance(self, max_distance: &'a [V::Scalar]) -> Result<Self, ColumnsError> {
        Ok(Self { max_distance: Some(self.one_each("max_distance", max_distance)?), ..self })
    }
    fn one_each<T>(&self, what: &'static str, column: &'a [T]) -> Result<&'a [T], ColumnsError> {
        let (given, needed) = (column.len(), self.len);
        if given == needed { Ok(column) } else { Err(ColumnsError::Rows { what, given, needed }) }
    }

    /// The same rays, each up to the smaller one of its own end and of the one given, of which there are as many as rays.
    pub(crate) fn up_to<'b>(&self, t_max: &'b mut [V::Scalar]) -> RayColumns<'b, V>
    where
        'a: 'b,
    {
        for (end, own) in t_max.iter_mut().zip(self.t_max.unwrap_or_default()) {
            // A NaN stays: such a ray hits nothing.
            if *end < *own {
                continue;
            }
            *end = *own;
        }
        RayColumns { t_max: Some(t_max), ..*self }
    }

    /// The number of rays.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no rays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The ray in a row, without its range and layers. `None` if the columns are segments.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Ray<V>> {
        match &self.target {
            Target::Direction(direction) if row < self.len => Some(self.ray(direction, row)),
            _ => None,
        }
    }
    /// The segment in a row, without its range and layers. `None` if the columns are rays.
    #[must_use]
    pub fn segment(&self, row: usize) -> Option<Segment<V>> {
        match &self.target {
            Target::End(end) if row < self.len => Some(self.segment_to(end, row)),
            _ => None,
        }
    }
    /// A ray with the fields that all rays have in common.
    pub(crate) fn kind(&self) -> InputRay {
        match self.target {
            Target::Direction(_) => Ray::<V>::default().raw(),
            Target::End(_) => Segment::<V>::default().raw(),
        }
    }
    /// Whether rays have ranges of `t` of their own.
    pub(crate) fn has_ranges(&self) -> bool {
        self.t_min.is_some() || self.t_max.is_some()
    }
    /// Whether rays have layers of their own.
    pub(crate) fn has_layers(&self) -> bool {
        self.layers.is_some()
    }
    /// Whether rays have limits by a distance of their own.
    pub(crate) fn has_distances(&self) -> bool {
        self.max_distance.is_some()
    }
    /// The range of `t` of a row.
    #[inline]
    pub(crate) fn range(&self, row: usize) -> [f64; 2] {
        let end = |column: Option<&[V::Scalar]>, none: f64| column.map_or(none, |column| column[row].to_f64());
        [end(self.t_min, f64::NEG_INFINITY), end(self.t_max, f64::INFINITY)]
    }
    /// Writes the origins of these rays to rows of numbers.
    pub(crate) fn origin_rows(&self, rows: Range<usize>, out: &mut [BlockRow; 3]) {
        self.origin.write_rows(rows, out);
    }
    /// Writes the directions of these rays, or the second ends of segments, to rows of numbers.
    pub(crate) fn target_rows(&self, rows: Range<usize>, out: &mut [BlockRow; 3]) {
        let (Target::Direction(points) | Target::End(points)) = &self.target;
        points.write_rows(rows, out);
    }
    #[inline]
    fn ray(&self, direction: &Points<'_, V>, row: usize) -> Ray<V> {
        Ray::new(self.origin.get(row), direction.get(row))
    }
    #[inline]
    fn segment_to(&self, end: &Points<'_, V>, row: usize) -> Segment<V> {
        Segment::new(self.origin.get(row), end.get(row))
    }
    /// A ray or segment with the range, the layers and the distance of a row.
    fn limited<R>(&self, ray: R, row: usize, distance: V::Scalar) -> LimitedRay
    where
        Ranged<V, R>: RayLike<V>,
    {
        self.ranged(ray, row).limit().within::<V::Scalar>(distance.to_f64())
    }
    /// A ray or segment with the range and layers of a row.
    #[inline]
    fn ranged<R>(&self, ray: R, row: usize) -> Ranged<V, R> {
        Ranged {
            ray,
            t_min: self.t_min.map_or(-V::Scalar::INFINITY, |column| column[row]),
            t_max: self.t_max.map_or(V::Scalar::INFINITY, |column| column[row]),
            layers: self.layers.map_or(u32::MAX, |column| column[row]),
        }
    }
}

/// The number of points in each of two lists.
fn equally_many<V: Vector>(
    [(first, points), (what, others)]: [(&'static str, &Points<'_, V>); 2],
) -> Result<usize, ColumnsError> {
    let (needed, given) = (points.check(first)?, others.check(what)?);
    if given == needed { Ok(needed) } else { Err(ColumnsError::Length { what, axis: 0, given, needed }) }
}

/// Rays of [`RayColumns`] as structures, in memory that serves chunk after chunk.
#[derive(Default)]
pub(crate) struct RayBuffer<V: Vector> {
    rays: Vec<Ray<V>>,
    segments: Vec<Segment<V>>,
    ranged_rays: Vec<RangedRay<V>>,
    ranged_segments: Vec<RangedSegment<V>>,
    limited: Vec<LimitedRay>,
}

impl<V: Vector> RayBuffer<V> {
    /// The rays in these rows.
    pub(crate) fn load(&mut self, columns: &RayColumns<'_, V>, rows: impl Iterator<Item = usize>) -> RaySlice<'_, V> {
        let RayColumns { t_min, t_max, layers, target, max_distance, .. } = columns;
        let is_ranged = t_min.is_some() || t_max.is_some() || layers.is_some();
        if let Some(distance) = max_distance {
            let limited = |row| match target {
                Target::Direction(to) => columns.limited(columns.ray(to, row), row, distance[row]),
                Target::End(to) => columns.limited(columns.segment_to(to, row), row, distance[row]),
            };
            return RaySlice::Limited(refill(&mut self.limited, rows.map(limited)));
        }
        match target {
            Target::Direction(to) if is_ranged => {
                let ray = |row| columns.ranged(columns.ray(to, row), row);
                RaySlice::RangedRays(refill(&mut self.ranged_rays, rows.map(ray)))
            }
            Target::End(to) if is_ranged => {
                let segment = |row| columns.ranged(columns.segment_to(to, row), row);
                RaySlice::RangedSegments(refill(&mut self.ranged_segments, rows.map(segment)))
            }
            Target::Direction(to) => RaySlice::Rays(refill(&mut self.rays, rows.map(|row| columns.ray(to, row)))),
            Target::End(to) => {
                RaySlice::Segments(refill(&mut self.segments, rows.map(|row| columns.segment_to(to, row))))
            }
        }
    }
}

fn refill<T>(buffer: &mut Vec<T>, items: impl Iterator<Item = T>) -> &[T] {
    buffer.clear();
    buffer.extend(items);
    buffer
}

/// The reason why columns are not rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// There are too few or too many columns.
    Count {
        /// `origin` or `direction`, of segments `a` or `b`.
        what: &'static str,
        /// The number of columns given.
        given: usize,
        /// The number of columns needed: 2 in the plane, 3 in space.
        needed: usize,
    },
    /// A column does not have the length of the first one.
    Length {
        /// `origin` or `direction`, of segments `a` or `b`.
        what: &'static str,
        /// The column: 0 for x.
        axis: usize,
        /// Its length.
        given: usize,
        /// The length of the first column.
        needed: usize,
    },
    /// A stride is shorter than a point.
    Stride {
        /// `origin` or `direction`, of segments `a` or `b`.
        what: &'static str,
        /// The stride.
        given: usize,
        /// The numbers of a point: 2 in the plane, 3 in space.
        needed: usize,
    },
    /// A slice of points with a stride ends within a point.
    Partial {
        /// `origin` or `direction`, of segments `a` or `b`.
        what: &'static str,
        /// The length of the slice.
        given: usize,
        /// The length at which the last point is complete.
        needed: usize,
    },
    /// A column of ranges or layers has not one row per ray.
    Rows {
        /// `t_min`, `t_max`, `layers` or `max_distance`.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The number of rays.
        needed: usize,
    },
}

impl fmt::Display for ColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { what, given, needed } => write!(f, "{what}: {given} columns, {needed} are needed"),
            Self::Length { what, axis, given, needed } => {
                let axis = ['x', 'y', 'z'][*axis % 3];
                write!(f, "{what} {axis}: {given} rows, but the first column has {needed}: give all columns one length")
            }
            Self::Stride { what, given, needed } => {
                write!(f, "{what}: a stride of {given}, but a point has {needed} numbers: give at least that stride")
            }
            Self::Partial { what, given, needed } => {
                write!(f, "{what}: the last of {given} numbers lie within a point: give {needed}, or leave them out")
            }
            Self::Rows { what, given, needed } => {
                write!(f, "{what}: {given} rows for {needed} rays: give one row per ray")
            }
        }
    }
}

impl core::error::Error for ColumnsError {}
