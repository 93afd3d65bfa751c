//! Rows that cannot be read.

use crate::support::Folder;
use crate::table_support::{
    COORDINATES, HEADER, fails, names, ran, rays_csv, read, text, with_ball, write_arrow, write_parquet,
};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use std::fmt::Write;
use std::fs::{self};
use std::sync::Arc;

/// Six rays at the ball in every format; row 1 lacks a number that as 0 would hit, row 3 has no direction.
pub(crate) fn with_bad_rows(test: &str) -> Folder {
    let folder = with_ball(test);
    let rows = ["5,5,0,0,0,1", "5,5,,0,0,1", "5,5,3,0,0,1", "5,5,0,0,0,nan", "5,5,0,0,0,2", "0,0,0,0,0,1"];
    let csv = rows.iter().enumerate().map(|(row, cells)| format!("r{row},{cells}\n")).collect::<String>();
    folder.file("rays.csv", format!("id,{HEADER}\n{csv}"));
    let mut json = String::new();
    for (row, cells) in rows.iter().enumerate() {
        let cell = |(name, cell): (&&str, &str)| match cell {
            "" => format!(",\"{name}\":null"),
            "nan" => format!(",\"{name}\":\"nan\""),
            _ => format!(",\"{name}\":{cell}"),
        };
        let cells: String = COORDINATES.iter().zip(cells.split(',')).map(cell).collect();
        writeln!(json, "{{\"id\":\"r{row}\"{cells}}}").unwrap();
    }
    folder.file("rays.jsonl", json);
    let ids: ArrayRef = Arc::new(StringArray::from_iter_values((0..6).map(|row| format!("r{row}"))));
    let mut columns = vec![("id", ids)];
    for (axis, name) in COORDINATES.into_iter().enumerate() {
        let cells = rows.iter().map(|row| row.split(',').nth(axis).unwrap().parse::<f64>().ok());
        columns.push((name, Arc::new(cells.collect::<Float64Array>())));
    }
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    write_parquet(&folder.path("rays.parquet"), &batch, 4);
    write_arrow(&folder.path("rays.arrow"), &batch, 4);
    write_arrow(&folder.path("rays.arrows"), &batch, 4);
    folder
}

const WITH_BAD_ROWS: [&str; 5] = ["rays.csv", "rays.jsonl", "rays.parquet", "rays.arrow", "rays.arrows"];

#[test]
fn a_row_that_cannot_be_read_stops_the_cast() {
    let folder = with_bad_rows("bad-stop");
    for table in WITH_BAD_ROWS {
        let (line, problem) = match table {
            "rays.csv" => (" (line 3)", "the cell is empty"),
            "rays.jsonl" => (" (line 2)", "the cell is empty"),
            _ => ("", "the cell is null"),
        };
        for stop in ["", "--on-error stop"] {
            let cast = format!("cast ball.toml --rays {table} -o hits.csv {stop}");
            fails(&folder, &cast, &format!("{table}: row 1{line}, column 'oz': {problem}"));
        }
        assert!(folder.names().iter().all(|name| !name.contains("hits")), "{:?}", folder.names());
    }
}

#[test]
fn rows_that_cannot_be_read_have_no_results_with_skip_and_empty_ones_with_null() {
    let folder = with_bad_rows("bad-rows");
    let expected = [
        ("any", "skip", "id,ray,hit\nr0,0,true\nr2,2,true\nr4,4,true\nr5,5,false\n"),
        ("any", "null", "id,ray,hit\nr0,0,true\nr1,1,\nr2,2,true\nr3,3,\nr4,4,true\nr5,5,false\n"),
        ("count", "skip", "id,ray,count\nr0,0,2\nr2,2,2\nr4,4,2\nr5,5,0\n"),
        ("count", "null", "id,ray,count\nr0,0,2\nr1,1,\nr2,2,2\nr3,3,\nr4,4,2\nr5,5,0\n"),
        ("first", "skip", "id,ray,hit,t,shape\nr0,0,true,4,ball\nr2,2,true,1,ball\nr4,4,true,2,ball\nr5,5,false,,\n"),
        (
            "first",
            "null",
            "id,ray,hit,t,shape\nr0,0,true,4,ball\nr1,1,,,\nr2,2,true,1,ball\nr3,3,,,\nr4,4,true,2,ball\n\
             r5,5,false,,\n",
        ),
        ("all", "skip", "id,ray,hit_index,t\nr0,0,0,4\nr0,0,1,6\nr2,2,0,1\nr2,2,1,3\nr4,4,0,2\nr4,4,1,3\n"),
        (
            "all",
            "null",
            "id,ray,hit_index,t\nr0,0,0,4\nr0,0,1,6\nr1,1,,\nr2,2,0,1\nr2,2,1,3\nr3,3,,\nr4,4,0,2\nr4,4,1,3\n",
        ),
        (
            "spans",
            "null",
            "id,ray,end,t\nr0,0,enter,4\nr0,0,exit,6\nr1,1,,\nr2,2,enter,1\nr2,2,exit,3\nr3,3,,\nr4,4,enter,2\n\
             r4,4,exit,3\n",
        ),
    ];
    for (query, on_error, expected) in expected {
        let columns = expected.lines().next().unwrap().strip_prefix("id,").unwrap();
        for table in WITH_BAD_ROWS {
            let line = format!("cast ball.toml --rays {table} --keep id --query {query} --columns {columns}");
            let result = ran(&folder, &format!("{line} --on-error {on_error}"));
            assert_eq!(result.text(), expected, "{table} {query} {on_error}");
            let hits = if ["any", "first"].contains(&query) { 3 } else { 6 };
            assert!(
                result.err.contains(&format!("6 rays, {hits} hits,")),
                "{table} {query} {on_error}: {}",
                result.err
            );
            assert!(result.err.contains(&format!("2 rows of {table} could not be read")), "{}", result.err);
        }
    }
    let line = "cast ball.toml --rays rays.parquet --on-error null -o hits.parquet";
    ran(&folder, line);
    let batch = &read(&folder, "hits.parquet")[0];
    for (column, name) in batch.columns().iter().zip(names(batch)) {
        let is_ray = name == "ray";
        assert!([1, 3].iter().all(|row| column.is_null(*row) != is_ray), "{name}");
    }
}

#[test]
fn rows_that_cannot_be_read_are_written_down() {
    let folder = with_bad_rows("bad-file");
    let table = |name: &str, lines: [&str; 2], [empty, nan]: [&str; 2]| {
        let [first, second] = lines;
        format!("file,row,line,column,value,reason\n{name},1,{first},oz,{empty}\n{name},3,{second},dz,{nan}\n")
    };
    let not_allowed = "NaN is not allowed in a ray";
    let null = [",the cell is null", &format!("NaN,{not_allowed}")];
    let expected = [
        ("rays.csv", table("rays.csv", ["3", "5"], [",the cell is empty", &format!("nan,{not_allowed}")])),
        (
            "rays.jsonl",
            table("rays.jsonl", ["2", "4"], [",the cell is empty", "nan,\"'nan' is a text, not a number\""]),
        ),
        ("rays.parquet", table("rays.parquet", ["", ""], null)),
        ("rays.arrow", table("rays.arrow", ["", ""], null)),
    ];
    for (name, expected) in expected {
        for on_error in ["skip", "null"] {
            ran(&folder, &format!("cast ball.toml --rays {name} --on-error {on_error} -o hits.csv"));
            assert_eq!(text(&folder, "hits.csv.bad.csv"), expected, "{name}");
            ran(&folder, &format!("cast ball.toml --rays {name} --on-error {on_error} --bad-rows bad.csv"));
            assert_eq!(text(&folder, "bad.csv"), expected, "{name}");
            fs::remove_file(folder.path("bad.csv")).unwrap();
            fs::remove_file(folder.path("hits.csv.bad.csv")).unwrap();
        }
    }
    folder.file("good.csv", rays_csv(3));
    folder.done("cast ball.toml --rays good.csv --on-error skip -o hits.csv");
    assert!(!folder.names().contains(&"hits.csv.bad.csv".to_owned()), "no bad rows, no file of them");
}

#[test]
fn records_that_are_none_are_bad_rows() {
    let folder = with_ball("bad-records");
    let rays = format!("{HEADER}\n5,5,0,0,0,1\n1,2\n\n5,5,0,0,0,1,9\n");
    let bad = "file,row,line,column,value,reason\nrays.csv,1,3,,\"1,2\",2 fields (the header has 6)\n\
               rays.csv,2,5,,\"5,5,0,0,0,1,9\",7 fields (the header has 6)\n";
    // Quotes anywhere, and carriage returns, make another reader read the text.
    for last in ["5,5,0,0,0,1\n", "\"5\",5,0,0,0,1\n"] {
        for end in ["\n", "\r\n"] {
            folder.file("rays.csv", format!("{rays}{last}").replace('\n', end));
            let csv = ran(&folder, "cast ball.toml --rays rays.csv --on-error skip --columns ray,t --bad-rows bad.csv");
            assert_eq!(csv.text(), "ray,t\n0,4\n3,4\n");
            assert_eq!(text(&folder, "bad.csv"), bad, "{last:?} {end:?}");
        }
    }
    fails(&folder, "cast ball.toml --rays rays.csv", "rays.csv: row 1 (line 3): 2 fields (the header has 6)");
    let good = "{\"ox\":5,\"oy\":5,\"oz\":0,\"dx\":0,\"dy\":0,\"dz\":1}\n";
    folder.file("rays.jsonl", format!("{good}{{\"ox\":1\n[1]\n\n{good}"));
    let json = ran(&folder, "cast ball.toml --rays rays.jsonl --on-error skip --columns ray,t --bad-rows bad.csv");
    assert_eq!(json.text(), "ray,t\n0,4\n3,4\n");
    let bad = text(&folder, "bad.csv");
    let rows: Vec<&str> = bad.lines().skip(1).collect();
    assert!(rows[0].starts_with("rays.jsonl,1,2,,\"{\"\"ox\"\":1\",not a JSON object: "), "{bad}");
    assert!(rows[1].starts_with("rays.jsonl,2,3,,[1],"), "{bad}");
    assert!(bad.lines().count() == 3 && bad.contains("not a JSON object"), "{bad}");
}

/// A quote too much would hide the rows behind it: that is no bad row, it is a broken table.
#[test]
fn a_quoted_field_without_an_end_is_an_error_whatever_the_options() {
    let folder = with_ball("open-quote");
    folder.file("u.csv", format!("{HEADER},note\n5,5,0,0,0,1,\"unclosed\n5,5,0,0,0,1,x\n"));
    let message = |name: &str, row: u64, column: &str| {
        let line = row + 2;
        format!("{name}: row {row} (line {line}), column '{column}': the quote that opens here has no end")
    };
    for more in
        ["", "--on-error skip", "--on-error null", "--keep note", "--keep all --format jsonl", "-o hits.parquet"]
    {
        fails(&folder, &format!("cast ball.toml --rays u.csv {more}"), &message("u.csv", 0, "note"));
    }
    let stdin = folder.run_with("cast ball.toml --rays -", &folder.read("u.csv"));
    assert_eq!(stdin.err, format!("hitscan: {}\n", message("<stdin>", 0, "note")));
    let result = folder.run("cast ball.toml --rays u.csv --on-error skip -o hits/");
    assert!(result.code == 1 && result.err.contains(&message("u.csv", 0, "note")), "{}", result.err);
    assert!(!folder.path("hits/u.parquet").exists());
    // Behind the first block, in a text of many other quotes, by any number of threads and in the rows that are peeked at.
    let mut long = format!("{HEADER},note\n");
    (0..130_000).for_each(|_| long.push_str("5,5,0,0,0,1,\"a \"\"b\"\"\"\n"));
    long.push_str("\"5,5,0,0,0,1,x\n5,5,0,0,0,1,x\n");
    folder.file("long.csv", long);
    for more in ["--threads 1", "--threads 4 --on-error skip", "--keep note --on-error null"] {
        let line = format!("cast ball.toml --rays long.csv {more} -o hits.csv");
        fails(&folder, &line, &message("long.csv", 130_000, "ox"));
    }
    assert!(!folder.names().iter().any(|name| name.starts_with("hits.csv")), "{:?}", folder.names());
    folder.file("header.csv", "ox,oy,oz,dx,dy,\"dz\n5,5,0,0,0,1\n");
    fails(&folder, "cast ball.toml --rays header.csv", "header.csv: line 1: the quote that opens here has no end");
    folder.file("points.csv", "px,py,pz,note\n5,5,5,x\n1,1,1,\"y\n2,2,2,z\n");
    let points = message("points.csv", 1, "note");
    fails(&folder, "contains ball.toml --points points.csv -o inside.csv", &points);
    fails(&folder, "overlap ball.toml --points points.csv --radius 1 -o o.csv", &points);
    // A quote within a field, and the end of a file within nothing, are as before.
    folder.file("good.csv", format!("{HEADER},note\n5,5,0,0,0,1,6\"\n5,5,0,0,0,1,\"x\""));
    assert_eq!(ran(&folder, "cast ball.toml --rays good.csv --columns ray,t").text(), "ray,t\n0,4\n1,4\n");
}

#[test]
fn the_reason_of_a_missing_value_shows_its_cell() {
    let folder = with_ball("bad-null");
    folder.file("rays.csv", format!("{HEADER}\n5,5,NA,0,0,1\n5,5, ,0,0,1\n5,5,0,0,0, NA\n"));
    let line = "cast ball.toml --rays rays.csv --null NA";
    let reason = "'NA' stands for a missing value, and a number is needed";
    fails(&folder, line, &format!("rays.csv: row 0 (line 2), column 'oz': {reason}"));
    ran(&folder, &format!("{line} --on-error skip --bad-rows bad.csv"));
    let rows = [
        format!("rays.csv,0,2,oz,NA,\"{reason}\""),
        "rays.csv,1,3,oz, ,the cell is empty".to_owned(),
        format!("rays.csv,2,4,dz, NA,\"{reason}\""),
    ];
    assert_eq!(text(&folder, "bad.csv"), format!("file,row,line,column,value,reason\n{}\n", rows.join("\n")));
    folder.file("rays.jsonl", "{\"ox\":5,\"oy\":5,\"oz\":\"NA\",\"dx\":0,\"dy\":0,\"dz\":1}\n");
    let json = "cast ball.toml --rays rays.jsonl --null NA";
    fails(&folder, json, &format!("rays.jsonl: row 0 (line 1), column 'oz': {reason}"));
}

/// Python writes NaN and Infinity, which are no JSON, and such a row may be the first one, which has the names.
#[test]
fn words_for_numbers_that_json_does_not_have_are_named_with_their_column() {
    let folder = with_ball("bad-json-words");
    let row = |ox: &str, t_max: &str| {
        format!(
            "{{\"note\": \"NaN \\\"x\", \"ox\": {ox}, \"oy\":5,\"oz\":0,\"dx\":0,\"dy\":0,\"dz\":1,\"t_max\":{t_max}}}\n"
        )
    };
    for (ox, t_max, column, word) in
        [("NaN", "1", "ox", "NaN"), ("5", "Infinity", "t_max", "Infinity"), ("-1e2", "-Infinity", "t_max", "-Infinity")]
    {
        folder.file("rays.jsonl", row(ox, t_max) + &row("5", "null"));
        let reason = format!("JSON has no {word} (null is a missing number)");
        fails(
            &folder,
            "cast ball.toml --rays rays.jsonl",
            &format!("rays.jsonl: row 0 (line 1), column '{column}': {reason}"),
        );
        let line = "cast ball.toml --rays rays.jsonl --on-error skip --columns ray,t --bad-rows bad.csv";
        assert_eq!(ran(&folder, line).text(), "ray,t\n1,4\n");
        let bad = format!("file,row,line,column,value,reason\nrays.jsonl,0,1,{column},{word},{reason}\n");
        assert_eq!(text(&folder, "bad.csv"), bad);
    }
}
