//! Numbers by chance, the same ones for the same seed on every machine.

/// SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A stream of its own for every seed and number.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = Self(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        rng.bits();
        rng
    }
    /// 64 of them.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// 0 to `n - 1`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// Once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// One of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
    /// From `low` to `high`, both included.
    pub fn int(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }
    /// 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }
    /// -1 or 1.
    pub fn sign(&mut self) -> f64 {
        if self.once_in(2) { 1.0 } else { -1.0 }
    }
    /// `10^low` to `10^high`, every power as likely.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }
    /// A unit vector of the plane or of space, every direction as likely.
    pub fn direction(&mut self, dim: usize) -> [f64; 3] {
        loop {
            let v = self.cube(dim);
            let size = v.iter().map(|x| x * x).sum::<f64>();
            if size > 0.01 && size <= 1.0 {
                return v.map(|x| x / size.sqrt());
            }
        }
    }
    /// Coordinates from -1 to 1.
    pub fn cube(&mut self, dim: usize) -> [f64; 3] {
        std::array::from_fn(|i| if i < dim { self.between(-1.0, 1.0) } else { 0.0 })
    }
}
