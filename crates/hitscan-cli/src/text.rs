//! Numbers and tables for people.

pub(crate) use hitscan_io::fmt::{number, point};
use std::fmt::Display;

/// A count with its noun: `1 shape`, `2 shapes`.
pub(crate) fn count<N: Copy + Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let plural = match noun {
        "mesh" => "meshes".to_owned(),
        "box" => "boxes".to_owned(),
        "leaf" => "leaves".to_owned(),
        "vertex" => "vertices".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{n} {}", if n == N::from(1) { noun } else { &plural })
}

/// A number of things per second: `1.2 M rays/s`.
pub(crate) fn rate(n: u64, noun: &str, seconds: f64) -> String {
    let rate = n as f64 / seconds.max(1e-9);
    let (rate, unit) = if rate >= 1e6 { (rate / 1e6, "M ") } else { (rate / 1e3, "k ") };
    format!("{rate:.1} {unit}{noun}/s")
}

/// Columns of text, aligned; numbers to the right.
#[derive(Default)]
pub(crate) struct Grid {
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl Grid {
    /// A table with the names of its columns as the first row.
    pub(crate) fn new(header: &[&str]) -> Self {
        let mut grid = Self::default();
        grid.push(header.iter().map(|name| (*name).to_owned()).collect());
        grid
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.widths.resize(self.widths.len().max(row.len()), 0);
        for (width, cell) in self.widths.iter_mut().zip(&row) {
            *width = (*width).max(cell.chars().count());
        }
        self.rows.push(row);
    }

    /// Takes the text; the widths stay, so that later rows are at least as wide.
    pub(crate) fn take(&mut self) -> String {
        let mut text = String::new();
        for row in self.rows.drain(..) {
            let mut line = String::new();
            for (cell, &width) in row.iter().zip(&self.widths) {
                let is_number =
                    cell.starts_with(|c: char| c.is_ascii_digit() || c == '-') && cell.parse::<f64>().is_ok();
                let padded = if is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
                line.push_str(&padded);
                line.push_str("  ");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut grid = Grid::new(&["name", "t"]);
        grid.push(vec!["ball".into(), "4.5".into()]);
        grid.push(vec!["a long name".into(), "-10".into()]);
        assert_eq!(grid.take(), "name         t\nball         4.5\na long name  -10\n");
    }
}
