//! Recipe of a shape: its numbers, kept to build the same shape in another precision.

use crate::law::law;
use crate::numbers::Numbers;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    AnyShape2, AnyShape3, Basis, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum,
    HalfSpace, Object, OrientedBox, Plane, Rectangle, Scene, SegmentShape, Space, Sphere, Triangle, Triangle2,
    TriangleMesh, TaperedCapsule,
};
use hitscan::{Real, Vector, Vector2, Vector3};

/// Numbers of a shape.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) kind: u8,
    pub(crate) points: Vec<[f64; 3]>,
    /// Half extents or radii along the axes.
    pub(crate) sizes: [f64; 3],
    pub(crate) radii: [f64; 2],
    /// Last axis of a basis; the coordinate axis if absent.
    direction: Option<[f64; 3]>,
}

/// Space whose shapes can be built from numbers.
pub(crate) trait World: Space {
    /// Reads the numbers of a kind.
    fn recipe(numbers: &mut Numbers<'_>) -> Recipe;
    /// Builds the shape; `None` if the constructor refuses the numbers.
    fn shape(recipe: &Recipe) -> Option<Self::Shape>;
    /// Whether the kind encloses points.
    fn is_solid(shape: &Self::Shape) -> bool;
    fn is_mesh(shape: &Self::Shape) -> bool;
    /// Whether sweeps approach the kind by distances, which have the digits of the largest coordinate.
    fn is_measured(shape: &Self::Shape) -> bool;
}

/// Calls a check in the precision and the dimension that the bits 4 and 8 of a mode select.
macro_rules! in_space {
    ($mode:expr, $check:ident($($argument:expr),*)) => {
        match ($mode & 4 == 0, $mode & 8 == 0) {
            (true, true) => $check::<hitscan::glam::Vec3>($($argument),*),
            (true, false) => $check::<hitscan::glam::Vec2>($($argument),*),
            (false, true) => $check::<hitscan::glam::DVec3>($($argument),*),
            (false, false) => $check::<hitscan::glam::DVec2>($($argument),*),
        }
    };
}
pub(crate) use in_space;

/// Up to 4 shapes, and a scene of them in that order.
pub(crate) fn shapes_in_scene<V: World>(n: &mut Numbers<'_>) -> (Vec<V::Shape>, Scene<V>) {
    let recipes: Vec<_> = (0..1 + n.byte() % 4).map(|_| V::recipe(n)).collect();
    let shapes: Vec<V::Shape> = recipes.iter().filter_map(V::shape).collect();
    let mut scene = Scene::<V>::new();
    for shape in &shapes {
        let id = scene.insert(Object::new(shape.clone()));
        law(id.is_ok(), "an object refused", || format!("{id:?}"));
    }
    (shapes, scene)
}

/// Converts the numbers to a vector, exactly: reading has rounded them.
pub(crate) fn vector<V: Vector>(xyz: [f64; 3]) -> V {
    V::from_xyz(xyz.map(V::Scalar::from_f64))
}

pub(crate) fn floats<V: Vector>(v: V) -> [f64; 3] {
    v.to_xyz().map(Real::to_f64)
}

impl Recipe {
    fn read(kind: u8, dim: usize, points: usize, sizes: usize, radii: usize, n: &mut Numbers<'_>) -> Self {
        let points = (0..points).map(|_| n.point(dim)).collect();
        let (mut all_sizes, mut all_radii) = ([0.0; 3], [0.0; 2]);
        all_sizes[..sizes].iter_mut().for_each(|x| *x = n.number().abs());
        all_radii[..radii].iter_mut().for_each(|x| *x = n.number().abs());
        Self { kind, points, sizes: all_sizes, radii: all_radii, direction: None }
    }

    fn turned(self, dim: usize, n: &mut Numbers<'_>) -> Self {
        let turned = n.byte() % 4 != 0;
        Self { direction: turned.then(|| n.point(dim)), ..self }
    }

    fn p<V: Vector>(&self, i: usize) -> V {
        vector(self.points[i])
    }

    fn r<S: Real>(&self, i: usize) -> S {
        S::from_f64(self.radii[i])
    }

    fn size<V: Vector>(&self) -> V {
        vector(self.sizes)
    }

    pub(crate) fn basis<V: Vector>(&self) -> Option<Basis<V>> {
        self.direction.map_or_else(|| Some(Basis::identity()), |d| Basis::from_direction(vector(d)).ok())
    }

    /// Rounded axes, which differ in every precision.
    pub(crate) fn is_turned(&self) -> bool {
        self.direction.is_some()
    }

    /// Numbers of the axes, which were computed.
    pub(crate) fn axes<V: Vector>(&self) -> Vec<f64> {
        let basis = self.direction.and_then(|d| Basis::<V>::from_direction(vector(d)).ok());
        basis.iter().flat_map(|b| b.axes().iter().flat_map(|&a| floats(a))).collect()
    }
}

fn recipe2(n: &mut Numbers<'_>, kinds: u8) -> Recipe {
    let kind = n.byte() % kinds;
    let mut read = |points, sizes, radii| Recipe::read(kind, 2, points, sizes, radii, n);
    match kind {
        0 => read(1, 0, 1),
        1..=3 => read(2, 0, 0),
        4 => read(1, 2, 0),
        5 | 9 => read(1, 2, 0).turned(2, n),
        6 => read(2, 0, 1),
        7 => read(3, 0, 0),
        10 => read(2, 0, 2),
        _ => {
            let corners = 3 + usize::from(n.byte() % 6);
            let recipe = Recipe::read(kind, 2, corners, 0, 0, n);
            Recipe { points: hull(recipe.points), ..recipe }
        }
    }
}

fn shape2<V: Vector2>(r: &Recipe) -> Option<AnyShape2<V>> {
    Some(match r.kind {
        0 => Circle::new(r.p(0), r.r(0)).ok()?.into(),
        1 => HalfSpace::new(r.p(0), r.p(1)).ok()?.into(),
        2 => Plane::new(r.p(0), r.p(1)).ok()?.into(),
        3 => SegmentShape::new(r.p(0), r.p(1)).ok()?.into(),
        4 => Rectangle::new(r.p(0), r.size()).ok()?.into(),
        5 => OrientedBox::new(r.p(0), r.size(), r.basis()?).ok()?.into(),
        6 => Capsule::new(r.p(0), r.p(1), r.r(0)).ok()?.into(),
        7 => Triangle2::new(r.p(0), r.p(1), r.p(2)).ok()?.into(),
        8 => ConvexPolygon::new(r.points.iter().map(|&p| vector(p)).collect::<Vec<V>>()).ok()?.into(),
        9 => Ellipsoid::with_basis(r.p(0), r.size(), r.basis()?).ok()?.into(),
        _ => TaperedCapsule::new(r.p(0), r.p(1), r.r(0), r.r(1)).ok()?.into(),
    })
}

fn recipe3(n: &mut Numbers<'_>, kinds: u8) -> Recipe {
    let kind = n.byte() % kinds;
    let mut read = |points, sizes, radii| Recipe::read(kind, 3, points, sizes, radii, n);
    match kind {
        0 => read(1, 0, 1),
        1 | 2 => read(2, 0, 0),
        3 | 6..=8 => read(2, 0, 1),
        4 => read(1, 3, 0),
        5 | 10 => read(1, 3, 0).turned(3, n),
        9 | 12 => read(2, 0, 2),
        11 => read(3, 0, 0),
        _ => read(4, 0, 0),
    }
}

fn shape3<V: Vector3>(r: &Recipe) -> Option<AnyShape3<V>> {
    Some(match r.kind {
        0 => Sphere::new(r.p(0), r.r(0)).ok()?.into(),
        1 => HalfSpace::new(r.p(0), r.p(1)).ok()?.into(),
        2 => Plane::new(r.p(0), r.p(1)).ok()?.into(),
        3 => Disk::new(r.p(0), r.p(1), r.r(0)).ok()?.into(),
        4 => Cuboid::new(r.p(0), r.size()).ok()?.into(),
        5 => OrientedBox::new(r.p(0), r.size(), r.basis()?).ok()?.into(),
        6 => Capsule::new(r.p(0), r.p(1), r.r(0)).ok()?.into(),
        7 => Cylinder::new(r.p(0), r.p(1), r.r(0)).ok()?.into(),
        8 => Cone::new(r.p(0), r.p(1), r.r(0)).ok()?.into(),
        9 => Frustum::new(r.p(0), r.p(1), r.r(0), r.r(1)).ok()?.into(),
        10 => Ellipsoid::with_basis(r.p(0), r.size(), r.basis()?).ok()?.into(),
        11 => Triangle::new(r.p(0), r.p(1), r.p(2)).ok()?.into(),
        12 => TaperedCapsule::new(r.p(0), r.p(1), r.r(0), r.r(1)).ok()?.into(),
        _ => TriangleMesh::new(r.points.iter().map(|&p| vector(p)).collect(), tetrahedron(&r.points)).ok()?.into(),
    })
}

/// Its four faces, oriented outward.
fn tetrahedron(points: &[[f64; 3]]) -> Vec<[u32; 3]> {
    let [p, q, r] = [1, 2, 3].map(|i| [0, 1, 2].map(|k| points[i][k] - points[0][k]));
    let volume =
        p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    if volume < 0.0 { faces.map(|[i, j, k]| [i, k, j]).to_vec() } else { faces.to_vec() }
}

/// Vertices of the convex hull (Andrew's monotone chain), as far as rounding allows; the constructor checks.
fn hull(mut points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let turn = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |points: &mut dyn Iterator<Item = [f64; 3]>| {
        let mut chain: Vec<[f64; 3]> = Vec::new();
        for p in points {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) < 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let lower = chain(&mut points.iter().copied());
    let upper = chain(&mut points.iter().rev().copied());
    [lower, upper].concat()
}

macro_rules! world {
    ($vector:ty, $any:ident, $kinds:literal, $recipe:ident, $shape:ident, $surface:pat, $measured:pat, [$($mesh:pat)?]) => {
        impl World for $vector {
            fn recipe(numbers: &mut Numbers<'_>) -> Recipe {
                let recipe = $recipe(numbers, $kinds);
                numbers.note_all(recipe.axes::<Self>());
                recipe
            }
            fn shape(recipe: &Recipe) -> Option<Self::Shape> {
                $shape(recipe)
            }
            fn is_solid(shape: &Self::Shape) -> bool {
                !matches!(shape, $surface)
            }
            fn is_mesh(shape: &Self::Shape) -> bool {
                let _ = shape;
                false $(|| matches!(shape, $mesh))?
            }
            fn is_measured(shape: &Self::Shape) -> bool {
                matches!(shape, $measured)
            }
        }
    };
}
macro_rules! worlds2 {
    ($($vector:ty),*) => {$(world!(
        $vector,
        AnyShape2,
        11,
        recipe2,
        shape2,
        AnyShape2::Line(_) | AnyShape2::Segment(_),
        AnyShape2::OrientedRectangle(_) | AnyShape2::Ellipse(_) | AnyShape2::TaperedCapsule(_),
        []
    );)*};
}
worlds2!(Vec2, DVec2);
macro_rules! worlds3 {
    ($($vector:ty),*) => {$(world!(
        $vector,
        AnyShape3,
        14,
        recipe3,
        shape3,
        AnyShape3::Plane(_) | AnyShape3::Disk(_) | AnyShape3::Triangle(_),
        AnyShape3::OrientedBox(_)
            | AnyShape3::Disk(_)
            | AnyShape3::TaperedCapsule(_)
            | AnyShape3::Cylinder(_)
            | AnyShape3::Cone(_)
            | AnyShape3::Frustum(_)
            | AnyShape3::Ellipsoid(_),
        [AnyShape3::Mesh(_)]
    );)*};
}
worlds3!(Vec3, DVec3);
