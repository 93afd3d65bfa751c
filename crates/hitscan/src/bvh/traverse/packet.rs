//! Packet of sixteen rays with a common origin and direction class, such as those of a camera or a scanner. Each node
//! or triangle is read once for all rays, and interval bounds over the packet cull the ones that no ray can hit.
//!
//! # Source
//! Wald, Slusallek, Benthin, Wagner, *Interactive Rendering with Coherent Ray Tracing*, Eurographics 2001: packets.
//! Boulos, Wald, Shirley, *Geometric and Arithmetic Culling Methods for Entire Ray Packets*, 2006: intervals over all
//! rays of a packet.

use crate::bvh::node::{NodeBounds, WIDTH};
use crate::bvh::ray::{RayF32, axes};
use crate::bvh::shear::OFFSET_ERROR;
use crate::bvh::slab::{PARALLEL_ERROR, SLACK_IN_F32, ZERO_INVERSE};
use crate::bvh::traverse::stream_ray::StreamRay;
use crate::simd::lanes::{F32Lanes, SimdF32};

/// Packet: sixteen ordinary rays of one [direction class](RayF32::direction_class), in SoA layout.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Packet {
    /// Slab constants per lane: see [`SlabConstants`](crate::bvh::slab::SlabConstants).
    inverse: [F32Lanes; 3],
    shifts: [[F32Lanes; 3]; 2],
    pub(crate) t_min: F32Lanes,
    /// Upper bound of `t` per lane: hits beyond it do not matter.
    pub(crate) end: F32Lanes,
    /// Shear constants per lane, in the order of `axes`: see [`WoopShear`](crate::bvh::shear::WoopShear).
    pub(crate) slope: [F32Lanes; 2],
    pub(crate) shift: [F32Lanes; 2],
    pub(crate) inv_dz: F32Lanes,
    pub(crate) error_bound: f32,
    pub(crate) axes: [u8; 3],
    /// Axes of negative direction, as bits.
    pub(crate) octant: usize,
    /// Common origin.
    from: [f32; 3],
    /// Bounds over all lanes: the intervals of inverses and slopes, the least `t_min`, the greatest `end`, and the
    /// error of `t` at a plane.
    inverses: [[f32; 2]; 3],
    pub(crate) slopes: [[f32; 2]; 2],
    start: f32,
    pub(crate) last: f32,
    slack: [f32; 3],
    /// Index of the packet's first ray in the stream.
    first: usize,
    /// Mask of the lanes whose `StreamRay` is prepared.
    pub(crate) ready: u32,
    /// Number of leaves entered, and sum of their active lanes.
    pub(crate) leaves: u32,
    pub(crate) looks: u32,
}

/// Up to this many active lanes are tested one at a time.
pub(crate) const MIN_ACTIVE_LANES: u32 = 3;

impl Packet {
    /// Empty packet, for [`prepare`](Self::prepare).
    pub(crate) fn new() -> Self {
        let (row, none) = ([0.0; WIDTH], [0.0; 2]);
        Self {
            inverse: [row; 3],
            shifts: [[row; 3]; 2],
            t_min: row,
            end: row,
            slope: [row; 2],
            shift: [row; 2],
            inv_dz: row,
            error_bound: 0.0,
            axes: [0; 3],
            octant: 0,
            from: [0.0; 3],
            inverses: [none; 3],
            slopes: [none; 2],
            start: 0.0,
            last: 0.0,
            slack: [0.0; 3],
            first: 0,
            ready: 0,
            leaves: 0,
            looks: 0,
        }
    }

    /// Prepares sixteen rays with a common origin and direction class, each with its end: the rays from index `first`
    /// on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn prepare<L: SimdF32>(&mut self, first: usize, lines: &[(RayF32, f32); WIDTH], largest: f32) {
        // The directions of all lanes, one row for each axis, with ends and ranges of `t`.
        (self.first, self.ready, self.leaves, self.looks) = (first, 0, 0, 0);
        let mut d = [[0.0; WIDTH]; 3];
        for (lane, (aim, end)) in lines.iter().enumerate() {
            let direction = aim.direction.to_array();
            (d[0][lane], d[1][lane], d[2][lane]) = (direction[0], direction[1], direction[2]);
            (self.t_min[lane], self.end[lane]) = (aim.t_min, *end);
        }
        // What the rays share, taken from the first: origin, axes and octant.
        let leader = &lines[0].0;
        let [x, y, z, _] = leader.origin.to_array();
        self.from = [x, y, z];
        self.axes = axes(leader.direction);
        self.octant = leader.direction.is_negative_bitmask() as usize % 8;
        // The bounds over all lanes, for the interval tests.
        self.start = L::load(&self.t_min).reduce_min();
        self.last = L::load(&self.end).reduce_max();
        self.among_boxes::<L>(&d, largest);
        self.among_triangles::<L>(&d, largest);
    }

    /// Slab constants, as in [`PreparedRay`](crate::bvh::prepared_ray::PreparedRay).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn among_boxes<L: SimdF32>(&mut self, d: &[F32Lanes; 3], largest: f32) {
        // Per axis: inverse, slack and shifts of each lane, and the intervals over all.
        let zero = L::splat(0.0);
        let farthest = largest + (self.from[0].abs() + self.from[1].abs() + self.from[2].abs());
        for (axis, d) in d.iter().enumerate() {
            let origin = self.from[axis];
            let steep = L::splat(1.0).div(L::load(d).abs()).min(L::splat(ZERO_INVERSE));
            let inverse = if self.octant >> axis & 1 == 1 { zero.minus(steep) } else { steep };
            // In one direction class a component is zero for all lanes or for none.
            let parallel_error = if d[0] == 0.0 { farthest * PARALLEL_ERROR } else { 0.0 };
            let magnitude = (origin.abs() + largest) * SLACK_IN_F32;
            let slack = steep.mul_add(L::splat(magnitude), L::splat(parallel_error + f32::MIN_POSITIVE));
            let behind = inverse.times(L::splat(origin));
            inverse.store(&mut self.inverse[axis]);
            zero.minus(behind).minus(slack).store(&mut self.shifts[0][axis]);
            slack.minus(behind).store(&mut self.shifts[1][axis]);
            self.inverses[axis] = [inverse.reduce_min(), inverse.reduce_max()];
            self.slack[axis] = slack.reduce_max();
        }
    }

    /// Shear constants, as in [`WoopShear`](crate::bvh::shear::WoopShear).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn among_triangles<L: SimdF32>(&mut self, d: &[F32Lanes; 3], largest: f32) {
        // The common origin serves all lanes; only slopes and shifts differ.
        let [i, j, k] = self.axes.map(|axis| usize::from(axis % 3));
        let ([x, y, z], deep) = (self.from, L::splat(self.from[k]));
        self.error_bound = OFFSET_ERROR * (largest + x.abs().max(y.abs()).max(z.abs())) + f32::MIN_POSITIVE;
        self.inv_dz = self.inverse[k];
        for (at, axis) in [i, j].into_iter().enumerate() {
            let slope = L::load(&d[axis]).times(L::load(&self.inv_dz));
            slope.store(&mut self.slope[at]);
            slope.times_minus(deep, L::splat(self.from[axis])).store(&mut self.shift[at]);
            self.slopes[at] = [slope.reduce_min(), slope.reduce_max()];
        }
    }

    /// Coordinate of the common origin along one of `axes`.
    #[inline(always)]
    pub(crate) fn from(&self, axis: usize) -> f32 {
        self.from[usize::from(self.axes[axis] % 3)]
    }

    /// Ray of one lane.
    #[inline(always)]
    pub(crate) fn ray<'a, N>(&self, rays: &'a mut [StreamRay<N>], lane: usize) -> &'a mut StreamRay<N> {
        &mut rays[self.first + lane % WIDTH]
    }

    /// Interval slab test: lower bounds of the entry distances over all lanes, and a mask of the boxes that some lane
    /// may hit.
    ///
    /// # Accuracy
    /// The ray meets a plane at `x` at `(x - o) inverse`. Errors: the rounded origin (1 of 2^-24), the inverse of a
    /// rounded direction (2), a difference, a product, and the sum with the slack, which is sixteen. See
    /// docs/proofs.md, Lemma 24.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter_any<L: SimdF32>(&self, [x, y, z, a, b, c]: &[L; 6]) -> (L, u32) {
        let (from, inverses, slack) = (&self.from, &self.inverses, &self.slack);
        // Not closures over registers: they would compile to calls.
        let near_x = near(x, from[0], inverses[0], -slack[0]);
        let near_y = near(y, from[1], inverses[1], -slack[1]);
        let near_z = near(z, from[2], inverses[2], -slack[2]);
        let far_x = far(a, from[0], inverses[0], slack[0]);
        let far_y = far(b, from[1], inverses[1], slack[1]);
        let far_z = far(c, from[2], inverses[2], slack[2]);
        let nearest = near_x.max(near_y).max(near_z.max(L::splat(self.start)));
        let farthest = far_x.min(far_y).min(far_z.min(L::splat(self.last)));
        (nearest, nearest.le(farthest))
    }

    /// Slab test of one child box: a mask of the lanes that may hit it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn enter<L: SimdF32>(&self, planes: &NodeBounds, at: usize) -> u32 {
        // The near and far rows of the octant, here for one box against sixteen rays.
        let Self { inverse, shifts: [early, late], octant, .. } = self;
        let (x, y, z) = (3 * (octant & 1), 1 + 3 * (octant >> 1 & 1), 2 + 3 * (octant >> 2 & 1));
        let [i, j, k] = [L::load(&inverse[0]), L::load(&inverse[1]), L::load(&inverse[2])];
        let near_x = L::splat(planes[x][at]).mul_add(i, L::load(&early[0]));
        let near_y = L::splat(planes[y % 6][at]).mul_add(j, L::load(&early[1]));
        let near_z = L::splat(planes[z % 6][at]).mul_add(k, L::load(&early[2]));
        let far_x = L::splat(planes[3 - x][at]).mul_add(i, L::load(&late[0]));
        let far_y = L::splat(planes[(5 - y) % 6][at]).mul_add(j, L::load(&late[1]));
        let far_z = L::splat(planes[(7 - z) % 6][at]).mul_add(k, L::load(&late[2]));
        let near = near_x.max(near_y).max(near_z.max(L::load(&self.t_min)));
        let far = far_x.min(far_y).min(far_z.min(L::load(&self.end)));
        near.le(far)
    }
}

/// Lower bound over all lanes of `t` at a plane.
#[inline(always)]
fn near<L: SimdF32>(plane: &L, from: f32, [min, max]: [f32; 2], early: f32) -> L {
    let (away, early) = (plane.minus(L::splat(from)), L::splat(early));
    away.mul_add(L::splat(min), early).min(away.mul_add(L::splat(max), early))
}

/// Upper bound over all lanes of `t` at a plane.
#[inline(always)]
fn far<L: SimdF32>(plane: &L, from: f32, [min, max]: [f32; 2], late: f32) -> L {
    let (away, late) = (plane.minus(L::splat(from)), L::splat(late));
    away.mul_add(L::splat(min), late).max(away.mul_add(L::splat(max), late))
}
