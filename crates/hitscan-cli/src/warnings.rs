//! Warnings about queries that cannot find what the user may expect.

use crate::layer_arguments::LayerArguments;
use crate::query_arguments::QueryArguments;
use crate::scene::SceneSpace;
use hitscan::{ObjectId, Query, Scene, Topology};
use hitscan_io::{CastStatistics, Endpoint, Noted, RayBatch, T_OF_LINE, T_OF_SEGMENT, holds_nothing};
use std::collections::BTreeMap;

/// Warns about layers that no shape of the scene is on.
pub(crate) fn of_layers<V: SceneSpace>(scene: &Scene<V>, layers: &LayerArguments) -> Option<String> {
    let mask = layers.mask();
    if scene.is_empty() || scene.objects().any(|(_, object)| object.layers() & mask != 0) {
        return None;
    }
    let list = |layers: Vec<String>| layers.join(",");
    let given = list(layers.layers.iter().flatten().map(ToString::to_string).collect());
    let used = scene.objects().fold(0, |layers, (_, object)| layers | object.layers());
    let used = list((0..32).filter(|layer| used >> layer & 1 == 1).map(|layer| layer.to_string()).collect());
    Some(format!("--layers {given}: no shape is on these layers (the scene uses {used}), so nothing is found"))
}

/// What decides insides where a mesh has none of its own.
pub(crate) const OTHER_RULE: &str = ", and --inside-rule winding-number decides without";

/// Warns about meshes on some layers that are not closed, and so have no `property`: of each mesh once, under the name of the first
/// object that has it. `others` is what else helps.
pub(crate) fn of_open_meshes<V: SceneSpace>(
    scene: &Scene<V>,
    names: &[&str],
    mask: u32,
    (property, others): (&str, &str),
) -> Vec<String> {
    let open = scene.on_layers(mask).open_meshes();
    let names: BTreeMap<ObjectId, &str> = scene.objects().map(|(id, _)| id).zip(names.iter().copied()).collect();
    let warning = |of_one: &[(ObjectId, Topology)]| {
        let name = names.get(&of_one[0].0)?;
        let (what, they_have, them) = match of_one.len() {
            1 => (format!("the mesh {name} has no {property}, for it is not closed"), "it has", "it"),
            count => {
                (format!("{count} meshes of {name} have no {property}, for they are not closed"), "they have", "them")
            }
        };
        let odd = match of_one.iter().map(|(_, topology)| topology.odd_edges).sum::<usize>() {
            0 => format!("{they_have} no triangle with an area"),
            1 => "1 edge has an odd number of triangles".to_owned(),
            odd => format!("{odd} edges have an odd number of triangles"),
        };
        Some(format!("{what}: {odd} (hitscan info tells whether --weld closes {them}{others})"))
    };
    // The meshes of a group have the object of the group.
    open.chunk_by(|a, b| a.0 == b.0).filter_map(warning).collect()
}

/// Counts rays that cannot hit anything.
#[derive(Default)]
pub(crate) struct RayWarnings {
    zero_directions: FirstAndCount,
    empty_ranges: FirstAndCount,
}

/// The number of rays with a property, and the row of the first one.
#[derive(Default)]
struct FirstAndCount {
    first: Option<u64>,
    count: u64,
}

impl FirstAndCount {
    fn add(&mut self, row: u64) {
        self.first.get_or_insert(row);
        self.count += 1;
    }

    fn warning(&self, property: &str) -> Option<String> {
        let row = self.first?;
        let rays = if self.count == 1 { "1 ray has".to_owned() } else { format!("{} rays have", self.count) };
        Some(format!("{rays} {property} and so hit nothing (the first: row {row})"))
    }
}

impl RayWarnings {
    /// Those of a table of rays.
    pub(crate) fn of(statistics: &CastStatistics) -> Self {
        let noted = |Noted { first, count }: Noted| FirstAndCount { first, count };
        Self { zero_directions: noted(statistics.zero_directions), empty_ranges: noted(statistics.empty_ranges) }
    }

    /// Adds the rays of a batch that has no columns of limits.
    pub(crate) fn add(&mut self, batch: &RayBatch, query: &QueryArguments) {
        let axes = batch.dimension.count();
        let is_zero = |row: usize| match &batch.endpoint {
            Endpoint::Direction(direction) => direction[..axes].iter().all(|column| column[row] == 0.0),
            Endpoint::End(end) => end[..axes].iter().zip(&batch.origin).all(|(b, a)| b[row] == a[row]),
        };
        let is_segment = matches!(batch.endpoint, Endpoint::End(_)) && !query.line;
        let range: Query<f64> = query.query(None, None, None);
        let is_empty = holds_nothing(&range, if is_segment { &T_OF_SEGMENT } else { &T_OF_LINE });
        for (row, number) in (0..batch.len()).zip(batch.first_row..) {
            if is_zero(row) {
                self.zero_directions.add(number);
            }
            if is_empty {
                self.empty_ranges.add(number);
            }
        }
    }

    /// The warnings, if any.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let zero = self.zero_directions.warning("a direction of zero");
        let empty = self.empty_ranges.warning("a range that holds nothing (t_min > t_max, or a distance below 0)");
        zero.into_iter().chain(empty)
    }
}
