//! Points of the unit circle, from IEEE operations: the same bits on every machine.

use core::f64::consts::FRAC_PI_4;

/// The number of terms of the series of sine and cosine: up to an eighth of a turn, the next ones are below 2^-60.
const TERMS: u32 = 18;

/// The point of the unit circle at `index / count` of a turn: its cosine and its sine.
///
/// # Method
/// Whole numbers reduce the angle to an eighth of a turn. So the points at quarters of a turn are on the axes, exactly, and points
/// that mirror each other have the same digits. There the Taylor series of sine and cosine have their sums.
///
/// # Accuracy
/// Each coordinate is within 2^-51 (`points_are_those_of_the_standard_library`).
pub(crate) fn unit_circle_point(index: u32, count: u32) -> [f64; 2] {
    let count = u64::from(count.max(1));
    // The angle in eighths of a turn, times `count`: the quarter it is in, and the rest.
    let eighths = 8 * (u64::from(index) % count);
    let (quarter, rest) = (eighths / (2 * count), eighths % (2 * count));
    // In the second half of a quarter, sine and cosine are those of what is left to its end, exchanged.
    let is_past_middle = rest > count;
    let rest = if is_past_middle { 2 * count - rest } else { rest };
    let [cosine, sine] = cosine_and_sine(rest as f64 / count as f64 * FRAC_PI_4);
    let [x, y] = if is_past_middle { [sine, cosine] } else { [cosine, sine] };
    match quarter {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    }
}

/// Cosine and sine of an angle from 0 to an eighth of a turn.
fn cosine_and_sine(angle: f64) -> [f64; 2] {
    let (mut term, mut sums) = (1.0, [1.0, 0.0]);
    for n in 1..=TERMS {
        term = term * angle / f64::from(n);
        let signed = if n % 4 < 2 { term } else { -term };
        sums[n as usize % 2] += signed;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_standard_library() {
        for count in [1, 4, 7, 12, 32, 1000, u32::MAX] {
            for step in 0..1000u32 {
                let index = if count > 1000 { step * (count / 1000) } else { step % count };
                let (sine, cosine) = (f64::from(index) / f64::from(count) * core::f64::consts::TAU).sin_cos();
                let [x, y] = unit_circle_point(index, count);
                let away = (x * x + y * y - 1.0).abs() / 2.0;
                assert!(away <= f64::EPSILON * 2.0, "{index}/{count}: {x} {y} is {away:e} beside the circle");
                // The angle for the standard library is rounded three times, each time by up to 2^-51 at the end of the turn.
                let error = (x - cosine).abs().max((y - sine).abs());
                assert!(error <= f64::EPSILON * 8.0, "{index}/{count}: {x} {y}, not {cosine} {sine}");
            }
        }
    }

    #[test]
    fn quarters_are_exact_and_mirrors_have_the_same_digits() {
        for count in [4, 12, 32, 4096] {
            let at = |index: u32| unit_circle_point(index, count);
            let quarters = [0, 1, 2, 3].map(|quarter| at(quarter * count / 4));
            assert_eq!(quarters, [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]);
            for index in 0..count {
                let ([x, y], [u, v]) = (at(index), at(count - index));
                assert_eq!((x, y), (u, -v));
                let [u, v] = at(index + count / 4);
                assert_eq!((x, y), (v, -u));
            }
        }
    }
}
