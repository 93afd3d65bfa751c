//! Many lines to the parts of a tree, whatever these are: told by a call, so that all kinds share one code.

use super::Index;
use super::slab::Single;
use super::stream::{Crowd, Stream, Traveller};
use super::tree::{Leaf, Tree, above};
use crate::math::Raw;
use crate::simd::{Lanes, Task, vectorized};
use core::ops::ControlFlow;

impl Index {
    /// The tree, if there is one.
    pub(crate) fn tree(&self) -> Option<&Tree> {
        match self {
            Self::Bvh(tree) => Some(tree),
            Self::Brute(_) => None,
        }
    }
}

/// What is done about one part for one line, by their numbers: it may lower the end, or stop the line.
type Look<'a> = dyn FnMut(u32, u32, &mut f64) -> ControlFlow<()> + 'a;

impl Tree {
    /// The line made ready for the tree's boxes, if it is of ordinary size.
    #[inline(always)]
    pub(crate) fn single(&self, line: &Raw, t_min: f64) -> Option<Single> {
        Single::of(line, t_min, self.largest)
    }

    /// Looks at every part that a line of a stream may meet, and perhaps at others; near ones first, as far as lines that go
    /// together agree about that. `fetch` asks for the memory of a part that is looked at soon.
    #[inline(never)]
    pub(crate) fn visit_together<'a>(
        &'a self,
        stream: &mut Stream<()>,
        look: &'a mut Look<'a>,
        fetch: &'a dyn Fn(u32),
    ) {
        vectorized(Together { tree: self, stream, crowd: EachPart { parts: &self.parts, look, fetch } });
    }
}

struct Together<'a, 'b> {
    tree: &'a Tree,
    stream: &'b mut Stream<()>,
    crowd: EachPart<'a>,
}

impl Task for Together<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { tree, stream, mut crowd } = self;
        stream.run::<L, _>(tree, &mut crowd);
    }
}

/// Looks at the parts of a leaf one by one.
struct EachPart<'a> {
    parts: &'a [u32],
    look: &'a mut Look<'a>,
    fetch: &'a dyn Fn(u32),
}

impl Crowd for EachPart<'_> {
    type Note = ();
    /// Parts are somewhere in memory.
    const BY_TURNS: usize = 4;
    const ALIKE: f32 = 0.5;
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, traveller: &mut Traveller<()>, leaf: Leaf) -> ControlFlow<()> {
        // What lies beyond a limit that was rounded up need not be found either.
        let mut limit = f64::from(traveller.end);
        for &part in leaf.of_all(self.parts) {
            (self.look)(traveller.number, part, &mut limit)?;
        }
        traveller.end = above(limit);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn fetch(&self, leaf: Leaf) {
        leaf.of_all(self.parts).iter().for_each(|&part| (self.fetch)(part));
    }
}
