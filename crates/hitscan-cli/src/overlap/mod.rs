//! `hitscan overlap`: volumes in, what they overlap out.

mod command;
mod overlap_table;
mod search;
mod volume_arguments;
mod volume_batch;

pub(crate) use command::OverlapArguments;
pub(crate) use volume_arguments::GivenVolumes;
pub(crate) use volume_batch::VolumeBatch;
