//! Serialization of a shard.

use crate::hit::ObjectId;
use crate::little_endian::{ByteReader, ByteWriter, CHECKSUM, EndOfBytes, without_checksum, words};
use crate::mesh::topology::{ParitySurface, Topology};
use crate::scene::any::Space;
use crate::scene::saved_error::SaveError;
use crate::scene::scene::Scene;
use crate::scene::shard::error::ShardLoadError;
use crate::scene::shard::numbers::{ObjectNumber, TriangleNumbers};
use crate::scene::shard::shard::Shard;
use crate::scene::split_shape::SplitShape;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

const SHARD_MAGIC: [u8; 9] = *b"hitshard\n";

const SHARD_VERSION: u32 = 2;

/// Bytes of the header: beginning, version, length, counts of lists and objects.
const SHARD_HEADER: usize = SHARD_MAGIC.len() + 5 * 4;

/// The list of an object that the shard has as a whole.
const NO_LIST: u32 = u32::MAX;

impl<V: Space> Shard<V> {
    /// Serializes the shard with its tree and the numbers of the whole scene, for [`from_bytes`](Self::from_bytes). The
    /// bytes are the same on every machine.
    ///
    /// All numbers are little-endian and without padding:
    ///
    /// | content | size |
    /// |---|---|
    /// | `hitshard` and a line feed | 9 bytes |
    /// | version: 2 | `u32` |
    /// | length of all bytes | `u64` |
    /// | counts of lists of triangles, and of objects | 2 `u32` |
    /// | lists: see below | |
    /// | objects, in the order of insertion: slot, generation | 2 `u32` each |
    /// | number of objects that the whole scene got before each | `u64` each |
    /// | list of each object; 2^32 - 1 for an object of which the shard has the whole | `u32` each |
    /// | the bytes of [`Scene::to_bytes`], whose objects have the slots 0, 1, 2 and so on | |
    /// | CRC-32 (as in zip and PNG) of all preceding bytes | `u32` |
    ///
    /// A list is 0 or 1 (`u32`) for a topology that is unknown or known, the eight counts of [`Topology`] of the whole mesh
    /// (`u64` each), the count of triangles (`u32`), and the number of each triangle in the whole mesh (`u32`), ascending; then
    /// the same for those of these triangles that repeat an earlier one and do not count for what is inside.
    ///
    /// # Errors
    /// An object whose shape is a user geometry, or a solid with one.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        // Objects of one mesh share their list of triangles: it is written once, and each object names its place.
        let mut lists: BTreeMap<usize, u32> = BTreeMap::new();
        let (mut body, mut list_of_object) = (ByteWriter::default(), Vec::new());
        for number in &self.numbers[..] {
            list_of_object.push(number.triangles.as_ref().map_or(NO_LIST, |triangles| {
                let next = lists.len() as u32;
                *lists.entry(Arc::as_ptr(triangles) as usize).or_insert_with(|| {
                    write_list(triangles, &mut body);
                    next
                })
            }));
        }
        // Ids and orders of the whole scene, which hits of the shard need.
        self.numbers.iter().for_each(|number| body.words(&[number.id.slot(), number.id.generation()]));
        self.numbers.iter().for_each(|number| body.long(number.order));
        body.words(&list_of_object);
        // The scene with its tree, in the format that scenes have.
        body.bytes(&self.scene.to_bytes()?);
        // The header has the length, so the body is written first.
        let length = SHARD_HEADER + body.len() + CHECKSUM;
        let mut out = ByteWriter::with_capacity(length);
        out.bytes(&SHARD_MAGIC);
        out.words(&[SHARD_VERSION]);
        out.long(length as u64);
        // There are fewer than 2^32 objects, and not more lists.
        out.words(&[lists.len() as u32, self.numbers.len() as u32]);
        out.append(&body);
        Ok(out.finish())
    }

    /// Loads a shard from the bytes of [`to_bytes`](Self::to_bytes) in O(n log n), without a build. Every answer equals that of the
    /// saved shard, bit for bit.
    ///
    /// The checksum detects accidental damage. Bytes changed on purpose, with matching checksums, give an error or a valid
    /// shard: see [`Scene::from_bytes`].
    ///
    /// # Errors
    /// Bytes of another format or version; missing or additional bytes; a wrong checksum; the errors of
    /// [`Scene::from_bytes`]; numbers that do not fit the objects of the scene.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShardLoadError> {
        let [version, low, high, lists, objects] = header(bytes)?;
        if version != SHARD_VERSION {
            return Err(ShardLoadError::Version { found: version });
        }
        let expected = u64::from(low) | u64::from(high) << 32;
        if bytes.len() as u64 != expected {
            return Err(ShardLoadError::Length { expected, found: bytes.len() });
        }
        let mismatch = |[written, computed]: [u32; 2]| ShardLoadError::Checksum { written, computed };
        let mut input = ByteReader::new(without_checksum(bytes).map_err(mismatch)?, SHARD_HEADER);
        let numbers = read_numbers(&mut input, lists, objects)?;
        let at = input.position();
        let rest = bytes.len() - CHECKSUM - at;
        let scene = input.take(rest, 1).map_err(|EndOfBytes| early(at))?;
        let scene = Scene::from_bytes(scene).map_err(ShardLoadError::Scene)?;
        check(&scene, &numbers).map_err(|problem| ShardLoadError::Invalid { at, problem })?;
        Ok(Self::from_scene(scene, numbers))
    }
}

fn write_list(triangles: &TriangleNumbers, out: &mut ByteWriter) {
    out.words(&[u32::from(triangles.surface.is_some())]);
    let ParitySurface { topology, repetitions } = triangles.surface.clone().unwrap_or_default();
    let Topology { points, edges, boundary_edges, non_manifold_edges, unbalanced_edges, .. } = topology;
    let Topology { degenerate_triangles, repeated_triangles, odd_edges, .. } = topology;
    let of_edges = [points, edges, boundary_edges, non_manifold_edges, unbalanced_edges];
    for count in of_edges.into_iter().chain([degenerate_triangles, repeated_triangles, odd_edges]) {
        out.long(count as u64);
    }
    for numbers in [&triangles.numbers[..], &repetitions] {
        out.words(&[numbers.len() as u32]);
        out.words(numbers);
    }
}

/// Reads the header: version, two halves of the length, counts of lists and objects.
fn header(bytes: &[u8]) -> Result<[u32; 5], ShardLoadError> {
    match (bytes.first_chunk(), bytes.get(SHARD_MAGIC.len()..SHARD_HEADER)) {
        (Some(magic), Some(rest)) if *magic == SHARD_MAGIC => Ok(words::<5>(rest)),
        (_, None) if SHARD_MAGIC.starts_with(&bytes[..bytes.len().min(SHARD_MAGIC.len())]) => {
            Err(ShardLoadError::Length { expected: (SHARD_HEADER + CHECKSUM) as u64, found: bytes.len() })
        }
        _ => Err(ShardLoadError::NotSaved),
    }
}

fn early(at: usize) -> ShardLoadError {
    ShardLoadError::Invalid { at, problem: "it ends too early" }
}

fn read_numbers(input: &mut ByteReader<'_>, lists: u32, objects: u32) -> Result<Vec<ObjectNumber>, ShardLoadError> {
    // Lists must be ascending, since a binary search finds a triangle in them.
    let mut all = Vec::new();
    for _ in 0..lists {
        let at = input.position();
        let list = read_list(input).map_err(|EndOfBytes| early(at))?;
        let repetitions = list.surface.iter().map(|surface| &surface.repetitions[..]);
        if !repetitions.chain([&list.numbers[..]]).all(|numbers| numbers.is_sorted_by(|a, b| a < b)) {
            return Err(ShardLoadError::Invalid { at, problem: "a list of triangles that is not ascending" });
        }
        all.push(Arc::new(list));
    }
    // The columns of all objects: each has the length that the header gives.
    let at = input.position();
    let count = objects as usize;
    let mut rows = |size: usize| input.take(count, size).map_err(|EndOfBytes| early(at));
    let (ids, orders, list_of_object) = (rows(8)?, rows(8)?, rows(4)?);
    let mut numbers = Vec::new();
    // An id must be one that a scene can give, and a list must exist.
    for ((id, order), list) in ids.chunks_exact(8).zip(orders.chunks_exact(8)).zip(list_of_object.chunks_exact(4)) {
        let long = |bytes: &[u8]| u64::from(words::<2>(bytes)[0]) | u64::from(words::<2>(bytes)[1]) << 32;
        let id = ObjectId::from_bits(long(id)).ok_or(ShardLoadError::Invalid { at, problem: "an id of no object" })?;
        let triangles = match words::<1>(list)[0] {
            NO_LIST => None,
            list => Some(all.get(list as usize).cloned()).filter(Option::is_some).ok_or(ShardLoadError::Invalid {
                at,
                problem: "an object with a list of triangles that does not exist",
            })?,
        };
        numbers.push(ObjectNumber { id, order: long(order), triangles });
    }
    // The order of insertion decides ties between hits, so it must be that of the objects.
    if !numbers.is_sorted_by(|a, b| a.order < b.order) {
        return Err(ShardLoadError::Invalid { at, problem: "objects out of the order of insertion" });
    }
    // An id that occurs twice would let a hit name two objects.
    let mut ids: Vec<u64> = numbers.iter().map(|number| number.id.to_bits()).collect();
    ids.sort_unstable();
    if !ids.is_sorted_by(|a, b| a < b) {
        return Err(ShardLoadError::Invalid { at, problem: "two objects with one id" });
    }
    Ok(numbers)
}

fn read_list(input: &mut ByteReader<'_>) -> Result<TriangleNumbers, EndOfBytes> {
    let is_known = input.word()? == 1;
    let mut counts = [0; 8];
    for count in &mut counts {
        // A count beyond the memory of this machine is that of another mesh: any large one will do.
        *count = usize::try_from(input.long()?).unwrap_or(usize::MAX);
    }
    let [points, edges, boundary_edges, non_manifold_edges, unbalanced_edges, rest @ ..] = counts;
    let [degenerate_triangles, repeated_triangles, odd_edges] = rest;
    let of_edges =
        Topology { points, edges, boundary_edges, non_manifold_edges, unbalanced_edges, ..Topology::default() };
    let topology = Topology { degenerate_triangles, repeated_triangles, odd_edges, ..of_edges };
    let mut numbers = || -> Result<Vec<u32>, EndOfBytes> {
        let count = input.word()? as usize;
        Ok(input.take(count, 4)?.chunks_exact(4).map(|bytes| words::<1>(bytes)[0]).collect())
    };
    let (numbers, repetitions) = (numbers()?, numbers()?.into());
    Ok(TriangleNumbers { numbers, surface: is_known.then_some(ParitySurface { topology, repetitions }) })
}

/// Checks that a scene has the objects and triangles that have the numbers.
fn check<V: Space>(scene: &Scene<V>, numbers: &[ObjectNumber]) -> Result<(), &'static str> {
    let is_own = |(slot, (id, _)): (u32, (ObjectId, _))| id == ObjectId::new(slot, 0);
    if scene.len() != numbers.len() || !(0..).zip(scene.objects()).all(is_own) {
        return Err("a scene with other objects than those of the shard");
    }
    for ((_, object), number) in scene.objects().zip(numbers) {
        let count = object.shape().mesh_data().map(|mesh| mesh.triangles.len());
        if number.triangles.as_ref().is_some_and(|triangles| Some(triangles.numbers.len()) != count) {
            return Err("an object with a list of another number of triangles than it has");
        }
    }
    Ok(())
}
