//! `SweptVolume`: what moves along the ray of a sweep.

use crate::closest_point::Feature;
use crate::convex::convex_shape::ConvexShape;
use crate::math::affine_map::ROOM;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::WorkingRay;
use crate::overlap::convex_sweep::{ConvexSweep, VolumeContact};
use crate::overlap::volume::Volume;
use crate::sweep_hit::{SweepCandidate, SweepHit};

/// What moves along the ray of a sweep.
pub enum SweptVolume<'a, V: Vector> {
    /// A sphere of this radius around the origin of the ray.
    Sphere(f64),
    /// A convex volume at its place; the ray begins at its point.
    Convex(&'a Volume<V>),
}

impl<V: Vector> Clone for SweptVolume<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for SweptVolume<'_, V> {}

/// A contact with the feature of the shape, and the barycentric weights on a triangle.
pub(crate) type FeatureContact<T> = (VolumeContact, Feature, Option<[T; 2]>);

impl<'a, V: Vector> SweptVolume<'a, V> {
    /// A ball moves as a sphere.
    pub(crate) fn of(volume: &'a Volume<V>) -> Self {
        match volume.shape {
            ConvexShape::Ball { radius, .. } => Self::Sphere(radius),
            _ => Self::Convex(volume),
        }
    }

    /// The radius of a sphere around the origin of the ray that contains the volume.
    pub(crate) fn radius(self) -> f64 {
        match self {
            Self::Sphere(radius) => radius,
            Self::Convex(volume) => {
                let at = volume.point.widen::<f64>();
                let [low, high] = [volume.bounds.min, volume.bounds.max].map(|corner| corner.widen::<f64>() - at);
                let along = |axis: usize| low.get(axis).abs().max(high.get(axis).abs());
                Vec3::new(along(0), along(1), along(2)).length() * ROOM
            }
        }
    }
}

impl<V: Vector> Volume<V> {
    /// The sweep of the volume along a ray, within a range of `t`.
    pub(crate) fn along(&self, line: &WorkingRay<Working<V>>, range: [f64; 2], begins_query: bool) -> ConvexSweep<'_> {
        let direction = line.direction.map_to(Arithmetic::to_f64);
        ConvexSweep { volume: &self.shape, direction, range, begins_query, dimension: V::DIM }
    }

    /// The result of a contact.
    pub(crate) fn candidate(
        &self,
        line: &WorkingRay<Working<V>>,
        (contact, feature, uv): FeatureContact<Working<V>>,
    ) -> SweepCandidate<V> {
        // The centre of the volume's box when it touches, and the length of the way there.
        let t = Working::<V>::from_f64(contact.t);
        let (center, distance) = WorkingRay { origin: self.bounds.center().widen(), ..*line }.at(t);
        // A normal without length, as of two points at one place, becomes the direction against the motion.
        let against = || (-line.direction).direction();
        let normal = contact.normal.direction().or_else(against).unwrap_or_default();
        let hit = SweepHit {
            t: V::Scalar::narrow(t),
            distance: V::Scalar::narrow(distance),
            center: V::narrow(center),
            point: V::narrow::<f64>(contact.point),
            normal: V::narrow::<f64>(normal),
            face_normal: None,
            depth: contact.depth.map(V::Scalar::from_f64),
            feature,
            uv: uv.map(|uv| uv.map(V::Scalar::narrow)),
            primitive: None,
            object: None,
            member: None,
            part: None,
            is_trigger: false,
        };
        SweepCandidate { t, planes: contact.planes, hit }
    }
}
