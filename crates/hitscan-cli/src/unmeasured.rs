//! Points without an answer, because the closest shape may be one that cannot be measured.

use crate::scene::SceneSpace;
use hitscan::{PointQuery, Real, Scene};

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

    /// Counts a point.
    pub(super) fn add_point(&mut self, point: V) {
        self.first.get_or_insert(point);
        self.count += 1;
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
        let objects = scene.objects().map(|(_, object)| object.instance()).zip(names);
        let unmeasured =
            objects.filter(|(object, _)| object.try_closest_point_within(point, V::Scalar::INFINITY).is_err());
        let mut found = unmeasured.map(|(_, name)| *name);
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
