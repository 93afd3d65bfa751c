//! State of the module, and the operations that it exports.

use crate::answers::{Cast, Contains, Describe, Explain, Field, Textbook};
use crate::lab_query::{LabQuery, QUERY_NUMBERS};
use crate::open::{Open, SceneSpace, WithScene};
use crate::proximity::{Closest, Overlapping, SphereCast};
use crate::reply::Reply;
use hitscan::glam::DVec3;
use hitscan::{Accelerator, AnyShape3, Sphere, TriangleMesh};
use hitscan_io::{Detail, Error, MeshFile, Precision, SceneFile};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Result with an error message.
type Result<T> = std::result::Result<T, String>;

/// State of the module: input buffer, files, open scenes, and the last reply.
#[derive(Default)]
pub struct Lab {
    /// Input buffer in words of 8 bytes, read as numbers or as their bytes.
    input: Vec<f64>,
    files: Files,
    scenes: Vec<Option<Open>>,
    /// The last reply.
    pub reply: Reply,
}

impl Lab {
    /// Allocates the input buffer and returns its address.
    pub fn make_room(&mut self, bytes: usize) -> *mut f64 {
        self.input.clear();
        self.input.resize(bytes.div_ceil(8), 0.0);
        self.input.as_mut_ptr()
    }

    /// Copies bytes to the input buffer, as a page does.
    pub fn put(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        for (word, bytes) in self.input.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            *word = f64::from_le_bytes(eight);
        }
    }

    /// Runs an operation; writes an error as a message to the reply and returns -1.
    pub fn answer(&mut self, operation: impl FnOnce(&mut Self) -> Result<i32>) -> i32 {
        self.reply.clear();
        operation(self).unwrap_or_else(|message| {
            self.reply.clear();
            self.reply.say(&message);
            -1
        })
    }

    /// Adds a file for later calls of [`open`](Self::open) and [`mesh`](Self::mesh), or replaces the file of that name.
    pub fn file(&mut self, name: usize, bytes: usize) -> Result<i32> {
        let (name, bytes) = self.named(name, bytes)?;
        self.files.read.remove(&name);
        self.files.given.insert(name, bytes);
        Ok(0)
    }

    /// Opens a scene, which may use the added files, and returns its handle.
    pub fn open(&mut self, name: usize, toml: usize) -> Result<i32> {
        let (name, toml) = self.named(name, toml)?;
        let toml = String::from_utf8(toml).map_err(|_| format!("{name}: not UTF-8 text"))?;
        let file = SceneFile::parse_with(&name, &toml, |file| self.files.mesh(file));
        let file = file.map_err(|error| error.to_string())?;
        if let Some(problem) = file.lab_problem() {
            return Err(format!("{name}: {problem}"));
        }
        let open = Open::new(file).map_err(|error| error.to_string())?;
        let free = self.scenes.iter().position(Option::is_none).unwrap_or(self.scenes.len());
        if free == self.scenes.len() {
            self.scenes.push(None);
        }
        self.scenes[free] = Some(open);
        i32::try_from(free).map_err(|_| "too many scenes are open".to_owned())
    }

    /// Closes a scene.
    pub fn close(&mut self, scene: u32) {
        if let Some(scene) = self.scenes.get_mut(scene as usize) {
            *scene = None;
        }
    }

    /// Describes a scene: dimension, precision and shapes.
    pub fn describe(&mut self, scene: u32) -> Result<i32> {
        let (open, reply) = (opened(&self.scenes, scene)?, &mut self.reply);
        reply.count(open.file.dimension().count());
        reply.flag(open.file.precision() == Precision::F32);
        Ok(open.with(Describe { file: &open.file, reply }))
    }

    /// Casts a ray or segment: closest hit, all hits, their count, spans.
    pub fn cast(&mut self, scene: u32) -> Result<i32> {
        let lab_query = self.lab_query()?;
        self.visit(scene, |reply| Cast { lab_query, reply })
    }

    /// Tests which solids contain a point.
    pub fn contains(&mut self, scene: u32) -> Result<i32> {
        let point = *self.input.first_chunk::<3>().ok_or("a point has three numbers")?;
        self.visit(scene, |reply| Contains { point, reply })
    }

    /// Finds the closest point of the scene and the signed distance.
    pub fn closest(&mut self, scene: u32) -> Result<i32> {
        let [x, y, z, limit] = *self.input.first_chunk::<4>().ok_or("a point query has four numbers")?;
        if [x, y, z].iter().any(|x| !x.is_finite()) {
            return Err("the point must be finite".to_owned());
        }
        if limit < 0.0 {
            return Err("the distance must be at least 0".to_owned());
        }
        let max_distance = if limit.is_nan() { f64::INFINITY } else { limit };
        self.visit(scene, |reply| Closest { point: [x, y, z], max_distance, reply })
    }

    /// Casts a sphere along a ray or segment: its first contact.
    pub fn cast_sphere(&mut self, scene: u32) -> Result<i32> {
        let lab_query = self.lab_query()?;
        let radius = *self.input.get(QUERY_NUMBERS).ok_or("a sphere has a radius")?;
        // The error of a sphere says what is wrong with the radius.
        Sphere::new(DVec3::ZERO, radius).map_err(|error| error.to_string())?;
        self.visit(scene, |reply| SphereCast { lab_query, radius, reply })
    }

    /// Finds the objects that the first shape of another scene overlaps.
    pub fn overlapping(&mut self, scene: u32, volume: u32) -> Result<i32> {
        let volume = opened(&self.scenes, volume)?;
        Ok(opened(&self.scenes, scene)?.with(Overlapping { volume, reply: &mut self.reply }))
    }

    /// Explains a query: the text of `hitscan explain`, then its parts.
    pub fn explain(&mut self, scene: u32, all: u32) -> Result<i32> {
        let lab_query = self.lab_query()?;
        let detail = if all == 0 { Detail::Near } else { Detail::All };
        self.visit(scene, |reply| Explain { lab_query, detail, reply })
    }

    /// Computes the closest hit by the textbook's formulas.
    pub fn textbook(&mut self, scene: u32) -> Result<i32> {
        let lab_query = self.lab_query()?;
        self.visit(scene, |reply| Textbook { lab_query, reply })
    }

    /// Casts a field of rays and returns their closest hits.
    pub fn field(&mut self, scene: u32, rays: usize) -> Result<i32> {
        let lab_query = self.lab_query()?;
        let numbers = &self.input[QUERY_NUMBERS.min(self.input.len())..];
        if rays > numbers.len() / 6 {
            return Err(format!("{rays} rays were announced, {} are there", numbers.len() / 6));
        }
        let (open, reply) = (opened(&self.scenes, scene)?, &mut self.reply);
        open.with_f32(Field { lab_query, rays: &numbers[..6 * rays], reply }).map_err(|error| error.to_string())
    }

    /// Loads a mesh from an added file, without a scene.
    pub fn mesh(&mut self, name: usize) -> Result<i32> {
        let (name, _) = self.named(name, 0)?;
        let mesh = self.files.mesh(&name).map_err(|error| error.to_string())?;
        let mesh = mesh.data();
        let vertices = mesh.vertices.iter().copied().map(DVec3::from).collect();
        let solid = TriangleMesh::with_accelerator(vertices, mesh.triangles.clone(), Accelerator::LinearScan);
        let solid = solid.map_err(|error| format!("{name}: {error}"))?;
        self.reply.mesh(mesh.vertices.iter().copied(), solid.triangles(), solid.topology());
        Ok(0)
    }

    /// Returns the mesh of a shape.
    pub fn mesh_of(&mut self, scene: u32, shape: usize) -> Result<i32> {
        let (open, reply) = (opened(&self.scenes, scene)?, &mut self.reply);
        let object = DVec3::scene(open).and_then(|scene| scene.at(shape));
        let Some(AnyShape3::Mesh(mesh)) = object.map(|(_, object)| object.shape()) else {
            return Err(format!("shape {shape} is no mesh"));
        };
        reply.mesh(mesh.vertices().iter().map(DVec3::to_array), mesh.triangles(), mesh.topology());
        Ok(0)
    }

    fn visit<'a, W: WithScene>(&'a mut self, scene: u32, visitor: impl FnOnce(&'a mut Reply) -> W) -> Result<i32> {
        let (open, reply) = (opened(&self.scenes, scene)?, &mut self.reply);
        Ok(open.with(visitor(reply)))
    }

    fn lab_query(&self) -> Result<LabQuery> {
        LabQuery::read(&self.input).ok_or_else(|| format!("a query has {QUERY_NUMBERS} numbers"))
    }

    /// Splits the input into a name and the bytes after it.
    fn named(&self, name: usize, bytes: usize) -> Result<(String, Vec<u8>)> {
        let mut all = Vec::with_capacity(8 * self.input.len());
        self.input.iter().for_each(|word| all.extend(word.to_le_bytes()));
        let end = name.checked_add(bytes).filter(|end| *end <= all.len()).ok_or("the input is too short")?;
        all.truncate(end);
        let bytes = all.split_off(name);
        Ok((String::from_utf8_lossy(&all).into_owned(), bytes))
    }
}

/// Files by name. Parsed meshes stay cached, because an animated scene uses the same mesh in every frame.
#[derive(Default)]
struct Files {
    /// Files not parsed yet.
    given: HashMap<String, Vec<u8>>,
    read: HashMap<String, Arc<MeshFile>>,
}

impl Files {
    fn mesh(&mut self, name: &str) -> hitscan_io::Result<Arc<MeshFile>> {
        if let Some(mesh) = self.read.get(name) {
            return Ok(Arc::clone(mesh));
        }
        let missing =
            || Error::io(Path::new(name), io::Error::new(io::ErrorKind::NotFound, "No such file or directory"));
        let mesh = Arc::new(MeshFile::parse(Path::new(name), self.given.get(name).ok_or_else(missing)?)?);
        self.given.remove(name);
        self.read.insert(name.to_owned(), Arc::clone(&mesh));
        Ok(mesh)
    }
}

fn opened(scenes: &[Option<Open>], scene: u32) -> Result<&Open> {
    scenes.get(scene as usize).and_then(Option::as_ref).ok_or_else(|| format!("no scene {scene} is open"))
}
