//! Edits of a scene, and the rules by which its trees follow.
//!
//! # Method
//! A scene has one tree, and its edits change that tree in place. An object that moves keeps its slot, and its new box goes
//! to a [BVH of moved objects](crate::bvh::moved) until a refit. While a snapshot shares the tree, an edit hides the slot of
//! the object instead, and the object as it is now goes to a second, small tree beside, which edits may copy. So a query
//! visits two trees at most, each with its moved objects. When the small tree has an eighth of the objects, the edit copies
//! the main tree and joins both; so does `commit` as soon as no snapshot shares the main tree.
//!
//! # Source
//! Lauterbach, Yoon, Tuft, Manocha, *RT-DEFORM: Interactive Ray Tracing of Dynamic Scenes using BVHs*, 2006: refit until
//! the tree is so much worse that a rebuild pays.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::node::MAX_PRIMS;
use crate::bvh::options::Accelerator;
use crate::hit::ObjectId;
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::query::{Faces, Inside};
use crate::scene::any::Space;
use crate::scene::chunked_vec::ChunkedVec;
use crate::scene::error::SceneError;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::object_tree::{ObjectTree, PlacedObject, bounds_of};
use crate::scene::scene::{Entry, NONE, Scene};
use crate::scene::transformed_shape::TransformedShape;
use crate::scene::tree_level::TreeLevel;
use crate::simd::lanes::prefetch;
use crate::stable_sort::stable_sort_by_key;
use crate::transform::Transform;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// Share of the objects that the tree beside a shared one has at most.
const BESIDE_SHARE: usize = 8;

/// Prefetch distance of edits, in objects.
const EDIT_PREFETCH: usize = 8;

impl<V: Space> Scene<V> {
    /// Inserts an object and returns its id.
    ///
    /// # Errors
    /// A name that another object has; an empty layer mask; more than 2^27 - 16 shapes.
    pub fn insert(&mut self, object: Object<V>) -> Result<ObjectId, SceneError> {
        Self::check(&object, &self.names, self.len)?;
        // If no snapshot shares the main tree, the edit can use it, and one tree is left to search.
        self.join_if_unshared();
        let vacant = self.vacant as usize;
        // The id takes a vacant row of the table, if there is one. The rows form a list: a vacant row keeps the number
        // of the next one in `slot`. There are fewer than 2^32 rows: all are used again but for those whose generations
        // are used up.
        let id = match self.table.get(vacant) {
            Some(entry) => {
                let id = ObjectId::new(self.vacant, entry.generation);
                self.vacant = entry.slot;
                id
            }
            None => {
                let slot = u32::try_from(self.table.len()).map_err(|_| SceneError::TooMany)?;
                self.table.push(Entry { generation: 0, level: NONE, slot: NONE });
                ObjectId::new(slot, 0)
            }
        };
        // The name leads to the id, so that `find` needs no search over the objects.
        if let Some(name) = &object.name {
            self.names.insert(name.clone(), id);
        }
        // The box of the scene grows at once. An unbounded object adds nothing: `aabb` looks for such objects itself.
        let aabb = object.instance.0.aabb();
        self.bounds = self.bounds.map(|bounds| bounds.union(bounded(aabb)));
        self.len += 1;
        // The order of insertion decides between equal hits, and a row that is used again says nothing about it.
        let order = self.next_order;
        self.next_order += 1;
        self.add(PlacedObject { object, id, order }, bounds_of(&aabb));
        Ok(id)
    }

    /// Removes an object and returns it. Its id is never used again. Its memory may stay in use up to a commit that
    /// rebuilds the tree.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Scene3, SceneError, Sphere};
    /// let mut scene = Scene3::new();
    /// let ball = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?).named("ball"))?;
    /// assert_eq!(scene.remove(ball)?.name(), Some("ball"));
    /// assert!(scene.get(ball).is_none() && scene.find("ball").is_none());
    /// assert_eq!(scene.remove(ball).err(), Some(SceneError::NoObject(ball)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An unknown id.
    pub fn remove(&mut self, id: ObjectId) -> Result<Object<V>, SceneError> {
        self.join_if_unshared();
        let entry = self.entry(id)?;
        // The object and its bounds are read before the slot is freed: an insertion may use the slot again.
        let tree = &self.levels[entry.level as usize].tree;
        let (object, bounds) = (tree.placed[entry.slot as usize].object.clone(), tree.bounds(entry.slot));
        // A tree that a snapshot shares stays as it is: the slot is hidden in this scene only.
        match self.tree_mut(entry.level) {
            Some(tree) => tree.remove(entry.slot),
            None => self.levels[entry.level as usize].hide(entry.slot),
        }
        // The box of the scene stays known only if the object did not touch it.
        self.shrink_bounds(bounds);
        if let Some(name) = &object.name {
            self.names.remove(name);
        }
        self.len -= 1;
        // An id that could come a second time retires its slot.
        let next = entry.generation.checked_add(1).filter(|next| *next < u32::MAX);
        let generation = next.unwrap_or(entry.generation);
        // The row becomes the head of the list of vacant rows, with a new generation: so the old id finds nothing.
        self.set_entry(id, Entry { generation, level: NONE, slot: self.vacant });
        if next.is_some() {
            self.vacant = id.slot();
        }
        Ok(object)
    }

    /// Sets the transform of an object: the object is the exact image of its shape.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_transform(&mut self, id: ObjectId, transform: Transform<V>) -> Result<(), SceneError> {
        self.change(id, |instance| instance.set_transform(transform))
    }

    /// Replaces the shape of an object, which keeps its transform and its place in the order of insertion.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_shape(&mut self, id: ObjectId, shape: impl Into<V::Shape>) -> Result<(), SceneError> {
        self.change(id, |instance| instance.shape = shape.into())
    }

    /// Sets the layer mask of an object.
    ///
    /// # Errors
    /// An unknown id; an empty mask.
    pub fn set_layers(&mut self, id: ObjectId, mask: u32) -> Result<(), SceneError> {
        if mask == 0 {
            return Err(SceneError::NoLayer);
        }
        self.change_rules(id, |object| object.layers = mask)
    }

    /// Sets the number of the user's: see [`Object::with_user_data`].
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_user_data(&mut self, id: ObjectId, number: u64) -> Result<(), SceneError> {
        self.change_rules(id, |object| object.user_data = number)
    }

    /// Makes an object a trigger, or an object that stops rays: see [`Object::as_trigger`].
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_trigger(&mut self, id: ObjectId, is_trigger: bool) -> Result<(), SceneError> {
        self.change_rules(id, |object| object.is_trigger = is_trigger)
    }

    /// Sets the faces that count for an object, in place of those of a query; `None`: the query says.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_faces(&mut self, id: ObjectId, faces: Option<Faces>) -> Result<(), SceneError> {
        self.change_rules(id, |object| object.faces = faces)
    }

    /// Sets the rule for rays that start inside an object, in place of that of a query; `None`: the query says.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_inside(&mut self, id: ObjectId, inside: Option<Inside>) -> Result<(), SceneError> {
        self.change_rules(id, |object| object.inside = inside)
    }

    /// Makes queries fast again after edits. The answers are the same before and after.
    ///
    /// The cost is in proportion to the edits: the tree takes over the boxes of the objects that have moved (a refit). Where
    /// edits have raised the cost of a ray by half, as the surface area heuristic estimates it, all objects get a new tree.
    ///
    /// Before the commit, a query takes up to 1.5 times as long. It takes far longer in one case: if an eighth of all
    /// objects moved in the last frame, the edits of this one cost least, but a ray tests the boxes of all objects that
    /// have moved. Edits after such a query avoid this.
    ///
    /// Commit before a snapshot, not after: a refit copies a tree that a snapshot shares.
    pub fn commit(&mut self) {
        self.join_if_unshared();
        if self.levels.get(1).is_some_and(|beside| beside.tree.is_outgrown()) {
            self.rebuild_from(1, Vec::new());
        }
        self.levels.iter_mut().for_each(TreeLevel::refit);
        if self.levels.first().is_some_and(|main| main.tree.is_outgrown()) {
            self.rebuild();
        }
    }

    /// Builds a new tree over all objects: for a scene that stays as it is for many rays. [`commit`](Self::commit) does
    /// less where less suffices.
    pub fn rebuild(&mut self) {
        self.rebuild_from(0, Vec::new());
        self.bounds = Some(self.sum_of_bounds());
    }

    /// The same scene with a linear scan in place of its BVH: the reference for tests. Meshes keep their own BVHs.
    #[must_use]
    pub fn linear_scan(&self) -> Self {
        let mut linear = Self { accelerator: Accelerator::LinearScan, ..self.clone() };
        linear.rebuild();
        linear
    }

    /// Checks an object before it is inserted as one more.
    pub(crate) fn check(object: &Object<V>, names: &Names, len: usize) -> Result<(), SceneError> {
        if len >= MAX_PRIMS {
            return Err(SceneError::TooMany);
        }
        if object.layers == 0 {
            return Err(SceneError::NoLayer);
        }
        match object.name() {
            Some(name) if names.get(name).is_some() => Err(SceneError::DuplicateName(name.into())),
            _ => Ok(()),
        }
    }

    /// A scene of objects with ids 0, 1, 2 and so on.
    pub(crate) fn of_objects(objects: Vec<Object<V>>, names: Names, accelerator: Accelerator) -> Self {
        let mut scene =
            Self { names, accelerator, len: objects.len(), next_order: objects.len() as u64, ..Self::new() };
        let mut table = ChunkedVec::new();
        // The row of an object has its number, so ids count from 0. The build below writes the places of the objects
        // into the table.
        let place = |(slot, object): (u32, Object<V>)| {
            table.push(Entry { generation: 0, level: NONE, slot: NONE });
            PlacedObject { object, id: ObjectId::new(slot, 0), order: u64::from(slot) }
        };
        let placed = (0..).zip(objects).map(place).collect();
        scene.table = table;
        scene.rebuild_from(0, placed);
        scene.bounds = Some(scene.sum_of_bounds());
        scene
    }

    fn entry(&self, id: ObjectId) -> Result<Entry, SceneError> {
        let entry = self.table.get(id.index()).filter(|e| e.generation == id.generation() && e.level != NONE);
        entry.copied().ok_or(SceneError::NoObject(id))
    }

    fn set_entry(&mut self, id: ObjectId, new: Entry) {
        if let Some(entry) = self.table.get_mut(id.index()) {
            *entry = new;
        }
    }

    /// Changes the instance of an object in its slot, or in the tree beside one that a snapshot shares.
    #[inline]
    fn change(&mut self, id: ObjectId, edit: impl FnOnce(&mut TransformedShape<V>)) -> Result<(), SceneError> {
        // With one tree, the edit changes the object where it is, and hides nothing.
        self.join_if_unshared();
        self.prefetch(id);
        let entry = self.entry(id)?;
        let (old, new);
        // An object in a tree of this scene alone changes in its slot: its new box goes to the BVH of moved objects.
        if let Some(tree) = self.tree_mut(entry.level) {
            let instance = &mut tree.placed[entry.slot as usize].object.instance.0;
            edit(instance);
            (old, new) = (tree.boxes[entry.slot as usize], instance.aabb());
            tree.update(entry.slot, bounds_of(&new));
        } else {
            // A snapshot shares the tree: the slot is hidden, and a copy of the object goes to the tree beside, with
            // its id and order.
            let mut placed = self.hide(entry);
            old = self.levels[entry.level as usize].tree.boxes[entry.slot as usize];
            edit(&mut placed.object.instance.0);
            new = placed.object.instance.0.aabb();
            self.add(placed, bounds_of(&new));
        }
        // The box of the scene loses the old box and gains the new one. If it is unknown, the next query computes it.
        if self.bounds.is_some() {
            self.shrink_bounds(Some(old));
            self.bounds = self.bounds.map(|bounds| bounds.union(bounded(new)));
        }
        Ok(())
    }

    /// Prefetches an object that will be edited soon: edits of many objects come in the order of their ids, but the objects
    /// lie in that of the tree.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn prefetch(&self, id: ObjectId) {
        // The row of the object that the caller probably edits some calls later.
        let entry = self.table.get(id.index() + EDIT_PREFETCH);
        let Some((entry, level)) = entry.and_then(|entry| Some((entry, self.levels.get(entry.level as usize)?))) else {
            return;
        };
        // The cache lines that the edit will read: the instance, and the box of the old place.
        let slot = entry.slot as usize;
        if let (Some(placed), Some(bounds)) = (level.tree.placed.get(slot), level.tree.boxes.get(slot)) {
            placed.object.instance.0.prefetch();
            prefetch(bounds);
        }
    }

    /// Changes the layers or rules of an object.
    fn change_rules(&mut self, id: ObjectId, edit: impl FnOnce(&mut Object<V>)) -> Result<(), SceneError> {
        self.join_if_unshared();
        let entry = self.entry(id)?;
        if let Some(tree) = self.tree_mut(entry.level) {
            edit(&mut tree.placed[entry.slot as usize].object);
            tree.update_rules(entry.slot);
        } else {
            let bounds = self.levels[entry.level as usize].tree.bounds(entry.slot);
            let mut placed = self.hide(entry);
            edit(&mut placed.object);
            self.add(placed, bounds);
        }
        Ok(())
    }

    /// Hides an object in a tree that a snapshot shares, and returns a copy of it.
    fn hide(&mut self, entry: Entry) -> PlacedObject<V> {
        let level = &mut self.levels[entry.level as usize];
        level.hide(entry.slot);
        level.tree.placed[entry.slot as usize].clone()
    }

    /// A tree that edits may change: no snapshot shares it, or a copy costs little.
    #[inline]
    fn tree_mut(&mut self, level: u32) -> Option<&mut ObjectTree<V>> {
        let (len, level) = (self.len, self.levels.get_mut(level as usize)?);
        if level.is_whole() && level.tree.placed.len() * BESIDE_SHARE > len {
            return Arc::get_mut(&mut level.tree);
        }
        let is_small = level.tree.placed.len() * BESIDE_SHARE <= len;
        if is_small || Arc::get_mut(&mut level.tree).is_some() { Some(level.make_mut()) } else { None }
    }

    /// Adds an object to the main tree, or to the one beside.
    fn add(&mut self, placed: PlacedObject<V>, bounds: Option<Bounds>) {
        // An object goes to the main tree if edits may change that tree: a query then visits one tree only.
        let id = placed.id;
        if let Some(main) = self.tree_mut(0) {
            let slot = main.insert(placed, bounds);
            return self.moved(id, 0, slot);
        }
        // Otherwise the object goes to the small tree beside, which begins with the first object that needs it.
        match &mut self.levels[..] {
            [_, beside] => {
                let slot = beside.make_mut().insert(placed, bounds);
                self.moved(id, 1, slot);
            }
            _ => self.rebuild_from(self.levels.len(), vec![placed]),
        }
        // A tree beside that is not small costs each query more than a copy of the main tree costs once.
        if self.levels.last().is_some_and(|beside| beside.len() * BESIDE_SHARE > self.len) {
            self.join_levels();
        }
    }

    /// Joins the trees, once no snapshot shares the main one.
    fn join_if_unshared(&mut self) {
        if self.levels.len() > 1 && Arc::get_mut(&mut self.levels[0].tree).is_some() {
            self.join_levels();
        }
    }

    /// Moves all objects to the main tree, back to their slots if they have one. Copies the tree if a snapshot shares it.
    fn join_levels(&mut self) {
        for level in self.levels.split_off(1) {
            // Objects that changed while a snapshot shared the tree left hidden slots behind: each may return to its
            // own.
            let mut homes = self.levels[0].take_hidden();
            stable_sort_by_key(&mut homes, |(id, _)| id.slot());
            // An object with such a slot takes it again, so that the tree keeps its form; a new object is inserted as
            // any other.
            for placed in level.into_objects() {
                let (id, main) = (placed.id, self.levels[0].make_mut());
                let home = homes.binary_search_by_key(&id.slot(), |(id, _)| id.slot()).ok();
                let slot = match home.and_then(|i| homes.get_mut(i)).filter(|home| home.0 == id) {
                    Some(home) => {
                        let bounds = placed.bounds();
                        main.replace(home.1, placed, bounds);
                        home.0 = ObjectId::NONE;
                        home.1
                    }
                    None => {
                        let bounds = placed.bounds();
                        main.insert(placed, bounds)
                    }
                };
                self.moved(id, 0, slot);
            }
            // Slots that nobody has taken belong to objects that were removed.
            let main = self.levels[0].make_mut();
            homes.iter().filter(|(id, _)| *id != ObjectId::NONE).for_each(|(_, slot)| main.remove(*slot));
        }
    }

    /// Replaces all trees by one of these objects.
    pub(crate) fn rebuild_with(&mut self, objects: Vec<PlacedObject<V>>) {
        self.levels.clear();
        self.rebuild_from(0, objects);
        self.bounds = Some(self.sum_of_bounds());
    }

    /// Builds one tree of the objects of the levels from `first` on, and of `objects`.
    fn rebuild_from(&mut self, first: usize, mut objects: Vec<PlacedObject<V>>) {
        // The objects of the replaced trees, without a copy where no snapshot shares a tree.
        for level in self.levels.drain(first..) {
            objects.append(&mut level.into_objects());
        }
        if objects.is_empty() {
            return;
        }
        // The new tree has its objects in the order of its leaves, so that each gets a new slot.
        let level = TreeLevel::new(objects, self.accelerator);
        let tree = Arc::clone(&level.tree);
        self.levels.push(level);
        for (slot, placed) in (0..).zip(&tree.placed) {
            self.moved(placed.id, first, slot);
        }
    }

    /// Notes the new place of an object.
    fn moved(&mut self, id: ObjectId, level: usize, slot: u32) {
        self.set_entry(id, Entry { generation: id.generation(), level: level as u32, slot });
    }

    /// Updates the bounds for an object that leaves: they are unknown where it touched them.
    fn shrink_bounds(&mut self, old: Option<Bounds>) {
        // A side of the scene's box at which the object ended may move inward. How far follows from the other objects
        // alone.
        let Some(old) = old else { return };
        self.bounds = self.bounds.filter(|bounds| {
            let all = Bounds::around(bounds);
            !(0..V::DIM).any(|axis| old.low[axis] <= all.low[axis] || old.high[axis] >= all.high[axis])
        });
    }
}

/// The box, or the empty one in place of an unbounded one.
fn bounded<V: Vector>(aabb: Aabb<V>) -> Aabb<V> {
    if aabb.is_bounded() { aabb } else { Aabb::empty() }
}
