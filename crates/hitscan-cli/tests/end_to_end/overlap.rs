//! Volumes and what they overlap: `hitscan overlap`.

use crate::support::{Folder, csv_column, csv_numbers, in_every_format, page_sessions, refused, write_table};
use hitscan::glam::DVec3;
use hitscan::{Cuboid, OverlapQuery, Sphere, Volume};
use hitscan_io::SceneFile;
use test_support::random::Lcg;

const VOLUMES: usize = 3_000;
const BALLS: &str = "\
[[shape]]\nname = 'ball'\ntype = 'sphere'\ncenter = [0, 0, 0]\nradius = 1\n\n\
[[shape]]\nname = 'crate'\ntype = 'box'\nlayer = 2\ncenter = [5, 0, 0]\nhalf_extents = [1, 1, 1]\n";
/// A closed tetrahedron.
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn spheres_beside_touching_and_between() {
    //     ---         +---+
    //   / 0   \ 1 2   |   |     0 is inside of the ball, 1 touches it, 2 (2.5, 0, 0) touches both,
    //    \   /        +---+     3 at (2.5, 3, 0) touches nothing
    //     ---
    let folder = Folder::new("overlap-spheres");
    folder.file("scene.toml", BALLS);
    let spheres = "--sphere 0.25,0,0,0.125 --sphere 1.5,0,0,0.5 --sphere 2.5,0,0,1.5 --sphere 2.5,3,0,1.5";
    let run = |more: &str| folder.done(&format!("overlap scene.toml {spheres} --format csv {more}"));
    assert_eq!(run(""), "volume,overlap\n0,true\n1,true\n2,true\n3,false\n");
    assert_eq!(run("--query any"), run(""));
    assert_eq!(run("--query count"), "volume,count\n0,1\n1,1\n2,2\n3,0\n");
    let all = "volume,overlap,shape,primitive\n0,true,ball,\n1,true,ball,\n2,true,ball,\n2,true,crate,\n3,false,,\n";
    assert_eq!(run("--query all"), all);
    assert_eq!(run("--query count --layers 2"), "volume,count\n0,0\n1,0\n2,1\n3,0\n");
    assert_eq!(run("--layers 0"), "volume,overlap\n0,true\n1,true\n2,true\n3,false\n");
    // Left out, an object has no row, and the other keeps its name.
    assert_eq!(csv_column(&run("--query all --ignore ball"), "shape"), ["", "", "crate", ""]);
    // For people.
    let table = folder.done(&format!("overlap scene.toml {spheres} --query all"));
    let rows =
        "     0  true     ball\n     1  true     ball\n     2  true     ball\n     2  true     crate\n     3  false\n";
    assert_eq!(table, format!("volume  overlap  shape  primitive\n{rows}"));
    assert_eq!(folder.done("overlap scene.toml --sphere 9,9,9,1"), "volume  overlap\n     0  false\n");
}

#[test]
fn boxes_of_the_plane() {
    //    +---+
    //    | 0 |---      the rectangle 0 is x 5..7, y 3..5, the circle reaches to x = 7; 1 is flat and a step away
    //    +---+     \
    //          +    |
    let folder = Folder::new("overlap-boxes");
    folder.file("flat.toml", "dimension = 2\n[[shape]]\nname = 'disc'\ntype = 'circle'\ncenter = [10, 4]\nradius = 3");
    let boxes = "--box 6,4,1,1 --box 6,4,0.75,0 --box 10,1,5,0";
    let run = |more: &str| folder.done(&format!("overlap flat.toml {boxes} --format csv {more}"));
    assert_eq!(run(""), "volume,overlap\n0,true\n1,false\n2,true\n");
    let circles = folder.done("overlap flat.toml --sphere 3,4,4 --sphere 3,4,3.5 --query count --format csv");
    assert_eq!(circles, "volume,count\n0,1\n1,0\n");
    folder.file("rectangles.csv", "hy,hx,py,px,name\n1,1,4,6,a\n0,0.75,4,6,b\n0,5,1,10,c\n");
    assert_eq!(folder.done("overlap flat.toml --boxes rectangles.csv"), run(""));
}

#[test]
fn triangles_of_meshes_are_listed_if_wanted() {
    //  z                  the tetrahedron 0, x, y, z: its triangles are z = 0, y = 0, x + y + z = 1 and x = 0
    //  |\
    //  | \                a sphere at the corner x touches three of them, one deep inside none
    //  +--\ x
    let folder = Folder::new("overlap-triangles");
    folder.file("tetra.obj", TETRAHEDRON);
    let spheres = "--sphere 1,0,0,0.125 --sphere 0.1875,0.1875,0.1875,0.0625 --sphere 2,0,0,0.5";
    let run = |more: &str| folder.done(&format!("overlap tetra.obj {spheres} --format csv {more}"));
    let rows = "0,true,tetra,0\n0,true,tetra,1\n0,true,tetra,2\n1,true,tetra,\n2,false,,\n";
    assert_eq!(run("--query all --triangles"), format!("volume,overlap,shape,primitive\n{rows}"));
    assert_eq!(run("--query count --triangles"), "volume,count\n0,3\n1,1\n2,0\n");
    assert_eq!(csv_column(&run("--query all"), "primitive"), ["", "", ""]);
    assert_eq!(run("--query count"), "volume,count\n0,1\n1,1\n2,0\n");
    // Without a triangle the mesh is open: it has no inside.
    folder.file("open.obj", TETRAHEDRON.replace("f 3 1 4\n", ""));
    let open = folder.done(&format!("overlap open.obj {spheres} --query count --triangles --format csv"));
    assert_eq!(csv_column(&open, "count"), ["3", "0", "0"]);
    let result = folder.run(&format!("overlap tetra.obj {spheres} --triangles"));
    let message = "hitscan: --triangles is for --query all and count\n";
    assert_eq!((result.code, result.text(), result.err.as_str()), (2, "", message));
}

#[test]
fn objects_are_numbered_and_groups_have_one_row() {
    let folder = Folder::new("overlap-objects");
    folder.file("tetra.obj", TETRAHEDRON);
    let member = |x: f64| format!("[[geometry.shape]]\ntype = 'sphere'\ncenter = [{x}, 0, 0]\nradius = 1\n");
    let geometries = format!(
        "[[geometry]]\nname = 'tetra'\ntype = 'mesh'\nfile = 'tetra.obj'\n[[geometry]]\nname = 'pair'\ntype = 'group'\n{}{}",
        member(0.0),
        member(1.0)
    );
    let object = |name: &str, geometry: &str, y: f64| {
        format!("[[object]]\nname = '{name}'\ngeometry = '{geometry}'\ntransform = {{ translation = [0, {y}, 0] }}\n")
    };
    let objects = object("first", "tetra", 0.0) + &object("second", "tetra", 3.0) + &object("group", "pair", 6.0);
    folder.file("scene.toml", geometries + &objects);
    let run = |more: &str| {
        folder.done(&format!("overlap scene.toml --box 0.5,4,0,0.5,4,0.25 --query all --format csv {more}"))
    };
    let header = "volume,overlap,shape,primitive,object,instance";
    let rows = "0,true,first,,0,0\n0,true,second,,1,1\n0,true,group,,2,0\n";
    assert_eq!(run(""), format!("{header}\n{rows}"));
    assert_eq!(run("--ignore first"), format!("{header}\n{}", rows.split_once('\n').unwrap().1));
    let triangles = run("--triangles");
    assert_eq!(csv_column(&triangles, "shape").iter().filter(|shape| *shape == "group").count(), 1);
    assert_eq!(csv_column(&triangles, "primitive").iter().filter(|primitive| primitive.is_empty()).count(), 1);
    assert_eq!(csv_column(&triangles, "object").last().unwrap(), "2");
}

/// Makes the volume of a row.
type VolumeOfRow<'a> = &'a dyn Fn(usize) -> Volume<DVec3>;

/// Random volumes, the same in every run, and a scene of shapes, a trigger and a mesh.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("tetra.obj", TETRAHEDRON);
    let zone = "[[shape]]\nname = 'zone'\ntype = 'sphere'\ntrigger = true\ncenter = [0, 0, 6]\nradius = 2\n";
    let mesh = "[[geometry]]\nname = 'tetra'\ntype = 'mesh'\nfile = 'tetra.obj'\n[[object]]\nname = 'placed'\n\
                geometry = 'tetra'\ntransform = { translation = [0, -4, 0], scale = [4, 3, 2] }\n";
    folder.file("scene.toml", format!("{BALLS}{zone}{mesh}"));
    let mut random = Lcg::new(7);
    let mut column = |scale: f64| (0..VOLUMES).map(|_| random.signed_unit() * scale).collect::<Vec<_>>();
    let center = ["px", "py", "pz"].map(|name| (name, column(7.0)));
    let mut size = |scale: f64| column(scale).into_iter().map(f64::abs).collect::<Vec<_>>();
    let radius = ("radius", size(3.0));
    let half_extents = ["hx", "hy", "hz"].map(|name| (name, size(2.0)));
    write_table(&folder, "volumes", &[&center[..], &[radius], &half_extents].concat());
    folder
}

#[test]
fn every_format_holds_the_same_numbers() {
    let folder = folder("overlap-formats");
    for volumes in ["--spheres", "--boxes", "--radius 1.5 --points"] {
        for query in ["any", "all", "count", "all --triangles", "count --triangles"] {
            let line = format!("overlap scene.toml --query {query} {volumes}");
            let csv = in_every_format(&folder, &line, "volumes");
            assert!(csv.lines().count() > VOLUMES);
            let linear_scan = folder.done(&format!("{line} volumes.csv --precision f64 --accel brute"));
            assert!(linear_scan == csv, "{line}");
        }
    }
}

#[test]
fn a_table_holds_what_the_library_answers() {
    let folder = folder("overlap-library");
    let scene = SceneFile::open(&folder.path("scene.toml")).unwrap().build::<DVec3>().unwrap();
    let table = String::from_utf8(folder.read("volumes.csv")).unwrap();
    let [x, y, z, radius, hx, hy, hz] =
        ["px", "py", "pz", "radius", "hx", "hy", "hz"].map(|name| csv_numbers(&table, name));
    let center = |row: usize| DVec3::new(x[row], y[row], z[row]);
    let sphere = |row| Volume::from(Sphere::new(center(row), radius[row]).unwrap());
    let cuboid = |row| Volume::from(Cuboid::new(center(row), DVec3::new(hx[row], hy[row], hz[row])).unwrap());
    let around = |row| Volume::from(Sphere::new(center(row), 1.5).unwrap());
    let volumes: [(&str, VolumeOfRow); 3] =
        [("--spheres", &sphere), ("--boxes", &cuboid), ("--radius 1.5 --points", &around)];
    for (flag, volume) in volumes {
        let run = |query: &str| {
            folder.done(&format!("overlap scene.toml --precision f64 --query {query} {flag} volumes.csv"))
        };
        let (any, count, all) = (run("any"), run("count"), run("all"));
        let (mut rows, mut found) = (Vec::new(), 0);
        for row in 0..VOLUMES {
            let names: Vec<String> = scene
                .overlapping(volume(row))
                .iter()
                .map(|overlap| scene.get(overlap.object.unwrap()).unwrap().name().unwrap().to_owned())
                .collect();
            found += usize::from(!names.is_empty());
            rows.push(names);
        }
        let each = |text: fn(&[String]) -> String| rows.iter().map(|names| text(names)).collect::<Vec<_>>();
        assert!(csv_column(&any, "overlap") == each(|names| (!names.is_empty()).to_string()), "{flag}");
        assert!(csv_column(&count, "count") == each(|names| names.len().to_string()), "{flag}");
        let listed = rows.into_iter().flat_map(|names| if names.is_empty() { vec![String::new()] } else { names });
        assert!(csv_column(&all, "shape").into_iter().eq(listed), "{flag}");
        assert!(found > VOLUMES / 20 && found < VOLUMES, "{flag}: {found}");
    }
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let folder = folder("overlap-bad");
    let table = |flag: &str, text: &str, message: &str| {
        folder.file("bad.csv", text);
        let before = folder.names();
        for output in ["", "-o out.csv", "-o out.parquet", "--query all -o out.arrow"] {
            refused(
                &folder.run(&format!("overlap scene.toml {flag} bad.csv {output}")),
                &format!("bad.csv: {message}"),
            );
        }
        assert_eq!(folder.names(), before);
    };
    table("--spheres", "px,py,pz\n0,0,0\n", "no column 'radius' (needs px py pz radius; the table has px, py, pz)");
    table(
        "--boxes",
        "px,py,pz,hx,hy\n0,0,0,1,1\n",
        "no column 'hz' (needs px py pz hx hy hz; the table has px, py, pz, hx, hy)",
    );
    table("--radius 1 --points", "px,py\n0,0\n", "no column 'pz' (needs px py pz; the table has px, py)");
    let no_radius =
        |value: &str| format!("row 1 (line 3), column 'radius': {value} is no radius (a finite number greater than 0)");
    for value in ["-1", "0", "NaN", "inf"] {
        table("--spheres", &format!("px,py,pz,radius\n0,0,0,1\n0,0,0,{value}\n"), &no_radius(value));
    }
    for value in ["-0.5", "NaN", "inf"] {
        let text = format!("px,py,pz,hx,hy,hz\n0,0,0,1,{value},1\n");
        let what =
            format!("row 0 (line 2), column 'hy': {value} is no half extent (a finite number that is at least 0)");
        table("--boxes", &text, &what);
    }
    table("--spheres", "px,py,pz,radius\n0,nan,0,1\n", "row 0 (line 2), column 'py': NaN is not allowed in a sphere");
    table("--boxes", "px,py,pz,hx,hy,hz\n0,x,0,1,1,1\n", "row 0 (line 2), column 'py': 'x' is not a number");
    // A bad row far behind: what was written before it goes.
    let good = "0,0,0,1\n".repeat(200_000);
    let last = "row 200000 (line 200002), column 'radius': -1 is no radius (a finite number greater than 0)";
    folder.file("bad.csv", format!("px,py,pz,radius\n{good}0,0,0,-1\n"));
    let before = folder.names();
    refused(&folder.run("overlap scene.toml --spheres bad.csv -o out.parquet"), &format!("bad.csv: {last}"));
    assert_eq!(folder.names(), before);
    let run = |arguments: &str| folder.run(&format!("overlap scene.toml {arguments}"));
    refused(&run("--sphere 0,0,0"), "--sphere 1: 3 numbers, but in 3D it takes 4 (px,py,pz,radius)");
    let flag = "--sphere 2: radius: -1 is no radius (a finite number greater than 0)";
    refused(&run("--sphere 0,0,0,1 --sphere 0,0,0,-1"), flag);
    refused(&run("--box 0,0,0,1,1"), "--box 1: 5 numbers, but in 3D it takes 6 (px,py,pz,hx,hy,hz)");
    refused(&run("--box 0,0,0,1,1,-1"), "--box 1: hz: -1 is no half extent (a finite number that is at least 0)");
    refused(
        &run("--sphere 0,0,0,1 --layers trees"),
        "--layers: scene.toml: unknown layer 'trees' (the scene names no layers: use 0 to 31)",
    );
    let unknown = "--ignore nobody: no object has this name (hitscan info lists the names)";
    refused(&run("--sphere 0,0,0,1 --ignore nobody"), unknown);
    for value in ["1e-60", "1e300"] {
        let text = format!("row 0, column 'radius': {value} is beyond the range of f32 (--precision f64 takes it)");
        refused(&run(&format!("--sphere 0,0,0,{value} --precision f32")), &text);
    }
    refused(
        &run("--spheres volumes.csv -o volumes.csv"),
        "volumes.csv: the output is the input volumes.csv: choose another name for it",
    );
    let stdin = folder.run_with("overlap scene.toml --spheres -", b"px,py,pz,radius\n0,0,0,-2\n");
    let message = "<stdin>: row 0 (line 2), column 'radius': -2 is no radius (a finite number greater than 0)";
    refused(&stdin, message);
    for usage in [
        "",
        "--sphere 0,0,0,1 --box 0,0,0,1,1,1",
        "--spheres volumes.csv --boxes volumes.csv",
        "--points volumes.csv",
        "--radius 1 --spheres volumes.csv",
        "--radius 1 --sphere 0,0,0,1",
        "--radius 1",
        "--points volumes.csv --radius 0",
        "--points volumes.csv --radius nan",
        "--sphere x",
    ] {
        let result = run(usage);
        assert!(result.code == 2 && result.out.is_empty(), "{usage}: {}", result.err);
    }
    folder.file("none.csv", "px,py,pz,radius\n");
    assert_eq!(folder.done("overlap scene.toml --spheres none.csv"), "volume,overlap\n");
}

#[test]
fn layers_without_shapes_are_named() {
    let folder = Folder::new("overlap-layers");
    folder.file("scene.toml", BALLS);
    let result = folder.run("overlap scene.toml --sphere 0,0,0,9 --layers 7 --format csv");
    let warning =
        "hitscan: warning: --layers 7: no shape is on these layers (the scene uses 0,2), so nothing is found\n";
    assert_eq!((result.code, result.text(), result.warnings()), (0, "volume,overlap\n0,false\n", warning));
}

#[test]
fn the_help_tells_of_tables() {
    let folder = Folder::new("overlap-help");
    let help = folder.done("help overlap");
    for part in ["Columns px py pz radius", "Columns px py pz hx hy hz", "--triangles", "Touching is overlapping"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    assert!(folder.done("completions bash").contains("hitscan,overlap"));
    folder.done("man --out-dir pages");
    let page = std::fs::read_to_string(folder.path("pages").join("hitscan-overlap.1")).unwrap();
    assert!(page.contains("Find what spheres and boxes overlap"), "{page}");
}

/// The commands of the page about overlap print what it shows.
#[test]
fn the_page_shows_what_the_program_prints() {
    let folder = Folder::new("overlap-page");
    assert_eq!(page_sessions(&folder, include_str!("../../../../docs/overlap.md")), 3);
}
