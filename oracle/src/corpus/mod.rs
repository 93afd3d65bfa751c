//! Cases of `testdata/`: reads a shape and a ray in the format of `testdata/README.md` and writes the case with its exact
//! answers.

mod decimal;
mod picture;
mod read;
mod stub;
mod write;

pub use read::read;
pub use stub::Stub;
pub use write::write;
