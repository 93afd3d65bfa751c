//! Laws of edits: after any edits, snapshots and commits, a scene has the objects that it should have, and the answers of a
//! linear scan over them; snapshots keep theirs, and a filter is the scene without the objects that it refuses.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::numbers::Numbers;
use crate::placement::Placement;
use crate::recipe::{World, in_space, vector};
use hitscan::{Hit, Object, ObjectId, Query, RayCast, RayLike, Scene, Shape, Transform};
use std::fmt::Debug;

/// The most objects of a scene.
const MAX_OBJECTS: usize = 64;

/// Up to 24 edits of a scene that begins empty; the first byte selects precision and dimension.
pub fn edits(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    in_space!(mode, check(&mut n));
}

/// A scene, and the objects that it should have, in the order of insertion.
struct Edited<V: World> {
    scene: Scene<V>,
    expected: Vec<(ObjectId, Object<V>)>,
    given: Vec<ObjectId>,
}

impl<V: World> Edited<V> {
    fn insert(&mut self, object: &Object<V>) {
        if self.expected.len() >= MAX_OBJECTS {
            return;
        }
        match self.scene.insert(object.clone()) {
            Ok(id) => {
                law(!self.given.contains(&id), "edits: an id is given again", || format!("{id}"));
                self.given.push(id);
                self.expected.push((id, object.clone()));
            }
            Err(error) => law(false, "edits: an object is refused", || format!("{error} {object:?}")),
        }
    }

    fn edit(&mut self, n: &mut Numbers<'_>) {
        let (what, which) = (n.byte(), usize::from(n.byte()));
        let at = which.checked_rem(self.expected.len()).unwrap_or(0);
        let done = match (what % 10, self.expected.get_mut(at)) {
            (0 | 1, _) | (_, None) => {
                if let Some(object) = read::<V>(n) {
                    self.insert(&object);
                }
                Ok(())
            }
            // Several copies, side by side.
            (2, Some((_, object))) => {
                let object = object.clone();
                for _ in 0..1 + which / 16 {
                    let place = transform::<V>(n).unwrap_or_default();
                    self.insert(&object.clone().with_transform(place));
                }
                Ok(())
            }
            (3, Some(_)) => {
                let (id, _) = self.expected.remove(at);
                let again = self.scene.remove(id).and_then(|_| match self.scene.remove(id) {
                    Err(_) => Ok(()),
                    Ok(object) => panic!("law broken: edits: an object is removed twice\n{object:?}"),
                });
                again.map(drop)
            }
            (4 | 5, Some((id, object))) => match transform::<V>(n) {
                Some(transform) => {
                    *object = object.clone().with_transform(transform);
                    self.scene.set_transform(*id, transform)
                }
                None => Ok(()),
            },
            (6, Some((id, object))) => match V::shape(&V::recipe(n)) {
                Some(shape) => {
                    let place = object.transform().copied().unwrap_or_default();
                    let new = Object::new(shape.clone()).on_layers(object.layers()).with_transform(place);
                    *object = if object.is_trigger() { new.as_trigger() } else { new };
                    self.scene.set_shape(*id, shape)
                }
                None => Ok(()),
            },
            (7, Some((id, object))) => {
                let layers = [1, 2, 3][which % 3];
                *object = object.clone().on_layers(layers);
                self.scene.set_layers(*id, layers)
            }
            (8, Some((id, object))) => {
                *object = object.clone().as_trigger();
                self.scene.set_trigger(*id, true)
            }
            (_, Some(_)) => {
                if which % 4 == 0 {
                    self.scene.rebuild()
                } else {
                    self.scene.commit()
                }
                Ok(())
            }
        };
        law(done.is_ok(), "edits: an edit is refused", || format!("{done:?}"));
    }
}

fn transform<V: World>(n: &mut Numbers<'_>) -> Option<Transform<V>> {
    let Placement { axes, translation } = Placement::read(n, V::DIM);
    Transform::new(&axes.map(vector::<V>)[..V::DIM], vector(translation)).ok()
}

fn read<V: World>(n: &mut Numbers<'_>) -> Option<Object<V>> {
    let object = Object::new(V::shape(&V::recipe(n))?);
    match n.byte() % 3 {
        0 => transform(n).map(|place| object.with_transform(place)),
        _ => Some(object),
    }
}

fn check<V: World>(n: &mut Numbers<'_>) {
    let mut edited = Edited::<V> { scene: Scene::new(), expected: Vec::new(), given: Vec::new() };
    let mut kept = None;
    for step in 0..n.byte() % 25 {
        edited.edit(n);
        if n.byte() % 8 == 0 {
            let input = CastInput::read(n, &edited.scene.finite_bounds());
            match input.is_segment {
                true => answers(&edited, &input.segment(), &input, step.into()),
                false => answers(&edited, &input.ray(), &input, step.into()),
            }
        }
        if n.byte() % 8 == 0 {
            let input = CastInput::read(n, &edited.scene.finite_bounds());
            let snapshot = edited.scene.snapshot();
            kept = Some((snapshot.cast_ray_all(&input.ray(), ..), snapshot, input));
        }
    }
    let input = CastInput::read(n, &edited.scene.finite_bounds());
    match input.is_segment {
        true => answers(&edited, &input.segment(), &input, 0),
        false => answers(&edited, &input.ray(), &input, 0),
    }
    if let Some((before, snapshot, input)) = kept {
        let now = snapshot.cast_ray_all(&input.ray(), ..);
        law(now == before, "edits: a snapshot changes its answers", || format!("{input:?}\n{before:?}\n{now:?}"));
    }
}

fn answers<V: World>(edited: &Edited<V>, line: &(impl RayLike<V> + Debug + Copy), input: &CastInput, seen: usize) {
    let Edited { scene, expected, .. } = edited;
    let case = || format!("{:?}\n{line:?}\n{:?}", scene.objects().collect::<Vec<_>>(), input.query::<V::Scalar>());
    let same = scene.objects().map(|(id, object)| (id, format!("{object:?}")));
    let same = same.eq(expected.iter().map(|(id, object)| (*id, format!("{object:?}"))));
    law(same && scene.len() == expected.len(), "edits: other objects than were put in", || {
        format!("{}\nexpected {expected:?}", case())
    });
    let (linear, query) = (scene.linear_scan(), input.query::<V::Scalar>());
    let bounds = (scene.finite_bounds(), linear.finite_bounds());
    law(bounds.0 == bounds.1, "edits: the bounds differ", || format!("{bounds:?}\n{}", case()));
    let same = first_and_all(scene, line, query) == first_and_all(&linear, line, query)
        && scene.count_hits(line, query) == linear.count_hits(line, query)
        && scene.spans(line, query) == linear.spans(line, query)
        && scene.intersects_ray(line, query) == linear.intersects_ray(line, query)
        && scene.contains(vector(input.origin)) == linear.contains(vector(input.origin));
    law(same, "edits: the tree changes the answers", case);
    let batch = [*line; 40];
    let first = scene.cast_ray(line, query);
    law(scene.cast_rays(&batch, query).iter().all(|hit| *hit == first), "edits: a batch changes the hit", case);
    // Without one object: by its id, by a filter, and taken out.
    let Some((id, _)) = expected.get(seen.checked_rem(expected.len()).unwrap_or(0)) else { return };
    let mut without = linear;
    law(without.remove(*id).is_ok(), "edits: an object that cannot be removed", case);
    let truth = first_and_all(&without, line, query);
    let excluded = first_and_all(&scene.excluding(&[*id]), line, query) == truth;
    let filtered = first_and_all(&scene.filtered(|other, _| other != *id), line, query) == truth;
    law(excluded && filtered, "edits: a filter is not the scene without the object", case);
}

fn first_and_all<V: World>(
    scene: &impl Shape<V>,
    line: &impl RayLike<V>,
    query: Query<V::Scalar>,
) -> (Option<Hit<V>>, Vec<Hit<V>>) {
    (scene.cast_ray(line, query), scene.cast_ray_all(line, query).into_vec())
}
