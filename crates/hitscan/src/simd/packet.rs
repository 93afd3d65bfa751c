//! Packets: several `f64` lanes in one register, as numbers of the kernels. A kernel branches on the leading active lane.

use super::dispatch::{Width, has_avx2, width};
use crate::math::arithmetic::Arithmetic;
use core::arch::x86_64::*;
use core::cell::Cell;
use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// The most lanes of a packet.
pub(crate) const MOST_LANES: usize = 8;

/// Packet of `f64` lanes. Arithmetic is that of IEEE 754 in every lane: the bits of
/// [`FilterF64`](crate::math::filter_f64::FilterF64). A comparison returns the result of the leading lane, the lowest
/// active one; active lanes with another result have diverged and leave the active mask ([`lane_masks`]).
/// Values exist only inside [`dispatch_packets`] and [`dispatch_four`].
pub(crate) trait Packet: Arithmetic {
    /// The number of lanes.
    const LANES: usize;
    /// The first numbers of a row, one per lane.
    fn load(row: &[f64; MOST_LANES]) -> Self;
    /// The numbers at these places of a row, one per lane.
    fn gather<const N: usize>(row: &[f64; N], places: &[usize; MOST_LANES]) -> Self;
    /// Writes the lanes to the first numbers of a row.
    fn store(self, row: &mut [f64; MOST_LANES]);
    /// Bit mask of the lanes below zero. No lane diverges.
    fn negative(self) -> u32;
}

std::thread_local! {
    /// Bit mask of the active lanes: they follow the branches taken so far.
    static ACTIVE: Cell<u32> = const { Cell::new(0) };
    /// Bit mask of the lanes that missed.
    static MISSED: Cell<u32> = const { Cell::new(0) };
}

/// Makes the first lanes active and clears the miss mask.
#[inline(always)]
pub(crate) fn reset_masks(lanes: usize) {
    ACTIVE.set((1 << lanes) - 1);
    MISSED.set(0);
}

/// Bit masks `[active, missed]` since the last [`reset_masks`]. Computed values hold for the active lanes. A lane in neither mask has
/// diverged.
#[inline(always)]
pub(crate) fn lane_masks() -> [u32; 2] {
    [ACTIVE.get(), MISSED.get()]
}

/// Kernel over packets. All its code must be inlined into [`run`](Self::run): a called function is compiled for
/// the baseline instruction set.
pub(crate) trait PacketTask {
    fn run<P: Packet>(self);
}

/// Kernel over packets of four lanes, like [`PacketTask`].
pub(crate) trait FourTask {
    fn run(self);
}

/// Runs the task if the machine has packets of four lanes. Returns whether it ran.
#[inline]
pub(crate) fn dispatch_four(task: impl FourTask) -> bool {
    let can = has_avx2();
    if can {
        // SAFETY: the machine has the instructions that the function is compiled for.
        unsafe {
            run_task(task);
        }
    }
    can
}

#[target_feature(enable = "avx2,bmi1")]
fn run_task(task: impl FourTask) {
    task.run();
}

/// Runs the task with the widest packets of the machine. Returns whether there are any.
#[inline]
pub(crate) fn dispatch_packets(task: impl PacketTask) -> bool {
    match width() {
        // SAFETY: the machine has the instructions that the function is compiled for.
        Width::Sixteen => unsafe { run_eight(task) },
        // SAFETY: as above.
        Width::Eight => unsafe { run_four(task) },
        Width::Any | Width::Unknown => return false,
    }
    true
}

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi1,popcnt")]
fn run_eight(task: impl PacketTask) {
    task.run::<F64x8>();
}

/// Runs the task with packets of four lanes, on a machine that may have wider ones.
#[cfg(test)]
pub(crate) fn run_four_lanes(task: impl PacketTask) {
    assert!(has_avx2());
    // SAFETY: the machine has AVX2.
    unsafe {
        run_four(task);
    }
}

#[target_feature(enable = "avx2,bmi1")]
fn run_four(task: impl PacketTask) {
    task.run::<F64x4>();
}

/// Wraps an intrinsic.
macro_rules! wide {
    ($instruction:expr) => {{
        // SAFETY: packets exist only after `dispatch_packets` has detected their instructions; loads and stores get as many numbers as
        // there are lanes.
        unsafe { $instruction }
    }};
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

/// Lanes outside of the mask are uncertain and diverge.
#[inline(always)]
fn keep(lanes: u32) {
    ACTIVE.set(ACTIVE.get() & lanes);
}

/// Lanes outside of `passed` leave the active mask, and become missed where `sure`. Returns whether no lane stays active.
#[inline(always)]
fn miss(passed: u32, sure: u32) -> bool {
    let active = ACTIVE.get();
    ACTIVE.set(active & passed);
    MISSED.set(MISSED.get() | active & !passed & sure);
    active & passed == 0
}

/// Defines a packet by the intrinsics of its register.
macro_rules! packet {
    (
        $(#[$doc:meta])* $name:ident($register:ty), $lanes:literal lanes;
        $load:ident, $store:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $sqrt:ident, $max:ident, $min:ident,
        $xor:ident, $and:ident, $and_not:ident;
        mask of $how:ident: |$a:ident, $b:ident| $mask:expr;
        gather by $at:ident: $gather:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        /// Bit mask of the lanes for which a comparison holds.
        #[inline(always)]
        fn $how<const HOW: i32>($a: $name, $b: $name) -> u32 {
            wide!($mask)
        }

        impl Packet for $name {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(row: &[f64; MOST_LANES]) -> Self {
                Self(wide!($load(row.as_ptr())))
            }
            #[inline(always)]
            fn gather<const N: usize>(row: &[f64; N], places: &[usize; MOST_LANES]) -> Self {
                /// The numbers of the lanes.
                struct At<'a, const N: usize>(&'a [f64; N], &'a [usize; MOST_LANES]);
                impl<const N: usize> At<'_, N> {
                    #[inline(always)]
                    fn lane(&self, lane: usize) -> f64 {
                        self.0[self.1[lane] % N]
                    }
                }
                let $at = At(row, places);
                Self(wide!($gather))
            }
            #[inline(always)]
            fn store(self, row: &mut [f64; MOST_LANES]) {
                wide!($store(row.as_mut_ptr(), self.0));
            }
            #[inline(always)]
            fn negative(self) -> u32 {
                $how::<_CMP_LT_OQ>(self, Self::ZERO)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut row = [0.0; MOST_LANES];
                self.store(&mut row);
                row[..$lanes].fmt(f)
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(wide!($add(self.0, other.0)))
            }
        }

        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(wide!($sub(self.0, other.0)))
            }
        }

        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(wide!($mul(self.0, other.0)))
            }
        }

        impl Div for $name {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                Self(wide!($div(self.0, other.0)))
            }
        }

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(wide!($xor(self.0, $splat(-0.0))))
            }
        }

        impl Arithmetic for $name {
            // SAFETY: the register consists of these numbers.
            const ZERO: Self = Self(unsafe { core::mem::transmute::<[f64; $lanes], $register>([0.0; $lanes]) });
            // SAFETY: as above.
            const ONE: Self = Self(unsafe { core::mem::transmute::<[f64; $lanes], $register>([1.0; $lanes]) });
            const NORMWISE_BOUNDS: bool = true;
            const PACKET: bool = true;

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
                first($how::<_CMP_LT_OQ>(self, other))
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                first($how::<_CMP_LE_OQ>(self, other))
            }
            #[inline(always)]
            fn gt(self, other: Self) -> bool {
                first($how::<_CMP_GT_OQ>(self, other))
            }
            #[inline(always)]
            fn ge(self, other: Self) -> bool {
                first($how::<_CMP_GE_OQ>(self, other))
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                first($how::<_CMP_EQ_OQ>(self, other))
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                Self(wide!($splat(x)))
            }
            /// Value of the leading lane; active lanes with another value diverge.
            #[inline(always)]
            fn to_f64(self) -> f64 {
                let (active, mut row) = (ACTIVE.get(), [0.0; MOST_LANES]);
                self.store(&mut row);
                // If all lanes were uncertain, none is active, and any value will do.
                let lane = active & active.wrapping_neg();
                let first = row[lane.trailing_zeros() as usize % $lanes];
                ACTIVE.set(active & ($how::<_CMP_EQ_OQ>(self, Self::from_f64(first)) | lane));
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
                Self(wide!($xor(self.0, $and(other.0, $splat(-0.0)))))
            }
            /// Lanes that are negative or NaN become missed. Returns true if no lane stays active.
            #[inline(always)]
            fn is_miss(self) -> bool {
                miss($how::<_CMP_GE_OQ>(self, Self::ZERO), u32::MAX)
            }
            /// Lanes that are negative become missed if the filter certifies it; uncertain ones diverge.
            #[inline(always)]
            fn is_certain_miss(self, share: f64, magnitude: Self) -> (bool, bool) {
                let sure = $how::<_CMP_GT_OQ>(self.abs(), Self::from_f64(share) * magnitude);
                (miss($how::<_CMP_GE_OQ>(self, Self::ZERO), sure), true)
            }
            /// Always true: lanes that fail the filter test are uncertain and diverge.
            #[inline(always)]
            fn exceeds(self, share: f64, magnitude: Self) -> bool {
                keep($how::<_CMP_GT_OQ>(self.abs(), Self::from_f64(share) * magnitude));
                true
            }
            /// Always true: lanes that fail the filter test are uncertain and diverge.
            #[inline(always)]
            fn is_at_least(self, share: f64, magnitude: Self) -> bool {
                keep($how::<_CMP_GE_OQ>(self.abs(), Self::from_f64(share) * magnitude));
                true
            }
            /// Always true: lanes that are negative or NaN are uncertain and diverge.
            #[inline(always)]
            fn is_not_negative(self) -> bool {
                keep($how::<_CMP_GE_OQ>(self, Self::ZERO));
                true
            }
            /// Always true: lanes whose sign is uncertain diverge.
            #[inline(always)]
            fn is_decided(low: Self, high: Self) -> bool {
                keep($how::<_CMP_GE_OQ>(low, Self::ZERO) | $how::<_CMP_LT_OQ>(high, Self::ZERO));
                true
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(wide!($sqrt(self.0)))
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
                Self(wide!($and_not($splat(-0.0), self.0)))
            }
            /// Returns `other` in a lane with a NaN, as the scalar `max` does.
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(wide!($max(self.0, other.0)))
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(wide!($min(self.0, other.0)))
            }
        }
    };
}

packet! {
    /// Four lanes of AVX2.
    F64x4(__m256d), 4 lanes;
    _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd, _mm256_sqrt_pd,
    _mm256_max_pd, _mm256_min_pd, _mm256_xor_pd, _mm256_and_pd, _mm256_andnot_pd;
    mask of four: |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<HOW>(a.0, b.0)).cast_unsigned();
    gather by at: _mm256_set_pd(at.lane(3), at.lane(2), at.lane(1), at.lane(0))
}

packet! {
    /// Eight lanes of AVX-512.
    F64x8(__m512d), 8 lanes;
    _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_div_pd, _mm512_sqrt_pd,
    _mm512_max_pd, _mm512_min_pd, _mm512_xor_pd, _mm512_and_pd, _mm512_andnot_pd;
    mask of eight: |a, b| u32::from(_mm512_cmp_pd_mask::<HOW>(a.0, b.0));
    gather by at: _mm512_set_pd(
        at.lane(7), at.lane(6), at.lane(5), at.lane(4), at.lane(3), at.lane(2), at.lane(1), at.lane(0)
    )
}

impl F64x4 {
    #[inline(always)]
    pub(crate) fn of_singles(lanes: &[f32; 4]) -> Self {
        Self(wide!(_mm256_cvtps_pd(_mm_loadu_ps(lanes.as_ptr()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Checks every operation, and the active and miss masks where lanes differ.
    struct All<'a>(&'a mut Vec<u64>);
    impl PacketTask for All<'_> {
        fn run<P: Packet>(self) {
            let numbers = [1.5, -2.0, 0.0, f64::NAN, f64::MAX, -0.0, f64::MIN_POSITIVE, -7.25];
            let rows = (0..8).map(|first| core::array::from_fn(|i| numbers[(first + i) % 8]));
            let all = (1 << P::LANES) - 1;
            let bits = |is: &dyn Fn(usize) -> bool| (0..P::LANES).fold(0, |bits, i| bits | u32::from(is(i)) << i);
            let stored = |x: P| {
                let mut row = [0.0; MOST_LANES];
                x.store(&mut row);
                row
            };
            for a in rows.clone() {
                for b in rows.clone().rev() {
                    let (x, y) = (P::load(&a), P::load(&b));
                    let results = [x + y, x - y, x * y, x / y, -x, x.abs(), x.abs().sqrt(), x.max(y), x.min(y)];
                    for (operation, found) in results.into_iter().enumerate() {
                        for (i, found) in stored(found).into_iter().enumerate().take(P::LANES) {
                            let (a, b) = (a[i], b[i]);
                            let (max, min) = (if a > b { a } else { b }, if a < b { a } else { b });
                            let alone = [a + b, a - b, a * b, a / b, -a, a.abs(), a.abs().sqrt(), max, min][operation];
                            let same = found.to_bits() == alone.to_bits() || found.is_nan() && alone.is_nan();
                            self.0.push(u64::from(same));
                        }
                    }
                    reset_masks(P::LANES);
                    let is_less = x.lt(y);
                    let like_first = bits(&|i| (a[i] < b[i]) == (a[0] < b[0]));
                    self.0.push(u64::from(is_less == (a[0] < b[0]) && lane_masks() == [like_first, 0]));
                    reset_masks(P::LANES);
                    let all_miss = x.is_miss();
                    let hit = bits(&|i| a[i] >= 0.0);
                    self.0.push(u64::from(all_miss == (hit == 0) && lane_masks() == [hit, !hit & all]));
                    // Only a certain miss is one.
                    reset_masks(P::LANES);
                    x.is_certain_miss(1.0, y);
                    let sure = bits(&|i| !(a[i] >= 0.0) && a[i].abs() > b[i]);
                    self.0.push(u64::from(lane_masks() == [hit, sure]));
                    reset_masks(P::LANES);
                    let first = x.to_f64();
                    let like_first = bits(&|i| i == 0 || a[i] == a[0]);
                    let result = first.to_bits() == a[0].to_bits() && lane_masks()[0] == like_first;
                    self.0.push(u64::from(result || a[0].is_nan()));
                    // All lanes are uncertain: none is active, and later comparisons apply to none.
                    reset_masks(P::LANES);
                    P::ZERO.exceeds(1.0, P::ONE);
                    x.to_f64();
                    self.0.push(u64::from(!x.lt(y) && lane_masks() == [0, 0]));
                }
            }
        }
    }

    #[test]
    fn packets_do_what_each_of_their_numbers_does() {
        let mut same = Vec::new();
        if dispatch_packets(All(&mut same)) {
            assert!(same.len() >= 64 * 41 && same.iter().all(|same| *same == 1), "{same:?}");
        } else {
            std::eprintln!("SKIPPED: this machine has no AVX2, which packets need");
        }
        // A machine with AVX-512 has the narrower ones, too.
        if has_avx2() {
            let mut same = Vec::new();
            run_four_lanes(All(&mut same));
            assert!(same.len() == 64 * 41 && same.iter().all(|same| *same == 1), "{same:?}");
        }
    }
}
