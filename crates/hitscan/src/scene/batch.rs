//! Many lines through one scene: they go through its tree together.

use crate::bvh::bvh::Tree;
use crate::bvh::ray::Aim;
use crate::bvh::traverse::stream::{FEW, Stream, TOGETHER};
use crate::hit::Hit;
use crate::kernel::range_rules::TRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::rounding::above;
use crate::math::vector::Working;
use crate::math::working_ray::WorkingRay;
use crate::queries::ray_queries::RayQueries;
use crate::query::Query;
use crate::ray::RayLike;
use crate::scene::any::Space;
use crate::scene::scene::{Best, Scene};
use crate::simd::lanes::prefetch;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Hits that are computed before the memory of an object is needed that was asked for.
const SOON: usize = 8;

/// What is asked about each line.
pub(crate) trait Question<V: Space>: Sized + Clone {
    /// What is known so far.
    type Note: Clone + Default;
    /// Asks the shape at a place. What lies beyond `limit` need not be found; it may become lower.
    fn ask(
        scene: &Scene<V>,
        line: (&WorkingRay<Working<V>>, &Query<V::Scalar>),
        placed: (u32, &V::Shape),
        limit: &mut f64,
        note: &mut Self::Note,
    ) -> ControlFlow<()>;
    /// The object that is needed to tell the answer.
    fn needs(note: &Self::Note) -> Option<u32>;
    /// The answer.
    fn told(scene: &Scene<V>, cast: &impl RayLike<V>, query: &Query<V::Scalar>, note: &Self::Note) -> Self;
}

/// The first hit.
impl<V: Space> Question<V> for Option<Hit<V>> {
    type Note = Option<Best<V>>;
    #[inline(always)]
    fn ask(
        scene: &Scene<V>,
        (line, query): (&WorkingRay<Working<V>>, &Query<V::Scalar>),
        placed: (u32, &V::Shape),
        limit: &mut f64,
        best: &mut Option<Best<V>>,
    ) -> ControlFlow<()> {
        scene.nearer(line, query, placed, limit, best);
        ControlFlow::Continue(())
    }
    #[inline(always)]
    fn needs(best: &Option<Best<V>>) -> Option<u32> {
        best.as_ref().and_then(Best::needs)
    }
    #[inline(always)]
    fn told(scene: &Scene<V>, cast: &impl RayLike<V>, query: &Query<V::Scalar>, best: &Option<Best<V>>) -> Self {
        scene.told(&cast.line(), query, best.as_ref()?)
    }
}

/// Whether there is any.
impl<V: Space> Question<V> for bool {
    type Note = bool;
    #[inline(always)]
    fn ask(
        _scene: &Scene<V>,
        (line, query): (&WorkingRay<Working<V>>, &Query<V::Scalar>),
        (_, shape): (u32, &V::Shape),
        _limit: &mut f64,
        found: &mut bool,
    ) -> ControlFlow<()> {
        *found = shape.any_hit(line, query);
        if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    #[inline(always)]
    fn needs(_found: &bool) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn told(_scene: &Scene<V>, _cast: &impl RayLike<V>, _query: &Query<V::Scalar>, found: &bool) -> Self {
        *found
    }
}

impl<V: Space> Scene<V> {
    /// The answer about each line, in order: what it has `alone`, bit for bit.
    pub(crate) fn each<A: Question<V>, C: RayLike<V>>(
        &self,
        casts: &[C],
        query: &Query<V::Scalar>,
        out: &mut [A],
        alone: impl Fn(&C) -> A,
    ) {
        let Some(tree) = self.index.tree().filter(|_| casts.len() >= FEW) else {
            casts.iter().zip(out).for_each(|(cast, out)| *out = alone(cast));
            return;
        };
        let (mut stream, mut notes, mut aims) = (Stream::new(), Vec::new(), Vec::new());
        for (casts, out) in casts.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            notes.clear();
            notes.resize(casts.len(), A::Note::default());
            aims.clear();
            self.set_out::<A, C>(tree, (casts, query), &mut aims, &mut notes, &mut *out, &alone);
            let mut look = |number: u32, place: u32, limit: &mut f64| {
                let number = number as usize;
                self.ask::<A>(&casts[number].line(), query, place, limit, &mut notes[number])
            };
            tree.visit_together(&mut stream, &aims, &mut look, &|place| prefetch(&self.placed[place as usize]));
            let later = stream.travellers.iter().skip(SOON).map(Some).chain([None; SOON]);
            for (now, later) in stream.travellers.iter().zip(later) {
                if let Some(object) = later.and_then(|later| A::needs(&notes[later.number as usize])) {
                    prefetch(&self.objects[object as usize]);
                }
                let number = now.number as usize;
                out[number] = A::told(self, &casts[number], query, &notes[number]);
            }
        }
    }

    /// Asks the shapes without a box, and puts the line on its way if there may be more. Those that are not for streams are
    /// answered `alone`.
    fn set_out<A: Question<V>, C: RayLike<V>>(
        &self,
        tree: &Tree,
        (casts, query): (&[C], &Query<V::Scalar>),
        aims: &mut Vec<Option<(Aim, f32)>>,
        notes: &mut [A::Note],
        out: &mut [A],
        alone: &impl Fn(&C) -> A,
    ) {
        for (cast, (note, out)) in casts.iter().zip(notes.iter_mut().zip(out)) {
            let line = cast.line();
            let limits = TRange::new(&line, query);
            let aim = tree.aim(&line.raw, limits.min.to_f64()).filter(|_| line.is_valid());
            aims.push(aim.map(|aim| {
                let mut limit = limits.max.to_f64();
                let ask = |place: u32| self.ask::<A>(&line, query, place, &mut limit, note);
                let is_told = self.unbounded_places().try_for_each(ask).is_break();
                // What has its answer visits nothing more.
                (aim, if is_told { f32::NEG_INFINITY } else { above(limit) })
            }));
            if aim.is_none() {
                *out = alone(cast);
            }
        }
    }

    /// Asks the shape at a place, if it is on the layers of the query.
    #[inline(always)]
    fn ask<A: Question<V>>(
        &self,
        line: &WorkingRay<Working<V>>,
        query: &Query<V::Scalar>,
        place: u32,
        limit: &mut f64,
        note: &mut A::Note,
    ) -> ControlFlow<()> {
        match self.asked(place, query) {
            Some(shape) => A::ask(self, (line, query), (place, shape), limit, note),
            None => ControlFlow::Continue(()),
        }
    }
}
