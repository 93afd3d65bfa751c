//! `hitscan cast`: rays in, hits out.

mod command;
mod engine;
mod hit_table;

pub(crate) use command::CastArguments;
