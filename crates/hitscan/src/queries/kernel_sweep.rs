//! A volume moves towards one shape.

use crate::aabb::Aabb;
use crate::adaptive::flat_shapes::facing;
use crate::closest_point::NotMeasured;
use crate::convex::convex_shape::ConvexShape;
use crate::convex::surface_normal::NormalSide;
use crate::distance::projection::projection_of_image;
use crate::kernel::flat_shape::FlatShape;
use crate::kernel::kernel::Kernel;
use crate::kernel::projection::Projection;
use crate::kernel::range_rules::TRange;
use crate::kernel::sweep_core::SweepCore;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::overlap::volume::Volume;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::shape::Shape;
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Faces, Inside, Query};
use crate::sweep::advance::{Advance, MeasuredShape, advance, image_of_bounds, interval_of, tolerance};
use crate::sweep::approach::counts;
use crate::sweep::contact::{center_at, sweep_candidate};
use crate::sweep::contact_time::{Contact, first_contact};
use crate::sweep::face_normal::face_normal;
use crate::sweep_hit::{SweepHit, SweepResult};
use core::cmp::Ordering;

/// A shape that a volume moves towards. The sweep is compiled once for each vector type, these methods for each shape.
pub(crate) trait SweepTarget<V: Vector> {
    /// The nearest point of the surface, or of its image under a map.
    fn nearest(&self, point: Vec3<Working<V>>, map: Option<&AffineMap<Working<V>>>) -> Projection<Working<V>>;
    /// The `t` at which the range of the query begins, if the ray is inside of the solid there: decided exactly.
    fn start_inside(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Working<V>>;
    /// The `t` of the first hit of the ray within the range of the query, on any side of a face: decided exactly.
    fn pierced(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Working<V>>;
    /// Calls `each` with the parts: see [`SweepParts`](crate::kernel::sweep_core::SweepParts).
    fn each_part(&self, each: &mut dyn FnMut(SweepCore));
    /// Whether the parts lack points inside of the solid.
    fn parts_lack_inside(&self) -> bool;
    /// Whether the shape is one flat face.
    fn is_one_face(&self) -> bool;
    /// The bounding box.
    fn bounding_box(&self) -> Aabb<V>;
    /// The shape as plain numbers.
    fn plain_shape(&self) -> ConvexShape;
    /// The surface as plain numbers; `None` for a solid.
    fn plain_surface(&self) -> Option<FlatShape>;
}

impl<V: Vector, K: Kernel<Vector = V>> SweepTarget<V> for K {
    fn nearest(&self, point: Vec3<Working<V>>, map: Option<&AffineMap<Working<V>>>) -> Projection<Working<V>> {
        match map {
            None => self.project(point),
            Some(map) => projection_of_image::<V, _>(self, point, map),
        }
    }
    fn start_inside(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Working<V>> {
        if !K::SOLID {
            return None;
        }
        let start = self.candidate(ray, &query.inside(Inside::Solid), f64::INFINITY, &mut None)?;
        start.at_start.then_some(start.t)
    }
    fn pierced(&self, ray: &InstanceRay<'_, V>, query: &Query<V::Scalar>) -> Option<Working<V>> {
        let query = query.inside(Inside::Solid).faces(Faces::Both);
        Some(self.candidate(ray, &query, f64::INFINITY, &mut None)?.t)
    }
    fn each_part(&self, each: &mut dyn FnMut(SweepCore)) {
        self.sweep_parts(each);
    }
    fn parts_lack_inside(&self) -> bool {
        K::PARTS_LACK_INSIDE
    }
    fn is_one_face(&self) -> bool {
        K::IS_ONE_FACE
    }
    fn bounding_box(&self) -> Aabb<V> {
        self.bounds()
    }
    fn plain_shape(&self) -> ConvexShape {
        self.convex_shape()
    }
    fn plain_surface(&self) -> Option<FlatShape> {
        self.flat_shape()
    }
}

/// The first contact of a moving volume with a shape.
pub(crate) fn sweep_shape<V: Vector>(
    shape: &dyn SweepTarget<V>,
    ray: &InstanceRay<'_, V>,
    swept: SweptVolume<'_, V>,
    query: &Query<V::Scalar>,
    limit: f64,
) -> SweepResult<V> {
    // A surface counts from one side by the direction of the motion, whatever moves: as for rays, this is decided exactly.
    if query.faces_mode() != Faces::Both
        && let Some(surface) = shape.plain_surface()
        && !query.faces_mode().sees(facing(&surface, &ray.raw, ray.level))
    {
        return Ok(None);
    }
    let map = ray.level.map(InstanceLevel::affine_map::<Working<V>>);
    let sweep = ShapeSweep { shape, ray, map, query, limit };
    let mut found = match swept {
        SweptVolume::Sphere(radius) => sweep.sphere(radius)?,
        SweptVolume::Convex(volume) => sweep.convex(volume)?,
    };
    // In place, since a contact is large.
    if let Some(contact) = &mut found {
        if !counts(query, &contact.hit, ray.world) {
            return Ok(None);
        }
        if shape.is_one_face() {
            contact.hit.face_normal = sweep.face_normal(&contact.hit);
        }
    }
    Ok(found)
}

/// A sweep towards one shape.
struct ShapeSweep<'a, V: Vector> {
    shape: &'a dyn SweepTarget<V>,
    ray: &'a InstanceRay<'a, V>,
    /// Map from the shape to the world, if it is placed.
    map: Option<AffineMap<Working<V>>>,
    query: &'a Query<V::Scalar>,
    limit: f64,
}

impl<V: Vector> ShapeSweep<'_, V> {
    /// The normal of the face at a contact with a shape that is one.
    fn face_normal(&self, hit: &SweepHit<V>) -> Option<V> {
        let Self { shape, ray, map, .. } = self;
        let point = hit.point.widen::<Working<V>>();
        match shape.plain_shape().surface_normal(point, map.as_ref(), V::DIM)? {
            // The volume is in front of a half-space.
            NormalSide::Outward(front) => front.direction().map(V::narrow::<f64>),
            NormalSide::Either(front) => {
                // Whether the volume comes from the front, decided exactly.
                let surface = shape.plain_surface();
                let facing = || surface.map_or(Ordering::Equal, |surface| facing(&surface, &ray.raw, ray.level));
                face_normal(front, hit, ray.world, &facing)
            }
        }
    }

    /// Bounds of the image of the shape.
    fn bounds(&self) -> [[f64; 3]; 2] {
        image_of_bounds(&self.shape.bounding_box(), self.map.as_ref())
    }

    /// The first contact of a sphere: that with the parts of the shape, or by distances if it has none.
    fn sphere(&self, radius: f64) -> SweepResult<V> {
        // The distance to the surface at a centre of the sphere.
        let Self { shape, ray, map, query, limit } = self;
        let project = |point: Vec3<Working<V>>| Ok(shape.nearest(point, map.as_ref()));
        let normal = |point: Vec3<Working<V>>| shape.plain_shape().surface_normal(point, map.as_ref(), V::DIM);
        // Where the inflated shape consists of planes, spheres and cylinders, the contact with its parts is exact.
        if let Some(found) = self.contact_with_parts(radius) {
            let Some(Contact { t, at_start }) = found else { return Ok(None) };
            let t = Working::<V>::from_parts(t);
            if t.to_f64() > *limit {
                return Ok(None);
            }
            // The contact: the point of the surface nearest to the centre at that time. At the start the sphere may be
            // inside.
            let (center, _) = center_at(ray.world, t);
            let is_inside = at_start && shape.start_inside(ray, query).is_some();
            return Ok(Some(sweep_candidate(
                ray.world,
                radius,
                (t, at_start),
                &shape.nearest(center, map.as_ref()),
                (is_inside, &normal),
            )));
        }
        // Other shapes are approached by distances.
        let measured = MeasuredShape {
            project: &project,
            // Only where the range begins.
            contains: &|_| shape.start_inside(ray, query).is_some(),
            normal: &normal,
            advance: Advance::ToPlane { pierced: &|| shape.pierced(ray, query) },
            tolerance: tolerance::<V::Scalar>(),
        };
        advance(&measured, ray.world, radius, (query, *limit), self.bounds())
    }

    /// The first contact of a convex volume.
    fn convex(&self, volume: &Volume<V>) -> SweepResult<V> {
        let Self { shape, ray, map, query, limit } = self;
        // The part of the way on which the volume is near the bounds of the shape; an empty one has no contact.
        let range = TRange::new(ray.world, query);
        let (start, end) = (range.min.to_f64(), range.max.to_f64().min(*limit));
        let [near, far] = interval_of::<V>(self.bounds(), ray.world, SweptVolume::Convex(volume).radius());
        if !(start <= end && near <= end && start <= far) {
            return Ok(None);
        }
        // A sweep of two convex sets needs a finite beginning and a direction, unless the shape is a plane.
        let convex = shape.plain_shape();
        let is_flat = matches!(convex, ConvexShape::Plane { .. } | ConvexShape::HalfSpace { .. });
        let is_usable = ray.has_direction() && (is_flat || start.max(near).is_finite());
        if !is_usable {
            return Err(NotMeasured);
        }
        // The sweep goes from where the volume may first touch; only the beginning of the query may find an overlap.
        let own = ray.level.map(InstanceLevel::affine_map::<f64>);
        let similarity = own.as_ref().and_then(AffineMap::similarity::<V>);
        let sweep = volume.along(ray.world, [start.max(near), end], start >= near);
        let Some(contact) = sweep.first_contact(&convex, own, similarity) else { return Ok(None) };
        // The feature comes from the point of the surface nearest to the contact.
        let above = contact.above_surface().map_to(Working::<V>::from_f64);
        let found = shape.nearest(above, map.as_ref());
        Ok(Some(volume.candidate(ray.world, (contact, found.feature, found.uv))))
    }

    /// The first contact of a sphere with the parts of the shape; `None` if it has none with a closed form.
    fn contact_with_parts(&self, radius: f64) -> Option<Option<Contact>> {
        let Self { shape, ray, query, .. } = self;
        // Parts have closed forms: the earliest contact of any of them is that of the shape.
        let (own, limits) = (query.double(), (V::Scalar::PRECISION, f64::INFINITY));
        let mut earliest = None;
        shape.each_part(&mut |part| {
            // Under a transform, only flat parts without an end keep their form: the contact is that with the exact image.
            let keeps_form = matches!(part, SweepCore::Plane { .. } | SweepCore::HalfSpace { .. });
            if ray.level.is_some() && !keeps_form {
                return;
            }
            let found = first_contact((&part, ray.level), radius, &ray.raw, &own, limits);
            let earliest: &mut Option<Contact> = earliest.get_or_insert(None);
            if let Some(found) = found
                && earliest.is_none_or(|old| found.is_before(&old))
            {
                *earliest = Some(found);
            }
        });
        // The sides of a polygon lack its inside.
        if shape.parts_lack_inside()
            && let Some(found) = &mut earliest
            && found.is_none_or(|found| !found.at_start)
            && let Some(t) = shape.start_inside(ray, query)
        {
            *found = Some(Contact { t: t.parts(), at_start: true });
        }
        earliest
    }
}
