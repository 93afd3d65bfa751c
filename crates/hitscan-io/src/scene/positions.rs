//! Positions of objects in tables.

use super::SceneVector;
use hitscan::Scene;

/// The position of each object in the order of insertion, by the row of its id ([`hitscan::ObjectId::index`]): its place in the
/// names of a table. `None` where positions and rows are the same, as in every scene from which nothing was removed. A vacant row
/// has the position 0.
#[must_use]
pub fn object_positions<V: SceneVector>(scene: &Scene<V>) -> Option<Vec<u32>> {
    let mut positions = Vec::new();
    for (position, (id, _)) in (0..).zip(scene.objects()) {
        positions.resize(positions.len().max(id.index() + 1), 0);
        positions[id.index()] = position;
    }
    let is_same = positions.len() == scene.len() && (0..).zip(&positions).all(|(row, position)| row == *position);
    (!is_same).then_some(positions)
}
