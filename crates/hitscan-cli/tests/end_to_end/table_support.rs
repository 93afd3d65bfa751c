//! What the tests of tables in files have in common.

use crate::support::{BALL, CommandResult, Folder};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use test_support::random::Lcg;

pub(crate) const HEADER: &str = "ox,oy,oz,dx,dy,dz";
pub(crate) const COORDINATES: [&str; 6] = ["ox", "oy", "oz", "dx", "dy", "dz"];

/// A folder with the ball.
pub(crate) fn with_ball(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("ball.toml", BALL);
    folder
}

/// A run that succeeds, whatever it says on standard error.
pub(crate) fn ran(folder: &Folder, line: &str) -> CommandResult {
    let result = folder.run(line);
    assert_eq!(result.code, 0, "hitscan {line}: {}", result.err);
    result
}

#[track_caller]
pub(crate) fn fails(folder: &Folder, line: &str, message: &str) {
    let result = folder.run(line);
    assert_eq!((result.code, result.text()), (1, ""), "hitscan {line}: {}", result.err);
    assert_eq!(result.err, format!("hitscan: {message}\n"), "hitscan {line}");
}

pub(crate) fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

/// Rays upwards around the ball, of which about one in four hits: ox, oy and oz of each.
pub(crate) fn origins(count: usize) -> Vec<[f64; 3]> {
    let mut random = Lcg::new(7);
    (0..count).map(|_| [5.0 + 2.0 * random.signed_unit(), 5.0 + 2.0 * random.signed_unit(), 0.0]).collect()
}

pub(crate) fn rays_csv(count: usize) -> String {
    origins(count).iter().fold(format!("{HEADER}\n"), |mut text, [x, y, z]| {
        writeln!(text, "{x},{y},{z},0,0,1").unwrap();
        text
    })
}

/// The columns of rays from these points upwards.
pub(crate) fn upwards(origins: &[[f64; 3]]) -> Vec<(&'static str, ArrayRef)> {
    let values = |axis: usize| -> Vec<f64> {
        match axis {
            0..3 => origins.iter().map(|origin| origin[axis]).collect(),
            _ => vec![if axis == 5 { 1.0 } else { 0.0 }; origins.len()],
        }
    };
    let column = |axis| -> ArrayRef { Arc::new(Float64Array::from(values(axis))) };
    COORDINATES.iter().enumerate().map(|(axis, name)| (*name, column(axis))).collect()
}

pub(crate) fn write_parquet(path: &Path, batch: &RecordBatch, group_rows: usize) {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// As `.arrow` or, by the name, `.arrows`.
pub(crate) fn write_arrow(path: &Path, batch: &RecordBatch, batch_rows: usize) {
    let file = File::create(path).unwrap();
    let pieces = (0..batch.num_rows()).step_by(batch_rows);
    let mut pieces = pieces.map(|start| batch.slice(start, batch_rows.min(batch.num_rows() - start)));
    if path.extension().unwrap() == "arrows" {
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(file, &batch.schema()).unwrap();
        pieces.try_for_each(|piece| writer.write(&piece)).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        pieces.try_for_each(|piece| writer.write(&piece)).unwrap();
        writer.finish().unwrap();
    }
}

pub(crate) fn read(folder: &Folder, name: &str) -> Vec<RecordBatch> {
    let file = File::open(folder.path(name)).unwrap();
    if name.ends_with("parquet") {
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect()
    } else {
        arrow_ipc::reader::FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect()
    }
}

pub(crate) fn names(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| field.name().clone()).collect()
}
