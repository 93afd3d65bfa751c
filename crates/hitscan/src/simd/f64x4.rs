//! `F64x4`: four `f64` lanes in one AVX2 register. A kernel branches on the leading active lane.

use super::dispatch::has_avx2;
use crate::math::arithmetic::Arithmetic;
use core::arch::x86_64::*;
use core::cell::Cell;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Four `f64` lanes. Arithmetic is that of IEEE 754 in every lane: the bits of
/// [`FilterF64`](crate::math::filter_f64::FilterF64). A comparison returns the result of the leading lane, the lowest
/// active one; active lanes with another result have diverged and leave the active mask ([`F64x4::lane_masks`]).
/// Values exist only on machines with AVX2, inside [`dispatch_four`].
#[derive(Clone, Copy)]
pub(crate) struct F64x4(__m256d);

std::thread_local! {
    /// Bit mask of the active lanes: they follow the branches taken so far.
    static ACTIVE: Cell<u32> = const { Cell::new(0) };
    /// Bit mask of the lanes that missed.
    static MISSED: Cell<u32> = const { Cell::new(0) };
}

/// Kernel over four lanes. All its code must be inlined into [`run`](Self::run): a called function is compiled for
/// the baseline instruction set.
pub(crate) trait FourTask {
    fn run(self);
}

/// Runs the task if AVX2 may be used. Returns whether it ran.
#[inline]
pub(crate) fn dispatch_four(task: impl FourTask) -> bool {
    let can = has_avx2();
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

/// Wraps an AVX2 intrinsic.
macro_rules! avx2 {
    ($instruction:expr) => {{
        // SAFETY: a `F64x4` exists only after `dispatch_four` has detected AVX2; loads and stores get four numbers.
        unsafe { $instruction }
    }};
}

/// Bit mask of the lanes for which a comparison holds.
macro_rules! lanes {
    ($how:ident, $a:expr, $b:expr) => {
        avx2!(_mm256_movemask_pd(_mm256_cmp_pd::<$how>($a.0, $b.0))) as u32
    };
}

/// Result of the leading lane; active lanes with another result diverge.
#[inline(always)]
fn first(yes: u32) -> bool {
    let active = ACTIVE.get();
    let first = active & active.wrapping_neg();
    let is_so = yes & first != 0;
    ACTIVE.set(active & if is_so { yes } else { !yes });
    is_so
}

impl F64x4 {
    /// Makes all lanes active and clears the miss mask.
    #[inline(always)]
    pub(crate) fn reset_masks() {
        ACTIVE.set(0xF);
        MISSED.set(0);
    }
    /// Bit masks `[active, missed]` since the last [`reset_masks`](Self::reset_masks). Computed values hold for the
    /// active lanes. A lane in neither mask has diverged.
    #[inline(always)]
    pub(crate) fn lane_masks() -> [u32; 2] {
        [ACTIVE.get(), MISSED.get()]
    }
    /// Bit mask of the lanes below zero. No lane diverges.
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

impl Arithmetic for F64x4 {
    // SAFETY: the register consists of four numbers.
    const ZERO: Self = Self(unsafe { core::mem::transmute::<[f64; 4], __m256d>([0.0; 4]) });
    // SAFETY: as above.
    const ONE: Self = Self(unsafe { core::mem::transmute::<[f64; 4], __m256d>([1.0; 4]) });
    const NORMWISE_BOUNDS: bool = true;

    #[inline(always)]
    fn compare(self, other: Self) -> Option<core::cmp::Ordering> {
        use core::cmp::Ordering::{Equal, Greater, Less};
        match (self.lt(other), self.equals(other), self.gt(other)) {
            (true, ..) => Some(Less),
            (_, true, _) => Some(Equal),
            (.., true) => Some(Greater),
            _ => None,
        }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        first(lanes!(_CMP_LT_OQ, self, other))
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        first(lanes!(_CMP_LE_OQ, self, other))
    }
    #[inline(always)]
    fn gt(self, other: Self) -> bool {
        first(lanes!(_CMP_GT_OQ, self, other))
    }
    #[inline(always)]
    fn ge(self, other: Self) -> bool {
        first(lanes!(_CMP_GE_OQ, self, other))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        first(lanes!(_CMP_EQ_OQ, self, other))
    }
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self(avx2!(_mm256_set1_pd(x)))
    }
    /// Value of the leading lane; active lanes with another value diverge.
    #[inline(always)]
    fn to_f64(self) -> f64 {
        let active = ACTIVE.get();
        // If all lanes were uncertain, none is active, and any value will do.
        let lane = active & active.wrapping_neg();
        let first = self.store()[lane.trailing_zeros() as usize % 4];
        ACTIVE.set(active & (lanes!(_CMP_EQ_OQ, self, Self::from_f64(first)) | lane));
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
    /// `self` with the sign multiplied by that of `other`, which must not be zero.
    #[inline(always)]
    fn mul_sign(self, other: Self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, _mm256_and_pd(other.0, _mm256_set1_pd(-0.0)))))
    }
    /// Lanes that are negative or NaN become missed. Returns true if no lane stays active.
    #[inline(always)]
    fn is_miss(self) -> bool {
        let (active, passed) = (ACTIVE.get(), lanes!(_CMP_GE_OQ, self, Self::ZERO));
        ACTIVE.set(active & passed);
        MISSED.set(MISSED.get() | active & !passed);
        active & passed == 0
    }
    /// Lanes that are negative become missed if the filter certifies it; uncertain ones diverge.
    #[inline(always)]
    fn is_certain_miss(self, share: f64, magnitude: Self) -> (bool, bool) {
        let (active, passed) = (ACTIVE.get(), lanes!(_CMP_GE_OQ, self, Self::ZERO));
        let sure = lanes!(_CMP_GT_OQ, self.abs(), Self::from_f64(share) * magnitude);
        ACTIVE.set(active & passed);
        MISSED.set(MISSED.get() | active & !passed & sure);
        (active & passed == 0, true)
    }
    /// Always true: lanes that fail the filter test are uncertain and diverge.
    #[inline(always)]
    fn exceeds(self, share: f64, magnitude: Self) -> bool {
        ACTIVE.set(ACTIVE.get() & lanes!(_CMP_GT_OQ, self.abs(), Self::from_f64(share) * magnitude));
        true
    }
    /// Always true: lanes that fail the filter test are uncertain and diverge.
    #[inline(always)]
    fn is_at_least(self, share: f64, magnitude: Self) -> bool {
        ACTIVE.set(ACTIVE.get() & lanes!(_CMP_GE_OQ, self.abs(), Self::from_f64(share) * magnitude));
        true
    }
    /// Always true: lanes that are negative or NaN are uncertain and diverge.
    #[inline(always)]
    fn is_not_negative(self) -> bool {
        ACTIVE.set(ACTIVE.get() & lanes!(_CMP_GE_OQ, self, Self::ZERO));
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
    /// Returns `other` in a lane with a NaN, as the scalar `max` does.
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

    /// Checks every operation, and the active and miss masks where lanes differ.
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
                    F64x4::reset_masks();
                    let is_less = x.lt(y);
                    let like_first = (0..4).fold(0, |bits, i| bits | u32::from((a[i] < b[i]) == (a[0] < b[0])) << i);
                    self.0.push(u64::from(is_less == (a[0] < b[0]) && F64x4::lane_masks() == [like_first, 0]));
                    F64x4::reset_masks();
                    let all_miss = x.is_miss();
                    let hit = (0..4).fold(0, |bits, i| bits | u32::from(a[i] >= 0.0) << i);
                    self.0.push(u64::from(all_miss == (hit == 0) && F64x4::lane_masks() == [hit, !hit & 0xF]));
                    F64x4::reset_masks();
                    let first = x.to_f64();
                    let like_first = (0..4).fold(1, |bits, i| bits | u32::from(a[i] == a[0]) << i);
                    let result = first.to_bits() == a[0].to_bits() && F64x4::lane_masks()[0] == like_first;
                    self.0.push(u64::from(result || a[0].is_nan()));
                    // All lanes are uncertain: none is active, and later comparisons apply to none.
                    F64x4::reset_masks();
                    F64x4::ZERO.exceeds(1.0, F64x4::ONE);
                    x.to_f64();
                    self.0.push(u64::from(!x.lt(y) && F64x4::lane_masks() == [0, 0]));
                }
            }
        }
    }

    #[test]
    fn four_numbers_do_what_each_of_them_does() {
        let mut same = alloc::vec::Vec::new();
        if dispatch_four(All(&mut same)) {
            assert!(same.len() == 25 * 40 && same.iter().all(|same| *same == 1), "{same:?}");
        } else {
            std::eprintln!("SKIPPED: this machine has no AVX2, which F64x4 needs");
        }
    }
}
