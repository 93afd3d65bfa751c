//! The number of coordinates of a point, and the precision of a file's numbers.

/// The number of coordinates of each point and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Two dimensions: `x y`.
    Two,
    /// Three dimensions: `x y z`.
    Three,
}

impl Dimension {
    /// 2 or 3.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

/// The narrowest type which holds all numbers of a file exactly.
///
/// Values are `f64` in memory in either case; this says whether they may be narrowed, and how results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Every number is an `f32`.
    F32,
    /// At least one number needs an `f64`.
    F64,
}

impl Precision {
    /// `F32` when each value is exactly an `f32`.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        if values.into_iter().all(|value| f64::from(value as f32) == value) { Self::F32 } else { Self::F64 }
    }
}
