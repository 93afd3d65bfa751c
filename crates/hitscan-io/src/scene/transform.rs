//! Transforms: scale, then rotation, then translation; or a matrix.

use super::node::{Node, Value, find};
use super::schema::{ROTATION, TRANSFORM, names};
use super::values::{FieldError, narrow, number, table, vector};
use crate::dimension::Dimension;
use hitscan::Basis;
use hitscan::Vector;
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

/// An affine map: the images of the axes, which are the columns of its matrix, and the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AffineMap {
    axes: [Triple; 3],
    translation: Triple,
}

/// The value of a key `transform`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Placement {
    /// `{ scale, rotation, translation }`.
    Parts(Transform),
    /// `{ matrix }`.
    Matrix(AffineMap),
}

const IDENTITY: [Triple; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Placement {
    /// Reads `transform = { translation, rotation, scale }` or `{ matrix }`.
    pub(super) fn read(node: &Node, dimension: Dimension) -> Result<Self, FieldError> {
        let parts = table("transform", node, &names(TRANSFORM))?;
        if let Some(node) = find(parts, "matrix") {
            if let Some((other, node)) = parts.iter().find(|(key, _)| key != "matrix") {
                let text = format!("'transform': 'matrix' and '{other}' cannot both be given");
                return Err(FieldError::at(node, text));
            }
            return Ok(Self::Matrix(AffineMap::read(node, dimension)?));
        }
        let mut transform = Transform::NONE;
        if let Some(node) = find(parts, "translation") {
            transform.translation = vector("translation", node, dimension)?;
        }
        if let Some(node) = find(parts, "rotation") {
            transform.axes = rotation(node, dimension)?;
        }
        if let Some(node) = find(parts, "scale") {
            transform.scale = scale(node, dimension)?;
        }
        Ok(Self::Parts(transform))
    }

    /// The transform, if the image of a shape is a shape of the same type: it scales evenly. A mesh may also be scaled
    /// unevenly, or mirrored.
    pub(super) fn within_type(&self, mesh: bool) -> Option<Transform> {
        match self {
            Self::Parts(transform) if mesh || transform.scales_evenly() => Some(*transform),
            _ => None,
        }
    }

    /// The affine map, with one rounding of each number.
    pub(super) fn affine_map(&self) -> AffineMap {
        match self {
            Self::Parts(Transform { scale, axes, translation }) => {
                let axes = [0, 1, 2].map(|i| axes[i].map(|x| x * scale[i]));
                AffineMap { axes, translation: *translation }
            }
            Self::Matrix(map) => *map,
        }
    }
}

impl AffineMap {
    /// Reads rows: `[[a, b, c, tx], [d, e, f, ty], [g, h, i, tz]]`, in the plane two of three numbers.
    fn read(node: &Node, dimension: Dimension) -> Result<Self, FieldError> {
        let count = dimension.count();
        let size = |node: &Node, got: &str| {
            FieldError::at(node, format!("'matrix' needs {count} rows of {} numbers, got {got}", count + 1))
        };
        let Value::List(rows) = &node.value else { return Err(size(node, node.value.kind())) };
        if rows.len() != count {
            return Err(size(node, &rows.len().to_string()));
        }
        let mut map = Self { axes: IDENTITY, translation: [0.0; 3] };
        for (i, row) in rows.iter().enumerate() {
            let Value::List(numbers) = &row.value else { return Err(size(row, row.value.kind())) };
            if numbers.len() != count + 1 {
                return Err(size(row, &format!("a row of {}", numbers.len())));
            }
            for (j, node) in numbers[..count].iter().enumerate() {
                map.axes[j][i] = number("matrix", node)?;
            }
            map.translation[i] = number("matrix", &numbers[count])?;
        }
        Ok(map)
    }

    /// Whether it is the identity after rounding to `f32`.
    pub(super) fn rounds_to_identity(&self) -> bool {
        let numbers = self.axes.iter().chain([&self.translation]).flatten();
        let identity = IDENTITY.iter().chain([&[0.0; 3]]).flatten();
        numbers.zip(identity).all(|(x, y)| *x as f32 == *y as f32)
    }

    /// The transform of an object, rounded to the precision of the scene.
    pub(super) fn place<V: Vector>(&self) -> Result<hitscan::Transform<V>, FieldError> {
        let narrowed = |triple: Triple| -> Result<V, FieldError> {
            let [x, y, z] = triple.map(|x| narrow("transform", x).map_err(|text| FieldError::of("transform", text)));
            Ok(V::from_xyz([x?, y?, z?]))
        };
        let axes = self.axes.into_iter().take(V::DIM).map(narrowed).collect::<Result<Vec<V>, _>>()?;
        hitscan::Transform::new(axes, narrowed(self.translation)?).map_err(FieldError::from)
    }
}

impl Transform {
    /// The identity.
    pub(super) const NONE: Self = Self { scale: [1.0; 3], axes: IDENTITY, translation: [0.0; 3] };

    /// Whether its scale is one positive factor.
    fn scales_evenly(&self) -> bool {
        let [x, y, z] = self.scale;
        x > 0.0 && x == y && y == z
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

    /// The image of a vector between two points.
    pub(super) fn vector(&self, v: Triple) -> Triple {
        if *self == Self::NONE { v } else { self.direction([0, 1, 2].map(|i| v[i] * self.scale[i])) }
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

/// One factor, or one for each axis. In the plane that of z is 1, or the factor of both.
fn scale(node: &Node, dimension: Dimension) -> Result<Triple, FieldError> {
    let scale = match node.value {
        Value::List(_) => match (vector("scale", node, dimension)?, dimension) {
            ([x, y, _], Dimension::Two) => [x, y, if x == y { x } else { 1.0 }],
            (scale, Dimension::Three) => scale,
        },
        _ => [number("scale", node)?; 3],
    };
    if scale.contains(&0.0) { Err(FieldError::at(node, "scale must not be 0")) } else { Ok(scale) }
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
