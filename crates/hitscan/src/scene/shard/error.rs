//! Errors of shards: of splitting, of merging and of loading.

use crate::hit::ObjectId;
use crate::scene::saved_error::SceneLoadError;
use core::fmt;

/// The greatest number of shards of a scene.
pub(crate) const MAX_SHARDS: usize = 1 << 16;

/// The reason why a scene cannot be split, or why the answers of shards cannot be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardError {
    /// The scene was to be split into no shards, or into too many.
    Count {
        /// The number of shards.
        given: usize,
    },
    /// Objects, or the vertices of the contested triangles of one mesh, would get numbers beyond the greatest one.
    TooMany,
    /// Two shards have the same shape, or the same triangle of the same object.
    Twice {
        /// The object.
        object: ObjectId,
    },
    /// The answers of a shard are those of another number of rays.
    Rows {
        /// The number of rays of the shard.
        given: usize,
        /// The number of rays of the merge.
        needed: usize,
    },
    /// Hits of a shard lack columns.
    Columns,
    /// A contested primitive is in none of the parts.
    MissingPart {
        /// The shard that has it: its number in the order in which its hits were added.
        shard: usize,
    },
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each text ends with what the caller can do.
        match self {
            Self::Count { given } => write!(f, "{given} shards: give a count from 1 to {MAX_SHARDS}"),
            Self::TooMany => {
                write!(
                    f,
                    "numbers of objects or vertices exceed 2^32 - 2: number shards from 0 on, and cast fewer rays at once"
                )
            }
            Self::Twice { object } => {
                write!(f, "two shards have the same part of object {object}: give each shard of one split once")
            }
            Self::Rows { given, needed } => {
                write!(f, "a shard has the answers of {given} rays, not of {needed}: cast the same rays at every shard")
            }
            Self::Columns => write!(f, "the hits of a shard lack columns: cast with all columns"),
            Self::MissingPart { shard } => {
                write!(
                    f,
                    "no part has the contested primitives of shard {shard}: add its part before the end of the merge"
                )
            }
        }
    }
}

impl core::error::Error for ShardError {}

/// The reason why bytes are not a shard. Positions count bytes from the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardLoadError {
    /// The bytes do not begin with the header of a saved shard.
    NotSaved,
    /// The version of the format is unknown.
    Version {
        /// The version in the header.
        found: u32,
    },
    /// The number of bytes differs from the length in the header.
    Length {
        /// The length in the header.
        expected: u64,
        /// The number of bytes given.
        found: usize,
    },
    /// The checksum does not match: some byte has changed since writing.
    Checksum {
        /// The saved checksum.
        written: u32,
        /// The checksum of the bytes given.
        computed: u32,
    },
    /// Some bytes contradict others.
    Invalid {
        /// The position of the part with the problem.
        at: usize,
        /// The problem.
        problem: &'static str,
    },
    /// The scene of the shard is refused. Positions count from its beginning.
    Scene(SceneLoadError),
}

impl fmt::Display for ShardLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSaved => write!(f, "neither a saved shard nor hits of one: it does not begin so"),
            Self::Version { found } => write!(f, "saved shard has unsupported version {found}: split the scene again"),
            Self::Length { expected, found } => write!(f, "{found} bytes in place of {expected}"),
            Self::Checksum { written, computed } => {
                write!(f, "damaged: the checksum is {computed:08x}, where {written:08x} was written")
            }
            Self::Invalid { at, problem } => write!(f, "byte {at}: {problem}"),
            Self::Scene(error) => write!(f, "scene of the shard: {error}"),
        }
    }
}

impl core::error::Error for ShardLoadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Scene(error) => Some(error),
            _ => None,
        }
    }
}
