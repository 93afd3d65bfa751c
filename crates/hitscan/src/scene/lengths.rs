//! Lengths of a ray inside the solids of a scene, by object and by layer.

use crate::batch::{RayBatch, values};
use crate::hit::ObjectId;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vector::Working;
use crate::queries::distance_limit::limited;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::{IntoQuery, Query};
use crate::ray::{RayLike, RaySlice};
use crate::scene::any::Space;
use crate::scene::compiled::compiled_scene;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object::LAYERS;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene::Scene;
use crate::scene::scene_queries::sort_found;
use crate::scene::scene_view::SceneView;
use crate::stable_sort::stable_sort_by;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A part of the ray inside an object.
struct InnerPart<'a, V: Space> {
    placed: &'a PlacedObject<V>,
    /// Unrounded `t` of its beginning.
    t: Working<V>,
    /// Distances from the origin of the ray.
    ends: [f64; 2],
}

impl<V: Space> Scene<V> {
    /// The length of the ray inside each object, in the order in which the ray enters them: the spans of each object, added up.
    ///
    /// Objects that the ray only touches have the length 0; surfaces and open meshes have no inside, and are left out. The
    /// shapes of a group count as one solid. Triggers count unless the query ignores them. Each end of a span is rounded as the
    /// distance of a hit is, then the lengths are added in `f64`. Without an end within the range of the query, that of a
    /// half-space is infinite.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Cuboid, Object, Ray, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let core = scene.insert(Object::new(Sphere::new(Vec3::X * 5.0, 1.0)?))?;
    /// let casing = scene.insert(Object::new(Cuboid::new(Vec3::X * 5.0, Vec3::splat(2.0))?))?;
    /// let shot = Ray::new(Vec3::ZERO, Vec3::X * 0.5);
    /// assert_eq!(scene.object_lengths(&shot, ..), [(casing, 4.0), (core, 2.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("shotline", "path_length"))]
    #[must_use]
    pub fn object_lengths(
        &self,
        ray: &impl RayLike<V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<(ObjectId, V::Scalar)> {
        compiled_scene(&self.view()).object_lengths(ray, &query.into_query())
    }

    /// The length of the ray inside the objects of each layer: of bit `i` of the layer masks in the element `i`. Where objects
    /// of one layer overlap, the ray counts once; an object on several layers counts on each of them.
    ///
    /// The rules are those of [`object_lengths`](Self::object_lengths).
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let [steel, fuel] = [0b01, 0b10];
    /// for (x, layers) in [(3.0, steel), (4.0, steel), (7.0, fuel)] {
    ///     scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0)?).on_layers(layers))?;
    /// }
    /// let lengths = scene.layer_lengths(&Ray::new(Vec3::ZERO, Vec3::X), ..);
    /// assert_eq!(lengths[..3], [3.0, 2.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer_lengths(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> [V::Scalar; LAYERS] {
        compiled_scene(&self.view()).layer_lengths(ray, &query.into_query())
    }

    /// The [`layer_lengths`](Self::layer_lengths) of each ray, in order, on all threads with the feature `rayon`.
    #[must_use]
    pub fn layer_lengths_rays(
        &self,
        rays: &[impl RayLike<V>],
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<[V::Scalar; LAYERS]> {
        self.unfiltered().layer_lengths_rays(rays, query)
    }
}

impl<V: Space, F: ObjectFilter<V>> FilteredScene<'_, V, F> {
    /// The length of the ray inside each object: see [`Scene::object_lengths`].
    #[must_use]
    pub fn object_lengths(
        &self,
        ray: &impl RayLike<V>,
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<(ObjectId, V::Scalar)> {
        compiled_scene(&self.view()).object_lengths(ray, &query.into_query())
    }

    /// The length of the ray inside the objects of each layer: see [`Scene::layer_lengths`].
    #[must_use]
    pub fn layer_lengths(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> [V::Scalar; LAYERS] {
        compiled_scene(&self.view()).layer_lengths(ray, &query.into_query())
    }

    /// The layer lengths of each ray: see [`Scene::layer_lengths_rays`].
    #[must_use]
    pub fn layer_lengths_rays(
        &self,
        rays: &[impl RayLike<V>],
        query: impl IntoQuery<V::Scalar>,
    ) -> Vec<[V::Scalar; LAYERS]> {
        let (query, mut lengths) = (query.into_query(), vec![[V::Scalar::ZERO; LAYERS]; rays.len()]);
        values(RayBatch::Slice(RayLike::batch(rays)), &mut lengths, |rays: RaySlice<'_, V>, lengths| {
            for (ray, lengths) in rays.iter().zip(lengths) {
                *lengths = compiled_scene(&self.view()).layer_lengths(ray, &query);
            }
        });
        lengths
    }
}

impl<'a, V: Space> SceneView<'a, V> {
    /// See [`Scene::object_lengths`].
    pub(crate) fn object_lengths(self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Vec<(ObjectId, V::Scalar)> {
        // The parts of each object side by side, each object's own in the order along the ray.
        let mut parts = self.inner_parts(ray, query);
        // Stable: the parts of an object stay in their order.
        stable_sort_by(&mut parts, |a, b| a.placed.order.cmp(&b.placed.order));
        let objects = parts.chunk_by(|a, b| a.placed.order == b.placed.order);
        // The union of its parts counts once; its first part gives the place in the result.
        let first = |own: &[InnerPart<'a, V>]| own.iter().fold(own[0].t, |least, part| least.min(part.t));
        let mut lengths: Vec<_> = objects.map(|own| (first(own), own[0].placed, covered(own.iter()))).collect();
        // The exact order in which the ray enters the objects: that of their first spans.
        let world = limited(ray, query).raw.line();
        let query = self.masked(&query.of_all_hits(), world.raw.layers);
        sort_found(&mut lengths, &|placed, key| {
            let line = InstanceRay::<V>::new(&world);
            placed.object.instance.0.exact_spans(&line, &placed.own_query(&query), &mut |[begin, _]| key(begin));
        });
        lengths.into_iter().map(|(_, placed, length)| (placed.id, length)).collect()
    }

    /// See [`Scene::layer_lengths`].
    pub(crate) fn layer_lengths(self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> [V::Scalar; LAYERS] {
        let parts = self.inner_parts(ray, query);
        // Layers without any object on the ray need no look at the parts.
        let present = parts.iter().fold(0, |mask, part| mask | part.placed.object.layers);
        core::array::from_fn(|layer| {
            let is_on = |layers: u32| layers >> layer & 1 == 1;
            let own = parts.iter().filter(|part| is_on(part.placed.object.layers));
            if is_on(present) { covered(own) } else { V::Scalar::ZERO }
        })
    }

    /// The parts of the ray inside the objects, in the order of their beginnings, then of insertion.
    fn inner_parts(self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Vec<InnerPart<'a, V>> {
        // Faces and rules for starts inside do not matter here: every boundary counts, and so do triggers unless the
        // query ignores them.
        let (world, query) = (limited(ray, query).raw.line(), query.of_all_hits());
        let line = InstanceRay::<V>::new(&world);
        let mut parts = Vec::<InnerPart<'a, V>>::new();
        let limits = TRange::new(&line, &query);
        // A span that does not end within the range ends with the range; without an end of the range it is infinite.
        let end = || {
            let is_endless = !limits.max.lt(limits.largest);
            if is_endless { f64::INFINITY } else { line.world.at(limits.max).1.to_f64() }
        };
        let _ = self.visit(&line, &query, &mut |placed, own, _| {
            placed.object.instance.0.all_spans(&line, own, &mut |[t, _], span| {
                let enter = span.enter.map_or(f64::NEG_INFINITY, |hit| hit.distance.to_f64());
                let exit = span.exit.map_or_else(end, |hit| hit.distance.to_f64());
                parts.push(InnerPart { placed, t, ends: [enter, exit] });
            });
            ControlFlow::Continue(())
        });
        // The order in which the ray enters the parts, as `covered` and the results need it.
        stable_sort_by(&mut parts, |a, b| a.ends[0].total_cmp(&b.ends[0]).then(a.placed.order.cmp(&b.placed.order)));
        parts
    }
}

/// The length that parts cover together. They are in the order of their beginnings.
fn covered<'p, 'a: 'p, V: Space>(parts: impl Iterator<Item = &'p InnerPart<'a, V>>) -> V::Scalar {
    let (mut sum, mut end) = (0.0, f64::NEG_INFINITY);
    // What lies before the greatest end so far is counted already: only the rest of a part adds to the sum.
    for InnerPart { ends: [enter, exit], .. } in parts {
        if *exit > end {
            sum += exit - enter.max(end);
            end = *exit;
        }
    }
    V::Scalar::from_f64(sum)
}
