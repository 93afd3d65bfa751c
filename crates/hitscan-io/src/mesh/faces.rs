//! The faces of a file on their way to triangles.

use super::parsed::ParsedMesh;
use super::polygon::{Polygon, PolygonCutter, Rounding};
use super::tally::Tally;
use crate::error::Place;
use std::ops::Range;

/// Cuts the faces of a file into triangles, and counts those that a note should name.
#[derive(Default)]
pub(super) struct Faces {
    /// What the coordinates of the file show of their rounding.
    pub(super) rounding: Rounding,
    cutter: PolygonCutter,
    /// The corners of a face, without those that follow themselves.
    corners: Vec<u32>,
    waiting: Vec<WaitingFace>,
    waiting_corners: Vec<u32>,
    short: Tally,
    bent: Tally,
    crossing: Tally,
}

/// A face that stands in the file before one of its vertices.
struct WaitingFace {
    corners: Range<usize>,
    /// Its first triangle.
    triangle: usize,
    place: Place,
}

impl Faces {
    /// Adds the triangles of a face. Three corners are a triangle as they are. Of more corners those that follow themselves are left
    /// out first, which changes nothing but triangles without a third side.
    pub(super) fn push(&mut self, mesh: &mut ParsedMesh, corners: &[u32], place: Place) {
        if let [a, b, c] = *corners {
            mesh.triangles.push([a, b, c]);
            return;
        }
        self.corners.clear();
        self.corners.extend_from_slice(corners);
        self.corners.dedup();
        while self.corners.len() > 1 && self.corners.first() == self.corners.last() {
            self.corners.pop();
        }
        let [first, rest @ ..] = &self.corners[..] else { return self.short.add(place) };
        if rest.len() < 2 {
            return self.short.add(place);
        }
        let is_known = self.corners.iter().all(|corner| (*corner as usize) < mesh.vertices.len());
        if is_known && mesh.are_finite(&self.corners) {
            let polygon = self.cutter.cut(&mesh.vertices, &self.corners, &self.rounding, &mut mesh.triangles);
            return self.count(polygon, place);
        }
        // A fan has as many triangles as the ones that take its place once all vertices are known.
        let triangle = mesh.triangles.len();
        mesh.triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
        if !is_known {
            let start = self.waiting_corners.len();
            self.waiting_corners.extend_from_slice(&self.corners);
            self.waiting.push(WaitingFace { corners: start..self.waiting_corners.len(), triangle, place });
        }
    }

    fn count(&mut self, polygon: Polygon, place: Place) {
        match polygon {
            Polygon::Clean => {}
            Polygon::Bent => self.bent.add(place),
            Polygon::Crossing => self.crossing.add(place),
        }
    }

    /// Cuts the faces whose vertices followed them, all of which are in the mesh, and adds the notes.
    pub(super) fn finish(mut self, mesh: &mut ParsedMesh) {
        let mut triangles = Vec::new();
        for WaitingFace { corners, triangle, place } in std::mem::take(&mut self.waiting) {
            let corners = &self.waiting_corners[corners];
            if mesh.are_finite(corners) {
                triangles.clear();
                let polygon = self.cutter.cut(&mesh.vertices, corners, &self.rounding, &mut triangles);
                mesh.triangles[triangle..triangle + triangles.len()].copy_from_slice(&triangles);
                self.count(polygon, place);
            }
        }
        let Self { short, bent, crossing, .. } = self;
        let notes = [
            short.note(
                "face has fewer than 3 corners and is left out",
                "faces have fewer than 3 corners and are left out",
            ),
            crossing.note(
                "face crosses itself and is cut as well as it can be",
                "faces cross themselves and are cut as well as they can be",
            ),
            bent.note("face is not flat and is cut as if it were", "faces are not flat and are cut as if they were"),
        ];
        mesh.notes.extend(notes.into_iter().flatten());
    }
}
