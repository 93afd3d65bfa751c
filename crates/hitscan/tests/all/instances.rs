//! Instances: the same answers as shapes that need no transform, where those are known exactly.

use crate::support::{Draw, Rng, Sample, World, meshes};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Faces, Group, Hit, Inside, Object, Query, Ray, RayCast, Real, Scene, SceneBuilder, Segment, SegmentShape, Shape,
    Transform, TransformError, Triangle, Triangle2, TriangleMesh, Vector, Vector2, Vector3,
};

fn scene<V: World>(shape: impl Into<V::Shape>, transform: Transform<V>) -> Scene<V> {
    let mut builder = SceneBuilder::new();
    builder.insert(Object::new(shape).with_transform(transform)).unwrap();
    builder.build()
}

/// A transform whose inverse is exact: axes to axes, times powers of two, and a translation.
struct ExactTransform {
    axis: [usize; 3],
    factor: [f64; 3],
    translation: [f64; 3],
}

impl ExactTransform {
    fn random(dimension: usize, rng: &mut Rng) -> Self {
        let first = rng.below(dimension);
        let axis = match (dimension, rng.below(2)) {
            (2, _) => [first, 1 - first, 2],
            (_, 0) => [first, (first + 1) % 3, (first + 2) % 3],
            _ => [first, (first + 2) % 3, (first + 1) % 3],
        };
        let mut factor = [1.0; 3].map(|_| f64::from(rng.below(7) as i32 - 3).exp2() * [1.0, -1.0][rng.below(2)]);
        if rng.below(3) == 0 {
            factor = [1.0; 3];
        }
        let translation = [1.0; 3].map(|_| (rng.below(17) as f64 - 8.0) / 2.0);
        Self { axis, factor, translation: if rng.below(4) == 0 { [0.0; 3] } else { translation } }
    }
    fn transform<V: Vector>(&self) -> Transform<V> {
        let number = |x: f64| V::Scalar::from_f64(x);
        let mut columns = [[0.0; 3]; 3];
        for from in 0..V::DIM {
            columns[from][self.axis[from]] = self.factor[from];
        }
        let columns = columns.map(|column| V::from_xyz(column.map(number)));
        Transform::new(&columns[..V::DIM], V::from_xyz(self.translation.map(number))).unwrap()
    }
    fn direction<V: Vector>(&self, v: V) -> V {
        let v = v.to_xyz().map(Real::to_f64);
        V::from_xyz([0, 1, 2].map(|i| V::Scalar::from_f64(v[self.axis[i]] / self.factor[i])))
    }
    fn point<V: Vector>(&self, v: V) -> V {
        let v = v.to_xyz().map(Real::to_f64);
        let moved = [0, 1, 2].map(|i| V::Scalar::from_f64(v[i] - self.translation[i]));
        self.direction(V::from_xyz(moved))
    }
    fn image_of_direction<V: Vector>(&self, v: V) -> V {
        let v = v.to_xyz().map(Real::to_f64);
        let mut image = [0.0; 3];
        for from in 0..V::DIM {
            image[self.axis[from]] = v[from] * self.factor[from];
        }
        V::from_xyz(image.map(V::Scalar::from_f64))
    }
    fn image<V: Vector>(&self, v: V) -> V {
        let v = self.image_of_direction(v).to_xyz().map(Real::to_f64);
        V::from_xyz([0, 1, 2].map(|i| V::Scalar::from_f64(v[i] + self.translation[i])))
    }
    /// Whether the local ray is not rounded.
    fn is_exact<V: Vector>(&self, ray: &Ray<V>, local: &Ray<V>) -> bool {
        let number = |v: V| v.to_xyz().map(Real::to_f64);
        let (o, d, p, e) = (number(ray.origin), number(ray.direction), number(local.origin), number(local.direction));
        (0..V::DIM).all(|i| {
            let (to, factor) = (self.axis[i], self.factor[i]);
            // The sums are exact where the numbers are those of a lattice; elsewhere they rarely come out equal.
            p[i] * factor + self.translation[to] == o[to]
                && o[to] - self.translation[to] == p[i] * factor
                && e[i] * factor == d[to]
        })
    }
    fn normal<V: Vector>(&self, n: V) -> V {
        let n = n.to_xyz().map(Real::to_f64);
        let mut image = [0.0; 3];
        for from in 0..V::DIM {
            image[self.axis[from]] = n[from] / self.factor[from];
        }
        let length = image.iter().map(|x| x * x).sum::<f64>().sqrt();
        V::from_xyz(image.map(|x| V::Scalar::from_f64(x / length)))
    }
}

fn difference<V: Vector>(a: V, b: V) -> f64 {
    (a - b).to_xyz().iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max)
}

/// One unit in the last place of a number, and of the smallest normal one.
fn ulp<S: Real>(x: S) -> f64 {
    x.to_f64().abs().max(f64::MIN_POSITIVE) * S::EPSILON.to_f64()
}

/// The hit of an instance and that of the shape in its own coordinates.
fn check_hit<V: Vector>(placed: &Hit<V>, local: &Hit<V>, exact: &ExactTransform, ray: &Ray<V>, what: &str) {
    assert!((placed.t.to_f64() - local.t.to_f64()).abs() <= ulp(local.t), "{what}: {placed:?} {local:?}");
    // The side that a ray starts from inside has no surface.
    let normal = if difference(local.normal, -exact_direction(exact, ray)) < 1e-6 && placed.side == hitscan::Side::Back
    {
        placed.normal
    } else {
        exact.normal(local.normal)
    };
    assert!(difference(placed.normal, normal) <= 8.0 * V::Scalar::EPSILON.to_f64(), "{what}: {placed:?} {local:?}");
    assert_eq!((placed.side, placed.primitive), (local.side, local.primitive), "{what}");
    let point = ray.at(placed.t);
    let size = point.to_xyz().iter().chain(&ray.origin.to_xyz()).map(|x| x.to_f64().abs()).fold(1.0, f64::max);
    assert!(
        difference(placed.point, point) <= 8.0 * size * V::Scalar::EPSILON.to_f64(),
        "{what}: {placed:?} {point:?}"
    );
    if let (Some(a), Some(b)) = (placed.uv, local.uv) {
        (0..2).for_each(|i| {
            assert!((a[i] - b[i]).to_f64().abs() <= 8.0 * V::Scalar::EPSILON.to_f64(), "{what}: {placed:?} {local:?}");
        });
    }
}

/// Direction of the ray in the coordinates of the shape, at length 1.
fn exact_direction<V: Vector>(exact: &ExactTransform, ray: &Ray<V>) -> V {
    let d = exact.direction(ray.direction).to_xyz().map(Real::to_f64);
    let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
    V::from_xyz(d.map(|x| V::Scalar::from_f64(x / length)))
}

/// Every shape under transforms with an exact inverse: every query equals that of the bare shape and the local ray.
fn compare_with_local_rays<V: World>(shapes: usize, rays: usize) {
    let mut rng = Rng::new(5);
    let (mut hits, mut made) = (0, 0);
    while made < shapes {
        let Some(shape) = V::shape(rng.below(V::KINDS), &mut rng, Draw::Lattice) else { continue };
        made += 1;
        let exact = ExactTransform::random(V::DIM, &mut rng);
        let placed = scene::<V>(shape.clone(), exact.transform());
        for i in 0..rays {
            let ray = rng.ray(Draw::Lattice, &placed.aabb());
            let local = Ray::new(exact.point(ray.origin), exact.direction(ray.direction));
            if !exact.is_exact(&ray, &local) {
                continue;
            }
            let query = rng.query::<V::Scalar>(Draw::Lattice);
            let query =
                [query, query.inside(Inside::Hollow), query.faces(Faces::Front), query.faces(Faces::Back)][i % 4];
            let what =
                format!("{shape:?} {:?} {ray:?} {local:?} {query:?}", placed.objects().next().unwrap().1.transform());
            let (first, expected) = (placed.cast_ray(&ray, query), shape.cast_ray(&local, query));
            assert_eq!(first.is_some(), expected.is_some(), "{what}: {first:?} {expected:?}");
            hits += usize::from(first.is_some());
            first.iter().zip(&expected).for_each(|(a, b)| check_hit(a, b, &exact, &ray, &what));
            assert_eq!(placed.intersects_ray(&ray, query), expected.is_some(), "{what}");
            let (all, expected) = (placed.cast_ray_all(&ray, query), shape.cast_ray_all(&local, query));
            assert_eq!(all.len(), expected.len(), "{what}: {all:?} {expected:?}");
            all.iter().zip(&expected).for_each(|(a, b)| check_hit(a, b, &exact, &ray, &what));
            assert_eq!(placed.count_hits(&ray, query), all.len(), "{what}");
            let (spans, expected) = (placed.spans(&ray, query), shape.spans(&local, query));
            assert_eq!(spans.len(), expected.len(), "{what}: {spans:?} {expected:?}");
            for (a, b) in spans.iter().zip(&expected) {
                assert_eq!((a.enter.is_some(), a.exit.is_some()), (b.enter.is_some(), b.exit.is_some()), "{what}");
                a.enter.iter().zip(&b.enter).for_each(|(a, b)| check_hit(a, b, &exact, &ray, &what));
                a.exit.iter().zip(&b.exit).for_each(|(a, b)| check_hit(a, b, &exact, &ray, &what));
            }
            assert_eq!(placed.contains(ray.origin), shape.contains(local.origin), "{what}");
            assert_eq!(placed.cast_rays(&[ray; 3], query), [first; 3], "{what}");
            if i % 16 == 0 {
                assert!(!placed.explain(&ray, query).steps.is_empty());
            }
        }
    }
    println!("{} of {} rays hit", hits, shapes * rays);
    assert!(hits > shapes * rays / 10);
}

#[test]
fn exact_inverses_in_the_plane() {
    compare_with_local_rays::<Vec2>(150, 40);
    compare_with_local_rays::<DVec2>(100, 20);
}

#[test]
fn exact_inverses_in_space() {
    compare_with_local_rays::<Vec3>(200, 40);
    compare_with_local_rays::<DVec3>(100, 20);
}

/// A matrix of small integers that is not singular, and a translation.
fn integers<V: Vector>(rng: &mut Rng) -> (Transform<V>, impl Fn(V) -> V + use<V>) {
    let mut number = || V::Scalar::from_f64(rng.below(9) as f64 - 4.0);
    loop {
        let mut vector = || V::from_xyz([number(), number(), if V::DIM == 2 { V::Scalar::ZERO } else { number() }]);
        let (columns, translation) = ([vector(), vector(), vector()], vector());
        if let Ok(transform) = Transform::new(&columns[..V::DIM], translation) {
            let image = move |v: V| {
                let v = v.to_xyz();
                (0..V::DIM).fold(translation, |sum, i| sum + columns[i] * v[i])
            };
            return (transform, image);
        }
    }
}

/// The instance and the shape with transformed vertices: equal decisions, `t`, points and sides; normals that are equal up
/// to the turn of a mirror.
fn check_image<V: World>(
    [placed, image]: [&Scene<V>; 2],
    corners: &[V],
    rng: &mut Rng,
    mirrored: bool,
    rays: usize,
) -> usize {
    let mut hits = 0;
    for _ in 0..rays {
        let ray = rng.ray(Draw::Lattice, &image.aabb());
        let query = rng.query::<V::Scalar>(Draw::Lattice);
        let what = format!("{ray:?} {query:?} {:?}", placed.objects().next().unwrap().1);
        let (a, b) = (placed.cast_ray_all(&ray, query), image.cast_ray_all(&ray, query));
        assert_eq!(a.len(), b.len(), "{what}: {a:?} {b:?}");
        assert_eq!(placed.cast_ray(&ray, query).is_some(), image.cast_ray(&ray, query).is_some(), "{what}");
        for (a, b) in a.iter().zip(&b).chain(placed.cast_ray(&ray, query).iter().zip(&image.cast_ray(&ray, query))) {
            assert!((a.t.to_f64() - b.t.to_f64()).abs() <= ulp(b.t), "{what}: {a:?} {b:?}");
            let normal = if mirrored { -b.normal } else { b.normal };
            // Where two faces meet, the hit may name either.
            let is_tie =
                [a, b].iter().any(|hit| hit.barycentric().is_some_and(|w| w.iter().any(|w| w.to_f64() < 1e-6)))
                    || corners.iter().any(|corner| difference(*corner, b.point) < 1e-4);
            let same = difference(a.normal, normal) <= 4.0 * V::Scalar::EPSILON.to_f64();
            assert!(is_tie || (same && (a.side == b.side) != mirrored), "{what}: {a:?} {b:?}");
        }
        hits += a.len();
        assert_eq!(placed.contains(ray.origin), image.contains(ray.origin), "{what}");
        let segment = Segment::new(ray.origin, ray.origin + ray.direction);
        assert_eq!(placed.count_hits(&segment, ..), image.count_hits(&segment, ..), "{what}");
    }
    hits
}

fn determinant_is_negative<V: Vector>(transform: &Transform<V>) -> bool {
    let columns: Vec<[f64; 3]> = transform.axes().iter().map(|v| v.to_xyz().map(Real::to_f64)).collect();
    let [a, b] = [columns[0], columns[1]];
    if V::DIM == 2 {
        return a[0] * b[1] - a[1] * b[0] < 0.0;
    }
    let c = columns[2];
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2] < 0.0
}

fn triangles_under_integers<V: World + Vector3>()
where
    Triangle<V>: Into<V::Shape>,
{
    let (mut rng, mut hits) = (Rng::new(7), 0);
    for _ in 0..150 {
        let (transform, image) = integers::<V>(&mut rng);
        let corners = [rng.vector::<V>(Draw::Lattice), rng.vector(Draw::Lattice), rng.vector(Draw::Lattice)];
        let Ok(local) = Triangle::new(corners[0], corners[1], corners[2]) else { continue };
        let [a, b, c] = corners.map(&image);
        let expected = scene::<V>(Triangle::new(a, b, c).unwrap(), Transform::identity());
        let mirrored = determinant_is_negative(&transform);
        hits += check_image([&scene::<V>(local, transform), &expected], &[], &mut rng, mirrored, 40);
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn triangles_are_exact_images() {
    triangles_under_integers::<Vec3>();
    triangles_under_integers::<DVec3>();
}

fn flat_shapes_under_integers<V: World + Vector2>()
where
    Triangle2<V>: Into<V::Shape>,
    SegmentShape<V>: Into<V::Shape>,
{
    let (mut rng, mut hits) = (Rng::new(8), 0);
    for _ in 0..150 {
        let (transform, image) = integers::<V>(&mut rng);
        let [a, b, c] = [rng.vector::<V>(Draw::Lattice), rng.vector(Draw::Lattice), rng.vector(Draw::Lattice)];
        let mirrored = determinant_is_negative(&transform);
        if let Ok(local) = Triangle2::new(a, b, c) {
            let expected = scene::<V>(Triangle2::new(image(a), image(b), image(c)).unwrap(), Transform::identity());
            hits +=
                check_image([&scene::<V>(local, transform), &expected], &[a, b, c].map(&image), &mut rng, false, 40);
        }
        if let Ok(local) = SegmentShape::new(a, b) {
            let expected = scene::<V>(SegmentShape::new(image(a), image(b)).unwrap(), Transform::identity());
            hits += check_image([&scene::<V>(local, transform), &expected], &[], &mut rng, mirrored, 40);
        }
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn shapes_of_the_plane_are_exact_images() {
    flat_shapes_under_integers::<Vec2>();
    flat_shapes_under_integers::<DVec2>();
}

/// A closed mesh of lattice points under integers, beside the mesh of the transformed vertices.
fn meshes_under_integers<V: World + Vector3>()
where
    TriangleMesh<V>: Into<V::Shape>,
{
    let (mut rng, mut hits) = (Rng::new(9), 0);
    let (vertices, triangles) = meshes::icosphere(2);
    let vertices: Vec<V> =
        vertices.iter().map(|p| V::from_xyz(p.map(|x| V::Scalar::from_f64((x * 16.0).round() / 4.0)))).collect();
    for _ in 0..12 {
        let (transform, image) = integers::<V>(&mut rng);
        let mirrored = determinant_is_negative(&transform);
        let local = TriangleMesh::new(vertices.clone(), triangles.clone()).unwrap();
        // A mirror turns the order of the vertices: turned once more, the outside stays outside.
        let turned = triangles.iter().map(|&[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] }).collect();
        let expected = TriangleMesh::new(vertices.iter().copied().map(&image).collect(), turned).unwrap();
        let expected = scene::<V>(expected, Transform::identity());
        hits += check_image([&scene::<V>(local, transform), &expected], &[], &mut rng, false, 60);
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn meshes_are_exact_images() {
    meshes_under_integers::<Vec3>();
    meshes_under_integers::<DVec3>();
}

/// Every line crosses a closed mesh an even number of times, under rotations, shears and nearly singular matrices too.
#[test]
fn closed_meshes_stay_closed() {
    let mut rng = Rng::new(10);
    let (vertices, triangles) = meshes::icosphere(2);
    let vertices: Vec<Vec3> = vertices.iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
    let mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
    let mut crossings = 0;
    for round in 0..20 {
        let mut columns = [rng.in_cube::<Vec3>(), rng.in_cube(), rng.in_cube()];
        if round % 3 == 0 {
            columns[2] = columns[0] + columns[1] + rng.in_cube::<Vec3>() * 1e-6;
        }
        let translation = rng.in_cube::<Vec3>() * [0.0, 1.0, 1000.0][round % 3];
        let Ok(transform) = Transform::new(columns, translation) else { continue };
        let placed = scene::<Vec3>(mesh.clone(), transform);
        let image = |v: Vec3| columns[0] * v.x + columns[1] * v.y + columns[2] * v.z + translation;
        for i in 0..100 {
            // Through the rounded image of a vertex, or of the middle of an edge: near ties of two to six triangles.
            let [p, q] = [vertices[rng.below(vertices.len())], vertices[rng.below(vertices.len())]];
            let target = image(if i % 2 == 0 { p } else { (p + q) * 0.5 });
            let ray = Ray::new(target + rng.in_cube::<Vec3>() * 3.0, rng.in_cube());
            let ray = if i % 4 == 0 { ray } else { Ray::new(ray.origin, target - ray.origin) };
            let count = placed.count_hits(&ray, Query::line());
            assert_eq!(count % 2, 0, "{transform:?} {ray:?}");
            assert!(count == 0 || placed.intersects_ray(&ray, Query::line()));
            crossings += count;
        }
    }
    assert!(crossings > 1000, "{crossings}");
}

#[test]
fn transforms_are_checked() {
    let not_finite = Transform::new([Vec3::X, Vec3::Y, Vec3::Z * f32::NAN], Vec3::ZERO);
    assert_eq!(not_finite, Err(TransformError::NotFinite));
    assert_eq!(Transform::new([Vec3::X, Vec3::Y], Vec3::ZERO), Err(TransformError::Count { given: 2, needed: 3 }));
    let flat = Transform::new([Vec3::X, Vec3::Y, Vec3::X + Vec3::Y], Vec3::ZERO);
    assert_eq!(flat, Err(TransformError::Singular));
    // The determinant is -2^-60 in real arithmetic, and 0 in rounded arithmetic.
    let one = 1.0 + 2f64.powi(-30);
    let nearly = Transform::new([DVec2::new(one, 1.0), DVec2::new(1.0, 1.0 - 2f64.powi(-30))], DVec2::ZERO);
    assert_eq!(one * (1.0 - 2f64.powi(-30)) - 1.0, 0.0);
    assert!(nearly.is_ok());
    let exactly = Transform::new([DVec2::new(3.0, 9.0), DVec2::new(1.0, 3.0)], DVec2::ZERO);
    assert_eq!(exactly, Err(TransformError::Singular));
}

/// Groups within groups, beside one object under the product of their transforms.
fn groups_beside_products<V: World>(rounds: usize) {
    let (mut rng, mut hits) = (Rng::new(11), 0);
    let mut made = 0;
    while made < rounds {
        let shape = V::shape(rng.below(V::KINDS), &mut rng, Draw::Lattice);
        let Some(shape) = shape.filter(|shape| shape.aabb().is_bounded()) else { continue };
        made += 1;
        let levels: Vec<ExactTransform> = (0..3).map(|_| ExactTransform::random(V::DIM, &mut rng)).collect();
        // Innermost first. Each group has a bystander far away, so that numbers of shapes differ from zero.
        let mut inner: V::Shape = shape.clone();
        let mut path = Vec::new();
        for exact in &levels {
            let mut group = Scene::<V>::new();
            let far = [2f64.powi(40), 3.0 * 2f64.powi(38), 5.0 * 2f64.powi(37)].map(V::Scalar::from_f64);
            let far = Transform::from_translation(V::from_xyz(far)).unwrap();
            group.insert(Object::new(shape.clone()).with_transform(far)).unwrap();
            path.push(group.insert(Object::new(inner).with_transform(exact.transform())).unwrap());
            inner = Group::new(group).unwrap().into();
        }
        path.reverse();
        let mut placed = Scene::<V>::new();
        let id = placed.insert(Object::new(inner)).unwrap();
        let group = placed.get(id).unwrap().shape().clone();
        let group = V::as_group(&group).unwrap();
        assert_eq!(group.depth(), 3);
        for _ in 0..30 {
            let mut local = rng.ray(Draw::Lattice, &shape.aabb());
            for exact in &levels {
                local = Ray::new(exact.image(local.origin), exact.image_of_direction(local.direction));
            }
            let ray = local;
            for exact in levels.iter().rev() {
                local = Ray::new(exact.point(local.origin), exact.direction(local.direction));
            }
            let mut back = local;
            for exact in &levels {
                back = Ray::new(exact.image(back.origin), exact.image_of_direction(back.direction));
            }
            if back != ray || !ray.origin.to_xyz().iter().all(|x| x.to_f64().abs() < 1e5) {
                continue;
            }
            let query = rng.query::<V::Scalar>(Draw::Lattice).inside(Inside::Hollow);
            let what = format!("{shape:?} {ray:?} {local:?} {query:?}");
            let (first, expected) = (placed.cast_ray(&ray, query), shape.cast_ray(&local, query));
            let is_ours = |hit: &Hit<V>| hit.member.is_some_and(|member| group.path(member) == path);
            if expected.is_some() || first.as_ref().is_some_and(is_ours) {
                assert_eq!(first.map(|hit| hit.t), expected.map(|hit| hit.t), "{what}: {first:?}");
                assert!(first.is_some_and(|hit| hit.object == Some(id) && is_ours(&hit)), "{what}: {first:?}");
                hits += 1;
            }
            let of = |hits: &[Hit<V>]| hits.iter().filter(|hit| is_ours(hit)).count();
            assert_eq!(of(&placed.cast_ray_all(&ray, query)), shape.count_hits(&local, query), "{what}");
            assert_eq!(placed.cast_rays(&[ray; 2], query), [first; 2], "{what}");
            assert!(placed.contains(ray.origin) || !shape.contains(local.origin), "{what}");
        }
    }
    assert!(hits > rounds, "{hits}");
}

#[test]
fn groups_are_products() {
    groups_beside_products::<Vec2>(60);
    groups_beside_products::<Vec3>(60);
    groups_beside_products::<DVec3>(40);
}

#[test]
fn groups_have_a_depth() {
    let mut shape: hitscan::AnyShape3<Vec3> = hitscan::Sphere::new(Vec3::ZERO, 1.0).unwrap().into();
    for depth in 1..=9 {
        let mut scene = Scene::new();
        scene.insert(Object::new(shape).with_transform(Transform::from_translation(Vec3::X).unwrap())).unwrap();
        match Group::new(scene) {
            Ok(group) => {
                assert_eq!(group.depth(), depth);
                shape = group.into();
            }
            Err(error) => {
                assert_eq!((depth, error), (9, hitscan::SceneError::TooDeep));
                return;
            }
        }
    }
    panic!("nine levels");
}

/// A chain of nearly singular transforms: the last stage decides, within a second.
#[test]
fn chains_of_nearly_singular_transforms() {
    let mut shape: hitscan::AnyShape3<Vec3> = hitscan::Cone::new(Vec3::ZERO, Vec3::Y, 0.5).unwrap().into();
    let mut rng = Rng::new(12);
    for _ in 0..8 {
        let (a, b) = (rng.in_cube::<Vec3>(), rng.in_cube::<Vec3>());
        let transform = Transform::new([a, b, a + b + rng.in_cube::<Vec3>() * 1e-5], rng.in_cube()).unwrap();
        let mut scene = Scene::new();
        scene.insert(Object::new(shape).with_transform(transform)).unwrap();
        shape = Group::new(scene).unwrap().into();
    }
    for i in 0..50 {
        let target = shape.aabb().center();
        let ray = Ray::new(rng.in_cube::<Vec3>() * 4.0, if i % 2 == 0 { rng.in_cube() } else { target });
        let start = std::time::Instant::now();
        let hits = shape.cast_ray_all(&ray, Query::line());
        assert!(start.elapsed().as_secs_f64() < 1.0, "{ray:?}");
        assert!(matches!(hits.len(), 0..=2), "{hits:?}");
        assert_eq!(shape.cast_ray(&ray, Query::line().inside(Inside::Hollow)).is_some(), !hits.is_empty());
    }
}

/// A segment within a placed mesh: the line enters before the segment begins, and leaves after it ends.
#[test]
fn spans_of_segments_within_placed_meshes() {
    let octahedron = meshes::build::<DVec3>(meshes::icosphere(0));
    let shift = Transform::from_translation(DVec3::X * 8.0).expect("a translation");
    let scene = scene::<DVec3>(octahedron, shift);
    let ends = |a: f64, b: f64| Segment::new(DVec3::X * a, DVec3::X * b);
    let spans = |segment: Segment<DVec3>| -> Vec<_> {
        scene.spans(&segment, ..).iter().map(|span| [span.enter, span.exit].map(|end| end.map(|hit| hit.t))).collect()
    };
    assert_eq!(spans(ends(8.25, 8.5)), [[Some(0.0), None]]);
    assert_eq!(spans(ends(8.0, 10.0)), [[Some(0.0), Some(0.5)]]);
    assert_eq!(spans(ends(6.0, 8.0)), [[Some(0.5), None]]);
    assert_eq!(spans(ends(5.0, 6.0)), [[None; 2]; 0]);
}

/// A removed object stays in the memory of its tree; the group of the scene does not contain its points.
#[test]
fn a_group_does_not_contain_removed_objects() {
    let mut scene = Scene::new();
    let ball = |x: f32| Object::new(hitscan::Sphere::new(Vec3::X * x, 1.0).unwrap());
    let gone = scene.insert(ball(0.0)).unwrap();
    scene.insert(ball(9.0)).unwrap();
    scene.remove(gone).unwrap();
    for scene in [scene.clone(), scene.linear_scan()] {
        let place = Transform::from_translation(Vec3::Y).unwrap();
        let group = self::scene::<Vec3>(Group::new(scene).unwrap(), place);
        assert_eq!([Vec3::Y, Vec3::new(9.0, 1.0, 0.0)].map(|point| group.contains(point)), [false, true]);
    }
}
