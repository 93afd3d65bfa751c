//! Exact numbers of any length, and quotients and roots of them to a chosen precision.

pub(crate) mod arena;
pub(crate) mod exact;
pub(crate) mod integer;
pub(crate) mod limbs;
mod order;
mod quotient;
#[cfg(test)]
mod tests;
