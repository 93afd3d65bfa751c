//! A sphere moves towards a triangle.

use crate::math::arithmetic::Arithmetic;
use crate::math::bounded_vector::BoundedVector;
use crate::math::observer::Observer;
use crate::math::roots::{Bounded, sign_of_roots};
use crate::math::vec3::Vec3;
use crate::sweep::part_sweep::PartSweep;
use crate::sweep::thick_plane::ThickPlane;
use core::cmp::Ordering;

/// # Method
/// The inflated triangle is the union of the prism between the two planes at distance `r` above and below the triangle, and of
/// the capsules around its edges. The line enters the slab between these planes first. If it does so above the triangle, that is
/// the first contact. Otherwise it is the earliest one with a capsule: the sides of the prism are inside of them.
///
/// With the normal `n = e x f`, the moment `m = o x d` and `s` the sign of `n . d`, the weight of `b` where the line enters the
/// slab is `-s |n| m . f - r d . (f x n)`, over `|n| |n . d|`; that of `c` is `s |n| m . e - r d . (n x e)`. Where it leaves the
/// slab, the second terms have the other sign. An edge with positive weights at both places needs no test: the closest point is not
/// on it, or on another edge, too. Neither does a triangle whose slab is entered beyond `limit`.
///
/// # Source
/// Ericson, *Real-Time Collision Detection*, 2005, section 5.5.6, for the parts; the weights are our derivation, from
/// `n x m = o (n . d) - d (n . o)`.
///
/// # Accuracy
/// Signs are those of real arithmetic: `p |n| + q` by comparing squares in lazy exact arithmetic. `tests/all/sphere_cast.rs`.
/// See docs/proofs.md, Lemma 35.
///
/// # Edges
/// A triangle without an area is its edges. A line parallel to the plane stays in the slab or outside of it. The faces of the
/// query hold by the direction of the motion.
pub(crate) fn sweep_triangle<T: Arithmetic, P: Observer>(
    sweep: &mut PartSweep<'_, T, P>,
    [a, b, c]: [Vec3<T>; 3],
    r: T,
    limit: f64,
) {
    // The triangle relative to its first corner, and scaled.
    let extent = (b - a).max_abs_f64().max((c - a).max_abs_f64()).max(r.to_f64());
    let frame = sweep.line.local(a, extent);
    let (e, f, scaled_r) = (frame.vector(b - a), frame.vector(c - a), frame.length(r));
    frame.check_scale([e, f], [scaled_r], sweep.observer);
    let normal = BoundedVector::new(e).cross(BoundedVector::new(f));
    let mut is_near = [true; 3];
    let has_area = !normal.vector.is_zero();
    if !has_area && !normal.is_zero() {
        // Corners on a line, or a small area that rounding hides.
        sweep.observer.sign(T::ZERO, normal.magnitude.l1_norm());
    }
    // The faces above and below, if the triangle has an area.
    if has_area {
        let plane = ThickPlane::new(frame, normal, scaled_r, sweep.observer);
        if !sweep.query.faces_mode().include(plane.slope) {
            return;
        }
        let Some([enter, exit]) = plane.cross_slab(sweep.observer) else { return };
        let is_parallel = plane.slope.equals(T::ZERO);
        // Where the line enters the slab between the planes.
        let found = sweep.first(&enter, |_| exit);
        // A line that is always in the slab has no first contact with it, but may meet an edge.
        if found.is_none() && !(is_parallel && sweep.range.min.to_f64() == f64::NEG_INFINITY) {
            return;
        }
        if let Some((t, at_start)) = found {
            if t.to_f64() > limit {
                return;
            }
            // Above the triangle, that is the first contact. Otherwise it says which edges may be touched first.
            let face = TriangleFace { plane: &plane, e, f };
            let entry = if at_start { face.at(t, sweep) } else { face.entry(sweep.observer) };
            match entry {
                SlabEntry::Above => {
                    sweep.record((t, at_start));
                    return;
                }
                SlabEntry::Beside(near) => is_near = near,
            }
        }
    }
    // The edges, rounded by the radius.
    for (ends, is_near) in [[a, b], [b, c], [c, a]].into_iter().zip(is_near) {
        if is_near {
            sweep.segment(from_smaller(ends), r);
        }
    }
}

/// Both ends in lexicographic order: two triangles that share an edge meet it at the same bits of `t`.
fn from_smaller<T: Arithmetic>([a, b]: [Vec3<T>; 2]) -> [Vec3<T>; 2] {
    let order = |i: usize| a.get(i).compare(b.get(i)).unwrap_or(Ordering::Equal);
    if order(0).then(order(1)).then(order(2)).is_le() { [a, b] } else { [b, a] }
}

/// Triangle with its plane.
struct TriangleFace<'a, T> {
    plane: &'a ThickPlane<T>,
    e: Vec3<T>,
    f: Vec3<T>,
}

/// Where the line enters the slab of a triangle.
enum SlabEntry {
    /// Above or below the triangle.
    Above,
    /// Elsewhere; the edges that the sphere may touch first.
    Beside([bool; 3]),
}

impl<T: Arithmetic> TriangleFace<'_, T> {
    fn entry<P: Observer>(&self, observer: &mut P) -> SlabEntry {
        // The quantities of the weights: normal, direction, offset and moment (see Method).
        let Self { plane, e, f } = self;
        let (n, d, o, r) = (plane.n, plane.frame.d, plane.frame.o, plane.r);
        let (e, f, m) = (*e, *f, plane.frame.moment());
        let signed = |x: T| x.mul_sign(plane.slope);
        // Each weight is `p |n| + q`; `p` has the sign of the slope already.
        let (p_b, p_c) = (signed(-m.dot(f)), signed(m.dot(e)));
        let (q_b, q_c) = (-(r * d.dot(f.cross(n))), -(r * d.dot(n.cross(e))));
        // The magnitudes that bound the errors of `p` and `q`.
        let (edges, way, size) = (e.l1_norm() + f.l1_norm(), d.l1_norm(), plane.size);
        let p_magnitude = way * (size + edges * o.l1_norm());
        let q_magnitude = r * way * edges * size;
        // In the order of the edges opposite to c, a and b.
        let weights = [(p_c, q_c), (plane.slope.abs() - p_b - p_c, -(q_b + q_c)), (p_b, q_b)];
        // In exact numbers, the sign of `p |n| + q` is found by comparing squares.
        if T::SELF_VALIDATING {
            let (n_sq, exact) = (n.length_sq(), |value: T| Bounded { value, magnitude: T::ZERO });
            let is_inside =
                |(p, q): &(T, T)| sign_of_roots(exact(*p), n_sq, exact(*q), exact(T::ONE), observer).is_ge();
            return if weights.iter().all(is_inside) { SlabEntry::Above } else { SlabEntry::Beside([true; 3]) };
        }
        // In rounded numbers, the root is computed. An edge whose weight is positive at both ends of the slab is not
        // touched first.
        let (length, magnitude) = (n.length_sq().sqrt(), p_magnitude * size + q_magnitude);
        let slack = magnitude * T::from_f64(T::sign_threshold());
        let (mut is_inside, mut is_near) = (true, [true; 3]);
        for ((p, q), is_near) in weights.into_iter().zip(&mut is_near) {
            let weight = p * length;
            observer.sign(weight + q, magnitude);
            is_inside &= (weight + q).ge(T::ZERO);
            *is_near = !weight.gt(q.abs() + slack);
        }
        if is_inside { SlabEntry::Above } else { SlabEntry::Beside(is_near) }
    }

    /// Where the point of the line at `t` is, which is in the slab.
    fn at<P: Observer>(&self, t: T, sweep: &mut PartSweep<'_, T, P>) -> SlabEntry {
        let Self { plane, e, f } = self;
        let (n, o, way) = (plane.n, plane.frame.o, plane.frame.vector(sweep.line.direction * t));
        let x = o + way;
        let (u, v) = (x.cross(*f).dot(n), e.cross(x).dot(n));
        let size = o.l1_norm() + way.l1_norm();
        let magnitude = plane.size * (plane.size + (e.l1_norm() + f.l1_norm()) * size);
        let is_inside = [u, v, n.length_sq() - u - v].iter().all(|weight| {
            sweep.observer.sign(*weight, magnitude);
            weight.ge(T::ZERO)
        });
        if is_inside { SlabEntry::Above } else { SlabEntry::Beside([true; 3]) }
    }
}
