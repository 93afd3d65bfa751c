//! Valid scene files and their scenes; `scene_errors.rs` has the invalid ones.

use crate::support::Folder;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{
    Accelerator, AnyShape2, AnyShape3, Ellipse, Object, ObjectId, OrientedBox, Query, Ray, RayCast, Scene,
    SceneBuilder, Shape, Side,
};
use hitscan_io::{Dimension, Precision, SceneFile, SceneVector, shape_from_table, write_ply, write_scene};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenes").join(name)
}

fn parse(text: &str) -> SceneFile {
    SceneFile::parse_toml("scene.toml", text).unwrap()
}

fn space(text: &str) -> AnyShape3<DVec3> {
    parse(&format!("[[shape]]\n{text}")).build::<DVec3>().unwrap().at(0).unwrap().1.shape().clone()
}

fn plane(text: &str) -> AnyShape2<DVec2> {
    parse(&format!("dimension = 2\n[[shape]]\n{text}")).build::<DVec2>().unwrap().at(0).unwrap().1.shape().clone()
}

fn same(a: &impl std::fmt::Debug, b: &impl std::fmt::Debug) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn names_and_layers() {
    let scene = SceneFile::open(&data("everything3.toml")).unwrap().build::<DVec3>().unwrap();
    let object = |i| scene.at(i).unwrap().1;
    assert_eq!((object(0).name(), object(0).layers()), (Some("ball"), 1 << 3));
    assert_eq!((object(1).name(), object(1).layers()), (None, 1 | 1 << 31));
    assert_eq!((object(2).name(), object(2).layers()), (Some(r#"the "ground", \ and all"#), 1));
    assert_eq!(scene.find("tetrahedron").map(ObjectId::index), Some(16));
    let ray = Ray::new(DVec3::new(0.0, 0.0, 9.0), DVec3::NEG_Z);
    let hit = scene.cast_ray(&ray, Query::from(..).layers(1 << 3)).unwrap();
    assert_eq!((hit.t, hit.object.map(ObjectId::index)), (2.5, Some(0)));
}

#[test]
fn precision_is_the_narrowest_that_holds_every_number() {
    let sphere = |numbers: &str| parse(&format!("[[shape]]\ntype = 'sphere'\n{numbers}"));
    assert_eq!(sphere("center = [0.5, -0.0, 1e3]\nradius = 1").precision(), Precision::F32);
    assert_eq!(sphere("center = [0, 0, 0]\nradius = 0.1").precision(), Precision::F64);
    assert_eq!(sphere("center = [16777217, 0, 0]\nradius = 1").precision(), Precision::F64);
    let turned = sphere("center = [0, 0, 0]\nradius = 1\ntransform.rotation = { axis = [0, 0, 1], degrees = 0.1 }");
    assert_eq!(turned.precision(), Precision::F64);
    // A vertex of a mesh counts too.
    let folder = Folder::new();
    let mesh = |x: f64| {
        folder.file("m.obj", format!("v 0 0 0\nv {x} 0 0\nv 0 1 0\nf 1 2 3"));
        let scene = folder.file("scene.toml", "[[shape]]\ntype = 'mesh'\nfile = 'm.obj'");
        SceneFile::open(&scene).unwrap().precision()
    };
    assert_eq!((mesh(0.5), mesh(0.1)), (Precision::F32, Precision::F64));
}

#[test]
fn in_f32_numbers_are_the_nearest() {
    let file = parse("[[shape]]\ntype = 'sphere'\ncenter = [0.1, 1e-60, 16777217]\nradius = 0.3");
    let scene = file.build::<Vec3>().unwrap();
    let AnyShape3::Sphere(ball) = scene.at(0).unwrap().1.shape() else { panic!() };
    assert_eq!((ball.center(), ball.radius()), (Vec3::new(0.1, 0.0, 16777216.0), 0.3));
}

#[test]
fn a_transform_scales_then_rotates_then_moves() {
    let transform = "transform = { scale = 2, rotation = { axis = [0, 0, 1], degrees = 90 }, translation = [0, 0, 5] }";
    same(
        &space(&format!("type = 'capsule'\na = [1, 0, 0]\nb = [0, 1, 1]\nradius = 0.5\n{transform}")),
        &space("type = 'capsule'\na = [0, 2, 5]\nb = [-2, 0, 7]\nradius = 1"),
    );
    same(
        &space(&format!("type = 'half_space'\npoint = [1, 0, 0]\nnormal = [3, 0, 4]\n{transform}")),
        &space("type = 'half_space'\npoint = [0, 2, 5]\nnormal = [0, 3, 4]"),
    );
    same(
        &space(&format!("type = 'box'\ncenter = [1, 0, 0]\nhalf_extents = [1, 2, 3]\n{transform}")),
        &space("type = 'box'\ncenter = [0, 2, 5]\nhalf_extents = [4, 2, 6]"),
    );
    same(
        &space(&format!("type = 'ellipsoid'\ncenter = [1, 0, 0]\nradii = [1, 2, 3]\n{transform}")),
        &space("type = 'ellipsoid'\ncenter = [0, 2, 5]\nradii = [4, 2, 6]"),
    );
    let flat = "transform = { scale = 2, rotation = { degrees = -90 }, translation = [5, 0] }";
    same(
        &plane(&format!("type = 'polygon'\nvertices = [[0, 0], [1, 0], [0, 1]]\n{flat}")),
        &plane("type = 'polygon'\nvertices = [[5, 0], [5, -2], [7, 0]]"),
    );
    same(
        &plane(&format!("type = 'rectangle'\ncenter = [1, 0]\nhalf_extents = [1, 2]\n{flat}")),
        &plane("type = 'rectangle'\ncenter = [5, -2]\nhalf_extents = [4, 2]"),
    );
}

#[test]
fn a_rotated_box_is_an_oriented_box() {
    let turned = space(
        "type = 'box'\ncenter = [0, 0, 0]\nhalf_extents = [1, 2, 3]\ntransform.rotation = { axis = [0, 0, 2], degrees = 30 }",
    );
    let AnyShape3::OrientedBox(turned) = turned else { panic!("{turned:?}") };
    let [x, y, z] = *turned.basis().axes() else { unreachable!() };
    assert_eq!((x.y, y.x, z), (0.5, -0.5, DVec3::Z));
    assert!(x.x == y.y && (x.x - 0.75f64.sqrt()).abs() <= f64::EPSILON / 2.0);
    // Axes first, then the rotation.
    let both = plane(
        "type = 'rectangle'\ncenter = [0, 0]\nhalf_extents = [1, 2]\naxes = [[0.6, 0.8], [-0.8, 0.6]]\ntransform.rotation.degrees = 90",
    );
    let AnyShape2::OrientedRectangle(both) = both else { panic!("{both:?}") };
    assert_eq!(both.basis().axes(), [DVec2::new(-0.8, 0.6), DVec2::new(-0.6, -0.8)]);
    let round = plane("type = 'ellipse'\ncenter = [0, 0]\nradii = [1, 2]\ntransform.rotation.degrees = 45");
    let AnyShape2::Ellipse(round) = round else { panic!("{round:?}") };
    assert_eq!(round.basis().axes()[0], DVec2::splat(std::f64::consts::FRAC_1_SQRT_2));
}

#[test]
fn axes_of_an_f32_serve_in_f64_too() {
    let axes = [Vec2::from_angle(0.3), Vec2::from_angle(0.3).perp()];
    let shape = OrientedBox::with_axes(Vec2::ZERO, Vec2::ONE, &axes).unwrap();
    let mut builder = SceneBuilder::<Vec2>::new();
    builder.add(shape).unwrap();
    let text = write_scene(&builder.build(), |_, _| unreachable!()).unwrap();
    let file = parse(&text);
    assert_eq!(file.precision(), Precision::F32);
    let AnyShape2::OrientedRectangle(narrow) = file.build::<Vec2>().unwrap().at(0).unwrap().1.shape().clone() else {
        panic!()
    };
    assert_eq!(narrow, shape);
    let AnyShape2::OrientedRectangle(wide) = file.build::<DVec2>().unwrap().at(0).unwrap().1.shape().clone() else {
        panic!()
    };
    assert!((wide.basis().axes()[1] - axes[1].as_dvec2()).length() < 2e-7);
}

/// Writes, reads, writes: the same text, the same scene, the same precision.
fn round_trip<V: SceneVector>(scene: &Scene<V>, precision: Precision) {
    let folder = Folder::new();
    let text = write_scene(scene, |id, mesh| {
        let name = format!("mesh{}.ply", id.index());
        write_ply(&folder.path(&name), mesh).map(|()| name)
    });
    let text = text.unwrap();
    let file = SceneFile::open(&folder.file("scene.toml", &text)).unwrap();
    assert_eq!((file.dimension(), file.precision()), (V::DIMENSION, precision), "{text}");
    let again = file.build::<V>().unwrap();
    same(scene, &again);
    assert_eq!(write_scene(&again, |id, _| Ok(format!("mesh{}.ply", id.index()))).unwrap(), text);
}

#[test]
fn what_is_written_reads_back_as_the_same_scene() {
    let space = SceneFile::open(&data("everything3.toml")).unwrap();
    assert_eq!(space.dimension(), Dimension::Three);
    // The numbers of the file fit an f32, those of its tilted shapes in f64 do not.
    assert_eq!(space.precision(), Precision::F32);
    round_trip(&space.build::<Vec3>().unwrap(), Precision::F32);
    round_trip(&space.build::<DVec3>().unwrap(), Precision::F64);
    let plane = SceneFile::open(&data("everything2.toml")).unwrap();
    assert_eq!(plane.dimension(), Dimension::Two);
    round_trip(&plane.build::<Vec2>().unwrap(), Precision::F32);
    round_trip(&plane.build::<DVec2>().unwrap(), Precision::F64);
}

#[test]
fn extreme_numbers_and_names_are_written_as_they_are() {
    let mut builder = SceneBuilder::<DVec3>::new();
    for (i, x) in [f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0 / 3.0, 1e16, 123_456_789.5].into_iter().enumerate() {
        let ball = hitscan::Sphere::new(DVec3::new(-x, -0.0, x), x).unwrap();
        builder.insert(Object::new(ball).named(format!("é '\"\\ # {i}")).on_layers(1 << i | 1 << 31)).unwrap();
    }
    round_trip(&builder.build(), Precision::F64);
}

/// Axes along those of the coordinates, but for the sign of a zero: found by fuzzing.
#[test]
fn zeros_of_axes_keep_their_signs() {
    let axes = [DVec2::new(1.0, -0.0), DVec2::new(0.0, 1.0)];
    let mut builder = SceneBuilder::<DVec2>::new();
    builder.add(Ellipse::with_axes(DVec2::ZERO, DVec2::new(2.5, 3.5), &axes).unwrap()).unwrap();
    builder.add(OrientedBox::with_axes(DVec2::ZERO, DVec2::ONE, &axes).unwrap()).unwrap();
    round_trip(&builder.build(), Precision::F32);
}

#[test]
fn a_mirrored_mesh_keeps_its_normals_outward() {
    let scene = SceneFile::open(&data("everything3.toml")).unwrap();
    let scene = scene.build::<DVec3>().unwrap();
    let mesh = scene.get(scene.find("tetrahedron").unwrap()).unwrap().shape();
    // The corner at the origin went to (10, 0, 0), the top to z = -2.
    let up = Ray::new(DVec3::new(10.25, 0.25, -9.0), DVec3::Z);
    let hits = mesh.cast_ray_all(&up, ..);
    assert_eq!(hits.iter().map(|hit| (hit.t, hit.side)).collect::<Vec<_>>(), [(8.0, Side::Front), (9.0, Side::Back)]);
    assert_eq!(hits[1].normal, DVec3::Z);
    assert!(mesh.contains(DVec3::new(10.1, 0.1, -0.5)) && !mesh.contains(DVec3::new(10.1, 0.1, 0.5)));
}

#[test]
fn a_mesh_is_a_scene_by_itself() {
    let file = SceneFile::open(&data("tetrahedron.obj")).unwrap();
    assert_eq!((file.dimension(), file.precision()), (Dimension::Three, Precision::F32));
    for accelerator in [Accelerator::Bvh, Accelerator::LinearScan] {
        let scene = file.build_with::<Vec3>(accelerator).unwrap();
        assert_eq!((scene.len(), scene.find("tetrahedron").map(ObjectId::index)), (1, Some(0)));
        let hit = scene.cast_ray(&Ray::new(Vec3::new(0.25, 0.25, -1.0), Vec3::Z), ..).unwrap();
        assert_eq!((hit.t, hit.primitive, hit.normal), (1.0, Some(0), Vec3::NEG_Z));
    }
}

#[test]
fn shapes_can_be_added_to_those_of_a_file() {
    let mut builder = parse("[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1").builder::<Vec3>().unwrap();
    let table = "type = 'sphere'\nname = 'x'\ncenter = [3, 0, 0]\nradius = 1".parse().unwrap();
    builder.add(shape_from_table::<Vec3>("more".as_ref(), &table).unwrap()).unwrap();
    assert_eq!(builder.build().count_hits(&Ray::new(Vec3::NEG_X * 5.0, Vec3::X), ..), 4);
}

#[test]
fn hulls_and_prisms_are_closed_meshes() {
    let text = "[[shape]]\ntype = 'convex_hull'\npoints = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 1]]\n\
                transform = { translation = [10, 0, 0] }\n\
                [[shape]]\ntype = 'prism'\noutline = [[0, 0], [4, 0], [4, 4], [0, 4]]\nz = [-1, 1]\n\
                holes = [[[1, 1], [3, 1], [3, 3], [1, 3]]]\n\
                transform = { rotation = { axis = [1, 0, 0], degrees = 90 } }\n";
    let scene = SceneFile::parse_toml("scene.toml", text).unwrap().build::<DVec3>().unwrap();
    let spans = |origin: [f64; 3], direction: [f64; 3]| {
        let ray = Ray::new(DVec3::from_array(origin), DVec3::from_array(direction));
        let ends = |hit: Option<hitscan::Hit<DVec3>>| hit.map(|hit| (hit.t * 1e6).round() / 1e6);
        scene.spans(&ray, ..).iter().map(|span| [ends(span.enter), ends(span.exit)]).collect::<Vec<_>>()
    };
    assert_eq!(spans([11.0, 1.0, 9.0], [0.0, 0.0, -1.0]), [[Some(7.0), Some(9.0)]]);
    // The prism stands on its side: its hole goes along y.
    assert_eq!(spans([-1.0, 0.0, 2.0], [1.0, 0.0, 0.0]), [[Some(1.0), Some(2.0)], [Some(4.0), Some(5.0)]]);
    assert!(spans([2.0, -5.0, 2.0], [0.0, 1.0, 0.0]).is_empty());
    let error = |shape: &str| {
        let file = SceneFile::parse_toml("scene.toml", &format!("[[shape]]\n{shape}"));
        file.and_then(|file| file.build::<DVec3>()).unwrap_err().to_string()
    };
    let flat = error("type = 'convex_hull'\npoints = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 0]]");
    assert_eq!(flat, "scene.toml: shape 0 (line 3): all points lie in one plane");
    let outside =
        error("type = 'prism'\nz = [0, 1]\noutline = [[0, 0], [1, 0], [0, 1]]\nholes = [[[5, 5], [6, 5], [5, 6]]]");
    assert!(outside.ends_with(": hole 0, corner 0: it lies outside of the outline"), "{outside}");
    let heights = error("type = 'prism'\nz = [1, 1]\noutline = [[0, 0], [1, 0], [0, 1]]");
    assert_eq!(
        heights,
        "scene.toml: shape 0 (line 3): the heights must be finite, and the first one less than the second"
    );
    let list = error("type = 'prism'\nz = [0, 1]\noutline = [[0, 0], [1, 0], [0, 1]]\nholes = 3");
    assert_eq!(list, "scene.toml: shape 0 (line 5): 'holes' needs a list of lists of points, got a number");
}
