//! The same set of points in other numbers: the exact image of a shape as a bare shape, and a shape moved before its
//! transform and back by it. None where the numbers are not representable.

use super::lattice::shift;
use super::place::{V, times};
use crate::affine::{Affine, PlainTransform};
use crate::body::{Body, Kind, Part, spatial};
use crate::line::on;
use crate::number::{Dyadic, Precision, grid_of, sign};
use test_support::random::Rng;

/// Number of the precision, if it represents `m 2^e`.
fn represented(m: &dashu_int::IBig, e: i32, precision: Precision) -> Option<f64> {
    let exact = Dyadic { m: m.clone(), e: i64::from(e) };
    let x = precision.round(exact.to_f64());
    (x.is_finite() && Dyadic::from_f64(x).minus(&exact).m == dashu_int::IBig::ZERO).then_some(x)
}

/// Exact image of a point.
pub fn exact_point(p: V, map: &Affine, precision: Precision) -> Option<V> {
    let grid = grid_of(p);
    let (image, grid) = map.image(&on(&p, grid), grid);
    let mut all = [0.0; 3];
    for (x, m) in all.iter_mut().zip(&image) {
        *x = represented(m, grid, precision)?;
    }
    Some(all)
}

/// Common scale of the axes, if they are those of the space in any order, up to sign and this scale.
fn similarity(transform: &PlainTransform, dim: usize) -> Option<f64> {
    let axes = &transform.axes[..dim];
    let scale = axes[0].iter().find(|x| **x != 0.0)?.abs();
    let is_along = |axis: &V| {
        let others = axis.iter().filter(|x| **x == 0.0).count();
        others == 2 && axis.iter().any(|x| x.abs() == scale)
    };
    axes.iter().all(is_along).then_some(scale)
}

/// Bare shape that is the exact image.
pub fn exact_image(body: &Body, transform: &PlainTransform, precision: Precision) -> Option<Body> {
    let (kind, map, dim) = (body.kind, Affine::new(transform), body.kind.dim());
    let mut numbers = Vec::with_capacity(body.numbers.len());
    let is_of_points = matches!(kind, Kind::Triangle | Kind::Triangle2 | Kind::Polygon | Kind::Segment | Kind::Quad);
    let scale = if is_of_points { 1.0 } else { similarity(transform, dim)? };
    // Lengths along the axes of the space would change places.
    let keeps_axes = (0..dim).all(|i| transform.axes[i][i].abs() == scale);
    let turn = PlainTransform { axes: transform.axes.map(|axis| axis.map(|x| x / scale)), ..*transform };
    for (_, part, x) in body.parts() {
        match part {
            Part::Point | Part::Points => {
                for p in x.chunks(dim) {
                    let image = exact_point(spatial(p), &map, precision)?;
                    numbers.extend_from_slice(&image[..dim]);
                }
            }
            Part::Length | Part::Extents => {
                if part == Part::Extents && kind.fields().len() == 2 && !keeps_axes {
                    return None;
                }
                for length in x {
                    let Dyadic { m, e } = Dyadic::from_f64(*length).times(&Dyadic::from_f64(scale));
                    numbers.push(represented(&m, e as i32, precision)?);
                }
            }
            // An edge is not moved.
            Part::Edge => {
                let linear = Affine::new(&PlainTransform { translation: [0.0; 3], ..*transform });
                for edge in x.chunks(dim) {
                    numbers.extend_from_slice(&exact_point(spatial(edge), &linear, precision)?[..dim]);
                }
            }
            // Up to a positive factor, a similarity maps normals as it maps vectors.
            Part::Normal | Part::Axes => {
                for v in x.chunks(dim) {
                    numbers.extend_from_slice(&turn.vector(spatial(v))[..dim]);
                }
            }
        }
    }
    // A mirror turns the order of vertices, and with it the front.
    let is_mirror = sign(&map.determinant()) < 0;
    (!(is_mirror && matches!(kind, Kind::Triangle | Kind::Segment | Kind::Quad))).then_some(Body { kind, numbers })
}

/// Shape moved by an integer vector, and the transform that moves it back first: the same image, exactly.
pub fn shifted(
    body: &Body,
    transform: &PlainTransform,
    precision: Precision,
    rng: &mut Rng,
) -> Option<(Body, PlainTransform)> {
    let dim = body.kind.dim();
    let by: V = std::array::from_fn(|i| if i < dim { f64::from(rng.int(-4, 4)) } else { 0.0 });
    let mut moved = body.clone();
    shift(&mut moved, by);
    let mut back = moved.clone().rounded(precision);
    let rounds = back != moved;
    shift(&mut back, times(by, -1.0));
    // A + (b - A by) is exact if the image of -by is.
    let translation = exact_point(times(by, -1.0), &Affine::new(transform), precision)?;
    let is_exact = !rounds && back == *body && exact_sums(body, by);
    is_exact.then_some((moved, PlainTransform { translation, ..*transform }))
}

/// Whether all points of a body move without rounding.
fn exact_sums(body: &Body, by: V) -> bool {
    let dim = body.kind.dim();
    let exact =
        |x: f64, y: f64| Dyadic::from_f64(x).minus(&Dyadic::from_f64(-y)).minus(&Dyadic::from_f64(x + y)).m.is_zero();
    body.parts()
        .filter(|(_, part, _)| matches!(part, Part::Point | Part::Points))
        .all(|(_, _, x)| x.iter().enumerate().all(|(i, x)| exact(*x, by[i % dim])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBLE: PlainTransform =
        PlainTransform { axes: [[0.0, 2.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 2.0]], translation: [1.0, 0.5, -3.0] };

    #[test]
    fn images_of_quarter_turns() {
        let disk = Body { kind: Kind::Disk, numbers: vec![1.0, 2.0, 3.0, 0.25, 0.5, 1.0, 0.75] };
        let image = exact_image(&disk, &DOUBLE, Precision::F32).map(|body| body.numbers);
        assert_eq!(image, Some(vec![-3.0, 2.5, 3.0, -0.5, 0.25, 1.0, 1.5]));
        let cuboid = Body { kind: Kind::Cuboid, numbers: vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0] };
        assert_eq!(exact_image(&cuboid, &DOUBLE, Precision::F32), None);
        let tenth = PlainTransform { translation: [0.1, 0.0, 0.0], ..DOUBLE };
        assert_eq!(exact_image(&disk, &tenth, Precision::F64), None);
    }

    #[test]
    fn shifted_shapes_have_the_same_image() {
        let mut rng = Rng::new(3);
        let ball = Body { kind: Kind::Sphere, numbers: vec![1.0, 0.5, -2.0, 1.5] };
        let (moved, back) = shifted(&ball, &DOUBLE, Precision::F64, &mut rng).expect("small numbers");
        assert_eq!(back.point(moved.vector(0)), DOUBLE.point(ball.vector(0)));
        let odd = Body { kind: Kind::Sphere, numbers: vec![1e-20, 0.5, -2.0, 1.5] };
        let found = (0..20).filter_map(|_| shifted(&odd, &DOUBLE, Precision::F64, &mut rng));
        assert!(found.into_iter().all(|(moved, _)| moved.number(0) == 1e-20));
    }
}
