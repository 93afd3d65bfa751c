//! The columns of a ray in a file, and the numbers that they may hold.

use super::ray_batch::{Endpoint, RayBatch};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Place, Result};

const ORIGIN: [&str; 3] = ["ox", "oy", "oz"];
const DIRECTION: [&str; 3] = ["dx", "dy", "dz"];
const SEGMENT_START: [&str; 3] = ["ax", "ay", "az"];
const SEGMENT_END: [&str; 3] = ["bx", "by", "bz"];

/// The columns of a ray, in the order origin, direction or end, `t_min`, `t_max`, `layers`.
pub(super) struct Columns {
    dimension: Dimension,
    form: Form,
    bindings: Vec<ColumnBinding>,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Rays,
    Segments,
}

/// A column of a ray, bound to a column of the file.
pub(super) struct ColumnBinding {
    pub(super) name: &'static str,
    /// The number of the column in the file.
    pub(super) index: usize,
    kind: Kind,
}

/// The numbers that a column may hold.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Finite numbers.
    Coordinate,
    /// `t_min` or `t_max`, which may be infinite.
    Limit,
    /// `layers`: a mask of 32 bits.
    Mask,
}

impl Columns {
    /// Finds the columns in a file's header.
    pub(super) fn find(header: &[impl AsRef<str>], dimension: Dimension) -> Result<Self, Fault> {
        let index_of = |name: &str| header.iter().position(|column| column.as_ref() == name);
        let names = |first: [&'static str; 3], endpoint: [&'static str; 3]| {
            let count = dimension.count();
            [&first[..count], &endpoint[..count]].concat()
        };
        let (rays, segments) = (names(ORIGIN, DIRECTION), names(SEGMENT_START, SEGMENT_END));
        let has = |names: &[&str]| names.iter().filter(|name| index_of(name).is_some()).count();
        let needs = format!("needs {}, or {}", rays.join(" "), segments.join(" "));
        if has(&rays) == rays.len() && has(&segments) == segments.len() {
            return Err(Fault::file(format!("columns of rays and of segments ({needs}, not both)")));
        }
        let (form, names) = if has(&segments) > has(&rays) { (Form::Segments, segments) } else { (Form::Rays, rays) };
        let mut bindings = Vec::new();
        for name in names {
            let index = index_of(name).ok_or_else(|| Fault::file(format!("no column '{name}' ({needs})")))?;
            bindings.push(ColumnBinding { name, index, kind: Kind::Coordinate });
        }
        for (name, kind) in [("t_min", Kind::Limit), ("t_max", Kind::Limit), ("layers", Kind::Mask)] {
            bindings.extend(index_of(name).map(|index| ColumnBinding { name, index, kind }));
        }
        for ColumnBinding { name, .. } in &bindings {
            if header.iter().filter(|column| column.as_ref() == *name).count() > 1 {
                return Err(Fault::file(format!("column '{name}' appears twice")));
            }
        }
        Ok(Self { dimension, form, bindings })
    }

    pub(super) fn bindings(&self) -> &[ColumnBinding] {
        &self.bindings
    }

    /// A batch from one column per binding.
    pub(super) fn batch(&self, first_row: u64, columns: Vec<Vec<f64>>, precision: Precision) -> RayBatch {
        debug_assert_eq!(columns.len(), self.bindings.len());
        let mut columns = columns.into_iter();
        let mut point = || {
            let mut axes = [const { Vec::new() }; 3];
            axes.iter_mut()
                .zip(columns.by_ref().take(self.dimension.count()))
                .for_each(|(axis, column)| *axis = column);
            axes
        };
        let origin = point();
        let endpoint = match self.form {
            Form::Rays => Endpoint::Direction(point()),
            Form::Segments => Endpoint::End(point()),
        };
        let mut optional =
            |name| self.bindings.iter().any(|binding| binding.name == name).then(|| columns.next()).flatten();
        let (t_min, t_max) = (optional("t_min"), optional("t_max"));
        // Masks are whole numbers of 32 bits: `admits` has checked them.
        let layers = optional("layers").map(|masks| masks.into_iter().map(|mask| mask as u32).collect());
        RayBatch { first_row, dimension: self.dimension, origin, endpoint, t_min, t_max, layers, precision }
    }
}

impl ColumnBinding {
    /// Whether a ray may hold the number.
    pub(super) fn admits(&self, value: f64) -> bool {
        match self.kind {
            Kind::Coordinate => value.is_finite(),
            Kind::Limit => !value.is_nan(),
            Kind::Mask => (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0,
        }
    }

    /// Whether its numbers have the precision of the rays.
    pub(super) fn is_real(&self) -> bool {
        self.kind != Kind::Mask
    }

    pub(super) fn place(&self, row: u64, line: Option<u64>) -> Place {
        Place::Row { row, line, column: Some(self.name.to_owned()) }
    }

    pub(super) fn not_allowed(&self, value: f64, row: u64, line: Option<u64>) -> Fault {
        let text = match self.kind {
            Kind::Mask => format!("{value} is no mask of layers (a whole number from 0 to {})", u32::MAX),
            Kind::Coordinate | Kind::Limit => format!("{value} is not allowed in a ray"),
        };
        Fault::new(self.place(row, line), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(header: &str, dimension: Dimension) -> String {
        let header: Vec<&str> = header.split(' ').collect();
        match Columns::find(&header, dimension) {
            Ok(columns) => {
                columns.bindings.iter().map(|binding| format!("{}{} ", binding.name, binding.index)).collect()
            }
            Err(fault) => fault.in_file("f".as_ref()).to_string(),
        }
    }

    #[test]
    fn columns_are_found_in_any_order_among_others() {
        assert_eq!(found("t_max dy id dx oy ox", Dimension::Two), "ox5 oy4 dx3 dy1 t_max0 ");
        assert_eq!(found("layers ox oy dx dy t_min", Dimension::Two), "ox1 oy2 dx3 dy4 t_min5 layers0 ");
        assert_eq!(found("az ay ax bz by bx ox", Dimension::Three), "ax2 ay1 az0 bx5 by4 bz3 ");
    }

    #[test]
    fn errors_name_the_missing_column() {
        assert_eq!(
            found("ox oy dx dy dz", Dimension::Three),
            "f: no column 'oz' (needs ox oy oz dx dy dz, or ax ay az bx by bz)"
        );
        assert_eq!(found("ax ay bx", Dimension::Two), "f: no column 'by' (needs ox oy dx dy, or ax ay bx by)");
        assert_eq!(found("x y", Dimension::Two), "f: no column 'ox' (needs ox oy dx dy, or ax ay bx by)");
    }

    #[test]
    fn ambiguous_columns_are_an_error() {
        assert_eq!(found("ox oy dx dy dx", Dimension::Two), "f: column 'dx' appears twice");
        assert_eq!(
            found("ox oy dx dy ax ay bx by", Dimension::Two),
            "f: columns of rays and of segments (needs ox oy dx dy, or ax ay bx by, not both)"
        );
    }
}
