//! Numbers of an exact hit, to hundreds of bits: `t`, distance, point, normal.
//!
//! # Method
//! Each number is `x + y sqrt(d)` in integers until the last step, so cancellation loses nothing. Normals are the
//! gradients of the implicit functions by central differences. These are exact for polynomials of degree 2, and linear
//! along the line: two points determine them everywhere.

use crate::implicit::Implicit;
use crate::intersection::Bound;
use crate::line::{Line, Whole, dot, minus, plus};
use crate::number::{Dyadic, length, root_floor};
use crate::surd::{Refined, Surd};
use dashu_int::IBig;

/// Precision of normals in bits.
const NORMAL_BITS: usize = 192;

/// Numbers of an exact hit.
#[derive(Clone, Debug)]
pub struct Values {
    /// Parameter `t`.
    pub t: Dyadic,
    /// Distance from the origin, negative behind it.
    pub distance: Dyadic,
    /// Hit point.
    pub point: [Dyadic; 3],
    /// Correct normals: several at an edge; empty where the gradient is zero and every direction is correct.
    pub normals: Vec<[Dyadic; 3]>,
}

impl Values {
    /// Numbers at an end of the interval inside a solid, or at the crossing of a surface.
    pub fn at_bound(bound: &Bound<'_>, line: &Line, dim: usize) -> Self {
        let mut root = Refined::new(&bound.at.d);
        let mut normals = Vec::with_capacity(bound.implicits.len());
        for implicit in &bound.implicits {
            match normal(implicit, &bound.at, &mut root, line, dim) {
                Some(n) => normals.push(n),
                None => {
                    normals.clear();
                    break;
                }
            }
        }
        Self::at(&bound.at, &mut root, line, normals)
    }
    /// Numbers at the start of a range inside a solid: the normal is opposite to the ray.
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
fn gradient(implicit: &Implicit, p: &Whole, dim: usize) -> Whole {
    std::array::from_fn(|i| {
        if i >= dim {
            return IBig::ZERO;
        }
        let step: Whole = std::array::from_fn(|j| IBig::from(u8::from(i == j)));
        implicit.at(&plus(p, &step)) - implicit.at(&minus(p, &step))
    })
}

/// Gradient at `s`, times a positive factor, as `x + y sqrt(d)` with the root of `s`.
pub fn direction(implicit: &Implicit, s: &Surd, line: &Line, dim: usize) -> (Whole, Whole) {
    let here = gradient(implicit, &line.o, dim);
    if implicit.is_flat() {
        return (here, std::array::from_fn(|_| IBig::ZERO));
    }
    let change = minus(&gradient(implicit, &line.at(1), dim), &here);
    let (p, q, r) = (&s.p, IBig::from(s.q), &s.r);
    (std::array::from_fn(|i| &here[i] * r + &change[i] * p), std::array::from_fn(|i| &change[i] * &q))
}

/// Unit gradient at `s`; None if the gradient is zero.
fn normal(implicit: &Implicit, s: &Surd, root: &mut Refined, line: &Line, dim: usize) -> Option<[Dyadic; 3]> {
    let (x, y) = direction(implicit, s, line, dim);
    if implicit.is_flat() { unit(&x) } else { unit(&root.scaled_to_integers(&x, &y, NORMAL_BITS)) }
}

/// Unit vector; None for zero.
fn unit(v: &Whole) -> Option<[Dyadic; 3]> {
    let top = v.iter().map(length).max().filter(|top| *top > 0)?;
    // Keeps the precision of normals, with 32 guard bits.
    let drop = top.saturating_sub(NORMAL_BITS + 32);
    let add = (NORMAL_BITS + 32).saturating_sub(top);
    let v = v.clone().map(|x| (x >> drop) << add);
    let size = root_floor(&dot(&v, &v));
    Some(v.map(|x| Dyadic { m: (x << NORMAL_BITS) / &size, e: -(NORMAL_BITS as i64) }))
}
