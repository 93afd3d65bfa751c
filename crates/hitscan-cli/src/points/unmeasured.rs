//! Points whose distance is unknown, for the closest shape may be one that cannot be measured.

use crate::scene::SceneSpace;
use hitscan::{PointQuery, Scene, SceneBuilder};

/// The most names of shapes in a warning.
const MOST_NAMES: usize = 3;

/// The number of points without an answer, with the first of them.
#[derive(Clone, Copy)]
pub(super) struct Unmeasured<V> {
    count: u64,
    first: Option<V>,
}

impl<V: SceneSpace> Unmeasured<V> {
    pub(super) fn new() -> Self {
        Self { count: 0, first: None }
    }

    /// Counts a point for which nothing was found, if the closest shape of the scene cannot be told.
    pub(super) fn add_unfound(&mut self, scene: &Scene<V>, point: V) {
        if !scene.is_empty() && scene.closest_point(point).is_none() {
            self.first.get_or_insert(point);
            self.count += 1;
        }
    }

    /// Adds the points of a later piece.
    pub(super) fn add(&mut self, later: Self) {
        self.first = self.first.or(later.first);
        self.count += later.count;
    }

    /// The warning, if there is such a point; `names` are those of the objects.
    pub(super) fn warning(&self, scene: &Scene<V>, names: &[&str]) -> Option<String> {
        let point = self.first?;
        let points = if self.count == 1 { "1 point has".to_owned() } else { format!("{} points have", self.count) };
        let objects = scene.objects().map(|(_, object)| object).zip(names);
        let cannot_be_measured = |object: &hitscan::Object<V>| {
            let mut single = SceneBuilder::new();
            single.insert(object.clone()).is_ok() && single.build().closest_point(point).is_none()
        };
        let mut found = objects.filter(|(object, _)| cannot_be_measured(object)).map(|(_, name)| *name);
        let mut listed = found.by_ref().take(MOST_NAMES).collect::<Vec<_>>().join(", ");
        if found.next().is_some() {
            listed.push_str(" and others");
        }
        Some(format!(
            "{points} no answer, for the closest shape may be one that cannot be measured (a curved shape, under a \
             transform that shears or scales unevenly): {listed}"
        ))
    }
}
