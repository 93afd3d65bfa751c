//! Whether a moving volume approaches what it touches.

use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::query::{Approach, Inside, Query};
use crate::sweep_hit::SweepHit;

/// Share of the magnitude of a product above which plain numbers have its sign: 2^-40, far above their roundings.
const CERTAIN: f64 = power(-40);

/// Whether a query counts a contact: not at the start if shapes are hollow, and not along or away from the shape if only
/// approaching contacts count.
pub(crate) fn counts<V: Vector, S: Real>(query: &Query<S>, hit: &SweepHit<V>, line: &WorkingRay<Working<V>>) -> bool {
    (query.inside_mode() == Inside::Solid || hit.depth.is_none())
        && (query.approach_mode() == Approach::Any || approaches(hit, line))
}

/// Whether the product of the direction and the normal is less than zero, both as the caller has them.
#[cfg_attr(not(debug_assertions), inline(always))]
fn approaches<V: Vector>(hit: &SweepHit<V>, line: &WorkingRay<Working<V>>) -> bool {
    let direction = line.direction.map_to(Arithmetic::to_f64).normalize_exponent();
    let normal: Vec3<f64> = hit.normal.widen();
    let along = direction.plain_dot(normal);
    if along.abs() > CERTAIN * direction.l1_norm() {
        return along < 0.0;
    }
    // Products and sums of exact numbers have no roundings, whatever the precision.
    with_precision(1, || {
        let direction = line.again::<Exact>().direction;
        direction.plain_dot(normal.map_to(Exact::from_f64)).lt(Exact::ZERO)
    })
}
