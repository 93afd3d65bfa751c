//! What the module holds, and what can be asked of it.

use crate::answers::{Ask, Contains, Describe, Explain, Field, Textbook};
use crate::open::{Open, Work};
use crate::question::{QUESTION, Question};
use crate::reply::Reply;
use hitscan::glam::DVec3;
use hitscan::{AnyShape3, Method, TriangleMesh};
use hitscan_io::{Precision, SceneFile, Tell, parse_mesh};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// What was wrong, in words.
type Result<T> = std::result::Result<T, String>;

/// The module: scenes, what was handed over, and the last answer.
#[derive(Default)]
pub struct Lab {
    /// As words of 8 bytes, so that numbers can be read from it.
    input: Vec<u64>,
    files: HashMap<String, Vec<u8>>,
    scenes: Vec<Option<Open>>,
    /// The last answer.
    pub reply: Reply,
}

impl Lab {
    /// Makes room for input, and says where.
    pub fn make_room(&mut self, bytes: usize) -> *mut u64 {
        self.input.clear();
        self.input.resize(bytes.div_ceil(8), 0);
        self.input.as_mut_ptr()
    }

    /// Copies input there, as a page does.
    pub fn put(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        for (word, bytes) in self.input.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(eight);
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

    /// A file for the next [`open`](Self::open).
    pub fn file(&mut self, name: usize, bytes: usize) -> Result<i32> {
        let (name, bytes) = self.named(name, bytes)?;
        self.files.insert(name, bytes);
        Ok(0)
    }

    /// Reads a scene, with the files that were handed over before.
    pub fn open(&mut self, name: usize, toml: usize) -> Result<i32> {
        let files = std::mem::take(&mut self.files);
        let (name, toml) = self.named(name, toml)?;
        let toml = String::from_utf8(toml).map_err(|_| format!("{name}: not UTF-8 text"))?;
        let bytes = |file: &str| match files.get(file) {
            Some(bytes) => Ok(Cow::from(&bytes[..])),
            None => Err(io::Error::new(io::ErrorKind::NotFound, "No such file or directory")),
        };
        let file = SceneFile::parse_with(&name, &toml, bytes).map_err(|error| error.to_string())?;
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
        let point = *self.floats().first_chunk::<3>().ok_or("a point has three numbers")?;
        self.work(scene, |reply| Contains { point, reply })
    }

    /// What `hitscan explain` prints, and the same in parts.
    pub fn explain(&mut self, scene: u32, all: u32) -> Result<i32> {
        let question = self.question()?;
        let tell = if all == 0 { Tell::Near } else { Tell::All };
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
        let numbers = self.floats();
        let numbers = &numbers[QUESTION.min(numbers.len())..];
        if rays > numbers.len() / 6 {
            return Err(format!("{rays} rays were announced, {} are there", numbers.len() / 6));
        }
        let (open, reply) = opened(&self.scenes, scene, &mut self.reply)?;
        open.with_f32(Field { question, rays: &numbers[..6 * rays], reply }).map_err(|error| error.to_string())
    }

    /// A mesh by itself.
    pub fn mesh(&mut self, name: usize, bytes: usize) -> Result<i32> {
        let (name, bytes) = self.named(name, bytes)?;
        let mesh = parse_mesh(Path::new(&name), &bytes).map_err(|error| error.to_string())?;
        drop(bytes);
        let vertices = mesh.vertices.iter().copied().map(DVec3::from).collect();
        let solid = TriangleMesh::with_method(vertices, mesh.triangles, Method::Brute);
        let solid = solid.map_err(|error| format!("{name}: {error}"))?;
        self.reply.mesh(mesh.vertices.into_iter(), solid.triangles(), solid.topology());
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

    /// The input as numbers.
    fn floats(&self) -> Vec<f64> {
        self.input.iter().copied().map(f64::from_bits).collect()
    }

    fn question(&self) -> Result<Question> {
        let numbers: Vec<f64> = self.input.iter().take(QUESTION).copied().map(f64::from_bits).collect();
        Question::read(&numbers).ok_or_else(|| format!("a question has {QUESTION} numbers"))
    }

    /// A name and the bytes after it.
    fn named(&self, name: usize, bytes: usize) -> Result<(String, Vec<u8>)> {
        let all: Vec<u8> = self.input.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = name.checked_add(bytes).filter(|end| *end <= all.len()).ok_or("the input is too short")?;
        Ok((String::from_utf8_lossy(&all[..name]).into_owned(), all[name..end].to_vec()))
    }
}

fn opened<'a>(scenes: &'a [Option<Open>], scene: u32, reply: &'a mut Reply) -> Result<(&'a Open, &'a mut Reply)> {
    match scenes.get(scene as usize) {
        Some(Some(open)) => Ok((open, reply)),
        _ => Err(format!("no scene {scene} is open")),
    }
}
