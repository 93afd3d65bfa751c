//! What the module holds, and what can be asked of it.

use crate::answers::{Ask, Contains, Describe, Explain, Field, Textbook};
use crate::open::{Open, Work};
use crate::question::{LabQuery, QUESTION};
use crate::reply::Reply;
use hitscan::glam::DVec3;
use hitscan::{Accelerator, AnyShape3, TriangleMesh};
use hitscan_io::{Detail, Error, MeshFile, Precision, SceneFile};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What was wrong, in words.
type Result<T> = std::result::Result<T, String>;

/// The module: scenes, what was handed over, and the last answer.
#[derive(Default)]
pub struct Lab {
    /// As words of 8 bytes, so that numbers can be read from it; bytes are these numbers' own.
    input: Vec<f64>,
    files: Files,
    scenes: Vec<Option<Open>>,
    /// The last answer.
    pub reply: Reply,
}

impl Lab {
    /// Makes room for input, and says where.
    pub fn make_room(&mut self, bytes: usize) -> *mut f64 {
        self.input.clear();
        self.input.resize(bytes.div_ceil(8), 0.0);
        self.input.as_mut_ptr()
    }

    /// Copies input there, as a page does.
    pub fn put(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        for (word, bytes) in self.input.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            *word = f64::from_le_bytes(eight);
        }
    }

    /// Does what is asked, and turns what is wrong into a message.
    pub fn answer(&mut self, ask: impl FnOnce(&mut Self) -> Result<i32>) -> i32 {
        self.reply.clear();
        ask(self).unwrap_or_else(|message| {
            self.reply.clear();
            self.reply.say(&message);
            -1
        })
    }

    /// A file for every later [`open`](Self::open) and [`mesh`](Self::mesh); one of the same name is forgotten.
    pub fn file(&mut self, name: usize, bytes: usize) -> Result<i32> {
        let (name, bytes) = self.named(name, bytes)?;
        self.files.read.remove(&name);
        self.files.given.insert(name, bytes);
        Ok(0)
    }

    /// Reads a scene, with the files that were handed over before.
    pub fn open(&mut self, name: usize, toml: usize) -> Result<i32> {
        let (name, toml) = self.named(name, toml)?;
        let toml = String::from_utf8(toml).map_err(|_| format!("{name}: not UTF-8 text"))?;
        let file = SceneFile::parse_with(&name, &toml, |file| self.files.mesh(file));
        let file = file.map_err(|error| error.to_string())?;
        let open = Open::new(file).map_err(|error| error.to_string())?;
        let free = self.scenes.iter().position(Option::is_none).unwrap_or(self.scenes.len());
        if free == self.scenes.len() {
            self.scenes.push(None);
        }
        self.scenes[free] = Some(open);
        i32::try_from(free).map_err(|_| "too many scenes are open".to_owned())
    }

    /// Forgets a scene.
    pub fn close(&mut self, scene: u32) {
        if let Some(scene) = self.scenes.get_mut(scene as usize) {
            *scene = None;
        }
    }

    /// Dimension, precision and shapes.
    pub fn describe(&mut self, scene: u32) -> Result<i32> {
        let (open, reply) = opened(&self.scenes, scene, &mut self.reply)?;
        reply.count(open.file.dimension().count());
        reply.flag(open.file.precision() == Precision::F32);
        Ok(open.with(Describe { file: &open.file, reply }))
    }

    /// First hit, all hits, how many, spans.
    pub fn cast(&mut self, scene: u32) -> Result<i32> {
        let question = self.question()?;
        self.work(scene, |reply| Ask { question, reply })
    }

    /// Which solids hold a point.
    pub fn contains(&mut self, scene: u32) -> Result<i32> {
        let point = *self.input.first_chunk::<3>().ok_or("a point has three numbers")?;
        self.work(scene, |reply| Contains { point, reply })
    }

    /// What `hitscan explain` prints, and the same in parts.
    pub fn explain(&mut self, scene: u32, all: u32) -> Result<i32> {
        let question = self.question()?;
        let tell = if all == 0 { Detail::Near } else { Detail::All };
        self.work(scene, |reply| Explain { question, tell, reply })
    }

    /// The first hit by the textbook's formulas.
    pub fn textbook(&mut self, scene: u32) -> Result<i32> {
        let question = self.question()?;
        self.work(scene, |reply| Textbook { question, reply })
    }

    /// The first hit of many rays.
    pub fn field(&mut self, scene: u32, rays: usize) -> Result<i32> {
        let question = self.question()?;
        let numbers = &self.input[QUESTION.min(self.input.len())..];
        if rays > numbers.len() / 6 {
            return Err(format!("{rays} rays were announced, {} are there", numbers.len() / 6));
        }
        let (open, reply) = opened(&self.scenes, scene, &mut self.reply)?;
        open.with_f32(Field { question, rays: &numbers[..6 * rays], reply }).map_err(|error| error.to_string())
    }

    /// A mesh by itself, of a file that was handed over before.
    pub fn mesh(&mut self, name: usize) -> Result<i32> {
        let (name, _) = self.named(name, 0)?;
        let mesh = self.files.mesh(&name).map_err(|error| error.to_string())?;
        let mesh = mesh.data();
        let vertices = mesh.vertices.iter().copied().map(DVec3::from).collect();
        let solid = TriangleMesh::with_method(vertices, mesh.triangles.clone(), Accelerator::LinearScan);
        let solid = solid.map_err(|error| format!("{name}: {error}"))?;
        self.reply.mesh(mesh.vertices.iter().copied(), solid.triangles(), solid.topology());
        Ok(0)
    }

    /// The mesh of a shape.
    pub fn mesh_of(&mut self, scene: u32, shape: usize) -> Result<i32> {
        let (open, reply) = opened(&self.scenes, scene, &mut self.reply)?;
        let object = open.spatial().and_then(|scene| scene.objects().get(shape));
        let Some(AnyShape3::Mesh(mesh)) = object.map(hitscan::Object::shape) else {
            return Err(format!("shape {shape} is no mesh"));
        };
        reply.mesh(mesh.vertices().iter().map(DVec3::to_array), mesh.triangles(), mesh.topology());
        Ok(0)
    }

    fn work<'a, W: Work>(&'a mut self, scene: u32, work: impl FnOnce(&'a mut Reply) -> W) -> Result<i32> {
        let (open, reply) = opened(&self.scenes, scene, &mut self.reply)?;
        Ok(open.with(work(reply)))
    }

    fn question(&self) -> Result<LabQuery> {
        LabQuery::read(&self.input).ok_or_else(|| format!("a question has {QUESTION} numbers"))
    }

    /// A name and the bytes after it.
    fn named(&self, name: usize, bytes: usize) -> Result<(String, Vec<u8>)> {
        let mut all = Vec::with_capacity(8 * self.input.len());
        self.input.iter().for_each(|word| all.extend(word.to_le_bytes()));
        let end = name.checked_add(bytes).filter(|end| *end <= all.len()).ok_or("the input is too short")?;
        all.truncate(end);
        let bytes = all.split_off(name);
        Ok((String::from_utf8_lossy(&all).into_owned(), bytes))
    }
}

/// Files by their names. A scene that moves names the same mesh frame after frame: it is read once.
#[derive(Default)]
struct Files {
    /// Not read yet.
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

fn opened<'a>(scenes: &'a [Option<Open>], scene: u32, reply: &'a mut Reply) -> Result<(&'a Open, &'a mut Reply)> {
    match scenes.get(scene as usize) {
        Some(Some(open)) => Ok((open, reply)),
        _ => Err(format!("no scene {scene} is open")),
    }
}
