//! The reference: every part, in order.

use core::ops::ControlFlow;

/// Visits everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brute {
    len: u32,
}

impl Brute {
    pub(crate) fn new(len: usize) -> Self {
        Self { len: u32::try_from(len).unwrap_or(u32::MAX) }
    }

    pub(crate) fn visit(
        self,
        limit: &mut f64,
        mut part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (0..self.len).try_for_each(|i| part(i, limit))
    }
}
