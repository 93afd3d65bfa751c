//! State of one ray in a stream.

use crate::bvh::prepared_ray::Single;

/// A line on its way: what nodes ask about in one line of the cache, what leaves ask about in the next.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Traveller<N> {
    /// What lies beyond need not be found.
    pub(crate) end: f32,
    /// Which one it is.
    pub(crate) number: u32,
    /// Made ready when it is needed.
    pub(crate) line: Single,
    /// What is known about it so far.
    pub(crate) note: N,
}
