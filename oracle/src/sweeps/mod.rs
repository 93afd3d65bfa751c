//! Moving spheres: exact first contacts, and cases to compare them on.

mod case;
mod generate;
pub mod inflated;
mod judge;
mod run;

pub use case::{SweepCase, Target};
pub use run::run;
