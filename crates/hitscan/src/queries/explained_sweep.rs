//! The explanation of a sweep: its first contact, or the rule by which there is none.

use crate::closest_point::NotMeasured;
use crate::explain::Explanation;
use crate::math::arithmetic::Arithmetic;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::moving_part::{MovingPart, first_contact};
use crate::queries::shape::Shape;
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Approach, Faces, Inside, Query, Triggers};
use crate::sweep_hit::SweepHit;

/// A query without one of its rules.
type WithoutRule<S> = fn(Query<S>) -> Query<S>;

/// A sweep, to be explained.
pub(crate) struct ExplainedSweep<'a, V: Vector, S: ?Sized> {
    pub(crate) shape: &'a S,
    /// What moves: the parts that have points.
    pub(crate) parts: &'a [MovingPart<'a, V>],
}

impl<V: Vector, S: Shape<V> + ?Sized> ExplainedSweep<'_, V, S> {
    /// The numbers of the first contact. Without one, the rules of the query are left out one after another, until there is a contact:
    /// the rule that was left out last is the reason.
    pub(crate) fn explain(&self, query: &Query<V::Scalar>) -> Explanation {
        let mut explanation = Explanation { shape: self.shape.name(), ..Explanation::default() };
        // What is not a sweep at all.
        let Some(first) = self.parts.first() else {
            explanation.verdict("no contact: the volume has no points, or a number of it is not finite");
            return explanation;
        };
        if let (SweptVolume::Sphere(radius), None) = (first.swept, first.number) {
            explanation.number("radius", radius);
        }
        if !first.line.is_valid() {
            explanation.verdict("no motion: its direction is zero, or a number of it is not finite");
            return explanation;
        }
        if !(query.t_min() <= query.t_max()) {
            explanation.verdict("no contact: the range of t is empty");
            return explanation;
        }
        match self.first(query) {
            Ok(Some(hit)) => {
                add_numbers(&mut explanation, &hit, first);
                explanation.verdict(if hit.depth.is_some() {
                    "contact: the volume touches where the range of t begins"
                } else {
                    "contact: the first one within the range of t"
                });
            }
            Ok(None) => self.explain_miss(*query, first, &mut explanation),
            Err(NotMeasured) => explanation.verdict("no answer: the first shape may be one that cannot be measured"),
        }
        explanation
    }

    fn first(&self, query: &Query<V::Scalar>) -> Result<Option<SweepHit<V>>, NotMeasured> {
        first_contact(self.shape, self.parts.iter().copied(), query)
    }

    fn explain_miss(&self, query: Query<V::Scalar>, moved: &MovingPart<'_, V>, explanation: &mut Explanation) {
        // The rules that are left out one after another, and what that shows.
        let rules: [(WithoutRule<V::Scalar>, &'static str); 3] = [
            (|query| query.approach(Approach::Any), "no contact: the volume does not approach what it touches"),
            (
                |query| query.inside(Inside::Solid),
                "no contact: the volume touches where the range begins, which does not count for hollow shapes",
            ),
            (
                |query| query.faces(Faces::Both),
                "no contact: the volume comes from a side of the surface that does not count",
            ),
        ];
        let mut query = query;
        for (leave_out, reason) in rules {
            query = leave_out(query);
            if let Ok(Some(hit)) = self.first(&query) {
                add_numbers(explanation, &hit, moved);
                return explanation.verdict(reason);
            }
        }
        // The limits of the query, of the ray itself and of its length; then what objects the query and the ray see.
        let line = Query::line();
        let whole = query.range(line.t_min(), line.t_max());
        let seen = whole.layers(u32::MAX).triggers(Triggers::Hit);
        for (query, layers, reason) in [
            (whole, moved.line.raw.layers, "no contact: the volume touches outside of the range of t"),
            (seen, u32::MAX, "no contact: the layers, or the rule for triggers, leave out what the volume touches"),
        ] {
            let unlimited = self.parts.iter().map(|part| part.unlimited(layers));
            if let Ok(Some(hit)) = first_contact(self.shape, unlimited, &query) {
                add_numbers(explanation, &hit, moved);
                return explanation.verdict(reason);
            }
        }
        explanation.verdict("no contact: the volume touches nothing on the whole line");
    }
}

/// The numbers of a contact.
fn add_numbers<V: Vector>(explanation: &mut Explanation, hit: &SweepHit<V>, moved: &MovingPart<'_, V>) {
    const VECTOR_COMPONENTS: [[&str; 3]; 4] = [
        ["center x", "center y", "center z"],
        ["contact x", "contact y", "contact z"],
        ["normal x", "normal y", "normal z"],
        ["face normal x", "face normal y", "face normal z"],
    ];
    let mut number = |name, x: V::Scalar| explanation.number(name, x.to_f64());
    number("t", hit.t);
    number("distance of the center", hit.distance);
    hit.depth.into_iter().for_each(|depth| number("depth", depth));
    let vectors = [Some(hit.center), Some(hit.point), Some(hit.normal), hit.face_normal];
    for (names, vector) in VECTOR_COMPONENTS.into_iter().zip(vectors) {
        let components = vector.into_iter().flat_map(V::to_xyz).take(V::DIM);
        names.into_iter().zip(components).for_each(|(name, component)| number(name, component));
    }
    let direction = moved.line.direction.map_to(Arithmetic::to_f64);
    explanation.number("product of direction and normal", direction.plain_dot(hit.normal.widen()));
    if let Some(object) = hit.object {
        explanation.number("number of the object", f64::from(object.slot()));
    }
    if let Some(triangle) = hit.primitive {
        explanation.number("triangle", f64::from(triangle));
    }
    if let Some(part) = hit.part {
        explanation.number("part of the volume", f64::from(part));
    }
}
