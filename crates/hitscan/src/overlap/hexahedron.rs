//! Quick answers for a hexahedron, such as a view frustum: by its faces, before all pairs of edges.

use crate::math::arithmetic::Arithmetic;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::certain_sign;
use crate::overlap::swept_hull::{BoundedVector, SweptHull};
use core::cmp::Ordering;

/// The corners of each face, with diagonals between the first two and the last two.
const FACES: [[usize; 4]; 6] = [[0, 3, 1, 2], [4, 7, 5, 6], [0, 6, 2, 4], [1, 7, 3, 5], [0, 5, 1, 4], [2, 7, 3, 6]];

/// Whether a hexahedron and a hull with its radius overlap, if that is easy to see; `None` also if the first hull is none.
///
/// # Method
/// They do not if the hull lies beyond a face of the hexahedron: the normal need not be exact, for any axis that separates the two
/// proves it. They do if the first point of the hull, which is within it, is on the inner side of all triangles that the faces may
/// be folded into.
///
/// # Source
/// Assarsson, Möller, *Optimized View Frustum Culling Algorithms for Bounding Boxes*, 2000.
///
/// # Accuracy
/// Exact, or `None`.
///
/// # Edges
/// What touches a face is left to the other tests.
pub(crate) fn quick_answer<T: Arithmetic>(hexahedron: &SweptHull<T>, hull: &SweptHull<T>) -> Option<bool> {
    let [a, b, c, d, e, f, g, h] = hexahedron.points[..] else { return None };
    if hexahedron.faces.len() != 4 * FACES.len() {
        return None;
    }
    let corners = [a, b, c, d, e, f, g, h];
    let size = hexahedron.size() + hull.size();
    let radius = hexahedron.radius + hull.radius;
    for [i, j, k, l] in FACES {
        let normal = (corners[j] - corners[i]).cross(corners[l] - corners[k]);
        let [[least, most], [from, to]] = [hexahedron.extent(normal), hull.extent(normal)];
        let gap = (from - most).max(least - to);
        let magnitude = normal.l1_norm() * size;
        let is_beyond = certain_sign(gap, magnitude) == Some(Ordering::Greater);
        let (limit, terms) = (radius.sq() * normal.length_sq(), magnitude.sq());
        if is_beyond && certain_sign(gap.sq() - limit, terms + limit) == Some(Ordering::Greater) {
            return Some(false);
        }
    }
    let sum = corners.iter().fold(Vec3::new(T::ZERO, T::ZERO, T::ZERO), |sum, corner| sum + *corner);
    let middle = sum.map(|x| x.times_power_of_two(0.125));
    let point = hull.points[0];
    let side = |normal: BoundedVector<T>, corner: Vec3<T>, p: Vec3<T>| {
        certain_sign(normal.vector.plain_dot(p - corner), normal.magnitude.l1_norm() * size)
    };
    let is_inside = hexahedron.faces.iter().all(|[first, second]| {
        let ((from, u), (_, v)) = (hexahedron.edges[*first], hexahedron.edges[*second]);
        let (normal, corner) = (u.cross(v), corners[from]);
        let inner = side(normal, corner, middle);
        matches!(inner, Some(Ordering::Less | Ordering::Greater)) && inner == side(normal, corner, point)
    });
    // The first point is within the hull: a vertex, or the middle of all half axes.
    is_inside.then_some(true)
}
