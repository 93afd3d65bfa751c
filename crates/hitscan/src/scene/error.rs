//! Why an object was refused by a scene.

use alloc::string::String;
use core::fmt;

/// An object that a scene cannot take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneError {
    /// Another object has this name.
    DuplicateName(String),
    /// The object is on no layer, so no query could ever see it.
    NoLayer,
    /// More objects than 32 bits can number.
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
