//! Laws of exactness: the oracle, whose answers are exact, judges the same query.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::placement::Placement;
use crate::recipe::{Recipe, World, floats, vector};
use hitscan::{Basis, RayCast, RayLike, Shape, Span};
use hitscan::{Real, Vector};
use hitscan_oracle::affine::PlainTransform;
use hitscan_oracle::body::{Body, Kind};
use hitscan_oracle::case::{Answer, Answers, Case, FurtherAnswers, plain};
use hitscan_oracle::judge::judge;
use hitscan_oracle::line::RayOrSegment;
use hitscan_oracle::number::Precision;
use hitscan_oracle::rules;
use std::fmt::Debug;

const SPACE: [Kind; 13] = [
    Kind::Sphere,
    Kind::HalfSpace,
    Kind::Plane,
    Kind::Disk,
    Kind::Cuboid,
    Kind::OrientedBox,
    Kind::Capsule,
    Kind::Cylinder,
    Kind::Cone,
    Kind::Frustum,
    Kind::Ellipsoid,
    Kind::Triangle,
    Kind::TaperedCapsule,
];
const PLANE: [Kind; 11] = [
    Kind::Circle,
    Kind::HalfPlane,
    Kind::Line,
    Kind::Segment,
    Kind::Rectangle,
    Kind::OrientedRectangle,
    Kind::Capsule2,
    Kind::Triangle2,
    Kind::Polygon,
    Kind::Ellipse,
    Kind::TaperedCapsule2,
];

/// Shape in the form of the oracle, which has no meshes.
fn body<V: Vector>(recipe: &Recipe) -> Option<Body> {
    let kinds: &[Kind] = if V::DIM == 3 { &SPACE } else { &PLANE };
    let kind = *kinds.get(usize::from(recipe.kind))?;
    let vectors = |v: &[[f64; 3]]| v.iter().flat_map(|v| v[..V::DIM].to_vec()).collect::<Vec<f64>>();
    let mut numbers = vectors(&recipe.points);
    match kind {
        Kind::Cuboid | Kind::Rectangle => numbers.extend(&recipe.sizes[..V::DIM]),
        Kind::OrientedBox | Kind::OrientedRectangle | Kind::Ellipsoid | Kind::Ellipse => {
            numbers.extend(&recipe.sizes[..V::DIM]);
            let axes: Vec<_> = recipe.basis::<V>()?.axes().iter().map(|&axis| floats(axis)).collect();
            // The oracle takes the axes as given; a basis may differ from them by rounding.
            Basis::new(axes.iter().map(|&axis| vector::<V>(axis)).collect::<Vec<_>>()).ok()?;
            numbers.extend(vectors(&axes));
        }
        Kind::Frustum | Kind::TaperedCapsule | Kind::TaperedCapsule2 => numbers.extend(recipe.radii),
        _ if kind.fields().iter().any(|(_, part)| *part == hitscan_oracle::body::Part::Length) => {
            numbers.push(recipe.radii[0]);
        }
        _ => {}
    }
    Some(Body { kind, numbers })
}

/// Transform in the form of the oracle.
fn plain_transform(placement: &Placement, dim: usize) -> PlainTransform {
    let mut plain = PlainTransform { translation: placement.translation, ..PlainTransform::IDENTITY };
    plain.axes[..dim].copy_from_slice(&placement.axes[..dim]);
    plain
}

/// Whether the exact determinant is not zero, and all numbers are finite.
pub(crate) fn is_valid(placement: &Placement, dim: usize) -> bool {
    plain_transform(placement, dim).is_valid()
}

/// Law: every decision is that of real arithmetic; `t` is within 1 ulp (2 if it is a quotient of sums that may cancel),
/// a normal within 2 ulp of 1.
pub(crate) fn check<V: World>(
    shape: &impl Shape<V>,
    recipe: &Recipe,
    placement: Option<&Placement>,
    line: &(impl RayLike<V> + Debug),
    input: &CastInput,
) {
    let Some(body) = body::<V>(recipe) else { return };
    // A bare shape has no layers; those of an object are no question of the oracle.
    let query = input.query::<V::Scalar>().layers(u32::MAX);
    let single = V::Scalar::EPSILON.to_f64() > f64::EPSILON;
    let precision = if single { Precision::F32 } else { Precision::F64 };
    let plain_query = rules::PlainQuery {
        t_min: query.t_min().to_f64(),
        t_max: query.t_max().to_f64(),
        inside: query.inside_mode(),
        faces: query.faces_mode(),
    };
    let CastInput { origin, target, is_segment, .. } = *input;
    let slack = if body.kind.is_flat() { 2.0 } else { 1.0 };
    let given = RayOrSegment { origin, target, is_segment };
    let (queries, transform) = (vec![plain_query], placement.map(|placement| plain_transform(placement, V::DIM)));
    let case = Case { precision, body, transform, given, queries, is_thorough: true, is_explained: false };
    let ends = |span: &Span<V>| [span.enter, span.exit].map(|end| end.as_ref().map(plain));
    let answers = Answers {
        contains: shape.contains(vector(origin)),
        queries: vec![Answer {
            first: shape.cast_ray(line, query).as_ref().map(plain),
            any: shape.intersects_ray(line, query),
            further: Some(FurtherAnswers {
                all: shape.cast_ray_all(line, query).iter().map(plain).collect(),
                count: shape.count_hits(line, query),
                spans: shape.spans(line, query).iter().map(ends).collect(),
            }),
        }],
        is_uncertain: None,
    };
    let verdict = judge(&case, &answers);
    let report = || format!("{case}\n{query:?}\n{verdict:?}\n{answers:?}");
    // Each law is named after shape and query, so that one failure does not hide the others.
    let name = format!("{}{}", if transform.is_some() { "instance of " } else { "" }, case.body.kind.name());
    if let Some(wrong) = verdict.wrong.first() {
        let query = wrong.split(':').next().unwrap_or_default();
        law(false, &format!("oracle: {name} decides wrongly in {query}"), report);
    }
    law(verdict.t.is_none_or(|error| error <= slack), &format!("oracle: {name}'s t is off"), report);
    law(verdict.normal.is_none_or(|error| error <= 2.0), &format!("oracle: {name}'s normal is off"), report);
    if transform.is_some() {
        let limit = if single { 1.0 } else { 2.0 };
        law(verdict.angle.is_none_or(|angle| angle <= limit), &format!("oracle: {name}'s normal is turned"), report);
    }
}
