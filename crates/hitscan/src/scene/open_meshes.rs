//! The meshes of a scene that have no inside.

use crate::hit::ObjectId;
use crate::mesh::topology::Topology;
use crate::scene::any::Space;
use crate::scene::group::Group;
use crate::scene::scene::Scene;
use crate::scene::split_shape::SplitShape;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

impl<V: Space> Scene<V> {
    /// The objects whose mesh has no inside, for it is open, with its topology; of a group the first such mesh. In the order of
    /// insertion. `contains`, signed distances, spans and thickness find no solid there.
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
        let mut known = BTreeMap::new();
        let objects = self.objects();
        objects.filter_map(|(id, object)| Some((id, open_mesh::<V>(object.shape(), &mut known)?))).collect()
    }
}

/// The topology of a mesh without an inside: of the shape itself, or of the first such mesh of a group. `known` has the groups that
/// were seen.
fn open_mesh<V: Space>(shape: &V::Shape, known: &mut BTreeMap<usize, Option<Topology>>) -> Option<Topology> {
    if let Some(mesh) = shape.mesh_data() {
        return Some(mesh.parity_surface().topology).filter(|topology| !topology.is_closed());
    }
    let group: &Group<V> = V::as_group(shape)?;
    if let Some(found) = known.get(&group.address()) {
        return *found;
    }
    let found = group.objects().find_map(|(_, member)| open_mesh::<V>(member.shape(), known));
    known.insert(group.address(), found);
    found
}
