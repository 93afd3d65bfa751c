//! `BlockHits`: the answers to a block of rays as rows of numbers.

use crate::hit::{Hit, Side};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::ray_block::RayBlock;
use crate::simd::rows::{BLOCK, BlockRow};

/// The numbers of hits that a batch computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Numbers {
    /// Whether there is a hit.
    None,
    /// `t`.
    Parameter,
    /// All.
    All,
}

/// Hits as structure of arrays. A row that was not wanted has no meaning.
pub(crate) struct BlockHits {
    /// Bit mask of the rays that certainly hit.
    pub(crate) hit: u128,
    /// Bit mask of the rays without an answer: they are cast alone. The others miss.
    pub(crate) open: u128,
    pub(crate) t: BlockRow,
    pub(crate) distance: BlockRow,
    pub(crate) point: [BlockRow; 3],
    pub(crate) normal: [BlockRow; 3],
    pub(crate) uv: [BlockRow; 2],
    pub(crate) has_uv: bool,
    pub(crate) is_front: [bool; BLOCK],
}

impl Default for BlockHits {
    fn default() -> Self {
        let row = [0.0; BLOCK];
        Self {
            hit: 0,
            open: 0,
            t: row,
            distance: row,
            point: [row; 3],
            normal: [row; 3],
            uv: [row; 2],
            has_uv: false,
            is_front: [false; BLOCK],
        }
    }
}

impl BlockHits {
    /// No answers yet.
    pub(crate) fn leave_open(&mut self, rays: &RayBlock) {
        (self.hit, self.open) = (0, rays.all());
    }
    /// A hit, rounded.
    #[inline]
    pub(crate) fn hit<V: Vector>(&self, i: usize) -> Hit<V> {
        let number = |row: &BlockRow| V::Scalar::from_f64(row[i]);
        let vector = |[x, y, z]: &[BlockRow; 3]| V::from_xyz([number(x), number(y), number(z)]);
        let side = if self.is_front[i] { Side::Front } else { Side::Back };
        let uv = if self.has_uv { Some([number(&self.uv[0]), number(&self.uv[1])]) } else { None };
        let place = (number(&self.t), number(&self.distance));
        Hit::of_numbers(place, vector(&self.point), vector(&self.normal), side, uv)
    }
}
