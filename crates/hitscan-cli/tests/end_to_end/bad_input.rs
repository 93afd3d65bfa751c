//! Refused input: the messages, and that nothing is left behind.

use crate::support::{BALL, Folder};
use crate::table_support::{upwards, write_arrow};
use arrow_array::RecordBatch;

const RAY: &str = "--ray 0,0,0,1,1,1 -o out.csv";
const KNOWN_TABLES: &str = "known are .csv, .tsv, .jsonl and .ndjson, these also with .gz or .zst, .parquet, .arrow, .ipc, .feather and .arrows";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("ball.toml", BALL);
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz\n0,0,0,1,1,1\n");
    folder
}

/// The program stops with code 1 and this line, prints nothing and leaves no file.
fn refused(folder: &Folder, line: &str, message: &str) {
    let before = folder.names();
    let result = folder.run(line);
    assert_eq!(result.err, format!("hitscan: {message}\n"), "hitscan {line}");
    assert_eq!((result.code, result.text()), (1, ""), "hitscan {line}");
    assert_eq!(folder.names(), before, "hitscan {line}");
}

#[test]
fn scenes() {
    let folder = folder("bad-scenes");
    let scene = |name: &str, text: &str, message: &str| {
        folder.file(name, text);
        refused(&folder, &format!("cast {name} {RAY}"), message);
    };
    scene(
        "kind.toml",
        "[[shape]]\ntype = 'sphear'\n",
        "kind.toml: shape 0 (line 2): unknown type 'sphear' (known: box, capsule, cone, convex_hull, cylinder, disk, \
         ellipsoid, frustum, group, half_space, mesh, plane, prism, quad, solid, sphere, tapered_capsule, triangle)",
    );
    scene("empty.toml", "", "empty.toml: no shapes");
    scene("empty.obj", "", "empty.obj: empty file");
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let out_of_range = "range.obj: face 0 (line 4): vertex index 4 out of range (3 vertices)";
    scene("range.obj", &format!("{triangle}f 1 2 4\n"), out_of_range);
    scene("none.obj", triangle, "none.obj: mesh has no triangles");
    scene(
        "scene.txt",
        "",
        "scene.txt: unknown scene format (known are .toml, .hitscene, .obj, .stl, .ply, .off, .gltf, .glb and .hitmesh)",
    );
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                  property float z\nelement face 1\nproperty list uchar uint vertex_indices\nend_header\n";
    scene("cut.ply", &format!("{header}\0\0\0\0"), "cut.ply: truncated: 3 vertices announced, 0 read");
    refused(&folder, &format!("cast nowhere.toml {RAY}"), "nowhere.toml: No such file or directory");
    for command in ["info", "render", "explain --ray 0,0,0,1,1,1"] {
        refused(&folder, &format!("{command} nowhere.toml"), "nowhere.toml: No such file or directory");
    }
}

#[test]
fn tables_of_rays() {
    let folder = folder("bad-tables");
    let table = |name: &str, text: &str, message: &str| {
        folder.file(name, text);
        for output in ["-o out.csv", "-o out.parquet", "-o out.arrow", "", "--format jsonl"] {
            refused(&folder, &format!("cast ball.toml --rays {name} {output}"), message);
        }
    };
    let header = "ox,oy,oz,dx,dy,dz\n0,0,0,1,1,1\n";
    let missing =
        "missing.csv: no column 'dz' (needs ox oy oz dx dy dz, or ax ay az bx by bz; the table has ox, oy, oz, dx, dy)";
    table("missing.csv", "ox,oy,oz,dx,dy\n0,0,0,1,1\n", missing);
    let word = "word.csv: row 1 (line 3), column 'dy': 'one' is not a number";
    table("word.csv", &format!("{header}0,0,0,1,one,1\n"), word);
    let nan = "nan.csv: row 1 (line 3), column 'dy': NaN is not allowed in a ray";
    table("nan.csv", &format!("{header}0,0,0,1,nan,1\n"), nan);
    table("empty.csv", "", "empty.csv: empty file");
    table("rays.txt", "", &format!("rays.txt: unknown table format '.txt' ({KNOWN_TABLES})"));
    refused(&folder, "cast ball.toml --rays nowhere.csv", "nowhere.csv: No such file or directory");
    // A file that was there before stays as it was.
    folder.file("out.csv", "old");
    refused(&folder, "cast ball.toml --rays nan.csv -o out.csv", nan);
    assert_eq!(folder.read("out.csv"), b"old");
}

#[test]
fn tables_of_another_form_than_their_name_says() {
    let folder = folder("bad-forms");
    let needs = "needs ox oy oz dx dy dz, or ax ay az bx by bz";
    let header = |delimiter: &str| ["ox", "oy", "oz", "dx", "dy", "dz"].join(delimiter);
    let row = |delimiter: &str| format!("{}\n{}\n", header(delimiter), ["5", "5", "0", "0", "0", "1"].join(delimiter));
    let cast = |name: &str, message: &str| refused(&folder, &format!("cast ball.toml --rays {name}"), message);
    for (delimiter, divides, flag) in
        [(";", "';' divides", "';'"), ("\t", "tabs divide", "tab"), ("|", "'|' divides", "'|'")]
    {
        folder.file("rays.csv", row(delimiter));
        let has = header(delimiter).replace('\t', " ");
        cast(
            "rays.csv",
            &format!(
                "rays.csv: no column 'ox' ({needs}; the table has {has}): {divides} its columns (--delimiter {flag})"
            ),
        );
        let line = format!("cast ball.toml --columns t --rays rays.csv --delimiter {}", flag.trim_matches('\''));
        assert_eq!(folder.done(&line), "t\n4\n", "the advice helps");
    }
    folder.file("upper.csv", row(",").to_uppercase());
    let has = "OX, OY, OZ, DX, DY, DZ";
    cast(
        "upper.csv",
        &format!("upper.csv: no column 'ox' ({needs}; the table has {has}): their names must be in lower case"),
    );
    let utf_16 = row(",").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    folder.file("wide.csv", [b"\xFF\xFE", &utf_16[..]].concat());
    folder.file("wide.jsonl", &utf_16);
    for name in ["wide.csv", "wide.jsonl"] {
        cast(name, &format!("{name}: this looks like UTF-16: save it as UTF-8"));
    }
    folder.file("gzip.csv", crate::table_formats::gzip(row(",").as_bytes()));
    cast("gzip.csv", "gzip.csv: by its content this is compressed by gzip: its name must end in .gz");
    folder.file("zstd.jsonl", b"\x28\xB5\x2F\xFD\x00\x00");
    cast("zstd.jsonl", "zstd.jsonl: by its content this is compressed by Zstandard: its name must end in .zst");
    folder.file("gzip.parquet", crate::table_formats::gzip(b"PAR1"));
    cast("gzip.parquet", "gzip.parquet: by its content this is compressed by gzip: unpack it first");
}

/// A decoder of another crate panics at some of these files, which is an error of the file like others.
#[test]
fn an_arrow_file_with_any_wrong_byte_is_an_error_in_one_line() {
    let folder = folder("bad-arrow");
    let batch = RecordBatch::try_from_iter(upwards(&[[5.0, 5.0, 0.0]])).unwrap();
    for name in ["rays.arrow", "rays.arrows"] {
        write_arrow(&folder.path(name), &batch, 9);
        let bytes = folder.read(name);
        for place in (8..bytes.len()).step_by(3) {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0xFF;
            folder.file(name, bytes);
            let result = folder.run(&format!("cast ball.toml --quiet --rays {name}"));
            let is_line = result.err.starts_with(&format!("hitscan: {name}: ")) && result.err.lines().count() == 1;
            // A byte of a number or of padding is no error.
            let is_fine = result.code == 0 && !result.err.contains("panicked");
            assert!(is_fine || result.code == 1 && is_line, "{name}, byte {place}: {}", result.err);
        }
    }
}

#[test]
fn rays_of_the_command_line() {
    let folder = folder("bad-rays");
    for (arguments, message) in [
        ("--ray 0,0,0,1,1,1 --ray 0,0,nan,1,1,1", "--ray 2: oz: NaN is not allowed in a ray"),
        ("--segment 0,0,0,1,-inf,1", "--segment 1: by: -inf is not allowed in a ray"),
        ("--ray 0,0,1,1", "--ray 1: 4 numbers, but in 3D it takes 6 (ox,oy,oz,dx,dy,dz)"),
        (
            "--ray 0,0,0,1e300,1,1 --precision f32",
            "rays: row 0, column 'dx': 1e300 is beyond the range of f32 (f64 takes it)",
        ),
    ] {
        for output in ["", "-o out.csv"] {
            refused(&folder, &format!("cast ball.toml {arguments} {output}"), message);
        }
    }
    refused(&folder, "explain ball.toml --ray 0,0,1,1", "--ray 1: 4 numbers, but in 3D it takes 6 (ox,oy,oz,dx,dy,dz)");
}

#[test]
fn outputs() {
    let folder = folder("bad-outputs");
    let cast = "cast ball.toml --ray 0,0,0,1,1,1 -o";
    refused(&folder, &format!("{cast} out.txt"), &format!("out.txt: unknown table format '.txt' ({KNOWN_TABLES})"));
    refused(&folder, &format!("{cast} no/out.csv"), "no/out.csv: No such file or directory");
    refused(&folder, "render ball.toml -o no/out.png", "no/out.png: No such file or directory");
    refused(&folder, "render ball.toml -o out.jpg", "out.jpg: a picture is .png or .svg");
    refused(&folder, "render ball.toml -o out.svg", "an SVG shows flat scenes only: give a name that ends in .png");
    refused(&folder, "convert ball.toml -o out.ply", "ball.toml: a scene of shapes cannot become a mesh");
    refused(&folder, "convert ball.toml -o out.xyz", "out.xyz: can write .toml, .hitscene, .ply, .obj and .hitmesh");
    refused(&folder, "render ball.toml --camera 0,0,0,0,0,0 -o out.png", "the camera does not look anywhere");
}

#[test]
fn wrong_usage_is_code_2() {
    let folder = folder("usage");
    for line in [
        "",
        "cast",
        "cast ball.toml",
        "cast ball.toml --ray 0,0,x,1",
        "cast ball.toml --ray 0,0,0,1,1,1 --rays rays.csv",
        "cast ball.toml --ray 0,0,0,1,1,1 --segment 0,0,0,1,1,1",
        "cast ball.toml --ray 0,0,0,1,1,1 --t-max nan",
        "cast ball.toml --ray 0,0,0,1,1,1 --layers 32",
        "cast ball.toml --ray 0,0,0,1,1,1 --threads 0",
        "cast ball.toml --rays rays.csv --threads 100000",
        "cast ball.toml --rays rays.csv -o hits/ --threads 1025",
        "distance ball.toml --point 0,0,0 --threads 100000",
        "contains ball.toml --point 0,0,0 --threads 100000",
        "overlap ball.toml --sphere 0,0,0,1 --threads 100000",
        "render ball.toml --threads 100000",
        "cast ball.toml --ray 0,0,0,1,1,1 --query nearest",
        "cast ball.toml --ray 0,0,0,1,1,1 --format table -o out.csv",
        "explain ball.toml",
        "render ball.toml --fov 0",
        "render ball.toml --width 0",
        "demo --dimension 4",
        "completions tcsh",
        "shoot",
    ] {
        let before = folder.names();
        let result = folder.run(line);
        assert_eq!((result.code, result.text()), (2, ""), "hitscan {line}");
        assert!(!result.err.is_empty() && !result.err.contains("panicked"), "hitscan {line}: {}", result.err);
        assert_eq!(folder.names(), before, "hitscan {line}");
    }
}
