//! Instructions that only some machines have, chosen when the program runs: wider vectors, and multiplication and
//! addition fused into one.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod avx2;
#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
#[allow(unsafe_code)]
mod four;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg(all(feature = "std", target_arch = "x86_64", not(feature = "small")))]
pub(crate) use four::{Four, FourTask, abreast};

/// What is computed in [`Pair`](crate::math::Pair)s. All of it must be inlined into [`run`](Self::run): what is called is
/// compiled for any machine.
pub(crate) trait FusedTask {
    type Output;
    /// In numbers of type `Pair<FUSED>`.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Runs the task with fused instructions if there are any. The answer is the same, bit for bit: they only find the
/// rounding error of a product in one step instead of sixteen.
#[inline]
pub(crate) fn fused<T: FusedTask>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("fma") {
        #[allow(unsafe_code)]
        // SAFETY: the machine has the instructions that the function is compiled for.
        return unsafe { run_fused(task) };
    }
    task.run::<false>()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "fma")]
fn run_fused<T: FusedTask>(task: T) -> T::Output {
    task.run::<true>()
}

/// Eight numbers at a time. Each operation is that of IEEE 754 in every lane, whatever the machine: the same bits, but
/// for the two that say otherwise.
pub(crate) trait Lanes: Copy {
    fn load(lanes: &[f32; 8]) -> Self;
    /// Of numbers that have only an upper half.
    fn load_upper(lanes: &[u16; 8]) -> Self;
    fn splat(x: f32) -> Self;
    fn store(self, lanes: &mut [f32; 8]);
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
    /// The larger one; `other` where a lane is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller one; `other` where a lane is NaN.
    fn min(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// Turned around where the sign bit of the other one is set.
    fn facing(self, other: Self) -> Self;
    /// Where this is less, as bits; never where a lane is NaN.
    fn less(self, other: Self) -> u32;
    /// Where this is less or equal, as bits; never where a lane is NaN.
    fn at_most(self, other: Self) -> u32;
}

/// Lanes for any machine.
impl Lanes for [f32; 8] {
    #[inline(always)]
    fn load(lanes: &[f32; 8]) -> Self {
        *lanes
    }
    #[inline(always)]
    fn load_upper(lanes: &[u16; 8]) -> Self {
        core::array::from_fn(|i| f32::from_bits(u32::from(lanes[i]) << 16))
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        [x; 8]
    }
    #[inline(always)]
    fn store(self, lanes: &mut [f32; 8]) {
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
    fn facing(self, other: Self) -> Self {
        each(self, other, |a, b| f32::from_bits(a.to_bits() ^ (b.to_bits() & SIGN)))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        (0..8).fold(0, |bits, i| bits | u32::from(self[i] < other[i]) << i)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        (0..8).fold(0, |bits, i| bits | u32::from(self[i] <= other[i]) << i)
    }
}

const SIGN: u32 = 1 << 31;

#[inline(always)]
fn each(a: [f32; 8], b: [f32; 8], f: impl Fn(f32, f32) -> f32) -> [f32; 8] {
    core::array::from_fn(|i| f(a[i], b[i]))
}

/// What computes in eight lanes. All of it must be inlined into [`run`](Self::run): what is called is compiled for any
/// machine.
pub(crate) trait Task {
    type Output;
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs the task in registers of eight numbers if there are any.
#[inline]
pub(crate) fn vectorized<T: Task>(task: T) -> T::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if avx2::is_there() {
        #[allow(unsafe_code)]
        // SAFETY: the machine has the instructions that the function is compiled for.
        return unsafe { avx2::run(task) };
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return task.run::<simd128::Registers>();
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    task.run::<[f32; 8]>()
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
mod tests {
    use super::*;
    use crate::math::{Pair, Wide};

    /// Every operation on every pair of some numbers, as bits.
    struct Table;
    impl Task for Table {
        type Output = alloc::vec::Vec<u32>;
        fn run<L: Lanes>(self) -> Self::Output {
            let numbers = [0.0, -0.0, 1.5, -2.0, f32::MAX, f32::MIN_POSITIVE / 4.0, f32::NEG_INFINITY, f32::NAN];
            let mut bits = alloc::vec::Vec::new();
            for turn in 0..8 {
                let (mut a, mut b) = (numbers, numbers);
                b.rotate_left(turn);
                a[turn] = 3.0;
                let (x, y) = (L::load(&a), L::load(&b));
                for z in [
                    x.plus(y),
                    x.minus(y),
                    x.times(y),
                    x.over(y),
                    x.max(y),
                    x.min(y),
                    x.abs(),
                    x.facing(y),
                    L::splat(a[1]),
                ] {
                    let mut out = [0.0; 8];
                    z.store(&mut out);
                    // Which NaN comes out is the machine's affair.
                    bits.extend(out.map(|x| if x.is_nan() { 1 } else { x.to_bits() }));
                }
                bits.extend([x.less(y), x.at_most(y)]);
            }
            bits
        }
    }

    #[test]
    fn registers_do_what_arrays_do() {
        assert_eq!(vectorized(Table), Table.run::<[f32; 8]>());
    }

    /// Products, quotients and roots.
    struct Numbers;
    impl FusedTask for Numbers {
        type Output = alloc::vec::Vec<(f64, f64)>;
        fn run<const FUSED: bool>(self) -> Self::Output {
            let number = |x: f64| Pair::<FUSED>::from_f64(x);
            let [a, b, c] = [number(1.0) / number(3.0), number(-7.7e100).sq(), number(2.0).sqrt()];
            [a * b, b / c, (a * c).sqrt(), a * a - c].map(Wide::parts).to_vec()
        }
    }

    #[test]
    fn fused_instructions_change_nothing() {
        assert_eq!(fused(Numbers), Numbers.run::<false>());
    }
}
