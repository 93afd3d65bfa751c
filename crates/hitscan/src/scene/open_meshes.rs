//! The meshes of a scene that have no inside.

use crate::hit::ObjectId;
use crate::math::real::Real;
use crate::mesh::topology::Topology;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object::Object;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::split_shape::SplitShape;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

impl<V: Space> Scene<V> {
    /// The meshes without an inside, for they are open, each with its topology and the first object that has it: as its shape, or
    /// within a group. In the order of insertion. `contains`, signed distances, spans and thickness find no solid there.
    ///
    /// The topology of each mesh is computed once, in O(n log n).
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Scene3, TriangleMesh};
    /// let mut scene = Scene3::new();
    /// let id = scene.insert(Object::new(TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?))?;
    /// let open = scene.open_meshes();
    /// assert_eq!((open[0].0, open[0].1.odd_edges), (id, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn open_meshes(&self) -> Vec<(ObjectId, Topology)> {
        self.view().open_meshes()
    }
}

impl<V: Space, F: ObjectFilter<V>> FilteredScene<'_, V, F> {
    /// The meshes without an inside among the objects that count, and among the members of groups that do: see
    /// [`Scene::open_meshes`].
    #[must_use]
    pub fn open_meshes(&self) -> Vec<(ObjectId, Topology)> {
        self.view().open_meshes()
    }
}

impl<V: Space> SceneView<'_, V> {
    fn open_meshes(self) -> Vec<(ObjectId, Topology)> {
        let query = self.accept.query(&Query::new().of_all_hits());
        let mut search = OpenMeshSearch { query, visited: BTreeSet::new(), found: Vec::new() };
        for (id, object) in self.scene.objects().filter(|(id, object)| self.accept.accepts(*id, object)) {
            search.visit(id, object);
        }
        search.found
    }
}

/// A search for the meshes without an inside among the objects that a query sees.
struct OpenMeshSearch<S> {
    query: Query<S>,
    /// The addresses of the meshes and groups that were visited.
    visited: BTreeSet<usize>,
    found: Vec<(ObjectId, Topology)>,
}

impl<S: Real> OpenMeshSearch<S> {
    /// Visits the object `id` of the scene, or a member of it at any depth.
    fn visit<V: Space<Scalar = S>>(&mut self, id: ObjectId, object: &Object<V>) {
        if !object.is_seen_by(&self.query) {
            return;
        }
        if let Some(mesh) = object.shape().mesh_data() {
            if self.visited.insert(mesh.address) {
                let topology = mesh.parity_surface().topology;
                self.found.extend((!topology.is_closed()).then_some((id, topology)));
            }
        } else if let Some(group) = V::as_group(object.shape())
            && self.visited.insert(group.address())
        {
            group.objects().for_each(|(_, member)| self.visit(id, member));
        }
    }
}
