//! Extreme exponents: each of these cases was once answered wrongly.

use crate::support::{Rng, Sample, rounds};
use hitscan::glam::{DVec2, DVec3, Vec3};
use hitscan::{
    Basis, Capsule, Cone, Cylinder, Disk, Frustum, HalfSpace, OrientedBox, Query, Ray, RayCast, SceneBuilder, Segment,
    SegmentShape, Shape, Side, Sphere, TaperedCapsule, Triangle, Triangle2, TriangleMesh,
};
use hitscan::{Real, Vector3};

/// A needle whose long edges the line crosses at parameters that differ by a part in 2^1170. Exact numbers of
/// the vertical edge have two limbs, those of the other one twenty.
///
/// ```text
///   a +.
///     |  ` c      x from 0 to 1e-323, y from -2.5e30 to 3.1e30
///   b +
/// ```
#[test]
fn a_needle_is_entered_and_left() {
    let (a, b) = (DVec2::new(0.0, 2.535301200456459e30), DVec2::new(0.0, -2.535301200456459e30));
    let needle = Triangle2::new(a, b, DVec2::new(1e-323, 3.133891801741284e30)).unwrap();
    let ray = Ray::new(
        DVec2::new(1.0739728487472503e29, 1.8064235928725935e30),
        DVec2::new(-1.367261129176044e-21, 3.5480101824335324e-21),
    );
    let hits = needle.cast_ray_all(&ray, ..);
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].t, hits[1].t);
    assert!(needle.spans(&ray, ..)[0].exit.is_some());
    // Through a vertex, both edges are crossed at the same point, which is one hit.
    let down = Ray::new(DVec2::new(-1.0, 2.535301200456459e30), DVec2::new(3.0, 0.0));
    assert_eq!(needle.count_hits(&down, ..), 2);
    let touching = Ray::new(DVec2::new(-1.0, 3.133891801741284e30), DVec2::new(3.0, 0.0));
    assert_eq!(needle.count_hits(&touching, ..), 1);
}

/// The cap of a cylinder is tilted by less than the smallest number, but is so wide that it still rises above its
/// center.
#[test]
fn the_box_of_a_wide_cylinder_holds_its_tilted_cap() {
    let a = DVec3::new(-4.713053352670845e-224, -4.746364294084124e-224, -8.350809717525622e127);
    let wide =
        Cylinder::new(a, DVec3::new(2.744952488466308e-306, 6.7493764e-317, 0.0), 2.3398567033893556e170).unwrap();
    let point = DVec3::new(8.360790250050475e100, -2.7185976554693846e169, 4.85728e-318);
    assert!(wide.contains(point) && wide.aabb().contains(point));
    // Without the tilt, the box is as flat as the cylinder.
    let upright = Cylinder::new(DVec3::ZERO, DVec3::Z, 1e300).unwrap();
    assert!(upright.aabb().max.z < 1.0 + 1e-9);
}

/// A product of a rotated axis and a point underflows in `f64`: the flat rectangle contains no point beside it.
#[test]
fn a_turned_rectangle_without_width() {
    let s = 8.642968113014195e-266;
    let basis = Basis::new([DVec2::new(s, 1.0), DVec2::new(-1.0, s)]).unwrap();
    let flat = OrientedBox::new(DVec2::ZERO, DVec2::new(0.0, 1.1084075472587223e265), basis).unwrap();
    let beside = DVec2::new(5.231993351374803e-304, 0.0);
    assert!(!flat.contains(beside) && flat.contains(DVec2::ZERO));
    let ray = Ray::new(beside, DVec2::new(-1.0, 0.0));
    assert!(!flat.intersects_ray(&ray, 0.0..=0.0) && flat.intersects_ray(&ray, ..));
}

/// The distance is half way between two numbers, up to a part in 1e550: a span begins at the hit of `cast_ray`, bit for
/// bit.
#[test]
fn a_span_begins_with_the_first_hit() {
    let half = HalfSpace::new(DVec2::splat(2.5), DVec2::splat(2.5)).unwrap();
    let segment = Segment::new(DVec2::ZERO, DVec2::new(-3145728.0, 3.801355775297346e-269));
    let query = Query::from(7.752249742643814e-304..=2.5);
    for query in [query, query.inside(hitscan::Inside::Hollow)] {
        let first = half.cast_ray(&segment, query.inside(hitscan::Inside::Solid)).unwrap();
        assert_eq!(half.spans(&segment, query)[0].enter, Some(first));
    }
}

/// Near the apex of a cone, along its side: the normal is that of the crossed side, to the last place.
#[test]
fn the_normal_beside_a_generator() {
    let cases = [
        (
            [2.123_418_8, 0.0, 0.0, -2.123_434_3, 0.0, 0.0, 2.209_103],
            [2.123_419, -0.195_871_35, 2.200_435, -4.246_838, 0.195_869_5, -2.200_433_3],
        ),
        (
            [9.373_494, -3.287_412, 17.984_262, 9.268_953, -3.286_681_4, 14.849_613, 0.603_052_9],
            [9.068_925, -2.767_019, 17.994_541, 0.200_029_4, -0.519_665_84, -3.144_928_2],
        ),
    ];
    for (c, r) in cases {
        let cone = Cone::new(Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]), c[6]).unwrap();
        let ray = Ray::new(Vec3::new(r[0], r[1], r[2]), Vec3::new(r[3], r[4], r[5]));
        // The same numbers in `f64`, whose answer has all digits of `f32` and more.
        let (base, apex) = (cone.base().as_dvec3(), cone.apex().as_dvec3());
        let double = Cone::new(base, apex, f64::from(cone.radius())).unwrap();
        let ray_f64 = Ray::new(ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let (hits, exact) = (cone.cast_ray_all(&ray, Query::line()), double.cast_ray_all(&ray_f64, Query::line()));
        assert_eq!(hits.len(), exact.len());
        for (hit, exact) in hits.iter().zip(&exact) {
            let off = (hit.normal.as_dvec3() - exact.normal).abs().max_element();
            assert!(off <= f64::from(f32::EPSILON), "{off:e} at t = {}", hit.t);
        }
    }
}

/// The line enters at a subnormal `t`, which double-double numbers cannot represent: the entry must not be lost.
#[test]
fn entered_at_a_subnormal_parameter() {
    let corners = [DVec2::ZERO, DVec2::new(-0.16666666666666666, 0.0), DVec2::new(0.5, 3.0)];
    let triangle = Triangle2::new(corners[0], corners[1], corners[2]).unwrap();
    let segment =
        Segment::new(DVec2::new(2.564135912195897e-309, 0.0), DVec2::new(0.15294117647058825, 5.082352941176471));
    let first = triangle.cast_ray(&segment, ..).unwrap();
    assert!(first.t > 0.0 && first.t < 1e-307 && first.side == Side::Front);
    assert_eq!(triangle.count_hits(&segment, ..), 2);
    assert_eq!(triangle.spans(&segment, ..)[0].enter, Some(first));
}

/// A component of the axis that is negligible in double-double arithmetic, which computes the last digits.
#[test]
fn a_capsule_turned_by_the_smallest_number() {
    let end = 1e6;
    let capsule = |x| Capsule::new(DVec3::ZERO, DVec3::new(x, end, 0.0), 1.0).unwrap();
    let ray = Ray::new(DVec3::new(-5.0, 500.0, 0.25), DVec3::new(1.0, 1e-3, 0.0));
    let upright = capsule(0.0).cast_ray(&ray, ..).unwrap();
    assert_eq!(capsule(5e-324).cast_ray(&ray, ..), Some(upright));
}

/// Axes so short relative to the radius that terms of the discriminant are subnormal: a capsule is then nearly a ball,
/// and a cylinder nearly a disk.
#[test]
fn axes_of_almost_no_length() {
    let (center, radius) = (DVec3::ZERO, 1.0);
    let ball = Sphere::new(center, radius).unwrap();
    let disk = Disk::new(center, DVec3::new(3.0, 5.0, 7.0), radius).unwrap();
    for exponent in (100..=1000).step_by(8) {
        let end = DVec3::new(3.0, 5.0, 7.0) * 2f64.powi(-exponent);
        let capsule = Capsule::new(center, end, radius).unwrap();
        let tapered = TaperedCapsule::new(center, end, radius, radius).unwrap();
        let one_ball = TaperedCapsule::new(end, center, 0.75, radius).unwrap();
        let cylinder = Cylinder::new(center, end, radius).unwrap();
        let cone = Cone::new(end, center, radius).unwrap();
        let frustum = Frustum::new(center, end, radius, 0.75).unwrap();
        let mut rng = Rng::new(exponent.unsigned_abs().into());
        for _ in 0..rounds(40) {
            let direction: DVec3 = rng.in_cube();
            let beside = direction.cross(rng.in_cube()).normalize() * rng.between(0.98, 1.02);
            let ray = Ray::new(beside - direction, direction);
            let hit = ball.cast_ray(&ray, ..).map(|hit| (hit.t, hit.side));
            assert_eq!(capsule.cast_ray(&ray, ..).map(|hit| (hit.t, hit.side)), hit, "2^-{exponent}: {ray:?}");
            for shape in [tapered, one_ball] {
                assert_eq!(shape.cast_ray(&ray, ..).map(|hit| (hit.t, hit.side)), hit, "2^-{exponent}: {ray:?}");
            }
            // From the center of the disk to the rim, from above or below.
            let across = disk.normal().cross(rng.in_cube()).normalize() * rng.between(0.98, 1.02);
            let ray = Ray::new(across - direction, direction);
            let t = disk.cast_ray(&ray, ..).map(|hit| hit.t);
            assert_eq!(cylinder.cast_ray(&ray, ..).map(|hit| hit.t), t, "cylinder 2^-{exponent}: {ray:?}");
            assert_eq!(cone.cast_ray(&ray, ..).map(|hit| hit.t), t, "cone 2^-{exponent}: {ray:?}");
            assert_eq!(frustum.cast_ray(&ray, ..).map(|hit| hit.t), t, "frustum 2^-{exponent}: {ray:?}");
        }
    }
}

/// Distances of a few of the smallest numbers from a corner, a plane and the ends of a segment: the answers are those
/// in units 2^1050 times as large.
#[test]
fn beside_a_corner_by_the_smallest_numbers() {
    let (smallest, unit) = (5e-324, 5e-324 * 2f64.powi(500) * 2f64.powi(550));
    let mut rng = Rng::new(12);
    for _ in 0..3000 {
        let whole = DVec3::new(0.0, 0.0, 0.0).map(|_| rng.below(17) as f64 - 8.0);
        let (direction, normal) = (rng.in_cube::<DVec3>(), rng.in_cube());
        let (b, c) = (rng.in_cube(), rng.in_cube());
        let Ok(triangle) = Triangle::new(DVec3::ZERO, b, c) else { continue };
        let below = HalfSpace::new(DVec3::ZERO, normal).unwrap();
        let segment = SegmentShape::new(DVec2::ZERO, DVec2::new(b.x, b.y)).unwrap();
        let flat = |v: DVec3| DVec2::new(v.x, v.y);
        let [near, far] = [smallest, unit].map(|unit| {
            let ray = Ray::new(whole * unit, direction);
            let t = |hit: Option<hitscan::Hit<DVec3>>| hit.map(|hit| hit.t * (smallest / unit));
            let beside = Ray::new(flat(whole) * unit, flat(direction));
            (
                [t(triangle.cast_ray(&ray, ..)), t(below.cast_ray(&ray, ..))],
                segment.cast_ray(&beside, ..).map(|hit| hit.t * (smallest / unit)),
                below.contains(ray.origin),
            )
        });
        assert_eq!(near, far, "{whole} along {direction}: {triangle:?}, {below:?}, {segment:?}");
    }
}

/// A capsule as wide as the range of numbers: its box was wrong because sums with the radius overflowed, and scenes
/// missed it.
#[test]
fn the_box_of_the_widest_capsule_holds_it() {
    let (a, b) = (DVec2::new(-5.2e304, 1.5e306), DVec2::new(-5.7e304, 1.6e306));
    let capsule = Capsule::new(a, b, f64::MAX).unwrap();
    let point = DVec2::new(-1.9e305, 9.4e-184);
    assert!(capsule.contains(point) && capsule.aabb().contains(point));
    let mut scene = SceneBuilder::new();
    scene.add(capsule).unwrap();
    scene.add(capsule).unwrap();
    let ray = Ray::new(point, DVec2::new(1.6e-31, 2.2e-31));
    assert_eq!(scene.build().cast_ray(&ray, ..).map(|hit| hit.t), Some(0.0));
}

/// Found by fuzzing: the differences of these vertices are equal in `f64`.
#[test]
fn a_needle_is_no_line_and_a_line_no_triangle() {
    let far = Vec3::new(-1.25, -1.25, -320.0) * 91f32.exp2();
    let needle = Triangle::new(far, -Vec3::Y, Vec3::Z).expect("three corners of a triangle");
    let ray = Ray::new(Vec3::splat(-2.5), Vec3::new(3.5, 2.5, 2.5));
    // 0.7131652661064426 in exact fractions.
    assert_eq!(needle.cast_ray(&ray, ..).map(|hit| hit.t), Some(0.713_165_3));
    let step = Vec3::new(0.1, 0.2, 0.3);
    assert!(Triangle::new(Vec3::ZERO, step, step * 2.0).is_err());
    assert!(Triangle::new(Vec3::ZERO, step, step.with_z(step.z.next_up()) * 2.0).is_ok());
    let (most, least) = (DVec3::MAX, DVec3::X * f64::from_bits(1));
    assert!(Triangle::new(most, -most, DVec3::ZERO).is_err());
    assert!(Triangle::new(most, -most, least).is_ok());
}

/// The difference of the ends overflows: a mesh once returned a hit with a NaN point and a zero normal.
#[test]
fn a_segment_longer_than_the_largest_number_through_a_mesh() {
    let corners = [
        DVec3::new(2.808116335296552e51, 1.6845696408825752, -5e-324),
        DVec3::new(1.0, -2.761398421677695e-133, -1.6769797083807347e176),
        DVec3::new(6.152871985699455e-49, 7.128074275936421e39, -1.0),
        DVec3::new(-2.8355633174981265e107, -1.2124784399587339e235, -5e-324),
    ];
    let a = DVec3::new(f64::MAX, 9.812426840179009e-84, 1.0);
    let segment = Segment::new(a, DVec3::new(f64::MIN, -1.2124784399587339e235, -1.0));
    for triangle in [[0, 3, 1], [2, 3, 0]] {
        let mesh = TriangleMesh::new(corners.to_vec(), vec![triangle.map(|i| i as u32)]).expect("a mesh");
        let [a, b, c] = triangle.map(|i| corners[i]);
        let alone = Triangle::new(a, b, c).expect("a triangle").cast_ray(&segment, ..).expect("a hit");
        let hit = mesh.cast_ray(&segment, ..).expect("a hit");
        assert!(hit.point.is_finite() && hit.normal.is_normalized(), "{hit:?}");
        assert_eq!((hit.t, hit.point, hit.normal, hit.side), (alone.t, alone.point, alone.normal, alone.side));
    }
}

/// The same in a cube: if the range began inside, the first point was NaN.
#[test]
fn a_segment_longer_than_the_largest_number_from_within_a_mesh() {
    let far = 1e308;
    let corners = (0..8).map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -far } else { far }).into()).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cube = TriangleMesh::new(corners, sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect());
    let segment = Segment::new(DVec3::new(f64::MIN, 0.0, 0.25), DVec3::new(f64::MAX, 0.0, 0.25));
    let cube = cube.expect("a cube");
    assert!(cube.cast_ray(&segment, 0.25..).is_some_and(|hit| hit.point.x == far), "its box is not lost");
    let spans = cube.spans(&segment, 0.375..);
    let (enter, exit) = (spans[0].enter.expect("a start"), spans[0].exit.expect("an exit"));
    assert_eq!((spans.len(), enter.t, enter.side), (1, 0.375, Side::Back));
    assert_eq!(enter.point, DVec3::new(f64::MIN * 0.25, 0.0, 0.25));
    assert_eq!((enter.normal, exit.point), (DVec3::NEG_X, DVec3::new(far, 0.0, 0.25)));
}

/// Entry and exit at an eighth of the smallest number's inverse, and beyond: before and after the range of finite `t`.
fn entered_beyond_the_numbers_of_t<V: Vector3>(smallest: V::Scalar) {
    let vector = |xyz: [f64; 3]| V::from_xyz(xyz.map(V::Scalar::from_f64));
    let corners = (0..8).map(|i| vector([0, 1, 2].map(|axis| f64::from(8 * (i >> axis & 1))))).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let cube = TriangleMesh::<V>::new(corners, faces).expect("a cube");
    let ball = Sphere::new(vector([4.0; 3]), V::Scalar::from_f64(4.0)).expect("a ball");
    let zero = V::Scalar::ZERO;
    let spans = |x: f64| {
        let ray = Ray::new(vector([x, 4.0, 4.0]), V::from_xyz([smallest, zero, zero]));
        [cube.spans(&ray, Query::line()), ball.spans(&ray, Query::line())]
    };
    for spans in spans(8.0) {
        assert_eq!(spans.len(), 1);
        assert!(spans[0].enter.is_none() && spans[0].exit.is_some_and(|exit| exit.t == zero), "{spans:?}");
    }
    for spans in spans(0.0) {
        assert_eq!(spans.len(), 1);
        assert!(spans[0].enter.is_some_and(|enter| enter.t == zero) && spans[0].exit.is_none(), "{spans:?}");
    }
    assert!(spans(-4.0).iter().chain(&spans(12.0)).all(hitscan::Spans::is_empty));
}

#[test]
fn spans_that_begin_or_end_beyond_the_numbers_of_t() {
    entered_beyond_the_numbers_of_t::<Vec3>(f32::from_bits(1));
    entered_beyond_the_numbers_of_t::<DVec3>(f64::from_bits(1));
}

/// The origin lies outside, beside the small end of an axis 2^1635 times as long as the radius: `t` of the entry is far below the
/// smallest number, but greater than zero.
#[test]
fn a_needle_of_a_capsule_is_entered_after_the_origin() {
    let ends = [
        DVec3::new(4.696420315351348e-296, -5.529420155218372e-296, 7.475102707912205e196),
        DVec3::new(4.825714694610692e-296, -5.529420155218372e-296, 5.366062371495375e-296),
    ];
    let capsule = Capsule::new(ends[0], ends[1], 1.3740453402608762e-298).unwrap();
    let ray = Ray::new(
        DVec3::new(4.7953123922837e-296, -5.657552710525855e-296, 5.361663580336313e-296),
        DVec3::new(7.62669774770778e81, 2.337705648235629e82, 5.63094654993203e79),
    );
    let hit = capsule.cast_ray(&ray, ..).unwrap();
    assert_eq!((hit.t, hit.side), (0.0, Side::Front));
    assert!(hit.distance > 0.0 && !capsule.contains(ray.origin));
    assert_eq!(capsule.count_hits(&ray, ..), 2);
}

/// The normal of a cylinder whose axis is 2^1022 times as long as its radius: the part along the axis is a rounding error of 10^23,
/// until exact numbers show that it is none.
#[test]
fn the_normal_of_the_longest_cylinder() {
    let (a, b) = (
        DVec3::new(1.7976931348623157e308, -13.83978687940045, 5.92763240295539e183),
        DVec3::new(-7.020410194100648, -8.980403294565576, 12.77546292417902),
    );
    let cylinder = Cylinder::new(a, b, 6.474005352771575).unwrap();
    let ray = Ray::new(
        DVec3::new(920.2822377558784, -14.833387348075048, -51.44393636283432),
        DVec3::new(-1.3331112043076607e-213, 5.9637186660386155e-217, 9.881228695324182e-215),
    );
    let hit = cylinder.cast_ray(&ray, ..).unwrap();
    let truth = DVec3::new(0.0, -0.8474104272816372, -0.5309383841222568);
    assert!((hit.normal - truth).length() < 1e-15, "{:?}", hit.normal);
}
