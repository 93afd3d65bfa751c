//! Every question about one shape, and a number made of the answers.

use hitscan::{Faces, Hit, Inside, Query, Ray, Segment, Shape, Side};
use hitscan::{Real, Vector};

/// FNV-1a over 64-bit words.
#[derive(Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// Of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
    /// The number.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.0
    }
    /// One more word.
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
    fn number(&mut self, x: f64) {
        self.word(x.to_bits());
    }
    fn vector<V: Vector>(&mut self, v: V) {
        v.to_xyz().iter().for_each(|x| self.number(x.to_f64()));
    }
    /// Every number of a hit.
    pub fn hit<V: Vector>(&mut self, hit: &Hit<V>) {
        self.number(hit.t.to_f64());
        self.number(hit.distance.to_f64());
        self.vector(hit.point);
        self.vector(hit.normal);
        self.word(u64::from(hit.side == Side::Front));
        hit.uv.iter().flatten().for_each(|x| self.number(x.to_f64()));
        self.word(hit.primitive.map_or(u64::MAX, u64::from));
        self.word(hit.shape.map_or(u64::MAX, |id| u64::from(id.0)));
    }
}

/// Rays from all around, at every question; some start inside, some graze, some are far away, one is no ray.
pub fn ask<V: Vector>(shape: &impl Shape<V>, digest: &mut Digest) {
    let at = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(V::Scalar::from_f64));
    let far = at(3e6, -1e6, 2e6);
    let rays = [
        Ray::new(at(-5.0, 0.25, 0.125), at(1.0, 0.0, 0.0)),
        Ray::new(at(-5.0, 4.0, 3.0), at(1.1, -0.9, -0.7)),
        Ray::new(at(0.1, 0.2, 0.3), at(0.3, 0.8, -0.4)),
        Ray::new(at(-4.0, 1.0, 0.0), at(0.5, 0.0, 0.0)),
        Ray::new(far, at(0.1, 0.2, 0.3) - far),
        Ray::new(at(1.0, 1.0, 1.0), at(0.0, 0.0, 0.0)),
    ];
    for ray in &rays {
        for query in [Query::new(), Query::line(), Query::from(V::Scalar::ZERO..=V::Scalar::ONE)] {
            for query in [query, query.inside(Inside::Hollow), query.faces(Faces::Front)] {
                cast(shape, ray, query, digest);
            }
        }
        digest.word(u64::from(shape.contains(ray.origin)));
        let segment = Segment::new(ray.origin, ray.at(V::Scalar::from_f64(7.5)));
        shape.cast_ray_all(&segment, ..).iter().for_each(|hit| digest.hit(hit));
    }
    digest.vector(shape.aabb().min);
    digest.vector(shape.aabb().max);
}

fn cast<V: Vector>(shape: &impl Shape<V>, ray: &Ray<V>, query: Query<V::Scalar>, digest: &mut Digest) {
    if let Some(hit) = shape.cast_ray(ray, query) {
        digest.hit(&hit);
    }
    digest.word(u64::from(shape.intersects_ray(ray, query)));
    digest.word(shape.count_hits(ray, query) as u64);
    shape.cast_ray_all(ray, query).iter().for_each(|hit| digest.hit(hit));
    for span in shape.spans(ray, query) {
        span.enter.iter().chain(&span.exit).for_each(|hit| digest.hit(hit));
    }
    // What an explanation says may change with its words; that there is one may not.
    digest.word(u64::from(shape.explain(ray, query).steps.is_empty()));
}
