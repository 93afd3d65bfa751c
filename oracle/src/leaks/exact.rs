//! Exact crossings of a line with all triangles of a mesh: bounds of the count, and the first crossing.

use crate::affine::PlainTransform;
use crate::body::{Body, Kind};
use crate::implicit::ImplicitShape;
use crate::instance::Instance;
use crate::line::RayOrSegment;
use crate::number::{Dyadic, sign};
use crate::poly::Poly;
use crate::surd::Surd;
use crate::values::Values;
use std::cmp::Ordering;

/// Crossings of a line with a mesh.
#[derive(Clone, Debug)]
pub(super) struct Crossings {
    /// Triangles crossed in their interior.
    pub(super) proper: usize,
    /// Those, and triangles crossed at an edge or a corner.
    pub(super) touched: usize,
    /// Smallest `t >= 0` of those.
    pub(super) first: Option<Dyadic>,
}

impl Crossings {
    /// Crossings of a ray (`t >= 0`) or a whole line with triangles, bare or under a transform.
    pub(super) fn new(
        given: &RayOrSegment,
        triangles: impl Iterator<Item = [[f64; 3]; 3]>,
        transform: Option<&PlainTransform>,
        is_line: bool,
    ) -> Self {
        let (mut proper, mut touched) = (0, 0);
        let mut first: Option<(Surd, Dyadic)> = None;
        let zero = Surd::from_f64(0.0, 0);
        for corners in triangles {
            let body = Body { kind: Kind::Triangle, numbers: corners.concat() };
            let instance = Instance::new(&body, transform);
            let line = Instance::line(given, std::slice::from_ref(&instance));
            let ImplicitShape::Surface { plane, within } = instance.model(&line) else { continue };
            let height = Poly::along(&plane, &line);
            let Some(at) = height.roots().pop() else { continue };
            let side = within
                .iter()
                .map(|implicit| at.sign_in(Poly::along(implicit, &line).coefficients()))
                .max()
                .unwrap_or(0);
            let ahead = at.order(&zero) != Ordering::Less;
            if side > 0 || !(is_line || ahead) {
                continue;
            }
            touched += 1;
            proper += usize::from(side < 0);
            if ahead {
                let t = Values::at_start(&at, &line).t;
                if first.as_ref().is_none_or(|(_, old)| sign(&t.minus(old).m) < 0) {
                    first = Some((at, t));
                }
            }
        }
        Self { proper, touched, first: first.map(|(_, t)| t) }
    }
}
