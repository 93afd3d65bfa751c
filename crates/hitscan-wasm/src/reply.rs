//! Reply to the page: an array of numbers and a list of texts.

use hitscan::{Feature, Hit, ObjectId, Real, Side, Topology, Vector};
use hitscan_io::fmt;
use std::fmt::Display;

/// Separator of texts.
const SEPARATOR: char = '\x1f';

/// Reply under construction.
#[derive(Debug, Default)]
pub struct Reply {
    /// Numbers of the reply.
    pub numbers: Vec<f64>,
    /// Texts of the reply, joined by the separator.
    pub text: String,
    has_text: bool,
}

impl Reply {
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.text.clear();
        self.has_text = false;
    }

    pub(crate) fn number(&mut self, x: f64) {
        self.numbers.push(x);
    }

    pub(crate) fn count(&mut self, n: usize) {
        self.number(n as f64);
    }

    pub(crate) fn flag(&mut self, yes: bool) {
        self.number(f64::from(u8::from(yes)));
    }

    pub(crate) fn say(&mut self, text: &str) {
        if self.has_text {
            self.text.push(SEPARATOR);
        }
        self.has_text = true;
        // File names may contain the separator.
        self.text.extend(text.chars().map(|c| if c == SEPARATOR { ' ' } else { c }));
    }

    /// Makes the reply an error with this message; returns the result of a call that failed.
    pub(crate) fn fail(&mut self, message: &impl Display) -> i32 {
        self.clear();
        self.say(&message.to_string());
        -1
    }

    pub(crate) fn vector<V: Vector>(&mut self, v: V) {
        self.numbers.extend(v.to_xyz().map(Real::to_f64));
    }

    pub(crate) fn hit<V: Vector>(&mut self, hit: &Hit<V>) {
        self.number(hit.t.to_f64());
        self.number(hit.distance.to_f64());
        self.vector(hit.point);
        self.vector(hit.normal);
        self.flag(hit.side == Side::Front);
        self.number(hit.object.map_or(-1.0, |id| id.index() as f64));
        self.number(hit.primitive.map_or(-1.0, f64::from));
        self.numbers.extend(hit.uv.map_or([f64::NAN; 2], |uv| uv.map(Real::to_f64)));
    }

    pub(crate) fn optional_hit<V: Vector>(&mut self, hit: Option<&Hit<V>>) {
        self.flag(hit.is_some());
        hit.into_iter().for_each(|hit| self.hit(hit));
    }

    /// Writes the place of a point of a surface: its feature as a text, shape, triangle, and `u`, `v`.
    pub(crate) fn place(
        &mut self,
        feature: Feature,
        object: Option<ObjectId>,
        primitive: Option<u32>,
        uv: Option<[f64; 2]>,
    ) {
        self.say(&fmt::feature(feature));
        self.number(object.map_or(-1.0, |id| id.index() as f64));
        self.number(primitive.map_or(-1.0, f64::from));
        self.numbers.extend(uv.unwrap_or([f64::NAN; 2]));
    }

    /// Writes a mesh: counts, topology, vertices, triangles.
    pub(crate) fn mesh(
        &mut self,
        vertices: impl ExactSizeIterator<Item = [f64; 3]>,
        triangles: &[[u32; 3]],
        topology: &Topology,
    ) {
        self.count(vertices.len());
        self.count(triangles.len());
        self.flag(topology.is_closed());
        let Topology { points, edges, boundary_edges, non_manifold_edges, .. } = *topology;
        let rest = [topology.unbalanced_edges, topology.degenerate_triangles];
        for n in [points, edges, boundary_edges, non_manifold_edges].into_iter().chain(rest) {
            self.count(n);
        }
        self.numbers.extend(vertices.flatten());
        self.numbers.extend(triangles.iter().flatten().copied().map(f64::from));
    }
}
