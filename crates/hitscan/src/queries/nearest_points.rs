//! The list of the nearest primitives to a point.

use crate::closest_point::{ClosestPoint, NotMeasured, OnPrimitive};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::shape::Shape;
use crate::stable_sort::stable_sort_by;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The most points that are kept in order while they come. More are sorted when there are twice as many as wanted.
const MAX_SORTED: usize = 64;

/// The nearest points that a search has found so far, in the memory of the caller.
pub(crate) struct NearestPoints<'a, V: Vector, S: ?Sized> {
    shape: &'a S,
    found: &'a mut Vec<ClosestPoint<V>>,
    count: usize,
    /// The distance up to which points count: of `count` points, that of the last one.
    limit: f64,
    /// The least lower bound of the distance of a shape that cannot be measured.
    unmeasured: Option<f64>,
}

impl<'a, V: Vector, S: Shape<V> + ?Sized> NearestPoints<'a, V, S> {
    /// Replaces the content of `found` by the first `count` points up to `max_distance` that `search` passes on, in the order
    /// of distance, object, shape and primitive. `search` gets the distance up to which points count, and the list, which
    /// returns it anew for each point.
    pub(crate) fn collect(
        shape: &'a S,
        (max_distance, count): (V::Scalar, usize),
        found: &'a mut Vec<ClosestPoint<V>>,
        search: impl FnOnce(f64, &mut OnPrimitive<'_, V>),
    ) -> Result<(), NotMeasured> {
        // Nothing is wanted, or no distance is allowed: a NaN, too.
        found.clear();
        if count == 0 || !(max_distance >= V::Scalar::ZERO) {
            return Ok(());
        }
        // The list takes each point that the search passes on, and returns the distance up to which more count.
        let mut list = Self { shape, found, count, limit: max_distance.to_f64(), unmeasured: None };
        search(list.limit, &mut |point| {
            match point {
                Ok(point) => list.add(point),
                Err(least) => list.unmeasured = Some(list.unmeasured.map_or(least, |other| other.min(least))),
            }
            list.limit
        });
        // Long lists are sorted at the end; short ones are in order already.
        list.sort();
        // Whether a shape without a measure belongs to the list does not depend on the order of the search.
        if list.unmeasured.is_some_and(|least| least <= list.limit) {
            list.found.clear();
            return Err(NotMeasured);
        }
        Ok(())
    }

    fn add(&mut self, point: ClosestPoint<V>) {
        if !(point.distance.to_f64() <= self.limit) {
            return;
        }
        if self.count > MAX_SORTED {
            // A long list is sorted when it has twice as many points as wanted: so the limit falls, at little cost for
            // each point.
            self.found.push(point);
            if self.found.len() >= self.count.saturating_mul(2) {
                self.sort();
            }
            return;
        }
        // A triangle that a spatial split has put into several leaves comes again.
        let Err(place) = self.found.binary_search_by(|other| order(self.shape, other, &point)) else { return };
        if place < self.count {
            self.found.truncate(self.count - 1);
            self.found.insert(place, point);
            self.lower_limit();
        }
    }

    /// Sorts the points, each once, and drops those that are too many.
    fn sort(&mut self) {
        let shape = self.shape;
        stable_sort_by(self.found, |a, b| order(shape, a, b));
        self.found.dedup_by(|a, b| order(shape, a, b).is_eq());
        self.found.truncate(self.count);
        self.lower_limit();
    }

    fn lower_limit(&mut self) {
        if let Some(last) = self.found.last().filter(|_| self.found.len() == self.count) {
            self.limit = self.limit.min(last.distance.to_f64());
        }
    }
}

/// The order of two primitives: by distance, then by object and by shape within the object, both as inserted, then by number.
fn order<V: Vector, S: Shape<V> + ?Sized>(shape: &S, a: &ClosestPoint<V>, b: &ClosestPoint<V>) -> Ordering {
    a.distance.partial_cmp(&b.distance).unwrap_or(Ordering::Equal).then_with(|| {
        let object = |point: &ClosestPoint<V>| point.object.map(|id| shape.insertion_order(id));
        object(a).cmp(&object(b)).then(a.member.cmp(&b.member)).then(a.primitive.cmp(&b.primitive))
    })
}
