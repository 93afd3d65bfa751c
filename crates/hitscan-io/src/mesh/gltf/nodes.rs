//! The scene of a glTF: its nodes, the meshes that they place, and their triangles.

use super::data::Gltf;
use super::dropped;
use super::json::Json;
use crate::error::{Fault, Place, Result, quoted};
use crate::mesh::parsed::{ParsedMesh, ReadFile, out_of_range};
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Extensions that a file may require: they do not change the triangles, or the reader knows them.
const MAY_BE_REQUIRED: [&str; 5] =
    ["KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "KHR_mesh_quantization"];

/// Vertices and triangles that nodes may place for each byte that was read: one mesh may stand in many places, but a small
/// file does not fill the memory.
const PLACED_PER_BYTE: usize = 16;

/// The names of the files that hold the data.
pub(in crate::mesh) fn parts(bytes: &[u8]) -> Result<Vec<String>, Fault> {
    let names = RefCell::new(Vec::new());
    let note = |name: &str| {
        names.borrow_mut().push(name.to_owned());
        Ok(Vec::new())
    };
    Gltf::read(bytes, &note)?;
    Ok(names.into_inner())
}

/// Reads the triangles of all nodes, joined in one mesh.
pub(in crate::mesh) fn parse(bytes: &[u8], read_file: &ReadFile<'_>) -> Result<ParsedMesh, Fault> {
    let gltf = open(bytes, read_file)?;
    let mut placer = Placer { gltf: &gltf, mesh: ParsedMesh::default(), before: 0 };
    let SceneNodes { placed, all } = SceneNodes::of(&gltf)?;
    placed.iter().try_for_each(|placed| placer.add(placed.mesh, &placed.matrix))?;
    let mut mesh = placer.mesh;
    mesh.notes = dropped::notes(&gltf, &all);
    Ok(mesh)
}

/// Reads each mesh once, and the nodes that place it.
pub(in crate::mesh) fn parse_scene(bytes: &[u8], read_file: &ReadFile<'_>) -> Result<GltfScene, Fault> {
    let gltf = open(bytes, read_file)?;
    let name = |json: &Json| json.get("name").and_then(Json::text).map(str::to_owned);
    let (mut scene, mut numbers, mut before) = (GltfScene::default(), HashMap::new(), 0);
    let SceneNodes { placed, all } = SceneNodes::of(&gltf)?;
    scene.notes = dropped::notes(&gltf, &all);
    for Placed { node, mesh, matrix } in placed {
        let number = match numbers.entry(mesh) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let mut placer = Placer { gltf: &gltf, mesh: ParsedMesh::default(), before };
                placer.add(mesh, &Matrix::IDENTITY)?;
                before = placer.size();
                // A mesh of points and lines is nothing to hit.
                let has_triangles = !placer.mesh.triangles.is_empty();
                if has_triangles {
                    scene.meshes.push((gltf.json.list("meshes").get(mesh).and_then(name), placer.mesh));
                }
                *new.insert(has_triangles.then(|| scene.meshes.len() - 1))
            }
        };
        if let Some(mesh) = number {
            let Matrix([x, y, z, translation]) = matrix;
            let name = gltf.json.list("nodes").get(node).and_then(name);
            scene.nodes.push(GltfNode { number: node, name, mesh, axes: [x, y, z], translation });
        }
    }
    Ok(scene)
}

/// The meshes of a glTF, and the nodes that place them.
#[derive(Debug, Default)]
pub(in crate::mesh) struct GltfScene {
    /// Names and triangles of the meshes with triangles that a node places.
    pub(in crate::mesh) meshes: Vec<(Option<String>, ParsedMesh)>,
    pub(in crate::mesh) nodes: Vec<GltfNode>,
    /// What is not read, each in one line.
    pub(in crate::mesh) notes: Vec<String>,
}

/// A node with a mesh.
#[derive(Clone, Debug)]
pub(crate) struct GltfNode {
    /// The number of the node in the file.
    pub(crate) number: usize,
    pub(crate) name: Option<String>,
    /// The number of the mesh among those of the scene.
    pub(crate) mesh: usize,
    /// The images of x, y and z: the columns of the product of its ancestors' matrices and its own.
    pub(crate) axes: [[f64; 3]; 3],
    pub(crate) translation: [f64; 3],
}

fn open<'a>(bytes: &'a [u8], read_file: &ReadFile<'_>) -> Result<Gltf<'a>, Fault> {
    let gltf = Gltf::read(bytes, read_file)?;
    let version = gltf.json.get("asset").and_then(|asset| asset.get("version")?.text());
    if !version.is_some_and(|version| version.starts_with("2.")) {
        return Err(Fault::file("not glTF 2.0"));
    }
    let required = gltf.json.list("extensionsRequired").iter().filter_map(Json::text);
    if let Some(unknown) =
        required.into_iter().find(|name| !MAY_BE_REQUIRED.iter().any(|known| name.starts_with(known)))
    {
        return Err(Fault::file(format!("it needs the extension {}, which is not read", quoted(unknown.as_bytes()))));
    }
    Ok(gltf)
}

/// The columns of an affine map: the images of x, y and z, and the translation.
#[derive(Clone, Copy, PartialEq)]
struct Matrix([[f64; 3]; 4]);

impl Matrix {
    const IDENTITY: Self = Self([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]]);

    fn point(&self, [x, y, z]: [f64; 3], origin: f64) -> [f64; 3] {
        let Self([u, v, w, o]) = self;
        [0, 1, 2].map(|i| u[i] * x + v[i] * y + w[i] * z + o[i] * origin)
    }
    fn times(&self, Self([x, y, z, o]): &Self) -> Self {
        Self([self.point(*x, 0.0), self.point(*y, 0.0), self.point(*z, 0.0), self.point(*o, 1.0)])
    }
    /// Whether the determinant is negative.
    fn mirrors(&self) -> bool {
        let Self([x, y, z, _]) = self;
        let minor = |i: usize, j: usize| y[i] * z[j] - y[j] * z[i];
        x[0] * minor(1, 2) + x[1] * minor(2, 0) + x[2] * minor(0, 1) < 0.0
    }

    /// The matrix of a node: given, or scaled, then rotated, then translated.
    fn of(node: &Json) -> Option<Self> {
        if let Some(matrix) = node.get("matrix") {
            let m: [f64; 16] = numbers(matrix)?;
            return Some(Self([0, 4, 8, 12].map(|column| [m[column], m[column + 1], m[column + 2]])));
        }
        let origin = node.get("translation").map_or(Some([0.0; 3]), numbers)?;
        let scale: [f64; 3] = node.get("scale").map_or(Some([1.0; 3]), numbers)?;
        let [x, y, z, w] = node.get("rotation").map_or(Some([0.0, 0.0, 0.0, 1.0]), numbers)?;
        let turned = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let scaled = |i: usize| turned[i].map(|c| c * scale[i]);
        Some(Self([scaled(0), scaled(1), scaled(2), origin]))
    }
}

fn numbers<const N: usize>(list: &Json) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = list.items().iter().map(Json::number).collect();
    numbers?.try_into().ok()
}

/// A node that places a mesh.
struct Placed {
    node: usize,
    mesh: usize,
    matrix: Matrix,
}

/// The nodes of the scene.
struct SceneNodes {
    /// Those that have a mesh, parents first.
    placed: Vec<Placed>,
    /// The numbers of all of them.
    all: BTreeSet<usize>,
}

impl SceneNodes {
    fn of(gltf: &Gltf<'_>) -> Result<Self, Fault> {
        let nodes = gltf.json.list("nodes");
        let (mut placed, mut all) = (Vec::new(), BTreeSet::new());
        // A stack: the last one is the next.
        let mut waiting: Vec<_> = roots(&gltf.json)?.into_iter().rev().map(|node| (node, Matrix::IDENTITY)).collect();
        while let Some((number, above)) = waiting.pop() {
            let wrong = |what: &str| Fault::file(format!("node {number} {what}"));
            let node = nodes.get(number).ok_or_else(|| wrong("is missing"))?;
            if !all.insert(number) {
                return Err(wrong("is its own descendant, or a child of two nodes"));
            }
            let own = Matrix::of(node).ok_or_else(|| wrong("has a transform that is not numbers"))?;
            let matrix = if own == Matrix::IDENTITY { above } else { above.times(&own) };
            if let Some(mesh) = node.get("mesh") {
                let mesh = mesh.count().ok_or_else(|| wrong("has a mesh that is not an index"))?;
                placed.push(Placed { node: number, mesh, matrix });
            }
            let children: Option<Vec<_>> = node.list("children").iter().map(Json::count).collect();
            let children = children.ok_or_else(|| wrong("has a child that is not an index"))?;
            waiting.extend(children.into_iter().rev().map(|child| (child, matrix)));
        }
        Ok(Self { placed, all })
    }
}

/// The root nodes of the scene; without scenes the nodes that are no node's children.
fn roots(json: &Json) -> Result<Vec<usize>, Fault> {
    let scene = json.get("scene").map_or(Some(0), Json::count);
    if let Some(roots) = scene.and_then(|scene| json.list("scenes").get(scene)) {
        let roots: Option<Vec<_>> = roots.list("nodes").iter().map(Json::count).collect();
        return roots.ok_or_else(|| Fault::file("the scene has a node that is not an index"));
    }
    if json.get("scene").is_some() {
        return Err(Fault::file("its scene is missing"));
    }
    let nodes = json.list("nodes");
    let below: HashSet<_> = nodes.iter().flat_map(|node| node.list("children")).filter_map(Json::count).collect();
    Ok((0..nodes.len()).filter(|node| !below.contains(node)).collect())
}

/// Adds meshes, transformed, to one mesh.
struct Placer<'a> {
    gltf: &'a Gltf<'a>,
    mesh: ParsedMesh,
    /// Vertices and triangles of other meshes of the file.
    before: usize,
}

impl Placer<'_> {
    /// Vertices and triangles so far.
    fn size(&self) -> usize {
        self.before + self.mesh.vertices.len() + self.mesh.triangles.len()
    }

    /// Adds the primitives of a mesh.
    fn add(&mut self, number: usize, matrix: &Matrix) -> Result<(), Fault> {
        let gltf = self.gltf;
        let mesh = gltf.json.list("meshes").get(number);
        let mesh = mesh.ok_or_else(|| Fault::file(format!("mesh {number} is missing")))?;
        for primitive in mesh.list("primitives") {
            let position = primitive.get("attributes").and_then(|attributes| attributes.get("POSITION"));
            let wrong = |what: &str| Fault::file(format!("mesh {number}: {what}"));
            let mode =
                primitive.get("mode").map_or(Some(4), Json::count).ok_or_else(|| wrong("its mode is unknown"))?;
            // A ray hits neither points nor lines, and nothing is where no data is read.
            let (4.., Some(position)) = (mode, position) else { continue };
            if dropped::missing_data(gltf, primitive).is_some() {
                continue;
            }
            let position = position.count().ok_or_else(|| wrong("an accessor is not an index"))?;
            let points = gltf.accessor(position, "VEC3", false)?;
            let corners: Vec<f64> = match primitive.get("indices") {
                Some(indices) => {
                    gltf.accessor(indices.count().ok_or_else(|| wrong("an accessor is not an index"))?, "SCALAR", true)?
                }
                None => (0..points.len() / 3).map(|i| i as f64).collect(),
            };
            let placed = self.size() + points.len() / 3 + corners.len();
            if placed / PLACED_PER_BYTE > gltf.size {
                return Err(Fault::file("its nodes place more triangles than a file of its size should have"));
            }
            self.place(&points, &corners, mode, matrix).map_err(|fault| match fault {
                None => wrong("its mode is unknown, or its last triangle is not complete"),
                Some(fault) => fault,
            })?;
        }
        Ok(())
    }

    fn place(&mut self, points: &[f64], corners: &[f64], mode: usize, matrix: &Matrix) -> Result<(), Option<Fault>> {
        let (first, count) = (self.mesh.vertices.len(), points.len() / 3);
        for point in points.as_chunks::<3>().0 {
            let vertex = self.mesh.vertices.len() as u64;
            let put = if *matrix == Matrix::IDENTITY { *point } else { matrix.point(*point, 1.0) };
            self.mesh.push_vertex(put, || Place::Vertex { vertex, line: None })?;
        }
        let triangles = &mut self.mesh.triangles;
        let mirrors = matrix.mirrors();
        let mut push = |corners: [f64; 3]| {
            let place = || Place::Face { face: triangles.len() as u64, line: None };
            if let Some(far) = corners.into_iter().find(|corner| *corner >= count as f64) {
                return Err(Some(out_of_range(place(), far as i64, count as u64)));
            }
            let [a, b, c] = corners.map(|corner| first + corner as usize);
            let turned = if mirrors { [a, c, b] } else { [a, b, c] };
            let [a, b, c] = turned.map(u32::try_from);
            let (Ok(a), Ok(b), Ok(c)) = (a, b, c) else { return Err(Some(Fault::file("too many vertices"))) };
            triangles.push([a, b, c]);
            Ok(())
        };
        match mode {
            4 if corners.len().is_multiple_of(3) => corners.as_chunks().0.iter().copied().try_for_each(&mut push),
            // Every second triangle of a strip has the other orientation; those without area only join its pieces.
            5 => (0..).zip(corners.windows(3)).try_for_each(|(i, v)| match *v {
                [a, b, c] if a == b || b == c || c == a => Ok(()),
                [a, b, c] => push(if i % 2 == 0 { [a, b, c] } else { [a, c, b] }),
                _ => Ok(()),
            }),
            6 => corners.get(1..).unwrap_or_default().windows(2).try_for_each(|v| push([corners[0], v[0], v[1]])),
            _ => Err(None),
        }
    }
}
