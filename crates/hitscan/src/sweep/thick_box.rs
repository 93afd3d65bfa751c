//! A sphere moves towards an axis-aligned box or rectangle.

use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use crate::shapes::cuboid::cross_cuboid;
use crate::sweep::part_sweep::PartSweep;

/// # Method
/// The inflated box is the union of the boxes that are longer by `r` along one axis, and of the capsules around its edges; in the
/// plane, of two rectangles and four circles. The box that is longer along all axes contains it: a line that misses that one
/// misses all, and one that meets it first on the face of another has its first contact there.
///
/// # Source
/// Ericson, *Real-Time Collision Detection*, 2005, section 5.5.7. Unlike there, all edges are tested: a line may pass one edge
/// and meet another.
///
/// # Accuracy
/// As for boxes and capsules. Corners are sums of two inputs; the evaluation goes to lazy exact arithmetic where these are rounded.
///
/// # Edges
/// A box without an extent along an axis is a flat one.
pub(crate) fn sweep_box<V: Vector, T: Arithmetic, P: Observer>(
    sweep: &mut PartSweep<'_, T, P>,
    center: Vec3<T>,
    half: Vec3<T>,
    r: T,
) {
    // A vector along one axis, for the boxes that are longer along it.
    let along = |axis: usize, x: T| {
        let only = |i: usize| if i == axis { x } else { T::ZERO };
        Vec3::new(only(0), only(1), only(2))
    };
    // The box that is longer along all axes contains the inflated one: a miss of it ends the sweep, and its entry
    // bounds the contact.
    let all = if V::DIM == 2 { Vec3::new(r, r, T::ZERO) } else { Vec3::new(r, r, r) };
    let Some(meet) = cross_cuboid::<V, _, _>(sweep.line, center, half + all, sweep.observer) else { return };
    let Some((bound, _)) = sweep.first(&meet.enter, |observer| meet.state.exit::<V, _>(observer)) else { return };
    // The boxes that are longer along one axis: the faces of the inflated box.
    for axis in 0..V::DIM {
        if let Some(meet) = cross_cuboid::<V, _, _>(sweep.line, center, half + along(axis, r), sweep.observer) {
            sweep.add(&meet.enter, |observer| meet.state.exit::<V, _>(observer));
        }
    }
    // A contact at the bound is the first one, since nothing is met before.
    if sweep.earliest.is_some_and(|(t, at_start)| at_start || t.equals(bound)) {
        return;
    }
    // The corners, from the signs of the half extents.
    let corner = |signs: usize| {
        let part = |i: usize| {
            let h = half.get(i);
            if V::DIM <= i || signs >> i & 1 == 0 { -h } else { h }
        };
        center + Vec3::new(part(0), part(1), part(2))
    };
    // Rounded corners need lazy exact arithmetic.
    if !P::UNFILTERED && !is_exact_sum(center, half) {
        sweep.observer.set_uncertain();
    }
    // The edges, rounded by the radius; in the plane, the corners.
    for signs in 0..1 << V::DIM {
        if V::DIM == 2 {
            sweep.ball(corner(signs), r);
            continue;
        }
        for axis in (0..3).filter(|axis| signs >> axis & 1 == 0) {
            sweep.segment([corner(signs), corner(signs | 1 << axis)], r);
        }
    }
}

/// Whether no rounding has changed the coordinates of the corners. If the difference of a rounded sum and its larger term is the
/// smaller term, the sum is exact.
fn is_exact_sum<T: Arithmetic>(center: Vec3<T>, half: Vec3<T>) -> bool {
    [-T::ONE, T::ONE].iter().all(|sign| {
        (0..3).all(|i| {
            let (c, h) = (center.get(i), half.get(i) * *sign);
            let sum = c + h;
            (sum - c).equals(h) && (sum - h).equals(c)
        })
    })
}
