//! Random transforms in families, and cases whose rays follow the image of the shape.
//!
//! # Method
//! A ray is made for the bare shape and mapped with it, then rounded: what grazes, touches or begins on the shape does
//! so on its image, but for rounding. Maps of small integers and of powers of two round nothing, so exact contact stays.

use super::family::{Family, TransformFamily};
use super::flip;
use super::place::{V, add, cross, dot, sub, times, unit};
use super::plain::{plain, with_queries};
use crate::affine::PlainTransform;
use crate::body::Kind;
use crate::case::Case;
use crate::line::RayOrSegment;
use crate::number::Precision;
use test_support::random::Rng;

type Matrix = [V; 3];

const UNIT: Matrix = PlainTransform::IDENTITY.axes;

/// Product of matrices of columns.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    b.map(|v| add(add(times(a[0], v[0]), times(a[1], v[1])), times(a[2], v[2])))
}

fn rotation(dim: usize, rng: &mut Rng) -> Matrix {
    let turn = std::f64::consts::TAU * rng.unit();
    let angle = if rng.once_in(4) { rng.sign() * rng.decades(-8.0, 0.0) } else { turn };
    let axis = if dim == 2 { UNIT[2] } else { rng.direction(3) };
    let (sin, cos) = angle.sin_cos();
    // Rodrigues' formula.
    UNIT.map(|v| {
        let along = times(axis, dot(axis, v) * (1.0 - cos));
        add(add(times(v, cos), times(cross(axis, v), sin)), along)
    })
}

/// Permutation of the axes with signs, and with a positive determinant.
fn quarter(dim: usize, rng: &mut Rng) -> Matrix {
    let first = rng.below(dim);
    let mut axes = UNIT;
    (0..dim).for_each(|i| axes[i] = times(UNIT[(first + i) % dim], rng.sign()));
    let determinant = dot(cross(axes[0], axes[1]), axes[2]);
    axes[0] = times(axes[0], determinant);
    axes
}

/// No rotation, quarter turns, or any rotation.
fn turned(dim: usize, rng: &mut Rng) -> Matrix {
    match rng.below(3) {
        0 => UNIT,
        1 => quarter(dim, rng),
        _ => rotation(dim, rng),
    }
}

fn factor(rng: &mut Rng) -> f64 {
    if rng.once_in(2) { 2f64.powi(rng.int(-8, 8)) } else { rng.decades(-3.0, 3.0) }
}

fn scaled(dim: usize, factors: impl FnMut() -> f64) -> Matrix {
    let mut axes = UNIT;
    axes[..dim].iter_mut().zip(std::iter::repeat_with(factors)).for_each(|(axis, factor)| *axis = times(*axis, factor));
    axes
}

fn shear(dim: usize, rng: &mut Rng) -> Matrix {
    let mut axes = UNIT;
    let is_short = rng.once_in(3);
    let entry = |rng: &mut Rng| if is_short { f64::from(rng.int(-8, 8)) / 4.0 } else { rng.between(-3.0, 3.0) };
    if rng.once_in(2) {
        let (i, j) = (rng.below(dim), rng.int(1, dim as i32 - 1) as usize);
        axes[i][(i + j) % dim] = entry(rng);
    } else {
        for (i, axis) in axes[..dim].iter_mut().enumerate() {
            (0..dim).filter(|j| *j != i).for_each(|j| axis[j] = entry(rng));
        }
    }
    axes
}

fn near_singular(dim: usize, rng: &mut Rng) -> Matrix {
    let thin = rng.decades(-12.0, -3.0);
    match rng.below(3) {
        // One scale much smaller than the others, along any direction.
        0 => {
            let mut scale = UNIT;
            let last = dim - 1;
            scale[last] = times(scale[last], thin);
            product(&product(&rotation(dim, rng), &scale), &turned(dim, rng))
        }
        // Two axes nearly parallel.
        1 => {
            let mut axes = rotation(dim, rng);
            axes[1] = add(times(axes[0], rng.between(-2.0, 2.0)), times(rng.direction(dim), thin));
            axes
        }
        // Integers: n^2 - (n - 1) (n + 1) = 1.
        _ => {
            let n = f64::from(rng.int(30, 4000));
            let mut axes = UNIT;
            (axes[0][0], axes[0][1], axes[1][0], axes[1][1]) = (n, n + 1.0, n - 1.0, n);
            product(&quarter(dim, rng), &axes)
        }
    }
}

fn integer(dim: usize, rng: &mut Rng) -> Matrix {
    let mut axes = UNIT;
    axes[..dim].iter_mut().for_each(|axis| axis[..dim].iter_mut().for_each(|x| *x = f64::from(rng.int(-3, 3))));
    axes
}

/// Random valid transform.
pub fn transform(family: TransformFamily, dim: usize, precision: Precision, rng: &mut Rng) -> PlainTransform {
    loop {
        let axes = match family {
            TransformFamily::Rotation => rotation(dim, rng),
            TransformFamily::Quarter => quarter(dim, rng),
            TransformFamily::Mirror => {
                let mut axes = turned(dim, rng);
                let i = rng.below(dim);
                axes[i] = times(axes[i], -1.0);
                if rng.once_in(2) { axes } else { product(&axes, &scaled(dim, || factor(rng))) }
            }
            TransformFamily::Uniform => {
                let factor = factor(rng);
                product(&turned(dim, rng), &scaled(dim, || factor))
            }
            TransformFamily::Uneven => {
                let scaled = product(&turned(dim, rng), &scaled(dim, || factor(rng)));
                if rng.once_in(2) { scaled } else { product(&scaled, &rotation(dim, rng)) }
            }
            TransformFamily::Shear => product(&turned(dim, rng), &shear(dim, rng)),
            TransformFamily::Translation | TransformFamily::Identity => UNIT,
            TransformFamily::NearSingular => near_singular(dim, rng),
            TransformFamily::Integer => integer(dim, rng),
            TransformFamily::Magnitude => {
                let power = |rng: &mut Rng| 2f64.powi(rng.int(-60, 60)) * rng.between(1.0, 2.0);
                let whole = power(rng);
                let scale = scaled(dim, || if rng.once_in(2) { whole } else { power(rng) });
                product(&rotation(dim, rng), &scale)
            }
        };
        let whole =
            |rng: &mut Rng| -> V { std::array::from_fn(|i| if i < dim { f64::from(rng.int(-9, 9)) } else { 0.0 }) };
        let translation = match family {
            TransformFamily::Identity => [0.0; 3],
            TransformFamily::Integer => whole(rng),
            TransformFamily::Translation => {
                let size = if rng.once_in(3) { 2f64.powi(rng.int(-40, 40)) } else { rng.decades(-20.0, 12.0) };
                if rng.once_in(3) { times(whole(rng), size) } else { times(rng.cube(dim), size) }
            }
            _ => match rng.below(4) {
                0 => [0.0; 3],
                1 => whole(rng),
                _ => times(rng.cube(dim), rng.decades(-2.0, 3.0)),
            },
        };
        let round = |v: V| v.map(|x| precision.round(x));
        let found = PlainTransform { axes: axes.map(round), translation: round(translation) };
        if found.is_valid() {
            return found;
        }
    }
}

/// Random case of an instance; None if its numbers are not a valid case.
pub fn instance(
    kind: Kind,
    family: TransformFamily,
    rays: Family,
    precision: Precision,
    rng: &mut Rng,
) -> Option<Case> {
    let from = if rays == Family::Flip { rng.pick(&flip::STARTS) } else { rays };
    let bare = plain(kind, from, precision, rng)?;
    let found = placed(bare, transform(family, kind.dim(), precision, rng), rays, rng)?;
    Some(if rays == Family::Flip { flip::nearer(found, rng) } else { found })
}

/// Case of a bare shape, mapped.
pub fn placed(bare: Case, transform: PlainTransform, rays: Family, rng: &mut Rng) -> Option<Case> {
    let precision = bare.precision;
    let given = mapped(&bare.given, &transform, bare.body.kind.dim(), rays, precision, rng);
    Some(Case { transform: Some(transform), ..with_queries(precision, bare.body, given)? })
}

/// Image of a ray or segment, rounded.
pub fn mapped(
    given: &RayOrSegment,
    transform: &PlainTransform,
    dim: usize,
    rays: Family,
    precision: Precision,
    rng: &mut Rng,
) -> RayOrSegment {
    let round = |v: V| v.map(|x| precision.round(x));
    let RayOrSegment { origin, target, is_segment } = *given;
    let end = if is_segment { target } else { add(origin, target) };
    let (from, to) = (round(transform.point(origin)), round(transform.point(end)));
    if is_segment {
        return RayOrSegment { origin: from, target: to, is_segment };
    }
    if rays == Family::Axis && rng.once_in(3) {
        // Along an axis of the world, through the target.
        let (i, size) = (rng.below(dim), super::place::length(sub(to, from)));
        let (mut origin, mut along) = (to, [if rng.once_in(2) { 0.0 } else { -0.0 }; 3]);
        along[i] = rng.sign();
        origin[i] = precision.round(origin[i] - along[i] * size);
        return RayOrSegment { origin, target: along, is_segment };
    }
    // The difference of rounded points is at the target more often; the mapped direction keeps a tangent.
    let is_aimed = !matches!(rays, Family::Grazing | Family::Surface | Family::Lattice | Family::Axis);
    let target = if is_aimed && !rng.once_in(4) { sub(to, from) } else { transform.vector(target) };
    let target = if rng.once_in(12) { unit(target) } else { target };
    RayOrSegment { origin: from, target: round(target), is_segment }
}
