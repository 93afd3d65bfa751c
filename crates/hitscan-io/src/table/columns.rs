//! The columns that a table needs, bound to those of a file, and the numbers that they may hold.

use crate::dimension::Dimension;
use crate::error::{Fault, Result};

/// A kind of table: what a row is called, and how its columns are found.
pub struct TableKind {
    /// `ray`
    pub(super) row: &'static str,
    /// Finds the columns in a file's header.
    pub(super) find: fn(&[&str], Dimension) -> Result<Vec<ColumnBinding>, Fault>,
    /// The names of the columns that a table may lack.
    pub(super) optional: &'static [&'static str],
}

/// The columns of a table, in the order of its kind.
#[derive(Clone)]
pub struct Columns {
    row: &'static str,
    bindings: Vec<ColumnBinding>,
}

/// A column of a table, bound to a column of the file.
#[derive(Clone)]
pub(super) struct ColumnBinding {
    pub(super) name: &'static str,
    /// The number of the column in the file.
    pub(super) index: usize,
    pub(super) numbers: ColumnNumbers,
}

/// The numbers that a column may hold.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ColumnNumbers {
    /// Finite numbers.
    Coordinate,
    /// `t_min`, `t_max` or `max_distance`, which may be infinite.
    Limit,
    /// `layers`: a mask of 32 bits.
    Mask,
    /// `radius`: finite numbers greater than 0.
    Radius,
    /// Half extents: finite numbers that are at least 0.
    HalfExtent,
}

impl Columns {
    /// Finds the columns in a file's header.
    pub(super) fn find(kind: &TableKind, header: &[&str], dimension: Dimension) -> Result<Self, Fault> {
        let bindings = (kind.find)(header, dimension).map_err(|fault| {
            let is_lower = header.iter().all(|name| *name == name.to_ascii_lowercase());
            match !is_lower && Self::would_be_found(kind, header, dimension) {
                true => fault.with_advice("their names must be in lower case"),
                false => fault,
            }
        })?;
        for ColumnBinding { name, .. } in &bindings {
            if header.iter().filter(|column| *column == name).count() > 1 {
                return Err(Fault::file(format!("column '{name}' appears twice")));
            }
        }
        Ok(Self { row: kind.row, bindings })
    }

    /// Whether a header in lower case would have the columns.
    pub(super) fn would_be_found(kind: &TableKind, header: &[&str], dimension: Dimension) -> bool {
        let lower: Vec<String> = header.iter().map(|name| name.to_ascii_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        (kind.find)(&lower, dimension).is_ok()
    }

    pub(super) fn bindings(&self) -> &[ColumnBinding] {
        &self.bindings
    }

    /// Whether a column is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.bindings.iter().any(|binding| binding.name == name)
    }

    /// Why a column may not hold a number.
    pub(super) fn not_allowed(&self, binding: &ColumnBinding, value: f64) -> String {
        match binding.numbers {
            ColumnNumbers::Mask => format!("{value} is no mask of layers (a whole number from 0 to {})", u32::MAX),
            ColumnNumbers::Coordinate | ColumnNumbers::Limit => format!("{value} is not allowed in a {}", self.row),
            ColumnNumbers::Radius => format!("{value} is no radius (a finite number greater than 0)"),
            ColumnNumbers::HalfExtent => format!("{value} is no half extent (a finite number that is at least 0)"),
        }
    }
}

impl ColumnBinding {
    /// The coordinates of these names; `needs` tells the columns of the table, for errors.
    pub(super) fn of_coordinates(header: &[&str], names: &[&'static str], needs: &str) -> Result<Vec<Self>, Fault> {
        names.iter().map(|name| Self::needed(header, name, ColumnNumbers::Coordinate, needs)).collect()
    }

    /// A column that must be there; `needs` tells the columns of the table, for errors.
    pub(super) fn needed(
        header: &[&str],
        name: &'static str,
        numbers: ColumnNumbers,
        needs: &str,
    ) -> Result<Self, Fault> {
        let missing = || {
            let names: Vec<String> = header.iter().map(ToString::to_string).collect();
            Fault::file(format!("no column '{name}' ({needs}; the table has {})", listed_columns(&names)))
        };
        Self::optional(header, name, numbers).ok_or_else(missing)
    }

    /// A column that need not be there.
    pub(super) fn optional(header: &[&str], name: &'static str, numbers: ColumnNumbers) -> Option<Self> {
        let index = header.iter().position(|column| *column == name)?;
        Some(Self { name, index, numbers })
    }

    /// Whether the column may hold every finite number.
    pub(super) fn is_any_finite(&self) -> bool {
        matches!(self.numbers, ColumnNumbers::Coordinate | ColumnNumbers::Limit)
    }

    /// Whether the column may hold the number.
    pub(super) fn admits(&self, value: f64) -> bool {
        match self.numbers {
            ColumnNumbers::Coordinate => value.is_finite(),
            ColumnNumbers::Limit => !value.is_nan(),
            ColumnNumbers::Radius => value.is_finite() && value > 0.0,
            ColumnNumbers::HalfExtent => value.is_finite() && value >= 0.0,
            ColumnNumbers::Mask => (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0,
        }
    }

    /// The number that a null cell stands for: no limit, and all layers.
    pub(super) fn null_value(&self) -> f64 {
        match (self.numbers, self.name) {
            (ColumnNumbers::Mask, _) => f64::from(u32::MAX),
            (ColumnNumbers::Limit, "t_max" | "max_distance") => f64::INFINITY,
            _ => 0.0,
        }
    }

    /// Whether its numbers have the precision of the table.
    pub(super) fn is_real(&self) -> bool {
        self.numbers != ColumnNumbers::Mask
    }

    /// Whether its cells may be null: the row then has no limit and no mask of its own.
    pub(super) fn is_nullable(&self) -> bool {
        matches!(self.numbers, ColumnNumbers::Limit | ColumnNumbers::Mask)
    }
}

/// The names of columns, for messages: not more than fit a line.
pub(super) fn listed_columns(names: &[String]) -> String {
    const MOST: usize = 16;
    const LONGEST: usize = 40;
    if names.is_empty() {
        return "none".to_owned();
    }
    let name = |name: &String| match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let listed = names.iter().take(MOST).map(name).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

/// The next columns as the coordinates of points. The third one stays empty in two dimensions.
pub(super) fn next_point(columns: &mut impl Iterator<Item = Vec<f64>>, dimension: Dimension) -> [Vec<f64>; 3] {
    let mut axes = [const { Vec::new() }; 3];
    axes.iter_mut().zip(columns.take(dimension.count())).for_each(|(axis, column)| *axis = column);
    axes
}

/// The names and places of the columns that are found, or the error.
#[cfg(test)]
pub(super) fn found(kind: &TableKind, header: &str, dimension: Dimension) -> String {
    let header: Vec<&str> = header.split(' ').collect();
    match Columns::find(kind, &header, dimension) {
        Ok(columns) => columns.bindings.iter().map(|binding| format!("{}{} ", binding.name, binding.index)).collect(),
        Err(fault) => fault.in_file("f".as_ref()).to_string(),
    }
}
