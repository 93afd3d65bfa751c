//! Groups of scene files: read, refused, and written.

use crate::support::Folder;
use hitscan::glam::{DVec2, DVec3, Vec3};
use hitscan::{Circle, Group, Object, Query, Ray, RayCast, Scene, Shape, Space, Transform};
use hitscan_io::{Precision, SceneFile, SceneVector, parse_mesh, write_ply, write_scene};
use std::collections::HashSet;

fn parse(text: &str) -> SceneFile {
    SceneFile::parse_toml("scene.toml", text).unwrap()
}

fn message(text: &str) -> String {
    SceneFile::parse_toml("scene.toml", text).unwrap_err().to_string()
}

const BALL: &str = "[[geometry]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n";

/// Groups that place others, each declared before those that it places.
///
/// ```text
/// pair: balls at x = 0 and x = 10; two: pairs at y = 0 and y = 5, the latter with a stud at z = 3
/// the scene: the groups two at z = 0 and, mirrored in x, at z = 100
/// ```
fn nested() -> String {
    format!(
        "[[geometry]]\nname = 'two'\ntype = 'group'\n\
         [[geometry.object]]\ngeometry = 'pair'\n\
         [[geometry.shape]]\nname = 'stud'\ntype = 'sphere'\ncenter = [0, 5, 3]\nradius = 0.5\nlayer = 3\n\
         [[geometry.object]]\ngeometry = 'pair'\ntransform.translation = [0, 5, 0]\n\
         [[geometry]]\nname = 'pair'\ntype = 'group'\n\
         object = [\n{{ geometry = 'ball' }},\n{{ geometry = 'ball', name = 'far', transform = {{ translation = [10, 0, 0] }} }},\n]\n\
         {BALL}\
         [[object]]\nname = 'near'\ngeometry = 'two'\nlayers = [0, 3]\n\
         [[object]]\nname = 'mirror'\ngeometry = 'two'\ntransform = {{ scale = [-1, 1, 1], translation = [0, 0, 100] }}\n"
    )
}

fn group<V: Space>(object: &Object<V>) -> &Group<V> {
    V::as_group(object.shape()).unwrap()
}

#[test]
fn groups_place_groups() {
    let file = parse(&nested());
    assert_eq!((file.len(), file.precision()), (2, Precision::F32));
    assert_eq!(file.notes(), [""; 0], "what a group places is placed");
    assert_eq!([0, 1].map(|object| file.geometry(object)), [Some(0); 2]);
    let scene = file.build::<Vec3>().unwrap();
    let near = group(scene.at(0).unwrap().1);
    assert_eq!((near.depth(), near.address()), (2, group(scene.at(1).unwrap().1).address()));
    let members: Vec<_> = near.objects().map(|(_, object)| (object.name(), object.layers())).collect();
    assert_eq!(members, [(None, 1), (Some("stud"), 8), (None, 1)]);
    let pairs: Vec<_> = near.objects().filter_map(|(_, object)| Vec3::as_group(object.shape())).collect();
    assert_eq!(pairs[0].address(), pairs[1].address(), "in memory once");

    let hit = |origin: Vec3, layers: u32| {
        scene.cast_ray(&Ray::new(origin, Vec3::NEG_Z), Query::from(..).layers(layers)).map(|hit| {
            let name = scene.get(hit.object.unwrap()).unwrap().name().unwrap();
            let path: Vec<usize> = near.path(hit.member.unwrap()).iter().map(|id| id.index()).collect();
            (hit.t, name, path)
        })
    };
    assert_eq!(hit(Vec3::new(10.0, 5.0, 9.0), 1), Some((8.0, "near", vec![2, 1])));
    assert_eq!(hit(Vec3::new(-10.0, 0.0, 109.0), 1), Some((8.0, "mirror", vec![0, 1])));
    assert_eq!(hit(Vec3::new(0.0, 5.0, 9.0), 1 << 3), Some((5.5, "near", vec![1])));
    assert_eq!(hit(Vec3::new(0.0, 5.0, 9.0), 1), Some((8.0, "near", vec![2, 0])), "the stud is on another layer");
    // The mirror is not on the layer of its stud: a layer must match at each level.
    assert_eq!(hit(Vec3::new(0.0, 5.0, 109.0), 1 << 3), Some((105.5, "near", vec![1])));
}

#[test]
fn a_shape_may_be_a_group() {
    let text = "dimension = 2\nlayers = { a = 4 }\n[[shape]]\ntype = 'group'\nname = 'both'\ntransform.scale = 2\n\
                [[shape.shape]]\ntype = 'circle'\ncenter = [5, 0]\nradius = 1\ntrigger = true\n\
                [[shape.shape]]\ntype = 'group'\nlayers = [0, 'a']\n\
                [[shape.shape.shape]]\ntype = 'circle'\ncenter = [9, 0]\nradius = 1\ninside = 'hollow'\n";
    let scene = parse(text).build::<DVec2>().unwrap();
    let both = group(scene.at(0).unwrap().1);
    let layers: Vec<_> = both.objects().map(|(_, object)| (object.layers(), object.is_trigger())).collect();
    assert_eq!(layers, [(1, true), (1 | 1 << 4, false)]);
    let ray = Ray::new(DVec2::ZERO, DVec2::X);
    assert_eq!(scene.cast_ray(&ray, ..).map(|hit| hit.t), Some(16.0), "its transform is that of its object");
    round_trip(&scene, Precision::F32);
}

#[test]
fn groups_without_members_are_hit_nowhere() {
    let object = "[[object]]\ngeometry = 'none'\ntransform = { scale = [1, -2, 3], translation = [1, 0, 0] }\n";
    let scene = parse(&format!("[[geometry]]\nname = 'none'\ntype = 'group'\n{object}")).build::<DVec3>().unwrap();
    let ray = Ray::new(DVec3::NEG_X, DVec3::X);
    assert!(!scene.intersects_ray(&ray, Query::line()) && scene.cast_ray_all(&ray, ..).is_empty());
    assert!(!scene.contains(DVec3::X));
    round_trip(&scene, Precision::F32);
}

#[test]
fn errors_name_the_group_and_the_member() {
    let with = |members: &str| {
        message(&format!("{BALL}[[geometry]]\nname = 'cart'\ntype = 'group'\n{members}\n[[object]]\ngeometry = 'cart'"))
    };
    let at = |line: u64| format!("scene.toml: geometry 1 'cart' (line {line}): ");
    assert_eq!(
        with("[[geometry.object]]\n[[geometry.object]]\ngeometry = 'ball'"),
        at(9) + "object 0: missing 'geometry'"
    );
    assert_eq!(
        with("[[geometry.object]]\nname = 'left'\ngeometry = 'bal'"),
        at(11) + "object 0 'left': unknown geometry 'bal' (did you mean 'ball'?)"
    );
    assert_eq!(
        with("object = [\n{ geometry = 'ball' },\n{ geometry = 'ball', transform = { scale = 0 } },\n]"),
        at(11) + "object 1: scale must not be 0"
    );
    assert_eq!(
        with("[[geometry.shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 0"),
        at(12) + "shape 0: radius must be greater than 0"
    );
    let twice = "[[geometry.object]]\ngeometry = 'ball'\nname = 'x'\n".repeat(2);
    assert_eq!(with(&twice), at(14) + "object 1 'x': two shapes are named 'x'");
    assert_eq!(
        with("[[geometry.object]]\ngeometry = 'ball'\nlayer = 'trees'"),
        at(11) + "object 0: unknown layer 'trees' (the scene names no layers: use 0 to 31)"
    );
    assert_eq!(with("object = 3"), at(9) + "'object' must be a list of tables: write [[geometry.object]]");
    assert_eq!(with("shape = [7]"), at(9) + "shape 0 must be a table, got a number");
    assert_eq!(with("objects = []"), at(9) + "unknown key 'objects' (did you mean 'object'?)");
    assert_eq!(with("radius = 1"), at(9) + "unknown key 'radius' (known: shape, object, type, name, transform)");
    assert_eq!(with("layer = 1"), at(9) + "'layer' belongs to [[object]]");
    assert_eq!(with("transform.scale = 2"), at(9) + "'transform': the image is of no type (give it to [[object]])");
    assert_eq!(
        message(&format!("{BALL}object = []\n[[object]]\ngeometry = 'ball'")),
        "scene.toml: geometry 0 'ball' (line 6): unknown key 'object' (known: center, radius, type, name, transform)"
    );
    let mesh = with("[[geometry.shape]]\ntype = 'mesh'\nfile = 'absent.obj'");
    assert_eq!(mesh, at(11) + "shape 0: absent.obj: No such file or directory");
}

/// Groups `0`, `1` and so on, each with an object of the next one, and the last one with an object of a geometry.
fn chain(length: usize, last: &str) -> String {
    let group = |i: usize| {
        let placed = if i + 1 == length { last.to_owned() } else { (i + 1).to_string() };
        format!("[[geometry]]\nname = '{i}'\ntype = 'group'\n[[geometry.object]]\ngeometry = '{placed}'\n")
    };
    let groups: String = (0..length).map(group).collect();
    format!("{groups}{BALL}[[object]]\ngeometry = '0'\n")
}

#[test]
fn groups_in_a_circle_are_refused() {
    let itself = "scene.toml: geometry 0 '0' (line 5): the group contains itself: 0 > 0 (place another geometry)";
    assert_eq!(message(&chain(1, "0")), itself);
    let three = "the group contains itself: 1 > 2 > 3 > 1 (place another geometry)";
    assert_eq!(message(&chain(4, "1")), format!("scene.toml: geometry 1 '1' (line 10): {three}"));
    // One that is not in the circle, but places one that is.
    let outside = "[[geometry]]\nname = 'a'\ntype = 'group'\nobject = [{ geometry = 'ball' }, { geometry = '0' }]\n";
    assert_eq!(
        message(&(outside.to_owned() + &chain(2, "0"))),
        "scene.toml: geometry 1 '0' (line 9): the group contains itself: 0 > 1 > 0 (place another geometry)"
    );
    let long = message(&chain(20_000, "0"));
    assert!(long.starts_with("scene.toml: geometry 0 '0' (line 5): the group contains itself: 0 > 1 > 2 > "), "{long}");
    assert!(long.ends_with(" > 0 (place another geometry)") && long.len() < 400, "{long}");
}

#[test]
fn groups_have_eight_levels() {
    let eight = parse(&chain(8, "ball")).build::<Vec3>().unwrap();
    assert_eq!(group(eight.at(0).unwrap().1).depth(), 8);
    let text = "groups and solids are nested to more than 8 levels: place the inner objects directly";
    assert_eq!(message(&chain(9, "ball")), format!("scene.toml: geometry 0 '0' (line 1): {text}"));
    // The eighth from the end is the last that fits.
    assert_eq!(message(&chain(20_000, "ball")), format!("scene.toml: geometry 19991 '19991' (line 99956): {text}"));
    let shapes: String = (1..=9).map(|i| format!("[[shape{}]]\ntype = 'group'\n", ".shape".repeat(i - 1))).collect();
    let error = message(&shapes);
    assert!(error.starts_with("scene.toml: shape 0 (line 1): groups and solids are nested"), "{error}");
}

/// Writes, reads, writes: the same text, the same objects at every level.
fn round_trip<V: SceneVector>(scene: &Scene<V>, precision: Precision) -> String {
    let folder = Folder::new();
    let mut meshes = 0;
    let text = write_scene(scene, |_, mesh| {
        meshes += 1;
        let name = format!("mesh{meshes}.ply");
        write_ply(&folder.path(&name), mesh).map(|()| name)
    });
    let text = text.unwrap();
    let file = SceneFile::open(&folder.file("scene.toml", &text)).unwrap();
    assert_eq!((file.dimension(), file.precision()), (V::DIMENSION, precision), "{text}");
    let again = file.build::<V>().unwrap();
    let [a, b] = [scene, &again].map(|scene| scene.objects().map(|(_, object)| object).collect::<Vec<_>>());
    same(&a, &b, &mut HashSet::new());
    let mut meshes = 0;
    let again = write_scene(&again, |_, _| {
        meshes += 1;
        Ok(format!("mesh{meshes}.ply"))
    });
    assert_eq!(again.unwrap(), text);
    text
}

/// Compares objects, and those of each group once.
fn same<V: Space>(a: &[&Object<V>], b: &[&Object<V>], seen: &mut HashSet<usize>) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
    for (a, b) in a.iter().zip(b) {
        if let (Some(a), Some(b)) = (V::as_group(a.shape()), V::as_group(b.shape()))
            && seen.insert(a.address())
        {
            let [a, b] = [a, b].map(|group| group.objects().map(|(_, object)| object).collect::<Vec<_>>());
            same(&a, &b, seen);
        }
    }
}

#[test]
fn groups_are_written_and_read_back_without_loss() {
    let scene = parse(&nested()).build::<Vec3>().unwrap();
    let text = round_trip(&scene, Precision::F32);
    assert_eq!(text.matches("type = \"group\"").count(), 2, "shared ones once\n{text}");
    assert_eq!((text.matches("\n[[object]]").count(), text.matches("\n[[geometry.object]]").count()), (2, 3), "{text}");
    // From a saved scene, too.
    let folder = Folder::new();
    let saved = SceneFile::open(&folder.file("a.hitscene", scene.to_bytes().unwrap())).unwrap();
    assert_eq!(round_trip(&saved.build::<Vec3>().unwrap(), Precision::F32), text);
}

#[test]
fn meshes_of_groups_are_written_once() {
    let data = parse_mesh("a.obj".as_ref(), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").unwrap();
    let [alone, shared] = [0, 1].map(|_| hitscan::AnyShape3::from(data.to_mesh::<Vec3>().unwrap()));
    let mut inner = Scene::<Vec3>::new();
    inner.insert(Object::new(alone).named("alone")).unwrap();
    inner.insert(Object::new(shared.clone()).named("shared")).unwrap();
    let inner = Group::new(inner).unwrap();
    let mut scene = Scene::<Vec3>::new();
    let far = Transform::from_translation(Vec3::X * 9.0).unwrap();
    scene.insert(Object::new(inner.clone())).unwrap();
    scene.insert(Object::new(inner).with_transform(far)).unwrap();
    scene.insert(Object::new(shared)).unwrap();
    let text = round_trip(&scene, Precision::F32);
    assert_eq!(text.matches("mesh1.ply").count() + text.matches("mesh2.ply").count(), 2, "{text}");
    assert_eq!((text.matches("[[geometry]]").count(), text.matches("[[geometry.shape]]").count()), (2, 1), "{text}");
}

/// Five levels of 30 objects each: 24 million circles, of which the text has 30.
#[test]
fn shared_groups_cost_what_one_of_them_costs() {
    let mut scene = Scene::<DVec2>::new();
    for i in 0..30 {
        scene.insert(Object::new(Circle::new(DVec2::X * f64::from(i), 0.25).unwrap())).unwrap();
    }
    for _ in 0..4 {
        let group = Group::new(scene).unwrap();
        scene = Scene::new();
        for i in 0..30 {
            let up = Transform::from_translation(DVec2::Y * f64::from(i)).unwrap();
            scene.insert(Object::new(group.clone()).with_transform(up)).unwrap();
        }
    }
    let text = round_trip(&scene, Precision::F32);
    assert_eq!(text.matches("type = \"group\"").count(), 4);
}

#[test]
fn welding_reaches_the_meshes_of_groups() {
    let folder = Folder::new();
    folder.file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5");
    let text = "[[geometry]]\nname = 'a'\ntype = 'group'\n[[geometry.shape]]\ntype = 'mesh'\nfile = 'a.obj'\n[[object]]\ngeometry = 'a'";
    let mut file = SceneFile::open(&folder.file("scene.toml", text)).unwrap();
    assert_eq!(file.mesh_files(), ["a.obj"]);
    assert_eq!(file.weld(0.0).unwrap().merged_vertices, 2);
    let scene = file.build::<Vec3>().unwrap();
    let (_, member) = group(scene.at(0).unwrap().1).objects().next().unwrap();
    let hitscan::AnyShape3::Mesh(mesh) = member.shape() else { panic!() };
    assert_eq!(mesh.vertices().len(), 4);
}
