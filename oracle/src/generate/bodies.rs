//! Random shapes: any position, size and orientation.

use super::place::{V, add, cross, sub, tangent, times, unit};
use crate::body::{Body, Kind, Part};
use test_support::random::Rng;

/// Properties of a random shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Approximate size, as a length.
    pub(super) size: f64,
    /// Approximate center of the shape.
    pub(super) center: V,
    /// Largest ratio of lengths, as a decimal exponent.
    pub(super) thin: f64,
    /// Whether the shape is axis-aligned.
    pub(super) aligned: bool,
}

/// Axes at right angles, as accurate as `f64` allows.
fn frame(dim: usize, aligned: bool, rng: &mut Rng) -> [V; 3] {
    if aligned {
        let first = if dim == 2 { rng.below(2) } else { rng.below(3) };
        let axis = |i: usize| -> V { std::array::from_fn(|j| f64::from(u8::from(i == j))) };
        if dim == 2 {
            return [times(axis(first), rng.sign()), times(axis(1 - first), rng.sign()), axis(2)];
        }
        return [0, 1, 2].map(|i| times(axis((first + i) % 3), rng.sign()));
    }
    let a = rng.direction(dim);
    let b = unit(tangent(a, dim, rng));
    let b = unit(sub(b, times(a, super::place::dot(a, b))));
    [a, b, unit(cross(a, b))]
}

impl Style {
    /// Random length, sometimes much smaller or larger than the size.
    fn length(&self, rng: &mut Rng) -> f64 {
        if self.thin == 0.0 {
            return self.size * rng.between(0.2, 1.0);
        }
        self.size * rng.decades(-self.thin, 0.0)
    }
}

/// Random shape of this kind; its constructor may refuse it.
pub(super) fn body(kind: Kind, style: &Style, rng: &mut Rng) -> Body {
    let dim = kind.dim();
    let mut numbers = Vec::new();
    let axes = frame(dim, style.aligned, rng);
    let put = |numbers: &mut Vec<f64>, v: V| numbers.extend_from_slice(&v[..dim]);
    match kind {
        Kind::Capsule
        | Kind::Capsule2
        | Kind::TaperedCapsule
        | Kind::TaperedCapsule2
        | Kind::Cylinder
        | Kind::Cone
        | Kind::Frustum => {
            let half = times(axes[0], style.length(rng));
            put(&mut numbers, sub(style.center, half));
            put(&mut numbers, add(style.center, half));
            numbers.push(style.length(rng));
            let is_tapered = matches!(kind, Kind::TaperedCapsule | Kind::TaperedCapsule2);
            if kind == Kind::Frustum || is_tapered {
                // Often nearly a cylinder or a cone; of two balls, one often touches the other from inside, or nearly.
                let radius = numbers[numbers.len() - 1];
                let touching = radius + 2.0 * super::place::length(half);
                numbers.push(match rng.below(if is_tapered { 7 } else { 5 }) {
                    5 => touching,
                    6 => touching * (1.0 + rng.sign() * rng.decades(-14.0, 0.0)),
                    0 => radius,
                    1 => radius * (1.0 + 1e-6 * rng.between(-1.0, 1.0)),
                    2 => radius * 1e-4 * rng.unit(),
                    _ => style.length(rng),
                });
                if rng.once_in(8) {
                    let at = numbers.len() - 1 - rng.below(2);
                    numbers[at] = 0.0;
                }
                if rng.once_in(2) {
                    let last = numbers.len() - 1;
                    numbers.swap(last, last - 1);
                }
            }
        }
        Kind::Triangle | Kind::Triangle2 | Kind::Segment => {
            let flat = if style.thin > 0.0 { rng.decades(-style.thin, 0.0) } else { rng.between(0.2, 1.0) };
            let corners = [[-1.0, 0.0], [1.0, 0.0], [rng.between(-1.5, 1.5), flat]];
            for [x, y] in corners.into_iter().take(if kind == Kind::Segment { 2 } else { 3 }) {
                let arm = add(times(axes[0], x * style.size), times(axes[1], y * style.size));
                put(&mut numbers, add(style.center, arm));
            }
        }
        Kind::Quad => {
            let flat = if style.thin > 0.0 { rng.decades(-style.thin, 0.0) } else { rng.between(0.2, 1.0) };
            put(&mut numbers, style.center);
            put(&mut numbers, times(axes[0], style.size));
            let along = rng.pick(&[0.0, 1.0]) * rng.between(-1.5, 1.5);
            put(&mut numbers, times(add(times(axes[0], along), times(axes[1], flat)), style.size));
        }
        Kind::Polygon => {
            let n = rng.int(3, 8);
            let (long, wide) = (style.size, style.length(rng));
            let turn = rng.between(0.0, 1.0);
            for i in 0..n {
                let angle = std::f64::consts::TAU * (f64::from(i) + turn + rng.between(0.0, 0.8)) / f64::from(n);
                let arm = add(times(axes[0], long * angle.cos()), times(axes[1], wide * angle.sin()));
                put(&mut numbers, add(style.center, arm));
            }
        }
        _ => {
            for (_, part) in kind.fields() {
                match part {
                    Part::Point => put(&mut numbers, style.center),
                    Part::Extents => (0..dim).for_each(|_| numbers.push(style.length(rng))),
                    Part::Length => numbers.push(style.length(rng)),
                    Part::Normal => put(&mut numbers, times(axes[0], rng.decades(-2.0, 2.0))),
                    Part::Axes => axes[..dim].iter().for_each(|axis| put(&mut numbers, *axis)),
                    Part::Points | Part::Edge => {}
                }
            }
        }
    }
    Body { kind, numbers }
}
