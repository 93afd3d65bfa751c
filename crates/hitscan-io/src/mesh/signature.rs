//! The format of a mesh file by its first bytes, for errors about files with the extension of another format.

use super::{off, stl};
use crate::error::Fault;

/// A format that a file's content shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    Glb,
    Gltf,
    Hitmesh,
    Obj,
    Off,
    Ply,
    Stl,
}

impl Signature {
    /// The format of a file; `None` when its content shows none.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if stl::is_binary(bytes) {
            return Some(Self::Stl);
        }
        if text.starts_with(b"ply\n") || text.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        if bytes.starts_with(b"glTF") {
            return Some(Self::Glb);
        }
        if bytes.starts_with(b"hitmesh\n") {
            return Some(Self::Hitmesh);
        }
        if off::has_keyword(text) {
            return Some(Self::Off);
        }
        // A few lines are enough, and a binary file has few.
        let beginning = &text[..text.len().min(4096)];
        if beginning.trim_ascii_start().starts_with(b"{") && beginning.windows(7).any(|word| word == b"\"asset\"") {
            return Some(Self::Gltf);
        }
        if stl::is_text(bytes) {
            return Some(Self::Stl);
        }
        let is_vertex = |line: &[u8]| {
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let is_number = |word: &[u8]| std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
            words.next() == Some(b"v") && words.take(3).filter(|word| is_number(word)).count() == 3
        };
        beginning.split(|byte| *byte == b'\n').any(is_vertex).then_some(Self::Obj)
    }

    /// Whether files of the format have this extension. A glTF is read from either of its containers.
    pub(super) fn has_extension(self, extension: &str) -> bool {
        match self {
            Self::Glb | Self::Gltf => matches!(extension, "glb" | "gltf"),
            _ => self.extension() == extension,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Hitmesh => "hitmesh",
            Self::Obj => "obj",
            Self::Off => "off",
            Self::Ply => "ply",
            Self::Stl => "stl",
        }
    }

    /// The error of a file with another extension.
    pub(super) fn fault(self) -> Fault {
        let name = match self {
            Self::Glb => "a binary glTF",
            Self::Gltf => "a glTF",
            Self::Hitmesh => "a saved mesh",
            Self::Obj => "an OBJ",
            Self::Off => "an OFF",
            Self::Ply => "a PLY",
            Self::Stl => "an STL",
        };
        Fault::file(format!("by its content this is {name} file: rename it to .{}", self.extension()))
    }
}
