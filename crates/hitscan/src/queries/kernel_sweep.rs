//! A sphere moves towards one shape.

use crate::distance::projection::projection_of_image;
use crate::kernel::kernel::Kernel;
use crate::kernel::sweep_core::SweepCore;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::{Inside, Query};
use crate::sweep::advance::{Advance, MeasuredShape, advance, image_of_bounds, tolerance};
use crate::sweep::contact::sweep_candidate;
use crate::sweep::contact_time::{Contact, first_contact};
use crate::sweep_hit::SweepResult;
use glam::DVec3;

/// The first contact with a shape: that of its parts, or by distances if it has none.
pub(crate) fn sweep_shape<V: Vector, K: Kernel<Vector = V>>(
    shape: &K,
    ray: &InstanceRay<'_, V>,
    radius: f64,
    query: &Query<V::Scalar>,
    limit: f64,
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
    let found = match contact_with_parts(shape, ray, radius, query, map.as_ref()) {
        PartsContact::None => {
            let bounds = image_of_bounds(&shape.bounds(), map.as_ref());
            let advance_by = MeasuredShape {
                project: &project,
                contains: &contains,
                advance: Advance::ToPlane,
                tolerance: tolerance::<V::Scalar>(),
            };
            advance(&advance_by, &ray.world, radius, (query, limit), bounds)?
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
    };
    Ok(found.filter(|found| query.inside_mode() == Inside::Solid || found.hit.depth.is_none()))
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
