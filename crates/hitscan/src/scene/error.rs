//! Errors of a scene and of its builder.

use crate::hit::ObjectId;
use alloc::string::String;
use core::fmt;

/// Error of adding an object to a scene, or of changing one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneError {
    /// Another object has this name.
    DuplicateName(String),
    /// The object is on no layer, so that no query can hit it.
    NoLayer,
    /// The scene has no object with this id.
    NoObject(ObjectId),
    /// Groups and solids within each other have more than 8 levels.
    TooDeep,
    /// The scene has as many objects as it can hold.
    TooMany,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName(name) => write!(f, "two shapes are named '{name}'"),
            Self::NoLayer => write!(f, "layers must have at least one bit set"),
            Self::NoObject(id) => {
                write!(f, "no object has the id {id}: it was removed, or its id is that of another scene")
            }
            Self::TooDeep => {
                write!(f, "groups and solids are nested to more than 8 levels: place the inner objects directly")
            }
            Self::TooMany => write!(f, "a scene holds at most 2^27 - 16 shapes"),
        }
    }
}

impl core::error::Error for SceneError {}
