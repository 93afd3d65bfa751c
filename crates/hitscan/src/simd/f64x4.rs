//! Four `f64` in a register, on which a kernel computes as on the first of them.

use super::avx2;
use crate::math::arithmetic::Arithmetic;
use core::arch::x86_64::*;
use core::cell::Cell;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Four numbers side by side. Arithmetic is that of IEEE 754 in every lane: the bits of [`FilterF64`](crate::math::Quick). A
/// comparison is answered for the first lane, and lanes for which it would be answered otherwise stray: see
/// [`F64x4::together_and_missed`]. Only made where the machine has AVX2: by [`abreast`].
#[derive(Clone, Copy)]
pub(crate) struct F64x4(__m256d);

std::thread_local! {
    /// The lanes that go on together, as bits.
    static TOGETHER: Cell<u32> = const { Cell::new(0) };
    /// Those that have missed.
    static MISSED: Cell<u32> = const { Cell::new(0) };
}

/// What is computed in four lanes. All of it must be inlined into [`run`](Self::run): what is called is compiled for any
/// machine.
pub(crate) trait FourTask {
    fn run(self);
}

/// Runs the task if the machine can; whether it could.
#[inline]
pub(crate) fn abreast(task: impl FourTask) -> bool {
    let can = avx2::is_there();
    if can {
        // SAFETY: the machine has the instructions that the function is compiled for.
        unsafe {
            run(task);
        }
    }
    can
}

#[target_feature(enable = "avx2,bmi1")]
fn run(task: impl FourTask) {
    task.run();
}

/// An instruction on registers.
macro_rules! avx2 {
    ($instruction:expr) => {{
        // SAFETY: `abreast` asks for AVX2 before there is a `F64x4`; loads and stores are given four numbers.
        unsafe { $instruction }
    }};
}

/// For which lanes a comparison holds, as bits.
macro_rules! lanes {
    ($how:ident, $a:expr, $b:expr) => {
        avx2!(_mm256_movemask_pd(_mm256_cmp_pd::<$how>($a.0, $b.0))) as u32
    };
}

/// What the first lane says; those that say otherwise stray.
#[inline(always)]
fn first(yes: u32) -> bool {
    let together = TOGETHER.get();
    let first = together & together.wrapping_neg();
    let is_so = yes & first != 0;
    TOGETHER.set(together & if is_so { yes } else { !yes });
    is_so
}

impl F64x4 {
    /// From here on all lanes are together.
    #[inline(always)]
    pub(crate) fn gather() {
        TOGETHER.set(0xF);
        MISSED.set(0);
    }
    /// The lanes, as bits, to which what was computed since then applies, and those that have missed. The others have
    /// strayed.
    #[inline(always)]
    pub(crate) fn together_and_missed() -> [u32; 2] {
        [TOGETHER.get(), MISSED.get()]
    }
    /// The lanes that are less than zero, as bits: not a decision.
    #[inline(always)]
    pub(crate) fn negative(self) -> u32 {
        lanes!(_CMP_LT_OQ, self, Self::ZERO)
    }
    #[inline(always)]
    pub(crate) fn load(lanes: &[f64; 4]) -> Self {
        Self(avx2!(_mm256_loadu_pd(lanes.as_ptr())))
    }
    #[inline(always)]
    pub(crate) fn of_singles(lanes: &[f32; 4]) -> Self {
        Self(avx2!(_mm256_cvtps_pd(_mm_loadu_ps(lanes.as_ptr()))))
    }
    #[inline(always)]
    pub(crate) fn store(self) -> [f64; 4] {
        let mut lanes = [0.0; 4];
        avx2!(_mm256_storeu_pd(lanes.as_mut_ptr(), self.0));
        lanes
    }
}

impl fmt::Debug for F64x4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store().fmt(f)
    }
}

impl Add for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx2!(_mm256_add_pd(self.0, other.0)))
    }
}

impl Sub for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx2!(_mm256_sub_pd(self.0, other.0)))
    }
}

impl Mul for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(avx2!(_mm256_mul_pd(self.0, other.0)))
    }
}

impl Div for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(avx2!(_mm256_div_pd(self.0, other.0)))
    }
}

impl Neg for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
    }
}

impl PartialEq for F64x4 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        first(lanes!(_CMP_EQ_OQ, self, other))
    }
}

impl PartialOrd for F64x4 {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        use core::cmp::Ordering::{Equal, Greater, Less};
        match (self < other, self == other, self > other) {
            (true, ..) => Some(Less),
            (_, true, _) => Some(Equal),
            (.., true) => Some(Greater),
            _ => None,
        }
    }
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        first(lanes!(_CMP_LT_OQ, self, other))
    }
    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        first(lanes!(_CMP_LE_OQ, self, other))
    }
    #[inline(always)]
    fn gt(&self, other: &Self) -> bool {
        first(lanes!(_CMP_GT_OQ, self, other))
    }
    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        first(lanes!(_CMP_GE_OQ, self, other))
    }
}

impl Arithmetic for F64x4 {
    // SAFETY: a register is four numbers.
    const ZERO: Self = Self(unsafe { core::mem::transmute::<[f64; 4], __m256d>([0.0; 4]) });
    // SAFETY: as above.
    const ONE: Self = Self(unsafe { core::mem::transmute::<[f64; 4], __m256d>([1.0; 4]) });
    const NORMWISE_BOUNDS: bool = true;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self(avx2!(_mm256_set1_pd(x)))
    }
    /// The first one: what has another number strays.
    #[inline(always)]
    fn to_f64(self) -> f64 {
        let together = TOGETHER.get();
        // None may be left, where all are in doubt: then any number does.
        let lane = together & together.wrapping_neg();
        let first = self.store()[lane.trailing_zeros() as usize % 4];
        TOGETHER.set(together & (lanes!(_CMP_EQ_OQ, self, Self::from_f64(first)) | lane));
        first
    }
    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self.to_f64(), 0.0)
    }
    #[inline(always)]
    fn from_parts((high, _): (f64, f64)) -> Self {
        Self::from_f64(high)
    }
    /// The other one is not zero.
    #[inline(always)]
    fn mul_sign(self, other: Self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, _mm256_and_pd(other.0, _mm256_set1_pd(-0.0)))))
    }
    /// Lanes for which it is so have missed; true if there are no others.
    #[inline(always)]
    fn is_miss(self) -> bool {
        let (together, passed) = (TOGETHER.get(), lanes!(_CMP_GE_OQ, self, Self::ZERO));
        TOGETHER.set(together & passed);
        MISSED.set(MISSED.get() | together & !passed);
        together & passed == 0
    }
    /// Lanes that are less than zero have missed, if that is certain; else they stray.
    #[inline(always)]
    fn is_certain_miss(self, share: f64, magnitude: Self) -> (bool, bool) {
        let (together, passed) = (TOGETHER.get(), lanes!(_CMP_GE_OQ, self, Self::ZERO));
        let sure = lanes!(_CMP_GT_OQ, self.abs(), Self::from_f64(share) * magnitude);
        TOGETHER.set(together & passed);
        MISSED.set(MISSED.get() | together & !passed & sure);
        (together & passed == 0, true)
    }
    /// True: lanes for which it is not so, and of which there is therefore a doubt, stray.
    #[inline(always)]
    fn exceeds(self, share: f64, magnitude: Self) -> bool {
        TOGETHER.set(TOGETHER.get() & lanes!(_CMP_GT_OQ, self.abs(), Self::from_f64(share) * magnitude));
        true
    }
    /// Likewise.
    #[inline(always)]
    fn is_at_least(self, share: f64, magnitude: Self) -> bool {
        TOGETHER.set(TOGETHER.get() & lanes!(_CMP_GE_OQ, self.abs(), Self::from_f64(share) * magnitude));
        true
    }
    /// Likewise.
    #[inline(always)]
    fn is_not_negative(self) -> bool {
        TOGETHER.set(TOGETHER.get() & lanes!(_CMP_GE_OQ, self, Self::ZERO));
        true
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx2!(_mm256_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn times_power_of_two(self, factor: f64) -> Self {
        self * Self::from_f64(factor)
    }
    #[inline(always)]
    fn dot(a: [Self; 3], b: [Self; 3]) -> Self {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    #[inline(always)]
    fn sum([a, b, c, d]: [Self; 4]) -> Self {
        (a + b) + (c + d)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx2!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }
    /// The other one where a lane is NaN, as for a single number.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx2!(_mm256_min_pd(self.0, other.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation, and who strays and who has missed where lanes differ.
    struct All<'a>(&'a mut alloc::vec::Vec<u64>);
    impl FourTask for All<'_> {
        fn run(self) {
            let numbers = [1.5, -2.0, 0.0, f64::NAN, f64::MAX, -0.0, f64::MIN_POSITIVE, -7.25];
            for a in numbers.windows(4) {
                for b in numbers.windows(4).rev() {
                    let (a, b) = ([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
                    let (x, y) = (F64x4::load(&a), F64x4::load(&b));
                    let all = [x + y, x - y, x * y, x / y, -x, x.abs(), x.abs().sqrt(), x.max(y), x.min(y)];
                    for (operation, four) in all.into_iter().enumerate() {
                        for (i, found) in four.store().into_iter().enumerate() {
                            let (a, b) = (a[i], b[i]);
                            let (max, min) = (if a > b { a } else { b }, if a < b { a } else { b });
                            let alone = [a + b, a - b, a * b, a / b, -a, a.abs(), a.abs().sqrt(), max, min][operation];
                            let same = found.to_bits() == alone.to_bits() || found.is_nan() && alone.is_nan();
                            self.0.push(u64::from(same));
                        }
                    }
                    F64x4::gather();
                    let is_less = x < y;
                    let like_first = (0..4).fold(0, |bits, i| bits | u32::from((a[i] < b[i]) == (a[0] < b[0])) << i);
                    self.0.push(u64::from(is_less == (a[0] < b[0]) && F64x4::together_and_missed() == [like_first, 0]));
                    F64x4::gather();
                    let all_miss = x.is_miss();
                    let hit = (0..4).fold(0, |bits, i| bits | u32::from(a[i] >= 0.0) << i);
                    self.0.push(u64::from(all_miss == (hit == 0) && F64x4::together_and_missed() == [hit, !hit & 0xF]));
                    F64x4::gather();
                    let first = x.to_f64();
                    let like_first = (0..4).fold(1, |bits, i| bits | u32::from(a[i] == a[0]) << i);
                    let told = first.to_bits() == a[0].to_bits() && F64x4::together_and_missed()[0] == like_first;
                    self.0.push(u64::from(told || a[0].is_nan()));
                    // All in doubt: what is asked then answers for none.
                    F64x4::gather();
                    F64x4::ZERO.exceeds(1.0, F64x4::ONE);
                    x.to_f64();
                    self.0.push(u64::from(!(x < y) && F64x4::together_and_missed() == [0, 0]));
                }
            }
        }
    }

    #[test]
    fn four_numbers_do_what_each_of_them_does() {
        let mut same = alloc::vec::Vec::new();
        if abreast(All(&mut same)) {
            assert!(same.len() == 25 * 40 && same.iter().all(|same| *same == 1), "{same:?}");
        } else {
            std::eprintln!("SKIPPED: this machine has no AVX2, so there are no registers of four");
        }
    }
}
