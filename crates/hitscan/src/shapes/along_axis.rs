//! Lines along the axis of a cylinder or a capsule, for which the quadratic of the side has no certain leading coefficient.

use crate::math::arithmetic::Arithmetic;
use crate::math::observer::Observer;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;

/// Greatest square of the sine of the angle between the line and the axis.
const NEARLY_ALONG: f64 = power(-20);

/// Whether a line nearly along the axis `u` passes the disks of radius `r` at both ends, so that it runs inside the solid from end to end
/// and the side does not matter. `false` where the filter is not certain of that; then the quadratic decides. `w` is `d x u`, and the
/// origins are relative to the ends.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn runs_along<T: Arithmetic, P: Observer>(
    (d, w): (Vec3<T>, Vec3<T>),
    (u, r): (Vec3<T>, T),
    origins: impl FnOnce() -> [Vec3<T>; 2],
    observer: &P,
) -> bool {
    // Near this limit both ways are right.
    if !w.length_sq().lt(d.length_sq() * u.length_sq() * T::from_f64(NEARLY_ALONG)) {
        return false;
    }
    let share = if P::UNFILTERED { 0.0 } else { T::sign_threshold() * observer.strictness() };
    passes_disks(origins(), d, (u, r), T::from_f64(share))
}

/// # Accuracy
/// The points of the line in the planes of the disks are off by a few roundings of the origin, for such a line is nearly perpendicular to
/// these planes. `share` of the sizes has room for more than a hundred.
#[cold]
#[inline(never)]
fn passes_disks<T: Arithmetic>(origins: [Vec3<T>; 2], d: Vec3<T>, (u, r): (Vec3<T>, T), share: T) -> bool {
    let (slope, limit) = (d.dot(u), r * r * u.length_sq());
    origins.into_iter().all(|o| {
        let t = -o.dot(u) / slope;
        let size = (o.l1_norm() + d.l1_norm() * t.abs() + r) * u.l1_norm();
        let room = share * size.sq();
        // Not true of a NaN.
        ((o + d * t).cross(u).length_sq() + (room + room) + (room + room)).lt(limit)
    })
}
