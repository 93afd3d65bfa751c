//! Questions: the spans of solids on rays, in families of cases, with their exact answers and those of the library.
//!
//! All numbers are representable by few bits, and the sums of centres and half extents are exact. So a library that is given
//! the corners of a box, or the origin of a ray in the frame of a shape, is given the same numbers.

use super::compare::{RightAnswers, Span};
use super::families::SolidFamily;
use crate::body::{Body, World, vector};
use crate::instance::Instance;
use crate::intersection::{Bound, Intersection};
use crate::line::{Line, RayOrSegment};
use crate::solids::Tree;
use crate::surd::{Refined, Surd};
use dashu_int::IBig;
use hitscan::glam::DVec3;
use hitscan::{Ray, RayCast, Solid};
use std::cmp::Ordering;
use std::fmt::Write as _;
use test_support::random::Rng;

/// Error that an end may have: the thickness of surfaces in Geant4's manual, 1e-9, and a part of the distance of the origin.
pub(super) const TOLERANCES: [f64; 2] = [1e-9, 1e-12];
/// Distance by which a ray is moved aside to find what else it may answer, a power of two: 2.3e-10.
const ASIDE: f64 = 1.0 / (1_u64 << 32) as f64;

/// Expression of solid shapes, and rays that begin outside of all of them.
#[derive(Clone, Debug)]
pub(super) struct SolidQuestion {
    pub(super) leaves: Vec<Body>,
    pub(super) tree: Tree,
    pub(super) rays: Vec<RayOrSegment>,
}

impl SolidQuestion {
    /// A solid of a family, with this many rays.
    pub(super) fn new(family: &SolidFamily, rays: usize, rng: &mut Rng) -> Self {
        let (leaves, tree) = (family.solid)(rng);
        let rays = (0..rays).map(|_| (family.ray)(rng)).collect();
        Self { leaves, tree, rays }
    }

    /// The question as text, for the driver.
    pub(super) fn write(&self) -> String {
        let mut expression = String::new();
        write_prefix(&self.tree, &mut expression);
        question_text(&expression, &self.leaves, &self.rays)
    }

    /// The right answers to each ray.
    pub(super) fn right_answers(&self, family: &SolidFamily) -> Vec<RightAnswers> {
        let of = |ray: &RayOrSegment| {
            let (spans, touches) = self.exact(ray);
            let mut answers = vec![spans];
            if family.has_rays_in_faces {
                answers.extend(moved_aside(ray).iter().map(|ray| self.exact(ray).0));
            }
            let distance = ray.origin.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let tolerance = TOLERANCES[0] + TOLERANCES[1] * distance;
            RightAnswers { answers, touches, tolerance, ignored: family.ignored }
        };
        self.rays.iter().map(of).collect()
    }

    /// Spans and touches of the closed rule, by the model of the oracle.
    fn exact(&self, ray: &RayOrSegment) -> (Vec<Span>, Vec<f64>) {
        let instances: Vec<_> = self.leaves.iter().map(|leaf| Instance::new(leaf, None)).collect();
        let line = Instance::line(ray, &instances);
        let models: Vec<_> = instances.iter().map(|instance| instance.model(&line)).collect();
        let leaves: Vec<_> = models.iter().map(|model| Intersection::new(model, &line)).collect();
        let (mut spans, mut touches) = (Vec::new(), Vec::new());
        for span in self.tree.spans(&leaves) {
            let Intersection::Interval(Some(enter), Some(exit)) = span else { unreachable!("the leaves are bounded") };
            match enter.at.order(&exit.at) {
                Ordering::Equal => touches.push(number(&enter, &line)),
                _ => spans.push([number(&enter, &line), number(&exit, &line)]),
            }
        }
        (spans, touches)
    }

    /// The spans that the library returns.
    ///
    /// # Errors
    /// The library refuses a shape, or a span has no end.
    pub(super) fn of_library(&self) -> Result<Vec<Option<Vec<Span>>>, String> {
        let leaf = |body: &Body| {
            let shape = DVec3::build(body).ok_or_else(|| format!("{body:?}: refused"))?;
            Solid::from_instance(hitscan::Instance::new(shape)).map_err(|error| error.to_string())
        };
        let leaves = self.leaves.iter().map(leaf).collect::<Result<Vec<_>, _>>()?;
        let solid: Solid<DVec3> = self.tree.build(&leaves);
        let spans = |ray: &RayOrSegment| {
            let ray = Ray::new(vector::<DVec3>(ray.origin), vector::<DVec3>(ray.target));
            let ends = solid.spans(&ray, ..);
            ends.iter().map(|span| Some([span.enter.as_ref()?.t, span.exit.as_ref()?.t])).collect()
        };
        Ok(self.rays.iter().map(spans).collect())
    }
}

fn number(bound: &Bound<'_>, line: &Line) -> f64 {
    let Surd { p, q, d, r } = &bound.at;
    Refined::new(d).value(p.clone(), IBig::from(*q), r).scaled(i64::from(line.scale)).to_f64()
}

/// The rays beside a ray along an axis, in the eight directions across it.
fn moved_aside(ray: &RayOrSegment) -> Vec<RayOrSegment> {
    let across: Vec<usize> = (0..3).filter(|axis| ray.target[*axis] == 0.0).collect();
    let [u, v] = across[..] else { unreachable!("the ray is parallel to an axis") };
    let mut rays = Vec::new();
    for [a, b] in [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]] {
        let mut moved = *ray;
        moved.origin[u] += f64::from(a) * ASIDE;
        moved.origin[v] += f64::from(b) * ASIDE;
        rays.push(moved);
    }
    rays
}

/// A solid and rays as text for the driver: its expression in prefix notation, in which each leaf is its number, the leaves, and the rays.
/// The leaves are boxes, spheres, and cylinders along z; directions have the length 1.
pub fn question_text(expression: &str, leaves: &[Body], rays: &[RayOrSegment]) -> String {
    let mut text = format!("solid {}\n", expression.trim());
    for leaf in leaves {
        let _ = write!(text, "leaf {}", leaf.kind.name());
        write_numbers(&leaf.numbers, &mut text);
    }
    for ray in rays {
        text.push_str("ray");
        write_numbers(ray.origin.iter().chain(&ray.target), &mut text);
    }
    text
}

/// Writes numbers with all digits, up to the end of the line.
fn write_numbers<'a>(numbers: impl IntoIterator<Item = &'a f64>, text: &mut String) {
    numbers.into_iter().for_each(|x| {
        let _ = write!(text, " {x:?}");
    });
    text.push('\n');
}

fn write_prefix(tree: &Tree, text: &mut String) {
    let mut both = |operator: char, both: &[Tree; 2]| {
        let _ = write!(text, " {operator}");
        both.iter().for_each(|tree| write_prefix(tree, text));
    };
    match tree {
        Tree::Leaf(number) => {
            let _ = write!(text, " {number}");
        }
        Tree::Or(trees) => both('|', trees),
        Tree::And(trees) => both('&', trees),
        Tree::Minus(trees) => both('-', trees),
        Tree::Not(_) => unreachable!("the other libraries have no complement"),
    }
}
