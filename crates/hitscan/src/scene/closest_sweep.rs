//! The contacts of a moving volume with the objects of a scene: the first of all, and that with each object.

use crate::aabb::Aabb;
use crate::closest_point::NotMeasured;
use crate::kernel::candidate::upper_bound;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::queries::swept_volume::SweptVolume;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::View;
use crate::stable_sort::stable_sort_by;
use crate::sweep::advance::interval_of;
use crate::sweep_hit::{SweepCandidate, SweepHit, SweepResult, SweepResults};
use alloc::vec::Vec;
use core::ops::ControlFlow;

impl<'a, V: Space> SceneView<'a, V> {
    /// The first contact; of two at the same `t`, that of the object inserted first. Where the range begins, the deepest
    /// contact comes first.
    pub(crate) fn closest_sweep(
        self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        mut limit: f64,
    ) -> SweepResult<V> {
        let mut best: Option<(&PlacedObject<V>, SweepCandidate<V>)> = None;
        let mut unmeasured = None::<f64>;
        self.sweep_near(ray, swept, query, &mut limit, |placed, contact, limit| match contact {
            Ok(Some(new)) => {
                // The earliest contact wins; at the same `t` its own order decides (depth at the start), then the order of
                // insertion.
                let wins = best
                    .as_ref()
                    .is_none_or(|(other, old)| new.order(old).then(placed.order.cmp(&other.order)).is_lt());
                if wins {
                    // Contacts at the same `t` must still be found, so the limit is the upper bound of the error of `t`.
                    *limit = limit.min(upper_bound(new.t));
                    best = Some((placed, new));
                }
            }
            Ok(None) => {}
            Err(NotMeasured) => {
                // An object without a measure matters only if it may be touched first: its box bounds that from below.
                let first = first_possible(placed, ray, swept.radius());
                unmeasured = Some(unmeasured.map_or(first, |other| other.min(first)));
            }
        });
        // Whether an object without a measure may be the first does not depend on the order of the visits.
        if unmeasured.is_some_and(|first| first <= limit) {
            return Err(NotMeasured);
        }
        Ok(best.map(|(placed, found)| own_contact(placed, found)))
    }

    /// The first contact with each object, in the order of [`SweepCandidate::order`], then of insertion.
    pub(crate) fn sweep_objects(
        self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
    ) -> SweepResults<V> {
        let (mut found, mut is_measured) = (Vec::new(), true);
        self.sweep_near(ray, swept, query, &mut { f64::INFINITY }, |placed, contact, end| match contact {
            Ok(contact) => found.extend(contact.map(|contact| (placed, contact))),
            // An object without a measure matters if it may be touched within the range.
            Err(NotMeasured) => is_measured &= first_possible(placed, ray, swept.radius()) > *end,
        });
        if !is_measured {
            return Err(NotMeasured);
        }
        // The tree finds the objects in its own order.
        stable_sort_by(&mut found, |(placed, a), (other, b)| a.order(b).then(placed.order.cmp(&other.order)));
        Ok(found.into_iter().map(|(placed, contact)| own_contact(placed, contact)).collect())
    }

    /// Passes the first contact with each object near the way to `found`, with the limit of `t`, which it may lower. The range of the
    /// query lowers the limit first.
    fn sweep_near(
        self,
        ray: &InstanceRay<'_, V>,
        swept: SweptVolume<'_, V>,
        query: &Query<V::Scalar>,
        limit: &mut f64,
        mut found: impl FnMut(&'a PlacedObject<V>, SweepResult<V>, &mut f64),
    ) {
        // As for rays, an object must be on a layer of all masks: those of the query, the ray and the scene.
        let query = &self.masked(query, ray.raw.layers);
        let (range, radius) = (TRange::new(ray.world, query), swept.radius());
        let (t_min, end) = (range.min.to_f64(), range.max.to_f64());
        // The radius does not widen the range of the query: an empty range has no contact.
        if !(t_min <= end) {
            return;
        }
        // The caller may know a contact of another shape already.
        *limit = limit.min(end);
        let mut visit = |view: View<'a, V>| {
            view.visit_swept(ray, (radius, t_min), limit, &mut |slot, limit| {
                view.look(slot, query, |placed, own| {
                    found(placed, placed.object.instance.0.sweep(ray, swept, own, *limit), limit);
                    ControlFlow::Continue(())
                })
            })
        };
        // All trees, with the limit of those before.
        for tree in &self.scene.levels {
            let _ = visit(tree.view(self.accept));
            if let Some(moved) = tree.moved_view(self.accept) {
                let _ = visit(moved);
            }
        }
    }
}

/// The contact of an object's shape as one of the object. It is a trigger's if any level above or below is one.
fn own_contact<V: Space>(placed: &PlacedObject<V>, found: SweepCandidate<V>) -> SweepCandidate<V> {
    let is_trigger = found.hit.is_trigger || placed.object.is_trigger;
    SweepCandidate { hit: SweepHit { object: Some(placed.id), is_trigger, ..found.hit }, ..found }
}

/// Lower bound of the first `t` at which the sphere may touch an object: that of its box.
fn first_possible<V: Space>(placed: &PlacedObject<V>, ray: &InstanceRay<'_, V>, radius: f64) -> f64 {
    if ray.level.is_some() {
        return f64::NEG_INFINITY;
    }
    let Aabb { min, max } = placed.object.instance.0.aabb();
    interval_of::<V>([min.to_f64(), max.to_f64()], ray.world, radius)[0]
}
