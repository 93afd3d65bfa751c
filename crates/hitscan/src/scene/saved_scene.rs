//! Bytes of one scene, of its objects, and of the geometries that objects share.

use crate::aabb::Aabb;
use crate::bvh::options::Accelerator;
use crate::bvh::validate::NODE_SIZE;
use crate::hit::ObjectId;
use crate::little_endian::{ByteReader, ByteWriter, EndOfBytes};
use crate::queries::shape::Shape;
use crate::query::{Faces, Inside};
use crate::scene::any::Space;
use crate::scene::chunked_vec::ChunkedVec;
use crate::scene::error::SceneError;
use crate::scene::group::Group;
use crate::scene::names::Names;
use crate::scene::object::Object;
use crate::scene::object_tree::{ObjectTree, PlacedObject, bounds_of};
use crate::scene::saved_error::{SaveError, SceneLoadError};
use crate::scene::saved_instance::{ReadError, SHARED, read_shape, read_transform, write_transform};
use crate::scene::saved_shape::{SavedShape, Unsaved};
use crate::scene::saved_solid::{read_solid, write_expression};
use crate::scene::saved_tree::{MAX_SAVED_DEPTH, object_tree, topology};
use crate::scene::scene::{Entry, NONE, Scene};
use crate::scene::tree_level::TreeLevel;
use crate::solid::solid::Solid;
use crate::stable_sort::stable_sort_by_key;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::str;

/// Kinds of geometries.
const MESH: u32 = 0;
const GROUP: u32 = 1;
const SOLID: u32 = 2;

/// Bits of the flags of an object: two of faces, two of inside, then these.
const INSIDE_SHIFT: u32 = 2;
const HAS_TRANSFORM: u32 = 1 << 4;
const HAS_NAME: u32 = 1 << 5;
const IS_TRIGGER: u32 = 1 << 6;

/// Writer of geometries: each is written once, before the first scene that uses it.
#[derive(Default)]
pub(crate) struct GeometryWriter {
    pub(crate) out: ByteWriter,
    /// Numbers of the geometries by their addresses.
    numbers: BTreeMap<usize, u32>,
}

impl GeometryWriter {
    /// The number of geometries.
    pub(crate) fn count(&self) -> u32 {
        self.numbers.len() as u32
    }

    /// Writes the geometries of a scene, and returns the bytes of the scene. `path` has the objects around it.
    pub(crate) fn scene<V: Space>(
        &mut self,
        scene: &Scene<V>,
        path: &mut Vec<ObjectId>,
    ) -> Result<ByteWriter, SaveError> {
        // The format has one tree: that of the scene, if edits have left it whole.
        let tree = one_tree(scene);
        let tree = tree.as_deref();
        let slots = tree.map_or(&[][..], |tree| &tree.placed);
        // Objects are written in the order of insertion, which the reader checks, and the leaves name them by their
        // numbers in this order.
        let mut placed: Vec<(usize, &PlacedObject<V>)> =
            slots.iter().enumerate().filter(|(_, placed)| placed.id != ObjectId::NONE).collect();
        stable_sort_by_key(&mut placed, |(_, placed)| placed.order);
        let mut numbers = vec![NONE; slots.len()];
        (0..).zip(&placed).for_each(|(number, (slot, _))| numbers[*slot] = number);
        // The tree without its boxes: the reader computes them from the objects, so wrong boxes cannot be saved.
        let (nodes, bounded) =
            tree.and_then(|tree| tree.index.tree()).map_or_else(Default::default, |tree| topology(tree, &numbers));
        // Vacant slots keep their order, so that later objects get the same ids as in the saved scene.
        let vacant = vacant_slots(scene);
        let counts = [scene.table.len(), vacant.len(), placed.len(), nodes.len()];
        // The counts come first, so that a reader can check them before it allocates memory.
        let mut out = ByteWriter::default();
        out.words(&[match scene.accelerator {
            Accelerator::Bvh => 0,
            Accelerator::LinearScan => 1,
        }]);
        // There are fewer than 2^32 slots, and fewer nodes than objects.
        out.words(&counts.map(|count| count as u32));
        out.long(scene.next_order);
        scene.table.iter().for_each(|entry| out.words(&[entry.generation]));
        out.words(&vacant);
        // `path` names the objects down to the present one, for an error about a shape that cannot be saved.
        for (_, placed) in placed {
            path.push(placed.id);
            self.object(placed, path, &mut out)?;
            path.pop();
        }
        // The topology follows the objects, whose number bounds it.
        nodes.iter().for_each(|children| out.words(children));
        out.words(&bounded);
        Ok(out)
    }

    fn object<V: Space>(
        &mut self,
        placed: &PlacedObject<V>,
        path: &mut Vec<ObjectId>,
        out: &mut ByteWriter,
    ) -> Result<(), SaveError> {
        // Numbers of fixed size first; the flags say which of the optional parts follow.
        let object = &placed.object;
        let (transform, name) = (object.transform(), object.name());
        out.words(&[placed.id.slot()]);
        out.long(placed.order);
        out.long(object.user_data());
        let transform_flag = if transform.is_some() { HAS_TRANSFORM } else { 0 };
        let name_flag = if name.is_some() { HAS_NAME } else { 0 };
        let trigger_flag = if object.is_trigger { IS_TRIGGER } else { 0 };
        out.words(&[object.layers, rules(object) | transform_flag | name_flag | trigger_flag]);
        if let Some(name) = name {
            out.words(&[name.len() as u32]);
            out.bytes(name.as_bytes());
        }
        if let Some(transform) = transform {
            write_transform(transform, out);
        }
        self.shape::<V>(object.shape(), path, out)
    }

    /// Writes a shape. A mesh, a group or a solid is stored once and named by its number. Other shapes are written in place.
    fn shape<V: Space>(
        &mut self,
        shape: &V::Shape,
        path: &mut Vec<ObjectId>,
        out: &mut ByteWriter,
    ) -> Result<(), SaveError> {
        match self.geometry::<V>(shape, path)? {
            Some(number) => out.words(&[SHARED, number]),
            None => shape.write(out).map_err(|Unsaved| SaveError::Shape { path: path.clone() })?,
        }
        Ok(())
    }

    /// The bytes of a solid: its expression, then its leaves.
    fn solid<V: Space>(&mut self, solid: &Solid<V>, path: &mut Vec<ObjectId>) -> Result<ByteWriter, SaveError> {
        let mut out = ByteWriter::default();
        write_expression(&solid.0.expression, &mut out);
        for leaf in solid.leaves() {
            out.words(&[u32::from(leaf.transform().is_some())]);
            if let Some(transform) = leaf.transform() {
                write_transform(transform, &mut out);
            }
            self.shape::<V>(leaf.shape(), path, &mut out)?;
        }
        Ok(out)
    }

    /// The number of a mesh, a group or a solid, which is written if it is new.
    fn geometry<V: Space>(&mut self, shape: &V::Shape, path: &mut Vec<ObjectId>) -> Result<Option<u32>, SaveError> {
        let (group, solid, mesh) = (V::as_group(shape), V::as_solid(shape), shape.mesh());
        let address = mesh.as_ref().map(|mesh| mesh.0).or(group.map(Group::address)).or(solid.map(Solid::address));
        let Some(address) = address else { return Ok(None) };
        if let Some(&number) = self.numbers.get(&address) {
            return Ok(Some(number));
        }
        if let Some((_, to_bytes)) = mesh {
            let bytes = to_bytes();
            self.out.words(&[MESH]);
            self.out.long(bytes.len() as u64);
            self.out.bytes(&bytes);
        } else if let Some(scene) = group.and_then(Group::scene::<Scene<V>>) {
            let inner = self.scene(scene, path)?;
            self.out.words(&[GROUP]);
            self.out.append(&inner);
        } else if let Some(solid) = solid {
            let inner = self.solid(solid, path)?;
            self.out.words(&[SOLID]);
            self.out.append(&inner);
        }
        let number = self.count();
        self.numbers.insert(address, number);
        Ok(Some(number))
    }
}

/// The tree of all objects: that of the scene, or a new one in place of two.
fn one_tree<V: Space>(scene: &Scene<V>) -> Option<Arc<ObjectTree<V>>> {
    match &scene.levels[..] {
        _ if scene.is_empty() => None,
        [level] if level.is_whole() && level.tree.statistics().depth <= MAX_SAVED_DEPTH => Some(level.tree.clone()),
        _ => {
            let mut whole = scene.clone();
            whole.rebuild();
            whole.levels.pop().map(|level| level.tree)
        }
    }
}

/// The vacant slots in the order in which later objects get them.
fn vacant_slots<V: Space>(scene: &Scene<V>) -> Vec<u32> {
    let (mut slots, mut next) = (Vec::new(), scene.vacant);
    while let Some(entry) = scene.table.get(next as usize) {
        slots.push(next);
        next = entry.slot;
    }
    slots
}

/// Flags of faces and inside rule.
fn rules<V: Space>(object: &Object<V>) -> u32 {
    let faces = match object.faces {
        None => 0,
        Some(Faces::Both) => 1,
        Some(Faces::Front) => 2,
        Some(Faces::Back) => 3,
    };
    let inside = match object.inside {
        None => 0,
        Some(Inside::Solid) => 1,
        Some(Inside::Hollow) => 2,
    };
    faces | inside << INSIDE_SHIFT
}

/// Reads the geometries: meshes, and groups and solids of the geometries before them.
pub(crate) fn read_geometries<V: Space>(
    input: &mut ByteReader<'_>,
    count: u32,
) -> Result<Vec<V::Shape>, SceneLoadError> {
    let mut geometries = Vec::new();
    for _ in 0..count {
        let at = input.position();
        let geometry = read_geometry::<V>(input, &geometries).map_err(|error| error.of_part(at))?;
        geometries.push(geometry);
    }
    Ok(geometries)
}

fn read_geometry<V: Space>(input: &mut ByteReader<'_>, before: &[V::Shape]) -> Result<V::Shape, ReadError> {
    let at = input.position();
    match input.word()? {
        MESH => {
            let length = usize::try_from(input.long()?).map_err(|_| EndOfBytes)?;
            let mesh = V::Shape::of_mesh(input.take(length, 1)?).ok_or(ReadError::Problem("a mesh in the plane"))?;
            Ok(mesh.map_err(|error| SceneLoadError::Mesh { at, error })?)
        }
        GROUP => {
            let scene = read_scene::<V>(input, before)?;
            Ok(V::Shape::from(Group::new(scene).map_err(|error| SceneLoadError::Scene { at, error })?))
        }
        SOLID => Ok(V::Shape::from(read_solid::<V>(input, before)?)),
        _ => Err(ReadError::Problem("a geometry that is neither a mesh, a group nor a solid")),
    }
}

/// Reads a scene whose objects may use these geometries.
pub(crate) fn read_scene<V: Space>(
    input: &mut ByteReader<'_>,
    geometries: &[V::Shape],
) -> Result<Scene<V>, SceneLoadError> {
    let at = input.position();
    scene_of(input, geometries).map_err(|error| error.of_part(at))
}

fn scene_of<V: Space>(input: &mut ByteReader<'_>, geometries: &[V::Shape]) -> Result<Scene<V>, ReadError> {
    // The kind of accelerator, and the counts of everything that follows.
    let accelerator = match input.word()? {
        0 => Accelerator::Bvh,
        1 => Accelerator::LinearScan,
        _ => return Err(ReadError::Problem("a scene with an unknown accelerator")),
    };
    let [slots, vacant, len, nodes] = input.words::<4>()?.map(|count| count as usize);
    // The order of insertion is a count of the future, too: it must never reach its end.
    let next_order = input.long()?;
    // Inserting one object each nanosecond reaches this number after three centuries.
    if next_order > u64::MAX / 2 {
        return Err(ReadError::Problem("a scene with too many insertions"));
    }
    // The table of ids, without the places of the objects: these follow from the tree.
    let mut table = Table::read(input, slots, vacant)?;
    let (mut objects, mut boxes) = (Vec::new(), Vec::new());
    let (mut names, mut bounds) = (Names::default(), Aabb::empty());
    // Each object with all rules that an insertion checks. `next` is the least order that the object may have.
    let mut next = 0;
    for number in 0..len {
        let at = input.position();
        let placed = read_object(input, geometries, &mut table).map_err(|error| error.of_part(at))?;
        let object = &placed.object;
        Scene::check(object, &names, number).map_err(|error: SceneError| SceneLoadError::Scene { at, error })?;
        if !(next..next_order).contains(&placed.order) {
            return Err(SceneLoadError::Invalid { at, problem: "an object out of the order of insertion" }.into());
        }
        next = placed.order + 1;
        // What the scene knows beside its trees: the names, the box of all objects, and the box of each.
        if let Some(name) = &object.name {
            names.insert(name.clone(), placed.id);
        }
        let aabb = object.instance.0.aabb();
        if aabb.is_bounded() {
            bounds = bounds.union(aabb);
        }
        boxes.push(bounds_of(&aabb));
        objects.push(placed);
    }
    // A BVH must name every bounded object. How often, `object_tree` checks.
    let nodes = input.take(nodes, NODE_SIZE)?;
    let bounded = (0..).zip(&boxes).filter(|(_, bounds)| bounds.is_some()).map(|(number, _)| number);
    let bounded: Vec<u32> = match accelerator {
        Accelerator::LinearScan if nodes.is_empty() => bounded.collect(),
        Accelerator::LinearScan => return Err(ReadError::Problem("a scene with nodes for its linear scan")),
        Accelerator::Bvh => {
            let mut read = Vec::new();
            for _ in bounded {
                read.push(input.word()?);
            }
            read
        }
    };
    // The scene without its tree. The tree gets boxes from the objects, and the table learns the slots.
    let mut scene = Scene { len, next_order, names, accelerator, bounds: Some(bounds), ..Scene::new() };
    if !objects.is_empty() {
        let tree = object_tree((objects, &boxes), accelerator, nodes, &bounded)?;
        table.note(&tree.placed);
        scene.levels.push(TreeLevel::of_tree(tree));
    } else if !nodes.is_empty() {
        return Err(ReadError::Problem("a scene with nodes but no objects"));
    }
    // Each id is in use, vacant or retired, and none is two of them.
    (scene.table, scene.vacant) = table.finish()?;
    Ok(scene)
}

/// Table of slots that is being read.
struct Table {
    generations: Vec<u32>,
    vacant: Vec<u32>,
    entries: Vec<Option<Entry>>,
}

impl Table {
    fn read(input: &mut ByteReader<'_>, slots: usize, vacant: usize) -> Result<Self, ReadError> {
        let mut list = |count: usize| -> Result<Vec<u32>, EndOfBytes> {
            let words = input.take(count, 4)?.as_chunks().0;
            Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
        };
        let (generations, vacant) = (list(slots)?, list(vacant)?);
        if generations.contains(&u32::MAX) {
            return Err(ReadError::Problem("a slot with too high a generation"));
        }
        let entries = vec![None; generations.len()];
        Ok(Self { generations, vacant, entries })
    }

    /// Gives a slot to an object, and returns the id of the object.
    fn occupy(&mut self, slot: u32) -> Result<ObjectId, ReadError> {
        let generation = *self.generations.get(slot as usize).ok_or(ReadError::Problem("an object in no slot"))?;
        self.set(slot, Entry { generation, level: 0, slot: NONE })?;
        Ok(ObjectId::new(slot, generation))
    }

    fn set(&mut self, slot: u32, entry: Entry) -> Result<(), ReadError> {
        match self.entries.get_mut(slot as usize) {
            Some(vacant @ None) => *vacant = Some(entry),
            Some(_) => return Err(ReadError::Problem("two objects in one slot, or an object in a vacant one")),
            None => return Err(ReadError::Problem("a vacant slot that does not exist")),
        }
        Ok(())
    }

    /// Notes where the objects are.
    fn note<V: Space>(&mut self, placed: &[PlacedObject<V>]) {
        for (slot, placed) in (0..).zip(placed) {
            if let Some(Some(entry)) = self.entries.get_mut(placed.id.index()) {
                entry.slot = slot;
            }
        }
    }

    /// The table and the first vacant slot.
    fn finish(mut self) -> Result<(ChunkedVec<Entry>, u32), ReadError> {
        let mut next = NONE;
        for slot in core::mem::take(&mut self.vacant).into_iter().rev() {
            let generation = self.generations.get(slot as usize).copied().unwrap_or_default();
            self.set(slot, Entry { generation, level: NONE, slot: next })?;
            next = slot;
        }
        let mut table = ChunkedVec::new();
        for (entry, generation) in self.entries.into_iter().zip(self.generations) {
            // A slot whose generations are used up is neither vacant nor in use.
            let is_retired = generation == u32::MAX - 1;
            let retired = is_retired.then_some(Entry { generation, level: NONE, slot: NONE });
            table.push(entry.or(retired).ok_or(ReadError::Problem("a slot neither vacant nor in use"))?);
        }
        Ok((table, next))
    }
}

fn read_object<V: Space>(
    input: &mut ByteReader<'_>,
    geometries: &[V::Shape],
    table: &mut Table,
) -> Result<PlacedObject<V>, ReadError> {
    // The part of fixed size; the flags say what else follows.
    let at = input.position();
    let slot = input.word()?;
    let (order, user_data) = (input.long()?, input.long()?);
    let [layers, flags] = input.words()?;
    let name = if flags & HAS_NAME != 0 { Some(read_name(input)?) } else { None };
    let transform = if flags & HAS_TRANSFORM != 0 { Some(read_transform(input, at)?) } else { None };
    let shape = read_shape::<V>(input, geometries)?;
    // What is left of the flags must be known rules, so that a newer format is not read wrongly.
    let mut object = Object::new(shape).on_layers(layers).with_user_data(user_data);
    (object.faces, object.inside) = read_rules(flags & !(HAS_NAME | HAS_TRANSFORM | IS_TRIGGER))?;
    object.is_trigger = flags & IS_TRIGGER != 0;
    object.name = name;
    if let Some(transform) = transform {
        object.instance.0.set_transform(transform);
    }
    // The slot gets its object here, and cannot get another one.
    Ok(PlacedObject { object, id: table.occupy(slot)?, order })
}

fn read_name(input: &mut ByteReader<'_>) -> Result<Arc<str>, ReadError> {
    let length = input.word()? as usize;
    let name = str::from_utf8(input.take(length, 1)?).map_err(|_| ReadError::Problem("a name that is not UTF-8"))?;
    Ok(Arc::from(String::from(name)))
}

fn read_rules(flags: u32) -> Result<(Option<Faces>, Option<Inside>), ReadError> {
    let faces = match flags & 3 {
        0 => None,
        1 => Some(Faces::Both),
        2 => Some(Faces::Front),
        _ => Some(Faces::Back),
    };
    let inside = match flags >> INSIDE_SHIFT {
        0 => None,
        1 => Some(Inside::Solid),
        2 => Some(Inside::Hollow),
        _ => return Err(ReadError::Problem("an object with unknown flags")),
    };
    Ok((faces, inside))
}
