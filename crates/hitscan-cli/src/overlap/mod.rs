//! `hitscan overlap`: volumes in, what they overlap out.

mod command;
mod overlap_table;
mod search;
mod volume_arguments;
mod volume_batch;

pub(crate) use command::OverlapArguments;
