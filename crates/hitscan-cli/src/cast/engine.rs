//! A batch of rays to a batch of hits, over threads.

use super::sphere_cast::SphereCast;
use crate::parallel::{PIECE_ROWS, in_pieces};
use crate::query_arguments::QueryArguments;
use crate::ray_arguments::ray_or_segment;
use crate::scene::{SceneSpace, coordinates};
use crate::unmeasured::Unmeasured;
use hitscan::Real;
use hitscan::{Hit, NotMeasured, ObjectId, Query, RayCast, RayLike, Scene, Side, SweepHit};
use hitscan_io::{Endpoint, HitBatch, HitLayout, HitRow, Hits, RayBatch, RayOrSegment, SpanEnd};
use std::ops::Range;

/// A query for every ray of a table.
pub(crate) struct Engine<'a, V: SceneSpace> {
    pub(crate) scene: &'a Scene<V>,
    /// The number of each object in the table, where objects were left out of the scene.
    pub(crate) numbers: Option<&'a [u32]>,
    pub(crate) query: &'a QueryArguments,
    /// The radius of thick rays.
    pub(crate) radius: Option<V::Scalar>,
    pub(crate) layout: HitLayout,
    /// The most hits of a ray, for [`HitLayout::All`].
    pub(crate) most: usize,
    pub(crate) threads: usize,
}

impl<V: SceneSpace> Engine<'_, V> {
    /// The hits in the order of the rays, whatever the number of threads, and the thick rays that have no answer.
    pub(crate) fn cast(&self, batch: &RayBatch) -> (HitBatch, Unmeasured<SphereCast<V>>) {
        let mut unmeasured = Unmeasured::new();
        let pieces = in_pieces(batch.len(), PIECE_ROWS, self.threads, |rows| {
            let mut unmeasured = Unmeasured::new();
            (self.piece(batch, rows, &mut unmeasured), unmeasured)
        });
        let hits = pieces.into_iter().map(|(hits, more)| {
            unmeasured.add(more);
            hits
        });
        (hits.fold(empty(self.layout), joined), unmeasured)
    }

    fn piece(&self, batch: &RayBatch, rows: Range<usize>, unmeasured: &mut Unmeasured<SphereCast<V>>) -> HitBatch {
        let mut hits = empty(self.layout);
        let first = batch.first_row + rows.start as u64;
        let has_own_query = batch.t_min.is_some() || batch.t_max.is_some() || batch.layers.is_some();
        if self.radius.is_none() && !has_own_query && matches!(self.layout, HitLayout::First | HitLayout::Any) {
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
            let path = match ray_or_segment::<V>(batch, row) {
                segment @ RayOrSegment::Segment(_) if !self.query.line => segment,
                other => RayOrSegment::Ray(other.to_ray()),
            };
            match (self.radius, path) {
                (Some(radius), path) => {
                    let cast = SphereCast { path, radius, query };
                    match cast.cast(self.scene) {
                        Ok(contact) => self.push_contact(ray, contact.as_ref(), &mut hits),
                        Err(NotMeasured) => {
                            unmeasured.count(cast);
                            self.push_contact(ray, None, &mut hits);
                        }
                    }
                }
                (None, RayOrSegment::Segment(segment)) => self.cast_one(ray, &segment, query, &mut hits),
                (None, RayOrSegment::Ray(path)) => self.cast_one(ray, &path, query, &mut hits),
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

    /// Adds the result of a thick ray, with its number in the table.
    fn push_contact(&self, number: u64, contact: Option<&SweepHit<V>>, output: &mut HitBatch) {
        match (output, contact) {
            (HitBatch::Any { ray, hit }, contact) => {
                ray.push(number);
                hit.push(contact.is_some());
            }
            (HitBatch::Hits(hits), Some(contact)) => hits.push(self.contact_row(number, contact)),
            (HitBatch::Hits(hits), None) => hits.push_miss(number),
            (HitBatch::Count { .. }, _) => debug_assert!(false, "thick rays have one contact at most"),
        }
    }

    /// The first contact of a thick ray as a row of the table.
    fn contact_row(&self, ray: u64, contact: &SweepHit<V>) -> HitRow {
        HitRow {
            ray,
            hit_index: 0,
            end: SpanEnd::Enter,
            t: contact.t.to_f64(),
            distance: contact.distance.to_f64(),
            point: coordinates(contact.point),
            normal: coordinates(contact.normal),
            front: contact.depth.is_none(),
            shape: self.number(contact.object),
            primitive: contact.primitive,
            uv: contact.uv.map(|uv| uv.map(Real::to_f64)),
        }
    }

    /// The number of an object in the table.
    fn number(&self, object: Option<ObjectId>) -> u32 {
        let number = object.map_or(0, ObjectId::index);
        self.numbers.map_or(number as u32, |numbers| numbers[number])
    }

    /// A hit as a row of the table.
    fn row(&self, ray: u64, hit_index: u32, end: SpanEnd, hit: &Hit<V>) -> HitRow {
        HitRow {
            ray,
            hit_index,
            end,
            t: hit.t.to_f64(),
            distance: hit.distance.to_f64(),
            point: coordinates(hit.point),
            normal: coordinates(hit.normal),
            front: hit.side == Side::Front,
            shape: self.number(hit.object),
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
