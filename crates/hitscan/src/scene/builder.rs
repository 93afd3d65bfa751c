//! The builder of scenes.

use crate::bvh::options::Accelerator;
use crate::hit::ObjectId;
use crate::scene::any::Space;
use crate::scene::error::SceneError;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::scene::Scene;
use alloc::vec::Vec;

/// The builder of a [`Scene`]: it collects shapes and builds a BVH over them. For a scene that changes later, too: this is the
/// fastest way to its first objects.
///
/// [`SceneBuilder2`] and [`SceneBuilder3`] name the builders of `f32` scenes without a type parameter.
///
/// ```
/// use hitscan::{glam::Vec3, Cuboid, Object, Query, Ray, RayCast, SceneBuilder, Sphere};
/// let mut builder = SceneBuilder::new();
/// let ball = builder.add(Sphere::new(Vec3::new(4.0, 0.0, 0.0), 1.0)?)?;
/// let wall = builder.insert(Object::new(Cuboid::new(Vec3::new(9.0, 0.0, 0.0), Vec3::ONE)?).named("wall").on_layers(2))?;
/// let scene = builder.build();
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(ball));
/// assert_eq!(scene.cast_ray(&ray, Query::from(..).layers(2)).and_then(|hit| hit.object), Some(wall));
/// assert_eq!(scene.count_hits(&ray, ..), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SceneBuilder<V: Space> {
    objects: Vec<Object<V>>,
    names: Names,
}

/// A [`SceneBuilder`] in the plane, in `f32`. For `f64` write `SceneBuilder<DVec2>`.
pub type SceneBuilder2 = SceneBuilder<glam::Vec2>;

/// A [`SceneBuilder`] in space, in `f32`. For `f64` write `SceneBuilder<DVec3>`.
pub type SceneBuilder3 = SceneBuilder<glam::Vec3>;

/// A [`Scene`] in the plane, in `f32`. For `f64` write `Scene<DVec2>`.
pub type Scene2 = Scene<glam::Vec2>;

/// A [`Scene`] in space, in `f32`. For `f64` write `Scene<DVec3>`.
pub type Scene3 = Scene<glam::Vec3>;

impl<V: Space> Default for SceneBuilder<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Space> SceneBuilder<V> {
    /// A builder without shapes.
    #[must_use]
    pub fn new() -> Self {
        Self { objects: Vec::new(), names: Names::default() }
    }

    /// Adds a shape without a name, on layer 0, and returns its id.
    ///
    /// # Errors
    /// More than 2^27 - 16 shapes.
    pub fn add(&mut self, shape: impl Into<V::Shape>) -> Result<ObjectId, SceneError> {
        self.insert(Object::new(shape))
    }

    /// Adds an object and returns its id.
    ///
    /// # Errors
    /// A name that another object has; an empty layer mask; more than 2^27 - 16 shapes.
    pub fn insert(&mut self, object: Object<V>) -> Result<ObjectId, SceneError> {
        Scene::check(&object, &self.names, self.objects.len())?;
        // There are fewer than 2^32 objects.
        let id = ObjectId::new(self.objects.len() as u32, 0);
        if let Some(name) = &object.name {
            self.names.insert(name.clone(), id);
        }
        self.objects.push(object);
        Ok(id)
    }

    /// Builds the scene, with a BVH over the shapes, in O(n log n).
    #[must_use]
    pub fn build(self) -> Scene<V> {
        self.build_with(Accelerator::Bvh)
    }

    /// Builds the scene with the given acceleration structure.
    #[must_use]
    pub fn build_with(self, accelerator: Accelerator) -> Scene<V> {
        Scene::of_objects(self.objects, self.names, accelerator)
    }
}
