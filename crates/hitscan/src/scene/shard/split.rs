//! The split of a scene into shards.
//!
//! # Method
//! Recursive coordinate bisection: the pieces of the scene are sorted by the centers of their boxes along the longest axis,
//! and cut where each side has its share of the weight. A piece is an object, or a triangle of a large mesh. A large mesh
//! that several objects place is cut in its own coordinates, and each shard has the same part of it in all these objects: so
//! no triangle is stored twice.
//!
//! # Source
//! Berger, Bokhari, *A Partitioning Strategy for Nonuniform Problems on Multiprocessors*, IEEE Transactions on Computers
//! C-36, 1987.

use crate::aabb::Aabb;
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::scene::any::Space;
use crate::scene::group::Group;
use crate::scene::object::Object;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene::Scene;
use crate::scene::shard::error::{MAX_SHARDS, ShardError};
use crate::scene::shard::numbers::{ObjectNumber, TriangleNumbers};
use crate::scene::shard::shard::{Shard, some_triangles, with_shape};
use crate::scene::split_shape::{MeshData, SplitShape};
use crate::scene::transformed_shape::TransformedShape;
use crate::scene::tree_level::TreeLevel;
use crate::stable_sort::{stable_sort_by, stable_sort_by_key};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// Share of the triangles of a shard up to which a mesh stays whole, as one part of this many.
const WHOLE_MESH_SHARE: u64 = 8;

impl<V: Space> Scene<V> {
    /// Splits the scene into shards of about equally many triangles, each with a BVH of its own: for scenes larger than the
    /// memory of a machine. A shape that is no mesh belongs to one shard. So does a mesh with less than an eighth of the
    /// triangles of a shard; a larger one is split by triangle. A group stays whole. Shards of few objects may be empty.
    ///
    /// Hits of a shard have the ids and triangle numbers of this scene: see [`Shard`]. O(n log n log `count`) in the number of
    /// objects and triangles, and it computes the topology of each mesh that it splits.
    ///
    /// # Errors
    /// A count of 0, or of more than 2^16.
    pub fn split(&self, count: usize) -> Result<Vec<Shard<V>>, ShardError> {
        if !(1..=MAX_SHARDS).contains(&count) {
            return Err(ShardError::Count { given: count });
        }
        let mut placed: Vec<&PlacedObject<V>> = self.levels.iter().flat_map(TreeLevel::objects).collect();
        stable_sort_by_key(&mut placed, |placed| placed.order);
        Ok(Splitter::new(&placed, count).shards(self))
    }
}

/// An object, or a triangle of one.
#[derive(Clone, Copy)]
struct Piece {
    center: [f32; 3],
    object: u32,
    /// The triangle; `WHOLE` for an object as a whole.
    triangle: u32,
    weight: u64,
}

const WHOLE: u32 = u32::MAX;

/// The triangles of a mesh in each shard, ascending.
type TrianglesOfShards = Arc<Vec<Vec<u32>>>;

/// The triangles of a mesh that a shard has, as a mesh.
type MeshPart<V> = (Arc<TriangleNumbers>, <V as Space>::Shape);

struct Splitter<'a, V: Space> {
    placed: &'a [&'a PlacedObject<V>],
    /// For each shard its pieces, in the order of objects and triangles.
    pieces: Vec<Vec<(u32, u32)>>,
    /// For an object of a large mesh that several objects place: the triangles of each shard.
    shared: BTreeMap<u32, TrianglesOfShards>,
    count: usize,
}

impl<'a, V: Space> Splitter<'a, V> {
    fn new(placed: &'a [&'a PlacedObject<V>], count: usize) -> Self {
        // Objects of one mesh or group share its memory, so its weight is divided among them.
        let mut weights = Weights::default();
        for placed in placed {
            weights.count_placement::<V>(placed.object.shape());
        }
        let own: Vec<u64> = placed.iter().map(|placed| weights.of_placement::<V>(placed.object.shape())).collect();
        let whole: u64 = own.iter().sum();
        // The weight up to which a mesh stays whole: a small part of a shard's share.
        let large = whole / (count as u64 * WHOLE_MESH_SHARE);
        let (mut pieces, mut shared) = (Vec::new(), BTreeMap::new());
        let mut cuts: BTreeMap<usize, TrianglesOfShards> = BTreeMap::new();
        // Each object becomes one piece or many. The three ways are those of the module's method.
        for ((object, placed), weight) in (0..).zip(placed).zip(own) {
            let instance = &placed.object.instance.0;
            match instance.shape.mesh_data().filter(|mesh| count > 1 && mesh.triangles.len() as u64 > large) {
                None => {
                    // An object as one piece, at the centre of its box.
                    let center = center(instance.aabb());
                    pieces.push(Piece { center, object, triangle: WHOLE, weight });
                }
                // A large mesh with several objects: one cut in its own coordinates serves them all.
                Some(mesh) if weights.placements(mesh.address) > 1 => {
                    let cut = cuts.entry(mesh.address).or_insert_with(|| Arc::new(cut_mesh(&mesh, count)));
                    shared.insert(object, cut.clone());
                }
                // A large mesh of one object: each triangle is a piece, at its place in the scene.
                Some(mesh) => pieces.extend(pieces_of(object, instance, &mesh)),
            }
        }
        // The cut by recursive bisection; then the order of objects and triangles, which shards keep.
        let mut of_shards = vec![Vec::new(); count];
        cut(&mut pieces, &mut of_shards);
        of_shards.iter_mut().for_each(|pieces| stable_sort_by_key(pieces, |piece| *piece));
        Self { placed, pieces: of_shards, shared, count }
    }

    fn shards(&self, scene: &Scene<V>) -> Vec<Shard<V>> {
        // Objects of one mesh share its parts.
        let mut parts: Vec<BTreeMap<usize, MeshPart<V>>> = vec![BTreeMap::new(); self.count];
        let mut shard = |number: usize| {
            // The pieces of a shard, object by object: whole, or with the triangles that fell to this shard.
            let mut objects: Vec<(u32, ObjectNumber, Object<V>)> = Vec::new();
            for pieces in self.pieces[number].chunk_by(|a, b| a.0 == b.0) {
                let object = pieces[0].0;
                let triangles = pieces.iter().map(|(_, triangle)| *triangle);
                objects.extend(self.piece(object, triangles.filter(|triangle| *triangle != WHOLE).collect()));
            }
            // Meshes that several objects place: the first object builds the part of this shard, and the others share
            // it.
            for (&object, cut) in &self.shared {
                let placed = self.placed[object as usize];
                let Some(mesh) = placed.object.shape().mesh_data() else { continue };
                if let Some((triangles, shape)) = parts[number].get(&mesh.address) {
                    let number = number_of(placed, Some(triangles.clone()));
                    objects.push((object, number, with_shape(&placed.object, shape.clone())));
                } else if let Some(part) = self.piece(object, cut[number].clone()) {
                    if let (_, ObjectNumber { triangles: Some(triangles), .. }, whole) = &part {
                        parts[number].insert(mesh.address, (triangles.clone(), whole.shape().clone()));
                    }
                    objects.push(part);
                }
            }
            // The order of insertion decides ties, so each shard keeps it.
            stable_sort_by_key(&mut objects, |(object, ..)| *object);
            Shard::from_objects(objects.into_iter().map(|(_, number, object)| (number, object)), scene.accelerator)
        };
        (0..self.count).map(&mut shard).collect()
    }

    /// The part of an object with these triangles; the whole object if there are none.
    fn piece(&self, object: u32, numbers: Vec<u32>) -> Option<(u32, ObjectNumber, Object<V>)> {
        let placed = self.placed[object as usize];
        let mesh = placed.object.shape().mesh_data();
        match mesh {
            Some(mesh) if !numbers.is_empty() => {
                let (vertices, triangles) = some_triangles(&mesh, &numbers);
                let shape = V::Shape::of_triangles(vertices, triangles, None)?;
                let surface = Some(mesh.parity_surface().among(&numbers));
                let triangles = Arc::new(TriangleNumbers { numbers, surface });
                Some((object, number_of(placed, Some(triangles)), with_shape(&placed.object, shape)))
            }
            // A shard without triangles of a mesh that several objects place.
            Some(_) if self.shared.contains_key(&object) => None,
            _ => Some((object, number_of(placed, None), placed.object.clone())),
        }
    }
}

fn number_of<V: Space>(placed: &PlacedObject<V>, triangles: Option<Arc<TriangleNumbers>>) -> ObjectNumber {
    ObjectNumber { id: placed.id, order: placed.order, triangles }
}

/// Center of a box; of an unbounded one the origin.
fn center<V: Vector>(bounds: Aabb<V>) -> [f32; 3] {
    if !bounds.is_bounded() {
        return [0.0; 3];
    }
    let (min, max) = (bounds.min.to_f64(), bounds.max.to_f64());
    core::array::from_fn(|axis| (min[axis] * 0.5 + max[axis] * 0.5) as f32)
}

/// The triangles of an object as pieces, at their places in the scene.
fn pieces_of<'a, V: Space>(
    object: u32,
    instance: &'a TransformedShape<V>,
    mesh: &MeshData<'a, V>,
) -> impl Iterator<Item = Piece> + use<'a, V> {
    let map = instance.transform().map(|map| (map.columns(), map.translation().to_f64()));
    let (vertices, triangles) = (mesh.vertices, mesh.triangles);
    (0..).zip(triangles).map(move |(triangle, corners)| {
        let local = centroid(vertices, corners);
        let at = |axis: usize| match &map {
            None => local[axis],
            Some((columns, translation)) => {
                (0..3).fold(translation[axis], |sum, column| columns[column][axis] * local[column] + sum)
            }
        };
        let center = core::array::from_fn(|axis| at(axis) as f32);
        Piece { center, object, triangle, weight: 1 }
    })
}

fn centroid<V: Vector>(vertices: &[V], corners: &[u32; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|vertex| vertices[vertex as usize].to_f64());
    core::array::from_fn(|axis| a[axis] / 3.0 + b[axis] / 3.0 + c[axis] / 3.0)
}

/// The triangles of a mesh for each of several shards.
fn cut_mesh<V: Vector>(mesh: &MeshData<'_, V>, count: usize) -> Vec<Vec<u32>> {
    let piece = |(triangle, corners): (u32, &[u32; 3])| {
        let center = centroid(mesh.vertices, corners).map(|x| x as f32);
        Piece { center, object: 0, triangle, weight: 1 }
    };
    let mut pieces: Vec<Piece> = (0..).zip(mesh.triangles).map(piece).collect();
    let mut of_shards = vec![Vec::new(); count];
    cut(&mut pieces, &mut of_shards);
    let triangles = |mut pieces: Vec<(u32, u32)>| -> Vec<u32> {
        stable_sort_by_key(&mut pieces, |piece| *piece);
        pieces.into_iter().map(|(_, triangle)| triangle).collect()
    };
    of_shards.into_iter().map(triangles).collect()
}

/// Deals pieces to shards, each of about the same weight.
fn cut(pieces: &mut [Piece], shards: &mut [Vec<(u32, u32)>]) {
    // One shard left: it gets all pieces.
    if let [shard] = shards {
        return shard.extend(pieces.iter().map(|piece| (piece.object, piece.triangle)));
    }
    // The longest axis of the centres gives the most compact halves.
    let extent = |axis: usize| {
        let axis = pieces.iter().map(|piece| piece.center[axis]);
        axis.clone().fold(f32::NEG_INFINITY, f32::max) - axis.fold(f32::INFINITY, f32::min)
    };
    let extents = [extent(0), extent(1), extent(2)];
    let axis = (0..3).fold(0, |best, axis| if extents[axis] > extents[best] { axis } else { best });
    // Equal centres are ordered by object and triangle, so that the split does not depend on the sort.
    stable_sort_by(pieces, |a: &Piece, b| {
        let place = |piece: &Piece| (piece.object, piece.triangle);
        a.center[axis].total_cmp(&b.center[axis]).then(place(a).cmp(&place(b)))
    });
    // With an odd number of shards, the halves get shares of the weight in proportion to their shards.
    let (few, all) = (shards.len() / 2, shards.len());
    let weight: u64 = pieces.iter().map(|piece| piece.weight).sum();
    let goal = (u128::from(weight) * few as u128 / all as u128) as u64;
    let mut sum = 0;
    let first = pieces.iter().take_while(|piece| {
        // A piece belongs to the side that has most of it.
        sum += piece.weight;
        sum - piece.weight / 2 <= goal
    });
    // Both sides are cut further on their own.
    let (low, high) = pieces.split_at_mut(first.count());
    let (few, many) = shards.split_at_mut(few);
    cut(low, few);
    cut(high, many);
}

/// Weights of shapes: the triangles of a mesh, the sum over the objects of a group, 1 for another shape.
#[derive(Default)]
struct Weights {
    placements: BTreeMap<usize, u64>,
    groups: BTreeMap<usize, u64>,
}

impl Weights {
    /// Address of the memory that several objects of one shape share.
    fn address<V: Space>(shape: &V::Shape) -> Option<usize> {
        let mesh = shape.mesh_data().map(|mesh| mesh.address);
        mesh.or_else(|| V::as_group(shape).map(Group::address))
    }

    fn count_placement<V: Space>(&mut self, shape: &V::Shape) {
        if let Some(address) = Self::address::<V>(shape) {
            *self.placements.entry(address).or_default() += 1;
        }
    }

    fn placements(&self, address: usize) -> u64 {
        self.placements.get(&address).copied().unwrap_or(1).max(1)
    }

    /// Share of one object in the weight of its shape, at least 1.
    fn of_placement<V: Space>(&mut self, shape: &V::Shape) -> u64 {
        let placements = Self::address::<V>(shape).map_or(1, |address| self.placements(address));
        1 + self.of::<V>(shape) / placements
    }

    fn of<V: Space>(&mut self, shape: &V::Shape) -> u64 {
        if let Some(mesh) = shape.mesh_data() {
            return mesh.triangles.len() as u64;
        }
        let Some(group) = V::as_group(shape) else { return 1 };
        if let Some(&weight) = self.groups.get(&group.address()) {
            return weight;
        }
        let weight = group.objects().fold(0, |sum: u64, (_, object)| sum.saturating_add(self.of::<V>(object.shape())));
        self.groups.insert(group.address(), weight);
        weight
    }
}
