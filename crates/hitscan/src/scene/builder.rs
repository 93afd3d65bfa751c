//! The only door into a scene.

use super::{Scene, SceneError, Space};
use crate::accel::Accelerator;
use crate::hit::ShapeId;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// A shape with what a scene knows of it.
#[derive(Clone, Debug)]
pub struct Object<V: Space> {
    pub(super) shape: V::Shape,
    pub(super) name: Option<String>,
    pub(super) layers: u32,
}

impl<V: Space> Object<V> {
    /// A shape without a name, on layer 0 (bit 1).
    pub fn new(shape: impl Into<V::Shape>) -> Self {
        Self { shape: shape.into(), name: None, layers: 1 }
    }
    /// With a name, which no other object of the scene may have.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
    /// On the layers of these bits.
    #[must_use]
    pub fn on_layers(self, mask: u32) -> Self {
        Self { layers: mask, ..self }
    }
    /// The shape.
    pub fn shape(&self) -> &V::Shape {
        &self.shape
    }
    /// The name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
    /// The bits of its layers.
    pub fn layers(&self) -> u32 {
        self.layers
    }
}

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
