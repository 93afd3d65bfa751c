//! Judge of closest points: compares the answers of the library with those in hundreds of bits.

use super::nearest::on_surface;
use crate::body::{Body, World, vector as of};
use crate::implicit::ImplicitShape;
use crate::line::on;
use crate::number::{Precision, grid_of};
use crate::wide::{Wide, minus, size, vector};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{PointQuery, Real};

/// Verdict on one point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DistanceVerdict {
    /// Error of the distance, in units of the last place of the largest number.
    pub distance: f64,
    /// The greater one of the distance of the closest point from the surface, and of the error of its distance from the point.
    pub place: f64,
    /// Whether the sign differs from the exact containment.
    pub is_wrong: bool,
    /// Whether the point is inside of the solid, exactly.
    pub is_inside: bool,
}

/// The largest errors that the contract allows.
pub(super) const LIMIT: f64 = 4.0;

/// An answer in plain numbers: the distance, the signed distance and the closest point.
type DistanceAnswer = (f64, f64, [f64; 3]);

fn answer<V: World>(body: &Body, p: [f64; 3]) -> Option<DistanceAnswer> {
    let (shape, p) = (V::build(body)?, of::<V>(p));
    let found = shape.closest_point(p)?;
    let point = found.point.to_xyz().map(Real::to_f64);
    Some((found.distance.to_f64(), shape.signed_distance(p)?.to_f64(), point))
}

/// Compares the answers for a point; `None` if the library refuses the shape, or the exact answer is not one point.
pub(super) fn judge(body: &Body, precision: Precision, p: [f64; 3]) -> Option<DistanceVerdict> {
    let (distance, signed, point) = match (body.kind.dim(), precision) {
        (2, Precision::F32) => answer::<Vec2>(body, p)?,
        (2, Precision::F64) => answer::<DVec2>(body, p)?,
        (_, Precision::F32) => answer::<Vec3>(body, p)?,
        (_, Precision::F64) => answer::<DVec3>(body, p)?,
    };
    let largest = body.lengths().chain(p).fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let exact = on_surface(&vector(p), body)?;
    if !(exact.distance.to_f64() < precision.max() && point.iter().all(|x| x.is_finite())) {
        return None;
    }
    let grid = grid_of(body.lengths().chain(p));
    let is_inside = ImplicitShape::new(body, grid).contains(&on(&p, grid));
    // All numbers may be 0.
    let unit = (largest * precision.epsilon()).max(f64::MIN_POSITIVE);
    let error = |a: &Wide, b: &Wide| (a - b).abs().to_f64() / unit;
    // A distance that rounds to 0 beside the surface is the least number with its sign.
    let is_same_size = signed.abs() == distance || (distance == 0.0 && signed.abs() <= precision.least());
    let found = vector(point);
    let from_point = error(&size(&minus(&found, &vector(p))), &exact.distance);
    let from_surface = on_surface(&found, body).map_or(0.0, |found| found.distance.to_f64() / unit);
    Some(DistanceVerdict {
        distance: error(&Wide::new(distance), &exact.distance),
        place: from_point.max(from_surface),
        is_wrong: !is_same_size || if is_inside { signed > 0.0 } else { signed < 0.0 },
        is_inside,
    })
}
