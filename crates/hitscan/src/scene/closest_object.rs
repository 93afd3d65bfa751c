//! Closest hit among the objects of a scene.

use crate::hit::Hit;
use crate::kernel::candidate::{COMPARISON_PRECISION, HitCandidate, certain_order};
use crate::math::arithmetic::Arithmetic;
use crate::math::exact::arena::with_precision;
use crate::math::vector::Working;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::query::Query;
use crate::scene::any::Space;
use crate::scene::object_tree::PlacedObject;
use core::cmp::Ordering;

/// Object and its candidate.
pub(crate) type ObjectCandidate<'a, V> = (&'a PlacedObject<V>, HitCandidate<Working<V>>);

/// Search of the closest hit of a ray among objects. Hits are large: each is written where it stays, and only one that beats
/// an earlier hit is copied.
pub(crate) struct ClosestSearch<'s, 'r, V: Space> {
    pub(crate) line: &'s InstanceRay<'r, V>,
    pub(crate) query: &'s Query<V::Scalar>,
}

impl<V: Space> Clone for ClosestSearch<'_, '_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Space> Copy for ClosestSearch<'_, '_, V> {}

impl<V: Space> ClosestSearch<'_, '_, V> {
    /// Replaces `best` and its hit by those of an object, if that is closer, and lowers `limit`. Hits beyond `limit` need not
    /// be found. `own` is the query of the object. The hit stays `None` if the shape has not computed it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn update<'a>(
        self,
        (placed, own): (&'a PlacedObject<V>, &Query<V::Scalar>),
        limit: &mut f64,
        best: &mut Option<ObjectCandidate<'a, V>>,
        hit: &mut Option<Hit<V>>,
    ) {
        let instance = &placed.object.instance.0;
        // The first hit is written to its final place: hits are large, and most rays hit one object.
        let Some(old) = best else {
            if let Some(new) = instance.candidate(self.line, own, *limit, hit) {
                *limit = limit.min(new.limit());
                *best = Some((placed, new));
            }
            return;
        };
        // A second candidate gets a place of its own, since the best hit so far may stay.
        let mut new_hit = None;
        let Some(new) = instance.candidate(self.line, own, *limit, &mut new_hit) else { return };
        if beats(self.line, self.query, &(placed, new), old) {
            *limit = limit.min(new.limit());
            *old = (placed, new);
            *hit = new_hit;
        }
    }

    /// Completes the hit of the closest candidate: computes it, if the shape has not, and says which object it is of.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn finish(self, (placed, found): &ObjectCandidate<'_, V>, hit: &mut Option<Hit<V>>) {
        if hit.is_none() {
            *hit = placed.object.instance.0.finish(self.line, &placed.own_query(self.query), found);
        }
        if let Some(hit) = hit {
            placed.mark(hit);
        }
    }
}

/// Whether the new candidate is closer than the old one, or equally close and of an object inserted before. So the
/// winner does not depend on the order of traversal.
fn beats<V: Space>(
    line: &InstanceRay<'_, V>,
    query: &Query<V::Scalar>,
    new: &ObjectCandidate<'_, V>,
    old: &ObjectCandidate<'_, V>,
) -> bool {
    let is_earlier = new.0.order < old.0.order;
    // Of two objects in which the ray starts, the one inserted first counts, with no comparison of `t`: both begin with
    // the range.
    if new.1.at_start && old.1.at_start {
        return is_earlier;
    }
    // Two rounded `t` whose error bounds overlap are computed again in exact arithmetic, so that rounding chooses no
    // winner. Objects that coincide, and boxes in one plane, need none.
    let order = certain_order(new.1.t, old.1.t).unwrap_or_else(|| {
        if new.0.has_results_of(old.0) || meet_in_one_face(line, new, old) {
            return Ordering::Equal;
        }
        with_precision(COMPARISON_PRECISION, || {
            let t = |(placed, found): &ObjectCandidate<'_, V>| {
                placed.object.instance.0.exact_first(line, &placed.own_query(query), found)
            };
            t(new).zip(t(old)).map_or(Ordering::Equal, |(new, old)| new.cmp_rounded(old))
        })
    });
    if order.is_eq() { is_earlier } else { order.is_lt() }
}

/// Whether two candidates are certainly hit at one `t`, in a plane of faces of two boxes.
fn meet_in_one_face<V: Space>(
    line: &InstanceRay<'_, V>,
    (new, found): &ObjectCandidate<'_, V>,
    (old, old_found): &ObjectCandidate<'_, V>,
) -> bool {
    let is_in_world = line.level.is_none() && !found.at_start && !old_found.at_start;
    is_in_world && new.object.instance.0.meet_in_one_face(&old.object.instance.0, &line.raw, found.t.to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::object::Object;
    use crate::scene::scene::Scene;
    use crate::{Cuboid, Faces, Inside, RayCast, RayLike, Sphere, Transform, TriangleMesh};
    use alloc::sync::Arc;
    use alloc::vec;
    use alloc::vec::Vec;
    use glam::DVec3;

    /// Objects coincide if shape, transform and rules are equal; names, layers and triggers do not matter. Copies of a mesh do not
    /// count as equal, because nobody compares their triangles.
    #[test]
    fn objects_that_coincide() {
        let ball = |radius: f64| Object::<DVec3>::new(Sphere::new(DVec3::ONE, radius).unwrap());
        let far = Transform::from_translation(DVec3::X).unwrap();
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = Arc::new(TriangleMesh::new(corners, vec![[0, 1, 2]]).unwrap());
        let objects = [
            ball(1.0),
            ball(1.0).named("second").on_layers(2).as_trigger(),
            ball(2.0),
            ball(1.0).with_transform(far),
            ball(1.0).with_transform(far),
            ball(1.0).with_faces(Faces::Front),
            ball(1.0).with_inside(Inside::Hollow),
            Object::new(Arc::clone(&mesh)),
            Object::new(mesh),
        ];
        let placed: Vec<_> =
            (0..).zip(objects).map(|(order, object)| PlacedObject { object, id: id(), order }).collect();
        let mut equal = vec![];
        for (i, a) in placed.iter().enumerate() {
            let later = placed.iter().enumerate().skip(i + 1);
            equal.extend(later.filter(|(_, b)| a.has_results_of(b)).map(|(j, _)| (i, j)));
        }
        assert_eq!(equal, [(0, 1), (3, 4), (7, 8)]);
    }

    fn id() -> crate::ObjectId {
        let mut scene = Scene::<DVec3>::new();
        scene.insert(Object::new(Sphere::new(DVec3::ZERO, 1.0).unwrap())).unwrap()
    }

    /// Of objects that coincide, the first one is hit, wherever they stand in the tree.
    #[test]
    fn the_first_of_objects_that_coincide_is_hit() {
        let mut scene = Scene::new();
        let ids = [0; 40].map(|_| scene.insert(Object::new(Sphere::new(DVec3::ZERO, 1.0).unwrap())).unwrap());
        let hit = scene.cast_ray(&crate::Ray::new(DVec3::X * 3.0, -DVec3::X), ..).unwrap();
        assert_eq!((hit.t, hit.object), (2.0, Some(ids[0])));
    }

    /// Boxes whose faces are in one plane are hit at one `t`: the plane is compared without rounding, and edges, thin boxes and starts
    /// are left to exact numbers. The first box wins, and a box that is nearer by one ulp.
    #[test]
    fn boxes_in_one_plane() {
        let cuboid = |center: DVec3, half: DVec3| Cuboid::new(center, half).unwrap();
        let a = cuboid(DVec3::new(0.0, 0.1, 0.0), DVec3::new(2.0, 0.2, 2.0));
        let b = cuboid(DVec3::new(1.0, 0.2, 0.0), DVec3::new(2.0, 0.1, 2.0));
        let equal = |b: &Cuboid<DVec3>, from: DVec3, to: DVec3| {
            let ray = crate::Segment::new(from, to).raw();
            let t = a.cast_ray(&crate::Segment::new(from, to), ..).unwrap().t;
            a.meet_in_one_face(b, &ray, t)
        };
        let (above, inside) = (DVec3::new(0.5, 3.0, 0.25), DVec3::new(0.75, 0.125, 0.0));
        // The sums 0.1 + 0.2 and 0.2 + 0.1 are equal; 0.3 is another number.
        assert!(equal(&b, above, inside));
        assert!(!equal(&cuboid(DVec3::X, DVec3::new(2.0, 0.3, 2.0)), above, inside));
        // From the side, the faces are in other planes.
        assert!(!equal(&b, DVec3::new(-5.0, 0.125, 0.0), inside));
        // Through an edge, two planes are near.
        assert!(!equal(&b, DVec3::new(-4.0, 2.0 + (0.1 + 0.2), 0.0), DVec3::new(0.0, -2.0 + (0.1 + 0.2), 0.0)));
        // A scene has the box that is nearer, and the first of two at one height.
        let first = |boxes: [Cuboid<DVec3>; 2]| {
            let mut scene = Scene::new();
            let ids = boxes.map(|shape| scene.insert(Object::new(shape)).unwrap());
            let hit = scene.cast_ray(&crate::Segment::new(above, inside), ..).unwrap();
            ids.iter().position(|id| hit.object == Some(*id))
        };
        assert_eq!((first([a, b]), first([b, a])), (Some(0), Some(0)));
        let higher = cuboid(DVec3::X, DVec3::new(2.0, (0.1_f64 + 0.2).next_up(), 2.0));
        assert_eq!((first([a, higher]), first([higher, a])), (Some(1), Some(0)));
    }
}
