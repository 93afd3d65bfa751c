//! The merge of all hits of shards, and of the primitives that decide spans.

use crate::batch::RayBatch;
use crate::columns::HitColumns;
use crate::hit::Hit;
use crate::hit_lists::{HitLists, SpanLists};
use crate::math::real::Real;
use crate::math::vector::Vector;
use crate::queries::ray_cast::{RayCast, all_hits};
use crate::query::IntoQuery;
use crate::ray_columns::{RayBuffer, RayColumns};
use crate::scene::any::Space;
use crate::scene::shard::closest_merge::uncertain_end;
use crate::scene::shard::error::ShardError;
use crate::scene::shard::numbers::PrimitiveId;
use crate::scene::shard::shard::Shard;
use crate::stable_sort::stable_sort_by;
use alloc::vec;
use alloc::vec::Vec;

/// The merge of all hits of shards to those of the whole scene, bit for bit: [`ClosestMerge`](crate::ClosestMerge) for
/// [`RayCast::cast_columns_all`]. Memory is that of all hits.
///
/// ```
/// use hitscan::{glam::Vec3, AllMerge, Cuboid, Object, RayCast, RayColumns, Scene};
/// let mut scene = Scene::<Vec3>::new();
/// for z in [0.0, 2.0, 4.0] {
///     scene.insert(Object::new(Cuboid::new(Vec3::Z * z, Vec3::ONE)?))?; // each touches the next one
/// }
/// let shards = scene.split(3)?;
/// let rays = RayColumns::<Vec3>::from_points(&[[0.0, 0.0, 9.0]], &[[0.0, 0.0, -1.0]])?;
/// let mut merge = AllMerge::new(rays.len());
/// for shard in &shards {
///     merge.add(shard.cast_columns_all(&rays, ..))?;
/// }
/// let parts: Vec<_> = shards.iter().zip(merge.contested()).map(|(shard, contested)| shard.part(&contested)).collect();
/// let hits = merge.finish(&rays, .., &parts)?;
/// assert_eq!(hits, scene.cast_columns_all(&rays, ..));
/// assert_eq!(hits.hits().t(), [4.0, 6.0, 6.0, 8.0, 8.0, 10.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AllMerge<V: Vector> {
    lists: Vec<HitLists<V>>,
    rays: usize,
}

/// A row of the hits of a shard.
#[derive(Clone, Copy)]
struct ListedHit<S> {
    t: S,
    shard: usize,
    row: usize,
}

impl<V: Space> AllMerge<V> {
    /// The merge for this many rays.
    #[must_use]
    pub fn new(rays: usize) -> Self {
        Self { lists: Vec::new(), rays }
    }

    /// Adds the hits of the next shard. Shards get the numbers 0, 1, 2 and so on.
    ///
    /// # Errors
    /// Hits of another number of rays.
    pub fn add(&mut self, hits: HitLists<V>) -> Result<(), ShardError> {
        if hits.len() != self.rays {
            return Err(ShardError::Rows { given: hits.len(), needed: self.rays });
        }
        self.lists.push(hits);
        Ok(())
    }

    /// Replaces `merged` by the hits of a ray in the order of their `t`; false if that may not be their exact order.
    fn merge(&self, ray: usize, merged: &mut Vec<ListedHit<V::Scalar>>) -> bool {
        merged.clear();
        for (shard, list) in self.lists.iter().enumerate() {
            merged.extend(list.rows(ray).map(|row| ListedHit { t: list.hits().t()[row], shard, row }));
        }
        // Stable: the hits of a shard are in their exact order.
        stable_sort_by(merged, |a, b| a.t.partial_cmp(&b.t).unwrap_or(core::cmp::Ordering::Equal));
        merged.windows(2).all(|pair| pair[0].shard == pair[1].shard || uncertain_end(pair[0].t) < pair[1].t)
    }

    fn primitive(&self, hit: &ListedHit<V::Scalar>) -> Option<PrimitiveId> {
        PrimitiveId::of_hit(&self.lists[hit.shard].hits().get(hit.row)?)
    }

    /// The number of rays with hits whose order is between shards.
    #[must_use]
    pub fn contested_rays(&self) -> usize {
        let mut merged = Vec::new();
        (0..self.rays).filter(|&ray| !self.merge(ray, &mut merged)).count()
    }

    /// For each shard its primitives that [`finish`](Self::finish) needs, in ascending order: [`Shard::part`] takes them.
    #[must_use]
    pub fn contested(&self) -> Vec<Vec<PrimitiveId>> {
        let (mut merged, mut primitives) = (Vec::new(), vec![Vec::new(); self.lists.len()]);
        for ray in 0..self.rays {
            if !self.merge(ray, &mut merged) {
                for hit in &merged {
                    primitives[hit.shard].extend(self.primitive(hit));
                }
            }
        }
        for own in &mut primitives {
            own.sort_unstable();
            own.dedup();
        }
        primitives
    }

    /// All hits of the whole scene. The rays and the query are those of the shards; `parts` are the [parts](Shard::part)
    /// with the contested primitives, in any order.
    ///
    /// # Errors
    /// Another number of rays; a contested primitive in no part, or in two.
    pub fn finish(
        self,
        rays: &RayColumns<'_, V>,
        query: impl IntoQuery<V::Scalar>,
        parts: &[Shard<V>],
    ) -> Result<HitLists<V>, ShardError> {
        // The rays must be those of the shards, or the contested ones are cast anew from wrong origins.
        if rays.len() != self.rays {
            return Err(ShardError::Rows { given: rays.len(), needed: self.rays });
        }
        // One scene of the contested primitives, with the numbers of the whole scene.
        let all = Shard::join(parts)?;
        // Contested rays: hits of two shards are so close that rounding may have exchanged them.
        let (mut merged, mut contested) = (Vec::new(), Vec::new());
        for ray in (0..self.rays).filter(|&ray| !self.merge(ray, &mut merged)) {
            contested.push(ray);
        }
        // Without all contested primitives, the second cast would miss hits. The error names the shard whose part is
        // missing.
        for &ray in &contested {
            self.merge(ray, &mut merged);
            if let Some(missing) = merged.iter().find(|hit| self.primitive(hit).is_some_and(|id| !all.has(&id))) {
                return Err(ShardError::MissingPart { shard: missing.shard });
            }
        }
        // The contested rays are cast again at the joined primitives, as one batch. The library orders their hits
        // exactly.
        let mut buffer = RayBuffer::default();
        let contested_rays = RayBatch::Slice(buffer.load(rays, contested.iter().copied()));
        let resolved = all_hits(&all, contested_rays, &query.into_query().of_all_hits());
        let mut resolved = (0..contested.len()).map(|number| resolved.get(number));

        // The lists of all rays, in order. Hits pass through a small buffer, since columns are filled faster by the
        // thousand.
        let (mut offsets, mut hits) = (Vec::with_capacity(self.rays + 1), HitColumns::default());
        let (mut pending, mut count) = (Vec::<Hit<V>>::new(), 0);
        offsets.push(0);
        for ray in 0..self.rays {
            let before = pending.len();
            // An uncontested ray takes its merged rows.
            if self.merge(ray, &mut merged) {
                let mut least = -V::Scalar::INFINITY;
                for listed in &merged {
                    // As in one scene, `t` never decreases.
                    least = if listed.t < least { least } else { listed.t };
                    let hit = self.lists[listed.shard].hits().get(listed.row);
                    pending.extend(hit.map(|hit| Hit { t: least, ..hit }));
                }
            } else {
                pending.extend(resolved.next().into_iter().flatten());
            }
            count += pending.len() - before;
            offsets.push(count);
            if pending.len() >= PENDING_HITS {
                hits.append(&pending, |hit| Some(hit));
                pending.clear();
            }
        }
        hits.append(&pending, |hit| Some(hit));
        Ok(HitLists::from_parts(offsets, hits))
    }
}

/// Hits that are written to columns at a time.
const PENDING_HITS: usize = 4096;

/// The spans of some rays in the whole scene, of the parts of all shards with the primitives along these rays:
/// [`Shard::primitives_along`] names them, and [`Shard::part`] takes them. Every span equals that of the whole scene, bit for
/// bit.
///
/// ```
/// use hitscan::{glam::Vec3, merge_spans, Object, RayCast, RayColumns, Scene, TriangleMesh};
/// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let tetrahedron = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let mut scene = Scene::<Vec3>::new();
/// scene.insert(Object::new(tetrahedron))?;
/// let rays = RayColumns::<Vec3>::from_points(&[[0.25, 0.25, -1.0]], &[[0.0, 0.0, 1.0]])?;
/// // Each shard has two of the triangles.
/// let parts: Vec<_> = scene.split(2)?.iter().map(|shard| shard.part(&shard.primitives_along(&rays, ..))).collect();
/// let spans = merge_spans(&rays, .., &parts)?;
/// assert_eq!((spans.enter().t(), spans.exit().t()), (&[1.0][..], &[1.5][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Two parts with the same primitive.
pub fn merge_spans<V: Space>(
    rays: &RayColumns<'_, V>,
    query: impl IntoQuery<V::Scalar>,
    parts: &[Shard<V>],
) -> Result<SpanLists<V>, ShardError> {
    Ok(Shard::join(parts)?.spans_columns(rays, query))
}
