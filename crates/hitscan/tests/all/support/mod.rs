//! Support of the library's tests: random vectors, rays and queries, random shapes, and meshes.

pub(crate) mod meshes;
pub(crate) mod scenes;
mod world;

pub(crate) use world::World;

use core::ops::RangeInclusive;
use hitscan::glam::Vec3;
use hitscan::{Aabb, Basis, Query, Ray, UserGeometry, UserHit};
use hitscan::{Real, Vector};
pub(crate) use test_support::random::Rng;

/// How many rounds of a long random test run: `all` of them in the full check, which sets `HITSCAN_ROUNDS=all`, else a third.
/// The first third is the same.
pub(crate) fn rounds(all: usize) -> usize {
    static WHOLE: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| std::env::var_os("HITSCAN_ROUNDS").is_some_and(|rounds| rounds == "all"));
    if *WHOLE { all } else { all.div_ceil(3) }
}

/// Random vectors, rays and queries of the library's types.
pub(crate) trait Sample {
    /// Vector with coordinates from `draw`.
    fn vector<V: Vector>(&mut self, draw: Draw) -> V;
    /// Point of the cube from -1 to 1.
    fn in_cube<V: Vector>(&mut self) -> V;
    /// Basis along a random direction, or the identity; `None` if the constructor refuses the direction.
    fn basis<V: Vector>(&mut self, draw: Draw) -> Option<Basis<V>>;
    /// Point of a box, with coordinates up to 8 along unbounded axes.
    fn point_in<V: Vector>(&mut self, aabb: &Aabb<V>) -> V;
    /// Ray: half of them in any direction, half towards the box.
    fn ray<V: Vector>(&mut self, draw: Draw, aabb: &Aabb<V>) -> Ray<V>;
    /// Query with any kind of range.
    fn query<S: Real>(&mut self, draw: Draw) -> Query<S>;
}

impl Sample for Rng {
    fn vector<V: Vector>(&mut self, draw: Draw) -> V {
        let mut xyz = [V::Scalar::ZERO; 3];
        xyz.iter_mut().for_each(|x| *x = draw.number(self));
        V::from_xyz(xyz)
    }
    fn in_cube<V: Vector>(&mut self) -> V {
        let mut xyz = [V::Scalar::ZERO; 3];
        xyz.iter_mut().for_each(|x| *x = V::Scalar::from_f64(self.between(-1.0, 1.0)));
        V::from_xyz(xyz)
    }
    fn basis<V: Vector>(&mut self, draw: Draw) -> Option<Basis<V>> {
        let direction = self.vector(draw);
        if self.below(4) == 0 { Some(Basis::identity()) } else { Basis::from_direction(direction).ok() }
    }
    fn point_in<V: Vector>(&mut self, aabb: &Aabb<V>) -> V {
        let far = V::Scalar::from_f64(8.0);
        let clip = |x: V::Scalar| if x.is_finite() { x } else { far };
        let (min, max) = (aabb.min.map(|x| -clip(-x)), aabb.max.map(clip));
        let mut share = [V::Scalar::ZERO; 3];
        share.iter_mut().for_each(|s| {
            *s = V::Scalar::from_f64([0.0, 1.0, 0.5, self.unit(), self.unit(), self.unit()][self.below(6)]);
        });
        let one = V::Scalar::ONE;
        let part = |x: V, s: V| x.zip(s, |x, s| x * s);
        let share = V::from_xyz(share);
        part(min, share.map(|s| one - s)) + part(max, share)
    }
    fn ray<V: Vector>(&mut self, draw: Draw, aabb: &Aabb<V>) -> Ray<V> {
        let origin = if self.below(8) == 0 { self.point_in(aabb) } else { self.vector(draw) };
        let ray = Ray::new(origin, self.vector(draw));
        match self.below(8) {
            0 => Ray::new(
                origin,
                ray.direction
                    .zip(self.vector(Draw::Lattice), |d, x| if x > V::Scalar::ZERO { d } else { -V::Scalar::ZERO }),
            ),
            1..=3 => ray,
            _ => Ray::new(origin, self.point_in(aabb) - origin),
        }
    }
    fn query<S: Real>(&mut self, draw: Draw) -> Query<S> {
        let (a, b) = (draw.number(self), draw.number(self));
        match self.below(12) {
            0 => Query::from(..=a),
            1 => Query::from(a..),
            2 => Query::from(a..=b),
            3 => Query::line(),
            4 => Query::from(S::ZERO..=S::ZERO),
            5 => Query::new().range(-S::INFINITY, S::INFINITY),
            6 => Query::from(a..=a),
            _ => Query::new(),
        }
    }
}

/// Distribution of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    /// Any bit pattern.
    Bits,
    /// Lattice of small multiples of 1/2: ties, touching and coincidence are frequent.
    Lattice,
    /// Ordinary numbers from -4 to 4.
    Ordinary,
    /// Ordinary numbers times powers of two from 2^-30 to 2^30.
    Scales,
    /// Ordinary and lattice numbers, times this power of two: the same up to the unit of length.
    Times(i32),
}

impl Draw {
    pub(crate) fn number<S: Real>(self, rng: &mut Rng) -> S {
        let x = rng.between(-4.0, 4.0);
        match self {
            Self::Bits => bits(rng),
            Self::Lattice => S::from_f64((2.0 * x).round() / 2.0),
            Self::Ordinary => S::from_f64(x),
            Self::Times(power) => {
                let x = if rng.below(2) == 0 { x } else { x.round() };
                // Rounds first, so that the precision does not depend on the power.
                S::from_f64(S::from_f64(x).to_f64() * f64::from(power).exp2())
            }
            Self::Scales => S::from_f64(x * f64::from(rng.below(61) as i32 - 30).exp2()),
        }
    }
    /// Absolute values, except for any bits.
    pub(crate) fn size<S: Real>(self, rng: &mut Rng) -> S {
        let x: S = self.number(rng);
        if self != Self::Bits && x < S::ZERO { -x } else { x }
    }
}

fn bits<S: Real>(rng: &mut Rng) -> S {
    let single = S::EPSILON.to_f64() == f64::from(f32::EPSILON);
    let smallest = if single { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) };
    let normal = if single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let max = S::MAX.to_f64();
    let special = [0.0, -0.0, smallest, -smallest, normal, -normal, max, -max, 1.0, -1.0, normal - smallest, 2.0];
    match rng.below(64) {
        0 => S::from_f64([f64::NAN, f64::INFINITY, f64::NEG_INFINITY][rng.below(3)]),
        1..=15 => S::from_f64(special[rng.below(special.len())]),
        16..=31 => Draw::Ordinary.number(rng),
        _ if single => S::from_f64(f64::from(f32::from_bits(rng.bits() as u32))),
        _ => S::from_f64(f64::from_bits(rng.bits())),
    }
}

/// The surface of the ball around the origin, as a shape of a user.
#[derive(Debug)]
pub(crate) struct Ball {
    pub(crate) is_measured: bool,
}

impl UserGeometry<Vec3> for Ball {
    fn aabb(&self) -> Aabb<Vec3> {
        Aabb::from_points([-Vec3::ONE, Vec3::ONE])
    }
    fn cast(&self, _ray: &Ray<Vec3>, _range: RangeInclusive<f32>) -> Option<UserHit<Vec3>> {
        None
    }
    fn contains(&self, point: Vec3) -> bool {
        point.length_squared() <= 1.0
    }
    fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        self.is_measured.then(|| point.normalize_or(Vec3::X))
    }
}
