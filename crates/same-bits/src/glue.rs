//! What JavaScript calls.
#![allow(unsafe_code, reason = "a function that JavaScript calls")]

/// See [`crate::chunk`].
// SAFETY: no other function of the module has this name, which the linker would tell.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn chunk(subject: u32, chunk: u32) -> u64 {
    crate::chunk(subject, chunk)
}
