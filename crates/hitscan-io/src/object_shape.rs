//! Queries of one object, where the scene has it.

use hitscan::{Object, Scene, SceneBuilder, Shape, Space};
use std::ops::Deref;

/// The shape of an object under its transform, for queries of the object alone.
pub enum ObjectShape<'a, V: Space> {
    /// An object without a transform: its shape.
    Own(&'a V::Shape),
    /// A scene of nothing but the object.
    Alone(Box<Scene<V>>),
}

impl<'a, V: Space> ObjectShape<'a, V> {
    /// The shape of an object.
    pub fn new(object: &'a Object<V>) -> Self {
        let mut builder = SceneBuilder::new();
        let is_placed = object.transform().is_some() && builder.insert(object.clone()).is_ok();
        if is_placed { Self::Alone(Box::new(builder.build())) } else { Self::Own(object.shape()) }
    }
}

impl<'a, V: Space> Deref for ObjectShape<'a, V> {
    type Target = dyn Shape<V> + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Own(shape) => *shape,
            Self::Alone(scene) => &**scene,
        }
    }
}
