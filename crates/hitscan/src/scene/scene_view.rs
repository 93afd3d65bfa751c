//! What the queries of a scene look at: the scene, and which of its objects count.

use crate::hit::ObjectId;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::scene::Scene;
use crate::scene::tree_level::Accept;

/// A scene with a filter of objects: the state of a [`FilteredScene`](crate::FilteredScene). Its methods are the queries.
#[derive(Clone, Copy)]
pub(crate) struct SceneView<'a, V: Space> {
    pub(crate) scene: &'a Scene<V>,
    pub(crate) accept: Accept<'a, V>,
}

impl<'a, V: Space> SceneView<'a, V> {
    #[inline(always)]
    pub(crate) fn excluding(scene: &'a Scene<V>, ids: &'a [ObjectId]) -> Self {
        Self { scene, accept: Accept::excluding(ids) }
    }

    /// The whole scene of a group, of which another view sees the members on its layers, and perhaps no triggers.
    #[inline(always)]
    pub(crate) fn seen_by(self, other: Accept<'_, V>) -> Self {
        Self { accept: Accept { layers: other.layers, triggers: other.triggers, ..self.accept }, ..self }
    }

    /// The query of a ray with a layer mask of its own: it sees the layers of both masks that the view sees.
    #[inline(always)]
    pub(crate) fn masked(&self, query: &Query<V::Scalar>, of_ray: u32) -> Query<V::Scalar> {
        self.accept.query(&query.layers(query.layer_mask() & of_ray))
    }

    /// Whether no object is left out.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.accept.accepts_members() && self.accept.accepts_all()
    }
}

impl<V: Space> Scene<V> {
    /// The whole scene.
    #[inline(always)]
    pub(crate) fn view(&self) -> SceneView<'_, V> {
        SceneView::excluding(self, &[])
    }
}
