//! Near-worst cases: hill climbing that flips bits of a near tie and keeps each flip that brings it nearer.
//!
//! # Method
//! The margin of a case is the distance of its decisions from a tie: the smallest of `|b^2 - a c|` relative to its
//! terms over the implicit functions of the shape, and of their values at the origin. Hill climbing tries random flips
//! of low bits. An exact tie counts as margin zero only at the end, so that the search does not stop at the first one.

use super::family::Family;
use super::plain::plain;
use crate::affine::PlainTransform;
use crate::body::Kind;
use crate::case::Case;
use crate::implicit::{Implicit, ImplicitShape};
use crate::instance::Instance;
use crate::number::{Precision, length, sign};
use crate::poly::Poly;
use test_support::random::Rng;

/// Count of flips.
const FLIPS: usize = 12;

/// Families that a search starts from.
pub(super) const STARTS: [Family; 6] =
    [Family::Lattice, Family::Grazing, Family::Edge, Family::Axis, Family::Surface, Family::Far];

/// Case with the smallest margin of a short search.
pub(super) fn search(kind: Kind, precision: Precision, rng: &mut Rng) -> Option<Case> {
    let from = rng.pick(&STARTS);
    Some(nearer(plain(kind, from, precision, rng)?, rng))
}

/// Case with the smallest margin of a short search from this one.
pub(super) fn nearer(mut best: Case, rng: &mut Rng) -> Case {
    let mut least = margin(&best);
    for _ in 0..FLIPS {
        let mut next = best.clone();
        for _ in 0..rng.int(1, 2) {
            flip(&mut next, rng);
        }
        if !next.given.is_valid() || next.transform.is_some_and(|transform| !transform.is_valid()) {
            continue;
        }
        let new = margin(&next);
        if new <= least {
            (best, least) = (next, new);
        }
    }
    best
}

/// Flips one of the low bits of one number.
fn flip(case: &mut Case, rng: &mut Rng) {
    let dim = case.body.kind.dim();
    let (origin, target) = (&mut case.given.origin[..dim], &mut case.given.target[..dim]);
    let mut numbers: Vec<&mut f64> = case.body.numbers.iter_mut().chain(origin).chain(target).collect();
    if let Some(PlainTransform { axes, translation }) = &mut case.transform {
        // Entries 0, 1 and -1 belong to the family.
        let entries = axes.iter_mut().flatten().filter(|x| !matches!(x.abs(), 0.0 | 1.0));
        numbers.extend(entries.chain(translation.iter_mut()));
    }
    let at = rng.below(numbers.len());
    let number = &mut *numbers[at];
    if *number == 0.0 {
        return;
    }
    let low = rng.pick(&[2, 4, 12]);
    let bit = rng.below(low);
    let flipped = match case.precision {
        Precision::F32 => f64::from(f32::from_bits((*number as f32).to_bits() ^ 1 << bit)),
        Precision::F64 => f64::from_bits(number.to_bits() ^ 1 << bit),
    };
    if flipped.is_finite() {
        *number = flipped;
    }
}

/// Binary logarithm of the smallest relative margin that is not zero.
fn margin(case: &Case) -> i64 {
    let instance = case.instance();
    let line = Instance::line(&case.given, std::slice::from_ref(&instance));
    let model = instance.model(&line);
    let implicits: Vec<&Implicit> = match &model {
        ImplicitShape::Solid(parts) => parts.iter().flat_map(|part| &part.boundary).collect(),
        ImplicitShape::Surface { plane, within } => within.iter().chain([plane]).collect(),
    };
    let surface = match &model {
        ImplicitShape::Surface { plane, .. } => Poly::along(plane, &line).roots().pop(),
        ImplicitShape::Solid(_) => None,
    };
    let bits = |x: &dashu_int::IBig| length(x) as i64;
    let mut least = 0;
    for implicit in implicits {
        let poly = Poly::along(implicit, &line);
        let d = poly.discriminant();
        let whole = (2 * bits(&poly.b)).max(bits(&poly.a) + bits(&poly.c));
        if sign(&d) != 0 && !implicit.is_flat() {
            least = least.min(bits(&d) - whole);
        }
        // Distance of the origin from the surface, or of the crossing from the outline.
        if let Some(s) = surface.as_ref().filter(|s| s.d.is_zero()) {
            let value =
                &poly.a * &s.p * &s.p + dashu_int::IBig::from(2) * &poly.b * &s.p * &s.r + &poly.c * &s.r * &s.r;
            if sign(&value) != 0 {
                let terms = bits(&poly.b) + bits(&s.p) + bits(&s.r);
                least = least.min(bits(&value) - terms.max(bits(&poly.c) + 2 * bits(&s.r)));
            }
        } else if sign(&poly.c) != 0 {
            least = least.min(bits(&poly.c) - bits(&poly.b));
        }
    }
    least
}
