//! Sixteen lines from one place that go the same way, as those of a camera or a scanner, side by side: a triangle is read once
//! for all of them, and what none of them can meet is told by what they have in common.
//!
//! # Source
//! Wald, Slusallek, Benthin, Wagner, *Interactive Rendering with Coherent Ray Tracing*, Eurographics 2001: packets. Boulos, Wald,
//! Shirley, *Geometric and Arithmetic Culling Methods for Entire Ray Packets*, 2006: intervals that hold all lines of one.

use crate::bvh::node::{Planes, WIDTH};
use crate::bvh::ray::{Aim, axes};
use crate::bvh::shear::OFF;
use crate::bvh::slab::{SLACK_IN_F32, STEEP, STEEPNESS};
use crate::bvh::traverse::stream_ray::Traveller;
use crate::simd::lanes::{Row, SimdF32};

/// Sixteen lines of ordinary size that go the [same way](Aim::way).
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Packet {
    /// As boxes see a single line: see [`Slab`](super::slab::Slab).
    inverse: [Row; 3],
    shifts: [[Row; 3]; 2],
    pub(crate) t_min: Row,
    /// What lies beyond need not be found.
    pub(crate) end: Row,
    /// As triangles do, in the order of `axes`: see [`Shear`](super::Shear).
    pub(crate) slope: [Row; 2],
    pub(crate) shift: [Row; 2],
    pub(crate) pace: Row,
    pub(crate) off: f32,
    pub(crate) axes: [u8; 3],
    /// Axes along which they go backwards, as bits.
    pub(crate) octant: usize,
    /// Where they all start.
    from: [f32; 3],
    /// Bounds of all inverses and slopes, of where they begin and end, and of how far that may be off.
    inverses: [[f32; 2]; 3],
    pub(crate) slopes: [[f32; 2]; 2],
    start: f32,
    pub(crate) last: f32,
    slack: [f32; 3],
    /// The first of its travellers.
    first: usize,
    /// Those that were made ready by themselves, as bits.
    pub(crate) ready: u32,
    /// How many leaves it has come to, and how many of its lines have looked at them.
    pub(crate) leaves: u32,
    pub(crate) looks: u32,
}

/// So few lines of a packet look at a leaf one after the other.
pub(crate) const FEW: u32 = 3;

impl Packet {
    /// For lines that are told later.
    pub(crate) fn new() -> Self {
        let (row, none) = ([0.0; WIDTH], [0.0; 2]);
        Self {
            inverse: [row; 3],
            shifts: [[row; 3]; 2],
            t_min: row,
            end: row,
            slope: [row; 2],
            shift: [row; 2],
            pace: row,
            off: 0.0,
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

    /// Makes lines ready from one place that go the same way, each up to its end: those of the travellers from `first` on.
    #[inline(always)]
    pub(crate) fn prepare<L: SimdF32>(&mut self, first: usize, lines: &[(Aim, f32); WIDTH], largest: f32) {
        (self.first, self.ready, self.leaves, self.looks) = (first, 0, 0, 0);
        let mut d = [[0.0; WIDTH]; 3];
        for (lane, (aim, end)) in lines.iter().enumerate() {
            let direction = aim.direction.to_array();
            (d[0][lane], d[1][lane], d[2][lane]) = (direction[0], direction[1], direction[2]);
            (self.t_min[lane], self.end[lane]) = (aim.t_min, *end);
        }
        let leader = &lines[0].0;
        let [x, y, z, _] = leader.origin.to_array();
        self.from = [x, y, z];
        self.axes = axes(leader.direction);
        self.octant = leader.direction.is_negative_bitmask() as usize % 8;
        self.start = L::load(&self.t_min).least();
        self.last = L::load(&self.end).most();
        self.among_boxes::<L>(&d, largest);
        self.among_triangles::<L>(&d, largest);
    }

    /// As [`Single`](super::Single) has it for one line.
    #[inline(always)]
    fn among_boxes<L: SimdF32>(&mut self, d: &[Row; 3], largest: f32) {
        let zero = L::splat(0.0);
        let farthest = largest + (self.from[0].abs() + self.from[1].abs() + self.from[2].abs());
        for (axis, d) in d.iter().enumerate() {
            let origin = self.from[axis];
            let steep = L::splat(1.0).over(L::load(d).abs()).min(L::splat(STEEP));
            let inverse = if self.octant >> axis & 1 == 1 { zero.minus(steep) } else { steep };
            // All of them stand along that axis, or none.
            let still = if d[0] == 0.0 { farthest * STEEPNESS } else { 0.0 };
            let magnitude = (origin.abs() + largest) * SLACK_IN_F32;
            let slack = steep.times_plus(L::splat(magnitude), L::splat(still + f32::MIN_POSITIVE));
            let behind = inverse.times(L::splat(origin));
            inverse.store(&mut self.inverse[axis]);
            zero.minus(behind).minus(slack).store(&mut self.shifts[0][axis]);
            slack.minus(behind).store(&mut self.shifts[1][axis]);
            self.inverses[axis] = [inverse.least(), inverse.most()];
            self.slack[axis] = slack.most();
        }
    }

    /// As [`Shear`](super::Shear) has it for one line.
    #[inline(always)]
    fn among_triangles<L: SimdF32>(&mut self, d: &[Row; 3], largest: f32) {
        let [i, j, k] = self.axes.map(|axis| usize::from(axis % 3));
        let ([x, y, z], deep) = (self.from, L::splat(self.from[k]));
        self.off = OFF * (largest + x.abs().max(y.abs()).max(z.abs())) + f32::MIN_POSITIVE;
        self.pace = self.inverse[k];
        for (at, axis) in [i, j].into_iter().enumerate() {
            let slope = L::load(&d[axis]).times(L::load(&self.pace));
            slope.store(&mut self.slope[at]);
            slope.times_minus(deep, L::splat(self.from[axis])).store(&mut self.shift[at]);
            self.slopes[at] = [slope.least(), slope.most()];
        }
    }

    /// Where they start, along one of `axes`.
    #[inline(always)]
    pub(crate) fn from(&self, axis: usize) -> f32 {
        self.from[usize::from(self.axes[axis] % 3)]
    }

    /// One of the lines.
    #[inline(always)]
    pub(crate) fn traveller<'a, N>(&self, travellers: &'a mut [Traveller<N>], lane: usize) -> &'a mut Traveller<N> {
        &mut travellers[self.first + lane % WIDTH]
    }

    /// Which boxes some of the lines may meet, and bounds of where.
    ///
    /// # Accuracy
    /// A plane at `x` is met at `(x - o) inverse`: the rounded origin (1 of 2^-24), the inverse of a rounded direction (2), a
    /// difference, a product, and the sum with the slack, which is sixteen.
    #[inline(always)]
    pub(crate) fn enter_any<L: SimdF32>(&self, [x, y, z, a, b, c]: &[L; 6]) -> (L, u32) {
        let (from, inverses, slack) = (&self.from, &self.inverses, &self.slack);
        // Closures over registers would be calls.
        let near_x = near(x, from[0], inverses[0], -slack[0]);
        let near_y = near(y, from[1], inverses[1], -slack[1]);
        let near_z = near(z, from[2], inverses[2], -slack[2]);
        let far_x = far(a, from[0], inverses[0], slack[0]);
        let far_y = far(b, from[1], inverses[1], slack[1]);
        let far_z = far(c, from[2], inverses[2], slack[2]);
        let nearest = near_x.max(near_y).max(near_z.max(L::splat(self.start)));
        let farthest = far_x.min(far_y).min(far_z.min(L::splat(self.last)));
        (nearest, nearest.at_most(farthest))
    }

    /// Which lines may meet one box of a node.
    #[inline(always)]
    pub(crate) fn enter<L: SimdF32>(&self, planes: &Planes, at: usize) -> u32 {
        let Self { inverse, shifts: [early, late], octant, .. } = self;
        let (x, y, z) = (3 * (octant & 1), 1 + 3 * (octant >> 1 & 1), 2 + 3 * (octant >> 2 & 1));
        let [i, j, k] = [L::load(&inverse[0]), L::load(&inverse[1]), L::load(&inverse[2])];
        let near_x = L::splat(planes[x][at]).times_plus(i, L::load(&early[0]));
        let near_y = L::splat(planes[y % 6][at]).times_plus(j, L::load(&early[1]));
        let near_z = L::splat(planes[z % 6][at]).times_plus(k, L::load(&early[2]));
        let far_x = L::splat(planes[3 - x][at]).times_plus(i, L::load(&late[0]));
        let far_y = L::splat(planes[(5 - y) % 6][at]).times_plus(j, L::load(&late[1]));
        let far_z = L::splat(planes[(7 - z) % 6][at]).times_plus(k, L::load(&late[2]));
        let near = near_x.max(near_y).max(near_z.max(L::load(&self.t_min)));
        let far = far_x.min(far_y).min(far_z.min(L::load(&self.end)));
        near.at_most(far)
    }
}

/// Not after any line meets a plane.
#[inline(always)]
fn near<L: SimdF32>(plane: &L, from: f32, [least, most]: [f32; 2], early: f32) -> L {
    let (away, early) = (plane.minus(L::splat(from)), L::splat(early));
    away.times_plus(L::splat(least), early).min(away.times_plus(L::splat(most), early))
}

/// Not before.
#[inline(always)]
fn far<L: SimdF32>(plane: &L, from: f32, [least, most]: [f32; 2], late: f32) -> L {
    let (away, late) = (plane.minus(L::splat(from)), L::splat(late));
    away.times_plus(L::splat(least), late).max(away.times_plus(L::splat(most), late))
}
