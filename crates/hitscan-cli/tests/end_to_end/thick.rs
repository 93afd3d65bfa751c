//! Thick rays: `hitscan cast --thick`.

use crate::support::{BALL, Folder, csv_column, csv_numbers, in_every_format, page_sessions, refused, write_table};
use hitscan::glam::DVec3;
use hitscan::{Ray, SweepQuery};
use hitscan_io::SceneFile;
use test_support::random::Lcg;

const RAYS: usize = 3_000;
const WALL: &str = "[[shape]]\nname = 'wall'\ntype = 'box'\ncenter = [5, 0, 0]\nhalf_extents = [1, 1, 1]\n";
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const COLUMNS: &str = "ray,hit,hit_index,t,distance,px,py,pz,nx,ny,nz,fnx,fny,fnz,front,shape,primitive,u,v";

#[test]
fn a_sphere_touches_a_face_and_an_edge() {
    //                      +-----+
    //    o  - - - ->  (.)  |     |   y = 1.375: the edge (4, 1, z) is 0.375 below; 0.625^2 = 0.375^2 + 0.5^2
    //    o  - - - ->  (.)--|     |   y = 0: the face x = 4
    //                      +-----+
    let folder = Folder::new("thick-wall");
    folder.file("wall.toml", WALL);
    // The direction has the length 2.
    let rays = "--ray 0,0,0,2,0,0 --ray 0,1.375,0,2,0,0 --ray 0,1.75,0,2,0,0";
    let cast = |more: &str| folder.done(&format!("cast wall.toml {rays} --thick 0.625 --format csv {more}"));
    let face = "0,true,0,1.6875,3.375,4,0,0,-1,0,0,,,,true,wall,,,";
    let edge = "1,true,0,1.75,3.5,4,1,0,-0.8,0.6,0,,,,true,wall,,,";
    assert_eq!(cast(""), format!("{COLUMNS}\n{face}\n{edge}\n2,false,,,,,,,,,,,,,,,,,\n"));
    assert_eq!(cast("--query any"), "ray,hit\n0,true\n1,true\n2,false\n");
    assert_eq!(csv_column(&cast("--t-max 1.7"), "hit"), ["true", "false", "false"]);
    assert_eq!(csv_column(&cast("--query any --t-max 1.7"), "hit"), ["true", "false", "false"]);
    assert_eq!(csv_column(&cast("--ignore wall"), "hit"), ["false"; 3]);
    assert_eq!(
        csv_column(&folder.done(&format!("cast wall.toml {rays} --format csv")), "hit"),
        ["true", "false", "false"]
    );
    // For people.
    let table = folder.done("cast wall.toml --ray 0,0,0,2,0,0 --thick 0.625");
    assert!(
        table.ends_with("0  true          0  1.6875     3.375   4   0   0  -1   0   0                 true   wall\n"),
        "{table}"
    );
}

#[test]
fn a_circle_touches_a_circle() {
    //        ---
    //      /     \     the radii are 3 and 2, the path is 4 below the centre (10, 4): 5^2 = 3^2 + 4^2
    //     |   +   |
    //      \     /
    //    --->( )
    let folder = Folder::new("thick-circle");
    folder.file("flat.toml", "dimension = 2\n[[shape]]\nname = 'disc'\ntype = 'circle'\ncenter = [10, 4]\nradius = 3");
    let columns = "ray,hit,hit_index,t,distance,px,py,nx,ny,fnx,fny,front,shape,primitive,u,v";
    let found = folder.done("cast flat.toml --ray 0,0,1,0 --thick 2 --format csv");
    assert_eq!(found, format!("{columns}\n0,true,0,7,7,8.2,1.6,-0.6,-0.8,,,true,disc,,,\n"));
    // A segment ends where its end is: the range of t is 0 to 1.
    let segments = "--segment 0,0,14,0 --segment 0,0,6,0";
    let cast = |more: &str| folder.done(&format!("cast flat.toml {segments} --thick 2 --format csv {more}"));
    assert_eq!(csv_column(&cast(""), "hit"), ["true", "false"]);
    assert_eq!(csv_numbers(&cast("--line"), "distance"), [7.0, 7.0]);
    assert_eq!(csv_column(&cast(""), "t")[0], "0.5");
}

#[test]
fn a_sphere_that_begins_in_contact() {
    //        ---
    //      / (+) \     the centre (5, 5, 6.5) is half a radius above the ball
    //     |       |
    let folder = Folder::new("thick-start");
    folder.file("ball.toml", BALL);
    let cast = |more: &str| folder.done(&format!("cast ball.toml --ray 5,5,6.5,0,0,-1 --thick 1 --format csv {more}"));
    assert_eq!(cast(""), format!("{COLUMNS}\n0,true,0,0,0,5,5,6,0,0,1,,,,false,ball,,,\n"));
    assert_eq!(csv_column(&cast("--origin hollow"), "hit"), ["false"]);
    // From farther back it is a contact like any other.
    assert_eq!(cast("--t-min -5"), format!("{COLUMNS}\n0,true,0,-0.5,-0.5,5,5,6,0,0,1,,,,true,ball,,,\n"));
}

/// Rays, their layers and a scene of shapes, a mesh and a trigger.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("tetra.obj", TETRAHEDRON);
    let ball = "[[shape]]\nname = 'ball'\ntype = 'sphere'\nlayer = 1\ncenter = [-5, 0, 0]\nradius = 2\n";
    let zone = "[[shape]]\nname = 'zone'\ntype = 'sphere'\ntrigger = true\ncenter = [0, 0, 6]\nradius = 2\n";
    let mesh = "[[geometry]]\nname = 'tetra'\ntype = 'mesh'\nfile = 'tetra.obj'\n[[object]]\nname = 'placed'\n\
                geometry = 'tetra'\ntransform = { translation = [0, -4, 0], scale = [4, 3, 2] }\n";
    folder.file("scene.toml", format!("{WALL}{ball}{zone}{mesh}"));
    let mut random = Lcg::new(11);
    let mut column = |scale: f64| (0..RAYS).map(|_| random.signed_unit() * scale).collect::<Vec<_>>();
    let origins = ["ox", "oy", "oz"].map(|name| (name, column(9.0)));
    let directions = ["dx", "dy", "dz"].map(|name| (name, column(1.0)));
    write_table(&folder, "rays", &[origins, directions].concat());
    folder
}

#[test]
fn every_format_holds_the_same_numbers() {
    let folder = folder("thick-formats");
    for query in ["first", "any"] {
        let csv = in_every_format(&folder, &format!("cast scene.toml --thick 0.5 --query {query} --rays"), "rays");
        assert_eq!(csv.lines().count(), RAYS + 1);
        let linear_scan =
            format!("cast scene.toml --rays rays.csv --thick 0.5 --query {query} --precision f64 --accel brute");
        assert!(folder.done(&linear_scan) == csv);
    }
}

#[test]
fn a_table_holds_what_the_library_answers() {
    let folder = folder("thick-library");
    let scene = SceneFile::open(&folder.path("scene.toml")).unwrap().build::<DVec3>().unwrap();
    let csv = folder.done("cast scene.toml --rays rays.csv --thick 0.5 --precision f64");
    let rays = String::from_utf8(folder.read("rays.csv")).unwrap();
    let numbers = ["ox", "oy", "oz", "dx", "dy", "dz"].map(|name| csv_numbers(&rays, name));
    let found = ["t", "distance", "px", "py", "pz", "nx", "ny", "nz"].map(|name| csv_numbers(&csv, name));
    let (front, primitive) = (csv_column(&csv, "front"), csv_column(&csv, "primitive"));
    let of_faces = ["fnx", "fny", "fnz"].map(|name| csv_column(&csv, name));
    let (mut hits, mut starts, mut faces) = (0, 0, 0);
    for row in 0..RAYS {
        let [ox, oy, oz, dx, dy, dz] = numbers.each_ref().map(|column| column[row]);
        let ray = Ray::new(DVec3::new(ox, oy, oz), DVec3::new(dx, dy, dz));
        let expected = scene.try_cast_sphere(&ray, 0.5, ..).unwrap();
        let row_of = found.each_ref().map(|column| column[row]);
        let Some(hit) = expected else {
            assert!(row_of[0].is_nan(), "row {row}");
            continue;
        };
        let (p, n) = (hit.point, hit.normal);
        assert_eq!(row_of, [hit.t, hit.distance, p.x, p.y, p.z, n.x, n.y, n.z], "row {row}");
        let of_face = hit.face_normal.map(|n| [n.x, n.y, n.z]);
        let written = of_faces.each_ref().map(|column| column[row].parse::<f64>().ok());
        assert_eq!(written, [0, 1, 2].map(|axis| of_face.map(|n| n[axis])), "row {row}");
        faces += usize::from(of_face.is_some());
        assert_eq!(front[row], hit.depth.is_none().to_string(), "row {row}");
        assert_eq!(primitive[row].parse().ok(), hit.primitive, "row {row}");
        (hits, starts) = (hits + 1, starts + usize::from(hit.depth.is_some()));
    }
    assert!(hits > RAYS / 20 && starts > RAYS / 100, "{hits} hits, {starts} at the start");
    assert!(faces > 20 && faces < hits, "{faces} of {hits} hits");
}

/// ```text
///    ( )   a circle of radius 0.625 falls beside the end of a floor; 0.625^2 = 0.375^2 + 0.5^2
///     |
/// ----
/// ```
#[test]
fn the_normal_of_the_face_is_written_and_explained() {
    let folder = Folder::new("thick-face");
    let floor = "[[shape]]\nname = 'floor'\ntype = 'segment'\na = [-2, 0]\nb = [2, 0]\n";
    folder.file("flat.toml", format!("dimension = 2\n{floor}"));
    let ray = "--ray 2.375,4,0,-1 --thick 0.625";
    let columns = "--columns t,nx,ny,fnx,fny --format csv";
    let table = folder.done(&format!("cast flat.toml {ray} {columns}"));
    assert_eq!(table, "t,nx,ny,fnx,fny\n3.5,0.6,0.8,0,1\n");
    // Rays without a radius have no such columns.
    let without = folder.run(&format!("cast flat.toml --ray 0,4,0,-1 {columns}"));
    assert!(without.code == 1 && without.err.contains("there is no column 'fnx'"), "{}", without.err);
    let explained = folder.done(&format!("explain flat.toml {ray}"));
    assert!(explained.contains("normal (0.6, 0.8), face normal (0, 1)"), "{explained}");
    let lines: Vec<_> = explained.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(lines.iter().any(|line| line.contains("face normal y") && line.contains('1')), "{explained}");
}

#[test]
fn layers_triggers_and_limits_of_a_table() {
    let folder = Folder::new("thick-rules");
    let ball = |name: &str, x: f64, more: &str| {
        format!("[[shape]]\nname = '{name}'\ntype = 'sphere'\ncenter = [{x}, 0, 0]\nradius = 1\n{more}\n")
    };
    folder.file(
        "scene.toml",
        ball("zone", 4.0, "trigger = true") + &ball("near", 8.0, "layer = 3") + &ball("far", 12.0, ""),
    );
    folder.file(
        "rays.csv",
        "ox,oy,oz,dx,dy,dz,layers,t_max\n0,1.25,0,1,0,0,9,inf\n0,1.25,0,1,0,0,1,inf\n0,1.25,0,1,0,0,9,6\n",
    );
    let shapes =
        |more: &str| csv_column(&folder.done(&format!("cast scene.toml --rays rays.csv --thick 1 {more}")), "shape");
    assert_eq!(shapes(""), ["near", "far", ""]);
    assert_eq!(shapes("--triggers hit"), ["zone", "zone", "zone"]);
    assert_eq!(shapes("--layers 3"), ["near", "", ""]);
    assert_eq!(shapes("--ignore near"), ["far", "far", ""]);
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz,t_min\n0,1.25,0,1,0,0,0\n0,1.25,0,1,0,0,6\n0,1.25,0,1,0,0,11\n");
    assert_eq!(shapes("--triggers hit"), ["zone", "near", "far"]);
}

#[test]
fn what_thick_rays_do_not_have_is_refused() {
    let folder = Folder::new("thick-bad");
    folder.file("ball.toml", BALL);
    let run = |arguments: &str| folder.run(&format!("cast ball.toml --ray 5,5,9,0,0,-1 --thick {arguments}"));
    for query in ["all", "count", "spans"] {
        let result = run(&format!("1 --query {query}"));
        let message = "hitscan: --thick finds the first contact of each ray: it is for --query first and any\n";
        assert_eq!((result.code, result.text(), result.err.as_str()), (2, "", message));
    }
    for radius in ["0", "-1", "inf", "nan", "wide"] {
        let result = run(radius);
        assert_eq!((result.code, result.text()), (2, ""), "{radius}");
        let reason = if radius == "wide" { "not a number" } else { "a radius is a finite number greater than 0" };
        assert!(result.err.contains(reason), "{}", result.err);
    }
    let beyond = |radius: &str| format!("--thick: {radius} is beyond the range of f32 (--precision f64 takes it)");
    refused(&run("1e-60 --precision f32"), &beyond("1e-60"));
    refused(&run("1e60 --precision f32 -o out.csv"), &beyond("1e60"));
    assert_eq!(folder.names(), ["ball.toml"]);
}

/// A curved shape under an uneven scale has no distance, but a contact.
#[test]
fn shapes_under_an_uneven_scale_are_touched() {
    let folder = Folder::new("thick-uneven");
    let tin =
        "[[shape]]\nname = 'tin'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\ntransform = { scale = [1, 2, 1] }\n";
    let cube = "[[shape]]\nname = 'cube'\ntype = 'box'\ncenter = [100, 0, 0]\nhalf_extents = [1, 1, 1]\n";
    folder.file("scene.toml", format!("{tin}{cube}"));
    // The tin is 1 high along z, 2 along y.
    let rays = "--ray 0,0,9,0,0,-1 --ray 0,-9,0,0,1,0 --ray 90,0,0,1,0,0";
    let table = folder.done(&format!("cast scene.toml {rays} --thick 1 --format csv"));
    assert_eq!(csv_column(&table, "shape"), ["tin", "tin", "cube"]);
    let t = csv_numbers(&table, "t");
    assert!(t.iter().zip([7.0, 6.0, 8.0]).all(|(t, expected)| (t - expected).abs() < 1e-5), "{t:?}");
}

#[test]
fn the_help_tells_of_thick_rays() {
    let help = Folder::new("thick-help").done("help cast");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["--thick <R>", "the contact point", "--thick 0.4"] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn the_page_on_sweeps_tells_what_is_printed() {
    let folder = Folder::new("thick-page");
    assert_eq!(page_sessions(&folder, include_str!("../../../../docs/sweeps.md")), 2);
}
