//! Serialization of a mesh with its BVH.

use crate::aabb::Aabb;
use crate::bvh::bounds::Bounds;
use crate::bvh::bvh::Bvh16;
use crate::bvh::linear_scan::LinearScan;
use crate::bvh::primitive_index::Accel;
use crate::bvh::validate::{InvalidBvh, NODE_SIZE};
use crate::little_endian::{ByteWriter, CHECKSUM, coordinate_size, vector, without_checksum, words};
use crate::math::real::Real;
use crate::math::vector::{Vector, Vector3};
use crate::mesh::build::{around, check};
use crate::mesh::error::LoadError;
use crate::mesh::triangle_mesh::TriangleMesh;
use alloc::vec;
use alloc::vec::Vec;

const MAGIC: [u8; 8] = *b"hitmesh\n";

const VERSION: u32 = 2;

/// Bytes of the header; then of a triangle, a primitive id, and the box of a leaf.
const HEADER: usize = 36;

const TRIANGLE: usize = 12;

const PART: usize = 4;

const BOX: usize = 24;

impl<V: Vector3> TriangleMesh<V> {
    /// Serializes the mesh with its BVH, for [`from_bytes`](Self::from_bytes): loading takes a small part of the build
    /// time. The bytes are the same on every machine.
    ///
    /// All numbers are little-endian and without padding:
    ///
    /// | content | size |
    /// |---|---|
    /// | `hitmesh` and a line feed | 8 bytes |
    /// | version: 2 | `u32` |
    /// | bytes per coordinate: 4 or 8 | `u32` |
    /// | counts of vertices, triangles, nodes, primitive ids, leaves | 5 `u32` |
    /// | vertices | 3 `f32` or `f64` each |
    /// | triangles: vertex indices | 3 `u32` each |
    /// | nodes: 16 children; a later node is its index; a leaf is 2^31, plus 2^27 for each primitive but the first, plus the slot of its first primitive; an empty child is 2^32 - 1 | 16 `u32` each |
    /// | primitive ids (triangles) of the leaves, in the order of the nodes' children | `u32` each |
    /// | boxes of the leaves: minimum x, y, z, maximum x, y, z | 6 `f32` each |
    /// | CRC-32 (as in zip and PNG) of all preceding bytes | `u32` |
    ///
    /// The first node is the root. Nodes of 16 children are a property of the format, not of the machine: an engine with
    /// nodes of another width reads the leaves from them. A mesh without a BVH
    /// ([`Accelerator::LinearScan`](crate::Accelerator::LinearScan)) has neither nodes nor leaves.
    ///
    /// ```
    /// use hitscan::{LoadError, TriangleMesh, glam::Vec3};
    /// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
    /// let mut bytes = mesh.to_bytes();
    /// assert_eq!(TriangleMesh::<Vec3>::from_bytes(&bytes)?.triangles(), mesh.triangles());
    /// bytes[40] ^= 1;
    /// assert!(matches!(TriangleMesh::<Vec3>::from_bytes(&bytes), Err(LoadError::Checksum { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let tree = self.index.tree();
        let prim_ids = tree.map_or(&[][..], Bvh16::prim_ids);
        let (nodes, leaves) = tree.map_or((0, 0), |tree| (tree.children().len(), tree.leaves().count()));
        let counts = [self.vertices.len(), self.triangles.len(), nodes, prim_ids.len(), leaves];
        let mut out = ByteWriter::with_capacity(length(coordinate_size::<V>(), counts.map(|n| n as u64)) as usize);
        out.bytes(&MAGIC);
        out.words(&[VERSION, coordinate_size::<V>()]);
        out.words(&counts.map(|n| n as u32));
        self.vertices.iter().for_each(|&vertex| out.vector(vertex));
        self.triangles.iter().for_each(|triangle| out.words(triangle));
        if let Some(tree) = tree {
            tree.children().for_each(|children| out.words(children));
            out.words(prim_ids);
            for Bounds { low, high } in tree.leaf_bounds() {
                low[..3].iter().chain(&high[..3]).for_each(|x| out.words(&[x.to_bits()]));
            }
        }
        out.finish()
    }

    /// Loads a mesh from the bytes of [`to_bytes`](Self::to_bytes) in O(n). Every result equals that of the saved mesh,
    /// bit for bit.
    ///
    /// Loading copies and validates all data; it allocates at most a small multiple of the input's size. The checksum
    /// detects accidental damage. Bytes changed on purpose, with a matching checksum, cannot cause a panic, an endless
    /// loop or an access out of bounds. Validation also ensures that the BVH contains every triangle and that the box
    /// of its leaf encloses it. For a triangle that a spatial split has cut ([`Quality::High`](crate::Quality::High)),
    /// validation checks the corners but not the boxes of its pieces between them; wrong boxes there hide hits from
    /// rays.
    ///
    /// # Errors
    /// Bytes of another format, version or precision; missing or additional bytes; a wrong checksum; the errors of
    /// [`new`](Self::new); nodes, leaves and boxes that are not a valid BVH of these triangles.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        // The header decides whether the rest can be read, and its counts give the only length that is possible.
        let [precision, counts @ ..] = header(bytes)?;
        if precision != coordinate_size::<V>() {
            return Err(LoadError::Precision { found: precision, wanted: coordinate_size::<V>() });
        }
        let expected = length(precision, counts.map(u64::from));
        if bytes.len() as u64 != expected {
            return Err(LoadError::Length { expected, found: bytes.len() });
        }
        // Damage is found before the content is read.
        let body = without_checksum(bytes).map_err(|[written, computed]| LoadError::Checksum { written, computed })?;
        let mut rest = &body[HEADER..];
        // The length is checked: every part below is there.
        let mut take = |count: u32, size: usize| {
            let (taken, after) = rest.split_at(count as usize * size);
            rest = after;
            taken.chunks_exact(size)
        };
        let [vertices, triangles, nodes, prim_ids, leaves] = counts;
        // The mesh is checked as a new one would be, before the tree refers to its triangles.
        let vertices: Vec<V> = take(vertices, 3 * precision as usize).map(vector).collect();
        let triangles: Vec<[u32; 3]> = take(triangles, TRIANGLE).map(words).collect();
        check(&vertices, &triangles)?;
        // Without nodes the mesh had a linear scan. Otherwise the topology must be a tree of all triangles, and boxes
        // must enclose them.
        let children = take(nodes, NODE_SIZE).map(words);
        let prim_ids: Vec<u32> = take(prim_ids, PART).map(|part| words::<1>(part)[0]).collect();
        let boxes: Vec<Bounds> = take(leaves, BOX).map(bounds).collect();
        let index = if nodes == 0 && prim_ids.is_empty() && leaves == 0 {
            Accel::LinearScan(LinearScan::new(triangles.len()))
        } else {
            let tree = Bvh16::from_topology(children, prim_ids, &boxes, triangles.len())?;
            check_leaf_boxes(&vertices, &triangles, &tree, &boxes)?;
            Accel::Bvh(tree)
        };
        let around = triangles.iter().fold(Aabb::empty(), |all, t| all.union(around(&vertices, t)));
        Ok(Self::with_index(vertices, triangles, around, index))
    }
}

/// Checks that every corner of every triangle is in the box of a leaf with that triangle. So the box of a leaf encloses
/// each triangle that is in no other leaf; for triangles that a spatial split has cut, only the corners are checked.
fn check_leaf_boxes<V: Vector>(
    vertices: &[V],
    triangles: &[[u32; 3]],
    tree: &Bvh16,
    boxes: &[Bounds],
) -> Result<(), LoadError> {
    let mut reached = vec![0u8; triangles.len()];
    for (leaf, bounds) in tree.leaves().zip(boxes) {
        for &part in leaf.of_all(tree.prim_ids()) {
            for (corner, &vertex) in triangles[part as usize].iter().enumerate() {
                let x = vertices[vertex as usize].to_xyz().map(Real::to_f64);
                let inside = |k: usize| f64::from(bounds.low[k]) <= x[k] && x[k] <= f64::from(bounds.high[k]);
                reached[part as usize] |= u8::from(inside(0) && inside(1) && inside(2)) << corner;
            }
        }
    }
    let lost = reached.iter().position(|&corners| corners != 0b111);
    let problem = "has a corner outside of the boxes of its leaves";
    lost.map_or(Ok(()), |number| Err(LoadError::Bvh16 { part: "triangle", number, problem }))
}

impl From<InvalidBvh> for LoadError {
    fn from(InvalidBvh { part, number, problem }: InvalidBvh) -> Self {
        Self::Bvh16 { part, number, problem }
    }
}

/// Total length in bytes.
fn length(size: u32, [vertices, triangles, nodes, prim_ids, leaves]: [u64; 5]) -> u64 {
    let [triangle, node, part, leaf] = [TRIANGLE, NODE_SIZE, PART, BOX].map(|bytes| bytes as u64);
    let fixed = (HEADER + CHECKSUM) as u64;
    fixed + vertices * 3 * u64::from(size) + triangles * triangle + nodes * node + prim_ids * part + leaves * leaf
}

/// Reads the header: bytes per coordinate, then the counts of vertices, triangles, nodes, primitive ids and leaves.
fn header(bytes: &[u8]) -> Result<[u32; 6], LoadError> {
    let (Some(magic), Some(rest)) = (bytes.first_chunk(), bytes.get(MAGIC.len()..HEADER)) else {
        let is_short = MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) || bytes.starts_with(&MAGIC);
        let expected = (HEADER + CHECKSUM) as u64;
        return Err(if is_short { LoadError::Length { expected, found: bytes.len() } } else { LoadError::NotSaved });
    };
    if *magic != MAGIC {
        return Err(LoadError::NotSaved);
    }
    let [version, counts @ ..] = words::<7>(rest);
    if version != VERSION {
        return Err(LoadError::Version { found: version });
    }
    Ok(counts)
}

fn bounds(bytes: &[u8]) -> Bounds {
    let [a, b, c, d, e, f] = words::<6>(bytes).map(f32::from_bits);
    Bounds { low: [a, b, c, 0.0], high: [d, e, f, 0.0] }
}
