//! `Projection`: the point of a surface that is nearest to a given point.

use crate::closest_point::Feature;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;

/// The nearest point of a surface, unrounded.
#[derive(Clone, Copy, Debug)]
pub struct Projection<T> {
    pub(crate) point: Vec3<T>,
    pub(crate) distance: T,
    pub(crate) feature: Feature,
    /// Barycentric weights of the second and third vertex.
    pub(crate) uv: Option<[T; 2]>,
}

/// A shape onto whose surface points project. The folder `distance/` implements it.
pub trait Project {
    /// The nearest point of the surface. `point` is finite. Of several points that are equally near, the choice depends
    /// on the shape and `point` only.
    fn project<T: Arithmetic>(&self, point: Vec3<T>) -> Projection<T>;

    /// The nearest point of the image of the surface under any affine map.
    fn project_image<T: Arithmetic>(&self, point: Vec3<T>, map: &AffineMap<T>) -> Projection<T>;
}
