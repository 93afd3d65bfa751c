//! `hitscan demo`: every shape, a ray at each, and pictures.

mod command;
mod examples;
mod trefoil;

pub(crate) use command::DemoArguments;
