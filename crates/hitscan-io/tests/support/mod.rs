//! Helpers of the tests of files.
#![allow(dead_code, reason = "each test file uses its part")]

use arrow_array::{ArrayRef, RecordBatch};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes away with its test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let name = format!("hitscan-io-{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The names in the folder, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A message without the folder's own path.
    pub(crate) fn message(&self, error: &hitscan_io::Error) -> String {
        error.to_string().replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A record batch of named columns.
pub(crate) fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().map(|(name, column)| (*name, column.clone()))).unwrap()
}

/// The columns of three-dimensional rays, each row `row` all `value(row)`.
pub(crate) fn ray_columns(rows: usize, value: impl Fn(usize) -> f64) -> Vec<(&'static str, ArrayRef)> {
    let column: ArrayRef = Arc::new(arrow_array::Float64Array::from_iter_values((0..rows).map(value)));
    ["ox", "oy", "oz", "dx", "dy", "dz"].map(|name| (name, column.clone())).to_vec()
}

pub(crate) fn parquet(path: &Path, batches: &[RecordBatch], compression: parquet::basic::Compression) {
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(1000))
        .build();
    let file = fs::File::create(path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
}

pub(crate) fn arrow(path: &Path, batches: &[RecordBatch], compression: Option<arrow_ipc::CompressionType>) {
    let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let file = fs::File::create(path).unwrap();
    let schema = batches[0].schema();
    let mut writer = arrow_ipc::writer::FileWriter::try_new_with_options(file, &schema, options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
}
