//! Instances: a shape under a transform.

use crate::scene::any::Space;
use crate::scene::transformed_shape::TransformedShape;
use crate::transform::Transform;

/// An instance: a shape under a transform, its exact image. Without a transform, all queries are those of the shape, bit for
/// bit.
///
/// ```
/// use hitscan::{glam::Vec3, Instance, Ray, RayCast, Sphere, Transform};
/// let twice_as_wide = Transform::identity().with_scale(Vec3::new(2.0, 1.0, 1.0))?;
/// let ellipsoid = Instance::new(Sphere::new(Vec3::ZERO, 1.0)?).with_transform(twice_as_wide);
/// let hit = ellipsoid.cast_ray(&Ray::new(Vec3::X * 5.0, -Vec3::X), ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.point), (3.0, Vec3::X * 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[repr(transparent)]
pub struct Instance<V: Space>(pub(crate) TransformedShape<V>);

impl<V: Space> Instance<V> {
    /// The instance of a shape, without a transform.
    #[must_use]
    pub fn new(shape: impl Into<V::Shape>) -> Self {
        Self(TransformedShape::new(shape.into()))
    }
    /// Sets the transform. The identity is no transform.
    #[must_use]
    pub fn with_transform(mut self, transform: Transform<V>) -> Self {
        self.0.set_transform(transform);
        self
    }
    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &V::Shape {
        &self.0.shape
    }
    /// The transform, if it is not the identity.
    #[must_use]
    pub fn transform(&self) -> Option<&Transform<V>> {
        self.0.transform()
    }
}
