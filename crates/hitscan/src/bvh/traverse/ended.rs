//! Outcome of a traversal.

use core::ops::ControlFlow;

/// Outcome of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The stack is empty.
    Finished,
    /// A leaf stopped the traversal.
    Stopped,
}

impl From<Ended> for ControlFlow<()> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Finished => Self::Continue(()),
            Ended::Stopped => Self::Break(()),
        }
    }
}
