//! The limit of a query by a distance: each ray query, with the exact end of its ray.
//!
//! # Method
//! The range of `t` of the ray ends at the smallest number of the precision that is not below the exact end,
//! `distance / |direction|`: so a query loses no hit. A hit whose rounded `t` is close to that number is compared in exact numbers,
//! as the order of hits is.

use crate::hit::Hit;
use crate::kernel::candidate::COMPARISON_PRECISION;
use crate::math::exact::arena::with_precision;
use crate::math::limited_ray::LimitedRay;
use crate::math::real::Real;
use crate::math::vector::{Vector, Working};
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::{RayLike, RaySlice};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The ray with the limit of the query by a distance, besides its own.
#[inline]
pub(crate) fn limited<V: Vector>(ray: &(impl RayLike<V> + ?Sized), query: &Query<V::Scalar>) -> LimitedRay {
    let ray = ray.limit();
    if query.has_distance() { ray.within::<V::Scalar>(query.max_distance().to_f64()) } else { ray }
}

/// [`Shape::cast_closest`] within the distance.
#[cold]
pub(crate) fn closest_within<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    ray: &dyn RayLike<V>,
    query: &Query<V::Scalar>,
) -> Option<Hit<V>> {
    let ray = limited(ray, query);
    let hit = shape.cast_closest(&ray, query)?;
    (!ray.is_uncertain(hit.t) || is_within(shape, &ray, query)).then_some(hit)
}

/// [`Shape::cast_closest_each`] within the distances of the query and of the rays.
pub(crate) fn closest_each<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [Option<Hit<V>>],
) {
    let mut copies = Vec::new();
    let Some(rays) = limited_each(rays, query, &mut copies) else {
        return shape.cast_closest_each(rays, query, out);
    };
    shape.cast_closest_each(RaySlice::Limited(rays), query, out);
    // Few hits are so close to the end that exact numbers decide.
    for (ray, hit) in rays.iter().zip(out) {
        if hit.is_some_and(|hit| ray.is_uncertain(hit.t) && !is_within(shape, ray, query)) {
            *hit = None;
        }
    }
}

/// [`Shape::cast_any_each`] within the distances of the query and of the rays.
pub(crate) fn any_each<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [bool],
) {
    if !query.has_distance() && !matches!(rays, RaySlice::Limited(_)) {
        return shape.cast_any_each(rays, query, out);
    }
    // Any hit may be one behind the exact end: the closest one decides.
    let mut hits = vec![None; out.len()];
    closest_each(shape, rays, query, &mut hits);
    out.iter_mut().zip(hits).for_each(|(out, hit)| *out = hit.is_some());
}

/// [`Shape::cast_any_each`] up to the ends of the rays, rounded up.
pub(crate) fn any_each_rounded<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    rays: RaySlice<'_, V>,
    query: &Query<V::Scalar>,
    out: &mut [bool],
) {
    let mut copies = Vec::new();
    let rays = limited_each(rays, query, &mut copies).map_or(rays, RaySlice::Limited);
    shape.cast_any_each(rays, query, out);
}

/// The rays with their limits, if they or the query have one.
fn limited_each<'a, V: Vector>(
    rays: RaySlice<'a, V>,
    query: &Query<V::Scalar>,
    copies: &'a mut Vec<LimitedRay>,
) -> Option<&'a [LimitedRay]> {
    match rays {
        RaySlice::Limited(rays) if !query.has_distance() => Some(rays),
        _ if !query.has_distance() => None,
        _ => {
            copies.extend(rays.iter().map(|ray| limited(ray, query)));
            Some(copies)
        }
    }
}

/// [`Shape::all_hits`] within the distance.
pub(crate) fn all_hits<V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    ray: &LimitedRay,
    (query, most): (&Query<V::Scalar>, usize),
    out: &mut dyn FnMut(Working<V>, Hit<V>),
) {
    let world = RayLike::<V>::line(ray);
    let line = InstanceRay::new(&world);
    if ray.certain == f64::INFINITY {
        return shape.all_hits(&line, query, most, out);
    }
    let mut hits = Vec::new();
    shape.all_hits(&line, query, most, &mut |t, hit| hits.push((t, hit)));
    // The list is in exact order, so the hits behind the end are its last ones.
    if hits.last().is_some_and(|(_, hit)| ray.is_uncertain(hit.t)) {
        hits.truncate(count_within(shape, ray, query));
    }
    hits.into_iter().for_each(|(t, hit)| out(t, hit));
}

/// [`Shape::count`] within the distance.
pub(crate) fn count<V: Vector>(shape: &(impl Shape<V> + ?Sized), ray: &LimitedRay, query: &Query<V::Scalar>) -> usize {
    let count = |ray: &LimitedRay| shape.count(&InstanceRay::new(&RayLike::<V>::line(ray)), query);
    let all = count(ray);
    // Hits up to the certain end are within the distance.
    let certain = || LimitedRay { raw: ray.raw.within(f64::NEG_INFINITY, ray.certain, u32::MAX), ..*ray };
    if all == 0 || ray.certain == f64::INFINITY || count(&certain()) == all {
        return all;
    }
    count_within(shape, ray, query)
}

/// The number of hits whose exact `t` is within the distance.
#[cold]
fn count_within<V: Vector>(shape: &(impl Shape<V> + ?Sized), ray: &LimitedRay, query: &Query<V::Scalar>) -> usize {
    let line = RayLike::<V>::line(ray);
    // Runs again with more digits if those do not suffice.
    with_precision(COMPARISON_PRECISION, || {
        let (end, mut count) = (ray.exact_end(), 0);
        shape.exact_all_t(&InstanceRay::new(&line), query, &mut |t| {
            count += usize::from(t.cmp_rounded(end) != Ordering::Greater);
        });
        count
    })
}

/// Whether a hit, and so the closest one, is within the distance.
#[cold]
fn is_within<V: Vector>(shape: &(impl Shape<V> + ?Sized), ray: &LimitedRay, query: &Query<V::Scalar>) -> bool {
    count_within(shape, ray, &query.with_shared_edges()) > 0
}
