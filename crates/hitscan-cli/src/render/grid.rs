//! The spacing of grid lines.

/// The largest of 1, 2 and 5 times a power of ten that is at most `x`.
pub(crate) fn round_1_2_5(x: f64) -> f64 {
    let power = 10f64.powf(x.max(f64::MIN_POSITIVE).log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|step| step * power).find(|step| *step <= x).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::round_1_2_5;

    #[test]
    fn steps_are_1_2_5() {
        let steps: Vec<f64> = [1.0, 1.9, 2.0, 4.9, 5.0, 9.9, 10.0, 0.3].into_iter().map(round_1_2_5).collect();
        assert_eq!(steps, [1.0, 1.0, 2.0, 2.0, 5.0, 5.0, 10.0, 0.2]);
    }
}
