//! Batches at a scene of a few large meshes and other objects: each mesh gets all rays as one batch. So does every object of
//! a scene of few.
//!
//! # Method
//! The tree of a scene hands rays to a mesh one by one, and a mesh is up to twice as fast with a stream of rays. So a batch
//! goes to the objects without the meshes first, which are smaller, and then to each mesh, with the closest hit so far as
//! the end of each ray. Where two hits are so close that rounding might decide, the ray is cast at the scene by itself.

use crate::hit::{Hit, ObjectId};
use crate::math::limited_ray::LimitedRay;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::ray::{Ranged, RangedRay, RangedSegment, RaySlice};
use crate::scene::any::Space;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene_view::SceneView;
use alloc::vec;
use alloc::vec::Vec;

/// The fewest rays that are worth a stream for each mesh.
const MIN_RAYS: usize = 256;

/// The most meshes that get all rays. A ray passes by most of many meshes, and its turn at each costs time.
const MAX_MESHES: usize = 4;

/// The most objects of a scene with a large mesh that all get all rays.
const MAX_OBJECTS: usize = 6;

/// Rays that go to one object after the other together: few enough that they and their hits stay in cache.
const RAY_BLOCK: usize = 4096;

/// One ray in so many must have a hit already; else copies of the rays with ends of their own take longer than they save.
const WORTH_ENDS: usize = 8;

/// Object that gets all rays, and its query.
type BatchObject<'a, V> = (&'a PlacedObject<V>, Query<<V as Vector>::Scalar>);

impl<'a, V: Space> SceneView<'a, V> {
    /// The objects that get all rays: large meshes, if there are few and at least one; with them the other objects, if there
    /// are few.
    pub(crate) fn in_batches(self, rays: RaySlice<'_, V>, query: &Query<V::Scalar>) -> Vec<BatchObject<'a, V>> {
        let (mut meshes, mut others) = (Vec::new(), Vec::new());
        // Filters keep the usual way through the tree. The search for meshes costs less than one ray an object.
        if rays.len() < MIN_RAYS || self.scene.len > rays.len() || !self.is_whole() {
            return meshes;
        }
        // The objects that this query sees, meshes apart from the others.
        for level in &self.scene.levels {
            let view = level.view(self.accept);
            for (slot, placed) in (0..).zip(view.placed) {
                // A free slot holds the object that was removed.
                let is_placed = placed.object.transform().is_some();
                let is_mesh = V::gains_by_streams(placed.object.shape(), is_placed);
                let is_wanted = placed.id != ObjectId::NONE && (is_mesh || self.scene.len <= MAX_OBJECTS);
                if is_wanted && view.sees(slot, query) {
                    (if is_mesh { &mut meshes } else { &mut others }).push((placed, placed.own_query(query)));
                    // Too many meshes, or a ray that must not see one of the objects: then the tree chooses the objects
                    // ray by ray.
                    if meshes.len() > MAX_MESHES || !rays.are_on(placed.object.layers & query.layer_mask()) {
                        return Vec::new();
                    }
                }
            }
        }
        // Without a large mesh, streams through the tree are faster. Small objects come first: meshes get rays that end
        // earlier.
        if meshes.is_empty() {
            return meshes;
        }
        others.append(&mut meshes);
        others
    }

    /// The closest hits of all rays, with these objects by themselves.
    pub(crate) fn closest_in_batches(
        self,
        batched: &[BatchObject<'_, V>],
        (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
        out: &mut [Option<Hit<V>>],
    ) {
        let mut found = vec![None; rays.len().min(RAY_BLOCK)];
        for (rays, out) in rays.chunks(RAY_BLOCK).zip(out.chunks_mut(RAY_BLOCK)) {
            self.closest_in_chunk(batched, (rays, query), out, &mut found[..rays.len()]);
        }
    }

    fn closest_in_chunk(
        self,
        batched: &[BatchObject<'_, V>],
        (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
        out: &mut [Option<Hit<V>>],
        found: &mut [Option<Hit<V>>],
    ) {
        // The objects that get no batch of their own first: their hits end the rays.
        out.fill(None);
        self.without(batched, |rest| rest.cast_closest_each(rays, query, out));
        for (placed, own) in batched {
            // All rays at one object, with hits that name it.
            let cast = |rays: RaySlice<'_, V>, hits: &mut [Option<Hit<V>>]| {
                placed.object.instance.0.cast_closest_each(rays, own, hits);
                hits.iter_mut().flatten().for_each(|hit| placed.mark(hit));
            };
            // The closer of two hits. Each `t` is within 1 ulp: where the order is uncertain, the ray is cast again at
            // the whole scene, which compares exactly.
            let closer = |i: usize, a: Option<Hit<V>>, b: Option<Hit<V>>| match (a, b) {
                (Some(near), Some(far)) if farther(near.t, MARGIN) < far.t => Some(near),
                (Some(far), Some(near)) if farther(near.t, MARGIN) < far.t => Some(near),
                (Some(_), Some(_)) => self.closest_hit(&InstanceRay::new(&rays.get(i).line()), query),
                (hit, None) | (None, hit) => hit,
            };
            // Few hits so far: the rays go to the object as they are, straight into the output, and the few earlier
            // hits are compared after that.
            if out.iter().flatten().count() < rays.len() / WORTH_ENDS {
                let earlier: Vec<_> = out.iter().enumerate().filter_map(|(i, hit)| hit.map(|hit| (i, hit))).collect();
                cast(rays, out);
                earlier.into_iter().for_each(|(i, hit)| out[i] = closer(i, Some(hit), out[i]));
            } else {
                // Many hits so far: each ray ends a little behind its hit, so that the object is tested up to there,
                // and hits of uncertain order are still found.
                let ends = out.iter().map(|hit| hit.map_or(V::Scalar::INFINITY, |hit| farther(hit.t, 2 * MARGIN)));
                Ends::of(rays, (0..rays.len()).zip(ends)).with(|rays| cast(rays, found));
                for (i, (best, new)) in out.iter_mut().zip(&*found).enumerate().filter(|(_, (_, new))| new.is_some()) {
                    *best = closer(i, *best, *new);
                }
            }
        }
    }

    /// Whether each ray has a hit, with these objects by themselves.
    pub(crate) fn any_in_batches(
        self,
        batched: &[BatchObject<'_, V>],
        (rays, query): (RaySlice<'_, V>, &Query<V::Scalar>),
        out: &mut [bool],
    ) {
        // The objects that get no batch of their own first.
        out.fill(false);
        self.without(batched, |rest| rest.cast_any_each(rays, query, out));
        for (placed, own) in batched {
            let cast = |rays: RaySlice<'_, V>, found: &mut [bool]| {
                placed.object.instance.0.cast_any_each(rays, own, found);
            };
            // With few hits so far, all rays go to the object: a copy of the others would cost more than it saves.
            let hits = out.iter().filter(|out| **out).count();
            if hits < rays.len() / WORTH_ENDS {
                let earlier: Vec<usize> = (0..rays.len()).filter(|&i| out[i]).collect();
                cast(rays, out);
                earlier.into_iter().for_each(|i| out[i] = true);
            } else {
                // Otherwise only the rays without a hit go on, copied together.
                let left: Vec<usize> = (0..rays.len()).filter(|&i| !out[i]).collect();
                let mut found = vec![false; left.len()];
                let ends = left.iter().map(|&i| (i, V::Scalar::INFINITY));
                Ends::of(rays, ends).with(|rays| cast(rays, &mut found));
                left.iter().zip(found).for_each(|(&i, found)| out[i] = found);
            }
        }
    }

    /// Casts at the scene without these objects, if it has others.
    fn without(self, batched: &[BatchObject<'_, V>], cast: impl FnOnce(SceneView<'_, V>)) {
        let ids: Vec<_> = batched.iter().map(|(placed, _)| placed.id).collect();
        if self.scene.len > ids.len() {
            cast(SceneView::excluding(self.scene, &ids));
        }
    }
}

/// Steps of rounding by which two `t` differ if their order is certain: each is within 1 ulp.
const MARGIN: u32 = 4;

/// The number this many steps behind `t`.
fn farther<S: Real>(t: S, steps: u32) -> S {
    (0..steps).fold(t, |t, _| t.next_up())
}

/// Rays with ends of their own.
enum Ends<V: Vector> {
    Rays(Vec<RangedRay<V>>),
    Segments(Vec<RangedSegment<V>>),
    Limited(Vec<LimitedRay>),
}

impl<V: Space> Ends<V> {
    /// The rays of these numbers, each up to an end.
    fn of(rays: RaySlice<'_, V>, ends: impl Iterator<Item = (usize, V::Scalar)>) -> Self {
        let first = -V::Scalar::INFINITY;
        // A NaN stays: such a ray hits nothing.
        let nearer = |a: V::Scalar, b: V::Scalar| if b < a { b } else { a };
        match rays {
            RaySlice::Rays(rays) => Self::Rays(ends.map(|(i, end)| Ranged::new(rays[i], first, end)).collect()),
            RaySlice::Segments(rays) => Self::Segments(ends.map(|(i, end)| Ranged::new(rays[i], first, end)).collect()),
            RaySlice::RangedRays(rays) => {
                Self::Rays(ends.map(|(i, end)| Ranged { t_max: nearer(rays[i].t_max, end), ..rays[i] }).collect())
            }
            RaySlice::RangedSegments(rays) => {
                Self::Segments(ends.map(|(i, end)| Ranged { t_max: nearer(rays[i].t_max, end), ..rays[i] }).collect())
            }
            RaySlice::Limited(rays) => {
                let up_to = |(i, end): (usize, V::Scalar)| {
                    let raw = rays[i].raw.within(f64::NEG_INFINITY, end.to_f64(), u32::MAX);
                    LimitedRay { raw, ..rays[i] }
                };
                Self::Limited(ends.map(up_to).collect())
            }
        }
    }

    fn with(&self, cast: impl FnOnce(RaySlice<'_, V>)) {
        match self {
            Self::Rays(rays) => cast(RaySlice::RangedRays(rays)),
            Self::Segments(segments) => cast(RaySlice::RangedSegments(segments)),
            Self::Limited(rays) => cast(RaySlice::Limited(rays)),
        }
    }
}
