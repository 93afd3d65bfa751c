//! Properties of the compilation target.

/// Whether code size counts more than the speed of batches: on WebAssembly, where programs are downloaded. Batches then
/// go ray by ray, and the builder has one number of bins.
pub(crate) const COMPACT: bool = cfg!(target_arch = "wasm32");
