//! BVH traversal: single rays, packets, streams.

pub(crate) mod deep;
pub(crate) mod ended;
pub(crate) mod interleaved;
pub(crate) mod local_ray;
pub(crate) mod nearest_first;
pub(crate) mod packet;
pub(crate) mod packet_phase;
pub(crate) mod point;
pub(crate) mod ray_lists;
pub(crate) mod single;
pub(crate) mod stack;
pub(crate) mod stream;
pub(crate) mod stream_prims;
pub(crate) mod stream_ray;
pub(crate) mod stream_visitor;
pub(crate) mod visitor;
pub(crate) mod volume;
pub(crate) mod working_set;
