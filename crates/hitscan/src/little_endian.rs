//! Little-endian numbers in bytes, and the checksum of the binary formats.

use crate::math::real::{Precision, Real};
use crate::math::vector::Vector;
use alloc::vec::Vec;

/// Length of a checksum in bytes.
pub(crate) const CHECKSUM: usize = 4;

/// Bytes per coordinate.
pub(crate) fn coordinate_size<V: Vector>() -> u32 {
    match V::Scalar::PRECISION {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}

/// Writer of little-endian numbers without padding.
#[derive(Default)]
pub struct ByteWriter(Vec<u8>);

impl ByteWriter {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    pub(crate) fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.0.extend(word.to_le_bytes()));
    }

    pub(crate) fn long(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    #[inline(always)]
    pub(crate) fn scalar<S: Real>(&mut self, x: S) {
        match S::PRECISION {
            Precision::Single => self.0.extend((x.to_f64() as f32).to_le_bytes()),
            Precision::Double => self.0.extend(x.to_f64().to_le_bytes()),
        }
    }

    /// Writes the components of a vector, two or three.
    #[inline(always)]
    pub(crate) fn vector<V: Vector>(&mut self, v: V) {
        v.to_xyz()[..V::DIM].iter().for_each(|&x| self.scalar(x));
    }

    /// Appends what another writer has written.
    pub(crate) fn append(&mut self, other: &Self) {
        self.bytes(&other.0);
    }

    /// Number of bytes written.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends the checksum and returns the bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.words(&[crc32(&self.0)]);
        self.0
    }
}

/// Bytes without their checksum.
///
/// # Errors
/// The checksum written and the one computed, if they differ.
pub(crate) fn without_checksum(bytes: &[u8]) -> Result<&[u8], [u32; 2]> {
    let (body, checksum) = bytes.split_at(bytes.len().saturating_sub(CHECKSUM));
    let (written, computed) = (words::<1>(checksum)[0], crc32(body));
    if written == computed { Ok(body) } else { Err([written, computed]) }
}

/// The bytes end where a number should be.
#[derive(Clone, Copy, Debug)]
pub struct EndOfBytes;

/// Reader of little-endian numbers.
#[derive(Clone, Copy)]
pub struct ByteReader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(all: &'a [u8], at: usize) -> Self {
        Self { all, at }
    }

    /// Number of bytes read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.all.len()
    }

    /// The next `count * size` bytes.
    pub(crate) fn take(&mut self, count: usize, size: usize) -> Result<&'a [u8], EndOfBytes> {
        let end = count.checked_mul(size).and_then(|length| self.at.checked_add(length)).ok_or(EndOfBytes)?;
        let taken = self.all.get(self.at..end).ok_or(EndOfBytes)?;
        self.at = end;
        Ok(taken)
    }

    pub(crate) fn words<const N: usize>(&mut self) -> Result<[u32; N], EndOfBytes> {
        Ok(words(self.take(N, 4)?))
    }

    pub(crate) fn word(&mut self) -> Result<u32, EndOfBytes> {
        Ok(self.words::<1>()?[0])
    }

    pub(crate) fn long(&mut self) -> Result<u64, EndOfBytes> {
        let [low, high] = self.words()?.map(u64::from);
        Ok(low | high << 32)
    }

    pub(crate) fn scalar<S: Real>(&mut self) -> Result<S, EndOfBytes> {
        let [x] = scalars(self.take(1, size_of::<S>())?);
        Ok(x)
    }

    pub(crate) fn vector<V: Vector>(&mut self) -> Result<V, EndOfBytes> {
        Ok(vector(self.take(V::DIM, size_of::<V::Scalar>())?))
    }
}

/// Little-endian words of the bytes; a missing word has all bits set.
#[inline(always)]
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut words = [u32::MAX; N];
    let fours = bytes.as_chunks().0;
    words.iter_mut().zip(fours).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
    words
}

#[inline(always)]
fn scalars<S: Real, const N: usize>(bytes: &[u8]) -> [S; N] {
    let mut scalars = [S::ZERO; N];
    match S::PRECISION {
        Precision::Single => {
            let fours = bytes.as_chunks().0;
            scalars.iter_mut().zip(fours).for_each(|(x, four)| *x = S::from_f64(f64::from(f32::from_le_bytes(*four))));
        }
        Precision::Double => {
            let eights = bytes.as_chunks().0;
            scalars.iter_mut().zip(eights).for_each(|(x, eight)| *x = S::from_f64(f64::from_le_bytes(*eight)));
        }
    }
    scalars
}

/// Vector of the bytes of its components.
#[inline(always)]
pub(crate) fn vector<V: Vector>(bytes: &[u8]) -> V {
    V::from_xyz(scalars(bytes))
}

/// CRC-32 checksum as in zip and PNG: polynomial 0x04c11db7, bits reflected, eight bytes at a time.
///
/// # Source
/// Kounavis, Berry, *A Systematic Approach to Building High Performance Software-based CRC Generators*, IEEE Symposium
/// on Computers and Communications, 2005: slicing by eight.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0;
    let (eights, rest) = bytes.as_chunks::<8>();
    for &[a, b, c, d, e, f, g, h] in eights {
        let [a, b, c, d] = (crc ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
        crc = [h, g, f, e, d, c, b, a].iter().zip(&CRC).fold(0, |crc, (&byte, table)| crc ^ table[byte as usize]);
    }
    !rest.iter().fold(crc, |crc, byte| crc >> 8 ^ CRC[0][usize::from(crc as u8 ^ byte)])
}

/// CRC tables: the remainder of each byte followed by 0 to 7 zero bytes.
static CRC: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 8 * 256 {
        let (zeros, byte) = (i / 256, i % 256);
        let mut crc = if zeros == 0 { byte as u32 } else { tables[zeros - 1][byte] };
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[zeros][byte] = crc;
        i += 1;
    }
    tables
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard check value, and lengths that are not multiples of eight.
    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
        let bytes: Vec<u8> = (0..100).collect();
        let slowly =
            |bytes: &[u8]| !bytes.iter().fold(!0, |crc: u32, byte| crc >> 8 ^ CRC[0][usize::from(crc as u8 ^ byte)]);
        (0..100).for_each(|end| assert_eq!(crc32(&bytes[..end]), slowly(&bytes[..end])));
    }
}
