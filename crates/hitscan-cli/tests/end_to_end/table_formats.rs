//! Tables of every format, from files and from standard input; threads and blocks.

use crate::support::csv_column;
use crate::table_support::{HEADER, origins, ran, rays_csv, text, upwards, with_ball, write_arrow, write_parquet};
use arrow_array::{Float64Array, Int64Array, RecordBatch, UInt32Array};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fmt::Write;
use std::fs::File;
use std::sync::Arc;

/// A gzip file that packs nothing.
pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF];
    let pieces = text.chunks(0xFFFF);
    let last = pieces.len() - 1;
    for (number, piece) in pieces.enumerate() {
        let length = piece.len() as u16;
        file.push(u8::from(number == last));
        file.extend(length.to_le_bytes());
        file.extend((!length).to_le_bytes());
        file.extend(piece);
    }
    let crc = !text.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    file.extend(crc.to_le_bytes());
    file.extend((text.len() as u32).to_le_bytes());
    file
}

/// A Zstandard frame that packs nothing.
fn zstd(text: &[u8]) -> Vec<u8> {
    let mut file = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x58];
    let pieces = text.chunks(1 << 17);
    let last = pieces.len() - 1;
    for (number, piece) in pieces.enumerate() {
        let head = (piece.len() as u32) << 3 | u32::from(number == last);
        file.extend(&head.to_le_bytes()[..3]);
        file.extend(piece);
    }
    file
}

#[test]
fn every_format_of_rays_gives_the_same_results_from_a_file_and_from_standard_input() {
    let folder = with_ball("all-inputs");
    let points = origins(3000);
    // Every third ray has no limit of its own, every fourth no mask.
    let t_max: Vec<Option<f64>> = (0..points.len()).map(|row| (row % 3 > 0).then_some(row as f64 / 500.0)).collect();
    let layers: Vec<Option<u32>> = (0..points.len()).map(|row| (row % 4 > 0).then_some(row as u32 % 2)).collect();
    let mut columns = upwards(&points);
    columns.push(("t_max", Arc::new(Float64Array::from(t_max.clone()))));
    columns.push(("layers", Arc::new(UInt32Array::from(layers.clone()))));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let (mut csv, mut json) = (format!("{HEADER},t_max,layers\n"), String::new());
    for (([x, y, z], t), mask) in points.iter().zip(&t_max).zip(&layers) {
        let (t, mask) = (t.map(|t| t.to_string()), mask.map(|mask| mask.to_string()));
        let or = |cell: &Option<String>, null: &str| cell.clone().unwrap_or(null.to_owned());
        writeln!(csv, "{x},{y},{z},0,0,1,{},{}", or(&t, ""), or(&mask, "")).unwrap();
        let own = format!("\"t_max\":{},\"layers\":{}", or(&t, "null"), or(&mask, "null"));
        writeln!(json, "{{\"ox\":{x},\"oy\":{y},\"oz\":{z},\"dx\":0,\"dy\":0,\"dz\":1,{own}}}").unwrap();
    }
    let files = [
        ("rays.csv", csv.clone().into_bytes()),
        ("rays.tsv", csv.replace(',', "\t").into_bytes()),
        ("rays.csv.gz", gzip(csv.as_bytes())),
        ("rays.csv.zst", zstd(csv.as_bytes())),
        ("rays.tsv.gz", gzip(csv.replace(',', "\t").as_bytes())),
        ("rays.jsonl", json.clone().into_bytes()),
        ("rays.jsonl.gz", gzip(json.as_bytes())),
        ("rays.ndjson.zst", zstd(json.as_bytes())),
    ];
    files.iter().for_each(|(name, bytes)| drop(folder.file(name, bytes)));
    write_parquet(&folder.path("rays.parquet"), &batch, 700);
    write_arrow(&folder.path("rays.arrow"), &batch, 700);
    write_arrow(&folder.path("rays.arrows"), &batch, 700);
    let expected = folder.done("cast ball.toml --rays rays.csv");
    let hits =
        csv_column(&expected, "hit").iter().zip(&t_max).zip(&layers).filter(|((hit, _), _)| *hit == "true").fold(
            [0; 4],
            |mut hits, ((_, t), mask)| {
                hits[usize::from(t.is_some()) + 2 * usize::from(mask.is_some())] += 1;
                hits
            },
        );
    assert!(hits.iter().all(|hits| *hits > 10), "{hits:?} hits without and with limits and masks");
    for name in files.iter().map(|(name, _)| *name).chain(["rays.parquet", "rays.arrow", "rays.arrows"]) {
        assert!(folder.done(&format!("cast ball.toml --rays {name}")) == expected, "{name}");
        let tab = if name.contains("tsv") { "--delimiter tab" } else { "" };
        let result = folder.run_with(&format!("cast ball.toml --rays - {tab}"), &folder.read(name));
        // The delimiter is that of the results, too.
        let expected = if tab.is_empty() { expected.clone() } else { expected.replace(',', "\t") };
        assert!(result.code == 0 && result.text() == expected, "{name} as standard input: {}", result.err);
        let is_spooled = result.err.contains("went to a temporary file");
        assert_eq!(is_spooled, ["rays.parquet", "rays.arrow"].contains(&name), "{name}: {}", result.err);
    }
}

#[test]
fn an_empty_limit_is_no_limit_and_an_empty_mask_is_all_layers() {
    let folder = with_ball("empty-limits");
    let rows = "5,5,0,0,0,1,,,\n5,5,0,0,0,1,,3,\n5,5,0,0,0,1,5,,\n5,5,0,0,0,1,,,2\n5,5,9,0,0,1,,,\n";
    folder.file("rays.csv", format!("{HEADER},t_min,t_max,layers\n{rows}"));
    let cast = |more: &str| {
        csv_column(ran(&folder, &format!("cast ball.toml --rays rays.csv --columns t {more}")).text(), "t")
    };
    assert_eq!(cast(""), ["4", "", "5", "", ""]);
    assert_eq!(cast("--t-min -9"), ["4", "", "5", "", "-5"]);
    assert_eq!(cast("--line"), ["4", "", "5", "", "-5"]);
    assert_eq!(cast("--t-max 4.5"), ["4", "", "", "", ""]);
    assert_eq!(cast("--layers 0"), ["4", "", "5", "", ""]);
    assert_eq!(cast("--layers 1"), ["", "", "", "", ""]);
}

#[test]
fn tables_have_the_delimiter_and_the_word_for_nothing_that_the_flags_say() {
    let folder = with_ball("text-options");
    folder.file("rays.csv", "id;ox;oy;oz;dx;dy;dz;t_max\n\"a;b\";5;5;0;0;0;1;NA\nNA;5;5;0;0;0;1;2\nc,d;5;5;0;0;0;1;\n");
    let line = "cast ball.toml --rays rays.csv --delimiter ; --null NA --keep id --columns t,nz";
    assert_eq!(folder.done(line), "id;t;nz\n\"a;b\";4;-1\nNA;NA;NA\nc,d;4;-1\n");
    let json = "{\"id\":\"a;b\",\"t\":4}\n{\"id\":null,\"t\":null}\n{\"id\":\"c,d\",\"t\":4}\n";
    let line = "cast ball.toml --rays rays.csv --delimiter ; --null NA --keep id --columns t --format jsonl";
    assert_eq!(folder.done(line), json);
    let result = folder.run("cast ball.toml --rays rays.csv --delimiter x");
    assert_eq!(result.code, 2, "{}", result.err);
    assert!(result.err.contains("one character, such as ; or |"), "{}", result.err);
}

#[test]
fn a_tsv_file_of_results_has_tabs() {
    let folder = with_ball("tsv-out");
    folder.file("rays.csv", rays_csv(50));
    let csv = folder.done("cast ball.toml --rays rays.csv");
    folder.done("cast ball.toml --rays rays.csv --delimiter , -o commas.tsv");
    assert_eq!(text(&folder, "commas.tsv"), csv);
    folder.done("cast ball.toml --rays rays.csv -o hits.tsv");
    assert_eq!(text(&folder, "hits.tsv"), csv.replace(',', "\t"));
}

#[test]
fn many_threads_give_the_same_results() {
    let folder = with_ball("many-threads");
    folder.file("rays.csv", rays_csv(1000));
    let expected = folder.done("cast ball.toml --rays rays.csv --threads 1");
    assert!(folder.done("cast ball.toml --rays rays.csv --threads 1024") == expected);
    let result = folder.run("cast ball.toml --rays rays.csv --threads 1025");
    assert!(result.err.contains("'1025' for '--threads <N>': a whole number from 1 to 1024"), "{}", result.err);
}

#[test]
fn results_are_packed_by_extension_or_by_flag() {
    let folder = with_ball("compression");
    folder.file("rays.csv", rays_csv(500));
    let beginnings: [(&str, &[u8]); 2] = [("gz", &[0x1F, 0x8B]), ("zst", &[0x28, 0xB5, 0x2F, 0xFD])];
    for ((extension, beginning), flag) in beginnings.into_iter().zip(["gzip", "zstd"]) {
        for format in ["csv", "jsonl"] {
            folder.done(&format!("cast ball.toml --rays rays.csv -o hits.{format}.{extension}"));
            folder.done(&format!("cast ball.toml --rays rays.csv --compression {flag} -o flag.{format}"));
            folder.done(&format!("cast ball.toml --rays rays.csv --compression none -o none.{format}.{extension}"));
            let packed = folder.read(&format!("hits.{format}.{extension}"));
            assert!(packed.starts_with(beginning), "{format}.{extension}");
            assert_eq!(folder.read(&format!("flag.{format}")), packed);
            let plain = ran(&folder, &format!("cast ball.toml --rays rays.csv --format {format}")).out;
            assert!(folder.read(&format!("none.{format}.{extension}")) == plain && packed.len() < plain.len());
        }
    }
    let result = folder.run("cast ball.toml --rays rays.csv --compression gzip -o hits.parquet");
    assert!(result.err.contains("--compression is for csv and jsonl (Parquet has its own)"), "{}", result.err);
    assert_ne!(result.code, 0);
}

#[test]
fn line_ends_of_every_system_are_read() {
    let folder = with_ball("line-ends");
    let unix = format!("{HEADER}\n5,5,0,0,0,1\n5,5,3,0,0,1\n");
    folder.file("unix.csv", &unix);
    let expected = folder.done("cast ball.toml --rays unix.csv");
    for (name, end) in [("windows", "\r\n"), ("mac", "\r"), ("mixed", "\r\r\n")] {
        folder.file(&format!("{name}.csv"), unix.replace('\n', end));
        assert_eq!(folder.done(&format!("cast ball.toml --rays {name}.csv")), expected, "{name}");
        folder.file(&format!("{name}.csv"), unix.replace('\n', end) + end + "\n");
        assert_eq!(folder.done(&format!("cast ball.toml --rays {name}.csv")), expected, "{name} and an empty line");
    }
}

/// More rows than three blocks have, with notes of two lines here and there.
const MANY: usize = 400_000;

pub(crate) fn many_rays(end: &str) -> String {
    let mut text = format!("note,{HEADER}{end}");
    for (row, [x, y, z]) in origins(MANY).into_iter().enumerate() {
        match row % 40_000 {
            39_999 => write!(text, "\"row {row}{end}\"\"two\"\" lines\"").unwrap(),
            _ => write!(text, "{row}").unwrap(),
        }
        write!(text, ",{x:.3},{y:.3},{z},0,0,1{end}").unwrap();
    }
    text
}

#[test]
fn threads_change_no_byte_of_several_blocks() {
    let folder = with_ball("blocks");
    folder.file("unix.csv", many_rays("\n"));
    folder.file("windows.csv", many_rays("\r\n"));
    for (table, format) in
        [("unix", "csv"), ("windows", "csv"), ("unix", "parquet"), ("unix", "arrow"), ("unix", "csv.gz")]
    {
        let cast = |threads: u32| {
            let line = format!("cast ball.toml --rays {table}.csv --keep note --columns ray,t,shape");
            folder.done(&format!("{line} -o {table}.hits.{format} --threads {threads}"));
            folder.read(&format!("{table}.hits.{format}"))
        };
        let one = cast(1);
        assert!(one == cast(5), "{table} {format}");
        assert!(format != "csv" || one == cast(2), "{table}");
    }
    let hits = text(&folder, "unix.hits.csv");
    assert!(text(&folder, "windows.hits.csv").replace("\r\n", "\n") == hits, "line ends");
    let (mut rows, mut in_quotes) = (0, false);
    for line in hits.lines().skip(1) {
        let is_start = !in_quotes;
        in_quotes ^= line.matches('"').count() % 2 == 1;
        if is_start {
            let note = if rows % 40_000 == 39_999 { format!("\"row {rows}") } else { format!("{rows},{rows},") };
            assert!(line.starts_with(&note), "row {rows}: {line}");
            rows += 1;
        }
    }
    assert_eq!(rows, MANY);
    let groups =
        ParquetRecordBatchReaderBuilder::try_new(File::open(folder.path("unix.hits.parquet")).unwrap()).unwrap();
    let groups: Vec<i64> =
        groups.metadata().row_groups().iter().map(parquet::file::metadata::RowGroupMetaData::num_rows).collect();
    assert_eq!(groups, [125_000, 125_000, 125_000, 25_000]);
}

#[test]
fn the_pieces_of_a_table_of_rays_do_not_show_in_the_results() {
    let folder = with_ball("pieces");
    let points = origins(300_000);
    let mut columns = upwards(&points);
    columns.push(("id", Arc::new(Int64Array::from_iter_values(0..points.len() as i64))));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for (pieces, rows) in [("small", 1000), ("odd", 77_777), ("large", 1_000_000)] {
        write_parquet(&folder.path(&format!("{pieces}.parquet")), &batch, rows);
        write_arrow(&folder.path(&format!("{pieces}.arrow")), &batch, rows);
    }
    write_arrow(&folder.path("small.arrows"), &batch, 1000);
    let cast = |table: &str| {
        folder.done(&format!("cast ball.toml --rays {table} --keep id --columns ray,t -o hits.parquet"));
        folder.read("hits.parquet")
    };
    let expected = cast("large.parquet");
    for table in ["small.parquet", "odd.parquet", "small.arrow", "odd.arrow", "large.arrow", "small.arrows"] {
        assert!(cast(table) == expected, "{table}");
    }
}

#[test]
fn the_scene_may_stand_behind_the_tables_of_rays() {
    let folder = with_ball("scene-behind");
    folder.file("rays.csv", rays_csv(5));
    let usual = folder.done("cast ball.toml --rays rays.csv");
    assert_eq!(folder.done("cast --rays rays.csv ball.toml"), usual);
    let result = folder.run("cast --rays rays.csv");
    let message = "hitscan: the scene is missing: hitscan cast SCENE --rays FILE\n";
    assert_eq!((result.code, result.err.as_str()), (2, message));
}

#[test]
#[cfg(unix)]
fn a_folder_for_temporary_files_that_is_not_there_is_named() {
    let folder = with_ball("no-tmpdir");
    let rays = folder.path("rays.parquet");
    write_parquet(&rays, &RecordBatch::try_from_iter(upwards(&origins(5))).unwrap(), 9);
    let file = File::open(rays).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command
        .args(["cast", "ball.toml", "--rays", "-"])
        .current_dir(folder.path("."))
        .env("TMPDIR", "/nowhere")
        .stdin(file);
    let output = command.output().unwrap();
    let place = "cannot be written in /nowhere (TMPDIR names another folder): No such file or directory";
    let message = format!("hitscan: <stdin>: the temporary file for it {place}\n");
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(1), message));
}

/// A pipe with a name, as `<(command)` is one, with a content that is written when it is read.
#[cfg(unix)]
fn pipe(path: &std::path::Path, content: Vec<u8>) -> std::thread::JoinHandle<()> {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    let path = path.to_owned();
    std::thread::spawn(move || std::fs::write(path, content).unwrap())
}

#[test]
#[cfg(unix)]
fn a_pipe_is_read_like_standard_input() {
    let folder = with_ball("pipes");
    folder.file("rays.csv", rays_csv(100));
    let batch = RecordBatch::try_from_iter(upwards(&origins(100))).unwrap();
    write_parquet(&folder.path("rays.parquet"), &batch, 90);
    write_arrow(&folder.path("rays.arrows"), &batch, 90);
    folder.file("rays.csv.gz", gzip(rays_csv(100).as_bytes()));
    let expected = folder.done("cast ball.toml --rays rays.csv");
    for (number, name) in ["rays.csv", "rays.parquet", "rays.arrows", "rays.csv.gz"].into_iter().enumerate() {
        let writer = pipe(&folder.path(&format!("{number}")), folder.read(name));
        let result = ran(&folder, &format!("cast ball.toml --rays {number}"));
        writer.join().unwrap();
        assert_eq!(result.text(), expected, "{name}");
        let note = format!("hitscan: {number}: {} bytes went to a temporary file", folder.read(name).len());
        assert_eq!(result.err.contains(&note), name == "rays.parquet", "{}", result.err);
    }
    let result = folder.run_with("cast ball.toml --rays /dev/stdin", &folder.read("rays.csv"));
    assert_eq!(result.text(), expected);
    // Where a file is standard input, too, and an output that exists takes no byte from a pipe.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command.args(["cast", "ball.toml", "--rays", "/dev/stdin"]).current_dir(folder.path("."));
    let output = command.stdin(File::open(folder.path("rays.parquet")).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    folder.file("hits.csv", "");
    let writer = pipe(&folder.path("late"), folder.read("rays.csv"));
    ran(&folder, "cast ball.toml --rays late -o hits.csv");
    writer.join().unwrap();
    assert_eq!(text(&folder, "hits.csv"), expected);
    let points = |name: &str, table: &str| pipe(&folder.path(name), table.as_bytes().to_vec());
    let writers = [
        points("points", "px,py,pz\n5,5,5\n0,0,0\n"),
        points("spheres", "{\"px\":5,\"py\":5,\"pz\":5,\"radius\":1}\n"),
    ];
    assert_eq!(folder.done("contains ball.toml --points points"), "point,inside\n0,true\n1,false\n");
    assert_eq!(folder.done("overlap ball.toml --spheres spheres"), "volume,overlap\n0,true\n");
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    // A folder of results reads each table more than once.
    assert!(std::process::Command::new("mkfifo").arg(folder.path("never")).status().unwrap().success());
    let result = folder.run("cast ball.toml --rays never -o hits/");
    assert_eq!((result.code, &*result.err), (2, "hitscan: never: a pipe has one table of results, not a folder\n"));
}
