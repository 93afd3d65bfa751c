//! Solids of scene files: read, refused, and written.

use crate::support::Folder;
use hitscan::glam::{DVec2, DVec3, Vec3};
use hitscan::{Query, Ray, RayCast, Scene, Shape, Side, Space};
use hitscan_io::{SceneFile, SceneVector, write_ply, write_scene, write_scene_with_names};

fn parse(text: &str) -> SceneFile {
    SceneFile::parse_toml("scene.toml", text).unwrap()
}

fn message(text: &str) -> String {
    SceneFile::parse_toml("scene.toml", text).unwrap_err().to_string()
}

const BORE: &str = "[[geometry]]\nname = 'bore'\ntype = 'cylinder'\na = [0, 0, -1]\nb = [0, 0, 1]\nradius = 0.5\n";

/// The plate of x from -2 to 4, with bores at x = 0 and x = 2, cut off at x = 3.5.
///
/// ```text
///   z = 0.25   ____    ____    ____ .
///             |    |  |    |  |    |.
///   x =      -2    0-0.5..0.5 1.5..2.5  3.5
/// ```
fn bracket(expression: &str) -> String {
    format!(
        "{BORE}[[shape]]\nname = 'bracket'\ntype = 'solid'\nexpression = \"{expression}\"\n\
         object = [\n{{ geometry = 'bore' }},\n{{ geometry = 'bore', name = 'bore_b', transform = {{ translation = [2, 0, 0] }} }},\n]\n\
         [[shape.shape]]\nname = 'plate'\ntype = 'box'\ncenter = [1, 0, 0]\nhalf_extents = [3, 1, 0.25]\n\
         [[shape.shape]]\nname = 'cut'\ntype = 'half_space'\npoint = [3.5, 0, 0]\nnormal = [-1, 0, 0]\n"
    )
}

/// The ends of the spans of a ray along x through the middle.
fn spans(scene: &Scene<DVec3>) -> Vec<[f64; 2]> {
    let ray = Ray::new(DVec3::new(-10.0, 0.0, 0.0), DVec3::X);
    let found = scene.spans(&ray, ..);
    let x = |hit: Option<hitscan::Hit<DVec3>>| hit.unwrap().point.x;
    found.into_iter().map(|span| [x(span.enter), x(span.exit)]).collect()
}

#[test]
fn solids_are_read() {
    let file = parse(&bracket("plate - (bore | bore_b) & ~cut"));
    assert_eq!(file.notes(), [""; 0], "what a solid places is placed");
    let scene = file.build::<DVec3>().unwrap();
    let solid = DVec3::as_solid(scene.at(0).unwrap().1.shape()).unwrap();
    assert_eq!((solid.len(), solid.expression()), (4, "0 - 1 - 2 - 3".into()));
    assert_eq!(spans(&scene), [[-2.0, -0.5], [0.5, 1.5], [2.5, 3.5]]);
    let leaves: Vec<_> = file.leaf_names(0).unwrap().into_iter().map(|leaf| (leaf.name, leaf.geometry)).collect();
    let expected = [("plate", None), ("bore", Some("bore")), ("bore_b", Some("bore")), ("cut", None)];
    assert_eq!(leaves, expected.map(|(name, geometry)| (name.to_owned(), geometry.map(str::to_owned))));
    // From above at x = 2.25: through a bore. Within it: its wall, of the third leaf.
    let down = Ray::new(DVec3::new(2.25, 0.0, 9.0), DVec3::NEG_Z);
    assert!(scene.cast_ray(&down, ..).is_none());
    let hit = scene.cast_ray(&Ray::new(DVec3::new(2.0, 0.0, 0.0), DVec3::X), ..).unwrap();
    assert_eq!((hit.point.x, hit.member, hit.side, hit.normal), (2.5, Some(2), Side::Front, DVec3::NEG_X));
    assert!(scene.contains(DVec3::new(1.0, 0.5, 0.0)) && !scene.contains(DVec3::ZERO));
}

#[test]
fn operators_and_members_give_the_solid_that_they_say() {
    let of = |expression: &str, x: f64| {
        let [a, b, c] = [0.0, 1.0, 2.0].map(|x| {
            let name = ["a", "b", "c"][x as usize];
            format!("[[shape.shape]]\nname = '{name}'\ntype = 'circle'\ncenter = [{x}, 0]\nradius = 1.5\n")
        });
        let text = format!("dimension = 2\n[[shape]]\ntype = 'solid'\nexpression = '{expression}'\n{a}{b}{c}");
        parse(&text).build::<DVec2>().unwrap().contains(DVec2::new(x, 0.0))
    };
    // Inside of a, of b, of c.
    let points =
        [(-1.0, [true, false, false]), (0.25, [true, true, false]), (1.0, [true, true, true]), (5.0, [false; 3])];
    for (x, [a, b, c]) in points {
        assert_eq!(of("a - b - c", x), a && !b && !c);
        assert_eq!(of("a - b & c", x), (a && !b) && c);
        assert_eq!(of("a | b & ~c", x), a || (b && !c));
        assert_eq!(of("!(a & b) - c", x), !(c || a && b));
        assert_eq!(of("a - (b - c)", x), a && (!b || c));
    }
}

#[test]
fn solids_have_solids_and_groups_and_placed_images() {
    let text = "[[geometry]]\nname = 'pair'\ntype = 'group'\n\
        [[geometry.shape]]\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\nlayer = 3\n\
        [[geometry.shape]]\ntype = 'sphere'\ncenter = [4, 0, 0]\nradius = 1\n\
        [[geometry]]\nname = 'ring'\ntype = 'solid'\nexpression = 'outer - inner'\nshape = [\n\
        { name = 'outer', type = 'cylinder', a = [0, 0, -1], b = [0, 0, 1], radius = 2 },\n\
        { name = 'inner', type = 'cylinder', a = [0, 0, -1], b = [0, 0, 1], radius = 1 },\n]\n\
        [[geometry]]\nname = 'all'\ntype = 'solid'\nexpression = \"ring | 'far ring' | pair\"\nobject = [\n\
        { geometry = 'ring' },\n\
        { geometry = 'ring', name = 'far ring', transform = { scale = [2, 1, 1], translation = [10, 0, 0] } },\n\
        { geometry = 'pair', transform = { translation = [20, 0, 0] } },\n]\n\
        [[object]]\ngeometry = 'all'\nname = 'all'\ntransform = { translation = [0, 0, 0.5] }\n";
    let file = parse(text);
    let scene = file.build::<DVec3>().unwrap();
    let expected = [[-2.0, -1.0], [1.0, 2.0], [6.0, 8.0], [12.0, 14.0], [19.0, 21.0], [23.0, 25.0]];
    let ray = Ray::new(DVec3::new(-10.0, 0.0, 0.5), DVec3::X);
    let hits: Vec<f64> = scene.cast_ray_all(&ray, Query::from(..).layers(9)).iter().map(|hit| hit.point.x).collect();
    assert_eq!(hits, expected.as_flattened());
    let names: Vec<String> = file.leaf_names(0).unwrap().into_iter().map(|leaf| leaf.name).collect();
    assert_eq!(names, ["ring.outer", "ring.inner", "far ring", "pair"]);
    let text = round_trip(&file, &scene);
    assert!(text.contains("expression = \"(ring.outer - ring.inner) | 'far ring' | pair\"\n"), "{text}");
    assert_eq!(text.matches("type = \"solid\"").count(), 2, "the placed ring is a solid of its own: {text}");
}

#[test]
fn errors_name_the_solid_the_member_and_the_column() {
    let with = |expression: &str| message(&bracket(expression));
    let at = "scene.toml: shape 0 'bracket' (line 10): 'expression', column";
    assert_eq!(
        with("plate - (bore | bore_c) & ~cut"),
        format!("{at} 17: unknown member 'bore_c' (did you mean 'bore_b'?)")
    );
    assert_eq!(with("plate - - bore"), format!("{at} 9: expected the name of a member, '(' or '~', got '-'"));
    assert_eq!(
        with("plate - (bore | bore_b & ~cut"),
        format!("{at} 30: expected an operator (|, &, -) or the ')' for column 9, got the end")
    );
    assert_eq!(
        with("plate - bore - bore_b"),
        "scene.toml: shape 0 'bracket' (line 20): shape 1 'cut': the expression does not use it (use it, or remove it)"
    );
    let solid = |rest: &str| message(&format!("{BORE}[[shape]]\ntype = 'solid'\n{rest}"));
    let ball = "[[shape.shape]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n";
    let at = |line: u64| format!("scene.toml: shape 0 (line {line}): ");
    assert_eq!(solid(ball), at(7) + "missing 'expression'");
    assert_eq!(solid("expression = 3"), at(9) + "'expression' needs a string, got a number");
    assert_eq!(
        solid("expression = ''"),
        at(9) + "'expression', column 1: expected the name of a member, '(' or '~', got the end"
    );
    assert_eq!(solid("expression = 'a'"), at(9) + "'expression', column 1: unknown member 'a' (there is none)");
    assert_eq!(
        solid("expression = 'a'\n[[shape.shape]]\ntype = 'sphere'"),
        at(10) + "shape 0: missing 'name': the expression of the solid needs it"
    );
    assert_eq!(
        solid(&format!("expression = 'ball'\n{ball}{ball}")),
        at(16) + "shape 1 'ball': two members are named 'ball'"
    );
    assert_eq!(
        solid(&format!("expression = 'ball'\n{ball}layer = 1\n")),
        at(15) + "shape 0 'ball': a member of a solid has no 'layer': give it to the solid"
    );
    assert_eq!(
        solid("expression = 'bore'\n[[shape.object]]\ngeometry = 'bore'\ntrigger = true\n"),
        at(12) + "object 0: a member of a solid has no 'trigger': give it to the solid"
    );
    assert_eq!(
        solid(
            "expression = 'lid'\n[[shape.shape]]\nname = 'lid'\ntype = 'disk'\ncenter = [0, 0, 0]\nnormal = [0, 0, 1]\nradius = 1\n"
        ),
        at(10) + "shape 0 'lid': a disk encloses no points: only solid shapes are parts of a solid"
    );
    assert_eq!(solid("expressions = 'a'"), at(9) + "unknown key 'expressions' (did you mean 'expression'?)");
}

/// A tetrahedron, and the same without a face.
fn meshes() -> Folder {
    let folder = Folder::new();
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    folder.file("open.obj", open);
    folder.file("closed.obj", format!("{open}f 3 1 4\n"));
    folder
}

#[test]
fn meshes_in_solids_are_closed() {
    let folder = meshes();
    let open = |text: &str| SceneFile::open(&folder.file("scene.toml", text));
    let with = |file: &str| {
        format!(
            "[[shape]]\ntype = 'solid'\nexpression = 'all & ~rock'\n\
             [[shape.shape]]\nname = 'all'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 3\n\
             [[shape.shape]]\nname = 'rock'\ntype = 'mesh'\nfile = '{file}'\ntransform = {{ scale = [2, 1, -1] }}\n"
        )
    };
    let scene = open(&with("closed.obj")).unwrap().build::<Vec3>().unwrap();
    assert!(scene.contains(Vec3::splat(0.125)) && !scene.contains(Vec3::new(0.25, 0.125, -0.125)));
    let what = "a mesh with holes encloses no points: close it, or leave it out of the solid";
    let error = open(&with("open.obj")).unwrap_err();
    assert_eq!(folder.message(&error), format!("scene.toml: shape 0 (line 9): shape 1 'rock': {what}"));
    // By way of geometries, and of a group.
    let placed = |file: &str, group: &str| {
        format!(
            "[[geometry]]\nname = 'rock'\ntype = 'mesh'\nfile = '{file}'\n{group}\
             [[geometry]]\nname = 'part'\ntype = 'solid'\nexpression = 'any'\nobject = [{{ geometry = 'rock', name = 'any' }}]\n\
             [[object]]\ngeometry = 'part'\n"
        )
    };
    let group = "[[geometry]]\nname = 'some'\ntype = 'group'\nobject = [{ geometry = 'rock' }]\n";
    let of_group = |file: &str| placed(file, group).replace("[{ geometry = 'rock', name", "[{ geometry = 'some', name");
    for text in [placed("closed.obj", ""), of_group("closed.obj")] {
        let scene = open(&text).unwrap().build::<DVec3>().unwrap();
        assert!(scene.contains(DVec3::splat(0.125)) && !scene.contains(DVec3::NEG_X), "{text}");
    }
    let error = open(&placed("open.obj", "")).unwrap_err();
    assert_eq!(folder.message(&error), format!("scene.toml: geometry 1 'part' (line 9): object 0 'any': {what}"));
    let what = "a group with a surface or with an open mesh encloses no points: leave those objects out";
    let error = open(&of_group("open.obj")).unwrap_err();
    assert_eq!(folder.message(&error), format!("scene.toml: geometry 2 'part' (line 13): object 0 'any': {what}"));
}

/// Solids `0`, `1` and so on, each with an object of the next one, and the last one with an object of a geometry.
fn chain(length: usize, last: &str) -> String {
    let solid = |i: usize| {
        let placed = if i + 1 == length { last.to_owned() } else { (i + 1).to_string() };
        format!(
            "[[geometry]]\nname = '{i}'\ntype = 'solid'\nexpression = '~{placed}'\n\
             [[geometry.object]]\ngeometry = '{placed}'\ntransform = {{ translation = [1, 0, 0] }}\n"
        )
    };
    let solids: String = (0..length).map(solid).collect();
    format!("{solids}{BORE}[[object]]\ngeometry = '0'\n")
}

#[test]
fn solids_have_eight_levels_and_no_circles() {
    assert_eq!(
        message(&chain(1, "0")),
        "scene.toml: geometry 0 '0' (line 6): the solid contains itself: 0 > 0 (place another geometry)"
    );
    let scene = parse(&chain(8, "bore")).build::<DVec3>().unwrap();
    assert!(scene.contains(DVec3::new(8.0, 0.0, 0.0)) && !scene.contains(DVec3::ZERO), "eight complements");
    let text = "groups and solids are nested to more than 8 levels: place the inner objects directly";
    assert_eq!(message(&chain(9, "bore")), format!("scene.toml: geometry 0 '0' (line 1): {text}"));
    assert_eq!(message(&chain(20_000, "bore")), format!("scene.toml: geometry 19991 '19991' (line 139938): {text}"));
    // Groups and solids in turn: the library counts groups only.
    let as_group =
        |text: String, i: usize| text.replace(&format!("type = 'solid'\nexpression = '~{}'", i + 1), "type = 'group'");
    let turns = (0..30).step_by(2).fold(chain(30, "bore"), as_group);
    assert!(message(&turns).ends_with(text));
    let shapes: String = (1..=9)
        .map(|i| format!("[[shape{}]]\nname = 'a'\ntype = 'solid'\nexpression = 'a'\n", ".shape".repeat(i - 1)))
        .collect();
    assert_eq!(message(&shapes), format!("scene.toml: shape 0 'a' (line 1): {text}"));
}

#[test]
fn a_solid_of_too_many_leaves_is_refused() {
    let many = |name: &str, of: &str| {
        let expression = vec![of; 1000].join(" | ");
        format!(
            "[[geometry]]\nname = '{name}'\ntype = 'solid'\nexpression = '{expression}'\nobject = [{{ geometry = '{of}' }}]\n"
        )
    };
    let text = format!(
        "{BORE}{}{}[[object]]\ngeometry = 'c'\n",
        many("b", "bore"),
        many("c", "b").replace("b | b", "b | b | b")
    );
    assert_eq!(
        message(&text),
        "scene.toml: geometry 2 'c' (line 15): the solid has 1500000 leaves, of solids that are used many times: place these with transforms, or use each once"
    );
    let moved = "{ geometry = 'b', transform = { translation = [9, 0, 0] } }";
    let images = text.replace("{ geometry = 'b' }", moved);
    assert_eq!(parse(&images).leaf_names(0).map(|leaves| leaves.len()), Some(1500), "an image is one leaf");
}

/// Writes with names, reads, and compares; then writes without names, and reads.
fn round_trip<V: SceneVector>(file: &SceneFile, scene: &Scene<V>) -> String {
    let folder = Folder::new();
    let write = |named: bool| {
        let mut meshes = 0;
        let mesh = |_, mesh: &_| {
            meshes += 1;
            let name = format!("mesh{meshes}.ply");
            write_ply(&folder.path(&name), mesh).map(|()| name)
        };
        if named { write_scene_with_names(scene, &file.names(), mesh) } else { write_scene(scene, mesh) }.unwrap()
    };
    for named in [true, false] {
        let text = write(named);
        let again = SceneFile::open(&folder.file("scene.toml", &text)).unwrap();
        let again = again.build::<V>().unwrap();
        let leaves = |scene: &Scene<V>| -> Vec<String> {
            scene
                .objects()
                .map(|(_, object)| format!("{object:?}"))
                .chain(
                    scene
                        .objects()
                        .filter_map(|(_, object)| V::as_solid(object.shape()))
                        .map(|solid| format!("{} {:?}", solid.expression(), solid.leaves().collect::<Vec<_>>())),
                )
                .collect()
        };
        assert_eq!(leaves(&again), leaves(scene), "{text}");
    }
    write(true)
}

#[test]
fn solids_are_written_with_their_names_or_with_numbers() {
    let file = parse(&bracket("plate - (bore | bore_b | bore) & !cut"));
    let scene = file.build::<DVec3>().unwrap();
    let text = round_trip(&file, &scene);
    assert!(text.contains("expression = \"plate - bore - bore_b - bore - cut\"\n"), "{text}");
    assert_eq!(text.matches("[[geometry.").count(), 4, "a member that is used twice is there once: {text}");
    assert!(text.contains("[[object]]\ngeometry = \"geometry-1\"\nname = \"bracket\"\n"), "{text}");
    let numbered = write_scene(&scene, |_, _| unreachable!()).unwrap();
    let expected = "expression = \"box_0 - cylinder_1 - cylinder_2 - cylinder_3 - half_space_4\"\n";
    assert!(numbered.contains(expected), "{numbered}");
}

#[test]
fn meshes_of_solids_are_written_and_welded() {
    let folder = meshes();
    let text = "[[shape]]\ntype = 'solid'\nexpression = 'all - rock'\n\
        [[shape.shape]]\nname = 'all'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 3\n\
        [[shape.shape]]\nname = 'rock'\ntype = 'mesh'\nfile = 'closed.obj'\n";
    let mut file = SceneFile::open(&folder.file("scene.toml", text)).unwrap();
    assert_eq!(file.mesh_files(), ["closed.obj"]);
    assert_eq!(file.weld(0.0).unwrap().merged_vertices, 0);
    let text = round_trip(&file, &file.build::<Vec3>().unwrap());
    assert!(text.contains("expression = \"all - rock\"\n") && text.contains("file = \"mesh1.ply\"\n"), "{text}");
}
