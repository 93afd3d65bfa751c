//! Numbers on the command line.

use crate::error::{Error, Result};
use hitscan::Real;
use hitscan_io::Dimension;

/// One argument of numbers, divided by commas.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers(pub(crate) Vec<f64>);

impl std::str::FromStr for Numbers {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().map_err(|_| format!("'{part}' is not a number"));
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

impl Numbers {
    /// Exactly three finite numbers.
    pub(crate) fn point(&self, what: &str) -> Result<[f64; 3]> {
        match <[f64; 3]>::try_from(&self.0[..]) {
            Ok(point) if point.iter().all(|x| x.is_finite()) => Ok(point),
            _ => Err(Error::input(format!("{what}: three finite numbers are needed"))),
        }
    }
}

/// A limit of `t`: a number or an infinity, not NaN.
pub(crate) fn limit(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_nan() => Err("NaN is no limit".into()),
        Ok(value) => Ok(value),
        Err(_) => Err("not a number".into()),
    }
}

/// A largest distance: a number of at least 0, or infinity.
pub(crate) fn distance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        Ok(_) => Err("a distance is a number of at least 0".into()),
        Err(_) => Err("not a number".into()),
    }
}

/// A radius: a finite number greater than 0.
pub(crate) fn radius(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        Ok(_) => Err("a radius is a finite number greater than 0".into()),
        Err(_) => Err("not a number".into()),
    }
}

/// A radius in the precision of the queries, in which it must not become zero or infinite.
pub(crate) fn rounded_radius<S: Real>(radius: f64, flag: &str) -> Result<S> {
    let rounded = S::from_f64(radius);
    if rounded.to_f64() > 0.0 && rounded.to_f64().is_finite() {
        return Ok(rounded);
    }
    Err(Error::input(format!("{flag}: {radius:e} is beyond the range of f32 (--precision f64 takes it)")))
}

/// Rows of finite numbers as columns. `row` says in errors what a row is: `ray`.
pub(crate) fn number_columns(
    given: &[Numbers],
    flag: &str,
    names: &[String],
    dimension: Dimension,
    row: &str,
) -> Result<Vec<Vec<f64>>> {
    let mut columns = vec![Vec::with_capacity(given.len()); names.len()];
    for (number, Numbers(values)) in given.iter().enumerate() {
        let number = number + 1;
        if values.len() != names.len() {
            let (count, axes, needed, names) = (values.len(), dimension.count(), names.len(), names.join(","));
            let text = format!("{flag} {number}: {count} numbers, but in {axes}D it takes {needed} ({names})");
            return Err(Error::input(text));
        }
        for ((value, name), column) in values.iter().zip(names).zip(&mut columns) {
            if !value.is_finite() {
                return Err(Error::input(format!("{flag} {number}: {name}: {value} is not allowed in a {row}")));
            }
            column.push(*value);
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_divided_by_commas() {
        assert_eq!("1, -2.5,1e3".parse(), Ok(Numbers(vec![1.0, -2.5, 1e3])));
        assert_eq!("1,x".parse::<Numbers>().unwrap_err(), "'x' is not a number");
    }
}
