//! Replies to the queries beside rays: closest point, sphere cast, overlap.

use crate::lab_query::{LabQuery, vector};
use crate::open::{Open, SceneSpace, ShapeRef, WithScene};
use crate::reply::Reply;
use crate::volume::SolidVolume;
use hitscan::{AnyShape3, Object, OverlapQuery, PointQuery, Ray, RayLike, Scene, Shape, SweepQuery};
use hitscan_io::RayOrSegment;

/// Point query: the closest point of the scene's surfaces, its direction, and the signed distance.
pub(crate) struct Closest<'a> {
    pub(crate) point: [f64; 3],
    /// The greatest distance that counts.
    pub(crate) max_distance: f64,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Closest<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        let Self { point, max_distance, reply } = self;
        let point = vector::<V>(point);
        let found = match scene.try_closest_point_within(point, max_distance) {
            Ok(found) => found,
            Err(error) => return reply.fail(&error),
        };
        reply.flag(found.is_some());
        if let Some(found) = found {
            let object = found.object.and_then(|id| scene.get(id));
            let is_inside = object.is_some_and(|object| object.instance().contains(point));
            let outward = object.and_then(|object| outward(object, point, found.distance, is_inside));
            reply.vector(found.point);
            reply.number(found.distance);
            reply.place(found.feature, found.object, found.primitive, found.uv);
            reply.flag(is_inside);
            reply.vector(outward.unwrap_or(V::splat(f64::NAN)));
        }
        reply.number(scene.signed_distance(point).unwrap_or(f64::NAN));
        0
    }
}

/// The direction out of an object at its closest point: that in which a sphere around the query point leaves it. A point on the
/// surface has none.
fn outward<V: SceneSpace>(object: &Object<V>, point: V, distance: f64, is_inside: bool) -> Option<V> {
    if distance == 0.0 {
        return None;
    }
    let any = Ray::new(point, V::from_xyz([1.0, 0.0, 0.0]));
    let contact = object.instance().cast_sphere(&any, 2.0 * distance, ..=0.0)?;
    // A sphere leaves the surface of a mesh on the side of its center.
    Some(if is_inside && is_mesh(object) { -contact.normal } else { contact.normal })
}

fn is_mesh<V: SceneSpace>(object: &Object<V>) -> bool {
    matches!(V::shape_ref(object.shape()), ShapeRef::Spatial(AnyShape3::Mesh(_)))
}

/// Sphere cast: the first contact of a sphere that moves along the ray.
pub(crate) struct SphereCast<'a> {
    pub(crate) lab_query: LabQuery,
    pub(crate) radius: f64,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for SphereCast<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        match self.lab_query.ray_or_segment::<V>() {
            RayOrSegment::Ray(ray) => self.cast(scene, &ray),
            RayOrSegment::Segment(segment) => self.cast(scene, &segment),
        }
    }
}

impl SphereCast<'_> {
    fn cast<V: SceneSpace>(self, scene: &Scene<V>, ray: &impl RayLike<V>) -> i32 {
        let Self { lab_query, radius, reply } = self;
        let hit = match scene.try_cast_sphere(ray, radius, lab_query.query::<V::Scalar>()) {
            Ok(hit) => hit,
            Err(error) => return reply.fail(&error),
        };
        reply.flag(hit.is_some());
        if let Some(hit) = hit {
            reply.number(hit.t);
            reply.number(hit.distance);
            [hit.center, hit.point, hit.normal].into_iter().for_each(|v| reply.vector(v));
            reply.number(hit.depth.unwrap_or(f64::NAN));
            reply.place(hit.feature, hit.object, hit.primitive, hit.uv);
        }
        0
    }
}

/// Overlap query: the objects that have a point in common with a volume.
pub(crate) struct Overlapping<'a> {
    /// A scene whose first shape is the volume.
    pub(crate) volume: &'a Open,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Overlapping<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        let Self { volume, reply } = self;
        let first = V::scene(volume).and_then(|volume| volume.at(0));
        let plain = first.filter(|(_, object)| object.transform().is_none());
        let Some(volume) = plain.and_then(|(_, object)| V::volume(object.shape())) else {
            return reply
                .fail(&"a volume is a sphere, a box or a capsule of the dimension of the scene, without a transform");
        };
        let found = scene.overlapping(&volume.volume);
        reply.count(found.len());
        for overlap in &found {
            let Some((id, object)) = overlap.object.and_then(|id| Some((id, scene.get(id)?))) else { continue };
            let triangles = triangles(object, &volume);
            reply.count(id.index());
            reply.flag(triangles.map_or_else(|| volume.lies_in(object.instance()), |count| count == 0));
            reply.number(triangles.map_or(-1.0, |count| count as f64));
        }
        0
    }
}

/// How many triangles of a mesh the volume overlaps; `None` for other shapes. A volume in a closed mesh may overlap none.
fn triangles<V: SceneSpace>(object: &Object<V>, volume: &SolidVolume<V>) -> Option<usize> {
    let overlaps = is_mesh(object).then(|| object.instance().overlapping(&volume.volume))?;
    Some(overlaps.iter().filter(|overlap| overlap.primitive.is_some()).count())
}
