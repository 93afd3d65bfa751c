//! The scene and its objects.

use crate::aabb::Aabb;
use crate::bvh::options::{Accelerator, Statistics};
use crate::hit::ObjectId;
use crate::queries::shape::Shape;
use crate::scene::any::Space;
use crate::scene::chunked_vec::ChunkedVec;
use crate::scene::error::SceneError;
use crate::scene::group::Group;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::object_tree::PlacedObject;
use crate::scene::tree_level::TreeLevel;
use crate::stable_sort::stable_sort_by_key;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A scene: a collection of objects under a BVH. It has the queries of a shape; each hit names its object in
/// [`Hit::object`](crate::Hit::object).
///
/// Of two hits at the same `t`, the hit of the object inserted first wins.
///
/// Objects can be inserted, removed and changed at any time, and every query sees every edit. [`commit`](Self::commit)
/// after the edits of a frame makes the queries fast again. A clone is a [`snapshot`](Self::snapshot).
///
/// ```
/// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere, Transform};
/// let mut scene = Scene::new();
/// let ball = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
/// let other = scene.insert(Object::new(Sphere::new(Vec3::X * 9.0, 1.0)?))?;
/// scene.set_transform(ball, Transform::identity())?;
/// let ray = Ray::new(Vec3::X * -5.0, Vec3::X);
/// assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(ball));
/// scene.remove(ball)?;
/// scene.commit();
/// assert_eq!(scene.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(other));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene<V: Space> {
    /// The main tree of objects, and while a snapshot shares it one of the objects edited since.
    pub(crate) levels: Vec<TreeLevel<V>>,
    /// For each slot of an id where its object is.
    pub(crate) table: ChunkedVec<Entry>,
    /// First vacant entry of the table; the others follow in a list.
    pub(crate) vacant: u32,
    pub(crate) names: Names,
    pub(crate) len: usize,
    /// Order of the next object.
    pub(crate) next_order: u64,
    /// Bounds of the bounded objects, unless an edit may have made them smaller.
    pub(crate) bounds: Option<Aabb<V>>,
    pub(crate) accelerator: Accelerator,
}

/// Place of an object, or a vacant entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) generation: u32,
    /// `NONE` for a vacant entry.
    pub(crate) level: u32,
    /// Slot in the level; for a vacant entry the next one.
    pub(crate) slot: u32,
}

/// No level, no slot.
pub(crate) const NONE: u32 = u32::MAX;

impl<V: Space> Default for Scene<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Space> Scene<V> {
    /// A scene without objects.
    #[must_use]
    pub fn new() -> Self {
        Self {
            levels: Vec::new(),
            table: ChunkedVec::new(),
            vacant: NONE,
            names: Names::default(),
            len: 0,
            next_order: 0,
            bounds: Some(Aabb::empty()),
            accelerator: Accelerator::Bvh,
        }
    }

    /// A snapshot: the scene as it is now, in constant time. It shares memory with this scene. Edits of one do not show
    /// in the other, and copy only what they change.
    ///
    /// Other threads can query a snapshot while this scene is edited. No query waits for a lock.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let ball = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?))?;
    /// let frame = scene.snapshot();
    /// let other = std::thread::spawn(move || frame.intersects_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..));
    /// scene.remove(ball)?;
    /// assert!(other.join().is_ok_and(|hit| hit));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Self {
        self.clone()
    }

    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The objects with their ids, in the order of insertion.
    pub fn objects(&self) -> impl DoubleEndedIterator<Item = (ObjectId, &Object<V>)> + ExactSizeIterator {
        let mut placed: Vec<_> = self.table.iter().filter_map(|entry| self.placed(entry)).collect();
        stable_sort_by_key(&mut placed, |placed| placed.order);
        placed.into_iter().map(|placed| (placed.id, &placed.object))
    }
    /// The object with this id.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<&Object<V>> {
        let (found, object) = self.at(id.index())?;
        (found == id).then_some(object)
    }
    /// The object in a row of a table, with its id: see [`ObjectId::index`].
    #[must_use]
    pub fn at(&self, index: usize) -> Option<(ObjectId, &Object<V>)> {
        let placed = self.placed(self.table.get(index)?)?;
        Some((placed.id, &placed.object))
    }
    /// The id of the object with this name, in O(log n).
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ObjectId> {
        self.names.get(name)
    }
    /// Bounds of the bounded shapes; empty if there are none.
    #[must_use]
    pub fn finite_bounds(&self) -> Aabb<V> {
        self.bounds.unwrap_or_else(|| self.sum_of_bounds())
    }
    /// Size of the BVH.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.levels.iter().map(|level| level.tree.statistics()).fold(Statistics::default(), |a, b| Statistics {
            nodes: a.nodes + b.nodes,
            leaves: a.leaves + b.leaves,
            depth: a.depth.max(b.depth),
            bytes: a.bytes + b.bytes,
        })
    }

    pub(crate) fn sum_of_bounds(&self) -> Aabb<V> {
        let boxes = self.levels.iter().flat_map(TreeLevel::objects).map(|placed| placed.object.instance.0.aabb());
        boxes.filter(Aabb::is_bounded).fold(Aabb::empty(), Aabb::union)
    }

    pub(crate) fn placed(&self, entry: &Entry) -> Option<&PlacedObject<V>> {
        self.levels.get(entry.level as usize)?.tree.placed.get(entry.slot as usize)
    }

    /// The object with this slot of an id: what [`primitive`](crate::kernel::candidate::HitCandidate::primitive) holds.
    pub(crate) fn numbered(&self, slot: u32) -> Option<&PlacedObject<V>> {
        self.placed(self.table.get(slot as usize)?)
    }
}

impl<V: Space> Group<V> {
    /// The group of the objects of a scene.
    ///
    /// # Errors
    /// Groups and solids within each other to more than 8 levels.
    pub fn new(scene: Scene<V>) -> Result<Self, SceneError> {
        let scene = Arc::new(scene);
        let objects = scene.objects().map(|(id, object)| (id, object.shape().nesting(), V::as_group(object.shape())));
        Self::from_parts(scene.clone(), objects)
    }

    /// The objects of the group with their ids, in the order of insertion.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object<V>)> {
        self.scene::<Scene<V>>().into_iter().flat_map(Scene::objects)
    }
}
