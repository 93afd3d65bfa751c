//! Tables of spheres and boxes in, tables of overlaps out.

use crate::support::Folder;
use arrow_array::Array;
use hitscan_io::Dimension::{Three, Two};
use hitscan_io::{
    BoxReader, Format, OverlapLayout, OverlapResults, OverlapRow, OverlapSchema, OverlapWriter, SphereReader,
};
use std::fs::{self, File};
use std::path::Path;

fn schema(layout: OverlapLayout) -> OverlapSchema {
    OverlapSchema { layout, shapes: vec!["ball".into(), "a, b".into()], instances: Some(vec![None, Some(4)]) }
}

fn all() -> OverlapResults {
    OverlapResults::All(vec![
        OverlapRow { volume: 3, shape: Some(1), primitive: Some(7) },
        OverlapRow { volume: 3, shape: Some(0), primitive: None },
        OverlapRow { volume: 4, shape: None, primitive: Some(9) },
    ])
}

fn write(path: &Path, schema: OverlapSchema, results: &OverlapResults) -> hitscan_io::Result<()> {
    let mut writer = OverlapWriter::create(Some(path), Format::from_path(path).unwrap(), schema)?;
    writer.write(results)?;
    writer.finish()
}

#[test]
fn results_in_every_format() {
    let folder = Folder::new();
    for name in ["a.csv", "a.jsonl", "a.parquet", "a.arrow"] {
        write(&folder.path(name), schema(OverlapLayout::All), &all()).unwrap();
    }
    let text = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    let header = "volume,overlap,shape,primitive,object,instance";
    assert_eq!(text("a.csv"), format!("{header}\n3,true,\"a, b\",7,1,4\n3,true,ball,,0,\n4,false,,,,\n"));
    let last = "{\"volume\":4,\"overlap\":false,\"shape\":null,\"primitive\":null,\"object\":null,\"instance\":null}\n";
    assert!(text("a.jsonl").ends_with(last), "{}", text("a.jsonl"));
    let batch = arrow_ipc::reader::FileReader::try_new(File::open(folder.path("a.arrow")).unwrap(), None).unwrap();
    let batch = batch.map(Result::unwrap).next().unwrap();
    assert!(batch.columns()[2..].iter().all(|column| column.is_null(2) && column.is_valid(0)));
    let any = OverlapResults::Any { volume: vec![0, 1], overlap: vec![true, false] };
    write(&folder.path("b.csv"), schema(OverlapLayout::Any), &any).unwrap();
    assert_eq!(text("b.csv"), "volume,overlap\n0,true\n1,false\n");
    let count = OverlapResults::Count { volume: vec![0, 1], count: vec![2, 0] };
    write(&folder.path("c.csv"), schema(OverlapLayout::Count), &count).unwrap();
    assert_eq!(text("c.csv"), "volume,count\n0,2\n1,0\n");
}

#[test]
fn results_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let message = |schema: OverlapSchema, results: &OverlapResults| {
        let error = write(&folder.path("o.csv"), schema, results).unwrap_err();
        folder.message(&error)
    };
    let nameless = OverlapResults::All(vec![OverlapRow { volume: 0, shape: Some(2), primitive: None }]);
    let uneven = OverlapResults::Any { volume: vec![0, 1], overlap: vec![true] };
    let few = OverlapSchema { instances: Some(vec![None]), ..schema(OverlapLayout::All) };
    assert_eq!(message(schema(OverlapLayout::All), &nameless), "o.csv: an overlap with a shape without a name");
    assert_eq!(message(schema(OverlapLayout::Any), &uneven), "o.csv: columns of different lengths");
    assert_eq!(message(few, &all()), "o.csv: not as many instances as names of shapes");
    let other = "o.csv: rows of another layout than that of the table";
    assert_eq!(message(schema(OverlapLayout::Count), &all()), other);
    assert!(!folder.path("o.csv").exists());
}

#[test]
fn spheres_and_boxes_are_read() {
    let folder = Folder::new();
    let path = folder.path("volumes.csv");
    fs::write(&path, "hx,radius,px,py,pz,hy,hz\n1,0.5,2,3,4,0,6\n1,2.5,2,3,4,5,6\n").unwrap();
    let spheres = SphereReader::open(&path, Three).unwrap().next().unwrap().unwrap();
    assert_eq!((spheres.len(), spheres.is_empty(), spheres.first_row), (2, false, 0));
    assert_eq!((spheres.center, spheres.radius), ([vec![2.0; 2], vec![3.0; 2], vec![4.0; 2]], vec![0.5, 2.5]));
    let boxes = BoxReader::open(&path, Two).unwrap().next().unwrap().unwrap();
    assert_eq!((boxes.len(), boxes.is_empty()), (2, false));
    assert_eq!(boxes.half_extents, [vec![1.0; 2], vec![0.0, 5.0], vec![]]);
    assert_eq!(boxes.center, [vec![2.0; 2], vec![3.0; 2], vec![]]);
}
