//! Folders of results: their files, their manifest, what they refuse.

use crate::support::{BALL, CommandResult, csv_column};
use crate::table_bad_rows::with_bad_rows;
use crate::table_formats::{gzip, many_rays};
use crate::table_support::{HEADER, fails, origins, ran, rays_csv, read, text, upwards, with_ball, write_parquet};
use arrow_array::RecordBatch;
use std::fs::{self};
use std::path::Path;

/// The files in a folder and its folders, hidden ones included, by their paths in it.
fn all_files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true => files.extend(all_files(&entry.path()).iter().map(|inner| format!("{name}/{inner}"))),
            false => files.push(name),
        }
    }
    files.sort();
    files
}

#[test]
fn folders_globs_and_lists_of_tables_give_a_file_for_each() {
    let folder = with_ball("many-tables");
    for name in ["data/year=2024/month=1", "data/year=2025", "data/_old", "data/.hidden"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    let rays = rays_csv(20);
    for name in [
        "data/year=2024/month=1/a.b.csv",
        "data/year=2025/a.csv",
        "data/_old/x.csv",
        "data/.hidden/x.csv",
        "data/_x.csv",
    ] {
        folder.file(name, &rays);
    }
    folder.file("data/year=2025/c.csv.gz", gzip(rays.as_bytes()));
    folder.file("data/notes.txt", "no table");
    write_parquet(&folder.path("data/d.parquet"), &RecordBatch::try_from_iter(upwards(&origins(20))).unwrap(), 9);
    let expected = folder.done("cast ball.toml --rays data/year=2025/a.csv");
    let cast = |rays: &str, files: &[&str]| {
        ran(&folder, &format!("cast ball.toml --rays {rays} -o hits/ --format csv"));
        let all = all_files(&folder.path("hits"));
        assert_eq!(all, files, "{rays}");
        for file in all.iter().filter(|file| *file != "_hitscan.json") {
            assert_eq!(text(&folder, &format!("hits/{file}")), expected, "{rays}: {file}");
        }
        fs::remove_dir_all(folder.path("hits")).unwrap();
    };
    let all = ["_hitscan.json", "d.csv", "year=2024/month=1/a.b.csv", "year=2025/a.csv", "year=2025/c.csv"];
    cast("data", &all);
    cast("data/**/*.csv", &["_hitscan.json", "year=2024/month=1/a.b.csv", "year=2025/a.csv"]);
    cast("data/year=*/*.csv", &["_hitscan.json", "year=2025/a.csv"]);
    cast("data/d.parquet data/year=2025/a.csv", &["_hitscan.json", "a.csv", "d.csv"]);
    ran(&folder, "cast ball.toml --rays data/d.parquet -o hits/");
    assert_eq!(all_files(&folder.path("hits")), ["_hitscan.json", "d.parquet"]);
    ran(&folder, "cast ball.toml --rays data/d.parquet -o packed/ --format csv --compression gzip");
    assert_eq!(all_files(&folder.path("packed")), ["_hitscan.json", "d.csv.gz"]);
}

#[test]
fn a_file_of_a_folder_has_no_more_rows_than_the_flag_says() {
    let folder = with_ball("rows-per-file");
    folder.file("a.csv", rays_csv(10));
    folder.file("b.csv", rays_csv(4));
    folder.file("c.csv", rays_csv(5).replace("\n5", "\n\"5\"").replace(",0,0,1\n", ",\"0\",0,1\n"));
    let batch = RecordBatch::try_from_iter(upwards(&origins(9))).unwrap();
    write_parquet(&folder.path("d.parquet"), &batch, 3);
    folder.file("e.csv", format!("{HEADER}\n"));
    for (format, keep) in [("csv", ""), ("csv", "--keep ox,dz"), ("jsonl", "--keep ox,dz"), ("parquet", "--keep ox")] {
        let line = format!("cast ball.toml --rays a.csv b.csv c.csv d.parquet e.csv --format {format} {keep}");
        let result = ran(&folder, &format!("{line} --rows-per-file 4 -o hits/"));
        assert!(result.err.contains("28 rays,"), "{}", result.err);
        let names = ["a-00000", "a-00001", "a-00002", "b", "c-00000", "c-00001", "d-00000", "d-00001", "d-00002", "e"];
        let files: Vec<_> = names.iter().map(|name| format!("{name}.{format}")).collect();
        assert_eq!(all_files(&folder.path("hits"))[1..], files, "{format} {keep}");
        let rows = [4, 4, 2, 4, 4, 1, 4, 4, 1, 0];
        if format == "parquet" {
            for (file, rows) in files.iter().zip(rows) {
                assert_eq!(
                    read(&folder, &format!("hits/{file}")).iter().map(RecordBatch::num_rows).sum::<usize>(),
                    rows,
                    "{file}"
                );
            }
        } else {
            let header = usize::from(format == "csv");
            for (file, rows) in files.iter().zip(rows) {
                assert_eq!(text(&folder, &format!("hits/{file}")).lines().count(), rows + header, "{file} {keep}");
            }
            let whole = ran(&folder, &format!("cast ball.toml --rays a.csv --format {format} {keep}"));
            let parts = files[..3].iter().map(|file| text(&folder, &format!("hits/{file}")));
            let lines: Vec<_> =
                parts.flat_map(|part| part.lines().skip(header).map(str::to_owned).collect::<Vec<_>>()).collect();
            assert!(whole.text().lines().skip(header).eq(lines.iter().map(String::as_str)), "{format} {keep}");
        }
        fs::remove_dir_all(folder.path("hits")).unwrap();
    }
}

#[test]
fn files_of_more_rows_than_a_block_end_where_the_flag_says() {
    let folder = with_ball("large-files");
    folder.file("rays.csv", many_rays("\n"));
    let whole = folder.done("cast ball.toml --rays rays.csv --keep note --columns ray,t");
    for rows in [100_000, 130_000] {
        let line = "cast ball.toml --rays rays.csv --keep note --columns ray,t --format csv";
        ran(&folder, &format!("{line} --rows-per-file {rows} -o hits/"));
        let files = all_files(&folder.path("hits"));
        assert_eq!(files.len(), 5, "{files:?}");
        let mut all = String::from("note,ray,t\n");
        for (number, file) in files[1..].iter().enumerate() {
            let part = text(&folder, &format!("hits/{file}"));
            let (_, part) = part.split_once('\n').unwrap();
            let first = number * rows;
            assert!(part.starts_with(&format!("{first},{first},")), "{file} of {rows}");
            all.push_str(part);
        }
        assert!(all == whole, "{rows}");
        fs::remove_dir_all(folder.path("hits")).unwrap();
    }
}

#[test]
fn the_manifest_tells_what_the_results_are_of() {
    let folder = with_ball("manifest");
    folder.file("a.csv", rays_csv(10));
    folder.file("b.csv", rays_csv(5));
    ran(&folder, "cast ball.toml --rays a.csv b.csv -o hits/ --query all --first 2 --t-max 8 --columns ray,t");
    let manifest: serde_json::Value = serde_json::from_slice(&folder.read("hits/_hitscan.json")).unwrap();
    assert_eq!(manifest["hitscan"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["scene"].as_str().unwrap().len(), 32);
    let options = &manifest["options"];
    assert_eq!((&options["query"], &options["first"], &options["t_max"]), (&"all".into(), &2.into(), &8.0.into()));
    assert_eq!((&options["columns"][1], &options["format"]), (&"t".into(), &"parquet".into()));
    let inputs: Vec<_> = manifest["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| (i["name"].as_str().unwrap(), i["size"].as_u64().unwrap()))
        .collect();
    assert_eq!(inputs, [("a.csv", folder.read("a.csv").len() as u64), ("b.csv", folder.read("b.csv").len() as u64)]);
}

#[test]
fn folders_that_would_mix_results_are_refused() {
    let folder = with_ball("folder-errors");
    fs::create_dir(folder.path("sub")).unwrap();
    for name in ["a.csv", "b.csv", "sub/a.csv", "a-00001.csv"] {
        folder.file(name, rays_csv(10));
    }
    let usage = |line: &str, message: &str| {
        let result = folder.run(line);
        assert!(result.code != 0 && result.err.contains(message) && result.text().is_empty(), "{line}: {}", result.err);
    };
    let several = "several tables of rays have a folder of results: -o needs its name, with / at its end";
    usage("cast ball.toml --rays a.csv b.csv", several);
    usage("cast ball.toml --rays a.csv b.csv -o hits.csv", several);
    usage("cast ball.toml --rays *.csv", several);
    let is_for_folders = "is for a folder of results: -o needs its name, with / at its end";
    usage("cast ball.toml --rays a.csv --resume", &format!("--resume {is_for_folders}"));
    usage("cast ball.toml --rays a.csv --rows-per-file 5", &format!("--rows-per-file {is_for_folders}"));
    usage("cast ball.toml --rays - -o hits/", "standard input has one table of results, not a folder");
    usage("cast ball.toml --rays x*.csv -o hits/", "x*.csv: no file has a name like this");
    fails(
        &folder,
        "cast ball.toml --rays a.csv sub/a.csv -o hits/",
        "sub/a.csv: its results would have the name of those of a.csv (a): cast them one after the other, \
         into two folders",
    );
    let result = folder.run("cast ball.toml --rays a.csv a-00001.csv -o hits/ --rows-per-file 4");
    assert!(
        result.code == 1 && result.err.contains("a-00001.csv") && result.err.contains("a part of those of a.csv"),
        "{}",
        result.err
    );
    assert!(!folder.path("hits").exists(), "nothing was written");
    fs::create_dir(folder.path("full")).unwrap();
    folder.file("full/x.txt", "x");
    for more in ["", "--resume"] {
        let message = "full: the folder holds other files: give another folder, or an empty one";
        usage(&format!("cast ball.toml --rays a.csv -o full {more}"), message);
    }
    ran(&folder, "cast ball.toml --rays a.csv b.csv -o hits/");
    usage("cast ball.toml --rays a.csv b.csv -o hits/", "hits/: the folder holds results of an earlier run: ");
}

#[test]
fn a_resumed_run_must_have_the_same_options_scene_and_tables() {
    let folder = with_ball("resume-changes");
    folder.file("a.csv", rays_csv(10));
    folder.file("b.csv", rays_csv(5));
    ran(&folder, "cast ball.toml --rays a.csv b.csv -o hits/ --t-max 9");
    let differs = |line: &str, difference: &str| {
        let result = folder.run(&format!("cast {line} -o hits/ --resume"));
        let start = format!("hitscan: hits/_hitscan.json: {difference}");
        assert!(result.code == 1 && result.err.starts_with(&start), "{line}: {}", result.err);
    };
    differs("ball.toml --rays a.csv b.csv", "the option t_max was 9.0, and is nothing now (");
    differs("ball.toml --rays a.csv b.csv --t-max 9 --query any", "the option query was first, and is any now (");
    differs(
        "ball.toml --rays a.csv b.csv --t-max 9 --rows-per-file 5",
        "the option rows_per_file was 4000000, and is 5 now (",
    );
    differs("ball.toml --rays a.csv b.csv --t-max 9 --format csv", "the option format was parquet, and is csv now (");
    differs(
        "ball.toml --rays a.csv b.csv --t-max 9 --on-error skip",
        "the option on_error was stop, and is skip now (",
    );
    differs("ball.toml --rays a.csv b.csv --t-max 9 --keep ox", "the option keep was [], and is [\"ox\"] now (");
    folder.file("other.toml", BALL.replace("radius = 1", "radius = 2"));
    differs("other.toml --rays a.csv b.csv --t-max 9", "the scene's hash was ");
    differs("ball.toml --rays a.csv --t-max 9", "the input \"b.csv\" is not there now (");
    folder.file("c.csv", rays_csv(5));
    differs("ball.toml --rays a.csv b.csv c.csv --t-max 9", "the input \"c.csv\" is new (");
    let result = ran(&folder, "cast ball.toml --rays a.csv b.csv -o hits/ --t-max 9 --resume --threads 1");
    assert!(result.err.contains("0 files written, 2 there already"), "{}", result.err);
    folder.file("b.csv", rays_csv(6));
    differs("ball.toml --rays a.csv b.csv --t-max 9", "the size of the input \"b.csv\" was ");
}

/// A bad file ends the run; once it is mended, the run goes on to the files of an undisturbed one.
#[test]
fn an_input_without_results_may_be_mended() {
    let folder = with_ball("resume-mended");
    let wrong = |good: &str| good.replacen(",1\n", ",one\n", 6).replacen(",one\n", ",1\n", 5);
    for name in ["a.csv", "b.csv", "c.csv"] {
        folder.file(name, rays_csv(10));
    }
    folder.file("b.csv", wrong(&rays_csv(10)));
    let line = "cast ball.toml --rays a.csv b.csv c.csv --keep oz --threads 1";
    let run = |more: &str| folder.run(&format!("{line} {more}"));
    let whole = "--format csv -o hits/";
    let result = run(whole);
    assert!(result.code == 1 && result.err.starts_with("hitscan: b.csv: row 5 (line 7)"), "{}", result.err);
    assert_eq!(all_files(&folder.path("hits")), ["_hitscan.json", "a.csv"]);
    // An attempt that was killed in between has left its bad rows.
    fs::create_dir(folder.path("hits/_bad_rows")).unwrap();
    for name in ["a.csv.csv", "b.csv.csv", "b-00000.csv.csv"] {
        folder.file(&format!("hits/_bad_rows/{name}"), "old");
    }
    folder.file("b.csv", rays_csv(12));
    let resumed = ran(&folder, &format!("{line} {whole} --resume"));
    assert!(resumed.err.contains("hits/: 2 files written, 1 there already"), "{}", resumed.err);
    assert_eq!(all_files(&folder.path("hits")), ["_bad_rows/a.csv.csv", "_hitscan.json", "a.csv", "b.csv", "c.csv"]);
    ran(&folder, &format!("{line} --format csv -o undisturbed/"));
    for name in ["_hitscan.json", "a.csv", "b.csv", "c.csv"] {
        assert_eq!(text(&folder, &format!("hits/{name}")), text(&folder, &format!("undisturbed/{name}")), "{name}");
    }
    // Now it has results.
    folder.file("b.csv", rays_csv(13));
    let refused = |result: &CommandResult| {
        let message = "_hitscan.json: the size of the input \"b.csv\" was ";
        assert!(result.code == 1 && result.err.contains(message), "{}", result.err);
    };
    refused(&run(&format!("{whole} --resume")));
    // A part of the results is one, too.
    folder.file("b.csv", wrong(&rays_csv(10)));
    let parts = "--rows-per-file 4 -o parts/";
    assert_eq!(run(parts).code, 1);
    assert!(folder.path("parts/b-00000.parquet").exists() && !folder.path("parts/b-00001.parquet").exists());
    folder.file("b.csv", rays_csv(10));
    refused(&run(&format!("{parts} --resume")));
}

#[test]
fn bad_rows_of_a_folder_are_written_down_beside_the_results() {
    let folder = with_bad_rows("folder-bad-rows");
    folder.file("good.csv", rays_csv(3));
    let line = "cast ball.toml --rays rays.csv good.csv -o hits/ --format csv --on-error skip --rows-per-file 3";
    let result = ran(&folder, line);
    let warning = "hitscan: warning: 1 row of rays.csv could not be read: hits/_bad_rows/rays-00000.csv.csv has them\n";
    assert!(result.err.contains(warning), "{}", result.err);
    let files = [
        "_bad_rows/rays-00000.csv.csv",
        "_bad_rows/rays-00001.csv.csv",
        "_hitscan.json",
        "good.csv",
        "rays-00000.csv",
        "rays-00001.csv",
    ];
    assert_eq!(all_files(&folder.path("hits")), files);
    let second = text(&folder, "hits/_bad_rows/rays-00001.csv.csv");
    assert_eq!(second, "file,row,line,column,value,reason\nrays.csv,3,5,dz,nan,NaN is not allowed in a ray\n");
    assert_eq!(csv_column(&text(&folder, "hits/rays-00001.csv"), "ray"), ["4", "5"]);
}
