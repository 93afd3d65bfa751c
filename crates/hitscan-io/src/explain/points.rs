//! The explanation of a closest point: how far each shape of a scene is, and why it is or is not the closest.

use super::listing::{Finding, Listing, box_distance, explained, off_layers, on_layers, steps_of};
use super::report::{Detail, ExplainReport};
use crate::SceneVector;
use crate::fmt::{coordinates, feature, has_solid, number, point as point_text};
use hitscan::{ClosestPoint, NotMeasured, Object, ObjectId, PointQuery, Scene, Shape, Step};
use hitscan::{Real, Vector};

impl ExplainReport {
    /// Finds the closest point of the shapes on some layers, and explains it.
    #[must_use]
    pub fn of_point<V: SceneVector>(scene: &Scene<V>, point: V, layers: u32, detail: Detail) -> Self {
        let mut listing = Listing::new(scene, detail);
        let winner = scene.on_layers(layers).try_closest_point_within(point, V::Scalar::INFINITY);
        let outcome = match &winner {
            Ok(Some(found)) => {
                let signed = scene.on_layers(layers).signed_distance(point).unwrap_or(found.distance);
                let signed = number(signed.to_f64());
                format!("closest: {} at {}, signed distance {signed}", listing.called(found.object), place(found))
            }
            Ok(None) => "nothing: there is no surface".to_owned(),
            Err(NotMeasured) => "no answer: the closest shape may be one that cannot be measured".to_owned(),
        };
        let limit =
            winner.as_ref().ok().and_then(Option::as_ref).map_or(f64::INFINITY, |found| found.distance.to_f64());
        for (id, object) in scene.objects() {
            if !listing.lists_all() && box_distance(object, point) > limit {
                listing.leave_out();
                continue;
            }
            let finding = match off_layers(object, layers) {
                Some(why) => Finding::unseen(why),
                None => on_layers(object, layers, |shape| finding(&listing, (id, object, shape), point, &winner)),
            };
            listing.add(id, finding);
        }
        listing.report(outcome, "whose bounding box is farther than the closest point")
    }
}

/// What an object on the right layers has to do with the closest point; `shape` is what a query sees of it.
fn finding<V: SceneVector>(
    listing: &Listing<'_, V>,
    (id, object, shape): (ObjectId, &Object<V>, &dyn Shape<V>),
    point: V,
    winner: &Result<Option<ClosestPoint<V>>, NotMeasured>,
) -> Finding {
    let contains = if shape.contains(point) { "; it contains the point" } else { "" };
    let best = winner.as_ref().ok().and_then(Option::as_ref);
    match shape.try_closest_point_within(point, V::Scalar::INFINITY) {
        Ok(Some(found)) => {
            let signed = shape.signed_distance(point).unwrap_or(found.distance);
            let numbers = [("distance", found.distance), ("signed distance", signed)];
            let steps = numbers.into_iter().map(|(name, x)| Step::Number(name, x.to_f64()));
            let names = ["closest point x", "closest point y", "closest point z"];
            Finding {
                is_answer: best.is_some_and(|best| best.object == Some(id)),
                is_found: true,
                order: found.distance.to_f64(),
                why: format!("{} {}{contains}", why(listing, id, &found, best), surface(&found)),
                explanation: explained(steps.chain(steps_of(names, found.point))),
            }
        }
        Ok(None) => Finding::unseen("it has no surface".to_owned()),
        Err(NotMeasured) => {
            let away = box_distance(object, point);
            let reason = match has_solid::<V>(object.shape()) {
                true => "not measured (a solid of several shapes)",
                false => "not measured (numbers near the end of the range)",
            };
            let verdict = match best {
                Some(best) => format!("farther than {}", listing.name(best.object)),
                None => "so it may be the closest".to_owned(),
            };
            let why = format!("{reason}: its bounding box is {} away, {verdict}{contains}", number(away));
            Finding { order: away, ..Finding::unseen(why) }
        }
    }
}

/// The reason why a shape is the closest, or is not.
fn why<V: SceneVector>(
    listing: &Listing<'_, V>,
    id: ObjectId,
    found: &ClosestPoint<V>,
    best: Option<&ClosestPoint<V>>,
) -> String {
    let Some(best) = best else { return "measured:".to_owned() };
    let first = listing.name(best.object);
    if best.object == Some(id) {
        "the closest:".to_owned()
    } else if found.distance == best.distance {
        format!("as close as {first}, which comes first in the scene:")
    } else {
        let [distance, least] = [found.distance, best.distance].map(Real::to_f64);
        let [more, distance, least] = [distance - least, distance, least].map(number);
        format!("farther than {first} by {more} ({distance} > {least}):")
    }
}

/// The numbers of a closest point: one line.
fn place<V: Vector>(found: &ClosestPoint<V>) -> String {
    let at = point_text(coordinates(found.point), V::DIM);
    format!("distance {}, point {at}, {}", number(found.distance.to_f64()), feature(found.feature))
}

/// The part of the surface on which a point lies.
fn surface<V: Vector>(found: &ClosestPoint<V>) -> String {
    let triangle = found.primitive.map(|triangle| format!(" of triangle {triangle}")).unwrap_or_default();
    format!("its {}{triangle}", feature(found.feature))
}
