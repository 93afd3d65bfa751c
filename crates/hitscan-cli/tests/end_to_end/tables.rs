//! Every format says the same, whatever the number of threads and the way shapes are found.

use crate::support::{Folder, csv_column, csv_numbers, random_rays};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt64Type};
use arrow_array::{ArrayRef, Float32Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::sync::Arc;

const RAYS: usize = 5_000;

/// Shapes and a mesh, and rays at them.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("scene.toml", folder.done("demo --print-scene"));
    folder.file("hitscan-demo-knot.obj", folder.done("demo --print-mesh"));
    folder.file("rays.csv", random_rays(RAYS, 3));
    folder
}

/// A column of numbers as bits, NaN where there is none.
fn column(batch: &RecordBatch, name: &str) -> Vec<f64> {
    let column = batch.column_by_name(name).unwrap();
    match column.as_primitive_opt::<Float64Type>() {
        Some(column) => column.iter().map(|x| x.unwrap_or(f64::NAN)).collect(),
        None => column.as_primitive::<Float32Type>().iter().map(|x| x.map_or(f64::NAN, f64::from)).collect(),
    }
}

fn read(folder: &Folder, name: &str) -> Vec<RecordBatch> {
    let file = File::open(folder.path(name)).unwrap();
    if name.ends_with("parquet") {
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect()
    } else {
        arrow_ipc::reader::FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect()
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

#[test]
fn every_format_holds_the_same_numbers() {
    let folder = folder("formats");
    for format in ["csv", "jsonl", "parquet", "arrow"] {
        assert_eq!(folder.done(&format!("cast scene.toml --rays rays.csv --precision f64 -o hits.{format}")), "");
    }
    let csv = String::from_utf8(folder.read("hits.csv")).unwrap();
    assert_eq!(csv_column(&csv, "ray").len(), RAYS);
    let hits = csv_column(&csv, "hit");
    assert!(hits.iter().any(|hit| hit == "true") && hits.iter().any(|hit| hit == "false"), "some rays miss");
    let header = "ray,hit,hit_index,t,distance,px,py,pz,nx,ny,nz,front,shape,primitive,u,v";
    assert_eq!(csv.lines().next().unwrap(), header);
    for file in ["hits.parquet", "hits.arrow"] {
        let batch = &read(&folder, file)[0];
        let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names.join(","), header, "{file}");
        let [hit, index] = ["hit", "hit_index"].map(|name| batch.column_by_name(name).unwrap().clone());
        assert!(hit.null_count() == 0 && hit.as_boolean().false_count() == index.null_count(), "{file}");
    }
    for (row, hit) in csv.lines().skip(1).zip(&hits).filter(|(_, hit)| *hit == "false") {
        assert_eq!(row, format!("{},{hit},,,,,,,,,,,,,,", row.split(',').next().unwrap()));
    }
    let json = String::from_utf8(folder.read("hits.jsonl")).unwrap();
    let json: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for name in ["t", "distance", "px", "py", "pz", "nx", "ny", "nz", "u", "v"] {
        let expected = bits(&csv_numbers(&csv, name));
        let of_json: Vec<f64> = json.iter().map(|row| row[name].as_f64().unwrap_or(f64::NAN)).collect();
        assert!(bits(&of_json) == expected, "{name} in JSON lines");
        for file in ["hits.parquet", "hits.arrow"] {
            let numbers: Vec<f64> = read(&folder, file).iter().flat_map(|batch| column(batch, name)).collect();
            assert!(bits(&numbers) == expected, "{name} in {file}");
        }
    }
    let rays: Vec<u64> = read(&folder, "hits.parquet")
        .iter()
        .flat_map(|batch| batch.column_by_name("ray").unwrap().as_primitive::<UInt64Type>().values().to_vec())
        .collect();
    assert_eq!(rays, (0..RAYS as u64).collect::<Vec<_>>());
    // Standard output gets the same bytes as a file.
    assert!(folder.done("cast scene.toml --rays rays.csv --precision f64") == csv);
    let result = folder.run("cast scene.toml --rays rays.csv --precision f64 --format parquet");
    assert!(result.out == folder.read("hits.parquet"));
}

#[test]
fn threads_change_no_byte() {
    let folder = folder("threads");
    for query in ["first", "any", "all", "count", "spans"] {
        for format in ["csv", "jsonl", "parquet", "arrow"] {
            let cast = |how: &str| {
                let line = format!("cast scene.toml --rays rays.csv --query {query} --format {format} {how}");
                let result = folder.run(&line);
                assert_eq!((result.code, result.warnings()), (0, ""), "{line}");
                result.out
            };
            let one = cast("--threads 1");
            assert!(one == cast("--threads 2"), "{query} {format}");
            if format == "csv" {
                assert!(one == cast("--threads 5"), "{query}");
            }
        }
    }
}

#[test]
fn the_tree_finds_what_testing_everything_finds() {
    let folder = folder("brute");
    folder.file("few.csv", random_rays(300, 3));
    for query in ["first", "any", "all", "count", "spans"] {
        let cast =
            |accel: &str| folder.done(&format!("cast scene.toml --rays few.csv --query {query} --accel {accel}"));
        assert!(cast("bvh") == cast("brute"), "{query}");
    }
}

#[test]
fn standard_input_is_a_file_too() {
    let folder = folder("stdin");
    let rays = folder.read("rays.csv");
    let result = folder.run_with("cast scene.toml --rays - --query count", &rays);
    assert_eq!((result.code, result.warnings()), (0, ""));
    assert!(result.text() == folder.done("cast scene.toml --rays rays.csv --query count"));
    let result = folder.run_with("cast scene.toml --rays -", b"ox,oy,oz,dx,dy,dz\n0,0,0,0,0,inf\n");
    let message = "hitscan: <stdin>: row 0 (line 2), column 'dz': inf is not allowed in a ray\n";
    assert_eq!((result.code, result.err.as_str(), result.text()), (1, message, ""));
}

#[test]
fn queries_agree_with_each_other() {
    let folder = folder("queries");
    let cast = |query: &str| folder.done(&format!("cast scene.toml --rays rays.csv --query {query}"));
    let (first, any, all, count) = (cast("first"), cast("any"), cast("all"), cast("count"));
    let mut counted = vec![0; RAYS];
    csv_column(&all, "ray").iter().for_each(|ray| counted[ray.parse::<usize>().unwrap()] += 1);
    assert!(csv_column(&count, "count") == counted.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(csv_column(&any, "hit") == csv_column(&first, "hit"));
    assert!(csv_column(&all, "hit").iter().all(|hit| hit == "true"));
}

#[test]
fn a_table_has_its_own_limits_and_the_flags_narrow_them() {
    let folder = Folder::new("limits");
    folder.file("scene.toml", "[[shape]]\ntype = 'plane'\npoint = [0, 0, 5]\nnormal = [0, 0, 1]");
    let header = "t_max,ox,oy,oz,dx,dy,dz,t_min,note\n";
    let rows = "inf,0,0,0,0,0,1,0,hits\n4,0,0,0,0,0,1,0,short\n9,0,0,0,0,0,1,6,late\n0,0,0,6,0,0,1,-2,behind\n";
    folder.file("rays.csv", format!("{header}{rows}"));
    let any = |arguments: &str| {
        let result = folder.run(&format!("cast scene.toml --rays rays.csv --query any {arguments}"));
        assert_eq!(result.code, 0, "{result:?}");
        csv_column(result.text(), "hit")
    };
    assert_eq!(any(""), ["true", "false", "false", "true"]);
    assert_eq!(any("--t-max 4.5"), ["false", "false", "false", "true"]);
    assert_eq!(any("--t-min 0"), ["true", "false", "false", "false"]);
}

/// The wall is 5 away, at t = 5 / 3 for a direction of length 3: a number that none of both precisions has.
#[test]
fn a_largest_distance_is_a_true_length() {
    let folder = Folder::new("max-distance");
    folder.file("scene.toml", "[[shape]]\ntype = 'plane'\nname = 'wall'\npoint = [0, 0, 5]\nnormal = [0, 0, 1]");
    let below = 5f64.next_down();
    let rows = format!("5,0,0,0,0,0,3\n{below:?},0,0,0,0,0,3\n,0,0,0,0,0,3\ninf,0,0,0,0,0,3\n6,0,0,0,3,0,4\n");
    folder.file("rays.csv", format!("max_distance,ox,oy,oz,dx,dy,dz\n{rows}"));
    // A sphere touches the wall a little earlier than its centre line.
    for (query, expected) in [("any", "023"), ("first", "023"), ("all", "023"), ("first --thick 1e-9", "0123")] {
        let found = |arguments: &str| -> String {
            let table = format!("cast scene.toml --rays rays.csv --query {query} {arguments} --columns ray,hit");
            let text = folder.done(&table);
            text.lines().filter_map(|line| line.strip_suffix(",true")).collect()
        };
        assert_eq!(found(""), expected, "{query}");
        assert_eq!(found("--max-distance 4.5"), "", "{query}");
        assert_eq!(found("--max-distance 7"), expected, "{query}: the smaller one counts");
        assert_eq!(found("--max-distance 7 --t-max 1.5"), "", "{query}");
    }
    let refused = folder.run("cast scene.toml --ray 0,0,0,0,0,1 --max-distance -1");
    assert!(refused.code == 2 && refused.err.contains("a distance is a number of at least 0"), "{refused:?}");
    folder.file("rays.csv", "max_distance,ox,oy,oz,dx,dy,dz\n-1,0,0,0,0,0,3\n");
    let result = folder.run("cast scene.toml --rays rays.csv --query any");
    assert!(
        result.text().ends_with("false\n") && result.err.contains("1 ray has a range that holds nothing"),
        "{result:?}"
    );
    let text = folder.done("explain scene.toml --ray 0,0,0,0,0,3 --max-distance 4");
    assert!(
        text.contains("wall (plane, shape 0): too far: 5 from the origin, at t = 1.666667, beyond --max-distance 4\n"),
        "{text}"
    );
}

#[test]
fn a_table_without_rows_gives_one_without_rows() {
    let folder = Folder::new("no-rows");
    folder.file("scene.toml", crate::support::BALL);
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz\n");
    assert_eq!(folder.done("cast scene.toml --rays rays.csv --query any"), "ray,hit\n");
}

#[test]
fn the_precision_is_that_of_the_scene_and_of_typed_columns() {
    let folder = folder("precision");
    let columns = ["ox", "oy", "oz", "dx", "dy", "dz"].map(|name| {
        let numbers: ArrayRef = Arc::new(Float32Array::from(vec![if name == "oz" { 0.1 } else { -0.7 }; 3]));
        (name, numbers)
    });
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(folder.path("rays.parquet")).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let is_f32 = |arguments: &str| {
        folder.done(&format!("cast scene.toml {arguments} -o hits.parquet"));
        read(&folder, "hits.parquet")[0].column_by_name("t").unwrap().as_primitive_opt::<Float32Type>().is_some()
    };
    assert!(is_f32("--rays rays.parquet"), "both are f32");
    assert!(!is_f32("--rays rays.csv"), "text is f64");
    assert!(!is_f32("--rays rays.parquet --t-max 0.1"), "flags, too");
    assert!(is_f32("--rays rays.parquet --t-max 0.5"), "a number of f32");
    // A mesh of f64 numbers.
    let mesh = String::from_utf8(folder.read("hitscan-demo-knot.obj")).unwrap();
    folder.file("wide.obj", mesh + "v 0.1 0 0\n");
    folder.done("cast wide.obj --rays rays.parquet -o hits.parquet");
    assert!(read(&folder, "hits.parquet")[0].column_by_name("t").unwrap().as_primitive_opt::<Float64Type>().is_some());
    assert!(!is_f32("--rays rays.parquet --precision f64"));
    assert!(is_f32("--rays rays.csv --precision f32"));
}

/// Far from the origin, `f32` moves a ray that passes beside a square into it.
#[test]
fn text_is_not_rounded_to_a_mesh_of_f32() {
    let folder = Folder::new("text-precision");
    let mesh = "v 500000 4649776 0\nv 500001 4649776 0\nv 500001 4649777 0\nv 500000 4649777 0\nf 1 2 3 4\n";
    folder.file("square.obj", mesh);
    folder.file("rays.csv", "ox,oy,oz,dx,dy,dz\n500000.3,4649775.8,5,0,0,-1\n");
    let ray = "--ray 500000.3,4649775.8,5,0,0,-1";
    for rays in ["--rays rays.csv", ray] {
        let cast = |more: &str| folder.done(&format!("cast square.obj {rays} --query any --format csv {more}"));
        assert_eq!(cast(""), "ray,hit\n0,false\n", "{rays}");
        assert_eq!(cast("--precision f32"), "ray,hit\n0,true\n", "{rays}");
    }
    assert!(folder.done(&format!("explain square.obj {ray}")).contains("miss"));
    let line = "distance square.obj --point 500000.3,4649775.8,0 --format csv --inside-rule winding-number";
    let near = folder.done(line);
    let distance: f64 = near.lines().nth(1).unwrap().split(',').nth(2).unwrap().parse().unwrap();
    assert!((distance - 0.2).abs() < 1e-9, "{distance}");
    // A scene that is saved in f32 has no other precision: a note says so.
    folder.done("convert square.obj -o square.hitscene");
    let output = folder.run(&format!("cast square.hitscene {ray} --query any --format csv"));
    assert_eq!(output.text(), "ray,hit\n0,true\n");
    assert!(
        output.err.contains("square.hitscene: saved in f32, to which the numbers of the query are rounded"),
        "{}",
        output.err
    );
    folder.done("convert square.obj -o square64.hitscene --precision f64");
    let cast = format!("cast square64.hitscene {ray} --query any --format csv");
    assert_eq!(folder.done(&cast), "ray,hit\n0,false\n");
    let refused = folder.run("convert square.obj -o square.ply --precision f64");
    assert_eq!((refused.code, &refused.err[..44]), (2, "hitscan: --precision is for .hitscene and .h"));
}

#[test]
fn the_table_for_people_has_the_same_columns() {
    let folder = Folder::new("text-table");
    folder.file("ball.toml", crate::support::BALL);
    let rays = "--ray 0,0,0,1,1,1 --ray 0,0,0,-1,0,0";
    for query in ["first", "any", "all", "count", "spans"] {
        let line = format!("cast ball.toml {rays} --query {query}");
        let (table, csv) = (folder.done(&line), folder.done(&format!("{line} --format csv")));
        let header: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
        assert_eq!(header.join(","), csv.lines().next().unwrap(), "{query}");
        assert_eq!(table.lines().count(), csv.lines().count(), "{query}");
        for (row, expected) in table.lines().zip(csv.lines()).skip(1) {
            let cells: Vec<&str> = row.split_whitespace().take(2).collect();
            assert_eq!(cells, expected.split(',').take(2).collect::<Vec<_>>(), "{query}");
        }
    }
    let first = folder.done(&format!("cast ball.toml {rays}"));
    assert!(first.lines().last().unwrap().split_whitespace().eq(["1", "false"]), "{first}");
}
