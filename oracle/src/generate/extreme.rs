//! Extreme cases: any finite bit patterns from the whole range of exponents, with rays that may still hit.

use super::bodies::{Style, body};
use super::place::{add, middle, on_edge, on_surface, sub, times};
use crate::body::{Body, Kind, Part};
use crate::line::RayOrSegment;
use crate::number::Precision;
use test_support::random::Rng;

/// Random finite number of the precision.
fn bits(precision: Precision, rng: &mut Rng) -> f64 {
    loop {
        let x = match precision {
            Precision::F32 => f64::from(f32::from_bits(rng.bits() as u32)),
            Precision::F64 => f64::from_bits(rng.bits()),
        };
        if x.is_finite() {
            return x;
        }
    }
}

/// Random power of two in the range of the precision, uniform on the logarithmic scale.
fn power(precision: Precision, rng: &mut Rng) -> f64 {
    let exponent = if precision == Precision::F32 { 126 } else { 1022 };
    2f64.powi(rng.int(-exponent, exponent))
}

/// Makes one part of a shape tiny or huge relative to the others: a length, some of the extents, or the offset of one
/// of its points from the first, which moves to the origin, where small numbers are.
fn rescale(body: &mut Body, factor: f64, rng: &mut Rng) {
    let fields: Vec<(Part, usize)> = body.parts().map(|(_, part, x)| (part, x.len())).collect();
    let chosen = rng.below(fields.len());
    let base = body.vector(0);
    let mut start = 0;
    for (i, (part, n)) in fields.into_iter().enumerate() {
        let numbers = &mut body.numbers[start..start + n];
        if part == Part::Point {
            numbers.iter_mut().zip(base).for_each(|(x, base)| *x -= base);
        }
        if i == chosen && part != Part::Axes {
            let all = part != Part::Extents;
            numbers.iter_mut().filter(|_| all || rng.once_in(2)).for_each(|x| *x *= factor);
        }
        start += n;
    }
}

/// Scales an ordinary shape and ray to any size, and replaces some numbers by any others.
pub(super) fn extreme(kind: Kind, precision: Precision, rng: &mut Rng) -> (Body, RayOrSegment) {
    let dim = kind.dim();
    let style = Style {
        size: 1.0,
        center: times(rng.cube(dim), rng.pick(&[0.0, 2.0, 100.0])),
        thin: 1.0,
        aligned: rng.once_in(4),
    };
    let mut body = body(kind, &style, rng);
    let uneven = rng.once_in(4);
    // Fewer than one in three cases of four.
    let factor = power(precision, rng).recip().min(power(precision, rng));
    if uneven {
        rescale(&mut body, factor, rng);
    }
    let (center, _) = middle(&body);
    let mut origin = add(center, times(rng.direction(dim), rng.decades(-1.0, 3.0)));
    if uneven && rng.once_in(3) {
        origin = times(origin, factor);
    }
    let target = if rng.once_in(2) { on_edge(&body, rng) } else { on_surface(&body, rng).0 };
    let mut direction = sub(target, origin);
    let [unit, pace] = [0; 2].map(|_| if uneven { 1.0 } else { power(precision, rng) });
    let fit = |x: f64| precision.round(x.clamp(-precision.max(), precision.max()));
    // Axes stay unit vectors; everything else is scaled.
    let mut i = 0;
    let lengths: Vec<bool> = body.parts().flat_map(|(_, part, x)| vec![part != Part::Axes; x.len()]).collect();
    body.numbers.iter_mut().for_each(|x| {
        *x = fit(if lengths[i] { *x * unit } else { *x });
        i += 1;
    });
    origin = origin.map(|x| fit(x * unit));
    direction = direction.map(|x| fit(x * pace));
    for _ in 0..if uneven { 0 } else { rng.below(4) } {
        let n = body.numbers.len();
        let at = rng.below(n + 2 * dim);
        let wild = match rng.below(6) {
            0 => 0.0,
            1 => precision.step(0.0, rng.int(-2, 2)),
            2 => precision.max() * rng.sign(),
            3 => fit(power(precision, rng) * rng.sign()),
            _ => bits(precision, rng),
        };
        let number = if at < n {
            &mut body.numbers[at]
        } else if at < n + dim {
            &mut origin[at - n]
        } else {
            &mut direction[at - n - dim]
        };
        if at >= n || lengths[at] {
            *number = if at < n && rng.once_in(2) { wild.abs() } else { wild };
        }
    }
    let is_segment = rng.once_in(6);
    let target = if is_segment { std::array::from_fn(|i| fit(origin[i] + direction[i])) } else { direction };
    (body, RayOrSegment { origin, target, is_segment })
}
