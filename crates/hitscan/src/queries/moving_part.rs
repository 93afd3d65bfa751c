//! [`MovingPart`]: a convex part of what moves in a sweep, and the contacts of all parts.

use crate::closest_point::NotMeasured;
use crate::hit::ObjectId;
use crate::kernel::candidate::upper_bound;
use crate::math::real::Real;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::overlap::into_volumes::VolumeList;
use crate::queries::distance_limit::limited;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::ray::{Ray, RayLike};
use crate::stable_sort::stable_sort_by;
use crate::sweep_hit::{SweepCandidate, SweepHit, SweepResult, SweepResults};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// A convex part of what moves, and its way.
pub(crate) struct MovingPart<'a, V: Vector> {
    /// The number of the part in a compound.
    pub(crate) number: Option<u32>,
    pub(crate) line: WorkingRay<Working<V>>,
    pub(crate) swept: SweptVolume<'a, V>,
}

impl<V: Vector> Clone for MovingPart<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for MovingPart<'_, V> {}

impl<'a, V: Vector> MovingPart<'a, V> {
    /// A sphere whose center moves along a ray; none if it cannot have the radius. The smallest number stands for a radius of zero.
    pub(crate) fn of_sphere(
        ray: &(impl RayLike<V> + ?Sized),
        radius: V::Scalar,
        query: &Query<V::Scalar>,
    ) -> Option<Self> {
        let line = limited(ray, query).raw.line();
        let is_radius = radius.is_finite() && radius >= V::Scalar::ZERO;
        let radius = if radius == V::Scalar::ZERO { V::Scalar::ZERO.next_up() } else { radius };
        is_radius.then_some(Self { number: None, line, swept: SweptVolume::Sphere(radius.to_f64()) })
    }

    /// The volumes that have points, and move along a direction.
    pub(crate) fn of_volumes(
        volumes: VolumeList<'a, V>,
        direction: V,
        query: &'a Query<V::Scalar>,
    ) -> impl Iterator<Item = Self> + Clone {
        volumes.valid().map(move |(number, volume)| {
            let line = limited(&Ray::new(volume.point, direction), query).raw.line();
            Self { number, line, swept: SweptVolume::of(volume) }
        })
    }

    /// The part on the whole line, for a ray on other layers.
    pub(crate) fn unlimited(&self, layers: u32) -> Self {
        let mut line = self.line.unlimited();
        line.raw.layers = layers;
        Self { line, ..*self }
    }

    /// The first contact of the part. A contact beyond `limit` need not be found.
    fn sweep(&self, shape: &(impl Shape<V> + ?Sized), query: &Query<V::Scalar>, limit: f64) -> SweepResult<V> {
        if !self.has_way(query) {
            return Ok(None);
        }
        let found = shape.sweep(&InstanceRay::new(&self.line), self.swept, query, limit)?;
        Ok(found.map(|found| self.own(found)))
    }

    /// The first contact of the part with each object of a scene.
    fn sweep_each(&self, shape: &(impl Shape<V> + ?Sized), query: &Query<V::Scalar>) -> SweepResults<V> {
        if !self.has_way(query) {
            return Ok(Vec::new());
        }
        let found = shape.sweep_each(&InstanceRay::new(&self.line), self.swept, query)?;
        Ok(found.into_iter().map(|found| self.own(found)).collect())
    }

    /// Whether the direction is one, and the range neither empty nor with a NaN.
    fn has_way(&self, query: &Query<V::Scalar>) -> bool {
        self.line.is_valid() && query.t_min() <= query.t_max()
    }

    /// A contact with the number of the part.
    fn own(&self, found: SweepCandidate<V>) -> SweepCandidate<V> {
        SweepCandidate { hit: SweepHit { part: self.number, ..found.hit.of_result() }, ..found }
    }
}

/// The first contact of any part: of equal ones, that of the first part.
pub(crate) fn first_contact<'a, V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    mut parts: impl Iterator<Item = MovingPart<'a, V>> + Clone,
    query: &Query<V::Scalar>,
) -> Result<Option<SweepHit<V>>, NotMeasured> {
    let (mut best, mut limit, mut is_measured) = (None::<SweepCandidate<V>>, f64::INFINITY, true);
    for part in parts.clone() {
        match part.sweep(shape, query, limit) {
            // Contacts at the same `t` must still be found, so the limit is the upper bound of the error of `t`.
            Ok(Some(new)) if best.as_ref().is_none_or(|old| new.order(old).is_lt()) => {
                limit = limit.min(upper_bound(new.t));
                best = Some(new);
            }
            Ok(_) => {}
            Err(NotMeasured) => is_measured = false,
        }
    }
    // What a part cannot measure does not matter behind the contact of another one.
    if !is_measured {
        parts.try_for_each(|part| part.sweep(shape, query, limit).map(drop))?;
    }
    Ok(best.map(|found| found.hit))
}

/// The first contact of any part with each object of a scene, in the order of [`first_contact`].
pub(crate) fn contacts_with_each<'a, V: Vector>(
    shape: &(impl Shape<V> + ?Sized),
    parts: impl Iterator<Item = MovingPart<'a, V>>,
    query: &Query<V::Scalar>,
) -> Result<Vec<SweepHit<V>>, NotMeasured> {
    let (mut found, mut count) = (Vec::new(), 0);
    for part in parts {
        found.append(&mut part.sweep_each(shape, &query.of_all_hits())?);
        count += 1;
    }
    // The contacts of one part are in order, and one for each object. Of several parts, the first contact with an object counts.
    if count > 1 {
        stable_sort_by(&mut found, SweepCandidate::order);
        let mut seen = BTreeSet::<Option<ObjectId>>::new();
        found.retain(|found| seen.insert(found.hit.object));
    }
    Ok(found.into_iter().map(|found| found.hit).collect())
}
