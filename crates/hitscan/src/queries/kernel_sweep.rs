//! A volume moves towards one shape.

use crate::closest_point::{Feature, NotMeasured};
use crate::convex::convex_shape::ConvexShape;
use crate::distance::projection::projection_of_image;
use crate::kernel::kernel::Kernel;
use crate::kernel::range_rules::TRange;
use crate::kernel::sweep_core::SweepCore;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::overlap::volume::Volume;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Inside, Query};
use crate::shapes::sphere::Sphere;
use crate::sweep::advance::{Advance, MeasuredShape, advance, image_of_bounds, interval_of, tolerance};
use crate::sweep::contact::sweep_candidate;
use crate::sweep::contact_time::{Contact, first_contact};
use crate::sweep_hit::SweepResult;
use glam::DVec3;

/// The first contact of a moving volume with a shape.
pub(crate) fn sweep_shape<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    ray: &InstanceRay<'_, V>,
    swept: SweptVolume<'_, V>,
    query: &Query<V::Scalar>,
    limit: f64,
) -> SweepResult<V> {
    let found = match swept {
        SweptVolume::Sphere(radius) => sweep_sphere(shape, ray, radius, (query, limit))?,
        SweptVolume::Convex(volume) => sweep_convex(shape, ray, volume, (query, limit))?,
    };
    Ok(found.filter(|found| query.inside_mode() == Inside::Solid || found.hit.depth.is_none()))
}

/// The first contact of a convex volume.
fn sweep_convex<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    ray: &InstanceRay<'_, V>,
    volume: &Volume<V>,
    (query, limit): (&Query<V::Scalar>, f64),
) -> SweepResult<V> {
    let (range, map) = (TRange::new(&ray.world, query), ray.level.map(InstanceLevel::affine_map::<Working<V>>));
    let (start, end) = (range.min.to_f64(), range.max.to_f64().min(limit));
    let bounds = image_of_bounds(&shape.bounds(), map.as_ref());
    let [near, far] = interval_of::<V>(bounds, &ray.world, SweptVolume::Convex(volume).radius());
    if !(start <= end && near <= end && start <= far) {
        return Ok(None);
    }
    let convex = shape.convex_shape();
    let is_flat = matches!(convex, ConvexShape::Plane { .. } | ConvexShape::HalfSpace { .. });
    if !is_flat && !start.max(near).is_finite() {
        return Err(NotMeasured);
    }
    let own = ray.level.map(InstanceLevel::affine_map::<f64>);
    let similarity = own.as_ref().and_then(AffineMap::similarity::<V>);
    let sweep = volume.along(&ray.world, [start.max(near), end], start >= near);
    let Some(contact) = sweep.first_contact(&convex, own, similarity) else { return Ok(None) };
    // A little outside of the surface, so that rounding does not choose the feature.
    let outside = contact.point + contact.normal.normalize_exponent() * (contact.point.max_abs_f64() * power(-20));
    let outside = outside.map_to(Working::<V>::from_f64);
    let projection = match &map {
        None => Some(shape.project(outside)),
        Some(map) => projection_of_image::<V, _>(shape, outside, map).ok(),
    };
    let feature = projection.map_or(Feature::Face(0), |found| found.feature);
    Ok(Some(volume.candidate(&ray.world, (contact, feature, projection.and_then(|found| found.uv)))))
}

/// The first contact of a sphere: that with the parts of the shape, or by distances if it has none.
fn sweep_sphere<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    ray: &InstanceRay<'_, V>,
    radius: f64,
    (query, limit): (&Query<V::Scalar>, f64),
) -> SweepResult<V> {
    let map = ray.level.map(InstanceLevel::affine_map::<Working<V>>);
    let project = |point: Vec3<Working<V>>| match &map {
        None => Ok(shape.project(point)),
        Some(map) => projection_of_image::<V, _>(shape, point, map),
    };
    // Exactly: the center is where the range begins.
    let contains = |_| {
        let solid = query.inside(Inside::Solid);
        K::SOLID && shape.candidate(ray, &solid, f64::INFINITY, &mut None).is_some_and(|start| start.at_start)
    };
    Ok(match contact_with_parts(shape, ray, radius, query, map.as_ref()) {
        PartsContact::None => {
            let bounds = image_of_bounds(&shape.bounds(), map.as_ref());
            let advance_by = MeasuredShape {
                project: &project,
                contains: &contains,
                advance: Advance::ToPlane,
                tolerance: tolerance::<V::Scalar>(),
            };
            match advance(&advance_by, &ray.world, radius, (query, limit), bounds) {
                // Under shear or uneven scale a curved shape has no distance here, but a support map.
                Err(NotMeasured) if map.is_some() => {
                    let center = V::from_xyz(ray.raw.origin.map(V::Scalar::from_f64));
                    let sphere = Sphere::new(center, V::Scalar::from_f64(radius)).map_err(|_| NotMeasured)?;
                    sweep_convex(shape, ray, &Volume::from(sphere), (query, limit))?
                }
                found => found?,
            }
        }
        PartsContact::Found(None) => None,
        PartsContact::Found(Some(Contact { t, at_start })) => {
            let t = Working::<V>::from_parts(t);
            if t.to_f64() > limit {
                return Ok(None);
            }
            let (center, _) = ray.at(t);
            let is_inside = at_start && contains(center);
            Some(sweep_candidate(&ray.world, radius, (t, at_start), &project(center)?, is_inside))
        }
    })
}

/// The contact of the parts of a shape.
enum PartsContact {
    /// The shape has no parts with a closed form.
    None,
    Found(Option<Contact>),
}

fn contact_with_parts<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    ray: &InstanceRay<'_, V>,
    radius: f64,
    query: &Query<V::Scalar>,
    map: Option<&AffineMap<Working<V>>>,
) -> PartsContact {
    let (own, precision) = (query.double(), V::Scalar::PRECISION);
    let mut earliest = PartsContact::None;
    shape.sweep_parts(&mut |part| {
        let part = match map {
            None => part,
            Some(map) => match image_of_part(&part, map) {
                Some(part) => part,
                None => return,
            },
        };
        let found = first_contact(&part, radius, &ray.raw, &own, (precision, f64::INFINITY));
        let old = match earliest {
            PartsContact::None => None,
            PartsContact::Found(old) => old,
        };
        earliest = PartsContact::Found(match (old, found) {
            (Some(old), Some(found)) if found.is_before(&old) => Some(found),
            (None, found) => found,
            (old, _) => old,
        });
    });
    // The sides of a polygon lack its inside.
    if K::PARTS_LACK_INSIDE
        && let PartsContact::Found(found) = &mut earliest
        && found.is_none_or(|found| !found.at_start)
        && let Some(start) = shape.candidate(ray, &query.inside(Inside::Solid), f64::INFINITY, &mut None)
        && start.at_start
    {
        *found = Some(Contact { t: start.t.parts(), at_start: true });
    }
    earliest
}

/// The image of a part, rounded to `f64`; `None` for a part that is not flat and without end.
fn image_of_part<T: Arithmetic>(part: &SweepCore, map: &AffineMap<T>) -> Option<SweepCore> {
    let rounded = |v: Vec3<T>| DVec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64());
    let image = |point: DVec3, normal: DVec3| {
        // The transpose of the inverse maps normals.
        let [x, y, z] = map.inverse_rows();
        let [a, b, c] = normal.to_array().map(T::from_f64);
        (rounded(map.point(point.widen())), rounded(x * a + y * b + z * c))
    };
    match *part {
        SweepCore::Plane { point, normal } => {
            let (point, normal) = image(point, normal);
            Some(SweepCore::Plane { point, normal })
        }
        SweepCore::HalfSpace { point, normal } => {
            let (point, normal) = image(point, normal);
            Some(SweepCore::HalfSpace { point, normal })
        }
        _ => None,
    }
}
