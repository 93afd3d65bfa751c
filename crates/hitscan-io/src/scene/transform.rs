//! The transform of a shape: scale, then rotation, then translation.

use super::node::{Node, Value, find};
use super::schema::{ROTATION, TRANSFORM, names};
use super::values::{FieldError, number, table, vector};
use crate::dimension::Dimension;
use hitscan::Basis;
use hitscan::glam::DVec3;

/// Three numbers.
pub(super) type Triple = [f64; 3];

/// A scale along the axes, a rotation, a translation, in `f64`; numbers are rounded to `f32` after all three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform {
    scale: Triple,
    /// The images of the axes: the columns of the matrix.
    axes: [Triple; 3],
    translation: Triple,
}

const IDENTITY: [Triple; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Transform {
    /// The identity.
    pub(super) const NONE: Self = Self { scale: [1.0; 3], axes: IDENTITY, translation: [0.0; 3] };

    /// Reads `transform = { translation, rotation, scale }`; only a mesh may be scaled unevenly, or mirrored.
    pub(super) fn read(node: &Node, dimension: Dimension, mesh: bool) -> Result<Self, FieldError> {
        let mut transform = Self::NONE;
        let parts = table("transform", node, &names(TRANSFORM))?;
        if let Some(node) = find(parts, "translation") {
            transform.translation = vector("translation", node, dimension)?;
        }
        if let Some(node) = find(parts, "rotation") {
            transform.axes = rotation(node, dimension)?;
        }
        if let Some(node) = find(parts, "scale") {
            transform.scale = scale(node, dimension, mesh)?;
        }
        Ok(transform)
    }

    /// The image of a point.
    pub(super) fn point(&self, p: Triple) -> Triple {
        if *self == Self::NONE {
            // Bit for bit: sums would lose the sign of zero.
            return p;
        }
        let turned = self.direction([p[0] * self.scale[0], p[1] * self.scale[1], p[2] * self.scale[2]]);
        [0, 1, 2].map(|i| turned[i] + self.translation[i])
    }

    /// The image of a direction, which the scale leaves as it is.
    pub(super) fn direction(&self, v: Triple) -> Triple {
        if self.axes == IDENTITY {
            return v;
        }
        let [x, y, z] = self.axes;
        [0, 1, 2].map(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2])
    }

    /// The factor of lengths.
    pub(super) fn length(&self) -> f64 {
        self.scale[0]
    }

    /// The images of the axes.
    pub(super) fn axes(&self) -> [Triple; 3] {
        self.axes
    }

    /// Lengths along the axes after a rotation that maps axes to axes. `None` for any other rotation.
    pub(super) fn lengths_along_axes(&self, lengths: Triple) -> Option<Triple> {
        let whole = self.axes.as_flattened().iter().all(|x| matches!(x.abs(), 0.0 | 1.0));
        let place = |i: usize| (0..3).find(|&from| self.axes[from][i] != 0.0);
        let moved = [place(0)?, place(1)?, place(2)?].map(|from| lengths[from] * self.length());
        whole.then_some(moved)
    }

    /// Whether its determinant is negative.
    pub(super) fn mirrors(&self) -> bool {
        self.scale.iter().filter(|x| **x < 0.0).count() % 2 == 1
    }
}

fn scale(node: &Node, dimension: Dimension, mesh: bool) -> Result<Triple, FieldError> {
    if mesh && matches!(node.value, Value::List(_)) {
        let scale = vector("scale", node, dimension)?;
        return if scale.contains(&0.0) { Err(FieldError::at(node, "scale must not be 0")) } else { Ok(scale) };
    }
    if let Value::List(_) = node.value {
        return Err(FieldError::at(node, "'scale' needs one number (only a mesh can be scaled unevenly)"));
    }
    match number("scale", node)? {
        0.0 => Err(FieldError::at(node, if mesh { "scale must not be 0" } else { "scale must be greater than 0" })),
        factor if factor < 0.0 && !mesh => Err(FieldError::at(node, "scale must be greater than 0")),
        factor => Ok([factor; 3]),
    }
}

fn rotation(node: &Node, dimension: Dimension) -> Result<[Triple; 3], FieldError> {
    let mut known = names(ROTATION);
    known.retain(|key| dimension == Dimension::Three || *key != "axis");
    let parts = table("rotation", node, &known)?;
    let part = |key| find(parts, key).ok_or_else(|| FieldError::at(node, format!("'rotation': missing '{key}'")));
    let axis = match dimension {
        Dimension::Two => [0.0, 0.0, 1.0],
        Dimension::Three => {
            let axis = part("axis")?;
            unit(vector("axis", axis, dimension)?)
                .ok_or_else(|| FieldError::at(axis, "rotation: axis must not be the zero vector"))?
        }
    };
    Ok(around(axis, number("degrees", part("degrees")?)?))
}

/// The columns of the matrix of a rotation (Rodrigues), right-handed around a unit vector.
fn around([x, y, z]: Triple, degrees: f64) -> [Triple; 3] {
    let (cos, sin) = cos_sin(degrees);
    // u^2 + cos (1 - u^2), not cos + (1 - cos) u^2: exact for u = 0 and u = 1.
    let along = |u: f64| u * u + cos * (1.0 - u * u);
    let across = |u: f64, v: f64| u * v * (1.0 - cos);
    [
        [along(x), across(x, y) + sin * z, across(x, z) - sin * y],
        [across(x, y) - sin * z, along(y), across(y, z) + sin * x],
        [across(x, z) + sin * y, across(y, z) - sin * x, along(z)],
    ]
}

/// Of length 1; `None` for the zero vector.
pub(super) fn unit(v: Triple) -> Option<Triple> {
    let basis = Basis::from_direction(DVec3::from(v)).ok()?;
    basis.axes().last().map(DVec3::to_array)
}

/// Cosine and sine, exact at multiples of 90 degrees, and with all their symmetries everywhere.
fn cos_sin(degrees: f64) -> (f64, f64) {
    // All of these steps are exact.
    let turn = degrees.abs() % 360.0;
    let quarters = (turn / 90.0).floor();
    let rest = turn - 90.0 * quarters;
    let (c, s) = if rest <= 45.0 {
        small(rest)
    } else {
        let (s, c) = small(90.0 - rest);
        (c, s)
    };
    let (cos, sin) = match quarters as u8 {
        0 => (c, s),
        1 => (-s, c),
        2 => (-c, -s),
        _ => (s, -c),
    };
    // 0 without a sign: it would show in files.
    (cos + 0.0, if degrees < 0.0 { -sin } else { sin } + 0.0)
}

/// Cosine and sine of 0 to 45 degrees.
fn small(degrees: f64) -> (f64, f64) {
    // pi / 180 in two parts: the rounding of the angle is put right to first order.
    const RADIAN: f64 = std::f64::consts::PI / 180.0;
    const RADIAN_REST: f64 = 2.948_652_270_870_168_7e-19;
    if degrees == 45.0 {
        return (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2);
    }
    let angle = degrees * RADIAN;
    let rest = degrees.mul_add(RADIAN, -angle) + degrees * RADIAN_REST;
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    (cos - sin * rest, sin + cos * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact() {
        for turns in -9..=9 {
            let exact = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][(turns & 3) as usize];
            assert_eq!(cos_sin(90.0 * f64::from(turns)), exact, "{turns}");
        }
        assert_eq!(around([0.0, 0.0, 1.0], 90.0), [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(around([1.0, 0.0, 0.0], -90.0), [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
    }

    #[test]
    fn known_angles_are_right_to_the_last_place_and_the_quarters_mirror_each_other() {
        let (root_3, root_2) = (3f64.sqrt() / 2.0, std::f64::consts::FRAC_1_SQRT_2);
        for (degrees, exact_cos, exact_sin) in [(30.0, root_3, 0.5), (60.0, 0.5, root_3), (45.0, root_2, root_2)] {
            let (cos, sin) = cos_sin(degrees);
            assert!((cos - exact_cos).abs() <= f64::EPSILON / 2.0 && (sin - exact_sin).abs() <= f64::EPSILON / 2.0);
            assert_eq!((cos == 0.5, sin == 0.5), (degrees == 60.0, degrees == 30.0));
            assert_eq!(cos_sin(degrees - 720.0), (cos, sin));
            assert_eq!(cos_sin(-degrees), (cos, -sin));
            assert_eq!(cos_sin(180.0 - degrees), (-cos, sin));
        }
    }

    #[test]
    fn rotations_keep_lengths_and_angles() {
        for i in 0..500 {
            let i = f64::from(i);
            let axis = unit([(i * 0.7).sin(), (i * 1.3).cos(), (i * 0.1).sin()]).unwrap();
            let columns = around(axis, i * 13.7 - 3000.0).map(DVec3::from);
            assert!(Basis::new(columns).is_ok(), "{i}: {columns:?}");
        }
    }
}
