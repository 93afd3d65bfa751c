//! Errors of shape constructors, and the checks behind them.

use crate::basis::{Basis, BasisError};
use crate::math::exact::arena::with_precision;
use crate::math::exact::exact::Exact;
use crate::math::real::Real;
use crate::math::rounding::power;
use crate::math::vec3::Vec3;
use crate::math::vector::Vector;
use core::fmt;

/// Invalid parameter of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// Name of the parameter in the constructor and in scene files.
    pub field: &'static str,
    /// Kind of the error.
    pub problem: ShapeErrorKind,
}

/// Kind of a shape error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeErrorKind {
    /// The value is a NaN or an infinity.
    NotFinite,
    /// The value must be greater than zero.
    NotPositive,
    /// The value must not be less than zero.
    Negative,
    /// The vector is zero, and has no direction.
    ZeroVector,
    /// The point must differ from the other one, named here.
    SameAs(&'static str),
    /// The vertices do not go around a convex polygon.
    NotConvex,
    /// All vertices lie on one line.
    Collinear,
    /// A polygon needs three vertices.
    TooFewVertices,
    /// At least one point is needed.
    Empty,
    /// The axes are not an orthonormal basis.
    Axes(BasisError),
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        match self.problem {
            ShapeErrorKind::NotFinite => write!(f, "{field} must be finite"),
            ShapeErrorKind::NotPositive => write!(f, "{field} must be greater than 0"),
            ShapeErrorKind::Negative => write!(f, "{field} must not be negative"),
            ShapeErrorKind::ZeroVector => write!(f, "{field} must not be the zero vector"),
            ShapeErrorKind::SameAs(other) => write!(f, "{field} must differ from {other}"),
            ShapeErrorKind::NotConvex => write!(f, "{field} must go once around a convex polygon"),
            ShapeErrorKind::Collinear => write!(f, "{field} must not all lie on one line"),
            ShapeErrorKind::TooFewVertices => write!(f, "{field} must be at least 3 points"),
            ShapeErrorKind::Empty => write!(f, "{field} must not be empty"),
            ShapeErrorKind::Axes(error) => write!(f, "{field}: {error}"),
        }
    }
}

impl core::error::Error for ShapeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.problem {
            ShapeErrorKind::Axes(error) => Some(error),
            _ => None,
        }
    }
}

fn check(ok: bool, field: &'static str, problem: ShapeErrorKind) -> Result<(), ShapeError> {
    if ok { Ok(()) } else { Err(ShapeError { field, problem }) }
}

pub(crate) fn finite<V: Vector>(field: &'static str, v: V) -> Result<(), ShapeError> {
    check(v.all_finite(), field, ShapeErrorKind::NotFinite)
}

pub(crate) fn positive<S: Real>(field: &'static str, x: S) -> Result<(), ShapeError> {
    check(x.is_finite(), field, ShapeErrorKind::NotFinite)?;
    check(x > S::ZERO, field, ShapeErrorKind::NotPositive)
}

pub(crate) fn not_negative<S: Real>(field: &'static str, x: S) -> Result<(), ShapeError> {
    check(x.is_finite(), field, ShapeErrorKind::NotFinite)?;
    check(x >= S::ZERO, field, ShapeErrorKind::Negative)
}

pub(crate) fn direction<V: Vector>(field: &'static str, v: V) -> Result<(), ShapeError> {
    finite(field, v)?;
    check(!v.is_zero(), field, ShapeErrorKind::ZeroVector)
}

pub(crate) fn distinct<V: Vector>(field: &'static str, a: V, other: &'static str, b: V) -> Result<(), ShapeError> {
    finite(other, b)?;
    finite(field, a)?;
    check(a != b, field, ShapeErrorKind::SameAs(other))
}

/// Applies a rule to every component of a 2D or 3D vector of lengths.
pub(crate) fn each<V: Vector>(
    v: V,
    mut rule: impl FnMut(V::Scalar) -> Result<(), ShapeError>,
) -> Result<(), ShapeError> {
    v.to_xyz()[..V::DIM].iter().try_for_each(|&x| rule(x))
}

pub(crate) fn axes<V: Vector>(axes: &[V]) -> Result<Basis<V>, ShapeError> {
    Basis::new(axes).map_err(|error| ShapeError { field: "axes", problem: ShapeErrorKind::Axes(error) })
}

/// Whether three points lie on one line: a filter in `f64`, then exact numbers.
#[inline(never)]
pub(crate) fn are_collinear(points: [[f64; 3]; 3]) -> bool {
    let [a, b, c] = points.map(|[x, y, z]| Vec3::new(x, y, z));
    // Components are below 2, and each product is off by less than 2^-49, unless a difference overflows.
    let size = (b - a).normalize_exponent().cross((c - a).normalize_exponent()).max_abs();
    if size > AREA_THRESHOLD && size <= 8.0 {
        return false;
    }
    with_precision(1, || {
        let [a, b, c] = [a, b, c].map(Vec3::convert::<Exact>);
        (b - a).cross(c - a).is_zero()
    })
}

/// Filter threshold: 2^-40.
const AREA_THRESHOLD: f64 = power(-40);
