//! Columns that are chosen, and columns of the table of rays that are kept.

use crate::support::csv_column;
use crate::table_support::{
    HEADER, fails, names, ran, rays_csv, read, text, upwards, with_ball, write_arrow, write_parquet,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, Date32Array, DictionaryArray, ListArray, RecordBatch, StringArray, TimestampMillisecondArray,
};
use std::sync::Arc;

#[test]
fn chosen_columns_are_those_of_the_whole_table_in_the_order_of_the_choice() {
    let folder = with_ball("columns");
    folder.file("rays.csv", rays_csv(500));
    for format in ["csv", "jsonl", "parquet", "arrow"] {
        folder.done(&format!("cast ball.toml --rays rays.csv -o all.{format}"));
        folder.done(&format!("cast ball.toml --rays rays.csv --columns t,nx -o two.{format}"));
    }
    let (all, two) = (text(&folder, "all.csv"), text(&folder, "two.csv"));
    assert_eq!(two.lines().next(), Some("t,nx"));
    let pairs = csv_column(&all, "t").into_iter().zip(csv_column(&all, "nx"));
    assert!(two.lines().skip(1).eq(pairs.map(|(t, nx)| format!("{t},{nx}"))));
    assert!(csv_column(&two, "t").iter().any(|cell| !cell.is_empty()));
    let lines = text(&folder, "two.jsonl");
    for (line, whole) in lines.lines().zip(text(&folder, "all.jsonl").lines()) {
        let [row, whole] = [line, whole].map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        assert_eq!(line, format!("{{\"t\":{},\"nx\":{}}}", whole["t"], whole["nx"]), "{row}");
    }
    assert_eq!(lines.lines().count(), 500);
    for name in ["parquet", "arrow"] {
        let (all, two) = (&read(&folder, &format!("all.{name}"))[0], &read(&folder, &format!("two.{name}"))[0]);
        assert_eq!(names(two), ["t", "nx"]);
        assert!(
            two.columns().iter().zip(["t", "nx"]).all(|(column, name)| column == all.column_by_name(name).unwrap())
        );
    }
    for (query, columns) in [("any", "hit"), ("count", "count"), ("all", "shape,hit_index"), ("spans", "end,ray,t")] {
        let all = folder.done(&format!("cast ball.toml --rays rays.csv --query {query}"));
        let chosen = folder.done(&format!("cast ball.toml --rays rays.csv --query {query} --columns {columns}"));
        assert_eq!(chosen.lines().next(), Some(columns));
        for name in columns.split(',') {
            assert!(csv_column(&chosen, name) == csv_column(&all, name), "{query} {name}");
        }
    }
}

#[test]
fn columns_that_are_not_there_or_chosen_twice_are_errors() {
    let folder = with_ball("no-column");
    folder.file("rays.csv", rays_csv(1));
    let there = "ray, hit, hit_index, t, distance, px, py, pz, nx, ny, nz, front, shape, primitive, u, v";
    let message = format!("--columns: there is no column 'tt' in these results (there are {there})");
    fails(&folder, "cast ball.toml --rays rays.csv --columns t,tt", &message);
    let message = "--columns: there is no column 't' in these results (there are ray, hit)";
    fails(&folder, "cast ball.toml --rays rays.csv --query any --columns t", message);
    fails(&folder, "cast ball.toml --rays rays.csv --columns t,nx,t", "--columns: column 't' is chosen twice");
}

#[test]
fn kept_cells_of_csv_stay_as_they_are_in_csv() {
    let folder = with_ball("keep-verbatim");
    let rows = "1,\"a, \"\"b\"\"\",007,1.50,5,5,0,0,0,1\n2,\"two\nlines\",-0,1e3,0,0,0,0,0,1\n3,ü,+1,,5,5,3,0,0,1\n";
    folder.file("rays.csv", format!("id,name,code,x,{HEADER}\n{rows}"));
    let kept = folder.done("cast ball.toml --rays rays.csv --keep x,name,code,id --columns t");
    let expected = "x,name,code,id,t\n1.50,\"a, \"\"b\"\"\",007,1,4\n1e3,\"two\nlines\",-0,2,\n,ü,+1,3,1\n";
    assert_eq!(kept, expected);
    let all = folder.done("cast ball.toml --rays rays.csv --keep all --columns t");
    let header = format!("id,name,code,x,{HEADER},t\n");
    assert_eq!(
        all,
        header + &rows.replace(",1\n", ",1,T\n").replacen('T', "4", 1).replacen('T', "", 1).replace('T', "1")
    );
}

#[test]
fn kept_text_has_its_spaces_and_numbers_may_have_some() {
    let folder = with_ball("keep-spaces");
    let rows =
        ["\"  x  y  \", 7 ,5 , 5,0,0,0,1", " a,8,5,5,0,0,0, 1 ", "\" \", ,5,5,0,0,0,1", "\"NA \", NA,5,5,0,0,0,1"];
    folder.file("rays.csv", format!("s,i,{HEADER}\n{}\n", rows.join("\n")));
    let line = "cast ball.toml --rays rays.csv --null NA --keep s,i --columns t";
    let kept = "s,i,t\n\"  x  y  \",\" 7 \",4\n\" a\",8,4\n\" \",\" \",4\n\"NA \",\" NA\",4\n";
    assert_eq!(folder.done(line), kept);
    // Without quotes anywhere another reader reads the text.
    folder.file("plain.csv", format!("s,{HEADER}\n a ,5,5,0,0,0,1\n"));
    assert_eq!(folder.done("cast ball.toml --rays plain.csv --keep s --columns t"), "s,t\n\" a \",4\n");
    folder.done(&format!("{line} -o kept.parquet"));
    let batch = &read(&folder, "kept.parquet")[0];
    let texts: Vec<_> = batch.column(0).as_string::<i32>().iter().collect();
    assert_eq!(texts, [Some("  x  y  "), Some(" a"), Some(" "), Some("NA ")]);
    let integers: Vec<_> = batch.column(1).as_primitive::<Int64Type>().iter().collect();
    assert_eq!(integers, [Some(7), Some(8), None, None]);
}

#[test]
fn kept_text_that_is_not_utf_8_is_a_bad_row() {
    let folder = with_ball("keep-latin-1");
    let table = |header: &[u8], cell: &[u8]| {
        [header, b",", HEADER.as_bytes(), b"\nok,5,5,0,0,0,1\n", cell, b",5,5,0,0,0,1\n"].concat()
    };
    folder.file("rays.csv", table(b"name", b"Gr\xFCn"));
    let reason = "'Gr\u{fffd}n' is not UTF-8 (the encoding that the table must have)";
    let message = format!("rays.csv: row 1 (line 3), column 'name': {reason}");
    for more in ["", "-o kept.parquet", "--format jsonl"] {
        fails(&folder, &format!("cast ball.toml --rays rays.csv --keep name {more}"), &message);
    }
    let line = "cast ball.toml --rays rays.csv --keep name --columns t --bad-rows bad.csv";
    assert_eq!(ran(&folder, &format!("{line} --on-error skip")).text(), "name,t\nok,4\n");
    let bad = format!("file,row,line,column,value,reason\nrays.csv,1,3,name,Gr\u{fffd}n,{reason}\n");
    assert_eq!(text(&folder, "bad.csv"), bad);
    assert_eq!(ran(&folder, &format!("{line} --on-error null")).text(), "name,t\nok,4\n,\n");
    // A column that is not kept may have any bytes.
    assert_eq!(folder.done("cast ball.toml --rays rays.csv --columns t"), "t\n4\n4\n");
    folder.file("names.csv", table(b"gr\xFCn", b"x"));
    let message =
        "names.csv: column 'gr\u{fffd}n': the name of the column is not UTF-8 (the encoding that the table must have)";
    fails(&folder, "cast ball.toml --rays names.csv --keep all", message);
    assert_eq!(folder.done("cast ball.toml --rays names.csv --columns t"), "t\n4\n4\n");
}

#[test]
fn kept_cells_of_csv_have_types_where_the_results_have_types() {
    let folder = with_ball("keep-types");
    let rows = "1,0.5,true,a,007,5,5,0,0,0,1\n-20,1e3,False,NA,008,0,0,0,0,0,1\n,inf,,1,9,5,5,3,0,0,1\n";
    folder.file("rays.csv", format!("i,f,b,s,z,{HEADER}\n{rows}"));
    folder.done("cast ball.toml --rays rays.csv --keep i,f,b,s,z --columns t -o kept.parquet");
    let batch = &read(&folder, "kept.parquet")[0];
    assert_eq!(names(batch), ["i", "f", "b", "s", "z", "t"]);
    let column = |name| batch.column_by_name(name).unwrap();
    let integers: Vec<_> = column("i").as_primitive::<Int64Type>().iter().collect();
    assert_eq!(integers, [Some(1), Some(-20), None]);
    let floats: Vec<_> = column("f").as_primitive::<Float64Type>().iter().collect();
    assert_eq!(floats, [Some(0.5), Some(1000.0), Some(f64::INFINITY)]);
    let booleans: Vec<_> = column("b").as_boolean().iter().collect();
    assert_eq!(booleans, [Some(true), Some(false), None]);
    let texts = |name| column(name).as_string::<i32>().iter().map(|cell| cell.unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (texts("s"), texts("z")),
        (vec!["a".into(), "NA".into(), "1".into()], vec!["007".into(), "008".into(), "9".into()])
    );
    folder.done("cast ball.toml --rays rays.csv --keep i:text,f:text --columns t --null NA -o kept.arrow");
    let batch = &read(&folder, "kept.arrow")[0];
    let texts = |column: usize| -> Vec<_> { batch.column(column).as_string::<i32>().iter().collect() };
    assert_eq!((texts(0), texts(1)), (vec![Some("1"), Some("-20"), None], vec![Some("0.5"), Some("1e3"), Some("inf")]));
    let json = folder.done("cast ball.toml --rays rays.csv --keep i,b,z --columns t --format jsonl");
    assert_eq!(json.lines().next(), Some("{\"i\":1,\"b\":true,\"z\":\"007\",\"t\":4}"));
    let message = "rays.csv: column 'i': unknown type 'int' (known are int64, float64, boolean, text)";
    fails(&folder, "cast ball.toml --rays rays.csv --keep i:int -o x.parquet", message);
}

#[test]
fn a_cell_that_breaks_the_type_of_the_first_rows_is_a_bad_row() {
    let folder = with_ball("keep-later");
    let rows = "7,5,5,0,0,0,1\n".repeat(hitscan_io::BLOCK_ROWS + 3);
    let last = "x,5,5,0,0,0,1\n";
    folder.file("rays.csv", format!("id,{HEADER}\n{rows}{last}"));
    let row = hitscan_io::BLOCK_ROWS + 3;
    let reason = "'x' is no int64, the type of this column in the first rows (:text keeps every cell as it is)";
    let message = format!("rays.csv: row {row} (line {}), column 'id': {reason}", row + 2);
    fails(&folder, "cast ball.toml --rays rays.csv --keep id --columns t -o x.parquet", &message);
    folder.run("cast ball.toml --rays rays.csv --keep id --columns t -o x.parquet --on-error skip");
    assert_eq!(read(&folder, "x.parquet").iter().map(RecordBatch::num_rows).sum::<usize>(), row);
    let bad = format!("file,row,line,column,value,reason\nrays.csv,{row},{},id,x,\"{reason}\"\n", row + 2);
    assert_eq!(text(&folder, "x.parquet.bad.csv"), bad);
    folder.done("cast ball.toml --rays rays.csv --keep id:text --columns t -o x.parquet");
    let csv = folder.done("cast ball.toml --rays rays.csv --keep id --columns t");
    assert_eq!(csv.lines().last(), Some("x,4"), "text stays text");
}

/// Rays with a column of each of several types.
fn typed_columns() -> RecordBatch {
    let mut columns = upwards(&[[5.0, 5.0, 0.0], [0.0; 3], [5.0, 5.0, 3.0]]);
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![])]);
    let dictionary: DictionaryArray<Int32Type> = [Some("red"), None, Some("red")].into_iter().collect();
    let times = || TimestampMillisecondArray::from(vec![Some(1_709_208_000_250), Some(-1), None]);
    let others: [(&str, ArrayRef); 6] = [
        ("name", Arc::new(StringArray::from(vec![Some("a,b"), None, Some("c")]))),
        ("day", Arc::new(Date32Array::from(vec![Some(19_782), Some(-1), None]))),
        ("local", Arc::new(times())),
        ("utc", Arc::new(times().with_timezone("UTC"))),
        ("color", Arc::new(dictionary)),
        ("list", Arc::new(list)),
    ];
    columns.extend(others);
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn kept_columns_of_typed_tables_are_words_in_csv() {
    let folder = with_ball("keep-typed");
    write_parquet(&folder.path("rays.parquet"), &typed_columns(), 1000);
    write_arrow(&folder.path("rays.arrow"), &typed_columns(), 2);
    write_arrow(&folder.path("rays.arrows"), &typed_columns(), 2);
    for table in ["rays.parquet", "rays.arrow", "rays.arrows"] {
        let csv = folder.done(&format!("cast ball.toml --rays {table} --keep name,day,local,utc,color --columns t"));
        let rows = "\"a,b\",2024-02-29,2024-02-29T12:00:00.25,2024-02-29T12:00:00.25Z,red,4\n\
                    ,1969-12-31,1969-12-31T23:59:59.999,1969-12-31T23:59:59.999Z,,\nc,,,,red,1\n";
        assert_eq!(csv, format!("name,day,local,utc,color,t\n{rows}"), "{table}");
        let message = "the column has a type: leave out :text, which is for text";
        fails(
            &folder,
            &format!("cast ball.toml --rays {table} --keep day:text"),
            &format!("{table}: column 'day': {message}"),
        );
    }
}

#[test]
fn nested_columns_are_kept_in_typed_results_and_refused_in_text() {
    let folder = with_ball("keep-nested");
    let table = typed_columns();
    write_parquet(&folder.path("rays.parquet"), &table, 1000);
    write_arrow(&folder.path("rays.arrow"), &table, 1000);
    for name in ["rays.parquet", "rays.arrow"] {
        for out in ["hits.parquet", "hits.arrow"] {
            folder.done(&format!("cast ball.toml --rays {name} --keep list,day --columns t -o {out}"));
            let batch = &read(&folder, out)[0];
            let (kept, list) =
                (batch.column(0).as_list::<i32>(), table.column_by_name("list").unwrap().as_list::<i32>());
            let rows = |list: &ListArray| -> Vec<Option<Vec<Option<i32>>>> {
                list.iter().map(|row| row.map(|row| row.as_primitive::<Int32Type>().iter().collect())).collect()
            };
            assert_eq!(rows(kept), rows(list), "{name} to {out}");
            assert_eq!(batch.column(1), table.column_by_name("day").unwrap(), "{name} to {out}");
        }
        let result = folder.run(&format!("cast ball.toml --rays {name} --keep list"));
        assert!(result.err.starts_with(&format!("hitscan: {name}: column 'list': text has no values of type List")));
        assert_eq!((result.code, result.text()), (1, ""));
    }
}

#[test]
fn kept_cells_are_repeated_for_each_hit() {
    let folder = with_ball("keep-all-hits");
    folder.file("rays.csv", format!("id,{HEADER}\na,5,5,0,0,0,1\nb,0,0,0,0,0,1\nc,5,5,0,0,0,2\n"));
    let all = folder.done("cast ball.toml --rays rays.csv --keep id --query all --columns ray,hit_index,t");
    assert_eq!(all, "id,ray,hit_index,t\na,0,0,4\na,0,1,6\nc,2,0,2\nc,2,1,3\n");
}

#[test]
fn kept_columns_must_be_there_once_and_not_among_the_results() {
    let folder = with_ball("keep-errors");
    folder.file("rays.csv", format!("t,id,{HEADER}\n1,2,5,5,0,0,0,1\n"));
    let columns = "the table has t, id, ox, oy, oz, dx, dy, dz";
    let cast = |keep: &str, message: &str| fails(&folder, &format!("cast ball.toml --rays rays.csv {keep}"), message);
    cast("--keep idd", &format!("rays.csv: no column 'idd' to keep ({columns})"));
    cast("--keep id,id", "rays.csv: column 'id' is kept twice");
    let clash = "rays.csv: column 't' is kept, and it is among the results, too: leave out one of them";
    cast("--keep t", clash);
    cast("--keep all", clash);
    assert_eq!(folder.done("cast ball.toml --rays rays.csv --keep t --columns nz"), "t,nz\n1,-1\n");
}

#[test]
fn columns_that_are_read_can_be_kept_too() {
    let folder = with_ball("keep-own");
    folder.file("rays.csv", format!("{HEADER}\n5,5,0.5,0,0,1\n"));
    folder.file("rays.jsonl", "{\"ox\":5,\"oy\":5,\"oz\":0.5,\"dx\":0,\"dy\":0,\"dz\":1}\n");
    write_parquet(&folder.path("rays.parquet"), &RecordBatch::try_from_iter(upwards(&[[5.0, 5.0, 0.5]])).unwrap(), 9);
    for table in ["rays.csv", "rays.jsonl", "rays.parquet"] {
        let line = format!("cast ball.toml --rays {table} --columns t");
        assert_eq!(folder.done(&format!("{line} --keep oz,dz")), "oz,dz,t\n0.5,1,3.5\n", "{table}");
        assert_eq!(folder.done(&format!("{line} --keep all")), format!("{HEADER},t\n5,5,0.5,0,0,1,3.5\n"), "{table}");
    }
}
