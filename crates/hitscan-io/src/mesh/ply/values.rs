//! The numbers of a PLY body: text, little endian, big endian.

use super::header::{Element, PropertyKind, Type};
use crate::error::quoted;
use std::str::FromStr;

/// Why there is no next number.
pub(super) enum ValueError {
    /// The file ends.
    Truncated,
    /// The value is wrong.
    Bad(String),
}

/// A stream of numbers. `f64` holds each type exactly.
pub(super) trait Values {
    fn next(&mut self, of: Type) -> Result<f64, ValueError>;

    /// The line of the number read last, in a text.
    fn line(&self) -> Option<u64>;

    /// The most rows of `element` that the rest of the file can hold: memory to reserve.
    fn at_most(&self, element: &Element) -> usize;

    /// Ends a row: skips surplus values on its line, where rows are lines.
    fn end_row(&mut self) {}

    /// The length of a list.
    fn length(&mut self, of: Type) -> Result<u64, ValueError> {
        let length = self.next(of)?;
        if length < 0.0 { Err(ValueError::Bad(format!("a list of length {length}"))) } else { Ok(length as u64) }
    }

    /// A list of whole numbers.
    fn list(&mut self, count: Type, item: Type, list: &mut Vec<f64>) -> Result<(), ValueError> {
        list.clear();
        for _ in 0..self.length(count)? {
            let value = self.next(item)?;
            if value.fract() != 0.0 {
                return Err(ValueError::Bad(format!("vertex index {value} is not a whole number")));
            }
            list.push(value);
        }
        Ok(())
    }

    fn skip_list(&mut self, count: Type, item: Type) -> Result<(), ValueError> {
        for _ in 0..self.length(count)? {
            self.next(item)?;
        }
        Ok(())
    }
}

macro_rules! binary {
    ($name:ident, $from_bytes:ident) => {
        pub(super) struct $name<'a>(&'a [u8]);

        impl<'a> $name<'a> {
            pub(super) fn new(bytes: &'a [u8]) -> Self {
                Self(bytes)
            }

            #[inline]
            fn take<const N: usize>(&mut self) -> Result<[u8; N], ValueError> {
                let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(ValueError::Truncated)?;
                self.0 = rest;
                Ok(*bytes)
            }
        }

        impl Values for $name<'_> {
            #[inline]
            fn next(&mut self, of: Type) -> Result<f64, ValueError> {
                Ok(match of {
                    Type::I8 => f64::from(i8::$from_bytes(self.take()?)),
                    Type::U8 => f64::from(u8::$from_bytes(self.take()?)),
                    Type::I16 => f64::from(i16::$from_bytes(self.take()?)),
                    Type::U16 => f64::from(u16::$from_bytes(self.take()?)),
                    Type::I32 => f64::from(i32::$from_bytes(self.take()?)),
                    Type::U32 => f64::from(u32::$from_bytes(self.take()?)),
                    Type::F32 => f64::from(f32::$from_bytes(self.take()?)),
                    Type::F64 => f64::$from_bytes(self.take()?),
                })
            }

            fn line(&self) -> Option<u64> {
                None
            }

            fn at_most(&self, element: &Element) -> usize {
                let size = |kind| match kind {
                    PropertyKind::Scalar(of) => of.size(),
                    PropertyKind::List { count, .. } => count.size(),
                };
                let stride: usize = element.properties.iter().map(|property| size(property.kind)).sum();
                let fit = self.0.len() / stride.max(1);
                usize::try_from(element.count).map_or(fit, |count| count.min(fit))
            }
        }
    };
}

binary!(LittleEndian, from_le_bytes);
binary!(BigEndian, from_be_bytes);

/// The meaning of lines in a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    /// A row ends with its line.
    Rows,
    /// Lines have no meaning.
    Stream,
}

/// Surplus values that were skipped at the ends of rows.
#[derive(Clone, Copy)]
pub(super) struct Surplus {
    pub(super) rows: u64,
    pub(super) first_line: u64,
}

/// Values of a text, between white space.
pub(super) struct AsciiValues<'a> {
    rest: &'a [u8],
    line: u64,
    layout: Layout,
    /// The number of values read of the current row.
    read: u64,
    surplus: Option<Surplus>,
}

impl<'a> AsciiValues<'a> {
    pub(super) fn new(rest: &'a [u8], line: u64, layout: Layout) -> Self {
        Self { rest, line, layout, read: 0, surplus: None }
    }

    /// The surplus values skipped so far.
    pub(super) fn surplus(&self) -> Option<Surplus> {
        self.surplus
    }

    fn word(&mut self) -> Result<&'a [u8], ValueError> {
        let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace()).ok_or(ValueError::Truncated)?;
        let lines = self.rest[..start].iter().filter(|&&byte| byte == b'\n').count() as u64;
        if lines > 0 && self.read > 0 && self.layout == Layout::Rows {
            return Err(ValueError::Bad(format!("the row is too short: its line ends after value {}", self.read)));
        }
        (self.line, self.read) = (self.line + lines, self.read + 1);
        let rest = &self.rest[start..];
        let (word, rest) = rest.split_at(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()));
        self.rest = rest;
        Ok(word)
    }
}

impl Values for AsciiValues<'_> {
    fn next(&mut self, of: Type) -> Result<f64, ValueError> {
        let word = self.word()?;
        let bad = || ValueError::Bad(format!("{} is not a number of its type", quoted(word)));
        let text = std::str::from_utf8(word).map_err(|_| bad())?;
        let number = match of {
            Type::F32 => parsed::<f32>(text),
            Type::F64 => parsed::<f64>(text),
            Type::I8 => parsed::<i8>(text),
            Type::U8 => parsed::<u8>(text),
            Type::I16 => parsed::<i16>(text),
            Type::U16 => parsed::<u16>(text),
            Type::I32 => parsed::<i32>(text),
            Type::U32 => parsed::<u32>(text),
        };
        number.ok_or_else(bad)
    }

    fn line(&self) -> Option<u64> {
        Some(self.line)
    }

    fn end_row(&mut self) {
        self.read = 0;
        if self.layout == Layout::Stream {
            return;
        }
        let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
        if !self.rest[..end].trim_ascii().is_empty() {
            let surplus = self.surplus.get_or_insert(Surplus { rows: 0, first_line: self.line });
            surplus.rows += 1;
            self.rest = &self.rest[end..];
        }
    }

    fn at_most(&self, element: &Element) -> usize {
        // Each value takes a digit and a space.
        let fit = self.rest.len() / (2 * element.properties.len()).max(1);
        usize::try_from(element.count).map_or(fit, |count| count.min(fit))
    }
}

fn parsed<T: FromStr + Into<f64>>(text: &str) -> Option<f64> {
    text.parse::<T>().ok().map(Into::into)
}
