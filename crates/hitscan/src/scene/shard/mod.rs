//! Shards: parts of a scene with the numbers of the whole, and the merge of their answers.

pub(crate) mod all_merge;
pub(crate) mod closest_merge;
pub(crate) mod error;
pub(crate) mod numbers;
pub(crate) mod saved;
pub(crate) mod saved_hits;
pub(crate) mod shard;
pub(crate) mod shard_queries;
pub(crate) mod sharded_scene;
pub(crate) mod split;
pub(crate) mod split_shapes;
