//! The result of the parsers, and what several of them check.

use super::MeshData;
use super::tally::Tally;
use crate::dimension::Precision;
use crate::error::{Fault, Place, Result, quoted};

/// The bytes of a file that a mesh is spread over, by the name that the mesh has for it.
pub(super) type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, Fault> + 'a;

/// The vertices and triangles read so far: indices in range.
#[derive(Debug, Default)]
pub(super) struct ParsedMesh {
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Notes about what was ignored or changed, each in one line.
    pub(super) notes: Vec<String>,
    /// Whether the file declares its coordinates as `f32`, and their decimals are those of `f32` numbers.
    pub(super) is_single: bool,
    /// The vertices that are not finite, in their order.
    not_finite: Vec<(u32, Place)>,
}

/// What a parser read.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) data: MeshData,
    pub(super) notes: Vec<String>,
    pub(super) precision: Precision,
}

impl ParsedMesh {
    /// Adds a vertex. One that is not finite is an error of the file if a triangle has it.
    pub(super) fn push_vertex(&mut self, point: [f64; 3], place: impl FnOnce() -> Place) -> Result<(), Fault> {
        let number = u32::try_from(self.vertices.len()).map_err(|_| Fault::file("too many vertices"))?;
        if !point.iter().all(|x| x.is_finite()) {
            self.not_finite.push((number, place()));
        }
        self.vertices.push(point);
        Ok(())
    }

    /// Whether all corners have finite coordinates.
    pub(super) fn are_finite(&self, corners: &[u32]) -> bool {
        let is_finite = |corner: &u32| self.vertices[*corner as usize].iter().all(|x| x.is_finite());
        self.not_finite.is_empty() || corners.iter().all(is_finite)
    }

    /// The mesh and its notes, if there are triangles and the vertices that they have are finite.
    pub(super) fn finish(mut self) -> Result<Finished, Fault> {
        let Some([first, ..]) = self.triangles.first().copied() else {
            return Err(no_triangles(&self.notes));
        };
        debug_assert!(self.triangles.iter().flatten().all(|&index| (index as usize) < self.vertices.len()));
        self.replace_unused(first)?;
        let Self { vertices, triangles, notes, is_single, .. } = self;
        let precision = Precision::of(vertices.iter().flatten().copied());
        let data = MeshData { vertices, triangles, precision };
        let fits = |x: &f64| (*x as f32).is_finite();
        let is_single = is_single && data.vertices.iter().flatten().all(fits);
        Ok(Finished { precision: if is_single { Precision::F32 } else { precision }, data, notes })
    }

    /// Moves vertices that are not finite to the vertex `to`, if no triangle has one of them.
    fn replace_unused(&mut self, to: u32) -> Result<(), Fault> {
        if self.not_finite.is_empty() {
            return Ok(());
        }
        let mut is_used = vec![false; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|corner| is_used[*corner as usize] = true);
        let mut unused = Tally::default();
        for (vertex, place) in std::mem::take(&mut self.not_finite) {
            if is_used[vertex as usize] {
                finite(self.vertices[vertex as usize], || place)?;
                continue;
            }
            unused.add(place);
            self.vertices[vertex as usize] = self.vertices[to as usize];
        }
        let one = "vertex without a face has coordinates that are not finite, and is ignored";
        let many = "vertices without a face have coordinates that are not finite, and are ignored";
        self.notes.extend(unused.note(one, many));
        Ok(())
    }
}

/// The error of a file without triangles. What was left out may be the reason.
pub(super) fn no_triangles(notes: &[String]) -> Fault {
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    Fault::file(format!("mesh has no triangles{notes}"))
}

/// The coordinates, if finite.
pub(super) fn finite(point: [f64; 3], place: impl FnOnce() -> Place) -> Result<[f64; 3], Fault> {
    match point.iter().position(|value| !value.is_finite()) {
        None => Ok(point),
        Some(axis) => {
            let (name, value) = (["x", "y", "z"][axis], point[axis]);
            Err(Fault::new(place(), format!("{name} is {value}, not a finite number")))
        }
    }
}

pub(super) fn out_of_range(place: Place, index: i64, vertices: u64) -> Fault {
    Fault::new(place, format!("vertex index {index} out of range ({vertices} vertices)"))
}

/// The error of a vertex with fewer than three coordinates.
pub(super) fn too_few_coordinates(place: Place, coordinates: usize) -> Fault {
    Fault::new(place, format!("{coordinates} coordinates (a vertex needs 3)"))
}

/// A decimal number of a text file.
pub(super) fn decimal(token: &[u8], place: impl FnOnce() -> Place) -> Result<f64, Fault> {
    let number = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok()).or_else(|| microsoft_number(token));
    number.ok_or_else(|| Fault::new(place(), format!("{} is not a number", quoted(token))))
}

/// A number that is not finite, as `printf` of Microsoft's runtimes writes it: `-nan(ind)` and `nan(snan)`; those before 2015 wrote
/// `1.#INF`, `-1.#IND` and `1.#QNAN`, with zeros up to the number of decimals.
pub(super) fn microsoft_number(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    let (sign, unsigned) = text.strip_prefix('-').map_or((1.0, text), |unsigned| (-1.0, unsigned));
    match unsigned.strip_prefix("1.#").map(|name| name.trim_end_matches('0')) {
        Some("INF") => Some(sign * f64::INFINITY),
        Some("IND" | "QNAN" | "SNAN") => Some(f64::NAN),
        Some(_) => None,
        None => matches!(unsigned, "nan(ind)" | "nan(snan)").then_some(f64::NAN),
    }
}
