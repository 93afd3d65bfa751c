//! The explanation of a thick ray: when a moving sphere touches each shape of a scene, or by how much it misses.

use super::listing::{Finding, Listing, bounding_box, explained, steps_of, unseen};
use super::ray_or_segment::RayOrSegment;
use super::report::{Detail, ExplainReport};
use crate::SceneVector;
use crate::fmt::{coordinates, feature, has_solid, number, point};
use hitscan::{Inside, NotMeasured, Object, ObjectId, Query, Scene, Step, SweepHit};
use hitscan::{Real, Vector};

impl ExplainReport {
    /// Casts a sphere whose center moves along a ray or a segment, and explains the first contact.
    #[must_use]
    pub fn of_sphere_cast<V: SceneVector>(
        scene: &Scene<V>,
        path: &RayOrSegment<V>,
        radius: V::Scalar,
        query: Query<V::Scalar>,
        detail: Detail,
    ) -> Self {
        SweepExplainer { path, radius, query }.report(scene, detail)
    }
}

/// The inputs of a report.
struct SweepExplainer<'a, V: SceneVector> {
    /// The path of the center.
    path: &'a RayOrSegment<V>,
    radius: V::Scalar,
    query: Query<V::Scalar>,
}

/// The result of a sweep.
type Contact<V> = Result<Option<SweepHit<V>>, NotMeasured>;

impl<V: SceneVector> SweepExplainer<'_, V> {
    fn report(&self, scene: &Scene<V>, detail: Detail) -> ExplainReport {
        let mut listing = Listing::new(scene, detail);
        let winner = self.path.try_cast_sphere(scene, self.radius, self.query);
        let outcome = match &winner {
            Ok(Some(hit)) => format!("contact: {} at {}", listing.called(hit.object), contact_text(hit)),
            Ok(None) => "no contact: the sphere touches no shape".to_owned(),
            Err(NotMeasured) => "no answer: the first shape may be one that cannot be measured".to_owned(),
        };
        for (id, object) in scene.objects() {
            if !listing.lists_all() && !self.is_near(object) {
                listing.leave_out();
                continue;
            }
            let finding = match unseen(object, &self.query) {
                Some(why) => Finding::unseen(why),
                None => self.finding(&listing, (id, object), &winner),
            };
            listing.add(id, finding);
        }
        listing.report(outcome, "whose bounding box the sphere does not touch")
    }

    /// Whether the sphere touches the bounding box; a shape without bounds is always near.
    fn is_near(&self, object: &Object<V>) -> bool {
        let touches = |solid| self.path.try_cast_sphere(&solid, self.radius, self.query.inside(Inside::Solid));
        bounding_box(object).is_none_or(|solid| touches(solid).is_ok_and(|hit| hit.is_some()))
    }

    /// What a shape that the query sees has to do with the first contact.
    fn finding(&self, listing: &Listing<'_, V>, (id, object): (ObjectId, &Object<V>), winner: &Contact<V>) -> Finding {
        let best = winner.as_ref().ok().and_then(Option::as_ref);
        match self.path.try_cast_sphere(object.instance(), self.radius, object.own_query(&self.query)) {
            Ok(Some(hit)) => Finding {
                is_answer: best.is_some_and(|best| best.object == Some(id)),
                is_found: true,
                order: hit.t.to_f64(),
                why: format!(
                    "{} its {}{}{}",
                    why(listing, id, &hit, best),
                    feature(hit.feature),
                    triangle(&hit),
                    if has_solid::<V>(object.shape()) { ", or what is cut away there" } else { "" }
                ),
                explanation: explained(steps(&hit)),
            },
            Ok(None) => Finding::unseen(self.why_not(object)),
            Err(NotMeasured) if has_solid::<V>(object.shape()) => {
                Finding::unseen("not measured (a solid without bounds): it may be the first".to_owned())
            }
            Err(NotMeasured) => Finding::unseen("not measured: it may be the first".to_owned()),
        }
    }

    /// The reason why a shape is not touched in the range.
    fn why_not(&self, object: &Object<V>) -> String {
        let shape = object.instance();
        let query = object.own_query(&self.query);
        if let Ok(Some(hit)) = self.path.try_cast_sphere(shape, self.radius, query.inside(Inside::Solid)) {
            let depth = hit.depth.map(|depth| format!(", by {}", number(depth.to_f64()))).unwrap_or_default();
            return format!("touched at the start{depth}, which does not count for hollow shapes, and not again");
        }
        let miss = match self.least_distance(object) {
            Some(least) => {
                let [least, radius] = [least, self.radius.to_f64()];
                let [by, least, radius] = [least - radius, least, radius].map(number);
                format!("missed by {by}: the center comes within {least}, the radius is {radius}")
            }
            None => "missed".to_owned(),
        };
        let line = RayOrSegment::Ray(self.path.to_ray());
        match line.try_cast_sphere(shape, self.radius, Query::line()) {
            Ok(Some(hit)) => format!("{miss} (the whole line: t = {})", number(hit.t.to_f64())),
            _ => miss,
        }
    }

    /// The least distance from the path of the center to a shape that the sphere does not touch.
    ///
    /// It is the radius of the smallest sphere that touches: found by trying, since each try is a decision of the library.
    fn least_distance(&self, object: &Object<V>) -> Option<f64> {
        let query = object.own_query(&self.query).inside(Inside::Solid);
        let touches = |radius: f64| {
            let radius = V::Scalar::from_f64(radius);
            self.path.try_cast_sphere(object.instance(), radius, query).is_ok_and(|hit| hit.is_some())
        };
        let radii = std::iter::successors(Some(self.radius.to_f64()), |radius| Some(2.0 * radius));
        let mut most = radii.take(MOST_DOUBLINGS).find(|radius| touches(*radius))?;
        let mut least = most / 2.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (least + most);
            *(if touches(middle) { &mut most } else { &mut least }) = middle;
        }
        Some(most)
    }
}

/// How often the radius is doubled before the shape counts as out of reach.
const MOST_DOUBLINGS: usize = 64;

/// How often the interval of the radius is halved: for more than the seven digits that a report has.
const HALVINGS: usize = 30;

/// The reason why a contact is the first one, or is not.
fn why<V: SceneVector>(
    listing: &Listing<'_, V>,
    id: ObjectId,
    hit: &SweepHit<V>,
    best: Option<&SweepHit<V>>,
) -> String {
    let touches = match hit.depth {
        Some(depth) => format!("touched at the start, {} deep", number(depth.to_f64())),
        None => format!("touched at t = {}", number(hit.t.to_f64())),
    };
    let Some(best) = best else { return format!("{touches}:") };
    let first = listing.name(best.object);
    if best.object == Some(id) {
        format!("the first contact, {touches}:")
    } else if hit.depth.is_some() {
        format!("{touches}, no deeper than {first}:")
    } else if hit.t == best.t {
        format!("{touches} as {first}, which is first by less than the last digit or comes first in the scene:")
    } else {
        format!("later than {first}: t = {} > {}:", number(hit.t.to_f64()), number(best.t.to_f64()))
    }
}

/// The numbers of a contact: one line.
fn contact_text<V: Vector>(hit: &SweepHit<V>) -> String {
    let [center, contact, normal] = [hit.center, hit.point, hit.normal].map(|v| point(coordinates(v), V::DIM));
    let depth = hit.depth.map(|depth| format!(", depth {}", number(depth.to_f64()))).unwrap_or_default();
    let face =
        hit.face_normal.map(|face| format!(", face normal {}", point(coordinates(face), V::DIM))).unwrap_or_default();
    format!("t = {}, center {center}, point {contact}, normal {normal}{face}{depth}", number(hit.t.to_f64()))
}

/// The triangle of a contact.
fn triangle<V: Vector>(hit: &SweepHit<V>) -> String {
    hit.primitive.map(|triangle| format!(" of triangle {triangle}")).unwrap_or_default()
}

fn steps<V: Vector>(hit: &SweepHit<V>) -> Vec<Step> {
    let number = |name, x: V::Scalar| Step::Number(name, x.to_f64());
    let mut steps = vec![number("t", hit.t), number("distance of the center", hit.distance)];
    steps.extend(hit.depth.map(|depth| number("depth", depth)));
    steps.extend(steps_of(["center x", "center y", "center z"], hit.center));
    steps.extend(steps_of(["contact x", "contact y", "contact z"], hit.point));
    steps.extend(steps_of(["normal x", "normal y", "normal z"], hit.normal));
    let of_face = |face| steps_of(["face normal x", "face normal y", "face normal z"], face);
    steps.extend(hit.face_normal.into_iter().flat_map(of_face));
    steps
}
