//! `hitscan info`: a description of a scene.

use crate::console::Console;
use crate::error::Result;
use crate::load::LoadArguments;
use crate::scene::{MeshFacts, SceneSpace, WithScene, coordinates, kind, names, with_scene};
use crate::text::{Grid, count, point};
use clap::{Args, ValueEnum};
use hitscan::{Aabb, Accelerator, Instance, NearSurfaces, Object, ObjectId, Scene, Shape, Statistics};
use hitscan_io::fmt::{FACES, INSIDE, number, word};
use hitscan_io::{ClosingWeld, Precision, SceneFile, named_expression};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::PathBuf;

/// Describe a scene: shapes, bounds, meshes and whether they are watertight
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan info scene.toml
  hitscan info bunny.ply --format json | jq .shapes[0].mesh.watertight

Bounds are boxes around the shapes, rounded outward in the precision of the scene: their last digits are not those of the shapes.")]
pub(crate) struct InfoArguments {
    /// The scene: .toml, .hitscene, or a mesh (.obj, .stl, .ply, .off, .gltf, .glb, .hitmesh)
    scene: PathBuf,
    #[command(flatten)]
    load: LoadArguments,
    /// Report surfaces of solids that are at most this far apart and do not coincide
    ///
    /// With decimal numbers two faces that were meant to be one may differ in the last digit: 3 * 0.1 is not 0.3. The exact order
    /// of crossings shows such gaps and films. The search casts 10,000 lines at each solid, so it may miss small parts.
    #[arg(long, value_name = "TOL", value_parser = tolerance)]
    near: Option<f64>,
    /// text for people, or one JSON object
    #[arg(long, value_enum, default_value_t)]
    format: InfoFormat,
}

/// The number of lines that the search for near surfaces casts at each solid.
const SEARCH_LINES: u32 = 10_000;

/// A distance of at least 0.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("not a finite number of at least 0".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum InfoFormat {
    /// aligned columns
    #[default]
    Table,
    /// one object
    Json,
}

/// The number of shapes that the table lists.
const LISTED: usize = 100;

impl InfoArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let file = self.load.open(&self.scene, console)?;
        let precision = file.precision();
        let text = with_scene(
            &file,
            precision,
            Accelerator::Bvh,
            Describe { file: &file, near: self.near, format: self.format },
        )?;
        Ok(console.out.write_all(text.as_bytes())?)
    }
}

struct Describe<'a> {
    file: &'a SceneFile,
    near: Option<f64>,
    format: InfoFormat,
}

impl WithScene for Describe<'_> {
    type Output = String;

    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> Result<String> {
        let facts = Facts::of(self.file, scene, self.near);
        Ok(match self.format {
            InfoFormat::Table => facts.table(),
            InfoFormat::Json => format!("{:#}\n", facts.json()),
        })
    }
}

/// The number of characters of an expression that the table has.
const LONGEST_EXPRESSION: usize = 400;

/// The description of a scene.
struct Facts {
    file: String,
    axes: usize,
    precision: &'static str,
    /// The names of layers with their numbers.
    layers: Value,
    shapes: Vec<ShapeFacts>,
    /// Shapes that objects share, and meshes and solids of one object.
    geometries: Vec<GeometryFacts>,
    /// The bounding box of the bounded shapes.
    bounds: Option<[[f64; 3]; 2]>,
    tree: Statistics,
}

/// An object.
struct ShapeFacts {
    id: ObjectId,
    kind: &'static str,
    name: String,
    layers: Vec<u32>,
    /// The same by name, where they have one.
    layer_names: String,
    is_trigger: bool,
    /// Its own faces, as a word.
    faces: Option<&'static str>,
    /// Its own rule for rays that start inside, as a word.
    inside: Option<&'static str>,
    bounds: Option<[[f64; 3]; 2]>,
    /// Whether it certainly has no points, as a group without members.
    is_empty: bool,
    /// The name of the geometry that it places.
    geometry: Option<String>,
    /// The axes of its transform, then the translation.
    transform: Option<Vec<[f64; 3]>>,
}

impl ShapeFacts {
    /// `trigger, faces front, inside hollow`.
    fn rules(&self) -> String {
        let rules = [("faces", self.faces), ("inside", self.inside)].into_iter();
        let rules = rules.filter_map(|(key, word)| word.map(|word| format!("{key} {word}")));
        self.is_trigger.then(|| "trigger".to_owned()).into_iter().chain(rules).collect::<Vec<_>>().join(", ")
    }
}

/// A geometry, or the mesh or the solid of an object that has one of its own.
struct GeometryFacts {
    kind: &'static str,
    name: String,
    /// The number of objects that have it.
    objects: usize,
    /// The first of them.
    first: usize,
    bytes: usize,
    mesh: Option<MeshFacts>,
    /// The welding that would close the mesh.
    closing_weld: Option<ClosingWeld>,
    solid: Option<SolidFacts>,
}

/// A solid of several shapes.
struct SolidFacts {
    leaves: usize,
    /// With the names of the leaves, or with their numbers.
    expression: String,
    /// The names of the leaves, if the file has them.
    names: Option<Vec<String>>,
    /// The surfaces that are close to each other, if the user gave a tolerance.
    near: Option<Vec<NearPair>>,
}

/// Two leaves by name or number, their least distance, and where it is.
struct NearPair {
    leaves: [String; 2],
    distance: f64,
    point: Vec<f64>,
}

impl SolidFacts {
    fn of<V: SceneSpace>(file: &SceneFile, object: usize, shape: &V::Shape, tolerance: Option<f64>) -> Option<Self> {
        let solid = V::as_solid(shape)?;
        let names = file.leaf_names(object).filter(|names| names.len() == solid.len());
        let names = names.map(|names| names.into_iter().map(|leaf| leaf.name).collect::<Vec<_>>());
        let expression = named_expression(&solid.expression(), names.as_deref().unwrap_or_default());
        let called = |leaf: u32| match &names {
            Some(names) => names[leaf as usize].clone(),
            None => leaf.to_string(),
        };
        let near = tolerance.map(|tolerance| {
            let found = solid.near_surfaces(tolerance, SEARCH_LINES).into_iter();
            let pair = |near: NearSurfaces<V>| NearPair {
                leaves: near.leaves.map(called),
                distance: near.distance,
                point: coordinates(near.point)[..V::DIM].to_vec(),
            };
            found.map(pair).collect()
        });
        Some(Self { leaves: solid.len(), expression, names, near })
    }
}

/// The welding that would close an open mesh, found in its file: a scene may scale it.
fn closing_weld(file: &SceneFile, shape: usize) -> Option<ClosingWeld> {
    file.mesh(shape)?.data().closing_weld()
}

/// `trees,4`: layers by name, or by number where they have no name.
fn layer_names(file: &SceneFile, mask: u32) -> String {
    let name = |layer| file.layer_names().name(layer).map_or_else(|| layer.to_string(), str::to_owned);
    match mask {
        u32::MAX => "all".to_owned(),
        _ => (0..32).filter(|layer| mask >> layer & 1 == 1).map(name).collect::<Vec<_>>().join(","),
    }
}

/// The corners of a box, if it is bounded.
fn corners<V: SceneSpace>(aabb: &Aabb<V>) -> Option<[[f64; 3]; 2]> {
    aabb.is_bounded().then(|| [coordinates(aabb.min), coordinates(aabb.max)])
}

/// The bytes of a shape. Meshes, groups and solids within a shape that are in `seen` share their memory with others.
fn bytes<V: SceneSpace>(shape: &V::Shape, seen: &mut HashSet<usize>) -> usize {
    if let Some(solid) = V::as_solid(shape) {
        let of_leaf = |leaf: &Instance<V>, seen: &mut _| size_of_val(leaf) + bytes::<V>(leaf.shape(), seen);
        let is_new = seen.insert(solid.address());
        return if is_new { solid.leaves().map(|leaf| of_leaf(leaf, seen)).sum() } else { 0 };
    }
    let Some(group) = V::as_group(shape) else {
        return V::mesh_memory(shape)
            .map_or(size_of_val(shape), |(address, bytes)| if seen.insert(address) { bytes } else { 0 });
    };
    if !seen.insert(group.address()) {
        return 0;
    }
    group.objects().map(|(_, member)| size_of_val(member) + bytes::<V>(member.shape(), seen)).sum()
}

/// The geometries that objects share, and the meshes and solids of single objects, in the order of their first objects.
fn geometries<V: SceneSpace>(file: &SceneFile, scene: &Scene<V>, near: Option<f64>) -> Vec<GeometryFacts> {
    let shared: Vec<&str> = file.geometry_names().collect();
    let mut geometries: Vec<GeometryFacts> = Vec::new();
    let mut places = BTreeMap::new();
    for ((id, object), name) in scene.objects().zip(names(scene)) {
        let number = id.index();
        let geometry = file.geometry(number);
        if let Some(place) = geometry.and_then(|geometry| places.get(&geometry)) {
            let known: &mut GeometryFacts = &mut geometries[*place];
            known.objects += 1;
            continue;
        }
        let mesh = V::mesh_facts(object.shape());
        let solid = SolidFacts::of::<V>(file, number, object.shape(), near);
        if geometry.is_none() && mesh.is_none() && solid.is_none() {
            continue;
        }
        geometry.and_then(|geometry| places.insert(geometry, geometries.len()));
        geometries.push(GeometryFacts {
            kind: kind::<V>(object.shape()),
            name: geometry.map_or(name, |geometry| shared[geometry].to_owned()),
            objects: 1,
            first: number,
            bytes: mesh.as_ref().map_or_else(|| bytes::<V>(object.shape(), &mut HashSet::new()), |mesh| mesh.bytes),
            mesh,
            closing_weld: mesh.filter(|mesh| !mesh.topology.is_closed()).and_then(|_| closing_weld(file, number)),
            solid,
        });
    }
    geometries
}

impl Facts {
    fn of<V: SceneSpace>(file: &SceneFile, scene: &Scene<V>, near: Option<f64>) -> Self {
        let geometry_names: Vec<&str> = file.geometry_names().collect();
        let shape = |((id, object), name): ((ObjectId, &Object<V>), String)| ShapeFacts {
            id,
            kind: kind::<V>(object.shape()),
            name,
            layers: (0..32).filter(|bit| object.layers() >> bit & 1 == 1).collect(),
            layer_names: layer_names(file, object.layers()),
            is_trigger: object.is_trigger(),
            faces: object.faces().map(|faces| word(&FACES, faces)),
            inside: object.inside().map(|inside| word(&INSIDE, inside)),
            bounds: corners(&object.instance().aabb()),
            is_empty: object.instance().aabb().is_empty(),
            geometry: file.geometry(id.index()).map(|geometry| geometry_names[geometry].to_owned()),
            transform: object.transform().map(|transform| {
                let columns = transform.axes().iter().copied().chain([transform.translation()]);
                columns.map(coordinates).collect()
            }),
        };
        Self {
            file: file.path().display().to_string(),
            axes: V::DIM,
            precision: if file.precision() == Precision::F32 { "f32" } else { "f64" },
            layers: file.layer_names().iter().map(|(name, number)| (name.to_owned(), json!(number))).collect(),
            shapes: scene.objects().zip(names(scene)).map(shape).collect(),
            geometries: geometries(file, scene, near),
            bounds: corners(&scene.finite_bounds()),
            tree: scene.statistics(),
        }
    }

    fn unbounded(&self) -> usize {
        self.shapes.iter().filter(|shape| shape.bounds.is_none() && !shape.is_empty).count()
    }

    /// The number of shapes of each kind.
    fn kinds(&self) -> BTreeMap<&str, usize> {
        let mut kinds = BTreeMap::new();
        self.shapes.iter().for_each(|shape| *kinds.entry(shape.kind).or_default() += 1);
        kinds
    }

    fn table(&self) -> String {
        let kinds: Vec<String> = self.kinds().iter().map(|(kind, n)| count(*n, kind)).collect();
        let bounds = match (&self.bounds, self.unbounded()) {
            (Some(_), 0) => self.bounds_text(&self.bounds),
            (Some(_), n) => format!("{}, and {} without bounds", self.bounds_text(&self.bounds), count(n, "shape")),
            (None, 0) => "empty".into(),
            (None, _) => "unbounded".into(),
        };
        let lines = [
            ("scene", self.file.clone()),
            ("dimension", format!("{}D", self.axes)),
            ("precision", format!("{} holds every number", self.precision)),
            ("shapes", format!("{} ({})", self.shapes.len(), kinds.join(", "))),
            ("bounds", bounds),
            ("structure", tree_text(&self.tree)),
        ];
        let mut text: String = lines.iter().map(|(name, value)| format!("{name:<10} {value}\n")).collect();
        // Most scenes have no rules: theirs is no column.
        let has_rules = self.shapes.iter().take(LISTED).any(|shape| !shape.rules().is_empty());
        let rules: &[&str] = if has_rules { &["rules"] } else { &[] };
        let mut grid = Grid::new(&[&["shape", "type", "name", "layers"], rules, &["bounds"]].concat());
        for shape in self.shapes.iter().take(LISTED) {
            let bounds = if shape.is_empty { "empty".into() } else { self.bounds_text(&shape.bounds) };
            let mut cells =
                vec![shape.id.index().to_string(), shape.kind.into(), shape.name.clone(), shape.layer_names.clone()];
            cells.extend(has_rules.then(|| shape.rules()));
            cells.push(bounds);
            grid.push(cells);
        }
        text.push('\n');
        text.push_str(&grid.take());
        if let Some(more @ 1..) = self.shapes.len().checked_sub(LISTED) {
            text.push_str(&format!("and {more} more (--format json lists all)\n"));
        }
        if self.shapes.iter().any(|shape| shape.geometry.is_some()) {
            text.push_str(&self.geometry_table());
        }
        for geometry in &self.geometries {
            if let Some(solid) = &geometry.solid {
                text.push_str(&solid_text(&geometry.name, solid));
            }
            if let Some(mesh) = &geometry.mesh {
                text.push_str(&mesh_text(&geometry.name, mesh));
                if let Some(ClosingWeld { tolerance, report, .. }) = geometry.closing_weld {
                    let merged = count(report.merged_vertices, "vertex");
                    let dropped = count(report.dropped_triangles, "triangle");
                    let effect = format!("merges {merged}, drops {dropped} and closes the mesh");
                    text.push_str(&format!("welding    --weld {tolerance} {effect}\n"));
                }
            }
        }
        text
    }

    /// The geometries with their memory.
    fn geometry_table(&self) -> String {
        let mut grid = Grid::new(&["geometry", "type", "objects", "vertices", "triangles", "bytes"]);
        for GeometryFacts { kind, name, objects, bytes, mesh, .. } in self.geometries.iter().take(LISTED) {
            let of_mesh = |count: fn(&MeshFacts) -> usize| mesh.as_ref().map_or("-".into(), |m| count(m).to_string());
            let size = [of_mesh(|mesh| mesh.vertices), of_mesh(|mesh| mesh.triangles), bytes.to_string()];
            grid.push([name.clone(), (*kind).into(), objects.to_string()].into_iter().chain(size).collect());
        }
        let more = match self.geometries.len().checked_sub(LISTED) {
            Some(more @ 1..) => format!("and {more} more (--format json lists all)\n"),
            _ => String::new(),
        };
        format!("\n{}{more}", grid.take())
    }

    fn bounds_text(&self, bounds: &Option<[[f64; 3]; 2]>) -> String {
        match bounds {
            Some([min, max]) => format!("{} to {}", point(*min, self.axes), point(*max, self.axes)),
            None => "unbounded".into(),
        }
    }

    /// The rows of a matrix, from its columns.
    fn matrix(&self, columns: &[[f64; 3]]) -> Vec<Vec<f64>> {
        (0..self.axes).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
    }

    fn json(&self) -> Value {
        let corners = |bounds: &Option<[[f64; 3]; 2]>| {
            bounds.map(|[min, max]| json!({ "min": min[..self.axes], "max": max[..self.axes] }))
        };
        // The mesh of an object that shares it is among the geometries.
        let own = |shape: &ShapeFacts| {
            let alone = shape.geometry.is_none();
            self.geometries.iter().find(|geometry| alone && geometry.first == shape.id.index())
        };
        let shape = |shape: &ShapeFacts| {
            json!({
                "shape": shape.id.index(),
                "id": shape.id.to_bits(),
                "type": shape.kind,
                "name": shape.name,
                "layers": shape.layers,
                "trigger": shape.is_trigger,
                "faces": shape.faces,
                "inside": shape.inside,
                "bounds": corners(&shape.bounds),
                "geometry": shape.geometry,
                "transform": shape.transform.as_ref().map(|columns| self.matrix(columns)),
                "mesh": own(shape).and_then(|own| own.mesh.as_ref()).map(mesh_json),
                "closing_weld": own(shape).and_then(|own| own.closing_weld).map(|weld| weld.tolerance),
                "solid": own(shape).and_then(|own| own.solid.as_ref()).map(solid_json),
            })
        };
        let geometry = |geometry: &GeometryFacts| {
            json!({
                "name": geometry.name,
                "type": geometry.kind,
                "objects": geometry.objects,
                "bytes": geometry.bytes,
                "mesh": geometry.mesh.as_ref().map(mesh_json),
                "closing_weld": geometry.closing_weld.map(|weld| weld.tolerance),
                "solid": geometry.solid.as_ref().map(solid_json),
            })
        };
        json!({
            "file": self.file,
            "dimension": self.axes,
            "precision": self.precision,
            "layers": self.layers,
            "counts": self.kinds(),
            "bounds": corners(&self.bounds),
            "unbounded_shapes": self.unbounded(),
            "structure": tree_json(&self.tree),
            "shapes": self.shapes.iter().map(shape).collect::<Vec<_>>(),
            "geometries": self.geometries.iter().map(geometry).collect::<Vec<_>>(),
        })
    }
}

fn tree_text(tree: &Statistics) -> String {
    if tree.nodes == 0 {
        return "none".into();
    }
    let (nodes, leaves) = (count(tree.nodes, "node"), count(tree.leaves, "leaf"));
    format!("{nodes}, {leaves}, depth {}, {}", tree.depth, count(tree.bytes, "byte"))
}

fn tree_json(tree: &Statistics) -> Value {
    json!({ "nodes": tree.nodes, "leaves": tree.leaves, "depth": tree.depth, "bytes": tree.bytes })
}

fn mesh_text(name: &str, mesh: &MeshFacts) -> String {
    let topology = &mesh.topology;
    let faults = mesh.faults();
    let watertight = match (topology.is_closed(), faults.is_empty()) {
        (true, true) => "yes".to_owned(),
        (true, false) => format!("yes ({})", faults.join(", ")),
        (false, _) => format!("no ({})", faults.join(", ")),
    };
    let size = format!(
        "{} triangles, {} vertices ({} points), {} edges",
        mesh.triangles, mesh.vertices, topology.points, topology.edges
    );
    format!("\nmesh       {name}\nsize       {size}\nwatertight {watertight}\nstructure  {}\n", tree_text(&mesh.tree))
}

fn solid_text(name: &str, solid: &SolidFacts) -> String {
    let SolidFacts { leaves, expression, near, .. } = solid;
    let (cut, more) = match expression.char_indices().nth(LONGEST_EXPRESSION) {
        Some((end, _)) => (&expression[..end], "… (--format json has all of it)"),
        None => (&expression[..], ""),
    };
    let mut text = format!("\nsolid      {name}\nexpression {cut}{more}\nleaves     {leaves}\n");
    for NearPair { leaves: [a, b], distance, point } in near.iter().flatten() {
        let place = point.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "near       {a} and {b}: surfaces are {distance:.1e} apart at ({place})");
    }
    if near.as_ref().is_some_and(Vec::is_empty) {
        text.push_str("near       no surfaces that nearly coincide\n");
    }
    text
}

fn solid_json(solid: &SolidFacts) -> Value {
    let mut facts = json!({ "leaves": solid.leaves, "expression": solid.expression, "names": solid.names });
    if let Some(near) = &solid.near {
        let pair = |near: &NearPair| json!({ "leaves": near.leaves, "distance": near.distance, "point": near.point });
        facts["near"] = near.iter().map(pair).collect();
    }
    facts
}

fn mesh_json(mesh: &MeshFacts) -> Value {
    let topology = &mesh.topology;
    json!({
        "vertices": mesh.vertices,
        "points": topology.points,
        "triangles": mesh.triangles,
        "edges": topology.edges,
        "watertight": topology.is_closed(),
        "boundary_edges": topology.boundary_edges,
        "non_manifold_edges": topology.non_manifold_edges,
        "unbalanced_edges": topology.unbalanced_edges,
        "odd_edges": topology.odd_edges,
        "repeated_triangles": topology.repeated_triangles,
        "degenerate_triangles": topology.degenerate_triangles,
        "structure": tree_json(&mesh.tree),
    })
}
