//! The shapes of a report: what was found out about each, in the order in which the report lists them.

use super::report::{Detail, ExplainReport, ShapeReport, called};
use crate::SceneVector;
use crate::fmt::{coordinates, kind, names};
use hitscan::{Aabb, Cuboid, Explanation, Object, ObjectId, Query, Scene, Shape, Step};
use hitscan::{Real, Vector};

/// A report on no more shapes than this lists all of them.
const MAX_SHORT_REPORT: usize = 8;

/// What was found out about one shape.
pub(super) struct Finding {
    /// Whether it is the answer.
    pub(super) is_answer: bool,
    /// Whether it would be one without the others.
    pub(super) is_found: bool,
    /// Its place among its like: `t`, or a distance.
    pub(super) order: f64,
    pub(super) why: String,
    pub(super) explanation: Explanation,
}

impl Finding {
    /// A shape that the query does not see.
    pub(super) fn unseen(why: String) -> Self {
        let explanation = Explanation::default();
        Self { is_answer: false, is_found: false, order: f64::INFINITY, why, explanation }
    }
}

/// The shapes of a report.
pub(super) struct Listing<'a, V: SceneVector> {
    scene: &'a Scene<V>,
    /// The names of the shapes, by the rows of their ids.
    names: Vec<String>,
    lists_all: bool,
    findings: Vec<(usize, Finding)>,
    left_out: usize,
}

impl<'a, V: SceneVector> Listing<'a, V> {
    pub(super) fn new(scene: &'a Scene<V>, detail: Detail) -> Self {
        let lists_all = detail == Detail::All || scene.len() <= MAX_SHORT_REPORT;
        let mut by_row = Vec::new();
        for ((id, _), name) in scene.objects().zip(names(scene)) {
            by_row.resize(by_row.len().max(id.index() + 1), String::new());
            by_row[id.index()] = name;
        }
        Self { scene, names: by_row, lists_all, findings: Vec::new(), left_out: 0 }
    }

    /// Whether the report lists every shape.
    pub(super) fn lists_all(&self) -> bool {
        self.lists_all
    }

    pub(super) fn add(&mut self, id: ObjectId, finding: Finding) {
        self.findings.push((id.index(), finding));
    }

    pub(super) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// The name of a shape.
    pub(super) fn name(&self, id: Option<ObjectId>) -> &str {
        id.and_then(|id| self.names.get(id.index())).map_or("", String::as_str)
    }

    /// A shape with its type and its number.
    pub(super) fn called(&self, id: Option<ObjectId>) -> String {
        let (index, name) = (id.map_or(0, ObjectId::index), self.name(id));
        called(name, self.kind(index), self.is_placed(index), index)
    }

    fn kind(&self, index: usize) -> &'static str {
        self.scene.at(index).map_or("shape", |(_, object)| kind::<V>(object.shape()))
    }

    fn is_placed(&self, index: usize) -> bool {
        self.scene.at(index).is_some_and(|(_, object)| object.transform().is_some())
    }

    /// The report: the answer first, then what would be one, each by its order.
    pub(super) fn report(mut self, outcome: String, left_out_because: &'static str) -> ExplainReport {
        let mut findings = std::mem::take(&mut self.findings);
        findings.sort_by(|(i, a), (j, b)| {
            let group = |finding: &Finding| (!finding.is_answer, !finding.is_found);
            group(a).cmp(&group(b)).then(a.order.total_cmp(&b.order)).then(i.cmp(j))
        });
        let report = |(shape, finding): (usize, Finding)| {
            let mut explanation = finding.explanation;
            explanation.shape = self.kind(shape);
            ShapeReport {
                shape,
                name: self.names[shape].clone(),
                kind: self.kind(shape),
                is_placed: self.is_placed(shape),
                is_hit: finding.is_answer,
                why: finding.why,
                explanation,
            }
        };
        let shapes = findings.into_iter().map(report).collect();
        ExplainReport { outcome, shapes, left_out: self.left_out, left_out_because }
    }
}

/// The reason why a query of these layers does not see an object.
pub(super) fn off_layers<V: SceneVector>(object: &Object<V>, mask: u32) -> Option<String> {
    (object.layers() & mask == 0).then(|| {
        let layers: Vec<String> =
            (0..32).filter(|bit| object.layers() >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
        format!("not on these layers (it is on {})", layers.join(", "))
    })
}

/// Calls `query` with an object as a query on these layers sees it: of a group, with the members that are on them.
pub(super) fn on_layers<V: SceneVector, R>(
    object: &Object<V>,
    layers: u32,
    query: impl FnOnce(&dyn Shape<V>) -> R,
) -> R {
    if V::as_group(object.shape()).is_none() {
        return query(object.instance());
    }
    let mut alone = Scene::new();
    let inserted = alone.insert(object.clone());
    debug_assert!(inserted.is_ok(), "an object of a scene fits into an empty one: {inserted:?}");
    query(&alone.on_layers(layers))
}

/// The reason why a ray does not see an object: it is on other layers, or a trigger.
pub(super) fn unseen<V: SceneVector>(object: &Object<V>, query: &Query<V::Scalar>) -> Option<String> {
    off_layers(object, query.layer_mask()).or_else(|| {
        let passes = "a trigger: rays pass through it (--triggers hit makes them hit it)";
        (!object.is_seen_by(query)).then(|| passes.to_owned())
    })
}

/// The bounding box of an object as a solid; `None` for one without bounds.
pub(super) fn bounding_box<V: SceneVector>(object: &Object<V>) -> Option<Cuboid<V>> {
    let aabb: Aabb<V> = object.instance().aabb();
    Cuboid::new(aabb.center(), aabb.half_extents()).ok()
}

/// The distance from a point to the bounding box of an object, 0 inside.
pub(super) fn box_distance<V: SceneVector>(object: &Object<V>, point: V) -> f64 {
    object.instance().aabb().distance(point).to_f64()
}

/// An explanation of these steps.
pub(super) fn explained(steps: impl IntoIterator<Item = Step>) -> Explanation {
    let mut explanation = Explanation::default();
    explanation.steps = steps.into_iter().collect();
    explanation
}

/// A step for each coordinate of a point or a vector.
pub(super) fn steps_of<V: Vector>(names: [&'static str; 3], v: V) -> impl Iterator<Item = Step> {
    names.into_iter().zip(coordinates(v)).take(V::DIM).map(|(name, x)| Step::Number(name, x))
}
