//! A batch of volumes to a batch of overlaps, over threads.

use super::volume_batch::VolumeBatch;
use crate::parallel::{PIECE_ROWS, in_pieces};
use crate::scene::SceneSpace;
use crate::tables::RowBatch;
use hitscan::{Overlap, OverlapQuery, Scene, Volume};
use hitscan_io::{OverlapLayout, OverlapResults, OverlapRow};
use std::ops::Range;

/// What a row of the results is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granularity {
    /// An object of the scene.
    Objects,
    /// A triangle of a mesh, or an object that is no mesh.
    Triangles,
}

/// A query for every volume of a table.
pub(super) struct OverlapSearch<'a, V: SceneSpace> {
    pub(super) scene: &'a Scene<V>,
    /// The position of each object in the names of the table: see [`Rest::positions`](crate::ignore::Rest::positions).
    pub(super) positions: Option<&'a [u32]>,
    /// The mask of the layers that count.
    pub(super) layers: u32,
    pub(super) layout: OverlapLayout,
    pub(super) granularity: Granularity,
    pub(super) threads: usize,
}

impl<V: SceneSpace> OverlapSearch<'_, V> {
    /// The overlaps in the order of the volumes, whatever the number of threads, and how many volumes overlap anything.
    pub(super) fn search(&self, batch: &VolumeBatch) -> (OverlapResults, u64) {
        let count = batch.count();
        let volume = || (batch.first_row()..).take(count).collect();
        let overlapping = |results: &mut dyn Iterator<Item = bool>| results.filter(|overlap| *overlap).count() as u64;
        match self.layout {
            OverlapLayout::Any => {
                let overlap = self.each(batch, |volume, _| self.scene.on_layers(self.layers).overlaps(volume));
                let found = overlapping(&mut overlap.iter().copied());
                (OverlapResults::Any { volume: volume(), overlap }, found)
            }
            OverlapLayout::Count => {
                let count = self.each(batch, |volume, found| {
                    self.find(&volume, found);
                    found.rows.len() as u64
                });
                let found = overlapping(&mut count.iter().map(|count| *count > 0));
                (OverlapResults::Count { volume: volume(), count }, found)
            }
            OverlapLayout::All => self.all(batch),
        }
    }

    /// One result per volume; of one without points the default.
    fn each<T: Default + Clone + Send>(
        &self,
        batch: &VolumeBatch,
        result: impl Fn(Volume<V>, &mut Found) -> T + Sync,
    ) -> Vec<T> {
        let piece = |rows: Range<usize>| {
            let mut found = Found::default();
            let one = |row| {
                batch.volume::<V>(row).map_or_else(T::default, |volume| result(Volume::from(&volume), &mut found))
            };
            rows.map(one).collect::<Vec<_>>()
        };
        in_pieces(batch.count(), PIECE_ROWS, self.threads, piece).concat()
    }

    /// A row per overlap, and one for each volume that overlaps nothing.
    fn all(&self, batch: &VolumeBatch) -> (OverlapResults, u64) {
        let piece = |rows: Range<usize>| {
            let (mut all, mut overlapping, mut found) = (Vec::new(), 0, Found::default());
            for (number, row) in (batch.first_row() + rows.start as u64..).zip(rows) {
                found.rows.clear();
                if let Some(volume) = batch.volume::<V>(row) {
                    self.find(&Volume::from(&volume), &mut found);
                }
                if found.rows.is_empty() {
                    all.push(OverlapRow { volume: number, shape: None, primitive: None });
                } else {
                    overlapping += 1;
                    let row = |&(shape, primitive)| OverlapRow { volume: number, shape: Some(shape), primitive };
                    all.extend(found.rows.iter().map(row));
                }
            }
            (all, overlapping)
        };
        let (mut all, mut overlapping) = (Vec::new(), 0);
        for (rows, more) in in_pieces(batch.count(), PIECE_ROWS, self.threads, piece) {
            all.extend(rows);
            overlapping += more;
        }
        (OverlapResults::All(all), overlapping)
    }

    /// What a volume overlaps.
    fn find(&self, volume: &Volume<V>, found: &mut Found) {
        let Found { objects, parts, rows } = found;
        rows.clear();
        self.scene.on_layers(self.layers).overlapping_into(volume, objects);
        for id in objects.iter().filter_map(|overlap| overlap.object) {
            let number = self.positions.map_or(id.index() as u32, |positions| positions[id.index()]);
            if let (Granularity::Triangles, Some(object)) = (self.granularity, self.scene.get(id)) {
                object.instance().overlapping_into(volume, parts);
                rows.extend(parts.iter().filter_map(|part| part.primitive).map(|triangle| (number, Some(triangle))));
                if parts.iter().any(|part| part.primitive.is_some()) {
                    continue;
                }
            }
            rows.push((number, None));
        }
    }
}

/// What one volume overlaps, in memory that serves many volumes.
#[derive(Default)]
struct Found {
    objects: Vec<Overlap>,
    parts: Vec<Overlap>,
    /// The number of the object in the table, and the triangle.
    rows: Vec<(u32, Option<u32>)>,
}
