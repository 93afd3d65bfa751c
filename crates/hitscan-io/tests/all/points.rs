//! Tables of points, and of results for them: every way to read and write one.

use crate::support::{Folder, arrow, batch, parquet};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array};
use hitscan::{Feature, InsideRule};
use hitscan_io::{
    ClosestRow, Dimension, DistanceRow, Format, PointBatch, PointLayout, PointReader, PointResults, PointSchema,
    PointWriter, Precision, ReadOptions,
};
use parquet::basic::Compression;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use Dimension::{Three, Two};

fn read(path: &Path, dimension: Dimension) -> hitscan_io::Result<Vec<PointBatch>> {
    PointReader::open(path, dimension)?.collect()
}

#[test]
fn the_same_points_from_every_format() {
    let folder = Folder::new();
    let column =
        |start: f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values((0..5).map(|x| start + x as f64))) };
    let batches = [batch(&[("pz", column(20.0)), ("px", column(0.0)), ("nx", column(7.0)), ("py", column(10.0))])];
    parquet(&folder.path("a.parquet"), &batches, Compression::SNAPPY);
    arrow(&folder.path("a.arrow"), &batches, None);
    folder.file("a.csv", "pz,px,note,py\n20,0,a,10\n21,1,b,11\n22,2,c,12\n23,3,d,13\n24,4,e,14\n");
    for name in ["a.parquet", "a.arrow", "a.csv"] {
        let all = read(&folder.path(name), Three).unwrap();
        assert_eq!((all.len(), all[0].len(), all[0].precision), (1, 5, Precision::F64), "{name}");
        assert_eq!(all[0].point.each_ref().map(|column| column[4]), [4.0, 14.0, 24.0], "{name}");
        assert!(read(&folder.path(name), Two).unwrap()[0].point[2].is_empty(), "{name}");
        let options = ReadOptions { batch_rows: 2, ..ReadOptions::default() };
        let reader = PointReader::open_with(&folder.path(name), Three, &options).unwrap();
        let rows: Vec<(u64, usize)> = reader.map(Result::unwrap).map(|batch| (batch.first_row, batch.len())).collect();
        assert_eq!(rows, [(0, 2), (2, 2), (4, 1)], "{name}");
    }
    let narrow: ArrayRef = Arc::new(Float32Array::from(vec![0.1]));
    parquet(&folder.path("f32.parquet"), &[batch(&[("px", narrow.clone()), ("py", narrow)])], Compression::SNAPPY);
    assert_eq!(PointReader::open(&folder.path("f32.parquet"), Two).unwrap().precision(), Precision::F32);
}

#[test]
fn errors_name_the_place() {
    let folder = Folder::new();
    let nan: ArrayRef = Arc::new(Float64Array::from(vec![0.0, f64::NAN]));
    let batches = [batch(&[("px", nan.clone()), ("py", nan)])];
    parquet(&folder.path("a.parquet"), &batches, Compression::SNAPPY);
    arrow(&folder.path("a.arrow"), &batches, None);
    folder.file("a.csv", "px,py\n0,0\nnan,0\n");
    for (name, place) in [("a.parquet", "row 1"), ("a.arrow", "row 1"), ("a.csv", "row 1 (line 3)")] {
        let message = |dimension| folder.message(&read(&folder.path(name), dimension).unwrap_err());
        assert_eq!(message(Two), format!("{name}: {place}, column 'px': NaN is not allowed in a point"));
        assert_eq!(message(Three), format!("{name}: no column 'pz' (needs px py pz; the table has px, py)"));
    }
}

fn schema(layout: PointLayout) -> PointSchema {
    let shapes = vec!["ball".into(), "a, b".into()];
    PointSchema {
        layout,
        dimension: Two,
        precision: Precision::F32,
        shapes,
        instances: Some(vec![None, Some(4)]),
        has_rule: false,
    }
}

fn distances() -> PointResults {
    let closest = ClosestRow {
        distance: 0.1_f32.into(),
        signed_distance: Some(f64::from(-0.1_f32)),
        rule: InsideRule::WindingNumber,
        closest: [1.0, f64::INFINITY, 9.0],
        feature: Feature::Edge(2),
        shape: 1,
        primitive: Some(7),
        uv: Some([0.25, 0.5]),
    };
    PointResults::Distances(vec![
        DistanceRow { point: 3, closest: Some(closest) },
        DistanceRow { point: 4, closest: None },
    ])
}

fn write(path: &Path, schema: PointSchema, results: &PointResults) -> hitscan_io::Result<()> {
    let mut writer = PointWriter::create(Some(path), Format::from_path(path).unwrap(), schema)?;
    writer.write(results)?;
    writer.finish()
}

#[test]
fn results_in_every_format() {
    let folder = Folder::new();
    for name in ["a.csv", "a.jsonl", "a.parquet", "a.arrow"] {
        write(&folder.path(name), schema(PointLayout::Distance), &distances()).unwrap();
    }
    let text = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(
        text("a.csv"),
        "point,found,distance,signed_distance,cx,cy,feature,shape,primitive,u,v,object,instance\n\
         3,true,0.1,-0.1,1,inf,edge 2,\"a, b\",7,0.25,0.5,1,4\n4,false,,,,,,,,,,,\n"
    );
    let first = "{\"point\":3,\"found\":true,\"distance\":0.1,\"signed_distance\":-0.1,\"cx\":1,\"cy\":null,\
                 \"feature\":\"edge 2\",\"shape\":\"a, b\",\"primitive\":7,\"u\":0.25,\"v\":0.5,\"object\":1,\"instance\":4}\n";
    assert!(text("a.jsonl").starts_with(first), "{}", text("a.jsonl"));
    let batch = arrow_ipc::reader::FileReader::try_new(File::open(folder.path("a.arrow")).unwrap(), None).unwrap();
    let batch = batch.map(Result::unwrap).next().unwrap();
    assert!(batch.columns()[2..].iter().all(|column| column.is_null(1) && column.is_valid(0)));
    assert_eq!(batch.column_by_name("feature").unwrap().as_string::<i32>().value(0), "edge 2");
    let contains =
        PointResults::Contains { point: vec![0, 1], inside: vec![true, false], rule: vec![InsideRule::Parity; 2] };
    write(&folder.path("b.csv"), schema(PointLayout::Contains), &contains).unwrap();
    assert_eq!(text("b.csv"), "point,inside\n0,true\n1,false\n");
    let with_rule = |layout| PointSchema { has_rule: true, instances: None, ..schema(layout) };
    write(&folder.path("b.csv"), with_rule(PointLayout::Contains), &contains).unwrap();
    assert_eq!(text("b.csv"), "point,inside,rule\n0,true,parity\n1,false,parity\n");
    write(&folder.path("b.csv"), with_rule(PointLayout::Distance), &distances()).unwrap();
    assert_eq!(
        text("b.csv"),
        "point,found,distance,signed_distance,rule,cx,cy,feature,shape,primitive,u,v\n\
         3,true,0.1,-0.1,winding-number,1,inf,edge 2,\"a, b\",7,0.25,0.5\n4,false,,,,,,,,,,\n"
    );
}

#[test]
fn results_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let path = folder.path("a.csv");
    let message = |schema, results: &PointResults| folder.message(&write(&path, schema, results).unwrap_err());
    let other = "a.csv: rows of another layout than that of the table";
    assert_eq!(message(schema(PointLayout::Contains), &distances()), other);
    let uneven = PointResults::Contains { point: vec![0], inside: Vec::new(), rule: Vec::new() };
    assert_eq!(message(schema(PointLayout::Contains), &uneven), "a.csv: columns of different lengths");
    let nameless = PointSchema { shapes: vec!["ball".into()], instances: None, ..schema(PointLayout::Distance) };
    assert_eq!(message(nameless, &distances()), "a.csv: a closest point of a shape without a name");
    assert_eq!(folder.names(), [""; 0]);
}
