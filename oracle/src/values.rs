//! What a hit should say, to hundreds of bits: `t`, distance, point, normal.
//!
//! # Method
//! Everything is `x + y sqrt(d)` in whole numbers until the last moment, so nothing is lost to cancellation. Normals are
//! gradients of the gauges by central differences, which are exact for polynomials of degree 2, and linear along the
//! line: two points determine them everywhere.

use crate::gauge::Gauge;
use crate::line::{Line, Whole, dot, minus, plus};
use crate::meeting::Bound;
use crate::number::{Dyadic, length, root_floor};
use crate::surd::{Refined, Surd};
use dashu_int::IBig;

/// The bits that normals are good for.
const NORMAL_BITS: usize = 192;

/// The numbers of one exact hit.
#[derive(Clone, Debug)]
pub struct Values {
    /// The parameter.
    pub t: Dyadic,
    /// The length travelled, negative behind the origin.
    pub distance: Dyadic,
    /// The place.
    pub point: [Dyadic; 3],
    /// Any of these is right; none of them where every direction is.
    pub normals: Vec<[Dyadic; 3]>,
}

impl Values {
    /// At an end of a stretch, or at the crossing of a surface.
    pub fn at_bound(bound: &Bound<'_>, line: &Line, dim: usize) -> Self {
        let mut root = Refined::new(&bound.at.d);
        let mut normals = Vec::with_capacity(bound.gauges.len());
        for gauge in &bound.gauges {
            match normal(gauge, &bound.at, &mut root, line, dim) {
                Some(n) => normals.push(n),
                None => {
                    normals.clear();
                    break;
                }
            }
        }
        Self::at(&bound.at, &mut root, line, normals)
    }
    /// Where a range begins inside a solid: the normal is against the ray.
    pub fn at_start(s: &Surd, line: &Line) -> Self {
        let against = line.d.clone().map(|x| -x);
        Self::at(s, &mut Refined::new(&s.d), line, unit(&against).into_iter().collect())
    }

    fn at(s: &Surd, root: &mut Refined, line: &Line, normals: Vec<[Dyadic; 3]>) -> Self {
        let Surd { p, q, r, .. } = s;
        let q = IBig::from(*q);
        let s = root.value(p.clone(), q.clone(), r);
        let grid = i64::from(line.grid);
        let point = std::array::from_fn(|i| {
            let (o, d) = (&line.o[i], &line.d[i]);
            root.value(o * r + d * p, d * &q, r).scaled(grid)
        });
        let speed = Refined::new(&dot(&line.d, &line.d)).value(IBig::ZERO, IBig::ONE, &IBig::ONE);
        let distance = s.times(&speed).scaled(grid);
        Self { t: s.scaled(i64::from(line.scale)), distance, point, normals }
    }
}

/// Twice the gradient at a point.
fn gradient(gauge: &Gauge, p: &Whole, dim: usize) -> Whole {
    std::array::from_fn(|i| {
        if i >= dim {
            return IBig::ZERO;
        }
        let step: Whole = std::array::from_fn(|j| IBig::from(u8::from(i == j)));
        gauge.at(&plus(p, &step)) - gauge.at(&minus(p, &step))
    })
}

/// The gradient at `s`, times a positive factor, as `x + y sqrt(d)` with the root of `s`.
pub fn direction(gauge: &Gauge, s: &Surd, line: &Line, dim: usize) -> (Whole, Whole) {
    let here = gradient(gauge, &line.o, dim);
    if gauge.is_flat() {
        return (here, std::array::from_fn(|_| IBig::ZERO));
    }
    let change = minus(&gradient(gauge, &line.at(1), dim), &here);
    let (p, q, r) = (&s.p, IBig::from(s.q), &s.r);
    (std::array::from_fn(|i| &here[i] * r + &change[i] * p), std::array::from_fn(|i| &change[i] * &q))
}

/// The unit gradient at `s`; None where it is zero.
fn normal(gauge: &Gauge, s: &Surd, root: &mut Refined, line: &Line, dim: usize) -> Option<[Dyadic; 3]> {
    let (x, y) = direction(gauge, s, line, dim);
    if gauge.is_flat() { unit(&x) } else { unit(&root.together(&x, &y, NORMAL_BITS)) }
}

/// Of length 1; None for zero.
fn unit(v: &Whole) -> Option<[Dyadic; 3]> {
    let top = v.iter().map(length).max().filter(|top| *top > 0)?;
    // As many bits as are good, or as are needed.
    let drop = top.saturating_sub(NORMAL_BITS + 32);
    let add = (NORMAL_BITS + 32).saturating_sub(top);
    let v = v.clone().map(|x| (x >> drop) << add);
    let size = root_floor(&dot(&v, &v));
    Some(v.map(|x| Dyadic { m: (x << NORMAL_BITS) / &size, e: -(NORMAL_BITS as i64) }))
}
