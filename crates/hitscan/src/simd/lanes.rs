//! Instructions that only some machines have, chosen when the program runs: wider vectors, and multiplication and
//! addition fused into one; and large pages of memory.

/// How many numbers are computed with at a time.
pub(crate) const LANES: usize = 16;

/// A number in each lane.
pub(crate) type Row = [f32; LANES];

/// Sixteen numbers at a time, or those at the beginning of a row. Each operation is that of IEEE 754 in every lane, whatever
/// the machine: the same bits, but for those that say otherwise.
pub(crate) trait SimdF32: Copy {
    /// How many numbers they are. Of a row that is loaded or stored others do not count; of masks their bits are zero.
    const COUNT: usize;
    /// Where the machine has registers of half as many, these, for short rows; else the same.
    type Half: SimdF32;
    fn load(lanes: &Row) -> Self;
    fn splat(x: f32) -> Self;
    fn store(self, lanes: &mut Row);
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    /// `self factor + more`, rounded once or twice, as the machine likes: only for numbers that come with a bound.
    #[inline(always)]
    fn times_plus(self, factor: Self, more: Self) -> Self {
        self.times(factor).plus(more)
    }
    /// `self factor - less`, likewise.
    #[inline(always)]
    fn times_minus(self, factor: Self, less: Self) -> Self {
        self.times(factor).minus(less)
    }
    /// `self - a b`, likewise.
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self.minus(a.times(b))
    }
    /// The larger one; `other` where a lane is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller one; `other` where a lane is NaN.
    fn min(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// The larger one of the two without their signs; any of the two where a lane is NaN.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.abs().max(other.abs())
    }
    /// Where this is less, as bits; never where a lane is NaN.
    fn less(self, other: Self) -> u32;
    /// Where this is less or equal, as bits; never where a lane is NaN.
    fn at_most(self, other: Self) -> u32;
    /// The smallest of all, if none is NaN.
    #[inline(always)]
    fn least(self) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes.into_iter().take(Self::COUNT).fold(f32::INFINITY, f32::min)
    }
    /// The largest of all, if none is NaN.
    #[inline(always)]
    fn most(self) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(&mut lanes);
        lanes.into_iter().take(Self::COUNT).fold(f32::NEG_INFINITY, f32::max)
    }
    /// The numbers whose mask has bit `lane`, in their order, and how many they are; what is written behind them means nothing.
    #[inline(always)]
    fn select(numbers: &[u32; LANES], masks: &[u16; LANES], lane: usize, out: &mut [u32; LANES]) -> usize {
        let mut count = 0;
        for (number, mask) in numbers.iter().zip(masks) {
            out[count % LANES] = *number;
            count += usize::from(mask >> (lane % LANES) & 1);
        }
        count
    }
}

/// Lanes for any machine.
impl SimdF32 for Row {
    const COUNT: usize = LANES;
    type Half = Self;
    #[inline(always)]
    fn load(lanes: &Row) -> Self {
        *lanes
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        [x; LANES]
    }
    #[inline(always)]
    fn store(self, lanes: &mut Row) {
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
    fn over(self, other: Self) -> Self {
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
    fn less(self, other: Self) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | u32::from(self[i] < other[i]) << i)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | u32::from(self[i] <= other[i]) << i)
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) const SIGN: u32 = 1 << 31;

#[inline(always)]
fn each(a: Row, b: Row, f: impl Fn(f32, f32) -> f32) -> Row {
    core::array::from_fn(|i| f(a[i], b[i]))
}

/// Asks for memory that will soon be read, where a machine can be asked.
#[inline(always)]
pub(crate) fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[allow(unsafe_code)]
        // SAFETY: every such machine has the instruction, which reads nothing; the address is within the item.
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
    use crate::simd::task::{FmaKernel, Task};

    /// Every operation on every pair of some numbers, as bits: of a row, or in registers for half of it.
    struct Table {
        half: bool,
    }
    impl Task for Table {
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
                let a: Row = core::array::from_fn(|i| if i == turn { 3.0 } else { numbers[i % 8] });
                let b: Row = core::array::from_fn(|i| numbers[(i + turn + i / 8) % 8]);
                let (x, y) = (L::load(&a), L::load(&b));
                for z in [x.plus(y), x.minus(y), x.times(y), x.over(y), x.max(y), x.min(y), x.abs(), L::splat(a[1])] {
                    let mut out = [0.0; LANES];
                    z.store(&mut out);
                    // Which NaN comes out is the machine's affair.
                    bits.extend(out[..count].iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }));
                }
                // Of a NaN and a number any may come out.
                let mut out = [0.0; LANES];
                x.larger(y).store(&mut out);
                let told = (0..count).filter(|&i| !a[i].is_nan() && !b[i].is_nan());
                bits.extend(told.map(|i| out[i].to_bits()));
                bits.extend([x.less(y), x.at_most(y)].map(|lanes| lanes & ((1 << count) - 1)));
                assert!(x.at_most(x) >> L::COUNT == 0, "no lanes but its own");
            }
            bits
        }
    }

    #[test]
    fn registers_do_what_arrays_do() {
        for half in [false, true] {
            let expected = Table { half }.run::<Row>();
            assert_eq!(dispatch(Table { half }), expected);
            // The widest registers are not the only ones.
            if avx2::is_there() {
                // SAFETY: the machine has the instructions that the function is compiled for.
                assert_eq!(unsafe { avx2::run(Table { half }) }, expected);
            }
        }
    }

    /// What is selected by every lane of some masks.
    struct Selections;
    impl Task for Selections {
        type Output = alloc::vec::Vec<alloc::vec::Vec<u32>>;
        fn run<L: SimdF32>(self) -> Self::Output {
            let numbers = core::array::from_fn(|i| 100 + i as u32);
            let masks = core::array::from_fn(|i| (0x9E37_79B9_u32 >> i) as u16);
            let select = |lane| {
                let mut out = [0; LANES];
                let count = L::select(&numbers, &masks, lane, &mut out);
                out[..count].to_vec()
            };
            (0..LANES).map(select).collect()
        }
    }

    #[test]
    fn registers_select_what_arrays_select() {
        let expected = Selections.run::<Row>();
        assert!(expected.iter().any(|out| out.len() > 8) && expected.iter().all(|out| out.is_sorted()));
        assert_eq!(dispatch(Selections), expected);
    }

    /// Products, quotients and roots.
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
