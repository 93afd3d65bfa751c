//! The header of a PLY file.

use crate::error::{Fault, Place, Result, quoted};
use crate::mesh::text_encoding::line_end;

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

#[derive(Clone, Copy)]
pub(super) enum Encoding {
    /// Text; the body begins on this line.
    Ascii {
        line: u64,
    },
    LittleEndian,
    BigEndian,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: PropertyKind,
}

#[derive(Clone, Copy)]
pub(super) enum PropertyKind {
    Scalar(Type),
    List { count: Type, item: Type },
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl PropertyKind {
    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::List { .. })
    }
}

impl Type {
    /// The bytes of a value in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }
}

/// The header, and the bytes after it.
pub(super) fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), Fault> {
    let mut rest = bytes;
    let mut encoding = None;
    let mut elements = Vec::new();
    // All lines end as the first one does: the body of a binary file may begin with a byte like the end of a line.
    let ending = match bytes[line_end(bytes)..] {
        [b'\r', b'\n', ..] => 2,
        _ => 1,
    };
    for line in 1.. {
        let end = line_end(rest);
        if end == rest.len() {
            return Err(Fault::file(match line {
                1 => "not a PLY file (its first line is not 'ply')",
                _ => "truncated: no 'end_header'",
            }));
        }
        let text = String::from_utf8_lossy(&rest[..end]);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let ended = if rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n') { ending } else { 1 };
        rest = &rest[end + ended..];
        match (line, words.as_slice()) {
            (1, ["ply"]) => {}
            (1, _) => return Err(Fault::file("not a PLY file (its first line is not 'ply')")),
            (_, ["end_header"]) => {
                let encoding: Encoding = encoding.ok_or_else(|| Fault::file("header without a 'format' line"))?;
                let encoding = match encoding {
                    Encoding::Ascii { .. } => Encoding::Ascii { line: line + 1 },
                    binary => binary,
                };
                return Ok((Header { encoding, elements }, rest));
            }
            (_, ["format", name, _version]) => encoding = Some(encoding_named(name, line)?),
            (_, ["element", name, count]) => elements.push(element(&elements, name, count, line)?),
            (_, ["property", words @ ..]) => {
                let last = elements.last_mut();
                let element = last.ok_or_else(|| Fault::new(Place::Line(line), "property before any element"))?;
                element.properties.push(property(words, line)?);
            }
            (_, ["comment" | "obj_info", ..] | []) => {}
            _ => {
                return Err(Fault::new(Place::Line(line), format!("{} in the header", quoted(text.trim().as_bytes()))));
            }
        }
    }
    Err(Fault::file("truncated: no 'end_header'"))
}

fn encoding_named(name: &str, line: u64) -> Result<Encoding, Fault> {
    match name {
        "ascii" => Ok(Encoding::Ascii { line }),
        "binary_little_endian" => Ok(Encoding::LittleEndian),
        "binary_big_endian" => Ok(Encoding::BigEndian),
        _ => Err(Fault::new(Place::Line(line), format!("unknown format {}", quoted(name.as_bytes())))),
    }
}

fn element(known: &[Element], name: &str, count: &str, line: u64) -> Result<Element, Fault> {
    if known.iter().any(|element| element.name == name) {
        return Err(Fault::new(Place::Line(line), format!("element {} appears twice", quoted(name.as_bytes()))));
    }
    let count = count.parse();
    let count = count.map_err(|_| Fault::new(Place::Line(line), "the number of elements is not a whole number"))?;
    Ok(Element { name: name.to_owned(), count, properties: Vec::new() })
}

fn property(words: &[&str], line: u64) -> Result<Property, Fault> {
    let kind_of = |name: &str| {
        let unknown = || Fault::new(Place::Line(line), format!("unknown type {}", quoted(name.as_bytes())));
        Type::named(name).ok_or_else(unknown)
    };
    match *words {
        ["list", count, item, name] => {
            let count_type = kind_of(count)?;
            if matches!(count_type, Type::F32 | Type::F64) {
                return Err(Fault::new(Place::Line(line), format!("the length of a list cannot be a '{count}'")));
            }
            Ok(Property { name: name.to_owned(), kind: PropertyKind::List { count: count_type, item: kind_of(item)? } })
        }
        [of, name] => Ok(Property { name: name.to_owned(), kind: PropertyKind::Scalar(kind_of(of)?) }),
        _ => Err(Fault::new(Place::Line(line), "a property needs a type and a name")),
    }
}
