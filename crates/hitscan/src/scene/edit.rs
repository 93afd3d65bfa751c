//! Edits of a scene, and the rules by which its trees follow.
//!
//! # Method
//! An object that stays near its place keeps its slot; the boxes above it grow, and `commit` refits them. An object that
//! is new, goes far, or lies in a tree that a snapshot shares goes to a small tree beside the main one, and its old slot
//! is hidden. Small trees are merged as they grow, so that there are O(log n) of them, each edit costs O(log n) rebuilt
//! objects on average, and a query between two edits visits few trees.
//!
//! # Source
//! Bentley, Saxe, *Decomposable Searching Problems I: Static-to-Dynamic Transformation*, Journal of Algorithms 1(4), 1980.
//! Lauterbach, Yoon, Tuft, Manocha, *RT-DEFORM: Interactive Ray Tracing of Dynamic Scenes using BVHs*, 2006: refit until
//! the tree is so much worse that a rebuild pays.

use crate::aabb::Aabb;
use crate::bvh::node::MAX_PRIMS;
use crate::bvh::options::Accelerator;
use crate::hit::ObjectId;
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::query::{Faces, Inside};
use crate::scene::any::Space;
use crate::scene::chunked_vec::ChunkedVec;
use crate::scene::error::SceneError;
use crate::scene::level::Level;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::object_tree::{Distance, Placed};
use crate::scene::scene::{Entry, NONE, Scene};
use crate::transform::Transform;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// A tree is at least this many times as large as those after it together.
const MERGE_RATIO: usize = 4;

/// Share of the objects outside the main tree, or of its slots that are hidden, from which `commit` rebuilds everything.
const REBUILD_SHARE: usize = 8;

/// Growth of the SAH cost of the main tree by refits from which `commit` rebuilds it.
const REBUILD_GROWTH: f64 = 1.5;

impl<V: Space> Scene<V> {
    /// Inserts an object and returns its id.
    ///
    /// # Errors
    /// A name that another object has; an empty layer mask; more than 2^27 - 16 shapes.
    pub fn insert(&mut self, object: Object<V>) -> Result<ObjectId, SceneError> {
        Self::check(&object, &self.names, self.len)?;
        let vacant = self.vacant as usize;
        // There are fewer than 2^32 entries: slots are used again, but for those whose generations are used up.
        let id = match self.table.get(vacant) {
            Some(entry) => {
                let id = ObjectId::new(self.vacant, entry.generation);
                self.vacant = entry.slot;
                id
            }
            None => {
                let slot = u32::try_from(self.table.len()).map_err(|_| SceneError::TooMany)?;
                self.table.push(Entry { generation: 0, level: NONE, slot: NONE, home: NONE });
                ObjectId::new(slot, 0)
            }
        };
        if let Some(name) = &object.name {
            self.names.insert(name.clone(), id);
        }
        let aabb = object.instance.aabb();
        self.bounds = self.bounds.map(|bounds| bounds.union(bounded(aabb)));
        self.len += 1;
        let order = self.next_order;
        self.next_order += 1;
        self.append(Placed { object, id, order, aabb });
        Ok(id)
    }

    /// Removes an object and returns it. Its id is never used again. Its memory may stay in use up to a commit that
    /// rebuilds the tree.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Scene, SceneError, Sphere};
    /// let mut scene = Scene::new();
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
        let entry = self.entry(id)?;
        let level = &mut self.levels[entry.level as usize];
        let Placed { object, aabb, .. } = level.tree.placed[entry.slot as usize].clone();
        level.hide(entry.slot);
        self.shrink_bounds(&aabb);
        if let Some(name) = &object.name {
            self.names.remove(name);
        }
        self.len -= 1;
        self.displaced -= usize::from(entry.is_displaced());
        // An id that could come a second time retires its slot.
        let next = entry.generation.checked_add(1);
        let generation = next.unwrap_or(entry.generation);
        self.set_entry(id, Entry { generation, level: NONE, slot: self.vacant, home: NONE });
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
        self.change(id, |object| object.instance.set_transform(transform))
    }

    /// Replaces the shape of an object, which keeps its transform and its place in the order of insertion.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_shape(&mut self, id: ObjectId, shape: impl Into<V::Shape>) -> Result<(), SceneError> {
        let shape = shape.into();
        self.change(id, |object| object.instance.shape = shape)
    }

    /// Sets the layer mask of an object.
    ///
    /// # Errors
    /// An unknown id; an empty mask.
    pub fn set_layers(&mut self, id: ObjectId, mask: u32) -> Result<(), SceneError> {
        if mask == 0 {
            return Err(SceneError::NoLayer);
        }
        self.change(id, |object| object.layers = mask)
    }

    /// Sets the faces that count for an object, in place of those of a query; `None`: the query says.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_faces(&mut self, id: ObjectId, faces: Option<Faces>) -> Result<(), SceneError> {
        self.change(id, |object| object.faces = faces)
    }

    /// Sets the rule for rays that start inside an object, in place of that of a query; `None`: the query says.
    ///
    /// # Errors
    /// An unknown id.
    pub fn set_inside(&mut self, id: ObjectId, inside: Option<Inside>) -> Result<(), SceneError> {
        self.change(id, |object| object.inside = inside)
    }

    /// Makes queries fast again after edits. The answers are the same before and after.
    ///
    /// The cost is in proportion to the edits where the trees stay good: boxes that grew are refitted, and the objects
    /// outside the main tree get one tree of their own. All objects get a new tree where an eighth of them is outside
    /// the main tree or has left it, or refits have raised its SAH cost by half.
    ///
    /// Commit before a snapshot, not after: a refit copies a tree that a snapshot shares.
    pub fn commit(&mut self) {
        self.distance = Distance::Near;
        let Some(main) = self.levels.first() else { return };
        let away = (self.len - main.len()).max(main.hidden_count());
        if away * REBUILD_SHARE > self.len || main.len() == 0 {
            return self.rebuild();
        }
        self.levels[0].refit();
        if self.levels[0].tree.growth() > REBUILD_GROWTH {
            return self.rebuild();
        }
        match &mut self.levels[1..] {
            [] => {}
            [only] if only.hidden_count() == 0 => only.refit(),
            _ => self.merge_from(1, Vec::new()),
        }
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
        let place = |(slot, object): (u32, Object<V>)| {
            table.push(Entry { generation: 0, level: NONE, slot: NONE, home: NONE });
            let aabb = object.instance.aabb();
            Placed { object, id: ObjectId::new(slot, 0), order: u64::from(slot), aabb }
        };
        let placed = (0..).zip(objects).map(place).collect();
        scene.table = table;
        scene.merge_from(0, placed);
        scene.bounds = Some(scene.sum_of_bounds());
        scene
    }

    /// Builds one tree over all objects.
    pub(crate) fn rebuild(&mut self) {
        self.merge_from(0, Vec::new());
        self.bounds = Some(self.sum_of_bounds());
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

    /// Changes an object in its slot if that is possible, else in a tree beside.
    fn change(&mut self, id: ObjectId, edit: impl FnOnce(&mut Object<V>)) -> Result<(), SceneError> {
        let entry = self.entry(id)?;
        let level = &mut self.levels[entry.level as usize];
        let Some(tree) = Arc::get_mut(&mut level.tree) else {
            // A snapshot shares the tree.
            let mut placed = level.tree.placed[entry.slot as usize].clone();
            let old = placed.aabb;
            edit(&mut placed.object);
            placed.aabb = placed.object.instance.aabb();
            self.move_bounds(&old, &placed.aabb);
            self.put_beside(entry, placed);
            return Ok(());
        };
        let placed = &mut tree.placed[entry.slot as usize];
        edit(&mut placed.object);
        let (old, new) = (placed.aabb, placed.object.instance.aabb());
        if !tree.update_box(entry.slot, new, self.distance) {
            let placed = Placed { aabb: new, ..tree.placed[entry.slot as usize].clone() };
            self.put_beside(entry, placed);
        }
        self.move_bounds(&old, &new);
        Ok(())
    }

    /// Hides the slot of an object, and adds the object as it is now to the trees beside.
    fn put_beside(&mut self, entry: Entry, placed: Placed<V>) {
        self.levels[entry.level as usize].hide(entry.slot);
        if entry.home != NONE && !entry.is_displaced() {
            self.displaced += 1;
        }
        self.append(placed);
        if self.displaced * REBUILD_SHARE > self.len {
            self.bring_home();
        }
    }

    /// Moves all objects back to their slots in the main tree, however far they have gone: where so many move, a refit
    /// does better than trees beside. Until the next commit the others may follow in their slots.
    fn bring_home(&mut self) {
        self.distance = Distance::Any;
        let mut others = Vec::new();
        for level in self.levels.split_off(1) {
            for placed in level.into_objects() {
                let Some(entry) = self.table.get_mut(placed.id.index()) else { continue };
                let home = core::mem::replace(&mut entry.home, NONE);
                if home == NONE {
                    others.push(placed);
                    continue;
                }
                self.displaced -= 1;
                let main = &mut self.levels[0];
                match Arc::make_mut(&mut main.tree).bring_back(home, placed) {
                    Ok(()) => {
                        main.show(home);
                        (entry.level, entry.slot, entry.home) = (0, home, home);
                    }
                    Err(placed) => others.push(placed),
                }
            }
        }
        self.merge_from(1, others);
    }

    /// Adds an object to the smallest tree, or to a new one in place of the small trees.
    fn append(&mut self, placed: Placed<V>) {
        let (id, number) = (placed.id, self.levels.len().saturating_sub(1));
        let placed = match self.levels.last_mut().filter(|last| last.tree.has_room()) {
            None => placed,
            Some(last) => match Arc::make_mut(&mut last.tree).push(placed) {
                Ok(slot) => return self.moved(id, number, slot),
                Err(placed) => placed,
            },
        };
        let (mut first, mut count) = (self.levels.len(), 1);
        while let Some(last) = first.checked_sub(1).map(|last| &self.levels[last]) {
            if last.len() >= MERGE_RATIO * count && !last.tree.is_small() {
                break;
            }
            (first, count) = (first - 1, count + last.len());
        }
        self.merge_from(first, vec![placed]);
    }

    /// Builds one tree of the objects of the levels from `first` on, and `objects`.
    fn merge_from(&mut self, first: usize, mut objects: Vec<Placed<V>>) {
        for level in self.levels.drain(first..) {
            objects.append(&mut level.into_objects());
        }
        if objects.is_empty() {
            return;
        }
        let level = Level::new(objects, self.accelerator);
        let tree = Arc::clone(&level.tree);
        self.levels.push(level);
        for (slot, placed) in (0..).zip(&tree.placed) {
            self.moved(placed.id, first, slot);
        }
    }

    /// Notes the new place of an object.
    fn moved(&mut self, id: ObjectId, level: usize, slot: u32) {
        let Some(entry) = self.table.get_mut(id.index()) else { return };
        let was_displaced = entry.is_displaced();
        (entry.level, entry.slot) = (level as u32, slot);
        if level == 0 {
            entry.home = slot;
            self.displaced -= usize::from(was_displaced);
        }
    }

    /// Updates the bounds for an object that moves.
    fn move_bounds(&mut self, old: &Aabb<V>, new: &Aabb<V>) {
        if old != new {
            self.shrink_bounds(old);
            self.bounds = self.bounds.map(|bounds| bounds.union(bounded(*new)));
        }
    }

    /// Updates the bounds for an object that leaves: they are unknown where it touched them.
    fn shrink_bounds(&mut self, old: &Aabb<V>) {
        let old = bounded(*old);
        self.bounds = self.bounds.filter(|bounds| {
            let touches = |a: V, b: V| (0..V::DIM).any(|axis| a.component(axis) == b.component(axis));
            !touches(bounds.min, old.min) && !touches(bounds.max, old.max)
        });
    }
}

impl Entry {
    /// Whether the object has a hidden slot in the main tree.
    fn is_displaced(&self) -> bool {
        self.level != NONE && self.level != 0 && self.home != NONE
    }
}

/// The box, or the empty one in place of an unbounded one.
fn bounded<V: Vector>(aabb: Aabb<V>) -> Aabb<V> {
    if aabb.is_bounded() { aabb } else { Aabb::empty() }
}
