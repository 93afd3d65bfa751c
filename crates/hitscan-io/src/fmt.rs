//! Text of numbers, points, shapes and rules, as scene files have it and the program prints it.

use crate::SceneVector;
pub use crate::rule_words::{COPLANAR, FACES, INSIDE, INSIDE_RULES, TRIGGERS, word};
use hitscan::{Feature, Instance, Object, ObjectId, Ray, RayCast, Scene};
use hitscan::{Real, Vector};
use std::collections::HashSet;

/// A number with seven significant digits, without trailing zeros.
#[must_use]
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let exponent = format!("{x:.6e}");
    let (digits, power) = exponent.split_once('e').unwrap_or((&exponent, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if (-4..9).contains(&power) {
        let decimals = usize::try_from(6 - power).unwrap_or(0);
        return trimmed(&format!("{x:.decimals$}")).to_owned();
    }
    format!("{}e{power}", trimmed(digits))
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// The first coordinates of a point or a vector: `(1, 2, 3)`.
#[must_use]
pub fn point(p: [f64; 3], axes: usize) -> String {
    let numbers: Vec<String> = p.iter().take(axes).map(|x| number(*x)).collect();
    format!("({})", numbers.join(", "))
}

/// The coordinates as `f64`: three of them, z = 0 in the plane.
#[must_use]
pub fn coordinates<V: Vector>(v: V) -> [f64; 3] {
    v.to_xyz().map(Real::to_f64)
}

/// The part of a surface: `face 0`, `edge 2`, `vertex 1`.
#[must_use]
pub fn feature(feature: Feature) -> String {
    match feature {
        Feature::Face(number) => format!("face {number}"),
        Feature::Edge(number) => format!("edge {number}"),
        Feature::Vertex(number) => format!("vertex {number}"),
    }
}

/// The type of a shape, as scene files name it.
#[must_use]
pub fn kind<V: SceneVector>(shape: &V::Shape) -> &'static str {
    // The explanation of an invalid ray is short.
    shape.explain(&Ray::default(), ..).shape
}

/// Whether a shape is or holds a solid of several shapes, or a complement: its closest points are not measured, and moving volumes take
/// its parts for whole.
#[must_use]
pub fn has_solid<V: SceneVector>(shape: &V::Shape) -> bool {
    let (mut waiting, mut seen) = (vec![shape], HashSet::new());
    while let Some(shape) = waiting.pop() {
        if let Some(solid) = V::as_solid(shape) {
            if solid.len() > 1 || solid.expression() != "0" {
                return true;
            }
            waiting.extend(solid.leaves().map(Instance::shape));
        }
        if let Some(group) = V::as_group(shape)
            && seen.insert(group.address())
        {
            waiting.extend(group.objects().map(|(_, member)| member.shape()));
        }
    }
    false
}

/// The names of the shapes, in the order of insertion. A shape without a name gets its type and its number, the row of its id
/// ([`ObjectId::index`]).
#[must_use]
pub fn names<V: SceneVector>(scene: &Scene<V>) -> Vec<String> {
    let taken: HashSet<&str> = scene.objects().filter_map(|(_, object)| object.name()).collect();
    let name = |(id, object): (ObjectId, &Object<V>)| match object.name() {
        Some(name) => name.to_owned(),
        None => {
            let mut name = format!("{}-{}", kind::<V>(object.shape()), id.index());
            while taken.contains(&name[..]) {
                name.push('\'');
            }
            name
        }
    };
    scene.objects().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (7.014435935394897, "7.014436"),
            (0.5, "0.5"),
            (-2.0, "-2"),
            (1e9, "1e9"),
            (123_456_789.0, "123456789"),
            (1.5e-7, "1.5e-7"),
            (f64::INFINITY, "inf"),
            (0.000_123_456_789, "0.0001234568"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }
}
