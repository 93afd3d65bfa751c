//! A triangle cut by a plane, for the tree: only the boxes around the pieces are wanted.

use crate::accel::{Bounds, above};

/// The boxes around the pieces of a triangle within a box, below `at` along an axis and above it. Rounded outward, so that
/// the pieces together hold every point of the triangle within the box; empty where there is none.
///
/// # Source
/// Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High Performance Graphics, 2009, section
/// 3.1.
pub(super) fn cut(corners: [[f64; 3]; 3], bounds: &Bounds, axis: usize, at: f32) -> [Bounds; 2] {
    let plane = f64::from(at);
    let mut pieces = [Bounds::EMPTY; 2];
    for i in 0..3 {
        let (p, q) = (corners[i], corners[(i + 1) % 3]);
        if p[axis] <= plane {
            pieces[0] = pieces[0].union(&around(p, 0.0));
        }
        if p[axis] >= plane {
            pieces[1] = pieces[1].union(&around(p, 0.0));
        }
        if (p[axis] < plane) != (q[axis] < plane) && p[axis] != q[axis] {
            let share = (plane - p[axis]) / (q[axis] - p[axis]);
            let mut crossing = [0, 1, 2].map(|k| p[k] + share * (q[k] - p[k]));
            crossing[axis] = plane;
            // The share is off by three roundings, and it and the crossing by two more: of the larger number each time.
            let size = [0, 1, 2].map(|k| p[k].abs().max(q[k].abs())).into_iter().fold(0.0, f64::max);
            let crossing = around(crossing, 16.0 * f64::EPSILON * size);
            pieces = pieces.map(|piece| piece.union(&crossing));
        }
    }
    let [mut below, mut beyond] = pieces.map(|piece| piece.intersection(bounds));
    below.high[axis] = below.high[axis].min(at);
    beyond.low[axis] = beyond.low[axis].max(at);
    // All is rounded outward: a piece whose sides have passed each other is not there.
    let there = |piece: Bounds| if (0..3).all(|k| piece.low[k] <= piece.high[k]) { piece } else { Bounds::EMPTY };
    [there(below), there(beyond)]
}

/// The box around a point that may be off by so much.
fn around(point: [f64; 3], off: f64) -> Bounds {
    Bounds { low: point.map(|x| -above(off - x)), high: point.map(|x| above(x + off)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_the_triangle() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 1.0], [0.0, 3.0, 2.0]];
        let whole = Bounds { low: [0.0; 3], high: [4.0, 3.0, 2.0] };
        let [below, beyond] = cut(corners, &whole, 0, 1.0);
        assert_eq!((below.low, below.high[0], beyond.low[0], beyond.high[0]), ([0.0; 3], 1.0, 1.0, 4.0));
        // The edge from (4, 0, 1) to (0, 3, 2) meets the plane at (1, 2.25, 1.75).
        assert!(beyond.high[1] >= 2.25 && beyond.high[1] < 2.2501, "{beyond:?}");
        assert!(beyond.high[2] >= 1.75 && beyond.low[2] <= 0.25 && beyond.low[2] > 0.2499, "{beyond:?}");
        for i in 0..=20 {
            for j in 0..=20 - i {
                let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                let p = [0, 1, 2].map(|k| corners[0][k] + u * corners[1][k] + v * corners[2][k]);
                let holds = |b: &Bounds| (0..3).all(|k| f64::from(b.low[k]) <= p[k] && p[k] <= f64::from(b.high[k]));
                assert!(holds(&below) || holds(&beyond), "{p:?}");
                assert!(p[0] != 1.0 || (holds(&below) && holds(&beyond)), "{p:?}");
            }
        }
    }
}
