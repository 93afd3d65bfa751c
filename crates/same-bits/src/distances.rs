//! Every query beside those of rays: closest points, sweeps and overlap.

use crate::digest::Digest;
use hitscan::{ClosestPoint, Cuboid, Overlap, OverlapQuery, PointQuery, Ray, Shape, Sphere, SweepHit, SweepQuery};
use hitscan::{Real, Vector};

/// The kinds of queries of [`distance_query`].
pub(crate) const KINDS: u32 = 7;

/// A query of one kind: of the origin of the ray, of its point at `t = 1`, or of a volume there or that moves along it.
pub(crate) fn distance_query<V: Vector>(kind: u32, shape: &dyn Shape<V>, ray: &Ray<V>, digest: &mut Digest) {
    let (near, radius) = (ray.at(V::Scalar::ONE), V::Scalar::from_f64(0.375));
    match kind {
        0 => closest(shape.closest_point(ray.origin), digest),
        1 => digest.number(shape.signed_distance(near).map_or(f64::INFINITY, Real::to_f64)),
        2 => shape.closest_primitives(near, 3).iter().flatten().for_each(|found| closest(Some(*found), digest)),
        3 => contact(shape.cast_sphere(ray, radius, ..), digest),
        4 => {
            if let Ok(cube) = Cuboid::new(ray.origin, V::splat(radius)) {
                contact(shape.cast_volume(cube, ray.direction, ..), digest);
            }
        }
        5 => {
            if let Ok(cube) = Cuboid::new(near, V::splat(radius)) {
                overlaps(&shape.overlapping(cube), digest);
            }
        }
        _ => {
            if let Ok(ball) = Sphere::new(near, radius) {
                overlaps(&shape.overlapping(ball), digest);
            }
        }
    }
}

fn closest<V: Vector>(found: Option<ClosestPoint<V>>, digest: &mut Digest) {
    let Some(found) = found else { return digest.word(0) };
    digest.vector(found.point);
    digest.number(found.distance.to_f64());
    found.uv.iter().flatten().for_each(|x| digest.number(x.to_f64()));
    digest.feature(found.feature);
    digest.word(found.primitive.map_or(u64::MAX, u64::from));
    digest.word(found.object.map_or(u64::MAX, |id| id.index() as u64));
}

fn contact<V: Vector>(hit: Option<SweepHit<V>>, digest: &mut Digest) {
    let Some(hit) = hit else { return digest.word(0) };
    digest.number(hit.t.to_f64());
    [hit.center, hit.point, hit.normal].into_iter().for_each(|v| digest.vector(v));
    digest.number(hit.depth.map_or(-1.0, Real::to_f64));
    digest.feature(hit.feature);
    digest.word(hit.primitive.map_or(u64::MAX, u64::from));
    digest.word(hit.object.map_or(u64::MAX, |id| id.index() as u64));
}

fn overlaps(found: &[Overlap], digest: &mut Digest) {
    digest.word(found.len() as u64);
    for overlap in found {
        digest.word(overlap.primitive.map_or(u64::MAX, u64::from));
        digest.word(overlap.object.map_or(u64::MAX, |id| id.index() as u64));
    }
}
