//! Tables of hits: every layout in every format, and files that appear only when complete.

use crate::support::Folder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use hitscan_io::{Dimension, Format, HitBatch, HitLayout, HitRow, HitSchema, HitWriter, Hits, Precision, SpanEnd};
use std::fs::{self, File};
use std::path::Path;

fn schema(layout: HitLayout, dimension: Dimension, precision: Precision) -> HitSchema {
    let shapes = vec!["ball".into(), "a \"b\", c".into()];
    HitSchema { layout, dimension, precision, shapes, instances: None }
}

fn hits() -> Hits {
    let mut hits = Hits::default();
    hits.push(HitRow {
        ray: 0,
        hit_index: 0,
        end: SpanEnd::Enter,
        t: f64::from(0.1_f32),
        distance: 2.5,
        point: [1.0, -0.0, 3.0],
        normal: [0.0, 1.0, 0.0],
        front: true,
        shape: 0,
        primitive: None,
        uv: None,
    });
    hits.push_miss(1);
    hits.push(HitRow {
        ray: 2,
        hit_index: 0,
        end: SpanEnd::Exit,
        t: 1e30_f32.into(),
        shape: 1,
        primitive: Some(4),
        uv: Some([0.25, 0.5]),
        ..HitRow::default()
    });
    hits
}

fn without_miss() -> Hits {
    let mut hits = hits();
    hits.clear();
    let all = self::hits();
    for row in [0, 2] {
        hits.push(HitRow {
            ray: all.ray[row],
            hit_index: all.hit_index[row].unwrap(),
            end: all.end[row],
            t: all.t[row],
            distance: all.distance[row],
            point: all.point[row],
            normal: all.normal[row],
            front: all.front[row],
            shape: all.shape[row],
            primitive: all.primitive[row],
            uv: all.uv[row],
        });
    }
    hits
}

fn write(path: &Path, schema: HitSchema, batches: &[HitBatch]) {
    let mut writer = HitWriter::create(Some(path), Format::from_path(path).unwrap(), schema).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
}

#[track_caller]
fn text(name: &str, schema: HitSchema, batch: HitBatch) -> String {
    let folder = Folder::new();
    let path = folder.path(name);
    write(&path, schema, &[batch]);
    fs::read_to_string(path).unwrap()
}

use Dimension::{Three, Two};
use Precision::{F32, F64};

#[test]
fn csv_of_first_hits() {
    assert_eq!(
        text("h.csv", schema(HitLayout::First, Three, F32), HitBatch::Hits(hits())),
        "ray,hit,hit_index,t,distance,px,py,pz,nx,ny,nz,front,shape,primitive,u,v\n\
         0,true,0,0.1,2.5,1,-0,3,0,1,0,true,ball,,,\n\
         1,false,,,,,,,,,,,,,,\n\
         2,true,0,1e30,0,0,0,0,0,0,0,false,\"a \"\"b\"\", c\",4,0.25,0.5\n"
    );
}

#[test]
fn csv_of_spans_in_the_plane_as_f64() {
    assert_eq!(
        text("h.csv", schema(HitLayout::Spans, Two, F64), HitBatch::Hits(without_miss())),
        "ray,hit,hit_index,end,t,distance,px,py,nx,ny,front,shape,primitive,u,v\n\
         0,true,0,enter,0.10000000149011612,2.5,1,-0,0,1,true,ball,,,\n\
         2,true,0,exit,1.0000000150474662e30,0,0,0,0,0,false,\"a \"\"b\"\", c\",4,0.25,0.5\n"
    );
}

#[test]
fn json_lines() {
    let mut hits = hits();
    hits.t[2] = f64::INFINITY;
    assert_eq!(
        text("h.jsonl", schema(HitLayout::First, Two, F32), HitBatch::Hits(hits)),
        "{\"ray\":0,\"hit\":true,\"hit_index\":0,\"t\":0.1,\"distance\":2.5,\"px\":1,\"py\":-0,\"nx\":0,\"ny\":1,\"front\":true,\
         \"shape\":\"ball\",\"primitive\":null,\"u\":null,\"v\":null}\n\
         {\"ray\":1,\"hit\":false,\"hit_index\":null,\"t\":null,\"distance\":null,\"px\":null,\"py\":null,\"nx\":null,\"ny\":null,\
         \"front\":null,\"shape\":null,\"primitive\":null,\"u\":null,\"v\":null}\n\
         {\"ray\":2,\"hit\":true,\"hit_index\":0,\"t\":null,\"distance\":0,\"px\":0,\"py\":0,\"nx\":0,\"ny\":0,\"front\":false,\
         \"shape\":\"a \\\"b\\\", c\",\"primitive\":4,\"u\":0.25,\"v\":0.5}\n"
    );
    let spans = text("h.ndjson", schema(HitLayout::Spans, Two, F32), HitBatch::Hits(without_miss()));
    assert!(spans.starts_with("{\"ray\":0,\"hit\":true,\"hit_index\":0,\"end\":\"enter\",\"t\":0.1,"), "{spans}");
}

/// Of a scene with objects; the first shape is a `[[shape]]`.
fn schema_of_objects(layout: HitLayout) -> HitSchema {
    HitSchema { instances: Some(vec![None, Some(7)]), ..schema(layout, Two, F32) }
}

#[test]
fn objects_and_instances_follow_v() {
    assert_eq!(
        text("h.csv", schema_of_objects(HitLayout::First), HitBatch::Hits(hits())),
        "ray,hit,hit_index,t,distance,px,py,nx,ny,front,shape,primitive,u,v,object,instance\n\
         0,true,0,0.1,2.5,1,-0,0,1,true,ball,,,,0,\n\
         1,false,,,,,,,,,,,,,,\n\
         2,true,0,1e30,0,0,0,0,0,false,\"a \"\"b\"\", c\",4,0.25,0.5,1,7\n"
    );
    let json = text("h.jsonl", schema_of_objects(HitLayout::All), HitBatch::Hits(without_miss()));
    let ends: Vec<_> = json.lines().map(|line| line.split("\"v\":").nth(1).unwrap()).collect();
    assert_eq!(ends, ["null,\"object\":0,\"instance\":null}", "0.5,\"object\":1,\"instance\":7}"]);
    let folder = Folder::new();
    for name in ["h.parquet", "h.arrow"] {
        write(&folder.path(name), schema_of_objects(HitLayout::First), &[HitBatch::Hits(hits())]);
        let table = read(&folder.path(name));
        let cells = |name: &str| {
            let column = table[0].column_by_name(name).unwrap().clone();
            column.as_primitive::<arrow_array::types::UInt32Type>().iter().collect::<Vec<_>>()
        };
        assert_eq!(cells("object"), [Some(0), None, Some(1)], "{name}");
        assert_eq!(cells("instance"), [None, None, Some(7)], "{name}");
        let last: Vec<_> = table[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(last[last.len() - 3..], ["v", "object", "instance"]);
    }
    // Answers without hits have no objects.
    let any = HitBatch::Any { ray: vec![0], hit: vec![true] };
    assert_eq!(text("h.csv", schema_of_objects(HitLayout::Any), any), "ray,hit\n0,true\n");
}

#[test]
fn any_and_count() {
    let any = || HitBatch::Any { ray: vec![0, 1], hit: vec![true, false] };
    let count = || HitBatch::Count { ray: vec![0, 1], count: vec![0, 3] };
    let (any_of, count_of) = (schema(HitLayout::Any, Two, F64), schema(HitLayout::Count, Two, F64));
    assert_eq!(text("h.csv", any_of.clone(), any()), "ray,hit\n0,true\n1,false\n");
    assert_eq!(text("h.jsonl", count_of.clone(), count()), "{\"ray\":0,\"count\":0}\n{\"ray\":1,\"count\":3}\n");
    let folder = Folder::new();
    for name in ["h.parquet", "h.arrow"] {
        write(&folder.path(name), any_of.clone(), &[any(), any()]);
        let table = read(&folder.path(name));
        assert_eq!(table.iter().map(RecordBatch::num_rows).sum::<usize>(), 4);
        assert!(table[0].column_by_name("hit").unwrap().as_boolean().value(0));
        write(&folder.path(name), count_of.clone(), &[count()]);
        let table = read(&folder.path(name));
        assert_eq!(
            table[0].column_by_name("count").unwrap().as_primitive::<arrow_array::types::UInt64Type>().value(1),
            3
        );
    }
}

fn read(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    if path.extension().unwrap() == "parquet" {
        let builder = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        builder.build().unwrap().map(Result::unwrap).collect()
    } else {
        arrow_ipc::reader::FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect()
    }
}

#[test]
fn columnar_files_hold_types_nulls_and_names() {
    let folder = Folder::new();
    for (name, precision) in [("h.parquet", F32), ("h.arrow", F32), ("h.parquet", F64), ("h.feather", F64)] {
        let path = folder.path(name);
        let batch = HitBatch::Hits(hits());
        write(&path, schema(HitLayout::First, Three, precision), &[batch.clone(), batch.clone(), batch]);
        let table = read(&path);
        assert_eq!(table.iter().map(RecordBatch::num_rows).sum::<usize>(), 9);
        let batch = &table[0];
        let types: Vec<String> =
            batch.schema().fields().iter().map(|field| format!("{} {}", field.name(), field.data_type())).collect();
        let float = if precision == F32 { "Float32" } else { "Float64" };
        let expected = "ray UInt64|hit Boolean|hit_index UInt32|t F|distance F|px F|py F|pz F|nx F|ny F|nz F|front Boolean|\
            shape Dictionary(Int32, Utf8)|primitive UInt32|u F|v F|";
        assert_eq!(types.join("|") + "|", expected.replace(" F|", &format!(" {float}|")));
        let nulls = |row: usize| batch.columns().iter().map(|column| u8::from(column.is_null(row))).collect::<Vec<_>>();
        assert_eq!(nulls(0), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(nulls(1), [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(nulls(2), [0; 16]);
        let hit = batch.column_by_name("hit").unwrap().as_boolean();
        assert_eq!([0, 1, 2].map(|row| hit.value(row)), [true, false, true]);
        let shapes = batch.column_by_name("shape").unwrap().as_dictionary::<arrow_array::types::Int32Type>();
        let shapes = shapes.downcast_dict::<arrow_array::StringArray>().unwrap();
        assert_eq!(shapes.into_iter().collect::<Vec<_>>()[..3], [Some("ball"), None, Some("a \"b\", c")]);
        let t = batch.column_by_name("t").unwrap();
        match precision {
            F32 => assert_eq!(t.as_primitive::<arrow_array::types::Float32Type>().value(0), 0.1),
            F64 => assert_eq!(t.as_primitive::<arrow_array::types::Float64Type>().value(0), f64::from(0.1_f32)),
        }
    }
}

#[test]
fn a_table_of_no_rows_has_its_columns() {
    let folder = Folder::new();
    for name in ["h.parquet", "h.arrow", "h.csv", "h.jsonl"] {
        write(&folder.path(name), schema(HitLayout::Spans, Three, F64), &[HitBatch::Hits(Hits::default())]);
    }
    assert!(fs::read_to_string(folder.path("h.csv")).unwrap().starts_with("ray,hit,hit_index,end,t,"));
    assert_eq!(fs::read_to_string(folder.path("h.jsonl")).unwrap(), "");
    assert!(read(&folder.path("h.parquet")).is_empty());
}

/// `object` and `instance` are reserved for scenes with instances.
#[test]
fn reserved_names_are_no_columns() {
    for layout in [HitLayout::First, HitLayout::All, HitLayout::Spans, HitLayout::Any, HitLayout::Count] {
        let batch = match layout {
            HitLayout::Any => HitBatch::Any { ray: vec![], hit: vec![] },
            HitLayout::Count => HitBatch::Count { ray: vec![], count: vec![] },
            _ => HitBatch::Hits(Hits::default()),
        };
        let header = text("h.csv", schema(layout, Three, F64), batch);
        let columns: Vec<&str> = header.trim_end().split(',').collect();
        assert_eq!(columns[0], "ray");
        assert!(!columns.contains(&"object") && !columns.contains(&"instance"), "{header}");
    }
}

#[test]
fn an_unfinished_table_leaves_no_trace() {
    let folder = Folder::new();
    for name in ["h.csv", "h.jsonl", "h.parquet", "h.arrow"] {
        let path = folder.file(name, "before");
        let of = schema(HitLayout::First, Two, F64);
        let mut writer = HitWriter::create(Some(&path), Format::from_path(&path).unwrap(), of).unwrap();
        writer.write(&HitBatch::Hits(hits())).unwrap();
        assert_eq!(folder.names().len(), 2, "a temporary file is beside it");
        drop(writer);
        assert_eq!(folder.names(), [name]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        fs::remove_file(path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_devices_stay_devices() {
    let folder = Folder::new();
    let goal = folder.file("goal.csv", "before");
    let link = folder.path("link.csv");
    std::os::unix::fs::symlink(&goal, &link).unwrap();
    let of = schema(HitLayout::Any, Two, F64);
    write(&link, of.clone(), &[]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(goal).unwrap(), "ray,hit\n");
    HitWriter::create(Some(Path::new("/dev/null")), Format::Parquet, of).unwrap().finish().unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn errors_of_writing() {
    let folder = Folder::new();
    let of = |layout| schema(layout, Two, F64);
    let create =
        |path: &Path| folder.message(&HitWriter::create(Some(path), Format::Csv, of(HitLayout::Any)).unwrap_err());
    assert_eq!(create(&folder.path("no/h.csv")), "no/h.csv: No such file or directory");
    fs::create_dir(folder.path("d.csv")).unwrap();
    assert_eq!(create(&folder.path("d.csv")), "d.csv: is a directory");
    let write = |layout, batch: HitBatch| {
        let mut writer = HitWriter::create(Some(&folder.path("h.csv")), Format::Csv, of(layout)).unwrap();
        folder.message(&writer.write(&batch).unwrap_err())
    };
    assert_eq!(
        write(HitLayout::All, HitBatch::Hits(hits())),
        "h.csv: a miss in a table with rows for hits only (tables of first hits have misses)"
    );
    assert_eq!(write(HitLayout::Any, HitBatch::Hits(hits())), "h.csv: rows of another layout than that of the table");
    let uneven = HitBatch::Any { ray: vec![1], hit: vec![] };
    assert_eq!(write(HitLayout::Any, uneven), "h.csv: columns of different lengths");
    let mut hits = hits();
    hits.shape[0] = 2;
    assert_eq!(write(HitLayout::First, HitBatch::Hits(hits.clone())), "h.csv: a hit of a shape without a name");
    hits.shape[0] = 1;
    let mut writer = HitWriter::create(
        Some(&folder.path("h.csv")),
        Format::Csv,
        HitSchema { instances: Some(vec![None]), ..of(HitLayout::First) },
    )
    .unwrap();
    assert_eq!(
        folder.message(&writer.write(&HitBatch::Hits(hits.clone())).unwrap_err()),
        "h.csv: not as many instances as names of shapes"
    );
    hits.uv.pop();
    assert_eq!(write(HitLayout::First, HitBatch::Hits(hits)), "h.csv: columns of different lengths");
}

#[test]
fn formats_have_names() {
    for name in Format::NAMES {
        assert_eq!(Format::from_name(&name.to_uppercase()), Format::from_path(Path::new(&format!("a.{name}"))).ok());
        assert!(Format::from_name(name).is_some());
    }
    assert_eq!(Format::from_name("xlsx"), None);
}
