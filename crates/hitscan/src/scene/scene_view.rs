//! What the queries of a scene look at: the scene, and which of its objects count.

use crate::scene::any::Space;
use crate::scene::scene::Scene;
use crate::scene::tree_level::{Accept, ObjectFilter};

/// A scene with a filter of objects: the state of a [`FilteredScene`](crate::FilteredScene). Its methods are the queries.
#[derive(Clone, Copy)]
pub(crate) struct SceneView<'a, V: Space> {
    pub(crate) scene: &'a Scene<V>,
    pub(crate) accept: Accept<'a, V>,
}

impl<'a, V: Space> SceneView<'a, V> {
    #[inline(always)]
    pub(crate) fn new(scene: &'a Scene<V>, filter: ObjectFilter<'a, V>) -> Self {
        Self { scene, accept: Accept::new(filter) }
    }

    /// Whether no object is left out.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.accept.layers == u32::MAX && matches!(self.accept.filter, ObjectFilter::All)
    }
}
