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

    /// Adds a primitive, with a slot as id.
    pub(crate) fn push(&mut self, slot: u32) {
        self.prim_ids.push(slot);
    }

    /// Removes a primitive.
    pub(crate) fn remove(&mut self, slot: u32) {
        self.prim_ids.retain(|id| *id != slot);
    }

    /// See [`Accel::prim_ids`](crate::bvh::primitive_index::Accel::prim_ids).
    pub(crate) fn prim_ids(&self) -> &[u32] {
        &self.prim_ids
    }

    /// Visits every id.
    pub(crate) fn visit(
        &self,
        limit: &mut f64,
        mut part: impl FnMut(u32, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.prim_ids.iter().try_for_each(|&id| part(id, limit))
    }
}
