//! The data of a glTF: the container, its buffers, and the accessors, which give the bytes their types.

use super::json::{self, Json};
use crate::error::{Fault, Result, quoted};
use crate::mesh::parsed::ReadFile;
use crate::mesh::text_encoding;
use std::borrow::Cow;
use std::collections::HashMap;

/// `glTF`, with which a container begins.
const GLB_MAGIC: u32 = 0x4654_6c67;
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// A file whose header has been read, and all that it is spread over.
pub(super) struct Gltf<'a> {
    pub(super) json: Json,
    /// By their names; that of the container has none.
    data: HashMap<String, Cow<'a, [u8]>>,
    /// Whether the file begins with a byte order mark.
    pub(super) has_mark: bool,
    /// The bytes of the file and of the files that it names, a bound for the memory of its meshes.
    pub(super) size: usize,
}

/// The bytes of an accessor's elements.
struct Accessor<'a> {
    bytes: &'a [u8],
    step: usize,
    kind: Component,
}

#[derive(Clone, Copy)]
struct Component {
    size: usize,
    read: fn(&[u8]) -> f64,
    /// The largest value, for which 1 stands where numbers are normalized; 0 for floats.
    most: f64,
}

impl Component {
    fn new(code: usize) -> Option<Self> {
        macro_rules! of {
            ($type:ty, $most:expr) => {{
                const SIZE: usize = size_of::<$type>();
                let read =
                    |bytes: &[u8]| bytes.first_chunk::<SIZE>().map_or(0.0, |b| <$type>::from_le_bytes(*b).into());
                Self { size: SIZE, read, most: $most }
            }};
        }
        Some(match code {
            5120 => of!(i8, i8::MAX.into()),
            5121 => of!(u8, u8::MAX.into()),
            5122 => of!(i16, i16::MAX.into()),
            5123 => of!(u16, u16::MAX.into()),
            5125 => of!(u32, u32::MAX.into()),
            5126 => of!(f32, 0.0),
            _ => return None,
        })
    }
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    u32::from_le_bytes(*four).try_into().ok()
}

/// The header, and the data that stands beside it in a container.
fn open(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    if word(bytes, 0) != Some(GLB_MAGIC as usize) {
        return Ok((text_encoding::behind_mark(bytes).unwrap_or(bytes), None));
    }
    if word(bytes, 4) != Some(2) {
        return Err(Fault::file("not a container of glTF 2.0"));
    }
    let (mut header, mut body, mut at) = (None, None, 12);
    while let (Some(length), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) {
        let rest = &bytes[at + 8..];
        let chunk = rest.get(..length).ok_or_else(|| Fault::truncated(length as u64, "bytes", rest.len() as u64))?;
        let place = if kind == JSON as usize { &mut header } else { &mut body };
        if kind == JSON as usize || kind == BIN as usize {
            place.get_or_insert(chunk);
        }
        at += 8 + length;
    }
    header.map(|header| (header, body)).ok_or_else(|| Fault::file("a container without JSON"))
}

impl<'a> Gltf<'a> {
    pub(super) fn read(bytes: &'a [u8], read_file: &ReadFile<'_>) -> Result<Self, Fault> {
        let (header, body) = open(bytes)?;
        let header = std::str::from_utf8(header).map_err(|_| Fault::file("its JSON is not UTF-8 text"))?;
        let has_mark = text_encoding::behind_mark(bytes).is_some();
        let mut gltf = Self { json: json::parse(header)?, data: HashMap::new(), has_mark, size: bytes.len() };
        gltf.data.extend(body.map(|body| (String::new(), body.into())));
        let names = gltf.json.list("buffers").iter().filter_map(|buffer| buffer.get("uri")?.text());
        let mut data = HashMap::new();
        for (number, name) in names.enumerate().filter(|(_, name)| !gltf.data.contains_key(*name)) {
            if data.contains_key(name) {
                continue;
            }
            let read = match name.strip_prefix("data:").map(|data| data.split_once(";base64,")) {
                Some(Some((_, text))) => base64(text),
                Some(None) => Err(Fault::file("its address has no data in base 64")),
                None => read_file(&unescaped(name)),
            };
            let read = read.map_err(|fault| fault.within(&format!("buffer {number}")))?;
            gltf.size = gltf.size.saturating_add(read.len());
            data.insert(name.to_owned(), Cow::from(read));
        }
        gltf.data.extend(data);
        Ok(gltf)
    }

    fn buffer(&self, number: usize) -> Result<&[u8], Fault> {
        let missing = || Fault::file(format!("buffer {number} is missing"));
        let buffer = self.json.list("buffers").get(number).ok_or_else(missing)?;
        // Only the first buffer may be that of the container, which has no name.
        let name = buffer.get("uri").and_then(Json::text).or_else(|| (number == 0).then_some(""));
        let data = name.and_then(|name| self.data.get(name));
        let data = data.ok_or_else(|| Fault::file(format!("buffer {number} has no data")))?;
        let length = buffer.get("byteLength").and_then(Json::count).unwrap_or(data.len());
        let truncated = || Fault::truncated(length as u64, "bytes", data.len() as u64);
        data.get(..length).ok_or_else(|| Fault::file(format!("buffer {number}: {}", truncated())))
    }

    /// `count` elements of `width` numbers from a place in the view that `of` names.
    fn row(&self, of: &Json, code: Option<usize>, width: usize, count: usize) -> Result<Accessor<'_>, &'static str> {
        let number = |json: &Json, key: &str| json.get(key).map_or(Some(0), Json::count).ok_or("an offset is no count");
        let kind = code.and_then(Component::new).ok_or("numbers of an unknown type")?;
        let view = of.get("bufferView").and_then(Json::count).and_then(|view| self.json.list("bufferViews").get(view));
        let view = view.ok_or("its view of a buffer is missing")?;
        let data = self.buffer(number(view, "buffer")?).map_err(|_| "its buffer is missing or cut off")?;
        let (start, length) = (number(view, "byteOffset")?, number(view, "byteLength")?);
        let end = start.checked_add(length).ok_or("its view ends beyond its buffer")?;
        let bytes = data.get(start..end).ok_or("its view ends beyond its buffer")?;
        let bytes = bytes.get(number(of, "byteOffset")?..).ok_or("it begins beyond its view")?;
        let step =
            view.get("byteStride").map_or(Some(width * kind.size), Json::count).ok_or("its stride is no count")?;
        if step < width * kind.size {
            return Err("its elements overlap");
        }
        // The last one ends with its numbers, not with its step.
        let fits = count == 0
            || (count - 1).checked_mul(step).is_some_and(|last| last.saturating_add(width * kind.size) <= bytes.len());
        if fits { Ok(Accessor { bytes, step, kind }) } else { Err("it ends beyond its view") }
    }

    /// Why an accessor has no numbers of its own but zeros, if it has none: the extension that compresses them, or `""`. An accessor
    /// that is wrong has an error instead.
    pub(super) fn without_data(&self, accessor: &Json) -> Option<&str> {
        const COMPRESSED_VIEWS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
        let accessor = self.json.list("accessors").get(accessor.count()?)?;
        let Some(view) = accessor.get("bufferView") else { return accessor.get("sparse").is_none().then_some("") };
        let view = self.json.list("bufferViews").get(view.count()?)?;
        let name = COMPRESSED_VIEWS.into_iter().find(|name| view.extension(name).is_some())?;
        // The buffer with the numbers before they were compressed may be there, too.
        let buffer = view.get("buffer").map_or(Some(0), Json::count)?;
        let extension = self.json.list("buffers").get(buffer)?.extension(name);
        let is_empty = extension.is_some_and(|extension| extension.get("fallback") == Some(&Json::True));
        let has_name = self.json.list("buffers").get(buffer)?.get("uri").is_some();
        ((is_empty && !has_name) || self.buffer(buffer).is_err()).then_some(name)
    }

    /// The numbers of an accessor, element by element.
    pub(super) fn accessor(&self, number: usize, wanted: &str, whole: bool) -> Result<Vec<f64>, Fault> {
        self.numbers(number, wanted, whole).map_err(|what| Fault::file(format!("accessor {number}: {what}")))
    }

    fn numbers(&self, number: usize, wanted: &str, whole: bool) -> Result<Vec<f64>, &'static str> {
        let accessor = self.json.list("accessors").get(number).ok_or("it is missing")?;
        let code = accessor.get("componentType").and_then(Json::count);
        if accessor.get("type").and_then(Json::text) != Some(wanted) {
            return Err(if whole { "indices have to be of type SCALAR" } else { "positions have to be of type VEC3" });
        }
        if whole && !matches!(code, Some(5121 | 5123 | 5125)) {
            return Err("indices have to be unsigned integers");
        }
        let width = if whole { 1 } else { 3 };
        let count = accessor.get("count").and_then(Json::count).ok_or("it has no count")?;
        let scale = if accessor.get("normalized") == Some(&Json::True) { code.and_then(Component::new) } else { None };
        let scale = scale.map_or(0.0, |kind| kind.most);
        let mut numbers = if accessor.get("bufferView").is_some() {
            self.row(accessor, code, width, count)?.elements(width, count)
        } else if count <= self.size {
            vec![0.0; count * width]
        } else {
            return Err("it has more elements than the file has bytes");
        };
        if let Some(sparse) = accessor.get("sparse") {
            let part = |key| sparse.get(key).ok_or("its sparse part is not complete");
            let changed = sparse.get("count").and_then(Json::count).filter(|changed| *changed <= count);
            let changed = changed.ok_or("its sparse part has no count, or too large a one")?;
            let indices = part("indices")?;
            let at = self.row(indices, indices.get("componentType").and_then(Json::count), 1, changed)?;
            let values = self.row(part("values")?, code, width, changed)?.elements(width, changed);
            for (at, value) in at.elements(1, changed).into_iter().zip(values.chunks_exact(width)) {
                let place = numbers.chunks_exact_mut(width).nth(at as usize);
                place.ok_or("a sparse index is out of range")?.copy_from_slice(value);
            }
        }
        if scale > 0.0 {
            numbers.iter_mut().for_each(|x| *x = (*x / scale).max(-1.0));
        }
        Ok(numbers)
    }
}

impl Accessor<'_> {
    fn elements(&self, width: usize, count: usize) -> Vec<f64> {
        let number = |i: usize| (self.kind.read)(&self.bytes[i / width * self.step + i % width * self.kind.size..]);
        (0..count * width).map(number).collect()
    }
}

/// RFC 4648, section 4.
fn base64(text: &str) -> Result<Vec<u8>, Fault> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(Fault::file(format!("{} is not base 64", quoted(&[digit])))),
        };
        (bits, held) = (bits << 6 | u32::from(value), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Ok(bytes)
}

/// A name with `%20` for a space.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_of_every_length() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob")] {
            assert_eq!(base64(text).unwrap(), bytes.as_bytes());
        }
        assert!(base64("Zm-v").unwrap_err().to_string().contains("'-' is not base 64"));
    }

    #[test]
    fn names_are_unescaped() {
        assert_eq!(unescaped("a%20b%c3%bc.bin%"), "a bü.bin%");
    }
}
