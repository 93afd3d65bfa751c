//! The digests.

use hitscan::{Feature, Hit, Side};
use hitscan::{Real, Vector};

/// A digest of 64 bits: FNV-1a over 64-bit words, with a shift that spreads high bits.
#[derive(Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// The digest of no words.
    #[must_use]
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
    /// The digest so far.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.0
    }
    /// Adds a word.
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
    pub(crate) fn number(&mut self, x: f64) {
        self.word(x.to_bits());
    }
    pub(crate) fn vector<V: Vector>(&mut self, v: V) {
        v.to_xyz().iter().for_each(|x| self.number(x.to_f64()));
    }
    pub(crate) fn feature(&mut self, feature: Feature) {
        let (kind, number) = match feature {
            Feature::Face(number) => (0, number),
            Feature::Edge(number) => (1, number),
            Feature::Vertex(number) => (2, number),
        };
        self.word(kind << 32 | u64::from(number));
    }
    /// Adds every number of a hit.
    pub fn hit<V: Vector>(&mut self, hit: &Hit<V>) {
        self.number(hit.t.to_f64());
        self.number(hit.distance.to_f64());
        self.vector(hit.point);
        self.vector(hit.normal);
        self.word(u64::from(hit.side == Side::Front));
        hit.uv.iter().flatten().for_each(|x| self.number(x.to_f64()));
        self.word(hit.primitive.map_or(u64::MAX, u64::from));
        self.word(hit.object.map_or(u64::MAX, |id| id.index() as u64));
    }
}

/// A digest of 32 bits that JavaScript can repeat: FNV-1a over 32-bit words with a rotation, begun with `start`. Every NaN
/// counts as the same one.
#[must_use]
pub fn digest32(start: u32, numbers: &[f64]) -> u32 {
    let words = numbers.iter().map(|x| if x.is_nan() { f64::NAN } else { *x }.to_bits());
    let words = words.flat_map(|bits| [bits as u32, (bits >> 32) as u32]);
    words.fold(start ^ 0x811c_9dc5, |hash, word| (hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_depend_on_order_and_every_bit() {
        let of = |words: [u64; 2]| {
            let mut digest = Digest::new();
            words.into_iter().for_each(|word| digest.word(word));
            digest.value()
        };
        assert!(of([1, 2]) != of([2, 1]) && of([1, 2]) != of([1, 2 | 1 << 63]));
        assert!(digest32(0, &[0.0]) != digest32(0, &[-0.0]) && digest32(0, &[1.0, 2.0]) != digest32(0, &[2.0, 1.0]));
        assert_eq!(digest32(7, &[f64::NAN]), digest32(7, &[-f64::NAN]));
    }
}
