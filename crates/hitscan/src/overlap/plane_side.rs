//! Whether a hull reaches a plane or a half-space.

use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::vec3::Vec3;
use crate::overlap::certainty::{all_of, certain_sign, is_not_positive};
use crate::overlap::swept_hull::{HullPlacement, SweptHull};
use core::cmp::Ordering;

/// A plane, or the half-space behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FlatKind {
    Plane,
    HalfSpace,
}

/// Whether a hull with its radius has a point in common with the image of a plane or half-space.
///
/// # Method
/// The least height of the hull over the plane is at most zero, or at most the radius: the squares are compared, with the squared
/// length of the normal on one side.
///
/// # Source
/// Ericson, *Real-Time Collision Detection*, 2005, sections 5.2.2 to 5.2.4.
///
/// # Accuracy
/// Exact: a sign is certain or `None`.
///
/// # Edges
/// A hull that touches the plane has a point in common with it.
pub(crate) fn reaches_plane<T: Arithmetic>(
    hull: &SweptHull<T>,
    kind: FlatKind,
    (point, normal): (Vec3<f64>, Vec3<f64>),
    place: &HullPlacement<'_, T>,
) -> Option<bool> {
    // Normal and point of the plane under the map, in the weight of the hull.
    let normal: BoundedVector<T> = place.normal(normal)?;
    let (mut origin, mut terms) = place.doubled_point(point);
    if let Some(weight) = hull.weight() {
        (origin, terms) = (origin * weight, terms * weight);
    }
    if !(normal.vector.is_ordinary() && normal.magnitude.is_ordinary() && origin.is_ordinary()) {
        return None;
    }
    // The heights of the hull over the plane, lowest and highest, times the length of the normal.
    let level = origin.plain_dot(normal.vector);
    let size = hull.size() + origin.l1_norm() + terms;
    let magnitude = normal.magnitude.l1_norm() * size;
    let [least, most] = hull.extent(normal.vector).map(|end| end - level);
    let (length_sq, length_terms) = normal.dot(normal);
    // Whether a height is at most the radius.
    let is_within = |height: T| match certain_sign(height, magnitude) {
        Some(Ordering::Greater) => {
            let limit = hull.radius.sq();
            is_not_positive(height.sq() - limit * length_sq, magnitude.sq() + limit * length_terms)
        }
        Some(_) => Some(true),
        None => None,
    };
    // A half-space overlaps if the lowest height is at most the radius; a plane also needs the highest at minus the
    // radius or above.
    match kind {
        FlatKind::HalfSpace => is_within(least),
        FlatKind::Plane => all_of([is_within(least), is_within(-most)]),
    }
}
