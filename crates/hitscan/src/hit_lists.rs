//! Lists of hits and spans, one per ray, in compressed rows.

use crate::columns::HitColumns;
use crate::compressed_rows::rows;
use crate::hit::{Hit, Span};
use crate::math::vector::Vector;
use alloc::vec::Vec;
use core::ops::Range;

/// All hits of a batch of rays in compressed rows: the hits of one ray after those of the ray before, and for each ray the
/// offset of its first.
///
/// ```
/// use hitscan::{glam::Vec3, Ray, RayCast, Sphere};
/// let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
/// let rays = [5.0, 0.0, 1.0].map(|x| Ray::new(Vec3::X * x, Vec3::Z));
/// let all = ball.cast_rays_all(&rays, ..);
/// assert_eq!(all.offsets(), [0, 0, 2, 3]); // none, two, and one where the ray touches the ball
/// assert_eq!(&all.hits().t()[all.rows(1)], [4.0, 6.0]);
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HitLists<V: Vector> {
    offsets: Vec<usize>,
    hits: HitColumns<V>,
}

impl<V: Vector> HitLists<V> {
    /// Lists from `collect`, which appends hits and returns the offsets.
    pub(crate) fn from_hits(collect: impl FnOnce(&mut dyn FnMut(&[Hit<V>])) -> Vec<usize>) -> Self {
        let mut hits = HitColumns::default();
        let offsets = collect(&mut |found| hits.append(found, |hit| Some(hit)));
        Self { offsets, hits }
    }
    /// Lists of the hits of all rays, whose offsets are ascending and end with the number of hits.
    pub(crate) fn from_parts(offsets: Vec<usize>, hits: HitColumns<V>) -> Self {
        debug_assert_eq!(offsets.last(), Some(&hits.len()));
        Self { offsets, hits }
    }
    /// The offsets: the hits of ray `i` are the rows from `offsets[i]` to `offsets[i + 1]`. One more than there are rays.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
    /// The hits of all rays.
    #[must_use]
    pub fn hits(&self) -> &HitColumns<V> {
        &self.hits
    }
    /// The number of rays.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// Whether there are no rays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The rows of the hits of a ray; empty beyond the rays.
    #[must_use]
    pub fn rows(&self, ray: usize) -> Range<usize> {
        rows(&self.offsets, ray)
    }
    /// The hits of a ray: those of [`cast_ray_all`](crate::RayCast::cast_ray_all).
    pub fn get(&self, ray: usize) -> impl Iterator<Item = Hit<V>> {
        self.rows(ray).filter_map(|row| self.hits.get(row))
    }
}

/// The spans of a batch of rays in compressed rows, as [`HitLists`] has hits: the entries and the exits, one row per span.
///
/// The mask [`HitColumns::is_hit`] of each says which spans have an entry or an exit.
///
/// ```
/// use hitscan::{glam::Vec3, Ray, RayCast, Sphere};
/// let ball = Sphere::new(Vec3::Z * 5.0, 1.0)?;
/// let rays = [5.0, 0.0].map(|x| Ray::new(Vec3::X * x, Vec3::Z));
/// let spans = ball.spans_rays(&rays, ..=5.5);
/// assert_eq!((spans.offsets(), spans.enter().t()), (&[0, 0, 1][..], &[4.0][..]));
/// assert_eq!(spans.exit().is_hit(), [false]); // the range ends before
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpanLists<V: Vector> {
    offsets: Vec<usize>,
    enter: HitColumns<V>,
    exit: HitColumns<V>,
}

impl<V: Vector> SpanLists<V> {
    /// Lists from `collect`, which appends spans and returns the offsets.
    pub(crate) fn from_spans(collect: impl FnOnce(&mut dyn FnMut(&[Span<V>])) -> Vec<usize>) -> Self {
        let (mut enter, mut exit) = (HitColumns::default(), HitColumns::default());
        let offsets = collect(&mut |spans| {
            enter.append(spans, |span| span.enter.as_ref());
            exit.append(spans, |span| span.exit.as_ref());
        });
        Self { offsets, enter, exit }
    }
    /// The offsets: the spans of ray `i` are the rows from `offsets[i]` to `offsets[i + 1]`. One more than there are rays.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
    /// The entries of all spans: see [`Span::enter`].
    #[must_use]
    pub fn enter(&self) -> &HitColumns<V> {
        &self.enter
    }
    /// The exits of all spans: see [`Span::exit`].
    #[must_use]
    pub fn exit(&self) -> &HitColumns<V> {
        &self.exit
    }
    /// The number of rays.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// Whether there are no rays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The rows of the spans of a ray; empty beyond the rays.
    #[must_use]
    pub fn rows(&self, ray: usize) -> Range<usize> {
        rows(&self.offsets, ray)
    }
    /// The spans of a ray: those of [`spans`](crate::RayCast::spans).
    pub fn get(&self, ray: usize) -> impl Iterator<Item = Span<V>> {
        self.rows(ray).map(|row| Span { enter: self.enter.get(row), exit: self.exit.get(row) })
    }
}
