//! Hit points as PLY and LAS files: what they hold, and what is refused.

use crate::support::{BALL, Folder, csv_column, csv_numbers};

/// Rays upwards at the ball, of which the second misses, with the time of each.
const RAYS: &str = "time,name,ox,oy,oz,dx,dy,dz\n0.5,a,5,5,0,0,0,1\n1.5,b,50,5,0,0,0,1\n2.5,c,5.5,5.25,0,0,0,1\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("ball.toml", BALL);
    folder.file("rays.csv", RAYS);
    folder
}

#[track_caller]
fn refuses(folder: &Folder, line: &str, message: &str) {
    let result = folder.run(line);
    assert!(result.code != 0 && result.text().is_empty(), "hitscan {line}");
    assert!(result.err.starts_with(&format!("hitscan: {message}")), "hitscan {line}: {}", result.err);
}

/// The points that a table of hits has.
fn expected(folder: &Folder, flags: &str) -> Vec<[f64; 3]> {
    folder.done(&format!("cast ball.toml --rays rays.csv --precision f64 {flags} -o hits.csv"));
    let csv = String::from_utf8(folder.read("hits.csv")).unwrap();
    let [x, y, z] = ["px", "py", "pz"].map(|name| csv_numbers(&csv, name));
    let is_hit = csv_column(&csv, "hit");
    (0..x.len()).filter(|row| is_hit[*row] == "true").map(|row| [x[row], y[row], z[row]]).collect()
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The points of a LAS file, by its scale and its offset.
fn las_points(file: &[u8]) -> Vec<[f64; 3]> {
    assert_eq!(file[247..255], (((file.len() - 375) / 30) as u64).to_le_bytes(), "the number of points");
    let axes = [0, 1, 2];
    let point = |record: &[u8]| {
        axes.map(|i| {
            let units = i32::from_le_bytes(record[4 * i..4 * i + 4].try_into().unwrap());
            f64::from(units) * f64_at(file, 131 + 8 * i) + f64_at(file, 155 + 8 * i)
        })
    };
    let points: Vec<[f64; 3]> = file[375..].chunks_exact(30).map(point).collect();
    for i in axes {
        let bounds = points.iter().fold([f64::MIN, f64::MAX], |[max, min], p| [max.max(p[i]), min.min(p[i])]);
        assert_eq!([0, 8].map(|at| f64_at(file, 179 + 16 * i + at)), bounds, "bounds of axis {i}");
    }
    points
}

fn largest_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).flat_map(|(a, b)| [0, 1, 2].map(|i| (a[i] - b[i]).abs())).fold(0.0, f64::max)
}

#[test]
fn ply_holds_the_points_of_hits() {
    let folder = folder("ply");
    let expected = expected(&folder, "");
    assert_eq!(expected.len(), 2);
    folder.done("cast ball.toml --rays rays.csv --precision f64 --columns t,nz --keep time -o hits.ply");
    let file = folder.read("hits.ply");
    let end = file.windows(11).position(|bytes| bytes == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8(file[..end].to_vec()).unwrap();
    let lines: Vec<&str> = header.lines().filter(|line| !line.starts_with("comment")).collect();
    let properties = ["x", "y", "z", "nz", "time", "t"].map(|name| format!("property double {name}"));
    assert_eq!(lines[..3], ["ply", "format binary_little_endian 1.0", "element vertex 2"]);
    assert_eq!(lines[3..9], properties);
    let rows: Vec<&[u8]> = file[end..].chunks(6 * 8).collect();
    let points: Vec<[f64; 3]> = rows.iter().map(|row| [0, 8, 16].map(|at| f64_at(row, at))).collect();
    assert_eq!(points, expected);
    assert_eq!(rows.iter().map(|row| f64_at(row, 32)).collect::<Vec<_>>(), [0.5, 2.5]);
    folder.done("cast ball.toml --rays rays.csv --precision f32 -o default.ply");
    let text = String::from_utf8_lossy(&folder.read("default.ply")).into_owned();
    for property in ["float x", "float nx", "float t", "uint primitive"] {
        assert!(text.contains(&format!("property {property}\n")), "{property}");
    }
}

#[test]
fn las_rounds_to_its_scale_and_says_so() {
    let folder = folder("las");
    for (flags, query) in [("", ""), ("", "--query all"), ("--las-scale 0.25", "--query spans")] {
        let scale = if flags.is_empty() { 1e-9 } else { 0.25 };
        let expected = expected(&folder, query);
        let result = folder.run(&format!("cast ball.toml --rays rays.csv --precision f64 {query} {flags} -o hits.las"));
        assert_eq!(result.code, 0, "{}", result.err);
        let file = folder.read("hits.las");
        assert_eq!(f64_at(&file, 131), scale);
        let difference = largest_difference(&las_points(&file), &expected);
        assert!(difference <= scale * 0.500_001, "{difference}");
        let note = result.warnings();
        let begins = format!("hitscan: hits.las: coordinates are rounded to {scale:e}, by ");
        let begins = if flags.is_empty() { begins } else { begins.replace("2.5e-1", "0.25") };
        assert!(note.starts_with(&begins) && note.ends_with(" at most\n"), "{note}");
    }
    let again = folder.read("hits.las");
    folder.run("cast ball.toml --rays rays.csv --precision f64 --query spans --las-scale 0.25 --threads 1 -o hits.las");
    assert_eq!(folder.read("hits.las"), again, "the same hits are the same bytes");
}

#[test]
fn las_keeps_a_time() {
    let folder = folder("las-time");
    let result = folder.run("cast ball.toml --rays rays.csv --keep time -o hits.las");
    assert_eq!(result.code, 0, "{}", result.err);
    let file = folder.read("hits.las");
    assert_eq!([375, 405].map(|at| f64_at(&file, at + 22)), [0.5, 2.5]);
}

#[test]
fn a_folder_has_one_grid() {
    let folder = folder("las-folder");
    let expected = expected(&folder, "");
    let line = "cast ball.toml --rays rays.csv --precision f64 --format las --rows-per-file 2 -o out/";
    let result = folder.run(line);
    assert_eq!(result.code, 0, "{}", result.err);
    assert!(result.err.contains("hitscan: out/: coordinates are rounded to 1e-9, by "), "{}", result.err);
    let files = ["out/rays-00000.las", "out/rays-00001.las"].map(|name| folder.read(name));
    assert_eq!(files[0][131..179], files[1][131..179], "scale and offset");
    let points = files.iter().flat_map(|file| las_points(file)).collect::<Vec<_>>();
    assert!(largest_difference(&points, &expected) <= 0.500_001e-9);
    refuses(&folder, &format!("{line} --resume --las-scale 0.5"), "out/_hitscan.json: ");
    folder.done("cast ball.toml --rays rays.csv --format ply -o clouds/ --quiet");
    assert!(folder.read("clouds/rays.ply").starts_with(b"ply\n"));
}

#[test]
fn no_hits_are_no_points() {
    let folder = folder("no-points");
    folder.run("cast ball.toml --rays rays.csv --t-max 0.001 -o hits.las");
    let file = folder.read("hits.las");
    assert_eq!((file.len(), &file[179..227]), (375, &[0; 48][..]));
    folder.done("cast ball.toml --rays rays.csv --t-max 0.001 -o hits.ply");
    assert!(String::from_utf8(folder.read("hits.ply")).unwrap().contains("\nelement vertex 0\n"));
}

#[test]
fn what_has_no_points_is_refused() {
    let folder = folder("points-refused");
    folder.file("plane.toml", "[[shape]]\ntype = \"plane\"\npoint = [0, 0, 1]\nnormal = [0, 0, 1]\n");
    folder.file("flat.toml", "dimension = 2\n[[shape]]\ntype = \"circle\"\ncenter = [0, 0]\nradius = 1\n");
    let cast = |flags: &str| format!("cast ball.toml --rays rays.csv {flags}");
    for format in ["ply", "las"] {
        refuses(&folder, &cast(&format!("--format {format}")), "PLY and LAS begin with the number of points");
        refuses(
            &folder,
            &cast(&format!("--query any -o h.{format}")),
            &format!("h.{format}: PLY and LAS hold the points"),
        );
        refuses(
            &folder,
            &format!("cast flat.toml --ray 0,0,1,0 -o h.{format}"),
            &format!("h.{format}: PLY and LAS hold"),
        );
        let read = format!("h.{format}");
        folder.file(&read, "ply\n");
        let only_results = format!("{read}: PLY and LAS are formats of results");
        refuses(&folder, &format!("cast ball.toml --rays {read}"), &only_results);
        let message = format!("{read}: PLY and LAS are for the hit points of hitscan cast");
        refuses(&folder, &format!("distance ball.toml --point 0,0,0 -o {read}"), &message);
    }
    refuses(&folder, &cast("--columns shape -o h.ply"), "rays.csv: column 'shape': a PLY file has numbers only");
    refuses(&folder, &cast("--keep name -o h.ply"), "rays.csv: column 'name': a PLY file has numbers only");
    refuses(&folder, &cast("--columns t -o h.las"), "h.las: column 't': the points of a LAS file have px, py and pz");
    refuses(&folder, &cast("--keep ox -o h.las"), "rays.csv: column 'ox': LAS points have no place for it");
    refuses(&folder, &cast("--keep time:text -o h.las"), "rays.csv: column 'time': the GPS time of LAS points");
    refuses(&folder, &cast("--las-scale 1e-12 -o h.las"), "rays.csv: row 0: a hit at z = 4 is out of range for LAS");
    refuses(&folder, &cast("--las-scale 0.1 -o h.csv"), "--las-scale is for LAS files");
    let no_bounds = "h.las: the scene has no bounds, from which LAS could have its scale: give one (--las-scale)\n";
    refuses(&folder, "cast plane.toml --rays rays.csv -o h.las", no_bounds);
    let result = folder.run("cast plane.toml --rays rays.csv --las-scale 0.5 -o h.las");
    assert_eq!((result.code, las_points(&folder.read("h.las")).len()), (0, 3), "{}", result.err);
}

/// A pipe cannot be written again at its beginning.
#[cfg(unix)]
#[test]
fn devices_are_refused() {
    let folder = folder("points-devices");
    for format in ["ply", "las"] {
        let line = format!("cast ball.toml --rays rays.csv --format {format} -o /dev/stdout");
        refuses(&folder, &line, "/dev/stdout: PLY and LAS begin with the number of points");
    }
}
