//! The WebAssembly module: one function for JavaScript (`run.mjs`).

/// The digest of one chunk of a subject: [`same_bits::chunk`].
// SAFETY: no other function of the module has this name; the linker refuses a second one.
#[unsafe(no_mangle)]
pub extern "C" fn chunk(subject: u32, chunk: u32) -> u64 {
    same_bits::chunk(subject, chunk)
}
