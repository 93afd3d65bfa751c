//! PLY: a header that describes its elements, then the elements as text or in either byte order.

mod elements;
mod header;
mod values;

pub(super) use elements::parse;
