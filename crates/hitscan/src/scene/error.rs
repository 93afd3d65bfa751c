//! Errors of a scene builder.

use alloc::string::String;
use core::fmt;

/// Error of adding an object to a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneError {
    /// Another object has this name.
    DuplicateName(String),
    /// The object is on no layer, so that no query can hit it.
    NoLayer,
    /// The scene has more objects than 32 bits can number.
    TooMany,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName(name) => write!(f, "two shapes are named '{name}'"),
            Self::NoLayer => write!(f, "layers must have at least one bit set"),
            Self::TooMany => write!(f, "a scene holds at most 2^32 - 1 shapes"),
        }
    }
}

impl core::error::Error for SceneError {}
