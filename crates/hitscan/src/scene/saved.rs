//! Serialization of a scene with its tree, its meshes and its groups.

use crate::little_endian::{ByteReader, ByteWriter, CHECKSUM, coordinate_size, without_checksum, words};
use crate::scene::any::Space;
use crate::scene::saved_error::{SaveError, SceneLoadError};
use crate::scene::saved_scene::{GeometryWriter, read_geometries, read_scene};
use crate::scene::scene::Scene;
use alloc::vec::Vec;

const SCENE_MAGIC: [u8; 9] = *b"hitscene\n";

const SCENE_VERSION: u32 = 1;

/// Bytes of the header: beginning, version, dimension, bytes per number, length, count of geometries.
const SCENE_HEADER: usize = SCENE_MAGIC.len() + 6 * 4;

impl<V: Space> Scene<V> {
    /// Serializes the scene with its tree, its meshes and its groups, for [`from_bytes`](Self::from_bytes). The bytes are
    /// the same on every machine.
    ///
    /// All numbers are little-endian and without padding. A number of the scene is an `f32` or an `f64`, a vector has two
    /// or three numbers:
    ///
    /// | content | size |
    /// |---|---|
    /// | `hitscene` and a line feed | 9 bytes |
    /// | version: 1 | `u32` |
    /// | dimension: 2 or 3 | `u32` |
    /// | bytes per number: 4 or 8 | `u32` |
    /// | length of all bytes | `u64` |
    /// | count of geometries that objects share: meshes, groups and solids | `u32` |
    /// | geometries; a group or a solid comes after those that it uses | see below |
    /// | the scene | see below |
    /// | CRC-32 (as in zip and PNG) of all preceding bytes | `u32` |
    ///
    /// A mesh is 0 (`u32`), its length (`u64`), and the bytes of
    /// [`TriangleMesh::to_bytes`](crate::TriangleMesh::to_bytes). A group is 1 (`u32`), and its scene. A solid is 2 (`u32`), and:
    ///
    /// | content | size |
    /// |---|---|
    /// | counts of leaves and operations | 2 `u32` |
    /// | the root, as an operand: 0 a leaf, 1 an operation, plus 2 for its complement; and its number | 2 `u32` |
    /// | each operation: 0 an intersection, 1 a union; the count of its operands, and each of them. An operation comes before those that it uses | 2 `u32`, 2 `u32` each |
    /// | each leaf: 1 with a transform, else 0; the transform; kind and numbers of its shape, as of an object | see below |
    ///
    /// A scene is:
    ///
    /// | content | size |
    /// |---|---|
    /// | accelerator: 0 a BVH, 1 a linear scan | `u32` |
    /// | counts of slots, vacant slots, objects, nodes | 4 `u32` |
    /// | number of objects ever inserted | `u64` |
    /// | generation of each slot: of its object, or of the next one | `u32` each |
    /// | vacant slots, in the order in which later objects get them | `u32` each |
    /// | objects, in the order of insertion | see below |
    /// | nodes: 16 children; a later node is its index; a leaf is 2^31, plus 2^27 if it has two objects, plus the place of its first object in the next row; an empty child is 2^32 - 1 | 16 `u32` each |
    /// | numbers of the bounded objects, in the order of the leaves | `u32` each |
    ///
    /// An object is:
    ///
    /// | content | size |
    /// |---|---|
    /// | slot | `u32` |
    /// | number of objects inserted before | `u64` |
    /// | number of the user's | `u64` |
    /// | layers | `u32` |
    /// | faces (0 the query's, 1 both, 2 front, 3 back), plus 4 times inside (0 the query's, 1 solid, 2 hollow), plus 16 with a transform, plus 32 with a name, plus 64 for a trigger | `u32` |
    /// | if it has a name: its length, and the name in UTF-8 | `u32`, bytes |
    /// | if it has a transform: its axes, and the translation | 3 or 4 vectors |
    /// | kind of its shape | `u32` |
    /// | numbers of its shape | see below |
    ///
    /// | kind | shape | numbers |
    /// |---|---|---|
    /// | 0 | a geometry | its place among the geometries: `u32` |
    /// | 1 | sphere, circle | center, radius |
    /// | 2, 3 | half-space, plane; half-plane, line | point, normal |
    /// | 4 | cuboid, rectangle | center, half extents |
    /// | 5 | oriented box | center, half extents, axes |
    /// | 6 | capsule | two ends, radius |
    /// | 7 | ellipsoid, ellipse | center, radii, axes |
    /// | 8 | triangle | three vertices |
    /// | 9 | disk | center, normal, radius |
    /// | 10 | cylinder | two ends, radius |
    /// | 11 | cone | base, apex, radius |
    /// | 12 | frustum | two ends, two radii |
    /// | 13 | segment | two ends |
    /// | 14 | convex polygon | count of vertices (`u32`), vertices |
    ///
    /// The boxes of the tree are those of the objects. Nodes of 16 children are a property of the format, not of the
    /// machine: an engine with nodes of another width reads the leaves from them. While a snapshot keeps edits beside the
    /// main tree, one new tree of all objects is written in place of both.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, SceneLoadError, Sphere};
    /// let mut scene = Scene::new();
    /// let ball = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?).named("ball"))?;
    /// let mut bytes = scene.to_bytes()?; // for a file
    ///
    /// let loaded = Scene::<Vec3>::from_bytes(&bytes)?;
    /// let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    /// assert_eq!(loaded.cast_ray(&ray, ..), scene.cast_ray(&ray, ..));
    /// assert_eq!(loaded.find("ball"), Some(ball));
    /// bytes[40] ^= 1;
    /// assert!(matches!(Scene::<Vec3>::from_bytes(&bytes), Err(SceneLoadError::Checksum { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An object whose shape is a user geometry, or a solid with one.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        let mut geometries = GeometryWriter::default();
        let scene = geometries.scene(self, &mut Vec::new())?;
        let length = SCENE_HEADER + geometries.out.len() + scene.len() + CHECKSUM;
        let mut out = ByteWriter::with_capacity(length);
        out.bytes(&SCENE_MAGIC);
        out.words(&[SCENE_VERSION, V::DIM as u32, coordinate_size::<V>()]);
        out.long(length as u64);
        out.words(&[geometries.count()]);
        out.append(&geometries.out);
        out.append(&scene);
        Ok(out.finish())
    }

    /// Loads a scene from the bytes of [`to_bytes`](Self::to_bytes) in O(n), without a build. Every answer equals that of
    /// the saved scene, bit for bit. Objects have the same ids, later objects get the same ids, and no id of an object
    /// removed before saving names another one. Objects share meshes and groups as before.
    ///
    /// Loading copies and validates all data; it allocates at most a small multiple of the input's size. The checksum
    /// detects accidental damage. Bytes changed on purpose, with a matching checksum, give an error or a valid scene. They
    /// cannot cause a panic, an endless loop or an access out of bounds, and the tree of the scene contains every object:
    /// its boxes are computed from the objects. For meshes,
    /// [`TriangleMesh::from_bytes`](crate::TriangleMesh::from_bytes) has the limits.
    ///
    /// # Errors
    /// Bytes of another format, version, dimension or precision; missing or additional bytes; a wrong checksum; the errors
    /// of the constructors of shapes, transforms, meshes and groups, and of [`insert`](Self::insert); ids that two objects
    /// have; nodes and leaves that are not a valid BVH of the objects.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SceneLoadError> {
        // The header says which type of scene the bytes are. Each mistake of a caller gets an error of its own.
        let [dimension, precision, low, high, geometries] = header(bytes)?;
        if dimension != V::DIM as u32 {
            return Err(SceneLoadError::Dimension { found: dimension, wanted: V::DIM as u32 });
        }
        if precision != coordinate_size::<V>() {
            return Err(SceneLoadError::Precision { found: precision, wanted: coordinate_size::<V>() });
        }
        // A file that was cut off is recognised before its checksum is computed over the rest.
        let expected = u64::from(low) | u64::from(high) << 32;
        if bytes.len() as u64 != expected {
            return Err(SceneLoadError::Length { expected, found: bytes.len() });
        }
        // The checksum comes before all content, so that damage is not reported as a strange shape.
        let mismatch = |[written, computed]: [u32; 2]| SceneLoadError::Checksum { written, computed };
        let mut input = ByteReader::new(without_checksum(bytes).map_err(mismatch)?, SCENE_HEADER);
        // Shared geometries come first, each once: groups and objects refer to those before them.
        let geometries = read_geometries::<V>(&mut input, geometries)?;
        let scene = read_scene(&mut input, &geometries)?;
        // Bytes after the scene would be lost without a word.
        if !input.is_at_end() {
            let problem = "there are bytes after the scene";
            return Err(SceneLoadError::Invalid { at: input.position(), problem });
        }
        Ok(scene)
    }
}

/// Reads the header after the version: dimension, bytes per number, length, count of geometries.
fn header(bytes: &[u8]) -> Result<[u32; 5], SceneLoadError> {
    let (Some(magic), Some(rest)) = (bytes.first_chunk(), bytes.get(SCENE_MAGIC.len()..SCENE_HEADER)) else {
        // A beginning of the right bytes is a file cut off; anything else is another format.
        let is_short =
            SCENE_MAGIC.starts_with(&bytes[..bytes.len().min(SCENE_MAGIC.len())]) || bytes.starts_with(&SCENE_MAGIC);
        let expected = (SCENE_HEADER + CHECKSUM) as u64;
        let length = SceneLoadError::Length { expected, found: bytes.len() };
        return Err(if is_short { length } else { SceneLoadError::NotSaved });
    };
    if *magic != SCENE_MAGIC {
        return Err(SceneLoadError::NotSaved);
    }
    let [version, counts @ ..] = words::<6>(rest);
    if version != SCENE_VERSION {
        return Err(SceneLoadError::Version { found: version });
    }
    Ok(counts)
}
