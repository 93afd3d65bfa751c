//! Instance stack: the transforms between a scene and a shape in it, and the ray in the coordinates of the shape.

use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::ball::{Ball, ROUND_UP, UNDERFLOW};
use crate::math::double_word::DoubleWord;
use crate::math::filter_f64::FilterF64;
use crate::math::frame::LARGEST;
use crate::math::lazy_exact::LazyExact;
use crate::math::observer::ROUNDED_RAY;
use crate::math::rounding::{ROUNDING, power};
use crate::math::vec3::Vec3;
use crate::math::working_ray::{InputRay, WorkingRay};

/// Affine map of an instance: an exact matrix, with a rounded inverse.
pub trait InstanceMap: Send + Sync {
    /// Images of the unit vectors, and the translation: exact numbers. In the plane, the third image is the unit vector.
    fn columns(&self) -> ([[f64; 3]; 3], [f64; 3]);
    /// The translation alone.
    fn translation(&self) -> [f64; 3];
    /// Rounded inverse of the matrix.
    fn inverse(&self) -> &InverseMatrix;
}

/// Rounded inverse of a matrix, row by row. A zero is exact.
#[derive(Clone, Copy, Debug)]
pub struct InverseMatrix {
    pub(crate) rows: [[f64; 3]; 3],
    /// Bound of the absolute error of every other number; infinite if the matrix is singular or nearly so.
    error: f64,
    /// The largest magnitude of a number.
    size: f64,
}

impl InverseMatrix {
    /// Inverse of a matrix given by its columns: the cofactors over the determinant, in balls.
    pub(crate) fn new(columns: [[f64; 3]; 3]) -> Self {
        // Balls give each number of the inverse with the bound of its error.
        let [a, b, c] = columns.map(exact::<Ball<f64>>);
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.dot(cofactors[0]);
        let rows = cofactors.map(|row| row.map(|cofactor| cofactor / determinant));
        // One bound for all numbers serves the products of rays and normals.
        let all = rows.iter().flat_map(|row| [row.x, row.y, row.z]);
        let error = all.fold(0.0, |most, number| if number.error <= most { most } else { number.error });
        // A NaN is no bound.
        let error = if error < f64::INFINITY { error + f64::MIN_POSITIVE } else { f64::INFINITY };
        // A rounded number is not zero: a zero is exact.
        let number = |x: Ball<f64>| if x.value == 0.0 && x.error != 0.0 { f64::MIN_POSITIVE } else { x.value };
        let rows = rows.map(|row| [number(row.x), number(row.y), number(row.z)]);
        let size = rows.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        Self { rows, error, size }
    }
    /// The last row.
    pub(crate) fn last_row(&self) -> &[f64; 3] {
        &self.rows[2]
    }
    /// Product with a vector, rounded.
    #[inline(always)]
    fn times_rounded(&self, v: Vec3<f64>) -> Vec3<f64> {
        let [a, b, c] = self.rows.map(|[x, y, z]| x * v.x + y * v.y + z * v.z);
        Vec3::new(a, b, c)
    }
    /// Bound of the errors of the components of a rounded product with a vector of components up to `length`, each off
    /// by at most `error`; also of a product with the transpose. All rounding errors are relative to the largest
    /// products, and a quarter more covers those of the bound. See docs/proofs.md, Lemma 12.
    #[inline(always)]
    pub(crate) fn error_of_product(&self, length: f64, error: f64) -> f64 {
        let inherited = 3.75 * (self.size * error + self.error * (length + error));
        // What the products lose below the range of normal numbers.
        inherited + 12.0 * ROUNDING * self.size * length + f64::MIN_POSITIVE
    }
    /// Product with a vector, in balls. Written out, because operations of balls are calls.
    #[inline(always)]
    fn times(&self, v: Vec3<Ball<f64>>) -> Vec3<Ball<f64>> {
        let [a, b, c] = &self.rows;
        Vec3::new(self.row_times(a, v), self.row_times(b, v), self.row_times(c, v))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row_times(&self, row: &[f64; 3], v: Vec3<Ball<f64>>) -> Ball<f64> {
        let product = |r: f64, v: Ball<f64>| {
            let value = r * v.value;
            if r == 0.0 || v.is_exact_zero() {
                return Ball::ZERO;
            }
            // The product has an error of one rounding, and is in two sums.
            let error = r.abs() * v.error + self.error * (v.value.abs() + v.error) + value.abs() * (4.0 * ROUNDING);
            Ball::new(value, error + UNDERFLOW)
        };
        let [x, y, z] = [product(row[0], v.x), product(row[1], v.y), product(row[2], v.z)];
        Ball::new(x.value + y.value + z.value, (x.error + y.error + z.error) * ROUND_UP)
    }

    /// Rows as balls.
    #[inline(always)]
    fn balls(&self) -> [Vec3<Ball<f64>>; 3] {
        let ball = |x: f64| Ball::new(x, if x == 0.0 { 0.0 } else { self.error });
        self.rows.map(|[x, y, z]| Vec3::new(ball(x), ball(y), ball(z)))
    }
}

/// A map for tests: columns, translation and inverse.
#[cfg(test)]
pub(crate) struct TestMap(pub(crate) [[f64; 3]; 3], pub(crate) [f64; 3], InverseMatrix);

#[cfg(test)]
impl TestMap {
    pub(crate) fn new(columns: [[f64; 3]; 3], translation: [f64; 3]) -> Self {
        Self(columns, translation, InverseMatrix::new(columns))
    }
}

#[cfg(test)]
impl InstanceMap for TestMap {
    fn columns(&self) -> ([[f64; 3]; 3], [f64; 3]) {
        (self.0, self.1)
    }
    fn translation(&self) -> [f64; 3] {
        self.1
    }
    fn inverse(&self) -> &InverseMatrix {
        &self.2
    }
}

#[inline(always)]
fn exact<T: Arithmetic>([x, y, z]: [f64; 3]) -> Vec3<T> {
    Vec3::new(T::from_f64(x), T::from_f64(y), T::from_f64(z))
}

/// Whether arithmetic that does not scale has room for a size: between 2^-40 and 2^40 (docs/proofs.md, Lemma 6).
#[inline(always)]
pub(crate) fn needs_no_scale(size: f64) -> bool {
    size < LARGEST && size * LARGEST > 1.0
}

/// Ray in the coordinates of an instance, rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundedRay {
    pub(crate) origin: Vec3<f64>,
    pub(crate) direction: Vec3<f64>,
    /// Bounds of the errors of all components of the origin, and of the direction.
    pub(crate) errors: [f64; 2],
}

impl RoundedRay {
    /// [`needs_no_scale`] for a ray, whose origin may be zero.
    #[inline(always)]
    fn needs_no_scale(&self) -> bool {
        needs_no_scale(max_norm(self.direction)) && max_norm(self.origin) < LARGEST
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_world(raw: &InputRay) -> Self {
        let WorkingRay { origin, direction, .. } = raw.line::<f64>();
        // The direction of a segment is a difference.
        let error = if raw.is_segment { max_norm(direction) * ROUNDING } else { 0.0 };
        Self { origin, direction, errors: [0.0, error] }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn within(&self, inverse: &InverseMatrix, [x, y, z]: [f64; 3]) -> Self {
        let origin = Vec3::new(self.origin.x - x, self.origin.y - y, self.origin.z - z);
        let (distance, length) = (max_norm(origin), max_norm(self.direction));
        let [of_origin, of_direction] = self.errors;
        let errors = [
            inverse.error_of_product(distance, of_origin + distance * ROUNDING),
            inverse.error_of_product(length, of_direction),
        ];
        Self { origin: inverse.times_rounded(origin), direction: inverse.times_rounded(self.direction), errors }
    }
}

/// The largest magnitude of a component. Not `f64::max`, which takes six instructions to ignore each NaN.
#[inline(always)]
pub(crate) fn max_norm(v: Vec3<f64>) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    larger(larger(v.x.abs(), v.y.abs()), v.z.abs())
}

/// Whether no component is much smaller than the largest one.
#[inline(always)]
fn is_even(v: Vec3<f64>) -> bool {
    let least = max_norm(v) * power(-10);
    (v.x.abs() > least) & (v.y.abs() > least) & (v.z.abs() > least)
}

/// Level of an instance stack: the map of one instance, and the level above.
pub struct InstanceLevel<'a> {
    map: &'a dyn InstanceMap,
    /// The inverse of `map`, which each ray and each hit needs.
    inverse: &'a InverseMatrix,
    above: Option<&'a InstanceLevel<'a>>,
    /// Ray of the world.
    raw: &'a InputRay,
    rounded: RoundedRay,
}

/// Ray of an instance in working arithmetic.
pub(crate) struct PlacedRay<T> {
    /// Ray in the coordinates of the shape, with the same `t`.
    pub(crate) line: WorkingRay<T>,
    pub(crate) world: WorkingRay<T>,
    /// Matrix from normals of the shape to normals in the world, by columns: the inverse transpose, times a positive number.
    normals: [Vec3<T>; 3],
}

impl<T: Arithmetic> PlacedRay<T> {
    /// The same ray in other working arithmetic.
    pub(crate) fn convert<U: Arithmetic>(&self) -> PlacedRay<U> {
        let number = |x: T| U::from_parts(x.parts());
        PlacedRay {
            line: self.line.map(number),
            world: self.world.map(number),
            normals: self.normals.map(Vec3::convert),
        }
    }
    /// Normal in the world, of any length.
    #[inline(always)]
    pub(crate) fn normal(&self, n: Vec3<T>) -> Vec3<T> {
        let [x, y, z] = self.normals;
        x * n.x + y * n.y + z * n.z
    }
}

impl<'a> InstanceLevel<'a> {
    /// Level of an instance within the level `above`, for a ray of the world.
    #[inline]
    pub(crate) fn new(map: &'a dyn InstanceMap, above: Option<&'a InstanceLevel<'a>>, raw: &'a InputRay) -> Self {
        let outer = above.map_or_else(|| RoundedRay::of_world(raw), |above| above.rounded);
        let inverse = map.inverse();
        Self { map, inverse, above, raw, rounded: outer.within(inverse, map.translation()) }
    }

    /// Calls `query` with the same stack for another ray.
    pub(crate) fn with_ray<R>(&self, input: &InputRay, query: &mut dyn FnMut(&InstanceLevel<'_>) -> R) -> R {
        match self.above {
            None => query(&InstanceLevel::new(self.map, None, input)),
            Some(above) => above.with_ray(input, &mut |above| query(&InstanceLevel::new(self.map, Some(above), input))),
        }
    }

    /// Columns of the matrix, and the translation, if there is no level above: exact numbers.
    pub(crate) fn only_map(&self) -> Option<([[f64; 3]; 3], [f64; 3])> {
        self.above.is_none().then(|| self.map.columns())
    }

    /// Ray of the world.
    pub(crate) fn raw(&self) -> &InputRay {
        self.raw
    }

    /// Ray in the coordinates of the shape, in balls.
    pub(crate) fn local(&self) -> WorkingRay<Ball<f64>> {
        let RoundedRay { origin, direction, errors: [of_origin, of_direction] } = self.rounded;
        // The values are those of the products below. A bound for all components has nearly the digits of one for each
        // where the components are of similar size; and none is then an exact zero.
        if is_even(origin) & is_even(direction) {
            let balls = |v: Vec3<f64>, error| v.map_to(|x| Ball::new(x, error));
            let (origin, direction) = (balls(origin, of_origin), balls(direction, of_direction));
            return WorkingRay { origin, direction, raw: *self.raw };
        }
        // Otherwise each component gets a bound of its own, from the level above.
        let outer = self.above.map_or_else(|| self.raw.line(), Self::local);
        let (inverse, [x, y, z]) = (self.inverse, self.map.translation());
        let Vec3 { x: o, y: p, z: q } = outer.origin;
        let origin = Vec3::new(o.minus_exact(x), p.minus_exact(y), q.minus_exact(z));
        WorkingRay { origin: inverse.times(origin), direction: inverse.times(outer.direction), raw: *self.raw }
    }

    /// Ray in the coordinates of the shape, rounded, for the filter, with the bound of the errors of its origin; `None` if the
    /// direction has too few digits (docs/proofs.md, Lemma 16).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn for_filter(&self) -> Option<(WorkingRay<FilterF64>, f64)> {
        let RoundedRay { origin, direction, errors: [of_origin, of_direction] } = self.rounded;
        // Written so that a NaN is uncertain.
        let is_certain = of_direction < ROUNDED_RAY * direction.l1_norm();
        let [origin, direction] = [origin, direction].map(|v| v.map_to(FilterF64::from_f64));
        is_certain.then_some((WorkingRay { origin, direction, raw: *self.raw }, of_origin))
    }

    /// Ray in the coordinates of the shape, rounded.
    #[inline(always)]
    pub(crate) fn rounded(&self) -> &RoundedRay {
        &self.rounded
    }

    /// Normal in the world, of any length, for a normal of the shape whose components have errors up to `error`; with the
    /// bound of the errors of its components.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn world_normal(&self, mut n: Vec3<f64>, mut error: f64) -> (Vec3<f64>, f64) {
        for inverse in self.inverses() {
            let [x, y, z] = inverse.rows.map(|[x, y, z]| Vec3::new(x, y, z));
            error = inverse.error_of_product(n.max_abs_f64(), error);
            n = x * n.x + y * n.y + z * n.z;
        }
        (n, error)
    }

    /// The inverses of the stack, from the innermost level outward.
    #[inline(always)]
    pub(crate) fn inverses(&self) -> impl Iterator<Item = &InverseMatrix> {
        core::iter::successors(Some(self), |level| level.above).map(|level| level.inverse)
    }

    /// Ray in double-words, with the local ray refined by the exact matrix; `None` below another instance, where the inverse has too
    /// few digits, or where products may leave the range of `f64`: nothing is scaled.
    ///
    /// # Method
    /// One step of iterative refinement of `A x = v` from the rounded solution (Higham, *Accuracy and Stability of
    /// Numerical Algorithms*, chapter 12); normals by the cofactors of A, as in homogeneous coordinates
    /// (docs/proofs.md, Lemma 17).
    pub(crate) fn refined(&self) -> Option<PlacedRay<DoubleWord<false>>> {
        // The cofactors of the exact matrix give normals and the determinant.
        let (columns, translation) = self.only_map()?;
        let size = columns.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let [a, b, c] = columns.map(exact::<DoubleWord<false>>);
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.dot(cofactors[0]).to_f64();
        // The inverse must be good enough for one step to give all digits, and no product may leave the range of `f64`.
        // Written so that a NaN has too few digits.
        let has_digits = self.inverse.error * size < power(-36) && determinant.abs() > power(-37) * size * size * size;
        if !(has_digits && self.rounded.needs_no_scale()) {
            return None;
        }
        // One step of refinement: the residual of the rounded solution, times the rounded inverse.
        let world: WorkingRay<DoubleWord<false>> = self.raw.line();
        let refine = |solution: Vec3<f64>, v: Vec3<DoubleWord<false>>| {
            let x = solution.map_to(DoubleWord::from_f64);
            let residual = v - (a * x.x + b * x.y + c * x.z);
            x + self.inverse.times_rounded(residual.map_to(Arithmetic::to_f64)).map_to(DoubleWord::from_f64)
        };
        let origin = refine(self.rounded.origin, world.origin - exact(translation));
        let line = WorkingRay { origin, direction: refine(self.rounded.direction, world.direction), raw: world.raw };
        // A mirror image turns normals around.
        let normals = if determinant < 0.0 { cofactors.map(|row| -row) } else { cofactors };
        Some(PlacedRay { line, world, normals })
    }

    /// Ray in balls.
    pub(crate) fn in_balls(&self) -> PlacedRay<Ball<f64>> {
        self.with_normals(self.local())
    }

    /// The [`local`](Self::local) ray with what its hits need.
    pub(crate) fn with_normals(&self, line: WorkingRay<Ball<f64>>) -> PlacedRay<Ball<f64>> {
        // The inverses of the levels, multiplied from the innermost one outward.
        let (mut normals, mut level) = (self.inverse.balls(), self.above);
        while let Some(above) = level {
            let rows = above.inverse.balls();
            normals = normals.map(|n| rows[0] * n.x + rows[1] * n.y + rows[2] * n.z);
            level = above.above;
        }
        PlacedRay { line, world: self.raw.line(), normals }
    }

    /// The map of the whole stack.
    pub(crate) fn affine_map<T: Arithmetic>(&self) -> AffineMap<T> {
        let (columns, translation) = self.product();
        AffineMap { columns, translation }
    }

    /// The map of the whole stack from the absolute values of all its numbers: bounds of the terms of the
    /// [`affine_map`](Self::affine_map).
    pub(crate) fn affine_terms<T: Arithmetic>(&self) -> AffineMap<T> {
        let (columns, translation) = self.map.columns();
        let absolute = |v: [f64; 3]| exact::<T>(v.map(f64::abs));
        let (columns, translation) = (columns.map(absolute), absolute(translation));
        let own = AffineMap { columns, translation };
        let Some(above) = self.above else { return own };
        let above = above.affine_terms::<T>();
        AffineMap { columns: columns.map(|column| above.vector(column)), translation: above.point(translation) }
    }

    /// Product of the matrices of the stack, by columns, and the translation.
    fn product<T: Arithmetic>(&self) -> ([Vec3<T>; 3], Vec3<T>) {
        let (columns, translation) = self.map.columns();
        let (columns, translation) = (columns.map(exact::<T>), exact::<T>(translation));
        let Some(above) = self.above else { return (columns, translation) };
        let ([x, y, z], origin) = above.product::<T>();
        let times = |v: Vec3<T>| x * v.x + y * v.y + z * v.z;
        (columns.map(times), times(translation) + origin)
    }

    /// Ray in homogeneous coordinates, in lazy exact arithmetic; sets the weight of the evaluation.
    ///
    /// # Method
    /// With the adjugate `adj(A) = det(A) A^-1`, the ray `s adj(A) (o - b)`, `s adj(A) d` with `s = sign(det A)` is the
    /// ray in the coordinates of the shape, times the weight `|det A|`. A shape whose lengths are multiplied by the
    /// weight is met at the same `t`. So nothing is divided, and exact numbers stay exact. See docs/proofs.md, Lemma
    /// 11.
    pub(crate) fn homogeneous(&self) -> PlacedRay<LazyExact> {
        // The ray of the world, and the product of all matrices of the stack: exact numbers stay exact.
        let world: WorkingRay<LazyExact> = self.raw.line();
        let ([a, b, c], translation) = self.product::<LazyExact>();
        // The cofactors are the rows of the adjugate. With the sign of the determinant they take rays inward and
        // normals outward.
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.plain_dot(cofactors[0]);
        let normals = if determinant.lt(LazyExact::ZERO) { cofactors.map(|row| -row) } else { cofactors };
        let place = |v| Vec3::new(normals[0].plain_dot(v), normals[1].plain_dot(v), normals[2].plain_dot(v));
        let line =
            WorkingRay { origin: place(world.origin - translation), direction: place(world.direction), raw: world.raw };
        // The lengths of the shape are multiplied by the weight in place of a division of the ray.
        LazyExact::set_weight(determinant.abs());
        PlacedRay { line, world, normals }
    }
}

/// Whether a matrix, given by its columns, is singular: decided exactly.
pub(crate) fn is_singular(columns: [[f64; 3]; 3]) -> bool {
    use crate::math::exact::arena::with_precision;
    use crate::math::exact::exact::Exact;
    with_precision(1, || {
        let [a, b, c] = columns.map(exact::<Exact>);
        a.plain_dot(b.cross(c)).equals(Exact::ZERO)
    })
}
