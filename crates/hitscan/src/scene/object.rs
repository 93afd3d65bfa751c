//! Objects of a scene: shapes with a name and layers.

use crate::scene::any::Space;
use crate::scene::instance::Instance;
use crate::transform::Transform;
use alloc::string::String;

/// An object of a scene: a shape with an optional name and a layer mask.
#[derive(Clone, Debug)]
pub struct Object<V: Space> {
    pub(crate) instance: Instance<V>,
    pub(crate) name: Option<String>,
    pub(crate) layers: u32,
}

impl<V: Space> Object<V> {
    /// An object without a name, on layer 0 (the mask 1).
    #[must_use]
    pub fn new(shape: impl Into<V::Shape>) -> Self {
        Self { instance: Instance::new(shape.into(), None), name: None, layers: 1 }
    }
    /// Sets the transform: the object is the exact image of its shape.
    #[must_use]
    pub fn with_transform(self, transform: Transform<V>) -> Self {
        Self { instance: Instance::new(self.instance.shape, Some(transform)), ..self }
    }
    /// Sets the name. No two objects of a scene may have the same one.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
    /// Sets the layer mask: one bit per layer.
    #[must_use]
    pub fn on_layers(self, mask: u32) -> Self {
        Self { layers: mask, ..self }
    }
    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &V::Shape {
        &self.instance.shape
    }
    /// The name, if the object has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
    /// The layer mask.
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.layers
    }
    /// The transform, if the object has one that is not the identity.
    #[must_use]
    pub fn transform(&self) -> Option<&Transform<V>> {
        self.instance.transform()
    }
}
