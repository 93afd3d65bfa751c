//! Laws of meshes: the BVH changes nothing, single triangles give the same answers, every line crosses a closed mesh an
//! even number of times.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::numbers::Numbers;
use crate::query::sound;
use crate::recipe::vector;
use hitscan::glam::{DVec3, Vec3};
use hitscan::{Faces, Hit, Quality, Query, Ray, RayCast, RayLike, Segment, Shape, Side, Triangle, TriangleMesh};
use hitscan::{Real, Vector3};
use std::fmt::Debug;
use std::slice;

/// Meshes of up to 24 triangles; the first byte selects the precision.
pub fn mesh(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    if mode & 4 == 0 { check::<Vec3>(&mut n, mode >> 3) } else { check::<DVec3>(&mut n, mode >> 3) }
}

const TETRAHEDRON: &[[u32; 3]] = &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// Corner `i` of the cube has the coordinates of the bits of `i`.
const CUBE: &[[u32; 3]] = &[
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];
/// Corners `2 i` and `2 i + 1` are the ends of axis `i`.
const OCTAHEDRON: &[[u32; 3]] =
    &[[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
/// Two tetrahedra with a common edge.
const TWINS: &[[u32; 3]] = &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 5, 1], [0, 1, 4], [1, 5, 4], [5, 0, 4]];

/// Vertices and triangles: one of the closed meshes above with some vertices moved, or anything.
pub(crate) fn parts(n: &mut Numbers<'_>, pool: u8) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let bits = |i: usize| [i & 1, i >> 1 & 1, i >> 2 & 1].map(|bit| bit as f64);
    let ends = |i: usize| {
        let mut p = [0.0; 3];
        p[i / 2] = if i % 2 == 0 { 1.0 } else { -1.0 };
        p
    };
    let simplex = |i: usize| bits([0, 1, 2, 4, 7, 6][i]);
    let (mut vertices, mut triangles): (Vec<_>, Vec<_>) = match pool % 8 {
        1 => ((0..4).map(simplex).collect(), TETRAHEDRON.to_vec()),
        2 => ((0..8).map(bits).collect(), CUBE.to_vec()),
        3 => ((0..6).map(ends).collect(), OCTAHEDRON.to_vec()),
        4 => ((0..6).map(simplex).collect(), TWINS.to_vec()),
        // One inside the other, or twice the same.
        5 => {
            let inner = CUBE.iter().map(|t| t.map(|i| i + 8));
            ((0..8).chain(0..8).map(bits).collect(), CUBE.iter().copied().chain(inner).collect())
        }
        // No two triangles share a vertex index.
        6 => {
            let soup = TETRAHEDRON.iter().flatten().map(|&i| simplex(i as usize)).collect();
            (soup, (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
        }
        _ => (Vec::new(), Vec::new()),
    };
    if vertices.is_empty() {
        let count = 3 + usize::from(n.byte() % 10);
        vertices = (0..count).map(|_| n.point(3)).collect();
        let corner = |n: &mut Numbers<'_>| u32::from(n.byte()) % count as u32;
        triangles = (0..1 + n.byte() % 24).map(|_| [corner(n), corner(n), corner(n)]).collect();
    } else {
        for _ in 0..n.byte() % 9 {
            let moved = usize::from(n.byte()) % vertices.len();
            vertices[moved] = n.point(3);
        }
        // Sometimes a hole, or a reversed face.
        match n.byte() {
            1 => drop(triangles.pop()),
            2 => triangles[0].swap(1, 2),
            _ => {}
        }
    }
    n.note_all([1.0]);
    (vertices, triangles)
}

fn check<V: Vector3>(n: &mut Numbers<'_>, pool: u8) {
    let (vertices, triangles) = parts(n, pool);
    let vertices: Vec<V> = vertices.into_iter().map(vector).collect();
    let made = |quality| TriangleMesh::<V>::with_quality(vertices.clone(), triangles.clone(), quality);
    let (Ok(mesh), Ok(high)) = (made(Quality::Default), made(Quality::High)) else { return };
    let meshes = [mesh.linear_scan(), mesh, high];
    let mesh = &meshes[1];
    let corner = |n: &mut Numbers<'_>| mesh.vertices()[usize::from(n.byte()) % mesh.vertices().len()];
    for _ in 0..1 + n.byte() % 2 {
        let mut input = CastInput::read(n, &mesh.aabb());
        // At a vertex, or at the midpoint of two: an edge, a diagonal.
        if n.byte() % 2 == 1 {
            let half = V::Scalar::from_f64(0.5);
            let middle = corner(n) * half + corner(n) * half;
            let origin: V = vector(input.origin);
            input.target = (if input.is_segment { middle } else { middle - origin }).to_xyz().map(Real::to_f64);
            n.note_all(input.target);
        }
        match input.is_segment {
            true => laws(&meshes, &input.segment(), &input, n),
            false => laws(&meshes, &input.ray(), &input, n),
        }
    }
}

/// Half the length of a batch, less a few rays.
const PIECE: usize = 128;

/// Selects slow checks for some rays, by their numbers.
fn one_in_32(input: &CastInput) -> bool {
    let mix = |sum: u64, x: &f64| (sum ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    input.origin.iter().chain(&input.target).fold(7, mix) >> 59 == 0
}

/// Mesh by linear scan, by BVH, and by BVH with spatial splits.
fn laws<V: Vector3>(
    meshes: &[TriangleMesh<V>; 3],
    line: &(impl RayLike<V> + Debug + Copy),
    input: &CastInput,
    n: &Numbers<'_>,
) {
    let [linear, mesh, high] = meshes;
    let query = input.query::<V::Scalar>();
    let origin: V = vector(input.origin);
    let case = || format!("{:?}\n{:?}\n{line:?}\n{query:?}", mesh.vertices(), mesh.triangles());
    for query in [query, Query::line().faces(query.faces_mode())] {
        let (first, all) = (mesh.cast_ray(line, query), mesh.cast_ray_all(line, query));
        let case = || format!("{}\nasked {query:?}\ncast {first:?}\nall {all:?}", case());
        for other in [linear, high] {
            law(first == other.cast_ray(line, query), "mesh: the tree changes the first hit", case);
            law(all == other.cast_ray_all(line, query), "mesh: the tree changes the hits", case);
            law(mesh.spans(line, query) == other.spans(line, query), "mesh: the tree changes the spans", case);
        }
        for mesh in meshes {
            law(mesh.cast_rays(slice::from_ref(line), query) == [first], "mesh: the batch changes the hit", case);
            law(mesh.intersects_ray(line, query) == first.is_some(), "mesh: intersects_ray differs", case);
            law(mesh.count_hits(line, query) == all.len(), "mesh: count_hits differs", case);
        }
        // A batch of equal rays long enough for the traversal of ray streams.
        if size_of::<V::Scalar>() == 4 && one_in_32(input) {
            let batch = [*line; 2 * PIECE + 8];
            law(mesh.cast_rays(&batch, query).iter().all(|hit| *hit == first), "mesh: a stream changes the hit", case);
            let any = mesh.intersects_rays(&batch, query);
            law(any.iter().all(|any| *any == first.is_some()), "mesh: a stream changes whether there is a hit", case);
        }
        let spans = mesh.spans(line, query);
        let ends = spans.iter().flat_map(|span| [span.enter, span.exit]).flatten();
        for hit in all.iter().copied().chain(first).chain(ends) {
            let case = || format!("{}\nhit {hit:?}", case());
            law(sound(&hit, &query, input.is_segment), "mesh: a hit that is none", case);
        }
        law(all.is_sorted_by(|a, b| a.t <= b.t), "mesh: hits not sorted", case);
        law(first.is_some() || all.is_empty(), "mesh: crossed but not hit", case);
        alone(mesh, line, &query, first.as_ref(), case);
    }
    for point in mesh.vertices().iter().copied().take(2).chain([origin]) {
        law(mesh.contains(point) == linear.contains(point), "mesh: the tree changes what is contained", case);
        law(!mesh.contains(point) || mesh.aabb().contains(point), "mesh: contained, not in the box", case);
    }
    if mesh.topology().is_closed() && input.is_valid::<V>() && n.tame() {
        closed(mesh, input, case);
    }
    let outside = |end: [f64; 3]| vector::<V>(end).all_finite() && !mesh.aabb().contains(vector(end));
    if mesh.topology().is_closed() && input.is_segment && outside(input.origin) && outside(input.target) {
        passed(mesh, &input.segment(), case);
    }
}

/// Law: a segment that begins and ends outside enters as often as it leaves, for any numbers.
fn passed<V: Vector3>(mesh: &TriangleMesh<V>, segment: &Segment<V>, case: impl Fn() -> String) {
    let all = mesh.cast_ray_all(segment, ..);
    let spans = mesh.spans(segment, ..);
    let case = || format!("{}\npassed {all:?}\n{spans:?}", case());
    let fronts = all.iter().filter(|hit| hit.side == Side::Front).count();
    let is_balanced = mesh.topology().unbalanced_edges == 0;
    law(!is_balanced || 2 * fronts == all.len(), "mesh: closed, but not left as often as entered by a segment", case);
    let paired = spans.iter().all(|s| s.enter.zip(s.exit).is_some_and(|(enter, exit)| enter.t <= exit.t));
    law(paired && spans.is_empty() == all.is_empty(), "mesh: spans of a segment unpaired", case);
}

/// Law: the first of the nearest triangles, tested one by one, is the hit.
fn alone<V: Vector3>(
    mesh: &TriangleMesh<V>,
    line: &impl RayLike<V>,
    query: &Query<V::Scalar>,
    first: Option<&Hit<V>>,
    case: impl Fn() -> String,
) {
    let triangle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.vertices()[i as usize]);
        Triangle::new(a, b, c)
    };
    let shapes: Vec<_> = mesh.triangles().iter().map(triangle).collect();
    let hits = shapes.iter().map(|shape| shape.as_ref().ok().and_then(|shape| shape.cast_ray(line, *query)));
    let nearest = hits.enumerate().filter_map(|(i, hit)| Some((i as u32, hit?)));
    let nearest = nearest.reduce(|a, b| if b.1.t < a.1.t { b } else { a });
    let report = || format!("{}\nalone {nearest:?}", case());
    match (first, &nearest) {
        (None, None) => {}
        (Some(hit), Some((i, alone))) => {
            // Each is within 1 ulp of the exact one; near the midpoint of two numbers they may round differently.
            let near = alone.t.next_down() <= hit.t && hit.t <= alone.t.next_up();
            law(near, "mesh: a triangle alone is hit elsewhere", report);
            // The rounded t of different triangles may be equal.
            let known = hit.primitive.is_some_and(|i| shapes[i as usize].is_ok());
            let first = hit.primitive >= Some(*i) || hit.t != alone.t;
            law(!known || first, "mesh: not the first of the nearest triangles", report);
        }
        // Triangles whose area underflows are not valid shapes.
        (Some(hit), None) => {
            let i = hit.primitive.unwrap_or(0) as usize;
            law(shapes[i].is_err(), "mesh: hit, though the triangle alone is not", report);
        }
        (None, Some(_)) => law(false, "mesh: missed, though a triangle alone is hit", report),
    }
}

/// Law: every line crosses a closed surface as often inward as outward, and equally often before and after a point that
/// it contains.
fn closed<V: Vector3>(mesh: &TriangleMesh<V>, input: &CastInput, case: impl Fn() -> String) {
    let origin: V = vector(input.origin);
    let end: V = vector(input.target);
    let ray = if input.is_segment { Ray::new(origin, end - origin) } else { Ray::new(origin, end) };
    if ray.direction.is_zero() {
        return;
    }
    let all = mesh.cast_ray_all(&ray, Query::line());
    let case = || format!("{}\nline {all:?}", case());
    let fronts = all.iter().filter(|hit| hit.side == Side::Front).count();
    // Triangles may face anywhere, and some may be there twice: hits have both, insides count them once or not at all.
    let (is_balanced, is_simple) = (mesh.topology().unbalanced_edges == 0, mesh.topology().repeated_triangles == 0);
    law(!is_simple || all.len() % 2 == 0, "mesh: closed, but crossed an odd number of times", case);
    law(!is_balanced || 2 * fronts == all.len(), "mesh: closed, but not left as often as entered", case);
    let fronts_alone = mesh.count_hits(&ray, Query::line().faces(Faces::Front));
    law(fronts_alone == fronts, "mesh: fronts alone are others", case);
    let spans = mesh.spans(&ray, Query::line());
    let paired = spans.iter().all(|s| s.enter.zip(s.exit).is_some_and(|(enter, exit)| enter.t <= exit.t));
    law(paired && spans.is_empty() == all.is_empty(), "mesh: spans unpaired", case);
    // The point is off the surface: it is inside if the ray from it crosses the surface an odd number of times.
    let zero = V::Scalar::ZERO;
    let axis = |i: usize| {
        let mut along = [zero; 3];
        along[i] = V::Scalar::ONE;
        Ray::new(origin, V::from_xyz(along))
    };
    let on_surface = [ray, axis(0), axis(1), axis(2)].iter().any(|ray| mesh.intersects_ray(ray, zero..=zero));
    let contained = mesh.contains(origin);
    if on_surface {
        law(contained, "mesh: closed, but does not contain its boundary", case);
    } else {
        let crossings = mesh.count_hits(&ray, ..);
        law(!is_simple || contained == (crossings % 2 == 1), "mesh: contains differs from the crossings of a ray", case);
    }
}
