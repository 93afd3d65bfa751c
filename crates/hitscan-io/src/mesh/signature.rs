//! The format of a mesh file by its first bytes, for errors about files with the extension of another format, and about files that
//! are no meshes.

use super::{off, stl, text_encoding};
use crate::error::Fault;

/// Refuses a file that its first bytes show to be neither a mesh nor a scene. The error says what the file is, and what to do about it.
pub(crate) fn refuse_foreign(bytes: &[u8]) -> Result<(), Fault> {
    // The first 80 bytes of a binary STL may be anything.
    if stl::is_binary(bytes) && bytes.iter().any(|byte| *byte != 0) {
        return Ok(());
    }
    if !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0) {
        return Err(Fault::file("holds nothing but zeros: a download or a disk failed, so get the file again"));
    }
    let what = of_bytes(bytes).or_else(|| of_text(&text_encoding::decode(&bytes[..bytes.len().min(BEGINNING)]).0));
    what.map_or(Ok(()), |what| Err(Fault::file(format!("by its content this is {what}"))))
}

/// Bytes that are enough to see what a file is.
const BEGINNING: usize = 4096;

fn of_bytes(bytes: &[u8]) -> Option<&'static str> {
    const UNPACK: [(&[u8], &str); 7] = [
        (b"\x1F\x8B", "a file compressed by gzip: unpack it first"),
        (
            b"PK\x03\x04",
            "a zip archive (3MF files are such archives, too): unpack it, or save the mesh in another format",
        ),
        (b"\x28\xB5\x2F\xFD", "a file compressed by zstd: unpack it first"),
        (b"BZh", "a file compressed by bzip2: unpack it first"),
        (b"\xFD7zXZ\0", "a file compressed by xz: unpack it first"),
        (b"7z\xBC\xAF\x27\x1C", "a 7z archive: unpack it first"),
        (b"Rar!", "a rar archive: unpack it first"),
    ];
    const OTHERS: [(&[u8], &str); 5] = [
        (b"Kaydara FBX Binary", "an FBX file, which is not read: save it as glTF"),
        (b"BLENDER", "a Blender file, which is not read: export it as glTF"),
        (b"\x89PNG\r\n", "a PNG picture, not a mesh"),
        (b"\xFF\xD8\xFF", "a JPEG picture, not a mesh"),
        (b"%PDF-", "a PDF document, not a mesh"),
    ];
    UNPACK.iter().chain(&OTHERS).find(|(magic, _)| bytes.starts_with(magic)).map(|(_, what)| *what)
}

fn of_text(text: &[u8]) -> Option<&'static str> {
    let text = text.trim_ascii_start();
    let begins = |with: &str| text.get(..with.len()).is_some_and(|word| word.eq_ignore_ascii_case(with.as_bytes()));
    let has = |word: &[u8]| text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word));
    if begins("version https://git-lfs") {
        return Some("a pointer of Git LFS, not the file itself: get that with `git lfs pull`");
    }
    if begins("<!doctype html") || begins("<html") || (begins("<") && has(b"<html")) {
        return Some(
            "a web page, not a mesh: what was downloaded may be an error or a login, so download the file itself",
        );
    }
    if begins("<?xml") || begins("<") {
        let is_collada = has(b"<collada");
        return Some(if is_collada {
            "a COLLADA file, which is not read: save it as glTF"
        } else {
            "an XML file, which is not read: save the mesh as glTF, OBJ or PLY"
        });
    }
    let others = [
        ("ISO-10303-21", "a STEP file, which has no triangles: save it as STL from a CAD program"),
        ("# vtk DataFile", "a VTK file, which is not read: save it as PLY"),
        ("; FBX", "an FBX file, which is not read: save it as glTF"),
        ("#VRML", "a VRML file, which is not read: save it as glTF, OBJ or PLY"),
    ];
    others.into_iter().find(|(word, _)| begins(word)).map(|(_, what)| what)
}

/// A format that a file's content shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    Glb,
    Gltf,
    Hitmesh,
    Hitscene,
    Obj,
    Off,
    Ply,
    Stl,
}

impl Signature {
    /// The format of a file; `None` when its content shows none.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if stl::is_binary(bytes) {
            return Some(Self::Stl);
        }
        // A few lines are enough, and a binary file has few.
        let text = &text_encoding::decode(&bytes[..bytes.len().min(BEGINNING)]).0;
        if text.starts_with(b"ply\n") || text.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        if bytes.starts_with(b"glTF") {
            return Some(Self::Glb);
        }
        if bytes.starts_with(b"hitmesh\n") {
            return Some(Self::Hitmesh);
        }
        if bytes.starts_with(b"hitscene\n") {
            return Some(Self::Hitscene);
        }
        if off::has_keyword(text) {
            return Some(Self::Off);
        }
        if text.trim_ascii_start().starts_with(b"{") && text.windows(7).any(|word| word == b"\"asset\"") {
            return Some(Self::Gltf);
        }
        if stl::is_text(bytes) {
            return Some(Self::Stl);
        }
        let is_vertex = |line: &[u8]| {
            let mut words = text_encoding::words(line);
            let is_number = |word: &[u8]| std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
            words.next() == Some(b"v") && words.take(3).filter(|word| is_number(word)).count() == 3
        };
        text.split(|byte| matches!(byte, b'\n' | b'\r')).any(is_vertex).then_some(Self::Obj)
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
            Self::Hitscene => "hitscene",
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
            Self::Hitscene => "a saved scene",
            Self::Obj => "an OBJ",
            Self::Off => "an OFF",
            Self::Ply => "a PLY",
            Self::Stl => "an STL",
        };
        Fault::file(format!("by its content this is {name} file: rename it to .{}", self.extension()))
    }
}
