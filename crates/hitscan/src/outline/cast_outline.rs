//! Outlines of casts: a ray, a sweep or an explanation, with what was found.

use crate::aabb::Aabb;
use crate::explain::{Explanation, Step};
use crate::hit::Hit;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Working};
use crate::math::working_ray::InputRay;
use crate::outline::outline::Outline;
use crate::outline::outline_pen::OutlinePen;
use crate::outline::outline_segment::OutlineColor;
use crate::queries::distance_limit::limited;
use crate::query::IntoQuery;
use crate::ray::RayLike;
use crate::sweep_hit::SweepHit;

/// A cast to draw: a ray within the range of its query, and what it found.
///
/// The [`outline`](Outline::outline) has the part up to the hit, the missed part behind it (all of a ray that hits nothing), the
/// point and the normal of the hit. A part without an end is clipped to the box of the options.
///
/// ```
/// use hitscan::{glam::Vec3, Aabb, CastOutline, Outline, OutlineColor, OutlineOptions, Ray, RayCast, Sphere, SweepQuery};
/// let ball = Sphere::new(Vec3::X * 5.0, 1.0)?;
/// let options = OutlineOptions::within(Aabb { min: Vec3::splat(-9.0), max: Vec3::splat(9.0) });
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// let cast = CastOutline::new(&ray, .., ball.cast_ray(&ray, ..));
/// let lines: Vec<_> = cast.outline(&options).iter().map(|line| (line.color, line.a.x, line.b.x)).collect();
/// assert_eq!(lines[..2], [(OutlineColor::Ray, 0.0, 4.0), (OutlineColor::Miss, 4.0, 9.0)]);
///
/// // A sphere of radius 0.5, where it starts and where it touches.
/// let sphere = Sphere::new(ray.origin, 0.5)?;
/// let sweep = CastOutline::of_sweep(&ray, .., &sphere, ball.cast_sphere(&ray, 0.5, ..));
/// assert!(sweep.outline(&options).iter().any(|line| line.color == OutlineColor::Volume));
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct CastOutline<'a, V: Vector> {
    ray: InputRay,
    range: [f64; 2],
    found: Found<'a, V>,
}

#[derive(Clone, Copy)]
enum Found<'a, V: Vector> {
    Hit(Option<Hit<V>>),
    /// The moving volume where `t` is 0, and its contact.
    Contact(&'a dyn Outline<V>, Option<SweepHit<V>>),
    Explanation(&'a Explanation),
}

/// The numbers of an explanation that are the `t` of a crossing of the surface.
const CROSSINGS: [&str; 4] = ["t", "t where the line enters", "t where it leaves", "t where the line crosses"];

/// Those that are the `t` of another point of the construction.
const CONSTRUCTION: [&str; 3] =
    ["t where the infinite cylinder is entered", "t where it is left", "a: projection of the centre on the ray, in t"];

impl<'a, V: Vector> CastOutline<'a, V> {
    /// The ray of a query with its hit, as [`RayCast::cast_ray`](crate::RayCast::cast_ray) returns it.
    #[must_use]
    pub fn new(ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>, hit: Option<Hit<V>>) -> Self {
        Self::with(ray, query, Found::Hit(hit))
    }

    /// The way of a volume from its place along a ray, with its contact, as [`SweepQuery`](crate::SweepQuery) returns it: the volume
    /// where the range begins and where it touches. For a sphere, `volume` is a [`Sphere`](crate::Sphere) around the origin of the
    /// ray; for another volume, the ray begins at the center of its bounds.
    #[must_use]
    pub fn of_sweep(
        ray: &impl RayLike<V>,
        query: impl IntoQuery<V::Scalar>,
        volume: &'a dyn Outline<V>,
        hit: Option<SweepHit<V>>,
    ) -> Self {
        Self::with(ray, query, Found::Contact(volume, hit))
    }

    /// The ray of a query with its [`explanation`](crate::RayCast::explain): a cross at each `t` that it names.
    #[must_use]
    pub fn of_explanation(
        ray: &impl RayLike<V>,
        query: impl IntoQuery<V::Scalar>,
        explanation: &'a Explanation,
    ) -> Self {
        Self::with(ray, query, Found::Explanation(explanation))
    }

    fn with(ray: &impl RayLike<V>, query: impl IntoQuery<V::Scalar>, found: Found<'a, V>) -> Self {
        let query = query.into_query();
        let ray = limited(ray, &query).raw.within(query.t_min().to_f64(), query.t_max().to_f64(), u32::MAX);
        Self { ray, range: [ray.t_min, ray.t_max], found }
    }

    /// The range of `t` to draw: an end without a limit is where the line enters or leaves the box.
    fn range_within(&self, bounds: &Aabb<V>) -> [f64; 2] {
        let [start, end] = self.range;
        let [enter, leave] = if bounds.is_bounded() { self.clipped(bounds) } else { [f64::INFINITY, -f64::INFINITY] };
        let is_endless = end >= self.ray.largest;
        [if start <= -self.ray.largest { enter } else { start }, if is_endless { leave } else { end }]
    }

    /// The range of `t` of the line within a box; empty outside of it.
    fn clipped(&self, bounds: &Aabb<V>) -> [f64; 2] {
        let line = self.ray.line::<f64>();
        let [min, max] = [bounds.min, bounds.max].map(Vector::widen::<f64>);
        let mut range = [-f64::INFINITY, f64::INFINITY];
        for axis in 0..V::DIM {
            let [low, high] =
                [min, max].map(|side| (side.get(axis) - line.origin.get(axis)) / line.direction.get(axis));
            // A line in a side of the box gives 0/0. It is within that side.
            if !low.is_nan() && !high.is_nan() {
                range = [range[0].max(low.min(high)), range[1].min(low.max(high))];
            }
        }
        range
    }

    /// The point of the line at `t`.
    fn at(&self, t: f64) -> Vec3<f64> {
        self.ray.line::<Working<V>>().at(Arithmetic::from_f64(t)).0.map_to(Arithmetic::to_f64)
    }

    /// The `t` of the hit.
    fn hit_t(&self) -> Option<f64> {
        match self.found {
            Found::Hit(hit) => hit.map(|hit| hit.t.to_f64()),
            Found::Contact(_, hit) => hit.map(|hit| hit.t.to_f64()),
            Found::Explanation(explanation) => self.explained_t(explanation),
        }
    }

    /// The `t` of the hit that an explanation is about: the first crossing in the range, or where the range starts inside.
    fn explained_t(&self, explanation: &Explanation) -> Option<f64> {
        let verdict = |step: &Step| match step {
            Step::Verdict(text) => text.strip_prefix("hit: "),
            Step::Number(..) => None,
        };
        let verdict = explanation.steps.iter().find_map(verdict)?;
        if verdict.starts_with("the range of t starts inside") {
            return Some(self.range[0]);
        }
        let is_within = |t: &f64| self.range[0] <= *t && *t <= self.range[1];
        numbers(explanation, &CROSSINGS).filter(is_within).reduce(f64::min)
    }
}

/// The numbers of an explanation with these names.
fn numbers<'a>(explanation: &'a Explanation, names: &'a [&str]) -> impl Iterator<Item = f64> + 'a {
    explanation.steps.iter().filter_map(|step| match step {
        Step::Number(name, value) if names.contains(name) => Some(*value),
        _ => None,
    })
}

impl<V: Vector> Outline<V> for CastOutline<'_, V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        // The line: up to the hit, and the missed part.
        let [start, end] = self.range_within(&pen.options.bounds());
        let hit_t = self.hit_t();
        if let Some(t) = hit_t {
            pen.colored(OutlineColor::Ray, |pen| pen.segment(self.at(start.min(t)), self.at(t)));
        }
        let missed = hit_t.unwrap_or(start);
        if missed < end {
            pen.colored(OutlineColor::Miss, |pen| pen.segment(self.at(missed), self.at(end)));
        }
        match self.found {
            Found::Hit(hit) => hit.iter().for_each(|hit| hit.draw_outline(pen)),
            // The volume at both ends of its way.
            Found::Contact(volume, hit) => {
                let direction = self.ray.line::<f64>().direction;
                for t in [Some(start), hit_t].into_iter().flatten() {
                    let draw = |pen: &mut OutlinePen<'_, V>| pen.moved(direction * t, |pen| volume.draw_outline(pen));
                    pen.colored(OutlineColor::Volume, draw);
                }
                hit.iter().for_each(|hit| hit.draw_outline(pen));
            }
            Found::Explanation(explanation) => pen.colored(OutlineColor::Crossing, |pen| {
                for t in numbers(explanation, &CROSSINGS).chain(numbers(explanation, &CONSTRUCTION)) {
                    pen.mark(self.at(t));
                }
            }),
        }
    }
}
