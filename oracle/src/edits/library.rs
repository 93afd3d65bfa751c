//! The library's answers to a history.

use super::history::{Edit, FilteredQuery, History, PlainObject};
use crate::body::{World, vector};
use crate::case::{PlainHit, plain, query};
use crate::line::RayOrSegment;
use crate::number::Precision;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Hit, Object, ObjectId, Ray, RayCast, RayLike, Scene, Segment};

/// A hit, with the place of its object.
pub type PlacedHit = (usize, PlainHit);

/// Answers to one query.
#[derive(Clone, Debug)]
pub struct FilteredAnswer {
    /// `cast_ray`.
    pub first: Option<PlacedHit>,
    /// `cast_ray_where`.
    pub accepted: Option<PlacedHit>,
    /// `intersects_ray`.
    pub any: bool,
    /// `cast_ray_all`.
    pub all: Vec<PlacedHit>,
    /// `cast_ray_first(2)`.
    pub first_two: Vec<PlacedHit>,
    /// `count_hits`.
    pub count: usize,
    /// The hit of `cast_ray_through`.
    pub through: Option<PlacedHit>,
    /// The triggers of `cast_ray_through`.
    pub triggers: Vec<PlacedHit>,
}

/// Answers of the snapshot before the edits of each step, and of the scene after them; `None` if the library refuses a shape or
/// a transform.
pub fn answers(history: &History) -> Option<Vec<[FilteredAnswer; 2]>> {
    match (history.dim, history.precision) {
        (2, Precision::F32) => answers_in::<Vec2>(history),
        (2, Precision::F64) => answers_in::<DVec2>(history),
        (_, Precision::F32) => answers_in::<Vec3>(history),
        (_, Precision::F64) => answers_in::<DVec3>(history),
    }
}

fn answers_in<V: World>(history: &History) -> Option<Vec<[FilteredAnswer; 2]>> {
    let mut edited = Edited::<V> { scene: Scene::new(), objects: Vec::new() };
    let mut answers = Vec::new();
    for step in &history.steps {
        let before = Edited { scene: edited.scene.snapshot(), objects: edited.objects.clone() };
        for edit in &step.edits {
            edited.apply(edit, history)?;
        }
        answers.push([&before, &edited].map(|scene| scene.answer_to(&history.given, &step.query)));
    }
    Some(answers)
}

/// A scene, and its objects in the order of insertion.
struct Edited<V: World> {
    scene: Scene<V>,
    objects: Vec<(ObjectId, PlainObject)>,
}

impl<V: World> Edited<V> {
    fn apply(&mut self, edit: &Edit, history: &History) -> Option<()> {
        let shape = |number: usize| V::build(&history.shapes[number]);
        let transform = |number: usize| history.transforms[number].build::<V>().ok();
        match *edit {
            Edit::Insert(plain) => {
                let mut object = Object::new(shape(plain.shape)?).on_layers(plain.layers);
                object = object.with_transform(transform(plain.transform)?);
                object = if plain.is_trigger { object.as_trigger() } else { object };
                object = plain.faces.map_or(object.clone(), |faces| object.with_faces(faces));
                object = plain.inside.map_or(object.clone(), |inside| object.with_inside(inside));
                self.objects.push((self.scene.insert(object).ok()?, plain));
            }
            Edit::Remove(at) => drop(self.scene.remove(self.objects.remove(at).0).ok()?),
            Edit::Change(at, new) => {
                let (id, old) = self.objects[at];
                if new.shape != old.shape {
                    self.scene.set_shape(id, shape(new.shape)?).ok()?;
                }
                if new.transform != old.transform {
                    self.scene.set_transform(id, transform(new.transform)?).ok()?;
                }
                if new.layers != old.layers {
                    self.scene.set_layers(id, new.layers).ok()?;
                }
                if new.is_trigger != old.is_trigger {
                    self.scene.set_trigger(id, new.is_trigger).ok()?;
                }
                if new.faces != old.faces {
                    self.scene.set_faces(id, new.faces).ok()?;
                }
                if new.inside != old.inside {
                    self.scene.set_inside(id, new.inside).ok()?;
                }
                self.objects[at].1 = new;
            }
            Edit::Commit => self.scene.commit(),
            Edit::Rebuild => self.scene.rebuild(),
        }
        Some(())
    }

    fn answer_to(&self, given: &RayOrSegment, query: &FilteredQuery) -> FilteredAnswer {
        let (a, b) = (vector::<V>(given.origin), vector::<V>(given.target));
        let excluded: Vec<ObjectId> =
            query.excluded.and_then(|at| self.objects.get(at)).map(|(id, _)| *id).into_iter().collect();
        match (given.is_segment, excluded.is_empty()) {
            (true, true) => self.answer_of(&self.scene, &Segment::new(a, b), query),
            (true, false) => self.answer_of(&self.scene.excluding(&excluded), &Segment::new(a, b), query),
            (false, true) => self.answer_of(&self.scene, &Ray::new(a, b), query),
            (false, false) => self.answer_of(&self.scene.excluding(&excluded), &Ray::new(a, b), query),
        }
    }

    fn answer_of(&self, scene: &impl RayCast<V>, ray: &impl RayLike<V>, filtered: &FilteredQuery) -> FilteredAnswer {
        let place = |hit: &Hit<V>| self.objects.iter().position(|(id, _)| hit.object == Some(*id));
        let placed = |hit: &Hit<V>| (place(hit).unwrap_or(usize::MAX), plain(hit));
        let list = |hits: &[Hit<V>]| hits.iter().map(placed).collect();
        let query = query::<V>(&filtered.plain).layers(filtered.layers).triggers(filtered.triggers);
        let (object, side) = filtered.refused;
        let through = scene.cast_ray_through(ray, query);
        FilteredAnswer {
            first: scene.cast_ray(ray, query).as_ref().map(placed),
            accepted: scene
                .cast_ray_where(ray, query, |hit| !(place(hit) == Some(object) && hit.side == side))
                .as_ref()
                .map(placed),
            any: scene.intersects_ray(ray, query),
            all: list(&scene.cast_ray_all(ray, query)),
            first_two: list(&scene.cast_ray_first(ray, query, 2)),
            count: scene.count_hits(ray, query),
            through: through.hit.as_ref().map(placed),
            triggers: list(&through.triggers),
        }
    }
}
