//! State of one ray in a stream.

use crate::bvh::prepared_ray::PreparedRay;

/// State of one ray in a stream. Node tests read one cache line, leaf tests the next.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct StreamRay<N> {
    /// Upper bound of `t`: hits beyond it do not matter.
    pub(crate) end: f32,
    /// Number of the ray.
    pub(crate) number: u32,
    /// Prepared on first use in packets.
    pub(crate) line: PreparedRay,
    /// Result so far.
    pub(crate) payload: N,
}
