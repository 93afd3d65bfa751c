//! `hitscan cast`: rays in, hits out.

mod command;
mod engine;
mod ignore;
mod ray_source;
mod text_table;

pub(crate) use command::CastArguments;
