//! Instance: a shape, bare or as its exact image under an affine map; converted to the integers of a line.

use crate::affine::{Affine, PlainTransform};
use crate::body::Body;
use crate::implicit::ImplicitShape;
use crate::line::{Line, RayOrSegment};
use crate::number::grid_of;

/// Shape with an optional map.
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    body: &'a Body,
    map: Option<Affine>,
}

impl<'a> Instance<'a> {
    /// Shape under a transform, or bare.
    pub fn new(body: &'a Body, transform: Option<&PlainTransform>) -> Self {
        Self { body, map: transform.map(Affine::new) }
    }
    /// Shape under any map, as a product of transforms.
    pub fn with_map(body: &'a Body, map: Affine) -> Self {
        Self { body, map: Some(map) }
    }
    /// Exponent of a grid that represents the numbers of the world: those of a bare shape, or of the translation.
    fn grid(&self) -> i32 {
        self.map.as_ref().map_or_else(|| grid_of(self.body.lengths()), Affine::grid)
    }
    /// Ray or segment on a common grid with all instances.
    pub fn line(given: &RayOrSegment, instances: &[Self]) -> Line {
        Line::with_grid(given, instances.iter().map(Self::grid).min().unwrap_or(0))
    }
    /// Implicit functions on the grid of a line.
    pub fn model(&self, line: &Line) -> ImplicitShape {
        match &self.map {
            None => ImplicitShape::new(self.body, line.grid),
            Some(map) => ImplicitShape::image(self.body, &map.preimage(line.grid, grid_of(self.body.lengths()))),
        }
    }
}
