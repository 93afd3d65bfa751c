//! Examples that can be checked with pencil and paper.

use crate::support::{BALL, Folder, csv_column, csv_numbers};

const NONE: [f64; 0] = [];

/// A scene of one shape.
fn scene(test: &str, shape: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("scene.toml", format!("[[shape]]\n{shape}\n"));
    folder
}

/// The `t` of all hits of a line of arguments after the scene.
fn all(folder: &Folder, arguments: &str) -> Vec<f64> {
    csv_numbers(&folder.done(&format!("cast scene.toml --query all --format csv {arguments}")), "t")
}

/// A limit beyond the ends of a segment means nothing, and its user may not know that.
#[test]
fn limits_beyond_the_ends_of_a_segment_are_refused() {
    //   a---b   c      the segment ends in front of the ball
    let folder = Folder::new("segment-limits");
    folder.file("scene.toml", BALL);
    let segment = "scene.toml --segment 5,5,0,5,5,2";
    let message = "the t of a segment is from 0 to 1 (--line goes beyond both ends, a --ray beyond one)";
    for command in ["cast", "explain", "cast --thick 1", "cast --query all"] {
        for limit in ["--t-max 2", "--t-max 1.5", "--t-max inf", "--t-min -1"] {
            let result = folder.run(&format!("{command} {segment} {limit}"));
            assert_eq!((result.code, result.text(), &*result.err), (2, "", &*format!("hitscan: {limit}: {message}\n")));
        }
    }
    let t = |arguments: &str| folder.done(&format!("cast {arguments} --columns t --format csv"));
    assert_eq!(t(&format!("{segment} --t-min 0 --t-max 1")), "t\n\n");
    assert_eq!(t(&format!("{segment} --line --t-max 2")), "t\n2\n");
    assert_eq!(t("scene.toml --ray 5,5,0,0,0,2 --t-max 2"), "t\n2\n");
    // A column may have any limit, for rows are not written one by one.
    folder.file("rays.csv", "ax,ay,az,bx,by,bz,t_max\n5,5,0,5,5,2,9\n5,5,0,5,5,5,9\n");
    assert_eq!(folder.done("cast scene.toml --rays rays.csv --columns t"), "t\n\n0.8\n");
}

#[test]
fn a_segment_crosses_a_circle_once_and_its_line_twice() {
    //            ---
    //          /     \ ---*-----
    //   a-----*   c   *         the segment ends at (10, 6), inside
    //          \     /
    //            ---
    let folder = Folder::new("segment");
    folder.file("scene.toml", "dimension = 2\n[[shape]]\ntype = 'circle'\ncenter = [10, 4]\nradius = 3");
    let hits = folder.done("cast scene.toml --segment 3,2,10,6 --query all --format csv");
    assert_eq!(csv_column(&hits, "shape"), ["circle-0"]);
    let (x, y) = (csv_numbers(&hits, "px")[0], csv_numbers(&hits, "py")[0]);
    assert_eq!((format!("{x:.5}"), format!("{y:.5}")), ("7.01444".into(), "4.29396".into()));
    let line = all(&folder, "--segment 3,2,10,6 --line");
    assert_eq!(line.len(), 2);
    assert!(line[0] < 1.0 && line[1] > 1.0);
    // As a table for people, the same.
    assert!(folder.done("cast scene.toml --segment 3,2,10,6").contains(" 7.014437  4.293964 "));
}

#[test]
fn the_diagonal_meets_the_unit_sphere() {
    let folder = Folder::new("sphere");
    folder.file("scene.toml", BALL);
    let hits = folder.done("cast scene.toml --ray 0,0,0,1,1,1 --query all --format csv");
    let third = 1.0 / 3f64.sqrt();
    let expected = [5.0 - third, 5.0 + third];
    for (t, expected) in csv_numbers(&hits, "t").iter().zip(expected) {
        assert!((t - expected).abs() <= 1e-15 * expected);
    }
    assert_eq!(csv_column(&hits, "front"), ["true", "false"]);
    assert_eq!(csv_column(&hits, "shape"), ["ball", "ball"]);
    // t counts in lengths of the direction, the distance does not.
    let distance = csv_numbers(&hits, "distance")[0];
    assert!((distance - expected[0] * 3f64.sqrt()).abs() < 1e-14);
    assert_eq!(all(&folder, "--ray 0,0,0,-1,-1,-1"), NONE);
    assert_eq!(all(&folder, "--ray 0,0,0,-1,-1,-1 --line").len(), 2);
}

#[test]
fn a_cylinder_end_on_from_inside_touched_and_out_of_reach() {
    //      y=4  +-------+
    //           |       |   radius 1 around the y axis
    //      y=0  +-------+
    let folder = scene("cylinder", "type = 'cylinder'\na = [0, 0, 0]\nb = [0, 4, 0]\nradius = 1");
    assert_eq!(all(&folder, "--ray 0,6,0,0,-1,0"), [2.0, 6.0], "end-on, on the axis");
    assert_eq!(all(&folder, "--ray 0.5,6,0,0,-2,0"), [1.0, 3.0], "end-on, beside the axis");
    assert_eq!(all(&folder, "--ray 1,6,0,0,-1,0"), [2.0, 6.0], "along the side");
    assert_eq!(all(&folder, "--ray 0,2,0,1,0,0"), [0.0, 1.0], "from inside");
    assert_eq!(all(&folder, "--ray 0,2,0,1,0,0 --origin hollow"), [1.0], "from inside, hollow");
    assert_eq!(all(&folder, "--ray -3,2,1,1,0,0"), [3.0], "touches the side");
    assert_eq!(all(&folder, "--ray -3,4,0,1,0,0"), [2.0, 4.0], "in the plane of the cap");
    assert_eq!(all(&folder, "--ray -3,2,0,1,0,0 --t-max 1.9"), NONE, "beyond the limit");
    assert_eq!(all(&folder, "--ray -3,2,0,1,0,0 --t-max 3"), [2.0], "the way out is beyond the limit");
    assert_eq!(all(&folder, "--ray 3,2,0,1,0,0"), NONE, "behind");
}

#[test]
fn a_cone_end_on_from_inside_touched_and_out_of_reach() {
    //           .      y=2, the apex
    //          / \
    //         /   \
    //        +-----+   y=0, radius 1
    let folder = scene("cone", "type = 'cone'\nbase = [0, 0, 0]\napex = [0, 2, 0]\nradius = 1");
    assert_eq!(all(&folder, "--ray 0,5,0,0,-1,0"), [3.0, 5.0], "onto the apex");
    assert_eq!(all(&folder, "--ray 0.5,5,0,0,-1,0"), [4.0, 5.0], "down onto the side");
    assert_eq!(all(&folder, "--ray 0,-1,0,0,1,0"), [1.0, 3.0], "into the base");
    assert_eq!(all(&folder, "--ray 0,1,0,1,0,0"), [0.0, 0.5], "from inside");
    assert_eq!(all(&folder, "--ray -1,2,0,1,0,0"), [1.0], "touches the apex");
    assert_eq!(all(&folder, "--ray -2,1,0,1,0,0 --t-max 1.25"), NONE, "beyond the limit");
    assert_eq!(all(&folder, "--ray -2,1,0,1,0,0 --t-max 1.5"), [1.5], "at the limit");
}

#[test]
fn layers_faces_and_limits_choose_what_counts() {
    let folder = scene("choose", "type = 'plane'\nname = 'near'\npoint = [0, 0, 1]\nnormal = [0, 0, -1]\nlayer = 3");
    let more = "\n[[shape]]\ntype = 'plane'\nname = 'far'\npoint = [0, 0, 2]\nnormal = [0, 0, 1]\nlayer = 7\n";
    let scene = String::from_utf8(folder.read("scene.toml")).unwrap() + more;
    folder.file("scene.toml", scene);
    let shape = |arguments: &str| {
        csv_column(&folder.done(&format!("cast scene.toml --ray 0,0,0,0,0,1 --format csv {arguments}")), "shape")
    };
    assert_eq!(shape(""), ["near"]);
    assert_eq!(shape("--layers 7"), ["far"]);
    assert_eq!(shape("--layers 3,7"), ["near"]);
    let result = folder.run("cast scene.toml --ray 0,0,0,0,0,1 --format csv --layers 0,5");
    assert_eq!((result.code, csv_column(result.text(), "shape")), (0, vec![String::new()]));
    let warning = "--layers 0,5: no shape is on these layers (the scene uses 3,7), so nothing is found";
    assert_eq!(result.warnings(), format!("hitscan: warning: {warning}\n"));
    assert_eq!(shape("--faces back"), ["far"]);
    assert_eq!(shape("--t-min 1.5"), ["far"]);
    assert_eq!(shape("--t-min 1.5 --t-max 1.75"), [""]);
}

#[test]
fn a_ray_without_direction_is_warned_about_once() {
    let folder = Folder::new("zero");
    folder.file("scene.toml", BALL);
    let result =
        folder.run("cast scene.toml --ray 0,0,0,1,1,1 --ray 0,0,0,0,0,0 --ray 1,1,1,0,0,0 --query any --format csv");
    assert_eq!((result.code, result.text()), (0, "ray,hit\n0,true\n1,false\n2,false\n"));
    let warning = "hitscan: warning: 2 rays have a direction of zero and so hit nothing (the first: row 1)\n";
    assert_eq!(result.warnings(), warning);
}

#[test]
fn a_range_that_holds_nothing_is_warned_about() {
    let folder = Folder::new("empty-range");
    folder.file("scene.toml", BALL);
    let warnings = |arguments: &str| {
        let result = folder.run(&format!("cast scene.toml --query any --format csv {arguments}"));
        assert_eq!(result.code, 0, "{result:?}");
        result.warnings().to_owned()
    };
    let warning = |rays: &str, row: u64| {
        let text = "a range that holds nothing (t_min > t_max, or a distance below 0) and so hit nothing";
        format!("hitscan: warning: {rays} {text} (the first: row {row})\n")
    };
    let two_rays = "--ray 0,0,0,1,1,1 --ray 1,0,0,1,1,1";
    assert_eq!(warnings(&format!("{two_rays} --t-min 5 --t-max 4")), warning("2 rays have", 0));
    assert_eq!(warnings(&format!("{two_rays} --t-max -1")), warning("2 rays have", 0));
    assert_eq!(warnings(&format!("{two_rays} --t-min 4 --t-max 4")), "");
    assert_eq!(warnings(&format!("{two_rays} --line --t-max -1")), "");
    // A segment ends at 1.
    assert_eq!(warnings("--segment 0,0,0,1,1,1 --t-min 2"), warning("1 ray has", 0));
    assert_eq!(warnings("--segment 0,0,0,1,1,1 --t-min 2 --line"), "");
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz,t_min,t_max\n0,0,0,1,1,1,0,9\n0,0,0,1,1,1,3,2\n");
    assert_eq!(warnings("--rays rays.csv"), warning("1 ray has", 1));
    assert_eq!(warnings("--rays rays.csv --t-max -5"), warning("2 rays have", 0));
    // A distance below 0 leaves nothing of a segment, wherever its own t_min is; of a line it leaves what is behind the origin.
    let header = "t_min,max_distance,ax,ay,az,bx,by,bz\n";
    folder.file("segments.csv", format!("{header}-inf,4,0,0,0,1,1,1\n-inf,-4,0,0,0,1,1,1\n"));
    assert_eq!(warnings("--rays segments.csv"), warning("1 ray has", 1));
    assert_eq!(warnings("--rays segments.csv --line"), "");
}

#[test]
fn spans_of_an_open_mesh_are_explained() {
    let folder = Folder::new("open-spans");
    let closed = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    folder.file("closed.obj", closed);
    folder.file("open.obj", closed.replace("f 3 1 4\n", ""));
    let spans = |file: &str, more: &str| {
        folder.run(&format!("cast {file} --ray 0.1,0.1,-1,0,0,1 --query spans --format csv {more}"))
    };
    let result = spans("open.obj", "");
    assert_eq!((result.code, result.text().lines().count()), (0, 1), "{result:?}");
    let reason = "the mesh open has no spans, for it is not closed: 3 edges have an odd number of triangles (hitscan info \
        tells whether --weld closes it)";
    assert_eq!(result.warnings(), format!("hitscan: warning: {reason}\n"));
    let result = spans("closed.obj", "");
    assert_eq!((result.warnings(), result.text().lines().count()), ("", 3), "{result:?}");
}

/// Of each open mesh that the query sees there is one warning, under the name of the first object that has it.
#[test]
fn each_open_mesh_is_explained_once() {
    let folder = Folder::new("open-meshes");
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n";
    folder.file("three.obj", format!("{tetrahedron}f 2 3 4\n"));
    folder.file("two.obj", tetrahedron);
    let pair = "[[geometry]]\nname = 'pair'\ntype = 'group'\n\
        [[geometry.shape]]\ntype = 'mesh'\nfile = 'three.obj'\nlayer = 1\n\
        [[geometry.shape]]\ntype = 'mesh'\nfile = 'two.obj'\nlayer = 2\n";
    let placed = |name: &str| format!("[[object]]\ngeometry = 'pair'\nname = '{name}'\nlayers = [1, 2, 3]\n");
    folder.file("scene.toml", format!("{pair}{}{}", placed("first"), placed("second")));
    let warnings = |more: &str| {
        let arguments = format!("cast scene.toml --ray 0.1,0.1,-1,0,0,1 --query spans --format csv {more}");
        folder.run(&arguments).warnings().to_owned()
    };
    let both = "hitscan: warning: 2 meshes of first have no spans, for they are not closed: 7 edges have an odd number of \
        triangles (hitscan info tells whether --weld closes them)\n";
    assert_eq!(warnings(""), both);
    let one = "hitscan: warning: the mesh first has no spans, for it is not closed: 3 edges have an odd number of \
        triangles (hitscan info tells whether --weld closes it)\n";
    assert_eq!(warnings("--layers 1"), one);
    // The group is on layer 3, but none of its members is.
    assert_eq!(warnings("--layers 3"), "");
}

#[test]
fn the_last_line_sums_up_unless_quiet() {
    let folder = Folder::new("summary");
    folder.file("scene.toml", BALL);
    let cast = "cast scene.toml --ray 0,0,0,1,1,1 --ray 0,0,0,-1,0,0 --format csv";
    let result = folder.run(cast);
    assert!(result.err.starts_with("hitscan: 2 rays, 1 hit, 0.") && result.warnings().is_empty(), "{}", result.err);
    let result = folder.run(&format!("{cast} --ray 1,1,1,0,0,0 --quiet"));
    let warning = "hitscan: warning: 1 ray has a direction of zero and so hit nothing (the first: row 2)\n";
    assert_eq!((result.code, result.err.as_str()), (0, warning));
}
