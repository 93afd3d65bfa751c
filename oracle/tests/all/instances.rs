//! The oracle's instances against bare shapes that are the same set of points: nothing here asks the library about a
//! transform.

use hitscan_oracle::affine::{Affine, PlainTransform};
use hitscan_oracle::body::{Body, Kind};
use hitscan_oracle::case::Case;
use hitscan_oracle::closed_meshes::Closed;
use hitscan_oracle::generate::{Family, TransformFamily, case, exact_image, exact_point, instance, placed, transform};
use hitscan_oracle::instance::Instance;
use hitscan_oracle::instanced_meshes::{self, MeshCase};
use hitscan_oracle::intersection::{Bound, Intersection};
use hitscan_oracle::judge::judge;
use hitscan_oracle::number::{Dyadic, Precision, sign};
use hitscan_oracle::run::answers;
use hitscan_oracle::scenes;
use hitscan_oracle::values::Values;
use std::cmp::Ordering;
use test_support::random::Rng;

const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

/// Cases of instances, each with the bare shape that is its exact image.
fn twins(kind: Kind, rng: &mut Rng) -> Vec<(Case, Case)> {
    let mut found = Vec::new();
    let families = [
        TransformFamily::Quarter,
        TransformFamily::Mirror,
        TransformFamily::Uniform,
        TransformFamily::Translation,
        TransformFamily::Integer,
        TransformFamily::Uneven,
    ];
    for _ in 0..4000 {
        let (family, precision) = (rng.pick(&families), rng.pick(&PRECISIONS));
        let rays = rng.pick(&[Family::Lattice, Family::Lattice, Family::Ordinary, Family::Edge, Family::Surface]);
        let Some(mut case) = instance(kind, family, rays, precision, rng) else { continue };
        case.is_thorough = true;
        let transform = case.transform.unwrap();
        let Some(body) = exact_image(&case.body, &transform, precision) else { continue };
        found.push((Case { body, transform: None, ..case.clone() }, case));
        if found.len() == 24 {
            break;
        }
    }
    found
}

/// The library's answers to a bigger sphere, a moved triangle, a turned disk are those to the instance.
#[test]
fn bare_shapes_of_the_same_points_have_the_same_answers() {
    let mut rng = Rng::for_stream(21, 0);
    for &kind in Kind::ALL {
        let (mut judged, mut hit) = (0, 0);
        for (bare, instance) in twins(kind, &mut rng) {
            let Some(answers) = answers(&bare) else { continue };
            let verdict = judge(&instance, &answers);
            assert_eq!(verdict.wrong, [""; 0], "{bare}\n{instance}");
            let limit = if kind.is_flat() { 2.0 } else { 1.0 };
            assert!(verdict.t.is_none_or(|t| t <= limit), "{bare}\n{instance}");
            assert!(verdict.normal.is_none_or(|normal| normal <= 2.0), "{bare}\n{instance}");
            judged += 1;
            hit += usize::from(verdict.t.is_some());
        }
        assert!(judged > 5 && hit > 0, "{}: {judged} judged, {hit} hit", kind.name());
    }
}

/// The judge notices the answers of the untransformed shape, and a normal that is off by 3e-7 or 1e-15.
#[test]
fn wrong_answers_are_noticed() {
    let mut rng = Rng::for_stream(22, 0);
    let (mut ignored, mut turned) = (0, 0);
    for &kind in Kind::ALL {
        for (bare, instance) in twins(kind, &mut rng) {
            let Some(mut right) = answers(&bare) else { continue };
            let other = answers(&Case { transform: None, ..instance.clone() });
            ignored += usize::from(other.is_some_and(|answers| !judge(&instance, &answers).wrong.is_empty()));
            // At a tip, several normals are right.
            if kind == Kind::TaperedCapsule && bare.body.numbers[6..].contains(&0.0)
                || kind == Kind::TaperedCapsule2 && bare.body.numbers[4..].contains(&0.0)
            {
                continue;
            }
            let Some(hit) = right.queries[1].first.as_mut() else { continue };
            let axis = (0..kind.dim()).min_by(|i, j| hit.normal[*i].abs().total_cmp(&hit.normal[*j].abs())).unwrap();
            hit.normal[axis] += 4.0 * instance.precision.epsilon();
            let verdict = judge(&instance, &right);
            assert!(verdict.wrong.is_empty() && verdict.angle.is_none_or(|angle| angle > 2.0), "{instance}");
            turned += usize::from(verdict.angle.is_some());
        }
    }
    assert!(ignored > 100 && turned > 100, "{ignored} ignored transforms, {turned} turned normals noticed");
}

fn bounds<'a, 'b>(intersection: &'b Intersection<'a>) -> Vec<&'b Bound<'a>> {
    match intersection {
        Intersection::None => vec![],
        Intersection::Crossing(bound, _) => vec![bound],
        Intersection::Interval(enter, exit) => enter.iter().chain(exit).collect(),
    }
}

/// Normal by the inverse transpose, which is the matrix of cofactors up to the sign of the determinant.
fn cofactors(transform: &PlainTransform, n: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = transform.axes;
    let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
    };
    let columns = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant: f64 = (0..3).map(|i| columns[2][i] * c[i]).sum();
    let image: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| columns[j][i] * n[j]).sum());
    let length = image.iter().map(|x| x * x).sum::<f64>().sqrt().copysign(determinant);
    image.map(|x| x / length)
}

/// Under integers the ray maps exactly: `t` and sides stay, and the normals map by the inverse transpose.
#[test]
fn hits_map_with_the_shape() {
    let mut rng = Rng::for_stream(23, 0);
    let mut compared = 0;
    for &kind in Kind::ALL {
        for _ in 0..60 {
            let Some(bare) = case(kind, Family::Lattice, Precision::F64, &mut rng) else { continue };
            let map = transform(TransformFamily::Integer, kind.dim(), Precision::F64, &mut rng);
            let Some(image) = placed(bare.clone(), map, Family::Lattice, &mut rng) else { continue };
            // Numbers beside integers may round, and some directions are brought to length 1.
            let exact = |v: [f64; 3]| v.iter().all(|x| x.fract() == 0.0);
            let is_exact = [bare.given.origin, bare.given.target].into_iter().all(exact)
                && (bare.given.is_segment || image.given.target == map.vector(bare.given.target));
            if !is_exact {
                continue;
            }
            let [(line, model), (image_line, image_model)] = [&bare, &image].map(|case| {
                let instance = case.instance();
                let line = Instance::line(&case.given, std::slice::from_ref(&instance));
                let model = instance.model(&line);
                (line, model)
            });
            let (local, world) = (Intersection::new(&model, &line), Intersection::new(&image_model, &image_line));
            let (local, world) = (bounds(&local), bounds(&world));
            assert_eq!(local.len(), world.len(), "{image}");
            for (a, b) in local.into_iter().zip(world) {
                // Segments and rays have t = s 2^scale.
                let t = |bound: &Bound<'_>, line| Values::at_bound(bound, line, kind.dim());
                let (a, b) = (t(a, &line), t(b, &image_line));
                assert!(a.t.minus(&b.t).to_f64().abs() <= 1e-60 * (1.0 + a.t.to_f64().abs()), "{image}");
                for (n, m) in a.normals.iter().zip(&b.normals) {
                    let (n, m) = (n.each_ref().map(Dyadic::to_f64), m.each_ref().map(Dyadic::to_f64));
                    let right = cofactors(&map, n);
                    assert!((0..3).all(|i| (right[i] - m[i]).abs() < 1e-13), "{image}: {m:?} instead of {right:?}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared} compared");
}

/// A chain is the product of its transforms: that of the outer one on the image under the inner one.
#[test]
fn chains_are_products() {
    let mut rng = Rng::for_stream(24, 0);
    let mut compared = 0;
    for kind in [Kind::Triangle, Kind::Sphere, Kind::Frustum, Kind::Segment, Kind::Polygon, Kind::Ellipse] {
        for (bare, inner) in twins(kind, &mut rng) {
            let outer = transform(TransformFamily::Shear, kind.dim(), bare.precision, &mut rng);
            let chain = Affine::new(&outer).times(&Affine::new(&inner.transform.unwrap()));
            let both = [Instance::new(&bare.body, Some(&outer)), Instance::with_map(&inner.body, chain)];
            let line = Instance::line(&bare.given, &both);
            let models = both.map(|instance| instance.model(&line));
            assert_eq!(models[0].contains(&line.o), models[1].contains(&line.o));
            let [one, other] = models.each_ref().map(|model| Intersection::new(model, &line));
            let (one, other) = (bounds(&one), bounds(&other));
            assert_eq!(one.len(), other.len(), "{inner} under {outer}");
            for (a, b) in one.iter().zip(&other) {
                assert_eq!(a.at.order(&b.at), Ordering::Equal, "{inner} under {outer}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "{compared} compared");
}

/// Pairs touch exactly often enough to decide ties, and bare shapes of the same points have the right answers.
#[test]
fn pairs_touch() {
    let mut rng = Rng::for_stream(25, 0);
    let (mut ties, mut judged) = (0, 0);
    for i in 0..4000 {
        let (dim, precision) = (2 + i % 2, PRECISIONS[i / 2 % 2]);
        let family = rng.pick(&[TransformFamily::Integer, TransformFamily::Quarter, TransformFamily::Uniform]);
        let rays = rng.pick(&[Family::Lattice, Family::Ordinary]);
        let Some(pair) = scenes::instances(dim, family, rays, precision, &mut rng) else { continue };
        let image = |body: &Body, transform: Option<PlainTransform>| match transform {
            None => Some(body.clone()),
            Some(transform) => exact_image(body, &transform, precision),
        };
        let Some(first) = image(&pair.first.body, pair.first.transform) else { continue };
        let Some(second) = image(&pair.second, pair.second_transform) else { continue };
        let first = Case { body: first, transform: None, ..pair.first.clone() };
        let bare = scenes::Pair { first, second, second_transform: None };
        let Some(answers) = bare.answers() else { continue };
        let verdict = pair.judge(&answers);
        assert_eq!(verdict.wrong, [""; 0], "{bare}\n{pair}");
        let firsts = |shape| answers[0].all.iter().find(|(n, _)| *n == shape).map(|(_, hit)| hit.t);
        ties += usize::from(firsts(0).is_some() && firsts(0) == firsts(1));
        judged += 1;
    }
    assert!(judged > 200 && ties > 100, "{judged} judged, {ties} ties");
}

/// A mesh of exactly mapped vertices has the answers of the instance; a mirror turns the order of each triangle.
#[test]
fn meshes_of_mapped_vertices_have_the_same_answers() {
    let mut rng = Rng::for_stream(26, 0);
    let (mut judged, mut hits) = (0, 0);
    for i in 0..3000 {
        let precision = PRECISIONS[i % 2];
        let family = rng.pick(&[TransformFamily::Integer, TransformFamily::Mirror, TransformFamily::Quarter]);
        let rays = rng.pick(&[Family::Lattice, Family::Edge, Family::Ordinary, Family::Surface, Family::Grazing]);
        let Some(case) = instanced_meshes::case(family, rays, precision, &mut rng) else { continue };
        let transform = case.transform.unwrap();
        let map = Affine::new(&transform);
        let vertices = case.closed.vertices.iter().map(|v| exact_point(*v, &map, precision));
        let Some(vertices) = vertices.collect::<Option<Vec<_>>>() else { continue };
        let mut closed = Closed { vertices, ..case.closed.clone() };
        if sign(&map.determinant()) < 0 {
            closed.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let bare = MeshCase { closed, transform: None, ..case.clone() };
        let Some(answers) = bare.answers() else { continue };
        let verdict = case.judge(&answers);
        assert_eq!(verdict.wrong, [""; 0], "{bare}\n{case}");
        judged += 1;
        hits += usize::from(verdict.t.is_some_and(|t| t <= 1.0));
    }
    assert!(judged > 200 && hits > 100, "{judged} judged, {hits} hit");
}
