//! Serialization of the hits of a shard, for the machine that merges.

use crate::columns::{Columns, HitColumns};
use crate::hit::{Hit, ObjectId, Side};
use crate::hit_lists::HitLists;
use crate::little_endian::{ByteReader, ByteWriter, CHECKSUM, EndOfBytes, coordinate_size, without_checksum, words};
use crate::math::vector::Vector;
use crate::scene::shard::error::{ShardError, ShardLoadError};
use alloc::vec::Vec;

const HITS_MAGIC: [u8; 9] = *b"hithits\n\0";

const HITS_VERSION: u32 = 1;

/// Bytes of the header: beginning, version, dimension, bytes per number, count of rows.
const HITS_HEADER: usize = HITS_MAGIC.len() + 3 * 4 + 8;

/// Bits of the first byte of a row.
const HIT_BIT: u8 = 1;
const FRONT_BIT: u8 = 1 << 1;
const UV_BIT: u8 = 1 << 2;
const PRIMITIVE_BIT: u8 = 1 << 3;
const OBJECT_BIT: u8 = 1 << 4;
const MEMBER_BIT: u8 = 1 << 5;
const TRIGGER_BIT: u8 = 1 << 6;

/// Fewest rows for which memory is kept at a time while rows are read.
const PENDING_ROWS: usize = 4096;

impl<V: Vector> HitColumns<V> {
    /// Serializes the hits for another machine, where [`from_bytes`](Self::from_bytes) reads them. A miss takes a byte.
    ///
    /// # Errors
    /// Columns left out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ShardError> {
        if self.columns() != Columns::ALL {
            return Err(ShardError::Columns);
        }
        let mut out = ByteWriter::default();
        out.bytes(&HITS_MAGIC);
        out.words(&[HITS_VERSION, V::DIM as u32, coordinate_size::<V>()]);
        out.long(self.len() as u64);
        (0..self.len()).for_each(|row| write_row(self.get(row), &mut out));
        Ok(out.finish())
    }

    /// Reads hits from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// Bytes of another format, version, dimension or precision; missing or additional bytes; a wrong checksum.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShardLoadError> {
        // Each field of the header that does not fit has an error of its own, before any row is read.
        let (Some(magic), Some(rest)) = (bytes.first_chunk(), bytes.get(HITS_MAGIC.len()..HITS_HEADER)) else {
            return Err(ShardLoadError::NotSaved);
        };
        if *magic != HITS_MAGIC {
            return Err(ShardLoadError::NotSaved);
        }
        let [version, dimension, precision, low, high] = words(rest);
        if version != HITS_VERSION {
            return Err(ShardLoadError::Version { found: version });
        }
        if (dimension, precision) != (V::DIM as u32, coordinate_size::<V>()) {
            let problem = "hits of another dimension or precision";
            return Err(ShardLoadError::Invalid { at: HITS_MAGIC.len(), problem });
        }
        // Damage is found before rows are read.
        let mismatch = |[written, computed]: [u32; 2]| ShardLoadError::Checksum { written, computed };
        let mut input = ByteReader::new(without_checksum(bytes).map_err(mismatch)?, HITS_HEADER);
        // Each row takes a byte at least: no header makes this allocate more than the bytes are worth.
        let rows = u64::from(low) | u64::from(high) << 32;
        let (mut hits, mut pending) = (Self::default(), Vec::new());
        // Rows pass through a buffer, since columns are filled faster by the thousand.
        for _ in 0..rows {
            let at = input.position();
            let problem = "it ends too early";
            pending.push(read_row(&mut input).map_err(|EndOfBytes| ShardLoadError::Invalid { at, problem })?);
            if pending.len() == PENDING_ROWS {
                hits.append(&pending, Option::as_ref);
                pending.clear();
            }
        }
        hits.append(&pending, Option::as_ref);
        // Bytes after the last row would be lost without a word.
        if !input.is_at_end() {
            let problem = "there are bytes after the hits";
            return Err(ShardLoadError::Invalid { at: input.position(), problem });
        }
        Ok(hits)
    }
}

impl<V: Vector> HitLists<V> {
    /// Serializes the lists for another machine, where [`from_bytes`](Self::from_bytes) reads them: the bytes of the hits,
    /// then the number of hits of each ray (`u32`), the number of rays (`u64`), and a checksum of both.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut counts = ByteWriter::default();
        self.offsets().windows(2).for_each(|pair| counts.words(&[(pair[1] - pair[0]) as u32]));
        counts.long(self.len() as u64);
        // Hits of lists have all columns.
        let mut bytes = self.hits().to_bytes().unwrap_or_default();
        bytes.extend(counts.finish());
        bytes
    }

    /// Reads lists from the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// Those of [`HitColumns::from_bytes`]; counts that do not fit the hits.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShardLoadError> {
        // The counts stand at the end, with their own length last: so the hits before them keep their format.
        let early = ShardLoadError::Invalid { at: bytes.len(), problem: "it ends too early" };
        let end = bytes.len().checked_sub(CHECKSUM + 8).ok_or(early.clone())?;
        let [low, high] = words(&bytes[end..]);
        let rays = usize::try_from(u64::from(low) | u64::from(high) << 32).ok();
        let first = rays.and_then(|rays| end.checked_sub(rays.checked_mul(4)?)).ok_or(early)?;
        // Each part has its checksum.
        let mismatch = |[written, computed]: [u32; 2]| ShardLoadError::Checksum { written, computed };
        let counts = without_checksum(&bytes[first..]).map_err(mismatch)?;
        let hits = HitColumns::from_bytes(&bytes[..first])?;
        // Offsets are the running sums of the counts.
        let (mut offsets, mut sum) = (Vec::with_capacity((end - first) / 4 + 1), 0usize);
        offsets.push(sum);
        for count in counts[..end - first].chunks_exact(4) {
            sum = sum.saturating_add(words::<1>(count)[0] as usize);
            offsets.push(sum);
        }
        // The counts must be those of these hits; a sum beyond memory is saturated, and fits none.
        if sum != hits.len() {
            return Err(ShardLoadError::Invalid { at: first, problem: "counts of other hits" });
        }
        Ok(Self::from_parts(offsets, hits))
    }
}

fn write_row<V: Vector>(hit: Option<Hit<V>>, out: &mut ByteWriter) {
    let Some(hit) = hit else { return out.bytes(&[0]) };
    // Optional fields are present where the flags say so: most hits have few of them.
    let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    let flags = HIT_BIT
        | flag(hit.side == Side::Front, FRONT_BIT)
        | flag(hit.uv.is_some(), UV_BIT)
        | flag(hit.primitive.is_some(), PRIMITIVE_BIT)
        | flag(hit.object.is_some(), OBJECT_BIT)
        | flag(hit.member.is_some(), MEMBER_BIT)
        | flag(hit.is_trigger, TRIGGER_BIT);
    out.bytes(&[flags]);
    out.scalar(hit.t);
    out.scalar(hit.distance);
    out.vector(hit.point);
    out.vector(hit.normal);
    hit.uv.into_iter().flatten().for_each(|weight| out.scalar(weight));
    hit.primitive.into_iter().for_each(|number| out.words(&[number]));
    hit.object.into_iter().for_each(|id| out.long(id.to_bits()));
    hit.member.into_iter().for_each(|number| out.words(&[number]));
}

fn read_row<V: Vector>(input: &mut ByteReader<'_>) -> Result<Option<Hit<V>>, EndOfBytes> {
    let flags = input.take(1, 1)?[0];
    if flags & HIT_BIT == 0 {
        return Ok(None);
    }
    let has = |bit: u8| flags & bit != 0;
    Ok(Some(Hit {
        t: input.scalar()?,
        distance: input.scalar()?,
        point: input.vector()?,
        normal: input.vector()?,
        side: if has(FRONT_BIT) { Side::Front } else { Side::Back },
        uv: if has(UV_BIT) { Some([input.scalar()?, input.scalar()?]) } else { None },
        primitive: if has(PRIMITIVE_BIT) { Some(input.word()?) } else { None },
        object: if has(OBJECT_BIT) { ObjectId::from_bits(input.long()?) } else { None },
        member: if has(MEMBER_BIT) { Some(input.word()?) } else { None },
        is_trigger: has(TRIGGER_BIT),
    }))
}
