//! Laws of one shape and one ray or segment: all queries agree, and every hit is on the shape.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::numbers::Numbers;
use crate::recipe::{Recipe, World, floats, vector};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Aabb, Faces, Hit, Inside, Query, RayCast, RayLike, Shape, Side};
use hitscan::{Real, Vector};

/// 3D shapes in `f32`.
pub fn query3_f32(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, true);
    narrow::<Vec3, DVec3>(&mut n);
}

/// 3D shapes in `f64`.
pub fn query3_f64(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, false);
    let _ = one::<DVec3>(&mut n);
}

/// 2D shapes; the first byte selects the precision.
pub fn query2(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    if mode & 4 == 0 {
        narrow::<Vec2, DVec2>(&mut n);
    } else {
        let _ = one::<DVec2>(&mut n);
    }
}

/// Shape of the input; `None` if it is invalid.
fn one<V: World>(n: &mut Numbers<'_>) -> Option<(Recipe, CastInput)> {
    let recipe = V::recipe(n);
    let shape = V::shape(&recipe)?;
    let input = CastInput::read(n, &shape.aabb());
    match input.is_segment {
        true => laws::<V>(&shape, &input.segment(), &input, n),
        false => laws::<V>(&shape, &input.ray(), &input, n),
    }
    #[cfg(feature = "oracle")]
    match input.is_segment {
        true => crate::oracle::check::<V>(&shape, &recipe, None, &input.segment(), &input),
        false => crate::oracle::check::<V>(&shape, &recipe, None, &input.ray(), &input),
    }
    Some((recipe, input))
}

/// Law: a query in `f32` has the same answer in `f64`, which represents its numbers.
fn narrow<V: World, W: World<Scalar = f64>>(n: &mut Numbers<'_>) {
    let Some((recipe, input)) = one::<V>(n) else { return };
    // Axes differ in every precision; a whole line may have hits beyond the range of f32.
    if recipe.is_turned() || input.query::<f64>().t_min() == f64::NEG_INFINITY {
        return;
    }
    let (Some(shape), Some(wide)) = (V::shape(&recipe), W::shape(&recipe)) else { return };
    match input.is_segment {
        true => twice::<V, W>(&shape, &wide, &input.segment::<V>(), &input.segment::<W>(), &input),
        false => twice::<V, W>(&shape, &wide, &input.ray::<V>(), &input.ray::<W>(), &input),
    }
}

fn twice<V: World, W: World<Scalar = f64>>(
    shape: &V::Shape,
    wide: &W::Shape,
    line: &(impl RayLike<V> + std::fmt::Debug),
    wide_line: &(impl RayLike<W> + std::fmt::Debug),
    input: &CastInput,
) {
    let (query, wide_query) = (input.query::<V::Scalar>(), input.query::<f64>());
    let (all, wide_all) = (shape.cast_ray_all(line, query), wide.cast_ray_all(wide_line, wide_query));
    let (first, wide_first) = (shape.cast_ray(line, query), wide.cast_ray(wide_line, wide_query));
    let case = || format!("{shape:?}\n{line:?}\n{query:?}\nf32 {first:?} {all:?}\nf64 {wide_first:?} {wide_all:?}");
    law(first.is_some() == wide_first.is_some(), "f64: another hit or miss", case);
    law(all.len() == wide_all.len(), "f64: another number of hits", case);
    for (a, b) in all.iter().zip(&wide_all).chain(first.iter().zip(&wide_first)) {
        // Both are within 1 ulp of the exact one.
        let t = V::Scalar::from_f64(b.t);
        let near = t.next_down() <= a.t && a.t <= t.next_up();
        law(near, "f64: another t", case);
        // Two triangles may be closer to each other than f64 can separate.
        law(a.side == b.side || V::is_mesh(shape), "f64: another side", case);
    }
    let (spans, wide_spans) = (shape.spans(line, query), wide.spans(wide_line, wide_query));
    law(spans.len() == wide_spans.len(), "f64: another number of spans", case);
    let origin = (vector::<V>(input.origin), vector::<W>(input.origin));
    law(shape.contains(origin.0) == wide.contains(origin.1), "f64: contains differs", case);
}

/// Hit in range, finite, with a unit normal. The length of a rounded unit vector has an error of at most one rounding
/// per component, 2^-1 eps each, and its square twice that; 8 eps leave room for 2 units in the last place.
pub(crate) fn sound<V: Vector>(hit: &Hit<V>, query: &Query<V::Scalar>, segment: bool) -> bool {
    let n = floats(hit.normal);
    let excess = n.iter().map(|x| x * x).sum::<f64>() - 1.0;
    let in_range = query.t_min() <= hit.t && hit.t <= query.t_max();
    let in_segment = !segment || (V::Scalar::ZERO <= hit.t && hit.t <= V::Scalar::ONE);
    let numbers = floats(hit.point).iter().all(|x| !x.is_nan()) && !hit.distance.to_f64().is_nan();
    let unit = excess.abs() <= 8.0 * V::Scalar::EPSILON.to_f64();
    in_range && in_segment && hit.t.is_finite() && unit && numbers
}

/// Normals and points of different queries may differ in their last bits, 4 eps of the largest component.
fn near<V: Vector>(a: V, b: V) -> bool {
    let size = |v: V| floats(v).iter().map(|x| x.abs()).fold(0.0, f64::max);
    a == b || size(a - b) <= 4.0 * V::Scalar::EPSILON.to_f64() * size(a).max(size(b))
}

fn same<V: Vector>(a: Option<&Hit<V>>, b: Option<&Hit<V>>, what: &str, case: impl Fn() -> String) {
    law(a.is_some() == b.is_some(), what, &case);
    if let (Some(a), Some(b)) = (a, b) {
        law((a.t, a.distance) == (b.t, b.distance), &format!("{what}: t"), &case);
        law(near(a.normal, b.normal), &format!("{what}: normal"), &case);
        // Points beyond the range have infinite components, and no difference.
        let finite = a.point.all_finite() && b.point.all_finite();
        law(!finite || near(a.point, b.point), &format!("{what}: point"), &case);
        law((a.side, a.uv) == (b.side, b.uv), &format!("{what}: side or uv"), &case);
    }
}

/// Largest distance of a hit outside the box: the rounding error of numbers of the ray's size, and two steps of the
/// smallest numbers.
fn slack<V: Vector>(input: &CastInput, t: V::Scalar) -> f64 {
    let largest = |v: [f64; 3]| v.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let magnitude = largest(input.target) + if input.is_segment { largest(input.origin) } else { 0.0 };
    let steps = 2.0 * V::Scalar::ZERO.next_up().to_f64();
    V::Scalar::EPSILON.to_f64() * (largest(input.origin) + t.to_f64().abs() * magnitude) + steps
}

fn outside<V: Vector>(aabb: &Aabb<V>, point: V) -> f64 {
    let (p, min, max) = (floats(point), floats(aabb.min), floats(aabb.max));
    (0..V::DIM).map(|i| (min[i] - p[i]).max(p[i] - max[i])).fold(0.0, f64::max)
}

fn laws<V: World>(
    shape: &V::Shape,
    line: &(impl RayLike<V> + Copy + std::fmt::Debug),
    input: &CastInput,
    n: &mut Numbers<'_>,
) {
    let query = input.query::<V::Scalar>();
    let (first, all) = (shape.cast_ray(line, query), shape.cast_ray_all(line, query));
    let hollow = shape.cast_ray_all(line, query.inside(Inside::Hollow));
    let spans = shape.spans(line, query);
    let case =
        || format!("{shape:?}\n{line:?}\n{query:?}\ncast {first:?}\nall {all:?}\nhollow {hollow:?}\nspans {spans:?}");
    let (solid, is_mesh, aabb) = (V::is_solid(shape), V::is_mesh(shape), shape.aabb());
    for hit in all.iter().chain(&first).chain(&hollow) {
        law(sound(hit, &query, input.is_segment), "a hit out of range, not finite, or without unit normal", case);
        let starts = solid && hit.side == Side::Back && hit.t == query.t_min();
        let bounded = starts || !hit.point.all_finite() || outside(&aabb, hit.point) <= slack::<V>(input, hit.t);
        law(bounded, "a hit outside of the bounds", case);
    }
    let edges = [aabb.min, aabb.max].map(floats);
    law(!edges.as_flattened().iter().any(|x| x.is_nan()), "bounds that are not numbers", || {
        format!("{aabb:?}\n{}", case())
    });
    for hits in [&all, &hollow] {
        law(hits.is_sorted_by(|a, b| a.t <= b.t), "hits not sorted", case);
    }
    law(shape.intersects_ray(line, query) == first.is_some(), "intersects_ray differs from cast_ray", case);
    law(shape.count_hits(line, query) == all.len(), "count_hits differs from cast_ray_all", case);
    // One group of four, and one more.
    let batch = [*line; 5];
    law(shape.cast_rays(&batch, query).iter().all(|hit| *hit == first), "a batch changes the hit", case);
    let any = shape.intersects_rays(&batch, query);
    law(any.iter().all(|any| *any == first.is_some()), "a batch changes whether there is a hit", case);
    law(input.is_valid::<V>() || (first.is_none() && all.is_empty() && spans.is_empty()), "no ray, but a hit", case);
    // A tangent counts for the first hit of a mesh, and not for a crossing.
    if !is_mesh {
        same(all.first(), first.as_ref(), "cast_ray_all does not begin with cast_ray", case);
    }
    law(!shape.explain(line, query).to_string().is_empty(), "no explanation", case);
    law(
        !shape.contains(vector(input.origin)) || aabb.contains(vector(input.origin)),
        "contained, not in the box",
        case,
    );
    sums::<V>(shape, line, &query, n);
    if !solid {
        law(spans.is_empty() && hollow == all, "a surface has spans", case);
        law(!shape.contains(vector(input.origin)), "a surface contains a point", case);
    } else if is_mesh {
        let forward = spans.iter().all(|s| s.enter.zip(s.exit).is_none_or(|(enter, exit)| enter.t <= exit.t));
        law(forward, "a span runs backwards", case);
    } else {
        starts::<V>(shape, line, input, case);
        if query.t_min() != -V::Scalar::INFINITY {
            // Spans are those of the full solid, whatever the rules of the query.
            let solid = shape.cast_ray(line, query.inside(Inside::Solid));
            ends(&spans, &hollow, solid.as_ref(), case);
        }
    }
}

/// Law: a solid contains a point exactly if a ray from there hits at once.
fn starts<V: World>(shape: &V::Shape, line: &impl RayLike<V>, input: &CastInput, case: impl Fn() -> String) {
    let contained = shape.contains(vector(input.origin));
    let at_once = shape.intersects_ray(line, V::Scalar::ZERO..=V::Scalar::ZERO);
    let agree = contained == at_once || !input.is_valid::<V>();
    law(agree, "contains differs from a ray's start", || {
        format!("contains {contained}, at once {at_once}\n{}", case())
    });
}

/// Law: the span of a convex solid begins and ends at a crossing of its boundary, or at an end of the range.
fn ends<V: Vector>(
    spans: &hitscan::Spans<V>,
    hollow: &hitscan::Hits<V>,
    first: Option<&Hit<V>>,
    case: impl Fn() -> String,
) {
    same(spans.first().and_then(|s| s.enter.as_ref()), first, "the first span does not begin with cast_ray", &case);
    let Some(span) = spans.first() else { return law(hollow.is_empty(), "hits without a span", &case) };
    let Some(enter) = span.enter else { return law(false, "a ray that never begins", &case) };
    let exit = span.exit.as_ref();
    let same_place = |a: &Hit<V>, b: &Hit<V>| a.t == b.t && near(a.normal, b.normal);
    let touches = exit.is_some_and(|exit| exit.t == enter.t);
    let ends = exit.is_none_or(|exit| hollow.last().is_some_and(|last| same_place(last, exit)));
    law(touches || ends, "a span does not end at the last crossing", &case);
    let enters = enter.side == Side::Front;
    let begins = !enters || hollow.first().is_some_and(|hit| same_place(hit, &enter));
    law(begins, "a span does not begin at the first crossing", &case);
    let starts_on = !enters && hollow.first().is_some_and(|hit| hit.t == enter.t);
    let ends = usize::from(enters || starts_on) + usize::from(exit.is_some());
    law(hollow.len() <= ends, "more crossings than ends", &case);
}

/// Law: counts add up over the two sides of a surface, and over the parts of a divided range.
fn sums<V: World>(
    shape: &V::Shape,
    line: &(impl RayLike<V> + std::fmt::Debug),
    query: &Query<V::Scalar>,
    n: &mut Numbers<'_>,
) {
    let (min, max, cut) = (query.t_min(), query.t_max(), V::Scalar::from_f64(n.number()));
    let hollow = query.inside(Inside::Hollow);
    let count = |query: Query<V::Scalar>| shape.count_hits(line, query);
    let case = || format!("{shape:?}\n{line:?}\n{query:?} cut at {cut:?}");
    if !V::is_solid(shape) || V::is_mesh(shape) {
        let [both, front, back] = [Faces::Both, Faces::Front, Faces::Back].map(|faces| count(hollow.faces(faces)));
        law(both == front + back, "the two sides are not both", || format!("{both} {front} {back}\n{}", case()));
    }
    if min <= cut && cut <= max {
        let [whole, before, after, at] =
            [(min, max), (min, cut), (cut, max), (cut, cut)].map(|(a, b)| count(hollow.range(a, b)));
        let report = || format!("{whole} of {before} + {after} - {at}\n{}", case());
        law(whole + at == before + after, "the parts of a range are not the whole", report);
    }
}
