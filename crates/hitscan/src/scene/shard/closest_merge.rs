//! The merge of the closest hits of shards.
//!
//! # Method
//! `t` of a hit is within 1 ulp. So where the `t` of two shards differ by more than 4 ulp, the smaller one is closer. The
//! other rays are contested: the primitives of their hits, a small part of each shard, become one scene, at which the library
//! casts these rays again. The closest primitive of the whole scene is among them, and no other one is closer, so the hit is
//! that of the whole scene, with its rules for ties.

use crate::batch::batches;
use crate::columns::{Columns, HitColumns};
use crate::hit::Hit;
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::distance_limit::closest_each;
use crate::query::IntoQuery;
use crate::ray_columns::{RayBuffer, RayColumns};
use crate::scene::any::Space;
use crate::scene::shard::error::ShardError;
use crate::scene::shard::numbers::PrimitiveId;
use crate::scene::shard::shard::Shard;
use crate::stable_sort::stable_sort_by;
use alloc::vec;
use alloc::vec::Vec;

/// Steps of rounding by which the `t` of two shards differ if their order is certain: each is within 1 ulp.
const CERTAIN_STEPS: u32 = 4;

/// The greatest `t` whose order with this one, or a smaller one, is not certain.
pub(crate) fn uncertain_end<S: Real>(t: S) -> S {
    (0..CERTAIN_STEPS).fold(t, |t, _| t.next_up())
}

/// The merge of the closest hits of shards to those of the whole scene, bit for bit.
///
/// [`add`](Self::add) takes the hits of one shard after the other, in any order and from any machine. Memory is that of one
/// row of hits per ray. Where two shards hit at nearly the same `t`, the merge needs the primitives of these hits:
/// [`contested`](Self::contested) names them, and [`finish`](Self::finish) takes the part of each shard that has them. [`ShardedScene`](crate::ShardedScene) does all of it.
///
/// ```
/// use hitscan::{glam::Vec3, ClosestMerge, Cuboid, Object, RayCast, RayColumns, Scene};
/// let mut scene = Scene::<Vec3>::new();
/// for x in [-1.0, 1.0] {
///     scene.insert(Object::new(Cuboid::new(Vec3::X * x, Vec3::ONE)?))?;
/// }
/// let shards = scene.split(2)?;
/// // The second ray enters both boxes at once.
/// let rays = RayColumns::<Vec3>::from_points(&[[0.5, 0.0, 5.0], [0.0, 0.0, 5.0]], &[[0.0, 0.0, -1.0]; 2])?;
/// let mut merge = ClosestMerge::new(rays.len());
/// for shard in &shards {
///     merge.add(&shard.cast_columns(&rays, ..))?;
/// }
/// let contested = merge.contested();
/// assert_eq!((contested[0].len(), contested[1].len()), (1, 1));
/// let parts = [shards[0].part(&contested[0]), shards[1].part(&contested[1])];
/// assert_eq!(merge.finish(&rays, .., &parts)?, scene.cast_columns(&rays, ..));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClosestMerge<V: Vector> {
    /// The hits with the least `t`.
    hits: HitColumns<V>,
    /// For each ray the shard of that hit.
    shard: Vec<u32>,
    /// Hits that were not certainly farther than the closest hit before.
    candidates: Vec<ShardCandidate<V>>,
    shards: u32,
}

/// A hit that may be the closest one.
#[derive(Clone, Copy, Debug)]
struct ShardCandidate<V: Vector> {
    row: usize,
    shard: u32,
    t: V::Scalar,
    primitive: PrimitiveId,
}

impl<V: Space> ClosestMerge<V> {
    /// The merge for this many rays.
    #[must_use]
    pub fn new(rays: usize) -> Self {
        let mut hits = HitColumns::default();
        hits.append(&vec![None::<Hit<V>>; rays], Option::as_ref);
        Self { hits, shard: vec![0; rays], candidates: Vec::new(), shards: 0 }
    }

    /// Adds the hits of the next shard, with all columns. Shards get the numbers 0, 1, 2 and so on.
    ///
    /// # Errors
    /// Hits of another number of rays, or without all columns.
    pub fn add(&mut self, hits: &HitColumns<V>) -> Result<(), ShardError> {
        // Hits of other rays, or hits without a column that the result needs, cannot be merged.
        if hits.len() != self.hits.len() {
            return Err(ShardError::Rows { given: hits.len(), needed: self.hits.len() });
        }
        if hits.columns() != Columns::ALL {
            return Err(ShardError::Columns);
        }
        // Only rows with a hit change anything. Rows to copy are collected, so that each column is copied once.
        let mut closer = Vec::new();
        for row in (0..hits.len()).filter(|&row| hits.is_hit()[row]) {
            let new = hits.t()[row];
            if !self.hits.is_hit()[row] {
                closer.push(row);
                continue;
            }
            let old = self.hits.t()[row];
            // A closer hit takes the row. If the old one is not certainly farther, it may still be the closest: it
            // stays as a candidate.
            if new < old {
                closer.push(row);
                if uncertain_end(new) >= old {
                    let own = self.candidate(&self.hits, row, self.shard[row]);
                    self.candidates.extend(own);
                }
            } else if uncertain_end(old) >= new {
                // A farther hit is a candidate unless its order is certain.
                self.candidates.extend(self.candidate(hits, row, self.shards));
            }
        }
        // Only here, since a candidate above needs the shard that had the row before.
        closer.iter().for_each(|&row| self.shard[row] = self.shards);
        self.hits.copy_rows(hits, &closer);
        self.shards += 1;
        Ok(())
    }

    fn candidate(&self, hits: &HitColumns<V>, row: usize, shard: u32) -> Option<ShardCandidate<V>> {
        let hit = hits.get(row)?;
        Some(ShardCandidate { row, shard, t: hit.t, primitive: PrimitiveId::of_hit(&hit)? })
    }

    /// For each ray the greatest `t` at which a hit of another shard still counts: later shards may be cast up to it.
    #[must_use]
    pub fn t_max(&self) -> Vec<V::Scalar> {
        let end = |(is_hit, t): (&bool, &V::Scalar)| if *is_hit { uncertain_end(*t) } else { V::Scalar::INFINITY };
        self.hits.is_hit().iter().zip(self.hits.t()).map(end).collect()
    }

    /// The candidates that are not certainly farther than the closest hit of all shards, by their rows; the closest hit is
    /// one of them.
    fn open_candidates(&self) -> Vec<ShardCandidate<V>> {
        let is_open = |candidate: &&ShardCandidate<V>| uncertain_end(self.hits.t()[candidate.row]) >= candidate.t;
        let mut open: Vec<_> = self.candidates.iter().filter(is_open).copied().collect();
        stable_sort_by(&mut open, |a, b| a.row.cmp(&b.row));
        let rows = open.chunk_by(|a, b| a.row == b.row).map(|row| row[0].row);
        let closest: Vec<_> = rows.filter_map(|row| self.candidate(&self.hits, row, self.shard[row])).collect();
        open.extend(closest);
        stable_sort_by(&mut open, |a, b| a.row.cmp(&b.row));
        open
    }

    /// The number of rays whose closest hit is between shards.
    #[must_use]
    pub fn contested_rays(&self) -> usize {
        self.open_candidates().chunk_by(|a, b| a.row == b.row).count()
    }

    /// For each shard its primitives that [`finish`](Self::finish) needs, in ascending order: [`Shard::part`] takes them.
    #[must_use]
    pub fn contested(&self) -> Vec<Vec<PrimitiveId>> {
        let mut primitives = vec![Vec::new(); self.shards as usize];
        for candidate in self.open_candidates() {
            primitives[candidate.shard as usize].push(candidate.primitive);
        }
        for own in &mut primitives {
            own.sort_unstable();
            own.dedup();
        }
        primitives
    }

    /// The closest hits of the whole scene. The rays and the query are those of the shards; `parts` are the
    /// [parts](Shard::part) with the contested primitives, in any order.
    ///
    /// # Errors
    /// Another number of rays; a contested primitive in no part, or in two.
    pub fn finish(
        mut self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
        parts: &[Shard<V>],
    ) -> Result<HitColumns<V>, ShardError> {
        // The rays must be those of the shards.
        if rays.len() != self.hits.len() {
            return Err(ShardError::Rows { given: rays.len(), needed: self.hits.len() });
        }
        // Most rays hit only one shard, or shards at clearly different `t`: their rows are final.
        let (open, query) = (self.open_candidates(), query.into_query());
        if open.is_empty() {
            return Ok(self.hits);
        }
        // One scene of the contested primitives. If one is missing, the second cast could give a farther hit: an error
        // names its shard.
        let all = Shard::join(parts)?;
        if let Some(missing) = open.iter().find(|candidate| !all.has(&candidate.primitive)) {
            return Err(ShardError::MissingPart { shard: missing.shard as usize });
        }
        // The contested rays are cast again, in batches, with the rules for ties of the whole scene.
        let mut rows: Vec<usize> = open.iter().map(|candidate| candidate.row).collect();
        rows.dedup();
        let mut hits = vec![None; rows.len()];
        batches(&rows, &mut hits, |rows, hits| {
            let mut buffer = RayBuffer::default();
            closest_each(&all, buffer.load(rays, rows.iter().copied()), &query, hits);
        });
        // Only the rows of contested rays change.
        rows.into_iter().zip(hits).for_each(|(row, hit)| self.hits.set(row, hit));
        Ok(self.hits)
    }
}
