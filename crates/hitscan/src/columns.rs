//! Rays and hits as columns, one slice per coordinate: what tables, numerical arrays and other languages have.

use crate::hit::{Hit, ShapeId, Side};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::ray::Ray;
use crate::simd::huge_pages::in_large_pages_from;
use alloc::vec::Vec;
use core::fmt;

/// Rays as columns (a structure of arrays): x, y, z of the origins and of the directions, all equally long. In the plane
/// there is no z.
#[derive(Clone, Copy, Debug)]
pub struct RayColumns<'a, V: Vector> {
    origin: [&'a [V::Scalar]; 3],
    direction: [&'a [V::Scalar]; 3],
}

impl<'a, V: Vector> RayColumns<'a, V> {
    /// From two columns each in the plane, three in space.
    ///
    /// # Errors
    /// Other numbers of columns; columns that are not equally long.
    pub fn new(origin: &[&'a [V::Scalar]], direction: &[&'a [V::Scalar]]) -> Result<Self, ColumnsError> {
        let rows = origin.first().map_or(0, |column| column.len());
        let three = |what, given: &[&'a [V::Scalar]]| {
            if given.len() != V::DIM {
                return Err(ColumnsError::Count { what, given: given.len(), needed: V::DIM });
            }
            if let Some(axis) = given.iter().position(|column| column.len() != rows) {
                return Err(ColumnsError::Length { what, axis, given: given[axis].len(), needed: rows });
            }
            Ok([0, 1, 2].map(|axis| given.get(axis).copied().unwrap_or(&[])))
        };
        Ok(Self { origin: three("origin", origin)?, direction: three("direction", direction)? })
    }
    /// How many rays there are.
    pub fn len(&self) -> usize {
        self.origin[0].len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One of them.
    pub fn get(&self, row: usize) -> Option<Ray<V>> {
        (row < self.len()).then(|| self.ray(row))
    }
    #[inline]
    pub(crate) fn ray(&self, row: usize) -> Ray<V> {
        Ray::new(vector(self.origin, row), vector(self.direction, row))
    }
}

#[inline]
fn vector<V: Vector>([x, y, z]: [&[V::Scalar]; 3], row: usize) -> V {
    V::from_xyz([x[row], y[row], if V::DIM == 2 { V::Scalar::ZERO } else { z[row] }])
}

/// Stands for no triangle, no shape or no instance in a column of numbers.
pub const NONE: u32 = u32::MAX;

/// The first hit of each ray as columns, all of them as long as there are rays.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HitColumns<V: Vector> {
    /// The rays' parameters; infinite where nothing is hit, and then the other columns mean nothing.
    pub t: Vec<V::Scalar>,
    /// The distances travelled.
    pub distance: Vec<V::Scalar>,
    /// x, y, z of the points; in the plane without z.
    pub point: [Vec<V::Scalar>; 3],
    /// x, y, z of the normals, of length 1.
    pub normal: [Vec<V::Scalar>; 3],
    /// Whether the side is [`Side::Front`].
    pub front: Vec<bool>,
    /// See [`Hit::uv`]; NaN where there is none.
    pub uv: [Vec<V::Scalar>; 2],
    /// The triangles of a mesh, or [`NONE`].
    pub primitive: Vec<u32>,
    /// The shapes of a scene, or [`NONE`].
    pub shape: Vec<u32>,
    /// The instances of a scene, or [`NONE`].
    pub instance: Vec<u32>,
}

impl<V: Vector> HitColumns<V> {
    /// Of so many rays; what [`HitRows::write`] has not written yet means nothing.
    pub(crate) fn new(rows: usize) -> Self {
        let numbers = || in_large_pages_from(V::Scalar::ZERO, rows);
        let vectors = || [numbers(), numbers(), if V::DIM == 2 { Vec::new() } else { numbers() }];
        let whole = || in_large_pages_from(0, rows);
        Self {
            t: numbers(),
            distance: numbers(),
            point: vectors(),
            normal: vectors(),
            front: in_large_pages_from(false, rows),
            uv: [numbers(), numbers()],
            primitive: whole(),
            shape: whole(),
            instance: whole(),
        }
    }

    /// All of them.
    pub(crate) fn rows(&mut self) -> HitRows<'_, V> {
        HitRows {
            t: &mut self.t,
            distance: &mut self.distance,
            point: self.point.each_mut().map(|column| &mut column[..]),
            normal: self.normal.each_mut().map(|column| &mut column[..]),
            front: &mut self.front,
            uv: self.uv.each_mut().map(|column| &mut column[..]),
            primitive: &mut self.primitive,
            shape: &mut self.shape,
            instance: &mut self.instance,
        }
    }

    /// How many rays were cast.
    pub fn len(&self) -> usize {
        self.t.len()
    }
    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }
    /// How many of them hit something.
    pub fn count_hits(&self) -> usize {
        self.t.iter().filter(|t| t.is_finite()).count()
    }
    /// The hit of one ray, as [`cast_ray`](crate::Shape::cast_ray) gives it.
    pub fn get(&self, row: usize) -> Option<Hit<V>> {
        let t = self.t.get(row).copied().filter(|t| t.is_finite())?;
        let some = |number: u32| (number != NONE).then_some(number);
        let columns = |columns: &[Vec<V::Scalar>; 3]| vector(columns.each_ref().map(|column| &column[..]), row);
        let uv = self.uv.each_ref().map(|column| column[row]);
        Some(Hit {
            t,
            distance: self.distance[row],
            point: columns(&self.point),
            normal: columns(&self.normal),
            side: if self.front[row] { Side::Front } else { Side::Back },
            uv: (!uv[0].to_f64().is_nan()).then_some(uv),
            primitive: some(self.primitive[row]),
            shape: some(self.shape[row]).map(ShapeId),
            instance: some(self.instance[row]),
        })
    }
}

/// Some rows of [`HitColumns`], to be written.
pub(crate) struct HitRows<'a, V: Vector> {
    t: &'a mut [V::Scalar],
    distance: &'a mut [V::Scalar],
    point: [&'a mut [V::Scalar]; 3],
    normal: [&'a mut [V::Scalar]; 3],
    front: &'a mut [bool],
    uv: [&'a mut [V::Scalar]; 2],
    primitive: &'a mut [u32],
    shape: &'a mut [u32],
    instance: &'a mut [u32],
}

/// Rows that stay near the processor while they are written twice.
const NEAR: usize = 128;

impl<V: Vector> HitRows<'_, V> {
    pub(crate) fn len(&self) -> usize {
        self.t.len()
    }

    /// The first ones, up to `most`; the others are left.
    pub(crate) fn split_off(&mut self, most: usize) -> Self {
        Self {
            t: first(&mut self.t, most),
            distance: first(&mut self.distance, most),
            point: self.point.each_mut().map(|column| first(column, most)),
            normal: self.normal.each_mut().map(|column| first(column, most)),
            front: first(&mut self.front, most),
            uv: self.uv.each_mut().map(|column| first(column, most)),
            primitive: first(&mut self.primitive, most),
            shape: first(&mut self.shape, most),
            instance: first(&mut self.instance, most),
        }
    }

    /// As many as there are rows, which have not been written before.
    pub(crate) fn write(mut self, hits: &[Option<Hit<V>>]) {
        for hits in hits.chunks(NEAR) {
            self.split_off(hits.len()).write_near(hits);
        }
    }

    #[inline(always)]
    fn write_near(self, hits: &[Option<Hit<V>>]) {
        let Self { t, distance, point, normal, front, uv: [u, v], primitive, shape, instance } = self;
        // Numbers that are not written stay zero.
        t.fill(V::Scalar::INFINITY);
        [&mut *u, &mut *v].into_iter().for_each(|weights| weights.fill(V::Scalar::NAN));
        [&mut *primitive, &mut *shape, &mut *instance].into_iter().for_each(|numbers| numbers.fill(NONE));
        for (row, hit) in hits.iter().enumerate() {
            // One question for all columns: whether a ray hits cannot be guessed.
            let Some(hit) = hit else { continue };
            (t[row], distance[row]) = (hit.t, hit.distance);
            let (at, facing) = (hit.point.to_xyz(), hit.normal.to_xyz());
            for axis in 0..V::DIM {
                (point[axis][row], normal[axis][row]) = (at[axis], facing[axis]);
            }
            front[row] = hit.side == Side::Front;
            if let Some(weights) = hit.uv {
                [u[row], v[row]] = weights;
            }
            primitive[row] = hit.primitive.unwrap_or(NONE);
            shape[row] = hit.shape.map_or(NONE, |shape| shape.0);
            instance[row] = hit.instance.unwrap_or(NONE);
        }
    }
}

/// Splits a slice.
fn first<'a, T>(slice: &mut &'a mut [T], most: usize) -> &'a mut [T] {
    let all = core::mem::take(slice);
    let (first, rest) = all.split_at_mut(most.min(all.len()));
    *slice = rest;
    first
}

/// Why columns are no rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// There are too few columns, or too many.
    Count {
        /// `origin` or `direction`.
        what: &'static str,
        /// How many columns were given.
        given: usize,
        /// How many there must be: 2 in the plane, 3 in space.
        needed: usize,
    },
    /// A column is not as long as the first one.
    Length {
        /// `origin` or `direction`.
        what: &'static str,
        /// Which of its columns: 0 for x.
        axis: usize,
        /// Its length.
        given: usize,
        /// The length of the origins' x.
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
