//! Filters of objects: which objects of a scene a query sees.

use crate::hit::ObjectId;
use crate::scene::any::Space;
use crate::scene::object::Object;

/// A filter of objects, the last type parameter of a [`FilteredScene`](crate::FilteredScene): a closure, [`AllObjects`], or two
/// filters [`Both`] of which must accept an object.
///
/// A function that takes any filtered scene is generic over the filter, or takes an [`impl RayCast`](crate::RayCast) or a
/// [`&dyn Shape`](crate::Shape):
///
/// ```
/// use hitscan::{glam::Vec3, FilteredScene, Object, ObjectFilter, Ray, RayCast, Scene, Sphere};
/// fn sees(world: &FilteredScene<'_, Vec3, impl ObjectFilter<Vec3>>, ray: &Ray<Vec3>) -> bool {
///     world.intersects_ray(ray, ..=10.0)
/// }
/// let mut scene = Scene::new();
/// let own = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert!(!sees(&scene.excluding([own]), &ray));
/// assert!(sees(&scene.filtered(|_id, object| object.layers() & 1 != 0), &ray));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ObjectFilter<V: Space>: Send + Sync {
    /// Whether a query sees the object.
    fn accepts(&self, id: ObjectId, object: &Object<V>) -> bool;
    /// Whether the filter accepts every object: then no query asks it.
    fn accepts_all(&self) -> bool {
        false
    }
}

impl<V: Space, F: Fn(ObjectId, &Object<V>) -> bool + Send + Sync> ObjectFilter<V> for F {
    fn accepts(&self, id: ObjectId, object: &Object<V>) -> bool {
        self(id, object)
    }
}

/// The filter that accepts every object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllObjects;

impl<V: Space> ObjectFilter<V> for AllObjects {
    fn accepts(&self, _id: ObjectId, _object: &Object<V>) -> bool {
        true
    }
    fn accepts_all(&self) -> bool {
        true
    }
}

/// The filter that accepts the objects that two filters accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Both<F, G>(pub(crate) F, pub(crate) G);

impl<V: Space, F: ObjectFilter<V>, G: ObjectFilter<V>> ObjectFilter<V> for Both<F, G> {
    fn accepts(&self, id: ObjectId, object: &Object<V>) -> bool {
        self.0.accepts(id, object) && self.1.accepts(id, object)
    }
    fn accepts_all(&self) -> bool {
        self.0.accepts_all() && self.1.accepts_all()
    }
}
