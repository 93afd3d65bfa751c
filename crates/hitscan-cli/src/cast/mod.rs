//! `hitscan cast`: rays in, hits out.

mod command;
mod file_arguments;
mod record_grid;
mod sinks;

pub(crate) use command::CastArguments;
