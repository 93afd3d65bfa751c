//! What many lines have met, in the words of the caller.

use crate::bvh::traverse::stream_ray::Traveller;
use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::mesh::hit_search::{Any, Asked, First, Met, Question, Shot};
use crate::mesh::triangle_blocks::Corners;
use crate::simd::dispatch::dispatch;
use crate::simd::lanes::SimdF32;
use crate::simd::task::Task;

/// The answers about those that have gone through the tree, where they belong.
pub(crate) struct Told<'a, Q: Question, O> {
    pub(crate) corners: &'a Corners,
    pub(crate) triangles: &'a [u32],
    pub(crate) shots: &'a [Shot],
    pub(crate) travellers: &'a [Traveller<Q::Note>],
    pub(crate) out: &'a mut [O],
}

impl<Q: Question, O: Tells<Q>> Task for Told<'_, Q, O> {
    type Output = ();
    #[inline(always)]
    fn run<L: SimdF32>(self) {
        let Self { corners, triangles, shots, travellers, out } = self;
        for Traveller { number, note, .. } in travellers {
            let number = *number as usize;
            out[number] = O::told(&Asked { corners, triangles, shot: &shots[number] }, note);
        }
    }
}

/// What a caller gets: not a closure, which may be a call.
pub(crate) trait Tells<Q: Question>: Sized {
    fn told(asked: &Asked, note: &Q::Note) -> Self;
    /// All of them.
    #[inline(always)]
    fn tell(told: Told<Q, Self>) {
        dispatch(told);
    }
}

impl<V: Vector> Tells<First> for Option<Hit<V>> {
    #[inline(always)]
    fn told(asked: &Asked, best: &Option<Met>) -> Self {
        asked.hit(best)
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[inline(always)]
    fn tell(mut told: Told<First, Self>) {
        if !crate::simd::f64x4::abreast(four::Fours(&mut told)) {
            dispatch(told);
        }
    }
}

impl Tells<First> for Option<(u32, f64)> {
    #[inline(always)]
    fn told(asked: &Asked, best: &Option<Met>) -> Self {
        asked.place(best)
    }
}

impl Tells<Any> for bool {
    #[inline(always)]
    fn told(_asked: &Asked, found: &bool) -> Self {
        *found
    }
}

/// Hits four at a time.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod four {
    use super::{Asked, First, Met, Told};
    use crate::bvh::traverse::stream_ray::Traveller;
    use crate::hit::Hit;
    use crate::kernel::crossing::Normal;
    use crate::math::observer::FilterFlag;
    use crate::math::vec3::Vec3;
    use crate::math::vector::Vector;
    use crate::math::working_ray::WorkingRay;
    use crate::queries::hit4::Rows;
    use crate::shapes::triangle::known_crossing;
    use crate::simd::f64x4::{F64x4, FourTask};
    use arrayvec::ArrayVec;

    pub(crate) struct Fours<'a, 'b, V: Vector>(pub(crate) &'a mut Told<'b, First, Option<Hit<V>>>);

    type Arrived = Traveller<Option<Met>>;

    impl<V: Vector> FourTask for Fours<'_, '_, V> {
        #[inline(always)]
        fn run(self) {
            let told = self.0;
            let travellers = told.travellers;
            let mut four = ArrayVec::<&Arrived, 4>::new();
            for traveller in travellers {
                if traveller.note.is_none() {
                    told.out[traveller.number as usize] = None;
                    continue;
                }
                // There is room.
                let _ = four.try_push(traveller);
                if let [a, b, c, d] = four[..] {
                    told.four([a, b, c, d]);
                    four.clear();
                }
            }
            four.iter().for_each(|one| told.alone(one));
        }
    }

    impl<V: Vector> Told<'_, First, Option<Hit<V>>> {
        #[inline(always)]
        fn asked(&self, one: &Arrived) -> Asked<'_> {
            let Self { corners, triangles, shots, .. } = *self;
            Asked { corners, triangles, shot: &shots[one.number as usize] }
        }

        #[inline(never)]
        fn alone(&mut self, one: &Arrived) {
            self.out[one.number as usize] = self.asked(one).hit(&one.note);
        }

        #[inline(always)]
        fn four(&mut self, four: [&Arrived; 4]) {
            let line = self.lines(four);
            let corners = self.triangles_of(four);
            let mut watch = FilterFlag::default();
            F64x4::gather();
            let at = known_crossing(&line, corners, &mut watch);
            let normal = Normal::Along(at.normal);
            let rows = Rows::<V::Scalar>::new(&line, at.t, &normal, !at.facing.negative(), Some(at.uv));
            let [together, _] = F64x4::together_and_missed();
            for (lane, one) in four.into_iter().enumerate() {
                if watch.is_uncertain || together >> lane & 1 == 0 {
                    self.alone(one);
                } else if let Some(met) = &one.note {
                    let triangle = self.asked(one).triangle(met.place);
                    self.out[one.number as usize] = Some(Hit { primitive: Some(triangle), ..rows.hit(lane) });
                }
            }
        }

        /// The four lines as one.
        #[inline(always)]
        fn lines(&self, [a, b, c, d]: [&Arrived; 4]) -> WorkingRay<F64x4> {
            let shot = |one: &Arrived| &self.shots[one.number as usize];
            let [a, b, c, d] = [shot(a), shot(b), shot(c), shot(d)];
            // Written out: closures over registers may be calls.
            let origin = [a.origin.to_array(), b.origin.to_array(), c.origin.to_array(), d.origin.to_array()];
            let target = [a.target.to_array(), b.target.to_array(), c.target.to_array(), d.target.to_array()];
            let [origin, target] = [
                Vec3::new(column(&origin, 0), column(&origin, 1), column(&origin, 2)),
                Vec3::new(column(&target, 0), column(&target, 1), column(&target, 2)),
            ];
            let raw = a.raw();
            WorkingRay { origin, direction: if raw.is_segment { target - origin } else { target }, raw }
        }

        /// The corners of the four triangles.
        #[inline(always)]
        fn triangles_of(&self, [a, b, c, d]: [&Arrived; 4]) -> [Vec3<F64x4>; 3] {
            let numbers = |one: &Arrived| one.note.as_ref().map_or([0.0; 9], |met| self.corners.numbers(met.place));
            let rows = [numbers(a), numbers(b), numbers(c), numbers(d)];
            let at = |i: usize| column(&rows, i);
            [Vec3::new(at(0), at(1), at(2)), Vec3::new(at(3), at(4), at(5)), Vec3::new(at(6), at(7), at(8))]
        }
    }

    #[inline(always)]
    fn column<const N: usize>(rows: &[[f32; N]; 4], i: usize) -> F64x4 {
        F64x4::of_singles(&[rows[0][i], rows[1][i], rows[2][i], rows[3][i]])
    }
}
