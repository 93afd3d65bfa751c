//! Pseudorandom numbers: the same numbers for the same seed on every machine.
//!
//! Recorded digests depend on these streams, so none of them may change.

/// SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that starts at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// A generator for one of many streams of a seed.
    #[must_use]
    pub fn for_stream(seed: u64, stream: u64) -> Self {
        let mut rng = Self(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        rng.bits();
        rng
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A whole number from 0 to `n - 1`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// True with probability `1 / n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// One of several values.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
    /// A whole number from `low` to `high`, both included.
    pub fn int(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }
    /// A number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }
    /// -1 or 1.
    pub fn sign(&mut self) -> f64 {
        if self.once_in(2) { 1.0 } else { -1.0 }
    }
    /// The first `dim` coordinates from -1 to 1, the others 0.
    pub fn cube(&mut self, dim: usize) -> [f64; 3] {
        core::array::from_fn(|i| if i < dim { self.between(-1.0, 1.0) } else { 0.0 })
    }
    /// A number from `10^low` to `10^high` with a uniform exponent.
    #[cfg(feature = "std")]
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }
    /// A unit vector with a uniform direction, of the plane (`dim` 2) or of space (`dim` 3).
    #[cfg(feature = "std")]
    pub fn direction(&mut self, dim: usize) -> [f64; 3] {
        loop {
            let v = self.cube(dim);
            let size = v.iter().map(|x| x * x).sum::<f64>();
            if size > 0.01 && size <= 1.0 {
                return v.map(|x| x / size.sqrt());
            }
        }
    }
}

/// The linear congruential generator of Knuth's MMIX, 64 bits.
#[derive(Clone, Debug)]
pub struct Lcg(u64);

impl Lcg {
    /// A generator whose state is `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// The next state. Its low bits have short periods: use the high ones.
    pub fn state(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }
    /// A whole number from 0 to `n - 1`; 0 for `n = 0`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.state() >> 33) as usize) % n.max(1)
    }
    /// A multiple of 2^-23 from -1 (included) to 1 (excluded).
    pub fn signed_unit(&mut self) -> f64 {
        (self.state() >> 40) as f64 / f64::from(1 << 23) - 1.0
    }
}

/// Marsaglia's xorshift generator of 32 bits (*Xorshift RNGs*, 2003), which JavaScript can repeat bit for bit.
#[derive(Clone, Debug)]
pub struct XorShift32(u32);

impl XorShift32 {
    /// A generator whose state is `seed`, which must not be 0.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self(seed)
    }
    /// A number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        f64::from(self.0) / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_do_not_change() {
        // The first outputs of SplitMix64 for seed 0 (known from other implementations), then one of each other generator.
        let mut rng = Rng::new(0);
        assert_eq!([rng.bits(), rng.bits()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        let mut stream = Rng::for_stream(0, 0);
        assert_eq!(stream.bits(), 0x6e78_9e6a_a1b9_65f4);
        let mut lcg = Lcg::new(1);
        assert_eq!(lcg.state(), 7_806_831_264_735_756_412);
        let mut xorshift = XorShift32::new(1);
        assert_eq!(xorshift.unit() * 4_294_967_296.0, 270_369.0);
    }

    #[test]
    fn numbers_stay_in_their_ranges() {
        let mut rng = Rng::new(7);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&rng.unit()) && (-2..=3).contains(&rng.int(-2, 3)) && rng.below(5) < 5);
            assert!(rng.cube(2)[2] == 0.0);
        }
        let mut lcg = Lcg::new(1);
        assert!((0..1000).all(|_| (-1.0..1.0).contains(&lcg.signed_unit())));
        assert_eq!(lcg.below(0), 0);
    }
}
