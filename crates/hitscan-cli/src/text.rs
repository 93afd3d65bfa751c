//! Numbers and tables for people.

/// Seven significant digits, without trailing zeros.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let exponent = format!("{x:.6e}");
    let (digits, power) = exponent.split_once('e').unwrap_or((&exponent, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if (-4..9).contains(&power) {
        let decimals = usize::try_from(6 - power).unwrap_or(0);
        return trimmed(&format!("{x:.decimals$}")).to_owned();
    }
    format!("{}e{power}", trimmed(digits))
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A point or a vector: `(1, 2, 3)`.
pub(crate) fn point(p: [f64; 3], axes: usize) -> String {
    let numbers: Vec<String> = p.iter().take(axes).map(|x| number(*x)).collect();
    format!("({})", numbers.join(", "))
}

/// A count with its noun: `1 shape`, `2 shapes`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    let plural = match noun {
        "mesh" => "meshes".to_owned(),
        "box" => "boxes".to_owned(),
        "leaf" => "leaves".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{n} {}", if n == 1 { noun } else { &plural })
}

/// Columns of text, aligned; numbers to the right.
#[derive(Default)]
pub(crate) struct Grid {
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl Grid {
    /// Starts with the names of the columns.
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

    /// The text, and empty again except for the widths: what follows is at least as wide.
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
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (7.014435935394897, "7.014436"),
            (0.5, "0.5"),
            (-2.0, "-2"),
            (1e9, "1e9"),
            (123_456_789.0, "123456789"),
            (1.5e-7, "1.5e-7"),
            (f64::INFINITY, "inf"),
            (0.000_123_456_789, "0.0001234568"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let mut grid = Grid::new(&["name", "t"]);
        grid.push(vec!["ball".into(), "4.5".into()]);
        grid.push(vec!["a long name".into(), "-10".into()]);
        assert_eq!(grid.take(), "name         t\nball         4.5\na long name  -10\n");
    }
}
