//! `explain` of closest points, thick rays and overlaps: its reasons and its pictures. Rays are in `commands.rs`.

use crate::support::Folder;

const FLAT: &str = "dimension = 2\n\
    [[shape]]\nname = 'ball'\ntype = 'circle'\ncenter = [0, 0]\nradius = 2\n\n\
    [[shape]]\nname = 'crate'\ntype = 'rectangle'\ncenter = [5, 0]\nhalf_extents = [1, 1]\n";
const SPACE: &str = "\
    [[shape]]\nname = 'wall'\ntype = 'box'\ncenter = [5, 0, 0]\nhalf_extents = [1, 1, 1]\n\n\
    [[shape]]\nname = 'rod'\ntype = 'cylinder'\na = [5, 0, 6]\nb = [5, 0, 8]\nradius = 1\nlayer = 3\n\n\
    [[geometry]]\nname = 'tube'\ntype = 'cylinder'\na = [0, 0, 0]\nb = [0, 0, 1e200]\nradius = 1\n\n\
    [[object]]\nname = 'tower'\ngeometry = 'tube'\ntransform = { translation = [0, 20, 0], scale = [1, 2, 1e200] }\n";

/// The scenes of the tests.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("flat.toml", FLAT);
    folder.file("space.toml", SPACE);
    folder
}

/// Checks that an explanation has these lines.
fn check(folder: &Folder, line: &str, expected: &[&str]) {
    let text = folder.done(&format!("explain {line}"));
    for expected in expected {
        assert!(text.lines().any(|line| line == *expected), "explain {line}: no '{expected}' in\n{text}");
    }
}

/// A line of a number, as it is printed.
fn step(name: &str, value: f64) -> String {
    format!("  {name:<44} {value}")
}

#[test]
fn a_closest_point_is_explained() {
    //     ---
    //   /     \     +---+
    //  |   o   | x  | o |        x = 3.5
    //   \     /     +---+
    //     ---
    let folder = folder("explain-point");
    let outcome = "closest: crate (rectangle, shape 1) at distance 0.5, point (4, 0), face 0, signed distance 0.5";
    let ball = "ball (circle, shape 0): farther than crate by 1 (1.5 > 0.5): its face 0";
    let [distance, x] = [step("distance", 0.5), step("closest point x", 4.0)];
    let winner = "crate (rectangle, shape 1): the closest: its face 0";
    check(&folder, "flat.toml --point 3.5,0", &[outcome, winner, ball, &distance, &x]);
    let signed = step("signed distance", -1.5);
    check(
        &folder,
        "flat.toml --point 0.5,0",
        &[
            "closest: ball (circle, shape 0) at distance 1.5, point (2, 0), face 0, signed distance -1.5",
            "ball (circle, shape 0): the closest: its face 0; it contains the point",
            &signed,
        ],
    );
    // Shapes that are not measured, far away and near, and those on other layers.
    let tower = "tower (cylinder, object 2): not measured (numbers near the end of the range): its bounding box is";
    check(
        &folder,
        "space.toml --point 5,2,0 --layers 0",
        &[
            "closest: wall (box, shape 0) at distance 1, point (5, 1, 0), face 3, signed distance 1",
            "rod (cylinder, shape 1): not on these layers (it is on 3)",
            &format!("{tower} 16.49242 away, farther than wall"),
        ],
    );
    check(
        &folder,
        "space.toml --point 0,22,0",
        &[
            "no answer: the closest shape may be one that cannot be measured",
            &format!("{tower} 0 away, so it may be the closest; it contains the point"),
        ],
    );
    let two = folder.done("explain flat.toml --point 3.5,0 --point 0.5,0");
    assert!(two.starts_with("point 0\nclosest: crate") && two.contains("\n\npoint 1\nclosest: ball"), "{two}");
}

#[test]
fn a_thick_ray_is_explained() {
    let folder = folder("explain-thick");
    // The sphere touches the edge of the wall, whose distance from the line is 0.375.
    let [t, normal] = [step("t", 1.75), step("normal y", 0.6)];
    check(
        &folder,
        "space.toml --ray 0,1.375,0,2,0,0 --thick 0.625",
        &[
            "contact: wall (box, shape 0) at t = 1.75, center (3.5, 1.375, 0), point (4, 1, 0), normal (-0.8, 0.6, 0)",
            "wall (box, shape 0): the first contact, touched at t = 1.75: its edge 10",
            "rod (cylinder, shape 1): missed by 5.386707: the center comes within 6.011707, the radius is 0.625",
            &t,
            &normal,
        ],
    );
    let missed = "wall (box, shape 0): missed by 1.5: the center comes within 2, the radius is 0.5";
    check(&folder, "space.toml --ray 0,3,0,1,0,0 --thick 0.5", &["no contact: the sphere touches no shape", missed]);
    // A segment that ends too early.
    check(&folder, "space.toml --segment 0,0,0,2,0,0 --thick 0.5", &[&format!("{missed} (the whole line: t = 1.75)")]);
    let depth = step("depth", 0.25);
    check(
        &folder,
        "space.toml --ray 5,1.25,0,1,0,0 --thick 0.5",
        &["wall (box, shape 0): the first contact, touched at the start, 0.25 deep: its face 3", &depth],
    );
    let hollow =
        "wall (box, shape 0): touched at the start, by 0.25, which does not count for hollow shapes, and not again";
    check(&folder, "space.toml --ray 5,1.25,0,1,0,0 --thick 0.5 --origin hollow", &[hollow]);
    let later = "crate (rectangle, shape 1): later than ball: t = 6.5 > 0.5: its face 0";
    check(&folder, "flat.toml --ray -3,0,1,0 --thick 0.5", &[later]);
}

#[test]
fn an_overlap_is_explained() {
    let folder = folder("explain-overlap");
    check(
        &folder,
        "flat.toml --sphere 3,0,1.5",
        &[
            "overlap: 2 objects, ball, crate",
            "ball (circle, shape 0): overlaps: the circle reaches 0.5 into it",
            "crate (rectangle, shape 1): overlaps: the circle reaches 0.5 into it",
            "  -> decided exactly",
        ],
    );
    check(
        &folder,
        "flat.toml --sphere 0,9,1",
        &[
            "no overlap: nothing reaches into the volume",
            "ball (circle, shape 0): does not overlap: the circle ends 6 before it",
        ],
    );
    check(
        &folder,
        "space.toml --box 7,0,0,1,1,1",
        &[
            "overlap: 1 object, wall",
            "wall (box, shape 0): overlaps",
            "rod (cylinder, shape 1): does not overlap",
            "  -> decided by a measured distance",
        ],
    );
    folder.file("tetra.obj", "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    check(
        &folder,
        "tetra.obj --sphere 0,0,5,1",
        &["tetra (mesh, shape 0): overlaps 2 of its 4 triangles: the sphere \
                                                   reaches 1 into it"],
    );
    check(
        &folder,
        "tetra.obj --box 2,2,2,0.5,0.5,0.5",
        &["tetra (mesh, shape 0): overlaps, as a solid: none of its \
                                                          triangles is touched"],
    );
}

#[test]
fn far_shapes_are_left_out() {
    let folder = Folder::new("explain-many");
    let ball = |x: i32| format!("[[shape]]\ntype = 'sphere'\ncenter = [{x}, 0, 0]\nradius = 1\n");
    folder.file("many.toml", (0..10).map(|i| ball(10 * i)).collect::<String>());
    for (line, n, why) in [
        ("--point 0,3,0", 9, "whose bounding box is farther than the closest point"),
        ("--ray 0,9,0,0,-1,0 --thick 0.5", 9, "whose bounding box the sphere does not touch"),
        ("--sphere 0,2,0,1.5", 9, "whose bounding box the volume does not overlap"),
    ] {
        let text = folder.done(&format!("explain many.toml {line}"));
        assert!(text.ends_with(&format!("\nleft out: {n} {why} (--all lists them too)\n")), "{text}");
        let all = folder.done(&format!("explain many.toml {line} --all"));
        assert!(all.matches("(sphere, shape ").count() >= 10 && !all.contains("left out"), "{all}");
    }
}

#[test]
fn pictures_show_the_construction() {
    let folder = folder("explain-pictures");
    let svg = |line: &str, elements: &[&str]| {
        folder.done(&format!("explain flat.toml {line} --picture why.svg"));
        let svg = String::from_utf8(folder.read("why.svg")).unwrap();
        for element in elements {
            assert!(svg.contains(element), "{line}: no {element} in {svg}");
        }
        svg
    };
    let [red, green] = ["stroke=\"#d62728\"", "stroke=\"#1f9e3f\""];
    svg("--point 3.5,0", &[">point</text>", ">closest: 0.5 away, face 0</text>", "<title>distance</title>", red]);
    svg("--point 0.5,0", &[">point, inside</text>"]);
    svg(
        "--ray -9,0,1,0 --thick 0.5",
        &[
            ">start</text>",
            ">contact: t = 6.5</text>",
            "<title>way of the sphere</title>",
            "<title>sphere at the start</title>",
            "<title>sphere at the contact</title>",
            red,
            green,
        ],
    );
    let miss = svg("--ray -9,3,1,0 --thick 0.5", &[">no contact</text>", "stroke=\"#1f5fd0\""]);
    assert!(!miss.contains(red) && !miss.contains(green), "{miss}");
    // The crate keeps its colour, the ball is gray.
    let crate_only =
        svg("--sphere 7,0,1.5", &[">circle of radius 1.5: overlaps 1 shape</text>", "<title>volume</title>"]);
    assert!(crate_only.contains("#b4bcc8") && crate_only.contains("#ee7733") && !crate_only.contains("#4477aa"));
    svg("--box 0,9,1,1", &[">rectangle: overlaps nothing</text>"]);
    // Without the tower: each ray of a picture would meet it in exact arithmetic.
    folder.file("near.toml", SPACE.split("[[geometry]]").next().unwrap());
    for line in ["--ray 0,1.375,0,2,0,0 --thick 0.625", "--box 6,0,1,1,1,1"] {
        let text = folder.done(&format!("explain near.toml {line} --picture why.png"));
        assert_eq!(text, folder.done(&format!("explain near.toml {line}")));
        assert!(folder.read("why.png").len() > 5_000, "{line}");
    }
    folder.done("explain flat.toml --point 3.5,0 --picture flat.png");
    assert!(folder.read("flat.png").len() > 2_000);
}

#[test]
fn wrong_options_are_refused() {
    let folder = folder("explain-refused");
    for (line, code, message) in [
        ("space.toml --ray 0,0,0,1,0,0 --thick -1", 2, "a radius is a finite number greater than 0"),
        ("space.toml --point 1,2", 1, "--point 1: 2 numbers, but in 3D it takes 3 (px,py,pz)"),
        ("flat.toml --sphere 1,2,3,4", 1, "--sphere 1: 4 numbers, but in 2D it takes 3 (px,py,radius)"),
        ("flat.toml --sphere 1,2,-3", 1, "--sphere 1: radius: -3 is no radius (a finite number greater than 0)"),
        ("flat.toml --point 1,2 --ray 1,2,3,4", 2, "cannot be used with"),
        ("flat.toml --sphere 1,2,3 --box 1,2,3,4", 2, "cannot be used with"),
        ("flat.toml --point 1,2 --thick 3", 2, "cannot be used with"),
        ("flat.toml", 2, "required"),
        ("flat.toml --point 1,2 --t-max 3", 2, "--t-max is for rays: points and volumes take --layers only"),
        ("flat.toml --point 1,2 --point 3,4 --picture two.svg", 2, "--picture draws one point, but 2 are given"),
        ("flat.toml --sphere 1,2,1e-60 --precision f32", 1, "is beyond the range of f32"),
        ("space.toml --point 1,2,3 --picture why.svg", 1, "an SVG shows flat scenes only"),
    ] {
        let result = folder.run(&format!("explain {line}"));
        assert!(result.code == code && result.text().is_empty() && result.err.contains(message), "{line}: {result:?}");
    }
}
