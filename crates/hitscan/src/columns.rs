//! Rays and hits as columns: one slice per coordinate, as tables, numerical arrays and other languages store them.

use crate::hit::{Hit, ObjectId, Side};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::ray::Ray;
use crate::simd::huge_pages::in_huge_pages_from;
use alloc::vec::Vec;
use core::fmt;

/// Rays as columns, borrowed: x, y, z of the origins and of the directions, all of one length. In the plane there is no z.
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
#[derive(Clone, Copy, Debug)]
pub struct RayColumns<'a, V: Vector> {
    origin: [&'a [V::Scalar]; 3],
    direction: [&'a [V::Scalar]; 3],
    len: usize,
    /// The number of scalars from one ray to the next.
    stride: usize,
}

impl<'a, V: Vector> RayColumns<'a, V> {
    /// Rays from two columns each in the plane, three columns each in space.
    ///
    /// # Errors
    /// Another number of columns; columns of different lengths.
    pub fn new(origin: &[&'a [V::Scalar]], direction: &[&'a [V::Scalar]]) -> Result<Self, ColumnsError> {
        let len = origin.first().map_or(0, |column| column.len());
        let three = |what, given: &[&'a [V::Scalar]]| {
            if given.len() != V::DIM {
                return Err(ColumnsError::Count { what, given: given.len(), needed: V::DIM });
            }
            if let Some(axis) = given.iter().position(|column| column.len() != len) {
                return Err(ColumnsError::Length { what, axis, given: given[axis].len(), needed: len });
            }
            Ok([0, 1, 2].map(|axis| given.get(axis).copied().unwrap_or(&[])))
        };
        Ok(Self { origin: three("origin", origin)?, direction: three("direction", direction)?, len, stride: 1 })
    }

    /// Rays from arrays of points and directions, as `&[[f32; 3]]`. Nothing is copied.
    ///
    /// # Errors
    /// Arrays of another length than the dimension; different numbers of origins and directions.
    pub fn from_points<const N: usize>(
        origins: &'a [[V::Scalar; N]],
        directions: &'a [[V::Scalar; N]],
    ) -> Result<Self, ColumnsError> {
        let (len, given) = (origins.len(), directions.len());
        if N != V::DIM {
            return Err(ColumnsError::Count { what: "origin", given: N, needed: V::DIM });
        }
        if given != len {
            return Err(ColumnsError::Length { what: "direction", axis: 0, given, needed: len });
        }
        let axes =
            |points: &'a [[V::Scalar; N]]| [0, 1, 2].map(|axis| points.as_flattened().get(axis..).unwrap_or(&[]));
        Ok(Self { origin: axes(origins), direction: axes(directions), len, stride: N })
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
    /// The ray in a row, if there is one.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Ray<V>> {
        (row < self.len).then(|| self.ray(row))
    }
    #[inline]
    pub(crate) fn ray(&self, row: usize) -> Ray<V> {
        let at = row * self.stride;
        Ray::new(vector(self.origin, at), vector(self.direction, at))
    }
}

#[inline]
fn vector<V: Vector>([x, y, z]: [&[V::Scalar]; 3], at: usize) -> V {
    V::from_xyz([x[at], y[at], if V::DIM == 2 { V::Scalar::ZERO } else { z[at] }])
}

/// The closest hits of a batch of rays as columns, with one row per ray.
///
/// Masks (validity columns) say which rows have a value: [`is_hit`](Self::is_hit) for every column, and besides
/// [`has_uv`](Self::has_uv), [`has_primitive`](Self::has_primitive), [`has_object`](Self::has_object) and
/// [`has_member`](Self::has_member). A value that its mask
/// excludes has no meaning. [`get`](Self::get), [`primitive`](Self::primitive) and [`object`](Self::object) apply the masks.
#[derive(Clone, Debug, PartialEq)]
pub struct HitColumns<V: Vector> {
    is_hit: Vec<bool>,
    t: Vec<V::Scalar>,
    distance: Vec<V::Scalar>,
    point: [Vec<V::Scalar>; 3],
    normal: [Vec<V::Scalar>; 3],
    is_front: Vec<bool>,
    has_uv: Vec<bool>,
    uv: [Vec<V::Scalar>; 2],
    has_primitive: Vec<bool>,
    primitive: Vec<u32>,
    has_object: Vec<bool>,
    object: Vec<u32>,
    has_member: Vec<bool>,
    member: Vec<u32>,
    generation: Vec<u32>,
    is_trigger: Vec<bool>,
}

impl<V: Vector> HitColumns<V> {
    /// Columns of misses, which [`HitRows::write`] overwrites.
    pub(crate) fn new(rows: usize) -> Self {
        let numbers = || in_huge_pages_from(V::Scalar::ZERO, rows);
        let vectors = || [numbers(), numbers(), if V::DIM == 2 { Vec::new() } else { numbers() }];
        let mask = || in_huge_pages_from(false, rows);
        let indices = || in_huge_pages_from(0, rows);
        Self {
            is_hit: mask(),
            t: numbers(),
            distance: numbers(),
            point: vectors(),
            normal: vectors(),
            is_front: mask(),
            has_uv: mask(),
            uv: [numbers(), numbers()],
            has_primitive: mask(),
            primitive: indices(),
            has_object: mask(),
            object: indices(),
            has_member: mask(),
            member: indices(),
            generation: indices(),
            is_trigger: mask(),
        }
    }

    /// All rows, for writing.
    pub(crate) fn rows(&mut self) -> HitRows<'_, V> {
        HitRows {
            is_hit: &mut self.is_hit,
            t: &mut self.t,
            distance: &mut self.distance,
            point: self.point.each_mut().map(|column| &mut column[..]),
            normal: self.normal.each_mut().map(|column| &mut column[..]),
            is_front: &mut self.is_front,
            has_uv: &mut self.has_uv,
            uv: self.uv.each_mut().map(|column| &mut column[..]),
            has_primitive: &mut self.has_primitive,
            primitive: &mut self.primitive,
            has_object: &mut self.has_object,
            object: &mut self.object,
            has_member: &mut self.has_member,
            member: &mut self.member,
            generation: &mut self.generation,
            is_trigger: &mut self.is_trigger,
        }
    }

    /// The number of rows: one per ray.
    #[must_use]
    pub fn len(&self) -> usize {
        self.is_hit.len()
    }
    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_hit.is_empty()
    }
    /// The number of rays that hit something.
    #[must_use]
    pub fn count_hits(&self) -> usize {
        self.is_hit.iter().filter(|hit| **hit).count()
    }

    /// The hit in a row, equal to the result of [`cast_ray`](crate::RayCast::cast_ray). `None` for a miss and beyond the rows.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Hit<V>> {
        if !*self.is_hit.get(row)? {
            return None;
        }
        let columns = |columns: &[Vec<V::Scalar>; 3]| vector(columns.each_ref().map(|column| &column[..]), row);
        Some(Hit {
            t: self.t[row],
            distance: self.distance[row],
            point: columns(&self.point),
            normal: columns(&self.normal),
            side: if self.is_front[row] { Side::Front } else { Side::Back },
            uv: self.has_uv[row].then(|| self.uv.each_ref().map(|column| column[row])),
            primitive: self.primitive(row),
            object: self.object(row),
            member: self.member(row),
            is_trigger: self.is_trigger[row],
        })
    }
    /// The number of the triangle in a row: see [`Hit::primitive`].
    #[must_use]
    pub fn primitive(&self, row: usize) -> Option<u32> {
        self.has_primitive.get(row)?.then(|| self.primitive[row])
    }
    /// The number of the shape within a group in a row: see [`Hit::member`].
    #[must_use]
    pub fn member(&self, row: usize) -> Option<u32> {
        self.has_member.get(row)?.then(|| self.member[row])
    }
    /// The object of the scene in a row: see [`Hit::object`].
    #[must_use]
    pub fn object(&self, row: usize) -> Option<ObjectId> {
        self.has_object.get(row)?.then(|| ObjectId::new(self.object[row], self.generation[row]))
    }

    /// The mask of the rays that hit something.
    #[must_use]
    pub fn is_hit(&self) -> &[bool] {
        &self.is_hit
    }
    /// The ray parameters. A miss holds infinity here, the one sentinel, which only keeps a minimum over columns right; the
    /// answer is the mask [`is_hit`](Self::is_hit).
    #[must_use]
    pub fn t(&self) -> &[V::Scalar] {
        &self.t
    }
    /// The distances from the origins.
    #[must_use]
    pub fn distance(&self) -> &[V::Scalar] {
        &self.distance
    }
    /// The hit points: x, y, z. In the plane, z is empty.
    #[must_use]
    pub fn point(&self) -> [&[V::Scalar]; 3] {
        self.point.each_ref().map(|column| &column[..])
    }
    /// The surface normals: x, y, z. In the plane, z is empty.
    #[must_use]
    pub fn normal(&self) -> [&[V::Scalar]; 3] {
        self.normal.each_ref().map(|column| &column[..])
    }
    /// Whether the side is [`Side::Front`].
    #[must_use]
    pub fn is_front(&self) -> &[bool] {
        &self.is_front
    }
    /// Whether the object is a trigger: see [`Hit::is_trigger`].
    #[must_use]
    pub fn is_trigger(&self) -> &[bool] {
        &self.is_trigger
    }
    /// The mask of [`uv_values`](Self::uv_values).
    #[must_use]
    pub fn has_uv(&self) -> &[bool] {
        &self.has_uv
    }
    /// The barycentric weights u and v (see [`Hit::uv`]), where [`has_uv`](Self::has_uv) is true.
    #[must_use]
    pub fn uv_values(&self) -> [&[V::Scalar]; 2] {
        self.uv.each_ref().map(|column| &column[..])
    }
    /// The mask of [`primitive_values`](Self::primitive_values).
    #[must_use]
    pub fn has_primitive(&self) -> &[bool] {
        &self.has_primitive
    }
    /// The numbers of the triangles, where [`has_primitive`](Self::has_primitive) is true.
    #[must_use]
    pub fn primitive_values(&self) -> &[u32] {
        &self.primitive
    }
    /// The mask of [`object_values`](Self::object_values).
    #[must_use]
    pub fn has_object(&self) -> &[bool] {
        &self.has_object
    }
    /// The rows of the objects (see [`ObjectId::index`]), where [`has_object`](Self::has_object) is true.
    #[must_use]
    pub fn object_values(&self) -> &[u32] {
        &self.object
    }
    /// The mask of [`member_values`](Self::member_values).
    #[must_use]
    pub fn has_member(&self) -> &[bool] {
        &self.has_member
    }
    /// The numbers of the shapes within groups, where [`has_member`](Self::has_member) is true.
    #[must_use]
    pub fn member_values(&self) -> &[u32] {
        &self.member
    }
}

/// Rows of [`HitColumns`] that a thread writes.
pub(crate) struct HitRows<'a, V: Vector> {
    is_hit: &'a mut [bool],
    t: &'a mut [V::Scalar],
    distance: &'a mut [V::Scalar],
    point: [&'a mut [V::Scalar]; 3],
    normal: [&'a mut [V::Scalar]; 3],
    is_front: &'a mut [bool],
    has_uv: &'a mut [bool],
    uv: [&'a mut [V::Scalar]; 2],
    has_primitive: &'a mut [bool],
    primitive: &'a mut [u32],
    has_object: &'a mut [bool],
    object: &'a mut [u32],
    has_member: &'a mut [bool],
    member: &'a mut [u32],
    generation: &'a mut [u32],
    is_trigger: &'a mut [bool],
}

/// Rows that stay in the cache while they are written twice.
const CACHED_ROWS: usize = 128;

impl<V: Vector> HitRows<'_, V> {
    pub(crate) fn len(&self) -> usize {
        self.t.len()
    }

    /// Splits off the first rows, at most `most`.
    pub(crate) fn split_off(&mut self, most: usize) -> Self {
        Self {
            is_hit: first(&mut self.is_hit, most),
            t: first(&mut self.t, most),
            distance: first(&mut self.distance, most),
            point: self.point.each_mut().map(|column| first(column, most)),
            normal: self.normal.each_mut().map(|column| first(column, most)),
            is_front: first(&mut self.is_front, most),
            has_uv: first(&mut self.has_uv, most),
            uv: self.uv.each_mut().map(|column| first(column, most)),
            has_primitive: first(&mut self.has_primitive, most),
            primitive: first(&mut self.primitive, most),
            has_object: first(&mut self.has_object, most),
            object: first(&mut self.object, most),
            has_member: first(&mut self.has_member, most),
            member: first(&mut self.member, most),
            generation: first(&mut self.generation, most),
            is_trigger: first(&mut self.is_trigger, most),
        }
    }

    /// Writes one hit per row. No row may have been written before.
    pub(crate) fn write(mut self, hits: &[Option<Hit<V>>]) {
        for hits in hits.chunks(CACHED_ROWS) {
            self.split_off(hits.len()).write_cached(hits);
        }
    }

    #[inline(always)]
    fn write_cached(self, hits: &[Option<Hit<V>>]) {
        let Self { is_hit, t, distance, point, normal, is_front, has_uv, uv: [u, v], .. } = self;
        let Self { has_primitive, primitive, has_object, object, generation, has_member, member, is_trigger, .. } =
            self;
        // All other columns are zero or false already.
        t.fill(V::Scalar::INFINITY);
        for (row, hit) in hits.iter().enumerate() {
            // One branch for all columns: it is unpredictable.
            let Some(hit) = hit else { continue };
            is_hit[row] = true;
            (t[row], distance[row]) = (hit.t, hit.distance);
            let (at, facing) = (hit.point.to_xyz(), hit.normal.to_xyz());
            for axis in 0..V::DIM {
                (point[axis][row], normal[axis][row]) = (at[axis], facing[axis]);
            }
            is_front[row] = hit.side == Side::Front;
            is_trigger[row] = hit.is_trigger;
            if let Some(weights) = hit.uv {
                has_uv[row] = true;
                [u[row], v[row]] = weights;
            }
            (has_primitive[row], primitive[row]) = (hit.primitive.is_some(), hit.primitive.unwrap_or(0));
            if let Some(id) = hit.object {
                (has_object[row], object[row], generation[row]) = (true, id.slot(), id.generation());
            }
            if let Some(number) = hit.member {
                (has_member[row], member[row]) = (true, number);
            }
        }
    }
}

/// Splits off the first elements of a slice.
fn first<'a, T>(slice: &mut &'a mut [T], most: usize) -> &'a mut [T] {
    let all = core::mem::take(slice);
    let (first, rest) = all.split_at_mut(most.min(all.len()));
    *slice = rest;
    first
}

/// The reason why columns are not rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// There are too few or too many columns.
    Count {
        /// `origin` or `direction`.
        what: &'static str,
        /// The number of columns given.
        given: usize,
        /// The number of columns needed: 2 in the plane, 3 in space.
        needed: usize,
    },
    /// A column does not have the length of the first one.
    Length {
        /// `origin` or `direction`.
        what: &'static str,
        /// The column: 0 for x.
        axis: usize,
        /// Its length.
        given: usize,
        /// The length of origin x.
        needed: usize,
    },
}

impl fmt::Display for ColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { what, given, needed } => write!(f, "{what}: {given} columns, {needed} are needed"),
            Self::Length { what, axis, given, needed } => {
                let axis = ['x', 'y', 'z'][*axis % 3];
                write!(f, "{what} {axis}: {given} rows, but origin x has {needed}: all columns must be equally long")
            }
        }
    }
}

impl core::error::Error for ColumnsError {}
