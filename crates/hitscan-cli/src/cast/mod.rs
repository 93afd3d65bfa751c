//! `hitscan cast`: rays in, hits out.

mod command;
mod engine;
mod hit_table;
mod sphere_cast;

pub(crate) use command::CastArguments;
