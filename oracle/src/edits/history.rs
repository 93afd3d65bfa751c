//! History of a scene: steps of edits, each with a query.

use crate::affine::PlainTransform;
use crate::body::{Body, Kind};
use crate::generate::{self, Family, TransformFamily};
use crate::line::RayOrSegment;
use crate::number::Precision;
use crate::rules::PlainQuery;
use crate::scenes::{self, Pair};
use hitscan::{Faces, Inside, Side, Triggers};
use std::fmt;
use test_support::random::Rng;

/// An object: a shape and a transform by their numbers, and its rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainObject {
    /// Number of the shape in the history.
    pub shape: usize,
    /// Number of the transform in the history.
    pub transform: usize,
    /// Layer mask.
    pub layers: u32,
    /// Whether the object is a trigger.
    pub is_trigger: bool,
    /// Faces that count, in place of those of a query.
    pub faces: Option<Faces>,
    /// Rule for rays that start inside, in place of that of a query.
    pub inside: Option<Inside>,
}

/// An edit. Objects have their place in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Edit {
    /// Inserts an object behind all others.
    Insert(PlainObject),
    /// Removes the object at a place.
    Remove(usize),
    /// Changes the object at a place to this one.
    Change(usize, PlainObject),
    /// `Scene::commit`.
    Commit,
    /// `Scene::rebuild`.
    Rebuild,
}

/// A query with filters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilteredQuery {
    /// Range, faces, and the rule for a start inside.
    pub plain: PlainQuery,
    /// Layer mask.
    pub layers: u32,
    /// Rule for triggers.
    pub triggers: Triggers,
    /// Place of an object that is left out; none if the scene is shorter.
    pub excluded: Option<usize>,
    /// Place of an object, and the side whose hits the filter of hits refuses.
    pub refused: (usize, Side),
}

/// Edits, and the query after them.
#[derive(Clone, Debug)]
pub struct Step {
    /// Edits of the step.
    pub edits: Vec<Edit>,
    /// Query for the scene after the edits, and for a snapshot from before them.
    pub query: FilteredQuery,
}

/// A ray, and the steps of a scene, which begins empty.
#[derive(Clone, Debug)]
pub struct History {
    /// Precision of all numbers.
    pub precision: Precision,
    /// Dimension of the space.
    pub dim: usize,
    /// Ray or segment.
    pub given: RayOrSegment,
    /// Shapes that objects have.
    pub shapes: Vec<Body>,
    /// Transforms that objects have.
    pub transforms: Vec<PlainTransform>,
    /// Steps.
    pub steps: Vec<Step>,
}

/// The most steps of a history.
const MOST_STEPS: usize = 6;
/// Objects inserted by the first step, at most.
const FIRST_OBJECTS: usize = 6;

/// Random history whose shapes meet the ray at equal points, or nearly, or at any points. `None` if its numbers are not valid.
pub fn history(
    dim: usize,
    family: TransformFamily,
    rays: Family,
    precision: Precision,
    rng: &mut Rng,
) -> Option<History> {
    let Pair { first, second, second_transform } = scenes::instances(dim, family, rays, precision, rng)?;
    let transforms: Vec<PlainTransform> = [first.transform, second_transform, None]
        .into_iter()
        .map(|transform| transform.unwrap_or(PlainTransform::IDENTITY))
        .collect();
    let mut shapes = vec![first.body, second];
    // One of them with a number changed by a unit, and a shape of any kind.
    let mut near = shapes[rng.below(2)].clone();
    let at = rng.below(near.numbers.len());
    near.numbers[at] = precision.nudge(near.numbers[at], rng.int(-1, 1));
    shapes.push(near);
    let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.dim() == dim).collect();
    shapes.extend(generate::case(rng.pick(&kinds), rays, precision, rng).map(|case| case.body));
    let mut objects = Vec::new();
    let mut steps = Vec::new();
    for number in 0..=rng.below(MOST_STEPS) {
        let edits = match number {
            0 => (0..=rng.below(FIRST_OBJECTS)).map(|_| Edit::Insert(object(shapes.len(), rng))).collect(),
            _ => (0..=rng.below(3)).map(|_| edit(&objects, shapes.len(), rng)).collect::<Vec<_>>(),
        };
        // The places of later edits are those after the earlier ones.
        let valid = edits.into_iter().filter(|edit| edit.apply(&mut objects)).collect();
        steps.push(Step { edits: valid, query: query(rng) });
    }
    Some(History { precision, dim, given: first.given, shapes, transforms, steps })
}

fn object(shapes: usize, rng: &mut Rng) -> PlainObject {
    // The first two shapes belong to the transforms of their numbers.
    let near = rng.below(2);
    let (shape, transform) = match rng.below(6) {
        0 => (2, near),
        1 => (rng.below(shapes), rng.below(3)),
        _ => (near, near),
    };
    let plain = PlainObject { shape, transform, layers: u32::MAX, is_trigger: false, faces: None, inside: None };
    if rng.once_in(2) { plain } else { changed(plain, shapes, rng) }
}

/// The object with one property changed.
fn changed(object: PlainObject, shapes: usize, rng: &mut Rng) -> PlainObject {
    match rng.below(6) {
        0 => PlainObject { shape: rng.below(shapes), ..object },
        1 => PlainObject { transform: rng.below(3), ..object },
        2 => PlainObject { layers: 1 << rng.below(2), ..object },
        3 => PlainObject { is_trigger: !object.is_trigger, ..object },
        4 => {
            PlainObject { faces: rng.pick(&[None, Some(Faces::Both), Some(Faces::Front), Some(Faces::Back)]), ..object }
        }
        _ => PlainObject { inside: rng.pick(&[None, Some(Inside::Solid), Some(Inside::Hollow)]), ..object },
    }
}

fn edit(objects: &[PlainObject], shapes: usize, rng: &mut Rng) -> Edit {
    let at = rng.below(objects.len().max(1));
    match (rng.below(8), objects.get(at)) {
        (0, _) => Edit::Commit,
        (1, _) => Edit::Rebuild,
        (2 | 3, Some(_)) => Edit::Remove(at),
        (4.., Some(old)) => Edit::Change(at, changed(*old, shapes, rng)),
        _ => Edit::Insert(object(shapes, rng)),
    }
}

fn query(rng: &mut Rng) -> FilteredQuery {
    FilteredQuery {
        plain: PlainQuery { inside: rng.pick(&[Inside::Solid, Inside::Hollow]), ..PlainQuery::default() },
        layers: rng.pick(&[u32::MAX, 1, 2]),
        triggers: rng.pick(&[Triggers::Pass, Triggers::Pass, Triggers::Hit, Triggers::Ignore]),
        excluded: rng.once_in(3).then(|| rng.below(4)),
        refused: (rng.below(3), rng.pick(&[Side::Front, Side::Back])),
    }
}

impl Edit {
    /// Applies the edit to the list of objects; false if it has no such place.
    pub fn apply(&self, objects: &mut Vec<PlainObject>) -> bool {
        match *self {
            Self::Insert(object) => objects.push(object),
            Self::Remove(at) | Self::Change(at, _) if at >= objects.len() => return false,
            Self::Remove(at) => drop(objects.remove(at)),
            Self::Change(at, object) => objects[at] = object,
            Self::Commit | Self::Rebuild => {}
        }
        true
    }
}

impl History {
    /// The objects before the edits of each step, and after them.
    pub fn states(&self) -> Vec<[Vec<PlainObject>; 2]> {
        let mut objects = Vec::new();
        let step = |step: &Step| {
            let before = objects.clone();
            for edit in &step.edits {
                let _ = edit.apply(&mut objects);
            }
            [before, objects.clone()]
        };
        self.steps.iter().map(step).collect()
    }
    /// Count of numbers and edits: a failure with few of them is easier to read.
    pub fn size(&self) -> u32 {
        let numbers: usize = self.shapes.iter().map(|body| body.numbers.len()).sum();
        (numbers + 10 * self.steps.iter().map(|step| step.edits.len() + 1).sum::<usize>()) as u32
    }
}

/// Prints all digits, so that the history can be replayed.
impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RayOrSegment { origin, target, is_segment } = &self.given;
        let [from, to] = if *is_segment { ["a", "b"] } else { ["origin", "direction"] };
        write!(f, "{} {from}={:?} {to}={:?}", self.precision.name(), &origin[..self.dim], &target[..self.dim])?;
        for (number, body) in self.shapes.iter().enumerate() {
            write!(f, "\n      shape {number}: {}", body.kind.name())?;
            for (name, _, numbers) in body.parts() {
                write!(f, " {name}={numbers:?}")?;
            }
        }
        for (number, transform) in self.transforms.iter().enumerate() {
            write!(f, "\n      transform {number}: {transform}")?;
        }
        for (number, Step { edits, query }) in self.steps.iter().enumerate() {
            write!(f, "\n      step {number}:")?;
            for edit in edits {
                write!(f, "\n        {edit:?}")?;
            }
            write!(f, "\n        {query:?}")?;
        }
        Ok(())
    }
}
