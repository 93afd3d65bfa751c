//! The reference: every part, in order.

use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Visits everything.
#[derive(Clone, Debug)]
pub(crate) struct Brute {
    parts: Vec<u32>,
}

impl Brute {
    pub(crate) fn new(len: usize) -> Self {
        Self { parts: (0..u32::try_from(len).unwrap_or(u32::MAX)).collect() }
    }

    /// See [`Index::renumber`](super::Index::renumber).
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        self.parts.iter_mut().for_each(|part| *part = numbers[*part as usize]);
    }

    /// See [`Index::parts`](super::Index::parts).
    pub(crate) fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// By their places, which were their numbers before [`renumber`](Self::renumber).
    pub(crate) fn visit(
        &self,
        limit: &mut f64,
        mut part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (0..).zip(&self.parts).try_for_each(|(place, _)| part(place, limit))
    }
}
