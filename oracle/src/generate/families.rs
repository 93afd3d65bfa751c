//! Rays of the families: distance, offset from an edge, slant.

use super::bodies::Style;
use super::family::Family;
use super::place::{V, add, length, middle, on_edge, on_surface, sub, tangent, times};
use crate::body::Body;
use crate::number::Precision;
use test_support::random::Rng;

/// Shapes of a family.
pub(super) fn style(family: Family, dim: usize, rng: &mut Rng) -> Style {
    let size = match family {
        Family::Scale => rng.decades(-6.0, 6.0),
        _ => rng.decades(-0.5, 0.7),
    };
    let away = match family {
        Family::Scale => rng.decades(-6.0, 6.0),
        _ if rng.once_in(6) => 0.0,
        _ => size * rng.between(0.0, 10.0),
    };
    let mut center = times(rng.cube(dim), away);
    let aligned = family == Family::Axis || rng.once_in(12);
    if family == Family::Axis {
        center = center.map(|x| if rng.once_in(2) { x } else { x.round() });
    }
    Style { size, center, thin: if family == Family::Thin { 4.0 } else { 0.0 }, aligned }
}

/// Origin and direction, not yet rounded to the precision.
pub(super) fn line(family: Family, body: &Body, precision: Precision, rng: &mut Rng) -> (V, V) {
    let dim = body.kind.dim();
    let (center, size) = middle(body);
    let from = |distance: f64, rng: &mut Rng| add(center, times(rng.direction(dim), distance * size));
    let somewhere = |rng: &mut Rng| add(center, times(rng.cube(dim), 1.2 * size));
    let near = |rng: &mut Rng| rng.between(0.1, 6.0);
    // Rounds the target to the precision, which makes the difference exact more often.
    let aim = |origin: V, target: V| sub(target.map(|x| precision.round(x)), origin.map(|x| precision.round(x)));
    match family {
        Family::Far => {
            let distance = rng.decades(3.0, 7.0);
            let origin = from(distance, rng);
            let target = match rng.below(3) {
                0 => on_edge(body, rng),
                1 => on_surface(body, rng).0,
                _ => somewhere(rng),
            };
            (origin, aim(origin, target))
        }
        Family::Grazing => {
            let (p, n) = on_surface(body, rng);
            let d = tangent(n, dim, rng);
            let ulps = f64::from(rng.int(-4, 4)) * precision.epsilon() * length(p).max(size);
            let back = size * if rng.once_in(3) { rng.decades(0.0, 4.0) } else { rng.between(-1.0, 4.0) };
            (add(sub(p, times(d, back)), times(n, ulps)), times(d, rng.between(0.5, 2.0)))
        }
        Family::Edge => {
            let distance = near(rng);
            let origin = if rng.once_in(3) { on_edge(body, rng) } else { from(distance, rng) };
            (origin, aim(origin, on_edge(body, rng)))
        }
        Family::Axis => axis(body, center, size, rng),
        Family::Surface => {
            let (p, n) = on_surface(body, rng);
            let ulps = f64::from(rng.int(-3, 3)) * precision.epsilon() * length(p).max(size);
            let origin = match rng.below(4) {
                0 => on_edge(body, rng),
                1 => add(p, times(n, -rng.unit() * size)),
                _ => add(p, times(n, ulps)),
            };
            let d = match rng.below(4) {
                0 => n,
                1 => times(n, -1.0),
                2 => tangent(n, dim, rng),
                _ => rng.direction(dim),
            };
            (origin, d)
        }
        Family::Thin => {
            let distance = near(rng);
            let origin = from(distance, rng);
            let target = if rng.once_in(3) { on_edge(body, rng) } else { on_surface(body, rng).0 };
            (origin, aim(origin, target))
        }
        _ => {
            let distance = near(rng);
            let origin = from(distance, rng);
            let d = sub(somewhere(rng), origin);
            (origin, if family == Family::Nonunit { times(d, rng.decades(-3.0, 3.0)) } else { d })
        }
    }
}

/// Axis-parallel rays and rays in a coordinate plane, whose origins share coordinates with the shape.
fn axis(body: &Body, center: V, size: f64, rng: &mut Rng) -> (V, V) {
    let dim = body.kind.dim();
    let mark = if rng.once_in(2) { on_edge(body, rng) } else { center };
    let mut origin = mark;
    let mut d = [0.0; 3];
    for i in 0..dim {
        if rng.once_in(3) {
            origin[i] += size * rng.between(-1.5, 1.5);
        }
        d[i] = if rng.once_in(2) { 0.0 } else { -0.0 };
    }
    let i = rng.below(dim);
    d[i] = rng.sign() * rng.pick(&[1.0, 1.0, 0.25, 3.0]);
    origin[i] -= d[i] * size * rng.between(-1.0, 4.0);
    if rng.once_in(3) {
        let j = rng.below(dim);
        d[j] = rng.sign() * rng.between(0.1, 2.0);
    }
    (origin, d)
}
