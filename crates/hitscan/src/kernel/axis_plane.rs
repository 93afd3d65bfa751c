//! The plane of a face that lies across a coordinate axis.

use crate::math::eft::two_sum;
use crate::math::vec3::Vec3;
use core::cmp::Ordering;

/// Plane of a face across a coordinate axis. The order of two such planes along their axis is exact and takes two comparisons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisPlane {
    axis: usize,
    /// The coordinate, as a rounded sum of two numbers and the error of that.
    coordinate: (f64, f64),
}

impl AxisPlane {
    /// The plane by which a line enters or leaves a box, given by centre and half extents: it enters by the side that it comes from.
    pub(crate) fn of_box([center, half]: [Vec3<f64>; 2], axis: usize, is_exit: bool, direction: [f64; 3]) -> Self {
        let (center, half) = (center.get(axis), half.get(axis));
        let is_upper = (direction[axis] > 0.0) == is_exit;
        Self { axis, coordinate: two_sum(center, if is_upper { half } else { -half }) }
    }

    /// The plane through a point across a direction; `None` if that is not along an axis.
    pub(crate) fn across(direction: [f64; 3], point: [f64; 3]) -> Option<Self> {
        let axis = direction.iter().position(|x| *x != 0.0)?;
        let is_along = direction.iter().skip(axis + 1).all(|x| *x == 0.0);
        is_along.then(|| Self { axis, coordinate: (point[axis], 0.0) })
    }

    /// The exact order in which a line with this direction crosses two planes; `None` if they are not parallel, or the line is.
    pub(crate) fn order(&self, other: &Self, direction: [f64; 3]) -> Option<Ordering> {
        let ((a, low_a), (b, low_b)) = (self.coordinate, other.coordinate);
        let up = direction[self.axis].partial_cmp(&0.0)?;
        // The error of a rounded sum is at most half of its last digit, so the order of two such pairs is that of the numbers.
        let order = a.partial_cmp(&b)?.then(low_a.partial_cmp(&low_b)?);
        match up {
            _ if self.axis != other.axis => None,
            Ordering::Equal => None,
            Ordering::Greater => Some(order),
            Ordering::Less => Some(order.reverse()),
        }
    }
}
