//! The only door into a scene.

use crate::bvh::options::Accelerator;
use crate::hit::ShapeId;
use crate::scene::any::Space;
use crate::scene::error::SceneError;
use crate::scene::object::Object;
use crate::scene::scene::Scene;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// Collects shapes, which their constructors have checked, and builds a [`Scene`].
///
/// ```
/// use hitscan::{glam::Vec3, Object, Query, Ray, SceneBuilder, Shape, Sphere, Cuboid};
/// let mut builder = SceneBuilder::new();
/// let ball = builder.add(Sphere::new(Vec3::new(4.0, 0.0, 0.0), 1.0)?)?;
/// let wall = builder.insert(Object::new(Cuboid::new(Vec3::new(9.0, 0.0, 0.0), Vec3::ONE)?).named("wall").on_layers(2))?;
/// let scene = builder.build();
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.shape), Some(ball));
/// assert_eq!(scene.cast_ray(&ray, Query::from(..).layers(2)).and_then(|hit| hit.shape), Some(wall));
/// assert_eq!(scene.count_hits(&ray, ..), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SceneBuilder<V: Space> {
    objects: Vec<Object<V>>,
    names: BTreeSet<String>,
}

impl<V: Space> Default for SceneBuilder<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Space> SceneBuilder<V> {
    /// No shapes yet.
    #[must_use]
    pub fn new() -> Self {
        Self { objects: Vec::new(), names: BTreeSet::new() }
    }

    /// Adds a shape without a name, on layer 0.
    ///
    /// # Errors
    /// More than 2^32 - 1 shapes.
    pub fn add(&mut self, shape: impl Into<V::Shape>) -> Result<ShapeId, SceneError> {
        self.insert(Object::new(shape))
    }

    /// Adds an object.
    ///
    /// # Errors
    /// A name that is taken; no layer; more than 2^32 - 1 shapes.
    pub fn insert(&mut self, object: Object<V>) -> Result<ShapeId, SceneError> {
        let id = match u32::try_from(self.objects.len()) {
            Ok(id) if id < u32::MAX => ShapeId(id),
            _ => return Err(SceneError::TooMany),
        };
        if object.layers == 0 {
            return Err(SceneError::NoLayer);
        }
        if let Some(name) = &object.name
            && !self.names.insert(name.clone())
        {
            return Err(SceneError::DuplicateName(name.clone()));
        }
        self.objects.push(object);
        Ok(id)
    }

    /// The scene, with a tree over the shapes: O(n log n).
    #[must_use]
    pub fn build(self) -> Scene<V> {
        self.build_with(Accelerator::Bvh)
    }

    /// The scene with a chosen way to find shapes.
    #[must_use]
    pub fn build_with(self, method: Accelerator) -> Scene<V> {
        Scene::new(self.objects, method)
    }
}
