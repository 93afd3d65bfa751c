//! The nearest triangle, or any: eight at a time in `f32`, and one by one where that is not certain.

use super::block::Block;
use super::crossing::{Crossing, Planes, hit};
use crate::accel::{Aim, Ended, Leaves, Single, Tree, WIDTH, above};
use crate::explain::Recorder;
use crate::math::{Dd, Precision, Raw, Real, Wide};
use crate::shape::{Candidate, EdgeRule, TriangleHit, climb, surely_nearer};
use crate::simd::{Lanes, Task, vectorized};
use crate::{Faces, Hit, Query};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use glam::Vec3;

/// The triangles of an `f32` mesh of ordinary size, by the leaves of a tree. All that is compiled for wide registers is
/// compiled here, once, whatever the vectors of the mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks(pub(super) Vec<Block>);

/// A line in `f32` and what is asked about it: little enough to be handed on in no time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shot {
    origin: [f32; 3],
    /// The direction of a ray, the end of a segment.
    target: [f32; 3],
    /// Rounded, where the line is a segment.
    direction: [f32; 3],
    is_segment: bool,
    faces: Faces,
    t_min: f32,
    pub(super) t_max: f32,
}

impl Shot {
    /// What was given in `f32`, as it was.
    #[inline(always)]
    pub(super) fn new(raw: &Raw, query: &Query<impl Real>) -> Self {
        let single = |v: [f64; 3]| [v[0] as f32, v[1] as f32, v[2] as f32];
        let (min, max) = (query.t_min().to_f64(), query.t_max().to_f64());
        // A NaN stays one, and hits nothing.
        let t_min = if min < raw.t_min { raw.t_min } else { min };
        let t_max = if max > raw.t_max { raw.t_max } else { max };
        let (origin, target) = (single(raw.origin), single(raw.target));
        let [x, y, z] = target;
        let towards = [x - origin[0], y - origin[1], z - origin[2]];
        Self {
            origin,
            target,
            direction: if raw.is_segment { towards } else { target },
            is_segment: raw.is_segment,
            faces: query.faces_mode(),
            t_min: t_min as f32,
            t_max: t_max as f32,
        }
    }

    #[inline(always)]
    fn raw(&self) -> Raw {
        let double = |v: [f32; 3]| [f64::from(v[0]), f64::from(v[1]), f64::from(v[2])];
        Raw {
            origin: double(self.origin),
            target: double(self.target),
            is_segment: self.is_segment,
            t_min: f64::NEG_INFINITY,
            t_max: f64::INFINITY,
            largest: f64::from(f32::MAX),
        }
    }

    #[inline(always)]
    pub(super) fn aim(&self) -> Aim {
        Aim::new(self.origin, self.direction, self.t_min)
    }

    /// None for an unusual one.
    #[inline(always)]
    pub(super) fn line<L: Lanes>(&self, tree: &Tree) -> Option<Single> {
        tree.line_in_f32::<L>(self.aim())
    }

    #[inline(always)]
    fn query(&self) -> Query<f64> {
        Query::new().range(f64::from(self.t_min), f64::from(self.t_max)).faces(self.faces)
    }
}

/// A line that blocks do not know: of unusual size, from a negative `t`, or none at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unusual;

impl Blocks {
    /// The first hit.
    #[inline(never)]
    pub(super) fn first(&self, tree: &Tree, shot: &Shot) -> Result<Option<Hit<Vec3>>, Unusual> {
        vectorized(One::<Nearest> { blocks: self, tree, shot, asking: PhantomData })
    }

    /// Whether the line crosses a triangle.
    #[inline(never)]
    pub(super) fn any(&self, tree: &Tree, shot: &Shot) -> Result<bool, Unusual> {
        vectorized(One::<Occlusion> { blocks: self, tree, shot, asking: PhantomData })
    }

    /// The triangle that the line crosses first up to `limit`, and where; of equals the one with the lowest number.
    #[inline(never)]
    pub(super) fn candidate(&self, tree: &Tree, shot: &Shot, limit: f32) -> Result<Option<(u32, f64)>, Unusual> {
        vectorized(Near { blocks: self, tree, shot, limit })
    }
}

/// What is asked of one leaf after the other.
pub(super) trait Asking<'a>: Leaves + Sized {
    type Answer: Copy + Default;
    fn about(blocks: &'a Blocks, shot: &Shot) -> Self;
    fn answer(&self, ended: Ended) -> Self::Answer;
}

/// A question about one line.
struct One<'a, A> {
    blocks: &'a Blocks,
    tree: &'a Tree,
    shot: &'a Shot,
    asking: PhantomData<A>,
}

impl<'a, A: Asking<'a>> Task for One<'a, A> {
    type Output = Result<A::Answer, Unusual>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let Self { blocks, tree, shot, .. } = self;
        let line = shot.line::<L>(tree).ok_or(Unusual)?;
        let mut asking = A::about(blocks, shot);
        let ended = tree.walk_in_f32::<L>(&line, shot.t_max, &mut asking);
        Ok(asking.answer(ended))
    }
}

struct Near<'a> {
    blocks: &'a Blocks,
    tree: &'a Tree,
    shot: &'a Shot,
    limit: f32,
}

impl Task for Near<'_> {
    type Output = Result<Option<(u32, f64)>, Unusual>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let Self { blocks, tree, shot, limit } = self;
        let line = shot.line::<L>(tree).ok_or(Unusual)?;
        let mut nearest = Nearest::about(blocks, shot);
        // A NaN stays one.
        let end = if limit < shot.t_max { limit } else { shot.t_max };
        let _ = tree.walk_in_f32::<L>(&line, end, &mut nearest);
        Ok(nearest.crossing().map(|(triangle, at)| (triangle, at.t.to_f64())))
    }
}

/// The triangles, and the line as it was given.
struct Asked<'a> {
    blocks: &'a [Block],
    shot: Shot,
}

/// A triangle that is crossed within the range of the query.
#[derive(Clone, Copy)]
struct Met {
    triangle: u32,
    /// Where it is.
    place: (u32, usize),
    /// Bounds of `t`.
    low: f32,
    high: f32,
    /// Known in `f32`.
    is_certain: bool,
}

impl Asked<'_> {
    /// Looks at the triangles of a leaf that the line may cross before `end`, until one of them breaks.
    #[inline(always)]
    fn each<L: Lanes>(
        &self,
        line: &Aim,
        leaf: u32,
        triangles: &[[u32; WIDTH]],
        end: f32,
        mut met: impl FnMut(Met) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let block = &self.blocks[leaf as usize];
        let weighed = block.weigh::<L, false>(line, end, self.shot.faces);
        let mut mask = weighed.maybe;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % WIDTH;
            mask &= mask - 1;
            let (low, high) = (weighed.range[0][lane], weighed.range[1][lane]);
            let is_certain = weighed.inside >> lane & 1 == 1 && low > line.t_min && high < self.shot.t_max;
            let bounds = if is_certain { Some((low, high)) } else { self.bounds((leaf, lane)) };
            if let Some((low, high)) = bounds {
                met(Met { triangle: triangles[leaf as usize][lane], place: (leaf, lane), low, high, is_certain })?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn crossing(&self, (leaf, lane): (u32, usize)) -> Crossing {
        let corners = self.blocks[leaf as usize].corners(lane);
        Crossing { corners, query: self.shot.query(), rule: EdgeRule::Closed }
    }

    /// Bounds of `t` where `f32` is not certain.
    #[cold]
    #[inline(never)]
    fn bounds(&self, place: (u32, usize)) -> Option<(f32, f32)> {
        let t = self.crossing(place).answer::<f32>(&self.shot.raw())?.t.to_f64();
        let bound = |t| Candidate { t, primitive: 0, at_start: false }.limit();
        Some((-above(bound(-t)), above(bound(t))))
    }

    /// Whether the new one is nearer than the old one, or as near with a lower number.
    #[inline(always)]
    fn beats(&self, new: &Met, old: &Met) -> bool {
        new.high < old.low || (new.low <= old.high && self.beats_exactly(new, old))
    }

    #[cold]
    #[inline(never)]
    fn beats_exactly(&self, new: &Met, old: &Met) -> bool {
        let crossings = [new, old].map(|met| self.crossing(met.place));
        let planes = Planes(crossings.each_ref().map(|crossing| crossing.corners));
        let order = if planes.are_the_same() {
            Ordering::Equal
        } else {
            let [s, t] =
                crossings.each_ref().map(|crossing| crossing.answer::<f32>(&self.shot.raw()).map(|at| at.t.to_f64()));
            s.zip(t)
                .and_then(|(s, t)| surely_nearer(s, t))
                .unwrap_or_else(|| climb(&planes, &self.shot.raw(), Precision::Single, &mut Recorder::default()))
        };
        order.then(new.triangle.cmp(&old.triangle)).is_lt()
    }
}

/// Remembers the nearest crossing; of equals the one with the lowest number.
pub(super) struct Nearest<'a> {
    asked: Asked<'a>,
    best: Option<Met>,
}

impl Nearest<'_> {
    /// The triangle, and the crossing in `f64`.
    #[inline(always)]
    fn crossing(&self) -> Option<(u32, TriangleHit<Dd>)> {
        let best = self.best?;
        // The block is at hand, the mesh itself somewhere in memory.
        let (crossing, raw) = (self.asked.crossing(best.place), self.asked.shot.raw());
        let at = if best.is_certain { crossing.inside::<f32>(&raw) } else { crossing.answer::<f32>(&raw) };
        Some((best.triangle, at?))
    }
}

impl<'a> Asking<'a> for Nearest<'a> {
    type Answer = Option<Hit<Vec3>>;
    #[inline(always)]
    fn about(blocks: &'a Blocks, shot: &Shot) -> Self {
        Self { asked: Asked { blocks: &blocks.0, shot: *shot }, best: None }
    }
    #[inline(always)]
    fn answer(&self, _ended: Ended) -> Self::Answer {
        let (triangle, at) = self.crossing()?;
        Some(hit(&self.asked.shot.raw().line(), triangle, &at.convert::<f64>()))
    }
}

impl Leaves for Nearest<'_> {
    #[inline(always)]
    fn leaf<L: Lanes>(
        &mut self,
        line: Option<&Aim>,
        leaf: u32,
        leaves: &[[u32; WIDTH]],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Some(line) = line else { return ControlFlow::Continue(()) };
        let Self { asked, best } = self;
        asked.each::<L>(line, leaf, leaves, *end, |met| {
            if best.is_none_or(|old| asked.beats(&met, &old)) {
                *best = Some(met);
                *end = end.min(met.high);
            }
            ControlFlow::Continue(())
        })
    }
}

/// Stops at the first crossing.
pub(super) struct Occlusion<'a>(Asked<'a>);

impl<'a> Asking<'a> for Occlusion<'a> {
    type Answer = bool;
    #[inline(always)]
    fn about(blocks: &'a Blocks, shot: &Shot) -> Self {
        Self(Asked { blocks: &blocks.0, shot: *shot })
    }
    #[inline(always)]
    fn answer(&self, ended: Ended) -> bool {
        ended == Ended::Stopped
    }
}

impl Leaves for Occlusion<'_> {
    #[inline(always)]
    fn leaf<L: Lanes>(
        &mut self,
        line: Option<&Aim>,
        leaf: u32,
        leaves: &[[u32; WIDTH]],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let Some(line) = line else { return ControlFlow::Continue(()) };
        self.0.each::<L>(line, leaf, leaves, *end, |_| ControlFlow::Break(()))
    }
}
