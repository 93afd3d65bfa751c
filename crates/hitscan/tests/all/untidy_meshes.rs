//! Meshes that are closed but untidy: triangles that are turned, repeated, or walls between solids. What is inside is a matter of
//! parity.

use crate::support::meshes::{MeshArrays, build, icosphere, slivers, torus};
use crate::support::{Rng, Sample, rounds};
use hitscan::glam::{DVec3, Vec3};
use hitscan::{
    AnyShape3, Group, Object, ObjectId, OverlapQuery, PointQuery, Query, Ray, RayCast, RayColumns, Real, Scene, Shape,
    Shard, Side, Sphere, Topology, Transform, TriangleMesh, Vector, Vector3,
};
use std::sync::Arc;

/// The corners of a box, and its faces as quadrilaterals that face outward.
const QUADS: [[u32; 4]; 6] = [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [2, 3, 7, 6], [0, 4, 7, 3], [1, 2, 6, 5]];

fn corners([low, high]: [[f64; 3]; 2]) -> [[f64; 3]; 8] {
    let [[a, b, c], [x, y, z]] = [low, high];
    [[a, b, c], [x, b, c], [x, y, c], [a, y, c], [a, b, z], [x, b, z], [x, y, z], [a, y, z]]
}

/// A quadrilateral as two triangles. The diagonal goes through the lowest corner, so boxes that share a wall have it in common.
fn halves(vertices: &[[f64; 3]], quad: [u32; 4]) -> [[u32; 3]; 2] {
    let lower = |a: &usize, b: &usize| vertices[quad[*a] as usize].partial_cmp(&vertices[quad[*b] as usize]).unwrap();
    let lowest = (0..4).min_by(lower).unwrap();
    let at = |i: usize| quad[(lowest + i) % 4];
    [[at(0), at(1), at(2)], [at(0), at(2), at(3)]]
}

/// Boxes, each with triangles of its own that face outward.
pub(crate) fn boxes(of: &[[[f64; 3]; 2]]) -> MeshArrays {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &ends in of {
        let first = vertices.len() as u32;
        vertices.extend(corners(ends));
        triangles.extend(QUADS.iter().flat_map(|q| halves(&vertices, q.map(|i| i + first))));
    }
    (vertices, triangles)
}

pub(crate) const UNIT: [[f64; 3]; 2] = [[0.0; 3], [1.0; 3]];

pub(crate) fn cube() -> MeshArrays {
    boxes(&[UNIT])
}

pub(crate) fn turned(mut mesh: MeshArrays, is_turned: impl Fn(usize) -> bool) -> MeshArrays {
    for (number, triangle) in mesh.1.iter_mut().enumerate() {
        if is_turned(number) {
            triangle.swap(1, 2);
        }
    }
    mesh
}

/// The mesh, with some of its triangles once more at the end.
pub(crate) fn repeated(mut mesh: MeshArrays, is_repeated: impl Fn(usize) -> bool) -> MeshArrays {
    let more: Vec<_> = mesh.1.iter().enumerate().filter(|(i, _)| is_repeated(*i)).map(|(_, t)| *t).collect();
    mesh.1.extend(more);
    mesh
}

macro_rules! check_unit_cube {
    ($name:ident, $vector:ty) => {
        /// Checks that every query finds the solid of a unit cube.
        fn $name(arrays: MeshArrays, what: &str) {
            type V = $vector;
            let mesh = build::<V>(arrays);
            let number = <V as Vector>::Scalar::from_f64;
            let point = |x: f64, y: f64, z: f64| V::from_xyz([x, y, z].map(number));
            assert!(mesh.topology().is_closed() && mesh.topology().odd_edges == 0, "{what}: {:?}", mesh.topology());
            // Points: the middle, one outside.
            let middle = point(0.5, 0.5, 0.5);
            assert!(mesh.contains(middle), "{what}");
            assert_eq!(mesh.signed_distance(middle), Some(number(-0.5)), "{what}");
            assert_eq!(mesh.signed_distance(point(0.5, 0.25, 2.0)), Some(number(1.0)), "{what}");
            let small = |at: V| Sphere::new(at, number(0.125)).unwrap();
            assert!(mesh.overlaps(small(middle)) && !mesh.overlaps(small(point(0.5, 0.5, 2.0))), "{what}");
            // Lines: one span through the cube, whose thickness is 1 from each side.
            for axis in 0..3 {
                for sign in [-1.0, 1.0] {
                    let [mut from, mut along] = [[0.375, 0.25, 0.625], [0.0; 3]];
                    (from[axis], along[axis]) = (0.5 - 2.5 * sign, sign);
                    let ray = Ray::new(point(from[0], from[1], from[2]), point(along[0], along[1], along[2]));
                    let spans = mesh.spans(&ray, ..);
                    let ends: Vec<_> = spans.iter().map(|span| (span.enter.unwrap().t, span.exit.unwrap().t)).collect();
                    assert_eq!(ends, [(number(2.0), number(3.0))], "{what}: {ray:?}");
                    for hit in mesh.cast_ray_all(&ray, ..).iter() {
                        assert_eq!(mesh.thickness(hit).map(|found| found.length), Some(number(1.0)), "{what}: {hit:?}");
                    }
                    // A range that begins inside.
                    let inner = mesh.spans(&ray, number(2.25)..);
                    assert_eq!((inner.len(), inner[0].enter.unwrap().t), (1, number(2.25)), "{what}");
                }
            }
            // A scene, a group in it and a mirrored instance agree.
            let mesh = Arc::new(mesh);
            let mut scene = Scene::<V>::new();
            let mirror = Transform::identity().with_scale(point(-1.0, 2.0, 1.0)).unwrap();
            scene.insert(Object::new(mesh.clone()).with_transform(mirror)).unwrap();
            let inside = point(-0.5, 1.0, 0.5);
            assert!(scene.contains(inside), "{what}");
            assert_eq!(scene.signed_distance(inside), Some(number(-0.5)), "{what}");
            let ray = Ray::new(point(-0.375, -1.0, 0.25), point(0.0, 1.0, 0.0));
            let spans = scene.spans(&ray, ..);
            assert_eq!(
                (spans.len(), spans[0].enter.unwrap().t, spans[0].exit.unwrap().t),
                (1, number(1.0), number(3.0))
            );
            let hit = scene.cast_ray(&ray, ..).unwrap();
            assert_eq!(scene.thickness(&hit).map(|found| found.length), Some(number(2.0)), "{what}");
            let mut members = Scene::<V>::new();
            members.insert(Object::new(mesh)).unwrap();
            let mut of_groups = Scene::<V>::new();
            of_groups.insert(Object::new(Group::new(members).unwrap())).unwrap();
            assert!(of_groups.contains(middle) && of_groups.signed_distance(middle) == Some(number(-0.5)), "{what}");
        }
    };
}
check_unit_cube!(check_in_f32, Vec3);
check_unit_cube!(check_in_f64, DVec3);

fn check_in_both(arrays: MeshArrays, what: &str) {
    check_in_f32(arrays.clone(), what);
    check_in_f64(arrays, what);
}

#[test]
fn one_triangle_turned() {
    for number in 0..12 {
        check_in_both(turned(cube(), |i| i == number), &format!("triangle {number} turned"));
    }
}

#[test]
fn all_triangles_turned_and_faces_repeated() {
    check_in_both(turned(cube(), |_| true), "inside out");
    check_in_both(repeated(cube(), |_| true), "every face twice");
    check_in_both(turned(repeated(cube(), |_| true), |i| i >= 12), "every face twice, once for each side");
    check_in_both(repeated(repeated(cube(), |_| true), |i| i >= 12), "every face three times");
    for number in 0..12 {
        check_in_both(repeated(cube(), |i| i == number), &format!("triangle {number} twice"));
        check_in_both(turned(repeated(cube(), |i| i == number), |i| i == 12), &format!("{number} twice, once turned"));
    }
}

/// The unit cube as two boxes and as eight, each with its own triangles: the walls between them are there twice.
#[test]
fn boxes_that_share_walls() {
    let half = |x: f64| if x == 0.0 { [0.0, 0.5] } else { [0.5, 1.0] };
    let two = boxes(&[[[0.0; 3], [1.0, 1.0, 0.5]], [[0.0, 0.0, 0.5], [1.0; 3]]]);
    let eight: Vec<_> = (0..8)
        .map(|i| [0, 1, 2].map(|axis| half(f64::from(i >> axis & 1))))
        .map(|ranges| [ranges.map(|[low, _]| low), ranges.map(|[_, high]| high)])
        .collect();
    for (name, walled) in [("two", two), ("eight", boxes(&eight))] {
        // The wall has no thickness: only points are compared here.
        for mesh in [walled.clone(), repeated(walled.clone(), |i| i == 3), repeated(walled, |_| true)] {
            let mesh = build::<DVec3>(mesh);
            assert!(mesh.topology().is_closed(), "{name}: {:?}", mesh.topology());
            let inner = DVec3::new(0.3, 0.7, 0.5);
            for z in [0.0, 0.25, 0.5, 0.75, 1.0] {
                assert!(mesh.contains(inner.with_z(z)), "{name} {z}");
            }
            assert!(!mesh.contains(inner.with_z(1.25)));
            let spans = mesh.spans(&Ray::new(inner.with_z(-1.0), DVec3::Z), ..);
            assert_eq!((spans.len(), spans[0].enter.unwrap().t, spans[0].exit.unwrap().t), (1, 1.0, 2.0), "{name}");
        }
    }
}

#[test]
fn a_hull_with_random_orientation() {
    let mut rng = Rng::new(51);
    let clean = build::<Vec3>(icosphere(2));
    for which in 0..4 {
        let turns: Vec<bool> = (0..4096).map(|_| rng.once_in(2)).collect();
        let extra: Vec<bool> = (0..4096).map(|_| rng.once_in([1, 2, 10, 100][which])).collect();
        let hull = turned(repeated(icosphere(2), |i| extra[i]), |i| turns[i]);
        let mesh = build::<Vec3>(hull);
        assert!(mesh.topology().is_closed() && mesh.topology().unbalanced_edges > 0);
        for _ in 0..1000 {
            let at = rng.in_cube::<Vec3>() * 1.1;
            assert_eq!(mesh.contains(at), clean.contains(at), "{at}");
            assert_eq!(mesh.signed_distance(at), clean.signed_distance(at), "{at}");
            let ray = Ray::new(at, rng.in_cube());
            let ends = |mesh: &TriangleMesh<Vec3>| -> Vec<_> {
                mesh.spans(&ray, ..).iter().map(|s| (s.enter.unwrap().t, s.exit.map(|exit| exit.t))).collect()
            };
            assert_eq!(ends(&mesh), ends(&clean), "{ray:?}");
            let (found, expected) = (mesh.cast_ray(&ray, ..), clean.cast_ray(&ray, ..));
            assert_eq!(found.map(|hit| hit.t), expected.map(|hit| hit.t));
            if let (Some(found), Some(expected)) = (found, expected) {
                let [found, expected] = [mesh.thickness(&found), clean.thickness(&expected)];
                let length = |found: &hitscan::Thickness<Vec3>| found.length;
                assert_eq!(found.as_ref().map(length).is_some(), expected.as_ref().map(length).is_some(), "{ray:?}");
            }
        }
    }
}

/// Orientation still decides what rays report: the side and the normal of a hit are those of its triangle.
#[test]
fn hits_keep_their_sides() {
    let mesh = build::<Vec3>(turned(cube(), |_| true));
    let hit = mesh.cast_ray(&Ray::new(Vec3::new(0.25, 0.5, -1.0), Vec3::Z), ..).unwrap();
    assert_eq!((hit.t, hit.side, hit.normal), (1.0, Side::Back, Vec3::Z));
    let span = mesh.spans(&Ray::new(Vec3::new(0.25, 0.5, -1.0), Vec3::Z), ..)[0];
    assert_eq!(span.enter, Some(hit));
    // All hits and counts have repeated triangles, too.
    let twice = build::<Vec3>(repeated(cube(), |_| true));
    assert_eq!(twice.count_hits(&Ray::new(Vec3::new(0.25, 0.5, -1.0), Vec3::Z), ..), 4);
}

#[test]
fn open_meshes_have_no_inside() {
    let without = |mut mesh: MeshArrays, number: usize| {
        mesh.1.remove(number);
        mesh
    };
    let half = |mesh: MeshArrays| build::<Vec3>(mesh);
    let sheet = (vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2], [0, 2, 1]]);
    for (mesh, odd) in [
        (half(without(cube(), 5)), 3),
        (half(repeated(without(cube(), 5), |_| true)), 3),
        (half(without(boxes(&[[[0.0; 3], [1.0, 1.0, 0.5]], [[0.0, 0.0, 0.5], [1.0; 3]]]), 20)), 3),
        (half(sheet), 3),
    ] {
        assert_eq!((mesh.topology().odd_edges, mesh.topology().is_closed()), (odd, false), "{:?}", mesh.topology());
        let middle = Vec3::new(0.3, 0.6, 0.4);
        assert!(!mesh.contains(middle) && mesh.signed_distance(middle).is_some_and(|distance| distance > 0.0));
        assert!(mesh.spans(&Ray::new(middle - Vec3::Z, Vec3::Z), ..).is_empty());
    }
    // A sheet with two sides beside a solid takes nothing from it.
    let mut mesh = cube();
    let first = mesh.0.len() as u32;
    mesh.0.extend([[3.0, 0.0, 0.0], [4.0, 0.0, 0.0], [3.0, 1.0, 0.0]]);
    mesh.1.extend([[first, first + 1, first + 2], [first, first + 2, first + 1]]);
    check_in_both(mesh, "a sheet beside it");
}

/// A scene lists the open meshes that its queries see: each once, with the first object that has it.
#[test]
fn scenes_list_each_open_mesh_once() {
    let open = |count: usize| Arc::new(build::<Vec3>((cube().0, cube().1[count..].to_vec())));
    let (hole, slit, closed) = (open(1), open(2), open(0));
    let object = |mesh: &Arc<TriangleMesh<Vec3>>| Object::new(AnyShape3::Mesh(mesh.clone()));
    let flat = TriangleMesh::new(vec![Vec3::ZERO; 3], vec![[0, 1, 2]]).unwrap();
    // A group on both layers, with a member on each of them and one within another group.
    let group = |members: Vec<Object<Vec3>>| {
        let mut scene = Scene::new();
        members.into_iter().for_each(|member| _ = scene.insert(member).unwrap());
        Object::new(Group::new(scene).unwrap())
    };
    let inner = group(vec![object(&slit).on_layers(0b11)]).on_layers(0b10);
    let group = group(vec![object(&closed).on_layers(0b11), object(&hole).on_layers(0b01), inner]);
    let mut scene = Scene::new();
    let mut add = |object: Object<Vec3>| scene.insert(object).unwrap();
    let _ball = add(Object::new(Sphere::new(Vec3::ZERO, 1.0).unwrap()));
    let [first, second] = [0; 2].map(|_| add(group.clone().on_layers(0b11)));
    let again = add(object(&hole).on_layers(0b100));
    let [point, other] = [0; 2].map(|_| add(Object::new(flat.clone()).on_layers(0b1000)));
    let listed = |found: Vec<(ObjectId, Topology)>| -> Vec<(ObjectId, usize)> {
        found.into_iter().map(|(id, topology)| (id, topology.odd_edges)).collect()
    };
    let (holes, slits) = (hole.topology().odd_edges, slit.topology().odd_edges);
    // The last two objects have meshes of their own.
    let flats = [(point, 0), (other, 0)];
    assert_eq!(listed(scene.open_meshes())[..], [&[(first, holes), (first, slits)][..], &flats].concat());
    for (mask, expected) in [(0b01, vec![(first, holes)]), (0b10, vec![(first, slits)]), (0b100, vec![(again, holes)])]
    {
        assert_eq!(listed(scene.on_layers(mask).open_meshes()), expected, "layers {mask:b}");
    }
    let without_first = scene.excluding([first]).on_layers(0b11);
    assert_eq!(listed(without_first.open_meshes()), [(second, holes), (second, slits)]);
    assert!(without_first.filtered(|id, _| id != second).open_meshes().is_empty());
}

/// Two boxes that overlap: parity takes what both have for outside, in points and in lines.
#[test]
fn overlapping_boxes() {
    let mesh = build::<DVec3>(boxes(&[UNIT, [[0.5, 0.25, 0.25], [2.0, 0.75, 0.75]]]));
    for (x, expected) in [(0.25, true), (0.75, false), (1.5, true), (2.5, false)] {
        assert_eq!(mesh.contains(DVec3::new(x, 0.5, 0.5)), expected, "{x}");
    }
    let spans = mesh.spans(&Ray::new(DVec3::new(-1.0, 0.5, 0.5), DVec3::X), ..);
    let ends: Vec<_> = spans.iter().map(|span| (span.enter.unwrap().t, span.exit.unwrap().t)).collect();
    assert_eq!(ends, [(1.0, 1.5), (2.0, 3.0)]);
}

/// Cells of a grid of 3 x 3 x 3, as boxes with their own triangles, and the surface of their union.
struct Cells {
    is_full: [bool; 27],
}

impl Cells {
    fn random(rng: &mut Rng) -> Self {
        let mut is_full = [false; 27];
        while !is_full.contains(&true) {
            is_full = std::array::from_fn(|_| rng.below(5) < 2);
        }
        Self { is_full }
    }
    fn has(&self, cell: [i32; 3]) -> bool {
        cell.iter().all(|i| (0..3).contains(i)) && self.is_full[(cell[0] + 3 * cell[1] + 9 * cell[2]) as usize]
    }
    fn full(&self) -> impl Iterator<Item = [i32; 3]> {
        (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|cell| self.has(*cell))
    }
    /// The triangles of all boxes, or of the surface only.
    fn mesh(&self, has_walls: bool) -> MeshArrays {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for cell in self.full() {
            let low = cell.map(f64::from);
            let first = vertices.len() as u32;
            vertices.extend(corners([low, low.map(|x| x + 1.0)]));
            // The neighbours behind the faces of QUADS.
            let sides = [[0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0]];
            for (q, side) in QUADS.iter().zip(sides) {
                if has_walls || !self.has([0, 1, 2].map(|axis| cell[axis] + side[axis])) {
                    triangles.extend(halves(&vertices, q.map(|i| i + first)));
                }
            }
        }
        (vertices, triangles)
    }
    /// Whether a point is in a cell, or on it.
    fn contains(&self, point: [f64; 3]) -> bool {
        self.full().any(|cell| (0..3).all(|i| (0.0..=1.0).contains(&(point[i] - f64::from(cell[i])))))
    }
}

/// Makes a mesh untidy: turns, repeats and shuffles triangles, gives some of them corners of their own, and adds degenerate
/// ones.
fn untidy((mut vertices, mut triangles): MeshArrays, rng: &mut Rng) -> MeshArrays {
    // All of them again, or a few, up to four times.
    let again = triangles.clone();
    match rng.below(4) {
        0 => (0..1 + rng.below(3)).for_each(|_| triangles.extend(&again)),
        1 => {}
        _ => {
            let few = rng.pick(&[10, 30, 100]);
            for triangle in again {
                let copies = if rng.once_in(few) { 1 + rng.below(3) } else { 0 };
                triangles.extend(vec![triangle; copies]);
            }
        }
    }
    // Corners in any order, so triangles are turned; and some with vertices of their own, at the same points.
    let all_apart = rng.once_in(2);
    for triangle in &mut triangles {
        triangle.rotate_left(rng.below(3));
        if rng.once_in(2) {
            triangle.swap(0, 1);
        }
        if all_apart || rng.once_in(10) {
            for corner in triangle {
                vertices.push(vertices[*corner as usize]);
                *corner = vertices.len() as u32 - 1;
            }
        }
    }
    for _ in 0..rng.below(4) {
        let [a, b] = [0; 2].map(|_| rng.below(vertices.len()) as u32);
        triangles.push(rng.pick(&[[a, b, a], [a, a, b], [b, b, b]]));
    }
    for i in (1..triangles.len()).rev() {
        triangles.swap(i, rng.below(i + 1));
    }
    (vertices, triangles)
}

/// Compares an untidy mesh with parity by exact rays at the clean one.
fn check_untidy<V: Vector3>(rng: &mut Rng, (clean, dirty): (MeshArrays, MeshArrays), cells: Option<&Cells>) {
    let (clean, dirty) = (build::<V>(clean), build::<V>(dirty));
    assert!(dirty.topology().is_closed(), "{:?} {:?}", dirty.topology(), dirty.triangles());
    let number = V::Scalar::from_f64;
    let (bounds, wider) = (clean.aabb(), number(1.25));
    let middle = (bounds.min + bounds.max) * number(0.5);
    let (repaired, report) = dirty.repaired(V::Scalar::ZERO).unwrap();
    let tidy = *repaired.topology();
    assert!(tidy.is_closed() && tidy.repeated_triangles + tidy.degenerate_triangles == 0, "{tidy:?} {report:?}");
    assert!((tidy.unbalanced_edges, report.undecided_parts, report.open_parts) == (0, 0, 0), "{tidy:?} {report:?}");
    for step in 0..200 {
        // Half of the points of cells are multiples of 1/2, on faces and edges.
        let mut at = middle + (rng.point_in(&bounds) - middle) * wider;
        if cells.is_some() && rng.once_in(2) {
            at = at.map(|x| number((x.to_f64() * 2.0).round() * 0.5));
        }
        let is_on_surface = clean.distance(at) == Some(V::Scalar::ZERO);
        let expected = is_on_surface || clean.count_hits(&Ray::new(at, rng.in_cube()), ..) % 2 == 1;
        if let Some(cells) = cells {
            assert_eq!(expected, cells.contains(at.to_xyz().map(Real::to_f64)), "the test itself: {at:?}");
        }
        assert_eq!(dirty.contains(at), expected, "{at:?} {:?} {:?}", dirty.vertices(), dirty.triangles());
        if step % 4 != 0 {
            continue;
        }
        // The other queries agree. A wall within a solid, and a degenerate triangle, is a surface for distances.
        let zero = V::Scalar::ZERO;
        let signed = dirty.signed_distance(at).unwrap();
        assert!(if expected { signed <= zero } else { signed >= zero }, "{at:?} {signed:?}");
        let tidy = repaired.signed_distance(at).unwrap();
        assert!(is_on_surface || if expected { tidy <= zero } else { tidy > zero }, "{at:?} {tidy:?}");
        let radius = number(signed.to_f64().abs() * 0.5);
        assert!(radius == zero || dirty.overlaps(Sphere::new(at, radius).unwrap()) == expected, "{at:?}");
        let ray = Ray::new(at, rng.in_cube());
        let spans = |mesh: &TriangleMesh<V>| -> Vec<_> {
            let spans = mesh.spans(&ray, Query::line());
            spans.iter().map(|span| (span.enter.unwrap().t, span.exit.unwrap().t)).collect()
        };
        assert_eq!(spans(&dirty), spans(&clean), "{ray:?}");
        // A repair changes no inside.
        assert_eq!(repaired.contains(at), expected, "repaired: {at:?}");
        if !is_on_surface {
            let winding = repaired.winding_number_within(at, V::Scalar::ZERO).unwrap().to_f64();
            assert!((winding - f64::from(u8::from(expected))).abs() < 1e-3, "{at:?} {winding}");
        }
        let is_in_span = !dirty.spans(&ray, V::Scalar::ZERO..=V::Scalar::ZERO).is_empty();
        assert!(is_in_span == expected || is_on_surface, "{at:?}");
    }
}

/// A shard has some triangles of a mesh; which of them repeat others depends on the whole mesh.
#[test]
fn shards_of_untidy_meshes() {
    let mut rng = Rng::new(77);
    for round in 0..rounds(12) {
        let cells = Cells::random(&mut rng);
        let dirty =
            if round % 2 == 0 { repeated(cells.mesh(true), |_| true) } else { untidy(cells.mesh(true), &mut rng) };
        let mut scene = Scene::<Vec3>::new();
        scene.insert(Object::new(build::<Vec3>(dirty))).unwrap();
        let origins: Vec<Vec3> = (0..200).map(|_| Vec3::ONE * 1.5 + rng.in_cube::<Vec3>() * 4.0).collect();
        let directions: Vec<Vec3> = (0..200).map(|_| rng.in_cube()).collect();
        let rays = RayColumns::from_points(&origins, &directions).unwrap();
        for count in [1, 3] {
            let shards = scene.split(count).unwrap();
            let loaded = |shard: &Shard<Vec3>| Shard::from_bytes(&shard.to_bytes().unwrap()).unwrap();
            let loaded: Vec<_> = shards.iter().map(loaded).collect();
            crate::shards::same(&scene, &shards, &rays, Query::new());
            crate::shards::same(&scene, &loaded, &rays, Query::line());
        }
        let spans = |row: usize| scene.spans(&Ray::new(origins[row], directions[row]), ..).len();
        assert!((0..200).any(|row| spans(row) > 0));
    }
}

/// 100,000 points of meshes that are turned, repeated and welded.
#[test]
fn untidy_meshes_have_the_inside_of_clean_ones() {
    let mut rng = Rng::new(2024);
    for _ in 0..rounds(250) {
        // Boxes that share walls, against the surface of their union.
        let cells = Cells::random(&mut rng);
        let pair = (cells.mesh(false), untidy(cells.mesh(true), &mut rng));
        check_untidy::<Vec3>(&mut rng, pair.clone(), Some(&cells));
        check_untidy::<DVec3>(&mut rng, pair, Some(&cells));
    }
    let solids = [icosphere(1), icosphere(2), torus(9, 6), slivers(), cube()];
    for round in 0..rounds(20) {
        let clean = solids[round % solids.len()].clone();
        let pair = (clean.clone(), untidy(clean, &mut rng));
        check_untidy::<Vec3>(&mut rng, pair.clone(), None);
        check_untidy::<DVec3>(&mut rng, pair, None);
    }
}
