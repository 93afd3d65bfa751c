//! Rays and hits as columns, one slice per coordinate: what tables, numerical arrays and other languages have.

use crate::math::{Real, Vector};
use crate::{Hit, Ray, ShapeId, Side};
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
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let numbers = || Vec::with_capacity(rows);
        let vectors = || [numbers(), numbers(), Vec::with_capacity(if V::DIM == 2 { 0 } else { rows })];
        let whole = || Vec::with_capacity(rows);
        Self {
            t: numbers(),
            distance: numbers(),
            point: vectors(),
            normal: vectors(),
            front: Vec::with_capacity(rows),
            uv: [numbers(), numbers()],
            primitive: whole(),
            shape: whole(),
            instance: whole(),
        }
    }

    pub(crate) fn push(&mut self, hit: Option<&Hit<V>>) {
        let or_zero = |number: fn(&Hit<V>) -> V::Scalar| hit.map_or(V::Scalar::ZERO, number);
        self.t.push(hit.map_or(V::Scalar::INFINITY, |hit| hit.t));
        self.distance.push(or_zero(|hit| hit.distance));
        let vectors = [hit.map(|hit| hit.point), hit.map(|hit| hit.normal)];
        for (columns, vector) in [&mut self.point, &mut self.normal].into_iter().zip(vectors) {
            let numbers = vector.map_or([V::Scalar::ZERO; 3], V::to_xyz);
            columns.iter_mut().zip(numbers).take(V::DIM).for_each(|(column, number)| column.push(number));
        }
        self.front.push(hit.is_some_and(|hit| hit.side == Side::Front));
        let uv = hit.and_then(|hit| hit.uv).unwrap_or([V::Scalar::NAN; 2]);
        self.uv.iter_mut().zip(uv).for_each(|(column, number)| column.push(number));
        self.primitive.push(hit.and_then(|hit| hit.primitive).unwrap_or(NONE));
        self.shape.push(hit.and_then(|hit| hit.shape).map_or(NONE, |shape| shape.0));
        self.instance.push(hit.and_then(|hit| hit.instance).unwrap_or(NONE));
    }

    #[cfg(feature = "rayon")]
    pub(crate) fn append(&mut self, mut more: Self) {
        self.t.append(&mut more.t);
        self.distance.append(&mut more.distance);
        self.point.iter_mut().zip(&mut more.point).for_each(|(column, more)| column.append(more));
        self.normal.iter_mut().zip(&mut more.normal).for_each(|(column, more)| column.append(more));
        self.front.append(&mut more.front);
        self.uv.iter_mut().zip(&mut more.uv).for_each(|(column, more)| column.append(more));
        self.primitive.append(&mut more.primitive);
        self.shape.append(&mut more.shape);
        self.instance.append(&mut more.instance);
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
