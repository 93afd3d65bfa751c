//! Hits as columns: one slice per number, as tables, numerical arrays and other languages store them.

use crate::hit::{Hit, ObjectId, Side};
use crate::hit_rows::HitRows;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::simd::huge_pages::in_huge_pages_from;
use alloc::vec::Vec;
use core::fmt;
use core::ops::BitOr;

/// A choice of the columns of [`HitColumns`], joined by `|`. The mask of hits is always among them.
///
/// ```
/// use hitscan::Columns;
/// let columns = Columns::T | Columns::NORMAL;
/// assert!(columns.contains(Columns::T) && !columns.contains(Columns::POINT));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Columns(u16);

impl Columns {
    /// None but the mask of hits.
    pub const IS_HIT: Self = Self(0);
    /// The ray parameters.
    pub const T: Self = Self(1);
    /// The distances.
    pub const DISTANCE: Self = Self(1 << 1);
    /// The points.
    pub const POINT: Self = Self(1 << 2);
    /// The normals.
    pub const NORMAL: Self = Self(1 << 3);
    /// The sides.
    pub const SIDE: Self = Self(1 << 4);
    /// The barycentric weights and their mask.
    pub const UV: Self = Self(1 << 5);
    /// The numbers of triangles and their mask.
    pub const PRIMITIVE: Self = Self(1 << 6);
    /// The objects of a scene and their mask.
    pub const OBJECT: Self = Self(1 << 7);
    /// The members of a group and their mask.
    pub const MEMBER: Self = Self(1 << 8);
    /// All columns.
    pub const ALL: Self = Self((1 << 9) - 1);

    /// Whether these columns include the others.
    #[must_use]
    pub const fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

impl BitOr for Columns {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// By their names.
impl fmt::Debug for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["T", "DISTANCE", "POINT", "NORMAL", "SIDE", "UV", "PRIMITIVE", "OBJECT", "MEMBER"];
        write!(f, "IS_HIT")?;
        let chosen = names.iter().enumerate().filter(|(bit, _)| self.0 >> bit & 1 == 1);
        chosen.into_iter().try_for_each(|(_, name)| write!(f, " | {name}"))
    }
}

/// The closest hits of a batch of rays as columns, with one row per ray.
///
/// Masks (validity columns) say which rows have a value: [`is_hit`](Self::is_hit) for every column, and besides
/// [`has_uv`](Self::has_uv), [`has_primitive`](Self::has_primitive), [`has_object`](Self::has_object) and
/// [`has_member`](Self::has_member). A value that its mask
/// excludes has no meaning. [`get`](Self::get), [`primitive`](Self::primitive) and [`object`](Self::object) apply the masks.
///
/// [`cast_columns_into`](crate::RayCast::cast_columns_into) fills columns of your choice, again and again in the same memory.
/// The slices of columns left out are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct HitColumns<V: Vector> {
    columns: Columns,
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

/// All columns, without rows.
impl<V: Vector> Default for HitColumns<V> {
    fn default() -> Self {
        Self::new(Columns::ALL)
    }
}

impl<V: Vector> HitColumns<V> {
    /// These columns, without rows.
    #[must_use]
    pub fn new(columns: Columns) -> Self {
        Self {
            columns,
            is_hit: Vec::new(),
            t: Vec::new(),
            distance: Vec::new(),
            point: Default::default(),
            normal: Default::default(),
            is_front: Vec::new(),
            has_uv: Vec::new(),
            uv: Default::default(),
            has_primitive: Vec::new(),
            primitive: Vec::new(),
            has_object: Vec::new(),
            object: Vec::new(),
            has_member: Vec::new(),
            member: Vec::new(),
            generation: Vec::new(),
            is_trigger: Vec::new(),
        }
    }

    /// The columns chosen.
    #[must_use]
    pub fn columns(&self) -> Columns {
        self.columns
    }

    /// Changes the number of rows, which [`HitRows::write`] then overwrites. Rows within the capacity keep their memory.
    pub(crate) fn reset(&mut self, rows: usize) {
        if rows > self.is_hit.capacity() {
            *self = Self::new(self.columns);
        }
        self.resize(rows);
    }

    fn resize(&mut self, rows: usize) {
        let (columns, zero) = (self.columns, V::Scalar::ZERO);
        let rows_of = |column: Columns| if columns.contains(column) { rows } else { 0 };
        resize(&mut self.is_hit, rows, false);
        resize(&mut self.t, rows_of(Columns::T), zero);
        resize(&mut self.distance, rows_of(Columns::DISTANCE), zero);
        for axis in 0..V::DIM {
            resize(&mut self.point[axis], rows_of(Columns::POINT), zero);
            resize(&mut self.normal[axis], rows_of(Columns::NORMAL), zero);
        }
        resize(&mut self.is_front, rows_of(Columns::SIDE), false);
        resize(&mut self.has_uv, rows_of(Columns::UV), false);
        self.uv.iter_mut().for_each(|column| resize(column, rows_of(Columns::UV), zero));
        resize(&mut self.has_primitive, rows_of(Columns::PRIMITIVE), false);
        resize(&mut self.primitive, rows_of(Columns::PRIMITIVE), 0);
        resize(&mut self.has_object, rows_of(Columns::OBJECT), false);
        resize(&mut self.object, rows_of(Columns::OBJECT), 0);
        resize(&mut self.generation, rows_of(Columns::OBJECT), 0);
        resize(&mut self.is_trigger, rows_of(Columns::OBJECT), false);
        resize(&mut self.has_member, rows_of(Columns::MEMBER), false);
        resize(&mut self.member, rows_of(Columns::MEMBER), 0);
    }

    /// Adds one row per item. `hit` is its hit.
    pub(crate) fn append<T>(&mut self, items: &[T], hit: impl Fn(&T) -> Option<&Hit<V>> + Copy) {
        let before = self.len();
        self.resize(before + items.len());
        let mut rows = self.rows();
        rows.split_off(before);
        rows.write(items, hit);
    }

    /// Makes a row that of a hit or a miss.
    pub(crate) fn set(&mut self, row: usize, hit: Option<Hit<V>>) {
        let mut rows = self.rows();
        rows.split_off(row);
        rows.split_off(1).write(&[hit], Option::as_ref);
    }

    /// Copies these rows of other columns, which are the same columns of as many rays.
    pub(crate) fn copy_rows(&mut self, from: &Self, rows: &[usize]) {
        copy(&mut self.is_hit, &from.is_hit, rows);
        copy(&mut self.t, &from.t, rows);
        copy(&mut self.distance, &from.distance, rows);
        for axis in 0..V::DIM {
            copy(&mut self.point[axis], &from.point[axis], rows);
            copy(&mut self.normal[axis], &from.normal[axis], rows);
        }
        copy(&mut self.is_front, &from.is_front, rows);
        copy(&mut self.has_uv, &from.has_uv, rows);
        self.uv.iter_mut().zip(&from.uv).for_each(|(column, from)| copy(column, from, rows));
        copy(&mut self.has_primitive, &from.has_primitive, rows);
        copy(&mut self.primitive, &from.primitive, rows);
        copy(&mut self.has_object, &from.has_object, rows);
        copy(&mut self.object, &from.object, rows);
        copy(&mut self.generation, &from.generation, rows);
        copy(&mut self.is_trigger, &from.is_trigger, rows);
        copy(&mut self.has_member, &from.has_member, rows);
        copy(&mut self.member, &from.member, rows);
    }

    /// The mask of hits.
    pub(crate) fn into_is_hit(self) -> Vec<bool> {
        self.is_hit
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

    /// The hit in a row, equal to the result of [`cast_ray`](crate::RayCast::cast_ray). `None` for a miss, beyond the rows, and
    /// if a column is left out.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Hit<V>> {
        if self.columns != Columns::ALL || !*self.is_hit.get(row)? {
            return None;
        }
        let vector = |[x, y, z]: &[Vec<V::Scalar>; 3]| {
            V::from_xyz([x[row], y[row], if V::DIM == 2 { V::Scalar::ZERO } else { z[row] }])
        };
        Some(Hit {
            t: self.t[row],
            distance: self.distance[row],
            point: vector(&self.point),
            normal: vector(&self.normal),
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
    /// Whether the object is a trigger: see [`Hit::is_trigger`]. Chosen by [`Columns::OBJECT`].
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

/// Copies these rows of another column, unless the column is left out.
fn copy<T: Copy>(column: &mut [T], from: &[T], rows: &[usize]) {
    if !column.is_empty() {
        rows.iter().for_each(|&row| column[row] = from[row]);
    }
}

/// Changes the length of a column; a new one lies in huge pages.
fn resize<T: Clone>(column: &mut Vec<T>, rows: usize, zero: T) {
    if column.capacity() == 0 && rows > 0 {
        *column = in_huge_pages_from(zero, rows);
    } else {
        column.resize(rows, zero);
    }
}
