//! The numbers of a PLY body: text, little endian, big endian.

use super::header::{Element, PropertyKind, Type};
use crate::error::{Place, quoted};
use crate::mesh::parsed::microsoft_number;
use crate::mesh::polygon::{Decimal, Rounding};
use crate::mesh::tally::Tally;
use crate::mesh::text_encoding::{line_end, line_ends};
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

    /// A coordinate, of which a text has more digits than its type may hold. What it shows of the rounding goes to `precision`.
    fn next_coordinate(&mut self, of: Type, precision: &mut CoordinatePrecision) -> Result<f64, ValueError>;

    /// The line of the number read last, in a text.
    fn line(&self) -> Option<u64>;

    /// The most rows of `element` that the rest of the file can hold: memory to reserve.
    fn at_most(&self, element: &Element) -> usize;

    /// Ends a row, which has a place with the line where it begins: skips surplus values on its line, where rows are lines.
    fn end_row(&mut self, _place: impl FnOnce(Option<u64>) -> Place) {}

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

/// What the coordinates of a file show of their precision.
#[derive(Default)]
pub(super) struct CoordinatePrecision {
    pub(super) rounding: Rounding,
    /// Decimals of a text that are not those of a number of the type `float`, which the file declares.
    pub(super) too_fine: bool,
    /// Whether the rounding looks at the coordinates of a vertex.
    pub(super) looks: bool,
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

            fn next_coordinate(&mut self, of: Type, precision: &mut CoordinatePrecision) -> Result<f64, ValueError> {
                let value = self.next(of)?;
                if precision.looks {
                    precision.rounding.see(value);
                }
                Ok(value)
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

/// Values of a text, between white space.
pub(super) struct AsciiValues<'a> {
    rest: &'a [u8],
    line: u64,
    layout: Layout,
    /// The number of values read of the current row, and the line of the first one.
    read: u64,
    row_line: u64,
    /// Rows with surplus values at their ends, which were skipped.
    surplus: Tally,
    /// Rows of a stream that go over several lines.
    broken: Tally,
}

impl<'a> AsciiValues<'a> {
    pub(super) fn new(rest: &'a [u8], line: u64, layout: Layout) -> Self {
        let (surplus, broken) = Default::default();
        Self { rest, line, layout, read: 0, row_line: line, surplus, broken }
    }

    /// Notes about the layout.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let surplus = self.surplus.note(
            "row has values behind its last one, which are ignored",
            "rows have values behind their last ones, which are ignored",
        );
        let broken = self.broken.note("row is broken over lines", "rows are broken over lines");
        [surplus, broken].into_iter().flatten()
    }

    /// Whether there is nothing behind the values that were read.
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.trim_ascii().is_empty()
    }

    fn word(&mut self) -> Result<&'a [u8], ValueError> {
        let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace()).ok_or(ValueError::Truncated)?;
        let lines = line_ends(&self.rest[..start]);
        if lines > 0 && self.read > 0 && self.layout == Layout::Rows {
            return Err(ValueError::Bad(format!("the row is too short: its line ends after value {}", self.read)));
        }
        self.line += lines;
        if self.read == 0 {
            self.row_line = self.line;
        }
        self.read += 1;
        let rest = &self.rest[start..];
        let (word, rest) = rest.split_at(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()));
        self.rest = rest;
        Ok(word)
    }
}

impl Values for AsciiValues<'_> {
    fn next(&mut self, of: Type) -> Result<f64, ValueError> {
        let word = self.word()?;
        number(word, of)
    }

    fn next_coordinate(&mut self, of: Type, precision: &mut CoordinatePrecision) -> Result<f64, ValueError> {
        let word = self.word()?;
        // A float of a text keeps all of its digits, which an f64 can hold.
        let value = number(word, if of == Type::F32 { Type::F64 } else { of })?;
        // A number that is not finite, which only a vertex without a face may have, has no decimals.
        if of == Type::F32 && !precision.too_fine && value.is_finite() && f64::from(value as f32) != value {
            precision.too_fine = !Decimal::of(word).is_single(value);
        }
        if precision.looks {
            precision.rounding.see_decimal(word, value);
        }
        Ok(value)
    }

    fn line(&self) -> Option<u64> {
        Some(self.line)
    }

    fn end_row(&mut self, place: impl FnOnce(Option<u64>) -> Place) {
        self.read = 0;
        match self.layout {
            Layout::Stream if self.line > self.row_line => self.broken.add(place(Some(self.row_line))),
            Layout::Stream => {}
            Layout::Rows => {
                let end = line_end(self.rest);
                if !self.rest[..end].trim_ascii().is_empty() {
                    self.surplus.add(place(Some(self.row_line)));
                    self.rest = &self.rest[end..];
                }
            }
        }
    }

    fn at_most(&self, element: &Element) -> usize {
        // Each value takes a digit and a space.
        let fit = self.rest.len() / (2 * element.properties.len()).max(1);
        usize::try_from(element.count).map_or(fit, |count| count.min(fit))
    }
}

/// The number that a word of a text is.
fn number(word: &[u8], of: Type) -> Result<f64, ValueError> {
    let bad = || ValueError::Bad(format!("{} is not a number of its type", quoted(word)));
    let text = std::str::from_utf8(word).map_err(|_| bad())?;
    let number = match of {
        Type::F32 => parsed::<f32>(text).or_else(|| microsoft_number(word)),
        Type::F64 => parsed::<f64>(text).or_else(|| microsoft_number(word)),
        Type::I8 => parsed::<i8>(text),
        Type::U8 => parsed::<u8>(text),
        Type::I16 => parsed::<i16>(text),
        Type::U16 => parsed::<u16>(text),
        Type::I32 => parsed::<i32>(text),
        Type::U32 => parsed::<u32>(text),
    };
    number.ok_or_else(bad)
}

fn parsed<T: FromStr + Into<f64>>(text: &str) -> Option<f64> {
    text.parse::<T>().ok().map(Into::into)
}
