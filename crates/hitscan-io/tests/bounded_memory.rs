//! Memory does not grow with the number of rows: ten times the rows, the same peak.

#[path = "support/heap.rs"]
mod heap;
mod support;

use heap::peak;
use hitscan_io::{Dimension, Format, HitBatch, HitLayout, HitRow, HitSchema, HitWriter, Hits, Precision, RayReader};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use support::{Folder, batch, ray_columns};

const FEWER_ROWS: usize = 300_000;
const MORE_ROWS: usize = 3_000_000;

fn rays_csv(path: &Path, rows: usize) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    writeln!(file, "ox,oy,oz,dx,dy,dz").unwrap();
    (0..rows).for_each(|row| writeln!(file, "{row},0,0.25,1,0,0").unwrap());
}

fn rays_columnar(path: &Path, rows: usize) {
    const GROUP: usize = 100_000;
    let group = batch(&ray_columns(GROUP, |row| (row * row) as f64 / 7.0));
    let file = File::create(path).unwrap();
    if path.extension().unwrap() == "parquet" {
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, group.schema(), None).unwrap();
        (0..rows / GROUP).for_each(|_| writer.write(&group).unwrap());
        writer.close().unwrap();
    } else {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &group.schema()).unwrap();
        (0..rows / GROUP).for_each(|_| writer.write(&group).unwrap());
        writer.finish().unwrap();
    }
}

/// Reads rays and writes a hit for each, as a cast does.
fn cast(rays: &Path, hits: &Path) -> usize {
    let schema = HitSchema {
        layout: HitLayout::All,
        dimension: Dimension::Three,
        precision: Precision::F64,
        shapes: vec!["ball".into()],
        instances: None,
    };
    let mut writer = HitWriter::create(Some(hits), Format::from_path(hits).unwrap(), schema).unwrap();
    let mut rows = 0;
    let mut found = Hits::default();
    for batch in RayReader::open(rays, Dimension::Three).unwrap() {
        let batch = batch.unwrap();
        rows += batch.len();
        found.clear();
        for (row, &x) in batch.origin[0].iter().enumerate() {
            let ray = batch.first_row + row as u64;
            found.push(HitRow { ray, t: x, distance: x, point: [x, 0.0, 0.0], ..HitRow::default() });
        }
        let full = HitBatch::Hits(std::mem::take(&mut found));
        writer.write(&full).unwrap();
        if let HitBatch::Hits(hits) = full {
            found = hits;
        }
    }
    writer.finish().unwrap();
    rows
}

#[test]
fn ten_times_the_rows_take_the_same_memory() {
    let folder = Folder::new();
    for (name, hits) in [("rays.csv", "hits.csv"), ("rays.parquet", "hits.parquet"), ("rays.arrow", "hits.arrow")] {
        let peaks = [FEWER_ROWS, MORE_ROWS].map(|rows| {
            let rays: PathBuf = folder.path(name);
            match name {
                "rays.csv" => rays_csv(&rays, rows),
                _ => rays_columnar(&rays, rows),
            }
            let (read, peak) = peak(|| cast(&rays, &folder.path(hits)));
            assert_eq!(read, rows);
            peak
        });
        let [few, many] = peaks.map(|bytes| bytes as f64 / f64::from(1 << 20));
        println!("{name} to {hits}: {few:.1} MiB for {FEWER_ROWS} rows, {many:.1} MiB for {MORE_ROWS}");
        assert!(many <= 1.25 * few, "{name} to {hits}: {few} MiB, then {many} MiB");
    }
}
