//! A batch of rays to a batch of hits, over threads.

use crate::parallel::in_pieces;
use crate::query::QueryArguments;
use crate::rays::{Shot, shot};
use crate::scene::{Space, coordinates};
use hitscan::Real;
use hitscan::{Hit, Query, RayLike, Scene, Shape, Side};
use hitscan_io::{End, HitBatch, HitLayout, HitRow, Hits, RayBatch, Second};
use std::ops::Range;

/// Rows that one thread takes at a time.
const PIECE: usize = 2048;

/// What is asked of every ray.
pub(crate) struct Engine<'a, V: Space> {
    pub(crate) scene: &'a Scene<V>,
    pub(crate) query: &'a QueryArguments,
    pub(crate) layout: HitLayout,
    pub(crate) threads: usize,
}

impl<V: Space> Engine<'_, V> {
    /// The answers in the order of the rays, whatever the number of threads.
    pub(crate) fn cast(&self, batch: &RayBatch) -> HitBatch {
        let pieces = in_pieces(batch.len(), PIECE, self.threads, |rows| self.piece(batch, rows));
        pieces.into_iter().fold(empty(self.layout), joined)
    }

    fn piece(&self, batch: &RayBatch, rows: Range<usize>) -> HitBatch {
        let mut answers = empty(self.layout);
        let first = batch.first_row + rows.start as u64;
        let has_limits = batch.t_min.is_some() || batch.t_max.is_some();
        if !has_limits && matches!(self.layout, HitLayout::First | HitLayout::Any) {
            // One question about all of them.
            let shots = || rows.clone().map(|row| shot::<V>(batch, row));
            match batch.second {
                Second::End(_) if !self.query.line => {
                    self.ask_together(first, &shots().filter_map(Shot::segment).collect::<Vec<_>>(), &mut answers);
                }
                _ => self.ask_together(first, &shots().map(Shot::to_ray).collect::<Vec<_>>(), &mut answers),
            }
            return answers;
        }
        let limit = |column: &Option<Vec<f64>>, row: usize| column.as_ref().and_then(|column| column.get(row).copied());
        for (ray, row) in (first..).zip(rows) {
            let query = self.query.query(limit(&batch.t_min, row), limit(&batch.t_max, row));
            match shot::<V>(batch, row) {
                Shot::Segment(segment) if !self.query.line => self.ask(ray, &segment, query, &mut answers),
                shot => self.ask(ray, &shot.to_ray(), query, &mut answers),
            }
        }
        answers
    }

    /// Casts rays with numbers from `first` on together, which is faster.
    fn ask_together<C: RayLike<V>>(&self, first: u64, shots: &[C], answers: &mut HitBatch) {
        let query = self.query.query(None, None);
        match answers {
            HitBatch::Any { ray, hit } => {
                ray.extend(first..first + shots.len() as u64);
                hit.extend(self.scene.intersects_rays(shots, query));
            }
            HitBatch::Hits(hits) => {
                for (ray, hit) in (first..).zip(self.scene.cast_rays(shots, query)) {
                    match hit {
                        Some(hit) => hits.push(row(ray, 0, End::Enter, &hit)),
                        None => hits.push_miss(ray),
                    }
                }
            }
            HitBatch::Count { .. } => debug_assert!(false, "counted one by one"),
        }
    }

    fn ask(&self, ray: u64, shot: &impl RayLike<V>, query: Query<V::Scalar>, answers: &mut HitBatch) {
        let scene = self.scene;
        match answers {
            HitBatch::Any { ray: rays, hit } => {
                rays.push(ray);
                hit.push(scene.intersects_ray(shot, query));
            }
            HitBatch::Count { ray: rays, count } => {
                rays.push(ray);
                count.push(scene.count_hits(shot, query) as u64);
            }
            HitBatch::Hits(hits) => match self.layout {
                HitLayout::All => {
                    for (number, hit) in (0..).zip(&scene.cast_ray_all(shot, query)) {
                        hits.push(row(ray, number, End::Enter, hit));
                    }
                }
                HitLayout::Spans => {
                    for (number, span) in (0..).zip(&scene.spans(shot, query)) {
                        for (end, hit) in [(End::Enter, &span.enter), (End::Exit, &span.exit)] {
                            if let Some(hit) = hit {
                                hits.push(row(ray, number, end, hit));
                            }
                        }
                    }
                }
                _ => match scene.cast_ray(shot, query) {
                    Some(hit) => hits.push(row(ray, 0, End::Enter, &hit)),
                    None => hits.push_miss(ray),
                },
            },
        }
    }
}

/// A hit as a row of the table.
fn row<V: Space>(ray: u64, number: u32, end: End, hit: &Hit<V>) -> HitRow {
    HitRow {
        ray,
        hit: number,
        end,
        t: hit.t.to_f64(),
        distance: hit.distance.to_f64(),
        point: coordinates(hit.point),
        normal: coordinates(hit.normal),
        front: hit.side == Side::Front,
        shape: hit.shape.map_or(0, |shape| shape.0),
        primitive: hit.primitive,
        uv: hit.uv.map(|uv| uv.map(Real::to_f64)),
        instance: None,
    }
}

fn empty(layout: HitLayout) -> HitBatch {
    match layout {
        HitLayout::Any => HitBatch::Any { ray: Vec::new(), hit: Vec::new() },
        HitLayout::Count => HitBatch::Count { ray: Vec::new(), count: Vec::new() },
        _ => HitBatch::Hits(Hits::default()),
    }
}

/// The rows of both, in order. They are of one kind.
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
            hits.hit.extend(more.hit);
            hits.end.extend(more.end);
            hits.t.extend(more.t);
            hits.distance.extend(more.distance);
            hits.point.extend(more.point);
            hits.normal.extend(more.normal);
            hits.front.extend(more.front);
            hits.shape.extend(more.shape);
            hits.primitive.extend(more.primitive);
            hits.uv.extend(more.uv);
            hits.instance.extend(more.instance);
        }
        _ => debug_assert!(false, "pieces of one layout"),
    }
    all
}

/// How many hits a batch holds.
pub(crate) fn count_hits(batch: &HitBatch) -> u64 {
    match batch {
        HitBatch::Any { hit, .. } => hit.iter().filter(|hit| **hit).count() as u64,
        HitBatch::Count { count, .. } => count.iter().sum(),
        HitBatch::Hits(hits) => hits.hit.iter().flatten().count() as u64,
    }
}
