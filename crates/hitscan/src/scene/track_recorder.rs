//! The tracks of a scene.

use crate::kernel::candidate::{COMPARISON_PRECISION, certain_order};
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::real::Real;
use crate::math::working_ray::InputRay;
use crate::queries::distance_limit::limited;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::{IntoQuery, Query};
use crate::ray::RayLike;
use crate::scene::any::Space;
use crate::scene::compiled::compiled_scene;
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::object_tree::PlacedObject;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::track::{PartPlaces, Track};
use crate::solid::line_crossings::{LeafCrossing, Leaves, LineCrossings};
use crate::solid::solid_queries::{may_have_underflown, whole};
use crate::stable_sort::stable_sort_by_key;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::{ControlFlow, Range};

impl<V: Space> Scene<V> {
    /// The track of a ray: the range of the query, cut where the ray enters or leaves an object that encloses points. In each part the
    /// ray is inside the same objects, and neighbouring parts have different ones.
    ///
    /// The order is exact: a gap or an overlap of objects is a part, however short, and objects that share a face have none between
    /// them. So a particle can go from cell to cell without casting again from a rounded position. Touching an object cuts nothing.
    /// Surfaces and open meshes have no inside and are left out. Triggers count unless the query ignores them; faces and the rule for
    /// starts inside do not matter.
    ///
    /// # Complexity
    /// O(k log k) for k crossings of the whole line and the objects that the ray may meet within its range.
    ///
    /// See [`Track`] for an example.
    #[doc(alias("cells", "particle_track", "segments"))]
    #[must_use]
    pub fn track(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Track<V> {
        compiled_scene(&self.view()).track(ray, &query.into_query())
    }
}

impl<V: Space, F: ObjectFilter<V>> FilteredScene<'_, V, F> {
    /// The track of a ray: see [`Scene::track`].
    #[must_use]
    pub fn track(&self, ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>) -> Track<V> {
        compiled_scene(&self.view()).track(ray, &query.into_query())
    }
}

/// Objects on a line, in the order of insertion.
struct ObjectsOnLine<'a, V: Space>(Vec<&'a PlacedObject<V>>);

impl<V: Space> Leaves<V> for ObjectsOnLine<'_, V> {
    fn shape(&self, object: u32) -> &dyn Shape<V> {
        &self.0[object as usize].object.instance.0
    }
    fn first_equal(&self, object: u32) -> u32 {
        object
    }
    fn are_equal(&self, of: [(u32, Option<u32>); 2]) -> bool {
        let leaf = |(object, leaf): (u32, Option<u32>)| {
            let object = &self.0[object as usize].object;
            match V::as_solid(object.shape()) {
                Some(solid) => solid.leaf(leaf?),
                None => Some(&object.instance.0),
            }
        };
        leaf(of[0]).zip(leaf(of[1])).is_some_and(|(a, b)| a.is_same(b))
    }
}

/// A track that is being recorded.
struct TrackRecorder<'a, V: Space> {
    all: &'a LineCrossings<'a, V>,
    objects: &'a ObjectsOnLine<'a, V>,
    /// How often the line is inside each object: a group may contain a point several times.
    depths: Vec<u32>,
    /// The objects that the line is inside, in the order of insertion.
    inside: Vec<u32>,
    track: Track<V>,
    /// `t` of the beginning of the part that is open, and its hits.
    t: V::Scalar,
    begin: Range<usize>,
}

impl<V: Space> TrackRecorder<'_, V> {
    /// Passes a group of crossings, and returns those at which the line changes whether it is inside an object, one of each.
    fn pass(&mut self, group: Range<usize>) -> Vec<usize> {
        let crossings = &self.all.crossings[group.clone()];
        let before: Vec<bool> = crossings.iter().map(|at| self.depths[at.leaf as usize] > 0).collect();
        // Entries first: an object that the line leaves and enters again at one place contains that place.
        for is_exit in [false, true] {
            for at in crossings.iter().filter(|at| at.is_exit() == is_exit) {
                let depth = &mut self.depths[at.leaf as usize];
                *depth = if is_exit { depth.saturating_sub(1) } else { *depth + 1 };
            }
        }
        let mut changed: Vec<usize> = Vec::new();
        for ((at, was_inside), number) in crossings.iter().zip(before).zip(group) {
            let is_inside = self.depths[at.leaf as usize] > 0;
            let is_known = changed.iter().any(|&known| self.all.crossings[known].leaf == at.leaf);
            if was_inside == is_inside || at.is_exit() == is_inside || is_known {
                continue;
            }
            changed.push(number);
            match self.inside.binary_search(&at.leaf) {
                Ok(place) => drop(self.inside.remove(place)),
                Err(place) => self.inside.insert(place, at.leaf),
            }
        }
        // The order of insertion.
        stable_sort_by_key(&mut changed, |&number| self.all.crossings[number].leaf);
        changed
    }

    /// Adds the hits of crossings, and returns their places.
    fn record(&mut self, crossings: &[usize]) -> Range<usize> {
        let start = self.track.hits.len();
        for &number in crossings {
            let placed = self.objects.0[self.all.crossings[number].leaf as usize];
            self.track.hits.extend(self.all.hit(number).map(|(_, hit)| placed.own_hit(hit)));
        }
        start..self.track.hits.len()
    }

    /// Ends the open part, whose objects are these, and begins the next one.
    fn end_part(&mut self, t: V::Scalar, end: Range<usize>, objects: &[u32]) {
        let start = self.track.objects.len();
        self.track.objects.extend(objects.iter().map(|&object| self.objects.0[object as usize].id));
        // Rounding may have reversed two boundaries that are close to each other.
        let t = if t < self.t { self.t } else { t };
        let begin = core::mem::replace(&mut self.begin, end.clone());
        let objects = start..self.track.objects.len();
        self.track.parts.push(PartPlaces { t: [self.t, t], begin, end, objects });
        self.t = t;
    }

    /// The exact order of a crossing and a number.
    fn order(&self, crossing: &LeafCrossing<V>, limit: f64) -> Ordering {
        let t = crossing.t.to_f64();
        let certain = if limit.is_infinite() && t.is_finite() {
            t.partial_cmp(&limit)
        } else if may_have_underflown::<V>(t) {
            None
        } else {
            certain_order(t, limit)
        };
        certain.unwrap_or_else(|| {
            with_precision(COMPARISON_PRECISION, || {
                let exact = self.all.exact_t([crossing].into_iter());
                exact.first().map_or(Ordering::Equal, |exact| exact.order_or_equal(Exact::from_f64(limit)))
            })
        })
    }
}

impl<V: Space> SceneView<'_, V> {
    /// See [`Scene::track`].
    pub(crate) fn track(self, ray: &dyn RayLike<V>, query: &Query<V::Scalar>) -> Track<V> {
        let track = Track { parts: Vec::new(), hits: Vec::new(), objects: Vec::new() };
        let (world, query) = (limited(ray, query).raw.line(), query.of_all_hits());
        let line = InstanceRay::<V>::new(&world);
        let range = TRange::new(&line, &query);
        let [min, max] = [range.min.to_f64(), range.max.to_f64()];
        // Written so that a NaN is an empty range.
        if !(line.is_valid() && min < max) {
            return track;
        }
        // The objects that may contain a point of the range, and all their crossings with the line.
        let mut objects = ObjectsOnLine(Vec::new());
        let _ = self.visit(&line, &query, &mut |placed, _, _| {
            if placed.object.instance.0.encloses_points() {
                objects.0.push(placed);
            }
            ControlFlow::Continue(())
        });
        stable_sort_by_key(&mut objects.0, |placed| placed.order);
        let mut unlimited = world;
        unlimited.raw = InputRay { t_min: f64::NEG_INFINITY, t_max: f64::INFINITY, ..world.raw };
        let (line, query) = (InstanceRay::<V>::new(&unlimited), whole(&query));
        let numbers: Vec<u32> = (0..objects.0.len() as u32).collect();
        let all = LineCrossings::new(&objects, &numbers, &line, &query);

        // From the beginning of the line to the end of the range.
        let (mut depths, mut inside) = (vec![0; numbers.len()], all.inside.to_vec());
        inside.iter().for_each(|&object| depths[object as usize] += 1);
        inside.sort_unstable();
        inside.dedup();
        let t = V::Scalar::from_f64(min);
        let mut walk = TrackRecorder { all: &all, objects: &objects, depths, inside, track, t, begin: 0..0 };
        let mut is_open = true;
        for group in (0..).map_while(|number| all.group(number)) {
            let first = &all.crossings[group.start];
            let (from_min, from_max) = (walk.order(first, min), walk.order(first, max));
            if from_max.is_gt() {
                break;
            }
            let objects = walk.inside.clone();
            let changed = walk.pass(group);
            if changed.is_empty() || from_min.is_lt() {
                continue;
            }
            let t = all.hit(changed[0]).map_or(walk.t, |(_, hit)| hit.t);
            let hits = walk.record(&changed);
            if from_min.is_eq() {
                walk.begin = hits;
                continue;
            }
            walk.end_part(t, hits, &objects);
            is_open = from_max.is_lt();
        }
        if is_open {
            let end = if max < range.largest.to_f64() { V::Scalar::from_f64(max) } else { V::Scalar::INFINITY };
            let (none, objects) = (walk.track.hits.len(), walk.inside.clone());
            walk.end_part(end, none..none, &objects);
        }
        walk.track
    }
}
