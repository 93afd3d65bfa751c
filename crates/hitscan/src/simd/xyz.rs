//! `Xyz`: three `f64` in one register, and the error-free transformations of their sums and products.

use crate::math::eft::two_prod;
use crate::math::vec3::Vec3;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// Four lanes.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
type Register = __m256d;
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
type Register = [f64; 4];

/// Three `f64`, and a lane of zero that sums ignore. The numbers are the same with `FMA` and without.
///
/// Values with `FMA` exist only inside [`dispatch_fma`](super::dispatch::dispatch_fma) and its siblings, after they have
/// detected AVX2 and FMA.
#[derive(Clone, Copy)]
pub(crate) struct Xyz<const FMA: bool>(Register);

/// An operation: by an AVX2 instruction, or lane by lane.
macro_rules! lanes {
    ($instruction:expr, |$($x:ident),+| $number:expr) => {{
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instruction.
            return Self(unsafe { $instruction });
        }
        $(let $x = $x.lanes();)+
        Self::from_lanes([0, 1, 2, 3].map(|i| { $(let $x = $x[i];)+ $number }))
    }};
}

impl<const FMA: bool> Xyz<FMA> {
    #[inline(always)]
    fn from_lanes(lanes: [f64; 4]) -> Self {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        {
            if FMA {
                let [x, y, z, w] = lanes;
                #[allow(unsafe_code)]
                // SAFETY: values with `FMA` exist only on machines with the instruction.
                return Self(unsafe { _mm256_set_pd(w, z, y, x) });
            }
            #[allow(unsafe_code)]
            // SAFETY: both are four `f64`, and every bit pattern is one.
            return Self(unsafe { core::mem::transmute::<[f64; 4], __m256d>(lanes) });
        }
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        Self(lanes)
    }
    #[inline(always)]
    fn lanes(self) -> [f64; 4] {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        #[allow(unsafe_code)]
        // SAFETY: both are four `f64`, and every bit pattern is one.
        return unsafe { core::mem::transmute::<__m256d, [f64; 4]>(self.0) };
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        self.0
    }
    #[inline(always)]
    pub(crate) fn new([x, y, z]: [f64; 3]) -> Self {
        Self::from_lanes([x, y, z, 0.0])
    }
    /// Three numbers of `f32`, and a fourth that nothing reads.
    #[inline(always)]
    pub(crate) fn from_singles(v: [f32; 4]) -> Self {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            let [x, y, z, w] = v;
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instructions.
            return Self(unsafe { _mm256_cvtps_pd(_mm_set_ps(w, z, y, x)) });
        }
        Self::from_lanes(v.map(f64::from))
    }
    #[inline(always)]
    pub(crate) fn from_vec(v: Vec3<f64>) -> Self {
        Self::new([v.x, v.y, v.z])
    }
    #[inline(always)]
    pub(crate) fn to_array(self) -> [f64; 3] {
        let [x, y, z, _] = self.lanes();
        [x, y, z]
    }
    /// `y`, `z`, `x`.
    #[inline(always)]
    fn yzx(self) -> Self {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instruction.
            return Self(unsafe { _mm256_permute4x64_pd::<0b11_00_10_01>(self.0) });
        }
        let [x, y, z, w] = self.lanes();
        Self::from_lanes([y, z, x, w])
    }
    /// Cross product, rounded.
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        (self * other.yzx() - self.yzx() * other).yzx()
    }
    /// The same number in each lane, zero in the fourth.
    #[inline(always)]
    pub(crate) fn splat(x: f64) -> Self {
        Self::new([x; 3])
    }
    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        let x = self;
        lanes!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x.0), |x| x.abs())
    }
    /// `x + y + z`.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        let [x, y, z, _] = self.lanes();
        x + y + z
    }
    /// The sums of four vectors, each as [`sum`](Self::sum) has it.
    #[inline(always)]
    pub(crate) fn sums([a, b, c, d]: [Self; 4]) -> [f64; 4] {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instructions.
            let sums = unsafe {
                let [x, y, z] = columns([a.0, b.0, c.0, d.0]);
                _mm256_add_pd(_mm256_add_pd(x, y), z)
            };
            return Self(sums).lanes();
        }
        [a.sum(), b.sum(), c.sum(), d.sum()]
    }
    /// The sums of two vectors.
    #[inline(always)]
    pub(crate) fn two_sums(a: Self, b: Self) -> [f64; 2] {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instructions.
            let sums = unsafe {
                let (xz, y) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
                let xy = _mm_add_pd(_mm256_castpd256_pd128(xz), _mm256_castpd256_pd128(y));
                _mm_add_pd(xy, _mm256_extractf128_pd::<1>(xz))
            };
            #[allow(unsafe_code)]
            // SAFETY: both are two `f64`, and every bit pattern is one.
            return unsafe { core::mem::transmute::<__m128d, [f64; 2]>(sums) };
        }
        [a.sum(), b.sum()]
    }
    /// The largest of three numbers that are not NaN.
    #[inline(always)]
    pub(crate) fn max_lane(self) -> f64 {
        let [x, y, z, _] = self.lanes();
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        larger(larger(x, y), z)
    }
    /// The largest number of each of four vectors, as [`max_lane`](Self::max_lane) has it.
    #[inline(always)]
    pub(crate) fn max_lanes([a, b, c, d]: [Self; 4]) -> [f64; 4] {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instructions.
            let largest = unsafe {
                let [x, y, z] = columns([a.0, b.0, c.0, d.0]);
                _mm256_max_pd(_mm256_max_pd(x, y), z)
            };
            return Self(largest).lanes();
        }
        [a.max_lane(), b.max_lane(), c.max_lane(), d.max_lane()]
    }
    /// Rounded products and their exact errors.
    #[inline(always)]
    pub(crate) fn two_prod(self, other: Self) -> (Self, Self) {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if FMA {
            let high = self * other;
            #[allow(unsafe_code)]
            // SAFETY: values with `FMA` exist only on machines with the instruction.
            return (high, Self(unsafe { _mm256_fmsub_pd(self.0, other.0, high.0) }));
        }
        let (a, b) = (self.lanes(), other.lanes());
        let products = [0, 1, 2, 3].map(|i| two_prod(a[i], b[i]));
        (Self::from_lanes(products.map(|product| product.0)), Self::from_lanes(products.map(|product| product.1)))
    }
    /// Rounded sums and their exact errors.
    #[inline(always)]
    pub(crate) fn two_sum(self, other: Self) -> (Self, Self) {
        let sum = self + other;
        let other_part = sum - self;
        (sum, (self - (sum - other_part)) + (other - other_part))
    }
}

/// The first, second and third lanes of four registers.
///
/// # Safety
/// The machine must have AVX.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn columns([a, b, c, d]: [__m256d; 4]) -> [__m256d; 3] {
    // SAFETY: the caller's.
    unsafe {
        let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        let (x, z) = (_mm256_permute2f128_pd::<0x20>(ab, cd), _mm256_permute2f128_pd::<0x31>(ab, cd));
        let (ab, cd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        [x, _mm256_permute2f128_pd::<0x20>(ab, cd), z]
    }
}

impl<const FMA: bool> Add for Xyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self, other);
        lanes!(_mm256_add_pd(a.0, b.0), |a, b| a + b)
    }
}

impl<const FMA: bool> Sub for Xyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (a, b) = (self, other);
        lanes!(_mm256_sub_pd(a.0, b.0), |a, b| a - b)
    }
}

impl<const FMA: bool> Mul for Xyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self, other);
        lanes!(_mm256_mul_pd(a.0, b.0), |a, b| a * b)
    }
}

impl<const FMA: bool> Div for Xyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let (a, b) = (self, other);
        lanes!(_mm256_div_pd(a.0, b.0), |a, b| a / b)
    }
}

impl<const FMA: bool> Neg for Xyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let x = self;
        lanes!(_mm256_xor_pd(_mm256_set1_pd(-0.0), x.0), |x| -x)
    }
}

/// Unevaluated sums of two vectors, like [`DoubleWord`](crate::math::double_word::DoubleWord): `low` is as small as the rounding
/// errors of `high`.
#[derive(Clone, Copy)]
pub(crate) struct DoubleXyz<const FMA: bool> {
    pub(crate) high: Xyz<FMA>,
    pub(crate) low: Xyz<FMA>,
}

impl<const FMA: bool> DoubleXyz<FMA> {
    /// Exact products.
    #[inline(always)]
    pub(crate) fn product(a: Xyz<FMA>, b: Xyz<FMA>) -> Self {
        let (high, low) = a.two_prod(b);
        Self { high, low }
    }
    /// The vector itself.
    #[inline(always)]
    pub(crate) fn exact(v: Xyz<FMA>) -> Self {
        Self { high: v, low: Xyz::splat(0.0) }
    }
    /// Exact difference.
    #[inline(always)]
    pub(crate) fn difference(a: Xyz<FMA>, b: Xyz<FMA>) -> Self {
        let (high, low) = a.two_sum(-b);
        Self { high, low }
    }
    #[inline(always)]
    pub(crate) fn plus(self, v: Xyz<FMA>) -> Self {
        let (high, error) = self.high.two_sum(v);
        Self { high, low: error + self.low }
    }
    /// Sum with numbers as small as the errors of these.
    #[inline(always)]
    pub(crate) fn add_small(self, v: Xyz<FMA>) -> Self {
        Self { low: self.low + v, ..self }
    }
    #[inline(always)]
    pub(crate) fn times(self, v: Xyz<FMA>) -> Self {
        let (high, error) = self.high.two_prod(v);
        Self { high, low: error + self.low * v }
    }
    #[inline(always)]
    pub(crate) fn rounded(self) -> Xyz<FMA> {
        self.high + self.low
    }
    #[inline(always)]
    fn yzx(self) -> Self {
        Self { high: self.high.yzx(), low: self.low.yzx() }
    }
    /// `self x other`.
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        (self * other.yzx() - self.yzx() * other).yzx()
    }
}

impl<const FMA: bool> Mul for DoubleXyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (high, error) = self.high.two_prod(other.high);
        Self { high, low: error + (self.high * other.low + self.low * other.high) }
    }
}

impl<const FMA: bool> Add for DoubleXyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, error) = self.high.two_sum(other.high);
        Self { high, low: error + (self.low + other.low) }
    }
}

impl<const FMA: bool> Sub for DoubleXyz<FMA> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (high, error) = self.high.two_sum(-other.high);
        Self { high, low: error + (self.low - other.low) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::dispatch::dispatch_fma;
    use crate::simd::task::FmaKernel;

    type Numbers = [[f64; 3]; 13];

    struct Operations([f64; 3], [f64; 3]);

    impl FmaKernel for Operations {
        type Output = Numbers;
        #[inline(always)]
        fn run<const FMA: bool>(self) -> Numbers {
            let (a, b) = (Xyz::<FMA>::new(self.0), Xyz::new(self.1));
            let (one, two) = (DoubleXyz::product(a, b), DoubleXyz::difference(a, b));
            let cross = one.cross(two);
            let scalars = Xyz::new([a.sum(), b.max_lane(), cross.rounded().sum()]);
            let ([s, t, u, v], [x, y]) = (Xyz::sums([a, b, a * b, a / b]), Xyz::two_sums(b, a));
            let singles = Xyz::from_singles([self.0[0], self.0[1], self.0[2], 1.0].map(|x| x as f32));
            let (sums, more_sums) = (Xyz::new([s, t, u]), Xyz::new([v, x, y]));
            let numbers = [one.low, two.low, cross.low, one.times(b).low, scalars, sums, more_sums, singles];
            let [c, d, e, f, g, h, i, j] = numbers;
            [a / b, -a.abs(), one.high, c, two.high, d, cross.high, e, g, f, h, i, j].map(Xyz::to_array)
        }
    }

    /// The lanes compute the bits of single numbers.
    #[test]
    fn registers_and_numbers_agree() {
        let number = |i: u32| (f64::from(i) * 0.618_033_988_749_894_9).fract() * 4.0 - 2.0;
        for i in 0..500 {
            let [a, b] = [6 * i, 6 * i + 3].map(|k| [k, k + 1, k + 2].map(number));
            let bits = |numbers: Numbers| numbers.map(|v| v.map(f64::to_bits));
            let plain = bits(Operations(a, b).run::<false>());
            assert_eq!(bits(dispatch_fma(Operations(a, b))), plain, "{a:?} {b:?}");
            let f = f64::from_bits;
            assert_eq!(f(plain[2][0]), a[0] * b[0]);
            assert_eq!(f(plain[4][1]), a[1] - b[1]);
            assert_eq!(f(plain[10][1]), b[0] + b[1] + b[2]);
            assert_eq!(f(plain[11][2]), a[0] + a[1] + a[2]);
        }
    }
}
