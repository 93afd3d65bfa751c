//! An object of a scene: a shape with name and layers.

use crate::scene::any::Space;
use alloc::string::String;

/// A shape with what a scene knows of it.
#[derive(Clone, Debug)]
pub struct Object<V: Space> {
    pub(crate) shape: V::Shape,
    pub(crate) name: Option<String>,
    pub(crate) layers: u32,
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
