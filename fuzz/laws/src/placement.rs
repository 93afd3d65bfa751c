//! Decoder of transforms from numbers.

use crate::numbers::Numbers;

/// Numbers of a transform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// Images of the unit vectors, as many as the space has dimensions.
    pub(crate) axes: [[f64; 3]; 3],
    pub(crate) translation: [f64; 3],
}

impl Placement {
    /// Any matrix, or a diagonal one, or a translation.
    pub(crate) fn read(n: &mut Numbers<'_>, dim: usize) -> Self {
        let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        match n.byte() % 4 {
            0 => {}
            1 => axes.iter_mut().take(dim).enumerate().for_each(|(i, axis)| axis[i] = n.number()),
            _ => axes.iter_mut().take(dim).for_each(|axis| *axis = n.point(dim)),
        }
        Self { axes, translation: n.point(dim) }
    }
}
