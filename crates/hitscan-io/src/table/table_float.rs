//! The numbers of tables, in either precision.

use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_buffer::ArrowNativeType;
use std::str::FromStr;

/// `f32` or `f64`: the numbers of a table in memory.
///
/// Other crates cannot implement this trait.
pub trait TableFloat: ArrowNativeType + FromStr + PartialOrd {
    /// The type of Arrow.
    type Arrow: ArrowPrimitiveType<Native = Self>;
    /// The number as `f64`, exactly.
    fn wide(self) -> f64;
    /// The nearest number.
    fn nearest(value: f64) -> Self;
}

impl TableFloat for f32 {
    type Arrow = Float32Type;
    fn wide(self) -> f64 {
        self.into()
    }
    fn nearest(value: f64) -> Self {
        value as f32
    }
}

impl TableFloat for f64 {
    type Arrow = Float64Type;
    fn wide(self) -> f64 {
        self
    }
    fn nearest(value: f64) -> Self {
        value
    }
}
