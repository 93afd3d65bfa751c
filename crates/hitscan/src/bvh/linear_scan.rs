//! Linear scan: the reference accelerator, which tests every primitive in order.

use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Linear scan over primitive ids.
#[derive(Clone, Debug)]
pub(crate) struct LinearScan {
    prim_ids: Vec<u32>,
}

impl LinearScan {
    pub(crate) fn new(len: usize) -> Self {
        Self { prim_ids: (0..u32::try_from(len).unwrap_or(u32::MAX)).collect() }
    }

    /// See [`Accel::renumber`](crate::bvh::primitive_index::Accel::renumber).
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        self.prim_ids.iter_mut().for_each(|part| *part = numbers[*part as usize]);
    }

    /// See [`Accel::prim_ids`](crate::bvh::primitive_index::Accel::prim_ids).
    pub(crate) fn prim_ids(&self) -> &[u32] {
        &self.prim_ids
    }

    /// Visits every slot. Slots are the ids before [`renumber`](Self::renumber).
    pub(crate) fn visit(
        &self,
        limit: &mut f64,
        mut part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (0..).zip(&self.prim_ids).try_for_each(|(slot, _)| part(slot, limit))
    }
}
