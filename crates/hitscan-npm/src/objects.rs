//! Objects that handles name: meshes, and the buffers that JavaScript fills and reads.

use crate::code::{Code, Failure, plain};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Hit, Real, Side, TriangleMesh, Vector};

/// Rays of a batch, in columns.
pub(crate) struct RayBuffer<V: Vector> {
    pub(crate) origins: Vec<V>,
    pub(crate) directions: Vec<V>,
    pub(crate) t_min: Vec<V::Scalar>,
    pub(crate) t_max: Vec<V::Scalar>,
}

/// Results of a batch, in columns.
pub(crate) struct HitBuffer<V: Vector> {
    t: Vec<V::Scalar>,
    distance: Vec<V::Scalar>,
    point: Vec<V>,
    normal: Vec<V>,
    uv: Vec<[V::Scalar; 2]>,
    triangle: Vec<i32>,
    front: Vec<u8>,
}

/// An object in one precision.
pub(crate) enum Kind<V: Vector> {
    Vertices(Vec<V>),
    Mesh(Box<TriangleMesh<V>>),
    Rays(Box<RayBuffer<V>>),
    Hits(Box<HitBuffer<V>>),
}

/// An object of the module.
pub(crate) enum Object {
    Single(Kind<Vec3>),
    Double(Kind<DVec3>),
    Triangles(Vec<[u32; 3]>),
    Bytes(Vec<u8>),
}

/// A precision of the module.
pub(crate) trait Space: hitscan::Vector3 {
    fn object(kind: Kind<Self>) -> Object;
    fn kind(object: &Object) -> Option<&Kind<Self>>;
    fn kind_mut(object: &mut Object) -> Option<&mut Kind<Self>>;
    /// The vector nearest to these coordinates.
    fn nearest(xyz: [f64; 3]) -> Self {
        Self::from_xyz(xyz.map(Self::Scalar::from_f64))
    }
}

impl Space for Vec3 {
    fn object(kind: Kind<Self>) -> Object {
        Object::Single(kind)
    }
    fn kind(object: &Object) -> Option<&Kind<Self>> {
        if let Object::Single(kind) = object { Some(kind) } else { None }
    }
    fn kind_mut(object: &mut Object) -> Option<&mut Kind<Self>> {
        if let Object::Single(kind) = object { Some(kind) } else { None }
    }
}

impl Space for DVec3 {
    fn object(kind: Kind<Self>) -> Object {
        Object::Double(kind)
    }
    fn kind(object: &Object) -> Option<&Kind<Self>> {
        if let Object::Double(kind) = object { Some(kind) } else { None }
    }
    fn kind_mut(object: &mut Object) -> Option<&mut Kind<Self>> {
        if let Object::Double(kind) = object { Some(kind) } else { None }
    }
}

/// A column of equal values; an error if the memory does not suffice.
pub(crate) fn column<T: Clone>(count: usize, value: T) -> Result<Vec<T>, Failure> {
    let mut column = Vec::new();
    column.try_reserve_exact(count).map_err(|_| plain(Code::Memory))?;
    column.resize(count, value);
    Ok(column)
}

impl<V: Vector> RayBuffer<V> {
    pub(crate) fn new(count: usize) -> Result<Self, Failure> {
        let (zero, most) = (V::Scalar::ZERO, V::Scalar::INFINITY);
        let (origins, directions) = (column(count, V::splat(zero))?, column(count, V::splat(zero))?);
        Ok(Self { origins, directions, t_min: column(count, zero)?, t_max: column(count, most)? })
    }

    /// Address of a column; 0 for one that is not there.
    pub(crate) fn address(&mut self, column: u32) -> usize {
        match column {
            0 => self.origins.as_mut_ptr() as usize,
            1 => self.directions.as_mut_ptr() as usize,
            2 => self.t_min.as_mut_ptr() as usize,
            3 => self.t_max.as_mut_ptr() as usize,
            _ => 0,
        }
    }
}

impl<V: Vector> HitBuffer<V> {
    pub(crate) fn new(count: usize) -> Result<Self, Failure> {
        let zero = V::Scalar::ZERO;
        Ok(Self {
            t: column(count, V::Scalar::INFINITY)?,
            distance: column(count, V::Scalar::INFINITY)?,
            point: column(count, V::splat(zero))?,
            normal: column(count, V::splat(zero))?,
            uv: column(count, [zero; 2])?,
            triangle: column(count, -1)?,
            front: column(count, 0)?,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.t.len()
    }

    /// Address of a column; 0 for one that is not there.
    pub(crate) fn address(&mut self, column: u32) -> usize {
        match column {
            0 => self.t.as_mut_ptr() as usize,
            1 => self.distance.as_mut_ptr() as usize,
            2 => self.point.as_mut_ptr() as usize,
            3 => self.normal.as_mut_ptr() as usize,
            4 => self.uv.as_mut_ptr() as usize,
            5 => self.triangle.as_mut_ptr() as usize,
            6 => self.front.as_mut_ptr() as usize,
            _ => 0,
        }
    }

    /// Writes a hit, or a miss: infinite `t` and distance, triangle -1, and zeros.
    pub(crate) fn write(&mut self, at: usize, hit: Option<&Hit<V>>) {
        let (zero, infinite) = (V::Scalar::ZERO, V::Scalar::INFINITY);
        let none = ((infinite, infinite), V::splat(zero), V::splat(zero), [zero; 2], -1, 0);
        let ((t, distance), point, normal, uv, triangle, front) = hit.map_or(none, |hit| {
            let triangle = hit.primitive.map_or(-1, u32::cast_signed);
            ((hit.t, hit.distance), hit.point, hit.normal, hit.uv.unwrap_or_default(), triangle, is_front(hit))
        });
        self.t[at] = t;
        self.distance[at] = distance;
        self.point[at] = point;
        self.normal[at] = normal;
        self.uv[at] = uv;
        self.triangle[at] = triangle;
        self.front[at] = front;
    }
}

/// 1 for a hit of the front.
pub(crate) fn is_front<V: Vector>(hit: &Hit<V>) -> u8 {
    u8::from(hit.side == Side::Front)
}
