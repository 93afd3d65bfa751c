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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::arithmetic::Arithmetic;
    use crate::math::exact::exact::Exact;
    use test_support::random::Rng;

    /// The order of faces of boxes is that of the exact sums, along the line: of equal ones, of ones that differ by less than a
    /// rounding, and of others.
    #[test]
    fn the_order_is_that_of_exact_sums() {
        let (mut rng, mut seen) = (Rng::new(61), [0; 3]);
        for round in 0..20_000 {
            let number = |rng: &mut Rng| f64::from(rng.int(-2, 2)) * rng.pick(&[0.1, 0.2, 1.0 + f64::EPSILON, 1e-17]);
            let (axis, is_exit) = (rng.below(3), rng.below(2) == 0);
            let direction = [(); 3].map(|()| f64::from(rng.int(-1, 1)) * 0.75);
            let boxes =
                [(); 2].map(|()| [(); 2].map(|()| Vec3::new(number(&mut rng), number(&mut rng), number(&mut rng))));
            let boxes = boxes.map(|[center, half]| [center, half.map(f64::abs)]);
            let [a, b] = boxes.map(|shape| AxisPlane::of_box(shape, axis, is_exit, direction));
            if direction[axis] == 0.0 {
                assert_eq!(a.order(&b, direction), None);
                continue;
            }
            // Along the line the box begins at the centre less the half extent, whichever way the line runs.
            let sign = direction[axis].signum();
            let [s, t] = boxes.map(|[center, half]| {
                let half = if is_exit { half.get(axis) } else { -half.get(axis) };
                Exact::from_f64(sign * center.get(axis)) + Exact::from_f64(half)
            });
            let expected = s.compare(t);
            assert_eq!(a.order(&b, direction), expected, "round {round}: {boxes:?} {direction:?}");
            seen[expected.map_or(0, |order| (order as i8 + 1) as usize)] += 1;
            let other = AxisPlane::of_box(boxes[1], (axis + 1) % 3, is_exit, direction);
            assert_eq!(a.order(&other, direction), None);
        }
        assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
        // A sum that overflows has no order.
        let huge = AxisPlane::of_box([Vec3::new(f64::MAX, 0.0, 0.0); 2], 0, true, [1.0, 0.0, 0.0]);
        assert_eq!(huge.order(&huge, [1.0, 0.0, 0.0]), None);
        let across = AxisPlane::across([0.0, -2.0, 0.0], [0.1, 0.2, 0.3]);
        assert_eq!(across, Some(AxisPlane { axis: 1, coordinate: (0.2, 0.0) }));
        assert_eq!(AxisPlane::across([0.0, 1.0, f64::MIN_POSITIVE], [0.0; 3]), None);
    }
}
