//! Separating axes of two polytopes.

use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::{AnyOf, certain_sign};
use crate::overlap::swept_hull::SweptHull;
use core::cmp::Ordering;
use smallvec::SmallVec;

/// Two hulls without their radii, and the axes tested so far.
struct AxisSearch<'a, T> {
    a: &'a SweptHull<T>,
    b: &'a SweptHull<T>,
    size: T,
    any: AnyOf,
}

impl<T: Arithmetic> AxisSearch<'_, T> {
    /// Whether the axis certainly separates the hulls.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn separates(&mut self, axis: BoundedVector<T>) -> bool {
        let [[a, b], [c, d]] = [self.a.extent(axis.vector), self.b.extent(axis.vector)];
        let gap = (c - b).max(a - d);
        let sign = certain_sign(gap, axis.magnitude.l1_norm() * self.size);
        self.any.add(sign.map(Ordering::is_gt))
    }
}

/// Whether two hulls, without their radii, have no point in common.
///
/// # Method
/// Two convex sets are disjoint if and only if their projections on some axis are. The difference of the sets is a polytope whose
/// edges are those of both. If it has a volume, an axis is the normal of one of its faces: the cross product of two edges. If it
/// is flat, an axis is its normal, or lies in it at a right angle to an edge. If it is a segment, an axis is along it, or at a
/// right angle to it; if a point, the way to it. All numbers are products and sums of coordinates.
///
/// # Source
/// Gottschalk, Lin, Manocha, *OBBTree*, SIGGRAPH 1996; Ericson, *Real-Time Collision Detection*, 2005, section 5.2.1; the flat
/// cases are ours.
///
/// # Accuracy
/// Exact: a sign is certain or `None`, and an axis of zero separates nothing. See docs/proofs.md, Lemma 32.
///
/// # Edges
/// Sets that touch are not disjoint.
pub(crate) fn are_disjoint<T: Arithmetic>(a: &SweptHull<T>, b: &SweptHull<T>, dimension: usize) -> Option<bool> {
    // The edges of the difference are those of both hulls.
    let mut search = AxisSearch { a, b, size: a.size() + b.size(), any: AnyOf::default() };
    let edges: SmallVec<[BoundedVector<T>; 6]> = a.directions().chain(b.directions()).collect();
    // In the plane all edges are at a right angle to z.
    let mut normal = (dimension == 2).then(|| BoundedVector::new(Vec3::new(T::ZERO, T::ZERO, T::ONE)));
    // In space, each cross product of two edges may be a face normal. The largest one serves as the normal of the
    // difference, should it be flat.
    let mut largest = T::ZERO;
    if dimension == 3 {
        for (i, first) in edges.iter().enumerate() {
            for second in &edges[..i] {
                let axis = first.cross(*second);
                if axis.magnitude.is_zero() {
                    continue;
                }
                if search.separates(axis) {
                    return Some(true);
                }
                let size = axis.vector.l1_norm();
                if size.gt(largest) {
                    (normal, largest) = (Some(axis), size);
                }
            }
        }
    }
    // With a volume, the face normals are all axes that count. A flat difference may be separated within its plane, at
    // a right angle to an edge.
    if let Some(normal) = normal {
        if dimension == 3 {
            // A face normal: not zero, and some edge leaves its plane if the difference has a volume.
            let has_volume = edges.iter().any(|edge| {
                let (height, magnitude) = normal.dot(*edge);
                matches!(certain_sign(height, magnitude), Some(Ordering::Less | Ordering::Greater))
            });
            if has_volume {
                return search.any.otherwise();
            }
        }
        for edge in &edges {
            if search.separates(normal.cross(*edge)) {
                return Some(true);
            }
        }
    }
    // A difference of edges along one line, or of points: axes along that line, and from it towards the other hull.
    let offset = b.points[0] - a.points[0];
    let terms = search.size;
    let offset = BoundedVector { vector: offset, magnitude: Vec3::new(terms, terms, terms) };
    for edge in &edges {
        if search.separates(*edge) || search.separates(offset.cross(*edge).cross(*edge)) {
            return Some(true);
        }
    }
    if search.separates(offset) { Some(true) } else { search.any.otherwise() }
}
