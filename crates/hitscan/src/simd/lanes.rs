//! `SimdF32`: vectors of 16 `f32` lanes, with a portable implementation on arrays; prefetch.

use crate::math::eft::sqrt;
use crate::target::COMPACT;
use glam::Vec4;

/// Number of lanes of a full vector.
pub(crate) const LANES: usize = 16;

/// One `f32` per lane, in memory.
pub(crate) type F32Lanes = [f32; LANES];

/// Vector of `f32`: 16 lanes, or the first lanes of a row of 16. Each operation is that of IEEE 754 in every lane,
/// with the same bits on every machine, unless its documentation says otherwise.
pub(crate) trait SimdF32: Copy {
    /// Number of lanes. Loads and stores ignore the rest of the row; its mask bits are zero.
    const COUNT: usize;
    /// Whether filters that only save time are worth their code: not in a [`COMPACT`] build, nor without instructions for
    /// many lanes.
    const HAS_FILTERS: bool = !COMPACT;
    /// Whether the machine has AVX2 and FMA.
    const HAS_FMA: bool = false;
    /// Whether [`permute`](Self::permute) is one instruction.
    const CAN_PERMUTE: bool = false;
    /// Vector of half as many lanes for short rows, where the machine has one; else `Self`.
    type Half: SimdF32;
    fn load(lanes: &F32Lanes) -> Self;
    fn splat(x: f32) -> Self;
    fn store(self, lanes: &mut F32Lanes);
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self factor + more`, rounded once or twice depending on the machine: only for values with an error bound.
    #[inline(always)]
    fn mul_add(self, factor: Self, more: Self) -> Self {
        self.times(factor).plus(more)
    }
    /// `self factor - less`, rounded once or twice like [`mul_add`](Self::mul_add).
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        self.times(factor).minus(less)
    }
    /// `self - a b`, rounded once or twice like [`mul_add`](Self::mul_add).
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self.minus(a.times(b))
    }
    /// Maximum per lane; `other` where a lane is NaN.
    fn max(self, other: Self) -> Self;
    /// Minimum per lane; `other` where a lane is NaN.
    fn min(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// Square root; NaN of negative numbers.
    fn sqrt(self) -> Self;
    /// Larger magnitude per lane; the magnitude of either one where a lane is NaN.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.abs().max(other.abs())
    }
    /// `self` in the lanes of the mask, `other` in the rest.
    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        let (mut lanes, mut others) = ([0.0; LANES], [0.0; LANES]);
        self.store(&mut lanes);
        other.store(&mut others);
        Self::load(&core::array::from_fn(|i| if mask >> i & 1 == 1 { lanes[i] } else { others[i] }))
    }
    /// Bit mask of `self < other`; a NaN gives 0.
    fn less(self, other: Self) -> u32;
    /// Bit mask of `self <= other`; a NaN gives 0.
    fn le(self, other: Self) -> u32;
    /// The four numbers of `v` with these indices, each 0 to 3.
    #[inline(always)]
    fn permute(v: Vec4, lanes: &[u32; 4]) -> Vec4 {
        let v = v.to_array();
        Vec4::from_array(lanes.map(|lane| v[lane as usize % 4]))
    }
    /// Minimum over all lanes; requires that no lane is NaN.
    #[inline(always)]
    fn reduce_min(self) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes.into_iter().take(Self::COUNT).fold(f32::INFINITY, f32::min)
    }
    /// The lane with the least number among those of the mask, which is not empty; where one of them is NaN, any of them.
    #[inline(always)]
    fn nearest(self, mask: u32) -> usize {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        let mut nearest = mask.trailing_zeros() as usize % LANES;
        let mut others = mask & mask.wrapping_sub(1);
        while others != 0 {
            let lane = others.trailing_zeros() as usize % LANES;
            others &= others - 1;
            if lanes[lane] < lanes[nearest] {
                nearest = lane;
            }
        }
        nearest
    }
    /// The least number among the lanes of the mask, which is not empty; unspecified where one of them is NaN.
    #[inline(always)]
    fn reduce_min_of(self, mask: u32) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes[self.nearest(mask)]
    }
    /// Maximum over all lanes; requires that no lane is NaN.
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes.into_iter().take(Self::COUNT).fold(f32::NEG_INFINITY, f32::max)
    }
    /// Stream compaction: writes the numbers whose mask has bit `lane` to `out`, in order, and returns their count.
    /// Later entries of `out` are unspecified.
    #[inline(always)]
    fn compress(numbers: &[u32; LANES], masks: &[u16; LANES], lane: usize, out: &mut [u32; LANES]) -> usize {
        let mut count = 0;
        for (number, mask) in numbers.iter().zip(masks) {
            out[count % LANES] = *number;
            count += usize::from(mask >> (lane % LANES) & 1);
        }
        count
    }
}

/// Portable implementation, for every machine.
impl SimdF32 for F32Lanes {
    const COUNT: usize = LANES;
    const HAS_FILTERS: bool = false;
    type Half = Self;
    #[inline(always)]
    fn load(lanes: &F32Lanes) -> Self {
        *lanes
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        [x; LANES]
    }
    #[inline(always)]
    fn store(self, lanes: &mut F32Lanes) {
        *lanes = self;
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        each(self, other, |a, b| a + b)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        each(self, other, |a, b| a - b)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        each(self, other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        each(self, other, |a, b| a / b)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        each(self, other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each(self, other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each(self, self, |a, _| a.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // The root of an `f32` in `f64` has enough digits to be rounded twice.
        each(self, self, |a, _| sqrt(f64::from(a)) as f32)
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | u32::from(self[i] < other[i]) << i)
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | u32::from(self[i] <= other[i]) << i)
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) const SIGN: u32 = 1 << 31;

#[inline(always)]
fn each(a: F32Lanes, b: F32Lanes, f: impl Fn(f32, f32) -> f32) -> F32Lanes {
    core::array::from_fn(|i| f(a[i], b[i]))
}

/// Whether [`prefetch`] does anything.
pub(crate) const CAN_PREFETCH: bool = cfg!(target_arch = "x86_64");

/// Prefetches all cache lines of the item. Does nothing on machines without a prefetch instruction.
#[inline(always)]
pub(crate) fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unsafe_code)]
        // SAFETY: every x86-64 machine has the instruction, which reads nothing; the address is within the item.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(item).cast::<i8>().add(line));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

#[cfg(all(test, target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use crate::math::arithmetic::Arithmetic;
    use crate::math::double_word::DoubleWord;
    use crate::simd::avx2;
    use crate::simd::dispatch::{dispatch, dispatch_fma};
    use crate::simd::task::{FmaKernel, SimdKernel};

    /// Results of every operation on every pair of some numbers, as bits: on a full vector or on a half one.
    struct Table {
        half: bool,
    }
    impl SimdKernel for Table {
        type Output = alloc::vec::Vec<u32>;
        fn run<L: SimdF32>(self) -> Self::Output {
            if self.half { self.of::<L::Half>(LANES / 2) } else { self.of::<L>(LANES) }
        }
    }
    impl Table {
        #[inline(always)]
        fn of<L: SimdF32>(&self, count: usize) -> alloc::vec::Vec<u32> {
            let numbers = [0.0, -0.0, 1.5, -2.0, f32::MAX, f32::MIN_POSITIVE / 4.0, f32::NEG_INFINITY, f32::NAN];
            let mut bits = alloc::vec::Vec::new();
            for turn in 0..LANES {
                let a: F32Lanes = core::array::from_fn(|i| if i == turn { 3.0 } else { numbers[i % 8] });
                let b: F32Lanes = core::array::from_fn(|i| numbers[(i + turn + i / 8) % 8]);
                let (x, y) = (L::load(&a), L::load(&b));
                for z in
                    [x.plus(y), x.minus(y), x.times(y), x.div(y), x.max(y), x.min(y), x.abs(), x.sqrt(), L::splat(a[1])]
                {
                    let mut out = [0.0; LANES];
                    z.store(&mut out);
                    // The payload of a NaN depends on the machine.
                    bits.extend(out[..count].iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }));
                }
                // For a NaN and a number either one may result.
                let mut out = [0.0; LANES];
                x.larger(y).store(&mut out);
                let result = (0..count).filter(|&i| !a[i].is_nan() && !b[i].is_nan());
                bits.extend(result.map(|i| out[i].to_bits()));
                bits.extend([x.less(y), x.le(y)].map(|lanes| lanes & ((1 << count) - 1)));
                x.blend(0x5A5A_3C3C >> turn, y).store(&mut out);
                bits.extend(out[..count].iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }));
                // Lanes of numbers that are all different: the least one of a mask.
                let mask = (0x9E37_79B9 >> turn | 2) & ((1 << count) - 1);
                let different = L::load(&core::array::from_fn(|i| ((5 * i + turn) % LANES) as f32 - 4.0));
                bits.extend([different.nearest(mask) as u32, different.reduce_min_of(mask).to_bits()]);
                assert!(mask >> x.nearest(mask) & 1 == 1, "a lane of the mask even where some are NaN");
                assert!(x.le(x) >> L::COUNT == 0, "mask bits must be zero beyond COUNT");
            }
            bits
        }
    }

    #[test]
    fn registers_do_what_arrays_do() {
        for half in [false, true] {
            let expected = Table { half }.run::<F32Lanes>();
            assert_eq!(dispatch(Table { half }), expected);
            // On a machine with AVX-512, test AVX2 as well.
            if avx2::is_there() {
                // SAFETY: the machine has the instructions that the function is compiled for.
                assert_eq!(unsafe { avx2::run(Table { half }) }, expected);
            }
        }
    }

    /// The numbers that `compress` selects for every lane of some masks.
    struct Selections;
    impl SimdKernel for Selections {
        type Output = alloc::vec::Vec<alloc::vec::Vec<u32>>;
        fn run<L: SimdF32>(self) -> Self::Output {
            let numbers = core::array::from_fn(|i| 100 + i as u32);
            let masks = core::array::from_fn(|i| (0x9E37_79B9_u32 >> i) as u16);
            let select = |lane| {
                let mut out = [0; LANES];
                let count = L::compress(&numbers, &masks, lane, &mut out);
                out[..count].to_vec()
            };
            (0..LANES).map(select).collect()
        }
    }

    #[test]
    fn registers_select_what_arrays_select() {
        let expected = Selections.run::<F32Lanes>();
        assert!(expected.iter().any(|out| out.len() > 8) && expected.iter().all(|out| out.is_sorted()));
        assert_eq!(dispatch(Selections), expected);
        // On a machine with AVX-512, test AVX2 as well.
        if avx2::is_there() {
            // SAFETY: the machine has the instructions that the function is compiled for.
            assert_eq!(unsafe { avx2::run(Selections) }, expected);
        }
    }

    struct Permutations;
    impl SimdKernel for Permutations {
        type Output = alloc::vec::Vec<Vec4>;
        fn run<L: SimdF32>(self) -> Self::Output {
            let numbers = Vec4::new(-0.0, 1.5, f32::MAX, f32::MIN_POSITIVE / 2.0);
            (0..256).map(|i| L::permute(numbers, &[i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6])).collect()
        }
    }

    #[test]
    fn registers_permute_like_arrays() {
        let bits = |all: alloc::vec::Vec<Vec4>| all.into_iter().map(|v| v.to_array().map(f32::to_bits)).collect();
        let expected: alloc::vec::Vec<_> = bits(Permutations.run::<F32Lanes>());
        assert_eq!(expected[0b11_10_01_00], [-0.0, 1.5, f32::MAX, f32::MIN_POSITIVE / 2.0].map(f32::to_bits));
        assert_eq!(bits(dispatch(Permutations)), expected);
        if avx2::is_there() {
            // SAFETY: the machine has the instructions that the function is compiled for.
            assert_eq!(bits(unsafe { avx2::run(Permutations) }), expected);
        }
    }

    /// Double-word products, quotients and roots.
    struct Numbers;
    impl FmaKernel for Numbers {
        type Output = alloc::vec::Vec<(f64, f64)>;
        fn run<const FMA: bool>(self) -> Self::Output {
            let number = |x: f64| DoubleWord::<FMA>::from_f64(x);
            let [a, b, c] = [number(1.0) / number(3.0), number(-7.7e100).sq(), number(2.0).sqrt()];
            [a * b, b / c, (a * c).sqrt(), a * a - c].map(Arithmetic::parts).to_vec()
        }
    }

    #[test]
    fn fused_instructions_change_nothing() {
        assert_eq!(dispatch_fma(Numbers), Numbers.run::<false>());
    }
}
