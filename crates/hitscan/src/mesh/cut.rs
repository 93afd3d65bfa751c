//! A triangle cut by a plane, for the tree: only the boxes around the pieces are wanted.

use crate::accel::Bounds;
use crate::math::SINGLE_ROUNDING;

/// The boxes around the pieces of a triangle within a box, below `at` along an axis and above it. Rounded outward, so that
/// the pieces together hold every point of the triangle within the box; empty where there is none.
///
/// # Source
/// Stich, Friedrich, Dietrich, *Spatial Splits in Bounding Volume Hierarchies*, High Performance Graphics, 2009, section
/// 3.1.
#[inline]
pub(super) fn cut(corners: [[f32; 3]; 3], bounds: &Bounds, axis: usize, at: f32) -> [Bounds; 2] {
    let mut pieces = [Bounds::EMPTY; 2];
    for i in 0..3 {
        let (p, q) = (corners[i], corners[(i + 1) % 3]);
        let point = |x: [f32; 3]| [x[0], x[1], x[2], 0.0];
        if p[axis] <= at {
            pieces[0] = pieces[0].union(&Bounds { low: point(p), high: point(p) });
        }
        if p[axis] >= at {
            pieces[1] = pieces[1].union(&Bounds { low: point(p), high: point(p) });
        }
        if (p[axis] < at && at < q[axis]) || (q[axis] < at && at < p[axis]) {
            let share = (at - p[axis]) / (q[axis] - p[axis]);
            let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
            for k in 0..3 {
                let x = p[k] + share * (q[k] - p[k]);
                // The share is off by three roundings, its product by two more, the sum by one: of numbers of this size.
                let off = 16.0 * SINGLE_ROUNDING * p[k].abs().max(q[k].abs()) + f32::MIN_POSITIVE;
                (low[k], high[k]) = (x - off, x + off);
            }
            let crossing = Bounds { low, high };
            pieces = [pieces[0].union(&crossing), pieces[1].union(&crossing)];
        }
    }
    let (mut below, mut beyond) = (pieces[0].intersection(bounds), pieces[1].intersection(bounds));
    below.high[axis] = below.high[axis].min(at);
    beyond.low[axis] = beyond.low[axis].max(at);
    // All is rounded outward: a piece whose sides have passed each other is not there.
    let there = |piece: Bounds| if (0..3).all(|k| piece.low[k] <= piece.high[k]) { piece } else { Bounds::EMPTY };
    [there(below), there(beyond)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_the_triangle() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 1.0], [0.0, 3.0, 2.0]];
        let whole = Bounds { low: [0.0; 4], high: [4.0, 3.0, 2.0, 0.0] };
        let [below, beyond] = cut(corners, &whole, 0, 1.0);
        assert_eq!((below.low, below.high[0], beyond.low[0], beyond.high[0]), ([0.0; 4], 1.0, 1.0, 4.0));
        // The edge from (4, 0, 1) to (0, 3, 2) meets the plane at (1, 2.25, 1.75).
        assert!(beyond.high[1] >= 2.25 && beyond.high[1] < 2.2501, "{beyond:?}");
        assert!(beyond.high[2] >= 1.75 && beyond.low[2] <= 0.25 && beyond.low[2] > 0.2499, "{beyond:?}");
        for i in 0..=20 {
            for j in 0..=20 - i {
                let (u, v) = (i as f32 / 20.0, j as f32 / 20.0);
                let p = [0, 1, 2].map(|k| corners[0][k] + u * corners[1][k] + v * corners[2][k]);
                let holds = |b: &Bounds| (0..3).all(|k| b.low[k] - 1e-6 <= p[k] && p[k] <= b.high[k] + 1e-6);
                assert!(holds(&below) || holds(&beyond), "{p:?}");
                assert!(p[0] != 1.0 || (holds(&below) && holds(&beyond)), "{p:?}");
            }
        }
    }
}
