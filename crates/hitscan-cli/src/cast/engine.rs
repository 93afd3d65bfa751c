//! A batch of rays to a batch of hits, over threads.

use crate::parallel::{PIECE_ROWS, in_pieces};
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::ray_or_segment;
use crate::scene::{SceneSpace, coordinates};
use hitscan::Real;
use hitscan::{Hit, Query, RayCast, RayLike, Scene, Side};
use hitscan_io::{Endpoint, HitBatch, HitLayout, HitRow, Hits, RayBatch, RayOrSegment, SpanEnd};
use std::ops::Range;

/// A query for every ray of a table.
pub(crate) struct Engine<'a, V: SceneSpace> {
    pub(crate) scene: &'a Scene<V>,
    /// The number of each object in the table, where objects were left out of the scene.
    pub(crate) numbers: Option<&'a [u32]>,
    pub(crate) query: &'a QueryArguments,
    pub(crate) layout: HitLayout,
    /// The most hits of a ray, for [`HitLayout::All`].
    pub(crate) most: usize,
    pub(crate) threads: usize,
}

impl<V: SceneSpace> Engine<'_, V> {
    /// The hits in the order of the rays, whatever the number of threads.
    pub(crate) fn cast(&self, batch: &RayBatch) -> HitBatch {
        let pieces = in_pieces(batch.len(), PIECE_ROWS, self.threads, |rows| self.piece(batch, rows));
        pieces.into_iter().fold(empty(self.layout), joined)
    }

    fn piece(&self, batch: &RayBatch, rows: Range<usize>) -> HitBatch {
        let mut hits = empty(self.layout);
        let first = batch.first_row + rows.start as u64;
        let has_own_query = batch.t_min.is_some() || batch.t_max.is_some() || batch.layers.is_some();
        if !has_own_query && matches!(self.layout, HitLayout::First | HitLayout::Any) {
            // All rays have the same query: the library casts them as a batch.
            let rays = || rows.clone().map(|row| ray_or_segment::<V>(batch, row));
            match batch.endpoint {
                Endpoint::End(_) if !self.query.line => {
                    self.cast_batch(first, &rays().filter_map(RayOrSegment::segment).collect::<Vec<_>>(), &mut hits);
                }
                _ => self.cast_batch(first, &rays().map(RayOrSegment::to_ray).collect::<Vec<_>>(), &mut hits),
            }
            return hits;
        }
        let limit = |column: &Option<Vec<f64>>, row: usize| column.as_ref().and_then(|column| column.get(row).copied());
        for (ray, row) in (first..).zip(rows) {
            let mask = batch.layers.as_ref().and_then(|layers| layers.get(row).copied());
            let query = self.query.query(limit(&batch.t_min, row), limit(&batch.t_max, row), mask);
            match ray_or_segment::<V>(batch, row) {
                RayOrSegment::Segment(segment) if !self.query.line => self.cast_one(ray, &segment, query, &mut hits),
                other => self.cast_one(ray, &other.to_ray(), query, &mut hits),
            }
        }
        hits
    }

    /// Casts a batch of rays, numbered from `first`.
    fn cast_batch<C: RayLike<V>>(&self, first: u64, rays: &[C], output: &mut HitBatch) {
        let query = self.query.query(None, None, None);
        match output {
            HitBatch::Any { ray, hit } => {
                ray.extend(first..first + rays.len() as u64);
                hit.extend(self.scene.intersects_rays(rays, query));
            }
            HitBatch::Hits(hits) => {
                for (ray, hit) in (first..).zip(self.scene.cast_rays(rays, query)) {
                    match hit {
                        Some(hit) => hits.push(self.row(ray, 0, SpanEnd::Enter, &hit)),
                        None => hits.push_miss(ray),
                    }
                }
            }
            HitBatch::Count { .. } => debug_assert!(false, "the library counts one ray at a time"),
        }
    }

    /// Casts one ray, with its number in the table.
    fn cast_one(&self, number: u64, ray: &impl RayLike<V>, query: Query<V::Scalar>, output: &mut HitBatch) {
        let scene = self.scene;
        match output {
            HitBatch::Any { ray: rays, hit } => {
                rays.push(number);
                hit.push(scene.intersects_ray(ray, query));
            }
            HitBatch::Count { ray: rays, count } => {
                rays.push(number);
                count.push(scene.count_hits(ray, query) as u64);
            }
            HitBatch::Hits(hits) => match self.layout {
                HitLayout::All => {
                    for (index, hit) in (0..).zip(scene.cast_ray_all(ray, query).iter().take(self.most)) {
                        hits.push(self.row(number, index, SpanEnd::Enter, hit));
                    }
                }
                HitLayout::Spans => {
                    for (index, span) in (0..).zip(&scene.spans(ray, query)) {
                        for (end, hit) in [(SpanEnd::Enter, &span.enter), (SpanEnd::Exit, &span.exit)] {
                            if let Some(hit) = hit {
                                hits.push(self.row(number, index, end, hit));
                            }
                        }
                    }
                }
                _ => match scene.cast_ray(ray, query) {
                    Some(hit) => hits.push(self.row(number, 0, SpanEnd::Enter, &hit)),
                    None => hits.push_miss(number),
                },
            },
        }
    }

    /// A hit as a row of the table.
    fn row(&self, ray: u64, hit_index: u32, end: SpanEnd, hit: &Hit<V>) -> HitRow {
        let number = hit.object.map_or(0, |id| id.index() as u32);
        HitRow {
            ray,
            hit_index,
            end,
            t: hit.t.to_f64(),
            distance: hit.distance.to_f64(),
            point: coordinates(hit.point),
            normal: coordinates(hit.normal),
            front: hit.side == Side::Front,
            shape: self.numbers.map_or(number, |numbers| numbers[number as usize]),
            primitive: hit.primitive,
            uv: hit.uv.map(|uv| uv.map(Real::to_f64)),
        }
    }
}

fn empty(layout: HitLayout) -> HitBatch {
    match layout {
        HitLayout::Any => HitBatch::Any { ray: Vec::new(), hit: Vec::new() },
        HitLayout::Count => HitBatch::Count { ray: Vec::new(), count: Vec::new() },
        _ => HitBatch::Hits(Hits::default()),
    }
}

/// Appends a batch of the same layout.
fn joined(mut all: HitBatch, more: HitBatch) -> HitBatch {
    match (&mut all, more) {
        (HitBatch::Any { ray, hit }, HitBatch::Any { ray: more_rays, hit: more_hits }) => {
            ray.extend(more_rays);
            hit.extend(more_hits);
        }
        (HitBatch::Count { ray, count }, HitBatch::Count { ray: more_rays, count: more_counts }) => {
            ray.extend(more_rays);
            count.extend(more_counts);
        }
        (HitBatch::Hits(hits), HitBatch::Hits(more)) => {
            hits.ray.extend(more.ray);
            hits.hit_index.extend(more.hit_index);
            hits.end.extend(more.end);
            hits.t.extend(more.t);
            hits.distance.extend(more.distance);
            hits.point.extend(more.point);
            hits.normal.extend(more.normal);
            hits.front.extend(more.front);
            hits.shape.extend(more.shape);
            hits.primitive.extend(more.primitive);
            hits.uv.extend(more.uv);
        }
        _ => debug_assert!(false, "pieces of one layout"),
    }
    all
}

/// The number of hits in a batch.
pub(crate) fn count_hits(batch: &HitBatch) -> u64 {
    match batch {
        HitBatch::Any { hit, .. } => hit.iter().filter(|hit| **hit).count() as u64,
        HitBatch::Count { count, .. } => count.iter().sum(),
        HitBatch::Hits(hits) => hits.hit_index.iter().flatten().count() as u64,
    }
}
